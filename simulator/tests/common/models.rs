//! A sample of a workload, and one model of every kind.

use std::num::NonZeroU32;
use surefill_simulator::generate::hidden::Shapes;
use surefill_simulator::generate::hmm::flat::Load;
use surefill_simulator::generate::hmm::model::Model as HiddenModel;
use surefill_simulator::generate::markov::Variant;
use surefill_simulator::generate::resample::Unit;
use surefill_simulator::generate::{Heading, History, Model, write_model};
use surefill_simulator::trace::swf::{Strictness, Trace, read};

/// Field by field as a trace has them: submit, run time, processors, requested time, user.
pub type Line = (i64, i64, i64, i64, i64);

pub fn trace(procs: Option<u32>, lines: &[Line]) -> Trace {
    let mut text = procs.map_or_else(String::new, |procs| format!("; MaxProcs: {procs}\n"));
    for (number, (submit, run_time, processors, requested, user)) in lines.iter().enumerate() {
        text += &format!(
            "{number} {submit} -1 {run_time} {processors} -1 -1 {processors} {requested} -1 1 {user}{}\n",
            " -1".repeat(6)
        );
    }
    read(text.as_bytes(), "t.swf", Strictness::Lenient).unwrap()
}

/// A crowd of users with habits of their own, three weeks long.
pub fn sample() -> History {
    let line = |i: i64| {
        let user = (i / 5) % 7;
        let run_time = [30, 45, 600, 4000, 4100, 20_000, 7][user as usize] + i % 11;
        let processors = [1, 2, 16, 12, 64, 7, 1][user as usize];
        (i * 600 + (i * i) % 300, run_time, processors, (run_time / 300 + 1) * 900, user)
    };
    let lines: Vec<Line> = (0..3000).map(line).collect();
    History::new(&trace(Some(100), &lines), "sample.swf").unwrap()
}

/// A model of two states, busy and idle, with run times of 0, 1 s, and from 1.5 s up by factors of 20.
pub fn hidden(load: Load) -> HiddenModel {
    let parameter = |mean: f64| if load == Load::Geometric { 1.0 / (1.0 + mean) } else { mean };
    HiddenModel {
        format: "surefill hidden Markov model 1".into(),
        trace: "t.swf".into(),
        jobs: 1000,
        slots: 500,
        rounds: 1,
        slot_s: 900,
        first_edge_s: 1.5,
        ratio: 20.0,
        load,
        start: vec![0.5, 0.5],
        transition: vec![vec![0.9, 0.1], vec![0.2, 0.8]],
        emission: vec![vec![0.1, 0.2, 0.3, 0.4], vec![0.0, 0.0, 0.5, 0.5]],
        load_parameter: vec![parameter(3.0), parameter(0.25)],
    }
}

pub fn models(history: &History) -> [(&'static str, Model); 7] {
    let procs = NonZeroU32::new(history.procs).unwrap();
    let users = NonZeroU32::new(7).unwrap();
    [
        ("paper", Model::markov(history, Variant::Paper)),
        ("calibrated", Model::markov(history, Variant::Calibrated)),
        ("independent", Model::independent(history)),
        ("lublin", Model::lublin(procs)),
        ("downey", Model::downey(procs, users, 0.75)),
        ("hmm", Model::hidden(&hidden(Load::Geometric), history, Shapes::Bin).unwrap()),
        ("hmm alone", Model::hidden_alone(&hidden(Load::Poisson), procs, users).unwrap()),
    ]
}

/// Those whose bits are not held on to.
pub fn further(history: &History) -> [(&'static str, Model); 5] {
    [
        ("hmm, chained", Model::hidden(&hidden(Load::Geometric), history, Shapes::Chain).unwrap()),
        ("hmm, runs", Model::hidden(&hidden(Load::Geometric), history, Shapes::Runs).unwrap()),
        ("feedback", Model::feedback(history)),
        ("resample", Model::resample(history, Unit::Sessions)),
        ("bursts", Model::bursts(history)),
    ]
}

pub fn write(model: &Model, history: &History, jobs: u64, seed: u64) -> Vec<u8> {
    let heading = Heading {
        command: "surefill generate".into(),
        procs: history.procs,
        jobs,
        unix_start_time: history.unix_start_time,
        time_zone: history.time_zone.clone(),
        notes: vec!["a test".into()],
    };
    let mut bytes = Vec::new();
    write_model(&mut bytes, model, seed, &heading).unwrap();
    bytes
}
