//! The delay rule: every decision against the enumeration of all run times, its reasons, and what it needs of the
//! capacity.

use crate::block::{Block, small};
use crate::longer;
use crate::machine::Random;
use crate::outcomes::{Job, bins, outcomes, time_of, truth};
use surefill::backfill::Criterion;
use surefill::engine::{
    Action, Cycle, Delayed, JobReport, JobState, Reason, Refusal, SchedulerCapacity, Why,
};
use surefill::error::Error;

const NOW: i64 = 1_000_000;

const CRITERIA: [(Criterion, &str); 4] = [
    (Criterion::Probability, "probability"),
    (Criterion::Bound, "bound"),
    (Criterion::Seconds, "seconds"),
    (Criterion::Relative, "relative"),
];

/// An engine of one pool with room for the delay rule.
fn block(jobs: u32, units: u32, words: &str) -> Block {
    let capacity = SchedulerCapacity { bins: 5, delay_units: units, ..small(jobs) };
    let mut block = Block::new(&capacity, words);
    block.scheduler().set_bins(&bins()).unwrap();
    block.scheduler().set_pool(b"all", units, None).unwrap();
    block.scheduler().set_queue(b"batch", 0).unwrap();
    block
}

/// Reports a job that runs if it has an age, else one that waits.
fn tell(block: &mut Block, id: i64, job: &Job, runs: bool) {
    let prediction = job.distribution();
    let report = JobReport {
        id,
        count: job.processors,
        limit: job.limit,
        submit: NOW - 1000 + id,
        state: if runs { JobState::Running } else { JobState::Waiting },
        start: if runs { NOW - job.age } else { 0 },
        queues: &[0],
        prediction: Some(&prediction),
        ..JobReport::default()
    };
    block.tell(NOW, &report);
}

/// The delay of the head job by a candidate.
fn delay(criterion: Criterion, running: &[Job], candidate: &Job, idle: u32, head: u32, events: u32) -> f64 {
    let found = truth(running, candidate, idle, head, events);
    match criterion {
        Criterion::Probability => found.probability,
        Criterion::Bound => found.bound,
        Criterion::Seconds => found.seconds,
        Criterion::Relative => found.seconds / found.head_wait,
    }
}

/// The ids that start, and the delay of each that is refused.
type Decided = (Vec<i64>, Vec<(i64, f64)>);

/// Decision of a case by the enumeration: the ids that start, and the delay of each that is refused; `None` where a
/// delay is too close to the threshold for two ways of adding up.
fn decided(
    (running, waiting): (&[Job], &[Job]),
    idle: u32,
    (criterion, tau, events): (Criterion, f64, u32),
) -> Option<Decided> {
    let (mut running, mut idle) = (running.to_vec(), idle);
    let (mut started, mut refused) = (Vec::new(), Vec::new());
    let mut head = None;
    for (job, id) in waiting.iter().zip(101..) {
        let starts = match head {
            _ if job.processors > idle => false,
            None => true,
            Some(head) => {
                let delay = delay(criterion, &running, job, idle, head, events);
                if (delay - tau).abs() < 1e-9 {
                    return None;
                }
                if delay > tau {
                    refused.push((id, delay));
                }
                delay < tau
            }
        };
        if starts {
            started.push(id);
            running.push(Job { age: 0, ..job.clone() });
            idle -= job.processors;
        } else if head.is_none() {
            head = Some(job.processors);
        }
    }
    Some((started, refused))
}

fn draw(random: &mut Random, ages: u64) -> Job {
    let mut counts: Vec<u32> = (0..5).map(|_| random.below(4) as u32).collect();
    counts[random.below(5) as usize] += 1;
    let limit = if random.one_in(3) { 1 + random.below(8) } else { 8 + random.below(50) } as i64;
    Job { processors: 1 + random.below(5) as u32, age: random.below(ages) as i64, limit, counts }
}

