//! Checkpoints: a block with a checksum can be written to disk and read back.
//!
//! A sealed object's block has its checksum in the word behind the header. Each word enters by operations that can be undone,
//! so a change within one word is always found; other damage escapes with probability 2^-64.

use crate::error::{Error, Result};
use crate::memory::Header;

/// Where the checksum lies, in words.
const PLACE: usize = size_of::<Header>() / 8;

/// The checksum of a block, but for the word where it lies.
fn checksum(words: &[u64]) -> u64 {
    let mut sum = 0x9e37_79b9_7f4a_7c15_u64;
    for (place, word) in words.iter().enumerate() {
        let word = if place == PLACE { 0 } else { *word };
        sum = (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        sum ^= sum >> 32;
    }
    sum
}

/// Writes the checksum of a block, whose length is a multiple of 8. O(length).
pub(crate) fn seal(block: &mut [u8]) -> Result<()> {
    let words: &mut [u64] = bytemuck::try_cast_slice_mut(block).map_err(|_| Error::Misaligned)?;
    let sum = checksum(words);
    *words.get_mut(PLACE).ok_or(Error::TooSmall)? = sum;
    Ok(())
}

/// Refuses a block that is not as it was when it was sealed. O(length).
pub(crate) fn check(block: &[u8]) -> Result<()> {
    let words: &[u64] = bytemuck::try_cast_slice(block).map_err(|_| Error::Misaligned)?;
    if words.get(PLACE) == Some(&checksum(words)) { Ok(()) } else { Err(Error::Corrupt) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_bit_is_found() {
        let mut words = [0u64, 1, 2, 77, 4, u64::MAX, 0, 0];
        seal(bytemuck::cast_slice_mut(&mut words)).unwrap();
        for bit in 0..words.len() * 64 {
            words[bit / 64] ^= 1 << (bit % 64);
            assert_eq!(check(bytemuck::cast_slice(&words)), Err(Error::Corrupt));
            words[bit / 64] ^= 1 << (bit % 64);
        }
        check(bytemuck::cast_slice(&words)).unwrap();
        words.swap(5, 6);
        assert_eq!(check(bytemuck::cast_slice(&words)), Err(Error::Corrupt));
    }
}
