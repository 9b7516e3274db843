//! A value over two dimensions of any scale as colours, the lighter the higher; and over one as a line.

use super::axis::Axis;
use plotters::prelude::*;
use surefill_simulator::report::plot::chart::{Axes, MOST};
use surefill_simulator::report::plot::{Drawn, INK, Picture, Style, line, plain, px, svg};

/// Marks keep their colours on dark pages: the cells do too.
const MARK: RGBColor = RGBColor(16, 16, 16);
const HALO: RGBColor = RGBColor(250, 250, 250);
/// Number of distinct shades; neighbours of one shade are drawn as one.
const SHADES: usize = 64;

/// The colour map "viridis" at equal distances: even in lightness, and for the colour-blind as well.
const VIRIDIS: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 45.0, 123.0],
    [59.0, 82.0, 139.0],
    [44.0, 114.0, 142.0],
    [33.0, 145.0, 140.0],
    [40.0, 174.0, 128.0],
    [94.0, 201.0, 98.0],
    [173.0, 220.0, 48.0],
    [253.0, 231.0, 37.0],
];

/// Sign on a point of the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A ring: the best.
    Ring,
    /// A cross: that of another study.
    Cross,
}

/// A value of the map.
pub struct Map<'a> {
    /// To the right.
    pub x: &'a Axis,
    /// Up.
    pub y: &'a Axis,
    /// Values on `x`, rising.
    pub columns: &'a [f64],
    /// Values on `y`, rising.
    pub rows: &'a [f64],
    /// The value at a column and a row, by their indexes, where it is known.
    pub value: &'a dyn Fn(usize, usize) -> Option<f64>,
    /// The value of the lightest colour; the darkest is 0, and everything below.
    pub highest: f64,
    /// Points marked, by values on both.
    pub marks: &'a [(f64, f64, Mark)],
}

