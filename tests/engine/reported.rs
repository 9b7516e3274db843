//! Starts as they are reported: those of before, those that limits bound, and none while the machine may be down.

use crate::block::Block;
use crate::facts::{job, over};
use crate::starts::{forecast, single};
use surefill::engine::{JobReport, JobState, PredictedStart, Stall};
use surefill::error::Error;

const T: i64 = 1_000_000;
const DAY: i64 = 86_400;

/// A report of which the block knows nothing counts as one of its own.
#[test]
fn a_report_of_before_is_restored() {
    let mut block = Block::of_one(10, 2, "preset=easy");
    let prediction = single(500);
    block.tell(T, &JobReport { prediction: Some(&prediction), ..job(1, 2, 3000) });
    assert_eq!(block.pass(0, T), [1]);
    block.tell(T, &JobReport { prediction: Some(&prediction), ..job(2, 2, 1000) });
    let report = |block: &mut Block, now: i64| {
        forecast(block, now, 9, |forecast, scheduler| forecast.report(scheduler, 2)).unwrap().unwrap()
    };
    let mut other = block.clone();
    let reported = report(&mut block, T);
    other.scheduler().restore_start(2, T, &reported).unwrap();
    let late = JobReport { prediction: Some(&single(2000)), state: JobState::Running, ..job(1, 2, 3000) };
    for block in [&mut block, &mut other] {
        block.tell(T + 4000, &JobReport { start: T, ..late });
    }
    assert_eq!(report(&mut other, T + 4000), report(&mut block, T + 4000));
    let restore = |block: &mut Block, id: i64, when: i64, by: [i64; 5]| {
        let start = PredictedStart { by, capped: false, stall: None };
        block.call(|scheduler| scheduler.restore_start(id, when, &start))
    };
    let by = [0, 1, 2, 3, 4].map(|more| T + 5000 + more);
    assert_eq!(restore(&mut other, 99, T, by), Err(Error::UnknownJob));
    assert_eq!(restore(&mut other, 1, T, by), Err(Error::UnknownJob));
    assert_eq!(restore(&mut other, 2, T + 4001, by), Err(Error::OutOfRange));
    assert_eq!(restore(&mut other, 2, T, [T - 1, T, T, T, T]), Err(Error::OutOfRange));
    assert_eq!(restore(&mut other, 2, T, [T + 1, T, T, T, T]), Err(Error::OutOfRange));
    assert_eq!(restore(&mut other, 2, T, [T, T, T, T, i64::MAX]), Err(Error::OutOfRange));
    assert_eq!(restore(&mut other, 2, i64::MIN, by), Err(Error::OutOfRange));
    assert_eq!(restore(&mut other, 2, T, by), Ok(()));
}

/// Under EASY the limits bound the start of the head job, whatever the starts of before have taught.
#[test]
fn no_level_of_the_head_job_is_beyond_its_start_by_limits() {
    let start = |words: &str, id: i64| {
        let mut block = Block::of_one(10, 4, words);
        let prediction = single(500);
        block.tell(T, &JobReport { prediction: Some(&prediction), ..job(1, 3, 520) });
        assert_eq!(block.pass(0, T), [1]);
        for id in 2..=3 {
            block.tell(T, &JobReport { prediction: Some(&prediction), ..job(id, 3, 1000) });
        }
        forecast(&mut block, T, 9, |forecast, scheduler| {
            let by = forecast.predicted(scheduler, id).unwrap().unwrap().by.map(|by| by - T);
            let chance = |within: i64| forecast.probability(scheduler, id, T + within).unwrap().unwrap();
            (by, [519, 520].map(chance))
        })
    };
    let (head, chances) = start("preset=easy", 2);
    assert_eq!(head[2..], [500, 520, 520]);
    assert!(chances[0] < 1.0 && chances[1] == 1.0, "{chances:?}");
    // Not of the job behind it, nor under a rule that has no such reservation.
    assert!(start("preset=easy", 3).0[4] > 1000);
    assert!(start("", 2).0[4] > 520);
}

/// A job that may start, and nothing has started for longer than ever while one waited.
#[test]
fn nothing_is_predicted_while_the_machine_may_be_down() {
    let mut block = Block::of_one(10, 2, "preset=easy settle=0");
    let mut now = T;
    for id in 1..=60 {
        block.tell(now, &JobReport { submit: now, ..job(id, 2, 5000) });
        now += 4000;
        assert_eq!(block.pass(0, now), [id]);
        now += 1;
        block.tell(now, &over(id, JobState::Ended, 1));
    }
    for id in 61..=62 {
        block.tell(now, &JobReport { submit: now, ..job(id, 2, 5000) });
    }
    let asked = |block: &mut Block, now: i64, id: i64| {
        forecast(block, now, 9, |forecast, scheduler| {
            let before = forecast.stall();
            let start = forecast.report(scheduler, id).unwrap().unwrap();
            assert_eq!(start.stall, before);
            (start, forecast.probability(scheduler, id, now + DAY).unwrap())
        })
    };
    assert_eq!(asked(&mut block, now + 4000, 61).0.stall, None);
    let (start, probability) = asked(&mut block, now + 4002, 62);
    assert_eq!(start.stall, Some(Stall { lasts: 4002, longest: 4000 }));
    assert!(start.capped && (0..5).all(|level| start.known(level).is_none()), "{start:?}");
    assert_eq!(probability, None);
    // The machine is back.
    now += 9000;
    assert_eq!(block.pass(0, now), [61]);
    let (start, probability) = asked(&mut block, now + 5000, 62);
    assert!(start.stall.is_none() && probability.is_some(), "{start:?}");
}
