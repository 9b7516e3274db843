//! A job's forecast, and when it started.

use super::methods::{Chances, Method, Quantiles};
use serde::Serialize;

/// When a job was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Occasion {
    /// In the pass after its submission, which has not started it.
    Submission,
    /// At a later time, every six hours, while it waits.
    Later,
}

/// A job's forecast on one occasion, and when it started: seconds from then on.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Prediction {
    /// The job's number in the trace.
    pub job: i64,
    /// When it was asked about.
    pub asked: i64,
    /// Time for which it had waited by then.
    pub age: i64,
    /// By whom.
    pub method: Method,
    /// When.
    pub occasion: Occasion,
    /// The predicted quantiles.
    pub quantiles: Quantiles,
    /// The predicted probabilities of starting in time; limits alone have none.
    pub started: Option<Chances>,
    /// Whether the scheduler's own forecast was simplified, as many jobs waited.
    pub simplified: bool,
    /// The observed rest of the wait.
    pub waited: i64,
}
