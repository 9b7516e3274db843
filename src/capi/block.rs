//! Handles whose block holds one plain value behind a header.

use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, Header, Kind};
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
/// Memory that is not NULL has `length` writable bytes that nobody else uses during the call.
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

    /// The value behind a handle.
    ///
    /// # Safety
    /// A handle that is not NULL and aligned points to a readable block of at least a header, and behind the header of
    /// this kind lies a value.
    pub(super) unsafe fn read<'a, H>(handle: *const H, kind: Kind) -> Result<&'a T> {
        if handle.is_null() {
            return Err(Error::Null);
        }
        if !aligned(handle) {
            return Err(Error::Misaligned);
        }
        unsafe { *handle.cast::<Header>() }.check(kind)?;
        Ok(&unsafe { &*handle.cast::<Block<T>>() }.value)
    }

    /// As [`Block::read`], to change the value.
    ///
    /// # Safety
    /// As [`Block::read`]; the block is writable, and nobody else uses it.
    pub(super) unsafe fn read_mut<'a, H>(handle: *mut H, kind: Kind) -> Result<&'a mut T> {
        unsafe { Block::<T>::read(handle, kind)? };
        Ok(&mut unsafe { &mut *handle.cast::<Block<T>>() }.value)
    }
}
