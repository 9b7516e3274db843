//! Cycles in single cases: reports while one is under way, refusals, arrays, pools, shadow mode, and the time of the
//! next one.

use crate::block::Block;
use crate::facts::{T, job, over, running};
use surefill::engine::{Action, Cycle, JobReport, JobState, Refusal, Why};
use surefill::error::Error;

const EASY: &str = "preset=easy";

/// Jobs that are offered until none is, with the last action.
fn offers(block: &mut Block) -> (Vec<i64>, Action) {
    let mut jobs = Vec::new();
    loop {
        match block.next() {
            Action::Start(offer) => jobs.push(offer.job),
            action => return (jobs, action),
        }
    }
}

#[test]
fn an_adopted_job_takes_room_from_the_cycle_that_is_open() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(1, 5, 100));
    block.tell(T, &job(2, 5, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.tell(T, &running(3, 5, 100, T));
    assert_eq!(block.next(), Action::Stale);
    // The cycle knows of the starts that it offered itself.
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(1, 5, 100));
    block.tell(T, &job(2, 5, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.started(0, 1);
    assert_eq!(block.offered(), 2);
    assert_eq!(block.cycle(|cycle, scheduler| cycle.holds(scheduler, 1)), Ok(true));
}

#[test]
fn a_running_job_that_moves_takes_room_from_the_other_pool() {
    let mut block = Block::of_one(8, 10, EASY);
    block.scheduler().set_pool(b"other", 10, None).unwrap();
    block.scheduler().set_queue(b"others", 1).unwrap();
    block.tell(T, &running(1, 6, 100, T));
    let there = JobReport { queues: &[1], ..job(2, 6, 100) };
    block.tell(T, &there);
    block.begin(1, T);
    block.tell(T, &JobReport { queues: &[1], ..running(1, 6, 100, T) });
    assert_eq!(block.next(), Action::Stale);
    assert_eq!((block.scheduler().idle(0), block.scheduler().idle(1)), (Ok(10), Ok(4)));
}

#[test]
fn what_was_edited_is_not_started_by_an_old_decision() {
    let edits: [(&str, JobReport<'static>); 4] = [
        ("limit", job(2, 5, 5000)),
        ("pool", JobReport { queues: &[1], ..job(2, 5, 100) }),
        ("held", JobReport { state: JobState::Held, ..job(2, 5, 100) }),
        ("gone", over(2, JobState::Gone, 0)),
    ];
    for (name, edit) in edits {
        let mut block = Block::of_one(8, 10, EASY);
        block.scheduler().set_pool(b"other", 10, None).unwrap();
        block.scheduler().set_queue(b"others", 1).unwrap();
        block.tell(T, &job(1, 5, 100));
        block.tell(T, &job(2, 5, 100));
        block.begin(0, T);
        assert_eq!(block.offered(), 1);
        block.tell(T, &edit);
        if name == "gone" {
            // Another job in the same record.
            block.tell(T, &job(9, 5, 5000));
        }
        assert_eq!(block.next(), Action::Done, "{name}");
        assert_eq!(block.scheduler().wake(T).unwrap().map(|wake| wake.0), Some(T), "{name}");
        // An offer that is open is void.
        block.tell(T, &job(1, 5, 101));
        assert_eq!(block.cycle(|cycle, scheduler| cycle.holds(scheduler, 0)), Ok(false));
    }
}

#[test]
fn what_is_reported_during_a_cycle_wakes_the_next_one() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(1, 5, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.tell(T, &job(2, 5, 100));
    block.started(0, 1);
    assert_eq!(block.next(), Action::Done);
    block.close();
    assert_eq!(block.scheduler().wake(T), Ok(Some((T, 1))));
    assert_eq!(block.pass(0, T), [2]);
    assert_eq!(block.scheduler().wake(T), Ok(None));
}

#[test]
fn who_is_late_is_woken_all_the_same() {
    let mut block = Block::of_one(8, 10, "preset=easy refused=60");
    block.tell(T, &JobReport { begin: T + 200, ..job(1, 5, 100) });
    block.tell(T, &job(2, 5, 100));
    block.begin(0, T);
    assert_eq!(block.offered(), 2);
    block.refused(0, Refusal::NotNow);
    assert_eq!(block.next(), Action::Done);
    block.close();
    assert_eq!(block.scheduler().wake(T), Ok(Some((T + 60, 1))));
    assert_eq!(block.scheduler().wake(T + 61), Ok(Some((T + 61, 1))));
    assert_eq!(block.pass(0, T + 61), [2]);
    assert_eq!(block.scheduler().wake(T + 100), Ok(Some((T + 200, 1))));
    assert_eq!(block.scheduler().wake(T + 300), Ok(Some((T + 300, 1))));
    assert_eq!(block.pass(0, T + 300), [1]);
    assert_eq!(block.scheduler().wake(T + 301), Ok(None));
}

#[test]
fn refusals() {
    let mut block = Block::of_one(8, 10, "preset=easy refused=60");
    block.tell(T, &job(1, 5, 100));
    // NEVER: until it is changed.
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.refused(0, Refusal::Never);
    assert_eq!(offers(&mut block), (vec![], Action::Done));
    assert_eq!(block.would(0, T + 1_000_000), []);
    block.tell(T, &job(1, 5, 99));
    // BUSY: when the pool has changed, not when it has lost room.
    for third in 1..=3 {
        block.begin(0, T + third);
        assert_eq!(block.offered(), 1, "{third}");
        block.refused(0, Refusal::Busy);
        assert_eq!(block.next(), Action::Done);
        block.close();
        assert_eq!(block.would(0, T + third), []);
        block.scheduler().set_pool(b"all", 10 - third as u32, None).unwrap();
        assert_eq!(block.would(0, T + third), [], "less room is none");
        block.scheduler().set_pool(b"all", 10, None).unwrap();
        assert_eq!(block.would(0, T + third) == [1], third < 3, "{third}");
    }
    // The third in a row lets others pass for a while.
    block.tell(T + 10, &JobReport { submit: T + 10, ..job(2, 10, 5) });
    assert_eq!(block.would(0, T + 10), [2]);
    assert_eq!(block.would(0, T + 63), [1]);
    // An offer is answered once.
    block.begin(0, T + 63);
    assert_eq!(block.offered(), 1);
    block.refused(0, Refusal::NotNow);
    for number in [0, 7] {
        let why = if number == 0 { Error::WrongState } else { Error::NoSuchIndex };
        let (memory, scratch) = (block.memory.clone(), block.scratch.clone());
        assert_eq!(block.cycle(|mut c, s| c.refused(s, number, Refusal::Busy)), Err(why));
        assert_eq!(block.cycle(|mut c, s| c.started(s, number, 1)), Err(why));
        assert!(memory == block.memory && scratch == block.scratch);
    }
}

/// On an idle machine nothing changes: the refusal for want of room ends by itself, and a cycle is wanted then.
#[test]
fn a_refusal_for_want_of_room_expires() {
    for words in ["preset=easy refused=60", "preset=fair refused=60"] {
        let mut block = Block::of_one(8, 10, words);
        block.tell(T, &job(1, 5, 100));
        block.begin(0, T);
        assert_eq!(block.offered(), 1);
        block.refused(0, Refusal::Busy);
        assert_eq!(block.next(), Action::Done, "{words}");
        block.close();
        assert_eq!(block.scheduler().wake(T), Ok(Some((T + 60, 1))), "{words}");
        assert_eq!(block.would(0, T + 59), [], "{words}");
        assert_eq!(block.scheduler().wake(T + 90), Ok(Some((T + 90, 1))), "{words}");
        assert_eq!(block.pass(0, T + 60), [1], "{words}");
        assert_eq!(block.scheduler().wake(T + 61), Ok(None), "{words}");
    }
    // Without a span it is not offered again in the same second.
    for why in [Refusal::Busy, Refusal::NotNow] {
        let mut block = Block::of_one(8, 10, "refused=0");
        block.tell(T, &job(1, 5, 100));
        block.begin(0, T);
        assert_eq!(block.offered(), 1);
        block.refused(0, why);
        assert_eq!(block.next(), Action::Done, "{why:?}");
        block.close();
        assert_eq!(block.pass(0, T + 1), [1], "{why:?}");
    }
}

/// The answer to an offer of a job that is over by now, and answers after the end of the cycle.
#[test]
fn late_answers_change_nothing() {
    for state in [JobState::Gone, JobState::Ended] {
        let mut block = Block::of_one(8, 10, EASY);
        block.tell(T, &job(1, 6, 100));
        block.tell(T, &job(2, 6, 100));
        block.begin(0, T);
        assert_eq!(block.offered(), 1);
        block.tell(T, &over(1, state, 5));
        let before = block.clone();
        assert_eq!(block.cycle(|mut c, s| c.started(s, 0, 1)), Err(Error::UnknownJob), "{state:?}");
        assert!(before.memory == block.memory && before.scratch == block.scratch);
        block.refused(0, Refusal::NotNow);
        // A job that was reported only when it was over has taken room meanwhile.
        assert_eq!(block.next() == Action::Stale, state == JobState::Ended);
        block.begin(0, T);
        assert_eq!(block.offered(), 2, "{state:?}");
        block.close();
        let before = block.clone();
        assert_eq!(block.cycle(|mut c, s| c.started(s, 0, 2)), Err(Error::WrongState));
        assert_eq!(block.cycle(|mut c, s| c.refused(s, 0, Refusal::NotNow)), Err(Error::WrongState));
        assert_eq!(block.cycle(|mut c, s| c.next(s)), Err(Error::WrongState));
        assert_eq!(block.cycle(|mut c, s| c.plan_all(s)), Err(Error::WrongState));
        assert_eq!(block.cycle(|mut c, s| c.try_job(s, &job(9, 1, 9))), Err(Error::WrongState));
        assert_eq!(block.cycle(|c, s| c.close(s)), Err(Error::WrongState));
        assert_eq!(block.cycle(|c, s| c.holds(s, 0)), Ok(false));
        assert!(before.memory == block.memory && before.scratch == block.scratch);
        // A plan of all jobs is over as well once it is closed.
        block.begin(0, T);
        block.cycle(|mut c, s| c.plan_all(s)).unwrap();
        block.close();
        assert_eq!(block.cycle(|mut c, s| c.plan_all(s)), Err(Error::WrongState));
        assert_eq!(block.cycle(|mut c, s| c.try_job(s, &job(9, 1, 9))), Err(Error::WrongState));
    }
}

/// Under EASY a job that starts in the site's order passes none, whichever was submitted first.
#[test]
fn starts_in_the_sites_order_pass_none() {
    for (words, priority) in [("preset=easy", 9.0), ("preset=easy order=priority seconds=10", 9.0)] {
        let mut block = Block::of_one(8, 8, words);
        block.tell(T, &running(5, 1, 1000, T));
        block.tell(T, &job(1, 5, 100));
        block.tell(T + 1, &JobReport { submit: T + 1, priority, ..job(2, 4, 100) });
        block.tell(T + 2, &JobReport { submit: T + 2, ..job(3, 2, 90) });
        block.begin(0, T + 2);
        let mut offers = Vec::new();
        while let Action::Start(offer) = block.next() {
            offers.push((offer.job, offer.why, offer.head));
        }
        assert_eq!(offers, [(2, Why::InOrder, 0), (3, Why::ByLimits, 1)], "{words}");
    }
}

#[test]
fn a_cycle_of_endless_refusals_ends() {
    let mut block = Block::of_one(1, 10, EASY);
    block.tell(T, &job(1, 5, 100));
    block.begin(0, T);
    for round in 0..10 {
        match block.next() {
            Action::Start(offer) => block.refused(offer.number, Refusal::Busy),
            action => {
                assert_eq!(action, if round > 1 { Action::Stale } else { Action::Done });
                return;
            }
        }
        // Reported again, and changed: it may start.
        block.tell(T, &job(1, 5, 101 + round));
    }
    panic!("it goes on");
}

#[test]
fn arrays() {
    let array = JobReport { tasks: 3, ..job(1, 2, 100) };
    // No more tasks start than the array has.
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &array);
    block.begin(0, T);
    for task in 0..3 {
        assert_eq!(block.offered(), 1);
        block.started(task, 100 + i64::from(task));
    }
    assert_eq!(block.next(), Action::Done);
    block.close();
    assert_eq!((block.scheduler().idle(0), block.scheduler().counts()), (Ok(4), (0, 3)));
    assert_eq!(block.would(0, T), []);
    // The manager reports that a task is left.
    block.tell(T + 1, &JobReport { tasks: 1, ..array });
    assert_eq!(block.would(0, T + 1), [1]);

    // No more start at once than reported; the same if they are answered later.
    for at_once in [1, 2] {
        let mut block = Block::of_one(8, 10, EASY);
        let limited = JobReport { at_once, ..array };
        block.tell(T, &limited);
        block.begin(0, T);
        assert_eq!(offers(&mut block), (vec![1; at_once as usize], Action::Done));
        (0..at_once).for_each(|task| block.started(task, 100 + i64::from(task)));
        block.close();
        assert_eq!(block.would(0, T), [], "no more than {at_once} at once");
        block.tell(T + 9, &over(100, JobState::Ended, 9));
        block.tell(T + 9, &JobReport { tasks: 3 - at_once, at_once: 1, ..array });
        assert_eq!(block.would(0, T + 9), [1]);
    }

    // There is no slot for a task.
    let mut block = Block::of_one(2, 10, EASY);
    block.tell(T, &array);
    block.tell(T, &job(2, 1, 100));
    block.begin(0, T);
    assert_eq!(block.cycle(|mut cycle, scheduler| cycle.next(scheduler)), Err(Error::Full));
    block.grow(&surefill::engine::SchedulerCapacity { jobs: 4, ..crate::block::small(2) });
    assert_eq!(block.offered(), 1);
    block.started(0, 100);
    // A task's id is free.
    assert_eq!(block.offered(), 1);
    let before = block.memory.clone();
    assert_eq!(block.cycle(|mut c, s| c.started(s, 1, 2)), Err(Error::DuplicateJob));
    assert!(before == block.memory);
    block.started(1, 101);
    assert_eq!(block.scheduler().idle(0), Ok(6));
}

#[test]
fn a_late_answer_does_not_set_the_clock_back() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &JobReport { tasks: 3, ..job(1, 2, 100) });
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.tell(T + 500, &job(2, 2, 100));
    block.started(0, 100);
    assert_eq!(block.scheduler().totals().clock_set_back, 0);
    // Nor does one to an offer of a time that is no more: such a start settles too.
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(1, 2, 100));
    block.tell(T, &job(2, 2, 100));
    block.begin(0, T + 100_000);
    assert_eq!((block.offered(), block.offered()), (1, 2));
    block.tell(T, &job(3, 2, 100));
    assert_eq!(block.next(), Action::Stale);
    block.started(0, 1);
    block.refused(1, Refusal::NotNow);
    assert_eq!(block.would(0, T + 100), [2, 3]);
    block.tell(T + 100, &job(1, 2, 100));
    assert_eq!(block.scheduler().counts(), (3, 0));
}

