//! The guard of the front job on the nodes: while it waits, those alone start that EASY backfilling by the limits
//! would let pass it.

use crate::error::Result;
use crate::memory::range;
use crate::nodes::asked::Jobs;
use crate::nodes::floor::Floor;
use crate::nodes::request::{Part, RawRequest};
use bytemuck::{Pod, Zeroable};

/// When a job that runs, or starts now, ends, in seconds from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ending {
    pub(crate) after: u32,
    /// The machine's handle of it, or the planned job's number behind these.
    pub(crate) job: u32,
}

/// The front job's reservation by the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeGuard {
    pub(crate) head: RawRequest,
    /// When, in seconds from now, it has room if everybody runs to the limit; `u32::MAX` for never.
    shadow: u32,
    /// How many of its tasks find room then.
    rooms: u64,
}

impl NodeGuard {
    /// The reservation of a job on these nodes, at the next end at the earliest if it must not start now (`later`).
    /// `limited` are the jobs on the machine in the order in which they reach their limits; `then`, the machine with
    /// them, becomes the machine at the time of the reservation. O(nodes + parts).
    pub(crate) fn new(
        then: &mut Floor<'_>,
        head: &RawRequest,
        later: bool,
        limited: &[Ending],
        jobs: &Jobs<'_, '_>,
        found: &mut [Part],
    ) -> Result<NodeGuard> {
        let mut guard = NodeGuard { head: *head, shadow: 0, rooms: then.view()?.rooms(head)? };
        for ending in limited {
            let early = later && guard.shadow == 0;
            if ending.after > guard.shadow && !early && guard.holds(then)? {
                return Ok(guard);
            }
            let leaving = jobs.request(ending.job)?;
            let count = jobs.placement(ending.job, found)?;
            let parts = range(found, 0, count)?;
            guard.change(then, parts, |then| then.give(leaving, parts))?;
            guard.shadow = ending.after;
        }
        if !guard.holds(then)? || later && guard.shadow == 0 {
            guard.shadow = u32::MAX;
        }
        Ok(guard)
    }

    /// Whether the front job has room on the machine as it is then.
    fn holds(&self, then: &mut Floor<'_>) -> Result<bool> {
        Ok(self.rooms >= u64::from(self.head.count) && then.view()?.pool_has(&self.head))
    }

    /// Counts the rooms anew on these nodes.
    fn change(
        &mut self,
        then: &mut Floor<'_>,
        parts: &[Part],
        change: impl FnOnce(&mut Floor<'_>) -> Result<()>,
    ) -> Result<()> {
        let before = then.view()?.rooms_on(&self.head, parts)?;
        change(then)?;
        let after = then.view()?.rooms_on(&self.head, parts)?;
        self.rooms = (self.rooms + after).saturating_sub(before);
        Ok(())
    }

    /// Whether a job may start on these nodes now, because it ends by the reservation or leaves room for the front job.
    /// Then it is on the machine of that time, if it still runs. O(parts).
    pub(crate) fn admits(
        &mut self,
        then: &mut Floor<'_>,
        request: &RawRequest,
        limit: u32,
        parts: &[Part],
    ) -> Result<bool> {
        if limit <= self.shadow {
            return Ok(true);
        }
        self.change(then, parts, |then| then.take(request, parts))?;
        if self.holds(then)? {
            return Ok(true);
        }
        self.change(then, parts, |then| then.give(request, parts))?;
        Ok(false)
    }
}
