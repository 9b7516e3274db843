//! Starts of waiting jobs: the queue played forward.
//!
//! When will each waiting job start? In every scenario each job has one run time, drawn from its predicted
//! distribution, and the queue is played forward under the policy in force until everything that waits has started. A
//! job's starts over all scenarios are its forecast. Jobs that arrive later are not foreseen, except those that are
//! added with a time of submission ahead; predictions of run times are taken as true, and what of them lies beyond a
//! job's limit ends at the limit.
//!
//! ```c
//! static int64_t memory[1 << 20];
//! surefill_forecast_capacity capacity;
//! surefill_forecast_options options;
//! surefill_forecast *forecast;
//! int64_t when, bytes;
//! double half_width;
//! int32_t step;
//! surefill_forecast_capacity_init(&capacity);
//! capacity.running = capacity.waiting = 8;
//! surefill_forecast_options_init(&options);
//! surefill_forecast_size(&capacity, &bytes);
//! surefill_forecast_init(memory, sizeof memory, &capacity, &forecast);
//! surefill_forecast_begin(forecast, 1000000, 16, &options);
//! surefill_forecast_add_running(forecast, 32, 600, 7200, NULL, NULL);
//! surefill_forecast_add_waiting(forecast, 48, 3600, 999000, NULL, NULL);
//! do {
//!     surefill_forecast_run(forecast, 100000, &step);
//! } while (step == SUREFILL_STEP_MORE);
//! surefill_forecast_start_quantile(forecast, 0, 0.9, &when, &half_width);
//! ```

use super::block::{init, object, write_size};
use super::distribution::{surefill_distribution, view_or_limit};
use super::pass::optional;
use super::sized::{ends, initialise, sized};
use super::status::{SUREFILL_STEP_DONE, SUREFILL_STEP_MORE};
use super::{checked_mut, count, status};
use crate::error::{Error, Result};
use crate::forecast::{
    CandidateOrder, Estimate, Forecast, ForecastCapacity, ForecastOptions, MAX_SCENARIOS, Plans, Policy,
    Progress,
};
use crate::schedule::Priority;
use core::ffi::c_void;

/// The most scenarios of a forecast.
pub const SUREFILL_MAX_SCENARIOS: i32 = 65_536;

/// Policy: first come, first served.
pub const SUREFILL_POLICY_FCFS: i32 = 0;
/// Policy: backfilling around the reservations of the first waiting jobs.
pub const SUREFILL_POLICY_BACKFILL: i32 = 1;

/// Order of the jobs behind the reservations: the queue's.
pub const SUREFILL_ORDER_QUEUE: i32 = 0;
/// Order of the jobs behind the reservations: shortest predicted median first, equal ones in the order in which they
/// were added.
pub const SUREFILL_ORDER_SHORTEST: i32 = 1;
/// Order of the jobs behind the reservations: by the priority of the options' candidate_ members, anew in each pass.
pub const SUREFILL_ORDER_PRIORITY: i32 = 2;

/// Plans: the policy expects jobs to end at their limits.
pub const SUREFILL_PLANS_LIMITS: i32 = 0;
/// Plans: the policy expects jobs to end at the median of their distribution; one that outlives it, at its limit.
pub const SUREFILL_PLANS_MEDIANS: i32 = 1;

const _: () = assert!(SUREFILL_MAX_SCENARIOS as u32 == MAX_SCENARIOS);
const _: () = assert!(SUREFILL_POLICY_FCFS as u32 == Policy::Fcfs as u32);
const _: () = assert!(SUREFILL_POLICY_BACKFILL as u32 == Policy::Backfill as u32);
const _: () = assert!(SUREFILL_ORDER_QUEUE as u32 == CandidateOrder::Queue as u32);
const _: () = assert!(SUREFILL_ORDER_SHORTEST as u32 == CandidateOrder::Shortest as u32);
const _: () = assert!(SUREFILL_ORDER_PRIORITY as u32 == CandidateOrder::Priority as u32);
const _: () = assert!(SUREFILL_PLANS_LIMITS as u32 == Plans::Limits as u32);
const _: () = assert!(SUREFILL_PLANS_MEDIANS as u32 == Plans::Medians as u32);

/// Capacities of a forecast. Set by surefill_forecast_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_forecast_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Running jobs (0 to 1,048,576).
    pub running: i32,
    /// Waiting jobs (0 to 1,048,576).
    pub waiting: i32,
    /// Processors of the machine (1 to 16,777,216).
    pub processors: i32,
    /// Bins of the distributions (1 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    pub events_per_bin: i32,
    /// Scenarios (2 to SUREFILL_MAX_SCENARIOS).
    pub scenarios: i32,
}

