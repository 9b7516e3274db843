//! Probabilistic backfilling against the separately written EASY policy.
//!
//! Real traces are looked for in `SUREFILL_TRACES`, else in `../shared/traces` beside the repository.

use crate::common::demo;
use proptest::prelude::*;
use std::io::Write as _;
use std::path::Path;
use surefill_simulator::replay::calibration::{Backfills, Delays};
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::Outcome;
use surefill_simulator::replay::policy::{Calibrate, Criterion, Delay, Overdue, PolicyOptions, ProbOptions};
use surefill_simulator::trace::swf::{self, Strictness};
use surefill_simulator::trace::workload::{Overrun, Rules, Workload};

fn replay_prob(workload: &Workload, choice: &str, prob: ProbOptions) -> Outcome {
    replay_with(workload, choice, PolicyOptions { prob, ..PolicyOptions::default() })
}

fn replay_with(workload: &Workload, choice: &str, policy: PolicyOptions) -> Outcome {
    let mut options = crate::common::options(choice);
    options.policy = policy;
    let mut policy = options.choice.build(&options.policy).unwrap();
    replay(workload, options.setup("test.swf", workload.procs, 0), &mut *policy, &|_| {}).unwrap()
}

/// Job by job: when it started, and whether that was a backfill.
fn decisions(outcome: &Outcome) -> Vec<(i64, Option<i64>)> {
    outcome.jobs.iter().map(|job| (job.start, job.backfill.map(|backfill| backfill.head))).collect()
}

#[test]
fn with_limits_only_the_decisions_are_those_of_easy() {
    let demo = demo();
    for order in ["fcfs", "sjbf"] {
        let easy = decisions(&crate::common::replay_as(&demo, &format!("easy:limit:{order}")));
        assert!(easy.iter().filter(|(_, head)| head.is_some()).count() > 500, "the demo backfills");
        for (criterion, delay) in [
            (Criterion::Probability, Delay::Exact),
            (Criterion::Probability, Delay::Bound),
            (Criterion::Seconds, Delay::Exact),
            (Criterion::Relative, Delay::Exact),
        ] {
            // Part of a wait may be less than a twentieth of it and yet a second.
            let tau = if criterion == Criterion::Relative { 1e-9 } else { ProbOptions::default().tau };
            let prob = ProbOptions { criterion, delay, tau, ..ProbOptions::default() };
            let ours = replay_prob(&demo, &format!("prob:limit:{order}"), prob);
            assert!(decisions(&ours) == easy, "{order} {criterion:?} {delay:?}");
        }
    }
}

#[test]
fn a_guard_from_the_start_is_easy_job_by_job_whatever_is_predicted() {
    let demo = demo();
    for (choice, easy) in [
        ("prob:mix:fcfs", "easy"),
        ("prob:user:fcfs", "easy"),
        ("prob:limit:sjbf", "easy:limit:sjbf"),
        ("prob:limit:delay", "easy:limit:delay"),
        ("prob:limit:delay-fast", "easy:limit:delay-fast"),
        ("prob:limit:delay-candidates", "easy:limit:delay-candidates"),
    ] {
        let easy = decisions(&crate::common::replay_as(&demo, easy));
        // The delays are judged and charged, but decide nothing.
        let prob = ProbOptions { guard: 0.0, or_easy: true, tau: 0.0, ..ProbOptions::default() };
        assert!(decisions(&replay_prob(&demo, choice, prob)) == easy, "{choice}");
    }
}

#[test]
fn on_whole_traces_as_well() {
    for name in ["CTC-SP2-1996-3.1-cln", "KTH-SP2-1996-2", "SDSC-SP2-1998-4.2-cln", "SDSC-BLUE-2000-4.2-cln"]
    {
        let Some(trace) = archived(name) else { continue };
        for (overrun, overdue) in
            [(Overrun::Keep, Overdue::Soon), (Overrun::Keep, Overdue::Past), (Overrun::Cut, Overdue::Soon)]
        {
            let workload = Workload::new(&trace, &Rules { overrun, ..Rules::default() }).unwrap();
            let decided = |choice: &str| {
                let policy = PolicyOptions { overdue, ..PolicyOptions::default() };
                decisions(&replay_with(&workload, choice, policy))
            };
            assert!(decided("prob:limit") == decided("easy"), "{name} {overrun:?} {overdue:?}");
            if name.starts_with("KTH") {
                assert!(
                    decided("prob:limit:sjbf") == decided("easy:limit:sjbf"),
                    "{name} {overrun:?} {overdue:?}"
                );
            }
        }
    }
}

/// A trace of the archive; `None`, with a line that says so, where there is none.
fn archived(name: &str) -> Option<swf::Trace> {
    let folder = std::env::var_os("SUREFILL_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces"),
        std::path::PathBuf::from,
    );
    let path = folder.join(format!("{name}.swf.gz"));
    if path.exists() {
        return Some(swf::open(&path, Strictness::Strict).unwrap());
    }
    // Not by a macro, whose output the harness keeps to itself.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: no trace {}: set SUREFILL_TRACES to the folder that holds it",
        path.display()
    );
    None
}

