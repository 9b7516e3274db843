//! The planned start and reason of a job that is not submitted: a guest.
//!
//! A guest is in the scheduler's table while a plan is made, but in no block: the scheduler does not change.

use super::cycle::Cycle;
use super::job::{JobReport, JobState};
use super::object::Scheduler;
use super::reason::Reason;
use super::table::Record;
use super::wants::GUEST;
use crate::error::{Error, Result};
use bytemuck::Zeroable;

impl Cycle<'_> {
    /// The reason why a job that is not submitted would wait, and its planned start, if it were submitted now: those of
    /// [`Scheduler::set_job`] and [`Cycle::plan_all`] in a copy. Its id is one that no job has, 0 for one behind all
    /// others; its state is waiting or held.
    ///
    /// The scheduler does not change by a byte. The cycle is one after [`Cycle::plan_all`]. Calls may be repeated, and
    /// until the next `plan_all` [`Cycle::planned`] and [`Cycle::reason`] answer for the other jobs as if this one were
    /// submitted. The cost is that of a decision.
    ///
    /// # Errors
    /// Those of [`Scheduler::set_job`], except that a full scheduler has room for it; [`Error::OutOfRange`] also for
    /// other states, and for queues of another pool than the cycle's; [`Error::DuplicateJob`]; [`Error::WrongState`]
    /// unless [`Cycle::plan_all`] was called and the cycle is open, and where the pool's nodes or units were reported
    /// anew since.
    pub fn try_job(&mut self, scheduler: &mut Scheduler<'_>, report: &JobReport<'_>) -> Result<Reason> {
        let report = JobReport { id: if report.id == 0 { i64::MAX } else { report.id }, ..*report };
        report.check()?;
        let state = match report.state {
            JobState::AsBefore | JobState::Waiting => JobState::Waiting,
            JobState::Held => JobState::Held,
            _ => return Err(Error::OutOfRange),
        };
        if report.count == 0 {
            return Err(Error::OutOfRange);
        }
        if let Some(prediction) = report.prediction {
            scheduler.check_prediction(prediction)?;
        }
        let pool = scheduler.pool_of(&report)?;
        if pool != self.state.pool {
            return Err(Error::OutOfRange);
        }
        scheduler.check_wants(&report, None, pool)?;
        if scheduler.parts.table.find(report.id)?.is_some() {
            return Err(Error::DuplicateJob);
        }
        if self.state.anyway == 0
            || self.state.closed != 0
            || scheduler.pool_at(pool)?.losses != self.state.losses
        {
            return Err(Error::WrongState);
        }
        let guest = scheduler.guest(&report, state, self.state.now)?;
        scheduler.parts.holdings.invite(&report.wants);
        let tried = scheduler.parts.table.invite(guest).and_then(|()| {
            self.state.tried = 1;
            self.decide(scheduler)?;
            self.state.taken = self.state.starting;
            self.reason_of(scheduler, GUEST)
        });
        scheduler.parts.table.dismiss();
        tried
    }
}

impl Scheduler<'_> {
    /// Makes the record that a job would have.
    fn guest(&mut self, report: &JobReport<'_>, state: JobState, now: i64) -> Result<Record> {
        let pool = self.pool_of(report)?;
        let of_nodes = self.pool_at(pool)?.is_of_nodes();
        let mut job = Record {
            id: report.id,
            user: report.user,
            submit: if report.submit != 0 { report.submit } else { now },
            begin: report.begin,
            limit: report.limit,
            priority: report.priority,
            held_since: now,
            tier: report.tier,
            count: report.count,
            width: report.width(of_nodes),
            restarts: report.restarts,
            tasks: report.tasks,
            at_once: report.at_once,
            state: state as u32,
            why: if state == JobState::Held { report.why as u32 } else { 0 },
            pool,
            queue_count: report.queues.len() as u32,
            ..Record::zeroed()
        };
        for (to, from) in job.queues.iter_mut().zip(report.queues) {
            *to = *from;
        }
        job.mean = self.mean_if_submitted(&job, report.prediction, now)?;
        Ok(job)
    }
}
