//! The jobs in the system: a table of fixed capacity, found by the caller's 64-bit id in O(1) expected.
//!
//! Open addressing with linear probing over twice the capacity; a deletion moves later entries up, so that there are no
//! tombstones and the table does not age. The running jobs of each slot are linked in a list, the newest first.

use crate::error::{Error, Result};
use crate::hmm::NONE;
use crate::memory::{Carver, at, at_mut};
use bytemuck::{Pod, Zeroable};

/// A job in the system.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Job {
    pub id: i64,
    /// The slot in which it was submitted.
    pub slot: i64,
    /// When it started, if it runs.
    pub started: i64,
    /// Its neighbours in its slot's list, if it runs; `next` also links what is free.
    pub next: u32,
    pub previous: u32,
    /// The lowest bin still possible, as the filter last saw it.
    pub bin: u32,
    pub running: u32,
    /// Whether it was submitted in the initial period.
    pub initial: u32,
    padding: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Counts {
    jobs: u32,
    /// The list of records that are free again.
    free: u32,
    /// Records never used so far start here.
    fresh: u32,
    padding: u32,
}

pub(super) struct Jobs<'a> {
    counts: &'a mut [Counts],
    records: &'a mut [Job],
    /// Record numbers plus 1, 0 where there is none; a power of two of them.
    index: &'a mut [u32],
}

/// Spreads ids over all bits (the finaliser of splitmix64).
fn spread(id: i64) -> u64 {
    let z = id.cast_unsigned();
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl<'a> Jobs<'a> {
    pub fn carve(carver: &mut Carver<'a>, capacity: u32) -> Result<Jobs<'a>> {
        Ok(Jobs {
            counts: carver.take(1)?,
            records: carver.take(capacity as usize)?,
            index: carver.take((2 * capacity as usize).next_power_of_two())?,
        })
    }

    /// No jobs; the index must be zeroed.
    pub fn clear(&mut self) -> Result<()> {
        *at_mut(self.counts, 0)? = Counts { jobs: 0, free: NONE, fresh: 0, padding: 0 };
        Ok(())
    }

    /// Whether the counts can be.
    pub fn is_sound(&self) -> bool {
        let capacity = self.records.len();
        self.counts.first().is_some_and(|c| c.jobs as usize <= capacity && c.fresh as usize <= capacity)
    }

    /// Jobs in the system.
    pub fn count(&self) -> u32 {
        self.counts.first().map_or(0, |counts| counts.jobs)
    }

    pub fn is_full(&self) -> bool {
        self.count() as usize >= self.records.len()
    }

    fn mask(&self) -> usize {
        self.index.len().saturating_sub(1)
    }

    fn home(&self, id: i64) -> usize {
        spread(id) as usize & self.mask()
    }

    /// The place in the index, and the record.
    fn find(&self, id: i64) -> Result<Option<(usize, u32)>> {
        let mut place = self.home(id);
        for _ in 0..self.index.len() {
            let Some(record) = at(self.index, place)?.checked_sub(1) else { return Ok(None) };
            if self.job(record)?.id == id {
                return Ok(Some((place, record)));
            }
            place = (place + 1) & self.mask();
        }
        Err(Error::Corrupt)
    }

    /// The record of the job with this id.
    pub fn get(&self, id: i64) -> Result<Option<u32>> {
        Ok(self.find(id)?.map(|(_, record)| record))
    }

    pub fn job(&self, record: u32) -> Result<&Job> {
        at(self.records, record as usize)
    }

    pub fn job_mut(&mut self, record: u32) -> Result<&mut Job> {
        at_mut(self.records, record as usize)
    }

    /// Adds a queued job that is not there yet.
    pub fn insert(&mut self, id: i64, slot: i64, initial: bool) -> Result<()> {
        let counts = at_mut(self.counts, 0)?;
        let record = if counts.free != NONE {
            let record = counts.free;
            counts.free = at(self.records, record as usize)?.next;
            record
        } else {
            let record = counts.fresh;
            at(self.records, record as usize).map_err(|_| Error::Full)?;
            counts.fresh = counts.fresh.saturating_add(1);
            record
        };
        counts.jobs = counts.jobs.saturating_add(1);
        *self.job_mut(record)? = Job { id, slot, initial: u32::from(initial), ..Job::zeroed() };
        let mut place = self.home(id);
        for _ in 0..self.index.len() {
            let entry = at_mut(self.index, place)?;
            if *entry == 0 {
                *entry = record.saturating_add(1);
                return Ok(());
            }
            place = (place + 1) & self.mask();
        }
        Err(Error::Corrupt)
    }

    /// Takes a job out.
    pub fn remove(&mut self, id: i64) -> Result<()> {
        let (mut hole, record) = self.find(id)?.ok_or(Error::Corrupt)?;
        let mask = self.mask();
        let mut place = hole;
        for _ in 0..self.index.len() {
            place = (place + 1) & mask;
            let Some(other) = at(self.index, place)?.checked_sub(1) else { break };
            // It may move up unless that would put it before the place where its search begins.
            let home = self.home(self.job(other)?.id);
            if place.wrapping_sub(home) & mask >= place.wrapping_sub(hole) & mask {
                *at_mut(self.index, hole)? = other.saturating_add(1);
                hole = place;
            }
        }
        *at_mut(self.index, hole)? = 0;
        let counts = at_mut(self.counts, 0)?;
        counts.jobs = counts.jobs.saturating_sub(1);
        let free = core::mem::replace(&mut counts.free, record);
        *self.job_mut(record)? = Job { next: free, ..Job::zeroed() };
        Ok(())
    }

    /// Puts a job at the front of the list that starts with `first`, which is then the job.
    pub fn link(&mut self, record: u32, first: &mut u32) -> Result<()> {
        let next = core::mem::replace(first, record);
        let job = self.job_mut(record)?;
        (job.next, job.previous) = (next, NONE);
        if next != NONE {
            self.job_mut(next)?.previous = record;
        }
        Ok(())
    }

    /// Takes a job out of the list that starts with `first`.
    pub fn unlink(&mut self, record: u32, first: &mut u32) -> Result<()> {
        let Job { next, previous, .. } = *self.job(record)?;
        if next != NONE {
            self.job_mut(next)?.previous = previous;
        }
        if previous == NONE {
            *first = next;
        } else {
            self.job_mut(previous)?.next = next;
        }
        Ok(())
    }

    /// The records of the list that starts with `first`.
    pub fn list(&self, first: u32) -> List<'_> {
        List { records: self.records, next: first, left: self.records.len() }
    }
}

/// The running jobs of a slot; damaged links end it.
#[derive(Clone)]
pub(super) struct List<'j> {
    records: &'j [Job],
    next: u32,
    left: usize,
}

