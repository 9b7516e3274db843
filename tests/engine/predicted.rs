//! Predicted run times: by the queue where users are unknown, and by the limits where these are much nearer.

use crate::block::{Block, small};
use surefill::engine::{JobReport, JobState, UNKNOWN_USER};

const NOW: i64 = 1_700_000_000;

fn report<'a>(id: i64, state: JobState, start: i64, queues: &'a [u32]) -> JobReport<'a> {
    JobReport { id, state, start, user: UNKNOWN_USER, count: 2, limit: 7200, queues, ..JobReport::default() }
}

fn block() -> Block {
    let mut block = Block::new(&small(40), "preset=fair");
    block.scheduler().set_pool(b"all", 4, None).unwrap();
    for queue in [&b"short"[..], b"long"] {
        block.scheduler().set_queue(queue, 0).unwrap();
    }
    block
}

/// Jobs of one queue run for two minutes, those of the other for an hour and a half.
#[test]
fn queues_stand_for_unknown_users() {
    let mut block = block();
    let mut now = NOW;
    for id in 1..120_i64 {
        let (queue, ran) = if id % 2 == 0 { (0, 120) } else { (1, 5400) };
        block.tell(now, &report(id, JobState::Running, now, &[queue]));
        now += ran;
        block.tell(now, &report(id, JobState::Ended, now - ran, &[queue]));
    }
    let median = |block: &mut Block, id, queue: u32| {
        block.tell(now, &report(id, JobState::Waiting, 0, &[queue]));
        block.scheduler().run_time(id, 0.5, now).unwrap()
    };
    let (short, long) = (median(&mut block, 500, 0), median(&mut block, 501, 1));
    assert!(short < 400 && long > 3000, "{short} {long}");
}

/// Jobs that all run to their limit of 5,500 s lie at the end of a bin that begins at 3,123 s: predictions stay below.
/// Once a hundred jobs have shown that the limits are nearer, a job that waits for the whole machine is planned for the
/// limit of the one that runs.
#[test]
fn limits_that_are_much_nearer_are_used() {
    const LIMIT: i64 = 5500;
    let planned = |jobs: i64| {
        let mut block = block();
        let mut now = NOW;
        let report =
            |id, state, start| JobReport { count: 4, limit: LIMIT, ..report(id, state, start, &[0]) };
        for id in 1..=jobs {
            block.tell(now, &report(id, JobState::Running, now));
            now += LIMIT;
            block.tell(now, &report(id, JobState::Ended, now - LIMIT));
        }
        // One unit is idle, for which there is a job: so the plan is made.
        block.tell(now, &JobReport { count: 3, ..report(900, JobState::Running, now) });
        block.tell(now, &report(901, JobState::Waiting, 0));
        block.tell(now, &JobReport { count: 1, limit: 60, ..report(902, JobState::Waiting, 0) });
        block.pass(0, now);
        block.scheduler().reason(901, now).unwrap().start.unwrap() - now
    };
    // Planned starts are later than needed by a sixteenth at most.
    let (few, many) = (planned(90), planned(400));
    assert!((3123..LIMIT).contains(&few) && (LIMIT..=LIMIT * 17 / 16).contains(&many), "{few} {many}");
}

/// A user's first job runs for two minutes; those submitted with it start when it has ended, without a decision
/// between, as where the manager starts them itself. They are predicted as one that is submitted then; under the
/// preset `papers` as at their submission.
#[test]
fn jobs_that_start_know_of_the_ends_before() {
    for (preset, anew) in [("preset=fair", true), ("preset=papers tau=0.05", false)] {
        let mut block = Block::new(&small(40), preset);
        block.scheduler().set_pool(b"all", 4, None).unwrap();
        block.scheduler().set_queue(b"batch", 0).unwrap();
        let report = |id, state, start| JobReport { user: 7, ..report(id, state, start, &[0]) };
        for id in 1..=3 {
            block.tell(NOW, &report(id, JobState::Waiting, 0));
        }
        block.tell(NOW, &report(1, JobState::Running, NOW));
        let now = NOW + 120;
        let other = JobReport { user: 8, ..report(4, JobState::Waiting, 0) };
        block.tell(now, &other);
        let median = |block: &mut Block, id| block.scheduler().run_time(id, 0.5, now).unwrap();
        let before = median(&mut block, 2);
        block.tell(now, &report(1, JobState::Ended, NOW));
        block.tell(now, &report(5, JobState::Waiting, 0));
        block.tell(now, &report(2, JobState::Running, now));
        let (started, waiting, new) = (median(&mut block, 2), median(&mut block, 3), median(&mut block, 5));
        assert!(new < before, "{preset}: {new} {before}");
        assert_eq!(waiting, before, "{preset}");
        assert!(
            if anew { started.abs_diff(new) < 10 } else { started == before },
            "{preset}: {started} {new}"
        );
        // A job of another user has learnt nothing.
        let unknown = median(&mut block, 4);
        block.tell(now, &JobReport { state: JobState::Running, start: now, ..other });
        assert_eq!(median(&mut block, 4), unknown);
    }
}

/// Jobs of three kinds, some of them alike, wait when one of their user ends. All are predicted anew together, copied
/// from like ones; each is predicted as one that starts before the next decision, which is predicted by itself.
#[test]
fn like_jobs_are_predicted_anew_as_each_by_itself() {
    let mut block = Block::of_one(80, 4, "preset=fair");
    let report = |id, state, start| {
        let (limit, count) = [(7200, 2), (600, 2), (7200, 1)][(id / 3 % 3) as usize];
        JobReport { user: 7, limit, count, ..report(id, state, start, &[0]) }
    };
    let mut now = NOW;
    let known: Vec<i64> = (102..159).collect();
    for id in 1..20 {
        block.tell(now, &report(id, JobState::Running, now));
        now += 50 * id;
        // Three wait from before each end: their contexts differ from those of later ones.
        for id in 99 + 3 * id..102 + 3 * id {
            block.tell(now, &report(id, JobState::Waiting, 0));
        }
        block.tell(now, &report(id, JobState::Ended, now - 50 * id));
    }
    let quantiles = |block: &mut Block, id| {
        [0.1, 0.3, 0.5, 0.7, 0.9].map(|level| block.scheduler().run_time(id, level, now).unwrap())
    };
    let alone: Vec<_> = known
        .iter()
        .map(|&id| {
            let mut started = block.clone();
            started.tell(now, &report(id, JobState::Running, now));
            quantiles(&mut started, id)
        })
        .collect();
    let before: Vec<_> = known.iter().map(|&id| quantiles(&mut block, id)).collect();
    block.pass(0, now);
    let together: Vec<_> = known.iter().map(|&id| quantiles(&mut block, id)).collect();
    assert_eq!(together, alone);
    assert_ne!(together, before);
    let mut different = together.clone();
    different.sort_unstable();
    different.dedup();
    assert!((4..known.len() * 3 / 4).contains(&different.len()), "{}", different.len());
}
