//! Calls that no scheduler should make, and damage to a predictor's memory: nothing hangs, nothing panics, and the next
//! valid call is answered as ever.

use std::time::{Duration, Instant};
use surefill::error::Error;
use surefill::hmm::{
    Hmm, HmmCapacity, Initial, LoadModel, OnlineHmm, OnlineOptions, Parameters, Termination, Training,
};
use surefill::predict::{Learning, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::{MAX_BINS, RuntimeBins};

/// Far above the time of a call in a debug build on a busy machine, far below that of a loop over all of time.
const PATIENCE: Duration = Duration::from_secs(2);

fn memory(capacity: &PredictorCapacity, options: &PredictorOptions) -> Vec<u64> {
    let bins = RuntimeBins::new(10.0, 10.0, capacity.hmm.bins as usize).unwrap();
    let mut memory = vec![u64::MAX; Predictor::size(capacity).unwrap() / 8];
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), capacity, &bins, options).unwrap();
    memory
}

fn attach(memory: &mut [u64]) -> Predictor<'_> {
    Predictor::attach(bytemuck::cast_slice_mut(memory)).unwrap()
}

const KINDS: [PredictorKind; 2] = [PredictorKind::Hmm, PredictorKind::HmmOnline];

fn small(kind: PredictorKind) -> PredictorCapacity {
    let hmm = HmmCapacity { states: 3, bins: 4, slots: 64, cells: 100 };
    PredictorCapacity { jobs: 6, hmm, window: 16, ..PredictorCapacity::of(kind) }
}

fn quick(floor: f64) -> PredictorOptions {
    PredictorOptions {
        slot_seconds: 60,
        initial_seconds: 600,
        floor,
        ..PredictorOptions::of(PredictorKind::Hmm)
    }
}

/// A job that is submitted and started at once and ends after `run`; then learns everything.
fn run_one(predictor: &mut Predictor<'_>, id: i64, now: i64, run: i64) {
    predictor.submit(id, &[], now).unwrap();
    predictor.start(id, now).unwrap();
    predictor.end(id, now + run).unwrap();
    while predictor.wants_training() {
        predictor.train(u64::MAX).unwrap();
    }
}

#[test]
fn ages_without_an_event_cost_no_more_than_the_history_holds() {
    for online in KINDS {
        let capacity = PredictorCapacity::of(online);
        let bins = RuntimeBins::default();
        let mut memory = vec![0u64; Predictor::size(&capacity).unwrap() / 8];
        let bytes = bytemuck::cast_slice_mut(&mut memory);
        let mut predictor =
            Predictor::init(bytes, &capacity, &bins, &PredictorOptions::of(PredictorKind::Hmm)).unwrap();
        let limit = 1i64 << 53;
        // From the first second to the last, by years, and by 30 million of them; a job stays from the third week to
        // the end.
        let mut now = -limit;
        for week in 0..3 {
            if week == 2 {
                predictor.submit(i64::MIN, &[], now + week * 604_800).unwrap();
                predictor.start(i64::MIN, now + week * 604_800).unwrap();
            }
            for hour in 0..168 {
                run_one(&mut predictor, hour, now + week * 604_800 + hour * 3600, 10 + hour * 20);
            }
        }
        now += 4 * 604_800;
        let mut longest = Duration::ZERO;
        let mut timed = |predictor: &mut Predictor<'_>, call: &dyn Fn(&mut Predictor<'_>)| {
            let began = Instant::now();
            call(predictor);
            longest = longest.max(began.elapsed());
        };
        for step in [365 * 86_400, 1_000_000_000_000_000, 365 * 86_400 - 1, 1_000_000_000_000_000] {
            now += step;
            timed(&mut predictor, &|p| p.submit(7, &[], now).unwrap());
            timed(&mut predictor, &|p| drop(p.predict(&[], now).unwrap()));
            timed(&mut predictor, &|p| p.start(7, now).unwrap());
            timed(&mut predictor, &|p| p.end(7, now).unwrap());
            // Training may take long, but no call longer than its slice.
            for _ in 0..1000 {
                timed(&mut predictor, &|p| {
                    p.train(100).unwrap();
                });
            }
            let held = predictor.hmm().unwrap().slots();
            assert!(held.end - held.start <= 35_136);
        }
        timed(&mut predictor, &|p| p.submit(8, &[], limit).unwrap());
        timed(&mut predictor, &|p| p.end(i64::MIN, limit).unwrap());
        timed(&mut predictor, &|p| drop(p.predict(&[], limit).unwrap()));
        assert_eq!(predictor.submit(9, &[], limit + 1), Err(Error::OutOfRange));
        assert!(predictor.last_round().is_some());
        println!("{online:?}: the longest call took {longest:?}");
        assert!(longest < PATIENCE);
        assert_eq!((predictor.late_jobs(), predictor.jobs()), (1, 1));
    }
}

