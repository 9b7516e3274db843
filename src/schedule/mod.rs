//! The order of waiting jobs, the waits of recent jobs, and ready-made settings for both and for backfilling.
//!
//! * [`Priority`]: a waiting job's place in the queue, from its predicted run time, its processors and its wait.
//! * [`RecentWaits`]: quantiles of the last waits, by which a job that has waited unusually long is recognised.
//! * [`DelayCalibration`]: the observed delays of head jobs by backfills, and the calibration of their predictions.
//! * [`Preset`]: every value of a scheduling rule under one name.
//!
//! With the order of submission alone even perfect predictions shorten mean waits by about a third; more comes from the
//! order of the queue itself, with ageing, so that no job starves. A site's own priorities stay first: this order
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
