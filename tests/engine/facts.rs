//! The effects of reports on jobs, in single cases.

use crate::block::{Block, small};
use surefill::engine::{
    Action, Cycle, JobReport, JobState, PredictorWord, Scheduler, SchedulerCapacity, Totals, Why,
};
use surefill::error::Error;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Time at which the cases begin.
pub const T: i64 = 1_000_000;

/// A job of the one queue, submitted at [`T`].
pub fn job(id: i64, count: u32, limit: i64) -> JobReport<'static> {
    JobReport { id, count, limit, submit: T, state: JobState::Waiting, queues: &[0], ..JobReport::default() }
}

pub fn running(id: i64, count: u32, limit: i64, start: i64) -> JobReport<'static> {
    JobReport { state: JobState::Running, start, ..job(id, count, limit) }
}

/// A report that a job is over, without anything else.
pub fn over(id: i64, state: JobState, ran: i64) -> JobReport<'static> {
    JobReport { id, state, ran, ..JobReport::default() }
}

fn totals(block: &mut Block) -> Totals {
    block.scheduler().totals()
}

fn list(block: &mut Block, now: i64, rows: &[JobReport<'_>]) -> bool {
    block.scheduler().list_begin(now).unwrap();
    rows.iter().for_each(|row| block.tell(now, row));
    block.scheduler().list_end(now).unwrap()
}

#[test]
fn an_end_is_learnt_once() {
    for listed in [false, true] {
        let mut block = Block::of_one(8, 10, "");
        block.tell(T, &job(1, 4, 100));
        block.pass(0, T);
        let ended = JobReport { state: JobState::Ended, ran: 50, restarts: 3, ..job(1, 4, 100) };
        let tell = |block: &mut Block| match listed {
            true => assert!(!list(block, T + 50, &[ended])),
            false => block.tell(T + 50, &ended),
        };
        tell(&mut block);
        let before = block.memory.clone();
        tell(&mut block);
        if !listed {
            assert!(before == block.memory, "an end that is reported again changes something");
        }
        assert_eq!((totals(&mut block).ended, block.scheduler().idle(0)), (1, Ok(10)));
    }
    // The end of a job that was never seen is learnt too; without a description it does no harm.
    let mut block = Block::of_one(8, 10, "");
    let ended = JobReport { state: JobState::Ended, ran: 50, ..job(1, 4, 100) };
    block.tell(T, &ended);
    let before = block.memory.clone();
    block.tell(T, &ended);
    assert!(before == block.memory);
    assert_eq!(block.scheduler().set_job(T, &over(2, JobState::Ended, 9)), Err(Error::UnknownJob));
    // Without room for jobs that are over none is remembered, and nothing breaks.
    let mut block = Block::new(&SchedulerCapacity { ended: 0, ..small(3) }, "");
    block.scheduler().set_pool(b"all", 10, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    for id in 1..9 {
        block.tell(T, &running(id, 1, 100, T));
        block.tell(T + 5, &over(id, JobState::Ended, 5));
    }
    assert_eq!(totals(&mut block).ended, 8);
}

#[test]
fn a_job_that_ran_unseen_is_learnt() {
    // It had left the listings when it was reported to be over.
    let mut block = Block::of_one(8, 10, "");
    block.tell(T, &job(1, 4, 100));
    list(&mut block, T + 10, &[]);
    assert_eq!((block.scheduler().counts(), totals(&mut block).withdrawn), ((0, 0), 1));
    block.tell(T + 60, &over(1, JobState::Ended, 40));
    assert_eq!((totals(&mut block).ended, block.scheduler().idle(0)), (1, Ok(10)));
    // It waited.
    block.tell(T + 70, &job(2, 4, 100));
    block.tell(T + 90, &over(2, JobState::Ended, 5));
    assert_eq!(totals(&mut block).ended, 2);
    // Two rows of one listing.
    block.scheduler().list_begin(T + 100).unwrap();
    block.tell(T + 100, &running(3, 4, 100, T + 90));
    block.tell(T + 100, &over(3, JobState::Ended, 10));
    block.scheduler().list_end(T + 100).unwrap();
    assert_eq!((totals(&mut block).ended, block.scheduler().counts()), (3, (0, 0)));
}

#[test]
fn running_jobs_are_adopted() {
    let mut block = Block::of_one(8, 10, "preset=easy");
    block.tell(T, &running(1, 6, 100, T - 40));
    block.tell(T, &JobReport { units: 3, ..running(2, 1, 100, T - 40) });
    assert_eq!((block.scheduler().idle(0), block.scheduler().counts()), (Ok(1), (0, 2)));
    // Their ages count: the first ends by its limit in 60 s.
    block.tell(T, &job(3, 10, 50));
    block.tell(T, &job(4, 1, 61));
    assert_eq!(block.would(0, T), []);
    block.tell(T, &job(4, 1, 60));
    assert_eq!(block.would(0, T), [4]);
}

#[test]
fn missing_jobs_come_back_as_they_were() {
    let mut block = Block::of_one(40, 10, "preset=easy grace=300");
    let held = JobReport { state: JobState::Held, why: Why::Hold, ..job(1, 4, 100) };
    block.tell(T, &held);
    block.tell(T, &job(2, 10, 100));
    list(&mut block, T + 100, &[]);
    assert_eq!(block.scheduler().counts(), (0, 0));
    assert_eq!(block.would(0, T + 100), []);
    list(&mut block, T + 400, &[job(2, 10, 100)]);
    assert_eq!((totals(&mut block).submitted, block.scheduler().counts()), (2, (1, 0)));
    // After `grace` it is another.
    list(&mut block, T + 500, &[]);
    list(&mut block, T + 801, &[]);
    list(&mut block, T + 802, &[job(2, 10, 100)]);
    assert_eq!(totals(&mut block).submitted, 3);
}

#[test]
fn a_full_table_forgets_the_gone_but_not_the_listed() {
    let mut block = Block::of_one(2, 10, "");
    block.tell(T, &job(1, 1, 100));
    block.tell(T, &job(2, 1, 100));
    list(&mut block, T + 1, &[job(2, 1, 100)]);
    // Job 1 is gone; it comes back in this listing, with one for which there is no room.
    block.scheduler().list_begin(T + 2).unwrap();
    block.tell(T + 2, &job(1, 1, 100));
    block.tell(T + 2, &job(2, 1, 100));
    assert_eq!(block.call(|scheduler| scheduler.set_job(T + 2, &job(3, 1, 100))), Err(Error::Full));
    block.scheduler().list_end(T + 2).unwrap();
    assert_eq!((totals(&mut block).submitted, block.scheduler().counts()), (2, (2, 0)));
    // With room it is reported again.
    block.grow(&SchedulerCapacity { jobs: 3, ..small(2) });
    block.tell(T + 3, &job(3, 1, 100));
    assert_eq!(block.pass(0, T + 3).len(), 3);
}

#[test]
fn doubtful_listings_change_nobody() {
    let mut block = Block::of_one(100, 100, "settle=0");
    let rows: Vec<JobReport<'_>> = (1..=40).map(|id| running(id, 1, 100, T)).collect();
    assert!(!list(&mut block, T, &rows));
    assert!(!list(&mut block, T + 1, &rows[..20]), "half of them may be missing");
    let mut block = Block::of_one(100, 100, "settle=0");
    assert!(!list(&mut block, T, &rows));
    assert!(list(&mut block, T + 1, &rows[..19]));
    assert_eq!((block.scheduler().counts(), totals(&mut block).doubted), ((0, 40), 1));
    assert!(!list(&mut block, T + 2, &rows[..19]), "the second one in a row counts");
    assert_eq!((block.scheduler().counts(), block.scheduler().idle(0)), ((0, 19), Ok(81)));
    // Missing are 17 of 19 running jobs, then all of 16.
    assert!(list(&mut block, T + 3, &rows[..2]));
    assert!(!list(&mut block, T + 4, &rows[..16]));
    assert!(!list(&mut block, T + 5, &[]));
    assert_eq!(block.scheduler().counts(), (0, 0));
}

#[test]
fn the_first_listing_after_the_block_was_opened_is_not_doubted() {
    let mut block = Block::of_one(100, 100, "settle=0");
    let rows: Vec<JobReport<'_>> = (1..=40).map(|id| running(id, 1, 100, T)).collect();
    assert!(!list(&mut block, T, &rows));
    Scheduler::seal(bytemuck::cast_slice_mut(&mut block.memory)).unwrap();
    Scheduler::open(bytemuck::cast_slice_mut(&mut block.memory)).unwrap();
    assert!(!list(&mut block, T + 5000, &rows[..3]));
    assert_eq!(block.scheduler().counts(), (0, 3));
}

#[test]
fn a_start_settles() {
    for (after, counts) in [(60, (0, 1)), (61, (1, 0))] {
        let mut block = Block::of_one(8, 10, "settle=60");
        block.tell(T, &job(1, 4, 100));
        assert_eq!(block.pass(0, T), [1]);
        block.tell(T + after, &job(1, 4, 100));
        assert_eq!(block.scheduler().counts(), counts, "after {after} s");
        // Missing it counts as still being started.
        let mut block = Block::of_one(8, 10, "settle=60");
        block.tell(T, &job(1, 4, 100));
        block.pass(0, T);
        list(&mut block, T + after, &[]);
        assert_eq!(block.scheduler().counts(), (0, counts.1));
    }
    // A row that is older than the start does not put it back, with settle=0 neither.
    for tasks in [0, 5] {
        let mut block = Block::of_one(8, 4, "settle=0");
        block.tell(T, &JobReport { tasks, ..job(1, 4, 100) });
        block.begin(0, T);
        assert_eq!(block.offered(), 1);
        block.scheduler().list_begin(T).unwrap();
        block.tell(T, &JobReport { tasks, ..job(1, 4, 100) });
        block.started(0, if tasks > 0 { 77 } else { 1 });
        block.scheduler().list_end(T).unwrap();
        assert_eq!(block.scheduler().counts().1, 1, "{tasks} tasks");
        assert_eq!(block.scheduler().idle(0), Ok(0));
    }
}

#[test]
fn restarts_put_back() {
    let mut block = Block::of_one(8, 10, "");
    block.tell(T, &running(1, 4, 100, T));
    block.tell(T + 10, &JobReport { restarts: 1, ..job(1, 4, 100) });
    assert_eq!((block.scheduler().counts(), totals(&mut block).requeued), ((1, 0), 1));
    // A new run without having been seen to wait; within `settle` too.
    block.pass(0, T + 20);
    block.tell(T + 30, &JobReport { restarts: 2, ..job(1, 4, 100) });
    assert_eq!((block.scheduler().counts(), totals(&mut block).requeued), ((1, 0), 2));
    block.tell(T + 40, &JobReport { restarts: 2, ..running(1, 4, 100, T + 40) });
    block.tell(T + 50, &JobReport { restarts: 3, ..running(1, 4, 100, T + 45) });
    assert_eq!((block.scheduler().counts(), totals(&mut block).requeued), ((0, 1), 3));
    assert_eq!((totals(&mut block).surprises, block.scheduler().idle(0)), (0, Ok(6)));
    block.tell(T + 60, &over(1, JobState::Ended, 15));
    assert_eq!((totals(&mut block).ended, block.scheduler().idle(0)), (1, Ok(10)));
}

/// Without a predictor the block is that of a small machine; it decides by the limits, and grows.
#[test]
fn a_small_machine_needs_no_predictor() {
    let small = SchedulerCapacity {
        jobs: 32,
        ended: 32,
        pools: 1,
        queues: 1,
        histories: 0,
        waits: 64,
        bins: 8,
        arrivals: 0,
        ..SchedulerCapacity::of(32)
    };
    let size = Scheduler::size(&small).unwrap();
    assert!(size < 40_000, "{size} bytes");
    let mut memory = vec![0_u64; size.div_ceil(8)];
    let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &small).unwrap();
    assert_eq!(scheduler.settings().predictor, PredictorWord::Limit);
    assert!(scheduler.configure("predictor=contexts", "").is_err());
    scheduler.configure("preset=fast", "").unwrap();
    scheduler.set_pool(b"pool", 4, None).unwrap();
    scheduler.set_queue(b"queue", 0).unwrap();
    for id in 1..=3 {
        scheduler.set_job(T, &job(id, 2, 100 * id)).unwrap();
    }
    let large = SchedulerCapacity { jobs: 64, ..small };
    let mut more = vec![0_u64; Scheduler::size(&large).unwrap().div_ceil(8)];
    let mut scheduler = scheduler.grow(bytemuck::cast_slice_mut(&mut more), &large).unwrap();
    let mut scratch = vec![0_u64; Cycle::size(&large).unwrap().div_ceil(8)];
    let mut cycle = Cycle::begin(bytemuck::cast_slice_mut(&mut scratch), &mut scheduler, 0, T).unwrap();
    let mut started = 0;
    while let Action::Start(offer) = cycle.next(&mut scheduler).unwrap() {
        cycle.started(&mut scheduler, offer.number, offer.job).unwrap();
        started += 1;
    }
    cycle.close(&mut scheduler).unwrap();
    assert_eq!((started, scheduler.run_time(3, 0.5, T)), (2, Ok(300)));
}

/// Managers may count a job that was put back as submitted then: it is the same job, whose wait begins anew.
#[test]
fn restarts_may_be_submitted_anew() {
    for listed in [false, true] {
        let mut block = Block::of_one(8, 10, "preset=easy settle=0");
        block.tell(T, &running(1, 10, 100, T));
        block.tell(T + 5, &job(2, 10, 100));
        let again = JobReport { submit: T + 40, restarts: 1, ..job(1, 10, 100) };
        match listed {
            true => assert!(!list(&mut block, T + 50, &[again, job(2, 10, 100)])),
            false => block.tell(T + 50, &again),
        }
        let Totals { submitted, requeued, surprises, withdrawn, .. } = totals(&mut block);
        assert_eq!((submitted, requeued, surprises, withdrawn), (2, 1, 0, 0), "{listed}");
        // The other one was submitted before it now.
        assert_eq!(block.pass(0, T + 60), [2], "{listed}");
    }
}

#[test]
fn ids_are_used_again() {
    let mut block = Block::of_one(8, 10, "");
    block.tell(T, &running(1, 4, 100, T));
    let other = JobReport { submit: T + 50, ..job(1, 7, 30) };
    block.tell(T + 50, &other);
    assert_eq!((block.scheduler().counts(), block.scheduler().idle(0)), ((1, 0), Ok(10)));
    // The end of the former one is not that of this one.
    block.tell(T + 51, &JobReport { state: JobState::Ended, ran: 20, ..job(1, 4, 100) });
    assert_eq!(block.scheduler().counts(), (1, 0));
    assert_eq!(block.pass(0, T + 60), [1]);
    assert_eq!(block.scheduler().idle(0), Ok(3));
}

#[test]
fn clocks_go_back() {
    for back in [30, 60, 61, 7200] {
        let mut block = Block::of_one(8, 10, "preset=easy");
        block.tell(T, &running(1, 5, 1000, T));
        block.tell(T, &JobReport { state: JobState::Held, why: Why::Hold, ..job(2, 5, 100) });
        block.tell(T + 500, &JobReport { begin: T + 550, ..job(3, 5, 100) });
        let now = T + 500 - back;
        block.tell(now, &JobReport { submit: T, ..job(2, 5, 100) });
        assert_eq!(totals(&mut block).clock_set_back, u64::from(back > 60), "{back} s");
        assert_eq!(block.pass(0, now), [2]);
        block.tell(now + 5, &over(1, JobState::Ended, 0));
        block.tell(now + 6, &over(2, JobState::Ended, 0));
        assert_eq!((totals(&mut block).ended, block.scheduler().idle(0)), (2, Ok(10)));
        assert_eq!(block.pass(0, T + 550), [3]);
    }
}

#[test]
fn suspended_jobs_do_not_age() {
    for holds_nothing in [false, true] {
        let mut block = Block::of_one(8, 10, "preset=easy");
        block.tell(T, &running(1, 6, 100, T));
        let suspended = JobReport { state: JobState::Suspended, holds_nothing, ..running(1, 6, 100, T) };
        block.tell(T + 10, &suspended);
        let free = if holds_nothing { 10 } else { 4 };
        assert_eq!(block.scheduler().idle(0), Ok(free));
        block.tell(T + 1010, &running(1, 6, 100, T));
        assert_eq!(block.scheduler().idle(0), Ok(4));
        // By its limit it has 90 s left.
        block.tell(T + 1010, &job(2, 7, 50));
        block.tell(T + 1010, &job(3, 4, 91));
        assert_eq!(block.would(0, T + 1010), []);
        block.tell(T + 1010, &job(3, 4, 90));
        assert_eq!(block.would(0, T + 1010), [3]);
    }
}

/// A suspended job is expected to end the later, the longer it is suspended.
#[test]
fn ends_of_suspended_jobs_are_expected_later() {
    let single = RuntimeDistribution::single(100).unwrap();
    let of = |id, count, seconds: &'static RuntimeDistribution| JobReport {
        prediction: Some(seconds),
        ..job(id, count, 1000)
    };
    let (long, short) = (Box::leak(Box::new(single)), RuntimeDistribution::single(60).unwrap());
    let short = Box::leak(Box::new(short));
    let mut block = Block::of_one(8, 10, "preset=fair proposals=0");
    let run = JobReport { state: JobState::Running, start: T, ..of(1, 6, long) };
    block.tell(T, &run);
    block.pass(0, T + 2);
    block.tell(T + 3, &JobReport { state: JobState::Suspended, ..run });
    block.tell(T + 503, &of(2, 10, long));
    block.tell(T + 503, &of(3, 4, short));
    // 97 s are left of the first: the third ends before the second can start.
    let mut copy = block.clone();
    copy.begin(0, T + 503);
    assert_eq!(copy.offered(), 3);
    let planned = copy.cycle(|mut cycle, scheduler| cycle.planned(scheduler, 2)).unwrap().unwrap();
    assert!(planned >= T + 600, "{}", planned - T);
    block.tell(T + 503, &run);
    block.begin(0, T + 503);
    assert_eq!(block.offered(), 3);
}

