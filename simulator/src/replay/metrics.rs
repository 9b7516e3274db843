//! The measures of a schedule.
//!
//! Waits are in seconds. The geometric mean is that of Nissimov & Feitelson 2007, section 5: waits below 10 s count as
//! 10 s. Bounded slowdown is `max(1, (wait + run time) / max(run time, 10 s))` (Feitelson & Rudolph 1998). Percentiles
//! are nearest ranks: the smallest wait that at least this share of the jobs does not exceed.

use crate::base::statistics::quantile;
use crate::replay::outcome::Outcome;
use serde::{Deserialize, Serialize};

/// Seconds below which waits and run times are not distinguished.
const FLOOR: i64 = 10;

/// The measures of one replay, or their means over several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Number of jobs replayed.
    pub jobs: u64,
    /// Arithmetic mean wait, in seconds, as all waits.
    pub mean_wait_s: f64,
    /// Geometric mean wait.
    pub geomean_wait_s: f64,
    /// Half of the jobs waited no longer.
    pub median_wait_s: f64,
    /// 95 % of the jobs waited no longer.
    pub p95_wait_s: f64,
    /// 99 % of the jobs waited no longer.
    pub p99_wait_s: f64,
    /// The longest wait.
    pub max_wait_s: f64,
    /// The share of jobs that started in the second they were submitted.
    pub zero_wait_share: f64,
    /// Mean bounded slowdown.
    pub mean_bounded_slowdown: f64,
    /// Processor-seconds used, over those the machine had between the first submission and the last end.
    pub utilization: f64,
    /// Number of jobs started ahead of a waiting head job.
    pub backfilled: u64,
    /// The share of these that really delayed it; 0 without any.
    pub delayed_share: f64,
    /// Mean of the delays they really caused, 0 s for those that caused none; 0 without any.
    pub mean_observed_delay_s: f64,
    /// Number of scheduling passes.
    pub passes: u64,
    /// Number of candidates judged.
    pub decisions: u64,
    /// Wall time of all scheduling passes together, in seconds, as all wall times.
    pub scheduler_s: f64,
    /// The 99th percentile of one pass's wall time.
    pub p99_pass_s: f64,
    /// The longest pass's wall time.
    pub max_pass_s: f64,
    /// Wall time of the replay.
    pub wall_s: f64,
}

/// Number of measures.
const COUNT: usize = 19;

impl Metrics {
    /// Measures a replay.
    pub fn of(outcome: &Outcome) -> Metrics {
        let jobs = &outcome.jobs;
        let mut waits: Vec<i64> = jobs.iter().map(|job| job.start - job.submit).collect();
        let count = waits.len().max(1) as f64;
        let mean = |sum: f64| sum / count;
        let ln_wait = |&wait: &i64| (wait.max(FLOOR) as f64).ln();
        let slowdowns = jobs.iter().map(|job| {
            let run_time = job.end - job.start;
            ((job.end - job.submit) as f64 / run_time.max(FLOOR) as f64).max(1.0)
        });
        let mean_wait_s = mean(waits.iter().map(|&wait| wait as f64).sum());
        let geomean_wait_s = mean(waits.iter().map(ln_wait).sum()).exp();
        let zero_wait_share = mean(waits.iter().filter(|&&wait| wait == 0).count() as f64);
        waits.sort_unstable();
        let wait_at = |share| quantile(&waits, share).map_or(0.0, |wait| wait as f64);

        let backfills: Vec<i64> =
            jobs.iter().filter_map(|job| job.backfill).map(|backfill| backfill.observed_delay).collect();
        // The empty sum of floats is -0: + 0 makes it 0.
        let per_backfill = |sum: f64| (sum + 0.0) / backfills.len().max(1) as f64;

        let mut passes: Vec<f64> = outcome.pass_seconds.iter().copied().map(f64::from).collect();
        passes.sort_unstable_by(f64::total_cmp);
        let pass_at = |share| quantile(&passes, share).unwrap_or(0.0);
        Metrics {
            jobs: jobs.len() as u64,
            mean_wait_s,
            geomean_wait_s,
            median_wait_s: wait_at(0.5),
            p95_wait_s: wait_at(0.95),
            p99_wait_s: wait_at(0.99),
            max_wait_s: wait_at(1.0),
            zero_wait_share,
            mean_bounded_slowdown: mean(slowdowns.sum()),
            utilization: utilization(outcome),
            backfilled: backfills.len() as u64,
            delayed_share: per_backfill(backfills.iter().filter(|&&delay| delay > 0).count() as f64),
            mean_observed_delay_s: per_backfill(backfills.iter().map(|&delay| delay as f64).sum()),
            passes: outcome.passes,
            decisions: outcome.decisions,
            scheduler_s: passes.iter().sum(),
            p99_pass_s: pass_at(0.99),
            max_pass_s: pass_at(1.0),
            wall_s: outcome.wall_seconds,
        }
    }

