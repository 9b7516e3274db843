//! Visits the instants in time order, knowing at each the distribution of processors released by all other jobs.
//!
//! Divide and conquer over time: a node covers a run of instants. The jobs that have no release inside it are constant
//! there and are added to the node's distribution, then it is split; at a leaf, one instant, only the jobs that may end
//! at it are left out. Nothing is ever taken out of a distribution again: dividing a job out looks stable for a step
//! and is not over a sequence. Windows (`convolve`) shrink on the way down, which makes the whole walk about E x C
//! multiply-adds.
//!
//! A node whose distribution holds next to nothing is passed over: nothing can happen inside it. And the distributions
//! of nodes of a middle size are kept (`segment`), so that the walk after an accepted candidate starts from them.
//!
//! The walk is a stack of frames in the caller's block and does one small step at a time, so it can be left and
//! resumed.

use crate::backfill::convolve::{add_job, sum};
use crate::backfill::crowd::Member;
use crate::backfill::frame::{ABOVE, ADD, DONE, LEFT, RIGHT, SEGMENT, Tree, VISIT};
use crate::backfill::running::{Running, pass_release, rewind};
use crate::backfill::segment::Segments;
use crate::backfill::tie::{NEGLIGIBLE, Tie};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::Release;

/// Least number of instants in a node for which it is checked whether anything can happen in it: for fewer the check
/// costs as much as the visits.
const WORTH_PASSING: u32 = 4;

/// The walk's slices of the caller's block.
pub(super) struct Walk<'a> {
    pub tree: Tree<'a>,
    pub segments: Segments<'a>,
    pub tie: Tie<'a>,
}

/// Result of the walk at an instant.
pub(super) struct Found {
    /// The probability that the head job could start here and not before.
    pub started: f64,
    /// Whether the joint step of several jobs had to be estimated.
    pub estimated: bool,
    /// Multiply-adds.
    pub work: u64,
}

/// Outcome of one step.
pub(super) enum Progress {
    /// The work is used up.
    Interrupted,
    /// The present may be advanced to this instant, then it must be visited.
    Reached(i64),
    /// Nothing can happen up to and including this instant.
    Passed(i64),
    /// No instant is left.
    Over,
}

