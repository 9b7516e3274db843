//! Histories that sites have: SWF traces, and the tables that Slurm's `sacct` and `squeue` print.
//!
//! A table has a line of names, then a line a job, fields between `|`. Columns are found by their names (those of `sacct -P` and
//! of `squeue -o` with `|`), in any order; others are passed over:
//!
//! | | names | what |
//! |---|---|---|
//! | required | `Submit`, `SUBMIT_TIME` | when it was submitted: seconds of any clock, or `2024-05-01T10:00:00` |
//! | required | `Start`, `START_TIME` | when it started; `Unknown`, `None`, `N/A` or nothing while it waits |
//! | | `JobID`, `JobIDRaw` | its number |
//! | | `TimelimitRaw` (minutes), `Timelimit`, `TIME_LIMIT` (`[days-]hours:minutes:seconds`) | the requested time |
//! | | `ReqCPUS`, `AllocCPUS`, `NCPUS`, `CPUS` | the processors |
//! | | `Partition` | the queue |
//! | | `State`, `ST` | `PENDING`, `PD`: it waits, and its start is only planned; `CANCELLED...`: what has not started never will |
//! | | `End`, `END_TIME` | when a job was cancelled that had not started |
//!
//! Job steps (`17.batch`, `17.0`) are no jobs and passed over; a job that comes twice counts once.
//!
//! Times written as dates are taken as they stand, without time zone: where clocks change twice a year, waits across the change are
//! an hour off (`SLURM_TIME_FORMAT=%s` prints seconds).

use super::queue::queues;
use crate::swf::{self, Strictness};
use jiff::{civil::DateTime, tz::TimeZone};
use std::collections::{HashMap, HashSet};
use surefill::runtime::MAX_SECONDS;
use surefill::wait::Features;

/// How a job left the queue, and when.
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
    /// How it left.
    pub left: Left,
    /// What was known of it.
    pub features: Features,
}

/// A history as read.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The jobs, in order of submission.
    pub entries: Vec<Entry>,
    /// Lines that are no jobs: number and reason.
    pub problems: Vec<(u64, String)>,
    /// Jobs of a trace that are left out: their wait is unknown.
    pub without_wait: u64,
    /// Whether times were written as dates: then the present is what a clock on the wall shows.
    pub dates: bool,
}

/// Why a history could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// As a trace.
    #[error(transparent)]
    Swf(#[from] swf::Error),
    /// The table has no such column.
    #[error("{name}:{line}: no column {column} among '{header}'")]
    Column {
        /// The history.
        name: String,
        /// The line of names.
        line: usize,
        /// What is missing.
        column: &'static str,
        /// What there is.
        header: String,
    },
    /// A name comes twice.
    #[error("{name}:{line}: two columns {column}")]
    Doubled {
        /// The history.
        name: String,
        /// The line of names.
        line: usize,
        /// Which.
        column: String,
    },
    /// No text.
    #[error("{0}:{1}: not UTF-8")]
    Text(String, usize),
    /// No job in it, and what there was instead.
    #[error("{0}: no job{1}")]
    Empty(String, String),
}

/// Reads a history; `name` stands for it in errors. Tables are told from traces by the `|` of their first line.
///
/// # Errors
/// [`Error`].
pub fn read(bytes: &[u8], name: &str) -> Result<History, Error> {
    let history = if bytes.starts_with(&[0x1f, 0x8b]) || !is_table(bytes) {
        trace(bytes, name)?
    } else {
        table(bytes, name)?
    };
    if history.entries.is_empty() {
        return Err(Error::Empty(name.to_owned(), instead(&history)));
    }
    Ok(history)
}

/// What a history without jobs holds.
fn instead(history: &History) -> String {
    let first = history.problems.first();
    let wrong = first.map(|(line, reason)| {
        let lines = history.problems.len();
        format!("; {lines} wrong {}, the first {line}: {reason}", if lines == 1 { "line" } else { "lines" })
    });
    let unknown = (history.without_wait > 0).then(|| format!("; {} of unknown wait", history.without_wait));
    [wrong, unknown].into_iter().flatten().collect()
}

fn is_table(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines
        .find(|line| !line.trim_ascii().is_empty())
        .is_some_and(|line| !line.starts_with(b";") && line.contains(&b'|'))
}

