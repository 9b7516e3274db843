//! Accounting tables, standard input, spans of time and values out of range at every verb.

use crate::common::accounting;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn papers(args: &[&str], folder: &Path, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill-papers"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.txt"), accounting()).unwrap();
    folder
}

#[test]
fn every_verb_reads_tables_and_standard_input() {
    let folder = folder();
    let verbs: [&[&str]; 5] = [
        &["characterize", "-", "--states", "2", "--stop", "rounds=2"],
        &["fit", "-", "--states", "2", "--stop", "rounds=2"],
        &["locality", "-", "--exact", "--no-ageing", "--ts", "1h", "--tr", "2", "--by", "time"],
        &["wait-bounds", "-", "--min-jobs", "10"],
        &["similar", "-", "h.txt"],
    ];
    for verb in verbs {
        let output = papers(verb, folder.path(), accounting().as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{verb:?}: {said}");
        assert!(!output.stdout.is_empty());
        for byte in [0x1b, 0x07] {
            assert!(!output.stdout.contains(&byte) && !output.stderr.contains(&byte), "{verb:?}");
        }
        assert_eq!(said.matches("standard input:62: ").count(), 1, "{verb:?}: {said}");
    }
    let twice = papers(&["similar", "-", "-"], folder.path(), accounting().as_bytes());
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains("standard input (-) can be read once only"));
}

#[test]
fn every_verb_takes_the_same_spans() {
    let folder = folder();
    // Each verb with an option of a span, and what it needs beside.
    let options: [(&[&str], &str); 3] = [
        (&["locality", "h.txt", "--exact", "--no-ageing", "--tr", "2", "--by", "time"], "--ts"),
        (&["characterize", "h.txt", "--states", "2", "--stop", "rounds=1"], "--slot"),
        (&["fit", "h.txt", "--states", "2", "--stop", "rounds=1"], "--slot"),
    ];
    for (verb, option) in options {
        for span in ["40m", "15min", "1.5h", "2d", "900", "1:30:00", "1-02:00:00"] {
            let output = papers(&[verb, &[option, span]].concat(), folder.path(), b"");
            assert_eq!(output.status.code(), Some(0), "{verb:?} {option} {span}: {}", text(&output.stderr));
        }
        let output = papers(&[verb, &[option, "x"]].concat(), folder.path(), b"");
        assert_eq!(output.status.code(), Some(2), "{verb:?} {option}");
        assert!(text(&output.stderr).contains("accepted are 90 or 90s, 15min"), "{}", text(&output.stderr));
    }
    let slots = papers(&["gain", "--slots", "1.5h,x", "h.txt"], folder.path(), b"");
    assert!(text(&slots.stderr).contains("accepted are 90 or 90s"), "{}", text(&slots.stderr));
    let quantile = papers(&["wait-bounds", "h.txt", "--quantile", "-0.5"], folder.path(), b"");
    assert_eq!(quantile.status.code(), Some(2));
    assert!(text(&quantile.stderr).contains("not a number above 0 and below 1"));
}
