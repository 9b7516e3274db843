//! Questions to a predictor, and its training.

use super::*;

/// Writes what is predicted: the distribution, and the answer.
unsafe fn write_prediction<'v>(
    memory: *mut c_void,
    length: i64,
    answer: *mut i32,
    distribution: *mut *mut surefill_distribution,
    prediction: impl FnOnce() -> Result<PredictionView<'v>>,
) -> Result<()> {
    let answer = unsafe { checked_mut(answer)? };
    unsafe {
        write_distribution(memory, length, distribution, || {
            let prediction = prediction()?;
            *answer = prediction.as_ref().err().map_or(SUREFILL_PREDICTION_MADE, |silence| *silence as i32);
            Ok(prediction.unwrap_or(View::Limit))
        })
    }
}

/// The prediction for a job with these count keys (see surefill_predictor_submit) that is submitted now, which is
/// not before the last event: a distribution made in the caller's memory (length bytes, at least
/// SUREFILL_DISTRIBUTION_SIZE). answer is SUREFILL_PREDICTION_MADE, or says why nothing is predicted, and then the
/// distribution is the one of which nothing is known but the limit.
///
/// Mixtures: O(experts x bins), contexts too, of which there are 31. Hidden Markov models: O((M^2 + jobs M) S) for M
/// states and S slots from the earliest with a change since the last prediction.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time,
/// count, length).
///
/// # Safety
/// predictor is a handle, keys points to count readable numbers, memory to length writable bytes, answer to a writable
/// number, distribution to a writable pointer.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn surefill_predictor_predict(
    predictor: *mut surefill_predictor,
    keys: *const i64,
    count: i32,
    now: i64,
    memory: *mut c_void,
    length: i64,
    answer: *mut i32,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    status((|| unsafe {
        let mut predictor = self::predictor(predictor)?;
        let (keys, mut room) = (array(keys, count)?, [0.0; MAX_BINS]);
        write_prediction(memory, length, answer, distribution, || {
            predictor.view_predicted(keys, now, &mut room)
        })
    })())
}

/// The prediction for a job that it holds, made when that was submitted, as surefill_predictor_predict gave it then.
/// O(bins).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, OUT_OF_RANGE (length).
///
/// # Safety
/// predictor is a handle, memory points to length writable bytes, answer to a writable number, distribution to a
/// writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_said(
    predictor: *const surefill_predictor,
    job: i64,
    memory: *mut c_void,
    length: i64,
    answer: *mut i32,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    status((|| unsafe {
        let (predictor, mut room) = (self::predictor(predictor)?, [0.0; MAX_BINS]);
        write_prediction(memory, length, answer, distribution, || predictor.view_said(job, &mut room))
    })())
}

/// The present prediction for a job that it holds: a mixture's present prediction for the job's keys; what the contexts
/// know now of the jobs that were like it when it was submitted; a hidden Markov model knows jobs by their time of
/// submission alone, and so this is what surefill_predictor_said gives. Before the job's age and limit are considered,
/// which a pass does.
///
/// Errors: as surefill_predictor_said.
///
/// # Safety
/// As surefill_predictor_said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_predict_job(
    predictor: *const surefill_predictor,
    job: i64,
    memory: *mut c_void,
    length: i64,
    answer: *mut i32,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    status((|| unsafe {
        let (predictor, mut room) = (self::predictor(predictor)?, [0.0; MAX_BINS]);
        write_prediction(memory, length, answer, distribution, || predictor.view_job(job, &mut room))
    })())
}

/// Trains, if that is wanted, for about work visits to slots (at least 1); events and predictions may come between two
/// calls. A round visits every finished slot three times; on line each slot is visited once, in O(M^3 (M + N)), and
/// round says what was learnt since the last DONE, its rounds being the slots learnt in all. step is
/// SUREFILL_STEP_IDLE, MORE or DONE; after DONE the new model is in use, and round is the last of its rounds, else
/// round is not written. Mixtures and contexts learn as jobs end, and are idle. O(work M^2).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (work).
///
/// # Safety
/// predictor is a handle, step points to a writable number, round to a writable structure of
/// the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_train(
    predictor: *mut surefill_predictor,
    work: i64,
    step: *mut i32,
    round: *mut surefill_round,
) -> i32 {
    status((|| {
        let mut predictor = unsafe { self::predictor(predictor)? };
        let work = self::work(work)?;
        let (step, size) = unsafe { (checked_mut(step)?, output_size(round, FIRST_ROUND)?) };
        match predictor.train(work)? {
            Learning::Idle => *step = SUREFILL_STEP_IDLE,
            Learning::More => *step = SUREFILL_STEP_MORE,
            Learning::Done(found) => {
                *step = SUREFILL_STEP_DONE;
                unsafe { write_sized(round, surefill_round::new(&found), size) };
            }
        }
        Ok(())
    })())
}
