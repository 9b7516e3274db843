//! Checkpoints: a block with a checksum can be written to disk and read back.
//!
//! A sealed object's block has its checksum in the word behind the header: FNV-1a with 64 bits ([`crate::math::fnv`])
//! of all its bytes, with zeros where the checksum lies, so that other programs can verify it.

use crate::error::{Error, Result};
use crate::math::fnv::{fnv1a, fnv1a_more};
use crate::memory::{Head, Header, Object};
use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;

/// The head of a block that can be sealed.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Sealed {
    header: Header,
    checksum: u64,
}

impl Head for Sealed {
    const CLEARED: bool = true;

    fn new(header: Header) -> Sealed {
        Sealed { header, checksum: 0 }
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

/// An object whose block can be written to disk and read back.
pub(crate) trait Checkpoint<'a>: Object<'a, Head = Sealed> {
    /// Writes the checksum of the block at the start of this memory. O(size).
    fn seal(memory: &mut [u8]) -> Result<()> {
        let (_, size) = Self::look(memory)?;
        seal(memory.get_mut(..size).ok_or(Error::TooSmall)?)
    }

    /// The object in a block that is as it was when it was sealed. O(size).
    fn open(memory: &'a mut [u8]) -> Result<Self> {
        let (_, size) = Self::look(memory)?;
        check(memory.get(..size).ok_or(Error::TooSmall)?)?;
        Self::attach(memory)
    }
}

impl<'a, T: Object<'a, Head = Sealed>> Checkpoint<'a> for T {}

/// The public functions that every object in a block has, and those that every checkpoint has.
macro_rules! lifecycle {
    ($object:ident) => {
        impl<'a> $object<'a> {
            /// Number of bytes at the start of a block that `block_size` needs.
            pub const PREFIX: usize = <Self as $crate::memory::Object>::PREFIX;

            /// The size of the block that starts with these bytes, in bytes. O(1).
            ///
            /// # Errors
            /// As `attach`.
            pub fn block_size(prefix: &mut [u8]) -> $crate::error::Result<usize> {
                Ok(<Self as $crate::memory::Object>::look(prefix)?.1)
            }

            /// The object that `init` made in this memory, which may be longer than the object. O(1).
            ///
            /// # Errors
            /// `Misaligned`, `TooSmall`, `WrongObject`, `WrongVersion`, `ForeignByteOrder`, `Corrupt`: see
            /// [`Error`](crate::error::Error).
            pub fn attach(memory: &'a mut [u8]) -> $crate::error::Result<$object<'a>> {
                $crate::memory::Object::attach(memory)
            }
        }
    };
    // An object whose new state is all zero but for its capacity.
    ($object:ident, made with $capacity:ident) => {
        $crate::seal::lifecycle!($object);

        impl<'a> $object<'a> {
            /// Bytes that an object with these capacities needs.
            ///
            /// # Errors
            /// [`Error::OutOfRange`](crate::error::Error::OutOfRange).
            pub fn size(capacity: &$capacity) -> $crate::error::Result<usize> {
                <Self as $crate::memory::Object>::size(capacity)
            }

            /// Makes the object in this memory, which may be longer than needed. O(1): only the head of the block is
            /// written.
            ///
            /// # Errors
            /// `Misaligned`, `TooSmall`, `OutOfRange`: see [`Error`](crate::error::Error).
            pub fn init(memory: &'a mut [u8], capacity: &$capacity) -> $crate::error::Result<$object<'a>> {
                let (state, parts) = <Self as $crate::memory::Object>::create(memory, capacity)?;
                state.capacity = *capacity;
                $crate::memory::Object::assemble(state, parts)
            }

            /// The capacities.
            pub fn capacity(&self) -> &$capacity {
                &self.state.capacity
            }
        }
    };
    ($object:ident, checkpoint) => {
        $crate::seal::lifecycle!($object);

        impl<'a> $object<'a> {
            /// Makes the block a checkpoint: writes its checksum, FNV-1a with 64 bits. Any later call that changes the
            /// block breaks the seal; a question does so too where intermediate results are kept. O(size).
            ///
            /// # Errors
            /// As `attach`.
            pub fn seal(memory: &mut [u8]) -> $crate::error::Result<()> {
                <$object as $crate::seal::Checkpoint>::seal(memory)
            }

            /// The object in a checkpoint: a block as `seal` left it. It goes on bit for bit as the sealed one would
            /// have. O(size).
            ///
            /// # Errors
            /// As `attach`; `Corrupt` also for every change since the block was sealed.
            pub fn open(memory: &'a mut [u8]) -> $crate::error::Result<$object<'a>> {
                $crate::seal::Checkpoint::open(memory)
            }
        }
    };
}
pub(crate) use lifecycle;

/// Offset of the checksum in a block, in bytes.
const PLACE: usize = offset_of!(Sealed, checksum);

/// The checksum of a block, in whose place it sees zeros.
fn checksum(block: &[u8]) -> Result<u64> {
    let (header, rest) = block.split_at_checked(PLACE).ok_or(Error::TooSmall)?;
    let (_, rest) = rest.split_at_checked(size_of::<u64>()).ok_or(Error::TooSmall)?;
    Ok(fnv1a_more(fnv1a_more(fnv1a(header), &[0; size_of::<u64>()]), rest))
}

/// The bytes of a block's checksum.
fn place(block: &mut [u8]) -> Result<&mut [u8; size_of::<u64>()]> {
    block.get_mut(PLACE..).and_then(|rest| rest.first_chunk_mut()).ok_or(Error::TooSmall)
}

/// Writes the checksum of a block. O(length).
fn seal(block: &mut [u8]) -> Result<()> {
    let sum = checksum(block)?;
    *place(block)? = sum.to_ne_bytes();
    Ok(())
}

/// Refuses a block that is not as it was when it was sealed. O(length).
fn check(block: &[u8]) -> Result<()> {
    let sum = checksum(block)?.to_ne_bytes();
    if block.get(PLACE..).is_some_and(|rest| rest.starts_with(&sum)) { Ok(()) } else { Err(Error::Corrupt) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_checksum_counts_as_zeros() {
        let mut block: [u8; 40] = core::array::from_fn(|i| i as u8 + 1);
        seal(&mut block).unwrap();
        let sum = block[24..32].to_vec();
        block[24..32].fill(0);
        assert_eq!(sum, fnv1a(&block).to_ne_bytes());
    }

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
