//! The hidden Markov model as its callers know it: memory, initial values, halved slots, full histories, checkpoints.

use std::collections::BTreeMap;
use surefill::error::Error;
use surefill::hmm::{
    Evidence, Hmm, HmmCapacity, Initial, LoadModel, Parameters, ParametersMut, Round, Termination, Training,
};
use surefill::runtime::MAX_BINS;

const LIMITS: HmmCapacity = HmmCapacity { states: 2, bins: 3, slots: 100, cells: 300 };

fn memory(limits: &HmmCapacity) -> Vec<u64> {
    let mut memory = vec![u64::MAX; Hmm::size(limits).unwrap() / 8];
    Hmm::init(bytemuck::cast_slice_mut(&mut memory), limits).unwrap();
    memory
}

fn attach(memory: &mut [u64]) -> Hmm<'_> {
    Hmm::attach(bytemuck::cast_slice_mut(memory)).unwrap()
}

/// pi, A, B and the load's parameters.
fn read(hmm: &Hmm<'_>) -> [Vec<f64>; 4] {
    let (m, n) = (hmm.capacity().states as usize, hmm.capacity().bins as usize);
    let mut all = [m, m * m, m * n, m].map(|length| vec![f64::NAN; length]);
    let [start, transition, emission, load_parameter] = &mut all;
    hmm.parameters(&mut ParametersMut { start, transition, emission, load_parameter }).unwrap();
    all
}

#[test]
fn memory_follows_the_documented_formula() {
    for states in [1u32, 8, 16, 33, 64] {
        for (bins, slots, cells) in [(2, 2, 2), (24, 35_136, 100_000), (MAX_BINS as u32, 1_000_000, 96)] {
            let limits = HmmCapacity { states, bins, slots, cells };
            let size = Hmm::size(&limits).unwrap() as f64;
            let (m, s) = (f64::from(states), f64::from(states.next_multiple_of(8)));
            let (n, t, c) = (f64::from(bins), f64::from(slots), f64::from(cells));
            let most = 20.0 * t
                + 12.0 * c
                + 24.0 * (t.sqrt() + 2.0) * (s + 1.0)
                + 8.0 * s * (5.0 * m + 7.0 * n + 12.0)
                + 400.0;
            assert!(size <= most && size >= 0.95 * most - 1000.0, "{limits:?}: {size}, formula {most}");
        }
    }
    let year = Hmm::size(&HmmCapacity { cells: 80_000, ..HmmCapacity::default() }).unwrap();
    assert!(year < 1_900_000, "{year}");
}

#[test]
fn static_initial_values_are_algorithm_3() {
    // Five states, seven bins: bounds 0, 1, 2, 4, 5, 7.
    let limits = HmmCapacity { states: 5, bins: 7, ..LIMITS };
    let mut memory = memory(&limits);
    attach(&mut memory).init_static(LoadModel::Geometric, 3.0).unwrap();
    let [start, transition, emission, load] = read(&attach(&mut memory));
    assert_eq!((start, transition, load), (vec![0.2; 5], vec![0.2; 25], vec![0.25; 5]));
    let row = |own: std::ops::Range<usize>| {
        let p = move |j| if own.contains(&j) { 2.0 } else { 1.0 } / (own.len() + 7) as f64;
        (0..7).map(p).collect::<Vec<f64>>()
    };
    assert_eq!(emission, [row(0..1), row(1..2), row(2..4), row(4..5), row(5..7)].concat());
    // More states than bins: some have no bins of their own.
    let limits = HmmCapacity { states: 5, bins: 2, ..LIMITS };
    let mut memory = self::memory(&limits);
    attach(&mut memory).init_static(LoadModel::None, 1.0).unwrap();
    let emission = &read(&attach(&mut memory))[2];
    for p in emission.chunks(2) {
        assert!((p[0] + p[1] - 1.0).abs() < 1e-15);
    }
    assert_eq!(attach(&mut memory).init_static(LoadModel::None, 0.0), Err(Error::OutOfRange));
    assert_eq!(attach(&mut memory).init_static(LoadModel::None, f64::NAN), Err(Error::NotANumber));
}

