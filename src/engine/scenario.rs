//! One scenario of a forecast: what runs and waits, event by event.

use super::forecast::{DAY, StartForecast, span};
use super::object::Scheduler;
use crate::error::Result;
use crate::heap;
use crate::math::mix::{GOLDEN, finalise};
use crate::memory::{at, at_mut, range, range_mut};
use crate::plan::{Guard, LONGEST, Limited, Plan, PlanRule};
use bytemuck::{Pod, Zeroable};

/// The number of a job that is submitted later, and the start of one that has not started.
pub(super) const NOBODY: u32 = u32::MAX;

/// The run time of a waiting job that has started in this event, and leaves the queue behind it.
pub(super) const STARTED: u32 = 0;

/// A waiting job.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Pending {
    /// By which the plan knows it.
    pub id: i64,
    /// The job, as the scheduler knows it.
    pub job: i64,
    /// For how long it has waited at the beginning; below 0 for one that is submitted later.
    pub waited: i64,
    pub credit: i64,
    pub processors: u32,
    /// Its mean predicted run time, and the quantile at which it is expected to end once it runs.
    pub mean: u32,
    pub upper: u32,
    pub limit: u32,
    /// How long it runs in this scenario.
    pub run: u32,
    pub tier: i32,
    pub slot: u32,
    /// Its number among those of the beginning, or [`NOBODY`].
    pub number: u32,
}

/// A running job. The first to end is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Busy {
    /// In this scenario, in seconds from the beginning, as all that follows.
    pub end: u32,
    pub processors: u32,
    /// Below 0 for one that ran before.
    pub start: i64,
    /// When it is expected to end.
    pub expected: u32,
    /// When it will have reached its limit.
    pub limit: u32,
    pub slot: u32,
    pub reserved: u32,
    pub id: i64,
}

impl Busy {
    /// In how many seconds it is expected to end; once that has passed, in four tenths of its age.
    pub(super) fn expected_in(&self, time: u32) -> u32 {
        if self.expected > time {
            return self.expected - time;
        }
        let age = i64::from(time).saturating_sub(self.start).max(0);
        let more = span(age.saturating_mul(2) / 5);
        more.min(self.limit.saturating_sub(time)).max(1)
    }
}

