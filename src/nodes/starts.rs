//! Starts from an order: every job gets its place on the nodes themselves.

use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::nodes::asked::{Asked, Jobs, WAITING};
use crate::nodes::groups::{Demand, SumsOverTime};
use crate::nodes::guard::{Ending, NodeGuard};
use crate::nodes::licences::Licences;
use crate::nodes::machine::{Nodes, Ranked};
use crate::nodes::place::place;
use crate::nodes::plan::{NodePlan, State};
use crate::nodes::request::{Fit, Part, RawRequest};
use crate::nodes::timeline::{TOGETHER, Timeline};
use crate::plan::{Guarded, LONGEST, Place, Profile, Rooms, Until, WINDOW, Waiting, up};

/// A place by the sums.
type Span = Place<Rooms<SumsOverTime>>;

/// Largest number of instants, of those at which the sums suffice, at which room is sought on the nodes for a job.
const TRIES: usize = 64;

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
            if found.len() > self.slices.parts.len().saturating_sub(self.state.parts as usize) {
                (self.state.parts, self.state.started) = (0, 0);
                return Ok(false);
            }
            self.slices.later.take(&request, found)?;
            let starts = (&mut *self.slices.asked, &mut *self.slices.parts, &mut *self.slices.starting);
            begin_job(self.state, starts, number, found)?;
        }
        range_mut(self.slices.waiting, 0, count)?.iter_mut().for_each(|job| job.start = 0);
        Ok(true)
    }

    /// Gives every job that has a place one on the nodes themselves, in the plan's order, each at the earliest instant
    /// beside those before it; those that are there now start. While the guarded job waits, only those that EASY by the
    /// limits would let pass it.
    pub(super) fn start(&mut self, nodes: &Nodes, guarded: Option<Guarded>) -> Result<()> {
        let running = range(self.slices.running, 0, self.state.running as usize)?;
        let next_end = running.first().map_or(LONGEST, |ending| ending.after);
        let mut changes = 0;
        self.slices.timeline.clear();
        // Jobs that end last come first: each change is put before all others of its node.
        for ending in running.iter().rev() {
            let count = nodes.placement(ending.job, self.slices.found)?;
            let parts = range(self.slices.found, 0, count)?;
            changes = self.slices.timeline.add(changes, ending.after, false, ending.job, parts)?;
        }
        let (first, others) = self.slices.profiles.split_first_mut().ok_or(Error::Corrupt)?;
        let profile = others.first_mut().ok_or(Error::Corrupt)?;
        profile.copy(first);
        let (groups, classes) = (self.state.groups, &*self.slices.classes);
        let guarded = guarded.map(|(number, until)| {
            let job = *at(self.slices.waiting, number)?;
            Ok(Heeded { number, job, request: at(self.slices.asked, number)?.request, until })
        });
        let mut guarded = guarded.transpose()?;
        let (mut guard, mut limited) = (None, self.state.running as usize);
        self.slices.later.copy(nodes)?;
        let ends = running.iter().map(|ending| Ok((ending.after, nodes.job(ending.job)?.request)));
        self.slices.licences.begin(&nodes.state.pool_free, ends)?;
        // The list of jobs that start is written over the one read here.
        for place in 0..core::mem::take(&mut self.state.started) as usize {
            let number = *at(self.slices.starting, place)?;
            let job = *at(self.slices.waiting, number as usize)?;
            let Asked { request, fit, from, .. } = *at(self.slices.asked, number as usize)?;
            let fit = Fit::from_number(fit)?;
            let demand = groups.demand(nodes, classes, &request)?;
            let from = if job.is_later() { from.max(next_end) } else { from };
            let window = place < WINDOW;
            let heeded = guarded.filter(|guarded: &Heeded| {
                // The front job comes before all jobs that must not delay it; a head job may be planned to start now,
                // behind them.
                let waits = guarded.until == Until::Earliest || guarded.job.start > 0;
                guarded.number != number as usize && guarded.job.tier >= job.tier && waits
            });
            if let (Some(heeded), None) = (heeded, guard) {
                let limited = range_mut(self.slices.limited, 0, limited)?;
                heap::sort(limited)?;
                let jobs = Jobs { nodes, asked: self.slices.asked, parts: self.slices.parts };
                let (then, found) = (&mut self.slices.later, &mut *self.slices.found);
                let when = (heeded.job.is_later(), heeded.until);
                guard = Some(NodeGuard::new(then, &heeded.request, when, limited, &jobs, found)?);
            }
            let then = self.slices.later.view()?;
            let apart = guard.filter(|_| fit == Fit::Apart).map(|guard: NodeGuard| guard.head);
            let room = |head: &RawRequest, node| then.room(head, node).is_ok_and(|room| room > 0);
            let avoided = |node| u32::from(apart.as_ref().is_some_and(|head| room(head, node)));
            let jobs = Jobs { nodes, asked: self.slices.asked, parts: self.slices.parts };
            // Whole nodes are like processors: the choice among them does not matter before a job starts. Nor does it
            // beyond the window, where only jobs that start now are sought.
            let sought = Sought {
                request: &request,
                fit,
                demand,
                run_time: job.run_time,
                from,
                window,
                by_nodes: window && self.state.shared != 0,
            };
            let over_time = (&*profile, &mut self.slices.licences, &self.slices.timeline);
            let scratch = (&mut *self.slices.nodes, &mut *self.slices.found);
            let found = sought.first(&jobs, over_time, avoided, scratch)?;
            let free = self.slices.parts.len().saturating_sub(self.state.parts as usize);
            let room = free.min(self.slices.timeline.left(changes) / 2);
            let found = found.filter(|&(_, count)| count <= room);
            let waiting = at_mut(self.slices.waiting, number as usize)?;
            let Some((sums, count)) = found else {
                waiting.start = waiting.start.max(next_end);
                continue;
            };
            waiting.start = sums.start;
            profile.take(&sums, &demand, job.run_time);
            if window || sums.start == 0 {
                self.slices.licences.take(&request, sums.start, job.run_time);
            }
            let parts = range(self.slices.found, 0, count)?;
            let name = WAITING + number;
            changes = self.slices.timeline.add(changes, sums.start, true, name, parts)?;
            let end = up(sums.start.saturating_add(job.run_time).min(LONGEST));
            changes = self.slices.timeline.add(changes, end, false, name, parts)?;
            if sums.start > 0 || job.is_later() {
                continue;
            }
            match &mut guard {
                Some(guard) if heeded.is_some() => {
                    // A job passes it: from now on it has a promise.
                    if let (Some(heeded), Some(wait)) = (heeded, guard.promised) {
                        (self.state.promised_to, self.state.promised) = (heeded.number as u32 + 1, wait);
                    }
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
            guarded = guarded.filter(|guarded| guarded.number != number as usize);
            let starts = (&mut *self.slices.asked, &mut *self.slices.parts, &mut *self.slices.starting);
            begin_job(self.state, starts, number as usize, parts)?;
        }
        Ok(())
    }
}

/// The guarded job.
#[derive(Clone, Copy)]
struct Heeded {
    number: usize,
    job: Waiting,
    request: RawRequest,
    until: Until,
}

/// A job that a place is sought for.
struct Sought<'s> {
    request: &'s RawRequest,
    fit: Fit,
    demand: Demand,
    run_time: u32,
    from: u32,
    window: bool,
    /// Whether its nodes are sought even if it starts later.
    by_nodes: bool,
}

