//! Memory of C objects, handles to them, and what holds for every call.

use crate::input::{Input, askew};
use std::ffi::CStr;
use surefill::backfill::Pass;
use surefill::capi::*;

/// A block of memory, exactly as long as asked for, so that the address sanitizer sees every step outside.
#[derive(Clone)]
pub struct Block(Vec<u64>);

impl Block {
    pub fn new(bytes: i64) -> Block {
        // A handle to the wrong type of object may be looked at for as long as the head of a pass.
        let bytes = usize::try_from(bytes).unwrap().max(Pass::PREFIX);
        Block(vec![0xa5a5_a5a5_a5a5_a5a5; bytes.div_ceil(8)])
    }

    pub fn length(&self) -> i64 {
        8 * self.0.len() as i64
    }

    pub fn pointer<T>(&self) -> *mut T {
        self.0.as_ptr().cast_mut().cast()
    }

    /// The head of the block: everything that is not a table.
    pub fn head(&self) -> Vec<u64> {
        self.0[..Pass::PREFIX / 8].to_vec()
    }

    /// The same bytes elsewhere, and nothing here any more.
    pub fn moved(&mut self) {
        *self = self.clone();
    }
}

/// Where and how long an object to be made: seldom wrong.
pub fn place<T>(input: &mut Input, block: &Block, size: i64) -> (*mut T, i64, bool) {
    if !input.rarely() {
        return (block.pointer(), block.length(), true);
    }
    match input.below(4) {
        0 => (std::ptr::null_mut(), size, false),
        1 => (askew(block.pointer()), size, false),
        2 => (block.pointer(), size - 1, false),
        _ => (block.pointer(), -1, false),
    }
}

/// A handle as passed to a call: the object's, or (with `None`) something of another type.
pub fn handle<T, O>(
    input: &mut Input,
    objects: &[Option<O>],
    block: impl Fn(&O) -> &Block,
    stranger: &Block,
) -> (*mut T, Option<usize>) {
    // Mostly the first, so that one object sees many calls.
    let slot = input.below(4 * objects.len() as u8).saturating_sub(3 * objects.len());
    let Some(object) = &objects[slot] else { return (std::ptr::null_mut(), None) };
    let right = block(object).pointer();
    if !input.rarely() {
        return (right, Some(slot));
    }
    match input.below(3) {
        0 => (std::ptr::null_mut(), None),
        1 => (askew(right), None),
        _ => (stranger.pointer(), None),
    }
}

/// Errors of every function about its pointers; its other errors stand at its call.
const BAD_POINTER: [i32; 3] = [SUREFILL_ERROR_NULL, SUREFILL_ERROR_MISALIGNED, SUREFILL_ERROR_WRONG_OBJECT];

/// Whether a call succeeded, which it must when it was legal and must not when it was not; the status is one of the
/// documented ones and has a name.
#[track_caller]
pub fn succeeded(status: i32, legal: bool, documented: &[i32]) -> bool {
    let name = unsafe { CStr::from_ptr(surefill_status_name(status)) };
    assert_eq!(status == SUREFILL_OK, legal, "{name:?}");
    // The commonest ways of being out of range have statuses of their own.
    let finer = [SUREFILL_ERROR_TOO_MANY_PROCESSORS, SUREFILL_ERROR_SPAN_TOO_LONG, SUREFILL_ERROR_OVERFULL]
        .contains(&status);
    let known = documented.contains(&if finer { SUREFILL_ERROR_OUT_OF_RANGE } else { status });
    assert!(legal || known || BAD_POINTER.contains(&status), "undocumented: {name:?}");
    assert!(name != c"unknown status", "{status}");
    legal
}
