//! Predictions of run times on line.
//!
//! * [`Predictor`]: the one object for every kind ([`PredictorKind`]). Submissions, starts and ends of jobs are
//!   reported to it; it learns from them, predicts run times, and remembers the predictions made. - `options`: kinds,
//!   capacities, options of learning; `jobs`: the table of the jobs in the system; `safety`: a probability above 0 for
//!   all that can happen; `learner`: the learners of the kinds. - `tracker`: the hidden Markov model of the workload
//!   ([`crate::hmm`]; Nissimov 2006, chapter 4): `anchor`, the filter over the slots that still have jobs in the
//!   system; `training`: the begin of training, its data, and the use of its model.
//! * [`Mixture`]: the run times of like jobs, "like" in several ways at once, each weighted by its past success for
//!   this user. - `histories`: a table of decaying counts, of fixed capacity.
//! * [`ContextMixture`]: the same with many more ways of being alike, mixed in the logarithm.

mod anchor;
mod context;
mod fallback;
mod histories;
mod jobs;
mod learner;
mod mixture;
mod options;
mod predictor;
mod safety;
mod tracker;
mod training;

pub use context::{ContextCapacity, ContextMixture};
pub use mixture::{Expert, MAX_EXPERTS, MAX_KEYS, Mixture, MixtureCapacity};
pub use options::{PredictorCapacity, PredictorKind, PredictorOptions, experts_of};
#[cfg(feature = "capi")]
pub(crate) use predictor::PredictionView;
pub use predictor::{HeldJob, Prediction, Predictor, Silence};
pub use training::Learning;
