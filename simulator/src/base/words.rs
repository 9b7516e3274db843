//! Numbers of things in sentences.

/// `1 job`, `2 jobs`: with an s where there are several.
pub fn several(count: u64, one: &str) -> String {
    counted(count, one, &format!("{one}s"))
}

/// A number and the word for it.
pub fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|count| several(count, "job")), ["0 jobs", "1 job", "2 jobs"]);
        assert_eq!(counted(1, "query", "queries"), "1 query");
    }
}
