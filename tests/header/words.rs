//! The table of the settings' words in `surefill.h` against the engine: each word with its values and its default.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use surefill::engine::Settings;

/// The entries of the table: a word, its values, and the rest of the sentence before the colon.
fn table(header: &str) -> BTreeMap<String, (String, String)> {
    let begin = header.find(" * - preset=").unwrap();
    let (table, _) = header[begin..].split_once("*/").unwrap();
    let text = table.replace("\n *   ", " ").replace(" * -", "-");
    let entries = text.lines().filter_map(|line| line.trim().strip_prefix("- "));
    let parted = |entry: &str| {
        let (named, _) = entry.split_once(": ").unwrap();
        let (word, values) = named.split_once('=').unwrap();
        let (values, default) = values.split_once(',').unwrap_or((values, ""));
        let (values, default) = if values.contains(" to ") { (values, default) } else { (named, "") };
        (word.to_owned(), (values.to_owned(), default.to_owned()))
    };
    entries.map(parted).collect()
}

fn accepts(word: &str, value: &str) -> bool {
    Settings::default().changed(&format!("{word}={value}"), "").is_ok()
}

/// The value of a word in the settings that a text makes.
fn value(text: &str, word: &str) -> String {
    let words = Settings::default().changed(text, "").unwrap().to_string();
    let found = words.split(' ').find_map(|known| known.strip_prefix(word)?.strip_prefix('='));
    found.unwrap().to_owned()
}

#[test]
fn the_table_of_words_is_the_engines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = table(&fs::read_to_string(root.join("include/surefill.h")).unwrap());
    let words = Settings::default().to_string();
    let known: Vec<&str> =
        words.split(' ').filter_map(|word| word.split_once('=')).map(|word| word.0).collect();
    assert_eq!(known.len(), table.len(), "{:?}", table.keys());
    for word in known {
        let (values, default) = table.get(word).unwrap_or_else(|| panic!("{word} is not in the table"));
        let Some((least, most)) = values.split_once(" to ") else {
            let named = values.strip_prefix(word).unwrap().trim_start_matches('=');
            for value in named.replace(" or ", ", ").split(", ") {
                assert!(accepts(word, value.trim_end_matches(" (default)")), "{word}={value}");
            }
            assert!(values.contains(&format!("={} (default)", value("", word))), "{word}");
            continue;
        };
        let open = least.strip_prefix("above ");
        assert!(open.map_or(accepts(word, least), |least| !accepts(word, least)), "{word}={least}");
        assert!(accepts(word, most), "{word}={most}");
        let beyond = most.parse::<f64>().unwrap() + 1.0;
        assert!(!accepts(word, &beyond.to_string()), "{word}={beyond}");
        let mut defaults = default.split(", ").map(str::trim);
        let own = defaults.next().unwrap().strip_suffix(" by default").unwrap();
        assert_eq!(own, value("", word), "{word}");
        let fast = defaults.next().map_or(own, |fast| fast.strip_suffix(" with fast").unwrap());
        assert_eq!(fast, value("preset=fast", word), "{word} with preset=fast");
    }
}
