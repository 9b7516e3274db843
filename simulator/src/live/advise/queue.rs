//! Running and waiting jobs of a pool, prepared for playing the queue forward: waiting tasks of an array one by one.
//!
//! An array that lets K tasks run at once is played as K chains: each place that runs a task, or may start one, goes on
//! with the next one of the array when a task ends. A chain is one job, whose run time is the sum of its tasks'; it
//! keeps its nodes between them. Arrays of more than [`MOST`] tasks are played likewise, in as many chains as the pool
//! has room for: nothing behind them starts before they do anyway.

use super::beliefs::{Kind, RunTimes, refused};
use super::play::{Players, Running, Waits};
use super::pool::{Counted, Pool};
use super::read::{Job, State};
use super::{Snapshot, TASK_LIMIT, arrays, tasks, waits};
use crate::base::random::Random;
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use surefill::runtime::{MAX_SECONDS, RuntimeBins, RuntimeDistribution};

/// Tasks of one array that are played one by one, and of all arrays together.
const MOST: u32 = 1000;
const MOST_OF_ALL: u32 = 5000;
/// Draws that make the run time of a chain, and tasks of it that are drawn one by one.
const DRAWS: u32 = 256;
const DRAWN: u32 = 64;

/// A line of the queue, and which of the waiting jobs played its first and last task are.
pub(super) struct Line<'a> {
    pub job: &'a Job,
    /// None where the array's own limit keeps all of it waiting, and where its partition is too small for it.
    pub first: Option<usize>,
    /// None but of several tasks that are played one by one.
    pub last: Option<usize>,
}

/// Tasks that run one after the other, the first of which has run for `used` seconds already.
struct Chain<'a> {
    belief: &'a RuntimeDistribution,
    limit: i64,
    used: i64,
    tasks: u32,
}

impl Chain<'_> {
    fn limit(&self) -> i64 {
        self.limit.saturating_mul(self.tasks.into()).min(MAX_SECONDS)
    }

    /// The predicted run time of all of them together.
    fn belief(&self, random: &mut Random) -> Result<RuntimeDistribution> {
        let Chain { belief, limit, used, tasks } = *self;
        // Where nothing is known all of them run to their limits.
        if tasks == 1 || *belief == RuntimeDistribution::limit() {
            return Ok(belief.clone());
        }
        let mut draw =
            |used: i64| belief.quantile(random.uniform(), used, limit).map_err(refused("a run time"));
        let mut sums = Vec::new();
        for _ in 0..DRAWS {
            let first = used.saturating_add(draw(used)?);
            let drawn = (tasks - 1).min(DRAWN);
            let mut rest = 0_i64;
            for _ in 0..drawn {
                rest = rest.saturating_add(draw(0)?);
            }
            let rest = rest as f64 * f64::from(tasks - 1) / f64::from(drawn);
            sums.push((first.saturating_add(rest as i64).min(MAX_SECONDS), 1.0));
        }
        // Bins of their own: the usual ones end where sums of many tasks begin.
        let least = sums.iter().map(|sum| sum.0).min().unwrap_or(1).max(2) as f64;
        let most = sums.iter().map(|sum| sum.0).max().unwrap_or(1);
        let ratio = (most as f64 / least).powf(1.0 / 40.0).max(1.02);
        let bins = RuntimeBins::covering(least, ratio, most).map_err(refused("a run time"))?;
        RuntimeDistribution::from_samples(&bins, sums).map_err(refused("a run time"))
    }
}

/// The chains in which the waiting tasks of an array are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chains {
    /// Chains that may start now; the first `longer` have one task more than `tasks`.
    free: u32,
    /// Chains of which a task runs already.
    taken: u32,
    /// Tasks of each chain, running ones included.
    tasks: u32,
    longer: u32,
}

impl Chains {
    fn new(waiting: u32, running: u32, at_once: Option<u32>, room: u32, most: u32) -> Chains {
        // A limit that the pool has no room for keeps no task waiting.
        let limit = at_once
            .filter(|&limit| limit < room && u64::from(waiting) + u64::from(running) > u64::from(limit));
        let (free, taken) = match limit {
            Some(limit) => (limit.saturating_sub(running), running.min(limit)),
            None => (waiting, 0),
        };
        let free = if free > most { free.min(room.clamp(1, most)) } else { free };
        let (tasks, chains) = (waiting.saturating_add(taken), (free + taken).max(1));
        Chains { free, taken, tasks: tasks / chains, longer: tasks % chains }
    }

