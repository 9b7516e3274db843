//! The pass as its callers know it: memory, order of calls, state that survives from pass to pass.

use surefill::backfill::{
    Criterion, Exactness, HEADS_KEPT, Judgement, Pass, PassCapacity, Rule, Step, Verdict,
};
use surefill::error::Error;
use surefill::runtime::{MAX_BINS, RuntimeBins, RuntimeDistribution};

fn limits() -> PassCapacity {
    PassCapacity {
        running: 4,
        candidates: 3,
        processors: 100,
        bins: 24,
        events_per_bin: 2,
        tie_cells: 1 << 10,
    }
}

fn memory(limits: &PassCapacity) -> Vec<u64> {
    vec![0; Pass::size(limits).unwrap().div_ceil(8)]
}

const LIMIT: RuntimeDistribution = RuntimeDistribution::limit();

#[test]
fn memory_follows_the_documented_formula() {
    for (running, candidates) in [(0, 0), (1, 1), (60, 20), (1000, 1000), (20_000, 3)] {
        for processors in [1, 128, 10_000, 1 << 20] {
            for (bins, events_per_bin) in [(1, 1), (24, 1), (MAX_BINS as u32, 16)] {
                let tie_cells = (4 * processors + 20).max(1 << 14);
                let limits =
                    PassCapacity { running, candidates, processors, bins, events_per_bin, tie_cells };
                let size = Pass::size(&limits).unwrap() as f64;
                let (r, q, p) = (f64::from(running), f64::from(candidates), f64::from(processors));
                let be = f64::from(bins * events_per_bin);
                let e = (r + q) * be;
                let most = 54.0 * e
                    + 8.0 * (q + 1.0) * be
                    + 8.0 * p * (e.max(1.0).log2() + 12.0)
                    + 8.0 * f64::from(tie_cells)
                    + 72.0 * r
                    + 140.0 * q
                    + 4096.0;
                assert!(size <= most && size >= 0.85 * (most - 4096.0), "{limits:?}: {size}, formula {most}");
            }
        }
    }
}

#[test]
fn refuses_limits_and_memory_that_make_no_pass() {
    let bad = [
        PassCapacity { processors: 0, ..limits() },
        PassCapacity { processors: (1 << 24) + 1, ..limits() },
        PassCapacity { bins: 0, ..limits() },
        PassCapacity { bins: MAX_BINS as u32 + 1, ..limits() },
        PassCapacity { events_per_bin: 0, ..limits() },
        PassCapacity { events_per_bin: 17, ..limits() },
        PassCapacity { running: u32::MAX, ..limits() },
        PassCapacity { candidates: u32::MAX, ..limits() },
        PassCapacity { tie_cells: u32::MAX, ..limits() },
    ];
    for limits in bad {
        assert_eq!(Pass::size(&limits), Err(Error::OutOfRange), "{limits:?}");
    }
    let mut memory = memory(&limits());
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    let size = Pass::size(&limits()).unwrap();
    assert_eq!(Pass::init(&mut bytes[..size - 1], &limits()).err(), Some(Error::TooSmall));
    assert_eq!(Pass::attach(bytes).err(), Some(Error::WrongObject));
    Pass::init(bytes, &limits()).unwrap();
    assert!(Pass::attach(bytes).is_ok());
    assert_eq!(Pass::attach(&mut bytes[..size - 8]).err(), Some(Error::TooSmall));
    assert_eq!(Pass::attach(&mut bytes[..16]).err(), Some(Error::TooSmall));
    bytes[12] ^= 1; // the layout version
    assert_eq!(Pass::attach(bytes).err(), Some(Error::WrongVersion));
    bytes[12] ^= 1;
    bytes[16] ^= 1; // the size
    assert_eq!(Pass::attach(bytes).err(), Some(Error::Corrupt));
}

