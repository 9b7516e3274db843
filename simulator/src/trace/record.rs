//! A trace as the simulator holds it, in the terms of the Standard Workload Format whatever it was read from: its jobs,
//! its header, the lines set aside, and why reading fails.

use crate::base::words::several;
use std::collections::BTreeMap;
use surefill::nodes::Amounts;

/// Format of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Standard Workload Format
    Swf,
    /// Output of `sacct --parsable2`: a line of names, fields between | or another separator
    Sacct,
    /// Accounting logs of PBS Professional, OpenPBS and Torque
    Pbs,
    /// LSF's lsb.acct
    Lsf,
    /// A line of names, fields between commas, semicolons or tabs
    Csv,
    /// The task list of Alibaba's GPU cluster trace of 2023
    Openb,
    /// One JSON object a line
    Jsonl,
    /// A JSON document with a list of jobs: sacct, squeue, flux jobs, condor_history, Batsim
    Json,
    /// Accounting of Grid Engine
    Sge,
    /// HTCondor's history as ClassAds
    Condor,
}

/// The largest magnitude of any field: seconds beyond it (34,000 years) are no time, and the core accepts no more.
pub const MAX_VALUE: i64 = surefill::runtime::MAX_SECONDS;

/// No machine and no trace has more features: they are the bits of one number.
pub const MAX_FEATURES: usize = u64::BITS as usize;

/// One job line. `-1` means unknown, as in the format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// Field 1: the job's number.
    pub number: i64,
    /// Field 2: when it was submitted, in seconds on the trace's clock.
    pub submit: i64,
    /// Field 3: how long it waited.
    pub wait: i64,
    /// Field 4: how long it ran.
    pub run_time: i64,
    /// Field 5: processors it held.
    pub used_processors: i64,
    /// Field 6: mean processor time, in seconds.
    pub cpu_time: f64,
    /// Field 7: memory used a processor, in KB.
    pub used_memory: f64,
    /// Field 8: processors it asked for.
    pub requested_processors: i64,
    /// Field 9: the time it asked for, in seconds: its limit.
    pub requested_time: i64,
    /// Field 10: memory it asked for a processor, in KB.
    pub requested_memory: f64,
    /// Field 11: how it ended (1 completed, 0 failed, 5 cancelled).
    pub status: i64,
    /// Field 12: who submitted it.
    pub user: i64,
    /// Field 13: the user's group.
    pub group: i64,
    /// Field 14: the program it ran.
    pub executable: i64,
    /// Field 15: its queue.
    pub queue: i64,
    /// Field 16: its partition.
    pub partition: i64,
    /// Field 17: the job it waited for before it was submitted.
    pub preceding: i64,
    /// Field 18: seconds between that job's end and this one's submission.
    pub think_time: i64,
    /// Its request on nodes, where the trace has one ([`Header::resources`]).
    pub tasks: Option<Tasks>,
}

impl Record {
    /// Memory a processor in KB: the requested, or, where that is unknown, the used; `None` for neither.
    pub fn memory(&self) -> Option<f64> {
        [self.requested_memory, self.used_memory].into_iter().find(|&memory| memory > 0.0)
    }

    /// Whether only what it used of memory is known.
    pub fn has_used_memory_alone(&self) -> bool {
        self.tasks.is_none() && self.requested_memory <= 0.0 && self.used_memory > 0.0
    }
}

/// The tasks of a job, and what each takes of every resource of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tasks {
    /// Number of tasks.
    pub count: u32,
    /// Amounts that each takes, in the order of the header's resources and in their units ([`unit()`]).
    pub each: Amounts,
    /// Feature that its nodes must have: an index into the header's features.
    pub feature: Option<u32>,
}

/// Resources of a job in terms of nodes, as accounting has them beside the job line; 0 where unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Asked {
    /// Number of nodes that it held.
    pub nodes: u32,
    /// Number of nodes that it asked for.
    pub requested_nodes: u32,
    /// GPUs on all of its nodes.
    pub gpus: u32,
    /// Memory on all of its nodes, in MiB.
    pub memory_mib: f64,
    /// Its QOS, as the line's other numbers; negative when unknown.
    pub qos: i64,
}

