//! The C functions called from Rust: their numbers are the core's, and they decide as the core does. Calls
//! from C are tested in `tests/c`.
#![cfg(feature = "capi")]

use proptest::prelude::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use surefill::backfill::{Criterion, Exactness, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::capi::*;
use surefill::error::{ALL, Error};
use surefill::runtime::{
    MAX_BINS, MAX_EVENTS_PER_BIN, MAX_SECONDS, Release, RuntimeBins, RuntimeDistribution,
};

/// A block of this many bytes, aligned to 8.
fn block(bytes: i64) -> Vec<u64> {
    vec![u64::MAX; (bytes as usize).div_ceil(8)]
}

fn length(block: &[u64]) -> i64 {
    size_of_val(block) as i64
}

fn name(status: i32) -> &'static str {
    unsafe { CStr::from_ptr(surefill_status_name(status)) }.to_str().unwrap()
}

#[test]
fn every_status_has_its_constant() {
    let header = include_str!("../include/surefill.h");
    for error in ALL {
        let name = name(error.status());
        assert_eq!(name.as_bytes(), error.name().to_bytes());
        assert!(header.contains(&format!("#define {name} {}\n", error.status())), "{name}");
    }
    let defined = header.lines().filter(|line| line.starts_with("#define SUREFILL_ERROR_")).count();
    assert_eq!(defined, ALL.len());
    assert_eq!((name(0), name(1), name(i32::MIN)), ("SUREFILL_OK", "unknown status", "unknown status"));
}

/// Every constant of these kinds has the name of its identifier, and other numbers have none.
#[test]
fn every_name_is_its_constants() {
    let header = concat!(include_str!("../include/surefill.h"), include_str!("../include/surefill_parts.h"));
    let kinds = [
        ("STEP", SUREFILL_NAME_STEP),
        ("CRITERION", SUREFILL_NAME_CRITERION),
        ("VERDICT", SUREFILL_NAME_VERDICT),
        ("DELAY", SUREFILL_NAME_DELAY),
        ("ANSWER", SUREFILL_NAME_ANSWER),
        ("PREDICTION", SUREFILL_NAME_PREDICTION),
        ("PREDICTOR", SUREFILL_NAME_PREDICTOR),
        ("FIT", SUREFILL_NAME_FIT),
        ("SPREAD", SUREFILL_NAME_SPREAD),
    ];
    for (kind, family) in kinds {
        let name = |number| unsafe { CStr::from_ptr(surefill_name(family, number)) }.to_str().unwrap();
        let prefix = format!("#define SUREFILL_{kind}_");
        let defined = header.lines().filter_map(|line| line.strip_prefix(&prefix)?.split_once(' '));
        let defined: Vec<(i32, String)> = defined
            .map(|(words, number)| (number.parse().unwrap(), words.to_lowercase().replace('_', " ")))
            .collect();
        assert!(defined.len() >= 2, "{kind}");
        for number in -2..20 {
            let own = defined.iter().find(|(own, _)| *own == number).map_or("unknown", |(_, words)| words);
            assert_eq!(name(number), own, "{kind} {number}");
        }
        assert_eq!((name(i32::MIN), name(i32::MAX)), ("unknown", "unknown"));
    }
    let sign =
        |number| unsafe { CStr::from_ptr(surefill_name(SUREFILL_NAME_DELAY_SIGN, number)) }.to_str().unwrap();
    assert_eq!([-1, 0, 1, 2, 3, 4, 5].map(sign), ["unknown", "=", ">=", "<=", "~", "?", "unknown"]);
}

#[test]
fn the_constants_are_the_cores_numbers() {
    use SUREFILL_VERDICT_ACCEPTED as ACCEPTED;
    assert_eq!(SUREFILL_CRITERION_PROBABILITY, Criterion::Probability as i32);
    assert_eq!(SUREFILL_CRITERION_BOUND, Criterion::Bound as i32);
    assert_eq!(SUREFILL_CRITERION_SECONDS, Criterion::Seconds as i32);
    assert_eq!(SUREFILL_CRITERION_RELATIVE, Criterion::Relative as i32);
    assert_eq!((SUREFILL_VERDICT_UNDECIDED, ACCEPTED), (Verdict::Undecided as i32, Verdict::Accepted as i32));
    assert_eq!(SUREFILL_VERDICT_REFUSED, Verdict::Refused as i32);
    assert_eq!(SUREFILL_VERDICT_OVER_BUDGET, Verdict::OverBudget as i32);
    assert_eq!(SUREFILL_VERDICT_DOES_NOT_FIT, Verdict::DoesNotFit as i32);
    assert_eq!(SUREFILL_VERDICT_DECLINED, Verdict::Declined as i32);
    assert_eq!(SUREFILL_VERDICT_GUARDED, Verdict::Guarded as i32);
    assert_eq!(SUREFILL_DELAY_EXACT, Exactness::Exact as i32);
    assert_eq!(SUREFILL_DELAY_AT_LEAST, Exactness::AtLeast as i32);
    assert_eq!(SUREFILL_DELAY_AT_MOST, Exactness::AtMost as i32);
    assert_eq!(SUREFILL_DELAY_ESTIMATE, Exactness::Estimate as i32);
    assert_eq!(SUREFILL_DELAY_NOT_MEASURED, Exactness::NotMeasured as i32);
    assert_eq!(SUREFILL_MAX_BINS as usize, MAX_BINS);
    assert_eq!(SUREFILL_MAX_EVENTS_PER_BIN as usize, MAX_EVENTS_PER_BIN);
    assert_eq!(SUREFILL_MAX_SECONDS, MAX_SECONDS);
}

