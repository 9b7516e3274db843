//! When the predictor trains, on what, and when it puts the new model to use (Nissimov 2006, chapter 4).
//!
//! Training sees the slots before the anchor, all of whose jobs have left: exact data that no longer changes. It begins when
//! the initial period is over and all of its jobs have left. It begins again, on all slots held and with the model in use,
//!
//! * when slots were added that the model does not explain (floor or not), or
//! * with the L1 criterion, when sqrt(n) L1 reaches epsilon again: n has grown by the jobs that ended since, L1 is the change in
//!   the last round; with the other criteria, after a fixed time.
//!
//! On line instead ([`OnlineHmm`](crate::hmm::OnlineHmm)), training sees each slot once, when the anchor has passed it, from the first slot on; after the
//! initial period the model is put to use whenever it has come to the anchor.
//!
//! After the last round, the filter goes with the new parameters from the first slot to the anchor, in slices as well; then
//! the new model is put to use, and no prediction has to wait for that.

use crate::error::{Error, Result};
use crate::hmm::{Explanation, Round, Termination, Training, Which};
use crate::memory::at_mut;
use crate::predict::Predictor;
use crate::predict::phase::{FILTER, IDLE, LastRound, ROUNDS};
use crate::runtime::MAX_BINS;

/// How far [`Predictor::train`] came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Learning {
    /// Nothing to be learnt for now.
    Idle,
    /// The work is used up; more is to be done.
    More,
    /// Training is complete, its model in use. This was the last round.
    Done(Round),
}

