//! Coverage by class: whether bounds hold for those who ask, and not only on average over all jobs.
//!
//! Classes are made afterwards, from the jobs judged: the widest, those with the longest requests, months of 30 days,
//! and users. Jobs as wide as the narrowest of the widest 5 % are among them, and so are those with as long a request.

use super::simulate::Outcome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use surefill::wait::WaitAnswer;
use surefill_simulator::base::statistics::upper_quantile;
use surefill_simulator::live::queues::WaitJob;

/// Months and users with fewer bounds are not compared: chance alone makes their shares differ.
pub const FEWEST_A_MONTH: u64 = 100;
/// The same for users.
pub const FEWEST_A_USER: u64 = 200;
/// Bounds of a block; see [`Classes::worst_block`].
const BLOCK: usize = 300;

const MONTH: i64 = 30 * 86_400;

/// Bounds of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Bounds given.
    pub judged: u64,
    /// Bounds that held.
    pub correct: u64,
}

impl Held {
    pub(super) fn add(&mut self, correct: bool) {
        self.judged += 1;
        self.correct += u64::from(correct);
    }

    /// The share that held; none without bounds.
    pub fn share(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.correct as f64 / self.judged as f64)
    }
}

/// Coverage by class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Classes {
    /// The widest 5 % of the jobs.
    pub widest_5: Held,
    /// The widest 1 %.
    pub widest_1: Held,
    /// The quarter with the longest requests.
    pub longest: Held,
    /// By width, in fifths from the narrowest: each job in the fifth that its rank falls in, equal ones together.
    pub by_width: Vec<Held>,
    /// By requested time, in fifths.
    pub by_request: Vec<Held>,
    /// By month of 30 days, from the first job judged.
    pub by_month: Vec<Held>,
    /// By user, of those with [`FEWEST_A_USER`] bounds or more, from the worst; empty where users are not known.
    pub by_user: Vec<Held>,
    /// The smallest share that held among the blocks of 300 bounds that follow each other, if there is a whole one.
    pub worst_block: Option<f64>,
    /// The mean pinball loss q (w - b) where the wait w is above the bound b for the quantile q, (1 - q) (b - w)
    /// where it is not, in seconds (Koenker & Bassett 1978): the true quantile has the smallest.
    pub pinball_s: Option<f64>,
}

fn worst<'a>(all: impl Iterator<Item = &'a Held>, fewest: u64) -> Option<f64> {
    all.filter(|held| held.judged >= fewest).filter_map(Held::share).min_by(f64::total_cmp)
}

impl Classes {
    /// The classes of the jobs in this range, whose bounds are for this quantile.
    pub fn new(jobs: &[WaitJob], outcome: &Outcome, range: Range<usize>, quantile: f64) -> Classes {
        let judged = jobs.iter().zip(&outcome.answers).take(range.end).skip(range.start);
        let mut losses = 0.0;
        let judged: Vec<(&WaitJob, bool)> = judged
            .filter(|(job, _)| !job.cancelled)
            .filter_map(|(job, answer)| match answer {
                WaitAnswer::Bound(bound) => {
                    let late = (job.wait - bound) as f64;
                    losses += late * if late > 0.0 { quantile } else { quantile - 1.0 };
                    Some((job, *bound >= job.wait))
                }
                _ => None,
            })
            .collect();
        let Some(&(first, _)) = judged.first() else { return Classes::default() };
        let width = |job: &WaitJob| i64::from(job.features.processors);
        let request = |job: &WaitJob| job.features.requested;
        let from = |part: f64, of: &dyn Fn(&WaitJob) -> i64| {
            let mut values: Vec<i64> = judged.iter().map(|(job, _)| of(job)).collect();
            upper_quantile(&mut values, part).expect("at least the first")
        };
        let held = |of: &dyn Fn(&WaitJob) -> bool| {
            let mut held = Held::default();
            judged.iter().filter(|(job, _)| of(job)).for_each(|(_, correct)| held.add(*correct));
            held
        };
        let fifths = |of: &dyn Fn(&WaitJob) -> i64| {
            let bounds = [0.2, 0.4, 0.6, 0.8].map(|part| from(part, of));
            let fifth = |job: &WaitJob| bounds.iter().filter(|bound| of(job) >= **bound).count();
            (0..5).map(|n| held(&|job| fifth(job) == n)).collect()
        };
        let (wide_5, wide_1) = (from(0.95, &width), from(0.99, &width));
        let long = from(0.75, &request);
        let (mut months, mut users) = (BTreeMap::<i64, Held>::new(), BTreeMap::<i64, Held>::new());
        for &(job, correct) in &judged {
            months.entry((job.submit - first.submit) / MONTH).or_default().add(correct);
            if job.user >= 0 {
                users.entry(job.user).or_default().add(correct);
            }
        }
        let last = months.keys().next_back().copied().unwrap_or(0);
        let mut by_user: Vec<Held> =
            users.into_values().filter(|held| held.judged >= FEWEST_A_USER).collect();
        by_user.sort_by(|a, b| a.share().unwrap_or(1.0).total_cmp(&b.share().unwrap_or(1.0)));
        let share = |block: &[(&WaitJob, bool)]| {
            block.iter().filter(|(_, correct)| *correct).count() as f64 / BLOCK as f64
        };
        Classes {
            worst_block: judged.chunks_exact(BLOCK).map(share).min_by(f64::total_cmp),
            pinball_s: Some(losses / judged.len() as f64),
            widest_5: held(&|job| width(job) >= wide_5),
            widest_1: held(&|job| width(job) >= wide_1),
            longest: held(&|job| request(job) >= long),
            by_width: fifths(&width),
            by_request: fifths(&request),
            by_month: (0..=last).map(|month| months.get(&month).copied().unwrap_or_default()).collect(),
            by_user,
        }
    }

