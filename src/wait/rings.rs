//! The remembered jobs in the order of their keys, in rings of 256: a job that comes in and another that leaves move a
//! part of two rings, and one job of each ring between them, instead of all that lie between. An order without rings
//! moved 40 kB for each wait among 8,192.
//!
//! Within a ring the order begins anywhere and goes round its end. Where it begins is not stored: it is where keys
//! fall, as no two are the same. All rings but the last are full; an order that begins with each ring's first place,
//! as checkpoints of before have it, is one of these.

use crate::error::{Error, Result};
use crate::memory::{at_mut, range_mut};
use bytemuck::{Pod, Zeroable};

/// A remembered job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Neighbour {
    /// The index, and below it the job's number, so that no two keys are the same.
    pub(super) key: u64,
    pub(super) wait: u64,
}

impl Neighbour {
    pub(super) fn index(&self) -> u32 {
        (self.key >> 32) as u32
    }
}

/// Jobs of a ring.
const RING: usize = 256;

/// The ring of this number; empty behind the last.
fn ring(jobs: &[Neighbour], number: usize) -> &[Neighbour] {
    let behind = jobs.get(number.saturating_mul(RING)..).unwrap_or_default();
    behind.get(..RING).unwrap_or(behind)
}

/// Where the order of a ring begins.
fn start_of(ring: &[Neighbour]) -> usize {
    let Some(first) = ring.first() else { return 0 };
    let start = ring.partition_point(|job| job.key >= first.key);
    if start < ring.len() { start } else { 0 }
}

/// Number of jobs of a ring with a smaller key.
fn rank_in(ring: &[Neighbour], key: u64) -> usize {
    let (high, low) = ring.split_at_checked(start_of(ring)).unwrap_or((&[], ring));
    let smaller = |part: &[Neighbour]| part.partition_point(|job| job.key < key);
    match high.first() {
        Some(first) if first.key < key => low.len() + smaller(high),
        _ => smaller(low),
    }
}

/// Number of jobs with a smaller key. O(log n).
pub(super) fn rank(jobs: &[Neighbour], key: u64) -> usize {
    // The rings that lie before the one with the boundary, or this one too: by a key of each.
    let (mut low, mut high) = (0, jobs.len().div_ceil(RING));
    while low < high {
        let middle = low + (high - low) / 2;
        if ring(jobs, middle).first().is_some_and(|job| job.key < key) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    if let Some(before) = low.checked_sub(1) {
        let (ring, within) = (ring(jobs, before), rank_in(ring(jobs, before), key));
        if within < ring.len() {
            return before * RING + within;
        }
    }
    (low * RING + rank_in(ring(jobs, low), key)).min(jobs.len())
}

/// The job at a place of the order.
pub(super) fn job_at(jobs: &[Neighbour], place: usize) -> Option<&Neighbour> {
    job_in(ring(jobs, place / RING), start_of(ring(jobs, place / RING)), place % RING)
}

/// The job at a place of a ring whose order begins at `start`.
fn job_in(ring: &[Neighbour], start: usize, within: usize) -> Option<&Neighbour> {
    if within >= ring.len() {
        return None;
    }
    let behind = start + within;
    ring.get(if behind < ring.len() { behind } else { behind - ring.len() })
}

/// Rings whose beginnings are sought once: as many as 600 places lie in.
const SOUGHT: usize = 4;

/// Some rings, to be asked for many places.
pub(super) struct Sought<'s> {
    jobs: &'s [Neighbour],
    first: usize,
    starts: [usize; SOUGHT],
}

impl<'s> Sought<'s> {
    /// The rings from that of a place on.
    pub(super) fn from(jobs: &'s [Neighbour], place: usize) -> Sought<'s> {
        let first = place / RING;
        Sought { jobs, first, starts: core::array::from_fn(|number| start_of(ring(jobs, first + number))) }
    }

    /// The job at a place of the order.
    pub(super) fn job_at(&self, place: usize) -> Option<&'s Neighbour> {
        let start = (place / RING).checked_sub(self.first).and_then(|number| self.starts.get(number));
        match start {
            Some(start) => job_in(ring(self.jobs, place / RING), *start, place % RING),
            None => job_at(self.jobs, place),
        }
    }
}

