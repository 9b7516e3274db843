//! Histories of sites at the command line: `import`, every verb on an accounting table and on standard input, spans of
//! time.

use crate::common::accounting;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn surefill(args: &[&str], folder: &Path, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read.
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
fn import_writes_a_trace_and_says_what_it_left_out() {
    let folder = folder();
    let output =
        surefill(&["import", "-o", "t.swf.gz", "--procs", "8"], folder.path(), accounting().as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains(r"standard input:62: not a time: '\u{1b}[2Jx' (left out)"), "{said}");
    assert!(said.contains("standard input: 60 jobs of 5 users"), "{said}");
    let simulated = surefill(&["simulate", "t.swf.gz", "--json", "--strict"], folder.path(), b"");
    let json: Value = serde_json::from_slice(&simulated.stdout).unwrap();
    assert_eq!((&json["jobs"], &json["procs"]), (&60.into(), &8.into()));

    let output = surefill(&["import", "h.txt", "-o", "t.swf", "--json"], folder.path(), b"");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["wrong"]["not a time: "], 1);
    assert_eq!((&json["jobs"], &json["users"], &json["anonymised"]), (&60.into(), &5.into(), &false.into()));
    let trace = std::fs::read_to_string(folder.path().join("t.swf")).unwrap();
    assert!(trace.contains("; Queue: 1 batch\n") && trace.contains("; UnixStartTime: 1714557600\n"));
    assert!(!trace.contains("user0"));
    assert!(trace.contains("\n101 12000 40 97 2 -1 -1 -1 600 -1 1 2 2 1 1 1 -1 -1\n"), "{trace}");

    std::fs::write(folder.path().join("key"), "0123456789abcdef").unwrap();
    let hidden = surefill(&["import", "h.txt", "--key", "key"], folder.path(), b"");
    let hidden = text(&hidden.stdout);
    assert!(!hidden.contains("batch") && hidden.lines().filter(|line| !line.starts_with(';')).count() == 60);
    std::fs::write(folder.path().join("key"), "short").unwrap();
    let refused = surefill(&["import", "h.txt", "--key", "key"], folder.path(), b"");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("key: a key has at least 16 bytes"));
    let strict = surefill(&["import", "h.txt", "--strict"], folder.path(), b"");
    assert_eq!(strict.status.code(), Some(1));
    // JSON beside a trace on standard output would be neither.
    assert_eq!(surefill(&["import", "h.txt", "--json"], folder.path(), b"").status.code(), Some(2));
}

#[test]
fn every_verb_reads_tables_and_standard_input() {
    let folder = folder();
    let verbs: [&[&str]; 6] = [
        &["simulate", "-"],
        &["compare", "-", "--policies", "fcfs,easy"],
        &["explain", "-", "--job", "106"],
        &["predict-wait", "-"],
        &["generate", "--model", "feedback", "--like", "-", "-n", "10"],
        &["import", "-"],
    ];
    for verb in verbs {
        let output = surefill(verb, folder.path(), accounting().as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{verb:?}: {said}");
        assert!(!output.stdout.is_empty());
        for byte in [0x1b, 0x07] {
            assert!(!output.stdout.contains(&byte) && !output.stderr.contains(&byte), "{verb:?}");
        }
        assert_eq!(said.matches("standard input:62: ").count(), 1, "{verb:?}: {said}");
    }
    let twice = surefill(&["compare", "-", "-"], folder.path(), accounting().as_bytes());
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains("standard input (-) can be read once only"));
    let named = surefill(&["simulate", "h.txt", "--format", "swf"], folder.path(), b"");
    assert_eq!(named.status.code(), Some(1));
}

#[test]
fn one_reason_is_said_once() {
    let folder = folder();
    let mut lines = String::from("; MaxProcs: 4\n");
    for i in 0..50 {
        lines += &format!("{i} {} 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n1 2 {i}\n", 1000 - i);
    }
    std::fs::write(folder.path().join("t.swf"), lines).unwrap();
    let output = surefill(&["simulate", "t.swf", "--json", "--partial"], folder.path(), b"");
    let said = text(&output.stderr);
    assert_eq!(
        said,
        "warning: t.swf: 50 lines left out for one reason, first line 3: 3 fields instead of 18\n"
    );
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["replay"]["wrong_lines"], &json["replay"]["out_of_order"]), (&50.into(), &49.into()));
}

