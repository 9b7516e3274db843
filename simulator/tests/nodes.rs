//! Replays on machines of nodes: beside those on processors where the nodes are whole and alike, beside each other
//! where they must agree, and by hand.

#[path = "../../tests/common/splitmix.rs"]
pub(crate) mod splitmix;

use splitmix::splitmix;
use std::fmt::Write;
use std::sync::Arc;
use surefill_simulator::replay::backfill::Backfill;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::Outcome;
use surefill_simulator::replay::policy::{Choice, Order, OrderOptions, PolicyOptions};
use surefill_simulator::replay::run::Options;
use surefill_simulator::replay::setup::Setup;
use surefill_simulator::replay::starts::{Method, Prediction, SCENARIOS, study};
use surefill_simulator::trace::nodes::Machine;
use surefill_simulator::trace::swf::{Strictness, read};
use surefill_simulator::trace::workload::{Rules, Width, Workload};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        splitmix(&mut self.0) % n
    }
}

fn workload(text: &str, rules: &Rules) -> Workload {
    Workload::new(&read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap(), rules).unwrap()
}

fn on(machine: &str) -> Rules {
    Rules { nodes: Some(Arc::new(machine.parse::<Machine>().unwrap())), ..Rules::default() }
}

/// A line of SWF: number, submission, run time, processors, limit, user, and what stands behind the 18 fields.
fn line(text: &mut String, number: usize, [submit, run, processors, limit, user]: [u64; 5], more: &str) {
    writeln!(
        text,
        "{number} {submit} -1 {run} {processors} -1 -1 {processors} {limit} -1 1 {user} 1 1 1 1 -1 -1{more}"
    )
    .unwrap();
}

fn run(workload: &Workload, policy: &str) -> Outcome {
    let choice: Choice = policy.parse().unwrap();
    let base =
        PolicyOptions { order: Some(choice.order(&PolicyOptions::default())), ..PolicyOptions::default() };
    let options = choice.options(&base);
    let mut policy = match workload.nodes {
        Some(_) => choice.build_on_nodes(&options, workload).unwrap(),
        None => choice.build(&options).unwrap(),
    };
    replay(workload, Setup::default(), &mut *policy, &|_| {}).unwrap()
}

/// The predicted starts of a workload's waiting jobs.
fn predicted(workload: &Workload, policy: &str) -> Vec<Prediction> {
    let choice: Choice = policy.parse().unwrap();
    let base =
        PolicyOptions { order: Some(choice.order(&PolicyOptions::default())), ..PolicyOptions::default() };
    let options = Options { choice, policy: choice.options(&base), rules: Rules::default() };
    study("t.swf", workload, &options, (SCENARIOS, 1), &|_| {}).unwrap().1
}

fn starts(outcome: &Outcome) -> Vec<(i64, i64, bool)> {
    outcome.jobs.iter().map(|job| (job.number, job.start, job.backfill.is_some())).collect()
}

/// The bits of the delay that a policy predicted, but where it reports calibrated delays, which it does not on nodes.
fn reported(policy: &str, backfill: Backfill) -> u64 {
    if policy == "delay" { 0 } else { backfill.predicted.to_bits() }
}

#[test]
fn on_whole_like_nodes_replays_are_those_on_processors() {
    let mut random = Random(1);
    let mut backfills = 0;
    for case in 0..12 {
        let procs = 4 + random.below(20);
        let mut text = String::new();
        let mut submit = 0;
        for number in 1..=150 {
            submit += random.below(60);
            let (run, processors) = (random.below(900), 1 + random.below(procs));
            // Some outlive their limits, some end in one second.
            let limit = (run / 60 * 60 + 60 * random.below(4)).max(30);
            line(&mut text, number, [submit, run, processors, limit, random.below(5)], "");
        }
        let whole = workload(&text, &Rules { procs: Some(procs as u32), ..Rules::default() });
        let nodes = workload(&text, &on(&format!("{procs}x(cores=1)")));
        let policies = ["fcfs", "easy", "easy:limit:sjbf", "easy:clairvoyant", "easy++", "easy:limit:sjf"];
        let exact = ["prob:user:fcfs:exact=0.1@1", "prob:mix:sjbf:seconds=60@2", "delay"];
        let planned = ["fair", "fast:limit"];
        for policy in policies.into_iter().chain(exact).chain(planned) {
            let (one, other) = (run(&whole, policy), run(&nodes, policy));
            assert_eq!(starts(&one), starts(&other), "case {case}, {policy}");
            let observed = |outcome: &Outcome| -> Vec<_> {
                outcome
                    .jobs
                    .iter()
                    .map(|job| job.backfill.map(|b| (b.observed_delay, reported(policy, b))))
                    .collect()
            };
            assert_eq!(observed(&one), observed(&other), "case {case}, {policy}");
            backfills += one.jobs.iter().filter(|job| job.backfill.is_some()).count();
        }
    }
    assert!(backfills > 1000, "{backfills}");
}