/// Calls `each` with the jobs of these places of the order, some at a time.
pub(super) fn each_run<'s>(
    jobs: &'s [Neighbour],
    from: usize,
    count: usize,
    mut each: impl FnMut(&'s [Neighbour]),
) -> Result<()> {
    let (mut place, mut left) = (from, count);
    while left > 0 {
        let (ring, within) = (ring(jobs, place / RING), place % RING);
        let taken = ring.len().saturating_sub(within).min(left);
        if taken == 0 {
            return Err(Error::Corrupt);
        }
        let (high, low) = ring.split_at_checked(start_of(ring)).unwrap_or((&[], ring));
        let in_low = low.get(within..).unwrap_or_default();
        let in_low = in_low.get(..taken).unwrap_or(in_low);
        each(in_low);
        let in_high = high.get(within.saturating_sub(low.len())..).unwrap_or_default();
        each(in_high.get(..taken - in_low.len()).unwrap_or_default());
        (place, left) = (place + taken, left - taken);
    }
    Ok(())
}

/// Moves all but the last one place on.
fn move_up(run: &mut [Neighbour]) {
    let others = run.len().saturating_sub(1);
    run.copy_within(..others, run.len() - others);
}

/// Moves all but the first one place back.
fn move_down(run: &mut [Neighbour]) {
    run.copy_within(run.len().min(1).., 0);
}

/// A ring and where its order begins.
struct Ring<'s> {
    jobs: &'s mut [Neighbour],
    start: usize,
}

impl Ring<'_> {
    fn of(jobs: &mut [Neighbour], number: usize) -> Result<Ring<'_>> {
        let behind = jobs.get_mut(number.saturating_mul(RING)..).ok_or(Error::Corrupt)?;
        let len = behind.len().min(RING);
        let jobs = behind.get_mut(..len).ok_or(Error::Corrupt)?;
        let start = start_of(jobs);
        Ok(Ring { jobs, start })
    }

    fn last(&self) -> usize {
        self.jobs.len().saturating_sub(1)
    }

    /// Puts a job at a place of the order; returns the one that was there.
    fn put(&mut self, place: usize, job: Neighbour) -> Result<Neighbour> {
        let from_start = self.start + place;
        let place = from_start.checked_rem(self.jobs.len()).ok_or(Error::Corrupt)?;
        Ok(core::mem::replace(at_mut(self.jobs, place)?, job))
    }

    /// The stretches of memory that these places of the order lie in, `from` before or at `to`: one, or two around the
    /// end.
    fn stretches(&self, from: usize, to: usize) -> ((usize, usize), Option<(usize, usize)>) {
        let (len, from, to) = (self.jobs.len(), self.start + from, self.start + to);
        match (from >= len, to >= len) {
            (false, false) => ((from, to), None),
            (true, _) => ((from - len, to.saturating_sub(len)), None),
            _ => ((from, len.saturating_sub(1)), Some((0, to - len))),
        }
    }

    fn run(&mut self, (from, to): (usize, usize)) -> Result<&mut [Neighbour]> {
        range_mut(self.jobs, from, (to + 1).saturating_sub(from))
    }

    /// Puts a job at a place of the order, those from there up to `hole` one place on; returns the one of `hole`.
    fn put_before(&mut self, place: usize, hole: usize, job: Neighbour) -> Result<Neighbour> {
        let (first, second) = self.stretches(place, hole);
        let out;
        if let Some(second) = second {
            let across = *at_mut(self.jobs, first.1)?;
            let run = self.run(second)?;
            out = run.last().copied();
            move_up(run);
            *at_mut(run, 0)? = across;
            move_up(self.run(first)?);
        } else {
            let run = self.run(first)?;
            out = run.last().copied();
            move_up(run);
        }
        self.put(place, job)?;
        out.ok_or(Error::Corrupt)
    }

    /// Puts a job at a place of the order, those from there back to `hole` one place back; returns the one of `hole`.
    fn put_behind(&mut self, place: usize, hole: usize, job: Neighbour) -> Result<Neighbour> {
        let (first, second) = self.stretches(hole, place);
        let run = self.run(first)?;
        let out = run.first().copied();
        move_down(run);
        if let Some(second) = second {
            let across = *at_mut(self.jobs, second.0)?;
            *at_mut(self.jobs, first.1)? = across;
            move_down(self.run(second)?);
        }
        self.put(place, job)?;
        out.ok_or(Error::Corrupt)
    }
}

