//! The scheduler: the resource manager's jobs are reported to it, and it offers jobs to start.
//!
//! A shell around a resource manager reports pools, queues and jobs, by single events or by whole listings, and runs a
//! cycle when surefill_scheduler_wake asks for one. The manager is right: what it says of a job holds from now on, and
//! the scheduler finds what has happened. No order of events is an error. Sealed, the block is the state file; an old
//! one is mended by the next listing. A predicted start that is shown to people is asked for by surefill_starts_report,
//! so that later ones follow the starts that come.
//!
//! A pool has counted units, or it consists of nodes with processors, memory and GPUs; then each offer says where the
//! job starts.
//!
//! An array is one job with tasks. It is reported once, with the number of its tasks that wait, and with at_once while
//! a limit lets fewer start. An offer of it is one task, and surefill_cycle_started gets the id that the manager gives
//! the task: from then on the task is a job of its own, with that id in every report, and the array has one task less.
//! The last task alone may have the array's own id; once all have started the array waits no more. When the manager
//! lets further tasks start, the array is reported again with its tasks and at_once as they are then.
//!
//! A full capacity grows. FULL of surefill_scheduler_set_job, surefill_cycle_next and surefill_cycle_started is the
//! capacity jobs, PARTS_FULL the capacity parts, DELAY_UNITS the capacity delay_units, FULL of another function its own
//! (pools, queues, reservations). Then surefill_scheduler_grow goes on in a larger block, and the call is made again; a
//! cycle may be stale then, and another needs surefill_cycle_size of the new capacity. Jobs, ended, pools, queues,
//! nodes, parts, reservations and delay_units can grow; histories, waits, bins, arrivals and kinds are for good.
//!
//! ```c
//! static int64_t memory[1 << 18], larger[1 << 19], scratch[1 << 18], more[1 << 18], saved[1 << 19];
//! surefill_scheduler_capacity capacity;
//! surefill_scheduler *s;
//! surefill_cycle *cycle;
//! surefill_job job = {0};
//! surefill_action action = {0};
//! surefill_starts *starts;
//! surefill_start start = {0};
//! surefill_reason reason = {0};
//! int64_t now = 1000000, bytes, when, pools, known;
//! int32_t pool, cluster, doubted, step, state, i, status;
//! char text[400];
//! double within;
//! surefill_node node = {0};
//! surefill_reservation maintenance = {0};
//! surefill_part parts[8];
//! int32_t licences[SUREFILL_MAX_RESOURCES] = {10}, big[2] = {1, 2};
//! surefill_scheduler_capacity_init(&capacity, 2);
//! capacity.nodes = 8;
//! capacity.parts = 8;
//! capacity.reservations = 1;
//! surefill_scheduler_init(memory, sizeof memory, &capacity, &s);
//! surefill_scheduler_configure(s, "preset=fast", 11, "", text, sizeof text);
//! surefill_scheduler_set_pool(s, "nodes", 5, 128, -1, &pool);
//! surefill_scheduler_set_queue(s, "batch", 5, pool, &job.queues[0]);
//! ```
//!
//! A listing of three jobs, the first of which runs, with a larger block for the third:
//!
//! ```c
//! job.struct_size = sizeof job;
//! job.user = surefill_hash("ada", 3);
//! job.limit = 3600;
//! job.queue_count = 1;
//! surefill_scheduler_list_begin(s, now);
//! for (i = 1; i <= 3; i++) {
//!   job.id = i;
//!   job.count = i == 3 ? 32 : 96;
//!   job.state = i == 1 ? SUREFILL_JOB_RUNNING : SUREFILL_JOB_WAITING;
//!   job.start = i == 1 ? now - 600 : 0;
//!   while ((status = surefill_scheduler_set_job(s, now, &job)) == SUREFILL_ERROR_FULL) {
//!     capacity.jobs *= 2;
//!     surefill_scheduler_size(&capacity, &bytes);
//!     printf("%d jobs do not fit, %d take %ld bytes\n", (int)i, (int)capacity.jobs, (long)bytes);
//!     surefill_scheduler_grow(s, larger, sizeof larger, &capacity, &s);
//!   }
//!   if (status != SUREFILL_OK) printf("%s\n", surefill_status_text(status));
//! }
//! surefill_scheduler_list_end(s, now, &doubted);
//! surefill_scheduler_set_priority(s, 2, 0, 100.0);
//! ```
//!
//! A cycle, in which the manager starts all that is offered:
//!
//! ```c
//! surefill_scheduler_wake(s, now, &when, &pools);
//! if (when <= now && pools >> pool & 1) {
//!   action.struct_size = sizeof action;
//!   surefill_cycle_size(&capacity, &bytes);
//!   surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
//!   while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START) {
//!     printf("job %ld starts on %d units\n", (long)action.job, (int)action.count);
//!     surefill_cycle_started(cycle, s, action.number, action.job);
//!   }
//!   surefill_cycle_close(cycle, s);
//! }
//! surefill_scheduler_run_time(s, now, 2, 0.9, &when);
//! printf("nine of ten jobs like 2 run for %ld s at most\n", (long)when);
//! ```
//!
//! When the second job will start, and why it waits, in a sentence that has the reported start:
//!
//! ```c
//! surefill_starts_size(&capacity, 20, &bytes);
//! surefill_starts_begin(more, sizeof more, s, pool, now, 20, &starts);
//! do surefill_starts_run(starts, s, 1000, &step);
//! while (step == SUREFILL_STEP_MORE);
//! start.struct_size = sizeof start;
//! surefill_starts_predicted(starts, s, 2, &start);
//! surefill_starts_report(starts, s, 2, &start);
//! surefill_starts_probability(starts, s, 2, now + 3600, &within);
//! printf("half of such jobs start within %ld s, by then with probability %.2f\n", (long)(start.by[2] - now), within);
//! reason.struct_size = sizeof reason;
//! surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
//! surefill_cycle_plan_all(cycle, s);
//! surefill_cycle_reason(cycle, s, 2, &reason);
//! surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, &bytes);
//! printf("job 2: %s\n", text);
//! surefill_cycle_planned(cycle, s, 2, &when);
//! printf("planned in %ld s, number %d of those that wait\n", (long)(when - now), (int)reason.rank);
//! job.id = 0;
//! surefill_cycle_try(cycle, s, &job, &reason);
//! printf("another one like 3 would start in %ld s\n", (long)(reason.start - now));
//! surefill_cycle_close(cycle, s);
//! surefill_scheduler_reason(s, now, 2, &reason);
//! ```
//!
//! A pool of three nodes, of which the queue has two; one of these is reserved in half an hour:
//!
//! ```c
//! surefill_scheduler_set_pool(s, "cluster", 7, 0, -1, &cluster);
//! surefill_scheduler_set_queue(s, "big", 3, cluster, &job.queues[0]);
//! node.struct_size = sizeof node;
//! node.state = SUREFILL_NODE_UP;
//! node.amounts[0] = 64;
//! node.amounts[1] = 262144;
//! for (i = 0; i < 3; i++) surefill_scheduler_set_node(s, cluster, i, &node);
//! surefill_scheduler_set_queue_nodes(s, job.queues[0], big, 2);
//! surefill_scheduler_set_licences(s, licences);
//! maintenance.struct_size = sizeof maintenance;
//! maintenance.pool = cluster;
//! maintenance.key = surefill_hash("maintenance", 11);
//! maintenance.from = now + 1800;
//! maintenance.to = now + 14400;
//! maintenance.nodes = big;
//! maintenance.node_count = 1;
//! surefill_scheduler_set_reservation(s, &maintenance);
//! job.id = 4;
//! job.count = 2;
//! job.flags = SUREFILL_FLAG_PACKED;
//! job.each[0] = 4;
//! job.each[1] = 8192;
//! job.licences[0] = 1;
//! surefill_scheduler_set_job(s, now, &job);
//! surefill_cycle_begin(scratch, sizeof scratch, s, cluster, now, &cycle);
//! while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START) {
//!   surefill_cycle_parts(cycle, action.number, parts, 8, &step);
//!   printf("%d tasks of job %ld on node %d\n", (int)parts[0].tasks, (long)action.job, (int)parts[0].node);
//!   surefill_cycle_started(cycle, s, action.number, action.job);
//! }
//! surefill_cycle_close(cycle, s);
//! ```
//!
//! The sealed block is the state. It is read again, and what it knows is compared with what the manager lists:
//!
//! ```c
//! surefill_scheduler_seal(s);
//! surefill_block_size(s, &bytes);
//! memcpy(saved, s, (size_t)bytes);
//! surefill_scheduler_open(saved, sizeof saved, &s);
//! surefill_scheduler_words(s, text, sizeof text);
//! surefill_scheduler_capacity_of(s, &capacity);
//! for (i = 0; surefill_scheduler_job(s, i, &known, &state) == SUREFILL_OK; i++)
//!   printf("job %ld %s\n", (long)known, state < SUREFILL_JOB_STARTING ? "waits" : "has its room");
//! ```

