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
use crate::backfill::judge::{Present, Tally};
use crate::backfill::segment::Segment;
use crate::backfill::tie::{Landing, Member, NEGLIGIBLE, Tie};
use crate::backfill::timeline::{Entry, Instant};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::Release;
use bytemuck::{Pod, Zeroable};

/// A running job in the caller's block.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Running {
    pub processors: u32,
    /// The same in units.
    pub width: u32,
    /// Where its releases start, and how many they are.
    pub slot: u32,
    pub releases: u32,
    /// The first release that the walk has not passed, and its time; `i64::MAX` when there is none.
    pub cursor: u32,
    /// The segment whose jobs were last gathered with this one among them.
    pub mark: u32,
    pub next: i64,
    /// Probability that it has ended by the present of the walk.
    pub ended: f64,
    /// When it ends by its limit, in seconds from now.
    pub limit: i64,
}

/// A run of instants under way.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Frame {
    pub begin: u32,
    pub end: u32,
    /// The jobs with a release inside are the first so many of the order; those up to `family` are to be added.
    pub jobs: u32,
    pub family: u32,
    pub stage: u32,
    /// The next job to be added, and how many of those still to come can have released anything.
    pub next: u32,
    pub adds: u32,
    /// Processors of the jobs inside and of those not yet added.
    pub pending: u32,
    /// Where the distribution is: which buffer, the value of its first element, and where it ends.
    pub buffer: u32,
    pub base: u32,
    pub high: u32,
    /// Whether it is to be kept when it is complete, or lies inside one that is: see below.
    pub keep: u32,
}

pub(super) const ADD: u32 = 0;
const LEFT: u32 = 1;
const RIGHT: u32 = 2;
const DONE: u32 = 3;
const VISIT: u32 = 4;

/// A frame's `keep`: still to be divided into segments; a segment; inside one, or nothing is kept at all.
const ABOVE: u32 = 0;
pub(super) const SEGMENT: u32 = 1;
const INSIDE: u32 = 2;

/// Fewer instants are visited without asking whether anything can happen at them: asking costs as much.
const WORTH_PASSING: u32 = 4;

/// The scalars of a walk.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Extent {
    /// Processors to be released for the head job, in units.
    pub target: u32,
    /// Where the windows end: `target`, or more when S is followed beyond it.
    pub high: u32,
    pub instants: u32,
    pub running: u32,
    pub frames: u32,
    /// The first instant that no frame covers yet.
    pub next: u32,
    /// Processors of one unit of width.
    pub unit: u32,
    /// Where the windows of segments end, so that they serve the walks after every acceptance to come.
    pub reach: u32,
    /// The most instants of a segment; 0 when none are kept.
    pub grain: u32,
    /// Segments kept, how many of them this walk has passed, and the cells they fill.
    pub segments: u32,
    pub segment: u32,
    pub kept: u32,
}

/// The walk's slices of the caller's block.
pub(super) struct Walk<'a> {
    pub extent: &'a mut Extent,
    pub running: &'a mut [Running],
    pub releases: &'a [Release],
    pub entries: &'a [Entry],
    pub instants: &'a [Instant],
    /// The running jobs; each frame's are a prefix.
    pub order: &'a mut [u32],
    pub frames: &'a mut [Frame],
    /// One distribution a frame, and a spare one at the end.
    pub buffers: &'a mut [f64],
    pub stride: usize,
    pub segments: &'a mut [Segment],
    /// The segments' distributions, one behind the other.
    pub store: &'a mut [f64],
    pub tie: Tie<'a>,
}

