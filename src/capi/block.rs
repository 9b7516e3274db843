//! Handles and the blocks behind them: objects of the core, and plain values behind a header.

use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, Header, Kind, Object};
use crate::seal::Checkpoint;
use bytemuck::Pod;
use core::ffi::c_void;
use core::slice;

/// A header and a value.
#[repr(C)]
pub(super) struct Block<T> {
    header: Header,
    value: T,
}

/// The caller's memory: NULL, alignment and length checked.
///
/// # Safety
/// Memory that is not NULL has `length` writable bytes that nothing else uses during the call.
pub(super) unsafe fn memory<'a>(memory: *mut c_void, length: i64) -> Result<&'a mut [u8]> {
    if memory.is_null() {
        return Err(Error::Null);
    }
    if !aligned(memory) {
        return Err(Error::Misaligned);
    }
    // Longer than any object is long enough; slices may not be longer than isize.
    let length = usize::try_from(length).map_err(|_| Error::OutOfRange)?;
    if length > isize::MAX as usize {
        return Err(Error::OutOfRange);
    }
    Ok(unsafe { slice::from_raw_parts_mut(memory.cast(), length) })
}

/// Whether an address can be a block's.
pub(super) fn aligned<T>(pointer: *const T) -> bool {
    pointer.addr() % ALIGNMENT == 0
}

/// The beginning of the block behind a handle.
///
/// # Safety
/// A handle that is not NULL and aligned points to a readable block of at least a header.
pub(super) unsafe fn header<H>(handle: *const H) -> Result<Header> {
    if handle.is_null() {
        return Err(Error::Null);
    }
    if !aligned(handle) {
        return Err(Error::Misaligned);
    }
    Ok(unsafe { *handle.cast::<Header>() })
}

/// The block of an object behind a handle. The kind is looked at first: a block of another kind may be shorter than
/// the object's first bytes.
///
/// # Safety
/// A handle that is not NULL and aligned points to a readable block of at least a header; if that is the object's, the
/// block is as long as it says, writable, and nothing else uses it during the call.
unsafe fn bytes<'a, O: Object<'a>, H>(handle: *const H) -> Result<&'a mut [u8]> {
    unsafe { header(handle)? }.check(O::KIND)?;
    let start = handle.cast_mut().cast::<u8>();
    // The slice must be gone when the block's slice comes to be.
    let size = O::look(unsafe { slice::from_raw_parts_mut(start, O::PREFIX) })?.1;
    Ok(unsafe { slice::from_raw_parts_mut(start, size) })
}

/// The object behind a handle. Its block is taken to be as long as it says, and carved at once: that its capacities
/// make it so long is found on the way, before anything behind the scalars is read.
///
/// # Safety
/// As [`bytes`].
pub(super) unsafe fn object<'a, O: Object<'a>, H>(handle: *const H) -> Result<O> {
    O::whole(unsafe { said_bytes::<O, H>(handle)? })
}

/// Calls with the object behind a handle, for what needs little of it: what is not used is not carved, and of a marked
/// block not checked.
///
/// # Safety
/// As [`bytes`].
#[inline(always)]
pub(super) unsafe fn with_object<'a, O: Object<'a>, H, R>(
    handle: *const H,
    call: impl FnOnce(O) -> Result<R>,
) -> Result<R> {
    O::with_whole(unsafe { said_bytes::<O, H>(handle)? }, call)
}

/// The block of an object behind a handle, as long as it says.
///
/// # Safety
/// As [`bytes`].
#[inline(always)]
unsafe fn said_bytes<'a, O: Object<'a>, H>(handle: *const H) -> Result<&'a mut [u8]> {
    let header = unsafe { header(handle)? };
    header.check(O::KIND)?;
    let size = usize::try_from(header.size).map_err(|_| Error::Corrupt)?;
    if size < O::PREFIX || size > isize::MAX as usize {
        return Err(Error::Corrupt);
    }
    Ok(unsafe { slice::from_raw_parts_mut(handle.cast_mut().cast(), size) })
}

