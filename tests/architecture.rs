//! The picture of the layers in ARCHITECTURE.md is drawn from the code, and no room uses one above it.
//! `SUREFILL_BLESS=1 cargo test --test architecture` draws it anew.
//!
//! A room is a module of the core (`src/ROOM`) or a wing of the simulator (`simulator/src/WING`) or of the papers'
//! studies (`papers/src/WING`); it uses another when a path `crate::OTHER` (or `surefill::OTHER`) stands in its code,
//! tests left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use surefill::plan::PlanRule;

/// The core's rooms from the bottom up, in the order of `src/lib.rs`.
const ROOMS: [&str; 18] = [
    "error", "memory", "heap", "math", "seal", "hash", "runtime", "hmm", "predict", "backfill", "wait",
    "allocate", "schedule", "plan", "forecast", "nodes", "engine", "capi",
];
/// The simulator's wings from the bottom up, in the order of `simulator/src/lib.rs`.
const WINGS: [&str; 7] = ["base", "trace", "generate", "replay", "live", "report", "cli"];
/// The wings of the papers' studies from the bottom up, in the order of `papers/src/lib.rs`.
const PAPERS: [&str; 4] = ["generate", "studies", "report", "cli"];
/// The packages from the bottom up: a title, the sources, the rooms.
const PACKAGES: [(&str, &str, &[&str]); 3] = [
    ("core, no_std", "src", &ROOMS),
    ("simulator", "simulator/src", &WINGS),
    ("papers", "papers/src", &PAPERS),
];

type Uses = BTreeMap<String, BTreeSet<String>>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        found.push(path.to_owned());
        return;
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() || entry.extension().is_some_and(|extension| extension == "rs") {
            sources(&entry, found);
        }
    }
}

/// The code of a file: without comments, and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The names that follow `prefix::` in a text.
fn named(text: &str, prefix: &str) -> BTreeSet<String> {
    let pattern = format!("{prefix}::");
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(&pattern) {
        if text[..at].chars().next_back().is_some_and(|c| word(c) || c == ':') {
            continue;
        }
        found.insert(text[at + pattern.len()..].chars().take_while(|&c| word(c)).collect());
    }
    found
}

/// The other rooms of a crate that each room uses.
fn uses(folder: &str, rooms: &[&str]) -> Uses {
    let source = root().join(folder);
    let mut uses = Uses::new();
    for &room in rooms {
        let inside = source.join(room);
        let file = source.join(format!("{room}.rs"));
        let mut files = Vec::new();
        for path in [inside, file] {
            if path.exists() {
                sources(&path, &mut files);
            }
        }
        assert!(!files.is_empty(), "{folder}/{room} is not there");
        let used = uses.entry(room.to_owned()).or_default();
        for file in files {
            let names = named(&code(&file), "crate");
            used.extend(names.into_iter().filter(|name| name != room && rooms.contains(&name.as_str())));
        }
    }
    uses
}

/// Asserts that every room of the folder is in the list.
fn complete(folder: &str, rooms: &[&str]) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(
            ["lib", "main"].contains(&name.as_str()) || rooms.contains(&name.as_str()),
            "{folder}/{name} is in no list of layers: tests/architecture.rs, lib.rs and ARCHITECTURE.md name them"
        );
    }
}

fn downwards(uses: &Uses, rooms: &[&str]) {
    let place = |name: &str| rooms.iter().position(|room| *room == name).unwrap();
    for (room, used) in uses {
        for other in used {
            assert!(place(other) < place(room), "{room} uses {other}, which is above it");
        }
    }
}

#[test]
fn no_room_uses_one_above_it() {
    for (_, folder, rooms) in PACKAGES {
        complete(folder, rooms);
        downwards(&uses(folder, rooms), rooms);
    }
}

/// The other files of a folder that each file uses; a folder inside it counts as one file. `module` is the folder's
/// path from the crate's root.
fn inside(folder: &Path, module: &str) -> Uses {
    let mut uses = Uses::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let part = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if part == "mod" {
            continue;
        }
        let mut files = Vec::new();
        sources(&path, &mut files);
        for file in files {
            let code = code(&file);
            // `super` leads from a file to its folder, and from `mod.rs` to the folder of that.
            let depth = file.strip_prefix(folder).unwrap().components().count()
                - usize::from(file.file_name().is_some_and(|name| name == "mod.rs"));
            let mut names = named(&code, &format!("crate::{module}"));
            names.extend(named(&code, &vec!["super"; depth].join("::")));
            names.remove(&part);
            uses.entry(part.clone()).or_default().extend(names);
        }
    }
    let parts: BTreeSet<String> = uses.keys().cloned().collect();
    uses.values_mut().for_each(|used| used.retain(|name| parts.contains(name)));
    uses
}

