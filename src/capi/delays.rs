//! Calibration of predicted delays.
//!
//! By how much did an accepted backfill delay the head job? That is known when the jobs that ran beside it have ended.
//! This learns from it what a predicted delay means. c-examples/delays.c is a whole program.
//!
//! ```c
//! static int64_t memory[10000];
//! surefill_delay_calibration_capacity capacity;
//! surefill_delay_calibration *delays;
//! surefill_rule rule;
//! double predicted, expected, observed;
//! int64_t known;
//! surefill_delay_calibration_capacity_init(&capacity);
//! surefill_delay_calibration_init(memory, sizeof memory, &capacity, &delays);
//! surefill_delay_calibration_accepted(delays, SUREFILL_CRITERION_SECONDS, 4711, 1000, 16, 32, 40, &expected);
//! surefill_delay_calibration_ended(delays, 4710, 500, 1600, 48);
//! surefill_delay_calibration_totals(delays, SUREFILL_CRITERION_SECONDS, &known, &predicted, &expected, &observed);
//! surefill_rule_init(&rule);
//! surefill_delay_calibration_rule(delays, &rule, &rule);
//! ```

use crate::capi::block::{init, object, open, seal, write_size};
use crate::capi::pass::{c_rule, criterion, given_rule, surefill_rule};
use crate::capi::sized::{ends, initialise, sized, write_output};
use crate::capi::{checked_mut, count, status, write};
use crate::error::{Error, Result};
use crate::schedule::{AcceptedBackfill, DelayCalibration};
use core::ffi::c_void;

/// Learns how the delays that passes predict relate to those that come, and says what to expect. Tell it every backfill
/// that starts (surefill_delay_calibration_accepted) and the end of every job (surefill_delay_calibration_ended): when
/// the jobs that ran at a decision have ended, it knows when the head job could have started with the backfill and
/// without it. Probabilities (the criteria PROBABILITY and BOUND) and seconds (SECONDS and RELATIVE) are calibrated
/// apart.
///
/// Distinct calibrations are independent; one needs one thread, or the caller's lock. The block holds no pointers, and
/// sealed it is a checkpoint.
#[allow(non_camel_case_types)]
pub struct surefill_delay_calibration {
    _opaque: [u8; 0],
}

unsafe fn calibration<'a>(handle: *const surefill_delay_calibration) -> Result<DelayCalibration<'a>> {
    unsafe { object(handle) }
}

/// Capacities of a calibration of delays. Set by surefill_delay_calibration_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_delay_calibration_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Backfills that are remembered while their outcome is not known, those of all head jobs together (1 to
    /// 1,048,576).
    pub backfills: i32,
}

const DEFAULT: surefill_delay_calibration_capacity = surefill_delay_calibration_capacity {
    struct_size: size_of::<surefill_delay_calibration_capacity>() as u32,
    backfills: 256,
};

fn backfills(given: *const surefill_delay_calibration_capacity) -> Result<u32> {
    count(unsafe { sized(given, DEFAULT, ends!(surefill_delay_calibration_capacity, backfills))? }.backfills)
}

/// Sets the capacity to its default: 256 backfills.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_capacity_init(
    capacity: *mut surefill_delay_calibration_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, DEFAULT, size) })
}

/// Bytes of memory that a calibration needs: 64 for each backfill of the capacity and less than 1,100.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_size(
    capacity: *const surefill_delay_calibration_capacity,
    size: *mut i64,
) -> i32 {
    status((|| unsafe { write_size(size, DelayCalibration::size(backfills(capacity)?)?) })())
}

/// Makes a calibration that has learnt from nothing in the caller's memory (length bytes, at least
/// surefill_delay_calibration_size, aligned to 8): it changes no prediction. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, calibration to a
/// writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_delay_calibration_capacity,
    calibration: *mut *mut surefill_delay_calibration,
) -> i32 {
    status((|| {
        let backfills = backfills(capacity)?;
        unsafe { init(memory, length, calibration, |bytes| DelayCalibration::init(bytes, backfills)) }
    })())
}

/// Makes the block a checkpoint, surefill_delay_calibration_size bytes from the handle on, by writing its checksum. Any
/// later call that changes the calibration breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// calibration is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_seal(
    calibration: *mut surefill_delay_calibration,
) -> i32 {
    status(unsafe { seal::<DelayCalibration, _>(calibration) })
}

/// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
/// surefill_delay_calibration_seal left it. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, calibration to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_open(
    memory: *mut c_void,
    length: i64,
    calibration: *mut *mut surefill_delay_calibration,
) -> i32 {
    status(unsafe { open::<DelayCalibration, _>(memory, length, calibration) })
}

