//! Forecasts of starts: the engine's own rule, played forward.

use crate::block::{Block, small};
use crate::facts::{job, over};
use crate::machine::Random;
use crate::nodes::{asks, of_nodes, wide};
use surefill::engine::{
    Action, JobReport, JobState, PredictedStart, Refusal, Reservation, Scheduler, SchedulerCapacity,
    StartForecast, Why,
};
use surefill::error::{Error, Result};
use surefill::plan::StartedNow;
use surefill::runtime::RuntimeDistribution;

const T: i64 = 1_000_000;
const DAY: i64 = 86_400;

/// All scenarios, played in slices of some events.
pub fn forecast<R>(
    block: &mut Block,
    now: i64,
    slice: u64,
    ask: impl FnOnce(&StartForecast<'_>, &mut Scheduler<'_>) -> R,
) -> R {
    forecast_of(block, now, (20, slice), ask)
}

/// This number of scenarios.
pub fn forecast_of<R>(
    block: &mut Block,
    now: i64,
    (scenarios, slice): (u32, u64),
    ask: impl FnOnce(&StartForecast<'_>, &mut Scheduler<'_>) -> R,
) -> R {
    let mut scheduler = block.scheduler();
    let size = StartForecast::size(&scheduler.capacity(), scenarios).unwrap();
    let mut memory = vec![0x5a5a_5a5a_5a5a_5a5a_u64; size.div_ceil(8)];
    let memory = bytemuck::cast_slice_mut(&mut memory);
    let mut forecast = StartForecast::begin(memory, &mut scheduler, 0, now, scenarios).unwrap();
    while !forecast.run(&mut scheduler, slice).unwrap() {}
    ask(&forecast, &mut scheduler)
}

fn levels(block: &mut Block, now: i64, id: i64) -> Option<[i64; 5]> {
    forecast(block, now, 100, |forecast, _| forecast.levels(id)).unwrap()
}

fn predicted(block: &mut Block, now: i64, id: i64) -> PredictedStart {
    forecast(block, now, 1000, |forecast, scheduler| forecast.predicted(scheduler, id)).unwrap().unwrap()
}

pub fn single(run_time: i64) -> RuntimeDistribution {
    RuntimeDistribution::single(run_time).unwrap()
}

/// Where every run time is known, nothing is submitted any more, and the same number of changes of the order is tried,
/// each job starts as in the first scenario; the others have generators of their own.
#[test]
fn known_run_times_are_predicted_to_the_second() {
    for seed in 0..12 * crate::longer() {
        let mut random = Random::new(seed);
        let words = random.of(&[
            "preset=easy",
            "preset=easy order=priority seconds=7",
            "preset=fair proposals=15",
            "preset=fast proposals=15",
        ]);
        let mut block = Block::of_one(100, 32, words);
        block.unchecked = true;
        // With the order of a cycle the plan has room in its window for all.
        let count = 20 + random.below(40) as i64;
        let mut ends: Vec<(i64, i64)> = Vec::new();
        let mut runs = vec![0; count as usize + 1];
        for id in 1..=count {
            let limit = random.spread(14) + 10;
            runs[id as usize] = 1 + random.below(limit as u64) as i64;
            let prediction = single(runs[id as usize]);
            let report = job(id, 1 + random.below(24) as u32, limit);
            let priority = if words.contains("seconds") { random.below(4) as f64 } else { 0.0 };
            block.tell(T, &JobReport { submit: T, prediction: Some(&prediction), priority, ..report });
        }
        let mut waiting: Vec<i64> = (1..=count).collect();
        let mut now = T;
        let mut predicted: Option<Vec<(i64, [i64; 5])>> = None;
        while !waiting.is_empty() {
            for id in block.pass(0, now) {
                ends.push((now + runs[id as usize], id));
                waiting.retain(|&other| other != id);
                let mine = predicted.iter().flatten().find(|(other, _)| *other == id);
                if let Some((_, levels)) = mine {
                    assert_eq!(*levels, [now - T; 5], "job {id} of seed {seed}, {words}");
                }
            }
            if predicted.is_none() {
                let mut alone =
                    |id| forecast_of(&mut block, now, (1, 100), |forecast, _| forecast.levels(id)).unwrap();
                predicted = Some(waiting.iter().map(|&id| (id, alone(id).unwrap())).collect());
                assert!(!waiting.is_empty());
            }
            ends.sort_unstable();
            let Some(&(next, _)) = ends.first() else { break };
            now = next;
            while let Some(&(end, id)) = ends.first().filter(|(end, _)| *end == now) {
                block.tell(end, &over(id, JobState::Ended, 0));
                ends.remove(0);
            }
        }
        assert!(waiting.is_empty());
    }
}

