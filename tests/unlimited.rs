//! A running job without a limit, which the head job does not need, changes no delay.

use proptest::prelude::*;
use surefill::backfill::{Criterion, Judgement, Pass, PassCapacity, Rule, Step};
use surefill::runtime::{MAX_SECONDS, RuntimeBins, RuntimeDistribution};

const LIMITS: PassCapacity = PassCapacity {
    running: 16,
    candidates: 6,
    processors: 4096,
    bins: 12,
    events_per_bin: 3,
    tie_cells: 1 << 14,
};

/// Processors, and counts of the distribution.
type Job = (u32, Vec<f64>);

fn judgements(running: &[Job], candidates: &[Job], missing: u32, limit: i64, rule: &Rule) -> Vec<Judgement> {
    let bins = RuntimeBins::new(30.0, 2.0, 12).unwrap();
    let of = |counts: &[f64]| RuntimeDistribution::from_counts(&bins, counts).unwrap();
    let mut memory = vec![0u64; Pass::size(&LIMITS).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS).unwrap();
    pass.begin(0, 10, 1, 10 + missing).unwrap();
    pass.add_running(3, 5, limit, &RuntimeDistribution::limit()).unwrap();
    for (processors, counts) in running {
        pass.add_running(*processors, 7, 100_000, &of(counts)).unwrap();
    }
    for (processors, counts) in candidates {
        pass.add_candidate(*processors, 50_000, &of(counts)).unwrap();
    }
    // Candidates without a delay are affordable.
    while let Step::Accept(index) = pass.decide(rule, u64::MAX).unwrap() {
        pass.decline(index).unwrap();
    }
    (0..candidates.len()).map(|index| pass.judgement(index).unwrap()).collect()
}

fn job(processors: std::ops::Range<u32>) -> impl Strategy<Value = Job> {
    (processors, proptest::collection::vec(0u32..7, 12))
        .prop_map(|(processors, counts)| (processors, counts.into_iter().map(f64::from).collect()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changes_no_delay(
        running in proptest::collection::vec(job(1..40), 3..14),
        candidates in proptest::collection::vec(job(1..10), 1..6),
        share in 0.1f64..0.9,
        relative in any::<bool>(),
        unmeasured in any::<bool>(),
    ) {
        let busy: u32 = running.iter().map(|job| job.0).sum();
        prop_assume!(busy > 12);
        // Room for the head job beside any candidate, without the job that has no limit.
        let missing = ((f64::from(busy - 10) * share) as u32).max(1);
        let criterion = if relative { Criterion::Relative } else { Criterion::Seconds };
        // No delay is measured further than its verdict needs: none reaches this threshold, and none is affordable.
        let rule = Rule { criterion, threshold: 1e9, budget: 0.0, unmeasured, ..Rule::EXACT };
        let limited = judgements(&running, &candidates, missing, 200_000, &rule);
        let unlimited = judgements(&running, &candidates, missing, MAX_SECONDS, &rule);
        for (one, other) in limited.iter().zip(&unlimited) {
            prop_assert_eq!(one.exactness, other.exactness);
            prop_assert!((one.delay - other.delay).abs() <= 1e-10 * (1.0 + one.delay), "{:?} {:?}", one, other);
        }
    }
}
