//! The forward filter with scaling (Rabiner 1989, section V.A): Pr(q_t = i | O_1..t), one slot after the other.
//!
//! The state handed from slot to slot is the prediction Pr(q_t = i | O_1..t-1), pi for the first slot. A slot's
//! emissions enter after their maximum, over the states still possible, has been subtracted from the logarithms:
//! something is then left of at least one state, however unlikely the slot.

use crate::error::{Error, Result};
use crate::hmm::LoadModel;
use crate::hmm::emission::{Evidence, log_emission, log_emission_with_floor};
use crate::hmm::history::{History, Slot};
use crate::hmm::model::Tables;
use crate::hmm::vector::{propagate, sum};

/// Result of filtering one slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Explained {
    /// The sum of prediction x scaled emission, by which the filtered probabilities were divided.
    pub scale: f64,
    /// ln Pr(O_t | O_1..t-1).
    pub log_likelihood: f64,
}

/// A model, and observations to be explained by it.
pub(super) struct Chain<'m, 'a> {
    pub tables: &'m Tables<'a>,
    pub load: LoadModel,
    pub history: &'m History<'a>,
}

impl Chain<'_, '_> {
    /// Filters one slot: `predicted` in; the filtered probabilities and the scaled emissions (0 where `predicted` is 0)
    /// out. `None` when no possible state explains the slot; the outputs are then without meaning.
    #[inline]
    pub fn filter(
        &self,
        slot: &Slot,
        evidence: Evidence,
        at_least: impl Iterator<Item = usize> + Clone,
        predicted: &[f64],
        filtered: &mut [f64],
        emission: &mut [f64],
    ) -> Result<Option<Explained>> {
        let common = log_emission(self.tables, self.load, evidence, self.history, slot, at_least, emission)?;
        Ok(condition(common, predicted, filtered, emission))
    }

    /// [`Chain::filter`] where no job is impossible, by [`log_emission_with_floor`]. `None` only if the load is.
    pub fn filter_with_floor(
        &self,
        slot: &Slot,
        floor: f64,
        at_least: impl Iterator<Item = usize> + Clone,
        predicted: &[f64],
        filtered: &mut [f64],
        emission: &mut [f64],
    ) -> Result<Option<Explained>> {
        let cells = self.history.cells(slot);
        let common =
            log_emission_with_floor(self.tables, self.load, floor, cells, at_least, slot.jobs, emission)?;
        Ok(condition(common, predicted, filtered, emission))
    }

    /// The prediction for the slot after the one with these filtered probabilities.
    pub fn predict(&self, filtered: &[f64], predicted: &mut [f64]) {
        propagate(predicted, filtered, self.tables.transition);
    }

    /// Filters the slots `from..to`, all held, starting with and ending with the prediction in `predicted`. Returns the
    /// log-likelihood: minus infinity when a slot is not explained, and then `predicted` is without meaning.
    pub fn run(
        &self,
        from: i64,
        to: i64,
        evidence: Evidence,
        predicted: &mut [f64],
        filtered: &mut [f64],
        emission: &mut [f64],
    ) -> Result<f64> {
        let mut total = 0.0;
        for slot in from..to {
            let slot = self.history.slot(slot)?;
            let Some(explained) =
                self.filter(slot, evidence, core::iter::empty(), predicted, filtered, emission)?
            else {
                return Ok(f64::NEG_INFINITY);
            };
            total += explained.log_likelihood;
            self.predict(filtered, predicted);
        }
        Ok(total)
    }
}

/// Writes the filtered probabilities from the prediction and ln Pr(slot | state) less `common`; the emissions become
/// their exponentials, scaled. `None` when no possible state explains the slot.
#[inline]
pub(super) fn condition(
    common: f64,
    predicted: &[f64],
    filtered: &mut [f64],
    emission: &mut [f64],
) -> Option<Explained> {
    let mut most = f64::NEG_INFINITY;
    for (p, ln) in predicted.iter().zip(emission.iter()) {
        if *p > 0.0 && *ln > most {
            most = *ln;
        }
    }
    if most == f64::NEG_INFINITY {
        return None;
    }
    for ((p, e), alpha) in predicted.iter().zip(emission.iter_mut()).zip(filtered.iter_mut()) {
        *e = if *p == 0.0 {
            0.0
        } else if *e == most {
            1.0
        } else {
            libm::exp(*e - most)
        };
        *alpha = p * *e;
    }
    let scale = sum(filtered);
    for alpha in filtered.iter_mut() {
        *alpha /= scale;
    }
    Some(Explained { scale, log_likelihood: libm::log(scale) + most + common })
}

/// Refuses slots that are not held.
pub(super) fn check_slots(history: &History<'_>, slots: &core::ops::Range<i64>) -> Result<()> {
    let ledger = history.ledger()?;
    let held = slots.start >= ledger.first && slots.end <= ledger.end && slots.start < slots.end;
    if held { Ok(()) } else { Err(Error::OutOfRange) }
}
