//! Pools of interchangeable nodes, and when the first waiting job of each starts if nothing else does.

use super::beliefs::{Kind, RunTimes, refused};
use super::read::{Job, Node, State};
use super::{Question, Snapshot, waits_for};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use surefill::backfill::{Pass, PassCapacity};
use surefill::error::Error;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// The probabilities that the head job's start is told for.
pub const QUANTILES: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

const EVENTS: u32 = 4;

/// Partitions of exactly the same nodes.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Their names.
    pub partitions: Vec<String>,
    nodes: Vec<Node>,
    /// Other partitions with some of the nodes.
    overlapping: Vec<String>,
}

/// A pool's size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolSize {
    /// Its partitions.
    pub partitions: Vec<String>,
    /// Its nodes in service.
    pub nodes: u32,
    /// Their processors.
    pub processors: u32,
}

/// When the head job starts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Head {
    /// Slurm's name of the job.
    pub job: String,
    /// Its owner.
    pub user: String,
    /// Its partition.
    pub partition: String,
    /// Seconds it has waited.
    pub waited: i64,
    /// What is counted: "nodes" or "processors".
    pub counted: Option<&'static str>,
    /// How many of them it needs.
    pub needs: u32,
    /// How many are idle.
    pub idle: u32,
    /// Probabilities, and seconds from now within which it starts with these.
    pub quantiles: Vec<Quantile>,
    /// Seconds from now within which it starts if all jobs run to their limits.
    pub by_limits: Option<i64>,
    /// The probability of having started within the question's spans.
    pub started: Vec<Probability>,
    /// Why there is no estimate.
    pub note: Option<String>,
}

/// A quantile of the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// The probability.
    pub probability: f64,
    /// Seconds from now.
    pub within: i64,
}

/// The probability of a start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Probability {
    /// Seconds from now.
    pub within: i64,
    /// The probability.
    pub probability: f64,
}

/// What counting says of a pool.
pub(in crate::live) struct Counted {
    pub unit: &'static str,
    pub all: u32,
    pub idle: u32,
    pub of: fn(&Job) -> u32,
}

fn usable(state: &str) -> bool {
    matches!(
        state,
        "idle"
            | "allocated"
            | "mixed"
            | "completing"
            | "planned"
            | "reserved"
            | "alloc"
            | "mix"
            | "resv"
            | "comp"
            | "plnd"
    )
}

/// Whether the job has nodes now.
pub(in crate::live) fn holds_nodes(job: &Job) -> bool {
    matches!(job.state, State::Running | State::Completing | State::Suspended)
}

impl Pool {
    /// All pools, in the order of `sinfo`.
    pub fn all(snapshot: &Snapshot) -> Vec<Pool> {
        let mut members: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut order: Vec<&str> = Vec::new();
        for node in &snapshot.nodes {
            if !order.contains(&node.partition.as_str()) {
                order.push(&node.partition);
            }
            members.entry(&node.partition).or_default().insert(&node.name);
        }
        let mut pools: Vec<(BTreeSet<&str>, Pool)> = Vec::new();
        for name in order {
            let nodes = &members[name];
            if let Some((_, pool)) = pools.iter_mut().find(|(of, _)| of == nodes) {
                pool.partitions.push(name.to_owned());
                continue;
            }
            let own = snapshot.nodes.iter().filter(|node| node.partition == name).cloned().collect();
            let overlapping = members
                .iter()
                .filter(|(_, others)| *others != nodes && !others.is_disjoint(nodes))
                .map(|(other, _)| (*other).to_owned())
                .collect();
            pools.push((nodes.clone(), Pool { partitions: vec![name.to_owned()], nodes: own, overlapping }));
        }
        pools.into_iter().map(|(_, pool)| pool).collect()
    }

    /// Whether the job is in one of its partitions.
    pub(in crate::live) fn has(&self, job: &Job) -> bool {
        self.partitions.contains(&job.partition)
    }

    /// Its size: what is in service.
    pub(in crate::live) fn size(&self) -> PoolSize {
        let usable = || self.nodes.iter().filter(|node| usable(&node.state));
        PoolSize {
            partitions: self.partitions.clone(),
            nodes: usable().count() as u32,
            processors: usable().map(|node| node.processors).fold(0, u32::saturating_add),
        }
    }