#[test]
fn decisions_are_those_of_the_enumeration() {
    let mut counts = [0; 3];
    let mut cases = 0;
    for seed in 0..1500 * longer() {
        let mut random = Random::new(seed);
        let (criterion, name) = random.of(&CRITERIA);
        let events = 1 + random.below(2) as u32;
        let tau = match criterion {
            Criterion::Seconds => random.of(&[0.5, 2.0, 5.0]),
            _ => random.of(&[0.02, 0.05, 0.3]),
        };
        let ages = random.of(&[1, 2, 20]);
        let running: Vec<Job> = (0..1 + random.below(4)).map(|_| draw(&mut random, ages)).collect();
        let idle = random.below(9) as u32;
        let units = idle + running.iter().map(|job| job.processors).sum::<u32>();
        let waiting: Vec<Job> = (0..2 + random.below(4)).map(|_| draw(&mut random, 1)).collect();
        // A head job that could never start is no candidate at all.
        if waiting.iter().any(|job| job.processors > units) {
            continue;
        }
        let Some((started, refused)) = decided((&running, &waiting), idle, (criterion, tau, events)) else {
            continue;
        };
        let words = format!("rule=delay criterion={name} tau={tau} events={events}");
        let mut block = block(20, units, &words);
        running.iter().zip(1..).for_each(|(job, id)| tell(&mut block, id, job, true));
        waiting.iter().zip(101..).for_each(|(job, id)| tell(&mut block, id, job, false));
        block.begin(0, NOW);
        let mut offered = Vec::new();
        while let Action::Start(offer) = block.next() {
            assert_eq!(offer.why == Why::ByDelay, offer.head != 0);
            counts[0] += usize::from(offer.head != 0);
            // Answers at once or not at all change nothing.
            if seed % 2 == 0 {
                block.started(offer.number, offer.job);
            }
            offered.push(offer.job);
        }
        assert_eq!(offered, started, "case {seed}, {words}, {idle} idle\n{running:?}\n{waiting:?}");
        for &(id, delay) in &refused {
            let reason = block.cycle(|mut cycle, scheduler| cycle.reason(scheduler, id)).unwrap();
            check_reason(&reason, criterion, tau, delay, &format!("case {seed}, job {id}, {words}"));
            counts[1] += 1;
        }
        let (late, _) = decided((&running, &waiting), idle, (criterion, f64::MAX, events)).unwrap();
        counts[2] += usize::from(late != started);
        block.close();
        for &(id, delay) in refused.iter().filter(|_| seed % 2 == 0) {
            let reason = block.scheduler().reason(id, NOW).unwrap();
            check_reason(&reason, criterion, tau, delay, &format!("case {seed}, job {id}, closed"));
        }
        cases += 1;
    }
    println!(
        "{cases} cases, {counts:?} starts past a head job, refusals, cases with any refusal that mattered"
    );
    assert!(cases >= 1000 && counts[0] > 200 && counts[1] > 100 && counts[2] > 80, "{cases} {counts:?}");
}

/// Asserts that a reason has the true delay, or a smaller one that is too long already.
#[track_caller]
fn check_reason(reason: &Reason, criterion: Criterion, tau: f64, delay: f64, context: &str) {
    let Some(delayed) = reason.delayed.filter(|_| reason.why == Why::Delays) else {
        panic!("{context}: {reason:?}")
    };
    assert_eq!((delayed.criterion, delayed.allowed), (criterion, tau), "{context}");
    assert!(reason.head > 100, "{context}");
    let near = (delayed.delay - delay).abs() <= 1e-6 * delay.max(1.0);
    let below = delayed.at_least && delayed.delay <= delay + 1e-9;
    assert!(delayed.delay >= tau && (near || below), "{context}: {delayed:?} for {delay}");
}

#[test]
fn a_refused_head_job_keeps_its_turn() {
    // Eight idle, and one of two that runs ends within 2 s, the other within 8 s: a head job of six, refused BUSY.
    let job = |processors, counts: [u32; 5]| Job { processors, age: 0, limit: 60, counts: counts.to_vec() };
    let running = [job(1, [1, 0, 0, 0, 0]), job(4, [0, 0, 1, 0, 0])];
    let waiting =
        [job(6, [0, 0, 0, 1, 0]), job(2, [0, 0, 0, 0, 1]), job(1, [0, 0, 0, 0, 1]), job(1, [1, 0, 0, 0, 0])];
    let mut block = block(20, 13, "rule=delay events=1");
    running.iter().zip(1..).for_each(|(job, id)| tell(&mut block, id, job, true));
    waiting.iter().zip(101..).for_each(|(job, id)| tell(&mut block, id, job, false));
    block.begin(0, NOW);
    let Action::Start(offer) = block.next() else { panic!() };
    assert_eq!((offer.job, offer.why), (101, Why::InOrder));
    block.refused(offer.number, Refusal::Busy);
    // The second leaves room for it; the third would take one of its six for longer than until the next end, after
    // which one more is free; the last ends at that instant.
    let ends = outcomes(&running, 1);
    assert_eq!(time_of(&ends[0].1, 1), Some(2));
    let mut offered = Vec::new();
    while let Action::Start(offer) = block.next() {
        offered.push((offer.job, offer.head, offer.why));
    }
    assert_eq!(offered, [(102, 101, Why::ByDelay), (104, 101, Why::ByDelay)]);
    let why =
        |block: &mut Block, id| block.cycle(|mut cycle, scheduler| cycle.reason(scheduler, id)).unwrap().why;
    assert_eq!((why(&mut block, 101), why(&mut block, 103)), (Why::Refused, Why::Delays));
}

