//! No prediction: every job is expected to run to its limit, as EASY assumes.

use super::DistributionPredictor;
use crate::trace::workload::Job;
use surefill::runtime::RuntimeDistribution;

/// Predicts the limit.
#[derive(Debug, Default)]
pub struct Limit;

impl DistributionPredictor for Limit {
    fn predict(&mut self, _job: &Job, _now: i64) -> RuntimeDistribution {
        RuntimeDistribution::limit()
    }
}
