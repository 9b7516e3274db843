//! The expectation step of Baum-Welch over a range of slots, in slices (Rabiner 1989, sections III and V.A).
//!
//! With filtered probabilities alpha_t, scaled emissions b_t and their scales s_t, the backward probabilities are
//!
//! ```text
//! u_t(j) = b_t(j) beta_t(j) / s_t,    beta_t-1(i) = sum_j A_ij u_t(j),    beta of the last slot = 1
//! ```
//!
//! and then Pr(q_t = i | O) = gamma_t(i) = alpha_t(i) beta_t(i) and Pr(q_t-1 = i, q_t = j | O) = alpha_t-1(i) A_ij
//! u_t(j).
//!
//! To keep alpha for T slots would need T x states numbers. Here a first pass keeps the prediction at the start of each
//! block of about sqrt(T) slots; then, from the last block to the first, a block's alphas are computed again and the
//! backward pass goes through it. Memory O(sqrt(T) states), three visits to each slot instead of two. The whole state
//! of a round is in the caller's block, so it may stop after any visit.

use crate::error::{Error, Result};
use crate::hmm::HmmCapacity;
use crate::hmm::LoadModel;
use crate::hmm::emission::Evidence;
use crate::hmm::forward::Chain;
use crate::hmm::history::{History, Slot};
use crate::hmm::model::Tables;
use crate::hmm::vector::{add_outer, add_scaled, copy, stride, weighted_rows};
use crate::memory::{Carver, at, at_mut, range, range_mut};
use bytemuck::{Pod, Zeroable};
use core::iter::empty;

/// Phase with nothing under way.
pub(super) const IDLE: u32 = 0;
/// Phase forward through all slots, keeping the prediction at each block's start.
pub(super) const FORWARD: u32 = 1;
/// Phase forward through one block, keeping everything.
pub(super) const AGAIN: u32 = 2;
/// Phase backward through that block.
pub(super) const BACKWARD: u32 = 3;
/// Phase assigning slots to clusters (k-means).
pub(super) const CLUSTER: u32 = 4;

/// Progress of an expectation step.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Progress {
    /// The slots are `from..to`.
    pub from: i64,
    pub to: i64,
    /// The next slot to visit.
    pub position: i64,
    /// The first slot of the block at hand.
    pub block: i64,
    /// Log-likelihood of the slots visited by the forward pass.
    pub log_likelihood: f64,
    pub phase: u32,
    /// Number of slots that no state explained, in this forward pass and in this round.
    pub adapted: u32,
    pub adapted_in_round: u32,
    /// k-means: number of clusters so far, whether this pass splits them, whether it moved a slot, and number of passes
    /// with this number of clusters.
    pub clusters: u32,
    pub splitting: u32,
    pub moved: u32,
    pub passes: u32,
    /// The load model in training.
    pub load: u32,
    /// Number of complete rounds.
    pub rounds: u64,
    /// Number of jobs in the slots.
    pub jobs: u64,
}

impl Progress {
    /// Whether the progress is valid, with these slots held.
    pub fn is_sound(&self, first: i64, end: i64) -> bool {
        self.phase == IDLE
            || (self.phase <= CLUSTER
                && first <= self.from
                && self.from <= self.block
                && self.block <= self.position
                && self.position < self.to
                && self.to <= end)
    }
}

/// Scratch, and sums over slots.
pub(super) struct Sums<'a> {
    /// Predictions at the starts of blocks.
    pub checkpoints: &'a mut [f64],
    /// alpha_t, b_t and s_t of the slots of one block.
    pub filtered: &'a mut [f64],
    pub emissions: &'a mut [f64],
    pub scales: &'a mut [f64],
    /// The prediction for the next slot of a forward pass.
    pub predicted: &'a mut [f64],
    /// u_t of the backward pass.
    pub backward: &'a mut [f64],
    /// beta_t, then gamma_t.
    pub gamma: &'a mut [f64],
    /// Sum over t of alpha_t-1(i) u_t(j): times A_ij, the expected transitions.
    pub transitions: &'a mut [f64],
    /// Sum over t of gamma_t(i) x_jt: expected jobs of bin j, a row for each bin.
    pub jobs: &'a mut [f64],
    /// Sum over t of gamma_t(i).
    pub visits: &'a mut [f64],
}

/// Number of slots in a block.
pub(super) fn block_length(limits: &HmmCapacity) -> usize {
    limits.slots.isqrt() as usize + 1
}

