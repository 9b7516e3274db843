//! Mean waits by width, by run time, by user, by priority and by time.
//!
//! Widths are shares of the machine, run times the jobs' own. Compared with EASY's the figures show which jobs gain and
//! which lose by a policy. Waits are in seconds.

use crate::base::statistics::quantile;
use crate::replay::outcome::{JobRecord, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Jobs of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Upper end of the group: the largest share of the machine, the longest run time in seconds, the highest priority,
    /// the last job (none for the last group); or the user.
    pub to: Option<f64>,
    /// Number of jobs.
    pub jobs: u64,
    /// Their mean wait.
    pub mean_wait_s: f64,
}

/// The mean waits of all kinds of jobs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fairness {
    /// By the share of the machine: up to 1/64, 1/16, 1/4, more.
    pub by_width: Vec<Group>,
    /// By run time: up to 10 minutes, 1 hour, 6 hours, more.
    pub by_run_time: Vec<Group>,
    /// By user, in order of their numbers in the trace.
    pub by_user: Vec<Group>,
    /// The first half of the jobs in order of submission, and the second. A schedule whose settings were chosen on a
    /// part of a trace, or that gains in one jam alone, differs here.
    pub by_half: Vec<Group>,
    /// By quarter of the priority at submission, the lowest first, where a site's priorities are known. The priority is
    /// that of the same replay, as the users' usage follows from the schedule. Jobs of equal priority are in one
    /// quarter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_priority: Vec<Group>,
}

const WIDTHS: [f64; 3] = [1.0 / 64.0, 1.0 / 16.0, 0.25];
const RUN_TIMES: [f64; 3] = [600.0, 3600.0, 21_600.0];

/// Least number of jobs of a user: the mean wait of fewer is chance.
pub const FEWEST: u64 = 100;

/// One of the kinds of groups.
type Kind = fn(&Fairness) -> &Vec<Group>;

impl Fairness {
    /// The waits of one replay; `priorities` are those of its jobs at submission.
    pub fn of(outcome: &Outcome, priorities: Option<&[f64]>) -> Fairness {
        let procs = f64::from(outcome.setup.procs.max(1));
        let jobs = || outcome.jobs.iter();
        let half = outcome.jobs.len().div_ceil(2) as f64;
        Fairness {
            by_width: classes(jobs().map(|job| (job, f64::from(job.processors) / procs)), &WIDTHS),
            by_run_time: classes(jobs().map(|job| (job, (job.end - job.start) as f64)), &RUN_TIMES),
            by_user: users(&outcome.jobs),
            by_half: classes(jobs().zip(1..).map(|(job, place)| (job, f64::from(place))), &[half]),
            by_priority: priorities.map_or_else(Vec::new, |priorities| {
                classes(jobs().zip(priorities.iter().copied()), &quarters(priorities))
            }),
        }
    }

    /// The means over several replays of the same jobs; empty without replays.
    pub fn mean(of: &[Fairness]) -> Fairness {
        let Some(mut mean) = of.first().cloned() else { return Fairness::default() };
        let kinds: [(&mut Vec<Group>, Kind); 5] = [
            (&mut mean.by_width, |one| &one.by_width),
            (&mut mean.by_run_time, |one| &one.by_run_time),
            (&mut mean.by_user, |one| &one.by_user),
            (&mut mean.by_half, |one| &one.by_half),
            (&mut mean.by_priority, |one| &one.by_priority),
        ];
        for (groups, kind) in kinds {
            for (index, group) in groups.iter_mut().enumerate() {
                let waits = of.iter().filter_map(|one| kind(one).get(index)).map(|other| other.mean_wait_s);
                group.mean_wait_s = waits.sum::<f64>() / of.len() as f64;
            }
        }
        mean
    }

    /// The users with [`FEWEST`] jobs at least, each with its mean wait over its mean wait here in `base`.
    pub fn user_ratios(&self, base: &Fairness) -> Vec<f64> {
        let pairs = self.by_user.iter().zip(&base.by_user);
        let known = pairs.filter(|(own, other)| own.jobs >= FEWEST && other.mean_wait_s > 0.0);
        known.map(|(own, other)| own.mean_wait_s / other.mean_wait_s).collect()
    }
}

