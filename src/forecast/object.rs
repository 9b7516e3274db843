//! A forecast in the caller's memory: the machine, its running jobs and its queue.

use crate::error::{Error, Result, check_processors};
use crate::forecast::options::{ForecastOptions, MAX_JOBS, MAX_SCENARIOS, RawOptions};
use crate::forecast::profile::Step;
use crate::memory::{Carver, Header, Kind, Object, at, at_mut, range, range_mut};
use crate::runtime::{
    MAX_BINS, MAX_EVENTS_PER_BIN, MAX_SECONDS, Release, RuntimeDistribution, View, check_span,
};
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};
use core::cmp::Ordering;

/// The largest machine.
const MAX_PROCESSORS: u32 = 1 << 24;

/// Time of a start that never comes.
pub(super) const NEVER: i64 = i64::MAX;

/// Latest time in a scenario of valid contents, even with all jobs one after the other.
pub(super) const LATEST: i64 = 1 << 62;

/// Capacities of a [`Forecast`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ForecastCapacity {
    /// Number of running jobs (at most 2^20).
    pub running: u32,
    /// Number of waiting jobs (at most 2^20).
    pub waiting: u32,
    /// Number of processors of the machine (1 to 2^24).
    pub processors: u32,
    /// Number of bins of the distributions (1 to [`MAX_BINS`]).
    pub bins: u32,
    /// Number of events into which a bin's probability is divided (1 to [`MAX_EVENTS_PER_BIN`]).
    pub events_per_bin: u32,
    /// Number of scenarios (2 to [`MAX_SCENARIOS`]).
    pub scenarios: u32,
}

impl Default for ForecastCapacity {
    /// 256 running and 256 waiting jobs, 1,024 processors, 32 bins of 4 events, 200 scenarios.
    fn default() -> ForecastCapacity {
        ForecastCapacity {
            running: 256,
            waiting: 256,
            processors: 1024,
            bins: 32,
            events_per_bin: 4,
            scenarios: 200,
        }
    }
}

impl ForecastCapacity {
    fn check(&self) -> Result<()> {
        let valid = self.running <= MAX_JOBS
            && self.waiting <= MAX_JOBS
            && (1..=MAX_PROCESSORS).contains(&self.processors)
            && (1..=MAX_BINS as u32).contains(&self.bins)
            && (1..=MAX_EVENTS_PER_BIN as u32).contains(&self.events_per_bin)
            && (2..=MAX_SCENARIOS).contains(&self.scenarios);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    pub(super) fn releases_per_job(&self) -> usize {
        self.bins as usize * self.events_per_bin as usize
    }
}

/// State of a waiting job in a scenario.
pub(super) const AWAY: u32 = 0;
pub(super) const WAITING: u32 = 1;
pub(super) const STARTED: u32 = 2;
/// State of a job that holds a reservation in the present pass.
pub(super) const HOLDING: u32 = 3;

/// Phase of a forecast; 0 before the first one begins.
pub(crate) const FILLING: u32 = 1;
pub(super) const PLAYING: u32 = 2;
pub(super) const DONE: u32 = 3;

/// Number of queued jobs below a last place of the tree.
pub(super) const BLOCK: usize = 8;

/// Number of last places of a tree of this number of jobs.
pub(super) fn blocks(jobs: usize) -> usize {
    jobs.div_ceil(BLOCK).next_power_of_two()
}

/// The scalars at the head of a forecast's block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub capacity: ForecastCapacity,
    pub options: RawOptions,
    pub now: i64,
    pub(super) idle: u32,
    /// Number of processors of the running jobs.
    pub(super) busy: u32,
    pub running: u32,
    pub waiting: u32,
    /// Number of waiting jobs that are submitted later.
    pub(super) arrivals: u32,
    pub phase: u32,
    /// Number of scenarios played.
    pub(super) played: u32,
    /// Number of jobs whose starts are sorted.
    pub(super) sorted: u32,
    pub scene: Scene,
}

/// The scenario that is being played.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Scene {
    /// Seconds from now.
    pub time: i64,
    /// Whether a scenario is being played.
    pub open: u32,
    pub free: u32,
    /// Number of running jobs: the ends in the heap, and the plans.
    pub running: u32,
    /// Number of jobs in the list of the queue, and in that of candidates, where a machine needs them.
    pub queued: u32,
    /// Number of later submissions that have come.
    pub arrived: u32,
    /// Number of jobs still to start.
    pub left: u32,
    /// Whether the queue stands in lists, not in the tree.
    pub listed: u32,
    /// Number of waiting jobs that can start at all.
    pub able: u32,
}