#[test]
fn every_verb_takes_the_same_spans() {
    let folder = folder();
    // Each verb with an option of a span, and what it needs beside.
    let options: [(&[&str], &str); 5] = [
        (&["predict-wait", "h.txt"], "--requested"),
        (&["predict-wait", "h.txt"], "--waited"),
        (&["predict-wait", "h.txt"], "--within"),
        (&["advise", "--print-commands"], "--within"),
        (&["advise", "--print-commands", "--user", "a"], "--limit"),
    ];
    for (verb, option) in options {
        for span in ["40m", "15min", "1.5h", "2d", "900", "1:30:00", "1-02:00:00"] {
            let output = surefill(&[verb, &[option, span]].concat(), folder.path(), b"");
            assert_eq!(output.status.code(), Some(0), "{verb:?} {option} {span}: {}", text(&output.stderr));
        }
        for (span, why) in [
            ("x", "accepted are 90 or 90s, 15min"),
            ("-5m", "not negative"),
            ("-5", "not negative"),
            ("1:30", "write 1:30:00"),
        ] {
            let output = surefill(&[verb, &[option, span]].concat(), folder.path(), b"");
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{verb:?} {option} {span}");
            assert!(said.contains(why) && said.contains(option), "{said}");
        }
    }
}

#[test]
fn values_out_of_range_are_refused_with_a_sentence() {
    let folder = folder();
    for (args, why) in [
        (&["simulate", "h.txt", "--policy", "prob", "--tau", "-1"][..], "not a number of 0 or above"),
        (&["simulate", "h.txt", "--procs", "-4"], "'-4'"),
        (&["predict-wait", "h.txt", "--quantile", "-0.5"], "not a number above 0 and below 1"),
        (
            &["simulate", "h.txt", "--policy", "prob", "--criterion", "probability", "--tau", "2"],
            "--tau 2: a probability is at most 1",
        ),
        (
            &["compare", "h.txt", "--policies", "prob:user:fcfs:exact=1.5"],
            "--tau 1.5: a probability is at most 1",
        ),
    ] {
        let output = surefill(args, folder.path(), b"");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(said.contains(why) && !said.contains("unexpected argument"), "{said}");
    }
}

#[test]
fn a_page_is_whole_or_as_it_was() {
    let folder = folder();
    std::fs::write(folder.path().join("page.html"), "old").unwrap();
    let failed = surefill(&["compare", "none.swf", "--html", "page.html"], folder.path(), b"");
    assert_eq!(failed.status.code(), Some(1));
    assert_eq!(std::fs::read(folder.path().join("page.html")).unwrap(), b"old");
    let failed = surefill(&["compare", "none.swf", "--html", "new.html"], folder.path(), b"");
    assert_eq!(failed.status.code(), Some(1));
    assert!(!folder.path().join("new.html").exists());
    let made =
        surefill(&["compare", "h.txt", "--policies", "fcfs", "--html", "page.html"], folder.path(), b"");
    assert_eq!(made.status.code(), Some(0));
    assert!(text(&std::fs::read(folder.path().join("page.html")).unwrap()).ends_with("</html>"));
}

#[test]
fn comparisons_come_as_csv_and_quietly() {
    let folder = folder();
    let args = ["compare", "h.txt", "h.txt", "--policies", "fcfs,easy", "--csv", "--quiet"];
    for (seeds, spread) in [("1", false), ("2", true)] {
        let output = surefill(&[&args[..], &["--seeds", seeds]].concat(), folder.path(), b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let mut reader = csv::Reader::from_reader(&output.stdout[..]);
        let titles = reader.headers().unwrap().clone();
        let column =
            |name: &str| titles.iter().position(|title| title == name).unwrap_or_else(|| panic!("{name}"));
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 4);
        assert_eq!((&rows[0][column("trace")], &rows[1][column("policy")]), ("h.txt", "easy"));
        assert_eq!(&rows[0][column("seeds")], seeds);
        assert_eq!(rows[0][column("spread_mean_wait_s")].is_empty(), !spread);
        let json = surefill(
            &["simulate", "h.txt", "--policy", "easy", "--json", "--seeds", seeds],
            folder.path(),
            b"",
        );
        let json: Value = serde_json::from_slice(&json.stdout).unwrap();
        let ours: f64 = rows[1][column("mean_wait_s")].parse().unwrap();
        assert_eq!(Some(ours), json["mean_wait_s"].as_f64());
    }
}

#[test]
fn the_papers_rows_are_there_where_they_are_asked_for_and_can_be_compared() {
    let folder = folder();
    std::fs::rename(folder.path().join("h.txt"), folder.path().join("CTC-SP2.txt")).unwrap();
    let said = |args: &[&str]| {
        let args = [&["compare", "CTC-SP2.txt", "--policies", "easy", "--markdown"], args].concat();
        text(&surefill(&args, folder.path(), b"").stdout)
    };
    let paper = "21.3";
    assert!(!said(&["--procs", "512"]).contains(paper));
    assert!(said(&["--procs", "512", "--table", "papers"]).contains(paper));
    assert!(!said(&["--procs", "338", "--table", "papers"]).contains(paper));
}
