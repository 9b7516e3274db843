//! Run times of jobs as distributions over logarithmic bins.
//!
//! * [`RuntimeBins`]: the bin edges (Nissimov 2006, section 2.2: runtimes are binned in logarithmic space).
//! * [`RuntimeDistribution`]: the predicted run time of one job, before its age is known.
//! * [`Release`]: one event of the discretised remaining run time, made by conditioning a distribution on the job's age
//!   and time limit (Nissimov & Feitelson 2007, Algorithm 1; Nissimov 2006, Algorithm 5).
//! * `within`: the same where what is predicted beyond the limit ends at the limit, for answers to people.
//!
//! Times are whole seconds in `i64`, bin edges are seconds in `f64`.

use crate::error::{Error, Result};

mod bins;
mod condition;
mod distribution;
mod kept;
mod releases;
mod view;
mod within;

pub(crate) use bins::RawBins;
pub use bins::{MAX_BINS, RuntimeBins};
pub(crate) use condition::at_limit;
#[cfg(feature = "capi")]
pub(crate) use distribution::RawDistribution;
pub use distribution::RuntimeDistribution;
#[cfg(feature = "capi")]
pub(crate) use distribution::count_samples;
pub(crate) use kept::{Remaining, write_kept};
pub(crate) use releases::Steps;
pub use releases::{MAX_EVENTS_PER_BIN, Release};
pub(crate) use view::{View, share_out};

/// The longest time span any call accepts, in seconds (about 34,000 years). As a time limit it means "no limit".
pub const MAX_SECONDS: i64 = 1 << 40;

/// Refuses a span of time below 0 or above [`MAX_SECONDS`].
pub(crate) fn check_span(seconds: i64) -> Result<()> {
    match seconds {
        ..0 => Err(Error::OutOfRange),
        0..=MAX_SECONDS => Ok(()),
        _ => Err(Error::SpanTooLong),
    }
}
