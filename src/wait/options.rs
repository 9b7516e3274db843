//! The options of a [`WaitPredictor`](super::WaitPredictor), its input and its answers.

use crate::error::{Error, Result};
use crate::runtime::{MAX_SECONDS, check_span};
use crate::wait::clusters::MAX_CLUSTERS;
use crate::wait::estimate::WaitMethod;
use crate::wait::history::{MAX_HISTORY, Record};
use bytemuck::{Pod, Zeroable};

/// Component of [`WaitOptions`]: histories are trimmed at change points.
pub const TRIM: u32 = 1;
/// Component of [`WaitOptions`]: jobs are clustered by an attribute.
pub const CLUSTER: u32 = 2;
/// Component of [`WaitOptions`]: no prediction while the machine may be down.
pub const AVAILABILITY: u32 = 4;
/// Component of [`WaitOptions`], beyond the paper: levels follow misses (online conformal prediction: Gibbs & Candes
/// 2021), so that in the long run .9 of the misses that the quantile allows remain, whatever the waits do, and that
/// among the wide jobs and among those with long requests as well as among all. The order statistic that is answered
/// moves up with a miss and down without; beyond the longest wait, and with the parametric methods, the bound is
/// stretched. A job that waits longer than its bound counts at once, not only when it starts. No bound is more than one
/// and a half times the longest wait seen, unless the method's own is.
pub const ADAPT: u32 = 8;
/// Component of [`WaitOptions`], beyond the paper: the waits that count are those of jobs that came into a like
/// situation. The state of the queue (jobs and work ahead, the oldest wait, the last waits, the hour, and the machine's
/// state by [`WaitPredictor::machine`](super::WaitPredictor::machine)) is turned into one number by a regression on
/// line; the waits of the 300 jobs nearest in it serve as the history. Jobs that wait are looked at about every six
/// hours, and the bound for one of them rests on the rests of the 300 looks that were most like its situation. It takes
/// the place of [`TRIM`] and [`CLUSTER`]; the methods are order statistics then.
pub const VISIBLE: u32 = 16;

/// Capacities of a [`WaitPredictor`](super::WaitPredictor), fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct WaitCapacity {
    /// Number of waits remembered; the oldest go first (1 to 2^22).
    pub history: u32,
    /// Number of jobs that wait at the same time, at most (1 to 2^22).
    pub queued: u32,
    /// Number of releases that the availability detectors remember (up to 2^22; 0 without them).
    pub releases: u32,
    /// The largest number of clusters (1 to [`MAX_CLUSTERS`]; 1 saves the memory that clustering needs).
    pub clusters: u32,
    /// Number of jobs whose situation is remembered for [`VISIBLE`] (up to 2^16; 0 without it).
    pub neighbours: u32,
}

/// The most jobs whose situation is remembered: their order is kept in an array.
const MOST_NEIGHBOURS: u32 = 1 << 16;

impl Default for WaitCapacity {
    /// 65,536 waits, 4,096 jobs waiting, 4,096 releases, no clusters, 8,192 situations.
    fn default() -> WaitCapacity {
        WaitCapacity {
            history: 1 << 16,
            queued: 1 << 12,
            releases: 1 << 12,
            clusters: 1,
            neighbours: 1 << 13,
        }
    }
}

impl WaitCapacity {
    pub(super) fn check(&self) -> Result<()> {
        let valid = (1..=MAX_HISTORY).contains(&self.history)
            && (1..=MAX_HISTORY).contains(&self.queued)
            && self.releases <= MAX_HISTORY
            && (1..=MAX_CLUSTERS as u32).contains(&self.clusters)
            && self.neighbours <= MOST_NEIGHBOURS;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// Attribute that jobs are clustered by.
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
    /// The one of these three that explains the waits best, chosen anew whenever the jobs are clustered again, from the
    /// waits that are remembered then: the one whose clusters raise the Bayes information criterion most over a single
    /// cluster. Until the first choice, and among equals, it is the one in use, at first the requested run time.
    /// [`WaitPredictor::clustered_by`](super::WaitPredictor::clustered_by) returns it. A clustering takes three times
    /// as long.
    Best = 3,
}

impl Attribute {
    /// The attributes that a job has: all but [`Attribute::Best`].
    pub(super) const SINGLE: [Attribute; 3] =
        [Attribute::Requested, Attribute::Processors, Attribute::Product];

    /// The attribute with this number.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn from_number(number: u32) -> Result<Attribute> {
        let [requested, processors, product] = Attribute::SINGLE;
        [requested, processors, product, Attribute::Best]
            .into_iter()
            .find(|attribute| *attribute as u32 == number)
            .ok_or(Error::OutOfRange)
    }

    /// The attribute before any choice.
    pub(super) fn at_first(self) -> Attribute {
        if self == Attribute::Best { Attribute::Requested } else { self }
    }

    /// The attribute's value for a job: seconds, processors or processor-seconds. [`Attribute::Best`] has that of the
    /// requested run time, with which it begins.
    pub fn of(self, features: &Features) -> u64 {
        let requested = features.requested.unsigned_abs();
        match self {
            Attribute::Requested | Attribute::Best => requested,
            Attribute::Processors => u64::from(features.processors),
            // At most 2^40 times 2^32; the largest number is no attribute.
            Attribute::Product => requested.saturating_mul(u64::from(features.processors)).min(u64::MAX - 1),
        }
    }
}

