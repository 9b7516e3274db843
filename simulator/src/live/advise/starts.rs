//! When each waiting job of a pool starts: the answers, as they are printed and read again.
//!
//! All of them come from one forecast of the scheduler engine, in which the rule of the site's scheduler is played
//! forward by the site's priorities over run times drawn from their predictions, with later jobs as on the days
//! before. The levels are corrected by the starts that came in the history.

use super::queue::Line;
use crate::base::words::several;
use crate::live::engine::refused;
use anyhow::Result;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use surefill::engine::{LEVELS, PredictedStart, Scheduler, Stall, StartForecast};

/// Probabilities of the quantiles of starts that tables and pages show: the ends of the interval of 90 %, the median,
/// and the level that is to be promised to people. Files have all levels.
pub const SHOWN: [f64; 4] = [LEVELS[0], LEVELS[2], LEVELS[3], LEVELS[4]];

const DAY: i64 = 86_400;
/// Ten years, in seconds: longer spans were written in another unit.
const LONGEST: i64 = 10 * 365 * DAY;

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
    #[serde(default)]
    pub user: String,
    /// Its partition.
    #[serde(default)]
    pub partition: String,
    /// Seconds it has waited.
    #[serde(deserialize_with = "checked_span")]
    pub waited: i64,
    /// Number of jobs in the line: the waiting tasks of an array, else 1.
    #[serde(default = "one")]
    pub tasks: u32,
    /// Tasks of the array that run at once at most, where it has such a limit.
    #[serde(default)]
    pub at_once: Option<u32>,
    /// Probabilities, and seconds from now within which it, or the first of its tasks, starts with these; those beyond
    /// the range of the forecast are left out. Empty for a job that is wider than everything in service, for an array
    /// that waits for tasks of its own, and where the machine may be down.
    #[serde(deserialize_with = "checked_quantiles")]
    pub quantiles: Vec<Quantile>,
    /// The same of the last of its tasks; empty where they are not reported one by one.
    #[serde(default, deserialize_with = "checked_quantiles")]
    pub last: Vec<Quantile>,
    /// The probability of having started within the question's spans.
    #[serde(default, deserialize_with = "checked_started")]
    pub started: Vec<Probability>,
    /// Time since which starts of this job are reported: that of the first of the answers that follow each other.
    #[serde(default, deserialize_with = "checked_since")]
    pub since: Option<i64>,
    /// Forecasts for jobs of the pool's history whose starts have corrected these; 0: none.
    #[serde(default)]
    pub calibrated_by: u64,
    /// Why there is no prediction, or no interval.
    #[serde(default)]
    pub note: Option<String>,
}

/// The starts of all waiting jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Starts {
    /// Time of the forecast, in seconds on Slurm's clock.
    pub now: i64,
    /// The jobs, pool by pool in the order of priority.
    pub starts: Vec<Start>,
}

impl Starts {
    /// The start of the job with this name, if one is predicted.
    pub fn of(&self, job: &str) -> Option<&Start> {
        self.starts.iter().find(|start| start.job == job)
    }
}

fn one() -> u32 {
    1
}

/// Refuses a span that is negative or longer than any wait.
pub(in crate::live) fn span(seconds: i64) -> Result<i64, String> {
    match seconds {
        0..=LONGEST => Ok(seconds),
        ..0 => Err(format!("{seconds} s is before the time of the forecast")),
        _ => Err(format!("{seconds} s is more than ten years: wanted are seconds, not milliseconds")),
    }
}

/// Refuses a number that is no probability.
pub(in crate::live) fn probability(number: f64) -> Result<f64, String> {
    match number {
        0.0..=1.0 => Ok(number),
        _ => Err(format!("the probability {number} is not within 0 to 1")),
    }
}