    /// The job that Slurm would start next: the first in order of priority that waits for nothing but nodes.
    fn head<'a>(&self, jobs: &'a [Job]) -> Option<&'a Job> {
        let waiting = jobs.iter().filter(|job| {
            job.state == State::Pending && job.priority > 0 && self.has(job) && waits_for(job).is_none()
        });
        waiting.min_by_key(|job| (std::cmp::Reverse(job.priority), job.submit))
    }

    /// Counts nodes where every job has its own, else processors. Otherwise says why neither describes the pool.
    pub(in crate::live) fn count(&self, snapshot: &Snapshot) -> Result<Counted, String> {
        let mut holding = snapshot.jobs.iter().filter(|job| holds_nodes(job));
        if let Some(other) = self.overlapping.iter().find(|other| {
            let waits_or_runs = |job: &Job| job.state == State::Pending || holds_nodes(job);
            snapshot.jobs.iter().any(|job| job.partition == **other && waits_or_runs(job))
        }) {
            return Err(format!("partition {other} has some of the nodes"));
        }
        if holding.any(|job| self.has(job) && job.state == State::Suspended) {
            return Err("a job is suspended".to_owned());
        }
        let states: Vec<&str> = self.nodes.iter().map(|node| node.state.as_str()).collect();
        if states.iter().any(|state| matches!(*state, "draining" | "drng")) {
            return Err("nodes are being drained".to_owned());
        }
        if states.iter().any(|state| matches!(*state, "reserved" | "resv")) {
            return Err("a reservation holds some of the nodes".to_owned());
        }
        let usable: Vec<&Node> = self.nodes.iter().filter(|node| usable(&node.state)).collect();
        let idle =
            usable.iter().filter(|node| matches!(node.state.as_str(), "idle" | "planned" | "plnd")).count()
                as u32;
        let held = |of: fn(&Job) -> u32| -> u64 {
            snapshot
                .jobs
                .iter()
                .filter(|job| holds_nodes(job) && self.has(job))
                .map(|job| u64::from(of(job)))
                .sum()
        };
        let all = usable.len() as u32;
        if held(|job| job.nodes) + u64::from(idle) == u64::from(all) {
            return Ok(Counted { unit: "nodes", all, idle, of: |job| job.nodes });
        }
        let processors: u64 = usable.iter().map(|node| u64::from(node.processors)).sum();
        let busy = held(|job| job.processors);
        match (u32::try_from(processors), processors.checked_sub(busy)) {
            (Ok(all), Some(idle)) => {
                Ok(Counted { unit: "processors", all, idle: idle as u32, of: |job| job.processors })
            }
            _ => Err("running jobs hold more than the nodes in service have".to_owned()),
        }
    }
}

/// A pass that knows what runs.
struct Running {
    memory: Vec<u64>,
}

impl Running {
    /// Without beliefs every job runs to its limit. `None` when the head job would fit.
    fn describe(
        head: &Job,
        pool: &Pool,
        snapshot: &Snapshot,
        counted: &Counted,
        mut beliefs: Option<&mut RunTimes>,
    ) -> Result<Option<Running>> {
        let running: Vec<&Job> =
            snapshot.jobs.iter().filter(|job| holds_nodes(job) && pool.has(job)).collect();
        let limits = PassCapacity {
            running: running.len().max(1) as u32,
            candidates: 1,
            processors: counted.all.max((counted.of)(head)),
            bins: RuntimeBins::default().count() as u32,
            events_per_bin: EVENTS,
            ..PassCapacity::default()
        };
        let size = Pass::size(&limits).map_err(refused("a pass"))?;
        let mut memory = vec![0_u64; size.div_ceil(8)];
        let mut pass =
            Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).map_err(refused("a pass"))?;
        match pass.begin(snapshot.now, counted.idle, 0, (counted.of)(head)) {
            Err(Error::HeadFits) => return Ok(None),
            begun => begun.map_err(refused("the head job"))?,
        }
        for job in running {
            let believed = match beliefs.as_deref_mut() {
                Some(beliefs) => beliefs.predict(Kind::from(job))?,
                None => RuntimeDistribution::limit(),
            };
            let limit = if job.state == State::Completing { 0 } else { job.limit };
            pass.add_running((counted.of)(job).max(1), job.used, limit, &believed)
                .map_err(refused(&format!("job {}", job.id)))?;
        }
        Ok(Some(Running { memory }))
    }

    fn pass(&mut self) -> Result<Pass<'_>> {
        Pass::attach(bytemuck::cast_slice_mut(&mut self.memory)).map_err(refused("a pass"))
    }
}

/// When the pool's head job starts; nothing when no job waits for nodes.
///
/// # Errors
/// When the library refuses what Slurm says.
pub fn estimate(
    pool: &Pool,
    snapshot: &Snapshot,
    run_times: &mut RunTimes,
    question: &Question,
) -> Result<Option<Head>> {
    let Some(job) = pool.head(&snapshot.jobs) else { return Ok(None) };
    let mut head = Head {
        job: job.id.clone(),
        user: job.user.clone(),
        partition: job.partition.clone(),
        waited: (snapshot.now - job.submit).max(0),
        counted: None,
        needs: job.nodes,
        idle: 0,
        quantiles: Vec::new(),
        by_limits: None,
        started: Vec::new(),
        note: None,
    };
    let counted = match pool.count(snapshot) {
        Ok(counted) => counted,
        Err(why) => {
            head.note = Some(why);
            return Ok(Some(head));
        }
    };
    (head.counted, head.needs, head.idle) = (Some(counted.unit), (counted.of)(job), counted.idle);
    let Some(mut believed) = Running::describe(job, pool, snapshot, &counted, Some(run_times))? else {
        head.note = Some(
            "it would fit: Slurm starts it at once, or sees something that counting does not".to_owned(),
        );
        return Ok(Some(head));
    };
    let mut pass = believed.pass()?;
    for probability in QUANTILES {
        match pass.head_start_quantile(probability) {
            Ok(when) => head.quantiles.push(Quantile { probability, within: when - snapshot.now }),
            Err(Error::Never) => {
                head.note = Some(format!("it needs more {} than are in service", counted.unit));
                return Ok(Some(head));
            }
            Err(error) => return Err(refused("the head job's start")(error)),
        }
    }
    for &within in &question.within {
        let probability =
            pass.head_start_probability(snapshot.now + within).map_err(refused("the head job's start"))?;
        head.started.push(Probability { within, probability });
    }
    if let Some(mut limits) = Running::describe(job, pool, snapshot, &counted, None)? {
        let when =
            limits.pass()?.head_start_quantile(1.0).map_err(refused("the head job's start by limits"))?;
        head.by_limits = Some(when - snapshot.now);
    }
    Ok(Some(head))
}
