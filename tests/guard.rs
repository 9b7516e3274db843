//! Guard, EASY's own candidates and the cap on seconds, against one candidate at a time: EASY by the limits is written
//! out here once more, delays come from a pass of their own.

use proptest::prelude::*;
use surefill::backfill::{Criterion, Exactness, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::error::Error;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

#[derive(Debug, Clone)]
struct Job {
    processors: u32,
    age: i64,
    limit: i64,
    counts: Vec<u32>,
}

impl Job {
    fn distribution(&self) -> RuntimeDistribution {
        let bins = RuntimeBins::new(10.0, 2.0, 8).unwrap();
        let counts: Vec<f64> = self.counts.iter().map(|&c| f64::from(c)).collect();
        RuntimeDistribution::from_counts(&bins, &counts).unwrap()
    }
}

#[derive(Debug, Clone)]
struct Queue {
    running: Vec<Job>,
    candidates: Vec<Job>,
    idle: u32,
    more: u32,
    waited: i64,
}

fn job(processors: std::ops::Range<u32>, ages: std::ops::Range<i64>) -> impl Strategy<Value = Job> {
    let counts = prop_oneof![4 => proptest::collection::vec(0u32..5, 8), 1 => Just(vec![0; 8])];
    (processors, ages, prop_oneof![Just(60i64), Just(300), 1i64..2000], counts)
        .prop_map(|(processors, age, limit, counts)| Job { processors, age, limit, counts })
}

fn queue() -> impl Strategy<Value = Queue> {
    let running = proptest::collection::vec(job(1..9, 0..500), 1..9);
    let candidates = proptest::collection::vec(job(1..7, 0..1), 1..9);
    (running, candidates, 1u32..16, 1u32..12, 0i64..10_000).prop_map(
        |(running, candidates, idle, more, waited)| Queue { running, candidates, idle, more, waited },
    )
}

const LIMITS: PassCapacity = PassCapacity {
    running: 20,
    candidates: 9,
    processors: 120,
    bins: 8,
    events_per_bin: 1,
    tie_cells: 1 << 14,
};

fn fill(pass: &mut Pass, queue: &Queue, running: &[Job], idle: u32, candidates: &[Job]) {
    pass.begin(0, idle, 7, queue.idle + queue.more).unwrap();
    pass.set_head_waited(queue.waited).unwrap();
    for job in running {
        pass.add_running(job.processors, job.age, job.limit, &job.distribution()).unwrap();
    }
    for job in candidates {
        pass.add_candidate(job.processors, job.limit, &job.distribution()).unwrap();
    }
}

impl Queue {
    /// Whether the head job has room once everything has ended.
    fn head_starts(&self) -> bool {
        self.running.iter().map(|job| job.processors).sum::<u32>() >= self.more
    }
}

/// EASY: the shadow time is the first at which enough processors are free if all jobs end at their limits.
fn easy_starts(running: &[Job], idle: u32, head: u32, candidate: &Job) -> bool {
    let ends: Vec<(i64, u32)> =
        running.iter().map(|job| ((job.limit - job.age).max(1), job.processors)).collect();
    let free_at = |time: i64| idle + ends.iter().filter(|end| end.0 <= time).map(|end| end.1).sum::<u32>();
    let shadow = ends.iter().map(|end| end.0).filter(|&time| free_at(time) >= head).min();
    let shadow = shadow.expect("the head job starts");
    candidate.limit.max(1) <= shadow || candidate.processors <= free_at(shadow) - head
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Candidates that EASY would start are accepted all the same, without a delay; all others are judged bit for bit
    /// as with all delays measured, also where widths are in the thousands and candidates are declined.
    #[test]
    fn what_is_unmeasured_changes_no_decision(
        queue in queue(), tau in 0.0f64..0.5, criterion in 0u32..4, wide in any::<bool>(), declined in any::<u32>(),
        guard in prop_oneof![Just(f64::INFINITY), Just(0.0), 0.0f64..10_000.0],
        work in prop_oneof![Just(u64::MAX), 1u64..50],
    ) {
        let mut queue = queue;
        if wide {
            let jobs = queue.running.iter_mut().chain(&mut queue.candidates);
            jobs.for_each(|job| job.processors = 500 * job.processors + 1);
            (queue.idle, queue.more) = (500 * queue.idle + 3, 500 * queue.more);
        }
        let criterion = Criterion::from_number(criterion).unwrap();
        let threshold = if criterion == Criterion::Seconds { 100.0 * tau } else { tau };
        let limits = PassCapacity { processors: 100_000, ..LIMITS };
        let decide = |unmeasured: bool| {
            let rule = Rule { criterion, threshold, guard, or_easy: true, unmeasured, ..Rule::EXACT };
            let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
            let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
            fill(&mut pass, &queue, &queue.running, queue.idle, &queue.candidates);
            let mut steps = Vec::new();
            loop {
                match pass.decide(&rule, work).unwrap() {
                    Step::Accept(index) => {
                        steps.push((index, pass.judgement(index).unwrap()));
                        match declined >> index & 1 {
                            0 => pass.commit(index).unwrap(),
                            _ => pass.decline(index).unwrap(),
                        }
                    }
                    Step::More => (),
                    Step::Done => break,
                }
            }
            let judged: Vec<_> =
                (0..queue.candidates.len()).map(|index| pass.judgement(index).unwrap()).collect();
            (steps, judged, pass.spent(criterion))
        };
        let (measured, all, spent) = decide(false);
        let (unmeasured, some, less) = decide(true);
        prop_assert_eq!(measured.len(), unmeasured.len());
        let (mut running, mut idle) = (queue.running.clone(), queue.idle);
        let head = queue.idle + queue.more;
        for ((index, with), (other, without)) in measured.iter().zip(&unmeasured) {
            prop_assert_eq!(index, other);
            let candidate = &queue.candidates[*index];
            if easy_starts(&running, idle, head, candidate) {
                prop_assert_eq!((without.delay, without.exactness), (0.0, Exactness::NotMeasured));
            } else {
                let close = 1e-6 * (1.0 + with.delay);
                let bounded = match without.exactness {
                    Exactness::AtMost => with.delay <= without.delay + close && without.delay < threshold,
                    other => (with.delay - without.delay).abs() <= close && other == with.exactness,
                };
                prop_assert!(bounded, "{:?} {:?}", with, without);
            }
            if declined >> index & 1 == 0 {
                running.push(Job { age: 0, limit: candidate.limit.max(1), ..candidate.clone() });
                idle -= candidate.processors;
            }
        }
        for (with, without) in all.iter().zip(&some) {
            prop_assert_eq!(with.verdict, without.verdict);
        }
        let bounds: f64 = unmeasured.iter().filter(|step| step.1.exactness == Exactness::AtMost).map(|step| step.1.delay).sum();
        prop_assert!(less <= spent + bounds + 1e-9);
    }

    #[test]
    fn verdicts_are_those_of_the_definitions(
        queue in queue(), tau in 0.0f64..0.5, seconds in any::<bool>(), or_easy in any::<bool>(),
        guard in prop_oneof![Just(f64::INFINITY), Just(0.0), 0.0f64..10_000.0],
        slip in prop_oneof![Just(f64::INFINITY), 0.0f64..0.05],
        work in prop_oneof![Just(u64::MAX), 1u64..50],
    ) {
        let (criterion, scale) =
            if seconds { (Criterion::Seconds, 100.0) } else { (Criterion::Relative, 1.0) };
        let rule = Rule { criterion, threshold: tau * scale, slip, guard, or_easy, ..Rule::EXACT };
        let head = queue.idle + queue.more;
        let mut memory = vec![0u64; Pass::size(&LIMITS).unwrap().div_ceil(8)];
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS).unwrap();
        fill(&mut pass, &queue, &queue.running, queue.idle, &queue.candidates);
        loop {
            match pass.decide(&rule, work).unwrap() {
                Step::Accept(index) => pass.commit(index).unwrap(),
                Step::More => (),
                Step::Done => break,
            }
        }
        let mut other = vec![0u64; Pass::size(&LIMITS).unwrap().div_ceil(8)];
        let (mut running, mut idle, mut spent) = (queue.running.clone(), queue.idle, 0.0);
        for (index, candidate) in queue.candidates.iter().enumerate() {
            let found = pass.judgement(index).unwrap();
            if candidate.processors > idle {
                prop_assert_eq!(found.verdict, Verdict::DoesNotFit);
                continue;
            }
            if !queue.head_starts() {
                prop_assert_eq!(found.verdict, Verdict::HeadNever);
                continue;
            }
            let harmless = easy_starts(&running, idle, head, candidate);
            if queue.waited as f64 >= guard && !harmless {
                prop_assert_eq!(found.verdict, Verdict::Guarded);
                continue;
            }
            let mut alone = |criterion| {
                let mut single = Pass::init(bytemuck::cast_slice_mut(&mut other), &LIMITS).unwrap();
                fill(&mut single, &queue, &running, idle, std::slice::from_ref(candidate));
                let any = Rule { criterion, threshold: f64::INFINITY, ..Rule::EXACT };
                assert_eq!(single.decide(&any, u64::MAX), Ok(Step::Accept(0)));
                single.judgement(0).unwrap().delay
            };
            let (relative, delay_s) = (alone(Criterion::Relative), alone(Criterion::Seconds));
            let delay = if seconds { delay_s } else { relative };
            // Without a delay the wait does not follow from the ratio; any slip has room for it, whatever has been
            // spent.
            let wait = if relative > 0.0 { delay_s / relative } else { 0.0 };
            let room = slip * (queue.waited as f64 + wait) - spent;
            let near = (delay - rule.threshold).abs() < 1e-9 || (room - delay_s).abs() < 1e-6;
            prop_assume!(!near);
            let exempt = or_easy && harmless;
            let expected = match (exempt || delay < rule.threshold, exempt || slip.is_infinite() || delay_s == 0.0 || delay_s <= room) {
                (true, true) => Verdict::Accepted,
                (true, false) => Verdict::OverBudget,
                (false, _) => Verdict::Refused,
            };
            prop_assert_eq!(found.verdict, expected, "{:?}", (delay, delay_s, room));
            if expected == Verdict::Accepted {
                prop_assert_eq!(found.exactness, Exactness::Exact);
                prop_assert!((found.delay - delay).abs() < 1e-9 * delay.max(1.0));
                running.push(Job { age: 0, ..candidate.clone() });
                idle -= candidate.processors;
                spent += delay_s;
            }
        }
        prop_assert!((pass.spent(Criterion::Seconds) - spent).abs() < 1e-9 * spent.max(1.0));
    }

    #[test]
    fn a_guard_from_the_start_is_easy_whatever_is_predicted(queue in queue(), number in 0u32..4) {
        let criterion = Criterion::from_number(number).unwrap();
        let rule = Rule { criterion, threshold: 0.0, guard: 0.0, or_easy: true, ..Rule::EXACT };
        let mut memory = vec![0u64; Pass::size(&LIMITS).unwrap().div_ceil(8)];
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS).unwrap();
        fill(&mut pass, &queue, &queue.running, queue.idle, &queue.candidates);
        while let Step::Accept(index) = pass.decide(&rule, u64::MAX).unwrap() {
            pass.commit(index).unwrap();
        }
        let (mut running, mut idle) = (queue.running.clone(), queue.idle);
        for (index, candidate) in queue.candidates.iter().enumerate() {
            let starts = candidate.processors <= idle
                && queue.head_starts()
                && easy_starts(&running, idle, queue.idle + queue.more, candidate);
            prop_assert_eq!(pass.judgement(index).unwrap().verdict == Verdict::Accepted, starts);
            if starts {
                running.push(Job { age: 0, ..candidate.clone() });
                idle -= candidate.processors;
            }
        }
    }
}

