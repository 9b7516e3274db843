//! Calibration of foretold starts.
//!
//! Forecasts take beliefs about run times as true and do not foresee later jobs, so that jobs start later than they
//! say. This learns from the starts that came, and stretches what is told so that each level holds as often as it says.
//!
//! ```c
//! static int64_t memory[SUREFILL_START_CALIBRATION_SIZE / 8];
//! const int64_t forecast[SUREFILL_START_LEVELS] = {60, 300, 600, 1800, 7200};
//! surefill_start_calibration *calibration;
//! int64_t told[SUREFILL_START_LEVELS], starts;
//! double probability;
//! int32_t heard = 0;
//! surefill_start_calibration_init(memory, sizeof memory, &calibration);
//! surefill_start_calibration_told(calibration, 0, forecast, SUREFILL_START_LEVELS, told);
//! surefill_start_calibration_probability(calibration, 0, told, SUREFILL_START_LEVELS, 3600, &probability);
//! surefill_start_calibration_overdue(calibration, 0, forecast, told, SUREFILL_START_LEVELS, 900, &heard);
//! surefill_start_calibration_learn(calibration, 0, forecast, told, SUREFILL_START_LEVELS, 1200, heard);
//! surefill_start_calibration_starts(calibration, &starts);
//! surefill_start_calibration_seal(calibration);
//! surefill_start_calibration_open(memory, sizeof memory, &calibration);
//! ```

use crate::capi::block::{init, object, open, seal};
use crate::capi::{array, array_mut, checked_mut, status, write};
use crate::error::{Error, Result};
use crate::forecast::{LEVELS, StartCalibration};
use crate::memory::{Carver, Kind, Object};
use crate::seal::Sealed;
use core::ffi::c_void;

/// The levels that are calibrated: .05, .25, .5, .75 and .95.
pub const SUREFILL_START_LEVELS: i32 = 5;

/// Bytes of memory that a calibration of starts needs, aligned to 8.
pub const SUREFILL_START_CALIBRATION_SIZE: i64 = 3064;

const _: () = assert!(SUREFILL_START_CALIBRATION_SIZE as usize == Value::PREFIX);
const _: () = assert!(SUREFILL_START_LEVELS as usize == LEVELS.len());

/// Stretches the quantiles that forecasts give for starts so that they hold, by the outcomes of those before (adaptive
/// conformal inference on the logarithm of the wait: Gibbs and Candes 2021), for each class of lead time and of time
/// waited. Ask a forecast for the five levels in seconds from now, tell what surefill_start_calibration_told makes of
/// them, keep both, and when the job starts say them to surefill_start_calibration_learn. In the long run each level
/// then holds about as often as it says, whatever the forecasts are. Answers that were given before any outcome of
/// theirs was known count once, be they one or a thousand: a jam carries nothing away, and every answer may be kept.
///
/// Distinct calibrations are independent; one needs one thread, or the caller's lock. The block holds no pointers, and
/// sealed it is a checkpoint.
#[allow(non_camel_case_types)]
pub struct surefill_start_calibration {
    _opaque: [u8; 0],
}

/// A calibration alone in a block.
struct Value<'a>(&'a mut StartCalibration);

impl<'a> Object<'a> for Value<'a> {
    const KIND: Kind = Kind::StartCalibration;
    type Head = Sealed;
    type Capacity = ();
    type State = StartCalibration;
    type Parts = ();

    fn parts(_: &mut Carver<'a>, _: &()) -> Result<()> {
        Ok(())
    }

    fn capacity_in(_: &StartCalibration) -> Result<()> {
        Ok(())
    }

    fn assemble(state: &'a mut StartCalibration, _: ()) -> Result<Value<'a>> {
        if state.is_sound() { Ok(Value(state)) } else { Err(Error::Corrupt) }
    }
}

/// The calibration behind a handle.
///
/// # Safety
/// As [`object`].
pub(in crate::capi) unsafe fn calibration<'a>(
    handle: *const surefill_start_calibration,
) -> Result<&'a StartCalibration> {
    Ok(unsafe { object::<Value<'a>, _>(handle)? }.0)
}

/// The quantiles of one forecast.
unsafe fn levels(forecast: *const i64, count: i32) -> Result<[i64; LEVELS.len()]> {
    unsafe { array(forecast, count)? }.try_into().map_err(|_| Error::OutOfRange)
}

/// Makes a calibration that has heard of nothing in the caller's memory (length bytes, at least
/// SUREFILL_START_CALIBRATION_SIZE, aligned to 8): it changes nothing.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
///
/// # Safety
/// memory points to length writable bytes, calibration to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_init(
    memory: *mut c_void,
    length: i64,
    calibration: *mut *mut surefill_start_calibration,
) -> i32 {
    status(unsafe {
        init(memory, length, calibration, |bytes| Value::create(bytes, &()).map(|(state, ())| Value(state)))
    })
}

