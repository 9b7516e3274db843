//! Pools of nodes in single cases, worked by hand.

use crate::block::{Block, small};
use crate::facts::{T, job, over, running};
use surefill::engine::{
    Action, JobReport, JobState, NodeReport, NodeState, Refusal, Reservation, SchedulerCapacity, Wants,
};
use surefill::error::Error;
use surefill::nodes::{Part, Spread};

/// A scheduler of one pool of nodes with four processors each, and one queue.
pub fn of_nodes(nodes: u32, settings: &str) -> Block {
    let capacity = SchedulerCapacity {
        nodes: nodes + 2,
        kinds: 2,
        parts: 40,
        reservations: 2,
        pools: 4,
        queues: 6,
        ..small(20)
    };
    let mut block = Block::new(&capacity, settings);
    assert_eq!(block.scheduler().set_pool(b"nodes", 0, None), Ok(0));
    assert_eq!(block.scheduler().set_queue(b"batch", 0), Ok(0));
    (0..nodes).for_each(|number| up(&mut block, 0, number));
    block
}

pub fn node(state: NodeState, name: u32) -> NodeReport {
    NodeReport { state, name: name.into(), amounts: [4, 8, 0, 0, 0, 0, 0, 0], ..NodeReport::default() }
}

fn up(block: &mut Block, pool: u32, number: u32) {
    block.scheduler().set_node(pool, number, &node(NodeState::Up, number)).unwrap();
}

fn set(block: &mut Block, number: u32, report: NodeReport) {
    block.scheduler().set_node(0, number, &report).unwrap();
}

/// Tasks that take this number of processors, each on a node of its own.
pub fn wide(processors: u32) -> Wants {
    Wants { each: [processors, 0, 0, 0, 0, 0, 0, 0], ..Wants::default() }
}

pub fn asks(id: i64, count: u32, limit: i64, wants: Wants) -> JobReport<'static> {
    JobReport { wants, ..job(id, count, limit) }
}

pub fn on<'a>(id: i64, limit: i64, wants: Wants, parts: &'a [Part]) -> JobReport<'a> {
    let count = parts.iter().map(|part| part.tasks).sum::<u32>().max(1);
    JobReport { wants, parts, ..running(id, count, limit, T) }
}

pub fn one(node: u32) -> [Part; 1] {
    [Part { node, tasks: 1 }]
}

/// The offers of a cycle in a copy of the block, with the first of their nodes.
fn offers(block: &Block, pool: u32, now: i64) -> Vec<(i64, u32)> {
    let mut copy = block.clone();
    copy.begin(pool, now);
    let mut offers = Vec::new();
    while let Action::Start(offer) = copy.next() {
        let first = copy.cycle(|cycle, _| cycle.parts(offer.number).unwrap()[0].node);
        copy.start(&offer);
        offers.push((offer.job, first));
    }
    offers
}

const BOTH: [&str; 2] = ["preset=easy", "preset=fair proposals=3 predictor=limit"];

/// Three nodes, two of which are awaited until T + 200, and a job of 50 s that runs on one of these; a wide job waits.
fn awaited(words: &str) -> Block {
    let mut block = of_nodes(3, words);
    let awaited = |name| NodeReport { until: T + 200, ..node(NodeState::Awaited, name) };
    block.tell(T, &on(1, 50, wide(1), &one(1)));
    (1..3).for_each(|number| set(&mut block, number, awaited(number)));
    block.tell(T, &asks(2, 3, 1000, wide(4)));
    block
}

