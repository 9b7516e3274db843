//! The hidden Markov model against enumeration: the probability of every sequence of states, added up.

use proptest::prelude::*;
use surefill::error::Error;
use surefill::hmm::{Evidence, Hmm, HmmCapacity, LoadModel, Parameters, ParametersMut, Training};
use surefill::runtime::MAX_BINS;

/// A model in plain vectors.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    load: LoadModel,
    start: Vec<f64>,
    transition: Vec<Vec<f64>>,
    emission: Vec<Vec<f64>>,
    parameter: Vec<f64>,
}

impl Plain {
    /// The probability of a slot's jobs (a count for each bin) in a state.
    fn emits(&self, state: usize, slot: &[u32], evidence: Evidence) -> f64 {
        let jobs: u32 = slot.iter().sum();
        let mut p = match self.load {
            LoadModel::None => 1.0,
            LoadModel::Poisson => {
                let mean = self.parameter[state];
                (1..=jobs).fold((-mean).exp(), |p, k| p * mean / f64::from(k))
            }
            LoadModel::Geometric => self.parameter[state] * (1.0 - self.parameter[state]).powi(jobs as i32),
        };
        if evidence == Evidence::Jobs {
            for (count, b) in slot.iter().zip(&self.emission[state]) {
                p *= b.powi(*count as i32);
            }
        }
        p
    }

    /// Every sequence of states with the probability of it and the slots.
    fn sequences(&self, slots: &[Vec<u32>], evidence: Evidence) -> Vec<(Vec<usize>, f64)> {
        let mut found = vec![(Vec::new(), 1.0)];
        for slot in slots {
            let mut longer = Vec::new();
            for (path, p) in &found {
                for state in 0..self.start.len() {
                    let moved =
                        path.last().map_or(self.start[state], |&last: &usize| self.transition[last][state]);
                    let mut path = path.clone();
                    path.push(state);
                    longer.push((path, p * moved * self.emits(state, slot, evidence)));
                }
            }
            found = longer;
        }
        found
    }

    /// One round of Baum-Welch from the definition.
    fn round(&self, slots: &[Vec<u32>]) -> Plain {
        let m = self.start.len();
        let sequences = self.sequences(slots, Evidence::Jobs);
        let total: f64 = sequences.iter().map(|(_, p)| p).sum();
        let mut start = vec![0.0; m];
        let mut moves = vec![vec![0.0; m]; m];
        let mut jobs = vec![vec![0.0; self.emission[0].len()]; m];
        let mut visits = vec![0.0; m];
        for (path, p) in sequences {
            let weight = p / total;
            start[path[0]] += weight;
            for pair in path.windows(2) {
                moves[pair[0]][pair[1]] += weight;
            }
            for (state, slot) in path.iter().zip(slots) {
                visits[*state] += weight;
                for (sum, count) in jobs[*state].iter_mut().zip(slot) {
                    *sum += weight * f64::from(*count);
                }
            }
        }
        let normalise = |rows: Vec<Vec<f64>>, old: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            let pairs = rows.into_iter().zip(old);
            pairs
                .map(|(row, old)| match row.iter().sum::<f64>() {
                    0.0 => old.clone(),
                    sum => row.iter().map(|x| x / sum).collect(),
                })
                .collect()
        };
        let parameter = (0..self.parameter.len()).map(|i| {
            let load: f64 = jobs[i].iter().sum();
            match self.load {
                _ if visits[i] == 0.0 => self.parameter[i],
                LoadModel::Geometric => visits[i] / (visits[i] + load),
                _ => load / visits[i],
            }
        });
        let parameter = parameter.collect();
        let transition = normalise(moves, &self.transition);
        Plain { load: self.load, start, transition, emission: normalise(jobs, &self.emission), parameter }
    }
}

/// A model in its block, with these slots observed.
struct World {
    memory: Vec<u64>,
}

impl World {
    fn new(model: &Plain, slots: &[Vec<u32>]) -> World {
        let limits = HmmCapacity {
            states: model.start.len() as u32,
            bins: model.emission[0].len() as u32,
            slots: slots.len().max(2) as u32,
            cells: 256,
        };
        let mut memory = vec![u64::MAX; Hmm::size(&limits).unwrap().div_ceil(8)];
        let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
        hmm.set_parameters(&Parameters {
            load: model.load,
            start: &model.start,
            transition: &model.transition.concat(),
            emission: &model.emission.concat(),
            load_parameter: &model.parameter,
        })
        .unwrap();
        for (t, slot) in slots.iter().enumerate() {
            hmm.extend(t as i64).unwrap();
            for (bin, count) in slot.iter().enumerate() {
                for _ in 0..*count {
                    hmm.observe(t as i64, bin as u32).unwrap();
                }
            }
        }
        World { memory }
    }