#[test]
fn rows_may_be_said_twice_in_a_listing() {
    // The second row of a job that is not known yet changes the keys by which the predictor knows it.
    let mut block = Block::of_one(8, 10, "");
    let single = RuntimeDistribution::single(60).unwrap();
    block.scheduler().list_begin(T).unwrap();
    block.tell(T, &job(1, 4, 10));
    block.tell(T, &job(1, 4, 20));
    block.tell(T, &JobReport { prediction: Some(&single), ..job(2, 4, 20) });
    block.tell(T, &job(2, 4, 20));
    block.scheduler().list_end(T).unwrap();
    assert_eq!(block.pass(0, T), [1, 2]);
    // The same holds of a job that is over but not gone.
    block.tell(T + 5, &JobReport { state: JobState::Ending, ran: 5, ..running(1, 4, 20, T) });
    block.tell(T + 6, &JobReport { state: JobState::Ending, ran: 5, ..running(1, 4, 30, T) });
    block.tell(T + 7, &over(1, JobState::Ended, 5));
    assert_eq!(totals(&mut block).ended, 1);
}

#[test]
fn a_caller_may_predict_the_limit() {
    let limit = RuntimeDistribution::limit();
    let mut block = Block::of_one(40, 10, "");
    block.tell(T, &job(1, 10, 1000));
    block.tell(T, &JobReport { prediction: Some(&limit), ..job(1, 10, 1000) });
    // The engine's own experience of the user's jobs does not count.
    for id in 2..30 {
        block.tell(T + id, &JobReport { state: JobState::Ended, ran: 7, ..job(id, 10, 1000) });
    }
    block.tell(T + 50, &job(30, 10, 1000));
    // The one that the engine predicts is short.
    block.begin(0, T + 50);
    assert_eq!(block.offered(), 30);
}

