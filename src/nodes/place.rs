//! Choice of nodes for a request: first fit and best fit.

use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, range_mut};
use crate::nodes::machine::{Class, Node, Nodes, Ranked};
use crate::nodes::request::{Fit, HELD, Part, RawRequest, Request};

impl Node {
    /// Its place among nodes on which the head job would be disturbed as much, the smallest first.
    pub(super) fn place(&self) -> u64 {
        u64::from(self.weight) << 8 | u64::from(self.sought & 0xff)
    }
}

/// Free share of a node's capacity after one task more, added up over the kinds of resource.
#[inline]
fn left(class: &Class, request: &RawRequest, free: &[u32]) -> f64 {
    let free = free.iter().zip(request.each).zip(class.share);
    free.map(|((free, each), share)| f64::from(free.saturating_sub(each)) * share).sum()
}

/// Finds room; `avoided` returns the degree to which [`Fit::Apart`] avoids a node.
pub(super) fn place(
    nodes: &Nodes,
    request: &RawRequest,
    fit: Fit,
    avoided: impl Fn(u32) -> u32,
    ranked: &mut [Ranked],
    out: &mut [Part],
) -> Result<Option<usize>> {
    if !nodes.may_fit(request) {
        return Ok(None);
    }
    let each_room = |each: &mut EachRoom<'_>| {
        nodes.each_room(request, |node, class, free, room| {
            let place = at(nodes.slices.nodes, node as usize)?.place();
            each(node, class, free, room, (place, 0))
        })
    };
    choose(request, fit, avoided, ranked, out, each_room, |node| nodes.room(request, node))
}

/// A receiver of nodes on which a task finds room, with class, free amounts, number of tasks that find room, place, and
/// rank among nodes with as much left, the smallest first of both; returns true to stop.
pub(super) type EachRoom<'e> = dyn FnMut(u32, &Class, &[u32], u32, (u64, u32)) -> Result<bool> + 'e;

/// Chooses among the nodes with room that `each_room` lists, in order; `room` is that of one of them.
pub(super) fn choose(
    request: &RawRequest,
    fit: Fit,
    avoided: impl Fn(u32) -> u32,
    ranked: &mut [Ranked],
    out: &mut [Part],
    each_room: impl FnOnce(&mut EachRoom<'_>) -> Result<()>,
    room: impl Fn(u32) -> Result<u32>,
) -> Result<Option<usize>> {
    let mut missing = request.count;
    let mut parts = 0;
    let mut put = |node: u32, room: u32, missing: &mut u32| {
        let tasks = room.min(*missing);
        *missing -= tasks;
        *out.get_mut(parts).ok_or(Error::Full)? = Part { node, tasks };
        parts += 1;
        Ok::<(), Error>(())
    };
    if fit == Fit::First {
        each_room(&mut |node, _, _, room, _| {
            put(node, room, &mut missing)?;
            Ok(missing == 0)
        })?;
        return Ok((missing == 0).then_some(parts));
    }
    // The best nodes, as many as tasks: each takes a task at least.
    let most = (request.count as usize).min(ranked.len());
    let (mut count, mut rooms) = (0, 0u64);
    each_room(&mut |node, class, free, room, (place, tie)| {
        rooms += u64::from(room);
        let avoided = if fit == Fit::Apart { avoided(node) } else { 0 };
        let entry = Ranked {
            // A place has 40 bits.
            rank: !(u64::from(avoided) << 40 | place),
            left: !left(class, request, free).to_bits(),
            node: !(u64::from(tie) << 32 | u64::from(node)),
        };
        if count < most {
            count += 1;
            heap::push(range_mut(ranked, 0, count)?, entry)?;
        } else if at(ranked, 0)? < &entry {
            let best = range_mut(ranked, 0, count)?;
            heap::pop(best)?;
            heap::push(best, entry)?;
        }
        Ok(false)
    })?;
    if rooms < u64::from(request.count) {
        return Ok(None);
    }
    let best = range_mut(ranked, 0, count)?;
    heap::sort(best)?;
    for entry in best.iter().rev() {
        if missing == 0 {
            break;
        }
        let node = !entry.node as u32;
        put(node, room(node)?, &mut missing)?;
    }
    if missing != 0 {
        return Err(Error::Corrupt);
    }
    heap::sort(range_mut(out, 0, parts)?)?;
    Ok(Some(parts))
}

impl Nodes<'_> {
    /// The free amount of the first kind of resource on the open nodes. O(nodes).
    pub(crate) fn idle(&self) -> u64 {
        let known = self.slices.nodes.iter().take(self.state.nodes as usize);
        let rows = self.slices.free.chunks_exact((self.state.capacity.resources as usize).max(1));
        let idle = known.zip(rows).filter(|(node, _)| node.open != 0 && node.jobs != HELD);
        idle.map(|(_, row)| u64::from(row.first().copied().unwrap_or(0))).sum()
    }

    /// Number of tasks that find room now, on all nodes together. O(nodes).
    pub(super) fn rooms(&self, request: &RawRequest) -> Result<u64> {
        let mut rooms = 0;
        self.each_room(request, |_, _, _, room| {
            rooms += u64::from(room);
            Ok(false)
        })?;
        Ok(rooms)
    }

    /// Number of tasks that find room on these nodes now.
    pub(super) fn rooms_on(&self, request: &RawRequest, parts: &[Part]) -> Result<u64> {
        let mut rooms = 0;
        for part in parts {
            rooms += u64::from(self.room(request, part.node)?);
        }
        Ok(rooms)
    }

    /// Whether the whole machine's own resources suffice for a request now.
    pub(super) fn pool_has(&self, request: &RawRequest) -> bool {
        request.pool.iter().zip(&self.state.pool_free).all(|(need, free)| need <= free)
    }

    /// Finds nodes for a request and writes them to `out` in increasing order; returns their number, or `None` when it
    /// does not fit. Nothing is taken. O(nodes log count).
    ///
    /// # Errors
    /// As [`Nodes::fits`]; [`Error::Full`] when `out` is too short: as long as the request's count, or the nodes if
    /// these are fewer, is always enough.
    pub fn place(&mut self, request: &Request, fit: Fit, out: &mut [Part]) -> Result<Option<usize>> {
        let request = RawRequest::new(request, self.state.capacity.resources)?;
        let ranked = core::mem::take(&mut self.slices.ranked);
        let found = place(self, &request, fit, |_| 0, ranked, out);
        self.slices.ranked = ranked;
        found
    }
}
