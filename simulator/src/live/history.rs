//! Histories that sites have: what `sacct` and `squeue` print, traces, and every other format that traces come in.
//!
//! In tables ([`rows`] has the names of their columns) jobs that wait count as well: those in state `PENDING`, whose
//! start is only planned, and without a state those without a start. A cancelled job that never started was in the
//! queue until its end, where that is known, else it is left out. The processors are those asked for, else those held.
//! Job steps are no jobs; a job that comes twice counts once. Of accounting logs only what has ended is known.
//!
//! Times written as dates are taken as they stand, without time zone: where clocks change twice a year, waits across
//! the change are an hour off (`SLURM_TIME_FORMAT=%s` prints seconds).

use crate::base::words::several;
use crate::live::queues::{ALL, NO_WAITS, WaitJob, queues};
use crate::trace::collect::Collector;
use crate::trace::columns::{Role, Row};
use crate::trace::format::{self, Format};
use crate::trace::rows;
use crate::trace::swf::{self, Problem, Strictness};
use crate::trace::tables::{Reading, Table, each_row};
use crate::trace::text::printable;
use crate::trace::units::Units;
use crate::trace::values::Clock;
use crate::trace::values::State;
use crate::trace::{source, values};
use std::collections::HashSet;
use surefill::wait::Features;

pub use crate::trace::values::time;

/// The way in which a job left the queue, and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It started.
    Started(i64),
    /// It was cancelled.
    Cancelled(i64),
    /// It waits.
    Waits,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number or name; empty when the table has none.
    pub id: String,
    /// Its queue.
    pub queue: String,
    /// When it was submitted.
    pub submit: i64,
    /// Its start or cancellation, or that it waits.
    pub left: Left,
    /// Its features at submission.
    pub features: Features,
}

/// A history as read.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The jobs, in order of submission.
    pub entries: Vec<Entry>,
    /// Lines that are no jobs.
    pub problems: Vec<Problem>,
    /// Sentences about how it was read.
    pub remarks: Vec<String>,
    /// Jobs of a trace that are left out: their wait is unknown.
    pub without_wait: u64,
    /// Whether times were written as dates: then the present is what a clock on the wall shows.
    pub dates: bool,
}

impl History {
    /// The times of all submissions, starts and cancellations.
    pub fn events(&self) -> impl Iterator<Item = i64> {
        let times = |entry: &Entry| match entry.left {
            Left::Started(at) | Left::Cancelled(at) => [entry.submit, at.max(entry.submit)],
            Left::Waits => [entry.submit; 2],
        };
        self.entries.iter().flat_map(times)
    }

    /// The newest of them; 0 where there is none.
    pub fn last(&self) -> i64 {
        self.events().max().unwrap_or(0)
    }
}

/// Why a history could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be read as a trace or table.
    #[error(transparent)]
    Swf(#[from] swf::Error),
    /// No job in it, and what there was instead.
    #[error("{0}: no job{1}")]
    Empty(String, String),
}

/// Reads a history, compressed or not; `name` stands for it in errors. The format is recognised where none is given.
///
/// # Errors
/// [`Error`].
pub fn read(bytes: &[u8], name: &str, format: Option<Format>) -> Result<History, Error> {
    read_as(bytes, name, &Reading { format, ..Reading::default() })
}

/// [`read`] of what does not say all by itself.
///
/// # Errors
/// [`Error`].
pub fn read_as(bytes: &[u8], name: &str, reading: &Reading) -> Result<History, Error> {
    let unreadable = |source| swf::Error::Read { name: name.to_owned(), line: 0, source };
    let (mut text, start) = source::text(bytes, name).map_err(unreadable)?;
    let format = reading.format_of(&start);
    let history = match format.table() {
        Some(kind) => table(&mut text, name, kind, reading)?,
        None => {
            drop(text);
            trace(bytes, name, reading)?
        }
    };
    if history.entries.is_empty() {
        return Err(Error::Empty(name.to_owned(), instead(&history)));
    }
    Ok(history)
}

/// The contents of a history without jobs, for its message.
fn instead(history: &History) -> String {
    let first = history.problems.first();
    let wrong = first.map(|Problem { line, reason }| {
        let lines = history.problems.len();
        format!("; {}, the first {line}: {reason}", several(lines as u64, "wrong line"))
    });
    let unknown =
        (history.without_wait > 0).then(|| format!("; {} of unknown wait{}", history.without_wait, NO_WAITS));
    [wrong, unknown].into_iter().flatten().collect()
}

