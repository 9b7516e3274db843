//! Running and waiting jobs of a pool as they are reported to the scheduler engine: waiting tasks of an array one by
//! one.
//!
//! An array that lets K tasks run at once is K chains: each place that runs a task, or may start one, goes on with
//! the next one of the array when a task ends. The engine itself plays the chains that may start now. The tasks that
//! follow a running one are part of it: one job that runs, and may run, as long as all of them. Arrays of more than
//! [`MOST`] tasks are one job with that number of tasks, of which some run side by side: nothing behind them starts
//! before they do anyway.

use super::pool::{Counted, Pool};
use super::read::{Job, State};
use super::{Snapshot, TASK_LIMIT, arrays, tasks, waits_for_nodes};
use crate::live::engine::{job_number, refused};
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use surefill::engine::{JobReport, Scheduler};
use surefill::runtime::{MAX_SECONDS, RuntimeDistribution};

/// Tasks of one array that are reported one by one, and of all arrays together.
const MOST: u32 = 1000;
const MOST_OF_ALL: u32 = 5000;

/// A waiting job of the engine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting {
    pub id: i64,
    /// Tasks that it stands for, and those that may start at once, 0 for all.
    pub tasks: u32,
    pub at_once: u32,
}

/// A line of the queue, and the engine's jobs that it stands for.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub job: &'a Job,
    /// Units that it wants.
    pub units: u32,
    /// In the order in which they start; none where the array's own limit keeps all of it waiting, and where its
    /// partition is too small for it.
    pub waiting: Vec<Waiting>,
    /// Whether it is wider than its partition.
    pub too_wide: bool,
}

impl Line<'_> {
    /// The first task, and the last where they are reported one by one.
    pub fn first_and_last(&self) -> (Option<i64>, Option<i64>) {
        let last = self.waiting.last().filter(|_| self.waiting.len() > 1);
        (self.waiting.first().map(|job| job.id), last.map(|job| job.id))
    }
}

/// A running job of the engine's.
#[derive(Debug)]
pub(super) struct Running<'a> {
    pub job: &'a Job,
    pub units: u32,
    /// Tasks of its array that follow it.
    pub after: u32,
}

impl Running<'_> {
    /// The limit of all tasks together, in seconds.
    pub fn limit(&self) -> i64 {
        self.job.limit.saturating_mul(i64::from(self.after) + 1).min(MAX_SECONDS)
    }
}

/// The chains of the waiting tasks of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chains {
    /// Chains that may start now; the first `longer` have one task more than `tasks`.
    free: u32,
    /// Chains of which a task runs already.
    taken: u32,
    /// Tasks of each chain, running ones included.
    tasks: u32,
    longer: u32,
    /// Whether the array's own limit keeps tasks waiting.
    limited: bool,
}

impl Chains {
    fn new(waiting: u32, running: u32, at_once: Option<u32>, room: u32) -> Chains {
        // A limit that the pool has no room for keeps no task waiting.
        let limit = at_once
            .filter(|&limit| limit < room && u64::from(waiting) + u64::from(running) > u64::from(limit));
        let (free, taken) = match limit {
            Some(limit) => (limit.saturating_sub(running), running.min(limit)),
            None => (waiting, 0),
        };
        let (tasks, chains) = (waiting.saturating_add(taken), (free + taken).max(1));
        Chains { free, taken, tasks: tasks / chains, longer: tasks % chains, limited: limit.is_some() }
    }

    /// The tasks of the chains of these numbers, the free ones first.
    fn each(self, chains: std::ops::Range<u32>) -> impl Iterator<Item = u32> {
        chains.map(move |chain| self.tasks + u32::from(chain < self.longer))
    }

    /// Tasks of the chains that may start now.
    fn startable(self) -> u32 {
        self.each(0..self.free).fold(0, u32::saturating_add)
    }

    /// Tasks that follow each of the running ones.
    fn following(self) -> impl Iterator<Item = u32> {
        self.each(self.free..self.free + self.taken).map(|tasks| tasks.saturating_sub(1))
    }
}

/// Number of tasks of each array that stand in lines of their own and wait for others of it to end: they follow the
/// running ones, whose number is as many as may run at once.
fn limited<'a>(pool: &Pool, snapshot: &'a Snapshot) -> BTreeMap<&'a str, u32> {
    let mut limited = BTreeMap::new();
    let alone = |job: &&Job| {
        job.state == State::Pending && job.priority > 0 && job.tasks.is_none() && job.reason == TASK_LIMIT
    };
    let arrays = snapshot.jobs.iter().filter(alone).filter(|job| pool.has(job));
    for array in arrays.filter_map(|job| tasks::array(&job.id)) {
        *limited.entry(array).or_insert(0) += 1;
    }
    limited
}