#[test]
fn on_whole_like_nodes_starts_are_predicted_as_on_processors() {
    let mut random = Random(3);
    let mut asked = 0;
    for policy in ["easy", "fair", "fast:mix"] {
        let mut text = String::new();
        let mut submit = 0;
        for number in 1..=if policy == "easy" { 200 } else { 40 } {
            submit += random.below(60);
            let run = random.below(900);
            let limit = (run / 60 * 60 + 60 * random.below(4)).max(30);
            line(&mut text, number, [submit, run, 1 + random.below(8), limit, random.below(5)], "");
        }
        let whole = workload(&text, &Rules { procs: Some(8), ..Rules::default() });
        let nodes = workload(&text, &on("8x(cores=1)"));
        let row = |prediction: Prediction| {
            (prediction.job, prediction.asked, prediction.method, prediction.quantiles, prediction.waited)
        };
        let rows = |workload| -> Vec<_> { predicted(workload, policy).into_iter().map(row).collect() };
        let one: Vec<_> = rows(&whole).into_iter().filter(|row| row.2 != Method::Limits).collect();
        assert_eq!(one, rows(&nodes), "{policy}");
        asked += one.len();
    }
    assert!(asked > 500, "{asked}");
}

#[test]
fn with_limits_alone_probabilities_decide_as_easy_on_shared_nodes() {
    let mut random = Random(2);
    let mut backfills = 0;
    for case in 0..30 {
        let mut text = String::from("; Resources: cores mem gpu\n");
        let mut submit = 0;
        for number in 1..=120 {
            submit += random.below(80);
            let run = 1 + random.below(600);
            let (tasks, cores, memory) = (1 + random.below(4), 1 + random.below(8), random.below(64));
            let gpu = if random.below(3) == 0 { 0.5 * (1 + random.below(4)) as f64 } else { 0.0 };
            let more = format!(" {tasks} {cores} {memory} {gpu}");
            line(&mut text, number, [submit, run, tasks * cores, run + random.below(300), 1], &more);
        }
        let nodes = workload(&text, &on("3x(cores=8,mem=64)+2x(cores=8,mem=128,gpu=2)"));
        let (easy, prob) = (run(&nodes, "easy"), run(&nodes, "prob:limit:fcfs:exact"));
        assert_eq!(starts(&easy), starts(&prob), "case {case}");
        // By limits that hold no backfill delays a head job: it starts no later than promised.
        backfills += easy.jobs.iter().filter(|job| job.backfill.is_some()).count();
        let used = easy.nodes.unwrap();
        assert!(used.used.iter().all(|(_, share)| (0.0..=1.0).contains(share)), "{used:?}");
    }
    assert!(backfills > 300, "{backfills}");
}

#[test]
fn a_head_job_keeps_its_nodes() {
    let mut text = String::from("; Resources: cores gpu\n");
    // The first job lies on the node without a GPU, where less is left. The head job wants both nodes.
    line(&mut text, 1, [0, 100, 4, 100, 1], " 1 4 0");
    line(&mut text, 2, [1, 10, 8, 10, 1], " 2 4 0");
    // Ends in time.
    line(&mut text, 3, [2, 50, 1, 50, 1], " 1 1 1");
    // Would still be there.
    line(&mut text, 4, [3, 20, 1, 200, 1], " 1 1 0");
    // Ends in the second in which the head job starts.
    line(&mut text, 5, [4, 96, 1, 96, 1], " 1 1 0");
    for fit in ["easy", "prob:limit:fcfs:exact"] {
        let nodes = workload(&text, &on("1x(cores=4)+1x(cores=4,gpu=1)"));
        let outcome = run(&nodes, fit);
        let expected = [(1, 0, false), (2, 100, false), (3, 2, true), (4, 110, false), (5, 4, true)];
        assert_eq!(starts(&outcome), expected, "{fit}");
        assert!(outcome.jobs.iter().filter_map(|job| job.backfill).all(|b| b.observed_delay == 0));
    }
}

