//! When each waiting job of a pool starts: the queue played forward over sampled run times.
//!
//! Slurm's backfill scheduler goes through the queue by priority, plans every job to its limit and gives each that it
//! reaches a reservation, anew at every run: this is played, with run times drawn from what ended jobs teach. Jobs
//! submitted later are not foreseen, and nothing here has been calibrated on this site's starts.

use super::beliefs::{Kind, RunTimes, refused};
use super::head::{Pool, Probability, Quantile, holds_nodes};
use super::read::{Job, State};
use super::{Question, Snapshot, waits_for};
use anyhow::Result;
use serde::Serialize;
use std::cmp::Reverse;
use surefill::error::Error;
use surefill::forecast::{Forecast, ForecastCapacity, ForecastOptions, Progress};
use surefill::runtime::RuntimeBins;

/// The probabilities that starts are told for.
pub const QUANTILES: [f64; 3] = [0.05, 0.5, 0.95];

const EVENTS: u32 = 4;
const SCENARIOS: u32 = 200;
/// Slurm's `bf_max_job_test`, as it is where a site has not set it.
const RESERVATIONS: u32 = 500;

/// When a waiting job starts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Start {
    /// Slurm's name of the job.
    pub job: String,
    /// Its owner.
    pub user: String,
    /// Its partition.
    pub partition: String,
    /// Seconds it has waited.
    pub waited: i64,
    /// Probabilities, and seconds from now within which it starts with these; empty for a job that is wider than
    /// everything in service.
    pub quantiles: Vec<Quantile>,
    /// The probability of having started within the question's spans.
    pub started: Vec<Probability>,
}

/// The waiting jobs of a pool that wait for nothing but nodes, in the order of their priority; none where counting
/// does not describe the pool, which the head job's note says.
///
/// # Errors
/// When the library refuses what Slurm says.
pub fn starts(
    pool: &Pool,
    snapshot: &Snapshot,
    run_times: &mut RunTimes,
    question: &Question,
) -> Result<Vec<Start>> {
    let Ok(counted) = pool.count(snapshot) else { return Ok(Vec::new()) };
    let waits = |job: &&Job| {
        job.state == State::Pending && job.priority > 0 && waits_for(job).is_none() && pool.has(job)
    };
    let mut waiting: Vec<&Job> = snapshot.jobs.iter().filter(waits).collect();
    waiting.sort_by_key(|job| (Reverse(job.priority), job.submit));
    let running: Vec<&Job> = snapshot.jobs.iter().filter(|job| holds_nodes(job) && pool.has(job)).collect();
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    let of = counted.of;
    let widest = waiting.iter().chain(&running).map(|job| of(job)).max().unwrap_or(1);
    let capacity = ForecastCapacity {
        running: running.len() as u32,
        waiting: waiting.len() as u32,
        processors: counted.all.max(widest).max(1),
        bins: RuntimeBins::default().count() as u32,
        events_per_bin: EVENTS,
        scenarios: SCENARIOS,
    };
    let size = Forecast::size(&capacity).map_err(refused("a forecast"))?;
    let mut memory = vec![0_u64; size.div_ceil(8)];
    let mut forecast =
        Forecast::init(bytemuck::cast_slice_mut(&mut memory), &capacity).map_err(refused("a forecast"))?;
    let options =
        ForecastOptions { reservations: RESERVATIONS, scenarios: SCENARIOS, ..ForecastOptions::default() };
    forecast.begin(snapshot.now, counted.idle, &options).map_err(refused("a forecast"))?;
    for job in running {
        let believed = run_times.predict(Kind::from(job))?;
        let limit = if job.state == State::Completing { 0 } else { job.limit };
        forecast
            .add_running(of(job).max(1), job.used, limit, &believed)
            .map_err(refused(&format!("job {}", job.id)))?;
    }
    for job in &waiting {
        let believed = run_times.predict(Kind::from(*job))?;
        forecast
            .add_waiting(of(job).max(1), job.limit, job.submit.min(snapshot.now), &believed)
            .map_err(refused(&format!("job {}", job.id)))?;
    }
    while forecast.run(u64::MAX).map_err(refused("a forecast"))? == Progress::More {}
    let tell = |(place, job): (usize, &&Job)| {
        let mut start = Start {
            job: job.id.clone(),
            user: job.user.clone(),
            partition: job.partition.clone(),
            waited: (snapshot.now - job.submit).max(0),
            quantiles: Vec::new(),
            started: Vec::new(),
        };
        for probability in QUANTILES {
            match forecast.start_quantile(place, probability) {
                Ok(when) => {
                    start.quantiles.push(Quantile { probability, within: when.value - snapshot.now });
                }
                Err(Error::Never) => return Ok(start),
                Err(error) => return Err(refused(&format!("job {}", job.id))(error)),
            }
        }
        for &within in &question.within {
            let probability = forecast
                .start_probability(place, snapshot.now.saturating_add(within))
                .map_err(refused(&format!("job {}", job.id)))?
                .value;
            start.started.push(Probability { within, probability });
        }
        Ok(start)
    };
    waiting.iter().enumerate().map(tell).collect()
}
