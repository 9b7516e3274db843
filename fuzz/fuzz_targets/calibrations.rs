//! Bytes as a sequence of calls on what learns from delays and waits, and on presets, through C.
//!
//! Of every call what `predictors` checks. Recent waits are sorted again for each quantile, and what presets make of
//! them is computed anew; delays are those of their definition, added up again.
#![no_main]

#[allow(dead_code)]
#[path = "forecasts/belief.rs"]
mod belief;
#[path = "calibrations/delays.rs"]
mod delays;
#[allow(dead_code)]
#[path = "c_calls/input.rs"]
mod input;
#[allow(dead_code)]
#[path = "predictors/object.rs"]
mod object;
#[path = "forecasts/preset.rs"]
mod preset;
#[path = "calibrations/recent.rs"]
mod recent;

use input::Input;
use libfuzzer_sys::fuzz_target;
use object::calls;

fuzz_target!(|bytes: &[u8]| {
    let input = &mut Input::new(bytes);
    // One kind of object at a time, so that a short input takes it far.
    match input.below(4) {
        0 | 1 => calls::<delays::Delays>(input),
        _ => calls::<recent::Recent>(input),
    }
});
