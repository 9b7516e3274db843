//! Speedup and sizes of malleable jobs (Downey 1997).
//!
//! On how many processors should a job run that can run on any number? Speedups are plain functions; a sizing knows the
//! running jobs.
//!
//! ```c
//! static int64_t memory[20000];
//! surefill_sizing_capacity capacity;
//! surefill_choice_options options;
//! surefill_sizing *sizing;
//! surefill_choice choice;
//! int64_t bytes;
//! choice.struct_size = sizeof choice;
//! surefill_sizing_capacity_init(&capacity);
//! capacity.running = 16;
//! surefill_sizing_size(&capacity, &bytes);
//! surefill_sizing_init(memory, sizeof memory, &capacity, &sizing);
//! surefill_sizing_begin(sizing, 16);
//! surefill_sizing_add_lifetime(sizing, 32, 600, 1, 86400);
//! surefill_choice_options_init(&options);
//! surefill_sizing_choose(sizing, &options, 40, 1, 36000, &choice);
//! ```

mod choose;
mod lifetime;
mod sizing;

pub use choose::*;
pub use lifetime::*;
pub use sizing::*;

use super::{array, checked_mut, status, write};
use crate::allocate::{Speedup, fit_run_time_points};

/// The speed of a job with this average parallelism (A, 1 to 2^40) and sigma (about the squared coefficient of
/// variation of its parallelism; from 0, infinity for the lower bound of equation 3) on this number of processors (1
/// to 2^40), over that on one: Downey 1997, equations 1 and 2. Between 1 and A. The run time there is the run time on
/// one divided by this.
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

/// The model of count run times in seconds, each measured on the number of processors under the same index of
/// processors (1 to 2^20; at least three different ones): parallelism and sigma (may be infinite), the run time on one
/// processor, and the root mean square of the differences of the natural logarithms, about the relative error.
/// Parallelism and sigma can be distinguished only when the measurements reach saturation; any pair that fits predicts
/// the measured range equally well. O(count).
///
/// Errors: NULL, MISALIGNED, NOT_A_NUMBER, OUT_OF_RANGE (also run times that are not positive or above 2^40, and
/// measurements on fewer than three numbers of processors).
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
        let (on, took): (&[f64], &[f64]) = unsafe { (array(processors, count)?, array(seconds, count)?) };
        let fit = fit_run_time_points(on.iter().copied().zip(took.iter().copied()))?;
        let (parallelism, sigma) = unsafe { (checked_mut(parallelism)?, checked_mut(sigma)?) };
        let (sequential, error) = unsafe { (checked_mut(sequential)?, checked_mut(error)?) };
        (*parallelism, *sigma) = (fit.speedup.parallelism(), fit.speedup.sigma());
        (*sequential, *error) = (fit.sequential, fit.error);
        Ok(())
    })())
}
