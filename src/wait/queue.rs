//! The jobs that wait: found by their number, and by the end of the bound that they were given.
//!
//! Jobs lie in slots that do not move; a hash table leads from numbers to slots, a heap orders those with a bound by
//! their deadline. Everything is O(1) on average or O(log n).

use crate::error::{Error, Result};
use crate::hash::HashIndex;
use crate::math::chances::Shares;
use crate::memory::{at, at_mut};
use crate::runtime::MAX_SECONDS;
use crate::wait::levels::{ASIDE, Groups};
use crate::wait::options::Features;
use crate::wait::visible::{Ahead, Situation};
use bytemuck::{Pod, Zeroable};

/// A deadline that never passes.
pub(super) const NEVER: i64 = i64::MAX;

/// A waiting job.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Waiting {
    pub id: i64,
    pub submitted: i64,
    /// Time after which its wait exceeds the bound it was given; [`NEVER`] without a bound, or when the wait has
    /// exceeded it.
    pub deadline: i64,
    /// Place in the heap, plus one; 0 outside.
    place: u32,
    /// Next in the list of free slots, plus one.
    next: u32,
    /// Processor-seconds that it requests.
    pub work: u64,
    /// The jobs that came before and after it, plus one.
    before: u32,
    after: u32,
    /// Its groups by width and request.
    pub groups: Groups,
    /// Index of its situation when it came, and the situation.
    pub index: u32,
    pub situation: Situation,
    /// 1 if bounds at the levels [`ASIDE`] were noted: `aside`, in seconds.
    pub noted: u32,
    pub aside: [u32; ASIDE.len()],
    pub processors: u32,
    pub requested: u64,
    /// Its age in seconds at the look noted last.
    pub noted_age: i64,
    /// Its notes, the newest first, plus one.
    pub notes: u32,
    /// Number of horizons learnt as passed without a start.
    pub learnt: u32,
    /// Shares within the horizons of the waits that its bounds rest on.
    pub shares: Shares,
    /// 1 if it has waited for so long that it is given up.
    pub given_up: u32,
    /// Its number in the order of the waiting jobs, modulo 2^32.
    number: u32,
    /// Its number among the submissions of its half of the widths, from 1 on, modulo 2^32.
    pub among: u32,
    /// Number of jobs that waited when it came.
    pub ahead: u32,
}

impl Waiting {
    /// A job without a bound.
    pub(super) fn new(id: i64, submitted: i64) -> Waiting {
        Waiting { id, submitted, deadline: NEVER, ..Waiting::zeroed() }
    }

    pub(super) fn features(&self) -> Features {
        Features {
            requested: i64::try_from(self.requested).unwrap_or(MAX_SECONDS),
            processors: self.processors,
        }
    }

    /// Whether it was submitted before another job, by their numbers; `None` where these are the same.
    pub(super) fn came_before(&self, other: &Waiting) -> Option<bool> {
        let distance = self.number.wrapping_sub(other.number) as i32;
        (distance != 0).then_some(distance < 0)
    }

    /// The job submitted before, plus one; 0 for none.
    pub(super) fn before(&self) -> u32 {
        self.before
    }

    /// The job submitted next, plus one; 0 for none.
    pub(super) fn after(&self) -> u32 {
        self.after
    }
}

/// Occupancy of the queue. All zero: empty.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Occupancy {
    pub jobs: u32,
    heap: u32,
    free: u32,
    fresh: u32,
    /// Ends of the chain in order of submission, plus one.
    first: u32,
    last: u32,
    /// Processor-seconds that all of them request.
    work: u64,
    /// The first that is not given up, plus one; those before it are.
    first_present: u32,
    given_up: u32,
    given_up_work: u64,
    /// Number of submissions, modulo 2^32, of the narrower and of the wider half.
    submitted: [u32; 2],
}

/// The queue with its memory.
pub(super) struct Queue<'s> {
    pub occupancy: &'s mut Occupancy,
    pub slots: &'s mut [Waiting],
    /// Table from a job's number to its slot.
    pub index: HashIndex<'s>,
    pub heap: &'s mut [u32],
}

/// The key of the job in a slot, for the hash table.
fn keys(slots: &[Waiting]) -> impl Fn(u32) -> Result<u64> + '_ {
    |slot| Ok(at(slots, slot as usize)?.id as u64)
}

