//! Reading a trace, plain or gzip, from a file or any byte stream.

use super::{Error, Header, MAX_VALUE, Problem, Reason, Record, Strictness, Trace};
use crate::base::words::several;
use crate::trace::lines::next_line;
use crate::trace::record::{Dropped, MAX_FEATURES, Tasks, unit};
use crate::trace::{source, text};
use std::io::{BufRead, Read};
use std::path::Path;
use surefill::nodes::{Amounts, MAX_RESOURCES, MAX_TASKS};

/// Longest line: no job line is longer, and header lines, which cannot be cut elsewhere, get the same room.
const MAX_LINE: usize = 64 * 1024;

const FIELDS: usize = 18;

/// With tasks, resources and a feature.
const MOST_FIELDS: usize = FIELDS + 1 + MAX_RESOURCES + 1;

/// Reads a trace file, compressed or not ([`source`]).
///
/// # Errors
/// [`Error`].
pub fn open(path: &Path, strictness: Strictness) -> Result<Trace, Error> {
    let name = source::name(path);
    match source::bytes(path) {
        Ok(reader) => read(reader, &name, strictness),
        Err(source) => Err(Error::Open { name, source }),
    }
}

/// Reads a trace from any stream; `name` stands for it in errors.
///
/// # Errors
/// [`Error::Read`], and [`Error::Line`] when strict.
pub fn read(reader: impl Read, name: &str, strictness: Strictness) -> Result<Trace, Error> {
    let unreadable = |source| Error::Read { name: name.to_owned(), line: 0, source };
    let (text, _) = source::text(reader, name).map_err(unreadable)?;
    read_text(text, name, strictness)
}

/// Reads a trace from its text.
pub(in crate::trace) fn read_text(
    text: impl BufRead,
    name: &str,
    strictness: Strictness,
) -> Result<Trace, Error> {
    Lines { trace: Trace { name: name.to_owned(), ..Trace::default() }, strictness }.read(text)
}

struct Lines {
    trace: Trace,
    strictness: Strictness,
}

impl Lines {
    fn read(mut self, mut reader: impl BufRead) -> Result<Trace, Error> {
        let mut bytes = Vec::new();
        let mut number = 0;
        let (mut latest, mut longer) = (i64::MIN, 0);
        loop {
            let complete = match next_line(&mut reader, &mut bytes, MAX_LINE) {
                Ok(None) => break,
                Ok(Some(complete)) => complete,
                Err(source) => return Err(Error::Read { name: self.trace.name, line: number, source }),
            };
            number += 1;
            if !complete {
                self.problem(number, Reason::TooLong(MAX_LINE))?;
                continue;
            }
            let line = bytes.trim_ascii();
            if line.is_empty() {
                continue;
            }
            if let Some(text) = line.strip_prefix(b";") {
                let begun = !self.trace.records.is_empty() || !self.trace.problems.is_empty();
                if let Err(reason) = header_line(&mut self.trace.header, line, text, begun) {
                    self.problem(number, reason)?;
                }
                continue;
            }
            match parse(line, &self.trace.header) {
                Err(reason) => self.problem(number, reason)?,
                // A burst of a job that was suspended; the job has a line of its own.
                Ok((record, _)) if (2..=4).contains(&record.status) => {
                    *self.trace.dropped.entry(Dropped::Bursts).or_default() += 1;
                }
                Ok((record, _)) if record.submit < 0 => self.problem(number, Reason::NoSubmission)?,
                Ok((record, more)) => {
                    longer += u64::from(more);
                    self.trace.out_of_order += u64::from(record.submit < latest);
                    latest = latest.max(record.submit);
                    self.trace.records.push(record);
                }
            }
        }
        if longer > 0 {
            let lines = several(longer, "line");
            self.trace.remarks.push(format!(
                "{lines} with more than {FIELDS} fields, of which the first {FIELDS} are read"
            ));
        }
        self.trace.records.sort_by_key(|record| record.submit);
        Ok(self.trace)
    }

    fn problem(&mut self, line: u64, reason: Reason) -> Result<(), Error> {
        if self.strictness == Strictness::Strict {
            return Err(Error::Line { name: self.trace.name.clone(), line, reason });
        }
        self.trace.problems.push(Problem { line, reason });
        Ok(())
    }
}