/// Into how many parts the unit of a resource is divided: memory is counted in whole MiB, everything else (cores, GPUs)
/// in thousandths.
pub fn unit(resource: &str) -> f64 {
    if resource == "mem" { 1.0 } else { 1000.0 }
}

/// The `;` lines and what the simulator needs of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Header {
    /// Every header line as it stands, without the line end.
    pub lines: Vec<String>,
    /// `MaxProcs`.
    pub max_procs: Option<u32>,
    /// `MaxNodes`; the first number of the line, as some traces add remarks.
    pub max_nodes: Option<u32>,
    /// `UnixStartTime`: what second 0 of the trace is.
    pub unix_start_time: Option<i64>,
    /// `Resources`: the resources of nodes, by name, that job lines have behind their 18 fields: the number of tasks
    /// and what each takes of every resource (memory `mem` in MiB, all others with fractions).
    pub resources: Vec<String>,
    /// `Features`: what jobs ask their nodes to have; job lines have the number of one behind their resources, from 1,
    /// or -1. A name with bars (`V100|T4`) is one of several.
    pub features: Vec<String>,
}

/// A trace as read.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The name it was read under: the path, or what the reader called it.
    pub name: String,
    /// The header.
    pub header: Header,
    /// The jobs, in order of submission (stable: equal times stay in the order of the file).
    pub records: Vec<Record>,
    /// The same jobs in terms of nodes, in their order; empty where the source has none of it.
    pub asked: Vec<Asked>,
    /// Faults of the file, in order of lines; the jobs of these lines are not in `records`. Empty when read
    /// strictly.
    pub problems: Vec<Problem>,
    /// Jobs that stood behind ones which were submitted later; they were sorted to their place.
    pub out_of_order: u64,
    /// Lines of an accounting log that are no jobs of the trace, and why.
    pub dropped: BTreeMap<Dropped, u64>,
    /// Names behind its numbers, where its source had names.
    pub names: Names,
    /// Whether the header's `max_procs` is not the machine's size but the most that was in use at once, as accounting
    /// does not say how large the machine is.
    pub size_from_use: bool,
    /// Sentences about how it was read that whoever uses it has to know.
    pub remarks: Vec<String>,
}

impl Trace {
    /// A sentence where so much is missing that no answer should rest on the rest: more than a tenth of the lines are
    /// left out as wrong, or of the jobs that ran more than a tenth have no width.
    pub fn losses(&self) -> Option<String> {
        let jobs = self.records.len();
        if let Some(sentence) = lost(jobs, &self.problems) {
            return Some(sentence);
        }
        let (without, ran) = self.without_width();
        if jobs > 0 && !self.has_widths() {
            return Some(
                "no job has a number of processors, so that nothing can be replayed (accepted columns: surefill import --columns)"
                    .to_owned(),
            );
        }
        (without * 10 > ran).then(|| {
            format!("{without} of {ran} jobs that ran have no number of processors, more than a tenth")
        })
    }

    /// Whether any job says how wide it was.
    pub fn has_widths(&self) -> bool {
        self.records.iter().any(Record::has_width)
    }

    /// The number of jobs that ran on an unknown number of processors, and of all that ran.
    pub fn without_width(&self) -> (u64, u64) {
        let ran = || self.records.iter().filter(|record| record.run_time > 0);
        (ran().filter(|record| !record.has_width()).count() as u64, ran().count() as u64)
    }
}

impl Record {
    fn has_width(&self) -> bool {
        self.used_processors > 0 || self.requested_processors > 0 || self.tasks.is_some()
    }
}

/// A sentence where more than a tenth of the lines are left out as wrong.
pub fn lost(jobs: usize, problems: &[Problem]) -> Option<String> {
    let first = problems.first().filter(|_| problems.len() * 10 > jobs + problems.len())?;
    Some(format!(
        "{} of {} left out as wrong, more than a tenth (the first, line {}: {})",
        problems.len(),
        several((jobs + problems.len()) as u64, "job line"),
        first.line,
        first.reason
    ))
}

