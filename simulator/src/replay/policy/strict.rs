//! The queue in any order, without backfilling: `fcfs` with an order.

use super::{Parts, Policy};
use crate::replay::machine::Cluster;
use crate::trace::workload::Job;

/// Starts the first job of the queue as long as it fits.
pub struct Strict(pub Parts);

impl Policy for Strict {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.0.submitted(job);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.0.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.0.ended(job, now);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.0.sort_queue(cluster);
        cluster.start_heads();
    }
}
