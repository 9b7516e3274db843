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