/// The slot of a waiting job. O(1) on average.
pub(super) fn find(index: &HashIndex, slots: &[Waiting], id: i64) -> Result<Option<u32>> {
    index.find(id as u64, keys(slots))
}

impl Occupancy {
    /// The job submitted first, plus one; 0 for none.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// The job submitted last, plus one; 0 for none.
    pub(super) fn last(&self) -> u32 {
        self.last
    }

    /// Number of submissions, modulo 2^32, of the wider or of the narrower half.
    pub(super) fn submitted(&self, wide: bool) -> u32 {
        let [narrow, wider] = self.submitted;
        if wide { wider } else { narrow }
    }

    /// The first job that is not given up, plus one; 0 for none.
    pub(super) fn first_present(&self) -> u32 {
        self.first_present
    }

    /// Number of jobs that wait and are not given up.
    pub(super) fn present(&self) -> u32 {
        self.jobs.saturating_sub(self.given_up)
    }

    /// Gives up the jobs that were submitted before the time `before`.
    pub(super) fn give_up(&mut self, slots: &mut [Waiting], before: i64) -> Result<()> {
        for _ in 0..slots.len() {
            let Some(slot) = self.first_present.checked_sub(1) else { break };
            let waiting = at_mut(slots, slot as usize)?;
            if waiting.submitted >= before {
                break;
            }
            waiting.given_up = 1;
            self.first_present = waiting.after;
            self.given_up = self.given_up.saturating_add(1);
            self.given_up_work = self.given_up_work.saturating_add(waiting.work);
        }
        Ok(())
    }

    /// The state of the queue for a job that comes now.
    pub(super) fn ahead(&self, slots: &[Waiting], now: i64) -> Result<Ahead> {
        let oldest = match self.first_present.checked_sub(1) {
            Some(slot) => now.saturating_sub(at(slots, slot as usize)?.submitted).max(0).unsigned_abs(),
            None => 0,
        };
        Ok(Ahead { jobs: self.present(), work: self.work.saturating_sub(self.given_up_work), oldest })
    }
}

