//! Waits of a queue's last jobs, in groups of the same size: the median, the wait that all but one of twenty kept, and
//! the reported bound. A point a job would be a cloud.

use super::chart::Axes;
use super::{Drawn, Picture, Style, line, px, seconds, svg};
use crate::base::statistics::quantile;
use plotters::prelude::*;

const DAY: f64 = 86_400.0;
const TICKS: [f64; 8] = [1.0, 10.0, 60.0, 600.0, 3600.0, 6.0 * 3600.0, DAY, 10.0 * DAY];

/// The most groups, and the fewest jobs of one.
const GROUPS: usize = 24;
const FEWEST: usize = 20;

/// One job that has started: its submission, its wait, and its reported bound, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Wait {
    /// When it was submitted.
    pub submit: f64,
    /// Its wait.
    pub wait: f64,
    /// The bound on its wait; none where none was reported.
    pub bound: Option<f64>,
}

/// One group.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Group {
    /// The middle of its submissions.
    at: f64,
    median: f64,
    /// The .95 quantile.
    long: f64,
    /// The median of the reported bounds.
    bound: Option<f64>,
}

fn groups(waits: &[Wait]) -> Vec<Group> {
    let size = waits.len().div_ceil(GROUPS).max(FEWEST);
    let group = |jobs: &[Wait]| {
        let sorted = |values: &mut dyn Iterator<Item = f64>| {
            let mut values: Vec<f64> = values.collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let all = sorted(&mut jobs.iter().map(|job| job.wait));
        let bounds = sorted(&mut jobs.iter().filter_map(|job| job.bound));
        let at = sorted(&mut jobs.iter().map(|job| job.submit));
        Group {
            at: quantile(&at, 0.5).unwrap_or(0.0),
            median: quantile(&all, 0.5).unwrap_or(0.0),
            long: quantile(&all, 0.95).unwrap_or(0.0),
            bound: quantile(&bounds, 0.5),
        }
    };
    waits.chunks(size).map(group).collect()
}

/// Draws the groups of jobs, which come in the order of their submission, up to the present: medians, long waits and
/// bounds in these styles.
pub fn draw(waits: &[Wait], now: f64, [median, long, bound]: [&Style; 3]) -> Picture {
    let groups = groups(waits);
    let days = |at: f64| (at - now) / DAY;
    let from = groups.first().map_or(-1.0, |group| days(group.at)).min(-1e-3);
    let top =
        groups.iter().flat_map(|group| [Some(group.long), group.bound]).flatten().fold(100.0, f64::max) * 1.5;
    svg(800, 300, |area| {
        let ticks: Vec<f64> = TICKS.into_iter().filter(|tick| *tick <= top).collect();
        let (days_ago, wait) = (|&x: &f64| super::plain(-x), |&value: &f64| seconds(value));
        let axes = Axes::new(("days before the present", "wait"), &days_ago, &wait);
        let axes = Axes { room: 72, ..axes };
        let mut chart = axes.draw(area, from * 1.02..0.0, (0.8..top).log_scale().with_key_points(ticks))?;
        let series: [(&Style, Vec<(f64, f64)>); 3] = [
            (
                bound,
                groups.iter().filter_map(|group| Some((days(group.at), group.bound?.max(1.0)))).collect(),
            ),
            (long, groups.iter().map(|group| (days(group.at), group.long.max(1.0))).collect()),
            (median, groups.iter().map(|group| (days(group.at), group.median.max(1.0))).collect()),
        ];
        for (style, points) in series {
            let marks = points.iter().map(|&point| Circle::new(point, px(3), style.color.filled()));
            chart.draw_series(marks)?;
            chart.draw_series(LineSeries::new(points, line(style)))?;
        }
        Drawn::Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::{SOLID, other};
    use super::*;

    #[test]
    fn groups_are_quantiles() {
        let waits: Vec<Wait> = (0..480)
            .map(|job| Wait {
                submit: f64::from(job),
                wait: f64::from(job % 20),
                bound: (job >= 20).then_some(30.0),
            })
            .collect();
        let groups = groups(&waits);
        assert_eq!(groups.len(), 24);
        assert_eq!(groups[0], Group { at: 9.0, median: 9.0, long: 18.0, bound: None });
        assert_eq!(groups[1], Group { at: 29.0, median: 9.0, long: 18.0, bound: Some(30.0) });
    }

    #[test]
    fn nothing_and_few_jobs_are_drawn() {
        let job = Wait { submit: 0.0, wait: 0.0, bound: None };
        for waits in [vec![], vec![job], vec![job; 30]] {
            let text = draw(&waits, 100.0, [SOLID, other(0), other(1)]);
            assert!(roxmltree::Document::parse(&text.wide).is_ok());
        }
    }
}
