//! The plan in the caller's memory.

use super::grid::{self, LONGEST, POINTS};
use super::guard::{Guard, Guarded, Limited};
use super::profile::{Counted, Profile};
use super::queue::{Arranged, KeptOrder, PROFILES, Queue, Ranked};
use super::rule::PlanRule;
use super::search::WINDOW;
use super::waiting::{UNPLANNED, Waiting, WaitingJob, seconds};
use crate::error::{Error, Result};
use crate::memory::{Carver, Kind, Object, at, at_mut, range_mut};
use crate::schedule::RecentWaits;
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};

/// The most running or waiting jobs that a plan can have room for.
pub const MAX_PLANNED: u32 = 1 << 24;

/// Capacities of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanCapacity {
    /// Running jobs, at most 2^24.
    pub running: u32,
    /// Waiting jobs, 1 to 2^24.
    pub waiting: u32,
}

impl Default for PlanCapacity {
    /// 256 running and 256 waiting jobs.
    fn default() -> PlanCapacity {
        PlanCapacity { running: 256, waiting: 256 }
    }
}

/// Cost of the last plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanWork {
    /// Orders that were looked at, some of them only until they were found too dear.
    pub evaluations: u32,
    /// Steps of profiles that lay before the searches for a place: an upper bound of those touched.
    pub steps: u64,
}

/// The price of starting a job now instead of when it is planned to, in seconds of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedNow {
    /// By how much its own wait would be shorter.
    pub saved: u32,
    /// By how much the planned waits of the others in the window would be longer, all together; below 0 if they would
    /// be shorter.
    pub others: i64,
}

/// The scalars at the head of the block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    running_capacity: u32,
    waiting_capacity: u32,
    running: u32,
    waiting: u32,
    idle: u32,
    started: u32,
    /// Whether the jobs added since the last `begin` have been planned.
    planned: u32,
    evaluations: u32,
    steps: u64,
    kept: KeptOrder,
    /// Processors that running jobs are expected to release, by the number of the instant.
    releases: [u32; POINTS],
    /// The job to which the last plan promised a wait, its number plus 1, and that wait; 0 for none.
    promised_to: u32,
    promised: u32,
    /// The guarded job's number plus 1; 0 for none.
    front: u32,
}

/// The slices behind the scalars.
pub(crate) struct Parts<'a> {
    profiles: &'a mut [Counted],
    running: &'a mut [Limited],
    waiting: &'a mut [Waiting],
    ranked: &'a mut [Ranked],
    /// The jobs that start now, in the plan's order.
    starting: &'a mut [u32],
}

/// A plan of one pool of processors. From pass to pass it keeps an order and the state of its generator.
///
/// A pass is [`Plan::begin`], then [`Plan::add_running`] and [`Plan::add_waiting`] for all jobs, the waiting ones in
/// the order of submission, then [`Plan::decide`].
pub struct Plan<'a> {
    state: &'a mut State,
    parts: Parts<'a>,
}

