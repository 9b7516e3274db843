//! Structures that begin with their size, `struct_size`, as the program knows it.
//!
//! The program says the size, which the macros hand to the init functions, and the library keeps to it: it reads
//! and writes no byte behind it. Members that an older program's structure lacks have their defaults. What a newer
//! program's has behind the members known here is read as zero or refused, and written as zero.

use crate::error::{Error, Result};
use core::slice;

/// Where a structure may end in an older program: before each of these members.
macro_rules! ends {
    ($structure:ident, $($member:ident),+ $(,)?) => {
        &[$(core::mem::offset_of!($structure, $member)),+]
    };
}
pub(super) use ends;

/// The longest structure of any version.
const LONGEST: usize = 4096;

/// A structure of the caller's, with these defaults behind its end.
///
/// `members` are the sizes at which a member ends: a structure does not end inside one.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure of the size it says.
pub(super) unsafe fn sized<T: Copy>(given: *const T, defaults: T, members: &[usize]) -> Result<T> {
    unsafe { sized_as(given, size_said(given)?, defaults, members) }
}

/// The same, of this size whatever it says: one of an array.
///
/// # Safety
/// The pointer points to a readable structure of this size.
pub(super) unsafe fn sized_as<T: Copy>(
    given: *const T,
    size: usize,
    defaults: T,
    members: &[usize],
) -> Result<T> {
    let known = if size < size_of::<T>() { members.contains(&size) } else { size <= LONGEST };
    if !known {
        return Err(Error::WrongVersion);
    }
    let mut known = defaults;
    let bytes = unsafe { slice::from_raw_parts(given.cast::<u8>(), size) };
    let (ours, theirs) = bytes.split_at_checked(size_of::<T>()).unwrap_or((bytes, &[]));
    if theirs.iter().any(|&byte| byte != 0) {
        return Err(Error::WrongVersion);
    }
    unsafe { ours.as_ptr().copy_to_nonoverlapping((&raw mut known).cast(), ours.len()) };
    Ok(known)
}

/// The size that a structure says; 0 is one that was forgotten.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a readable number.
unsafe fn size_said<T>(given: *const T) -> Result<usize> {
    if given.is_null() {
        return Err(Error::Null);
    }
    if !given.is_aligned() {
        return Err(Error::Misaligned);
    }
    match unsafe { *given.cast::<u32>() } {
        0 => Err(Error::NoStructSize),
        size => Ok(size as usize),
    }
}

/// The size of a structure that is to be written, at least `least`: what its first version had.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a readable number.
pub(super) unsafe fn output_size<T>(to: *const T, least: usize) -> Result<usize> {
    let size = unsafe { size_said(to)? };
    if (least..=LONGEST).contains(&size) { Ok(size) } else { Err(Error::WrongVersion) }
}

/// Writes a structure of this size, which has been looked at before; its number stays.
///
/// # Safety
/// `to` is aligned and points to `size` writable bytes.
pub(super) unsafe fn write_sized<T: Copy>(to: *mut T, value: T, size: usize) {
    let length = size_of::<T>().min(size);
    let bytes = to.cast::<u8>();
    unsafe {
        (&raw const value).cast::<u8>().copy_to_nonoverlapping(bytes, length);
        bytes.wrapping_add(length).write_bytes(0, size - length);
        to.cast::<u32>().write(size as u32);
    }
}

/// Writes a structure of the size that it says.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a writable structure of the size it says.
pub(super) unsafe fn write_output<T: Copy>(to: *mut T, value: T, least: usize) -> Result<()> {
    let size = unsafe { output_size(to, least)? };
    unsafe { write_sized(to, value, size) };
    Ok(())
}

/// Sets a structure to its defaults, for a caller whose own has this many bytes.
///
/// # Safety
/// A pointer that is not NULL and aligned points to `size` writable bytes.
pub(super) unsafe fn initialise<T: Copy>(to: *mut T, value: T, size: i64) -> Result<()> {
    if to.is_null() {
        return Err(Error::Null);
    }
    if !to.is_aligned() {
        return Err(Error::Misaligned);
    }
    let size = usize::try_from(size).ok().filter(|size| (size_of::<u32>()..=LONGEST).contains(size));
    unsafe { write_sized(to, value, size.ok_or(Error::WrongVersion)?) };
    Ok(())
}