    fn hmm(&mut self) -> Hmm<'_> {
        Hmm::attach(bytemuck::cast_slice_mut(&mut self.memory)).unwrap()
    }
}

fn read(hmm: &Hmm<'_>) -> Plain {
    let (m, n) = (hmm.capacity().states as usize, hmm.capacity().bins as usize);
    let (mut start, mut transition) = (vec![0.0; m], vec![0.0; m * m]);
    let (mut emission, mut parameter) = (vec![0.0; m * n], vec![0.0; m]);
    hmm.parameters(&mut ParametersMut {
        start: &mut start,
        transition: &mut transition,
        emission: &mut emission,
        load_parameter: &mut parameter,
    })
    .unwrap();
    if hmm.load() == LoadModel::None {
        parameter.clear();
    }
    let rows = |flat: Vec<f64>, of: usize| flat.chunks(of).map(<[f64]>::to_vec).collect();
    Plain { load: hmm.load(), start, transition: rows(transition, m), emission: rows(emission, n), parameter }
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-11 * (1.0 + a.abs().max(b.abs()))
}

#[track_caller]
fn all_close(a: &[f64], b: &[f64]) {
    assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b)), "{a:?}\n{b:?}");
}

#[track_caller]
fn same_model(a: &Plain, b: &Plain) {
    all_close(&a.start, &b.start);
    all_close(&a.transition.concat(), &b.transition.concat());
    all_close(&a.emission.concat(), &b.emission.concat());
    all_close(&a.parameter, &b.parameter);
}

/// A distribution of this number of probabilities; zeros occur.
fn distribution(count: usize) -> impl Strategy<Value = Vec<f64>> {
    let entry = prop_oneof![1 => Just(0.0), 4 => 0.01f64..1.0];
    prop::collection::vec(entry, count).prop_map(|mut p| {
        if p.iter().all(|p| *p == 0.0) {
            p[0] = 1.0;
        }
        let sum: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p /= sum);
        p
    })
}

fn model(m: usize, n: usize) -> impl Strategy<Value = Plain> {
    let load = prop_oneof![Just(LoadModel::None), Just(LoadModel::Poisson), Just(LoadModel::Geometric)];
    let rows = move |of| prop::collection::vec(distribution(of), m);
    (load, distribution(m), rows(m), rows(n), prop::collection::vec(0.05f64..1.0, m)).prop_map(
        |(load, start, transition, emission, mut parameter)| {
            match load {
                LoadModel::None => parameter.clear(),
                LoadModel::Poisson => parameter.iter_mut().for_each(|p| *p *= 4.0),
                LoadModel::Geometric => (),
            }
            Plain { load, start, transition, emission, parameter }
        },
    )
}

fn slots(n: usize, most: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    let count = prop_oneof![3 => Just(0u32), 2 => Just(1), 1 => 2u32..5];
    prop::collection::vec(prop::collection::vec(count, n), 1..=most)
}

