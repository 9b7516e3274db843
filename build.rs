//! The fingerprint of the layouts of checkpoints: `SUREFILL_LAYOUT`, the version in the head of every block.
//!
//! It is made of the source text, without comments, spaces, visibility and tests, of what says where a block's bytes
//! lie: the structures of plain old data and the constants that are, or have, lengths of arrays, whatever file they are
//! in, and the lines that carve slices, file by file. Passes and forecasts are never sealed: what only they hold is left
//! out where a file or a room has nothing else, so that a change there does not make sites lose what their schedulers
//! have learnt. Left out as well are lines that end in a comment that what they carve, or the structure that they begin,
//! is scratch: of a block that is sealed only its length says that it was there. tests/c/checkpoints.c opens kept
//! checkpoints.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Rooms in which nothing is defined that is ever sealed.
const NEVER_SEALED: [&str; 2] = ["backfill", "capi"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !NEVER_SEALED.iter().any(|room| path.ends_with(room)) {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// A line's code without its spaces and visibility.
fn code(line: &str) -> String {
    let code: String = line.split("//").next().unwrap_or_default().split_whitespace().collect();
    code.replace("pub(super)", "").replace("pub(crate)", "").replace("pub", "")
}

/// The parts of a file that lay blocks out: each structure, and all lines that carve, as one.
fn layout(text: &str, parts: &mut Vec<Vec<String>>) {
    let mut inside = false;
    let mut derived = false;
    let mut carving = Vec::new();
    for line in text.lines() {
        let scratch = line.ends_with("// These are scratch.");
        let plain = line.starts_with("#[derive(") && line.contains("Pod") && !scratch;
        derived = plain || derived && line.starts_with("#[");
        inside |= derived;
        let code = code(line);
        if plain {
            parts.push(Vec::new());
        }
        if code.is_empty() || scratch {
            // Lays nothing out.
        } else if inside && !code.starts_with("#[") {
            parts.last_mut().unwrap().push(code);
        } else if code.contains("carve") {
            carving.push(code);
        }
        if !derived && (line.starts_with('}') || line.ends_with(");")) {
            inside = false;
        }
    }
    parts.push(carving);
}

/// The names that are lengths of arrays in these lines.
fn lengths(lines: &[String]) -> BTreeSet<String> {
    let after = lines.iter().flat_map(|line| line.split(';').skip(1));
    let names = after.filter_map(|rest| rest.split_once(']')).map(|(name, _)| name);
    let constant = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = names.flat_map(|name| name.split(|c| !constant(c)));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).map(str::to_owned).collect()
}

fn main() {
    println!("cargo:rerun-if-changed=src");
    let source = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("src");
    let mut paths = Vec::new();
    files(&source, &mut paths);
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
    };
    let texts: Vec<String> = paths.iter().map(read).collect();
    let mut parts = Vec::new();
    for text in texts.iter().filter(|text| !text.contains("type Head = Header;")) {
        layout(text, &mut parts);
    }
    parts.sort();
    let mut lines = parts.concat();
    // A constant may have the length of another; constants of one name stand in the order of their files.
    for _ in 0..3 {
        let lengths = lengths(&lines);
        let mut constants: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for line in texts.iter().flat_map(|text| text.lines()) {
            let Some((name, rest)) = line.split_once("const ").and_then(|(_, rest)| rest.split_once(": "))
            else {
                continue;
            };
            // Of an array the type counts, not the values.
            let counts =
                if rest.starts_with('[') { line.split(" = ").next().unwrap_or_default() } else { line };
            if lengths.contains(name) {
                constants.entry(name).or_default().push(code(counts));
            }
        }
        let found = constants.into_values().flatten().filter(|constant| !lines.contains(constant));
        let found: Vec<String> = found.collect();
        lines.extend(found);
    }
    // FNV-1a with 32 bits.
    let step = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let print = lines.iter().flat_map(|line| line.bytes().chain([b'\n'])).fold(0x811c_9dc5, step);
    println!("cargo:rustc-env=SUREFILL_LAYOUT={print}");
}