/// Makes the block a checkpoint, SUREFILL_START_CALIBRATION_SIZE bytes from the handle on, by writing its checksum. Any
/// later call that changes the calibration breaks the seal.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// calibration is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_seal(
    calibration: *mut surefill_start_calibration,
) -> i32 {
    status(unsafe { seal::<Value<'_>, _>(calibration) })
}

/// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
/// surefill_start_calibration_seal left it.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, calibration to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_open(
    memory: *mut c_void,
    length: i64,
    calibration: *mut *mut surefill_start_calibration,
) -> i32 {
    status(unsafe { open::<Value<'_>, _>(memory, length, calibration) })
}

/// Levels to report of a job that has waited age seconds, of which a forecast says at the five levels that it waits for
/// these further seconds (not negative, not decreasing): the same, stretched. count is SUREFILL_START_LEVELS, of both
/// arrays. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, SPAN_TOO_LONG.
///
/// # Safety
/// calibration is a handle, forecast points to count readable and told to count writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_told(
    calibration: *const surefill_start_calibration,
    age: i64,
    forecast: *const i64,
    count: i32,
    told: *mut i64,
) -> i32 {
    status((|| {
        let made = unsafe { self::calibration(calibration)?.told(age, &levels(forecast, count)?)? };
        for (to, from) in unsafe { array_mut(told, count)? }.iter_mut().zip(made) {
            *to = from;
        }
        Ok(())
    })())
}

/// The probability that a job that has waited age seconds has started within within more, where
/// surefill_start_calibration_told made told for it: that of the normal distribution whose quantiles the logarithms of
/// what is told are, corrected by how often such probabilities came true, which is learnt when jobs start. It rises
/// with within, and needs no forecast at hand. It holds on average over the jobs that are told it; one job's may be off
/// by .2 where forecasts are far too late and narrow, and differ where starts do not. count is SUREFILL_START_LEVELS.
/// O(1).
///
/// Errors: as surefill_start_calibration_told.
///
/// # Safety
/// calibration is a handle, told points to count readable numbers, probability to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_probability(
    calibration: *const surefill_start_calibration,
    age: i64,
    told: *const i64,
    count: i32,
    within: i64,
    probability: *mut f64,
) -> i32 {
    status((|| {
        let found =
            unsafe { self::calibration(calibration)?.probability(age, &levels(told, count)?, within)? };
        unsafe { write(probability, found) }
    })())
}

/// Hears that a job has started, waited seconds after a forecast: age and forecast are what
/// surefill_start_calibration_told was given for it and told what it made of them, count is SUREFILL_START_LEVELS, of
/// both arrays. heard is what surefill_start_calibration_overdue left of this job, 0 if that was not called. O(1).
///
/// Errors: as surefill_start_calibration_told; OUT_OF_RANGE also for bits that no level has.
///
/// # Safety
/// calibration is a handle, forecast and told point to count readable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_learn(
    calibration: *mut surefill_start_calibration,
    age: i64,
    forecast: *const i64,
    told: *const i64,
    count: i32,
    waited: i64,
    heard: i32,
) -> i32 {
    status((|| {
        let Value(calibration) = unsafe { object(calibration)? };
        let mut changed = *calibration;
        let (forecast, told) = unsafe { (levels(forecast, count)?, levels(told, count)?) };
        changed.learn_rest(age, &forecast, &told, waited, levels_heard(heard)?)?;
        *calibration = changed;
        Ok(())
    })())
}

fn levels_heard(heard: i32) -> Result<u32> {
    u32::try_from(heard).map_err(|_| Error::OutOfRange)
}

/// Hears that a job still waits, waited seconds after a forecast: the levels whose told wait is over have missed, and
/// are learnt from now, not only when the job starts. heard holds the levels of this job that missed before, a bit each
/// from the lowest on, 0 at first; afterwards those that have missed by now. When the job starts, it goes to
/// surefill_start_calibration_learn, whose other arguments these are. O(1).
///
/// Errors: as surefill_start_calibration_told; OUT_OF_RANGE also for bits that no level has.
///
/// # Safety
/// calibration is a handle, forecast and told point to count readable numbers, heard to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_overdue(
    calibration: *mut surefill_start_calibration,
    age: i64,
    forecast: *const i64,
    told: *const i64,
    count: i32,
    waited: i64,
    heard: *mut i32,
) -> i32 {
    status((|| {
        let Value(calibration) = unsafe { object(calibration)? };
        let heard = unsafe { checked_mut(heard)? };
        let (forecast, told) = unsafe { (levels(forecast, count)?, levels(told, count)?) };
        let mut changed = *calibration;
        let missed = changed.overdue(age, &forecast, &told, waited, levels_heard(*heard)?)?;
        (*calibration, *heard) = (changed, missed as i32);
        Ok(())
    })())
}
