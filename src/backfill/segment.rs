//! The distributions of a walk's middle nodes, kept for the walks that follow an accepted candidate.
//!
//! Accepting a candidate of width k adds one job to the machine and moves the head job's target up by k; everything
//! else stays. A node's distribution of "all jobs without a release inside" therefore only misses the new job: one
//! addition if the job has no release inside the node, nothing at all if it has. The work above these nodes, most of a
//! walk's, need not be repeated. For that the kept windows reach as far above the target as acceptances can move it.
//!
//! Segments follow each other without gaps in time, from the first instant that matters to as far as the walk has come.

use crate::backfill::frame::{ADD, Frame, SEGMENT, Tree, WalkState};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use bytemuck::{Pod, Zeroable};

/// Cells for kept distributions, for each release that the capacities allow.
pub(super) const CELLS_PER_RELEASE: usize = 3;

/// Releases, of those that the capacities allow, for each segment.
pub(super) const RELEASES_PER_SEGMENT: usize = 16;

/// A run of instants, and the distribution of the processors released by the jobs that have no release inside it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Segment {
    /// The time of its first instant, and of the first instant behind it.
    pub from: i64,
    pub until: i64,
    /// Place of the distribution in the store, the value of its first element, and its length: 0 when nothing can
    /// happen inside.
    pub cell: u32,
    pub base: u32,
    pub length: u32,
    /// Number of running jobs, from the first on, that are taken into account.
    pub running: u32,
}

impl WalkState {
    /// Chooses the segments' size for a walk that is about to start afresh: the smallest power of two for which the
    /// distributions to keep fit. `released` is the number of processors, in units, of all releases added up.
    pub(super) fn choose_grain(&mut self, released: u64, segments: usize, cells: usize) {
        (self.grain, self.segments, self.kept) = (0, 0, 0);
        let above = u64::from(self.reach - self.target);
        let widest = u64::from(self.reach);
        let instants = u64::from(self.instants);
        for power in 0..u64::BITS - instants.leading_zeros() {
            // Halving divides the instants into at most twice as many parts as there would be full ones.
            let parts = (2 * (instants >> power) + 1).min(instants);
            let needed = (released + parts * above).min(parts * widest);
            if 1 << power < instants && parts <= segments as u64 && needed <= cells as u64 {
                self.grain = 1 << power;
                return;
            }
        }
    }
}

/// The segments kept, and their distributions, one behind the other.
pub(super) struct Segments<'a> {
    pub list: &'a mut [Segment],
    pub store: &'a mut [f64],
}

impl Segments<'_> {
    /// Opens the frame of the next segment, with the jobs that started since still to be added; or passes it and
    /// returns the time of its last instant, when nothing can happen inside.
    pub(super) fn open(&self, tree: &mut Tree) -> Result<Option<i64>> {
        let segment = *at(self.list, tree.state.segment as usize)?;
        let begin = tree.state.next;
        let mut end = begin;
        while tree.begin_of(end)? < segment.until {
            end += 1;
        }
        tree.state.next = end;
        if segment.length == 0 {
            tree.state.segment += 1;
            return tree.pass(begin, end).map(Some);
        }
        let mark = tree.state.segment + 1;
        let (mut jobs, mut pending) = (0, 0);
        for entry in tree.timeline.between(begin as usize, end as usize)? {
            let job = at_mut(tree.running, entry.job() as usize)?;
            if job.mark != mark {
                job.mark = mark;
                *at_mut(tree.order, jobs)? = entry.job();
                jobs += 1;
                pending += job.width;
            }
        }
        let (mut family, mut adds) = (jobs, 0);
        let fresh = range(tree.running, 0, tree.state.running as usize)?.iter().enumerate();
        for (index, job) in fresh.skip(segment.running as usize).filter(|(_, job)| job.mark != mark) {
            *at_mut(tree.order, family)? = index as u32;
            family += 1;
            pending += job.width;
            adds += u32::from(job.ended > 0.0);
        }
        // The additions alternate between the frame's own buffer and the spare one, and end in its own.
        let buffer = if adds % 2 == 0 { 0 } else { tree.frames.len() };
        let from = range(self.store, segment.cell as usize, segment.length as usize)?;
        let to = range_mut(tree.buffers, buffer * tree.stride, segment.length as usize)?;
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
        *at_mut(tree.frames, 0)? = Frame {
            begin,
            end,
            jobs: jobs as u32,
            family: family as u32,
            stage: ADD,
            next: jobs as u32,
            adds,
            pending,
            buffer: buffer as u32,
            base: segment.base,
            high: tree.state.reach,
            keep: SEGMENT,
        };
        tree.state.frames = 1;
        Ok(None)
    }

    /// Keeps a complete frame's distribution: that of the next segment, which was opened or is new. When the store is
    /// full, nothing more is kept until the pass ends.
    pub(super) fn keep(&mut self, tree: &mut Tree, frame: &Frame, nothing: bool) -> Result<()> {
        let WalkState { target, running, segments, segment, kept, .. } = *tree.state;
        let base = target.saturating_sub(frame.pending);
        let skip = base.checked_sub(frame.base).ok_or(Error::Corrupt)? as usize;
        let length = if nothing { 0 } else { frame.high.checked_sub(base).ok_or(Error::Corrupt)? };
        let mut new = Segment {
            from: tree.timeline.after(frame.begin as usize)?,
            until: tree.begin_of(frame.end)?,
            cell: kept,
            base,
            length,
            running,
        };
        if segment < segments {
            let old = at(self.list, segment as usize)?;
            (new.from, new.cell) = (old.from, old.cell);
        } else {
            if segment as usize >= self.list.len() || (kept + length) as usize > self.store.len() {
                tree.state.grain = 0;
                return Ok(());
            }
            tree.state.kept += length;
            tree.state.segments += 1;
        }
        let from = range(tree.buffers, frame.buffer as usize * tree.stride + skip, length as usize)?;
        for (to, from) in range_mut(self.store, new.cell as usize, length as usize)?.iter_mut().zip(from) {
            *to = *from;
        }
        *at_mut(self.list, segment as usize)? = new;
        tree.state.segment += 1;
        Ok(())
    }
}
