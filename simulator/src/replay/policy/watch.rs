//! What a policy can say of one job that it was told to watch.

use serde::Serialize;
use surefill::backfill::{Exactness, Verdict};
use surefill::engine::Reason;

/// What a pass decided about the watched job when it tried to backfill it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Processors idle when the pass began to look for backfills.
    pub idle: u32,
    /// The decision and what it rests on.
    pub judged: Judged,
}

/// A decision and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judged {
    /// By the delay that the head job must expect.
    Delay {
        /// The delay, in the criterion's unit.
        delay: f64,
        /// How it relates to the true one.
        exactness: Exactness,
        /// The decision.
        verdict: Verdict,
        /// What earlier backfills have cost this head job.
        spent: f64,
    },
    /// By the head job's reservation.
    Reservation {
        /// When the job is predicted to end.
        end: i64,
        /// When the head job is to start.
        shadow: i64,
        /// Processors that it leaves over then.
        extra: u32,
        /// The decision.
        accepted: bool,
    },
    /// By a plan of the whole queue: the engine's reason, which knows jobs by their places in the trace and 1.
    Planned(Reason),
}

/// A time by which the head job is expected to start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HeadStart {
    /// With which probability at least.
    pub probability: f64,
    /// By when.
    pub time: i64,
}
