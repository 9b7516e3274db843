//! The jobs that start: by the plan of the whole queue, by EASY backfilling or by the delay rule, on counted units or
//! on nodes.

use super::cycle::{Cycle, State, TASKS};
use super::object::Scheduler;
use super::on_nodes::Stay;
use super::order::{Candidate, count_points, easy, lowest, tiers, worth};
use super::pools::idle;
use super::settings::{Mode, Settings, Way};
use crate::error::Result;
use crate::heap;
use crate::memory::{Object, at, at_mut, range, range_mut};
use crate::plan::{Limited, Plan, WaitingJob};
use crate::runtime::MAX_SECONDS;

/// A span of time in the plan's range, in seconds.
fn spanned(span: i64) -> i64 {
    span.clamp(0, MAX_SECONDS)
}

/// A candidate in the plan's form. The worth of its priority above the lowest one is noted in its record.
fn waiting_job(
    scheduler: &mut Scheduler<'_>,
    candidate: &Candidate,
    tier: i32,
    lowest: f64,
    (settings, now): (&Settings, i64),
) -> Result<WaitingJob> {
    let job = scheduler.parts.table.get(candidate.slot)?;
    let by_points = settings.by_points();
    let credit = if by_points { worth(job.priority - lowest, settings.seconds) } else { 0 };
    let stale = credit != job.credit && !scheduler.parts.table.has_guest();
    let waiting = WaitingJob {
        id: candidate.planned_as(),
        processors: candidate.processors,
        run_time: job.mean,
        limit: if job.limit > 0 { spanned(job.limit) } else { MAX_SECONDS },
        waited: spanned(job.waited(now)),
        credit,
        tier,
        promised: job.promised.into(),
        later: candidate.later != 0,
    };
    if stale {
        scheduler.parts.table.get_mut(candidate.slot)?.credit = credit;
    }
    Ok(waiting)
}

/// Notes the promise to the head job.
fn note_promise(
    scheduler: &mut Scheduler<'_>,
    candidates: &[Candidate],
    promised: Option<(usize, u32)>,
) -> Result<()> {
    let Some((number, wait)) = promised else { return Ok(()) };
    scheduler.parts.table.get_mut(at(candidates, number)?.slot)?.promised = wait;
    Ok(())
}

