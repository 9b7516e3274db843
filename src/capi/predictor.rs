//! The on-line predictor of run times.

use super::bins::{bins, surefill_bins};
use super::block::{aligned, memory};
use super::distribution::{surefill_distribution, write_distribution};
use super::hmm::{
    SUREFILL_TRAINING_DONE, SUREFILL_TRAINING_IDLE, SUREFILL_TRAINING_MORE, load_model, parameters,
    surefill_round, work, write_parameters,
};
use super::pass::sized;
use super::{array_mut, checked_mut, count, status, write};
use crate::error::{Error, Result};
use crate::hmm::{HmmLimits, Initial, Termination};
use crate::predict::{Learning, Predictor, PredictorLimits, PredictorOptions};
use crate::runtime::RuntimeDistribution;
use core::ffi::c_void;
use core::slice;

/// Training stops after as many rounds as the threshold says.
pub const SUREFILL_TERMINATION_ROUNDS: i32 = 0;
/// Training stops when sqrt(jobs) x the sum of the parameters' changes is below the threshold.
pub const SUREFILL_TERMINATION_L1: i32 = 1;
/// Training stops when the largest change of a parameter is below the threshold.
pub const SUREFILL_TERMINATION_L_INFINITY: i32 = 2;

/// Capacities of a predictor. Set by surefill_predictor_limits_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_predictor_limits {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Jobs in the system, queued or running (1 to 16,777,216).
    pub jobs: i32,
    /// States (1 to SUREFILL_MAX_STATES).
    pub states: i32,
    /// Run-time bins (2 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Slots kept (2 to 268,435,456); the oldest leave.
    pub slots: i32,
    /// Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest slots leave.
    pub cells: i32,
    /// Slots, from the earliest with a job in the system, whose state is remembered from one prediction to the next (1 to
    /// 16,777,216).
    pub window: i32,
    /// How the model is learnt: 0, by Baum-Welch over the slots kept; 1, on line as surefill_online_hmm does, slot by slot as all
    /// jobs of a slot have left. On line, slots and cells need only reach as far back as jobs stay in the system.
    pub online: i32,
}

/// How a predictor learns. Set by surefill_predictor_options_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_predictor_options {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_LOAD_.
    pub load: i32,
    /// SUREFILL_INITIAL_STATIC or, if the number of states is a power of two, SUREFILL_INITIAL_K_MEANS.
    pub initial: i32,
    /// One of SUREFILL_TERMINATION_.
    pub termination: i32,
    /// What termination compares with: a whole number of rounds (at least 1), or epsilon (not negative).
    pub threshold: f64,
    /// A training stops after so many rounds at the latest (at least 1).
    pub most_rounds: i64,
    /// Length of a slot in seconds (1 to 2^32).
    pub slot_seconds: i64,
    /// No training before so many seconds after the first submission, and before all jobs submitted in them have ended (0 to
    /// 2^40).
    pub initial_seconds: i64,
    /// With a termination other than L1, training begins again when so many seconds of new slots are finished (1 to 2^40).
    pub restart_seconds: i64,
    /// What happens when no possible state explains a slot, in a bin that none has seen for example (0 to below 1). With 0, the
    /// thesis's rule, the predictor is silent until it has learnt from that slot; else the slot is taken as if every state had drawn
    /// any bin with this probability.
    pub floor: f64,
    /// On line: a of the step size t^-a (above 0.5, at most 1). See surefill_online_hmm_options.
    pub exponent: f64,
    /// On line: slots before the first maximisation step (not negative).
    pub hold: i64,
}

/// Learns from finished jobs, on line, how long a job submitted now will run (Nissimov 2006, chapter 4). Report every job's
/// submission, start and end; train when it wants to be trained. Times are seconds since any fixed origin, within 2^53 of it;
/// they may stand still but not go back. Jobs are known by the caller's ids. An event costs a filter step for each slot that has
/// passed since the last one, at most as many as are kept: tens of milliseconds after a year without any.
///
/// Distinct predictors are independent; one needs one thread, or the caller's lock. The block holds no pointers; sealed, it is a
/// checkpoint.
#[allow(non_camel_case_types)]
pub struct surefill_predictor {
    _opaque: [u8; 0],
}

