//! Baum-Welch: rounds of expectation and maximisation (Nissimov 2006, sections 3.1 to 3.3; Rabiner 1989, section
//! III.C).
//!
//! The maximisation step, with the sums of [`crate::hmm::expectation`]:
//!
//! ```text
//! pi_i = gamma_1(i)                                        A_ij = sum_t xi_t(i, j) / sum_t,k xi_t(i, k)
//! B_ij = sum_t gamma_t(i) x_jt / sum_t gamma_t(i) l_t      lambda_i = sum_t gamma_t(i) l_t / sum_t gamma_t(i)
//!                                                          p_i = sum_t gamma_t(i) / sum_t gamma_t(i) (l_t + 1)
//! ```
//!
//! A row without observations (its denominator is 0) stays as it is.

use crate::error::{Error, Result};
use crate::hmm::LoadModel;
use crate::hmm::expectation::Sums;
use crate::hmm::model::Tables;
use crate::hmm::vector::{add_scaled, sum};

/// Result of a round of Baum-Welch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// ln Pr(observations) under the parameters before this round. It never falls from round to round, unless the
    /// parameters were bent.
    pub log_likelihood: f64,
    /// The sum of the absolute changes of all parameters.
    pub l1: f64,
    /// The largest absolute change of a parameter.
    pub l_infinity: f64,
    /// Number of rounds since training began, this one included.
    pub rounds: u64,
    /// Number of finished jobs in the slots trained on.
    pub jobs: u64,
    /// Number of slots that no state explained, so that the parameters had to be bent towards them before this round.
    pub adapted: u32,
}

/// Criterion by which training stops (Nissimov 2006, section 3.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Termination {
    /// Stops after this number of rounds.
    Rounds(u64),
    /// Stops when sqrt(jobs) x L1 is below this. The thesis takes 200: changes smaller than the parameters' uncertainty
    /// do not matter.
    L1(f64),
    /// Stops when L-infinity is below this.
    LInfinity(f64),
}

impl Default for Termination {
    /// L1 with the thesis's 200.
    fn default() -> Termination {
        Termination::L1(200.0)
    }
}

impl Termination {
    /// Whether training stops after this round.
    pub fn reached(&self, round: &Round) -> bool {
        match *self {
            Termination::Rounds(rounds) => round.rounds >= rounds,
            Termination::L1(epsilon) => libm::sqrt(round.jobs as f64) * round.l1 < epsilon,
            Termination::LInfinity(epsilon) => round.l_infinity < epsilon,
        }
    }

    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a negative threshold, or no rounds.
    pub fn check(&self) -> Result<()> {
        match *self {
            Termination::Rounds(0) => Err(Error::OutOfRange),
            Termination::L1(epsilon) | Termination::LInfinity(epsilon) if epsilon.is_nan() => {
                Err(Error::NotANumber)
            }
            Termination::L1(epsilon) | Termination::LInfinity(epsilon) if epsilon < 0.0 => {
                Err(Error::OutOfRange)
            }
            _ => Ok(()),
        }
    }
}

/// Changes of parameters.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Change {
    pub l1: f64,
    pub l_infinity: f64,
}

impl Change {
    /// Replaces a value by a new one.
    fn set(&mut self, parameter: &mut f64, new: f64) {
        let change = libm::fabs(new - *parameter);
        self.l1 += change;
        self.l_infinity = self.l_infinity.max(change);
        *parameter = new;
    }
}

/// The maximisation step: sets the tables to those that best explain the expected sums.
pub(super) fn maximise(
    tables: &mut Tables<'_>,
    load: LoadModel,
    sums: &mut Sums<'_>,
    states: usize,
) -> Result<Change> {
    let lanes = tables.stride().max(1);
    let mut change = Change::default();
    let total = sum(sums.gamma);
    for (p, gamma) in tables.start.iter_mut().zip(&*sums.gamma).take(states) {
        change.set(p, if total > 0.0 { gamma / total } else { *p });
    }
    for (row, expected) in tables.transition.chunks_mut(lanes).zip(sums.transitions.chunks_mut(lanes)) {
        for (expected, p) in expected.iter_mut().zip(row.iter()) {
            *expected *= p;
        }
        let total = sum(expected);
        if total > 0.0 {
            for (p, expected) in row.iter_mut().zip(expected).take(states) {
                change.set(p, *expected / total);
            }
        }
    }
    // Expected jobs of each state, in the first row of beta's room, which is free now.
    let jobs = &mut *sums.backward;
    jobs.fill(0.0);
    for column in sums.jobs.chunks(lanes) {
        add_scaled(jobs, 1.0, column);
    }
    for (column, expected) in tables.emission.chunks_mut(lanes).zip(sums.jobs.chunks(lanes)) {
        for ((p, expected), jobs) in column.iter_mut().zip(expected).zip(jobs.iter()).take(states) {
            if *jobs > 0.0 {
                change.set(p, expected / jobs);
            }
        }
    }
    if load != LoadModel::None {
        for ((parameter, visits), jobs) in
            tables.load.iter_mut().zip(&*sums.visits).zip(jobs.iter()).take(states)
        {
            let new = match load {
                LoadModel::Geometric => visits / (visits + jobs),
                _ => jobs / visits,
            };
            if *visits > 0.0 && new.is_finite() && (new > 0.0 || load == LoadModel::Poisson) {
                change.set(parameter, new);
            }
        }
    }
    tables.derive(load)?;
    Ok(change)
}
