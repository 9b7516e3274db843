//! Reports to a scheduler, and questions: pools, queues and jobs.

use super::machine::amounts;
use super::{
    SUREFILL_FLAG_EXCLUSIVE, SUREFILL_FLAG_HOLDS_NOTHING, SUREFILL_FLAG_PACKED, bytes, scheduler,
    surefill_scheduler,
};
use crate::capi::block::with_object;
use crate::capi::distribution::{surefill_distribution, view_or_limit};
use crate::capi::parts::{parts, surefill_part};
use crate::capi::sized::{ends, output_size, sized, write_sized};
use crate::capi::{checked_mut, count, status, write};
use crate::engine::{JOB_QUEUES, JobReport, JobState, Scheduler, Totals, Wants, Why};
use crate::error::{Error, Result};
use crate::nodes::Spread;
use crate::runtime::RuntimeDistribution;
use core::ffi::c_char;

/// A job, as the resource manager reports it. Zero it first: 0 is none, unknown or the default. Each report replaces
/// the whole description, but submit and parts, of which 0 and NULL keep what is known. Of a job that is over id,
/// state and ran are enough. Times are whole seconds since any origin, from 0 to 2^53.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_job {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_JOB_: the manager's word, whatever the scheduler thought.
    pub state: i32,
    /// Which job; not 0.
    pub id: i64,
    /// Its user, as a number (surefill_hash of a name); -1 if it is not known: its first queue stands for it in
    /// predictions then.
    pub user: i64,
    /// When it was submitted; 0 for now, or unchanged if the job is known. Another time under the same id is another
    /// job.
    pub submit: i64,
    /// It may not start before then: it is reported as waiting, and needs no further report. 0 for no such time. One
    /// that is reported as held stays held.
    pub begin: i64,
    /// When its present run started; 0 for as long ago as it has run (ran), but not before its submission.
    pub start: i64,
    /// Its time limit in seconds; 0 for none: it may run for ever.
    pub limit: i64,
    /// Seconds for which it has run without suspensions; 0 for the time since start.
    pub ran: i64,
    /// The site's priority, larger first.
    pub priority: f64,
    /// Jobs of a higher tier never wait for those of a lower one.
    pub tier: i32,
    /// Processors, nodes or other units that it wants, in a pool of nodes tasks; at least 1.
    pub count: i32,
    /// Units that it holds, where these are others than it wanted; in a pool of nodes its processors, by which it is
    /// known as wide, where these are others than its tasks take of the first kind of resource.
    pub units: i32,
    /// Number of times that it was put back into the queue.
    pub restarts: i32,
    /// An array's tasks that wait, all of one request; 0 for 1.
    pub tasks: i32,
    /// Those of an array's waiting tasks that may start now; 0 for all of them. Where none may start, the state is
    /// SUREFILL_JOB_HELD and the reason SUREFILL_WHY_ARRAY.
    pub at_once: i32,
    /// Why it is held: one of SUREFILL_WHY_ from SUREFILL_WHY_HOLD on.
    pub why: i32,
    /// SUREFILL_FLAG_, added up.
    pub flags: i32,
    /// Number of queues that follow.
    pub queue_count: i32,
    /// The queues in which it may start, or did, all of one pool.
    pub queues: [i32; 8],
    /// 0.
    pub reserved: i32,
    /// Its predicted run time, if the program predicts it, in the default bins; NULL for the scheduler's own
    /// prediction.
    pub prediction: *const surefill_distribution,
    /// The features that its nodes have, all of them. From here on all is for pools of nodes, and 0 in others.
    pub features: i64,
    /// The features of which its nodes have at least one; 0 if that does not matter.
    pub any: i64,
    /// Its nodes have none of these.
    pub without: i64,
    /// The key of the reservation in which it runs.
    pub reservation: i64,
    /// Amounts that a task takes of its node, kind by kind, processors first: 0 processors are 1.
    pub each: [i32; 8],
    /// The licences that the whole job takes, kind by kind.
    pub licences: [i32; 8],
    /// The nodes that it holds, in increasing order, with its tasks on each, from now on; NULL for those that it held
    /// before, and of a job that holds nothing.
    pub parts: *const surefill_part,
    /// Number of parts.
    pub part_count: i32,
    /// 0.
    pub reserved_too: i32,
}

