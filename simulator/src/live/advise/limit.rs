//! A time limit for a user's next job: a quantile of the predicted run time, rounded up as people do, and how often
//! that rule would have sufficed for the user's jobs so far, each advised on from what was known before it.

use super::beliefs::{Kind, RunTimes, refused};
use super::read::Past;
use super::{Question, Snapshot};
use anyhow::Result;
use serde::Serialize;
use surefill::runtime::MAX_SECONDS;

/// Probabilities of the reported quantiles of run times.
pub const QUANTILES: [f64; 4] = [0.5, 0.75, 0.9, 0.99];

/// Number of a user's latest jobs on which the rule is tried.
const TRIED: usize = 50;

/// A job to be advised on. What is not given is that of the user's latest job.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The job's user.
    pub user: String,
    /// Processors.
    pub processors: Option<u32>,
    /// Name.
    pub name: Option<String>,
    /// The time limit that would be asked for otherwise, in seconds.
    pub limit: Option<i64>,
}

/// Advice for a user's next job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NextJob {
    /// The job's user.
    pub user: String,
    /// Processors it is thought to ask for.
    pub processors: u32,
    /// The name it is thought to have.
    pub name: String,
    /// The limit it is thought to ask for otherwise, in seconds; none for no limit.
    pub usual_limit: Option<i64>,
    /// The user's ended jobs.
    pub jobs: usize,
    /// Ended jobs that were stopped at their limits: they would have run longer.
    pub timed_out: usize,
    /// Probabilities, and seconds within which the job ends with these.
    pub run_time: Vec<RunTime>,
    /// The advised limit in seconds; none without any ended job.
    pub limit: Option<i64>,
    /// Number of the user's latest jobs for which the same rule would have advised enough time.
    pub sufficed: usize,
    /// Number of the user's latest jobs on which the rule was tried.
    pub tried: usize,
}

/// A quantile of the run time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RunTime {
    /// The probability.
    pub probability: f64,
    /// Seconds.
    pub within: i64,
}

/// Rounds up to what people ask for: 5 minutes below an hour, 15 below four, 30 below twelve, then hours.
pub fn rounded(seconds: i64) -> i64 {
    const MINUTE: i64 = 60;
    let step = match seconds {
        ..=3600 => 5 * MINUTE,
        3601..=14_400 => 15 * MINUTE,
        14_401..=43_200 => 30 * MINUTE,
        _ => 60 * MINUTE,
    };
    (seconds.max(1) + step - 1) / step * step
}

/// The limit that the rule advises for such a job.
fn advised(run_times: &mut RunTimes, kind: Kind, quantile: f64) -> Result<i64> {
    let believed = run_times.predict(kind)?;
    Ok(rounded(believed.quantile(quantile, 0, MAX_SECONDS).map_err(refused("a run time"))?))
}

/// Tells the ended jobs to the predictor, in the order of their ends, trying the rule on the way; then advises.
///
/// # Errors
/// When the library refuses a job.
pub(super) fn learn(
    run_times: &mut RunTimes,
    snapshot: &Snapshot,
    question: &Question,
) -> Result<Vec<NextJob>> {
    let mut next: Vec<NextJob> = question.next.iter().map(|ask| usual(ask, &snapshot.past)).collect();
    let mut left: Vec<usize> = next
        .iter()
        .map(|advice| snapshot.past.iter().filter(|job| job.user == advice.user).count())
        .collect();
    let mut learnt = 0;
    for job in &snapshot.past {
        for (advice, left) in next.iter_mut().zip(&mut left).filter(|(advice, _)| advice.user == job.user) {
            advice.jobs += 1;
            advice.timed_out += usize::from(job.timed_out);
            *left -= 1;
            if *left < TRIED && learnt > 0 {
                let enough = advised(run_times, Kind::from(job), question.quantile)? >= job.run_time();
                advice.sufficed += usize::from(enough);
                advice.tried += 1;
            }
        }
        run_times.learn(Kind::from(job), job.run_time().min(MAX_SECONDS))?;
        learnt += 1;
    }
    for advice in next.iter_mut().filter(|_| learnt > 0) {
        let limit = advice.usual_limit.unwrap_or(MAX_SECONDS);
        let kind = Kind::new(&advice.user, limit, advice.processors, &advice.name);
        let believed = run_times.predict(kind)?;
        for probability in QUANTILES {
            let within = believed.quantile(probability, 0, MAX_SECONDS).map_err(refused("a run time"))?;
            advice.run_time.push(RunTime { probability, within });
        }
        advice.limit = Some(advised(run_times, kind, question.quantile)?);
    }
    Ok(next)
}

/// The job as it was asked for, and as the user's latest was where that says nothing.
fn usual(ask: &Ask, past: &[Past]) -> NextJob {
    let named = |job: &&Past| job.user == ask.user && ask.name.as_ref().is_none_or(|name| *name == job.name);
    let own = |job: &&Past| job.user == ask.user;
    let latest = past.iter().rev().find(named).or_else(|| past.iter().rev().find(own));
    let limit = ask.limit.or(latest.map(|job| job.limit)).filter(|limit| *limit < MAX_SECONDS);
    NextJob {
        user: ask.user.clone(),
        processors: ask.processors.or(latest.map(|job| job.processors)).unwrap_or(1),
        name: ask.name.clone().or(latest.map(|job| job.name.clone())).unwrap_or_default(),
        usual_limit: limit,
        jobs: 0,
        timed_out: 0,
        run_time: Vec::new(),
        limit: None,
        sufficed: 0,
        tried: 0,
    }
}
