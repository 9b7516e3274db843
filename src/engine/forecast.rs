//! The start of every waiting job, by the scheduler's own rule played forward.

use super::capacity::SchedulerCapacity;
use super::divided::Divided;
use super::object::Scheduler;
use super::order::Candidate;
use crate::error::{Error, Result};
use crate::memory::{Carver, Header, Kind, Object, at, copy, range};
use crate::plan::{KeptOrder, LONGEST, Limited, Plan, PlanCapacity, Rank, WaitingJob};
use crate::runtime::MAX_SECONDS;
use crate::schedule::RecentWaits;
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// Largest number of scenarios of a forecast.
pub const MOST_SCENARIOS: u32 = 64;

/// Number of jobs submitted later that wait at once in a scenario, at most; those beyond it are left out.
pub(super) const LATER: u32 = 256;

/// The cheaper decisions about a long queue.
pub(super) struct Cheaper {
    /// Number of waiting jobs above which a forecast is cheaper.
    pub(super) above: u32,
    /// Number of waiting jobs that are considered when they are chosen; jobs that are submitted later are added. The
    /// schedulers of resource managers have such a bound as well (Slurm: `bf_max_job_test`).
    pub(super) considered: u32,
    /// Decisions are this share of the mean run time apart, or more.
    pub(super) share: u64,
}

/// The cheaper decisions of a plan, of EASY, and of EASY in regions. An order of a plan costs as much as some hundred
/// jobs that are looked at; EASY, which only looks at jobs, starts jobs a tenth later by as few and as seldom
/// decisions. In regions all are considered, as those of one queue must not hide those of another.
pub(super) const CHEAPER: [Cheaper; 3] = [
    Cheaper { above: 256, considered: 512, share: 64 },
    Cheaper { above: 1024, considered: 4096, share: 256 },
    Cheaper { above: 1024, considered: u32::MAX - LATER, share: 256 },
];

/// Number of tasks of arrays that wait side by side, at most; further ones follow those.
const TASKS: u32 = 64;

/// A day, in seconds.
pub(super) const DAY: i64 = 86_400;

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
    /// The number of the set of regions in which it may start, in a pool that has some.
    pub set: u32,
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
    /// Its row among the units that jobs hold by region.
    pub row: u32,
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
    /// State of the scenario under way: the time, numbers of places in the queue, of jobs that wait there, of those of
    /// them that are considered and of running jobs, idle units, units still owed, and number of waiting jobs of the
    /// beginning.
    pub(super) time: u32,
    pub(super) waiting: u32,
    pub(super) live: u32,
    pub(super) considered: u32,
    pub(super) running: u32,
    pub(super) free: u32,
    pub(super) owed: u32,
    pub(super) left: u32,
    /// Instant from which on the considered jobs are chosen anew, the fewest units that another job wants, the instant
    /// before which nothing is decided, and the seconds between two decisions.
    pub(super) choose_at: u32,
    pub(super) least_other: u32,
    pub(super) due: u32,
    pub(super) pace: u32,
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
    /// Number of the pool's regions, of sets of them, and of rows that no running job uses.
    pub(super) regions: u32,
    pub(super) sets: u32,
    pub(super) unused: u32,
    pub(super) reserved: u32,
    /// Under EASY the head job by its number among those of the beginning, else [`NOBODY`]; and the seconds within
    /// which it starts by the limits.
    pub(super) head: u32,
    pub(super) head_by: u32,
    /// Whether nothing has started for too long though a job may, with the two numbers of that pause.
    pub(super) stalled: u32,
    pub(super) stall: [i64; 2],
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
    /// Jobs of the scenario under way: the waiting ones in the order of submission (under EASY in the site's), among
    /// them those that have started since the last choice; the places of the considered ones; the running ones in a
    /// heap.
    pub(super) waiting: &'a mut [Pending],
    pub(super) considered: &'a mut [u32],
    pub(super) running: &'a mut [Busy],
    /// Starts by scenario and waiting job of the beginning.
    pub(super) starts: &'a mut [u32],
    /// The waits of the pool's started jobs, those of the scenario included; the second with credits.
    pub(super) waits: &'a mut [u8],
    /// Scratch of EASY, and of the choice of the considered jobs.
    pub(super) limited: &'a mut [Limited],
    pub(super) ranked: &'a mut [Rank],
    pub(super) divided: Divided<'a>,
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
/// Jobs whose time has not come wait from their time on, as do refused ones from their next turn on, and those off
/// whose nodes reservations keep them from the end of these on; the tasks of an array follow each other. Not
/// predicted: jobs that are held, except tasks that a throttle holds, until they are reported as waiting; jobs that
/// wait longer than fourteen days for reservations; the return of suspended jobs; and with less than a day of
/// submissions later jobs. A reservation that has not begun counts for a job that it keeps off its nodes now, not
/// for one that it would keep off them later.
///
/// Reported levels are corrected by the actual starts: [`StartForecast::report`].
pub struct StartForecast<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
}

