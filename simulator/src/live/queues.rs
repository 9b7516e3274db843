//! A trace's queues: who was submitted when, and how long they waited.
//!
//! A job that was cancelled before it started (its run time is unknown, or it ended as cancelled without ever having
//! had processors) waits until it is cancelled, as far as the trace says; nothing is learnt of it, and its bound is not
//! judged. Processors are those asked for, else those used; an unknown requested time is 0 s. Jobs of unknown wait are
//! left out.

use crate::trace::swf::{Record, Trace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use surefill::wait::Features;

/// Advice on a workload that has not been run.
pub const NO_WAITS: &str = " (a workload before it is scheduled has none: surefill simulate TRACE --jobs history.swf writes a \
                            schedule, which has)";

/// One job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitJob {
    /// Its number in the trace.
    pub number: i64,
    /// When it was submitted.
    pub submit: i64,
    /// Seconds until it started, or was cancelled.
    pub wait: i64,
    /// Whether it never started.
    pub cancelled: bool,
    /// Its user; negative where that is not known.
    pub user: i64,
    /// Its features at submission.
    pub features: Features,
}

/// One queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// Its name in the trace's header; `ALL` for a whole trace.
    pub name: String,
    /// In order of submission.
    pub jobs: Vec<WaitJob>,
}

/// Number of a trace's lines by their treatment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Job lines of the trace.
    pub lines: u64,
    /// Wrong lines that are no jobs.
    pub wrong_lines: u64,
    /// Left out: the wait is unknown.
    pub without_wait: u64,
    /// Jobs cancelled before they started, of those kept.
    pub cancelled: u64,
    /// Jobs without a requested time, of those kept.
    pub without_requested: u64,
}

/// The name of all jobs together.
pub const ALL: &str = "ALL";

fn job(record: &Record) -> WaitJob {
    let cancelled = record.run_time < 0 || (record.status == 5 && record.used_processors <= 0);
    let processors =
        if record.requested_processors > 0 { record.requested_processors } else { record.used_processors };
    WaitJob {
        number: record.number,
        submit: record.submit,
        wait: record.wait,
        cancelled,
        user: record.user,
        // The reader lets no more processors through than 32 bits count.
        features: Features {
            requested: record.requested_time.max(0),
            processors: u32::try_from(processors).unwrap_or(0),
        },
    }
}

/// The queues' names in the header: `; Queue: 3 normal`, `; Queue: 1 - Normal jobs queue`.
fn names(trace: &Trace) -> BTreeMap<i64, String> {
    let name = |line: &String| {
        let (key, value) = line.trim_start_matches(';').split_once(':')?;
        if !key.trim().eq_ignore_ascii_case("queue") {
            return None;
        }
        let mut words = value.split_whitespace();
        let number = words.next()?.parse().ok()?;
        Some((number, words.find(|word| *word != "-")?.to_lowercase()))
    };
    trace.header.lines.iter().filter_map(name).collect()
}

/// All jobs of known wait as one queue, or queue by queue, in the order of the queues' numbers. A trace without queues
/// has one in any case.
pub fn queues(trace: &Trace, by_queue: bool) -> (Vec<Queue>, Counts) {
    let mut counts = Counts {
        lines: trace.records.len() as u64,
        wrong_lines: trace.problems.len() as u64,
        ..Counts::default()
    };
    let mut found: BTreeMap<i64, Vec<WaitJob>> = BTreeMap::new();
    for record in &trace.records {
        if record.wait < 0 {
            counts.without_wait += 1;
            continue;
        }
        let job = job(record);
        counts.cancelled += u64::from(job.cancelled);
        counts.without_requested += u64::from(record.requested_time < 0);
        found.entry(if by_queue { record.queue } else { 0 }).or_default().push(job);
    }
    let names = names(trace);
    let alone = !by_queue || (found.len() == 1 && found.contains_key(&-1));
    let name = |number: i64| match names.get(&number) {
        _ if alone => ALL.to_owned(),
        Some(name) => name.clone(),
        None if number < 0 => "none".to_owned(),
        None => number.to_string(),
    };
    (found.into_iter().map(|(number, jobs)| Queue { name: name(number), jobs }).collect(), counts)
}
