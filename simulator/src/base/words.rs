//! Numbers of things in sentences.

/// `1 job`, `2 jobs`: with an s where there are several.
pub fn several(count: u64, one: &str) -> String {
    counted(count, one, &format!("{one}s"))
}

/// A number and the word for it.
pub fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// A remark as a sentence: with a capital, and a full stop.
pub fn sentence(remark: &str) -> String {
    let mut letters = remark.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if remark.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_become_sentences() {
        assert_eq!(["a job waits", "Ärger.", ""].map(sentence), ["A job waits.", "Ärger.", "."]);
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|count| several(count, "job")), ["0 jobs", "1 job", "2 jobs"]);
        assert_eq!(counted(1, "query", "queries"), "1 query");
    }
}