    /// The smallest share of a month with [`FEWEST_A_MONTH`] bounds or more.
    pub fn worst_month(&self) -> Option<f64> {
        worst(self.by_month.iter(), FEWEST_A_MONTH)
    }

    /// The smallest share of a user with [`FEWEST_A_USER`] bounds or more.
    pub fn worst_user(&self) -> Option<f64> {
        worst(self.by_user.iter(), FEWEST_A_USER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill::wait::Features;

    #[test]
    fn classes_are_counted_one_by_one() {
        // Widths 1 to 100 twice over, requests the other way round; the wide ones are missed in the second month.
        let jobs: Vec<WaitJob> = (0..400)
            .map(|i| WaitJob {
                number: i,
                submit: i * 4 * 3600,
                wait: if i % 100 >= 94 && i >= 200 { 50 } else { 5 },
                cancelled: i % 100 == 50,
                user: i % 2,
                features: Features { requested: 100 - i % 100, processors: 1 + (i % 100) as u32 },
            })
            .collect();
        let outcome = Outcome { answers: vec![WaitAnswer::Bound(10); 400], ..Outcome::default() };
        let classes = Classes::new(&jobs, &outcome, 0..400, 0.9);
        // 396 judged, four of each width but 51; ranks from 376 on are widths 96 to 100, from 392 on width 100.
        assert_eq!(classes.widest_5, Held { judged: 20, correct: 10 });
        assert_eq!(classes.widest_1, Held { judged: 4, correct: 2 });
        assert_eq!(classes.longest.share(), Some(1.0));
        let sum =
            |all: &[Held]| all.iter().fold((0, 0), |sum, held| (sum.0 + held.judged, sum.1 + held.correct));
        let missed = jobs.iter().filter(|job| job.wait > 10 && !job.cancelled).count() as u64;
        for all in [&classes.by_width, &classes.by_request, &classes.by_month] {
            assert_eq!(sum(all), (396, 396 - missed));
        }
        assert_eq!((classes.by_width.len(), classes.by_month.len()), (5, 3));
        // A missed bound is 40 s too short, the others are 5 s too long.
        let pinball = (36.0 * missed as f64 + 0.5 * (396 - missed) as f64) / 396.0;
        assert!((classes.pinball_s.unwrap() - pinball).abs() < 1e-9);
        let first = jobs.iter().filter(|job| !job.cancelled).take(300);
        let held = first.filter(|job| job.wait <= 10).count() as f64;
        assert_eq!(classes.worst_block, Some(held / 300.0));
        // 180 jobs a month; the second has jobs 180 to 359.
        let second: Vec<&WaitJob> = jobs[180..360].iter().filter(|job| !job.cancelled).collect();
        let held = second.iter().filter(|job| job.wait <= 10).count() as u64;
        assert_eq!(classes.by_month[1], Held { judged: second.len() as u64, correct: held });
        assert_eq!(classes.worst_month(), classes.by_month[1].share());
        // 198 and 200 - 2: too few for a user to be compared.
        assert!(classes.by_user.len() <= 1 && classes.worst_user().is_none_or(|share| share > 0.9));
        assert_eq!(Classes::new(&[], &Outcome::default(), 0..0, 0.9), Classes::default());
    }
}