mod cycle;
mod events;
mod machine;
mod reason;
mod settings;
mod starts;

pub use cycle::*;
pub use events::*;
pub use machine::*;
pub use reason::*;
pub use settings::*;
pub use starts::*;

use super::block::{init, object, seal, write_size};
use super::sized::{ends, initialise, sized, write_output};
use super::{array, count, status};
use crate::engine::{JobState, Scheduler, SchedulerCapacity, hash};
use crate::error::{Error, Result};
use core::ffi::{c_char, c_void};
use core::fmt::{self, Write};
use core::slice;

/// Waiting or held, as was reported last; waiting if the job is unknown.
pub const SUREFILL_JOB_AS_BEFORE: i32 = 0;
/// It may start if there is room.
pub const SUREFILL_JOB_WAITING: i32 = 1;
/// It waits but must not start now, for a reason of the manager's (why).
pub const SUREFILL_JOB_HELD: i32 = 2;
/// It has its room and is being started.
pub const SUREFILL_JOB_STARTING: i32 = 3;
/// It runs.
pub const SUREFILL_JOB_RUNNING: i32 = 4;
/// It has started and is stopped; it does not age.
pub const SUREFILL_JOB_SUSPENDED: i32 = 5;
/// It is over, but what it held is still being cleaned.
pub const SUREFILL_JOB_ENDING: i32 = 6;
/// It ended by itself, by its limit or by its user. Its run time is learnt.
pub const SUREFILL_JOB_ENDED: i32 = 7;
/// It ended by a failure or by preemption. Nothing is learnt from it.
pub const SUREFILL_JOB_BROKEN: i32 = 8;
/// It was withdrawn before it ran.
pub const SUREFILL_JOB_GONE: i32 = 9;

