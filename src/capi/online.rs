//! The hidden Markov model that learns on line, without a history.
//!
//! Each slot is learnt from once, when it is over: the number of its finished jobs in each bin.
//! c-examples/learn_on_line.c is a whole program.
//!
//! ```c
//! static int64_t memory[10000];
//! double start[] = {0.5, 0.5}, transition[] = {0.9, 0.1, 0.1, 0.9}, emission[] = {0.7, 0.2, 0.1, 0.1, 0.2, 0.7};
//! const int32_t counts[] = {3, 1, 0};
//! surefill_model_parameters parameters;
//! surefill_online_hmm_options options;
//! surefill_online_hmm *online;
//! double p[3], log_likelihood;
//! int32_t explained;
//! memset(&parameters, 0, sizeof parameters);
//! parameters.states = 2;
//! parameters.bins = 3;
//! parameters.load = SUREFILL_LOAD_NONE;
//! parameters.start = start;
//! parameters.transition = transition;
//! parameters.emission = emission;
//! surefill_online_hmm_options_init(&options);
//! surefill_online_hmm_init(memory, sizeof memory, &parameters, &options, &online);
//! surefill_online_hmm_learn(online, counts, 3, &log_likelihood, &explained);
//! surefill_online_hmm_probabilities(online, p, 3);
//! ```

use super::block::{init, object, open, seal, write_size};
use super::hmm::{read_parameters, surefill_model_parameters, write_parameters};
use super::sized::{ends, initialise, sized};
use super::{array, array_mut, checked_mut, count, status, write};
use crate::error::{Error, Result};
use crate::hmm::{OnlineHmm, OnlineOptions};
use core::ffi::c_void;

/// Options of a model that learns on line. Set by surefill_online_hmm_options_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_online_hmm_options {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// 0.
    pub reserved: i32,
    /// a of the step size t^-a (above 0.5, at most 1): the smaller, the faster the past is forgotten.
    pub exponent: f64,
    /// A slot that no possible state explains is learnt as if every state had drawn any bin with this probability (0 to
    /// below 1); with 0 it is not learnt from.
    pub floor: f64,
    /// Slots before the parameters begin to change (not negative).
    pub hold: i64,
}

/// A hidden Markov model of run times that learns from each slot as it is finished, by recursive
/// expectation-maximisation (Cappe 2011), and keeps no history.
///
/// Distinct models are independent; one model needs one thread, or the caller's lock. The block holds no pointers;
/// sealed, it is a checkpoint.
#[allow(non_camel_case_types)]
pub struct surefill_online_hmm {
    _opaque: [u8; 0],
}

fn default_options() -> surefill_online_hmm_options {
    let OnlineOptions { exponent, hold, floor } = OnlineOptions::default();
    surefill_online_hmm_options {
        struct_size: size_of::<surefill_online_hmm_options>() as u32,
        reserved: 0,
        exponent,
        floor,
        hold: hold as i64,
    }
}

unsafe fn options(given: *const surefill_online_hmm_options) -> Result<OnlineOptions> {
    let given = unsafe {
        sized(given, default_options(), ends!(surefill_online_hmm_options, reserved, exponent, floor, hold))?
    };
    if given.reserved != 0 {
        return Err(Error::OutOfRange);
    }
    let hold = u64::try_from(given.hold).map_err(|_| Error::OutOfRange)?;
    Ok(OnlineOptions { exponent: given.exponent, hold, floor: given.floor })
}

/// The model behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn online<'a>(handle: *const surefill_online_hmm) -> Result<OnlineHmm<'a>> {
    unsafe { object(handle) }
}

/// The numbers of states and bins of parameters.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure.
unsafe fn shape(given: *const surefill_model_parameters) -> Result<(u32, u32)> {
    let given = unsafe { array(given, 1)? }.first().ok_or(Error::Null)?;
    Ok((count(given.states)?, count(given.bins)?))
}

/// Sets the options to their defaults: a = 0.75, a floor of 0.001, 100 slots before the parameters change.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// options points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_options_init(
    options: *mut surefill_online_hmm_options,
    size: i64,
) -> i32 {
    status(unsafe { initialise(options, default_options(), size) })
}