#[test]
fn the_papers_rule_of_the_engine_is_the_policys_own_job_by_job() {
    let mut workloads = vec![demo()];
    if let Some(mut trace) = archived("KTH-SP2-1996-2") {
        trace.records.truncate(2000);
        workloads.push(Workload::new(&trace, &Rules::default()).unwrap());
    }
    let papers = ProbOptions::papers;
    let seconds = ProbOptions { criterion: Criterion::Seconds, delay: Delay::Exact, tau: 60.0, ..papers() };
    let cases = [
        ("papers", papers()),
        ("papers:user", papers()),
        ("papers:mix", papers()),
        ("papers:hmm", papers()),
        ("papers:limit", papers()),
        ("papers:clairvoyant", papers()),
        ("papers:mix", ProbOptions { delay: Delay::Exact, events_per_bin: 4, ..papers() }),
        ("papers", seconds.clone()),
        ("papers:user", ProbOptions { criterion: Criterion::Relative, tau: 0.3, ..seconds }),
    ];
    for workload in &workloads {
        for (choice, prob) in &cases {
            // Delays that are to be shown are the policy's own.
            let [own, engine] = [true, false].map(|delays_wanted| {
                let policy = PolicyOptions { prob: prob.clone(), delays_wanted, ..PolicyOptions::default() };
                let mut built = crate::common::options(choice).choice.build(&policy).unwrap();
                assert_eq!(built.predicted_starts(0, &[], 1).is_none(), delays_wanted, "{choice}");
                decisions(&replay_with(workload, choice, policy))
            });
            let passed = own.iter().filter(|(_, head)| head.is_some()).count();
            let differ = own.iter().zip(&engine).filter(|(own, engine)| own != engine).count();
            println!("{choice}, {prob:?}: {passed} of {} pass a head job", own.len());
            assert!(passed > 100, "{choice}: {passed}");
            assert_eq!(differ, 0, "{choice}, {prob:?}: of {} jobs", own.len());
        }
    }
    let unlike = |change: fn(&mut PolicyOptions)| {
        let mut policy = PolicyOptions { prob: papers(), ..PolicyOptions::default() };
        change(&mut policy);
        crate::common::options("papers").choice.build(&policy).unwrap().predicted_starts(0, &[], 1).is_none()
    };
    assert!(unlike(|policy| policy.prob.guard = 0.9) && unlike(|policy| policy.prob.refresh = true));
    assert!(unlike(|policy| policy.prob.calibrate = Calibrate::Report));
    assert!(unlike(|policy| policy.overdue = Overdue::Past) && !unlike(|_| {}));
}

#[test]
fn reported_delays_change_no_decision_and_come_true() {
    let demo = demo();
    for (criterion, tau) in [(Criterion::Probability, 0.2), (Criterion::Seconds, 600.0)] {
        let replayed = |calibrate| {
            let prob = ProbOptions { criterion, tau, calibrate, ..ProbOptions::default() };
            replay_prob(&demo, "prob:mix:sjbf", prob)
        };
        let (plain, reported) = (replayed(Calibrate::Off), replayed(Calibrate::Report));
        assert!(decisions(&plain) == decisions(&reported));
        let off = |outcome: &Outcome| {
            let backfills = outcome.jobs.iter().filter_map(|job| job.backfill.as_ref());
            let delays = Delays::of([&Backfills::of(backfills, criterion)]);
            (delays.observed / delays.predicted).ln().abs()
        };
        assert!(off(&reported) < off(&plain), "{criterion:?}: {} {}", off(&reported), off(&plain));
        assert!(decisions(&replayed(Calibrate::Decide)) != decisions(&plain));
    }
}

#[test]
fn clairvoyant_backfills_delay_no_head() {
    let mut demo = demo();
    // A job of 0 s ends within its second, which no prediction of whole seconds can say.
    demo.jobs.iter_mut().for_each(|job| job.run_time = job.run_time.max(1));
    for criterion in [Criterion::Probability, Criterion::Seconds, Criterion::Relative] {
        let options = ProbOptions { criterion, tau: 1e-9, ..ProbOptions::default() };
        let outcome = replay_prob(&demo, "prob:clairvoyant:sjbf", options);
        let backfills: Vec<_> = outcome.jobs.iter().filter_map(|job| job.backfill).collect();
        assert!(backfills.len() > 500);
        assert!(backfills.iter().all(|b| b.observed_delay == 0 && b.predicted == 0.0), "{criterion:?}");
    }
}

#[test]
fn bins_matter_to_those_that_count_in_them() {
    let whole = demo();
    let mut part = whole.clone();
    part.jobs.truncate(1000);
    let decided = |choice: &str, first_edge_s, ratio| {
        // The hidden models take longer to learn.
        let workload = if choice.contains("hmm") { &whole } else { &part };
        decisions(&replay_prob(
            workload,
            choice,
            ProbOptions { first_edge_s, ratio, ..ProbOptions::default() },
        ))
    };
    for predictor in ["global", "user", "mix", "hmm", "hmm-online"] {
        let choice = format!("prob:{predictor}");
        assert!(decided(&choice, 1.5, 1.8) != decided(&choice, 1.5, 3.0), "{predictor}");
        assert!(decided(&choice, 1.5, 1.8) != decided(&choice, 40.0, 1.8), "{predictor}");
    }
    for choice in ["prob:limit", "prob:clairvoyant"] {
        assert!(decided(choice, 1.5, 1.8) == decided(choice, 40.0, 3.0), "{choice}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_workloads_agree_with_easy_and_clairvoyance_never_delays(workload in crate::common::small_workloads(false)) {
        prop_assert_eq!(
            decisions(&crate::common::replay_as(&workload, "prob:limit")),
            decisions(&crate::common::replay_as(&workload, "easy"))
        );
        let mut longer = workload.clone();
        longer.jobs.iter_mut().for_each(|job| job.run_time = job.run_time.max(1));
        let outcome = crate::common::replay_as(&longer, "prob:clairvoyant");
        prop_assert!(outcome.jobs.iter().filter_map(|job| job.backfill).all(|b| b.observed_delay == 0));
    }
}