/// A job's attributes at its submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// The requested run time in seconds (0 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)).
    pub requested: i64,
    /// Number of processors.
    pub processors: u32,
}

impl Features {
    /// The features of a remembered job.
    pub(super) fn of(record: &Record) -> Features {
        let requested = i64::try_from(record.requested).unwrap_or(MAX_SECONDS);
        Features { requested, processors: record.processors }
    }

    pub(super) fn check(&self) -> Result<()> {
        check_span(self.requested)
    }
}

/// State of the machine, beyond the queue itself. All zero: unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Machine {
    /// Number of processors.
    pub processors: u32,
    /// Number of free processors.
    pub free: u32,
    /// Number of jobs that wait in all its queues.
    pub jobs: u32,
    reserved: u32,
    /// Processors times requested seconds of the waiting jobs, over all queues.
    pub work: u64,
}

impl Machine {
    /// A machine of `processors`, of which `free` are free, and waiting jobs with these processor-seconds.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for more free processors than there are.
    pub fn new(processors: u32, free: u32, jobs: u32, work: u64) -> Result<Machine> {
        if free > processors {
            return Err(Error::OutOfRange);
        }
        Ok(Machine { processors, free, jobs, reserved: 0, work })
    }
}

/// Options of a [`WaitPredictor`](super::WaitPredictor).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaitOptions {
    /// The quantile that [`WaitPredictor::submit`](super::WaitPredictor::submit) bounds, by which misses are counted
    /// and histories trimmed.
    pub quantile: f64,
    /// The confidence of that bound.
    pub confidence: f64,
    /// Method by which bounds are computed.
    pub method: WaitMethod,
    /// Attribute that jobs are clustered by.
    pub attribute: Attribute,
    /// Sum of [`TRIM`], [`CLUSTER`], [`AVAILABILITY`], [`ADAPT`] and [`VISIBLE`].
    pub components: u32,
    /// Number of known waits after which the jobs are clustered again (at least 1).
    pub recluster_every: u32,
    /// With [`AVAILABILITY`]: the quantile of jobs between releases, and of time between releases, above whose .95
    /// bound the machine may be down. The paper's is .95. Jobs arrive in crowds and long gaps see more of them, so that
    /// on its traces that leaves 5 to 25 % of the jobs without a prediction; .999 about 1 %, as the paper reports. The
    /// detectors are silent before [`smallest_history`](crate::wait::smallest_history) releases, for which there must
    /// be room: 59 at .95, 299 at .99, 2,995 at .999.
    pub down_quantile: f64,
    /// With [`ADAPT`]: the smallest step of the levels (0 to 1), in units of e times fewer misses. Steps begin at a
    /// half, fall with the number of jobs to the power of -.6, and stay here: smaller ones are tighter, larger ones
    /// faster.
    pub rate: f64,
    /// Seconds of waiting after which a job is given up (1 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)): it may be
    /// held, or its start may have got lost. It no longer counts among those that wait, and when there is no room for a
    /// new job the oldest of them makes room. If it starts after all its wait is learnt. Choose it longer than any real
    /// wait.
    pub oldest_seconds: i64,
}

impl Default for WaitOptions {
    /// The recommended options: .95 bound of the .95 quantile, [`AVAILABILITY`], [`ADAPT`] and [`VISIBLE`].
    fn default() -> WaitOptions {
        WaitOptions { components: AVAILABILITY | ADAPT | VISIBLE, ..WaitOptions::papers() }
    }
}

impl WaitOptions {
    /// The paper's options: .95 bound of the .95 quantile, binomial, clustered by requested time every 1,000 jobs, with
    /// a less easily alarmed [`AVAILABILITY`].
    pub fn papers() -> WaitOptions {
        WaitOptions {
            quantile: 0.95,
            confidence: 0.95,
            method: WaitMethod::Binomial,
            attribute: Attribute::Requested,
            components: TRIM | CLUSTER | AVAILABILITY,
            recluster_every: 1000,
            down_quantile: 0.999,
            rate: 0.02,
            oldest_seconds: 100 * 86_400,
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
    /// No job has been started for a long time, or while many arrived: the machine may be down.
    MayBeDown,
    /// Most like jobs wait already for longer than the bound that the known waits give, or more than twice as many jobs
    /// wait as before any whose wait is known.
    Exceeded,
}

impl WaitAnswer {
    pub(super) fn from_bound(bound: Option<i64>) -> WaitAnswer {
        bound.map_or(WaitAnswer::TooLittleHistory, WaitAnswer::Bound)
    }
}

/// The probability that a job starts by some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartProbability {
    /// The share of the waits that were no longer; with [`ADAPT`] corrected to the observed share of starts in time.
    pub observed: f64,
    /// A lower confidence bound (Clopper & Pearson 1934).
    pub at_least: f64,
    /// Number of waits that this rests on.
    pub waits: u64,
}

/// A job that a [`WaitPredictor`](super::WaitPredictor) holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingJob {
    /// The caller's number.
    pub id: i64,
    /// Time of its submission.
    pub submitted: i64,
    /// Whether it is given up, having waited for more than [`WaitOptions::oldest_seconds`].
    pub given_up: bool,
    /// Its features at its submission.
    pub features: Features,
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

/// Progress of [`WaitPredictor::recluster`](super::WaitPredictor::recluster).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clustering {
    /// Jobs are not clustered: the component is off, or there is room for one cluster only.
    Idle,
    /// The work is used up; call again.
    More,
    /// The clusters of the waits remembered when it began are in use.
    Done,
}
