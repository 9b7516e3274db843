//! Order statistics, and the rivals of the binomial method.
//!
//! Which of n sorted waits bounds a quantile with this confidence? Beside it, what parametric models say of the same
//! waits.
//!
//! ```c
//! const double waits[] = {30, 60, 60, 120, 600, 900, 1800, 7200};
//! double bound, quantile, shape, scale;
//! int64_t k, lower, upper, fewest;
//! int32_t threshold;
//! surefill_binomial_fewest(0.95, 0.95, &fewest);
//! surefill_binomial_upper(1000, 0.95, 0.95, &k);
//! surefill_binomial_lower(1000, 0.95, 0.95, &k);
//! surefill_binomial_two_sided(1000, 0.5, 0.95, &lower, &upper);
//! surefill_log_normal_bound(waits, 8, 0.95, 0.95, &bound);
//! surefill_log_uniform_quantile(waits, 8, 0.95, &quantile);
//! surefill_weibull_quantile(waits, 8, 0.95, &shape, &scale, &quantile);
//! surefill_rare_event_threshold(0.95, 0.3, &threshold);
//! ```

use crate::capi::{array, checked_mut, status, write};
use crate::error::{Error, Result};
use crate::wait::{
    log_normal_bound, log_uniform_quantile, lower_index, rare_event_threshold, smallest_history,
    two_sided_indices, upper_index, weibull_quantile,
};

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

/// As surefill_binomial_upper, a lower bound: the largest k with Pr(Bin(observations, quantile) >= k) >= confidence.
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

/// As surefill_binomial_upper, a lower and an upper bound that hold together with this confidence: each is one-sided at
/// (1 + confidence) / 2. Both are 0 when there are too few observations for either.
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

/// How many consecutive values above a series' quantile (above 0, below 1) are a change point, when the series' lag-1
/// autocorrelation is correlation (-1 to 1): a run of that length happens by chance less than once in 8,000 values.
/// threshold is 0 for quantiles below .25 and correlations above .99, where long runs are no news. O(1).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// threshold points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_rare_event_threshold(
    quantile: f64,
    correlation: f64,
    threshold: *mut i32,
) -> i32 {
    status(
        (|| unsafe { write(threshold, rare_event_threshold(quantile, correlation)?.unwrap_or(0) as i32) })(),
    )
}

/// The upper bound, with this confidence, of the quantile (both above 0, below 1) of a log-normal distribution, from
/// count independent waits in seconds (at least 2, none negative; they count as at least one second). O(count).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also for fewer than 2 waits).
///
/// # Safety
/// waits points to count readable numbers, seconds to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_log_normal_bound(
    waits: *const f64,
    count: i32,
    quantile: f64,
    confidence: f64,
    seconds: *mut f64,
) -> i32 {
    status((|| {
        let found = log_normal_bound(unsafe { array(waits, count)? }, quantile, confidence)?;
        unsafe { write(seconds, found.ok_or(Error::OutOfRange)?) }
    })())
}

/// The quantile (above 0, below 1) of the log-uniform distribution most likely to give these waits in seconds (at least
/// 1, none negative; they count as at least one second). O(count).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also without a wait).
///
/// # Safety
/// waits points to count readable numbers, seconds to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_log_uniform_quantile(
    waits: *const f64,
    count: i32,
    quantile: f64,
    seconds: *mut f64,
) -> i32 {
    status((|| {
        let found = log_uniform_quantile(unsafe { array(waits, count)? }, quantile)?;
        unsafe { write(seconds, found.ok_or(Error::OutOfRange)?) }
    })())
}

/// The Weibull distribution most likely to give these waits in seconds (at least 1, none negative; they count as at
/// least one second): its shape (infinite where all waits are equal), its scale in seconds, and its quantile (above 0,
/// below 1) in seconds. At most 60 passes over the waits, usually six.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also without a wait).
///
/// # Safety
/// waits points to count readable numbers, shape, scale and seconds to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_weibull_quantile(
    waits: *const f64,
    count: i32,
    quantile: f64,
    shape: *mut f64,
    scale: *mut f64,
    seconds: *mut f64,
) -> i32 {
    status((|| {
        let found = weibull_quantile(unsafe { array(waits, count)? }, quantile)?;
        let (fitted, value) = found.ok_or(Error::OutOfRange)?;
        let (shape, scale, seconds) =
            unsafe { (checked_mut(shape)?, checked_mut(scale)?, checked_mut(seconds)?) };
        (*shape, *scale, *seconds) = (fitted.shape, fitted.scale, value);
        Ok(())
    })())
}
