//! The request of a job on a machine of nodes, and its placement.

use crate::error::{Error, Result};
use bytemuck::{Pod, Zeroable};

/// The largest number of kinds of resource, on nodes and of the whole machine.
pub const MAX_RESOURCES: usize = 8;

/// The largest number of tasks of one request.
pub const MAX_TASKS: u32 = 1 << 24;

/// Amounts of each kind of resource, in any whole unit (cores, MiB, thousandths of a GPU).
pub type Amounts = [u32; MAX_RESOURCES];

/// Distribution of the tasks of a request over nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Spread {
    /// One task on each node.
    #[default]
    Nodes = 0,
    /// Anywhere: several may share a node.
    Tasks = 1,
}

/// Order in which nodes are tried for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Fit {
    /// In the order of the nodes.
    First = 0,
    /// Nodes first on which the least would be left: the sum, over the kinds of resource, of the share of the node's
    /// capacity that is free after one task.
    #[default]
    Best = 1,
    /// Nodes first on which the head job's start would be disturbed in the fewest scenarios, by best fit among equal
    /// ones. Without a head job it is [`Fit::Best`].
    Apart = 2,
}

macro_rules! numbered {
    ($type:ident, $($value:ident),+) => {
        impl $type {
            /// The value with this number.
            ///
            /// # Errors
            /// [`Error::OutOfRange`].
            pub fn from_number(number: u32) -> Result<$type> {
                [$($type::$value),+].into_iter().find(|value| *value as u32 == number).ok_or(Error::OutOfRange)
            }
        }
    };
}
numbered!(Spread, Nodes, Tasks);
numbered!(Fit, First, Best, Apart);

/// The request of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// Number of tasks (1 to [`MAX_TASKS`]).
    pub count: u32,
    /// Distribution of the tasks over nodes.
    pub spread: Spread,
    /// Amounts that each task takes of its node.
    pub each: Amounts,
    /// Amounts that the whole job takes of the machine's own resources, such as licences.
    pub pool: Amounts,
    /// The features that a node's class must have, all of them.
    pub features: u64,
    /// Whether no other job may be on its nodes.
    pub exclusive: bool,
}

impl Request {
    /// Number of its tasks that an empty node with these amounts has room for, whatever its features.
    pub(crate) fn room_on(&self, amounts: &Amounts) -> u32 {
        RawRequest::new(self, MAX_RESOURCES as u32).map_or(0, |request| request.room(amounts, 0))
    }
}

/// Some of a job's tasks, on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Part {
    /// The node, from 0.
    pub node: u32,
    /// Tasks on it, at least 1; exactly 1 with [`Spread::Nodes`].
    pub tasks: u32,
}

/// A request as plain data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RawRequest {
    pub features: u64,
    pub each: Amounts,
    pub pool: Amounts,
    pub count: u32,
    spread: u32,
    exclusive: u32,
    reserved: u32,
}

/// Number of jobs of a node that one job holds alone.
pub(super) const HELD: u32 = u32::MAX;

impl RawRequest {
    /// Refuses a request with amounts of resources that the machine does not count.
    pub(super) fn new(request: &Request, resources: u32) -> Result<RawRequest> {
        let Request { count, spread, each, pool, features, exclusive } = *request;
        let unknown = each.iter().skip(resources as usize).any(|&amount| amount != 0);
        if !(1..=MAX_TASKS).contains(&count) || unknown {
            return Err(Error::OutOfRange);
        }
        let (spread, exclusive) = (spread as u32, u32::from(exclusive));
        Ok(RawRequest { features, each, pool, count, spread, exclusive, reserved: 0 })
    }

    pub(super) fn on_own_nodes(&self) -> bool {
        self.spread == Spread::Nodes as u32
    }

    pub(super) fn alone(&self) -> bool {
        self.exclusive != 0
    }

    /// Whether it takes any of the whole machine's own resources.
    pub(super) fn wants_pool(&self) -> bool {
        self.pool.iter().any(|&amount| amount > 0)
    }

    /// Number of tasks that find room on a node with these free amounts and this number of jobs; at most 1 on nodes of
    /// their own, at most the request's count anywhere. Features are checked elsewhere.
    #[inline]
    pub(super) fn room(&self, free: &[u32], jobs: u32) -> u32 {
        if jobs == HELD || (jobs != 0 && self.alone()) {
            return 0;
        }
        let mut needs = self.each.iter().zip(free).filter(|(need, _)| **need != 0);
        if self.on_own_nodes() {
            return u32::from(needs.all(|(need, free)| need <= free));
        }
        needs.fold(self.count, |room, (need, free)| room.min(free.checked_div(*need).unwrap_or(room)))
    }

    /// The jobs on a node after this one has joined `jobs` others.
    #[inline]
    pub(super) fn joined(&self, jobs: u32) -> u32 {
        if self.alone() { HELD } else { jobs.saturating_add(1) }
    }

    /// The jobs on a node after this one has left `jobs`.
    #[inline]
    pub(super) fn left(&self, jobs: u32) -> u32 {
        if self.alone() { 0 } else { jobs.saturating_sub(1) }
    }
}
