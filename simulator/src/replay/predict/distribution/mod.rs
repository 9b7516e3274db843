//! Predictors of run-time distributions, learning from the jobs that end.

mod clairvoyant;
mod contexts;
mod global;
mod histories;
mod hmm;
mod joined;
mod limit;
mod single;

use crate::trace::workload::Job;
use surefill::runtime::RuntimeDistribution;

pub use clairvoyant::Clairvoyant;
pub use contexts::Contexts;
pub use global::Global;
pub use histories::Histories;
pub use hmm::HmmPredictor;
pub use joined::Joined;
pub use limit::Limit;
pub use single::Single;

/// Predicts a job's run time as a distribution, before anything is known of its age. `job.run_time` is the future until
/// [`DistributionPredictor::finished`].
pub trait DistributionPredictor {
    /// Predicts this job's run time, as of its submission or, where the predictor renews it, of now. Called for waiting
    /// and running jobs alike, often: to be answered from tables.
    fn predict(&mut self, job: &Job, now: i64) -> RuntimeDistribution;

    /// Predicts this job's run time by all present knowledge, where [`DistributionPredictor::predict`] has the
    /// prediction of its submission.
    fn predict_now(&mut self, job: &Job, now: i64) -> RuntimeDistribution {
        self.predict(job, now)
    }

    /// Notes that a job was submitted.
    fn submitted(&mut self, _job: &Job, _now: i64) {}

    /// Notes that a job was started.
    fn started(&mut self, _job: &Job, _now: i64) {}

    /// Learns that a job ended; its run time is known.
    fn finished(&mut self, _job: &Job, _now: i64) {}

    /// The limit to condition this job's distribution on: its time limit, unless the predictor has a better one.
    fn limit(&self, job: &Job) -> i64 {
        job.limit
    }
}