fn trace(bytes: &[u8], name: &str, reading: &Reading) -> Result<History, Error> {
    let trace = format::read_as(bytes, name, reading, Strictness::Lenient)?;
    // Seconds since 1970, where the trace says when it begins.
    let origin = trace.header.unix_start_time.unwrap_or(0).max(0);
    let (found, counts) = queues(&trace, true);
    let entry = |queue: &str, job: &WaitJob| {
        let submit = job.submit.saturating_add(origin);
        let end = submit.saturating_add(job.wait);
        Entry {
            id: job.number.to_string(),
            queue: queue.to_owned(),
            submit,
            left: if job.cancelled { Left::Cancelled(end) } else { Left::Started(end) },
            features: job.features,
        }
    };
    let mut entries: Vec<Entry> =
        found.iter().flat_map(|queue| queue.jobs.iter().map(|job| entry(&queue.name, job))).collect();
    entries.sort_by_key(|entry| entry.submit);
    Ok(History {
        entries,
        problems: trace.problems,
        remarks: trace.remarks,
        without_wait: counts.without_wait,
        dates: false,
    })
}

fn table(text: &mut source::Text, name: &str, kind: Table, reading: &Reading) -> Result<History, Error> {
    let clock = rows::clock(text, name, kind, reading)?;
    let mut collector = Collector::new(name, Strictness::Lenient);
    let mut history = History::default();
    let mut seen = HashSet::new();
    let mut units = Units::default();
    each_row(text, name, kind, reading, &mut collector, |collector, line, row, columns| {
        let needed = if kind.records() { Ok(()) } else { columns.need(&[Role::Start, Role::Wait]) };
        needed.map_err(|why| swf::Error::Columns { name: name.to_owned(), line: 1, why })?;
        match entry(row, &clock) {
            Ok(Some(entry)) => {
                units.note(row, ran(row, &clock, &entry), entry.features.requested);
                // Dates of a zone are seconds since 1970.
                history.dates |= clock.zone.is_none() && values::is_date(row.get(Role::Submit));
                if entry.id.is_empty() || seen.insert((entry.id.clone(), entry.submit)) {
                    history.entries.push(entry);
                }
            }
            Ok(None) => {}
            Err(reason) => collector.problem(line, swf::Reason::Row(reason))?,
        }
        Ok(())
    })?;
    let read = collector.finish();
    (history.problems, history.remarks) = (read.problems, read.remarks);
    let (correction, remarks) = units.settle();
    history.remarks.extend(remarks);
    if let Some(correction) = correction {
        let all = history.entries.iter_mut();
        all.for_each(|entry| entry.features.requested = correction.of(entry.features.requested));
    }
    history.entries.sort_by_key(|entry| entry.submit);
    Ok(history)
}

/// For how many seconds the job on a line ran, where it has ended.
fn ran(row: &Row, clock: &Clock, entry: &Entry) -> Option<i64> {
    let Left::Started(start) = entry.left else { return None };
    let elapsed = values::elapsed(row.get(Role::RunTime)).ok().flatten();
    elapsed.or_else(|| Some(clock.time(row.get(Role::End)).ok()??.saturating_sub(start)))
}

