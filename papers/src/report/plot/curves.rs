//! Lines over a linear or a logarithmic axis.

use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, REFERENCE, Style, line, plain, px, svg};

/// Axes and lines of a plot.
pub struct Plot<'a> {
    /// Title of the axis to the right.
    pub x: &'static str,
    /// Whether that is logarithmic; then only points above 0 are drawn.
    pub logarithmic: bool,
    /// Title of the axis upwards.
    pub y: &'static str,
    /// The lines; points far below 0 are left out.
    pub curves: Vec<(&'a Style, Vec<(f64, f64)>)>,
    /// Grey lines across.
    pub levels: Vec<f64>,
}

/// 1, 2 and 5 times the powers of ten within these ends; the powers alone where there is no room for more.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    const ROOM: i32 = 5;
    let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
    let digits = if powers.end() - powers.start() > ROOM { &[1.0][..] } else { &[1.0, 2.0, 5.0] };
    let all = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
    all.filter(|tick| (low..=high).contains(tick)).collect()
}

/// The ends of the values to be drawn: from a little below the lowest, but not much below 0, to a little above the
/// highest.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((0.0, 0.0f64), |(low, high), value| (f64::min(low, value), high.max(value)));
    let high = if high > 0.0 { high * 1.05 } else { 0.1 };
    (low.max(-0.5 * high), high)
}

/// Draws the lines.
pub fn draw(plot: &Plot) -> Picture {
    let all = || plot.curves.iter().flat_map(|(_, points)| points.iter().copied());
    let points = || all().filter(|point| !plot.logarithmic || point.0 > 0.0);
    let (low, high) = ends(points().map(|point| point.1).chain(plot.levels.iter().copied()));
    let (left, right) = points()
        .map(|point| point.0)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(left, right), x| (left.min(x), right.max(x)));
    let left = if left.is_finite() { left } else { 1.0 };
    let right = if right > left { right } else { left + 1.0 };
    svg(800, 400, |area| {
        let axes = Axes::new((plot.x, plot.y), &|&x| plain(x), &|&y| plain(y));
        let axes = Axes { room: 60, ..axes };
        /// The same for both kinds of axis, which are different types.
        macro_rules! draw {
            ($axis:expr) => {{
                let mut chart = axes.draw(area, $axis, low..high)?;
                for &level in &plot.levels {
                    let across = [(left, level), (right, level)];
                    chart.draw_series(LineSeries::new(across, REFERENCE.stroke_width(px(1))))?;
                }
                for (style, points) in &plot.curves {
                    let within =
                        points.iter().copied().filter(|&(x, y)| x >= left && (low..=high).contains(&y));
                    chart.draw_series(LineSeries::new(within, line(style)))?;
                }
            }};
        }
        if plot.logarithmic {
            draw!((left..right).log_scale().with_key_points(ticks(left, right)));
        } else {
            draw!(left..right);
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(0.3, 30.0), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(ticks(3.0, 2e6), [1e1, 1e2, 1e3, 1e4, 1e5, 1e6]);
    }

    #[test]
    fn the_axis_does_not_follow_what_is_far_below() {
        assert_eq!(ends([0.5, 1.0, -7.0].into_iter()), (-0.525, 1.05));
        assert_eq!(ends([0.5, 1.0, -0.25].into_iter()), (-0.25, 1.05));
        assert_eq!(ends([f64::NAN].into_iter()), (-0.0, 0.1));
    }

    #[test]
    fn nothing_to_draw_is_drawn() {
        for logarithmic in [true, false] {
            let plot = Plot { x: "", logarithmic, y: "", curves: Vec::new(), levels: Vec::new() };
            assert!(draw(&plot).wide.starts_with("<svg"));
        }
    }
}
