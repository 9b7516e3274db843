//! A pass over 2,000 nodes shared by 1,000 running jobs, and over 10,000 shared by 5,000, with 1,000 candidates: how
//! long until all are judged.
//!
//! `cargo bench --bench nodes` prints, for each criterion and for the rule of the preset delay, the milliseconds of
//! processor time of the faster of two passes, the scenarios on which the judgements rest, and how the candidates
//! fared. Every acceptance is declined, so that each pass judges all candidates once. The last column is the time from
//! a commit to the next acceptance, the mean of the first forty in a pass that commits what it accepts.

use std::time::Instant;
use surefill::backfill::{Criterion, Rule, Step, Verdict};
use surefill::nodes::{
    Fit, NodePass, NodePassCapacity, NodePassOptions, Nodes, NodesCapacity, Part, Request, Spread,
};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};
use surefill::schedule::{Preset, PresetName};

const CANDIDATES: usize = 1000;

struct Random(u64);

impl Random {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(most)) as u32
    }
}

/// Cores, GiB and GPUs, on some nodes of their own or as tasks anywhere.
fn request(random: &mut Random) -> Request {
    let cores = [4, 8, 16, 32, 64][random.below(5) as usize];
    let gpus = if random.below(3) == 0 { 1 + random.below(2) } else { 0 };
    Request {
        count: 1 + random.below(8),
        spread: if random.below(2) == 0 { Spread::Nodes } else { Spread::Tasks },
        each: [cores, cores * (1 + random.below(6)), gpus, 0, 0, 0, 0, 0],
        ..Request::default()
    }
}

fn predicted(random: &mut Random, bins: &RuntimeBins) -> RuntimeDistribution {
    let counts: Vec<f64> = (0..bins.count()).map(|_| f64::from(random.below(100)).powi(3)).collect();
    RuntimeDistribution::from_counts(bins, &counts).unwrap()
}

/// Seconds of processor time that this thread has used, where Linux tells it; else of the clock.
fn seconds(since: Instant) -> f64 {
    let schedstat = std::fs::read_to_string("/proc/self/schedstat").ok();
    let used = schedstat.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    used.map_or_else(|| since.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// One pass: milliseconds, scenarios on average, and how many candidates are refused, accepted and do not fit; up to so
/// many are committed.
fn pass(count: u32, rule: &Rule, fit: Fit, commits: usize) -> (f64, f64, [usize; 3]) {
    let mut random = Random(1);
    let bins = RuntimeBins::new(60.0, 1.5, 24).unwrap();
    let capacity = NodesCapacity { nodes: count, classes: 2, resources: 3, jobs: 8192, parts: 1 << 16 };
    let mut memory = vec![0u64; Nodes::size(&capacity).unwrap().div_ceil(8)];
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
    for amounts in [[128, 512, 0, 0, 0, 0, 0, 0], [64, 256, 4, 0, 0, 0, 0, 0]] {
        let class = nodes.add_class(0, &amounts).unwrap();
        nodes.add_nodes(class, count / 2).unwrap();
    }
    let limits = NodePassCapacity {
        nodes: count,
        resources: 3,
        running: count,
        candidates: 1024,
        parts: 1 << 15,
        bins: 24,
        events_per_bin: 4,
    };
    let mut block = vec![0u64; NodePass::size(&limits).unwrap().div_ceil(8)];
    let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
    let mut parts = vec![Part::default(); count as usize];
    let mut running = Vec::new();
    while running.len() < count as usize / 2 {
        let mut wish = request(&mut random);
        // Large enough that the jobs fill most of the machine.
        wish.count += 1;
        wish.each[0] = wish.each[0].max(16);
        let Some(count) = nodes.place(&wish, Fit::First, &mut parts).unwrap() else { continue };
        let handle = nodes.allocate(&wish, &parts[..count]).unwrap();
        running.push((handle, i64::from(random.below(7200)), predicted(&mut random, &bins)));
    }
    let mut head = Request { count: count / 10, each: [64, 128, 0, 0, 0, 0, 0, 0], ..Request::default() };
    while nodes.fits(&head).unwrap() {
        head.count += count / 20;
    }
    assert!(nodes.could_fit(&head).unwrap());
    let candidates: Vec<_> = (0..CANDIDATES)
        .map(|_| (request(&mut random), i64::from(600 + random.below(80_000)), predicted(&mut random, &bins)))
        .collect();
    let start = Instant::now();
    let begun = seconds(start);
    pass.begin(&nodes, 0, 1, &head, &NodePassOptions::default()).unwrap();
    for (handle, age, runtime) in &running {
        pass.add_running(&nodes, *handle, *age, 86_400, runtime).unwrap();
    }
    for (request, limit, runtime) in &candidates {
        pass.add_candidate(&nodes, request, fit, *limit, runtime).unwrap();
    }
    let mut committed = 0;
    let mut first = 0.0;
    loop {
        match pass.decide(&nodes, rule, u64::MAX).unwrap() {
            Step::Accept(index) if commits > 0 => {
                if committed == commits {
                    let each = (seconds(start) - first) * 1e3 / commits as f64;
                    return (each, 0.0, [0; 3]);
                }
                if committed == 0 {
                    first = seconds(start);
                }
                pass.commit(&mut nodes, index).unwrap();
                committed += 1;
            }
            Step::Accept(index) => pass.decline(index).unwrap(),
            Step::More => unreachable!("the work is not bounded"),
            Step::Done => break,
        }
    }
    let milliseconds = (seconds(start) - begun) * 1e3;
    let (mut scenarios, mut fates) = (0, [0; 3]);
    for index in 0..CANDIDATES {
        let judged = pass.judgement(index).unwrap();
        scenarios += judged.scenarios;
        let fate = match judged.verdict {
            Verdict::Refused => 0,
            Verdict::DoesNotFit => 2,
            _ => 1,
        };
        fates[fate] += 1;
    }
    (milliseconds, f64::from(scenarios) / (fates[0] + fates[1]).max(1) as f64, fates)
}

fn main() {
    println!("nodes rule         fit    ms     scenarios  refused accepted does-not-fit  ms a commit");
    let of = |criterion, threshold| Rule { criterion, threshold, ..Rule::EXACT };
    let rules = [
        ("probability", of(Criterion::Probability, 0.05)),
        ("seconds", of(Criterion::Seconds, 600.0)),
        ("relative", of(Criterion::Relative, 0.3)),
        ("delay", Preset::new(PresetName::Delay).rule),
    ];
    for (count, (name, rule)) in [2000, 10_000].into_iter().flat_map(|count| rules.map(|rule| (count, rule)))
    {
        for fit in [Fit::Best, Fit::Apart] {
            let fastest = |commits| {
                let passes = (0..2).map(|_| pass(count, &rule, fit, commits));
                passes.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
            };
            let (ms, scenarios, [refused, accepted, unfit]) = fastest(0);
            let committing = fastest(40).0;
            println!(
                "{count:5} {name:12} {:6} {ms:6.1} {scenarios:9.1} {refused:8} {accepted:8} {unfit:8} {committing:12.2}",
                format!("{fit:?}"),
            );
        }
    }
}
