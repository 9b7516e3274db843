//! The machine of nodes in a forecast's scenarios: placement of waiting jobs, and backfilling.
//!
//! The pass is that of [`crate::forecast`], with one difference: whether the head job has room beside a candidate at
//! its planned start is a matter of nodes. The machine is played to that instant once a pass, for the first candidate,
//! and a candidate that is planned to be there still is laid upon it; it stays there if the head job fits beside it.

use crate::error::{Error, Result};
use crate::forecast::{Forecast, Machine, Queued};
use crate::memory::{at, at_mut, range, range_mut};
use crate::nodes::floor::Floor;
use crate::nodes::machine::{Nodes, Ranked};
use crate::nodes::place;
use crate::nodes::request::{Amounts, Fit, Part, RawRequest};
use bytemuck::{Pod, Zeroable};

/// A waiting job.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Waiting {
    pub request: RawRequest,
    /// Place of its nodes when it runs, the room for them, and their number.
    slot: u32,
    room: u32,
    parts: u32,
    fit: u32,
    /// Whether it has found no room, and nothing has become free since that it could use.
    misfit: u32,
    reserved: u32,
}

impl Waiting {
    pub(super) fn new(request: RawRequest, fit: Fit, slot: u32, room: u32) -> Waiting {
        Waiting { request, slot, room, parts: 0, fit: fit as u32, misfit: 0, reserved: 0 }
    }
}

/// Marks that every waiting job is to be looked at again.
const ALL: u32 = u32::MAX;

/// The machine of nodes at an instant of a scenario: see the module.
pub(super) struct Ahead<'b, 'n> {
    /// The machine as it is.
    pub nodes: &'b Nodes<'n>,
    pub now: Floor<'b>,
    /// The machine at the head job's planned start.
    pub later: Floor<'b>,
    /// The capacity of running jobs: waiting ones are numbered from there.
    pub running: usize,
    pub handles: &'b [u32],
    pub waiting: &'b mut [Waiting],
    pub parts: &'b mut [Part],
    /// Nodes on which something has become free since the last pass, and their number; [`ALL`] where something has
    /// become free elsewhere too.
    pub freed: &'b mut [u32],
    pub count: &'b mut u32,
    pub ranked: &'b mut [Ranked],
    pub found: &'b mut [Part],
}

/// The head job's reservation: its planned start, in seconds from the forecast's begin, and the number of its tasks
/// that find room then.
struct Reservation {
    start: i64,
    rooms: u64,
}

impl Reservation {
    /// Whether the head job has room on the machine at its reservation.
    fn holds(&self, head: &RawRequest, pool: &Amounts) -> bool {
        self.rooms >= u64::from(head.count) && pool.iter().zip(head.pool).all(|(free, need)| need <= *free)
    }
}

impl Ahead<'_, '_> {
    /// Writes the nodes of a job that runs in the present scenario to `found`. Returns its request and their number.
    fn look_up(&mut self, place: usize) -> Result<(RawRequest, usize)> {
        if place < self.running {
            let handle = *at(self.handles, place)?;
            let count = self.nodes.placement(handle, self.found)?;
            return Ok((self.nodes.job(handle)?.request, count));
        }
        let job = at(self.waiting, place - self.running)?;
        let parts = range(self.parts, job.slot as usize, job.parts as usize)?;
        let found = range_mut(self.found, 0, parts.len())?;
        found.iter_mut().zip(parts).for_each(|(to, from)| *to = *from);
        Ok((job.request, parts.len()))
    }

    /// Looks again at the waiting jobs for which something may have become free. O(queue x nodes that have become
    /// freer).
    fn reconsider(&mut self, forecast: &Forecast<'_>) -> Result<u64> {
        let view = self.now.view()?;
        let freed = self.freed.get(..*self.count as usize);
        let mut place = 0;
        while let Some(entry) = forecast.in_queue(place)? {
            place += 1;
            let job = at_mut(self.waiting, entry.job as usize)?;
            if job.misfit != 0 {
                let mut room = freed.is_none();
                for node in freed.unwrap_or(&[]) {
                    room = room || view.room(&job.request, *node)? > 0;
                }
                job.misfit = u32::from(!room);
            }
        }
        let looked = freed.map_or(1, |freed| 1 + freed.len());
        *self.count = 0;
        Ok(place.saturating_mul(looked) as u64)
    }

    /// Finds nodes for a waiting job, now; writes them to `found`. `head` is the head job once its planned start is
    /// known.
    fn find(&mut self, job: u32, head: Option<&RawRequest>, work: &mut u64) -> Result<Option<usize>> {
        let Waiting { request, fit, misfit, .. } = *at(self.waiting, job as usize)?;
        *work += 1;
        if misfit != 0 {
            return Ok(None);
        }
        *work += u64::from(self.nodes.count()) / 8;
        let later = self.later.view()?;
        let apart = head.filter(|_| fit == Fit::Apart as u32);
        let avoided =
            |node| apart.map_or(0, |head| u32::from(later.room(head, node).is_ok_and(|room| room > 0)));
        let view = self.now.view()?;
        let found = place::place(&view, &request, Fit::from_number(fit)?, avoided, self.ranked, self.found)?;
        if found.is_none() {
            at_mut(self.waiting, job as usize)?.misfit = 1;
        }
        Ok(found)
    }

    /// Starts a job on the first of the nodes in `found`.
    fn start(&mut self, forecast: &mut Forecast<'_>, entry: Queued, count: usize) -> Result<()> {
        let job = at_mut(self.waiting, entry.job as usize)?;
        let found = range(self.found, 0, count)?;
        let parts = range_mut(self.parts, job.slot as usize, job.room as usize)?;
        range_mut(parts, 0, count)?.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
        job.parts = count as u32;
        self.now.take(&job.request, found)?;
        forecast.start(entry)
    }

