//! The most likely sequence of states (Rabiner 1989, section III.B), in logarithms.
//!
//! The first pass, as in `expectation`, keeps only the values at the start of each block of about sqrt(T) slots; a
//! block's back-pointers are found again on the way back. Among equally likely predecessors the one with the lowest
//! number is taken.

use crate::error::{Error, Result};
use crate::hmm::MAX_STATES;
use crate::hmm::emission::{Evidence, log_emission};
use crate::hmm::expectation::Sums;
use crate::hmm::forward::Chain;
use crate::hmm::vector::copy;
use crate::memory::{at, range, range_mut};
use core::iter::empty;

/// Scratch of a search.
struct Search<'s> {
    /// ln A_ij, a row for each state i.
    ln_transition: &'s mut [f64],
    /// At the start of each block: the best ln Pr(states and observations before the slot, its state).
    checkpoints: &'s mut [f64],
    /// The best logarithms for the next slot, before its own observation.
    value: &'s mut [f64],
    /// The best logarithms with the slot's own observation.
    best: &'s mut [f64],
    emission: &'s mut [f64],
}

impl Search<'_> {
    /// Adds a slot's observation and goes on to the next slot; `back` is called with each state and its best
    /// predecessor.
    fn step(&mut self, chain: &Chain<'_, '_>, slot: i64, mut back: impl FnMut(usize, u8)) -> Result<()> {
        let slot = chain.history.slot(slot)?;
        let common = log_emission(
            chain.tables,
            chain.load,
            Evidence::Jobs,
            chain.history,
            slot,
            empty(),
            self.emission,
        )?;
        for ((best, value), emission) in self.best.iter_mut().zip(self.value.iter()).zip(self.emission.iter())
        {
            *best = value + (emission + common);
        }
        let mut from = [0u8; MAX_STATES];
        self.value.fill(f64::NEG_INFINITY);
        let lanes = self.value.len().max(1);
        for (state, (best, row)) in self.best.iter().zip(self.ln_transition.chunks_exact(lanes)).enumerate() {
            for ((value, from), ln) in self.value.iter_mut().zip(&mut from).zip(row) {
                let candidate = best + ln;
                if candidate > *value {
                    (*value, *from) = (candidate, state as u8);
                }
            }
        }
        for (state, from) in from.iter().enumerate().take(lanes) {
            back(state, *from);
        }
        Ok(())
    }
}

/// Writes the most likely states of the slots from `from` on into `path`. Returns ln Pr(path and observations); when
/// that is minus infinity, `path` is not written.
pub(super) fn viterbi(
    chain: &Chain<'_, '_>,
    sums: &mut Sums<'_>,
    from: i64,
    path: &mut [i32],
) -> Result<f64> {
    let lanes = chain.tables.stride();
    let length = sums.scales.len().max(1);
    let states = chain.tables.transition.len().checked_div(lanes).unwrap_or(0);
    for (ln, p) in sums.transitions.iter_mut().zip(chain.tables.transition.iter()) {
        *ln = libm::log(*p);
    }
    let pointers: &mut [u8] = bytemuck::try_cast_slice_mut(sums.filtered).map_err(|_| Error::Corrupt)?;
    let mut search = Search {
        ln_transition: sums.transitions,
        checkpoints: sums.checkpoints,
        value: sums.predicted,
        best: sums.backward,
        emission: sums.gamma,
    };
    for (value, p) in search.value.iter_mut().zip(chain.tables.start.iter()) {
        *value = libm::log(*p);
    }
    let slots = path.len();
    for offset in 0..slots {
        if offset.checked_rem(length) == Some(0) {
            let block = offset.checked_div(length).unwrap_or(0).saturating_mul(lanes);
            copy(range_mut(search.checkpoints, block, lanes)?, search.value);
        }
        search.step(chain, from.saturating_add(offset as i64), |_, _| ())?;
    }
    let (mut state, mut most) = (0u8, f64::NEG_INFINITY);
    for (i, best) in search.best.iter().enumerate().take(states) {
        if *best > most {
            (state, most) = (i as u8, *best);
        }
    }
    if most == f64::NEG_INFINITY {
        return Ok(most);
    }
    for (block, part) in path.chunks_mut(length).enumerate().rev() {
        let start = block.saturating_mul(length);
        copy(search.value, range(search.checkpoints, block.saturating_mul(lanes), lanes)?);
        for offset in 0..part.len() {
            let row = range_mut(pointers, offset.saturating_mul(lanes), lanes)?;
            search.step(chain, from.saturating_add((start + offset) as i64), |state, back| {
                if let Some(pointer) = row.get_mut(state) {
                    *pointer = back;
                }
            })?;
        }
        // `state` is that of the block's last slot if this is the last block, else of the slot behind it.
        for (offset, step) in part.iter_mut().enumerate().rev() {
            if start + offset + 1 < slots {
                let row = range(pointers, offset.saturating_mul(lanes), lanes)?;
                state = *at(row, usize::from(state))?;
            }
            *step = i32::from(state);
        }
    }
    Ok(most)
}