#[test]
fn awaited_nodes_count_and_nobody_starts_on_them() {
    for words in BOTH {
        let mut block = awaited(words);
        if words.contains("easy") {
            // The wide one keeps its place: jobs that end by the time at which the nodes are awaited may pass.
            block.tell(T, &JobReport { submit: T + 1, ..asks(3, 1, 201, wide(4)) });
            assert_eq!(offers(&block, 0, T), []);
            block.tell(T, &JobReport { submit: T + 2, ..asks(4, 2, 200, wide(4)) });
            assert_eq!(offers(&block, 0, T), [], "there is one node now");
            block.tell(T, &JobReport { submit: T + 3, ..asks(5, 1, 200, wide(4)) });
            assert_eq!(offers(&block, 0, T), [(5, 0)]);
            block.tell(T, &over(5, JobState::Gone, 0));
        } else {
            // It is planned for that time.
            block.tell(T, &JobReport { submit: T + 1, ..asks(3, 1, 100, wide(4)) });
            assert_eq!(offers(&block, 0, T), [(3, 0)]);
            let mut copy = block.clone();
            copy.begin(0, T);
            assert_eq!(copy.offered(), 3);
            let start = copy.cycle(|mut cycle, scheduler| cycle.planned(scheduler, 2)).unwrap().unwrap();
            assert!((T + 200..T + 260).contains(&start), "{}", start - T);
            block.tell(T, &over(3, JobState::Gone, 0));
            block.tell(T, &JobReport { submit: T + 1, ..asks(4, 2, 100, wide(4)) });
            block.tell(T, &JobReport { submit: T + 1, begin: T + 150, ..asks(3, 1, 100, wide(4)) });
        }
        assert_eq!(block.pass(0, T), []);
        let begins = if words.contains("easy") { T + 200 } else { T + 150 };
        assert_eq!(block.scheduler().wake(T), Ok(Some((begins, 1))));
        // Then they are down, and a job that can no longer fit blocks no other.
        assert_eq!(block.pass(0, T + 200), [3], "{words}");
        assert_eq!(block.scheduler().wake(T + 200), Ok(None));
        // Or they have come up.
        block.tell(T + 210, &over(3, JobState::Ended, 10));
        block.tell(T + 210, &over(4, JobState::Gone, 0));
        block.tell(T + 210, &over(1, JobState::Ended, 10));
        (1..3).for_each(|number| up(&mut block, 0, number));
        assert_eq!(offers(&block, 0, T + 210), [(2, 0)], "{words}");
    }
}

#[test]
fn nodes_are_awaited_for_grace_from_the_next_cycle_on() {
    // The last report is long ago: the file was saved then.
    let mut block = of_nodes(2, "preset=easy grace=300");
    block.tell(T - 100_000, &JobReport { submit: T - 100_000, ..asks(1, 2, 1000, wide(4)) });
    set(&mut block, 1, node(NodeState::Awaited, 1));
    block.tell(T, &JobReport { submit: T, ..asks(2, 1, 301, wide(4)) });
    assert_eq!(block.pass(0, T), [], "the wide one keeps its place");
    set(&mut block, 1, node(NodeState::Awaited, 1));
    assert_eq!(block.scheduler().wake(T + 10), Ok(Some((T + 300, 1))), "it is the same grace");
    assert_eq!(offers(&block, 0, T + 299), []);
    assert_eq!(offers(&block, 0, T + 300), [(2, 0)]);
    let absurd = NodeReport { until: i64::MAX, ..node(NodeState::Awaited, 1) };
    assert_eq!(block.call(|scheduler| scheduler.set_node(0, 1, &absurd)), Err(Error::OutOfRange));
}

#[test]
fn a_task_that_takes_nothing_does_not_start_on_awaited_nodes() {
    let mut block = of_nodes(1, "preset=easy");
    block.tell(T, &on(1, 500, wide(1), &one(0)));
    set(&mut block, 0, NodeReport { until: T + 100, ..node(NodeState::Awaited, 0) });
    block.tell(T, &asks(2, 1, 10, Wants::default()));
    assert_eq!(offers(&block, 0, T), []);
    up(&mut block, 0, 0);
    assert_eq!(offers(&block, 0, T), [(2, 0)]);
}

