//! The order of the queue, long waits, and presets.
//!
//! A preset has every value that makes a schedule, beside the predictor. At each pass: recent waits say which wait is
//! long; by the queue's values (smaller ones first, equal ones by submission) the queue is put in order, its first job
//! is the head job, and what fits in that order is started; by the candidates' values the others are put in order for
//! the pass, which decides by the preset's rule. A site's own priorities come first: these values order jobs of equal
//! priority.
//!
//! ```c
//! static int64_t memory[100000];
//! surefill_preset preset;
//! surefill_recent_waits *waits;
//! surefill_rule rule;
//! surefill_forecast_options forward;
//! double value;
//! surefill_preset_init(&preset, SUREFILL_PRESET_DELAY);
//! surefill_recent_waits_init(memory, sizeof memory, &preset, &waits);
//! surefill_preset_queue_value(&preset, waits, NULL, 3600, 16, 600, &value);
//! surefill_preset_candidate_value(&preset, NULL, 3600, 16, 600, &value);
//! surefill_rule_init(&rule);
//! surefill_preset_rule(&preset, waits, &rule);
//! surefill_forecast_options_init(&forward);
//! surefill_preset_forecast(&preset, waits, &forward);
//! surefill_recent_waits_add(waits, 600);
//! ```

mod delays;

pub use delays::*;

use super::block::{init, object, open, seal, write_size};
use super::distribution::{distribution_or_limit, surefill_distribution};
use super::forecast::{c_options, surefill_forecast_options};
use super::pass::{c_rule, criterion, surefill_rule};
use super::sized::{initialise, sized, write_output};
use super::{count, status, write};
use crate::backfill::Rule;
use crate::error::{Error, Result};
use crate::forecast::ForecastOptions;
use crate::schedule::{Preset, PresetName, Priority, RecentWaits};
use core::ffi::c_void;

/// Preset: EASY backfilling by the time limits, in the order of submission.
pub const SUREFILL_PRESET_EASY: i32 = 0;
/// Preset: the lower bound of the delay probability below 0.05 by Nissimov and Feitelson 2007, in the order of
/// submission. For comparison with their tables: waits get longer than EASY's.
pub const SUREFILL_PRESET_PAPERS: i32 = 1;
/// Preset: the delay rule, shorter waits than EASY's whose longest ones hardly rise. The plan of surefill_scheduler
/// gains more.
pub const SUREFILL_PRESET_DELAY: i32 = 2;
/// Preset: the delay rule for the shortest mean wait, at the price of some long ones.
pub const SUREFILL_PRESET_DELAY_FAST: i32 = 3;

const _: () = assert!(SUREFILL_PRESET_EASY == PresetName::Easy as i32);
const _: () = assert!(SUREFILL_PRESET_PAPERS == PresetName::Papers as i32);
const _: () = assert!(SUREFILL_PRESET_DELAY == PresetName::Delay as i32);
const _: () = assert!(SUREFILL_PRESET_DELAY_FAST == PresetName::DelayFast as i32);

/// Everything that makes a schedule, beside the predictor. Set by surefill_preset_init, then changed as needed.
///
/// A waiting job's value is median^run_time x processors^processors / (1 + waited / age_unit)^age with the median of
/// its predicted run time in seconds, at least 10.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_preset {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// The rule's: one of SUREFILL_CRITERION_.
    pub criterion: i32,
    /// The rule's.
    pub threshold: f64,
    /// The rule's.
    pub budget: f64,
    /// The rule's.
    pub slip: f64,
    /// The rule's.
    pub or_easy: i32,
    /// Events into which a bin's probability is divided. It counts only where the program copies it to the pass's
    /// capacity, whose own default is another.
    pub events_per_bin: i32,
    /// The quantile of recent waits from which the head job is guarded; not negative, 1 for never, 0 for always.
    pub guard_quantile: f64,
    /// The quantile of recent waits beyond which a job comes to the front of the queue, by submission; above 0, 1 for
    /// never.
    pub front_quantile: f64,
    /// The least wait that counts as long, in seconds: neither guard nor front begin earlier. Not negative.
    pub shortest_long_wait: f64,
    /// Number of waits that surefill_recent_waits_init makes room for (1 to 4,194,304).
    pub recent_waits: i32,
    /// The rule's member of this name: not 0 but in papers. Set it to 0 to have every delay measured itself.
    pub unmeasured: i32,
    /// The queue's order: the power of the predicted run time (-8 to 8), above 0 for short jobs first.
    pub queue_run_time: f64,
    /// The power of the processors (-8 to 8), below 0 for wide jobs first.
    pub queue_processors: f64,
    /// The wait that counts as one, in seconds, above 0.
    pub queue_age_unit: f64,
    /// The power of the age (0 to 8).
    pub queue_age: f64,
    /// The candidates' order, likewise.
    pub candidate_run_time: f64,
    /// The power of the processors, see queue_processors.
    pub candidate_processors: f64,
    /// The wait that counts as one, see queue_age_unit.
    pub candidate_age_unit: f64,
    /// The power of the age, see queue_age.
    pub candidate_age: f64,
}

