//! The waiting jobs of a pass.

use super::grid::{self, LONGEST, POINTS};
use crate::error::{Error, Result};
use crate::runtime::check_span;
use bytemuck::{Pod, Zeroable};

/// A waiting job, as a plan sees it. All times in seconds; beyond [`LONGEST`] they count as that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingJob {
    /// Which job: it keeps its place in the kept order by this number.
    pub id: i64,
    /// Processors that it wants, at least 1.
    pub processors: u32,
    /// Its expected run time; under a second counts as one.
    pub run_time: i64,
    /// Its time limit.
    pub limit: i64,
    /// Its wait so far.
    pub waited: i64,
    /// Seconds added to its wait in the cost: the worth of a site's priority.
    pub credit: i64,
    /// Jobs of a higher tier come before those of lower ones, whatever it costs.
    pub tier: i32,
    /// Longest wait promised to it as the head job ([`Plan::promised`](super::Plan::promised)); 0 if nothing was
    /// promised.
    pub promised: i64,
    /// Whether it must not start in this pass, for a reason that is not the plan's: it is planned for the next instant
    /// at which a running job is expected to end, or later.
    pub later: bool,
}

/// See [`WaitingJob`].
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Waiting {
    pub(super) id: i64,
    pub(super) processors: u32,
    pub(crate) run_time: u32,
    pub(crate) limit: u32,
    pub(super) waited: u32,
    /// With the credit.
    pub(super) counted: u32,
    pub(crate) tier: i32,
    /// Its planned start, or [`UNPLANNED`].
    pub(crate) start: u32,
    /// Its place in the kept order plus 1; 0 if it has none.
    pub(super) kept: u32,
    /// See [`WaitingJob::later`].
    pub(super) later: u32,
    /// See [`WaitingJob::promised`].
    pub(super) promised: u32,
}

/// A span of time on the grid's range.
pub(crate) fn seconds(span: i64) -> Result<u32> {
    check_span(span)?;
    Ok(u32::try_from(span).unwrap_or(LONGEST).min(LONGEST))
}

impl Waiting {
    /// A job that is not planned yet.
    pub(crate) fn new(job: &WaitingJob) -> Result<Waiting> {
        let &WaitingJob { id, processors, run_time, limit, waited, credit, tier, promised, later } = job;
        let (waited, credit, promised) = (seconds(waited)?, seconds(credit)?, seconds(promised)?);
        let (run_time, limit) = (seconds(run_time)?.max(1), seconds(limit)?.max(1));
        if processors == 0 {
            return Err(Error::OutOfRange);
        }
        let counted = waited.saturating_add(credit).min(LONGEST);
        let (start, later) = (UNPLANNED, u32::from(later));
        Ok(Waiting {
            id,
            processors,
            run_time,
            limit,
            waited,
            counted,
            tier,
            start,
            kept: 0,
            later,
            promised,
        })
    }

    /// Whether it must not start now.
    pub(crate) fn is_later(&self) -> bool {
        self.later != 0
    }

    /// Nothing is planned of it.
    pub(crate) fn unplan(&mut self) {
        self.start = UNPLANNED;
    }

    /// Whether it might start now, if it were alone.
    pub(super) fn fits(&self, idle: u32) -> bool {
        self.processors <= idle && self.later == 0
    }
}

/// Not looked at, because it cannot start now.
pub(crate) const UNPLANNED: u32 = u32::MAX;

/// The job that has waited longest, the first of equal ones, but for this one.
pub(super) fn longest_but(waiting: &[Waiting], but: Option<usize>) -> Option<usize> {
    let mut found: Option<(usize, u32)> = None;
    for (number, job) in waiting.iter().enumerate() {
        if Some(number) != but && found.is_none_or(|(_, waited)| job.waited > waited) {
            found = Some((number, job.waited));
        }
    }
    found.map(|(number, _)| number)
}

/// The head job: the first of those of the highest tier that count as having waited longest.
pub(super) fn head(waiting: &[Waiting]) -> Option<usize> {
    let mut found: Option<(usize, (i32, u32))> = None;
    for (number, job) in waiting.iter().enumerate() {
        let key = (job.tier, job.counted);
        if found.is_none_or(|(_, best)| key > best) {
            found = Some((number, key));
        }
    }
    found.map(|(number, _)| number)
}

/// The median of the waits, the lower one of two, up on the grid. O(W).
pub(super) fn median(waiting: &[Waiting], wait: impl Fn(&Waiting) -> u32) -> u32 {
    let mut counts = [0_u32; POINTS];
    for job in waiting {
        if let Some(count) = counts.get_mut(grid::number(grid::up(wait(job)))) {
            *count += 1;
        }
    }
    let half = (waiting.len() as u32).div_ceil(2);
    let mut below = 0;
    let number = counts.iter().take_while(|&&count| {
        below += count;
        below < half
    });
    grid::instant(number.count())
}
