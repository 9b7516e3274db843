//! Points of gain against what it costs.

use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, REFERENCE, Style, plain, px, svg};

/// Draws series of (gain in per cent, a measure of long waits over EASY's), with the measure's name beside the axis; a
/// line marks EASY's own.
pub fn draw(series: &[(&Style, Vec<(f64, f64)>)], measured: &str) -> Picture {
    let all = || series.iter().flat_map(|(_, points)| points).filter(|(x, y)| x.is_finite() && y.is_finite());
    let (left, right) = all().fold((0.0f64, 10.0f64), |(low, high), (x, _)| (low.min(*x), high.max(*x)));
    let (bottom, top) = all().fold((0.9f64, 1.2f64), |(low, high), (_, y)| (low.min(*y), high.max(*y)));
    svg(800, 500, |area| {
        let axes = Axes::new(("gain [%]", measured), &|&x| plain(x), &|&y| plain(y));
        let mut chart = axes.draw(area, left..right * 1.05, bottom * 0.97..top * 1.03)?;
        let easy = [(left, 1.0), (right * 1.05, 1.0)];
        chart.draw_series(LineSeries::new(easy, REFERENCE.stroke_width(px(1))))?;
        for (style, points) in series {
            let finite = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            chart.draw_series(finite.map(|point| Circle::new(*point, px(3), style.color.filled())))?;
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::report::plot::SOLID;

    #[test]
    fn every_finite_point_is_drawn() {
        for (points, drawn) in [(vec![], 0), (vec![(30.0, 1.1), (-5.0, 2.0), (f64::NAN, 1.0)], 2)] {
            assert_eq!(
                draw(&[(SOLID, points)], "longest wait over EASY's").wide.matches("<circle").count(),
                drawn
            );
        }
    }
}
