//! The Standard Workload Format of the Parallel Workloads Archive (Chapin et al. 1999): 18 fields a job, `;` header
//! lines.
//!
//! Reading never guesses: a line that is not a job is set aside with its number and the reason, and who reads decides
//! whether that is fatal ([`Strictness`]). What makes the rest of a file unreadable (a truncated or corrupt gzip
//! stream) is always an error, with the last line that could be read. Lines out of order are sorted, not wrong.
//! Fractions of seconds in times are rounded to the nearest second.

mod read;
mod write;

pub(super) use read::read_text;
pub use read::{open, read};
pub use write::{SwfJob, write_header, write_job, write_record, write_tasks};

pub use super::record::{Error, Header, MAX_VALUE, Problem, Reason, Record, Strictness, Trace};
