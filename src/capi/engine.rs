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
//! ```c
//! static int64_t memory[1 << 21], scratch[1 << 18], more[1 << 18];
//! surefill_scheduler_capacity capacity;
//! surefill_scheduler *s;
//! surefill_cycle *cycle;
//! surefill_job job = {0};
//! surefill_action action = {0};
//! surefill_starts *starts;
//! surefill_start start = {0};
//! surefill_reason reason = {0};
//! int64_t now = 1000000, bytes, when, pools;
//! int32_t pool, doubted, step;
//! char text[400];
//! double within;
//! surefill_node node = {0};
//! surefill_reservation maintenance = {0};
//! surefill_part parts[8];
//! int32_t licences[SUREFILL_MAX_RESOURCES] = {10}, big[2] = {1, 2};
//! surefill_scheduler_capacity_init(&capacity, 400);
//! capacity.nodes = 8;
//! capacity.parts = 800;
//! capacity.reservations = 1;
//! surefill_scheduler_size(&capacity, &bytes);
//! surefill_scheduler_init(memory, sizeof memory, &capacity, &s);
//! surefill_scheduler_configure(s, "preset=fast", 11, "", text, sizeof text);
//! surefill_scheduler_words(s, text, sizeof text);
//! surefill_scheduler_capacity_of(s, &capacity);
//! surefill_scheduler_set_pool(s, "nodes", 5, 128, -1, &pool);
//! surefill_scheduler_set_queue(s, "batch", 5, pool, &job.queues[0]);
//! job.struct_size = sizeof job;
//! job.id = 4711;
//! job.user = surefill_hash("ada", 3);
//! job.count = 16;
//! job.limit = 3600;
//! job.queue_count = 1;
//! surefill_scheduler_list_begin(s, now);
//! surefill_scheduler_set_job(s, now, &job);
//! surefill_scheduler_list_end(s, now, &doubted);
//! surefill_scheduler_set_priority(s, job.id, 0, 100.0);
//! if (surefill_scheduler_wake(s, now, &when, &pools) == SUREFILL_OK && when <= now && pools >> pool & 1) {
//!   surefill_scheduler_run_time(s, now, job.id, 0.9, &when);
//!   action.struct_size = sizeof action;
//!   surefill_cycle_size(&capacity, &bytes);
//!   surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
//!   while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START)
//!     surefill_cycle_started(cycle, s, action.number, action.job);
//!   if (surefill_cycle_planned(cycle, s, job.id, &when) == SUREFILL_OK) printf("planned for %ld\n", (long)when);
//!   surefill_cycle_close(cycle, s);
//! }
//! surefill_starts_size(&capacity, 20, &bytes);
//! if (surefill_starts_begin(more, sizeof more, s, pool, now, 20, &starts) == SUREFILL_OK) {
//!   do surefill_starts_run(starts, s, 1000, &step);
//!   while (step == SUREFILL_STEP_MORE);
//!   start.struct_size = sizeof start;
//!   if (surefill_starts_predicted(starts, s, job.id, &start) == SUREFILL_OK &&
//!       surefill_starts_probability(starts, s, job.id, now + 3600, &within) == SUREFILL_OK)
//!     printf("within the hour with probability %.2f\n", within);
//!   if (surefill_starts_report(starts, s, job.id, &start) == SUREFILL_OK)
//!     printf("three of four such jobs start by %ld\n", (long)start.by[3]);
//! }
//! reason.struct_size = sizeof reason;
//! if (surefill_scheduler_reason(s, now, job.id, &reason) == SUREFILL_OK &&
//!     surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, &bytes) == SUREFILL_OK)
//!   printf("job %ld: %s\n", (long)reason.job, text);
//! surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
//! surefill_cycle_plan_all(cycle, s);
//! if (surefill_cycle_reason(cycle, s, job.id, &reason) == SUREFILL_OK)
//!   printf("%d are planned to start before it\n", (int)reason.place - 1);
//! job.id = 0;
//! if (surefill_cycle_try(cycle, s, &job, &reason) == SUREFILL_OK && reason.start != 0)
//!   printf("another one like it would start at %ld\n", (long)reason.start);
//! surefill_scheduler_set_pool(s, "cluster", 7, 0, -1, &pool);
//! surefill_scheduler_set_queue(s, "big", 3, pool, &job.queues[0]);
//! node.struct_size = sizeof node;
//! node.state = SUREFILL_NODE_UP;
//! node.amounts[0] = 64;
//! node.amounts[1] = 262144;
//! for (step = 0; step < 3; step++) surefill_scheduler_set_node(s, pool, step, &node);
//! surefill_scheduler_set_queue_nodes(s, job.queues[0], big, 2);
//! surefill_scheduler_set_licences(s, licences);
//! maintenance.struct_size = sizeof maintenance;
//! maintenance.pool = pool;
//! maintenance.key = surefill_hash("maintenance", 11);
//! maintenance.from = now + 7200;
//! maintenance.to = now + 14400;
//! maintenance.nodes = big;
//! maintenance.node_count = 1;
//! surefill_scheduler_set_reservation(s, &maintenance);
//! job.id = 4712;
//! job.flags = SUREFILL_FLAG_PACKED;
//! job.each[0] = 4;
//! job.each[1] = 8192;
//! job.licences[0] = 1;
//! surefill_scheduler_set_job(s, now, &job);
//! surefill_cycle_begin(scratch, sizeof scratch, s, pool, now, &cycle);
//! while (surefill_cycle_next(cycle, s, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_START) {
//!   if (surefill_cycle_parts(cycle, action.number, parts, 8, &step) == SUREFILL_OK)
//!     printf("%d tasks on node %d\n", (int)parts[0].tasks, (int)parts[0].node);
//!   surefill_cycle_started(cycle, s, action.number, action.job);
//! }
//! surefill_cycle_close(cycle, s);
//! surefill_scheduler_seal(s);
//! ```

