//! The user's own finished jobs, recent ones weighing more, backing off to everybody's.
//!
//! Users repeat themselves: this is where most of the information about a run time is (Nissimov 2006, section 2.4, calls
//! it locality of sampling; Tsafrir, Etsion & Feitelson 2007 use no more than the last two jobs).

use super::{DistributionPredictor, Global};
use crate::workload::Job;
use std::collections::HashMap;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// The weight of a finished job shrinks by this factor with every later one of the same user.
pub const DECAY: f64 = 0.9;

/// How many of the user's newest jobs the global distribution weighs as much as.
pub const PSEUDO_COUNTS: f64 = 2.0;

/// The user's decayed counts plus `PSEUDO_COUNTS` jobs spread like everybody's (an m-estimate): a user of whom nothing is
/// known gets the global distribution, and its share falls to a sixth (2 of 2 + 10) for one with a long history.
#[derive(Debug)]
pub struct User {
    global: Global,
    users: HashMap<i64, History>,
    decay: f64,
    pseudo_counts: f64,
    /// Jobs finished so far: a prediction holds until the next.
    finished: u64,
}

#[derive(Debug)]
struct History {
    counts: Vec<f64>,
    /// The prediction and the value of `User::finished` it was made at.
    made: Option<(u64, RuntimeDistribution)>,
}

impl User {
    /// Nothing learnt yet. `decay` lies between 0 and 1, `pseudo_counts` is not negative.
    pub fn new(bins: RuntimeBins, decay: f64, pseudo_counts: f64) -> User {
        User { global: Global::new(bins), users: HashMap::new(), decay, pseudo_counts, finished: 0 }
    }
}

impl Default for User {
    /// Over the papers' bins, with `DECAY` and `PSEUDO_COUNTS`.
    fn default() -> User {
        User::new(RuntimeBins::default(), DECAY, PSEUDO_COUNTS)
    }
}

impl DistributionPredictor for User {
    fn predict(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        let Some(history) = self.users.get_mut(&job.user) else {
            return self.global.distribution().clone();
        };
        if let Some((finished, made)) = &history.made
            && *finished == self.finished
        {
            return made.clone();
        }
        let counts = history.counts.iter().zip(self.global.shares());
        let counts: Vec<f64> = counts.map(|(own, share)| own + self.pseudo_counts * share).collect();
        let made = RuntimeDistribution::from_counts(self.global.bins(), &counts);
        let made = made.unwrap_or(RuntimeDistribution::limit());
        history.made = Some((self.finished, made.clone()));
        made
    }

    fn finished(&mut self, job: &Job, _now: i64) {
        self.finished += 1;
        self.global.learn(job.run_time);
        let bins = self.global.bins();
        let history = self
            .users
            .entry(job.user)
            .or_insert_with(|| History { counts: vec![0.0; bins.count()], made: None });
        for count in &mut history.counts {
            *count *= self.decay;
        }
        if let Some(count) = history.counts.get_mut(bins.bin_of(job.run_time as f64)) {
            *count += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(user: i64, run_time: i64) -> Job {
        Job { user, run_time, limit: 1000, ..Job::default() }
    }

    fn shares(predictor: &mut User, user: i64) -> Vec<f64> {
        predictor.predict(&job(user, 0), 0).binned().unwrap().1.to_vec()
    }

    /// Bins below 10 s, below 100 s, above.
    fn predictor() -> User {
        User::new(RuntimeBins::new(10.0, 10.0, 3).unwrap(), 0.5, 2.0)
    }

    #[test]
    fn unknown_users_get_the_global_distribution() {
        let mut predictor = predictor();
        assert_eq!(predictor.predict(&job(1, 0), 0), RuntimeDistribution::limit());
        predictor.finished(&job(1, 5), 0);
        predictor.finished(&job(2, 50), 0);
        assert_eq!(shares(&mut predictor, 3), [0.5, 0.5, 0.0]);
    }

    #[test]
    fn recent_jobs_weigh_more() {
        let mut predictor = predictor();
        for run_time in [5, 50, 500] {
            predictor.finished(&job(1, run_time), 0);
        }
        // Own counts 1/4, 1/2, 1; global shares 1/3 each, twice.
        let total = 1.75 + 2.0;
        let expected = [0.25, 0.5, 1.0].map(|own| (own + 2.0 / 3.0) / total);
        for (share, expected) in shares(&mut predictor, 1).into_iter().zip(expected) {
            assert!((share - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn others_jobs_count_at_once() {
        let mut predictor = predictor();
        predictor.finished(&job(1, 5), 0);
        assert_eq!(shares(&mut predictor, 1), [1.0, 0.0, 0.0]);
        predictor.finished(&job(2, 500), 0);
        assert_eq!(shares(&mut predictor, 1), [2.0 / 3.0, 0.0, 1.0 / 3.0]);
    }
}
