//! Lifetimes that are uniform in the logarithm (Downey 1997).
//!
//! ```c
//! static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], memory[SUREFILL_DISTRIBUTION_SIZE / 8];
//! const double ran[] = {60, 300, 900, 3600, 14400};
//! const int64_t seconds[] = {60, 300, 900, 3600, 14400};
//! double shortest, longest, mean, beta0, beta1, probability;
//! surefill_bins *bins;
//! surefill_distribution *binned;
//! surefill_lifetime_fit(ran, 5, &shortest, &longest);
//! surefill_lifetime_mean(shortest, longest, &mean);
//! surefill_lifetime_ends_within(shortest, longest, 600, 300, &probability);
//! surefill_lifetime_coefficients(shortest, longest, &beta0, &beta1);
//! surefill_lifetime_bounds(beta0, beta1, &shortest, &longest);
//! surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
//! surefill_distribution_init_samples(memory, sizeof memory, bins, seconds, NULL, 5, &binned);
//! surefill_lifetime_fit_binned(binned, &shortest, &longest);
//! ```

use crate::allocate::LogUniform;
use crate::capi::distribution::{distribution_or_limit, surefill_distribution};
use crate::capi::{array, checked_mut, status, write};
use crate::error::{Error, Result};

/// Pr(a job ends within wait seconds, given that it has run for age seconds; both 0 to 2^40) when lifetimes are uniform
/// in the logarithm between shortest and longest seconds (1e-9 to 2^40): equation 5, in which t is age plus wait. A job
/// that has reached the longest is expected to end in one second.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// probability points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_lifetime_ends_within(
    shortest: f64,
    longest: f64,
    age: f64,
    wait: f64,
    probability: *mut f64,
) -> i32 {
    status((|| unsafe { write(probability, LogUniform::new(shortest, longest)?.ends_within(age, wait)?) })())
}

/// The mean of such lifetimes, in seconds.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// seconds points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_lifetime_mean(shortest: f64, longest: f64, seconds: *mut f64) -> i32 {
    status((|| unsafe { write(seconds, LogUniform::new(shortest, longest)?.mean()) })())
}

/// The coefficients of such lifetimes' distribution beta0 + beta1 ln t (equation 4).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// beta0 and beta1 point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_lifetime_coefficients(
    shortest: f64,
    longest: f64,
    beta0: *mut f64,
    beta1: *mut f64,
) -> i32 {
    status((|| {
        let found = LogUniform::new(shortest, longest)?.coefficients();
        unsafe { write_two(beta0, beta1, found) }
    })())
}

/// The shortest and longest lifetime in seconds of the distribution beta0 + beta1 ln t; beta1 is positive.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also when they lie outside 1e-9 to 2^40).
///
/// # Safety
/// shortest and longest point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_lifetime_bounds(
    beta0: f64,
    beta1: f64,
    shortest: *mut f64,
    longest: *mut f64,
) -> i32 {
    status((|| {
        let found = LogUniform::from_coefficients(beta0, beta1)?.bounds();
        unsafe { write_two(shortest, longest, found) }
    })())
}

/// Fits such a distribution to a history of count lifetimes in seconds (1e-9 to 2^40), in increasing order: the
/// least-squares line of equation 4 through the shares (i - 1/2) / count. O(count).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also when they are not in order or all the same, and when the
/// line's bounds lie outside 1e-9 to 2^40).
///
/// # Safety
/// lifetimes points to count readable numbers, shortest and longest to writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_lifetime_fit(
    lifetimes: *const f64,
    count: i32,
    shortest: *mut f64,
    longest: *mut f64,
) -> i32 {
    status((|| {
        let found = LogUniform::fit(unsafe { array(lifetimes, count)? })?.bounds();
        unsafe { write_two(shortest, longest, found) }
    })())
}

/// The same for a history in bins: the line through the shares of run times below each edge that has any on both sides.
/// O(bins).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (fewer than two such edges, or no
/// bins).
///
/// # Safety
/// distribution is a handle, shortest and longest point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_lifetime_fit_binned(
    distribution: *const surefill_distribution,
    shortest: *mut f64,
    longest: *mut f64,
) -> i32 {
    status((|| {
        if distribution.is_null() {
            return Err(Error::Null);
        }
        let found = LogUniform::fit_binned(&unsafe { distribution_or_limit(distribution)? })?.bounds();
        unsafe { write_two(shortest, longest, found) }
    })())
}

/// Writes two outputs, having checked that both can be written.
///
/// # Safety
/// As [`write`], of both.
unsafe fn write_two<T>(first: *mut T, second: *mut T, values: (T, T)) -> Result<()> {
    let (first, second) = unsafe { (checked_mut(first)?, checked_mut(second)?) };
    (*first, *second) = values;
    Ok(())
}
