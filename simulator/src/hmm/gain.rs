//! The information gain of a model on the second half of a trace (Nissimov 2006, section 3.1), in bits a job:
//!
//!     G = 1/n_v log2 Pr(R_v) + H(p_v) + D(p_v || p_t)
//!
//! n_v, R_v and p_v are number, run times and shares of bins of the second half's jobs; p_t is the shares of the first half's.
//! H + D is what a job costs when only the first half's distribution is known, so G = 0 for a model of one state. With a load
//! model Pr(R_v) is Pr(R_v | L_v) = Pr(R_v, L_v) / Pr(L_v), L_v being the number of jobs in each slot.
//!
//! * The halves meet at the start of the middle job's slot.
//! * Jobs of the second half in bins that the first half does not have are removed; their number is reported. (The thesis's
//!   safety probability would add the same to both sides and change nothing.)
//! * The probabilities of the states in the second half's first slot are those that the first half's observations predict.
//! * A model may still not explain the second half: bins that never met in one slot, in states that exclude each other.
//!   Then Pr(R_v) = 0, and there is no gain.

use super::Error;
use super::block::Block;
use super::model::Flat;
use super::sample::{Observed, Sample, cross_entropy, entropy};
use super::train::Load;
use serde::Serialize;
use std::f64::consts::LN_2;
use std::ops::Range;
use surefill::hmm::{Evidence, Hmm};

/// The second half.
#[derive(Debug, Clone)]
pub struct Test {
    block: Block,
    /// What is to be said of it.
    pub facts: Facts,
}

/// What a gain is of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Facts {
    /// Jobs trained on.
    pub training_jobs: u64,
    /// Slots trained on.
    pub training_slots: u64,
    /// Jobs tested on, n_v.
    pub test_jobs: u64,
    /// Slots tested on.
    pub test_slots: u64,
    /// Jobs of the second half in bins unknown to the first.
    pub removed_jobs: u64,
    /// H(p_v), in bits.
    pub test_entropy: f64,
    /// H(p_v) + D(p_v || p_t), in bits.
    pub base_bits: f64,
    /// H(p_t), in bits.
    pub training_entropy: f64,
}

/// The slots and the jobs of the first half.
///
/// # Errors
/// [`Error::NoHalves`].
pub fn training_half(sample: &Sample) -> Result<(Range<i64>, &[Observed]), Error> {
    let slots = sample.slots().start..sample.middle()?;
    let jobs = sample.jobs_in(&slots);
    Ok((slots, jobs))
}

impl Test {
    /// The second half of a sample, for models of so many states.
    ///
    /// # Errors
    /// [`Error::NoHalves`], [`Error::NothingToTest`], [`Error::Core`].
    pub fn new(sample: &Sample, states: u32) -> Result<Test, Error> {
        let (training_slots, training) = training_half(sample)?;
        let slots = training_slots.end..sample.slots().end;
        let seen = sample.counts(training);
        let known = |job: &&Observed| seen.get(job.bin as usize).is_some_and(|&count| count > 0);
        let all = sample.jobs_in(&slots);
        let jobs: Vec<Observed> = all.iter().filter(known).copied().collect();
        if jobs.is_empty() {
            return Err(Error::NothingToTest);
        }
        let counts = sample.counts(&jobs);
        let facts = Facts {
            training_jobs: training.len() as u64,
            training_slots: (training_slots.end - training_slots.start).unsigned_abs(),
            test_jobs: jobs.len() as u64,
            test_slots: (slots.end - slots.start).unsigned_abs(),
            removed_jobs: (all.len() - jobs.len()) as u64,
            test_entropy: entropy(&counts),
            base_bits: cross_entropy(&counts, &seen),
            training_entropy: entropy(&seen),
        };
        Ok(Test { block: Block::new(states, sample.bins.count(), slots, &jobs)?, facts })
    }

    /// The gain of a model that has observed the first half; `None` when it does not explain both.
    ///
    /// # Errors
    /// [`Error::Core`].
    pub fn gain(&mut self, model: &Hmm<'_>, load: Load) -> Result<Option<f64>, Error> {
        let mut flat = Flat::of(model)?;
        let mut states = vec![0.0; flat.start.len()];
        if model.filter(model.slots(), &mut states)? == f64::NEG_INFINITY {
            return Ok(None);
        }
        flat.start = flat.after(&states);
        let slots = self.block.slots();
        let mut hmm = self.block.hmm()?;
        hmm.set_parameters(&flat.parameters(load))?;
        let bits = run_time_bits(&hmm, slots, load)?;
        Ok(bits.map(|bits| bits / self.facts.test_jobs as f64 + self.facts.base_bits))
    }
}

/// log2 Pr(R | L) of these slots; `None` for minus infinity.
///
/// # Errors
/// [`Error::Core`].
pub fn run_time_bits(hmm: &Hmm<'_>, slots: Range<i64>, load: Load) -> Result<Option<f64>, Error> {
    let mut likelihood = hmm.log_likelihood(slots.clone(), Evidence::Jobs)?;
    if load != Load::None && likelihood.is_finite() {
        likelihood -= hmm.log_likelihood(slots, Evidence::LoadOnly)?;
    }
    Ok(likelihood.is_finite().then_some(likelihood / LN_2))
}
