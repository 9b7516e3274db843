//! The room that the output has: columns of a terminal, and text broken to fit them.

use comfy_table::Table;
use std::borrow::Cow;

/// The widest that prose is written where there is more room.
pub const WIDEST: usize = 120;

/// Columns of text that there is room for: the terminal's, else what `COLUMNS` says; none where the output is neither.
pub fn room() -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|&columns| columns > 0);
    Table::new().width().map(usize::from).or_else(columns)
}

/// Sentences broken anew where they are wider than the [`room`].
pub fn prose(text: &str) -> Cow<'_, str> {
    within(text, room())
}

pub(super) fn within(text: &str, room: Option<usize>) -> Cow<'_, str> {
    let Some(width) = room.map(|room| room.min(WIDEST)) else { return Cow::Borrowed(text) };
    // Tables have their own width.
    let table = |line: &str| line.starts_with(['│', '┌', '├', '╞', '└', '|']);
    let one = |line: &str| if table(line) { line.to_owned() } else { broken(line, hanging(line), width) };
    let lines: Vec<String> = text.split('\n').map(one).collect();
    Cow::Owned(lines.join("\n"))
}

/// The text with its paragraphs and lists broken anew to this width. A list's line begins with "  * ", or with a term
/// that two spaces or more part from what is said of it; its further lines are indented and stay below its text. A line
/// that is indented by four otherwise is a command, or what belongs to one, and stays as it is.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut all: Vec<(String, usize)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let (plain, indent) = (!line.starts_with(' '), hanging(line));
        let further = line.starts_with("    ") && all.last().is_some_and(|(_, indent)| *indent > 0);
        match all.last_mut() {
            Some((last, _)) if open && indent == 0 && !line.is_empty() && (further || plain) => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            _ => all.push((line.to_owned(), indent)),
        }
        open = !line.is_empty() && (indent > 0 || further || plain);
    }
    let broken: Vec<String> =
        all.iter().map(|(paragraph, indent)| broken(paragraph, *indent, width)).collect();
    broken.join("\n")
}

/// Where the text of a list's line begins; 0 of other lines.
fn hanging(line: &str) -> usize {
    let bullet = if line.starts_with("  * ") { 4 } else { 0 };
    if bullet == 0 && line.starts_with(' ') {
        return 0;
    }
    let rest = line.get(bullet..).unwrap_or("");
    match rest.find("  ") {
        Some(gap) => line.len() - rest.get(gap..).unwrap_or("").trim_start().len(),
        None => bullet,
    }
}

/// One paragraph in lines of this width, all but the first so far to the right.
fn broken(paragraph: &str, indent: usize, width: usize) -> String {
    if paragraph.starts_with("    ") {
        return paragraph.to_owned();
    }
    let head = paragraph.get(..indent).unwrap_or("");
    let (mut text, mut column) = (head.to_owned(), head.chars().count());
    for (index, word) in paragraph.get(indent..).unwrap_or("").split_whitespace().enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > width {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_lists_are_broken_anew_and_commands_are_not() {
        let text = "One two three\nfour five:\n  * six    seven eight nine\n           ten\n  * eleven twelve\n    thirteen\n\nterm  what is\n      said\n\nHere:\n\n    surefill do this and that   and more\n";
        let expected = "One two three four\nfive:\n  * six    seven\n           eight\n           nine\n           ten\n  * eleven twelve\n    thirteen\n\nterm  what is said\n\nHere:\n\n    surefill do this and that   and more";
        assert_eq!(wrapped(text, 18), expected);
    }

    #[test]
    fn prose_keeps_its_own_lines() {
        let text = "One two three four\n  * five six seven eight\nnine";
        assert_eq!(within(text, Some(12)), "One two\nthree four\n  * five six\n    seven\n    eight\nnine");
        assert_eq!(within(text, None), text);
    }
}
