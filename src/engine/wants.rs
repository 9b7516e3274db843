//! Requests of jobs to pools of nodes, and the nodes that they hold.

use crate::error::{Error, Result};
use crate::memory::{Carver, at, at_mut, copy};
use crate::nodes::{Amounts, Part, Request, Spread};
use bytemuck::{Pod, Zeroable};

/// The request of a job to a pool of nodes, by each of its [`JobReport::count`](super::JobReport::count) tasks. Empty
/// for a pool of counted units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// Amounts that a task takes of its node, kind by kind. The first kind is that of processors, by which jobs count
    /// as wide.
    pub each: Amounts,
    /// The licences that the whole job takes, kind by kind.
    pub licences: Amounts,
    /// Features that its nodes must have, all of them: bits of the site's own meaning.
    pub features: u64,
    /// Features of which its nodes must have at least one; 0 if that does not matter.
    pub any: u64,
    /// Features of which its nodes must have none.
    pub without: u64,
    /// The key of the reservation in which it runs; 0 for none.
    pub reservation: i64,
    /// Distribution of its tasks over nodes.
    pub spread: Spread,
    /// Whether no other job may be on its nodes.
    pub exclusive: bool,
}

impl Wants {
    /// The processors of this number of tasks: of the first kind of resource, one for a task that takes none.
    pub(super) fn width(&self, count: u32) -> u32 {
        let [processors, ..] = self.each;
        count.saturating_mul(processors.max(1)).min(i32::MAX as u32)
    }
}

/// The slot of the guest: a job that is not submitted, but treated as if it waited. It lies in no block.
pub(super) const GUEST: u32 = u32::MAX - 1;

/// A request as plain data, with the list of the nodes that the job holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ask {
    pub(super) features: u64,
    pub(super) any: u64,
    pub(super) without: u64,
    pub(super) reservation: i64,
    each: Amounts,
    licences: Amounts,
    spread: u32,
    exclusive: u32,
    /// The first of its parts, where it has any.
    first: u32,
    parts: u32,
}

impl Ask {
    /// The description alone, without nodes.
    pub(super) fn new(wants: &Wants) -> Ask {
        let &Wants { each, licences, features, any, without, reservation, spread, exclusive } = wants;
        let (spread, exclusive) = (spread as u32, u32::from(exclusive));
        Ask { features, any, without, reservation, each, licences, spread, exclusive, first: 0, parts: 0 }
    }

    /// The request as it was reported.
    pub(super) fn wants(&self) -> Wants {
        let &Ask { features, any, without, reservation, each, licences, spread, exclusive, .. } = self;
        let spread = Spread::from_number(spread).unwrap_or_default();
        Wants { each, licences, features, any, without, reservation, spread, exclusive: exclusive != 0 }
    }

    /// Number of nodes that it holds.
    pub(super) fn held(&self) -> u32 {
        self.parts
    }

    /// The request of this number of tasks on nodes with this bit.
    pub(super) fn request(&self, count: u32, bit: u64) -> Request {
        let Wants { each, licences, spread, exclusive, .. } = self.wants();
        Request { count, spread, each, pool: licences, features: bit, exclusive }
    }
}

/// A part in the list of a job's parts.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Link {
    part: Part,
    next: u32,
    reserved: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Counts {
    /// The first free link plus 1, 0 for none, and the first never used.
    free: u32,
    fresh: u32,
    used: u32,
    reserved: u32,
}

/// The request of every slot, and the nodes that it holds. Empty in a block without nodes.
pub(super) struct Holdings<'a> {
    counts: &'a mut [Counts],
    asks: &'a mut [Ask],
    links: &'a mut [Link],
    /// The request of the guest ([`GUEST`]).
    guest: Ask,
}

