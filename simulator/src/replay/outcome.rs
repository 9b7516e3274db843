//! What one replay of a workload produced: the interface between the machine that replays and the reports that measure
//! and draw. Times are seconds on the trace's own clock.

use crate::replay::backfill::Backfill;
use crate::replay::nodes::NodeUse;
use crate::replay::setup::Setup;

/// One job's way through the machine.
#[derive(Debug, Clone)]
pub struct JobRecord {
    /// The job's number in the trace.
    pub number: i64,
    /// The line of the user in the trace, negative when unknown.
    pub user: i64,
    /// When it was submitted.
    pub submit: i64,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Processors it held.
    pub processors: u32,
    /// Its time limit in seconds, after the overrun rule.
    pub limit: i64,
    /// Set when it started ahead of a waiting head job: what the policy predicted of the delay it causes.
    pub backfill: Option<Backfill>,
}

/// The result of one replay.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it was set up.
    pub setup: Setup,
    /// Every job replayed, in order of submission.
    pub jobs: Vec<JobRecord>,
    /// Scheduling passes made.
    pub passes: u64,
    /// Candidates judged (accepted or refused) in all passes.
    pub decisions: u64,
    /// Wall time of every scheduling pass, in seconds (same length as `passes`).
    pub pass_seconds: Vec<f32>,
    /// Wall time of the whole replay, in seconds.
    pub wall_seconds: f64,
    /// How the nodes were used, on a machine of nodes.
    pub nodes: Option<NodeUse>,
}

impl Outcome {
    /// Every job's start and end, in order of submission.
    pub fn times(&self) -> Vec<(i64, i64)> {
        self.jobs.iter().map(|job| (job.start, job.end)).collect()
    }
}
