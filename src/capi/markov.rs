//! Structures and checks that all hidden Markov models share

use crate::error::{Error, Result};
use crate::hmm::{LoadModel, Round};

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

/// The outcome of a round of Baum-Welch.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_round {
    /// Bytes of this structure, as the program knows it, which sets it before the first call.
    pub struct_size: u32,
    /// 0.
    pub reserved: i32,
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

/// Bytes of the first version's round.
pub(super) const FIRST_ROUND: usize = 56;

impl surefill_round {
    pub(super) fn new(round: &Round) -> surefill_round {
        surefill_round {
            struct_size: 0,
            reserved: 0,
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
