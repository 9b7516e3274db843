//! Bias correction of predicted waits.

use super::choose::{Corrected, surefill_correction};
use crate::capi::block::{init, object};
use crate::capi::status;
use crate::memory::Object;
use core::ffi::c_void;

/// Bytes of memory that a correction needs, aligned to 8.
pub const SUREFILL_CORRECTION_SIZE: i64 = 80;

const _: () = assert!(SUREFILL_CORRECTION_SIZE as usize == Corrected::PREFIX);

/// Makes a correction that knows nothing in the caller's memory (length bytes, at least SUREFILL_CORRECTION_SIZE,
/// aligned to 8).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
///
/// # Safety
/// memory points to length writable bytes, correction to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_correction_init(
    memory: *mut c_void,
    length: i64,
    correction: *mut *mut surefill_correction,
) -> i32 {
    status(unsafe {
        init(memory, length, correction, |bytes| {
            Corrected::create(bytes, &()).map(|(state, ())| Corrected(state))
        })
    })
}

/// Records a wait as predicted, before correction, and as it was: seconds (0 to 2^40; below one counts as one). Nothing
/// is corrected before 20 pairs are recorded, nor while longer predictions go with shorter waits. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// correction is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_correction_record(
    correction: *mut surefill_correction,
    predicted: f64,
    actual: f64,
) -> i32 {
    status((|| {
        let Corrected(correction) = unsafe { object(correction)? };
        let mut changed = *correction;
        changed.record(predicted, actual)?;
        *correction = changed;
        Ok(())
    })())
}
