//! The choice of the number of processors.

use super::sizing::{SUREFILL_WAIT_BY_MEAN, predictor, sizing, surefill_sizing};
use crate::allocate::{Choice, ChoiceOptions, Speedup};
use crate::capi::sized::{ends, initialise, output_size, sized, write_sized};
use crate::capi::{count, status, write};
use crate::error::{Error, Result};

/// Options that decide a choice. Set by surefill_choice_options_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_choice_options {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_WAIT_BY_: how waits are predicted.
    pub predictor: i32,
    /// With QUANTILE: which one (0 to 1).
    pub quantile: f64,
    /// The fewest processors the job runs on (at least 1).
    pub least: i32,
    /// The most it may take (at least `least`). The paper: its average parallelism; under lock-in, once it has declared
    /// the number it waits for, that number.
    pub most: i32,
    /// q: what a second of waiting costs, in seconds of run time (0 to 2^40). The paper: 1, or the jobs in the queue.
    pub weight: f64,
    /// Risk aversion: waiting must gain more than this share of the run time on the idle processors (0 to 1). The
    /// paper: .2.
    pub least_gain: f64,
}

/// A job's best number of processors.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(non_camel_case_types)]
pub struct surefill_choice {
    /// Bytes of this structure, as the program knows it, which sets it before the first call.
    pub struct_size: u32,
    /// Number of processors: at most the idle ones when it should start now.
    pub processors: i32,
    /// The predicted wait for them in seconds; 0 when it should start now.
    pub wait: f64,
    /// The run time on them, in seconds.
    pub run_time: f64,
    /// weight x wait + run time less than on the idle processors, in seconds; infinite when too few are idle.
    pub gain: f64,
}

fn default_options() -> surefill_choice_options {
    let ChoiceOptions { predictor: _, least, most, weight, least_gain } = ChoiceOptions::default();
    surefill_choice_options {
        struct_size: size_of::<surefill_choice_options>() as u32,
        predictor: SUREFILL_WAIT_BY_MEAN,
        quantile: 0.5,
        least: least as i32,
        most: i32::try_from(most).unwrap_or(i32::MAX),
        weight,
        least_gain,
    }
}

unsafe fn options(given: *const surefill_choice_options) -> Result<ChoiceOptions> {
    let given = unsafe {
        sized(
            given,
            default_options(),
            ends!(surefill_choice_options, predictor, quantile, least, most, weight, least_gain),
        )?
    };
    Ok(ChoiceOptions {
        predictor: predictor(given.predictor, given.quantile)?,
        least: count(given.least)?,
        most: count(given.most)?,
        weight: given.weight,
        least_gain: given.least_gain,
    })
}

/// Bytes of the first version's choice.
const FIRST_CHOICE: usize = 32;

/// Refuses what is no duration, before anything is done.
pub(super) fn check(seconds: f64) -> Result<()> {
    if seconds.is_nan() {
        return Err(Error::NotANumber);
    }
    if (0.0..=(1u64 << 40) as f64).contains(&seconds) { Ok(()) } else { Err(Error::OutOfRange) }
}

/// Sets the options to their defaults: the exact mean, from one processor up to all, a second for a second, however
/// small the gain.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// options points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_choice_options_init(
    options: *mut surefill_choice_options,
    size: i64,
) -> i32 {
    status(unsafe { initialise(options, default_options(), size) })
}

/// The number of processors n with the smallest weight x wait + run time, the smaller of equal ones, for a job that
/// takes sequential seconds (0 to 2^40) on one and speeds up as surefill_speedup says. O(n) times the predictor's test
/// of one wait, and 64 times as much for each n that is better than those before it; by MEAN one integration for all n.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, TOO_MANY_PROCESSORS
/// (`least`), WRONG_STATE (before surefill_sizing_begin), NEVER (neither the idle nor the busy processors suffice).
///
/// # Safety
/// sizing is a handle, options points to a readable structure of the size it says, choice to a writable structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_sizing_choose(
    sizing: *mut surefill_sizing,
    options: *const surefill_choice_options,
    parallelism: f64,
    sigma: f64,
    sequential: f64,
    choice: *mut surefill_choice,
) -> i32 {
    status((|| {
        let options = unsafe { self::options(options)? };
        let speedup = Speedup::new(parallelism, sigma)?;
        check(sequential)?;
        // Refuses no number of processors that is asked for.
        let run_time = |n| speedup.run_time(sequential, n).unwrap_or(f64::NAN);
        let size = unsafe { output_size(choice, FIRST_CHOICE)? };
        let found = unsafe { self::sizing(sizing)? }.choose(&options, None, run_time)?;
        let made = surefill_choice {
            struct_size: 0,
            processors: i32::try_from(found.processors).map_err(|_| Error::Corrupt)?,
            wait: found.wait,
            run_time: found.run_time,
            gain: found.gain,
        };
        unsafe { write_sized(choice, made, size) };
        Ok(())
    })())
}

/// On how many processors the job starts when this number is free: all that it can use, `most` (at least the choice's)
/// at most; or with lock_in (1) the number it waited for. processors is 0 when it goes on waiting.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE (also for a lock_in that is neither 0 nor 1, and a choice of
/// no processors).
///
/// # Safety
/// choice points to a readable structure of the size it says, processors to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_choice_start(
    choice: *const surefill_choice,
    free: i32,
    most: i32,
    lock_in: i32,
    processors: *mut i32,
) -> i32 {
    status((|| {
        let none = surefill_choice { struct_size: 0, processors: 0, wait: 0.0, run_time: 0.0, gain: 0.0 };
        let given = unsafe { sized(choice, none, &[])? };
        let wanted = count(given.processors)?;
        let (free, most) = (count(free)?, count(most)?);
        if wanted == 0 || most < wanted || !(0..=1).contains(&lock_in) {
            return Err(Error::OutOfRange);
        }
        let choice = Choice {
            processors: wanted,
            wait: given.wait,
            predicted: given.wait,
            run_time: given.run_time,
            gain: given.gain,
        };
        let started = choice.start(free, most, lock_in == 1).unwrap_or(0);
        unsafe { write(processors, i32::try_from(started).map_err(|_| Error::OutOfRange)?) }
    })())
}
