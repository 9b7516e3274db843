//! The running jobs, and the number of free processors over time.

use crate::allocate::{FreeTimePredictor, Sizing, SizingCapacity};
use crate::capi::block::{init, object, write_size};
use crate::capi::sized::{ends, initialise, sized};
use crate::capi::{checked_mut, count, status};
use crate::error::{Error, Result};
use core::ffi::c_void;

/// Wait predicted by predictor A: the median of the time until one job that holds enough processors by itself, a
/// benefactor, has ended (equation 9).
pub const SUREFILL_WAIT_BY_BENEFACTORS: i32 = 0;
/// Wait predicted by predictor B: the time until enough processors are released when jobs release them gradually
/// (equation 10).
pub const SUREFILL_WAIT_BY_FLUID: i32 = 1;
/// Wait predicted by the paper's choice: A with two or more benefactors, else B.
pub const SUREFILL_WAIT_BY_COMBINED: i32 = 2;
/// Wait predicted by its exact quantile.
pub const SUREFILL_WAIT_BY_QUANTILE: i32 = 3;
/// Wait predicted by its exact mean.
pub const SUREFILL_WAIT_BY_MEAN: i32 = 4;

/// Capacities of a sizing. Set by surefill_sizing_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_sizing_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Running jobs (0 to 1,048,576).
    pub running: i32,
    /// Processors of the machine (1 to 16,777,216).
    pub processors: i32,
}

/// The jobs that run on one pool of interchangeable processors: when will how many be free, and how many should a
/// malleable job wait for? Begin, add the running jobs, then ask in any order (Downey 1997). Durations are seconds in
/// doubles.
///
/// Distinct sizings are independent; one needs one thread, or the caller's lock: questions use the block for their
/// calculations. The block holds no pointers.
#[allow(non_camel_case_types)]
pub struct surefill_sizing {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_sizing_capacity {
    let SizingCapacity { running, processors, .. } = SizingCapacity::default();
    surefill_sizing_capacity {
        struct_size: size_of::<surefill_sizing_capacity>() as u32,
        running: running as i32,
        processors: processors as i32,
    }
}

unsafe fn capacity(given: *const surefill_sizing_capacity) -> Result<SizingCapacity> {
    let given =
        unsafe { sized(given, default_capacity(), ends!(surefill_sizing_capacity, running, processors))? };
    Ok(SizingCapacity {
        running: count(given.running)?,
        processors: count(given.processors)?,
        bins: 0,
        ..SizingCapacity::default()
    })
}

/// The predictor with this number; the quantile is checked where it is used.
pub(super) fn predictor(number: i32, quantile: f64) -> Result<FreeTimePredictor> {
    Ok(match number {
        SUREFILL_WAIT_BY_BENEFACTORS => FreeTimePredictor::Benefactors,
        SUREFILL_WAIT_BY_FLUID => FreeTimePredictor::Fluid,
        SUREFILL_WAIT_BY_COMBINED => FreeTimePredictor::Combined,
        SUREFILL_WAIT_BY_QUANTILE if quantile.is_nan() => return Err(Error::NotANumber),
        SUREFILL_WAIT_BY_QUANTILE if (0.0..=1.0).contains(&quantile) => FreeTimePredictor::Quantile(quantile),
        SUREFILL_WAIT_BY_MEAN => FreeTimePredictor::Mean,
        _ => return Err(Error::OutOfRange),
    })
}

/// The sizing behind a handle.
///
/// # Safety
/// As [`object`].
pub(super) unsafe fn sizing<'a>(handle: *const surefill_sizing) -> Result<Sizing<'a>> {
    unsafe { object(handle) }
}

/// Sets the capacity to its defaults: 256 running jobs, 1,024 processors.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_capacity_init(
    capacity: *mut surefill_sizing_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Bytes of memory that a sizing needs: at most 72 R + 24 P + 128 for R running jobs and P processors.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_size(
    capacity: *const surefill_sizing_capacity,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = Sizing::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a sizing in the caller's memory (length bytes, at least surefill_sizing_size, aligned to 8). O(1).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, sizing to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_sizing_capacity,
    sizing: *mut *mut surefill_sizing,
) -> i32 {
    status(unsafe { init(memory, length, sizing, |bytes| Sizing::init(bytes, &self::capacity(capacity)?)) })
}

/// Begins with this number of idle processors and nothing running; what was added before is forgotten. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, TOO_MANY_PROCESSORS.
///
/// # Safety
/// sizing is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_begin(sizing: *mut surefill_sizing, idle: i32) -> i32 {
    status((|| unsafe { self::sizing(sizing)? }.begin(count(idle)?))())
}

/// The wait in seconds until at least this number of processors (not negative) is free, if nothing else starts, as
/// predicted by one of SUREFILL_WAIT_BY_; 0 when they are. quantile (0 to 1) is for QUANTILE and else ignored: .5 gives
/// the median, 1 when they surely are. BENEFACTORS, FLUID and COMBINED take O(64 x running jobs x releases), QUANTILE
/// O(64 x running jobs x (releases + missing processors)), MEAN O(running jobs x missing processors) at eight places
/// for each job and each doubling of time.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, TOO_MANY_PROCESSORS,
/// WRONG_STATE (before surefill_sizing_begin), NEVER (the running jobs hold too few, or by BENEFACTORS there is none).
///
/// # Safety
/// sizing is a handle, seconds points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_wait(
    sizing: *mut surefill_sizing,
    processors: i32,
    predictor: i32,
    quantile: f64,
    seconds: *mut f64,
) -> i32 {
    status((|| {
        let seconds = unsafe { checked_mut(seconds)? };
        let predictor = self::predictor(predictor, quantile)?;
        *seconds = unsafe { self::sizing(sizing)? }.wait(count(processors)?, predictor)?;
        Ok(())
    })())
}

/// The probability that at least this number of processors (not negative) is free wait seconds (0 to 2^40) from now, if
/// nothing else starts. O(running jobs x (releases + missing processors)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, TOO_MANY_PROCESSORS,
/// WRONG_STATE.
///
/// # Safety
/// sizing is a handle, probability points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_free_probability(
    sizing: *mut surefill_sizing,
    processors: i32,
    wait: f64,
    probability: *mut f64,
) -> i32 {
    status((|| {
        let probability = unsafe { checked_mut(probability)? };
        *probability = unsafe { self::sizing(sizing)? }.free_probability(count(processors)?, wait)?;
        Ok(())
    })())
}