const _: () = assert!(SUREFILL_JOB_GONE == JobState::Gone as i32);

/// Flag of a job: while it is suspended it holds nothing.
pub const SUREFILL_FLAG_HOLDS_NOTHING: i32 = 1;
/// Flag of a job: no other job may be on its nodes.
pub const SUREFILL_FLAG_EXCLUSIVE: i32 = 4;
/// Flag of a job: several of its tasks may share a node. Without it each is on a node of its own.
pub const SUREFILL_FLAG_PACKED: i32 = 8;

/// Capacities of a scheduler. Set by surefill_scheduler_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_scheduler_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Jobs that wait or run (1 to 1,048,576), 2.2 kB each.
    pub jobs: i32,
    /// Jobs that are over but that the manager may still list (at most 1,048,576), 32 bytes each.
    pub ended: i32,
    /// Pools (1 to 63).
    pub pools: i32,
    /// Queues (1 to 63).
    pub queues: i32,
    /// Histories of like jobs that the predictor keeps (at most 16,777,216), 120 bytes each and with that most
    /// of the block; 0 for no predictor, on small machines: every job then runs to its limit.
    pub histories: i32,
    /// Waits remembered of each pool (1 to 4,194,304), 92 bytes each.
    pub waits: i32,
    /// Run-time bins (2 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Submissions remembered, by which a forecast of starts foresees later ones (at most 1,048,576; 0 for none),
    /// 80 bytes each.
    pub arrivals: i32,
    /// Nodes, by the largest number and 1 more (at most 65,535); 0 where all pools have counted units. With nodes there
    /// is room for at most 262,144 jobs.
    pub nodes: i32,
    /// Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES), processors first.
    pub kinds: i32,
    /// Pairs of a job and a node on which it holds something (at most 2,097,152).
    pub parts: i32,
    /// Reservations of nodes (at most 64).
    pub reservations: i32,
    /// Units of the largest pool about which preset=papers and rule=delay decide (at most 16,777,216); 0 for none. A
    /// cycle's memory grows by some 10 kB for each of the jobs and 200 bytes for each of these units.
    pub delay_units: i32,
}

