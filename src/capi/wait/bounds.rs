//! Order statistics that bound quantiles.
//!
//! Which of n sorted waits bounds a quantile with this confidence, whatever their distribution?
//!
//! ```c
//! int64_t k, lower, upper, fewest;
//! surefill_binomial_upper(1000, 0.95, 0.95, &k);
//! surefill_binomial_lower(1000, 0.95, 0.95, &k);
//! surefill_binomial_two_sided(1000, 0.5, 0.95, &lower, &upper);
//! surefill_binomial_fewest(0.95, 0.95, &fewest);
//! ```

use crate::capi::{checked_mut, status, write};
use crate::error::{Error, Result};
use crate::wait::{lower_index, smallest_history, two_sided_indices, upper_index};

fn observations(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|_| Error::OutOfRange)
}

/// An order statistic, 0 for none. There are at most 2^32 observations.
fn statistic(index: Option<u64>) -> i64 {
    index.unwrap_or(0) as i64
}

/// Which of a number of observations (0 to 4,294,967,296), the k-th smallest counted from 1, is an upper bound with
/// this confidence for the quantile of their distribution (both above 0, below 1): the smallest k with
/// Pr(Bin(observations, quantile) <= k - 1) >= confidence. k is 0 when there are too few. O(sqrt(observations)), mostly
/// far less.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// k points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_binomial_upper(
    observations: i64,
    quantile: f64,
    confidence: f64,
    k: *mut i64,
) -> i32 {
    status((|| {
        let index = upper_index(self::observations(observations)?, quantile, confidence)?;
        unsafe { write(k, statistic(index)) }
    })())
}

/// The index of a lower bound, see surefill_binomial_upper: the largest k with Pr(Bin(observations, quantile) >= k) >=
/// confidence.
///
/// Errors: as surefill_binomial_upper.
///
/// # Safety
/// k points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_binomial_lower(
    observations: i64,
    quantile: f64,
    confidence: f64,
    k: *mut i64,
) -> i32 {
    status((|| {
        let index = lower_index(self::observations(observations)?, quantile, confidence)?;
        unsafe { write(k, statistic(index)) }
    })())
}

/// The indices of a lower and an upper bound, see surefill_binomial_upper, that hold together with this confidence:
/// each is one-sided at (1 + confidence) / 2. Both are 0 when there are too few observations for either.
///
/// Errors: as surefill_binomial_upper.
///
/// # Safety
/// lower and upper point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_binomial_two_sided(
    observations: i64,
    quantile: f64,
    confidence: f64,
    lower: *mut i64,
    upper: *mut i64,
) -> i32 {
    status((|| {
        let found = two_sided_indices(self::observations(observations)?, quantile, confidence)?;
        let (lower, upper) = unsafe { (checked_mut(lower)?, checked_mut(upper)?) };
        *lower = statistic(found.map(|found| found.0));
        *upper = statistic(found.map(|found| found.1));
        Ok(())
    })())
}

/// The fewest observations for which surefill_binomial_upper finds a bound: the smallest n with quantile^n <= 1 -
/// confidence, 59 for .95 and .95.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also when more than 4,294,967,296 would be needed).
///
/// # Safety
/// observations points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_binomial_fewest(
    quantile: f64,
    confidence: f64,
    observations: *mut i64,
) -> i32 {
    status((|| unsafe { write(observations, smallest_history(quantile, confidence)? as i64) })())
}
