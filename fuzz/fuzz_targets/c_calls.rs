//! Bytes as a sequence of C calls on several objects, with a model of what each must answer.
//!
//! Every call: no crash and nothing the address sanitizer objects to; success exactly when the model says so, else a
//! documented status and neither outputs nor object changed. Of a pass, besides: `c_calls/pass.rs`.
#![no_main]

#[path = "c_calls/blocks.rs"]
mod blocks;
#[path = "c_calls/input.rs"]
mod input;
#[path = "c_calls/pass.rs"]
mod pass;
#[path = "c_calls/structures.rs"]
mod structures;
#[path = "c_calls/values.rs"]
mod values;

use input::Input;
use libfuzzer_sys::fuzz_target;

/// The objects; a slot is empty until one is made.
pub struct World {
    bins: [Option<values::Bins>; 2],
    distributions: [Option<values::Distribution>; 3],
    passes: [Option<pass::Pass>; 2],
    /// Holds no object.
    stranger: blocks::Block,
}

fuzz_target!(|bytes: &[u8]| {
    let input = &mut Input::new(bytes);
    let world = &mut World {
        bins: [None, None],
        distributions: [None, None, None],
        passes: [None, None],
        stranger: blocks::Block::new(0),
    };
    // Most calls want something to be there.
    for _ in 0..3 {
        values::make_bins(world, input);
        values::make_distribution(world, input);
        pass::make(world, input);
    }
    while !input.is_empty() {
        match input.below(26) {
            0 => values::make_bins(world, input),
            1 => values::ask_bins(world, input),
            2 | 3 => values::make_distribution(world, input),
            4 => values::ask_distribution(world, input),
            5 => pass::make(world, input),
            6 => pass::move_block(world, input),
            7..=9 => pass::begin(world, input),
            10..=12 => pass::add_running(world, input),
            13..=15 => pass::add_candidate(world, input),
            16 => pass::ask(world, input),
            17 => pass::ask_candidates(world, input),
            18 | 19 => pass::settle(world, input),
            20..=23 => pass::decide(world, input),
            _ => whole_pass(world, input),
        }
    }
    for pass in world.passes.iter().flatten() {
        pass.check_again();
    }
});

/// The calls of a pass in their order, which single calls seldom come to: up to acceptances and what follows from them.
fn whole_pass(world: &mut World, input: &mut Input) {
    pass::begin(world, input);
    for _ in 0..input.below(6) {
        pass::add_running(world, input);
    }
    for _ in 0..input.below(6) {
        pass::add_candidate(world, input);
    }
    for _ in 0..input.below(8) {
        pass::decide(world, input);
        pass::settle(world, input);
        pass::ask(world, input);
    }
}
