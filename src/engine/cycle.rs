//! One decision of one pool: offers, and the manager's answers.

use super::capacity::SchedulerCapacity;
use super::delayed::{self, Judged};
use super::job::{MAX_TIME, Why};
use super::object::Scheduler;
use super::on_nodes::Machine;
use super::order::Candidate;
use super::pools::{CHANGED, UNDECIDED, pool, pool_mut};
use super::settings::{Mode, Way};
use crate::error::{Error, Result};
use crate::memory::{Carver, Header, Kind, Object, at, at_mut, range};
use crate::plan::{LONGEST, Limited, Plan, PlanCapacity, StartedNow, WINDOW};
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// Number of tasks of an array that are looked at in one decision: a quarter of the plan's window. When all of them
/// start, the cycle decides about the next ones before other jobs start.
pub(super) const TASKS: u32 = WINDOW as u32 / 4;

/// Number of refusals in a row for want of room after which a job lets others pass.
pub(super) const PATIENCE: u32 = 3;

/// A job to start now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Number by which the offer is answered: 0, 1, ... in each cycle.
    pub number: u32,
    /// Id of the job; for a task of an array, of the array.
    pub job: i64,
    /// A queue of the job's.
    pub queue: u32,
    /// Number of processors that it takes, or of tasks on nodes ([`Cycle::parts`]).
    pub count: u32,
    /// The waiting job that it passes, the first in the order of submission, under EASY in the site's; 0 if it passes
    /// none.
    pub head: i64,
    /// Reason why it starts.
    pub why: Why,
}

/// An action that a cycle asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Start this job, or refuse to. Until it is refused the offer counts as started for the rest of the cycle.
    Start(Offer),
    /// In shadow mode: the rule would start this job now. Returned once for a job, and not answered.
    WouldStart(Offer),
    /// No further job starts. A cycle that is closed before leaves its pool undecided: another is wanted
    /// ([`Scheduler::wake`]).
    Done,
    /// There is less room than the cycle assumed, the settings have changed, or there were more offers than it has room
    /// for: begin another.
    Stale,
}

/// Reason why a manager refuses an offer. The numbers are C's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// There is no room. The job keeps its place, is planned from the pool's next end on, and is offered again when its
    /// pool has changed, at the latest after [`Settings::refused`](super::Settings::refused) seconds: on an idle
    /// machine nothing changes. After the third such refusal in a row it lets others pass for so long.
    Busy = 1,
    /// A limit of the manager's: other jobs have their turn for [`Settings::refused`](super::Settings::refused)
    /// seconds.
    NotNow = 2,
    /// The job can never start unless it is changed.
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
pub(super) enum Fate {
    Open = 0,
    Started = 1,
    Refused = 2,
}

/// An offer as the block keeps it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Made {
    pub(super) job: i64,
    pub(super) slot: u32,
    /// Number of processors.
    pub(super) count: u32,
    /// The job's edits when it was offered.
    pub(super) edits: u32,
    pub(super) fate: u32,
    /// The first of its parts, and their number.
    pub(super) first: u32,
    pub(super) parts: u32,
}

