//! The manager's answers to offers.

use super::cycle::{Cycle, Fate, Made, PATIENCE, Refusal};
use super::job::{JobState, MAX_TIME};
use super::life::Said;
use super::object::Scheduler;
use super::pools::{UNDECIDED, pool, pool_mut};
use crate::error::{Error, Result};
use crate::memory::at_mut;
use crate::nodes::Part;

impl Cycle<'_> {
    /// Whether an offer still holds: it is not answered, the job was not edited, and the pool has not lost room.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    #[inline]
    pub fn holds(&self, scheduler: &Scheduler<'_>, number: u32) -> Result<bool> {
        let made = self.made(number)?;
        let job = scheduler.parts.table.get(made.slot)?;
        let same = job.id == made.job && job.edits == made.edits && job.may_start(self.state.now);
        let lost = pool(scheduler.parts.pools, self.state.pool)?.losses != self.state.losses;
        Ok(made.is_open() && same && !lost && self.state.closed == 0)
    }

    /// The nodes that a job was offered, with its tasks on each, in increasing order; none in a pool of counted units.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn parts(&self, number: u32) -> Result<&[Part]> {
        let made = self.made(number)?;
        self.parts.machine.offered(made.first, made.parts)
    }

    pub(super) fn made(&self, number: u32) -> Result<Made> {
        let offers = self.parts.offers.get(..self.state.offers as usize).ok_or(Error::Corrupt)?;
        offers.get(number as usize).copied().ok_or(Error::NoSuchIndex)
    }

    /// Records that the manager has started an offered job; for a task of an array `job` is the task's id, which the
    /// last one may share with the array. The start counts also where the offer no longer holds.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] if it was answered before, and once the cycle is closed;
    /// [`Error::OutOfRange`] for a task of several that has the array's id, and for another id of a job that is no
    /// array; [`Error::UnknownJob`] if the job was withdrawn or is over by now; [`Error::Full`] for a task's slot,
    /// [`Error::PartsFull`]; [`Error::DuplicateJob`] for a task whose id a waiting job has, or a task that was started
    /// in this cycle. After the last five the offer is still open.
    pub fn started(&mut self, scheduler: &mut Scheduler<'_>, number: u32, job: i64) -> Result<()> {
        let made = self.made(number)?;
        if !made.is_open() || self.state.closed != 0 {
            return Err(Error::WrongState);
        }
        let known = *scheduler.parts.table.get(made.slot)?;
        // A task has an id of its own, but for the last one of its array; a job that is no array keeps its id.
        let valid = if job == made.job { known.id != job || known.tasks <= 1 } else { known.tasks > 0 };
        if job == 0 || !valid && !known.state().has_room() {
            return Err(Error::OutOfRange);
        }
        // The time of the cycle, unless the clock was set back meanwhile.
        let now = self.state.now.min(scheduler.state.now);
        let before = *scheduler.pool_at(self.state.pool)?;
        let task = if job == made.job { None } else { scheduler.parts.table.find(job)? };
        if let Some(task) = task {
            // The manager may have reported the task before it answered.
            let task = scheduler.parts.table.get(task)?;
            let offers = self.parts.offers.get(..self.state.offers as usize).ok_or(Error::Corrupt)?;
            let is_other = offers.iter().any(|made| made.fate == Fate::Started as u32 && made.job == job);
            if !task.state().has_room() || is_other {
                return Err(Error::DuplicateJob);
            }
        } else if known.id != made.job {
            return Err(Error::UnknownJob);
        } else if !known.state().has_room() {
            if made.parts as usize > scheduler.parts.holdings.room(u32::MAX) {
                return Err(Error::PartsFull);
            }
            let slot = if job == known.id { made.slot } else { scheduler.split(made.slot, job, now)? };
            let restarts = scheduler.parts.table.get(slot)?.restarts;
            let said = Said { state: JobState::Starting, start: now, ran: 0, restarts, why: 0, units: 0 };
            scheduler.apply_report(slot, &said, now)?;
            scheduler.parts.holdings.hold(slot, self.parts.machine.offered(made.first, made.parts)?)?;
            if scheduler.state.listing_open != 0 {
                // A row reported before is older than the start.
                let listing = scheduler.state.listing;
                let job = scheduler.parts.table.get_mut(slot)?;
                (job.listed, job.noted_state, job.noted_start) = (listing, JobState::Starting as u32, now);
                (job.noted_restarts, job.noted_why, job.noted_units, job.noted_ran) = (restarts, 0, 0, 0);
            }
            // The cycle itself has stirred the pool, and has counted this room.
            let pool = pool_mut(scheduler.parts.pools, self.state.pool)?;
            pool.stirred = before.stirred;
            let losses = pool.losses.wrapping_sub(before.losses);
            self.state.losses = self.state.losses.wrapping_add(losses);
        }
        let made = at_mut(self.parts.offers, number as usize)?;
        (made.fate, made.job) = (Fate::Started as u32, job);
        Ok(())
    }

    /// Records that the manager refuses an offer, of a job that is over by now perhaps. The next offer is decided anew,
    /// around it.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] if it was answered before, and once the cycle is closed.
    pub fn refused(&mut self, scheduler: &mut Scheduler<'_>, number: u32, why: Refusal) -> Result<()> {
        let made = self.made(number)?;
        if !made.is_open() || self.state.closed != 0 {
            return Err(Error::WrongState);
        }
        at_mut(self.parts.offers, number as usize)?.fate = Fate::Refused as u32;
        self.state.decided = 0;
        // Others may have their turn.
        let pool = pool_mut(scheduler.parts.pools, self.state.pool)?;
        pool.stirred = pool.stirred.max(UNDECIDED);
        scheduler.state.totals.refused += 1;
        let changes = scheduler.pool_at(self.state.pool)?.changes;
        let refused = scheduler.settings().refused as i64;
        let now = self.state.now.min(scheduler.state.now);
        let job = scheduler.parts.table.get_mut(made.slot)?;
        if job.id != made.job || job.state().has_room() {
            return Ok(());
        }
        job.busy = if why == Refusal::Busy { job.busy.saturating_add(1) } else { 0 };
        job.refused = why as u32;
        job.changes = changes;
        // Not again in the same second, which may be the same cycle.
        let again = now.saturating_add(refused.max(1));
        (job.refused_until, job.busy_until) = match why {
            Refusal::Busy if job.busy < PATIENCE => (0, again),
            Refusal::Never => (MAX_TIME, 0),
            _ => (again, 0),
        };
        Ok(())
    }
}
