//! The parts of a policy of the registry ([`crate::replay::registry`]).

use super::Overdue;
use super::order::{OrderOptions, Ordering};
use crate::replay::machine::Cluster;
use crate::replay::predict::PointPredictor;
use crate::trace::workload::{Job, JobId};

/// The parts of a policy of the registry: a predictor of run times, an order, and their bookkeeping.
pub struct Parts {
    predictor: Box<dyn PointPredictor>,
    ordering: Ordering,
    overdue: Overdue,
    /// Predicted run times in seconds, by id.
    predicted: Vec<i64>,
}

impl Parts {
    pub(super) fn new(predictor: Box<dyn PointPredictor>, order: &OrderOptions, overdue: Overdue) -> Parts {
        Parts { predictor, ordering: Ordering::new(order), overdue, predicted: Vec::new() }
    }

    /// To be called at every submission, before anything else.
    pub fn submitted(&mut self, job: &Job) {
        self.ordering.submitted(job);
        // Ids count up from 0 in order of submission.
        self.predicted.push(self.predictor.predict(job));
    }

    /// To be called at every start.
    pub fn started(&mut self, job: &Job, now: i64) {
        self.ordering.started(job, now);
        self.predictor.started(job, now);
    }

    /// To be called at every end.
    pub fn ended(&mut self, job: &Job, now: i64) {
        self.ordering.ended(job, now);
        self.predictor.finished(job);
    }

    /// The run time that was predicted of a job when it was submitted, in seconds, at least 1.
    pub fn predicted(&self, job: JobId) -> i64 {
        self.predicted[job]
    }

    /// The time at which a running job is expected to end, in seconds: as predicted while that is ahead, else as EASY
    /// corrects it, past the limit one second from now.
    pub(super) fn expected_end(&self, cluster: &Cluster<'_>, job: JobId) -> i64 {
        let running = cluster.running().iter().find(|running| running.job == job).expect("a running job");
        let end = running.start + self.predicted[job];
        let correction = self.predictor.correction();
        super::easy::expected_end(running, end, cluster.now(), correction, Overdue::Soon)
    }

    /// Puts the queue in order.
    pub fn sort_queue(&mut self, cluster: &mut Cluster<'_>) {
        let predicted = &self.predicted;
        self.ordering.sort_queue(cluster, |id| predicted[id]);
    }

    /// The running jobs with the times at which they are expected to end, in seconds, sorted by these: as predicted
    /// while that is ahead, else as EASY corrects it.
    pub fn releases(&self, cluster: &Cluster<'_>) -> Vec<(i64, u32)> {
        let expected = cluster.running().iter().map(|running| {
            let end = running.start + self.predicted[running.job];
            let correction = self.predictor.correction();
            let end = super::easy::expected_end(running, end, cluster.now(), correction, self.overdue);
            (end, running.processors)
        });
        let mut releases: Vec<(i64, u32)> = expected.collect();
        releases.sort_unstable();
        releases
    }
}
