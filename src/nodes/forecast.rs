//! The start of every waiting job on a machine of nodes, by the scenarios of [`crate::forecast`].

use crate::error::{Error, Result};
use crate::forecast::{
    Answers, Estimate, FILLING, Forecast, ForecastCapacity, ForecastOptions, ForecastParts, ForecastState,
    Progress,
};
use crate::memory::{Carver, Header, Kind, Object, at, at_mut, range};
use crate::nodes::ahead::{Ahead, Waiting};
use crate::nodes::floor::Floor;
use crate::nodes::machine::{MAX_NODES, Nodes, Ranked};
use crate::nodes::request::{Fit, MAX_RESOURCES, Part, RawRequest, Request};
use crate::runtime::{RuntimeDistribution, View};
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// Processors of the forecast inside, which does not count them: the nodes decide what fits.
const UNCOUNTED: u32 = 1;

/// Capacities of a [`NodeForecast`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NodeForecastCapacity {
    /// Nodes of the machine (1 to [`MAX_NODES`]).
    pub nodes: u32,
    /// Classes of like nodes (1 to [`MAX_NODES`]).
    pub classes: u32,
    /// Kinds of resource on a node (1 to [`MAX_RESOURCES`]).
    pub resources: u32,
    /// Running jobs (at most 2^20).
    pub running: u32,
    /// Waiting jobs (at most 2^20).
    pub waiting: u32,
    /// Nodes of the waiting jobs, together: the tasks of each, or the machine's nodes where these are fewer (at most
    /// 2^24).
    pub parts: u32,
    /// Bins of the distributions (1 to [`MAX_BINS`](crate::runtime::MAX_BINS)).
    pub bins: u32,
    /// Events into which a bin's probability is divided (1 to
    /// [`MAX_EVENTS_PER_BIN`](crate::runtime::MAX_EVENTS_PER_BIN)).
    pub events_per_bin: u32,
    /// Scenarios (2 to [`MAX_SCENARIOS`](crate::forecast::MAX_SCENARIOS)).
    pub scenarios: u32,
    /// 0.
    pub reserved: u32,
}

impl Default for NodeForecastCapacity {
    /// 1,024 nodes of 16 classes with 3 kinds of resource, 1,024 running jobs, 256 waiting ones on 4,096 nodes, 32 bins
    /// of 4 events, 200 scenarios.
    fn default() -> NodeForecastCapacity {
        NodeForecastCapacity {
            nodes: 1024,
            classes: 16,
            resources: 3,
            running: 1024,
            waiting: 256,
            parts: 4096,
            bins: 32,
            events_per_bin: 4,
            scenarios: 200,
            reserved: 0,
        }
    }
}

impl NodeForecastCapacity {
    fn check(&self) -> Result<()> {
        let valid = (1..=MAX_NODES).contains(&self.nodes)
            && (1..=MAX_NODES).contains(&self.classes)
            && (1..=MAX_RESOURCES as u32).contains(&self.resources)
            && self.parts <= 1 << 24;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    fn of_times(&self) -> ForecastCapacity {
        let NodeForecastCapacity { running, waiting, bins, events_per_bin, scenarios, .. } = *self;
        ForecastCapacity { running, waiting, processors: UNCOUNTED, bins, events_per_bin, scenarios }
    }
}

/// The scalars at the head of a forecast's block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub capacity: NodeForecastCapacity,
    /// The changes of the machine at the beginning.
    changes: u64,
    /// Nodes of the waiting jobs added so far.
    parts: u32,
    /// Number of nodes that have become freer since the last pass.
    freed: u32,
    times: ForecastState,
}

/// The slices of a forecast's block.
pub(crate) struct Slices<'a> {
    times: ForecastParts<'a>,
    /// The machine in the present scenario, and the machine planned for the head job's start.
    now: Floor<'a>,
    later: Floor<'a>,
    /// The machine's handles of the running jobs.
    handles: &'a mut [u32],
    waiting: &'a mut [Waiting],
    /// The nodes of waiting jobs that run in the present scenario.
    parts: &'a mut [Part],
    /// Nodes on which something has become free since the last pass.
    freed: &'a mut [u32],
    ranked: &'a mut [Ranked],
    found: &'a mut [Part],
}

/// The starts of all waiting jobs on a machine of nodes, with quantiles, probabilities and means like those of a
/// [`Forecast`].
///
/// [`NodeForecast::begin`] with the machine; [`NodeForecast::add_running`] and, in the order of the queue,
/// [`NodeForecast::add_waiting`]; then [`NodeForecast::run`] until it is done; then read any number of answers. Jobs on
/// the machine that are not added as running hold what they have in all scenarios. On whole, like nodes with one task
/// on each the answers are those of [`Forecast`], bit for bit.
///
/// The policy is EASY backfilling by limits or by medians, in the orders of the options, list scheduling (no
/// reservation), or first come, first served; each waiting job is put where [`Nodes::place`] would put it. More than
/// one reservation is not played on nodes.
///
/// The memory needed is [`NodeForecast::size`]: that of a [`Forecast`] of as many jobs, bins and scenarios, and for n
/// nodes with r kinds of resource, c classes, R running and W waiting jobs with p nodes together at most (68 + 8 r) n +
/// 208 c + 4 R + 112 W + 8 p + 900 bytes. A scenario costs as much as there, O(nodes) for each search for room of a
/// job, and O(nodes + parts of the running jobs) at each instant at which a job might overtake; a job that found no
/// room is looked at again only when a node has become free on which one of its tasks finds room.
pub struct NodeForecast<'a> {
    state: &'a mut State,
    slices: Slices<'a>,
}

