//! The scheduling pass.
//!
//! Which candidates may start though the head job has to wait? One object serves all passes over a pool: begin, add,
//! decide.
//!
//! ```c
//! static int64_t memory[1 << 20];
//! surefill_pass_capacity capacity;
//! surefill_rule rule;
//! surefill_pass *pass;
//! int32_t step, candidate;
//! surefill_pass_capacity_init(&capacity);
//! surefill_rule_init(&rule);
//! surefill_pass_init(memory, sizeof memory, &capacity, &pass);
//! surefill_pass_begin(pass, 1000000, 16, 7, 48, 900);
//! surefill_pass_add_running(pass, 32, 600, 7200, NULL, NULL);
//! surefill_pass_add_candidate(pass, 16, 3600, NULL, NULL);
//! do {
//!     surefill_pass_decide(pass, &rule, 1000000, &step, &candidate);
//!     if (step == SUREFILL_STEP_ACCEPT) surefill_pass_commit(pass, candidate);
//! } while (step != SUREFILL_STEP_DONE);
//! ```

mod head_start;
mod many;
pub use head_start::*;
pub use many::*;

use super::block::{init, object, with_object, write_size};
use super::distribution::{surefill_distribution, view_or_limit};
use super::sized::{ends, initialise, sized};
use super::status::{SUREFILL_STEP_ACCEPT, SUREFILL_STEP_DONE, SUREFILL_STEP_MORE};
use super::{checked_mut, count, status, write};
use crate::backfill::{Criterion, Pass, PassCapacity, Rule, Step};
use crate::error::{Error, Result};
use core::ffi::c_void;

/// Criterion: the exact probability that the candidate delays the head job.
pub const SUREFILL_CRITERION_PROBABILITY: i32 = 0;
/// Criterion: the lower bound of that probability by Nissimov and Feitelson 2007.
pub const SUREFILL_CRITERION_BOUND: i32 = 1;
/// Criterion: the expected delay of the head job in seconds.
pub const SUREFILL_CRITERION_SECONDS: i32 = 2;
/// Criterion: the expected delay divided by the head job's own expected remaining wait.
pub const SUREFILL_CRITERION_RELATIVE: i32 = 3;

/// Verdict: not judged yet.
pub const SUREFILL_VERDICT_UNDECIDED: i32 = 0;
/// Verdict: may start.
pub const SUREFILL_VERDICT_ACCEPTED: i32 = 1;
/// Verdict: its delay reaches the threshold.
pub const SUREFILL_VERDICT_REFUSED: i32 = 2;
/// Verdict: its delay is below the threshold, but the budget or the slip for this head job does not allow it.
pub const SUREFILL_VERDICT_OVER_BUDGET: i32 = 3;
/// Verdict: wider than the idle processors.
pub const SUREFILL_VERDICT_DOES_NOT_FIT: i32 = 4;
/// Verdict: accepted, but not started. Only Rust's passes decline.
pub const SUREFILL_VERDICT_DECLINED: i32 = 5;
/// Verdict: by its time limit it could delay the head job, which has waited so long that it is guarded.
pub const SUREFILL_VERDICT_GUARDED: i32 = 6;
/// Verdict: not judged, for the head job cannot start with what runs, whatever ends (nodes may be down or drained):
/// take another head job, or start what you like.
pub const SUREFILL_VERDICT_HEAD_NEVER: i32 = 7;

/// The delay given is the delay itself, up to rounding.
pub const SUREFILL_DELAY_EXACT: i32 = 0;
/// The delay is at least the one given: refused before everything was added up.
pub const SUREFILL_DELAY_AT_LEAST: i32 = 1;
/// The delay is at most the one given: accepted by a bound, under a rule with unmeasured.
pub const SUREFILL_DELAY_AT_MOST: i32 = 2;
/// More jobs may end in one second than are added up exactly: the delay is an estimate, within about a hundredth for an
/// accepted candidate.
/// A refused one's may be from before everything was added up.
pub const SUREFILL_DELAY_ESTIMATE: i32 = 3;
/// Nothing is known of the delay, and the one given is 0: UNDECIDED, DOES_NOT_FIT, GUARDED and HEAD_NEVER, and accepted
/// by or_easy under a rule with unmeasured.
pub const SUREFILL_DELAY_NOT_MEASURED: i32 = 4;

