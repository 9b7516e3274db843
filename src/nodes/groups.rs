//! Groups of like nodes, as a plan counts them: the free amount of each kind on all of a group's nodes together, and
//! the number of nodes that are free as a whole.
//!
//! A job that fits the nodes beside the running jobs fits these sums: free amounts are rounded up, those that a job
//! takes are rounded down. A job that fits the sums need not fit the nodes: before it starts the plan checks the nodes
//! themselves, and finds on them its first possible start beside the running jobs ([`NodePlan`](super::NodePlan)).

use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut};
use crate::nodes::machine::Nodes;
use crate::nodes::request::{MAX_RESOURCES, Part, RawRequest};
use crate::plan::{Free, POINTS, Profile};
use bytemuck::{Pod, Zeroable};

/// Largest number of groups.
const GROUPS: usize = 8;

/// Largest number of sums: one for each group and kind, and one for the whole nodes of each group.
const SUMS: usize = 32;

/// Bits of a sum: the units of a machine's sums are chosen so that they stay below 2^28.
const BITS: u32 = 28;

/// Units of a whole node. Small tasks take a part of one.
const WHOLE: u32 = 1 << 12;

/// Sums of the free amounts at an instant.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Sums([u32; SUMS]);

/// Sums in full, while they are added up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Totals([u64; SUMS]);

/// The sums that a job takes of each group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)] // These are scratch.
#[repr(C)]
pub(crate) struct Demand {
    count: u32,
    /// Number of sums of each group.
    stride: u8,
    /// Whether it takes whole nodes, and looks at their number alone; then it is 1.
    whole: u8,
    reserved: [u8; 2],
    /// The groups that have the resources of the job, in the order in which it takes them; [`GROUPS`] at the end.
    groups: [u8; GROUPS],
    /// The part of a group's sums that a task takes.
    task: [u32; SUMS],
}

impl Demand {
    /// The groups in which the job may be, each with the range of its sums.
    #[inline]
    fn places(&self) -> impl Iterator<Item = (usize, core::ops::Range<usize>)> + '_ {
        let stride = usize::from(self.stride);
        let groups = self.groups.iter().map(|&group| usize::from(group)).take_while(|&group| group < GROUPS);
        groups.map(move |group| (group, group * stride..(group + 1) * stride))
    }
}

impl Free for Sums {
    type Demand = Demand;
    /// Tasks by group.
    type Rooms = [u32; GROUPS];

    #[inline]
    fn rooms(&self, demand: &Demand) -> Option<[u32; GROUPS]> {
        let mut rooms = [0; GROUPS];
        let mut found = 0_u32;
        for (group, range) in demand.places() {
            let sums = self.0.get(range.clone()).zip(demand.task.get(range));
            let Some((Some((nodes, kinds)), Some((part, task)))) =
                sums.map(|(free, task)| (free.split_last(), task.split_last()))
            else {
                break;
            };
            let room = if demand.whole != 0 {
                nodes.checked_div(*part).unwrap_or(demand.count)
            } else {
                let pairs = kinds.iter().zip(task).filter(|&(_, &task)| task > 0);
                pairs.fold(demand.count, |room, (free, task)| {
                    let all = u64::from(*task) * u64::from(room);
                    if all <= u64::from(*free) { room } else { free.checked_div(*task).unwrap_or(room) }
                })
            };
            let room = room.min(demand.count);
            found = found.saturating_add(room);
            if let Some(slot) = rooms.get_mut(group) {
                *slot = room;
            }
        }
        (found >= demand.count).then_some(rooms)
    }

    #[inline]
    fn narrow(rooms: &mut [u32; GROUPS], other: &[u32; GROUPS], demand: &Demand) -> bool {
        let mut found = 0_u32;
        for (room, other) in rooms.iter_mut().zip(other) {
            *room = (*room).min(*other);
            found = found.saturating_add(*room);
        }
        found >= demand.count
    }

    #[inline]
    fn take(&mut self, demand: &Demand, rooms: &[u32; GROUPS]) {
        let mut missing = demand.count;
        for (group, range) in demand.places() {
            let tasks = rooms.get(group).copied().unwrap_or(0).min(missing);
            missing -= tasks;
            let sums = self.0.get_mut(range.clone()).zip(demand.task.get(range));
            for (free, task) in sums.into_iter().flat_map(|(free, task)| free.iter_mut().zip(task)) {
                *free = free.saturating_sub(task.saturating_mul(tasks));
            }
            if missing == 0 {
                break;
            }
        }
    }

    fn is_exhausted(&self) -> bool {
        self.0.iter().all(|&sum| sum == 0)
    }
}