#[test]
fn slots_of_a_second_reach_from_end_to_end_of_time() {
    let options = PredictorOptions { slot_seconds: 1, ..quick(1e-3) };
    let mut memory = memory(&small(PredictorKind::Hmm), &options);
    let limit = 1i64 << 53;
    for now in [-limit, -limit, -limit + 1, -1, 0, 1, limit - 1, limit, limit] {
        run_one(&mut attach(&mut memory), now ^ i64::MIN, now, 0);
    }
    assert_eq!(attach(&mut memory).predict(&[], limit + 1), Err(Error::OutOfRange));
    assert_eq!(attach(&mut memory).jobs(), 0);
}

#[test]
fn when_time_stands_still_everything_else_goes_on() {
    for (online, floor) in [(KINDS[0], 0.0), (KINDS[0], 1e-3), (KINDS[1], 1e-3)] {
        let mut memory = memory(&small(online), &quick(floor));
        let mut predictor = attach(&mut memory);
        for minute in 0..30 {
            run_one(&mut predictor, 1, minute * 60, 30);
        }
        let now = 30 * 60;
        let before = predictor.predict(&[], now).unwrap();
        assert!(before.is_ok());
        // Ten thousand jobs in one second, none of which takes any time.
        for id in 0..10_000 {
            run_one(&mut predictor, id, now, 0);
        }
        assert!(!predictor.wants_training());
        assert_eq!(predictor.train(1), Ok(Learning::Idle));
        // Jobs of less than 10 s have never been before: silence without a floor, and the same again and again.
        let silent = predictor.predict(&[], now).unwrap().is_err();
        assert_eq!(silent, floor == 0.0);
        assert_eq!(predictor.predict(&[], now), predictor.predict(&[], now));
        // The next slot learns from this one.
        run_one(&mut predictor, 1, now + 60, 30);
        run_one(&mut predictor, 1, now + 120, 30);
        let found = predictor.predict(&[], now + 150).unwrap().unwrap();
        assert!(found.binned().unwrap().1[0] > 0.0);
    }
}

#[test]
fn the_smallest_capacities_do() {
    let hmm = HmmCapacity { states: 1, bins: 2, slots: 2, cells: 2 };
    for (online, load) in [
        (KINDS[0], LoadModel::None),
        (KINDS[1], LoadModel::None),
        (KINDS[0], LoadModel::Poisson),
        (KINDS[1], LoadModel::Geometric),
    ] {
        let capacity = PredictorCapacity { jobs: 1, hmm, window: 1, ..PredictorCapacity::of(online) };
        for zero in [
            PredictorCapacity { jobs: 0, ..capacity },
            PredictorCapacity { window: 0, ..capacity },
            PredictorCapacity { hmm: HmmCapacity { states: 0, ..hmm }, ..capacity },
            PredictorCapacity { hmm: HmmCapacity { bins: 1, ..hmm }, ..capacity },
            PredictorCapacity { hmm: HmmCapacity { slots: 1, ..hmm }, ..capacity },
            PredictorCapacity { hmm: HmmCapacity { cells: 1, ..hmm }, ..capacity },
        ] {
            assert_eq!(Predictor::size(&zero), Err(Error::OutOfRange), "{zero:?}");
        }
        let mut memory = memory(&capacity, &PredictorOptions { initial_seconds: 0, load, ..quick(1e-3) });
        let mut spoken = 0;
        for step in 0..500i64 {
            let mut predictor = attach(&mut memory);
            let now = step * 37;
            predictor.submit(step, &[], now).unwrap();
            assert_eq!(predictor.submit(step, &[], now), Err(Error::DuplicateJob));
            assert_eq!(predictor.submit(-1, &[], now), Err(Error::Full));
            if step % 5 == 0 {
                predictor.cancel(step, now).unwrap();
                continue;
            }
            predictor.start(step, now).unwrap();
            predictor.end(step, now + step % 25).unwrap();
            while predictor.wants_training() {
                predictor.train(1).unwrap();
            }
            let found = predictor.predict(&[], now + step % 25).unwrap();
            spoken += usize::from(found.is_ok());
        }
        assert!(spoken > 100, "{online:?} {load:?}: {spoken}");
    }
}