#[test]
fn contradictory_pools() {
    // Jobs hold 6 of 10, and 6 are reported as idle: in the site's order, no job overtakes.
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &running(1, 6, 100, T));
    block.tell(T, &job(2, 5, 100));
    block.tell(T, &job(3, 1, 10));
    assert_eq!(block.would(0, T), [3]);
    block.scheduler().set_pool(b"all", 10, Some(6)).unwrap();
    assert_eq!((block.would(0, T), block.scheduler().idle(0)), (vec![], Ok(4)));
    block.tell(T, &over(2, JobState::Gone, 0));
    assert_eq!(block.would(0, T), [3]);
    // A pool that is smaller than the units held.
    block.scheduler().set_pool(b"all", 3, None).unwrap();
    assert_eq!((block.would(0, T), block.scheduler().idle(0)), (vec![], Ok(0)));
    // Jobs wider than the pool are never head.
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(1, 11, 100));
    block.tell(T, &job(2, 10, 100));
    assert_eq!(block.would(0, T), [2]);
    // Jobs hold more than any pool can have; then all of it is free.
    let most = i32::MAX as u32;
    for id in 1..=4 {
        block.tell(T, &running(10 + id, most, 100, T));
    }
    assert_eq!(block.scheduler().idle(0), Ok(0));
    block.tell(T, &running(20, 3, 100, T));
    for id in 1..=4 {
        block.tell(T + 1, &over(10 + id, JobState::Broken, 0));
    }
    assert_eq!(block.scheduler().idle(0), Ok(7));
}

