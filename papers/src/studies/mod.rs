//! The papers' studies, as numbers: no options of the command line, no tables.
//!
//! * [`similar`]: how close synthetic workloads are to real ones.
//! * [`hmm`]: the hidden Markov model of run times, trained and tested on traces; [`mod@characterize`]: what its states
//!   are.
//! * [`locality`]: how much run times can be learnt from submit times and users.
//! * [`predictors`]: how good predicted distributions of run times are.
//! * [`reservations`]: how often virtual reservations are met.
//! * [`mod@tune`]: the parameters of a schedule, gain against fairness.
//! * [`waits`]: how well bounds on waiting times hold.
//! * [`mod@allocate`]: malleable jobs that choose their size.

pub mod allocate;
pub mod characterize;
pub mod hmm;
pub mod locality;
pub mod predictors;
pub mod reservations;
pub mod similar;
pub mod tune;
pub mod waits;
