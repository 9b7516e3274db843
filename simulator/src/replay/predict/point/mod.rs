//! Predictors of single run times, for the EASY variants: the published ones that Nissimov & Feitelson 2007 name as the
//! comparison to make.

mod classes;
mod gibbons;
mod last_two;
mod learned;
mod mean_sigma;
mod simple;
mod smith;

use crate::trace::workload::Job;

pub use gibbons::Gibbons;
pub use last_two::MeanOfLastTwo;
pub use learned::{Learned, Regression};
pub use mean_sigma::MeanPlusSigma;
pub use simple::{Clairvoyant, Doubled, Limit};
pub use smith::Smith;

/// Predicts a job's run time as one number of seconds, at its submission. `job.run_time` is the future until
/// [`PointPredictor::finished`].
pub trait PointPredictor {
    /// Predicts the run time of this job in seconds, at least 1. Beyond the job's limit only when the limit is meant to
    /// be exceeded.
    fn predict(&mut self, job: &Job) -> i64;

    /// Notes that a job was started.
    fn started(&mut self, _job: &Job, _now: i64) {}

    /// Learns that a job ended; its run time is known.
    fn finished(&mut self, _job: &Job) {}

    /// Correction of the prediction of a running job that has outlived it.
    fn correction(&self) -> Correction {
        Correction::Increments
    }
}

/// The correctors of Gaussier et al. 2015: the run time expected of a running job that has outlived its prediction,
/// never beyond its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correction {
    /// The growing increments of Tsafrir et al. 2007: a minute more, then 5, 15 and so on.
    Increments,
    /// Twice as long, again and again.
    Doubling,
    /// Its limit.
    Limit,
}

/// A predicted number of seconds as a prediction: whole, at least 1, at most the job's limit.
fn within_limit(job: &Job, seconds: f64) -> i64 {
    // The conversion saturates, and turns what is not a number into 0.
    (seconds.round() as i64).min(job.limit).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(user: i64, processors: u32, run_time: i64) -> Job {
        Job { user, executable: 1, processors, run_time, limit: 1000, ..Job::default() }
    }

    /// The predictions for user 1 on 4 processors as these run times on these processors are learnt.
    fn predictions(mut predictor: impl PointPredictor, learnt: &[(u32, i64)]) -> Vec<i64> {
        let mut made = vec![predictor.predict(&job(1, 4, 0))];
        for &(processors, run_time) in learnt {
            predictor.finished(&job(1, processors, run_time));
            made.push(predictor.predict(&job(1, 4, 0)));
        }
        made
    }

    #[test]
    fn nothing_learnt() {
        assert_eq!(Limit.predict(&job(1, 1, 5)), 1000);
        assert_eq!(Doubled.predict(&job(1, 1, 5)), 2000);
        assert_eq!(Clairvoyant.predict(&job(1, 1, 5)), 5);
        assert_eq!(Limit.predict(&Job::default()), 1);
    }

    #[test]
    fn the_last_two() {
        let learnt = [(1, 10), (1, 25), (1, 5000), (1, 0), (1, 0)];
        assert_eq!(predictions(MeanOfLastTwo::default(), &learnt), [1000, 1000, 18, 1000, 1000, 1]);
        let mut predictor = MeanOfLastTwo::default();
        predictor.finished(&job(1, 1, 10));
        predictor.finished(&job(2, 1, 10));
        assert_eq!(predictor.predict(&job(1, 1, 0)), 1000);
    }

    #[test]
    fn mean_and_sigma_of_the_narrowest_class() {
        // On other processors 100 and 200: mean 150, deviation 70.7. Then on 4: 20 and 20.
        let learnt = [(1, 100), (1, 200), (4, 20), (4, 20)];
        assert_eq!(predictions(MeanPlusSigma::default(), &learnt), [1000, 1000, 256, 242, 20]);
    }

    #[test]
    fn smith_trusts_the_class_known_best() {
        // Three equal run times on 4 processors have no spread; the same user's others have.
        let learnt = [(1, 100), (2, 500), (4, 30), (4, 30), (4, 30)];
        assert_eq!(predictions(Smith::default(), &learnt), [1000, 1000, 1000, 210, 165, 30]);
    }

    #[test]
    fn gibbons_fits_processors() {
        // 800 s over the processors: a line through two numbers of processors. The parabola through three is below 0 at
        // 4, so it is the line again.
        let learnt = [(2, 400), (8, 100), (8, 100), (1, 800)];
        assert_eq!(predictions(Gibbons::default(), &learnt), [1000, 1000, 1000, 300, 411]);
    }
}
