//! The state file of a scheduler for a resource manager ([`surefill::engine`]), made of a history: the engine lives
//! through every job's submission, start and end, in the order of time.
//!
//! Each shell knows users by numbers of its own, and has pools of its own: what is learnt for one is another one's only
//! where these are the same.

use super::engine::{Block, refused};
use super::events::{Phase, Times, in_order};
use crate::base::words::several;
use crate::trace::swf::{Record, Trace};
use anyhow::{Result, bail};
use clap::ValueEnum;
use std::collections::{BTreeMap, BTreeSet};
use surefill::engine::{JobReport, JobState, SchedulerCapacity, hash};

/// Jobs for which there is room at first.
const JOBS: u32 = 256;

/// The program that is to open the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// The plugin for Slurm (c-examples/slurm): users by their UIDs
    Slurm,
    /// The programs beside Slurm (c-examples/slurm-external): users by their UIDs, jobs by their nodes
    SlurmExternal,
    /// The scheduler for PBS (c-examples/pbs): users by their names
    Pbs,
    /// The module for Flux (c-examples/flux): users by their UIDs
    Flux,
}

/// The shape of a shell's engine.
struct Shape {
    pools: u32,
    queues: u32,
    kinds: u32,
    pool: &'static [u8],
    queue: &'static [u8],
    of_nodes: bool,
}

impl Shell {
    fn shape(self) -> Shape {
        let one = Shape { pools: 1, queues: 1, kinds: 3, pool: b"nodes", queue: b"nodes", of_nodes: false };
        match self {
            Shell::Slurm => {
                Shape { pools: 16, queues: 63, kinds: 8, pool: b"pool0", queue: b"queue0", of_nodes: true }
            }
            Shell::SlurmExternal => one,
            Shell::Pbs => Shape { pool: b"vnodes", queue: b"vnodes", of_nodes: true, ..one },
            Shell::Flux => {
                Shape { pools: 4, queues: 16, pool: b"flux", queue: b"flux", of_nodes: true, ..one }
            }
        }
    }

    /// Whether it knows users by their UIDs.
    pub fn by_uid(self) -> bool {
        self != Shell::Pbs
    }

    /// The number by which it knows a user.
    fn user(self, text: &str, uids: &BTreeMap<String, u32>) -> Option<i64> {
        if !self.by_uid() {
            return Some(hash(text.as_bytes()));
        }
        let uid = text.parse().ok().or_else(|| uids.get(text).copied())?;
        Some(match self {
            Shell::Slurm => i64::from(uid) + 1,
            Shell::Flux => hash(uid.to_string().as_bytes()),
            _ => uid.into(),
        })
    }
}

/// The numbers of users in a file such as /etc/passwd: a name, anything, the UID, apart by colons.
pub fn uids(passwd: &str) -> BTreeMap<String, u32> {
    let line = |line: &str| {
        let mut fields = line.split(':');
        Some((fields.next()?.to_owned(), fields.nth(1)?.parse().ok()?))
    };
    passwd.lines().filter_map(line).collect()
}

/// The history that a state file was made of, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Jobs that were learnt from, and users that they are of.
    pub jobs: u64,
    /// See `jobs`.
    pub users: usize,
    /// Jobs that never ran, or of which that is not known.
    pub never_ran: u64,
    /// Jobs of which nothing says how long they waited: they count as started at their submission.
    pub without_wait: u64,
    /// Jobs of users without a UID.
    pub unknown: u64,
    /// When the first was submitted, and the last ended.
    pub from: i64,
    /// See `from`.
    pub to: i64,
}

/// One job of the history.
struct Life {
    user: i64,
    submit: i64,
    start: i64,
    end: i64,
    limit: i64,
    count: u32,
}

/// A state file in the making.
pub struct Student {
    shell: Shell,
    per_node: u32,
    uids: BTreeMap<String, u32>,
    users: BTreeSet<i64>,
    lives: Vec<Life>,
    counts: Counts,
}

impl Student {
    /// Nothing learnt yet. A job is `per_node` times as narrow as the history says in processors.
    pub fn new(shell: Shell, per_node: u32, uids: BTreeMap<String, u32>) -> Student {
        let (users, lives) = (BTreeSet::new(), Vec::new());
        Student { shell, per_node: per_node.max(1), uids, users, lives, counts: Counts::default() }
    }

