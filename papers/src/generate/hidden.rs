//! The `hmm` model: a workload drawn from a hidden Markov model with a load model (Nissimov 2006, which names this as
//! future work).
//!
//! Slot after slot the model is in a state, which says how many jobs come and how their run times are distributed over
//! bins; they come at any time of the slot. The model does not say more: one of the bin's jobs in the trace gives run
//! time and processors ([`Shapes`] says which); a bin without any gives a run time log-uniform within the bin (its last
//! bin, which is open, ends after one more ratio), and any job of the trace the processors. Users and requests are
//! those of [`super::people`], or that job's own, or those of a run of like jobs ([`super::runs`]).
//!
//! A chain that gets into states without jobs for 2^24 slots, longer than any trace, starts again from its first
//! distribution.

use super::chain::Chain;
use super::people::People;
use super::runs::{Going, Runs};
use crate::generate::hmm::block::Block;
use crate::generate::hmm::flat::{Flat, Load};
use crate::generate::hmm::model::Model;
use crate::generate::hmm::sample::{Binning, Sample};
use crate::generate::hmm::train::{Options, train};
use surefill_simulator::base::random::Random;
use surefill_simulator::generate::{History, Past, job};
use surefill_simulator::trace::swf::{MAX_VALUE, SwfJob};
use surefill_simulator::trace::workload::Job;

/// After this number of slots without a job in a row there are no more jobs.
const SILENCE: u32 = 1 << 24;

/// Which of the trace's jobs in a bin gives a job its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Shapes {
    /// Any, with the same probability
    #[default]
    Bin,
    /// One in the next state of the calibrated Markov chain of processors (Song, Ernemann & Yahyapour 2004)
    Chain,
    /// One by the chain, in runs of like jobs of one user, of which as many as in the trace use up their limits
    Runs,
    /// Any, with its user, request and program
    Whole,
}

impl Shapes {
    /// Its name on the command line.
    pub fn text(self) -> &'static str {
        match self {
            Shapes::Bin => "bin",
            Shapes::Chain => "chain",
            Shapes::Runs => "runs",
            Shapes::Whole => "whole",
        }
    }
}

/// The model and what stands beside it.
#[derive(Debug, Clone)]
pub struct Hidden {
    model: Flat,
    load: Load,
    slot_s: i64,
    /// The ends of each bin, in seconds.
    bins: Vec<(f64, f64)>,
    people: People,
    /// The jobs of each bin.
    by_bin: Vec<Vec<Past>>,
    shapes: Shapes,
    /// The chain of processors, and which of a bin's jobs are in each of its states.
    chain: Option<(Chain, Vec<ByState>)>,
    /// Runs of like jobs.
    runs: Option<Runs>,
    processors: Vec<u32>,
    /// When the first slot begins.
    begin: i64,
}

/// Which of a bin's jobs are in each state of the chain of processors.
type ByState = Vec<Vec<u32>>;

/// Why a model generates nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HiddenError {
    /// It has no load model.
    #[error("a model without a load model generates no jobs: train it with --load poisson or geometric")]
    NoLoad,
    /// In the long run no job comes.
    #[error("the model's states have no jobs: nothing would ever be generated")]
    Silent,
    /// The text is no model.
    #[error(transparent)]
    Model(#[from] crate::generate::hmm::Error),
}

/// Trains the model that `surefill-papers generate` takes where none is given: 16 states, geometric load, on all jobs
/// of a trace. `progress` is called for every round, of [`most_rounds`] at most.
///
/// # Errors
/// [`crate::generate::hmm::Error`].
pub fn learn(history: &History, progress: impl Fn(u64)) -> Result<Model, crate::generate::hmm::Error> {
    let job = |past: &Past| Job { submit: past.submit, run_time: past.run_time, ..Job::default() };
    let jobs: Vec<Job> = history.jobs.iter().map(job).collect();
    let binning = Binning::default();
    let sample = Sample::new(&jobs, binning.slot_s, binning.bins(&jobs)?)?;
    let options = options();
    let mut block = Block::new(options.states, sample.bins.count(), sample.slots(), &sample.jobs)?;
    let trained = train(&mut block, &sample.slots(), &options, None, |round, _| {
        progress(round);
        Ok(())
    })?;
    Model::new(&block.hmm()?, &history.name, &sample, options.load, &trained)
}

