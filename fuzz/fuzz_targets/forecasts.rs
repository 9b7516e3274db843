//! Bytes as a sequence of calls on forecasts of starts, through C.
//!
//! Every call is checked like those of `predictors`. A forecast that is done: its answers agree with one another and
//! with what must hold of any schedule, and another forecast, with more room, played in one call, says the same.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/differential/calls.rs"]
mod calls;
#[path = "forecasts/forecast.rs"]
mod forecast;

use calls::{input, object, prediction};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| object::calls::<forecast::Forecast>(&mut input::Input::new(bytes)));