#[test]
fn reservations() {
    for words in BOTH {
        let mut block = of_nodes(2, words);
        let booked = |from, to| Reservation { pool: 0, key: 7, from, to, nodes: &[0] };
        block.scheduler().set_reservation(&booked(T + 100, T + 500)).unwrap();
        let inside = Wants { reservation: 7, ..wide(4) };
        // A job with the key waits for its beginning, and blocks no job until then.
        block.tell(T, &JobReport { submit: T - 9, ..asks(1, 1, 50, inside) });
        block.tell(T, &asks(2, 1, 101, wide(4)));
        block.tell(T, &asks(3, 1, 100, wide(4)));
        assert_eq!(offers(&block, 0, T), [(2, 1), (3, 0)], "{words}");
        block.tell(T, &over(3, JobState::Gone, 0));
        block.tell(T, &asks(4, 1, 1000, wide(4)));
        assert_eq!(block.pass(0, T), [2], "{words}: the other would be there when it begins");
        assert_eq!(block.scheduler().wake(T), Ok(Some((T + 100, 1))));
        assert_eq!(offers(&block, 0, T + 100), [(1, 0)]);
        // Moved in time the reservation is another one; removed or over it has no effect.
        let mut moved = block.clone();
        moved.scheduler().set_reservation(&booked(T + 2000, T + 3000)).unwrap();
        assert_eq!(moved.scheduler().wake(T + 1), Ok(Some((T + 1, 1))));
        assert_eq!(moved.pass(0, T + 1), [4], "{words}");
        assert_eq!(moved.scheduler().wake(T + 1), Ok(Some((T + 2000, 1))));
        let mut removed = block.clone();
        removed.scheduler().remove_reservation(0, 7).unwrap();
        assert_eq!(removed.scheduler().remove_reservation(0, 7), Err(Error::NoSuchIndex));
        assert_eq!(offers(&removed, 0, T + 1), [(4, 0)]);
        assert_eq!(offers(&block, 0, T + 500), [(4, 0)], "{words}: it is over");
        // On other nodes it keeps these alone.
        let elsewhere = Reservation { nodes: &[1], ..booked(T + 100, T + 500) };
        block.scheduler().set_reservation(&elsewhere).unwrap();
        assert_eq!(offers(&block, 0, T + 100), [(4, 0)], "{words}");
        block.tell(T + 101, &over(2, JobState::Ended, 100));
        assert_eq!(offers(&block, 0, T + 101), [(1, 1), (4, 0)], "{words}");
        // There is room for two; one that is over makes room.
        let third = |key| Reservation { key, ..booked(T + 300, T + 400) };
        block.scheduler().set_reservation(&third(8)).unwrap();
        assert_eq!(block.call(|scheduler| scheduler.set_reservation(&third(9))), Err(Error::Full));
        block.tell(T + 400, &asks(5, 1, 10, wide(4)));
        block.scheduler().set_reservation(&third(9)).unwrap();
    }
}

#[test]
fn queues_overlap() {
    let mut block = of_nodes(3, "preset=easy");
    for (name, queue, nodes) in [(b"left", 1, &[0, 1][..]), (b"rite", 2, &[1, 2])] {
        assert_eq!(block.scheduler().set_queue(name, 0), Ok(queue));
        block.scheduler().set_queue_nodes(queue, Some(nodes)).unwrap();
    }
    let either: &[u32] = &[1, 2];
    let queue_of = |block: &Block, now| {
        let mut copy = block.clone();
        copy.begin(0, now);
        match copy.next() {
            Action::Start(offer) => Some((offer.job, offer.queue)),
            _ => None,
        }
    };
    block.tell(T, &JobReport { queues: either, ..asks(1, 2, 100, wide(4)) });
    assert_eq!(queue_of(&block, T), Some((1, 1)));
    block.tell(T, &on(2, 50, wide(4), &one(0)));
    assert_eq!(queue_of(&block, T), Some((1, 2)), "it fits the second");
    // An array too, with all its tasks.
    block.tell(T, &over(1, JobState::Gone, 0));
    block.tell(T, &JobReport { queues: either, tasks: 3, ..asks(3, 1, 100, wide(4)) });
    block.tell(T, &on(4, 50, wide(4), &one(1)));
    set(&mut block, 0, node(NodeState::Down, 0));
    set(&mut block, 1, node(NodeState::Down, 1));
    assert_eq!(queue_of(&block, T), Some((3, 2)));
    block.tell(T, &JobReport { queues: either, tasks: 2, ..asks(3, 1, 100, wide(2)) });
    assert_eq!(offers(&block, 0, T), [(3, 2), (3, 2)], "a node for each task, in the second alone");
    let packed = Wants { spread: Spread::Tasks, ..wide(2) };
    block.tell(T, &JobReport { queues: either, tasks: 2, ..asks(3, 1, 100, packed) });
    let mut copy = block.clone();
    copy.begin(0, T);
    let both: Vec<_> = (0..2).map(|_| copy.next()).collect();
    assert!(both.iter().all(|one| matches!(one, Action::Start(offer) if offer.queue == 2)), "{both:?}");
    // Nodes of other names are no queue's.
    block.scheduler().set_node(0, 2, &node(NodeState::Up, 77)).unwrap();
    assert_eq!(queue_of(&block, T), None);
    block.scheduler().set_queue_nodes(2, None).unwrap();
    assert_eq!(queue_of(&block, T), Some((3, 2)));
}