#[test]
fn k_means_separates_what_is_separate() {
    let limits = HmmCapacity { states: 4, bins: 8, ..LIMITS };
    let mut memory = memory(&limits);
    let mut hmm = attach(&mut memory);
    assert_eq!(hmm.init_k_means(LoadModel::None, 0..1), Err(Error::OutOfRange));
    hmm.extend(0).unwrap();
    assert_eq!(hmm.init_k_means(LoadModel::None, 0..1), Err(Error::Empty));
    // Slot t has two jobs, in bins 2 (t mod 4) and the next; every fifth slot is empty.
    for t in (0..100).filter(|t| t % 5 != 0) {
        hmm.observe(t, 2 * (t % 4) as u32).unwrap();
        hmm.observe(t, 2 * (t % 4) as u32 + 1).unwrap();
    }
    hmm.init_k_means(LoadModel::Poisson, 0..100).unwrap();
    let [start, transition, emission, load] = read(&hmm);
    assert_eq!((start, transition, load), (vec![0.25; 4], vec![0.25; 16], vec![1.6; 4]));
    let mut rows: Vec<Vec<u32>> =
        emission.chunks(8).map(|row| row.iter().map(|p| (p * 2.0) as u32).collect()).collect();
    rows.sort();
    let own = |i: u32| (0..8).map(|j| u32::from(j / 2 == 3 - i)).collect::<Vec<_>>();
    assert_eq!(rows, (0..4).map(own).collect::<Vec<_>>());
}

#[test]
fn sliced_k_means_is_the_same() {
    let limits = HmmCapacity { states: 8, bins: 8, ..LIMITS };
    let (mut one, mut other) = (memory(&limits), memory(&limits));
    for memory in [&mut one, &mut other] {
        let mut hmm = attach(memory);
        let mut random = 3u64;
        hmm.extend(0).unwrap();
        for t in 0..100 {
            for _ in 0..t % 4 {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                hmm.observe(t, ((random >> 40) % 5 + t as u64 / 25) as u32).unwrap();
            }
        }
        hmm.begin_training_from(Initial::KMeans, LoadModel::Geometric, 0..100).unwrap();
    }
    let Training::Round(round) = attach(&mut one).train(u64::MAX).unwrap() else { panic!("not complete") };
    let mut slices = 0;
    let sliced = loop {
        slices += 1;
        if let Training::Round(round) = attach(&mut other).train(7).unwrap() {
            break round;
        }
    };
    assert!(slices > 100);
    assert_eq!(round, sliced);
    assert_eq!(one, other);
}

#[test]
fn halved_slots_double_the_time_in_a_state() {
    let mut memory = memory(&LIMITS);
    assert_eq!(attach(&mut memory).halve_slots(), Err(Error::WrongState));
    for (load, before, after) in [
        (LoadModel::Poisson, [4.0, 0.0], [2.0, 0.0]),
        (LoadModel::Geometric, [0.25, 1.0], [0.4, 1.0]), // means 3 and 0
    ] {
        let mut hmm = attach(&mut memory);
        hmm.set_parameters(&Parameters {
            load,
            start: &[0.5, 0.5],
            transition: &[0.5, 0.5, 0.25, 0.75],
            emission: &[0.5, 0.25, 0.25, 0.0, 0.0, 1.0],
            load_parameter: &before,
        })
        .unwrap();
        hmm.observe(7, 1).unwrap();
        hmm.halve_slots().unwrap();
        let [start, transition, emission, parameter] = read(&hmm);
        assert_eq!(start, [0.5, 0.5]);
        assert_eq!(transition, [0.75, 0.25, 0.125, 0.875]);
        assert_eq!(emission, [0.5, 0.25, 0.25, 0.0, 0.0, 1.0]);
        assert_eq!(parameter, after);
        assert!(hmm.slots().is_empty());
    }
}

#[test]
fn the_oldest_slots_leave_a_full_history() {
    for (slots, cells) in [(16u32, 200u32), (16, 9), (3, 3), (40, 30)] {
        let limits = HmmCapacity { slots, cells, ..LIMITS };
        let mut memory = memory(&limits);
        let mut hmm = attach(&mut memory);
        hmm.init_static(LoadModel::None, 1.0).unwrap();
        // Everything ever observed, to be compared as far as it is held.
        let mut all: BTreeMap<i64, [u32; 3]> = BTreeMap::new();
        hmm.extend(0).unwrap();
        let (mut random, mut last) = (5u64, 0i64);
        for step in 0..3000 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let back = ((random >> 50) % 4) as i64;
            let slot = if random >> 62 == 0 { last + (random >> 40) as i64 % 3 } else { last - back };
            let bin = ((random >> 33) % 3) as usize;
            let held = hmm.slots();
            let result = hmm.observe(slot, bin as u32);
            if slot < held.start {
                assert_eq!(result, Err(Error::OutOfRange));
                continue;
            }
            result.unwrap();
            last = last.max(slot);
            all.entry(slot).or_default()[bin] += 1;
            let held = hmm.slots();
            assert!(held.end == last + 1 && held.end - held.start <= i64::from(slots));
            let jobs = |slot: i64| all.get(&slot).map_or(0, |counts| counts.iter().sum::<u32>());
            let expected: u32 = held.clone().map(jobs).sum();
            assert_eq!(hmm.jobs(held.clone()), u64::from(expected));
            // One at a time as well, and through the likelihood: Pr(slot) = sum_i pi_i prod_j B_ij^x.
            if step % 50 == 0 && !held.is_empty() {
                let [start, _, emission, _] = read(&hmm);
                for slot in held {
                    let counts = all.get(&slot).copied().unwrap_or_default();
                    let p: f64 = (0..2)
                        .map(|i| {
                            start[i]
                                * (0..3).map(|j| emission[3 * i + j].powi(counts[j] as i32)).product::<f64>()
                        })
                        .sum();
                    let found = hmm.log_likelihood(slot..slot + 1, Evidence::Jobs).unwrap();
                    assert!((found - p.ln()).abs() < 1e-9 * (1.0 + p.ln().abs()), "{found} {}", p.ln());
                }
            }
        }
    }
}

