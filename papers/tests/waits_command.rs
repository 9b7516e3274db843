//! `wait-bounds` as its users see it.

use crate::common::two_queues;
use std::path::Path;
use std::process::{Command, Output};

pub fn papers(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill-papers")).args(args).current_dir(folder).output().unwrap()
}

pub fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with `t.swf`, a trace of two queues.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.swf"), two_queues()).unwrap();
    folder
}

#[test]
fn wait_bounds_prints_tables_json_and_a_page() {
    let folder = folder();
    let args = ["wait-bounds", "t.swf", "--by-queue", "--rate", "0.01,0.05", "--json", "--html", "p.html"];
    let json = json(&papers(&args, folder.path()));
    let queues = json["traces"][0]["queues"].as_array().unwrap();
    assert_eq!(queues.len(), 2);
    for queue in queues {
        assert_eq!((queue["jobs"].as_u64(), queue["training"].as_u64()), (Some(1500), Some(150)));
        let measured = queue["measured"].as_array().unwrap();
        // Four methods alone, with components, adapted, and adapted from all waits; two other attributes; one other
        // rate; the visible queue.
        assert_eq!(measured.len(), 20);
        for predictor in measured {
            let count = |key: &str| predictor[key].as_u64().unwrap();
            assert_eq!(count("jobs"), count("judged") + count("too_little_history") + count("may_be_down"));
            let halves = |key: &str| {
                predictor["halves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|half| half[key].as_u64().unwrap())
                    .sum::<u64>()
            };
            assert_eq!((halves("judged"), halves("correct")), (count("judged"), count("correct")));
        }
    }
    let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
    assert_eq!(page.matches("waits and bounds over time</h3>").count(), 2);
    assert!(page.contains("explains best") && !page.contains("<script"));

    let args = ["wait-bounds", "t.swf", "--method", "binomial", "--markdown", "--table", "alone,attributes"];
    let output = papers(&args, folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("| t/ALL ") && text.contains("(Table 1)") && !text.contains("LogN"), "{text}");
    assert!(text.contains("| t/ALL         | requested time |"), "{text}");
    for wrong in [["--quantile", "1"], ["--confidence", "nan"], ["--rate", "0"], ["--clusters", "17"]] {
        let output = papers(&["wait-bounds", "t.swf", wrong[0], wrong[1]], folder.path());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    // A quantile that no history reaches.
    let output = papers(&["wait-bounds", "t.swf", "--quantile", "0.99999999"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("needs 299573225 waits; 4194304 are remembered"), "{message}");
    std::fs::write(folder.path().join("empty.swf"), "").unwrap();
    let output = papers(&["wait-bounds", "empty.swf"], folder.path());
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no queue of at least 1000 jobs; empty: 0 jobs"), "{message}");

    let args = ["wait-bounds", "t.swf", "--by-queue", "--markdown", "--table", "following,chosen"];
    let text = String::from_utf8(papers(&args, folder.path()).stdout).unwrap();
    assert!(text.contains("follow their own misses") && text.contains("tightest afterwards"), "{text}");
    // No correct predictor is tighter than the one that is known to be so afterwards.
    let table = text.split("tightest afterwards").nth(1).unwrap();
    let mut correct = 0;
    for row in table.lines().filter(|line| line.starts_with("| t/")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let best: f64 = cells[6].parse().unwrap();
        for cell in &cells[3..5] {
            let Some((share, accuracy)) = cell.trim_matches('*').split_once(" (") else { panic!("{row}") };
            assert_eq!(cell.starts_with("**"), share.parse::<f64>().unwrap() >= 0.95, "{row}");
            if cell.starts_with("**") {
                assert!(accuracy.trim_end_matches(')').parse::<f64>().unwrap() <= best, "{row}");
                correct += 1;
            }
        }
    }
    assert!(correct > 0, "{table}");

    // The tightest of the paper's predictors beside those that follow their misses: as the other tables have them.
    let args =
        ["wait-bounds", "t.swf", "--by-queue", "--rate", "0.01,0.05", "--markdown", "--table", "rivals"];
    let text = String::from_utf8(papers(&args, folder.path()).stdout).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| t/")).collect();
    let queues = json["traces"][0]["queues"].as_array().unwrap();
    assert_eq!(rows.len(), queues.len());
    for (row, queue) in rows.iter().zip(queues) {
        let measured = queue["measured"].as_array().unwrap();
        let rms = |m: &serde_json::Value| m["rms_over_s"].as_f64().unwrap();
        let papers = measured
            .iter()
            .filter(|m| m["kind"] == "alone" || (m["kind"] == "full" && m["by"] == "requested"));
        let correct = papers.filter(|m| m["correctness"].as_f64().unwrap() >= 0.95);
        let tightest = correct.map(rms).fold(f64::INFINITY, f64::min);
        for (column, kind) in [(4, "adapted"), (5, "whole")] {
            let own = measured.iter().find(|m| m["kind"] == kind && m["method"] == "binomial").unwrap();
            let expected = format!("({:.2})", tightest / rms(own));
            let cell = row.split('|').nth(column).unwrap();
            assert!(cell.contains(&expected), "{row}: {kind} {expected}");
        }
    }
}