/// Refuses quantiles that are out of order.
pub(in crate::live) fn quantiles(all: Vec<Quantile>) -> Result<Vec<Quantile>, String> {
    for quantile in &all {
        probability(quantile.probability)?;
        span(quantile.within)?;
    }
    for pair in all.windows(2) {
        let [before, after] = pair else { continue };
        if before.probability >= after.probability || before.within > after.within {
            return Err(format!(
                "quantiles out of order: {} s with probability {}, then {} s with {}",
                before.within, before.probability, after.within, after.probability
            ));
        }
    }
    Ok(all)
}

/// Refuses probabilities that fall as time goes on.
pub(in crate::live) fn started(all: Vec<Probability>) -> Result<Vec<Probability>, String> {
    for start in &all {
        probability(start.probability)?;
        span(start.within)?;
    }
    let falls = |one: &Probability| {
        all.iter().find(|other| other.within > one.within && other.probability < one.probability)
    };
    match all.iter().find_map(|one| falls(one).map(|other| (one, other))) {
        Some((one, other)) => Err(format!(
            "a start within {} s is less probable than one within {} s",
            other.within, one.within
        )),
        None => Ok(all),
    }
}

/// Reads a value, and checks it: where it is refused, the reader knows the line.
pub(in crate::live) fn checked<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
    check: impl FnOnce(T) -> Result<T, String>,
) -> Result<T, D::Error> {
    check(T::deserialize(reader)?).map_err(D::Error::custom)
}

fn checked_span<'de, D: Deserializer<'de>>(reader: D) -> Result<i64, D::Error> {
    checked(reader, span)
}

/// The year 2200: later times were written in another unit.
const LATEST: i64 = 7_258_118_400;

/// Refuses a time before 1970 and one after the year 2200.
pub(in crate::live) fn time(seconds: i64) -> Result<i64, String> {
    match seconds {
        0..=LATEST => Ok(seconds),
        ..0 => Err(format!("the time {seconds} is before 1970")),
        _ => Err(format!("the time {seconds} is after the year 2200: wanted are seconds, not milliseconds")),
    }
}

fn checked_since<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<i64>, D::Error> {
    checked(reader, |since: Option<i64>| since.map(time).transpose())
}

fn checked_quantiles<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<Quantile>, D::Error> {
    checked(reader, quantiles)
}

fn checked_started<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<Probability>, D::Error> {
    checked(reader, started)
}

impl Start {
    /// The instants, in seconds from the forecast, by which the job has started with these probabilities; linear
    /// between them. What lies beyond the last quantile is spread up to twice its distance, as in
    /// [`StartForecast::probability`], unless the last two agree: then the job starts by that instant.
    fn points(&self) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = vec![(0.0, 0.0)];
        points.extend(self.quantiles.iter().map(|known| (known.within as f64, known.probability)));
        points.extend(self.started.iter().map(|known| (known.within as f64, known.probability)));
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let last = self.quantiles.last().filter(|last| last.probability == LEVELS[LEVELS.len() - 1]);
        if let Some(last) = last.map(|last| last.within as f64) {
            let certain = self.quantiles.iter().rev().nth(1).is_some_and(|one| one.within as f64 == last);
            points.retain(|point| point.0 <= last);
            points.push((if certain { last } else { 2.0 * last }, 1.0));
        }
        points
    }

    /// Seconds from the forecast within which the job starts with this probability; none where too little is known.
    pub fn by(&self, probability: f64) -> Option<i64> {
        let points = self.points();
        let pair = points.windows(2).find(|pair| pair[1].1 >= probability)?;
        let ((from, before), (to, after)) = (pair[0], pair[1]);
        let share = if after > before { (probability - before) / (after - before) } else { 1.0 };
        Some((from + (to - from) * share.clamp(0.0, 1.0)).round() as i64)
    }

    /// The probability of a start within these seconds from the forecast; none where too little is known.
    pub fn probability(&self, within: i64) -> Option<f64> {
        let (points, within) = (self.points(), within as f64);
        let known = points.iter().rposition(|point| point.0 <= within)?;
        match (points[known], points.get(known + 1)) {
            ((from, before), Some(&(to, after))) => {
                Some(before + (after - before) * (within - from) / (to - from))
            }
            ((_, 1.0), None) => Some(1.0),
            _ => None,
        }
    }

    /// Seconds from a later moment, `ago` seconds after the forecast, within which the job starts with this
    /// probability, as it has not started by then; none where too little is known, or where it should have started by
    /// now.
    pub fn left_by(&self, probability: f64, ago: i64) -> Option<i64> {
        let passed = self.passed(ago)?;
        self.by(passed + probability * (1.0 - passed)).map(|by| (by - ago).max(0))
    }

    /// The probability of a start within these seconds from a later moment, likewise.
    pub fn left_probability(&self, within: i64, ago: i64) -> Option<f64> {
        let passed = self.passed(ago)?;
        let by_then = self.probability(within.saturating_add(ago))?;
        Some(((by_then - passed) / (1.0 - passed)).clamp(0.0, 1.0))
    }

    /// The probability with which the job was to start before this moment, if a later start is possible by the
    /// forecast.
    fn passed(&self, ago: i64) -> Option<f64> {
        let passed = if ago <= 0 { 0.0 } else { self.probability(ago)? };
        (passed < LEVELS[LEVELS.len() - 1]).then_some(passed)
    }
}