/// Options of a forecast. Set by surefill_forecast_options_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_forecast_options {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_POLICY_.
    pub policy: i32,
    /// With BACKFILL: how many of the first waiting jobs hold a reservation that what is planned may not disturb (0 to
    /// 1,048,576). None is list scheduling, 1 is EASY, all is conservative backfilling with reservations made anew at
    /// every instant.
    pub reservations: i32,
    /// One of SUREFILL_ORDER_: in which order the jobs behind the reservations are tried.
    pub order: i32,
    /// One of SUREFILL_PLANS_: when the policy expects jobs to end.
    pub plans: i32,
    /// Number of scenarios that are played (2 to the capacity).
    pub scenarios: i32,
    /// The seed of the run times; any number.
    pub seed: i64,
    /// The confidence of the half-widths (above 0, below 1).
    pub confidence: f64,
    /// The queue's order, anew in each pass: smaller values of median^run_time x processors^processors /
    /// (1 + waited / age_unit)^age first, with the forecast's median of the run time in seconds, at least 10. With no
    /// power but 0 and an infinite front it is the order in which waiting jobs are added, which also decides between
    /// equal ones. This is the power of the run time (-8 to 8), above 0 for short jobs first.
    pub queue_run_time: f64,
    /// The power of the processors (-8 to 8), below 0 for wide jobs first.
    pub queue_processors: f64,
    /// The wait that counts as one, in seconds, above 0.
    pub queue_age_unit: f64,
    /// The power of the age (0 to 8).
    pub queue_age: f64,
    /// With SUREFILL_ORDER_PRIORITY: the candidates' order, likewise.
    pub candidate_run_time: f64,
    /// The power of the processors, see queue_processors.
    pub candidate_processors: f64,
    /// The wait that counts as one, see queue_age_unit.
    pub candidate_age_unit: f64,
    /// The power of the age, see queue_age.
    pub candidate_age: f64,
    /// Jobs that have waited for more seconds come first in the queue, by submission; not negative, infinite
    /// for never.
    pub front: f64,
    /// With one reservation: a candidate may also start that is planned to delay the head job by less than this part of
    /// what the head job still has to wait; not negative, 0 for none.
    pub slack: f64,
}

/// When all waiting jobs of one pool of interchangeable processors will start: begin, add running jobs and, in the
/// order of the queue, waiting jobs, run until it is done, then ask. Waiting jobs are numbered from 0 in the order in
/// which they were added.
///
/// Run times are drawn by Latin hypercube sampling from an integer hash (SplitMix64's finaliser): the same input gives
/// the same bits on every machine, however the work is sliced.
///
/// Distinct forecasts are independent; one forecast needs one thread, or the caller's lock. The block holds no
/// pointers.
#[allow(non_camel_case_types)]
pub struct surefill_forecast {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_forecast_capacity {
    let ForecastCapacity { running, waiting, processors, bins, events_per_bin, scenarios } =
        ForecastCapacity::default();
    surefill_forecast_capacity {
        struct_size: size_of::<surefill_forecast_capacity>() as u32,
        running: running as i32,
        waiting: waiting as i32,
        processors: processors as i32,
        bins: bins as i32,
        events_per_bin: events_per_bin as i32,
        scenarios: scenarios as i32,
    }
}

unsafe fn capacity(given: *const surefill_forecast_capacity) -> Result<ForecastCapacity> {
    let given = unsafe {
        sized(
            given,
            default_capacity(),
            ends!(surefill_forecast_capacity, running, waiting, processors, bins, events_per_bin, scenarios),
        )?
    };
    Ok(ForecastCapacity {
        running: count(given.running)?,
        waiting: count(given.waiting)?,
        processors: count(given.processors)?,
        bins: count(given.bins)?,
        events_per_bin: count(given.events_per_bin)?,
        scenarios: count(given.scenarios)?,
    })
}

pub(super) fn c_options(options: &ForecastOptions) -> surefill_forecast_options {
    let ForecastOptions { policy, reservations, order, plans, scenarios, seed, confidence, .. } = *options;
    let ForecastOptions { queue, candidates, front, slack, .. } = *options;
    surefill_forecast_options {
        struct_size: size_of::<surefill_forecast_options>() as u32,
        policy: policy as i32,
        reservations: reservations as i32,
        order: order as i32,
        plans: plans as i32,
        scenarios: scenarios as i32,
        seed: seed as i64,
        confidence,
        queue_run_time: queue.run_time,
        queue_processors: queue.processors,
        queue_age_unit: queue.age_unit,
        queue_age: queue.age,
        candidate_run_time: candidates.run_time,
        candidate_processors: candidates.processors,
        candidate_age_unit: candidates.age_unit,
        candidate_age: candidates.age,
        front,
        slack,
    }
}

/// Where members end.
const MEMBERS: &[usize] = ends!(
    surefill_forecast_options,
    policy,
    reservations,
    order,
    plans,
    scenarios,
    seed,
    confidence,
    queue_run_time,
    queue_processors,
    queue_age_unit,
    queue_age,
    candidate_run_time,
    candidate_processors,
    candidate_age_unit,
    candidate_age,
    front,
    slack
);

pub(super) unsafe fn options(given: *const surefill_forecast_options) -> Result<ForecastOptions> {
    let given = unsafe { sized(given, c_options(&ForecastOptions::default()), MEMBERS)? };
    Ok(ForecastOptions {
        policy: Policy::from_number(count(given.policy)?)?,
        reservations: count(given.reservations)?,
        order: CandidateOrder::from_number(count(given.order)?)?,
        plans: Plans::from_number(count(given.plans)?)?,
        scenarios: count(given.scenarios)?,
        seed: given.seed as u64,
        confidence: given.confidence,
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
        front: given.front,
        slack: given.slack,
    })
}

/// The forecast behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn forecast<'a>(handle: *const surefill_forecast) -> Result<Forecast<'a>> {
    unsafe { object(handle) }
}

