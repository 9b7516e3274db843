//! Calibration of forecasts of this pool: the last of its history is forecast again, and compared with the recorded
//! starts.
//!
//! At moments at which jobs were submitted the queue of that time is played forward as it is now, over run times as the
//! jobs that had ended by then teach them, and the starts that followed stretch the quantiles
//! ([`StartCalibration`]). A history has no priorities: the queue is taken in the order of submission. It has no nodes
//! either: at a moment at which jobs held more than is in service now, the pool was as large as that; where they held
//! more than all nodes have, they shared nodes, and the moment is left out.

use super::beliefs::{Kind, RunTimes, refused};
use super::play::{Players, Running, Waits, play, quantile};
use super::pool::{Counted, Pool};
use super::read::Job;
use super::{Snapshot, waits};
use crate::live::engine::Unit;
use anyhow::Result;
use std::collections::BTreeMap;
use surefill::forecast::{LEVELS, StartCalibration};

/// Moments of the history at which the queue is played forward, and in how many scenarios.
const MOMENTS: usize = 100;
const SCENARIOS: u32 = 50;

/// Waiting tasks of all arrays together that are looked at.
const MOST_TASKS: u32 = 1000;

/// Fewer starts than this teach nothing yet.
const FEWEST: u64 = 20;

/// A job of the history, or of the present.
struct Known {
    submit: i64,
    start: Option<i64>,
    end: Option<i64>,
    units: u32,
    limit: i64,
    kind: Kind,
}

/// The forecast for a job that has not started yet.
struct Open {
    when: i64,
    age: i64,
    forecast: [i64; LEVELS.len()],
    told: [i64; LEVELS.len()],
    missed: u32,
}

fn of_pool(pool: &Pool, snapshot: &Snapshot, counted: &Counted) -> Vec<Known> {
    let past = snapshot.past.iter().filter(|job| pool.is_of(&job.partition)).map(|job| Known {
        submit: job.submit,
        start: Some(job.start),
        end: Some(job.end),
        units: if counted.unit == Unit::Nodes { job.nodes } else { job.processors },
        limit: job.limit,
        kind: Kind::from(job),
    });
    // An array's limit of tasks that run at once is not played here.
    let throttled = |job: &Job| job.tasks.as_ref().is_some_and(|tasks| tasks.at_once.is_some());
    let present = snapshot
        .jobs
        .iter()
        .filter(|job| pool.has(job) && (job.holds_nodes() || waits(job) && !throttled(job)));
    let arrays = snapshot.jobs.iter().filter(|job| pool.has(job) && job.tasks.is_some()).count().max(1);
    let most = MOST_TASKS as usize / arrays.min(50);
    let present = present.flat_map(move |job| {
        let known = move || Known {
            submit: job.submit,
            start: job.holds_nodes().then(|| (snapshot.now - job.used).max(job.submit)),
            end: None,
            units: (counted.of)(job),
            limit: job.limit,
            kind: Kind::from(job),
        };
        std::iter::repeat_with(known).take((job.count() as usize).min(most))
    });
    past.chain(present).filter(|job| job.submit <= snapshot.now).collect()
}

/// Times at which jobs were submitted that then waited, at most [`MOMENTS`], evenly among them.
fn moments(known: &[Known]) -> Vec<i64> {
    let waited = known.iter().filter(|job| job.start.is_none_or(|start| start > job.submit));
    let mut times: Vec<i64> = waited.map(|job| job.submit).collect();
    times.sort_unstable();
    times.dedup();
    let count = times.len().min(MOMENTS);
    (1..=count).map(|moment| times[moment * times.len() / count - 1]).collect()
}

/// The calibration by the starts of this pool's history; none where fewer than [`FEWEST`] of them were forecast.
///
/// # Errors
/// When the library refuses what Slurm says.
pub(in crate::live) fn learn(
    pool: &Pool,
    snapshot: &Snapshot,
    counted: &Counted,
) -> Result<StartCalibration> {
    let mut calibration = StartCalibration::new();
    let mut known = of_pool(pool, snapshot, counted);
    known.sort_by_key(|job| job.submit);
    let mut ends: Vec<usize> = (0..known.len()).filter(|&job| known[job].end.is_some()).collect();
    ends.sort_by_key(|&job| known[job].end);
    let mut ends = ends.into_iter().peekable();
    let mut run_times = RunTimes::new();
    let mut open: BTreeMap<usize, Vec<Open>> = BTreeMap::new();
    for now in moments(&known).into_iter().chain([snapshot.now]) {
        while let Some(job) = ends.next_if(|&job| known[job].end <= Some(now)) {
            if let (Some(start), Some(end)) = (known[job].start, known[job].end) {
                run_times.learn(known[job].kind, end - start)?;
            }
        }
        hear(&mut calibration, &known, &mut open, now)?;
        if now == snapshot.now {
            break;
        }
        let has_started = |job: &Known| job.start.is_some_and(|start| start <= now);
        let mut players = Players { now, all: counted.all, ..Players::default() };
        let mut waiting = Vec::new();
        for (place, job) in known.iter().enumerate().take_while(|(_, job)| job.submit <= now) {
            let (units, limit) = (job.units.max(1), job.limit);
            if !has_started(job) {
                waiting.push(place);
                let belief = run_times.predict(job.kind)?;
                players.waiting.push(Waits { units, limit, submit: job.submit, belief });
            } else if job.end.is_none_or(|end| end > now) {
                let belief = run_times.predict(job.kind)?;
                let used = now - job.start.unwrap_or(now);
                players.running.push(Running { units, limit, used, belief });
            }
        }
        let held = players.running.iter().map(|job| job.units).fold(0, u32::saturating_add);
        if held > counted.most {
            continue;
        }
        players.all = players.all.max(held);
        players.idle = players.all - held;
        let asked = |quantiles: &dyn Fn(usize, f64) -> Result<Option<i64>>| {
            let mut found = Vec::new();
            for (place, &job) in waiting.iter().enumerate() {
                let levels: Result<Option<Vec<i64>>> =
                    LEVELS.into_iter().map(|level| quantiles(place, level)).collect();
                let levels = levels?.and_then(|levels| <[i64; LEVELS.len()]>::try_from(levels).ok());
                found.extend(levels.map(|levels| (job, levels)));
            }
            Ok(found)
        };
        let told = play(&players, SCENARIOS, |forecast| {
            asked(&|place, level| quantile(forecast, place, level, now))
        })?;
        for (job, forecast) in told {
            let age = now - known[job].submit;
            let told = calibration.told(age, &forecast).map_err(refused("a calibration"))?;
            open.entry(job).or_default().push(Open { when: now, age, forecast, told, missed: 0 });
        }
    }
    Ok(if calibration.starts() < FEWEST { StartCalibration::new() } else { calibration })
}

/// Compares the forecasts of jobs with their starts so far.
fn hear(
    calibration: &mut StartCalibration,
    known: &[Known],
    open: &mut BTreeMap<usize, Vec<Open>>,
    now: i64,
) -> Result<()> {
    for (&job, open) in open.iter_mut() {
        let start = known[job].start.filter(|start| *start <= now);
        for Open { when, age, forecast, told, missed } in open.iter_mut() {
            let heard = match start {
                Some(start) => {
                    calibration.learn_rest(*age, forecast, told, start - *when, *missed).map(|()| *missed)
                }
                None => calibration.overdue(*age, forecast, told, now - *when, *missed),
            };
            *missed = heard.map_err(refused("a calibration"))?;
        }
    }
    open.retain(|&job, _| known[job].start.is_none_or(|start| start > now));
    Ok(())
}
