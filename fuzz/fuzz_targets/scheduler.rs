//! A scheduler and its cycles: hostile calls in any order, which the tests of the engine draw from numbers
//! (`tests/engine/fuzz.rs`), drawn from the input. Nothing panics, a refused call changes nothing, the block can be
//! sealed and opened, and no unit gets lost.
#![no_main]

#[path = "../../tests/engine/block.rs"]
#[allow(dead_code)]
mod block;
#[path = "../../tests/engine/fuzz.rs"]
#[allow(dead_code)]
mod fuzz;
#[path = "../../tests/engine/machine.rs"]
#[allow(dead_code)]
mod machine;
#[path = "../../tests/common/splitmix.rs"]
mod splitmix;

use libfuzzer_sys::fuzz_target;
use machine::Random;

fuzz_target!(|bytes: &[u8]| {
    let [conditions, rest @ ..] = bytes else { return };
    // A step takes some thirty numbers.
    fuzz::run(u64::from(*conditions), Random::of_bytes(rest), 1 + rest.len() / 16);
});