/// A scheduler without a machine. Sealed, the block is a checkpoint: write it to a file, read it back, open it.
///
/// Distinct objects are independent; one needs one thread, or the caller's lock. The block holds no pointers.
#[allow(non_camel_case_types)]
pub struct surefill_scheduler {
    _opaque: [u8; 0],
}

fn c_capacity(capacity: &SchedulerCapacity) -> surefill_scheduler_capacity {
    let &SchedulerCapacity { jobs, ended, pools, queues, histories, waits, bins, arrivals, .. } = capacity;
    let [jobs, ended, pools, queues, histories, waits, bins, arrivals] =
        [jobs, ended, pools, queues, histories, waits, bins, arrivals].map(|number| number as i32);
    surefill_scheduler_capacity {
        struct_size: size_of::<surefill_scheduler_capacity>() as u32,
        jobs,
        ended,
        pools,
        queues,
        histories,
        waits,
        bins,
        arrivals,
        nodes: capacity.nodes as i32,
        kinds: capacity.kinds as i32,
        parts: capacity.parts as i32,
        reservations: capacity.reservations as i32,
        delay_units: capacity.delay_units as i32,
    }
}

/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure of the size it says.
unsafe fn capacity(given: *const surefill_scheduler_capacity) -> Result<SchedulerCapacity> {
    let defaults = c_capacity(&SchedulerCapacity::default());
    let given = unsafe {
        sized(
            given,
            defaults,
            ends!(
                surefill_scheduler_capacity,
                ended,
                pools,
                queues,
                histories,
                waits,
                bins,
                arrivals,
                nodes,
                kinds,
                parts,
                reservations,
                delay_units
            ),
        )?
    };
    Ok(SchedulerCapacity {
        jobs: count(given.jobs)?,
        ended: count(given.ended)?,
        pools: count(given.pools)?,
        queues: count(given.queues)?,
        histories: count(given.histories)?,
        waits: count(given.waits)?,
        bins: count(given.bins)?,
        arrivals: count(given.arrivals)?,
        nodes: count(given.nodes)?,
        kinds: count(given.kinds)?,
        parts: count(given.parts)?,
        reservations: count(given.reservations)?,
        delay_units: count(given.delay_units)?,
        reserved: 0,
    })
}

/// The scheduler behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn scheduler<'a>(handle: *const surefill_scheduler) -> Result<Scheduler<'a>> {
    unsafe { object(handle) }
}

/// A text of the caller's.
///
/// # Safety
/// A pointer that is not NULL points to `length` readable bytes.
unsafe fn bytes<'a>(text: *const c_char, length: i64) -> Result<&'a [u8]> {
    let length = i32::try_from(length).map_err(|_| Error::OutOfRange)?;
    unsafe { array(text.cast(), length) }
}

/// A string of the caller's without its zero byte; empty for NULL. The volatile reads keep the compiler from calling
/// strlen, which programs without a C library lack.
///
/// # Safety
/// A pointer that is not NULL points to a string.
unsafe fn string<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    let mut length = 0;
    while unsafe { text.add(length).read_volatile() } != 0 {
        length += 1;
    }
    unsafe { slice::from_raw_parts(text.cast(), length) }
}

/// Text for a caller's buffer: what does not fit is left out, and a zero byte ends it.
struct Text<'a> {
    room: &'a mut [u8],
    used: usize,
    /// Bytes that were to be written.
    wanted: usize,
}

impl<'a> Text<'a> {
    /// # Safety
    /// A pointer that is not NULL points to `room` writable bytes. NULL is allowed without room.
    unsafe fn new(text: *mut c_char, room: i64) -> Result<Text<'a>> {
        let length = usize::try_from(room).map_err(|_| Error::OutOfRange)?;
        if length > isize::MAX as usize {
            return Err(Error::OutOfRange);
        }
        let room: &mut [u8] = match (length, text.is_null()) {
            (0, _) => &mut [],
            (_, true) => return Err(Error::Null),
            _ => unsafe { slice::from_raw_parts_mut(text.cast(), length) },
        };
        let mut text = Text { room, used: 0, wanted: 0 };
        text.end();
        Ok(text)
    }

    /// Whether all has found room.
    fn is_whole(&self) -> bool {
        self.used == self.wanted
    }

    fn end(&mut self) {
        if let Some(byte) = self.room.get_mut(self.used) {
            *byte = 0;
        }
    }
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.wanted = self.wanted.saturating_add(text.len());
        for byte in text.bytes() {
            if self.used + 1 >= self.room.len() {
                break;
            }
            if let Some(slot) = self.room.get_mut(self.used) {
                *slot = byte;
            }
            self.used += 1;
        }
        self.end();
        Ok(())
    }
}