fn trace(bytes: &[u8], name: &str) -> Result<History, Error> {
    let trace = swf::read(bytes, name, Strictness::Lenient)?;
    let problems = trace.problems.iter().filter(|problem| !problem.kept());
    let problems = problems.map(|problem| (problem.line, problem.reason.to_string())).collect();
    let (found, counts) = queues(&trace, true);
    let entry = |queue: &str, job: &super::queue::WaitJob| {
        let end = job.submit.saturating_add(job.wait);
        Entry {
            id: job.number.to_string(),
            queue: queue.to_owned(),
            submit: job.submit,
            left: if job.cancelled { Left::Cancelled(end) } else { Left::Started(end) },
            features: job.features,
        }
    };
    let mut entries: Vec<Entry> =
        found.iter().flat_map(|queue| queue.jobs.iter().map(|job| entry(&queue.name, job))).collect();
    entries.sort_by_key(|entry| entry.submit);
    Ok(History { entries, problems, without_wait: counts.without_wait, dates: false })
}

/// Where the columns are.
struct Columns {
    submit: usize,
    start: usize,
    id: Option<usize>,
    limit: Option<(usize, bool)>,
    processors: Option<usize>,
    queue: Option<usize>,
    state: Option<usize>,
    end: Option<usize>,
}

fn fields(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).collect()
}

impl Columns {
    fn new(header: &str, name: &str, line: usize) -> Result<Columns, Error> {
        let mut places: HashMap<String, usize> = HashMap::new();
        for (place, title) in fields(header).iter().enumerate() {
            let doubled = places.insert(title.to_lowercase(), place).is_some() && !title.is_empty();
            if doubled {
                let (name, column) = (name.to_owned(), (*title).to_owned());
                return Err(Error::Doubled { name, line, column });
            }
        }
        let any = |titles: &[&str]| titles.iter().find_map(|title| places.get(*title).copied());
        let missing =
            |column| Error::Column { name: name.to_owned(), line, column, header: header.trim().to_owned() };
        let minutes = any(&["timelimitraw"]).map(|place| (place, true));
        Ok(Columns {
            submit: any(&["submit", "submit_time"]).ok_or_else(|| missing("Submit"))?,
            start: any(&["start", "start_time"]).ok_or_else(|| missing("Start"))?,
            id: any(&["jobid", "jobidraw"]),
            limit: minutes.or(any(&["timelimit", "time_limit"]).map(|place| (place, false))),
            processors: any(&["reqcpus", "alloccpus", "ncpus", "cpus"]),
            queue: any(&["partition"]),
            state: any(&["state", "st"]),
            end: any(&["end", "end_time"]),
        })
    }
}