#[test]
fn all_are_planned_though_nobody_can_start() {
    for words in BOTH {
        let mut block = of_nodes(2, words);
        block.tell(T, &on(1, 600, wide(3), &one(0)));
        block.tell(T, &asks(2, 2, 600, wide(2)));
        block.tell(T, &JobReport { submit: T + 1, ..asks(3, 2, 600, wide(4)) });
        let planned = |block: &mut Block, id| {
            block.cycle(|mut cycle, scheduler| cycle.planned(scheduler, id)).unwrap().map(|start| start - T)
        };
        let mut copy = block.clone();
        copy.begin(0, T);
        copy.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)).unwrap();
        assert_eq!(copy.scheduler().wake(T), Ok(Some((T, 1))), "no decision was made");
        let starts = [2, 3].map(|id| planned(&mut copy, id).unwrap());
        assert!((600..700).contains(&starts[0]) && (1200..1400).contains(&starts[1]), "{words}: {starts:?}");
        assert_eq!(copy.next(), Action::Done);
        // Such a plan changes no decision.
        assert_eq!(offers(&block, 0, T), []);
        copy.begin(0, T);
        assert_eq!(copy.next(), Action::Done);
        assert_eq!(copy.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)), Err(Error::WrongState));
    }
}

#[test]
fn a_job_of_several_queues_leaves_the_one_in_which_somebody_waits() {
    for words in BOTH {
        let mut block = of_nodes(8, words);
        block.scheduler().set_queue_nodes(0, Some(&[0, 1, 2, 3, 4])).unwrap();
        assert_eq!(block.scheduler().set_queue(b"right", 0), Ok(1));
        block.scheduler().set_queue_nodes(1, Some(&[3, 4, 5, 6, 7])).unwrap();
        block.tell(T, &on(1, 3600, wide(4), &one(0)));
        block.tell(T, &asks(2, 5, 3600, wide(4)));
        block.tell(T, &JobReport { submit: T + 1, queues: &[0, 1], ..asks(3, 3, 36000, wide(4)) });
        assert_eq!(offers(&block, 0, T), [(3, 5)], "{words}");
    }
}