/// A file that leads back to itself.
fn circle(uses: &Uses) -> Option<String> {
    let mut left: BTreeSet<&String> = uses.keys().collect();
    while let Some(lowest) =
        left.iter().copied().find(|part| uses[*part].iter().all(|used| !left.contains(used)))
    {
        left.remove(lowest);
    }
    left.first().map(|part| (*part).clone())
}

#[test]
fn files_of_a_room_do_not_use_each_other_in_a_circle() {
    fn look(folder: &Path, module: &str, looked: &mut usize) {
        let uses = inside(folder, module);
        assert_eq!(circle(&uses), None, "{module}: {uses:?}");
        *looked += uses.values().map(BTreeSet::len).sum::<usize>();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, &format!("{module}::{}", path.file_name().unwrap().to_str().unwrap()), looked);
            }
        }
    }
    for (_, source, rooms) in PACKAGES {
        let mut looked = 0;
        for room in rooms {
            let folder = root().join(source).join(room);
            if folder.is_dir() {
                look(&folder, room, &mut looked);
            }
        }
        assert!(looked > 50, "{source}: {looked} uses found");
    }
    let uses = |from: &str, to: &str| (from.to_owned(), BTreeSet::from([to.to_owned()]));
    assert!(circle(&Uses::from([uses("a", "b"), uses("b", "c"), uses("c", "b")])).is_some());
}

/// The arrows that do not follow from others.
fn reduced(uses: &Uses) -> Uses {
    fn reaches(uses: &Uses, from: &str, to: &str) -> bool {
        uses[from].iter().any(|next| next == to || reaches(uses, next, to))
    }
    let direct = |room: &String, used: &BTreeSet<String>| {
        let kept =
            used.iter().filter(|&other| !used.iter().any(|via| via != other && reaches(uses, via, other)));
        (room.clone(), kept.cloned().collect())
    };
    uses.iter().map(|(room, used)| direct(room, used)).collect()
}

/// The modules of the core that a wing uses.
fn of_the_core(folder: &str, wing: &str) -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&root().join(folder).join(wing), &mut files);
    files
        .iter()
        .flat_map(|file| named(&code(file), "surefill"))
        .filter(|name| ROOMS.contains(&name.as_str()))
        .collect()
}

fn drawn() -> String {
    let mut picture = String::from("```mermaid\nflowchart TD\n");
    for (title, folder, rooms) in PACKAGES.into_iter().rev() {
        let uses = reduced(&uses(folder, rooms));
        // Two packages have rooms of one name.
        let prefix = if title == "papers" { "papers_" } else { "" };
        picture += &format!("  subgraph {} [\"{title}\"]\n", folder.replace('/', "_"));
        for room in rooms.iter().rev() {
            let label = if prefix.is_empty() { String::new() } else { format!("[{room}]") };
            picture += &format!("    {prefix}{room}{label}\n");
            for other in &uses[*room] {
                picture += &format!("    {prefix}{room} --> {prefix}{other}\n");
            }
        }
        picture += "  end\n";
    }
    picture += "  papers_src --> simulator_src --> src\n";
    picture += "```\n\nWhat the wings of the simulator and of the papers' studies use of the core, beside `error`:\n\n| wing | rooms |\n|---|---|\n";
    let above = PACKAGES.into_iter().skip(1).rev();
    for (folder, wing) in
        above.flat_map(|(_, folder, wings)| wings.iter().rev().map(move |wing| (folder, wing)))
    {
        let rooms: Vec<String> = of_the_core(folder, wing)
            .into_iter()
            .filter(|room| room != "error")
            .map(|room| format!("`{room}`"))
            .collect();
        picture += &format!(
            "| `{folder}/{wing}` | {} |\n",
            if rooms.is_empty() { "none".to_owned() } else { rooms.join(", ") }
        );
    }
    picture
}

