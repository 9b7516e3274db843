//! Advice from a live queue: when the job at the head starts, how long the others may wait, which time limit is
//! sensible.
//!
//! * [`read`]: what Slurm's `squeue`, `sinfo` and `sacct` print in fixed formats, live or saved; names are never
//!   trusted.
//! * [`live`]: runs these commands; [`past`]: ended jobs of a file, in any format.
//! * [`waits`]: bounds on waits from those of the past.
//! * [`pool`]: pools of interchangeable nodes; `regions`: those of partitions that overlap.
//! * [`tasks`], [`arrays`]: the waiting tasks of arrays, as squeue names them and as jobs.
//! * `queue`: what runs and waits in a pool, as it is reported to the engine.
//! * `lived`: the scheduler engine that has lived through the history, with the queue of now; `place`: its pools;
//!   `bounds`: whether bounds that it would have given have held.
//! * [`head`]: the first waiting job of each pool, and its start by limits.
//! * [`starts`]: when every waiting job starts.
//! * [`rule`]: the rule of the site's scheduler.
//! * [`limit`]: a time limit for a user's next job.
//!
//! A question has one answer: every job that waits for nodes has its start from the engine's forecast; only the
//! waits of those that cannot be played are bounded from the history of waits (QBETS), which needs no model of the
//! scheduler.

pub mod arrays;
mod bounds;
pub mod head;
pub mod limit;
pub mod live;
mod lived;
pub mod past;
mod place;
pub mod pool;
mod queue;
pub mod read;
mod regions;
pub mod rule;
pub mod starts;
pub mod tasks;
pub mod waits;

use crate::base::words::several;
use anyhow::Result;
use head::Head;
use limit::NextJob;
use lived::{Answers, LATEST, answers};
use place::{is_divided, shares};
use pool::Pool;
use read::{Job, Node, Odd, Past, State};
use rule::Rule;
use serde::Serialize;
use starts::{Start, Starts};
use waits::Waits;

/// Slurm's listings of jobs, nodes and the past.
#[derive(Debug)]
pub struct Snapshot {
    /// Seconds, on the same clock as the jobs' times.
    pub now: i64,
    /// `squeue`.
    pub jobs: Vec<Job>,
    /// `sinfo`, a line for each node and partition.
    pub nodes: Vec<Node>,
    /// `sacct`, or Slurm's job completion file.
    pub past: Vec<Past>,
    /// Lines left out of these.
    pub odd: Vec<Left>,
    /// Remarks on the reading of these, and on faults that make them less trustworthy: sentences.
    pub remarks: Vec<String>,
}

/// Lines of a command or file that were left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The command or file.
    pub source: String,
    /// Their number, and the fault of the first.
    #[serde(flatten)]
    pub odd: Odd,
}

impl std::fmt::Display for Left {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Left { source, odd } = self;
        write!(out, "{source}: {} left out, the first {}: {}", several(odd.lines, "line"), odd.first, odd.why)
    }
}

/// Options of the question.
#[derive(Debug, Clone)]
pub struct Question {
    /// The only partition to speak of; all if none.
    pub partition: Option<String>,
    /// Seconds from now: the probability of having started by then.
    pub within: Vec<i64>,
    /// The quantile of the waits that is bounded, and of run times that a limit is to cover.
    pub quantile: f64,
    /// The confidence of the bounds.
    pub confidence: f64,
    /// The rule of the site's scheduler.
    pub rule: Rule,
    /// The answer that was given before, if there is one: its medians stay as long as they may.
    pub previous: Option<Starts>,
    /// Users whose next jobs are to be advised on.
    pub next: Vec<limit::Ask>,
}

/// A bound on the wait of a job that is not played forward.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Other {
    /// Slurm's name of the job.
    pub job: String,
    /// Its owner.
    pub user: String,
    /// Its partition.
    pub partition: String,
    /// Seconds it has waited.
    pub waited: i64,
    /// Seconds from now within which it starts, at the question's quantile and confidence; none without enough history.
    pub within: Option<i64>,
    /// Waits that the probabilities rest on.
    pub waits: u64,
    /// For each span of the question: the part of like jobs that had started by then, and a lower confidence bound of
    /// it.
    pub started: Vec<Started>,
    /// Why there is no bound, or why the job waits for something else than nodes.
    pub note: Option<String>,
}

