//! What hidden Markov models have in common

use super::hmm::surefill_model_parameters;
use super::{array, array_mut, checked_mut, count};
use crate::error::{Error, Result};
use crate::hmm::{LoadModel, Parameters, ParametersMut, Round};

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

/// The arrays of a model's parameters have this length; nothing may be read or written before it is known.
fn area(rows: i32, columns: i32) -> Result<i32> {
    rows.checked_mul(columns).ok_or(Error::OutOfRange)
}

/// Refuses numbers of states and bins that are not the model's.
fn check(given: &surefill_model_parameters, shape: (u32, u32)) -> Result<()> {
    let fits = (count(given.states)?, count(given.bins)?) == shape && given.reserved == 0;
    if fits { Ok(()) } else { Err(Error::OutOfRange) }
}

/// A model's parameters as C hands them over; `shape` is the model's numbers of states and bins.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure, and its arrays are as long as it says.
pub(super) unsafe fn read_parameters<'a>(
    given: *const surefill_model_parameters,
    shape: (u32, u32),
) -> Result<Parameters<'a>> {
    let given = unsafe { array(given, 1)? }.first().ok_or(Error::Null)?;
    check(given, shape)?;
    let surefill_model_parameters { states, bins, start, transition, emission, load_parameter, .. } = *given;
    let load = load_model(given.load)?;
    unsafe {
        Ok(Parameters {
            load,
            start: array(start, states)?,
            transition: array(transition, area(states, states)?)?,
            emission: array(emission, area(states, bins)?)?,
            load_parameter: array(load_parameter, if load == LoadModel::None { 0 } else { states })?,
        })
    }
}

/// Writes a model's parameters where C wants them; `ask` fills the arrays and says the load model.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a writable structure, and its arrays are as long as it says.
pub(super) unsafe fn write_parameters(
    to: *mut surefill_model_parameters,
    shape: (u32, u32),
    ask: impl FnOnce(&mut ParametersMut<'_>) -> Result<LoadModel>,
) -> Result<()> {
    let to = unsafe { checked_mut(to)? };
    check(to, shape)?;
    let surefill_model_parameters { states, bins, start, transition, emission, load_parameter, .. } = *to;
    let mut out = unsafe {
        ParametersMut {
            start: array_mut(start, states)?,
            transition: array_mut(transition, area(states, states)?)?,
            emission: array_mut(emission, area(states, bins)?)?,
            load_parameter: array_mut(load_parameter, states)?,
        }
    };
    to.load = ask(&mut out)? as i32;
    Ok(())
}