/// The capacities of a forecast: its scheduler's, and the numbers of scenarios and regions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(super) capacity: SchedulerCapacity,
    pub(super) scenarios: u32,
    pub(super) regions: u32,
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

    /// Number of considered jobs of a scenario, by a plan, by EASY, and by EASY in regions.
    fn considered(&self) -> [u32; 3] {
        CHEAPER.map(|cheaper| self.waiting().min(cheaper.considered + LATER))
    }

    /// Number of running jobs of the beginning, and of reservations that keep nodes.
    fn busy(&self) -> u32 {
        self.capacity.jobs + self.capacity.reservations
    }

    /// Number of running jobs of a scenario.
    fn running(&self) -> u32 {
        self.busy() + self.waiting()
    }

    pub(super) fn plan(&self) -> PlanCapacity {
        let [waiting, ..] = self.considered();
        PlanCapacity { running: self.running(), waiting }
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
        let [_, easy, in_regions] = room.considered();
        Ok(Parts {
            candidates: carver.take(entries)?,
            tiers: carver.take(entries)?,
            queued: carver.take(entries)?,
            busy: carver.take(room.busy() as usize)?,
            waiting: carver.take(room.waiting() as usize)?,
            considered: carver.take(if room.regions == 0 { easy } else { in_regions } as usize)?,
            running: carver.take(room.running() as usize)?,
            starts: carver.take(entries * room.scenarios as usize)?,
            waits: carver.take(2 * RecentWaits::size(room.capacity.waits)?)?,
            limited: carver.take(room.running() as usize)?,
            ranked: carver.take(room.waiting() as usize)?,
            divided: Divided::carve(
                carver,
                room.regions as usize,
                room.busy() as usize,
                room.running() as usize,
            )?,
            plan: carver.take(Plan::size(&room.plan())?)?,
        })
    }

    fn capacity_in(state: &State) -> Result<Room> {
        Ok(Room { capacity: state.capacity, scenarios: state.scenarios, regions: state.regions })
    }

    fn assemble(state: &'a mut State, mut parts: Parts<'a>) -> Result<StartForecast<'a>> {
        parts.divided.know(state.sets);
        let sound = state.queued as usize <= parts.queued.len()
            && state.busy as usize <= parts.busy.len()
            && state.waiting as usize <= parts.waiting.len()
            && state.considered as usize <= parts.considered.len()
            && state.considered <= state.live
            && state.live <= state.waiting
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

impl<'a> StartForecast<'a> {
    /// Bytes that a forecast of a scheduler with this capacity needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], also for no scenarios or more than [`MOST_SCENARIOS`].
    pub fn size(capacity: &SchedulerCapacity, scenarios: u32) -> Result<usize> {
        StartForecast::size_in_regions(capacity, scenarios, 0)
    }

    /// Bytes that a forecast of a pool with this number of regions needs.
    ///
    /// # Errors
    /// As [`StartForecast::size`], also for more regions than [`MOST_REGIONS`](super::MOST_REGIONS).
    pub fn size_in_regions(capacity: &SchedulerCapacity, scenarios: u32, regions: usize) -> Result<usize> {
        Scheduler::size(capacity)?;
        let regions = u32::try_from(regions).map_err(|_| Error::OutOfRange)?;
        <StartForecast as Object>::size(&Room { capacity: *capacity, scenarios, regions })
    }

    /// The rank of a class among those of the beginning: that of an equal one, that of the jobs around it where these
    /// count as equal, or one between two of them.
    pub(super) fn rank(&self, class: [i64; 2]) -> i32 {
        let present =
            self.parts.queued.get(..self.state.present.min(self.state.queued) as usize).unwrap_or(&[]);
        let (mut rank, mut least) = (1, i32::MIN);
        for job in present {
            if job.class == class {
                return job.tier;
            }
            if job.class < class {
                rank = rank.min(job.tier - 1);
            } else {
                least = least.max(job.tier);
            }
        }
        rank.max(least)
    }

    /// Resets to the beginning of a scenario, before anything is drawn.
    pub(super) fn reset(&mut self) -> Result<()> {
        let State { queued, present, busy, idle, debt, .. } = *self.state;
        copy(self.parts.waiting, range(self.parts.queued, 0, present as usize)?);
        copy(self.parts.running, range(self.parts.busy, 0, busy as usize)?);
        (self.state.waiting, self.state.running, self.state.free) = (present, busy, idle);
        (self.state.owed, self.state.coming, self.state.looked) = (debt, present, 0);
        let queued = range(self.parts.queued, 0, queued as usize)?;
        let left = queued.iter().filter(|job| job.processors <= self.possible_for(job)).count();
        (self.state.time, self.state.left, self.state.later) = (0, left as u32, 0);
        (self.state.ahead, self.state.ago, self.state.next) = (0, 0, 0);
        self.state.due = 0;
        self.state.unused = self.parts.divided.reset(busy as usize)?;
        self.list_ends()?;
        self.choose()
    }

    /// Adds the running and the considered jobs of the scenario to its plan.
    pub(super) fn fill_plan(&mut self) -> Result<()> {
        let State { time, considered, running, free, .. } = *self.state;
        let mut plan = Plan::whole(self.parts.plan)?;
        plan.begin(free);
        for busy in range(self.parts.running, 0, running as usize)? {
            plan.add_running(
                busy.processors,
                busy.expected_in(time).into(),
                busy.limit.saturating_sub(time).max(1).into(),
            )?;
        }
        for &number in range(self.parts.considered, 0, considered as usize)? {
            let job = at(self.parts.waiting, number as usize)?;
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
}