#[test]
fn units_that_are_unaccounted() {
    let mut block = Block::of_one(8, 10, EASY);
    block.scheduler().set_pool(b"all", 10, Some(3)).unwrap();
    assert_eq!(block.scheduler().idle(0), Ok(3));
    block.tell(T, &job(1, 4, 100));
    block.tell(T, &job(2, 2, 100));
    // The time at which there will be room for the first is unknown.
    assert_eq!(block.pass(0, T), [2]);
    block.scheduler().set_pool(b"all", 10, Some(8)).unwrap();
    assert_eq!((block.pass(0, T), block.scheduler().idle(0)), (vec![1], Ok(4)));
    block.scheduler().set_pool(b"all", 10, None).unwrap();
    assert_eq!(block.scheduler().idle(0), Ok(4));
}

#[test]
fn a_shadow_starts_nothing() {
    let mut block = Block::of_one(8, 10, "preset=easy mode=shadow");
    block.tell(T, &job(1, 6, 100));
    block.tell(T, &job(2, 6, 100));
    block.tell(T, &job(3, 4, 100));
    for (pass, expected) in [(0, vec![1, 3]), (1, vec![])] {
        block.begin(0, T + pass);
        let mut said = Vec::new();
        loop {
            match block.next() {
                Action::WouldStart(offer) => said.push(offer.job),
                action => {
                    assert_eq!(action, Action::Done);
                    break;
                }
            }
        }
        block.close();
        assert_eq!(said, expected);
    }
    assert_eq!((block.scheduler().counts(), block.scheduler().idle(0)), ((3, 0), Ok(10)));
    // Another run of it is reported.
    block.tell(T + 5, &running(1, 6, 100, T + 5));
    block.tell(T + 6, &JobReport { restarts: 1, ..job(1, 6, 100) });
    block.begin(0, T + 6);
    assert!(matches!(block.next(), Action::WouldStart(offer) if offer.job == 1));
}

