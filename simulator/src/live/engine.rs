//! The scheduler engine ([`surefill::engine`]), which has lived through a site's history, asked about a pool at one
//! moment.
//!
//! Pools are counted in nodes or in processors, and like jobs are known by how many they ask for: what was learnt is
//! kept in both units. A question is answered in a copy, so that no answer changes what is known.

use super::events::{Phase, Times, in_order};
use anyhow::{Result, anyhow};
use std::collections::BTreeSet;
use surefill::engine::{Action, Cycle, JobReport, JobState, Scheduler, SchedulerCapacity, UNKNOWN_USER};
use surefill::error::Error;
use surefill::math::fnv::fnv1a;
use surefill::runtime::MAX_SECONDS;

/// A library error with what it is about.
pub(super) fn refused(what: &str) -> impl FnOnce(Error) -> anyhow::Error + '_ {
    move |error| anyhow!("{what}: {error:?}")
}

/// A number that stands for a text; not 0.
pub(super) fn number(text: &str) -> i64 {
    ((fnv1a(text.as_bytes()) >> 1) as i64).max(1)
}

/// The number of a user of this name.
pub(super) fn user_number(name: &str) -> i64 {
    if name.is_empty() { UNKNOWN_USER } else { number(name) }
}

/// The number of a job of Slurm's: those of later jobs are larger, and the tasks of an array are in their order. Below
/// 2^54, and not 0.
pub(super) fn job_number(name: &str) -> i64 {
    const TASKS: i64 = 1 << 24;
    let (front, task) = match name.split_once('_') {
        Some((front, task)) => (front, task.parse::<i64>().map_or(TASKS - 1, |task| task + 1)),
        None => (name, 0),
    };
    match front.parse::<i64>() {
        Ok(front) if (1..1 << 29).contains(&front) && (0..TASKS).contains(&task) => front * TASKS + task,
        _ => (number(name) & ((1 << 53) - 1)) | 1 << 53,
    }
}

/// The unit that a pool is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Nodes, where every job has its own.
    Nodes,
    /// Processors.
    Processors,
}

impl Unit {
    /// The unit's name in messages and pages.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Nodes => "nodes",
            Unit::Processors => "processors",
        }
    }
}

/// One run of a job, from when nothing but its turn was missing.
#[derive(Debug, Clone, Copy)]
pub struct Life {
    /// A number that stands for its user.
    pub user: i64,
    /// Since when it waited for nothing but its turn.
    pub eligible: i64,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Its time limit in seconds, [`MAX_SECONDS`] for none.
    pub limit: i64,
    /// Its nodes.
    pub nodes: u32,
    /// Its processors.
    pub processors: u32,
}

/// A job as it is known at the moment of a question.
#[derive(Debug, Clone, Copy)]
pub struct Present {
    /// Its number, [`job_number`] of its name.
    pub id: i64,
    /// A number that stands for its user.
    pub user: i64,
    /// Since when it waits, or waited, for nothing but its turn.
    pub eligible: i64,
    /// Seconds for which it has run; none of a job that waits.
    pub used: Option<i64>,
    /// Whether its run is over, and what it holds is being cleaned.
    pub ending: bool,
    /// Its time limit in seconds, [`MAX_SECONDS`] for none.
    pub limit: i64,
    /// Units it holds or wants; at least 1.
    pub units: u32,
    /// Its priority to the engine, larger first.
    pub priority: f64,
}

/// The engine knows no limit as 0.
pub(super) fn limit(limit: i64) -> i64 {
    if limit >= MAX_SECONDS { 0 } else { limit.max(1) }
}

/// A scheduler in memory of its own, which grows with the jobs.
#[derive(Debug, Clone)]
pub(super) struct Block {
    capacity: SchedulerCapacity,
    memory: Vec<u64>,
}

const POOL: &[u8] = b"pool";

/// Memory of this many bytes.
pub(super) fn memory(size: surefill::error::Result<usize>, what: &str) -> Result<Vec<u64>> {
    Ok(vec![0; size.map_err(refused(what))?.div_ceil(8)])
}

