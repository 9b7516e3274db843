//! The plan of the whole queue ([`crate::plan`]) on a machine of nodes.

use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{Carver, Kind, Object, at_mut, range, range_mut};
use crate::nodes::asked::Asked;
use crate::nodes::floor::Floor;
use crate::nodes::groups::{Demand, Grouped, Groups, SumsOverTime};
use crate::nodes::guard::Ending;
use crate::nodes::licences::Licences;
use crate::nodes::machine::{MAX_NODES, Nodes, Ranked};
use crate::nodes::request::{Fit, MAX_RESOURCES, Part, RawRequest, Request};
use crate::nodes::timeline::Timeline;
use crate::plan::{
    Arranged, Guarded, KeptOrder, LONGEST, PROFILES, PlanRule, PlanWork, Queue, Rank, UNPLANNED, WINDOW,
    Waiting, WaitingJob, seconds, up,
};
use crate::schedule::RecentWaits;
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};

/// Capacities of a [`NodePlan`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NodePlanCapacity {
    /// Nodes of the machine (1 to [`MAX_NODES`]).
    pub nodes: u32,
    /// Classes of like nodes (1 to [`MAX_NODES`]).
    pub classes: u32,
    /// Kinds of resource on a node (1 to [`MAX_RESOURCES`]).
    pub resources: u32,
    /// Running jobs (at most 2^20).
    pub running: u32,
    /// Waiting jobs (1 to 2^20).
    pub waiting: u32,
    /// Nodes of the running and waiting jobs, together: the tasks of each, or the machine's nodes where these are fewer
    /// (at most 2^24).
    pub parts: u32,
}

impl Default for NodePlanCapacity {
    /// 1,024 nodes of 16 classes with 3 kinds of resource, 1,024 running and 256 waiting jobs, 4,096 nodes of these
    /// jobs together.
    fn default() -> NodePlanCapacity {
        NodePlanCapacity { nodes: 1024, classes: 16, resources: 3, running: 1024, waiting: 256, parts: 4096 }
    }
}

impl NodePlanCapacity {
    fn check(&self) -> Result<()> {
        let valid = (1..=MAX_NODES).contains(&self.nodes)
            && (1..=MAX_NODES).contains(&self.classes)
            && (1..=MAX_RESOURCES as u32).contains(&self.resources)
            && self.running <= 1 << 20
            && (1..=1 << 20).contains(&self.waiting)
            && self.parts <= 1 << 24;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// The scalars at the head of a plan's block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: NodePlanCapacity,
    pub(super) running: u32,
    pub(super) waiting: u32,
    pub(super) started: u32,
    /// Whether the jobs added since the last `begin` have been planned.
    pub(super) planned: u32,
    /// Number of parts of the jobs that start.
    pub(super) parts: u32,
    pub(super) evaluations: u32,
    pub(super) steps: u64,
    /// The changes of the machine at the beginning.
    pub(super) changes: u64,
    pub(super) groups: Groups,
    pub(super) kept: KeptOrder,
    /// Whether a job leaves room on its nodes for others.
    pub(super) shared: u32,
    /// Whether a plan is made even if no job fits now.
    pub(super) anyway: u32,
    /// The job to which the last plan promised a wait, its number plus 1, and that wait; 0 for none.
    pub(super) promised_to: u32,
    pub(super) promised: u32,
    /// The guarded job's number plus 1; 0 for none.
    pub(super) front: u32,
    pub(super) reserved: u32,
}

/// The slices behind the scalars.
pub(crate) struct Slices<'a> {
    pub(super) profiles: &'a mut [SumsOverTime],
    /// Demands of the jobs of the window.
    pub(super) demands: &'a mut [Demand],
    pub(super) classes: &'a mut [Grouped],
    pub(super) running: &'a mut [Ending],
    pub(super) limited: &'a mut [Ending],
    pub(super) waiting: &'a mut [Waiting],
    pub(super) asked: &'a mut [Asked],
    pub(super) ranked: &'a mut [Rank],
    pub(super) starting: &'a mut [u32],
    pub(super) parts: &'a mut [Part],
    pub(super) timeline: Timeline<'a>,
    pub(super) licences: Licences<'a>,
    pub(super) later: Floor<'a>,
    pub(super) nodes: &'a mut [Ranked],
    pub(super) found: &'a mut [Part],
}