/// Takes note of a line of the header, and of the values that are used; numbers 0 and -1 stand for unknown. A line on
/// the reading of job lines may not stand behind one that was `begun`, nor features before the resources.
fn header_line(header: &mut Header, line: &[u8], text: &[u8], begun: bool) -> Result<(), Reason> {
    header.lines.push(text::printable(&String::from_utf8_lossy(line).replace('\t', " ")).into_owned());
    let text = String::from_utf8_lossy(text);
    let Some((key, value)) = text.split_once(':') else { return Ok(()) };
    match key.trim() {
        "MaxProcs" => header.max_procs = whole("MaxProcs", value)?.or(header.max_procs),
        "MaxNodes" => header.max_nodes = whole("MaxNodes", value)?.or(header.max_nodes),
        key @ ("Resources" | "Features") if begun || (key == "Features" && header.resources.is_empty()) => {
            return Err(Reason::Misplaced(if key == "Resources" { "Resources" } else { "Features" }));
        }
        "Resources" => header.resources = unlike("Resources", &value.to_lowercase(), MAX_RESOURCES)?,
        "Features" => header.features = unlike("Features", value, MAX_FEATURES)?,
        "UnixStartTime" => header.unix_start_time = whole("UnixStartTime", value)?.or(header.unix_start_time),
        _ => {}
    }
    Ok(())
}

/// The number that a value begins with: `338 (batch partition; 512 total)`.
fn whole<T: TryFrom<i64>>(key: &'static str, value: &str) -> Result<Option<T>, Reason> {
    let word = value.split(|c: char| c.is_whitespace() || c == '(').find(|word| !word.is_empty());
    let Some(word) = word else { return Ok(None) };
    let wrong = || Reason::Header { key, text: text::excerpt(word.as_bytes(), 40) };
    match word.parse::<i64>().map_err(|_| wrong())? {
        -1 | 0 => Ok(None),
        number => T::try_from(number).map(Some).map_err(|_| wrong()),
    }
}

/// Names of resources or features, each once and not too many.
fn unlike(key: &'static str, value: &str, most: usize) -> Result<Vec<String>, Reason> {
    let names: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
    let unlike = names.iter().enumerate().all(|(i, name)| !names[..i].contains(name));
    if names.len() <= most && unlike {
        return Ok(names);
    }
    Err(Reason::Header { key, text: text::excerpt(value.as_bytes(), 40) })
}

/// The tasks behind the 18 fields.
fn tasks(fields: &[&[u8]], header: &Header) -> Result<Option<Tasks>, Reason> {
    let mut fields = fields.iter().enumerate().map(|(i, text)| Field { index: FIELDS + 1 + i, text });
    let Some(first) = fields.next() else { return Ok(None) };
    let count = u32::try_from(first.integer()?).ok().filter(|count| (1..=MAX_TASKS).contains(count));
    let count = count.ok_or_else(|| first.out_of_range())?;
    let mut each = Amounts::default();
    // The fields last: zipped first, one more than there are resources would be taken.
    for ((name, to), field) in header.resources.iter().zip(&mut each).zip(fields.by_ref()) {
        let parts = field.number()? * unit(name);
        if !(0.0..=f64::from(u32::MAX)).contains(&parts.round()) {
            return Err(field.out_of_range());
        }
        *to = parts.round() as u32;
    }
    let feature = match fields.next() {
        None => None,
        Some(field) => match field.integer()? {
            -1 => None,
            number => {
                let index = number.checked_sub(1).and_then(|index| u32::try_from(index).ok());
                let known = index.filter(|&index| (index as usize) < header.features.len());
                Some(known.ok_or_else(|| field.out_of_range())?)
            }
        },
    };
    Ok(Some(Tasks { count, each, feature }))
}

