//! The core's predictor of kind contexts (`surefill::predict::Predictor`): a job's distribution is that of its
//! submission.

use super::DistributionPredictor;
use crate::trace::workload::Job;
use surefill::predict::{MixtureCapacity, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Number of jobs in the system for which there is room at first.
const JOBS: u32 = 1 << 10;

/// Options with which a replay, which loses no ends, gives up no job however long it waits.
fn options() -> PredictorOptions {
    PredictorOptions { oldest_seconds: 1 << 40, ..PredictorOptions::of(PredictorKind::Contexts) }
}

/// Run times of like jobs, in many ways of being alike.
pub struct Contexts {
    memory: Vec<u64>,
    capacity: PredictorCapacity,
    bins: RuntimeBins,
}

/// The memory of an empty predictor.
fn block(capacity: &PredictorCapacity, bins: &RuntimeBins) -> Vec<u64> {
    let size = Predictor::size(capacity).expect("the capacity is in range");
    let mut memory = vec![0; size.div_ceil(8)];
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), capacity, bins, &options())
        .expect("bins are as many as the capacity says");
    memory
}

fn keys(job: &Job) -> [i64; 3] {
    [job.user_or_queue(), job.limit, job.processors.into()]
}

impl Contexts {
    /// A predictor without anything learnt.
    pub fn new(bins: &RuntimeBins) -> Contexts {
        let kind = PredictorKind::Contexts;
        let own = PredictorCapacity::of(kind);
        let mixture = MixtureCapacity { bins: bins.count() as u32, ..own.mixture };
        let capacity = PredictorCapacity { jobs: JOBS, mixture, ..own };
        Contexts { memory: block(&capacity, bins), capacity, bins: bins.clone() }
    }

    fn predictor(&mut self) -> Predictor<'_> {
        Predictor::attach(bytemuck::cast_slice_mut(&mut self.memory)).expect("a predictor was made here")
    }

    /// Makes room for twice the number of jobs.
    fn grow(&mut self) {
        let capacity = PredictorCapacity { jobs: 2 * self.capacity.jobs, ..self.capacity };
        let mut memory = block(&capacity, &self.bins);
        let mut larger =
            Predictor::attach(bytemuck::cast_slice_mut(&mut memory)).expect("a predictor was made here");
        larger.continue_from(&self.predictor()).expect("the larger one has room");
        (self.memory, self.capacity) = (memory, capacity);
    }
}

impl DistributionPredictor for Contexts {
    fn predict(&mut self, job: &Job, now: i64) -> RuntimeDistribution {
        let mut predictor = self.predictor();
        // For a job that might be submitted, the prediction of now.
        let said = predictor.said(job.id as i64).or_else(|_| predictor.predict(&keys(job), now));
        said.expect("three keys").unwrap_or(RuntimeDistribution::limit())
    }

    fn predict_now(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        let predicted = self.predictor().predict_job(job.id as i64).expect("a submitted job");
        predicted.unwrap_or(RuntimeDistribution::limit())
    }

    fn submitted(&mut self, job: &Job, now: i64) {
        if self.predictor().jobs() == self.capacity.jobs {
            self.grow();
        }
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
        let prediction = predictor.predict(&job, 60_000);
        assert!(prediction.binned().unwrap().1[bins.bin_of(20.0)] > 0.9, "{prediction:?}");
        assert_eq!(predictor.predictor().jobs(), 1);
    }

    /// A predictor that grows predicts like one that had room from the beginning.
    #[test]
    fn has_room_for_all_who_wait() {
        let bins = RuntimeBins::default();
        let mut small = Contexts::new(&bins);
        let mut large = Contexts::new(&bins);
        for _ in 0..2 {
            large.grow();
        }
        let jobs = 3 * JOBS as usize;
        let job = |id: usize| Job {
            id,
            user: (id % 7) as i64,
            run_time: 10 + (id % 13) as i64 * 100,
            limit: 3_600,
            processors: 1 + (id % 3) as u32,
            ..Job::default()
        };
        for id in 0..jobs {
            small.submitted(&job(id), id as i64);
            large.submitted(&job(id), id as i64);
        }
        assert_eq!((small.predictor().jobs(), small.capacity.jobs), (3 * JOBS, 4 * JOBS));
        for id in 0..jobs {
            let (job, now) = (job(id), 5_000 + 2_000 * id as i64);
            for predictor in [&mut small, &mut large] {
                predictor.started(&job, now);
                predictor.finished(&job, now + job.run_time);
            }
            if id % 100 == 0 {
                let next = Job { id: jobs, ..job };
                assert_eq!(small.predict(&next, now + 1_999), large.predict(&next, now + 1_999));
            }
        }
    }
}
