//! Wall time of one plan of the whole queue, from `begin` to the starts, where one job in four fits the idle
//! processors: at the archive's scale, at a large one and at the largest; each pass is made again from the same kept
//! order, as after an event that brought little. Steps of profiles and orders looked at are printed beside them.

use criterion::{BatchSize, Criterion as Bench, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use surefill::plan::{Plan, PlanCapacity, PlanRule, WaitingJob};
use surefill::schedule::RecentWaits;

/// Running and waiting jobs.
const SCALES: [(u32, u32); 4] = [(60, 20), (250, 64), (1000, 1000), (20_000, 10_000)];

/// A linear congruential generator, its high bits.
fn below(state: &mut u64, count: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % count
}

/// Seconds from a minute to two days, even in the logarithm.
fn seconds(state: &mut u64) -> i64 {
    (60.0 * f64::powf(2880.0, below(state, 1 << 20) as f64 / f64::from(1 << 20))) as i64
}

fn pass(plan: &mut Plan<'_>, recent: &RecentWaits<'_>, running: u32, waiting: u32) -> usize {
    let mut state = 7;
    plan.begin(32);
    for _ in 0..running {
        let end = seconds(&mut state);
        plan.add_running(1 << below(&mut state, 6), end, 2 * end).unwrap();
    }
    for number in 0..waiting {
        let run_time = seconds(&mut state);
        let job = WaitingJob {
            id: number.into(),
            // One in four is at most as wide as what is idle.
            processors: 1 << (if below(&mut state, 4) == 0 { 0 } else { 6 } + below(&mut state, 5)),
            run_time,
            limit: 2 * run_time,
            waited: 20 * i64::from(waiting - number),
            credit: 0,
            tier: 0,
            promised: 0,
            later: false,
        };
        plan.add_waiting(&job).unwrap();
    }
    plan.decide(&PlanRule::FAIR, recent, recent).unwrap();
    plan.starting().len()
}

fn plans(bench: &mut Bench) {
    let mut recent = vec![0_u64; RecentWaits::size(5000).unwrap().div_ceil(8)];
    let mut recent = RecentWaits::init(bytemuck::cast_slice_mut(&mut recent), 5000).unwrap();
    let mut state = 3;
    for _ in 0..5000 {
        recent.add(10 * seconds(&mut state)).unwrap();
    }
    let mut group = bench.benchmark_group("plan");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for (running, waiting) in SCALES {
        let capacity = PlanCapacity { running, waiting };
        let mut memory = vec![0_u64; Plan::size(&capacity).unwrap().div_ceil(8)];
        let mut plan = Plan::init(bytemuck::cast_slice_mut(&mut memory), &capacity, 1).unwrap();
        let started = pass(&mut plan, &recent, running, waiting);
        let work = plan.work();
        println!(
            "# {running} running, {waiting} waiting: {started} start, {} orders, {} steps, {} bytes",
            work.evaluations,
            work.steps,
            memory.len() * 8
        );
        group.bench_function(format!("{running} running, {waiting} waiting"), |b| {
            b.iter_batched_ref(
                || memory.clone(),
                |memory| {
                    let mut plan = Plan::attach(bytemuck::cast_slice_mut(memory)).unwrap();
                    black_box(pass(&mut plan, &recent, running, waiting))
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, plans);
criterion_main!(benches);
