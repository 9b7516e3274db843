//! A number that several threads change, in one atomic word with a check, so that a changed bit is found.
//!
//! Where the processor has atomic words of 64 bits the number has 32 bits and its complement is the check. Others
//! (ARMv5, ARMv7-M, 32-bit RISC-V and PowerPC among them) have atomic words of 32 bits: the number has 24 bits and the
//! check eight. Numbers wrap round. A thread that is suspended between reading a number and changing it while exactly
//! as many events come as there are numbers (16,777,216 of the narrow ones) takes the number for the one that it read.
//! In an inbox that does harm only when the inbox is full just then.

use crate::error::{Error, Result};
#[cfg(not(target_has_atomic = "64"))]
use core::sync::atomic::AtomicU32 as Atomic;
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::AtomicU64 as Atomic;
use core::sync::atomic::Ordering;

/// The number with its complement.
#[cfg(any(test, target_has_atomic = "64"))]
mod wide {
    pub type Word = u64;
    pub const MOST: u32 = u32::MAX;

    pub fn word(number: u32) -> Word {
        Word::from(number) << 32 | Word::from(!number)
    }

    pub fn number(word: Word) -> u32 {
        (word >> 32) as u32
    }
}

/// The number with the complement of its bytes' exclusive or: one changed bit changes it, as does a word of zeros or
/// ones.
#[cfg(any(test, not(target_has_atomic = "64")))]
mod narrow {
    pub type Word = u32;
    pub const MOST: u32 = (1 << 24) - 1;

    pub fn word(number: u32) -> Word {
        (number & MOST) << 8 | (!(number >> 16 ^ number >> 8 ^ number) & 0xff)
    }

    pub fn number(word: Word) -> u32 {
        word >> 8
    }
}

#[cfg(not(target_has_atomic = "64"))]
use narrow as here;
#[cfg(target_has_atomic = "64")]
use wide as here;

/// Eight bytes on every processor.
#[repr(C, align(8))]
pub(super) struct Counter(Atomic);

impl Counter {
    /// The highest number. Behind it comes 0.
    pub(super) const MOST: u32 = here::MOST;

    pub(super) fn new(number: u32) -> Counter {
        Counter(Atomic::new(here::word(number)))
    }

    /// The number that comes `steps` after this one; before it, if `steps` is negative in two's complement.
    pub(super) fn sum(number: u32, steps: u32) -> u32 {
        number.wrapping_add(steps) & Counter::MOST
    }

    /// One more, and the highest number for itself.
    pub(super) fn raised(number: u32) -> u32 {
        if number == Counter::MOST { number } else { Counter::sum(number, 1) }
    }

    pub(super) fn load(&self, order: Ordering) -> Result<u32> {
        let word = self.0.load(order);
        let number = here::number(word);
        if word == here::word(number) { Ok(number) } else { Err(Error::Corrupt) }
    }

    pub(super) fn store(&self, number: u32, order: Ordering) {
        self.0.store(here::word(number), order);
    }

    /// Whether the number was `from` and is `to` now.
    pub(super) fn exchange(&self, from: u32, to: u32) -> bool {
        // Whoever comes next sees every turn that the threads before have read or written.
        let order = (Ordering::AcqRel, Ordering::Relaxed);
        self.0.compare_exchange(here::word(from), here::word(to), order.0, order.1).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at which carries and wraps happen, and some between.
    fn numbers(most: u32) -> impl Iterator<Item = u32> {
        let edges = (0..32).flat_map(|bit| [1u32 << bit, (1u32 << bit).wrapping_sub(1)]);
        edges.chain((0..1000).map(|i: u32| i.wrapping_mul(0x9e37_79b9))).map(move |number| number & most)
    }

    #[test]
    fn words_say_their_number_and_whether_a_bit_has_changed() {
        for number in numbers(wide::MOST) {
            let word = wide::word(number);
            assert_eq!(wide::number(word), number);
            for bit in 0..64 {
                let damaged = word ^ 1 << bit;
                assert_ne!(wide::word(wide::number(damaged)), damaged);
            }
        }
        for number in numbers(narrow::MOST) {
            let word = narrow::word(number);
            assert_eq!(narrow::number(word), number);
            for bit in 0..32 {
                let damaged = word ^ 1 << bit;
                assert_ne!(narrow::word(narrow::number(damaged)), damaged);
            }
        }
        for word in [0, u32::MAX] {
            assert_ne!(narrow::word(narrow::number(word)), word);
        }
    }

    #[test]
    fn numbers_wrap_round() {
        let counter = Counter::new(Counter::MOST);
        let next = Counter::sum(Counter::MOST, 1);
        assert!(Counter::raised(4) == 5 && Counter::raised(Counter::MOST) == Counter::MOST);
        assert!(next == 0 && Counter::sum(0, 1u32.wrapping_neg()) == Counter::MOST);
        assert!(!counter.exchange(0, 1) && counter.exchange(Counter::MOST, next));
        assert_eq!(counter.load(Ordering::Relaxed), Ok(0));
        counter.store(5, Ordering::Relaxed);
        assert_eq!(counter.load(Ordering::Relaxed), Ok(5));
    }
}
