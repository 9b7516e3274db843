//! Inside a predictor.
//!
//! Probabilities bin by bin, whether training is wanted, and the parameters of a hidden Markov model that predicts.

use super::{SUREFILL_PREDICTION_MADE, surefill_predictor};
use crate::capi::hmm::{read_parameters, surefill_model_parameters, write_parameters};
use crate::capi::{array, array_mut, checked_mut, status, write};
use crate::error::Error;

/// The prediction of surefill_predictor_predict as bins numbers, one for each bin; bins must be the number of bins.
/// When nothing is predicted, probabilities is not written.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time, count, bins).
///
/// # Safety
/// predictor is a handle, keys points to count readable numbers, probabilities to bins writable numbers, answer to a
/// writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_probabilities(
    predictor: *mut surefill_predictor,
    keys: *const i64,
    count: i32,
    now: i64,
    probabilities: *mut f64,
    bins: i32,
    answer: *mut i32,
) -> i32 {
    status((|| {
        let mut predictor = unsafe { super::predictor(predictor)? };
        let answer = unsafe { checked_mut(answer)? };
        let (keys, out) = unsafe { (array(keys, count)?, array_mut(probabilities, bins)?) };
        let silence = predictor.probabilities(keys, now, out)?;
        *answer = silence.map_or(SUREFILL_PREDICTION_MADE, |silence| silence as i32);
        Ok(())
    })())
}

/// Whether training is under way or should begin (1) or not (0), at the time of the last event. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
///
/// # Safety
/// predictor is a handle, wants points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_wants_training(
    predictor: *const surefill_predictor,
    wants: *mut i32,
) -> i32 {
    status((|| {
        let wanted = unsafe { super::predictor(predictor)? }.wants_training();
        unsafe { write(wants, i32::from(wanted)) }
    })())
}

/// Starts a hidden Markov model from one learnt elsewhere: it predicts from now on, and is trained further once the
/// initial period is over. Before the first event only. O(M (M + N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also for other numbers
/// of states or bins), NOT_A_DISTRIBUTION, WRONG_STATE (after an event, or a mixture).
///
/// # Safety
/// predictor is a handle, parameters points to a readable structure whose arrays are as long as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_set_model(
    predictor: *mut surefill_predictor,
    parameters: *const surefill_model_parameters,
) -> i32 {
    status((|| {
        let mut predictor = unsafe { super::predictor(predictor)? };
        let shape = predictor.hmm().ok_or(Error::WrongState)?.shape();
        predictor.set_model(&unsafe { read_parameters(parameters, shape)? })
    })())
}

/// Writes the parameters of the hidden Markov model in use into the arrays of a structure that says its states and
/// bins, and its load model. O(M (M + N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (other numbers of states or bins),
/// WRONG_STATE (no model yet, or a mixture).
///
/// # Safety
/// predictor is a handle, parameters points to a writable structure whose arrays are as long as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_model(
    predictor: *const surefill_predictor,
    parameters: *mut surefill_model_parameters,
) -> i32 {
    status((|| {
        let predictor = unsafe { super::predictor(predictor)? };
        let hmm = predictor.hmm().ok_or(Error::WrongState)?;
        unsafe { write_parameters(parameters, hmm.shape(), |out| hmm.parameters(out).map(|()| hmm.load())) }
    })())
}
