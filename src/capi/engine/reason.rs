//! Why a job waits, and when it is planned to start.

use super::cycle::{cycle, surefill_cycle};
use super::events::{surefill_job, with_report};
use super::{Text, scheduler, string, surefill_scheduler};
use crate::backfill::Criterion;
use crate::capi::sized::{ends, output_size, sized, write_sized};
use crate::capi::{checked_mut, count, status};
use crate::engine::{Delayed, Names, Reason, Why};
use crate::error::{Error, Result};
use crate::plan::StartedNow;
use core::ffi::c_char;
use core::mem::offset_of;

/// No reason is known.
pub const SUREFILL_WHY_UNKNOWN: i32 = 0;
/// It starts in order and passes none.
pub const SUREFILL_WHY_IN_ORDER: i32 = 1;
/// It starts because the cheapest plan of the whole queue has it start now.
pub const SUREFILL_WHY_PLANNED: i32 = 2;
/// It starts ahead of others in the site's order, the first of which it does not delay by the time limits.
pub const SUREFILL_WHY_BY_LIMITS: i32 = 3;
/// It starts ahead of the head job, which it delays by less than the delay rule allows.
pub const SUREFILL_WHY_BY_DELAY: i32 = 4;
/// It waits: there is no room, what those take that start now counted.
pub const SUREFILL_WHY_NO_ROOM: i32 = 16;
/// It waits, and is the first of all that wait: others must not delay it.
pub const SUREFILL_WHY_HEAD: i32 = 17;
/// It waits: there is room, also beside those that start now, but starting it would cost others more.
pub const SUREFILL_WHY_LATER: i32 = 18;
/// It waits: it could delay a job that others must not delay, the first of its tier or the one that waited longest.
pub const SUREFILL_WHY_GUARDED: i32 = 19;
/// It waits: the resource manager refused to start it.
pub const SUREFILL_WHY_REFUSED: i32 = 20;
/// It waits: jobs hold more than the pool has, and no job passes the first one.
pub const SUREFILL_WHY_INCONSISTENT: i32 = 21;
/// It can never start: the pool is too small, or has no nodes such as it wants.
pub const SUREFILL_WHY_NEVER: i32 = 22;
/// It waits: what it needs is out of service.
pub const SUREFILL_WHY_NODES_OUT: i32 = 23;
/// It waits: reservations keep it off its nodes, or its own has not begun.
pub const SUREFILL_WHY_RESERVED: i32 = 24;
/// It waits: the licences that it wants are in use, or are fewer than it wants.
pub const SUREFILL_WHY_LICENCES: i32 = 25;
/// It waits behind those that were planned: what is idle is theirs.
pub const SUREFILL_WHY_DEPTH: i32 = 26;
/// It waits: it would delay the head job by more than the delay rule allows.
pub const SUREFILL_WHY_DELAYS: i32 = 27;
/// The manager holds it. Time held is not time waited; nor is it with the next two.
pub const SUREFILL_WHY_HOLD: i32 = 48;
/// It depends on other jobs.
pub const SUREFILL_WHY_DEPENDENCY: i32 = 49;
/// Its time has not come.
pub const SUREFILL_WHY_BEGIN: i32 = 50;
/// It is held by a limit on its user, account or queue. Time held is time waited; so it is with the next ones.
pub const SUREFILL_WHY_LIMIT: i32 = 51;
/// It could not end before its deadline.
pub const SUREFILL_WHY_DEADLINE: i32 = 52;
/// Its queue is closed.
pub const SUREFILL_WHY_QUEUE_CLOSED: i32 = 53;
/// Another reason of the manager's.
pub const SUREFILL_WHY_OTHER: i32 = 54;
/// Enough tasks of its array run at once. The scheduler says it too, of a throttled array.
pub const SUREFILL_WHY_ARRAY: i32 = 55;

const _: () =
    assert!(SUREFILL_WHY_BY_LIMITS == Why::ByLimits as i32 && SUREFILL_WHY_NO_ROOM == Why::NoRoom as i32);
