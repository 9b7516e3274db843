//! The predictor against a slow one that keeps every event and computes everything from scratch at every call, straight
//! from chapters 3 and 4 of the thesis.

#![allow(clippy::needless_range_loop)] // indices as in the thesis's formulas

mod naive;
#[path = "../common/splitmix.rs"]
mod splitmix;

use naive::{Job, Naive};
use splitmix::splitmix;
use surefill::hmm::{HmmCapacity, Initial, LoadModel, ParametersMut, Termination};
use surefill::predict::{Learning, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::RuntimeBins;

const STATES: usize = 4;
const BINS: usize = 5;
const SLOT: i64 = 100;
const INITIAL: i64 = 3000;
/// Longer than any test.
const FOREVER: i64 = 1 << 40;
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        splitmix(&mut self.0) % n
    }
}

#[track_caller]
fn close(found: &[f64], expected: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-7 * (1.0 + b.abs());
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{found:?}\n{expected:?}");
}

fn compare(seed: u64, options: PredictorOptions, window: u32) -> (usize, usize, usize) {
    let bins = RuntimeBins::new(20.0, 4.0, BINS).unwrap();
    let capacity = PredictorCapacity {
        jobs: 1000,
        hmm: HmmCapacity { states: STATES as u32, bins: BINS as u32, slots: 400, cells: 2000 },
        window,
        ..PredictorCapacity::of(PredictorKind::Hmm)
    };
    let mut memory = vec![u64::MAX; Predictor::size(&capacity).unwrap() / 8];
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, &bins, &options).unwrap();
    let bins_again = bins.clone();
    let mut naive = Naive {
        options,
        bins,
        jobs: Vec::new(),
        model: None,
        draft: None,
        trained: 0,
        l1: 0.0,
        ends: Vec::new(),
    };
    let mut said = std::collections::HashMap::new();
    let mut random = Random(seed);
    let mut now = -1234;
    let (mut spoke, mut silent, mut trainings) = (0, 0, 0);
    // Each running job's run time, drawn from the kind of work there is at its submission; the kinds change now and
    // then.
    let mut runs = std::collections::HashMap::new();
    let mut kind = 0;
    for step in 0..700 {
        let mut predictor = Predictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        now += [0, 0, 7, 13, 40, 150][random.below(6) as usize];
        if random.below(20) == 0 {
            kind = random.below(4);
        }
        // Jobs whose time has come end, in any order; those given up do not appear again.
        let due: Vec<i64> = naive
            .jobs
            .iter()
            .filter(|job| naive.counts(job, now) && job.started.is_some_and(|s| s + runs[&job.id] <= now))
            .map(|job| job.id)
            .collect();
        for id in due {
            predictor.end(id, now).unwrap();
            let job = naive.jobs.iter_mut().find(|job| job.id == id).unwrap();
            job.ended = Some(now);
            let bin = bins_again.bin_of((now - job.started.unwrap()) as f64);
            naive.ends.push((said.remove(&id).flatten(), bin));
        }
        let queued = naive.jobs.iter().filter(|job| job.ended.is_none() && job.started.is_none());
        let held = |id: &i64| options.oldest_seconds < FOREVER && id % 13 == 0;
        let queued: Vec<i64> = queued.map(|job| job.id).filter(|id| !held(id)).collect();
        match random.below(4) {
            0 | 1 if naive.jobs.iter().filter(|job| naive.counts(job, now)).count() < 20 => {
                let id = i64::from(step) * 7919;
                let base = [5, 30, 200, 1500][kind as usize];
                // After the initial period something new may come, so that models get surprised.
                let run = base + random.below(base as u64 * if step > 300 { 9 } else { 2 }) as i64;
                // Some ends are never reported, if jobs are given up for that, and some jobs are never started.
                let lost = options.oldest_seconds < FOREVER && random.below(10) == 0;
                runs.insert(id, if lost { FOREVER } else { run });
                said.insert(id, if naive.jobs.is_empty() { None } else { naive.alone(now) });
                predictor.submit(id, &[], now).unwrap();
                naive.jobs.push(Job { id, submitted: now, started: None, ended: None, cancelled: false });
            }
            2 | 3 if !queued.is_empty() => {
                let id = queued[random.below(queued.len() as u64) as usize];
                let job = naive.jobs.iter_mut().find(|job| job.id == id).unwrap();
                if random.below(12) == 0 {
                    predictor.cancel(id, now).unwrap();
                    (job.ended, job.cancelled) = (Some(now), true);
                } else {
                    predictor.start(id, now).unwrap();
                    job.started = Some(now);
                }
            }
            _ => (),
        }
        let waiting = naive.jobs.iter().filter(|job| job.ended.is_none()).count();
        assert_eq!(predictor.jobs() as usize, waiting);
        if naive.jobs.is_empty() {
            continue;
        }
        // It knows the time from events and its clock only.
        predictor.set_clock(now).unwrap();
        // Training goes on a little after most events, or to its end after some.
        assert_eq!(predictor.wants_training(), naive.wants_training(now), "step {step}");
        if predictor.wants_training() {
            if naive.draft.is_none() {
                naive.begin_training(now);
            }
            let whole = random.below(3) == 0;
            let learning = predictor.train(if whole { u64::MAX } else { 1 + random.below(400) }).unwrap();
            if let Learning::Done(round) = learning {
                trainings += 1;
                naive.model = naive.draft.take();
                close(&[round.l1], &[naive.l1]);
                let model = naive.model.as_ref().unwrap();
                let (mut start, mut transition) = ([0.0; STATES], [0.0; STATES * STATES]);
                let (mut emission, mut parameter) = ([0.0; STATES * BINS], [0.0; STATES]);
                predictor
                    .hmm()
                    .unwrap()
                    .parameters(&mut ParametersMut {
                        start: &mut start,
                        transition: &mut transition,
                        emission: &mut emission,
                        load_parameter: &mut parameter,
                    })
                    .unwrap();
                let found = [&start[..], &transition, &emission].concat();
                close(&found, &model.flat()[..found.len()]);
                if model.load != LoadModel::None {
                    close(&parameter, &model.parameter);
                }
            } else {
                assert!(!whole && learning == Learning::More);
            }
        } else {
            assert_eq!(predictor.train(1), Ok(Learning::Idle));
        }
        // Questions about later times are answered, and change nothing.
        for later in [now + random.below(300) as i64, now + random.below(6000) as i64] {
            let mut found = [7.0; BINS];
            let said = predictor.probabilities(&[], later, &mut found).unwrap();
            let expected = naive.predict(later);
            assert_eq!(said.is_some(), expected.is_none(), "step {step}: {said:?}");
            close(&found, &expected.unwrap_or(vec![7.0; BINS]));
        }
        let expected = naive.predict(now);
        let mut found = [7.0; BINS];
        if predictor.probabilities(&[], now, &mut found).unwrap().is_none() {
            close(&found, &expected.unwrap_or_else(|| panic!("step {step}: not silent")));
            spoke += 1;
            let distribution = predictor.predict(&[], now).unwrap().unwrap();
            close(distribution.binned().unwrap().1, &found);
        } else {
            assert_eq!(expected, None, "step {step}: silent");
            assert_eq!(found, [7.0; BINS]);
            assert!(predictor.predict(&[], now).unwrap().is_err());
            silent += 1;
        }
    }
    (spoke, silent, trainings)
}

