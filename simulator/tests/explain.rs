//! Why a job waited, by hand: a machine of 4 processors.

use super::predict_wait_command::{json, surefill};
use crate::common::{J, job, options, workload};
use surefill_simulator::replay::explain::{Explained, Why, explain};
use surefill_simulator::replay::policy::{Criterion, PolicyOptions, ProbOptions};
use surefill_simulator::replay::run::Options;

/// Job 0 holds 3 of 4 processors until its limit, job 1 wants all and is the head; the others are the candidates.
fn jobs(candidates: &[J]) -> Vec<J> {
    [&[job(0, 100, 3, 100), job(1, 50, 4, 50)][..], candidates].concat()
}

fn explained(jobs: &[J], options: &Options, job: usize) -> Explained {
    explain("t.swf", &workload(4, jobs), options, 0, job, &|_| {}).unwrap()
}

fn whys(explained: &Explained) -> Vec<(i64, Why)> {
    explained.passes.iter().map(|seen| (seen.time, seen.why)).collect()
}

#[test]
fn easy_says_what_its_reservation_is() {
    let explained = explained(&jobs(&[job(2, 10, 1, 99), job(3, 10, 1, 97)]), &options("easy"), 2);
    // At 2 it would end at 101; the job after it is backfilled from 3 to 13; at 100 the head starts, and it is the
    // next.
    assert_eq!(
        whys(&explained),
        [
            (2, Why::DelaysHead),
            (3, Why::DelaysHead),
            (13, Why::DelaysHead),
            (100, Why::Head),
            (150, Why::Started)
        ]
    );
    let seen = &explained.passes[0];
    assert_eq!((seen.head, seen.idle), (Some(1), 1));
    assert_eq!((seen.predicted_end, seen.shadow, seen.extra), (Some(101), Some(100), Some(0)));
    assert_eq!((seen.delay, seen.spent), (None, None));
    assert_eq!(explained.job.start, 150);
}

#[test]
fn probabilities_come_with_their_exactness_and_what_is_spent() {
    for (criterion, tau, delay) in [
        (Criterion::Probability, 0.05, 1.0),
        (Criterion::Seconds, 0.5, 1.0),
        (Criterion::Relative, 0.005, 1.0 / 98.0),
    ] {
        let mut options = options("prob:limit");
        let prob = ProbOptions { criterion, tau, ..ProbOptions::default() };
        options.policy = PolicyOptions { prob, ..PolicyOptions::default() };
        let explained = explained(&jobs(&[job(2, 10, 1, 99)]), &options, 2);
        let seen = &explained.passes[0];
        assert_eq!((seen.why, seen.head, seen.idle), (Why::DelaysHead, Some(1), 1));
        assert!(seen.delay.is_some_and(|found| found <= delay + 1e-12 && found >= tau), "{seen:?}");
        assert!(seen.exactness.is_some() && seen.spent == Some(0.0));
        assert_eq!(explained.passes.last().map(|seen| seen.why), Some(Why::Started));
    }
}

#[test]
fn candidates_that_come_too_late_or_are_too_wide_get_that_reason() {
    let candidates = [job(2, 10, 1, 20), job(2, 10, 1, 20), job(2, 10, 2, 20)];
    let taken = explained(&jobs(&candidates), &options("prob:limit"), 3);
    assert_eq!(whys(&taken), [(2, Why::TakenByOthers), (12, Why::Started)]);
    assert_eq!(taken.passes[0].delay, None);
    let wide = explained(&jobs(&candidates), &options("prob:limit"), 4);
    assert_eq!(wide.passes[0].why, Why::TooWide);
    let kept = explained(&jobs(&candidates), &options("fcfs"), 2);
    assert_eq!(kept.passes[0].why, Why::NotTried);
}