#[test]
fn refused_calls_leave_no_trace_in_what_comes_after() {
    for online in KINDS {
        let mut plain = memory(&small(online), &quick(1e-3));
        let mut teased = plain.clone();
        for step in 0..200i64 {
            let now = step * 45;
            for (memory, tease) in [(&mut plain, false), (&mut teased, true)] {
                let mut predictor = attach(memory);
                let wrong = |predictor: &mut Predictor<'_>| {
                    if tease {
                        assert_eq!(predictor.submit(1, &[], i64::MAX), Err(Error::OutOfRange));
                        assert!(predictor.start(-77, now).is_err() && predictor.end(-77, now).is_err());
                        assert!(predictor.cancel(-77, now).is_err());
                        assert_eq!(predictor.probabilities(&[], now, &mut [0.0; 9]), Err(Error::OutOfRange));
                        assert_eq!(predictor.train(0), Err(Error::OutOfRange));
                        if step > 0 {
                            assert_eq!(predictor.predict(&[], now - 46), Err(Error::TimeWentBack));
                        }
                    }
                };
                wrong(&mut predictor);
                predictor.submit(step, &[], now).unwrap();
                wrong(&mut predictor);
                predictor.start(step, now).unwrap();
                if step >= 3 {
                    predictor.end(step - 3, now + step % 40).unwrap();
                }
                predictor.train(50).unwrap();
                let _ = predictor.predict(&[], now + step % 40).unwrap();
            }
            assert!(plain == teased, "step {step}");
        }
    }
}

/// Every word of a block set to several values, and what is then called, by the block.
fn damage(block: &[u64], call: impl Fn(&mut [u8]) -> u32) -> u32 {
    let mut answers = 0;
    for word in 0..block.len() {
        for value in [0, 1, u64::MAX, 0x7fff_ffff_0000_0005, 0x0000_0003_ffff_fffe, f64::NAN.to_bits()] {
            let mut copy = block.to_vec();
            copy[word] = value;
            answers += call(bytemuck::cast_slice_mut(&mut copy));
        }
    }
    answers
}

