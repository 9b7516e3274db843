//! The reason why a job waits, and its planned start: by the last decision of an open cycle, or by the notes of a
//! closed one in the jobs' records.

use super::cycle::{Cycle, State};
use super::delayed::{Delayed, Judged};
use super::job::{JobState, MAX_TIME, Why};
use super::machine::{Booked, Requirement};
use super::object::Scheduler;
use super::order::Candidate;
use super::pools::pool_mut;
use super::settings::Way;
use super::table::Record;
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{Object, at, at_mut, range, range_mut};
use crate::plan::{LONGEST, Limited, Plan, StartedNow, UNPLANNED, WINDOW};
use bytemuck::Zeroable;

/// The reason for which a waiting job does not run, and its planned start. Times are in the scheduler's time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reason {
    /// Id of the job.
    pub job: i64,
    /// The reason: one of those from [`Why::NoRoom`] on; [`Why::Planned`] for a job that starts now, and
    /// [`Why::Unknown`] for one without a decision since it was reported or changed.
    pub why: Why,
    /// The waiting job whose start it must not delay; 0 for none. While a job that has waited too long is in front of
    /// all others it is that one; else, for a job planned for later, the first of the plan that starts later than now.
    pub head: i64,
    /// Time of the question.
    pub now: i64,
    /// The planned start, on the plan's grid of instants: later than the plan needs by at most a sixteenth of the time
    /// until then. It is by predicted means, without the jobs that are still to come; `None` where nothing is planned.
    pub start: Option<i64>,
    /// The median of the start that was last reported to people
    /// ([`StartForecast::report`](super::StartForecast::report)), if it is still to come: a sentence has it instead of
    /// the planned start.
    pub expected: Option<i64>,
    /// Time at which it has room if all running jobs run to their limits: for the job in front of all others, in a pool
    /// of counted units.
    pub by_limits: Option<i64>,
    /// Time at which the reason ends by itself: a begin time, the end of a refusal, the beginning of its reservation.
    pub until: Option<i64>,
    /// The price of starting it now, for a job that fits and is planned for later.
    pub price: Option<StartedNow>,
    /// The delay for which it must wait, for [`Why::Delays`].
    pub delayed: Option<Delayed>,
    /// Its place among the waiting jobs, by their planned starts, the first 1; 0 without one.
    pub place: u32,
    /// Number of tasks of an array that wait, this one among them; 1 for a job.
    pub tasks: u32,
    /// Number of processors that it wants.
    pub wanted: u32,
    /// Number of processors of its pool that are idle after the starts, and number of all of them.
    pub idle: u32,
    /// See `idle`.
    pub units: u32,
}

impl Reason {
    /// The part of a reason that does not depend on a decision.
    fn of(job: &Record, now: i64, idle: u32, units: u32) -> Reason {
        Reason {
            job: job.id,
            why: Why::Unknown,
            head: 0,
            now,
            start: None,
            expected: Some(job.reported_median).filter(|&median| job.reports > 0 && median > now),
            by_limits: None,
            until: None,
            price: None,
            delayed: None,
            place: 0,
            tasks: job.tasks.max(1),
            wanted: job.width,
            idle,
            units,
        }
    }
}

/// A time that is still to come, in the scheduler's range.
fn coming(time: i64) -> Option<i64> {
    Some(time).filter(|&time| time < MAX_TIME)
}

/// State of a job in a decision.
struct Standing {
    why: Why,
    head: i64,
    start: Option<i64>,
}

/// The part that all reasons of a decision have in common.
struct Decided {
    /// The candidate that others of its tier and below must not delay, whether it is the first of all that wait, and
    /// the first of the plan's order that starts later than now.
    front: Option<usize>,
    is_first: bool,
    later: Option<usize>,
    /// Units that the starting jobs leave idle.
    left: u32,
    /// Whether the candidates are in the site's order, and were gone through one by one.
    easy: bool,
    inconsistent: bool,
}

