//! Wall time of one forecast of all waiting jobs' starts: 100 running and 500 waiting jobs on 1,024 processors, 200
//! scenarios, under EASY by limits, EASY by medians with the shortest candidates first, and five reservations.

use criterion::{Criterion as Bench, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use surefill::forecast::{CandidateOrder, Forecast, ForecastCapacity, ForecastOptions, Plans, Progress};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

const PROCESSORS: u32 = 1024;
const RUNNING: u32 = 100;
const WAITING: u32 = 500;

/// A linear congruential generator, its high bits.
fn below(state: &mut u64, count: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % count
}

/// Widths from 1 to 128, mostly powers of two; limits from half an hour to a day; run times around any part of the
/// limit.
fn job(state: &mut u64, bins: &RuntimeBins) -> (u32, i64, RuntimeDistribution) {
    let processors = 1 << below(state, 8);
    let limit = 1800 * (1 + below(state, 48) as i64);
    let samples = (0..8).map(|_| (1 + below(state, limit as u64) as i64, 1.0));
    (processors, limit, RuntimeDistribution::from_samples(bins, samples.collect::<Vec<_>>()).unwrap())
}

fn forecasts(bench: &mut Bench) {
    let bins = RuntimeBins::default();
    let capacity = ForecastCapacity {
        running: RUNNING,
        waiting: WAITING,
        processors: PROCESSORS,
        ..ForecastCapacity::default()
    };
    let mut memory = vec![0u64; Forecast::size(&capacity).unwrap() / 8];
    let mut state = 1;
    let mut free = PROCESSORS;
    let running: Vec<_> = (0..RUNNING)
        .map(|left| {
            let (processors, limit, belief) = job(&mut state, &bins);
            // Something is left for the others.
            let processors = processors.min(free.saturating_sub(RUNNING - left)).max(1);
            free -= processors;
            (processors, limit, below(&mut state, limit as u64) as i64, belief)
        })
        .collect();
    let waiting: Vec<_> = (0..WAITING).map(|_| job(&mut state, &bins)).collect();
    let easy = ForecastOptions::default();
    let mut group = bench.benchmark_group("100 running, 500 waiting, 200 scenarios");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (name, options) in [
        ("EASY", easy),
        ("EASY++", ForecastOptions { order: CandidateOrder::Shortest, plans: Plans::Medians, ..easy }),
        ("five reservations", ForecastOptions { reservations: 5, ..easy }),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
                forecast.begin(0, free, &options).unwrap();
                for (processors, limit, age, belief) in &running {
                    forecast.add_running(*processors, *age, *limit, belief).unwrap();
                }
                for (processors, limit, belief) in &waiting {
                    forecast.add_waiting(*processors, *limit, 0, belief).unwrap();
                }
                assert_eq!(forecast.run(u64::MAX), Ok(Progress::Done));
                black_box(forecast.start_quantile(WAITING as usize - 1, 0.5).unwrap().value)
            })
        });
    }
}

criterion_group!(benches, forecasts);
criterion_main!(benches);
