//! The core's mixture of histories of like jobs (`surefill::predict::Predictor`), in two forms: the user's own jobs
//! alone, and ten experts on user, time limit and processors.

use super::DistributionPredictor;
use crate::trace::workload::Job;
use std::collections::HashMap;
use surefill::predict::{
    Expert, MixtureCapacity, Predictor, PredictorCapacity, PredictorKind, PredictorOptions, experts_of,
};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Number of histories kept: more than any archive trace has.
const HISTORIES: u32 = 1 << 17;

/// Keys of a job.
type Keys = [i64; 3];

/// Run times of like jobs.
pub struct Histories {
    memory: Vec<u64>,
    keys: usize,
    /// Predictions since the last job finished: they hold until the next.
    made: HashMap<Keys, RuntimeDistribution>,
}

impl Histories {
    /// The user's own finished jobs, recent ones weighing more, backing off to those of all users.
    pub fn user(bins: &RuntimeBins) -> Histories {
        Histories::new(bins, 1, &Expert::USER)
    }

    /// Ten experts on user, time limit and processors, with weights learnt for each user.
    pub fn mix(bins: &RuntimeBins) -> Histories {
        Histories::new(bins, 3, &Expert::MIX)
    }

    /// A predictor without anything learnt. Jobs are known by the first `keys` (at most 3) of user, time limit and
    /// processors, and the experts name no others.
    pub fn new(bins: &RuntimeBins, keys: usize, experts: &[Expert]) -> Histories {
        let mixture = MixtureCapacity {
            bins: bins.count() as u32,
            keys: keys as u32,
            experts: experts.len() as u32,
            histories: HISTORIES,
        };
        // Like jobs are known by their keys: none need be held.
        let kind = PredictorKind::Mixture;
        let capacity = PredictorCapacity { jobs: 1, mixture, ..PredictorCapacity::of(kind) };
        let options = PredictorOptions { experts: experts_of(experts), ..PredictorOptions::of(kind) };
        let size = Predictor::size(&capacity).expect("the capacity is in range");
        let mut memory = vec![0; size.div_ceil(8)];
        Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, bins, &options)
            .expect("bins and experts are as many as the capacity says");
        Histories { memory, keys, made: HashMap::new() }
    }

    fn predictor(&mut self) -> Predictor<'_> {
        Predictor::attach(bytemuck::cast_slice_mut(&mut self.memory)).expect("a predictor was made here")
    }

    fn keys(&self, job: &Job) -> Keys {
        let mut keys = [job.user, job.limit, job.processors.into()];
        keys[self.keys..].fill(0);
        keys
    }
}

impl DistributionPredictor for Histories {
    fn predict(&mut self, job: &Job, now: i64) -> RuntimeDistribution {
        let (keys, count) = (self.keys(job), self.keys);
        if let Some(made) = self.made.get(&keys) {
            return made.clone();
        }
        let made = self.predictor().predict(&keys[..count], now).expect("as many keys as it has");
        let made = made.unwrap_or(RuntimeDistribution::limit());
        self.made.insert(keys, made.clone());
        made
    }

    fn finished(&mut self, job: &Job, _now: i64) {
        let (keys, count) = (self.keys(job), self.keys);
        // The reader admits no run time beyond what a distribution holds.
        self.predictor().learn(&keys[..count], job.run_time).expect("a run time in range");
        self.made.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(user: i64, run_time: i64) -> Job {
        Job { user, run_time, limit: 1000, processors: 4, ..Job::default() }
    }

    fn shares(predictor: &mut Histories, job: &Job) -> Vec<f64> {
        predictor.predict(job, 0).binned().unwrap().1.to_vec()
    }

    /// Bins below 10 s, below 100 s, above.
    fn predictor() -> Histories {
        let user = Expert { keys: 1, reserved: 0, decay: 0.5, prior: 2.0 };
        Histories::new(&RuntimeBins::new(10.0, 10.0, 3).unwrap(), 1, &[user])
    }

    #[test]
    fn unknown_users_get_the_global_distribution() {
        let mut predictor = predictor();
        assert_eq!(predictor.predict(&job(1, 0), 0), RuntimeDistribution::limit());
        predictor.finished(&job(1, 5), 0);
        predictor.finished(&job(2, 50), 0);
        // The bin without any job has the safety distribution's share.
        assert_eq!(shares(&mut predictor, &job(3, 0)), [0.495, 0.495, 0.01]);
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
        for (share, expected) in shares(&mut predictor, &job(1, 0)).into_iter().zip(expected) {
            assert!((share - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn others_jobs_count_at_once() {
        let mut predictor = predictor();
        predictor.finished(&job(1, 5), 0);
        assert_eq!(shares(&mut predictor, &job(1, 0)), [0.99, 0.005, 0.005]);
        predictor.finished(&job(2, 500), 0);
        for (share, expected) in
            shares(&mut predictor, &job(1, 0)).into_iter().zip([0.99 * 2.0 / 3.0, 0.01, 0.99 / 3.0])
        {
            assert!((share - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn a_mixture_learns_which_likeness_matters() {
        // Short with one limit, long with the other: the user alone predicts little.
        let mut predictor = Histories::mix(&RuntimeBins::default());
        let with_limit = |limit, run_time| Job { limit, ..job(1, run_time) };
        for _ in 0..40 {
            predictor.finished(&with_limit(600, 20), 0);
            predictor.finished(&with_limit(7200, 5000), 0);
        }
        // The bins never seen share a hundredth.
        let (bins, short) = (RuntimeBins::default(), shares(&mut predictor, &with_limit(600, 0)));
        assert!(short[bins.bin_of(20.0)] > 0.94, "{short:?}");
        let long = shares(&mut predictor, &with_limit(7200, 0));
        assert!(long[bins.bin_of(5000.0)] > 0.94, "{long:?}");
    }
}