/// The sums from each instant on.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SumsOverTime {
    times: [u32; POINTS],
    free: [Sums; POINTS],
    count: u32,
    reserved: u32,
}

impl Profile for SumsOverTime {
    type Free = Sums;

    #[inline]
    fn steps(&self) -> (&[u32; POINTS], &[Sums; POINTS], usize) {
        (&self.times, &self.free, self.count as usize)
    }

    #[inline]
    fn steps_mut(&mut self) -> (&mut [u32; POINTS], &mut [Sums; POINTS], &mut u32) {
        (&mut self.times, &mut self.free, &mut self.count)
    }
}

impl SumsOverTime {
    /// Resets to these sums, for ever.
    pub(super) fn begin(&mut self, sums: &Sums) {
        (self.times[0], self.free[0], self.count) = (0, *sums, 1);
    }

    /// Adds a step: these sums are free from this instant on, which is not before the last step.
    pub(super) fn add(&mut self, instant: u32, sums: &Sums) {
        let last = (self.count as usize).saturating_sub(1);
        let place = if self.times.get(last) == Some(&instant) { last } else { last + 1 };
        if let (Some(time), Some(free)) = (self.times.get_mut(place), self.free.get_mut(place)) {
            (*time, *free) = (instant, *sums);
            self.count = place as u32 + 1;
        }
    }
}

/// Group of a class of nodes.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Grouped {
    group: u32,
    /// Number of its open nodes.
    nodes: u32,
}

/// Groups of a machine, with their units and order.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Groups {
    stride: u32,
    count: u32,
    /// Amounts of each kind are counted in units of 2^shift.
    shift: [u32; MAX_RESOURCES],
    /// The groups in the order in which jobs take them: those with the fewest kinds of resource first, then with the
    /// fewest features.
    order: [u32; GROUPS],
}

impl Groups {
    /// Groups the classes of a machine: one each, the classes of the fewest nodes together where they are too many.
    pub(super) fn new(nodes: &Nodes, classes: &mut [Grouped]) -> Result<Groups> {
        let resources = nodes.state.capacity.resources as usize;
        let stride = resources + 1;
        let most = SUMS.checked_div(stride).unwrap_or(1).clamp(1, GROUPS);
        classes.iter_mut().for_each(|class| *class = Grouped::zeroed());
        let mut total = [0_u64; MAX_RESOURCES];
        for node in nodes.slices.nodes.iter().take(nodes.state.nodes as usize).filter(|node| node.open != 0) {
            at_mut(classes, node.class as usize)?.nodes += 1;
            let class = at(nodes.slices.classes, node.class as usize)?;
            for (total, all) in total.iter_mut().zip(class.capacity) {
                *total += u64::from(all);
            }
        }
        let shift = total.map(|total| (u64::BITS - total.leading_zeros()).saturating_sub(BITS));
        let known = nodes.state.classes as usize;
        let classes = classes.get_mut(..known).ok_or(Error::Corrupt)?;
        classes.iter_mut().for_each(|class| class.group = u32::MAX);
        for group in 1..most as u32 {
            // The class of the most nodes that has no group yet, the first of equal ones.
            let left = classes.iter_mut().filter(|class| class.group == u32::MAX);
            let next = left.reduce(|best, class| if class.nodes > best.nodes { class } else { best });
            next.into_iter().for_each(|class| class.group = group - 1);
        }
        let last = most as u32 - 1;
        classes.iter_mut().for_each(|class| class.group = class.group.min(last));
        let count = known.min(most);
        let mut ranked = [(u32::MAX, 0_u32); GROUPS];
        for (class, grouped) in nodes.slices.classes.iter().zip(&*classes) {
            let kinds = class.capacity.iter().filter(|&&all| all > 0).count() as u32;
            let rank = at_mut(&mut ranked, grouped.group as usize)?;
            rank.0 = rank.0.min(kinds * 64 + class.features.count_ones());
        }
        ranked.iter_mut().zip(0..).for_each(|(rank, group)| rank.1 = group);
        for end in 1..count {
            let rank = *at(&ranked, end)?;
            let place = ranked.iter().take(end).take_while(|&&other| other <= rank).count();
            heap::insert(ranked.get_mut(..=end).unwrap_or(&mut []), place, rank);
        }
        let order = ranked.map(|(_, group)| group);
        Ok(Groups { stride: stride as u32, count: count as u32, shift, order })
    }

    /// Bits that amounts of a kind lose.
    fn lost(&self, kind: usize) -> u32 {
        self.shift.get(kind).copied().unwrap_or(0).min(31)
    }