/// What one step did.
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
        let target = self.extent.target as usize;
        (self.extent.frames, self.extent.segment) = (0, 0);
        self.extent.next = self.extent.instants;
        let running = range_mut(self.running, 0, self.extent.running as usize)?;
        rewind(running, self.releases)?;
        let total: usize = running.iter().map(|job| job.width as usize).sum();
        if total < target {
            return Ok(()); // the head job cannot start, so nothing can delay it
        }
        // Segments of an earlier walk begin where the head job could start without the candidates accepted since.
        let kept = self.segments.first().filter(|_| self.extent.segments > 0).map(|segment| segment.from);
        let mut possible = 0;
        for (index, instant) in (0u32..).zip(range(self.instants, 0, self.extent.instants as usize)?) {
            let entries = range(self.entries, instant.entry as usize, instant.count as usize)?;
            for entry in entries.iter().filter(|entry| entry.first != 0) {
                possible += at(running, entry.job as usize)?.width as usize;
            }
            if kept.map_or(possible >= target, |from| instant.after >= from) {
                self.extent.next = index;
                break;
            }
            for entry in entries {
                pass_release(at_mut(running, entry.job as usize)?, self.releases)?;
            }
        }
        Ok(())
    }

    /// Opens a frame for all instants that no other covers.
    fn open_rest(&mut self) -> Result<()> {
        let Extent { target, next, instants, .. } = *self.extent;
        let (mut jobs, mut pending, mut released) = (0, 0, 0);
        for (index, job) in (0u32..).zip(range(self.running, 0, self.extent.running as usize)?) {
            if job.cursor < job.releases {
                *at_mut(self.order, jobs)? = index;
                jobs += 1;
                pending += job.width;
            } else {
                released += job.width;
            }
        }
        let keep = self.keep(ABOVE, instants - next);
        let high = if self.extent.grain == 0 { self.extent.high } else { self.extent.reach };
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
        (self.extent.frames, self.extent.next) = (1, instants);
        Ok(())
    }

    /// What becomes of a frame of so many instants below one of this kind.
    fn keep(&self, above: u32, instants: u32) -> u32 {
        match above {
            ABOVE if self.extent.grain == 0 => INSIDE,
            ABOVE if instants <= self.extent.grain => SEGMENT,
            ABOVE => ABOVE,
            _ => INSIDE,
        }
    }

    /// Moves on inside the tree until an instant is reached, or passed, or about `work` multiply-adds are `done`; one
    /// addition at least is made.
    pub(super) fn step(&mut self, work: u64, done: &mut u64) -> Result<Progress> {
        loop {
            let Some(top) = (self.extent.frames as usize).checked_sub(1) else {
                if self.extent.next >= self.extent.instants {
                    return Ok(Progress::Over);
                }
                if self.extent.segment < self.extent.segments {
                    if let Some(after) = self.open_segment()? {
                        return Ok(Progress::Passed(after));
                    }
                } else {
                    self.open_rest()?;
                }
                continue;
            };
            let frame = *at(self.frames, top)?;
            let middle = frame.begin + (frame.end - frame.begin) / 2;
            match frame.stage {
                ADD if frame.next < frame.family => {
                    self.add_jobs(top, work, done)?;
                    if *done >= work {
                        return Ok(Progress::Interrupted);
                    }
                }
                ADD => {
                    let asked = frame.end - frame.begin >= WORTH_PASSING;
                    let nothing = asked && sum(self.distribution(&frame)?) < NEGLIGIBLE;
                    if frame.keep == SEGMENT || (frame.keep == ABOVE && nothing) {
                        self.keep_segment(&frame, nothing)?;
                    }
                    if nothing {
                        self.extent.frames -= 1;
                        return Ok(Progress::Passed(self.pass(frame.begin, frame.end)?));
                    }
                    let leaf = frame.end - frame.begin == 1;
                    at_mut(self.frames, top)?.stage = if leaf { VISIT } else { LEFT };
                }
                VISIT => return Ok(Progress::Reached(at(self.instants, frame.begin as usize)?.after)),
                LEFT | RIGHT => {
                    at_mut(self.frames, top)?.stage += 1;
                    let (begin, end) =
                        if frame.stage == LEFT { (frame.begin, middle) } else { (middle, frame.end) };
                    *done += u64::from(frame.jobs);
                    self.descend(top, begin, end)?;
                }
                DONE => self.extent.frames -= 1,
                _ => return Err(Error::Corrupt),
            }
        }
    }

    /// A complete frame's distribution, from the lowest value that matters.
    fn distribution(&self, frame: &Frame) -> Result<&[f64]> {
        // The window may reach further down than needed: jobs that released nothing did not shrink it.
        let base = self.extent.target.saturating_sub(frame.pending);
        let skip = base.checked_sub(frame.base).ok_or(Error::Corrupt)? as usize;
        let length = frame.high.checked_sub(base).ok_or(Error::Corrupt)? as usize;
        range(self.buffers, frame.buffer as usize * self.stride + skip, length)
    }

    /// Passes all releases of the instants from `begin` to before `end`; returns the time of the last.
    pub(super) fn pass(&mut self, begin: u32, end: u32) -> Result<i64> {
        let count = end.checked_sub(begin).ok_or(Error::Corrupt)?;
        let instants = range(self.instants, begin as usize, count as usize)?;
        for instant in instants {
            for entry in range(self.entries, instant.entry as usize, instant.count as usize)? {
                pass_release(at_mut(self.running, entry.job as usize)?, self.releases)?;
            }
        }
        Ok(instants.last().ok_or(Error::Corrupt)?.after)
    }

    /// Opens the frame of a child: its jobs move to the front of the order.
    fn descend(&mut self, parent: usize, begin: u32, end: u32) -> Result<()> {
        let above = *at(self.frames, parent)?;
        // Instants are distinct times, so "inside" is a matter of the job's next release.
        let next = range(self.instants, 0, self.extent.instants as usize)?.get(end as usize);
        let until = next.map_or(i64::MAX, |instant| instant.after);
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
            high: if keep == INSIDE { self.extent.high } else { above.high },
            keep,
            ..above
        };
        self.extent.frames = child as u32 + 1;
        Ok(())
    }

    /// Adds the family's jobs that have no release inside, one after the other.
    fn add_jobs(&mut self, top: usize, work: u64, done: &mut u64) -> Result<()> {
        let spare = self.frames.len();
        let target = self.extent.target;
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

    /// Visits the instant that [`Walk::step`] reached: updates the tally, passes the releases, closes the leaf. Returns
    /// the multiply-adds.
    pub(super) fn visit(&mut self, present: &mut Present, tally: &mut Tally) -> Result<u64> {
        let top = (self.extent.frames as usize).checked_sub(1).ok_or(Error::Corrupt)?;
        let frame = *at(self.frames, top)?;
        let (target, high) = (self.extent.target as usize, self.extent.high as usize);
        let group = range(self.order, 0, frame.jobs as usize)?;
        // The frame's window may reach further down than needed: jobs that released nothing did not shrink it.
        let base = target.saturating_sub(frame.pending as usize);
        let length = high.checked_sub(base).ok_or(Error::Corrupt)?;
        let skip = base.checked_sub(frame.base as usize).ok_or(Error::Corrupt)?;
        let start = frame.buffer as usize * self.stride + skip;
        let (running, releases): (&[Running], _) = (self.running, self.releases);
        let members = group.iter().filter_map(move |&index| member(running.get(index as usize)?, releases));
        let below = range(self.buffers, start, target - base)?;
        let mut work = length as u64;
        let window = high > target;
        if let [index] = *group {
            let job = at(self.running, index as usize)?;
            let release = at(self.releases, (job.slot + job.cursor) as usize)?;
            present.started += release.probability * sum(below);
            if !window {
                // The lowest s from which this job crosses, max(0, target - width), lands at s + width.
                let lowest = (job.width as usize).saturating_sub(target);
                for (to, s) in tally.suffered.iter_mut().skip(lowest).zip(below) {
                    *to += release.probability * s;
                }
            }
        } else {
            let landing: &mut [f64] = if window { &mut [] } else { tally.suffered };
            let Landing { started, at_most, work: done } =
                self.tie.land(below, target, members.clone(), landing)?;
            present.started += started;
            present.at_most |= u32::from(at_most);
            work += done;
        }
        if window {
            // The group's own jobs join the rest, one after the other.
            let [first, second] = &mut self.tie.rows;
            let (mut from, mut pending) = (base, frame.pending as usize);
            range_mut(first, 0, length)?.copy_from_slice(range(self.buffers, start, length)?);
            for m in members {
                pending = pending.checked_sub(m.width).ok_or(Error::Corrupt)?;
                let to = target.saturating_sub(pending);
                add_job(first, from, second, to, high - to, m.width, m.after);
                core::mem::swap(first, second);
                (from, work) = (to, work + (high - to) as u64);
            }
            range_mut(tally.window, 0, high - target)?.copy_from_slice(range(first, 0, high - target)?);
        }
        for &index in range(self.order, 0, frame.jobs as usize)? {
            pass_release(at_mut(self.running, index as usize)?, self.releases)?;
        }
        self.extent.frames -= 1;
        Ok(work)
    }
}

