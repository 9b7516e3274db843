//! When the predictor trains, on what, and when it puts the new model to use (Nissimov 2006, chapter 4).
//!
//! Training sees the slots before the anchor, all of whose jobs have left: exact data that no longer changes. It begins when
//! the initial period is over and all of its jobs have left. It begins again, on all slots held and with the model in use,
//!
//! * when slots were added that the model does not explain, or
//! * with the L1 criterion, when sqrt(n) L1 reaches epsilon again: n has grown by the jobs that ended since, L1 is the change in
//!   the last round; with the other criteria, after a fixed time.
//!
//! After the last round, the filter goes with the new parameters from the first slot to the anchor, in slices as well; then
//! the new model is put to use, and no prediction has to wait for that.

use crate::error::{Error, Result};
use crate::hmm::{Round, Termination, Training, Which};
use crate::predict::Predictor;
use crate::predict::predictor::LastRound;

/// Nothing under way.
const IDLE: u32 = 0;
/// Rounds of Baum-Welch.
const ROUNDS: u32 = 1;
/// The filter catches up with the anchor.
pub(super) const FILTER: u32 = 2;

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
        if state.phase != IDLE {
            return true;
        }
        let ledger = self.hmm.history().ledger();
        let (first, jobs) = ledger.map_or((0, 0), |ledger| (ledger.first, ledger.jobs));
        let settled = jobs.saturating_sub(state.unsettled);
        let started = state.submitted != 0
            && state.now - state.first_submission >= state.options.initial_seconds
            && state.initial_jobs == 0;
        if !started || state.anchor <= first || settled == 0 {
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

    /// Trains, if that is wanted, for about `work` visits to slots (at least 1): a round visits every slot three times. The
    /// result does not depend on how training is sliced, as long as no event comes between. O(work M^2).
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
        while self.state.draft_explains != 0 && self.state.position < self.state.anchor {
            if *work == 0 {
                return Ok(false);
            }
            *work -= 1;
            let explained = self.hmm.filter_slot(
                Which::Draft,
                self.state.position,
                core::iter::empty(),
                parts.ahead,
                parts.filtered,
                parts.emission,
            )?;
            self.hmm.predict_slot(Which::Draft, parts.filtered, parts.ahead);
            self.state.draft_explains = u32::from(explained);
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
