//! The parameters of the hidden Markov model (Nissimov 2006, section 3.1) and the tables derived from them.
//!
//! pi_i: probability that the first slot is in state i. A_ij: that a slot in state i is followed by one in state j.
//! B_ij: that a job submitted in state i runs for a time in bin j. A load model adds the number of jobs l of a slot:
//! Poisson with mean lambda_i, Pr(l) = e^-lambda lambda^l / l!; or geometric with parameter p_i, Pr(l) = p (1 - p)^l.

use crate::error::{Error, Result};
use crate::hmm::vector::{copy, stride};
use crate::hmm::{HmmCapacity, MAX_STATES};
use crate::memory::{Carver, range, range_mut};

/// Largest distance of the sum of a distribution from 1.
const TOLERANCE: f64 = 1e-9;

/// Distribution of the number of jobs in a slot, given the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum LoadModel {
    /// Not modelled: run times given the number of jobs. This was best for predicting run times in the thesis.
    #[default]
    None = 0,
    /// Poisson; the parameter is the mean, finite and not negative.
    Poisson = 1,
    /// Geometric from 0; the parameter is Pr(no job), above 0 and at most 1.
    Geometric = 2,
}

impl LoadModel {
    /// The load model with this number.
    pub(crate) fn from_number(number: u32) -> Option<LoadModel> {
        [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric].into_iter().find(|m| *m as u32 == number)
    }

    /// The parameter with this mean number of jobs.
    pub(super) fn with_mean(self, mean: f64) -> f64 {
        match self {
            LoadModel::None => 0.0,
            LoadModel::Poisson => mean,
            LoadModel::Geometric => 1.0 / (1.0 + mean),
        }
    }

    /// The mean number of jobs.
    pub(super) fn mean(self, parameter: f64) -> f64 {
        match self {
            LoadModel::None => 0.0,
            LoadModel::Poisson => parameter,
            LoadModel::Geometric => (1.0 - parameter) / parameter,
        }
    }
}

/// A model's parameters, M states and N bins, all matrices row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters<'p> {
    /// Model of the number of jobs in a slot.
    pub load: LoadModel,
    /// pi: M probabilities.
    pub start: &'p [f64],
    /// A: M x M probabilities; every row sums to 1 within 1e-9.
    pub transition: &'p [f64],
    /// B: M x N probabilities; every row sums to 1 within 1e-9.
    pub emission: &'p [f64],
    /// M parameters of the load; empty for [`LoadModel::None`].
    pub load_parameter: &'p [f64],
}

/// Room for a model's parameters, in the layout of [`Parameters`].
#[derive(Debug, PartialEq)]
pub struct ParametersMut<'p> {
    /// M numbers.
    pub start: &'p mut [f64],
    /// M x M numbers.
    pub transition: &'p mut [f64],
    /// M x N numbers.
    pub emission: &'p mut [f64],
    /// M numbers; set to 0 for [`LoadModel::None`], where it may also be empty.
    pub load_parameter: &'p mut [f64],
}

fn check_distribution(probabilities: &[f64]) -> Result<()> {
    let mut sum = 0.0;
    for &p in probabilities {
        if p.is_nan() {
            return Err(Error::NotANumber);
        }
        if !(0.0..=1.0 + TOLERANCE).contains(&p) {
            return Err(Error::OutOfRange);
        }
        sum += p;
    }
    if libm::fabs(sum - 1.0) <= TOLERANCE { Ok(()) } else { Err(Error::NotADistribution) }
}

impl Parameters<'_> {
    /// Whether this is a model of these numbers of states and bins.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for other lengths, a negative or infinite number, or a load parameter that its model does
    /// not allow; [`Error::NotANumber`]; [`Error::NotADistribution`].
    pub fn check(&self, states: usize, bins: usize) -> Result<()> {
        let loads = if self.load == LoadModel::None { 0 } else { states };
        let lengths = self.start.len() == states
            && Some(self.transition.len()) == states.checked_mul(states)
            && Some(self.emission.len()) == states.checked_mul(bins)
            && self.load_parameter.len() == loads;
        if !(lengths && (1..=MAX_STATES).contains(&states) && bins > 0) {
            return Err(Error::OutOfRange);
        }
        check_distribution(self.start)?;
        for row in self.transition.chunks(states.max(1)).chain(self.emission.chunks(bins.max(1))) {
            check_distribution(row)?;
        }
        for &parameter in self.load_parameter {
            if parameter.is_nan() {
                return Err(Error::NotANumber);
            }
            let valid = match self.load {
                LoadModel::None => true,
                LoadModel::Poisson => parameter >= 0.0 && parameter.is_finite(),
                LoadModel::Geometric => parameter > 0.0 && parameter <= 1.0,
            };
            if !valid {
                return Err(Error::OutOfRange);
            }
        }
        Ok(())
    }
}

/// The parameters as the inner loops need them; vectors over the states have the length [`stride`].
pub(super) struct Tables<'a> {
    pub start: &'a mut [f64],
    /// A, a row for each state.
    pub transition: &'a mut [f64],
    /// A's columns, a row for each state.
    pub transposed: &'a mut [f64],
    /// B's columns, a row for each bin.
    pub emission: &'a mut [f64],
    pub load: &'a mut [f64],
    /// ln B_ij, a row for each bin.
    pub ln_emission: &'a mut [f64],
    /// ln of the sum of B_ik over k >= j, a row for each bin j.
    pub ln_at_least: &'a mut [f64],
    /// ln Pr(l) = `load_base` + l `load_slope`, less the summand common to all states.
    pub load_base: &'a mut [f64],
    pub load_slope: &'a mut [f64],
}

