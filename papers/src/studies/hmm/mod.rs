//! Studies of the hidden Markov model of run times on whole traces (Nissimov 2006, chapters 3 and 4), by the core's
//! [`surefill::hmm`] and [`surefill::predict`]; what trains it is [`crate::generate::hmm`].
//!
//! * [`fit`]: a model trained on a trace or its first half, after every round.
//! * [`gain`]: section 3.1's information gain on a second half that training has not seen.
//! * [`states`]: what a model's states are.
//! * [`divergence`]: the Kullback-Leibler divergence rate of two models, by generation.
//! * [`online`]: chapter 4's gain of the on-line predictor.
//! * [`study`]: the curves of figures 3.1 to 3.4 and 4.1 for a trace, on all processors.

pub mod divergence;
pub mod fit;
pub mod gain;
pub mod online;
pub mod states;
pub mod study;