fn default_limits() -> surefill_predictor_limits {
    let PredictorLimits { jobs, hmm: HmmLimits { states, bins, slots, cells }, window, online } =
        PredictorLimits::default();
    surefill_predictor_limits {
        struct_size: size_of::<surefill_predictor_limits>() as u32,
        jobs: jobs as i32,
        states: states as i32,
        bins: bins as i32,
        slots: slots as i32,
        cells: cells as i32,
        window: window as i32,
        online: online as i32,
    }
}

unsafe fn limits(given: *const surefill_predictor_limits) -> Result<PredictorLimits> {
    let given = unsafe { sized(given, default_limits(), &[4, 8, 12, 16, 20, 24, 28])? };
    Ok(PredictorLimits {
        jobs: count(given.jobs)?,
        hmm: HmmLimits {
            states: count(given.states)?,
            bins: count(given.bins)?,
            slots: count(given.slots)?,
            cells: count(given.cells)?,
        },
        window: count(given.window)?,
        online: count(given.online)?,
    })
}

fn default_options() -> surefill_predictor_options {
    let options = PredictorOptions::default();
    let (termination, threshold) = match options.termination {
        Termination::Rounds(rounds) => (SUREFILL_TERMINATION_ROUNDS, rounds as f64),
        Termination::L1(epsilon) => (SUREFILL_TERMINATION_L1, epsilon),
        Termination::LInfinity(epsilon) => (SUREFILL_TERMINATION_L_INFINITY, epsilon),
    };
    surefill_predictor_options {
        struct_size: size_of::<surefill_predictor_options>() as u32,
        load: options.load as i32,
        initial: options.initial as i32,
        termination,
        threshold,
        most_rounds: options.most_rounds as i64,
        slot_seconds: options.slot_seconds,
        initial_seconds: options.initial_seconds,
        restart_seconds: options.restart_seconds,
        floor: options.floor,
        exponent: options.exponent,
        hold: options.hold as i64,
    }
}

unsafe fn options(given: *const surefill_predictor_options) -> Result<PredictorOptions> {
    let given = unsafe { sized(given, default_options(), &[4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72])? };
    let threshold = given.threshold;
    if threshold.is_nan() {
        return Err(Error::NotANumber);
    }
    let termination = match given.termination {
        SUREFILL_TERMINATION_ROUNDS
            if (1.0..=9e15).contains(&threshold) && libm::floor(threshold) == threshold =>
        {
            Termination::Rounds(threshold as u64)
        }
        SUREFILL_TERMINATION_L1 => Termination::L1(threshold),
        SUREFILL_TERMINATION_L_INFINITY => Termination::LInfinity(threshold),
        _ => return Err(Error::OutOfRange),
    };
    let initial = u32::try_from(given.initial).ok().and_then(Initial::from_number);
    Ok(PredictorOptions {
        slot_seconds: given.slot_seconds,
        initial_seconds: given.initial_seconds,
        load: load_model(given.load)?,
        initial: initial.ok_or(Error::OutOfRange)?,
        termination,
        most_rounds: u64::try_from(given.most_rounds).map_err(|_| Error::OutOfRange)?,
        restart_seconds: given.restart_seconds,
        floor: given.floor,
        exponent: given.exponent,
        hold: u64::try_from(given.hold).map_err(|_| Error::OutOfRange)?,
    })
}

/// The block behind a handle.
///
/// # Safety
/// A handle that is not NULL and aligned points to a readable block of at least a predictor's first bytes; if they are a
/// predictor's, the block is as long as they say, writable, and nobody else uses it during the call.
unsafe fn block<'a>(handle: *const surefill_predictor) -> Result<&'a mut [u8]> {
    if handle.is_null() {
        return Err(Error::Null);
    }
    if !aligned(handle) {
        return Err(Error::Misaligned);
    }
    let start = handle.cast_mut().cast::<u8>();
    let size = Predictor::block_size(unsafe { slice::from_raw_parts_mut(start, Predictor::PREFIX) })?;
    Ok(unsafe { slice::from_raw_parts_mut(start, size) })
}

unsafe fn predictor<'a>(handle: *const surefill_predictor) -> Result<Predictor<'a>> {
    Predictor::attach(unsafe { block(handle)? })
}

/// Sets the limits to their defaults: 4,096 jobs, 16 states, 24 bins, a year of slots of 15 min, 100,000 cells, 1,024 slots
/// remembered; Baum-Welch.
///
/// Errors: NULL, MISALIGNED.
///
/// # Safety
/// limits points to a writable structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_limits_init(limits: *mut surefill_predictor_limits) -> i32 {
    status(unsafe { write(limits, default_limits()) })
}