impl Block {
    /// A scheduler without jobs, pools and queues; `settings` are the engine's words.
    ///
    /// # Errors
    /// For words that the engine does not know.
    pub fn new(capacity: &SchedulerCapacity, settings: &str) -> Result<Block> {
        let mut memory = memory(Scheduler::size(capacity), "a scheduler")?;
        let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), capacity)
            .map_err(refused("a scheduler"))?;
        scheduler.configure(settings, "").map_err(|word| anyhow!("{settings}: wanted is {}", word.wanted))?;
        Ok(Block { capacity: *capacity, memory })
    }

    pub fn scheduler(&mut self) -> Result<Scheduler<'_>> {
        Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory)).map_err(refused("a scheduler"))
    }

    /// Reports a job, in a larger block if need be.
    ///
    /// # Errors
    /// When the engine refuses what is said of it.
    pub fn report(&mut self, time: i64, report: &JobReport<'_>, what: &str) -> Result<()> {
        loop {
            match self.scheduler()?.set_job(time, report) {
                Err(Error::Full) => {
                    let SchedulerCapacity { jobs, ended, .. } = self.capacity;
                    self.grow(SchedulerCapacity { jobs: 2 * jobs, ended: 2 * ended, ..self.capacity })?;
                }
                done => return done.map_err(refused(what)),
            }
        }
    }

    fn grow(&mut self, capacity: SchedulerCapacity) -> Result<()> {
        let mut larger = memory(Scheduler::size(&capacity), "that many jobs")?;
        self.scheduler()?
            .grow(bytemuck::cast_slice_mut(&mut larger), &capacity)
            .map_err(refused("that many jobs"))?;
        (self.capacity, self.memory) = (capacity, larger);
        Ok(())
    }

    /// The same in a block with room for this number of jobs.
    fn with_room(&self, jobs: usize) -> Result<Block> {
        let mut block = self.clone();
        block.grow(SchedulerCapacity { jobs: self.capacity.jobs.max(jobs as u32), ..self.capacity })?;
        Ok(block)
    }

    /// The capacity that it has now.
    pub fn capacity(&self) -> &SchedulerCapacity {
        &self.capacity
    }

    /// Its bytes as a state file.
    ///
    /// # Errors
    /// None that is known; the engine's.
    pub fn sealed(mut self) -> Result<Vec<u8>> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.memory);
        let size = Scheduler::block_size(bytes).map_err(refused("the state"))?;
        Scheduler::seal(bytes).map_err(refused("the state"))?;
        Ok(bytes[..size].to_vec())
    }
}

/// A job's state in the engine, and since when it is in it.
#[derive(Debug, Clone, Copy)]
pub enum Seen {
    /// It waits for its turn.
    Waits,
    /// It runs, and since when.
    Runs(i64),
    /// Its run is over, and took this number of seconds.
    Ended(i64),
}

/// An engine that has lived through a history, and knows the jobs that are present.
#[derive(Debug, Clone)]
pub struct Learnt {
    nodes: Block,
    processors: Block,
    lives: i64,
    present: BTreeSet<i64>,
}

impl Learnt {
    /// Nothing learnt yet; `settings` are the engine's words.
    ///
    /// # Errors
    /// For words that the engine does not know.
    pub fn new(settings: &str) -> Result<Learnt> {
        let capacity = SchedulerCapacity {
            jobs: 1,
            ended: 0,
            pools: 1,
            queues: 1,
            arrivals: 0,
            ..SchedulerCapacity::default()
        };
        let mut nodes = Block::new(&capacity, settings)?;
        let mut scheduler = nodes.scheduler()?;
        scheduler.set_pool(POOL, i32::MAX as u32, None).map_err(refused("a pool"))?;
        scheduler.set_queue(POOL, 0).map_err(refused("a queue"))?;
        Ok(Learnt { processors: nodes.clone(), nodes, lives: 0, present: BTreeSet::new() })
    }

    /// Lives through these jobs: their submissions, starts and ends are reported in the order of time, as a scheduler
    /// would have seen them.
    ///
    /// # Errors
    /// When the library refuses a report.
    pub fn live(&mut self, lives: &[Life]) -> Result<()> {
        let times =
            |life: &Life| Times { submit: life.eligible, start: Some(life.start), end: Some(life.end) };
        let first = self.lives;
        self.lives += lives.len() as i64;
        for (time, phase, place) in in_order(lives.iter().map(times)) {
            let life = &lives[place];
            let seen = match phase {
                Phase::Submission => Seen::Waits,
                Phase::Starts => Seen::Runs(life.start),
                Phase::Ends | Phase::EndsAtOnce => Seen::Ended(life.end - life.start),
            };
            // The ids of jobs that are present are above 0.
            self.report(time, -(first + place as i64) - 1, seen, life)?;
        }
        Ok(())
    }

    /// A job that is present, or whose run is over, has this state now; of the times of `life` only the one since which
    /// it is eligible counts.
    ///
    /// # Errors
    /// When the library refuses the report.
    pub fn seen(&mut self, now: i64, id: i64, seen: Seen, life: &Life) -> Result<()> {
        match seen {
            Seen::Waits | Seen::Runs(_) => drop(self.present.insert(id)),
            Seen::Ended(_) => drop(self.present.remove(&id)),
        }
        self.report(now, id, seen, life)
    }

    /// A job that was present has left without a run that ended by itself.
    ///
    /// # Errors
    /// When the library refuses the report.
    pub fn left(&mut self, now: i64, id: i64) -> Result<()> {
        if !self.present.remove(&id) {
            return Ok(());
        }
        let report = JobReport { id, state: JobState::Broken, ..JobReport::default() };
        for block in [&mut self.nodes, &mut self.processors] {
            block.report(now, &report, "a job that leaves")?;
        }
        Ok(())
    }

