//! Who comes first: the order of waiting jobs, how long recent jobs waited, and ready-made settings for both and for
//! backfilling.
//!
//! * [`Priority`]: a waiting job's place in the queue, from its predicted run time, its processors and its wait.
//! * [`RecentWaits`]: quantiles of the last waits, by which a job that has waited unusually long is told.
//! * [`DelayCalibration`]: what backfills cost their head jobs, and what predictions of it are worth.
//! * [`Preset`]: every value of a scheduling rule under one name.
//!
//! With the order of submission alone even perfect predictions shorten mean waits by about a third; more comes from the
//! order of the queue itself, with ageing, so that nobody starves. A site's own priorities stay first: this order
//! counts among jobs of equal priority.

mod curve;
mod delays;
mod preset;
mod priority;
mod recent;

pub use delays::{AcceptedBackfill, DelayCalibration, DelayTotals, MAX_PENDING_BACKFILLS};
pub use preset::{Preset, PresetName};
pub use priority::{Priority, SHORTEST_MEDIAN};
pub use recent::{MAX_RECENT_WAITS, RecentWaits};
