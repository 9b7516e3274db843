//! Generated workloads: readable, reproducible, within their limits, whatever trace they are learnt from.

use crate::common::models::{Line, further, hidden, models, sample, trace, write};
use proptest::prelude::*;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::{Command, Output};
use surefill_simulator::generate::hidden::Shapes;
use surefill_simulator::generate::hmm::flat::Load;
use surefill_simulator::generate::hmm::model::Model as HiddenModel;
use surefill_simulator::generate::markov::Variant;
use surefill_simulator::generate::{History, Model};
use surefill_simulator::trace::swf::{Strictness, Trace, read};

/// Read strictly, every job in order and within the machine and its request.
/// Whole jobs of the trace may have run past their request there.
fn check_whole(bytes: &[u8], history: &History, jobs: usize) -> Trace {
    let trace = read(bytes, "made.swf", Strictness::Strict).unwrap();
    assert_eq!((trace.records.len(), trace.header.max_procs), (jobs, Some(history.procs)));
    assert!(trace.header.unix_start_time.is_some());
    for (record, number) in trace.records.iter().zip(1..) {
        assert_eq!((record.number, record.wait), (number, -1));
        assert!((1..=i64::from(history.procs)).contains(&record.used_processors), "{record:?}");
        assert!(record.run_time >= 0, "{record:?}");
    }
    trace
}

/// And no job asks for too little.
fn check(bytes: &[u8], history: &History, jobs: usize) -> Trace {
    let trace = check_whole(bytes, history, jobs);
    for record in &trace.records {
        assert!(record.requested_time == -1 || record.requested_time >= record.run_time, "{record:?}");
    }
    trace
}

/// A model's workload, checked as far as the model promises.
fn check_of(name: &str, bytes: &[u8], history: &History, jobs: usize) {
    if matches!(name, "feedback" | "resample" | "bursts") {
        check_whole(bytes, history, jobs)
    } else {
        check(bytes, history, jobs)
    };
}

#[test]
fn what_is_written_is_read_strictly_and_again_the_same() {
    let history = sample();
    for (name, model) in models(&history).iter().chain(&further(&history)) {
        let bytes = write(model, &history, 5000, 7);
        check_of(name, &bytes, &history, 5000);
        assert_eq!(bytes, write(model, &history, 5000, 7), "{name}");
        assert_ne!(bytes, write(model, &history, 5000, 8), "{name}");
        // A longer workload begins with the shorter one.
        let jobs = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            text.lines().filter(|line| !line.starts_with(';')).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(jobs(&write(model, &history, 100, 7)), jobs(&bytes)[..100], "{name}");
        assert_eq!(check(&write(model, &history, 0, 7), &history, 0).records, []);
    }
}

/// Two thirds of the slots are busy: 3 x 2/3 + 1/4 x 1/3 jobs a slot, and the shares of the bins go by jobs.
#[test]
fn hidden_models_keep_their_loads_and_bins() {
    let history = sample();
    let number = |n| NonZeroU32::new(n).unwrap();
    let bins = hidden(Load::Poisson).bins().unwrap();
    for load in [Load::Poisson, Load::Geometric] {
        for model in [
            Model::hidden(&hidden(load), &history, Shapes::Bin).unwrap(),
            Model::hidden_alone(&hidden(load), number(64), number(9)).unwrap(),
        ] {
            let bytes = write(&model, &history, 60_000, 11);
            let made = check(&bytes, &history, 60_000);
            let slots = made.records.last().unwrap().submit as f64 / 900.0;
            let mean = 2.0 + 0.25 / 3.0;
            assert!((60_000.0 / slots / mean - 1.0).abs() < 0.05, "{load} {slots}");
            let mut shares = [0.0; 4];
            for record in &made.records {
                shares[bins.bin_of(record.run_time as f64)] += 1.0 / 60_000.0;
            }
            let idle = 0.25 / 3.0 / mean;
            let expected = [0.1, 0.2, 0.3, 0.4].map(|p| p * (1.0 - idle));
            let expected = [expected[0], expected[1], expected[2] + 0.5 * idle, expected[3] + 0.5 * idle];
            for (share, expected) in shares.iter().zip(expected) {
                assert!((share - expected).abs() < 0.01, "{shares:?} {expected}");
            }
            // Within a slot any time is as good as another.
            let late = made.records.iter().filter(|record| record.submit % 900 >= 450).count();
            assert!((late as f64 / 60_000.0 - 0.5).abs() < 0.02, "{late}");
        }
    }
}

