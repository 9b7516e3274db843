//! A hash table that leads from keys to records of the caller's, in the caller's block.
//!
//! Open addressing with linear probing (Knuth, The Art of Computer Programming 3, section 6.4, algorithms L and R): at
//! least half of the places are free, and a removal moves later entries up, so that there are no tombstones and the
//! table does not age. The keys lie in the records, from which `key_of` reads them; the answers do not depend on the
//! order in which the records came.

use crate::error::{Error, Result};
use crate::math::mix::finalise;
use crate::memory::{Carver, at, at_mut};

/// The table: a record's number plus 1 in each place, 0 in a free one. Zeroed memory is an empty table.
pub(crate) struct HashIndex<'a> {
    places: &'a mut [u32],
}

impl<'a> HashIndex<'a> {
    /// A table for this many records.
    #[inline(always)]
    pub(crate) fn carve(carver: &mut Carver<'a>, records: usize) -> Result<HashIndex<'a>> {
        let places = records.max(1).checked_mul(2).and_then(usize::checked_next_power_of_two);
        Ok(HashIndex { places: carver.take(places.ok_or(Error::OutOfRange)?)? })
    }

    /// The same table, lent.
    pub(crate) fn reborrow(&mut self) -> HashIndex<'_> {
        HashIndex { places: self.places }
    }

    /// Forgets all records. O(places).
    pub(crate) fn clear(&mut self) {
        self.places.fill(0);
    }

    fn mask(&self) -> usize {
        self.places.len().wrapping_sub(1)
    }

    /// The place at which the search for a key begins.
    fn home(&self, key: u64) -> usize {
        finalise(key) as usize & self.mask()
    }

    /// The place of a key and its record, or the free place where it would be.
    fn probe(&self, key: u64, key_of: impl Fn(u32) -> Result<u64>) -> Result<(usize, Option<u32>)> {
        let mut place = self.home(key);
        // The table is never full; a damaged one must not loop forever.
        for _ in 0..self.places.len() {
            match at(self.places, place)?.checked_sub(1) {
                None => return Ok((place, None)),
                Some(record) if key_of(record)? == key => return Ok((place, Some(record))),
                Some(_) => place = (place + 1) & self.mask(),
            }
        }
        Err(Error::Corrupt)
    }

    /// The record with this key; `key_of` returns the key of a record. O(1) on average.
    pub(crate) fn find(&self, key: u64, key_of: impl Fn(u32) -> Result<u64>) -> Result<Option<u32>> {
        Ok(self.probe(key, key_of)?.1)
    }

    /// Adds a record whose key is in no other; the record need not have its key yet. O(1) on average.
    pub(crate) fn insert(
        &mut self,
        key: u64,
        record: u32,
        key_of: impl Fn(u32) -> Result<u64>,
    ) -> Result<()> {
        let (place, known) = self.probe(key, key_of)?;
        if known.is_some() {
            return Err(Error::Corrupt);
        }
        *at_mut(self.places, place)? = record.checked_add(1).ok_or(Error::Corrupt)?;
        Ok(())
    }

    /// Takes the record with this key out of the table and returns it; all records still have their keys. O(1) on
    /// average.
    pub(crate) fn remove(&mut self, key: u64, key_of: impl Fn(u32) -> Result<u64>) -> Result<u32> {
        let (mut hole, found) = self.probe(key, &key_of)?;
        let removed = found.ok_or(Error::Corrupt)?;
        let mut place = hole;
        for _ in 0..self.places.len() {
            place = (place + 1) & self.mask();
            let entry = *at(self.places, place)?;
            let Some(record) = entry.checked_sub(1) else { break };
            // It may fill the hole unless its search begins behind the hole, in the ring's order.
            let home = self.home(key_of(record)?);
            let distance = |from: usize| place.wrapping_sub(from) & self.mask();
            if distance(home) >= distance(hole) {
                *at_mut(self.places, hole)? = entry;
                hole = place;
            }
        }
        *at_mut(self.places, hole)? = 0;
        Ok(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::vec;

    proptest! {
        /// Against the standard library's table. Few keys, so that all come and go often in a table that is small.
        #[test]
        fn finds_what_a_map_finds(records in 1usize..20, keys in proptest::collection::vec(0u64..40, 0..400)) {
            let mut measure = Carver::measuring();
            HashIndex::carve(&mut measure, records).unwrap();
            let mut block = vec![0u64; measure.size() / 8];
            let mut carver = Carver::of(bytemuck::cast_slice_mut(&mut block)).unwrap();
            let mut table = HashIndex::carve(&mut carver, records).unwrap();
            prop_assert!(table.places.len() >= 2 * records && table.places.len().is_power_of_two());
            let (mut own, mut model) = (vec![0u64; records], HashMap::new());
            let mut free: vec::Vec<u32> = (0..records as u32).collect();
            for key in keys {
                let key = key << 40;
                let key_of = |own: &[u64], record: u32| own.get(record as usize).copied().ok_or(Error::Corrupt);
                if let Some(record) = model.remove(&key) {
                    prop_assert_eq!(table.remove(key, |r| key_of(&own, r)), Ok(record));
                    free.push(record);
                } else if let Some(record) = free.pop() {
                    table.insert(key, record, |r| key_of(&own, r)).unwrap();
                    own[record as usize] = key;
                    model.insert(key, record);
                    prop_assert_eq!(table.insert(key, record, |r| key_of(&own, r)), Err(Error::Corrupt));
                } else {
                    prop_assert_eq!(table.remove(key, |r| key_of(&own, r)), Err(Error::Corrupt));
                }
                for key in (0..40).map(|key| key << 40) {
                    prop_assert_eq!(table.find(key, |r| key_of(&own, r)), Ok(model.get(&key).copied()));
                }
            }
            table.clear();
            prop_assert!(table.places.iter().all(|place| *place == 0));
        }
    }

    /// A damaged table without a free place ends the search instead of going around for ever.
    #[test]
    fn a_table_without_a_free_place_is_damaged() {
        let mut places = [1u32; 4];
        let mut table = HashIndex { places: &mut places };
        assert_eq!(table.find(7, |_| Ok(8)), Err(Error::Corrupt));
        assert_eq!(table.remove(7, |_| Ok(8)), Err(Error::Corrupt));
        places = [9; 4];
        let out_of_range = |_| Err(Error::Corrupt);
        assert_eq!(HashIndex { places: &mut places }.find(7, out_of_range), Err(Error::Corrupt));
    }
}
