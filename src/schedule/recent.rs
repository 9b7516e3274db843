//! The last waits, and their quantiles.
//!
//! A ring of the last n waits in the order of time, and a counted tree of the same waits in the order of length (as the
//! wait predictor's history has): adding one and computing a quantile are O(log n).

use crate::error::{Error, Result};
use crate::memory::{Carver, Kind, Object, at_mut};
use crate::runtime::check_span;
use crate::seal::{Sealed, lifecycle};
use crate::wait::tree::{Node, Nodes, Pool, Spare, Tree, nodes_for};
use bytemuck::{Pod, Zeroable};

/// Largest number of waits that can be kept.
pub const MAX_RECENT_WAITS: u32 = 1 << 22;

/// The scalars at the head of the block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    capacity: u32,
    /// Place of the next wait in the ring.
    next: u32,
    tree: Tree,
    spare: Spare,
}

/// The last waits in the caller's memory, all in seconds.
pub struct RecentWaits<'a> {
    state: &'a mut State,
    ring: &'a mut [u64],
    nodes: &'a mut [Node],
}

impl<'a> Object<'a> for RecentWaits<'a> {
    const KIND: Kind = Kind::RecentWaits;
    type Head = Sealed;
    type Capacity = u32;
    type State = State;
    type Parts = (&'a mut [u64], &'a mut [Node]);

    #[inline(always)]
    fn parts(carver: &mut Carver<'a>, capacity: &u32) -> Result<Self::Parts> {
        if *capacity == 0 || *capacity > MAX_RECENT_WAITS {
            return Err(Error::OutOfRange);
        }
        let capacity = *capacity as usize;
        // A wait is added before the oldest is taken out.
        let nodes = nodes_for(capacity + 1, 1).ok_or(Error::OutOfRange)?;
        Ok((carver.take(capacity)?, carver.take(nodes)?))
    }

    fn capacity_in(state: &State) -> Result<u32> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, (ring, nodes): Self::Parts) -> Result<RecentWaits<'a>> {
        let sound = state.next < state.capacity && state.tree.count <= state.capacity;
        if sound { Ok(RecentWaits { state, ring, nodes }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(RecentWaits, checkpoint);

impl<'a> RecentWaits<'a> {
    /// Bytes that are needed for the last `capacity` waits (1 to [`MAX_RECENT_WAITS`]): 46 a wait and 3,000.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: u32) -> Result<usize> {
        <RecentWaits as Object>::size(&capacity)
    }

    /// Makes an empty list of waits in this memory, which may be longer than needed. O(size).
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::OutOfRange`].
    pub fn init(memory: &'a mut [u8], capacity: u32) -> Result<RecentWaits<'a>> {
        let (state, (ring, nodes)) = RecentWaits::create(memory, &capacity)?;
        state.capacity = capacity;
        Ok(RecentWaits { state, ring, nodes })
    }

    /// Number of waits that can be kept.
    pub fn capacity(&self) -> u32 {
        self.state.capacity
    }

    /// Number of waits that are kept.
    pub fn count(&self) -> u32 {
        self.state.tree.count
    }

    /// Records that a job was started after a wait of `waited` seconds (0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)); the oldest wait leaves when there is no room. O(log n).
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::SpanTooLong`].
    pub fn add(&mut self, waited: i64) -> Result<()> {
        check_span(waited)?;
        let wait = waited.unsigned_abs();
        let full = self.state.tree.count >= self.state.capacity;
        let slot = at_mut(self.ring, self.state.next as usize)?;
        let oldest = core::mem::replace(slot, wait);
        let mut pool = Pool { nodes: self.nodes, spare: &mut self.state.spare };
        pool.insert(&mut self.state.tree, wait, 0)?;
        if full {
            pool.remove(&mut self.state.tree, oldest)?;
        }
        self.state.next = (self.state.next + 1).checked_rem(self.state.capacity).ok_or(Error::Corrupt)?;
        Ok(())
    }

    /// The smallest of the kept waits that at least this share of them does not exceed (nearest rank; the quantile is
    /// above 0, at most 1), but at least `least` seconds; infinite while no wait is kept. O(log n).
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn quantile(&self, quantile: f64, least: f64) -> Result<f64> {
        if quantile.is_nan() || least.is_nan() {
            return Err(Error::NotANumber);
        }
        if !(quantile > 0.0 && quantile <= 1.0) {
            return Err(Error::OutOfRange);
        }
        let count = self.state.tree.count;
        if count == 0 {
            return Ok(f64::INFINITY);
        }
        let rank = (libm::ceil(quantile * f64::from(count)) as u64).clamp(1, u64::from(count));
        Ok((Nodes(self.nodes).select(&self.state.tree, rank)? as f64).max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::MAX_SECONDS;
    use std::collections::VecDeque;
    use std::vec;
    use std::vec::Vec;

    fn memory(capacity: u32) -> Vec<u64> {
        vec![0; RecentWaits::size(capacity).unwrap().div_ceil(8)]
    }

    #[test]
    fn agrees_with_sorting() {
        for capacity in [1, 2, 59, 500] {
            let mut memory = memory(capacity);
            let mut waits = RecentWaits::init(bytemuck::cast_slice_mut(&mut memory), capacity).unwrap();
            let mut naive: VecDeque<u64> = VecDeque::new();
            let mut random = 7_u32;
            assert_eq!(waits.quantile(0.5, 0.0), Ok(f64::INFINITY));
            for _ in 0..4000 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Few distinct ones and many.
                let wait = u64::from(if random & 64 == 0 { random >> 29 } else { random >> 12 });
                waits.add(wait as i64).unwrap();
                naive.push_back(wait);
                if naive.len() > capacity as usize {
                    naive.pop_front();
                }
                let mut sorted: Vec<u64> = naive.iter().copied().collect();
                sorted.sort_unstable();
                assert_eq!(waits.count() as usize, sorted.len());
                for quantile in [1e-9, 0.3, 0.5, 0.98, 0.99, 1.0] {
                    let rank = (quantile * sorted.len() as f64).ceil() as usize;
                    let expected = sorted[rank.max(1) - 1] as f64;
                    assert_eq!(waits.quantile(quantile, 0.0), Ok(expected));
                    assert_eq!(waits.quantile(quantile, 3600.0), Ok(expected.max(3600.0)));
                }
            }
        }
    }

    #[test]
    fn goes_on_from_a_checkpoint() {
        let mut first = memory(20);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut first);
        let mut waits = RecentWaits::init(bytes, 20).unwrap();
        for wait in 0..35 {
            waits.add(wait * wait).unwrap();
        }
        RecentWaits::seal(bytemuck::cast_slice_mut(&mut first)).unwrap();
        let mut second = first.clone();
        let mut opened = RecentWaits::open(bytemuck::cast_slice_mut(&mut second)).unwrap();
        assert_eq!((opened.count(), opened.capacity()), (20, 20));
        assert_eq!(opened.quantile(0.5, 0.0), Ok(24.0 * 24.0));
        opened.add(1).unwrap();
        assert_eq!(opened.quantile(0.05, 0.0), Ok(1.0));
        assert!(RecentWaits::open(bytemuck::cast_slice_mut(&mut second)).is_err());
        RecentWaits::attach(bytemuck::cast_slice_mut(&mut second)).unwrap();
    }

    #[test]
    fn refuses_bad_numbers() {
        assert_eq!(RecentWaits::size(0), Err(Error::OutOfRange));
        assert_eq!(RecentWaits::size(MAX_RECENT_WAITS + 1), Err(Error::OutOfRange));
        assert!(RecentWaits::size(MAX_RECENT_WAITS).unwrap() <= 46 * MAX_RECENT_WAITS as usize + 3000);
        assert!(RecentWaits::size(1).unwrap() <= 46 + 3000);
        let mut memory = memory(5);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
        assert_eq!(RecentWaits::init(&mut bytes[..100], 5).err(), Some(Error::TooSmall));
        let mut waits = RecentWaits::init(bytes, 5).unwrap();
        assert_eq!(waits.add(-1), Err(Error::OutOfRange));
        assert_eq!(waits.add(MAX_SECONDS + 1), Err(Error::SpanTooLong));
        waits.add(3).unwrap();
        assert_eq!(waits.quantile(f64::NAN, 0.0), Err(Error::NotANumber));
        assert_eq!(waits.quantile(0.5, f64::NAN), Err(Error::NotANumber));
        assert_eq!(waits.quantile(0.0, 0.0), Err(Error::OutOfRange));
        assert_eq!(waits.quantile(1.1, 0.0), Err(Error::OutOfRange));
    }
}