#[test]
fn hidden_models_that_generate_nothing_are_refused() {
    let history = sample();
    let without = HiddenModel { load_parameter: Vec::new(), ..hidden(Load::None) };
    let error = Model::hidden(&without, &history, Shapes::Whole).unwrap_err().to_string();
    assert!(error.contains("without a load model"), "{error}");
    let silent = HiddenModel { load_parameter: vec![0.0, 0.0], ..hidden(Load::Poisson) };
    let error = Model::hidden(&silent, &history, Shapes::Whole).unwrap_err().to_string();
    assert!(error.contains("no jobs"), "{error}");
    // One state, one bin's worth of jobs, in a chain that cannot leave.
    let one = HiddenModel {
        start: vec![1.0],
        transition: vec![vec![1.0]],
        emission: vec![vec![0.0, 1.0]],
        load_parameter: vec![2.0],
        ..hidden(Load::Poisson)
    };
    check_whole(
        &write(&Model::hidden(&one, &history, Shapes::Whole).unwrap(), &history, 100, 1),
        &history,
        100,
    );
}

/// Nights are quiet in the trace, and in what is learnt from it; users and gaps go on alike.
#[test]
fn arrivals_follow_the_trace() {
    // Four weeks: a job every ten minutes from eight to sixteen o'clock, none at other times.
    let submits = (0..28 * 144).filter(|i| (48..96).contains(&(i % 144))).map(|i| i * 600);
    let lines: Vec<Line> = submits.map(|submit| (submit, 60, 1, 60, (submit / 3600) % 5)).collect();
    let history = History::new(&trace(Some(4), &lines), "days.swf").unwrap();
    let bytes = write(&Model::markov(&history, Variant::Calibrated), &history, 1344, 3);
    let made = check(&bytes, &history, 1344);
    let night = |submit: i64| !(8..16).contains(&(submit / 3600 % 24));
    let nightly = made.records.iter().filter(|record| night(record.submit)).count();
    assert!(nightly < 80, "{nightly} of 1344 at night");
    let span = made.records.last().unwrap().submit as f64 / (28.0 * 86_400.0);
    assert!((0.8..1.2).contains(&span), "{span}");
    // All gaps but the nights are ten minutes; measured .037, as some cross what is left of the nights.
    let gaps = |submits: Vec<i64>| submits.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    let own = gaps(lines.iter().map(|line| line.0).collect());
    let made = gaps(made.records.iter().map(|record| record.submit).collect());
    let below =
        |gaps: &[i64], most: i64| gaps.iter().filter(|gap| **gap <= most).count() as f64 / gaps.len() as f64;
    let apart = own.iter().chain(&made).map(|&gap| (below(&own, gap) - below(&made, gap)).abs());
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 0.05, "{apart}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any trace with a job makes every model, and every model a valid workload.
    #[test]
    fn any_trace_makes_valid_workloads(
        mut lines in proptest::collection::vec(
            (0i64..3_000_000, -1i64..200_000, -1i64..40, -1i64..100_000, -1i64..4), 1..30),
        procs in proptest::option::of(1u32..64),
        seed in any::<u64>(),
    ) {
        lines.sort_unstable();
        let Ok(history) = History::new(&trace(procs, &lines), "t.swf") else {
            prop_assert!(lines.iter().all(|line| line.1 < 0 || line.2 <= 0));
            return Ok(());
        };
        for (name, model) in models(&history).iter().chain(&further(&history)) {
            check_of(name, &write(model, &history, 60, seed), &history, 60);
        }
    }

    /// Values at the ends of what the format holds.
    #[test]
    fn huge_values_make_valid_workloads(
        jobs in proptest::collection::vec((0u32..40, 0u32..32, 0u32..40), 1..12), seed in any::<u64>(),
    ) {
        let mut lines: Vec<Line> = jobs
            .into_iter()
            .map(|(submit, processors, run_time)| (1 << submit, 1 << run_time, 1 << processors.min(31), -1, 1))
            .collect();
        lines.sort_unstable();
        let history = History::new(&trace(None, &lines), "t.swf").unwrap();
        for (name, model) in models(&history).iter().chain(&further(&history)) {
            check_of(name, &write(model, &history, 40, seed), &history, 40);
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
    let model = serde_json::to_string(&hidden(Load::Poisson)).unwrap();
    std::fs::write(folder.path().join("model.json"), &model).unwrap();
    let silent = HiddenModel { load_parameter: Vec::new(), ..hidden(Load::None) };
    std::fs::write(folder.path().join("silent.json"), serde_json::to_string(&silent).unwrap()).unwrap();
    std::fs::write(folder.path().join("broken.json"), &model[..100]).unwrap();
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
        for model in ["markov", "independent", "hmm", "feedback", "resample", "bursts"] {
            let output = generate(&format!("--model {model} --like {name}"));
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            assert!(stderr(&output).contains(message), "{}", stderr(&output));
        }
    }
    for (name, message) in [
        ("silent.json", "without a load model"),
        ("broken.json", "broken.json: EOF"),
        ("missing.json", "missing.json"),
    ] {
        let output = generate(&format!("--model hmm --trained {name}"));
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    for wrong in [
        "--model markov",
        "--model independent --users 3 --like one.swf",
        "--model lublin --variant paper",
        "--model sessions --like one.swf",
        "--model lublin --like one.swf --procs 3",
        "--model lublin --procs 0",
        "--model hmm",
        "--model hmm --like one.swf --users 3",
        "--model hmm --trained model.json --like one.swf --procs 3",
        "--model downey --like one.swf",
        "--model downey --load 0",
        "--model feedback",
        "--model feedback --like one.swf --unit weeks",
        "--model resample",
        "--model bursts",
        "--model bursts --like one.swf --unit weeks",
        "--model markov --like one.swf --unit weeks",
        "--model hmm --trained model.json --shapes whole",
        "--model hmm --trained model.json --shapes runs",
        "--model markov --like one.swf --trained model.json",
    ] {
        let output = generate(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {}", stderr(&output));
    }
    for right in [
        "--model markov --like one.swf",
        "--model markov --variant calibrated --like one.swf",
        "--model independent --like one.swf",
        "--model lublin --like one.swf",
        "--model lublin --procs 1",
        "--model hmm --like one.swf",
        "--model hmm --trained model.json --like one.swf",
        "--model hmm --trained model.json",
        "--model hmm --trained model.json --procs 1 --users 1",
        "--model hmm --trained model.json --like one.swf --shapes chain",
        "--model hmm --trained model.json --like one.swf --shapes runs",
        "--model feedback --like one.swf",
        "--model resample --like one.swf",
        "--model bursts --like one.swf",
        "--model resample --like one.swf --unit sessions",
        "--model downey",
        "--model downey --procs 1 --users 1 --load 2",
    ] {
        let output = generate(&format!("{right} -n 50 --seed 9"));
        assert_eq!(output.status.code(), Some(0), "{right}: {}", stderr(&output));
        let made = read(&output.stdout[..], "made.swf", Strictness::Strict).unwrap();
        assert_eq!(made.records.len(), 50);
        if right.contains("markov") || right.contains("independent") {
            // One job: the same again and again, at most within its classes.
            assert!(
                made.records.iter().all(|job| (32..=60).contains(&job.run_time) && job.used_processors == 4)
            );
        }
        // The header's command makes the same file again.
        let command = made.header.lines.iter().find_map(|line| line.split_once("surefill generate "));
        let command = command.map(|(_, options)| options.replace("-o FILE", "")).unwrap();
        assert_eq!(generate(&command).stdout, output.stdout, "{command}");
    }
    let output = generate("--model lublin -n 20 -o made.swf.gz");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let file = std::fs::File::open(folder.path().join("made.swf.gz")).unwrap();
    assert_eq!(read(file, "made.swf.gz", Strictness::Strict).unwrap().records.len(), 20);
}
