//! What a [`WaitPredictor`](super::WaitPredictor) is told at its making, what it is told of jobs, and what it answers.

use crate::error::{Error, Result};
use crate::runtime::MAX_SECONDS;
use crate::wait::clusters::MAX_CLUSTERS;
use crate::wait::estimate::WaitMethod;
use crate::wait::history::MAX_HISTORY;
use bytemuck::{Pod, Zeroable};

/// Component of [`WaitOptions`]: histories are trimmed at change points.
pub const TRIM: u32 = 1;
/// Component of [`WaitOptions`]: jobs are clustered by an attribute.
pub const CLUSTER: u32 = 2;
/// Component of [`WaitOptions`]: no prediction while the machine may be down.
pub const AVAILABILITY: u32 = 4;
/// Component of [`WaitOptions`], beyond the paper: bounds are stretched by each miss of those given before, shrunk by each
/// that was kept, so that in the long run .9 of the misses that the quantile allows remain, whatever the waits do (online
/// conformal prediction: Gibbs & Candes 2021, on the logarithm of the bound plus 1 s). A job that waits longer than
/// its bound counts at once, not only when it starts. No bound is stretched beyond twice the longest wait seen, or e^8 times,
/// nor shrunk below e^-3 times.
pub const ADAPT: u32 = 8;

/// Capacities of a [`WaitPredictor`](super::WaitPredictor), fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct WaitLimits {
    /// Waits that are remembered; the oldest go first (1 to 2^22).
    pub history: u32,
    /// Jobs that wait at the same time (1 to 2^22).
    pub queued: u32,
    /// Releases that the availability detectors remember (up to 2^22; 0 without them).
    pub releases: u32,
    /// The largest number of clusters (1 to [`MAX_CLUSTERS`]; 1 saves the memory that clustering needs).
    pub clusters: u32,
}

impl Default for WaitLimits {
    /// 16,384 waits, 4,096 jobs waiting, 4,096 releases, 16 clusters.
    fn default() -> WaitLimits {
        WaitLimits { history: 1 << 14, queued: 1 << 12, releases: 1 << 12, clusters: MAX_CLUSTERS as u32 }
    }
}

impl WaitLimits {
    pub(super) fn check(&self) -> Result<()> {
        let valid = (1..=MAX_HISTORY).contains(&self.history)
            && (1..=MAX_HISTORY).contains(&self.queued)
            && self.releases <= MAX_HISTORY
            && (1..=MAX_CLUSTERS as u32).contains(&self.clusters);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// What jobs are clustered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Attribute {
    /// The requested run time.
    #[default]
    Requested = 0,
    /// The processors.
    Processors = 1,
    /// Processors times requested run time.
    Product = 2,
}

impl Attribute {
    /// The attribute with this number.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn from_number(number: u32) -> Result<Attribute> {
        let all = [Attribute::Requested, Attribute::Processors, Attribute::Product];
        all.into_iter().find(|attribute| *attribute as u32 == number).ok_or(Error::OutOfRange)
    }

    pub(super) fn of(self, features: &Features) -> u64 {
        let requested = features.requested.unsigned_abs();
        match self {
            Attribute::Requested => requested,
            Attribute::Processors => u64::from(features.processors),
            // At most 2^40 times 2^32; the largest number is no attribute.
            Attribute::Product => requested.saturating_mul(u64::from(features.processors)).min(u64::MAX - 1),
        }
    }
}

/// What is known of a job when it is submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// The requested run time in seconds (0 to [`MAX_SECONDS`]).
    pub requested: i64,
    /// The processors.
    pub processors: u32,
}

impl Features {
    pub(super) fn check(&self) -> Result<()> {
        if (0..=MAX_SECONDS).contains(&self.requested) { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// How a [`WaitPredictor`](super::WaitPredictor) predicts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaitOptions {
    /// The quantile that [`WaitPredictor::submitted`](super::WaitPredictor::submitted) bounds, by which misses are told and histories trimmed.
    pub quantile: f64,
    /// The confidence of that bound.
    pub confidence: f64,
    /// How bounds are computed.
    pub method: WaitMethod,
    /// What jobs are clustered by.
    pub attribute: Attribute,
    /// Sum of [`TRIM`], [`CLUSTER`], [`AVAILABILITY`] and [`ADAPT`].
    pub components: u32,
    /// After how many known waits the jobs are clustered again (at least 1).
    pub recluster_every: u32,
    /// With [`AVAILABILITY`]: the quantile of jobs between releases, and of time between releases, above whose .95 bound the
    /// machine may be down. The paper's is .95. Jobs arrive in crowds and long gaps see more of them, so that on its traces
    /// that leaves 5 to 25 % of the jobs without a prediction; .999 about 1 %, as the paper reports. The detectors say nothing
    /// before [`smallest_history`](crate::wait::smallest_history) of releases, for which there must be room: 59 at .95, 299 at
    /// .99, 2,995 at .999.
    pub down_quantile: f64,
    /// With [`ADAPT`]: by how much the logarithm of the bounds rises with a miss, nearly (0 to 1). Small rates are tighter, large
    /// ones faster.
    pub rate: f64,
}

impl Default for WaitOptions {
    /// The paper's: .95 bound of the .95 quantile, binomial, clustered by requested time every 1,000 jobs; without [`ADAPT`]
    /// (whose rate is .01), and with a less easily alarmed [`AVAILABILITY`].
    fn default() -> WaitOptions {
        WaitOptions {
            quantile: 0.95,
            confidence: 0.95,
            method: WaitMethod::Binomial,
            attribute: Attribute::Requested,
            components: TRIM | CLUSTER | AVAILABILITY,
            recluster_every: 1000,
            down_quantile: 0.999,
            rate: 0.01,
        }
    }
}

/// The answer to a question for a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitAnswer {
    /// Seconds from submission.
    Bound(i64),
    /// Too few waits are known for this quantile and confidence.
    TooLittleHistory,
    /// No job has been started for so long, or while so many arrived, that the machine may be down.
    MayBeDown,
}

impl WaitAnswer {
    pub(super) fn from_bound(bound: Option<i64>) -> WaitAnswer {
        bound.map_or(WaitAnswer::TooLittleHistory, WaitAnswer::Bound)
    }
}

/// How probable it is that a job starts by some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartProbability {
    /// The part of the history's waits that were no longer.
    pub observed: f64,
    /// A lower confidence bound (Clopper & Pearson 1934).
    pub at_least: f64,
    /// The number of waits that this rests on.
    pub waits: u64,
}

/// A cluster of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// The smallest attribute.
    pub from: u64,
    /// The largest attribute; `u64::MAX` for no bound.
    pub to: u64,
    /// Waits that count at present.
    pub waits: u64,
}

/// How far [`WaitPredictor::recluster`](super::WaitPredictor::recluster) has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clustering {
    /// Jobs are not clustered: the component is off, or there is room for one cluster only.
    Idle,
    /// The work is used up; call again.
    More,
    /// The clusters of the waits remembered when it began are in use.
    Done,
}