/// The waits of the jobs started last. Sealed, the block is a checkpoint: write it to a file, read it back, open it.
///
/// Distinct objects are independent; one needs one thread, or the caller's lock. The block holds no pointers.
#[allow(non_camel_case_types)]
pub struct surefill_recent_waits {
    _opaque: [u8; 0],
}

fn c_preset(preset: &Preset) -> surefill_preset {
    let Preset { rule, events_per_bin, queue, candidates, guard, front, recent, shortest_long_wait } =
        *preset;
    surefill_preset {
        struct_size: size_of::<surefill_preset>() as u32,
        criterion: rule.criterion as i32,
        threshold: rule.threshold,
        budget: rule.budget,
        slip: rule.slip,
        or_easy: i32::from(rule.or_easy),
        events_per_bin: events_per_bin as i32,
        guard_quantile: guard,
        front_quantile: front,
        shortest_long_wait,
        recent_waits: recent as i32,
        unmeasured: i32::from(rule.unmeasured),
        queue_run_time: queue.run_time,
        queue_processors: queue.processors,
        queue_age_unit: queue.age_unit,
        queue_age: queue.age,
        candidate_run_time: candidates.run_time,
        candidate_processors: candidates.processors,
        candidate_age_unit: candidates.age_unit,
        candidate_age: candidates.age,
    }
}

/// Where members end.
const MEMBERS: [usize; 19] = [4, 8, 16, 24, 32, 36, 40, 48, 56, 64, 68, 72, 80, 88, 96, 104, 112, 120, 128];

unsafe fn preset(given: *const surefill_preset) -> Result<Preset> {
    let given = unsafe { sized(given, c_preset(&Preset::default()), &MEMBERS)? };
    let rule = Rule {
        criterion: criterion(given.criterion)?,
        threshold: given.threshold,
        budget: given.budget,
        slip: given.slip,
        guard: f64::INFINITY,
        or_easy: given.or_easy != 0,
        unmeasured: given.unmeasured != 0,
    };
    let preset = Preset {
        rule,
        events_per_bin: count(given.events_per_bin)?,
        queue: Priority {
            run_time: given.queue_run_time,
            processors: given.queue_processors,
            age_unit: given.queue_age_unit,
            age: given.queue_age,
        },
        candidates: Priority {
            run_time: given.candidate_run_time,
            processors: given.candidate_processors,
            age_unit: given.candidate_age_unit,
            age: given.candidate_age,
        },
        guard: given.guard_quantile,
        front: given.front_quantile,
        recent: count(given.recent_waits)?,
        shortest_long_wait: given.shortest_long_wait,
    };
    preset.check()?;
    Ok(preset)
}

/// The recent waits behind a handle.
///
/// # Safety
/// As [`object`].
pub(super) unsafe fn recent<'a>(handle: *const surefill_recent_waits) -> Result<RecentWaits<'a>> {
    unsafe { object(handle) }
}

/// A long wait by recent ones; without them there is none, unless every wait is.
fn long_wait(
    waits: *const surefill_recent_waits,
    of: impl FnOnce(&RecentWaits<'_>) -> Result<f64>,
) -> Result<f64> {
    if waits.is_null() { Ok(f64::INFINITY) } else { of(&unsafe { recent(waits)? }) }
}

/// Sets a preset to the values of a name, one of SUREFILL_PRESET_. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE (name).
///
/// # Safety
/// preset points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_preset_init(preset: *mut surefill_preset, name: i32, size: i64) -> i32 {
    status((|| {
        let name = PresetName::from_number(name).ok_or(Error::OutOfRange)?;
        unsafe { initialise(preset, c_preset(&Preset::new(name)), size) }
    })())
}

/// The preset's rule for surefill_pass_decide, its guard by the recent waits. With NULL for waits no wait is long.
/// O(log n) for n recent waits.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// preset points to a readable structure of the size it says, waits is a handle or NULL, rule to a writable
/// one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_preset_rule(
    preset: *const surefill_preset,
    waits: *const surefill_recent_waits,
    rule: *mut surefill_rule,
) -> i32 {
    status((|| unsafe {
        let preset = self::preset(preset)?;
        let guard = match preset.guard {
            0.0 => 0.0,
            _ => long_wait(waits, |waits| preset.guard_after(waits))?,
        };
        write_output(rule, c_rule(&Rule { guard, ..preset.rule }), 4)
    })())
}