#[test]
fn nothing_delays_a_head_job_that_cannot_start() {
    let job = |processors| Job { processors, age: 0, limit: 60, counts: vec![0, 0, 0, 1, 0] };
    let mut block = block(20, 12, "preset=papers");
    // Four of the twelve are unaccounted: the head job waits for these.
    block.scheduler().set_pool(b"all", 12, Some(4)).unwrap();
    tell(&mut block, 1, &job(4), true);
    (101..).zip([10, 3, 2, 1]).for_each(|(id, processors)| tell(&mut block, id, &job(processors), false));
    assert_eq!(block.pass(0, NOW), [102, 104]);
}

#[test]
fn arrays_and_open_offers_are_judged_like_jobs() {
    let job = |processors, counts: [u32; 5]| Job { processors, age: 0, limit: 60, counts: counts.to_vec() };
    let mut block = block(20, 8, "rule=delay events=1");
    tell(&mut block, 1, &job(4, [0, 0, 0, 1, 0]), true);
    tell(&mut block, 101, &job(6, [0, 0, 0, 1, 0]), false);
    // Two of the four idle are left over beside the head job.
    let prediction = job(1, [0, 0, 0, 0, 1]).distribution();
    let array = JobReport {
        id: 102,
        count: 1,
        limit: 60,
        tasks: 9,
        submit: NOW - 800,
        queues: &[0],
        prediction: Some(&prediction),
        ..JobReport::default()
    };
    block.tell(NOW, &array);
    let collected: Vec<i64> = {
        block.begin(0, NOW);
        std::iter::from_fn(|| Some(block.offered()).filter(|&job| job != 0)).collect()
    };
    assert_eq!(collected, [102, 102]);
    // The first is refused: the other one, still open, counts as running, and the array has its turn later.
    block.refused(0, Refusal::NotNow);
    assert_eq!(block.next(), Action::Done);
    block.close();
}

#[test]
fn the_capacity_and_the_pool_must_suit_it() {
    let begin = |block: &mut Block, pool| {
        block.call(|scheduler| {
            let length = Cycle::size(&scheduler.capacity())?.div_ceil(8);
            let mut scratch = vec![0_u64; length];
            Cycle::begin(bytemuck::cast_slice_mut(&mut scratch), scheduler, pool, NOW).map(|_| ())
        })
    };
    for words in ["preset=papers", "rule=delay", "preset=fast rule=delay"] {
        let mut block = Block::of_one(20, 64, words);
        assert_eq!(begin(&mut block, 0), Err(Error::DelayUnits), "{words}");
        block.scheduler().configure("rule=plan", "").unwrap();
        assert_eq!(begin(&mut block, 0), Ok(()), "{words}");
    }
    let mut nodes =
        Block::new(&SchedulerCapacity { nodes: 4, parts: 20, delay_units: 64, ..small(20) }, "preset=papers");
    nodes.scheduler().set_pool(b"nodes", 0, None).unwrap();
    assert_eq!(begin(&mut nodes, 0), Err(Error::DelayOnNodes));
    nodes.scheduler().configure("rule=plan", "").unwrap();
    assert_eq!(begin(&mut nodes, 0), Ok(()));
    let most = SchedulerCapacity { delay_units: (1 << 24) + 1, ..small(20) };
    assert_eq!(Cycle::size(&most), Err(Error::OutOfRange));
    // Only cycles need the memory.
    let with = SchedulerCapacity { delay_units: 64, ..small(20) };
    assert!(Cycle::size(&with).unwrap() > Cycle::size(&small(20)).unwrap());
    assert_eq!(surefill::engine::Scheduler::size(&with), surefill::engine::Scheduler::size(&small(20)));
}