/// Bytes of memory that a model needs that has the states M (1 to SUREFILL_MAX_STATES) and the bins N (2 to
/// SUREFILL_MAX_BINS) of these parameters: with S = M rounded up to a multiple of 8, at most 8 S (M (M + 1 + N) + 3 M +
/// 3 N + 8) + 100. The arrays are not looked at.
///
/// Errors: NULL, MISALIGNED, OUT_OF_RANGE.
///
/// # Safety
/// parameters points to a readable structure, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_size(
    parameters: *const surefill_model_parameters,
    size: *mut i64,
) -> i32 {
    status((|| {
        let (states, bins) = unsafe { shape(parameters)? };
        let bytes = OnlineHmm::size(states, bins)?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a model in the caller's memory (length bytes, at least surefill_online_hmm_size, aligned to 8) that starts
/// from these parameters. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, NOT_A_NUMBER, OUT_OF_RANGE, NOT_A_DISTRIBUTION.
///
/// # Safety
/// memory points to length writable bytes, parameters to a readable structure whose arrays are as long as it says,
/// options to a readable structure of the size it says, online to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_init(
    memory: *mut c_void,
    length: i64,
    parameters: *const surefill_model_parameters,
    options: *const surefill_online_hmm_options,
    online: *mut *mut surefill_online_hmm,
) -> i32 {
    status((|| {
        let options = unsafe { self::options(options)? };
        let shape = unsafe { shape(parameters)? };
        // Nothing may be read by numbers that no model has.
        OnlineHmm::size(shape.0, shape.1)?;
        let parameters = unsafe { read_parameters(parameters, shape)? };
        unsafe { init(memory, length, online, |bytes| OnlineHmm::init(bytes, &parameters, &options)) }
    })())
}

/// Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model
/// breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// online is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_seal(online: *mut surefill_online_hmm) -> i32 {
    status(unsafe { seal::<OnlineHmm, _>(online) })
}

/// The model in a checkpoint (length bytes at least) read back into memory, which must be as surefill_online_hmm_seal
/// left it. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, online to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_open(
    memory: *mut c_void,
    length: i64,
    online: *mut *mut surefill_online_hmm,
) -> i32 {
    status(unsafe { open::<OnlineHmm, _>(memory, length, online) })
}

/// Learns from the next slot: counts has a number of finished jobs for each of count bins, which must be the model's.
/// log_likelihood is ln Pr(slot | slots before), minus infinity when no possible state explains the slot and there is
/// no floor: then nothing is learnt from it. explained is 1, or 0 when the model did not explain the slot without the
/// floor. O(M^3 (M + N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (count, a negative
/// number, or more than 2^32 - 1 jobs).
///
/// # Safety
/// online is a handle, counts points to count readable numbers, log_likelihood and explained to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_learn(
    online: *mut surefill_online_hmm,
    counts: *const i32,
    count: i32,
    log_likelihood: *mut f64,
    explained: *mut i32,
) -> i32 {
    status((|| {
        let mut online = unsafe { self::online(online)? };
        let out = unsafe { (checked_mut(log_likelihood)?, checked_mut(explained)?) };
        let given = unsafe { array(counts, count)? };
        let mut jobs = [0u32; crate::runtime::MAX_BINS];
        let jobs = jobs.get_mut(..given.len()).ok_or(Error::OutOfRange)?;
        for (jobs, given) in jobs.iter_mut().zip(given) {
            *jobs = u32::try_from(*given).map_err(|_| Error::OutOfRange)?;
        }
        let learnt = online.learn(jobs)?;
        (*out.0, *out.1) = (learnt.log_likelihood, i32::from(learnt.explained));
        Ok(())
    })())
}

/// The distribution of the bin of a job submitted in the next slot, as count numbers, one for each bin; count must be
/// the number of bins. O(M (M + N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (count).
///
/// # Safety
/// online is a handle, probabilities points to count writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_probabilities(
    online: *const surefill_online_hmm,
    probabilities: *mut f64,
    count: i32,
) -> i32 {
    status((|| {
        let online = unsafe { self::online(online)? };
        online.probabilities(unsafe { array_mut(probabilities, count)? })
    })())
}

/// Number of slots passed to surefill_online_hmm_learn, those not learnt from included.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// online is a handle, slots points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_slots(
    online: *const surefill_online_hmm,
    slots: *mut i64,
) -> i32 {
    status((|| {
        let seen = unsafe { self::online(online)? }.slots();
        unsafe { write(slots, i64::try_from(seen).unwrap_or(i64::MAX)) }
    })())
}

/// The parameters, as surefill_hmm_parameters gives them. O(M (M + N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (other numbers of
/// states and bins).
///
/// # Safety
/// online is a handle, parameters points to a writable structure whose arrays are as long as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_online_hmm_parameters(
    online: *const surefill_online_hmm,
    parameters: *mut surefill_model_parameters,
) -> i32 {
    status((|| {
        let online = unsafe { self::online(online)? };
        let shape = (online.states(), online.bins());
        unsafe { write_parameters(parameters, shape, |out| online.parameters(out).map(|()| online.load())) }
    })())
}
