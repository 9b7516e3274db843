//! Wall time of one scheduling pass at archive scale (60 running jobs, 430 processors, 20 candidates) and at large
//! scale (1,000 running jobs, 10,000 processors, 1,000 candidates), each beside the papers' dynamic program for one
//! candidate and beside E x C bare multiply-adds; and of one by the preset `delay` at four events a bin, at these
//! scales and the largest (5,000 running jobs, 100,000 processors, 1,000 candidates). Instruction counts: `make
//! instructions`.

mod scenario;

use criterion::{BenchmarkId, Criterion as Bench, Throughput, criterion_group, criterion_main};
use scenario::{Scenario, VECTORS, rule};
use std::hint::black_box;
use std::time::{Duration, Instant};
use surefill::backfill::{Criterion, Pass, Rule};

const SCALES: [(&str, usize, u32, usize); 2] = [("archive", 60, 430, 20), ("large", 1000, 10_000, 1000)];
const LARGEST: (&str, usize, u32, usize) = ("largest", 5000, 100_000, 1000);

/// Time of the work at the machine's speed: E additions of a job to C processors. One in `every` is made, and
/// its time counts `every` times.
fn multiply_adds(releases: usize, processors: usize, every: u32, rounds: u64) -> Duration {
    let (from, mut to) = (vec![0.5f64; processors + 64], vec![0.0f64; processors]);
    let begun = Instant::now();
    for _ in 0..rounds * (releases as u64).div_ceil(every.into()) {
        for ((t, a), c) in to.iter_mut().zip(&from).zip(&from[16..]) {
            *t = a * 0.75 + c * 0.25;
        }
        black_box(&mut to);
    }
    begun.elapsed() * every
}

/// Further sizes at which the preset's rule has aims, by running jobs, processors and candidates.
const SIZES: [(&str, usize, u32, usize); 5] = [
    ("250 5000 200", 250, 5_000, 200),
    ("1000 5000 1000", 1_000, 5_000, 1_000),
    ("1000 6000 1000", 1_000, 6_000, 1_000),
    ("5000 100000 20000", 5_000, 100_000, 20_000),
    ("20000 1000000 10000", 20_000, 1_000_000, 10_000),
];

/// The preset's rule at four events a bin, with all its starts.
fn delay(bench: &mut Bench) {
    for (name, running, processors, candidates) in SCALES.into_iter().chain([LARGEST]).chain(SIZES) {
        let mut group = bench.benchmark_group(format!("delay/{name}"));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        let scenario = Scenario::new(running, processors, candidates, 4, 1);
        let mut memory = scenario.memory();
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &scenario.limits).unwrap();
        let releases = scenario.releases().len();
        println!(
            "# delay/{name}: {running} running jobs, {releases} releases at four events a bin, c_q = {}, {candidates} candidates, {} started; vectors: {VECTORS}",
            scenario.head - scenario.idle,
            scenario.decide(&mut pass, &Rule { unmeasured: true, ..Rule::DELAY }),
        );
        let mut bench = |what: &str, unmeasured: bool| {
            let rule = Rule { unmeasured, ..Rule::DELAY };
            group.bench_function(what, |b| b.iter(|| black_box(scenario.decide(&mut pass, &rule))));
        };
        bench("4 events a bin", true);
        if !name.contains(' ') {
            bench("every delay measured", false);
            group.throughput(Throughput::Elements(releases as u64 * u64::from(processors)));
            let every = if name == LARGEST.0 { 256 } else { 1 };
            group.bench_function("E x C multiply-adds", |b| {
                b.iter_custom(|rounds| multiply_adds(releases, processors as usize, every, rounds))
            });
        }
        group.finish();
    }
}

fn passes(bench: &mut Bench) {
    for (name, running, processors, candidates) in SCALES {
        let mut group = bench.benchmark_group(name);
        group.sample_size(20).measurement_time(Duration::from_secs(3));
        let scenario = Scenario::new(running, processors, candidates, 1, 1);
        println!(
            "# {name}: {running} running jobs, {} releases at one event a bin, c_q = {}, {candidates} candidates; vectors: {VECTORS}",
            scenario.releases().len(),
            scenario.head - scenario.idle,
        );
        for events in [1, 4] {
            let scenario = Scenario::new(running, processors, candidates, events, 1);
            let mut memory = scenario.memory();
            let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &scenario.limits).unwrap();
            for criterion in [Criterion::Probability, Criterion::Bound, Criterion::Seconds] {
                let id = BenchmarkId::new(format!("{criterion:?}"), format!("{events} events a bin"));
                group.bench_function(id, |b| {
                    b.iter(|| black_box(scenario.decide(&mut pass, &rule(criterion))))
                });
            }
        }
        let scenario = Scenario::new(running, processors, candidates, 1, 1);
        let mut memory = scenario.memory();
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &scenario.limits).unwrap();
        // Without a budget every candidate is judged and none started: one walk over the releases.
        let judged = Rule { budget: 0.0, ..rule(Criterion::Probability) };
        group.bench_function("Probability, none started/1 events a bin", |b| {
            b.iter(|| black_box(scenario.decide(&mut pass, &judged)))
        });
        if name == "archive" {
            group.bench_function("papers' program, whole queue", |b| {
                b.iter(|| (0..candidates).map(|c| scenario.naive(c, 0.05)).sum::<f64>())
            });
        } else {
            group.sample_size(10);
            group.bench_function("papers' program, one candidate", |b| {
                b.iter(|| scenario.naive(black_box(0), 0.05))
            });
        }
        let releases = scenario.releases().len();
        group.throughput(Throughput::Elements(releases as u64 * u64::from(processors)));
        group.bench_function("E x C multiply-adds", |b| {
            b.iter_custom(|rounds| multiply_adds(releases, processors as usize, 1, rounds))
        });
        group.finish();
    }
}

criterion_group!(benches, passes, delay);
criterion_main!(benches);
