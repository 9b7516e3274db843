//! Answers, with probabilities, to the questions of a batch scheduler: whether a job may jump the queue, how long a job
//! will run, and how long it will wait.
//!
//! The crate is `no_std`, never allocates, never panics and takes all its memory from the caller. Its layers, from the
//! bottom up, each using only those before it:
//!
//! 1. [`error`]: every way a call can be refused, with its C status number.
//! 2. [`memory`]: one block of caller's memory, carved into typed slices.
//! 3. [`math`]: special functions, accuracy stated.
//! 4. [`runtime`]: run times as distributions over logarithmic bins, conditioned on a job's age and limit.
//! 5. [`hmm`]: the hidden Markov model of a workload's run times: filter, smoothing, training, Viterbi.
//! 6. [`predict`]: run times predicted on line: by the hidden Markov model, and by the histories of like jobs.
//! 7. [`backfill`]: the scheduling pass: the exact delay of the head job for a whole queue of candidates, and the
//!    number of free processors over time.
//! 8. [`wait`]: bounds on waiting time with stated confidence, from the history of waits.
//! 9. [`allocate`]: the number of processors that a malleable job should take: speedup, lifetimes, waits, the choice.
//! 10. [`schedule`]: the order of the queue: priorities of waiting jobs, long waits, and presets of a whole schedule.
//! 11. [`plan`]: a start for every waiting job, by the cheapest of some sixty list schedules of the whole queue.
//! 12. [`forecast`]: the start of every waiting job as a distribution, by scenarios of the queue played forward.
//! 13. [`nodes`]: machines of nodes that jobs share by cores, memory and GPUs: placement, and the head job's delay.
//! 14. [`engine`]: the whole scheduler without a machine: from the events that the resource manager reports, it offers
//!     jobs to start.
//!
//! With the feature `capi` the functions of `include/surefill.h` and `include/surefill_parts.h` are
//! exported; Rust programs do not need it.
//!
//! ```
//! use surefill::backfill::{Pass, PassCapacity, Rule, Step};
//! use surefill::runtime::{RuntimeBins, RuntimeDistribution};
//!
//! # fn main() -> surefill::error::Result<()> {
//! let capacity = PassCapacity { processors: 64, ..PassCapacity::default() };
//! let mut memory = vec![0u64; Pass::size(&capacity)?.div_ceil(8)];
//! let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &capacity)?;
//!
//! // Run times of similar jobs: mostly minutes, though they ask for an hour.
//! let bins = RuntimeBins::default();
//! let minutes = RuntimeDistribution::from_samples(&bins, [(90, 1.0), (250, 2.0), (300, 1.0), (2000, 0.2)])?;
//!
//! // 16 processors are idle; the head job, number 7, wants 48.
//! pass.begin(1_000_000, 16, 7, 48)?;
//! pass.add_running(32, 600, 7200, &RuntimeDistribution::limit())?;
//! pass.add_running(16, 60, 36_000, &RuntimeDistribution::limit())?;
//! let candidate = pass.add_candidate(16, 3600, &minutes)?;
//!
//! assert_eq!(pass.decide(&Rule::EXACT, u64::MAX)?, Step::Accept(candidate));
//! pass.commit(candidate)?;
//! assert_eq!(pass.head_start_quantile(0.5)?, 1_000_000 + 6600);
//! # Ok(())
//! # }
//! ```

#![no_std]
#![deny(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod allocate;
pub mod backfill;
#[cfg(feature = "capi")]
pub mod capi;
pub mod engine;
pub mod error;
pub mod forecast;
mod hash;
mod heap;
pub mod hmm;
pub mod math;
pub mod memory;
pub mod nodes;
pub mod plan;
pub mod predict;
pub mod runtime;
pub mod schedule;
mod seal;
pub mod wait;
