//! The hidden Markov model of run times (Nissimov 2006, chapter 3).
//!
//! Time of submission is cut into slots (15 min, say). In each slot the workload is in one of M hidden states; the
//! state draws each submitted job's run time, as a bin of [`RuntimeBins`](crate::runtime::RuntimeBins), from its own
//! distribution, and if the model has a load model also the number of jobs. From slot to slot the state changes as a
//! Markov chain. Jobs submitted close together resemble each other, and the model learns how long that lasts.
//!
//! The rooms, from the outside in:
//! * [`Hmm`]: model and observations in one block of the caller's memory; `training`: its training, in slices.
//! * `train`: Baum-Welch's maximisation step and its termination; `expectation`: its expectation step, in slices.
//! * `initial`: the initial values of training: Static-IV (Algorithm 3) and k-means (Algorithm 4).
//! * [`OnlineHmm`]: learning slot by slot, without a history.
//! * `viterbi`: the most likely sequence of states.
//! * `forward`: the filter, one slot after the other; `emission`: the probability of a slot in each state.
//! * `history`: the slots' counts of jobs, sparse, the oldest leaving when it is full.
//! * `steps`: single steps of the filter, for the predictor.
//! * `model`: the parameters, checked, and the tables derived from them; `vector`: the inner loops over states.

mod emission;
mod expectation;
mod forward;
mod history;
mod initial;
mod model;
mod object;
mod online;
mod steps;
mod train;
mod training;
mod vector;
mod viterbi;

pub use emission::Evidence;
pub(crate) use history::NONE;
pub use initial::Initial;
pub use model::{LoadModel, Parameters, ParametersMut};
pub use object::{Hmm, HmmCapacity};
pub use online::{Learnt, OnlineHmm, OnlineOptions};
pub(crate) use steps::{Explanation, Which};
pub use train::{Round, Termination};
pub use training::Training;

/// The largest number of states.
pub const MAX_STATES: usize = 64;
