//! One block of caller's memory, carved into typed slices.
//!
//! An object's layout is written down once, as a walk that asks a `Carver` for one slice after the other. Without
//! memory the walk measures; with memory it carves. The two cannot disagree. A block holds plain old data, with offsets
//! instead of pointers: it may be moved with `memcpy` while no call is under way.

use crate::error::{Error, Result};
use bytemuck::{Pod, Zeroable};

/// The alignment that every block must have, in bytes.
pub const ALIGNMENT: usize = 8;

/// The version of all layouts, their fingerprint (`build.rs`); a block with another is refused.
pub(crate) const LAYOUT_VERSION: u32 = match u32::from_str_radix(env!("SUREFILL_LAYOUT"), 10) {
    Ok(fingerprint) => fingerprint,
    Err(_) => panic!(),
};

/// First word of a block; it reads differently on a machine of the other byte order, where the block is refused.
const MAGIC: u64 = u64::from_be_bytes(*b"surefill");

/// Type of a block's object. The numbers lie in checkpoints: a number never changes and is never used again for another
/// kind: 4 and 41 had meanings once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "capi"), allow(dead_code))] // some are C's alone
#[repr(u32)]
pub(crate) enum Kind {
    Pass = 1,
    Bins = 2,
    Distribution = 3,
    Hmm = 10,
    Predictor = 11,
    Mixture = 12,
    OnlineHmm = 13,
    Contexts = 14,
    WaitPredictor = 20,
    RecentWaits = 21,
    DelayCalibration = 22,
    Plan = 23,
    Forecast = 30,
    Sizing = 40,
    Nodes = 50,
    NodePass = 51,
    NodeForecast = 52,
    NodePlan = 53,
    Scheduler = 60,
    Cycle = 61,
    StartForecast = 62,
}

/// The first bytes of every block.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Header {
    magic: u64,
    /// Type of the object, a number of [`Kind`]; above its byte, in a block that is marked, the [`print`] of its
    /// capacities and its size.
    kind: u32,
    version: u32,
    /// Bytes of the whole block.
    pub size: u64,
}

impl Header {
    pub(crate) fn new(kind: Kind, size: usize) -> Header {
        Header { magic: MAGIC, kind: kind as u32, version: LAYOUT_VERSION, size: size as u64 }
    }

    /// Refuses a block that is not an object of this kind made by this layout version.
    #[inline]
    pub(crate) fn check(&self, kind: Kind) -> Result<()> {
        if self.magic == MAGIC && self.kind & 0xff != kind as u32 {
            return Err(Error::WrongObject);
        }
        self.length().map(|_| ())
    }

    /// Bytes of the whole block, whatever its kind, if this layout version made it.
    pub(crate) fn length(&self) -> Result<u64> {
        if self.magic == MAGIC.swap_bytes() {
            return Err(Error::ForeignByteOrder);
        }
        if self.magic != MAGIC {
            return Err(Error::WrongObject);
        }
        if self.version == LAYOUT_VERSION { Ok(self.size) } else { Err(Error::WrongVersion) }
    }
}