#[test]
fn refuses_rules_and_waits_that_are_none() {
    let mut memory = vec![0u64; Pass::size(&LIMITS).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS).unwrap();
    assert_eq!(pass.set_head_waited(5), Err(Error::WrongState));
    pass.begin(0, 10, 1, 50).unwrap();
    assert_eq!(pass.set_head_waited(-1), Err(Error::OutOfRange));
    assert_eq!(pass.set_head_waited(i64::MAX), Err(Error::SpanTooLong));
    let mut refused = |rule: Rule| pass.decide(&rule, 1).unwrap_err();
    assert_eq!(refused(Rule { slip: f64::NAN, ..Rule::DELAY }), Error::NotANumber);
    assert_eq!(refused(Rule { guard: f64::NAN, ..Rule::DELAY }), Error::NotANumber);
    assert_eq!(refused(Rule { slip: -1.0, ..Rule::DELAY }), Error::OutOfRange);
    assert_eq!(refused(Rule { guard: -1.0, ..Rule::DELAY }), Error::OutOfRange);
    assert_eq!(refused(Rule { slip: 1.0, ..Rule::EXACT }), Error::OutOfRange);
    assert_eq!(pass.decide(&Rule { slip: 1.0, ..Rule::DELAY }, 1), Ok(Step::Done));
    assert_eq!(pass.set_head_waited(5), Err(Error::WrongState));
}