const _: () = assert!(SUREFILL_WHY_HEAD == Why::Head as i32 && SUREFILL_WHY_LATER == Why::Later as i32);
const _: () =
    assert!(SUREFILL_WHY_GUARDED == Why::Guarded as i32 && SUREFILL_WHY_REFUSED == Why::Refused as i32);
const _: () =
    assert!(SUREFILL_WHY_INCONSISTENT == Why::Inconsistent as i32 && SUREFILL_WHY_NEVER == Why::Never as i32);
const _: () =
    assert!(SUREFILL_WHY_NODES_OUT == Why::NodesOut as i32 && SUREFILL_WHY_RESERVED == Why::Reserved as i32);
const _: () =
    assert!(SUREFILL_WHY_LICENCES == Why::Licences as i32 && SUREFILL_WHY_DEPTH == Why::Depth as i32);
const _: () =
    assert!(SUREFILL_WHY_BY_DELAY == Why::ByDelay as i32 && SUREFILL_WHY_DELAYS == Why::Delays as i32);
const _: () = assert!(SUREFILL_WHY_OTHER == Why::Other as i32 && SUREFILL_WHY_ARRAY == Why::Array as i32);

/// The reason for which a waiting job does not run, and its planned start. Times are in the scheduler's time.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_reason {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// The reason: one of SUREFILL_WHY_ from SUREFILL_WHY_NO_ROOM on; SUREFILL_WHY_PLANNED for a job that starts now,
    /// and SUREFILL_WHY_UNKNOWN for one about which nothing was decided since it was reported or changed.
    pub why: i32,
    /// Which job.
    pub job: i64,
    /// The waiting job whose start it must not delay; 0 for none. While a job that has waited too long is in front of
    /// all jobs it is that one; else, for a job planned for later, the first of the plan that starts later than now.
    pub head: i64,
    /// When that was asked: spans of a sentence begin there.
    pub now: i64,
    /// The planned start; 0 where nothing is planned of it. It is a plan, not a promise: by mean predicted run times,
    /// without the jobs that are still to come, and on the plan's grid, up to a sixteenth of the time until then later
    /// than the plan needs. When it will start surefill_starts_predicted says.
    pub start: i64,
    /// The time at which it has room if all that run do so to their limits: for the job that is in front of all, in a
    /// pool of counted units; else 0.
    pub by_limits: i64,
    /// When the reason ends by itself (a begin time, a refusal, which a change of the pool may end sooner, the
    /// beginning of its reservation); 0 if it does not.
    pub until: i64,
    /// The price of starting it now, where it fits and is planned for later: by how many seconds its own wait would be
    /// shorter; 0 where that is not known.
    pub saved: i64,
    /// By how many seconds the planned waits of the others would be longer, all together; below 0: shorter.
    pub others: i64,
    /// Its rank among those that wait, by their planned starts, the first 1; 0 without a planned start.
    pub rank: i32,
    /// Tasks of an array that wait; 1 for a job.
    pub tasks: i32,
    /// Processors (or other units) that it wants.
    pub wanted: i32,
    /// Those of its pool that are idle once those have started that do.
    pub idle: i32,
    /// All of its pool.
    pub units: i32,
    /// 0.
    pub reserved: i32,
    /// The median of its start as surefill_starts_report last gave it, when that is still to come; else 0. A sentence
    /// has it instead of the planned start, so that people are given one answer: a program that shows `by[2]` of
    /// surefill_starts_predicted sets it itself before it asks for the sentence.
    pub expected: i64,
    /// With SUREFILL_WHY_DELAYS: the delay of the head job, if it started now, in the criterion's unit.
    pub delay: f64,
    /// The delay must be below this.
    pub allowed: f64,
    /// The criterion: 0 the probability of a delay, 1 the papers' bound of it, 2 expected seconds, 3 these over the
    /// head job's own expected remaining wait; -1 without a delay.
    pub criterion: i32,
    /// 1 if the delay is at least the one above, 0 if it is that one.
    pub at_least: i32,
}