impl Walk<'_> {
    /// Starts at the first instant at which the head job could start at all; before it, nothing can be delayed.
    pub(super) fn start(&mut self) -> Result<()> {
        let target = self.tree.state.target as usize;
        (self.tree.state.frames, self.tree.state.segment) = (0, 0);
        self.tree.state.next = self.tree.state.instants;
        let running = range_mut(self.tree.running, 0, self.tree.state.running as usize)?;
        rewind(running, self.tree.releases)?;
        let total: usize = running.iter().map(|job| job.width as usize).sum();
        if total < target {
            return Ok(()); // the head job cannot start, so nothing can delay it
        }
        // Segments of an earlier walk begin where the head job could start without the candidates accepted since.
        let kept =
            self.segments.list.first().filter(|_| self.tree.state.segments > 0).map(|segment| segment.from);
        let mut possible = 0;
        for index in 0..self.tree.state.instants {
            let entries = self.tree.timeline.instant(index as usize)?;
            for entry in entries.iter().filter(|entry| entry.first()) {
                possible += at(running, entry.job() as usize)?.width as usize;
            }
            let after = entries.first().ok_or(Error::Corrupt)?.after();
            if kept.map_or(possible >= target, |from| after >= from) {
                self.tree.state.next = index;
                break;
            }
            for entry in entries {
                pass_release(at_mut(running, entry.job() as usize)?, self.tree.releases)?;
            }
        }
        Ok(())
    }

    /// Moves on inside the tree until an instant is reached, or passed, or about `work` multiply-adds are `done`; one
    /// addition at least is made.
    pub(super) fn step(&mut self, work: u64, done: &mut u64) -> Result<Progress> {
        loop {
            let Some(top) = (self.tree.state.frames as usize).checked_sub(1) else {
                if self.tree.state.next >= self.tree.state.instants {
                    return Ok(Progress::Over);
                }
                if self.tree.state.segment < self.tree.state.segments {
                    if let Some(after) = self.segments.open(&mut self.tree)? {
                        return Ok(Progress::Passed(after));
                    }
                } else {
                    self.tree.open_rest()?;
                }
                continue;
            };
            let frame = *at(self.tree.frames, top)?;
            let middle = frame.begin + (frame.end - frame.begin) / 2;
            match frame.stage {
                ADD if frame.next < frame.family => {
                    self.tree.add_jobs(top, work, done)?;
                    if *done >= work {
                        return Ok(Progress::Interrupted);
                    }
                }
                ADD => {
                    let asked = frame.end - frame.begin >= WORTH_PASSING;
                    let nothing = asked && sum(self.tree.distribution(&frame)?) < NEGLIGIBLE;
                    if frame.keep == SEGMENT || (frame.keep == ABOVE && nothing) {
                        self.segments.keep(&mut self.tree, &frame, nothing)?;
                    }
                    if nothing {
                        self.tree.state.frames -= 1;
                        return Ok(Progress::Passed(self.tree.pass(frame.begin, frame.end)?));
                    }
                    let leaf = frame.end - frame.begin == 1;
                    at_mut(self.tree.frames, top)?.stage = if leaf { VISIT } else { LEFT };
                }
                VISIT => return Ok(Progress::Reached(self.tree.timeline.after(frame.begin as usize)?)),
                LEFT | RIGHT => {
                    at_mut(self.tree.frames, top)?.stage += 1;
                    let (begin, end) =
                        if frame.stage == LEFT { (frame.begin, middle) } else { (middle, frame.end) };
                    *done += u64::from(frame.jobs);
                    self.tree.descend(top, begin, end)?;
                }
                DONE => self.tree.state.frames -= 1,
                _ => return Err(Error::Corrupt),
            }
        }
    }

    /// Visits the instant that [`Walk::step`] reached: passes the releases and closes the leaf. The probabilities that
    /// the head job could start here and would not with a candidate, by processors over the target, are added to
    /// `landings`, unless windows are followed: then `window` is made the distribution of released processors from the
    /// target on.
    pub(super) fn visit(&mut self, landings: &mut [f64], window: &mut [f64]) -> Result<Found> {
        let top = (self.tree.state.frames as usize).checked_sub(1).ok_or(Error::Corrupt)?;
        let frame = *at(self.tree.frames, top)?;
        let (target, high) = (self.tree.state.target as usize, self.tree.state.high as usize);
        let group = range(self.tree.order, 0, frame.jobs as usize)?;
        // The frame's window may reach further down than needed: jobs that released nothing did not shrink it.
        let base = target.saturating_sub(frame.pending as usize);
        let length = high.checked_sub(base).ok_or(Error::Corrupt)?;
        let skip = base.checked_sub(frame.base as usize).ok_or(Error::Corrupt)?;
        let start = frame.buffer as usize * self.tree.stride + skip;
        let (running, releases): (&[Running], _) = (self.tree.running, self.tree.releases);
        let members = group.iter().filter_map(move |&index| member(running.get(index as usize)?, releases));
        let below = range(self.tree.buffers, start, target - base)?;
        let mut work = length as u64;
        let (started, estimated);
        let followed = high > target;
        if let [index] = *group {
            let job = at(self.tree.running, index as usize)?;
            let release = at(self.tree.releases, (job.slot + job.cursor) as usize)?;
            (started, estimated) = (release.probability * sum(below), false);
            if !followed {
                // The lowest s from which this job crosses, max(0, target - width), lands at s + width.
                let lowest = (job.width as usize).saturating_sub(target);
                for (to, s) in landings.iter_mut().skip(lowest).zip(below) {
                    *to += release.probability * s;
                }
            }
        } else {
            let landings: &mut [f64] = if followed { &mut [] } else { landings };
            let joint = self.tie.land(below, target, members.clone(), landings)?;
            (started, estimated) = (joint.started, joint.estimated);
            work += joint.work;
        }
        if followed {
            // The group's own jobs join the rest, one after the other, the last of them in the window.
            let window = range_mut(window, 0, high - target)?;
            let [first, second] = &mut self.tie.rows;
            let (mut from, mut pending) = (base, frame.pending as usize);
            let source = range(self.tree.buffers, start, length)?;
            let last = group.len().saturating_sub(1);
            for (place, m) in members.enumerate() {
                pending = pending.checked_sub(m.width).ok_or(Error::Corrupt)?;
                let to = target.saturating_sub(pending);
                let source = if place == 0 { source } else { &**first };
                let joined: &mut [f64] = if place == last { window } else { second };
                add_job(source, from, joined, to, high - to, m.width, m.after);
                core::mem::swap(first, second);
                (from, work) = (to, work + (high - to) as u64);
            }
        }
        for &index in range(self.tree.order, 0, frame.jobs as usize)? {
            pass_release(at_mut(self.tree.running, index as usize)?, self.tree.releases)?;
        }
        self.tree.state.frames -= 1;
        Ok(Found { started, estimated, work })
    }
}

fn member(job: &Running, releases: &[Release]) -> Option<Member> {
    let release = releases.get((job.slot + job.cursor) as usize)?;
    let last = job.cursor + 1 >= job.releases;
    let after = if last { 1.0 } else { (job.ended + release.probability).min(1.0) };
    Some(Member { width: job.width as usize, before: job.ended, now: release.probability, after })
}