impl Made {
    /// Whether it is not answered yet.
    pub(super) fn is_open(&self) -> bool {
        self.fate == Fate::Open as u32
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: SchedulerCapacity,
    pub(super) now: i64,
    pub(super) pool: u32,
    /// The pool's losses when the cycle began.
    pub(super) losses: u32,
    /// Whether the candidates below are decided about, and the number of those that start that were offered.
    pub(super) decided: u32,
    pub(super) starting: u32,
    pub(super) taken: u32,
    pub(super) offers: u32,
    pub(super) candidates: u32,
    /// Whether the plan has an order to keep.
    pub(super) planned: u32,
    /// Number of those that start after which the cycle decides again, where one of them was offered; and the number of
    /// offers before them.
    pub(super) stop: u32,
    pub(super) first: u32,
    /// Whether the pool consists of nodes.
    pub(super) of_nodes: u32,
    /// Number of parts of the offers.
    pub(super) parts: u32,
    /// Whether a plan is made even if no job can start.
    pub(super) anyway: u32,
    /// Whether the last decision has a plan. An earlier one of this cycle may have had one whose order is kept.
    pub(super) ordered: u32,
    /// Idle units when the last decision was made.
    pub(super) idle: u32,
    /// Whether the last decision includes a hypothetical job ([`Cycle::try_job`]).
    pub(super) tried: u32,
    /// Whether the machine of nodes was built.
    pub(super) built: u32,
    /// Whether the cycle is over.
    pub(super) closed: u32,
    /// Whether the last decision was made by the delay rule, with a result for each candidate.
    pub(super) by_delay: u32,
    pub(super) reserved: u32,
}

/// The slices of the block.
pub(crate) struct Parts<'a> {
    pub(super) candidates: &'a mut [Candidate],
    pub(super) tiers: &'a mut [i32],
    pub(super) limited: &'a mut [Limited],
    /// The numbers of the candidates that start.
    pub(super) starting: &'a mut [u32],
    pub(super) offers: &'a mut [Made],
    /// By the delay rule: the numbers of the candidates in the pass, and the result for each candidate.
    pub(super) considered: &'a mut [u32],
    pub(super) judged: &'a mut [Judged],
    pub(super) pass: &'a mut [u8],
    pub(super) plan: &'a mut [u8],
    pub(super) machine: Machine<'a>,
}

