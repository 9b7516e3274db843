//! What a site is asked, and what it answers: the objects of the interface for programs.

use crate::studies::waits::study::{By, Method};
use serde::{Deserialize, Serialize};
use surefill::error::Error as CoreError;

/// One question. Times are in seconds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The queue; not needed where there is only one.
    pub queue: Option<String>,
    /// A job of the history that waits: its features and age are asked about.
    pub job: Option<String>,
    /// The requested time; 0 for unknown.
    #[serde(default)]
    pub requested: i64,
    /// The processors; 0 for unknown.
    #[serde(default)]
    pub processors: u32,
    /// The quantile; else the predictor's.
    pub quantile: Option<f64>,
    /// The confidence; else the predictor's.
    pub confidence: Option<f64>,
    /// How long the job has waited.
    #[serde(default)]
    pub waited: i64,
    /// With what probability does it start within this time from now?
    pub within: Option<i64>,
    /// A time by which the job is to have started, with the quantile as its probability: when to submit it?
    pub start_by: Option<i64>,
}

/// What is said of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// There is one.
    Bound,
    /// Too few waits are known.
    TooLittleHistory,
    /// No job started for so long, or while jobs came in such numbers, that the machine may be down.
    MayBeDown,
}

/// The probability of starting in time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Start {
    /// Seconds from now.
    pub within_s: i64,
    /// The share of the history's jobs that did.
    pub probability: f64,
    /// Its lower confidence bound.
    pub at_least: f64,
    /// The waits that this rests on.
    pub waits: u64,
}

/// A virtual reservation (section 5 of the 2007 paper): a submission in time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Reservation {
    /// By when the job is to have started.
    pub start_by: i64,
    /// The latest time of submission from which on the bound of the present leads there; none without a bound. Before
    /// the present, it is too late for a promise.
    pub submit_by: Option<i64>,
    /// The same from now.
    pub from_now_s: Option<i64>,
    /// The probability of starting in time if the job is submitted now.
    pub probability_now: f64,
}

/// An interval of the attribute that jobs are clustered by, and the waits in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Like {
    /// The smallest attribute.
    pub from: u64,
    /// The largest; none for no bound.
    pub to: Option<u64>,
    /// Waits that count.
    pub waits: u64,
    /// The attribute, where the predictor chose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The queue.
    pub queue: String,
    /// The present.
    pub now: i64,
    /// What is said of the bound.
    pub answer: Verdict,
    /// Seconds from the job's submission by which it starts.
    pub bound_s: Option<i64>,
    /// The same from now.
    pub from_now_s: Option<i64>,
    /// The quantile.
    pub quantile: f64,
    /// The confidence.
    pub confidence: f64,
    /// How the bound was computed; of jobs that have waited it is an order statistic of the waits that were as long.
    pub method: Method,
    /// The requested time asked about.
    pub requested_s: i64,
    /// The processors asked about.
    pub processors: u32,
    /// How long the job has waited.
    pub waited_s: i64,
    /// The probability, where it was asked for.
    pub start: Option<Start>,
    /// When to submit it, where that was asked for.
    pub reservation: Option<Reservation>,
    /// The jobs like it, and the number of their waits that the answer rests on: with like situations at most 300.
    pub like: Like,
    /// Jobs that wait.
    pub waiting: u32,
    /// Waits that are remembered.
    pub remembered: u64,
    /// In what the job goes beyond all jobs of the history: sentences.
    pub warnings: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum AskError {
    /// There is no such queue.
    #[error("no queue '{0}'; there are: {1}")]
    NoQueue(String, String),
    /// Several queues, and none named.
    #[error("which queue? There are: {0}")]
    WhichQueue(String),
    /// No such job waits.
    #[error("no job '{0}' waits in queue '{1}'")]
    NoJob(String, String),
    /// Both a job and what a job would be like.
    #[error("a job that waits has its own requested time, processors and age")]
    JobAndFeatures,
    /// A job that waits has been submitted.
    #[error("a job that waits has been submitted already: when to submit is a question about a new one")]
    Submitted,
    /// A value out of its range.
    #[error("{0} out of range")]
    OutOfRange(&'static str),
    /// The predictor refuses.
    #[error("{0}")]
    Core(CoreError),
}

impl From<CoreError> for AskError {
    fn from(error: CoreError) -> AskError {
        AskError::Core(error)
    }
}

/// One queue at present.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueueState {
    /// Its name.
    pub queue: String,
    /// How bounds are computed.
    pub method: Method,
    /// Jobs that wait.
    pub waiting: u32,
    /// Waits that are remembered.
    pub remembered: u64,
    /// Whether the machine may be down.
    pub may_be_down: bool,
    /// How long the job that waits longest has waited, in seconds; none where nothing waits.
    pub oldest_s: Option<i64>,
    /// The requested time of a typical job in seconds: the median of the last jobs'.
    pub typical_requested_s: i64,
    /// Its processors, likewise.
    pub typical_processors: u32,
    /// When a typical job that is submitted now starts.
    pub quantiles: Vec<QuantileBound>,
    /// The clusters with their bounds; none where bounds rest on like situations instead.
    pub clusters: Vec<ClusterState>,
}

/// By when a job has started, with the predictor's confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QuantileBound {
    /// The quantile of the wait.
    pub quantile: f64,
    /// Its upper bound in seconds; none where too little is known, or the machine may be down.
    pub bound_s: Option<i64>,
}

/// One cluster at present.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterState {
    /// The attribute's interval, and the waits.
    #[serde(flatten)]
    pub like: Like,
    /// The bound for the median, in seconds.
    pub median_bound_s: Option<i64>,
    /// The bound for the predictor's quantile, in seconds.
    pub bound_s: Option<i64>,
}
