//! What hidden Markov models have in common

use super::predictor::surefill_model_parameters;
use super::{array, array_mut, checked_mut, count};
use crate::error::{Error, Result};
use crate::hmm::{Hmm, LoadModel, Parameters, ParametersMut, Round};

/// The largest number of states.
pub const SUREFILL_MAX_STATES: i32 = 64;

/// Load model: none, run times given the number of jobs.
pub const SUREFILL_LOAD_NONE: i32 = 0;
/// Load model: Poisson; the parameter is the mean number of jobs in a slot, finite and not negative.
pub const SUREFILL_LOAD_POISSON: i32 = 1;
/// Load model: geometric from 0; the parameter is Pr(no job in a slot), above 0 and at most 1.
pub const SUREFILL_LOAD_GEOMETRIC: i32 = 2;

/// Initial values: Static-IV (Nissimov 2006, Algorithm 3).
pub const SUREFILL_INITIAL_STATIC: i32 = 0;
/// Initial values: k-means (Algorithm 4); the number of states must be a power of two.
pub const SUREFILL_INITIAL_K_MEANS: i32 = 1;

/// What a round of Baum-Welch did.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_round {
    /// ln Pr(observations) under the parameters before the round.
    pub log_likelihood: f64,
    /// The sum of the absolute changes of all parameters.
    pub l1: f64,
    /// The largest absolute change of a parameter.
    pub l_infinity: f64,
    /// Rounds since training began, this one included.
    pub rounds: i64,
    /// Finished jobs in the slots trained on.
    pub jobs: i64,
    /// Slots that no state explained, so that the parameters were bent towards them before the round.
    pub adapted: i64,
}

impl surefill_round {
    pub(super) fn new(round: &Round) -> surefill_round {
        surefill_round {
            log_likelihood: round.log_likelihood,
            l1: round.l1,
            l_infinity: round.l_infinity,
            rounds: i64::try_from(round.rounds).unwrap_or(i64::MAX),
            jobs: i64::try_from(round.jobs).unwrap_or(i64::MAX),
            adapted: i64::from(round.adapted),
        }
    }
}

pub(super) fn load_model(number: i32) -> Result<LoadModel> {
    u32::try_from(number).ok().and_then(LoadModel::from_number).ok_or(Error::OutOfRange)
}

pub(super) fn work(work: i64) -> Result<u64> {
    u64::try_from(work).ok().filter(|&work| work > 0).ok_or(Error::OutOfRange)
}

/// Refuses numbers of states and bins that are not the model's: nothing may be read or written then.
fn check_counts(hmm: &Hmm<'_>, states: i32, bins: i32) -> Result<()> {
    let fits = count(states)? == hmm.limits().states && count(bins)? == hmm.limits().bins;
    if fits { Ok(()) } else { Err(Error::OutOfRange) }
}

/// A model's parameters as C hands them over.
///
/// # Safety
/// Pointers that are not NULL and aligned point to as many numbers as their matrix has.
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn parameters<'a>(
    hmm: &Hmm<'_>,
    states: i32,
    bins: i32,
    load: i32,
    start: *const f64,
    transition: *const f64,
    emission: *const f64,
    load_parameter: *const f64,
) -> Result<Parameters<'a>> {
    check_counts(hmm, states, bins)?;
    let load = load_model(load)?;
    let matrix = |a: i32, b: i32| a.checked_mul(b).ok_or(Error::OutOfRange);
    let loads = if load == LoadModel::None { 0 } else { states };
    unsafe {
        Ok(Parameters {
            load,
            start: array(start, states)?,
            transition: array(transition, matrix(states, states)?)?,
            emission: array(emission, matrix(states, bins)?)?,
            load_parameter: array(load_parameter, loads)?,
        })
    }
}

/// Writes a model's parameters where C wants them.
///
/// # Safety
/// Pointers that are not NULL and aligned point to as many writable numbers as their matrix has.
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn write_parameters(
    hmm: &Hmm<'_>,
    states: i32,
    bins: i32,
    load: *mut i32,
    start: *mut f64,
    transition: *mut f64,
    emission: *mut f64,
    load_parameter: *mut f64,
) -> Result<()> {
    check_counts(hmm, states, bins)?;
    let matrix = |a: i32, b: i32| a.checked_mul(b).ok_or(Error::OutOfRange);
    let load = unsafe { checked_mut(load)? };
    let mut out = unsafe {
        ParametersMut {
            start: array_mut(start, states)?,
            transition: array_mut(transition, matrix(states, states)?)?,
            emission: array_mut(emission, matrix(states, bins)?)?,
            load_parameter: array_mut(load_parameter, states)?,
        }
    };
    hmm.parameters(&mut out)?;
    *load = hmm.load() as i32;
    Ok(())
}

/// A model's parameters as C hands them over.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure, and its arrays are as long as it says.
pub(super) unsafe fn read_parameters<'a>(
    hmm: &Hmm<'_>,
    given: *const surefill_model_parameters,
) -> Result<Parameters<'a>> {
    let surefill_model_parameters {
        states,
        bins,
        load,
        reserved,
        start,
        transition,
        emission,
        load_parameter,
    } = *unsafe { checked_mut(given.cast_mut())? };
    if reserved != 0 {
        return Err(Error::OutOfRange);
    }
    unsafe { parameters(hmm, states, bins, load, start, transition, emission, load_parameter) }
}

/// Writes a model's parameters where C wants them.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a writable structure, and its arrays are as long as it says.
pub(super) unsafe fn write_structure(hmm: &Hmm<'_>, to: *mut surefill_model_parameters) -> Result<()> {
    let to = unsafe { checked_mut(to)? };
    let surefill_model_parameters {
        states, bins, reserved, start, transition, emission, load_parameter, ..
    } = *to;
    if reserved != 0 {
        return Err(Error::OutOfRange);
    }
    unsafe { write_parameters(hmm, states, bins, &mut to.load, start, transition, emission, load_parameter) }
}
