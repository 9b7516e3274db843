//! Shares of bounds that hold, class by class: one line a predictor, and the share that was promised.

use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, SOLID, Style, line, px, svg};

/// Draws the lines over classes numbered from 1; `promised` is drawn across.
pub fn draw(series: &[(&Style, Vec<(f64, f64)>)], across: &str, promised: f64) -> Picture {
    let points = || series.iter().flat_map(|(_, points)| points);
    let right = points().map(|point| point.0).fold(1.0, f64::max);
    let low = points().map(|point| point.1).fold(promised, f64::min);
    let low = ((low - 0.02).max(0.0) * 20.0).floor() / 20.0;
    svg(800, 300, |area| {
        let axes = Axes::new((across, "share that holds"), &|x| format!("{x:.0}"), &|y| format!("{y:.2}"));
        let axes = Axes { room: 72, ..axes };
        let mut chart = axes.draw(area, 0.5..right + 0.5, low..1.0)?;
        chart.draw_series(LineSeries::new([(0.5, promised), (right + 0.5, promised)], SOLID.color))?;
        for (style, points) in series {
            chart.draw_series(LineSeries::new(points.iter().copied(), line(style)))?;
            chart.draw_series(points.iter().map(|point| Circle::new(*point, px(2), style.color.filled())))?;
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_a_point() {
        let points = vec![(1.0, 0.9), (2.0, 0.99), (4.0, 0.31)];
        let text = draw(&[(surefill_simulator::report::plot::other(0), points)], "fifths", 0.95);
        assert!(roxmltree::Document::parse(&text.wide).is_ok());
        assert_eq!(text.wide.matches("<circle").count(), 3);
        assert!(draw(&[], "none", 0.95).wide.starts_with("<svg"));
    }
}