fn options() -> Options {
    Options { load: Load::Geometric, ..Options::default() }
}

/// The most rounds that [`learn`] takes.
pub fn most_rounds() -> u64 {
    options().most_rounds
}

impl Hidden {
    /// With the processors, users and requests of a trace.
    ///
    /// # Errors
    /// [`HiddenError`].
    pub fn new(model: &Model, history: &History, shapes: Shapes) -> Result<Hidden, HiddenError> {
        if model.load == Load::None {
            return Err(HiddenError::NoLoad);
        }
        let (bins, flat) = (model.bins()?, model.flat());
        let mean = |parameter: &f64| match model.load {
            Load::Geometric => 1.0 / parameter - 1.0,
            _ => *parameter,
        };
        let jobs: f64 =
            flat.stationary().iter().zip(&flat.load_parameter).map(|(share, load)| share * mean(load)).sum();
        // A job in 2^24 slots counts as no job.
        if !(jobs.is_finite() && jobs * f64::from(SILENCE) >= 1.0) {
            return Err(HiddenError::Silent);
        }
        let ends = |bin: usize| {
            let low = bins.lower(bin).unwrap_or(0.0).max(1.0);
            let high = bins.upper(bin).filter(|high| high.is_finite()).unwrap_or(low * model.ratio);
            (low, high.max(low))
        };
        let mut by_bin = vec![Vec::new(); bins.count()];
        for job in &history.jobs {
            by_bin[bins.bin_of(job.run_time as f64)].push(*job);
        }
        let chain =
            Chain::split(&history.processors()).filter(|_| matches!(shapes, Shapes::Chain | Shapes::Runs));
        let chain = chain.map(|chain| {
            let of_bin = |jobs: &Vec<Past>| {
                let mut by_state = vec![Vec::new(); chain.states()];
                for (job, index) in jobs.iter().zip(0..) {
                    let state = chain.state(u64::from(job.processors));
                    state.into_iter().for_each(|state| by_state[state].push(index));
                }
                by_state
            };
            let by_state = by_bin.iter().map(of_bin).collect();
            (chain, by_state)
        });
        let first = history.jobs.first().map_or(0, |job| job.submit);
        Ok(Hidden {
            model: flat,
            load: model.load,
            slot_s: model.slot_s,
            bins: (0..bins.count()).map(ends).collect(),
            people: People::new(&history.jobs),
            by_bin,
            shapes,
            chain,
            runs: (shapes == Shapes::Runs).then(|| Runs::new(&history.jobs)),
            processors: history.jobs.iter().map(|job| job.processors).collect(),
            begin: first.div_euclid(model.slot_s) * model.slot_s,
        })
    }

