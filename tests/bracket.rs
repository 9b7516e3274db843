//! Verdicts from brackets are those of the exact walk, and the delays they report bound the exact ones.

use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use surefill::backfill::{Criterion, Exactness, Judgement, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

#[derive(Debug, Clone)]
struct Job {
    processors: u32,
    age: i64,
    limit: i64,
    counts: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Queue {
    running: Vec<Job>,
    candidates: Vec<Job>,
    idle: u32,
    missing: u32,
}

const LIMITS: PassCapacity = PassCapacity {
    running: 64,
    candidates: 12,
    processors: 1 << 18,
    bins: 12,
    events_per_bin: 2,
    tie_cells: 1 << 14,
};

/// Widths over five decades, some of them multiples of a node's processors.
fn job(ages: std::ops::Range<i64>) -> impl Strategy<Value = Job> {
    let processors =
        prop_oneof![1u32..20, 1u32..1_000, 1u32..4_000, (1u32..30).prop_map(|nodes| 128 * nodes)];
    let counts = prop_oneof![4 => proptest::collection::vec(0u32..5, 12), 1 => Just(vec![0; 12])];
    (processors, ages, prop_oneof![Just(600i64), Just(3_600), 1i64..40_000], counts).prop_map(
        |(processors, age, limit, counts)| {
            let counts = counts.into_iter().map(f64::from).collect();
            Job { processors, age, limit, counts }
        },
    )
}

/// Widths of the machine as drawn, or a hundredth of them.
fn queue() -> impl Strategy<Value = Queue> {
    let running = proptest::collection::vec(job(0..5_000), 2..60);
    let candidates = proptest::collection::vec(job(0..1), 1..12);
    let scale = prop_oneof![Just(1), Just(100)];
    (running, candidates, 1u32..30_000, 0.02f64..1.0, scale).prop_map(
        |(running, candidates, idle, share, scale)| {
            let narrow = |jobs: Vec<Job>| -> Vec<Job> {
                jobs.into_iter()
                    .map(|job| Job { processors: job.processors.div_ceil(scale), ..job })
                    .collect()
            };
            let (running, candidates, idle) = (narrow(running), narrow(candidates), idle.div_ceil(scale));
            let busy: u32 = running.iter().map(|job| job.processors).sum();
            let missing = ((f64::from(busy) * share) as u32).max(1);
            Queue { running, candidates, idle, missing }
        },
    )
}

/// The candidates accepted, with the head job's start at its quartiles then, and the judgements.
type Decided = (Vec<(usize, [i64; 3])>, Vec<(usize, Judgement)>);

fn decide(queue: &Queue, rule: &Rule, work: u64, memory: &mut [u64]) -> Decided {
    let bins = RuntimeBins::new(30.0, 2.0, 12).unwrap();
    let prediction = |job: &Job| RuntimeDistribution::from_counts(&bins, &job.counts).unwrap();
    let mut pass = Pass::init(bytemuck::cast_slice_mut(memory), &LIMITS).unwrap();
    pass.begin(0, queue.idle, 1, queue.idle + queue.missing).unwrap();
    for job in &queue.running {
        pass.add_running(job.processors, job.age, job.limit, &prediction(job)).unwrap();
    }
    for job in &queue.candidates {
        pass.add_candidate(job.processors, job.limit, &prediction(job)).unwrap();
    }
    let (mut accepted, mut judged) = (Vec::new(), Vec::new());
    loop {
        match pass.decide(rule, work).unwrap() {
            Step::Accept(index) => {
                // All those before it are refused for good, and those behind it judged anew.
                let first = accepted.last().map_or(0, |(last, _)| last + 1);
                judged.extend((first..=index).map(|index| (index, pass.judgement(index).unwrap())));
                pass.commit(index).unwrap();
                let mut starts = [0; 3];
                while !pass.head_start_quantiles(&[0.25, 0.5, 0.75], &mut starts, work).unwrap() {}
                accepted.push((index, starts));
            }
            Step::More => (),
            Step::Done => break,
        }
    }
    let first = accepted.last().map_or(0, |(last, _)| last + 1);
    judged.extend((first..queue.candidates.len()).map(|index| (index, pass.judgement(index).unwrap())));
    (accepted, judged)
}

/// Delays accepted by a bound, and refused by one.
static BOUNDED: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

fn same_decisions(queue: &Queue, rule: &Rule, work: u64, memory: &mut [u64]) -> Result<(), TestCaseError> {
    let measured = Rule { unmeasured: false, ..*rule };
    let (steps, exact) = decide(queue, &measured, u64::MAX, memory);
    let (others, brackets) = decide(queue, rule, work, memory);
    prop_assert_eq!(steps, others);
    for ((_, exact), (_, bracket)) in exact.iter().zip(&brackets) {
        prop_assert_eq!(exact.verdict, bracket.verdict);
        let close = 1e-9 * (1.0 + exact.delay);
        match (bracket.exactness, bracket.verdict) {
            (Exactness::AtMost, verdict) => {
                prop_assert_eq!(verdict, Verdict::Accepted);
                prop_assert!(exact.delay <= bracket.delay + close && bracket.delay < rule.threshold);
                BOUNDED[0].fetch_add(1, Ordering::Relaxed);
            }
            (Exactness::AtLeast, Verdict::Refused) => {
                // A delay that the exact walk refuses early is itself only a lower bound.
                prop_assert!(bracket.delay >= rule.threshold);
                prop_assert!(exact.exactness == Exactness::AtLeast || bracket.delay <= exact.delay + close);
                BOUNDED[1].fetch_add(1, Ordering::Relaxed);
            }
            _ => (),
        }
    }
    Ok(())
}

/// Random passes: `SUREFILL_BRACKET_CASES`, or few of them.
fn cases() -> u32 {
    std::env::var("SUREFILL_BRACKET_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(250)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Also where a threshold lies a millionth beside a candidate's delay, and where the work is done in slices.
    fn decisions(
        queue in queue(), (seconds, or_easy) in any::<(bool, bool)>(), tau in 0.01f64..0.6, near in any::<prop::sample::Index>(),
        beside in prop_oneof![Just(None), (-1.0f64..1.0).prop_map(Some)],
        work in prop_oneof![Just(u64::MAX), 1u64..20_000],
    ) {
        let mut memory = vec![0u64; Pass::size(&LIMITS).unwrap().div_ceil(8)];
        let criterion = if seconds { Criterion::Seconds } else { Criterion::Relative };
        let threshold = if seconds { 1_000.0 * tau } else { tau };
        let mut rule = Rule { criterion, threshold, or_easy, unmeasured: true, ..Rule::EXACT };
        if let Some(beside) = beside {
            let (_, judged) = decide(&queue, &Rule { unmeasured: false, ..rule }, u64::MAX, &mut memory);
            let delay = near.get(&judged).1.delay;
            rule.threshold = (delay * (1.0 + 1e-6 * beside)).max(0.0);
        }
        same_decisions(&queue, &rule, work, &mut memory)?;
    }
}

#[test]
fn brackets_decide_as_walks_do() {
    decisions();
    let [accepted, refused] = &BOUNDED;
    assert!(accepted.load(Ordering::Relaxed) > 50 && refused.load(Ordering::Relaxed) > 50, "{BOUNDED:?}");
}

/// Whatever byte of a pass is damaged while brackets are in use, it goes on or returns an error, and comes to an
/// end.
#[test]
fn a_damaged_pass_ends() {
    // With exact rows, and with coarse ones.
    for (scale, step, least) in [(1, 3, 1_600), (5, 24, 190)] {
        let ended = damaged_passes(scale, step);
        assert!(ended > least, "{ended}");
    }
}

/// Damages every `step`th byte of a pass with jobs of `scale` times the widths; returns the number of passes that could
/// go on.
fn damaged_passes(scale: u32, step: usize) -> u32 {
    // Odd widths, so that no unit is left that would make a coarse row an exact one.
    let processors = 8192 * scale;
    let limits = PassCapacity { running: 24, candidates: 6, processors, events_per_bin: 1, ..LIMITS };
    let bins = RuntimeBins::new(30.0, 2.0, 12).unwrap();
    let predicted = RuntimeDistribution::from_counts(&bins, &[1.0; 12]).unwrap();
    let rule = Rule { unmeasured: true, ..Rule::DELAY };
    let mut memory = vec![0u64; Pass::size(&limits).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    pass.begin(0, 1_500 * scale, 1, 6_500 * scale).unwrap();
    for index in 0..20 {
        pass.add_running(scale * (200 + 13 * index) + index % 2, i64::from(100 * index), 20_000, &predicted)
            .unwrap();
    }
    for index in 0..6 {
        pass.add_candidate(scale * (100 + 77 * index), 30_000, &predicted).unwrap();
    }
    // Some slices into the first walk.
    let mut ended = 0;
    for slices in [1, 8] {
        for _ in 0..slices {
            let mut pass = Pass::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
            assert_eq!(pass.decide(&rule, 400).unwrap(), Step::More);
        }
        let whole = memory.clone();
        // Other bytes after eight slices than after one.
        for byte in (slices..2_048).step_by(step) {
            for damage in [0x80, 0xff] {
                memory.copy_from_slice(&whole);
                bytemuck::cast_slice_mut::<u64, u8>(&mut memory)[byte] ^= damage;
                let Ok(mut pass) = Pass::attach(bytemuck::cast_slice_mut(&mut memory)) else { continue };
                for _ in 0..10_000 {
                    match pass.decide(&rule, 100_000) {
                        Ok(Step::More) => (),
                        Ok(Step::Accept(index)) if pass.commit(index).is_ok() => (),
                        _ => break,
                    }
                }
                ended += 1;
            }
        }
        memory.copy_from_slice(&whole);
    }
    ended
}