/// On three days short narrow jobs come all the time; they overtake the wide one that waits.
#[test]
fn later_jobs_are_foreseen() {
    let of = |arrivals| {
        let mut block = Block::new(&SchedulerCapacity { arrivals, ..small(100) }, "preset=fast");
        block.scheduler().set_pool(b"all", 8, None).unwrap();
        block.scheduler().set_queue(b"batch", 0).unwrap();
        let (mut now, mut id) = (T, 1);
        let mut running: Vec<(i64, i64)> = Vec::new();
        while now < T + 3 * DAY {
            id += 1;
            let prediction = single(1500);
            let submit = JobReport { submit: now, prediction: Some(&prediction), ..job(id, 2, 1800) };
            block.tell(now, &submit);
            running.extend(block.pass(0, now).into_iter().map(|id| (now + 1500, id)));
            now += 600;
            while let Some(&(end, id)) = running.first().filter(|(end, _)| *end <= now) {
                block.tell(end, &over(id, JobState::Ended, 1500));
                running.remove(0);
            }
        }
        let prediction = single(40_000);
        let wide = JobReport { submit: now, prediction: Some(&prediction), ..job(id + 1, 8, 40_000) };
        block.tell(now, &wide);
        let begun: Vec<i64> = block.pass(0, now);
        assert!(begun.is_empty());
        levels(&mut block, now, id + 1).unwrap()
    };
    let (alone, with) = (of(0), of(300));
    // All running jobs end within 1,500 s.
    assert!(alone[4] <= 1500, "{alone:?}");
    assert!(with[2] > alone[2] && with[4] > 1500, "{with:?}");
}

#[test]
fn what_came_moves_what_is_reported() {
    let mut block = Block::of_one(10, 2, "preset=easy settle=0");
    let prediction = single(500);
    let of = |id, at| JobReport { submit: at, prediction: Some(&prediction), ..job(id, 2, 1000) };
    let moved = |rest: f64, offset: f64| ((rest + 60.0) * offset.exp() - 60.0) as i64;
    let mut offsets = [-0.2, -0.05, 0.0, 0.08, 0.2];
    let mut now = T;
    block.tell(now, &of(1, now));
    for id in 2..200 {
        assert_eq!(block.pass(0, now), [id - 1]);
        block.tell(now, &of(id, now));
        assert_eq!(levels(&mut block, now, id), Some([500; 5]));
        let reported = forecast(&mut block, now, 3, |forecast, scheduler| forecast.report(scheduler, id))
            .unwrap()
            .unwrap();
        let expected = offsets.map(|offset| now + moved(500.0, offset));
        assert_eq!(reported, PredictedStart { by: expected, capped: false, stall: None }, "{id}");
        // Once with the scenarios, twice a minute late.
        let late = if id % 3 == 0 { 0 } else { 60 };
        now += 500 + late;
        block.tell(now, &over(id - 1, JobState::Ended, 500));
        for ((offset, by), level) in offsets.iter_mut().zip(expected).zip([0.05, 0.25, 0.5, 0.75, 0.95]) {
            *offset += 0.002 * (level - f64::from(u8::from(now <= by)));
        }
    }
    assert!(offsets[2] > 0.05);
}

