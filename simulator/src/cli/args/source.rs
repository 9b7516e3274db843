//! Traces and histories as arguments: any format, compressed or not, `-` for standard input; and what is said of what
//! is wrong with them.

use super::file;
use super::quiet::is_quiet;
use crate::cli::Failure;
use crate::trace::format::{self, Format};
use crate::trace::record::lost;
use crate::trace::remarks::{complaints, guessed};
use crate::trace::site::Site;
use crate::trace::source;
use crate::trace::swf::{Problem, Strictness, Trace};
use crate::trace::tables::Reading;
use crate::trace::text::printable;
use crate::trace::values::{Clock, zone};
use clap::Args;
use jiff::tz::TimeZone;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options by which traces are read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Trace")]
pub struct Source {
    /// The format of the traces [default: recognised by content]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// The text between the fields of a table [default: recognised by its line of names]
    #[arg(long, value_name = "TEXT", value_parser = delimiter)]
    delimiter: Option<String>,
    /// The names of the columns of a table without a line of names (sacct -n), as after sacct -o
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    names: Vec<String>,
    /// Day or month first, in dates such as 05/06/2024 [default: all dates of a table decide]
    #[arg(long, value_enum, value_name = "ORDER")]
    dates: Option<Order>,
    /// The zone of dates that name none, as Europe/Berlin [default: dates are taken as they stand]
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    zone: Option<TimeZone>,
    /// Go on with the rest where more than a tenth of the lines is left out as wrong, or of the jobs has no width
    #[arg(long)]
    partial: bool,
}

/// The order of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// The day: 25/12/2024
    Dmy,
    /// The month: 12/25/2024
    Mdy,
}

fn delimiter(text: &str) -> Result<String, String> {
    match text {
        "" => Err("nothing stands between no fields".to_owned()),
        "\\t" => Ok("\t".to_owned()),
        text => Ok(text.to_owned()),
    }
}

impl Source {
    /// The clock of dates.
    pub fn clock(&self) -> Clock {
        Clock { day_first: self.dates.map(|order| order == Order::Dmy), zone: self.zone.clone() }
    }

    /// The options, as reading takes them.
    pub fn reading(&self) -> Reading {
        Reading {
            format: self.format,
            delimiter: self.delimiter.clone(),
            names: (!self.names.is_empty()).then(|| self.names.clone()),
            clock: self.clock(),
        }
    }

    /// Reads a trace and says on standard error what is wrong with it.
    ///
    /// # Errors
    /// Those of [`Source::open`].
    pub fn read(&self, path: &Path, strict: bool) -> Result<Trace, Failure> {
        self.read_sized(path, strict, None)
    }

    /// [`Source::read`] where the user has said how many processors the machine has, or not.
    ///
    /// # Errors
    /// Its.
    pub fn read_sized(&self, path: &Path, strict: bool, procs: Option<u32>) -> Result<Trace, Failure> {
        let trace = self.open(&[path], strict)?;
        complain(&trace);
        if procs.is_none() {
            guess(&trace);
        }
        self.enough(&trace.name, trace.records.len(), &trace.problems)?;
        Ok(trace)
    }

    /// Reads a trace, from several files too, without a word.
    ///
    /// # Errors
    /// Those of [`format::open_as`]; standard input a second time.
    pub fn open(&self, paths: &[&Path], strict: bool) -> Result<Trace, Failure> {
        static TAKEN: AtomicBool = AtomicBool::new(false);
        for path in paths {
            if *path == Path::new("-") && TAKEN.swap(true, Ordering::Relaxed) {
                return Err(Failure::Usage("standard input (-) can be read once only".to_owned()));
            }
            file::reads(path).map_err(|error| Failure::Usage(format!("{error:#}")))?;
        }
        let strictness = if strict { Strictness::Strict } else { Strictness::Lenient };
        Ok(format::open_as(paths, &self.reading(), strictness)?)
    }

    /// Refuses a trace of which so much is lost that no answer should rest on it, the widths of jobs included.
    ///
    /// # Errors
    /// A sentence.
    pub fn whole(&self, trace: &Trace) -> Result<(), Failure> {
        self.accept(&trace.name, trace.losses(), !trace.problems.is_empty() || trace.has_widths())
    }

    /// The trace as [`Source::whole`] reads it, for questions that need no widths but this number of jobs.
    ///
    /// # Errors
    /// Its.
    pub fn enough(&self, name: &str, jobs: usize, problems: &[Problem]) -> Result<(), Failure> {
        self.accept(name, lost(jobs, problems), !problems.is_empty())
    }

    /// Refuses a trace more than a tenth of whose jobs are in partitions that the site does not have.
    ///
    /// # Errors
    /// A sentence.
    pub fn on_site(&self, site: Option<&Site>, trace: &Trace) -> Result<(), Failure> {
        self.accept(&trace.name, site.and_then(|site| site.losses(trace)), true)
    }

    fn accept(&self, name: &str, lost: Option<String>, rest: bool) -> Result<(), Failure> {
        let Some(lost) = lost.filter(|_| !self.partial) else { return Ok(()) };
        let way = if rest { "; --partial goes on with the rest" } else { "" };
        Err(anyhow::anyhow!("{name}: {lost}{way}").into())
    }
}

/// Says on standard error what is wrong with a trace: every reason once, with its count and first line.
pub fn complain(trace: &Trace) {
    for sentence in complaints(&trace.name, &trace.problems) {
        eprintln!("warning: {sentence}");
    }
    notes(&trace.name, &trace.remarks);
}

/// Says on standard error how a log was read.
pub fn notes(name: &str, remarks: &[String]) {
    for remark in remarks.iter().filter(|_| !is_quiet()) {
        eprintln!("note: {}: {}", printable(name), printable(remark));
    }
}

/// Says on standard error from what the machine's size was guessed, where neither trace nor user says it.
pub fn guess(trace: &Trace) {
    if let Some(guessed) = guessed(trace).filter(|_| !is_quiet()) {
        eprintln!("note: {}: {guessed}", printable(&trace.name));
    }
}

/// A trace's name without its folder.
pub fn file_name(path: &Path) -> String {
    if path == Path::new("-") {
        return source::name(path);
    }
    printable(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()).into_owned()
}
