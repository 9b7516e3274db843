//! The scheduling pass on a machine of nodes.
//!
//! Which candidates may start though the head job has to wait, and on which nodes? Running jobs' run times are drawn
//! together in scenarios, each is played forward until the head job fits, and every candidate is judged on the same
//! scenarios with it still there. A delay comes with a half-width, and there are more scenarios only while delay and
//! threshold are not apart. Pools of whole, like nodes are better served by surefill_pass, which is exact.
//!
//! ```c
//! static int64_t machine[1 << 12], memory[1 << 16];
//! const int32_t cores[] = {8};
//! surefill_nodes_capacity capacity;
//! surefill_node_pass_capacity pass_capacity;
//! surefill_request half, whole;
//! surefill_part part = {0, 1};
//! surefill_rule rule;
//! surefill_nodes *nodes;
//! surefill_node_pass *pass;
//! int32_t kind, first, job, started, step, candidate;
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
//! surefill_node_pass_capacity_init(&pass_capacity);
//! pass_capacity.nodes = 2;
//! pass_capacity.running = pass_capacity.candidates = pass_capacity.parts = 8;
//! surefill_node_pass_init(memory, sizeof memory, &pass_capacity, &pass);
//! surefill_node_pass_begin(pass, nodes, 1000000, 7, &whole, 900);
//! surefill_node_pass_add_running(pass, nodes, job, 600, 7200, NULL, NULL);
//! surefill_node_pass_add_candidate(pass, nodes, &half, SUREFILL_FIT_APART, 3600, NULL, NULL);
//! surefill_rule_init(&rule);
//! do {
//!     surefill_node_pass_decide(pass, nodes, &rule, 1000000, &step, &candidate);
//!     if (step == SUREFILL_STEP_ACCEPT) surefill_node_pass_commit(pass, nodes, candidate, &started);
//! } while (step != SUREFILL_STEP_DONE);
//! ```

use super::super::block::{init, object, write_size};
use super::super::distribution::{surefill_distribution, view_or_limit};
use super::super::pass::{given_rule, optional, surefill_rule};
use super::super::sized::{ends, initialise, sized};
use super::super::status::{SUREFILL_STEP_ACCEPT, SUREFILL_STEP_DONE, SUREFILL_STEP_MORE};
use super::super::{checked_mut, count, status};
use super::{
    fit, known, parts, parts_mut, request, signed, surefill_nodes, surefill_part, surefill_request, written,
};
use crate::backfill::Step;
use crate::error::{Error, Result};
use crate::nodes::{NodePass, NodePassCapacity, NodePassOptions};
use core::ffi::c_void;

/// Capacities of a pass on a machine of nodes. Set by surefill_node_pass_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_node_pass_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Nodes of the machine (1 to 65,536).
    pub nodes: i32,
    /// Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts.
    pub resources: i32,
    /// Running jobs (0 to 1,048,576).
    pub running: i32,
    /// Candidates (0 to 1,048,576).
    pub candidates: i32,
    /// Nodes of the candidates that fit, together: the tasks of each, or the machine's nodes where these are fewer (0
    /// to 16,777,216).
    pub parts: i32,
    /// Bins of the distributions (1 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    pub events_per_bin: i32,
}

/// One scheduling pass on a machine of nodes: begin, add running jobs and candidates, decide and commit until it is
/// done, then begin again. Jobs on the machine that are not added as running hold what they have beyond all scenarios.
/// From begin to the end of its decisions the machine may change by surefill_node_pass_commit only: else calls give
/// WRONG_STATE. Candidates are judged in the order in which they were added, numbered from 0.
///
/// Distinct passes are independent; one pass and its machine need one thread, or the caller's lock. The block holds no
/// pointers.
#[allow(non_camel_case_types)]
pub struct surefill_node_pass {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_node_pass_capacity {
    let NodePassCapacity { nodes, resources, running, candidates, parts, bins, events_per_bin } =
        NodePassCapacity::default();
    surefill_node_pass_capacity {
        struct_size: size_of::<surefill_node_pass_capacity>() as u32,
        nodes: nodes as i32,
        resources: resources as i32,
        running: running as i32,
        candidates: candidates as i32,
        parts: parts as i32,
        bins: bins as i32,
        events_per_bin: events_per_bin as i32,
    }
}

unsafe fn capacity(given: *const surefill_node_pass_capacity) -> Result<NodePassCapacity> {
    let given = unsafe {
        sized(
            given,
            default_capacity(),
            ends!(
                surefill_node_pass_capacity,
                nodes,
                resources,
                running,
                candidates,
                parts,
                bins,
                events_per_bin
            ),
        )?
    };
    Ok(NodePassCapacity {
        nodes: count(given.nodes)?,
        resources: count(given.resources)?,
        running: count(given.running)?,
        candidates: count(given.candidates)?,
        parts: count(given.parts)?,
        bins: count(given.bins)?,
        events_per_bin: count(given.events_per_bin)?,
    })
}

/// The pass behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn pass<'a>(handle: *const surefill_node_pass) -> Result<NodePass<'a>> {
    unsafe { object(handle) }
}

