//! Learning without a history: recursive expectation-maximisation (Cappe 2011, Journal of Computational and Graphical
//! Statistics 20(3), "Online EM algorithm for hidden Markov models"; Mongillo & Deneve 2008 for discrete observations).
//!
//! Baum-Welch needs all slots for every round. Here a slot is visited once: the filter phi_t moves on, and with it, for
//! each statistic s of the complete data, its expectation given the present state k,
//!
//! ```text
//! rho_t(k) = gamma_t s_t(k) + (1 - gamma_t) sum_l rho_t-1(l) r_t(l | k),    r_t(l | k) ~ phi_t-1(l) A_lk,
//! ```
//!
//! whose mean under phi_t is the recursive counterpart of Baum-Welch's sums. The statistics are the transitions i to j,
//! the visits to j, and the jobs of each bin in j: M (M + 1 + N) of them. After the first `hold` slots every slot is
//! followed by a maximisation step. The step size gamma_t = t^-a forgets the past the faster, the smaller a is; with
//! a = 1 and the parameters held, the means are exactly Baum-Welch's sums divided by t.
//!
//! A bin that has not come in the first slots has probability 0 in all states from then on: a slot that no state
//! explains is therefore learnt with a floor under the probabilities, or else such a bin would never be possible.

use crate::error::{Error, Result};
use crate::hmm::emission::log_emission_with_floor;
use crate::hmm::forward::{Explained, condition};
use crate::hmm::initial::set_static;
use crate::hmm::model::{LoadModel, Parameters, ParametersMut, Tables};
use crate::hmm::vector::{add_scaled, copy, propagate, stride, sum, weighted_rows};
use crate::hmm::{HmmCapacity, MAX_STATES};
use crate::memory::{Carver, Kind, Object, at, at_mut, range};
use crate::runtime::MAX_BINS;
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};
use core::iter::empty;

/// Options of an [`OnlineHmm`]'s learning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnlineOptions {
    /// a of the step size t^-a (above 0.5, at most 1).
    pub exponent: f64,
    /// Number of slots before the first maximisation step. They should contain every state several times: a bin that
    /// has not come by then is in no state, and all learn it alike.
    pub hold: u64,
    /// Floor with which a slot that no possible state explains is learnt, as if every state had drawn any of the N bins
    /// with this probability: B'_ij = (1 - floor) B_ij + floor / N (0 to below 1). With 0 it is not learnt from.
    pub floor: f64,
}

impl Default for OnlineOptions {
    /// a = 0.75, with which the workloads of four machines were predicted best on average (Cappe recommends
    /// 0.6); 100 slots; a floor of 1e-3.
    fn default() -> OnlineOptions {
        OnlineOptions { exponent: 0.75, hold: 100, floor: 1e-3 }
    }
}

impl OnlineOptions {
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn check(&self) -> Result<()> {
        if self.exponent.is_nan() || self.floor.is_nan() {
            return Err(Error::NotANumber);
        }
        let valid = self.exponent > 0.5 && self.exponent <= 1.0 && (0.0..1.0).contains(&self.floor);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    states: u32,
    bins: u32,
    load: u32,
    padding: u32,
    exponent: f64,
    floor: f64,
    hold: u64,
    /// Number of slots passed to [`OnlineHmm::learn`].
    slots: u64,
}

pub(crate) struct Parts<'a> {
    model: Tables<'a>,
    /// rho, a row over the present states for each statistic: transitions (i, j), visits j, jobs (j, bin).
    rho: &'a mut [f64],
    filtered: &'a mut [f64],
    predicted: &'a mut [f64],
    emission: &'a mut [f64],
    spare: &'a mut [f64],
    /// r(l | k), a row over k for each l.
    retro: &'a mut [f64],
}

/// A hidden Markov model that learns from each slot as it is finished and keeps no history.
///
/// The memory needed is [`OnlineHmm::size`]: 8 S M (M + 1 + N) bytes and little more, S = M rounded up to a multiple
/// of 8.
pub struct OnlineHmm<'a> {
    state: &'a mut State,
    parts: Parts<'a>,
}

/// Result of one slot for an [`OnlineHmm`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learnt {
    /// ln Pr(slot | slots before); minus infinity when no possible state explains it. With the floor if that was
    /// needed.
    pub log_likelihood: f64,
    /// Whether the model explained it without the floor.
    pub explained: bool,
}

