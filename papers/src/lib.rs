//! The studies of the papers behind surefill, on top of its simulator: a package and a command of their own, which no
//! site needs.
//!
//! Its wings, from the bottom up, each using only those before it:
//!
//! 1. [`mod@generate`]: the published models of workloads.
//! 2. [`studies`]: the studies, as numbers.
//! 3. [`report`]: their tables and pages.
//! 4. [`cli`]: the command line, one file a verb.

pub mod cli;
pub mod generate;
pub mod report;
pub mod studies;
