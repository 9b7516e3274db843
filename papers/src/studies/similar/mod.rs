//! Comparison of a synthetic workload with a trace: the evaluation of Song, Ernemann & Yahyapour 2004.
//!
//! * [`measures`]: Kolmogorov-Smirnov, squashed area, correlation, autocorrelation; of two workloads, [`Similarity`].
//! * [`habits`]: users, sessions and requested times.
//! * [`figures`]: what the paper's figures show.
//! * [`study`]: Tables 3 to 6, every model against a trace; [`paper`]: the paper's numbers.
//! * [`schedulers`]: what scheduling policies say of a workload.
//! * [`next`]: on-line prediction of the next job.

pub mod figures;
pub mod habits;
pub mod measures;
pub mod next;
pub mod paper;
pub mod schedulers;
pub mod study;

pub use figures::Figures;
pub use measures::{Measures, Similarity};
pub use study::Study;
