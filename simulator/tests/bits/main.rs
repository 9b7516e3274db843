//! Digests of decisions and of generated workloads, bit for bit the same in every build: `make check` runs this program
//! in debug and release builds, with and without wider vector instructions.

#[allow(dead_code)] // The other test program uses the rest.
#[path = "../common/mod.rs"]
mod common;

use common::demo;
use common::models::{models, sample, write};
use surefill::math::fnv::fnv1a;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::Outcome;
use surefill_simulator::replay::policy::{Criterion, Delay, PolicyOptions, ProbOptions};
use surefill_simulator::trace::workload::Workload;

fn replayed(workload: &Workload, choice: &str, prob: ProbOptions) -> Outcome {
    let mut options = common::options(choice);
    options.policy = PolicyOptions { prob, ..PolicyOptions::default() };
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
    ]
    .map(|(choice, options)| digest(&replayed(&demo, choice, options)));
    assert_eq!(found.map(|digest| format!("{digest:016x}")), DIGESTS);
}

const DIGESTS: [&str; 7] = [
    "0971ee50203f02a4",
    "d244818b5e119763",
    "2579e026bf0e3275",
    "0de824e2309a948d",
    "807230bd811c6c2f",
    "58d2d667edc21c2c",
    "ceb8744cde48f886",
];

/// FNV-1a of every model's bytes: a change of any draw on any machine shows.
#[test]
fn workloads_are_reproduced_bit_for_bit() {
    let history = sample();
    let hash = |bytes: &[u8]| {
        // The version is in the header.
        let jobs = bytes.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b";"));
        fnv1a(&jobs.flatten().copied().collect::<Vec<u8>>())
    };
    let hashes = models(&history).map(|(name, model)| (name, hash(&write(&model, &history, 20_000, 1))));
    let expected = [
        ("paper", PAPER),
        ("calibrated", CALIBRATED),
        ("independent", INDEPENDENT),
        ("lublin", LUBLIN),
        ("downey", DOWNEY),
        ("hmm", HMM),
        ("hmm alone", HMM_ALONE),
    ];
    assert_eq!(hashes, expected);
}

const PAPER: u64 = 7_395_414_129_207_127_295;
const CALIBRATED: u64 = 12_790_764_990_203_490_894;
const INDEPENDENT: u64 = 17_022_044_027_507_698_451;
const LUBLIN: u64 = 12_731_428_911_401_509_864;
const DOWNEY: u64 = 13_888_562_371_579_679_747;
const HMM: u64 = 2_972_730_573_640_453_845;
const HMM_ALONE: u64 = 14_423_992_846_551_707_218;
