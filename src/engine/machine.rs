//! Nodes and their reservations, as they are reported and as the block keeps them, and the requirements of jobs.

use crate::nodes::Amounts;
use bytemuck::{Pod, Zeroable};

/// A node's state, as the manager reports it. The numbers are C's, and lie in checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum NodeState {
    /// Jobs may start on it.
    #[default]
    Up = 1,
    /// No new job may start on it: it is drained, or used from outside. Jobs on it go on.
    Closed = 2,
    /// It is expected to be up at some time: after a restart or a reconfiguration it is not registered yet, or it is
    /// powering up. It counts in every plan and reservation from that time on, and no job starts on it before it is up.
    Awaited = 3,
    /// It is out of service.
    Down = 4,
}

impl NodeState {
    /// The state with this number.
    pub fn from_number(number: u32) -> Option<NodeState> {
        use NodeState::*;
        [Up, Closed, Awaited, Down].into_iter().find(|state| *state as u32 == number)
    }
}

/// A node as it is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeReport {
    /// Its state.
    pub state: NodeState,
    /// Its name ([`hash`](super::hash)): another name under the same number is another node.
    pub name: i64,
    /// Time until which an awaited node is awaited; then it is down. 0 for [`Settings::grace`](super::Settings::grace)
    /// seconds from the next cycle on.
    pub until: i64,
    /// Its features: bits of the site's own meaning.
    pub features: u64,
    /// Its amounts, kind by kind.
    pub amounts: Amounts,
    /// Its weight: of the nodes that a job may have, those with the smallest weights come first.
    pub weight: u32,
}

/// A reservation of nodes. A job that may not use it ends before it begins, by its time limit, or runs elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation<'a> {
    /// Number of its pool.
    pub pool: u32,
    /// Key by which jobs name it ([`Wants::reservation`](super::Wants::reservation)); not 0.
    pub key: i64,
    /// Times of its begin and end.
    pub from: i64,
    /// See `from`.
    pub to: i64,
    /// Numbers of its nodes.
    pub nodes: &'a [u32],
}

/// Marks no pool, and no queue.
pub(super) const NOBODYS: u32 = u32::MAX;

/// A node as the block keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Node {
    pub name: i64,
    pub until: i64,
    pub features: u64,
    /// The queues that list their nodes and this one among them, and the reservations that it is in, a bit each.
    pub queues: u64,
    pub reservations: u64,
    pub amounts: Amounts,
    /// A [`NodeState`]; 0 for a number that no node has.
    pub state: u32,
    pub pool: u32,
    /// Demand by jobs that may not have every node: for each such job [`WHOLE`] divided by the number of nodes that it
    /// may have.
    pub sought: u32,
    pub weight: u32,
}

/// Share of a job that only one node suits. See [`Node::sought`].
const WHOLE: u32 = 1 << 20;

/// Sum from which all shares are halved: the last thousand jobs that seek the same node matter.
const MOST: u32 = 1 << 30;

impl Node {
    /// Its state at a time: a node awaited for too long is down.
    pub fn state(&self, now: i64) -> Option<NodeState> {
        match NodeState::from_number(self.state) {
            Some(NodeState::Awaited) if self.until <= now && self.until != 0 => Some(NodeState::Down),
            state => state,
        }
    }

    /// Whether it is awaited without a known end.
    pub fn is_awaited_for_ever(&self) -> bool {
        self.state == NodeState::Awaited as u32 && self.until == 0
    }

    /// The demand for it, in powers of two: nodes with about the same demand rank by what would be left on them.
    pub fn scarcity(&self) -> u32 {
        u32::BITS - self.sought.leading_zeros()
    }

    /// Whether jobs may be planned on it.
    pub fn counts(&self, now: i64) -> bool {
        matches!(self.state(now), Some(NodeState::Up | NodeState::Awaited))
    }

    /// Its amount of the first kind of resource; 0 if it is down.
    pub fn units(&self) -> u32 {
        let there = NodeState::from_number(self.state).is_some_and(|state| state != NodeState::Down);
        if there { self.amounts[0] } else { 0 }
    }

    /// Whether it lacks something that the other one has; other features count as such, as some jobs want to be
    /// without.
    pub fn lacks(&self, other: &Node) -> bool {
        let can_start = |node: &Node| node.state == NodeState::Up as u32;
        can_start(other) && !can_start(self)
            || other.features != self.features
            || self.amounts.iter().zip(other.amounts).any(|(own, other)| *own < other)
            || self.name != other.name
    }
}

/// A reservation as the block keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Booked {
    /// 0 for none.
    pub key: i64,
    pub from: i64,
    pub to: i64,
    pub pool: u32,
    pub reserved: u32,
}

/// Largest number of reservations: each is a bit of a node's.
pub(super) const MOST_RESERVATIONS: u32 = 64;

/// The properties of nodes on which a job's tasks may be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Requirement {
    pub features: u64,
    pub any: u64,
    pub without: u64,
    /// The node is in one of these reservations, if there are any, and in none of those in `crossed`.
    pub inside: u64,
    pub crossed: u64,
    /// The node is in this queue; [`NOBODYS`] for every node of the pool.
    pub queue: u32,
    /// Whether no node is admitted.
    pub nowhere: u32,
}

impl Requirement {
    /// Whether it admits every node of its pool that is in no reservation.
    pub fn is_none(&self) -> bool {
        let Requirement { features, any, without, queue, .. } = *self;
        (features, any, without, queue) == (0, 0, 0, NOBODYS)
    }

    /// Whether a node meets the requirement.
    pub fn admits(&self, node: &Node) -> bool {
        let in_queue = 1_u64.checked_shl(self.queue).is_none_or(|bit| node.queues & bit != 0);
        self.nowhere == 0
            && in_queue
            && node.features & self.features == self.features
            && (self.any == 0 || node.features & self.any != 0)
            && node.features & self.without == 0
            && (self.inside == 0 || node.reservations & self.inside != 0)
            && node.reservations & self.crossed == 0
    }
}

/// Notes the start of a job of a pool that might have the nodes that one of these requirements admits: where those are
/// not all of the pool's, they are sought. O(nodes x requirements).
pub(super) fn note_sought(nodes: &mut [Node], pool: u32, requirements: &[Requirement]) {
    let own = |node: &Node| node.state != 0 && node.pool == pool;
    let admitted = |node: &Node| own(node) && requirements.iter().any(|one| one.admits(node));
    let count = |is: &dyn Fn(&Node) -> bool| nodes.iter().filter(|node| is(node)).count() as u32;
    let (all, those) = (count(&own), count(&admitted));
    if those == all {
        return;
    }
    let share = WHOLE.checked_div(those).unwrap_or(0).max(1);
    let mut most = 0;
    for node in nodes.iter_mut().filter(|node| admitted(node)) {
        node.sought = node.sought.saturating_add(share);
        most = most.max(node.sought);
    }
    if most >= MOST {
        nodes.iter_mut().for_each(|node| node.sought /= 2);
    }
}

/// Whether all amounts are of the kinds that are counted.
pub(super) fn are_counted(amounts: &Amounts, kinds: u32) -> bool {
    amounts.iter().skip(kinds as usize).all(|&amount| amount == 0)
}
