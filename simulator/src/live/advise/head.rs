//! The first waiting job of a pool: what it waits for, and its start by limits, as the scheduler engine has them.

use super::Snapshot;
use super::pool::Pool;
use super::read::Job;
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

impl Head {
    /// The head job of a pool as it is listed; nothing is decided about it yet.
    pub(super) fn listed(job: &Job, pool: &Pool, snapshot: &Snapshot) -> Head {
        let shared = pool.shared_with();
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

    /// Adds the engine's reason why it waits; none for a job that the engine does not know because it is
    /// wider than its partition.
    pub(super) fn decided(&mut self, reason: Option<&Reason>) {
        let unit = self.counted.unwrap_or("nodes");
        match reason {
            None => self.note = Some(format!("it needs more {unit} than are in service")),
            Some(reason) if reason.why == Why::Never => {
                self.note = Some(format!("it needs more {unit} than are in service"));
            }
            Some(reason) if matches!(reason.why, Why::Planned | Why::InOrder) => {
                let why = "it would fit: Slurm starts it at once, or sees something that counting does not";
                self.note = Some(why.to_owned());
            }
            Some(reason) => self.by_limits = reason.by_limits.map(|by| (by - reason.now).max(0)),
        }
    }
}
