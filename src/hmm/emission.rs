//! How well each state explains a slot: Pr(O_t | i) = Pr(l_t | i) prod_j B_ij^x_jt (Nissimov 2006, section 3.1), as logarithms.
//!
//! A slot of a thousand jobs has a product far below the smallest number, so everything is a sum of logarithms here. What is
//! the same in all states (the l! of the Poisson distribution) is kept apart. An empty slot without a load model has
//! emission 1. As in the thesis there is no multinomial coefficient: the order of a slot's jobs counts as observed.

use crate::error::Result;
use crate::hmm::LoadModel;
use crate::hmm::history::{History, Slot};
use crate::hmm::model::Tables;
use crate::hmm::vector::{add_scaled, copy};

/// Which part of the observations a probability is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evidence {
    /// Run times, together with the number of jobs if the model has a load model: Pr(R) or Pr(R, L).
    #[default]
    Jobs,
    /// The number of jobs in each slot alone: Pr(L). Without a load model that is certain.
    LoadOnly,
}

/// Writes the load's part over `out` and returns what is common to all states.
fn load_emission(tables: &Tables<'_>, load: LoadModel, jobs: u32, out: &mut [f64]) -> f64 {
    copy(out, tables.load_base);
    if jobs > 0 && load != LoadModel::None {
        add_scaled(out, f64::from(jobs), tables.load_slope);
    }
    // ln 0! = ln 1! = 0
    if load == LoadModel::Poisson && jobs > 1 { -libm::lgamma(f64::from(jobs) + 1.0) } else { 0.0 }
}

/// Writes ln Pr(slot | state) over `out` for each state, but for a common summand, which is returned. `at_least` are the
/// lowest bins still possible for jobs of the slot that still run; they count as jobs. O(states (cells + running jobs)).
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