/// The job on a line; none if it was cancelled before it started, at an unknown time.
fn entry(row: &Row, clock: &Clock) -> Result<Option<Entry>, String> {
    let time = |text: &str| clock.time(text);
    let id = row.get(Role::Id);
    if id.contains('.') {
        return Ok(None);
    }
    let submit = time(row.get(Role::Submit))?.ok_or("no submission time")?;
    let state = rows::state_of(row);
    let wait = values::elapsed(row.get(Role::Wait)).ok().flatten();
    let start = match state {
        State::Waits => None,
        _ => time(row.get(Role::Start))?.or(wait.map(|wait| submit.saturating_add(wait))),
    };
    let left = match (start, state) {
        (Some(start), _) if start < submit => {
            return Err(format!("started at {start}, before its submission at {submit}"));
        }
        (Some(start), _) => Left::Started(start),
        (None, State::Over(5)) => match time(row.get(Role::End))? {
            Some(end) if end >= submit => Left::Cancelled(end),
            _ => return Ok(None),
        },
        (None, State::Waits) => Left::Waits,
        (None, State::Unknown) if row.get(Role::State).is_empty() => Left::Waits,
        // It ended, but when it started is unknown.
        (None, _) => return Ok(None),
    };
    let processors = match values::count(row.get(Role::Requested))? {
        Some(processors) => Some(processors),
        None => values::count(row.get(Role::Used))?,
    };
    let queue =
        [Role::Partition, Role::Queue].map(|role| row.get(role)).into_iter().find(|name| !name.is_empty());
    Ok(Some(Entry {
        id: printable(id).into_owned(),
        queue: printable(queue.unwrap_or(ALL)).into_owned(),
        submit,
        left,
        features: Features {
            requested: rows::limit(row)?,
            processors: processors.and_then(|count| u32::try_from(count).ok()).unwrap_or(0),
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill::runtime::MAX_SECONDS;

    fn read(bytes: &[u8], name: &str) -> Result<History, Error> {
        super::read(bytes, name, None)
    }

    #[test]
    fn sacct_and_squeue_are_read() {
        let sacct = "JobID|Submit|Start|TimelimitRaw|ReqCPUS|Partition|State|End\n\
            17|2024-05-01T10:00:00|2024-05-01T10:15:00|60|16|batch|COMPLETED|2024-05-01T10:20:00\n\
            18|2024-05-01T10:00:30|Unknown|1-00:00:00|4|batch|PENDING|Unknown\n\
            19|2024-05-01T09:00:00|None|UNLIMITED|4|short|CANCELLED by 7|2024-05-01T09:30:00\n\
            20|2024-05-01T10:00:00|2024-05-01T09:00:00|60|16|batch|COMPLETED|Unknown\n";
        let history = read(sacct.as_bytes(), "s").unwrap();
        let base = 1_714_557_600; // 2024-05-01T10:00:00 UTC
        let ids: Vec<&str> = history.entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["19", "17"]);
        assert_eq!(history.entries[0].left, Left::Cancelled(base - 1800));
        assert_eq!(history.entries[0].features.requested, MAX_SECONDS);
        let job = &history.entries[1];
        assert_eq!((job.submit, job.left, job.queue.as_str()), (base, Left::Started(base + 900), "batch"));
        assert_eq!(job.features, Features { requested: 3600, processors: 16 });
        // Raw limits are minutes; a job cannot start before it is submitted.
        assert_eq!(history.problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3, 5]);

        let squeue = "JOBID|SUBMIT_TIME|START_TIME|TIME_LIMIT|CPUS|PARTITION|ST\n\n7_[1-9]|1714557600|1714599999|2-12|8|a|PD\n";
        let history = read(squeue.as_bytes(), "s").unwrap();
        let wanted = Entry {
            id: "7_[1-9]".to_owned(),
            queue: "a".to_owned(),
            submit: base,
            left: Left::Waits,
            features: Features { requested: 60 * 3600, processors: 8 },
        };
        assert_eq!(history.entries, [wanted]);
    }

    #[test]
    fn a_job_counts_once_and_steps_do_not() {
        let text = "JobID|Submit|Start|Partition\n7|10|20|a\n7.batch|20|20|\n7.0|21|21|\n8_1|30|40|a\n7|10|20|a\n7|90|95|a\n";
        let history = read(text.as_bytes(), "h").unwrap();
        let jobs: Vec<(&str, i64)> =
            history.entries.iter().map(|entry| (entry.id.as_str(), entry.submit)).collect();
        // A job that is put back into the queue is submitted anew.
        assert_eq!(jobs, [("7", 10), ("8_1", 30), ("7", 90)]);
        assert!(!history.dates);
        let dates = read(b"Submit|Start\n2024-05-01T10:00:00|Unknown\n", "h").unwrap();
        assert!(dates.dates);
        let doubled = read(b"Submit|Start|submit\n1|2|3\n", "h").unwrap_err().to_string();
        assert_eq!(doubled, "h:1: two columns submit");
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = read(b"JobID|Start\n1|5\n", "h").unwrap_err().to_string();
        assert!(error.starts_with("h:1: no column Submit among 'JobID|Start'"), "{error}");
        assert_eq!(read(b"Submit|Start\n", "h").unwrap_err().to_string(), "h: no job");
        let error = read(b"Submit|Start\nx|1\n2|y\n", "h").unwrap_err().to_string();
        assert_eq!(error, "h: no job; 2 wrong lines, the first 2: not a time: 'x'");
        let error = read(b"1 5 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n", "h").unwrap_err().to_string();
        assert!(error.starts_with("h: no job; 1 of unknown wait (a workload before "), "{error}");
        let error = read(b"Job Submit\n", "h").unwrap_err().to_string();
        assert!(
            error.starts_with("h: it begins with 'Job Submit', which no known kind of log does"),
            "{error}"
        );
        let error = read(b"1 2 3\n", "h").unwrap_err().to_string();
        assert!(error.starts_with("h: no job; 1 wrong line, the first 1: "), "{error}");
        let error = read(b"Submit|Start\n\xff|1\n", "h").unwrap_err().to_string();
        assert!(error.starts_with("h: no job; 1 wrong line, the first 2:"), "{error}");
        assert_eq!(time("2024-13-01T00:00:00"), Err("not a time: '2024-13-01T00:00:00'".to_owned()));
    }
}