impl<'a> Sums<'a> {
    pub fn carve(carver: &mut Carver<'a>, limits: &HmmCapacity) -> Result<Sums<'a>> {
        let (states, bins) = (limits.states as usize, limits.bins as usize);
        let lanes = stride(states);
        let length = block_length(limits);
        let blocks = limits.slots as usize / length.max(1) + 1;
        Ok(Sums {
            checkpoints: carver.take(blocks * lanes)?,
            filtered: carver.take(length * lanes)?,
            emissions: carver.take(length * lanes)?,
            scales: carver.take(length)?,
            predicted: carver.take(lanes)?,
            backward: carver.take(lanes)?,
            gamma: carver.take(lanes)?,
            transitions: carver.take(states * lanes)?,
            jobs: carver.take(bins * lanes)?,
            visits: carver.take(lanes)?,
        })
    }

    fn forget(&mut self) {
        self.transitions.fill(0.0);
        self.jobs.fill(0.0);
        self.visits.fill(0.0);
    }
}

/// An expectation step under way.
pub(super) struct Expectation<'m, 'a> {
    pub progress: &'m mut Progress,
    pub sums: &'m mut Sums<'a>,
    pub tables: &'m mut Tables<'a>,
    pub history: &'m History<'a>,
    pub load: LoadModel,
    /// Whether the model is bent where it does not explain a slot.
    pub adapting: bool,
}

/// End of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slice {
    More,
    /// The sums are complete; `gamma` is the first slot's.
    Complete,
    /// No state explains a slot, and the model was not to be bent.
    Unexplained,
}

impl Expectation<'_, '_> {
    /// Begins with the first slot.
    pub fn begin(&mut self) {
        let Progress { from, .. } = *self.progress;
        (self.progress.phase, self.progress.position, self.progress.block) = (FORWARD, from, from);
        (self.progress.log_likelihood, self.progress.adapted) = (0.0, 0);
        copy(self.sums.predicted, self.tables.start);
        self.sums.forget();
    }

    /// Visits slots until everything is summed up or the work is used up. `visit` is called with each slot's gamma,
    /// from the last slot to the first.
    pub fn advance(&mut self, work: &mut u64, visit: &mut impl FnMut(i64, &[f64])) -> Result<Slice> {
        while *work > 0 {
            *work -= 1;
            match self.progress.phase {
                FORWARD => {
                    if !self.forward()? {
                        return Ok(Slice::Unexplained);
                    }
                }
                AGAIN => self.again()?,
                BACKWARD => {
                    if self.backward(visit)? {
                        return Ok(Slice::Complete);
                    }
                }
                _ => return Err(Error::Corrupt),
            }
        }
        Ok(Slice::More)
    }

    /// Number of slots in a block.
    fn length(&self) -> i64 {
        self.sums.scales.len().max(1) as i64
    }

    /// Index of the vectors of a slot in the block at hand.
    fn offset(&self) -> Result<usize> {
        usize::try_from(self.progress.position - self.progress.block).map_err(|_| Error::Corrupt)
    }

    fn forward(&mut self) -> Result<bool> {
        let lanes = self.tables.stride();
        let position = self.progress.position;
        if position - self.progress.block >= self.length() {
            self.progress.block = position;
        }
        if position == self.progress.block {
            let block = (position - self.progress.from).checked_div(self.length()).ok_or(Error::Corrupt)?;
            let start = usize::try_from(block).map_err(|_| Error::Corrupt)?.saturating_mul(lanes);
            copy(range_mut(self.sums.checkpoints, start, lanes)?, self.sums.predicted);
        }
        let slot = *self.history.slot(position)?;
        let mut explained = self.filter_first(&slot)?;
        if explained.is_none() && self.adapting {
            self.adapt(&slot)?;
            explained = self.filter_first(&slot)?;
            if explained.is_none() {
                return Err(Error::Corrupt);
            }
        }
        let Some(log_likelihood) = explained else { return Ok(false) };
        self.progress.log_likelihood += log_likelihood;
        self.progress.position += 1;
        if self.progress.position >= self.progress.to {
            if self.progress.adapted > 0 {
                // Begins anew with the model that now explains every slot.
                self.begin();
            } else {
                self.enter(self.progress.block)?;
            }
        }
        Ok(true)
    }

    /// One step of the forward pass, in the first place of the block's vectors.
    fn filter_first(&mut self, slot: &Slot) -> Result<Option<f64>> {
        let lanes = self.tables.stride();
        let chain = Chain { tables: self.tables, load: self.load, history: self.history };
        let filtered = range_mut(self.sums.filtered, 0, lanes)?;
        let emission = range_mut(self.sums.emissions, 0, lanes)?;
        let explained =
            chain.filter(slot, Evidence::Jobs, empty(), self.sums.predicted, filtered, emission)?;
        let Some(explained) = explained else { return Ok(None) };
        chain.predict(filtered, self.sums.predicted);
        Ok(Some(explained.log_likelihood))
    }

