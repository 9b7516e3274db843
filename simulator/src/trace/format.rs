//! The formats of traces, recognised by content, and the one way to read any of them.

use super::collect::{Collector, RawJob};
pub use super::record::Format;
use super::record::{Error, Strictness, Trace};
use super::tables::{Reading, Table};
use super::{condor, json, looks, lsf, openb, pbs, rows, sge, source, swf, tables};
use std::io::Read;
use std::path::Path;

impl Format {
    /// The format that a text begins as; what has no other format is taken for the Standard Workload Format, whose
    /// reader says what is wrong.
    pub fn of(start: &[u8]) -> Format {
        let mut lines =
            start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return Format::Swf };
        if first.starts_with(b";") {
            return Format::Swf;
        }
        if json::begins(start) {
            return Format::Json;
        }
        if first.starts_with(b"{") {
            return Format::Jsonl;
        }
        // A schedule that `simulate --jobs` wrote has notes first, as Grid Engine's files do.
        let first = std::iter::once(first).chain(lines).find(|line| !line.starts_with(b"#")).unwrap_or(first);
        if lsf::begins(first) {
            return Format::Lsf;
        }
        if pbs::begins(first) {
            return Format::Pbs;
        }
        if openb::begins(first) {
            return Format::Openb;
        }
        if sge::begins(first) {
            return Format::Sge;
        }
        if condor::begins(first) {
            return Format::Condor;
        }
        if let Some(separator) = tables::separator(start) {
            return if tables::quoted(separator) { Format::Csv } else { Format::Sacct };
        }
        let names = first.iter().any(u8::is_ascii_alphabetic);
        if names && first.contains(&b'|') {
            Format::Sacct
        } else if names && first.iter().any(|byte| b",;\t".contains(byte)) {
            Format::Csv
        } else {
            Format::Swf
        }
    }
}

impl Reading {
    /// The format that a text is read as, which begins so.
    pub(crate) fn format_of(&self, start: &[u8]) -> Format {
        self.format.unwrap_or_else(|| match &self.delimiter {
            Some(separator) if tables::quoted(separator) => Format::Csv,
            Some(_) => Format::Sacct,
            None => Format::of(start),
        })
    }
}

/// The formats by how they are read.
enum Kind {
    Swf,
    Openb,
    Table(Table),
    Pbs,
    Lsf,
}

impl Format {
    fn kind(self) -> Kind {
        match self {
            Format::Swf => Kind::Swf,
            Format::Openb => Kind::Openb,
            Format::Sacct => Kind::Table(Table::Bars),
            Format::Csv => Kind::Table(Table::Csv),
            Format::Jsonl => Kind::Table(Table::JsonLines),
            Format::Json => Kind::Table(Table::Json),
            Format::Sge => Kind::Table(Table::Sge),
            Format::Condor => Kind::Table(Table::Condor),
            Format::Pbs => Kind::Pbs,
            Format::Lsf => Kind::Lsf,
        }
    }

    /// Whether a text of this format is a table, with separators and names of columns.
    pub fn is_table(self) -> bool {
        matches!(self.kind(), Kind::Table(Table::Bars | Table::Csv))
    }

    /// The kind of table that a text of this format is, if it is one.
    #[cfg(feature = "command")] // The past as a site has it asks.
    pub(crate) fn table(self) -> Option<Table> {
        match self.kind() {
            Kind::Table(table) => Some(table),
            _ => None,
        }
    }
}

/// Reads a trace from a file, or standard input for `-`: any compression, and any format where none is given.
///
/// # Errors
/// [`Error`].
pub fn open(path: &Path, format: Option<Format>, strictness: Strictness) -> Result<Trace, Error> {
    open_as(&[path], &Reading { format, ..Reading::default() }, strictness)
}