/// The levels of one start.
struct Levels {
    within: [i64; LEVELS.len()],
    /// The number of them that lie in the forecast's range, and its end in seconds where not all do.
    known: usize,
    range: Option<i64>,
    /// Whether the start is the same in every scenario.
    is_certain: bool,
}

/// A pool's forecast, and what is asked of it.
pub(super) struct Asked<'a> {
    pub now: i64,
    pub within: &'a [i64],
    pub scheduler: &'a Scheduler<'a>,
    pub forecast: &'a StartForecast<'a>,
    /// Starts of the history that have corrected it.
    pub calibrated_by: u64,
}

impl Asked<'_> {
    /// The levels of a job; nothing for one that never starts.
    fn levels(&self, id: i64) -> Result<Option<Levels>> {
        let named = || refused("a forecast");
        let Some(raw) = self.forecast.levels(id).map_err(named())? else { return Ok(None) };
        let predicted = self.forecast.predicted(self.scheduler, id).map_err(named())?;
        let Some(predicted) = predicted else { return Ok(None) };
        let mut within = predicted.by.map(|by| (by - self.now).max(0));
        let range = predicted.capped.then_some(within[LEVELS.len() - 1]);
        let is_certain = raw.first() == raw.last();
        // A width that the scenarios do not have is none that anything is known of.
        within = if is_certain { raw } else { within };
        let inside = |&(&level, &raw): &(&i64, &i64)| range.is_none_or(|range| level < range && raw < range);
        let known = within.iter().zip(&raw).take_while(inside).count();
        Ok(Some(Levels { within, known, range, is_certain }))
    }

    fn probability(&self, id: i64, levels: &Levels, within: i64) -> Result<f64> {
        if levels.is_certain {
            return Ok(if levels.within[0] <= within { 1.0 } else { 0.0 });
        }
        let when = self.now.saturating_add(within);
        let found = self.forecast.probability(self.scheduler, id, when);
        Ok(found.map_err(refused("a time to start within"))?.unwrap_or(0.0))
    }

    /// The start of the job in a line, whose starts are reported since this time; `id` is the engine's number of one of
    /// its jobs.
    pub fn start(&self, line: &Line<'_>, since: i64, id: impl Fn(i64) -> i64) -> Result<Start> {
        let job = line.job;
        let mut start = Start {
            job: job.id.clone(),
            user: job.user.clone(),
            partition: job.partition.clone(),
            waited: (self.now - job.submit).max(0),
            tasks: job.count(),
            at_once: job.tasks.as_ref().and_then(|tasks| tasks.at_once),
            quantiles: Vec::new(),
            last: Vec::new(),
            started: Vec::new(),
            since: Some(since),
            calibrated_by: self.calibrated_by,
            note: None,
        };
        let (first, last) = line.first_and_last();
        let Some(first) = first else {
            let why = if line.too_wide { TOO_WIDE } else { "its array lets no further task run now" };
            return Ok(Start { note: Some(why.to_owned()), ..start });
        };
        let first = id(first);
        let Some(levels) = self.levels(first)? else {
            return Ok(Start { note: Some(TOO_WIDE.to_owned()), ..start });
        };
        if let Some(stall) = self.forecast.stall() {
            return Ok(Start { note: Some(machine_may_be_down(stall)), ..start });
        }
        start.quantiles = reported(&levels);
        if let Some(last) = last {
            start.last = self.levels(id(last))?.map_or_else(Vec::new, |levels| reported(&levels));
        }
        let days = levels.range.map(|range| several((range / DAY).max(1) as u64, "day"));
        start.note = match days {
            Some(days) if start.quantiles.is_empty() => {
                Some(format!("no prediction: not within the {days} that are played forward"))
            }
            Some(days) if start.quantiles.len() < LEVELS.len() => {
                Some(format!("no prediction beyond the {days} that are played forward"))
            }
            _ if levels.is_certain => {
                Some("the same start in every scenario: no interval is known".to_owned())
            }
            _ if levels.within.first() == levels.within.last() => {
                Some("every level is its start by limits: no interval is known".to_owned())
            }
            _ => None,
        };
        if !start.quantiles.is_empty() {
            for &within in self.within {
                let probability = self.probability(first, &levels, within)?;
                start.started.push(Probability { within, probability });
            }
        }
        Ok(start)
    }
}