const _: () = assert!(JOB_QUEUES == 8);

/// Counts of events since the block was made.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_totals {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Jobs that wait or are held now.
    pub waiting: i32,
    /// Jobs that hold room now.
    pub running: i32,
    /// 0.
    pub reserved: i32,
    /// Jobs submitted.
    pub submitted: i64,
    /// Jobs started.
    pub started: i64,
    /// Jobs ended, whose run times were learnt.
    pub ended: i64,
    /// Jobs that a failure or preemption ended, or that left the listings while they ran.
    pub broken: i64,
    /// Jobs withdrawn before they ran.
    pub withdrawn: i64,
    /// Jobs put back into the queue.
    pub requeued: i64,
    /// Offers that the manager refused.
    pub refused: i64,
    /// Jobs that went from one state to another as no manager should report.
    pub surprises: i64,
    /// Times the clock was set back by more than a minute.
    pub clock_set_back: i64,
    /// Events of jobs that were not known and not described.
    pub unknown_jobs: i64,
    /// Listings that were doubted, because too many jobs with room were missing in them.
    pub doubted: i64,
}

/// Sets the units of the pool of this name (length bytes), and how many of them are idle; -1 for all that known jobs
/// leave, for a pool of which no others use anything. Another number is that of the moment at which the reports around
/// it were made: it counts together with the jobs that are reported until the next cycle or end of a listing. What is
/// neither idle nor a known job's is unaccounted: nothing is known of its end. A new pool without units is one of
/// nodes, which surefill_scheduler_set_node describes, if there is room for nodes; a pool remains what it was first,
/// and one of units that has none has none in service. Writes the pool's number, the same for the same name. O(pools).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, FULL (pools).
///
/// # Safety
/// scheduler is a handle, name points to length readable bytes, pool to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_pool(
    scheduler: *mut surefill_scheduler,
    name: *const c_char,
    length: i64,
    units: i32,
    idle: i32,
    pool: *mut i32,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let pool = unsafe { checked_mut(pool)? };
        let idle = if idle == -1 { None } else { Some(count(idle)?) };
        *pool = scheduler.set_pool(unsafe { bytes(name, length)? }, count(units)?, idle)? as i32;
        Ok(())
    })())
}

/// A queue of this name (length bytes) belongs to this pool. Writes its number, the same for the same name. If it is
/// moved to another pool, its waiting jobs follow when they are reported again. O(queues).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NO_SUCH_INDEX, OUT_OF_RANGE,
/// FULL (queues).
///
/// # Safety
/// scheduler is a handle, name points to length readable bytes, queue to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_queue(
    scheduler: *mut surefill_scheduler,
    name: *const c_char,
    length: i64,
    pool: i32,
    queue: *mut i32,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let queue = unsafe { checked_mut(queue)? };
        let pool = u32::try_from(pool).map_err(|_| Error::NoSuchIndex)?;
        *queue = scheduler.set_queue(unsafe { bytes(name, length)? }, pool)? as i32;
        Ok(())
    })())
}