fn index(number: i32) -> Result<usize> {
    usize::try_from(number).map_err(|_| Error::NoSuchIndex)
}

/// Sets the capacity to its defaults: 1,024 nodes with 3 kinds of resource, 1,024 running jobs, 256 candidates on 4,096
/// nodes, 32 bins of 4 events.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_capacity_init(
    capacity: *mut surefill_node_pass_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Bytes of memory that a pass needs: for n nodes with k kinds of resource, R running jobs, Q candidates with p parts
/// and b bins of e events at most 24 (R + Q + 1) b e + (56 + 4 k) n + 692 R + 924 Q + 24 p + 82,000.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_size(
    capacity: *const surefill_node_pass_capacity,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = NodePass::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a pass in the caller's memory (length bytes, at least surefill_node_pass_size, aligned to 8). O(1).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, pass to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_node_pass_capacity,
    pass: *mut *mut surefill_node_pass,
) -> i32 {
    status(unsafe { init(memory, length, pass, |bytes| NodePass::init(bytes, &self::capacity(capacity)?)) })
}

/// Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) for a head job that does not fit the
/// machine now and has waited for head_waited seconds (0 to SUREFILL_MAX_SECONDS; the rule's guard and slip ask for
/// it). At most 256 scenarios are played, and half-widths hold with .95 confidence, all looks at a candidate together.
/// Forgets what the last pass held, except what is spent if it was for the same head job. O(nodes).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for a machine with more nodes or
/// other resources than the capacity says), SPAN_TOO_LONG, HEAD_FITS.
///
/// # Safety
/// pass and nodes are handles, head points to a readable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_begin(
    pass: *mut surefill_node_pass,
    nodes: *const surefill_nodes,
    now: i64,
    head_id: i64,
    head: *const surefill_request,
    head_waited: i64,
) -> i32 {
    status((|| {
        let (mut pass, nodes) = unsafe { (self::pass(pass)?, super::nodes(nodes)?) };
        let head = unsafe { request(head)? };
        crate::runtime::check_span(head_waited)?;
        pass.begin(&nodes, now, head_id, &head, &NodePassOptions::default())?;
        pass.set_head_waited(head_waited)
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
/// pass and nodes are handles, distribution is a handle or NULL, index points to a writable number or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_add_running(
    pass: *mut surefill_node_pass,
    nodes: *const surefill_nodes,
    job: i32,
    age: i64,
    limit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let (mut pass, nodes) = unsafe { (self::pass(pass)?, super::nodes(nodes)?) };
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || pass.add_running_by(&nodes, known(job)?, age, limit, runtime))
    })())
}

/// Adds a candidate for backfilling behind those added before: its request, by which of SUREFILL_FIT_ nodes are found
/// for it, its time limit in seconds and its predicted run time; NULL when nothing is known but the limit.
/// The nodes are found anew when an earlier candidate has been given some of them. index is its number, from 0; it may
/// be NULL. O(nodes + bins x events per bin).
///
/// Errors: as surefill_node_pass_add_running, but UNKNOWN_JOB; FULL also for more nodes of candidates than the capacity
/// has parts.
///
/// # Safety
/// As surefill_node_pass_add_running; request points to a readable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_add_candidate(
    pass: *mut surefill_node_pass,
    nodes: *const surefill_nodes,
    request: *const surefill_request,
    fit: i32,
    limit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let (mut pass, nodes) = unsafe { (self::pass(pass)?, super::nodes(nodes)?) };
        let (request, fit) = (unsafe { self::request(request)? }, self::fit(fit)?);
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || pass.add_candidate_by(&nodes, &request, fit, limit, runtime))
    })())
}

/// Adds a candidate with the caller's own placement, count parts in increasing order of nodes. When an earlier
/// candidate has been given some of these nodes, it does not fit any more. index is its number, from 0; it may be NULL.
/// O(parts + bins x events per bin).
///
/// Errors: as surefill_node_pass_add_candidate and surefill_nodes_allocate.
///
/// # Safety
/// As surefill_node_pass_add_candidate; parts points to count readable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_add_placed(
    pass: *mut surefill_node_pass,
    nodes: *const surefill_nodes,
    request: *const surefill_request,
    parts: *const surefill_part,
    count: i32,
    limit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let (mut pass, nodes) = unsafe { (self::pass(pass)?, super::nodes(nodes)?) };
        let (request, parts) = unsafe { (self::request(request)?, self::parts(parts, count)?) };
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || pass.add_placed_by(&nodes, &request, parts, limit, runtime))
    })())
}

