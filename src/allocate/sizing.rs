//! The running jobs in the caller's memory, for predictions of waits.

use crate::allocate::lifetime::Conditional;
use crate::allocate::{LONGEST, LogUniform, check};
use crate::backfill::MAX_PROCESSORS;
use crate::error::{Error, Result, check_processors};
use crate::memory::{Carver, Header, Kind, Object, at_mut, range, range_mut};
use crate::runtime::{MAX_BINS, MAX_EVENTS_PER_BIN, Release, RuntimeDistribution, View};
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// The largest number of running jobs.
const MAX_JOBS: u32 = 1 << 20;

/// Capacities of a [`Sizing`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SizingCapacity {
    /// Number of running jobs (at most 2^20).
    pub running: u32,
    /// Number of processors of the machine (1 to [`MAX_PROCESSORS`]).
    pub processors: u32,
    /// Number of bins of the distributions (at most [`MAX_BINS`]); 0 when all lifetimes are log-uniform.
    pub bins: u32,
    /// Number of events into which a bin's probability is divided (1 to [`MAX_EVENTS_PER_BIN`]).
    pub events_per_bin: u32,
}

impl Default for SizingCapacity {
    /// 256 running jobs, 1,024 processors, 32 bins of 4 events.
    fn default() -> SizingCapacity {
        SizingCapacity { running: 256, processors: 1024, bins: 32, events_per_bin: 4 }
    }
}

impl SizingCapacity {
    fn check(&self) -> Result<()> {
        let valid = self.running <= MAX_JOBS
            && (1..=MAX_PROCESSORS).contains(&self.processors)
            && self.bins as usize <= MAX_BINS
            && (1..=MAX_EVENTS_PER_BIN).contains(&(self.events_per_bin as usize));
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    fn releases_per_job(&self) -> usize {
        // A job that is expected to end at its limit has one release whatever the bins.
        (self.bins as usize * self.events_per_bin as usize).max(1)
    }
}

/// The scalars at the head of the block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: SizingCapacity,
    pub(super) idle: u32,
    /// Number of processors of the running jobs.
    pub(super) busy: u32,
    pub(super) running: u32,
    /// 1 once begun.
    begun: u32,
}

/// One running job.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Row {
    pub lifetime: Conditional,
    pub processors: u32,
    /// Number of its releases; 0 when its lifetime is log-uniform.
    pub releases: u32,
    /// Pr(it has ended) at the time in question.
    pub ended: f64,
}

/// The jobs that run on one pool of interchangeable processors, and the number of free processors over time.
///
/// [`Sizing::begin`], [`Sizing::add_running`] or [`Sizing::add_running_binned`] for each job, then any predictions in
/// any order. These change only scratch memory.
///
/// The memory needed is [`Sizing::size`]: at most 72 R + 16 R b e + 24 P + 128 bytes for R running jobs, P processors
/// and b bins of e events.
pub struct Sizing<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
}

/// The slices of the block.
pub(crate) struct Parts<'a> {
    pub(super) rows: &'a mut [Row],
    pub(super) releases: &'a mut [Release],
    /// Room for two distributions of released processors.
    pub(super) front: &'a mut [f64],
    pub(super) back: &'a mut [f64],
    /// Expected waits for 1, 2, ... more processors, as far as they are integrated.
    pub(super) waits: &'a mut [f64],
}

