//! A schedule as Batsim's jobs.csv, which evalys' `JobSet.from_csv` reads.
//!
//! Times are seconds from the first submission; `allocated_resources` are intervals of processors, `0-3 7`. The
//! machine's processors are all alike and the replay only counts them: here each job gets the lowest free ones when it
//! starts.

use crate::replay::outcome::Outcome;
use std::collections::BTreeSet;
use std::io::{self, Write};

const TITLES: &str = "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,\
                      starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources";

/// Writes the jobs of a replay, in order of submission. O(jobs x log jobs + processor starts).
///
/// # Errors
/// Those of the writer.
pub fn write(out: &mut impl Write, outcome: &Outcome) -> io::Result<()> {
    let origin = outcome.jobs.iter().map(|job| job.submit).min().unwrap_or(0);
    let trace = &outcome.setup.trace;
    // A comma would end the field.
    let workload = trace.replace(|letter: char| letter == ',' || letter == '"' || letter.is_control(), "_");
    writeln!(out, "{TITLES}")?;
    for (job, held) in outcome.jobs.iter().zip(allocate(outcome)) {
        let (execution, wait) = (job.end - job.start, job.start - job.submit);
        let turnaround = job.end - job.submit;
        // A job of no time has no stretch, but evalys reads numbers only.
        let stretch = turnaround as f64 / execution.max(1) as f64;
        let success = u8::from(execution <= job.limit);
        let (submit, start, end) = (job.submit - origin, job.start - origin, job.end - origin);
        writeln!(
            out,
            "{},{workload},{submit},{},{},{success},{start},{execution},{end},{wait},{turnaround},{stretch},{}",
            job.number,
            job.processors,
            job.limit,
            intervals(&held)
        )?;
    }
    Ok(())
}

/// The processors of each job, lowest first.
fn allocate(outcome: &Outcome) -> Vec<Vec<u32>> {
    let mut held: Vec<Vec<u32>> = vec![Vec::new(); outcome.jobs.len()];
    // Ends come before starts of the same second; a job of no time holds its processors for its own instant.
    let mut events: Vec<(i64, u8, usize)> = Vec::new();
    for (index, job) in outcome.jobs.iter().enumerate() {
        events.push((job.start, 1, index));
        events.push((job.end, if job.end == job.start { 2 } else { 0 }, index));
    }
    events.sort_unstable();
    let mut free: BTreeSet<u32> = (0..outcome.setup.procs).collect();
    let mut waiting: Vec<usize> = Vec::new();
    for (_, kind, index) in events {
        if kind == 1 {
            waiting.push(index);
        } else {
            free.extend(held[index].iter().copied());
        }
        // Jobs of no time may make room for others in the same second.
        waiting.retain(|&index| {
            let wanted = outcome.jobs[index].processors as usize;
            if free.len() < wanted {
                return true;
            }
            held[index] = (0..wanted).filter_map(|_| free.pop_first()).collect();
            false
        });
    }
    held
}

/// `0-3 7` of sorted numbers.
fn intervals(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let text = runs.filter_map(|run| match run {
        [only] => Some(only.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
        [] => None,
    });
    text.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::outcome::JobRecord;
    use crate::replay::setup::Setup;

    #[test]
    fn no_processor_is_held_twice() {
        let job = |number: i64, start: i64, end: i64, processors: u32| JobRecord {
            number,
            user: 1,
            submit: 100,
            start,
            end,
            processors,
            limit: 50,
            backfill: None,
        };
        let jobs = vec![
            job(1, 100, 110, 3),
            job(2, 100, 200, 2),
            job(3, 110, 120, 2),
            job(4, 110, 110, 3),
            job(5, 120, 130, 6),
        ];
        let outcome = Outcome {
            setup: Setup { procs: 8, trace: "a,b.swf".to_owned(), ..Setup::default() },
            jobs,
            passes: 0,
            decisions: 0,
            pass_seconds: Vec::new(),
            wall_seconds: 0.0,
            nodes: None,
        };
        let mut text = Vec::new();
        write(&mut text, &outcome).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "1,a_b.swf,0,3,50,1,0,10,10,0,10,1,0-2");
        assert_eq!(lines[2], "2,a_b.swf,0,2,50,0,0,100,100,0,100,1,3-4");
        assert_eq!(lines[5], "5,a_b.swf,0,6,50,1,20,10,30,20,30,3,0-2 5-7");
        let held = allocate(&outcome);
        assert_eq!(held.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 2, 3, 6]);
        for (i, a) in outcome.jobs.iter().enumerate() {
            for (j, b) in outcome.jobs.iter().enumerate().skip(i + 1) {
                let together = a.start < b.end && b.start < a.end;
                assert!(!together || held[i].iter().all(|processor| !held[j].contains(processor)), "{i} {j}");
            }
        }
    }
}
