//! Pools as a forecast counts them: by units, or by whole nodes where every job takes whole ones.

use super::machine::{Node, NodeState};
use super::object::Scheduler;
use super::wants::Wants;
use crate::error::Result;
use crate::nodes::Spread;

/// The units of a pool.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Units {
    pub all: u32,
    pub idle: u32,
    /// Number of units that jobs hold beyond those that there are.
    pub debt: u32,
}

impl Scheduler<'_> {
    /// The units of a pool: in one of nodes whole nodes, and `None` unless its nodes are alike and every job of it
    /// takes whole ones, whichever they are. O(jobs x queues + nodes + parts).
    pub(super) fn counted(&self, pool: u32, now: i64) -> Result<Option<Units>> {
        let here = self.pool_at(pool)?;
        if !here.is_of_nodes() {
            return Ok(Some(Units { all: here.units, idle: self.idle(pool)?, debt: here.debt() }));
        }
        let mut units = Units::default();
        let mut first: Option<&Node> = None;
        for node in self.parts.nodes.iter().filter(|node| node.pool == pool) {
            let Some(state) = node.state(now).filter(|&state| state != NodeState::Down) else { continue };
            if node.amounts != first.get_or_insert(node).amounts {
                return Ok(None);
            }
            units.all += u32::from(state != NodeState::Closed);
            units.idle += u32::from(state == NodeState::Up);
        }
        let Some(first) = first else { return Ok(Some(units)) };
        let mut kinds = u32::MAX;
        let jobs = self.parts.table.waiting().iter().chain(self.parts.table.active());
        for &slot in jobs {
            let job = self.parts.table.get(slot)?;
            if job.pool != pool {
                continue;
            }
            let mut queues = job.queues.iter().take(job.queue_count as usize);
            let listed =
                |&queue: &u32| self.parts.queues.get(queue as usize).is_none_or(|queue| queue.listed != 0);
            kinds &= filled(&self.parts.holdings.ask(slot).wants(), first);
            if queues.any(listed) || kinds == 0 {
                return Ok(None);
            }
            if job.holds() == 0 {
                continue;
            }
            self.parts.holdings.each(slot, |part| {
                match self.parts.nodes.get(part.node as usize).and_then(|node| node.state(now)) {
                    Some(NodeState::Up) => units.idle = units.idle.saturating_sub(1),
                    // The node does not come back.
                    _ => units.debt += 1,
                }
            })?;
        }
        Ok(Some(units))
    }

    /// Number of units that a job wants, or holds, in this count.
    pub(super) fn units_of(&self, slot: u32) -> Result<u32> {
        let job = self.parts.table.get(slot)?;
        let of_nodes = self.pool_at(job.pool)?.is_of_nodes();
        Ok(match (of_nodes, job.state().has_room()) {
            (false, false) => job.width,
            (false, true) => job.holds(),
            (true, true) if job.holds() == 0 => 0,
            (true, true) => self.parts.holdings.ask(slot).held().max(1),
            (true, false) => job.count,
        })
    }
}

/// The kinds of resource, a bit each, of which a job's task on a node like this one leaves too little for another such
/// task; all bits for a job that is alone on its nodes, none where it has several tasks on one or cannot be on every
/// node. Jobs that have one in common do not share nodes.
fn filled(wants: &Wants, node: &Node) -> u32 {
    let pairs = || wants.each.iter().zip(&node.amounts);
    let anywhere = wants.features == 0 && wants.any == 0 && wants.without == 0 && wants.reservation == 0;
    let licensed = wants.licences.iter().any(|&amount| amount > 0);
    if !anywhere || licensed || !pairs().all(|(each, has)| each <= has) {
        return 0;
    }
    let most = |(&each, &has): (&u32, &u32)| has > 0 && u64::from(each) * 2 > u64::from(has);
    let kinds = pairs().zip(0..).fold(0, |kinds, (pair, bit)| kinds | u32::from(most(pair)) << bit);
    let alone = wants.exclusive && (wants.spread == Spread::Nodes || kinds != 0);
    if alone { u32::MAX } else { kinds }
}