impl Cycle<'_> {
    /// The reason why a job of this cycle's pool waits, by the cycle's last decision ([`Cycle::next`]), or by
    /// [`Cycle::plan_all`], which reaches all waiting jobs. O(W + offers); for a job that fits and is planned for later
    /// the cost of [`Plan::started_now`], for the front job O(R log R), on nodes O(nodes x queues).
    ///
    /// # Errors
    /// [`Error::UnknownJob`] unless the job waits in this pool; [`Error::WrongState`] before the first decision, and
    /// between a refusal and the next one.
    pub fn reason(&mut self, scheduler: &Scheduler<'_>, job: i64) -> Result<Reason> {
        let slot = scheduler.parts.table.find(job)?.ok_or(Error::UnknownJob)?;
        if self.state.decided == 0 {
            return Err(Error::WrongState);
        }
        self.reason_of(scheduler, slot)
    }

    /// The reason of a job, or of the guest.
    pub(super) fn reason_of(&mut self, scheduler: &Scheduler<'_>, slot: u32) -> Result<Reason> {
        let job = *scheduler.parts.table.get(slot)?;
        if job.pool != self.state.pool || !matches!(job.state(), JobState::Waiting | JobState::Held) {
            return Err(Error::UnknownJob);
        }
        let reason = scheduler.stated(slot, self.state.now, self.state.idle)?;
        if reason.why != Why::Unknown {
            return Ok(reason);
        }
        let candidates = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        let is_it = |candidate: &Candidate| candidate.slot == slot && candidate.id == job.id;
        let Some(number) = candidates.iter().position(is_it) else {
            // Tasks and jobs offered before the last decision are no candidates of it.
            let offers = range(self.parts.offers, 0, self.state.offers as usize)?;
            if offers.iter().any(|made| made.is_open() && made.slot == slot && made.job == job.id) {
                return Ok(Reason { why: Why::Planned, start: Some(self.state.now), ..reason });
            }
            let crowded = self.state.built != 0 && self.parts.machine.is_crowded();
            return Ok(Reason { why: if crowded { Why::Depth } else { Why::Unknown }, ..reason });
        };
        if at(candidates, number)?.edits != job.edits {
            return Ok(reason);
        }
        let decided = self.decided(scheduler)?;
        // The first task of an array counts; in a decision the first that does not start.
        let candidates = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        let mut marked = candidates.iter().zip(&*self.parts.limited);
        let left = marked.position(|(candidate, mark)| is_it(candidate) && mark.processors == 0);
        let number = left.filter(|_| self.state.anyway == 0).unwrap_or(number);
        let Standing { why, head, start } = self.standing(scheduler, &decided, number)?;
        let place = self.place_of(number, start)?;
        let counted = self.state.of_nodes == 0;
        let price = if why == Why::Later && counted {
            Plan::whole(self.parts.plan)?.started_now(number)?
        } else {
            None
        };
        if self.plans_for_another(scheduler) && job.is_judged(scheduler.pool_at(job.pool)?.judgements) {
            // The plan says when, the rule's last decision why: it may hold a job that the plan would start.
            let noted = scheduler.reason(job.id, self.state.now)?;
            let start = start.filter(|&start| start > self.state.now);
            let is_head = noted.why == Why::Head && counted;
            let by_limits = if is_head { self.by_limits(scheduler, number)? } else { None };
            return Ok(Reason { start, place, by_limits, ..noted });
        }
        let waits_in_front = decided.front == Some(number) && decided.is_first && why != Why::Planned;
        let by_limits = if waits_in_front && counted { self.by_limits(scheduler, number)? } else { None };
        let until = if why == Why::Refused { coming(job.busy_until) } else { None };
        let delayed = if why == Why::Delays { self.delayed(number) } else { None };
        Ok(Reason { why, head, start, price, delayed, by_limits, until, place, idle: decided.left, ..reason })
    }

    /// Whether all jobs are planned that EASY or the delay rule decides about.
    fn plans_for_another(&self, scheduler: &Scheduler<'_>) -> bool {
        self.state.anyway != 0 && scheduler.settings().way() != Way::Plan
    }

    /// The part that all reasons of the last decision have in common; each candidate's planned start in seconds, and
    /// whether it starts, are in the scratch `limited` then. O(W), and O(64 x W) for the first that starts later.
    fn decided(&mut self, scheduler: &Scheduler<'_>) -> Result<Decided> {
        let count = self.state.candidates as usize;
        let inconsistent = scheduler.pool_at(self.state.pool)?.inconsistent != 0;
        let plain = inconsistent && self.state.of_nodes == 0;
        let easy = self.state.anyway == 0 && (scheduler.settings().way() != Way::Plan || plain);
        let mut decided =
            Decided { front: None, is_first: true, later: None, left: self.state.idle, easy, inconsistent };
        let marks = range_mut(self.parts.limited, 0, count)?;
        marks.iter_mut().for_each(|mark| *mark = Limited { after: UNPLANNED, processors: 0 });
        for &number in range(self.parts.starting, 0, self.state.starting as usize)? {
            at_mut(marks, number as usize)?.processors = 1;
            let taken = at(self.parts.candidates, number as usize)?.processors;
            decided.left = decided.left.saturating_sub(taken);
        }
        if easy {
            decided.front = marks.iter().position(|mark| mark.processors == 0);
            return Ok(decided);
        }
        if self.state.ordered == 0 {
            return Ok(decided);
        }
        let mut note = |number: usize, start: Option<u32>| {
            marks.get_mut(number).map(|mark| mark.after = start.unwrap_or(UNPLANNED))
        };
        let (front, kept) = if self.state.of_nodes == 0 {
            let plan = Plan::whole(self.parts.plan)?;
            for number in 0..count {
                note(number, plan.planned(number)?);
            }
            (plan.guarded(), *plan.kept())
        } else {
            let plan = self.parts.machine.plan()?;
            for number in 0..count {
                note(number, plan.planned(number)?);
            }
            (plan.guarded(), *plan.kept())
        };
        decided.front = front.filter(|&front| marks.get(front).is_some_and(|mark| mark.processors == 0));
        // A plan guards the job that has waited longest, of whatever tier: those of higher ones come before it.
        let tiers = range(self.parts.tiers, 0, count)?;
        let tier = front.and_then(|front| tiers.get(front));
        let waits =
            |tier: &i32| tiers.iter().zip(&*marks).any(|(own, mark)| own > tier && mark.processors == 0);
        decided.is_first = !tier.is_some_and(waits);
        let candidates = range(self.parts.candidates, 0, count)?;
        decided.later = kept.ids().iter().find_map(|&id| {
            let number = candidates.iter().position(|candidate| candidate.planned_as() == id)?;
            marks.get(number).filter(|mark| mark.after > 0 && mark.after != UNPLANNED).map(|_| number)
        });
        Ok(decided)
    }

    /// State of a candidate, by the result of [`Cycle::decided`].
    fn standing(&mut self, scheduler: &Scheduler<'_>, decided: &Decided, number: usize) -> Result<Standing> {
        let candidate = *at(self.parts.candidates, number)?;
        let mark = *at(self.parts.limited, number)?;
        let now = self.state.now;
        if mark.processors != 0 {
            return Ok(Standing { why: Why::Planned, head: 0, start: Some(now) });
        }
        // Behind a job that may run for ever nothing can be foreseen.
        let endless = mark.after >= LONGEST;
        let planned = Some(mark.after).filter(|&start| start != UNPLANNED && !endless);
        let start = planned.map(|start| now.saturating_add(start.into()));
        let id = |number: Option<usize>| {
            number.and_then(|number| self.parts.candidates.get(number)).map_or(0, |candidate| candidate.id)
        };
        let in_front = decided.front == Some(number) && decided.is_first;
        let tiers = range(self.parts.tiers, 0, self.state.candidates as usize)?;
        let tier = |number: usize| tiers.get(number).filter(|_| !decided.easy);
        let guard = decided.front.filter(|&front| front != number && tier(front) >= tier(number));
        let front = Some(id(guard)).filter(|&front| front != candidate.id).unwrap_or(0);
        let later = id(decided.later.filter(|&later| guard.is_none() && later != number));
        let why = if decided.inconsistent {
            Why::Inconsistent
        } else if candidate.later != 0 {
            Why::Refused
        } else if in_front {
            Why::Head
        } else {
            match self.room_for(scheduler, &candidate)? {
                Why::Unknown if planned == Some(0) => Why::Guarded,
                Why::Unknown if !decided.easy && planned.is_none() => Why::Depth,
                Why::Unknown if self.is_taken(decided, number, &candidate)? => Why::NoRoom,
                Why::Unknown if decided.easy && self.delayed(number).is_some() => Why::Delays,
                Why::Unknown if decided.easy => Why::Guarded,
                Why::Unknown => Why::Later,
                short => short,
            }
        };
        let head = if why == Why::Later && front == 0 && later != candidate.id { later } else { front };
        Ok(Standing { why, head, start })
    }

    /// The delay for which a candidate must wait by the last decision.
    fn delayed(&self, number: usize) -> Option<Delayed> {
        let by_delay = self.state.by_delay != 0;
        self.parts.judged.get(number).filter(|_| by_delay).and_then(Judged::delayed)
    }

    /// The reason for which there was no room for a candidate when the decision began; [`Why::Unknown`] if there was.
    /// O(1), on nodes O(nodes).
    fn room_for(&mut self, scheduler: &Scheduler<'_>, candidate: &Candidate) -> Result<Why> {
        if self.state.of_nodes != 0 {
            return self.parts.machine.room_for(scheduler, candidate);
        }
        Ok(if candidate.processors <= self.state.idle { Why::Unknown } else { Why::NoRoom })
    }

    /// Whether the starting jobs have taken the room that a candidate needs: all of them, but under EASY those before
    /// it, as it is the guard that has kept it behind the others. O(starts).
    fn is_taken(&self, decided: &Decided, number: usize, candidate: &Candidate) -> Result<bool> {
        if !decided.easy {
            return Ok(candidate.processors > decided.left);
        }
        let mut idle = self.state.idle;
        for &other in range(self.parts.starting, 0, self.state.starting as usize)? {
            if (other as usize) < number {
                idle = idle.saturating_sub(at(self.parts.candidates, other as usize)?.processors);
            }
        }
        Ok(candidate.processors > idle)
    }

    /// Time at which a waiting candidate has room if all jobs run to their limits, those starting in this decision too.
    fn by_limits(&mut self, scheduler: &Scheduler<'_>, number: usize) -> Result<Option<i64>> {
        let mut count = self.limits(scheduler)?;
        let candidate = *at(self.parts.candidates, number)?;
        let mut free = scheduler.pool_at(self.state.pool)?.idle();
        for made in range(self.parts.offers, 0, self.state.offers as usize)? {
            free = if made.is_open() { free.saturating_sub(made.count) } else { free };
        }
        let starting = range(self.parts.starting, 0, self.state.starting as usize)?;
        for &number in starting.get(self.state.taken as usize..).unwrap_or(&[]) {
            let other = *at(self.parts.candidates, number as usize)?;
            let job = scheduler.parts.table.get(other.slot)?;
            let after = u32::try_from(job.limit.max(0)).unwrap_or(0);
            let after = if after == 0 { LONGEST } else { after.min(LONGEST) };
            let Some(to) = self.parts.limited.get_mut(count) else { return Ok(None) };
            (*to, count) = (Limited { after, processors: other.processors }, count + 1);
            free = free.saturating_sub(other.processors);
        }
        let limited = range_mut(self.parts.limited, 0, count)?;
        heap::sort(limited)?;
        // Beyond the range of a plan, and for jobs without a limit, nothing is known.
        for running in limited.iter().take_while(|running| running.after < LONGEST) {
            free = free.saturating_add(running.processors);
            if free >= candidate.processors {
                return Ok(Some(self.state.now.saturating_add(running.after.into())));
            }
        }
        Ok(None)
    }

    /// The place of a candidate with this start among all waiting jobs, by the result of [`Cycle::decided`].
    fn place_of(&self, number: usize, start: Option<i64>) -> Result<u32> {
        let Some(start) = start.filter(|_| self.state.ordered != 0) else { return Ok(0) };
        let span = u32::try_from(start.saturating_sub(self.state.now)).unwrap_or(UNPLANNED);
        let marks = range(self.parts.limited, 0, self.state.candidates as usize)?;
        let before = marks.iter().zip(0..).filter(|&(mark, other)| (mark.after, other) < (span, number));
        Ok(before.count() as u32 + 1)
    }

    /// Notes the reasons of the jobs that the last decision reached: for others that do not fit, the idle units
    /// suffice. O(W), on nodes O(64 x nodes) beside that.
    pub(super) fn note_reasons(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        if self.state.decided == 0 || self.state.tried != 0 || self.plans_for_another(scheduler) {
            return Ok(());
        }
        let State { pool: number, idle, of_nodes, .. } = *self.state;
        let pool = pool_mut(scheduler.parts.pools, number)?;
        pool.judgements = pool.judgements.wrapping_add(1);
        let judgement = pool.judgements;
        let decided = self.decided(scheduler)?;
        pool_mut(scheduler.parts.pools, number)?.judged_idle = decided.left;
        let mut looked = 0;
        for number in 0..self.state.candidates as usize {
            let candidate = *at(self.parts.candidates, number)?;
            let mark = *at(self.parts.limited, number)?;
            let reached = mark.after != UNPLANNED || mark.processors != 0 || candidate.later != 0;
            let may_fit = of_nodes != 0 || candidate.processors <= idle;
            if !reached && !may_fit && decided.front != Some(number) || of_nodes != 0 && looked >= WINDOW {
                continue;
            }
            let job = scheduler.parts.table.get(candidate.slot)?;
            let same = job.id == candidate.id && job.edits == candidate.edits && job.state().waits();
            // The first task of an array counts that does not start.
            let noted = job.judged_in == judgement && ![0, Why::Planned as u32].contains(&job.judged);
            if !same || noted {
                continue;
            }
            looked += 1;
            let Standing { why, head, start } = self.standing(scheduler, &decided, number)?;
            let found = self.parts.judged.get(number).copied().filter(|_| why == Why::Delays);
            let job = scheduler.parts.table.get_mut(candidate.slot)?;
            job.judged_delay = found.unwrap_or(Judged::zeroed());
            let planned = start.unwrap_or_else(|| job.judged_until(self.state.now));
            (job.judged, job.judged_head, job.judged_in) = (why as u32, head, judgement);
            (job.judged_start, job.judged_edits) = (planned, job.edits);
        }
        Ok(())
    }
}

