//! The machine of one decision, and the plan on it: built from a pool's nodes in the block.

use super::capacity::SchedulerCapacity;
use super::job::Why;
use super::machine::{NodeState, Requirement};
use super::object::Scheduler;
use super::order::Candidate;
use super::wants::Ask;
use crate::error::{Error, Result};
use crate::memory::{Carver, Object, at, at_mut, range, range_mut};
use crate::nodes::{Amounts, NodePlan, NodePlanCapacity, Nodes, NodesCapacity, Part, Request, Spread};
use crate::plan::{KeptOrder, WINDOW};
use crate::runtime::MAX_SECONDS;
use bytemuck::{Pod, Zeroable};

/// Number of different requirements that are distinguished: each is a bit of the machine's classes.
const REQUIREMENTS: usize = 64;

/// A queue as a bit of a mask.
fn queue_bit(queue: u32) -> u64 {
    1_u64.checked_shl(queue).unwrap_or(0)
}

/// Marks no bit: the requirement of a job for which none was left.
const NO_BIT: u8 = REQUIREMENTS as u8;

/// The machine in a cycle's memory. Requirements of jobs beside amounts (features, a queue, reservations) are checked
/// node by node, and each is one feature of the machine's classes.
pub(crate) struct Machine<'a> {
    nodes: &'a mut [u8],
    plan: &'a mut [u8],
    requirements: &'a mut [Requirement],
    /// Parts of the offered jobs.
    parts: &'a mut [Part],
    /// Parts of one job.
    found: &'a mut [Part],
    /// The jobs on the machine; their number, and the number of bits in use.
    stays: &'a mut [Stay],
    counts: &'a mut [u32],
    capacities: Capacities,
}

/// A job on the machine: its handle, and the seconds from now until its expected end and its end by its limit.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Stay {
    handle: u32,
    reserved: u32,
    ends_in: i64,
    limit_in: i64,
}

impl Stay {
    /// The stay of a job whose handle is not known yet.
    pub fn new(ends_in: i64, limit_in: i64) -> Stay {
        Stay { handle: 0, reserved: 0, ends_in, limit_in }
    }
}

/// The capacities of a machine and its plan.
#[derive(Clone, Copy)]
struct Capacities {
    nodes: NodesCapacity,
    plan: NodePlanCapacity,
}

impl Capacities {
    #[inline]
    fn of(capacity: &SchedulerCapacity) -> Capacities {
        let &SchedulerCapacity { jobs, nodes, kinds, parts, .. } = capacity;
        // Open offers count with the running jobs; the rest of a node that is awaited, or on which more runs than it
        // has, is held by a job of unknown origin.
        let running = jobs.saturating_mul(3).saturating_add(nodes.saturating_mul(2));
        let elsewhere = jobs.saturating_add(nodes.saturating_mul(2));
        let held = parts.saturating_mul(2).saturating_add(elsewhere);
        let planned = (WINDOW as u32).saturating_mul(nodes).min(parts.saturating_mul(2));
        // One node more, for jobs that hold licences and no node of the pool.
        let nodes = nodes.saturating_add(1);
        Capacities {
            nodes: NodesCapacity { nodes, classes: nodes, resources: kinds, jobs: running, parts: held },
            plan: NodePlanCapacity {
                nodes,
                classes: nodes,
                resources: kinds,
                running,
                waiting: jobs.saturating_mul(2),
                parts: held.saturating_add(planned),
            },
        }
    }
}

