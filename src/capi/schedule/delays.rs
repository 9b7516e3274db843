//! Calibration of predicted delays.

use crate::capi::block::{init, object, open, seal, write_size};
use crate::capi::pass::{c_rule, criterion, given_rule, surefill_rule};
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

/// Bytes of memory for a calibration that remembers this number of backfills whose outcome is not known yet (1 to
/// 1,048,576; those of all head jobs together, so some hundreds are plenty): 64 each and less than 1,100.
///
/// Errors: NULL, MISALIGNED, OUT_OF_RANGE.
///
/// # Safety
/// size points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_size(capacity: i32, size: *mut i64) -> i32 {
    status((|| {
        let bytes = DelayCalibration::size(count(capacity)?)?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a calibration that has heard of nothing in the caller's memory (length bytes, at least
/// surefill_delay_calibration_size, aligned to 8): it changes no prediction. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, calibration to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_init(
    memory: *mut c_void,
    length: i64,
    capacity: i32,
    calibration: *mut *mut surefill_delay_calibration,
) -> i32 {
    status((|| {
        let capacity = count(capacity)?;
        unsafe { init(memory, length, calibration, |bytes| DelayCalibration::init(bytes, capacity)) }
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

/// What to expect where a pass predicts this delay under this criterion: a probability (0 to 1), or seconds, also for
/// the criterion RELATIVE (0 to SUREFILL_MAX_SECONDS; what surefill_pass_spent adds up under the criterion SECONDS).
/// Never less for a larger prediction; the prediction itself before any outcome is known. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, NOT_A_NUMBER.
///
/// # Safety
/// calibration is a handle, told points to a writable number.
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
/// candidates are accepted of which a delay below the given threshold is told. Thresholds change by a factor of 16 at
/// most, so that outcomes go on to be seen; that of RELATIVE by the common ratio of observed to predicted seconds.
/// Budget and slip stay as they are: they add up what passes predict. calibrated may be rule. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, NOT_A_NUMBER.
///
/// # Safety
/// calibration is a handle, rule points to a readable structure of the size it says, calibrated to a writable
/// structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_delay_calibration_rule(
    calibration: *const surefill_delay_calibration,
    rule: *const surefill_rule,
    calibrated: *mut surefill_rule,
) -> i32 {
    status((|| unsafe {
        let rule = given_rule(rule)?;
        write(calibrated, c_rule(&self::calibration(calibration)?.rule(&rule)?))
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
/// calibration is a handle, told points to a writable number.
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
/// job that ran must be told, whether it was a backfill or not, in the order of their ends. A job that started in the
/// second in which a backfill was accepted counts as running then, unless it was itself accepted after it. O(pending
/// backfills).
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

/// How many backfills have a known outcome, and the sums of what was predicted of them, of what was told when they were
/// accepted, and of what was observed: how many delayed their head job for the criteria PROBABILITY and BOUND, seconds
/// for SECONDS and RELATIVE. O(1).
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