fn machine_may_be_down(stall: Stall) -> String {
    let Stall { lasts, longest } = stall;
    format!(
        "cannot tell: nothing has started for {}, though a waiting job may start; in the history {} at most: the machine \
         may be down",
        hours(lasts),
        hours(longest)
    )
}

fn hours(seconds: i64) -> String {
    match seconds {
        ..7200 => several((seconds / 60).max(0) as u64, "minute"),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

pub(super) const TOO_WIDE: &str = "it asks for more than is in service";

/// The levels that are known.
fn reported(levels: &Levels) -> Vec<Quantile> {
    let all = LEVELS.into_iter().zip(levels.within).take(levels.known);
    all.map(|(probability, within)| Quantile { probability, within }).collect()
}

/// The start of a job that was reported before.
pub(super) struct Before {
    pub reported: PredictedStart,
    /// Time since which starts of it are reported.
    pub since: i64,
}

/// The start of a line's first job by an earlier answer; none of an array whose tasks are others now, nor where the
/// median is not known.
pub(super) fn before(previous: &Starts, line: &Line<'_>, now: i64) -> Option<Before> {
    let Line { job, .. } = line;
    let start = previous.of(&job.id).filter(|start| {
        (start.tasks, &start.user, &start.partition) == (job.count(), &job.user, &job.partition)
    })?;
    let levels = start.quantiles.iter().zip(LEVELS).all(|(quantile, level)| quantile.probability == level);
    let (known, last) = (start.quantiles.len(), start.quantiles.last()?.within);
    if previous.now > now || !levels || !(3..=LEVELS.len()).contains(&known) {
        return None;
    }
    // Those that are not known lie beyond the last that is.
    let mut by = [previous.now + last + 1; LEVELS.len()];
    for (by, quantile) in by.iter_mut().zip(&start.quantiles) {
        *by = previous.now + quantile.within;
    }
    let since = start.since.unwrap_or(previous.now).min(previous.now);
    let reported = PredictedStart { by, capped: known < LEVELS.len(), stall: None };
    Some(Before { reported, since })
}