    /// Gives jobs to `each` in order of submission until it says no.
    pub(super) fn jobs<E>(
        &self,
        random: &mut Random,
        count: u64,
        mut each: impl FnMut(SwfJob) -> Result<(), E>,
    ) -> Result<(), E> {
        let states = self.model.start.len();
        let mut crowd = self.people.crowd();
        let mut begin = self.begin.max(0);
        let mut number = 0;
        let mut silence = 0;
        let mut place = None;
        let mut going: Option<Going> = None;
        let mut state = random.weighted(&self.model.start);
        while number < count {
            let parameter = self.model.load_parameter[state];
            let mut left = match self.load {
                Load::Geometric => random.geometric(parameter),
                _ => random.poisson(parameter),
            };
            silence = if left > 0 { 0 } else { silence + 1 };
            let emission = &self.model.emission[state * self.bins.len()..(state + 1) * self.bins.len()];
            let mut at = 0.0;
            while left > 0 && number < count {
                number += 1;
                // The earliest of as many uniform times as are left.
                at = 1.0 - (1.0 - at) * libm::pow(1.0 - random.uniform(), 1.0 / left as f64);
                left -= 1;
                let submit = begin.saturating_add((at * self.slot_s as f64) as i64);
                let submit = submit.min(begin.saturating_add(self.slot_s - 1)).min(MAX_VALUE);
                let shape = self.shape(random.weighted(emission), &mut place, random);
                if let Shape::Whole(job) = shape {
                    each(job.again(number as i64, submit))?;
                    continue;
                }
                let (processors, run_time) = shape.of();
                if let Some(runs) = &self.runs {
                    let drawn = runs.next(&mut going, (processors, run_time), submit, &self.people, random);
                    let shape = (drawn.processors, drawn.run_time);
                    each(job(number as i64, submit, shape, drawn.request, drawn.user))?;
                    continue;
                }
                let submitter = crowd.submitter(processors, run_time, random);
                each(job(number as i64, submit, (processors, run_time), submitter.request, submitter.user))?;
            }
            begin = begin.saturating_add(self.slot_s);
            state = if silence >= SILENCE {
                silence = 0;
                random.weighted(&self.model.start)
            } else {
                random.weighted(&self.model.transition[state * states..(state + 1) * states])
            };
        }
        Ok(())
    }

    /// A job of this bin; `place` is where the chain of processors is.
    fn shape(&self, bin: usize, place: &mut Option<usize>, random: &mut Random) -> Shape<'_> {
        let jobs = self.by_bin[bin].as_slice();
        if jobs.is_empty() {
            let processors = self.processors[random.index(self.processors.len())];
            let (low, high) = self.bins[bin];
            // Whole seconds, not below the bin.
            let run_time = (random.log_uniform(low, high) as i64).max(libm::ceil(low) as i64).min(MAX_VALUE);
            return Shape::Drawn(processors, run_time);
        }
        let job = match &self.chain {
            Some((chain, by_state)) => {
                let (index, state) = chained(chain, &by_state[bin], *place, random);
                *place = Some(state);
                &jobs[index]
            }
            None => &jobs[random.index(jobs.len())],
        };
        match self.shapes {
            Shapes::Whole => Shape::Whole(job),
            _ => Shape::Drawn(job.processors, job.run_time),
        }
    }
}

/// Size and run time of a job.
enum Shape<'a> {
    /// Processors and run time; user and request are to be drawn.
    Drawn(u32, i64),
    /// A job of the trace.
    Whole(&'a Past),
}

impl Shape<'_> {
    fn of(&self) -> (u32, i64) {
        match *self {
            Shape::Drawn(processors, run_time) => (processors, run_time),
            Shape::Whole(job) => (job.processors, job.run_time),
        }
    }
}

/// One of a bin's jobs, and its state of processors: state k after j with a probability in proportion to p_jk times the
/// share of k's jobs that are in this bin, which is what follows if the bin depends on j through k only; any job where
/// the chain allows none.
fn chained(
    chain: &Chain,
    by_state: &[Vec<u32>],
    place: Option<usize>,
    random: &mut Random,
) -> (usize, usize) {
    let place = place.unwrap_or(chain.first());
    let weight = |(state, jobs): (usize, &Vec<u32>)| {
        chain.probability(place, state) * jobs.len() as f64 / chain.count(state).max(1) as f64
    };
    let mut weights: Vec<f64> = by_state.iter().enumerate().map(weight).collect();
    if weights.iter().sum::<f64>() <= 0.0 {
        weights = by_state.iter().map(|jobs| jobs.len() as f64).collect();
    }
    let state = random.weighted(&weights);
    let jobs = &by_state[state];
    (jobs[random.index(jobs.len())] as usize, state)
}
