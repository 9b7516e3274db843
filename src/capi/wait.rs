//! Bounds on the waits of one queue's jobs.
//!
//! One object for each queue: every job is reported to it, and it bounds a job's wait with stated confidence, at any
//! time.
//!
//! ```c
//! static int64_t memory[1 << 20];
//! surefill_wait_capacity capacity;
//! surefill_wait_options options;
//! surefill_wait *wait;
//! int64_t bound, waited;
//! int32_t answer;
//! surefill_wait_capacity_init(&capacity);
//! capacity.history = 2000;
//! surefill_wait_options_init(&options);
//! surefill_wait_init(memory, sizeof memory, &capacity, &options, &wait);
//! surefill_wait_submit(wait, 4711, 1000000, 3600, 16, &answer, &bound);
//! surefill_wait_start(wait, 4711, 1000600, &waited);
//! surefill_wait_predict(wait, 3600, 16, 0.5, 0.9, 1000600, &answer, &bound);
//! ```
//!
//! The jobs that are held can be compared with the queue after a restart, and a clock that was wrong set right:
//!
//! ```c
//! surefill_held_job held[8];
//! int32_t written, count;
//! held[0].struct_size = sizeof held[0];
//! surefill_wait_jobs(wait, held, 8, &written, &count);
//! surefill_wait_set_clock(wait, 1000590);
//! ```

mod ask;
mod bounds;
mod study;

pub use ask::*;
pub use bounds::*;
pub use study::*;

use super::block::{init, object, open, seal, with_object, write_size};
use super::predictor::{held_keys, surefill_held_job, write_held};
use super::sized::{ends, initialise, sized};
use super::{checked_mut, count, status};
use crate::error::{Error, Result};
use crate::wait::{
    ADAPT, AVAILABILITY, Attribute, CLUSTER, Features, MAX_CLUSTERS, TRIM, VISIBLE, WaitAnswer, WaitCapacity,
    WaitMethod, WaitOptions, WaitPredictor,
};
use core::ffi::c_void;

/// The most clusters of a wait predictor.
pub const SUREFILL_MAX_CLUSTERS: i32 = 16;

/// Method: order statistics, right for any distribution.
pub const SUREFILL_METHOD_BINOMIAL: i32 = 0;
/// Method: the bound of a log-normal's quantile, by the noncentral t.
pub const SUREFILL_METHOD_LOG_NORMAL: i32 = 1;
/// Method: the quantile of a log-uniform, by maximum likelihood; the confidence is ignored.
pub const SUREFILL_METHOD_LOG_UNIFORM: i32 = 2;
/// Method: the quantile of a Weibull, by maximum likelihood; the confidence is ignored.
pub const SUREFILL_METHOD_WEIBULL: i32 = 3;

/// Attribute: the requested run time.
pub const SUREFILL_ATTRIBUTE_REQUESTED: i32 = 0;
/// Attribute: the processors.
pub const SUREFILL_ATTRIBUTE_PROCESSORS: i32 = 1;
/// Attribute: processors times requested run time.
pub const SUREFILL_ATTRIBUTE_PRODUCT: i32 = 2;
/// Attribute: of these three the one that explains the waits best, chosen anew whenever the jobs are clustered again,
/// from the waits that are remembered then: the one whose clusters raise the Bayes information criterion over a single
/// cluster most. Until the first choice, and among equals, it is the one in use, at first the requested run time. A
/// clustering takes three times as long.
pub const SUREFILL_ATTRIBUTE_BEST: i32 = 3;

/// Component: histories are trimmed at change points.
pub const SUREFILL_COMPONENT_TRIM: i32 = 1;
/// Component: jobs are clustered by an attribute.
pub const SUREFILL_COMPONENT_CLUSTER: i32 = 2;
/// Component: no prediction while the machine may be down.
pub const SUREFILL_COMPONENT_AVAILABILITY: i32 = 4;
/// Component, beyond the paper: levels follow misses, so that in the long run .9 of the misses that the quantile allows
/// remain, whatever the waits do, among wide jobs and jobs with long requests as well as among all.
pub const SUREFILL_COMPONENT_ADAPT: i32 = 8;
/// Component, beyond the paper: the waits that count are those of the jobs that came into a like situation: jobs and
/// work ahead, the oldest wait, the last waits, the hour. It takes the place of TRIM and CLUSTER.
pub const SUREFILL_COMPONENT_VISIBLE: i32 = 16;

