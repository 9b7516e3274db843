//! When each waiting job of a pool starts: the queue played forward over sampled run times.
//!
//! Slurm's backfill scheduler goes through the queue by priority, plans every job to its limit and gives each that it
//! reaches a reservation, anew at every run: this is played, with run times drawn from what ended jobs teach. Jobs
//! submitted later are not foreseen; what that has cost in the pool's own history stretches what is told
//! ([`calibrate`]).

use super::beliefs::{Kind, RunTimes, refused};
use super::calibrate;
use super::head::{Pool, Probability, Quantile, holds_nodes};
use super::play::{Players, Running, Waits, play, quantile};
use super::read::{Job, State};
use super::{Question, Snapshot, waits_for};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use surefill::forecast::{Forecast, LEVELS};

/// The probabilities that starts are told for.
pub const QUANTILES: [f64; 3] = [LEVELS[0], LEVELS[2], LEVELS[4]];

const SCENARIOS: u32 = 200;

/// When a waiting job starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Forecasts for jobs of the pool's history whose starts have stretched these; 0: these are the forecast's own.
    pub calibrated_by: u64,
}

/// What `surefill advise --json` prints of all waiting jobs: when they start.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Starts {
    /// When it was told, in seconds on Slurm's clock.
    pub now: i64,
    /// The jobs, pool by pool in the order of priority.
    pub starts: Vec<Start>,
}

impl Starts {
    /// Reads the JSON.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of_json(text: &[u8]) -> Result<Starts> {
        Ok(serde_json::from_slice(text)?)
    }
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
    let mut players =
        Players { now: snapshot.now, all: counted.all, idle: counted.idle, ..Players::default() };
    for job in running {
        let belief = run_times.predict(Kind::from(job))?;
        let limit = if job.state == State::Completing { 0 } else { job.limit };
        players.running.push(Running { units: of(job).max(1), limit, used: job.used, belief });
    }
    for job in &waiting {
        let belief = run_times.predict(Kind::from(*job))?;
        let submit = job.submit.min(snapshot.now);
        players.waiting.push(Waits { units: of(job).max(1), limit: job.limit, submit, belief });
    }
    let calibration = calibrate::learn(pool, snapshot, &counted)?;
    let tell = |forecast: &Forecast, place: usize, job: &Job| {
        let waited = (snapshot.now - job.submit).max(0);
        let mut start = Start {
            job: job.id.clone(),
            user: job.user.clone(),
            partition: job.partition.clone(),
            waited,
            quantiles: Vec::new(),
            started: Vec::new(),
            calibrated_by: calibration.starts(),
        };
        let mut levels = [0; LEVELS.len()];
        for (found, level) in levels.iter_mut().zip(LEVELS) {
            match quantile(forecast, place, level, snapshot.now)? {
                Some(within) => *found = within,
                None => return Ok(start),
            }
        }
        let told = calibration.told(waited, &levels).map_err(refused("a calibration"))?;
        let told_at = |level: &f64| LEVELS.iter().position(|one| one == level).map(|place| told[place]);
        start.quantiles = QUANTILES
            .into_iter()
            .filter_map(|probability| told_at(&probability).map(|within| Quantile { probability, within }))
            .collect();
        for &within in &question.within {
            let named = refused("a time to start within");
            let probability = match calibration.starts() {
                0 => {
                    forecast
                        .start_probability(place, snapshot.now.saturating_add(within))
                        .map_err(named)?
                        .value
                }
                _ => calibration.probability(waited, &told, within).map_err(named)?,
            };
            start.started.push(Probability { within, probability });
        }
        Ok(start)
    };
    play(&players, SCENARIOS, |forecast| {
        waiting.iter().enumerate().map(|(place, job)| tell(forecast, place, job)).collect()
    })
}
