//! Policies as options of every verb that takes one.

use super::command_line::surefill;
use super::common::crowded;
use std::process::Output;

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit status")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A policy is written alike for every verb that takes one, and read by one parser: verbs that replay take all, those
/// that ask the scheduler engine what it has.
#[test]
fn every_verb_takes_policies_written_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("t.swf"), crowded()).unwrap();
    const FIELD: &str = "|0123456789abcdef|";
    let fields = "7 ann a PENDING 1 4 10:00 0:00 1795359426 1 Priority n N/A N/A (null)  N/A (null) (null) x";
    let job: String = fields.split(' ').map(|field| format!("{FIELD}{field}")).collect();
    let past = ["ann", "a", "COMPLETED", "1795350000", "1795350000", "1795350600", "10", "1", "4", "x"];
    for (name, text) in [("q", job), ("n", "n1|a|idle|4".to_owned()), ("h", past.join(FIELD))] {
        std::fs::write(path.join(name), text + "\n").unwrap();
    }
    let replay: [&[&str]; 4] = [
        &["simulate", "t.swf"],
        &["explain", "t.swf", "--job", "9"],
        &["compare", "t.swf"],
        &["what-if", "t.swf", "--seeds", "1", "--instead-of", "fcfs"],
    ];
    let queue = ["advise", "--squeue", "q", "--sinfo", "n", "--now", "1795359426", "--history", "h"];
    // Without Slurm a watcher ends with status 1, once it has read its options.
    let engine: [(&[&str], i32); 3] = [
        (&["start-times", "t.swf"], 0),
        (&queue, 0),
        (&["watch", "journal", "--every", "1", "--for", "1", "--days", "0"], 1),
    ];
    let run = |args: &[&str], policy: &str| surefill(&[args, &["--policy", policy]].concat(), path);
    for (args, status) in replay.map(|args| (args, 0)).into_iter().chain(engine) {
        let output = run(args, "fair");
        assert_eq!(code(&output), status, "{args:?}: {}", stderr(&output));
        let refused = run(args, "nonsense");
        assert_eq!(code(&refused), 2, "{args:?}");
        assert!(
            stderr(&refused).contains("no policy is named 'nonsense' (there are "),
            "{}",
            stderr(&refused)
        );
        let (output, replays) = (run(args, "easy:mean2:sjbf"), replay.contains(&args));
        assert_eq!(code(&output), if replays { 0 } else { 2 }, "{args:?}: {}", stderr(&output));
        assert!(
            replays || stderr(&output).contains("the scheduler engine has "),
            "{args:?}: {}",
            stderr(&output)
        );
    }
    // By either name the same.
    let said = |args: &[&str]| String::from_utf8_lossy(&surefill(args, path).stdout).into_owned();
    let what_if = ["what-if", "t.swf", "--seeds", "1", "-b"];
    assert_eq!(
        said(&[&what_if[..], &["--policy", "fast"]].concat()),
        said(&[&what_if[..], &["--with", "fast"]].concat())
    );
    let asked = said(&[&queue[..], &["--policy", "fast"]].concat());
    assert!(asked.contains("The queue played forward by surefill, preset=fast"), "{asked}");
    assert_eq!(asked, said(&[&queue[..], &["--settings", "preset=fast"]].concat()));
    for args in [["what-if", "--help"], ["compare", "--help"], ["watch", "--help"]] {
        assert!(said(&args).contains("[alias: --policy]"), "{args:?}");
    }
}