/// Whether a wrong line ends the reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// The first wrong line is an error.
    Strict,
    /// Wrong lines are set aside in [`Trace::problems`].
    Lenient,
}

/// One wrong line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its number, from 1.
    pub line: u64,
    /// Its fault.
    pub reason: Reason,
}

/// A number of fields in words.
fn fields(count: &usize) -> String {
    several(*count as u64, "field")
}

/// Faults of a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Not 18 fields.
    #[error("{} instead of 18", fields(.0))]
    FieldCount(usize),
    /// Another number of fields than 18, one for the tasks, one for each resource that the header names and one for
    /// the features where it names any.
    #[error("{} instead of {}: 18, tasks, resources and feature", fields(.0), .1)]
    ResourceFields(usize, usize),
    /// A field that is no number where one belongs, or a fraction where an integer belongs.
    #[error("field {field} is not {expected}: '{text}'")]
    NotANumber {
        /// The field, from 1.
        field: usize,
        /// The kind of value that belongs there.
        expected: &'static str,
        /// The text that stands there, shortened.
        text: String,
    },
    /// A field that is infinite, above 2^40 in magnitude, or more processors than 32 bits count.
    #[error("field {field} is out of range: {text}")]
    OutOfRange {
        /// The field, from 1.
        field: usize,
        /// The text that stands there, shortened.
        text: String,
    },
    /// No submission time: the job has no place in the trace.
    #[error("no submission time")]
    NoSubmission,
    /// A line of the header whose value should be a whole number in range and is not; it is not heeded.
    #[error("{key} is no whole number in range: '{text}'")]
    Header {
        /// Which.
        key: &'static str,
        /// The text that stands there, shortened.
        text: String,
    },
    /// A line of the header that says how job lines are to be read, where some have been.
    #[error("{0} may stand only before all job lines, and Features behind Resources")]
    Misplaced(&'static str),
    /// Longer than any job line can be.
    #[error("longer than {0} bytes")]
    TooLong(usize),
    /// A table's line has another number of fields than its line of names.
    #[error("{0} fields where the names are {1}")]
    Fields(usize, usize),
    /// A line of an accounting log with impossible values.
    #[error("{0}")]
    Row(String),
}

impl Reason {
    /// Equal for reasons that are one to who has to do something about them, whatever the line.
    pub fn kind(&self) -> String {
        match self {
            Reason::NotANumber { field, expected, .. } => format!("field {field} is not {expected}"),
            Reason::OutOfRange { field, .. } => format!("field {field} is out of range"),
            Reason::Header { key, .. } => format!("{key} is no whole number in range"),
            Reason::FieldCount(_) => "another number of fields than 18".to_owned(),
            Reason::ResourceFields(..) => "another number of fields than 18, tasks and resources".to_owned(),
            Reason::Fields(..) => "another number of fields than the line of names".to_owned(),
            // Quoted texts and numbers differ from line to line.
            Reason::Row(text) => {
                let text = text.split('\'').next().unwrap_or(text);
                text.split(|c: char| c.is_ascii_digit()).collect::<Vec<_>>().join("")
            }
            other => other.to_string(),
        }
    }
}

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened.
    #[error("{name}")]
    Open {
        /// The file.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// Reading failed on the way: a disk error, or a gzip stream that is damaged or ends early.
    #[error("{name}: unreadable after line {line}")]
    Read {
        /// The file.
        name: String,
        /// The last line that could be read; 0 when there was none.
        line: u64,
        /// Why.
        source: std::io::Error,
    },
    /// A table's line of names lacks what is needed.
    #[error("{name}:{line}: {why}")]
    Columns {
        /// The file.
        name: String,
        /// The line, from 1.
        line: u64,
        /// Its fault.
        why: BadColumns,
    },
    /// A text that is of no known kind, or of one that cannot be read.
    #[error("{name}: {what}")]
    Unknown {
        /// The file.
        name: String,
        /// A sentence: its looks, and the command that gives what can be read.
        what: String,
    },
    /// A wrong line, when reading strictly.
    #[error("{name}:{line}: {reason}")]
    Line {
        /// The file.
        name: String,
        /// The line, from 1.
        line: u64,
        /// Its fault.
        reason: Reason,
    },
}