    /// The tasks of each chain, the free ones first.
    fn each(self) -> impl Iterator<Item = u32> {
        (0..self.free + self.taken).map(move |chain| self.tasks + u32::from(chain < self.longer))
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

/// Running and waiting players, and the lines of the queue that they stand for.
///
/// # Errors
/// When the library refuses what Slurm says.
pub(super) fn players<'a>(
    pool: &Pool,
    snapshot: &'a Snapshot,
    counted: &Counted,
    run_times: &mut RunTimes,
) -> Result<(Players, Vec<Line<'a>>)> {
    let mut waiting: Vec<&Job> = snapshot.jobs.iter().filter(|job| waits(job) && pool.has(job)).collect();
    waiting.sort_by_key(|job| (Reverse(job.priority), job.submit));
    let arrays = waiting.iter().filter(|job| job.tasks.is_some()).count().max(1) as u32;
    let most = (MOST_OF_ALL / arrays).clamp(20, MOST);
    let running = arrays::running(&snapshot.jobs);
    let mut random = Random::new(1);
    let mut players =
        Players { now: snapshot.now, all: counted.all, idle: counted.idle, ..Players::default() };
    // Tasks that follow the running ones of each array, each in its place.
    let mut following: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let mut lines = Vec::new();
    for job in waiting {
        let units = (counted.of)(job).max(1);
        // It waits for more than its partition has in service, whatever its neighbours have.
        if units > pool.room(job, counted, snapshot) {
            lines.push(Line { job, first: None, last: None });
            continue;
        }
        let array = job.tasks.as_ref().and_then(|_| tasks::array(&job.id));
        let runs = array.and_then(|array| running.get(array)).copied().unwrap_or(0);
        let at_once = job.tasks.as_ref().and_then(|tasks| tasks.at_once);
        let chains = Chains::new(job.count(), runs, at_once, counted.all / units, most);
        let belief = run_times.predict(Kind::from(job))?;
        let submit = job.submit.min(snapshot.now);
        let start = players.waiting.len();
        let each: Vec<u32> = chains.each().collect();
        let (free, taken) = each.split_at(chains.free as usize);
        for &tasks in free {
            let chain = Chain { belief: &belief, limit: job.limit, used: 0, tasks };
            let (limit, belief) = (chain.limit(), chain.belief(&mut random)?);
            players.waiting.push(Waits { units, limit, submit, belief });
        }
        if let Some(array) = array.filter(|_| !taken.is_empty()) {
            following.entry(array).or_default().extend(taken.iter().map(|tasks| tasks - 1));
        }
        let one_by_one = chains.free == job.count() && job.count() > 1;
        lines.push(Line {
            job,
            first: (chains.free > 0).then_some(start),
            last: one_by_one.then(|| players.waiting.len() - 1),
        });
    }
    for (array, count) in limited(pool, snapshot) {
        let places = running.get(array).copied().unwrap_or(0);
        if let (Some(each), Some(more)) = (count.checked_div(places), count.checked_rem(places)) {
            let tasks = (0..places).map(|place| each + u32::from(place < more));
            following.entry(array).or_default().extend(tasks);
        }
    }
    for (job, units) in counted.running(pool, snapshot) {
        let belief = run_times.predict(Kind::from(job))?;
        let limit = if job.state == State::Completing { 0 } else { job.limit };
        let after = tasks::array(&job.id).and_then(|array| following.get_mut(array)?.pop()).unwrap_or(0);
        let chain = Chain { belief: &belief, limit: job.limit, used: job.used, tasks: after + 1 };
        let (limit, belief) = match after {
            0 => (limit, belief),
            _ => (chain.limit(), chain.belief(&mut random)?),
        };
        players.running.push(Running { units, limit, used: job.used, belief });
    }
    Ok((players, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of like tasks runs the predicted run time of one of them times their number.
    #[test]
    fn chains_run_as_long_as_their_tasks_together() {
        let day = RuntimeDistribution::from_samples(&RuntimeBins::default(), [(80_000, 1.0)]).unwrap();
        for tasks in [2, 25, 500, 100_000] {
            let chain = Chain { belief: &day, limit: 86_400, used: 0, tasks };
            let belief = chain.belief(&mut Random::new(1)).unwrap();
            let one = day.quantile(0.5, 0, 86_400).unwrap() as f64 * f64::from(tasks);
            let all = belief.quantile(0.5, 0, chain.limit()).unwrap() as f64;
            assert!((all / one - 1.0).abs() < 0.1, "{tasks}: {all} {one}");
        }
    }

    #[test]
    fn tasks_are_divided_among_chains() {
        let each = |waiting, running, at_once, room| {
            let chains = Chains::new(waiting, running, at_once, room, 100);
            let each: Vec<u32> = chains.each().collect();
            let (free, taken) = each.split_at(chains.free as usize);
            (free.to_vec(), taken.to_vec())
        };
        assert_eq!(each(4, 9, None, 2), (vec![1; 4], vec![]));
        assert_eq!(each(4, 1, Some(5), 2), (vec![1; 4], vec![]));
        assert_eq!(each(9, 0, Some(4), 5), (vec![3, 2, 2, 2], vec![]));
        assert_eq!(each(9, 0, Some(4), 4), (vec![1; 9], vec![]));
        // Two run: seven tasks in all, of which the free chain has one more.
        assert_eq!(each(5, 2, Some(3), 9), (vec![3], vec![2, 2]));
        assert_eq!(each(5, 3, Some(2), 9), (vec![], vec![4, 3]));
        assert_eq!(each(1000, 0, None, 8), (vec![125; 8], vec![]));
        assert_eq!(each(1_000_000, 0, Some(5000), 300).0.len(), 100);
        assert_eq!(each(u32::MAX, u32::MAX, Some(1), 2), (vec![], vec![u32::MAX]));
    }
}
