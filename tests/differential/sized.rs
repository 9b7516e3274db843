//! Structures that begin with their size, as an older, a newer or a mistaken program passes them.

use super::input::Input;
use super::object::Pointer;
use std::fmt;
use surefill::capi::*;

/// Room for the longest structure that a call looks at, and for the words behind it.
const WORDS: usize = 4104 / 8;

#[derive(Clone)]
pub struct Sized<T> {
    words: Vec<u64>,
    defaults: T,
    /// The sizes at which a member ends.
    ends: &'static [usize],
    place: Pointer,
}

impl<T> fmt::Debug for Sized<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:?} {:x?}", self.place, &self.words[..size_of::<T>().div_ceil(8) + 1])
    }
}

impl<T: Copy> Sized<T> {
    /// `value` under the size that it begins with or, seldom, under another.
    pub fn new(input: &mut Input, value: T, defaults: T, ends: &'static [usize]) -> Sized<T> {
        let mut words = vec![0u64; WORDS];
        // SAFETY: there is room for several.
        unsafe { words.as_mut_ptr().cast::<T>().write(value) };
        let mut made = Sized { words, defaults, ends, place: Pointer::any(input) };
        if input.rarely() {
            if input.below(2) == 0 {
                made.set_size(input.int(100) as u32);
            } else {
                made.set_size(size_of::<T>() as u32 + 8);
                made.words[size_of::<T>().div_ceil(8)] = input.below(2) as u64;
            }
        }
        made
    }

    fn set_size(&mut self, size: u32) {
        // SAFETY: the size is every such structure's first member.
        unsafe { self.words.as_mut_ptr().cast::<u32>().write(size) };
    }

    pub fn pointer(&self) -> *const T {
        self.place.to(self.words.as_ptr().cast_mut().cast())
    }

    /// The options that the library makes of it, where it accepts it.
    pub fn meant(&self) -> Option<T> {
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let size = u32::from_ne_bytes(bytes[..4].try_into().unwrap()) as usize;
        let newer = bytes.get(size_of::<T>()..size).unwrap_or(&[]);
        let whole = if size < size_of::<T>() { self.ends.contains(&size) } else { size <= 4096 };
        if self.place != Pointer::Right || !whole || newer.iter().any(|&byte| byte != 0) {
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

/// The statuses of a structure of a wrong size.
pub const ERRORS: [i32; 2] = [SUREFILL_ERROR_WRONG_VERSION, SUREFILL_ERROR_NO_STRUCT_SIZE];
