//! Recursive expectation-maximisation: equal to Baum-Welch where it must be, and near it where it should be.

#[path = "common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use surefill::error::Error;
use surefill::hmm::{
    Evidence, Hmm, HmmCapacity, Learnt, LoadModel, OnlineHmm, OnlineOptions, Parameters, ParametersMut,
    Training,
};
use surefill::predict::{Expert, Mixture, MixtureCapacity, Predictor};
use surefill::runtime::RuntimeBins;
use surefill::wait::WaitPredictor;

const M: usize = 3;
const N: usize = 4;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        (splitmix(&mut self.0) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick(&mut self, p: &[f64]) -> usize {
        let mut left = self.unit();
        p.iter()
            .position(|p| {
                left -= p;
                left < 0.0
            })
            .unwrap_or(p.len() - 1)
    }
}

const START: [f64; M] = [0.5, 0.25, 0.25];
const STAY: [f64; M * M] = [0.95, 0.03, 0.02, 0.02, 0.95, 0.03, 0.05, 0.05, 0.9];
const RUNS: [f64; M * N] = [0.8, 0.2, 0.0, 0.0, 0.1, 0.1, 0.7, 0.1, 0.0, 0.0, 0.2, 0.8];
const LOADS: [f64; M] = [3.0, 1.0, 2.0];

/// Slots that the model above makes.
fn generate(slots: usize) -> Vec<[u32; N]> {
    let mut random = Random(11);
    let mut state = random.pick(&START);
    (0..slots)
        .map(|_| {
            let mut counts = [0; N];
            // A Poisson number by its definition: waiting times add up.
            let mut left = LOADS[state] + random.unit().ln();
            while left > 0.0 {
                counts[random.pick(&RUNS[state * N..][..N])] += 1;
                left += random.unit().ln();
            }
            state = random.pick(&STAY[state * M..][..M]);
            counts
        })
        .collect()
}

fn other_start(load: LoadModel) -> [Vec<f64>; 4] {
    let parameter = match load {
        LoadModel::None => vec![],
        LoadModel::Poisson => vec![2.5, 1.5, 2.0],
        LoadModel::Geometric => vec![0.3, 0.4, 0.5],
    };
    let transition = vec![0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8];
    let emission = vec![0.4, 0.3, 0.2, 0.1, 0.2, 0.2, 0.4, 0.2, 0.1, 0.2, 0.3, 0.4];
    [vec![0.25, 0.5, 0.25], transition, emission, parameter]
}

