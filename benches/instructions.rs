//! One pass and nothing else, for counting its instructions: `make instructions` runs this under callgrind, which
//! counts only inside `one_pass`. Without arguments (as `cargo test` and `cargo bench` call it) it says how to use it.

#[path = "scenario/plan.rs"]
mod plan;
mod scenario;

use scenario::{Scenario, VECTORS, rule};
use surefill::backfill::{Criterion, Exactness, Pass, Rule};
use surefill::plan::Plan;
use surefill::schedule::RecentWaits;

#[inline(never)]
fn one_pass(scenario: &Scenario, pass: &mut Pass, rule: &Rule) -> usize {
    scenario.decide(pass, rule)
}

#[inline(never)]
fn one_plan(plan: &mut Plan<'_>, recent: &RecentWaits<'_>, sizes: (u32, u32)) -> usize {
    plan::pass(plan, recent, sizes, 7)
}

/// Counts one plan of a queue of this size, RUNNING/WAITING.
fn count_plan(sizes: &str) {
    let numbers: Vec<u32> = sizes.split('/').map(|size| size.parse().expect("a number")).collect();
    let &[running, waiting] = &numbers[..] else { panic!("RUNNING/WAITING") };
    let (mut memory, mut recent) = (plan::empty((running, waiting)), plan::recent());
    let recent = RecentWaits::attach(bytemuck::cast_slice_mut(&mut recent)).unwrap();
    let mut plan = Plan::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    let started = one_plan(&mut plan, &recent, (running, waiting));
    println!("{sizes} plan: {started} started, {VECTORS}");
}

#[inline(never)]
fn papers_program(scenario: &Scenario) -> f64 {
    (0..scenario.candidates.len()).map(|candidate| scenario.naive(candidate, 0.05)).sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scale, what, events] = arguments.as_slice() else {
        println!(
            "usage: instructions archive|large|largest|RUNNING/PROCESSORS/CANDIDATES probability|no-start|bound|seconds|measured|delay|judge|papers EVENTS_PER_BIN\n       \
             instructions RUNNING/WAITING plan 0"
        );
        return;
    };
    if what == "plan" {
        return count_plan(scale);
    }
    let sizes: Vec<u32> = match scale.as_str() {
        "largest" => vec![5000, 100_000, 1000],
        "large" => vec![1000, 10_000, 1000],
        "archive" => vec![60, 430, 20],
        sizes => sizes.split('/').map(|size| size.parse().expect("a number")).collect(),
    };
    let [running, processors, candidates] = sizes[..] else { panic!("RUNNING/PROCESSORS/CANDIDATES") };
    let (running, candidates) = (running as usize, candidates as usize);
    let events = events.parse().expect("a number of events per bin");
    let scenario = Scenario::new(running, processors, candidates, events, 1);
    let mut memory = scenario.memory();
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &scenario.limits).unwrap();
    let releases = scenario.releases().len();
    let missing = scenario.head - scenario.idle;
    let criterion = match what.as_str() {
        "probability" | "no-start" => Criterion::Probability,
        "bound" => Criterion::Bound,
        "seconds" => Criterion::Seconds,
        "measured" | "delay" | "judge" => Criterion::Relative,
        _ => {
            println!("{scale} papers {events}: sum {:.3}", papers_program(&scenario));
            return;
        }
    };
    // Without a budget every candidate is judged and none started: one walk over the releases.
    let budget = if what == "no-start" || what == "judge" { 0.0 } else { f64::INFINITY };
    let rule = match what.as_str() {
        "measured" => Rule::DELAY,
        // The rule of the preset `delay`, which needs no delays.
        "delay" => Rule { unmeasured: true, ..Rule::DELAY },
        _ => Rule { budget, ..rule(criterion) },
    };
    let started = one_pass(&scenario, &mut pass, &rule);
    // Estimates err by about a hundredth: those that are nearer to the threshold might be decided otherwise.
    let judgements = (0..scenario.candidates.len()).filter_map(|candidate| pass.judgement(candidate).ok());
    let estimates: Vec<f64> = judgements
        .filter(|judgement| judgement.exactness == Exactness::Estimate)
        .map(|judgement| judgement.delay)
        .collect();
    let near = estimates.iter().filter(|delay| (**delay - rule.threshold).abs() < 0.01).count();
    println!(
        "{scale} {what} {events}: {releases} releases, c_q {missing}, {started} started, {} estimates, {near} near, {VECTORS}",
        estimates.len()
    );
}
