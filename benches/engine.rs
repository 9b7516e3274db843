//! Wall time of the scheduler engine: a decision of one pool, a whole listing in which nothing has changed, and a job's
//! life of three events, at the archive's scale, at a large one and at the largest. Bytes are printed beside them.

use criterion::{Criterion as Bench, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use surefill::engine::{Action, Cycle, JobReport, JobState, Scheduler, SchedulerCapacity, StartForecast};

/// Running and waiting jobs.
const SCALES: [(u32, u32); 4] = [(60, 20), (250, 750), (4000, 16_000), (20_000, 80_000)];

/// A scenario of a forecast of starts is played of no more jobs than these: every event costs as much as a decision.
const SCENARIOS: u32 = 1000;

/// Units that are left idle.
const IDLE: u32 = 32;

/// A linear congruential generator, its high bits.
fn below(state: &mut u64, count: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % count
}

/// Seconds from a minute to two days, even in the logarithm.
fn seconds(state: &mut u64) -> i64 {
    (60.0 * f64::powf(2880.0, below(state, 1 << 20) as f64 / f64::from(1 << 20))) as i64
}

/// Some running and waiting jobs, of which one in four fits what is idle.
fn jobs(running: u32, waiting: u32) -> Vec<JobReport<'static>> {
    let mut state = 7;
    (0..running + waiting)
        .map(|number| {
            let runs = number < running;
            let wide = below(&mut state, 4) > 0;
            JobReport {
                id: i64::from(number) + 1,
                state: if runs { JobState::Running } else { JobState::Waiting },
                user: below(&mut state, 200) as i64,
                submit: 100_000 + 10 * i64::from(number),
                start: if runs { 2_000_000 - seconds(&mut state) / 4 } else { 0 },
                limit: seconds(&mut state),
                count: 1 << (if wide && !runs { 6 } else { 0 } + below(&mut state, 5)),
                queues: &[0],
                ..JobReport::default()
            }
        })
        .collect()
}

fn engines(bench: &mut Bench) {
    let mut group = bench.benchmark_group("engine");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for (running, waiting) in SCALES {
        let capacity = SchedulerCapacity::of(running + waiting + 8);
        let mut memory = vec![0_u64; Scheduler::size(&capacity).unwrap().div_ceil(8)];
        let mut scratch = vec![0_u64; Cycle::size(&capacity).unwrap().div_ceil(8)];
        println!(
            "# {running} running, {waiting} waiting: {} bytes, scratch {}",
            memory.len() * 8,
            scratch.len() * 8
        );
        let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
        let jobs = jobs(running, waiting);
        let held: u32 = jobs.iter().take(running as usize).map(|job| job.count).sum();
        scheduler.set_pool(b"pool", held + IDLE, None).unwrap();
        scheduler.set_queue(b"queue", 0).unwrap();
        let now = 2_000_000;
        // Users with a past, so that predictions are made.
        for past in 0..2000 {
            let job = jobs[past % jobs.len()];
            let report = JobReport {
                id: 1 << 40 | past as i64,
                state: JobState::Ended,
                ran: job.limit / 3 + 1,
                ..job
            };
            scheduler.set_job(now, &report).unwrap();
        }
        for job in &jobs {
            scheduler.set_job(now, job).unwrap();
        }
        let name = format!("{running} running, {waiting} waiting");
        group.bench_function(format!("decision, {name}"), |b| {
            b.iter(|| {
                let memory = bytemuck::cast_slice_mut(&mut scratch);
                let mut cycle = Cycle::begin(memory, &mut scheduler, 0, now).unwrap();
                let mut offers = 0;
                while let Action::Start(offer) = cycle.next(&mut scheduler).unwrap() {
                    offers += offer.count;
                }
                black_box(offers)
            });
        });
        if running + waiting <= SCENARIOS {
            let mut scratch = vec![0_u64; StartForecast::size(&capacity, 1).unwrap().div_ceil(8)];
            group.bench_function(format!("scenario of starts, {name}"), |b| {
                b.iter(|| {
                    let memory = bytemuck::cast_slice_mut(&mut scratch);
                    let mut starts = StartForecast::begin(memory, &mut scheduler, 0, now, 1).unwrap();
                    while !starts.run(&mut scheduler, 1000).unwrap() {}
                    black_box(starts.levels(jobs[running as usize].id).unwrap())
                });
            });
        }
        group.bench_function(format!("unchanged listing, {name}"), |b| {
            b.iter(|| {
                scheduler.list_begin(now).unwrap();
                for job in &jobs {
                    scheduler.set_job(now, job).unwrap();
                }
                black_box(scheduler.list_end(now).unwrap())
            });
        });
        let mut id = 1 << 20;
        group.bench_function(format!("submission, start and end, {name}"), |b| {
            b.iter(|| {
                id += 1;
                let job = JobReport { id, count: 1, submit: now, ..jobs[running as usize] };
                for state in [JobState::Waiting, JobState::Running, JobState::Ended] {
                    scheduler.set_job(now, &JobReport { state, ..job }).unwrap();
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, engines);
criterion_main!(benches);
