//! Starts of waiting jobs on a machine of nodes: the queue played forward.
//!
//! When will each waiting job start on nodes that jobs share? As surefill_forecast, with the nodes saying what fits: in
//! every scenario each job has one run time, and each waiting job is put where surefill_nodes_place would put it. What
//! the answers mean is said there. More than one reservation is not played on nodes.
//!
//! ```c
//! static int64_t machine[1 << 12], memory[1 << 16];
//! const int32_t cores[] = {8};
//! surefill_nodes_capacity capacity;
//! surefill_node_forecast_capacity forecast_capacity;
//! surefill_forecast_options options;
//! surefill_request half, whole;
//! surefill_part part = {0, 1};
//! surefill_nodes *nodes;
//! surefill_node_forecast *forecast;
//! double probability, half_width;
//! int64_t bytes, when;
//! int32_t kind, first, job, step;
//! surefill_nodes_capacity_init(&capacity);
//! capacity.nodes = 2;
//! capacity.jobs = capacity.parts = 8;
//! surefill_nodes_init(machine, sizeof machine, &capacity, &nodes);
//! surefill_nodes_add_class(nodes, 0, cores, 1, &kind);
//! surefill_nodes_add_nodes(nodes, kind, 2, &first);
//! surefill_request_init(&half);
//! half.each[0] = 4;
//! surefill_nodes_allocate(nodes, &half, &part, 1, &job);
//! surefill_request_init(&whole);
//! whole.count = 2;
//! whole.each[0] = 8;
//! surefill_node_forecast_capacity_init(&forecast_capacity);
//! forecast_capacity.nodes = 2;
//! forecast_capacity.running = forecast_capacity.waiting = forecast_capacity.parts = 8;
//! surefill_node_forecast_size(&forecast_capacity, &bytes);
//! surefill_node_forecast_init(memory, sizeof memory, &forecast_capacity, &forecast);
//! surefill_forecast_options_init(&options);
//! surefill_node_forecast_begin(forecast, nodes, 1000000, &options);
//! surefill_node_forecast_add_running(forecast, nodes, job, 600, 7200, NULL, NULL);
//! surefill_node_forecast_add_waiting(forecast, nodes, &whole, SUREFILL_FIT_BEST, 16, 3600, 999000, NULL, NULL);
//! do {
//!     surefill_node_forecast_run(forecast, nodes, 100000, &step);
//! } while (step == SUREFILL_STEP_MORE);
//! surefill_node_forecast_start_quantile(forecast, 0, 0.9, &when, &half_width);
//! surefill_node_forecast_start_probability(forecast, 0, 1010000, &probability, &half_width);
//! ```

use super::super::block::{init, object, write_size};
use super::super::distribution::{surefill_distribution, view_or_limit};
use super::super::forecast::{options, surefill_forecast_options, tell, tell_progress};
use super::super::pass::optional;
use super::super::sized::{ends, initialise, sized};
use super::super::{count, status};
use super::{fit, known, request, surefill_nodes, surefill_request};
use crate::error::{Error, Result};
use crate::nodes::{NodeForecast, NodeForecastCapacity};
use core::ffi::c_void;

/// Capacities of a forecast on a machine of nodes. Set by surefill_node_forecast_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_node_forecast_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Nodes of the machine (1 to 65,536).
    pub nodes: i32,
    /// Classes of like nodes (1 to 65,536).
    pub classes: i32,
    /// Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts.
    pub resources: i32,
    /// Running jobs (0 to 1,048,576).
    pub running: i32,
    /// Waiting jobs (0 to 1,048,576).
    pub waiting: i32,
    /// Nodes of the waiting jobs, together: the tasks of each, or the machine's nodes where these are fewer (0 to
    /// 16,777,216).
    pub parts: i32,
    /// Bins of the distributions (1 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    pub events_per_bin: i32,
    /// Scenarios (2 to SUREFILL_MAX_SCENARIOS).
    pub scenarios: i32,
}

