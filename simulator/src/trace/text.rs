//! Text of a trace that may be shown: nothing in it can steer a terminal.

use std::borrow::Cow;

/// The text with everything that is not shown as itself written as an escape: control characters (a terminal obeys some
/// of them), and the invisible ones that change the direction of what follows or hide in names.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if hidden(character) { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    Cow::Owned(shown)
}

/// Lines of bytes as text that may be shown; the line breaks stay.
pub fn printable_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\r', '\n']);
        shown.push_str(&printable(end));
        shown.push_str(line.get(end.len()..).unwrap_or(""));
    }
    shown
}

/// The bytes as text that may be shown, at most `characters` characters of it.
pub fn excerpt(bytes: &[u8], characters: usize) -> String {
    // A character has at most four bytes.
    let bytes = bytes.get(..characters.saturating_mul(4)).unwrap_or(bytes);
    let text: String = String::from_utf8_lossy(bytes).chars().take(characters).collect();
    printable(&text).into_owned()
}

fn hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(printable("alice Müller 東京"), "alice Müller 東京");
        assert_eq!(printable("\x1b[2Jx\r\n\t\u{9b}31m"), r"\u{1b}[2Jx\r\n\t\u{9b}31m");
        assert_eq!(printable("a\u{202e}b\u{200b}"), r"a\u{202e}b\u{200b}");
        assert_eq!(printable_lines(b"a\x1bb\r\n\nc"), "a\\u{1b}b\r\n\nc");
        assert_eq!(excerpt(b"\xff\x07abc", 3), "\u{fffd}\\u{7}a");
    }
}
