//! Calibration of told starts.

use crate::capi::block::{Block, memory};
use crate::capi::{array, array_mut, checked_mut, status};
use crate::error::{Error, Result};
use crate::forecast::{LEVELS, StartCalibration};
use crate::memory::Kind;
use crate::seal;
use bytemuck::{Pod, Zeroable};
use core::ffi::c_void;
use core::slice;

const KIND: Kind = Kind::StartCalibration;

/// The levels that are calibrated: .05, .25, .5, .75 and .95.
pub const SUREFILL_START_LEVELS: i32 = 5;

/// What lies in the block behind the header.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Value {
    /// The checksum of a sealed block.
    seal: u64,
    calibration: StartCalibration,
}

/// Bytes of memory that a calibration of starts needs, aligned to 8.
pub const SUREFILL_START_CALIBRATION_SIZE: i64 = 944;

const _: () = assert!(SUREFILL_START_CALIBRATION_SIZE as usize == size_of::<Block<Value>>());
const _: () = assert!(SUREFILL_START_LEVELS as usize == LEVELS.len());
const SIZE: usize = SUREFILL_START_CALIBRATION_SIZE as usize;

/// Stretches the quantiles that forecasts give for starts so that they hold, by the outcomes of those before (on-line
/// quantile gradient on the logarithm of the wait: Gibbs and Candes 2021), for each class of lead time and of time
/// waited. Ask a forecast for the five levels in seconds from now, tell what surefill_start_calibration_told makes of
/// them, and when the job starts say what the forecast had been to surefill_start_calibration_learn.
///
/// Distinct calibrations are independent; one needs one thread, or the caller's lock. The block holds no pointers, and
/// sealed it is a checkpoint.
#[allow(non_camel_case_types)]
pub struct surefill_start_calibration {
    _opaque: [u8; 0],
}

unsafe fn value<'a>(handle: *const surefill_start_calibration) -> Result<&'a Value> {
    let value = unsafe { Block::<Value>::read(handle, KIND)? };
    if value.calibration.is_sound() { Ok(value) } else { Err(Error::Corrupt) }
}

/// The calibration behind a handle.
///
/// # Safety
/// As [`Block::read`]; nobody else changes the block during the call.
pub(in crate::capi) unsafe fn calibration<'a>(
    handle: *const surefill_start_calibration,
) -> Result<&'a StartCalibration> {
    Ok(&unsafe { value(handle)? }.calibration)
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
    status(unsafe { Block::init(memory, length, KIND, calibration, || Ok(Value::zeroed())) })
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
    status((|| {
        unsafe { value(calibration)? };
        seal::seal(unsafe { slice::from_raw_parts_mut(calibration.cast(), SIZE) })
    })())
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
    status((|| {
        let handle = unsafe { checked_mut(calibration)? };
        let bytes = unsafe { self::memory(memory, length)? };
        let block = bytes.get(..SIZE).ok_or(Error::TooSmall)?;
        unsafe { value(memory.cast::<surefill_start_calibration>())? };
        seal::check(block)?;
        *handle = memory.cast();
        Ok(())
    })())
}

/// What to tell of a job that has waited age seconds, of which a forecast says at the five levels that it waits for
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
        let made = unsafe { value(calibration)?.calibration.told(age, &levels(forecast, count)?)? };
        for (to, from) in unsafe { array_mut(told, count)? }.iter_mut().zip(made) {
            *to = from;
        }
        Ok(())
    })())
}

/// Hears that the job of which a forecast said so, before it was stretched, has waited waited seconds more when it
/// started. age and forecast are what surefill_start_calibration_told was given; count is SUREFILL_START_LEVELS. O(1).
///
/// Errors: as surefill_start_calibration_told.
///
/// # Safety
/// calibration is a handle, forecast points to count readable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_start_calibration_learn(
    calibration: *mut surefill_start_calibration,
    age: i64,
    forecast: *const i64,
    count: i32,
    waited: i64,
) -> i32 {
    status((|| {
        let mut changed = unsafe { value(calibration)? }.calibration;
        changed.learn(age, &unsafe { levels(forecast, count)? }, waited)?;
        unsafe { Block::<Value>::read_mut(calibration, KIND)? }.calibration = changed;
        Ok(())
    })())
}
