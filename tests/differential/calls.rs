//! The C interface beside the core: calls drawn from bytes are made through both, on the same blocks, and must give the
//! same status and outputs and leave the same bytes.
//!
//! Besides, every call: no crash, nothing the address sanitizer objects to, nothing written beside the block; the
//! status is the one that a model of the object gives, and a refused call changes neither outputs nor block. The tests
//! draw the bytes from seeds, the fuzz target `differential` gets them from libFuzzer; other targets, for objects that
//! have no counterpart here, use the same rooms.

pub mod input;
mod node_forecast;
mod nodes;
pub mod object;
mod pass;
mod plain;
pub mod prediction;
mod sized;
mod sizes;
mod values;
mod waits;

use input::Input;

/// The kinds of object that are called.
#[allow(dead_code)]
pub const KINDS: u8 = 7;

/// Bytes as calls: the first one says on what, so that a short input takes it far.
pub fn play(bytes: &[u8]) {
    let input = &mut Input::new(bytes);
    match input.below(KINDS) {
        0 => object::calls::<values::Bins>(input),
        1 => object::calls::<values::Distribution>(input),
        2 => object::calls::<pass::Pass>(input),
        3 => nodes::calls(input),
        4 => object::calls::<waits::Waits>(input),
        5 => object::calls::<sizes::Sizes>(input),
        _ => plain::calls(input),
    }
}
