//! Delays against the enumeration of all outcomes: every combination of the running jobs' and the candidate's ends,
//! each with its probability, from the definitions alone.

#[path = "outcomes/outcomes.rs"]
mod outcomes;

use outcomes::{Job, outcomes, truth};
use proptest::prelude::*;
use surefill::backfill::{Criterion, Exactness, Pass, PassCapacity, Rule, Step, Verdict};

#[derive(Debug, Clone)]
struct Case {
    running: Vec<Job>,
    candidates: Vec<Job>,
    idle: u32,
    head: u32,
    events: u32,
}

fn job(ages: std::ops::Range<i64>) -> impl Strategy<Value = Job> {
    (1u32..6, ages, prop_oneof![1i64..8, 1i64..60], proptest::collection::vec(0u32..4, 5))
        .prop_map(|(processors, age, limit, counts)| Job { processors, age, limit, counts })
}

fn case() -> impl Strategy<Value = Case> {
    // Few ages and coarse bins make many equal times; a common factor in the widths makes the unit larger than 1.
    let ages = prop_oneof![Just(0..1), Just(0..2), Just(0..30)];
    let jobs = ages.prop_flat_map(|ages| proptest::collection::vec(job(ages), 1..6));
    (jobs, proptest::collection::vec(job(0..1), 1..4), 0u32..12, 1u32..12, 1u32..3, 1u32..4).prop_map(
        |(mut running, candidates, idle, more, events, factor)| {
            running.iter_mut().for_each(|job| job.processors *= factor);
            Case { running, candidates, idle, head: idle + more, events }
        },
    )
}

impl Case {
    /// Whether the head job has room once everything has ended.
    fn head_starts(&self) -> bool {
        self.idle + self.running.iter().map(|job| job.processors).sum::<u32>() >= self.head
    }
}

struct Block(Vec<u64>);

impl Block {
    fn new(limits: &PassCapacity) -> Block {
        Block(vec![u64::MAX; Pass::size(limits).unwrap().div_ceil(8)])
    }

    fn pass(&mut self, limits: &PassCapacity) -> Pass<'_> {
        Pass::init(bytemuck::cast_slice_mut(&mut self.0), limits).unwrap()
    }
}

fn limits(events: u32, tie_cells: u32) -> PassCapacity {
    PassCapacity { running: 16, candidates: 4, processors: 200, bins: 5, events_per_bin: events, tie_cells }
}

fn fill(pass: &mut Pass, case: &Case, running: &[Job], idle: u32, candidates: &[Job]) {
    pass.begin(1_000_000, idle, 7, case.head).unwrap();
    for job in running {
        pass.add_running(job.processors, job.age, job.limit, &job.distribution()).unwrap();
    }
    for job in candidates {
        pass.add_candidate(job.processors, job.limit, &job.distribution()).unwrap();
    }
}

fn rule(criterion: Criterion, threshold: f64) -> Rule {
    Rule { criterion, threshold, budget: f64::INFINITY, ..Rule::EXACT }
}

