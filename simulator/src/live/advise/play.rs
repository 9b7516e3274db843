//! A pool's queue at a moment, played forward as Slurm's backfill scheduler goes through it.

use super::beliefs::refused;
use anyhow::Result;
use surefill::error::Error;
use surefill::forecast::{Forecast, ForecastCapacity, ForecastOptions, Progress};
use surefill::runtime::{MAX_SECONDS, RuntimeBins, RuntimeDistribution};

const EVENTS: u32 = 4;
/// Slurm's `bf_max_job_test`, as it is where a site has not set it.
const RESERVATIONS: u32 = 500;

/// A running job as the forecast takes it.
pub(super) struct Running {
    pub units: u32,
    pub limit: i64,
    pub used: i64,
    pub belief: RuntimeDistribution,
}

/// A waiting job as the forecast takes it.
pub(super) struct Waits {
    pub units: u32,
    pub limit: i64,
    pub submit: i64,
    pub belief: RuntimeDistribution,
}

/// A pool at a moment: all its units and the idle ones, who runs, and who waits, in order.
#[derive(Default)]
pub(super) struct Players {
    pub now: i64,
    pub all: u32,
    pub idle: u32,
    pub running: Vec<Running>,
    pub waiting: Vec<Waits>,
}

/// Plays the queue forward, and asks.
///
/// # Errors
/// When the library refuses something.
pub(super) fn play<R>(
    players: &Players,
    scenarios: u32,
    ask: impl FnOnce(&Forecast) -> Result<R>,
) -> Result<R> {
    let Players { now, all, idle, running, waiting } = players;
    let units = running.iter().map(|job| job.units).chain(waiting.iter().map(|job| job.units));
    let capacity = ForecastCapacity {
        running: running.len() as u32,
        waiting: waiting.len() as u32,
        processors: units.max().unwrap_or(1).max(*all).max(1),
        bins: RuntimeBins::default().count() as u32,
        events_per_bin: EVENTS,
        scenarios,
    };
    let refuse = || refused("a forecast");
    let size = Forecast::size(&capacity).map_err(refuse())?;
    let mut memory = vec![0_u64; size.div_ceil(8)];
    let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut memory), &capacity).map_err(refuse())?;
    let options = ForecastOptions { reservations: RESERVATIONS, scenarios, ..ForecastOptions::default() };
    forecast.begin(*now, *idle, &options).map_err(refuse())?;
    for job in running {
        forecast.add_running(job.units, job.used, job.limit, &job.belief).map_err(refuse())?;
    }
    for job in waiting {
        forecast.add_waiting(job.units, job.limit, job.submit, &job.belief).map_err(refuse())?;
    }
    while forecast.run(u64::MAX).map_err(refuse())? == Progress::More {}
    ask(&forecast)
}

/// The rest of a wait at a level, in seconds; none for a job that never starts, or only once one without a limit has
/// ended of which nothing is known.
pub(super) fn quantile(forecast: &Forecast, place: usize, level: f64, now: i64) -> Result<Option<i64>> {
    match forecast.start_quantile(place, level) {
        Ok(when) => Ok(Some((when.value - now).max(0)).filter(|&rest| rest < MAX_SECONDS / 2)),
        Err(Error::Never) => Ok(None),
        Err(error) => Err(refused("a forecast")(error)),
    }
}