#[test]
fn calls_out_of_order_and_out_of_range_are_refused() {
    let limits = limits();
    let mut memory = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let rule = Rule::EXACT;
    assert_eq!(pass.add_running(1, 0, 10, &LIMIT), Err(Error::WrongState));
    assert_eq!(pass.decide(&rule, 1), Err(Error::WrongState));
    assert_eq!(pass.head_start_quantile(0.5), Err(Error::WrongState));
    assert_eq!(pass.commit(0), Err(Error::WrongState));
    assert_eq!(pass.begin(0, 10, 1, 10), Err(Error::HeadFits));
    assert_eq!(pass.begin(0, 10, 1, 101), Err(Error::TooManyProcessors));
    assert_eq!(pass.begin(i64::MIN, 10, 1, 50), Err(Error::OutOfRange));
    pass.begin(0, 10, 1, 50).unwrap();
    assert_eq!(pass.add_running(0, 0, 10, &LIMIT), Err(Error::OutOfRange));
    assert_eq!(pass.add_running(91, 0, 10, &LIMIT), Err(Error::Overfull));
    assert_eq!(pass.add_running(101, 0, 10, &LIMIT), Err(Error::TooManyProcessors));
    assert_eq!(pass.add_running(1, 0, i64::MAX, &LIMIT), Err(Error::SpanTooLong));
    assert_eq!(pass.add_candidate(101, 10, &LIMIT), Err(Error::TooManyProcessors));
    assert_eq!(pass.add_running(1, -1, 10, &LIMIT), Err(Error::OutOfRange));
    let fine = RuntimeBins::new(1.0, 1.2, 40).unwrap();
    let fine = RuntimeDistribution::from_counts(&fine, &[1.0; 40]).unwrap();
    assert_eq!(pass.add_running(1, 0, 10, &fine), Err(Error::Full));
    for _ in 0..4 {
        pass.add_running(20, 0, 100, &LIMIT).unwrap();
    }
    assert_eq!(pass.add_running(1, 0, 10, &LIMIT), Err(Error::Full));
    for _ in 0..3 {
        pass.add_candidate(4, 50, &LIMIT).unwrap();
    }
    assert_eq!(pass.add_candidate(4, 50, &LIMIT), Err(Error::Full));
    assert_eq!(pass.judgement(3), Err(Error::NoSuchIndex));
    let bad = |threshold, budget| Rule { threshold, budget, ..Rule::EXACT };
    assert_eq!(pass.decide(&bad(f64::NAN, 1.0), 1), Err(Error::NotANumber));
    assert_eq!(pass.decide(&bad(0.1, f64::NAN), 1), Err(Error::NotANumber));
    assert_eq!(pass.decide(&bad(-0.1, 1.0), 1), Err(Error::OutOfRange));
    assert_eq!(pass.decide(&rule, u64::MAX), Ok(Step::Accept(0)));
    assert_eq!(pass.decide(&rule, u64::MAX), Err(Error::WrongState));
    assert_eq!(pass.commit(1), Err(Error::NoSuchIndex));
    pass.commit(0).unwrap();
    assert_eq!(pass.commit(0), Err(Error::WrongState));
    assert_eq!(pass.add_candidate(4, 50, &LIMIT), Err(Error::WrongState));
    assert_eq!(pass.decide(&rule, u64::MAX), Ok(Step::Accept(1)));
    pass.decline(1).unwrap();
    assert_eq!(pass.decide(&rule, u64::MAX), Ok(Step::Accept(2)));
    pass.commit(2).unwrap();
    assert_eq!(pass.decide(&rule, u64::MAX), Ok(Step::Done));
    assert_eq!(pass.idle(), 2);
    assert_eq!(pass.judgement(1).unwrap().verdict, Verdict::Declined);
}

#[test]
fn the_rule_may_not_change_in_the_middle() {
    let limits = limits();
    let mut memory = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    pass.begin(0, 10, 1, 50).unwrap();
    let bins = RuntimeBins::default();
    let some = RuntimeDistribution::from_counts(&bins, &[1.0; 24]).unwrap();
    for _ in 0..4 {
        pass.add_running(20, 5, 5000, &some).unwrap();
    }
    pass.add_candidate(4, 5000, &some).unwrap();
    let other = Rule { threshold: 0.5, ..Rule::EXACT };
    assert_eq!(pass.decide(&Rule::EXACT, 1), Ok(Step::More));
    assert_eq!(pass.decide(&other, 1), Err(Error::WrongState));
    while pass.decide(&Rule::EXACT, 1).unwrap() == Step::More {}
    assert_ne!(pass.judgement(0).unwrap().verdict, Verdict::Undecided);
}

/// A head job that waits for one of two jobs, and a candidate that takes the place of the other half of the time.
fn spend(pass: &mut Pass, head: i64, rule: &Rule) -> Verdict {
    pass.begin(0, 10, head, 40).unwrap();
    let bins = RuntimeBins::new(10.0, 10.0, 3).unwrap();
    let even = RuntimeDistribution::from_counts(&bins, &[1.0, 1.0, 0.0]).unwrap();
    pass.add_running(30, 0, 1000, &even).unwrap();
    pass.add_candidate(10, 50, &LIMIT).unwrap();
    while let Step::Accept(index) = pass.decide(rule, u64::MAX).unwrap() {
        pass.commit(index).unwrap();
    }
    let judgement = pass.judgement(0).unwrap();
    assert_eq!((judgement.delay, judgement.exactness), (0.5, Exactness::Exact));
    judgement.verdict
}

