//! A job's description, as it is reported: its user, its request, and its nodes.

use super::job::{JobReport, JobState};
use super::machine::are_counted;
use super::object::Scheduler;
use super::pools::pool_mut;
use super::table::Predicted;
use super::wants::Wants;
use crate::error::{Error, Result};
use crate::nodes::{MAX_TASKS, Part};

impl Scheduler<'_> {
    /// Refuses requests that its pool cannot have, and nodes that the job cannot hold. O(parts).
    pub(super) fn check_wants(&self, report: &JobReport<'_>, slot: Option<u32>, pool: u32) -> Result<()> {
        if !self.pool_at(pool)?.is_of_nodes() {
            let plain = report.wants == Wants::default() && report.parts.is_empty();
            return if plain { Ok(()) } else { Err(Error::OutOfRange) };
        }
        let Wants { each, licences, .. } = &report.wants;
        let sane = each.iter().chain(licences).all(|&amount| amount <= i32::MAX as u32);
        let rises =
            report.parts.iter().zip(report.parts.iter().skip(1)).all(|(one, next)| one.node < next.node);
        if !sane || !rises || report.count > MAX_TASKS || !are_counted(each, self.capacity().kinds) {
            return Err(Error::OutOfRange);
        }
        let nodes = self.parts.nodes.len();
        if report.parts.last().is_some_and(|part| part.node as usize >= nodes) {
            return Err(Error::NoSuchIndex);
        }
        let room = self.parts.holdings.room(slot.unwrap_or(u32::MAX));
        if report.state.has_room() && report.parts.len() > room { Err(Error::PartsFull) } else { Ok(()) }
    }

    /// Takes over the description of a job.
    pub(super) fn describe(&mut self, slot: u32, report: &JobReport<'_>, pool: u32, now: i64) -> Result<()> {
        let old = *self.parts.table.get(slot)?;
        let mut new = old;
        (new.user, new.limit, new.count) = (report.user, report.limit, report.count);
        let of_nodes = self.pool_at(pool)?.is_of_nodes();
        new.width = report.width(of_nodes);
        if new.width != old.width && old.state().has_room() && of_nodes {
            new.units = new.width;
        }
        (new.begin, new.priority, new.tier) = (report.begin, report.priority, report.tier);
        (new.tasks, new.at_once) = (report.tasks, report.at_once);
        new.holds_nothing = u32::from(report.holds_nothing);
        new.queue_count = report.queues.len() as u32;
        for (to, from) in new.queues.iter_mut().zip(report.queues) {
            *to = *from;
        }
        if report.submit != 0 && report.submit != old.submit {
            // The job was put back, and counts as submitted anew: another place, and another wait.
            let waits = matches!(old.state(), JobState::Waiting | JobState::Held);
            if waits {
                self.parts.table.unwait(slot)?;
            }
            let job = self.parts.table.get_mut(slot)?;
            (job.submit, job.not_waited) = (report.submit, 0);
            if waits {
                self.parts.table.wait(slot)?;
            }
            (new.submit, new.not_waited) = (report.submit, 0);
        }
        if pool != old.pool {
            self.move_to(slot, pool)?;
            new.pool = pool;
        }
        if !of_nodes {
            self.parts.holdings.release(slot)?;
        }
        let wants_others = self.parts.holdings.describe(slot, &report.wants);
        if report.state.has_room() && !report.parts.is_empty() {
            self.lie_on(slot, report.parts, pool)?;
        }
        if new != old || wants_others {
            new.edits = new.edits.wrapping_add(1);
            if (new.limit, new.count, pool) != (old.limit, old.count, old.pool) || wants_others {
                // The job is another one now: it may start even if it was refused before, and nothing was promised to
                // it.
                (new.refused, new.refused_until, new.busy_until, new.busy, new.promised) = (0, 0, 0, 0, 0);
            }
            new.place = self.parts.table.get(slot)?.place;
            *self.parts.table.get_mut(slot)? = new;
            let pool = pool_mut(self.parts.pools, pool)?;
            pool.stirred = 1;
            // The report determines anew whether a suspended job holds its units.
            let (holds, held) = (new.holds(), old.holds());
            pool.held = pool.held.saturating_sub(held.into()).saturating_add(holds.into());
            if holds < held || holds > 0 && wants_others {
                pool.changes = pool.changes.wrapping_add(1);
            }
            let end = |limit: i64| if limit > 0 { limit } else { i64::MAX };
            if holds > held || holds > 0 && (wants_others || end(new.limit) > end(old.limit)) {
                pool.losses = pool.losses.wrapping_add(1);
            }
            if holds != held || holds > 0 && wants_others {
                self.concern_others(slot, true)?;
                self.concern_others(slot, false)?;
            }
        }
        let keys_change = new.keys() != old.keys();
        match report.prediction {
            Some(prediction)
                if keys_change
                    || !old.is_predicted_by_caller()
                    || self.predicted(slot)? != prediction.view() =>
            {
                self.set_prediction(slot, prediction)?;
            }
            None if old.is_predicted_by_caller() => {
                self.parts.table.get_mut(slot)?.predicted = Predicted::Limit as u32;
                self.predict(slot)?;
            }
            _ => {}
        }
        if keys_change && self.state.listing_open != 0 {
            // Jobs that ended before the listing's end are learnt first.
            self.parts.table.get_mut(slot)?.noted_keys = 1;
            return Ok(());
        }
        if keys_change { self.know_again(slot, now) } else { Ok(()) }
    }

    /// Notes that a job holds these nodes.
    fn lie_on(&mut self, slot: u32, parts: &[Part], pool: u32) -> Result<()> {
        let holds = self.parts.table.get(slot)?.holds() > 0;
        if holds && !self.parts.holdings.are_held(slot, parts)? {
            self.concern_others(slot, false)?;
        }
        if self.parts.holdings.hold(slot, parts)? && self.parts.table.get(slot)?.state().has_room() {
            let pool = pool_mut(self.parts.pools, pool)?;
            (pool.losses, pool.changes) = (pool.losses.wrapping_add(1), pool.changes.wrapping_add(1));
            pool.stirred = 1;
            if holds {
                self.concern_others(slot, true)?;
            }
        }
        Ok(())
    }

    /// Moves a job to another pool.
    fn move_to(&mut self, slot: u32, pool: u32) -> Result<()> {
        let job = self.parts.table.get(slot)?;
        let (old, holds) = (job.pool, u64::from(job.holds()));
        let from = pool_mut(self.parts.pools, old)?;
        from.held = from.held.saturating_sub(holds);
        (from.changes, from.stirred) = (from.changes.wrapping_add(1), 1);
        let to = pool_mut(self.parts.pools, pool)?;
        to.held = to.held.saturating_add(holds);
        if holds > 0 {
            to.losses = to.losses.wrapping_add(1);
        }
        Ok(())
    }

    /// Lets the predictor forget a job, reports its submission and start to it anew, and predicts.
    pub(super) fn know_again(&mut self, slot: u32, now: i64) -> Result<()> {
        let job = *self.parts.table.get(slot)?;
        if job.learnt != 0 || job.state() == JobState::AsBefore {
            return Ok(());
        }
        let begun = self.tell(now, |predictor, at| {
            predictor.cancel(job.id, at)?;
            predictor.submit(job.id, &job.keys(), at)?;
            if job.state().has_room() { predictor.start(job.id, at) } else { Ok(()) }
        })?;
        self.parts.table.get_mut(slot)?.begun = begun;
        self.predict(slot)
    }
}