/// Sets the options to the thesis's: no load model, Static-IV, L1 with 200 and at most 1,000 rounds, slots of 15 min, an
/// initial period of a week, restarts weekly; but with a floor of 0.001.
///
/// Errors: NULL, MISALIGNED.
///
/// # Safety
/// options points to a writable structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_options_init(options: *mut surefill_predictor_options) -> i32 {
    status(unsafe { write(options, default_options()) })
}

/// Bytes of memory that a predictor needs: a model's (surefill_hmm_size), 64 for each job, 8 S for each slot of the window
/// (S states, rounded up to a multiple of 8), 32 S and about 1,200; on line also surefill_online_hmm_size.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// limits points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_size(
    limits: *const surefill_predictor_limits,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = Predictor::size(&unsafe { self::limits(limits)? })?;
        unsafe { write(size, i64::try_from(bytes).map_err(|_| Error::OutOfRange)?) }
    })())
}

/// Makes a predictor in the caller's memory (length bytes, at least surefill_predictor_size, aligned to 8) for run times in
/// these bins, of which it keeps a copy. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also when the bins are
/// not as many as the limits say).
///
/// # Safety
/// memory points to length writable bytes, limits and options to readable structures of the size they say, bins is a handle,
/// predictor points to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_init(
    memory: *mut c_void,
    length: i64,
    limits: *const surefill_predictor_limits,
    bins: *const surefill_bins,
    options: *const surefill_predictor_options,
    predictor: *mut *mut surefill_predictor,
) -> i32 {
    status((|| {
        let handle = unsafe { checked_mut(predictor)? };
        let (limits, options) = unsafe { (self::limits(limits)?, self::options(options)?) };
        let bins = unsafe { self::bins(bins)? };
        Predictor::init(unsafe { self::memory(memory, length)? }, &limits, &bins, &options)?;
        *handle = memory.cast();
        Ok(())
    })())
}

/// Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the predictor breaks
/// the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_seal(predictor: *mut surefill_predictor) -> i32 {
    status((|| Predictor::seal(unsafe { block(predictor)? }))())
}

/// The predictor in a checkpoint (length bytes at least) read back into memory, which must be as surefill_predictor_seal left
/// it. It goes on bit for bit as the sealed one would have, in the middle of training too. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, predictor to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_open(
    memory: *mut c_void,
    length: i64,
    predictor: *mut *mut surefill_predictor,
) -> i32 {
    status((|| {
        let handle = unsafe { checked_mut(predictor)? };
        Predictor::open(unsafe { self::memory(memory, length)? })?;
        *handle = memory.cast();
        Ok(())
    })())
}

/// A job was submitted. O(1) amortised over the slots that pass.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, DUPLICATE_JOB, FULL, TIME_WENT_BACK, OUT_OF_RANGE (time).
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_submit(
    predictor: *mut surefill_predictor,
    job: i64,
    now: i64,
) -> i32 {
    status((|| unsafe { self::predictor(predictor)? }.submit(job, now))())
}

/// A submitted job was started. O(1) amortised over the slots that pass.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, ALREADY_STARTED, TIME_WENT_BACK, OUT_OF_RANGE
/// (time).
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_start(
    predictor: *mut surefill_predictor,
    job: i64,
    now: i64,
) -> i32 {
    status((|| unsafe { self::predictor(predictor)? }.start(job, now))())
}

/// A running job ended; its run time is learnt. O(bins) amortised over the slots that pass.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB, NOT_STARTED, TIME_WENT_BACK, OUT_OF_RANGE (time).
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

/// A job left without having run to its end: cancelled while queued, or running but not to be learnt from. O(1) amortised over
/// the slots that pass.
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

/// Jobs in the system.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
///
/// # Safety
/// predictor is a handle, jobs points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_jobs(
    predictor: *const surefill_predictor,
    jobs: *mut i32,
) -> i32 {
    status((|| {
        let count = unsafe { self::predictor(predictor)? }.jobs();
        unsafe { write(jobs, i32::try_from(count).map_err(|_| Error::Corrupt)?) }
    })())
}

