//! The registry's policies and orders, against schedules computed here in another way.

#[allow(dead_code, reason = "it is a program too")]
#[path = "../examples/own_policy.rs"]
mod own_policy;

use crate::common::{J, job, replay_as, replay_with, starts, workload};
use proptest::prelude::*;
use std::collections::BTreeMap;
use surefill_simulator::cli::Cli;
use surefill_simulator::replay::machine::Cluster;
use surefill_simulator::replay::policy::selective::Selective;
use surefill_simulator::replay::policy::slack::Slack;
use surefill_simulator::replay::policy::{Choice, Parts, Policy};
use surefill_simulator::replay::predict::point::Regression;
use surefill_simulator::replay::registry::{add_order, add_policy, add_predictor};
use surefill_simulator::trace::workload::{Job, Workload};

/// Second by second: of the waiting jobs in the order of `key` the first starts as long as it fits, and every other too
/// if `greedy`. Jobs end before others are submitted.
fn list_schedule(jobs: &[J], procs: u32, greedy: bool, key: impl Fn(&J, i64) -> f64) -> Vec<i64> {
    let mut starts = vec![None; jobs.len()];
    let mut now = 0;
    while starts.iter().any(Option::is_none) {
        // A policy has no timer: it decides when something was submitted or has ended.
        let event = (0..jobs.len()).any(|i| {
            jobs[i].submit == now || starts[i].is_some_and(|start: i64| start + jobs[i].run_time == now)
        });
        loop {
            if !event {
                break;
            }
            let used: u32 = (0..jobs.len())
                .filter(|&i| starts[i].is_some_and(|start| start <= now && now < start + jobs[i].run_time))
                .map(|i| jobs[i].processors)
                .sum();
            let mut waiting: Vec<usize> =
                (0..jobs.len()).filter(|&i| starts[i].is_none() && jobs[i].submit <= now).collect();
            waiting.sort_by(|&a, &b| key(&jobs[a], now).total_cmp(&key(&jobs[b], now)).then(a.cmp(&b)));
            let tried = if greedy { waiting.len() } else { 1 };
            let next = waiting.into_iter().take(tried).find(|&i| jobs[i].processors <= procs - used);
            let Some(next) = next else { break };
            starts[next] = Some(now);
        }
        now += 1;
    }
    starts.into_iter().flatten().collect()
}

/// Jobs in order of submission that run for at least a second.
fn jobs() -> impl Strategy<Value = Vec<J>> {
    proptest::collection::vec((0i64..30, 1i64..40, 1u32..9, 0i64..20, 1i64..4), 1..25).prop_map(|all| {
        let mut all: Vec<J> = all
            .into_iter()
            .map(|(submit, run_time, processors, more, user)| J {
                user,
                ..job(submit, run_time, processors, run_time + more)
            })
            .collect();
        all.sort_by_key(|job| job.submit);
        all
    })
}

/// A key of a job at a time, smaller first.
type Key = fn(&J, i64) -> f64;

