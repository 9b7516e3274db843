//! A table of fixed capacity that leads from keys to places of records: a key has eight places, next to each other, and
//! takes that of the one written longest ago when all are taken.
//!
//! The heads of eight places share a cache line, so that a search costs one memory access. Keys are distinguished by 32
//! of their bits besides the ones that choose the group: two keys that meet, one pair of a group in 2^32, are taken to
//! be one.

use crate::error::{Error, Result};
use crate::math::mix::mix;
use crate::memory::{Carver, at_mut, copy};
use bytemuck::{Pod, Zeroable};

/// Number of places that a key may have.
const WAYS: usize = 8;

/// A place's key, 0 if it is free, and the time at which it was written.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Head {
    key: u32,
    written: u32,
}

/// The first place of a group that has this key.
fn way(group: &[Head; WAYS], key: u32) -> Option<usize> {
    group.iter().position(|head| head.key == key)
}

/// The heads of a table.
pub struct Places<'a> {
    heads: &'a mut [Head],
}

impl<'a> Places<'a> {
    /// The number of places of a table for this number of records.
    pub const fn count(records: u32) -> usize {
        (records as usize).div_ceil(WAYS) * WAYS
    }

    /// Takes a table from the memory, where zeros are an empty one.
    #[inline(always)]
    pub fn carve(carver: &mut Carver<'a>, records: u32) -> Result<Places<'a>> {
        Ok(Places { heads: carver.take(Places::count(records))? })
    }

    /// Copies a table of the same size.
    pub fn continue_from(&mut self, other: &Places<'_>) {
        copy(self.heads, other.heads);
    }

    /// The first place of a key's group, and the bits of the key that its head holds.
    fn group(&self, key: u64) -> (usize, u32) {
        let groups = (self.heads.len() / WAYS) as u64;
        let group = ((key >> 32) * groups) >> 32;
        (group as usize * WAYS, key as u32 | 1)
    }

    /// A key's place. O(1).
    pub fn find(&self, key: u64) -> Option<usize> {
        let (first, key) = self.group(key);
        way(self.heads.get(first..)?.first_chunk()?, key).map(|way| first + way)
    }

    /// A key's place, made if it has none, and whether it was made; `now` is later with every call, but for its
    /// wrapping. O(1).
    pub fn claim(&mut self, key: u64, now: u32) -> Result<(usize, bool)> {
        let (first, key) = self.group(key);
        let group = self.heads.get(first..).and_then(<[Head]>::first_chunk).ok_or(Error::Corrupt)?;
        let known = way(group, key);
        let way = known.unwrap_or_else(|| {
            let age = |head: &Head| {
                if head.key == 0 { u64::MAX } else { u64::from(now.wrapping_sub(head.written)) }
            };
            let mut oldest = (0, 0);
            for (way, head) in group.iter().enumerate() {
                // The first of the oldest.
                if way == 0 || age(head) > oldest.1 {
                    oldest = (way, age(head));
                }
            }
            oldest.0
        });
        *at_mut(self.heads, first + way)? = Head { key, written: now };
        Ok((first + way, known.is_none()))
    }
}

/// A key made of numbers.
pub fn key(numbers: &[i64]) -> u64 {
    numbers.iter().fold(0, |key, number| mix(key ^ *number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::vec;

    #[test]
    fn keeps_what_was_written_last() {
        let records = 20;
        let mut measure = Carver::measuring();
        Places::carve(&mut measure, records).unwrap();
        let mut block = vec![0u64; measure.size() / 8];
        let mut places =
            Places::carve(&mut Carver::of(bytemuck::cast_slice_mut(&mut block)).unwrap(), records).unwrap();
        // By group: key, place and time of writing.
        let mut model: HashMap<usize, Vec<(u64, usize, u32)>> = HashMap::new();
        use std::vec::Vec;
        for now in 1..5000u32 {
            let number = mix(u64::from(now)) % 60;
            let key = key(&[number as i64]);
            let (place, fresh) = places.claim(key, now).unwrap();
            assert!(place < Places::count(records));
            let group = model.entry(place / WAYS).or_default();
            match group.iter_mut().find(|(k, ..)| *k == key) {
                Some(known) => {
                    assert!(!fresh && known.1 == place);
                    known.2 = now;
                }
                None => {
                    assert!(fresh);
                    if group.len() == WAYS {
                        let oldest = (0..WAYS).min_by_key(|&i| group[i].2).unwrap();
                        assert_eq!(group.remove(oldest).1, place);
                    }
                    group.push((key, place, now));
                }
            }
            for (key, place, _) in model.values().flatten() {
                assert_eq!(places.find(*key), Some(*place));
            }
        }
        assert_eq!(model.values().map(Vec::len).sum::<usize>(), Places::count(records));
    }
}
