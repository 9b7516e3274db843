//! A machine of nodes in the caller's memory: classes, nodes, free amounts, and the jobs with their parts.

use crate::error::{Error, Result};
use crate::memory::{Carver, Kind, Object, at, at_mut, range, range_mut};
use crate::nodes::request::{Amounts, HELD, MAX_RESOURCES, Part, RawRequest, Request};
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};

/// The largest number of nodes.
pub const MAX_NODES: u32 = 1 << 16;

/// The largest number of jobs on a machine.
pub(super) const MAX_JOBS: u32 = 1 << 20;

/// Generations of a place: a handle is the place times this, plus the times given back modulo this: below 2^31.
const GENERATIONS: u32 = (1 << 31) / MAX_JOBS;

/// The end of a list.
pub(super) const NONE: u32 = u32::MAX;

/// Capacities of [`Nodes`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NodesCapacity {
    /// Number of nodes (1 to [`MAX_NODES`]).
    pub nodes: u32,
    /// Number of classes of like nodes (1 to [`MAX_NODES`]).
    pub classes: u32,
    /// Number of kinds of resource on a node (1 to [`MAX_RESOURCES`]).
    pub resources: u32,
    /// Number of jobs that hold something (at most 2^20).
    pub jobs: u32,
    /// Number of pairs of a job and a node on which it holds something (at most 2^24).
    pub parts: u32,
}

impl Default for NodesCapacity {
    /// 1,024 nodes of 16 classes with 3 kinds of resource, 4,096 jobs, 16,384 pairs of a job and a node.
    fn default() -> NodesCapacity {
        NodesCapacity { nodes: 1024, classes: 16, resources: 3, jobs: 4096, parts: 1 << 14 }
    }
}

impl NodesCapacity {
    fn check(&self) -> Result<()> {
        let valid = (1..=MAX_NODES).contains(&self.nodes)
            && (1..=MAX_NODES).contains(&self.classes)
            && (1..=MAX_RESOURCES as u32).contains(&self.resources)
            && self.jobs <= MAX_JOBS
            && self.parts <= 1 << 24;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// The scalars at the head of a machine's block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub capacity: NodesCapacity,
    /// Number of nodes and classes added so far.
    pub nodes: u32,
    pub classes: u32,
    /// Number of jobs that hold something.
    jobs: u32,
    /// The first of the free places for jobs, and for parts; [`NONE`] for none. Places never used lie behind these.
    free_job: u32,
    free_part: u32,
    used_jobs: u32,
    used_parts: u32,
    /// Number of parts in use.
    parts: u32,
    reserved: u32,
    /// The resources of the whole machine, and their free amounts.
    pool: Amounts,
    pub pool_free: Amounts,
    /// Free amounts on all nodes together, by kind of resource.
    free: [u64; MAX_RESOURCES],
    /// Counts all changes, so that a pass notices changes of its machine since it began.
    pub changes: u64,
}

impl State {
    /// A machine without nodes.
    pub(super) fn begin(&mut self, capacity: &NodesCapacity) {
        *self = State { capacity: *capacity, free_job: NONE, free_part: NONE, ..State::zeroed() };
    }
}

/// Nodes that are alike.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Class {
    pub features: u64,
    pub capacity: Amounts,
    /// 1 over the capacity; 0 where there is none.
    pub share: [f64; MAX_RESOURCES],
}

/// A node, beside what is free on it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Node {
    pub class: u32,
    /// Number of jobs on it; [`HELD`] when one holds it alone.
    pub jobs: u32,
    /// The site's order of nodes, then the demand for it by other jobs: nodes with less come first, whatever is left on
    /// them.
    pub weight: u32,
    pub sought: u16,
    /// Whether jobs may be placed on it.
    pub open: u16,
}

/// A job's request and its parts.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Job {
    pub request: RawRequest,
    /// The first of its parts, and their number; a free place has no part, and the next free place here.
    pub first: u32,
    pub parts: u32,
    /// Generation of its place, the second half of its handle.
    generation: u32,
    reserved: u32,
}

/// A part in the list of a job's parts.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Link {
    pub part: Part,
    pub next: u32,
    reserved: u32,
}

/// A node ranked for a placement: the least wanted comes first. All numbers are complements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ranked {
    /// Degree to which it is avoided, then its place in the site's order.
    pub rank: u64,
    /// Amount left on it after a task, as the bits of a number that is not negative.
    pub left: u64,
    pub node: u64,
}