/// Answer: a bound.
pub const SUREFILL_ANSWER_BOUND: i32 = 0;
/// Answer: no prediction, as too few waits are known for this quantile and confidence.
pub const SUREFILL_ANSWER_TOO_LITTLE_HISTORY: i32 = 1;
/// Answer: no prediction, as no job has been started for an unusually long time, or while unusually many arrived: the
/// machine may be down.
pub const SUREFILL_ANSWER_MAY_BE_DOWN: i32 = 2;
/// Answer: no prediction, as most like jobs wait already for longer than the bound that the known waits give, or more
/// than twice as many jobs wait as before any whose wait is known.
pub const SUREFILL_ANSWER_EXCEEDED: i32 = 3;

const _: () = assert!(SUREFILL_MAX_CLUSTERS as usize == MAX_CLUSTERS);
const _: () = assert!(SUREFILL_METHOD_BINOMIAL as u32 == WaitMethod::Binomial as u32);
const _: () = assert!(SUREFILL_METHOD_LOG_NORMAL as u32 == WaitMethod::LogNormal as u32);
const _: () = assert!(SUREFILL_METHOD_LOG_UNIFORM as u32 == WaitMethod::LogUniform as u32);
const _: () = assert!(SUREFILL_METHOD_WEIBULL as u32 == WaitMethod::Weibull as u32);
const _: () = assert!(SUREFILL_ATTRIBUTE_REQUESTED as u32 == Attribute::Requested as u32);
const _: () = assert!(SUREFILL_ATTRIBUTE_PROCESSORS as u32 == Attribute::Processors as u32);
const _: () = assert!(SUREFILL_ATTRIBUTE_PRODUCT as u32 == Attribute::Product as u32);
const _: () = assert!(SUREFILL_ATTRIBUTE_BEST as u32 == Attribute::Best as u32);
const _: () = assert!(SUREFILL_COMPONENT_TRIM as u32 == TRIM);
const _: () = assert!(SUREFILL_COMPONENT_CLUSTER as u32 == CLUSTER);
const _: () = assert!(SUREFILL_COMPONENT_AVAILABILITY as u32 == AVAILABILITY);
const _: () = assert!(SUREFILL_COMPONENT_ADAPT as u32 == ADAPT);
const _: () = assert!(SUREFILL_COMPONENT_VISIBLE as u32 == VISIBLE);

/// Capacities of a wait predictor. Set by surefill_wait_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_wait_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Waits that are remembered; the oldest go first (1 to 4,194,304, and enough for the options' own question).
    pub history: i32,
    /// Jobs that wait at the same time (1 to 4,194,304).
    pub queued: i32,
    /// Releases that tell whether the machine may be down (0 to 4,194,304; 0 without that component).
    pub releases: i32,
    /// The largest number of clusters (1 to SUREFILL_MAX_CLUSTERS; 1 saves the memory that clustering needs).
    pub clusters: i32,
    /// Jobs whose situation is remembered for VISIBLE (0 to 65,536; 0 without that component).
    pub neighbours: i32,
}

