//! The hidden Markov model of run times trained on whole traces (Nissimov 2006, chapter 3), by the core's
//! [`surefill::hmm`].
//!
//! * [`sample`]: a workload's jobs as slots and bins; [`block`]: the core's model in memory of its own.
//! * [`flat`]: a model's parameters, and load models by name.
//! * [`entropy`]: initial values of maximal entropy.
//! * [`train`]: Baum-Welch round by round, and what is to be said of each.
//! * [`model`]: a model as data: files, smoothing; `by_text`: options that files hold by their text.

pub mod block;
pub(crate) mod by_text;
pub mod entropy;
pub mod flat;
pub mod model;
pub mod sample;
pub mod train;

/// Why a model cannot be trained or compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// There is no job.
    #[error("no jobs")]
    NoJobs,
    /// Everything before the middle job is in its slot.
    #[error(
        "the first half of the jobs lies in one slot of {slot_s} s with the middle job: nothing to learn from before it"
    )]
    NoHalves {
        /// The slot length.
        slot_s: i64,
    },
    /// All jobs of the second half were removed.
    #[error("no job of the second half ran for a time in a bin that the first half has: nothing to test on")]
    NothingToTest,
    /// The trace spans too long a time.
    #[error(
        "{count} slots of {slot_s} s from the first job to the last: at most {most} are possible, choose longer ones"
    )]
    Slots {
        /// The slots.
        count: i64,
        /// Their length.
        slot_s: i64,
        /// The most.
        most: i64,
    },
    /// Ratio or first edge are out of range, or too many bins would be needed.
    #[error("run times up to {longest} s do not fit {most} bins from {first_edge_s} s by a ratio of {ratio}")]
    Bins {
        /// The longest run time.
        longest: i64,
        /// The first edge.
        first_edge_s: f64,
        /// The ratio.
        ratio: f64,
        /// The most bins.
        most: usize,
    },
    /// k-means doubles its clusters.
    #[error("k-means makes 1, 2, 4, 8 ... states, not {0}")]
    Means(u32),
    /// The models' observations are not the same.
    #[error("the models cannot be compared: {0}")]
    Incomparable(String),
    /// An error of the core.
    #[error("{0}")]
    Core(#[from] surefill::error::Error),
}
