//! Parts of jobs on nodes.

use super::{array, array_mut, count};
use crate::error::{Error, Result};
use crate::nodes::{MAX_RESOURCES, MAX_TASKS, Part};

/// The most kinds of resource, on nodes and of the whole machine.
pub const SUREFILL_MAX_RESOURCES: i32 = 8;

/// The most tasks of one request.
pub const SUREFILL_MAX_TASKS: i32 = 16_777_216;

const _: () = assert!(SUREFILL_MAX_RESOURCES as usize == MAX_RESOURCES);
const _: () = assert!(SUREFILL_MAX_TASKS as u32 == MAX_TASKS);

/// Some of a job's tasks, on one node.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_part {
    /// The node, from 0.
    pub node: i32,
    /// Tasks on it, at least 1; exactly 1 where each lies on a node of its own.
    pub tasks: i32,
}

const _: () = assert!(size_of::<surefill_part>() == size_of::<Part>());
const _: () = assert!(align_of::<surefill_part>() == align_of::<Part>());

/// Parts that a caller gives: what is negative is no node and no number of tasks.
///
/// # Safety
/// As [`array`].
pub(super) unsafe fn parts<'a>(given: *const surefill_part, length: i32) -> Result<&'a [Part]> {
    for part in unsafe { array(given, length)? } {
        if part.node < 0 {
            return Err(Error::NoSuchIndex);
        }
        count(part.tasks)?;
    }
    // Both are two numbers of 32 bits, and those at hand are the same signed and unsigned.
    unsafe { array(given.cast(), length) }
}

/// # Safety
/// As [`array_mut`].
pub(super) unsafe fn parts_mut<'a>(to: *mut surefill_part, length: i32) -> Result<&'a mut [Part]> {
    unsafe { array_mut(to.cast(), length) }
}