mod cycle;
mod events;
mod machine;
mod reason;
mod starts;

pub use cycle::*;
pub use events::*;
pub use machine::*;
pub use reason::*;
pub use starts::*;

use super::block::{init, object, seal, write_size};
use super::sized::{initialise, sized, write_output};
use super::{array, count, status};
use crate::engine::{BadWord, JobState, Scheduler, SchedulerCapacity, hash};
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
/// Flag of a job: nobody else may be on its nodes.
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
    /// Jobs that wait or run (1 to 1,048,576).
    pub jobs: i32,
    /// Jobs that are over but that the manager may still list (at most 1,048,576).
    pub ended: i32,
    /// Pools (1 to 63).
    pub pools: i32,
    /// Queues (1 to 63).
    pub queues: i32,
    /// Histories of like jobs that the predictor keeps (at most 16,777,216); 0 for no predictor, on small machines:
    /// every job then runs to its limit.
    pub histories: i32,
    /// Waits remembered of each pool (1 to 4,194,304).
    pub waits: i32,
    /// Run-time bins (2 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Submissions remembered, by which a forecast of starts foresees later ones (at most 1,048,576; 0 for none).
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
    }
}

/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure of the size it says.
unsafe fn capacity(given: *const surefill_scheduler_capacity) -> Result<SchedulerCapacity> {
    let defaults = c_capacity(&SchedulerCapacity::default());
    let given = unsafe { sized(given, defaults, &[8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48])? };
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

/// Sets a capacity for this number of jobs that wait or run, and as many that are over. The rest is what a site's
/// machine can spare: 8 MB of histories, 460 kB of waits a pool. O(1).
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
/// with the new handle. Jobs, ended ones, pools and queues may be more; the rest is as it was. O(size).
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

/// Changes the settings that these words name (length bytes, apart by blanks, commas or pluses), such as "preset=fast
/// proposals=25": preset (fair, fast, easy), mode (on, shadow), order (ties, priority, free), seconds, predictor
/// (contexts, limit), the plan's short, steep, long, front, proposals, budget, slack, cut and running; grace, settle
/// and refused in seconds; seed. With a prefix (NULL or "" for none) only words that begin with it are looked at,
/// without it. A word that is not understood is an error, nothing is changed, and message (room bytes, zero at its end)
/// says which it is and what it should be; else message is empty.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// scheduler is a handle, words points to length readable bytes, prefix is NULL or a string, message points to room
/// writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_configure(
    scheduler: *mut surefill_scheduler,
    words: *const c_char,
    length: i64,
    prefix: *const c_char,
    message: *mut c_char,
    room: i64,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let words = unsafe { bytes(words, length)? };
        let prefix = unsafe { string(prefix) };
        let mut message = unsafe { Text::new(message, room)? };
        let (Ok(words), Ok(prefix)) = (core::str::from_utf8(words), core::str::from_utf8(prefix)) else {
            let _ = message.write_str("wanted is text in UTF-8");
            return Err(Error::OutOfRange);
        };
        scheduler.configure(words, prefix).map_err(|BadWord { at, length, wanted }| {
            let word = words.get(at..).and_then(|rest| rest.get(..length)).unwrap_or_default();
            for part in ["'", word, "': wanted is ", wanted] {
                let _ = message.write_str(part);
            }
            Error::OutOfRange
        })
    })())
}

/// Writes all settings that are in effect as words that surefill_scheduler_configure reads, with a zero byte at their
/// end.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE (room); FULL where
/// room is too short: then as much is written as fits.
///
/// # Safety
/// scheduler is a handle, words points to room writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_words(
    scheduler: *const surefill_scheduler,
    words: *mut c_char,
    room: i64,
) -> i32 {
    status((|| {
        let settings = unsafe { self::scheduler(scheduler)? }.settings();
        let mut text = unsafe { Text::new(words, room)? };
        let _ = settings.write(&mut text);
        if text.is_whole() { Ok(()) } else { Err(Error::Full) }
    })())
}
