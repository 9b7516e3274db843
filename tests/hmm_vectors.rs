//! The hidden Markov model against `tests/vectors/hmm`: numbers computed in 50 digits, checked against hmmlearn.

use serde_json::Value;
use std::path::Path;
use surefill::hmm::{Evidence, Hmm, HmmCapacity, LoadModel, Parameters, ParametersMut, Training};

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        value => vec![value.as_f64().unwrap()],
    }
}

/// To 1e-9, relative to the larger of the number and `scale`.
#[track_caller]
fn close(name: &str, found: &[f64], expected: &[f64], scale: f64) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs().max(scale),
            "{name}: {found}, expected {expected}"
        );
    }
}

fn judge(name: &str, vector: &Value) {
    let count = |key: &str| vector[key].as_u64().unwrap();
    let (m, n, slots) = (count("states") as usize, count("bins") as usize, count("slots") as i64);
    let load = match vector["load"].as_str().unwrap() {
        "none" => LoadModel::None,
        "poisson" => LoadModel::Poisson,
        "geometric" => LoadModel::Geometric,
        other => panic!("{other}"),
    };
    let limits = HmmCapacity { states: m as u32, bins: n as u32, slots: slots as u32, cells: 10_000 };
    let mut memory = vec![0u64; Hmm::size(&limits).unwrap() / 8];
    let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let parts = ["start", "transition", "emission", "load_parameter"];
    let [start, transition, emission, load_parameter] = parts.map(|key| numbers(&vector[key]));
    let given = Parameters {
        load,
        start: &start,
        transition: &transition,
        emission: &emission,
        load_parameter: &load_parameter,
    };
    hmm.set_parameters(&given).unwrap();
    let observations = vector["observations"].as_array().unwrap();
    assert_eq!(observations.len() as i64, slots);
    for (t, slot) in observations.iter().enumerate() {
        hmm.extend(t as i64).unwrap();
        for cell in numbers(slot).chunks(2) {
            for _ in 0..cell[1] as u64 {
                hmm.observe(t as i64, cell[0] as u32).unwrap();
            }
        }
    }

    let expected = numbers(&vector["log_likelihood"]);
    close(name, &[hmm.log_likelihood(0..slots, Evidence::Jobs).unwrap()], &expected, 1.0);
    let mut filtered = vec![0.0; m];
    close(name, &[hmm.filter(0..slots, &mut filtered).unwrap()], &expected, 1.0);
    close(name, &filtered, &numbers(&vector["filtered"]), 1.0);

    let mut gamma = vec![Vec::new(); slots as usize];
    close(
        name,
        &[hmm.smooth(0..slots, |slot, p| gamma[slot as usize] = p.to_vec()).unwrap()],
        &expected,
        1.0,
    );
    for expected in vector["gamma"].as_array().unwrap() {
        let slot = expected["slot"].as_u64().unwrap() as usize;
        close(name, &gamma[slot], &numbers(&expected["probabilities"]), 1.0);
    }

    let mut path = vec![0i32; slots as usize];
    let found = hmm.viterbi(0..slots, &mut path).unwrap();
    close(name, &[found], &numbers(&vector["viterbi"]["log_probability"]), 1.0);
    let expected = numbers(&vector["viterbi"]["path"]);
    assert_eq!(path.iter().map(|&state| f64::from(state)).collect::<Vec<_>>(), expected, "{name}");

    let likelihoods = numbers(&vector["log_likelihoods"]);
    hmm.begin_training(0..slots).unwrap();
    for (done, likelihood) in likelihoods.iter().enumerate() {
        let trained = vector["trained"].as_array().unwrap();
        if let Some(expected) = trained.iter().find(|model| model["rounds"].as_u64() == Some(done as u64)) {
            let (mut start, mut transition) = (vec![0.0; m], vec![0.0; m * m]);
            let (mut emission, mut parameter) = (vec![0.0; m * n], vec![0.0; load_parameter.len()]);
            hmm.parameters(&mut ParametersMut {
                start: &mut start,
                transition: &mut transition,
                emission: &mut emission,
                load_parameter: &mut parameter,
            })
            .unwrap();
            for (found, key) in [start, transition, emission, parameter].iter().zip(parts) {
                close(&format!("{name}, {key} after {done} rounds"), found, &numbers(&expected[key]), 1.0);
            }
        }
        let Training::Round(round) = hmm.train(u64::MAX).unwrap() else { panic!("not complete") };
        close(name, &[round.log_likelihood], &[*likelihood], 1.0);
        assert_eq!(round.adapted, 0);
    }
}

#[test]
fn agrees_with_hmmlearn_and_with_fifty_digits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/hmm");
    let mut judged = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let vector = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        judge(&path.file_name().unwrap().to_string_lossy(), &vector);
        judged += 1;
    }
    assert!(judged >= 18, "{judged} vectors");
}