/// A number of 24 bits, not 0, that changes with each byte of the capacities and with the size of a block: damage is
/// found by one comparison, without the walk over the layout that their agreement asks for.
#[inline(always)]
fn print(capacity: &[u8], size: u64) -> u32 {
    let step = |print: u64, word: u64| (print ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = capacity.chunks_exact(size_of::<u64>());
    let rest = words.remainder().try_into().map_or(0, u32::from_ne_bytes);
    let words = words.map(|word| word.try_into().map_or(0, u64::from_ne_bytes));
    (step(words.fold(size, step), rest.into()) >> 40) as u32 | 1
}

/// The first bytes of an object's block: a [`Header`] alone, or one with a checksum for an object whose block may be
/// written to disk.
pub(crate) trait Head: Pod {
    /// Whether every byte of the block counts, so that a new object's block is cleared.
    const CLEARED: bool;

    fn new(header: Header) -> Self;

    fn header(&self) -> &Header;

    fn header_mut(&mut self) -> &mut Header;
}

impl Head for Header {
    const CLEARED: bool = false;

    fn new(header: Header) -> Header {
        header
    }

    fn header(&self) -> &Header {
        self
    }

    fn header_mut(&mut self) -> &mut Header {
        self
    }
}

/// An object in a block of the caller's memory: the head, then the object's scalars, then its slices.
///
/// The capacities that the scalars hold determine the length of the block, so that the layout follows from the block
/// alone.
pub(crate) trait Object<'a>: Sized {
    const KIND: Kind;

    /// First bytes of the block: [`Header`] or `Sealed`.
    type Head: Head;

    /// Capacities, which determine the length of the block.
    type Capacity;

    /// The scalars, behind the head.
    type State: Pod;

    /// The slices, behind the scalars.
    type Parts;

    /// Bytes of the capacities, with which the scalars begin, where a block is marked with their print; 0 where it is
    /// not.
    const MARKED: usize = 0;

    /// Writes the capacities of a block that is marked.
    fn keep(_state: &mut Self::State, _capacity: &Self::Capacity) {}

    /// Refuses capacities out of their ranges, where the layout does not.
    fn check(_capacity: &Self::Capacity) -> Result<()> {
        Ok(())
    }

    /// The layout behind the scalars: measures or carves, as the carver does.
    fn parts(carver: &mut Carver<'a>, capacity: &Self::Capacity) -> Result<Self::Parts>;

    /// The capacities that the scalars hold.
    fn capacity_in(state: &Self::State) -> Result<Self::Capacity>;

    /// The object that consists of these slices; [`Error::Corrupt`] for scalars that contradict themselves. O(1).
    fn assemble(state: &'a mut Self::State, parts: Self::Parts) -> Result<Self>;

    /// The same for a call that checks what it uses itself.
    #[inline(always)]
    fn assume(state: &'a mut Self::State, parts: Self::Parts) -> Result<Self> {
        Self::assemble(state, parts)
    }

    /// The kind in the header of a block with these scalars that is marked.
    #[inline(always)]
    fn mark(state: &Self::State, size: u64) -> u32 {
        let capacity = bytemuck::bytes_of(state).get(..Self::MARKED).unwrap_or_default();
        Self::KIND as u32 | print(capacity, size) << 8
    }

    /// Whether this memory is a block that was marked, with the same capacities and of the same size.
    #[cfg(feature = "capi")]
    #[inline(always)]
    fn is_marked(memory: &mut [u8]) -> Result<bool> {
        let length = memory.len() as u64;
        let mut walk = Carver::of(memory)?;
        let head = walk.one::<Self::Head>()?;
        head.header().check(Self::KIND)?;
        let (kind, size) = (head.header().kind, head.header().size);
        let state = walk.one::<Self::State>()?;
        Ok(Self::MARKED > 0 && size == length && kind == Self::mark(state, size))
    }

    /// Bytes of the head and the scalars.
    const PREFIX: usize = size_of::<Self::Head>() + size_of::<Self::State>();

    /// Bytes of the whole block.
    fn size(capacity: &Self::Capacity) -> Result<usize> {
        Self::check(capacity)?;
        let mut carver = Carver::measuring();
        carver.take::<Self::Head>(1)?;
        carver.take::<Self::State>(1)?;
        Self::parts(&mut carver, capacity)?;
        Ok(carver.size())
    }

    /// The slices of a new block at the start of this memory. The head is written, the scalars are zero, and so is
    /// everything else where the head wants it.
    fn create(memory: &'a mut [u8], capacity: &Self::Capacity) -> Result<(&'a mut Self::State, Self::Parts)> {
        let size = Self::size(capacity)?;
        let memory = memory.get_mut(..size).ok_or(Error::TooSmall)?;
        Carver::of(&mut *memory)?;
        if Self::Head::CLEARED {
            memory.fill(0);
        }
        Self::create_uncleared(memory, capacity)
    }

    /// Makes a block as [`Object::create`] does, but leaves the slices as the memory was: for an object that is never
    /// sealed, and writes its slices before it reads them. O(scalars).
    fn create_uncleared(
        memory: &'a mut [u8],
        capacity: &Self::Capacity,
    ) -> Result<(&'a mut Self::State, Self::Parts)> {
        let size = Self::size(capacity)?;
        let memory = memory.get_mut(..size).ok_or(Error::TooSmall)?;
        let mut carver = Carver::of(memory)?;
        let head = carver.one::<Self::Head>()?;
        *head = Self::Head::new(Header::new(Self::KIND, size));
        let state = carver.one::<Self::State>()?;
        *state = Self::State::zeroed();
        if Self::MARKED > 0 {
            Self::keep(state, capacity);
            head.header_mut().kind = Self::mark(state, size as u64);
        }
        Ok((state, Self::parts(&mut carver, capacity)?))
    }

    /// Capacities and size of the block that starts with these bytes, at least [`Object::PREFIX`] of them. O(1).
    fn look(prefix: &mut [u8]) -> Result<(Self::Capacity, usize)> {
        let mut carver = Carver::of(prefix)?;
        let head = carver.one::<Self::Head>()?;
        let state = carver.one::<Self::State>()?;
        head.header().check(Self::KIND)?;
        let capacity = Self::capacity_in(state)?;
        let size = Self::size(&capacity).map_err(|_| Error::Corrupt)?;
        if usize::try_from(head.header().size) != Ok(size) {
            return Err(Error::Corrupt);
        }
        Ok((capacity, size))
    }

    /// The object in the block that is this memory, no more and no less: one walk carves it, and one comparison at its
    /// end finds whether its capacities and its size agree. O(1).
    #[inline(always)]
    fn whole(memory: &'a mut [u8]) -> Result<Self> {
        let length = memory.len();
        let mut walk = Carver::of(memory)?;
        let head = walk.one::<Self::Head>()?;
        head.header().check(Self::KIND)?;
        let (kind, size) = (head.header().kind, head.header().size);
        let state = walk.one::<Self::State>()?;
        let marked = kind == Self::KIND as u32 || kind == Self::mark(state, size);
        let capacity = Self::capacity_in(state)?;
        Self::check(&capacity).map_err(|_| Error::Corrupt)?;
        let parts = Self::parts(&mut walk, &capacity).map_err(|_| Error::Corrupt)?;
        if !marked || walk.size() != length || size != length as u64 {
            return Err(Error::Corrupt);
        }
        Self::assemble(state, parts)
    }

    /// Calls with the same, for what needs little of the object: of a marked block the first parts ([`Carver::ends`]),
    /// and what is not used is neither carved nor checked.
    #[cfg(feature = "capi")]
    #[inline(always)]
    fn with_whole<R>(memory: &'a mut [u8], call: impl FnOnce(Self) -> Result<R>) -> Result<R> {
        if !Self::is_marked(memory)? {
            return Self::with_whole_apart(memory, call);
        }
        let mut walk = Carver { brief: true, ..Carver::of(memory)? };
        walk.one::<Self::Head>()?;
        let state = walk.one::<Self::State>()?;
        let capacity = Self::capacity_in(state)?;
        let parts = Self::parts(&mut walk, &capacity).map_err(|_| Error::Corrupt)?;
        call(Self::assume(state, parts)?)
    }

    /// Calls with the object of a block that is not marked, apart from the calls that rarely meet one.
    #[cfg(feature = "capi")]
    #[cold]
    #[inline(never)]
    fn with_whole_apart<R>(memory: &'a mut [u8], call: impl FnOnce(Self) -> Result<R>) -> Result<R> {
        call(Self::whole(memory)?)
    }

    /// The object in the block at the start of this memory. O(1).
    fn attach(memory: &'a mut [u8]) -> Result<Self> {
        let (capacity, size) = Self::look(memory)?;
        let mut carver = Carver::of(memory.get_mut(..size).ok_or(Error::TooSmall)?)?;
        carver.one::<Self::Head>()?;
        let state = carver.one()?;
        Self::assemble(state, Self::parts(&mut carver, &capacity)?)
    }
}

/// The most elements of a slice: 2 to this power. Compilers see from it that sizes in bytes do not overflow.
const MOST_BITS: u32 = 40;

/// Hands out consecutive slices of a block, or only adds up their sizes.
///
/// From where the block ends on slices are empty: the sizes added up, compared once with the block's length, tell
/// whether all of them fit. So compilers leave out the slices that a call does not use.
pub(crate) struct Carver<'a> {
    memory: Option<&'a mut [u64]>,
    /// Words handed out or measured so far.
    words: u64,
    /// Whether only the first parts are wanted.
    brief: bool,
}

impl<'a> Carver<'a> {
    /// A carver that only measures: every slice it hands out is empty.
    pub(crate) fn measuring() -> Carver<'a> {
        Carver { memory: None, words: 0, brief: false }
    }

    /// A carver of this block.
    #[inline(always)]
    pub(crate) fn of(memory: &'a mut [u8]) -> Result<Carver<'a>> {
        if memory.as_ptr().addr() % ALIGNMENT != 0 {
            return Err(Error::Misaligned);
        }
        let whole = memory.len() - memory.len() % ALIGNMENT;
        let memory = memory.get_mut(..whole).unwrap_or_default();
        let memory = bytemuck::try_cast_slice_mut(memory).map_err(|_| Error::Misaligned)?;
        Ok(Carver { memory: Some(memory), words: 0, brief: false })
    }

    /// Ends the first parts, with which short calls make do: whether no others are wanted. They are empty then, and
    /// their sizes do not matter.
    #[inline(always)]
    pub(crate) fn ends(&mut self) -> bool {
        if self.brief {
            self.memory = Some(&mut []);
        }
        self.brief
    }

    /// The next words.
    #[inline(always)]
    fn next(&mut self, words: u64) -> Result<&'a mut [u64]> {
        // The slices of a layout are far fewer than would let this overflow.
        self.words = self.words.wrapping_add(words);
        // Where addresses have 64 bits it is certain that the size is one of them.
        if usize::BITS < u64::BITS && self.words > (usize::MAX / ALIGNMENT) as u64 {
            return Err(Error::OutOfRange);
        }
        let Some(memory) = self.memory.take() else { return Ok(&mut []) };
        let (mine, rest) = memory.split_at_mut_checked(words as usize).unwrap_or_default();
        self.memory = Some(rest);
        Ok(mine)
    }

    /// The next `count` elements. The size is rounded up so that the slice after it is aligned.
    #[inline(always)]
    pub(crate) fn take<T: Pod>(&mut self, count: usize) -> Result<&'a mut [T]> {
        const { assert!(align_of::<T>() <= ALIGNMENT && size_of::<T>() < 1 << 16) };
        let too_many = count as u64 >> MOST_BITS != 0;
        if too_many && self.memory.is_none() {
            return Err(Error::OutOfRange);
        }
        // A block that holds as many is too long for any memory.
        let count = if too_many { 1 << MOST_BITS } else { count as u64 };
        let bytes = count * size_of::<T>() as u64;
        let mine = self.next(bytes.div_ceil(ALIGNMENT as u64))?;
        if size_of::<T>() % ALIGNMENT == 0 {
            return Ok(bytemuck::try_cast_slice_mut(mine).unwrap_or_default());
        }
        if ALIGNMENT % size_of::<T>() == 0 {
            let mine: &mut [T] = bytemuck::try_cast_slice_mut(mine).unwrap_or_default();
            return Ok(mine.get_mut(..count as usize).unwrap_or_default());
        }
        let mine: &mut [u8] = bytemuck::try_cast_slice_mut(mine).unwrap_or_default();
        let Some(mine) = mine.get_mut(..bytes as usize) else { return Ok(&mut []) };
        // Words are aligned: it does not fail.
        Ok(bytemuck::try_cast_slice_mut(mine).unwrap_or_default())
    }

    /// The next element; only for a carver that carves.
    #[inline(always)]
    fn one<T: Pod>(&mut self) -> Result<&'a mut T> {
        self.take(1)?.first_mut().ok_or(Error::TooSmall)
    }

    /// Bytes handed out or measured so far.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.words as usize * ALIGNMENT
    }
}

