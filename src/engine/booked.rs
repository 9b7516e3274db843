//! Reservations in a forecast of whole nodes: idle nodes that they keep, and jobs that wait for their end.

use super::forecast::{Busy, DAY, NOBODY, StartForecast, span};
use super::machine::{Booked, MOST_RESERVATIONS, NodeState};
use super::object::Scheduler;
use crate::error::Result;
use crate::memory::at_mut;

/// The submissions of this time are played for a job that waits for the end of reservations. Where it would wait longer
/// its start is not predicted, and nodes that are kept for longer do not count.
const LONGEST_AHEAD: i64 = 14 * DAY;

/// The nodes of a pool by the reservations that they are in.
#[derive(Debug)]
pub(super) struct Bookings {
    /// Reservations, a bit each, and the number of nodes that are in just these.
    kinds: [(u64, u32); MOST_RESERVATIONS as usize],
    used: usize,
}

impl Bookings {
    /// Number of nodes that are in none of these reservations.
    fn open(&self, crossed: u64) -> u64 {
        let kinds = self.kinds.iter().take(self.used);
        kinds.filter(|(mask, _)| mask & crossed == 0).map(|&(_, nodes)| u64::from(nodes)).sum()
    }
}

impl Scheduler<'_> {
    /// The nodes of a pool by reservations; `None` where there is none to come. Nodes of more kinds than there is room
    /// for count as in all the reservations of the last kind and theirs. O(nodes x kinds).
    pub(super) fn bookings(&self, pool: u32, now: i64) -> Option<Bookings> {
        let ahead = |booked: &&_| is_ahead(booked, pool, now);
        self.parts.reservations.iter().find(ahead)?;
        let mut bookings = Bookings { kinds: [(0, 0); MOST_RESERVATIONS as usize], used: 0 };
        for node in self.parts.nodes.iter().filter(|node| node.pool == pool && node.counts(now)) {
            let known = bookings.kinds.iter().take(bookings.used);
            let place =
                known.into_iter().position(|kind| kind.0 == node.reservations).unwrap_or(bookings.used);
            bookings.used = bookings.used.max(place + 1).min(bookings.kinds.len());
            if let Some(kind) = bookings.kinds.get_mut(place.min(bookings.used - 1)) {
                *kind = (kind.0 | node.reservations, kind.1 + 1);
            }
        }
        Some(bookings)
    }

    /// The first instant from now on at which reservations leave a job as many nodes as it wants; now also for one for
    /// which there are too few without them. O(reservations x kinds of nodes).
    pub(super) fn open_from(&self, slot: u32, bookings: &Bookings, now: i64) -> Result<i64> {
        let job = self.parts.table.get(slot)?;
        let own = self.parts.holdings.ask(slot).reservation;
        let mut begin = now;
        for _ in 0..=MOST_RESERVATIONS {
            let end = if job.limit > 0 { begin.saturating_add(job.limit) } else { i64::MAX };
            let (mut crossed, mut over) = (0, i64::MAX);
            for (booked, number) in self.parts.reservations.iter().zip(0..MOST_RESERVATIONS) {
                if is_ahead(booked, job.pool, begin) && booked.key != own && booked.from < end {
                    crossed |= 1_u64.checked_shl(number).unwrap_or(0);
                    over = over.min(booked.to);
                }
            }
            if bookings.open(crossed) >= u64::from(job.count) {
                return Ok(begin);
            }
            if crossed == 0 {
                break;
            }
            begin = over;
        }
        Ok(now)
    }

    /// The number of idle nodes that each reservation keeps at this time, and until when. A node of several is kept by
    /// the one that ends last. O(nodes x reservations + parts).
    fn kept_nodes(&self, pool: u32, now: i64) -> Result<[(u32, i64); MOST_RESERVATIONS as usize]> {
        let mut kept = [(0_u32, 0_i64); MOST_RESERVATIONS as usize];
        let keeper = |reservations: u64| {
            let own = self.parts.reservations.iter().zip(0..MOST_RESERVATIONS).filter(|(booked, number)| {
                is_ahead(booked, pool, now)
                    && booked.from <= now
                    && 1_u64.checked_shl(*number).is_some_and(|bit| reservations & bit != 0)
            });
            own.max_by_key(|(booked, _)| booked.to).map(|(booked, number)| (number as usize, booked.to))
        };
        for node in self.parts.nodes.iter().filter(|node| node.pool == pool && node.reservations != 0) {
            if let (Some(NodeState::Up), Some((number, to))) = (node.state(now), keeper(node.reservations)) {
                let kept = at_mut(&mut kept, number)?;
                *kept = (kept.0 + 1, to);
            }
        }
        for &slot in self.parts.table.active() {
            let job = self.parts.table.get(slot)?;
            if job.pool != pool || job.holds() == 0 {
                continue;
            }
            self.parts.holdings.each(slot, |part| {
                let node = self.parts.nodes.get(part.node as usize);
                let node =
                    node.filter(|node| node.reservations != 0 && node.state(now) == Some(NodeState::Up));
                let kept = node
                    .and_then(|node| keeper(node.reservations))
                    .and_then(|(number, _)| kept.get_mut(number));
                if let Some(kept) = kept {
                    kept.0 = kept.0.saturating_sub(1);
                }
            })?;
        }
        Ok(kept)
    }
}

/// Whether a reservation is one of this pool's that is not over.
fn is_ahead(booked: &Booked, pool: u32, now: i64) -> bool {
    booked.key != 0 && booked.pool == pool && booked.to > now
}

impl StartForecast<'_> {
    /// Adds the idle nodes that reservations keep, as jobs that end with them.
    pub(super) fn gather_kept(&mut self, scheduler: &Scheduler<'_>) -> Result<()> {
        let (pool, now) = (self.state.pool, self.state.now);
        let in_force = |booked: &Booked| is_ahead(booked, pool, now) && booked.from <= now;
        let of_nodes = scheduler.pool_at(pool)?.is_of_nodes() && !self.is_divided();
        if !of_nodes || !scheduler.parts.reservations.iter().any(in_force) {
            return Ok(());
        }
        let kept = scheduler.kept_nodes(pool, now)?;
        for (nodes, to) in kept {
            let nodes = nodes.min(self.state.idle);
            self.state.idle -= nodes;
            if to - now > LONGEST_AHEAD {
                self.state.units = self.state.units.saturating_sub(nodes);
            } else if nodes > 0 {
                let (row, ends) = (self.state.busy, span(to - now).max(1));
                let busy = Busy {
                    end: 0,
                    processors: nodes,
                    start: 0,
                    expected: ends,
                    limit: ends,
                    // No job's: nothing is drawn.
                    slot: NOBODY,
                    chain: NOBODY,
                    more: 0,
                    row,
                    id: 0,
                };
                *at_mut(self.parts.busy, row as usize)? = busy;
                self.state.busy += 1;
            }
        }
        Ok(())
    }

    /// The seconds for which reservations keep a waiting job off its nodes, 0 for none; `None` where that is too long
    /// to be played.
    pub(super) fn closed_for(
        &self,
        scheduler: &Scheduler<'_>,
        slot: u32,
        bookings: Option<&Bookings>,
    ) -> Result<Option<u32>> {
        let now = self.state.now;
        let Some(bookings) = bookings else { return Ok(Some(0)) };
        let ahead = scheduler.open_from(slot, bookings, now)? - now;
        Ok((ahead <= LONGEST_AHEAD).then_some(span(ahead)))
    }
}
