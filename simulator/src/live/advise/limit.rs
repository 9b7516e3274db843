//! A time limit for a user's next job: a quantile of the run time that the scheduler engine predicts, rounded up as
//! people do, and how often that rule would have sufficed for the user's jobs so far, each advised on from what was
//! known when it was submitted.

use super::Question;
use super::read::Past;
use crate::live::engine::{Block, refused, user_number};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeSet;
use surefill::engine::{JobReport, JobState};
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
    /// The name of the job that it is thought to be like.
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

/// The limit that the rule advises for a job that the engine knows.
fn advised(block: &mut Block, id: i64, quantile: f64, now: i64) -> Result<i64> {
    Ok(rounded(block.scheduler()?.run_time(id, quantile, now).map_err(refused("a run time"))?))
}

/// The advice in the making, while the engine lives through the history.
pub(super) struct Advisor<'a> {
    past: &'a [Past],
    quantile: f64,
    next: Vec<NextJob>,
    /// The jobs of the past on which the rule is tried.
    trials: BTreeSet<usize>,
    learnt: bool,
}

impl<'a> Advisor<'a> {
    pub fn new(question: &Question, past: &'a [Past]) -> Advisor<'a> {
        let mut trials = BTreeSet::new();
        let mut usual = |ask: &Ask| {
            let own = |(_, job): &(usize, &Past)| job.user == ask.user;
            trials.extend(past.iter().enumerate().rev().filter(own).map(|(place, _)| place).take(TRIED));
            let mut next = usual(ask, past);
            for job in past.iter().filter(|job| job.user == ask.user) {
                next.jobs += 1;
                next.timed_out += usize::from(job.timed_out);
            }
            next
        };
        let next = question.next.iter().map(&mut usual).collect();
        Advisor { past, quantile: question.quantile, next, trials, learnt: false }
    }

    /// The job at this place of the past has ended.
    pub fn ended(&mut self) {
        self.learnt = true;
    }

    /// The job at this place of the past has been submitted to the engine under this id.
    ///
    /// # Errors
    /// None that is known; the engine's.
    pub fn submitted(&mut self, block: &mut Block, place: usize, id: i64, now: i64) -> Result<()> {
        if !self.learnt || !self.trials.contains(&place) {
            return Ok(());
        }
        let job = &self.past[place];
        let enough = advised(block, id, self.quantile, now)? >= job.run_time();
        for next in self.next.iter_mut().filter(|next| next.user == job.user) {
            next.sufficed += usize::from(enough);
            next.tried += 1;
        }
        Ok(())
    }

    /// The advice, now that the engine has lived through the history. The jobs asked about are submitted to it; `units`
    /// gives the queue and the units of a job with a number of processors, like one of the past.
    ///
    /// # Errors
    /// When the engine refuses such a job.
    pub fn finish(
        mut self,
        block: &mut Block,
        now: i64,
        units: impl Fn(Option<&Past>, u32) -> (u32, u32),
    ) -> Result<Vec<NextJob>> {
        // No id of Slurm's, nor of the history's.
        for (advice, id) in self.next.iter_mut().zip((0..).map(|number| i64::MAX - 1 - number)) {
            if !self.learnt {
                break;
            }
            let latest = self.past.iter().rev().find(|job| job.user == advice.user);
            let (queue, count) = units(latest, advice.processors);
            let report = JobReport {
                id,
                state: JobState::Waiting,
                user: user_number(&advice.user),
                submit: now,
                limit: advice.usual_limit.unwrap_or(0),
                count: count.max(1),
                queues: &[queue],
                ..JobReport::default()
            };
            block.report(now, &report, "the next job")?;
            for probability in QUANTILES {
                let within =
                    block.scheduler()?.run_time(id, probability, now).map_err(refused("a run time"))?;
                advice.run_time.push(RunTime { probability, within });
            }
            advice.limit = Some(advised(block, id, self.quantile, now)?);
            let gone = JobReport { id, state: JobState::Gone, ..JobReport::default() };
            block.report(now, &gone, "the next job")?;
        }
        Ok(self.next)
    }
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