/// Writes an answer and its half-width.
pub(super) unsafe fn tell<T>(
    value: *mut T,
    half_width: *mut f64,
    answer: impl FnOnce() -> Result<Estimate<T>>,
) -> Result<()> {
    let (value, half_width) = unsafe { (checked_mut(value)?, checked_mut(half_width)?) };
    let answer = answer()?;
    (*value, *half_width) = (answer.value, answer.half_width);
    Ok(())
}

/// Writes what a run has come to.
pub(super) unsafe fn tell_progress(
    step: *mut i32,
    work: i64,
    run: impl FnOnce(u64) -> Result<Progress>,
) -> Result<()> {
    let work = u64::try_from(work).map_err(|_| Error::OutOfRange)?;
    let step = unsafe { checked_mut(step)? };
    *step = match run(work)? {
        Progress::More => SUREFILL_STEP_MORE,
        Progress::Done => SUREFILL_STEP_DONE,
    };
    Ok(())
}

fn index(number: i32) -> Result<usize> {
    usize::try_from(number).map_err(|_| Error::NoSuchIndex)
}

/// Sets the capacity to its defaults: 256 running and 256 waiting jobs, 1,024 processors, 32 bins of 4 events, 200
/// scenarios.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_capacity_init(
    capacity: *mut surefill_forecast_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Sets the options to their defaults: EASY by limits in the order of submission, 200 scenarios of seed 0, half-widths
/// of .95 confidence.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// options points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_options_init(
    options: *mut surefill_forecast_options,
    size: i64,
) -> i32 {
    status(unsafe { initialise(options, c_options(&ForecastOptions::default()), size) })
}

/// Bytes of memory that a forecast needs. With R running jobs, W waiting jobs, b bins of e events and N scenarios this
/// is at most 16 (R + W) b e + 8 W N + 128 R + 256 W + 800.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_size(
    capacity: *const surefill_forecast_capacity,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = Forecast::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a forecast in the caller's memory (length bytes, at least surefill_forecast_size, aligned to 8). O(1).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, forecast to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_forecast_capacity,
    forecast: *mut *mut surefill_forecast,
) -> i32 {
    status(unsafe {
        init(memory, length, forecast, |bytes| Forecast::init(bytes, &self::capacity(capacity)?))
    })
}

/// Begins a forecast at time now (seconds since any fixed origin, within 2^53 of it) with this number of idle
/// processors. Forgets what the last forecast held. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, TOO_MANY_PROCESSORS.
///
/// # Safety
/// forecast is a handle, options points to a readable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_begin(
    forecast: *mut surefill_forecast,
    now: i64,
    idle: i32,
    options: *const surefill_forecast_options,
) -> i32 {
    status((|| {
        let options = unsafe { self::options(options)? };
        unsafe { self::forecast(forecast)? }.begin(now, count(idle)?, &options)
    })())
}

/// Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
/// SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. index is its
/// number, from 0; it may be NULL. O(bins x events per bin).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL,
/// SPAN_TOO_LONG, FULL (also for more bins than the capacity has), WRONG_STATE.
///
/// # Safety
/// forecast is a handle, distribution a handle or NULL, index points to a writable number or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_add_running(
    forecast: *mut surefill_forecast,
    processors: i32,
    age: i64,
    limit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let mut forecast = unsafe { self::forecast(forecast)? };
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || forecast.add_running_by(count(processors)?, age, limit, runtime))
    })())
}

/// Adds a waiting job behind those added before: its processors (at least 1), its time limit in seconds (0 to
/// SUREFILL_MAX_SECONDS), when it was submitted, and its predicted run time; NULL when nothing is known but
/// the limit. A job with a submission ahead (by at most SUREFILL_MAX_SECONDS) joins the queue then, in the order in
/// which it was added: an arrival that is expected, or a job held until then. A job wider than all idle and running
/// processors together never starts, and those behind it go on as if it were not there, under FCFS too. index is its
/// number, from 0; it may be NULL. O(bins x events per bin).
///
/// Errors: as surefill_forecast_add_running.
///
/// # Safety
/// As surefill_forecast_add_running.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_add_waiting(
    forecast: *mut surefill_forecast,
    processors: i32,
    limit: i64,
    submit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let mut forecast = unsafe { self::forecast(forecast)? };
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || forecast.add_waiting_by(count(processors)?, limit, submit, runtime))
    })())
}

/// Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or about work steps are done (SUREFILL_STEP_MORE;
/// work is at least 1; one instant of a scenario is never interrupted). A step is an event, a job looked at, or a step
/// of the profile of reservations, of about a nanosecond each.
///
/// With R running and W waiting jobs a scenario costs O((R + W) log(R + W)); a job that ends moves up to R planned ends
/// by one place, one that arrives up to W queued jobs (so that W arrivals in one second, which are one instant, may
/// cost W^2 steps in one call). At each of its at most R + 2 W + 1 instants at which something fits come a look at the
/// planned ends of the running jobs and one at the queue; with more than one reservation, each of them and each queued
/// job that fits also looks at up to as many steps as jobs run or hold a reservation.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, WRONG_STATE.
///
/// # Safety
/// forecast is a handle, step points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_run(
    forecast: *mut surefill_forecast,
    work: i64,
    step: *mut i32,
) -> i32 {
    status((|| {
        let mut forecast = unsafe { self::forecast(forecast)? };
        unsafe { tell_progress(step, work, |work| forecast.run(work)) }
    })())
}

/// The earliest time by which a waiting job has started with at least this probability (above 0, at most 1), and by how
/// many seconds that may be off because the scenarios are not infinitely many, with the confidence of the options;
/// infinity when they are too few to say. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE (not done
/// yet), NO_SUCH_INDEX, NEVER (the job is wider than all idle and running processors).
///
/// # Safety
/// forecast is a handle, when and half_width point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_start_quantile(
    forecast: *const surefill_forecast,
    job: i32,
    probability: f64,
    when: *mut i64,
    half_width: *mut f64,
) -> i32 {
    status((|| unsafe {
        let forecast = self::forecast(forecast)?;
        tell(when, half_width, || forecast.start_quantile(index(job)?, probability))
    })())
}

/// The probability that a waiting job has started by time when, and by how much that may be off, as for
/// surefill_forecast_start_quantile. O(log scenarios).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE (not done yet), NO_SUCH_INDEX.
///
/// # Safety
/// forecast is a handle, probability and half_width point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_start_probability(
    forecast: *const surefill_forecast,
    job: i32,
    when: i64,
    probability: *mut f64,
    half_width: *mut f64,
) -> i32 {
    status((|| unsafe {
        let forecast = self::forecast(forecast)?;
        tell(probability, half_width, || forecast.start_probability(index(job)?, when))
    })())
}

/// The mean of the seconds that a waiting job still waits, and by how many that may be off, as for
/// surefill_forecast_start_quantile. O(scenarios).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE (not done yet), NO_SUCH_INDEX, NEVER.
///
/// # Safety
/// forecast is a handle, seconds and half_width point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_forecast_start_mean(
    forecast: *const surefill_forecast,
    job: i32,
    seconds: *mut f64,
    half_width: *mut f64,
) -> i32 {
    status((|| unsafe {
        let forecast = self::forecast(forecast)?;
        tell(seconds, half_width, || forecast.start_mean(index(job)?))
    })())
}