    /// The mean of every measure over several replays; `None` without replays. Counts are rounded.
    pub fn mean(of: &[Metrics]) -> Option<Metrics> {
        let count = of.len() as f64;
        let sums = of.iter().map(Metrics::values).reduce(|a, b| std::array::from_fn(|i| a[i] + b[i]))?;
        Some(Metrics::from_values(sums.map(|sum| sum / count)))
    }

    /// The sample standard deviation of every measure over several replays; `None` of fewer than two. Counts are
    /// rounded.
    pub fn deviation(of: &[Metrics]) -> Option<Metrics> {
        if of.len() < 2 {
            return None;
        }
        let mean = Metrics::mean(of)?.values();
        let mut squares = [0.0; COUNT];
        for values in of.iter().map(Metrics::values) {
            for ((square, value), mean) in squares.iter_mut().zip(values).zip(mean) {
                *square += (value - mean).powi(2);
            }
        }
        let freedom = (of.len() - 1) as f64;
        Some(Metrics::from_values(squares.map(|square| (square / freedom).sqrt())))
    }

    fn values(&self) -> [f64; COUNT] {
        let Metrics { jobs, mean_wait_s, geomean_wait_s, median_wait_s, p95_wait_s, p99_wait_s, .. } = *self;
        let Metrics { max_wait_s, zero_wait_share, mean_bounded_slowdown, utilization, .. } = *self;
        let Metrics { backfilled, delayed_share, mean_observed_delay_s, passes, decisions, .. } = *self;
        let Metrics { scheduler_s, p99_pass_s, max_pass_s, wall_s, .. } = *self;
        [
            jobs as f64,
            mean_wait_s,
            geomean_wait_s,
            median_wait_s,
            p95_wait_s,
            p99_wait_s,
            max_wait_s,
            zero_wait_share,
            mean_bounded_slowdown,
            utilization,
            backfilled as f64,
            delayed_share,
            mean_observed_delay_s,
            passes as f64,
            decisions as f64,
            scheduler_s,
            p99_pass_s,
            max_pass_s,
            wall_s,
        ]
    }

    fn from_values(values: [f64; COUNT]) -> Metrics {
        let [jobs, mean_wait_s, geomean_wait_s, median_wait_s, p95_wait_s, p99_wait_s, rest @ ..] = values;
        let [max_wait_s, zero_wait_share, mean_bounded_slowdown, utilization, rest @ ..] = rest;
        let [backfilled, delayed_share, mean_observed_delay_s, passes, decisions, rest @ ..] = rest;
        let [scheduler_s, p99_pass_s, max_pass_s, wall_s] = rest;
        Metrics {
            jobs: jobs.round() as u64,
            mean_wait_s,
            geomean_wait_s,
            median_wait_s,
            p95_wait_s,
            p99_wait_s,
            max_wait_s,
            zero_wait_share,
            mean_bounded_slowdown,
            utilization,
            backfilled: backfilled.round() as u64,
            delayed_share,
            mean_observed_delay_s,
            passes: passes.round() as u64,
            decisions: decisions.round() as u64,
            scheduler_s,
            p99_pass_s,
            max_pass_s,
            wall_s,
        }
    }
}

