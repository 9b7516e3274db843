//! Sorts releases into instants.

use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use bytemuck::{Pod, Zeroable};

/// Bits for the job of an entry, and whether it is its first: there are at most 2^21 running jobs and candidates.
const JOB_BITS: u32 = 22;

/// One release in time order, in eight bytes, because a pass has room for one for each event that it can hold. The time
/// has the highest bits, and the lowest is 0 for a job's first release: they are ordered as by a stable sort by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Entry(u64);

impl Entry {
    /// A release `after` seconds from now (0 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)) of the running job or of
    /// the candidate with this index, and whether it is the job's first.
    pub(super) fn new(after: i64, job: u32, first: bool) -> Entry {
        Entry((after as u64) << JOB_BITS | u64::from(job) << 1 & ((1 << JOB_BITS) - 1) | u64::from(!first))
    }

    /// Seconds from now.
    pub(super) fn after(self) -> i64 {
        (self.0 >> JOB_BITS) as i64
    }

    /// Index of the running job or of the candidate.
    pub(super) fn job(self) -> u32 {
        (self.0 & ((1 << JOB_BITS) - 1)) as u32 >> 1
    }

    /// Whether it is the job's first release.
    pub(super) fn first(self) -> bool {
        self.0 & 1 == 0
    }
}

/// Releases in time order, with the first of each instant, which is all releases of one second; and their number behind
/// the last.
#[derive(Clone, Copy)]
pub(super) struct Timeline<'a> {
    pub entries: &'a [Entry],
    pub begins: &'a [u32],
}

impl<'a> Timeline<'a> {
    /// The releases of the instants from `begin` to before `end`.
    pub(super) fn between(self, begin: usize, end: usize) -> Result<&'a [Entry]> {
        let (begin, end) = (*at(self.begins, begin)?, *at(self.begins, end)?);
        range(self.entries, begin as usize, end.checked_sub(begin).ok_or(Error::Corrupt)? as usize)
    }

    /// The releases of an instant.
    pub(super) fn instant(self, index: usize) -> Result<&'a [Entry]> {
        self.between(index, index + 1)
    }

    /// Seconds from now until an instant.
    pub(super) fn after(self, index: usize) -> Result<i64> {
        Ok(at(self.entries, *at(self.begins, index)? as usize)?.after())
    }
}

const DIGIT_BITS: u32 = 10;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Number of entries below which each is put into its place among those before it: that takes fewer instructions than
/// to clear and to add up the counters of all digits.
const FEW: usize = 64;

/// Sorts by time, stably, in O(entries x digits of the latest time): least significant digit first, 10 bits a digit.
///
/// Written out because the standard library's sorts contain a panic for inconsistent orders.
pub(super) fn sort(entries: &mut [Entry], spare: &mut [Entry]) -> Result<()> {
    if entries.len() < FEW {
        return insert(entries);
    }
    let spare = range_mut(spare, 0, entries.len())?;
    let latest = entries.iter().fold(0, |latest, entry| latest | entry.after());
    let mut in_spare = false;
    let mut shift = 0;
    while shift < i64::BITS && latest >> shift != 0 {
        if in_spare {
            scatter(spare, entries, shift)?;
        } else {
            scatter(entries, spare, shift)?;
        }
        in_spare = !in_spare;
        shift += DIGIT_BITS;
    }
    if in_spare {
        for (to, from) in entries.iter_mut().zip(spare) {
            *to = *from;
        }
    }
    Ok(())
}

/// Sorts by time, stably, in O(entries^2), O(entries) where they are sorted already.
fn insert(entries: &mut [Entry]) -> Result<()> {
    for end in 1..entries.len() {
        let entry = *at(entries, end)?;
        let mut hole = end;
        while let Some(before) = hole.checked_sub(1) {
            let earlier = *at(entries, before)?;
            if earlier.after() <= entry.after() {
                break;
            }
            *at_mut(entries, hole)? = earlier;
            hole = before;
        }
        *at_mut(entries, hole)? = entry;
    }
    Ok(())
}

/// Sorts without spare memory, in O(entries x log entries): by a heap. Equal entries may change places.
pub(super) fn sort_in_place<T: Copy + Ord>(entries: &mut [T]) -> Result<()> {
    for root in (0..entries.len() / 2).rev() {
        sink(entries, root)?;
    }
    for last in (1..entries.len()).rev() {
        let (latest, moved) = (*at(entries, 0)?, *at(entries, last)?);
        *at_mut(entries, last)? = latest;
        *at_mut(entries, 0)? = moved;
        sink(range_mut(entries, 0, last)?, 0)?;
    }
    Ok(())
}

/// Moves an entry down a heap whose other parents are none of them before their children.
fn sink<T: Copy + Ord>(heap: &mut [T], root: usize) -> Result<()> {
    let sinking = *at(heap, root)?;
    let mut hole = root;
    while let Some(&left) = heap.get(2 * hole + 1) {
        let right = heap.get(2 * hole + 2).copied().filter(|&right| right > left);
        let (child, later) = right.map_or((2 * hole + 1, left), |right| (2 * hole + 2, right));
        if later <= sinking {
            break;
        }
        *at_mut(heap, hole)? = later;
        hole = child;
    }
    *at_mut(heap, hole)? = sinking;
    Ok(())
}