/// Reads a trace from one file or several, which hold what one would that was cut into them: jobs that are in two count
/// once. A path `-` is standard input.
///
/// # Errors
/// [`Error`]; [`Error::Unknown`] for several files of a format whose clock begins in each anew.
pub fn open_as(paths: &[&Path], reading: &Reading, strictness: Strictness) -> Result<Trace, Error> {
    let names: Vec<String> = paths.iter().map(|path| source::name(path)).collect();
    let opened = |path: &Path, name: &str| {
        source::bytes(path).map_err(|source| Error::Open { name: name.to_owned(), source })
    };
    if let ([path], [name]) = (paths, &names[..]) {
        return read_as(opened(path, name)?, name, reading, strictness);
    }
    let mut collector = Collector::new(&names.join(", "), strictness);
    for (path, name) in paths.iter().zip(&names) {
        collector.file(name);
        if let (Some(_), format) = read_into(opened(path, name)?, name, reading, strictness, &mut collector)?
        {
            let what = format!(
                "of several files each is to be a table or an accounting log, and this is a {}: read it alone",
                name_of_kind(format)
            );
            return Err(Error::Unknown { name: name.clone(), what });
        }
    }
    Ok(collector.finish())
}

/// Reads a trace from any stream; `name` stands for it in errors.
///
/// # Errors
/// [`Error`] but [`Error::Open`].
pub fn read(
    reader: impl Read,
    name: &str,
    format: Option<Format>,
    strictness: Strictness,
) -> Result<Trace, Error> {
    read_as(reader, name, &Reading { format, ..Reading::default() }, strictness)
}

/// [`read`] of what does not say all by itself.
///
/// # Errors
/// Its.
pub fn read_as(
    reader: impl Read,
    name: &str,
    reading: &Reading,
    strictness: Strictness,
) -> Result<Trace, Error> {
    let mut collector = Collector::new(name, strictness);
    match read_into(reader, name, reading, strictness, &mut collector)? {
        (Some(trace), _) => Ok(trace),
        (None, _) => Ok(collector.finish()),
    }
}

/// The jobs of a history by their own names, with what a trace does not hold of them.
#[derive(Debug)]
pub struct Log {
    /// The jobs.
    pub jobs: Vec<RawJob>,
    /// Header, remarks and problems of the reading; no records.
    pub trace: Trace,
    /// The format that it was read in.
    pub format: Format,
}

/// Reads the jobs of a history in any format, as [`read_as`] reads a trace.
///
/// # Errors
/// Its.
pub fn log_as(reader: impl Read, name: &str, reading: &Reading) -> Result<Log, Error> {
    let mut collector = Collector::new(name, Strictness::Lenient);
    match read_into(reader, name, reading, Strictness::Lenient, &mut collector)? {
        (Some(mut trace), format) => {
            let jobs = trace.records.iter().map(|record| RawJob::of(record, &trace)).collect();
            trace.records.clear();
            Ok(Log { jobs, trace, format })
        }
        (None, format) => {
            let (jobs, trace) = collector.into_jobs();
            Ok(Log { jobs, trace, format })
        }
    }
}

/// The kind of a trace that is no collection of jobs from accounting.
fn name_of_kind(format: Format) -> &'static str {
    if format == Format::Openb { "list of tasks" } else { "trace in the Standard Workload Format" }
}

/// Reads jobs into the collector, or else a whole trace; and says in which format they were.
fn read_into(
    reader: impl Read,
    name: &str,
    reading: &Reading,
    strictness: Strictness,
    collector: &mut Collector,
) -> Result<(Option<Trace>, Format), Error> {
    let unreadable = |source| Error::Read { name: name.to_owned(), line: 0, source };
    let (mut text, start) = source::text(reader, name).map_err(unreadable)?;
    let format = reading.format_of(&start);
    if reading.format.is_none()
        && let Some(what) = looks::like(&start, format)
    {
        return Err(Error::Unknown { name: name.to_owned(), what });
    }
    match format.kind() {
        Kind::Swf => return Ok((Some(swf::read_text(text, name, strictness)?), format)),
        Kind::Openb => {
            let trace = openb::read(&mut text, name, Collector::new(name, strictness))?;
            return Ok((Some(trace), format));
        }
        Kind::Table(table) => rows::read(&mut text, name, table, reading, collector)?,
        Kind::Pbs => pbs::read(&mut text, name, collector)?,
        Kind::Lsf => lsf::read(&mut text, name, collector)?,
    }
    Ok((None, format))
}
