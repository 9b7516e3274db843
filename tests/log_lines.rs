//! The operators' pages and the sources of the schedulers for Slurm and Flux name the same messages: every fixed text
//! that may reach a log stands on the page, in one row or one item of it, with anything instead of its conversions.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn c_sources(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "c" || end == "h"));
    found.sort();
    found
}

/// The strings of a C source, neighbours joined as the compiler joins them; comments and preprocessor lines left out.
fn strings(source: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut joins = false;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if ["//", "#include", "#error"].iter().any(|start| rest.starts_with(start)) {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("'\"'") {
            3
        } else if c == '"' {
            let mut text = String::new();
            let mut length = 1;
            let mut inside = rest[1..].chars();
            while let Some(c) = inside.next().filter(|&c| c != '"') {
                length += c.len_utf8();
                if c == '\\' {
                    length += inside.next().map_or(0, char::len_utf8); // an escape parts words
                    text.push(' ');
                } else {
                    text.push(c);
                }
            }
            match found.last_mut().filter(|_| joins) {
                Some(last) => last.push_str(&text),
                None => found.push(text),
            }
            joins = true;
            length + 1
        } else {
            joins = joins && c.is_whitespace();
            c.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// Texts between the conversions of a format, as far as they have letters, without the prefix of all lines.
fn pieces(format: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut chars = format.strip_prefix("surefill: ").unwrap_or(format).chars().peekable();
    while let Some(c) = chars.next() {
        if c == '%' && chars.next_if_eq(&'%').is_none() {
            while chars.next().is_some_and(|c| !"diuldgfsxc".contains(c) || c == 'l') {}
            pieces.push(String::new());
        } else {
            pieces.last_mut().unwrap().push(c);
        }
    }
    let plain = |piece: &String| piece.split_whitespace().collect::<Vec<_>>().join(" ");
    pieces.iter().map(plain).filter(|piece| piece.contains(char::is_alphabetic)).collect()
}

/// Whether a string is a message: it has two words one after the other, or follows the prefix of all lines.
fn is_message(text: &str) -> bool {
    let is_word = |word: &str| {
        (word.len() > 1 || word == "a") && word.chars().all(|c| c.is_alphabetic() || "',:;()=".contains(c))
    };
    let plain = pieces(text).join(" ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    text.starts_with("surefill: ") || words.windows(2).any(|pair| is_word(pair[0]) && is_word(pair[1]))
}

/// The rows, items and paragraphs of a page, each on one line.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in page.lines() {
        if line.trim().is_empty() || line.starts_with(['|', '*', '#']) {
            blocks.push(String::new());
        }
        let block = blocks.last_mut().unwrap();
        for word in line.split_whitespace() {
            block.push_str(word);
            block.push(' ');
        }
    }
    blocks
}

/// Whether a block has all these pieces, one after the other.
fn has(block: &str, pieces: &[String]) -> bool {
    let mut rest = block;
    pieces.iter().all(|piece| match rest.split_once(piece.as_str()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// The messages of a source that no block has.
fn missing(source: &str, blocks: &[String]) -> Vec<String> {
    let named = |text: &String| {
        let pieces = pieces(text);
        blocks.iter().any(|block| has(block, &pieces))
    };
    strings(source).into_iter().filter(|text| is_message(text) && !named(text)).collect()
}

/// Asserts that the page has every message of these folders, and would not have another one.
fn page_names_all(page: &str, folders: &[&str], least: usize) {
    let blocks = blocks(&fs::read_to_string(root().join(page)).unwrap());
    let mut looked = 0;
    let mut lost = Vec::new();
    for path in folders.iter().flat_map(|folder| c_sources(folder)) {
        let source = fs::read_to_string(&path).unwrap();
        looked += strings(&source).iter().filter(|text| is_message(text)).count();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        lost.extend(missing(&source, &blocks).into_iter().map(|text| format!("{name}: {text}")));
    }
    assert!(lost.is_empty(), "{page} does not name these messages: {lost:#?}");
    assert!(looked >= least, "{looked} messages in {folders:?}");
    let added = "    debug(\"surefill: JobId=%u has \"\n          \"gone astray on node %s\", id, name);";
    assert_eq!(missing(added, &blocks), ["surefill: JobId=%u has gone astray on node %s"], "{page}");
}

/// The words that the plugin takes out of SchedulerParameters itself are those that `surefill advise` leaves out of the
/// engine's.
#[test]
fn the_command_knows_the_plugins_own_words() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let mut own = Vec::new();
    for source in ["c-examples/engine/engine.c", "c-examples/slurm/words.c"] {
        let source = read(source);
        let compared =
            ["strncmp(name, \"", "strncmp(word, \""].iter().flat_map(|call| source.split(call).skip(1));
        for word in compared.filter_map(|rest| rest.split('"').next()?.strip_suffix('=')) {
            own.push(word.strip_prefix("surefill_").unwrap_or(word).to_owned());
        }
    }
    // The plugin looks at these words of the engine's, too: a point's worth comes from the configuration.
    own.retain(|word| !["order", "seconds"].contains(&word.as_str()));
    own.sort();
    own.dedup();
    let rule = read("simulator/src/live/advise/rule.rs");
    let list = rule.split("const OF_PLUGIN").nth(1).and_then(|rest| rest.split(';').nth(1)).unwrap();
    let mut known: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    known.sort_unstable();
    assert_eq!(known, own);
}

#[test]
fn the_operators_page_names_every_message_of_the_plugin() {
    page_names_all("c-examples/slurm/OPERATING.md", &["c-examples/slurm", "c-examples/engine"], 90);
}

#[test]
fn the_page_of_the_external_programs_names_every_message_of_theirs() {
    page_names_all("c-examples/slurm-external/README.md", &["c-examples/slurm-external"], 30);
}

#[test]
fn the_page_of_the_schedulers_for_flux_names_every_message_of_the_one_in_c() {
    page_names_all("c-examples/flux/README.md", &["c-examples/flux"], 30);
}

#[test]
fn strings_of_c_are_joined_and_parted() {
    let source =
        "/* \"no\" */ #include \"n.h\"\n f(\"a %5.1f b\"  \n \"c\\n\", 'x', '\"', \"%s d e\"); // \"no\"\n";
    assert_eq!(strings(source), ["a %5.1f bc ", "%s d e"]);
    assert_eq!(pieces("a %5.1f bc %s: %ld s, 5 %% of it"), ["a", "bc", "s, 5 % of it"]);
    assert!(is_message("the nodes differ") && is_message("surefill: %s") && !is_message("bf_busy_nodes"));
    let page = blocks("| one X two | three |\n* four\n  five\n\nsix");
    assert!(has(&page[1], &["one".into(), "two".into()]) && !has(&page[1], &["two".into(), "one".into()]));
    assert!(page.iter().any(|block| has(block, &["four five".into()])));
}
