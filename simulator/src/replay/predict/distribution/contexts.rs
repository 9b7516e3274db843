//! The core's predictor of kind contexts (`surefill::predict::Predictor`): a job's distribution is that of its
//! submission.

use super::DistributionPredictor;
use crate::trace::workload::Job;
use surefill::predict::{MixtureCapacity, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Jobs in the system at a time: more than any archive trace has.
const JOBS: u32 = 1 << 14;

/// What like jobs ran, in many ways of being alike.
pub struct Contexts {
    memory: Vec<u64>,
}

fn keys(job: &Job) -> [i64; 3] {
    [job.user, job.limit, job.processors.into()]
}

impl Contexts {
    /// Nothing learnt yet.
    pub fn new(bins: &RuntimeBins) -> Contexts {
        let kind = PredictorKind::Contexts;
        let own = PredictorCapacity::of(kind);
        let mixture = MixtureCapacity { bins: bins.count() as u32, ..own.mixture };
        let capacity = PredictorCapacity { jobs: JOBS, mixture, ..own };
        // A trace loses no ends, however long jobs wait.
        let options = PredictorOptions { oldest_seconds: 1 << 40, ..PredictorOptions::of(kind) };
        let size = Predictor::size(&capacity).expect("the capacity is in range");
        let mut memory = vec![0; size.div_ceil(8)];
        Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, bins, &options)
            .expect("bins are as many as the capacity says");
        Contexts { memory }
    }

    fn predictor(&mut self) -> Predictor<'_> {
        Predictor::attach(bytemuck::cast_slice_mut(&mut self.memory)).expect("a predictor was made here")
    }
}

impl DistributionPredictor for Contexts {
    fn predict(&mut self, job: &Job, now: i64) -> RuntimeDistribution {
        let mut predictor = self.predictor();
        // Of jobs that might be submitted, what would be said now.
        let said = predictor.said(job.id as i64).or_else(|_| predictor.predict(&keys(job), now));
        said.expect("three keys").unwrap_or(RuntimeDistribution::limit())
    }

    fn predict_now(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        let predicted = self.predictor().predict_job(job.id as i64).expect("a submitted job");
        predicted.unwrap_or(RuntimeDistribution::limit())
    }

    fn submitted(&mut self, job: &Job, now: i64) {
        self.predictor().submit(job.id as i64, &keys(job), now).expect("room for every job in the system");
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.predictor().start(job.id as i64, now).expect("a submitted job");
    }

    fn finished(&mut self, job: &Job, now: i64) {
        self.predictor().end(job.id as i64, now).expect("a started job");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_what_like_jobs_ran() {
        let bins = RuntimeBins::default();
        let mut predictor = Contexts::new(&bins);
        let mut job = Job { user: 1, run_time: 20, limit: 600, processors: 4, ..Job::default() };
        for id in 0..40 {
            let now = 1000 * id as i64;
            job.id = id;
            predictor.submitted(&job, now);
            if id == 0 {
                assert_eq!(predictor.predict(&job, now), RuntimeDistribution::limit());
            }
            predictor.started(&job, now);
            predictor.finished(&job, now + 20);
        }
        job.id = 40;
        predictor.submitted(&job, 50_000);
        let belief = predictor.predict(&job, 60_000);
        assert!(belief.binned().unwrap().1[bins.bin_of(20.0)] > 0.9, "{belief:?}");
        assert_eq!(predictor.predictor().jobs(), 1);
    }
}
