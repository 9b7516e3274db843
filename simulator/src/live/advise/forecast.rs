//! When each waiting job of a pool starts: the queue played forward over sampled run times.
//!
//! Slurm's backfill scheduler goes through the queue by priority, plans every job to its limit and gives each that it
//! reaches a reservation, anew at every run: this is played, with run times drawn from what ended jobs teach. Jobs
//! submitted later are not foreseen; the error of that in the pool's own history stretches the quantiles reported
//! ([`calibrate`]).

use super::beliefs::{RunTimes, refused};
use super::calibrate;
use super::play::{play, quantile};
use super::pool::Pool;
use super::queue::{Line, players};
use super::{Question, Snapshot};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use surefill::forecast::{Forecast, LEVELS, StartCalibration};

/// Probabilities of the reported quantiles of starts.
pub const QUANTILES: [f64; 3] = [LEVELS[0], LEVELS[2], LEVELS[4]];

const SCENARIOS: u32 = 200;

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
    /// Number of jobs in the line: the waiting tasks of an array, else 1.
    #[serde(default = "one")]
    pub tasks: u32,
    /// Tasks of the array that run at once at most, where it has such a limit.
    #[serde(default)]
    pub at_once: Option<u32>,
    /// Probabilities, and seconds from now within which it, or the first of its tasks, starts with these; empty for a
    /// job that is wider than everything in service, and for an array that waits for tasks of its own.
    pub quantiles: Vec<Quantile>,
    /// The same of the last of its tasks; empty where they are not played one by one.
    #[serde(default)]
    pub last: Vec<Quantile>,
    /// The probability of having started within the question's spans.
    pub started: Vec<Probability>,
    /// Forecasts for jobs of the pool's history whose starts have stretched these; 0: these are the forecast's own.
    pub calibrated_by: u64,
}

fn one() -> u32 {
    1
}

/// The starts of all waiting jobs, in the JSON of `surefill advise --json`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Starts {
    /// Time of the forecast, in seconds on Slurm's clock.
    pub now: i64,
    /// The jobs, pool by pool in the order of priority.
    pub starts: Vec<Start>,
}

impl Starts {
    /// Reads the JSON.
    ///
    /// # Errors
    /// The first fault in the JSON.
    pub fn of_json(text: &[u8]) -> Result<Starts> {
        Ok(serde_json::from_slice(text)?)
    }
}

/// The waiting jobs of a pool that wait for nothing but nodes, in the order of their priority; none where counting
/// does not describe the pool, which the head job's note says. Where the history cannot be played the forecast is not
/// calibrated, and a remark says so.
///
/// # Errors
/// When the library refuses what Slurm says.
pub fn starts(
    pool: &Pool,
    snapshot: &Snapshot,
    run_times: &mut RunTimes,
    question: &Question,
    remarks: &mut Vec<String>,
) -> Result<Vec<Start>> {
    let Ok(counted) = pool.count(snapshot) else { return Ok(Vec::new()) };
    let (players, lines) = players(pool, snapshot, &counted, run_times)?;
    if !lines.iter().any(|line| pool.answers(line.job)) {
        return Ok(Vec::new());
    }
    let calibration = calibrate::learn(pool, snapshot, &counted).unwrap_or_else(|error| {
        remarks.push(format!(
            "the forecast of {} is not calibrated by its history, which cannot be played: {error:#}",
            pool.partitions.join(", ")
        ));
        StartCalibration::new()
    });
    let asked = Asked { now: snapshot.now, within: &question.within, calibration: &calibration };
    play(&players, SCENARIOS, |forecast| {
        let mine = lines.iter().filter(|line| pool.answers(line.job));
        mine.map(|line| asked.start(forecast, line)).collect()
    })
}

/// Moment and spans of a forecast, and the calibration that stretches its quantiles.
struct Asked<'a> {
    now: i64,
    within: &'a [i64],
    calibration: &'a StartCalibration,
}

impl Asked<'_> {
    /// The five levels to be reported of a job that has waited so long; none for one that never starts.
    fn levels(&self, forecast: &Forecast, place: usize, waited: i64) -> Result<Option<[i64; LEVELS.len()]>> {
        let mut levels = [0; LEVELS.len()];
        for (found, level) in levels.iter_mut().zip(LEVELS) {
            match quantile(forecast, place, level, self.now)? {
                Some(within) => *found = within,
                None => return Ok(None),
            }
        }
        self.calibration.told(waited, &levels).map(Some).map_err(refused("a calibration"))
    }

    fn start(&self, forecast: &Forecast, line: &Line) -> Result<Start> {
        let Line { job, first, last } = line;
        let waited = (self.now - job.submit).max(0);
        let mut start = Start {
            job: job.id.clone(),
            user: job.user.clone(),
            partition: job.partition.clone(),
            waited,
            tasks: job.count(),
            at_once: job.tasks.as_ref().and_then(|tasks| tasks.at_once),
            quantiles: Vec::new(),
            last: Vec::new(),
            started: Vec::new(),
            calibrated_by: self.calibration.starts(),
        };
        let Some(place) = *first else { return Ok(start) };
        let Some(levels) = self.levels(forecast, place, waited)? else { return Ok(start) };
        start.quantiles = reported(&levels);
        if let Some(last) = last {
            start.last =
                self.levels(forecast, *last, waited)?.map_or_else(Vec::new, |levels| reported(&levels));
        }
        for &within in self.within {
            let named = refused("a time to start within");
            let probability = match self.calibration.starts() {
                0 => forecast.start_probability(place, self.now.saturating_add(within)).map_err(named)?.value,
                _ => self.calibration.probability(waited, &levels, within).map_err(named)?,
            };
            start.started.push(Probability { within, probability });
        }
        Ok(start)
    }
}

/// The levels of [`QUANTILES`] among all.
fn reported(levels: &[i64; LEVELS.len()]) -> Vec<Quantile> {
    let all = LEVELS.into_iter().zip(*levels).filter(|(level, _)| QUANTILES.contains(level));
    all.map(|(probability, within)| Quantile { probability, within }).collect()
}
