//! From an order to starts: every job gets its place on the nodes themselves.

use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::nodes::asked::{Asked, Jobs, WAITING};
use crate::nodes::guard::{Ending, NodeGuard};
use crate::nodes::machine::Nodes;
use crate::nodes::place::place;
use crate::nodes::plan::{NodePlan, State};
use crate::nodes::request::{Fit, Part, RawRequest};
use crate::plan::{LONGEST, Profile, WINDOW, Waiting, up};

/// The most instants at which a job is looked room for on the nodes, of those at which the sums suffice.
const TRIES: u32 = 64;

impl NodePlan<'_> {
    /// Starts all jobs in the order of submission if all fit together.
    pub(super) fn starts_all(&mut self, nodes: &Nodes) -> Result<bool> {
        let count = self.state.waiting as usize;
        if count > WINDOW || range(self.slices.waiting, 0, count)?.iter().any(Waiting::is_later) {
            return Ok(false);
        }
        self.slices.later.copy(nodes)?;
        for number in 0..count {
            let Asked { request, fit, .. } = *at(self.slices.asked, number)?;
            let view = self.slices.later.view()?;
            let (ranked, found) = (&mut *self.slices.nodes, &mut *self.slices.found);
            let Some(parts) = place(&view, &request, Fit::from_number(fit)?, |_| 0, ranked, found)? else {
                (self.state.parts, self.state.started) = (0, 0);
                return Ok(false);
            };
            let found = range(self.slices.found, 0, parts)?;
            self.slices.later.take(&request, found)?;
            let starts = (&mut *self.slices.asked, &mut *self.slices.parts, &mut *self.slices.starting);
            begin_job(self.state, starts, number, found)?;
        }
        range_mut(self.slices.waiting, 0, count)?.iter_mut().for_each(|job| job.start = 0);
        Ok(true)
    }

    /// Gives every job that has a place one on the nodes themselves, in the plan's order, each at the earliest instant
    /// beside those before it; those that are there now start. While the front job waits, those alone that EASY by the
    /// limits would let pass it.
    pub(super) fn settle(&mut self, nodes: &Nodes, front: Option<usize>) -> Result<()> {
        let running = range(self.slices.running, 0, self.state.running as usize)?;
        let next_end = running.first().map_or(LONGEST, |ending| ending.after);
        let mut changes = 0;
        self.slices.timeline.clear();
        for ending in running {
            let count = nodes.placement(ending.job, self.slices.found)?;
            let parts = range(self.slices.found, 0, count)?;
            changes = self.slices.timeline.add(changes, ending.after, false, ending.job, parts)?;
        }
        let (first, others) = self.slices.profiles.split_first_mut().ok_or(Error::Corrupt)?;
        let profile = others.first_mut().ok_or(Error::Corrupt)?;
        profile.copy(first);
        let (groups, classes) = (self.state.groups, &*self.slices.classes);
        let front =
            front.map(|front| Ok((*at(self.slices.waiting, front)?, at(self.slices.asked, front)?.request)));
        let front = front.transpose()?.filter(|(job, _)| job.start > 0);
        let (mut guard, mut limited) = (None, self.state.running as usize);
        self.slices.later.copy(nodes)?;
        // Those that start take the places of those that were looked at.
        for place in 0..core::mem::take(&mut self.state.started) as usize {
            let number = *at(self.slices.starting, place)?;
            let job = *at(self.slices.waiting, number as usize)?;
            let Asked { request, fit, .. } = *at(self.slices.asked, number as usize)?;
            let fit = Fit::from_number(fit)?;
            let demand = groups.demand(nodes, classes, &request)?;
            let mut from = if job.is_later() { next_end } else { 0 };
            let window = place < WINDOW;
            let heeded = front.filter(|(front, _)| front.tier >= job.tier);
            if let (Some((front, head)), None) = (heeded, guard) {
                let limited = range_mut(self.slices.limited, 0, limited)?;
                heap::sort(limited)?;
                let jobs = Jobs { nodes, asked: self.slices.asked, parts: self.slices.parts };
                let (then, found) = (&mut self.slices.later, &mut *self.slices.found);
                guard = Some(NodeGuard::new(then, &head, front.is_later(), limited, &jobs, found)?);
            }
            let then = self.slices.later.view()?;
            let apart = guard.filter(|_| fit == Fit::Apart).map(|guard: NodeGuard| guard.head);
            let room = |head: &RawRequest, node| then.room(head, node).is_ok_and(|room| room > 0);
            let avoided = |node| u32::from(apart.as_ref().is_some_and(|head| room(head, node)));
            let jobs = Jobs { nodes, asked: self.slices.asked, parts: self.slices.parts };
            let mut found = None;
            for _ in 0..TRIES {
                let Some(sums) = profile.earliest(&demand, job.run_time, from) else { break };
                if sums.start >= LONGEST {
                    break;
                }
                if sums.start > 0 && (!window || self.state.shared == 0) {
                    // Whole nodes are like processors: which of them it will have does not matter yet. Nor does it
                    // beyond the window, where those that start now alone are looked for.
                    found = Some((sums, 0, LONGEST));
                    break;
                }
                let end = sums.start.saturating_add(job.run_time).min(LONGEST);
                let scratch = (&mut *self.slices.nodes, &mut *self.slices.found);
                let timeline = &self.slices.timeline;
                let span = (sums.start, end);
                if let Some(count) = timeline.place(&jobs, &request, fit, avoided, span, scratch)? {
                    found = Some((sums, count, up(end)));
                    break;
                }
                let Some(next) = profile.next(sums.start) else { break };
                from = next;
            }
            let waiting = at_mut(self.slices.waiting, number as usize)?;
            let Some((sums, count, end)) = found else {
                waiting.start = waiting.start.max(next_end);
                continue;
            };
            waiting.start = sums.start;
            profile.take(&sums, &demand, job.run_time);
            let parts = range(self.slices.found, 0, count)?;
            let name = WAITING + number;
            changes = self.slices.timeline.add(changes, sums.start, true, name, parts)?;
            changes = self.slices.timeline.add(changes, end, false, name, parts)?;
            if sums.start > 0 || job.is_later() {
                continue;
            }
            match &mut guard {
                Some(guard) if heeded.is_some() => {
                    if !guard.admits(&mut self.slices.later, &request, job.limit, parts)? {
                        continue;
                    }
                }
                Some(_) => {}
                None => {
                    self.slices.later.take(&request, parts)?;
                    *at_mut(self.slices.limited, limited)? = Ending { after: job.limit, job: name };
                    limited += 1;
                }
            }
            let starts = (&mut *self.slices.asked, &mut *self.slices.parts, &mut *self.slices.starting);
            begin_job(self.state, starts, number as usize, parts)?;
        }
        Ok(())
    }
}

/// A job starts on these nodes.
fn begin_job(
    state: &mut State,
    (asked, parts, starting): (&mut [Asked], &mut [Part], &mut [u32]),
    number: usize,
    found: &[Part],
) -> Result<()> {
    let own = range_mut(parts, state.parts as usize, found.len()).map_err(|_| Error::Full)?;
    own.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
    let asked = at_mut(asked, number)?;
    (asked.first, asked.parts) = (state.parts, found.len() as u32);
    *at_mut(starting, state.started as usize)? = number as u32;
    state.parts += found.len() as u32;
    state.started += 1;
    Ok(())
}
