//! One decision of one pool: offers, and the manager's answers.

use super::SchedulerCapacity;
use super::job::{JobState, MAX_TIME, Why};
use super::life::Said;
use super::object::Scheduler;
use super::order::{Candidate, easy, lowest, tiers, worth};
use super::pools::{idle, pool, pool_mut};
use super::settings::{Mode, OrderWord, PresetWord};
use crate::error::{Error, Result};
use crate::memory::{Carver, Header, Kind, Object, at, at_mut, range, range_mut};
use crate::plan::{Limited, Plan, PlanCapacity, StartedNow, WINDOW, WaitingJob};
use crate::runtime::MAX_SECONDS;
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// How many tasks of an array are looked at in one cycle: a quarter of the plan's window.
const TASKS: u32 = WINDOW as u32 / 4;

/// Refused for want of room so often in a row, a job lets others pass.
const PATIENCE: u32 = 3;

/// A job to start now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// By which the offer is answered: 0, 1, ... in each cycle.
    pub number: u32,
    /// Which job; of an array, the array.
    pub job: i64,
    /// A queue of the job's.
    pub queue: u32,
    /// Processors that it takes.
    pub count: u32,
    /// The waiting job that it passes, the first in the order of submission; 0 if it passes none.
    pub head: i64,
    /// Why it starts.
    pub why: Why,
}

/// An action that a cycle asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Start this job, or refuse to. Until it is refused the offer counts as started for the rest of the cycle.
    Start(Offer),
    /// In shadow mode: the rule would start this job now. It is said once of a job, and not answered.
    WouldStart(Offer),
    /// Nothing more starts.
    Done,
    /// There is less room than the cycle thought, the settings have changed, or there were more offers than it has room
    /// for: begin another.
    Stale,
}

/// Why a manager refuses an offer. The numbers are C's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// It finds no room. The job keeps its place, is planned from the pool's next end on, and is offered again when its
    /// pool has changed; refused so for the third time in a row it lets others pass.
    Busy = 1,
    /// A limit of the manager's: it is others' turn for [`Settings::refused`](super::Settings::refused) seconds.
    NotNow = 2,
    /// It can never start unless it is changed.
    Never = 4,
}

impl Refusal {
    /// The refusal with this number.
    pub fn from_number(number: u32) -> Option<Refusal> {
        [Refusal::Busy, Refusal::NotNow, Refusal::Never].into_iter().find(|refusal| *refusal as u32 == number)
    }
}

/// The fate of an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Fate {
    Open = 0,
    Started = 1,
    Refused = 2,
}

/// An offer as the block keeps it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Made {
    job: i64,
    slot: u32,
    count: u32,
    /// The job's edits when it was offered.
    edits: u32,
    fate: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    capacity: SchedulerCapacity,
    now: i64,
    pool: u32,
    /// The pool's losses when the cycle began.
    losses: u32,
    /// Whether the candidates below are decided about, and how many of those that start were offered.
    decided: u32,
    starting: u32,
    taken: u32,
    offers: u32,
    candidates: u32,
    /// The plan has an order to keep.
    planned: u32,
    /// As many tasks of an array have started as are looked at: there may be room for more.
    more: u32,
    reserved: u32,
}

/// The slices of the block.
pub(crate) struct Parts<'a> {
    candidates: &'a mut [Candidate],
    tiers: &'a mut [i32],
    limited: &'a mut [Limited],
    /// The numbers of the candidates that start.
    starting: &'a mut [u32],
    offers: &'a mut [Made],
    plan: &'a mut [u8],
}

/// One decision: scratch in the caller's memory, beside the scheduler's block.
///
/// [`Cycle::begin`], then [`Cycle::next`] until it is done, then [`Cycle::close`]. Each offer is answered by
/// [`Cycle::started`] or [`Cycle::refused`], at once or later, until the cycle is closed or another begins; one that is
/// never answered was refused. Whatever is reported between two calls is heeded: an edited job is neither offered by an
/// old decision nor started on an old offer, and when there is less room than the cycle thought, by a job that has
/// started without it too, it says so ([`Action::Stale`]).
pub struct Cycle<'a> {
    state: &'a mut State,
    parts: Parts<'a>,
}