impl<'a> Tables<'a> {
    pub fn carve(carver: &mut Carver<'a>, limits: &HmmCapacity) -> Result<Tables<'a>> {
        let (states, bins) = (limits.states as usize, limits.bins as usize);
        let lanes = stride(states);
        Ok(Tables {
            start: carver.take(lanes)?,
            transition: carver.take(states * lanes)?,
            transposed: carver.take(states * lanes)?,
            emission: carver.take(bins * lanes)?,
            load: carver.take(lanes)?,
            ln_emission: carver.take(bins * lanes)?,
            ln_at_least: carver.take(bins * lanes)?,
            load_base: carver.take(lanes)?,
            load_slope: carver.take(lanes)?,
        })
    }

    /// Sets all numbers to zero, padding included.
    pub fn clear(&mut self) {
        for table in [
            &mut *self.start,
            self.transition,
            self.transposed,
            self.emission,
            self.load,
            self.ln_emission,
            self.ln_at_least,
            self.load_base,
            self.load_slope,
        ] {
            table.fill(0.0);
        }
    }

    /// The length of a vector over the states.
    pub fn stride(&self) -> usize {
        self.start.len()
    }

    /// ln B_i`bin` over the states i.
    #[inline]
    pub fn ln_emission(&self, bin: usize) -> Result<&[f64]> {
        let lanes = self.stride();
        range(self.ln_emission, bin.saturating_mul(lanes), lanes)
    }

    /// ln Pr(run time in `bin` or above) over the states.
    #[inline]
    pub fn ln_at_least(&self, bin: usize) -> Result<&[f64]> {
        let lanes = self.stride();
        range(self.ln_at_least, bin.saturating_mul(lanes), lanes)
    }

    /// B_i`bin` over the states, to be changed; [`Tables::derive`] must follow.
    pub fn emission_mut(&mut self, bin: usize) -> Result<&mut [f64]> {
        let lanes = self.stride();
        range_mut(self.emission, bin.saturating_mul(lanes), lanes)
    }

    /// Takes over checked parameters.
    pub fn set(&mut self, given: &Parameters<'_>) -> Result<()> {
        let (states, lanes) = (given.start.len().max(1), self.stride().max(1));
        let bins = (given.emission.len() / states).max(1);
        self.clear();
        copy(self.start, given.start);
        copy(self.load, given.load_parameter);
        for (row, from) in self.transition.chunks_mut(lanes).zip(given.transition.chunks(states)) {
            copy(row, from);
        }
        for (state, from) in given.emission.chunks(bins).enumerate() {
            for (column, p) in self.emission.chunks_mut(lanes).zip(from) {
                if let Some(entry) = column.get_mut(state) {
                    *entry = *p;
                }
            }
        }
        self.derive(given.load)
    }

    /// Writes the parameters out.
    pub fn get(
        &self,
        load: LoadModel,
        states: usize,
        bins: usize,
        out: &mut ParametersMut<'_>,
    ) -> Result<()> {
        let (states, bins, lanes) = (states.max(1), bins.max(1), self.stride().max(1));
        let loads = out.load_parameter.len();
        let lengths = out.start.len() == states
            && out.transition.len() == states * states
            && out.emission.len() == states * bins
            && (loads == states || (loads == 0 && load == LoadModel::None));
        if !lengths {
            return Err(Error::OutOfRange);
        }
        copy(out.start, self.start);
        copy(out.load_parameter, self.load);
        for (to, row) in out.transition.chunks_mut(states).zip(self.transition.chunks(lanes)) {
            copy(to, row);
        }
        for (state, to) in out.emission.chunks_mut(bins).enumerate() {
            for (p, column) in to.iter_mut().zip(self.emission.chunks(lanes)) {
                *p = column.get(state).copied().unwrap_or(0.0);
            }
        }
        Ok(())
    }

    /// Copies another model's tables. O(states (states + bins)).
    pub fn copy_from(&mut self, other: &Tables<'_>) {
        copy(self.start, other.start);
        copy(self.transition, other.transition);
        copy(self.transposed, other.transposed);
        copy(self.emission, other.emission);
        copy(self.load, other.load);
        copy(self.ln_emission, other.ln_emission);
        copy(self.ln_at_least, other.ln_at_least);
        copy(self.load_base, other.load_base);
        copy(self.load_slope, other.load_slope);
    }

    /// Computes everything that follows from the parameters. O(states (states + bins)), a logarithm for each entry of
    /// B.
    pub fn derive(&mut self, load: LoadModel) -> Result<()> {
        let lanes = self.stride().max(1);
        for (j, row) in self.transposed.chunks_mut(lanes).enumerate() {
            for (entry, from) in row.iter_mut().zip(self.transition.chunks(lanes)) {
                *entry = from.get(j).copied().unwrap_or(0.0);
            }
        }
        for (ln, p) in self.ln_emission.iter_mut().zip(self.emission.iter()) {
            *ln = libm::log(*p);
        }
        // From the last bin down; every run time is at least in bin 0, so rounding is corrected there.
        let mut tail = [0.0; MAX_STATES];
        let columns = self.emission.chunks(lanes).zip(self.ln_at_least.chunks_mut(lanes));
        for (bin, (column, ln)) in columns.enumerate().rev() {
            for ((tail, p), ln) in tail.iter_mut().zip(column).zip(ln) {
                *tail += p;
                *ln = if bin == 0 { 0.0 } else { libm::log(tail.min(1.0)) };
            }
        }
        for ((parameter, base), slope) in
            self.load.iter().zip(&mut *self.load_base).zip(&mut *self.load_slope)
        {
            (*base, *slope) = match load {
                LoadModel::None => (0.0, 0.0),
                LoadModel::Poisson => (-parameter, libm::log(*parameter)),
                LoadModel::Geometric => (libm::log(*parameter), libm::log1p(-parameter)),
            };
        }
        Ok(())
    }
}
