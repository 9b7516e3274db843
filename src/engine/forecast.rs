//! The start of every waiting job, by the scheduler's own rule played forward.

use super::capacity::SchedulerCapacity;
use super::job::MAX_TIME;
use super::object::Scheduler;
use super::order::Candidate;
use super::starts::LEVELS;
use super::table::Record;
use crate::error::{Error, Result};
use crate::heap;
use crate::math::mix::mix;
use crate::memory::{Carver, Header, Kind, Object, at, at_mut, copy, range, range_mut};
use crate::plan::{KeptOrder, LONGEST, Limited, Plan, PlanCapacity, WaitingJob};
use crate::runtime::MAX_SECONDS;
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// Largest number of scenarios of a forecast.
pub const MOST_SCENARIOS: u32 = 64;

/// Number of jobs submitted later that wait at once in a scenario, at most; those beyond it are left out.
pub(super) const LATER: u32 = 256;

/// Number of tasks of arrays that wait side by side, at most; further ones follow those.
const TASKS: u32 = 64;

/// Seconds after the first report of a start from which another is judged too.
const LATER_REPORT: i64 = 3600;

/// A day, in seconds.
pub(super) const DAY: i64 = 86_400;

/// The predicted start of a waiting job. All instants are in the scheduler's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredictedStart {
    /// The instants by which the job starts with probability .05, .25, .5, .75 and .95 ([`LEVELS`]), not decreasing.
    pub by: [i64; LEVELS.len()],
    /// Whether the last of them is at the end of the forecast's range: the start may be later still.
    pub capped: bool,
}

impl PredictedStart {
    /// The instant at the level of this number, if it is known: nothing is beyond the forecast's range.
    pub fn known(&self, level: usize) -> Option<i64> {
        let [.., last] = self.by;
        self.by.get(level).copied().filter(|&by| !self.capped || by < last)
    }
}

/// The number of the median among the levels.
const MEDIAN: usize = 2;

/// The number of a job that is submitted later, and the start of one that has not started.
pub(super) const NOBODY: u32 = u32::MAX;

/// Run time that marks a waiting job that has started in this event, and leaves the queue after it.
pub(super) const STARTED: u32 = 0;

/// A waiting job.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Pending {
    /// Id by which the plan knows it.
    pub id: i64,
    /// Id of the job in the scheduler.
    pub job: i64,
    /// Seconds for which it has waited at the beginning; below 0 for one that is submitted later.
    pub waited: i64,
    pub credit: i64,
    /// Time of its submission, in seconds from the beginning.
    pub submitted: i64,
    /// Its class in the site's order, smaller before larger.
    pub class: [i64; 2],
    pub processors: u32,
    /// Its mean predicted run time, and the quantile at which it is expected to end once it runs.
    pub mean: u32,
    pub upper: u32,
    pub limit: u32,
    /// Its run time in this scenario, in seconds.
    pub run: u32,
    pub tier: i32,
    pub slot: u32,
    /// Its number among those of the beginning, or [`NOBODY`].
    pub number: u32,
    /// Instant before which it does not wait, in seconds from the beginning.
    pub from: u32,
    /// Number of tasks of an array that follow it, and whether one follows at its end instead of at its start.
    pub more: u32,
    pub throttled: u32,
    /// Its number among those of the beginning, or of the task before it.
    pub origin: u32,
    /// Seconds that it was promised to wait at most, if it was the head job.
    pub promised: u32,
    pub reserved: u32,
}

/// A running job. The first to end is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Busy {
    /// End in this scenario, in seconds from the beginning, as all that follows.
    pub end: u32,
    pub processors: u32,
    /// Start, below 0 for a job that ran before.
    pub start: i64,
    /// Expected end.
    pub expected: u32,
    /// End by its limit.
    pub limit: u32,
    pub slot: u32,
    /// The number of the array's task by which the next one follows at its end, and the number of tasks that do.
    pub chain: u32,
    pub more: u32,
    pub reserved: u32,
    pub id: i64,
}

