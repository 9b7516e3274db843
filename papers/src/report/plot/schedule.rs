//! Jobs as rectangles of processors over time.

use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, Style, font, line, svg};

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
        let whole = |value: &f64| format!("{value:.0}");
        let axes = Axes { room: 56, ..Axes::new(("time [min]", "processors"), &whole, &whole) };
        let mut chart = axes.draw(area, 0.0..end.max(1.0), 0.0..f64::from(procs))?;
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
