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
    /// What is believed of this job's run time now. Asked for waiting and running jobs alike, often: to be answered
    /// from tables.
    fn predict(&mut self, job: &Job, now: i64) -> RuntimeDistribution;

    /// What is predicted of this job's run time by all that is known now, where [`DistributionPredictor::predict`] says
    /// what was predicted at its submission.
    fn predict_now(&mut self, job: &Job, now: i64) -> RuntimeDistribution {
        self.predict(job, now)
    }

    /// A job was submitted.
    fn submitted(&mut self, _job: &Job, _now: i64) {}

    /// A job was started.
    fn started(&mut self, _job: &Job, _now: i64) {}

    /// A job ended, and its run time is known.
    fn finished(&mut self, _job: &Job, _now: i64) {}

    /// The limit to condition this job's distribution on: its time limit, unless the predictor knows better.
    fn limit(&self, job: &Job) -> i64 {
        job.limit
    }
}