impl Busy {
    /// Seconds until its expected end; once that has passed, four tenths of its age.
    fn expected_in(&self, time: u32) -> u32 {
        if self.expected > time {
            return self.expected - time;
        }
        let age = i64::from(time).saturating_sub(self.start).max(0);
        let more = span(age.saturating_mul(2) / 5);
        more.min(self.limit.saturating_sub(time)).max(1)
    }
}

/// The scalars at the head of the block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: SchedulerCapacity,
    pub(super) scenarios: u32,
    pub(super) pool: u32,
    pub(super) now: i64,
    /// Number of jobs of the beginning that wait or will, of those among them that wait now, and of running ones.
    pub(super) queued: u32,
    pub(super) present: u32,
    pub(super) busy: u32,
    pub(super) idle: u32,
    /// Number of units that jobs hold beyond those of the pool.
    pub(super) debt: u32,
    /// Number of units that can ever be free.
    pub(super) possible: u32,
    /// Whether jobs may start at once, because no cycle has decided since the last change.
    pub(super) at_once: u32,
    /// The scenario to play, those before it being complete, and whether it is under way.
    pub(super) scenario: u32,
    pub(super) begun: u32,
    /// End of a scenario, in seconds from now; nothing later is predicted.
    pub(super) horizon: u32,
    /// State of the scenario under way: the time, numbers of waiting and of running jobs, idle units, units still owed,
    /// and number of waiting jobs of the beginning.
    pub(super) time: u32,
    pub(super) waiting: u32,
    pub(super) running: u32,
    pub(super) free: u32,
    pub(super) owed: u32,
    pub(super) left: u32,
    /// The next job of the beginning that is still to come, and whether there was a decision or event.
    pub(super) coming: u32,
    pub(super) looked: u32,
    /// Number of days of submissions that can be repeated.
    pub(super) days: u32,
    /// The next submission that is repeated: the number of the day in the scenario, the number of days since that day,
    /// and its place among those remembered.
    pub(super) ahead: u32,
    pub(super) ago: u32,
    pub(super) next: u32,
    /// Number of later jobs submitted.
    pub(super) later: u32,
    /// Whether jobs start by EASY.
    pub(super) easy: u32,
    /// Number of units of the pool.
    pub(super) units: u32,
    pub(super) reserved: u32,
    /// The lowest priority of the waiting jobs.
    pub(super) lowest: f64,
    pub(super) kept: KeptOrder,
}

/// The slices of the block.
pub(crate) struct Parts<'a> {
    pub(super) candidates: &'a mut [Candidate],
    pub(super) tiers: &'a mut [i32],
    /// Waiting jobs of the beginning.
    pub(super) queued: &'a mut [Pending],
    pub(super) busy: &'a mut [Busy],
    /// Jobs of the scenario under way: the waiting ones in the order of submission, the running ones in a heap.
    pub(super) waiting: &'a mut [Pending],
    pub(super) running: &'a mut [Busy],
    /// Starts by scenario and waiting job of the beginning.
    pub(super) starts: &'a mut [u32],
    /// Scratch of EASY.
    pub(super) limited: &'a mut [Limited],
    pub(super) plan: &'a mut [u8],
}

/// A forecast of starts: scratch in the caller's memory, beside the scheduler's block.
///
/// [`StartForecast::begin`] after a cycle has closed, [`StartForecast::run`] until all scenarios are played, then
/// [`StartForecast::predicted`] for each job of interest. In a *scenario* every running and waiting job has one run
/// time, drawn from its predicted distribution, given its age; run times predicted beyond the limit end at the limit.
/// Latin hypercube sampling by the job's id keeps a job's luck from forecast to forecast. For each day ahead the
/// submissions of one of the last fourteen days, drawn, are repeated. At every end and submission the scheduler's rule
/// decides as it would: by predicted means and ends, not by the run times drawn; with fifteen proposals. The delay
/// rule is played as EASY by the limits: as EASY by predicted run times it is no nearer.
///
/// Jobs whose time has not come wait from their time on, as do refused ones from their next turn on; the tasks of an
/// array follow each other. Not predicted: jobs that are held, except tasks that a throttle holds, until they are
/// reported as waiting; the return of suspended jobs; and with less than a day of submissions later jobs.
///
/// Reported levels are corrected by the actual starts: [`StartForecast::report`].
pub struct StartForecast<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
}

