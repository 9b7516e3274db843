//! The nodes over time: running jobs end, and planned jobs begin and end.

use crate::error::{Error, Result};
use crate::memory::{Carver, at, at_mut};
use crate::nodes::asked::Jobs;
use crate::nodes::machine::{NONE, Nodes, Ranked};
use crate::nodes::place::{EachRoom, choose};
use crate::nodes::request::{Amounts, Fit, MAX_RESOURCES, Part, RawRequest};
use crate::plan::LONGEST;
use bytemuck::{Pod, Zeroable};

/// A change of the free amounts on a node.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Change {
    /// Twice the instant, and 1 more where something is taken: amounts that become free at an instant are free for jobs
    /// that begin then.
    when: u32,
    /// The next change on the same node.
    next: u32,
    tasks: u32,
    /// The running job's handle, or the planned job's number behind `asked::WAITING`.
    job: u32,
}

/// Number of spans that are looked at together.
pub(super) const TOGETHER: usize = 16;

/// The changes of every node, in the order of time.
pub(crate) struct Timeline<'a> {
    /// The first change of each node.
    first: &'a mut [u32],
    changes: &'a mut [Change],
}

/// The rest of a node: its free amounts, and its number of jobs.
struct Left {
    free: [u32; MAX_RESOURCES],
    jobs: u32,
}

impl Left {
    /// The rest of a node now.
    fn new(nodes: &Nodes, node: u32) -> Result<Left> {
        let mut left = Left { free: [0; MAX_RESOURCES], jobs: at(nodes.slices.nodes, node as usize)?.jobs };
        left.free.iter_mut().zip(nodes.row(node)?).for_each(|(to, from)| *to = *from);
        Ok(left)
    }

    fn change(&mut self, change: &Change, jobs: &Jobs<'_, '_>) -> Result<()> {
        let moved = jobs.request(change.job)?;
        let takes = change.when % 2 == 1;
        for (free, each) in self.free.iter_mut().zip(moved.each) {
            let amount = each.saturating_mul(change.tasks);
            *free = if takes { free.saturating_sub(amount) } else { free.saturating_add(amount) };
        }
        self.jobs = if takes { moved.joined(self.jobs) } else { moved.left(self.jobs) };
        Ok(())
    }
}