/// The highest values of the three lower quarters.
fn quarters(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    [0.25, 0.5, 0.75].into_iter().filter_map(|share| quantile(&sorted, share)).collect()
}

/// Jobs by the class of the number beside each.
fn classes<'j>(jobs: impl Iterator<Item = (&'j JobRecord, f64)>, edges: &[f64]) -> Vec<Group> {
    let mut sums = vec![(0u64, 0.0); edges.len() + 1];
    for (job, size) in jobs {
        let class = edges.partition_point(|&edge| edge < size);
        sums[class].0 += 1;
        sums[class].1 += (job.start - job.submit) as f64;
    }
    let to = edges.iter().copied().map(Some).chain([None]);
    to.zip(sums).map(|(to, (jobs, sum))| Group { to, jobs, mean_wait_s: sum / jobs.max(1) as f64 }).collect()
}

fn users(jobs: &[JobRecord]) -> Vec<Group> {
    let mut sums: BTreeMap<i64, (u64, f64)> = BTreeMap::new();
    for job in jobs.iter().filter(|job| job.user >= 0) {
        let sum = sums.entry(job.user).or_default();
        sum.0 += 1;
        sum.1 += (job.start - job.submit) as f64;
    }
    let group = |(user, (jobs, sum)): (i64, (u64, f64))| Group {
        to: Some(user as f64),
        jobs,
        mean_wait_s: sum / jobs as f64,
    };
    sums.into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::setup::Setup;

    fn outcome(waits: &[i64]) -> Outcome {
        // One processor of 64 for a minute, a quarter for an hour, all for a day; users 3, 3 and 8.
        let shapes = [(1, 60, 3), (16, 3600, 3), (64, 86_400, 8)];
        let job = |(&(processors, run_time, user), &wait): (&(u32, i64, i64), &i64)| JobRecord {
            number: 1,
            user,
            submit: 100,
            start: 100 + wait,
            end: 100 + wait + run_time,
            processors,
            limit: run_time,
            backfill: None,
        };
        Outcome {
            setup: Setup { procs: 64, ..Setup::default() },
            jobs: shapes.iter().zip(waits).map(job).collect(),
            passes: 0,
            decisions: 0,
            pass_seconds: Vec::new(),
            wall_seconds: 0.0,
            nodes: None,
        }
    }

    #[test]
    fn by_hand() {
        let one = Fairness::of(&outcome(&[10, 20, 60]), None);
        let waits = |groups: &[Group]| -> Vec<(u64, f64)> {
            groups.iter().map(|group| (group.jobs, group.mean_wait_s)).collect()
        };
        assert_eq!(waits(&one.by_width), [(1, 10.0), (0, 0.0), (1, 20.0), (1, 60.0)]);
        assert_eq!(waits(&one.by_run_time), [(1, 10.0), (1, 20.0), (0, 0.0), (1, 60.0)]);
        assert_eq!(waits(&one.by_user), [(2, 15.0), (1, 60.0)]);
        assert_eq!(waits(&one.by_half), [(2, 15.0), (1, 60.0)]);
        let other = Fairness::of(&outcome(&[30, 20, 0]), None);
        let mean = Fairness::mean(&[one.clone(), other]);
        assert_eq!(waits(&mean.by_user), [(2, 20.0), (1, 30.0)]);
        assert_eq!(Fairness::mean(&[]), Fairness::default());
        // No user has enough jobs to be counted.
        assert!(one.user_ratios(&mean).is_empty());
        // The lowest quarter ends with the lowest priority; two jobs of equal priority are in one quarter.
        let ranked = Fairness::of(&outcome(&[10, 20, 60]), Some(&[7.0, 3.0, 7.0]));
        assert_eq!(waits(&ranked.by_priority), [(1, 20.0), (2, 35.0), (0, 0.0), (0, 0.0)]);
        assert!(one.by_priority.is_empty());
    }
}