#[test]
fn a_reported_median_is_kept_while_it_can_be() {
    let mut block = Block::of_one(10, 2, "preset=easy");
    let (first, second) = (single(500), single(2000));
    block.tell(T, &JobReport { prediction: Some(&first), ..job(1, 2, 3000) });
    assert_eq!(block.pass(0, T), [1]);
    block.tell(T, &JobReport { prediction: Some(&first), ..job(2, 2, 1000) });
    let report = |block: &mut Block, now: i64| {
        forecast(block, now, 9, |forecast, scheduler| forecast.report(scheduler, 2)).unwrap().unwrap().by
    };
    let before = report(&mut block, T);
    assert_eq!(before[2], T + 500);
    // A little later the report is the same: the age of the running job has not moved the forecast.
    assert_eq!(report(&mut block, T + 100)[2], T + 500);
    // The running job is predicted to run longer: the old median lies far below the new one, 1,800 s from now.
    block
        .tell(T + 200, &JobReport { prediction: Some(&second), state: JobState::Running, ..job(1, 2, 3000) });
    let after = report(&mut block, T + 200);
    assert_eq!(after[2], T + 2000 - (T + 2000 - after[1]) / 2);
    assert!(after[1] < after[2] && after[2] > before[4]);
}

#[test]
fn an_array_waits_with_all_its_tasks() {
    let start = |tasks: u32, at_once: u32| {
        let mut block = Block::of_one(10, 4, "preset=easy");
        let prediction = single(100);
        block.tell(T, &JobReport { prediction: Some(&prediction), tasks, at_once, ..job(1, 2, 100) });
        block.tell(T, &JobReport { prediction: Some(&prediction), ..job(2, 4, 100) });
        block.begin(0, T);
        assert_eq!(block.offered(), 1);
        block.started(0, 1001);
        if at_once != 1 {
            assert_eq!(block.offered(), 1);
            block.started(1, 1002);
        }
        block.close();
        let first = levels(&mut block, T, 1);
        assert_eq!(first, Some([100; 5]));
        levels(&mut block, T, 2).unwrap()
    };
    // Two tasks side by side: two have started, the others follow.
    assert_eq!(start(30, 0), [1500; 5]);
    assert_eq!(start(5000, 0), [250_000; 5]);
    assert_eq!(start(31, 4), [1600; 5]);
    // One by one: the engine holds the others until the manager reports them.
    assert_eq!(start(21, 1), [2100; 5]);
}

/// A job whose time or turn comes later waits from then on.
#[test]
fn known_times_are_waited_for() {
    let mut block = Block::of_one(10, 4, "preset=easy");
    let prediction = single(1000);
    let of = |id, count| JobReport { prediction: Some(&prediction), ..job(id, count, 1000) };
    block.tell(T, &of(1, 4));
    assert_eq!(block.pass(0, T), [1]);
    block.tell(T, &JobReport { begin: T + 60, ..of(2, 4) });
    block.tell(T + 1, &JobReport { submit: T + 1, ..of(3, 4) });
    assert_eq!(levels(&mut block, T + 1, 2), Some([999; 5]));
    assert_eq!(levels(&mut block, T + 1, 3), Some([1999; 5]));
    block.tell(T + 1000, &over(1, JobState::Ended, 1000));
    block.begin(0, T + 1000);
    assert_eq!(block.offered(), 2);
    block.refused(0, Refusal::NotNow);
    assert_eq!(block.offered(), 3);
    block.refused(1, Refusal::NotNow);
    assert_eq!(block.offered(), 0);
    block.close();
    assert_eq!(levels(&mut block, T + 1010, 2), Some([50; 5]));
    assert_eq!(levels(&mut block, T + 1010, 3), Some([1050; 5]));
}

