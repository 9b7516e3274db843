//! The truth: a ceiling for studies.

use super::DistributionPredictor;
use crate::workload::Job;
use surefill::runtime::RuntimeDistribution;

/// Predicts the run time the job will have.
#[derive(Debug, Default)]
pub struct Clairvoyant;

impl DistributionPredictor for Clairvoyant {
    fn predict(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        // The reader admits no run time beyond what a distribution holds.
        RuntimeDistribution::single(job.run_time).unwrap_or(RuntimeDistribution::limit())
    }

    /// Jobs that run past their limit do so in the prediction as well.
    fn limit(&self, job: &Job) -> i64 {
        job.limit.max(job.run_time)
    }
}
