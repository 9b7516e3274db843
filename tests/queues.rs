//! Queues too long for enumeration: the state that a pass keeps from one acceptance to the next, against a pass without
//! any. The oracle judges one candidate at a time, each in a pass of its own.

use proptest::prelude::*;
use surefill::backfill::{Criterion, Exactness, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

#[derive(Debug, Clone)]
struct Job {
    processors: u32,
    age: i64,
    limit: i64,
    /// Weights of the bins; all zero for a job without a prediction.
    counts: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Queue {
    running: Vec<Job>,
    candidates: Vec<Job>,
    idle: u32,
    more: u32,
    events: u32,
    factor: u32,
}

fn job(processors: std::ops::Range<u32>, ages: std::ops::Range<i64>) -> impl Strategy<Value = Job> {
    let counts = prop_oneof![9 => proptest::collection::vec(0u32..9, 12), 1 => Just(vec![0; 12])];
    (processors, ages, prop_oneof![Just(60i64), Just(3600), 20i64..90_000], counts)
        .prop_map(|(processors, age, limit, counts)| Job { processors, age, limit, counts })
}

fn queue() -> impl Strategy<Value = Queue> {
    let running = proptest::collection::vec(job(1..20, 0..20_000), 5..50);
    let candidates = proptest::collection::vec(job(1..12, 0..1), 2..12);
    // A common factor of the running jobs' widths that the candidates may not share.
    (running, candidates, 5u32..60, 1u32..80, 1u32..4, prop_oneof![3 => Just(1u32), 1 => Just(2)]).prop_map(
        |(running, candidates, idle, more, events, factor)| Queue {
            running,
            candidates,
            idle,
            more,
            events,
            factor,
        },
    )
}

impl Queue {
    fn limits(&self) -> PassCapacity {
        let busy: u32 = self.running.iter().map(|job| job.processors * self.factor).sum();
        let head = self.idle + self.more;
        PassCapacity {
            running: 64,
            candidates: 12,
            processors: (busy + self.idle).max(head),
            bins: 12,
            events_per_bin: self.events,
            ..PassCapacity::default()
        }
    }

    fn fill(&self, pass: &mut Pass, started: &[Job], candidates: &[Job]) {
        let idle = self.idle - started.iter().map(|job| job.processors).sum::<u32>();
        pass.begin(0, idle, 1, self.idle + self.more).unwrap();
        let running =
            self.running.iter().map(|job| (job, self.factor)).chain(started.iter().map(|job| (job, 1)));
        for (job, factor) in running {
            pass.add_running(job.processors * factor, job.age, job.limit, &job.distribution()).unwrap();
        }
        for job in candidates {
            pass.add_candidate(job.processors, job.limit, &job.distribution()).unwrap();
        }
    }
}

impl Job {
    fn distribution(&self) -> RuntimeDistribution {
        let bins = RuntimeBins::new(10.0, 2.2, 12).unwrap();
        let counts: Vec<f64> = self.counts.iter().map(|&c| f64::from(c)).collect();
        RuntimeDistribution::from_counts(&bins, &counts).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_between_acceptances_changes_nothing(
        queue in queue(), tau in 0.0f64..0.9, number in 0u32..4, declined in 0usize..20,
        work in prop_oneof![Just(u64::MAX), Just(1u64), 1u64..3000],
    ) {
        let criterion = Criterion::from_number(number).unwrap();
        let scale = if criterion == Criterion::Seconds { 2000.0 } else { 1.0 };
        let rule = Rule { criterion, threshold: tau * scale, budget: f64::INFINITY, ..Rule::EXACT };
        let limits = queue.limits();
        let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
        let mut other = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
        let mut whole = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
        let mut at_once = Pass::init(bytemuck::cast_slice_mut(&mut whole), &limits).unwrap();
        queue.fill(&mut pass, &[], &queue.candidates);
        queue.fill(&mut at_once, &[], &queue.candidates);
        let mut accepted = 0;
        loop {
            match pass.decide(&rule, work).unwrap() {
                Step::Accept(index) => {
                    accepted += 1;
                    prop_assert_eq!(at_once.decide(&rule, u64::MAX).unwrap(), Step::Accept(index));
                    for pass in [&mut pass, &mut at_once] {
                        if accepted == declined { pass.decline(index) } else { pass.commit(index) }.unwrap();
                    }
                }
                Step::More => (),
                Step::Done => break,
            }
        }
        prop_assert_eq!(at_once.decide(&rule, u64::MAX).unwrap(), Step::Done);
        for index in 0..queue.candidates.len() {
            // Bit for bit, for any slices of work.
            prop_assert_eq!(pass.judgement(index).unwrap(), at_once.judgement(index).unwrap());
        }
        let mut started: Vec<Job> = vec![];
        for (index, candidate) in queue.candidates.iter().enumerate() {
            let mut single = Pass::init(bytemuck::cast_slice_mut(&mut other), &limits).unwrap();
            queue.fill(&mut single, &started, std::slice::from_ref(candidate));
            single.decide(&rule, u64::MAX).unwrap();
            let (ours, theirs) = (pass.judgement(index).unwrap(), single.judgement(0).unwrap());
            prop_assume!((theirs.delay - rule.threshold).abs() > 1e-9 * scale);
            let verdict = if ours.verdict == Verdict::Declined { Verdict::Accepted } else { ours.verdict };
            prop_assert_eq!(verdict, theirs.verdict);
            if verdict == Verdict::Accepted {
                prop_assert!((ours.delay - theirs.delay).abs() <= 1e-12 * scale, "{ours:?} {theirs:?}");
                prop_assert_eq!(ours.exactness, theirs.exactness);
            } else if ours.exactness == Exactness::Exact && theirs.exactness == Exactness::Exact {
                prop_assert!((ours.delay - theirs.delay).abs() <= 1e-12 * scale, "{ours:?} {theirs:?}");
            }
            if ours.verdict == Verdict::Accepted {
                started.push(Job { age: 0, ..candidate.clone() });
            }
        }
    }
}
