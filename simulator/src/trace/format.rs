//! The formats of traces, recognised by content, and the one way to read any of them.

use super::collect::Collector;
use super::record::{Error, Strictness, Trace};
use super::rows::Table;
use super::{lsf, openb, pbs, rows, source, swf};
use std::io::Read;
use std::path::Path;

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Standard Workload Format
    Swf,
    /// What `sacct --parsable2` prints: a line of names, fields between |
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
}

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
        if first.starts_with(b"{") {
            return Format::Jsonl;
        }
        if lsf::begins(first) {
            return Format::Lsf;
        }
        if pbs::begins(first) {
            return Format::Pbs;
        }
        if openb::begins(first) {
            return Format::Openb;
        }
        // A schedule that `simulate --jobs` wrote has notes first.
        let first = std::iter::once(first).chain(lines).find(|line| !line.starts_with(b"#")).unwrap_or(first);
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
            Format::Pbs => Kind::Pbs,
            Format::Lsf => Kind::Lsf,
        }
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
    let name = source::name(path);
    match source::bytes(path) {
        Ok(reader) => read(reader, &name, format, strictness),
        Err(source) => Err(Error::Open { name, source }),
    }
}

/// Reads a trace from any stream; `name` stands for it in errors.
///
/// # Errors
/// [`Error::Read`], [`Error::Columns`], and [`Error::Line`] when strict.
pub fn read(
    reader: impl Read,
    name: &str,
    format: Option<Format>,
    strictness: Strictness,
) -> Result<Trace, Error> {
    let unreadable = |source| Error::Read { name: name.to_owned(), line: 0, source };
    let (mut text, start) = source::text(reader, name).map_err(unreadable)?;
    let format = format.unwrap_or_else(|| Format::of(&start));
    let mut collector = Collector::new(name, strictness);
    match format.kind() {
        Kind::Swf => return swf::read_text(text, name, strictness),
        Kind::Openb => return openb::read(&mut text, name, collector),
        Kind::Table(table) => rows::read(&mut text, name, table, &mut collector)?,
        Kind::Pbs => pbs::read(&mut text, name, &mut collector)?,
        Kind::Lsf => lsf::read(&mut text, name, &mut collector)?,
    }
    Ok(collector.finish())
}
