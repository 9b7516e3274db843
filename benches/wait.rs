//! Wall time of one more known wait plus one prediction with 100,000 waits remembered (the .95 bound of the .95
//! quantile, the history full, so that each wait displaces one), beside keeping the waits sorted in a vector and beside
//! sorting them afresh; and of the order statistic's index.

#[path = "../tests/common/splitmix.rs"]
mod splitmix;

use criterion::{BenchmarkId, Criterion as Bench, criterion_group, criterion_main};
use splitmix::splitmix;
use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;
use surefill::wait::*;

const WAITS: usize = 100_000;

/// Log-normal waits, as rough as those of real queues, from SplitMix64.
struct Waits(u64);

impl Waits {
    fn next(&mut self) -> i64 {
        let u = ((splitmix(&mut self.0) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
        (7.0 + 2.5 * surefill::math::normal::quantile(u)).exp() as i64
    }
}

/// A job submitted, which gets a bound, and one started, with every component on; the clock, the queue of jobs
/// that wait and the clusters, which are made again every 1,000 waits, included.
fn whole_handle(group: &mut criterion::BenchmarkGroup<criterion::measurement::WallTime>, waits: &[i64]) {
    let components = TRIM | CLUSTER | AVAILABILITY | ADAPT;
    let options = WaitOptions { components, ..WaitOptions::papers() };
    for (name, known) in
        [("one job submitted, one started: all components", false), ("the same, as a known wait", true)]
    {
        let limits = WaitCapacity {
            history: WAITS as u32,
            queued: 4096,
            releases: 4096,
            clusters: 16,
            neighbours: 8192,
        };
        let mut memory = vec![0u64; WaitPredictor::size(&limits).unwrap().div_ceil(8)];
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
        let job = |i: usize| Features { requested: (i % 97) as i64 * 600, processors: 1 };
        let mut i = 0;
        let mut one = || {
            let wait = waits[i % waits.len()];
            let now = 60 * i as i64;
            if known {
                predictor.known(wait, &job(i)).unwrap();
                black_box(predictor.predict(&job(i), 0.95, 0.95, 0).unwrap());
            } else {
                black_box(predictor.submit(i as i64, now, &job(i)).unwrap());
                // Some hundred jobs wait; they start between the submissions.
                let then = now + wait % 60;
                if let Some(first) = i.checked_sub(100 + (wait % 50) as usize) {
                    match predictor.start(first as i64, then) {
                        Ok(_) | Err(surefill::error::Error::UnknownJob) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
                if let Some(old) = i.checked_sub(200) {
                    // Those that were passed over.
                    let _ = predictor.start(old as i64, then);
                }
            }
            i += 1;
        };
        for _ in 0..2 * WAITS {
            one();
        }
        group.bench_function(name, |b| b.iter(&mut one));
    }
}

/// A job submitted, which is answered, and one started, with the default options, where this number of jobs wait.
fn defaults(group: &mut criterion::BenchmarkGroup<criterion::measurement::WallTime>, waits: &[i64]) {
    for queued in [100, 1_000, 10_000] {
        let limits = WaitCapacity { queued: 16_384, ..WaitCapacity::default() };
        let mut memory = vec![0u64; WaitPredictor::size(&limits).unwrap().div_ceil(8)];
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &WaitOptions::default())
                .unwrap();
        let job = |i: usize| Features { requested: (i % 97) as i64 * 600, processors: 1 + i as u32 % 13 };
        let mut i = 0;
        let mut one = || {
            // The queue is left in another order than that of submission.
            let now = 60 * i as i64;
            black_box(predictor.submit(i as i64, now, &job(i)).unwrap());
            if let Some(first) = i.checked_sub(queued) {
                let away = (waits[i % waits.len()] % 8) as usize;
                let first = (first & !7) + ((first + away) & 7);
                match predictor.start(first as i64, now) {
                    Ok(_) | Err(surefill::error::Error::UnknownJob) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
            if let Some(old) = i.checked_sub(queued + 16) {
                let _ = predictor.start(old as i64, now);
            }
            i += 1;
        };
        for _ in 0..40_000 {
            one();
        }
        group.bench_function(BenchmarkId::new("default options, jobs waiting", queued), |b| b.iter(&mut one));
    }
}

fn updates(bench: &mut Bench) {
    let mut group = bench.benchmark_group("one wait and one prediction, n = 100,000");
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    // Drawn beforehand.
    let mut source = Waits(1);
    let waits: Vec<i64> = (0..1 << 20).map(|_| source.next()).collect();
    for (name, components, clusters) in
        [("history alone", 0, 1), ("with change points", TRIM, 1), ("with clusters", CLUSTER, 16)]
    {
        let limits = WaitCapacity { history: WAITS as u32, queued: 1, releases: 0, clusters, neighbours: 0 };
        let mut memory = vec![0u64; WaitPredictor::size(&limits).unwrap().div_ceil(8)];
        let options = WaitOptions { components, ..WaitOptions::papers() };
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
        let job = |i: usize| Features { requested: (i % 97) as i64 * 600, processors: 1 };
        for (i, wait) in waits.iter().enumerate().take(2 * WAITS) {
            predictor.known(*wait, &job(i)).unwrap();
        }
        let mut i = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                i = (i + 1) % waits.len();
                predictor.known(waits[i], &job(i)).unwrap();
                black_box(predictor.predict(&job(i), 0.95, 0.95, 0).unwrap())
            })
        });
    }
    whole_handle(&mut group, &waits);
    defaults(&mut group, &waits);
    let index = upper_index(WAITS as u64, 0.95, 0.95).unwrap().unwrap() as usize - 1;
    let mut window: VecDeque<i64> = waits[..WAITS].iter().copied().collect();
    let mut sorted: Vec<i64> = waits[..WAITS].to_vec();
    sorted.sort();
    let mut i = 0;
    group.bench_function("sorted vector", |b| {
        b.iter(|| {
            i = (i + 1) % waits.len();
            let old = window.pop_front().unwrap();
            sorted.remove(sorted.partition_point(|wait| *wait < old));
            window.push_back(waits[i]);
            sorted.insert(sorted.partition_point(|wait| *wait < waits[i]), waits[i]);
            black_box(sorted[index])
        })
    });
    group.sample_size(10);
    group.bench_function("sorting afresh", |b| {
        b.iter(|| {
            i = (i + 1) % waits.len();
            window.pop_front();
            window.push_back(waits[i]);
            let mut sorted: Vec<i64> = window.iter().copied().collect();
            sorted.sort_unstable();
            black_box(sorted[index])
        })
    });
    group.finish();
}

fn indices(bench: &mut Bench) {
    let mut group = bench.benchmark_group("index of the .95 bound of the .95 quantile");
    group.sample_size(20).measurement_time(Duration::from_secs(1));
    for n in [59_u64, 1000, 100_000, 10_000_000] {
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| upper_index(black_box(n), 0.95, 0.95))
        });
    }
    group.finish();
}

criterion_group!(benches, updates, indices);
criterion_main!(benches);
