//! Bytes as a trace, plain or gzip, read leniently and strictly; then its first jobs are replayed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::Outcome;
use surefill_simulator::replay::policy::{Choice, PolicyOptions};
use surefill_simulator::replay::run::Options;
use surefill_simulator::replay::setup::Setup;
use surefill_simulator::trace::nodes::Machine;
use surefill_simulator::trace::swf::{Error, MAX_VALUE, Strictness, Trace, read};
use surefill_simulator::trace::workload::{Overrun, Rules, Width, Workload};

/// Enough for a queue, a backfill and what follows from it.
const JOBS: usize = 12;

/// A larger machine takes more memory, nothing else.
const PROCESSORS: u32 = 256;

fuzz_target!(|bytes: &[u8]| {
    let lenient = read(bytes, "fuzz.swf", Strictness::Lenient);
    let strict = read(bytes, "fuzz.swf", Strictness::Strict);
    let trace = match (lenient, strict) {
        (Ok(lenient), Ok(strict)) => {
            assert!(lenient.problems.is_empty());
            assert_eq!(format!("{:?}", lenient.records), format!("{:?}", strict.records));
            lenient
        }
        (Ok(lenient), Err(Error::Line { line, reason, .. })) => {
            assert_eq!((lenient.problems[0].line, &lenient.problems[0].reason), (line, &reason));
            lenient
        }
        // A file that cannot be read to its end is an error for both, unless a wrong line comes first.
        (Err(Error::Read { .. }), Err(Error::Read { .. } | Error::Line { .. })) => return,
        (lenient, strict) => panic!("leniently {lenient:?}, strictly {strict:?}"),
    };
    check(&trace);
    on_nodes(&trace);
    for overrun in [Overrun::Keep, Overrun::Cut, Overrun::Raise] {
        let procs = trace.header.max_procs.or(trace.header.max_nodes).map(|procs| procs.min(PROCESSORS));
        let rules = Rules { overrun, procs, limit_jobs: Some(JOBS), ..Rules::default() };
        let Ok(workload) = Workload::new(&trace, &rules) else { continue };
        let easy = replayed(&workload, &rules, "easy");
        // A policy that knows nothing but the limits decides like EASY.
        assert_eq!(starts(&replayed(&workload, &rules, "prob:limit")), starts(&easy));
        let backfills = replayed(&workload, &rules, "prob:user:sjbf");
        for backfill in backfills.jobs.iter().filter_map(|job| job.backfill) {
            assert!((0.0..1.0).contains(&backfill.predicted), "{backfill:?}");
        }
    }
});

/// On a machine of nodes every job that is kept can be held, and has what it asks for where it lies.
fn on_nodes(trace: &Trace) {
    let machine: Machine = "4x(cores=8,mem=16G,gpu=2,T4)+2x(cores=16,mem=64G,V100)".parse().unwrap();
    let nodes = Some(Arc::new(machine));
    // Predictors with memories of their own would take nearly all of the time.
    let choices =
        [(Width::Cores, "easy"), (Width::Scarcest, "prob:limit:fcfs:exact"), (Width::Cores, "fair:limit")];
    for (width, choice) in choices {
        let rules = Rules { nodes: nodes.clone(), width, limit_jobs: Some(JOBS), ..Rules::default() };
        let Ok(workload) = Workload::new(trace, &rules) else { return };
        let choice: Choice = choice.parse().unwrap();
        let order = Some(choice.order(&PolicyOptions::default()));
        let options = choice.options(&PolicyOptions { order, ..PolicyOptions::default() });
        let mut policy = choice.build_on_nodes(&options, &workload).unwrap();
        let outcome = replay(&workload, Setup::default(), &mut *policy, &|_| {}).unwrap();
        assert_eq!(outcome.jobs.len(), workload.jobs.len());
        let used = outcome.nodes.unwrap();
        let shares =
            used.used.iter().map(|(_, share)| *share).chain([used.waiting_share, used.fragmented_share]);
        assert!(shares.into_iter().all(|share| (0.0..=1.0 + 1e-9).contains(&share)));
    }
}

/// Promises of a trace.
fn check(trace: &Trace) {
    assert!(trace.records.is_sorted_by_key(|record| record.submit));
    assert!(trace.problems.is_sorted_by_key(|problem| problem.line));
    for record in &trace.records {
        assert!((0..=MAX_VALUE).contains(&record.submit));
        assert!(record.run_time.abs() <= MAX_VALUE && record.requested_time.abs() <= MAX_VALUE);
        assert!(record.used_processors.max(record.requested_processors) <= i64::from(u32::MAX));
        assert!(record.cpu_time.is_finite());
        let feature = record.tasks.and_then(|tasks| tasks.feature);
        assert!(feature.is_none_or(|index| (index as usize) < trace.header.features.len()));
    }
}

fn replayed(workload: &Workload, rules: &Rules, choice: &str) -> Outcome {
    let choice: Choice = choice.parse().unwrap();
    let options = Options { choice, policy: PolicyOptions::default(), rules: rules.clone() };
    let mut policy = choice.build(&options.policy).unwrap();
    let setup = options.setup("fuzz.swf", workload.procs, 0);
    let outcome = replay(workload, setup, &mut *policy, &|_| {}).unwrap();
    assert_eq!(outcome.jobs.len(), workload.jobs.len());
    for (job, record) in workload.jobs.iter().zip(&outcome.jobs) {
        assert!(record.start >= job.submit && record.end == record.start + job.run_time);
    }
    outcome
}

fn starts(outcome: &Outcome) -> Vec<i64> {
    outcome.jobs.iter().map(|job| job.start).collect()
}