#[test]
fn accepted_risk_adds_up_for_one_head_and_can_be_capped() {
    let limits = PassCapacity { events_per_bin: 1, ..limits() };
    let mut block = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
    let rule = Rule { threshold: 0.6, budget: 1.2, ..Rule::EXACT };
    assert_eq!(spend(&mut pass, 7, &rule), Verdict::Accepted);
    assert_eq!(spend(&mut pass, 7, &rule), Verdict::Accepted);
    assert_eq!(pass.spent(Criterion::Probability), 1.0);
    assert_eq!(pass.spent(Criterion::Seconds), 0.0);
    assert_eq!(spend(&mut pass, 7, &rule), Verdict::OverBudget);
    assert_eq!(pass.spent(Criterion::Probability), 1.0);

    // Another block goes on from there; another head starts from 0.
    let (head, spent) = pass.spent_on();
    let mut other = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut other), &limits).unwrap();
    assert_eq!(pass.restore_spent(7, [f64::NAN; 4]), Err(Error::NotANumber));
    pass.restore_spent(head, spent).unwrap();
    assert_eq!(pass.decide(&rule, 1), Err(Error::WrongState));
    assert_eq!(spend(&mut pass, 7, &rule), Verdict::OverBudget);
    assert_eq!(spend(&mut pass, 8, &rule), Verdict::Accepted);
    assert_eq!(pass.spent(Criterion::Probability), 0.5);
}

/// The head job changes from A to B and back: the delay spent on A is not lost, for as many other heads as are kept.
#[test]
fn risk_spent_on_a_head_survives_others() {
    let limits = PassCapacity { events_per_bin: 1, ..limits() };
    let mut block = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
    let rule = Rule { threshold: 0.6, budget: 1.2, ..Rule::EXACT };
    for _ in 0..2 {
        assert_eq!(spend(&mut pass, 7, &rule), Verdict::Accepted);
        assert_eq!(spend(&mut pass, 8, &rule), Verdict::Accepted);
    }
    assert_eq!(spend(&mut pass, 7, &rule), Verdict::OverBudget);
    assert_eq!(pass.spent(Criterion::Probability), 1.0);
    assert_eq!(spend(&mut pass, 8, &rule), Verdict::OverBudget);
    // Heads on which nothing is spent take no place, however many there are.
    for head in 100..200 {
        pass.begin(0, 10, head, 40).unwrap();
        assert_eq!(pass.spent(Criterion::Probability), 0.0);
    }
    // The oldest account leaves for one head too many.
    for head in 20..20 + HEADS_KEPT as i64 - 1 {
        assert_eq!(spend(&mut pass, head, &rule), Verdict::Accepted);
    }
    assert_eq!(spend(&mut pass, 8, &rule), Verdict::OverBudget);
    assert_eq!(spend(&mut pass, 7, &rule), Verdict::Accepted);
    assert_eq!(pass.spent(Criterion::Probability), 0.5);
}

/// Where a verdict did not need the delay, the 0 reported is no delay: here the true one is 900 s.
#[test]
fn what_the_limits_decide_is_not_measured() {
    let mut memory = memory(&limits());
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits()).unwrap();
    let rule = Rule { criterion: Criterion::Seconds, threshold: 1e9, ..Rule::EXACT };
    for (guard, expected) in [
        (0.0, (0.0, Exactness::NotMeasured, Verdict::Guarded)),
        (f64::INFINITY, (900.0, Exactness::Exact, Verdict::Accepted)),
    ] {
        pass.begin(0, 2, 1, 4).unwrap();
        pass.add_running(2, 0, 100, &LIMIT).unwrap();
        pass.add_candidate(2, 1000, &LIMIT).unwrap();
        pass.add_candidate(3, 1, &LIMIT).unwrap();
        pass.decide(&Rule { guard, ..rule }, u64::MAX).unwrap();
        let found = pass.judgement(0).unwrap();
        assert_eq!((found.delay, found.exactness, found.verdict), expected);
        assert_eq!(pass.judgement(1).unwrap().exactness, Exactness::NotMeasured);
    }
}

/// Neither budget nor slip, though both are spent, holds up a candidate that ends before the head job could start.
#[test]
fn what_delays_nothing_is_within_every_cap() {
    let mut memory = memory(&limits());
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits()).unwrap();
    pass.restore_spent(1, [1e6; 4]).unwrap();
    pass.begin(0, 2, 1, 4).unwrap();
    pass.add_running(2, 0, 100, &LIMIT).unwrap();
    pass.add_candidate(2, 50, &LIMIT).unwrap();
    pass.add_candidate(2, 101, &LIMIT).unwrap();
    let rule = Rule { criterion: Criterion::Seconds, threshold: 1e9, ..Rule::EXACT };
    for caps in [Rule { budget: 5.0, ..rule }, Rule { slip: 0.1, ..rule }] {
        assert_eq!(pass.decide(&caps, u64::MAX), Ok(Step::Accept(0)));
        pass.decline(0).unwrap();
        assert_eq!(pass.decide(&caps, u64::MAX), Ok(Step::Done));
        assert_eq!(pass.judgement(1).unwrap().verdict, Verdict::OverBudget);
        pass.begin(0, 2, 1, 4).unwrap();
        pass.add_running(2, 0, 100, &LIMIT).unwrap();
        pass.add_candidate(2, 50, &LIMIT).unwrap();
        pass.add_candidate(2, 101, &LIMIT).unwrap();
    }
}

