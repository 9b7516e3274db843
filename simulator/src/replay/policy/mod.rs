//! Scheduling policies: the decisions about starts.

pub mod backfill;
mod bounds;
mod choice;
pub mod conservative;
pub mod easy;
pub mod engine;
pub mod fair_tree;
pub mod fcfs;
mod limits;
pub mod lookahead;
pub mod multifactor;
mod name;
mod numbers;
pub mod on_nodes;
mod options;
mod order;
mod parts;
mod plan_options;
pub mod points;
mod priorities;
pub mod prob;
mod profile;
mod queue_orders;
mod rule;
pub mod selective;
pub mod slack;
pub mod strict;
mod watch;

use crate::replay::machine::Cluster;
use crate::trace::workload::{Job, JobId};

pub(crate) use choice::POLICIES;
pub use choice::{BuildPolicy, Choice, OwnPreset, PolicyName};
pub use multifactor::Multifactor;
pub use name::{BadChoice, name_of};
pub use options::{Calibrate, Criterion, Delay, Overdue, PolicyOptions, ProbOptions};
pub(crate) use order::ORDERS;
pub use order::{BuildOrder, Candidates, Order, OrderOptions, Powers};
pub use parts::Parts;
pub use plan_options::PlanOptions;
pub use points::{POINTS, Points, PointsOrder, RunTime, site_factor};
pub use priorities::Priorities;
pub use queue_orders::{FairShare, Formula, QueueOrder, Sizes};
pub use rule::{RuleChoice, RuleName};
pub use watch::{HeadStart, Judged, Tried};

/// Seconds within which a waiting job may start.
pub const WITHIN: [i64; 4] = [600, 3600, 6 * 3600, 86_400];

/// The rest of a job's wait as a policy itself predicts it, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedWait {
    /// At each of [`LEVELS`](surefill::engine::LEVELS), by scenarios alone.
    pub scenarios: [i64; 5],
    /// The levels as they are reported.
    pub reported: [i64; 5],
    /// The probabilities of starting within each of [`WITHIN`].
    pub within: [f64; WITHIN.len()],
    /// Whether the scenarios were simplified, as many jobs waited.
    pub simplified: bool,
}

/// A scheduling policy. All its knowledge comes through these calls and the [`Cluster`]'s public interface;
/// `job.run_time` belongs to the future until [`Policy::ended`].
pub trait Policy {
    /// A job was submitted.
    fn submitted(&mut self, _job: &Job, _now: i64) {}

    /// A job was started by the pass that has just ended.
    fn started(&mut self, _job: &Job, _now: i64) {}

    /// A job ended; it is no longer among the running.
    fn ended(&mut self, _job: &Job, _now: i64) {}

    /// A node closed for new jobs, or is open again.
    fn set_open(&mut self, _node: u32, _open: bool) {}

    /// The next second at which it wants a pass though nothing has happened, after a pass at `now`: it has one then if
    /// jobs still wait.
    fn wake(&self, _now: i64) -> Option<i64> {
        None
    }

    /// Makes one scheduling pass: starts the jobs that should start now.
    fn schedule(&mut self, cluster: &mut Cluster<'_>);

    /// Whether it decides on machines of nodes too, by [`Cluster::fits`] instead of by numbers of processors.
    fn knows_nodes(&self) -> bool {
        false
    }

    /// Lets later passes note their decisions about this job.
    fn watch(&mut self, _job: JobId) {}

    /// Takes the last pass's decision about the watched job, if it tried to backfill it.
    fn tried(&mut self) -> Option<Tried> {
        None
    }

    /// The starts of these jobs, which wait, by the policy's own forecast in this number of scenarios; they count as
    /// reported to people. `None` for a policy without forecasts.
    fn predicted_starts(
        &mut self,
        _now: i64,
        _jobs: &[JobId],
        _scenarios: u32,
    ) -> Option<Vec<PredictedWait>> {
        None
    }

    /// Expected starts of the head job if nothing more is backfilled; empty where the policy predicts none.
    fn head_starts(&mut self, _cluster: &Cluster<'_>) -> Vec<HeadStart> {
        Vec::new()
    }
}
