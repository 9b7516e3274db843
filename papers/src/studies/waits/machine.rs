//! The machine as its scheduler knows it at every moment of a trace: free processors, and who waits in all queues.
//!
//! A trace says of each job when it was submitted, for how long it waited and how long it ran, so that at any moment it
//! is known who runs and who waits. A question at a time knows ends up to that time, but of submissions and starts
//! before it alone: a job that starts at once must not see itself run.

use surefill::wait::Machine;
use surefill_simulator::trace::swf::Trace;

/// Something that changes the machine.
struct Change {
    at: i64,
    /// Whether it is seen only after its second.
    late: bool,
    running: i64,
    jobs: i64,
    work: i128,
}

/// The machine of a trace over time.
#[derive(Debug, Clone)]
pub struct MachineHistory {
    /// From when on (false: from that second on; true: after it) the machine was so.
    moments: Vec<((i64, bool), Machine)>,
}

impl MachineHistory {
    /// The machine of a trace; `None` where the header does not say how many processors there are.
    pub fn of(trace: &Trace) -> Option<MachineHistory> {
        let processors = trace.header.max_procs.filter(|processors| *processors > 0)?;
        let mut changes = Vec::with_capacity(3 * trace.records.len());
        for record in trace.records.iter().filter(|record| record.wait >= 0) {
            let (used, requested) = (record.used_processors, record.requested_processors);
            let asked = if requested > 0 { requested } else { used }.max(0);
            let work = i128::from(asked) * i128::from(record.requested_time.max(0));
            let start = record.submit.saturating_add(record.wait);
            changes.push(Change { at: record.submit, late: true, running: 0, jobs: 1, work });
            let ran = record.run_time >= 0 && !(record.status == 5 && used <= 0);
            let held = if !ran {
                0
            } else if used > 0 {
                used
            } else {
                asked
            };
            changes.push(Change { at: start, late: true, running: held, jobs: -1, work: -work });
            if ran {
                // A job that ends in the second of its start is seen to end after it as well.
                let end = start.saturating_add(record.run_time);
                changes.push(Change { at: end, late: end == start, running: -held, jobs: 0, work: 0 });
            }
        }
        changes.sort_by_key(|change| (change.at, change.late));
        let (mut running, mut jobs, mut work) = (0i64, 0i64, 0i128);
        let mut moments: Vec<((i64, bool), Machine)> = Vec::new();
        for change in changes {
            running += change.running;
            jobs += change.jobs;
            work += change.work;
            // Traces have moments at which more runs than there is.
            let free = (i64::from(processors) - running).clamp(0, i64::from(processors)) as u32;
            let jobs = u32::try_from(jobs.max(0)).unwrap_or(u32::MAX);
            let work = u64::try_from(work.max(0)).unwrap_or(u64::MAX);
            let machine =
                Machine::new(processors, free, jobs, work).expect("no more are free than there are");
            match moments.last_mut() {
                Some((at, last)) if *at == (change.at, change.late) => *last = machine,
                _ => moments.push(((change.at, change.late), machine)),
            }
        }
        Some(MachineHistory { moments })
    }

    /// The machine as a question at this time knows it; `None` before anything has happened. O(log n).
    pub fn at(&self, now: i64) -> Option<&Machine> {
        let known = self.moments.partition_point(|(at, _)| *at <= (now, false));
        known.checked_sub(1).map(|last| &self.moments[last].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::trace::swf::{Strictness, read};

    #[test]
    fn who_runs_and_who_waits_is_known_by_hand() {
        // Two of 4 processors from 0 to 10; three, submitted at 5, from 10 to 30; one cancelled after 7 s of waiting.
        let text = "; MaxProcs: 4\n\
            1 0 0 10 2 -1 -1 2 90 -1 1 1 -1 -1 1 -1 -1 -1\n\
            2 5 5 20 3 -1 -1 3 50 -1 1 1 -1 -1 2 -1 -1 -1\n\
            3 6 7 -1 -1 -1 -1 1 40 -1 5 1 -1 -1 1 -1 -1 -1\n";
        let trace = read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap();
        let history = MachineHistory::of(&trace).unwrap();
        let machine = |free, jobs, work| Some(Machine::new(4, free, jobs, work).unwrap());
        assert_eq!(history.at(0).copied(), None); // it does not see itself
        for (now, wanted) in [
            (1, machine(2, 0, 0)),
            (5, machine(2, 0, 0)),
            (6, machine(2, 1, 150)),
            (7, machine(2, 2, 190)),
            (10, machine(4, 2, 190)), // the first has ended, the second has not yet started
            (11, machine(1, 1, 40)),
            (14, machine(1, 0, 0)),
            (30, machine(4, 0, 0)),
        ] {
            assert_eq!(history.at(now).copied(), wanted, "{now}");
        }
        let unknown =
            read("1 0 0 10 2 -1 -1 2 90 -1 1 1 -1 -1 1 -1 -1 -1\n".as_bytes(), "t.swf", Strictness::Strict);
        assert!(MachineHistory::of(&unknown.unwrap()).is_none());
    }
}
