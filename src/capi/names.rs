//! Names of the constants, for messages and for options of programs.
//!
//! A name is the last words of a constant's own in small letters, "over budget" for SUREFILL_VERDICT_OVER_BUDGET.
//! Numbers begin with 0 (those of predictors with 1), so that a program can look for a word.
//!
//! ```c
//! int32_t criterion = SUREFILL_CRITERION_PROBABILITY;
//! while (strcmp(surefill_name(SUREFILL_NAME_CRITERION, criterion), "relative") != 0) criterion++;
//! ```

use core::ffi::{CStr, c_char};

/// Family of constants: SUREFILL_STEP_.
pub const SUREFILL_NAME_STEP: i32 = 0;
/// Family of constants: SUREFILL_CRITERION_.
pub const SUREFILL_NAME_CRITERION: i32 = 1;
/// Family of constants: SUREFILL_VERDICT_.
pub const SUREFILL_NAME_VERDICT: i32 = 2;
/// Family of constants: SUREFILL_DELAY_.
pub const SUREFILL_NAME_DELAY: i32 = 3;
/// Family of constants: SUREFILL_DELAY_ as a sign to be put before the delay: "=", ">=", "<=", "~" or "?".
pub const SUREFILL_NAME_DELAY_SIGN: i32 = 4;
/// Family of constants: SUREFILL_ANSWER_.
pub const SUREFILL_NAME_ANSWER: i32 = 5;
/// Family of constants: SUREFILL_PREDICTION_.
pub const SUREFILL_NAME_PREDICTION: i32 = 7;
/// Family of constants: SUREFILL_PREDICTOR_.
pub const SUREFILL_NAME_PREDICTOR: i32 = 8;
/// Family of constants: SUREFILL_FIT_.
pub const SUREFILL_NAME_FIT: i32 = 9;
/// Family of constants: SUREFILL_SPREAD_.
pub const SUREFILL_NAME_SPREAD: i32 = 10;

/// The names of a family, in the order of their numbers.
const fn names(family: i32) -> &'static [&'static CStr] {
    match family {
        SUREFILL_NAME_STEP => &[c"idle", c"more", c"done", c"accept"],
        SUREFILL_NAME_CRITERION => &[c"probability", c"bound", c"seconds", c"relative"],
        SUREFILL_NAME_VERDICT => &[
            c"undecided",
            c"accepted",
            c"refused",
            c"over budget",
            c"does not fit",
            c"declined",
            c"guarded",
            c"head never",
        ],
        SUREFILL_NAME_DELAY => &[c"exact", c"at least", c"at most", c"estimate", c"not measured"],
        SUREFILL_NAME_DELAY_SIGN => &[c"=", c">=", c"<=", c"~", c"?"],
        SUREFILL_NAME_ANSWER => &[c"bound", c"too little history", c"may be down", c"exceeded"],
        SUREFILL_NAME_PREDICTION => {
            &[c"made", c"nothing learnt", c"initial period", c"initial jobs", c"untrained", c"unexplained"]
        }
        SUREFILL_NAME_PREDICTOR => &[c"unknown", c"mixture", c"user", c"hmm", c"hmm online", c"contexts"],
        SUREFILL_NAME_FIT => &[c"first", c"best", c"apart"],
        SUREFILL_NAME_SPREAD => &[c"nodes", c"tasks"],
        _ => &[],
    }
}

/// The name of a constant: family is one of SUREFILL_NAME_, number one of that family's. "unknown" for other numbers
/// and families. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_name(family: i32, number: i32) -> *const c_char {
    let name = usize::try_from(number).ok().and_then(|number| names(family).get(number));
    name.copied().unwrap_or(c"unknown").as_ptr()
}
