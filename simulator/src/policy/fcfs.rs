//! First come, first served, without backfilling: the floor.

use crate::machine::Cluster;
use crate::policy::Policy;

/// Starts jobs strictly in order of submission.
#[derive(Debug, Default)]
pub struct Fcfs;

impl Policy for Fcfs {
    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        cluster.start_heads();
    }
}
