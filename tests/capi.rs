//! The numbers, names and defaults of the C interface are the core's. That its functions answer as the core does is
//! tested in `tests/differential`, calls from C in `tests/c`.
#![cfg(feature = "capi")]

use std::ffi::CStr;
use surefill::allocate::{ChoiceOptions, FreeTimePredictor};
use surefill::backfill::{Criterion, Exactness, PassCapacity, Rule, Verdict};
use surefill::capi::*;
use surefill::error::ALL;
use surefill::nodes::{NodePassCapacity, NodesCapacity};
use surefill::runtime::{MAX_BINS, MAX_EVENTS_PER_BIN, MAX_SECONDS};
use surefill::wait::{WaitCapacity, WaitOptions};

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

fn initialised<T>(init: unsafe extern "C" fn(*mut T, i64) -> i32) -> T {
    let mut value = std::mem::MaybeUninit::uninit();
    // SAFETY: the function writes the whole structure.
    unsafe {
        assert_eq!(init(value.as_mut_ptr(), size_of::<T>() as i64), SUREFILL_OK);
        value.assume_init()
    }
}

/// Compares members of a structure, as its init function makes it, with those of the core's default.
macro_rules! same_defaults {
    ($init:ident, $core:ty: $($member:ident),+) => {
        let (c, core) = (initialised($init), <$core>::default());
        $(assert_eq!(c.$member as f64, core.$member as f64, stringify!($init $member));)+
    };
}

#[test]
fn the_defaults_are_the_cores() {
    same_defaults!(surefill_pass_capacity_init, PassCapacity: running, candidates, processors, bins);
    same_defaults!(surefill_pass_capacity_init, PassCapacity: events_per_bin, tie_cells);
    same_defaults!(surefill_rule_init, Rule: threshold, budget, slip, guard);
    same_defaults!(surefill_nodes_capacity_init, NodesCapacity: nodes, classes, resources, jobs, parts);
    same_defaults!(surefill_node_pass_capacity_init, NodePassCapacity: nodes, resources, running);
    same_defaults!(surefill_node_pass_capacity_init, NodePassCapacity: candidates, parts, bins, events_per_bin);
    same_defaults!(surefill_wait_capacity_init, WaitCapacity: history, queued, releases, clusters, neighbours);
    same_defaults!(surefill_wait_options_init, WaitOptions: quantile, confidence, down_quantile, rate);
    same_defaults!(surefill_wait_options_init, WaitOptions: components, recluster_every, oldest_seconds);
    let (options, ours) = (initialised(surefill_wait_options_init), WaitOptions::default());
    assert_eq!(
        [options.method as u32, options.attribute as u32],
        [ours.method as u32, ours.attribute as u32]
    );
    same_defaults!(surefill_choice_options_init, ChoiceOptions: least, weight, least_gain);
    let (options, ours) = (initialised(surefill_choice_options_init), ChoiceOptions::default());
    assert_eq!((options.predictor, ours.predictor), (SUREFILL_WAIT_BY_MEAN, FreeTimePredictor::Mean));
    assert_eq!(options.most, i32::MAX);
}

/// The defaults in C, in Rust and of `predict-wait` and `serve` are one: bounds that follow their misses and the queue,
/// and room for a busy machine's year or so, not for the last three months alone.
#[test]
fn the_default_of_waits_is_the_one_that_holds() {
    let limits = initialised(surefill_wait_capacity_init);
    assert!(limits.history >= 65_536, "16,384 waits are three months of a busy machine");
    let wanted = SUREFILL_COMPONENT_ADAPT | SUREFILL_COMPONENT_VISIBLE;
    assert_eq!(initialised(surefill_wait_options_init).components & wanted, wanted);
}
