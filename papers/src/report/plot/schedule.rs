//! Jobs as rectangles of processors over time.

use plotters::prelude::*;
use surefill_simulator::report::plot::{Drawn, GRID, INK, Picture, Style, font, line, px, svg};

/// A job.
pub struct Block<'a> {
    /// Its colour.
    pub style: &'a Style,
    /// Its label.
    pub label: &'static str,
    /// From when to when, in minutes.
    pub time: (f64, f64),
    /// Its lowest processor and the one above its highest.
    pub processors: (u32, u32),
}

/// Draws jobs on `procs` processors until `end`, in minutes.
pub fn draw(blocks: &[Block], procs: u32, end: f64) -> Picture {
    svg(500, 280, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(px(8))
            .margin_right(px(20))
            .x_label_area_size(px(44))
            .y_label_area_size(px(56))
            .build_cartesian_2d(0.0..end.max(1.0), 0.0..f64::from(procs))?;
        chart
            .configure_mesh()
            .x_desc("time [min]")
            .y_desc("processors")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .label_style(font(13.0))
            .axis_desc_style(font(13.0))
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .draw()?;
        for Block { style, label, time, processors } in blocks {
            let corners = [(time.0, f64::from(processors.0)), (time.1, f64::from(processors.1))];
            chart.draw_series([
                Rectangle::new(corners, style.color.mix(0.25).filled()),
                Rectangle::new(corners, line(style)),
            ])?;
            let middle = (
                time.0 + (time.1 - time.0) * 0.06,
                f64::from(processors.0) + f64::from(processors.1 - processors.0) * 0.6,
            );
            chart.draw_series([Text::new(*label, middle, font(13.0))])?;
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::report::plot::SOLID;

    #[test]
    fn a_job_is_a_rectangle() {
        let block = Block { style: SOLID, label: "1st", time: (0.0, 30.0), processors: (0, 100) };
        let drawn = draw(&[block], 128, 60.0);
        assert_eq!(drawn.wide.matches("1st").count(), 1);
        assert!(draw(&[], 128, 0.0).wide.starts_with("<svg"));
    }
}
