//! The committed header is what cbindgen makes of `src/capi`. `SUREFILL_BLESS=1 cargo test --test header` rewrites it.

use std::path::Path;

#[test]
fn the_committed_header_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    // In the order in which a reader needs them.
    let objects =
        ["status", "bins", "distribution", "pass", "inbox", "hmm", "online", "predictor", "mixture"];
    let waits = ["wait", "wait/ask", "wait/bounds"];
    let allocation = ["allocate", "allocate/sizing", "allocate/correction", "allocate/choose"];
    for file in objects.into_iter().chain(waits).chain(allocation) {
        builder = builder.with_src(root.join(format!("src/capi/{file}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    // Rust's section on safety says what every C programmer knows of pointers; the header leaves it out.
    let mut kept = Vec::new();
    let mut skipping = false;
    for line in made.lines() {
        let comment = line.trim_start().strip_prefix("//");
        skipping = match comment {
            Some(text) if text.trim() == "# Safety" => true,
            Some(_) => skipping,
            None => false,
        };
        if skipping {
            continue;
        }
        if comment.is_none() {
            while kept.last().is_some_and(|last: &&str| last.trim() == "//") {
                kept.pop();
            }
        }
        kept.push(line);
    }
    let made = kept.join("\n") + "\n";
    let path = root.join("include/surefill.h");
    if std::env::var_os("SUREFILL_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "include/surefill.h is stale: SUREFILL_BLESS=1 cargo test --test header");
}