/// Merges the `new` entries at the end, themselves in time order, with the sorted ones before them; at equal times they
/// come last. O(entries).
pub(super) fn merge(entries: &mut [Entry], new: usize, spare: &mut [Entry]) -> Result<()> {
    let old = entries.len().saturating_sub(new);
    let fresh = range_mut(spare, 0, new)?;
    for (to, from) in fresh.iter_mut().zip(range(entries, old, new)?) {
        *to = *from;
    }
    // Filled from the back, where there is room.
    let (mut old, mut new) = (old, new);
    while let Some(last_new) = new.checked_sub(1) {
        let fresh = at(fresh, last_new)?;
        let place = old + last_new;
        match old.checked_sub(1) {
            Some(last_old) if at(entries, last_old)?.after() > fresh.after() => {
                *at_mut(entries, place)? = *at(entries, last_old)?;
                old = last_old;
            }
            _ => {
                *at_mut(entries, place)? = *fresh;
                new = last_new;
            }
        }
    }
    Ok(())
}

fn digit(entry: &Entry, shift: u32) -> usize {
    (entry.after() >> shift) as usize % DIGITS
}

fn scatter(from: &[Entry], to: &mut [Entry], shift: u32) -> Result<()> {
    let mut places = [0u32; DIGITS];
    for entry in from {
        *at_mut(&mut places, digit(entry, shift))? += 1;
    }
    let mut next = 0;
    for place in &mut places {
        next += core::mem::replace(place, next);
    }
    for entry in from {
        let place = at_mut(&mut places, digit(entry, shift))?;
        *at_mut(to, *place as usize)? = *entry;
        *place += 1;
    }
    Ok(())
}

/// Writes the first entry of each instant of sorted entries, and behind the last their number; returns the number of
/// instants.
pub(super) fn gather(entries: &[Entry], begins: &mut [u32]) -> Result<usize> {
    let (mut count, mut last) = (0, None);
    for (index, entry) in (0u32..).zip(entries) {
        if last.replace(entry.after()) != Some(entry.after()) {
            *at_mut(begins, count)? = index;
            count += 1;
        }
    }
    *at_mut(begins, count)? = entries.len() as u32;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::MAX_SECONDS;
    use proptest::prelude::*;
    use std::vec::Vec;

    proptest! {
        #[test]
        fn merging_is_sorting(
            mut old in proptest::collection::vec(1i64..50, 0..60), mut new in proptest::collection::vec(1i64..50, 0..20),
        ) {
            old.sort();
            new.sort();
            let mut entries: Vec<Entry> =
                (0..).zip(old.iter().chain(&new)).map(|(job, &after)| Entry::new(after, job, false)).collect();
            let (mut sorted, mut spare) = (entries.clone(), entries.clone());
            sort(&mut sorted, &mut spare).unwrap();
            merge(&mut entries, new.len(), &mut spare).unwrap();
            prop_assert_eq!(
                entries.iter().map(|e| (e.after(), e.job())).collect::<Vec<_>>(),
                sorted.iter().map(|e| (e.after(), e.job())).collect::<Vec<_>>()
            );
        }

        #[test]
        fn sorts_stably(times in proptest::collection::vec(prop_oneof![1i64..50, 1i64..1 << 40], 0..300)) {
            let mut entries: Vec<Entry> =
                (0..).zip(&times).map(|(job, &after)| Entry::new(after, job, false)).collect();
            let mut spare = entries.clone();
            sort(&mut entries, &mut spare).unwrap();
            let mut expected: Vec<(i64, u32)> = times.iter().copied().zip(0..).collect();
            expected.sort();
            prop_assert_eq!(entries.iter().map(|e| (e.after(), e.job())).collect::<Vec<_>>(), expected);
            let mut shuffled: Vec<Entry> = (0..).zip(&times).map(|(job, &after)| Entry::new(after, job, false)).collect();
            sort_in_place(&mut shuffled).unwrap();
            prop_assert_eq!(&shuffled, &entries);
            let mut begins = std::vec![0; times.len() + 1];
            let count = gather(&entries, &mut begins).unwrap();
            let timeline = Timeline { entries: &entries, begins: &begins };
            let instants: Vec<i64> = (0..count).map(|index| timeline.after(index).unwrap()).collect();
            prop_assert!(instants.windows(2).all(|w| w[0] < w[1]));
            for (index, after) in instants.iter().enumerate() {
                prop_assert!(timeline.instant(index).unwrap().iter().all(|entry| entry.after() == *after));
            }
            prop_assert_eq!(timeline.between(0, count).unwrap().len(), times.len());
        }

        #[test]
        fn entries_hold_what_they_are_made_of(after in 0i64..=MAX_SECONDS, job in 0u32..1 << 21, first: bool) {
            let entry = Entry::new(after, job, first);
            prop_assert_eq!((entry.after(), entry.job(), entry.first()), (after, job, first));
        }
    }
}