impl Queue<'_> {
    pub(super) fn slot(&self, slot: u32) -> Result<&Waiting> {
        at(self.slots, slot as usize)
    }

    /// The slot of a waiting job.
    pub(super) fn find(&self, id: i64) -> Result<Option<u32>> {
        find(&self.index, self.slots, id)
    }

    pub(super) fn is_full(&self) -> bool {
        self.occupancy.jobs as usize >= self.slots.len()
    }

    /// Adds a job that is not there yet to a queue that is not full.
    pub(super) fn add(&mut self, waiting: Waiting) -> Result<()> {
        if self.is_full() {
            return Err(Error::Corrupt);
        }
        let slot = match self.occupancy.free.checked_sub(1) {
            Some(slot) => {
                self.occupancy.free = self.slot(slot)?.next;
                slot
            }
            None => {
                self.occupancy.fresh = self.occupancy.fresh.checked_add(1).ok_or(Error::Corrupt)?;
                self.occupancy.fresh - 1
            }
        };
        self.index.insert(waiting.id as u64, slot, keys(self.slots))?;
        let last = self.occupancy.last;
        let number = last.checked_sub(1).map_or(Ok(0), |slot| self.slot(slot).map(|last| last.number))?;
        let [narrow, wider] = &mut self.occupancy.submitted;
        let own = if waiting.groups.is_wide() { wider } else { narrow };
        *own = own.wrapping_add(1);
        let among = *own;
        *at_mut(self.slots, slot as usize)? =
            Waiting { before: last, after: 0, number: number.wrapping_add(1), among, ..waiting };
        self.join(last, slot + 1)?;
        self.occupancy.last = slot + 1;
        if self.occupancy.first_present == 0 {
            self.occupancy.first_present = slot + 1;
        }
        self.occupancy.work = self.occupancy.work.saturating_add(waiting.work);
        self.occupancy.jobs += 1;
        self.keep_deadline(slot)
    }

    /// Puts a job among those with a deadline, if it has one.
    fn keep_deadline(&mut self, slot: u32) -> Result<()> {
        if self.slot(slot)?.deadline != NEVER {
            let last = self.occupancy.heap;
            self.occupancy.heap += 1;
            self.put(last, slot)?;
            self.settle(slot)?;
        }
        Ok(())
    }

    /// Takes a waiting job out.
    pub(super) fn remove(&mut self, id: i64) -> Result<()> {
        let slot = self.index.remove(id as u64, keys(self.slots))?;
        self.forget_deadline(slot)?;
        let Waiting { before, after, work, given_up, .. } = *self.slot(slot)?;
        if given_up == 1 {
            self.occupancy.given_up = self.occupancy.given_up.saturating_sub(1);
            self.occupancy.given_up_work = self.occupancy.given_up_work.saturating_sub(work);
        } else if self.occupancy.first_present == slot + 1 {
            self.occupancy.first_present = after;
        }
        self.join(before, after)?;
        if after == 0 {
            self.occupancy.last = before;
        } else {
            at_mut(self.slots, after as usize - 1)?.before = before;
        }
        self.occupancy.work = self.occupancy.work.saturating_sub(work);
        let free = self.occupancy.free;
        at_mut(self.slots, slot as usize)?.next = free;
        self.occupancy.free = slot + 1;
        self.occupancy.jobs = self.occupancy.jobs.saturating_sub(1);
        Ok(())
    }

    /// Makes `after` the job that came after `before`; both plus one, 0 for none.
    fn join(&mut self, before: u32, after: u32) -> Result<()> {
        match before.checked_sub(1) {
            Some(slot) => at_mut(self.slots, slot as usize)?.after = after,
            None => self.occupancy.first = after,
        }
        Ok(())
    }

    /// Whether the oldest job was submitted before the time `before`.
    pub(super) fn oldest_is_before(&self, before: i64) -> Result<bool> {
        let Some(slot) = self.occupancy.first.checked_sub(1) else { return Ok(false) };
        Ok(self.slot(slot)?.submitted < before)
    }

    /// The oldest job, if it is given up: its number and slot.
    pub(super) fn oldest_given_up(&self) -> Result<Option<(i64, u32)>> {
        let Some(slot) = self.occupancy.first.checked_sub(1) else { return Ok(None) };
        let waiting = self.slot(slot)?;
        Ok((waiting.given_up == 1).then_some((waiting.id, slot)))
    }

    /// Sets the clock back to `now`: later submissions count as having been now. No job stays given up.
    pub(super) fn move_back(&mut self, now: i64) -> Result<()> {
        let mut next = self.occupancy.first;
        for _ in 0..self.occupancy.jobs {
            let Some(slot) = next.checked_sub(1) else { break };
            let waiting = *self.slot(slot)?;
            next = waiting.after;
            let ahead = waiting.submitted.saturating_sub(now).max(0);
            let deadline =
                if waiting.deadline == NEVER { NEVER } else { waiting.deadline.saturating_sub(ahead) };
            self.forget_deadline(slot)?;
            let moved = at_mut(self.slots, slot as usize)?;
            (moved.submitted, moved.deadline, moved.given_up) = (waiting.submitted.min(now), deadline, 0);
            self.keep_deadline(slot)?;
        }
        self.occupancy.first_present = self.occupancy.first;
        (self.occupancy.given_up, self.occupancy.given_up_work) = (0, 0);
        Ok(())
    }

    /// The job whose deadline passed first, if one passed before `now`.
    pub(super) fn overdue(&self, now: i64) -> Result<Option<u32>> {
        if self.occupancy.heap == 0 {
            return Ok(None);
        }
        let (first, deadline) = self.deadline_at(0)?;
        // A job without the place of the first could not be taken off.
        if self.slot(first)?.place != 1 {
            return Err(Error::Corrupt);
        }
        Ok((deadline < now).then_some(first))
    }

    /// Takes a job off the deadlines.
    pub(super) fn forget_deadline(&mut self, slot: u32) -> Result<()> {
        let waiting = at_mut(self.slots, slot as usize)?;
        let place = waiting.place;
        waiting.place = 0;
        waiting.deadline = NEVER;
        let Some(place) = place.checked_sub(1) else { return Ok(()) };
        self.occupancy.heap = self.occupancy.heap.checked_sub(1).ok_or(Error::Corrupt)?;
        if place < self.occupancy.heap {
            let last = *at(self.heap, self.occupancy.heap as usize)?;
            self.put(place, last)?;
            self.settle(last)?;
        }
        Ok(())
    }

    fn put(&mut self, place: u32, slot: u32) -> Result<()> {
        *at_mut(self.heap, place as usize)? = slot;
        at_mut(self.slots, slot as usize)?.place = place + 1;
        Ok(())
    }

    fn deadline_at(&self, place: u32) -> Result<(u32, i64)> {
        let slot = *at(self.heap, place as usize)?;
        Ok((slot, self.slot(slot)?.deadline))
    }

    fn settle(&mut self, slot: u32) -> Result<()> {
        let deadline = self.slot(slot)?.deadline;
        let mut place = self.slot(slot)?.place.checked_sub(1).ok_or(Error::Corrupt)?;
        while place > 0 {
            let above = (place - 1) / 2;
            let (parent, other) = self.deadline_at(above)?;
            if other <= deadline {
                break;
            }
            self.put(place, parent)?;
            place = above;
        }
        loop {
            let mut below = 2 * place + 1;
            if below >= self.occupancy.heap {
                break;
            }
            if below + 1 < self.occupancy.heap && self.deadline_at(below + 1)?.1 < self.deadline_at(below)?.1
            {
                below += 1;
            }
            let (child, other) = self.deadline_at(below)?;
            if other >= deadline {
                break;
            }
            self.put(place, child)?;
            place = below;
        }
        self.put(place, slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Carver;
    use std::collections::BTreeMap;
    use std::vec;

    #[test]
    fn agrees_with_a_map() {
        const JOBS: usize = 50;
        let mut occupancy = Occupancy::default();
        let (mut slots, mut heap) = (vec![Waiting::zeroed(); JOBS], vec![0; JOBS]);
        let mut block = vec![0u64; 128];
        let mut carver = Carver::of(bytemuck::cast_slice_mut(&mut block)).unwrap();
        let index = HashIndex::carve(&mut carver, JOBS).unwrap();
        let mut queue = Queue { occupancy: &mut occupancy, slots: &mut slots, index, heap: &mut heap };
        let mut naive: BTreeMap<i64, (i64, i64, u64)> = BTreeMap::new();
        let mut random = 99_u32;
        let mut next = move |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        for now in 0..30_000_i64 {
            // Few distinct numbers, so that places in the table collide and are used again.
            let id = i64::from(next(120)) - 60;
            match naive.get(&id) {
                None if naive.len() < JOBS => {
                    let deadline = if next(4) == 0 { NEVER } else { now + i64::from(next(100)) };
                    let work = u64::from(next(1000));
                    queue.add(Waiting { id, submitted: now, deadline, work, ..Waiting::zeroed() }).unwrap();
                    naive.insert(id, (now, deadline, work));
                }
                None => assert!(queue.is_full()),
                Some((submitted, ..)) => {
                    let slot = queue.find(id).unwrap().unwrap();
                    assert_eq!(queue.slot(slot).unwrap().submitted, *submitted);
                    queue.remove(id).unwrap();
                    naive.remove(&id);
                }
            }
            assert_eq!(queue.find(id).unwrap().is_some(), naive.contains_key(&id));
            assert_eq!(queue.occupancy.jobs as usize, naive.len());
            let ahead = queue.occupancy.ahead(queue.slots, now + 5).unwrap();
            let oldest = naive.values().map(|job| now + 5 - job.0).max().unwrap_or(0);
            let work: u64 = naive.values().map(|job| job.2).sum();
            assert_eq!((ahead.jobs as usize, ahead.oldest as i64, ahead.work), (naive.len(), oldest, work));
            while let Some(slot) = queue.overdue(now).unwrap() {
                let id = queue.slot(slot).unwrap().id;
                let deadline = &mut naive.get_mut(&id).unwrap().1;
                assert!(*deadline < now);
                *deadline = NEVER;
                queue.forget_deadline(slot).unwrap();
            }
            assert!(naive.values().all(|job| job.1 >= now));
        }
        assert_eq!(queue.remove(1000), Err(Error::Corrupt));
    }
}
