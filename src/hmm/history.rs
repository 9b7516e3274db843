//! The observations: for every slot of submission time, its number of jobs by the bin of their run time.
//!
//! Slots lie in a ring; a slot is the head of a list of cells, one for each bin that occurs in it, from a common pool.
//! A slot takes 20 bytes and a cell 12, so a year of slots of 15 min (35,040) with 80,000 jobs takes at most 1.7 MB.
//! When the ring or the pool is full the oldest slots leave, an eighth of the ring at a time: training has to begin its
//! round again whenever slots leave, so they should leave seldom.

use crate::error::{Error, Result};
use crate::memory::{Carver, at, at_mut};
use crate::runtime::MAX_BINS;
use bytemuck::{Pod, Zeroable};

/// Marks no cell and no job.
pub(crate) const NONE: u32 = u32::MAX;

/// Largest distance of a slot's number from 0.
pub(crate) const MAX_SLOT: i64 = 1 << 53;

/// One slot of submission time.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Slot {
    /// The first of its cells, in the order of their bins.
    cells: u32,
    /// Number of finished jobs.
    pub jobs: u32,
    /// Number of jobs that are still in the system.
    pub open: u32,
    /// The first of its running jobs, kept for the predictor.
    pub running: u32,
    /// The cluster, while k-means is at work.
    pub label: u32,
}

/// A slot without jobs.
pub(crate) const EMPTY: Slot = Slot { cells: NONE, jobs: 0, open: 0, running: NONE, label: 0 };

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Cell {
    next: u32,
    bin: u32,
    count: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ledger {
    /// The slots held are `first..end`.
    pub first: i64,
    pub end: i64,
    /// Number of finished jobs in them.
    pub jobs: u64,
    /// Number of jobs that came for slots already gone.
    pub late: u64,
    /// The list of cells that are free again.
    free: u32,
    /// The first of the cells never used so far.
    fresh: u32,
}

pub(crate) struct History<'a> {
    ledger: &'a mut [Ledger],
    slots: &'a mut [Slot],
    cells: &'a mut [Cell],
}

impl<'a> History<'a> {
    pub fn carve(carver: &mut Carver<'a>, slots: u32, cells: u32) -> Result<History<'a>> {
        Ok(History {
            ledger: carver.take(1)?,
            slots: carver.take(slots as usize)?,
            cells: carver.take(cells as usize)?,
        })
    }

    /// Removes all slots.
    pub fn clear(&mut self) -> Result<()> {
        *at_mut(self.ledger, 0)? = Ledger { first: 0, end: 0, jobs: 0, late: 0, free: NONE, fresh: 0 };
        Ok(())
    }

    /// Refuses a ledger that is not valid.
    pub fn check(&self) -> Result<()> {
        let Ledger { first, end, fresh, .. } = *self.ledger()?;
        let within = |slot: i64| slot.unsigned_abs() <= MAX_SLOT.unsigned_abs() + 1;
        let valid = within(first)
            && within(end)
            && (0..=self.slots.len() as i64).contains(&(end - first))
            && fresh as usize <= self.cells.len();
        if valid { Ok(()) } else { Err(Error::Corrupt) }
    }

    pub fn ledger(&self) -> Result<&Ledger> {
        at(self.ledger, 0)
    }

    fn place(&self, slot: i64) -> Result<usize> {
        let ledger = self.ledger()?;
        if slot < ledger.first || slot >= ledger.end {
            return Err(Error::Corrupt);
        }
        usize::try_from(slot.checked_rem_euclid(self.slots.len() as i64).unwrap_or(0))
            .map_err(|_| Error::Corrupt)
    }

    /// A slot that is held.
    pub fn slot(&self, slot: i64) -> Result<&Slot> {
        at(self.slots, self.place(slot)?)
    }

    pub fn slot_mut(&mut self, slot: i64) -> Result<&mut Slot> {
        let place = self.place(slot)?;
        at_mut(self.slots, place)
    }

    /// The (bin, number of jobs) of a slot that is held, in the order of the bins.
    pub fn cells(&self, slot: &Slot) -> Cells<'_> {
        Cells { cells: self.cells, next: slot.cells, left: MAX_BINS }
    }

    /// Makes `end` the end, with empty slots where there were none. The oldest leave when the ring is full. Returns
    /// whether any left. O(new slots + slots leaving + their cells).
    pub fn extend(&mut self, end: i64) -> Result<bool> {
        let capacity = self.slots.len() as i64;
        let Ledger { first, end: before, .. } = *self.ledger()?;
        if end <= before && first < before {
            return Ok(false);
        }
        let mut left = false;
        if first == before || end - before >= capacity {
            // No slot held can stay.
            left = first != before;
            self.evict(before)?;
            let ledger = at_mut(self.ledger, 0)?;
            (ledger.first, ledger.end) = (end - 1, end - 1);
        } else if end - first > capacity {
            left = true;
            self.evict((first + self.chunk()).max(end - capacity).min(before))?;
        }
        let start = self.ledger()?.end;
        for slot in start..end {
            at_mut(self.ledger, 0)?.end = slot + 1;
            *self.slot_mut(slot)? = EMPTY;
        }
        Ok(left)
    }

    /// Number of slots that leave together.
    fn chunk(&self) -> i64 {
        (self.slots.len() / 8).max(1) as i64
    }

    /// Lets the slots before `to` go.
    fn evict(&mut self, to: i64) -> Result<()> {
        for slot in self.ledger()?.first..to {
            self.release(slot)?;
            at_mut(self.ledger, 0)?.first = slot + 1;
        }
        Ok(())
    }