/// Options of a wait predictor. Set by surefill_wait_options_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_wait_options {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_METHOD_.
    pub method: i32,
    /// One of SUREFILL_ATTRIBUTE_: what jobs are clustered by.
    pub attribute: i32,
    /// The sum of SUREFILL_COMPONENT_ that are on; 0 for none.
    pub components: i32,
    /// The options' own question, which surefill_wait_submit answers and by which misses are counted and histories
    /// trimmed: the quantile of the wait that is bounded (above 0, below 1) ...
    pub quantile: f64,
    /// ... and the confidence of that bound (above 0, below 1).
    pub confidence: f64,
    /// With AVAILABILITY: the quantile of jobs between releases, and of time between releases, above whose .95 bound
    /// the machine may be down (above 0, below 1). The paper's is .95, which on its traces leaves 5 to 25 % of the jobs
    /// without a prediction. It says nothing before ln(.05) / ln(down_quantile) releases, for which the capacity must
    /// have room: 59 at .95, 299 at .99, 2,995 at .999.
    pub down_quantile: f64,
    /// With ADAPT: the smallest step of the levels that follow misses, in units of e times fewer misses (0 to 1).
    /// Smaller ones are tighter, larger ones faster.
    pub rate: f64,
    /// After how many known waits the jobs are clustered again (1 to 4,294,967,295).
    pub recluster_every: i64,
    /// A job that has waited for more than this number of seconds is given up (1 to 2^40): it may be held, or its start
    /// may have got lost. It no longer counts among those that wait, and when there is no room for a new job the oldest
    /// of them makes room. If it starts after all its wait is learnt. To be longer than jobs wait; 100 days by default.
    pub oldest_seconds: i64,
}

/// Bounds the waits of one queue's jobs by those of the jobs before them (QBETS: Nurmi, Brevik & Wolski 2007). Tell it
/// of every job: submitted, then started or cancelled. Times are seconds since any fixed origin, within 2^53 of it;
/// they may stand still but not go back. Jobs are known by the caller's ids.
///
/// Distinct predictors are independent; one needs one thread, or the caller's lock. The block holds no pointers, and
/// sealed it is a checkpoint: write it to a file, read it back, open it.
#[allow(non_camel_case_types)]
pub struct surefill_wait {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_wait_capacity {
    let WaitCapacity { history, queued, releases, clusters, neighbours } = WaitCapacity::default();
    surefill_wait_capacity {
        struct_size: size_of::<surefill_wait_capacity>() as u32,
        history: history as i32,
        queued: queued as i32,
        releases: releases as i32,
        clusters: clusters as i32,
        neighbours: neighbours as i32,
    }
}

unsafe fn capacity(given: *const surefill_wait_capacity) -> Result<WaitCapacity> {
    let given = unsafe {
        sized(
            given,
            default_capacity(),
            ends!(surefill_wait_capacity, history, queued, releases, clusters, neighbours),
        )?
    };
    Ok(WaitCapacity {
        history: count(given.history)?,
        queued: count(given.queued)?,
        releases: count(given.releases)?,
        clusters: count(given.clusters)?,
        neighbours: count(given.neighbours)?,
    })
}

fn default_options() -> surefill_wait_options {
    let options = WaitOptions::default();
    surefill_wait_options {
        struct_size: size_of::<surefill_wait_options>() as u32,
        method: options.method as i32,
        attribute: options.attribute as i32,
        components: options.components as i32,
        quantile: options.quantile,
        confidence: options.confidence,
        down_quantile: options.down_quantile,
        rate: options.rate,
        recluster_every: i64::from(options.recluster_every),
        oldest_seconds: options.oldest_seconds,
    }
}

unsafe fn options(given: *const surefill_wait_options) -> Result<WaitOptions> {
    let given = unsafe {
        sized(
            given,
            default_options(),
            ends!(
                surefill_wait_options,
                method,
                attribute,
                components,
                quantile,
                confidence,
                down_quantile,
                rate,
                recluster_every,
                oldest_seconds
            ),
        )?
    };
    Ok(WaitOptions {
        quantile: given.quantile,
        confidence: given.confidence,
        method: WaitMethod::from_number(count(given.method)?)?,
        attribute: Attribute::from_number(count(given.attribute)?)?,
        components: count(given.components)?,
        recluster_every: u32::try_from(given.recluster_every).map_err(|_| Error::OutOfRange)?,
        down_quantile: given.down_quantile,
        rate: given.rate,
        oldest_seconds: given.oldest_seconds,
    })
}

fn features(requested: i64, processors: i32) -> Result<Features> {
    Ok(Features { requested, processors: count(processors)? })
}

/// The wait predictor behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn waits<'a>(handle: *const surefill_wait) -> Result<WaitPredictor<'a>> {
    unsafe { object(handle) }
}

