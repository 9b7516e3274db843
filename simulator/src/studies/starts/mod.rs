//! Accuracy of forecasts of waiting jobs' starts: in replays, asked when a job is submitted and every six hours while
//! it waits.
//!
//! * `asking`: a policy that is asked about its queue, and the starts that it observes.
//! * `methods`: the forecast, calibrated and not; Slurm's way, by limits alone; the waits of the jobs before.
//! * `player`: the queue played forward by the core, on processors or on nodes.
//! * `told`: a job's forecast, and when it started.
//! * `tenths`: probabilities of starting in time against what came.
//! * `study`: coverage of 50 % and 90 % intervals, the median absolute error, and how far probabilities are off.

mod asking;
mod methods;
mod player;
mod study;
mod tenths;
mod told;

pub use crate::replay::policy::WITHIN;
pub use methods::Method;
pub use study::{Asks, Measure, Study, of_job, plays_forward, study};
pub use tenths::{FEWEST, Tenth, furthest};
pub use told::{Occasion, Told};
