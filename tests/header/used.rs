//! Every function of the headers is called by a program in c-examples, in C or Fortran. What no program calls leaves C
//! and stays in Rust.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Words that stand in front of an opening parenthesis and begin with `surefill_`.
fn called(text: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let ends = text.match_indices('(').map(|(at, _)| text[..at].trim_end());
    let names = ends.map(|before| before.rsplit(|c| !word(c)).next().unwrap_or_default());
    names.filter(|name| name.starts_with("surefill_")).map(str::to_owned).collect()
}

/// A C text's code, comments left out.
fn code(text: &str) -> String {
    let pieces = text.split("/*").enumerate();
    pieces
        .map(|(i, piece)| if i == 0 { piece } else { piece.split_once("*/").map_or("", |it| it.1) })
        .collect()
}

fn programs(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if path.is_dir() {
            programs(&path, found);
        } else if ["c", "h"].contains(&ending) {
            *found += &code(&fs::read_to_string(&path).unwrap());
        } else if ending == "f90" {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().map(|line| line.split('!').next().unwrap_or_default());
            *found += &lines.collect::<Vec<_>>().join("\n");
        }
    }
}

#[test]
fn every_function_is_called_by_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let headers: Vec<String> = ["surefill.h", "surefill_parts.h"]
        .map(|name| fs::read_to_string(root.join("include").join(name)).unwrap())
        .to_vec();
    let declared: BTreeSet<String> = headers.iter().flat_map(|text| called(&code(text))).collect();
    assert!(declared.len() > 150, "{} functions", declared.len());
    let mut text = String::new();
    programs(&root.join("c-examples"), &mut text);
    let used = called(&text);
    let unused: Vec<&String> = declared.difference(&used).collect();
    assert!(unused.is_empty(), "no program calls {unused:?}");
    let names = called("if (surefill_pass_begin (pass)) surefill_none(1); /* surefill */");
    assert!(names.iter().eq(["surefill_none", "surefill_pass_begin"]));
}
