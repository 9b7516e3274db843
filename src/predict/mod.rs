//! Predicting run times on line.
//!
//! * [`Predictor`]: hears of submissions, starts and ends of jobs, learns the hidden Markov model of their run times
//!   ([`crate::hmm`]) and says how long a job submitted now may run (Nissimov 2006, chapter 4).
//!   - `learn`: when training begins, what it sees, when its model is put to use; `phase`: how far it has come.
//!   - `present`: the filter over the slots that still have jobs in the system.
//!   - `jobs`: the table of the jobs in the system.
//! * [`Mixture`]: what jobs like this one ran, "like" in several ways at once, each weighed by how well it has done for
//!   this user.
//!   - `histories`: a table of decaying counts, of fixed capacity.

mod histories;
mod jobs;
mod learn;
mod mixture;
mod phase;
mod predictor;
mod present;

pub use learn::Learning;
pub use mixture::{Expert, MAX_EXPERTS, MAX_KEYS, Mixture, MixtureLimits};
pub use predictor::{Predictor, PredictorLimits, PredictorOptions};