/// Delay of each candidate alone, by an infinite threshold.
fn delays(pass: &mut Pass, case: &Case, criterion: Criterion, work: u64) -> Vec<Option<(f64, Exactness)>> {
    fill(pass, case, &case.running, case.idle, &case.candidates);
    loop {
        match pass.decide(&rule(criterion, f64::INFINITY), work).unwrap() {
            Step::Accept(index) => pass.decline(index).unwrap(),
            Step::More => (),
            Step::Done => break,
        }
    }
    (0..case.candidates.len())
        .map(|i| pass.judgement(i).unwrap())
        .map(|j| (j.verdict == Verdict::Declined).then_some((j.delay, j.exactness)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn delays_equal_the_enumeration(case in case(), work in prop_oneof![Just(u64::MAX), 1u64..50]) {
        let limits = limits(case.events, 1 << 14);
        let mut block = Block::new(&limits);
        let mut pass = block.pass(&limits);
        for criterion in [Criterion::Probability, Criterion::Bound, Criterion::Seconds, Criterion::Relative] {
            for (candidate, found) in case.candidates.iter().zip(delays(&mut pass, &case, criterion, work)) {
                if candidate.processors > case.idle || !case.head_starts() {
                    prop_assert_eq!(found, None);
                    continue;
                }
                let truth = truth(&case.running, candidate, case.idle, case.head, case.events);
                let expected = match criterion {
                    Criterion::Probability => truth.probability,
                    Criterion::Bound => truth.bound,
                    Criterion::Seconds => truth.seconds,
                    Criterion::Relative if truth.seconds == 0.0 => 0.0,
                    Criterion::Relative => truth.seconds / truth.head_wait,
                };
                let (delay, exactness) = found.unwrap();
                prop_assert!((delay - expected).abs() < 1e-12 * expected.max(1.0), "{:?}: {} not {}", criterion, delay, expected);
                prop_assert_eq!(exactness, Exactness::Exact);
                prop_assert!(truth.bound <= truth.probability + 1e-12);
            }
        }
    }

    #[test]
    fn small_groups_are_exact_with_the_least_memory(case in case()) {
        let small = PassCapacity { processors: 88, ..limits(case.events, 0) };
        let mut block = Block::new(&small);
        let mut pass = block.pass(&small);
        for (candidate, found) in case.candidates.iter().zip(delays(&mut pass, &case, Criterion::Probability, u64::MAX)) {
            if let Some((delay, exactness)) = found {
                let truth = truth(&case.running, candidate, case.idle, case.head, case.events);
                prop_assert!((delay - truth.probability).abs() < 1e-12);
                prop_assert_eq!(exactness, Exactness::Exact);
            }
        }
    }

    #[test]
    fn a_queue_in_one_pass_is_decided_as_one_by_one(
        case in case(), tau in 0.0f64..0.6, scale in prop_oneof![Just(1.0), Just(20.0)], number in 0u32..4,
        budget in prop_oneof![Just(f64::INFINITY), 0.0f64..0.5], work in prop_oneof![Just(u64::MAX), 1u64..50],
    ) {
        let rule = Rule { criterion: Criterion::from_number(number).unwrap(), threshold: tau * scale, budget, ..Rule::EXACT };
        let limits = limits(case.events, 1 << 14);
        let (mut block, mut other) = (Block::new(&limits), Block::new(&limits));
        let mut queue = block.pass(&limits);
        fill(&mut queue, &case, &case.running, case.idle, &case.candidates);
        loop {
            match queue.decide(&rule, work).unwrap() {
                Step::Accept(index) => queue.commit(index).unwrap(),
                Step::More => (),
                Step::Done => break,
            }
        }
        let (mut running, mut idle, mut spent) = (case.running.clone(), case.idle, 0.0);
        for (index, candidate) in case.candidates.iter().enumerate() {
            let mut single = other.pass(&limits);
            fill(&mut single, &case, &running, idle, std::slice::from_ref(candidate));
            let alone = Rule { budget: rule.budget - spent, ..rule };
            let accepted = match single.decide(&alone, u64::MAX).unwrap() {
                Step::Accept(0) => true,
                Step::Done => false,
                step => panic!("{step:?}"),
            };
            let (ours, theirs) = (queue.judgement(index).unwrap(), single.judgement(0).unwrap());
            let near = (theirs.delay - rule.threshold).abs() < 1e-12 || (theirs.delay - alone.budget).abs() < 1e-12;
            prop_assume!(!near);
            prop_assert_eq!(ours.verdict, theirs.verdict);
            if !case.head_starts() {
                let fits = candidate.processors <= idle;
                prop_assert_eq!(ours.verdict, if fits { Verdict::HeadNever } else { Verdict::DoesNotFit });
                prop_assert_eq!(ours.delay, 0.0);
            } else if accepted {
                prop_assert!((ours.delay - theirs.delay).abs() < 1e-12 * theirs.delay.max(1.0));
                prop_assert_eq!(ours.exactness, Exactness::Exact);
                running.push(Job { age: 0, ..candidate.clone() });
                idle -= candidate.processors;
                spent += theirs.delay;
            } else if candidate.processors <= idle {
                let truth = truth(&running, candidate, idle, case.head, case.events);
                let exact = match rule.criterion {
                    Criterion::Probability => truth.probability,
                    Criterion::Bound => truth.bound,
                    Criterion::Seconds => truth.seconds,
                    Criterion::Relative if truth.seconds == 0.0 => 0.0,
                    Criterion::Relative => truth.seconds / truth.head_wait,
                };
                // "At least" is a lower bound of the truth that reaches the threshold by itself.
                prop_assert!(ours.delay <= exact + 1e-12 * exact.max(1.0));
                let least = if ours.verdict == Verdict::Refused { rule.threshold } else { alone.budget };
                prop_assert!(ours.delay >= least - 1e-12);
            }
        }
        prop_assert_eq!(queue.idle(), idle);
        prop_assert!((queue.spent(rule.criterion) - spent).abs() < 1e-12 * spent.max(1.0));
    }

    #[test]
    fn availability_equals_the_enumeration(case in case(), when in 0i64..40, p in 0.01f64..=1.0) {
        let limits = limits(case.events, 1 << 14);
        let mut block = Block::new(&limits);
        let mut pass = block.pass(&limits);
        fill(&mut pass, &case, &case.running, case.idle, &[]);
        let outcomes = outcomes(&case.running, case.events);
        for processors in 0..30 {
            let free = |list: &[(i64, u32)]| {
                case.idle + list.iter().filter(|e| e.0 <= when).map(|e| e.1).sum::<u32>() >= processors
            };
            let expected: f64 = outcomes.iter().filter(|(_, list)| free(list)).map(|(p, _)| p).sum();
            let found = pass.free_probability(processors, 1_000_000 + when).unwrap();
            prop_assert!((found - expected).abs() < 1e-12);
        }
        match pass.head_start_quantile(p) {
            Ok(start) => {
                let reached = pass.head_start_probability(start).unwrap();
                let before = pass.head_start_probability(start - 1).unwrap();
                prop_assert!(reached >= p - 2e-12 && before < p);
            }
            Err(error) => {
                prop_assert_eq!(error, surefill::error::Error::Never);
                let total: u32 = case.running.iter().map(|job| job.processors).sum();
                prop_assert!(case.idle + total < case.head);
            }
        }
    }
}