#[test]
fn the_head_is_one_that_is_passed() {
    let mut block = Block::of_one(8, 10, EASY);
    (1..=3).for_each(|id| block.tell(T, &job(id, 3, 100)));
    block.begin(0, T);
    for id in 1..=2 {
        assert_eq!(block.offered(), id);
    }
    // The first has an open offer: no job passes it.
    block.refused(1, Refusal::NotNow);
    match block.next() {
        Action::Start(offer) => assert_eq!((offer.job, offer.head), (3, 0)),
        action => panic!("{action:?}"),
    }
}

#[test]
fn a_cycle_that_cannot_begin_changes_nothing() {
    let mut block = Block::of_one(8, 10, EASY);
    block.tell(T, &job(1, 3, 100));
    let mut scratch = vec![7_u64; Cycle::size(&block.scheduler().capacity()).unwrap() / 8 + 1];
    let mut begin = |block: &mut Block, length: usize, pool, now| {
        let memory = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut scratch)[..length];
        let before = memory.to_vec();
        let answer = block.call(|s| Cycle::begin(memory, s, pool, now).map(|_| ()));
        let same = bytemuck::cast_slice::<u64, u8>(&scratch)[..length] == before;
        assert!(answer.is_ok() || same);
        answer
    };
    let whole = Cycle::size(&block.scheduler().capacity()).unwrap();
    assert_eq!(begin(&mut block, whole, 1, T), Err(Error::NoSuchIndex));
    assert_eq!(begin(&mut block, whole, u32::MAX, T), Err(Error::NoSuchIndex));
    assert_eq!(begin(&mut block, whole, 0, i64::MIN), Err(Error::OutOfRange));
    assert_eq!(begin(&mut block, whole - 8, 0, T), Err(Error::TooSmall));
    block.scheduler().list_begin(T).unwrap();
    assert_eq!(begin(&mut block, whole, 0, T), Err(Error::WrongState));
    block.scheduler().list_end(T).unwrap();
    assert_eq!(begin(&mut block, whole, 0, T), Ok(()));
}

