//! Schedules worked out by hand.

use crate::common::{J, job, replay_as, starts, workload};

fn schedule(choice: &str, jobs: &[J]) -> Vec<i64> {
    starts(&replay_as(&workload(10, jobs), choice))
}

#[test]
fn fcfs_waits_for_the_head() {
    let jobs = [job(0, 100, 6, 100), job(1, 50, 8, 50), job(2, 5, 1, 5)];
    assert_eq!(schedule("fcfs", &jobs), [0, 100, 100]);
}

#[test]
fn easy_backfills_what_ends_by_the_shadow_time() {
    // The head, 8 wide, waits for second 100.
    let until = |limit| [job(0, 100, 6, 100), job(1, 50, 8, 50), job(2, 10, 4, limit)];
    assert_eq!(schedule("easy", &until(98)), [0, 100, 2]);
    assert_eq!(schedule("easy", &until(99)), [0, 100, 150]);
}

#[test]
fn easy_backfills_what_fits_beside_the_head_but_only_once() {
    let jobs = [job(0, 100, 6, 100), job(1, 50, 8, 50), job(2, 500, 2, 500), job(3, 500, 2, 500)];
    assert_eq!(schedule("easy", &jobs), [0, 100, 2, 150]);
}

#[test]
fn easy_counts_all_that_ends_in_the_shadow_second() {
    // Both first jobs end in second 100: 10 are free for the head's 6, and 4 are left over.
    let jobs = [job(0, 100, 4, 100), job(0, 100, 4, 100), job(1, 50, 6, 50), job(2, 300, 2, 300)];
    assert_eq!(schedule("easy", &jobs), [0, 0, 100, 2]);
}

#[test]
fn easy_starts_the_head_early_when_jobs_end_early() {
    let jobs = [job(0, 30, 6, 100), job(1, 50, 8, 50), job(2, 80, 4, 80)];
    let outcome = replay_as(&workload(10, &jobs), "easy");
    assert_eq!(starts(&outcome), [0, 82, 2]);
    // Had the backfill not been, the head would have started at 30: 28 seconds after the decision.
    let backfill = outcome.jobs[2].backfill.unwrap();
    assert_eq!((backfill.head, backfill.observed_delay, backfill.head_wait), (1, 52, 28));
    assert!(outcome.jobs[0].backfill.is_none() && outcome.jobs[1].backfill.is_none());
}

#[test]
fn shortest_first_changes_who_is_backfilled() {
    let jobs = [job(0, 100, 6, 100), job(1, 50, 8, 50), job(2, 60, 4, 60), job(2, 30, 4, 30)];
    assert_eq!(schedule("easy", &jobs), [0, 100, 2, 62]);
    assert_eq!(schedule("easy:limit:sjbf", &jobs), [0, 100, 32, 2]);
}

#[test]
fn conservative_protects_the_second_in_the_queue() {
    let jobs = [job(0, 10, 6, 10), job(1, 10, 8, 10), job(2, 10, 10, 10), job(3, 20, 2, 20)];
    assert_eq!(schedule("easy", &jobs), [0, 10, 23, 3]);
    assert_eq!(schedule("conservative", &jobs), [0, 10, 20, 30]);
}

#[test]
fn conservative_compresses_when_a_job_ends_early() {
    let jobs = [job(0, 5, 6, 10), job(1, 10, 8, 10), job(2, 10, 10, 10), job(3, 20, 2, 20)];
    assert_eq!(schedule("conservative", &jobs), [0, 5, 15, 25]);
}

#[test]
fn conservative_survives_jobs_that_overrun() {
    // The first job was to free the machine at 10 and does at 50; the third cannot use the hole beside it.
    let jobs = [job(0, 50, 6, 10), job(1, 10, 8, 10), job(2, 10, 5, 10)];
    assert_eq!(schedule("conservative", &jobs), [0, 50, 60]);
}

#[test]
fn easy_plus_plus_predicts_from_the_last_two() {
    let by = |user, j: J| J { user, ..j };
    let jobs = [
        by(1, job(0, 10, 1, 1000)),
        by(1, job(0, 20, 1, 1000)),
        by(2, job(100, 100, 6, 100)),
        by(2, job(101, 50, 8, 50)),
        by(3, job(102, 20, 4, 90)),
        by(1, job(102, 90, 4, 1000)),
    ];
    // EASY takes the fifth; the sixth's estimate is far beyond the shadow time 200.
    assert_eq!(schedule("easy", &jobs)[3..], [200, 102, 250]);
    // EASY++ expects the sixth to run 15 s, shorter than the fifth's estimate: it goes first. When it has ended, at
    // 192, it is too late for the fifth.
    assert_eq!(schedule("easy++", &jobs)[3..], [200, 250, 102]);
}

#[test]
fn jobs_without_run_time_end_in_the_second_they_start() {
    let jobs = [job(0, 0, 10, 5), job(0, 0, 10, 5), job(0, 7, 10, 7)];
    for policy in ["fcfs", "easy", "easy++", "conservative"] {
        assert_eq!(schedule(policy, &jobs), [0, 0, 0], "{policy}");
    }
}

#[test]
fn ends_come_before_submissions_of_the_same_second() {
    let jobs = [job(0, 10, 10, 10), job(10, 5, 10, 5)];
    let outcome = replay_as(&workload(10, &jobs), "fcfs");
    assert_eq!(starts(&outcome), [0, 10]);
    // Passes at 0, 10 and 15.
    assert_eq!((outcome.passes, outcome.pass_seconds.len()), (3, 3));
}
