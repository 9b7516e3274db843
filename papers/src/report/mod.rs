//! Tables of the studies, and the pages of those that have plots: one file or folder a study. What pages and tables are
//! made of is [`surefill_simulator::report`]'s.

pub mod allocate;
pub mod hmm;
pub mod locality;
mod plot;
pub mod predictors;
pub mod reservations;
pub mod similar;
pub mod sources;
pub mod states;
pub mod tune;
pub mod waits;

/// A trace's name in a table: its file's, without folder and endings.
pub fn trace_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split(".swf").next().unwrap_or(name)
}