impl<'a> Object<'a> for NodeForecast<'a> {
    const KIND: Kind = Kind::NodeForecast;
    type Head = Header;
    type Capacity = NodeForecastCapacity;
    type State = State;
    type Parts = Slices<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &NodeForecastCapacity) -> Result<Slices<'a>> {
        capacity.check()?;
        let [nodes, classes, resources, running, waiting] =
            [capacity.nodes, capacity.classes, capacity.resources, capacity.running, capacity.waiting]
                .map(|count| count as usize);
        Ok(Slices {
            times: <Forecast as Object>::parts(carver, &capacity.of_times())?,
            now: Floor::parts(carver, nodes, classes, resources)?,
            later: Floor::parts(carver, nodes, classes, resources)?,
            handles: carver.take(running)?,
            waiting: carver.take(waiting)?,
            parts: carver.take(capacity.parts as usize)?,
            freed: carver.take(nodes)?,
            ranked: carver.take(nodes)?,
            found: carver.take(nodes)?,
        })
    }

    fn capacity_in(state: &State) -> Result<NodeForecastCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, slices: Slices<'a>) -> Result<NodeForecast<'a>> {
        let like = state.times.capacity == state.capacity.of_times();
        let sound =
            (state.times.phase == 0 || like) && state.times.sound() && state.parts <= state.capacity.parts;
        if sound { Ok(NodeForecast { state, slices }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(NodeForecast, made with NodeForecastCapacity);

impl NodeForecast<'_> {
    /// The forecast of times inside.
    fn times(&mut self) -> Forecast<'_> {
        Forecast { state: &mut self.state.times, parts: self.slices.times.lend() }
    }

    fn answers(&self) -> Answers<'_> {
        Answers::new(&self.state.times, self.slices.times.starts)
    }

    /// Begins a forecast at time `now` (seconds since any origin, within 2^53 of it). Forgets the last forecast.
    /// O(nodes + classes).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an absurd time, options out of their ranges or with more than one reservation, or a
    /// machine with more nodes or classes, or other resources, than the capacity; [`Error::NotANumber`].
    pub fn begin(&mut self, nodes: &Nodes, now: i64, options: &ForecastOptions) -> Result<()> {
        let capacity = self.state.capacity;
        let like = nodes.count() <= capacity.nodes
            && nodes.state.classes <= capacity.classes
            && nodes.capacity().resources == capacity.resources;
        if !like || options.reservations > 1 {
            return Err(Error::OutOfRange);
        }
        let before = core::mem::replace(&mut self.state.times.capacity, capacity.of_times());
        if let Err(error) = self.times().begin(now, UNCOUNTED, options) {
            self.state.times.capacity = before;
            return Err(error);
        }
        (self.state.changes, self.state.parts) = (nodes.state.changes, 0);
        self.slices.now.describe(nodes)?;
        self.slices.later.describe(nodes)
    }

    fn filling(&self, nodes: &Nodes) -> Result<()> {
        let filling = self.state.times.phase == FILLING && self.state.changes == nodes.state.changes;
        if filling { Ok(()) } else { Err(Error::WrongState) }
    }

    /// Adds a running job by its handle on the machine: its age, its time limit (both in seconds, 0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)) and its predicted run time. Returns its index. A job added twice
    /// would give its nodes back twice: each is added once. O(releases).
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::OutOfRange`]; [`Error::SpanTooLong`]; [`Error::Full`], also for a distribution
    /// with more bins than the capacity; [`Error::WrongState`] unless the forecast has begun and does not run yet, and
    /// the machine is as it was then.
    pub fn add_running(
        &mut self,
        nodes: &Nodes,
        handle: u32,
        age: i64,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_running_by(nodes, handle, age, limit, runtime.view())
    }

    /// See [`NodeForecast::add_running`].
    pub(crate) fn add_running_by(
        &mut self,
        nodes: &Nodes,
        handle: u32,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        self.filling(nodes)?;
        nodes.job(handle)?;
        let index = self.times().enter_running(0, age, limit, runtime)?;
        *at_mut(self.slices.handles, index)? = handle;
        Ok(index)
    }

    /// Adds a waiting job behind those added before: its request, the order in which nodes are tried for it, the number
    /// of processors that the priorities of the options count for it, its time limit in seconds (0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)), the time of its submission, past or future, and its predicted run
    /// time. Returns its index. With [`Fit::Apart`] those nodes come last on which the head job finds room when it is
    /// planned to start. O(releases).
    ///
    /// # Errors
    /// As [`NodeForecast::add_running`] and [`Nodes::fits`]; [`Error::SpanTooLong`] also for a submission so far ahead;
    /// [`Error::Full`] also when the waiting jobs' nodes are more than the capacity.
    #[allow(clippy::too_many_arguments)] // the description of a job
    pub fn add_waiting(
        &mut self,
        nodes: &Nodes,
        request: &Request,
        fit: Fit,
        processors: u32,
        limit: i64,
        submit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_waiting_by(nodes, request, fit, processors, limit, submit, runtime.view())
    }

    /// See [`NodeForecast::add_waiting`].
    #[allow(clippy::too_many_arguments)] // the description of a job
    pub(crate) fn add_waiting_by(
        &mut self,
        nodes: &Nodes,
        request: &Request,
        fit: Fit,
        processors: u32,
        limit: i64,
        submit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        self.filling(nodes)?;
        let request = RawRequest::new(request, self.state.capacity.resources)?;
        let room = request.count.min(nodes.count());
        if room > self.state.capacity.parts.saturating_sub(self.state.parts) {
            return Err(Error::Full);
        }
        let index = self.times().enter_waiting([0, processors], limit, submit, runtime)?;
        let slot = self.state.parts;
        *at_mut(self.slices.waiting, index)? = Waiting::new(request, fit, slot, room);
        self.state.parts += room;
        Ok(index)
    }

    /// Plays scenarios until all are played, or about `work` steps are done: a step is an event, a job looked at, an
    /// eighth of a node looked at. One instant of a scenario is never interrupted. The answers do not depend on `work`.
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`NodeForecast::begin`], and when the machine has changed since;
    /// [`Error::OutOfRange`] for no work.
    pub fn run(&mut self, nodes: &Nodes, work: u64) -> Result<Progress> {
        if self.state.times.phase == 0 || self.state.changes != nodes.state.changes {
            return Err(Error::WrongState);
        }
        if work == 0 {
            return Err(Error::OutOfRange);
        }
        if self.state.times.phase == FILLING {
            self.bar_those_without_room(nodes)?;
        }
        let slices = &mut self.slices;
        let mut ahead = Ahead {
            nodes,
            now: slices.now.lend(),
            later: slices.later.lend(),
            running: self.state.capacity.running as usize,
            handles: &*slices.handles,
            waiting: &mut *slices.waiting,
            parts: &mut *slices.parts,
            freed: &mut *slices.freed,
            count: &mut self.state.freed,
            ranked: &mut *slices.ranked,
            found: &mut *slices.found,
        };
        let mut times = Forecast { state: &mut self.state.times, parts: slices.times.lend() };
        times.run_on(&mut ahead, work)
    }

    /// Bars the waiting jobs for which there is no room when all running jobs have ended.
    fn bar_those_without_room(&mut self, nodes: &Nodes) -> Result<()> {
        let slices = &mut self.slices;
        for handle in range(slices.handles, 0, self.state.times.running as usize)? {
            let count = nodes.placement(*handle, slices.found)?;
            slices.now.give(&nodes.job(*handle)?.request, range(slices.found, 0, count)?)?;
        }
        for index in 0..self.state.times.waiting as usize {
            let request = at(self.slices.waiting, index)?.request;
            if !self.slices.now.view()?.has_room(&request)? {
                self.times().bar(index)?;
            }
        }
        Ok(())
    }

    /// The starts of a waiting job in all scenarios, in increasing order, in seconds since the forecast's begin;
    /// `i64::MAX` for a job for which there is no room when all running jobs have ended.
    ///
    /// # Errors
    /// As [`Forecast::starts`].
    pub fn starts(&self, job: usize) -> Result<&[i64]> {
        self.answers().starts(job)
    }

    /// The estimate of [`Forecast::start_quantile`].
    ///
    /// # Errors
    /// As [`Forecast::start_quantile`].
    pub fn start_quantile(&self, job: usize, probability: f64) -> Result<Estimate<i64>> {
        self.answers().start_quantile(job, probability)
    }

    /// The estimate of [`Forecast::start_probability`].
    ///
    /// # Errors
    /// As [`Forecast::start_probability`].
    pub fn start_probability(&self, job: usize, when: i64) -> Result<Estimate<f64>> {
        self.answers().start_probability(job, when)
    }

    /// The estimate of [`Forecast::start_mean`].
    ///
    /// # Errors
    /// As [`Forecast::start_mean`].
    pub fn start_mean(&self, job: usize) -> Result<Estimate<f64>> {
        self.answers().start_mean(job)
    }

    /// Seconds since the origin at which the forecast began.
    pub fn now(&self) -> i64 {
        self.state.times.now
    }

    /// Number of waiting jobs added so far.
    pub fn waiting(&self) -> usize {
        self.state.times.waiting as usize
    }
}
