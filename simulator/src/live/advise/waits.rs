//! Bounds on waits from the waits of the past, partition by partition (QBETS), by the predictor that `predict-wait` and
//! `serve` have.

use super::read::{Job, Past, State};
use super::{Other, Question, Started, waits_for};
use crate::live::engine::refused;
use crate::live::events::{Phase, Times, in_order};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use surefill::runtime::MAX_SECONDS;
use surefill::wait::{
    AVAILABILITY, Features, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor, smallest_history,
};

/// Waits, partition by partition.
pub struct Waits {
    partitions: BTreeMap<String, Vec<u64>>,
    limits: WaitCapacity,
    options: WaitOptions,
    /// The next number of a job of the history: these are below 0.
    next: i64,
}

/// A job that came into a partition's queue, and left it when it started.
pub struct Wait<'a> {
    /// The partition.
    pub partition: &'a str,
    /// Time limit in seconds, [`MAX_SECONDS`] for none.
    pub limit: i64,
    /// Its processors.
    pub processors: u32,
    /// When it came.
    pub submit: i64,
    /// When it started; none of a job that still waits.
    pub start: Option<i64>,
}

impl<'a> From<&'a Past> for Wait<'a> {
    fn from(job: &'a Past) -> Wait<'a> {
        let &Past { limit, processors, submit, start, .. } = job;
        Wait { partition: &job.partition, limit, processors, submit, start: Some(start) }
    }
}

fn features(limit: i64, processors: u32) -> Features {
    Features { requested: limit, processors }
}