/// One of SUREFILL_ANSWER_ and a bound, -1 where there is none.
fn parts(found: WaitAnswer) -> (i32, i64) {
    match found {
        WaitAnswer::Bound(seconds) => (SUREFILL_ANSWER_BOUND, seconds),
        WaitAnswer::TooLittleHistory => (SUREFILL_ANSWER_TOO_LITTLE_HISTORY, -1),
        WaitAnswer::MayBeDown => (SUREFILL_ANSWER_MAY_BE_DOWN, -1),
        WaitAnswer::Exceeded => (SUREFILL_ANSWER_EXCEEDED, -1),
    }
}

/// Asks and writes the answer, having checked that it can be written.
unsafe fn answered(
    answer: *mut i32,
    bound: *mut i64,
    ask: impl FnOnce() -> Result<WaitAnswer>,
) -> Result<()> {
    let (answer, bound) = unsafe { (checked_mut(answer)?, checked_mut(bound)?) };
    (*answer, *bound) = parts(ask()?);
    Ok(())
}

/// Sets the capacity to its defaults: 65,536 waits, 4,096 jobs waiting, 4,096 releases, no clusters, 8,192 situations.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_capacity_init(
    capacity: *mut surefill_wait_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Sets the options to those whose bounds hold: .95 bound of the .95 quantile, AVAILABILITY, ADAPT and VISIBLE. The
/// paper's are TRIM, CLUSTER and AVAILABILITY, for which the capacity must have clusters.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// options points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_options_init(options: *mut surefill_wait_options, size: i64) -> i32 {
    status(unsafe { initialise(options, default_options(), size) })
}

/// Bytes of memory that a wait predictor needs, at most: 80 for each remembered wait (231 with clusters), 160 for each
/// release, 228 for each waiting job (532 with situations), 48 for each situation, and 110,000; 8.3 MB for the default.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_size(capacity: *const surefill_wait_capacity, size: *mut i64) -> i32 {
    status((|| {
        let bytes = WaitPredictor::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a predictor that knows no wait in the caller's memory (length bytes, at least surefill_wait_size, aligned to
/// 8). O(length).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, NOT_A_NUMBER, OUT_OF_RANGE (also when the options' quantile and
/// confidence need more waits than the history holds).
///
/// # Safety
/// memory points to length writable bytes, capacity and options to readable structures of the size they say, wait to a
/// writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_wait_capacity,
    options: *const surefill_wait_options,
    wait: *mut *mut surefill_wait,
) -> i32 {
    status((|| {
        let (capacity, options) = unsafe { (self::capacity(capacity)?, self::options(options)?) };
        unsafe { init(memory, length, wait, |bytes| WaitPredictor::init(bytes, &capacity, &options)) }
    })())
}

/// Makes the block a checkpoint, surefill_wait_size bytes from the handle on, by writing its checksum. Any later call
/// that changes the predictor breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// wait is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_seal(wait: *mut surefill_wait) -> i32 {
    status(unsafe { seal::<WaitPredictor, _>(wait) })
}

/// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_wait_seal left
/// it. It goes on bit for bit as the sealed one would have, in the middle of clustering too. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, wait to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_open(
    memory: *mut c_void,
    length: i64,
    wait: *mut *mut surefill_wait,
) -> i32 {
    status(unsafe { open::<WaitPredictor, _>(memory, length, wait) })
}

