//! Decisions of a policy about one job that it watches.

use serde::Serialize;
use surefill::backfill::{Exactness, Verdict};
use surefill::engine::Reason;

/// The decision of a pass about the watched job when it tried to backfill it.
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
        /// Relation of the delay to the true one.
        exactness: Exactness,
        /// The decision.
        verdict: Verdict,
        /// Delay of this head job by earlier backfills.
        spent: f64,
    },
    /// By the head job's reservation.
    Reservation {
        /// Predicted end of the job.
        end: i64,
        /// Reserved start of the head job.
        shadow: i64,
        /// Processors that it leaves over then.
        extra: u32,
        /// The decision.
        accepted: bool,
    },
    /// By a plan of the whole queue: the engine's reason, in which a job's id is its place in the trace plus 1.
    Planned(Reason),
}

/// A time by which the head job is expected to start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HeadStart {
    /// The least probability of that.
    pub probability: f64,
    /// The time.
    pub time: i64,
}
