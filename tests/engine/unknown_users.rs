//! Predicted run times where users are unknown.

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
