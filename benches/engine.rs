//! Wall time of the scheduler engine: a decision of one pool, a whole listing in which nothing has changed, and a
//! job's life of three events, at the archive's scale, at a large one and at the largest; a decision on shared nodes.
//! Bytes are printed beside them.

use criterion::{Criterion as Bench, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use surefill::engine::{
    Action, Cycle, JobReport, JobState, NodeReport, Scheduler, SchedulerCapacity, StartForecast, Wants,
};
use surefill::nodes::Spread;
use surefill::predict::{Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::RuntimeBins;

/// Running and waiting jobs.
const SCALES: [(u32, u32); 4] = [(60, 20), (250, 750), (4000, 16_000), (20_000, 80_000)];

/// A scenario of a forecast of starts is played of no more jobs than these.
const SCENARIOS: u32 = 20_000;

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

/// A decision of the first pool: the units or tasks that are offered.
fn offered(scratch: &mut [u64], scheduler: &mut Scheduler<'_>, now: i64) -> u32 {
    let mut cycle = Cycle::begin(bytemuck::cast_slice_mut(scratch), scheduler, 0, now).unwrap();
    let mut offers = 0;
    while let Action::Start(offer) = cycle.next(scheduler).unwrap() {
        offers += offer.count;
    }
    offers
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
            b.iter(|| black_box(offered(&mut scratch, &mut scheduler, now)));
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
        group.bench_function(format!("time of the next decision, {name}"), |b| {
            b.iter(|| black_box(scheduler.wake(now).unwrap()));
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

/// A job of one of five shapes on nodes of 64 cores, of which half have 8 GPUs.
fn on_nodes(state: &mut u64, number: u32, now: i64) -> JobReport<'static> {
    let cores = 4 << below(state, 5);
    let gpus = if below(state, 3) == 0 { 1 + below(state, 2) as u32 } else { 0 };
    JobReport {
        id: i64::from(number) + 1,
        user: below(state, 200) as i64,
        submit: now - 100_000 + 10 * i64::from(number),
        limit: seconds(state),
        count: 1 + below(state, 8) as u32,
        queues: &[0],
        wants: Wants {
            each: [cores, cores * (1 + below(state, 6) as u32), gpus, 0, 0, 0, 0, 0],
            spread: if below(state, 2) == 0 { Spread::Nodes } else { Spread::Tasks },
            ..Wants::default()
        },
        ..JobReport::default()
    }
}

/// The same on shared nodes, filled by a decision of its own: the cycle begins by building the machine.
fn engines_on_nodes(bench: &mut Bench) {
    let mut group = bench.benchmark_group("engine on nodes");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (nodes, waiting) in [(128, 750), (2000, 1000)] {
        let capacity = SchedulerCapacity { parts: 1 << 15, ..SchedulerCapacity::on_nodes(8192, nodes) };
        let mut memory = vec![0_u64; Scheduler::size(&capacity).unwrap().div_ceil(8)];
        let mut scratch = vec![0_u64; Cycle::size(&capacity).unwrap().div_ceil(8)];
        let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
        scheduler.set_pool(b"pool", 0, None).unwrap();
        scheduler.set_queue(b"queue", 0).unwrap();
        for number in 0..nodes {
            let amounts = [64, 512, 8 * (number % 2), 0, 0, 0, 0, 0];
            let node = NodeReport { name: number.into(), amounts, ..NodeReport::default() };
            scheduler.set_node(0, number, &node).unwrap();
        }
        let (mut state, mut number, now) = (7, 0, 2_000_000);
        // Until as many wait as are asked for.
        while (scheduler.counts().0 as u32) < waiting {
            let missing = waiting - scheduler.counts().0 as u32;
            for _ in 0..missing {
                scheduler.set_job(now, &on_nodes(&mut state, number, now)).unwrap();
                number += 1;
            }
            let memory = bytemuck::cast_slice_mut(&mut scratch);
            let mut cycle = Cycle::begin(memory, &mut scheduler, 0, now).unwrap();
            while let Action::Start(offer) = cycle.next(&mut scheduler).unwrap() {
                cycle.started(&mut scheduler, offer.number, offer.job).unwrap();
            }
            cycle.close(&mut scheduler).unwrap();
        }
        // A twentieth of the running jobs end.
        for id in (1..=i64::from(number)).step_by(20) {
            let _ = scheduler.set_job(now, &JobReport { id, state: JobState::Ended, ..JobReport::default() });
        }
        let (waits, runs) = scheduler.counts();
        println!(
            "# {nodes} nodes, {runs} running, {waits} waiting: {} bytes, scratch {}",
            memory.len() * 8,
            scratch.len() * 8
        );
        let mut scheduler = Scheduler::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        for preset in ["fair", "easy"] {
            scheduler.configure(&format!("preset={preset}"), "").unwrap();
            group.bench_function(format!("decision, {preset}, {nodes} nodes"), |b| {
                b.iter(|| black_box(offered(&mut scratch, &mut scheduler, now)));
            });
        }
    }
    group.finish();
}

/// The life of a job in a predictor of contexts that has learnt from 2,000: its submission, a question and its end.
fn contexts(bench: &mut Bench) {
    let capacity = PredictorCapacity::of(PredictorKind::Contexts);
    let bins = RuntimeBins::new(10.0, 1.5, capacity.mixture.bins as usize).unwrap();
    let mut memory = vec![0_u64; Predictor::size(&capacity).unwrap() / 8];
    let options = PredictorOptions::of(PredictorKind::Contexts);
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, &bins, &options).unwrap();
    let mut predictor = Predictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    let (mut state, mut id, mut now) = (5, 0, 1_000_000);
    let mut life = || {
        let keys = [below(&mut state, 200) as i64, 600 << below(&mut state, 8), 1 << below(&mut state, 5)];
        (id, now) = (id + 1, now + 60);
        predictor.submit(id, &keys, now).unwrap();
        let predicted = predictor.predict_job(id).unwrap().is_ok();
        predictor.start(id, now).unwrap();
        predictor.end(id, now + 50).unwrap();
        predicted
    };
    (0..2000).for_each(|_| {
        black_box(life());
    });
    bench.bench_function("a predictor of contexts/submission, question, start and end", |b| {
        b.iter(|| black_box(life()));
    });
}

criterion_group!(benches, engines, engines_on_nodes, contexts);
criterion_main!(benches);
