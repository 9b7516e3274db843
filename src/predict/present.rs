//! The filter from the earliest slot with a job in the system to the present one (Nissimov 2006, chapter 4).
//!
//! Nothing changes before that slot, the anchor: its prediction is kept, and moves on with it. Behind the anchor, finished
//! jobs enter with their bin, running ones as Pr(run time >= age | state), the sum over the bins still possible, queued ones
//! not at all. The predictions for those slots are kept too, in a window; a slot is computed again only when a job of it, or
//! of a slot before it, has ended or run into another bin.

use crate::error::{Error, Result};
use crate::hmm::{Explanation, Which};
use crate::memory::{range, range_mut};
use crate::predict::Predictor;
use crate::predict::jobs::Bins;
use crate::runtime::{MAX_BINS, RuntimeDistribution};

impl Predictor<'_> {
    /// The distribution of the run time of a job submitted now: the states' distributions, mixed by the states' present
    /// probabilities. `None`, silence, before the first training is done, and without a floor when the model does not explain
    /// the observations.
    ///
    /// O((M^2 + jobs M) S), S slots from the earliest with a change to the present one: seldom more than a few.
    ///
    /// # Errors
    /// [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time.
    pub fn predict(&mut self, now: i64) -> Result<Option<RuntimeDistribution>> {
        let mut probabilities = [0.0; MAX_BINS];
        let bins = self.state.limits.hmm.bins as usize;
        let probabilities = probabilities.get_mut(..bins).ok_or(Error::Corrupt)?;
        if !self.probabilities(now, probabilities)? {
            return Ok(None);
        }
        Ok(Some(RuntimeDistribution::from_counts(&self.state.bins.bins()?, probabilities)?))
    }

    /// As [`Predictor::predict`], one probability for each bin; `false` for silence, and then `out` is not written.
    ///
    /// # Errors
    /// As [`Predictor::predict`]; [`Error::OutOfRange`] also for another number of bins.
    pub fn probabilities(&mut self, now: i64, out: &mut [f64]) -> Result<bool> {
        self.check_time(now)?;
        if out.len() != self.state.limits.hmm.bins as usize {
            return Err(Error::OutOfRange);
        }
        self.advance(now)?;
        let explains = self.state.explains != 0 || self.state.options.floor > 0.0;
        if self.state.ready == 0 || !explains || self.state.begun == 0 {
            return Ok(false);
        }
        if now >= self.state.stale {
            self.age_jobs(now)?;
        }
        for slot in self.state.known..=self.state.present {
            if self.filter_slot(slot)? == Explanation::None {
                return Ok(false);
            }
            if slot < self.state.present {
                self.hmm.predict_slot(Which::InUse, self.parts.filtered, self.parts.predicted);
                self.remember(slot + 1)?;
            }
        }
        self.hmm.mixture(self.parts.filtered, self.parts.emission, out);
        Ok(true)
    }

    /// From the prediction for a slot, in the window or (beyond it) left by the slot before, to its filtered probabilities.
    fn filter_slot(&mut self, slot: i64) -> Result<Explanation> {
        if let Some(place) = self.place(slot) {
            let kept = range(self.parts.window, place, self.hmm.lanes())?;
            for (to, from) in self.parts.predicted.iter_mut().zip(kept) {
                *to = *from;
            }
        }
        let parts = &mut self.parts;
        let bins = Bins(parts.jobs.list(self.hmm.history().slot(slot)?.running));
        let floor = self.state.options.floor;
        self.hmm.filter_slot(Which::InUse, slot, floor, bins, parts.predicted, parts.filtered, parts.emission)
    }

    /// Where the window keeps a slot's prediction, if it does.
    fn place(&self, slot: i64) -> Option<usize> {
        let window = i64::from(self.state.limits.window);
        let within = slot >= self.state.anchor && slot - self.state.anchor < window;
        let place = slot.checked_rem_euclid(window).filter(|_| within)?;
        usize::try_from(place).ok()?.checked_mul(self.hmm.lanes())
    }

    /// Keeps the prediction for a slot, if there is room in the window.
    pub(super) fn remember(&mut self, slot: i64) -> Result<()> {
        let Some(place) = self.place(slot) else { return Ok(()) };
        let kept = range_mut(self.parts.window, place, self.hmm.lanes())?;
        for (to, from) in kept.iter_mut().zip(self.parts.predicted.iter()) {
            *to = *from;
        }
        self.state.known = slot;
        Ok(())
    }

    /// Finds the running jobs that have run into another bin since the filter last looked.
    fn age_jobs(&mut self, now: i64) -> Result<()> {
        let mut stale = i64::MAX;
        for slot in self.state.anchor..=self.state.present {
            let mut record = self.hmm.history().slot(slot)?.running;
            for _ in 0..self.parts.jobs.count() {
                if record == crate::hmm::NONE {
                    break;
                }
                let job = self.parts.jobs.job_mut(record)?;
                let bin = self.state.bins.bin_of(now.saturating_sub(job.started) as f64);
                if bin as u32 != job.bin {
                    job.bin = bin as u32;
                    self.state.known = self.state.known.min(slot);
                }
                let started = job.started;
                record = job.next;
                stale = stale.min(self.next_bin(started, bin));
            }
        }
        self.state.stale = stale;
        Ok(())
    }

    /// The observations of a slot have changed, and with them the predictions for the slots behind it.
    pub(super) fn changed(&mut self, slot: i64) {
        self.state.known = self.state.known.min(slot.max(self.state.anchor));
    }

    /// Time goes on to `now`, and the anchor with it.
    pub(super) fn advance(&mut self, now: i64) -> Result<()> {
        let present = now.checked_div_euclid(self.state.options.slot_seconds).ok_or(Error::Corrupt)?;
        let state = &mut *self.state;
        state.now = now;
        if state.begun == 0 {
            (state.begun, state.anchor, state.trained, state.position) = (1, present, present, present);
            self.hmm.history_mut().extend(present + 1)?;
            self.state.present = present;
            self.state.explains = self.state.ready;
            return self.restart();
        }
        if present > state.present {
            state.present = present;
            if self.hmm.history_mut().extend(present + 1)? {
                self.slots_left()?;
            }
        }
        self.settle()
    }

    /// The anchor moves over slots all of whose jobs have left.
    pub(super) fn settle(&mut self) -> Result<()> {
        while self.state.anchor < self.state.present {
            let slot = *self.hmm.history().slot(self.state.anchor)?;
            if slot.open > 0 {
                break;
            }
            // With a floor the window goes on behind a slot that is not explained: then this is where that is noticed.
            let floor = self.state.options.floor > 0.0;
            let first = self.state.known == self.state.anchor;
            let look = if floor { self.state.ready != 0 } else { self.state.explains != 0 && first };
            if look {
                let explanation = self.filter_slot(self.state.anchor)?;
                self.state.explains &= u32::from(explanation == Explanation::Model);
                self.hmm.predict_slot(Which::InUse, self.parts.filtered, self.parts.predicted);
                self.state.anchor += 1;
                if first && explanation != Explanation::None {
                    self.remember(self.state.anchor)?;
                }
            } else {
                self.state.anchor += 1;
            }
            self.state.known = self.state.known.max(self.state.anchor);
            self.state.unsettled = self.state.unsettled.saturating_sub(u64::from(slot.jobs));
        }
        Ok(())
    }

    /// The oldest slots have left the history. If the anchor is among them, the filter begins again at the first slot left,
    /// as at the beginning of time. Training begins its round again.
    pub(super) fn slots_left(&mut self) -> Result<()> {
        self.hmm.begin_again()?;
        let held = self.hmm.slots();
        if self.state.anchor < held.start {
            self.state.anchor = held.start;
            self.state.explains = self.state.ready;
            self.restart()?;
            self.state.unsettled = 0;
            for slot in held {
                let jobs = self.hmm.history().slot(slot)?.jobs;
                self.state.unsettled = self.state.unsettled.saturating_add(u64::from(jobs));
            }
        }
        self.filter_again();
        Ok(())
    }

    /// The filter's prediction for the anchor becomes that for a first slot.
    fn restart(&mut self) -> Result<()> {
        for (to, from) in self.parts.predicted.iter_mut().zip(self.hmm.start(Which::InUse)) {
            *to = *from;
        }
        self.state.known = self.state.anchor;
        self.remember(self.state.anchor)
    }
}