    fn report(&mut self, now: i64, id: i64, seen: Seen, life: &Life) -> Result<()> {
        let (state, start, ran) = match seen {
            Seen::Waits => (JobState::Waiting, 0, 0),
            Seen::Runs(since) => (JobState::Running, since, 0),
            Seen::Ended(ran) => (JobState::Ended, 0, ran),
        };
        for (block, count) in [(&mut self.nodes, life.nodes), (&mut self.processors, life.processors)] {
            let report = JobReport {
                id,
                state,
                user: life.user,
                submit: life.eligible,
                start,
                limit: limit(life.limit),
                ran,
                count: count.max(1),
                queues: &[0],
                ..JobReport::default()
            };
            block.report(now, &report, "a job of the site")?;
        }
        Ok(())
    }

    /// A pool of this size at this moment, with these jobs; those that wait longest or have the highest priority need
    /// not come first.
    ///
    /// # Errors
    /// When the library refuses what is said of a job.
    pub fn moment(
        &self,
        now: i64,
        unit: Unit,
        (units, idle): (u32, u32),
        jobs: &[Present],
    ) -> Result<Moment> {
        let known = match unit {
            Unit::Nodes => &self.nodes,
            Unit::Processors => &self.processors,
        };
        let mut block = known.with_room(jobs.len() + self.present.len())?;
        let mut scheduler = block.scheduler()?;
        // The jobs of other pools.
        let inside: BTreeSet<i64> = jobs.iter().map(|job| job.id).collect();
        for &id in self.present.difference(&inside) {
            let report = JobReport { id, state: JobState::Broken, ..JobReport::default() };
            scheduler.set_job(now, &report).map_err(refused("a job of another pool"))?;
        }
        scheduler.set_pool(POOL, units.max(1), Some(idle)).map_err(refused("a pool"))?;
        for job in jobs {
            let (state, ran) = match job.used {
                None => (JobState::Waiting, 0),
                Some(used) if job.ending => (JobState::Ending, used),
                Some(used) => (JobState::Running, used),
            };
            let report = JobReport {
                id: job.id,
                state,
                user: job.user,
                submit: job.eligible.min(now),
                start: if job.used.is_some() { now - ran } else { 0 },
                limit: limit(job.limit),
                ran,
                priority: job.priority,
                count: job.units.max(1),
                queues: &[0],
                ..JobReport::default()
            };
            scheduler.set_job(now, &report).map_err(refused("a job"))?;
        }
        Ok(Moment { now, block })
    }
}

/// A pool at a moment.
#[derive(Debug)]
pub struct Moment {
    now: i64,
    block: Block,
}

impl Moment {
    /// The jobs that the engine would start now under these further settings, in the order of its offers.
    ///
    /// # Errors
    /// For words that the engine does not know.
    pub fn starts(&self, settings: &str) -> Result<Vec<i64>> {
        let mut block = self.block.clone();
        let mut memory = memory(Cycle::size(&block.capacity), "a cycle")?;
        let mut scheduler = block.scheduler()?;
        scheduler.configure(settings, "").map_err(|word| anyhow!("{settings}: wanted is {}", word.wanted))?;
        let mut cycle = Cycle::begin(bytemuck::cast_slice_mut(&mut memory), &mut scheduler, 0, self.now)
            .map_err(refused("a cycle"))?;
        let mut offered = Vec::new();
        while let Action::Start(offer) = cycle.next(&mut scheduler).map_err(refused("a cycle"))? {
            offered.push(offer.job);
        }
        Ok(offered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(user: i64, run_time: i64, end: i64) -> Life {
        let start = end - run_time;
        Life { user, eligible: start - 60, start, end, limit: 3600, nodes: 1, processors: 4 }
    }

    fn present(id: i64, user: i64, units: u32, used: Option<i64>) -> Present {
        Present {
            id,
            user,
            eligible: 10_900,
            used,
            ending: false,
            limit: 3600,
            units,
            priority: (100 - id) as f64,
        }
    }

    /// Three of five nodes are held for long, the first job wants all five, and jobs of two users would fit: the
    /// engine starts those that have always been short, EASY by the limits starts none.
    #[test]
    fn what_was_learnt_decides_and_no_answer_changes_it() {
        let mut learnt = Learnt::new("preset=fair settle=0").unwrap();
        let ends = (0..60).map(|end| 10_000 + 10 * end);
        let lives: Vec<Life> = ends.flat_map(|end| [life(1, 5, end), life(2, 3000, end)]).collect();
        learnt.live(&lives).unwrap();
        // A job of another pool holds none of this one's units.
        let other = Life { nodes: 5, ..life(1, 60, 11_050) };
        learnt.seen(11_055, 9, Seen::Runs(11_050), &other).unwrap();
        let jobs = [present(1, 2, 3, Some(60)), present(2, 2, 5, None), present(3, 1, 1, None)];
        for unit in [Unit::Nodes, Unit::Processors] {
            let moment = learnt.moment(11_060, unit, (5, 2), &jobs).unwrap();
            assert_eq!(moment.starts("").unwrap(), [3]);
            assert_eq!(moment.starts("preset=easy").unwrap(), [0_i64; 0]);
            assert_eq!(moment.starts("").unwrap(), [3]);
        }
        assert!(Learnt::new("preset=delay").unwrap_err().to_string().contains("wanted is"));
    }
}
