//! The functions of the headers in `include`: pointers in, the core's calls, statuses out. Nothing clever.
//!
//! This is the only folder with unsafe code. What is checked before a pointer is followed: that it is not NULL, that it
//! is aligned, and that the block it points to says what it is. What must be taken from the caller on trust: that a
//! pointer with a length points to that many readable (or writable) elements, and that a handle points to the block it
//! was initialised in.

#![allow(unsafe_code)]

mod allocate;
mod bins;
mod block;
mod detail;
mod distribution;
mod engine;
mod forecast;
mod hmm;
mod markov;
mod names;
mod nodes;
mod online;
mod parts;
mod pass;
mod predictor;
mod sized;
mod status;
mod wait;

pub use allocate::*;
pub use bins::*;
pub use detail::*;
pub use distribution::*;
pub use engine::*;
pub use forecast::*;
pub use hmm::*;
pub use markov::*;
pub use names::*;
pub use nodes::*;
pub use online::*;
pub use parts::*;
pub use pass::*;
pub use predictor::*;
pub use status::*;
pub use wait::*;

use crate::error::{Error, Result};
use core::slice;

/// The status of a result: 0, or the error's number.
fn status(result: Result<()>) -> i32 {
    result.map_or_else(Error::status, |()| 0)
}

/// Writes an output through a pointer that may not be NULL.
///
/// # Safety
/// A pointer that is not NULL is aligned and points to a writable T.
unsafe fn write<T>(to: *mut T, value: T) -> Result<()> {
    let to = unsafe { checked_mut(to)? };
    *to = value;
    Ok(())
}

/// An output or in-out parameter.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a writable T that nothing else uses during the call.
unsafe fn checked_mut<'a, T>(pointer: *mut T) -> Result<&'a mut T> {
    if pointer.is_null() {
        return Err(Error::Null);
    }
    if !pointer.is_aligned() {
        return Err(Error::Misaligned);
    }
    Ok(unsafe { &mut *pointer })
}

/// An array of a C caller: NULL is allowed when it is empty.
///
/// # Safety
/// A pointer that is not NULL and aligned points to `length` readable Ts.
unsafe fn array<'a, T>(pointer: *const T, length: i32) -> Result<&'a [T]> {
    let length = usize::try_from(length).map_err(|_| Error::OutOfRange)?;
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Error::Null);
    }
    if !pointer.is_aligned() {
        return Err(Error::Misaligned);
    }
    Ok(unsafe { slice::from_raw_parts(pointer, length) })
}

/// An array of a C caller to be written.
///
/// # Safety
/// A pointer that is not NULL and aligned points to `length` writable Ts that nothing else uses during the call.
unsafe fn array_mut<'a, T>(pointer: *mut T, length: i32) -> Result<&'a mut [T]> {
    unsafe { array(pointer, length)? };
    if length == 0 {
        return Ok(&mut []);
    }
    Ok(unsafe { slice::from_raw_parts_mut(pointer, length.unsigned_abs() as usize) })
}

/// A number of processors, or of anything else that C counts in `int32_t`.
fn count(number: i32) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::OutOfRange)
}

/// In the library that C links nothing may panic: `make check` looks for what would get here. Builds that unwind are
/// tests, where the standard library brings its own.
#[cfg(all(panic = "abort", not(test)))]
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    loop {}
}
