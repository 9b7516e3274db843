//! Predictors of single run times, for the EASY variants: the published ones that Nissimov & Feitelson 2007 name as the
//! comparison to make.

mod classes;
mod gibbons;
mod last_two;
mod mean_sigma;
mod simple;
mod smith;

use crate::workload::Job;

pub use gibbons::Gibbons;
pub use last_two::MeanOfLastTwo;
pub use mean_sigma::MeanPlusSigma;
pub use simple::{Clairvoyant, Doubled, Limit};
pub use smith::Smith;

/// Predicts a job's run time as one number of seconds, at its submission. `job.run_time` is the future until
/// [`PointPredictor::finished`].
pub trait PointPredictor {
    /// How long this job is expected to run, in seconds, at least 1. Beyond the job's limit only when the limit is meant
    /// to be exceeded.
    fn predict(&mut self, job: &Job) -> i64;

    /// A job ended, and its run time is known.
    fn finished(&mut self, _job: &Job) {}
}

/// A predicted number of seconds as a prediction: whole, at least 1, at most the job's limit.
fn within_limit(job: &Job, seconds: f64) -> i64 {
    // The conversion saturates, and turns what is not a number into 0.
    (seconds.round() as i64).min(job.limit).max(1)
}
