//! When the first waiting job of a pool starts if nothing else does.

use super::beliefs::{Kind, RunTimes, refused};
use super::pool::{Counted, Pool};
use super::read::{Job, State};
use super::{Question, Snapshot};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use surefill::backfill::{Pass, PassCapacity};
use surefill::error::Error;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// The probabilities that the head job's start is told for.
pub const QUANTILES: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

const EVENTS: u32 = 4;

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
        let running = counted.running(pool, snapshot);
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
        for (job, units) in running {
            let believed = match beliefs.as_deref_mut() {
                Some(beliefs) => beliefs.predict(Kind::from(job))?,
                None => RuntimeDistribution::limit(),
            };
            let limit = if job.state == State::Completing { 0 } else { job.limit };
            pass.add_running(units, job.used, limit, &believed)
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
    let shared = pool.shared_with();
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
                head.note = Some(format!("it needs more {} than are in service", counted.unit.name()));
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
