//! Points over two logarithmic axes of seconds, with the diagonal and lines.

use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, REFERENCE, Style, line, px, seconds, svg};

const TICKS: [f64; 8] = [1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0, 86_400.0, 864_000.0];

/// Axes, points and lines of a plot.
pub struct Scatter<'a> {
    /// Title of the axis to the right.
    pub x: &'static str,
    /// Title of the axis upwards.
    pub y: &'static str,
    /// Colour of the points.
    pub style: &'a Style,
    /// The points, in seconds; below one they are drawn at one.
    pub points: Vec<(f64, f64)>,
    /// Lines over them.
    pub lines: Vec<(&'a Style, Vec<(f64, f64)>)>,
}

/// Draws the points.
pub fn draw(scatter: &Scatter) -> Picture {
    let all = scatter.points.iter().chain(scatter.lines.iter().flat_map(|(_, points)| points));
    let largest = all.flat_map(|&(x, y)| [x, y]).filter(|value| value.is_finite()).fold(10.0, f64::max);
    let end = largest * 1.2;
    let place = |&(x, y): &(f64, f64)| (x.clamp(1.0, end), y.clamp(1.0, end));
    svg(800, 500, |area| {
        let ticks = || TICKS.into_iter().filter(|&tick| tick <= end).collect::<Vec<f64>>();
        let axis = || (1.0..end).log_scale().with_key_points(ticks());
        let label = |&value: &f64| seconds(value);
        let axes = Axes::new((scatter.x, scatter.y), &label, &label);
        let mut chart = axes.draw(area, axis(), axis())?;
        let color = scatter.style.color.mix(0.6).filled();
        chart.draw_series(scatter.points.iter().map(|point| Circle::new(place(point), px(1), color)))?;
        chart.draw_series(LineSeries::new([(1.0, 1.0), (end, end)], REFERENCE.stroke_width(px(1))))?;
        for (style, points) in &scatter.lines {
            chart.draw_series(LineSeries::new(points.iter().map(place), line(style).stroke_width(px(2))))?;
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::report::plot::SOLID;

    #[test]
    fn nothing_and_much_are_drawn() {
        for points in [vec![], vec![(0.0, 5.0), (1e7, 2.0), (f64::INFINITY, 3.0)]] {
            let circles = points.len();
            let drawn = draw(&Scatter { x: "", y: "", style: SOLID, points, lines: vec![(SOLID, vec![])] });
            assert_eq!(drawn.wide.matches("<circle").count(), circles);
        }
    }
}
