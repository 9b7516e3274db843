//! Training a model in slices of bounded work: Baum-Welch over the slots held, from its own parameters or from initial
//! values (Nissimov 2006, sections 3.2 and 3.4).

use crate::error::{Error, Result};
use crate::hmm::expectation::{CLUSTER, Expectation, IDLE, Progress, Slice, jobs_in};
use crate::hmm::forward::check_slots;
use crate::hmm::initial::{Clustering, Initial, check_k_means, set_static};
use crate::hmm::model::LoadModel;
use crate::hmm::object::Hmm;
use crate::hmm::train::{Round, maximise};
use bytemuck::Zeroable;
use core::ops::Range;

/// Progress of [`Hmm::train`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Training {
    /// The work is used up in the middle of a round.
    More,
    /// A round is complete and its parameters are in use.
    Round(Round),
}

impl<'a> Hmm<'a> {
    /// Sets the parameters by k-means over these slots (Algorithm 4). Training under way is given up. O(M slots) a
    /// pass, and a few dozen passes for every doubling of the number of clusters.
    ///
    /// # Errors
    /// As [`Hmm::begin_training_from`].
    pub fn init_k_means(&mut self, load: LoadModel, slots: Range<i64>) -> Result<()> {
        self.begin_training_from(Initial::KMeans, load, slots)?;
        let mut work = u64::MAX;
        if !self.clustering().advance(&mut work)? {
            return Err(Error::Corrupt);
        }
        self.publish();
        self.end_training();
        Ok(())
    }

    /// Begins training on these slots, with the present parameters. Training under way is given up. O(slots).
    ///
    /// # Errors
    /// As [`Hmm::log_likelihood`].
    pub fn begin_training(&mut self, slots: Range<i64>) -> Result<()> {
        self.check_range(&slots)?;
        self.state.progress = self.plan(slots, self.load())?;
        self.parts.draft.copy_from(&self.parts.model);
        self.expectation().begin();
        Ok(())
    }

    /// Begins training on these slots from these initial values; k-means is part of the work that [`Hmm::train`] does
    /// in slices. The model in use stays until a round is complete. Training under way is given up. O(slots).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for slots not held, or none; for k-means also when the number of states is not a power of
    /// two, and [`Error::Empty`] when there is no job.
    pub fn begin_training_from(
        &mut self,
        initial: Initial,
        load: LoadModel,
        slots: Range<i64>,
    ) -> Result<()> {
        check_slots(&self.parts.history, &slots)?;
        let count = (slots.end - slots.start) as f64;
        let progress = self.plan(slots, load)?;
        if initial == Initial::KMeans {
            check_k_means(self.states(), progress.jobs)?;
            self.state.progress = progress;
            return self.clustering().begin();
        }
        self.state.progress = progress;
        let (states, jobs) = (self.states(), progress.jobs as f64);
        set_static(&mut self.parts.draft, load, states, if jobs > 0.0 { jobs / count } else { 1.0 })?;
        self.expectation().begin();
        Ok(())
    }

    fn plan(&self, slots: Range<i64>, load: LoadModel) -> Result<Progress> {
        let jobs = jobs_in(&self.parts.history, slots.start, slots.end)?;
        Ok(Progress { from: slots.start, to: slots.end, jobs, load: load as u32, ..Progress::zeroed() })
    }

    /// Trains until a round is complete, or until about `work` slots are visited (at least 1; a round visits each slot
    /// three times, and more often when the model has to be bent). Then call again, for the rest of the round or the
    /// next one; the caller decides when to stop. Sliced or not, the result is the same bit for bit. O(work M^2).
    ///
    /// # Errors
    /// [`Error::WrongState`] unless training has begun; [`Error::OutOfRange`] for no work.
    pub fn train(&mut self, mut work: u64) -> Result<Training> {
        let step = self.train_draft(&mut work)?;
        if let Training::Round(_) = step {
            self.publish();
        }
        Ok(step)
    }

    /// Does [`Hmm::train`], but keeps the parameters as a draft.
    pub(crate) fn train_draft(&mut self, work: &mut u64) -> Result<Training> {
        if !self.is_training() {
            return Err(Error::WrongState);
        }
        if *work == 0 {
            return Err(Error::OutOfRange);
        }
        if self.state.progress.phase == CLUSTER {
            if self.clustering().advance(work)? {
                self.expectation().begin();
            } else {
                return Ok(Training::More);
            }
        }
        if self.expectation().advance(work, &mut |_, _| ())? != Slice::Complete {
            return Ok(Training::More);
        }
        let (load, states) = (self.draft_load(), self.states());
        let change = maximise(&mut self.parts.draft, load, &mut self.parts.sums, states)?;
        let progress = &mut self.state.progress;
        progress.rounds = progress.rounds.saturating_add(1);
        let round = Round {
            log_likelihood: progress.log_likelihood,
            l1: change.l1,
            l_infinity: change.l_infinity,
            rounds: progress.rounds,
            jobs: progress.jobs,
            adapted: core::mem::replace(&mut progress.adapted_in_round, 0),
        };
        self.expectation().begin();
        Ok(Training::Round(round))
    }

    /// Makes the draft the model in use.
    pub(crate) fn publish(&mut self) {
        self.state.load = self.state.progress.load;
        self.state.ready = 1;
        self.parts.model.copy_from(&self.parts.draft);
    }

    /// Whether training has begun.
    pub fn is_training(&self) -> bool {
        self.state.progress.phase != IDLE
    }

    /// Ends training; the model in use is the last complete round's.
    pub fn end_training(&mut self) {
        self.state.progress.phase = IDLE;
    }

    pub(super) fn expectation(&mut self) -> Expectation<'_, 'a> {
        Expectation {
            load: self.draft_load(),
            progress: &mut self.state.progress,
            sums: &mut self.parts.sums,
            tables: &mut self.parts.draft,
            history: &self.parts.history,
            adapting: true,
        }
    }

    pub(super) fn clustering(&mut self) -> Clustering<'_, 'a> {
        Clustering {
            load: self.draft_load(),
            states: self.states(),
            progress: &mut self.state.progress,
            sums: &mut self.parts.sums,
            tables: &mut self.parts.draft,
            history: &mut self.parts.history,
        }
    }

    pub(super) fn draft_load(&self) -> LoadModel {
        LoadModel::from_number(self.state.progress.load).unwrap_or_default()
    }

    /// Begins the round under way again, with the slots still held, as its observations have changed.
    pub(crate) fn begin_again(&mut self) -> Result<()> {
        if self.state.progress.phase == IDLE {
            return Ok(());
        }
        let first = self.parts.history.ledger()?.first;
        let progress = &mut self.state.progress;
        progress.from = progress.from.max(first);
        progress.jobs = jobs_in(&self.parts.history, progress.from, progress.to)?;
        let clustering = progress.phase == CLUSTER;
        if progress.from >= progress.to || (clustering && progress.jobs == 0) {
            progress.phase = IDLE;
            return Ok(());
        }
        if clustering {
            return self.clustering().begin();
        }
        self.expectation().begin();
        Ok(())
    }
}