/// Makes an object in the caller's memory and gives the handle out.
///
/// # Safety
/// As [`memory`]; a `handle` that is not NULL and aligned is writable.
pub(super) unsafe fn init<'a, O: Object<'a>, H>(
    at: *mut c_void,
    length: i64,
    handle: *mut *mut H,
    make: impl FnOnce(&'a mut [u8]) -> Result<O>,
) -> Result<()> {
    let handle = unsafe { super::checked_mut(handle)? };
    make(unsafe { memory(at, length)? })?;
    *handle = at.cast();
    Ok(())
}

/// Makes the block behind a handle a checkpoint.
///
/// # Safety
/// As [`bytes`].
pub(super) unsafe fn seal<'a, O: Checkpoint<'a>, H>(handle: *mut H) -> Result<()> {
    // Contents that contradict themselves must not get a checksum that says that they are sound.
    unsafe { object::<O, H>(handle)? };
    O::seal(unsafe { bytes::<O, H>(handle)? })
}

/// Checks the checkpoint in the caller's memory and gives the handle out.
///
/// # Safety
/// As [`init`].
pub(super) unsafe fn open<'a, O: Checkpoint<'a>, H>(
    at: *mut c_void,
    length: i64,
    handle: *mut *mut H,
) -> Result<()> {
    unsafe { init(at, length, handle, O::open) }
}

/// Writes the size of a block.
///
/// # Safety
/// As [`super::write`].
pub(super) unsafe fn write_size(to: *mut i64, size: usize) -> Result<()> {
    unsafe { super::write(to, i64::try_from(size).map_err(|_| Error::OutOfRange)?) }
}

impl<T: Pod> Block<T> {
    /// Writes a value into the caller's memory and gives the handle out.
    ///
    /// # Safety
    /// As [`memory`]; a `handle` that is not NULL and aligned is writable.
    pub(super) unsafe fn init<H>(
        at: *mut c_void,
        length: i64,
        kind: Kind,
        handle: *mut *mut H,
        value: impl FnOnce() -> Result<T>,
    ) -> Result<()> {
        let handle = unsafe { super::checked_mut(handle)? };
        let bytes = unsafe { memory(at, length)? };
        if bytes.len() < size_of::<Block<T>>() {
            return Err(Error::TooSmall);
        }
        let block = Block { header: Header::new(kind, size_of::<Block<T>>()), value: value()? };
        unsafe { at.cast::<Block<T>>().write(block) };
        *handle = at.cast();
        Ok(())
    }

    /// Makes a value in the caller's memory, of what was found before that is written, and gives the handle out.
    ///
    /// # Safety
    /// As [`Block::init`].
    pub(super) unsafe fn init_in_place<H, F>(
        at: *mut c_void,
        length: i64,
        kind: Kind,
        handle: *mut *mut H,
        (find, write): (impl FnOnce() -> Result<F>, impl FnOnce(F, &mut T)),
    ) -> Result<()> {
        let handle = unsafe { super::checked_mut(handle)? };
        if unsafe { memory(at, length)? }.len() < size_of::<Block<T>>() {
            return Err(Error::TooSmall);
        }
        let found = find()?;
        // Bytes that were never written are no value.
        unsafe { at.cast::<Block<T>>().write_bytes(0, 1) };
        let block = unsafe { &mut *at.cast::<Block<T>>() };
        block.header = Header::new(kind, size_of::<Block<T>>());
        write(found, &mut block.value);
        *handle = at.cast();
        Ok(())
    }

    /// The value behind a handle.
    ///
    /// # Safety
    /// A handle that is not NULL and aligned points to a readable block of at least a header, and behind the header of
    /// this kind lies a value.
    pub(super) unsafe fn read<'a, H>(handle: *const H, kind: Kind) -> Result<&'a T> {
        unsafe { header(handle)? }.check(kind)?;
        Ok(&unsafe { &*handle.cast::<Block<T>>() }.value)
    }
}
