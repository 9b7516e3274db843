//! Digests of decisions and of generated workloads, bit for bit the same in every build: `make check` runs this program
//! in debug and release builds, with and without wider vector instructions.

#[allow(dead_code)] // The other test program uses the rest.
#[path = "../common/mod.rs"]
mod common;

use common::demo;
use common::models::{jobs, models, sample, write};
use common::{J, workload};
use std::fmt::Write;
use std::sync::Arc;
use surefill::math::fnv::fnv1a;
use surefill_simulator::base::random::Random;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::{JobRecord, Outcome};
use surefill_simulator::replay::policy::{Criterion, Delay, PolicyOptions, ProbOptions};
use surefill_simulator::replay::setup::Setup;
use surefill_simulator::trace::swf::{Strictness, read};
use surefill_simulator::trace::workload::{Rules, Workload};

fn replayed(workload: &Workload, choice: &str, prob: ProbOptions) -> Outcome {
    let mut options = common::options(choice);
    options.policy = PolicyOptions { prob, delays_wanted: true, ..PolicyOptions::default() };
    let mut policy = options.choice.build(&options.policy).unwrap();
    replay(workload, options.setup("test.swf", workload.procs, 0), &mut *policy, &|_| {}).unwrap()
}

/// FNV-1a over every job's start and the bits of its predicted delay.
fn digest(outcome: &Outcome) -> u64 {
    let words = outcome.jobs.iter().flat_map(|job| {
        let predicted = job.backfill.map_or(u64::MAX, |backfill| backfill.predicted.to_bits());
        [job.start as u64, predicted]
    });
    fnv1a(&words.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
}

/// The decisions on the demonstration's workload.
#[test]
fn decisions_are_reproduced_bit_for_bit() {
    let demo = demo();
    let options = |criterion, delay| ProbOptions { criterion, delay, ..ProbOptions::default() };
    let found = [
        ("prob:global", options(Criterion::Probability, Delay::Exact)),
        ("prob:user:sjbf", options(Criterion::Probability, Delay::Exact)),
        ("prob:user", options(Criterion::Relative, Delay::Exact)),
        ("prob:user", options(Criterion::Seconds, Delay::Exact)),
        ("prob:user", ProbOptions::papers()),
        ("prob:mix:sjbf", options(Criterion::Relative, Delay::Exact)),
        ("prob:hmm", ProbOptions::papers()),
        ("prob:contexts", options(Criterion::Relative, Delay::Exact)),
    ]
    .map(|(choice, options)| digest(&replayed(&demo, choice, options)));
    assert_eq!(found.map(|digest| format!("{digest:016x}")), DIGESTS);
}

const DIGESTS: [&str; 8] = [
    "0971ee50203f02a4",
    "d244818b5e119763",
    "ca87b20c76104e28",
    "0de824e2309a948d",
    "807230bd811c6c2f",
    "e4b47f4de67152ad",
    "ceb8744cde48f886",
    "09985ae560b5a2dd",
];

/// The decisions on 8,192 processors with a thousand running jobs, where expected seconds come from frequencies (there
/// are too few below some hundreds of jobs): after two hundred jobs to learn from, head jobs lack thousands.
#[test]
fn decisions_on_a_wide_machine_are_reproduced_bit_for_bit() {
    let mut random = Random::new(1);
    let mut below = |count: u32| i64::from(random.below(count));
    let mut submit = 0;
    let jobs: Vec<J> = (1..=1700)
        .map(|number| {
            submit += if number <= 200 { 100 } else { below(4) } + if number == 201 { 40_000 } else { 0 };
            let wide = number > 1300 && number % 50 == 0;
            let processors = if wide { 3000 + below(3000) } else { 1 + below(12) } as u32;
            J { submit, run_time: 300 + below(30_000), processors, limit: 43_200, user: below(9) }
        })
        .collect();
    let mut options = common::options("delay");
    let workload = workload(8192, &jobs);
    let [measured, unmeasured] = [true, false].map(|delays_wanted| {
        options.policy.delays_wanted = delays_wanted;
        let mut policy = options.choice.build(&options.policy).unwrap();
        common::replay_with(&workload, &mut *policy)
    });
    assert_eq!(format!("{:016x}", digest(&measured)), WIDE);
    let unlike = |(with, without): &(&JobRecord, &JobRecord)| with.start != without.start;
    assert_eq!(measured.jobs.iter().zip(&unmeasured.jobs).filter(unlike).count(), 0);
    let reported = |outcome: &Outcome| {
        outcome.jobs.iter().filter_map(|job| job.backfill).filter(|b| b.predicted > 0.0).count()
    };
    assert!(reported(&unmeasured) < reported(&measured));
}

const WIDE: &str = "47ddb7d2b31a5990";

/// The decisions on nodes that jobs share, by scenarios.
#[test]
fn decisions_on_nodes_are_reproduced_bit_for_bit() {
    let mut random = Random::new(2);
    let mut below = |count: u32| i64::from(random.below(count));
    let mut text = String::from("; Resources: cores mem gpu\n");
    let mut submit = 0;
    for number in 1..=150 {
        submit += below(100);
        let run = 1 + below(900);
        let (tasks, cores, memory) = (1 + below(4), 1 + below(8), below(64));
        let gpus = if below(3) == 0 { below(3) } else { 0 };
        let (processors, limit, user) = (tasks * cores, run + below(1800), below(5));
        let fields =
            format!("{number} {submit} -1 {run} {processors} -1 -1 {processors} {limit} -1 1 {user}");
        writeln!(text, "{fields} 1 1 1 1 -1 -1 {tasks} {cores} {memory} {gpus}").unwrap();
    }
    let machine = "3x(cores=8,mem=64)+2x(cores=8,mem=128,gpu=2)".parse().unwrap();
    let trace = read(text.as_bytes(), "nodes.swf", Strictness::Strict).unwrap();
    let rules = Rules { nodes: Some(Arc::new(machine)), ..Rules::default() };
    let workload = Workload::new(&trace, &rules).unwrap();
    let options = common::options("prob:user:sjbf:relative");
    let mut policy = options.choice.build_on_nodes(&options.policy, &workload).unwrap();
    let outcome = replay(&workload, Setup::default(), &mut *policy, &|_| {}).unwrap();
    assert_eq!(format!("{:016x}", digest(&outcome)), NODES);
}

const NODES: &str = "9334e7632237b2f4";

/// FNV-1a of every model's bytes: a change of any draw on any machine shows.
#[test]
fn workloads_are_reproduced_bit_for_bit() {
    let history = sample();
    let hash = |bytes: &[u8]| fnv1a(&jobs(bytes).concat());
    let hashes = models(&history).map(|(name, model)| (name, hash(&write(&model, &history, 20_000, 1))));
    assert_eq!(hashes, [("feedback", FEEDBACK), ("resample", RESAMPLE), ("bursts", BURSTS)]);
}

const FEEDBACK: u64 = 11_015_610_843_421_065_299;
const RESAMPLE: u64 = 14_790_558_035_362_371_527;
const BURSTS: u64 = 11_026_489_866_210_182_621;