/// Options that play a scheduler of this preset forward, for surefill_forecast_begin: the orders of the queue and of
/// the candidates, the wait beyond which a job comes to the front by the recent waits (with NULL for waits no job
/// does), plans by medians unless the preset always guards the head job by the limits, as slack the threshold of a
/// preset that compares relative delays, and the rest as surefill_forecast_options_init sets it. O(log n) for n recent
/// waits.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// preset points to a readable structure of the size it says, waits is a handle or NULL, options to a writable
/// one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_preset_forecast(
    preset: *const surefill_preset,
    waits: *const surefill_recent_waits,
    options: *mut surefill_forecast_options,
) -> i32 {
    status((|| unsafe {
        let preset = self::preset(preset)?;
        let front = long_wait(waits, |waits| preset.front_after(waits))?;
        write_output(options, c_options(&ForecastOptions::of_preset(&preset, front)), 4)
    })())
}

/// A waiting job's value in the queue's order, smaller ones first, equal ones by submission: by its predicted run time
/// (NULL when nothing is known but the limit), its time limit, its processors (at least 1) and for how long it
/// has waited, in seconds. Its median is by Algorithm 1 of Nissimov and Feitelson 2007, which spreads what is predicted
/// beyond the limit over what is left below it. A job that has waited longer than the front's quantile of recent waits
/// has a negative value: before all others, by submission. With NULL for waits no job does. O(bins + log n) for n
/// recent waits.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE,
/// SPAN_TOO_LONG.
///
/// # Safety
/// preset points to a readable structure of the size it says, waits and distribution are handles or NULL, value points
/// to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_preset_queue_value(
    preset: *const surefill_preset,
    waits: *const surefill_recent_waits,
    distribution: *const surefill_distribution,
    limit: i64,
    processors: i32,
    waited: i64,
    value: *mut f64,
) -> i32 {
    status((|| unsafe {
        let preset = self::preset(preset)?;
        let front = long_wait(waits, |waits| preset.front_after(waits))?;
        let runtime = distribution_or_limit(distribution)?;
        write(value, preset.queue.value_of(&runtime, limit, count(processors)?, waited, front)?)
    })())
}

/// A waiting job's value in the candidates' order, smaller ones first, equal ones by submission; arguments as of
/// surefill_preset_queue_value. O(bins).
///
/// Errors: as surefill_preset_queue_value.
///
/// # Safety
/// preset points to a readable structure of the size it says, distribution is a handle or NULL, value points to a
/// writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_preset_candidate_value(
    preset: *const surefill_preset,
    distribution: *const surefill_distribution,
    limit: i64,
    processors: i32,
    waited: i64,
    value: *mut f64,
) -> i32 {
    status((|| unsafe {
        let preset = self::preset(preset)?;
        let runtime = distribution_or_limit(distribution)?;
        let processors = count(processors)?;
        write(value, preset.candidates.value_of(&runtime, limit, processors, waited, f64::INFINITY)?)
    })())
}

/// Bytes of memory for as many waits as the preset's recent_waits says (1 to 4,194,304): at most 46 a wait and 3,000.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// preset points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_recent_waits_size(preset: *const surefill_preset, size: *mut i64) -> i32 {
    status((|| {
        let bytes = RecentWaits::size(unsafe { self::preset(preset)? }.recent)?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes an object without waits in the caller's memory (length bytes, at least surefill_recent_waits_size, aligned
/// to 8) that keeps as many of the last waits as the preset's recent_waits says. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, preset to a readable structure of the size it says, recent to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_recent_waits_init(
    memory: *mut c_void,
    length: i64,
    preset: *const surefill_preset,
    recent: *mut *mut surefill_recent_waits,
) -> i32 {
    status((|| {
        let preset = unsafe { self::preset(preset)? };
        unsafe { init(memory, length, recent, |bytes| RecentWaits::init(bytes, preset.recent)) }
    })())
}

/// A job was started after waiting this number of seconds (0 to SUREFILL_MAX_SECONDS). O(log n).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, SPAN_TOO_LONG.
///
/// # Safety
/// recent is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_recent_waits_add(recent: *mut surefill_recent_waits, waited: i64) -> i32 {
    status((|| unsafe { self::recent(recent)? }.add(waited))())
}

/// Makes the block a checkpoint, surefill_recent_waits_size bytes from the handle on, by writing its checksum. Any
/// later call that changes it breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// recent is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_recent_waits_seal(recent: *mut surefill_recent_waits) -> i32 {
    status(unsafe { seal::<RecentWaits, _>(recent) })
}

/// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
/// surefill_recent_waits_seal left it. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, recent to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_recent_waits_open(
    memory: *mut c_void,
    length: i64,
    recent: *mut *mut surefill_recent_waits,
) -> i32 {
    status(unsafe { open::<RecentWaits, _>(memory, length, recent) })
}
