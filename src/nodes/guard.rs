//! The guard of the front job or the head job on the nodes: while it waits, only those jobs start that EASY backfilling
//! by the limits would let pass it.

use crate::error::Result;
use crate::memory::range;
use crate::nodes::asked::Jobs;
use crate::nodes::floor::Floor;
use crate::nodes::request::{Part, RawRequest};
use crate::plan::Until;
use bytemuck::{Pod, Zeroable};

/// End of a job that runs, or starts now, in seconds from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ending {
    pub(crate) after: u32,
    /// Its handle on the machine, or the planned job's number behind `asked::WAITING`.
    pub(crate) job: u32,
}

/// The guarded job's reservation by the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeGuard {
    pub(crate) head: RawRequest,
    /// Seconds from now until it has room if every job runs to its limit; `u32::MAX` for never.
    shadow: u32,
    /// Number of its tasks that find room then.
    rooms: u64,
    /// The wait promised to it now, in seconds from now, if there is one.
    pub(crate) promised: Option<u32>,
}

impl NodeGuard {
    /// Makes the reservation of a job on these nodes, at the next end at the earliest if it must not start now
    /// (`later`). `limited` are the jobs on the machine in the order in which they reach their limits; `then`, the
    /// machine with them, becomes the machine at the time of the reservation. O(nodes + parts).
    pub(crate) fn new(
        then: &mut Floor<'_>,
        head: &RawRequest,
        (later, until): (bool, Until),
        limited: &[Ending],
        jobs: &Jobs<'_, '_>,
        found: &mut [Part],
    ) -> Result<NodeGuard> {
        let rooms = then.view()?.rooms(head)?;
        let mut guard = NodeGuard { head: *head, shadow: 0, rooms, promised: None };
        // Instant of the reservation and promised wait, once there is room.
        let mut reserved = None;
        for ending in limited {
            let early = later && guard.shadow == 0;
            if reserved.is_none() && ending.after > guard.shadow && !early && guard.holds(then)? {
                reserved = Some(until.after(guard.shadow));
            }
            if reserved.is_some_and(|(instant, _)| ending.after > instant) {
                break;
            }
            let leaving = jobs.request(ending.job)?;
            let count = jobs.placement(ending.job, found)?;
            let parts = range(found, 0, count)?;
            guard.change(then, parts, |then| then.give(leaving, parts))?;
            guard.shadow = ending.after;
        }
        if reserved.is_none() && guard.holds(then)? && !(later && guard.shadow == 0) {
            reserved = Some(until.after(guard.shadow));
        }
        (guard.shadow, guard.promised) = reserved.unwrap_or((u32::MAX, None));
        Ok(guard)
    }

    /// Whether the guarded job has room on the machine `then`.
    fn holds(&self, then: &mut Floor<'_>) -> Result<bool> {
        Ok(self.rooms >= u64::from(self.head.count) && then.view()?.pool_has(&self.head))
    }

    /// Makes a change on these nodes and counts the guarded job's rooms on them anew.
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

    /// Whether a job may start on these nodes now, because it ends by the reservation or leaves room for the guarded
    /// job. If so, it is put on the machine of that time, if it still runs then. O(parts).
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