/// A job was submitted that requests a number of seconds (0 to SUREFILL_MAX_SECONDS) and processors (not negative).
/// answer is one of SUREFILL_ANSWER_ to the options' own question; bound is the wait's upper bound in seconds, -1 with
/// any answer but BOUND.
///
/// Without VISIBLE: O(log n) for n remembered waits. With it: the 300 nearest of the situations are sorted, and up to
/// 16 waiting jobs are looked at again (each of them about every six hours), for as much each and O(w) for w waiting
/// jobs.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE, DUPLICATE_JOB, FULL.
///
/// # Safety
/// wait is a handle, answer and bound point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_submit(
    wait: *mut surefill_wait,
    job: i64,
    now: i64,
    requested: i64,
    processors: i32,
    answer: *mut i32,
    bound: *mut i64,
) -> i32 {
    status(unsafe {
        answered(answer, bound, || waits(wait)?.submit(job, now, &features(requested, processors)?))
    })
}

/// A waiting job was started: its wait becomes history; waited is that in seconds.
///
/// O(log n), and while jobs are clustered again 64 + 4 history / recluster_every steps of O(log n). With VISIBLE also:
/// waiting jobs are looked at as by surefill_wait_submit; and for the job itself and each time that it was looked at
/// while it waited, a regression on 48 terms learns in 48^2 steps, and up to all situations move by one place in
/// memory.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time), UNKNOWN_JOB.
///
/// # Safety
/// wait is a handle, waited points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_start(
    wait: *mut surefill_wait,
    job: i64,
    now: i64,
    waited: *mut i64,
) -> i32 {
    status((|| {
        let (waited, mut waits) = unsafe { (checked_mut(waited)?, waits(wait)?) };
        *waited = waits.start(job, now)?;
        Ok(())
    })())
}

/// A waiting job was cancelled: nothing is learnt. O(log n); with VISIBLE waiting jobs are looked at as by
/// surefill_wait_submit.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, TIME_WENT_BACK, OUT_OF_RANGE (time), UNKNOWN_JOB.
///
/// # Safety
/// wait is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_cancel(wait: *mut surefill_wait, job: i64, now: i64) -> i32 {
    status((|| unsafe { waits(wait)? }.cancel(job, now))())
}

/// A wait known from elsewhere, in seconds (0 to SUREFILL_MAX_SECONDS), of a job that requested this many seconds and
/// processors: as if it had been submitted and started, but without time passing. Costs as surefill_wait_start.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// wait is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_known(
    wait: *mut surefill_wait,
    seconds: i64,
    requested: i64,
    processors: i32,
) -> i32 {
    status((|| unsafe { waits(wait)? }.known(seconds, &features(requested, processors)?))())
}

/// Sets the clock right: from now on it is now, whatever time an event had. To go on is to learn of an event. To go
/// back, what was reported as later counts as having happened now, and jobs are given up anew by the new time. O((w +
/// n) log w) for w waiting jobs and n times that they were looked at.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (time).
///
/// # Safety
/// wait is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_set_clock(wait: *mut surefill_wait, now: i64) -> i32 {
    status((|| unsafe { waits(wait)? }.set_clock(now))())
}

/// The jobs that it holds, those given up included, the oldest first: held is how many there are, written how many of
/// them are written to jobs, which has room for capacity. None of them runs: started and running are 0. O(written).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (capacity).
///
/// # Safety
/// wait is a handle, jobs points to capacity writable structures of the size that the first says, written and held
/// point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_wait_jobs(
    wait: *const surefill_wait,
    jobs: *mut surefill_held_job,
    capacity: i32,
    written: *mut i32,
    held: *mut i32,
) -> i32 {
    status(unsafe {
        with_object(wait, |waits: WaitPredictor| {
            let (written, held) = (checked_mut(written)?, checked_mut(held)?);
            let each = waits.held().map(|job| {
                let asked = [job.features.requested, i64::from(job.features.processors)];
                let (key_count, keys) = held_keys(&asked);
                surefill_held_job {
                    struct_size: 0,
                    running: 0,
                    job: job.id,
                    submitted: job.submitted,
                    started: 0,
                    given_up: i32::from(job.given_up),
                    key_count,
                    keys,
                }
            });
            *written = write_held(jobs, capacity, each)?;
            *held = i32::try_from(waits.queued()).map_err(|_| Error::Corrupt)?;
            Ok(())
        })
    })
}
