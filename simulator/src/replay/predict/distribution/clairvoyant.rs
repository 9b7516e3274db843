//! The truth: a ceiling for studies.

use super::DistributionPredictor;
use crate::trace::workload::Job;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_gives_way_to_the_truth() {
        let job = |run_time| Job { run_time, limit: 100, ..Job::default() };
        assert_eq!(Clairvoyant.limit(&job(50)), 100);
        assert_eq!(Clairvoyant.limit(&job(150)), 150);
        assert_eq!(Clairvoyant.predict(&job(150), 0), RuntimeDistribution::single(150).unwrap());
    }
}
