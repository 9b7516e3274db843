//! Shards of studies: put together they are the unsharded run.

use crate::common::{options, replay_as};
use std::num::NonZeroU32;
use std::path::Path;
use std::process::{Command, Output};
use surefill_simulator::generate::{SessionsOptions, write_sessions};
use surefill_simulator::replay::schedule::write_swf;
use surefill_simulator::trace::swf::{Strictness, read};
use surefill_simulator::trace::workload::{Rules, Workload};
use tempfile::TempDir;

fn papers(args: &str, folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill-papers"));
    for name in ["ID", "COUNT", "MIN", "STEP"] {
        command.env_remove(format!("SLURM_ARRAY_TASK_{name}"));
    }
    command.args(args.split_whitespace()).current_dir(folder);
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The output of a call that succeeds.
fn stdout(args: &str, folder: &Path) -> String {
    let output = papers(args, folder);
    assert_eq!(output.status.code(), Some(0), "{args}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The text without measured times, which no two runs share.
fn timeless(text: &str) -> String {
    let measured = ["scheduler_s", "p99_pass_s", "max_pass_s", "wall_s", "seconds"];
    let timed =
        |line: &&str| !measured.iter().any(|name| line.trim_start().starts_with(&format!("\"{name}\"")));
    text.lines().filter(timed).map(|line| line.to_owned() + "\n").collect()
}

/// A folder with two traces, and with the same as EASY schedules them: with waits.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let count = |n| NonZeroU32::new(n).unwrap();
    for (name, seed) in [("one", 1), ("two", 2)] {
        let sessions = SessionsOptions { jobs: 300, users: count(5), procs: count(32), load: 1.2, seed };
        let mut text = Vec::new();
        write_sessions(&mut text, &sessions).unwrap();
        std::fs::write(folder.path().join(format!("{name}.swf")), &text).unwrap();
        let trace = read(&text[..], name, Strictness::Strict).unwrap();
        let workload = Workload::new(&trace, &Rules::default()).unwrap();
        let mut replayed = Vec::new();
        write_swf(&mut replayed, &replay_as(&workload, "easy"), &workload, &options("easy")).unwrap();
        std::fs::write(folder.path().join(format!("{name}-replayed.swf")), &replayed).unwrap();
    }
    folder
}

/// Writes a run's shards as `PREFIX-I.json`, and says their names.
fn shards(run: &str, count: usize, prefix: &str, folder: &Path) -> Vec<String> {
    let one = |index: usize| {
        let name = format!("{prefix}-{index}.json");
        std::fs::write(folder.join(&name), stdout(&format!("{run} --shard {index}/{count}"), folder))
            .unwrap();
        name
    };
    (1..=count).map(one).collect()
}

/// Studies that have one cell a trace.
#[test]
fn shards_of_studies_of_traces_are_the_whole() {
    let folder = folder();
    let folder = folder.path();
    for (prefix, run) in [
        ("locality", "locality one.swf two.swf --by time,user --ts 6h --tr 1.8 --shuffles 2 --min-jobs 20"),
        ("exact", "locality one.swf two.swf --by user --tr 2 --exact --no-ageing"),
        ("states", "gain one.swf two.swf --figures states,online --rounds 2 --states 2,4 --ratios 1.8"),
        ("described", "characterize one.swf two.swf --states 4 --stop rounds=3 --half"),
        ("models", "similar one.swf two.swf --tables --seeds 2"),
        ("predictors", "gain one.swf two.swf --predictors global,user,mix"),
        ("bounds", "wait-bounds one-replayed.swf two-replayed.swf --min-jobs 50 --rate 0.1,0.5"),
    ] {
        let whole = stdout(&format!("{run} --json"), folder);
        let table = stdout(&format!("{run} --markdown"), folder);
        for count in [1, 2, 3] {
            let files = shards(run, count, prefix, folder).join(" ");
            assert_eq!(
                timeless(&stdout(&format!("merge --json {files}"), folder)),
                timeless(&whole),
                "{run}"
            );
            assert_eq!(stdout(&format!("merge --markdown {files}"), folder), table, "{run}");
        }
        if prefix == "predictors" {
            let csv = stdout(&format!("{run} --csv"), folder);
            assert_eq!(
                timeless(&stdout(
                    &format!("merge --csv {prefix}-1.json {prefix}-2.json {prefix}-3.json"),
                    folder
                )),
                timeless(&csv)
            );
        }
        let alone = papers(&format!("merge {prefix}-1.json {prefix}-2.json shard.json"), folder);
        assert_eq!(alone.status.code(), Some(1), "{}", stderr(&alone));
    }
    let mixed = papers("merge locality-1.json states-2.json", folder);
    let why = "states-2.json: a shard of gain, but locality-1.json is one of locality";
    assert!(stderr(&mixed).contains(why), "{}", stderr(&mixed));
    std::fs::write(folder.join("tune.json"), stdout("tune one.swf --settings 2 --shard 1/2 --json", folder))
        .unwrap();
    let sweep = "allocate --sweep --days 1 --seeds 1 --loads 1 --machines 16 --supplied 0 --strategies avg --shard 1/1";
    std::fs::write(folder.join("sweep.json"), stdout(sweep, folder)).unwrap();
    // A comparison of the site's command.
    let other =
        stdout("gain one.swf --predictors user --shard 1/2", folder).replace("\"gain\"", "\"compare\"");
    std::fs::write(folder.join("compare.json"), other).unwrap();
    std::fs::write(folder.join("kind.json"), "{\"kind\": \"else\"}").unwrap();
    for (files, code, why) in [
        (
            "locality-1.json tune.json",
            1,
            "tune.json: a shard of tune, but locality-1.json is one of locality",
        ),
        ("sweep.json states-1.json", 1, "states-1.json: a shard of gain, but sweep.json is one of allocate"),
        ("sweep.json --csv", 2, "--csv is for gain, not for allocate"),
        ("compare.json", 1, "compare.json: shards of compare are not merged here"),
        ("kind.json", 1, "kind.json: 'else' is no kind of shard"),
        ("one.swf", 1, "one.swf: "),
    ] {
        let output = papers(&format!("merge {files}"), folder);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{files}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}
