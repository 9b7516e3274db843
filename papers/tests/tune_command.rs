//! `surefill-papers tune` as its users see it.

use crate::common::crowded;
use crate::compared::compared;
use std::path::Path;
use std::process::{Command, Output};
use surefill_simulator::trace::swf::{Strictness, read};
use surefill_simulator::trace::workload::{Rules, Workload};

fn papers(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill-papers")).args(args).current_dir(folder).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with `t.swf`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.swf"), crowded()).unwrap();
    folder
}

#[test]
fn tune_measures_as_compare_does_and_shards_are_the_whole() {
    let folder = folder();
    let json = |args: &[&str]| -> serde_json::Value {
        let output = papers(args, folder.path());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    std::fs::copy(folder.path().join("t.swf"), folder.path().join("u.swf")).unwrap();
    let args = ["tune", "t.swf", "u.swf", "--settings", "5", "--seed", "2", "--json", "--quiet"];
    let whole = json(&args);
    // Setting 0 is the preset: its ratios are those of two replays by another verb.
    let trace = read(crowded().as_bytes(), "t.swf", Strictness::Strict).unwrap();
    let workload = Workload::new(&trace, &Rules::default()).unwrap();
    let measured = |policy| serde_json::to_value(compared(&workload, policy, 2)).unwrap();
    let compared = ["easy", "delay"].map(measured);
    let wait = |policy: usize, measure: &str| compared[policy][measure].as_f64().unwrap().max(10.0);
    let row = &whole["rows"][0]["traces"];
    assert_eq!(row[0], row[1], "the same trace twice");
    for (ratio, measure) in [
        ("mean", "mean_wait_s"),
        ("geometric", "geomean_wait_s"),
        ("p99", "p99_wait_s"),
        ("longest", "max_wait_s"),
    ] {
        let found = row[0]["whole"][ratio].as_f64().unwrap();
        assert!((found - wait(1, measure) / wait(0, measure)).abs() < 1e-12, "{ratio}");
    }
    for (shard, file) in [("1/2", "1.json"), ("2/2", "2.json")] {
        let output = papers(&[&args[..], &["--shard", shard]].concat(), folder.path());
        std::fs::write(folder.path().join(file), output.stdout).unwrap();
    }
    assert_eq!(json(&["merge", "1.json", "2.json", "--json"]), whole);
    let half = papers(&["merge", "1.json"], folder.path());
    assert_eq!(code(&half), 1);
    assert!(stderr(&half).contains("2 of 5 cells are missing"), "{}", stderr(&half));
    let tables = ["merge", "1.json", "2.json", "--most-p99", "9", "--most-longest", "9"];
    let tables = String::from_utf8(papers(&tables, folder.path()).stdout).unwrap();
    assert!(tables.contains("preset") && tables.contains("first halves, second halves"), "{tables}");
    let searched = papers(&["tune", "t.swf", "--tau", "0.1"], folder.path());
    assert_eq!(code(&searched), 2);
    let page = papers(&["tune", "t.swf", "--settings", "2", "--html", "p.html", "--quiet"], folder.path());
    assert_eq!(code(&page), 0, "{}", stderr(&page));
    assert!(std::fs::read_to_string(folder.path().join("p.html")).unwrap().contains("<circle"));
}
