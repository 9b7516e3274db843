//! Sizes of malleable jobs: fits, lifetimes, benefactors, bias correction.
//!
//! A correction learns how predicted waits relate to those that came, by a line through their logarithms, and corrects
//! later predictions, those of surefill_sizing_choose among them.
//!
//! ```c
//! static int64_t memory[SUREFILL_CORRECTION_SIZE / 8], sizing_memory[20000];
//! const double processors[] = {2, 8, 32}, speedups[] = {1.9, 6.5, 15};
//! surefill_sizing_capacity capacity;
//! surefill_sizing *sizing;
//! surefill_correction *correction;
//! double parallelism, sigma, error, wait, intercept, slope, coefficient;
//! int64_t pairs;
//! int32_t benefactors, known, i;
//! surefill_speedup_fit(processors, speedups, 3, &parallelism, &sigma, &error);
//! surefill_sizing_capacity_init(&capacity);
//! capacity.running = 16;
//! surefill_sizing_init(sizing_memory, sizeof sizing_memory, &capacity, &sizing);
//! surefill_sizing_begin(sizing, 16);
//! surefill_sizing_add_lifetime(sizing, 32, 600, 60, 36000);
//! surefill_sizing_benefactors(sizing, 40, &benefactors);
//! surefill_correction_init(memory, sizeof memory, &correction);
//! for (i = 1; i <= 30; i++) {
//!     surefill_correction_record(correction, 100.0 * i, 150.0 * i + i % 7);
//! }
//! surefill_correction_corrected(correction, 600, &wait);
//! surefill_correction_pairs(correction, &pairs);
//! surefill_correction_line(correction, &known, &intercept, &slope);
//! surefill_correction_correlation(correction, &known, &coefficient);
//! surefill_correction_seal(correction);
//! surefill_correction_open(memory, sizeof memory, &correction);
//! ```

use super::points;
use super::sizing::{sizing, surefill_sizing};
use crate::allocate::{LogUniform, fit_speedup_points};
use crate::capi::{checked_mut, count, status, write};
use crate::error::Error;

/// As surefill_speedup_fit_run_times, of count measured speedups, each on the number of processors at the same place of
/// processors (1 to 2^20; two different numbers at least). O(count).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also speedups that are not positive or above 2^40, and
/// measurements on fewer than two numbers of processors).
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

/// Adds a running job: its processors (at least 1), for how many seconds it has run (0 to 2^40), and between which
/// lifetimes in seconds (1e-9 to 2^40) the logarithm of its own is uniform (Downey 1997). O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, TOO_MANY_PROCESSORS,
/// OVERFULL, FULL, WRONG_STATE (before surefill_sizing_begin).
///
/// # Safety
/// sizing is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_add_lifetime(
    sizing: *mut surefill_sizing,
    processors: i32,
    age: f64,
    shortest: f64,
    longest: f64,
) -> i32 {
    status((|| {
        let mut sizing = unsafe { self::sizing(sizing)? };
        sizing.add_running(count(processors)?, age, &LogUniform::new(shortest, longest)?)
    })())
}

/// The number of benefactors: running jobs that hold at least as many processors as are missing until this number (not
/// negative) is free.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, TOO_MANY_PROCESSORS, WRONG_STATE,
/// NEVER (the running jobs hold too few).
///
/// # Safety
/// sizing is a handle, benefactors points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_benefactors(
    sizing: *const surefill_sizing,
    processors: i32,
    benefactors: *mut i32,
) -> i32 {
    status((|| {
        let found = unsafe { self::sizing(sizing)? }.benefactors(count(processors)?)?;
        unsafe { write(benefactors, i32::try_from(found).map_err(|_| Error::Corrupt)?) }
    })())
}
