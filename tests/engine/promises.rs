//! Promises of the header that one who reads nothing else relies on.

use crate::block::{Block, small};
use crate::facts::{T, job, over, running};
use surefill::engine::{Action, JobReport, JobState, Names, Refusal, SchedulerCapacity, Why};
use surefill::error::Error;
use surefill::runtime::MAX_SECONDS;

const EASY: &str = "preset=easy predictor=limit";

fn wakes(block: &mut Block, now: i64) -> Option<i64> {
    block.scheduler().wake(now).unwrap().map(|wake| wake.0)
}

fn started(block: &mut Block, number: u32, job: i64) -> Result<(), Error> {
    block.cycle(|mut cycle, scheduler| cycle.started(scheduler, number, job))
}

fn array(id: i64, count: u32, tasks: u32) -> JobReport<'static> {
    JobReport { tasks, ..job(id, count, 100) }
}

#[test]
fn a_cycle_that_is_not_asked_until_it_is_done_wants_another() {
    // Begun alone; closed at once; closed behind the first of two offers; done.
    for asked in 0..4 {
        let mut block = Block::of_one(8, 10, EASY);
        block.tell(T, &job(1, 4, 100));
        block.tell(T, &job(2, 4, 100));
        block.begin(0, T);
        if asked >= 2 {
            assert_eq!(block.offered(), 1);
            block.started(0, 1);
        }
        if asked == 3 {
            assert_eq!(block.offered(), 2);
            block.started(1, 2);
            assert_eq!(block.next(), Action::Done);
        }
        if asked >= 1 {
            block.close();
        }
        let expected = if asked == 3 { None } else { Some(T + 50) };
        assert_eq!(wakes(&mut block, T + 50), expected, "{asked}");
        // The start that the manager reports changes nothing.
        block.tell(T + 50, &running(1, 4, 100, T));
        if asked == 2 {
            assert_eq!((wakes(&mut block, T + 50), block.would(0, T + 50)), (Some(T + 50), vec![2]));
        }
    }
}

#[test]
fn a_cycle_without_a_slot_for_a_task_wants_another_in_the_larger_block() {
    let mut block = Block::new(&small(2), EASY);
    block.scheduler().set_pool(b"all", 10, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    block.tell(T, &array(1, 1, 9));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.started(0, 100);
    assert_eq!(block.cycle(|mut cycle, scheduler| cycle.next(scheduler)), Err(Error::Full));
    block.close();
    block.grow(&SchedulerCapacity { jobs: 20, ..small(2) });
    assert_eq!(wakes(&mut block, T), Some(T));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
}

#[test]
fn the_first_second_is_one_like_others() {
    let mut block = Block::of_one(8, 10, EASY);
    // 0 in a report is no time.
    block.tell(0, &JobReport { submit: 0, ..job(1, 4, 100) });
    assert_eq!(block.pass(0, 0), [1]);
    assert_eq!(block.scheduler().counts(), (0, 1));
}

#[test]
fn a_task_has_an_id_of_its_own_but_for_the_last() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &array(1, 3, 3));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    assert_eq!(started(&mut block, 0, 1), Err(Error::OutOfRange));
    block.started(0, 50);
    assert_eq!(block.offered(), 1);
    // The task of another offer.
    assert_eq!(started(&mut block, 1, 50), Err(Error::DuplicateJob));
    assert_eq!(started(&mut block, 1, 0), Err(Error::OutOfRange));
    block.started(1, 51);
    assert_eq!(block.offered(), 1);
    block.started(2, 1);
    assert_eq!(block.next(), Action::Done);
    block.close();
    assert_eq!((block.scheduler().counts(), block.scheduler().idle(0)), ((0, 3), Ok(1)));
}

#[test]
fn a_job_that_is_no_array_keeps_its_id() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(7, 3, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 7);
    assert_eq!(started(&mut block, 0, 77), Err(Error::OutOfRange));
    block.started(0, 7);
    assert_eq!(block.next(), Action::Done);
    block.close();
    assert_eq!(block.scheduler().counts(), (0, 1));
}

#[test]
fn spans_end() {
    let mut block = Block::of_one(8, 10, EASY);
    for (limit, ran) in [(MAX_SECONDS + 1, 0), (100, MAX_SECONDS + 1), (i64::MAX, 0)] {
        let report = JobReport { ran, ..job(1, 1, limit) };
        assert_eq!(block.call(|scheduler| scheduler.set_job(T, &report)), Err(Error::SpanTooLong));
    }
    block.tell(T, &job(1, 1, MAX_SECONDS));
}

#[test]
fn a_begin_time_that_has_passed_is_no_reason() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &JobReport { state: JobState::Held, why: Why::Begin, begin: T + 50, ..job(1, 4, 100) });
    let reason = block.scheduler().reason(1, T).unwrap();
    assert_eq!((reason.why, reason.until), (Why::Begin, Some(T + 50)));
    block.begin(0, T);
    assert_eq!(block.next(), Action::Done);
    block.close();
    assert_eq!(wakes(&mut block, T), None);
    assert_eq!(block.scheduler().reason(1, T + 60).unwrap().why, Why::Hold);
}

#[test]
fn a_refusal_for_ever_says_what_ends_it() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(1, 4, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.refused(0, Refusal::Never);
    assert_eq!(block.next(), Action::Done);
    block.close();
    let mut sentence = String::new();
    block.scheduler().reason(1, T).unwrap().write(&Names::default(), &mut sentence).unwrap();
    assert!(sentence.contains("when its limit, size, request or queue changes"), "{sentence}");
    block.tell(T, &job(1, 4, 101));
    assert_eq!(block.would(0, T), [1]);
}

/// A machine that is out of service as a whole has no units: what runs goes on, nothing starts, and each job says why.
#[test]
fn a_pool_of_units_may_have_none_in_service() {
    let mut block = Block::of_one(8, 4, "");
    block.tell(T, &job(1, 2, 600));
    assert_eq!(block.pass(0, T), [1]);
    block.tell(T + 1, &job(2, 2, 600));
    assert_eq!(block.call(|s| s.set_pool(b"all", 0, None)), Ok(0));
    assert_eq!(block.pass(0, T + 1), []);
    let reason = block.scheduler().reason(2, T + 1).unwrap();
    assert_eq!((reason.why, reason.units), (Why::NodesOut, 0));
    assert_eq!(reason.to_string(), "what it needs is out of service");
    block.tell(T + 100, &over(1, JobState::Ended, 0));
    assert_eq!((block.pass(0, T + 100), block.scheduler().idle(0)), (vec![], Ok(0)));
    assert_eq!(block.call(|s| s.set_pool(b"all", 4, None)), Ok(0));
    assert_eq!(block.pass(0, T + 200), [2]);
    // Where there is no room for nodes, a machine may begin like that.
    let mut block = Block::new(&small(4), "");
    assert_eq!(block.call(|s| s.set_pool(b"later", 0, None)), Ok(0));
    assert_eq!(block.call(|s| s.set_pool(b"later", 4, None)), Ok(0));
    assert_eq!(block.scheduler().idle(0), Ok(4));
}