impl<'a> Timeline<'a> {
    pub(super) fn parts(carver: &mut Carver<'a>, nodes: usize, changes: usize) -> Result<Timeline<'a>> {
        Ok(Timeline { first: carver.take(nodes)?, changes: carver.take(changes)? })
    }

    /// Removes all changes.
    pub(super) fn clear(&mut self) {
        self.first.iter_mut().for_each(|first| *first = NONE);
    }

    /// Number of changes for which there is room behind those used.
    pub(super) fn left(&self, used: usize) -> usize {
        self.changes.len().saturating_sub(used)
    }

    /// Adds the changes of a job's parts, taken or given back at this instant; `used` changes are there already.
    /// Returns the number of changes then. O(parts x changes of their nodes before that instant).
    pub(super) fn add(
        &mut self,
        used: usize,
        when: u32,
        takes: bool,
        job: u32,
        parts: &[Part],
    ) -> Result<usize> {
        let when = 2 * when + u32::from(takes);
        let new = self.changes.get_mut(used..used + parts.len()).ok_or(Error::Full)?;
        for (new, part) in new.iter_mut().zip(parts) {
            *new = Change { when, next: NONE, tasks: part.tasks, job };
        }
        // Changes of the same instant and direction may stand in any order: the newest comes first, without a walk.
        for (place, part) in (used..).zip(parts) {
            let first = at_mut(self.first, part.node as usize)?;
            let (mut before, mut next) = (NONE, *first);
            while let Some(change) = self.changes.get(next as usize).filter(|change| change.when < when) {
                (before, next) = (next, change.next);
            }
            at_mut(self.changes, place)?.next = next;
            match self.changes.get_mut(before as usize) {
                Some(before) => before.next = place as u32,
                None => *first = place as u32,
            }
        }
        Ok(used + parts.len())
    }

    /// Number of tasks of a request that find room on a node from the first of these instants until before the second,
    /// the free amounts at the first, and the seconds without a change before and after.
    pub(super) fn room(
        &self,
        jobs: &Jobs<'_, '_>,
        request: &RawRequest,
        node: u32,
        (start, end): (u32, u32),
    ) -> Result<(u32, Amounts, u32)> {
        let nodes = jobs.nodes;
        let mut left = Left::new(nodes, node)?;
        if !nodes.admits(request, node)? {
            return Ok((0, left.free, 0));
        }
        let room = |left: &Left| request.room(&left.free, left.jobs);
        let mut next = *at(self.first, node as usize)?;
        let mut least = None;
        // Times of the last change before and of the first one after.
        let (mut since, mut until) = (0, LONGEST);
        while let Some(change) = self.changes.get(next as usize) {
            if change.when >= 2 * end {
                until = change.when / 2;
                break;
            }
            since = if change.when <= 2 * start { change.when / 2 } else { since };
            if change.when > 2 * start {
                // The rest at the start is known, and later changes can only narrow it.
                let here = room(&left);
                let (before, free) = least.unwrap_or((here, left.free));
                if here.min(before) == 0 {
                    return Ok((0, free, 0));
                }
                least = Some((here.min(before), free));
            }
            left.change(change, jobs)?;
            next = change.next;
        }
        let here = room(&left);
        let gap = start.saturating_sub(since).saturating_add(until.saturating_sub(end));
        let (least, free) = least.map_or((here, left.free), |(least, free)| (least.min(here), free));
        Ok((least, free, gap))
    }

    /// Number of tasks that find room on all nodes together in each of these spans, which begin and end one after the
    /// other. O(nodes x changes).
    pub(super) fn rooms(
        &self,
        jobs: &Jobs<'_, '_>,
        request: &RawRequest,
        spans: &[(u32, u32); TOGETHER],
    ) -> Result<[u64; TOGETHER]> {
        let mut rooms = [0_u64; TOGETHER];
        let last = spans.iter().map(|span| span.1).max().unwrap_or(0);
        for node in 0..jobs.nodes.state.nodes {
            if !jobs.nodes.admits(request, node)? {
                continue;
            }
            let mut left = Left::new(jobs.nodes, node)?;
            let mut next = *at(self.first, node as usize)?;
            let mut least = [u32::MAX; TOGETHER];
            let mut since = 0;
            while since < last {
                // Until the next change the node stays as it is.
                let change = self.changes.get(next as usize);
                let until = change.map_or(u32::MAX, |change| change.when / 2);
                if until > since {
                    let room = request.room(&left.free, left.jobs);
                    for (least, (start, end)) in least.iter_mut().zip(spans) {
                        let here = if *start < until && since < *end { room } else { u32::MAX };
                        *least = (*least).min(here);
                    }
                    since = until;
                }
                if let Some(change) = change {
                    left.change(change, jobs)?;
                    next = change.next;
                }
            }
            rooms.iter_mut().zip(least).for_each(|(sum, room)| *sum += u64::from(room));
        }
        Ok(rooms)
    }

    /// Finds nodes for a request between these instants, as [`place`](super::place) does. O(nodes x changes).
    pub(super) fn place(
        &self,
        jobs: &Jobs<'_, '_>,
        request: &RawRequest,
        fit: Fit,
        avoided: impl Fn(u32) -> u32,
        span: (u32, u32),
        (ranked, out): (&mut [Ranked], &mut [Part]),
    ) -> Result<Option<usize>> {
        let nodes = jobs.nodes;
        let resources = nodes.state.capacity.resources as usize;
        let each_room = |each: &mut EachRoom<'_>| {
            for (number, node) in nodes.slices.nodes.iter().take(nodes.state.nodes as usize).enumerate() {
                let (room, free, gap) = self.room(jobs, request, number as u32, span)?;
                let class = at(nodes.slices.classes, node.class as usize)?;
                let ranks = (node.place(), gap);
                if room > 0 && each(number as u32, class, free.get(..resources).unwrap_or(&[]), room, ranks)?
                {
                    break;
                }
            }
            Ok(())
        };
        let room = |node| Ok(self.room(jobs, request, node, span)?.0);
        choose(request, fit, avoided, ranked, out, each_room, room)
    }
}
