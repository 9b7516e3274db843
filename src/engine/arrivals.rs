//! The jobs submitted last: a forecast of starts repeats their days, because later jobs may overtake those that wait.
//! Also the actual starts, by which reported ones are judged.

use super::object::Scheduler;
use super::pools::pool_mut;
use super::submissions::Arrival;
use crate::error::Result;
use crate::memory::{at, at_mut};

/// Seconds without a report after which the days in between count as not observed.
const UNWATCHED: i64 = 2 * 86_400;

impl Scheduler<'_> {
    /// Notes the submission of a new job, and predicts its run time.
    pub(super) fn arrive(&mut self, slot: u32) -> Result<()> {
        let room = self.parts.arrivals.len() as u32;
        if room == 0 {
            return Ok(());
        }
        let job = *self.parts.table.get(slot)?;
        let last = self.arrival(self.state.arrived)?.map_or(i64::MIN, |last| last.submit);
        let upper = self.upper(slot)?;
        self.state.arrived = self.state.arrived.checked_add(1).unwrap_or(1);
        let number = self.state.arrived;
        *at_mut(self.parts.arrivals, (number % room) as usize)? = Arrival {
            id: job.id,
            submit: job.submit.max(job.begin).min(self.state.now).max(last),
            limit: job.limit,
            mean: job.mean,
            upper,
            ran: 0,
            count: self.units_of(slot)?,
            tasks: job.startable_tasks(),
            pool: job.pool,
            tier: job.tier,
            queue: job.queues.first().map_or(0, |queue| queue.saturating_add(1)),
            priority: job.priority,
            number,
        };
        self.parts.table.get_mut(slot)?.arrival = number;
        Ok(())
    }

    /// The submission of this number, as long as it is remembered.
    fn arrival(&self, number: u32) -> Result<Option<&Arrival>> {
        let Some(place) = number.checked_rem(self.parts.arrivals.len() as u32) else { return Ok(None) };
        let found = at(self.parts.arrivals, place as usize)?;
        Ok((number != 0 && found.number == number).then_some(found))
    }

    fn arrival_mut(&mut self, slot: u32) -> Result<Option<&mut Arrival>> {
        let number = self.parts.table.get(slot)?.arrival;
        if self.arrival(number)?.is_none() {
            return Ok(None);
        }
        let place = number.checked_rem(self.parts.arrivals.len() as u32).unwrap_or(0);
        Ok(self.parts.arrivals.get_mut(place as usize))
    }

    /// Notes the run time of the job of this slot, or of a task of the array.
    pub(super) fn arrival_ran(&mut self, slot: u32, ran: i64) -> Result<()> {
        if let Some(arrival) = self.arrival_mut(slot)? {
            arrival.ran = ran.max(1);
        }
        Ok(())
    }

    /// Notes that the job of this slot is forgotten: if it has not run, it was withdrawn.
    pub(super) fn arrival_withdrawn(&mut self, slot: u32) -> Result<()> {
        if self.parts.table.get(slot)?.state().has_room() {
            return Ok(());
        }
        if let Some(arrival) = self.arrival_mut(slot)? {
            arrival.count = 0;
        }
        Ok(())
    }

    /// Notes that a task was split from an array, and submitted with it.
    pub(super) fn arrived_with(&mut self, array: u32, task: u32) -> Result<()> {
        self.arrival_withdrawn(task)?;
        let number = self.parts.table.get(array)?.arrival;
        self.parts.table.get_mut(task)?.arrival = number;
        Ok(())
    }

    /// Number of submissions that are remembered.
    pub(super) fn arrivals(&self) -> usize {
        self.parts.arrivals.len().min(self.state.arrived as usize)
    }

    /// The submission at this place among those that are remembered, 0 the oldest.
    pub(super) fn arrival_at(&self, place: usize) -> Result<&Arrival> {
        let room = self.parts.arrivals.len();
        let oldest = (self.state.arrived as usize).saturating_add(1).saturating_sub(self.arrivals());
        at(self.parts.arrivals, (oldest + place).checked_rem(room).unwrap_or(0))
    }

    /// Time since which all submissions are known.
    pub(super) fn arrivals_since(&self, now: i64) -> Result<i64> {
        let room = self.parts.arrivals.len();
        if room == 0 || self.state.arrived == 0 {
            return Ok(now);
        }
        // A ring that has not come round holds all submissions since the scheduler began to watch.
        let oldest = if self.arrivals() < room { i64::MIN } else { self.arrival_at(0)?.submit };
        Ok(self.state.watched.max(oldest))
    }

    /// Follows the clock. When it is set back submissions that lie ahead are moved to now, and where nothing was
    /// reported for long, days without submissions do not count as observed.
    pub(super) fn watch(&mut self, now: i64) {
        let since = now.saturating_sub(self.state.now);
        if self.state.begun == 0 || since < 0 {
            self.parts.pools.iter_mut().for_each(|pool| pool.pauses.begin(now));
        }
        if self.state.begun == 0 || !(0..=UNWATCHED).contains(&since) {
            self.parts.arrivals.iter_mut().for_each(|arrival| arrival.submit = arrival.submit.min(now));
            self.state.watched = now;
        }
    }

    /// The place of the first submission at this time or later.
    pub(super) fn arrivals_before(&self, time: i64) -> Result<usize> {
        let (mut low, mut high) = (0, self.arrivals());
        while low < high {
            let middle = low.midpoint(high);
            if self.arrival_at(middle)?.submit < time {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Learns from the start of a job: if its start was reported, its pool's offsets follow.
    pub(super) fn start_came(&mut self, slot: u32, start: i64) -> Result<()> {
        let job = self.parts.table.get_mut(slot)?;
        let reports = core::mem::take(&mut job.reports) as usize;
        let (pool, reported, at) = (job.pool, job.reported, job.reported_at);
        if reports == 0 {
            return Ok(());
        }
        let mut open = 1_u32;
        for &other in self.parts.table.waiting() {
            let other = self.parts.table.get(other)?;
            open += u32::from(other.pool == pool && other.reports > 0);
        }
        let offsets = &mut pool_mut(self.parts.pools, pool)?.offsets;
        for ((offsets, reported), at) in offsets.iter_mut().zip(&reported).zip(at).take(reports.min(2)) {
            offsets.learn(reported, start.saturating_sub(at).max(0), open);
        }
        Ok(())
    }
}