/// Capacities of a pass. Set by surefill_pass_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_pass_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Running jobs (0 to 1,048,576).
    pub running: i32,
    /// Candidates (0 to 1,048,576).
    pub candidates: i32,
    /// Processors of the machine (1 to 16,777,216).
    pub processors: i32,
    /// Bins of the distributions (1 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN): 4 unless changed.
    pub events_per_bin: i32,
    /// Room for making jobs that may end in one second exact, in cells of 8 bytes (0 to 268,435,456); of larger
    /// groups the narrowest jobs are estimated, within a hundredth at the default.
    pub tie_cells: i32,
}

/// When a candidate is accepted. Set by surefill_rule_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_rule {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_CRITERION_.
    pub criterion: i32,
    /// A candidate is accepted when its delay is strictly below this; not negative, 0 accepts nothing but what or_easy
    /// does.
    pub threshold: f64,
    /// The most that accepted delays may add up to for one head job; not negative, infinity for no cap. Like slip it
    /// never holds up a candidate that delays nothing.
    pub budget: f64,
    /// The most expected seconds of delay that accepted candidates may add up to, over the head job's whole expected
    /// wait (what it has waited and must expect still to wait); not negative, infinity for no cap. Finite with the
    /// criteria SECONDS and RELATIVE only.
    pub slip: f64,
    /// Once the head job has waited this number of seconds (head_waited of surefill_pass_begin), a candidate must also
    /// be harmless by the time limits, as EASY asks: it ends by its limit before the head job could start if all jobs
    /// ran to their limits, or fits beside it then. Not negative; infinity for never, 0 for always.
    pub guard: f64,
    /// Not 0: what EASY would start by the time limits is accepted whatever its delay, threshold, budget and slip.
    pub or_easy: i32,
    /// Not 0: delays are computed no further than the verdicts need. That of what or_easy accepts is left unmeasured
    /// (SUREFILL_DELAY_NOT_MEASURED) and not spent. With the criteria SECONDS and RELATIVE the others are bracketed by
    /// a few instants, and brackets that settle a verdict are reported: at most this where accepted
    /// (SUREFILL_DELAY_AT_MOST, and spent), at least this where refused. The decisions are the same. A finite budget or
    /// slip needs every delay: with one, all are measured. 0 by default.
    pub unmeasured: i32,
}

/// One scheduling pass over one pool of interchangeable processors: begin, add running jobs and candidates, decide and
/// commit until it is done, then begin again. Candidates are judged in the order in which they were added, numbered
/// from 0; a committed one is a running job for those after it.
///
/// Distinct passes are independent; one pass needs one thread, or the caller's lock. The block holds no pointers.
#[allow(non_camel_case_types)]
pub struct surefill_pass {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_pass_capacity {
    let PassCapacity { running, candidates, processors, bins, events_per_bin, tie_cells } =
        PassCapacity::default();
    surefill_pass_capacity {
        struct_size: size_of::<surefill_pass_capacity>() as u32,
        running: running as i32,
        candidates: candidates as i32,
        processors: processors as i32,
        bins: bins as i32,
        events_per_bin: events_per_bin as i32,
        tie_cells: tie_cells as i32,
    }
}

unsafe fn capacity(given: *const surefill_pass_capacity) -> Result<PassCapacity> {
    let given = unsafe {
        sized(
            given,
            default_capacity(),
            ends!(surefill_pass_capacity, running, candidates, processors, bins, events_per_bin, tie_cells),
        )?
    };
    Ok(PassCapacity {
        running: count(given.running)?,
        candidates: count(given.candidates)?,
        processors: count(given.processors)?,
        bins: count(given.bins)?,
        events_per_bin: count(given.events_per_bin)?,
        tie_cells: count(given.tie_cells)?,
    })
}

fn default_rule() -> surefill_rule {
    c_rule(&Rule::default())
}

/// The core's rule as C sees it.
fn c_rule(rule: &Rule) -> surefill_rule {
    let Rule { criterion, threshold, budget, slip, guard, or_easy, unmeasured } = *rule;
    surefill_rule {
        struct_size: size_of::<surefill_rule>() as u32,
        criterion: criterion as i32,
        threshold,
        budget,
        slip,
        guard,
        or_easy: i32::from(or_easy),
        unmeasured: i32::from(unmeasured),
    }
}

/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure of the size it says.
pub(super) unsafe fn given_rule(rule: *const surefill_rule) -> Result<Rule> {
    let given = unsafe {
        sized(
            rule,
            default_rule(),
            ends!(surefill_rule, criterion, threshold, budget, slip, guard, or_easy, unmeasured),
        )?
    };
    let surefill_rule { threshold, budget, slip, guard, or_easy, unmeasured, .. } = given;
    let criterion = criterion(given.criterion)?;
    let (or_easy, unmeasured) = (or_easy != 0, unmeasured != 0);
    Ok(Rule { criterion, threshold, budget, slip, guard, or_easy, unmeasured })
}

fn criterion(number: i32) -> Result<Criterion> {
    u32::try_from(number).ok().and_then(Criterion::from_number).ok_or(Error::OutOfRange)
}

/// The pass behind a handle.
///
/// # Safety
/// As [`object`].
pub(super) unsafe fn pass<'a>(handle: *const surefill_pass) -> Result<Pass<'a>> {
    unsafe { object(handle) }
}

fn index(number: i32) -> Result<usize> {
    usize::try_from(number).map_err(|_| Error::NoSuchIndex)
}

/// Sets the capacity to its defaults: 256 running jobs, 256 candidates, 1,024 processors, 32 bins of 4 events.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_capacity_init(
    capacity: *mut surefill_pass_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Sets the rule to its defaults: expected delay below 0.3 of the head job's expected remaining wait, or what EASY
/// would start; no guard, budget or slip, and every delay measured.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// rule points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_rule_init(rule: *mut surefill_rule, size: i64) -> i32 {
    status(unsafe { initialise(rule, default_rule(), size) })
}

