//! Ended jobs of a file: what the commands of `surefill advise --print-commands` saved, Slurm's job completion file
//! ([`read::past`] has both), and every other history that `surefill import` reads, through its reader.
//!
//! From a history that the importer reads, the jobs that have started and ended are learnt from; those that ended
//! because a node failed or because they were preempted are not. A job that ran to its limit or beyond was stopped
//! there. Where no column says how many nodes a job held, they follow from its processors ([`reckon_nodes`]).

use super::read::{self, Listing, Node, Odd, Past};
use crate::base::words::counted;
use crate::trace::collect::RawJob;
use crate::trace::format::{self, Log};
use crate::trace::record::{Format, Trace};
use crate::trace::source;
use crate::trace::tables::Reading;
use crate::trace::text::printable_lines;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::io::Read;
use surefill::runtime::MAX_SECONDS;

/// The remark on a table whose lines job names could imitate.
const IMITATED: &str = "job names could contain this table's separator and line breaks, so that whoever submits jobs can write records; \
                        what surefill advise --print-commands prints has no such gap";

/// Ended jobs, and how the importer read them, where it did.
#[derive(Debug)]
pub struct History {
    /// The jobs, in the order of their ends.
    pub listing: Listing<Past>,
    /// The importer's remarks and counts; no records.
    pub imported: Option<Trace>,
}

/// Reads a history, compressed or not; `name` stands for it in errors.
///
/// # Errors
/// When it cannot be read as any of them.
pub fn read(bytes: &[u8], name: &str, reading: &Reading) -> Result<History> {
    let (mut text, start) = source::text(bytes, name).with_context(|| name.to_owned())?;
    if read::is_own(&String::from_utf8_lossy(&start)) {
        let mut whole = Vec::new();
        text.read_to_end(&mut whole).with_context(|| name.to_owned())?;
        let listing = read::past(&printable_lines(&whole), name)?;
        return Ok(History { listing, imported: None });
    }
    drop(text);
    let Log { jobs, trace, format } = format::log_as(bytes, name, reading)?;
    let mut found: Vec<Past> = jobs.iter().filter_map(Past::of).collect();
    found.sort_by_key(|job| job.end);
    let mut remarks = Vec::new();
    let without = jobs.iter().filter(|job| started_and_ended(job).is_none()).count();
    if without > 0 {
        let teaches = counted(without as u64, "job teaches", "jobs teach");
        remarks.push(format!("{name}: {teaches} nothing, as start or end is unknown"));
    }
    if format == Format::Sacct && found.iter().any(|job| !job.name.is_empty()) {
        remarks.push(format!("{name}: {IMITATED}"));
    }
    let odd = trace.problems.first().map(|first| Odd {
        lines: trace.problems.len() as u64,
        first: first.line,
        why: first.reason.to_string(),
    });
    Ok(History { listing: Listing { found, odd, remarks }, imported: Some(trace) })
}

/// A job's start and end, where both are known.
fn started_and_ended(job: &RawJob) -> Option<(i64, i64)> {
    let start =
        job.start.or(job.wait.map(|wait| job.submit.saturating_add(wait))).filter(|_| !job.never_started)?;
    let end = job.end.or(job.run_time.map(|time| start.saturating_add(time)))?;
    Some((start, end))
}

impl Past {
    /// A job of a log; none for one that did not run to an end of its own, its limit's or its user's.
    fn of(job: &RawJob) -> Option<Past> {
        let (start, end) = started_and_ended(job).filter(|_| !job.interrupted)?;
        let limit = if job.limit > 0 { job.limit.min(MAX_SECONDS) } else { MAX_SECONDS };
        let count = |count: Option<i64>| count.and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
        let partition = if job.partition.is_empty() { &job.queue } else { &job.partition };
        let past = Past {
            user: job.user.clone(),
            partition: partition.clone(),
            timed_out: limit < MAX_SECONDS && end - start >= limit,
            submit: job.submit,
            start,
            end,
            limit,
            nodes: count(job.nodes),
            processors: count(job.used.filter(|&used| used > 0).or(job.requested)),
            name: job.program.clone(),
        };
        (past.submit <= start && start <= end && past.processors > 0).then_some(past)
    }
}

/// Gives jobs nodes whose history does not say how many they held: as many as hold their processors where they are
/// largest in the job's partition, else anywhere. Returns how many jobs these are.
pub fn reckon_nodes(past: &mut [Past], nodes: &[Node]) -> usize {
    let mut largest: BTreeMap<&str, u32> = BTreeMap::new();
    for node in nodes {
        let most = largest.entry(&node.partition).or_default();
        *most = node.processors.max(*most);
    }
    let anywhere = largest.values().copied().max().unwrap_or(0);
    let without = past.iter_mut().filter(|job| job.nodes == 0 && job.processors > 0);
    let mut count = 0;
    for job in without {
        let each = largest.get(job.partition.as_str()).copied().filter(|&each| each > 0).unwrap_or(anywhere);
        job.nodes = job.processors.div_ceil(each.max(1));
        count += 1;
    }
    count
}
