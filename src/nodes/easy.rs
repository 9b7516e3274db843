//! EASY backfilling by the time limits, on the nodes.

use crate::error::Result;
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::nodes::asked::{Asked, Jobs, WAITING};
use crate::nodes::guard::{Ending, NodeGuard};
use crate::nodes::machine::Nodes;
use crate::nodes::plan::NodePlan;
use crate::nodes::request::Fit;
use crate::nodes::starts::begin_job;
use crate::plan::Until;

impl NodePlan<'_> {
    /// Starts by EASY backfilling by the time limits, in the order in which the waiting jobs were added: all that fit;
    /// then those that do not delay the first that does not. Without `overtaking` no job passes that one. Afterwards
    /// [`NodePlan::starting`] returns the jobs that start now with their nodes; nothing is planned. O(nodes) for each
    /// waiting job.
    pub(crate) fn decide_easy(&mut self, nodes: &Nodes, overtaking: bool) -> Result<()> {
        self.check(nodes)?;
        (self.state.started, self.state.parts, self.state.planned, self.state.promised_to) = (0, 0, 1, 0);
        let mut limited = self.state.running as usize;
        let (mut guard, mut changes): (Option<NodeGuard>, usize) = (None, 0);
        self.slices.timeline.clear();
        self.slices.later.copy(nodes)?;
        let mut licences = nodes.state.pool_free;
        for number in 0..self.state.waiting as usize {
            let job = *at(self.slices.waiting, number)?;
            let Asked { request, fit, .. } = *at(self.slices.asked, number)?;
            let jobs = Jobs { nodes, asked: self.slices.asked, parts: self.slices.parts };
            let mut found = None;
            let licensed = request.pool.iter().zip(licences).all(|(need, free)| *need <= free);
            if !job.is_later() && (guard.is_none() || overtaking) && licensed && nodes.may_fit(&request) {
                let scratch = (&mut *self.slices.nodes, &mut *self.slices.found);
                // Placed one instant later, when the jobs that start now are in the timeline.
                let fit = Fit::from_number(fit)?;
                found = self.slices.timeline.place(&jobs, &request, fit, |_| 0, (1, 2), scratch)?;
            }
            let room = self
                .slices
                .timeline
                .left(changes)
                .min(self.slices.parts.len().saturating_sub(self.state.parts as usize));
            let mut count = found.filter(|&count| count <= room);
            match (&mut guard, count) {
                (None, Some(count)) => {
                    self.slices.later.take(&request, range(self.slices.found, 0, count)?)?;
                    let name = WAITING + number as u32;
                    *at_mut(self.slices.limited, limited)? = Ending { after: job.limit, job: name };
                    limited += 1;
                }
                (None, None) => {
                    let limited = range_mut(self.slices.limited, 0, limited)?;
                    heap::sort(limited)?;
                    let (then, found) = (&mut self.slices.later, &mut *self.slices.found);
                    guard = Some(NodeGuard::new(
                        then,
                        &request,
                        (job.is_later(), Until::Earliest),
                        limited,
                        &jobs,
                        found,
                    )?);
                    continue;
                }
                (Some(guard), Some(mut used)) => {
                    let parts = range(self.slices.found, 0, used)?;
                    if !guard.admits(&mut self.slices.later, &request, job.limit, parts)? {
                        // Placed off the nodes that the first blocked job needs, if there are others.
                        let jobs = Jobs { nodes, asked: self.slices.asked, parts: self.slices.parts };
                        let scratch = (&mut *self.slices.nodes, &mut *self.slices.found);
                        let (then, head) = (self.slices.later.view()?, guard.head);
                        let avoided = |node| u32::from(then.room(&head, node).is_ok_and(|room| room > 0));
                        let timeline = &self.slices.timeline;
                        let found = timeline.place(&jobs, &request, Fit::Apart, avoided, (1, 2), scratch)?;
                        let Some(others) = found.filter(|&others| others <= room) else { continue };
                        let parts = range(self.slices.found, 0, others)?;
                        if !guard.admits(&mut self.slices.later, &request, job.limit, parts)? {
                            continue;
                        }
                        used = others;
                    }
                    count = Some(used);
                }
                (Some(_), None) => continue,
            }
            let parts = range(self.slices.found, 0, count.unwrap_or(0))?;
            let name = WAITING + number as u32;
            changes = self.slices.timeline.add(changes, 0, true, name, parts)?;
            licences.iter_mut().zip(request.pool).for_each(|(free, need)| *free = free.saturating_sub(need));
            let starts = (&mut *self.slices.asked, &mut *self.slices.parts, &mut *self.slices.starting);
            begin_job(self.state, starts, number, parts)?;
        }
        Ok(())
    }
}