impl StartForecast<'_> {
    /// The next event of the scenario under way: ends, then submissions, then a decision. Returns whether there was
    /// one: not once all have started that are of interest, or beyond the horizon.
    pub(super) fn event(&mut self, scheduler: &mut Scheduler<'_>, rule: &PlanRule) -> Result<bool> {
        if self.state.left == 0 {
            return Ok(false);
        }
        let end = match self.state.running {
            0 => None,
            _ => Some(at(self.parts.running, 0)?.end),
        };
        let submission = self.submission(scheduler)?;
        let time = match (end, submission) {
            (None, None) => return Ok(false),
            (Some(time), None) | (None, Some((time, _))) => time,
            (Some(end), Some((submission, _))) => end.min(submission),
        };
        if time > self.state.horizon {
            return Ok(false);
        }
        self.state.time = time;
        while self.state.running > 0 && at(self.parts.running, 0)?.end <= time {
            let ended = heap::pop(range_mut(self.parts.running, 0, self.state.running as usize)?)?;
            self.state.running -= 1;
            self.state.free = self.state.free.saturating_add(ended.processors);
        }
        while let Some((when, place)) = self.submission(scheduler)? {
            if when > time {
                break;
            }
            self.submit(scheduler, place)?;
            self.state.next += 1;
        }
        let free = self.state.free;
        let fits = |job: &Pending| job.processors <= free;
        if range(self.parts.waiting, 0, self.state.waiting as usize)?.iter().any(fits) {
            self.decide(scheduler, rule)?;
        }
        Ok(true)
    }

    /// The next later submission: when, and its place among those remembered.
    fn submission(&mut self, scheduler: &Scheduler<'_>) -> Result<Option<(u32, usize)>> {
        if self.state.days == 0 {
            return Ok(None);
        }
        loop {
            let begins = i64::from(self.state.ahead) * DAY;
            if begins > self.state.horizon.into() {
                return Ok(None);
            }
            if self.state.ago == 0 {
                let mixed = u64::from(self.state.scenario) << 32 | u64::from(self.state.ahead);
                let drawn = finalise(finalise(mixed.wrapping_add(GOLDEN)).wrapping_mul(GOLDEN));
                self.state.ago = 1 + (drawn % u64::from(self.state.days)) as u32;
                let from = self.state.now - i64::from(self.state.ago) * DAY;
                self.state.next = scheduler.arrivals_before(from)? as u32;
            }
            let ago = i64::from(self.state.ago) * DAY;
            while (self.state.next as usize) < scheduler.arrivals() {
                let arrival = scheduler.arrival_at(self.state.next as usize)?;
                let inside = arrival.submit - (self.state.now - ago);
                if inside >= DAY {
                    break;
                }
                if arrival.count > 0 && arrival.pool == self.state.pool {
                    return Ok(Some((span(begins + inside.max(0)), self.state.next as usize)));
                }
                self.state.next += 1;
            }
            (self.state.ahead, self.state.ago) = (self.state.ahead + 1, 0);
        }
    }

    /// A later job is submitted, with all tasks of an array, as long as there is room.
    fn submit(&mut self, scheduler: &Scheduler<'_>, place: usize) -> Result<()> {
        let arrival = *scheduler.arrival_at(place)?;
        let units = scheduler.pool_at(self.state.pool)?.units;
        if arrival.count > units {
            return Ok(());
        }
        let mixed = u64::from(self.state.scenario) << 32 | u64::from(self.state.ahead);
        let run = match arrival.ran {
            0 => {
                let drawn = finalise(finalise(mixed ^ GOLDEN) ^ arrival.id as u64);
                let uniform = (drawn >> 11) as f64 / (1_u64 << 53) as f64;
                match scheduler.parts.table.find(arrival.id)? {
                    Some(slot) => scheduler.drawn(slot, 0, uniform)?,
                    None => arrival.mean,
                }
            }
            ran => ran,
        };
        for _ in 0..arrival.tasks.max(1) {
            let count = self.state.waiting as usize;
            if count >= self.parts.waiting.len() {
                break;
            }
            self.state.later += 1;
            *at_mut(self.parts.waiting, count)? = Pending {
                // No manager's id.
                id: i64::MIN + i64::from(self.state.later),
                job: 0,
                waited: -i64::from(self.state.time),
                credit: 0,
                processors: arrival.count,
                mean: span(arrival.mean).max(1),
                upper: span(arrival.upper).max(1),
                limit: if arrival.limit > 0 { span(arrival.limit).max(1) } else { LONGEST },
                run: span(run).max(1),
                tier: self.state.lowest,
                slot: 0,
                number: NOBODY,
            };
            self.state.waiting += 1;
        }
        Ok(())
    }

    /// Decides who starts, as the scheduler would.
    fn decide(&mut self, scheduler: &mut Scheduler<'_>, rule: &PlanRule) -> Result<()> {
        if self.state.easy != 0 {
            return self.easy();
        }
        self.fill_plan()?;
        let number = self.state.pool;
        let mut plan = Plan::attach(self.parts.plan)?;
        let (waits, counted) = scheduler.waits_of(number)?;
        plan.decide(rule, &waits, &counted)?;
        let count = plan.starting().len();
        for place in 0..count {
            let number = *at(Plan::attach(self.parts.plan)?.starting(), place)?;
            self.start(number as usize)?;
        }
        self.leave_queue()
    }

    /// EASY by the time limits, in the site's order, in which the queue is.
    fn easy(&mut self) -> Result<()> {
        let time = self.state.time;
        let mut running = self.state.running as usize;
        for (to, busy) in self.parts.limited.iter_mut().zip(range(self.parts.running, 0, running)?) {
            let after = busy.limit.saturating_sub(time).max(1);
            *to = Limited { after, processors: busy.processors };
        }
        let mut guard: Option<Guard> = None;
        for place in 0..self.state.waiting as usize {
            let job = *at(self.parts.waiting, place)?;
            let fits = job.processors <= self.state.free;
            match &mut guard {
                None if fits => {
                    *at_mut(self.parts.limited, running)? =
                        Limited { after: job.limit, processors: job.processors };
                    running += 1;
                    self.start(place)?;
                }
                None => {
                    let limited = range_mut(self.parts.limited, 0, running)?;
                    guard = Some(Guard::new(job.processors, self.state.free, false, limited)?);
                }
                Some(_) if self.state.free == 0 => break,
                Some(guard) => {
                    if fits && guard.admits(job.processors, job.limit) {
                        self.start(place)?;
                    }
                }
            }
        }
        self.leave_queue()
    }

    /// A waiting job starts, if there is room to know that it runs.
    fn start(&mut self, place: usize) -> Result<()> {
        let time = self.state.time;
        let job = at_mut(self.parts.waiting, place)?;
        let count = self.state.running as usize;
        let Some(free) = self.state.free.checked_sub(job.processors) else { return Ok(()) };
        if count >= self.parts.running.len() || job.run == STARTED {
            return Ok(());
        }
        let running = Busy {
            end: time.saturating_add(job.run),
            processors: job.processors,
            start: time.into(),
            expected: time.saturating_add(job.upper),
            limit: time.saturating_add(job.limit),
            slot: job.slot,
            reserved: 0,
            id: job.id,
        };
        let number = job.number;
        job.run = STARTED;
        self.state.free = free;
        self.state.running += 1;
        *at_mut(self.parts.running, count)? = running;
        heap::push(range_mut(self.parts.running, 0, count + 1)?, running)?;
        if number == NOBODY { Ok(()) } else { self.started(number, time) }
    }

    /// Those that have started wait no more.
    fn leave_queue(&mut self) -> Result<()> {
        let mut kept = 0;
        for place in 0..self.state.waiting as usize {
            let job = *at(self.parts.waiting, place)?;
            if job.run != STARTED {
                *at_mut(self.parts.waiting, kept)? = job;
                kept += 1;
            }
        }
        self.state.waiting = kept as u32;
        Ok(())
    }
}