fn read(parameters: impl FnOnce(&mut ParametersMut<'_>)) -> Vec<Vec<f64>> {
    let mut all = [M, M * M, M * N, M].map(|length| vec![0.0; length]);
    let [start, transition, emission, load_parameter] = &mut all;
    parameters(&mut ParametersMut { start, transition, emission, load_parameter });
    all.into()
}

#[test]
fn held_parameters_and_steps_of_one_over_t_are_a_round_of_baum_welch() {
    let slots = generate(200);
    for load in [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric] {
        let [start, transition, emission, load_parameter] = other_start(load);
        let given = Parameters {
            load,
            start: &start,
            transition: &transition,
            emission: &emission,
            load_parameter: &load_parameter,
        };
        let limits = HmmCapacity { states: M as u32, bins: N as u32, slots: 200, cells: 1000 };
        let mut memory = vec![0u64; Hmm::size(&limits).unwrap() / 8];
        let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
        hmm.set_parameters(&given).unwrap();
        let mut memory = vec![0u64; OnlineHmm::size(M as u32, N as u32).unwrap() / 8];
        let options = OnlineOptions { exponent: 1.0, hold: 199, ..OnlineOptions::default() };
        let mut online = OnlineHmm::init(bytemuck::cast_slice_mut(&mut memory), &given, &options).unwrap();
        let mut likelihood = 0.0;
        for (t, slot) in slots.iter().enumerate() {
            likelihood += online.learn(slot).unwrap().log_likelihood;
            hmm.extend(t as i64).unwrap();
            for (bin, count) in slot.iter().enumerate() {
                (0..*count).for_each(|_| hmm.observe(t as i64, bin as u32).unwrap());
            }
        }
        hmm.begin_training(0..200).unwrap();
        let Training::Round(round) = hmm.train(u64::MAX).unwrap() else { panic!("not complete") };
        assert!((round.log_likelihood - likelihood).abs() < 1e-9 * likelihood.abs());
        let batch = read(|out| hmm.parameters(out).unwrap());
        let found = read(|out| online.parameters(out).unwrap());
        // All parameters but pi, which one slot does not determine.
        for (found, batch) in found[1..].iter().flatten().zip(batch[1..].iter().flatten()) {
            assert!((found - batch).abs() < 1e-9, "{load:?}: {found} {batch}");
        }
        assert_eq!(found[0], start);
    }
}

#[test]
fn learns_nearly_what_baum_welch_learns() {
    let slots = generate(8000);
    let [start, transition, emission, load_parameter] = other_start(LoadModel::Poisson);
    let given = Parameters {
        load: LoadModel::Poisson,
        start: &start,
        transition: &transition,
        emission: &emission,
        load_parameter: &load_parameter,
    };
    let limits = HmmCapacity { states: M as u32, bins: N as u32, slots: 8000, cells: 40_000 };
    let mut memory = vec![0u64; Hmm::size(&limits).unwrap() / 8];
    let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let mut block = vec![0u64; OnlineHmm::size(M as u32, N as u32).unwrap() / 8];
    OnlineHmm::init(bytemuck::cast_slice_mut(&mut block), &given, &OnlineOptions::default()).unwrap();
    hmm.extend(0).unwrap();
    for (t, slot) in slots.iter().enumerate() {
        let mut online = OnlineHmm::attach(bytemuck::cast_slice_mut(&mut block)).unwrap();
        if t < 6000 {
            online.learn(slot).unwrap();
        }
        hmm.extend(t as i64).unwrap();
        for (bin, count) in slot.iter().enumerate() {
            (0..*count).for_each(|_| hmm.observe(t as i64, bin as u32).unwrap());
        }
        if t == 3000 {
            // On through a checkpoint.
            OnlineHmm::seal(bytemuck::cast_slice_mut(&mut block)).unwrap();
            let mut damaged = block.clone();
            damaged[99] ^= 1;
            let refused = OnlineHmm::open(bytemuck::cast_slice_mut(&mut damaged)).err();
            assert_eq!(refused, Some(Error::Corrupt));
            OnlineHmm::open(bytemuck::cast_slice_mut(&mut block)).unwrap();
        }
    }
    let test = |hmm: &Hmm<'_>| hmm.log_likelihood(6000..8000, Evidence::Jobs).unwrap();
    hmm.set_parameters(&given).unwrap();
    let untrained = test(&hmm);
    hmm.begin_training(0..6000).unwrap();
    for _ in 0..60 {
        hmm.train(u64::MAX).unwrap();
    }
    let batch = test(&hmm);
    let online = OnlineHmm::attach(bytemuck::cast_slice_mut(&mut block)).unwrap();
    assert_eq!(online.slots(), 6000);
    let found = read(|out| online.parameters(out).unwrap());
    hmm.set_parameters(&Parameters {
        load: LoadModel::Poisson,
        start: &found[0],
        transition: &found[1],
        emission: &found[2],
        load_parameter: &found[3],
    })
    .unwrap();
    let online = test(&hmm);
    println!("slots not seen before: untrained {untrained:.1}, on line {online:.1}, batch {batch:.1}");
    assert!(online > untrained + 0.9 * (batch - untrained), "{untrained} {online} {batch}");
}

#[test]
fn refuses_what_is_no_model_and_skips_what_it_cannot_explain() {
    let [start, transition, emission, _] = other_start(LoadModel::None);
    let mut given = Parameters {
        load: LoadModel::None,
        start: &start,
        transition: &transition,
        emission: &emission,
        load_parameter: &[],
    };
    let size = OnlineHmm::size(M as u32, N as u32).unwrap();
    let mut memory = vec![0u64; size / 8];
    let mut init = |given: &Parameters<'_>, exponent, length| {
        let options = OnlineOptions { exponent, hold: 0, ..OnlineOptions::default() };
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
        OnlineHmm::init(&mut bytes[..length], given, &options).err()
    };
    assert_eq!(init(&given, 0.5, size), Some(Error::OutOfRange));
    assert_eq!(init(&given, 1.1, size), Some(Error::OutOfRange));
    assert_eq!(init(&given, f64::NAN, size), Some(Error::NotANumber));
    assert_eq!(init(&given, 0.6, size - 8), Some(Error::TooSmall));
    given.start = &[0.5; 3];
    assert_eq!(init(&given, 0.6, size), Some(Error::NotADistribution));
    given.start = &[];
    assert_eq!(init(&given, 0.6, size), Some(Error::OutOfRange));
    assert_eq!(OnlineHmm::size(0, 4), Err(Error::OutOfRange));
    assert_eq!(OnlineHmm::size(3, 1), Err(Error::OutOfRange));
    // Bins 0 and 1 only: a job in bin 2 is not explained, and changes nothing that is learnt.
    given.start = &start;
    let narrow = [0.5, 0.5, 0.0, 0.0].repeat(3);
    given.emission = &narrow;
    let without = OnlineOptions { floor: 0.0, ..OnlineOptions::default() };
    let mut online = OnlineHmm::init(bytemuck::cast_slice_mut(&mut memory), &given, &without).unwrap();
    assert_eq!(online.learn(&[1, 0, 0]), Err(Error::OutOfRange));
    assert_eq!(online.learn(&[u32::MAX, 1, 0, 0]), Err(Error::OutOfRange));
    assert!((online.learn(&[1, 0, 0, 0]).unwrap().log_likelihood - 0.5f64.ln()).abs() < 1e-15);
    let not = Learnt { log_likelihood: f64::NEG_INFINITY, explained: false };
    assert_eq!(online.learn(&[0, 0, 1, 0]), Ok(not));
    assert!((online.learn(&[0, 1, 0, 0]).unwrap().log_likelihood - 0.5f64.ln()).abs() < 1e-15);
    assert_eq!(online.slots(), 3);
    let mut found = [0.0; 4];
    assert_eq!(online.probabilities(&mut found[..3]), Err(Error::OutOfRange));
    online.probabilities(&mut found).unwrap();
    assert!(found.iter().zip(&narrow).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
}

#[test]
fn with_a_floor_a_bin_that_no_state_has_is_learnt() {
    // Two states, three bins, the last of which neither has: under a floor f it has probability f / 3, whatever the
    // state.
    let (start, transition) = ([0.5, 0.5], [0.75, 0.25, 0.25, 0.75]);
    let emission = [0.75, 0.25, 0.0, 0.25, 0.75, 0.0];
    let given = Parameters {
        load: LoadModel::None,
        start: &start,
        transition: &transition,
        emission: &emission,
        load_parameter: &[],
    };
    let mut memory = vec![0u64; OnlineHmm::size(2, 3).unwrap() / 8];
    let floor = 0.03;
    let options = OnlineOptions { exponent: 1.0, hold: 1, floor };
    let mut online = OnlineHmm::init(bytemuck::cast_slice_mut(&mut memory), &given, &options).unwrap();
    let first = online.learn(&[1, 0, 0]).unwrap();
    assert!(first.explained && (first.log_likelihood - 0.5f64.ln()).abs() < 1e-15);
    // The states have 3/4 and 1/4 now, 5/8 and 3/8 in the next slot, which has a job of the second bin and one of the
    // third.
    let second = online.learn(&[0, 1, 1]).unwrap();
    let b = |p: f64| (1.0 - floor) * p + floor / 3.0;
    let expected = (0.625 * b(0.25) + 0.375 * b(0.75)) * floor / 3.0;
    assert!(!second.explained && (second.log_likelihood - expected.ln()).abs() < 1e-12, "{second:?}");
    // Then comes a maximisation step, and the bin is known.
    let mut found = [0.0; 3];
    online.probabilities(&mut found).unwrap();
    assert!(found[2] > 0.2 && (found.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{found:?}");
    assert!(online.learn(&[0, 0, 5]).unwrap().explained);
}

#[test]
fn other_objects_are_distinguished() {
    let start = [1.0];
    let given = Parameters {
        load: LoadModel::None,
        start: &start,
        transition: &start,
        emission: &[0.5, 0.5],
        load_parameter: &[],
    };
    let mut online = vec![0u64; OnlineHmm::size(1, 2).unwrap() / 8];
    OnlineHmm::init(bytemuck::cast_slice_mut(&mut online), &given, &OnlineOptions::default()).unwrap();
    let limits = MixtureCapacity { bins: 2, keys: 1, experts: 1, histories: 8 };
    let mut mixture = vec![0u64; Mixture::size(&limits).unwrap() / 8];
    let bins = RuntimeBins::new(1.0, 2.0, 2).unwrap();
    Mixture::init(bytemuck::cast_slice_mut(&mut mixture), &limits, &bins, &Expert::USER).unwrap();
    // Long enough for the head of any.
    online.resize(1 << 13, 0);
    mixture.resize(1 << 13, 0);
    let (online, mixture) = (bytemuck::cast_slice_mut(&mut online), bytemuck::cast_slice_mut(&mut mixture));
    assert_eq!(OnlineHmm::attach(mixture).err(), Some(Error::WrongObject));
    assert_eq!(Mixture::attach(online).err(), Some(Error::WrongObject));
    assert_eq!(Hmm::attach(mixture).err(), Some(Error::WrongObject));
    assert_eq!(Predictor::attach(mixture).err(), Some(Error::WrongObject));
    assert_eq!(WaitPredictor::attach(mixture).err(), Some(Error::WrongObject));
    OnlineHmm::attach(online).unwrap();
    Mixture::attach(mixture).unwrap();
}