/// A fault of a line of names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadColumns {
    /// Two columns have one name.
    #[error("two columns {0}")]
    Doubled(String),
    /// A column is missing.
    #[error(
        "no column {what} among '{among}': accepted names are {accepted} (all: surefill import --columns)"
    )]
    Missing {
        /// Its first name, or those of several that would do.
        what: String,
        /// All names of the first.
        accepted: String,
        /// The names that are there.
        among: String,
    },
    /// No column says how wide jobs are.
    #[error(
        "no column of processors or GPUs among '{among}': {}accepted names are {accepted} (all: surefill import --columns)",
        nodes.as_ref().map_or_else(String::new, |nodes| format!(
            "{nodes} counts nodes, which may be shared, so add AllocCPUS (sacct -o ...,AllocCPUS); "
        ))
    )]
    NoWidth {
        /// The title of a column of nodes.
        nodes: Option<String>,
        /// Names of processors.
        accepted: String,
        /// The names that are there.
        among: String,
    },
    /// Without a line of names, and in no known layout.
    #[error(
        "no line of names: run sacct without -n (--noheader), or give the names in the order of sacct -o, as \
         --names JobID,Submit,Start,End,State,AllocCPUS"
    )]
    NoNames,
    /// Dates that mean different days to different people.
    #[error(
        "{0} has dates such as '{1}' whose day can be the first or the second number in every line: say which, with \
         --dates dmy or --dates mdy"
    )]
    DayOrMonth(String, String),
}

/// Names behind the numbers of a trace, where its source had names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Jobs whose names are not their numbers, such as tasks of arrays.
    pub jobs: BTreeMap<i64, String>,
    /// Users.
    pub users: BTreeMap<i64, String>,
    /// Accounts or groups.
    pub groups: BTreeMap<i64, String>,
    /// Programs.
    pub programs: BTreeMap<i64, String>,
    /// Queues.
    pub queues: BTreeMap<i64, String>,
    /// Partitions.
    pub partitions: BTreeMap<i64, String>,
    /// Qualities of service.
    pub qos: BTreeMap<i64, String>,
}

/// Why a line of an accounting log is no job of the trace, though nothing is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dropped {
    /// Its end is in the future.
    Running,
    /// Its start is in the future.
    Waiting,
    /// A step of a job; its memory counts for the job.
    Steps,
    /// The same job a second time.
    Twice,
    /// A further part of a heterogeneous job; its processors count for the first.
    Parts,
    /// It was cancelled before it started, at an unknown time.
    NeverQueued,
    /// A job array as a whole; its tasks have lines of their own.
    Arrays,
    /// A record of something else than the end of a job.
    OtherRecords,
    /// A part of a job's execution, between two suspensions; the job has a line of its own.
    Bursts,
    /// A message of the program that wrote the log.
    Messages,
}

impl Dropped {
    /// The reason, in words that follow a count.
    pub fn text(self) -> &'static str {
        match self {
            Dropped::Running => "still running",
            Dropped::Waiting => "still waiting",
            Dropped::Steps => "job steps, which belong to their jobs' lines",
            Dropped::Twice => "listed twice",
            Dropped::Parts => "further parts of heterogeneous jobs, joined with the first",
            Dropped::NeverQueued => "cancelled before they started, at an unknown time",
            Dropped::Arrays => "job arrays as a whole, whose tasks have lines of their own",
            Dropped::OtherRecords => "records of other things than a job's end",
            Dropped::Bursts => {
                "parts of a job's execution (status 2 to 4), which belong to their jobs' lines"
            }
            Dropped::Messages => "messages, not jobs",
        }
    }
}
