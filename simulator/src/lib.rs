//! surefill's simulator: replays workload traces under scheduling policies, and measures the results.
//!
//! Its wings, from the bottom up, each using only those before it:
//!
//! 1. [`base`]: random draws, the papers' figures.
//! 2. [`trace`]: workload formats, and the jobs made of their lines.
//! 3. [`mod@generate`]: synthetic workloads.
//! 4. [`replay`]: machine, policies, predictors of run times, measures of their results.
//! 5. [`live`]: what sites ask of the present.
//! 6. [`report`]: tables for terminals, self-contained pages with plots.
//! 7. [`cli`]: the command line, one file a verb.
//!
//! The feature `command` (the default) brings the last three: whoever only replays traces builds none of them. The
//! papers' studies are a package of their own above this one, `surefill-papers`.

pub mod base;
#[cfg(feature = "command")]
pub mod cli;
pub mod generate;
#[cfg(feature = "command")]
pub mod live;
pub mod replay;
#[cfg(feature = "command")]
pub mod report;
pub mod trace;
