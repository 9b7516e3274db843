//! Axes of any scale with ticks of one's choice.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::Ranged;
use std::ops::Range;

/// A dimension.
pub struct Axis {
    /// Its name, with its unit.
    pub title: &'static str,
    /// From a value to its place on the axis; rising.
    pub place: fn(f64) -> f64,
    /// Values that get a label, if they are within.
    pub ticks: &'static [f64],
    /// Label at a value.
    pub label: fn(f64) -> String,
}

/// The part of an axis between two places.
#[derive(Debug, Clone)]
pub struct Part {
    low: f64,
    high: f64,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From place to place; `low` must be below `high`.
    pub fn part(&self, low: f64, high: f64) -> Part {
        let ticks = self.ticks.iter().map(|&tick| ((self.place)(tick), (self.label)(tick)));
        Part { low, high, ticks: ticks.filter(|tick| (low..=high).contains(&tick.0)).collect() }
    }
}

impl Part {
    /// Label at the place of a tick.
    pub fn label(&self, place: f64) -> String {
        let tick = self.ticks.iter().find(|tick| (tick.0 - place).abs() < 1e-9);
        tick.map_or_else(String::new, |tick| tick.1.clone())
    }
}

impl Ranged for Part {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_within_are_labelled() {
        let label = |value: f64| format!("{value} s");
        let axis = Axis { title: "", place: f64::ln, ticks: &[1.0, 10.0, 100.0], label };
        let part = axis.part(5.0f64.ln(), 200.0f64.ln());
        assert_eq!(part.ticks.len(), 2);
        assert_eq!([10.0f64.ln(), 11.0f64.ln()].map(|place| part.label(place)), ["10 s", ""]);
        let part = Part { low: 1.0, high: 3.0, ticks: Vec::new() };
        assert_eq!([1.0, 2.0, 3.0].map(|value| part.map(&value, (100, 300))), [100, 200, 300]);
    }
}
