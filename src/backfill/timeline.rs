//! Sorts releases into instants.

use crate::error::Result;
use crate::memory::{at, at_mut, range, range_mut};
use bytemuck::{Pod, Zeroable};

/// One release in time order.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    /// Seconds from now.
    pub after: i64,
    /// Index of the running job or of the candidate.
    pub job: u32,
    /// Whether it is the job's first release.
    pub first: u32,
}

/// All releases of one second.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Instant {
    /// Seconds from now.
    pub after: i64,
    /// Its first entry.
    pub entry: u32,
    /// The number of its entries.
    pub count: u32,
}

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Sorts by time, stably, in O(entries x digits of the latest time): least significant digit first, 11 bits a digit.
///
/// Written out because the standard library's sorts contain a panic for inconsistent orders.
pub(super) fn sort(entries: &mut [Entry], spare: &mut [Entry]) -> Result<()> {
    let spare = range_mut(spare, 0, entries.len())?;
    let latest = entries.iter().fold(0, |latest, entry| latest | entry.after);
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

/// Merges the `new` entries at the end, themselves in time order, with the sorted ones before them; at equal times they
/// come last. O(entries).
pub(super) fn merge(entries: &mut [Entry], new: usize, spare: &mut [Entry]) -> Result<()> {
    let old = entries.len().saturating_sub(new);
    let fresh = range_mut(spare, 0, new)?;
    for (to, from) in fresh.iter_mut().zip(range(entries, old, new)?) {
        *to = *from;
    }
    // From the back, where there is room.
    let (mut old, mut new) = (old, new);
    while let Some(last_new) = new.checked_sub(1) {
        let fresh = at(fresh, last_new)?;
        let place = old + last_new;
        match old.checked_sub(1) {
            Some(last_old) if at(entries, last_old)?.after > fresh.after => {
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
    (entry.after >> shift) as usize % DIGITS
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

/// Writes the instants of sorted entries; returns their number.
pub(super) fn gather(entries: &[Entry], instants: &mut [Instant]) -> Result<usize> {
    let mut count: usize = 0;
    for (i, entry) in (0u32..).zip(entries) {
        if count > 0 && at(instants, count - 1)?.after == entry.after {
            at_mut(instants, count - 1)?.count += 1;
        } else {
            *at_mut(instants, count)? = Instant { after: entry.after, entry: i, count: 1 };
            count += 1;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
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
                (0..).zip(old.iter().chain(&new)).map(|(job, &after)| Entry { after, job, first: 0 }).collect();
            let (mut sorted, mut spare) = (entries.clone(), entries.clone());
            sort(&mut sorted, &mut spare).unwrap();
            merge(&mut entries, new.len(), &mut spare).unwrap();
            prop_assert_eq!(
                entries.iter().map(|e| (e.after, e.job)).collect::<Vec<_>>(),
                sorted.iter().map(|e| (e.after, e.job)).collect::<Vec<_>>()
            );
        }

        #[test]
        fn sorts_stably(times in proptest::collection::vec(prop_oneof![1i64..50, 1i64..1 << 40], 0..300)) {
            let mut entries: Vec<Entry> =
                (0..).zip(&times).map(|(job, &after)| Entry { after, job, first: 0 }).collect();
            let mut spare = entries.clone();
            sort(&mut entries, &mut spare).unwrap();
            let mut expected: Vec<(i64, u32)> = times.iter().copied().zip(0..).collect();
            expected.sort();
            prop_assert_eq!(entries.iter().map(|e| (e.after, e.job)).collect::<Vec<_>>(), expected);
            let mut instants = std::vec![Instant::zeroed(); times.len()];
            let count = gather(&entries, &mut instants).unwrap();
            prop_assert!(instants[..count].windows(2).all(|w| w[0].after < w[1].after));
            prop_assert_eq!(instants[..count].iter().map(|i| i.count as usize).sum::<usize>(), times.len());
        }
    }
}
