//! The lines of a trace's text, one at a time, however long the text is.

use super::collect::Collector;
use super::record::{Error, Reason};
use super::source::Text;
use std::io::{self, BufRead};

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
