//! Answers after what seldom happens: refusals at the end of a cycle, corrected reports, a clock that is set back, jobs
//! of unknown length.

use crate::block::{Block, small};
use crate::facts::{T, job, over, running};
use crate::reasons::{ask, plan_all, predicted};
use surefill::engine::{Action, JobReport, JobState, Refusal, SchedulerCapacity, StartForecast, Why};
use surefill::error::Error;

const EASY: &str = "preset=easy predictor=limit";

fn wakes(block: &mut Block, now: i64) -> Option<i64> {
    block.scheduler().wake(now).unwrap().map(|wake| wake.0)
}

#[test]
fn a_refusal_at_the_end_of_a_cycle_wants_another() {
    for answered in [true, false] {
        let mut block = Block::of_one(8, 10, EASY);
        block.tell(T, &job(1, 10, 100));
        block.tell(T, &job(2, 10, 100));
        block.begin(0, T);
        assert_eq!((block.offered(), block.next()), (1, Action::Done));
        // An offer without an answer is refused, too.
        if answered {
            block.refused(0, Refusal::Never);
        }
        block.close();
        assert_eq!(wakes(&mut block, T), Some(T), "{answered}");
        assert_ne!(block.scheduler().reason(1, T).unwrap().why, Why::Planned);
        assert_eq!(block.would(0, T), [2]);
    }
}

#[test]
fn a_running_job_has_the_units_that_were_reported_last() {
    let mut block = Block::of_one(8, 128, EASY);
    block.tell(T, &running(1, 96, 1000, T));
    for count in [32, 100, 7] {
        block.tell(T, &running(1, count, 1000, T));
        assert_eq!(block.scheduler().idle(0), Ok(128 - count));
    }
    block.tell(T, &JobReport { units: 50, ..running(1, 7, 1000, T) });
    assert_eq!(block.scheduler().idle(0), Ok(78));
}

#[test]
fn a_corrected_start_counts() {
    let mut block = Block::of_one(8, 10, EASY);
    let started = JobReport { state: JobState::Running, ..job(1, 5, 3600) };
    block.tell(T + 3000, &started);
    block.tell(T + 3000, &job(2, 10, 100));
    // It would end in an hour by the first report, and in ten minutes by the second.
    block.tell(T + 3000, &job(3, 5, 1800));
    assert_eq!(block.would(0, T + 3000), [3]);
    block.tell(T + 3000, &running(1, 5, 3600, T));
    assert_eq!(block.would(0, T + 3000), []);
    // A later start is a loss for the decision under way.
    block.tell(T + 3000, &job(4, 5, 500));
    block.begin(0, T + 3000);
    block.tell(T + 3000, &running(1, 5, 3600, T + 2000));
    assert_eq!(block.next(), Action::Stale);
    // A job that is ending and runs after all has its limit before it again.
    block.tell(T + 3000, &JobReport { state: JobState::Ending, ..running(1, 5, 3600, T) });
    block.tell(T + 3000, &running(1, 5, 3600, T + 2999));
    assert_eq!(block.would(0, T + 3000), [3]);
}

#[test]
fn a_clock_that_is_set_back_leaves_refusals_for_ever() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T + 9000, &job(1, 5, 100));
    block.tell(T + 9000, &running(2, 10, 100_000, T + 9000));
    block.begin(0, T + 9000);
    assert_eq!(block.next(), Action::Done);
    block.close();
    block.tell(T + 9000, &over(2, JobState::Ended, 10));
    block.begin(0, T + 9000);
    assert_eq!(block.offered(), 1);
    block.refused(0, Refusal::Never);
    assert_eq!(block.next(), Action::Done);
    block.close();
    assert_eq!(wakes(&mut block, T + 9000), None);
    block.tell(T + 5000, &job(3, 7, 100));
    assert_eq!(block.would(0, T + 5000), [3]);
    assert_eq!(wakes(&mut block, T + 5000), Some(T + 5000));
    // With another limit it is another matter.
    block.tell(T + 5000, &job(1, 5, 99));
    assert_eq!(block.would(0, T + 5000), [1]);
}

#[test]
fn the_start_of_an_unlimited_job_is_not_foreseen() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &running(1, 5, 0, T));
    block.tell(T, &job(2, 10, 100));
    plan_all(&mut block, T);
    let found = ask(&mut block, 2).unwrap();
    assert_eq!((found.start, found.by_limits), (None, None));
    assert_eq!(block.cycle(|mut cycle, scheduler| cycle.planned(scheduler, 2)), Ok(None));
    assert!(!found.to_string().contains(" d"), "{found}");
}

#[test]
fn the_rest_of_an_array_does_not_start_now() {
    for words in [EASY, "preset=fair predictor=limit"] {
        let mut block = Block::of_one(16, 10, words);
        block.tell(T, &running(9, 3, 1000, T));
        block.tell(T, &JobReport { tasks: 5, ..job(1, 3, 100) });
        block.begin(0, T);
        for task in 0..2 {
            assert_eq!(block.offered(), 1);
            block.started(task, 100 + i64::from(task));
        }
        assert_eq!(block.next(), Action::Done);
        let asked = ask(&mut block, 1).unwrap();
        block.close();
        let noted = block.scheduler().reason(1, T + 50).unwrap();
        assert!([asked.why, noted.why].iter().all(|why| matches!(why, Why::Head | Why::NoRoom)), "{words}");
        assert!(noted.start.is_none_or(|start| start > T + 50));
    }
}

#[test]
fn an_offer_does_not_hold_for_another_job_of_the_same_id() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(5, 4, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 5);
    block.tell(T, &over(5, JobState::Gone, 0));
    block.tell(T, &JobReport { submit: T - 7, ..job(5, 9, 7000) });
    assert_eq!(block.cycle(|cycle, scheduler| cycle.holds(scheduler, 0)), Ok(false));
}

#[test]
fn no_level_of_a_start_lies_before_its_begin() {
    let mut block = Block::of_one(8, 10, "predictor=limit");
    predicted(&mut block, JobReport { begin: T + 86_400, ..job(1, 5, 100) }, 60);
    let capacity = block.scheduler().capacity();
    let mut memory = vec![0_u64; StartForecast::size(&capacity, 20).unwrap().div_ceil(8)];
    let mut scheduler = block.scheduler();
    let memory = bytemuck::cast_slice_mut(&mut memory);
    let mut forecast = StartForecast::begin(memory, &mut scheduler, 0, T, 20).unwrap();
    while !forecast.run(&mut scheduler, 1000).unwrap() {}
    let start = forecast.predicted(&scheduler, 1).unwrap().unwrap();
    assert!(start.by.iter().all(|&by| by >= T + 86_400), "{start:?}");
    assert_eq!(forecast.probability(&scheduler, 1, T + 86_399), Ok(Some(0.0)));
}

#[test]
fn a_cycle_that_the_scheduler_has_outgrown_is_stale() {
    let mut block = Block::of_one(2, 100, EASY);
    block.tell(T, &job(1, 1, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    let scratch = block.scratch.clone();
    block.grow(&SchedulerCapacity { jobs: 64, ..small(2) });
    // The shell goes on with the cycle's old memory.
    block.scratch = scratch;
    for id in 2..40 {
        block.tell(T, &job(id, 1, 100));
    }
    block.refused(0, Refusal::NotNow);
    assert_eq!(block.next(), Action::Stale);
    assert_eq!(wakes(&mut block, T), Some(T));
    assert_eq!(block.cycle(|cycle, scheduler| cycle.holds(scheduler, 7)), Err(Error::NoSuchIndex));
}
