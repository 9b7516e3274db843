//! The waiting tasks of an array: `squeue` prints them in one line, `12_[0-99%10]`.
//!
//! The expression is a list of numbers, ranges and ranges with a step; `%K` behind it lets no more than K tasks of the
//! array run at once, those that run already included. Where the environment does not set `SLURM_BITSTR_LEN`, `squeue`
//! cuts the list after some sixty characters and ends it with three dots, in the midst of a number or not: what stands
//! there in part is not counted.

use super::read::{Job, State};
use super::{TASK_LIMIT, waits_for};
use std::collections::BTreeMap;

/// From the first to the last by a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    first: u32,
    last: u32,
    step: u32,
}

impl Range {
    fn parse(text: &str) -> Option<Range> {
        let (range, step) = text.split_once(':').unwrap_or((text, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let range = Range { first: first.parse().ok()?, last: last.parse().ok()?, step: step.parse().ok()? };
        (range.first <= range.last && range.step > 0).then_some(range)
    }

    fn count(self) -> u32 {
        ((self.last - self.first) / self.step).saturating_add(1)
    }
}

/// The waiting tasks that one line of `squeue` stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tasks {
    ranges: Vec<Range>,
    /// At most so many tasks of the array run at once.
    pub at_once: Option<u32>,
    /// Whether `squeue` has cut the list: there are more.
    pub cut: bool,
}

impl Tasks {
    /// The tasks of a job of this name; `Ok(None)` for a job that is no line of tasks, an error where there is an
    /// expression that cannot be read.
    ///
    /// # Errors
    /// The expression.
    pub fn of(id: &str) -> Result<Option<Tasks>, String> {
        let Some((_, rest)) = id.split_once("_[") else { return Ok(None) };
        Tasks::parse(rest).map(Some).ok_or_else(|| rest.to_owned())
    }

    fn parse(text: &str) -> Option<Tasks> {
        let text = text.strip_suffix(']').unwrap_or(text);
        let (list, at_once) = match text.split_once('%') {
            Some((list, most)) => (list, Some(most.parse().ok().filter(|most| *most > 0)?)),
            None => (text, None),
        };
        let (list, cut) = match list.split_once("...") {
            // The last one may be the front of a longer number.
            Some((list, _)) => (list.rsplit_once(',').map_or(list, |(whole, _)| whole), true),
            None => (list, false),
        };
        let ranges = list.split(',').map(Range::parse).collect::<Option<Vec<Range>>>()?;
        Some(Tasks { ranges, at_once, cut })
    }

    /// How many they are: at least, where the list was cut.
    pub fn count(&self) -> u32 {
        self.ranges.iter().map(|range| range.count()).fold(0, u32::saturating_add)
    }

    /// Their numbers.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        self.ranges.iter().flat_map(|range| (range.first..=range.last).step_by(range.step as usize))
    }
}

/// The number of a task's array: what stands before the underscore.
pub(in crate::live) fn array(id: &str) -> Option<&str> {
    id.split_once('_').map(|(array, _)| array)
}

/// How many tasks of each array have nodes.
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

/// What is to be said of arrays whose list of tasks `squeue` has cut.
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
    use super::*;

    #[test]
    fn expressions_of_tasks() {
        let found = |id: &str| {
            let tasks = Tasks::of(id).unwrap().unwrap();
            (tasks.numbers().collect::<Vec<u32>>(), tasks.at_once, tasks.cut)
        };
        assert_eq!(found("12_[0-3]"), (vec![0, 1, 2, 3], None, false));
        assert_eq!(found("12_[7]"), (vec![7], None, false));
        assert_eq!(found("12_[1,3,5-9:2%10]"), (vec![1, 3, 5, 7, 9], Some(10), false));
        assert_eq!(found("12_[0-4:4]"), (vec![0, 4], None, false));
        assert_eq!(found("12_[1,3,5,1...]"), (vec![1, 3, 5], None, true));
        assert_eq!(found("12_[1,3,5,...%4]"), (vec![1, 3, 5], Some(4), true));
        assert_eq!(Tasks::of("12_[0-99%10]").unwrap().unwrap().count(), 100);
        assert_eq!(Tasks::of("12_[0-4294967295]").unwrap().unwrap().count(), u32::MAX);
        for plain in ["12", "12_5", "12+1"] {
            assert_eq!(Tasks::of(plain), Ok(None));
        }
        for wrong in ["12_[]", "12_[3-1]", "12_[1-9:0]", "12_[x]", "12_[1%0]", "12_[1%x]"] {
            assert!(Tasks::of(wrong).is_err(), "{wrong}");
        }
    }

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
        let jobs = unrolled(super::super::read::squeue(&text, "squeue").unwrap().found);
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
        assert_eq!(super::super::read::squeue(&wrong, "squeue").unwrap().odd.unwrap().lines, 1);
    }
}
