//! Sizes of malleable jobs: log-uniform lifetimes.
//!
//! Lifetimes are taken to be uniform in the logarithm (Downey 1997).
//!
//! ```c
//! static int64_t memory[20000];
//! const double ran[] = {60, 300, 900, 3600, 14400};
//! surefill_sizing_capacity capacity;
//! surefill_choice_options options;
//! surefill_choice choice;
//! surefill_sizing *sizing;
//! double shortest, longest;
//! surefill_lifetime_fit(ran, 5, &shortest, &longest);
//! surefill_sizing_capacity_init(&capacity);
//! capacity.running = 16;
//! surefill_sizing_init(memory, sizeof memory, &capacity, &sizing);
//! surefill_sizing_begin(sizing, 16);
//! surefill_sizing_add_lifetime(sizing, 32, 600, shortest, longest);
//! surefill_choice_options_init(&options);
//! choice.struct_size = sizeof choice;
//! surefill_sizing_choose(sizing, &options, 40, 1, 36000, &choice);
//! ```

use super::sizing::{sizing, surefill_sizing};
use crate::allocate::LogUniform;
use crate::capi::{array, checked_mut, count, status};

/// Fits lifetimes that are uniform in the logarithm between shortest and longest seconds to a history of count
/// lifetimes in seconds (1e-9 to 2^40), in increasing order: the least-squares line of equation 4 of Downey 1997
/// through the shares (i - 1/2) / count. O(count).
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
        let (shortest, longest) = unsafe { (checked_mut(shortest)?, checked_mut(longest)?) };
        (*shortest, *longest) = found;
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
