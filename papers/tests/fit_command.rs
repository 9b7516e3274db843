//! `fit` and `gain` as their users see them.

use serde_json::Value;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::{Command, Output};
use surefill_simulator::generate::{SessionsOptions, write_sessions};

fn papers(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill-papers")).args(args).current_dir(folder).output().unwrap()
}

fn json(args: &[&str], folder: &Path) -> Value {
    let output = papers(args, folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with two synthetic traces, and degenerate ones.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, seed) in [("a.swf", 1), ("b.swf", 2)] {
        let count = |count| NonZeroU32::new(count).unwrap();
        let options = SessionsOptions { jobs: 3000, users: count(30), procs: count(64), load: 0.7, seed };
        let mut text = Vec::new();
        write_sessions(&mut text, &options).unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let line = |number: i64, submit: i64, run_time: i64| {
        format!("{number} {submit} 0 {run_time} 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n")
    };
    let write = |name: &str, lines: String| std::fs::write(folder.path().join(name), lines).unwrap();
    write("empty.swf", String::new());
    write("cancelled.swf", line(1, 0, -1));
    write("one.swf", line(1, 0, 50));
    write("slot.swf", (0..10).map(|i| line(i, i, 50)).collect());
    write("bin.swf", (0..60).map(|i| line(i, i * 600, 50)).collect());
    folder
}

#[test]
fn fit_trains_saves_and_compares() {
    let folder = folder();
    let folder = folder.path();
    let args = ["fit", "a.swf", "--half", "--states", "4", "--load", "poisson", "--stop", "rounds=12"];
    let page = ["--save", "m.json", "--html", "page.html", "--json"];
    let found = json(&[&args[..], &page].concat(), folder);
    assert_eq!(found["trace"], "a.swf");
    assert_eq!(found["points"].as_array().unwrap().len(), 13);
    assert_eq!(found["states"].as_array().unwrap().len(), 4);
    let share: f64 = found["states"].as_array().unwrap().iter().map(|s| s["share"].as_f64().unwrap()).sum();
    assert!((share - 1.0).abs() < 1e-9);
    assert_eq!(found["jobs"].as_u64().unwrap() + found["test"]["jobs"].as_u64().unwrap(), 3000);
    // Baum-Welch never makes the likelihood smaller.
    let likelihoods: Vec<f64> =
        found["points"].as_array().unwrap().iter().map(|p| p["log_likelihood"].as_f64().unwrap()).collect();
    assert!(likelihoods.is_sorted_by(|a, b| *b >= a - 1e-9 * a.abs()), "{likelihoods:?}");
    let html = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(html.contains("What the states are") && html.contains("<svg"));

    // The model that was saved is the one that is trained again.
    let few = ["--sequences", "4", "--sequence-slots", "200", "--json"];
    let same = json(&[&args[..], &["--compare", "m.json"], &few].concat(), folder);
    assert_eq!(same["comparison"]["there"]["bits_per_slot"], 0.0);
    let other = json(&[&args[..], &["--compare", "b.swf"], &few].concat(), folder);
    assert!(other["comparison"]["symmetric_bits_per_slot"].as_f64().unwrap() > 0.01);
    // The same seed draws the same sequences.
    let again = json(&[&args[..], &["--compare", "b.swf"], &few].concat(), folder);
    assert_eq!(other["comparison"], again["comparison"]);
    // A model of other slots cannot be compared with.
    let shorter = papers(&[&args[..], &["--slot", "5m", "--compare", "m.json"]].concat(), folder);
    assert_eq!(shorter.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&shorter.stderr).contains("slots of seconds 300 and 900"));
    let text = papers(&args, folder).stdout;
    assert!(String::from_utf8_lossy(&text).contains("median run time"));
}