/// Puts a job in its place in the order; the one at the place `hole` leaves. O(log n), 1 / 256 of the jobs between the
/// two, and 256.
pub(super) fn replace(jobs: &mut [Neighbour], hole: usize, added: Neighbour) -> Result<()> {
    let rank = rank(jobs, added.key);
    let place = if rank > hole { rank - 1 } else { rank };
    let (to, from) = (place / RING, hole / RING);
    let (within, hole) = (place % RING, hole % RING);
    let mut carried = added;
    if to < from {
        let mut first = Ring::of(jobs, to)?;
        carried = first.put_before(within, first.last(), carried)?;
        for number in to + 1..from {
            // The largest gives its place to the smallest, which comes in.
            let mut ring = Ring::of(jobs, number)?;
            carried = ring.put(ring.last(), carried)?;
        }
        Ring::of(jobs, from)?.put_before(0, hole, carried)?;
    } else if to > from {
        carried = Ring::of(jobs, to)?.put_behind(within, 0, carried)?;
        for number in (from + 1..to).rev() {
            carried = Ring::of(jobs, number)?.put(0, carried)?;
        }
        let mut last = Ring::of(jobs, from)?;
        last.put_behind(last.last(), hole, carried)?;
    } else if within <= hole {
        Ring::of(jobs, to)?.put_before(within, hole, carried)?;
    } else {
        Ring::of(jobs, to)?.put_behind(within, hole, carried)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::mix::mix;
    use std::vec::Vec;

    fn ordered(jobs: &[Neighbour]) -> Vec<Neighbour> {
        let mut all = Vec::new();
        each_run(jobs, 0, jobs.len(), |run| all.extend_from_slice(run)).unwrap();
        all
    }

    /// Against a sorted list, while the order grows and when each job displaces one.
    #[test]
    fn an_order_of_rings_is_the_order() {
        for (room, turns) in [(1, 20), (100, 3000), (256, 3000), (257, 3000), (1000, 20_000), (1700, 20_000)]
        {
            let (mut jobs, mut sorted) = (Vec::new(), Vec::<Neighbour>::new());
            let mut random = room as u64;
            for turn in 0..turns {
                random = mix(random);
                // Keys of some places at times, so that rings fill up from one side.
                let high = if turn / 500 % 3 == 1 { random % 7 } else { random >> 33 };
                let added = Neighbour { key: high << 32 | turn, wait: turn };
                let hole = if jobs.len() < room {
                    jobs.push(Neighbour { key: u64::MAX, wait: 0 });
                    jobs.len() - 1
                } else {
                    let hole = (mix(random) % room as u64) as usize;
                    sorted.remove(hole);
                    hole
                };
                replace(&mut jobs, hole, added).unwrap();
                sorted.insert(sorted.partition_point(|other| other.key < added.key), added);
                let place = (mix(random + 1) % jobs.len() as u64) as usize;
                assert_eq!(job_at(&jobs, place), sorted.get(place), "{room} {turn}");
                assert_eq!(job_at(&jobs, jobs.len()), None);
                let sought = Sought::from(&jobs, place.saturating_sub(300));
                for other in [place.saturating_sub(300), place, place + 299, place + 2000] {
                    assert_eq!(sought.job_at(other), sorted.get(other), "{room} {turn}");
                }
                let key = sorted[place].key;
                assert_eq!((rank(&jobs, key), rank(&jobs, key + 1)), (place, place + 1), "{room} {turn}");
                let count = (jobs.len() - place).min(300);
                let mut found = Vec::new();
                each_run(&jobs, place, count, |run| found.extend_from_slice(run)).unwrap();
                assert_eq!(found, sorted[place..place + count], "{room} {turn}");
                if turn % 50 == 0 {
                    assert_eq!(ordered(&jobs), sorted, "{room} {turn}");
                }
            }
            assert_eq!(each_run(&jobs, 1, jobs.len(), |_| ()), Err(Error::Corrupt));
            assert_eq!(rank(&jobs, u64::MAX), jobs.len());
        }
    }

    /// The jobs of a damaged block are in no order: the calls end all the same.
    #[test]
    fn what_is_no_order_ends() {
        let mut random = 1;
        let mut jobs: Vec<Neighbour> = (0..700)
            .map(|wait| {
                random = mix(random);
                Neighbour { key: random, wait }
            })
            .collect();
        for _ in 0..2000 {
            random = mix(random);
            let key = mix(random);
            rank(&jobs, key);
            let _ = replace(&mut jobs, random as usize % 800, Neighbour { key, wait: 0 });
            let _ = each_run(&jobs, random as usize % 900, 300, |_| ());
        }
    }
}