#[test]
fn use_and_fragmentation_by_hand() {
    let mut text = String::from("; Resources: cores gpu\n");
    line(&mut text, 1, [0, 100, 3, 100, 1], " 1 3 1");
    line(&mut text, 2, [0, 100, 3, 100, 1], " 1 3 0");
    // Two cores are free, one on each node.
    line(&mut text, 3, [0, 10, 2, 10, 1], " 1 2 0");
    // More than any node has: dropped.
    line(&mut text, 4, [0, 10, 5, 10, 1], " 1 5 0");
    let nodes = workload(&text, &on("2x(cores=4,gpu=1)"));
    assert_eq!((nodes.counts.beyond_nodes, nodes.procs), (1, 8));
    let used = run(&nodes, "easy").nodes.unwrap();
    let expected = [("cores", 620.0 / (8.0 * 110.0)), ("gpu", 100.0 / (2.0 * 110.0))];
    for ((name, share), (own, expected)) in used.used.iter().zip(expected) {
        assert!(name == own && (share - expected).abs() < 1e-12, "{name} {share} {expected}");
    }
    assert!((used.waiting_share - 100.0 / 110.0).abs() < 1e-12);
    assert!((used.fragmented_share - 1.0).abs() < 1e-12);
}

/// Jobs that ask for one of several models of GPUs wait for nodes that have one.
#[test]
fn jobs_run_where_their_features_are() {
    let mut text = String::from("; Resources: cores gpu\n; Features: V100|T4 T4 A10\n");
    // The T4 goes to who takes nothing else.
    line(&mut text, 1, [0, 100, 1, 100, 1], " 1 1 1 2");
    line(&mut text, 2, [0, 50, 1, 50, 1], " 1 1 1 1");
    // Behind who waits for any of both there is a node without either model.
    line(&mut text, 3, [1, 10, 1, 10, 1], " 1 1 1 1");
    line(&mut text, 4, [2, 500, 1, 500, 1], " 1 1 1 -1");
    // No node has an A10: dropped.
    line(&mut text, 5, [3, 10, 1, 10, 1], " 1 1 1 3");
    for policy in ["easy", "prob:limit:fcfs:exact", "fcfs"] {
        let nodes = workload(&text, &on("1x(cores=8,gpu=1,K80)+1x(cores=8,gpu=1,T4)+1x(cores=8,gpu=1,V100)"));
        assert_eq!(nodes.counts.beyond_nodes, 1);
        let fourth = if policy == "fcfs" { (4, 50, false) } else { (4, 2, true) };
        let expected = [(1, 0, false), (2, 0, false), (3, 50, false), fourth];
        assert_eq!(starts(&run(&nodes, policy)), expected, "{policy}");
    }
}

/// A job that waits for the one node with what it asks for is not kept waiting by fragmentation, and the page says how
/// nodes were used.
#[test]
fn fragmentation_knows_features_and_stands_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("; Resources: cores gpu\n; Features: T4\n");
    line(&mut text, 1, [0, 100, 1, 100, 1], " 1 1 1 1");
    line(&mut text, 2, [0, 100, 1, 100, 1], " 1 1 1 1");
    let nodes = workload(&text, &on("1x(cores=4,gpu=1,T4)+1x(cores=4,gpu=1)"));
    let used = run(&nodes, "easy").nodes.unwrap();
    assert_eq!((used.waiting_share, used.fragmented_share), (0.5, 0.0));
    std::fs::write(folder.path().join("t.swf"), &text).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args([
            "compare",
            "t.swf",
            "--nodes",
            "1x(cores=4,gpu=1,T4)+1x(cores=4,gpu=1)",
            "--html",
            "page.html",
        ])
        .args(["--policies", "easy,fair"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("gpu used [%]") && page.contains("Nodes: 1x(cores=4,gpu=1,T4)+1x(cores=4,gpu=1)"));
}

#[test]
fn headers_that_say_how_jobs_are_read_stand_before_them() {
    let job = |more: &str| format!("1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1{more}\n");
    let read =
        |text: &str| read(text.as_bytes(), "t.swf", Strictness::Strict).map_err(|error| error.to_string());
    let two = format!("; Resources: cores\n; Features: A B\n{}", job(" 1 1 2"));
    assert_eq!(read(&two).unwrap().records[0].tasks.unwrap().feature, Some(1));
    for (text, wrong) in [
        (format!("{two}; Features: A\n"), "t.swf:4: Features may stand only before all job lines"),
        (format!("{two}; Resources: cores gpu\n"), "t.swf:4: Resources may stand only before all job lines"),
        (format!("; Features: A\n{}", job("")), "t.swf:1: Features may stand only before all job lines"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.starts_with(wrong), "{error}");
    }
}