/// Bytes of memory that a pass needs. With R running jobs, Q candidates, P processors, b bins of e events and E = (R +
/// Q) b e this is at most 54 E + 8 (Q + 1) b e + 8 P (log2 E + 12) + 8 tie_cells + 72 R + 140 Q + 4,096, with tie_cells
/// at least 4 P + 20.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_size(capacity: *const surefill_pass_capacity, size: *mut i64) -> i32 {
    status((|| {
        let bytes = Pass::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a pass in the caller's memory (length bytes, at least surefill_pass_size, aligned to 8). O(1).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, pass to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_pass_capacity,
    pass: *mut *mut surefill_pass,
) -> i32 {
    status(unsafe { init(memory, length, pass, |bytes| Pass::init(bytes, &self::capacity(capacity)?)) })
}

/// Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) with this number of idle processors,
/// for a head job that needs head_processors, more than are idle, and has waited for head_waited seconds (0 to
/// SUREFILL_MAX_SECONDS; the rule's guard and slip ask for it, and without them it makes no difference). Forgets what
/// the last pass held, except the risk spent on this head job and on the last 16 others on which any was: a job that is
/// head again goes on with its own. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (times), SPAN_TOO_LONG,
/// TOO_MANY_PROCESSORS, HEAD_FITS.
///
/// # Safety
/// pass is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_begin(
    pass: *mut surefill_pass,
    now: i64,
    idle: i32,
    head_id: i64,
    head_processors: i32,
    head_waited: i64,
) -> i32 {
    status((|| {
        let mut pass = unsafe { self::pass(pass)? };
        crate::runtime::check_span(head_waited)?;
        pass.begin(now, count(idle)?, head_id, count(head_processors)?)?;
        pass.set_head_waited(head_waited)
    })())
}

/// Adds a running job: its processors (at least 1), for how long it has run, its time limit (both in seconds, 0 to
/// SUREFILL_MAX_SECONDS) and its predicted run time; NULL when nothing is known but the limit. index is its
/// number, from 0; it may be NULL. O(bins x events per bin).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, TOO_MANY_PROCESSORS, OVERFULL, FULL
/// (also for more bins than the capacity has), WRONG_STATE.
///
/// # Safety
/// pass is a handle, distribution a handle or NULL, index points to a writable number or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_add_running(
    pass: *mut surefill_pass,
    processors: i32,
    age: i64,
    limit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let mut pass = unsafe { self::pass(pass)? };
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || pass.add_running_by(count(processors)?, age, limit, runtime))
    })())
}