/// A number for a name: FNV-1a with 64 bits of its bytes. NULL and negative lengths are empty names. O(length).
///
/// # Safety
/// text points to length readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hash(text: *const c_char, length: i64) -> i64 {
    hash(unsafe { bytes(text, length) }.unwrap_or_default())
}

/// Sets a capacity for this number of jobs that wait or run, and as many that are over. From 256 jobs on the rest is
/// what a site's machine can spare, 8 MB of histories, 460 kB of waits for each of 4 pools, 330 kB of submissions: a
/// block of 11 MB. For fewer jobs it is less in proportion, 1.2 MB for 16. As histories, waits and arrivals do not
/// grow, a program that begins small and grows asks for 256 jobs or sets them itself. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE (jobs).
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_capacity_init(
    capacity: *mut surefill_scheduler_capacity,
    jobs: i32,
    size: i64,
) -> i32 {
    status((|| {
        let own = SchedulerCapacity::of(count(jobs)?);
        Scheduler::size(&own)?;
        unsafe { initialise(capacity, c_capacity(&own), size) }
    })())
}

/// Bytes of memory that a scheduler with this capacity needs.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_size(
    capacity: *const surefill_scheduler_capacity,
    size: *mut i64,
) -> i32 {
    status((|| unsafe { write_size(size, Scheduler::size(&self::capacity(capacity)?)?) })())
}

/// Makes a scheduler with default settings that knows nothing, in the caller's memory (length bytes, at least
/// surefill_scheduler_size, aligned to 8). O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, scheduler to a
/// writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_scheduler_capacity,
    scheduler: *mut *mut surefill_scheduler,
) -> i32 {
    status((|| {
        let capacity = unsafe { self::capacity(capacity)? };
        unsafe { init(memory, length, scheduler, |bytes| Scheduler::init(bytes, &capacity)) }
    })())
}

/// The scheduler goes on in a larger block, with all that it knows; the old one stays as it is. An open cycle goes on
/// with the new handle, or says SUREFILL_ACT_STALE; an open forecast is begun anew. Jobs, ended, pools, queues, nodes,
/// parts, reservations and delay_units may be more, ended and delay_units also less; the rest is as
/// surefill_scheduler_capacity_of says. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// old is a handle, memory points to length writable bytes that are not the old one's, capacity to a readable structure
/// of the size it says, scheduler to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_grow(
    old: *const surefill_scheduler,
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_scheduler_capacity,
    scheduler: *mut *mut surefill_scheduler,
) -> i32 {
    status((|| {
        let capacity = unsafe { self::capacity(capacity)? };
        let mut old = unsafe { self::scheduler(old)? };
        unsafe { init(memory, length, scheduler, |bytes| old.grow(bytes, &capacity)) }
    })())
}

/// Makes the block a checkpoint, surefill_scheduler_size bytes from the handle on, by writing its checksum. Any later
/// call that changes it breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// scheduler is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_seal(scheduler: *mut surefill_scheduler) -> i32 {
    status(unsafe { seal::<Scheduler, _>(scheduler) })
}

/// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
/// surefill_scheduler_seal left it. The next listing is not doubted. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, scheduler to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_open(
    memory: *mut c_void,
    length: i64,
    scheduler: *mut *mut surefill_scheduler,
) -> i32 {
    status(unsafe { init(memory, length, scheduler, Scheduler::open) })
}

/// Writes what a scheduler has room for: of one that was opened, what it was made or has grown for. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// scheduler is a handle, capacity points to a writable structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_capacity_of(
    scheduler: *const surefill_scheduler,
    capacity: *mut surefill_scheduler_capacity,
) -> i32 {
    status((|| {
        let own = unsafe { self::scheduler(scheduler)? }.capacity();
        unsafe { write_output(capacity, c_capacity(&own), 4) }
    })())
}
