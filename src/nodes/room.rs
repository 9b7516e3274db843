//! Where a request finds room: first fit and best fit.

use crate::error::{Error, Result};
use crate::forecast::heap;
use crate::memory::{at, range_mut};
use crate::nodes::machine::Nodes;
use crate::nodes::request::{Fit, Part, RawRequest};
use bytemuck::{Pod, Zeroable};

/// A node and how little it is wanted: the least wanted comes first. All are complements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Ranked {
    /// How much it is avoided.
    rank: u64,
    /// What would be left, as the bits of a number that is not negative.
    left: u64,
    node: u64,
}

/// What of a node would be free after one task more, in shares of its capacity added up.
fn left(nodes: &Nodes, request: &RawRequest, node: u32) -> Result<f64> {
    let class = at(nodes.slices.nodes, node as usize)?.class;
    let share = &at(nodes.slices.classes, class as usize)?.share;
    let free = nodes.row(node)?.iter().zip(request.each).zip(share);
    Ok(free.map(|((free, each), share)| f64::from(free.saturating_sub(each)) * share).sum())
}

/// Finds room; `avoided` says of a node how much [`Fit::Apart`] avoids it.
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
        // Whether it fits comes first, so that what is too short for a placement is told only of those that fit.
        for node in 0..nodes.count() {
            let room = nodes.room(request, node)?;
            if room > 0 {
                put(node, room, &mut missing)?;
            }
            if missing == 0 {
                return Ok(Some(parts));
            }
        }
        return Ok(None);
    }
    // The best so many nodes: each takes a task at least.
    let most = (request.count as usize).min(ranked.len());
    let (mut count, mut rooms) = (0, 0u64);
    for node in 0..nodes.count() {
        let room = nodes.room(request, node)?;
        if room == 0 {
            continue;
        }
        rooms += u64::from(room);
        let rank = if fit == Fit::Apart { !u64::from(avoided(node)) } else { 0 };
        let entry = Ranked { rank, left: !left(nodes, request, node)?.to_bits(), node: !u64::from(node) };
        if count < most {
            count += 1;
            heap::push(range_mut(ranked, 0, count)?, entry)?;
        } else if at(ranked, 0)? < &entry {
            let best = range_mut(ranked, 0, count)?;
            heap::pop(best)?;
            heap::push(best, entry)?;
        }
    }
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
        put(node, nodes.room(request, node)?, &mut missing)?;
    }
    if missing != 0 {
        return Err(Error::Corrupt);
    }
    heap::sort(range_mut(out, 0, parts)?)?;
    Ok(Some(parts))
}