proptest! {
    /// Queues that are strictly in order.
    #[test]
    fn strict_orders(jobs in jobs()) {
        let orders: [(&str, Key); 4] = [
            ("sjf", |job, _| job.limit as f64),
            ("ljf", |job, _| -job.limit as f64),
            ("lxf", |job, now| -((now - job.submit + job.limit) as f64 / job.limit as f64)),
            ("wfp3", |job, now| {
                -(((now - job.submit) as f64 / job.limit as f64).powi(3) * f64::from(job.processors))
            }),
        ];
        for (name, key) in orders {
            let outcome = replay_as(&workload(8, &jobs), &format!("strict:limit:{name}"));
            prop_assert_eq!(starts(&outcome), list_schedule(&jobs, 8, false, key), "{}", name);
        }
        let fcfs = starts(&replay_as(&workload(8, &jobs), "fcfs"));
        prop_assert_eq!(starts(&replay_as(&workload(8, &jobs), "strict")), fcfs);
    }

    /// Without reservations it is first fit; with one for every job, and run times as predicted, conservative
    /// backfilling.
    #[test]
    fn the_ends_of_selective_backfilling(jobs in jobs()) {
        let with = |jobs: &[J], threshold: f64| {
            let workload = workload(8, jobs);
            let policy = add_policy("selective-test", "", move |parts: Parts| {
                Box::new(Selective::with_threshold(parts, threshold))
            });
            let choice = Choice::new(policy.unwrap(), None, None).unwrap();
            starts(&replay_with(&workload, &mut *choice.build(&Default::default()).unwrap()))
        };
        prop_assert_eq!(with(&jobs, f64::INFINITY), list_schedule(&jobs, 8, true, |_, _| 0.0));
        let exact: Vec<J> = jobs.iter().map(|job| J { limit: job.run_time, ..*job }).collect();
        prop_assert_eq!(with(&exact, 0.0), starts(&replay_as(&workload(8, &exact), "conservative")));
    }

    /// Without slack, and with run times as predicted, slack-based backfilling keeps conservative backfilling's
    /// reservations; with slack every job starts by the time that was promised to it.
    #[test]
    fn slack_bounds_every_wait(jobs in jobs(), factor in 0.0f64..3.0) {
        struct Watched {
            policy: Slack,
            promises: BTreeMap<usize, i64>,
        }
        impl Policy for Watched {
            fn submitted(&mut self, job: &Job, now: i64) {
                self.policy.submitted(job, now);
            }
            fn started(&mut self, job: &Job, now: i64) {
                // A job that starts in its first pass has none.
                assert!(self.promises.get(&job.id).is_none_or(|&promise| now <= promise), "{now}, {job:?}");
                self.policy.started(job, now);
            }
            fn ended(&mut self, job: &Job, now: i64) {
                self.policy.ended(job, now);
            }
            fn schedule(&mut self, cluster: &mut Cluster<'_>) {
                self.policy.schedule(cluster);
                self.promises.extend(self.policy.promised().iter().copied());
            }
        }
        let exact: Vec<J> = jobs.iter().map(|job| J { limit: job.run_time, ..*job }).collect();
        let workload = workload(8, &exact);
        let with = |factor: f64| {
            let policy = add_policy("slack-test", "", move |parts: Parts| {
                Box::new(Watched { policy: Slack::with_factor(parts, factor), promises: BTreeMap::new() })
            });
            let choice = Choice::new(policy.unwrap(), None, None).unwrap();
            starts(&replay_with(&workload, &mut *choice.build(&Default::default()).unwrap()))
        };
        prop_assert_eq!(with(0.0), starts(&replay_as(&workload, "conservative")));
        with(factor);
    }

    /// Lookahead never starts the head later than its reservation, and EASY's own rule is among its choices: with exact
    /// limits each pass leaves no more processors idle than the best subset allows (the subsets are counted in its own
    /// tests).
    #[test]
    fn lookahead_keeps_reservations(jobs in jobs()) {
        let exact: Vec<J> = jobs.iter().map(|job| J { limit: job.run_time, ..*job }).collect();
        let outcome = replay_as(&workload(8, &exact), "lookahead");
        for job in &outcome.jobs {
            if let Some(backfill) = job.backfill {
                prop_assert_eq!(backfill.observed_delay, 0);
            }
        }
    }
}

/// Example by example, against the authors' program.
#[test]
fn the_learning_predictor_is_its_authors() {
    let examples: Vec<(Vec<f64>, f64, f64, f64)> =
        serde_json::from_str(include_str!("vectors/regression.json")).unwrap();
    assert_eq!(examples.len(), 300);
    let mut model = Regression::new(6);
    for (number, (x, run_time, importance, predicted)) in examples.iter().enumerate() {
        let value = model.value(x);
        assert!(
            (value - predicted).abs() <= 1e-6 * predicted.abs().max(1.0),
            "{number}: {value}, not {predicted}"
        );
        model.learn(x, *run_time, *importance);
    }
}

#[test]
fn lookahead_packs_what_easy_does_not() {
    // 3 of 8 run until 100; the head wants all; first fit takes 3 and leaves 2 idle, 1 + 4 leave none.
    let jobs =
        [job(0, 100, 3, 100), job(1, 10, 8, 10), job(2, 50, 3, 50), job(2, 50, 1, 50), job(2, 50, 4, 50)];
    let workload = workload(8, &jobs);
    assert_eq!(starts(&replay_as(&workload, "easy")), [0, 100, 2, 2, 110]);
    assert_eq!(starts(&replay_as(&workload, "lookahead")), [0, 100, 110, 2, 2]);
}