/// A number of the caller's structure: C counts in `int32_t`.
fn counted(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn c_reason(reason: &Reason) -> surefill_reason {
    let &Reason { why, job, head, now, start, expected, by_limits, until, price, .. } = reason;
    let &Reason { place, tasks, wanted, idle, units, .. } = reason;
    let price = price.unwrap_or(StartedNow { saved: 0, others: 0 });
    let delayed = reason.delayed;
    surefill_reason {
        struct_size: 0,
        why: why as i32,
        job,
        head,
        now,
        start: start.unwrap_or(0),
        by_limits: by_limits.unwrap_or(0),
        until: until.unwrap_or(0),
        saved: price.saved.into(),
        others: price.others,
        rank: counted(place),
        tasks: counted(tasks),
        wanted: counted(wanted),
        idle: counted(idle),
        units: counted(units),
        reserved: 0,
        expected: expected.unwrap_or(0),
        delay: delayed.map_or(0.0, |delayed| delayed.delay),
        allowed: delayed.map_or(0.0, |delayed| delayed.allowed),
        criterion: delayed.map_or(-1, |delayed| delayed.criterion as i32),
        at_least: delayed.map_or(0, |delayed| delayed.at_least.into()),
    }
}

/// The size of the structure's first version.
const FIRST_SIZE: usize = offset_of!(surefill_reason, expected);

/// The delay of a caller's reason.
fn delayed(given: &surefill_reason) -> Result<Option<Delayed>> {
    let &surefill_reason { delay, allowed, criterion, at_least, .. } = given;
    let Ok(criterion) = u32::try_from(criterion) else { return Ok(None) };
    if delay.is_nan() || allowed.is_nan() {
        return Err(Error::NotANumber);
    }
    let criterion = Criterion::from_number(criterion).ok_or(Error::OutOfRange)?;
    Ok(Some(Delayed { criterion, delay, allowed, at_least: at_least != 0 }))
}

/// # Safety
/// That of [`sized`].
unsafe fn reason(given: *const surefill_reason) -> Result<Reason> {
    let none = c_reason(&Reason::default());
    let given = unsafe { sized(given, none, ends!(surefill_reason, expected, delay))? };
    let known = |time: i64| Some(time).filter(|&time| time != 0);
    let saved = u32::try_from(given.saved).map_err(|_| Error::OutOfRange)?;
    Ok(Reason {
        job: given.job,
        why: Why::from_number(count(given.why)?).ok_or(Error::OutOfRange)?,
        head: given.head,
        now: given.now,
        start: known(given.start),
        expected: known(given.expected),
        by_limits: known(given.by_limits),
        until: known(given.until),
        price: Some(StartedNow { saved, others: given.others }).filter(|price| price.saved != 0),
        delayed: delayed(&given)?,
        place: count(given.rank)?,
        tasks: count(given.tasks)?,
        wanted: count(given.wanted)?,
        idle: count(given.idle)?,
        units: count(given.units)?,
    })
}

/// Writes why a waiting job of this cycle's pool does not run, and when it is planned to start: by the last decision
/// (surefill_cycle_next), or by surefill_cycle_plan_all, which plans all that wait. O(W) for W waiting jobs; the price
/// of starting it now O(64 x W), the start by the limits O(R log R) for R running jobs, on nodes O(nodes x queues).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; UNKNOWN_JOB unless the job waits
/// in this pool; WRONG_STATE before the first surefill_cycle_next or surefill_cycle_plan_all, and between a refusal and
/// the next one.
///
/// # Safety
/// cycle and scheduler are handles, reason points to a writable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_reason(
    cycle: *mut surefill_cycle,
    scheduler: *const surefill_scheduler,
    job: i64,
    reason: *mut surefill_reason,
) -> i32 {
    status((|| unsafe {
        let (mut cycle, scheduler) = (self::cycle(cycle)?, self::scheduler(scheduler)?);
        let size = output_size(reason, FIRST_SIZE)?;
        write_sized(reason, c_reason(&cycle.reason(&scheduler, job)?), size);
        Ok(())
    })())
}

