//! The events of a job's life, found from the manager's present reports.

use super::job::{JobReport, JobState, MAX_TIME};
use super::object::Scheduler;
use super::pools::pool_mut;
use super::table::{Record, keys};
use crate::error::{Error, Result};
use crate::predict::Predictor;
use crate::runtime::MAX_SECONDS;

/// The part of a report that concerns a job's life, its description apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said {
    pub state: JobState,
    pub start: i64,
    pub ran: i64,
    pub restarts: u32,
    pub why: u32,
    pub units: u32,
}

impl Scheduler<'_> {
    /// Takes the manager's present report of a job, an event or a row of the listing that is under way; see
    /// [`JobReport`]. The part of a row that concerns the job's life is noted, and counts from the listing's end on;
    /// its description, pool and priority count at once, as does the end of a job that was not known. O(W + bins x
    /// contexts).
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::NotANumber`], [`Error::NoSuchIndex`] for queues that are not there;
    /// [`Error::Full`] for its slot, [`Error::PartsFull`]; [`Error::UnknownJob`] for a job that is over, was not known
    /// and is not described: such an event is harmless, and counted.
    pub fn set_job(&mut self, now: i64, report: &JobReport<'_>) -> Result<()> {
        report.check()?;
        if now.unsigned_abs() > MAX_TIME as u64 {
            return Err(Error::OutOfRange);
        }
        if let Some(prediction) = report.prediction {
            self.check_prediction(prediction)?;
        }
        let over = matches!(report.state, JobState::Ended | JobState::Broken | JobState::Gone);
        let mut slot = self.parts.table.find(report.id)?;
        let described = report.count > 0 && !report.queues.is_empty();
        let pool = if over && !described { 0 } else { self.pool_of(report)? };
        if !over && report.count == 0 {
            return Err(Error::OutOfRange);
        }
        if !over || described {
            self.check_wants(report, slot, pool)?;
        }
        let is_new = match slot {
            Some(known) => {
                let known = self.parts.table.get(known)?;
                // A job that was put back may count as submitted then.
                report.submit != 0 && known.submit != report.submit && report.restarts <= known.restarts
            }
            None => true,
        };
        if over && is_new {
            return self.over_unseen(now, report, described);
        }
        if slot.is_none() && self.parts.table.is_full() && !self.can_forget()? {
            return Err(Error::Full);
        }
        let now = self.advance(now)?;
        if let Some(old) = slot.filter(|_| is_new) {
            // Another job has the same id: the old one is over, in an unknown way.
            self.state.totals.surprises += 1;
            self.forget(old, now)?;
            slot = None;
        }
        let slot = match slot {
            Some(slot) => slot,
            None => {
                if self.parts.table.is_full() {
                    self.forget_the_gone(MAX_TIME, None)?;
                }
                self.enter(report, pool, now)?
            }
        };
        if !over {
            self.describe(slot, report, pool, now)?;
        }
        let said = Said {
            state: report.state,
            start: report.start,
            ran: report.ran,
            restarts: report.restarts,
            why: report.why as u32,
            units: if self.pool_at(pool)?.is_of_nodes() { 0 } else { report.units },
        };
        if self.state.listing_open != 0 {
            let listing = self.state.listing;
            let job = self.parts.table.get_mut(slot)?;
            job.listed = listing;
            (job.noted_state, job.noted_restarts, job.noted_why) =
                (said.state as u32, said.restarts, said.why);
            (job.noted_start, job.noted_ran, job.noted_units) = (said.start, said.ran, said.units);
            return Ok(());
        }
        self.apply_report(slot, &said, now)
    }

    /// Changes a job's place in the site's order. O(1).
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::NotANumber`], [`Error::OutOfRange`] for an infinite priority.
    pub fn set_priority(&mut self, id: i64, tier: i32, priority: f64) -> Result<()> {
        if priority.is_nan() {
            return Err(Error::NotANumber);
        }
        if !priority.is_finite() {
            return Err(Error::OutOfRange);
        }
        let slot = self.parts.table.find(id)?.ok_or(Error::UnknownJob)?;
        let job = self.parts.table.get_mut(slot)?;
        (job.tier, job.priority) = (tier, priority);
        let pool = job.pool;
        pool_mut(self.parts.pools, pool)?.stirred = 1;
        Ok(())
    }

    /// Advances the clock, or sets it back; returns the time to use.
    pub(super) fn advance(&mut self, now: i64) -> Result<i64> {
        let now = self.clock(now);
        if self.state.begun != 0 && now < self.state.now {
            self.state.totals.clock_set_back += 1;
            if let Some(mut predictor) = self.predictor()? {
                predictor.set_clock(now).map_err(|_| Error::Corrupt)?;
            }
            for pool in self.parts.pools.iter_mut() {
                pool.decided = pool.decided.min(now);
                // A cycle of the former time is stale, and refusals may have lapsed.
                (pool.losses, pool.stirred) = (pool.losses.wrapping_add(1), 1);
            }
            for slot in 0..self.parts.table.slots() {
                // Times that lie ahead are dropped.
                let job = self.parts.table.get_mut(slot)?;
                for time in [&mut job.start, &mut job.begun, &mut job.held_since, &mut job.gone_since] {
                    *time = (*time).min(now);
                }
                if job.refused_until < MAX_TIME {
                    job.refused_until = job.refused_until.min(now);
                }
                (job.judged_start, job.reports) = (0, 0);
                job.busy_until = job.busy_until.min(now);
                job.stopped_since = job.stopped_since.min(now);
                (job.asked, job.end_age) = (0, 0);
            }
        }
        self.watch(now);
        (self.state.now, self.state.begun) = (now, 1);
        Ok(now)
    }

    /// Handles the end of a job that was not known.
    fn over_unseen(&mut self, now: i64, report: &JobReport<'_>, described: bool) -> Result<()> {
        if self.parts.over.knows(report.id, report.submit, report.restarts)? {
            return Ok(());
        }
        let now = self.advance(now)?;
        if !described || report.state != JobState::Ended {
            self.state.totals.unknown_jobs += u64::from(!described);
            return if described { Ok(()) } else { Err(Error::UnknownJob) };
        }
        let ran = if report.ran > 0 || report.start == 0 { report.ran } else { now - report.start };
        let of_nodes = self.pool_at(self.pool_of(report)?)?.is_of_nodes();
        let queue = report.queues.first().copied();
        let keys = keys(report.user, queue, report.limit, report.width(of_nodes));
        self.learn(&keys, ran)?;
        self.learnt_of(report.user)?;
        self.state.totals.ended += 1;
        self.parts.over.add(report.id, report.submit, report.restarts)
    }

    /// Lets the predictor learn the run time of a job that it did not follow.
    fn learn(&mut self, keys: &[i64; 3], ran: i64) -> Result<()> {
        self.tell(self.state.now, |predictor, _| predictor.learn(keys, ran.clamp(0, MAX_SECONDS)))?;
        Ok(())
    }

    /// Reports an event to the predictor, at this time or, if a later one was reported to it, at that; returns the
    /// time. Kept apart, so that the predictor is not on the stack of all that follows an event.
    #[inline(never)]
    pub(super) fn tell(
        &mut self,
        at: i64,
        event: impl FnOnce(&mut Predictor<'_>, i64) -> Result<()>,
    ) -> Result<i64> {
        let Some(mut predictor) = self.predictor()? else { return Ok(at) };
        let at = predictor.last_event().map_or(at, |last| last.max(at));
        event(&mut predictor, at).map_err(|_| Error::Corrupt)?;
        Ok(at)
    }

    /// Adds a job that is not known yet; the table has room.
    fn enter(&mut self, report: &JobReport<'_>, pool: u32, now: i64) -> Result<u32> {
        let slot = self.parts.table.add(report.id)?;
        let width = report.width(self.pool_at(pool)?.is_of_nodes());
        let job = self.parts.table.get_mut(slot)?;
        (job.submit, job.pool) = (if report.submit != 0 { report.submit } else { now }, pool);
        (job.user, job.limit, job.count) = (report.user, report.limit, report.count);
        job.width = width;
        job.restarts = report.restarts;
        if let Some(prediction) = report.prediction {
            self.set_prediction(slot, prediction)?;
        }
        Ok(slot)
    }

    /// Finds what has happened to a job since it was last reported, and applies it: state, units, predictor.
    pub(super) fn apply_report(&mut self, slot: u32, said: &Said, now: i64) -> Result<()> {
        let settle = self.settings().settle as i64;
        let job = *self.parts.table.get(slot)?;
        let again = said.restarts > job.restarts;
        let to = match said.state {
            JobState::AsBefore if job.state() == JobState::Held => JobState::Held,
            JobState::AsBefore => JobState::Waiting,
            state => state,
        };
        if job.state() == JobState::AsBefore || job.state() == JobState::Gone {
            return self.begin_life(slot, said, to, now);
        }
        if job.state().has_room() {
            let over = matches!(to, JobState::Ended | JobState::Broken | JobState::Gone);
            let waits_again = to.waits();
            let starts = job.state() == JobState::Starting && now.saturating_sub(job.start) <= settle;
            if waits_again && starts && !again {
                // The manager has not performed the start yet.
                return Ok(());
            }
            if over {
                self.parts.table.get_mut(slot)?.restarts = job.restarts.max(said.restarts);
                return self.leave(slot, said, to, now);
            }
            if waits_again || again {
                self.state.totals.surprises += u64::from(!again);
                self.put_back(slot, said.restarts, now)?;
                return if waits_again {
                    self.hold(slot, to, said.why, now)
                } else {
                    self.run(slot, said, to, now)
                };
            }
            return self.go_on(slot, said, to, now);
        }
        self.parts.table.get_mut(slot)?.restarts = job.restarts.max(said.restarts);
        match to {
            JobState::Waiting | JobState::Held | JobState::AsBefore => self.hold(slot, to, said.why, now),
            JobState::Broken | JobState::Gone => {
                self.state.totals.withdrawn += 1;
                self.forget(slot, now)
            }
            JobState::Ended => {
                // The job ran between two reports.
                self.run(slot, said, JobState::Running, now)?;
                self.leave(slot, said, to, now)
            }
            _ => self.run(slot, said, to, now),
        }
    }

    /// Begins the life of a job of which only the description is known.
    fn begin_life(&mut self, slot: u32, said: &Said, to: JobState, now: i64) -> Result<()> {
        let back = self.parts.table.get(slot)?.state() == JobState::Gone;
        if back {
            self.state.gone = self.state.gone.saturating_sub(1);
        } else {
            self.state.totals.submitted += 1;
        }
        let job = self.parts.table.get_mut(slot)?;
        (job.state, job.restarts) = (JobState::Waiting as u32, said.restarts);
        job.adopted = u32::from(to.has_room());
        let pool = job.pool;
        self.parts.table.wait(slot)?;
        if !back {
            self.submit(slot, now)?;
            self.arrive(slot)?;
        }
        pool_mut(self.parts.pools, pool)?.stirred = 1;
        match to {
            JobState::Broken | JobState::Gone => self.forget(slot, now),
            JobState::Ended => {
                // The job ran while it was not listed.
                self.run(slot, said, JobState::Running, now)?;
                self.leave(slot, said, to, now)
            }
            _ if to.has_room() => self.run(slot, said, to, now),
            _ => self.hold(slot, to, said.why, now),
        }
    }

    /// Makes a job wait, or holds it.
    pub(super) fn hold(&mut self, slot: u32, to: JobState, why: u32, now: i64) -> Result<()> {
        let job = self.parts.table.get_mut(slot)?;
        let before = (job.state, job.why);
        job.state = to as u32;
        job.why = if to == JobState::Held { why } else { 0 };
        if before == (job.state, job.why) {
            return Ok(());
        }
        let held = to == JobState::Held && !job.why().is_wait();
        if job.held != 0 && !held {
            job.not_waited = job.not_waited.saturating_add(now.saturating_sub(job.held_since).max(0));
        } else if job.held == 0 && held {
            job.held_since = now;
        }
        job.held = u32::from(held);
        job.edits = job.edits.wrapping_add(1);
        let pool = job.pool;
        pool_mut(self.parts.pools, pool)?.stirred = 1;
        Ok(())
    }

    /// Starts a waiting job.
    fn run(&mut self, slot: u32, said: &Said, to: JobState, now: i64) -> Result<()> {
        let job = *self.parts.table.get(slot)?;
        let start = if said.start != 0 {
            said.start.min(now)
        } else {
            now.saturating_sub(said.ran).max(job.submit.min(now))
        };
        self.start_came(slot, start)?;
        let waited = job.waited(start).min(MAX_SECONDS);
        let (mut waits, mut counted) = self.waits_of(job.pool)?;
        waits.add(waited)?;
        counted.add(waited.saturating_add(job.credit).min(MAX_SECONDS))?;
        // By what the ends before its start have taught.
        self.renew_started(slot)?;
        let begun = self.tell(now, |predictor, at| predictor.start(job.id, at))?;
        self.parts.table.unwait(slot)?;
        let job = self.parts.table.get_mut(slot)?;
        (job.state, job.start, job.begun) = (JobState::Running as u32, start, begun);
        (job.held, job.refused, job.refused_until, job.busy_until) = (0, 0, 0, 0);
        (job.busy, job.shadow) = (0, 0);
        (job.stopped, job.asked, job.end_age, job.promised) = (0, 0, 0, 0);
        job.units = if said.units != 0 { said.units } else { job.width };
        job.edits = job.edits.wrapping_add(1);
        let (pool, units) = (job.pool, job.units);
        self.parts.table.activate(slot)?;
        let pool = pool_mut(self.parts.pools, pool)?;
        pool.pauses.start(start, waited);
        (pool.held, pool.stirred) = (pool.held.saturating_add(units.into()), 1);
        pool.losses = pool.losses.wrapping_add(1);
        self.state.totals.started += 1;
        self.concern_others(slot, true)?;
        self.seek(slot, now)?;
        self.go_on(slot, said, to, now)
    }

    /// Updates a job that holds room and goes on, perhaps in another state.
    fn go_on(&mut self, slot: u32, said: &Said, to: JobState, now: i64) -> Result<()> {
        let settings = self.settings();
        let before = *self.parts.table.get(slot)?;
        let of_nodes = self.pool_at(before.pool)?.is_of_nodes();
        let job = self.parts.table.get_mut(slot)?;
        if said.start != 0 && to.has_room() {
            // The manager knows better when it began.
            job.start = said.start.min(now);
        }
        // The first correction of a start that was offered is no news.
        let later = job.start > before.start && before.state() != JobState::Starting;
        if said.units != 0 {
            job.units = said.units;
        } else if !of_nodes {
            job.units = job.width;
        }
        if before.state() == JobState::Suspended && to != JobState::Suspended {
            job.stopped = job.stopped.saturating_add(job.stops(now));
        }
        if to == JobState::Suspended && before.state() != JobState::Suspended {
            job.stopped_since = now;
        }
        job.state = to as u32;
        if said.ran > 0 && to == JobState::Running {
            // The manager's time stopped is more accurate.
            job.stopped = now.saturating_sub(job.start).saturating_sub(said.ran).max(0);
        }
        let (holds, held) = (job.holds(), before.holds());
        let over = to == JobState::Ending && job.learnt == 0;
        if holds != held {
            let pool = pool_mut(self.parts.pools, before.pool)?;
            pool.held = pool.held.saturating_sub(held.into()).saturating_add(holds.into());
            pool.stirred = 1;
            if holds > held {
                pool.losses = pool.losses.wrapping_add(1);
            } else {
                pool.changes = pool.changes.wrapping_add(1);
            }
            self.concern_others(slot, holds > held)?;
        }
        if later {
            // Its room is held for longer than the last decision assumed.
            let pool = pool_mut(self.parts.pools, before.pool)?;
            (pool.losses, pool.stirred) = (pool.losses.wrapping_add(1), 1);
        }
        if over {
            self.end(slot, said.ran, now)?;
        }
        // With `settle=0` the shell's answers are certain.
        if to == JobState::Starting && settings.settle == 0.0 {
            self.parts.table.get_mut(slot)?.state = JobState::Running as u32;
        }
        Ok(())
    }

    /// Ends a job's run: its run time is learnt, once.
    fn end(&mut self, slot: u32, ran: i64, now: i64) -> Result<()> {
        let job = *self.parts.table.get(slot)?;
        if job.learnt != 0 {
            return Ok(());
        }
        let ran = if ran > 0 { ran } else { job.age(now) };
        if let Some(mean) = self.mean_predicted(&job)? {
            self.state.accuracy.observe(mean, job.limit, ran, now);
        }
        self.tell(now, |predictor, at| {
            // The predictor itself has the exact run times of jobs that it followed.
            if job.adopted == 0 && at.saturating_sub(job.begun).abs_diff(ran) <= 1 {
                return predictor.end(job.id, at);
            }
            predictor.cancel(job.id, at)?;
            predictor.learn(&job.keys(), ran.clamp(0, MAX_SECONDS))
        })?;
        self.arrival_ran(slot, ran)?;
        self.parts.table.get_mut(slot)?.learnt = 1;
        self.state.totals.ended += 1;
        self.parts.over.add(job.id, job.submit, job.restarts)?;
        self.learnt_of(job.user)
    }

    /// Ends a job that held room.
    fn leave(&mut self, slot: u32, said: &Said, to: JobState, now: i64) -> Result<()> {
        if to == JobState::Ended {
            self.end(slot, said.ran, now)?;
        } else {
            self.state.totals.broken += 1;
        }
        self.forget(slot, now)
    }

    /// Puts a job that held room back to wait.
    fn put_back(&mut self, slot: u32, restarts: u32, now: i64) -> Result<()> {
        self.release(slot)?;
        let job = self.parts.table.get_mut(slot)?;
        let known = job.learnt == 0;
        // The time that it ran does not count as waiting.
        let ran = if job.submit > job.start { 0 } else { now.saturating_sub(job.start).max(0) };
        job.not_waited = job.not_waited.saturating_add(ran);
        (job.state, job.restarts) = (JobState::Waiting as u32, job.restarts.max(restarts));
        (job.learnt, job.adopted, job.units) = (0, 0, 0);
        job.edits = job.edits.wrapping_add(1);
        let id = job.id;
        self.parts.table.wait(slot)?;
        if known {
            self.tell(now, |predictor, at| predictor.cancel(id, at))?;
        }
        self.state.totals.requeued += 1;
        self.submit(slot, now)
    }

    /// Frees the units of a job.
    fn release(&mut self, slot: u32) -> Result<()> {
        let job = self.parts.table.get(slot)?;
        let (pool, holds) = (job.pool, u64::from(job.holds()));
        if holds > 0 {
            self.concern_others(slot, false)?;
        }
        self.parts.table.deactivate(slot)?;
        self.parts.holdings.release(slot)?;
        let pool = pool_mut(self.parts.pools, pool)?;
        pool.held = pool.held.saturating_sub(holds);
        (pool.changes, pool.stirred) = (pool.changes.wrapping_add(1), 1);
        Ok(())
    }

    /// Removes a job.
    pub(super) fn forget(&mut self, slot: u32, now: i64) -> Result<()> {
        let job = *self.parts.table.get(slot)?;
        self.arrival_withdrawn(slot)?;
        match job.state() {
            state if state.has_room() => self.release(slot)?,
            JobState::Waiting | JobState::Held => {
                self.parts.table.unwait(slot)?;
                pool_mut(self.parts.pools, job.pool)?.stirred = 1;
            }
            JobState::Gone => self.state.gone = self.state.gone.saturating_sub(1),
            _ => {}
        }
        if job.learnt == 0 && job.state() != JobState::AsBefore {
            self.tell(now, |predictor, at| predictor.cancel(job.id, at))?;
        }
        self.parts.holdings.remove(slot)?;
        self.parts.table.remove(slot)
    }

    /// Notes that a waiting job is in no listing: it is remembered for a while.
    pub(super) fn miss(&mut self, slot: u32, now: i64) -> Result<()> {
        self.parts.table.unwait(slot)?;
        let job = self.parts.table.get_mut(slot)?;
        (job.state, job.gone_since) = (JobState::Gone as u32, now);
        let pool = job.pool;
        self.state.gone += 1;
        self.state.totals.withdrawn += 1;
        pool_mut(self.parts.pools, pool)?.stirred = 1;
        Ok(())
    }

    /// Forgets the jobs that left the listings before this time, but for the job in the slot `kept`. O(jobs), if there
    /// are any.
    pub(super) fn forget_the_gone(&mut self, before: i64, kept: Option<u32>) -> Result<()> {
        if self.state.gone == 0 {
            return Ok(());
        }
        let now = self.state.now;
        for slot in 0..self.parts.table.slots() {
            let job = self.parts.table.get(slot)?;
            if self.is_forgotten(job) && job.gone_since < before && kept != Some(slot) {
                self.forget(slot, now)?;
            }
        }
        Ok(())
    }

    /// Whether a job has left the listings, including the one under way.
    fn is_forgotten(&self, job: &Record) -> bool {
        let listed = self.state.listing_open != 0 && job.listed == self.state.listing;
        job.id != 0 && job.state() == JobState::Gone && !listed
    }

    /// Whether there would be room if the jobs that have left the listings were forgotten. O(jobs), if there are any.
    pub(super) fn can_forget(&self) -> Result<bool> {
        for slot in 0..if self.state.gone == 0 { 0 } else { self.parts.table.slots() } {
            if self.is_forgotten(self.parts.table.get(slot)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
