//! Bytes as a sequence of calls on what learns: through C, the on-line model through Rust.
//!
//! Every call: no crash, nothing the address sanitizer objects to, nothing written beside the block; the status is
//! the one that a model of the object gives, and a refused call changes neither outputs nor block. A copy opened from a
//! checkpoint gets the same calls and must stay the same byte for byte; one with a damaged byte must answer every call
//! with some status.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/differential/calls.rs"]
mod calls;
#[path = "predictors/model.rs"]
mod model;
#[path = "predictors/online.rs"]
mod online;
#[path = "predictors/predictor.rs"]
mod predictor;

use calls::{input, object};
use input::Input;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let input = &mut Input::new(bytes);
    // One kind of object at a time, so that a short input takes it far.
    match input.below(12) {
        3 => object::calls::<model::Model>(input),
        7 => object::calls::<online::Online>(input),
        _ => object::calls::<predictor::Predictor>(input),
    }
});
