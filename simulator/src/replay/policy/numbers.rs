//! Numbers by their words, as the command line writes them: `proposals=25+running=0.75`.

use super::name::BadChoice;
use std::fmt::Display;

/// Reads such a text; `set` takes each number by its word, or returns why it cannot.
///
/// # Errors
/// [`BadChoice::Rule`].
pub(super) fn read(
    text: &str,
    mut set: impl FnMut(&str, f64) -> Result<(), String>,
) -> Result<(), BadChoice> {
    let bad = |why: String| BadChoice::Rule { rule: text.to_owned(), why };
    for pair in text.split('+') {
        let (word, value) =
            pair.split_once('=').ok_or_else(|| bad(format!("'{pair}' is not of the form word=number")))?;
        let value = value.parse().map_err(|_| bad(format!("'{value}' is not a number")));
        // The error of an unknown word comes before that of its value.
        set(word, *value.as_ref().unwrap_or(&0.0)).map_err(bad)?;
        value?;
    }
    Ok(())
}

/// Writes these numbers so.
pub(super) fn written<W: Display>(numbers: impl IntoIterator<Item = (W, f64)>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|(word, value)| format!("{word}={value}")).collect();
    words.join("+")
}
