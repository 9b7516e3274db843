//! Wall time of one forecast of all waiting jobs' starts: 100 running and 500 waiting jobs on 1,024 processors, 200
//! scenarios, under EASY by limits, EASY by medians with the shortest candidates first, and five reservations. Before
//! it, the processor time of a job and scenario in queues of 100 to 10,000 jobs, also in the orders of the presets.

use criterion::{Criterion as Bench, criterion_group};
use std::hint::black_box;
use std::time::{Duration, Instant};
use surefill::forecast::{CandidateOrder, Forecast, ForecastCapacity, ForecastOptions, Plans, Progress};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};
use surefill::schedule::{Preset, PresetName};

const PROCESSORS: u32 = 1024;
const RUNNING: u32 = 100;

/// A linear congruential generator, its high bits.
fn below(state: &mut u64, count: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % count
}

struct Job {
    processors: u32,
    age: i64,
    limit: i64,
    submit: i64,
    prediction: RuntimeDistribution,
}

/// Widths from 1 to 128, mostly powers of two; limits from half an hour to a day; run times around any part of the
/// limit.
fn job(state: &mut u64, bins: &RuntimeBins) -> Job {
    let processors = 1 << below(state, 8);
    let limit = 1800 * (1 + below(state, 48) as i64);
    let samples = (0..8).map(|_| (1 + below(state, limit as u64) as i64, 1.0));
    let prediction = RuntimeDistribution::from_samples(bins, samples.collect::<Vec<_>>()).unwrap();
    Job { processors, age: 0, limit, submit: 0, prediction }
}

/// A machine with its queue.
struct Queue {
    free: u32,
    running: Vec<Job>,
    waiting: Vec<Job>,
    capacity: ForecastCapacity,
    memory: Vec<u64>,
}

impl Queue {
    /// Jobs that were submitted in the last `seconds`.
    fn new(waiting: u32, seconds: u64) -> Queue {
        let bins = RuntimeBins::default();
        let capacity = ForecastCapacity {
            running: RUNNING,
            waiting,
            processors: PROCESSORS,
            ..ForecastCapacity::default()
        };
        let mut state = 1;
        let mut free = PROCESSORS;
        let running = (0..RUNNING)
            .map(|left| {
                let mut job = job(&mut state, &bins);
                // Something is left for the others.
                job.processors = job.processors.min(free.saturating_sub(RUNNING - left)).max(1);
                job.age = below(&mut state, job.limit as u64) as i64;
                free -= job.processors;
                job
            })
            .collect();
        let mut waiting: Vec<Job> = (0..waiting).map(|_| job(&mut state, &bins)).collect();
        if seconds > 0 {
            waiting.iter_mut().for_each(|job| job.submit = -(below(&mut state, seconds) as i64));
            waiting.sort_by_key(|job| job.submit);
        }
        let memory = vec![0u64; Forecast::size(&capacity).unwrap() / 8];
        Queue { free, running, waiting, capacity, memory }
    }

    /// The median start of the last job, and the seconds that the scenarios took.
    fn play(&mut self, options: &ForecastOptions) -> (i64, f64) {
        let mut forecast =
            Forecast::init(bytemuck::cast_slice_mut(&mut self.memory), &self.capacity).unwrap();
        forecast.begin(0, self.free, options).unwrap();
        for Job { processors, age, limit, prediction, .. } in &self.running {
            forecast.add_running(*processors, *age, *limit, prediction).unwrap();
        }
        for Job { processors, limit, submit, prediction, .. } in &self.waiting {
            forecast.add_waiting(*processors, *limit, *submit, prediction).unwrap();
        }
        let start = Instant::now();
        let begun = seconds(start);
        assert_eq!(forecast.run(u64::MAX), Ok(Progress::Done));
        let took = seconds(start) - begun;
        (forecast.start_quantile(self.waiting.len() - 1, 0.5).unwrap().value, took)
    }
}

/// Seconds of processor time that this thread has used, on Linux; else of the clock.
fn seconds(since: Instant) -> f64 {
    let schedstat = std::fs::read_to_string("/proc/self/schedstat").ok();
    let used = schedstat.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    used.map_or_else(|| since.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn forecasts(bench: &mut Bench) {
    let mut queue = Queue::new(500, 0);
    let easy = ForecastOptions::default();
    let mut group = bench.benchmark_group("100 running, 500 waiting, 200 scenarios");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (name, options) in [
        ("EASY", easy),
        ("EASY++", ForecastOptions { order: CandidateOrder::Shortest, plans: Plans::Medians, ..easy }),
        ("five reservations", ForecastOptions { reservations: 5, ..easy }),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(queue.play(&options))));
    }
}

/// Queues in which jobs have waited for up to two days.
fn long_queues() {
    let presets = [PresetName::Delay, PresetName::DelayFast];
    let [delay, fast] = presets.map(|name| ForecastOptions::of_preset(&Preset::new(name), 14_400.0));
    let easy = ForecastOptions::default();
    let shortest = ForecastOptions { order: CandidateOrder::Shortest, plans: Plans::Medians, ..easy };
    println!("waiting  microseconds a job and scenario: EASY, EASY++, delay, delay-fast");
    for waiting in [100, 1000, 10_000] {
        let mut queue = Queue::new(waiting, 172_800);
        let each = [easy, shortest, delay, fast].map(|options| {
            let options = ForecastOptions { scenarios: (200_000 / waiting).min(200), ..options };
            let times = 200_000 / (waiting * options.scenarios);
            (0..times).map(|_| queue.play(&options).1).sum::<f64>() / 200_000.0 * 1e6
        });
        println!("{waiting:7} {}", each.map(|us| format!("{us:8.2}")).concat());
    }
}

criterion_group!(benches, forecasts);

fn main() {
    long_queues();
    if !std::env::args().any(|argument| argument == "--long") {
        benches();
    }
}
