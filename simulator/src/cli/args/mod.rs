//! What the options of several verbs have in common.
//!
//! * [`mod@file`]: files that are whole or not there.
//! * [`quiet`]: the switch that leaves progress and remarks out.
//! * [`span`]: spans of time.
//! * [`source`]: traces and histories, from files and standard input, in any format.

pub mod file;
pub mod quiet;
pub mod source;
pub mod span;
