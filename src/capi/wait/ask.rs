//! Questions to a wait predictor.

use super::{answered, features, surefill_wait, waits};
use crate::capi::block::with_object;
use crate::capi::{array_mut, checked_mut, status};
use crate::error::Error;
use crate::wait::WaitPredictor;

/// An upper bound in seconds, with this confidence, for the quantile (both above 0, below 1) of the wait of a job
/// submitted now that requests this many seconds and processors. answer is one of SUREFILL_ANSWER_, bound is -1 with
/// any answer but BOUND. With ADAPT the options' own question is answered with the adapted bound, and others by the
/// levels that follow their own misses. O(log n) for the options' own question, with VISIBLE the 300 nearest situations
/// are sorted; else with surefill_binomial_upper (or the method's own computation, up to O(n)) on top.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, TIME_WENT_BACK.
///
/// # Safety
/// wait is a handle, answer and bound point to writable numbers.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn surefill_wait_predict(
    wait: *const surefill_wait,
    requested: i64,
    processors: i32,
    quantile: f64,
    confidence: f64,
    now: i64,
    answer: *mut i32,
    bound: *mut i64,
) -> i32 {
    status(unsafe {
        answered(answer, bound, || {
            waits(wait)?.predict(&features(requested, processors)?, quantile, confidence, now)
        })
    })
}

/// A bound like surefill_wait_predict's, for a job that waits since it was submitted: an upper bound for its wait,
/// counted from its submission. With VISIBLE it rests on the rests of the waits of jobs that waited in a like
/// situation, and with ADAPT
/// it follows the misses of such bounds and, for the options' own question, leaves no less than a factor, learnt on
/// line, times the oldest wait of the queue; else, and where too little is known, by the binomial method on the waits
/// that were at least as long as its own is now: those of its cluster, or of all clusters where these are too few. O(w)
/// for w waiting jobs on top.
///
/// Errors: as surefill_wait_predict, and UNKNOWN_JOB.
///
/// # Safety
/// wait is a handle, answer and bound point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_predict_waiting(
    wait: *const surefill_wait,
    job: i64,
    quantile: f64,
    confidence: f64,
    now: i64,
    answer: *mut i32,
    bound: *mut i64,
) -> i32 {
    status(unsafe {
        answered(answer, bound, || waits(wait)?.predict_waiting(job, quantile, confidence, now))
    })
}

/// The probability that a job that has waited for age seconds (0 for a new one) waits at most within seconds,
/// counted from its submission: the part of the waits that were, with a lower bound for it at this confidence. With
/// ADAPT half a wait is added on either side, and the outcomes of earlier such probabilities correct them. rests_on is
/// the number of waits of at least age, or of jobs that waited in a like situation, that this rests on; 0 where there
/// are none, then probability and at_least are 0. Says nothing about the machine being down. O(log n + sqrt n); with
/// VISIBLE the 300 nearest situations are sorted, and O(w) for w waiting jobs.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// wait is a handle, probability, at_least and rests_on point to writable numbers.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn surefill_wait_start_probability(
    wait: *const surefill_wait,
    requested: i64,
    processors: i32,
    age: i64,
    within: i64,
    confidence: f64,
    probability: *mut f64,
    at_least: *mut f64,
    rests_on: *mut i64,
) -> i32 {
    status((|| {
        let (waits, features) = (unsafe { waits(wait)? }, features(requested, processors)?);
        let found = waits.start_probability(&features, age, within, confidence)?;
        let (probability, at_least, rests_on) =
            unsafe { (checked_mut(probability)?, checked_mut(at_least)?, checked_mut(rests_on)?) };
        *rests_on = i64::try_from(found.waits).map_err(|_| Error::Corrupt)?;
        (*probability, *at_least) = (found.observed, found.at_least);
        Ok(())
    })())
}

/// Number of jobs that wait, and number of waits that are remembered. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
///
/// # Safety
/// wait is a handle, jobs and remembered point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_counts(
    wait: *const surefill_wait,
    jobs: *mut i32,
    remembered: *mut i64,
) -> i32 {
    status((|| {
        let counts = |waits: WaitPredictor| Ok((waits.queued(), waits.remembered()));
        let (queued, known) = unsafe { with_object(wait, counts)? };
        let queued = i32::try_from(queued).map_err(|_| Error::Corrupt)?;
        let known = i64::try_from(known).map_err(|_| Error::Corrupt)?;
        let (jobs, remembered) = unsafe { (checked_mut(jobs)?, checked_mut(remembered)?) };
        (*jobs, *remembered) = (queued, known);
        Ok(())
    })())
}

/// The clusters in use, at least one, in the order of the attribute: the smallest and the largest attribute of each
/// (9223372036854775807 for no bound) and how many waits count there. capacity is the room in each array:
/// SUREFILL_MAX_CLUSTERS is enough. clusters is the number written.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, FULL (capacity).
///
/// # Safety
/// wait is a handle, smallest, largest and counts point to capacity writable numbers, clusters to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_clusters(
    wait: *const surefill_wait,
    smallest: *mut i64,
    largest: *mut i64,
    counts: *mut i64,
    capacity: i32,
    clusters: *mut i32,
) -> i32 {
    status((|| {
        let (waits, clusters) = unsafe { (waits(wait)?, checked_mut(clusters)?) };
        let (smallest, largest, counts) = unsafe {
            (array_mut(smallest, capacity)?, array_mut(largest, capacity)?, array_mut(counts, capacity)?)
        };
        let number = waits.clusters().count();
        if number > counts.len() {
            return Err(Error::Full);
        }
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let out = smallest.iter_mut().zip(largest).zip(counts);
        for (((smallest, largest), count), cluster) in out.zip(waits.clusters()) {
            (*smallest, *largest, *count) = (whole(cluster.from), whole(cluster.to), whole(cluster.waits));
        }
        *clusters = number as i32;
        Ok(())
    })())
}
