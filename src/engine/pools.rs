//! Pools of units, for which jobs compete, and their queues.

use super::stall::Pauses;
use super::starts::Offsets;
use crate::error::{Error, Result};
use crate::memory::{at, at_mut};
use crate::plan::KeptOrder;
use bytemuck::{Pod, Zeroable};

/// Mark of a pool that wants another cycle, as something was reported since its last one began.
pub(super) const CHANGED: u32 = 1;

/// Mark of a pool whose last cycle was not asked until it was done.
pub(super) const UNDECIDED: u32 = 2;

/// Room for a pool.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Pool {
    /// The number of its name.
    pub name: i64,
    /// Number of units that its jobs hold: more than a pool can have, if that is reported.
    pub held: u64,
    /// The time of the last cycle.
    pub decided: i64,
    /// Whether there is such a pool.
    pub used: u32,
    pub units: u32,
    /// Number of units that are not idle and that no known job holds. Their end is unknown.
    pub unaccounted: u32,
    /// Idle units as the manager reported them, plus 1, until the next cycle or end of a listing; 0 for none.
    pub reported: u32,
    /// Whether jobs hold more units than there are.
    pub inconsistent: u32,
    /// Counts changes that may have made room.
    pub changes: u32,
    /// Counts changes that have taken room that a cycle counted as free.
    pub losses: u32,
    /// Whether another cycle is wanted: 0, [`CHANGED`] or [`UNDECIDED`].
    pub stirred: u32,
    /// Whether it consists of nodes: then its units are those of the first kind of resource on them.
    pub of_nodes: u32,
    /// Number of decisions whose reasons were noted, and the units that the last of them left idle.
    pub judgements: u32,
    pub judged_idle: u32,
    pub reserved: u32,
    pub kept: KeptOrder,
    /// Offsets of reported starts: for first reports, and for jobs that were reported an hour before.
    pub offsets: [Offsets; 2],
    pub pauses: Pauses,
}

impl Pool {
    /// Whether it consists of nodes.
    pub fn is_of_nodes(&self) -> bool {
        self.used != 0 && self.of_nodes != 0
    }

    /// Number of idle units.
    pub fn idle(&self) -> u32 {
        self.free().unwrap_or(0).saturating_sub(self.unaccounted)
    }

    /// Number of units that no known job holds; `None` if jobs hold more than there are.
    fn free(&self) -> Option<u32> {
        u64::from(self.units).checked_sub(self.held).map(|free| free as u32)
    }

    /// Number of units that jobs hold, or that are unaccounted, beyond those that there are.
    pub fn debt(&self) -> u32 {
        let held = self.held.saturating_add(self.unaccounted.into());
        held.saturating_sub(self.units.into()).min(u32::MAX.into()) as u32
    }

    /// Computes the unaccounted units, if the manager has reported its idle ones.
    pub fn settle(&mut self) {
        if self.of_nodes != 0 {
            return;
        }
        let Some(idle) = self.reported.checked_sub(1) else {
            self.inconsistent = u32::from(self.free().is_none());
            return;
        };
        let others = self.free().and_then(|free| free.checked_sub(idle));
        self.inconsistent = u32::from(others.is_none());
        // Where the numbers contradict each other, units that known jobs hold are not idle.
        self.unaccounted = others.unwrap_or(0);
        self.reported = 0;
    }
}

/// A queue: its name's number, and its pool.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Queue {
    pub name: i64,
    pub used: u32,
    pub pool: u32,
    /// Whether only the nodes that list it belong to it.
    pub listed: u32,
    pub reserved: u32,
}

/// Something with a name.
pub(super) trait Named {
    fn name(&self) -> Option<i64>;
}

impl Named for Pool {
    fn name(&self) -> Option<i64> {
        (self.used != 0).then_some(self.name)
    }
}

impl Named for Queue {
    fn name(&self) -> Option<i64> {
        (self.used != 0).then_some(self.name)
    }
}

/// The number of the entry with this name, or of a free place for it.
pub(super) fn place_of<T: Named>(all: &[T], name: i64) -> Result<usize> {
    let known = all.iter().position(|one| one.name() == Some(name));
    known.or_else(|| all.iter().position(|one| one.name().is_none())).ok_or(Error::Full)
}

/// The pool of these queues, which all have the same.
pub(super) fn pool_of(queues: &[Queue], numbers: &[u32]) -> Result<u32> {
    let mut found = None;
    for &number in numbers {
        let queue = queues.get(number as usize).filter(|queue| queue.used != 0).ok_or(Error::NoSuchIndex)?;
        if found.is_some_and(|pool| pool != queue.pool) {
            return Err(Error::OutOfRange);
        }
        found = Some(queue.pool);
    }
    found.ok_or(Error::NoSuchIndex)
}

/// The pool of this number, which must be there.
pub(super) fn pool(pools: &[Pool], number: u32) -> Result<&Pool> {
    pools.get(number as usize).filter(|pool| pool.used != 0).ok_or(Error::NoSuchIndex)
}

/// The pool of this number, which a record of the block names; damaged if there is none.
pub(super) fn pool_mut(pools: &mut [Pool], number: u32) -> Result<&mut Pool> {
    at_mut(pools, number as usize)
}

/// The idle units of a pool, which a record of the block names.
pub(super) fn idle(pools: &[Pool], number: u32) -> Result<u32> {
    Ok(at(pools, number as usize)?.idle())
}
