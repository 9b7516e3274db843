//! How many processors a malleable job should take (Downey 1997): models of speedup and of lifetimes, plain functions all.

mod choose;
mod correction;
mod sizing;

pub use choose::*;
pub use correction::*;
pub use sizing::*;

use super::distribution::{distribution_or_limit, surefill_distribution};
use super::{array, checked_mut, count, status, write};
use crate::allocate::{LogUniform, Speedup, fit_run_time_points, fit_speedup_points};
use crate::error::{Error, Result};

/// How many times as fast a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared coefficient of variation
/// of its parallelism; from 0, infinity for the lower bound of equation 3) runs on so many processors (1 to 2^40) as on one:
/// Downey 1997, equations 1 and 2. Between 1 and A.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// speedup points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_speedup(
    parallelism: f64,
    sigma: f64,
    processors: f64,
    speedup: *mut f64,
) -> i32 {
    status((|| unsafe { write(speedup, Speedup::new(parallelism, sigma)?.on(processors)?) })())
}

/// The lower bound of that for any sigma (equation 3): no job of this average parallelism is slower.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// speedup points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_speedup_least(parallelism: f64, processors: f64, speedup: *mut f64) -> i32 {
    status((|| unsafe { write(speedup, Speedup::new(parallelism, 0.0)?.least(processors)?) })())
}

/// The run time in seconds on so many processors (at least 1) of a job that takes sequential seconds (not negative) on one.
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// seconds points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_speedup_run_time(
    parallelism: f64,
    sigma: f64,
    sequential: f64,
    processors: i32,
    seconds: *mut f64,
) -> i32 {
    status((|| {
        let found = Speedup::new(parallelism, sigma)?.run_time(sequential, count(processors)?)?;
        unsafe { write(seconds, found) }
    })())
}

/// Two arrays side by side.
///
/// # Safety
/// As [`array`], of both.
unsafe fn points<'a>(
    processors: *const f64,
    values: *const f64,
    count: i32,
) -> Result<impl Iterator<Item = (f64, f64)> + Clone + 'a> {
    let (processors, values): (&'a [f64], &'a [f64]) =
        unsafe { (array(processors, count)?, array(values, count)?) };
    Ok(processors.iter().copied().zip(values.iter().copied()))
}

/// The model of count measured speedups, each on so many processors (1 to 2^20; two different numbers at least): parallelism and
/// sigma (may be infinite), and the root mean square of the differences of the natural logarithms, about the relative error. Parallelism
/// and sigma can be told apart only when the measurements reach saturation; any pair that fits predicts the measured range
/// equally well. O(count).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also speedups that are not positive or above 2^40, and measurements on
/// fewer than two numbers of processors).
///
/// # Safety
/// processors and speedups point to count readable numbers, the outputs to writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_speedup_fit(
    processors: *const f64,
    speedups: *const f64,
    count: i32,
    parallelism: *mut f64,
    sigma: *mut f64,
    error: *mut f64,
) -> i32 {
    status((|| {
        let fit = fit_speedup_points(unsafe { points(processors, speedups, count)? })?;
        let (parallelism, sigma, error) =
            unsafe { (checked_mut(parallelism)?, checked_mut(sigma)?, checked_mut(error)?) };
        (*parallelism, *sigma, *error) = (fit.speedup.parallelism(), fit.speedup.sigma(), fit.error);
        Ok(())
    })())
}

/// As surefill_speedup_fit, of run times in seconds, none of which need be on one processor, on three different numbers of processors
/// at least; sequential is the run time on one.
///
/// Errors: as surefill_speedup_fit.
///
/// # Safety
/// processors and seconds point to count readable numbers, the outputs to writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_speedup_fit_run_times(
    processors: *const f64,
    seconds: *const f64,
    count: i32,
    parallelism: *mut f64,
    sigma: *mut f64,
    sequential: *mut f64,
    error: *mut f64,
) -> i32 {
    status((|| {
        let fit = fit_run_time_points(unsafe { points(processors, seconds, count)? })?;
        let (parallelism, sigma) = unsafe { (checked_mut(parallelism)?, checked_mut(sigma)?) };
        let (sequential, error) = unsafe { (checked_mut(sequential)?, checked_mut(error)?) };
        (*parallelism, *sigma) = (fit.speedup.parallelism(), fit.speedup.sigma());
        (*sequential, *error) = (fit.sequential, fit.error);
        Ok(())
    })())
}

/// Pr(a job ends within wait seconds, given that it has run for age seconds; both 0 to 2^40) when lifetimes are uniform in the
/// logarithm between shortest and longest seconds (1e-9 to 2^40): equation 5, in which t is age plus wait. A job that has reached
/// the longest is expected to end in one second.
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

/// Fits such a distribution to a history of count lifetimes in seconds (1e-9 to 2^40), in increasing order: the least-squares line
/// of equation 4 through the shares (i - 1/2) / count. O(count).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also when they are not in order or all the same, and when the line's bounds
/// lie outside 1e-9 to 2^40).
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

/// The same for a history in bins: the line through the shares of run times below each edge that has any on both sides. O(bins).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (fewer than two such edges, or no bins).
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
