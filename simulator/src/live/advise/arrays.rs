//! The arrays of a queue: how many of their tasks run, and their waiting tasks as jobs.

use super::read::{Job, State};
use super::tasks::{Tasks, array};
use super::{TASK_LIMIT, waits_for};
use std::collections::BTreeMap;

/// Number of tasks of each array that have nodes.
pub(in crate::live) fn running(jobs: &[Job]) -> BTreeMap<&str, u32> {
    let mut running = BTreeMap::new();
    for array in jobs.iter().filter(|job| job.holds_nodes()).filter_map(|job| array(&job.id)) {
        *running.entry(array).or_insert(0) += 1;
    }
    running
}

/// The same jobs with every waiting task as a job of its own. Those that the array's own limit keeps waiting say so, as
/// Slurm does where it has looked.
pub fn unrolled(jobs: Vec<Job>) -> Vec<Job> {
    let running: BTreeMap<String, u32> =
        running(&jobs).into_iter().map(|(array, count)| (array.to_owned(), count)).collect();
    let mut all = Vec::with_capacity(jobs.len());
    for job in jobs {
        let Some((tasks, array)) = job.tasks.clone().zip(array(&job.id).map(str::to_owned)) else {
            all.push(job);
            continue;
        };
        let runs = running.get(&array).copied().unwrap_or(0);
        let free = tasks.at_once.map_or(u32::MAX, |most| most.saturating_sub(runs)) as usize;
        for (place, number) in tasks.numbers().enumerate() {
            let mut task = Job { id: format!("{array}_{number}"), tasks: None, ..job.clone() };
            if place >= free && task.state == State::Pending && waits_for(&task).is_none() {
                TASK_LIMIT.clone_into(&mut task.reason);
            }
            all.push(task);
        }
    }
    all
}

/// A remark on arrays whose list of tasks `squeue` has cut.
pub fn cut(jobs: &[Job]) -> Option<String> {
    let cut: Vec<&Job> =
        jobs.iter().filter(|job| job.tasks.as_ref().is_some_and(|tasks| tasks.cut)).collect();
    let first = cut.first()?;
    let count = first.tasks.as_ref().map_or(0, Tasks::count);
    Some(format!(
        "squeue has cut the list of tasks of {}, the first {} after {count}: more tasks wait than are counted; \
         SLURM_BITSTR_LEN=0 in its environment prints all",
        crate::base::words::counted(cut.len() as u64, "array", "arrays"),
        first.id
    ))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    /// One task of two that may run at once runs: one more may start, the others wait for these.
    #[test]
    fn tasks_are_unrolled() {
        let line = |id: &str, state: &str| {
            let rest = "1|4|5:00|0:00|1000|1|Priority|a|N/A|N/A|(null)||N/A|(null)|(null)|wrap";
            let front = [id, "u", "main", state].into_iter();
            front.chain(rest.split('|')).flat_map(|field| ["|0123456789abcdef|", field]).collect::<String>()
                + "\n"
        };
        let text = line("12_9", "RUNNING") + &line("12_[0-3%2]", "PENDING") + &line("13_[1-2]", "PENDING");
        let jobs = unrolled(read::squeue(&text, "squeue").unwrap().found);
        let found: Vec<(&str, &str)> =
            jobs.iter().map(|job| (job.id.as_str(), job.reason.as_str())).collect();
        let limited = |id| (id, TASK_LIMIT);
        let free = |id| (id, "Priority");
        assert_eq!(
            found,
            [
                free("12_9"),
                free("12_0"),
                limited("12_1"),
                limited("12_2"),
                limited("12_3"),
                free("13_1"),
                free("13_2")
            ]
        );
        assert!(jobs.iter().all(|job| job.tasks.is_none()));
        let wrong = line("12_[x]", "PENDING") + &line("12_1", "PENDING");
        assert_eq!(read::squeue(&wrong, "squeue").unwrap().odd.unwrap().lines, 1);
    }
}