/// Goes back to the present, before all releases.
pub(super) fn rewind(running: &mut [Running], releases: &[Release]) -> Result<()> {
    for job in running {
        let first = at(releases, job.slot as usize)?.after;
        (job.cursor, job.ended, job.next, job.mark) = (0, 0.0, first, 0);
    }
    Ok(())
}

/// Passes a job's next release.
pub(super) fn pass_release(job: &mut Running, releases: &[Release]) -> Result<()> {
    let release = at(releases, (job.slot + job.cursor) as usize)?;
    job.cursor += 1;
    if job.cursor >= job.releases {
        // The last one makes it certain whatever the rounding.
        (job.ended, job.next) = (1.0, i64::MAX);
    } else {
        job.ended = (job.ended + release.probability).min(1.0);
        job.next = at(releases, (job.slot + job.cursor) as usize)?.after;
    }
    Ok(())
}

fn member(job: &Running, releases: &[Release]) -> Option<Member> {
    let release = releases.get((job.slot + job.cursor) as usize)?;
    let last = job.cursor + 1 >= job.releases;
    let after = if last { 1.0 } else { (job.ended + release.probability).min(1.0) };
    Some(Member { width: job.width as usize, before: job.ended, now: release.probability, after })
}

/// Two different buffers, one to read and one to write.
fn two_buffers(buffers: &mut [f64], stride: usize, from: usize, to: usize) -> Result<(&[f64], &mut [f64])> {
    let (low, high) = (from.min(to), from.max(to));
    let (front, back) = buffers.split_at_mut_checked(high * stride).ok_or(Error::Corrupt)?;
    let low = range_mut(front, low * stride, stride)?;
    let high = range_mut(back, 0, stride)?;
    Ok(if from < to { (low, high) } else { (high, low) })
}
