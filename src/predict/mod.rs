//! Predicting run times on line.
//!
//! * [`Predictor`]: the one object for every kind ([`PredictorKind`]). It hears of submissions, starts and ends of
//!   jobs, learns from them, says how long a job may run, and remembers what it said.
//!   - `options`: kinds, capacities, how to learn; `jobs`: the table of the jobs in the system; `safety`: nothing that
//!     can happen has probability 0; `learner`: what is learnt, by kind.
//!   - `tracker`: the hidden Markov model of the workload ([`crate::hmm`]; Nissimov 2006, chapter 4): `anchor`, the
//!     filter over the slots that still have jobs in the system; `training`, when training begins, what it sees, when
//!     its model is put to use.
//! * [`Mixture`]: what jobs like this one ran, "like" in several ways at once, each weighed by how well it has done for
//!   this user.
//!   - `histories`: a table of decaying counts, of fixed capacity.
//! * [`ContextMixture`]: the same question with many more ways of being alike, mixed in the logarithm.

mod anchor;
mod context;
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
pub use predictor::{HeldJob, Prediction, Predictor, Silence};
pub use training::Learning;
