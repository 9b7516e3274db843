//! Correctness and accuracy of bounds (section 4.3).
//!
//! A bound is correct if the job waits no longer; a method is correct where at least the quantile's share of its bounds
//! is. Accuracy is the root of the mean squared over-prediction, of the correct bounds only: of two correct methods the
//! one where it is smaller is tighter.

use super::simulate::Outcome;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use surefill::wait::WaitAnswer;
use surefill_simulator::base::statistics::lower_median;
use surefill_simulator::live::queues::WaitJob;

/// Measures of some jobs' bounds. Cancelled jobs are in `cancelled` alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Jobs that started.
    pub jobs: u64,
    /// Jobs that never did.
    pub cancelled: u64,
    /// Jobs that started and had been given a bound.
    pub judged: u64,
    /// Jobs without a bound: too few waits were known.
    pub too_little_history: u64,
    /// Jobs without a bound: the machine seemed down.
    pub may_be_down: u64,
    /// Jobs without a bound: like jobs waited longer already.
    #[serde(default)]
    pub exceeded: u64,
    /// Bounds that held.
    pub correct: u64,
    /// The share of the bounds that held; none without bounds.
    pub correctness: Option<f64>,
    /// Root mean square over-prediction of the bounds that held, in seconds.
    pub rms_over_s: Option<f64>,
    /// Mean over-prediction of the bounds that held, in seconds.
    pub mean_over_s: Option<f64>,
    /// The median bound, in seconds.
    pub median_bound_s: Option<i64>,
    /// The median wait of the jobs that were given a bound, in seconds.
    pub median_wait_s: Option<i64>,
}

impl Measures {
    /// The measures of the jobs in this range.
    pub fn new(jobs: &[WaitJob], outcome: &Outcome, range: Range<usize>) -> Measures {
        let mut measures = Measures::default();
        let (mut bounds, mut waits) = (Vec::new(), Vec::new());
        let (mut squares, mut overs) = (0.0, 0.0);
        for (job, answer) in jobs.iter().zip(&outcome.answers).take(range.end).skip(range.start) {
            if job.cancelled {
                measures.cancelled += 1;
                continue;
            }
            measures.jobs += 1;
            match *answer {
                WaitAnswer::TooLittleHistory => measures.too_little_history += 1,
                WaitAnswer::MayBeDown => measures.may_be_down += 1,
                WaitAnswer::Exceeded => measures.exceeded += 1,
                WaitAnswer::Bound(bound) => {
                    measures.judged += 1;
                    bounds.push(bound);
                    waits.push(job.wait);
                    if bound >= job.wait {
                        measures.correct += 1;
                        let over = (bound - job.wait) as f64;
                        squares += over * over;
                        overs += over;
                    }
                }
            }
        }
        let share = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        measures.correctness = share(measures.correct as f64, measures.judged);
        measures.rms_over_s = share(squares, measures.correct).map(f64::sqrt);
        measures.mean_over_s = share(overs, measures.correct);
        measures.median_bound_s = lower_median(&mut bounds);
        measures.median_wait_s = lower_median(&mut waits);
        measures
    }

    /// Whether enough bounds held.
    pub fn is_correct(&self, quantile: f64) -> bool {
        self.correctness.is_some_and(|correctness| correctness >= quantile)
    }

    /// The share of the jobs without a bound.
    pub fn unanswered(&self) -> f64 {
        if self.jobs == 0 { 0.0 } else { 1.0 - self.judged as f64 / self.jobs as f64 }
    }

    /// The reference's over-prediction over this one's, both as root mean squares: larger is tighter. 1 where both
    /// are 0.
    pub fn accuracy(&self, reference: &Measures) -> Option<f64> {
        let (own, reference) = (self.rms_over_s?, reference.rms_over_s?);
        Some(if own == reference { 1.0 } else { reference / own })
    }
}