/// The slices of a machine's block.
pub(crate) struct Slices<'a> {
    pub classes: &'a mut [Class],
    pub nodes: &'a mut [Node],
    /// Free amounts, a row of resources for each node.
    pub free: &'a mut [u32],
    pub jobs: &'a mut [Job],
    pub links: &'a mut [Link],
    /// Scratch in which nodes are ranked for a placement.
    pub ranked: &'a mut [Ranked],
}

/// A machine of nodes.
///
/// [`Nodes::add_class`] and [`Nodes::add_nodes`] describe it; [`Nodes::place`] finds nodes for a request,
/// [`Nodes::allocate`] takes them and [`Nodes::release`] gives them back. A node's resources of one kind are one
/// amount: which of its GPUs a job has, and whether halves of two GPUs are one, is not modelled.
///
/// The memory needed is [`Nodes::size`]: for n nodes with r kinds of resource, c classes, j jobs and p parts
/// (40 + 4 r) n + 104 c + 104 j + 16 p + 330 bytes, and less than 64 for rounding.
pub struct Nodes<'a> {
    pub(super) state: &'a mut State,
    pub(super) slices: Slices<'a>,
}

impl<'a> Object<'a> for Nodes<'a> {
    const KIND: Kind = Kind::Nodes;
    type Head = Sealed;
    type Capacity = NodesCapacity;
    type State = State;
    type Parts = Slices<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &NodesCapacity) -> Result<Slices<'a>> {
        capacity.check()?;
        let nodes = capacity.nodes as usize;
        Ok(Slices {
            classes: carver.take(capacity.classes as usize)?,
            nodes: carver.take(nodes)?,
            free: carver.take(nodes * capacity.resources as usize)?,
            jobs: carver.take(capacity.jobs as usize)?,
            links: carver.take(capacity.parts as usize)?,
            ranked: carver.take(nodes)?,
        })
    }

    fn capacity_in(state: &State) -> Result<NodesCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, slices: Slices<'a>) -> Result<Nodes<'a>> {
        let capacity = &state.capacity;
        let sound = state.nodes <= capacity.nodes
            && state.classes <= capacity.classes
            && state.jobs <= state.used_jobs
            && state.used_jobs <= capacity.jobs
            && state.parts <= state.used_parts
            && state.used_parts <= capacity.parts;
        if sound { Ok(Nodes { state, slices }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Nodes, checkpoint);

impl<'a> Nodes<'a> {
    /// Bytes that a machine with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &NodesCapacity) -> Result<usize> {
        <Nodes as Object>::size(capacity)
    }

    /// Makes a machine without nodes in this memory, which may be longer than needed. O(size).
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::OutOfRange`].
    pub fn init(memory: &'a mut [u8], capacity: &NodesCapacity) -> Result<Nodes<'a>> {
        let (state, slices) = Nodes::create(memory, capacity)?;
        state.begin(capacity);
        Ok(Nodes { state, slices })
    }

    /// The capacities.
    pub fn capacity(&self) -> &NodesCapacity {
        &self.state.capacity
    }

    /// Number of nodes of the machine.
    pub fn count(&self) -> u32 {
        self.state.nodes
    }

    /// Number of jobs that hold something.
    pub fn jobs(&self) -> u32 {
        self.state.jobs
    }

    fn changed(&mut self) {
        self.state.changes = self.state.changes.wrapping_add(1);
    }

    /// Adds a class of nodes with these features (bits of the site's own meaning) and this capacity. Returns its index.
    /// O(1).
    ///
    /// # Errors
    /// [`Error::Full`]; [`Error::OutOfRange`] for amounts of resources that the capacity does not count.
    pub fn add_class(&mut self, features: u64, capacity: &Amounts) -> Result<u32> {
        let index = self.state.classes;
        if index >= self.state.capacity.classes {
            return Err(Error::Full);
        }
        if capacity.iter().skip(self.state.capacity.resources as usize).any(|&amount| amount != 0) {
            return Err(Error::OutOfRange);
        }
        let share = capacity.map(|amount| if amount == 0 { 0.0 } else { 1.0 / f64::from(amount) });
        *at_mut(self.slices.classes, index as usize)? = Class { features, capacity: *capacity, share };
        self.state.classes += 1;
        Ok(index)
    }

    /// Adds empty nodes of a class. Returns the index of the first. O(count).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`] for the class; [`Error::Full`].
    pub fn add_nodes(&mut self, class: u32, count: u32) -> Result<u32> {
        let known = range(self.slices.classes, 0, self.state.classes as usize)?;
        let like = *known.get(class as usize).ok_or(Error::NoSuchIndex)?;
        let first = self.state.nodes;
        if count > self.state.capacity.nodes.saturating_sub(first) {
            return Err(Error::Full);
        }
        let stride = self.state.capacity.resources as usize;
        for node in first as usize..(first + count) as usize {
            *at_mut(self.slices.nodes, node)? = Node { class, jobs: 0, open: 1, weight: 0, sought: 0 };
            for (free, amount) in
                range_mut(self.slices.free, node * stride, stride)?.iter_mut().zip(like.capacity)
            {
                *free = amount;
            }
        }
        for (free, amount) in self.state.free.iter_mut().zip(like.capacity) {
            *free = free.wrapping_add(u64::from(amount) * u64::from(count));
        }
        self.state.nodes += count;
        self.changed();
        Ok(first)
    }

    /// Sets the resources of the whole machine, such as licences. O(1).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for less than is in use.
    pub fn set_pool(&mut self, amounts: &Amounts) -> Result<()> {
        let mut free = *amounts;
        for (free, (all, left)) in free.iter_mut().zip(self.state.pool.iter().zip(self.state.pool_free)) {
            *free = free.checked_sub(all.saturating_sub(left)).ok_or(Error::OutOfRange)?;
        }
        (self.state.pool, self.state.pool_free) = (*amounts, free);
        self.changed();
        Ok(())
    }

    /// Opens a node for new jobs, or closes it (drained, down). Jobs on it stay until they are released. O(1).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn set_open(&mut self, node: u32, open: bool) -> Result<()> {
        let nodes = range_mut(self.slices.nodes, 0, self.state.nodes as usize)?;
        nodes.get_mut(node as usize).ok_or(Error::NoSuchIndex)?.open = u16::from(open);
        self.changed();
        Ok(())
    }

    /// Free amounts on a node, kind by kind; 0 on a node that one job holds alone. O(1).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn free(&self, node: u32) -> Result<Amounts> {
        let nodes = range(self.slices.nodes, 0, self.state.nodes as usize)?;
        let known = nodes.get(node as usize).ok_or(Error::NoSuchIndex)?;
        let mut free = Amounts::default();
        if known.jobs != HELD {
            for (amount, &left) in free.iter_mut().zip(self.row(node)?) {
                *amount = left;
            }
        }
        Ok(free)
    }

    /// The capacity of a node, kind by kind. O(1).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn capacity_of(&self, node: u32) -> Result<Amounts> {
        let nodes = range(self.slices.nodes, 0, self.state.nodes as usize)?;
        let known = nodes.get(node as usize).ok_or(Error::NoSuchIndex)?;
        Ok(at(self.slices.classes, known.class as usize)?.capacity)
    }

    /// Free amounts of the whole machine's resources.
    pub fn pool_free(&self) -> Amounts {
        self.state.pool_free
    }

    pub(super) fn row(&self, node: u32) -> Result<&[u32]> {
        let stride = self.state.capacity.resources as usize;
        range(self.slices.free, node as usize * stride, stride)
    }

    /// Whether tasks of this request may be put on a node, were it empty enough.
    pub(super) fn admits(&self, request: &RawRequest, node: u32) -> Result<bool> {
        let node = at(self.slices.nodes, node as usize)?;
        let class = at(self.slices.classes, node.class as usize)?;
        Ok(node.open != 0 && class.features & request.features == request.features)
    }

    /// Number of tasks that find room on a node now.
    pub(super) fn room(&self, request: &RawRequest, node: u32) -> Result<u32> {
        if !self.admits(request, node)? {
            return Ok(0);
        }
        Ok(request.room(self.row(node)?, at(self.slices.nodes, node as usize)?.jobs))
    }

    /// Calls `each` for every node on which a task finds room, in order, with the node, its class, its free amounts and
    /// the number of tasks that find room; stops when `each` returns true.
    pub(super) fn each_room(
        &self,
        request: &RawRequest,
        mut each: impl FnMut(u32, &Class, &[u32], u32) -> Result<bool>,
    ) -> Result<()> {
        let stride = self.state.capacity.resources as usize;
        let mut rows = &*self.slices.free;
        let known = range(self.slices.nodes, 0, self.state.nodes as usize)?;
        for (index, node) in known.iter().enumerate() {
            let (row, rest) = rows.split_at_checked(stride).ok_or(Error::Corrupt)?;
            rows = rest;
            let room = if node.open != 0 { request.room(row, node.jobs) } else { 0 };
            if room == 0 {
                continue;
            }
            let class = at(self.slices.classes, node.class as usize)?;
            if class.features & request.features == request.features && each(index as u32, class, row, room)?
            {
                break;
            }
        }
        Ok(())
    }

    /// Whether the free amounts of all nodes together suffice for a request: necessary, and quickly checked.
    pub(super) fn may_fit(&self, request: &RawRequest) -> bool {
        let enough = |(need, free): (&u32, &u64)| u64::from(*need) * u64::from(request.count) <= *free;
        request.pool.iter().zip(&self.state.pool_free).all(|(need, free)| need <= free)
            && request.each.iter().zip(&self.state.free).all(enough)
    }

    /// Whether a request fits what is free. O(nodes).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a request without tasks, with too many, or with unknown resources.
    pub fn fits(&self, request: &Request) -> Result<bool> {
        self.has_room(&RawRequest::new(request, self.state.capacity.resources)?)
    }

    pub(super) fn has_room(&self, request: &RawRequest) -> Result<bool> {
        if !self.may_fit(request) {
            return Ok(false);
        }
        let mut rooms = 0u64;
        let mut fits = false;
        self.each_room(request, |_, _, _, room| {
            rooms += u64::from(room);
            fits = rooms >= u64::from(request.count);
            Ok(fits)
        })?;
        Ok(fits)
    }

    /// Whether a request could ever be placed: it fits the machine with all its nodes empty, those closed left out.
    /// O(nodes).
    ///
    /// # Errors
    /// As [`Nodes::fits`].
    pub fn could_fit(&self, request: &Request) -> Result<bool> {
        let request = RawRequest::new(request, self.state.capacity.resources)?;
        let mut rooms = 0u64;
        for node in 0..self.state.nodes {
            if self.admits(&request, node)? {
                rooms += u64::from(request.room(&self.capacity_of(node)?, 0));
            }
        }
        let pool = request.pool.iter().zip(&self.state.pool).all(|(need, all)| need <= all);
        Ok(pool && rooms >= u64::from(request.count))
    }

    /// Whether there is room now on these nodes for as many tasks as the request has.
    pub(super) fn accepts(&self, request: &RawRequest, parts: &[Part]) -> Result<bool> {
        let mut tasks = 0u64;
        let mut next = 0;
        for part in parts {
            if part.node >= self.state.nodes {
                return Err(Error::NoSuchIndex);
            }
            if part.node < next || part.tasks == 0 {
                return Err(Error::OutOfRange);
            }
            if part.tasks > self.room(request, part.node)? {
                return Ok(false);
            }
            next = part.node + 1;
            tasks += u64::from(part.tasks);
        }
        let pool = request.pool.iter().zip(&self.state.pool_free).all(|(need, free)| need <= free);
        Ok(pool && tasks == u64::from(request.count))
    }

    /// Takes the resources of a request on these nodes. Returns the job's handle, below 2^31, which is unknown after
    /// [`Nodes::release`] until its place has been taken 2,048 times more. O(parts).
    ///
    /// # Errors
    /// As [`Nodes::fits`]; [`Error::NoSuchIndex`] for a node; [`Error::OutOfRange`] unless the nodes come in increasing
    /// order, each with a task; [`Error::DoesNotFit`] when a node has too little free, is closed or lacks a feature, or
    /// when the number of tasks differs; [`Error::Full`].
    pub fn allocate(&mut self, request: &Request, parts: &[Part]) -> Result<u32> {
        let request = RawRequest::new(request, self.state.capacity.resources)?;
        self.take(&request, parts)
    }

    pub(super) fn take(&mut self, request: &RawRequest, parts: &[Part]) -> Result<u32> {
        if !self.accepts(request, parts)? {
            return Err(Error::DoesNotFit);
        }
        let state = &*self.state;
        let left = state.capacity.parts.saturating_sub(state.parts);
        if state.jobs >= state.capacity.jobs || parts.len() > left as usize {
            return Err(Error::Full);
        }
        for part in parts {
            self.take_part(request, *part)?;
        }
        let mut first = NONE;
        for part in parts.iter().rev() {
            let place = if self.state.free_part == NONE {
                self.state.used_parts += 1;
                self.state.used_parts - 1
            } else {
                self.state.free_part
            };
            let link = at_mut(self.slices.links, place as usize)?;
            if self.state.free_part == place {
                self.state.free_part = link.next;
            }
            *link = Link { part: *part, next: first, reserved: 0 };
            first = place;
        }
        let place = if self.state.free_job == NONE {
            self.state.used_jobs += 1;
            self.state.used_jobs - 1
        } else {
            self.state.free_job
        };
        let job = at_mut(self.slices.jobs, place as usize)?;
        let mut generation = 0;
        if self.state.free_job == place {
            (self.state.free_job, generation) = (job.first, job.generation % GENERATIONS);
        }
        *job = Job { request: *request, first, parts: parts.len() as u32, generation, reserved: 0 };
        for (free, amount) in self.state.pool_free.iter_mut().zip(request.pool) {
            *free = free.saturating_sub(amount);
        }
        self.state.jobs += 1;
        self.state.parts += parts.len() as u32;
        self.changed();
        Ok(place * GENERATIONS + generation)
    }

    pub(super) fn take_part(&mut self, request: &RawRequest, part: Part) -> Result<()> {
        let stride = self.state.capacity.resources as usize;
        let row = range_mut(self.slices.free, part.node as usize * stride, stride)?;
        for ((free, all), each) in row.iter_mut().zip(&mut self.state.free).zip(request.each) {
            let amount = each.saturating_mul(part.tasks);
            *free = free.checked_sub(amount).ok_or(Error::Corrupt)?;
            *all = all.saturating_sub(u64::from(amount));
        }
        let node = at_mut(self.slices.nodes, part.node as usize)?;
        node.jobs = request.joined(node.jobs);
        Ok(())
    }

    pub(super) fn put_back(&mut self, request: &RawRequest, part: Part) -> Result<()> {
        let stride = self.state.capacity.resources as usize;
        let row = range_mut(self.slices.free, part.node as usize * stride, stride)?;
        for ((free, all), each) in row.iter_mut().zip(&mut self.state.free).zip(request.each) {
            let amount = each.saturating_mul(part.tasks);
            *free = free.saturating_add(amount);
            *all = all.wrapping_add(u64::from(amount));
        }
        let node = at_mut(self.slices.nodes, part.node as usize)?;
        node.jobs = request.left(node.jobs);
        Ok(())
    }

    pub(super) fn job(&self, handle: u32) -> Result<&Job> {
        let jobs = range(self.slices.jobs, 0, self.state.used_jobs as usize)?;
        let here = |job: &&Job| job.parts != 0 && job.generation == handle % GENERATIONS;
        let job = jobs.get((handle / GENERATIONS) as usize).filter(here).ok_or(Error::UnknownJob)?;
        // No list is longer than there are places for parts, even in a damaged block.
        if job.parts <= self.state.capacity.parts { Ok(job) } else { Err(Error::Corrupt) }
    }

    /// Gives back all resources that a job holds. O(its nodes).
    ///
    /// # Errors
    /// [`Error::UnknownJob`].
    pub fn release(&mut self, handle: u32) -> Result<()> {
        let job = *self.job(handle)?;
        let mut place = job.first;
        for _ in 0..job.parts {
            let link = *at(self.slices.links, place as usize)?;
            self.put_back(&job.request, link.part)?;
            at_mut(self.slices.links, place as usize)?.next = self.state.free_part;
            self.state.free_part = place;
            place = link.next;
        }
        for (free, amount) in self.state.pool_free.iter_mut().zip(job.request.pool) {
            *free = free.saturating_add(amount);
        }
        let place = handle / GENERATIONS;
        let slot = at_mut(self.slices.jobs, place as usize)?;
        (slot.parts, slot.first) = (0, self.state.free_job);
        slot.generation = (slot.generation + 1) % GENERATIONS;
        self.state.free_job = place;
        self.state.jobs = self.state.jobs.saturating_sub(1);
        self.state.parts = self.state.parts.saturating_sub(job.parts);
        self.changed();
        Ok(())
    }

    /// Writes the parts of a job to `out` and returns their number. O(its nodes).
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::Full`] when `out` is too short.
    pub fn placement(&self, handle: u32, out: &mut [Part]) -> Result<usize> {
        let job = self.job(handle)?;
        let out = out.get_mut(..job.parts as usize).ok_or(Error::Full)?;
        let mut place = job.first;
        for part in out.iter_mut() {
            let link = at(self.slices.links, place as usize)?;
            (*part, place) = (link.part, link.next);
        }
        Ok(out.len())
    }
}
