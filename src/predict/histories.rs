//! Rows of numbers in the caller's block, found by their keys; when all rows are taken, the row written longest ago
//! makes room for a new one.

use crate::error::{Error, Result};
use crate::hash::HashIndex;
use crate::memory::{Carver, at, at_mut, range, range_mut};
use bytemuck::{Pod, Zeroable};

/// No entry.
const NONE: u32 = u32::MAX;

/// A row's key, and its neighbours in the order of writing.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Entry {
    key: u64,
    newer: u32,
    older: u32,
}

/// The scalars of a table.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Ends {
    count: u32,
    newest: u32,
    oldest: u32,
    unused: u32,
}

/// The table's slices of the caller's block.
pub(crate) struct Histories<'a> {
    ends: &'a mut [Ends],
    index: HashIndex<'a>,
    entries: &'a mut [Entry],
    rows: &'a mut [f64],
    width: usize,
}

/// The key of an entry, for the hash table.
fn keys_of(entries: &[Entry]) -> impl Fn(u32) -> Result<u64> + '_ {
    |entry| Ok(at(entries, entry as usize)?.key)
}

impl<'a> Histories<'a> {
    /// A table of `capacity` rows of `width` numbers each.
    pub fn carve(carver: &mut Carver<'a>, capacity: u32, width: usize) -> Result<Histories<'a>> {
        let capacity = capacity as usize;
        Ok(Histories {
            ends: carver.take(1)?,
            index: HashIndex::carve(carver, capacity)?,
            entries: carver.take(capacity)?,
            rows: carver.take(capacity.checked_mul(width).ok_or(Error::OutOfRange)?)?,
            width,
        })
    }

    /// Empties the table.
    pub fn clear(&mut self) -> Result<()> {
        *at_mut(self.ends, 0)? = Ends { count: 0, newest: NONE, oldest: NONE, unused: 0 };
        self.index.clear();
        Ok(())
    }

    /// The number of rows.
    pub fn count(&self) -> u32 {
        self.ends.first().map_or(0, |ends| ends.count)
    }

    /// The row with this key. O(1) on average.
    pub fn row(&self, key: u64) -> Result<Option<&[f64]>> {
        match self.index.find(key, keys_of(self.entries))? {
            None => Ok(None),
            Some(entry) => range(self.rows, entry as usize * self.width, self.width).map(Some),
        }
    }

    /// The row with this key, to be written; when there was none, `make` fills a new one. O(1) on average.
    pub fn write(&mut self, key: u64, make: impl FnOnce(&mut [f64])) -> Result<&mut [f64]> {
        let entry = match self.index.find(key, keys_of(self.entries))? {
            Some(entry) => {
                self.unlink(entry)?;
                entry
            }
            None => {
                let entry = self.spare()?;
                self.index.insert(key, entry, keys_of(self.entries))?;
                *at_mut(self.entries, entry as usize)? = Entry { key, newer: NONE, older: NONE };
                make(range_mut(self.rows, entry as usize * self.width, self.width)?);
                entry
            }
        };
        self.link_newest(entry)?;
        range_mut(self.rows, entry as usize * self.width, self.width)
    }

    /// A row for a new key: one never used, or the one written longest ago.
    fn spare(&mut self) -> Result<u32> {
        let ends = at_mut(self.ends, 0)?;
        let (count, oldest) = (ends.count, ends.oldest);
        if (count as usize) < self.entries.len() {
            ends.count += 1;
            return Ok(count);
        }
        let key = at(self.entries, oldest as usize)?.key;
        self.index.remove(key, keys_of(self.entries))?;
        self.unlink(oldest)?;
        Ok(oldest)
    }

    fn unlink(&mut self, entry: u32) -> Result<()> {
        let Entry { newer, older, .. } = *at(self.entries, entry as usize)?;
        match newer {
            NONE => at_mut(self.ends, 0)?.newest = older,
            newer => at_mut(self.entries, newer as usize)?.older = older,
        }
        match older {
            NONE => at_mut(self.ends, 0)?.oldest = newer,
            older => at_mut(self.entries, older as usize)?.newer = newer,
        }
        Ok(())
    }

    fn link_newest(&mut self, entry: u32) -> Result<()> {
        let ends = at_mut(self.ends, 0)?;
        let older = core::mem::replace(&mut ends.newest, entry);
        if older == NONE {
            ends.oldest = entry;
        } else {
            at_mut(self.entries, older as usize)?.newer = entry;
        }
        let this = at_mut(self.entries, entry as usize)?;
        (this.newer, this.older) = (NONE, older);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    proptest! {
        /// Compares with a list in the order of writing. Few different low bits make long runs of occupied places.
        #[test]
        fn keeps_what_was_written_last(
            capacity in 1u32..9, keys in proptest::collection::vec((0u64..4, 0u64..6), 0..200),
        ) {
            let mut measure = Carver::measuring();
            Histories::carve(&mut measure, capacity, 2).unwrap();
            let mut block = std::vec![0u64; measure.size() / 8];
            let mut carver = Carver::of(bytemuck::cast_slice_mut(&mut block)).unwrap();
            let mut table = Histories::carve(&mut carver, capacity, 2).unwrap();
            table.clear().unwrap();
            let mut model: Vec<(u64, f64)> = Vec::new();
            for (low, high) in keys {
                let key = low + 16 * high;
                let value = match model.iter().position(|&(k, _)| k == key) {
                    Some(place) => model.remove(place).1 + 1.0,
                    None => 1.0,
                };
                if model.len() == capacity as usize {
                    model.remove(0);
                }
                model.push((key, value));
                let row = table.write(key, |row| row.fill(0.0)).unwrap();
                row[1] += 1.0;
                prop_assert_eq!(row[1], value);
                prop_assert_eq!(table.count() as usize, model.len());
                for low in 0..4 {
                    for high in 0..6 {
                        let key = low + 16 * high;
                        let known = model.iter().find(|&&(k, _)| k == key).map(|&(_, value)| value);
                        prop_assert_eq!(table.row(key).unwrap().map(|row| row[1]), known);
                    }
                }
            }
        }
    }
}
