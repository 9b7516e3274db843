//! Rows of named values in texts: tables with a line of names between any separators, JSON, ClassAds, records of Grid
//! Engine. Each kind only finds its rows; [`rows`](super::rows) makes jobs of them.
//!
//! Before the line of names banners may stand, and joined files have several such lines: each holds from there on.

use super::collect::Collector;
use super::columns::{Columns, Row};
use super::lines::lines;
use super::record::{BadColumns, Dropped, Error, Format, Reason};
use super::source::Text;
use super::text::excerpt;
use super::values::Clock;
use super::{condor, json, sge};
use std::borrow::Cow;

/// A way to write a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Fields between `|` as `sacct --parsable2` prints them, or another separator; nothing is quoted.
    Bars,
    /// Fields between commas, semicolons or tabs.
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// One JSON document: a list of jobs, alone or as `jobs`.
    Json,
    /// HTCondor's ClassAds.
    Condor,
    /// Accounting of Grid Engine.
    Sge,
}

impl Table {
    /// Whether every record has names of its own, so that none stand for all.
    pub(crate) fn records(self) -> bool {
        !matches!(self, Table::Bars | Table::Csv)
    }
}

/// Options of reading a text, for what its content does not say.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The format; recognised by content where none is given.
    pub format: Option<Format>,
    /// The text between the fields of a table.
    pub delimiter: Option<String>,
    /// The names of the columns, for tables without a line of names.
    pub names: Option<Vec<String>>,
    /// The order and zone of dates.
    pub clock: Clock,
}

/// The most lines that may stand before the line of names.
const BANNER: u64 = 60;

/// Separators of fields that are recognised; the first three may stand in quoted fields.
const SEPARATORS: [&str; 9] = [",", ";", "\t", "|", "^", "~", "!", "%", "@"];
const QUOTED: usize = 3;

/// The separator of the line of names among the first lines of a text.
pub(super) fn separator(start: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(start);
    let head = || text.lines().take(BANNER as usize).filter(|line| !line.trim().is_empty());
    let of = |line: &str, separator: &str| Columns::are_names(&line.split(separator).collect::<Vec<_>>());
    let named = head().find_map(|line| SEPARATORS.iter().find(|separator| of(line, separator)));
    let data = |line: &str, separator: &str| Columns::are_data(&line.split(separator).collect::<Vec<_>>());
    named
        .or_else(|| head().find_map(|line| SEPARATORS.iter().find(|separator| data(line, separator))))
        .copied()
}

/// Whether fields between such separators may be quoted.
pub(super) fn quoted(separator: &str) -> bool {
    SEPARATORS.iter().take(QUOTED).any(|known| *known == separator)
}

/// Shows every row, in order.
pub(crate) fn each_row(
    text: &mut Text,
    name: &str,
    table: Table,
    reading: &Reading,
    collector: &mut Collector,
    mut each: impl FnMut(&mut Collector, u64, &Row, &Columns) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut named = |collector: &mut Collector, line, pairs: &[Pair]| match Row::named(pairs) {
        Ok((row, columns)) => each(collector, line, &row, &columns),
        // Records may name different things, so that each has a list of its own.
        Err(BadColumns::Missing { accepted, among, .. }) => {
            let why = format!(
                "no submission time among '{among}': accepted names are {accepted} (all: surefill import --columns)"
            );
            collector.problem(line, Reason::Row(why))
        }
        Err(error) => collector.problem(line, Reason::Row(error.to_string())),
    };
    match table {
        Table::JsonLines => lines(text, name, collector, |collector, line, text| match json::object(text) {
            Ok(pairs) => named(collector, line, &pairs),
            Err(why) => collector.problem(line, Reason::Row(why)),
        }),
        Table::Json => json::document(text, collector, named),
        Table::Condor => condor::read(text, name, collector, named),
        Table::Sge => sge::read(text, name, collector, named),
        Table::Bars | Table::Csv => separated(text, name, table, reading, collector, each),
    }
}

/// A name and its value.
pub(super) type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

fn separated(
    text: &mut Text,
    name: &str,
    table: Table,
    reading: &Reading,
    collector: &mut Collector,
    each: impl FnMut(&mut Collector, u64, &Row, &Columns) -> Result<(), Error>,
) -> Result<(), Error> {
    let unreadable = |line, source| Error::Read { name: name.to_owned(), line, source };
    let start = text.fill_buf().map_err(|source| unreadable(0, source))?;
    let found = reading.delimiter.clone().or_else(|| separator(start).map(str::to_owned));
    let separator = found.unwrap_or_else(|| if table == Table::Csv { most(start) } else { "|" }.to_owned());
    let names = reading.names.as_ref().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    let columns = names.map(|names| Columns::new(&names)).transpose();
    let columns = columns.map_err(|why| Error::Columns { name: name.to_owned(), line: 0, why })?;
    let mut body = Body { name, separator: &separator, columns, refused: None, passed: 0, first: None, each };
    if !quoted(&separator) {
        lines(text, name, collector, |collector, line, text| {
            let cells: Vec<&str> = text.split(&*separator).collect();
            body.line(collector, line, text, &cells)
        })?;
        return body.end(collector);
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator.bytes().next().unwrap_or(b','))
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .from_reader(text);
    let mut record = csv::ByteRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_byte_record(&mut record) {
            Ok(false) => return body.end(collector),
            Ok(true) => {}
            Err(error) => return Err(unreadable(line, std::io::Error::other(error))),
        }
        let line = record.position().map_or(line, csv::Position::line);
        let cells: Vec<Cow<str>> = record.iter().map(String::from_utf8_lossy).collect();
        let cells: Vec<&str> = cells.iter().map(|cell| &**cell).collect();
        if cells.iter().any(|cell| !cell.trim().is_empty()) {
            body.line(collector, line, &cells.join(&separator), &cells)?;
        }
    }
}