fn table(bytes: &[u8], name: &str) -> Result<History, Error> {
    let mut columns = None;
    let mut history = History::default();
    let mut seen = HashSet::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = std::str::from_utf8(line).map_err(|_| Error::Text(name.to_owned(), index + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        match &columns {
            None => columns = Some(Columns::new(line, name, index + 1)?),
            Some(columns) => match entry(&fields(line), columns) {
                Ok(Some(entry)) => {
                    let submit = fields(line).get(columns.submit).copied().unwrap_or_default();
                    history.dates |= submit.parse::<i64>().is_err();
                    if entry.id.is_empty() || seen.insert((entry.id.clone(), entry.submit)) {
                        history.entries.push(entry);
                    }
                }
                Ok(None) => {}
                Err(reason) => history.problems.push((index as u64 + 1, reason)),
            },
        }
    }
    history.entries.sort_by_key(|entry| entry.submit);
    Ok(history)
}

/// The job on a line; none if it was cancelled before it started, nobody knows when.
fn entry(fields: &[&str], columns: &Columns) -> Result<Option<Entry>, String> {
    let field = |place: usize| fields.get(place).copied().ok_or_else(|| format!("{} fields", fields.len()));
    let text = |place: Option<usize>| place.map_or(Ok(""), field);
    if text(columns.id)?.contains('.') {
        return Ok(None);
    }
    let submit = time(field(columns.submit)?)?.ok_or("no submission time")?;
    let state = text(columns.state)?.to_uppercase();
    let pending = state == "PENDING" || state == "PD";
    let start = if pending { None } else { time(field(columns.start)?)? };
    let left = match start {
        Some(start) if start < submit => {
            return Err(format!("started at {start}, before its submission at {submit}"));
        }
        Some(start) => Left::Started(start),
        None if state.starts_with("CANCELLED") || state == "CA" => match time(text(columns.end)?)? {
            Some(end) if end >= submit => Left::Cancelled(end),
            _ => return Ok(None),
        },
        // It ended, but when it started is unknown.
        None if !(pending || state.is_empty()) => return Ok(None),
        None => Left::Waits,
    };
    let requested = match columns.limit {
        Some((place, raw)) => limit(field(place)?, raw)?,
        None => 0,
    };
    let processors = match text(columns.processors)? {
        "" => 0,
        number => number.parse().map_err(|_| format!("not a number of processors: '{number}'"))?,
    };
    let queue = match text(columns.queue)? {
        "" => super::queue::ALL,
        queue => queue,
    };
    Ok(Some(Entry {
        id: text(columns.id)?.to_owned(),
        queue: queue.to_owned(),
        submit,
        left,
        features: Features { requested, processors },
    }))
}

/// Seconds, from seconds or a date; none where there is no time.
pub fn time(text: &str) -> Result<Option<i64>, String> {
    if ["", "unknown", "none", "n/a"].contains(&text.to_lowercase().as_str()) {
        return Ok(None);
    }
    let wrong = || format!("not a time: '{text}'");
    if let Ok(seconds) = text.parse::<i64>() {
        return if seconds.unsigned_abs() <= 1 << 53 { Ok(Some(seconds)) } else { Err(wrong()) };
    }
    let date: DateTime = text.parse().map_err(|_| wrong())?;
    let zoned = date.to_zoned(TimeZone::UTC).map_err(|_| wrong())?;
    Ok(Some(zoned.timestamp().as_second()))
}

/// A time limit in seconds: minutes, or `[days-]hours:minutes:seconds` with parts left out as Slurm does. Unknown ones are 0,
/// none at all the largest.
fn limit(text: &str, raw: bool) -> Result<i64, String> {
    let wrong = || format!("not a time limit: '{text}'");
    match text.to_lowercase().as_str() {
        "" | "partition_limit" | "not_set" | "invalid" | "n/a" => return Ok(0),
        "unlimited" => return Ok(MAX_SECONDS),
        _ => {}
    }
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<i64>().map_err(|_| wrong())?), rest),
        None => (None, text),
    };
    let parts: Result<Vec<i64>, _> = rest.split(':').map(str::parse::<i64>).collect();
    let parts = parts.map_err(|_| wrong())?;
    if parts.iter().chain(&days).any(|part| !(0..=MAX_SECONDS).contains(part))
        || (raw && (parts.len() > 1 || days.is_some()))
    {
        return Err(wrong());
    }
    let seconds = match (days, &parts[..]) {
        (Some(_), [hours]) => 3600 * hours,
        (Some(_), [hours, minutes]) => 3600 * hours + 60 * minutes,
        (None, [minutes]) => 60 * minutes,
        (None, [minutes, seconds]) => 60 * minutes + seconds,
        (_, [hours, minutes, seconds]) => 3600 * hours + 60 * minutes + seconds,
        _ => return Err(wrong()),
    };
    Ok((days.unwrap_or(0).saturating_mul(86_400).saturating_add(seconds)).min(MAX_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(history.problems.iter().map(|problem| problem.0).collect::<Vec<_>>(), [3, 5]);

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
    fn limits_as_slurm_writes_them() {
        let limits = [
            ("30", 1800),
            ("30:05", 1805),
            ("1:00:00", 3600),
            ("2-3", 183_600),
            ("2-03:30", 185_400),
            ("", 0),
        ];
        for (text, seconds) in limits {
            assert_eq!(limit(text, false), Ok(seconds), "{text}");
        }
        for text in ["-5", "x", "1:2:3:4", "1-2:3:4:5", "99999999999999999999"] {
            assert!(limit(text, false).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = read(b"JobID|Start\n1|5\n", "h").unwrap_err().to_string();
        assert_eq!(error, "h:1: no column Submit among 'JobID|Start'");
        assert_eq!(read(b"Submit|Start\n", "h").unwrap_err().to_string(), "h: no job");
        let error = read(b"Submit|Start\nx|1\n2|y\n", "h").unwrap_err().to_string();
        assert_eq!(error, "h: no job; 2 wrong lines, the first 2: not a time: 'x'");
        let error = read(b"1 5 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n", "h").unwrap_err().to_string();
        assert_eq!(error, "h: no job; 1 of unknown wait");
        let error = read(b"JobID Submit\n", "h").unwrap_err().to_string();
        assert!(error.starts_with("h: no job; 1 wrong line, the first 1: "), "{error}");
        assert!(read(b"Submit|Start\n\xff|1\n", "h").unwrap_err().to_string().starts_with("h:2:"));
        assert_eq!(time("2024-13-01T00:00:00"), Err("not a time: '2024-13-01T00:00:00'".to_owned()));
    }
}