impl Iterator for List<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let record = self.next;
        self.next = self.records.get(record as usize)?.next;
        Some(record)
    }
}

/// The lowest bins still possible for the jobs of a list.
#[derive(Clone)]
pub(super) struct Bins<'j>(pub List<'j>);

impl Iterator for Bins<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let records = self.0.records;
        self.0.next().and_then(|record| records.get(record as usize)).map(|job| job.bin as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::vec;

    #[test]
    fn finds_what_a_map_finds() {
        let mut measure = Carver::measuring();
        Jobs::carve(&mut measure, 37).unwrap();
        let mut memory = vec![0u64; measure.size() / 8];
        let mut jobs =
            Jobs::carve(&mut Carver::of(bytemuck::cast_slice_mut(&mut memory)).unwrap(), 37).unwrap();
        jobs.clear().unwrap();
        let mut map = HashMap::new();
        let mut random = 7u64;
        for step in 0..40_000i64 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            // Few ids, so that all come and go often, in runs that collide or not.
            let id = ((random >> 40) % 80) as i64 * if step < 20_000 { 1 } else { 1 << 40 };
            if map.contains_key(&id) {
                let record = jobs.get(id).unwrap().unwrap();
                assert_eq!(jobs.job(record).unwrap().slot, map[&id]);
                if random >> 63 == 0 {
                    map.remove(&id);
                    jobs.remove(id).unwrap();
                }
            } else {
                assert_eq!(jobs.get(id).unwrap(), None);
                assert_eq!(jobs.is_full(), map.len() == 37);
                if !jobs.is_full() {
                    map.insert(id, step);
                    jobs.insert(id, step, false).unwrap();
                }
            }
            assert_eq!(jobs.count() as usize, map.len());
        }
        for id in map.keys() {
            jobs.remove(*id).unwrap();
        }
        assert_eq!(jobs.count(), 0);
        assert!(jobs.index.iter().all(|&entry| entry == 0));
    }
}
