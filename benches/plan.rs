//! Wall time of one plan of the whole queue, from `begin` to the starts, where one job in four fits the idle
//! processors: two hundred queues of each size, each planned from the same memory, as after an event that brought
//! little. Steps of profiles and orders looked at are printed beside them.

#[path = "scenario/plan.rs"]
mod plan;

use std::hint::black_box;
use std::time::Instant;
use surefill::plan::Plan;
use surefill::schedule::RecentWaits;

/// Running and waiting jobs.
const SCALES: [(u32, u32); 9] = [
    (60, 20),
    (250, 200),
    (1000, 1000),
    (1000, 2000),
    (1000, 4000),
    (1000, 8000),
    (5000, 1000),
    (5000, 20_000),
    (20_000, 10_000),
];

/// Queues of each size, and of the first ones that only warm the caches.
const QUEUES: u64 = 200;
const WARM: u64 = 10;

fn main() {
    // `cargo test` runs benches with this argument, where one queue of each size is enough.
    let queues = if std::env::args().any(|argument| argument == "--bench") { QUEUES } else { 1 };
    let mut recent = plan::recent();
    let recent = RecentWaits::attach(bytemuck::cast_slice_mut(&mut recent)).unwrap();
    println!(
        "| running, waiting | orders | steps | mean [ms] | 99 % below [ms] | longest [ms] | memory [kB] |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for sizes in SCALES {
        let memory = plan::empty(sizes);
        let mut times = Vec::new();
        let (mut orders, mut steps) = (0, 0);
        for queue in 0..WARM.min(queues) + queues {
            let mut memory = memory.clone();
            let mut plan = Plan::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
            let begun = Instant::now();
            black_box(plan::pass(&mut plan, &recent, sizes, 7 + queue));
            let time = begun.elapsed().as_secs_f64() * 1e3;
            if queue >= WARM.min(queues) {
                times.push(time);
                (orders, steps) = (orders.max(plan.work().evaluations), steps.max(plan.work().steps));
            }
        }
        times.sort_by(f64::total_cmp);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let (nearly, longest) = (times[(times.len() - 1) * 99 / 100], times[times.len() - 1]);
        let kilobytes = memory.len() * 8 / 1000;
        println!(
            "| {}, {} | {orders} | {steps} | {mean:.2} | {nearly:.2} | {longest:.2} | {kilobytes} |",
            sizes.0, sizes.1
        );
    }
}