    /// Plays the machine to the head job's planned start. O(nodes + parts).
    fn reserve(&mut self, forecast: &Forecast<'_>, head: &RawRequest, work: &mut u64) -> Result<Reservation> {
        self.later.copy_floor(&self.now)?;
        let mut reservation = Reservation { start: forecast.state.scene.time, rooms: 0 };
        let view = self.later.view()?;
        for node in 0..self.nodes.count() {
            reservation.rooms += u64::from(view.room(head, node)?);
        }
        *work += u64::from(self.nodes.count()) / 4;
        for plan in range(forecast.parts.plans, 0, forecast.state.scene.running as usize)? {
            let holds = reservation.holds(head, &self.later.view()?.pool_free());
            if holds && plan.time > reservation.start {
                return Ok(reservation);
            }
            reservation.start = plan.time;
            let (request, count) = self.look_up(plan.job as usize)?;
            let parts = range(self.found, 0, count)?;
            let before = self.later.view()?.rooms_on(head, parts)?;
            self.later.give(&request, parts)?;
            let after = self.later.view()?.rooms_on(head, parts)?;
            reservation.rooms = (reservation.rooms + after).saturating_sub(before);
            *work += 1 + count as u64;
        }
        let holds = reservation.holds(head, &self.later.view()?.pool_free());
        // A job without room on the empty machine is barred and never head.
        if holds { Ok(reservation) } else { Err(Error::Corrupt) }
    }

    /// Lays a candidate on the machine at the head job's planned start if the head job has room beside it.
    fn beside(
        &mut self,
        reservation: &mut Reservation,
        head: &RawRequest,
        job: u32,
        count: usize,
    ) -> Result<bool> {
        let request = at(self.waiting, job as usize)?.request;
        let parts = range(self.found, 0, count)?;
        let before = self.later.view()?.rooms_on(head, parts)?;
        self.later.take(&request, parts)?;
        let after = self.later.view()?.rooms_on(head, parts)?;
        let left = Reservation { rooms: (reservation.rooms + after).saturating_sub(before), ..*reservation };
        let holds = left.holds(head, &self.later.view()?.pool_free());
        if holds {
            *reservation = left;
        } else {
            self.later.give(&request, parts)?;
        }
        Ok(holds)
    }

    /// EASY, or list scheduling where the blocked head job has no reservation: see [`crate::forecast`].
    fn backfill(&mut self, forecast: &mut Forecast<'_>, heads: usize, reserved: bool) -> Result<u64> {
        let blocked = forecast.in_queue(heads)?.ok_or(Error::Corrupt)?;
        let head = at(self.waiting, blocked.job as usize)?.request;
        let (time, slack) = (forecast.state.scene.time, forecast.state.options.slack());
        let mut reservation = None;
        let mut work = 0;
        let mut place = if forecast.state.options.own_candidates() { 0 } else { heads + 1 };
        while let Some(entry) = forecast.candidate(place)? {
            place += 1;
            work += 1;
            let job = at(self.waiting, entry.job as usize)?;
            if entry.job == blocked.job || job.misfit != 0 || !forecast.waits(entry.job)? {
                continue;
            }
            if reserved && reservation.is_none() {
                reservation = Some(self.reserve(forecast, &head, &mut work)?);
            }
            let known = reservation.is_some().then_some(&head);
            let Some(count) = self.find(entry.job, known, &mut work)? else { continue };
            let allowed = match &mut reservation {
                None => true,
                Some(reservation) => {
                    let rest = reservation.start.saturating_sub(time);
                    let late = entry.planned.saturating_sub(rest);
                    late <= 0
                        || self.beside(reservation, &head, entry.job, count)?
                        || (late as f64) < slack * rest as f64
                }
            };
            if allowed {
                self.start(forecast, entry, count)?;
            }
        }
        Ok(work)
    }
}

impl Machine for Ahead<'_, '_> {
    const LISTS: bool = true;

    fn open(&mut self) -> Result<u64> {
        *self.count = 0;
        // Jobs not submitted yet included.
        self.waiting.iter_mut().for_each(|job| job.misfit = 0);
        self.now.copy(self.nodes)?;
        Ok(u64::from(self.nodes.count()) / 8 + self.waiting.len() as u64)
    }

    fn end(&mut self, place: usize) -> Result<u64> {
        let (request, count) = self.look_up(place)?;
        let parts = range(self.found, 0, count)?;
        self.now.give(&request, parts)?;
        let known = *self.count as usize;
        match self.freed.get_mut(known..known.saturating_add(count)) {
            Some(freed) if request.pool.iter().all(|amount| *amount == 0) => {
                freed.iter_mut().zip(parts).for_each(|(to, part)| *to = part.node);
                *self.count += count as u32;
            }
            _ => *self.count = ALL,
        }
        Ok(1 + 2 * count as u64)
    }

    fn pass(&mut self, forecast: &mut Forecast<'_>) -> Result<u64> {
        let before = forecast.state.scene.left;
        let mut done = 1 + forecast.order()? + self.reconsider(forecast)?;
        let mut heads = 0;
        while let Some(head) = forecast.in_queue(heads)? {
            let Some(count) = self.find(head.job, None, &mut done)? else { break };
            self.start(forecast, head, count)?;
            heads += 1;
        }
        let blocked = forecast.in_queue(heads)?.is_some();
        if let Some(reservations) = forecast.state.options.reservations().filter(|_| blocked) {
            done += if forecast.state.options.by_medians() { forecast.renew()? } else { 0 };
            done += self.backfill(forecast, heads, reservations != 0)?;
        }
        if forecast.state.scene.left != before {
            done += forecast.compact()?;
        }
        Ok(done)
    }
}