    /// Starts the block that begins with this slot.
    fn enter(&mut self, block: i64) -> Result<()> {
        let lanes = self.tables.stride();
        let index = (block - self.progress.from).checked_div(self.length()).ok_or(Error::Corrupt)?;
        let start = usize::try_from(index).map_err(|_| Error::Corrupt)?.saturating_mul(lanes);
        copy(self.sums.predicted, range(self.sums.checkpoints, start, lanes)?);
        (self.progress.phase, self.progress.block, self.progress.position) = (AGAIN, block, block);
        Ok(())
    }

    fn again(&mut self) -> Result<()> {
        let (lanes, offset) = (self.tables.stride(), self.offset()?);
        let chain = Chain { tables: self.tables, load: self.load, history: self.history };
        let filtered = range_mut(self.sums.filtered, offset.saturating_mul(lanes), lanes)?;
        let emission = range_mut(self.sums.emissions, offset.saturating_mul(lanes), lanes)?;
        let slot = self.history.slot(self.progress.position)?;
        let explained =
            chain.filter(slot, Evidence::Jobs, empty(), self.sums.predicted, filtered, emission)?;
        *at_mut(self.sums.scales, offset)? = explained.ok_or(Error::Corrupt)?.scale;
        chain.predict(filtered, self.sums.predicted);
        let next = self.progress.position + 1;
        if next >= self.progress.to || next - self.progress.block >= self.length() {
            self.progress.phase = BACKWARD;
        } else {
            self.progress.position = next;
        }
        Ok(())
    }

    /// One step of the backward pass. Returns whether that was the first slot.
    fn backward(&mut self, visit: &mut impl FnMut(i64, &[f64])) -> Result<bool> {
        let (lanes, offset, position) = (self.tables.stride(), self.offset()?, self.progress.position);
        let filtered = range(self.sums.filtered, offset.saturating_mul(lanes), lanes)?;
        let emission = range(self.sums.emissions, offset.saturating_mul(lanes), lanes)?;
        let scale = *at(self.sums.scales, offset)?;
        let gamma = &mut *self.sums.gamma;
        if position + 1 == self.progress.to {
            gamma.fill(1.0);
        } else {
            add_outer(self.sums.transitions, filtered, self.sums.backward);
            weighted_rows(gamma, self.sums.backward, self.tables.transposed);
        }
        for ((u, b), beta) in self.sums.backward.iter_mut().zip(emission).zip(gamma.iter()) {
            *u = b * beta / scale;
        }
        for (gamma, alpha) in gamma.iter_mut().zip(filtered) {
            *gamma *= alpha;
        }
        add_scaled(self.sums.visits, 1.0, gamma);
        for (bin, count) in self.history.cells(self.history.slot(position)?) {
            let row = range_mut(self.sums.jobs, bin.saturating_mul(lanes), lanes)?;
            add_scaled(row, f64::from(count), gamma);
        }
        visit(position, gamma);
        if position > self.progress.block {
            self.progress.position -= 1;
        } else if position > self.progress.from {
            self.enter(position - self.length())?;
        } else {
            return Ok(true);
        }
        Ok(false)
    }

    /// Bends the model so that every state explains a slot: B_ij = (1 - w) B_ij + w p(j | t), with w the slot's share
    /// of all jobs and p(j | t) the share of bin j in it (Nissimov 2006, section 3.2). The mean of a load model, which
    /// the thesis does not mention, moves in the same way towards the slot's load.
    fn adapt(&mut self, slot: &Slot) -> Result<()> {
        let weight = f64::from(slot.jobs) / (self.progress.jobs.max(1) as f64);
        let jobs = f64::from(slot.jobs.max(1));
        let states = self.tables.transition.len().checked_div(self.tables.stride()).unwrap_or(0);
        for p in &mut *self.tables.emission {
            *p *= 1.0 - weight;
        }
        for (bin, count) in self.history.cells(slot) {
            for p in self.tables.emission_mut(bin)?.iter_mut().take(states) {
                *p += weight * (f64::from(count) / jobs);
            }
        }
        for parameter in self.tables.load.iter_mut().take(states) {
            let mean = self.load.mean(*parameter);
            *parameter = self.load.with_mean((1.0 - weight) * mean + weight * f64::from(slot.jobs));
        }
        self.progress.adapted = self.progress.adapted.saturating_add(1);
        self.progress.adapted_in_round = self.progress.adapted_in_round.saturating_add(1);
        self.tables.derive(self.load)
    }
}

/// Number of finished jobs in a range of slots.
pub(super) fn jobs_in(history: &History<'_>, from: i64, to: i64) -> Result<u64> {
    let ledger = history.ledger()?;
    if from <= ledger.first && to >= ledger.end {
        return Ok(ledger.jobs);
    }
    let mut jobs = 0u64;
    for slot in from.max(ledger.first)..to.min(ledger.end) {
        jobs += u64::from(history.slot(slot)?.jobs);
    }
    Ok(jobs)
}