impl<'a> Object<'a> for OnlineHmm<'a> {
    const KIND: Kind = Kind::OnlineHmm;
    type Head = Sealed;
    /// Numbers of states and bins.
    type Capacity = (u32, u32);
    type State = State;
    type Parts = Parts<'a>;

    fn parts(carver: &mut Carver<'a>, &(states, bins): &(u32, u32)) -> Result<Parts<'a>> {
        let (m, n) = (states as usize, bins as usize);
        if !((1..=MAX_STATES).contains(&m) && (2..=MAX_BINS).contains(&n)) {
            return Err(Error::OutOfRange);
        }
        let lanes = stride(m);
        let limits = HmmCapacity { states, bins, slots: 0, cells: 0 };
        Ok(Parts {
            model: Tables::carve(carver, &limits)?,
            rho: carver.take(m * (m + 1 + n) * lanes)?,
            filtered: carver.take(lanes)?,
            predicted: carver.take(lanes)?,
            emission: carver.take(lanes)?,
            spare: carver.take(lanes)?,
            retro: carver.take(m * lanes)?,
        })
    }

    fn capacity_in(state: &State) -> Result<(u32, u32)> {
        Ok((state.states, state.bins))
    }

    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<OnlineHmm<'a>> {
        let sound = LoadModel::from_number(state.load).is_some();
        if sound { Ok(OnlineHmm { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(OnlineHmm, checkpoint);

impl<'a> OnlineHmm<'a> {
    /// Bytes that a model with these numbers of states (1 to [`MAX_STATES`]) and bins (2 to [`MAX_BINS`]) needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(states: u32, bins: u32) -> Result<usize> {
        <OnlineHmm as Object>::size(&(states, bins))
    }

    /// Makes a model in this memory, which may be longer than needed, that starts from these parameters.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`]; as [`Parameters::check`]; [`Error::OutOfRange`],
    /// [`Error::NotANumber`] for the options.
    pub fn init(
        memory: &'a mut [u8],
        parameters: &Parameters<'_>,
        options: &OnlineOptions,
    ) -> Result<OnlineHmm<'a>> {
        options.check()?;
        let states = parameters.start.len();
        let bins = parameters.emission.len().checked_div(states).ok_or(Error::OutOfRange)?;
        parameters.check(states, bins)?;
        let mut online = OnlineHmm::empty(memory, states as u32, bins as u32, options)?;
        online.set(parameters)?;
        Ok(online)
    }

    /// Makes a model without parameters as yet.
    pub(crate) fn empty(
        memory: &'a mut [u8],
        states: u32,
        bins: u32,
        options: &OnlineOptions,
    ) -> Result<OnlineHmm<'a>> {
        let (state, parts) = OnlineHmm::create(memory, &(states, bins))?;
        *state = State {
            states,
            bins,
            exponent: options.exponent,
            floor: options.floor,
            hold: options.hold,
            ..State::zeroed()
        };
        Ok(OnlineHmm { state, parts })
    }

    /// Starts from checked parameters.
    pub(crate) fn set(&mut self, parameters: &Parameters<'_>) -> Result<()> {
        self.state.load = parameters.load as u32;
        self.parts.model.set(parameters)
    }

    /// Starts from Static-IV (Algorithm 3), with one job a slot on average.
    pub(crate) fn set_static(&mut self, load: LoadModel) -> Result<()> {
        self.state.load = load as u32;
        set_static(&mut self.parts.model, load, self.state.states as usize, 1.0)
    }

    /// Number of states.
    pub fn states(&self) -> u32 {
        self.state.states
    }

    /// Number of run-time bins.
    pub fn bins(&self) -> u32 {
        self.state.bins
    }

    /// Number of slots passed to [`OnlineHmm::learn`], those not learnt from included.
    pub fn slots(&self) -> u64 {
        self.state.slots
    }

    pub(super) fn tables(&self) -> &Tables<'a> {
        &self.parts.model
    }

    /// Model of the number of jobs in a slot.
    pub fn load(&self) -> LoadModel {
        LoadModel::from_number(self.state.load).unwrap_or_default()
    }

    /// The parameters. O(M (M + N)).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for other lengths.
    pub fn parameters(&self, out: &mut ParametersMut<'_>) -> Result<()> {
        self.parts.model.get(self.load(), self.state.states as usize, self.state.bins as usize, out)
    }

    /// The distribution of the bin of a job submitted in the next slot, one probability for each bin. O(M (M + N)).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for another number of bins.
    pub fn probabilities(&self, out: &mut [f64]) -> Result<()> {
        if out.len() != self.state.bins as usize {
            return Err(Error::OutOfRange);
        }
        let lanes = self.parts.filtered.len();
        let mut room = [0.0; MAX_STATES];
        let predicted = room.get_mut(..lanes).ok_or(Error::Corrupt)?;
        self.predict(predicted);
        for (p, column) in out.iter_mut().zip(self.parts.model.emission.chunks(lanes.max(1))) {
            *p = column.iter().zip(predicted.iter()).map(|(b, state)| b * state).sum();
        }
        Ok(())
    }

    /// The states' probabilities in the next slot.
    pub(crate) fn predict(&self, predicted: &mut [f64]) {
        if self.state.slots == 0 {
            copy(predicted, self.parts.model.start);
        } else {
            propagate(predicted, self.parts.filtered, self.parts.model.transition);
        }
    }

    /// Learns from the next slot: its finished jobs, a count for each bin. A slot that no possible state explains, and
    /// that is not to be explained with a floor, is not learnt from, and the filter goes on as if it had not been
    /// observed. O(M^3 (M + N)).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for another number of bins, or more than 2^32 - 1 jobs.
    pub fn learn(&mut self, counts: &[u32]) -> Result<Learnt> {
        let (m, bins) = (self.state.states as usize, self.state.bins as usize);
        let mut jobs = 0u32;
        for count in counts {
            jobs = jobs.checked_add(*count).ok_or(Error::OutOfRange)?;
        }
        if counts.len() != bins {
            return Err(Error::OutOfRange);
        }
        let load = self.load();
        let parts = &mut self.parts;
        let first = self.state.slots == 0;
        if first {
            copy(parts.predicted, parts.model.start);
        } else {
            propagate(parts.predicted, parts.filtered, parts.model.transition);
        }
        let mut explained = explain(parts, load, jobs, counts)?;
        let by_model = explained.is_some();
        if !by_model && self.state.floor > 0.0 {
            explained = explain_with_floor(parts, load, self.state.floor, jobs, counts)?;
        }
        if explained.is_none() {
            copy(parts.spare, parts.predicted);
        }
        self.recur(counts, first, explained.is_some())?;
        // `spare` holds the new filtered probabilities.
        let parts = &mut self.parts;
        copy(parts.filtered, parts.spare);
        self.state.slots = self.state.slots.saturating_add(1);
        if explained.is_some() && self.state.slots > self.state.hold {
            maximise(parts, load, m)?;
        }
        let log_likelihood = explained.map_or(f64::NEG_INFINITY, |explained| explained.log_likelihood);
        Ok(Learnt { log_likelihood, explained: by_model })
    }

    /// Does the recursion of the statistics, from the old filter to the new one.
    fn recur(&mut self, counts: &[u32], first: bool, explained: bool) -> Result<()> {
        let m = self.state.states as usize;
        let slots = self.state.slots.saturating_add(1) as f64;
        let gamma = if explained { libm::pow(slots, -self.state.exponent) } else { 0.0 };
        let parts = &mut self.parts;
        let lanes = parts.filtered.len().max(1);
        // r(l | k), whose denominator is the prediction of k.
        for ((row, transition), phi) in
            parts.retro.chunks_mut(lanes).zip(parts.model.transition.chunks(lanes)).zip(parts.filtered.iter())
        {
            for ((r, a), predicted) in row.iter_mut().zip(transition).zip(parts.predicted.iter()) {
                *r = if *predicted > 0.0 && !first { phi * a / predicted } else { 0.0 };
            }
        }
        for (statistic, row) in parts.rho.chunks_mut(lanes).enumerate() {
            weighted_rows(parts.emission, row, parts.retro);
            for (to, from) in row.iter_mut().zip(parts.emission.iter()) {
                *to = (1.0 - gamma) * from;
            }
            // The slot's addition, where the present state is the statistic's.
            let (kind, state) = match statistic.checked_sub(m * m) {
                None => (None, statistic.checked_rem(m).unwrap_or(0)),
                Some(rest) => (rest.checked_div(m), rest.checked_rem(m).unwrap_or(0)),
            };
            let added = match kind {
                None => {
                    let from = statistic.checked_div(m).unwrap_or(0);
                    *at(range(parts.retro, from * lanes, lanes)?, state)?
                }
                Some(0) => 1.0,
                Some(bin) => f64::from(*at(counts, bin - 1)?),
            };
            *at_mut(row, state)? += gamma * added;
        }
        Ok(())
    }
}

