//! Predicting run times on line (Nissimov 2006, chapter 4).
//!
//! * [`Predictor`]: hears of submissions, starts and ends of jobs, learns the hidden Markov model of their run times
//!   ([`crate::hmm`]) and says how long a job submitted now may run.
//! * `learn`: when training begins, what it sees, when its model is put to use.
//! * `present`: the filter over the slots that still have jobs in the system.
//! * `jobs`: the table of the jobs in the system.

mod jobs;
mod learn;
mod predictor;
mod present;

pub use learn::Learning;
pub use predictor::{Predictor, PredictorLimits, PredictorOptions};
