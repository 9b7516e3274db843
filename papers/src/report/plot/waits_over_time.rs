//! Waits and bounds over time, both as points, on a logarithmic axis.

use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, SOLID, Style, px, seconds, svg};

const DAY: f64 = 86_400.0;

/// Labels of the axis of waits, in seconds.
const TICKS: [f64; 8] = [1.0, 10.0, 60.0, 600.0, 3600.0, 6.0 * 3600.0, DAY, 10.0 * DAY];

/// Draws waits and, before them, the bounds of every method: pairs of seconds.
pub fn draw(waits: &[(f64, f64)], bounds: &[(&Style, Vec<(f64, f64)>)]) -> Picture {
    let points = || waits.iter().chain(bounds.iter().flat_map(|(_, points)| points));
    let (from, to) =
        points().fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), p| (from.min(p.0), to.max(p.0)));
    let from = if from.is_finite() { from } else { 0.0 };
    let days = ((to - from) / DAY).max(1e-3);
    let top = points().map(|point| point.1).fold(100.0, f64::max) * 1.5;
    let place = |&(at, value): &(f64, f64)| ((at - from) / DAY, value.max(1.0));
    svg(800, 400, |area| {
        let ticks: Vec<f64> = TICKS.into_iter().filter(|tick| *tick <= top).collect();
        let wait = |&value: &f64| seconds(value);
        let axes = Axes { below: None, room: 72, ..Axes::new(("days", "wait"), &wait, &wait) };
        let mut chart = axes.draw(area, 0.0..days, (0.8..top).log_scale().with_key_points(ticks))?;
        for (style, points) in bounds {
            let dots = points.iter().map(|point| Circle::new(place(point), px(1), style.color.filled()));
            chart.draw_series(dots)?;
        }
        chart
            .draw_series(waits.iter().map(|point| Circle::new(place(point), px(1), SOLID.color.filled())))?;
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_a_point() {
        let waits = [(0.0, 0.0), (5.0 * DAY, 1e6)];
        let text = draw(&waits, &[(surefill_simulator::report::plot::other(0), vec![(0.0, 60.0)])]);
        assert!(roxmltree::Document::parse(&text.wide).is_ok());
        assert_eq!(text.wide.matches("<circle").count(), 3);
        assert!(draw(&[], &[]).wide.starts_with("<svg"));
    }
}