/// The bins that occur, with their counts.
fn cells(counts: &[u32]) -> impl Iterator<Item = (usize, u32)> {
    counts.iter().copied().enumerate().filter(|(_, count)| *count > 0)
}

/// Writes the filtered probabilities into `spare`, unless no possible state explains the slot.
fn explain(parts: &mut Parts<'_>, load: LoadModel, jobs: u32, counts: &[u32]) -> Result<Option<Explained>> {
    copy(parts.emission, parts.model.load_base);
    if load != LoadModel::None && jobs > 0 {
        add_scaled(parts.emission, f64::from(jobs), parts.model.load_slope);
    }
    for (bin, count) in cells(counts) {
        add_scaled(parts.emission, f64::from(count), parts.model.ln_emission(bin)?);
    }
    let common =
        if load == LoadModel::Poisson && jobs > 1 { -libm::lgamma(f64::from(jobs) + 1.0) } else { 0.0 };
    Ok(condition(common, parts.predicted, parts.spare, parts.emission))
}

/// [`explain`] where no job is impossible.
fn explain_with_floor(
    parts: &mut Parts<'_>,
    load: LoadModel,
    floor: f64,
    jobs: u32,
    counts: &[u32],
) -> Result<Option<Explained>> {
    let (model, emission) = (&parts.model, &mut *parts.emission);
    let common = log_emission_with_floor(model, load, floor, cells(counts), empty(), jobs, emission)?;
    Ok(condition(common, parts.predicted, parts.spare, parts.emission))
}

