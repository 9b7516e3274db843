//! surefill's simulator: replays workload traces under scheduling policies, and measures what comes of it.
//!
//! Its wings, from the bottom up, each using only those before it:
//!
//! 1. [`base`]: random draws, the papers' figures.
//! 2. [`trace`]: workload formats, and the jobs made of their lines.
//! 3. [`replay`]: machine, policies, predictors of run times, measures of what comes of them.
//! 4. [`studies`]: the papers' studies, as numbers.
//! 5. [`live`]: what sites ask of the present.
//! 6. [`report`]: tables for terminals, self-contained pages with plots.
//! 7. [`cli`]: the command line, one file a verb.

pub mod base;
pub mod cli;
pub mod live;
pub mod replay;
pub mod report;
pub mod studies;
pub mod trace;