#[test]
fn training_survives_events_and_slots_that_leave() {
    let limits = HmmCapacity { slots: 20, ..LIMITS };
    let mut memory = memory(&limits);
    let mut hmm = attach(&mut memory);
    for slot in 0..20 {
        hmm.observe(slot, (slot % 3) as u32).unwrap();
    }
    hmm.begin_training_from(Initial::Static, LoadModel::None, 0..15).unwrap();
    assert_eq!(hmm.train(17), Ok(Training::More));
    // A change behind the slots in training has no effect; among them the round begins again with the present slots.
    hmm.observe(18, 1).unwrap();
    hmm.observe(3, 2).unwrap();
    assert_eq!(hmm.train(40), Ok(Training::More));
    hmm.extend(20).unwrap(); // 0 and 1 leave
    assert_eq!(hmm.slots(), 2..21);
    let Training::Round(round) = hmm.train(u64::MAX).unwrap() else { panic!("not complete") };
    assert_eq!((round.jobs, round.rounds), (14, 1));
    // The reference is a model that never saw anything else.
    let mut fresh = self::memory(&limits);
    let mut fresh = attach(&mut fresh);
    for slot in 2..15 {
        fresh.observe(slot, (slot % 3) as u32).unwrap();
    }
    fresh.observe(3, 2).unwrap();
    fresh.init_static(LoadModel::None, 1.0).unwrap();
    fresh.begin_training(2..15).unwrap();
    assert_eq!(fresh.train(u64::MAX), Ok(Training::Round(round)));
    assert_eq!(read(&fresh), read(&hmm));
    // All of them gone: training is over.
    hmm.extend(100).unwrap();
    assert!(!hmm.is_training());
    assert_eq!(hmm.train(1), Err(Error::WrongState));
}

#[test]
fn a_sealed_block_opens_again_and_no_other() {
    let mut memory = memory(&LIMITS);
    let mut hmm = attach(&mut memory);
    for slot in 0..50 {
        hmm.observe(slot, (slot * slot % 3) as u32).unwrap();
    }
    hmm.begin_training_from(Initial::Static, LoadModel::Poisson, 0..50).unwrap();
    assert_eq!(hmm.train(77), Ok(Training::More));
    let open = |memory: &mut Vec<u64>| Hmm::open(bytemuck::cast_slice_mut(memory)).map(|_| ());
    assert_eq!(open(&mut memory), Err(Error::Corrupt));
    Hmm::seal(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    let mut copy = memory.clone();
    let mut restored = Hmm::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
    assert_eq!(restored.train(u64::MAX), attach(&mut memory.clone()).train(u64::MAX));
    for byte in 0..memory.len() * 8 {
        bytemuck::cast_slice_mut::<u64, u8>(&mut memory)[byte] ^= 4;
        assert!(open(&mut memory).is_err(), "byte {byte}");
        bytemuck::cast_slice_mut::<u64, u8>(&mut memory)[byte] ^= 4;
    }
    assert_eq!(open(&mut memory), Ok(()));
    memory[0] = memory[0].swap_bytes();
    assert_eq!(open(&mut memory), Err(Error::ForeignByteOrder));
}

#[test]
fn training_stops_when_the_thesis_says() {
    let round = Round { log_likelihood: -1.0, l1: 2.0, l_infinity: 0.5, rounds: 7, jobs: 10_000, adapted: 0 };
    for (termination, reached) in [
        (Termination::Rounds(7), true),
        (Termination::Rounds(8), false),
        (Termination::L1(200.0), false), // sqrt(10,000) x 2 is not below
        (Termination::L1(200.1), true),
        (Termination::LInfinity(0.5), false),
        (Termination::LInfinity(0.51), true),
    ] {
        assert_eq!(termination.reached(&round), reached, "{termination:?}");
    }
}