/// A running or waiting job, without its releases.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Job {
    pub processors: u32,
    pub releases: u32,
    /// Latest end: seconds from now when it runs, from its start when it waits.
    pub limit: i64,
    /// Median of its end, from the same time.
    pub median: i64,
    /// Seconds from now until it joins the queue; not positive for those that are in it.
    pub submit: i64,
    /// Constant part of its priorities while it waits: in the queue, and among the candidates.
    pub sizes: [f64; 2],
}

/// The end of a running job in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct End {
    pub time: i64,
    pub job: u32,
    pub processors: u32,
}

/// A job in the queue of a scenario.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Queued {
    /// Its priority in the present pass, where the list is ordered by priorities.
    pub value: f64,
    /// Run time in seconds that the policy plans for it.
    pub planned: i64,
    pub job: u32,
    pub processors: u32,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Queued) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Queued) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    /// By priority, smaller values first, and equal ones in the order in which they were added.
    fn cmp(&self, other: &Queued) -> Ordering {
        self.value.total_cmp(&other.value).then(self.job.cmp(&other.job))
    }
}

/// The least that a queued job below a place of the tree has.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Least {
    pub planned: i64,
    pub submit: i64,
    pub sizes: [f64; 2],
    pub job: u32,
    /// `u32::MAX` where no job is queued.
    pub processors: u32,
}

/// A running job's planned end, and the latest possible.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Planned {
    pub end: i64,
    pub limit: i64,
}

/// The starts of all waiting jobs.
///
/// [`Forecast::begin`]; [`Forecast::add_running`] and, in the order of the queue, [`Forecast::add_waiting`]; then
/// [`Forecast::run`] until [`Progress::Done`](super::Progress::Done); then read any number of answers.
///
/// The memory needed is [`Forecast::size`]. With R running jobs, W waiting jobs, b bins of e events and N scenarios it
/// is at most 16 (R + W) b e + 8 W N + 128 R + 256 W + 800 bytes. One scenario costs O((R + W) log(R + W)) and, at each
/// of its at most R + W + 1 instants at which a processor is free, one look at the planned ends of the running jobs.
/// The head job and each job that starts cost a search in a tree of the queue, mostly O(log W), at worst O(W). With
/// more than one reservation, each of them and each place of the tree looked at costs up to as many steps as jobs run
/// or hold a reservation.
pub struct Forecast<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) parts: Parts<'a>,
}

/// The slices of a forecast's block.
pub(crate) struct Parts<'a> {
    /// Running jobs, then waiting jobs from the capacity of running jobs on; the same for their releases.
    pub(super) jobs: &'a mut [Job],
    /// Each with the probability that the job ends by then.
    pub(super) releases: &'a mut [Release],
    /// A row of scenarios for each waiting job, in seconds from now.
    pub starts: &'a mut [i64],
    /// Waiting jobs that can start at all, as they lie below the tree; by predicted median where lists are needed.
    pub(super) ranked: &'a mut [End],
    /// Waiting jobs that are submitted later, in the order of time.
    pub(super) arrivals: &'a mut [End],
    /// State of each waiting job in the present scenario.
    pub(super) status: &'a mut [u32],
    /// Ends of running jobs: a heap.
    pub(super) ends: &'a mut [End],
    /// Planned ends of running jobs, sorted; and by job.
    pub plans: &'a mut [End],
    pub(super) planned: &'a mut [Planned],
    /// The tree, from its place 1 on, with eight jobs below each last place; and by job, its place among them.
    pub(super) tree: &'a mut [Least],
    pub(super) places: &'a mut [u32],
    /// The queued jobs in their order, or those that hold a reservation.
    pub(super) queue: &'a mut [Queued],
    /// The queued jobs in the order in which candidates are tried, unless that is the queue's.
    pub(super) candidates: &'a mut [Queued],
    pub(super) steps: &'a mut [Step],
}

