//! A cycle: one decision of one pool.

use super::{capacity, scheduler, surefill_scheduler, surefill_scheduler_capacity};
use crate::capi::block::{memory, object, with_object, write_size};
use crate::capi::sized::{output_size, write_sized};
use crate::capi::{checked_mut, count, status, write};
use crate::engine::{Action, Cycle, Offer, Refusal, Scheduler};
use crate::error::{Error, Result};
use core::ffi::c_void;

/// An offer: start this job, or refuse to. Until it is refused it counts as started for the rest of the cycle.
pub const SUREFILL_ACT_START: i32 = 2;
/// In shadow mode: the rule would start this job now. It is said once of a job, and not answered.
pub const SUREFILL_ACT_WOULD_START: i32 = 3;
/// Nothing more starts. Steps below this one that a program does not know it passes by.
pub const SUREFILL_ACT_DONE: i32 = 64;
/// There is less room than the cycle thought, or the settings have changed: begin another.
pub const SUREFILL_ACT_STALE: i32 = 65;

/// Refused for want of room: the job keeps its rank, and is offered again when its pool has changed, at the latest
/// after as many seconds as the word refused says; the third time in a row it lets others pass for so long.
pub const SUREFILL_REFUSED_BUSY: i32 = 1;
/// Refused by a limit of the manager's, or for a reason that may pass: it is others' turn for as many seconds as the
/// word refused says. Also for a job that the manager no longer knows: the report or the listing that lacks it ends the
/// matter.
pub const SUREFILL_REFUSED_NOT_NOW: i32 = 2;
/// Refused for ever, until the job is reported with another limit, count, request or pool, or is submitted anew.
pub const SUREFILL_REFUSED_NEVER: i32 = 4;

const _: () = assert!(SUREFILL_REFUSED_BUSY == Refusal::Busy as i32);
const _: () = assert!(SUREFILL_REFUSED_NOT_NOW == Refusal::NotNow as i32);
const _: () = assert!(SUREFILL_REFUSED_NEVER == Refusal::Never as i32);

/// An action that a cycle asks for.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_action {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_ACT_. What follows is for SUREFILL_ACT_START and SUREFILL_ACT_WOULD_START, else 0.
    pub step: i32,
    /// Which job; of an array, the array.
    pub job: i64,
    /// The waiting job that it passes, the first in the order of submission, under preset=easy in the site's; 0 for
    /// none.
    pub head: i64,
    /// The offer's number, by which it is answered.
    pub number: i32,
    /// A queue of the job's.
    pub queue: i32,
    /// Units that it takes, or tasks on nodes (surefill_cycle_parts).
    pub count: i32,
    /// Why it starts: one of SUREFILL_WHY_.
    pub why: i32,
}

/// One decision: scratch beside the scheduler's block. It needs the scheduler's thread, or the lock that guards it.
#[allow(non_camel_case_types)]
pub struct surefill_cycle {
    _opaque: [u8; 0],
}

/// # Safety
/// As [`object`].
pub(super) unsafe fn cycle<'a>(handle: *const surefill_cycle) -> Result<Cycle<'a>> {
    unsafe { object(handle) }
}

/// Bytes of memory that a cycle of a scheduler with this capacity needs.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_size(
    capacity: *const surefill_scheduler_capacity,
    size: *mut i64,
) -> i32 {
    status((|| unsafe { write_size(size, Cycle::size(&self::capacity(capacity)?)?) })())
}

/// A decision of this pool begins, in the caller's memory (length bytes, at least surefill_cycle_size, aligned to
/// 8). Predictions are brought up to date; nothing starts. O(jobs).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE,
/// NO_SUCH_INDEX (pool); WRONG_STATE while a listing is under way; DELAY_ON_NODES, DELAY_UNITS of a pool about which
/// the delay rule does not decide.
///
/// # Safety
/// memory points to length writable bytes, scheduler is a handle, cycle points to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_begin(
    memory: *mut c_void,
    length: i64,
    scheduler: *mut surefill_scheduler,
    pool: i32,
    now: i64,
    cycle: *mut *mut surefill_cycle,
) -> i32 {
    status((|| {
        let pool = u32::try_from(pool).map_err(|_| Error::NoSuchIndex)?;
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let handle = unsafe { checked_mut(cycle)? };
        Cycle::begin(unsafe { self::memory(memory, length)? }, &mut scheduler, pool, now)?;
        *handle = memory.cast();
        Ok(())
    })())
}

/// The next action. The decision is made by the first call, and anew by the first one after a refusal: at most
/// 7 + proposals orders of 64 jobs, and O(jobs). A cycle is asked until it returns SUREFILL_ACT_DONE: else its pool
/// wants another at once.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; FULL (jobs) where a task of
/// an array would start and there is no slot for it: surefill_scheduler_grow, then again; WRONG_STATE after
/// surefill_cycle_close.
///
/// # Safety
/// cycle and scheduler are handles, action points to a writable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_next(
    cycle: *mut surefill_cycle,
    scheduler: *mut surefill_scheduler,
    action: *mut surefill_action,
) -> i32 {
    status((|| {
        let (mut cycle, mut scheduler) = unsafe { (self::cycle(cycle)?, self::scheduler(scheduler)?) };
        let size = unsafe { output_size(action, size_of::<surefill_action>())? };
        let nothing = Offer { number: 0, job: 0, queue: 0, count: 0, head: 0, why: Default::default() };
        let (step, offer) = match cycle.next(&mut scheduler)? {
            Action::Start(offer) => (SUREFILL_ACT_START, offer),
            Action::WouldStart(offer) => (SUREFILL_ACT_WOULD_START, offer),
            Action::Done => (SUREFILL_ACT_DONE, nothing),
            Action::Stale => (SUREFILL_ACT_STALE, nothing),
        };
        let Offer { number, job, queue, count, head, why } = offer;
        let made = surefill_action {
            struct_size: 0,
            step,
            job,
            head,
            number: number as i32,
            queue: queue as i32,
            count: count as i32,
            why: why as i32,
        };
        unsafe { write_sized(action, made, size) };
        Ok(())
    })())
}