#[test]
fn gain_makes_all_comparisons() {
    let folder = folder();
    let folder = folder.path();
    let args = ["gain", "a.swf", "b.swf", "--rounds", "3", "--states", "2,4", "--slots", "15m,1h"];
    let found = json(&[&args[..], &["--json", "--html", "page.html"]].concat(), folder);
    let traces = found["traces"].as_array().unwrap();
    assert_eq!(traces.iter().map(|t| &t["trace"]).collect::<Vec<_>>(), ["a.swf", "b.swf"]);
    for trace in traces {
        let curves = trace["curves"].as_array().unwrap();
        // 2 x 2 of states; 15 min and 1 h; three initial values at 5 and 15 min, one of them there already; two load
        // models; slots halved once and twice.
        assert_eq!(curves.len(), 4 + 2 + 5 + 2 + 4);
        let figures = trace["figures"].as_array().unwrap();
        let sizes: Vec<usize> = figures.iter().map(|f| f["curves"].as_array().unwrap().len()).collect();
        assert_eq!(sizes, [4, 2, 6, 3, 6, 0]);
        for curve in curves {
            let points = curve["points"].as_array().unwrap();
            assert_eq!(points.len(), 4);
            assert!(points.iter().all(|p| p["safe_gain"].is_number()), "{curve}");
        }
        assert_eq!(trace["online"][0]["overall"]["jobs"], 3000);
    }
    let html = std::fs::read_to_string(folder.join("page.html")).unwrap();
    for figure in ["figure 3.1", "figure 3.2", "figure 3.3", "figure 3.4", "figure 4.1"] {
        assert!(html.matches(figure).count() >= 2, "{figure}");
    }
    let table = papers(&[&args[..], &["--figures", "load", "--markdown"]].concat(), folder).stdout;
    let table = String::from_utf8_lossy(&table).into_owned();
    assert!(table.contains("| a     | geometric |") && !table.contains("3.1"), "{table}");
}

#[test]
fn ways_of_learning_on_line_are_compared() {
    let folder = folder();
    let args = ["gain", "a.swf", "--figures", "online", "--json", "--learn", "batch,online"];
    let choices = ["--stop", "l1=200,rounds=3", "--initial", "static,entropy"];
    let found = json(&[&args[..], &choices].concat(), folder.path());
    let online = found["traces"][0]["online"].as_array().unwrap();
    let of = |key: &str| online.iter().map(|one| one[key].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    // Without rounds there is nothing to stop.
    assert_eq!(of("stop"), ["l1=200", "rounds=3", "l1=200", "rounds=3", "l1=200", "l1=200"]);
    assert_eq!(of("initial"), ["static", "static", "entropy", "entropy", "static", "entropy"]);
    for one in online.iter().filter(|one| one["stop"] == "rounds=3") {
        // Three rounds each time, and as many trainings as weeks at most, but for slots that were not explained.
        assert_eq!(one["rounds"].as_u64().unwrap(), 3 * one["trainings"].as_u64().unwrap());
        assert!(one["trainings"].as_u64().unwrap() > 0, "{one}");
    }
    // The number handed over is no prediction before the first training.
    for one in online {
        let all = &one["overall"];
        assert!(all["untrained"].as_u64().unwrap() + all["predicted"].as_u64().unwrap() <= 3000, "{all}");
    }
}

#[test]
fn degenerate_traces_end_in_errors_or_numbers() {
    let folder = folder();
    let folder = folder.path();
    let fails = [
        (&["fit", "empty.swf"][..], 1, "empty.swf: no job"),
        (&["gain", "empty.swf"], 1, "empty.swf: no job"),
        (&["fit", "cancelled.swf"], 1, "cancelled.swf: no job"),
        (&["fit", "one.swf", "--half"], 1, "one.swf: the first half"),
        (&["gain", "one.swf", "--rounds", "2"], 1, "one.swf: the first half"),
        (&["fit", "slot.swf", "--half"], 1, "slot.swf: the first half"),
        (&["fit", "a.swf", "--ratio", "1.05"], 1, "do not fit 96 bins"),
        (&["fit", "a.swf", "--compare", "b.swf"], 2, "--load"),
        (&["fit", "a.swf", "--initial", "kmeans", "--states", "6"], 2, "k-means"),
        (&["fit", "a.swf", "--stop", "l3=1"], 2, "rounds=N"),
        (&["fit", "a.swf", "--load", "poisson", "--compare", "none.json"], 1, "none.json"),
        (&["gain"], 2, "TRACE"),
    ];
    for (args, code, said) in fails {
        let output = papers(args, folder);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(said) && !error.contains("panicked"), "{args:?}: {error}");
    }
    std::fs::write(folder.join("wrong.json"), "{\"format\": 1}").unwrap();
    let args = ["fit", "a.swf", "--load", "poisson", "--compare", "wrong.json"];
    assert!(String::from_utf8_lossy(&papers(&args, folder).stderr).contains("wrong.json: "));
    for trace in ["one.swf", "slot.swf", "bin.swf"] {
        for load in ["none", "poisson", "geometric"] {
            let found = json(&["fit", trace, "--load", load, "--stop", "rounds=3", "--json"], folder);
            let gain = found["points"][3]["training_gain"].as_f64().unwrap();
            assert!(gain.abs() < 1e-9, "{trace} {load}: {gain}");
        }
    }
    let found = json(&["gain", "bin.swf", "--rounds", "2", "--json"], folder);
    for curve in found["traces"][0]["curves"].as_array().unwrap() {
        assert!(curve["points"][2]["safe_gain"].as_f64().unwrap().abs() < 1e-9, "{curve}");
    }
}