impl<'a> Object<'a> for Sizing<'a> {
    const KIND: Kind = Kind::Sizing;
    type Head = Header;
    type Capacity = SizingCapacity;
    type State = State;
    type Parts = Parts<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &SizingCapacity) -> Result<Parts<'a>> {
        capacity.check()?;
        let jobs = capacity.running as usize;
        let processors = capacity.processors as usize;
        Ok(Parts {
            rows: carver.take(jobs)?,
            releases: carver.take(jobs.checked_mul(capacity.releases_per_job()).ok_or(Error::OutOfRange)?)?,
            front: carver.take(processors)?,
            back: carver.take(processors)?,
            waits: carver.take(processors)?,
        })
    }

    fn capacity_in(state: &State) -> Result<SizingCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<Sizing<'a>> {
        let used = state.idle.checked_add(state.busy);
        let fits = state.running <= state.capacity.running
            && used.is_some_and(|used| used <= state.capacity.processors);
        if fits { Ok(Sizing { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Sizing, made with SizingCapacity);

impl Sizing<'_> {
    /// Begins with `idle` processors and nothing running; jobs added before are forgotten. O(1).
    ///
    /// # Errors
    /// [`Error::TooManyProcessors`].
    pub fn begin(&mut self, idle: u32) -> Result<()> {
        if idle > self.state.capacity.processors {
            return Err(Error::TooManyProcessors);
        }
        (self.state.idle, self.state.busy, self.state.running, self.state.begun) = (idle, 0, 0, 1);
        Ok(())
    }

    /// Adds a running job: its processors (at least 1), its age in seconds (0 to 2^40) and its predicted run time.
    /// O(1).
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`]; [`Error::TooManyProcessors`]; [`Error::Overfull`] when the running
    /// jobs and the idle processors are more than the machine has; [`Error::Full`]; [`Error::WrongState`] before
    /// [`Sizing::begin`].
    pub fn add_running(&mut self, processors: u32, age: f64, lifetime: &LogUniform) -> Result<()> {
        self.room_for(processors)?;
        check(age, 0.0..=LONGEST)?;
        self.add(Row { lifetime: lifetime.after(age), processors, ..Row::zeroed() })
    }

    /// Adds a running job whose predicted run time has this distribution, under a time limit; age and limit in whole
    /// seconds (0 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)). O(releases).
    ///
    /// # Errors
    /// As [`Sizing::add_running`]; [`Error::Full`] also for a distribution with more bins than the capacity allow.
    pub fn add_running_binned(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<()> {
        self.add_running_binned_by(processors, age, limit, runtime.view())
    }

    /// See [`Sizing::add_running_binned`].
    pub(crate) fn add_running_binned_by(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<()> {
        self.room_for(processors)?;
        let per_job = self.state.capacity.releases_per_job();
        let slot = self.state.running as usize * per_job;
        let releases = range_mut(self.parts.releases, slot, per_job)?;
        let count = runtime.remaining(age, limit, self.state.capacity.events_per_bin as usize, releases)?;
        self.add(Row { processors, releases: count as u32, ..Row::zeroed() })
    }

    fn room_for(&self, processors: u32) -> Result<()> {
        let state = &*self.state;
        if state.begun != 1 {
            return Err(Error::WrongState);
        }
        let free =
            state.capacity.processors.checked_sub(state.idle).and_then(|rest| rest.checked_sub(state.busy));
        check_processors(processors, state.capacity.processors)?;
        if processors > free.ok_or(Error::Corrupt)? {
            return Err(Error::Overfull);
        }
        if state.running >= state.capacity.running { Err(Error::Full) } else { Ok(()) }
    }

    fn add(&mut self, row: Row) -> Result<()> {
        *at_mut(self.parts.rows, self.state.running as usize)? = row;
        self.state.running += 1;
        self.state.busy += row.processors;
        Ok(())
    }

    /// Idle processors.
    pub fn idle(&self) -> u32 {
        self.state.idle
    }

    /// Number of processors to wait for, beyond the idle ones.
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`Sizing::begin`]; [`Error::TooManyProcessors`]; [`Error::Never`]
    /// when the running jobs together hold fewer.
    pub(super) fn missing(&self, processors: u32) -> Result<u32> {
        let state = &*self.state;
        if state.begun != 1 {
            return Err(Error::WrongState);
        }
        if processors > state.capacity.processors {
            return Err(Error::TooManyProcessors);
        }
        let missing = processors.saturating_sub(state.idle);
        if missing > state.busy { Err(Error::Never) } else { Ok(missing) }
    }

    pub(super) fn rows(&self) -> Result<&[Row]> {
        range(self.parts.rows, 0, self.state.running as usize)
    }

    /// The releases of the job with this index.
    pub(super) fn releases(&self, index: usize, row: &Row) -> Result<&[Release]> {
        range(self.parts.releases, index * self.state.capacity.releases_per_job(), row.releases as usize)
    }

    /// Pr(the job with this index ends within `wait` seconds).
    pub(super) fn ends_within(&self, index: usize, row: &Row, wait: f64) -> Result<f64> {
        if row.releases == 0 {
            return Ok(row.lifetime.ends_within(wait));
        }
        let releases = self.releases(index, row)?;
        let by_then = releases.iter().take_while(|release| release.after as f64 <= wait);
        let (count, ended) = by_then.fold((0, 0.0), |(n, sum), r| (n + 1, sum + r.probability));
        // The sum of all may miss 1 by rounding.
        Ok(if count == releases.len() { 1.0 } else { f64::min(ended, 1.0) })
    }

    /// The wait after which every running job has ended, in seconds.
    pub(super) fn end(&self) -> Result<f64> {
        let mut end: f64 = 0.0;
        for (index, row) in self.rows()?.iter().enumerate() {
            let own = match self.releases(index, row)?.last() {
                Some(release) => release.after as f64,
                None => row.lifetime.end(),
            };
            end = end.max(own);
        }
        Ok(end)
    }
}

/// The smallest wait of at most `end` seconds for which `enough` holds; it must hold at `end` and not cease to hold. By
/// bisection of the bits, and so exact: at most 64 calls.
pub(super) fn smallest(end: f64, mut enough: impl FnMut(f64) -> Result<bool>) -> Result<f64> {
    let (mut low, mut high) = (0, end.to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(f64::from_bits(middle))? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(f64::from_bits(high))
}