/// A job line, and whether more stands behind its fields. Some programs put commas or semicolons between them.
fn parse(line: &[u8], header: &Header) -> Result<(Record, bool), Reason> {
    let mut fields = [&b""[..]; MOST_FIELDS];
    let mut count = 0;
    let apart = |byte: &u8| byte.is_ascii_whitespace() || b",;".contains(byte);
    for text in line.split(apart).filter(|text| !text.is_empty()) {
        if let Some(field) = fields.get_mut(count) {
            *field = text;
        }
        count += 1;
    }
    let Header { resources, features, .. } = header;
    let more = 1 + resources.len() + usize::from(!features.is_empty());
    let expected = FIELDS + if resources.is_empty() { 0 } else { more };
    let longer = resources.is_empty() && count > expected;
    if count != expected && !longer {
        return Err(match resources.is_empty() {
            true => Reason::FieldCount(count),
            false => Reason::ResourceFields(count, expected),
        });
    }
    let tasks = tasks(&fields[FIELDS..expected], header)?;
    let mut fields = fields.into_iter().enumerate().map(|(index, text)| Field { index: index + 1, text });
    let mut next = || fields.next().unwrap_or(Field { index: 0, text: b"" });
    let record = Record {
        number: next().integer()?,
        submit: next().seconds()?,
        wait: next().seconds()?,
        run_time: next().seconds()?,
        used_processors: next().processors()?,
        cpu_time: next().number()?,
        used_memory: next().number()?,
        requested_processors: next().processors()?,
        requested_time: next().seconds()?,
        requested_memory: next().number()?,
        status: next().integer()?,
        user: next().integer()?,
        group: next().integer()?,
        executable: next().integer()?,
        queue: next().integer()?,
        partition: next().integer()?,
        preceding: next().integer()?,
        think_time: next().seconds()?,
        tasks,
    };
    Ok((record, longer))
}

#[derive(Clone, Copy)]
struct Field<'a> {
    index: usize,
    text: &'a [u8],
}