impl Predictor<'_> {
    /// Whether training is under way or should begin, at the time of the last event or prediction. O(1).
    pub fn wants_training(&self) -> bool {
        let state = &*self.state;
        if self.online.is_some() {
            return state.begun != 0 && state.position < state.anchor;
        }
        if state.phase != IDLE {
            return true;
        }
        let ledger = self.hmm.history().ledger();
        let (first, jobs) = ledger.map_or((0, 0), |ledger| (ledger.first, ledger.jobs));
        let settled = jobs.saturating_sub(state.unsettled);
        if !self.initial_period_is_over() || state.anchor <= first || settled == 0 {
            return false;
        }
        if self.state.last.rounds == 0 {
            return true; // never trained
        }
        let new = state.anchor.saturating_sub(state.trained);
        if new <= 0 {
            return false;
        }
        let restart = match state.options.termination() {
            Termination::L1(epsilon) => libm::sqrt(settled as f64) * state.last.l1 >= epsilon,
            _ => new.saturating_mul(state.options.slot_seconds) >= state.options.restart_seconds,
        };
        restart || state.explains == 0
    }

    fn initial_period_is_over(&self) -> bool {
        let state = &*self.state;
        state.submitted != 0
            && state.now - state.first_submission >= state.options.initial_seconds
            && state.initial_jobs == 0
    }

    /// Trains, if that is wanted, for about `work` visits to slots (at least 1): a round visits every slot three times. The
    /// result does not depend on how training is sliced, as long as no event comes between. O(work M^2).
    ///
    /// On line a slot is visited once, in O(M^3 (M + N)). [`Learning::Done`] then says: ln Pr, jobs and unexplained slots of what
    /// was learnt since the last time, the model's changes since then, and as rounds the slots learnt in all.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for no work.
    pub fn train(&mut self, mut work: u64) -> Result<Learning> {
        if work == 0 {
            return Err(Error::OutOfRange);
        }
        if !self.wants_training() {
            return Ok(Learning::Idle);
        }
        if self.online.is_some() {
            return self.learn_slots(work);
        }
        if self.state.phase == IDLE {
            self.begin()?;
        }
        while work > 0 {
            if self.state.phase == FILTER {
                match self.catch_up(&mut work)? {
                    true => return Ok(Learning::Done(self.state.last.round())),
                    false => continue,
                }
            }
            if !self.hmm.is_training() {
                // All its slots have left.
                self.state.phase = IDLE;
                return Ok(Learning::More);
            }
            if let Training::Round(round) = self.hmm.train_draft(&mut work)? {
                self.state.last = LastRound::new(&round);
                let options = &self.state.options;
                if options.termination().reached(&round) || round.rounds >= options.most_rounds {
                    self.state.phase = FILTER;
                    self.filter_again();
                }
            }
        }
        Ok(Learning::More)
    }

    /// Learns the slots before the anchor that are not learnt yet, on line.
    fn learn_slots(&mut self, mut work: u64) -> Result<Learning> {
        let Some(online) = &mut self.online else { return Ok(Learning::Idle) };
        let history = self.hmm.history();
        let bins = self.state.limits.hmm.bins as usize;
        // What has left the history before it was learnt is lost.
        self.state.position = self.state.position.max(history.ledger()?.first);
        while self.state.position < self.state.anchor {
            if work == 0 {
                return Ok(Learning::More);
            }
            work -= 1;
            let slot = history.slot(self.state.position)?;
            let mut counts = [0; MAX_BINS];
            for (bin, count) in history.cells(slot) {
                *at_mut(&mut counts, bin)? = count;
            }
            let learnt = online.learn(counts.get(..bins).ok_or(Error::Corrupt)?)?;
            self.state.position += 1;
            self.state.learnt += learnt.log_likelihood;
            self.state.learnt_jobs = self.state.learnt_jobs.saturating_add(u64::from(slot.jobs));
            let unexplained = u64::from(!learnt.explained);
            self.state.learnt_unexplained = self.state.learnt_unexplained.saturating_add(unexplained);
        }
        if !self.initial_period_is_over() {
            return Ok(Learning::Idle);
        }
        let Some(online) = &self.online else { return Ok(Learning::Idle) };
        let (l1, l_infinity) = self.hmm.take_from(online);
        online.predict(self.parts.predicted);
        let state = &mut *self.state;
        state.last = LastRound {
            log_likelihood: core::mem::take(&mut state.learnt),
            l1,
            l_infinity,
            rounds: online.slots(),
            jobs: core::mem::take(&mut state.learnt_jobs),
            adapted: core::mem::take(&mut state.learnt_unexplained),
        };
        (state.ready, state.explains) = (1, 1);
        state.known = state.anchor;
        self.remember(self.state.anchor)?;
        Ok(Learning::Done(self.state.last.round()))
    }

    fn begin(&mut self) -> Result<()> {
        let slots = self.hmm.slots().start..self.state.anchor;
        self.state.trained = slots.end;
        if self.state.ready == 0 {
            let options = self.state.options;
            self.hmm.begin_training_from(options.initial(), options.load(), slots)?;
        } else {
            self.hmm.begin_training(slots)?;
        }
        self.state.phase = ROUNDS;
        Ok(())
    }

    /// The filter with the new parameters, if it is under way, starts from the first slot.
    pub(super) fn filter_again(&mut self) {
        if self.state.phase == FILTER {
            self.state.position = self.hmm.slots().start;
            self.state.draft_explains = 1;
            for (to, from) in self.parts.ahead.iter_mut().zip(self.hmm.start(Which::Draft)) {
                *to = *from;
            }
        }
    }

    /// Filters with the new parameters up to the anchor, then puts them to use (`true`).
    fn catch_up(&mut self, work: &mut u64) -> Result<bool> {
        let parts = &mut self.parts;
        let floor = self.state.options.floor;
        while (self.state.draft_explains != 0 || floor > 0.0) && self.state.position < self.state.anchor {
            if *work == 0 {
                return Ok(false);
            }
            *work -= 1;
            let explanation = self.hmm.filter_slot(
                Which::Draft,
                self.state.position,
                floor,
                core::iter::empty(),
                parts.ahead,
                parts.filtered,
                parts.emission,
            )?;
            self.hmm.predict_slot(Which::Draft, parts.filtered, parts.ahead);
            self.state.draft_explains &= u32::from(explanation == Explanation::Model);
            self.state.position += 1;
        }
        self.hmm.publish();
        self.hmm.end_training();
        for (to, from) in parts.predicted.iter_mut().zip(parts.ahead.iter()) {
            *to = *from;
        }
        self.state.phase = IDLE;
        (self.state.ready, self.state.explains) = (1, self.state.draft_explains);
        self.state.known = self.state.anchor;
        self.remember(self.state.anchor)?;
        Ok(true)
    }
}