#[test]
fn a_threshold_of_zero_accepts_nothing() {
    let limits = limits();
    let mut memory = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    for criterion in [Criterion::Probability, Criterion::Bound, Criterion::Seconds, Criterion::Relative] {
        pass.begin(0, 10, 1, 50).unwrap();
        pass.add_running(80, 0, 1000, &LIMIT).unwrap();
        pass.add_candidate(1, 5, &LIMIT).unwrap();
        let rule = Rule { criterion, threshold: 0.0, budget: f64::INFINITY, ..Rule::EXACT };
        assert_eq!(pass.decide(&rule, u64::MAX), Ok(Step::Done));
        assert_eq!(pass.judgement(0).unwrap().verdict, Verdict::Refused);
    }
}

/// Many running jobs that end in one second by their limits, and a candidate that fits the processors left over then.
fn left_over_beside_a_crowd(
    processors: u32,
    tie_cells: u32,
    idle: u32,
    head: u32,
    widths: &[u32],
    wide: u32,
) {
    let limits =
        PassCapacity { running: widths.len() as u32, processors, tie_cells, candidates: 1, ..limits() };
    let mut memory = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    pass.begin(0, idle, 1, head).unwrap();
    for &width in widths {
        pass.add_running(width, 0, 3600, &LIMIT).unwrap();
    }
    pass.add_candidate(wide, 100_000, &LIMIT).unwrap();
    assert_eq!(pass.decide(&Rule::EXACT, u64::MAX), Ok(Step::Accept(0)));
    let judgement = pass.judgement(0).unwrap();
    assert_eq!((judgement.delay, judgement.exactness), (0.0, Exactness::Exact));
}

#[test]
fn jobs_that_end_for_certain_are_never_too_many_to_be_exact() {
    left_over_beside_a_crowd(200, 0, 40, 100, &[1; 160], 40);
    let widths: Vec<u32> = (0..800).map(|i| 9 + i % 2).collect();
    left_over_beside_a_crowd(10_000, 1 << 14, 2000, 4000, &widths, 2000);
}

#[test]
fn a_head_that_cannot_start_is_said_and_nobody_is_accepted_for_it() {
    let limits = PassCapacity { candidates: 1000, processors: 10_000, ..limits() };
    let mut memory = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    pass.begin(0, 5000, 1, 10_000).unwrap();
    assert_eq!(pass.decide(&Rule::EXACT, 1), Ok(Step::Done));
    pass.begin(0, 5000, 1, 10_000).unwrap();
    let some = RuntimeDistribution::from_counts(&RuntimeBins::default(), &[1.0; 24]).unwrap();
    for _ in 0..1000 {
        pass.add_candidate(1, 100_000, &some).unwrap();
    }
    // Not by any rule, EASY's among them.
    let easy = Rule { guard: 0.0, or_easy: true, ..Rule::DELAY };
    for rule in [Rule::EXACT, Rule::DELAY, easy] {
        assert_eq!(pass.decide(&rule, 1), Ok(Step::Done));
        for index in 0..1000 {
            let judgement = pass.judgement(index).unwrap();
            let expected =
                Judgement { delay: 0.0, exactness: Exactness::NotMeasured, verdict: Verdict::HeadNever };
            assert_eq!(judgement, expected);
        }
    }
    assert_eq!(pass.head_start_quantile(0.5), Err(Error::Never));
}

#[test]
fn a_large_array_with_one_distribution_is_bounded_in_bounded_work() {
    let limits = PassCapacity { running: 1000, processors: 10_000, events_per_bin: 1, ..limits() };
    let mut memory = memory(&limits);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let some = RuntimeDistribution::from_counts(&RuntimeBins::default(), &[1.0; 24]).unwrap();
    pass.begin(0, 500, 1, 4000).unwrap();
    for i in 0..1000 {
        pass.add_running(6 + i % 3, 100, 500_000, &some).unwrap();
    }
    pass.add_candidate(400, 500_000, &some).unwrap();
    pass.add_candidate(1, 5, &LIMIT).unwrap();
    let mut steps = 0;
    let accepted = loop {
        match pass.decide(&Rule::EXACT, 1000).unwrap() {
            Step::More => steps += 1,
            step => break step,
        }
    };
    assert!(steps > 0);
    assert_eq!(accepted, Step::Accept(1), "too short to meet the first release");
    assert_eq!(pass.judgement(0).unwrap().verdict, Verdict::Refused);
}