#[test]
fn the_user_who_has_used_least_comes_first() {
    // User 1 has used 100 s when three jobs wait for the machine.
    let by = |user: i64, submit: i64, run_time: i64| J { user, ..job(submit, run_time, 8, run_time) };
    let jobs = [by(1, 0, 100), by(1, 1, 10), by(2, 2, 10), by(2, 3, 200), by(1, 4, 10)];
    // Then 2's first; with 10 s used it is still before 1; with 210 s no more.
    let outcome = replay_as(&workload(8, &jobs), "strict:limit:fair-share");
    assert_eq!(starts(&outcome), [0, 310, 100, 110, 320]);
}

/// All that this test adds has names of its own: the registry is the process's.
#[test]
fn what_is_added_works_beside_the_built_in() {
    struct Widest;
    impl surefill_simulator::replay::policy::QueueOrder for Widest {
        fn value(&mut self, job: &Job, _now: i64, _predicted: i64) -> f64 {
            // No number comes last.
            if job.processors == 1 { f64::NAN } else { -f64::from(job.processors) }
        }
    }
    struct Half;
    impl surefill_simulator::replay::predict::PointPredictor for Half {
        fn predict(&mut self, job: &Job) -> i64 {
            (job.limit / 2).max(1)
        }
    }
    add_order("widest", "the widest first", || Box::new(Widest)).unwrap();
    add_predictor("half", "half the limit", || Box::new(Half)).unwrap();
    let jobs = [job(0, 10, 8, 20), job(1, 10, 1, 20), job(2, 10, 3, 20), job(3, 10, 8, 20)];
    assert_eq!(starts(&replay_as(&workload(8, &jobs), "strict:limit:widest")), [0, 20, 20, 10]);
    // By halves the third ends when the first does, so that it does not keep the second waiting.
    let jobs = [job(0, 10, 4, 20), job(1, 10, 8, 20), job(2, 8, 4, 16)];
    assert_eq!(starts(&replay_as(&workload(8, &jobs), "easy:half")), [0, 10, 2]);
    assert_eq!(starts(&replay_as(&workload(8, &jobs), "prob:half:fcfs:exact")), [0, 10, 2]);
    let why = "fcfs:half".parse::<Choice>().unwrap_err().to_string();
    assert_eq!(why, "policy fcfs does not use predictor half (it uses limit)");
}

/// Fails where a policy waits for ever, so that the replay says it.
#[test]
fn a_policy_of_25_lines_has_a_name_in_every_verb() {
    struct Never;
    impl Policy for Never {
        fn schedule(&mut self, _cluster: &mut Cluster<'_>) {}
    }
    add_policy("never", "", |_| Box::new(Never)).unwrap();
    let workload: Workload = workload(8, &[job(0, 1, 1, 1)]);
    let options = crate::common::options("never");
    let run =
        surefill_simulator::replay::run::run("t", &workload, &options, 0, std::num::NonZeroU64::MIN, &|_| {});
    assert_eq!(run.unwrap_err().to_string(), "the policy left 1 jobs waiting on an idle machine");
    let source = include_str!("../examples/own_policy.rs");
    let lines = source.lines().skip_while(|line| !line.starts_with("struct"));
    let code = lines.filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//"));
    assert!(code.count() <= 25);
    own_policy::add();
    let folder = tempfile::tempdir().unwrap();
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/workload.swf.gz");
    let command = |arguments: &[&str]| {
        let all = ["surefill"].iter().chain(arguments).map(std::ffi::OsString::from);
        Cli::of(all.chain([trace.into()])).map(|cli| cli.run())
    };
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (page, jobs) = (path("page.html"), path("jobs.csv"));
    let policies = "easy,smallest,smallest:mean2:sjf";
    let compare = ["compare", "--limit-jobs", "300", "--quiet", "--policies", policies, "--html", &page];
    assert!(command(&compare).unwrap().is_ok());
    assert!(read("page.html").contains("smallest (mean2, sjf)"));
    assert!(
        command(&["simulate", "--limit-jobs", "300", "--policy", "smallest", "--jobs", &jobs])
            .unwrap()
            .is_ok()
    );
    assert!(read("jobs.csv").contains("# policy: smallest\n"));
    let help = command(&["simulate", "--help"]).unwrap_err().to_string();
    assert!(help.contains("smallest") && help.contains("The job with the fewest processors first"), "{help}");
}