    /// Adds the jobs of a trace.
    pub fn add(&mut self, trace: &Trace) {
        let origin = trace.header.unix_start_time.unwrap_or(0);
        for record in &trace.records {
            let Record { submit, wait, run_time, requested_time, user, .. } = *record;
            let processors = record.used_processors.max(record.requested_processors);
            if run_time < 0 || processors <= 0 || (run_time == 0 && record.status == 5) {
                self.counts.never_ran += 1;
                continue;
            }
            let name = trace.names.users.get(&user).cloned().unwrap_or_else(|| user.to_string());
            let Some(user) = self.shell.user(&name, &self.uids) else {
                self.counts.unknown += 1;
                continue;
            };
            self.users.insert(user);
            self.counts.without_wait += u64::from(wait < 0);
            let submit = origin + submit;
            let start = submit + wait.max(0);
            let count = u32::try_from(processors).unwrap_or(u32::MAX).div_ceil(self.per_node);
            let (end, limit) = (start + run_time, requested_time.max(0));
            self.lives.push(Life { user, submit, start, end, limit, count });
        }
    }

    /// The state: its bytes, and what it was made of. `settings` are the engine's words; `progress` is called with the
    /// number of events of each slice.
    ///
    /// # Errors
    /// For words that the engine does not know, for a history without jobs, and where the engine refuses one.
    pub fn learn(mut self, settings: &str, progress: &dyn Fn(u64)) -> Result<(Vec<u8>, Counts)> {
        let shape = self.shell.shape();
        let mut block = begin(&shape, settings)?;
        if self.lives.is_empty() && self.counts.unknown > 0 {
            bail!(
                "none of the users of {} that ran has a number in this computer's list: --passwd names another list",
                several(self.counts.unknown, "job")
            );
        }
        if self.lives.is_empty() {
            bail!("no job has run that a scheduler could learn from");
        }
        let times = |life: &Life| Times { submit: life.submit, start: Some(life.start), end: Some(life.end) };
        let events = in_order(self.lives.iter().map(times));
        for slice in events.chunks(1 << 12) {
            for &(time, phase, number) in slice {
                let life = &self.lives[number];
                let state = match phase {
                    Phase::Submission => JobState::Waiting,
                    Phase::Starts => JobState::Running,
                    Phase::Ends | Phase::EndsAtOnce => JobState::Ended,
                };
                let report = JobReport {
                    // The manager's own ids are above 0.
                    id: -(number as i64) - 1,
                    state,
                    user: life.user,
                    submit: life.submit,
                    start: if phase == Phase::Starts { life.start } else { 0 },
                    limit: life.limit,
                    ran: if state == JobState::Ended { life.end - life.start } else { 0 },
                    count: life.count,
                    queues: &[0],
                    ..JobReport::default()
                };
                block.report(time, &report, &format!("job {} of the history", number + 1))?;
            }
            progress(slice.len() as u64);
        }
        self.counts.jobs = self.lives.len() as u64;
        self.counts.users = self.users.len();
        self.counts.from = self.lives.iter().map(|life| life.submit).min().unwrap_or(0);
        self.counts.to = self.lives.iter().map(|life| life.end).max().unwrap_or(0);
        Ok((block.sealed()?, self.counts))
    }
}

/// An engine as the shell makes it that has no state file.
fn begin(shape: &Shape, settings: &str) -> Result<Block> {
    let &Shape { pools, queues, kinds, pool, queue, of_nodes } = shape;
    let mut capacity = SchedulerCapacity { pools, queues, kinds, ..SchedulerCapacity::of(JOBS) };
    if of_nodes {
        (capacity.nodes, capacity.parts, capacity.reservations) = (1, 4, 64);
    }
    let mut block = Block::new(&capacity, settings)?;
    let mut scheduler = block.scheduler()?;
    let units = if of_nodes { 0 } else { i32::MAX as u32 };
    scheduler.set_pool(pool, units, None).map_err(refused("a pool"))?;
    scheduler.set_queue(queue, 0).map_err(refused("a queue"))?;
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_known_by_the_shells_numbers() {
        let uids = uids("root:x:0:0:root:/root:/bin/sh\nada:x:1000:100::/home/ada:/bin/sh\n\nbad:x:no\n");
        assert_eq!(uids.len(), 2);
        assert_eq!(Shell::Slurm.user("ada", &uids), Some(1001));
        assert_eq!(Shell::SlurmExternal.user("1000", &uids), Some(1000));
        assert_eq!(Shell::Flux.user("ada", &uids), Some(hash(b"1000")));
        assert_eq!(Shell::Pbs.user("eve", &uids), Some(hash(b"eve")));
        assert_eq!(Shell::Slurm.user("eve", &uids), None);
    }
}
