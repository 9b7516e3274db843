//! Names of the constants, for messages and for options of programs.
//!
//! Each function gives the last words of a constant's name in small letters, "over budget" for SUREFILL_VERDICT_OVER_BUDGET,
//! and "unknown" for other numbers. Numbers begin with 0 (those of events with 1), so that a program can look for a word.
//!
//! ```c
//! int32_t criterion = SUREFILL_CRITERION_PROBABILITY;
//! while (strcmp(surefill_criterion_name(criterion), "relative") != 0) criterion++;
//! ```

use core::ffi::{CStr, c_char};

/// The name with this number.
fn named(names: &[&'static CStr], number: i32) -> *const c_char {
    let name = usize::try_from(number).ok().and_then(|number| names.get(number));
    name.copied().unwrap_or(c"unknown").as_ptr()
}

/// The name of one of SUREFILL_STEP_. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_step_name(step: i32) -> *const c_char {
    named(&[c"idle", c"more", c"done", c"accept"], step)
}

/// The name of one of SUREFILL_CRITERION_. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_criterion_name(criterion: i32) -> *const c_char {
    named(&[c"probability", c"bound", c"seconds", c"relative"], criterion)
}

/// The name of one of SUREFILL_VERDICT_. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_verdict_name(verdict: i32) -> *const c_char {
    let names =
        [c"undecided", c"accepted", c"refused", c"over budget", c"does not fit", c"declined", c"guarded"];
    named(&names, verdict)
}

/// The name of one of SUREFILL_PRESET_. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_preset_name(preset: i32) -> *const c_char {
    named(&[c"easy", c"papers", c"fair", c"fast"], preset)
}

/// The name of one of SUREFILL_DELAY_. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_delay_name(exactness: i32) -> *const c_char {
    named(&[c"exact", c"at least", c"at most", c"estimate"], exactness)
}

/// The same as a sign to be put before the delay: "=", ">=", "<=" or "~", and "unknown". A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_delay_sign(exactness: i32) -> *const c_char {
    named(&[c"=", c">=", c"<=", c"~"], exactness)
}

/// The name of one of SUREFILL_ANSWER_. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_answer_name(answer: i32) -> *const c_char {
    named(&[c"bound", c"too little history", c"may be down"], answer)
}

/// The name of one of SUREFILL_EVENT_. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_event_name(kind: i32) -> *const c_char {
    named(&[c"unknown", c"submit", c"start", c"end", c"cancel"], kind)
}
