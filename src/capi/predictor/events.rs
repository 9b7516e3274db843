//! Events that are reported to a predictor.

use super::*;

/// A job was submitted. It has count keys, as many as the options say: a hidden Markov model knows jobs by their time
/// alone, and takes none (keys may then be NULL). What is predicted for it is remembered with it. When there is no
/// room, a job that is given up makes room. As surefill_predictor_predict, amortised over the slots that pass.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, DUPLICATE_JOB, FULL, TIME_WENT_BACK, OUT_OF_RANGE
/// (time, count).
///
/// # Safety
/// predictor is a handle, keys points to count readable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_submit(
    predictor: *mut surefill_predictor,
    job: i64,
    keys: *const i64,
    count: i32,
    now: i64,
) -> i32 {
    status((|| unsafe { self::predictor(predictor)?.submit(job, array(keys, count)?, now) })())
}

/// A submitted job was started. O(1) amortised over the slots that pass.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, ALREADY_STARTED, TIME_WENT_BACK,
/// OUT_OF_RANGE (time).
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_start(
    predictor: *mut surefill_predictor,
    job: i64,
    now: i64,
) -> i32 {
    status(unsafe { with_object(predictor, |mut predictor: Predictor| predictor.start(job, now)) })
}

/// A running job ended; its run time is learnt. O(bins), a mixture's O(experts x bins), amortised over the slots that
/// pass.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, NOT_STARTED, TIME_WENT_BACK,
/// OUT_OF_RANGE (time).
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_end(
    predictor: *mut surefill_predictor,
    job: i64,
    now: i64,
) -> i32 {
    status((|| unsafe { self::predictor(predictor)? }.end(job, now))())
}

/// A job left without having run to its end: cancelled while queued, or running but not to be learnt from. O(1)
/// amortised over the slots that pass.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, TIME_WENT_BACK, OUT_OF_RANGE (time).
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_cancel(
    predictor: *mut surefill_predictor,
    job: i64,
    now: i64,
) -> i32 {
    status((|| unsafe { self::predictor(predictor)? }.cancel(job, now))())
}

/// A mixture or the contexts learn from a job that they do not hold, or of which more is known than when it started and
/// ended: one with these count keys ran for this number of seconds (0 to SUREFILL_MAX_SECONDS), to the contexts until
/// the last event. O(experts x bins).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (count, seconds), SPAN_TOO_LONG,
/// WRONG_STATE (a hidden Markov model, which learns of past jobs from their events, in the order of time).
///
/// # Safety
/// predictor is a handle, keys points to count readable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_learn(
    predictor: *mut surefill_predictor,
    keys: *const i64,
    count: i32,
    seconds: i64,
) -> i32 {
    status((|| unsafe { self::predictor(predictor)?.learn(array(keys, count)?, seconds) })())
}

/// Sets the clock right: from now on it is now, whatever time an event had. To go on is to learn of an event. To go
/// back, what was reported as later counts as having happened now; if all that a hidden Markov model has kept is later,
/// its finished jobs are forgotten, but neither the model nor the jobs it holds. Jobs that were given up by the wrong
/// clock alone are held again as before. What a model has learnt on line of later slots it does not learn a second
/// time: those slots' finished jobs are forgotten, and those of their jobs that were given up remain so. Training under
/// way is given up. O(jobs + slots M^2).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (time).
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_set_clock(predictor: *mut surefill_predictor, now: i64) -> i32 {
    status((|| unsafe { self::predictor(predictor)? }.set_clock(now))())
}

/// The jobs that it holds, those given up included, the oldest first: held is how many there are, written how many of
/// them are written to jobs, which has room for capacity. O(written).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (capacity).
///
/// # Safety
/// predictor is a handle, jobs points to capacity writable structures of the size that the first says, written and held
/// point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_jobs(
    predictor: *const surefill_predictor,
    jobs: *mut surefill_held_job,
    capacity: i32,
    written: *mut i32,
    held: *mut i32,
) -> i32 {
    status((|| {
        let predictor = unsafe { self::predictor(predictor)? };
        let (written, held) = unsafe { (checked_mut(written)?, checked_mut(held)?) };
        let each = predictor.held().map(|job| {
            let (key_count, keys) = held_keys(job.keys);
            surefill_held_job {
                struct_size: 0,
                running: i32::from(job.started.is_some()),
                job: job.id,
                submitted: job.submitted,
                started: job.started.unwrap_or(0),
                given_up: i32::from(job.given_up),
                key_count,
                keys,
            }
        });
        *written = unsafe { write_held(jobs, capacity, each)? };
        *held = i32::try_from(predictor.jobs()).map_err(|_| Error::Corrupt)?;
        Ok(())
    })())
}
