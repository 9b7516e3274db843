//! The formats of traces, recognised by content, and the one way to read any of them.

use super::collect::Collector;
use super::source::{self, Text};
use super::swf::{self, Error, Reason, Strictness, Trace};
use super::{lsf, pbs, rows};
use std::io::{self, BufRead, Read};
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
    /// One JSON object a line
    Jsonl,
}

impl Format {
    /// The format that a text begins as; what is none of the others is taken for the Standard Workload Format, whose
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
    match format {
        Format::Swf => return swf::read_text(text, name, strictness),
        Format::Sacct | Format::Csv | Format::Jsonl => rows::read(&mut text, name, format, &mut collector)?,
        Format::Pbs => pbs::read(&mut text, name, &mut collector)?,
        Format::Lsf => lsf::read(&mut text, name, &mut collector)?,
    }
    Ok(collector.finish())
}

/// No line is longer.
pub(super) const MAX_LINE: usize = 1 << 20;

/// Shows every line that is not empty, with its number, as text; those too long for that are problems, as are bytes
/// that are no UTF-8 (these are replaced).
pub(super) fn lines(
    text: &mut Text,
    name: &str,
    collector: &mut Collector,
    mut each: impl FnMut(&mut Collector, u64, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    let mut line = 0;
    loop {
        let complete = match next_line(text, &mut bytes, MAX_LINE) {
            Ok(None) => return Ok(()),
            Ok(Some(complete)) => complete,
            Err(source) => return Err(Error::Read { name: name.to_owned(), line, source }),
        };
        line += 1;
        if !complete {
            collector.problem(line, Reason::TooLong(MAX_LINE))?;
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\r', '\n']);
        if !text.trim().is_empty() {
            each(collector, line, text)?;
        }
    }
}

/// Reads one line, without limit on the input but with one on the memory: `Some(false)` says that the line was longer
/// than `most` and was passed over.
pub(super) fn next_line(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<Option<bool>> {
    line.clear();
    let mut complete = true;
    loop {
        let available = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() {
            return Ok((!line.is_empty() || !complete).then_some(complete));
        }
        let end = available.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(available.len());
        if line.len() + taken > most {
            complete = false;
        }
        if complete && let Some(text) = available.get(..taken) {
            line.extend_from_slice(text);
        }
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(Some(complete));
        }
    }
}
