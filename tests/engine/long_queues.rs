//! Forecasts of long queues, which consider a part of the queue at a time.

use crate::block::{Block, small};
use crate::facts::{job, over};
use crate::machine::Random;
use crate::starts::{forecast_of, single};
use surefill::engine::{JobReport, JobState, SchedulerCapacity};

const T: i64 = 1_000_000;
const DAY: i64 = 86_400;

/// An engine with many waiting jobs of known run times, of these numbers of classes and users.
fn long_queue(words: &str, count: i64, classes: u64, random: &mut Random) -> (Block, Vec<i64>) {
    let mut block = Block::new(&small(2 * count as u32), &format!("{words} settle=0"));
    block.scheduler().set_pool(b"all", 64, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    block.unchecked = true;
    let mut runs = vec![0; count as usize + 1];
    for id in 1..=count {
        let limit = random.spread(14) + 60;
        runs[id as usize] = 1 + random.below(limit as u64) as i64;
        let prediction = single(runs[id as usize]);
        let count = 1 + random.below(8) as u32 * random.below(5) as u32;
        let priority = random.below(classes) as f64;
        let submit = T - 7 * (2000 - id);
        block
            .tell(T, &JobReport { submit, prediction: Some(&prediction), priority, ..job(id, count, limit) });
    }
    (block, runs)
}

/// A replay of a long queue: the starts, predicted by one scenario, of the jobs that still wait after the first pass,
/// and the starts that come, both in seconds from that pass.
fn predicted_and_actual(words: &str, count: i64, classes: u64, seed: u64) -> Vec<(i64, i64)> {
    let (mut block, runs) = long_queue(words, count, classes, &mut Random::new(seed));
    let mut ends: Vec<(i64, i64)> = Vec::new();
    let (mut now, mut started) = (T, vec![None; runs.len()]);
    let mut predicted = None;
    while started.iter().skip(1).any(Option::is_none) {
        for id in block.pass(0, now) {
            ends.push((now + runs[id as usize], id));
            started[id as usize] = Some(now - T);
        }
        predicted.get_or_insert_with(|| {
            forecast_of(&mut block, now, (1, 1000), |forecast, _| {
                assert_eq!(forecast.is_simplified(), count > 1100);
                (1..runs.len() as i64).map(|id| forecast.levels(id).unwrap()).collect::<Vec<_>>()
            })
        });
        ends.sort_unstable_by(|a, b| b.cmp(a));
        now = ends.last().unwrap().0;
        while ends.last().is_some_and(|(end, _)| *end == now) {
            block.tell(now, &over(ends.pop().unwrap().1, JobState::Ended, 0));
        }
    }
    let both = predicted.unwrap().into_iter().zip(started.into_iter().skip(1));
    both.filter_map(|(levels, start)| Some((levels?[2], start?))).collect()
}

/// A queue that is not long is predicted to the second also where the waits of those that start become the longest that
/// are known, by which the plan goes.
#[test]
fn waits_of_the_scenario_count() {
    for words in ["preset=easy", "preset=fair proposals=0", "preset=fast proposals=0"] {
        for seed in 0..2 * crate::longer() {
            let starts = predicted_and_actual(words, 250, 1, seed);
            assert!(starts.len() > 200 && starts.iter().all(|(one, other)| one == other), "{words}");
        }
    }
}

/// Where every run time is known, jobs of long queues start on average when they are predicted to. Single jobs do not:
/// one decision that comes some seconds later, or does not consider a job, changes all that follow.
#[test]
fn long_queues_start_as_predicted() {
    for (words, classes, apart) in [
        ("preset=easy", 1, 0.25),
        ("preset=easy order=priority seconds=7", 5, 0.25),
        ("preset=fair proposals=0", 1, 0.15),
        ("preset=fast proposals=0", 1, 0.15),
    ] {
        let (mut predicted, mut actual, mut differences) = (0, 0, 0);
        for seed in 0..4 * crate::longer() {
            let starts = predicted_and_actual(words, 1200, classes, seed);
            assert!(starts.len() > 1100);
            for (one, other) in starts {
                (predicted, actual) = (predicted + one, actual + other);
                differences += (one - other).abs();
            }
        }
        let share = |seconds: i64| seconds as f64 / actual as f64;
        assert!((share(predicted) - 1.0).abs() < 0.06, "{words}: {}", share(predicted));
        assert!(share(differences) < apart, "{words}: {}", share(differences));
    }
}

/// Behind a job on the whole machine thousands start in one moment, also those that were not considered; and narrow
/// jobs of which none is among the most urgent start beside wide ones.
#[test]
fn what_fits_starts_though_it_was_not_considered() {
    for (words, count) in [("preset=fair", 1400), ("preset=fast", 1400), ("preset=easy", 5500)] {
        let mut block = Block::new(&small(count + 16), &format!("{words} settle=0"));
        block.scheduler().set_pool(b"all", count, None).unwrap();
        block.scheduler().set_queue(b"batch", 0).unwrap();
        block.unchecked = true;
        let (hour, long) = (single(3600), single(36_000));
        block.tell(T, &JobReport { prediction: Some(&hour), ..job(1, count, 3600) });
        assert_eq!(block.pass(0, T), [1]);
        for id in 0..i64::from(count) {
            block.tell(T, &JobReport { prediction: Some(&long), ..job(100 + id, 1, 36_000) });
        }
        assert_eq!(block.pass(0, T), []);
        forecast_of(&mut block, T, (1, 1 << 12), |forecast, _| {
            let levels: Vec<_> = (0..i64::from(count)).map(|id| forecast.levels(100 + id).unwrap()).collect();
            assert!(levels.iter().all(|levels| *levels == Some([3600; 5])), "{words}");
        });
    }
    let mut block = Block::new(&small(2000), "preset=fair settle=0");
    block.scheduler().set_pool(b"all", 100, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    block.unchecked = true;
    let (short, long) = (single(60), single(36_000));
    block.tell(T, &JobReport { prediction: Some(&long), ..job(1, 90, 36_000) });
    assert_eq!(block.pass(0, T), [1]);
    for id in 0..900 {
        block.tell(T, &JobReport { prediction: Some(&short), ..job(100 + id, 100, 60) });
    }
    for id in 0..10 {
        block.tell(T, &JobReport { prediction: Some(&long), ..job(2000 + id, 1, 35_000) });
    }
    forecast_of(&mut block, T, (1, 1 << 12), |forecast, _| {
        assert!((2000..2010).all(|id| forecast.levels(id) == Ok(Some([0; 5]))));
    });
}

/// Every job of a long queue of classes, arrays, jobs whose time has not come and jobs submitted later has a predicted
/// start in every scenario, whatever was considered.
#[test]
fn every_job_of_a_long_queue_has_a_predicted_start() {
    for (seed, words) in ["preset=fair", "preset=easy order=priority seconds=7"].iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let count = 1500;
        let capacity = SchedulerCapacity { arrivals: 1000, ..small(4000) };
        let mut block = Block::new(&capacity, &format!("{words} settle=0"));
        block.scheduler().set_pool(b"all", 64, None).unwrap();
        block.scheduler().set_queue(b"batch", 0).unwrap();
        block.unchecked = true;
        let of = |id: i64, submit: i64, random: &mut Random| JobReport {
            submit,
            user: random.below(9) as i64,
            priority: random.below(3) as f64,
            ..job(id, 1 + random.below(40) as u32, 60 + random.spread(12))
        };
        // Two days of submissions come again in the scenarios.
        for id in 1..=600 {
            let now = T + id * 288;
            let report = of(10_000 + id, now, &mut random);
            block.tell(now, &report);
            block.tell(now, &over(10_000 + id, JobState::Ended, 1 + report.limit / 2));
        }
        let now = T + 2 * DAY;
        for id in 1..=count {
            let tasks = if id % 50 == 0 { 3 + random.below(90) as u32 } else { 0 };
            let begin = if id % 9 == 0 { now + 1 + random.below(7200) as i64 } else { 0 };
            block.tell(now, &JobReport { tasks, begin, ..of(id, now - 3 * (count - id), &mut random) });
        }
        forecast_of(&mut block, now, (3, 1 << 12), |forecast, _| {
            for id in 1..=count {
                let levels = forecast.levels(id).unwrap().unwrap();
                assert!(levels.is_sorted() && levels[4] < i64::from(u32::MAX), "{id}: {levels:?}");
            }
        });
    }
}
