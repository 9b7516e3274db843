//! Accuracy of forecasts of waiting jobs' starts: in replays, asked when a job is submitted and every six hours while
//! it waits.
//!
//! * `asking`: a policy that is asked about its queue, and the starts that it observes.
//! * `methods`: the forecast as it comes and as it is reported; by limits alone; the waits of earlier jobs.
//! * `limits`: EASY played forward with every job running to its limit, as Slurm does.
//! * `prediction`: a job's forecast, and when it started.
//! * `tenths`: probabilities of starting in time against what came.
//! * `study`: coverage of 50 % and 90 % intervals, the median absolute error, and how far probabilities are off.

mod asking;
mod limits;
mod methods;
mod prediction;
mod study;
mod tenths;

pub use crate::replay::policy::WITHIN;
pub use methods::Method;
pub use prediction::{Occasion, Prediction};
pub use study::{EVERY, Measure, SCENARIOS, Study, of_job, predictor, study};
pub use tenths::{FEWEST, Tenth, furthest};
