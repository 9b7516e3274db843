//! The jobs in the system: a table of fixed capacity, found by the caller's 64-bit id in O(1) expected, with each job's
//! keys and the prediction made when it was submitted.
//!
//! All jobs are linked in the order of their submission. Those that are older than the caller's limit are given up,
//! oldest first: they stay in the table, so that a late end is still recognised, but nothing waits for them, and when
//! the table is full the oldest of them makes room. The running jobs of each slot that are not given up are linked in
//! another list, the newest first.

use crate::error::{Error, Result};
use crate::hash::HashIndex;
use crate::hmm::NONE;
use crate::memory::{Carver, at, at_mut, copy, range, range_mut};
use bytemuck::{Pod, Zeroable};

/// A job in the system.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Job {
    pub id: i64,
    /// The slot in which it was submitted; with the contexts, which have no slots, a mark of what they knew then
    /// (`asked_after`), 0 for none.
    pub slot: i64,
    /// Time of its submission.
    pub submitted: i64,
    /// Time of its start, if it runs.
    pub started: i64,
    /// Its neighbours in its slot's list, if it runs; `next` also links free records.
    pub next: u32,
    pub previous: u32,
    /// Its neighbours in the order of submission.
    older: u32,
    newer: u32,
    /// The lowest bin still possible, at the filter's last look.
    pub bin: u32,
    pub running: u32,
    /// Whether it was submitted in the initial period.
    pub initial: u32,
    /// Whether it is given up: older than the limit.
    pub given_up: u32,
    /// Reason why nothing was predicted at its submission, a number of [`Silence`](super::Silence); 0 when something
    /// was.
    pub silence: u32,
    padding: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Counts {
    jobs: u32,
    /// The list of records that are free again.
    free: u32,
    /// The first of the records never used so far.
    fresh: u32,
    /// The two ends of the list in the order of submission.
    oldest: u32,
    newest: u32,
    /// The oldest job that is not given up.
    counted: u32,
}

pub(crate) struct Jobs<'a> {
    counts: &'a mut [Counts],
    records: &'a mut [Job],
    /// Table from a job's id to its record.
    index: HashIndex<'a>,
    /// Each record's keys, and the probabilities predicted at its submission, those of the model alone after them.
    keys: &'a mut [i64],
    said: &'a mut [f64],
    keys_each: usize,
    bins: usize,
    said_each: usize,
}

/// The key of a record, for the hash table.
fn keys_of(records: &[Job]) -> impl Fn(u32) -> Result<u64> + '_ {
    |record| Ok(at(records, record as usize)?.id as u64)
}