/// Writes of a job that is not submitted why it would wait, and when it would be planned to start, if it were
/// submitted now: as surefill_scheduler_set_job and surefill_cycle_plan_all would in a copy. Its id is one that no job
/// has, 0 for one behind all others (the reason has the largest number of 64 bits then); its state is waiting or held.
/// The scheduler does not change. The cycle is one after surefill_cycle_plan_all and may be asked again and again:
/// until the next plan_all surefill_cycle_planned and surefill_cycle_reason say of the others what would become of
/// them then. Costs what a decision costs.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (also for another
/// pool's queues and for other states), NOT_A_NUMBER, NO_SUCH_INDEX (queues), DUPLICATE_JOB; WRONG_STATE unless
/// surefill_cycle_plan_all was called, and where less room was reported since; FULL where the scheduler has grown
/// since.
///
/// # Safety
/// cycle and scheduler are handles, job points to a readable structure of the size it says, whose prediction is NULL or
/// a handle, reason to a writable one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_try(
    cycle: *mut surefill_cycle,
    scheduler: *const surefill_scheduler,
    job: *const surefill_job,
    reason: *mut surefill_reason,
) -> i32 {
    status((|| unsafe {
        let (mut cycle, mut scheduler) = (self::cycle(cycle)?, self::scheduler(scheduler)?);
        let size = output_size(reason, FIRST_SIZE)?;
        let tried = with_report(job, |report| cycle.try_job(&mut scheduler, report))?;
        write_sized(reason, c_reason(&tried), size);
        Ok(())
    })())
}

/// Writes why a job waits, as far as that is known without a cycle: by what is reported of it and of its pool, else by
/// the last closed cycle that came to it. O(1), on nodes O(nodes x queues).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; UNKNOWN_JOB unless the job
/// waits.
///
/// # Safety
/// scheduler is a handle, reason points to a writable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_reason(
    scheduler: *const surefill_scheduler,
    now: i64,
    job: i64,
    reason: *mut surefill_reason,
) -> i32 {
    status((|| unsafe {
        let scheduler = self::scheduler(scheduler)?;
        let size = output_size(reason, FIRST_SIZE)?;
        write_sized(reason, c_reason(&scheduler.reason(job, now)?), size);
        Ok(())
    })())
}

/// Writes a reason as one sentence in English without a full stop, such as "planned in 2 h 10 min: starting it now
/// would cost others 3.1 h of waiting and save it 2.2 h", to text, with a zero byte at its end. units is what the pool
/// consists of (NULL for "processors"), head the name of the reason's head (NULL for its number). Writes to needed how
/// many bytes of room the whole sentence takes. O(length).
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE (a member, room, a name that is not UTF-8), NOT_A_NUMBER; FULL
/// where room is too short: then as much is written as fits.
///
/// # Safety
/// reason points to a readable structure of the size it says, units and head are NULL or strings, text points to room
/// writable bytes, needed to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_reason_sentence(
    reason: *const surefill_reason,
    units: *const c_char,
    head: *const c_char,
    text: *mut c_char,
    room: i64,
    needed: *mut i64,
) -> i32 {
    status((|| unsafe {
        let reason = self::reason(reason)?;
        let needed = checked_mut(needed)?;
        let name = |name| core::str::from_utf8(string(name)).map_err(|_| Error::OutOfRange);
        let (units, head) = (name(units)?, name(head)?);
        let units = if units.is_empty() { Names::default().units } else { units };
        let mut text = Text::new(text, room)?;
        let _ = reason.write(&Names { units, head }, &mut text);
        *needed = i64::try_from(text.wanted).unwrap_or(i64::MAX).saturating_add(1);
        if text.is_whole() { Ok(()) } else { Err(Error::Full) }
    })())
}