impl<'a> Holdings<'a> {
    /// Room for this number of jobs, and of pairs of a job and a node.
    #[inline(always)]
    pub fn carve(carver: &mut Carver<'a>, jobs: usize, parts: usize) -> Result<Holdings<'a>> {
        let counts = carver.take(1)?;
        Ok(Holdings { counts, asks: carver.take(jobs)?, links: carver.take(parts)?, guest: Ask::zeroed() })
    }

    /// Whether the counts are valid.
    pub fn is_sound(&self) -> bool {
        let most = self.links.len() as u32;
        self.counts.iter().all(|counts| counts.free <= most && counts.fresh <= most && counts.used <= most)
    }

    /// Copies other holdings, which are not more. O(jobs + parts).
    pub fn continue_from(&mut self, other: &Holdings<'_>) {
        copy(self.counts, other.counts);
        copy(self.asks, other.asks);
        copy(self.links, other.links);
    }

    /// The request of a slot; empty in a block without nodes.
    pub fn ask(&self, slot: u32) -> Ask {
        let known = self.asks.get(slot as usize).copied();
        known.unwrap_or(if slot == GUEST { self.guest } else { Ask::zeroed() })
    }

    /// Sets the request of the guest.
    pub fn invite(&mut self, wants: &Wants) {
        self.guest = Ask::new(wants);
    }

    /// Sets the description of a slot; returns whether it has changed.
    pub fn describe(&mut self, slot: u32, wants: &Wants) -> bool {
        let Some(ask) = self.asks.get_mut(slot as usize) else { return false };
        let new = Ask { first: ask.first, parts: ask.parts, ..Ask::new(wants) };
        core::mem::replace(ask, new) != new
    }

    /// Number of nodes for which there is room, beyond those of other slots.
    pub fn room(&self, slot: u32) -> usize {
        let used = self.counts.first().map_or(0, |counts| counts.used);
        self.links.len().saturating_sub(used.saturating_sub(self.ask(slot).parts) as usize)
    }

    /// Writes the nodes that a slot holds to `out`, as far as they fit there, and returns their number.
    pub fn parts(&self, slot: u32, out: &mut [Part]) -> Result<usize> {
        let ask = self.ask(slot);
        let mut next = ask.first;
        let mut count = 0;
        for part in out.iter_mut().take(ask.parts as usize) {
            let link = at(self.links, next as usize)?;
            (*part, next) = (link.part, link.next);
            count += 1;
        }
        Ok(count)
    }

    /// Calls `each` for the nodes that a slot holds.
    pub fn each(&self, slot: u32, mut each: impl FnMut(Part)) -> Result<()> {
        let ask = self.ask(slot);
        let mut next = ask.first;
        for _ in 0..ask.parts {
            let link = at(self.links, next as usize)?;
            each(link.part);
            next = link.next;
        }
        Ok(())
    }

    /// Whether these are the nodes that a slot holds.
    pub fn are_held(&self, slot: u32, parts: &[Part]) -> Result<bool> {
        let ask = self.ask(slot);
        if ask.parts as usize != parts.len() {
            return Ok(false);
        }
        let mut next = ask.first;
        for part in parts {
            let link = at(self.links, next as usize)?;
            if link.part != *part {
                return Ok(false);
            }
            next = link.next;
        }
        Ok(true)
    }

    /// Sets the nodes that a slot holds; returns whether they are others than before. There is room for them.
    pub fn hold(&mut self, slot: u32, parts: &[Part]) -> Result<bool> {
        if self.are_held(slot, parts)? {
            return Ok(false);
        }
        if parts.len() > self.room(slot) {
            return Err(Error::PartsFull);
        }
        self.release(slot)?;
        let counts = at_mut(self.counts, 0)?;
        let mut first = 0;
        for part in parts.iter().rev() {
            let place = match counts.free.checked_sub(1) {
                Some(place) => {
                    counts.free = at(self.links, place as usize)?.next;
                    place
                }
                None => {
                    counts.fresh += 1;
                    counts.fresh - 1
                }
            };
            *at_mut(self.links, place as usize)? = Link { part: *part, next: first, reserved: 0 };
            first = place;
        }
        counts.used = counts.used.saturating_add(parts.len() as u32);
        let ask = at_mut(self.asks, slot as usize)?;
        (ask.first, ask.parts) = (first, parts.len() as u32);
        Ok(true)
    }

    /// Releases the nodes of a slot.
    pub fn release(&mut self, slot: u32) -> Result<()> {
        let Some(ask) = self.asks.get_mut(slot as usize) else { return Ok(()) };
        let (mut next, count) = (ask.first, ask.parts);
        (ask.first, ask.parts) = (0, 0);
        let counts = at_mut(self.counts, 0)?;
        for _ in 0..count {
            let link = at_mut(self.links, next as usize)?;
            let behind = core::mem::replace(&mut link.next, counts.free);
            counts.free = next + 1;
            next = behind;
        }
        counts.used = counts.used.saturating_sub(count);
        Ok(())
    }

    /// Forgets a slot.
    pub fn remove(&mut self, slot: u32) -> Result<()> {
        self.release(slot)?;
        if let Some(ask) = self.asks.get_mut(slot as usize) {
            *ask = Ask::zeroed();
        }
        Ok(())
    }
}
