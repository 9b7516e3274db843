//! The stack of frames by which the walk over the instants descends, and the distribution of released processors in
//! each.
//!
//! A frame covers a run of instants. The jobs that have no release inside it are constant there and are added to the
//! frame's distribution, one job a step, so that the work can be left and resumed.

use crate::backfill::convolve::add_job;
use crate::backfill::running::{Running, pass_release};
use crate::backfill::timeline::Timeline;
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::Release;
use bytemuck::{Pod, Zeroable};

/// A run of instants under way.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Frame {
    pub begin: u32,
    pub end: u32,
    /// The number of jobs with a release inside, which come first in the order; those up to `family` are to be added.
    pub jobs: u32,
    pub family: u32,
    pub stage: u32,
    /// The next job to be added, and the number of those still to come that can have released anything.
    pub next: u32,
    pub adds: u32,
    /// Processors of the jobs inside and of those not yet added.
    pub pending: u32,
    /// Place of the distribution: its buffer, the value of its first element, and the end of its values.
    pub buffer: u32,
    pub base: u32,
    pub high: u32,
    /// Whether it is to be kept when it is complete, or lies inside one that is: see below.
    pub keep: u32,
}

pub(super) const ADD: u32 = 0;
pub(super) const LEFT: u32 = 1;
pub(super) const RIGHT: u32 = 2;
pub(super) const DONE: u32 = 3;
pub(super) const VISIT: u32 = 4;

/// A frame's `keep`: still to be divided into segments; a segment; inside one, or nothing is kept at all.
pub(super) const ABOVE: u32 = 0;
pub(super) const SEGMENT: u32 = 1;
pub(super) const INSIDE: u32 = 2;

/// The scalars of a walk.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct WalkState {
    /// Processors to be released for the head job, in units.
    pub target: u32,
    /// End of the windows: `target`, or more when S is followed beyond it.
    pub high: u32,
    pub instants: u32,
    pub running: u32,
    pub frames: u32,
    /// The first instant that no frame covers yet.
    pub next: u32,
    /// Processors of one unit of width.
    pub unit: u32,
    /// End of the windows of segments, which serve the walks after every acceptance to come.
    pub reach: u32,
    /// The most instants of a segment; 0 when none are kept.
    pub grain: u32,
    /// Number of segments kept, of those that this walk has passed, and of the cells they fill.
    pub segments: u32,
    pub segment: u32,
    pub kept: u32,
}

/// The slices of the caller's block in which frames are opened, filled and closed.
pub(super) struct Tree<'a> {
    pub state: &'a mut WalkState,
    pub running: &'a mut [Running],
    pub releases: &'a [Release],
    pub timeline: Timeline<'a>,
    /// The running jobs; each frame's are a prefix.
    pub order: &'a mut [u32],
    pub frames: &'a mut [Frame],
    /// One distribution a frame, and a spare one at the end.
    pub buffers: &'a mut [f64],
    pub stride: usize,
}

