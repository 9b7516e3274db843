//! Figure 2 of Nissimov & Feitelson 2007: the distribution of waits on a logarithmic axis, one line a policy.

use super::chart::Axes;
use super::{Drawn, Picture, Style, line, seconds, svg};
use crate::replay::outcome::JobRecord;
use plotters::prelude::*;

/// The paper's axis; it grows when jobs wait longer.
const LONGEST: f64 = 2.5e6;

/// Points a factor of ten: the axis has no room for more.
const POINTS: f64 = 80.0;

const TICKS: [f64; 10] =
    [1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0, 86_400.0, 864_000.0, 8_640_000.0, 86_400_000.0];

/// The share of jobs that waited no longer than x, at log-spaced x from 1 s to `longest`.
pub fn curve(jobs: &[JobRecord], longest: f64) -> Vec<(f64, f64)> {
    let mut waits: Vec<i64> = jobs.iter().map(|job| job.start - job.submit).collect();
    waits.sort_unstable();
    let steps = (longest.log10() * POINTS).ceil();
    let at = |step: u32| {
        let x = longest.powf(f64::from(step) / steps);
        let count = waits.partition_point(|&wait| wait as f64 <= x);
        (x, count as f64 / waits.len().max(1) as f64)
    };
    (0..=steps as u32).map(at).collect()
}

/// Draws the curves.
pub fn draw(series: &[(&Style, &[JobRecord])]) -> Picture {
    let waits = series.iter().flat_map(|(_, jobs)| jobs.iter()).map(|job| job.start - job.submit);
    let longest = waits.max().map_or(LONGEST, |wait| (wait as f64).max(LONGEST));
    let curves: Vec<_> = series.iter().map(|(style, jobs)| (style, curve(jobs, longest))).collect();
    // Most jobs do not wait at all: nothing is to be seen below their share.
    let lowest =
        curves.iter().filter_map(|(_, curve)| curve.first()).fold(1.0, |low: f64, point| low.min(point.1));
    let bottom = ((lowest - 0.02).max(0.0) * 10.0).floor() / 10.0;
    svg(800, 400, |area| {
        let ticks = TICKS.into_iter().filter(|&tick| tick <= longest).collect();
        let share = |y: &f64| format!("{:.0}", y * 100.0);
        let axes = Axes::new(("wait (logarithmic)", "share of jobs [%]"), &|&x| seconds(x), &share);
        let axes = Axes { room: 56, ..axes };
        let mut chart = axes.draw(area, (1.0..longest).log_scale().with_key_points(ticks), bottom..1.0)?;
        for (style, curve) in &curves {
            chart.draw_series(LineSeries::new(curve.iter().copied(), line(style)))?;
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_by_hand() {
        let job = |wait: i64| JobRecord {
            number: 1,
            user: 1,
            submit: 1000,
            start: 1000 + wait,
            end: 5000,
            processors: 1,
            limit: 1,
            backfill: None,
        };
        let jobs = [0, 1, 10, 100, 5000].map(job);
        let curve = curve(&jobs, 10_000.0);
        assert_eq!(curve.len(), 321);
        let at = |x: f64| curve.iter().rev().find(|point| point.0 <= x * 1.000_001).map(|point| point.1);
        assert_eq!([1.0, 9.0, 10.0, 99.0, 1000.0].map(at), [0.4, 0.4, 0.6, 0.6, 0.8].map(Some));
        assert_eq!(curve.last().map(|point| point.1), Some(1.0));
        assert!(curve.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
    }
}
