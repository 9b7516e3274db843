//! The number of processors that a malleable job should take: those that are free now, or more of them later.
//!
//! Downey 1997 (UCB/CSD-97-929) has such a job, at the head of a first-come-first-served queue, choose the number `n`
//! that minimises `Q(n) + R(n)`: the wait until `n` processors are free and the run time on them. `R` follows from a
//! model of speedup, `Q` from the distribution of the running jobs' remaining lifetimes.
//!
//! * [`Speedup`]: the models of low and high variance in parallelism (equations 1 to 3), and their fit to measurements.
//! * [`LogUniform`]: lifetimes that are uniform in the logarithm (equations 4 and 5), and their fit to a history.
//! * [`Sizing`]: the running jobs in the caller's memory; Q by the paper's predictors A (median, by benefactors) and B
//!   (mean, processors as a fluid), their combination, and by the exact distribution of the processors released; the
//!   choice of n.
//! * [`Correction`]: bias correction by a running least-squares line through the logarithms of predicted and actual
//!   waits.
//!
//! The paper thought the exact median feasible for few running jobs only, as 2^p outcomes would have to be enumerated.
//! The running jobs are independent, so the processors released by any time are a sum of independent terms: its
//! distribution takes p convolutions, O(p n) for p jobs and n processors.
//!
//! Two misprints of the paper: in equation 5, `t` is the job's whole lifetime (its age and the wait), not the wait
//! alone; equation 6 has the factors of finished and running jobs exchanged.
//!
//! All durations are seconds in `f64`.
//!
//! ```
//! use surefill::allocate::{ChoiceOptions, LogUniform, Sizing, SizingCapacity, Speedup};
//!
//! # fn main() -> surefill::error::Result<()> {
//! let capacity = SizingCapacity { processors: 128, ..SizingCapacity::default() };
//! let mut memory = vec![0u64; Sizing::size(&capacity)?.div_ceil(8)];
//! let mut sizing = Sizing::init(bytemuck::cast_slice_mut(&mut memory), &capacity)?;
//!
//! // 4 processors are idle; two jobs hold the others, one for a minute, one for an hour.
//! let lifetimes = LogUniform::new(7.4, 162_755.0)?;
//! sizing.begin(4)?;
//! sizing.add_running(24, 60.0, &lifetimes)?;
//! sizing.add_running(100, 3600.0, &lifetimes)?;
//!
//! // A job of two days on one processor had better wait for more of them.
//! let job = Speedup::new(28.0, 0.5)?;
//! let options = ChoiceOptions { most: 28, ..ChoiceOptions::default() };
//! let choice = sizing.choose(&options, None, |n| job.run_time(172_800.0, n).unwrap_or(0.0))?;
//! assert_eq!(choice.processors, 28);
//! assert_eq!(choice.wait, sizing.mean(28)?);
//! # Ok(())
//! # }
//! ```

mod choose;
mod correction;
mod exact;
mod fit;
mod lifetime;
mod predict;
mod sizing;
mod speedup;

pub use choose::{Choice, ChoiceOptions};
pub use correction::Correction;
#[cfg(feature = "capi")]
pub(crate) use fit::fit_run_time_points;
pub use fit::{Fit, fit_run_times, fit_speedups};
pub use lifetime::LogUniform;
pub use predict::FreeTimePredictor;
pub use sizing::{Sizing, SizingCapacity};
pub use speedup::Speedup;

use crate::error::{Error, Result};

/// Durations beyond this are refused (as [`crate::runtime::MAX_SECONDS`], about 34,000 years).
const LONGEST: f64 = (1u64 << 40) as f64;

/// Refuses a value that is no number, or not within `range`.
fn check(value: f64, range: core::ops::RangeInclusive<f64>) -> Result<()> {
    if value.is_nan() {
        return Err(Error::NotANumber);
    }
    if range.contains(&value) { Ok(()) } else { Err(Error::OutOfRange) }
}
