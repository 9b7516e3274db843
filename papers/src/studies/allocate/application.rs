//! Gain of a job by a strategy of its own while all others run under AVG (Downey 1997, section 5, Table 1).
//!
//! Whenever AVG starts a job on fewer than A processors, each strategy decides instead, from the same state, and is
//! followed until it starts the job: nothing else starts meanwhile, as the job is at the head of the queue. Jobs that
//! arrive prompt it. Nothing of this is effected.

use super::machine::Machine;
use super::strategy::{Decider, Decision, Events};
use super::workload::Job;

/// A job that was offered fewer processors than it wanted, under one strategy.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// The job.
    pub job: usize,
    /// Whether it refused.
    pub rebelled: bool,
    /// Seconds by which it ends sooner than if it had not.
    pub saved: f64,
}

/// Follows a job from the moment at which AVG would start it, with `queued` jobs in the queue, itself included.
pub fn follow(jobs: &[Job], machine: &Machine, index: usize, queued: usize, decider: &mut Decider) -> Offer {
    let job = &jobs[index];
    let began = machine.now;
    let docile = job.run_time(machine.free.min(job.most));
    decider.learn(began);
    let first = jobs.partition_point(|job| job.arrival <= began);
    let mut events = Events { arrival: false, completion: false };
    let mut decision = decider.decide(machine, job, queued, None, events);
    if let Decision::Start(_) = decision {
        return Offer { job: index, rebelled: false, saved: 0.0 };
    }
    let mut machine = machine.clone();
    let mut next = first;
    loop {
        match decision {
            Decision::Start(processors) => {
                let saved = docile - (machine.now - began) - job.run_time(processors);
                return Offer { job: index, rebelled: true, saved };
            }
            Decision::Wait(hold) => {
                let arrival = jobs.get(next).map_or(f64::INFINITY, |job| job.arrival);
                let now = machine.next_end().min(arrival).min(hold.until);
                events = Events { arrival: arrival <= now, completion: machine.advance(now) };
                next += usize::from(events.arrival);
                decision = decider.decide(&machine, job, queued + next - first, Some(hold), events);
            }
        }
    }
}