#[test]
fn head_jobs_get_an_expected_start() {
    for (policy, starts) in [("easy", 1), ("prob:limit", 3), ("fcfs", 0)] {
        let explained = explained(&jobs(&[]), &options(policy), 1);
        assert_eq!(whys(&explained), [(1, Why::Head), (100, Why::Started)], "{policy}");
        let found = &explained.passes[0].starts;
        assert_eq!(found.len(), starts, "{policy}");
        assert!(found.iter().all(|start| start.time == 100), "{policy}: {found:?}");
    }
}

#[test]
fn a_plan_says_when_it_means_to_start_a_job() {
    // By limits: to start it at 2 would make the head wait for 2,000 s.
    let explained = explained(&jobs(&[job(2, 2000, 1, 2000)]), &options("fair:limit"), 2);
    // Once the other has started, it is the first in line.
    assert_eq!(whys(&explained), [(2, Why::Planned), (100, Why::Head), (150, Why::Started)]);
    // The ends of the two before it are rounded up on the grid of instants.
    let planned: Vec<_> = explained.passes.iter().map(|seen| seen.planned).collect();
    assert!(planned[0].is_some_and(|start| (150..=160).contains(&start)), "{planned:?}");
    assert!(planned[1].is_some_and(|start| (150..=152).contains(&start)), "{planned:?}");
    assert_eq!(planned[2], None);
    // Jobs are called by their numbers in the trace.
    let said = explained.passes[0].sentence.as_deref().unwrap();
    let price = "starting it now would cost others ";
    assert!(
        said.starts_with("planned in 2 min: ")
            && said.contains(price)
            && said.ends_with(" of waiting and save it 2.5 min"),
        "{said}"
    );
    assert_eq!(explained.passes[2].sentence, None);
}

#[test]
fn budgets_are_distinguished_from_thresholds() {
    let mut options = options("prob:limit:fcfs:seconds=5");
    options.policy = options.choice.options(&options.policy);
    options.policy.prob.budget = Some(0.5);
    // The head would start one second later: allowed by the threshold, not by the budget.
    let explained = explained(&jobs(&[job(2, 10, 1, 99)]), &options, 2);
    assert_eq!(explained.passes[0].why, Why::OverBudget);
}

#[test]
fn being_watched_changes_nothing() {
    let jobs: Vec<J> = (0..60).map(|i| job(i * 7, 20 + i * 37 % 150, 1 + (i % 4) as u32, 200)).collect();
    for policy in ["easy", "easy++", "conservative", "prob:user", "fair"] {
        let alone = crate::common::starts(&crate::common::replay_as(&workload(4, &jobs), policy));
        for number in [5, 30, 55] {
            assert_eq!(explained(&jobs, &options(policy), number).job.start, alone[number], "{policy}");
        }
    }
}

/// Where more than 256 jobs wait the plan is played forward by a cheaper forecast; the answer says so.
#[test]
fn simplified_forecasts_are_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let job = |id: i64| {
        let run_time = if id % 3 == 0 { 600 } else { 60 };
        format!("{id} {} -1 {run_time} 1 -1 -1 1 900 -1 1 {} 1 1 1 1 -1 -1\n", id / 100, id % 7)
    };
    let trace = (1..=300).fold("; MaxProcs: 4\n".to_owned(), |trace, id| trace + &job(id));
    std::fs::write(folder.path().join("t.swf"), trace).unwrap();
    for (policy, job, simplified) in [("fair", "300", true), ("fair", "20", false), ("easy", "300", false)] {
        let ask = ["explain", "t.swf", "--starts", "--policy", policy, "--job", job];
        let said = String::from_utf8(surefill(&ask, folder.path()).stdout).unwrap();
        let note = "Asked at 3: by simplified scenarios, as many jobs waited.";
        assert_eq!(said.contains(note), simplified, "{said}");
        let predictions =
            json(&surefill(&[&ask[..], &["--json"]].concat(), folder.path()))["predictions"].clone();
        for answer in predictions.as_array().unwrap() {
            let own = answer["method"] == "scenarios" || answer["method"] == "reported";
            assert_eq!(answer["simplified"], simplified && own, "{answer}");
        }
    }
}