#[test]
fn room_is_what_it_is() {
    // A job that is over leaves soon, whatever its prediction was.
    let mut block = Block::of_one(10, 4, "");
    let prediction = single(80_000);
    block.tell(T, &JobReport { prediction: Some(&prediction), ..job(1, 4, 86_400) });
    assert_eq!(block.pass(0, T), [1]);
    block.tell(T, &job(2, 4, 100));
    block.tell(T + 600, &JobReport { state: JobState::Ending, ..job(1, 4, 86_400) });
    assert_eq!(block.pass(0, T + 600), []);
    assert_eq!(levels(&mut block, T + 600, 2), Some([60; 5]));
    // Units that are no more are not released.
    let mut block = Block::of_one(10, 40, "");
    for id in 1..=4 {
        let prediction = single(1000 * id);
        block.tell(T, &JobReport { prediction: Some(&prediction), ..job(id, 10, 1000 * id) });
    }
    assert_eq!(block.pass(0, T).len(), 4);
    block.scheduler().set_pool(b"all", 20, None).unwrap();
    block.tell(T, &job(5, 10, 100));
    block.tell(T, &job(6, 30, 100));
    assert_eq!(block.pass(0, T), []);
    assert_eq!(levels(&mut block, T, 5), Some([3000; 5]));
    assert_eq!(levels(&mut block, T, 6), None);
    // No cycle has decided yet, or one that starts nothing.
    for words in ["", "mode=shadow"] {
        let mut block = Block::of_one(10, 40, words);
        block.tell(T, &job(1, 10, 100));
        if !words.is_empty() {
            block.begin(0, T);
            block.next();
            block.close();
        }
        assert_eq!(levels(&mut block, T, 1), Some([0; 5]));
    }
    // Strangers hold a unit for ever: a job that needs all units starts in no scenario.
    let mut block = Block::of_one(10, 40, "");
    block.scheduler().set_pool(b"all", 40, Some(39)).unwrap();
    block.tell(T, &job(1, 40, 0));
    assert_eq!(block.pass(0, T), []);
    assert_eq!(levels(&mut block, T, 1), None);
}

/// Jobs of a higher class that come later pass a job that waits.
#[test]
fn later_jobs_have_their_class() {
    let of = |words: &str, high: f64| {
        let mut block = Block::new(&SchedulerCapacity { arrivals: 1000, ..small(100) }, words);
        block.scheduler().set_pool(b"all", 8, None).unwrap();
        block.scheduler().set_queue(b"batch", 0).unwrap();
        let (mut now, mut id) = (T, 1);
        let mut running: Vec<(i64, i64)> = Vec::new();
        let prediction = single(3500);
        while now < T + 4 * DAY {
            id += 1;
            let report =
                JobReport { submit: now, prediction: Some(&prediction), priority: high, ..job(id, 4, 3600) };
            block.tell(now, &report);
            running.extend(block.pass(0, now).into_iter().map(|id| (now + 3500, id)));
            now += 1800;
            while let Some(&(end, id)) = running.first().filter(|(end, _)| *end <= now) {
                block.tell(end, &over(id, JobState::Ended, 3500));
                running.remove(0);
            }
        }
        let wide = JobReport { submit: now, prediction: Some(&prediction), ..job(id + 1, 8, 3600) };
        block.tell(now, &wide);
        block.pass(0, now);
        // A job that starts in no scenario has no levels.
        levels(&mut block, now, id + 1).map_or(i64::MAX, |levels| levels[2])
    };
    for words in ["preset=easy", ""] {
        let (same, higher) = (of(words, 0.0), of(words, 10.0));
        assert!(same < 8000 && higher > 40_000, "{words}: {same} {higher}");
    }
}

