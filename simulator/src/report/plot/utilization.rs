//! The machine's use and the queue over time: one strip a policy, as lines on top of each other hide each other.

use super::{Drawn, GRID, INK, Picture, Style, font, line, plain, px, svg};
use crate::replay::outcome::{JobRecord, Outcome};
use plotters::prelude::*;

/// Averages over this number of parts of the span.
const PARTS: u32 = 200;

const STRIP: u32 = 92;

/// A policy's strip.
pub struct Strip<'a> {
    /// Its colour.
    pub style: &'a Style,
    /// Its name and whatever else stands above it.
    pub title: String,
    /// Its replay.
    pub outcome: &'a Outcome,
}

/// Quantity that is drawn over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The share of the processors in use.
    Processors,
    /// The number of waiting jobs.
    Queue,
}

/// Processor-seconds used, or seconds waited, in each of `parts` equal parts of the time from `first` to `last`.
pub fn used(jobs: &[JobRecord], over: Over, (first, last): (i64, i64), parts: u32) -> Vec<f64> {
    let width = (last - first) as f64 / f64::from(parts);
    let mut used = vec![0.0; parts as usize];
    for job in jobs {
        let (start, end, weight) = match over {
            Over::Processors => (job.start, job.end, f64::from(job.processors)),
            Over::Queue => (job.submit, job.start, 1.0),
        };
        let (start, end) = ((start - first) as f64, (end - first) as f64);
        let begin = (start / width) as usize;
        for (part, used) in used.iter_mut().enumerate().skip(begin) {
            let left = part as f64 * width;
            if left >= end {
                break;
            }
            // Rounding may put the start a trace after the part it was found in.
            let seconds = end.min(left + width) - start.max(left);
            *used += weight * seconds.max(0.0);
        }
    }
    used
}

/// The time from the first submission to the last end of all replays.
fn span(strips: &[Strip]) -> (i64, i64) {
    let jobs = || strips.iter().flat_map(|strip| &strip.outcome.jobs);
    let first = jobs().map(|job| job.submit).min().unwrap_or(0);
    let last = jobs().map(|job| job.end).max().unwrap_or(0);
    (first, last.max(first + 1))
}

/// Draws the strips.
pub fn draw(strips: &[Strip], over: Over) -> Picture {
    const AXIS: u32 = 44;
    let span = span(strips);
    let days = (span.1 - span.0) as f64 / 86_400.0;
    let width = days / f64::from(PARTS);
    let values: Vec<Vec<f64>> = strips
        .iter()
        .map(|strip| {
            let had = match over {
                Over::Processors => f64::from(strip.outcome.setup.procs),
                Over::Queue => 1.0,
            };
            let used = used(&strip.outcome.jobs, over, span, PARTS).into_iter();
            used.map(|used| used / (had * width * 86_400.0)).collect()
        })
        .collect();
    let top = match over {
        Over::Processors => 1.0,
        Over::Queue => values.iter().flatten().copied().fold(1.0, f64::max) * 1.05,
    };
    svg(800, strips.len() as u32 * STRIP + AXIS, |area| {
        let mut rest = area.clone();
        for (index, strip) in strips.iter().enumerate() {
            let last = index + 1 == strips.len();
            let axis = if last { AXIS } else { 0 };
            let (area, below) = rest.split_vertically(px(STRIP + axis));
            rest = below;
            area.draw(&Text::new(strip.title.clone(), (px(56) as i32, px(6) as i32), font(13.0)))?;
            let mut chart = ChartBuilder::on(&area)
                .margin_top(px(24))
                .margin_bottom(px(4))
                .margin_right(px(20))
                .x_label_area_size(px(axis))
                .y_label_area_size(px(56))
                .build_cartesian_2d(0.0..days, 0.0..top)?;
            chart
                .configure_mesh()
                .x_desc(if last { "days from the first submission" } else { "" })
                .x_labels(12)
                .x_label_formatter(&|&x| plain(x))
                .y_labels(3)
                .y_label_formatter(&|&y| match over {
                    Over::Processors => format!("{:.0} %", y * 100.0),
                    Over::Queue => plain(y),
                })
                .label_style(font(13.0))
                .axis_desc_style(font(13.0))
                .bold_line_style(GRID)
                .light_line_style(TRANSPARENT)
                .axis_style(INK)
                .draw()?;
            let steps: Vec<(f64, f64)> = values[index]
                .iter()
                .zip(0u32..)
                .flat_map(|(&value, part)| {
                    let left = f64::from(part) * width;
                    [(left, value), (left + width, value)]
                })
                .collect();
            let ground = [(days, 0.0), (0.0, 0.0)];
            let filled: Vec<(f64, f64)> = steps.iter().copied().chain(ground).collect();
            chart.draw_series([Polygon::new(filled, strip.style.color.mix(0.25))])?;
            chart.draw_series(LineSeries::new(steps, line(strip.style).stroke_width(1)))?;
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(start: i64, end: i64, processors: u32) -> JobRecord {
        JobRecord { number: 1, user: 1, submit: start, start, end, processors, limit: 1, backfill: None }
    }

    #[test]
    fn parts_by_hand() {
        // Four parts of 25 s; the second job covers the last half of the first part to the end of the third.
        let jobs = [job(0, 10, 2), job(12, 75, 1), job(100, 100, 5)];
        assert_eq!(used(&jobs, Over::Processors, (0, 100), 4), [33.0, 25.0, 25.0, 0.0]);
        // Both submitted at 0, one started at 30 and one at 55.
        let waiting = [(30, 90), (55, 60)].map(|(start, end)| JobRecord { submit: 0, ..job(start, end, 3) });
        assert_eq!(used(&waiting, Over::Queue, (0, 100), 4), [50.0, 30.0, 5.0, 0.0]);
    }

    #[test]
    fn parts_add_up_to_the_processor_seconds() {
        let jobs: Vec<JobRecord> = (0..500i64)
            .map(|i| job(1000 + i * 7 % 991, 1000 + i * 7 % 991 + i % 97, 1 + i as u32 % 5))
            .collect();
        let total: i64 = jobs.iter().map(|job| (job.end - job.start) * i64::from(job.processors)).sum();
        for parts in [1, 7, 200] {
            let sum: f64 = used(&jobs, Over::Processors, (1000, 2100), parts).iter().sum();
            assert!((sum - total as f64).abs() < 1e-6 * total as f64);
        }
    }
}
