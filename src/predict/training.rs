//! Training of the hidden Markov model: its begin, its data, and the use of its result (Nissimov 2006, chapter 4).
//!
//! Training uses the slots before the anchor, all of whose jobs have left or are given up: exact data that changes no
//! more, but for a job given up that ends after all. It begins when the initial period is over and all of its jobs have
//! left. It begins again, on all slots held and with the model in use,
//!
//! * when slots were added that the model does not explain (floor or not), or
//! * with the L1 criterion, when sqrt(n) L1 reaches epsilon again: n has grown by the jobs that ended since, L1 is the
//!   change in the last round; with the other criteria, after a fixed time.
//!
//! On line instead ([`OnlineHmm`]), training uses each slot once, when the anchor has passed it, from the first slot
//! on; after the initial period the model is put to use whenever it has come to the anchor.
//!
//! After the last round, the filter goes with the new parameters from the first slot to the anchor, in slices as well;
//! then the new model is put to use, and no prediction has to wait for that.

use crate::error::{Error, Result};
use crate::hmm::{Explanation, Hmm, OnlineHmm, Round, Termination, Training as Rounds, Which};
use crate::memory::{Carver, at_mut};
use crate::predict::anchor::Anchor;
use crate::predict::options::RawOptions;
use crate::runtime::MAX_BINS;
use bytemuck::{Pod, Zeroable};

/// Progress of [`Predictor::train`](crate::predict::Predictor::train).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Learning {
    /// Nothing to be learnt for now.
    Idle,
    /// The work is used up; more is to be done.
    More,
    /// Training is complete, its model in use; holds the last round.
    Done(Round),
}

/// Phase with nothing under way.
const IDLE: u32 = 0;
/// Phase of the rounds of Baum-Welch.
const ROUNDS: u32 = 1;
/// Phase in which the filter catches up with the anchor.
const FILTER: u32 = 2;

/// [`Round`] as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct LastRound {
    log_likelihood: f64,
    l1: f64,
    l_infinity: f64,
    rounds: u64,
    jobs: u64,
    adapted: u64,
}

impl LastRound {
    fn new(round: &Round) -> LastRound {
        LastRound {
            log_likelihood: round.log_likelihood,
            l1: round.l1,
            l_infinity: round.l_infinity,
            rounds: round.rounds,
            jobs: round.jobs,
            adapted: u64::from(round.adapted),
        }
    }

    fn round(&self) -> Round {
        Round {
            log_likelihood: self.log_likelihood,
            l1: self.l1,
            l_infinity: self.l_infinity,
            rounds: self.rounds,
            jobs: self.jobs,
            adapted: self.adapted as u32,
        }
    }
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct State {
    /// The end of the slots trained on.
    trained: i64,
    /// Next slot of a new model's filter; on line, the next slot to learn.
    position: i64,
    /// `IDLE`, `ROUNDS` or `FILTER`.
    phase: u32,
    /// Whether the model in training explains the slots before `position`.
    draft_explains: u32,
    last: LastRound,
    /// On line: ln Pr, jobs, and slots not explained, of the slots learnt since the model was last put to use.
    learnt: f64,
    learnt_jobs: u64,
    learnt_unexplained: u64,
}

/// State of learning.
pub(super) struct Training<'a> {
    state: &'a mut State,
    /// The prediction of the model in training for the slot `position`.
    ahead: &'a mut [f64],
    filtered: &'a mut [f64],
    emission: &'a mut [f64],
}

/// The slices of a training.
pub(super) struct Parts<'a> {
    state: &'a mut [State],
    scratch: [&'a mut [f64]; 3],
}