/// What is believed of the run time of a job submitted now: a distribution made in the caller's memory (length bytes, at least
/// surefill_distribution_size). known is 1; or 0 when the predictor is silent, because it has not learnt yet or (without a floor)
/// its model cannot explain what is happening, and then the distribution is the one of which nothing is known but the limit.
///
/// O((M^2 + jobs M) S) for M states and S slots from the earliest with a change since the last prediction.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time, length).
///
/// # Safety
/// predictor is a handle, memory points to length writable bytes, known to a writable number, distribution to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_predict(
    predictor: *mut surefill_predictor,
    now: i64,
    memory: *mut c_void,
    length: i64,
    known: *mut i32,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    status((|| {
        let mut predictor = unsafe { self::predictor(predictor)? };
        let known = unsafe { checked_mut(known)? };
        unsafe {
            write_distribution(memory, length, distribution, || {
                let found = predictor.predict(now)?;
                *known = i32::from(found.is_some());
                Ok(found.unwrap_or(RuntimeDistribution::limit()))
            })
        }
    })())
}

/// As surefill_predictor_predict, as count numbers, one for each bin; count must be the number of bins. known is 0 when the
/// predictor is silent, and then probabilities is not written.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time, count).
///
/// # Safety
/// predictor is a handle, probabilities points to count writable numbers, known to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_probabilities(
    predictor: *mut surefill_predictor,
    now: i64,
    probabilities: *mut f64,
    count: i32,
    known: *mut i32,
) -> i32 {
    status((|| {
        let mut predictor = unsafe { self::predictor(predictor)? };
        let known = unsafe { checked_mut(known)? };
        *known = i32::from(predictor.probabilities(now, unsafe { array_mut(probabilities, count)? })?);
        Ok(())
    })())
}

/// Whether training is under way or should begin (1) or not (0), at the time of the last event or prediction. O(1).
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
        let wanted = unsafe { self::predictor(predictor)? }.wants_training();
        unsafe { write(wants, i32::from(wanted)) }
    })())
}

/// Trains, if that is wanted, for about work visits to slots (at least 1); events and predictions may come between two calls. A
/// round visits every finished slot three times; on line each slot is visited once, in O(M^3 (M + N)), and round says what was
/// learnt since the last DONE, its rounds being the slots learnt in all. step is SUREFILL_TRAINING_IDLE, MORE or DONE; after
/// DONE the new model is in use, and round is the last of its rounds, else round is not written. O(work M^2).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (work).
///
/// # Safety
/// predictor is a handle, step points to a writable number, round to a writable structure.
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
        let (step, out) = unsafe { (checked_mut(step)?, checked_mut(round)?) };
        match predictor.train(work)? {
            Learning::Idle => *step = SUREFILL_TRAINING_IDLE,
            Learning::More => *step = SUREFILL_TRAINING_MORE,
            Learning::Done(round) => {
                (*step, *out) = (SUREFILL_TRAINING_DONE, surefill_round::new(&round));
            }
        }
        Ok(())
    })())
}

/// Starts from a model learnt elsewhere, as surefill_hmm_set_parameters takes it: the predictor predicts from now on, and trains
/// the model further once the initial period is over. Before the first event only.
///
/// Errors: as surefill_hmm_set_parameters; WRONG_STATE after an event.
///
/// # Safety
/// predictor is a handle, the pointers point to readable numbers.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn surefill_predictor_set_model(
    predictor: *mut surefill_predictor,
    states: i32,
    bins: i32,
    load: i32,
    start: *const f64,
    transition: *const f64,
    emission: *const f64,
    load_parameter: *const f64,
) -> i32 {
    status((|| {
        let mut predictor = unsafe { self::predictor(predictor)? };
        let given = unsafe {
            parameters(predictor.hmm(), states, bins, load, start, transition, emission, load_parameter)?
        };
        predictor.set_model(&given)
    })())
}

/// The parameters of the model in use, as surefill_hmm_parameters gives them.
///
/// Errors: as surefill_hmm_parameters.
///
/// # Safety
/// predictor is a handle, the other pointers point to writable numbers.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn surefill_predictor_model(
    predictor: *const surefill_predictor,
    states: i32,
    bins: i32,
    load: *mut i32,
    start: *mut f64,
    transition: *mut f64,
    emission: *mut f64,
    load_parameter: *mut f64,
) -> i32 {
    status((|| {
        let predictor = unsafe { self::predictor(predictor)? };
        let hmm = predictor.hmm();
        unsafe { write_parameters(hmm, states, bins, load, start, transition, emission, load_parameter) }
    })())
}