/// The mean of a statistic: its row of rho under the filtered probabilities.
fn mean(rho: &[f64], filtered: &[f64], scratch: &mut [f64], statistic: usize) -> Result<f64> {
    let lanes = filtered.len();
    let row = range(rho, statistic.saturating_mul(lanes), lanes)?;
    for ((product, rho), phi) in scratch.iter_mut().zip(row).zip(filtered) {
        *product = rho * phi;
    }
    Ok(sum(scratch))
}

/// Sets the parameters to those that best explain the expected statistics; pi stays.
fn maximise(parts: &mut Parts<'_>, load: LoadModel, m: usize) -> Result<()> {
    let lanes = parts.filtered.len().max(1);
    for (i, row) in parts.model.transition.chunks_mut(lanes).enumerate() {
        parts.spare.fill(0.0);
        for (j, to) in parts.spare.iter_mut().enumerate().take(m) {
            *to = mean(parts.rho, parts.filtered, parts.emission, i * m + j)?;
        }
        let total = sum(parts.spare);
        if total > 0.0 {
            for (p, expected) in row.iter_mut().zip(parts.spare.iter()).take(m) {
                *p = expected / total;
            }
        }
    }
    let bins = parts.model.emission.len().checked_div(lanes).unwrap_or(0);
    for j in 0..m {
        let visits = mean(parts.rho, parts.filtered, parts.emission, m * m + j)?;
        let mut jobs = 0.0;
        for bin in 0..bins {
            jobs += mean(parts.rho, parts.filtered, parts.emission, m * m + m * (1 + bin) + j)?;
        }
        if jobs > 0.0 {
            for bin in 0..bins {
                let expected = mean(parts.rho, parts.filtered, parts.emission, m * m + m * (1 + bin) + j)?;
                *at_mut(parts.model.emission_mut(bin)?, j)? = expected / jobs;
            }
        }
        if visits > 0.0 && load != LoadModel::None {
            *at_mut(parts.model.load, j)? = load.with_mean(jobs / visits);
        }
    }
    parts.model.derive(load)
}
