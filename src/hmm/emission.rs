//! The emission probabilities of the states for a slot: Pr(O_t | i) = Pr(l_t | i) prod_j B_ij^x_jt (Nissimov 2006,
//! section 3.1), as logarithms.
//!
//! A slot of a thousand jobs has a product far below the smallest number, so everything is a sum of logarithms here. A
//! factor common to all states (the l! of the Poisson distribution) is kept apart. An empty slot without a load model
//! has emission 1. As in the thesis there is no multinomial coefficient: the order of a slot's jobs counts as observed.

use crate::error::Result;
use crate::hmm::LoadModel;
use crate::hmm::history::{History, Slot};
use crate::hmm::model::Tables;
use crate::hmm::vector::{add_scaled, copy};
use crate::memory::range;

/// Part of the observations that a probability is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evidence {
    /// Run times, together with the number of jobs if the model has a load model: Pr(R) or Pr(R, L).
    #[default]
    Jobs,
    /// The number of jobs in each slot alone: Pr(L). Without a load model that is certain.
    LoadOnly,
}

/// Writes the load's part over `out` and returns the summand common to all states.
fn load_emission(tables: &Tables<'_>, load: LoadModel, jobs: u32, out: &mut [f64]) -> f64 {
    copy(out, tables.load_base);
    if jobs > 0 && load != LoadModel::None {
        add_scaled(out, f64::from(jobs), tables.load_slope);
    }
    // ln 0! = ln 1! = 0
    if load == LoadModel::Poisson && jobs > 1 { -libm::lgamma(f64::from(jobs) + 1.0) } else { 0.0 }
}

/// Writes ln Pr(slot | state) over `out` for each state, less a common summand, which is returned. `at_least` are the
/// lowest bins still possible for jobs of the slot that still run; they count as jobs. O(states (cells + running
/// jobs)).
#[inline]
pub(super) fn log_emission(
    tables: &Tables<'_>,
    load: LoadModel,
    evidence: Evidence,
    history: &History<'_>,
    slot: &Slot,
    at_least: impl Iterator<Item = usize> + Clone,
    out: &mut [f64],
) -> Result<f64> {
    let mut jobs = slot.jobs;
    if load != LoadModel::None {
        jobs = jobs.saturating_add(at_least.clone().count() as u32);
    }
    let common = load_emission(tables, load, jobs, out);
    if evidence == Evidence::Jobs {
        for (bin, count) in history.cells(slot) {
            add_scaled(out, f64::from(count), tables.ln_emission(bin)?);
        }
        for bin in at_least {
            add_scaled(out, 1.0, tables.ln_at_least(bin)?);
        }
    }
    Ok(common)
}

/// [`log_emission`] of jobs and load if every state had, with probability `floor`, drawn any of the N bins alike:
///
/// ```text
/// B'_ij = (1 - floor) B_ij + floor / N
/// ```
///
/// So no job is impossible in any state. Slow: two logarithms a state and cell, where `log_emission` has none.
pub(super) fn log_emission_with_floor(
    tables: &Tables<'_>,
    load: LoadModel,
    floor: f64,
    cells: impl Iterator<Item = (usize, u32)>,
    at_least: impl Iterator<Item = usize> + Clone,
    jobs: u32,
    out: &mut [f64],
) -> Result<f64> {
    let lanes = tables.stride();
    let bins = tables.emission.len().checked_div(lanes).unwrap_or(0).max(1);
    let share = floor / bins as f64;
    let running = at_least.clone().count() as u32;
    let common = load_emission(tables, load, jobs.saturating_add(running), out);
    for (bin, count) in cells {
        let column = range(tables.emission, bin.saturating_mul(lanes), lanes)?;
        for (out, p) in out.iter_mut().zip(column) {
            *out += f64::from(count) * libm::log((1.0 - floor) * p + share);
        }
    }
    for bin in at_least {
        let left = bins.saturating_sub(bin) as f64;
        for (out, ln) in out.iter_mut().zip(tables.ln_at_least(bin)?) {
            *out += libm::log((1.0 - floor) * libm::exp(*ln) + share * left);
        }
    }
    Ok(common)
}