fn entries(capacity: &SchedulerCapacity) -> u32 {
    capacity.jobs.saturating_mul(2)
}

fn plan_capacity(capacity: &SchedulerCapacity) -> PlanCapacity {
    PlanCapacity { running: entries(capacity), waiting: entries(capacity) }
}

impl<'a> Object<'a> for Cycle<'a> {
    const KIND: Kind = Kind::Cycle;
    type Head = Header;
    type Capacity = SchedulerCapacity;
    type State = State;
    type Parts = Parts<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &SchedulerCapacity) -> Result<Parts<'a>> {
        let count = entries(capacity) as usize;
        Ok(Parts {
            candidates: carver.take(count)?,
            tiers: carver.take(count)?,
            limited: carver.take(2 * count)?,
            starting: carver.take(count)?,
            offers: carver.take(count)?,
            plan: carver.take(Plan::size(&plan_capacity(capacity))?)?,
        })
    }

    fn capacity_in(state: &State) -> Result<SchedulerCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<Cycle<'a>> {
        let most = parts.candidates.len();
        let sound = state.offers as usize <= most
            && state.starting as usize <= most
            && state.taken <= state.starting
            && state.candidates as usize <= most;
        if sound { Ok(Cycle { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Cycle);

impl<'a> Cycle<'a> {
    /// Bytes that a cycle of a scheduler with this capacity needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &SchedulerCapacity) -> Result<usize> {
        // A capacity that no scheduler has is refused also where a cycle does not mind.
        Scheduler::size(capacity)?;
        <Cycle as Object>::size(capacity)
    }

    /// A decision of this pool at this time. Brings predictions up to date; starts nothing. O(jobs).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] while a listing is under way; [`Error::Misaligned`],
    /// [`Error::TooSmall`], [`Error::OutOfRange`] for an absurd time.
    pub fn begin(
        memory: &'a mut [u8],
        scheduler: &mut Scheduler<'_>,
        number: u32,
        now: i64,
    ) -> Result<Cycle<'a>> {
        pool(scheduler.parts.pools, number)?;
        if now.unsigned_abs() > MAX_TIME as u64 {
            return Err(Error::OutOfRange);
        }
        if scheduler.state.listing_open != 0 {
            return Err(Error::WrongState);
        }
        let capacity = scheduler.capacity();
        let (state, parts) = Cycle::create(memory, &capacity)?;
        // The memory may never have been written: nothing in it is read.
        Plan::init_scratch(parts.plan, &plan_capacity(&capacity))?;
        let now = scheduler.advance(now)?;
        scheduler.renew()?;
        let grace = scheduler.settings().grace as i64;
        scheduler.forget_the_gone(now.saturating_sub(grace))?;
        let pool = pool_mut(scheduler.parts.pools, number)?;
        pool.settle();
        (pool.stirred, pool.decided) = (0, now);
        (state.capacity, state.now, state.pool, state.losses) = (capacity, now, number, pool.losses);
        Ok(Cycle { state, parts })
    }

    /// The next action. The decision is made by the first call, and anew by the first one after a refusal: at
    /// most 7 + proposals orders of 64 jobs, each with a look along 337 instants for every job; O(jobs) beside that.
    ///
    /// # Errors
    /// [`Error::Full`] where a task of an array would start and there is no slot for it: with a larger block the cycle
    /// can go on.
    pub fn next(&mut self, scheduler: &mut Scheduler<'_>) -> Result<Action> {
        if pool(scheduler.parts.pools, self.state.pool)?.losses != self.state.losses {
            return Ok(Action::Stale);
        }
        let settings = scheduler.settings();
        if self.state.decided == 0 {
            self.decide(scheduler)?;
        }
        while self.state.taken < self.state.starting {
            let number = *at(self.parts.starting, self.state.taken as usize)?;
            let candidate = *at(self.parts.candidates, number as usize)?;
            let job = *scheduler.parts.table.get(candidate.slot)?;
            let shadow = settings.mode == Mode::Shadow;
            // A job that was edited since is left to the next cycle.
            let same = job.id == candidate.id && job.edits == candidate.edits && job.pool == self.state.pool;
            if !same
                || !job.may_start(self.state.now)
                || job.count != candidate.processors
                || shadow && job.shadow != 0
            {
                self.state.taken += 1;
                continue;
            }
            if job.tasks > 1 && !shadow && scheduler.parts.table.is_full() && !scheduler.can_forget()? {
                return Err(Error::Full);
            }
            if self.state.offers as usize >= self.parts.offers.len() {
                // So often was the same refused and offered again.
                return Ok(Action::Stale);
            }
            self.state.taken += 1;
            let offer = Offer {
                number: self.state.offers,
                job: job.id,
                queue: *at(&job.queues, 0)?,
                count: job.count,
                head: self.passed(scheduler, &candidate)?,
                why: Why::Planned,
            };
            let why = match (settings.preset, offer.head) {
                (_, 0) => Why::InOrder,
                (PresetWord::Easy, _) => Why::ByLimits,
                _ => Why::Planned,
            };
            let offer = Offer { why, ..offer };
            if shadow {
                scheduler.parts.table.get_mut(candidate.slot)?.shadow = 1;
                return Ok(Action::WouldStart(offer));
            }
            let made = Made {
                job: job.id,
                slot: candidate.slot,
                count: job.count,
                edits: job.edits,
                fate: Fate::Open as u32,
            };
            *at_mut(self.parts.offers, offer.number as usize)? = made;
            self.state.offers += 1;
            return Ok(Action::Start(offer));
        }
        Ok(Action::Done)
    }

    /// The first waiting job in the order of submission that an offered one passes.
    fn passed(&self, scheduler: &Scheduler<'_>, candidate: &Candidate) -> Result<i64> {
        let order = |slot: u32| scheduler.parts.table.get(slot).map(|job| (job.submit, job.id));
        let own = order(candidate.slot)?;
        let starting = range(self.parts.starting, 0, self.state.starting as usize)?;
        let all = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        let offers = range(self.parts.offers, 0, self.state.offers as usize)?;
        for &slot in scheduler.parts.table.waiting() {
            let (submit, id) = order(slot)?;
            if (submit, id) >= own {
                break;
            }
            let job = scheduler.parts.table.get(slot)?;
            let starts = || {
                let is_open = |made: &Made| made.fate == Fate::Open as u32 && made.slot == slot;
                let starts = |number: u32| all.get(number as usize).is_some_and(|other| other.slot == slot);
                offers.iter().any(is_open) || starting.iter().any(|&number| starts(number))
            };
            if job.pool == self.state.pool && job.may_start(self.state.now) && !starts() {
                return Ok(id);
            }
        }
        Ok(0)
    }

    /// Decides who starts.
    fn decide(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let State { pool: number, now, .. } = *self.state;
        let settings = scheduler.settings();
        let here = *scheduler.pool_at(number)?;
        let open = range(self.parts.offers, 0, self.state.offers as usize)?;
        let open = open.iter().filter(|made| made.fate == Fate::Open as u32);
        let offered = open.fold(0_u32, |sum, made| sum.saturating_add(made.count));
        let idle = idle(scheduler.parts.pools, number)?.saturating_sub(offered);
        (self.state.decided, self.state.taken, self.state.starting) = (1, 0, 0);
        let count = scheduler.candidates(number, now, |fit| fit.min(TASKS), self.parts.candidates)?;
        self.drop_the_offered(count)?;
        let count = self.state.candidates as usize;
        if idle == 0 || count == 0 {
            return Ok(());
        }
        let plain = here.inconsistent != 0;
        if settings.preset == PresetWord::Easy || plain {
            let running = self.limits(scheduler)?;
            let candidates = range_mut(self.parts.candidates, 0, count)?;
            let limited = (&mut *self.parts.limited, running);
            let started = easy(scheduler, candidates, limited, idle, !plain, self.parts.starting)?;
            self.state.starting = started as u32;
            return Ok(());
        }
        self.plan(scheduler, idle)
    }

    /// Takes the candidates out that have an open offer, as many of an array's tasks as were offered.
    fn drop_the_offered(&mut self, count: usize) -> Result<()> {
        let offers = range(self.parts.offers, 0, self.state.offers as usize)?;
        let mut kept = 0;
        for number in 0..count {
            let candidate = *at(self.parts.candidates, number)?;
            let open =
                offers.iter().filter(|made| made.fate == Fate::Open as u32 && made.slot == candidate.slot);
            if (candidate.task as usize) < open.count() {
                continue;
            }
            *at_mut(self.parts.candidates, kept)? = candidate;
            kept += 1;
        }
        self.state.candidates = kept as u32;
        Ok(())
    }

    /// Writes what runs, and what was offered, by its time limit.
    fn limits(&mut self, scheduler: &Scheduler<'_>) -> Result<usize> {
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
            if made.fate == Fate::Open as u32 {
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
        tiers(candidates, range_mut(self.parts.tiers, 0, count)?)?;
        let mut plan = Plan::attach(self.parts.plan)?;
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
            if made.fate == Fate::Open as u32 {
                let mean = scheduler.parts.table.get(made.slot)?.mean;
                let limit = scheduler.end_by_limit(made.slot, now)? - now;
                plan.add_running(made.count, spanned(mean), spanned(limit))?;
            }
        }
        let lowest = lowest(scheduler, candidates)?;
        let by_points = settings.order == OrderWord::Priority;
        for (candidate, &tier) in candidates.iter().zip(&*self.parts.tiers) {
            let job = scheduler.parts.table.get_mut(candidate.slot)?;
            job.credit = if by_points { worth(job.priority - lowest, settings.seconds) } else { 0 };
            plan.add_waiting(&WaitingJob {
                // Tasks of an array keep their places too.
                id: job.id.wrapping_add(i64::from(candidate.task).wrapping_mul(1 << 40)),
                processors: candidate.processors,
                run_time: job.mean,
                limit: if job.limit > 0 { spanned(job.limit) } else { MAX_SECONDS },
                waited: spanned(job.waited(now)),
                credit: job.credit,
                tier,
                later: candidate.later != 0,
            })?;
        }
        let (waits, counted) = scheduler.waits_of(number)?;
        plan.decide(&settings.rule, &waits, &counted)?;
        for (to, from) in self.parts.starting.iter_mut().zip(plan.starting()) {
            *to = *from;
        }
        (self.state.starting, self.state.planned) = (plan.starting().len() as u32, 1);
        Ok(())
    }

    /// When a waiting job is planned to start; `None` where the plan did not come to it, because nothing that waits
    /// fits or nothing is idle any more, where it is not a candidate, and where nothing is planned.
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::WrongState`] before the first [`Cycle::next`].
    pub fn planned(&mut self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<i64>> {
        let Some(number) = self.number_of(scheduler, job)? else { return Ok(None) };
        let start = Plan::attach(self.parts.plan)?.planned(number)?;
        Ok(start.map(|start| self.state.now.saturating_add(start.into())))
    }

    /// The price of starting a waiting job now that is planned for later; `None` as [`Plan::started_now`].
    ///
    /// # Errors
    /// As [`Cycle::planned`].
    pub fn started_now(&mut self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<StartedNow>> {
        let Some(number) = self.number_of(scheduler, job)? else { return Ok(None) };
        Plan::attach(self.parts.plan)?.started_now(number)
    }

    /// The number of a job in the plan, if there is one.
    fn number_of(&self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<usize>> {
        let slot = scheduler.parts.table.find(job)?.ok_or(Error::UnknownJob)?;
        if self.state.decided == 0 {
            return Err(Error::WrongState);
        }
        let candidates = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        let number = candidates.iter().position(|candidate| candidate.slot == slot);
        Ok(number.filter(|_| self.state.planned != 0))
    }

    /// Whether an offer still holds: it is not answered, and the job was not edited, nor has the pool lost room.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn holds(&self, scheduler: &Scheduler<'_>, number: u32) -> Result<bool> {
        let made = self.made(number)?;
        let job = scheduler.parts.table.get(made.slot)?;
        let same = job.id == made.job && job.edits == made.edits && job.may_start(self.state.now);
        let lost = pool(scheduler.parts.pools, self.state.pool)?.losses != self.state.losses;
        Ok(made.fate == Fate::Open as u32 && same && !lost)
    }

    fn made(&self, number: u32) -> Result<Made> {
        let offers = self.parts.offers.get(..self.state.offers as usize).ok_or(Error::Corrupt)?;
        offers.get(number as usize).copied().ok_or(Error::NoSuchIndex)
    }

    /// The manager has started an offered job; of an array `job` is the task's id, if that is another. The start counts
    /// also where the offer no longer holds.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] if it was answered before; [`Error::Full`], and the offer is still
    /// open; [`Error::DuplicateJob`] for a task whose id a waiting job has.
    pub fn started(&mut self, scheduler: &mut Scheduler<'_>, number: u32, job: i64) -> Result<()> {
        let made = self.made(number)?;
        if made.fate != Fate::Open as u32 || job == 0 {
            return Err(Error::WrongState);
        }
        let known = *scheduler.parts.table.get(made.slot)?;
        // Unless the clock was set back meanwhile, that of the cycle.
        let now = self.state.now.min(scheduler.state.now);
        let before = *scheduler.pool_at(self.state.pool)?;
        let task = if job == made.job { None } else { scheduler.parts.table.find(job)? };
        if let Some(task) = task {
            // The manager may have reported the task before it answered.
            if !scheduler.parts.table.get(task)?.state().has_room() {
                return Err(Error::DuplicateJob);
            }
        } else if known.id == made.job && !known.state().has_room() {
            let slot = if job == known.id { made.slot } else { scheduler.split(made.slot, job, now)? };
            let restarts = scheduler.parts.table.get(slot)?.restarts;
            let said = Said { state: JobState::Starting, start: now, ran: 0, restarts, why: 0, units: 0 };
            scheduler.live(slot, &said, now)?;
            if scheduler.state.listing_open != 0 {
                // A row that was reported before is older than the start.
                let listing = scheduler.state.listing;
                let job = scheduler.parts.table.get_mut(slot)?;
                (job.listed, job.noted_state, job.noted_start) = (listing, JobState::Starting as u32, now);
                (job.noted_restarts, job.noted_why, job.noted_units, job.noted_ran) = (restarts, 0, 0, 0);
            }
            // The cycle itself has stirred the pool, and knows of this room.
            let pool = pool_mut(scheduler.parts.pools, self.state.pool)?;
            pool.stirred = before.stirred;
            let losses = pool.losses.wrapping_sub(before.losses);
            self.state.losses = self.state.losses.wrapping_add(losses);
        }
        at_mut(self.parts.offers, number as usize)?.fate = Fate::Started as u32;
        let offers = range(self.parts.offers, 0, self.state.offers as usize)?;
        let tasks =
            offers.iter().filter(|other| other.slot == made.slot && other.fate == Fate::Started as u32);
        if known.tasks > 1 && tasks.count() >= TASKS as usize {
            self.state.more = 1;
        }
        Ok(())
    }

    /// The manager refuses an offer. What is offered next is decided anew, around it.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] if it was answered before.
    pub fn refused(&mut self, scheduler: &mut Scheduler<'_>, number: u32, why: Refusal) -> Result<()> {
        let made = self.made(number)?;
        if made.fate != Fate::Open as u32 {
            return Err(Error::WrongState);
        }
        at_mut(self.parts.offers, number as usize)?.fate = Fate::Refused as u32;
        self.state.decided = 0;
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
        job.refused_until = match why {
            Refusal::Busy if job.busy < PATIENCE => 0,
            Refusal::Never => MAX_TIME,
            _ => now.saturating_add(refused),
        };
        Ok(())
    }

    /// The cycle is over: its order is kept for the next one.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn close(self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        if self.state.more != 0 {
            pool_mut(scheduler.parts.pools, self.state.pool)?.stirred = 1;
        }
        if self.state.planned != 0 {
            let plan = Plan::attach(self.parts.plan)?;
            pool_mut(scheduler.parts.pools, self.state.pool)?.kept = *plan.kept();
        }
        Ok(())
    }
}

/// A span of time as the plan takes it.
fn spanned(span: i64) -> i64 {
    span.clamp(0, MAX_SECONDS)
}
