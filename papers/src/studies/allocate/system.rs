//! First come, first served, with the strategy in effect (Downey 1997, section 6, Table 2).

use super::lifetimes::Lifetimes;
use super::machine::Machine;
use super::strategy::{Decider, Decision, Events, Hold};
use super::workload::Job;
use std::collections::VecDeque;

/// Times and processors of a job that has run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Run {
    /// When it started.
    pub start: f64,
    /// When it ended.
    pub end: f64,
    /// On how many processors.
    pub processors: u32,
}

/// Runs the jobs; `at_start` sees every job just before it starts: the machine, its index, how many are queued (itself
/// included) and on how many processors.
pub fn run(
    jobs: &[Job],
    procs: u32,
    lifetimes: &Lifetimes,
    decider: &mut Decider,
    at_start: &mut dyn FnMut(&Machine, usize, usize, u32),
) -> Vec<Run> {
    let mut runs = vec![Run::default(); jobs.len()];
    let mut machine = Machine::new(procs);
    let mut queue: VecDeque<usize> = VecDeque::new();
    let mut hold: Option<Hold> = None;
    let mut next = 0;
    loop {
        let arrival = jobs.get(next).map_or(f64::INFINITY, |job| job.arrival);
        let prompt = hold.map_or(f64::INFINITY, |hold| hold.until);
        let now = machine.next_end().min(arrival).min(prompt);
        if now.is_infinite() {
            return runs;
        }
        let completion = machine.advance(now);
        let mut events = Events { arrival: false, completion };
        while jobs.get(next).is_some_and(|job| job.arrival <= now) {
            queue.push_back(next);
            next += 1;
            events.arrival = true;
        }
        decider.learn(now);
        while let Some(&index) = queue.front().filter(|_| machine.free > 0) {
            match decider.decide(&machine, &jobs[index], queue.len(), hold, events) {
                Decision::Wait(waits) => {
                    hold = Some(waits);
                    break;
                }
                Decision::Start(processors) => {
                    at_start(&machine, index, queue.len(), processors);
                    let end = machine.start(&jobs[index], processors, lifetimes);
                    runs[index] = Run { start: now, end, processors };
                    queue.pop_front();
                    hold = None;
                }
            }
        }
    }
}
