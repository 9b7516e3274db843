//! A whole scheduler around a made-up resource manager: a machine of 64 processors and eight jobs.
//!
//!     cargo run --example whole_scheduler
//!
//! The shell consists of two functions: `report` reports a job's state to the scheduler, `decide` runs a cycle and
//! carries out its offers. The manager is a list of jobs and a clock here; a real one starts processes. The scheduler
//! keeps all its state in one block, which is sealed and opened again after 35 minutes, as when the manager restarts.

use surefill::engine::{Action, Cycle, JobReport, JobState, Refusal, Scheduler, SchedulerCapacity};
use surefill::error::Result;

const MACHINE: u32 = 64;
const MINUTE: i64 = 60;

/// A job of the manager. Times are in minutes; it runs for `runs` and may run for `limit`.
struct Job {
    user: i64,
    submit: i64,
    processors: u32,
    limit: i64,
    runs: i64,
    start: Option<i64>,
    ended: bool,
}

/// User 1 runs for a tenth of what is requested, user 2 for nearly all of it.
fn workload() -> Vec<Job> {
    let job = |user, submit, processors, limit, runs| Job {
        user,
        submit,
        processors,
        limit,
        runs,
        start: None,
        ended: false,
    };
    vec![
        job(1, 0, 32, 100, 10),
        job(2, 1, 32, 60, 58),
        job(1, 15, 32, 100, 9),
        job(1, 30, 16, 100, 11),
        job(2, 40, 64, 60, 59),
        job(2, 41, 32, 60, 57),
        job(1, 42, 16, 100, 10),
        job(1, 43, 16, 100, 10),
    ]
}

/// Reports a job as the manager has it now.
fn report(scheduler: &mut Scheduler<'_>, queue: u32, jobs: &[Job], number: usize, now: i64) -> Result<()> {
    let job = &jobs[number];
    let state = match job.start {
        _ if job.ended => JobState::Ended,
        Some(_) => JobState::Running,
        None => JobState::Waiting,
    };
    let said = JobReport {
        id: number as i64 + 1,
        state,
        user: job.user,
        submit: job.submit * MINUTE,
        start: job.start.unwrap_or(0) * MINUTE,
        limit: job.limit * MINUTE,
        count: job.processors,
        queues: &[queue],
        ..JobReport::default()
    };
    scheduler.set_job(now * MINUTE, &said)
}

/// Runs one cycle of the pool: starts the jobs that it offers, and prints why the others wait.
fn decide(
    scheduler: &mut Scheduler<'_>,
    scratch: &mut [u8],
    pool: u32,
    jobs: &mut [Job],
    now: i64,
) -> Result<()> {
    let mut cycle = Cycle::begin(scratch, scheduler, pool, now * MINUTE)?;
    while let Action::Start(offer) = cycle.next(scheduler)? {
        let busy: u32 =
            jobs.iter().filter(|job| job.start.is_some() && !job.ended).map(|job| job.processors).sum();
        let job = &mut jobs[offer.job as usize - 1];
        // The manager has the last word.
        if busy + job.processors > MACHINE {
            cycle.refused(scheduler, offer.number, Refusal::Busy)?;
            continue;
        }
        job.start = Some(now);
        cycle.started(scheduler, offer.number, offer.job)?;
        let passed = if offer.head != 0 { format!(", passing job {}", offer.head) } else { String::new() };
        println!("{now:4} min: job {} starts{passed}", offer.job);
    }
    for id in (1..).zip(&*jobs).filter(|(_, job)| job.start.is_none() && job.submit <= now).map(|(id, _)| id)
    {
        println!("{now:4} min: job {id} waits: {}", cycle.reason(scheduler, id)?);
    }
    cycle.close(scheduler)
}

/// Runs the manager minute by minute until all jobs have ended.
pub fn main() -> Result<()> {
    let mut jobs = workload();
    let capacity = SchedulerCapacity::of(100);
    let mut memory = vec![0_u64; Scheduler::size(&capacity)?.div_ceil(8)];
    let mut scratch = vec![0_u64; Cycle::size(&capacity)?.div_ceil(8)];
    let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity)?;
    let pool = scheduler.set_pool(b"nodes", MACHINE, None)?;
    let queue = scheduler.set_queue(b"batch", pool)?;

    for now in 0.. {
        if now == 35 {
            // A checkpoint: its bytes would go to a file.
            Scheduler::seal(bytemuck::cast_slice_mut(&mut memory))?;
            scheduler = Scheduler::open(bytemuck::cast_slice_mut(&mut memory))?;
        }
        for number in 0..jobs.len() {
            let job = &mut jobs[number];
            let ends = !job.ended && job.start.is_some_and(|start| start + job.runs == now);
            job.ended |= ends;
            if ends || job.submit == now {
                report(&mut scheduler, queue, &jobs, number, now)?;
            }
        }
        if scheduler.wake(now * MINUTE)?.is_some_and(|(when, _)| when <= now * MINUTE) {
            decide(&mut scheduler, bytemuck::cast_slice_mut(&mut scratch), pool, &mut jobs, now)?;
        }
        if jobs.iter().all(|job| job.ended) {
            break;
        }
    }
    Ok(())
}
