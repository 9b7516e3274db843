//! Questions to a pass about the head job's start.

use super::surefill_pass;
use crate::capi::status::{SUREFILL_STEP_DONE, SUREFILL_STEP_MORE};
use crate::capi::{array, array_mut, checked_mut, count, status};
use crate::error::Error;

/// The probability that at least this number of processors is free at time when if nothing else is started. O(running
/// jobs x (events + processors)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, TOO_MANY_PROCESSORS, WRONG_STATE.
///
/// # Safety
/// pass is a handle, probability points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_free_probability(
    pass: *mut surefill_pass,
    processors: i32,
    when: i64,
    probability: *mut f64,
) -> i32 {
    status((|| unsafe {
        let probability = checked_mut(probability)?;
        *probability = super::pass(pass)?.free_probability(count(processors)?, when)?;
        Ok(())
    })())
}

/// The earliest time by which the head job has started with at least this probability (above 0, at most 1) if nothing
/// else is started. O(log events x running jobs x (events + processors)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE, NEVER.
///
/// # Safety
/// pass is a handle, when points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_head_start_quantile(
    pass: *mut surefill_pass,
    probability: f64,
    when: *mut i64,
) -> i32 {
    status((|| unsafe {
        let when = checked_mut(when)?;
        *when = super::pass(pass)?.head_start_quantile(probability)?;
        Ok(())
    })())
}

/// The quantiles of the head job's start, see surefill_pass_head_start_quantile, for count probabilities (ascending) by
/// one walk over the events: about work multiply-adds a call (at least 1), counted like those of surefill_pass_decide.
/// step is SUREFILL_STEP_DONE when all are
/// known; after SUREFILL_STEP_MORE call again with the same probabilities and whens. A decision, or another question,
/// gives up one under way. With E events and c processors still missing for the head job it costs about E c
/// multiply-adds. All are exact, also where many jobs may end in one second.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE (no pass has
/// begun, in the middle of a decision, or while an accepted candidate waits for its commit), NEVER.
///
/// # Safety
/// pass is a handle, probabilities points to count readable, whens to count writable numbers, step to a writable one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_head_start_quantiles(
    pass: *mut surefill_pass,
    probabilities: *const f64,
    count: i32,
    work: i64,
    whens: *mut i64,
    step: *mut i32,
) -> i32 {
    status((|| {
        let mut pass = unsafe { super::pass(pass)? };
        let (probabilities, whens) = unsafe { (array(probabilities, count)?, array_mut(whens, count)?) };
        let work = u64::try_from(work).ok().filter(|&work| work > 0).ok_or(Error::OutOfRange)?;
        let step = unsafe { checked_mut(step)? };
        let known = pass.head_start_quantiles(probabilities, whens, work)?;
        *step = if known { SUREFILL_STEP_DONE } else { SUREFILL_STEP_MORE };
        Ok(())
    })())
}