#[test]
fn the_picture_in_architecture_is_that_of_the_code() {
    const BEGIN: &str = "<!-- drawn from the code: begin -->\n";
    const END: &str = "<!-- drawn from the code: end -->\n";
    let path = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the mark where the picture begins");
    let (_, after) = rest.split_once(END).expect("the mark where the picture ends");
    let made = format!("{before}{BEGIN}{}{END}{after}", drawn());
    if std::env::var_os("SUREFILL_BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(committed == made, "the picture is stale: SUREFILL_BLESS=1 cargo test --test architecture");
}

/// ARCHITECTURE.md's index leads to files that are there.
#[test]
fn every_file_named_in_the_index_is_there() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut checked = 0;
    for piece in text.split('`').skip(1).step_by(2) {
        let first = piece.split('/').next().unwrap_or_default();
        let folders = [
            "src",
            "simulator",
            "papers",
            "tests",
            "c-examples",
            "examples",
            "include",
            "scripts",
            "fuzz",
            "benches",
            "abi",
            "debian",
        ];
        if piece.contains('/') && folders.contains(&first) && !piece.contains(['*', ' ', '<', '{']) {
            assert!(root().join(piece).exists(), "{piece} is not there");
            checked += 1;
        }
    }
    assert!(checked >= 20, "the index names {checked} files");
}

#[test]
fn every_file_of_the_tests_above_the_core_is_part_of_their_program() {
    for folder in ["simulator/tests", "papers/tests"] {
        let main = fs::read_to_string(root().join(folder).join("main.rs")).unwrap();
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if path.extension().is_some_and(|end| end == "rs") && name != "main" {
                assert!(main.contains(&format!("mod {name};\n")), "{folder}/main.rs does not name {name}");
            }
        }
    }
}

/// Every source file that people write, in these languages; what is generated is left out.
fn written() -> Vec<(PathBuf, String)> {
    const ENDINGS: [&str; 8] = ["rs", "c", "h", "cpp", "f90", "sh", "py", "awk"];
    const FOLDERS: [&str; 14] = [
        "src",
        "python/src",
        "examples",
        "simulator/examples",
        "simulator/src",
        "simulator/tests",
        "papers/src",
        "papers/tests",
        "tests",
        "c-examples",
        "benches",
        "fuzz/fuzz_targets",
        "demo",
        "scripts",
    ];
    fn walk(path: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                walk(&entry, found);
            } else if entry.extension().is_some_and(|end| ENDINGS.iter().any(|ending| end == *ending))
                && !entry.to_string_lossy().contains("tests/fortran/layout.")
            {
                let text = fs::read_to_string(&entry).unwrap();
                found.push((entry, text));
            }
        }
    }
    let mut found = Vec::new();
    for folder in FOLDERS {
        walk(&root().join(folder), &mut found);
    }
    found
}

#[test]
fn no_source_file_is_long() {
    let files = written();
    assert!(files.len() > 400, "{}", files.len());
    let long: Vec<String> = files
        .iter()
        .filter(|(_, text)| text.lines().count() > 600)
        .map(|(path, text)| format!("{} has {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "more than 600 lines: {long:#?}");
}

/// Whether a line is one of a comment in Rust or C.
fn is_comment(path: &Path, line: &str) -> bool {
    let text = line.trim_start();
    let inner = path.extension().is_some_and(|end| end == "c" || end == "h") && text.starts_with("* ");
    inner || text.starts_with("//") || text.starts_with("/*")
}

/// The lines of comments that are wrong, with their files.
fn comments_that(wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let of = |(path, text): &(PathBuf, String)| -> Vec<String> {
        let lines = text.lines().filter(|line| is_comment(path, line) && wrong(line));
        lines.map(|line| format!("{}: {line}", path.display())).collect()
    };
    written().iter().flat_map(of).collect()
}

/// Lines of comments have at most 120 columns; rows of tables may be longer.
#[test]
fn comments_are_no_wider_than_a_page() {
    let row = |line: &str| line.trim_start().trim_start_matches(['/', '!', '*', ' ']).starts_with('|');
    let found = comments_that(|line| !row(line) && line.chars().count() > 120);
    assert!(found.is_empty(), "comments of more than 120 columns: {found:#?}");
}

/// Phrases in which a reader has to guess who or how many are meant.
const RIDDLES: [&str; 8] =
    ["so many", "came of", "come of", "comes of", "told of", "of none", "that is none", "that are none"];

/// The words of a text in small letters, between single blanks; an identifier is one word.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    format!(" {} ", words.map(str::to_lowercase).collect::<Vec<_>>().join(" "))
}

#[test]
fn comments_name_what_they_mean() {
    let riddle = |line: &str| RIDDLES.iter().any(|phrase| plain(line).contains(&format!(" {phrase} ")));
    assert!(riddle("/// What came of it.") && !riddle("/// The outcome of it."));
    let found = comments_that(riddle);
    assert!(found.is_empty(), "say who or how many: {found:#?}");
}

/// First words of a line that leave its subject to guess.
const OPENINGS: [&str; 9] = ["What", "Who", "Whose", "Whom", "Of", "How", "When how", "As", "As there"];
/// Words for which the field has others: predicted, reported, observed, learnt; and a job is no person.
const ELSEWHERE: [&str; 9] =
    ["told", "untold", "foretold", "foretells", "heard", "hears", "nobody", "somebody", "everybody"];
/// Parts of such words: believe, belief, believed.
const PART: &str = "belie";

/// The text of a comment's line in this language: Rust, C, or one whose comments begin with `#`. Of C also what
/// stands behind code.
fn comment<'a>(language: &str, line: &'a str) -> Option<&'a str> {
    let line = line.trim_start();
    match language {
        "rs" => line.strip_prefix("//").map(|text| text.trim_start_matches(['/', '!'])),
        "c" | "h" | "cpp" => line
            .strip_prefix("//")
            .or_else(|| line.strip_prefix("* "))
            .or_else(|| line.split_once("/*").map(|(_, text)| text.trim_start_matches('*'))),
        _ => line.strip_prefix('#').filter(|text| !text.starts_with('!')),
    }
    .map(str::trim_start)
}

