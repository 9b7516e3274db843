//! Reports of nodes: their states, the queues and the reservations that they belong to, and the licences.

use super::job::{JOB_QUEUES, MAX_TIME};
use super::machine::{
    Booked, MOST_RESERVATIONS, NOBODYS, Node, NodeReport, NodeState, Requirement, Reservation, are_counted,
    note_sought,
};
use super::object::Scheduler;
use super::pools::{self, pool_mut};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range};
use crate::nodes::{Amounts, Part};
use bytemuck::Zeroable;

impl Scheduler<'_> {
    /// Sets a node of a pool of nodes: the report holds from now on. O(1).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`] for a pool that is not there or has counted units, and for a number beyond the capacity;
    /// [`Error::OutOfRange`] for amounts of kinds that the capacity does not count or beyond 2^31 - 1, and for an
    /// absurd time.
    pub fn set_node(&mut self, pool: u32, number: u32, report: &NodeReport) -> Result<()> {
        if !pools::pool(self.parts.pools, pool)?.is_of_nodes() {
            return Err(Error::NoSuchIndex);
        }
        let sane = report.amounts.iter().all(|&amount| amount <= i32::MAX as u32);
        let is_time = report.until.unsigned_abs() <= MAX_TIME as u64;
        if !sane || !is_time || !are_counted(&report.amounts, self.capacity().kinds) {
            return Err(Error::OutOfRange);
        }
        let old = *self.parts.nodes.get(number as usize).ok_or(Error::NoSuchIndex)?;
        let mut new = Node {
            name: report.name,
            until: if report.state == NodeState::Awaited { report.until } else { 0 },
            features: report.features,
            amounts: report.amounts,
            weight: report.weight,
            state: report.state as u32,
            pool,
            ..old
        };
        if old.state == new.state && old.name == new.name && report.until == 0 {
            // Awaited since the first such report.
            new.until = old.until;
        }
        if old.state != 0 && old.name != new.name {
            (new.queues, new.reservations, new.sought) = (0, 0, 0);
        }
        self.change_node(number, &new)
    }

    /// Sets the end of nodes awaited without a reported one, counted from now on. O(nodes).
    pub(super) fn await_nodes(&mut self, now: i64) {
        let until = now.saturating_add(self.settings().grace as i64);
        for node in self.parts.nodes.iter_mut().filter(|node| node.is_awaited_for_ever()) {
            node.until = until;
        }
    }

    /// Whether one of these nodes is awaited.
    pub(super) fn are_awaited(&self, parts: &[Part], now: i64) -> bool {
        let node = |part: &Part| self.parts.nodes.get(part.node as usize);
        parts.iter().filter_map(node).any(|node| node.state(now) == Some(NodeState::Awaited))
    }

    /// Notes in other pools that a job holds more than before, or has freed something: it may have licences, or be on
    /// nodes that have moved to them. O(pools + its nodes).
    pub(super) fn concern_others(&mut self, slot: u32, more: bool) -> Result<()> {
        let job = self.parts.table.get(slot)?;
        let own = job.pool;
        if !self.pool_at(own)?.is_of_nodes() {
            return Ok(());
        }
        let licensed = self.parts.holdings.ask(slot).wants().licences != Amounts::default();
        let mut concerned = if licensed { u64::MAX } else { 0 };
        let nodes = &*self.parts.nodes;
        self.parts.holdings.each(slot, |part| {
            let node = nodes.get(part.node as usize).filter(|node| node.state != 0);
            concerned |= node.and_then(|node| 1_u64.checked_shl(node.pool)).unwrap_or(0);
        })?;
        for (pool, number) in self.parts.pools.iter_mut().zip(0_u32..) {
            if number == own || !pool.is_of_nodes() || (concerned >> number.min(63)) & 1 == 0 {
                continue;
            }
            if more {
                pool.losses = pool.losses.wrapping_add(1);
            } else {
                (pool.changes, pool.stirred) = (pool.changes.wrapping_add(1), 1);
            }
        }
        Ok(())
    }

    /// Removes the node of this number. O(1).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn remove_node(&mut self, number: u32) -> Result<()> {
        self.parts.nodes.get(number as usize).ok_or(Error::NoSuchIndex)?;
        self.change_node(number, &Node { pool: NOBODYS, ..Node::zeroed() })
    }

    /// Counts the effects of a node's change in its pools.
    fn change_node(&mut self, number: u32, new: &Node) -> Result<()> {
        let old = core::mem::replace(at_mut(self.parts.nodes, number as usize)?, *new);
        if old == *new {
            return Ok(());
        }
        if old.state != 0 {
            let pool = pool_mut(self.parts.pools, old.pool)?;
            pool.units = pool.units.saturating_sub(old.units());
            pool.stirred = 1;
            if old.pool != new.pool || new.lacks(&old) {
                pool.losses = pool.losses.wrapping_add(1);
            }
        }
        if new.state != 0 {
            let pool = pool_mut(self.parts.pools, new.pool)?;
            pool.units = pool.units.saturating_add(new.units());
            pool.stirred = 1;
            if old.state == 0 || old.pool != new.pool || old.lacks(new) {
                pool.changes = pool.changes.wrapping_add(1);
            }
        }
        Ok(())
    }

    /// Limits a queue's jobs to these nodes of its pool; `None` for all of them, the default. O(nodes).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`] for a queue that is not there or whose pool has counted units, and for a number beyond
    /// the capacity; nothing is changed then.
    pub fn set_queue_nodes(&mut self, queue: u32, nodes: Option<&[u32]>) -> Result<()> {
        let known = self.parts.queues.get(queue as usize).filter(|queue| queue.used != 0);
        let pool = known.ok_or(Error::NoSuchIndex)?.pool;
        if !pools::pool(self.parts.pools, pool)?.is_of_nodes() {
            return Err(Error::NoSuchIndex);
        }
        let count = self.parts.nodes.len();
        if nodes.is_some_and(|nodes| nodes.iter().any(|&node| node as usize >= count)) {
            return Err(Error::NoSuchIndex);
        }
        let bit = 1_u64.checked_shl(queue).unwrap_or(0);
        let changed = self.mark(nodes.unwrap_or(&[]), |node| &mut node.queues, bit)?;
        let queue = at_mut(self.parts.queues, queue as usize)?;
        let listed = core::mem::replace(&mut queue.listed, u32::from(nodes.is_some()));
        if changed || listed != queue.listed {
            self.redrawn(pool)?;
        }
        Ok(())
    }

    /// Gives these nodes a bit, and no others; returns whether that changes anything, or a node is named twice.
    fn mark(&mut self, nodes: &[u32], bits: impl Fn(&mut Node) -> &mut u64, bit: u64) -> Result<bool> {
        let (mut had, mut have) = (0, 0);
        for node in self.parts.nodes.iter_mut() {
            had += usize::from(*bits(node) & bit != 0);
        }
        for &node in nodes {
            have += usize::from(*bits(at_mut(self.parts.nodes, node as usize)?) & bit != 0);
        }
        if had == have && have == nodes.len() {
            return Ok(false);
        }
        self.parts.nodes.iter_mut().for_each(|node| *bits(node) &= !bit);
        for &node in nodes {
            *bits(at_mut(self.parts.nodes, node as usize)?) |= bit;
        }
        Ok(true)
    }

    /// Notes that the nodes on which a pool's jobs may start have changed.
    fn redrawn(&mut self, pool: u32) -> Result<()> {
        let pool = pool_mut(self.parts.pools, pool)?;
        pool.stirred = 1;
        pool.losses = pool.losses.wrapping_add(1);
        pool.changes = pool.changes.wrapping_add(1);
        Ok(())
    }

    /// Sets the licences that the scheduler's jobs may hold together, kind by kind. O(pools).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an amount beyond 2^31 - 1.
    pub fn set_licences(&mut self, amounts: &Amounts) -> Result<()> {
        if amounts.iter().any(|&amount| amount > i32::MAX as u32) {
            return Err(Error::OutOfRange);
        }
        let old = core::mem::replace(&mut self.state.licences, *amounts);
        let less = amounts.iter().zip(old).any(|(new, old)| *new < old);
        let more = amounts.iter().zip(old).any(|(new, old)| *new > old);
        for pool in self.parts.pools.iter_mut().filter(|pool| pool.is_of_nodes()) {
            pool.losses = pool.losses.wrapping_add(less.into());
            pool.changes = pool.changes.wrapping_add(more.into());
            pool.stirred |= u32::from(less || more);
        }
        Ok(())
    }

    /// The licences that are set.
    pub fn licences(&self) -> Amounts {
        self.state.licences
    }

    /// Sets a reservation, replacing the one of this pool and key. O(nodes).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for key 0, an end before the beginning or an absurd time; [`Error::NoSuchIndex`] for the
    /// pool or a node; [`Error::Full`].
    pub fn set_reservation(&mut self, reservation: &Reservation<'_>) -> Result<()> {
        let &Reservation { pool, key, from, to, nodes } = reservation;
        let are_times = [from, to].iter().all(|time| time.unsigned_abs() <= MAX_TIME as u64);
        if key == 0 || to < from || !are_times {
            return Err(Error::OutOfRange);
        }
        let count = self.parts.nodes.len();
        let known = pools::pool(self.parts.pools, pool)?.is_of_nodes();
        if !known || nodes.iter().any(|&node| node as usize >= count) {
            return Err(Error::NoSuchIndex);
        }
        let now = self.state.now;
        let mut all = self.parts.reservations.iter();
        let same = all.position(|booked| booked.key == key && booked.pool == pool);
        let mut all = self.parts.reservations.iter();
        // A reservation that is over makes room.
        let place = same.or_else(|| all.position(|booked| booked.key == 0 || booked.to <= now));
        let place = place.ok_or(Error::Full)?;
        let new = Booked { key, from, to, pool, reserved: 0 };
        let old = core::mem::replace(at_mut(self.parts.reservations, place)?, new);
        let bit = 1_u64.checked_shl(place as u32).unwrap_or(0);
        if self.mark(nodes, |node| &mut node.reservations, bit)? || old != new {
            self.redrawn(pool)?;
        }
        Ok(())
    }

    /// Removes the reservation of this pool and key. O(nodes).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`] if there was none.
    pub fn remove_reservation(&mut self, pool: u32, key: i64) -> Result<()> {
        let mut all = self.parts.reservations.iter();
        let place = all.position(|booked| key != 0 && booked.key == key && booked.pool == pool);
        let place = place.ok_or(Error::NoSuchIndex)?;
        *at_mut(self.parts.reservations, place)? = Booked::zeroed();
        self.mark(&[], |node| &mut node.reservations, 1_u64.checked_shl(place as u32).unwrap_or(0))?;
        self.redrawn(pool)
    }

    /// The instants at which a pool's nodes change by themselves: awaited ones are awaited no more, reservations begin
    /// and end.
    pub(super) fn appointments(&self) -> impl Iterator<Item = (u32, i64)> + '_ {
        let awaited = self.parts.nodes.iter().filter(|node| node.state == NodeState::Awaited as u32);
        let booked = self.parts.reservations.iter().filter(|booked| booked.key != 0);
        let awaited = awaited.map(|node| (node.pool, node.until));
        awaited.chain(booked.flat_map(|booked| [(booked.pool, booked.from), (booked.pool, booked.to)]))
    }

    /// The properties of the nodes to which a job is admitted.
    pub(super) fn requirement(&self, slot: u32, queue: u32, now: i64) -> Result<Requirement> {
        let job = self.parts.table.get(slot)?;
        let ask = self.parts.holdings.ask(slot);
        let end = if job.limit > 0 { now.saturating_add(job.limit) } else { i64::MAX };
        let (mut inside, mut crossed) = (0_u64, 0_u64);
        for (booked, number) in self.parts.reservations.iter().zip(0..MOST_RESERVATIONS) {
            if booked.key == 0 || booked.pool != job.pool || booked.to <= now {
                continue;
            }
            let bit = 1_u64.checked_shl(number).unwrap_or(0);
            if booked.key == ask.reservation {
                inside |= bit;
            } else if booked.from < end {
                crossed |= bit;
            }
        }
        let nowhere = ask.reservation != 0 && inside == 0;
        let queue = if at(self.parts.queues, queue as usize)?.listed != 0 { queue } else { NOBODYS };
        let (features, any, without) = (ask.features, ask.any, ask.without);
        Ok(Requirement { features, any, without, inside, crossed, queue, nowhere: nowhere.into() })
    }

    /// Notes that a job that starts has sought the nodes that it might have, unless these were all of its pool.
    /// O(nodes) then.
    pub(super) fn seek(&mut self, slot: u32, now: i64) -> Result<()> {
        let job = *self.parts.table.get(slot)?;
        if !self.pool_at(job.pool)?.is_of_nodes() {
            return Ok(());
        }
        let mut requirements = [Requirement::zeroed(); JOB_QUEUES];
        let queues = job.queues.iter().take(job.queue_count as usize);
        let count = queues.len();
        for (to, &queue) in requirements.iter_mut().zip(queues) {
            // Reservations come and go.
            *to = Requirement { inside: 0, crossed: 0, nowhere: 0, ..self.requirement(slot, queue, now)? };
        }
        let requirements = range(&requirements, 0, count)?;
        if !requirements.iter().any(Requirement::is_none) {
            note_sought(self.parts.nodes, job.pool, requirements);
        }
        Ok(())
    }

    /// Whether the reservation in which a job runs has not begun.
    pub(super) fn is_early(&self, slot: u32, now: i64) -> Result<bool> {
        let key = self.parts.holdings.ask(slot).reservation;
        let pool = self.parts.table.get(slot)?.pool;
        let mut own =
            self.parts.reservations.iter().filter(|booked| booked.key == key && booked.pool == pool);
        Ok(key != 0 && own.any(|booked| booked.from > now))
    }
}