/// The waiting jobs of a pool, in the order of priority, and the running ones.
pub(super) fn queue<'a>(
    pool: &Pool,
    snapshot: &'a Snapshot,
    counted: &Counted,
) -> (Vec<Line<'a>>, Vec<Running<'a>>) {
    let mut waiting: Vec<&Job> =
        snapshot.jobs.iter().filter(|job| waits_for_nodes(job) && pool.has(job)).collect();
    waiting.sort_by_key(|job| (Reverse(job.priority), job.submit));
    let arrays = waiting.iter().filter(|job| job.tasks.is_some()).count().max(1) as u32;
    let most = (MOST_OF_ALL / arrays).clamp(20, MOST);
    let running = arrays::running(&snapshot.jobs);
    // Tasks that follow the running ones of each array, each in its place.
    let mut following: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let mut lines = Vec::new();
    for job in waiting {
        let units = (counted.of)(job).max(1);
        let mut line = Line { job, units, waiting: Vec::new(), too_wide: false };
        // It waits for more than its partition has in service, whatever its neighbours have.
        if units > pool.room(job, counted, snapshot) {
            lines.push(Line { too_wide: true, ..line });
            continue;
        }
        let id = job_number(&job.id);
        match (&job.tasks, tasks::array(&job.id)) {
            (Some(tasks), Some(array)) => {
                let runs = running.get(array).copied().unwrap_or(0);
                let chains = Chains::new(tasks.count(), runs, tasks.at_once, counted.all / units);
                if chains.limited || tasks.count() > most {
                    let at_once = if chains.limited { chains.free } else { 0 };
                    let waiting = Waiting { id, tasks: chains.startable(), at_once };
                    line.waiting.extend(Some(waiting).filter(|waiting| waiting.tasks > 0));
                } else {
                    let named = |task: u32| job_number(&format!("{array}_{task}"));
                    let alone = |task: u32| Waiting { id: named(task), tasks: 1, at_once: 0 };
                    line.waiting.extend(tasks.numbers().map(alone));
                    line.waiting.sort_by_key(|waiting| waiting.id);
                }
                following.entry(array).or_default().extend(chains.following());
            }
            _ => line.waiting.push(Waiting { id, tasks: 1, at_once: 0 }),
        }
        lines.push(line);
    }
    for (array, count) in limited(pool, snapshot) {
        let places = running.get(array).copied().unwrap_or(0);
        if let (Some(each), Some(more)) = (count.checked_div(places), count.checked_rem(places)) {
            let tasks = (0..places).map(|place| each + u32::from(place < more));
            following.entry(array).or_default().extend(tasks);
        }
    }
    let mut after = |job: &Job| tasks::array(&job.id).and_then(|array| following.get_mut(array)?.pop());
    let running = counted.running(pool, snapshot).into_iter();
    let running =
        running.map(|(job, units)| Running { job, units, after: after(job).unwrap_or(0) }).collect();
    (lines, running)
}

/// The run time of a running task and of those that follow it, by their medians; none where only limits are known.
pub(super) fn together(
    scheduler: &Scheduler<'_>,
    task: &JobReport<'_>,
    after: u32,
    now: i64,
) -> Result<Option<RuntimeDistribution>> {
    if task.limit == 0 {
        return Ok(None);
    }
    let median = |now: i64| scheduler.run_time(task.id, 0.5, now).map_err(refused("a run time"));
    let (own, each) = (median(now)?, median(task.start)?);
    if each >= task.limit / (i64::from(after) + 1) {
        return Ok(None);
    }
    let all = own.saturating_add(each.saturating_mul(after.into())).clamp(1, task.limit);
    RuntimeDistribution::single(all).map(Some).map_err(refused("a run time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_divided_among_chains() {
        let each = |waiting, running, at_once, room| {
            let chains = Chains::new(waiting, running, at_once, room);
            (chains.free, chains.startable(), chains.following().collect::<Vec<u32>>())
        };
        assert_eq!(each(4, 9, None, 2), (4, 4, vec![]));
        assert_eq!(each(4, 1, Some(5), 2), (4, 4, vec![]));
        assert_eq!(each(9, 0, Some(4), 5), (4, 9, vec![]));
        assert_eq!(each(9, 0, Some(4), 4), (9, 9, vec![]));
        // Two run: seven tasks in all, of which the free chain has one more.
        assert_eq!(each(5, 2, Some(3), 9), (1, 3, vec![1, 1]));
        assert_eq!(each(5, 3, Some(2), 9), (0, 0, vec![3, 2]));
        assert_eq!(each(1_000_000, 0, Some(5), 300), (5, 1_000_000, vec![]));
        assert_eq!(each(u32::MAX, u32::MAX, Some(1), 2), (0, 0, vec![u32::MAX - 1]));
    }
}
