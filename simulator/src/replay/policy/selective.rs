//! Selective backfilling (Srinivasan, Kettimuthu, Subramani & Sadayappan, "Selective reservation strategies for
//! backfill job scheduling", JSSPP 2002).
//!
//! A job gets a reservation only when it has waited long for its size: when its expansion factor, (wait + predicted run
//! time) / predicted run time, has become greater than a threshold. From then on it keeps its place among the
//! reservations, which are made anew at every pass in the order in which they were given, each as early as it can be.
//! Every other job starts when it disturbs no reservation. The threshold is the paper's adaptive one: the mean slowdown
//! of the jobs that have ended; slowdowns are bounded at 10 s, as everywhere in this program.

use super::profile::Profile;
use super::{Parts, Policy};
use crate::replay::machine::Cluster;
use crate::trace::workload::{Job, JobId};
use std::collections::HashMap;

/// Run time as which shorter ones count in slowdowns, in seconds.
const BOUND_S: i64 = 10;

/// Selective backfilling.
pub struct Selective {
    parts: Parts,
    /// A threshold that does not change; `None` for the adaptive one.
    fixed: Option<f64>,
    /// The waiting jobs with reservations, in the order in which these were given.
    reserved: Vec<JobId>,
    /// Starts of the running jobs.
    starts: HashMap<JobId, i64>,
    ended: u64,
    slowdowns: f64,
}

impl Selective {
    /// Selective backfilling with the adaptive threshold.
    pub fn new(parts: Parts) -> Selective {
        Selective {
            parts,
            fixed: None,
            reserved: Vec::new(),
            starts: HashMap::new(),
            ended: 0,
            slowdowns: 0.0,
        }
    }

    /// Selective backfilling with this threshold: with one below 1 every job has a reservation, with an infinite one
    /// none has.
    pub fn with_threshold(parts: Parts, threshold: f64) -> Selective {
        Selective { fixed: Some(threshold), ..Selective::new(parts) }
    }

    fn threshold(&self) -> f64 {
        self.fixed.unwrap_or(if self.ended == 0 { 1.0 } else { self.slowdowns / self.ended as f64 })
    }
}

impl Policy for Selective {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.parts.submitted(job);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.parts.started(job, now);
        self.starts.insert(job.id, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.parts.ended(job, now);
        let start = self.starts.remove(&job.id).unwrap_or(now);
        let run_time = (now - start).max(BOUND_S) as f64;
        self.ended += 1;
        self.slowdowns += ((now - job.submit) as f64 / run_time).max(1.0);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.parts.sort_queue(cluster);
        let (now, threshold) = (cluster.now(), self.threshold());
        for &id in cluster.queue() {
            let predicted = self.parts.predicted(id) as f64;
            let factor = ((now - cluster.job(id).submit) as f64 + predicted) / predicted;
            if factor > threshold && !self.reserved.contains(&id) {
                self.reserved.push(id);
            }
        }
        let releases = self.parts.releases(cluster);
        // A job that was expected to have ended still holds its processors.
        let releases = releases.into_iter().map(|(end, processors)| (end.max(now + 1), processors));
        let mut profile = Profile::new(now, cluster.idle(), releases);
        let others = cluster.queue().iter().filter(|id| !self.reserved.contains(id));
        let all: Vec<(JobId, bool)> =
            self.reserved.iter().map(|&id| (id, true)).chain(others.map(|&id| (id, false))).collect();
        let mut due = Vec::new();
        for &(id, reserved) in &all {
            let (processors, predicted) = (cluster.job(id).processors, self.parts.predicted(id));
            // Jobs are no wider than the machine, and in the end all of it is free.
            let start = profile.earliest(processors, predicted).unwrap_or(now);
            if start == now {
                due.push(id);
            }
            if reserved || start == now {
                profile.take(start, predicted, processors);
            }
        }
        cluster.judged(all.len() as u64);
        self.reserved.retain(|id| !due.contains(id));
        // Those at the front of the queue start as heads.
        let order: HashMap<JobId, usize> = cluster.queue().iter().copied().zip(0..).collect();
        due.sort_unstable_by_key(|id| order.get(id).copied());
        for id in due {
            cluster.start_job(id);
        }
    }
}
