//! Single steps of the filter, for the predictor that keeps its own place in the slots.

use crate::error::Result;
use crate::hmm::emission::Evidence;
use crate::hmm::forward::Chain;
use crate::hmm::history::{EMPTY, History};
use crate::hmm::model::Tables;
use crate::hmm::vector::{copy, stride, sum};
use crate::hmm::{Hmm, LoadModel, OnlineHmm};

/// Explanation of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Explanation {
    /// Explained by the model.
    Model,
    /// Explained only with a floor under its probabilities.
    Floor,
    /// Not explained at all.
    None,
}

/// The model that a step uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    InUse,
    Draft,
}

impl<'a> Hmm<'a> {
    pub(crate) fn history(&self) -> &History<'a> {
        &self.parts.history
    }

    pub(crate) fn history_mut(&mut self) -> &mut History<'a> {
        &mut self.parts.history
    }

    /// The length of a vector over the states.
    pub(crate) fn lanes(&self) -> usize {
        stride(self.states())
    }

    fn tables(&self, which: Which) -> (&Tables<'a>, LoadModel) {
        match which {
            Which::InUse => (&self.parts.model, self.load()),
            Which::Draft => (&self.parts.draft, self.draft_load()),
        }
    }

    /// The prediction for a first slot.
    pub(crate) fn start(&self, which: Which) -> &[f64] {
        self.tables(which).0.start
    }

    /// Whether there are parameters.
    pub(crate) fn is_ready(&self) -> bool {
        self.state.ready != 0
    }

    /// Filters one slot (empty unless it is held), in which jobs still run that cannot end in bins below `at_least`:
    /// from the prediction for it to the filtered probabilities; `emission` is scratch. A slot that no possible state
    /// explains is filtered with the floor, if that is not 0; if its load is impossible even then, the filtered
    /// probabilities are the prediction.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn filter_slot(
        &self,
        which: Which,
        slot: i64,
        floor: f64,
        at_least: impl Iterator<Item = usize> + Clone,
        predicted: &[f64],
        filtered: &mut [f64],
        emission: &mut [f64],
    ) -> Result<Explanation> {
        let (tables, load) = self.tables(which);
        let chain = Chain { tables, load, history: &self.parts.history };
        let slot = if self.slots().contains(&slot) { self.parts.history.slot(slot)? } else { &EMPTY };
        let all = at_least.clone();
        if chain.filter(slot, Evidence::Jobs, all, predicted, filtered, emission)?.is_some() {
            return Ok(Explanation::Model);
        }
        if floor == 0.0 {
            return Ok(Explanation::None);
        }
        if chain.filter_with_floor(slot, floor, at_least, predicted, filtered, emission)?.is_none() {
            copy(filtered, predicted);
        }
        Ok(Explanation::Floor)
    }

    /// Writes the prediction for the next slot from a slot's filtered probabilities.
    pub(crate) fn predict_slot(&self, which: Which, filtered: &[f64], predicted: &mut [f64]) {
        let (tables, load) = self.tables(which);
        Chain { tables, load, history: &self.parts.history }.predict(filtered, predicted);
    }

    /// Takes the model learnt on line as the model in use. Returns the sum of the absolute changes of A and B, and the
    /// largest.
    pub(crate) fn take_from(&mut self, online: &OnlineHmm<'_>) -> (f64, f64) {
        let (old, new) = (&mut self.parts.model, online.tables());
        let (mut l1, mut l_infinity) = (0.0, 0.0f64);
        let transitions = old.transition.iter().zip(new.transition.iter());
        for (old, new) in transitions.chain(old.emission.iter().zip(new.emission.iter())) {
            let change = libm::fabs(new - old);
            l1 += change;
            l_infinity = l_infinity.max(change);
        }
        old.copy_from(new);
        self.state.load = online.load() as u32;
        self.state.ready = 1;
        (l1, l_infinity)
    }

    /// The distribution of a job's bin under these state probabilities: sum over i of p_i B_ij. `scratch` is as long as
    /// a vector over the states.
    pub(crate) fn mixture(&self, states: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        let columns = self.parts.model.emission.chunks(self.lanes().max(1));
        for (p, column) in out.iter_mut().zip(columns) {
            for ((product, b), state) in scratch.iter_mut().zip(column).zip(states) {
                *product = b * state;
            }
            *p = sum(scratch);
        }
    }
}
