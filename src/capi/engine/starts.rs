//! Predicted starts: the scheduler's rule played forward.

use super::{capacity, scheduler, surefill_scheduler, surefill_scheduler_capacity};
use crate::capi::block::{memory, object, write_size};
use crate::capi::sized::{output_size, write_sized};
use crate::capi::status::{SUREFILL_STEP_DONE, SUREFILL_STEP_MORE};
use crate::capi::{checked_mut, count, status, write};
use crate::engine::{MOST_SCENARIOS, PredictedStart, StartForecast};
use crate::error::{Error, Result};
use core::ffi::c_void;

/// The most scenarios of a forecast of starts.
pub const SUREFILL_MAX_START_SCENARIOS: i32 = 64;

/// surefill_start.capped where no start can be predicted.
pub const SUREFILL_START_STALLED: i32 = 2;

const _: () = assert!(SUREFILL_MAX_START_SCENARIOS == MOST_SCENARIOS as i32);

/// The predicted start of a waiting job.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_start {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// 1 if the start may lie later than the last instant: longer waits are not known, nor is an instant that is equal
    /// to the last one. SUREFILL_START_STALLED if no instant is known, because a waiting job may start and nothing
    /// has started for longer than ever: the machine may be down.
    pub capped: i32,
    /// The instants by which the job starts with probability .05, .25, .5, .75 and .95, in the scheduler's time, not
    /// decreasing. People plan by the fourth: three of four jobs have started by then.
    pub by: [i64; 5],
}

/// A forecast of starts: scratch beside the scheduler's block. It needs the scheduler's thread, or the lock that guards
/// it.
#[allow(non_camel_case_types)]
pub struct surefill_starts {
    _opaque: [u8; 0],
}

/// # Safety
/// As [`object`].
unsafe fn starts<'a>(handle: *const surefill_starts) -> Result<StartForecast<'a>> {
    unsafe { object(handle) }
}

/// Bytes of memory that a forecast of a scheduler with this capacity needs, by this number of scenarios.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_starts_size(
    capacity: *const surefill_scheduler_capacity,
    scenarios: i32,
    size: *mut i64,
) -> i32 {
    status((|| unsafe {
        write_size(size, StartForecast::size(&self::capacity(capacity)?, count(scenarios)?)?)
    })())
}

/// A forecast for all waiting jobs of this pool begins, in the caller's memory (length bytes, at least
/// surefill_starts_size, aligned to 8), by this number of scenarios (1 to SUREFILL_MAX_START_SCENARIOS; 20 are
/// enough). It belongs behind a closed cycle of the pool; where something has happened since, or in shadow mode, the
/// scenarios decide at once. Predictions are brought up to date, and the scheduler's clock as well: not for a time
/// that has not come. O(jobs), and as much as one decision.
///
/// Later submissions are those of one of the last fourteen days, once a whole day was seen. Not foreseen: when held
/// jobs are released (a throttled array's tasks follow those that run), and that suspended jobs go on.
/// On nodes a job that reservations keep off its nodes waits for their end, for up to fourteen days; one behind longer
/// ones has no start.
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE,
/// NO_SUCH_INDEX (pool); WRONG_STATE while a listing is under way; UNSUPPORTED for a pool of nodes that differ, or that
/// jobs share: starts are foreseen on whole, like ones, and one job that shares a node makes it a shared pool.
///
/// # Safety
/// memory points to length writable bytes, scheduler is a handle, starts points to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_starts_begin(
    memory: *mut c_void,
    length: i64,
    scheduler: *mut surefill_scheduler,
    pool: i32,
    now: i64,
    scenarios: i32,
    starts: *mut *mut surefill_starts,
) -> i32 {
    status((|| {
        let pool = u32::try_from(pool).map_err(|_| Error::NoSuchIndex)?;
        let scenarios = count(scenarios)?;
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let handle = unsafe { checked_mut(starts)? };
        let memory_of = unsafe { self::memory(memory, length)? };
        StartForecast::begin(memory_of, &mut scheduler, pool, now, scenarios)?;
        *handle = memory.cast();
        Ok(())
    })())
}

/// Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or work events are (SUREFILL_STEP_MORE; work is
/// at least 1). An event costs as much as a decision: O(running jobs + considered ones), and at most 22 orders of 64
/// jobs, 7 in a simplified forecast. Events that are reported to the scheduler between two calls are not foreseen.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (work).
///
/// # Safety
/// starts and scheduler are handles, step points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_starts_run(
    starts: *mut surefill_starts,
    scheduler: *mut surefill_scheduler,
    work: i64,
    step: *mut i32,
) -> i32 {
    status((|| {
        let work = u64::try_from(work).ok().filter(|&work| work > 0).ok_or(Error::OutOfRange)?;
        let (mut starts, mut scheduler) = unsafe { (self::starts(starts)?, self::scheduler(scheduler)?) };
        let step = unsafe { checked_mut(step)? };
        let done = starts.run(&mut scheduler, work)?;
        *step = if done { SUREFILL_STEP_DONE } else { SUREFILL_STEP_MORE };
        Ok(())
    })())
}

/// Writes whether a forecast is a cheaper one, 1 or 0: where more than 256 jobs wait (under EASY 1,024) its decisions
/// try no changes of the order, lie 1/64 of the mean run time apart (1/256), and consider the 512 most urgent jobs (the
/// first 4,096). Its levels are a little worse.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// starts is a handle, simplified points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_starts_simplified(
    starts: *const surefill_starts,
    simplified: *mut i32,
) -> i32 {
    status((|| unsafe { write(simplified, i32::from(self::starts(starts)?.is_simplified())) })())
}

/// # Safety
/// `start` is aligned and points to `size` writable bytes.
unsafe fn write_start(start: *mut surefill_start, found: Option<PredictedStart>, size: usize) -> Result<()> {
    let PredictedStart { by, capped, stall } = found.ok_or(Error::Never)?;
    let capped = if stall.is_some() { SUREFILL_START_STALLED } else { i32::from(capped) };
    unsafe { write_sized(start, surefill_start { struct_size: 0, capped, by }, size) };
    Ok(())
}

/// Writes the predicted start of a waiting job: the scenarios' levels, moved by the outcomes of earlier reports. A
/// median that was reported before moves no further than to half way between the new one and the level beside it, so
/// that answers do not jump. O(W + scenarios).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; WRONG_STATE before all scenarios
/// are played; NEVER for a job that does not wait in this pool, is held (for an unknown time), or wants more
/// units than can ever be free.
///
/// # Safety
/// starts and scheduler are handles, start points to a writable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_starts_predicted(
    starts: *const surefill_starts,
    scheduler: *const surefill_scheduler,
    job: i64,
    start: *mut surefill_start,
) -> i32 {
    status((|| unsafe {
        let (starts, scheduler) = (self::starts(starts)?, self::scheduler(scheduler)?);
        let size = output_size(start, size_of::<surefill_start>())?;
        write_start(start, starts.predicted(&scheduler, job)?, size)
    })())
}

/// Writes the predicted start of a waiting job like surefill_starts_predicted, but one that is reported to people: the
/// scheduler remembers a job's first report and one drawn from those an hour or more after it, and when the job starts
/// the levels for such reports follow.
///
/// Errors: as surefill_starts_predicted.
///
/// # Safety
/// As surefill_starts_predicted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_starts_report(
    starts: *const surefill_starts,
    scheduler: *mut surefill_scheduler,
    job: i64,
    start: *mut surefill_start,
) -> i32 {
    status((|| unsafe {
        let (starts, mut scheduler) = (self::starts(starts)?, self::scheduler(scheduler)?);
        let size = output_size(start, size_of::<surefill_start>())?;
        write_start(start, starts.report(&mut scheduler, job)?, size)
    })())
}

/// Writes the probability that a waiting job starts by an instant, in the scheduler's time: through its five levels,
/// straight between them. O(W + scenarios).
///
/// Errors: as surefill_starts_predicted.
///
/// # Safety
/// starts and scheduler are handles, probability points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_starts_probability(
    starts: *const surefill_starts,
    scheduler: *const surefill_scheduler,
    job: i64,
    when: i64,
    probability: *mut f64,
) -> i32 {
    status((|| unsafe {
        let (starts, scheduler) = (self::starts(starts)?, self::scheduler(scheduler)?);
        write(probability, starts.probability(&scheduler, job, when)?.ok_or(Error::Never)?)
    })())
}
