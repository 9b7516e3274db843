//! Questions to a site and its answers: the objects of the interface for programs.

use crate::base::span::span;
use crate::live::advise::starts::Start as Predicted;
use crate::live::age::{Age, LEAST};
use crate::live::history;
use crate::live::methods::{By, Method};
use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use surefill::error::Error as CoreError;

/// The names of what a question may say, in the order in which they are listed.
pub const NAMES: [&str; 9] =
    ["queue", "job", "requested", "processors", "quantile", "confidence", "waited", "within", "start_by"];

/// One question. Times are in seconds; as text they may be spans and dates as on the command line.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The queue; not needed where there is only one.
    pub queue: Option<String>,
    /// A job of the history that waits: its features and age are asked about.
    pub job: Option<String>,
    /// The requested time; 0 for unknown.
    #[serde(default, deserialize_with = "seconds")]
    pub requested: i64,
    /// The processors; 0 for unknown.
    #[serde(default)]
    pub processors: u32,
    /// The quantile; else the predictor's.
    pub quantile: Option<f64>,
    /// The confidence; else the predictor's.
    pub confidence: Option<f64>,
    /// Time for which the job has waited.
    #[serde(default, deserialize_with = "seconds")]
    pub waited: i64,
    /// With what probability does it start within this time from now?
    #[serde(default, deserialize_with = "some_seconds")]
    pub within: Option<i64>,
    /// A time by which the job is to have started, with the quantile as its probability: when to submit it?
    #[serde(default, deserialize_with = "some_moment")]
    pub start_by: Option<i64>,
}

/// A number, or a text that this reads.
struct Either {
    what: &'static str,
    read: fn(&str) -> Result<i64, String>,
}

/// A span of time, as on the command line.
const SPAN: Either = Either { what: "a span of time, in seconds or as 90min, 2h or 1-02:00:00", read: span };
/// A time on the history's clock, as on the command line.
const MOMENT: Either = Either {
    what: "a time, in seconds or as 2026-12-01T08:00:00",
    read: |text| history::time(text)?.ok_or_else(|| "not a time".to_owned()),
};

impl<'de> Visitor<'de> for Either {
    type Value = Option<i64>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.what)
    }

    fn visit_i64<E: serde::de::Error>(self, seconds: i64) -> Result<Option<i64>, E> {
        Ok(Some(seconds))
    }

    fn visit_u64<E: serde::de::Error>(self, seconds: u64) -> Result<Option<i64>, E> {
        // Beyond the range of what a question may ask in any case.
        Ok(Some(i64::try_from(seconds).unwrap_or(i64::MAX)))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Option<i64>, E> {
        (self.read)(text).map(Some).map_err(E::custom)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Option<i64>, E> {
        Ok(None)
    }
}

fn some_seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    from.deserialize_any(SPAN)
}

fn some_moment<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    from.deserialize_any(MOMENT)
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    some_seconds(from)?.ok_or_else(|| D::Error::custom(format!("no time: {} is needed", SPAN.what)))
}

/// The verdict on a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// There is one.
    Bound,
    /// Too few waits are known.
    TooLittleHistory,
    /// No job started for so long, or while jobs came in such numbers, that the machine may be down.
    MayBeDown,
    /// More jobs wait than ever did before, or most like ones for longer than the bound by past waits.
    Exceeded,
    /// The newest event of the history is older than the gaps that are usual in it.
    OutOfDate,
    /// The start of this job is predicted: the scheduler's rule, played forward.
    Forecast,
}

/// The probability of starting in time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Start {
    /// Seconds from now.
    pub within_s: i64,
    /// The share of the history's jobs that did, or the forecast's probability.
    pub probability: f64,
    /// Its lower confidence bound; none of a forecast.
    pub at_least: Option<f64>,
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
    /// The history's age then.
    pub history: Age,
    /// The verdict on the bound.
    pub answer: Verdict,
    /// Seconds from the job's submission by which it starts.
    pub bound_s: Option<i64>,
    /// The same from now.
    pub from_now_s: Option<i64>,
    /// The quantile.
    pub quantile: f64,
    /// The confidence; none of a forecast.
    pub confidence: Option<f64>,
    /// Method of the bound; for jobs that have waited it is an order statistic of the waits that were as long. None
    /// of a forecast.
    pub method: Option<Method>,
    /// The requested time asked about.
    pub requested_s: i64,
    /// The processors asked about.
    pub processors: u32,
    /// Time for which the job has waited.
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
    /// In what the job goes beyond all jobs of the history, or what a forecast of its start lacks: sentences.
    pub warnings: Vec<String>,
}

impl Answer {
    /// The same answer by the start that was predicted for the job `ago` seconds ago, as it still waits, within the
    /// seconds of the question: a job has one start, wherever it is asked for. A forecast of a time to come counts as
    /// one of now. Unchanged if the forecast is out of date, or does not reach the quantile without saying why.
    pub fn predicted(self, start: &Predicted, ago: i64, within: Option<i64>) -> Answer {
        let ago = ago.max(0);
        let from_now_s = start.left_by(self.quantile, ago);
        if ago > LEAST || from_now_s.is_none() && start.note.is_none() {
            return self;
        }
        let started = within.and_then(|within_s| {
            let probability = start.left_probability(within_s, ago)?;
            Some(Start { within_s, probability, at_least: None, waits: 0 })
        });
        Answer {
            answer: Verdict::Forecast,
            bound_s: from_now_s.map(|left| left.saturating_add(self.waited_s)),
            from_now_s,
            confidence: None,
            method: None,
            start: started,
            like: Like { waits: 0, ..self.like },
            warnings: start.note.iter().cloned().collect(),
            ..self
        }
    }
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
    /// A parameter that there is not.
    #[error("no parameter '{0}'; there are: {1}")]
    NoParameter(String, String),
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
    /// Method of the bounds.
    pub method: Method,
    /// Jobs that wait.
    pub waiting: u32,
    /// Waits that are remembered.
    pub remembered: u64,
    /// Whether the machine may be down.
    pub may_be_down: bool,
    /// Seconds for which the job that waits longest has waited; none where no job waits.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Result<Question, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn every_name_is_one_of_a_question() {
        for name in NAMES {
            let error = question(&format!("{{\"{name}\": []}}")).unwrap_err();
            assert!(error.starts_with("invalid type"), "{name}: {error}");
        }
        let error = question(r#"{"bogus": 1}"#).unwrap_err();
        assert!(NAMES.iter().all(|name| error.contains(&format!("`{name}`"))), "{error}");
    }

    #[test]
    fn spans_and_dates_are_read_as_on_the_command_line() {
        let spans = r#"{"requested": "2h", "waited": "90", "within": "1-00:00:00", "start_by": "2024-05-01T10:00:00"}"#;
        let numbers =
            r#"{"requested": 7200, "waited": 90, "within": 86400, "start_by": 1714557600, "job": null}"#;
        assert_eq!(question(spans), question(numbers));
        assert_eq!(question(r#"{"within": null}"#), Ok(Question::default()));
        assert!(question(r#"{"requested": "2x"}"#).unwrap_err().starts_with("not a span of time"));
        assert!(question(r#"{"requested": "1:30"}"#).unwrap_err().starts_with("hours and minutes, or"));
        assert!(question(r#"{"start_by": "tomorrow"}"#).unwrap_err().starts_with("not a time"));
        // A number that is out of range is reported with the answer to its own question.
        assert_eq!(question(r#"{"requested": -1}"#).unwrap().requested, -1);
    }
}
