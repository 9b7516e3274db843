//! surefill's simulator: replays workload traces under scheduling policies, and measures the results.
//!
//! Its wings, from the bottom up, each using only those before it:
//!
//! 1. [`base`]: random draws, the papers' figures.
//! 2. [`trace`]: workload formats, and the jobs made of their lines.
//! 3. [`replay`]: machine, policies, predictors of run times, measures of their results.
//! 4. [`studies`]: the papers' studies, as numbers.
//! 5. [`live`]: what sites ask of the present.
//! 6. [`report`]: tables for terminals, self-contained pages with plots.
//! 7. [`cli`]: the command line, one file a verb.
//!
//! The feature `studies` brings the fourth, `command` (the default) all of them: whoever only replays traces builds
//! neither.

pub mod base;
#[cfg(feature = "command")]
pub mod cli;
#[cfg(feature = "command")]
pub mod live;
pub mod replay;
#[cfg(feature = "command")]
pub mod report;
#[cfg(feature = "studies")]
pub mod studies;
pub mod trace;