impl Tree<'_> {
    /// Opens a frame for all instants that no other covers.
    pub(super) fn open_rest(&mut self) -> Result<()> {
        let WalkState { target, next, instants, .. } = *self.state;
        let (mut jobs, mut pending, mut released) = (0, 0, 0);
        for (index, job) in (0u32..).zip(range(self.running, 0, self.state.running as usize)?) {
            if job.cursor < job.releases {
                *at_mut(self.order, jobs)? = index;
                jobs += 1;
                pending += job.width;
            } else {
                released += job.width;
            }
        }
        let keep = self.keep(ABOVE, instants - next);
        let high = if self.state.grain == 0 { self.state.high } else { self.state.reach };
        let base = target.saturating_sub(pending);
        let root = range_mut(self.buffers, 0, high.checked_sub(base).ok_or(Error::Corrupt)? as usize)?;
        root.fill(0.0);
        if let Some(certain) = released.checked_sub(base).and_then(|index| root.get_mut(index as usize)) {
            *certain = 1.0;
        }
        let (begin, end, jobs) = (next, instants, jobs as u32);
        *at_mut(self.frames, 0)? = Frame {
            begin,
            end,
            jobs,
            family: jobs,
            stage: ADD,
            next: jobs,
            adds: 0,
            pending,
            buffer: 0,
            base,
            high,
            keep,
        };
        (self.state.frames, self.state.next) = (1, instants);
        Ok(())
    }

    /// The `keep` of a frame of this number of instants below a frame with `above`.
    fn keep(&self, above: u32, instants: u32) -> u32 {
        match above {
            ABOVE if self.state.grain == 0 => INSIDE,
            ABOVE if instants <= self.state.grain => SEGMENT,
            ABOVE => ABOVE,
            _ => INSIDE,
        }
    }

    /// A complete frame's distribution, from the lowest value that matters.
    pub(super) fn distribution(&self, frame: &Frame) -> Result<&[f64]> {
        // The window may reach further down than needed: jobs that released nothing did not shrink it.
        let base = self.state.target.saturating_sub(frame.pending);
        let skip = base.checked_sub(frame.base).ok_or(Error::Corrupt)? as usize;
        let length = frame.high.checked_sub(base).ok_or(Error::Corrupt)? as usize;
        range(self.buffers, frame.buffer as usize * self.stride + skip, length)
    }

    /// Passes all releases of the instants from `begin` to before `end`; returns the time of the last.
    pub(super) fn pass(&mut self, begin: u32, end: u32) -> Result<i64> {
        let entries = self.timeline.between(begin as usize, end as usize)?;
        for entry in entries {
            pass_release(at_mut(self.running, entry.job() as usize)?, self.releases)?;
        }
        Ok(entries.last().ok_or(Error::Corrupt)?.after())
    }

    /// Seconds from now until the instant; `i64::MAX` behind the last.
    pub(super) fn begin_of(&self, instant: u32) -> Result<i64> {
        if instant < self.state.instants { self.timeline.after(instant as usize) } else { Ok(i64::MAX) }
    }

    /// Opens the frame of a child: its jobs move to the front of the order.
    pub(super) fn descend(&mut self, parent: usize, begin: u32, end: u32) -> Result<()> {
        let above = *at(self.frames, parent)?;
        // Instants are distinct times, so a job is inside when its next release is.
        let until = self.begin_of(end)?;
        let order = range_mut(self.order, 0, above.jobs as usize)?;
        let (mut jobs, mut adds) = (0, 0);
        for index in 0..order.len() {
            // Without a branch: which jobs are inside is a coin toss to a branch predictor.
            let this = *at(order, index)?;
            let first_outside = *at(order, jobs)?;
            let job = at(self.running, this as usize)?;
            let inside = job.next < until;
            *at_mut(order, index)? = if inside { first_outside } else { this };
            *at_mut(order, jobs)? = if inside { this } else { first_outside };
            jobs += usize::from(inside);
            adds += u32::from(!inside & (job.ended > 0.0));
        }
        let child = parent + 1;
        let keep = self.keep(above.keep, end - begin);
        *at_mut(self.frames, child)? = Frame {
            begin,
            end,
            jobs: jobs as u32,
            family: above.jobs,
            stage: ADD,
            next: jobs as u32,
            adds,
            high: if keep == INSIDE { self.state.high } else { above.high },
            keep,
            ..above
        };
        self.state.frames = child as u32 + 1;
        Ok(())
    }

    /// Adds the family's jobs that have no release inside, one after the other.
    pub(super) fn add_jobs(&mut self, top: usize, work: u64, done: &mut u64) -> Result<()> {
        let spare = self.frames.len();
        let target = self.state.target;
        let frame = at_mut(self.frames, top)?;
        let high = frame.high;
        let others = self.order.get(frame.next as usize..frame.family as usize).ok_or(Error::Corrupt)?;
        for &other in others {
            let job = at(self.running, other as usize)?;
            frame.next += 1;
            frame.pending = frame.pending.checked_sub(job.width).ok_or(Error::Corrupt)?;
            *done += 1;
            if job.ended <= 0.0 {
                continue; // it has released nothing: only the window shrinks
            }
            // Alternating with the spare buffer so that the last addition arrives in the frame's own.
            frame.adds = frame.adds.checked_sub(1).ok_or(Error::Corrupt)?;
            let to = if frame.adds % 2 == 0 { top } else { spare };
            let base = target.saturating_sub(frame.pending);
            let length = high.checked_sub(base).ok_or(Error::Corrupt)? as usize;
            let (src, dst) = two_buffers(self.buffers, self.stride, frame.buffer as usize, to)?;
            add_job(src, frame.base as usize, dst, base as usize, length, job.width as usize, job.ended);
            (frame.buffer, frame.base) = (to as u32, base);
            *done += length as u64;
            if *done >= work {
                break;
            }
        }
        Ok(())
    }
}

/// Two different buffers, one to read and one to write.
fn two_buffers(buffers: &mut [f64], stride: usize, from: usize, to: usize) -> Result<(&[f64], &mut [f64])> {
    let (low, high) = (from.min(to), from.max(to));
    let (front, back) = buffers.split_at_mut_checked(high * stride).ok_or(Error::Corrupt)?;
    let low = range_mut(front, low * stride, stride)?;
    let high = range_mut(back, 0, stride)?;
    Ok(if from < to { (low, high) } else { (high, low) })
}
