//! Slack-based backfilling (Talby & Feitelson, "Supporting priorities and improving utilization of the IBM SP scheduler
//! using slack-based backfilling", IPPS 1999).
//!
//! Every job is promised a latest start when it is submitted: the earliest time at which it disturbs no promise made
//! before, by the predictions of all jobs, and its slack added. A job may then start ahead of others whenever all
//! others can still start by the times promised to them. So waits are bounded, by predictions that hold, and there is
//! more room than conservative backfilling has, which is this policy without slack.
//!
//! In the paper the slack comes from priorities that users and administrators give; a trace has none, so all jobs have
//! the same: the mean wait of the jobs that have started, times a factor, by default 1. The paper chooses among plans
//! by their cost; here the waiting jobs are tried in the order of the queue, and each that may start does.
//!
//! A pass plans the queue once for every waiting job that fits the idle processors: its time is of the order of these
//! times the length of the queue times the steps of the plan.

use super::profile::Profile;
use super::{Parts, Policy};
use crate::replay::machine::Cluster;
use crate::trace::workload::{Job, JobId};

/// Slack-based backfilling.
pub struct Slack {
    parts: Parts,
    /// Slack over the mean wait so far.
    factor: f64,
    /// The waiting jobs with the latest starts promised to them, in the order of the starts planned for them.
    promised: Vec<(JobId, i64)>,
    /// Submitted since the last pass.
    new: Vec<JobId>,
    started: u64,
    waits: i64,
}

impl Slack {
    /// Slack-based backfilling with a slack of the mean wait.
    pub fn new(parts: Parts) -> Slack {
        Slack::with_factor(parts, 1.0)
    }

    /// Slack-based backfilling with a slack of `factor` times the mean wait; 0 for none.
    pub fn with_factor(parts: Parts, factor: f64) -> Slack {
        Slack { parts, factor, promised: Vec::new(), new: Vec::new(), started: 0, waits: 0 }
    }

    /// The latest starts promised to the waiting jobs, in seconds.
    pub fn promised(&self) -> &[(JobId, i64)] {
        &self.promised
    }

    fn slack(&self) -> i64 {
        // The conversion saturates.
        (self.factor * self.waits as f64 / self.started.max(1) as f64) as i64
    }

    /// Takes a job's processors as early as they are free, and returns the time.
    fn place(&self, profile: &mut Profile, cluster: &Cluster<'_>, id: JobId) -> i64 {
        let (processors, predicted) = (cluster.job(id).processors, self.parts.predicted(id));
        // Jobs are no wider than the machine, and in the end all of it is free.
        let start = profile.earliest(processors, predicted).unwrap_or(cluster.now());
        profile.take(start, predicted, processors);
        start
    }

    /// Whether all but this one can start by their promises when it starts now; those whose promise is past already may
    /// not get later than `planned`.
    fn harmless(
        &self,
        running: &Profile,
        cluster: &Cluster<'_>,
        id: JobId,
        planned: &[(JobId, i64)],
    ) -> bool {
        let mut profile = running.clone();
        profile.take(cluster.now(), self.parts.predicted(id), cluster.job(id).processors);
        let others = self.promised.iter().filter(|(other, _)| *other != id);
        others.copied().all(|(other, promise)| {
            let plan = planned.iter().find(|(job, _)| *job == other).map_or(promise, |&(_, start)| start);
            self.place(&mut profile, cluster, other) <= promise.max(plan)
        })
    }
}

impl Policy for Slack {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.parts.submitted(job);
        self.new.push(job.id);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.parts.started(job, now);
        self.started += 1;
        self.waits += now - job.submit;
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.parts.ended(job, now);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.parts.sort_queue(cluster);
        let now = cluster.now();
        let releases = self.parts.releases(cluster);
        // A job that was expected to have ended still holds its processors.
        let releases = releases.into_iter().map(|(end, processors)| (end.max(now + 1), processors));
        let mut running = Profile::new(now, cluster.idle(), releases);
        let mut profile = running.clone();
        let mut planned: Vec<(JobId, i64)> =
            self.promised.iter().map(|&(id, _)| (id, self.place(&mut profile, cluster, id))).collect();
        for id in std::mem::take(&mut self.new) {
            let start = self.place(&mut profile, cluster, id);
            planned.push((id, start));
            self.promised.push((id, start.saturating_add(self.slack())));
        }
        let place = |id: JobId| planned.iter().find(|(job, _)| *job == id).map(|&(_, start)| start);
        self.promised.sort_by_key(|&(id, _)| (place(id), id));
        let waiting: Vec<JobId> = cluster.queue().iter().copied().collect();
        for id in waiting {
            let job = cluster.job(id);
            if !cluster.fits(job) {
                continue;
            }
            cluster.judged(1);
            if self.harmless(&running, cluster, id, &planned) {
                running.take(now, self.parts.predicted(id), job.processors);
                self.promised.retain(|(other, _)| *other != id);
                cluster.start_job(id);
            }
        }
    }
}
