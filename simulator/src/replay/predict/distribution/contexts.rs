//! The core's geometric mixture of contexts (`surefill::predict::ContextMixture`): a job's distribution is that of its submission.

use super::DistributionPredictor;
use crate::trace::workload::{Job, JobId};
use std::collections::HashMap;
use surefill::predict::{ContextCapacity, ContextMixture};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Jobs in the system at a time: more than any archive trace has.
const JOBS: u32 = 1 << 14;

/// What like jobs ran, in many ways of being alike.
pub struct Contexts {
    memory: Vec<u64>,
    bins: RuntimeBins,
    /// Records that are free, the next to be used last.
    free: Vec<u32>,
    /// Records of the jobs in the system, and what was believed of them when they were submitted.
    beliefs: HashMap<JobId, (u32, RuntimeDistribution)>,
}

impl Contexts {
    /// Nothing learnt yet.
    pub fn new(bins: &RuntimeBins) -> Contexts {
        let capacity =
            ContextCapacity { bins: bins.count() as u32, jobs: JOBS, ..ContextCapacity::default() };
        let size = ContextMixture::size(&capacity).expect("the capacity is in range");
        let mut memory = vec![0; size.div_ceil(8)];
        ContextMixture::init(bytemuck::cast_slice_mut(&mut memory), &capacity, bins)
            .expect("bins are as many as the capacity says");
        Contexts { memory, bins: bins.clone(), free: (0..JOBS).rev().collect(), beliefs: HashMap::new() }
    }

    fn mixture(&mut self) -> ContextMixture<'_> {
        ContextMixture::attach(bytemuck::cast_slice_mut(&mut self.memory)).expect("a mixture was made here")
    }
}

impl DistributionPredictor for Contexts {
    fn predict(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        self.beliefs.get(&job.id).map_or(RuntimeDistribution::limit(), |(_, belief)| belief.clone())
    }

    fn submitted(&mut self, job: &Job, now: i64) {
        let record = self.free.pop().expect("room for every job in the system");
        let keys = [job.user, job.limit, job.processors.into()];
        let mut probabilities = vec![0.0; self.bins.count()];
        let learnt = self.mixture().submit(record, &keys, now, &mut probabilities).expect("a free record");
        let belief = if learnt {
            RuntimeDistribution::from_counts(&self.bins, &probabilities).expect("probabilities")
        } else {
            RuntimeDistribution::limit()
        };
        self.beliefs.insert(job.id, (record, belief));
    }

    fn started(&mut self, job: &Job, now: i64) {
        if let Some((record, _)) = self.beliefs.get(&job.id) {
            let record = *record;
            self.mixture().start(record, now).expect("a submitted job");
        }
    }

    fn finished(&mut self, job: &Job, now: i64) {
        if let Some((record, _)) = self.beliefs.remove(&job.id) {
            // The reader admits no run time beyond what a distribution holds.
            self.mixture().end(record, job.run_time, now).expect("a submitted job");
            self.free.push(record);
        }
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
        assert_eq!(predictor.free.len(), JOBS as usize - 1);
    }
}
