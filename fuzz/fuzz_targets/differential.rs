//! Bytes as calls on an object of the C interface, each beside the same call of the core: `tests/differential`.
#![no_main]

#[path = "../../tests/differential/calls.rs"]
mod calls;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| calls::play(bytes));
