//! Arrays: one record for all tasks that wait, another for each that has started.

use super::job::{JobReport, JobState, MAX_TIME, Why};
use super::object::Scheduler;
use crate::error::{Error, Result};
use crate::runtime::RuntimeDistribution;

impl Scheduler<'_> {
    /// Splits a task from an array as a job of its own, which waits; its id is no other job's.
    pub(super) fn split(&mut self, array: u32, task: i64, now: i64) -> Result<u32> {
        let from = *self.parts.table.get(array)?;
        if self.parts.table.is_full() {
            // The array may itself be one that has left the listings; its record is still needed.
            self.forget_the_gone(MAX_TIME, Some(array))?;
            if self.parts.table.is_full() {
                return Err(Error::Full);
            }
        }
        let mut predicted = RuntimeDistribution::limit();
        predicted.take_over(&self.predicted(array)?)?;
        let queues = from.queues.get(..from.queue_count as usize).ok_or(Error::Corrupt)?;
        let report = JobReport {
            id: task,
            state: JobState::Waiting,
            user: from.user,
            submit: from.submit,
            begin: from.begin,
            limit: from.limit,
            priority: from.priority,
            tier: from.tier,
            count: from.count,
            // In a pool of units these would be held.
            units: if self.pool_at(from.pool)?.is_of_nodes() { from.width } else { 0 },
            restarts: from.restarts,
            queues,
            wants: self.parts.holdings.ask(array).wants(),
            prediction: from.is_predicted_by_caller().then_some(&predicted),
            ..JobReport::default()
        };
        // The answer may come long after the cycle began.
        self.set_job(self.state.now, &report)?;
        let slot = self.parts.table.find(task)?.ok_or(Error::Corrupt)?;
        self.arrived_with(array, slot)?;
        let wait = (from.not_waited, from.held, from.held_since);
        let job = self.parts.table.get_mut(slot)?;
        (job.not_waited, job.held, job.held_since) = wait;
        if from.tasks <= 1 {
            // No task of the array waits any more.
            if from.state().waits() {
                // Its submission is the last task's.
                self.parts.table.get_mut(array)?.arrival = 0;
                self.miss(array, now)?;
                self.state.totals.withdrawn = self.state.totals.withdrawn.saturating_sub(1);
            }
            return Ok(slot);
        }
        let left = self.parts.table.get_mut(array)?;
        left.tasks -= 1;
        // The promise was made to the task that has started.
        left.promised = 0;
        if left.at_once == 1 {
            // No further task may start before the manager reports the array again.
            self.hold(array, JobState::Held, Why::Array as u32, now)?;
        } else {
            left.at_once = left.at_once.saturating_sub(1);
        }
        Ok(slot)
    }
}