fn case() -> impl Strategy<Value = (Plain, Vec<Vec<u32>>)> {
    (1usize..4, 2usize..5).prop_flat_map(|(m, n)| (model(m, n), slots(n, if m < 3 { 9 } else { 6 })))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn likelihood_filter_and_smoothing_are_those_of_enumeration((plain, slots) in case()) {
        let mut world = World::new(&plain, &slots);
        let mut hmm = world.hmm();
        let (m, count) = (plain.start.len(), slots.len() as i64);
        for evidence in [Evidence::Jobs, Evidence::LoadOnly] {
            let total: f64 = plain.sequences(&slots, evidence).iter().map(|(_, p)| p).sum();
            let found = hmm.log_likelihood(0..count, evidence).unwrap();
            prop_assert!(close(found, total.ln()), "{found} {}", total.ln());
        }
        let sequences = plain.sequences(&slots, Evidence::Jobs);
        let total: f64 = sequences.iter().map(|(_, p)| p).sum();
        let at = |t: usize, state: usize| -> f64 {
            sequences.iter().filter(|(path, _)| path[t] == state).map(|(_, p)| p / total).sum()
        };
        let mut filtered = vec![0.0; m];
        let found = hmm.filter(0..count, &mut filtered).unwrap();
        prop_assert!(close(found, total.ln()));
        if total > 0.0 {
            all_close(&filtered, &(0..m).map(|i| at(slots.len() - 1, i)).collect::<Vec<_>>());
        }
        let mut seen = Vec::new();
        let found = hmm.smooth(0..count, |slot, gamma| seen.push((slot, gamma.to_vec()))).unwrap();
        prop_assert!(close(found, total.ln()));
        prop_assert_eq!(seen.len(), if total > 0.0 { slots.len() } else { 0 });
        for (t, gamma) in seen {
            all_close(&gamma, &(0..m).map(|i| at(t as usize, i)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_most_likely_path_is_that_of_enumeration((plain, slots) in case()) {
        let mut world = World::new(&plain, &slots);
        let mut path = vec![99i32; slots.len()];
        let found = world.hmm().viterbi(0..slots.len() as i64, &mut path).unwrap();
        let sequences = plain.sequences(&slots, Evidence::Jobs);
        let best = sequences.iter().map(|(_, p)| *p).fold(0.0, f64::max);
        prop_assert!(close(found, best.ln()));
        if best > 0.0 {
            let states: Vec<usize> = path.iter().map(|&state| state as usize).collect();
            let (_, p) = sequences.iter().find(|(path, _)| *path == states).unwrap();
            prop_assert!(close(p.ln(), best.ln()), "{path:?} {p} {best}");
        } else {
            prop_assert!(path.iter().all(|&state| state == 99));
        }
    }

    #[test]
    fn a_round_of_training_is_that_of_enumeration((plain, slots) in case()) {
        let total: f64 = plain.sequences(&slots, Evidence::Jobs).iter().map(|(_, p)| p).sum();
        prop_assume!(total > 0.0);
        let mut world = World::new(&plain, &slots);
        let mut hmm = world.hmm();
        hmm.begin_training(0..slots.len() as i64).unwrap();
        let Training::Round(round) = hmm.train(u64::MAX).unwrap() else { panic!("not complete") };
        prop_assert_eq!((round.adapted, round.rounds), (0, 1));
        prop_assert_eq!(round.jobs, slots.iter().flatten().map(|&c| u64::from(c)).sum::<u64>());
        prop_assert!(close(round.log_likelihood, total.ln()));
        let (expected, found) = (plain.round(&slots), read(&hmm));
        same_model(&found, &expected);
        let flat = |m: &Plain| [m.start.clone(), m.transition.concat(), m.emission.concat(), m.parameter.clone()].concat();
        let changes: Vec<f64> = flat(&plain).iter().zip(flat(&found)).map(|(a, b)| (a - b).abs()).collect();
        prop_assert!(close(round.l1, changes.iter().sum()));
        prop_assert!(close(round.l_infinity, changes.iter().copied().fold(0.0, f64::max)));
    }

    #[test]
    fn the_likelihood_never_falls_and_slices_change_no_bit(
        (plain, slots) in (2usize..6, 2usize..6).prop_flat_map(|(m, n)| (model(m, n), slots(n, 40))),
        slices in prop::collection::vec(1u64..30, 1..8),
    ) {
        let count = slots.len() as i64;
        let (mut whole, mut sliced) = (World::new(&plain, &slots), World::new(&plain, &slots));
        whole.hmm().begin_training(0..count).unwrap();
        sliced.hmm().begin_training(0..count).unwrap();
        let mut last = f64::NEG_INFINITY;
        let mut slices = slices.iter().cycle();
        for _ in 0..6 {
            let Training::Round(round) = whole.hmm().train(u64::MAX).unwrap() else { panic!("not complete") };
            let mut granted = 0;
            let other = loop {
                let work = *slices.next().unwrap();
                granted += work;
                // Like a program that is stopped and started between any two calls.
                if let Training::Round(round) = sliced.hmm().train(work).unwrap() {
                    break round;
                }
            };
            // A round visits every slot three times, and no call visits more of them than it was granted.
            prop_assert!(granted >= 3 * count as u64, "{granted} for {count} slots");
            prop_assert_eq!(round, other);
            prop_assert!(round.log_likelihood >= last - 1e-10 * (1.0 + last.abs()), "{last} {}", round.log_likelihood);
            prop_assert!(round.log_likelihood.is_finite());
            last = round.log_likelihood;
            prop_assert_eq!(read(&whole.hmm()), read(&sliced.hmm()));
        }
    }
}

#[test]
fn a_slot_that_no_state_explains_bends_the_model() {
    // Two states, each with a bin of its own; the second slot has both.
    let plain = Plain {
        load: LoadModel::None,
        start: vec![0.5; 2],
        transition: vec![vec![0.5; 2]; 2],
        emission: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        parameter: vec![],
    };
    let slots = vec![vec![6, 0], vec![1, 1], vec![0, 2]];
    let mut world = World::new(&plain, &slots);
    let mut hmm = world.hmm();
    assert_eq!(hmm.log_likelihood(0..3, Evidence::Jobs).unwrap(), f64::NEG_INFINITY);
    assert_eq!(hmm.smooth(0..3, |_, _| panic!("nothing to see")).unwrap(), f64::NEG_INFINITY);
    hmm.begin_training(0..3).unwrap();
    let Training::Round(round) = hmm.train(u64::MAX).unwrap() else { panic!("not complete") };
    // Two of ten jobs: B = 0.8 B + 0.2 (0.5, 0.5).
    let bent = Plain { emission: vec![vec![0.9, 0.1], vec![0.1, 0.9]], ..plain };
    assert_eq!(round.adapted, 1);
    same_model(&read(&hmm), &bent.round(&slots));
    let total: f64 = bent.sequences(&slots, Evidence::Jobs).iter().map(|(_, p)| p).sum();
    assert!(close(round.log_likelihood, total.ln()));
}

#[test]
fn bad_parameters_are_refused_and_change_nothing() {
    let plain = Plain {
        load: LoadModel::Poisson,
        start: vec![0.25, 0.75],
        transition: vec![vec![0.5, 0.5], vec![0.1, 0.9]],
        emission: vec![vec![0.2, 0.3, 0.5], vec![0.6, 0.4, 0.0]],
        parameter: vec![1.0, 2.0],
    };
    let mut world = World::new(&plain, &[vec![1, 0, 0]]);
    let before = world.memory.clone();
    let refused = |world: &mut World, change: &dyn Fn(&mut Plain)| {
        let mut bad = plain.clone();
        change(&mut bad);
        let (transition, emission) = (bad.transition.concat(), bad.emission.concat());
        let result = world.hmm().set_parameters(&Parameters {
            load: bad.load,
            start: &bad.start,
            transition: &transition,
            emission: &emission,
            load_parameter: &bad.parameter,
        });
        assert_eq!(world.memory, before);
        result.unwrap_err()
    };
    assert_eq!(refused(&mut world, &|m| m.start[0] = 0.26), Error::NotADistribution);
    assert_eq!(refused(&mut world, &|m| m.start[0] = 0.25 + 2e-9), Error::NotADistribution);
    assert_eq!(refused(&mut world, &|m| m.transition[1][0] = f64::NAN), Error::NotANumber);
    assert_eq!(refused(&mut world, &|m| m.transition[1] = vec![-0.1, 1.1]), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.emission[1] = vec![0.0; 3]), Error::NotADistribution);
    assert_eq!(refused(&mut world, &|m| m.emission[1] = vec![0.5, 0.5]), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.emission[1][0] = f64::INFINITY), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.start = vec![1.0]), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.start = vec![]), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.parameter[0] = -1.0), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.parameter[0] = f64::NAN), Error::NotANumber);
    assert_eq!(refused(&mut world, &|m| m.parameter = vec![1.0]), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.load = LoadModel::None), Error::OutOfRange);
    assert_eq!(refused(&mut world, &|m| m.load = LoadModel::Geometric), Error::OutOfRange);
    assert_eq!(
        refused(&mut world, &|m| (m.load, m.parameter[0]) = (LoadModel::Geometric, 0.0)),
        Error::OutOfRange
    );

    let mut hmm = world.hmm();
    assert_eq!(hmm.observe(0, 3), Err(Error::OutOfRange));
    assert_eq!(hmm.observe(-1, 0), Err(Error::OutOfRange));
    assert_eq!(hmm.observe(i64::MAX, 0), Err(Error::OutOfRange));
    assert_eq!(hmm.log_likelihood(0..2, Evidence::Jobs), Err(Error::OutOfRange));
    assert_eq!(hmm.log_likelihood(0..0, Evidence::Jobs), Err(Error::OutOfRange));
    assert_eq!(hmm.train(1), Err(Error::WrongState));
    assert_eq!(world.memory, before);
}

