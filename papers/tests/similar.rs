//! `surefill-papers similar`: its measures against SciPy's, its output, and the paper's tables on the real traces,
//! where they are found (in `SUREFILL_TRACES`, else in `../shared/traces` beside the repository).

use crate::compared::compared;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use surefill_papers::report::similar::tables::Verdict;
use surefill_papers::studies::similar::Study;
use surefill_papers::studies::similar::measures::kolmogorov_smirnov;
use surefill_papers::studies::similar::study::{Asked, Rival};
use surefill_simulator::base::statistics::{autocorrelation, correlation};
use surefill_simulator::generate::History;
use surefill_simulator::trace::swf::{self, Strictness};
use surefill_simulator::trace::workload::{Rules, Workload};

#[derive(serde::Deserialize)]
struct Case {
    a: Vec<u64>,
    b: Vec<u64>,
    other: Vec<u64>,
    ks: f64,
    correlation: Option<f64>,
    autocorrelation: Option<f64>,
}

/// `vectors/similar.json` is made by `vectors/similar.py`.
#[test]
fn measures_are_those_of_scipy() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("vectors/similar.json")).unwrap();
    let float = |values: &[u64]| values.iter().map(|&value| value as f64).collect::<Vec<f64>>();
    let same = |ours: Option<f64>, theirs: Option<f64>| match (ours, theirs) {
        (Some(ours), Some(theirs)) => assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}"),
        (ours, theirs) => assert_eq!(ours, theirs),
    };
    assert_eq!(cases.len(), 5);
    for Case { a, b, other, ks, correlation: pearson, autocorrelation: rho } in cases {
        same(kolmogorov_smirnov(&a, &b), Some(ks));
        same(correlation(&float(&a), &float(&other)), pearson);
        same(autocorrelation(&float(&a)), rho);
    }
}

fn papers(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill-papers")).args(args).current_dir(folder).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with `KTH-SP2.swf`, by name one of the paper's, of 300 jobs, and `half.swf`, its first half.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: i64| {
        let (run_time, processors, user) = ((i * i * 37) % 5000, 1 + i * 7 % 16, i / 4 % 3);
        format!("{i} {} 5 {run_time} {processors} -1 -1 -1 6000 -1 1 {user}{}\n", i * 300, " -1".repeat(6))
    };
    let text: String = std::iter::once("; MaxProcs: 16\n".to_owned()).chain((0..300).map(line)).collect();
    let half: String = text.lines().take(151).map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.path().join("KTH-SP2.swf"), text).unwrap();
    std::fs::write(folder.path().join("half.swf"), half).unwrap();
    folder
}

