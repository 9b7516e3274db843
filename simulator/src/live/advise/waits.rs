//! Bounds on waits from the waits of the past, partition by partition (QBETS).

use super::read::{Job, Past};
use super::{Other, Question, Started, waits_for};
use crate::live::engine::refused;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use surefill::runtime::MAX_SECONDS;
use surefill::wait::{
    CLUSTER, Features, MAX_CLUSTERS, TRIM, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor,
    smallest_history,
};

/// Waits, partition by partition.
pub struct Waits {
    partitions: BTreeMap<String, Vec<u64>>,
    limits: WaitCapacity,
    options: WaitOptions,
}

fn features(limit: i64, processors: u32) -> Features {
    Features { requested: limit, processors }
}

impl Waits {
    /// Learns from all ended jobs; `waiting` can wait at the same time. The question's quantile must be one that a
    /// history can bound.
    ///
    /// # Errors
    /// When the library refuses something.
    pub fn learn(past: &[Past], waiting: usize, question: &Question) -> Result<Waits> {
        let mut waits = Waits::new(waiting, question.quantile, question.confidence)?;
        let mut by_start: Vec<&Past> = past.iter().collect();
        by_start.sort_by_key(|job| job.start);
        for job in by_start {
            waits.known(&job.partition, job.start - job.submit, job.limit, job.processors)?;
        }
        Ok(waits)
    }

    /// Nothing learnt yet; see [`Waits::learn`].
    ///
    /// # Errors
    /// When the library refuses the quantile or the confidence.
    pub fn new(waiting: usize, quantile: f64, confidence: f64) -> Result<Waits> {
        // Availability needs the times of all submissions, which a history of ended jobs does not have.
        let options =
            WaitOptions { quantile, confidence, components: TRIM | CLUSTER, ..WaitOptions::papers() };
        let queued = u32::try_from(waiting.max(1)).unwrap_or(u32::MAX);
        let fewest = smallest_history(quantile, confidence)
            .map_err(refused("the quantile and confidence of bounds on waits"))?;
        let usual = WaitCapacity::default();
        let history = u32::try_from(fewest).unwrap_or(u32::MAX).max(usual.history);
        let limits =
            WaitCapacity { history, queued, releases: 0, clusters: MAX_CLUSTERS as u32, neighbours: 0 };
        Ok(Waits { partitions: BTreeMap::new(), limits, options })
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

    /// Puts the jobs that wait for nodes into their partitions' queues, and says which numbers they have there.
    ///
    /// # Errors
    /// When the library refuses one.
    pub fn queue<'a>(
        &mut self,
        waiting: &[&'a Job],
        now: i64,
        numbers: &mut BTreeMap<&'a str, i64>,
    ) -> Result<()> {
        let mut by_submission: Vec<&Job> = waiting.to_vec();
        by_submission.sort_by_key(|job| job.submit);
        for (number, job) in (1..).zip(by_submission) {
            if waits_for(job).is_some() {
                continue;
            }
            let mut queue = self.partition(&job.partition)?;
            queue
                .submit(number, job.submit.min(now), &features(job.limit, job.processors))
                .map_err(refused(&format!("job {}", job.id)))?;
            numbers.insert(&job.id, number);
        }
        Ok(())
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
