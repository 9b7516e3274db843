//! More bounds on waits: lower ones, and clustering at command.
//!
//! ```c
//! static int64_t memory[1 << 20];
//! surefill_wait_capacity capacity;
//! surefill_wait_options options;
//! surefill_wait *wait;
//! int64_t job, lower;
//! int32_t answer, step;
//! surefill_wait_capacity_init(&capacity);
//! surefill_wait_options_init(&options);
//! capacity.history = 1000;
//! surefill_wait_init(memory, sizeof memory, &capacity, &options, &wait);
//! for (job = 1; job <= 200; job++) {
//!     surefill_wait_known(wait, 10 * job, 3600, 16);
//! }
//! surefill_wait_predict_lower(wait, 3600, 16, 0.5, 0.95, 20000, &answer, &lower);
//! surefill_wait_recluster(wait, 100000, &step);
//! ```

use super::{answered, features, surefill_wait, waits};
use crate::capi::status::{SUREFILL_STEP_DONE, SUREFILL_STEP_IDLE, SUREFILL_STEP_MORE};
use crate::capi::{checked_mut, status};
use crate::error::Error;
use crate::wait::Clustering;

/// Clusters the jobs again before it is time, or goes on with a clustering that is under way, for at most work steps of
/// O(log n) each (at least 1). step is one of SUREFILL_STEP_; after DONE the next call begins another. Other calls may
/// come between two of these.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (work).
///
/// # Safety
/// wait is a handle, step points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_recluster(wait: *mut surefill_wait, work: i64, step: *mut i32) -> i32 {
    status((|| {
        let (step, mut waits) = unsafe { (checked_mut(step)?, waits(wait)?) };
        let work = u64::try_from(work).map_err(|_| Error::OutOfRange)?;
        *step = match waits.recluster(work)? {
            Clustering::Idle => SUREFILL_STEP_IDLE,
            Clustering::More => SUREFILL_STEP_MORE,
            Clustering::Done => SUREFILL_STEP_DONE,
        };
        Ok(())
    })())
}

/// A lower bound by the binomial method, see surefill_wait_predict. O(log n) and the cost of surefill_binomial_lower.
///
/// Errors: as surefill_wait_predict.
///
/// # Safety
/// wait is a handle, answer and bound point to writable numbers.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn surefill_wait_predict_lower(
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
            waits(wait)?.predict_lower(&features(requested, processors)?, quantile, confidence, now)
        })
    })
}