impl<'a> Jobs<'a> {
    /// A table for this many jobs, with this many keys and bins each, and `models` for the probabilities of a model
    /// alone beside those predicted.
    #[inline(always)]
    pub fn carve(
        carver: &mut Carver<'a>,
        capacity: u32,
        keys_each: usize,
        bins: usize,
        models: bool,
    ) -> Result<Jobs<'a>> {
        let said_each = if models { bins.checked_mul(2).ok_or(Error::OutOfRange)? } else { bins };
        let capacity = capacity as usize;
        let numbers = |each: usize| capacity.checked_mul(each).ok_or(Error::OutOfRange);
        Ok(Jobs {
            counts: carver.take(1)?,
            records: carver.take(capacity)?,
            index: HashIndex::carve(carver, capacity)?,
            keys: carver.take(numbers(keys_each)?)?,
            said: carver.take(numbers(said_each)?)?,
            keys_each,
            bins,
            said_each,
        })
    }

    /// Empties the table; the memory must be zeroed.
    pub fn clear(&mut self) -> Result<()> {
        *at_mut(self.counts, 0)? =
            Counts { jobs: 0, free: NONE, fresh: 0, oldest: NONE, newest: NONE, counted: NONE };
        Ok(())
    }

    /// Copies the jobs of a table that is not larger, each to the record that it has there; the memory must be zeroed.
    /// O(jobs).
    pub fn continue_from(&mut self, other: &Jobs<'_>) -> Result<()> {
        copy(self.counts, other.counts);
        copy(self.records, other.records);
        copy(self.keys, other.keys);
        copy(self.said, other.said);
        let mut record = self.newest();
        for _ in 0..self.count() {
            // The table finds a record by its key, which it must not have yet.
            let id = core::mem::take(&mut self.job_mut(record)?.id);
            self.index.insert(id as u64, record, keys_of(self.records))?;
            self.job_mut(record)?.id = id;
            record = self.older(record)?;
        }
        Ok(())
    }

    /// Whether the counts are valid.
    pub fn is_sound(&self) -> bool {
        let capacity = self.records.len();
        let place = |record: u32| record == NONE || (record as usize) < capacity;
        self.counts.first().is_some_and(|c| {
            c.jobs as usize <= capacity
                && c.fresh as usize <= capacity
                && [c.free, c.oldest, c.newest, c.counted].into_iter().all(place)
        })
    }

    /// Number of jobs in the system.
    pub fn count(&self) -> u32 {
        self.counts.first().map_or(0, |counts| counts.jobs)
    }

    /// Whether there is no room for another job, not even instead of one that is given up.
    pub fn is_full(&self) -> bool {
        self.count() as usize >= self.records.len() && self.oldest_given_up().is_none()
    }

    /// Record and id of the job that makes room for the next: the oldest, when the table is full and that job is given
    /// up.
    pub fn makes_room(&self) -> Option<(u32, i64)> {
        let id = self.oldest_given_up().filter(|_| self.count() as usize >= self.records.len())?;
        self.counts.first().map(|counts| (counts.oldest, id))
    }

    /// The id of the oldest job, if that is given up.
    fn oldest_given_up(&self) -> Option<i64> {
        let oldest = self.counts.first()?.oldest;
        self.records.get(oldest as usize).filter(|job| job.given_up != 0).map(|job| job.id)
    }

    /// The record of the job with this id.
    pub fn get(&self, id: i64) -> Result<Option<u32>> {
        self.index.find(id as u64, keys_of(self.records))
    }

    pub fn job(&self, record: u32) -> Result<&Job> {
        at(self.records, record as usize)
    }

    pub fn job_mut(&mut self, record: u32) -> Result<&mut Job> {
        at_mut(self.records, record as usize)
    }

    /// A job's keys.
    pub fn keys(&self, record: u32) -> Result<&[i64]> {
        range(self.keys, record as usize * self.keys_each, self.keys_each)
    }

    /// Memory of the probabilities predicted at a job's submission.
    pub fn said_mut(&mut self, record: u32) -> Result<&mut [f64]> {
        range_mut(self.said, record as usize * self.said_each, self.bins)
    }

    /// The probabilities predicted at a job's submission; without meaning if it has a silence.
    pub fn said(&self, record: u32) -> Result<&[f64]> {
        range(self.said, record as usize * self.said_each, self.bins)
    }

    /// Memory of the probabilities that a model alone gave a job at its submission; empty without models.
    pub fn own_mut(&mut self, record: u32) -> Result<&mut [f64]> {
        let beside = self.said_each.saturating_sub(self.bins);
        range_mut(self.said, record as usize * self.said_each + self.bins, beside)
    }

    /// The probabilities that a model alone gave a job at its submission; without meaning if it has a silence.
    pub fn own(&self, record: u32) -> Result<&[f64]> {
        let beside = self.said_each.saturating_sub(self.bins);
        range(self.said, record as usize * self.said_each + self.bins, beside)
    }

    /// Adds a queued job that is not there yet, with its keys and its prediction, or the reason why there is none. It
    /// is no older than any other. When the table is full the oldest job makes room, if it is given up.
    pub fn insert(
        &mut self,
        id: i64,
        slot: i64,
        submitted: i64,
        keys: &[i64],
        said: core::result::Result<&[f64], u32>,
    ) -> Result<u32> {
        if self.count() as usize >= self.records.len() {
            let given_up = self.oldest_given_up().ok_or(Error::Full)?;
            self.remove(given_up)?;
        }
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
        self.index.insert(id as u64, record, keys_of(self.records))?;
        counts.jobs = counts.jobs.saturating_add(1);
        let older = core::mem::replace(&mut counts.newest, record);
        if older == NONE {
            counts.oldest = record;
        }
        if counts.counted == NONE {
            counts.counted = record;
        }
        *self.job_mut(record)? = Job { id, slot, submitted, older, newer: NONE, ..Job::zeroed() };
        if older != NONE {
            self.job_mut(older)?.newer = record;
        }
        let row = range_mut(self.keys, record as usize * self.keys_each, self.keys_each)?;
        for (to, from) in row.iter_mut().zip(keys) {
            *to = *from;
        }
        match said {
            Ok(said) => {
                let row = self.said_mut(record)?;
                for (to, from) in row.iter_mut().zip(said) {
                    *to = *from;
                }
            }
            Err(silence) => self.job_mut(record)?.silence = silence,
        }
        Ok(record)
    }

    /// Takes a job out.
    pub fn remove(&mut self, id: i64) -> Result<()> {
        let record = self.index.remove(id as u64, keys_of(self.records))?;
        let Job { older, newer, .. } = *self.job(record)?;
        let counts = at_mut(self.counts, 0)?;
        counts.jobs = counts.jobs.saturating_sub(1);
        if counts.counted == record {
            counts.counted = newer;
        }
        if older == NONE {
            counts.oldest = newer;
        }
        if newer == NONE {
            counts.newest = older;
        }
        let free = core::mem::replace(&mut counts.free, record);
        if older != NONE {
            self.job_mut(older)?.newer = newer;
        }
        if newer != NONE {
            self.job_mut(newer)?.older = older;
        }
        *self.job_mut(record)? = Job { next: free, ..Job::zeroed() };
        Ok(())
    }

    /// The oldest job that is not given up.
    pub fn oldest_counted(&self) -> Option<(u32, &Job)> {
        let record = self.counts.first()?.counted;
        self.records.get(record as usize).map(|job| (record, job))
    }

    /// Gives up the oldest job that is not given up yet.
    pub fn give_up(&mut self, record: u32) -> Result<()> {
        let job = self.job_mut(record)?;
        job.given_up = 1;
        let newer = job.newer;
        at_mut(self.counts, 0)?.counted = newer;
        Ok(())
    }

    /// The youngest job that is given up.
    pub fn youngest_given_up(&self) -> Option<(u32, &Job)> {
        let counts = self.counts.first()?;
        let record = match counts.counted {
            NONE => counts.newest,
            counted => self.records.get(counted as usize)?.older,
        };
        self.records.get(record as usize).filter(|job| job.given_up != 0).map(|job| (record, job))
    }

    /// Takes up again the youngest job that is given up.
    pub fn take_up(&mut self, record: u32) -> Result<()> {
        self.job_mut(record)?.given_up = 0;
        at_mut(self.counts, 0)?.counted = record;
        Ok(())
    }

    /// The jobs and their keys, the oldest first.
    pub fn by_age(&self) -> impl Iterator<Item = (&Job, &[i64])> {
        let mut next = self.counts.first().map_or(NONE, |counts| counts.oldest);
        (0..self.count()).map_while(move |_| {
            let (job, keys) = (self.records.get(next as usize)?, self.keys(next).ok()?);
            next = job.newer;
            Some((job, keys))
        })
    }

    /// The newest job, and the one submitted before a job.
    pub fn newest(&self) -> u32 {
        self.counts.first().map_or(NONE, |counts| counts.newest)
    }

    pub fn older(&self, record: u32) -> Result<u32> {
        Ok(self.job(record)?.older)
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

    /// The jobs of the list that starts with `first`; damaged links end it.
    pub fn list(&self, first: u32) -> List<'_> {
        List { records: self.records, next: first, left: self.records.len() }
    }
}