/// Two pools of a node each, and two licences.
fn two_pools(words: &str) -> Block {
    let mut block = of_nodes(1, words);
    assert_eq!(block.scheduler().set_pool(b"other", 0, None), Ok(1));
    assert_eq!(block.scheduler().set_queue(b"others", 1), Ok(1));
    up(&mut block, 1, 1);
    block.scheduler().set_licences(&[2, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    block
}

fn licensed(count: u32) -> Wants {
    Wants { licences: [count, 0, 0, 0, 0, 0, 0, 0], ..wide(1) }
}

#[test]
fn licences_are_shared_by_pools() {
    for words in BOTH {
        let mut block = two_pools(words);
        block.tell(T, &asks(1, 1, 100, licensed(1)));
        block.tell(T, &JobReport { queues: &[1], ..asks(2, 1, 1000, licensed(2)) });
        block.tell(T, &JobReport { submit: T + 1, queues: &[1], ..asks(3, 1, 101, licensed(1)) });
        block.tell(T, &JobReport { submit: T + 1, queues: &[1], ..asks(4, 1, 99, licensed(1)) });
        block.begin(1, T);
        let open = block.clone();
        block.close();
        assert_eq!(block.pass(0, T), [1]);
        // The head of the other pool keeps its place until the licence is given back.
        assert_eq!(offers(&block, 1, T), [(4, 1)], "{words}");
        block.tell(T, &over(4, JobState::Gone, 0));
        assert_eq!(block.pass(1, T), [], "{words}");
        assert_eq!(block.scheduler().wake(T), Ok(None));
        // Its end matters to the other pool.
        block.tell(T + 50, &over(1, JobState::Ended, 50));
        assert_eq!(block.scheduler().wake(T + 50), Ok(Some((T + 50, 3))), "{words}");
        assert_eq!(block.pass(1, T + 50), [2]);
        // A cycle that is open notices a licence that is taken elsewhere.
        let mut open = open;
        let scratch = open.scratch.clone();
        open.begin(0, T);
        assert_eq!(open.offered(), 1);
        open.started(0, 1);
        open.scratch = scratch;
        assert_eq!(open.next(), Action::Stale);
        // A running job that is reported without nodes has licences all the same.
        let mut block = two_pools(words);
        block.tell(T, &on(1, 100, licensed(2), &[]));
        block.tell(T, &asks(2, 1, 100, licensed(1)));
        assert_eq!(offers(&block, 0, T), [], "{words}");
        // One that is stopped and holds nothing has none, until it goes on.
        let stopped =
            JobReport { state: JobState::Suspended, holds_nothing: true, ..on(1, 100, licensed(2), &[]) };
        block.tell(T, &stopped);
        assert_eq!(offers(&block, 0, T), [(2, 0)]);
    }
}

#[test]
fn nobody_starts_where_another_pools_job_runs() {
    for words in BOTH {
        // The node moves, and its job does not.
        let mut block = two_pools(words);
        block.tell(T, &on(1, 100, wide(3), &one(0)));
        up(&mut block, 1, 0);
        block.tell(T, &JobReport { queues: &[1], ..asks(2, 2, 100, wide(2)) });
        assert_eq!(block.pass(1, T), [], "{words}");
        block.tell(T + 10, &over(1, JobState::Ended, 10));
        assert_eq!(block.scheduler().wake(T + 10).unwrap().map(|wake| wake.1 & 2), Some(2), "{words}");
        assert_eq!(block.pass(1, T + 10), [2]);
        // The job moves, and its node does not.
        let mut block = two_pools(words);
        block.tell(T, &on(1, 100, wide(3), &one(0)));
        block.tell(T, &JobReport { queues: &[1], ..on(1, 100, wide(3), &[]) });
        block.tell(T, &asks(2, 1, 100, wide(2)));
        assert_eq!(offers(&block, 0, T), [], "{words}");
        // In a pool of units it holds no node.
        block.scheduler().set_pool(b"units", 9, None).unwrap();
        block.scheduler().set_queue(b"counted", 2).unwrap();
        block.tell(T, &JobReport { queues: &[2], ..running(1, 3, 100, T) });
        assert_eq!(offers(&block, 0, T), [(2, 0)], "{words}");
    }
}

/// Tasks that take these processors and this memory, and may share a node.
fn each(processors: u32, memory: u32) -> Wants {
    Wants { each: [processors, memory, 0, 0, 0, 0, 0, 0], spread: Spread::Tasks, ..Wants::default() }
}

#[test]
fn where_more_runs_than_there_is_nobody_starts() {
    for words in BOTH {
        let waits = asks(9, 1, 100, each(1, 0));
        // Memory is taken twice: the processors are taken too.
        let mut block = of_nodes(1, words);
        block.tell(T, &on(1, 100, each(1, 8), &one(0)));
        block.tell(T, &on(2, 100, each(3, 8), &one(0)));
        block.tell(T, &waits);
        assert_eq!(offers(&block, 0, T), [], "{words}");
        // A job that wants its nodes alone, beside another.
        for first in [1, 2] {
            let mut block = of_nodes(1, words);
            let alone = Wants { exclusive: true, ..each(1, 0) };
            let there = one(0);
            let reports = [on(1, 100, each(1, 0), &there), on(2, 100, alone, &there)];
            block.tell(T, &reports[first - 1]);
            block.tell(T, &reports[2 - first]);
            block.tell(T, &waits);
            assert_eq!(offers(&block, 0, T), [], "{words}");
        }
        // A job that was stopped, held nothing and goes on where another has started.
        let mut block = of_nodes(1, words);
        block.tell(T, &on(1, 100, each(3, 0), &one(0)));
        let stopped =
            JobReport { state: JobState::Suspended, holds_nothing: true, ..on(1, 100, each(3, 0), &[]) };
        block.tell(T, &stopped);
        block.tell(T, &asks(2, 1, 100, each(3, 0)));
        assert_eq!(block.pass(0, T), [2]);
        block.tell(T + 1, &JobReport { ran: 1, ..on(1, 100, each(3, 0), &[]) });
        block.tell(T + 1, &waits);
        assert_eq!(offers(&block, 0, T + 1), [], "{words}");
        block.tell(T + 2, &over(2, JobState::Ended, 1));
        assert_eq!(offers(&block, 0, T + 2), [(9, 0)], "{words}");
    }
}

#[test]
fn a_larger_block_goes_on() {
    // No room for the parts of a report, nor of a start.
    let capacity = SchedulerCapacity { nodes: 4, kinds: 1, parts: 3, pools: 4, queues: 6, ..small(9) };
    let mut block = Block::new(&capacity, "preset=easy");
    block.scheduler().set_pool(b"nodes", 0, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    let report = NodeReport { amounts: [4, 0, 0, 0, 0, 0, 0, 0], ..NodeReport::default() };
    (0..4).for_each(|number| block.scheduler().set_node(0, number, &report).unwrap());
    let parts: Vec<Part> = (0..4).map(|node| Part { node, tasks: 1 }).collect();
    assert_eq!(block.call(|s| s.set_job(T, &on(1, 100, wide(1), &parts))), Err(Error::PartsFull));
    block.tell(T, &on(1, 100, wide(1), &parts[..2]));
    block.tell(T, &on(1, 100, wide(1), &parts[1..4]));
    assert_eq!(block.call(|s| s.set_job(T, &on(2, 100, wide(1), &one(0)))), Err(Error::PartsFull));
    block.tell(T, &asks(3, 1, 100, wide(2)));
    block.begin(0, T);
    assert_eq!(block.offered(), 3);
    let before = block.clone();
    let started = |block: &mut Block| block.cycle(|mut cycle, scheduler| cycle.started(scheduler, 0, 3));
    assert_eq!(started(&mut block), Err(Error::PartsFull));
    assert!(before.memory == block.memory && before.scratch == block.scratch);
    // The manager may have reported it already, and then there is nothing to take.
    let mut said = block.clone();
    said.tell(T, &on(1, 100, wide(1), &parts[1..3]));
    said.tell(T, &on(3, 100, wide(2), &one(0)));
    assert_eq!(started(&mut said), Ok(()));
    block.grow(&SchedulerCapacity { nodes: 9, parts: 30, jobs: 12, ..capacity });
    assert_eq!(started(&mut block), Ok(()));
    // Parts for which the cycle's machine has no room are left to the next one.
    block.scheduler().set_node(0, 8, &report).unwrap();
    block.tell(T, &on(4, 100, wide(1), &one(8)));
    block.tell(T, &asks(5, 1, 100, wide(2)));
    block.begin(0, T);
    let mut smaller = before;
    smaller.tell(T, &asks(5, 1, 100, wide(1)));
    smaller.begin(0, T);
    assert_eq!(smaller.offered(), 3);
    smaller.grow(&SchedulerCapacity { nodes: 9, parts: 30, jobs: 12, ..capacity });
    smaller.refused(0, Refusal::NotNow);
    assert_eq!(smaller.offered(), 5);
    assert_eq!(block.offered(), 5);
}

#[test]
fn refused_reports() {
    let mut block = of_nodes(2, "preset=easy");
    block.scheduler().set_pool(b"units", 9, None).unwrap();
    block.scheduler().set_queue(b"counted", 1).unwrap();
    let mut refused = |report: &JobReport<'_>, error| {
        assert_eq!(block.call(|scheduler| scheduler.set_job(T, report)), Err(error), "{report:?}");
    };
    let part = |node, tasks| Part { node, tasks };
    refused(&JobReport { queues: &[1], ..asks(1, 1, 10, wide(1)) }, Error::OutOfRange);
    refused(&JobReport { queues: &[1], parts: &one(0), ..running(1, 1, 10, T) }, Error::OutOfRange);
    refused(&JobReport { queues: &[0, 1], ..asks(1, 1, 10, wide(1)) }, Error::OutOfRange);
    refused(&on(1, 10, wide(1), &[part(1, 1), part(0, 1)]), Error::OutOfRange);
    refused(&on(1, 10, wide(1), &[part(1, 1), part(1, 1)]), Error::OutOfRange);
    refused(&JobReport { parts: &[part(1, 0)], ..on(1, 10, wide(1), &[]) }, Error::OutOfRange);
    refused(&on(1, 10, wide(1), &one(4)), Error::NoSuchIndex);
    refused(&asks(1, 1, 10, wide(u32::MAX)), Error::OutOfRange);
    refused(&asks(1, 1, 10, Wants { each: [1, 1, 1, 0, 0, 0, 0, 0], ..wide(1) }), Error::OutOfRange);
    // More tasks than any machine has room for: such a job would fail every cycle of its pool.
    refused(&asks(1, (1 << 24) + 1, 10, wide(1)), Error::OutOfRange);
    let mut call = |number, report: &NodeReport| block.call(|s| s.set_node(0, number, report));
    assert_eq!(call(4, &node(NodeState::Up, 1)), Err(Error::NoSuchIndex));
    let three = NodeReport { amounts: [1, 1, 1, 0, 0, 0, 0, 0], ..node(NodeState::Up, 1) };
    assert_eq!(call(0, &three), Err(Error::OutOfRange));
    assert_eq!(block.call(|s| s.set_node(1, 0, &node(NodeState::Up, 1))), Err(Error::NoSuchIndex));
    assert_eq!(block.call(|s| s.set_pool(b"nodes", 4, None)), Err(Error::OutOfRange));
    assert_eq!(block.call(|s| s.set_queue_nodes(0, Some(&[1, 4]))), Err(Error::NoSuchIndex));
    assert_eq!(block.call(|s| s.set_queue_nodes(1, Some(&[1]))), Err(Error::NoSuchIndex));
    let booked = |key, nodes| Reservation { pool: 0, key, from: T, to: T + 9, nodes };
    assert_eq!(block.call(|s| s.set_reservation(&booked(0, &[0]))), Err(Error::OutOfRange));
    assert_eq!(block.call(|s| s.set_reservation(&booked(1, &[4]))), Err(Error::NoSuchIndex));
    let early = Reservation { to: T - 1, ..booked(1, &[0]) };
    assert_eq!(block.call(|s| s.set_reservation(&early)), Err(Error::OutOfRange));
    // Tasks that take nothing, in absurd numbers.
    let absurd = [part(0, 1 << 24), part(1, 1 << 24)];
    block.tell(T, &JobReport { count: 1, ..on(1, 10, Wants::default(), &absurd) });
    block.tell(T, &asks(2, 1 << 24, 10, wide(4)));
    block.tell(T, &asks(3, 1, 10, wide(1)));
    assert_eq!(offers(&block, 0, T), [(3, 0)]);
}

#[test]
fn many_requirements() {
    let capacity = SchedulerCapacity { nodes: 2, kinds: 1, parts: 400, ..small(200) };
    for words in BOTH {
        let mut block = Block::new(&capacity, words);
        block.scheduler().set_pool(b"nodes", 0, None).unwrap();
        block.scheduler().set_queue(b"batch", 0).unwrap();
        let amounts = [400, 0, 0, 0, 0, 0, 0, 0];
        let has = |features| NodeReport { features, amounts, ..NodeReport::default() };
        block.scheduler().set_node(0, 0, &has(u64::MAX)).unwrap();
        block.scheduler().set_node(0, 1, &has(1)).unwrap();
        // Jobs that no node will ever suit do not take the place of those behind them.
        for id in 1..=70 {
            let never = Wants { features: 1, without: 1 | id << 2, ..wide(1) };
            block.tell(T, &asks(id as i64, 1, 100, never));
        }
        // 80 different requirements for the same nodes, and then one more.
        for id in 1..=80 {
            let wants = Wants { features: 1 | id << 1, ..wide(1) };
            block.tell(T + 1, &JobReport { submit: T + 1, ..asks(100 + id as i64, 1, 100, wants) });
        }
        block.tell(T + 2, &JobReport { submit: T + 2, ..asks(190, 1, 100, Wants { any: 3, ..wide(1) }) });
        let mut started = block.pass(0, T + 2);
        started.sort();
        let expected: Vec<i64> = (101..=180).chain([190]).collect();
        assert_eq!(started, expected, "{words}");
    }
}

#[test]
fn lost_features_and_won_ones_are_heeded() {
    let mut block = of_nodes(1, "preset=easy");
    let without = Wants { without: 2, ..wide(1) };
    block.tell(T, &asks(1, 1, 100, without));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    set(&mut block, 0, NodeReport { features: 2, ..node(NodeState::Up, 0) });
    assert_eq!(block.cycle(|cycle, scheduler| cycle.holds(scheduler, 0)), Ok(false));
    assert_eq!(block.next(), Action::Stale);
    block.refused(0, Refusal::Busy);
    assert_eq!(offers(&block, 0, T), []);
    up(&mut block, 0, 0);
    assert_eq!(offers(&block, 0, T), [(1, 0)]);
    // A running job that takes more is room that is lost.
    block.begin(0, T);
    block.tell(T, &on(2, 100, wide(1), &one(0)));
    block.begin(0, T);
    assert_eq!(block.offered(), 1);
    block.tell(T, &on(2, 100, Wants { each: [1, 8, 0, 0, 0, 0, 0, 0], ..wide(1) }, &[]));
    assert_eq!(block.next(), Action::Stale);
}

/// Nodes sought by jobs that may not have others come last for jobs that may, by queues too.
#[test]
fn nodes_that_others_seek_come_last() {
    for words in BOTH {
        let mut block = of_nodes(4, words);
        set(&mut block, 0, NodeReport { features: 2, ..node(NodeState::Up, 0) });
        // The node on which a job starts in a cycle; then it is over.
        let first = |block: &mut Block, job: &JobReport<'_>| {
            block.tell(T, job);
            let first = offers(block, 0, T);
            assert_eq!(block.pass(0, T), [job.id]);
            block.tell(T, &over(job.id, JobState::Gone, 0));
            first.first().map(|&(_, node)| node)
        };
        let anywhere = asks(1, 1, 100, wide(1));
        let there = asks(2, 1, 100, Wants { features: 2, ..wide(1) });
        assert_eq!(first(&mut block, &anywhere), Some(0), "nobody has sought any");
        assert_eq!(first(&mut block, &there), Some(0));
        assert_eq!(first(&mut block, &anywhere), Some(1));
        assert_eq!(first(&mut block, &there), Some(0));
        // It takes the scarce node where there is no other.
        assert_eq!(first(&mut block, &asks(3, 4, 100, wide(1))), Some(0));
        // A queue of two nodes: each is sought half as much as the first node, twice as often.
        assert_eq!(block.scheduler().set_queue(b"two", 0), Ok(1));
        block.scheduler().set_queue_nodes(1, Some(&[1, 2])).unwrap();
        for id in 10..14 {
            let queued = JobReport { queues: &[1], ..asks(id, 1, 100, wide(1)) };
            assert_eq!(first(&mut block, &queued), Some(1));
        }
        assert_eq!(first(&mut block, &anywhere), Some(3));
        // Among nodes that are sought as much best fit decides.
        block.tell(T, &on(20, 1000, wide(2), &one(2)));
        assert_eq!(first(&mut block, &JobReport { queues: &[1], ..asks(21, 1, 100, wide(1)) }), Some(2));
        // Another node under the number is not sought.
        block.scheduler().set_node(0, 0, &node(NodeState::Up, 9)).unwrap();
        assert_eq!(first(&mut block, &anywhere), Some(0), "{words}");
        // Shares count half once one of them is large, and go on.
        block.scheduler().set_node(0, 0, &NodeReport { features: 4, ..node(NodeState::Up, 9) }).unwrap();
        let other = asks(4, 1, 100, Wants { any: 12, ..wide(1) });
        (0..3000).for_each(|_| assert_eq!(first(&mut block, &other), Some(0)));
        assert_eq!(first(&mut block, &anywhere), Some(3));
        // The site's own order comes before, and alone counts where it is set.
        let weighty = |weight, number| NodeReport { weight, ..node(NodeState::Up, number) };
        (1..4).for_each(|number| set(&mut block, number, weighty(300, number)));
        assert_eq!(first(&mut block, &anywhere), Some(0));
        set(&mut block, 1, weighty(299, 1));
        assert_eq!(first(&mut block, &asks(5, 2, 100, wide(1))), Some(0));
        set(&mut block, 0, NodeReport { features: 4, weight: u32::MAX, ..node(NodeState::Up, 9) });
        assert_eq!(first(&mut block, &anywhere), Some(1));
        set(&mut block, 0, NodeReport { features: 4, weight: 299, ..node(NodeState::Up, 9) });
        assert_eq!(first(&mut block, &anywhere), Some(1));
        block.scheduler().configure("fit=best", "").unwrap();
        assert_eq!(first(&mut block, &anywhere), Some(0));
    }
}