/// Writes whether an offer still holds: it is not answered, the job was not edited, and its pool has not lost room. For
/// programs that collect offers and carry them out later. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NO_SUCH_INDEX.
///
/// # Safety
/// cycle and scheduler are handles, holds points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_holds(
    cycle: *const surefill_cycle,
    scheduler: *const surefill_scheduler,
    number: i32,
    holds: *mut i32,
) -> i32 {
    status((|| unsafe {
        let number = u32::try_from(number).map_err(|_| Error::NoSuchIndex)?;
        let asked =
            |cycle: Cycle| with_object(scheduler, |scheduler: Scheduler| cycle.holds(&scheduler, number));
        write(holds, i32::from(with_object(cycle, asked)?))
    })())
}

/// The manager has started an offered job; of an array job is the id of the task, which only the last task may share
/// with the array. The start counts also where the offer no longer holds. From now on the job holds its room
/// (SUREFILL_JOB_STARTING) until it is reported as over, as waiting more than the word settle later, or is missing in a
/// listing; a report that it runs is not needed. O(W) for W waiting jobs.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NO_SUCH_INDEX; WRONG_STATE if
/// it was answered before, and after surefill_cycle_close; OUT_OF_RANGE for a task of several under the array's id,
/// and for another id of a job that is no array; UNKNOWN_JOB if the job was reported as gone or over meanwhile, FULL
/// (jobs, for a task), PARTS_FULL, DUPLICATE_JOB for a task whose id a waiting job has, or a task that was started in
/// this cycle: then the offer is still open.
///
/// # Safety
/// cycle and scheduler are handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_started(
    cycle: *mut surefill_cycle,
    scheduler: *mut surefill_scheduler,
    number: i32,
    job: i64,
) -> i32 {
    status((|| {
        let number = u32::try_from(number).map_err(|_| Error::NoSuchIndex)?;
        let (mut cycle, mut scheduler) = unsafe { (self::cycle(cycle)?, self::scheduler(scheduler)?) };
        cycle.started(&mut scheduler, number, job)
    })())
}

/// The manager refuses an offer, why is one of SUREFILL_REFUSED_; of a job that is gone meanwhile as well. What is
/// offered next is decided anew, around it. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NO_SUCH_INDEX, OUT_OF_RANGE
/// (why); WRONG_STATE if it was answered before, and after surefill_cycle_close.
///
/// # Safety
/// cycle and scheduler are handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_refused(
    cycle: *mut surefill_cycle,
    scheduler: *mut surefill_scheduler,
    number: i32,
    why: i32,
) -> i32 {
    status((|| {
        let number = u32::try_from(number).map_err(|_| Error::NoSuchIndex)?;
        let why = Refusal::from_number(count(why)?).ok_or(Error::OutOfRange)?;
        let (mut cycle, mut scheduler) = unsafe { (self::cycle(cycle)?, self::scheduler(scheduler)?) };
        cycle.refused(&mut scheduler, number, why)
    })())
}

/// Plans the jobs that wait though possibly none can start, by the plan of the whole queue whatever the preset:
/// for surefill_cycle_planned, surefill_cycle_reason and surefill_cycle_try, in a cycle of its own. Closed, it leaves
/// the reasons alone, for surefill_scheduler_reason. surefill_scheduler_wake wants another cycle after it. Costs what a
/// decision costs.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; WRONG_STATE after
/// surefill_cycle_next and surefill_cycle_close.
///
/// # Safety
/// cycle and scheduler are handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_plan_all(
    cycle: *mut surefill_cycle,
    scheduler: *mut surefill_scheduler,
) -> i32 {
    status((|| unsafe {
        let (mut cycle, mut scheduler) = (self::cycle(cycle)?, self::scheduler(scheduler)?);
        cycle.plan_all(&mut scheduler)
    })())
}

/// Writes when a waiting job is planned to start, by the last decision of this cycle, as exactly as surefill_reason's
/// start. O(W) for W waiting jobs.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, UNKNOWN_JOB; WRONG_STATE before
/// the first surefill_cycle_next or surefill_cycle_plan_all; NEVER where nothing is planned for the job: nothing that
/// waits fits, or what is idle was used up before its turn.
///
/// # Safety
/// cycle and scheduler are handles, start points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_planned(
    cycle: *const surefill_cycle,
    scheduler: *const surefill_scheduler,
    job: i64,
    start: *mut i64,
) -> i32 {
    status((|| unsafe {
        let (mut cycle, scheduler) = (self::cycle(cycle)?, self::scheduler(scheduler)?);
        write(start, cycle.planned(&scheduler, job)?.ok_or(Error::Never)?)
    })())
}

/// The cycle is over: its order is kept for the next one, and the reasons for surefill_scheduler_reason. Offers that
/// were not answered were refused; no answer is taken any more. O(W) for W waiting jobs, on nodes O(64 x nodes) beside
/// that.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; WRONG_STATE if it is over.
///
/// # Safety
/// cycle and scheduler are handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_close(
    cycle: *mut surefill_cycle,
    scheduler: *mut surefill_scheduler,
) -> i32 {
    status((|| {
        let (cycle, mut scheduler) = unsafe { (self::cycle(cycle)?, self::scheduler(scheduler)?) };
        cycle.close(&mut scheduler)
    })())
}