impl<'a> Object<'a> for Forecast<'a> {
    const KIND: Kind = Kind::Forecast;
    type Head = Header;
    type Capacity = ForecastCapacity;
    type State = State;
    type Parts = Parts<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &ForecastCapacity) -> Result<Parts<'a>> {
        capacity.check()?;
        let (running, waiting) = (capacity.running as usize, capacity.waiting as usize);
        let jobs = running + waiting;
        let product = |a: usize, b: usize| a.checked_mul(b).ok_or(Error::OutOfRange);
        Ok(Parts {
            jobs: carver.take(jobs)?,
            releases: carver.take(product(jobs, capacity.releases_per_job())?)?,
            starts: carver.take(product(waiting, capacity.scenarios as usize)?)?,
            ranked: carver.take(waiting)?,
            arrivals: carver.take(waiting)?,
            status: carver.take(waiting)?,
            ends: carver.take(jobs)?,
            plans: carver.take(jobs)?,
            planned: carver.take(jobs)?,
            tree: carver.take(2 * blocks(waiting))?,
            places: carver.take(waiting)?,
            queue: carver.take(waiting)?,
            candidates: carver.take(waiting)?,
            // A step for now and for each planned end, and two for each job that takes some.
            steps: carver.take(jobs + 2 * waiting + 1)?,
        })
    }

    fn capacity_in(state: &State) -> Result<ForecastCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<Forecast<'a>> {
        if state.sound() { Ok(Forecast { state, parts }) } else { Err(Error::Corrupt) }
    }
}

impl State {
    /// Whether the scalars agree with each other.
    pub(crate) fn sound(&self) -> bool {
        self.running <= self.capacity.running
            && self.waiting <= self.capacity.waiting
            && self.arrivals <= self.waiting
            && self.phase <= DONE
            && (self.phase == 0 || self.options.sound(self.capacity.scenarios))
            && self.now.unsigned_abs() <= 1 << 53
            && (0..=LATEST).contains(&self.scene.time)
    }
}

impl Parts<'_> {
    /// The same slices, borrowed.
    pub(crate) fn lend(&mut self) -> Parts<'_> {
        Parts {
            jobs: &mut *self.jobs,
            releases: &mut *self.releases,
            starts: &mut *self.starts,
            ranked: &mut *self.ranked,
            arrivals: &mut *self.arrivals,
            status: &mut *self.status,
            ends: &mut *self.ends,
            plans: &mut *self.plans,
            planned: &mut *self.planned,
            tree: &mut *self.tree,
            places: &mut *self.places,
            queue: &mut *self.queue,
            candidates: &mut *self.candidates,
            steps: &mut *self.steps,
        }
    }
}

lifecycle!(Forecast, made with ForecastCapacity);