/// Calls with the report that a caller's structure makes.
///
/// # Safety
/// As [`surefill_scheduler_set_job`].
pub(super) unsafe fn with_report<T>(
    job: *const surefill_job,
    call: impl FnOnce(&JobReport<'_>) -> Result<T>,
) -> Result<T> {
    let none = surefill_job {
        struct_size: size_of::<surefill_job>() as u32,
        state: 0,
        id: 0,
        user: 0,
        submit: 0,
        begin: 0,
        start: 0,
        limit: 0,
        ran: 0,
        priority: 0.0,
        tier: 0,
        count: 0,
        units: 0,
        restarts: 0,
        tasks: 0,
        at_once: 0,
        why: 0,
        flags: 0,
        queue_count: 0,
        queues: [0; 8],
        reserved: 0,
        prediction: core::ptr::null(),
        features: 0,
        any: 0,
        without: 0,
        reservation: 0,
        each: [0; 8],
        licences: [0; 8],
        parts: core::ptr::null(),
        part_count: 0,
        reserved_too: 0,
    };
    let given = unsafe { sized(job, none, ends!(surefill_job, features))? };
    let (mut made, is_given) = (RuntimeDistribution::limit(), !given.prediction.is_null());
    if is_given {
        made.take_over(&unsafe { view_or_limit(given.prediction)? })?;
    }
    let state = JobState::from_number(count(given.state)?).ok_or(Error::OutOfRange)?;
    let why = Why::from_number(count(given.why)?).ok_or(Error::OutOfRange)?;
    let mut queues = [0_u32; JOB_QUEUES];
    for (to, &from) in queues.iter_mut().zip(&given.queues) {
        *to = from as u32;
    }
    let known = SUREFILL_FLAG_HOLDS_NOTHING | SUREFILL_FLAG_EXCLUSIVE | SUREFILL_FLAG_PACKED;
    if given.flags & !known != 0 || given.reserved != 0 || given.reserved_too != 0 {
        return Err(Error::WrongVersion);
    }
    let packed = given.flags & SUREFILL_FLAG_PACKED != 0;
    let wants = Wants {
        each: amounts(&given.each)?,
        licences: amounts(&given.licences)?,
        features: given.features as u64,
        any: given.any as u64,
        without: given.without as u64,
        reservation: given.reservation,
        spread: if packed { Spread::Tasks } else { Spread::Nodes },
        exclusive: given.flags & SUREFILL_FLAG_EXCLUSIVE != 0,
    };
    call(&JobReport {
        id: given.id,
        state,
        user: given.user,
        submit: given.submit,
        begin: given.begin,
        start: given.start,
        limit: given.limit,
        ran: given.ran,
        priority: given.priority,
        tier: given.tier,
        count: count(given.count)?,
        units: count(given.units)?,
        restarts: count(given.restarts)?,
        tasks: count(given.tasks)?,
        at_once: count(given.at_once)?,
        why,
        holds_nothing: given.flags & SUREFILL_FLAG_HOLDS_NOTHING != 0,
        queues: queues.get(..count(given.queue_count)? as usize).ok_or(Error::OutOfRange)?,
        wants,
        parts: unsafe { parts(given.parts, given.part_count)? },
        prediction: is_given.then_some(&made),
    })
}

/// The manager says this of a job now, as an event or as a row of the listing under way, whose rows count from its end
/// on. O(W + bins x contexts) for W waiting jobs.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, NOT_A_NUMBER,
/// NO_SUCH_INDEX (queues), FULL (jobs), PARTS_FULL; UNKNOWN_JOB for one that is over, was not known and is not
/// described: it does no harm.
///
/// # Safety
/// scheduler is a handle, job points to a readable structure of the size it says, whose prediction is NULL or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_job(
    scheduler: *mut surefill_scheduler,
    now: i64,
    job: *const surefill_job,
) -> i32 {
    status((|| unsafe {
        let mut scheduler = self::scheduler(scheduler)?;
        with_report(job, |report| scheduler.set_job(now, report))
    })())
}

/// A job's rank in the site's order has changed. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, UNKNOWN_JOB, NOT_A_NUMBER,
/// OUT_OF_RANGE.
///
/// # Safety
/// scheduler is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_priority(
    scheduler: *mut surefill_scheduler,
    job: i64,
    tier: i32,
    priority: f64,
) -> i32 {
    status((|| unsafe { self::scheduler(scheduler)? }.set_priority(job, tier, priority))())
}

/// A listing of all jobs begins; one that was not ended is dropped, and its rows count with this one. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// scheduler is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_list_begin(scheduler: *mut surefill_scheduler, now: i64) -> i32 {
    status((|| unsafe { self::scheduler(scheduler)? }.list_begin(now))())
}

/// The listing is complete: jobs that were not in it have left. Writes whether it is doubted, because it lacks more
/// than half of the jobs with room and more than 16: then none has left. The second one in a row counts, and the first
/// one after the block was made or opened. O(n log n).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE; WRONG_STATE
/// without a listing.
///
/// # Safety
/// scheduler is a handle, doubted points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_list_end(
    scheduler: *mut surefill_scheduler,
    now: i64,
    doubted: *mut i32,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let doubted = unsafe { checked_mut(doubted)? };
        *doubted = i32::from(scheduler.list_end(now)?);
        Ok(())
    })())
}