#[test]
fn open_offers_end_by_their_limits() {
    // 5 units: 1 and 2 are offered, 3 needs all of them, 4 ends before 1's limit.
    let mut block = Block::of_one(8, 5, EASY);
    for report in [job(1, 3, 1000), job(2, 1, 1000), job(3, 5, 1000), job(4, 1, 500)] {
        block.tell(T, &report);
    }
    block.begin(0, T);
    assert_eq!((block.offered(), block.offered()), (1, 2));
    // The decision is made anew while the first offer is open.
    block.refused(1, Refusal::NotNow);
    assert_eq!(offers(&mut block), (vec![4], Action::Done));
}

#[test]
fn a_task_does_not_take_the_place_of_its_array() {
    let array = JobReport { tasks: 3, ..job(1, 2, 100) };
    for others in [0, 1] {
        let mut block = Block::of_one(2, 10, EASY);
        block.tell(T, &array);
        let other = job(2, 1, 100);
        if others == 1 {
            block.tell(T, &other);
        }
        block.grow(&surefill::engine::SchedulerCapacity { jobs: 3, ..crate::block::small(2) });
        block.begin(0, T);
        assert_eq!(block.offered(), 1);
        // The array leaves the listings while it is offered, and jobs fill the table.
        block.scheduler().list_begin(T).unwrap();
        block.tell(T, &job(8, 1, 100));
        if others == 0 {
            block.tell(T, &job(9, 1, 100));
        }
        assert_eq!(block.scheduler().list_end(T), Ok(false));
        let started = block.cycle(|mut cycle, scheduler| cycle.started(scheduler, 0, 100));
        // The other job that is not listed any more makes room, the array does not.
        assert_eq!(started, if others == 1 { Ok(()) } else { Err(Error::Full) });
        assert_eq!(block.scheduler().idle(0), Ok(if others == 1 { 8 } else { 10 }));
    }
}