#[test]
fn growing_mends_what_has_become_too_small() {
    let job = |processors| Job { processors, age: 0, limit: 60, counts: vec![1, 1, 1, 1, 1] };
    // A larger pool while a cycle is open.
    let mut small_pool = block(20, 8, "preset=papers");
    tell(&mut small_pool, 1, &job(4), true);
    small_pool.begin(0, NOW);
    small_pool.scheduler().set_pool(b"all", 16, None).unwrap();
    (101..).zip([14, 3]).for_each(|(id, processors)| tell(&mut small_pool, id, &job(processors), false));
    let next = |block: &mut Block| block.cycle(|mut cycle, scheduler| cycle.next(scheduler));
    assert_eq!(next(&mut small_pool), Err(Error::DelayUnits));
    let larger = SchedulerCapacity { delay_units: 16, ..small_pool.scheduler().capacity() };
    small_pool.grow(&larger);
    assert_eq!(next(&mut small_pool), Ok(Action::Done));
    small_pool.close();
    small_pool.pass(0, NOW);
    // Sixteen events of many jobs: there is room for four, and each time the block has grown for more.
    let mut events = block(12, 40, "rule=delay criterion=probability events=16");
    tell(&mut events, 1, &job(4), true);
    tell(&mut events, 101, &job(40), false);
    (102..111).for_each(|id| tell(&mut events, id, &job(1), false));
    events.begin(0, NOW);
    let mut grown = 0;
    loop {
        match next(&mut events) {
            Err(Error::Full) => {
                let capacity = events.scheduler().capacity();
                events.grow(&SchedulerCapacity { jobs: 2 * capacity.jobs, ..capacity });
                grown += 1;
            }
            Ok(Action::Stale) => events.begin(0, NOW),
            Ok(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!((1..=3).contains(&grown), "{grown}");
}

#[test]
fn predictions_of_the_papers_are_those_of_the_submission() {
    for (words, kept) in
        [("preset=papers", true), ("preset=papers criterion=probability", true), ("rule=delay", false)]
    {
        let capacity = SchedulerCapacity { delay_units: 64, ..small(40) };
        let mut block = Block::new(&capacity, words);
        block.scheduler().set_pool(b"all", 64, None).unwrap();
        block.scheduler().set_queue(b"batch", 0).unwrap();
        let report = |id, state, start| JobReport {
            id,
            state,
            start,
            user: 7,
            count: 4,
            limit: 36_000,
            queues: &[0],
            ..JobReport::default()
        };
        block.tell(NOW, &report(1, JobState::Waiting, 0));
        let before = block.scheduler().run_time(1, 0.5, NOW).unwrap();
        for id in 2..12 {
            block.tell(NOW, &report(id, JobState::Running, NOW));
            block.tell(NOW + 100 + id, &report(id, JobState::Ended, NOW));
        }
        block.begin(0, NOW + 200);
        let after = block.scheduler().run_time(1, 0.5, NOW + 200).unwrap();
        assert_eq!(before == after, kept, "{words}: {before} and {after}");
    }
}

#[test]
fn sentences_never_contradict_themselves() {
    let mut random = Random::new(3);
    let text = |delayed: Delayed, head| {
        Reason { why: Why::Delays, head, delayed: Some(delayed), ..Reason::default() }.to_string()
    };
    let of = |criterion, delay, allowed, at_least| text(Delayed { criterion, delay, allowed, at_least }, 7);
    let by = "starting it now would delay job 7";
    assert_eq!(
        of(Criterion::Probability, 0.12, 0.05, false),
        format!("{by} with probability 12 %; less than 5 % is allowed")
    );
    assert_eq!(
        of(Criterion::Bound, 0.0501, 0.05, true),
        format!("{by} with probability 5 % or more; less than 5 % is allowed")
    );
    assert_eq!(
        of(Criterion::Seconds, 60.004, 60.0, false),
        format!("{by} by 60.004 s on average; less than 60 s is allowed")
    );
    assert_eq!(
        of(Criterion::Relative, 0.29, 0.29, false),
        format!("{by} by 29 % of its remaining wait on average; less than 29 % is allowed")
    );
    assert_eq!(
        of(Criterion::Relative, 0.05 + 1e-15, 0.05, false),
        format!("{by} by more than 5 % of its remaining wait on average; less than 5 % is allowed")
    );
    for _ in 0..20_000 * longer() {
        let allowed = random.of(&[0.05, 0.001, 0.3, 0.0, 1.0, 0.07]);
        let more =
            random.below(1 << 30) as f64 / f64::from(1 << 30) * random.of(&[1.0, 1e-3, 1e-7, 1e-12, 0.0]);
        let at_least = random.one_in(2);
        let text = of(Criterion::Probability, allowed + more, allowed, at_least);
        let mut numbers = text.split([' ', ';']).filter_map(|word| word.parse::<f64>().ok()).skip(1);
        let (said, limit) = (numbers.next().unwrap(), numbers.next().unwrap());
        assert!((limit - 100.0 * allowed).abs() < 1e-9, "{text}");
        assert!(said <= 100.0 * (allowed + more) + 1e-9 && said >= limit, "{text}");
        assert!(at_least == text.contains("or more"), "{text}");
        // A delay that is said to be the allowed one is that, or more by less than is printed.
        assert!(said > limit || at_least || text.contains("more than") || more < 1e-9, "{text}: {more}");
    }
}

#[test]
fn a_job_without_a_limit_promises_nothing() {
    let mut block = block(20, 8, "preset=easy");
    let report = |id, count, state| JobReport { id, count, state, queues: &[0], ..JobReport::default() };
    block.tell(NOW, &report(1, 8, JobState::Running));
    block.tell(NOW, &report(2, 4, JobState::Waiting));
    block.begin(0, NOW);
    block.next();
    let reason = block.cycle(|mut cycle, scheduler| cycle.reason(scheduler, 2)).unwrap();
    assert_eq!((reason.why, reason.by_limits), (Why::Head, None));
    assert_eq!(reason.to_string(), "first in line, no room: 0 of 8 processors are idle, it wants 4");
}