    /// Gives a slot's cells back, and forgets its jobs.
    fn release(&mut self, slot: i64) -> Result<()> {
        let mut link = self.slot(slot)?.cells;
        let jobs = self.slot(slot)?.jobs;
        for _ in 0..MAX_BINS {
            if link == NONE {
                break;
            }
            let free = self.ledger()?.free;
            let cell = at_mut(self.cells, link as usize)?;
            let next = core::mem::replace(&mut cell.next, free);
            at_mut(self.ledger, 0)?.free = link;
            link = next;
        }
        let ledger = at_mut(self.ledger, 0)?;
        ledger.jobs = ledger.jobs.saturating_sub(u64::from(jobs));
        Ok(())
    }

    /// Forgets a slot's finished jobs.
    pub fn forget(&mut self, slot: i64) -> Result<()> {
        self.release(slot)?;
        let slot = self.slot_mut(slot)?;
        (slot.cells, slot.jobs) = (NONE, 0);
        Ok(())
    }

    /// Makes a slot that is held the last one: the finished jobs of those after it become its own. O(slots after it x
    /// bins).
    pub fn fold(&mut self, last: i64) -> Result<()> {
        self.slot(last)?;
        let mut counts = [0u32; MAX_BINS];
        for slot in last + 1..self.ledger()?.end {
            for (bin, count) in self.cells(self.slot(slot)?) {
                let sum = at_mut(&mut counts, bin)?;
                *sum = sum.saturating_add(count);
            }
            self.release(slot)?;
        }
        at_mut(self.ledger, 0)?.end = last + 1;
        for (bin, count) in (0u32..).zip(counts).filter(|(_, count)| *count > 0) {
            self.add_many(last, bin, count)?;
        }
        Ok(())
    }

    /// Takes a free cell; returns it, and whether slots left for it. All but the last slot may have to go; if there is
    /// no cell even then, `None`.
    fn take_cell(&mut self) -> Result<(Option<u32>, bool)> {
        let mut left = false;
        loop {
            let ledger = at_mut(self.ledger, 0)?;
            if ledger.free != NONE {
                let index = ledger.free;
                ledger.free = at(self.cells, index as usize)?.next;
                return Ok((Some(index), left));
            }
            if (ledger.fresh as usize) < self.cells.len() {
                ledger.fresh += 1;
                return Ok((Some(ledger.fresh - 1), left));
            }
            let (first, last) = (ledger.first, ledger.end - 1);
            if first >= last {
                return Ok((None, left));
            }
            self.evict((first + self.chunk()).min(last))?;
            left = true;
        }
    }

    /// Puts a finished job into a slot that is held. Returns whether slots left to make room for it; its own slot may
    /// be one of them, and then the job is gone with it. O(bins), but for slots that leave.
    pub fn add(&mut self, slot: i64, bin: u32) -> Result<bool> {
        if self.slot(slot)?.jobs == u32::MAX {
            return Err(Error::Full);
        }
        self.add_many(slot, bin, 1)
    }

    /// [`History::add`] for `count` jobs.
    fn add_many(&mut self, slot: i64, bin: u32, count: u32) -> Result<bool> {
        // The link after which the cell is, or has to be put.
        let mut before = NONE;
        let mut link = self.slot(slot)?.cells;
        for _ in 0..MAX_BINS {
            if link == NONE {
                break;
            }
            let cell = at_mut(self.cells, link as usize)?;
            if cell.bin == bin {
                cell.count = cell.count.saturating_add(count); // no more than the slot's jobs
                return self.counted(slot, count).map(|()| false);
            }
            if cell.bin > bin {
                break;
            }
            before = link;
            link = cell.next;
        }
        let (new, left) = self.take_cell()?;
        if slot < self.ledger()?.first {
            if let Some(new) = new {
                let free = core::mem::replace(&mut at_mut(self.ledger, 0)?.free, new);
                at_mut(self.cells, new as usize)?.next = free;
            }
            return self.count_late().map(|()| left);
        }
        // The last slot alone never fills the pool: there are at least as many cells as bins.
        let new = new.ok_or(Error::Corrupt)?;
        *at_mut(self.cells, new as usize)? = Cell { next: link, bin, count };
        if before == NONE {
            self.slot_mut(slot)?.cells = new;
        } else {
            at_mut(self.cells, before as usize)?.next = new;
        }
        self.counted(slot, count).map(|()| left)
    }

    fn counted(&mut self, slot: i64, count: u32) -> Result<()> {
        let slot = self.slot_mut(slot)?;
        slot.jobs = slot.jobs.saturating_add(count); // checked before
        let ledger = at_mut(self.ledger, 0)?;
        ledger.jobs = ledger.jobs.saturating_add(u64::from(count));
        Ok(())
    }

    /// Counts a job that came too late for its slot.
    pub fn count_late(&mut self) -> Result<()> {
        let ledger = at_mut(self.ledger, 0)?;
        ledger.late = ledger.late.saturating_add(1);
        Ok(())
    }
}

/// A slot's cells; damaged links end it.
pub(crate) struct Cells<'h> {
    cells: &'h [Cell],
    next: u32,
    left: usize,
}

impl Iterator for Cells<'_> {
    type Item = (usize, u32);

    #[inline]
    fn next(&mut self) -> Option<(usize, u32)> {
        self.left = self.left.checked_sub(1)?;
        let cell = self.cells.get(self.next as usize)?;
        self.next = cell.next;
        Some((cell.bin as usize, cell.count))
    }
}