impl<'a> Machine<'a> {
    /// Room for the machine of a scheduler with this capacity; none where it has no nodes.
    pub fn carve(carver: &mut Carver<'a>, capacity: &SchedulerCapacity) -> Result<Machine<'a>> {
        let capacities = Capacities::of(capacity);
        let none = capacity.nodes == 0;
        let size = |size: Result<usize>| if none { Ok(0) } else { size };
        Ok(Machine {
            nodes: carver.take(size(Nodes::size(&capacities.nodes))?)?,
            plan: carver.take(size(NodePlan::size(&capacities.plan))?)?,
            requirements: carver.take(if none { 0 } else { REQUIREMENTS })?,
            parts: carver.take(capacity.parts as usize)?,
            found: carver.take(capacity.nodes as usize)?,
            stays: carver.take(if none { 0 } else { capacities.plan.running as usize })?,
            counts: carver.take(2)?,
            capacities,
        })
    }

    /// The same where the scheduler has no nodes, without measuring parts that it does not have.
    #[inline(always)]
    pub fn none(walk: &mut Carver<'a>, capacity: &SchedulerCapacity) -> Result<Machine<'a>> {
        Ok(Machine {
            nodes: &mut [],
            plan: &mut [],
            requirements: &mut [],
            parts: walk.take(capacity.parts as usize)?,
            found: &mut [],
            stays: &mut [],
            counts: walk.take(2)?,
            capacities: Capacities::of(capacity),
        })
    }

    /// The machine, and the plan on it.
    pub fn both(&mut self) -> Result<(Nodes<'_>, NodePlan<'_>)> {
        Ok((Nodes::whole(self.nodes)?, NodePlan::whole(self.plan)?))
    }

    /// Processors that are idle on the pool's open nodes. O(nodes).
    pub fn idle(&mut self) -> Result<u32> {
        Ok(u32::try_from(Nodes::whole(self.nodes)?.idle()).unwrap_or(u32::MAX))
    }

    /// Whether all bits are in use, so that there may be jobs for which none was left.
    pub fn is_crowded(&self) -> bool {
        self.counts.get(1).is_some_and(|&bits| bits as usize >= REQUIREMENTS)
    }

    /// The reason for which a candidate found no room when the decision began; [`Why::Unknown`] if there was. O(nodes).
    pub fn room_for(&mut self, scheduler: &Scheduler<'_>, candidate: &Candidate) -> Result<Why> {
        let nodes = Nodes::whole(self.nodes)?;
        let count = scheduler.parts.table.get(candidate.slot)?.count;
        let [bit, ..] = candidate.bits;
        let request = scheduler.parts.holdings.ask(candidate.slot).request(count, 1 << (bit & 63));
        if nodes.fits(&request)? {
            return Ok(Why::Unknown);
        }
        let unlicensed = Request { pool: Amounts::default(), ..request };
        let licences = request.pool != unlicensed.pool && nodes.fits(&unlicensed)?;
        Ok(if licences { Why::Licences } else { Why::NoRoom })
    }

    /// The plan that was begun.
    pub fn plan(&mut self) -> Result<NodePlan<'_>> {
        NodePlan::whole(self.plan)
    }

    /// Gives the requirements of the candidates, in each of their queues, a bit each; where these are more than there
    /// are bits, requirements that admit the same nodes share one. If that does not suffice those of the jobs submitted
    /// first have one. A requirement that no node could meet has none. O(candidates x (bits + nodes)), x bits where
    /// there are too many.
    pub fn require(
        &mut self,
        scheduler: &Scheduler<'_>,
        candidates: &mut [Candidate],
        now: i64,
    ) -> Result<usize> {
        let (count, all) = self.give_bits(scheduler, candidates, now, false)?;
        if all { Ok(count) } else { Ok(self.give_bits(scheduler, candidates, now, true)?.0) }
    }

    /// Gives the bits of [`Machine::require`]: returns their number, and whether they sufficed.
    fn give_bits(
        &mut self,
        scheduler: &Scheduler<'_>,
        candidates: &mut [Candidate],
        now: i64,
        shared: bool,
    ) -> Result<(usize, bool)> {
        let (mut count, mut all) = (0, true);
        let mut last: Option<Candidate> = None;
        for candidate in candidates {
            if let Some(same) = last.filter(|last| last.slot == candidate.slot) {
                candidate.bits = same.bits;
                continue;
            }
            let job = scheduler.parts.table.get(candidate.slot)?;
            candidate.bits = [NO_BIT; 8];
            let pool = job.pool;
            let admitted = |requirement: Requirement| {
                let nodes = scheduler.parts.nodes.iter();
                let own = nodes.filter(move |node| node.state != 0 && node.pool == pool);
                own.map(move |node| requirement.admits(node))
            };
            let queues = job.queues.iter().take(job.queue_count as usize);
            for (bit, &queue) in candidate.bits.iter_mut().zip(queues) {
                let wanted = scheduler.requirement(candidate.slot, queue, now)?;
                let known = range(self.requirements, 0, count)?;
                let same =
                    |known: &Requirement| *known == wanted || shared && admitted(*known).eq(admitted(wanted));
                if let Some(place) = known.iter().position(same) {
                    *bit = place as u8;
                } else if !admitted(wanted).any(|admits| admits) {
                    continue;
                } else if let Some(new) = self.requirements.get_mut(count) {
                    (*new, *bit) = (wanted, count as u8);
                    count += 1;
                } else {
                    all = false;
                }
            }
            last = Some(*candidate);
        }
        Ok((count, all))
    }

    /// Builds the pool's nodes without jobs, all of them open. O(nodes x (requirements + classes)).
    pub fn build(&mut self, scheduler: &Scheduler<'_>, pool: u32, requirements: usize) -> Result<()> {
        (*at_mut(self.counts, 0)?, *at_mut(self.counts, 1)?) = (0, requirements as u32);
        let mut nodes = Nodes::init_scratch(self.nodes, &self.capacities.nodes)?;
        let requirements = range(self.requirements, 0, requirements)?;
        let sparing = scheduler.settings().sparing;
        // A block that has grown may have more nodes.
        for node in scheduler.parts.nodes.iter().take(self.found.len()) {
            let mut admitted = 0_u64;
            if node.state == 0 || node.pool != pool {
                nodes.add_node(0, &Amounts::default())?;
                continue;
            }
            for (requirement, bit) in requirements.iter().zip(0..) {
                admitted |= u64::from(requirement.admits(node)) << bit;
            }
            let number = nodes.add_node(admitted, &node.amounts)?;
            let sought = if sparing { node.scarcity() } else { 0 };
            nodes.set_place(number, node.weight, sought)?;
        }
        if scheduler.licences() != Amounts::default() {
            nodes.add_node(0, &Amounts::default())?;
        }
        nodes.set_pool(&scheduler.licences())
    }

    /// Puts the job of this slot, of this pool or another, on the nodes reported, with this stay.
    pub fn board(&mut self, scheduler: &Scheduler<'_>, slot: u32, stay: Stay) -> Result<()> {
        let known = self.found.len();
        let count = scheduler.parts.holdings.parts(slot, self.found)?;
        let parts = range(self.found, 0, count)?;
        let count = parts.iter().take_while(|part| (part.node as usize) < known).count();
        self.take(&scheduler.parts.holdings.ask(slot), count, stay)
    }

    /// Puts an offered job, which counts as started, on the nodes offered.
    pub fn board_offer(&mut self, ask: &Ask, (first, count): (u32, u32), stay: Stay) -> Result<()> {
        let offered = range(self.parts, first as usize, count as usize)?;
        let parts = range_mut(self.found, 0, offered.len())?;
        parts.iter_mut().zip(offered).for_each(|(to, from)| *to = *from);
        self.take(ask, count as usize, stay)
    }

    /// Puts a job on the first `count` nodes found. Where more runs on a node than it has, no other job starts there; a
    /// job without a node of the pool holds its licences all the same.
    fn take(&mut self, ask: &Ask, count: usize, stay: Stay) -> Result<()> {
        let request = ask.request(1, 0);
        for place in 0..count {
            let part = *at(self.found, place)?;
            let mut nodes = Nodes::whole(self.nodes)?;
            let handle = if nodes.is_short_of(&request, part)? { nodes.fill(part.node)? } else { None };
            if let Some(handle) = handle {
                self.note(Stay { handle, ..stay })?;
            }
        }
        let mut nodes = Nodes::whole(self.nodes)?;
        let mut handle = nodes.board(&request, range_mut(self.found, 0, count)?)?;
        let known = self.found.len() as u32;
        if handle.is_none() && request.pool != Amounts::default() && nodes.count() > known {
            let apart =
                Request { spread: Spread::Tasks, each: Amounts::default(), exclusive: false, ..request };
            handle = nodes.board(&apart, &mut [Part { node: known, tasks: 1 }])?;
        }
        match handle {
            Some(handle) => self.note(Stay { handle, ..stay }),
            None => Ok(()),
        }
    }

    /// Notes a job on the machine.
    fn note(&mut self, stay: Stay) -> Result<()> {
        let count = at_mut(self.counts, 0)?;
        *at_mut(self.stays, *count as usize)? = stay;
        *count += 1;
        Ok(())
    }

    /// Begins a plan on the machine as it is now, with this kept order.
    pub fn plan_anew(&mut self, kept: &KeptOrder) -> Result<()> {
        let nodes = Nodes::whole(self.nodes)?;
        let mut plan = NodePlan::init_scratch(self.plan, &self.capacities.plan, kept)?;
        plan.begin(&nodes)?;
        for stay in range(self.stays, 0, *at(self.counts, 0)? as usize)? {
            plan.add_running(&nodes, stay.handle, stay.ends_in, stay.limit_in)?;
        }
        Ok(())
    }

    /// Keeps the nodes of the job with this number that starts, behind `used` parts of earlier offers; returns their
    /// number, `None` where there is no room for them.
    pub fn keep(&mut self, used: u32, number: u32) -> Result<Option<u32>> {
        let plan = NodePlan::whole(self.plan)?;
        let parts =
            plan.starting().find(|(starting, _)| *starting == number as usize).map(|(_, parts)| parts);
        let parts = parts.ok_or(Error::Corrupt)?;
        let Ok(to) = range_mut(self.parts, used as usize, parts.len()) else { return Ok(None) };
        to.iter_mut().zip(parts).for_each(|(to, from)| *to = *from);
        Ok(Some(parts.len() as u32))
    }

    /// The nodes of an offer.
    pub fn offered(&self, first: u32, count: u32) -> Result<&[Part]> {
        range(self.parts, first as usize, count as usize)
    }

    /// Chooses a candidate's queue: the first in which it fits now and no job submitted before it waits, by the bits of
    /// `waited`; else the first in which it fits now, else the first whose nodes could hold it. Writes it, and the bit
    /// of its nodes, into the candidate. Where it does not fit now its queue joins `waited`, which is `None` where no
    /// candidate has several queues. Returns whether any could hold it.
    pub fn choose(
        &mut self,
        scheduler: &Scheduler<'_>,
        candidate: &mut Candidate,
        waited: &mut Option<u64>,
    ) -> Result<bool> {
        let nodes = Nodes::whole(self.nodes)?;
        let job = scheduler.parts.table.get(candidate.slot)?;
        let ask = scheduler.parts.holdings.ask(candidate.slot);
        let (mut found, mut best) = (None, 0);
        for (&bit, &queue) in candidate.bits.iter().zip(&job.queues).take(job.queue_count as usize) {
            if bit == NO_BIT || best == 3 {
                continue;
            }
            let request = ask.request(job.count, 1 << bit);
            let worth = if job.queue_count > 1 && nodes.fits(&request)? {
                if waited.unwrap_or(0) & queue_bit(queue) == 0 { 3 } else { 2 }
            } else {
                u32::from(best == 0 && nodes.could_fit(&request)?)
            };
            if worth > best {
                (found, best) = (Some((bit, queue)), worth);
            }
        }
        if let Some((bit, queue)) = found {
            if let Some(waited) = waited {
                let fits =
                    best > 1 || job.queue_count == 1 && nodes.fits(&ask.request(job.count, 1 << bit))?;
                *waited |= if fits { 0 } else { queue_bit(queue) };
            }
            candidate.queue = queue;
            candidate.bits = [bit; 8];
        }
        Ok(found.is_some())
    }

    /// Closes the pool's nodes that are neither up nor awaited to new jobs; awaited ones are held until they are
    /// expected.
    pub fn close(&mut self, scheduler: &Scheduler<'_>, pool: u32, now: i64) -> Result<()> {
        let grace = scheduler.settings().grace as i64;
        for (node, number) in scheduler.parts.nodes.iter().zip(0..).take(self.found.len()) {
            let mut nodes = Nodes::whole(self.nodes)?;
            if node.pool != pool || !node.counts(now) {
                nodes.set_open(number, false)?;
            } else if node.state(now) == Some(NodeState::Awaited) {
                if let Some(handle) = nodes.fill(number)? {
                    // A node reported since the cycle began is awaited from now on.
                    let until = if node.until == 0 { now.saturating_add(grace) } else { node.until };
                    let ends_in = until.saturating_sub(now).min(MAX_SECONDS);
                    self.note(Stay { handle, reserved: 0, ends_in, limit_in: ends_in })?;
                }
            }
        }
        Ok(())
    }
}