impl Field<'_> {
    fn text(self) -> String {
        text::excerpt(self.text, 40)
    }

    fn wrong(self, expected: &'static str) -> Reason {
        Reason::NotANumber { field: self.index, expected, text: self.text() }
    }

    fn out_of_range(self) -> Reason {
        Reason::OutOfRange { field: self.index, text: self.text() }
    }

    fn number(self) -> Result<f64, Reason> {
        let value: f64 = str::from_utf8(self.text)
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|value: &f64| !value.is_nan())
            .ok_or_else(|| self.wrong("a number"))?;
        if value.abs() > MAX_VALUE as f64 {
            return Err(self.out_of_range());
        }
        Ok(value)
    }

    /// Some conversions write every field as a floating-point number: `3.0` is an integer, `3.5` is not.
    fn integer(self) -> Result<i64, Reason> {
        if let Some(value) = str::from_utf8(self.text).ok().and_then(|text| text.parse::<i64>().ok()) {
            return if (-MAX_VALUE..=MAX_VALUE).contains(&value) {
                Ok(value)
            } else {
                Err(self.out_of_range())
            };
        }
        let value = self.number().map_err(|reason| match reason {
            Reason::NotANumber { .. } => self.wrong("an integer"),
            other => other,
        })?;
        if value.fract() != 0.0 {
            return Err(self.wrong("an integer"));
        }
        Ok(value as i64)
    }

    /// Some conversions write times with fractions of a second.
    fn seconds(self) -> Result<i64, Reason> {
        self.integer().or_else(|reason| match self.number() {
            Ok(value) if value.fract() != 0.0 => Ok(value.round() as i64),
            _ => Err(reason),
        })
    }

    fn processors(self) -> Result<i64, Reason> {
        let value = self.integer()?;
        if value > i64::from(u32::MAX) { Err(self.out_of_range()) } else { Ok(value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    const JOB: &str = "1 10 -1 60 4 142.00 -1 4 100 -1 1 7 8 9 1 -1 -1 -1\n";

    fn lenient(text: &str) -> Trace {
        read(text.as_bytes(), "t.swf", Strictness::Lenient).unwrap()
    }

    fn reason(line: &str) -> String {
        let trace = lenient(line);
        assert!(trace.records.is_empty());
        assert_eq!(trace.problems.len(), 1);
        trace.problems[0].reason.to_string()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn header_and_job() {
        let trace = lenient(&format!(
            "; MaxProcs: 338\n;MaxNodes: 338 (batch; 512 total)\n; UnixStartTime: 835823160\n; Note: x\n\n  {JOB}"
        ));
        assert_eq!(trace.header.max_procs, Some(338));
        assert_eq!(trace.header.max_nodes, Some(338));
        assert_eq!(trace.header.unix_start_time, Some(835_823_160));
        assert_eq!(trace.header.lines[3], "; Note: x");
        let job = trace.records[0];
        assert_eq!((job.submit, job.run_time, job.used_processors, job.requested_time), (10, 60, 4, 100));
        assert_eq!((job.cpu_time, job.user, job.group, job.executable, job.queue), (142.0, 7, 8, 9, 1));
        assert!(trace.problems.is_empty());
    }

    #[test]
    fn sizes_are_whole_numbers_or_unknown() {
        for (value, why) in [
            ("1,024", "MaxProcs is no whole number in range: '1,024'"),
            ("1e3", "MaxProcs is no whole number in range: '1e3'"),
            ("-64", "MaxProcs is no whole number in range: '-64'"),
            ("99999999999", "MaxProcs is no whole number in range: '99999999999'"),
        ] {
            let text = format!("; MaxNodes: 2\n; MaxProcs: {value}\n{JOB}");
            let trace = lenient(&text);
            assert_eq!((trace.header.max_procs, trace.header.max_nodes), (None, Some(2)));
            assert_eq!((trace.problems[0].line, trace.problems[0].reason.to_string()), (2, why.to_owned()));
            let error = read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap_err().to_string();
            assert!(error.starts_with("t.swf:2: "), "{error}");
        }
        let unknown = lenient(&format!("; MaxProcs: -1\n; MaxNodes:\n; UnixStartTime: 0\n{JOB}"));
        assert!(unknown.problems.is_empty() && unknown.header.max_procs.is_none());
    }

    #[test]
    fn bursts_are_no_jobs() {
        let line = |submit: i64, status: i64| {
            format!("1 {submit} 5 60 4 -1 -1 4 100 -1 {status} 7 8 9 1 -1 -1 -1\n")
        };
        let trace =
            lenient(&[line(10, 1), line(10, 2), line(-1, 2), line(-1, 3), line(20, 0), line(20, 4)].concat());
        assert_eq!(trace.records.iter().map(|job| job.status).collect::<Vec<_>>(), [1, 0]);
        assert_eq!((trace.dropped.get(&Dropped::Bursts), trace.problems.len()), (Some(&4), 0));
    }

    #[test]
    fn integral_floats_are_integers() {
        let trace = lenient("1.0 10 -1.0 6e1 4 -1 -1 4 100 -1 1 7 8 9 1 -1 -1 -1\r\n");
        assert_eq!((trace.records[0].number, trace.records[0].run_time), (1, 60));
    }

    #[test]
    fn fractions_of_seconds_are_rounded_and_a_byte_order_mark_is_none_of_the_text() {
        let trace = lenient("\u{feff}; MaxProcs: 5\n1 10.4 2.5 60.6 4 -1 -1 4 99.9 -1 1 7 8 9 1 -1 -1 -1\n");
        let job = trace.records[0];
        assert_eq!((job.submit, job.wait, job.run_time, job.requested_time), (10, 3, 61, 100));
        assert!(trace.problems.is_empty() && trace.header.max_procs == Some(5));
    }

    #[test]
    fn wrong_lines_say_why() {
        assert_eq!(reason("1 2 3\n"), "3 fields instead of 18");
        let more = lenient(&format!("{} 5\n{} 6 7\n", JOB.trim_end(), JOB.trim_end()));
        assert_eq!((more.records.len(), more.problems.len()), (2, 0));
        assert_eq!(more.remarks, ["2 lines with more than 18 fields, of which the first 18 are read"]);
        for separator in [",", ";", "\t", ", "] {
            assert_eq!(lenient(&JOB.replace(' ', separator)).records, lenient(JOB).records);
        }
        assert_eq!(reason(&JOB.replacen("60", "sixty", 1)), "field 4 is not an integer: 'sixty'");
        assert_eq!(reason(&JOB.replacen("7 8 9", "7.5 8 9", 1)), "field 12 is not an integer: '7.5'");
        assert_eq!(reason(&JOB.replacen("60", "\u{1b}[2J", 1)), r"field 4 is not an integer: '\u{1b}[2J'");
        assert_eq!(reason(&JOB.replacen("60", "NaN", 1)), "field 4 is not an integer: 'NaN'");
        assert_eq!(reason(&JOB.replacen("142.00", "nan", 1)), "field 6 is not a number: 'nan'");
        assert_eq!(reason(&JOB.replacen("142.00", "inf", 1)), "field 6 is out of range: inf");
        assert_eq!(reason(&JOB.replacen("60", "1e300", 1)), "field 4 is out of range: 1e300");
        assert_eq!(reason(&JOB.replacen("60", "1099511627777", 1)), "field 4 is out of range: 1099511627777");
        assert_eq!(reason(&JOB.replacen(" 4 ", " 4294967296 ", 1)), "field 5 is out of range: 4294967296");
        assert_eq!(reason(&JOB.replacen("10", "-1", 1)), "no submission time");
        assert_eq!(
            reason(&JOB.replacen("60", "99999999999999999999", 1)),
            "field 4 is out of range: 99999999999999999999"
        );
        assert_eq!(reason(&"x".repeat(MAX_LINE + 1)), "longer than 65536 bytes");
    }

    #[test]
    fn strict_stops_at_the_first_wrong_line() {
        let text = format!("; x\n{JOB}1 2 3\n{JOB}");
        let error = read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap_err();
        assert_eq!(error.to_string(), "t.swf:3: 3 fields instead of 18");
        assert_eq!(lenient(&text).records.len(), 2);
    }

    #[test]
    fn lines_out_of_order_are_sorted_and_counted() {
        let line = |number: i64, submit: i64| format!("{number} {submit} -1 60 4{}\n", " -1".repeat(13));
        let text = [line(1, 5), line(2, 9), line(3, 5), line(4, 9)].concat();
        let trace = lenient(&text);
        assert_eq!(trace.records.iter().map(|r| r.number).collect::<Vec<_>>(), [1, 3, 2, 4]);
        assert_eq!((trace.problems.len(), trace.out_of_order), (0, 1));
        assert_eq!(read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap().records.len(), 4);
    }

    #[test]
    fn gzip_by_content_and_in_several_members() {
        let bytes = [gzip(JOB.as_bytes()), gzip(JOB.as_bytes())].concat();
        assert_eq!(read(&bytes[..], "pipe", Strictness::Strict).unwrap().records.len(), 2);
    }

    #[test]
    fn damaged_gzip_names_file_and_line() {
        let text: String = (0..5000).map(|i| format!("{i} {i} -1 60 4{}\n", " -1".repeat(13))).collect();
        let whole = gzip(text.as_bytes());
        for bytes in [&whole[..whole.len() / 2], &whole[..whole.len() - 4], &whole[..5], b"", b"no gzip"] {
            let error = read(bytes, "t.swf.gz", Strictness::Lenient).unwrap_err().to_string();
            assert!(error.starts_with("t.swf.gz: unreadable after line"), "{error}");
        }
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 0x55;
        assert!(matches!(read(&flipped[..], "t.swf.gz", Strictness::Lenient), Err(Error::Read { .. })));
        let trailing = [&whole[..], b"garbage"].concat();
        assert!(matches!(
            read(&trailing[..], "t.swf.gz", Strictness::Lenient),
            Err(Error::Read { line: 5000, .. })
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_jobs_headers_or_problems(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let _ = read(&bytes[..], "t.swf", Strictness::Lenient);
            let _ = read(&bytes[..], "t.swf.gz", Strictness::Lenient);
        }

        #[test]
        fn any_fields_are_a_job_or_one_problem(
            fields in proptest::collection::vec("[-+.0-9eENaninf]{1,12}", 15..21),
        ) {
            let trace = lenient(&fields.join(" "));
            prop_assert_eq!(trace.records.len() + trace.problems.len(), 1);
        }
    }
}