#[test]
fn every_version_number_is_the_same() {
    let parts: Vec<i32> = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap()).collect();
    assert_eq!(SUREFILL_VERSION_NUMBER, parts[0] * 1_000_000 + parts[1] * 1_000 + parts[2]);
    assert_eq!(surefill_version_number(), SUREFILL_VERSION_NUMBER);
    assert_eq!(surefill_abi_version(), SUREFILL_ABI_VERSION);
    let makefile = include_str!("../Makefile");
    // The Makefile finds both numbers where they are, each on one line.
    let found =
        |text: &str, line: String| assert_eq!(text.lines().filter(|own| **own == line).count(), 1, "{line}");
    assert!(
        makefile.contains(r#"VERSION := $(shell sed -n 's/^version = "\([0-9.]*\)"$$/\1/p' Cargo.toml)"#)
    );
    found(include_str!("../Cargo.toml"), format!("version = \"{}\"", env!("CARGO_PKG_VERSION")));
    assert!(makefile.contains(
        r"sed -n 's/^pub const SUREFILL_ABI_VERSION: i32 = \([0-9]*\);$$/\1/p' src/capi/status.rs"
    ));
    let abi = format!("pub const SUREFILL_ABI_VERSION: i32 = {SUREFILL_ABI_VERSION};");
    found(include_str!("../src/capi/status.rs"), abi);
}

/// Bins and distributions as C makes them.
struct Predicted {
    rust: RuntimeDistribution,
    c: Vec<u64>,
}

impl Predicted {
    fn of(counts: &[u32]) -> Predicted {
        let (mut bins, mut c) = (block(SUREFILL_BINS_SIZE), block(SUREFILL_DISTRIBUTION_SIZE));
        let counts: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
        let (mut handle, mut made) = (null_mut(), null_mut());
        unsafe {
            let status =
                surefill_bins_init(bins.as_mut_ptr().cast(), length(&bins), 2.0, 2.0, 5, &mut handle);
            assert_eq!(status, 0);
            let (memory, room) = (c.as_mut_ptr().cast(), length(&c));
            let status =
                surefill_distribution_init_counts(memory, room, handle, counts.as_ptr(), 5, &mut made);
            assert_eq!(status, 0);
        }
        let bins = RuntimeBins::new(2.0, 2.0, 5).unwrap();
        Predicted { rust: RuntimeDistribution::from_counts(&bins, &counts).unwrap(), c }
    }

    fn handle(&self) -> *const surefill_distribution {
        self.c.as_ptr().cast()
    }
}

#[derive(Debug)]
struct Job {
    processors: i32,
    age: i64,
    limit: i64,
    counts: Vec<u32>,
}

fn job() -> impl Strategy<Value = Job> {
    (1i32..6, 0i64..20, 1i64..60, proptest::collection::vec(0u32..4, 5))
        .prop_map(|(processors, age, limit, counts)| Job { processors, age, limit, counts })
}

/// Outcome of a pass: each candidate's judgement, the idle processors, and the head's median start.
type Outcome = (Vec<(u64, i32, i32)>, i32, Result<i64, i32>);

fn by_the_core(capacity: &PassCapacity, rule: &Rule, running: &[Job], waiting: &[Job]) -> Outcome {
    let mut memory = block(Pass::size(capacity).unwrap() as i64);
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), capacity).unwrap();
    pass.begin(1000, 8, 7, 12).unwrap();
    for job in running {
        let predicted = Predicted::of(&job.counts).rust;
        pass.add_running(job.processors as u32, job.age, job.limit, &predicted).unwrap();
    }
    for job in waiting {
        pass.add_candidate(job.processors as u32, job.limit, &Predicted::of(&job.counts).rust).unwrap();
    }
    while let Step::Accept(index) = pass.decide(rule, u64::MAX).unwrap() {
        pass.commit(index).unwrap();
    }
    let judgements = (0..waiting.len()).map(|i| pass.judgement(i).unwrap());
    let judgements = judgements.map(|j| (j.delay.to_bits(), j.exactness as i32, j.verdict as i32)).collect();
    (judgements, pass.idle() as i32, pass.head_start_quantile(0.5).map_err(Error::status))
}