#[test]
fn refuses_limits_and_memory_that_make_no_model() {
    let good = HmmCapacity { states: 2, bins: 3, slots: 4, cells: 10 };
    for bad in [
        HmmCapacity { states: 0, ..good },
        HmmCapacity { states: 65, ..good },
        HmmCapacity { bins: 1, ..good },
        HmmCapacity { bins: MAX_BINS as u32 + 1, cells: 100, ..good },
        HmmCapacity { slots: 1, ..good },
        HmmCapacity { slots: u32::MAX, ..good },
        HmmCapacity { cells: 2, ..good },
        HmmCapacity { cells: u32::MAX, ..good },
    ] {
        assert_eq!(Hmm::size(&bad), Err(Error::OutOfRange), "{bad:?}");
    }
    let mut memory = vec![0u64; Hmm::size(&good).unwrap() / 8];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    let size = bytes.len();
    assert_eq!(Hmm::init(&mut bytes[..size - 1], &good).err(), Some(Error::TooSmall));
    assert_eq!(Hmm::init(&mut bytes[1..], &good).err(), Some(Error::TooSmall));
    assert_eq!(Hmm::attach(bytes).err(), Some(Error::WrongObject));
    let mut hmm = Hmm::init(bytes, &good).unwrap();
    assert_eq!(hmm.log_likelihood(0..1, Evidence::Jobs), Err(Error::OutOfRange));
    hmm.extend(5).unwrap();
    assert_eq!(hmm.log_likelihood(5..6, Evidence::Jobs), Err(Error::WrongState));
}