/// The capacities of a forecast: its scheduler's, and the number of scenarios.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(super) capacity: SchedulerCapacity,
    pub(super) scenarios: u32,
}

impl Room {
    /// Number of waiting jobs of the beginning, tasks of arrays among them.
    fn entries(&self) -> u32 {
        self.capacity.jobs + self.capacity.jobs.max(TASKS)
    }

    /// Number of waiting jobs of a scenario.
    fn waiting(&self) -> u32 {
        self.entries() + LATER
    }

    /// Number of running jobs of a scenario.
    fn running(&self) -> u32 {
        self.capacity.jobs + self.waiting()
    }

    pub(super) fn plan(&self) -> PlanCapacity {
        PlanCapacity { running: self.running(), waiting: self.waiting() }
    }
}

impl<'a> Object<'a> for StartForecast<'a> {
    const KIND: Kind = Kind::StartForecast;
    type Head = Header;
    type Capacity = Room;
    type State = State;
    type Parts = Parts<'a>;

    fn parts(carver: &mut Carver<'a>, room: &Room) -> Result<Parts<'a>> {
        if room.scenarios == 0 || room.scenarios > MOST_SCENARIOS || room.capacity.jobs > 1 << 20 {
            return Err(Error::OutOfRange);
        }
        let entries = room.entries() as usize;
        Ok(Parts {
            candidates: carver.take(entries)?,
            tiers: carver.take(entries)?,
            queued: carver.take(entries)?,
            busy: carver.take(room.capacity.jobs as usize)?,
            waiting: carver.take(room.waiting() as usize)?,
            running: carver.take(room.running() as usize)?,
            starts: carver.take(entries * room.scenarios as usize)?,
            limited: carver.take(room.running() as usize)?,
            plan: carver.take(Plan::size(&room.plan())?)?,
        })
    }

    fn capacity_in(state: &State) -> Result<Room> {
        Ok(Room { capacity: state.capacity, scenarios: state.scenarios })
    }

    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<StartForecast<'a>> {
        let sound = state.queued as usize <= parts.queued.len()
            && state.busy as usize <= parts.busy.len()
            && state.waiting as usize <= parts.waiting.len()
            && state.running as usize <= parts.running.len()
            && state.scenario <= state.scenarios;
        if sound { Ok(StartForecast { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(StartForecast);

/// A span on the plan's range, as whole seconds.
pub(super) fn span(seconds: i64) -> u32 {
    u32::try_from(seconds.clamp(0, LONGEST.into())).unwrap_or(LONGEST)
}

/// Keeps the median where it was last reported, or moves it to half way between the new one and the level beside it.
fn keep_median(job: &Record, predicted: &mut PredictedStart) {
    if job.reports > 0 && job.reported_median != 0 && predicted.known(MEDIAN).is_some() {
        let [_, low, median, high, _] = &mut predicted.by;
        let (low, high) = (*median - (*median - *low) / 2, *median + (*high - *median) / 2);
        *median = job.reported_median.min(high).max(low);
    }
}

impl<'a> StartForecast<'a> {
    /// Bytes that a forecast of a scheduler with this capacity needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], also for no scenarios or more than [`MOST_SCENARIOS`].
    pub fn size(capacity: &SchedulerCapacity, scenarios: u32) -> Result<usize> {
        Scheduler::size(capacity)?;
        <StartForecast as Object>::size(&Room { capacity: *capacity, scenarios })
    }

    /// The rank of a class among those of the beginning: that of an equal one, or one between two of them.
    pub(super) fn rank(&self, class: [i64; 2]) -> i32 {
        let present =
            self.parts.queued.get(..self.state.present.min(self.state.queued) as usize).unwrap_or(&[]);
        let mut rank = 1;
        for job in present {
            if job.class == class {
                return job.tier;
            }
            if job.class < class {
                rank = rank.min(job.tier - 1);
            }
        }
        rank
    }

    /// Resets to the beginning of a scenario, before anything is drawn.
    pub(super) fn reset(&mut self) -> Result<()> {
        let State { queued, present, busy, idle, debt, possible, .. } = *self.state;
        copy(self.parts.waiting, range(self.parts.queued, 0, present as usize)?);
        copy(self.parts.running, range(self.parts.busy, 0, busy as usize)?);
        (self.state.waiting, self.state.running, self.state.free) = (present, busy, idle);
        (self.state.owed, self.state.coming, self.state.looked) = (debt, present, 0);
        let queued = range(self.parts.queued, 0, queued as usize)?;
        let left = queued.iter().filter(|job| job.processors <= possible).count();
        (self.state.time, self.state.left, self.state.later) = (0, left as u32, 0);
        (self.state.ahead, self.state.ago, self.state.next) = (0, 0, 0);
        Ok(())
    }

    /// Adds the jobs of the scenario to its plan.
    pub(super) fn fill_plan(&mut self) -> Result<()> {
        let State { time, waiting, running, free, .. } = *self.state;
        let mut plan = Plan::whole(self.parts.plan)?;
        plan.begin(free);
        for busy in range(self.parts.running, 0, running as usize)? {
            plan.add_running(
                busy.processors,
                busy.expected_in(time).into(),
                busy.limit.saturating_sub(time).max(1).into(),
            )?;
        }
        for job in range(self.parts.waiting, 0, waiting as usize)? {
            plan.add_waiting(&WaitingJob {
                id: job.id,
                processors: job.processors,
                run_time: job.mean.into(),
                limit: job.limit.into(),
                waited: job.waited.saturating_add(time.into()).clamp(0, MAX_SECONDS),
                credit: job.credit,
                tier: job.tier,
                promised: job.promised.into(),
                later: false,
            })?;
        }
        Ok(())
    }

    /// The rest of a job's wait at the five levels by the scenarios, in seconds: with N scenarios the level p lies at
    /// place p N - .5 of the starts in order, between two of them interpolated. `None` for a job that does not wait in
    /// this pool, that is held, or for which there are too few units. O(W + N log N).
    ///
    /// # Errors
    /// [`Error::WrongState`] before all scenarios are played.
    pub fn levels(&self, job: i64) -> Result<Option<[i64; LEVELS.len()]>> {
        if self.state.scenario < self.state.scenarios {
            return Err(Error::WrongState);
        }
        let queued = range(self.parts.queued, 0, self.state.queued as usize)?;
        let Some(number) = queued.iter().position(|queued| queued.job == job) else { return Ok(None) };
        if at(queued, number)?.processors > self.state.possible {
            return Ok(None);
        }
        let mut starts = [0_u32; MOST_SCENARIOS as usize];
        let count = self.state.scenarios as usize;
        let starts = range_mut(&mut starts, 0, count)?;
        for (start, row) in starts.iter_mut().zip(0..) {
            *start = *at(self.parts.starts, row * self.parts.queued.len() + number)?;
        }
        heap::sort(starts)?;
        starts.iter_mut().for_each(|start| *start = (*start).min(self.state.horizon));
        let mut levels = [0; LEVELS.len()];
        for (to, level) in levels.iter_mut().zip(LEVELS) {
            let place = (level * count as f64 - 0.5).min(count as f64 - 1.0).max(0.0);
            let below = libm::floor(place);
            let lower = f64::from(*at(starts, below as usize)?);
            let upper = f64::from(*at(starts, (below as usize + 1).min(count - 1))?);
            *to = libm::round(lower + (place - below) * (upper - lower)) as i64;
        }
        Ok(Some(levels))
    }

    /// The predicted start of a waiting job: the levels, moved by the outcomes of earlier reports. The median of a job
    /// whose start was reported stays where it was last reported, or moves to half way between the new one and the
    /// level beside it, so that answers do not jump. `None` for a job that does not wait in this pool, or that is held
    /// for an unknown time.
    ///
    /// # Errors
    /// As [`StartForecast::levels`].
    pub fn predicted(&self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<PredictedStart>> {
        let Some(levels) = self.levels(job)? else { return Ok(None) };
        let Some(slot) = scheduler.parts.table.find(job)? else { return Ok(None) };
        let most = i64::from(self.state.horizon);
        let record = scheduler.parts.table.get(slot)?;
        if !record.state().waits() {
            // It has started since the forecast began.
            return Ok(None);
        }
        let kind = usize::from(self.is_later(record));
        let offsets = at(&scheduler.pool_at(self.state.pool)?.offsets, kind)?;
        let rest = offsets.reported(&levels, most);
        let earliest = self.earliest(record);
        let by = rest.map(|rest| self.state.now.saturating_add(rest).max(earliest));
        let mut predicted = PredictedStart { by, capped: rest.iter().any(|&rest| rest >= most) };
        keep_median(record, &mut predicted);
        Ok(Some(predicted))
    }

    /// The first instant at which a job can start: neither before its begin time nor while it is refused.
    fn earliest(&self, job: &Record) -> i64 {
        let refused = Some(job.refused_until).filter(|&until| until < MAX_TIME).unwrap_or(0);
        self.state.now.max(job.begin).max(refused)
    }

    /// Whether a job's start was reported an hour before, or earlier.
    fn is_later(&self, job: &Record) -> bool {
        job.reports > 0 && self.state.now.saturating_sub(job.reported_at[0]) >= LATER_REPORT
    }

    /// The predicted start of a waiting job that is reported to people, else as by [`StartForecast::predicted`]: the
    /// outcome of the first report of a job, and of one drawn from those an hour or more after it, moves the offsets
    /// for such reports in its pool.
    ///
    /// # Errors
    /// As [`StartForecast::levels`].
    pub fn report(&self, scheduler: &mut Scheduler<'_>, job: i64) -> Result<Option<PredictedStart>> {
        let Some(predicted) = self.predicted(scheduler, job)? else { return Ok(None) };
        let Some(slot) = scheduler.parts.table.find(job)? else { return Ok(None) };
        let now = self.state.now;
        let record = scheduler.parts.table.get_mut(slot)?;
        let later = self.is_later(record);
        record.reported_median = predicted.known(MEDIAN).unwrap_or(0);
        // Each of the later reports is as likely to be judged, whenever the start comes: the k-th of them is kept
        // instead of the one before with probability 1 / k.
        let kept = if later {
            mix(job as u64 ^ u64::from(record.reports) << 32) % u64::from(record.reports) == 0
        } else {
            record.reports == 0
        };
        if kept {
            let kind = usize::from(later);
            *at_mut(&mut record.reported, kind)? = predicted.by.map(|by| span(by - now));
            *at_mut(&mut record.reported_at, kind)? = now;
        }
        if later || kept {
            record.reports = record.reports.saturating_add(1);
        }
        Ok(Some(predicted))
    }

    /// The probability that a job starts by an instant: linear between the five levels as they are reported, from 0
    /// when it can start at first; beyond the last one the rest shrinks to 0 at twice its distance.
    ///
    /// # Errors
    /// As [`StartForecast::levels`].
    pub fn probability(&self, scheduler: &Scheduler<'_>, job: i64, when: i64) -> Result<Option<f64>> {
        let Some(predicted) = self.predicted(scheduler, job)? else { return Ok(None) };
        let Some(slot) = scheduler.parts.table.find(job)? else { return Ok(None) };
        let record = scheduler.parts.table.get(slot)?;
        let now = self.earliest(record);
        let (mut before, mut reached) = (now, 0.0);
        let last = predicted.by[LEVELS.len() - 1];
        let beyond = last.saturating_add(last.saturating_sub(now));
        for (by, level) in predicted.by.into_iter().chain([beyond]).zip(LEVELS.into_iter().chain([1.0])) {
            if when < by {
                let passed = when.saturating_sub(before).max(0) as f64;
                let share = passed / by.saturating_sub(before).max(1) as f64;
                return Ok(Some(reached + (level - reached) * share));
            }
            (before, reached) = (by, level);
        }
        Ok(Some(1.0))
    }
}