impl<'a> Training<'a> {
    /// The slices for vectors over the states of this length.
    pub fn carve(carver: &mut Carver<'a>, lanes: usize) -> Result<Parts<'a>> {
        let state = carver.take(1)?;
        Ok(Parts { state, scratch: [carver.take(lanes)?, carver.take(lanes)?, carver.take(lanes)?] })
    }

    pub fn new(parts: Parts<'a>) -> Result<Training<'a>> {
        let Parts { state, scratch: [ahead, filtered, emission] } = parts;
        Ok(Training { state: at_mut(state, 0)?, ahead, filtered, emission })
    }

    /// Whether the scalars are valid, with these slots held and this anchor.
    pub fn is_sound(&self, held: &core::ops::Range<i64>, anchor: &Anchor<'_>, online: bool) -> bool {
        let State { trained, position, phase, .. } = *self.state;
        !anchor.has_begun()
            || (phase <= FILTER
                && (phase != FILTER || (held.start..=anchor.first()).contains(&position))
                && (!online || position <= anchor.first())
                && trained <= anchor.present())
    }

    /// Begins with the first event, in this slot.
    pub fn begin(&mut self, present: i64) {
        (self.state.trained, self.state.position) = (present, present);
    }

    /// Records that a model comes from elsewhere.
    pub fn given(&mut self) {
        self.state.last.l1 = f64::INFINITY;
    }

    /// Result of the last training; `None` before the first.
    pub fn last_round(&self) -> Option<Round> {
        if self.state.last.rounds == 0 { None } else { Some(self.state.last.round()) }
    }

    /// On line: the first slot that is not learnt yet.
    pub fn position(&self) -> i64 {
        self.state.position
    }

    /// Gives up a training under way, as the present slot has moved back.
    pub fn move_back(&mut self, hmm: &mut Hmm<'_>, anchor: &Anchor<'_>) {
        hmm.end_training();
        self.state.phase = IDLE;
        self.state.trained = self.state.trained.min(anchor.present());
        self.state.position = self.state.position.min(anchor.first());
    }

    /// Whether training is under way or should begin. O(1).
    pub fn is_wanted(
        &self,
        hmm: &Hmm<'_>,
        anchor: &Anchor<'_>,
        options: &RawOptions,
        initial_period_is_over: bool,
        online: bool,
    ) -> bool {
        let state = &*self.state;
        if online {
            return anchor.has_begun() && state.position < anchor.first();
        }
        if state.phase != IDLE {
            return true;
        }
        let ledger = hmm.history().ledger();
        let (first, jobs) = ledger.map_or((0, 0), |ledger| (ledger.first, ledger.jobs));
        let settled = jobs.saturating_sub(anchor.unsettled());
        if !initial_period_is_over || anchor.first() <= first || settled == 0 {
            return false;
        }
        if state.last.rounds == 0 {
            return true; // never trained
        }
        let new = anchor.first().saturating_sub(state.trained);
        if new <= 0 {
            return false;
        }
        let restart = match options.termination() {
            Termination::L1(epsilon) => libm::sqrt(settled as f64) * state.last.l1 >= epsilon,
            _ => new.saturating_mul(options.slot_seconds) >= options.restart_seconds,
        };
        restart || !anchor.explains()
    }

    /// Trains by Baum-Welch for about `work` visits to slots.
    pub fn advance(
        &mut self,
        hmm: &mut Hmm<'_>,
        anchor: &mut Anchor<'_>,
        options: &RawOptions,
        mut work: u64,
    ) -> Result<Learning> {
        if self.state.phase == IDLE {
            self.start(hmm, anchor, options)?;
        }
        while work > 0 {
            if self.state.phase == FILTER {
                match self.catch_up(hmm, anchor, options, &mut work)? {
                    true => return Ok(Learning::Done(self.state.last.round())),
                    false => continue,
                }
            }
            if !hmm.is_training() {
                // All its slots have left.
                self.state.phase = IDLE;
                return Ok(Learning::More);
            }
            if let Rounds::Round(round) = hmm.train_draft(&mut work)? {
                self.state.last = LastRound::new(&round);
                if options.termination().reached(&round) || round.rounds >= options.most_rounds {
                    self.state.phase = FILTER;
                    self.filter_again(hmm);
                }
            }
        }
        Ok(Learning::More)
    }

    fn start(&mut self, hmm: &mut Hmm<'_>, anchor: &Anchor<'_>, options: &RawOptions) -> Result<()> {
        let slots = hmm.slots().start..anchor.first();
        self.state.trained = slots.end;
        if hmm.is_ready() {
            hmm.begin_training(slots)?;
        } else {
            hmm.begin_training_from(options.initial(), options.load(), slots)?;
        }
        self.state.phase = ROUNDS;
        Ok(())
    }

    /// Restarts the filter with the new parameters from the first slot, if it is under way.
    pub fn filter_again(&mut self, hmm: &Hmm<'_>) {
        if self.state.phase == FILTER {
            self.state.position = hmm.slots().start;
            self.state.draft_explains = 1;
            for (to, from) in self.ahead.iter_mut().zip(hmm.start(Which::Draft)) {
                *to = *from;
            }
        }
    }

    /// Filters with the new parameters up to the anchor, then puts them to use (`true`).
    fn catch_up(
        &mut self,
        hmm: &mut Hmm<'_>,
        anchor: &mut Anchor<'_>,
        options: &RawOptions,
        work: &mut u64,
    ) -> Result<bool> {
        let floor = options.floor;
        while (self.state.draft_explains != 0 || floor > 0.0) && self.state.position < anchor.first() {
            if *work == 0 {
                return Ok(false);
            }
            *work -= 1;
            let explanation = hmm.filter_slot(
                Which::Draft,
                self.state.position,
                floor,
                core::iter::empty(),
                self.ahead,
                self.filtered,
                self.emission,
            )?;
            hmm.predict_slot(Which::Draft, self.filtered, self.ahead);
            self.state.draft_explains &= u32::from(explanation == Explanation::Model);
            self.state.position += 1;
        }
        hmm.publish();
        hmm.end_training();
        self.state.phase = IDLE;
        anchor.adopt(self.ahead, self.state.draft_explains != 0)?;
        Ok(true)
    }

    /// Learns the slots before the anchor that are not learnt yet, on line.
    pub fn learn_slots(
        &mut self,
        hmm: &mut Hmm<'_>,
        online: &mut OnlineHmm<'_>,
        anchor: &mut Anchor<'_>,
        initial_period_is_over: bool,
        mut work: u64,
    ) -> Result<Learning> {
        let history = hmm.history();
        let bins = hmm.capacity().bins as usize;
        // Slots that have left the history before they were learnt are lost.
        self.state.position = self.state.position.max(history.ledger()?.first);
        while self.state.position < anchor.first() {
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
        if !initial_period_is_over {
            return Ok(Learning::Idle);
        }
        let (l1, l_infinity) = hmm.take_from(online);
        online.predict(self.ahead);
        let state = &mut *self.state;
        state.last = LastRound {
            log_likelihood: core::mem::take(&mut state.learnt),
            l1,
            l_infinity,
            rounds: online.slots(),
            jobs: core::mem::take(&mut state.learnt_jobs),
            adapted: core::mem::take(&mut state.learnt_unexplained),
        };
        anchor.adopt(self.ahead, true)?;
        Ok(Learning::Done(self.state.last.round()))
    }
}
