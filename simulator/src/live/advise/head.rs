//! The first waiting job of a pool: what it waits for, and its start by limits.

use super::Snapshot;
use super::beliefs::refused;
use super::pool::{Counted, Pool};
use super::read::{Job, State};
use anyhow::Result;
use serde::Serialize;
use surefill::backfill::{Pass, PassCapacity};
use surefill::error::Error;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// The head job.
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
    /// The unit that is counted: "nodes" or "processors".
    pub counted: Option<&'static str>,
    /// Units that the job needs.
    pub needs: u32,
    /// Units that are idle.
    pub idle: u32,
    /// Seconds from now within which it starts if all jobs run to their limits and nothing else starts.
    pub by_limits: Option<i64>,
    /// Why there is no such time, or what it does not say.
    pub note: Option<String>,
}

/// When the head job starts if every running job runs to its limit, in seconds of the snapshot's clock; none if it
/// would fit now, or never starts.
fn by_limits(head: &Job, pool: &Pool, snapshot: &Snapshot, counted: &Counted) -> Result<Start> {
    let running = counted.running(pool, snapshot);
    let limits = PassCapacity {
        running: running.len().max(1) as u32,
        candidates: 1,
        processors: counted.all.max((counted.of)(head)),
        bins: RuntimeBins::default().count() as u32,
        events_per_bin: 1,
        ..PassCapacity::default()
    };
    let size = Pass::size(&limits).map_err(refused("a pass"))?;
    let mut memory = vec![0_u64; size.div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).map_err(refused("a pass"))?;
    match pass.begin(snapshot.now, counted.idle, 0, (counted.of)(head)) {
        Err(Error::HeadFits) => return Ok(Start::Fits),
        begun => begun.map_err(refused("the head job"))?,
    }
    for (job, units) in running {
        let limit = if job.state == State::Completing { 0 } else { job.limit };
        pass.add_running(units, job.used, limit, &RuntimeDistribution::limit())
            .map_err(refused(&format!("job {}", job.id)))?;
    }
    match pass.head_start_quantile(1.0) {
        Ok(when) => Ok(Start::At(when)),
        Err(Error::Never) => Ok(Start::Never),
        Err(error) => Err(refused("the head job's start by limits")(error)),
    }
}

/// A head job's start by limits.
enum Start {
    /// There is room for it now.
    Fits,
    At(i64),
    /// It needs more than is in service.
    Never,
}

/// The pool's head job; nothing when no job waits for nodes.
///
/// # Errors
/// When the library refuses what Slurm says.
pub fn first(pool: &Pool, snapshot: &Snapshot) -> Result<Option<Head>> {
    let Some(job) = pool.head(&snapshot.jobs) else { return Ok(None) };
    let shared = pool.shared_with();
    let mut head = Head {
        job: job.id.clone(),
        user: job.user.clone(),
        partition: job.partition.clone(),
        waited: (snapshot.now - job.submit).max(0),
        counted: None,
        needs: job.nodes,
        idle: 0,
        by_limits: None,
        note: (!shared.is_empty())
            .then(|| format!("counted together with {}, on any of their nodes", shared.join(", "))),
    };
    let counted = match pool.count(snapshot) {
        Ok(counted) => counted,
        Err(why) => {
            head.note = Some(why);
            return Ok(Some(head));
        }
    };
    (head.counted, head.needs, head.idle) = (Some(counted.unit.name()), (counted.of)(job), counted.idle);
    match by_limits(job, pool, snapshot, &counted)? {
        Start::At(when) => head.by_limits = Some(when - snapshot.now),
        Start::Never => {
            head.note = Some(format!("it needs more {} than are in service", counted.unit.name()))
        }
        Start::Fits => {
            let why = "it would fit: Slurm starts it at once, or sees something that counting does not";
            head.note = Some(why.to_owned());
        }
    }
    Ok(Some(head))
}