impl Sought<'_> {
    /// The next place by the sums and the licences.
    fn next(&self, profile: &SumsOverTime, licences: &mut Licences<'_>, mut from: u32) -> Option<Span> {
        loop {
            let sums = profile.earliest(&self.demand, self.run_time, from)?;
            if sums.start >= LONGEST {
                return None;
            }
            if !self.window && sums.start > 0 || licences.suffice(self.request, sums.start, self.run_time) {
                return Some(sums);
            }
            from = profile.next(sums.start)?;
        }
    }

    /// The first place, on the nodes too where these are sought, and its number of nodes.
    fn first(
        &self,
        jobs: &Jobs<'_, '_>,
        (profile, licences, timeline): (&SumsOverTime, &mut Licences<'_>, &Timeline<'_>),
        avoided: impl Fn(u32) -> u32,
        (ranked, out): (&mut [Ranked], &mut [Part]),
    ) -> Result<Option<(Span, usize)>> {
        let (mut from, mut tries) = (Some(self.from), TRIES);
        while tries > 0 && from.is_some() {
            // The first instant mostly suffices; those behind it are looked at together.
            let most = if tries == TRIES { 1 } else { tries.min(TOGETHER) };
            let (mut places, mut spans) = ([None; TOGETHER], [(u32::MAX, 0); TOGETHER]);
            for (place, span) in places.iter_mut().zip(&mut spans).take(most) {
                *place = from.and_then(|from| self.next(profile, licences, from));
                let Some(sums) = *place else {
                    from = None;
                    break;
                };
                if sums.start > 0 && !self.by_nodes {
                    return Ok(Some((sums, 0)));
                }
                *span = (sums.start, sums.start.saturating_add(self.run_time).min(LONGEST));
                from = profile.next(sums.start);
            }
            let rooms =
                if most == 1 { [u64::MAX; TOGETHER] } else { timeline.rooms(jobs, self.request, &spans)? };
            for ((place, span), rooms) in places.into_iter().zip(spans).zip(rooms) {
                let Some(sums) = place.filter(|_| rooms >= u64::from(self.request.count)) else { continue };
                let scratch = (&mut *ranked, &mut *out);
                if let Some(count) = timeline.place(jobs, self.request, self.fit, &avoided, span, scratch)? {
                    return Ok(Some((sums, count)));
                }
            }
            tries -= most;
        }
        Ok(None)
    }
}

/// Starts a job on these nodes.
pub(super) fn begin_job(
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
