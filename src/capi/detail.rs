//! Bins and distributions in detail.
//!
//! Bins and their edges, probabilities bin by bin, and when a job may end.
//!
//! ```c
//! static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8];
//! const int64_t ran[] = {240, 300, 310, 2900};
//! double p[SUREFILL_MAX_BINS], lower, upper;
//! int64_t seconds[2 * SUREFILL_MAX_BINS];
//! double ends[2 * SUREFILL_MAX_BINS];
//! int32_t bin, bin_count, count;
//! surefill_bins *bins;
//! surefill_distribution *predicted;
//! surefill_bins_init_covering(bins_memory, sizeof bins_memory, 10, 1.8, 864000, &bins);
//! surefill_bins_count(bins, &bin_count);
//! surefill_bins_index(bins, 300, &bin);
//! surefill_bins_edges(bins, bin, &lower, &upper);
//! surefill_distribution_init_samples(memory, sizeof memory, bins, ran, NULL, 4, &predicted);
//! surefill_distribution_recalculate(predicted, 250, 3600, p, SUREFILL_MAX_BINS, &count);
//! surefill_distribution_remaining(predicted, 250, 3600, 2, seconds, ends, 2 * SUREFILL_MAX_BINS, &count);
//! ```

use super::bins::{KIND as BINS, bins, surefill_bins};
use super::block::Block;
use super::distribution::{surefill_distribution, view_or_limit};
use super::{array_mut, checked_mut, status, write};
use crate::error::Error;
use crate::runtime::{RawBins, RuntimeBins};
use core::ffi::c_void;

/// Makes the fewest bins with this first edge and ratio whose last, open bin starts above longest seconds.
///
/// Errors: as surefill_bins_init; OUT_OF_RANGE also when SUREFILL_MAX_BINS do not reach that far.
///
/// # Safety
/// As surefill_bins_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_bins_init_covering(
    memory: *mut c_void,
    length: i64,
    first: f64,
    ratio: f64,
    longest: i64,
    bins: *mut *mut surefill_bins,
) -> i32 {
    status(unsafe {
        Block::init(memory, length, BINS, bins, || {
            RuntimeBins::covering(first, ratio, longest).map(|bins| RawBins::new(&bins))
        })
    })
}

/// The number of bins. Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
///
/// # Safety
/// bins is a handle, count points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_bins_count(bins: *const surefill_bins, count: *mut i32) -> i32 {
    status((|| unsafe { write(count, self::bins(bins)?.count() as i32) })())
}

/// The bin, counted from 0, that holds a run time in seconds; negative run times are in bin 0. O(log of the number of
/// bins).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER.
///
/// # Safety
/// bins is a handle, index points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_bins_index(
    bins: *const surefill_bins,
    seconds: f64,
    index: *mut i32,
) -> i32 {
    status((|| {
        let bins = unsafe { self::bins(bins)? };
        if seconds.is_nan() {
            return Err(Error::NotANumber);
        }
        unsafe { write(index, bins.bin_of(seconds) as i32) }
    })())
}

/// Where the bin with this index starts and ends, in seconds; the last ends at infinity, the first starts where it
/// starts for logarithms.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX.
///
/// # Safety
/// bins is a handle, lower and upper point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_bins_edges(
    bins: *const surefill_bins,
    index: i32,
    lower: *mut f64,
    upper: *mut f64,
) -> i32 {
    status((|| {
        let bins = unsafe { self::bins(bins)? };
        let index = usize::try_from(index).map_err(|_| Error::NoSuchIndex)?;
        let edges = bins.lower(index).zip(bins.upper(index));
        let (low, high) = edges.ok_or(Error::NoSuchIndex)?;
        let (lower, upper) = unsafe { (super::checked_mut(lower)?, super::checked_mut(upper)?) };
        (*lower, *upper) = (low, high);
        Ok(())
    })())
}

/// The bins' probabilities for a job that has run for age seconds under a limit in seconds (both 0 to
/// SUREFILL_MAX_SECONDS): Algorithm 1 of Nissimov and Feitelson 2007. capacity is the room in probabilities, count the
/// number of bins written; 0 when nothing is left (or no bins are known) and the job is expected to end at its limit.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, FULL (capacity).
///
/// # Safety
/// distribution is a handle or NULL, probabilities points to capacity writable numbers, count to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_distribution_recalculate(
    distribution: *const surefill_distribution,
    age: i64,
    limit: i64,
    probabilities: *mut f64,
    capacity: i32,
    count: *mut i32,
) -> i32 {
    status((|| {
        let distribution = unsafe { view_or_limit(distribution)? };
        let (count, out) = unsafe { (checked_mut(count)?, array_mut(probabilities, capacity)?) };
        *count = distribution.recalculate(age, limit, out)? as i32;
        Ok(())
    })())
}

/// When the job may end: seconds from now (increasing, at least 1) and probabilities (which sum to 1) of a job of this
/// age under this limit, each bin's probability divided into events_per_bin events (1 to SUREFILL_MAX_EVENTS_PER_BIN;
/// the papers have 1): what the delay rule goes by, which spreads what is predicted beyond the limit over what is left
/// below it. capacity is the room in both arrays, at least bins x events_per_bin (1 without bins). count is the number
/// written.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, FULL (capacity).
///
/// # Safety
/// distribution is a handle or NULL, seconds and probabilities point to capacity writable numbers, count to a writable
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_distribution_remaining(
    distribution: *const surefill_distribution,
    age: i64,
    limit: i64,
    events_per_bin: i32,
    seconds: *mut i64,
    probabilities: *mut f64,
    capacity: i32,
    count: *mut i32,
) -> i32 {
    status((|| {
        let distribution = unsafe { view_or_limit(distribution)? };
        let events = usize::try_from(events_per_bin).map_err(|_| Error::OutOfRange)?;
        let count = unsafe { checked_mut(count)? };
        let mut out = unsafe { (array_mut(seconds, capacity)?, array_mut(probabilities, capacity)?) };
        *count = distribution.releases(age, limit, limit, events, &mut out)? as i32;
        Ok(())
    })())
}
