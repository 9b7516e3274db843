//! The core's on-line hidden Markov model of run times (`surefill::predict::Predictor`), as Nissimov's thesis uses it
//! (chapter 5): a job's distribution is that of its submission, and when the model is silent the job has its limit.

use super::DistributionPredictor;
use crate::trace::workload::Job;
use surefill::hmm::HmmCapacity;
use surefill::predict::{Learning, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Number of slots and cells: larger than any archive trace, so that nothing has to leave the history.
const SLOTS: u32 = 1 << 18;
const CELLS: u32 = 1 << 20;
/// Number of jobs in the system at a time.
const JOBS: u32 = 1 << 16;
/// Number of slots from the oldest with a job in the system to the present: half a year of quarters of an hour.
const WINDOW: u32 = 1 << 14;

/// The hidden Markov model with the thesis's parameters: 16 states, slots of 15 min, bins of ratio 1.8.
pub struct HmmPredictor {
    memory: Vec<u64>,
}

impl HmmPredictor {
    /// Learns by Baum-Welch; nothing learnt yet.
    pub fn new(bins: &RuntimeBins, options: &PredictorOptions) -> HmmPredictor {
        HmmPredictor::learning(bins, options, PredictorKind::Hmm)
    }

    /// Learns slot by slot, by recursive expectation-maximisation; nothing learnt yet.
    pub fn online(bins: &RuntimeBins, options: &PredictorOptions) -> HmmPredictor {
        HmmPredictor::learning(bins, options, PredictorKind::HmmOnline)
    }

    fn learning(bins: &RuntimeBins, options: &PredictorOptions, kind: PredictorKind) -> HmmPredictor {
        let hmm =
            HmmCapacity { bins: bins.count() as u32, slots: SLOTS, cells: CELLS, ..HmmCapacity::default() };
        let limits = PredictorCapacity { jobs: JOBS, hmm, window: WINDOW, ..PredictorCapacity::of(kind) };
        // No job of a trace stays for ever.
        let options = PredictorOptions { oldest_seconds: 1 << 40, ..*options };
        let size = Predictor::size(&limits).expect("the limits are in range");
        let mut memory = vec![0; size.div_ceil(8)];
        Predictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, bins, &options)
            .expect("the options are in range");
        HmmPredictor { memory }
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

impl Default for HmmPredictor {
    fn default() -> HmmPredictor {
        HmmPredictor::new(&RuntimeBins::default(), &PredictorOptions::of(PredictorKind::Hmm))
    }
}

impl DistributionPredictor for HmmPredictor {
    fn predict(&mut self, job: &Job, _now: i64) -> RuntimeDistribution {
        let said = self.predictor().said(job.id as i64);
        said.ok().and_then(Result::ok).unwrap_or(RuntimeDistribution::limit())
    }

    fn submitted(&mut self, job: &Job, now: i64) {
        self.predictor().submit(job.id as i64, &[], now).expect("a new job, in order of time");
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.predictor().start(job.id as i64, now).expect("a submitted job, in order of time");
    }

    fn finished(&mut self, job: &Job, now: i64) {
        self.predictor().end(job.id as i64, now).expect("a started job, in order of time");
        self.train();
    }
}
