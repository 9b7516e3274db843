//! First come, first served, without backfilling: the floor.

use crate::replay::machine::Cluster;
use crate::replay::policy::Policy;

/// Starts jobs strictly in order of submission.
#[derive(Debug, Default)]
pub struct Fcfs;

impl Policy for Fcfs {
    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        cluster.start_heads();
    }
}