/// Most jobs that are in the queues at a time.
pub(in crate::live) fn most_at_once(waits: &[Wait<'_>]) -> usize {
    let times = |wait: &Wait<'_>| Times { submit: wait.submit, start: wait.start, end: None };
    let (mut now, mut most) = (0_usize, 0);
    for (_, phase, _) in in_order(waits.iter().map(times)) {
        now = if phase == Phase::Submission { now + 1 } else { now - 1 };
        most = most.max(now);
    }
    most
}

impl Waits {
    /// Learns from all jobs that have ended or run, and has those that wait for nodes in its queues; returns the
    /// numbers that these have there. The question's quantile must be one that a history can bound.
    ///
    /// # Errors
    /// When the library refuses something.
    pub fn learn<'a>(
        past: &[Past],
        jobs: &'a [Job],
        now: i64,
        question: &Question,
    ) -> Result<(Waits, BTreeMap<&'a str, i64>)> {
        let mut lives: Vec<Wait<'_>> = past.iter().map(Wait::from).collect();
        let mut waiting = Vec::new();
        for job in jobs {
            let waits = job.state == State::Pending && waits_for(job).is_none();
            let start = job.start.filter(|start| job.holds_nodes() && *start >= job.submit);
            if waits || start.is_some() {
                let &Job { limit, processors, submit, .. } = job;
                waiting.extend(waits.then_some((lives.len(), job.id.as_str())));
                lives.push(Wait {
                    partition: &job.partition,
                    limit,
                    processors,
                    submit: submit.min(now),
                    start,
                });
            }
        }
        let mut waits = Waits::new(most_at_once(&lives), question.quantile, question.confidence)?;
        let first = waits.live(&lives)?;
        Ok((waits, waiting.into_iter().map(|(place, id)| (id, first - place as i64)).collect()))
    }

    /// Nothing learnt yet, with room for this number of jobs that wait in one partition; see [`Waits::learn`].
    ///
    /// # Errors
    /// When the library refuses the quantile or the confidence.
    pub fn new(waiting: usize, quantile: f64, confidence: f64) -> Result<Waits> {
        let usual = WaitOptions::default();
        // Availability needs the times of all submissions, and a history has no jobs that were cancelled before they
        // ran.
        let components = usual.components & !AVAILABILITY;
        let options = WaitOptions { quantile, confidence, components, ..usual };
        let queued = u32::try_from(waiting.max(1)).unwrap_or(u32::MAX);
        let fewest = smallest_history(quantile, confidence)
            .map_err(refused("the quantile and confidence of bounds on waits"))?;
        let usual = WaitCapacity::default();
        let history = u32::try_from(fewest).unwrap_or(u32::MAX).max(usual.history);
        let limits = WaitCapacity { history, queued, releases: 0, clusters: 1, ..usual };
        Ok(Waits { partitions: BTreeMap::new(), limits, options, next: -1 })
    }

    /// These jobs come and start in the order of time; returns the number of the first, below which those of the others
    /// follow one by one.
    ///
    /// # Errors
    /// When the library refuses one.
    pub fn live(&mut self, waits: &[Wait<'_>]) -> Result<i64> {
        let first = self.next;
        self.next -= waits.len() as i64;
        let times = |wait: &Wait<'_>| Times { submit: wait.submit, start: wait.start, end: None };
        for (time, phase, place) in in_order(waits.iter().map(times)) {
            let (wait, number) = (&waits[place], first - place as i64);
            let mut queue = self.partition(wait.partition)?;
            let done = match phase {
                Phase::Submission => {
                    queue.submit(number, time, &features(wait.limit, wait.processors)).map(drop)
                }
                _ => queue.start(number, time).map(drop),
            };
            done.map_err(refused("a job of the history"))?;
        }
        Ok(first)
    }

    /// A job of this partition, limit and number of processors has waited this number of seconds.
    ///
    /// # Errors
    /// When the library refuses it.
    pub fn known(&mut self, partition: &str, wait: i64, limit: i64, processors: u32) -> Result<()> {
        let mut queue = self.partition(partition)?;
        queue.known(wait.clamp(0, MAX_SECONDS), &features(limit, processors)).map_err(refused("a wait"))
    }

    /// A job joins its partition's queue under this number; the bound on its wait, in seconds.
    ///
    /// # Errors
    /// When the library refuses it.
    pub fn joined(&mut self, job: &Job, number: i64, now: i64) -> Result<Option<i64>> {
        let mut queue = self.partition(&job.partition)?;
        match queue.submit(number, now, &features(job.limit, job.processors)) {
            Ok(WaitAnswer::Bound(bound)) => Ok(Some(bound)),
            Ok(_) => Ok(None),
            Err(error) => Err(refused(&format!("job {}", job.id))(error)),
        }
    }

    /// The job with this number leaves the partition's queue; whether it starts.
    ///
    /// # Errors
    /// When the library does not know it.
    pub fn leaves(&mut self, partition: &str, number: i64, now: i64, starts: bool) -> Result<()> {
        let mut queue = self.partition(partition)?;
        let done = if starts { queue.start(number, now).map(drop) } else { queue.cancel(number, now) };
        done.map_err(refused("a job that leaves its queue"))
    }

    fn partition(&mut self, name: &str) -> Result<WaitPredictor<'_>> {
        if !self.partitions.contains_key(name) {
            let size = WaitPredictor::size(&self.limits).map_err(refused("a history of waits"))?;
            let mut memory = vec![0_u64; size.div_ceil(8)];
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &self.limits, &self.options)
                .map_err(refused("the quantile and confidence of bounds on waits"))?;
            self.partitions.insert(name.to_owned(), memory);
        }
        let memory = self.partitions.get_mut(name).context("no such partition")?;
        WaitPredictor::attach(bytemuck::cast_slice_mut(memory)).map_err(refused("a history of waits"))
    }

    /// A bound on the remaining wait of this job.
    ///
    /// # Errors
    /// When the library refuses the question.
    pub fn bound(&mut self, job: &Job, number: Option<i64>, now: i64, question: &Question) -> Result<Other> {
        let waited = (now - job.submit).max(0);
        let mut other = Other {
            job: job.id.clone(),
            user: job.user.clone(),
            partition: job.partition.clone(),
            waited,
            within: None,
            waits: 0,
            started: Vec::new(),
            note: waits_for(job).map(str::to_owned),
        };
        let Some(number) = number else { return Ok(other) };
        let queue = self.partition(&job.partition)?;
        let answer = queue
            .predict_waiting(number, question.quantile, question.confidence, now)
            .map_err(refused(&format!("job {}", job.id)))?;
        match answer {
            WaitAnswer::Bound(bound) => other.within = Some((bound - waited).max(0)),
            WaitAnswer::TooLittleHistory => {
                other.note = Some("too few waits of such length are known".to_owned())
            }
            WaitAnswer::MayBeDown => other.note = Some("the machine may be down".to_owned()),
            WaitAnswer::Exceeded => {
                other.note = Some("more jobs wait, or for longer, than past ones did".to_owned())
            }
        }
        for &within in &question.within {
            let features = features(job.limit, job.processors);
            let started = queue
                .start_probability(&features, waited, waited.saturating_add(within), question.confidence)
                .map_err(refused(&format!("job {}", job.id)))?;
            other.waits = started.waits;
            if started.waits > 0 {
                other.started.push(Started {
                    within,
                    observed: started.observed,
                    at_least: started.at_least,
                });
            }
        }
        Ok(other)
    }
}
