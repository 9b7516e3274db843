//! Questions to a copy of a scheduler, in which all waiting jobs are planned.

use super::block;
use surefill::engine::{Cycle, JobReport, Reason, Scheduler};
use surefill::error::Error;

/// Asks a cycle of this pool in a copy of the block.
fn planned<T>(
    memory: &[u64],
    pool: u32,
    now: i64,
    ask: impl FnOnce(&mut Cycle<'_>, &mut Scheduler<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    // A cycle notes its decision in its scheduler: here in the copy.
    let mut copy = memory.to_vec();
    let mut scheduler = Scheduler::attach(bytemuck::cast_slice_mut(&mut copy))?;
    let mut memory = block(Cycle::size(&scheduler.capacity())?);
    let mut cycle = Cycle::begin(bytemuck::cast_slice_mut(&mut memory), &mut scheduler, pool, now)?;
    cycle.plan_all(&mut scheduler)?;
    ask(&mut cycle, &mut scheduler)
}

/// Planned starts of these jobs.
pub(super) fn starts<T: FromIterator<(i64, Option<i64>)>>(
    memory: &[u64],
    pool: u32,
    now: i64,
    jobs: &[i64],
) -> Result<T, Error> {
    planned(memory, pool, now, |cycle, scheduler| {
        jobs.iter().map(|&job| Ok((job, cycle.planned(scheduler, job)?))).collect()
    })
}

/// The reasons of these jobs.
pub(super) fn of(memory: &[u64], pool: u32, now: i64, jobs: &[i64]) -> Result<Vec<Reason>, Error> {
    planned(memory, pool, now, |cycle, scheduler| {
        jobs.iter().map(|&job| cycle.reason(scheduler, job)).collect()
    })
}

/// The reason that a job would have that is not submitted.
pub(super) fn tried(memory: &[u64], pool: u32, now: i64, report: &JobReport<'_>) -> Result<Reason, Error> {
    planned(memory, pool, now, |cycle, scheduler| cycle.try_job(scheduler, report))
}
