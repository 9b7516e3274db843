//! A plan of the whole queue, from `begin` to the starts, where one job in four fits the idle processors.

use surefill::plan::{Plan, PlanCapacity, PlanRule, WaitingJob};
use surefill::schedule::RecentWaits;

/// A linear congruential generator, its high bits.
pub fn below(state: &mut u64, count: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % count
}

/// Seconds from a minute to two days, even in the logarithm.
pub fn seconds(state: &mut u64) -> i64 {
    (60.0 * f64::powf(2880.0, below(state, 1 << 20) as f64 / f64::from(1 << 20))) as i64
}

/// One plan of the queue with this number, and the number of its starts.
pub fn pass(plan: &mut Plan<'_>, recent: &RecentWaits<'_>, sizes: (u32, u32), queue: u64) -> usize {
    let ((running, waiting), mut state) = (sizes, queue);
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

/// Memory for waits, five thousand of them known.
pub fn recent() -> Vec<u64> {
    let mut memory = vec![0_u64; RecentWaits::size(5000).unwrap().div_ceil(8)];
    let mut recent = RecentWaits::init(bytemuck::cast_slice_mut(&mut memory), 5000).unwrap();
    let mut state = 3;
    for _ in 0..5000 {
        recent.add(10 * seconds(&mut state)).unwrap();
    }
    memory
}

/// Memory with an empty plan for these numbers of running and waiting jobs.
pub fn empty((running, waiting): (u32, u32)) -> Vec<u64> {
    let capacity = PlanCapacity { running, waiting };
    let mut memory = vec![0_u64; Plan::size(&capacity).unwrap().div_ceil(8)];
    Plan::init(bytemuck::cast_slice_mut(&mut memory), &capacity, 1).unwrap();
    memory
}