impl Scheduler<'_> {
    /// The reason why a job waits, as far as it is known without a cycle: by the reports of it and its pool, else by
    /// the last closed cycle that reached it. O(1), on nodes O(nodes x queues).
    ///
    /// # Errors
    /// [`Error::UnknownJob`] unless the job waits.
    pub fn reason(&self, job: i64, now: i64) -> Result<Reason> {
        let slot = self.parts.table.find(job)?.ok_or(Error::UnknownJob)?;
        let now = self.clock(now);
        let job = *self.parts.table.get(slot)?;
        if !matches!(job.state(), JobState::Waiting | JobState::Held) {
            return Err(Error::UnknownJob);
        }
        let pool = self.pool_at(job.pool)?;
        let reason = self.stated(slot, now, pool.judged_idle)?;
        if reason.why != Why::Unknown || pool.judgements == 0 {
            return Ok(reason);
        }
        let noted = job.is_judged(pool.judgements);
        let why = match Why::from_number(job.judged).unwrap_or_default() {
            Why::Refused if noted && !job.is_busy(pool.changes, now) => Why::Unknown,
            why if noted => why,
            _ if !pool.is_of_nodes() && job.width > pool.judged_idle => Why::NoRoom,
            _ => Why::Unknown,
        };
        let waits = |slot: u32| self.parts.table.get(slot).is_ok_and(|job| job.state().waits());
        let head = self.parts.table.find(job.judged_head)?.filter(|&slot| noted && waits(slot));
        let start = Some(job.judged_until(now)).filter(|&start| start != 0);
        let until = if why == Why::Refused { coming(job.busy_until) } else { None };
        let delayed = job.judged_delay.delayed().filter(|_| why == Why::Delays);
        Ok(Reason { why, start, until, delayed, head: head.map_or(0, |_| job.judged_head), ..reason })
    }

    /// The reason why a job waits whatever is decided about the others: [`Why::Unknown`] where that depends on a
    /// decision.
    pub(super) fn stated(&self, slot: u32, now: i64, idle: u32) -> Result<Reason> {
        let job = self.parts.table.get(slot)?;
        let pool = self.pool_at(job.pool)?;
        let reason = Reason::of(job, now, idle, pool.units);
        let because = |why, until| Ok(Reason { why, until, ..reason });
        if job.state() == JobState::Held {
            // A begin time that has passed keeps nothing: it is the manager that does.
            let passed = job.why() == Why::Begin && (1..=now).contains(&job.begin);
            let why = if (job.why() as u32) < Why::Hold as u32 || passed { Why::Hold } else { job.why() };
            let until = if why == Why::Begin && job.begin > now { coming(job.begin) } else { None };
            return because(why, until);
        }
        if job.begin > now {
            return because(Why::Begin, coming(job.begin));
        }
        if job.refused_until > now {
            return because(Why::Refused, coming(job.refused_until));
        }
        if !pool.is_of_nodes() {
            let why = match pool.units {
                0 => Why::NodesOut,
                units if job.count > units => Why::Never,
                _ => Why::Unknown,
            };
            return because(why, None);
        }
        if self.is_early(slot, now)? {
            let key = self.parts.holdings.ask(slot).reservation;
            let own = |booked: &&Booked| booked.key == key && booked.pool == job.pool;
            let begins = self.parts.reservations.iter().find(own).map(|booked| booked.from);
            return because(Why::Reserved, begins.and_then(coming));
        }
        because(self.obstacle(slot, now)?, None)
    }

    /// The reason why no nodes could hold a job, however idle they were; [`Why::Unknown`] if some could. O(nodes x
    /// queues).
    fn obstacle(&self, slot: u32, now: i64) -> Result<Why> {
        let job = self.parts.table.get(slot)?;
        let ask = self.parts.holdings.ask(slot);
        let request = ask.request(job.count, 0);
        if request.pool.iter().zip(self.licences()).any(|(wanted, all)| *wanted > all) {
            return Ok(Why::Licences);
        }
        // For each queue: the nodes with the job's features, those in service among them, and among these those that no
        // reservation closes.
        let mut best = Why::Never;
        for &queue in job.queues.iter().take(job.queue_count as usize) {
            let admitted = self.requirement(slot, queue, now)?;
            let bare = Requirement { inside: 0, crossed: 0, nowhere: 0, ..admitted };
            let mut rooms = [0_u64; 3];
            for node in self.parts.nodes.iter().filter(|node| node.state != 0 && node.pool == job.pool) {
                let room = if bare.admits(node) { u64::from(request.room_on(&node.amounts)) } else { 0 };
                let in_service = node.counts(now);
                let steps = [true, in_service, in_service && admitted.admits(node)];
                for (rooms, counts) in rooms.iter_mut().zip(steps) {
                    *rooms += if counts { room } else { 0 };
                }
            }
            let count = u64::from(job.count);
            let [all, in_service, free] = rooms.map(|rooms| rooms >= count);
            best = match (all, in_service, free) {
                (_, _, true) => return Ok(Why::Unknown),
                (_, true, _) => Why::Reserved,
                (true, ..) if best == Why::Never => Why::NodesOut,
                _ => best,
            };
        }
        Ok(best)
    }
}
