//! Whole listings of the manager's jobs: a job that is not in one has left.

use super::job::{JobState, MAX_TIME};
use super::life::Said;
use super::object::{Due, Scheduler};
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range_mut};

/// Ends come before submissions of the same second, and these before starts.
const ENDS: i64 = 0;
const SUBMISSIONS: i64 = 1;
const STARTS: i64 = 2;

/// Largest number of missing jobs with room for which a listing is not doubted.
const FEW: usize = 16;

impl Scheduler<'_> {
    /// Begins a listing of all jobs: the jobs reported until its end are its rows. A listing that was not ended is
    /// dropped, and its rows count with the next. O(1).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an absurd time.
    pub fn list_begin(&mut self, now: i64) -> Result<()> {
        if now.unsigned_abs() > MAX_TIME as u64 {
            return Err(Error::OutOfRange);
        }
        let before = self.state.now;
        let now = self.advance(now)?;
        if self.state.listing_open == 0 {
            self.state.before = before.min(now);
            self.state.listing = self.state.listing.wrapping_add(1);
        }
        self.state.listing_open = 1;
        Ok(())
    }

    /// Completes the listing. The events found from its rows are applied in their order of time, whatever the order of
    /// the rows. Jobs that are in no row have left: those that waited are remembered for `grace` seconds, in case they
    /// come back, and the predictor counts them as waiting until then; those that held room are broken, unless they
    /// were started within `settle` seconds.
    ///
    /// Returns whether the listing is doubted: it lacks more than half of the jobs with room, and more than 16. Then no
    /// job has left. The second one in a row is not doubted, nor is the first one after the block was made or opened.
    /// O(n log n).
    ///
    /// # Errors
    /// [`Error::WrongState`] without a listing; [`Error::OutOfRange`].
    pub fn list_end(&mut self, now: i64) -> Result<bool> {
        if now.unsigned_abs() > MAX_TIME as u64 {
            return Err(Error::OutOfRange);
        }
        if self.state.listing_open == 0 {
            return Err(Error::WrongState);
        }
        let now = self.advance(now)?;
        self.state.listing_open = 0;
        let doubtful = self.is_doubtful()?;
        let count = self.collect(doubtful, now)?;
        let due = range_mut(self.parts.due, 0, count)?;
        heap::sort(due)?;
        for place in 0..count {
            let Due { time, slot, .. } = *at(self.parts.due, place)?;
            let slot = slot as u32;
            let job = *self.parts.table.get(slot)?;
            if job.id == 0 {
                continue;
            }
            if job.listed == self.state.listing {
                let said = Said {
                    state: JobState::from_number(job.noted_state).unwrap_or_default(),
                    start: job.noted_start,
                    ran: job.noted_ran,
                    restarts: job.noted_restarts,
                    why: job.noted_why,
                    units: job.noted_units,
                };
                if job.noted_keys != 0 {
                    self.parts.table.get_mut(slot)?.noted_keys = 0;
                    self.know_again(slot, time)?;
                }
                self.apply_report(slot, &said, time)?;
            } else if job.state().has_room() {
                self.state.totals.broken += 1;
                self.forget(slot, now)?;
            } else if job.state() == JobState::AsBefore {
                // The row is from a listing that was dropped.
                self.forget(slot, now)?;
            } else {
                self.miss(slot, now)?;
            }
        }
        self.state.doubted = u32::from(doubtful);
        self.state.totals.doubted += u64::from(doubtful);
        for pool in self.parts.pools.iter_mut().filter(|pool| pool.used != 0) {
            pool.settle();
        }
        let grace = self.settings().grace as i64;
        self.forget_the_gone(now.saturating_sub(grace), None)?;
        Ok(doubtful)
    }

    /// Whether too many jobs with room are missing.
    fn is_doubtful(&self) -> Result<bool> {
        let active = self.parts.table.active();
        let mut missing = 0;
        for &slot in active {
            missing += usize::from(self.parts.table.get(slot)?.listed != self.state.listing);
        }
        Ok(self.state.doubted == 0 && missing > FEW && 2 * missing > active.len())
    }

    /// Writes the events of the listing; returns their number.
    fn collect(&mut self, doubtful: bool, now: i64) -> Result<usize> {
        let settle = self.settings().settle as i64;
        let last = self.state.before.min(now);
        let mut count = 0;
        for slot in 0..self.parts.table.slots() {
            let job = *self.parts.table.get(slot)?;
            let state = job.state();
            if job.id == 0 {
                continue;
            }
            let (phase, time) = if job.listed == self.state.listing {
                let to = JobState::from_number(job.noted_state).unwrap_or_default();
                let start = if job.noted_start != 0 { job.noted_start } else { job.start };
                let stopped = job.stopped.saturating_add(job.stops(now));
                let over =
                    matches!(to, JobState::Ended | JobState::Broken | JobState::Gone | JobState::Ending);
                if over && job.noted_ran > 0 && start != 0 {
                    (ENDS, start.saturating_add(job.noted_ran).saturating_add(stopped))
                } else if over {
                    (ENDS, now)
                } else if state == JobState::AsBefore && to.waits() {
                    (SUBMISSIONS, job.submit)
                } else if to.has_room() && !state.has_room() && job.noted_start != 0 {
                    (STARTS, job.noted_start)
                } else {
                    (SUBMISSIONS, now)
                }
            } else {
                let settles = state == JobState::Starting && now.saturating_sub(job.start) <= settle;
                if doubtful || settles || state == JobState::Gone {
                    continue;
                }
                (ENDS, now)
            };
            let time = time.clamp(last, now);
            *at_mut(self.parts.due, count)? = Due { time, phase, id: job.id, slot: slot.into() };
            count += 1;
        }
        Ok(count)
    }
}