/// The one of the usual separators that the first line has most of.
fn most(start: &[u8]) -> &'static str {
    let mut lines = start.split(|byte| *byte == b'\n');
    let first =
        lines.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let count = |separator: &&&str| first.iter().filter(|byte| separator.as_bytes() == [**byte]).count();
    SEPARATORS.iter().take(QUOTED).rev().max_by_key(count).copied().unwrap_or(",")
}

/// The lines of a table, as they come.
struct Body<'a, F> {
    name: &'a str,
    separator: &'a str,
    columns: Option<Columns>,
    /// Why the first line that could have been one of names is none, and how many names it has.
    refused: Option<(u64, BadColumns, usize)>,
    /// Lines before the names, and the first of them.
    passed: u64,
    first: Option<String>,
    each: F,
}

impl<F: FnMut(&mut Collector, u64, &Row, &Columns) -> Result<(), Error>> Body<'_, F> {
    fn line(
        &mut self,
        collector: &mut Collector,
        line: u64,
        text: &str,
        cells: &[&str],
    ) -> Result<(), Error> {
        if Columns::are_names(cells) || self.columns.is_none() {
            match Columns::new(cells) {
                Ok(columns) => {
                    if self.columns.is_none() && self.passed > 0 {
                        collector.remark(format!(
                            "{} before the line of names passed over, the first '{}'",
                            crate::base::words::several(self.passed, "line"),
                            self.first.as_deref().unwrap_or("")
                        ));
                    }
                    self.columns = Some(columns);
                    return Ok(());
                }
                Err(why @ BadColumns::Doubled(_)) => return Err(self.bad(line, why)),
                Err(why) if self.columns.is_none() => {
                    if !Columns::are_data(cells) {
                        return self.pass(line, text, cells.len(), why);
                    }
                    let known = Columns::by_position(cells);
                    self.columns = Some(known.ok_or_else(|| self.bad(line, BadColumns::NoNames))?);
                    collector.remark(
                        "no line of names: the columns are known by their number and content, as Open XDMoD or this manual \
                         asks sacct for them"
                            .to_owned(),
                    );
                }
                Err(_) => {}
            }
        }
        let Some(columns) = &self.columns else { return Ok(()) };
        match columns.row(cells, self.separator) {
            Ok(row) => (self.each)(collector, line, &row, columns),
            // Lines between a table's head and its body.
            Err(_) if text.bytes().all(|byte| b"-+|= ".contains(&byte)) => Ok(()),
            Err(_) if message(text) => {
                collector.drop(Dropped::Messages);
                collector.remark(format!(
                    "line {line} is a message, so that jobs may be missing: '{}'",
                    excerpt(text.trim().as_bytes(), 80)
                ));
                Ok(())
            }
            Err(reason) => collector.problem(line, reason),
        }
    }

    /// Passes over a line before the names.
    fn pass(&mut self, line: u64, text: &str, cells: usize, why: BadColumns) -> Result<(), Error> {
        self.passed += 1;
        self.first.get_or_insert_with(|| excerpt(text.trim().as_bytes(), 60));
        if self.refused.as_ref().is_none_or(|(_, _, known)| *known < cells) {
            self.refused = Some((line, why, cells));
        }
        if self.passed > BANNER { self.refused() } else { Ok(()) }
    }

    fn refused(&mut self) -> Result<(), Error> {
        self.refused.take().map_or(Ok(()), |(line, why, _)| Err(self.bad(line, why)))
    }

    fn end(mut self, _: &mut Collector) -> Result<(), Error> {
        if self.columns.is_none() { self.refused() } else { Ok(()) }
    }

    fn bad(&self, line: u64, why: BadColumns) -> Error {
        Error::Columns { name: self.name.to_owned(), line, why }
    }
}

/// Whether a line is what a program says instead of what it prints: `sacct: error: ...`, `slurm_load_jobs error: ...`.
pub(super) fn message(text: &str) -> bool {
    let mut words = text.split([' ', ':']).filter(|word| !word.is_empty());
    let (program, kind) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let named = !program.is_empty()
        && program.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let kinds = ["error", "fatal", "warning", "info", "debug"];
    let says = kinds.contains(&kind.to_lowercase().as_str()) && text.contains(": ");
    named && (program == "sacct" || program.starts_with("slurm") || says)
}