    /// The demand of a request: the sums it takes of each group, the least over the group's classes. `classes` are
    /// those of [`Groups::new`]. O(classes).
    pub(super) fn demand(&self, nodes: &Nodes, classes: &[Grouped], request: &RawRequest) -> Result<Demand> {
        let stride = self.stride as usize;
        let mut demand = Demand {
            count: request.count,
            stride: stride as u8,
            whole: request.alone().into(),
            reserved: [0; 2],
            groups: [GROUPS as u8; GROUPS],
            task: [u32::MAX; SUMS],
        };
        let mut fits = [false; GROUPS];
        let known = nodes.slices.classes.iter().take(nodes.state.classes as usize);
        for (class, grouped) in known.zip(classes).filter(|(_, grouped)| grouped.nodes > 0) {
            let most = request.room(&class.capacity, 0);
            if most == 0 || class.features & request.features != request.features {
                continue;
            }
            let group = grouped.group as usize;
            *at_mut(&mut fits, group)? = true;
            let task = demand.task.get_mut(group * stride..(group + 1) * stride);
            let (part, kinds) = task.and_then(|task| task.split_last_mut()).ok_or(Error::Corrupt)?;
            let mut share = 1;
            let amounts = request.each.iter().zip(&class.capacity);
            for ((kind, task), (&each, &all)) in kinds.iter_mut().enumerate().zip(amounts) {
                let amount = if request.alone() { all / most } else { each };
                *task = (*task).min(amount >> self.lost(kind));
                let parts = (u64::from(amount) * u64::from(WHOLE)).checked_div(all.into());
                share = share.max(parts.unwrap_or(0) as u32);
            }
            *part = (*part).min(if request.alone() { WHOLE / most } else { share.min(WHOLE) });
        }
        let able = self.order.iter().take(self.count as usize);
        let able = able.filter(|&&group| fits.get(group as usize).is_some_and(|&fits| fits));
        demand.groups.iter_mut().zip(able).for_each(|(slot, &group)| *slot = group as u8);
        Ok(demand)
    }

    /// The totals in the units of the sums.
    pub(super) fn sums(&self, totals: &Totals) -> Sums {
        let mut sums = Sums([0; SUMS]);
        let stride = self.stride as usize;
        for group in 0..self.count as usize {
            let range = group * stride..(group + 1) * stride;
            let pairs = sums.0.get_mut(range.clone()).zip(totals.0.get(range));
            for (kind, (sum, total)) in
                pairs.into_iter().flat_map(|(to, from)| to.iter_mut().zip(from)).enumerate()
            {
                let lost = if kind + 1 == stride { 0 } else { self.lost(kind) };
                *sum = u32::try_from(total.div_ceil(1 << lost)).unwrap_or(u32::MAX);
            }
        }
        sums
    }

    /// The sums of the nodes as they are now. O(nodes).
    pub(super) fn idle(&self, nodes: &Nodes, classes: &[Grouped]) -> Result<Totals> {
        let mut sums = Totals([0; SUMS]);
        for node in 0..nodes.state.nodes {
            let known = at(nodes.slices.nodes, node as usize)?;
            if known.open == 0 {
                continue;
            }
            let group = at(classes, known.class as usize)?.group;
            let free = nodes.free(node)?;
            self.give(&mut sums, group, &free, known.jobs == 0)?;
        }
        Ok(sums)
    }

    /// Adds amounts that become free on a node of this group; the node as a whole too, if no job is left on it.
    fn give(&self, sums: &mut Totals, group: u32, amounts: &[u32], whole: bool) -> Result<()> {
        let stride = self.stride as usize;
        let range = group as usize * stride..(group as usize + 1) * stride;
        let (last, kinds) =
            sums.0.get_mut(range).and_then(|sums| sums.split_last_mut()).ok_or(Error::Corrupt)?;
        kinds.iter_mut().zip(amounts).for_each(|(sum, &amount)| *sum = sum.saturating_add(amount.into()));
        *last = last.saturating_add(if whole { WHOLE.into() } else { 0 });
        Ok(())
    }

    /// Adds the amounts of a job that ends, which has these parts of a request; `after` is the machine without it.
    pub(super) fn release(
        &self,
        sums: &mut Totals,
        after: &Nodes,
        classes: &[Grouped],
        request: &RawRequest,
        parts: &[Part],
    ) -> Result<()> {
        for part in parts {
            let node = at(after.slices.nodes, part.node as usize)?;
            if node.open == 0 {
                continue;
            }
            let group = at(classes, node.class as usize)?.group;
            let amounts = if request.alone() {
                after.capacity_of(part.node)?
            } else {
                request.each.map(|each| each.saturating_mul(part.tasks))
            };
            self.give(sums, group, &amounts, node.jobs == 0)?;
        }
        Ok(())
    }
}
