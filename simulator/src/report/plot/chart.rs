//! The frame that plots share: margins, titles and labels of the axes, the grid.

use super::{Area, GRID, INK, font, px};
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::error::Error;

/// Titles and labels of both axes.
pub struct Axes<'l> {
    /// Titles, below and on the left.
    pub titles: (&'l str, &'l str),
    /// Labels at values below, where they are not the backend's.
    pub below: Option<&'l dyn Fn(&f64) -> String>,
    /// Labels at values on the left.
    pub left: &'l dyn Fn(&f64) -> String,
    /// Labels of each axis at most.
    pub most: (usize, usize),
    /// Pixels of the margin on the right.
    pub margin: u32,
    /// Pixels for the labels on the left.
    pub room: u32,
    /// Whether there are grid lines.
    pub grid: bool,
}

/// The backend's own number of labels.
pub const MOST: usize = 11;

/// A chart that series are drawn on.
pub type Chart<'a, X, Y> = ChartContext<
    'a,
    SVGBackend<'a>,
    Cartesian2d<<X as AsRangedCoord>::CoordDescType, <Y as AsRangedCoord>::CoordDescType>,
>;

impl<'l> Axes<'l> {
    /// Axes with these titles and labels, a grid, and the usual margins.
    pub fn new(
        titles: (&'l str, &'l str),
        below: &'l dyn Fn(&f64) -> String,
        left: &'l dyn Fn(&f64) -> String,
    ) -> Axes<'l> {
        Axes { titles, below: Some(below), left, most: (MOST, MOST), margin: 20, room: 64, grid: true }
    }

    /// Draws the axes of these ranges.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn draw<'a, X, Y>(&self, area: &Area<'a>, x: X, y: Y) -> Result<Chart<'a, X, Y>, Box<dyn Error>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(area)
            .margin(px(8))
            .margin_right(px(self.margin))
            .x_label_area_size(px(44))
            .y_label_area_size(px(self.room))
            .build_cartesian_2d(x, y)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(self.titles.0).y_desc(self.titles.1).x_labels(self.most.0).y_labels(self.most.1);
        if let Some(below) = self.below {
            mesh.x_label_formatter(below);
        }
        mesh.y_label_formatter(self.left).label_style(font(13.0)).axis_desc_style(font(13.0)).axis_style(INK);
        if self.grid {
            mesh.bold_line_style(GRID).light_line_style(TRANSPARENT).draw()?;
        } else {
            mesh.disable_mesh().draw()?;
        }
        Ok(chart)
    }
}
