//! Bytes as a sequence of calls on the calibration of delays, through C.
//!
//! Of every call what `predictors` checks; delays are those of their definition, added up again.
#![no_main]

#[path = "calibrations/delays.rs"]
mod delays;
#[allow(dead_code)]
#[path = "c_calls/input.rs"]
mod input;
#[allow(dead_code)]
#[path = "predictors/object.rs"]
mod object;

use input::Input;
use libfuzzer_sys::fuzz_target;
use object::calls;

fuzz_target!(|bytes: &[u8]| {
    calls::<delays::Delays>(&mut Input::new(bytes));
});