/// The delay to expect where a pass predicts this one under this criterion: a probability (0 to 1), or seconds, also
/// for the criterion RELATIVE (0 to SUREFILL_MAX_SECONDS; a pass adds them up under SECONDS).
/// Never less for a larger prediction; the prediction itself before any outcome is known. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, NOT_A_NUMBER.
///
/// # Safety
/// calibration is a handle, `told` points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_told(
    calibration: *const surefill_delay_calibration,
    criterion: i32,
    predicted: f64,
    told: *mut f64,
) -> i32 {
    status((|| unsafe {
        let criterion = self::criterion(criterion)?;
        write(told, self::calibration(calibration)?.told(criterion, predicted)?)
    })())
}

/// The rule for surefill_pass_decide whose threshold stands for the given rule's in what passes predict: by it those
/// candidates are accepted whose calibrated delay is below the given threshold. Thresholds change by a factor of 16 at
/// most, so that outcomes go on to be seen; that of RELATIVE by the common ratio of observed to predicted seconds.
/// Budget and slip stay as they are: they add up what passes predict. calibrated may be rule. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, NOT_A_NUMBER.
///
/// # Safety
/// calibration is a handle, rule points to a readable structure of the size it says, calibrated to a writable
/// one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_rule(
    calibration: *const surefill_delay_calibration,
    rule: *const surefill_rule,
    calibrated: *mut surefill_rule,
) -> i32 {
    status((|| unsafe {
        let rule = self::calibration(calibration)?.rule(&given_rule(rule)?)?;
        write_output(calibrated, c_rule(&rule), 4)
    })())
}

/// A backfill was accepted and starts at time now (seconds since any fixed origin, within 2^53 of it): the job's
/// number, by which the caller tells jobs apart, its processors (at least 1), the processors that the head job lacked
/// before (what it needs less what was idle, at least 1), and the delay predicted under this criterion, in the unit of
/// surefill_delay_calibration_told. Gives what surefill_delay_calibration_told says of it. Where there is no room, the
/// backfill whose outcome has been open for longest is forgotten. O(1), or O(capacity) where there is no room.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, NOT_A_NUMBER.
///
/// # Safety
/// calibration is a handle, `told` points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_accepted(
    calibration: *mut surefill_delay_calibration,
    criterion: i32,
    job: i64,
    now: i64,
    processors: i32,
    missing: i32,
    predicted: f64,
    told: *mut f64,
) -> i32 {
    status((|| unsafe {
        let told = checked_mut(told)?;
        let (processors, missing) = (count(processors)?, count(missing)?);
        let backfill = AcceptedBackfill { job, now, processors, missing, predicted };
        let criterion = self::criterion(criterion)?;
        *told = self::calibration(calibration)?.accepted(criterion, &backfill)?;
        Ok(())
    })())
}

/// A job ended, or was killed or cancelled, that held this number of processors from time started to time now. Every
/// job that ran must be reported, whether it was a backfill or not, in the order of their ends. A job that started in
/// the second in which a backfill was accepted counts as running then, unless it was itself accepted after it.
/// O(pending backfills).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, TIME_WENT_BACK (an
/// end before the start).
///
/// # Safety
/// calibration is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_ended(
    calibration: *mut surefill_delay_calibration,
    job: i64,
    started: i64,
    now: i64,
    processors: i32,
) -> i32 {
    status((|| unsafe { self::calibration(calibration)? }.ended(job, started, now, count(processors)?))())
}

/// Number of backfills with a known outcome, and the sums of their predicted delays, of the calibrated ones that were
/// reported when they were accepted, and of the observed: how many delayed their head job for the criteria PROBABILITY
/// and BOUND, seconds for SECONDS and RELATIVE. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// calibration is a handle, the others point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_totals(
    calibration: *const surefill_delay_calibration,
    criterion: i32,
    known: *mut i64,
    predicted: *mut f64,
    told: *mut f64,
    observed: *mut f64,
) -> i32 {
    status((|| unsafe {
        let totals = self::calibration(calibration)?.totals(self::criterion(criterion)?)?;
        checked_mut(known)?;
        checked_mut(predicted)?;
        checked_mut(told)?;
        checked_mut(observed)?;
        write(known, i64::try_from(totals.known).map_err(|_| Error::OutOfRange)?)?;
        write(predicted, totals.predicted)?;
        write(told, totals.told)?;
        write(observed, totals.observed)
    })())
}
