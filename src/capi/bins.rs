//! Runtime bins.
//!
//! A predictor, a distribution and a pass see run times in bins. A program makes them once.
//!
//! ```c
//! static int64_t memory[SUREFILL_BINS_SIZE / 8];
//! surefill_bins *bins;
//! surefill_bins_init_default(memory, sizeof memory, &bins);
//! surefill_bins_init(memory, sizeof memory, 60, 1.5, 20, &bins);
//! ```

use super::block::Block;
use super::status;
use crate::error::{Error, Result};
use crate::memory::Kind;
use crate::runtime::{RawBins, RuntimeBins};
use core::ffi::c_void;

pub(super) const KIND: Kind = Kind::Bins;

/// The largest number of bins.
pub const SUREFILL_MAX_BINS: i32 = 96;

/// Bytes of memory that bins need, aligned to 8.
pub const SUREFILL_BINS_SIZE: i64 = 816;

const _: () = assert!(SUREFILL_BINS_SIZE as usize == size_of::<Block<RawBins>>());

/// Logarithmic runtime bins. With first edge f and ratio r, bin 0 holds run times below f seconds, bin j (counted from
/// 0) those from f r^(j-1) to below f r^j, and the last bin is open upwards: a job's time limit closes it.
///
/// Never changed after initialisation: any number of threads may use one object.
#[allow(non_camel_case_types)]
pub struct surefill_bins {
    _opaque: [u8; 0],
}

/// The bins behind a handle, where they lie.
pub(super) unsafe fn checked_bins<'a>(handle: *const surefill_bins) -> Result<&'a RawBins> {
    let bins = unsafe { Block::<RawBins>::read(handle, KIND)? };
    bins.checked().map(|_| bins)
}

/// The value behind a handle; shared with the distributions.
pub(super) unsafe fn bins(handle: *const surefill_bins) -> Result<RuntimeBins> {
    unsafe { Block::<RawBins>::read(handle, KIND)? }.bins()
}

/// Makes bins in the caller's memory (length bytes, at least SUREFILL_BINS_SIZE, aligned to 8): first edge in seconds
/// (above 0), ratio of neighbouring edges (above 1), number of bins (1 to SUREFILL_MAX_BINS, the open one included).
/// The papers' ratio is 1.8.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, NOT_A_NUMBER, OUT_OF_RANGE (also when an edge would pass SUREFILL_MAX_SECONDS).
///
/// # Safety
/// memory points to length writable bytes, bins to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_bins_init(
    memory: *mut c_void,
    length: i64,
    first: f64,
    ratio: f64,
    count: i32,
    bins: *mut *mut surefill_bins,
) -> i32 {
    status(unsafe {
        Block::init(memory, length, KIND, bins, || {
            let count = usize::try_from(count).map_err(|_| Error::OutOfRange)?;
            RuntimeBins::new(first, ratio, count).map(|bins| RawBins::new(&bins))
        })
    })
}

/// Makes the papers' bins: ratio 1.8, first edge 1.5 s, 24 bins, the last from 7.2 days.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
///
/// # Safety
/// As surefill_bins_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_bins_init_default(
    memory: *mut c_void,
    length: i64,
    bins: *mut *mut surefill_bins,
) -> i32 {
    status(unsafe { Block::init(memory, length, KIND, bins, || Ok(RawBins::new(&RuntimeBins::default()))) })
}
