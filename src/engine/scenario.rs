//! One scenario of a forecast, played event by event.

use super::forecast::{Busy, DAY, LATER, NOBODY, Pending, STARTED, StartForecast, State, span};
use super::object::{Scheduler, both_waits};
use super::order::{class_of, worth};
use crate::error::Result;
use crate::forecast::draw::Draws;
use crate::heap;
use crate::math::mix::{GOLDEN, finalise};
use crate::memory::{Object, at, at_mut, copy, range, range_mut};
use crate::plan::{Guard, LONGEST, Limited, Plan, PlanRule, Until};
use crate::runtime::MAX_SECONDS;

/// Largest number of changes of an order that a decision of a scenario tries: more do not make a forecast better.
const PROPOSALS: u32 = 15;

impl StartForecast<'_> {
    /// Plays scenarios, this number of their events at most; returns whether all are played. An event costs as much as
    /// a decision: O(running jobs + considered ones), and with a plan at most 22 orders of 64 jobs, 7 in a
    /// [simplified](StartForecast::is_simplified) forecast.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::error::Error::Corrupt).
    pub fn run(&mut self, scheduler: &mut Scheduler<'_>, work: u64) -> Result<bool> {
        let rule = scheduler.settings().rule;
        let most = if self.is_simplified() { 0 } else { PROPOSALS };
        let rule = PlanRule { proposals: rule.proposals.min(most), ..rule };
        for _ in 0..work {
            if self.state.scenario >= self.state.scenarios {
                break;
            }
            if self.state.begun == 0 {
                self.begin_scenario(scheduler)?;
            }
            if !self.event(scheduler, &rule)? {
                (self.state.begun, self.state.scenario) = (0, self.state.scenario + 1);
                if self.state.scenario >= self.state.scenarios {
                    self.find_stall(scheduler)?;
                }
            }
        }
        Ok(self.state.scenario >= self.state.scenarios)
    }

    /// Begins a scenario: every job's run time is drawn.
    fn begin_scenario(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        self.reset()?;
        let State { queued, busy, scenario, scenarios, .. } = *self.state;
        let row = scenario as usize * self.parts.queued.len();
        range_mut(self.parts.starts, row, queued as usize)?.iter_mut().for_each(|start| *start = NOBODY);
        for place in 0..self.state.present as usize {
            let job = *at(self.parts.waiting, place)?;
            at_mut(self.parts.waiting, place)?.run = self.drawn(scheduler, &job)?;
        }
        for place in 0..busy as usize {
            let mut running = *at(self.parts.running, place)?;
            let uniform = Draws::new(0, running.id as u64, scenarios).uniform(scenario);
            let age = running.start.saturating_neg().max(0);
            let same = scheduler.parts.table.get(running.slot).is_ok_and(|job| job.id == running.id);
            let drawn =
                if same { scheduler.drawn(running.slot, age, uniform)? } else { running.expected.into() };
            running.end = span(drawn).max(1);
            *at_mut(self.parts.running, place)? = running;
            heap::push(range_mut(self.parts.running, 0, place + 1)?, running)?;
        }
        if self.state.easy == 0 {
            let pool = self.state.pool;
            copy(self.parts.waits, scheduler.waits_in(pool)?);
        }
        let mut plan = Plan::whole(self.parts.plan)?;
        // Varied for each scenario: where all run times are known, only the search differs.
        plan.keep(&self.state.kept.varied(scenario));
        self.state.begun = 1;
        Ok(())
    }

    /// Run time of a waiting job in this scenario, in seconds.
    fn drawn(&self, scheduler: &Scheduler<'_>, job: &Pending) -> Result<u32> {
        let State { scenario, scenarios, .. } = *self.state;
        // The tasks behind a job have draws of their own.
        let key = job.id as u64 ^ u64::from(job.more) << 20;
        let uniform = Draws::new(0, key, scenarios).uniform(scenario);
        let same = scheduler.parts.table.get(job.slot)?.id == job.job;
        let drawn = if same { scheduler.drawn(job.slot, 0, uniform)? } else { job.mean.into() };
        Ok(span(drawn).max(1))
    }

    /// Plays the next event of the scenario under way: ends, then submissions, then a decision. Returns whether there
    /// was one: not once all jobs of the beginning have started, or beyond the horizon.
    fn event(&mut self, scheduler: &mut Scheduler<'_>, rule: &PlanRule) -> Result<bool> {
        if self.state.left == 0 {
            return Ok(false);
        }
        let end = match self.state.running {
            0 => None,
            _ => Some(at(self.parts.running, 0)?.end),
        };
        let comes = match self.state.coming < self.state.queued {
            true => Some(at(self.parts.queued, self.state.coming as usize)?.from),
            false => None,
        };
        let submission = self.submission(scheduler)?.map(|(time, _)| time);
        let next = [end, comes, submission].into_iter().flatten().min();
        let first = core::mem::replace(&mut self.state.looked, 1) == 0;
        let time = match next {
            // No event is left, or there was a change that no cycle has decided about.
            _ if first && (next.is_none() || self.state.at_once != 0) => 0,
            Some(time) if time.max(self.state.due) <= self.state.horizon => time.max(self.state.due),
            _ => return Ok(false),
        };
        self.state.time = time;
        while self.state.running > 0 && at(self.parts.running, 0)?.end <= time {
            let ended = heap::pop(range_mut(self.parts.running, 0, self.state.running as usize)?)?;
            self.unlist_end(ended.limit, ended.row)?;
            self.state.running -= 1;
            let paid = self.state.owed.min(ended.processors);
            self.state.owed -= paid;
            self.state.free = self.state.free.saturating_add(ended.processors - paid);
            if ended.chain != NOBODY && ended.more > 0 {
                let task = *at(self.parts.queued, ended.chain as usize)?;
                self.wait(scheduler, Pending { more: ended.more - 1, ..task })?;
            }
        }
        while self.state.coming < self.state.queued {
            let job = *at(self.parts.queued, self.state.coming as usize)?;
            if job.from > time {
                break;
            }
            self.wait(scheduler, job)?;
            self.state.coming += 1;
        }
        while let Some((when, place)) = self.submission(scheduler)? {
            if when > time {
                break;
            }
            self.submit(scheduler, when, place)?;
            self.state.next += 1;
        }
        // Decides again while tasks have started behind which others wait, or others have to be considered.
        let mut again = true;
        while again {
            again = self.reconsider()? && self.decide(scheduler, rule)?;
        }
        Ok(true)
    }

    /// Adds a job of the beginning, or a task behind one, to the queue.
    fn wait(&mut self, scheduler: &Scheduler<'_>, job: Pending) -> Result<()> {
        let run = self.drawn(scheduler, &job)?;
        self.join(Pending { run, ..job })
    }

    /// Adds a job to the queue in the order of submission, under EASY within its class.
    fn join(&mut self, job: Pending) -> Result<()> {
        if self.state.waiting as usize >= self.parts.waiting.len() {
            self.choose()?;
        }
        let count = self.state.waiting as usize;
        let easy = self.state.easy != 0;
        let Some(queue) = self.parts.waiting.get_mut(..=count) else { return Ok(()) };
        let rank = |job: &Pending| (if easy { -i64::from(job.tier) } else { 0 }, job.submitted, job.job);
        let behind = queue.iter().take(count).rev().take_while(|other| rank(other) > rank(&job)).count();
        heap::insert(queue, count - behind, job);
        self.state.waiting += 1;
        self.consider((count - behind) as u32)
    }

    /// Time of the next later submission, and its place among those remembered.
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
                self.state.next = scheduler.arrivals_before(self.day())? as u32;
            }
            let day = self.day();
            while (self.state.next as usize) < scheduler.arrivals() {
                let arrival = scheduler.arrival_at(self.state.next as usize)?;
                let inside = arrival.submit.saturating_sub(day);
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

    /// Beginning of the day that is repeated.
    fn day(&self) -> i64 {
        self.state.now.saturating_sub(i64::from(self.state.ago) * DAY)
    }

    /// Submits a later job at this instant, with all tasks of an array, as long as there is room.
    fn submit(&mut self, scheduler: &Scheduler<'_>, when: u32, place: usize) -> Result<()> {
        let arrival = *scheduler.arrival_at(place)?;
        let queue = arrival.queue.checked_sub(1);
        let set = self.set_of(queue.as_slice())?;
        let most = if self.is_divided() { self.parts.divided.possible(set) } else { self.state.units };
        if arrival.count > most {
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
        let settings = scheduler.settings();
        let by_points = settings.by_points();
        let credit = match by_points && self.state.lowest.is_finite() {
            true => worth(arrival.priority - self.state.lowest, settings.seconds),
            false => 0,
        };
        let waited = -i64::from(when);
        let class = class_of(arrival.tier, arrival.priority, waited, &settings);
        let job = Pending {
            id: 0,
            job: 0,
            waited,
            credit,
            submitted: when.into(),
            class,
            processors: arrival.count,
            mean: span(arrival.mean).max(1),
            upper: span(arrival.upper).max(1),
            limit: if arrival.limit > 0 { span(arrival.limit).max(1) } else { LONGEST },
            run: span(run).max(1),
            tier: self.rank(class),
            slot: 0,
            number: NOBODY,
            from: 0,
            more: 0,
            throttled: 0,
            origin: NOBODY,
            promised: 0,
            set,
        };
        for _ in 0..arrival.tasks.max(1) {
            if self.state.live >= self.state.queued.saturating_add(LATER) {
                break;
            }
            self.state.later = self.state.later.saturating_add(1);
            // An id that no manager uses.
            self.join(Pending { id: i64::MIN + i64::from(self.state.later), ..job })?;
        }
        Ok(())
    }

    /// Decides which jobs start, as the scheduler would; returns whether tasks have started behind which others wait
    /// now, or other jobs are to be considered now.
    fn decide(&mut self, scheduler: &mut Scheduler<'_>, rule: &PlanRule) -> Result<bool> {
        self.state.due = self.state.time.saturating_add(self.state.pace);
        if self.is_divided() {
            return self.easy_in_regions(scheduler);
        }
        if self.state.easy != 0 {
            return self.easy(scheduler);
        }
        self.fill_plan()?;
        let mut plan = Plan::whole(self.parts.plan)?;
        let (waits, counted) = both_waits(self.parts.waits)?;
        plan.decide(rule, &waits, &counted)?;
        if let Some((job, wait)) = plan.promised() {
            let place = *at(self.parts.considered, job)?;
            at_mut(self.parts.waiting, place as usize)?.promised = wait;
        }
        let count = plan.starting().len();
        for place in 0..count {
            let number = *at(Plan::whole(self.parts.plan)?.starting(), place)?;
            let place = *at(self.parts.considered, number as usize)?;
            self.start(place as usize)?;
        }
        self.leave_queue(scheduler)
    }

    /// Starts jobs by EASY by the time limits, in the site's order, in which the queue is.
    fn easy(&mut self, scheduler: &Scheduler<'_>) -> Result<bool> {
        let time = self.state.time;
        let mut running = self.state.running as usize;
        for (to, busy) in self.parts.limited.iter_mut().zip(range(self.parts.running, 0, running)?) {
            let after = busy.limit.saturating_sub(time).max(1);
            *to = Limited { after, processors: busy.processors };
        }
        let mut guard: Option<Guard> = None;
        for number in 0..self.state.considered as usize {
            let place = *at(self.parts.considered, number)? as usize;
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
                    guard =
                        Some(Guard::new(job.processors, self.state.free, false, Until::Earliest, limited)?);
                }
                Some(_) if self.state.free == 0 => break,
                Some(guard) => {
                    if fits && guard.admits(job.processors, job.limit) {
                        self.start(place)?;
                    }
                }
            }
        }
        self.leave_queue(scheduler)
    }

    /// Starts a waiting job, if there is room in the list of running ones.
    pub(super) fn start(&mut self, place: usize) -> Result<()> {
        let time = self.state.time;
        let job = at_mut(self.parts.waiting, place)?;
        let count = self.state.running as usize;
        let Some(free) = self.state.free.checked_sub(job.processors) else { return Ok(()) };
        if count >= self.parts.running.len() || job.run == STARTED {
            return Ok(());
        }
        let row = self.parts.divided.hold(job.limit, &mut self.state.unused)?;
        let running = Busy {
            end: time.saturating_add(job.run),
            processors: job.processors,
            start: time.into(),
            expected: time.saturating_add(job.upper),
            limit: time.saturating_add(job.limit),
            slot: job.slot,
            chain: if job.throttled != 0 && job.more > 0 { job.origin } else { NOBODY },
            more: job.more,
            row,
            id: job.id,
        };
        let number = job.number;
        job.run = STARTED;
        if self.state.easy == 0 {
            let waited = job.waited.saturating_add(time.into()).clamp(0, MAX_SECONDS);
            let (mut waits, mut counted) = both_waits(self.parts.waits)?;
            waits.add(waited)?;
            counted.add(waited.saturating_add(job.credit).min(MAX_SECONDS))?;
        }
        self.state.free = free;
        self.list_end(running.limit, row)?;
        self.state.running += 1;
        *at_mut(self.parts.running, count)? = running;
        heap::push(range_mut(self.parts.running, 0, count + 1)?, running)?;
        if number == NOBODY { Ok(()) } else { self.started(number, time) }
    }

    /// Removes the jobs that have started from the considered ones; the next task of an array takes the place of one
    /// that has. Returns whether there is such a task, or other jobs are to be considered now.
    pub(super) fn leave_queue(&mut self, scheduler: &Scheduler<'_>) -> Result<bool> {
        let (mut kept, mut next) = (0, false);
        for number in 0..self.state.considered as usize {
            let place = *at(self.parts.considered, number)?;
            let job = *at(self.parts.waiting, place as usize)?;
            if job.run == STARTED {
                if job.more == 0 || job.throttled != 0 {
                    self.state.live = self.state.live.saturating_sub(1);
                    continue;
                }
                let job = Pending { number: NOBODY, more: job.more - 1, promised: 0, ..job };
                let run = self.drawn(scheduler, &job)?;
                *at_mut(self.parts.waiting, place as usize)? = Pending { run, ..job };
                next = true;
            }
            *at_mut(self.parts.considered, kept)? = place;
            kept += 1;
        }
        let started = kept < self.state.considered as usize;
        self.state.considered = kept as u32;
        let others = self.keep_considering()?;
        Ok(next || (started && others))
    }

    /// Notes the start of a job of the beginning, or of another task of an array.
    fn started(&mut self, number: u32, time: u32) -> Result<()> {
        let row = self.state.scenario as usize * self.parts.queued.len();
        let start = at_mut(self.parts.starts, row + number as usize)?;
        if *start == NOBODY {
            *start = time;
            self.state.left = self.state.left.saturating_sub(1);
        }
        Ok(())
    }
}
