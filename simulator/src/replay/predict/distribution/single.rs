//! A single predicted run time as the whole distribution.

use super::DistributionPredictor;
use crate::replay::predict::PointPredictor;
use crate::trace::workload::Job;
use surefill::runtime::RuntimeDistribution;

/// A predictor of single run times, called once for every job: at its submission. A job that outlives its prediction is
/// expected to run to its limit, by the core's rule for the rest of a distribution.
pub struct Single {
    predictor: Box<dyn PointPredictor>,
    /// Predicted run times in seconds, by id.
    predicted: Vec<i64>,
}

impl Single {
    /// A predictor without any prediction yet.
    pub fn new(predictor: Box<dyn PointPredictor>) -> Single {
        Single { predictor, predicted: Vec::new() }
    }
}

impl DistributionPredictor for Single {
    fn submitted(&mut self, job: &Job, _now: i64) {
        // Ids count up from 0 in order of submission.
        self.predicted.push(self.predictor.predict(job));
    }

    fn predict(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        let predicted = self.predicted.get(job.id).copied().unwrap_or_else(|| self.predictor.predict(job));
        // A run time that no distribution holds counts as the limit.
        RuntimeDistribution::single(predicted).unwrap_or(RuntimeDistribution::limit())
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.predictor.started(job, now);
    }

    fn finished(&mut self, job: &Job, _now: i64) {
        self.predictor.finished(job);
    }
}
