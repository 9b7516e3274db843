//! The information gain of a model on the second half of a trace (Nissimov 2006, section 3.1), in bits a job:
//!
//! ```text
//! G = 1/n_v log2 Pr(R_v) + H(p_v) + D(p_v || p_t)
//! ```
//!
//! n_v, R_v and p_v are number, run times and shares of bins of the second half's jobs; p_t is the shares of the first
//! half's. H + D is what a job costs when only the first half's distribution is known, so G = 0 for a model of one
//! state. With a load model Pr(R_v) is Pr(R_v | L_v) = Pr(R_v, L_v) / Pr(L_v), L_v being the number of jobs in each
//! slot.
//!
//! * The halves meet at the start of the middle job's slot.
//! * Jobs of the second half in bins that the first half does not have are removed; their number is reported. (The
//!   thesis's safety probability would add the same to both sides and change nothing.)
//! * The probabilities of the states in the second half's first slot are those that the first half's observations
//!   predict.
//! * A model may still exclude the second half: bins that never met in one slot, in states that exclude each other
//!   (section 3.4.3). Then Pr(R_v) = 0, and there is no gain. So the gain is also given with the safety distribution in
//!   every state, epsilon = 1 / (n_t + 1) with n_t jobs trained on: B'_ij = B_ij (1 - epsilon) where B_ij > 0, epsilon
//!   shared by the bins where it is 0; and so in p_t. It is always finite.

use crate::generate::hmm::Error;
use crate::generate::hmm::block::Block;
use crate::generate::hmm::flat::{Flat, Load};
use crate::generate::hmm::sample::{Observed, Sample, cross_entropy, entropy, safety};
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;
use std::ops::Range;
use surefill::hmm::{Evidence, Hmm};

/// Data that a model is tested on.
#[derive(Debug, Clone)]
pub struct Test {
    block: Block,
    load: Load,
    /// That of the safety distribution.
    epsilon: f64,
    /// H(p_v) + D(p_v || p_t), p_t made safe.
    safe_base_bits: f64,
    /// The facts of it, for reports.
    pub facts: Facts,
}

/// The facts of a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Jobs, n_v.
    pub jobs: u64,
    /// Slots.
    pub slots: u64,
    /// Jobs removed: their bins are unknown to the first half.
    pub removed_jobs: u64,
    /// H(p_v), in bits.
    pub entropy: f64,
    /// H(p_v) + D(p_v || p_t), in bits.
    pub base_bits: f64,
}

/// Jobs and the slots from their first to their last.
pub type Part<'a> = (Range<i64>, &'a [Observed]);

/// The first half, to train on; the second, to test on.
///
/// # Errors
/// [`Error::NoHalves`].
pub fn halves(sample: &Sample) -> Result<(Part<'_>, Part<'_>), Error> {
    let (all, middle) = (sample.slots(), sample.middle()?);
    let part = |slots: Range<i64>| (slots.clone(), sample.jobs_in(&slots));
    Ok((part(all.start..middle), part(middle..all.end)))
}

impl Test {
    /// The second half of a sample, for models of this number of states.
    ///
    /// # Errors
    /// [`Error::NoHalves`], [`Error::NothingToTest`], [`Error::Core`].
    pub fn new(sample: &Sample, states: u32, load: Load) -> Result<Test, Error> {
        let ((_, training), (slots, all)) = halves(sample)?;
        let seen = sample.counts(training);
        let known = |job: &&Observed| seen.get(job.bin as usize).is_some_and(|&count| count > 0);
        let jobs: Vec<Observed> = all.iter().filter(known).copied().collect();
        if jobs.is_empty() {
            return Err(Error::NothingToTest);
        }
        let counts = sample.counts(&jobs);
        let facts = Facts {
            jobs: jobs.len() as u64,
            slots: (slots.end - slots.start).unsigned_abs(),
            removed_jobs: (all.len() - jobs.len()) as u64,
            entropy: entropy(&counts),
            base_bits: cross_entropy(&counts, &seen),
        };
        let epsilon = safety(training.len() as f64);
        // The bins tested all have jobs in the first half: safety takes the same share from each, if a bin is without.
        let lost = if seen.contains(&0) { -libm::log2(1.0 - epsilon) } else { 0.0 };
        let safe_base_bits = facts.base_bits + lost;
        let block = Block::new(states, sample.bins.count(), slots, &jobs)?;
        Ok(Test { block, load, epsilon, safe_base_bits, facts })
    }

    /// The gain of a model that is in one of its states with these probabilities in the last slot before; `None` when
    /// it excludes what is tested. Or that of the model made `safe`.
    ///
    /// # Errors
    /// [`Error::Core`].
    pub fn gain(&mut self, model: &Hmm<'_>, states: &[f64], safe: bool) -> Result<Option<f64>, Error> {
        let mut flat = Flat::of(model)?;
        flat.start = flat.after(states);
        if safe {
            flat.make_safe(self.epsilon);
        }
        let slots = self.block.slots();
        let mut hmm = self.block.hmm()?;
        hmm.set_parameters(&flat.parameters(self.load))?;
        let likelihood = hmm.log_likelihood(slots.clone(), Evidence::Jobs)?;
        let bits = run_time_bits(&hmm, slots, likelihood)?;
        let base = if safe { self.safe_base_bits } else { self.facts.base_bits };
        Ok(bits.map(|bits| bits / self.facts.jobs as f64 + base))
    }
}

/// log2 Pr(R | L) of slots whose ln Pr(R, L) is `likelihood`; `None` for minus infinity.
///
/// # Errors
/// [`Error::Core`].
pub fn run_time_bits(hmm: &Hmm<'_>, slots: Range<i64>, likelihood: f64) -> Result<Option<f64>, Error> {
    if !likelihood.is_finite() {
        return Ok(None);
    }
    // Without a load model the load is certain, ln Pr(L) = 0.
    let load =
        if hmm.load() == Load::None.model() { 0.0 } else { hmm.log_likelihood(slots, Evidence::LoadOnly)? };
    Ok(Some((likelihood - load) / LN_2))
}
