//! Draws of random queues and machines.

use crate::splitmix::splitmix;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        splitmix(&mut self.0) % n
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    /// Every octave up to that of 2^`octaves` is as likely.
    pub fn spread(&mut self, octaves: u64) -> i64 {
        let octave = 1 << self.below(octaves);
        (octave + self.below(octave)) as i64
    }
}
