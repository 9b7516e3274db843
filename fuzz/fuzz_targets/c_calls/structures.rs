//! Structures that begin with their size, as an older, a newer or a mistaken program passes them.

use crate::input::{Input, askew};
use std::ptr::null_mut;
use surefill::capi::*;

/// Room for the longest structure that a call looks at, and for the words behind it.
pub struct Sized<T> {
    words: Vec<u64>,
    defaults: T,
    /// The sizes at which a member ends.
    ends: &'static [usize],
    pointer: *mut T,
}

impl<T: Copy> Sized<T> {
    /// `value` under the size that it begins with or, seldom, under another.
    pub fn new(input: &mut Input, value: T, defaults: T, ends: &'static [usize]) -> Sized<T> {
        let mut words = vec![0u64; 4104 / 8];
        let pointer: *mut T = words.as_mut_ptr().cast();
        // SAFETY: there is room for several.
        unsafe { pointer.write(value) };
        let mut made = Sized { words, defaults, ends, pointer };
        if input.rarely() {
            match input.below(4) {
                0 => made.pointer = null_mut(),
                1 => made.pointer = askew(pointer),
                2 => made.set_size(input.int(100) as u32),
                _ => {
                    made.set_size(size_of::<T>() as u32 + 8);
                    made.words[size_of::<T>().div_ceil(8)] = input.below(2) as u64;
                }
            }
        }
        made
    }

    fn set_size(&mut self, size: u32) {
        // SAFETY: the size is every such structure's first member.
        unsafe { self.words.as_mut_ptr().cast::<u32>().write(size) };
    }

    pub fn pointer(&self) -> *const T {
        self.pointer
    }

    /// The options that the library makes of it, where it accepts it.
    pub fn meant(&self) -> Option<T> {
        if self.pointer.cast_const().cast() != self.words.as_ptr() {
            return None;
        }
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let size = u32::from_ne_bytes(bytes[..4].try_into().unwrap()) as usize;
        let newer = bytes.get(size_of::<T>()..size).unwrap_or(&[]);
        let whole = if size < size_of::<T>() { self.ends.contains(&size) } else { size <= 4096 };
        if !whole || newer.iter().any(|&byte| byte != 0) {
            return None;
        }
        let mut meant = self.defaults;
        let known = size.min(size_of::<T>());
        // SAFETY: both are at least that long, and every bit pattern is a value.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut meant).cast(), known) };
        Some(meant)
    }
}

/// Where the members of the structures end.
pub const LIMITS: &[usize] = &[4, 8, 12, 16, 20, 24];
pub const RULE: &[usize] = &[4, 8, 16, 24, 32, 40, 44];

pub fn default_limits() -> surefill_pass_capacity {
    let mut capacity = std::mem::MaybeUninit::uninit();
    assert_eq!(
        unsafe {
            surefill_pass_capacity_init(capacity.as_mut_ptr(), size_of::<surefill_pass_capacity>() as i64)
        },
        SUREFILL_OK
    );
    unsafe { capacity.assume_init() }
}

pub fn default_rule() -> surefill_rule {
    let mut rule = std::mem::MaybeUninit::uninit();
    assert_eq!(
        unsafe { surefill_rule_init(rule.as_mut_ptr(), size_of::<surefill_rule>() as i64) },
        SUREFILL_OK
    );
    unsafe { rule.assume_init() }
}
