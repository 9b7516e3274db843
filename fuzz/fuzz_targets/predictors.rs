//! Bytes as a sequence of calls on what learns and on what chooses sizes: through C, the on-line model through Rust.
//!
//! Every call: no crash, nothing the address sanitizer objects to, nothing written beside the block; the status is
//! the one that a model of the object gives, and a refused call changes neither outputs nor block. A copy opened from a
//! checkpoint gets the same calls and must stay the same byte for byte; one with a damaged byte must answer every call
//! with some status.
#![no_main]

#[allow(dead_code)]
#[path = "c_calls/input.rs"]
mod input;
#[path = "predictors/model.rs"]
mod model;
#[path = "predictors/object.rs"]
mod object;
#[path = "predictors/online.rs"]
mod online;
#[path = "predictors/plain.rs"]
mod plain;
#[path = "predictors/predictor.rs"]
mod predictor;
#[path = "predictors/sizes.rs"]
mod sizes;
#[path = "predictors/waits.rs"]
mod waits;

use input::Input;
use libfuzzer_sys::fuzz_target;
use object::calls;

fuzz_target!(|bytes: &[u8]| {
    let input = &mut Input::new(bytes);
    // One kind of object at a time, so that a short input takes it far.
    match input.below(12) {
        0..=2 | 4 => calls::<predictor::Predictor>(input),
        3 => calls::<model::Model>(input),
        5 | 6 => calls::<waits::Waits>(input),
        7 => calls::<online::Online>(input),
        8..=10 => calls::<sizes::Sizes>(input),
        _ => plain::calls(input),
    }
});
