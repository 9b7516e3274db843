//! Jobs divided by one property: how long those of each value waited, and who starts earlier or later.

use super::{Measured, NOTICED_S, Pair, Period};
use crate::base::statistics::change;
use crate::trace::workload::Job;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most groups that are shown: those with the most processor time; the others are one.
const GROUPS: usize = 12;

/// Waits of some jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Waits {
    /// Arithmetic mean.
    pub mean_s: f64,
    /// Half of the jobs waited no longer.
    pub median_s: f64,
    /// 95 % of the jobs waited no longer.
    pub p95_s: f64,
    /// The longest.
    pub longest_s: f64,
}

/// Some of the jobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Which.
    pub name: String,
    /// Number of jobs.
    pub jobs: u64,
    /// Their use of the machine.
    pub processor_hours: f64,
    /// Recorded waits, of the jobs for which the history has one.
    pub recorded: Option<Waits>,
    /// Under the one policy.
    pub before: Waits,
    /// Under the other.
    pub after: Waits,
    /// Under the site's own rule by limits with ageing, where that is replayed.
    pub ageing: Option<Waits>,
    /// The share that starts at least a minute earlier under the other.
    pub earlier: f64,
    /// The share that starts at least a minute later.
    pub later: f64,
}

impl Row {
    /// The mean wait under the other policy over that under the one, less 1; `None` where that is below a minute.
    pub fn change(&self) -> Option<f64> {
        change(self.after.mean_s, self.before.mean_s)
    }
}

/// All jobs, divided by one property.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// By what.
    pub by: &'static str,
    /// Its values.
    pub rows: Vec<Row>,
}

/// Classes by their upper ends, which belong to them.
type Classes = [(i64, &'static str)];

pub(in crate::live) const WIDTHS: [(i64, &str); 7] = [
    (1, "1 processor"),
    (4, "2 to 4"),
    (16, "5 to 16"),
    (64, "17 to 64"),
    (256, "65 to 256"),
    (1024, "257 to 1,024"),
    (i64::MAX, "more than 1,024"),
];

pub(super) const LENGTHS: [(i64, &str); 6] = [
    (59, "under a minute"),
    (599, "1 to 10 min"),
    (3599, "10 min to 1 h"),
    (4 * 3600 - 1, "1 to 4 h"),
    (86_399, "4 to 24 h"),
    (i64::MAX, "a day and more"),
];

pub(in crate::live) fn class(value: i64, classes: &Classes) -> i64 {
    classes.partition_point(|class| class.0 < value) as i64
}

/// The jobs of the period with one value of a property.
#[derive(Default)]
struct Found {
    jobs: u64,
    processor_seconds: f64,
    recorded: Vec<i64>,
    /// With every seed.
    before: Vec<Vec<i64>>,
    after: Vec<Vec<i64>>,
    ageing: Vec<Vec<i64>>,
    earlier: u64,
    later: u64,
}

/// A row for every value of a property, in their order.
pub(super) fn rows(
    pairs: &[Pair],
    period: &Period,
    of: &dyn Fn(&Job) -> Option<i64>,
    name: &dyn Fn(i64) -> String,
) -> Vec<(i64, Row)> {
    let mut found: BTreeMap<i64, Found> = BTreeMap::new();
    for (seed, pair) in pairs.iter().enumerate() {
        for Measured { job, before, after, ageing, .. } in pair.measured(period) {
            let Some(value) = of(job) else { continue };
            let found = found.entry(value).or_default();
            if seed == 0 {
                found.jobs += 1;
                found.processor_seconds += f64::from(job.processors) * job.run_time as f64;
                found.recorded.extend((job.wait >= 0).then_some(job.wait));
            }
            found.before.resize_with(pairs.len(), Vec::new);
            found.after.resize_with(pairs.len(), Vec::new);
            found.ageing.resize_with(pairs.len(), Vec::new);
            if let (Some(old), Some(new)) = (found.before.get_mut(seed), found.after.get_mut(seed)) {
                old.push(before.start - before.submit);
                new.push(after.start - after.submit);
            }
            if let Some((waits, ageing)) = found.ageing.get_mut(seed).zip(ageing) {
                waits.push(ageing.start - ageing.submit);
            }
            found.earlier += u64::from(before.start - after.start >= NOTICED_S);
            found.later += u64::from(after.start - before.start >= NOTICED_S);
        }
    }
    let row = |(value, found): (i64, Found)| {
        let judged = found.before.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let row = Row {
            name: name(value),
            jobs: found.jobs,
            processor_hours: found.processor_seconds / 3600.0,
            recorded: waits(vec![found.recorded]),
            before: waits(found.before).unwrap_or_default(),
            after: waits(found.after).unwrap_or_default(),
            ageing: waits(found.ageing),
            earlier: found.earlier as f64 / judged,
            later: found.later as f64 / judged,
        };
        (value, row)
    };
    found.into_iter().map(row).collect()
}

/// The means of the measures over the seeds that have jobs; `None` without any.
fn waits(seeds: Vec<Vec<i64>>) -> Option<Waits> {
    let mut sum = Waits::default();
    let mut count = 0.0;
    for mut waits in seeds.into_iter().filter(|waits| !waits.is_empty()) {
        waits.sort_unstable();
        let rank = |share: f64| {
            let rank = (share * waits.len() as f64).ceil() as usize;
            waits.get(rank.max(1) - 1).map_or(0.0, |&wait| wait as f64)
        };
        sum.mean_s += waits.iter().map(|&wait| wait as f64).sum::<f64>() / waits.len() as f64;
        sum.median_s += rank(0.5);
        sum.p95_s += rank(0.95);
        sum.longest_s += rank(1.0);
        count += 1.0;
    }
    (count > 0.0).then(|| Waits {
        mean_s: sum.mean_s / count,
        median_s: sum.median_s / count,
        p95_s: sum.p95_s / count,
        longest_s: sum.longest_s / count,
    })
}

/// The rows with the most processor time, and the others as one.
pub(super) fn largest(
    mut rows: Vec<(i64, Row)>,
    pairs: &[Pair],
    period: &Period,
    of: impl Fn(&Job) -> i64,
) -> Vec<Row> {
    rows.sort_by(|a, b| b.1.processor_hours.total_cmp(&a.1.processor_hours));
    if rows.len() > GROUPS + 1 {
        let others = rows.split_off(GROUPS);
        let shown: Vec<i64> = rows.iter().map(|row| row.0).collect();
        let name = format!("{} others", others.len());
        let rest =
            self::rows(pairs, period, &|job| (!shown.contains(&of(job))).then_some(0), &|_| name.clone());
        rows.extend(rest);
    }
    rows.into_iter().map(|row| row.1).collect()
}