/// Decides until a candidate is accepted, all are decided, or about work steps are done (at least 1; a step is an end
/// of a running job, a node that one gives back, or a part of a candidate; one scenario is never interrupted, nor is
/// opening a window of candidates: 33 scenarios and O(nodes) for each). step is one of SUREFILL_STEP_; candidate is the
/// accepted candidate's number, -1 for the other steps. What is decided does not depend on work. The rule may change
/// only where a decision is complete, not after MORE.
///
/// A scenario costs O(R log R + n + p) for R running jobs, n nodes and p parts of jobs, and with the criteria SECONDS
/// and RELATIVE one look at each candidate that keeps the head job waiting at each later end of a running job. After
/// a commit the candidates behind it are looked at again, by scenarios that are kept.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also for the criterion
/// BOUND, which is not known here), WRONG_STATE (no pass has begun, an accepted candidate waits for its commit, the
/// rule changed after MORE, or the machine has changed).
///
/// # Safety
/// pass and nodes are handles, rule points to a readable structure of the size it says, step and candidate to writable
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_decide(
    pass: *mut surefill_node_pass,
    nodes: *const surefill_nodes,
    rule: *const surefill_rule,
    work: i64,
    step: *mut i32,
    candidate: *mut i32,
) -> i32 {
    status((|| {
        let (mut pass, nodes) = unsafe { (self::pass(pass)?, super::nodes(nodes)?) };
        let rule = unsafe { given_rule(rule)? };
        let work = u64::try_from(work).ok().filter(|&work| work > 0).ok_or(Error::OutOfRange)?;
        let (step, candidate) = unsafe { (checked_mut(step)?, checked_mut(candidate)?) };
        (*step, *candidate) = match pass.decide(&nodes, &rule, work)? {
            Step::Accept(index) => (SUREFILL_STEP_ACCEPT, written(index)?),
            Step::More => (SUREFILL_STEP_MORE, -1),
            Step::Done => (SUREFILL_STEP_DONE, -1),
        };
        Ok(())
    })())
}

/// Starts the accepted candidate on its nodes: a running job of the machine from now on, with the handle job, its delay
/// spent. A forecast that begins later does not see that it runs: surefill_node_forecast_add_running says it with this
/// handle, or the job holds its nodes in all scenarios. Where it could not be started after all, begin again without
/// it. O(candidates).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE, NO_SUCH_INDEX (not the accepted one),
/// FULL (no room on the machine for another job).
///
/// # Safety
/// pass and nodes are handles, job points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_commit(
    pass: *mut surefill_node_pass,
    nodes: *mut surefill_nodes,
    candidate: i32,
    job: *mut i32,
) -> i32 {
    status((|| {
        let (mut pass, mut nodes) = unsafe { (self::pass(pass)?, super::nodes(nodes)?) };
        let job = unsafe { checked_mut(job)? };
        *job = signed(pass.commit(&mut nodes, index(candidate)?)?)?;
        Ok(())
    })())
}

/// A candidate's verdict so far: the delay of the head job in the criterion's unit (0 while not judged), how far that
/// may be from what infinitely many scenarios would say, the scenarios on which it rests, and one of SUREFILL_VERDICT_.
/// O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX.
///
/// # Safety
/// pass is a handle, the others point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_judgement(
    pass: *const surefill_node_pass,
    candidate: i32,
    delay: *mut f64,
    half_width: *mut f64,
    scenarios: *mut i32,
    verdict: *mut i32,
) -> i32 {
    status((|| {
        let judgement = unsafe { self::pass(pass)? }.judgement(index(candidate)?)?;
        let (delay, half_width) = unsafe { (checked_mut(delay)?, checked_mut(half_width)?) };
        let (scenarios, verdict) = unsafe { (checked_mut(scenarios)?, checked_mut(verdict)?) };
        (*delay, *half_width) = (judgement.delay, judgement.half_width);
        (*scenarios, *verdict) = (signed(judgement.scenarios)?, judgement.verdict as i32);
        Ok(())
    })())
}

/// Where a candidate is judged to be: count parts in increasing order of nodes, for which there must be room; none as
/// long as it is not placed, or where it does not fit. O(parts).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (room), NO_SUCH_INDEX, FULL (room).
///
/// # Safety
/// pass is a handle, parts points to room writable ones, count to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_node_pass_placement(
    pass: *const surefill_node_pass,
    candidate: i32,
    parts: *mut surefill_part,
    room: i32,
    count: *mut i32,
) -> i32 {
    status((|| {
        let pass = unsafe { self::pass(pass)? };
        let (parts, count) = unsafe { (parts_mut(parts, room)?, checked_mut(count)?) };
        *count = written(pass.placement(index(candidate)?, parts)?)?;
        Ok(())
    })())
}