/// The running jobs of a slot.
#[derive(Clone)]
pub(crate) struct List<'j> {
    records: &'j [Job],
    next: u32,
    left: usize,
}

impl<'j> Iterator for List<'j> {
    type Item = &'j Job;

    fn next(&mut self) -> Option<&'j Job> {
        self.left = self.left.checked_sub(1)?;
        let job = self.records.get(self.next as usize)?;
        self.next = job.next;
        Some(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn finds_what_a_map_finds() {
        let mut measure = Carver::measuring();
        Jobs::carve(&mut measure, 37, 1, 2, true).unwrap();
        let mut memory = vec![0u64; measure.size() / 8];
        let bytes = bytemuck::cast_slice_mut(&mut memory);
        let mut jobs = Jobs::carve(&mut Carver::of(bytes).unwrap(), 37, 1, 2, true).unwrap();
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
                assert_eq!(jobs.keys(record).unwrap(), [!map[&id]]);
                assert_eq!(jobs.said(record).unwrap(), [map[&id] as f64, 0.5]);
                if random >> 63 == 0 {
                    map.remove(&id);
                    jobs.remove(id).unwrap();
                }
            } else {
                assert_eq!(jobs.get(id).unwrap(), None);
                assert_eq!(jobs.is_full(), map.len() == 37);
                if !jobs.is_full() {
                    map.insert(id, step);
                    jobs.insert(id, step, step, &[!step], Ok(&[step as f64, 0.5])).unwrap();
                }
            }
            assert_eq!(jobs.count() as usize, map.len());
            // In the order of their submission.
            let mut steps: Vec<i64> = map.values().copied().collect();
            steps.sort_unstable();
            assert!(jobs.by_age().map(|(job, _)| job.submitted).eq(steps));
        }
        for id in map.keys() {
            jobs.remove(*id).unwrap();
        }
        assert_eq!(jobs.count(), 0);
    }
    #[test]
    fn what_is_given_up_makes_room_oldest_first() {
        let mut measure = Carver::measuring();
        Jobs::carve(&mut measure, 3, 0, 1, false).unwrap();
        let mut memory = vec![0u64; measure.size() / 8];
        let bytes = bytemuck::cast_slice_mut(&mut memory);
        let mut jobs = Jobs::carve(&mut Carver::of(bytes).unwrap(), 3, 0, 1, false).unwrap();
        jobs.clear().unwrap();
        for id in 1..=3 {
            jobs.insert(id, id, 10 * id, &[], Err(7)).unwrap();
        }
        assert!(jobs.is_full());
        assert_eq!(jobs.insert(4, 4, 40, &[], Err(7)), Err(Error::Full));
        for id in 1..=2 {
            let (record, job) = jobs.oldest_counted().unwrap();
            assert_eq!((job.id, job.silence), (id, 7));
            jobs.give_up(record).unwrap();
        }
        // Given up, they are still known, until another needs the room.
        jobs.remove(2).unwrap();
        assert!(!jobs.is_full() && jobs.get(1).unwrap().is_some());
        jobs.insert(4, 4, 40, &[], Err(7)).unwrap();
        assert!(!jobs.is_full());
        jobs.insert(5, 5, 50, &[], Err(7)).unwrap();
        assert!(jobs.is_full() && jobs.get(1).unwrap().is_none());
        assert!(jobs.by_age().map(|(job, _)| job.id).eq([3, 4, 5]));
        assert_eq!(jobs.oldest_counted().unwrap().1.id, 3);
    }
}