/// Adds a candidate for backfilling behind those added before: its processors (at least 1), its time limit in seconds
/// and its predicted run time; NULL when nothing is known but the limit. index is its number, from 0; it may
/// be NULL. O(bins x events per bin).
///
/// Errors: as surefill_pass_add_running.
///
/// # Safety
/// As surefill_pass_add_running.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_add_candidate(
    pass: *mut surefill_pass,
    processors: i32,
    limit: i64,
    distribution: *const surefill_distribution,
    index: *mut i32,
) -> i32 {
    status((|| {
        let mut pass = unsafe { self::pass(pass)? };
        let runtime = unsafe { view_or_limit(distribution)? };
        optional(index, || pass.add_candidate_by(count(processors)?, limit, runtime))
    })())
}

/// Makes an object and writes its index where the caller wants it, having checked that it can be written.
pub(super) fn optional(index: *mut i32, make: impl FnOnce() -> Result<usize>) -> Result<()> {
    if index.is_null() {
        return make().map(|_| ());
    }
    let to = unsafe { checked_mut(index)? };
    *to = i32::try_from(make()?).map_err(|_| Error::Corrupt)?;
    Ok(())
}

/// Decides until a candidate is accepted, all are decided, or about work multiply-adds are done (at least 1; one
/// instant, or one job added, is never interrupted). step is one of SUREFILL_STEP_; candidate is the accepted
/// candidate's number, -1 for the other steps. The rule may change only where a decision is complete, not after MORE.
///
/// With E events of the running jobs and c processors still missing for the head job, a decision costs about E c
/// multiply-adds, or E (c + k) for the criteria other than PROBABILITY, with k the widest candidate; every acceptance
/// starts another. On top come k for each end of a candidate and O(E) to set a decision up. Where many jobs may end in
/// one second, that second costs at most about 512 multiply-adds for each of the capacity's tie_cells, and 14 times the
/// jobs times their processors.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_STATE (no pass has
/// begun, an accepted candidate waits for its commit, or the rule changed after MORE).
///
/// # Safety
/// pass is a handle, rule points to a readable structure of the size it says, step and candidate to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_decide(
    pass: *mut surefill_pass,
    rule: *const surefill_rule,
    work: i64,
    step: *mut i32,
    candidate: *mut i32,
) -> i32 {
    status((|| {
        let mut pass = unsafe { self::pass(pass)? };
        let rule = unsafe { given_rule(rule)? };
        let work = u64::try_from(work).ok().filter(|&work| work > 0).ok_or(Error::OutOfRange)?;
        let (step, candidate) = unsafe { (checked_mut(step)?, checked_mut(candidate)?) };
        (*step, *candidate) = match pass.decide(&rule, work)? {
            Step::Accept(index) => (SUREFILL_STEP_ACCEPT, i32::try_from(index).map_err(|_| Error::Corrupt)?),
            Step::More => (SUREFILL_STEP_MORE, -1),
            Step::Done => (SUREFILL_STEP_DONE, -1),
        };
        Ok(())
    })())
}

/// Starts the accepted candidate: a running job of this pass from now on, its delay spent. Where it could not be
/// started after all, begin again without it. O(candidates).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE, NO_SUCH_INDEX (not the accepted one).
///
/// # Safety
/// pass is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_commit(pass: *mut surefill_pass, candidate: i32) -> i32 {
    status((|| unsafe { self::pass(pass)? }.commit(index(candidate)?))())
}

/// A candidate's verdict so far: the delay of the head job in the criterion's unit, how that
/// relates to the true delay (one of SUREFILL_DELAY_), and one of SUREFILL_VERDICT_. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX.
///
/// # Safety
/// pass is a handle, delay, exactness and verdict point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_judgement(
    pass: *const surefill_pass,
    candidate: i32,
    delay: *mut f64,
    exactness: *mut i32,
    verdict: *mut i32,
) -> i32 {
    status((|| {
        let candidate = index(candidate)?;
        let judgement = unsafe { with_object(pass, |pass: Pass| pass.judgement(candidate))? };
        let (delay, exactness, verdict) =
            unsafe { (checked_mut(delay)?, checked_mut(exactness)?, checked_mut(verdict)?) };
        *delay = judgement.delay;
        (*exactness, *verdict) = (judgement.exactness as i32, judgement.verdict as i32);
        Ok(())
    })())
}

/// The idle processors left. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
///
/// # Safety
/// pass is a handle, idle points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_idle(pass: *const surefill_pass, idle: *mut i32) -> i32 {
    status((|| unsafe { write(idle, with_object(pass, |pass: Pass| Ok(pass.idle()))? as i32) })())
}
