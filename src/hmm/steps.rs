//! Single steps of the filter, for the predictor that keeps its own place in the slots.

use crate::error::Result;
use crate::hmm::emission::Evidence;
use crate::hmm::forward::Chain;
use crate::hmm::history::History;
use crate::hmm::model::Tables;
use crate::hmm::vector::{stride, sum};
use crate::hmm::{Hmm, LoadModel};

/// Which of the two models.
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

    /// Filters one slot, in which jobs still run that cannot end in bins below `at_least`. From the prediction for it to the
    /// filtered probabilities; `emission` is scratch. Whether the model explains it.
    pub(crate) fn filter_slot(
        &self,
        which: Which,
        slot: i64,
        at_least: impl Iterator<Item = usize> + Clone,
        predicted: &[f64],
        filtered: &mut [f64],
        emission: &mut [f64],
    ) -> Result<bool> {
        let (tables, load) = self.tables(which);
        let chain = Chain { tables, load, history: &self.parts.history };
        let slot = self.parts.history.slot(slot)?;
        Ok(chain.filter(slot, Evidence::Jobs, at_least, predicted, filtered, emission)?.is_some())
    }

    /// From a slot's filtered probabilities to the prediction for the next.
    pub(crate) fn predict_slot(&self, which: Which, filtered: &[f64], predicted: &mut [f64]) {
        let (tables, load) = self.tables(which);
        Chain { tables, load, history: &self.parts.history }.predict(filtered, predicted);
    }

    /// The distribution of a job's bin under these state probabilities: sum over i of p_i B_ij. `scratch` is as long as a
    /// vector over the states.
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