fn shade(value: f64, highest: f64) -> usize {
    let part = if highest > 0.0 { value / highest } else { 0.0 };
    (part.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize
}

fn color(shade: usize) -> RGBColor {
    let place = shade as f64 / (SHADES - 1) as f64 * (VIRIDIS.len() - 1) as f64;
    let index = (place as usize).min(VIRIDIS.len() - 2);
    let part = place - index as f64;
    let [r, g, b] =
        std::array::from_fn(|i| (VIRIDIS[index][i] * (1.0 - part) + VIRIDIS[index + 1][i] * part).round());
    RGBColor(r as u8, g as u8, b as u8)
}

/// Edges between values, half-way, and as far beyond the first and the last.
fn edges(values: &[f64], axis: &Axis) -> Vec<f64> {
    let places: Vec<f64> = values.iter().map(|&value| (axis.place)(value)).collect();
    let between = places.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
    let beyond = |end: Option<&f64>, next: Option<f64>, other: f64| match (end, next) {
        (Some(&end), Some(next)) => end + (end - next) / 2.0,
        (Some(&end), None) => end + other,
        (None, _) => other,
    };
    let first = beyond(places.first(), places.get(1).copied(), -0.5);
    let last = beyond(places.last(), places.iter().rev().nth(1).copied(), 0.5);
    [first].into_iter().chain(between).chain([last]).collect()
}

/// Draws the map. It must have a column and a row.
pub fn draw(map: &Map) -> Picture {
    let (xs, ys) = (edges(map.columns, map.x), edges(map.rows, map.y));
    let ((left, right), (bottom, top)) = ((xs[0], xs[xs.len() - 1]), (ys[0], ys[ys.len() - 1]));
    let (x, y) = (map.x.part(left, right), map.y.part(bottom, top));
    let mut cells = Vec::new();
    for (row, ys) in ys.windows(2).enumerate() {
        let shades: Vec<Option<usize>> = (0..map.columns.len())
            .map(|column| (map.value)(column, row).map(|value| shade(value, map.highest)))
            .collect();
        let mut column = 0;
        for same in shades.chunk_by(|a, b| a == b) {
            let end = column + same.len();
            if let Some(Some(shade)) = same.first() {
                cells.push((*shade, [(xs[column], ys[0]), (xs[end], ys[1])]));
            }
            column = end;
        }
    }
    cells.sort_by_key(|cell| cell.0);
    svg(800, 400, |area| {
        let (below, beside) = (|place: &f64| x.label(*place), |place: &f64| y.label(*place));
        let axes = Axes { grid: false, ..Axes::new((map.x.title, map.y.title), &below, &beside) };
        let mut chart = axes.draw(area, x.clone(), y.clone())?;
        // Shade by shade, as rectangles of one look in a row are one path.
        for (shade, corners) in &cells {
            chart.draw_series([Rectangle::new(*corners, color(*shade).filled())])?;
        }
        for &(x, y, mark) in map.marks {
            let place = ((map.x.place)(x), (map.y.place)(y));
            for (color, width) in [(HALO, px(4)), (MARK, px(2))] {
                let stroke = color.stroke_width(width);
                match mark {
                    Mark::Ring => chart.draw_series([Circle::new(place, px(6), stroke)])?,
                    Mark::Cross => chart.draw_series([Cross::new(place, px(5), stroke)])?,
                };
            }
        }
        Drawn::Ok(())
    })
}

/// Draws one line of values over a dimension, from 0 up. It must have a point.
pub fn draw_line(
    x: &Axis,
    title: &str,
    points: &[(f64, f64)],
    style: &Style,
    marks: &[(f64, f64, Mark)],
) -> Picture {
    let places: Vec<(f64, f64)> = points.iter().map(|&(value, y)| ((x.place)(value), y)).collect();
    let left = places.iter().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let right = places.iter().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
    let (left, right) = if left < right { (left, right) } else { (left - 0.5, left + 0.5) };
    let values = || places.iter().map(|point| point.1).chain(marks.iter().map(|mark| mark.1));
    let (bottom, top) = (values().fold(0.0, f64::min), values().fold(0.001, f64::max) * 1.08);
    let part = x.part(left, right);
    svg(800, 300, |area| {
        let (below, value) = (|place: &f64| part.label(*place), |&value: &f64| plain(value));
        let axes = Axes { most: (MOST, 6), ..Axes::new((x.title, title), &below, &value) };
        let mut chart = axes.draw(area, part.clone(), bottom..top)?;
        chart.draw_series(LineSeries::new(places.iter().copied(), line(style)))?;
        for &(value, y, mark) in marks {
            let (place, stroke) = (((x.place)(value), y), INK.stroke_width(px(2)));
            match mark {
                Mark::Ring => chart.draw_series([Circle::new(place, px(6), stroke)])?,
                Mark::Cross => chart.draw_series([Cross::new(place, px(5), stroke)])?,
            };
        }
        Drawn::Ok(())
    })
}

/// A sample of a mark, for legends: on a line plot in the page's ink, on a map in the marks' own.
pub fn mark_sample(mark: Mark, on_map: bool) -> String {
    let shape = |color: &str, width: u32| match mark {
        Mark::Ring => format!(
            "<circle fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" cx=\"7\" cy=\"5\" r=\"4\"/>"
        ),
        Mark::Cross => {
            format!("<path stroke=\"{color}\" stroke-width=\"{width}\" d=\"M3,1 L11,9 M11,1 L3,9\"/>")
        }
    };
    let shapes = if on_map {
        let field = surefill_simulator::report::plot::hex(color(SHADES - 1));
        format!(
            "<rect width=\"14\" height=\"10\" fill=\"{field}\"/>{}",
            shape(&surefill_simulator::report::plot::hex(MARK), 2)
        )
    } else {
        shape("#000000", 2)
    };
    surefill_simulator::report::plot::sample(14, &shapes)
}

/// The colours from 0 to the highest, for legends.
pub fn scale_sample() -> String {
    const STEPS: usize = 32;
    let field = |step: usize| {
        let color = surefill_simulator::report::plot::hex(color(step * (SHADES - 1) / (STEPS - 1)));
        // One unit wider than its place: no seams.
        format!("<rect x=\"{}\" width=\"6\" height=\"10\" fill=\"{color}\"/>", step * 5)
    };
    surefill_simulator::report::plot::sample(STEPS as u32 * 5, &(0..STEPS).map(field).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_begin_and_end_with_the_map() {
        assert_eq!(color(0), RGBColor(68, 1, 84));
        assert_eq!(color(SHADES - 1), RGBColor(253, 231, 37));
        assert_eq!([-1.0, 0.0, 0.5, 1.0, 2.0].map(|v| shade(v, 1.0)), [0, 0, 32, 63, 63]);
        assert_eq!(shade(0.0, 0.0), 0);
    }

    #[test]
    fn edges_are_half_way() {
        let axis = Axis { title: "", place: |value| value, ticks: &[], label: |_| String::new() };
        assert_eq!(edges(&[1.0, 2.0, 4.0], &axis), [0.5, 1.5, 3.0, 5.0]);
        assert_eq!(edges(&[3.0], &axis), [2.5, 3.5]);
    }
}