/// The whole groups of `N` numbers that a slice begins with, and the numbers after them: the standard library's
/// `as_chunks`, which Rust 1.85 has not.
#[inline]
pub(crate) fn chunks<const N: usize>(values: &[f64]) -> (&[[f64; N]], &[f64]) {
    let whole = values.len() - values.len().checked_rem(N).unwrap_or(0);
    let (chunks, rest) = values.split_at_checked(whole).unwrap_or((&[], values));
    (bytemuck::try_cast_slice(chunks).unwrap_or(&[]), rest)
}

/// The whole groups of `N` numbers that a slice begins with, to change them.
#[inline]
pub(crate) fn chunks_mut<const N: usize>(values: &mut [f64]) -> &mut [[f64; N]] {
    let whole = values.len() - values.len().checked_rem(N).unwrap_or(0);
    let chunks = values.get_mut(..whole).unwrap_or_default();
    bytemuck::try_cast_slice_mut(chunks).unwrap_or_default()
}

/// The element at `index`; a wrong index means that the block was damaged.
#[inline]
pub(crate) fn at<T>(slice: &[T], index: usize) -> Result<&T> {
    slice.get(index).ok_or(Error::Corrupt)
}

/// The element at `index`, to change it; a wrong index means that the block was damaged.
#[inline]
pub(crate) fn at_mut<T>(slice: &mut [T], index: usize) -> Result<&mut T> {
    slice.get_mut(index).ok_or(Error::Corrupt)
}