impl<'a> Object<'a> for Plan<'a> {
    const KIND: Kind = Kind::Plan;
    type Head = Sealed;
    type Capacity = PlanCapacity;
    type State = State;
    type Parts = Parts<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &PlanCapacity) -> Result<Parts<'a>> {
        let &PlanCapacity { running, waiting } = capacity;
        if running > MAX_PLANNED || waiting == 0 || waiting > MAX_PLANNED {
            return Err(Error::OutOfRange);
        }
        // Behind a guard those that start join those that run.
        let limited = running.saturating_add(waiting) as usize;
        let waiting = waiting as usize;
        Ok(Parts {
            profiles: carver.take(PROFILES)?,
            running: carver.take(limited)?,
            waiting: carver.take(waiting)?,
            ranked: carver.take(waiting)?,
            starting: carver.take(waiting)?,
        })
    }

    fn capacity_in(state: &State) -> Result<PlanCapacity> {
        Ok(PlanCapacity { running: state.running_capacity, waiting: state.waiting_capacity })
    }

    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<Plan<'a>> {
        let sound = state.running <= state.running_capacity
            && state.waiting <= state.waiting_capacity
            && state.started <= state.waiting
            && state.kept.is_sound();
        if sound { Ok(Plan { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Plan, checkpoint);

/// The next instant at which a running job is expected to end.
fn next_end(releases: &[u32; POINTS]) -> u32 {
    let before = releases.iter().skip(1).take_while(|&&released| released == 0);
    grid::instant((1 + before.count()).min(POINTS - 1))
}

impl<'a> Plan<'a> {
    /// Bytes that are needed: 48,000, 8 a running and 84 a waiting job.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &PlanCapacity) -> Result<usize> {
        <Plan as Object>::size(capacity)
    }

    /// A plan of nothing, in this memory, which may be longer than needed; `seed` is its generator's. O(size).
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::OutOfRange`].
    pub fn init(memory: &'a mut [u8], capacity: &PlanCapacity, seed: u64) -> Result<Plan<'a>> {
        let (state, parts) = Plan::create(memory, capacity)?;
        state.running_capacity = capacity.running;
        state.waiting_capacity = capacity.waiting;
        state.kept = KeptOrder::new(seed);
        Ok(Plan { state, parts })
    }

    /// Makes a plan that is scratch and never sealed; else as [`Plan::init`]. O(1).
    pub(crate) fn init_scratch(memory: &'a mut [u8], capacity: &PlanCapacity) -> Result<Plan<'a>> {
        let (state, parts) = Plan::create_uncleared(memory, capacity)?;
        state.running_capacity = capacity.running;
        state.waiting_capacity = capacity.waiting;
        Ok(Plan { state, parts })
    }

    /// Its capacities.
    pub fn capacity(&self) -> PlanCapacity {
        PlanCapacity { running: self.state.running_capacity, waiting: self.state.waiting_capacity }
    }

    /// The kept order and the generator go on in another block, a larger one perhaps. O(1).
    pub fn continue_in(&self, other: &mut Plan<'_>) {
        other.state.kept = self.state.kept;
    }

    /// The order that is kept.
    pub(crate) fn kept(&self) -> &KeptOrder {
        &self.state.kept
    }

    /// Goes on from there.
    pub(crate) fn keep(&mut self, kept: &KeptOrder) {
        self.state.kept = *kept;
    }

    /// A new pass, with this number of idle processors. O(1).
    pub fn begin(&mut self, idle: u32) {
        self.state.idle = idle;
        (self.state.running, self.state.waiting, self.state.started, self.state.planned) = (0, 0, 0, 0);
        (self.state.releases, self.state.front) = ([0; POINTS], 0);
    }

    /// A running job: its processors, when it is expected to end, and when it will have reached its limit, both in
    /// seconds from now; less than one counts as one. O(1).
    ///
    /// # Errors
    /// [`Error::Full`]; [`Error::OutOfRange`] for no processors or a negative span; [`Error::SpanTooLong`].
    pub fn add_running(&mut self, processors: u32, ends_in: i64, limit_in: i64) -> Result<()> {
        let (ends_in, after) = (seconds(ends_in)?.max(1), seconds(limit_in)?.max(1));
        if processors == 0 {
            return Err(Error::OutOfRange);
        }
        if self.state.running >= self.state.running_capacity {
            return Err(Error::Full);
        }
        *at_mut(self.parts.running, self.state.running as usize)? = Limited { after, processors };
        let released = at_mut(&mut self.state.releases, grid::number(grid::up(ends_in)))?;
        *released = released.saturating_add(processors);
        self.state.running += 1;
        Ok(())
    }

    /// A waiting job, after all that were submitted before it; returns its number in this pass, from 0 up. O(1).
    ///
    /// # Errors
    /// [`Error::Full`]; [`Error::OutOfRange`] for no processors or a negative span; [`Error::SpanTooLong`].
    pub fn add_waiting(&mut self, job: &WaitingJob) -> Result<usize> {
        let waiting = Waiting::new(job)?;
        if self.state.waiting >= self.state.waiting_capacity {
            return Err(Error::Full);
        }
        let number = self.state.waiting as usize;
        *at_mut(self.parts.waiting, number)? = waiting;
        self.state.waiting += 1;
        Ok(number)
    }

    /// Plans the queue: afterwards [`Plan::starting`] says who starts now. `recent` holds the waits of the jobs that
    /// were started, `counted` the same with their credits; without credits it is `recent`.
    ///
    /// 2 (7 + proposals) x 64 x 337 steps at most for the window, O(W + tried x (log W + 337)) for the jobs beyond it;
    /// with a guarded front job O(R log R).
    ///
    /// # Errors
    /// As [`PlanRule::check`]; [`Error::Corrupt`].
    pub fn decide(&mut self, rule: &PlanRule, recent: &RecentWaits, counted: &RecentWaits) -> Result<()> {
        rule.check()?;
        let State { idle, waiting: count, .. } = *self.state;
        let waiting = range_mut(self.parts.waiting, 0, count as usize)?;
        (self.state.started, self.state.evaluations, self.state.steps) = (0, 0, 0);
        (self.state.planned, self.state.promised_to) = (1, 0);
        waiting.iter_mut().for_each(|job| job.start = UNPLANNED);
        if !waiting.iter().any(|job| job.fits(idle)) {
            return Ok(());
        }
        let wanted = waiting.iter().fold(0_u32, |sum, job| sum.saturating_add(job.processors));
        if wanted <= idle && waiting.iter().all(|job| job.later == 0) {
            return self.start_all();
        }
        let guarded = self.arrange(rule, recent, counted)?;
        self.start(guarded)
    }

    /// Puts the queue in order, whether or not anybody can start now: afterwards the order is kept, and the window's
    /// planned starts are known. Returns the guarded job. [`Plan::decide`], but that no job starts.
    pub(crate) fn arrange(
        &mut self,
        rule: &PlanRule,
        recent: &RecentWaits,
        counted: &RecentWaits,
    ) -> Result<Option<Guarded>> {
        (self.state.planned, self.state.promised_to) = (1, 0);
        let count = self.state.waiting as usize;
        at_mut(self.parts.profiles, 0)?.fill(self.state.idle, &self.state.releases);
        let next_end = next_end(&self.state.releases);
        let mut queue = Queue {
            kept: &mut self.state.kept,
            profiles: self.parts.profiles,
            demands: &mut [0; WINDOW],
            waiting: range_mut(self.parts.waiting, 0, count)?,
            ranked: range_mut(self.parts.ranked, 0, count)?,
            placed: range_mut(self.parts.starting, 0, count)?,
        };
        let demand = |_, job: &Waiting, _| Ok((job.processors, if job.later == 0 { 0 } else { next_end }));
        let arranged = queue.arrange(rule, recent, counted, demand)?;
        let Arranged { guarded, placed, evaluations, steps } = arranged;
        (self.state.started, self.state.evaluations, self.state.steps) = (placed, evaluations, steps);
        self.state.front = guarded.map_or(0, |(front, _)| front as u32 + 1);
        Ok(guarded)
    }

    /// [`Plan::decide`], but that the queue is planned whether or not anybody can start now.
    pub(crate) fn decide_anyway(
        &mut self,
        rule: &PlanRule,
        recent: &RecentWaits,
        counted: &RecentWaits,
    ) -> Result<()> {
        let guarded = self.arrange(rule, recent, counted)?;
        self.start(guarded)
    }

    /// The number of the guarded job, the front job or a head job with a promise, if there is one.
    pub(crate) fn guarded(&self) -> Option<usize> {
        self.state.front.checked_sub(1).map(|front| front as usize)
    }

    /// Everything fits together.
    fn start_all(&mut self) -> Result<()> {
        let jobs = self.parts.starting.iter_mut().zip(self.parts.waiting.iter_mut());
        for ((slot, job), number) in jobs.zip(0..self.state.waiting) {
            (*slot, job.start) = (number, 0);
        }
        self.state.started = self.state.waiting;
        Ok(())
    }

    /// Starts the jobs that are planned for now, in the plan's order; while the guarded job waits, only those that EASY
    /// by the limits would let pass it.
    fn start(&mut self, guarded: Option<Guarded>) -> Result<()> {
        let count = self.state.waiting as usize;
        let waiting = range_mut(self.parts.waiting, 0, count)?;
        let guarded =
            guarded.map(|(number, until)| Ok((number, *at(waiting, number)?, until))).transpose()?;
        let mut guard = None;
        let (mut idle, mut running, mut started) = (self.state.idle, self.state.running as usize, 0);
        for place in 0..self.state.started as usize {
            let number = *at(self.parts.starting, place)?;
            let job = at(waiting, number as usize)?;
            if job.start != 0 {
                continue;
            }
            let heeded = guarded.filter(|(_, guarded, _)| guarded.start > 0 && guarded.tier >= job.tier);
            if let Some((guarded, waits, until)) = heeded {
                let mut here = match guard {
                    Some(guard) => guard,
                    None => {
                        let running = range_mut(self.parts.running, 0, running)?;
                        let guard = Guard::new(waits.processors, idle, waits.later != 0, until, running)?;
                        if let Some(wait) = guard.promised {
                            (self.state.promised_to, self.state.promised) = (guarded as u32 + 1, wait);
                        }
                        guard
                    }
                };
                let admitted = here.admits(job.processors, job.limit);
                guard = Some(here);
                if !admitted {
                    continue;
                }
            } else {
                *at_mut(self.parts.running, running)? =
                    Limited { after: job.limit, processors: job.processors };
                running += 1;
            }
            idle = idle.saturating_sub(job.processors);
            *at_mut(self.parts.starting, started)? = number;
            started += 1;
        }
        self.state.started = started as u32;
        Ok(())
    }

    /// The numbers of the jobs that start now, in the plan's order; none before [`Plan::decide`].
    pub fn starting(&self) -> &[u32] {
        self.parts
            .starting
            .get(..self.state.started as usize)
            .filter(|_| self.state.planned != 0)
            .unwrap_or(&[])
    }

    /// The head job to which [`Plan::decide`] has promised a wait, and that wait in seconds, its budget included: in
    /// later passes it belongs in its [`WaitingJob::promised`].
    pub fn promised(&self) -> Option<(usize, u32)> {
        let job = self.state.promised_to.checked_sub(1)?;
        Some((job as usize, self.state.promised))
    }

    /// The planned start of a waiting job, in seconds from now; `None` where the plan did not come to it, because it
    /// could not start now. It is a plan, not a promise: the next pass makes a new one.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn planned(&self, number: usize) -> Result<Option<u32>> {
        let waiting = self.parts.waiting.get(..self.state.waiting as usize).unwrap_or(&[]);
        let job = waiting.get(number).ok_or(Error::NoSuchIndex)?;
        Ok(Some(job.start).filter(|&start| start != UNPLANNED && self.state.planned != 0))
    }

    /// The price of starting a job now that the plan has start later, in waiting: the plan's order is placed again
    /// behind that job. `None` for a job that does not fit now, starts now anyway, or lies beyond the window; and if
    /// nothing was planned because all fit. O(W x 64 + 64 x 337).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn started_now(&mut self, number: usize) -> Result<Option<StartedNow>> {
        let waiting = self.parts.waiting.get(..self.state.waiting as usize).unwrap_or(&[]);
        let mine = *waiting.get(number).ok_or(Error::NoSuchIndex)?;
        let kept = self.state.kept.ids();
        let later = mine.start != 0 && mine.start != UNPLANNED && mine.fits(self.state.idle);
        if self.state.planned == 0 || !later || !kept.contains(&mine.id) {
            return Ok(None);
        }
        let profile = self.parts.profiles.first_mut().ok_or(Error::Corrupt)?;
        profile.fill(self.state.idle, &self.state.releases);
        let next_end = next_end(&self.state.releases);
        let place = profile.at(0, &mine.processors, mine.run_time).ok_or(Error::Corrupt)?;
        profile.take(&place, &mine.processors, mine.run_time);
        let mut others = 0_i64;
        for &id in kept.iter().filter(|&&id| id != mine.id) {
            let Some(job) = waiting.iter().find(|job| job.id == id) else { continue };
            let from = if job.later == 0 { 0 } else { next_end };
            let start = match profile.earliest(&job.processors, job.run_time, from) {
                Some(place) => {
                    profile.take(&place, &job.processors, job.run_time);
                    place.start
                }
                None => LONGEST,
            };
            others += i64::from(start) - i64::from(job.start.min(LONGEST));
        }
        Ok(Some(StartedNow { saved: mine.start, others }))
    }

    /// Cost of the last plan.
    pub fn work(&self) -> PlanWork {
        PlanWork { evaluations: self.state.evaluations, steps: self.state.steps }
    }
}