/// One decision: scratch in the caller's memory, beside the scheduler's block.
///
/// [`Cycle::begin`], then [`Cycle::next`] until it is done, then [`Cycle::close`]. Each offer is answered by
/// [`Cycle::started`] or [`Cycle::refused`], at once or later, until the cycle is closed or another begins; one that is
/// never answered was refused. Reports between two calls are heeded: an edited job is neither offered by an old
/// decision nor started on an old offer, and when there is less room than the cycle assumed, also because of a job that
/// has started without it, it returns [`Action::Stale`].
pub struct Cycle<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
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

    const MARKED: usize = size_of::<SchedulerCapacity>();

    fn keep(state: &mut State, capacity: &SchedulerCapacity) {
        state.capacity = *capacity;
    }

    #[inline(always)]
    fn parts(carver: &mut Carver<'a>, capacity: &SchedulerCapacity) -> Result<Parts<'a>> {
        let count = entries(capacity) as usize;
        let candidates = carver.take(count)?;
        let (tiers, limited) = (carver.take(count)?, carver.take(2 * count)?);
        let (starting, offers) = (carver.take(count)?, carver.take(count)?);
        let (pass, plan) = match carver.ends() {
            true => (0, 0),
            false => (delayed::pass_size(capacity)?, Plan::size(&plan_capacity(capacity))?),
        };
        Ok(Parts {
            candidates,
            tiers,
            limited,
            starting,
            offers,
            considered: carver.take(delayed::judged(capacity, count))?,
            judged: carver.take(delayed::judged(capacity, count))?,
            pass: carver.take(pass)?,
            plan: carver.take(plan)?,
            machine: match capacity.nodes == 0 || carver.ends() {
                true => Machine::none(carver, capacity)?,
                false => Machine::carve(carver, capacity)?,
            },
        })
    }

    fn capacity_in(state: &State) -> Result<SchedulerCapacity> {
        Ok(state.capacity)
    }

    #[inline(always)]
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
        // A capacity that no scheduler has is refused, even where it would not matter to a cycle.
        Scheduler::size(capacity)?;
        <Cycle as Object>::size(capacity)
    }

    /// Begins a decision of this pool at this time. Brings predictions up to date; starts nothing. O(jobs).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] while a listing is under way; [`Error::Misaligned`],
    /// [`Error::TooSmall`], [`Error::OutOfRange`] for an absurd time. By the delay rule [`Error::DelayOnNodes`], and
    /// [`Error::DelayUnits`] for a pool of more units than [`SchedulerCapacity::delay_units`].
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
        scheduler.check_pool(number)?;
        let capacity = scheduler.capacity();
        let (state, parts) = Cycle::create(memory, &capacity)?;
        // The memory may never have been written and is not read.
        Plan::init_scratch(parts.plan, &plan_capacity(&capacity))?;
        let now = scheduler.advance(now)?;
        scheduler.renew()?;
        scheduler.await_nodes(now);
        let grace = scheduler.settings().grace as i64;
        scheduler.forget_the_gone(now.saturating_sub(grace), None)?;
        let pool = pool_mut(scheduler.parts.pools, number)?;
        pool.settle();
        (pool.stirred, pool.decided) = (UNDECIDED, now);
        (state.capacity, state.now, state.pool, state.losses) = (capacity, now, number, pool.losses);
        state.of_nodes = pool.of_nodes;
        Ok(Cycle { state, parts })
    }

    /// The next action. The decision is made by the first call, and anew by the first one after a refusal: at
    /// most 7 + proposals orders of 64 jobs, each with a look along 337 instants for every job; O(jobs) beside that. By
    /// the delay rule it is a whole pass, with a walk for each job that passes the head job
    /// ([`Pass::decide`](crate::backfill::Pass::decide)).
    ///
    /// # Errors
    /// [`Error::Full`] where a task of an array would start and there is no slot for it: with a larger block the cycle
    /// can go on; by the delay rule with more than four events also where more jobs run and fit than there is room for:
    /// with a larger block the cycle is stale. [`Error::DelayUnits`] if its pool has become too large for the delay
    /// rule. [`Error::WrongState`] once the cycle is closed.
    pub fn next(&mut self, scheduler: &mut Scheduler<'_>) -> Result<Action> {
        if self.state.closed != 0 {
            return Err(Error::WrongState);
        }
        if pool(scheduler.parts.pools, self.state.pool)?.losses != self.state.losses {
            return Ok(Action::Stale);
        }
        loop {
            if self.state.decided == 0 {
                if let Err(error) = self.decide(scheduler) {
                    self.state.decided = 0;
                    // If the scheduler has grown since, another cycle has room.
                    let grown = error == Error::Full && scheduler.capacity() != self.state.capacity;
                    return if grown {
                        Ok(self.is_full(scheduler)?.unwrap_or(Action::Stale))
                    } else {
                        Err(error)
                    };
                }
                self.stop_behind_array(scheduler)?;
            }
            if let Some(action) = self.offer(scheduler)? {
                return Ok(action);
            }
            self.state.decided = 0;
        }
    }

    /// There is no room for a further offer: another cycle is wanted.
    fn is_full(&self, scheduler: &mut Scheduler<'_>) -> Result<Option<Action>> {
        pool_mut(scheduler.parts.pools, self.state.pool)?.stirred = CHANGED;
        Ok(Some(Action::Stale))
    }

    /// The next offer of the last decision, [`Action::Done`] after the last one; `None` where the tasks of an array
    /// that were not looked at have their turn.
    fn offer(&mut self, scheduler: &mut Scheduler<'_>) -> Result<Option<Action>> {
        let settings = scheduler.settings();
        loop {
            // Each further decision follows an offer of the last one, so that they come to an end.
            if self.state.taken == self.state.stop && self.state.offers > self.state.first {
                return Ok(None);
            }
            if self.state.taken >= self.state.starting {
                let pool = pool_mut(scheduler.parts.pools, self.state.pool)?;
                if pool.stirred == UNDECIDED && self.state.anyway == 0 {
                    pool.stirred = 0;
                }
                return Ok(Some(Action::Done));
            }
            let number = *at(self.parts.starting, self.state.taken as usize)?;
            let candidate = *at(self.parts.candidates, number as usize)?;
            let job = *scheduler.parts.table.get(candidate.slot)?;
            let shadow = settings.mode == Mode::Shadow;
            // A job that was edited since is left to the next cycle.
            let same = job.id == candidate.id && job.edits == candidate.edits && job.pool == self.state.pool;
            if !same
                || !job.may_start(self.state.now)
                || job.width != candidate.processors
                || shadow && job.shadow != 0
            {
                self.state.taken += 1;
                continue;
            }
            if job.tasks > 1 && !shadow && scheduler.parts.table.is_full() && !scheduler.can_forget()? {
                return Err(Error::Full);
            }
            if self.state.offers as usize >= self.parts.offers.len() {
                // Jobs were refused and offered again, or there are many tasks.
                return self.is_full(scheduler);
            }
            let mut parts = 0;
            if self.state.of_nodes != 0 {
                let Some(kept) = self.parts.machine.keep(self.state.parts, number)? else {
                    return self.is_full(scheduler);
                };
                parts = kept;
                // Nodes not up yet are full, but a job that takes nothing of its nodes finds room on full ones.
                if scheduler.are_awaited(self.parts.machine.offered(self.state.parts, kept)?, self.state.now)
                {
                    self.state.taken += 1;
                    continue;
                }
            }
            self.state.taken += 1;
            let offer = Offer {
                number: self.state.offers,
                job: job.id,
                queue: candidate.queue,
                count: job.count,
                head: self.passed(scheduler, &candidate, number)?,
                why: Why::Planned,
            };
            let why = match (settings.way(), offer.head) {
                (_, 0) => Why::InOrder,
                (Way::Easy, _) => Why::ByLimits,
                (Way::Delay, _) => Why::ByDelay,
                _ => Why::Planned,
            };
            let offer = Offer { why, ..offer };
            if shadow {
                scheduler.parts.table.get_mut(candidate.slot)?.shadow = 1;
                return Ok(Some(Action::WouldStart(offer)));
            }
            let made = Made {
                job: job.id,
                slot: candidate.slot,
                count: job.width,
                edits: job.edits,
                fate: Fate::Open as u32,
                first: self.state.parts,
                parts,
            };
            *at_mut(self.parts.offers, offer.number as usize)? = made;
            (self.state.offers, self.state.parts) = (self.state.offers + 1, self.state.parts + parts);
            return Ok(Some(Action::Start(offer)));
        }
    }

    /// The first waiting job that the offered one of this number passes: in the order of submission; under EASY in the
    /// site's, in which the candidates and those of them that start are.
    fn passed(&self, scheduler: &Scheduler<'_>, candidate: &Candidate, number: u32) -> Result<i64> {
        let order = |slot: u32| scheduler.parts.table.get(slot).map(|job| (job.submit, job.id));
        let own = order(candidate.slot)?;
        let starting = range(self.parts.starting, 0, self.state.starting as usize)?;
        let all = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        if self.state.ordered == 0 {
            let first =
                starting.iter().zip(0..).find(|&(&starts, place)| starts != place).map(|(_, place)| place);
            let passed = first.filter(|&first| first < number).and_then(|first| all.get(first as usize));
            return Ok(passed.map_or(0, |passed| passed.id));
        }
        let offers = range(self.parts.offers, 0, self.state.offers as usize)?;
        for &slot in scheduler.parts.table.waiting() {
            let (submit, id) = order(slot)?;
            if (submit, id) >= own {
                break;
            }
            let job = scheduler.parts.table.get(slot)?;
            // An array starts when all its tasks do that may.
            let starts = || {
                let is_open = |made: &&Made| made.is_open() && made.slot == slot;
                let starts = |number: u32| all.get(number as usize).is_some_and(|other| other.slot == slot);
                let coming =
                    starting.iter().skip(self.state.taken as usize).filter(|&&number| starts(number));
                offers.iter().filter(is_open).count() + coming.count() >= job.startable_tasks() as usize
            };
            if job.pool == self.state.pool && job.may_start(self.state.now) && !starts() {
                return Ok(id);
            }
        }
        Ok(0)
    }

    /// Plans the waiting jobs even if none can start, by the plan of the whole queue whatever the preset: for
    /// [`Cycle::planned`], [`Cycle::reason`] and [`Cycle::try_job`], in a cycle of its own. When it is closed, only its
    /// reasons are kept, for [`Scheduler::reason`]. Another cycle is wanted after it ([`Scheduler::wake`]). The cost is
    /// that of a decision.
    ///
    /// # Errors
    /// [`Error::WrongState`] after [`Cycle::next`], and once the cycle is closed.
    pub fn plan_all(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let begun = self.state.decided != 0 && self.state.anyway == 0 || self.state.offers != 0;
        if begun || self.state.closed != 0 {
            return Err(Error::WrongState);
        }
        (self.state.anyway, self.state.tried) = (1, 0);
        self.decide(scheduler)?;
        // No job is offered.
        self.state.taken = self.state.starting;
        Ok(())
    }

    /// The planned start of a waiting job; `None` where the plan did not reach it, because no waiting job fits or
    /// nothing is idle any more, where it is not a candidate, and where nothing is planned.
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::WrongState`] before the first [`Cycle::next`] or [`Cycle::plan_all`].
    pub fn planned(&mut self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<i64>> {
        let Some(number) = self.number_of(scheduler, job)? else { return Ok(None) };
        let start = match self.state.of_nodes {
            0 => Plan::whole(self.parts.plan)?.planned(number)?,
            _ => self.parts.machine.plan()?.planned(number)?,
        };
        // Behind a job that may run for ever nothing can be foreseen.
        let start = start.filter(|&start| start < LONGEST);
        Ok(start.map(|start| self.state.now.saturating_add(start.into())))
    }

    /// The price of starting a waiting job now that is planned for later; `None` as by [`Plan::started_now`], and in a
    /// pool of nodes.
    ///
    /// # Errors
    /// As [`Cycle::planned`].
    pub fn started_now(&mut self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<StartedNow>> {
        let number = self.number_of(scheduler, job)?.filter(|_| self.state.of_nodes == 0);
        let Some(number) = number else { return Ok(None) };
        Plan::whole(self.parts.plan)?.started_now(number)
    }

    /// The number of a job in the plan, if there is one.
    fn number_of(&self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<usize>> {
        let slot = scheduler.parts.table.find(job)?.ok_or(Error::UnknownJob)?;
        if self.state.decided == 0 {
            return Err(Error::WrongState);
        }
        let candidates = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        let number = candidates.iter().position(|candidate| candidate.slot == slot);
        Ok(number.filter(|_| self.state.ordered != 0))
    }

    /// Ends the cycle: its order is kept for the next one, and its reasons for [`Scheduler::reason`]. O(W).
    ///
    /// # Errors
    /// [`Error::WrongState`] if it is closed; [`Error::Corrupt`].
    pub fn close(mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        if self.state.closed != 0 {
            return Err(Error::WrongState);
        }
        for number in 0..self.state.offers {
            if self.made(number)?.is_open() {
                // An offer without an answer was refused.
                self.refused(scheduler, number, Refusal::NotNow)?;
            }
        }
        self.note_reasons(scheduler)?;
        self.state.closed = 1;
        if self.state.anyway != 0 {
            return Ok(());
        }
        if self.state.planned != 0 {
            let kept = match self.state.of_nodes {
                0 => *Plan::whole(self.parts.plan)?.kept(),
                _ => *self.parts.machine.plan()?.kept(),
            };
            pool_mut(scheduler.parts.pools, self.state.pool)?.kept = kept;
        }
        Ok(())
    }
}