fn utilization(outcome: &Outcome) -> f64 {
    let first = outcome.jobs.iter().map(|job| job.submit).min().unwrap_or(0);
    let last = outcome.jobs.iter().map(|job| job.end).max().unwrap_or(0);
    let used = outcome.jobs.iter().map(|job| f64::from(job.processors) * (job.end - job.start) as f64);
    let had = f64::from(outcome.setup.procs) * (last - first) as f64;
    if had > 0.0 { used.sum::<f64>() / had } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::backfill::Backfill;
    use crate::replay::outcome::JobRecord;
    use crate::replay::setup::Setup;

    fn outcome(jobs: &[(i64, i64, i64, u32, Option<i64>)]) -> Outcome {
        let record = |&(submit, start, end, processors, observed): &(i64, i64, i64, u32, Option<i64>)| {
            let backfill = observed.map(|observed_delay| Backfill {
                head: 1,
                predicted: 0.0,
                observed_delay,
                predicted_s: 0.0,
                head_wait: 50,
            });
            JobRecord { number: 1, user: 1, submit, start, end, processors, limit: 100, backfill }
        };
        Outcome {
            setup: Setup { procs: 10, ..Setup::default() },
            jobs: jobs.iter().map(record).collect(),
            passes: 3,
            decisions: 5,
            pass_seconds: vec![0.25, 0.5, 0.25],
            wall_seconds: 2.0,
            nodes: None,
        }
    }

    #[test]
    fn by_hand() {
        // Waits 0, 40, 90; run times 100, 5, 10.
        let m = Metrics::of(&outcome(&[
            (0, 0, 100, 5, None),
            (10, 50, 55, 2, Some(0)),
            (10, 100, 110, 10, Some(30)),
        ]));
        assert_eq!((m.jobs, m.backfilled, m.passes, m.decisions), (3, 2, 3, 5));
        assert!((m.mean_wait_s - 130.0 / 3.0).abs() < 1e-12);
        assert!((m.geomean_wait_s - (10.0f64 * 40.0 * 90.0).cbrt()).abs() < 1e-9);
        assert_eq!((m.median_wait_s, m.p95_wait_s, m.max_wait_s), (40.0, 90.0, 90.0));
        assert!((m.zero_wait_share - 1.0 / 3.0).abs() < 1e-12);
        assert!((m.mean_bounded_slowdown - (1.0 + 4.5 + 10.0) / 3.0).abs() < 1e-12);
        assert!((m.utilization - (500.0 + 10.0 + 100.0) / 1100.0).abs() < 1e-12);
        assert_eq!((m.delayed_share, m.mean_observed_delay_s), (0.5, 15.0));
        assert_eq!((m.scheduler_s, m.p99_pass_s, m.max_pass_s, m.wall_s), (1.0, 0.5, 0.5, 2.0));
    }

    #[test]
    fn nearest_ranks() {
        let values: Vec<i64> = (1..=100).collect();
        assert_eq!(quantile(&values, 0.95), Some(95));
        assert_eq!(quantile(&values, 1.0), Some(100));
        assert_eq!(quantile(&values, 0.0), Some(1));
        assert_eq!(quantile(&values[..1], 0.5), Some(1));
        assert_eq!(quantile::<i64>(&[], 0.5), None);
    }

    #[test]
    fn means_and_deviations_over_replays() {
        let a = Metrics::of(&outcome(&[(0, 10, 20, 1, None)]));
        let b = Metrics::of(&outcome(&[(0, 30, 40, 1, Some(4))]));
        let mean = Metrics::mean(&[a, b]).unwrap();
        assert_eq!((mean.mean_wait_s, mean.jobs, mean.wall_s), (20.0, 1, 2.0));
        assert_eq!(Metrics::mean(&[a]), Some(a));
        let deviation = Metrics::deviation(&[a, b]).unwrap();
        assert!((deviation.mean_wait_s - 200.0f64.sqrt()).abs() < 1e-12);
        assert_eq!((deviation.jobs, deviation.wall_s), (0, 0.0));
        assert_eq!(Metrics::deviation(&[a]), None);
        assert_eq!(Metrics::mean(&[]), None);
    }
}
