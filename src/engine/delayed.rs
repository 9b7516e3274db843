//! The room that a cycle has for the delay rule, and the delays for which candidates must wait.

use super::capacity::SchedulerCapacity;
use super::settings::Settings;
use crate::backfill::{Criterion, Exactness, Judgement, Pass, PassCapacity, Rule};
use crate::error::Result;
use bytemuck::{Pod, Zeroable};

/// Number of events of a bin for which the capacity is enough whatever the jobs are. More are possible for fewer jobs.
const EVENTS: u32 = Settings::DEFAULT.events;

/// The delay for which a candidate must wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delayed {
    /// Measure of the delay.
    pub criterion: Criterion,
    /// The delay of the head job if the job started now, in the criterion's unit.
    pub delay: f64,
    /// The delay must be below this.
    pub allowed: f64,
    /// Whether the delay is at least the one given: it was refused before everything was added up.
    pub at_least: bool,
}

/// The delay by a candidate as the block keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Judged {
    delay: f64,
    allowed: f64,
    /// The criterion's number and 1; 0 for a candidate that was not refused by its delay.
    criterion: u32,
    at_least: u32,
}

impl Judged {
    /// The result of a candidate that was refused by its delay.
    pub(super) fn refused(rule: &Rule, found: &Judgement) -> Judged {
        Judged {
            delay: found.delay,
            allowed: rule.threshold,
            criterion: rule.criterion as u32 + 1,
            at_least: u32::from(found.exactness == Exactness::AtLeast),
        }
    }

    /// The delay, if it is the reason for a wait.
    pub(super) fn delayed(&self) -> Option<Delayed> {
        let criterion = Criterion::from_number(self.criterion.checked_sub(1)?)?;
        Some(Delayed { criterion, delay: self.delay, allowed: self.allowed, at_least: self.at_least != 0 })
    }
}

/// Capacity of a pass for these numbers.
pub(super) fn pass_capacity(
    running: u32,
    candidates: u32,
    processors: u32,
    bins: u32,
    events: u32,
) -> PassCapacity {
    PassCapacity { running, candidates, processors, bins, events_per_bin: events, ..PassCapacity::default() }
}

/// Bytes for the pass of a cycle: a job either runs or is judged, and one that is judged needs more.
///
/// # Errors
/// [`Error::OutOfRange`].
pub(super) fn pass_size(capacity: &SchedulerCapacity) -> Result<usize> {
    match capacity.delay_units {
        0 => Ok(0),
        units => Pass::size(&pass_capacity(1, capacity.jobs, units, capacity.bins, EVENTS)),
    }
}

/// Number of candidates whose delays are kept.
pub(super) fn judged(capacity: &SchedulerCapacity, entries: usize) -> usize {
    if capacity.delay_units == 0 { 0 } else { entries }
}
