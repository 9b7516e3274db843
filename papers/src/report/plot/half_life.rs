//! The distribution of half-lives over users, from 0 at the left edge to never at the right one.

use super::axis::Axis;
use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, REFERENCE, Style, line, px, svg};

/// Draws cumulative shares: (half-life, share up to it) in order of half-life, for every series; and one half-life that
/// all have in common, as a grey line. `low` and `high` are the ends of the axis: everything beyond is drawn there.
pub fn draw(x: &Axis, (low, high): (f64, f64), series: &[(&Style, Vec<(f64, f64)>)], common: f64) -> Picture {
    let place = |half_life: f64| (x.place)(half_life.clamp(low, high));
    let (left, right) = (place(low), place(high));
    let part = x.part(left, right);
    svg(800, 360, |area| {
        let below = |place: &f64| part.label(*place);
        let left_labels = |y: &f64| format!("{:.0}", y * 100.0);
        let axes = Axes { margin: 28, room: 56, ..Axes::new((x.title, "share [%]"), &below, &left_labels) };
        let mut chart = axes.draw(area, part.clone(), 0.0..1.0)?;
        let at = place(common);
        chart.draw_series(LineSeries::new([(at, 0.0), (at, 1.0)], REFERENCE.stroke_width(px(2))))?;
        for (style, shares) in series {
            let mut steps = vec![(left, 0.0)];
            for &(half_life, share) in shares {
                let before = steps.last().map_or(0.0, |step| step.1);
                steps.extend([(place(half_life), before), (place(half_life), share)]);
            }
            steps.push((right, 1.0));
            chart.draw_series(LineSeries::new(steps, line(style)))?;
        }
        Drawn::Ok(())
    })
}

/// A sample of the grey line, for legends.
pub fn common_sample() -> String {
    let color = surefill_simulator::report::plot::hex(REFERENCE);
    surefill_simulator::report::plot::sample(
        10,
        &format!("<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"5,0 5,10\"/>"),
    )
}