impl Forecast<'_> {
    /// Begins a forecast at time `now` (seconds since any origin, within 2^53 of it) with `idle` processors. Forgets
    /// the last forecast. O(1).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an absurd time or options out of their ranges; [`Error::TooManyProcessors`];
    /// [`Error::NotANumber`].
    pub fn begin(&mut self, now: i64, idle: u32, options: &ForecastOptions) -> Result<()> {
        let capacity = self.state.capacity;
        let options = RawOptions::new(options, capacity.scenarios)?;
        if now.unsigned_abs() > 1 << 53 {
            return Err(Error::OutOfRange);
        }
        if idle > capacity.processors {
            return Err(Error::TooManyProcessors);
        }
        *self.state = State { capacity, options, now, idle, phase: FILLING, ..State::zeroed() };
        Ok(())
    }

    /// Adds a running job: its processors (at least 1), its age, its time limit (both in seconds, 0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)) and its predicted run time. Returns its index. O(releases).
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::TooManyProcessors`]; [`Error::Overfull`] when the running jobs and the idle
    /// processors are more than the machine has; [`Error::SpanTooLong`]; [`Error::Full`], also for a distribution with
    /// more bins than the capacity; [`Error::WrongState`] unless the forecast has begun and does not run yet.
    pub fn add_running(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_running_by(processors, age, limit, runtime.view())
    }

    /// See [`Forecast::add_running`].
    pub(crate) fn add_running_by(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        let state = &*self.state;
        if state.phase != FILLING {
            return Err(Error::WrongState);
        }
        check_processors(processors, state.capacity.processors)?;
        let busy = state.busy.checked_add(processors).ok_or(Error::Overfull)?;
        if busy > state.capacity.processors.saturating_sub(state.idle) {
            return Err(Error::Overfull);
        }
        let index = self.enter_running(processors, age, limit, runtime)?;
        self.state.busy = busy;
        Ok(index)
    }

    /// Adds a running job whose processors are checked.
    pub(crate) fn enter_running(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        let index = self.state.running;
        if index >= self.state.capacity.running {
            return Err(Error::Full);
        }
        self.add(index as usize, [processors; 2], 0, age, limit, runtime)?;
        self.state.running = index + 1;
        Ok(index as usize)
    }

    /// Adds a waiting job behind those added before: its processors (at least 1), its time limit in seconds (0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)), the time of its submission, past or future, and its predicted run
    /// time. Returns its index. O(releases).
    ///
    /// A job whose submission lies ahead (expected, or held until then) joins the queue at that time, in the place in
    /// which it was added, unless priorities order the queue. They count longer waits as
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS).
    ///
    /// # Errors
    /// As [`Forecast::add_running`]; [`Error::SpanTooLong`] also for a submission so far ahead.
    pub fn add_waiting(
        &mut self,
        processors: u32,
        limit: i64,
        submit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_waiting_by(processors, limit, submit, runtime.view())
    }

    /// See [`Forecast::add_waiting`].
    pub(crate) fn add_waiting_by(
        &mut self,
        processors: u32,
        limit: i64,
        submit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        let state = &*self.state;
        if state.phase != FILLING {
            return Err(Error::WrongState);
        }
        check_processors(processors, state.capacity.processors)?;
        self.enter_waiting([processors; 2], limit, submit, runtime)
    }

    /// Adds a waiting job whose processors are checked: those counted, and those for its priorities.
    pub(crate) fn enter_waiting(
        &mut self,
        processors: [u32; 2],
        limit: i64,
        submit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        let submit = submit.saturating_sub(self.state.now).max(-MAX_SECONDS);
        check_span(submit.max(0))?;
        let index = self.state.waiting;
        if index >= self.state.capacity.waiting {
            return Err(Error::Full);
        }
        let place = self.state.capacity.running as usize + index as usize;
        self.add(place, processors, submit, 0, limit, runtime)?;
        self.state.waiting = index + 1;
        Ok(index as usize)
    }

    /// Bars a waiting job, which is wider than all idle and running processors: it does not start.
    pub(crate) fn bar(&mut self, job: usize) -> Result<()> {
        let place = self.state.capacity.running as usize + job;
        at_mut(self.parts.jobs, place)?.processors = u32::MAX;
        Ok(())
    }

    fn add(
        &mut self,
        place: usize,
        [processors, size]: [u32; 2],
        submit: i64,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<()> {
        let room = self.state.capacity.releases_per_job();
        let slot = range_mut(self.parts.releases, place * room, room)?;
        let events = self.state.capacity.events_per_bin as usize;
        // First the policy's median, by Algorithm 5 like its orders; then the distribution drawn from, which ends at
        // the limit.
        let count = runtime.remaining(age, limit, events, slot)?;
        let median = median(range(slot, 0, count)?)?;
        let count = runtime.remaining_within(age, limit, events, slot)?;
        let mut ended = 0.0;
        for release in range_mut(slot, 0, count)? {
            ended += release.probability;
            release.probability = ended;
        }
        let limit = (limit - age).max(1);
        let options = &self.state.options;
        let mut sizes = [options.queue, options.candidates].map(|priority| priority.size(median, size));
        if let Some(own) = sizes.last_mut().filter(|_| options.shortest_first()) {
            *own = median as f64;
        }
        *at_mut(self.parts.jobs, place)? =
            Job { processors, releases: count as u32, limit, median, submit, sizes };
        Ok(())
    }

    /// Seconds since the origin at which the forecast began.
    pub fn now(&self) -> i64 {
        self.state.now
    }

    /// Number of waiting jobs added so far.
    pub fn waiting(&self) -> usize {
        self.state.waiting as usize
    }
}

/// The first end by which half of the probability has ended; the last where rounding leaves the sum below that.
fn median(releases: &[Release]) -> Result<i64> {
    let mut ended = 0.0;
    for release in releases {
        ended += release.probability;
        if ended >= 0.5 {
            return Ok(release.after);
        }
    }
    Ok(at(releases, releases.len().saturating_sub(1))?.after)
}
