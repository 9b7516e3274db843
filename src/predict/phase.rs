//! How far a predictor's learning has come, as plain data.

use crate::hmm::Round;
use bytemuck::{Pod, Zeroable};

/// Nothing under way.
pub(super) const IDLE: u32 = 0;
/// Rounds of Baum-Welch.
pub(super) const ROUNDS: u32 = 1;
/// The filter catches up with the anchor.
pub(super) const FILTER: u32 = 2;

/// [`Round`] as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LastRound {
    pub log_likelihood: f64,
    pub l1: f64,
    pub l_infinity: f64,
    pub rounds: u64,
    pub jobs: u64,
    pub adapted: u64,
}

impl LastRound {
    pub fn new(round: &Round) -> LastRound {
        LastRound {
            log_likelihood: round.log_likelihood,
            l1: round.l1,
            l_infinity: round.l_infinity,
            rounds: round.rounds,
            jobs: round.jobs,
            adapted: u64::from(round.adapted),
        }
    }

    pub fn round(&self) -> Round {
        Round {
            log_likelihood: self.log_likelihood,
            l1: self.l1,
            l_infinity: self.l_infinity,
            rounds: self.rounds,
            jobs: self.jobs,
            adapted: self.adapted as u32,
        }
    }
}
