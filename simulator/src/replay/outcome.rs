//! The result of one replay of a workload: the interface between the machine that replays and the reports that measure
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
    /// Time of its submission.
    pub submit: i64,
    /// Time of its start.
    pub start: i64,
    /// Time of its end.
    pub end: i64,
    /// Number of processors it held.
    pub processors: u32,
    /// Its time limit in seconds, after the overrun rule.
    pub limit: i64,
    /// The predicted and the caused delay, set when it started ahead of a waiting head job.
    pub backfill: Option<Backfill>,
}

/// The result of one replay.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Setup of the replay.
    pub setup: Setup,
    /// Every job replayed, in order of submission.
    pub jobs: Vec<JobRecord>,
    /// Number of scheduling passes made.
    pub passes: u64,
    /// Number of candidates judged (accepted or refused) in all passes.
    pub decisions: u64,
    /// Wall time of every scheduling pass, in seconds (same length as `passes`).
    pub pass_seconds: Vec<f32>,
    /// Wall time of the whole replay, in seconds.
    pub wall_seconds: f64,
    /// Use of the nodes, on a machine of nodes.
    pub nodes: Option<NodeUse>,
}

impl Outcome {
    /// Every job's start and end, in order of submission.
    pub fn times(&self) -> Vec<(i64, i64)> {
        self.jobs.iter().map(|job| (job.start, job.end)).collect()
    }
}