/// Copies as many elements as the shorter of the two slices has.
pub(crate) fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// The elements from `start`, `count` of them; a wrong range means that the block was damaged.
#[inline]
pub(crate) fn range<T>(slice: &[T], start: usize, count: usize) -> Result<&[T]> {
    slice.get(start..).and_then(|rest| rest.get(..count)).ok_or(Error::Corrupt)
}

/// The elements from `start`, `count` of them, to change them; a wrong range means that the block was damaged.
#[inline]
pub(crate) fn range_mut<T>(slice: &mut [T], start: usize, count: usize) -> Result<&mut [T]> {
    slice.get_mut(start..).and_then(|rest| rest.get_mut(..count)).ok_or(Error::Corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk<'a>(carver: &mut Carver<'a>) -> Result<(&'a mut [u8], &'a mut [u64])> {
        Ok((carver.take(3)?, carver.take(2)?))
    }

    #[test]
    fn the_print_changes_with_every_bit() {
        let mut bytes: [u8; 20] = core::array::from_fn(|i| i as u8);
        let (known, size) = (print(&bytes, 1000), 1000);
        assert!(known != 0 && known < 1 << 24);
        for bit in 0..160 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(print(&bytes, size), known, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!((0..48).all(|bit| print(&bytes, size ^ 1 << bit) != known));
    }

    #[test]
    fn measuring_and_carving_agree() {
        let mut measure = Carver::measuring();
        walk(&mut measure).unwrap();
        assert_eq!(measure.size(), 8 + 16);
        let mut block = [0u64; 3];
        let (bytes, words) = walk(&mut Carver::of(bytemuck::cast_slice_mut(&mut block)).unwrap()).unwrap();
        assert_eq!((bytes.len(), words.len()), (3, 2));
        let mut short = [0u64; 2];
        let mut carver = Carver::of(bytemuck::cast_slice_mut(&mut short)).unwrap();
        let (bytes, words) = walk(&mut carver).unwrap();
        assert_eq!((bytes.len(), words.len(), carver.size()), (3, 0, 8 + 16), "what does not fit is empty");
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut block);
        assert_eq!(Carver::of(&mut bytes[1..]).err(), Some(Error::Misaligned));
        assert_eq!(Carver::measuring().take::<u64>(usize::MAX).err(), Some(Error::OutOfRange));
    }
}