#[test]
fn two_workloads() {
    let folder = folder();
    let args = ["similar", "KTH-SP2.swf", "KTH-SP2.swf", "--json", "--html", "page.html"];
    let output = papers(&args, folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let same = &json["similarity"];
    for key in ["ks_nodes", "ks_run_times", "ks_gaps", "ks_requests", "area_difference"] {
        assert_eq!(same[key], 0.0, "{key}");
    }
    assert_eq!(same["original"], same["synthetic"]);
    assert_eq!(json["figures"].as_array().map(Vec::len), Some(2));
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert_eq!(page.matches("<figure").count(), 5);
    assert!(page.contains("Figure 1") && page.contains("Figure 4") && !page.contains("NaN"));

    let output = papers(&["similar", "KTH-SP2.swf", "half.swf", "--markdown"], folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("| jobs ") && text.contains(" 300 ") && text.contains(" 150 "), "{text}");
}

#[test]
fn tables() {
    let folder = folder();
    let args = ["similar", "--seeds", "2", "--tables", "KTH-SP2.swf", "half.swf"];
    let output = papers(&args, folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "cor0",
        "KS of nodes",
        "published Lublin/Feitelson",
        "published PDF",
        "bits",
        " of 6",
        "jobs a session",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let output = papers(&["similar", "--tables=next,4", "--seeds", "1", "--json", "half.swf"], folder.path());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json[0]["study"]["models"].as_array().map(Vec::len), Some(4));
    assert_eq!(json[0]["study"]["published"], serde_json::Value::Null);
    assert!(json[0]["next"].as_array().is_some_and(|scores| scores.len() >= 5));
}

/// Schedulers say of a trace what `compare` says of it, and of a trace whose sessions are shuffled that it asks
/// for as much of the machine.
#[test]
fn schedulers_judge() {
    let folder = folder();
    let json = |args: &[&str]| -> serde_json::Value {
        let output = papers(args, folder.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let trace = swf::open(&folder.path().join("KTH-SP2.swf"), Strictness::Strict).unwrap();
    let workload = Workload::new(&trace, &Rules::default()).unwrap();
    let policies = ["easy", "easy++", "conservative", "delay", "delay-fast"];
    let args =
        ["similar", "KTH-SP2.swf", "--tables=schedulers", "--models", "sessions,paper", "--seeds", "2"];
    let studied = json(&[&args[..], &["--json", "--stretch"]].concat());
    let study = &studied[0]["study"];
    let own = study["judged"]["replays"].as_array().unwrap();
    assert_eq!(own.len(), 5);
    for (own, policy) in own.iter().zip(policies) {
        let compared = compared(&workload, policy, 0);
        assert_eq!(own["mean_wait_s"], compared.mean_wait_s, "{own}");
        assert_eq!(own["utilization"], compared.utilization, "{own}");
    }
    for model in study["models"].as_array().unwrap() {
        for made in model["judged"].as_array().unwrap() {
            let load = |of: &serde_json::Value| of["offered_load"].as_f64().unwrap();
            assert!((load(made) / load(&study["judged"]) - 1.0).abs() < 0.01, "{made}");
        }
    }
    let table = papers(&args, folder.path());
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("of 10") && table.contains("resample, sessions"), "{table}");
    let csv = papers(&[&args[..], &["--csv"]].concat(), folder.path());
    // The trace and four workloads under five policies, and the titles.
    assert_eq!(String::from_utf8(csv.stdout).unwrap().lines().count(), 26);
    let two = json(&["similar", "KTH-SP2.swf", "half.swf", "--policies=easy", "--json"]);
    assert_eq!(two["schedulers"].as_array().map(Vec::len), Some(2));
}

#[test]
fn wrong_use() {
    let folder = folder();
    for args in [&["similar", "half.swf"][..], &["similar"], &["similar", "half.swf", "half.swf", "half.swf"]]
    {
        let output = papers(args, folder.path());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    }
    std::fs::write(folder.path().join("empty.swf"), "; nothing\n").unwrap();
    let output = papers(&["similar", "half.swf", "empty.swf"], folder.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("empty.swf: no jobs"), "{}", stderr(&output));
}

fn real(name: &str) -> Option<History> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let path = std::env::var_os("SUREFILL_TRACES").map_or_else(beside, PathBuf::from).join(name);
    if !path.exists() {
        // Not by a macro, whose output the harness keeps to itself.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no trace {}: set SUREFILL_TRACES to the folder that holds it",
            path.display()
        );
        return None;
    }
    Some(History::new(&swf::open(&path, Strictness::Strict).unwrap(), name).unwrap())
}

/// The paper's tables with five seeds.
fn study(history: &History) -> Study {
    let asked = Asked { models: &Rival::TABLES, seeds: 5, trace_load: false, judges: None };
    Study::new(history, &asked, &|| {}).unwrap()
}

/// Table 3 on KTH, the one log that is the paper's, and NASA; the calibrated chains are as close on every line as the
/// published ones, and times between submissions stay what they are (measured .026 and .068: the cycle stretches them).
#[test]
fn the_papers_tables() {
    if let Some(history) = real("KTH-SP2-1996-2.swf.gz") {
        let study = study(&history);
        let parameters = study.parameters;
        assert_eq!((parameters.run_time_states, parameters.node_states), (18, 7));
        assert!((parameters.cor0 - 0.037).abs() < 0.001 && (parameters.cor1 - 0.142).abs() < 0.002);
        let verdicts = Verdict::all(&study, Rival::Calibrated);
        // One line of seeds' means lies within their scatter of the published one.
        assert!(
            verdicts.len() == 6 && verdicts.iter().all(|verdict| verdict.ours <= verdict.published + 0.015)
        );
        let calibrated = study.of(Rival::Calibrated).unwrap();
        assert!(calibrated.ks_gaps.unwrap().mean < 0.04);
        assert!((calibrated.mean(|made| made.same_user).unwrap().mean - 0.445).abs() < 0.03);
        let paper = study.of(Rival::Paper).unwrap();
        assert!((paper.ks_nodes.unwrap().mean - 0.04).abs() < 0.01);
        assert!((paper.rho_nodes.unwrap().mean - 0.29).abs() < 0.03);
        let independent = study.of(Rival::Independent).unwrap();
        assert!(independent.rho_run_times.unwrap().mean.abs() < 0.02);
    }
    if let Some(history) = real("NASA-iPSC-1993-3.swf.gz") {
        let study = study(&history);
        assert_eq!((study.parameters.run_time_states, study.parameters.node_states), (16, 8));
        assert!(Verdict::all(&study, Rival::Calibrated).iter().all(Verdict::as_close));
        assert!(study.of(Rival::Calibrated).unwrap().ks_gaps.unwrap().mean < 0.08);
    }
}
