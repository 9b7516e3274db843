//! Lines over classes of powers of two, and steps of distribution functions: one axis of logarithms to base 2, one
//! linear.

use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, Style, line, px, svg};

/// Titles and labels of the axes.
pub struct Labels {
    /// Below.
    pub right: &'static str,
    /// On the left.
    pub up: &'static str,
    /// Label at a power of two.
    pub power: fn(f64) -> String,
    /// Label of a value.
    pub value: fn(f64) -> String,
    /// The top, where it is not the largest value.
    pub top: Option<f64>,
}

/// One line; x are logarithms to base 2.
pub struct Line<'a> {
    /// Its colour and dashes.
    pub style: &'a Style,
    /// Where it goes.
    pub points: Vec<(f64, f64)>,
    /// Whether points are marked.
    pub marked: bool,
}

/// Draws the lines.
pub fn draw(lines: &[Line], labels: &Labels) -> Picture {
    let points = || lines.iter().flat_map(|line| &line.points);
    let right = points().map(|point| point.0).fold(1.0, f64::max).ceil();
    let top = labels.top.unwrap_or_else(|| points().map(|point| point.1).fold(0.0, f64::max) * 1.05);
    let top = if top > 0.0 { top } else { 1.0 };
    svg(800, 400, |area| {
        // Labels belong to whole powers; where there are many, to every other one.
        let every = if right > 12.0 { 2.0 } else { 1.0 };
        let power = |x: &f64| {
            let whole = x.round();
            let labelled = (x - whole).abs() < 1e-6 && whole.rem_euclid(every) == 0.0;
            if labelled { (labels.power)(whole.exp2()) } else { String::new() }
        };
        let value = |&y: &f64| (labels.value)(y);
        let frame = Axes::new((labels.right, labels.up), &power, &value);
        let axes = Axes { most: (right as usize + 1, 6), room: 72, ..frame };
        let mut chart = axes.draw(area, -0.2..right + 0.2, 0.0..top)?;
        for Line { style, points, marked } in lines {
            chart.draw_series(LineSeries::new(points.iter().copied(), line(style)))?;
            if *marked {
                let circles = points.iter().map(|&point| Circle::new(point, px(3), style.color.filled()));
                chart.draw_series(circles)?;
            }
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_and_single_points_are_drawn() {
        let labels =
            Labels { right: "x", up: "y", power: |x| x.to_string(), value: |y| y.to_string(), top: None };
        let style = surefill_simulator::report::plot::other(0);
        for points in [vec![], vec![(0.0, 0.0)], vec![(3.0, 1e9)]] {
            let text = draw(&[Line { style, points: points.clone(), marked: true }], &labels);
            assert!(roxmltree::Document::parse(&text.wide).is_ok());
            assert_eq!(text.wide.matches("<circle").count(), points.len());
        }
    }
}