/// Share of like jobs that had started by a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Started {
    /// Seconds from now.
    pub within: i64,
    /// The part of the history's waits.
    pub observed: f64,
    /// A lower bound.
    pub at_least: f64,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Advice {
    /// Seconds, on Slurm's clock.
    pub now: i64,
    /// Ended jobs learnt from.
    pub learnt: usize,
    /// The rule by which the queue was played forward.
    pub rule: String,
    /// Lines that Slurm's commands or files had beside their own: names with line breaks.
    pub left_out: Vec<Left>,
    /// Remarks on restrictions of these answers.
    pub remarks: Vec<String>,
    /// The quantile and the confidence of the bounds.
    pub quantile: f64,
    /// See there.
    pub confidence: f64,
    /// The first waiting job of each pool of nodes.
    pub heads: Vec<Head>,
    /// When every waiting job starts, pool by pool in the order of priority: the queue played forward.
    pub starts: Vec<Start>,
    /// Those that are not played forward, in their order.
    pub others: Vec<Other>,
    /// Time limits.
    pub next: Vec<NextJob>,
}

/// The reason of tasks that wait for others of their array to end.
pub(in crate::live) const TASK_LIMIT: &str = "JobArrayTaskLimit";

/// Whether the job, or a task of the array, waits for nothing but nodes or the end of other tasks.
fn waits_for_nodes(job: &read::Job) -> bool {
    let for_tasks = job.tasks.is_some() && job.reason == TASK_LIMIT;
    job.state == read::State::Pending && job.priority > 0 && (for_tasks || waits_for(job).is_none())
}

/// Why a waiting job waits for something else than its turn; none when it waits for nodes.
pub fn waits_for(job: &Job) -> Option<&str> {
    match job.reason.as_str() {
        "Resources" | "Priority" | "None" | "" => None,
        other => Some(other),
    }
}

/// Answers.
///
/// # Errors
/// When the library refuses what Slurm says; the message has the job.
pub fn advise(snapshot: &Snapshot, question: &Question) -> Result<Advice> {
    let (mut waits, numbers) = Waits::learn(&snapshot.past, &snapshot.jobs, snapshot.now, question)?;
    let wanted = |partition: &str| question.partition.as_deref().is_none_or(|only| only == partition);
    let is_asked = |pool: &Pool| pool.partitions.iter().any(|partition| wanted(partition));

    let mut remarks: Vec<String> =
        snapshot.remarks.iter().cloned().chain(arrays::cut(&snapshot.jobs)).collect();
    remarks.extend(question.rule.remark.clone());
    let in_regions = !question.rule.plans;
    let pools = Pool::united(snapshot, in_regions);
    remarks.extend(pools.iter().filter(|pool| is_asked(pool)).filter_map(|pool| assumed(pool, in_regions)));
    if snapshot.past.len() > LATEST {
        let left = several((snapshot.past.len() - LATEST) as u64, "earlier job");
        remarks.push(format!("run times and starts are learnt from the last {LATEST} jobs, not from {left}"));
    }
    let (mut heads, mut starts, mut next) = (Vec::new(), Vec::new(), Vec::new());
    for pools in shares(&pools, in_regions) {
        let found: Answers = answers(snapshot, pools, question, is_asked)?;
        heads.extend(found.heads);
        starts.extend(found.starts);
        remarks.extend(found.remarks);
        next = found.next;
    }
    starts.retain(|start| wanted(&start.partition));

    let mut waiting: Vec<&Job> =
        snapshot.jobs.iter().filter(|job| job.state == State::Pending && wanted(&job.partition)).collect();
    waiting.sort_by_key(|job| (std::cmp::Reverse(job.priority), job.submit));
    let mut others = Vec::new();
    for job in waiting {
        if starts.iter().any(|start| start.job == job.id) {
            continue;
        }
        let number = numbers.get(job.id.as_str()).copied();
        others.push(waits.bound(job, number, snapshot.now, question)?);
    }
    Ok(Advice {
        now: snapshot.now,
        learnt: snapshot.past.len(),
        rule: question.rule.name.clone(),
        left_out: snapshot.odd.clone(),
        remarks,
        quantile: question.quantile,
        confidence: question.confidence,
        heads,
        starts,
        others,
        next,
    })
}

/// A remark on partitions that share nodes.
fn assumed(pool: &Pool, in_regions: bool) -> Option<String> {
    let shared = pool.shared_with();
    if shared.is_empty() {
        return None;
    }
    let names = shared.join(", ");
    Some(match in_regions && is_divided(pool) {
        false => format!(
            "partitions {names} share nodes and are counted as one pool: as if their jobs could be on any of its nodes"
        ),
        true if pool.is_listed() => format!(
            "partitions {names} share nodes: each job is played on those of its own partition, the first in sinfo's \
             order that are free"
        ),
        true => format!(
            "partitions {names} share nodes: each job is played on those of its own partition; squeue's list does not \
             say on which nodes jobs run, which is concluded from the nodes' states: surefill advise --print-commands \
             prints a command that does"
        ),
    })
}