/// Arrays of the days before count as long as their submissions are remembered.
#[test]
fn arrays_of_the_past_come_again() {
    let mut block = Block::new(&SchedulerCapacity { arrivals: 1000, ..small(100) }, "preset=fast settle=0");
    block.scheduler().set_pool(b"all", 8, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    let prediction = single(1500);
    let mut running: Vec<(i64, i64)> = Vec::new();
    let (mut now, mut id) = (T, 1);
    while now < T + 3 * DAY {
        id += 10;
        let array = JobReport { submit: now, prediction: Some(&prediction), tasks: 2, ..job(id, 2, 1800) };
        block.tell(now, &array);
        block.begin(0, now);
        let mut task = 0;
        while let Action::Start(offer) = block.next() {
            task += 1;
            let id = offer.job + 1000 + task;
            block.started(offer.number, id);
            running.push((now + 1500, id));
        }
        block.close();
        now += 1200;
        running.sort_unstable();
        while let Some(&(end, id)) = running.first().filter(|(end, _)| *end <= now) {
            block.tell(end, &over(id, JobState::Ended, 1500));
            running.remove(0);
        }
    }
    let wide = JobReport { submit: now, prediction: Some(&prediction), ..job(id + 1, 8, 1500) };
    block.tell(now, &wide);
    assert_eq!(block.pass(0, now), []);
    let found = levels(&mut block, now, id + 1).unwrap();
    assert!(found[2] > 3000, "{found:?}");
}

/// Idle nodes of a reservation are not there until it ends; a job that needs some of them starts then, as does one that
/// would not end before it begins. Behind one that ends in more than two weeks nothing is predicted.
#[test]
fn jobs_wait_for_the_end_of_reservations() {
    let [short, middle, long] = [600, 1800, 7200].map(single);
    let mut block = of_nodes(4, "settle=0");
    let booked = |from, to, nodes| Reservation { pool: 0, key: 7, from, to, nodes };
    block.scheduler().set_reservation(&booked(T - 100, T + 3600, &[0, 1])).unwrap();
    block.tell(T, &JobReport { prediction: Some(&long), ..asks(1, 3, 7200, wide(4)) });
    block.tell(T, &JobReport { prediction: Some(&middle), ..asks(2, 2, 1800, wide(4)) });
    block.tell(T, &JobReport { prediction: Some(&short), ..asks(3, 2, 600, wide(4)) });
    block.tell(T, &JobReport { prediction: Some(&short), ..asks(4, 5, 600, wide(4)) });
    // Before a cycle has decided: the two that fit, one after the other, then the wide one.
    let found = [1, 2, 3, 4].map(|id| levels(&mut block, T, id));
    assert_eq!(found, [Some([3600; 5]), Some([600; 5]), Some([0; 5]), None]);
    assert_eq!(block.pass(0, T), [3]);
    let found = [1, 2].map(|id| levels(&mut block, T, id));
    assert_eq!(found, [Some([3600; 5]), Some([600; 5])]);
    // One after the other on the same node, and a job that overlaps the second one only when it may begin.
    let next = Reservation { key: 8, ..booked(T + 3000, T + 9000, &[1, 2]) };
    block.scheduler().set_reservation(&next).unwrap();
    assert_eq!(levels(&mut block, T, 1), Some([9000; 5]));
    block.scheduler().set_reservation(&booked(T - 100, T + 15 * DAY, &[0, 1])).unwrap();
    assert_eq!([1, 2].map(|id| levels(&mut block, T, id)), [None, Some([600; 5])]);
    block.scheduler().remove_reservation(0, 7).unwrap();
    block.scheduler().remove_reservation(0, 8).unwrap();
    assert_eq!(levels(&mut block, T, 1), Some([1800; 5]));
    // Maintenance of all nodes that is to come.
    block.scheduler().set_reservation(&booked(T + 3000, T + 9000, &[0, 1, 2, 3])).unwrap();
    assert_eq!([1, 2].map(|id| levels(&mut block, T, id)), [Some([9000; 5]), Some([0; 5])]);
}

/// An array that is the first of all jobs, throttled, beside nodes that a reservation keeps: its tasks follow those
/// that run, not the reservation. No report says a start before the reservation's end.
#[test]
fn reservations_are_no_tasks() {
    let known = single(600);
    let mut block = of_nodes(4, "settle=0");
    let booked = Reservation { pool: 0, key: 7, from: T - 100, to: T + 3600, nodes: &[0, 1] };
    block.scheduler().set_reservation(&booked).unwrap();
    let array = JobReport { tasks: 3, prediction: Some(&known), ..asks(1, 1, 600, wide(4)) };
    block.tell(T, &JobReport { at_once: 1, ..array });
    block.begin(0, T);
    let Action::Start(offer) = block.next() else { panic!("no task starts") };
    block.started(offer.number, 101);
    block.close();
    let held = JobReport { state: JobState::Held, why: Why::Limit, tasks: 2, ..array };
    block.tell(T, &JobReport { at_once: 1, ..held });
    assert_eq!(levels(&mut block, T, 1), Some([600; 5]));
    assert!(predicted(&mut block, T, 1).by.iter().all(|&by| by < T + 3600));
    block.tell(T, &JobReport { prediction: Some(&known), ..asks(2, 3, 600, wide(4)) });
    assert!(predicted(&mut block, T, 2).by.iter().all(|&by| by >= T + 3600));
}

/// A thousand reports of one jam are no thousand observations.
#[test]
fn a_jam_does_not_run_away() {
    let mut block = Block::new(&small(1100), "preset=easy settle=0");
    block.scheduler().set_pool(b"all", 40, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    block.unchecked = true;
    let prediction = single(900);
    for id in 1..=999 {
        block.tell(T, &JobReport { prediction: Some(&prediction), ..job(id, 1, 3600) });
    }
    let mut running = block.pass(0, T);
    forecast_of(&mut block, T, (1, 1 << 20), |forecast, scheduler| {
        (1..=999).filter(|&id| forecast.report(scheduler, id).unwrap().is_some()).count()
    });
    let mut now = T;
    while !running.is_empty() {
        now += 3600;
        running.iter().for_each(|&id| block.tell(now, &over(id, JobState::Ended, 3600)));
        running = block.pass(0, now);
    }
    now += DAY;
    let known = single(36_000);
    block.tell(now, &JobReport { submit: now, prediction: Some(&known), ..job(2001, 40, 36_000) });
    assert_eq!(block.pass(0, now), [2001]);
    block.tell(now, &JobReport { submit: now, prediction: Some(&known), ..job(2002, 40, 36_000) });
    let median = predicted(&mut block, now, 2002).by[2] - now;
    assert!((36_000..50_000).contains(&median), "{median}");
}

#[test]
fn nothing_is_said_of_those_of_whom_nothing_is_known() {
    let mut block = Block::of_one(10, 2, "");
    block.tell(T, &job(1, 2, 100));
    assert_eq!(block.pass(0, T), [1]);
    block.tell(T, &JobReport { state: JobState::Held, ..job(2, 1, 100) });
    block.tell(T, &job(3, 1, 100));
    for id in [1, 2, 99] {
        assert_eq!(levels(&mut block, T, id), None);
    }
    let capacity = block.scheduler().capacity();
    assert_eq!(StartForecast::size(&capacity, 0), Err(Error::OutOfRange));
    assert_eq!(StartForecast::size(&capacity, 65), Err(Error::OutOfRange));
    let mut memory = vec![0_u64; StartForecast::size(&capacity, 20).unwrap() / 8];
    let mut begin = |block: &mut Block, pool: u32, now: i64, cut: usize| -> Result<()> {
        let memory: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
        let length = memory.len() - cut;
        block.call(|scheduler| {
            let forecast = StartForecast::begin(&mut memory[..length], scheduler, pool, now, 20)?;
            assert_eq!(forecast.levels(3), Err(Error::WrongState));
            Ok(())
        })
    };
    assert_eq!(begin(&mut block, 1, T, 0), Err(Error::NoSuchIndex));
    assert_eq!(begin(&mut block, 0, i64::MAX, 0), Err(Error::OutOfRange));
    assert_eq!(begin(&mut block, 0, T, 8), Err(Error::TooSmall));
    assert_eq!(begin(&mut block, 0, T, 0), Ok(()));
    block.scheduler().list_begin(T).unwrap();
    assert_eq!(begin(&mut block, 0, T, 0), Err(Error::WrongState));
}

/// The probability runs through the levels, and is 1 in the end.
#[test]
fn probabilities_run_through_the_levels() {
    let mut block = Block::of_one(10, 2, "preset=fast");
    block.tell(T, &job(1, 2, 7200));
    assert_eq!(block.pass(0, T), [1]);
    block.tell(T, &job(2, 2, 7200));
    let by = predicted(&mut block, T, 2).by;
    let at = |block: &mut Block, when: i64| {
        forecast(block, T, 50, |forecast, scheduler| forecast.probability(scheduler, 2, when))
            .unwrap()
            .unwrap()
    };
    for (by, level) in by.into_iter().zip([0.05, 0.25, 0.5, 0.75, 0.95]) {
        assert!((at(&mut block, by) - level).abs() < 1e-9, "{by}");
    }
    assert_eq!((at(&mut block, T), at(&mut block, T + 100 * DAY)), (0.0, 1.0));
    let all: Vec<f64> = (0..200).map(|k| at(&mut block, T + 100 * k)).collect();
    assert!(all.is_sorted());
}

/// Four of eight units are idle, the others for 96 s. A job for all eight has waited long and is planned for then; a
/// job of 192 s for four could start now.
#[test]
fn the_price_of_starting_now_is_the_wait_of_the_others() {
    let mut block = Block::of_one(10, 8, "");
    let of = |id, count, run: i64, waited: i64| {
        (JobReport { submit: T - waited, ..job(id, count, run) }, single(run))
    };
    let (running, prediction) = of(1, 4, 96, 0);
    block
        .tell(T, &JobReport { prediction: Some(&prediction), state: JobState::Running, start: T, ..running });
    for (report, prediction) in [of(2, 8, 64, 900_000), of(3, 4, 192, 0), of(4, 5, 1, 0)] {
        block.tell(T, &JobReport { prediction: Some(&prediction), ..report });
    }
    block.begin(0, T);
    assert_eq!(block.offered(), 0);
    let ask = |block: &mut Block, id| {
        block.cycle(|mut cycle, scheduler| (cycle.planned(scheduler, id), cycle.started_now(scheduler, id)))
    };
    assert_eq!(ask(&mut block, 2), (Ok(Some(T + 96)), Ok(None)));
    // Behind the wide job's 64 s comes the job of one second, and then, at the next instant that a plan knows, this
    // one.
    assert_eq!(ask(&mut block, 4).0, Ok(Some(T + 160)));
    // Started now, it ends at 192 s: the wide job starts 96 s later, and so does the one behind it.
    let price = StartedNow { saved: 168, others: 2 * 96 };
    assert_eq!(ask(&mut block, 3), (Ok(Some(T + 168)), Ok(Some(price))));
    assert_eq!(ask(&mut block, 1).1, Ok(None));
    assert_eq!(ask(&mut block, 99).1, Err(Error::UnknownJob));
}

/// Where jobs share nodes there is no forecast, which is another answer than that a job never starts.
#[test]
fn shared_nodes_are_not_supported() {
    let mut block = of_nodes(4, "predictor=limit");
    block.tell(T, &asks(1, 1, 60, wide(1)));
    let size = StartForecast::size(&block.scheduler().capacity(), 5).unwrap();
    let mut memory = vec![0_u64; size.div_ceil(8)];
    let before = block.memory.clone();
    let mut scheduler = block.scheduler();
    let begun = StartForecast::begin(bytemuck::cast_slice_mut(&mut memory), &mut scheduler, 0, T + 9, 5);
    assert_eq!(begun.map(|_| ()), Err(Error::Unsupported));
    assert!(before == block.memory, "a refused forecast has changed the scheduler");
}

/// People are given one answer: once a start was reported the sentence has it, and not the planned one.
#[test]
fn sentences_have_the_reported_start() {
    let mut block = Block::of_one(10, 8, "preset=fair");
    let (known, unknown) = (single(600), single(3600));
    let running =
        JobReport { state: JobState::Running, start: T, prediction: Some(&unknown), ..job(1, 8, 7200) };
    block.tell(T, &running);
    block.tell(T, &JobReport { prediction: Some(&known), ..job(2, 8, 600) });
    let said = |block: &mut Block, now| {
        block.begin(0, now);
        block.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)).unwrap();
        let reason = block.cycle(|mut cycle, scheduler| cycle.reason(scheduler, 2)).unwrap();
        block.close();
        (reason.expected, reason.to_string())
    };
    let (expected, sentence) = said(&mut block, T);
    assert_eq!(expected, None);
    assert!(sentence.ends_with("; planned in 1 h 1 min"), "{sentence}");
    let report = |forecast: &StartForecast<'_>, scheduler: &mut Scheduler<'_>| forecast.report(scheduler, 2);
    let by = forecast(&mut block, T, 100, report).unwrap().unwrap().by;
    let (expected, sentence) = said(&mut block, T);
    assert_eq!(expected, Some(by[2]));
    let minutes = (by[2] - T) / 60;
    assert!(
        sentence.ends_with(&format!("; expected in {} h", minutes / 60))
            || sentence.ends_with(&format!("; expected in {} h {} min", minutes / 60, minutes % 60)),
        "{sentence} {by:?}"
    );
    assert_eq!(block.scheduler().reason(2, T + 60).unwrap().expected, Some(by[2]));
    // One that has passed is none.
    assert_eq!(block.scheduler().reason(2, by[2]).unwrap().expected, None);
}