/// When all waiting jobs will start on a machine of nodes: begin, add running jobs and, in the order of the queue,
/// waiting jobs, run until it is done, then ask. Jobs on the machine that are not added as running hold what they have
/// in all scenarios. From begin to the end of the run the machine may not change: else calls give WRONG_STATE. Waiting
/// jobs are numbered from 0 in the order in which they were added. On whole, like nodes with one task on each the
/// answers are those of surefill_forecast, bit for bit.
///
/// Distinct forecasts are independent; one forecast and its machine need one thread, or the caller's lock. The block
/// holds no pointers.
#[allow(non_camel_case_types)]
pub struct surefill_node_forecast {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_node_forecast_capacity {
    let NodeForecastCapacity {
        nodes,
        classes,
        resources,
        running,
        waiting,
        parts,
        bins,
        events_per_bin,
        scenarios,
        ..
    } = NodeForecastCapacity::default();
    surefill_node_forecast_capacity {
        struct_size: size_of::<surefill_node_forecast_capacity>() as u32,
        nodes: nodes as i32,
        classes: classes as i32,
        resources: resources as i32,
        running: running as i32,
        waiting: waiting as i32,
        parts: parts as i32,
        bins: bins as i32,
        events_per_bin: events_per_bin as i32,
        scenarios: scenarios as i32,
    }
}

unsafe fn capacity(given: *const surefill_node_forecast_capacity) -> Result<NodeForecastCapacity> {
    let given = unsafe {
        sized(
            given,
            default_capacity(),
            ends!(
                surefill_node_forecast_capacity,
                nodes,
                classes,
                resources,
                running,
                waiting,
                parts,
                bins,
                events_per_bin,
                scenarios
            ),
        )?
    };
    Ok(NodeForecastCapacity {
        nodes: count(given.nodes)?,
        classes: count(given.classes)?,
        resources: count(given.resources)?,
        running: count(given.running)?,
        waiting: count(given.waiting)?,
        parts: count(given.parts)?,
        bins: count(given.bins)?,
        events_per_bin: count(given.events_per_bin)?,
        scenarios: count(given.scenarios)?,
        reserved: 0,
    })
}

/// The forecast behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn forecast<'a>(handle: *const surefill_node_forecast) -> Result<NodeForecast<'a>> {
    unsafe { object(handle) }
}

fn index(number: i32) -> Result<usize> {
    usize::try_from(number).map_err(|_| Error::NoSuchIndex)
}

/// Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 1,024 running jobs, 256
/// waiting ones on 4,096 nodes, 32 bins of 4 events, 200 scenarios.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_capacity_init(
    capacity: *mut surefill_node_forecast_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Bytes of memory that a forecast needs: what surefill_forecast_size says for as many jobs, bins and scenarios, and
/// for n nodes with r kinds of resource, c classes, R running and W waiting jobs with p nodes together at most
/// (68 + 8 r) n + 208 c + 4 R + 112 W + 8 p + 900 more.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_size(
    capacity: *const surefill_node_forecast_capacity,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = NodeForecast::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a forecast in the caller's memory (length bytes, at least surefill_node_forecast_size, aligned to 8). O(1).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, forecast to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_node_forecast_capacity,
    forecast: *mut *mut surefill_node_forecast,
) -> i32 {
    status(unsafe {
        init(memory, length, forecast, |bytes| NodeForecast::init(bytes, &self::capacity(capacity)?))
    })
}

/// Begins a forecast at time now (seconds since any fixed origin, within 2^53 of it). The options are those of
/// surefill_forecast, with at most one reservation. Forgets what the last forecast held. O(nodes + classes).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also for a machine with
/// more nodes or classes, or other resources, than the capacity says).
///
/// # Safety
/// forecast and nodes are handles, options points to a readable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_begin(
    forecast: *mut surefill_node_forecast,
    nodes: *const surefill_nodes,
    now: i64,
    options: *const surefill_forecast_options,
) -> i32 {
    status((|| {
        let (mut forecast, nodes) = unsafe { (self::forecast(forecast)?, super::nodes(nodes)?) };
        forecast.begin(&nodes, now, &unsafe { self::options(options)? })
    })())
}

/// Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
/// SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. Each job is
/// added once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL. O(bins x
/// events per bin).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, SPAN_TOO_LONG, UNKNOWN_JOB, FULL (also
/// for more bins than the capacity has), WRONG_STATE.
///
/// # Safety
/// forecast and nodes are handles, distribution is a handle or NULL, index points to a writable number or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_add_running(
    forecast: *mut surefill_node_forecast,
    nodes: *const surefill_nodes,
    job: i32,
    age: i64,
    limit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let (mut forecast, nodes) = unsafe { (self::forecast(forecast)?, super::nodes(nodes)?) };
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || forecast.add_running_by(&nodes, known(job)?, age, limit, runtime))
    })())
}

/// Adds a waiting job behind those added before: its request, by which of SUREFILL_FIT_ nodes are found for it, how
/// many processors the priorities of the options count for it, its time limit in seconds (0 to SUREFILL_MAX_SECONDS),
/// when it was submitted (a submission ahead counts as for surefill_forecast), and its predicted run time;
/// NULL when nothing is known but the limit. With SUREFILL_FIT_APART those nodes come last on which the head job finds
/// room when it is planned to start. index is its number, from 0; it may be NULL. O(bins x events per bin).
///
/// Errors: as surefill_node_forecast_add_running, but UNKNOWN_JOB; FULL also for more nodes of waiting jobs than the
/// capacity has parts.
///
/// # Safety
/// As surefill_node_forecast_add_running; request points to a readable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_add_waiting(
    forecast: *mut surefill_node_forecast,
    nodes: *const surefill_nodes,
    request: *const surefill_request,
    fit: i32,
    processors: i32,
    limit: i64,
    submit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let (mut forecast, nodes) = unsafe { (self::forecast(forecast)?, super::nodes(nodes)?) };
        let (request, fit) = (unsafe { self::request(request)? }, self::fit(fit)?);
        let runtime = unsafe { view_or_limit(distribution)? };
        let processors = count(processors)?;
        optional(index, || forecast.add_waiting_by(&nodes, &request, fit, processors, limit, submit, runtime))
    })())
}

/// Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or about work steps are done (SUREFILL_STEP_MORE;
/// work is at least 1; one instant of a scenario is never interrupted). A step is an event, a job looked at, or eight
/// nodes looked at.
///
/// A scenario costs what it costs in surefill_forecast, O(nodes) for each job that is looked for room, and O(nodes +
/// parts of the running jobs) at each instant at which a job might overtake; a job that found no room is looked at
/// again only when a node has become free on which one of its tasks finds room.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, WRONG_STATE (no forecast has begun, or
/// the machine has changed).
///
/// # Safety
/// forecast and nodes are handles, step points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_run(
    forecast: *mut surefill_node_forecast,
    nodes: *const surefill_nodes,
    work: i64,
    step: *mut i32,
) -> i32 {
    status((|| {
        let (mut forecast, nodes) = unsafe { (self::forecast(forecast)?, super::nodes(nodes)?) };
        unsafe { tell_progress(step, work, |work| forecast.run(&nodes, work)) }
    })())
}

/// The quantile of a job's start, see surefill_forecast_start_quantile; NEVER for a job that finds no room when all
/// running jobs have ended. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE (not done
/// yet), NO_SUCH_INDEX, NEVER.
///
/// # Safety
/// forecast is a handle, when and half_width point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_start_quantile(
    forecast: *const surefill_node_forecast,
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

/// The probability of a job's start, see surefill_forecast_start_probability. O(log scenarios).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE (not done yet), NO_SUCH_INDEX.
///
/// # Safety
/// forecast is a handle, probability and half_width point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_forecast_start_probability(
    forecast: *const surefill_node_forecast,
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