fn by_c(capacity: &PassCapacity, rule: &Rule, work: i64, running: &[Job], waiting: &[Job]) -> Outcome {
    let capacity = surefill_pass_capacity {
        struct_size: size_of::<surefill_pass_capacity>() as u32,
        running: capacity.running as i32,
        candidates: capacity.candidates as i32,
        processors: capacity.processors as i32,
        bins: capacity.bins as i32,
        events_per_bin: capacity.events_per_bin as i32,
        tie_cells: capacity.tie_cells as i32,
    };
    let rule = surefill_rule {
        struct_size: size_of::<surefill_rule>() as u32,
        criterion: rule.criterion as i32,
        threshold: rule.threshold,
        budget: rule.budget,
        slip: rule.slip,
        guard: rule.guard,
        or_easy: i32::from(rule.or_easy),
        unmeasured: i32::from(rule.unmeasured),
    };
    let (mut size, mut pass) = (0, null_mut());
    unsafe {
        assert_eq!(surefill_pass_size(&capacity, &mut size), 0);
        let mut memory = block(size);
        assert_eq!(surefill_pass_init(memory.as_mut_ptr().cast(), length(&memory), &capacity, &mut pass), 0);
        assert_eq!(surefill_pass_begin(pass, 1000, 8, 7, 12, 0), 0);
        for job in running {
            let (predicted, none) = (Predicted::of(&job.counts), null_mut());
            let (age, limit) = (job.age, job.limit);
            assert_eq!(
                surefill_pass_add_running(pass, job.processors, age, limit, predicted.handle(), none),
                0
            );
        }
        for (i, job) in (0..).zip(waiting) {
            let (predicted, mut index) = (Predicted::of(&job.counts), -1);
            let status =
                surefill_pass_add_candidate(pass, job.processors, job.limit, predicted.handle(), &mut index);
            assert_eq!((status, index), (0, i));
        }
        let (mut step, mut accepted) = (SUREFILL_STEP_MORE, -1);
        while step != SUREFILL_STEP_DONE {
            assert_eq!(surefill_pass_decide(pass, &rule, work, &mut step, &mut accepted), 0);
            if step == SUREFILL_STEP_ACCEPT {
                // The block may be moved between any two calls.
                memory = memory.clone();
                pass = memory.as_mut_ptr().cast();
                assert_eq!(surefill_pass_commit(pass, accepted), 0);
            } else {
                assert_eq!(accepted, -1);
            }
        }
        let judgement = |candidate| {
            let (mut delay, mut exactness, mut verdict) = (0.0, 0, 0);
            let status = surefill_pass_judgement(pass, candidate, &mut delay, &mut exactness, &mut verdict);
            assert_eq!(status, 0);
            (delay.to_bits(), exactness, verdict)
        };
        let judgements = (0..waiting.len() as i32).map(judgement).collect();
        let (mut idle, mut median) = (-1, 0);
        assert_eq!(surefill_pass_idle(pass, &mut idle), 0);
        let status = surefill_pass_head_start_quantile(pass, 0.5, &mut median);
        (judgements, idle, if status == 0 { Ok(median) } else { Err(status) })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c_decides_what_the_core_decides_bit_for_bit(
        running in proptest::collection::vec(job(), 0..8),
        waiting in proptest::collection::vec(job(), 1..6),
        (criterion, threshold, work) in (0u32..4, 0.0f64..2.0, prop_oneof![1i64..100, Just(i64::MAX)]),
    ) {
        let capacity =
            PassCapacity { running: 8, candidates: 6, processors: 100, bins: 5, events_per_bin: 2, tie_cells: 0 };
        let criterion = Criterion::from_number(criterion).unwrap();
        let rule = Rule { criterion, threshold, budget: 3.0, ..Rule::EXACT };
        prop_assert_eq!(
            by_c(&capacity, &rule, work, &running, &waiting),
            by_the_core(&capacity, &rule, &running, &waiting)
        );
    }

    #[test]
    fn a_distribution_comes_back_from_its_block(
        counts in proptest::collection::vec(0u32..4, 5), age in 0i64..40, limit in 0i64..60, events in 1i32..5,
    ) {
        let predicted = Predicted::of(&counts);
        let mut releases = [Release::default(); 25];
        let expected = predicted.rust.remaining(age, limit, events as usize, &mut releases).unwrap();
        let (mut seconds, mut probabilities, mut count) = ([0; 25], [0.0; 25], 0);
        let status = unsafe {
            surefill_distribution_remaining(
                predicted.handle(), age, limit, events,
                seconds.as_mut_ptr(), probabilities.as_mut_ptr(), 25, &mut count,
            )
        };
        prop_assert_eq!((status, count), (0, expected as i32));
        for (release, (second, probability)) in releases[..expected].iter().zip(seconds.iter().zip(probabilities)) {
            prop_assert_eq!((release.after, release.probability), (*second, probability));
        }
        let mut median = 0;
        let status = unsafe { surefill_distribution_quantile(predicted.handle(), 0.5, age, limit, &mut median) };
        prop_assert_eq!((status, median), (0, predicted.rust.quantile(0.5, age, limit).unwrap()));
        // NULL stands for the distribution without any knowledge but the limit.
        let status = unsafe { surefill_distribution_quantile(null(), 0.5, age, limit, &mut median) };
        prop_assert_eq!((status, median), (0, RuntimeDistribution::limit().quantile(0.5, age, limit).unwrap()));
    }
}
