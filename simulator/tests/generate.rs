//! Generated workloads: readable, reproducible, within their limits, whatever trace they are learnt from.

use crate::common::models::{any_trace, check_seeds, check_whole, huge_values, models, sample, trace, write};
use proptest::prelude::*;
use std::path::Path;
use std::process::{Command, Output};
use surefill_simulator::generate::History;
use surefill_simulator::trace::swf::{Strictness, read};

#[test]
fn what_is_written_is_read_strictly_and_again_the_same() {
    let history = sample();
    for (name, model) in &models(&history) {
        check_seeds(name, model, &history, check_whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any trace with a job makes every model, and every model a valid workload.
    #[test]
    fn any_trace_makes_valid_workloads((procs, lines) in any_trace(), seed in any::<u64>()) {
        let Ok(history) = History::new(&trace(procs, &lines), "t.swf") else {
            prop_assert!(lines.iter().all(|line| line.1 < 0 || line.2 <= 0));
            return Ok(());
        };
        for (_, model) in &models(&history) {
            check_whole(&write(model, &history, 60, seed), &history, 60);
        }
    }

    /// Values at the ends of what the format holds.
    #[test]
    fn huge_values_make_valid_workloads(history in huge_values(), seed in any::<u64>()) {
        for (_, model) in &models(&history) {
            check_whole(&write(model, &history, 40, seed), &history, 40);
        }
    }
}

fn surefill(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill")).args(args).current_dir(folder).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let job = |tail: &str| format!("1 10 -1 {tail} -1 -1 -1 -1 -1 1{}\n", " -1".repeat(7));
    let files = [
        ("empty.swf", "; MaxProcs: 4\n".to_owned()),
        ("cancelled.swf", job("-1 4")),
        ("without.swf", job("60 -1")),
        ("one.swf", job("60 4")),
    ];
    for (name, text) in &files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let generate = |args: &str| {
        let args: Vec<&str> = std::iter::once("generate").chain(args.split_whitespace()).collect();
        surefill(&args, folder.path())
    };
    // The file's name is in the message, and it is no misuse.
    for (name, message) in [
        ("empty.swf", "empty.swf: no jobs to learn from"),
        ("cancelled.swf", "none of its 1 jobs has a run time and a number of processors"),
        ("without.swf", "none of its 1 jobs has a run time and a number of processors"),
        ("missing.swf", "missing.swf"),
    ] {
        for model in ["feedback", "resample", "bursts"] {
            let output = generate(&format!("--model {model} --like {name}"));
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            assert!(stderr(&output).contains(message), "{}", stderr(&output));
        }
    }
    for wrong in [
        "--model sessions --like one.swf",
        "--procs 0",
        "--load 0",
        "--unit weeks",
        "--model feedback",
        "--model feedback --like one.swf --unit weeks",
        "--model feedback --like one.swf --procs 3",
        "--model resample",
        "--model resample --like one.swf --users 3",
        "--model bursts",
        "--model bursts --like one.swf --unit weeks",
    ] {
        let output = generate(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {}", stderr(&output));
    }
    let elsewhere = generate("--model markov --like one.swf");
    assert_eq!(elsewhere.status.code(), Some(2));
    assert!(stderr(&elsewhere).contains("surefill-papers generate --model markov"), "{}", stderr(&elsewhere));
    for right in [
        "--procs 1 --users 1 --load 2",
        "--nodes 2x(cores=4,mem=8G)",
        "--model feedback --like one.swf",
        "--model resample --like one.swf",
        "--model bursts --like one.swf",
        "--model resample --like one.swf --unit sessions",
    ] {
        let output = generate(&format!("{right} -n 50 --seed 9"));
        assert_eq!(output.status.code(), Some(0), "{right}: {}", stderr(&output));
        let made = read(&output.stdout[..], "made.swf", Strictness::Strict).unwrap();
        assert_eq!(made.records.len(), 50);
        // The header's command makes the same file again.
        let command = made.header.lines.iter().find_map(|line| line.split_once("surefill generate "));
        let command = command.map(|(_, options)| options.replace("-o FILE", "").replace('\'', "")).unwrap();
        assert_eq!(generate(&command).stdout, output.stdout, "{command}");
    }
    let output = generate("-n 20 -o made.swf.gz");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let file = std::fs::File::open(folder.path().join("made.swf.gz")).unwrap();
    assert_eq!(read(file, "made.swf.gz", Strictness::Strict).unwrap().records.len(), 20);
}
