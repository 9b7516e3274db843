//! The core's on-line hidden Markov model of run times (`surefill::predict::Predictor`), as Nissimov's thesis uses it
//! (chapter 5): a job's distribution is that of its submission, and when the model is silent the job has its limit.

use super::DistributionPredictor;
use crate::workload::{Job, JobId};
use std::collections::HashMap;
use surefill::hmm::HmmLimits;
use surefill::predict::{Learning, Predictor, PredictorLimits, PredictorOptions};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Longer and larger than any archive trace: nothing has to leave the history.
const SLOTS: u32 = 1 << 18;
const CELLS: u32 = 1 << 20;
/// Jobs in the system at a time.
const JOBS: u32 = 1 << 16;
/// Slots from the oldest with a job in the system to the present: half a year of quarters of an hour.
const WINDOW: u32 = 1 << 14;

/// The hidden Markov model with the thesis's parameters: 16 states, slots of 15 min, bins of ratio 1.8.
pub struct Hmm {
    memory: Vec<u64>,
    /// What the jobs in the system were believed to run when they were submitted.
    beliefs: HashMap<JobId, RuntimeDistribution>,
}

impl Hmm {
    /// Learns by Baum-Welch; nothing learnt yet.
    pub fn new(bins: &RuntimeBins, options: &PredictorOptions) -> Hmm {
        Hmm::learning(bins, options, 0)
    }

    /// Learns slot by slot, by recursive expectation-maximisation; nothing learnt yet.
    pub fn online(bins: &RuntimeBins, options: &PredictorOptions) -> Hmm {
        Hmm::learning(bins, options, 1)
    }

    fn learning(bins: &RuntimeBins, options: &PredictorOptions, online: u32) -> Hmm {
        let hmm = HmmLimits { bins: bins.count() as u32, slots: SLOTS, cells: CELLS, ..HmmLimits::default() };
        let limits = PredictorLimits { jobs: JOBS, hmm, window: WINDOW, online };
        let size = Predictor::size(&limits).expect("the limits are in range");
        let mut memory = vec![0; size.div_ceil(8)];
        Predictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, bins, options)
            .expect("the options are in range");
        Hmm { memory, beliefs: HashMap::new() }
    }

    fn predictor(&mut self) -> Predictor<'_> {
        Predictor::attach(bytemuck::cast_slice_mut(&mut self.memory)).expect("a predictor was made here")
    }

    fn train(&mut self) {
        let mut predictor = self.predictor();
        while predictor.wants_training() {
            if predictor.train(u64::MAX).expect("the predictor is whole") == Learning::Idle {
                break;
            }
        }
    }
}

impl Default for Hmm {
    fn default() -> Hmm {
        Hmm::new(&RuntimeBins::default(), &PredictorOptions::default())
    }
}

impl DistributionPredictor for Hmm {
    fn predict(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        self.beliefs.get(&job.id).cloned().unwrap_or(RuntimeDistribution::limit())
    }

    fn submitted(&mut self, job: &Job, now: i64) {
        let mut predictor = self.predictor();
        predictor.submit(job.id as i64, now).expect("a new job, in order of time");
        let belief = predictor.predict(now).expect("the predictor is whole");
        self.beliefs.insert(job.id, belief.unwrap_or(RuntimeDistribution::limit()));
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.predictor().start(job.id as i64, now).expect("a submitted job, in order of time");
    }

    fn finished(&mut self, job: &Job, now: i64) {
        self.predictor().end(job.id as i64, now).expect("a started job, in order of time");
        self.beliefs.remove(&job.id);
        self.train();
    }
}
