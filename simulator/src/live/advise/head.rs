//! The first waiting job of a pool: what it waits for, and its start by limits, as the scheduler engine has them.

use super::Snapshot;
use super::pool::Pool;
use super::read::Job;
use super::starts::{Start, TOO_WIDE};
use serde::Serialize;
use surefill::engine::{Reason, Why};

/// The head job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Head {
    /// Slurm's name of the job.
    pub job: String,
    /// Its owner.
    pub user: String,
    /// Its partition.
    pub partition: String,
    /// Seconds it has waited.
    pub waited: i64,
    /// The unit that is counted: "nodes" or "processors".
    pub counted: Option<&'static str>,
    /// Units that the job needs.
    pub needs: u32,
    /// Units that are idle.
    pub idle: u32,
    /// Seconds from now within which it starts if all jobs run to their limits.
    pub by_limits: Option<i64>,
    /// Why there is no such time, or what it does not say.
    pub note: Option<String>,
}

const WOULD_FIT: &str = "it would fit: Slurm starts it at once, or sees something that counting does not";
const BEHIND: &str = "behind a job of partitions that share its nodes";

impl Head {
    /// The head job of a pool, or of partitions of it with the same nodes, as it is listed; nothing is decided about it
    /// yet.
    pub(super) fn listed(job: &Job, pool: &Pool, snapshot: &Snapshot, in_regions: bool) -> Head {
        let shared = if in_regions { Vec::new() } else { pool.shared_with() };
        Head {
            job: job.id.clone(),
            user: job.user.clone(),
            partition: job.partition.clone(),
            waited: (snapshot.now - job.submit).max(0),
            counted: None,
            needs: job.nodes,
            idle: 0,
            by_limits: None,
            note: (!shared.is_empty())
                .then(|| format!("counted together with {}, on any of their nodes", shared.join(", "))),
        }
    }

    /// Adds what the forecast of a pool of several regions says of it: its start by the limits, if it is the first job
    /// of the pool that has no room.
    pub(super) fn played(&mut self, by_limits: Option<i64>, start: &Start) {
        let fits = !start.quantiles.is_empty() && start.quantiles.iter().all(|quantile| quantile.within == 0);
        self.by_limits = by_limits;
        self.note = match &start.note {
            _ if by_limits.is_some() => None,
            _ if fits => Some(WOULD_FIT.to_owned()),
            Some(note) if note == TOO_WIDE => self.too_wide(),
            _ => Some(BEHIND.to_owned()),
        };
    }

    fn too_wide(&self) -> Option<String> {
        Some(format!("it needs more {} than are in service", self.counted.unwrap_or("nodes")))
    }

    /// Adds the engine's reason why it waits; none for a job that the engine does not know because it is
    /// wider than its partition.
    pub(super) fn decided(&mut self, reason: Option<&Reason>) {
        match reason {
            None => self.note = self.too_wide(),
            Some(reason) if reason.why == Why::Never => self.note = self.too_wide(),
            Some(reason) if matches!(reason.why, Why::Planned | Why::InOrder) => {
                self.note = Some(WOULD_FIT.to_owned());
            }
            Some(reason) => self.by_limits = reason.by_limits.map(|by| (by - reason.now).max(0)),
        }
    }
}