#[test]
fn damaged_blocks_in_use_never_panic_or_hang() {
    // A predictor that learns on line, with something to learn and jobs in the system.
    let mut block = memory(&small(PredictorKind::HmmOnline), &quick(1e-3));
    let mut predictor = attach(&mut block);
    for minute in 0..40 {
        run_one(&mut predictor, 1, minute * 60, minute * 7 % 50);
    }
    predictor.submit(2, &[], 41 * 60).unwrap();
    predictor.start(2, 41 * 60).unwrap();
    let began = Instant::now();
    let now = 42 * 60;
    let answers = damage(&block, |bytes| {
        let Ok(mut predictor) = Predictor::attach(bytes) else { return 0 };
        let calls = [
            predictor.submit(5, &[], now).is_ok(),
            predictor.start(5, now).is_ok(),
            predictor.predict(&[], now + 100).is_ok(),
            predictor.end(2, now + 200).is_ok(),
            predictor.train(300).is_ok(),
            predictor.predict(&[], now + 200).is_ok(),
        ];
        calls.into_iter().map(u32::from).sum()
    });
    assert!(answers > 1000);

    // The model that learns on line by itself.
    let third = [1.0 / 3.0; 9];
    let given = Parameters {
        load: LoadModel::Poisson,
        start: &third[..3],
        transition: &third,
        emission: &[0.25; 12],
        load_parameter: &[1.0, 2.0, 3.0],
    };
    let mut block = vec![0u64; OnlineHmm::size(3, 4).unwrap() / 8];
    let options = OnlineOptions { hold: 2, ..OnlineOptions::default() };
    let mut online = OnlineHmm::init(bytemuck::cast_slice_mut(&mut block), &given, &options).unwrap();
    for slot in 0..20 {
        online.learn(&[slot % 3, slot % 2, 1, 0]).unwrap();
    }
    let answers = damage(&block, |bytes| {
        let Ok(mut online) = OnlineHmm::attach(bytes) else { return 0 };
        let calls = [online.learn(&[1, 0, 0, 2]).is_ok(), online.probabilities(&mut [0.0; 4]).is_ok()];
        calls.into_iter().map(u32::from).sum()
    });
    assert!(answers > 1000);

    // The model with a history, in the middle of a round, and in the middle of k-means.
    let capacity = HmmCapacity { states: 4, bins: 4, slots: 20, cells: 30 };
    for initial in [Initial::Static, Initial::KMeans] {
        let mut block = vec![0u64; Hmm::size(&capacity).unwrap() / 8];
        let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut block), &capacity).unwrap();
        for job in 0..40u32 {
            hmm.observe(i64::from(job / 3), job * 7 % 4).unwrap();
        }
        hmm.init_static(LoadModel::None, 1.0).unwrap();
        let slots = hmm.slots();
        hmm.begin_training_from(initial, LoadModel::Poisson, slots.clone()).unwrap();
        assert_eq!(hmm.train(17), Ok(Training::More));
        let answers = damage(&block, |bytes| {
            let Ok(mut hmm) = Hmm::attach(bytes) else { return 0 };
            let calls = [
                hmm.train(100).is_ok(),
                hmm.observe(12, 1).is_ok(),
                hmm.observe(1 << 50, 1).is_ok(),
                hmm.train(100).is_ok(),
            ];
            calls.into_iter().map(u32::from).sum()
        });
        assert!(answers > 1000);
    }
    assert!(began.elapsed() < 15 * PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn thresholds_that_are_never_reached_end_all_the_same() {
    for termination in [Termination::L1(0.0), Termination::LInfinity(0.0), Termination::L1(f64::INFINITY)] {
        let options = PredictorOptions { termination, most_rounds: 20, ..quick(1e-3) };
        let mut memory = memory(&small(PredictorKind::Hmm), &options);
        let mut predictor = attach(&mut memory);
        for minute in 0..120 {
            run_one(&mut predictor, 1, minute * 60, minute * 11 % 50);
        }
        let rounds = predictor.last_round().unwrap().rounds;
        assert!(rounds <= 20 && !predictor.wants_training(), "{termination:?}: {rounds}");
    }
}

#[test]
fn a_slot_has_as_many_cells_as_there_may_be_bins() {
    let capacity = HmmCapacity { states: 2, bins: MAX_BINS as u32, slots: 2, cells: MAX_BINS as u32 };
    assert_eq!(Hmm::size(&HmmCapacity { bins: MAX_BINS as u32 + 1, ..capacity }), Err(Error::OutOfRange));
    let mut memory = vec![0u64; Hmm::size(&capacity).unwrap() / 8];
    let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
    for bin in (0..MAX_BINS as u32).rev().chain(0..MAX_BINS as u32) {
        hmm.observe(5, bin).unwrap();
    }
    assert_eq!(hmm.observe(5, MAX_BINS as u32), Err(Error::OutOfRange));
    assert_eq!(hmm.jobs(hmm.slots()), 2 * MAX_BINS as u64);
    hmm.init_static(LoadModel::None, 1.0).unwrap();
    hmm.begin_training(5..6).unwrap();
    let Training::Round(round) = hmm.train(u64::MAX).unwrap() else { panic!("one slot") };
    assert!(round.log_likelihood.is_finite() && round.jobs == 2 * MAX_BINS as u64);
    // The next slot's first job takes the place of a cell, and with it of all of this slot.
    hmm.observe(6, 0).unwrap();
    assert_eq!((hmm.slots(), hmm.jobs(5..7)), (6..7, 1));
}
