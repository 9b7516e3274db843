//! Workloads of the published models: readable, reproducible, within their limits, whatever trace they are learnt
//! from.

use crate::common::models::{
    Line, any_trace, check_seeds, check_whole, huge_values, jobs, sample, trace, write,
};
use crate::generating::Generate;
use crate::models::{further, hidden, models};
use proptest::prelude::*;
use surefill::math::fnv::fnv1a;
use surefill_papers::generate::Model;
use surefill_papers::generate::hidden::Shapes;
use surefill_papers::generate::hmm::flat::Load;
use surefill_papers::generate::hmm::model::Model as HiddenModel;
use surefill_papers::generate::markov::Variant;
use surefill_simulator::generate::History;
use surefill_simulator::trace::swf::Trace;

/// Checked as whole jobs are; and no job asks for too little.
fn check(bytes: &[u8], history: &History, jobs: usize) -> Trace {
    let trace = check_whole(bytes, history, jobs);
    for record in &trace.records {
        assert!(record.requested_time == -1 || record.requested_time >= record.run_time, "{record:?}");
    }
    trace
}

#[test]
fn what_is_written_is_read_strictly_and_again_the_same() {
    let history = sample();
    for (name, model) in models(&history).iter().chain(&further(&history)) {
        check_seeds(name, model, &history, check);
    }
}

/// FNV-1a of every model's bytes: a change of any draw on any machine shows.
#[test]
fn workloads_are_reproduced_bit_for_bit() {
    let history = sample();
    let hash = |bytes: &[u8]| fnv1a(&jobs(bytes).concat());
    let hashes = models(&history).map(|(name, model)| (name, hash(&write(&model, &history, 20_000, 1))));
    let expected = [
        ("paper", PAPER),
        ("calibrated", CALIBRATED),
        ("independent", INDEPENDENT),
        ("lublin", LUBLIN),
        ("hmm", HMM),
    ];
    assert_eq!(hashes, expected);
}

const PAPER: u64 = 7_395_414_129_207_127_295;
const CALIBRATED: u64 = 12_790_764_990_203_490_894;
const INDEPENDENT: u64 = 17_022_044_027_507_698_451;
const LUBLIN: u64 = 12_731_428_911_401_509_864;
const HMM: u64 = 2_972_730_573_640_453_845;

/// Two thirds of the slots are busy: 3 x 2/3 + 1/4 x 1/3 jobs a slot, and the shares of the bins go by jobs.
#[test]
fn hidden_models_keep_their_loads_and_bins() {
    let history = sample();
    let bins = hidden(Load::Poisson).bins().unwrap();
    for load in [Load::Poisson, Load::Geometric] {
        let model = Model::hidden(&hidden(load), &history, Shapes::Bin).unwrap();
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
    fn any_trace_makes_valid_workloads((procs, lines) in any_trace(), seed in any::<u64>()) {
        let Ok(history) = History::new(&trace(procs, &lines), "t.swf") else {
            prop_assert!(lines.iter().all(|line| line.1 < 0 || line.2 <= 0));
            return Ok(());
        };
        for (_, model) in models(&history).iter().chain(&further(&history)) {
            check(&write(model, &history, 60, seed), &history, 60);
        }
    }

    /// Values at the ends of what the format holds.
    #[test]
    fn huge_values_make_valid_workloads(history in huge_values(), seed in any::<u64>()) {
        for (_, model) in models(&history).iter().chain(&further(&history)) {
            check(&write(model, &history, 40, seed), &history, 40);
        }
    }
}

#[test]
fn the_command_line() {
    let generate = Generate::new(env!("CARGO_BIN_EXE_surefill-papers"));
    let model = serde_json::to_string(&hidden(Load::Poisson)).unwrap();
    generate.keep("model.json", &model);
    let silent = HiddenModel { load_parameter: Vec::new(), ..hidden(Load::None) };
    generate.keep("silent.json", &serde_json::to_string(&silent).unwrap());
    generate.keep("broken.json", &model[..100]);
    generate.learns_from_jobs(&["markov", "independent", "hmm"]);
    for (name, message) in [
        ("silent.json", "without a load model"),
        ("broken.json", "broken.json: EOF"),
        ("missing.json", "missing.json"),
    ] {
        generate.fails(&format!("--model hmm --like one.swf --trained {name}"), 1, message);
    }
    for wrong in [
        "",
        "--model sessions",
        "--model markov",
        "--model independent --like one.swf --shapes bin",
        "--model lublin --variant paper",
        "--model lublin --like one.swf --procs 3",
        "--model lublin --procs 0",
        "--model hmm",
        "--model hmm --trained model.json",
        "--model hmm --like one.swf --variant paper",
        "--model hmm --trained model.json --like one.swf --procs 3",
        "--model markov --like one.swf --trained model.json",
    ] {
        generate.run(wrong, 2);
    }
    for right in [
        "--model markov --like one.swf",
        "--model markov --variant calibrated --like one.swf",
        "--model independent --like one.swf",
        "--model lublin --like one.swf",
        "--model lublin --procs 1",
        "--model hmm --like one.swf",
        "--model hmm --trained model.json --like one.swf",
        "--model hmm --trained model.json --like one.swf --shapes chain",
        "--model hmm --trained model.json --like one.swf --shapes runs",
    ] {
        let made = generate.makes(right);
        if right.contains("markov") || right.contains("independent") {
            // One job: the same again and again, at most within its classes.
            assert!(
                made.records.iter().all(|job| (32..=60).contains(&job.run_time) && job.used_processors == 4)
            );
        }
    }
    generate.writes("--model lublin");
}
