//! The learners, one for each kind of predictor, and their place in the predictor's block.

use crate::error::{Error, Result};
use crate::memory::{Carver, Object};
use crate::predict::jobs::Jobs;
use crate::predict::safety::make_safe;
use crate::predict::tracker::Tracker;
use crate::predict::{
    ContextMixture, Expert, Mixture, PredictorCapacity, PredictorKind, PredictorOptions, Silence,
};
use crate::runtime::RuntimeBins;

/// The learner of a kind. There is no heap to put the larger one on.
#[allow(clippy::large_enum_variant)]
pub(super) enum Learner<'a> {
    Mixture(Mixture<'a>),
    Hmm(Tracker<'a>),
    Contexts(ContextMixture<'a>),
}

/// The experts of a mixture.
fn experts<'o>(capacity: &PredictorCapacity, options: &'o PredictorOptions) -> Result<&'o [Expert]> {
    options.experts.get(..capacity.mixture.experts as usize).ok_or(Error::OutOfRange)
}

impl<'a> Learner<'a> {
    /// Bytes that a learner needs.
    pub fn size(capacity: &PredictorCapacity) -> Result<usize> {
        match capacity.kind {
            PredictorKind::Hmm | PredictorKind::HmmOnline => Tracker::size(capacity),
            PredictorKind::Mixture | PredictorKind::User => Mixture::size(&capacity.mixture),
            PredictorKind::Contexts => ContextMixture::size(&capacity.contexts()),
        }
    }

    /// Refuses options that this kind does not have.
    pub fn check(capacity: &PredictorCapacity, options: &PredictorOptions) -> Result<()> {
        match capacity.kind {
            PredictorKind::Mixture | PredictorKind::User => {
                experts(capacity, options)?.iter().try_for_each(|expert| expert.check(capacity.mixture.keys))
            }
            _ => Ok(()),
        }
    }

    /// Makes an empty learner in a zeroed block.
    pub fn make(
        block: &'a mut [u8],
        capacity: &PredictorCapacity,
        bins: &RuntimeBins,
        options: &PredictorOptions,
    ) -> Result<Learner<'a>> {
        Ok(match capacity.kind {
            PredictorKind::Hmm | PredictorKind::HmmOnline => {
                Learner::Hmm(Tracker::make(&mut Carver::of(block)?, capacity, options)?)
            }
            PredictorKind::Mixture | PredictorKind::User => {
                let experts = experts(capacity, options)?;
                Learner::Mixture(Mixture::init(block, &capacity.mixture, bins, experts)?)
            }
            PredictorKind::Contexts => {
                let own = capacity.contexts();
                Learner::Contexts(ContextMixture::init(block, &own, bins)?)
            }
        })
    }

    /// The learner in a block. O(1).
    pub fn find(block: &'a mut [u8], capacity: &PredictorCapacity) -> Result<Learner<'a>> {
        Ok(match capacity.kind {
            PredictorKind::Hmm | PredictorKind::HmmOnline => {
                Learner::Hmm(Tracker::find(&mut Carver::of(block)?, capacity)?)
            }
            PredictorKind::Mixture | PredictorKind::User => {
                let mixture = Mixture::whole(block).map_err(|_| Error::Corrupt)?;
                if mixture.capacity() != &capacity.mixture {
                    return Err(Error::Corrupt);
                }
                Learner::Mixture(mixture)
            }
            PredictorKind::Contexts => {
                let contexts = ContextMixture::whole(block).map_err(|_| Error::Corrupt)?;
                if contexts.capacity() != &capacity.contexts() {
                    return Err(Error::Corrupt);
                }
                Learner::Contexts(contexts)
            }
        })
    }
}

/// Whether the contexts had an answer, refused when it holds no probabilities.
pub(super) fn answered(learnt: Result<bool>, out: &[f64]) -> Result<Option<Silence>> {
    match learnt.map_err(|_| Error::Corrupt)? {
        false => Ok(Some(Silence::NothingLearnt)),
        // Damage is reported, not handed on.
        true if out.iter().all(|p| (0.0..=2.0).contains(p)) => Ok(None),
        true => Err(Error::Corrupt),
    }
}

/// Submits a job to the contexts, in the record that it has in the table; there is room.
pub(super) fn enter(
    contexts: &mut ContextMixture<'_>,
    jobs: &mut Jobs<'_>,
    id: i64,
    keys: &[i64],
    now: i64,
) -> Result<()> {
    if let Some((record, oldest)) = jobs.makes_room() {
        contexts.cancel(record).map_err(|_| Error::Corrupt)?;
        jobs.remove(oldest)?;
    }
    let record = jobs.insert(id, 0, now, keys, Err(Silence::NothingLearnt as u32))?;
    let said = jobs.said_mut(record)?;
    let silence = answered(contexts.submit(record, keys, now, said), said)?;
    let job = jobs.job_mut(record)?;
    job.slot = asked_after(contexts);
    if silence.is_none() {
        job.silence = 0;
    }
    Ok(())
}

/// Marks the present knowledge of the contexts, as a job keeps it in the place of its slot, which they do not have: one
/// more than the number of jobs learnt from. As long as that stays the same, so does every answer for a job.
pub(super) fn asked_after(contexts: &ContextMixture<'_>) -> i64 {
    contexts.finished().saturating_add(1) as i64
}

/// A mixture's probabilities, made safe after this many finished jobs.
pub(super) fn mixed(
    mixture: &Mixture<'_>,
    keys: &[i64],
    finished: u64,
    out: &mut [f64],
) -> Result<Option<Silence>> {
    if !mixture.probabilities(keys, out).map_err(|_| Error::Corrupt)? {
        return Ok(Some(Silence::NothingLearnt));
    }
    make_safe(out, finished);
    Ok(None)
}