impl Cycle<'_> {
    /// Decides which jobs start.
    pub(super) fn decide(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let State { pool: number, now, .. } = *self.state;
        let settings = scheduler.settings();
        let here = *scheduler.pool_at(number)?;
        let open = range(self.parts.offers, 0, self.state.offers as usize)?;
        let open = open.iter().filter(|made| made.is_open());
        let offered = open.fold(0_u32, |sum, made| sum.saturating_add(made.count));
        let idle = idle(scheduler.parts.pools, number)?.saturating_sub(offered);
        (self.state.decided, self.state.taken, self.state.starting) = (1, 0, 0);
        (self.state.idle, self.state.ordered, self.state.by_delay) = (idle, 0, 0);
        self.gather(scheduler)?;
        let count = self.state.candidates as usize;
        if self.state.of_nodes != 0 {
            return if count == 0 { Ok(()) } else { self.decide_on_nodes(scheduler) };
        }
        let anyway = self.state.anyway != 0;
        let plain = here.inconsistent != 0;
        let in_order = (settings.way() != Way::Plan || plain) && !anyway;
        if in_order {
            // In the site's order even where nothing is idle: the reasons tell who is first.
            let candidates = range_mut(self.parts.candidates, 0, count)?;
            count_points(scheduler, candidates, now)?;
            heap::sort(candidates)?;
        }
        if idle == 0 && !anyway || count == 0 {
            return Ok(());
        }
        if in_order && settings.way() == Way::Delay && !plain {
            self.state.starting = self.delay(scheduler, &settings, idle)? as u32;
            self.state.by_delay = 1;
            return Ok(());
        }
        if in_order {
            let running = self.limits(scheduler)?;
            let candidates = range(self.parts.candidates, 0, count)?;
            let limited = (&mut *self.parts.limited, running);
            let started = easy(scheduler, candidates, limited, idle, !plain, self.parts.starting)?;
            self.state.starting = started as u32;
            return Ok(());
        }
        self.plan(scheduler, idle)
    }

    /// Writes the candidates. Of an array they are the tasks behind those with an open offer.
    fn gather(&mut self, scheduler: &Scheduler<'_>) -> Result<()> {
        // The slots of the open offers in increasing order, where the numbers of those that start will be.
        let offers = range(self.parts.offers, 0, self.state.offers as usize)?;
        let mut open = 0;
        for made in offers.iter().filter(|made| made.is_open()) {
            *at_mut(self.parts.starting, open)? = made.slot;
            open += 1;
        }
        let open = range_mut(self.parts.starting, 0, open)?;
        heap::sort(open)?;
        let tasks = |slot: u32, fit: u32| {
            let (from, to) =
                (open.partition_point(|&other| other < slot), open.partition_point(|&other| other <= slot));
            let offered = to.saturating_sub(from) as u32;
            (offered, offered.saturating_add(fit.clamp(1, TASKS)))
        };
        let State { pool, now, .. } = *self.state;
        self.state.candidates = scheduler.candidates(pool, now, tasks, self.parts.candidates)? as u32;
        Ok(())
    }

    /// Notes where the starts of this decision stop: behind an array whose last task that was looked at starts while
    /// more of them wait. The cycle goes on with these before others take their room.
    pub(super) fn stop_behind_array(&mut self, scheduler: &Scheduler<'_>) -> Result<()> {
        (self.state.first, self.state.stop) = (self.state.offers, u32::MAX);
        if scheduler.settings().mode == Mode::Shadow {
            return Ok(());
        }
        for place in 0..self.state.starting {
            let number = *at(self.parts.starting, place as usize)? as usize;
            let candidates = range(self.parts.candidates, 0, self.state.candidates as usize)?;
            let candidate = at(candidates, number)?;
            let is_last = candidates.get(number + 1).is_none_or(|next| next.slot != candidate.slot);
            let job = scheduler.parts.table.get(candidate.slot)?;
            if is_last && candidate.task.saturating_add(1) < job.startable_tasks() {
                self.state.stop = place + 1;
                break;
            }
        }
        Ok(())
    }

    /// Writes the running and the offered jobs by their time limits.
    pub(super) fn limits(&mut self, scheduler: &Scheduler<'_>) -> Result<usize> {
        let State { pool, now, .. } = *self.state;
        let mut count = 0;
        let mut add = |after: i64, processors: u32| {
            let after = u32::try_from(after.max(1)).unwrap_or(u32::MAX).min(crate::plan::LONGEST);
            *at_mut(self.parts.limited, count)? = Limited { after, processors };
            count += 1;
            Ok(())
        };
        for &slot in scheduler.parts.table.active() {
            let job = scheduler.parts.table.get(slot)?;
            if job.pool == pool && job.holds() > 0 {
                add(scheduler.end_by_limit(slot, now)? - now, job.holds())?;
            }
        }
        for made in range(self.parts.offers, 0, self.state.offers as usize)? {
            if made.is_open() {
                add(scheduler.end_by_limit(made.slot, now)? - now, made.count)?;
            }
        }
        Ok(count)
    }

    /// Decides by the plan of the whole queue.
    fn plan(&mut self, scheduler: &mut Scheduler<'_>, idle: u32) -> Result<()> {
        let State { pool: number, now, .. } = *self.state;
        let settings = scheduler.settings();
        let count = self.state.candidates as usize;
        let candidates = range_mut(self.parts.candidates, 0, count)?;
        tiers(candidates, range_mut(self.parts.tiers, 0, count)?, settings.tie)?;
        let mut plan = Plan::whole(self.parts.plan)?;
        plan.keep(&scheduler.pool_at(number)?.kept);
        plan.begin(idle);
        for place in 0..scheduler.parts.table.active().len() {
            let slot = *at(scheduler.parts.table.active(), place)?;
            let job = *scheduler.parts.table.get(slot)?;
            if job.pool == number && job.holds() > 0 {
                let end = scheduler.expected_end(slot, &settings, now)?;
                plan.add_running(
                    job.holds(),
                    spanned(end - now),
                    spanned(scheduler.end_by_limit(slot, now)? - now),
                )?;
            }
        }
        for made in range(self.parts.offers, 0, self.state.offers as usize)? {
            if made.is_open() {
                let mean = scheduler.parts.table.get(made.slot)?.mean;
                let limit = scheduler.end_by_limit(made.slot, now)? - now;
                plan.add_running(made.count, spanned(mean), spanned(limit))?;
            }
        }
        let lowest = lowest(scheduler, candidates)?;
        for (candidate, &tier) in candidates.iter().zip(&*self.parts.tiers) {
            plan.add_waiting(&waiting_job(scheduler, candidate, tier, lowest, (&settings, now))?)?;
        }
        let (waits, counted) = scheduler.waits_of(number)?;
        if self.state.anyway != 0 {
            plan.decide_anyway(&settings.rule, &waits, &counted)?;
        } else {
            plan.decide(&settings.rule, &waits, &counted)?;
        }
        note_promise(scheduler, candidates, plan.promised().filter(|_| self.state.anyway == 0))?;
        for (to, from) in self.parts.starting.iter_mut().zip(plan.starting()) {
            *to = *from;
        }
        (self.state.starting, self.state.planned) = (plan.starting().len() as u32, 1);
        self.state.ordered = 1;
        Ok(())
    }

    /// Decides which jobs start in a pool of nodes, and on which nodes.
    fn decide_on_nodes(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let State { pool: number, now, .. } = *self.state;
        let settings = scheduler.settings();
        if !scheduler.parts.table.has_guest() {
            // Awaits nodes reported since the cycle began.
            scheduler.await_nodes(now);
        }
        let candidates = range_mut(self.parts.candidates, 0, self.state.candidates as usize)?;
        let requirements = self.parts.machine.require(scheduler, candidates, now)?;
        self.parts.machine.build(scheduler, number, requirements)?;
        self.board(scheduler)?;
        self.parts.machine.close(scheduler, number, now)?;
        (self.state.idle, self.state.built) = (self.parts.machine.idle()?, 1);
        let count = self.choose(scheduler)?;
        if count == 0 {
            return Ok(());
        }
        let candidates = range_mut(self.parts.candidates, 0, count)?;
        let easy = settings.way() == Way::Easy && self.state.anyway == 0;
        if easy {
            count_points(scheduler, candidates, now)?;
            heap::sort(candidates)?;
        } else {
            tiers(candidates, range_mut(self.parts.tiers, 0, count)?, settings.tie)?;
        }
        self.parts.machine.plan_anew(&scheduler.pool_at(number)?.kept)?;
        let (nodes, mut plan) = self.parts.machine.both()?;
        let lowest = lowest(scheduler, candidates)?;
        for (candidate, &tier) in candidates.iter().zip(&*self.parts.tiers) {
            let tier = if easy { 0 } else { tier };
            let waiting = waiting_job(scheduler, candidate, tier, lowest, (&settings, now))?;
            let count = scheduler.parts.table.get(candidate.slot)?.count;
            let [bit, ..] = candidate.bits;
            let request = scheduler.parts.holdings.ask(candidate.slot).request(count, 1 << bit);
            plan.add_waiting(&nodes, &waiting, &request, settings.fit)?;
        }
        if easy {
            plan.decide_easy(&nodes, true)?;
        } else {
            let (waits, counted) = scheduler.waits_of(number)?;
            if self.state.anyway != 0 {
                plan.plan_anyway();
            }
            plan.decide(&nodes, &settings.rule, &waits, &counted)?;
        }
        note_promise(scheduler, candidates, plan.promised().filter(|_| self.state.anyway == 0))?;
        let mut starting = 0;
        for (to, (from, _)) in self.parts.starting.iter_mut().zip(plan.starting()) {
            *to = from as u32;
            starting += 1;
        }
        self.state.starting = starting;
        (self.state.planned, self.state.ordered) = (u32::from(!easy), u32::from(!easy));
        Ok(())
    }

    /// Puts the running and the offered jobs on the machine.
    fn board(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let State { pool: number, now, .. } = *self.state;
        let settings = scheduler.settings();
        for place in 0..scheduler.parts.table.active().len() {
            let slot = *at(scheduler.parts.table.active(), place)?;
            let job = *scheduler.parts.table.get(slot)?;
            // Jobs of other pools may hold licences, or nodes that have come to this one.
            let of_nodes = job.pool == number || scheduler.pool_at(job.pool)?.is_of_nodes();
            if of_nodes && job.holds() > 0 {
                let end = scheduler.expected_end(slot, &settings, now)? - now;
                let limit = scheduler.end_by_limit(slot, now)? - now;
                self.parts.machine.board(scheduler, slot, Stay::new(spanned(end), spanned(limit)))?;
            }
        }
        for made in range(self.parts.offers, 0, self.state.offers as usize)? {
            if made.is_open() {
                let mean = scheduler.parts.table.get(made.slot)?.mean;
                let limit = scheduler.end_by_limit(made.slot, now)? - now;
                let ask = scheduler.parts.holdings.ask(made.slot);
                let stay = Stay::new(spanned(mean), spanned(limit));
                self.parts.machine.board_offer(&ask, (made.first, made.parts), stay)?;
            }
        }
        Ok(())
    }

    /// Leaves out the candidates that no nodes could hold; returns the number left.
    fn choose(&mut self, scheduler: &Scheduler<'_>) -> Result<usize> {
        let mut kept = 0;
        // Result for the last candidate, reused for like jobs.
        let mut last: Option<(Candidate, bool)> = None;
        let own = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        let several =
            |one: &Candidate| scheduler.parts.table.get(one.slot).is_ok_and(|job| job.queue_count > 1);
        let mut waited = own.iter().any(several).then_some(0);
        for number in 0..self.state.candidates as usize {
            let mut candidate = *at(self.parts.candidates, number)?;
            let could = match last.filter(|(like, _)| like.slot == candidate.slot) {
                Some((like, could)) => {
                    (candidate.queue, candidate.bits) = (like.queue, like.bits);
                    could
                }
                None => self.parts.machine.choose(scheduler, &mut candidate, &mut waited)?,
            };
            last = Some((candidate, could));
            if could {
                *at_mut(self.parts.candidates, kept)? = candidate;
                kept += 1;
            }
        }
        self.state.candidates = kept as u32;
        Ok(kept)
    }
}