/// To the preset's order a job with half of the GPUs is as wide as half of the machine.
#[test]
fn a_job_is_as_wide_as_its_scarcest_resource() {
    let mut text = String::from("; Resources: cores gpu\n");
    line(&mut text, 1, [0, 100, 8, 100, 1], " 1 8 2");
    // By cores the second is the narrower one, by the scarcest resource the third. There is room for one of them.
    line(&mut text, 2, [1, 100, 5, 100, 1], " 1 5 2");
    line(&mut text, 3, [1, 100, 6, 100, 1], " 1 6 0");
    let narrow_first =
        OrderOptions { queue: "0/1/3600/0".parse().unwrap(), ..OrderOptions::named(Order::Fcfs) };
    // The formulas of the literature, too.
    let of_formula = |width| {
        let nodes = workload(&text, &Rules { width, ..on("1x(cores=8,gpu=2)") });
        run(&nodes, "easy:limit:unicef").jobs[1].start
    };
    assert_ne!(of_formula(Width::Cores), of_formula(Width::Scarcest));
    for (width, widths, expected) in
        [(Width::Cores, [8, 5, 6], [100, 200]), (Width::Scarcest, [8, 8, 6], [200, 100])]
    {
        let nodes = workload(&text, &Rules { width, ..on("1x(cores=8,gpu=2)") });
        assert_eq!(nodes.jobs.iter().map(|job| job.width()).collect::<Vec<_>>(), widths);
        let options = PolicyOptions { order: Some(narrow_first.clone()), ..PolicyOptions::default() };
        let choice: Choice = "easy".parse().unwrap();
        let mut policy = choice.build_on_nodes(&choice.options(&options), &nodes).unwrap();
        let outcome = replay(&nodes, Setup::default(), &mut *policy, &|_| {}).unwrap();
        let found: Vec<i64> = outcome.jobs[1..].iter().map(|job| job.start).collect();
        assert_eq!(found, expected, "{widths:?}");
    }
}

#[test]
fn what_does_not_know_nodes_says_so() {
    for policy in ["conservative", "lookahead", "prob:mix:fcfs:bound"] {
        let choice: Choice = policy.parse().unwrap();
        let base = PolicyOptions {
            order: Some(OrderOptions::named(Default::default())),
            ..PolicyOptions::default()
        };
        let mut text = String::new();
        line(&mut text, 1, [0, 100, 3, 100, 1], "");
        let nodes = workload(&text, &on("2x(cores=4)"));
        let why = choice.build_on_nodes(&choice.options(&base), &nodes).err().unwrap().to_string();
        assert!(why.contains("does not know machines of nodes"), "{policy}: {why}");
    }
    let mut text = String::from("; Resources: cores gpu\n");
    line(&mut text, 7, [0, 100, 3, 100, 1], " 1 3 1");
    let trace = read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap();
    let error = Workload::new(&trace, &on("2x(cores=4)")).unwrap_err().to_string();
    assert_eq!(error, "t.swf: job 7 wants gpu, which the nodes do not have");
}

#[test]
fn estimates_are_usual_limits_and_never_too_short() {
    let mut text = String::new();
    for number in 1..=500 {
        writeln!(text, "{number} {number} -1 {} 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1", number * number * 3)
            .unwrap();
    }
    let rules = Rules { procs: Some(4), estimates: Some(5.0), ..Rules::default() };
    let jobs = workload(&text, &rules);
    assert_eq!((jobs.counts.estimated, jobs.counts.without_limit), (500, 0));
    for job in &jobs.jobs {
        assert!(job.limit >= job.run_time && job.limit % 300 == 0, "{} {}", job.run_time, job.limit);
    }
    assert_eq!(jobs.jobs, workload(&text, &rules).jobs);
    let factors: Vec<f64> =
        jobs.jobs[100..].iter().map(|job| job.limit as f64 / job.run_time as f64).collect();
    let mean = factors.iter().sum::<f64>() / factors.len() as f64;
    assert!((3.0..5.0).contains(&mean), "{mean}");
}