/// When the next cycle is wanted, now or later, and by which pools: a bit each, pool 0 the lowest. O(W) for W waiting
/// jobs.
///
/// A decision may change by time alone: a job that is kept back may start once another has run past its predicted end,
/// is suspended or is past its limit. It is made anew at the next report, not before: where reports may be minutes
/// apart, begin a cycle of the pools with idle units every few minutes as well. A pool whose cycle was not asked until
/// SUREFILL_ACT_DONE wants another now, as does one of which surefill_cycle_begin returns an error.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; NEVER if none is wanted before
/// something is reported.
///
/// # Safety
/// scheduler is a handle, when and pools point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_wake(
    scheduler: *const surefill_scheduler,
    now: i64,
    when: *mut i64,
    pools: *mut i64,
) -> i32 {
    status((|| {
        let (when, pools) = unsafe { (checked_mut(when)?, checked_mut(pools)?) };
        let (time, bits) = unsafe { self::scheduler(scheduler)? }.wake(now)?.ok_or(Error::Never)?;
        (*when, *pools) = (time, bits as i64);
        Ok(())
    })())
}

/// Writes the run time in seconds, from its start on, that a job exceeds with probability at most 1 - quantile, given
/// that it still runs if it does. O(bins).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, UNKNOWN_JOB, NOT_A_NUMBER,
/// OUT_OF_RANGE (quantile).
///
/// # Safety
/// scheduler is a handle, seconds points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_run_time(
    scheduler: *const surefill_scheduler,
    now: i64,
    job: i64,
    quantile: f64,
    seconds: *mut i64,
) -> i32 {
    status((|| {
        let run_time = unsafe { self::scheduler(scheduler)? }.run_time(job, quantile, now)?;
        unsafe { write(seconds, run_time) }
    })())
}

/// Writes a job that the scheduler knows, and its state, one of SUREFILL_JOB_: the numbers from 0 up are those that
/// wait or are held, in the order of their submission, then those that hold room, as many as surefill_totals has of
/// both. They hold until something is reported. After a restart this is what the state file knew. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT; NO_SUCH_INDEX behind the last
/// one.
///
/// # Safety
/// scheduler is a handle, job and state point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_job(
    scheduler: *const surefill_scheduler,
    number: i32,
    job: *mut i64,
    state: *mut i32,
) -> i32 {
    status((|| {
        let number = usize::try_from(number).map_err(|_| Error::NoSuchIndex)?;
        let (job, state) = unsafe { (checked_mut(job)?, checked_mut(state)?) };
        let known = |scheduler: Scheduler| scheduler.known_job(number)?.ok_or(Error::NoSuchIndex);
        let (id, known) = unsafe { with_object(scheduler, known)? };
        (*job, *state) = (id, known as i32);
        Ok(())
    })())
}

/// Counts of events since the block was made, and of the jobs known now. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// scheduler is a handle, totals points to a writable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_totals(
    scheduler: *const surefill_scheduler,
    totals: *mut surefill_totals,
) -> i32 {
    status((|| {
        let size = unsafe { output_size(totals, 16)? };
        let counts = |scheduler: Scheduler| Ok((scheduler.counts(), scheduler.totals()));
        let ((waiting, running), happened) = unsafe { with_object(scheduler, counts)? };
        let Totals { submitted, started, ended, broken, withdrawn, requeued, refused, .. } = happened;
        let now = surefill_totals {
            struct_size: 0,
            waiting: waiting as i32,
            running: running as i32,
            reserved: 0,
            submitted: submitted as i64,
            started: started as i64,
            ended: ended as i64,
            broken: broken as i64,
            withdrawn: withdrawn as i64,
            requeued: requeued as i64,
            refused: refused as i64,
            surprises: happened.surprises as i64,
            clock_set_back: happened.clock_set_back as i64,
            unknown_jobs: happened.unknown_jobs as i64,
            doubted: happened.doubted as i64,
        };
        unsafe { write_sized(totals, now, size) };
        Ok(())
    })())
}