/// Whether a comment's text leaves its subject to guess; `heading` is whether a heading stands right above it, under
/// which "As [`init`]." names errors.
fn is_guess(text: &str, heading: bool) -> bool {
    let opens = |word: &&str| {
        let rest = text.strip_prefix(*word).filter(|rest| !rest.starts_with(char::is_alphanumeric));
        rest.is_some() && !(heading && **word == *"As")
    };
    // Names of constants are words of another kind.
    let words = text.split_whitespace().filter(|word| word.contains(char::is_lowercase));
    let words = plain(&words.collect::<Vec<_>>().join(" "));
    OPENINGS.iter().any(opens)
        || words.contains(PART)
        || ELSEWHERE.iter().any(|word| words.contains(&format!(" {word} ")))
}

#[test]
fn comments_begin_with_their_subjects() {
    let [rust, c, shell] = ["rs", "c", "sh"]
        .map(|language| move |line: &str| comment(language, line).is_some_and(|text| is_guess(text, false)));
    assert!(rust("/// What is left.") && rust("    // Of these one.") && rust("/// As `init`."));
    assert!(!is_guess("As `init`.", true) && is_guess("Of `init`.", true));
    assert!(rust("//! The bounds told.") && rust("//! The bounds by `told`.") && rust("/// Two beliefs."));
    assert!(!rust("/// Errors: as c_told.") && !rust("/// However long it waits."));
    assert!(!rust("    let what = told;"));
    assert!(c("    int32_t told; /* told before */") && c(" * What is left") && !c("    int32_t told;"));
    assert!(shell("# As it was.") && !shell("#!/usr/bin/env told") && !shell("told=1"));
    let mut found = Vec::new();
    let mut looked = 0;
    for (path, text) in written() {
        let inside = path.strip_prefix(root()).unwrap();
        if inside.ends_with("architecture.rs") {
            continue;
        }
        looked += 1;
        let language = path.extension().unwrap().to_str().unwrap();
        let mut heading = false;
        for line in text.lines() {
            let text = comment(language, line);
            if text.is_some_and(|text| is_guess(text, heading)) {
                found.push(format!("{}: {line}", inside.display()));
            }
            heading = text.is_some_and(|text| text.starts_with("# "));
        }
    }
    assert!(looked > 700, "{looked}");
    assert!(found.is_empty(), "name the subject first, in the field's words: {found:#?}");
}

/// RESULTS.md reports presets as they are: whoever changes one has to measure its tables again, and say so there.
#[test]
fn reported_presets_are_those_of_the_code() {
    let results = fs::read_to_string(root().join("RESULTS.md")).unwrap();
    let results = results.split_whitespace().collect::<Vec<_>>().join(" ");
    let number = |value: f64| value.to_string().trim_start_matches('0').to_owned();
    for (name, rule) in [("fair", PlanRule::FAIR), ("fast", PlanRule::FAST)] {
        let PlanRule { short, steep, long, front, slack, .. } = rule;
        let [short, steep, long, front, slack] = [short, steep, long, front, slack].map(number);
        let said =
            format!("`{name}` is short {short}, steep {steep}, long {long}, front {front}, slack {slack}");
        assert!(results.contains(&said), "{said}");
    }
}