#[test]
fn a_larger_block_keeps_the_bins() {
    let mut block = Block::new(&small(3), "");
    let bins = RuntimeBins::new(10.0, 1.5, 24).unwrap();
    block.scheduler().set_bins(&bins).unwrap();
    block.scheduler().set_pool(b"all", 10, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    let mut small_one = block.clone();
    block.grow(&SchedulerCapacity { jobs: 9, ..small(3) });
    for block in [&mut block, &mut small_one] {
        for id in 1..20 {
            block.tell(T + id, &JobReport { state: JobState::Ended, ran: 80 + id, ..job(id, 10, 1000) });
        }
        block.tell(T + 50, &job(30, 6, 1000));
        block.tell(T + 50, &job(31, 6, 1000));
        block.begin(0, T + 50);
        assert_eq!(block.offered(), 30);
        let planned = block.cycle(|mut cycle, scheduler| cycle.planned(scheduler, 31)).unwrap();
        assert!(planned.is_some_and(|planned| planned < T + 250), "{planned:?}");
    }
}

#[test]
fn refused_calls_change_nothing() {
    let mut block = Block::of_one(2, 10, "");
    block.call(|s| s.set_pool(b"other", 5, None)).unwrap();
    block.call(|s| s.set_queue(b"others", 1)).unwrap();
    block.tell(T, &job(1, 1, 10));
    block.tell(T, &running(2, 1, 10, T));
    let good = job(1, 1, 20);
    let bins = RuntimeBins::new(10.0, 1.5, 24).unwrap();
    let binned = RuntimeDistribution::from_counts(&bins, &[1.0; 24]).unwrap();
    let many = [0; 9];
    let far = (1 << 53) + 1;
    for (report, why) in [
        (JobReport { priority: f64::NAN, ..good }, Error::NotANumber),
        (JobReport { priority: f64::INFINITY, ..good }, Error::OutOfRange),
        (JobReport { id: 0, ..good }, Error::OutOfRange),
        (JobReport { submit: far, ..good }, Error::OutOfRange),
        (JobReport { begin: -far, ..good }, Error::OutOfRange),
        (JobReport { start: i64::MIN, ..good }, Error::OutOfRange),
        (JobReport { limit: -1, ..good }, Error::OutOfRange),
        (JobReport { ran: -1, ..good }, Error::OutOfRange),
        (JobReport { count: 1 << 31, ..good }, Error::OutOfRange),
        (JobReport { count: 0, ..good }, Error::OutOfRange),
        (JobReport { units: u32::MAX, ..good }, Error::OutOfRange),
        (JobReport { queues: &many, ..good }, Error::OutOfRange),
        (JobReport { queues: &[0, 1], ..good }, Error::OutOfRange),
        (JobReport { queues: &[2], ..good }, Error::NoSuchIndex),
        (JobReport { queues: &[], ..good }, Error::NoSuchIndex),
        (JobReport { prediction: Some(&binned), ..good }, Error::OutOfRange),
        (JobReport { id: 3, ..good }, Error::Full),
    ] {
        assert_eq!(block.call(|s| s.set_job(T + 1, &report)), Err(why), "{report:?}");
    }
    assert_eq!(block.call(|s| s.set_job(i64::MAX, &good)), Err(Error::OutOfRange));
    assert_eq!(block.call(|s| s.set_priority(9, 0, 1.0)), Err(Error::UnknownJob));
    assert_eq!(block.call(|s| s.set_priority(1, 0, f64::NAN)), Err(Error::NotANumber));
    assert_eq!(block.call(|s| s.set_pool(b"new", 5, Some(6))), Err(Error::OutOfRange));
    assert_eq!(block.call(|s| s.set_queue(b"new", 2)), Err(Error::NoSuchIndex));
    assert_eq!(block.call(|s| s.set_bins(&bins)), Err(Error::WrongState));
    assert_eq!(block.call(|s| s.list_end(T + 1)), Err(Error::WrongState));
    assert_eq!(block.call(|s| s.list_begin(far)), Err(Error::OutOfRange));
    assert_eq!(block.call(|s| s.idle(2)), Err(Error::NoSuchIndex));
    for words in ["preset=slow", "mode=shadow predictor=limit", "seed=4", "proposals=x mode=shadow"] {
        let refused = |s: &mut Scheduler<'_>| s.configure(words, "").map_err(|_| Error::OutOfRange);
        assert_eq!(block.call(refused), Err(Error::OutOfRange), "{words}");
    }
    block.call(|s| s.set_pool(b"third", 5, None)).unwrap();
    assert_eq!(block.call(|s| s.set_pool(b"fourth", 5, None)), Err(Error::Full));
}

/// Members of a report that are 0: no limit, a start that is not known, one task, all tasks at once.
#[test]
fn zeros_are_none_unknown_or_the_default() {
    // Without a limit a running job has no end by the limits: whoever has one may pass the head.
    for (limit, expected) in [(0, vec![3]), (600, vec![])] {
        let mut block = Block::of_one(8, 10, "preset=easy");
        block.tell(T, &running(1, 6, limit, T - 500));
        block.tell(T, &job(2, 10, 100));
        block.tell(T, &job(3, 4, 1_000_000));
        assert_eq!(block.would(0, T), expected, "limit {limit}");
    }
    // A running job without a start has started as long ago as it has run, but not before its submission.
    for (ran, submit, start) in [(0, T, T + 50), (30, T, T + 20), (30, T + 45, T + 45)] {
        let mut block = Block::of_one(8, 10, "preset=easy");
        block.tell(T + 50, &JobReport { ran, submit, start: 0, ..running(1, 6, 600, 0) });
        block.tell(T + 50, &job(2, 10, 100));
        block.begin(0, T + 50);
        assert_eq!(block.next(), Action::Done);
        let reason = block.cycle(|mut cycle, scheduler| cycle.reason(scheduler, 2)).unwrap();
        assert_eq!(reason.by_limits, Some(start + 600), "ran {ran}");
    }
    for (tasks, at_once, offers) in [(0, 0, 1), (1, 0, 1), (3, 0, 3), (3, 2, 2), (0, 2, 1)] {
        let mut block = Block::of_one(8, 10, "preset=easy");
        block.tell(T, &JobReport { tasks, at_once, ..job(1, 2, 100) });
        block.begin(0, T);
        let count = std::iter::from_fn(|| Some(block.offered()).filter(|&id| id == 1)).count();
        assert_eq!(count, offers, "{tasks} tasks, {at_once} at once");
    }
}

/// The block follows the number of jobs; from 256 jobs on the histories and waits are all that a site needs.
#[test]
fn a_default_block_is_in_proportion() {
    let size = |jobs| Scheduler::size(&SchedulerCapacity::of(jobs)).unwrap();
    assert!(size(16) < 1_250_000, "{} bytes", size(16));
    assert!(size(256) > 8_000_000 && size(64) < size(256) / 3);
    let of = |jobs| SchedulerCapacity { jobs: 1, ended: 1, ..SchedulerCapacity::of(jobs) };
    assert_eq!(of(256), of(1 << 20));
}
