//! The policies against pyss, the scheduler simulator of the Hebrew University's parallel systems laboratory: when each
//! job starts there, as `vectors/pyss.py` wrote it down.

use crate::common::{J, job, replay_as, starts, workload};
use serde::Deserialize;
use std::collections::BTreeMap;
use surefill_simulator::trace::workload::Workload;

#[derive(Deserialize)]
struct Vectors {
    processors: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    /// Number, submission, run time, processors, limit, user.
    jobs: Vec<(i64, i64, i64, u32, i64, i64)>,
    /// By policy, as this project calls it.
    starts: BTreeMap<String, Vec<i64>>,
}

fn cases() -> Vec<(Workload, Case)> {
    let vectors: Vectors = serde_json::from_str(include_str!("vectors/pyss.json")).unwrap();
    let processors = vectors.processors;
    let one = |case: Case| {
        let jobs = case.jobs.iter().map(|&(_, submit, run_time, processors, limit, user)| J {
            user,
            ..job(submit, run_time, processors, limit)
        });
        (workload(processors, &jobs.collect::<Vec<_>>()), case)
    };
    vectors.cases.into_iter().map(one).collect()
}

#[test]
fn every_start_is_the_same() {
    let mut compared = BTreeMap::new();
    for (workload, case) in cases() {
        for (name, theirs) in case.starts.iter().filter(|(name, _)| *name != "probabilistic") {
            assert_eq!(&starts(&replay_as(&workload, name)), theirs, "{name}");
            *compared.entry(name.clone()).or_insert(0) += theirs.len();
        }
    }
    let expected = [("conservative", 1200), ("easy", 2400), ("easy:limit:sjbf", 2400), ("fcfs", 2400)];
    assert_eq!(compared, expected.map(|(name, count)| (name.to_owned(), count)).into());
}

/// pyss has a probabilistic EASY of its own, after the same paper: another estimate of run times, all of a bin's
/// probability at its end, and a threshold of 0.2. Its gain over EASY here stands in docs/add-a-policy.md, beside
/// the preset `fair`.
#[test]
fn mean_waits_beside_its_probabilistic_easy() {
    let mut sums = [0, 0, 0];
    for (workload, case) in cases() {
        let Some(theirs) = case.starts.get("probabilistic") else { continue };
        let all =
            [theirs.clone(), starts(&replay_as(&workload, "easy")), starts(&replay_as(&workload, "delay"))];
        for (sum, starts) in sums.iter_mut().zip(all) {
            *sum += starts.iter().zip(&workload.jobs).map(|(start, job)| start - job.submit).sum::<i64>();
        }
    }
    let [theirs, easy, fair] = sums.map(|sum| sum as f64 / 1200.0 / 3600.0);
    println!("mean waits in hours: pyss's probabilistic EASY {theirs:.2}, EASY {easy:.2}, fair {fair:.2}");
    assert!((theirs - 24.29).abs() < 0.005 && (easy - 26.56).abs() < 0.005, "{theirs} {easy}");
    assert!(fair < theirs, "{fair} {theirs}");
}
