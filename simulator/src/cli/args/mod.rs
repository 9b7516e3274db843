//! Options that several verbs have in common.
//!
//! * [`mod@ended`]: ended jobs to learn from.
//! * [`mod@file`]: files that are whole or not there.
//! * [`quiet`]: the switch that leaves progress and remarks out.
//! * [`source`]: traces and histories, from files and standard input, in any format.

pub mod ended;
pub mod file;
pub mod quiet;
pub mod source;