fn options() -> PredictorOptions {
    PredictorOptions {
        slot_seconds: SLOT,
        initial_seconds: INITIAL,
        load: LoadModel::None,
        initial: Initial::Static,
        termination: Termination::L1(40.0),
        most_rounds: 50,
        restart_seconds: 1500,
        floor: 0.0,
        oldest_seconds: FOREVER,
        ..PredictorOptions::of(PredictorKind::Hmm)
    }
}

#[test]
fn agrees_with_the_naive_predictor_under_static_initial_values() {
    let (mut spoke, mut silent, mut trainings) = (0, 0, 0);
    for seed in 0..12 {
        for termination in [Termination::L1(40.0), Termination::Rounds(3), Termination::LInfinity(0.05)] {
            let load = [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric][seed % 3];
            let window = [1, 3, 1000][seed / 3 % 3];
            let found = compare(seed as u64, PredictorOptions { termination, load, ..options() }, window);
            spoke += found.0;
            silent += found.1;
            trainings += found.2;
        }
    }
    println!("spoke {spoke}, silent {silent}, trainings {trainings}");
    assert!(spoke > 5000 && silent > 2000 && trainings > 100);
}

#[test]
fn agrees_with_the_naive_predictor_under_k_means() {
    let mut trainings = 0;
    for seed in 100..112 {
        let load = [LoadModel::Geometric, LoadModel::None][seed % 2];
        let options = PredictorOptions { initial: Initial::KMeans, load, ..options() };
        trainings += compare(seed as u64, options, 7).2;
    }
    assert!(trainings > 20);
}

#[test]
fn agrees_with_the_naive_predictor_under_a_floor() {
    let (mut spoke, mut silent, mut trainings) = (0, 0, 0);
    for seed in 200..218 {
        let load = [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric][seed % 3];
        let window = [1, 3, 1000][seed / 3 % 3];
        let floor = [1e-3, 0.2][seed / 9 % 2];
        let initial = [Initial::Static, Initial::KMeans][seed % 2];
        let found = compare(seed as u64, PredictorOptions { floor, load, initial, ..options() }, window);
        spoke += found.0;
        silent += found.1;
        trainings += found.2;
    }
    println!("spoke {spoke}, silent {silent}, trainings {trainings}");
    assert!(spoke > 4000 && trainings > 30);
}

#[test]
fn agrees_with_the_naive_predictor_when_ends_get_lost_and_jobs_are_held() {
    let (mut spoke, mut trainings) = (0, 0);
    for seed in 300..318 {
        let load = [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric][seed % 3];
        let window = [1, 3, 1000][seed / 3 % 3];
        let floor = [0.0, 1e-3][seed / 9 % 2];
        let oldest_seconds = [2000, 4000][seed % 2];
        let options = PredictorOptions { floor, load, oldest_seconds, ..options() };
        let found = compare(seed as u64, options, window);
        spoke += found.0;
        trainings += found.2;
    }
    println!("spoke {spoke}, trainings {trainings}");
    assert!(spoke > 2000 && trainings > 30);
}
