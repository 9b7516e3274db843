//! Predicted against observed delay of the accepted backfills: on the diagonal, predictions come true.

use super::super::wilson;
use super::chart::Axes;
use super::{Drawn, Picture, REFERENCE, Style, line, plain, px, svg};
use crate::replay::calibration::Bin;
use crate::replay::policy::Criterion;
use plotters::prelude::*;

/// Titles and scale by criterion. Both axes have the same scale.
struct Scale {
    predicted: &'static str,
    observed: &'static str,
    /// From a delay to its place on an axis.
    place: fn(f64) -> f64,
    /// Label at a place.
    label: fn(f64) -> String,
    /// At least so long, to be an axis at all.
    least: f64,
}

fn axes(criterion: Criterion) -> Scale {
    let percent = |place: f64| plain(place * 100.0);
    match criterion {
        Criterion::Probability => Scale {
            predicted: "mean predicted probability of a delay [%]",
            observed: "share that were delayed [%]",
            place: |delay| delay,
            label: percent,
            least: 0.001,
        },
        Criterion::Seconds | Criterion::Relative => Scale {
            predicted: "mean predicted delay [s]",
            observed: "mean observed delay [s]",
            // Delays below a second are drawn at one.
            place: |delay| delay.max(1.0).log10(),
            label: |place| {
                if place.fract() == 0.0 { format!("{:.0}", 10.0f64.powf(place)) } else { String::new() }
            },
            least: 1.0,
        },
    }
}

/// Interval of a bin's observed value: shares have a 95 % interval, means do not.
pub fn bounds(bin: &Bin, criterion: Criterion) -> Option<(f64, f64)> {
    (criterion == Criterion::Probability).then(|| wilson::interval(bin.observed, bin.count))
}

/// Draws the bins of policies that predicted by the same criterion.
pub fn draw(series: &[(&Style, &[Bin])], criterion: Criterion) -> Picture {
    let Scale { predicted, observed, place, label, least } = axes(criterion);
    let highest = |bin: &Bin| bounds(bin, criterion).map_or(bin.observed, |(_, high)| high);
    let longest = |value: &dyn Fn(&Bin) -> f64| {
        let bins = series.iter().flat_map(|(_, bins)| bins.iter());
        bins.map(|bin| place(value(bin))).fold(least, f64::max) * 1.08
    };
    let (right, top) = (longest(&|bin| bin.predicted), longest(&highest));
    svg(800, 400, |area| {
        let label = |&place: &f64| label(place);
        let axes = Axes { most: (8, 6), ..Axes::new((predicted, observed), &label, &label) };
        let mut chart = axes.draw(area, 0.0..right, 0.0..top)?;
        let end = right.min(top);
        chart.draw_series(LineSeries::new([(0.0, 0.0), (end, end)], REFERENCE.stroke_width(2)))?;
        for (style, bins) in series {
            let interval = |bin: &Bin| {
                let (low, high) = bounds(bin, criterion)?;
                let x = place(bin.predicted);
                Some(PathElement::new([(x, place(low)), (x, place(high))], line(style)))
            };
            chart.draw_series(bins.iter().filter_map(interval))?;
            let points = bins.iter().map(|bin| (place(bin.predicted), place(bin.observed)));
            chart.draw_series(points.map(|point| Circle::new(point, px(4), style.color.filled())))?;
        }
        Drawn::Ok(())
    })
}
