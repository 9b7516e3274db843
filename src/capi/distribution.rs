//! Distributions of run times.
//!
//! A distribution is what is predicted of one job's run time. A call that is given one copies what it needs: after
//! surefill_pass_add_running and the like its block may be used for the next one. NULL says that nothing is known but
//! the job's limit.
//!
//! ```c
//! static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8];
//! const int64_t ran[] = {240, 300, 310, 2900};
//! const double counts[24] = {0, 0, 0, 1, 4, 2};
//! surefill_bins *bins;
//! surefill_distribution *predicted;
//! int64_t median;
//! surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
//! surefill_distribution_init_samples(memory, sizeof memory, bins, ran, NULL, 4, &predicted);
//! surefill_distribution_quantile(predicted, 0.5, 0, 3600, &median);
//! surefill_distribution_init_counts(memory, sizeof memory, bins, counts, 24, &predicted);
//! surefill_distribution_init_single(memory, sizeof memory, 600, &predicted);
//! ```

use super::bins::{checked_bins, surefill_bins};
use super::block::Block;
use super::{array, status, write};
use crate::error::{Error, Result};
use crate::memory::{Kind, copy};
use crate::runtime::{MAX_BINS, RawDistribution, View, count_samples};
use core::ffi::c_void;

const KIND: Kind = Kind::Distribution;

/// Bytes of memory that a distribution needs, aligned to 8.
pub const SUREFILL_DISTRIBUTION_SIZE: i64 = 1_600;

const _: () = assert!(SUREFILL_DISTRIBUTION_SIZE as usize == size_of::<Block<RawDistribution>>());

/// The largest number of events into which a bin's probability may be divided.
pub const SUREFILL_MAX_EVENTS_PER_BIN: i32 = 16;

/// The predicted run time of one job, before anything is known of its age. It holds a copy of its bins.
///
/// Never changed after initialisation: any number of threads may use one object.
#[allow(non_camel_case_types)]
pub struct surefill_distribution {
    _opaque: [u8; 0],
}

/// The value behind a handle, where it lies; NULL is "nothing known".
pub(super) unsafe fn view_or_limit<'a>(handle: *const surefill_distribution) -> Result<View<'a>> {
    if handle.is_null() {
        return Ok(View::Limit);
    }
    unsafe { Block::<RawDistribution>::read(handle, KIND)? }.view()
}

/// Makes a distribution in the caller's memory, of what is found.
///
/// # Safety
/// As [`Block::init`].
pub(super) unsafe fn write_distribution<'v>(
    memory: *mut c_void,
    length: i64,
    handle: *mut *mut surefill_distribution,
    find: impl FnOnce() -> Result<View<'v>>,
) -> Result<()> {
    let write = |found: View<'_>, raw: &mut RawDistribution| raw.write(&found);
    unsafe { Block::init_in_place(memory, length, KIND, handle, (find, write)) }
}

/// Makes the distribution proportional to count numbers, one for each bin, none negative. When all are zero nothing is
/// known: the job is expected to run to its limit.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also when
/// there are not as many numbers as bins).
///
/// # Safety
/// memory points to length writable bytes, bins is a handle, counts points to count numbers, distribution to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_distribution_init_counts(
    memory: *mut c_void,
    length: i64,
    bins: *const surefill_bins,
    counts: *const f64,
    count: i32,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    let mut room = [0.0; MAX_BINS];
    status(unsafe {
        write_distribution(memory, length, distribution, || {
            let (bins, counts) = (checked_bins(bins)?, array(counts, count)?);
            let own = room.get_mut(..counts.len()).ok_or(Error::OutOfRange)?;
            copy(own, counts);
            View::of_counts(bins, own)
        })
    })
}

/// Makes the distribution of count samples: run times in seconds (0 to SUREFILL_MAX_SECONDS) with weights, none
/// negative; weights may be NULL, then every sample weighs 1. Without any weight nothing is known: the job is expected
/// to run to its limit. O(count x log of the number of bins).
///
/// Errors: as surefill_distribution_init_counts.
///
/// # Safety
/// As surefill_distribution_init_counts; runtimes and weights point to count numbers each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_distribution_init_samples(
    memory: *mut c_void,
    length: i64,
    bins: *const surefill_bins,
    runtimes: *const i64,
    weights: *const f64,
    count: i32,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    let mut room = [0.0; MAX_BINS];
    status(unsafe {
        write_distribution(memory, length, distribution, || {
            let bins = checked_bins(bins)?;
            let counts = room.get_mut(..bins.count()).ok_or(Error::Corrupt)?;
            let runtimes = array(runtimes, count)?.iter().copied();
            let bin_of = |seconds| bins.bin_of(seconds);
            if weights.is_null() {
                count_samples(runtimes.map(|runtime| (runtime, 1.0)), bin_of, counts)?;
            } else {
                count_samples(runtimes.zip(array(weights, count)?.iter().copied()), bin_of, counts)?;
            }
            View::of_counts(bins, counts)
        })
    })
}

/// Makes a prediction of one value, in seconds (0 to SUREFILL_MAX_SECONDS).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, distribution to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_distribution_init_single(
    memory: *mut c_void,
    length: i64,
    seconds: i64,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    status(unsafe { write_distribution(memory, length, distribution, || View::single(seconds)) })
}

/// The remaining run time in seconds (at least 1) that a job of this age under this limit (both in seconds, 0 to
/// SUREFILL_MAX_SECONDS) exceeds with probability at most 1 - quantile (0 to 1). What is predicted beyond the limit is
/// at the limit, as jobs that use up their limits are. O(bins).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, SPAN_TOO_LONG.
///
/// # Safety
/// distribution is a handle or NULL, seconds points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_distribution_quantile(
    distribution: *const surefill_distribution,
    quantile: f64,
    age: i64,
    limit: i64,
    seconds: *mut i64,
) -> i32 {
    status((|| unsafe { write(seconds, view_or_limit(distribution)?.quantile(quantile, age, limit)?) })())
}
