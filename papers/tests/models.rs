//! One published model of every kind.

use std::num::NonZeroU32;
use surefill_papers::generate::Model;
use surefill_papers::generate::hidden::Shapes;
use surefill_papers::generate::hmm::flat::Load;
use surefill_papers::generate::hmm::model::Model as HiddenModel;
use surefill_papers::generate::markov::Variant;
use surefill_simulator::generate::History;

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

pub fn models(history: &History) -> [(&'static str, Model); 5] {
    let procs = NonZeroU32::new(history.procs).unwrap();
    [
        ("paper", Model::markov(history, Variant::Paper)),
        ("calibrated", Model::markov(history, Variant::Calibrated)),
        ("independent", Model::independent(history)),
        ("lublin", Model::lublin(procs)),
        ("hmm", Model::hidden(&hidden(Load::Geometric), history, Shapes::Bin).unwrap()),
    ]
}

/// Those whose bits are not held on to.
pub fn further(history: &History) -> [(&'static str, Model); 2] {
    [
        ("hmm, chained", Model::hidden(&hidden(Load::Geometric), history, Shapes::Chain).unwrap()),
        ("hmm, runs", Model::hidden(&hidden(Load::Geometric), history, Shapes::Runs).unwrap()),
    ]
}