/// A plan of the jobs that wait for a machine of nodes: a start for every one of them, and nodes for those that start
/// now. From pass to pass it keeps an order and the state of its generator.
///
/// A pass is [`NodePlan::begin`], then [`NodePlan::add_running`] and [`NodePlan::add_waiting`] for all jobs, the
/// waiting ones in the order of submission, then [`NodePlan::decide`].
///
/// The search is that of a [`Plan`](crate::plan::Plan), on the sums of free amounts in at most eight groups of like
/// nodes. No job of the window is planned before it fits the nodes beside the running jobs, and none starts that does
/// not fit them; the sums do not show conflicts of waiting jobs over nodes. While the job that has waited longest is in
/// front, or the head job has a promise, only jobs start that leave room for it on the nodes at the time of its
/// reservation by the limits, or end by then.
pub struct NodePlan<'a> {
    pub(super) state: &'a mut State,
    pub(super) slices: Slices<'a>,
}

impl<'a> Object<'a> for NodePlan<'a> {
    const KIND: Kind = Kind::NodePlan;
    type Head = Sealed;
    type Capacity = NodePlanCapacity;
    type State = State;
    type Parts = Slices<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &NodePlanCapacity) -> Result<Slices<'a>> {
        capacity.check()?;
        let [nodes, classes, resources, running, waiting] =
            [capacity.nodes, capacity.classes, capacity.resources, capacity.running, capacity.waiting]
                .map(|count| count as usize);
        Ok(Slices {
            profiles: carver.take(PROFILES)?,
            classes: carver.take(classes)?,
            running: carver.take(running)?,
            limited: carver.take(running + waiting)?,
            waiting: carver.take(waiting)?,
            asked: carver.take(waiting)?,
            ranked: carver.take(waiting)?,
            starting: carver.take(waiting)?,
            parts: carver.take(capacity.parts as usize)?,
            timeline: Timeline::parts(carver, nodes, 2 * capacity.parts as usize)?,
            licences: Licences::parts(carver)?,
            later: Floor::parts(carver, nodes, classes, resources)?,
            nodes: carver.take(nodes)?,
            found: carver.take(nodes)?,
            demands: carver.take(WINDOW)?, // These are scratch.
        })
    }

    fn capacity_in(state: &State) -> Result<NodePlanCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, slices: Slices<'a>) -> Result<NodePlan<'a>> {
        let capacity = &state.capacity;
        let sound = state.running <= capacity.running
            && state.waiting <= capacity.waiting
            && state.started <= state.waiting
            && state.parts <= capacity.parts
            && state.kept.is_sound();
        if sound { Ok(NodePlan { state, slices }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(NodePlan, checkpoint);

impl<'a> NodePlan<'a> {
    /// Bytes that a plan with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &NodePlanCapacity) -> Result<usize> {
        <NodePlan as Object>::size(capacity)
    }

    /// Makes an empty plan in this memory, which may be longer than needed; `seed` is its generator's. O(size).
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::OutOfRange`].
    pub fn init(memory: &'a mut [u8], capacity: &NodePlanCapacity, seed: u64) -> Result<NodePlan<'a>> {
        let (state, slices) = NodePlan::create(memory, capacity)?;
        state.capacity = *capacity;
        state.kept = KeptOrder::new(seed);
        Ok(NodePlan { state, slices })
    }

    /// Makes a plan that is scratch and never sealed, with an order to keep: see [`NodePlan::init`]. O(1).
    pub(crate) fn init_scratch(
        memory: &'a mut [u8],
        capacity: &NodePlanCapacity,
        kept: &KeptOrder,
    ) -> Result<NodePlan<'a>> {
        let (state, slices) = NodePlan::create_uncleared(memory, capacity)?;
        (state.capacity, state.kept) = (*capacity, *kept);
        Ok(NodePlan { state, slices })
    }

    /// The order that is kept.
    pub(crate) fn kept(&self) -> &KeptOrder {
        &self.state.kept
    }

    /// The capacities.
    pub fn capacity(&self) -> NodePlanCapacity {
        self.state.capacity
    }

    /// Copies the kept order and the generator's state to another block, for example a larger one. O(1).
    pub fn continue_in(&self, other: &mut NodePlan<'_>) {
        other.state.kept = self.state.kept;
    }

    /// Begins a pass on this machine. O(nodes x kinds + classes).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a machine with more nodes or classes, or other resources, than the capacity.
    pub fn begin(&mut self, nodes: &Nodes) -> Result<()> {
        let capacity = &self.state.capacity;
        let own = nodes.capacity();
        let fits = nodes.count() <= capacity.nodes
            && nodes.state.classes <= capacity.classes
            && own.resources == capacity.resources;
        if !fits {
            return Err(Error::OutOfRange);
        }
        self.slices.later.describe(nodes)?;
        self.state.groups = Groups::new(nodes, self.slices.classes)?;
        self.state.changes = nodes.state.changes;
        (self.state.running, self.state.waiting, self.state.started, self.state.planned) = (0, 0, 0, 0);
        (self.state.parts, self.state.shared, self.state.anyway, self.state.front) = (0, 0, 0, 0);
        Ok(())
    }

    /// Lets the next [`NodePlan::decide`] plan the queue even if no job fits now.
    pub(crate) fn plan_anyway(&mut self) {
        self.state.anyway = 1;
    }

    /// Adds a running job by the machine's handle, with its expected end and its end by its limit, both in seconds from
    /// now; less than one counts as one. O(classes).
    ///
    /// # Errors
    /// [`Error::WrongState`] when the machine has changed since [`NodePlan::begin`]; [`Error::UnknownJob`] for a handle
    /// of no job; [`Error::Full`]; [`Error::OutOfRange`], [`Error::SpanTooLong`] for a span.
    pub fn add_running(&mut self, nodes: &Nodes, handle: u32, ends_in: i64, limit_in: i64) -> Result<()> {
        self.check(nodes)?;
        let request = nodes.job(handle)?.request;
        let (ends_in, limit_in) = (seconds(ends_in)?.max(1), seconds(limit_in)?.max(1));
        let place = self.state.running as usize;
        if self.state.running >= self.state.capacity.running {
            return Err(Error::Full);
        }
        *at_mut(self.slices.running, place)? = Ending { after: up(ends_in), job: handle };
        *at_mut(self.slices.limited, place)? = Ending { after: limit_in, job: handle };
        self.state.shared |= u32::from(!takes_whole(nodes, &request));
        self.state.running += 1;
        Ok(())
    }

    /// Adds a waiting job, after all that were submitted before it; returns its number in this pass, from 0 up. Its
    /// `processors` are only compared with those of the others. O(classes).
    ///
    /// # Errors
    /// As [`NodePlan::add_running`] and [`Nodes::fits`].
    pub fn add_waiting(
        &mut self,
        nodes: &Nodes,
        job: &WaitingJob,
        request: &Request,
        fit: Fit,
    ) -> Result<usize> {
        self.check(nodes)?;
        let request = RawRequest::new(request, self.state.capacity.resources)?;
        let waiting = Waiting::new(job)?;
        let number = self.state.waiting as usize;
        if self.state.waiting >= self.state.capacity.waiting {
            return Err(Error::Full);
        }
        *at_mut(self.slices.waiting, number)? = waiting;
        self.state.shared |= u32::from(!takes_whole(nodes, &request));
        *at_mut(self.slices.asked, number)? = Asked { request, fit: fit as u32, first: 0, parts: 0, from: 0 };
        self.state.waiting += 1;
        Ok(number)
    }

    /// Whether the machine is the one that the pass began with.
    pub(super) fn check(&self, nodes: &Nodes) -> Result<()> {
        if nodes.state.changes == self.state.changes { Ok(()) } else { Err(Error::WrongState) }
    }

    /// Plans the queue: afterwards [`NodePlan::starting`] returns the jobs that start now with their nodes. `recent`
    /// holds the waits of the jobs that were started, `counted` these waits with their credits; without credits it is
    /// `recent`.
    ///
    /// O(nodes) for each job until one is found that fits now; without one nothing is planned. Then, at most, (7 +
    /// proposals) x 64 x 337 steps for the window, each on the sums of up to eight groups; O(nodes + parts of the
    /// running jobs) for each request of the window; O(nodes x changes there) for each instant at which nodes are
    /// sought for a job of the window, 64 of them at most, and for each job beyond it that fits the sums now.
    ///
    /// # Errors
    /// As [`PlanRule::check`]; [`Error::WrongState`] when the machine has changed since [`NodePlan::begin`];
    /// [`Error::Full`] when the running jobs have more parts than the capacity; [`Error::Corrupt`]. Then no job starts,
    /// nothing is planned, and the kept order is the one before. A waiting job for whose parts there is no more room
    /// does not start.
    pub fn decide(
        &mut self,
        nodes: &Nodes,
        rule: &PlanRule,
        recent: &RecentWaits,
        counted: &RecentWaits,
    ) -> Result<()> {
        rule.check()?;
        self.check(nodes)?;
        let kept = self.state.kept;
        let made = self.make(nodes, rule, recent, counted);
        self.state.planned = u32::from(made.is_ok());
        if made.is_err() {
            self.state.kept = kept;
        }
        made
    }

    /// Makes the plan: see [`NodePlan::decide`].
    fn make(
        &mut self,
        nodes: &Nodes,
        rule: &PlanRule,
        recent: &RecentWaits,
        counted: &RecentWaits,
    ) -> Result<()> {
        let count = self.state.waiting as usize;
        (self.state.started, self.state.evaluations, self.state.steps) = (0, 0, 0);
        (self.state.parts, self.state.promised_to) = (0, 0);
        let waiting = range_mut(self.slices.waiting, 0, count)?;
        waiting.iter_mut().for_each(|job| job.unplan());
        let asked = range(self.slices.asked, 0, count)?;
        let mut any = self.state.anyway != 0;
        for (job, asked) in waiting.iter().zip(asked) {
            any = any || !job.is_later() && nodes.has_room(&asked.request)?;
        }
        if !any {
            return Ok(());
        }
        self.fill(nodes)?;
        if self.starts_all(nodes)? {
            return Ok(());
        }
        let guarded = self.arrange(nodes, rule, recent, counted)?;
        self.start(nodes, guarded)
    }

    /// Makes the first profile: the free amounts beside the running jobs, which are sorted by their ends.
    fn fill(&mut self, nodes: &Nodes) -> Result<()> {
        let running = range_mut(self.slices.running, 0, self.state.running as usize)?;
        heap::sort(running)?;
        let groups = &self.state.groups;
        let mut totals = groups.idle(nodes, self.slices.classes)?;
        let profile = at_mut(self.slices.profiles, 0)?;
        profile.begin(&groups.sums(&totals));
        self.slices.later.copy(nodes)?;
        for ending in running.iter() {
            let parts = nodes.placement(ending.job, self.slices.found)?;
            let parts = range(self.slices.found, 0, parts)?;
            let request = nodes.job(ending.job)?.request;
            self.slices.later.give(&request, parts)?;
            groups.release(&mut totals, &self.slices.later.view()?, self.slices.classes, &request, parts)?;
            profile.add(ending.after, &groups.sums(&totals));
        }
        Ok(())
    }

    /// Puts the queue in order.
    fn arrange(
        &mut self,
        nodes: &Nodes,
        rule: &PlanRule,
        recent: &RecentWaits,
        counted: &RecentWaits,
    ) -> Result<Option<Guarded>> {
        let count = self.state.waiting as usize;
        let running = range(self.slices.running, 0, self.state.running as usize)?;
        let next_end = running.first().map_or(LONGEST, |ending| ending.after);
        let asked = range_mut(self.slices.asked, 0, count)?;
        asked.iter_mut().for_each(|asked| asked.from = 0);
        let (groups, classes) = (&self.state.groups, &*self.slices.classes);
        let (later, found) = (&mut self.slices.later, &mut *self.slices.found);
        // Result for the last request, reused for like jobs.
        let mut last: Option<(RawRequest, u32, Demand)> = None;
        let demand = |number: usize, job: &Waiting, inside: bool| {
            let asked = at_mut(asked, number)?;
            let request = asked.request;
            let (from, demand) = match last.filter(|(known, ..)| *known == request) {
                Some((_, from, demand)) => (from, demand),
                None => {
                    let from = if inside { first_room(nodes, later, found, running, &request)? } else { 0 };
                    let demand = groups.demand(nodes, classes, &request)?;
                    last = inside.then_some((request, from, demand));
                    (from, demand)
                }
            };
            asked.from = if job.is_later() { from.max(next_end) } else { from };
            Ok((demand, asked.from))
        };
        let mut queue = Queue {
            kept: &mut self.state.kept,
            profiles: self.slices.profiles,
            demands: self.slices.demands,
            waiting: range_mut(self.slices.waiting, 0, count)?,
            ranked: range_mut(self.slices.ranked, 0, count)?,
            placed: range_mut(self.slices.starting, 0, count)?,
        };
        let Arranged { guarded, placed, evaluations, steps } =
            queue.arrange(rule, recent, counted, demand)?;
        (self.state.started, self.state.evaluations, self.state.steps) = (placed, evaluations, steps);
        self.state.front = guarded.map_or(0, |(front, _)| front as u32 + 1);
        Ok(guarded)
    }

    /// The number of the guarded job, the front job or a head job with a promise, if there is one.
    pub(crate) fn guarded(&self) -> Option<usize> {
        self.state.front.checked_sub(1).map(|front| front as usize)
    }

    /// The jobs that start now, in the plan's order, each with its number and its nodes; none before
    /// [`NodePlan::decide`].
    pub fn starting(&self) -> impl Iterator<Item = (usize, &[Part])> {
        let started = if self.state.planned != 0 { self.state.started as usize } else { 0 };
        self.slices.starting.iter().take(started).filter_map(|&number| {
            let asked = self.slices.asked.get(number as usize)?;
            let parts = self.slices.parts.get(asked.first as usize..)?.get(..asked.parts as usize)?;
            Some((number as usize, parts))
        })
    }

    /// The promise to the head job: see [`Plan::promised`](crate::plan::Plan::promised).
    pub fn promised(&self) -> Option<(usize, u32)> {
        let job = self.state.promised_to.checked_sub(1)?;
        Some((job as usize, self.state.promised))
    }

    /// The planned start of a waiting job, in seconds from now; `None` where the plan did not reach it, because it
    /// could not start now. It is a plan, not a promise: the next pass makes a new one.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn planned(&self, number: usize) -> Result<Option<u32>> {
        let waiting = self.slices.waiting.get(..self.state.waiting as usize).unwrap_or(&[]);
        let job = waiting.get(number).ok_or(Error::NoSuchIndex)?;
        Ok(Some(job.start).filter(|&start| start != UNPLANNED && self.state.planned != 0))
    }

    /// The cost of making the last plan.
    pub fn work(&self) -> PlanWork {
        PlanWork { evaluations: self.state.evaluations, steps: self.state.steps }
    }
}

/// Whether jobs of this request leave nothing usable on their nodes: nodes alone, or all of the first kind of resource.
/// O(classes).
fn takes_whole(nodes: &Nodes, request: &RawRequest) -> bool {
    let classes = nodes.slices.classes.iter().take(nodes.state.classes as usize);
    let mut able = classes.filter(|class| class.features & request.features == request.features);
    request.alone() || able.all(|class| class.capacity[0] > 0 && request.each[0] == class.capacity[0])
}

/// The first instant at which a request fits the nodes beside the running jobs, which are in the order of their ends.
/// O(nodes + parts).
fn first_room(
    nodes: &Nodes,
    floor: &mut Floor<'_>,
    found: &mut [Part],
    running: &[Ending],
    request: &RawRequest,
) -> Result<u32> {
    floor.copy(nodes)?;
    let mut rooms = floor.view()?.rooms(request)?;
    let mut instant = 0;
    for ending in running {
        if rooms >= u64::from(request.count) && ending.after > instant && floor.view()?.pool_has(request) {
            return Ok(instant);
        }
        let count = nodes.placement(ending.job, found)?;
        let parts = range(found, 0, count)?;
        let leaving = nodes.job(ending.job)?.request;
        let before = floor.view()?.rooms_on(request, parts)?;
        floor.give(&leaving, parts)?;
        let after = floor.view()?.rooms_on(request, parts)?;
        rooms = (rooms + after).saturating_sub(before);
        instant = ending.after;
    }
    let fits = rooms >= u64::from(request.count) && floor.view()?.pool_has(request);
    Ok(if fits { instant } else { LONGEST })
}
