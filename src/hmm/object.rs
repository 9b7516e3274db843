//! A hidden Markov model in the caller's memory: parameters, observations, and inference. (`training` trains it.)

use crate::error::{Error, Result};
use crate::hmm::MAX_STATES;
use crate::hmm::emission::Evidence;
use crate::hmm::expectation::{Expectation, Progress, Slice, Sums, jobs_in};
use crate::hmm::forward::{Chain, check_slots};
use crate::hmm::history::{History, MAX_SLOT};
use crate::hmm::initial::set_static;
use crate::hmm::model::{LoadModel, Parameters, ParametersMut, Tables};
use crate::hmm::vector::copy;
use crate::hmm::viterbi::viterbi;
use crate::memory::{Carver, Kind, Object};
use crate::runtime::MAX_BINS;
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};
use core::ops::Range;

/// The largest number of slots, and of cells.
const MOST: u32 = 1 << 28;

/// Capacities of an [`Hmm`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct HmmCapacity {
    /// Number of states M (1 to [`MAX_STATES`]).
    pub states: u32,
    /// Number of run-time bins N (2 to [`MAX_BINS`]).
    pub bins: u32,
    /// Number of slots kept (2 to 2^28); the oldest leave.
    pub slots: u32,
    /// Number of cells kept, one for each slot and bin that has jobs, so at most one a job (`bins` to 2^28); the oldest
    /// slots leave.
    pub cells: u32,
}

impl Default for HmmCapacity {
    /// 16 states, 24 bins; a year of slots of 15 min (35,136) and 100,000 cells.
    fn default() -> HmmCapacity {
        HmmCapacity { states: 16, bins: 24, slots: 35_136, cells: 100_000 }
    }
}

impl HmmCapacity {
    fn check(&self) -> Result<()> {
        let valid = (1..=MAX_STATES).contains(&(self.states as usize))
            && (2..=MAX_BINS).contains(&(self.bins as usize))
            && (2..=MOST).contains(&self.slots)
            && (self.bins..=MOST).contains(&self.cells);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// The scalars of a model.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: HmmCapacity,
    pub(super) load: u32,
    /// Whether there are parameters.
    pub(super) ready: u32,
    pub(super) progress: Progress,
}

/// The slices of a model's block.
pub(crate) struct Parts<'a> {
    /// The model in use.
    pub(super) model: Tables<'a>,
    /// The model in training.
    pub(super) draft: Tables<'a>,
    pub(super) sums: Sums<'a>,
    pub(super) history: History<'a>,
}

/// A hidden Markov model of run times: parameters, observations, and training.
///
/// Set the parameters ([`Hmm::set_parameters`]) or have them set ([`Hmm::init_static`], [`Hmm::init_k_means`]), report
/// the jobs ([`Hmm::observe`]), train. Slots are numbered by the caller, time of submission divided by the slot length
/// for example.
///
/// The memory needed is [`Hmm::size`]. With M states, S = M rounded up to a multiple of 8, N bins, T slots and C cells
/// it is at most 20 T + 12 C + 24 (sqrt(T) + 2) (S + 1) + 8 S (5 M + 7 N + 12) + 400 bytes: 2.1 MB for the default, a
/// year.
pub struct Hmm<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
}

impl<'a> Object<'a> for Hmm<'a> {
    const KIND: Kind = Kind::Hmm;
    type Head = Sealed;
    type Capacity = HmmCapacity;
    type State = State;
    type Parts = Parts<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &HmmCapacity) -> Result<Parts<'a>> {
        capacity.check()?;
        Ok(Parts {
            model: Tables::carve(carver, capacity)?,
            draft: Tables::carve(carver, capacity)?,
            sums: Sums::carve(carver, capacity)?,
            history: History::carve(carver, capacity.slots, capacity.cells)?,
        })
    }

    fn capacity_in(state: &State) -> Result<HmmCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<Hmm<'a>> {
        parts.history.check()?;
        let ledger = parts.history.ledger()?;
        let sound = state.progress.is_sound(ledger.first, ledger.end)
            && LoadModel::from_number(state.load).is_some()
            && LoadModel::from_number(state.progress.load).is_some();
        if sound { Ok(Hmm { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Hmm, checkpoint);

impl<'a> Hmm<'a> {
    /// Bytes that a model with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &HmmCapacity) -> Result<usize> {
        <Hmm as Object>::size(capacity)
    }

    /// Makes a model without parameters and observations in this memory, which may be longer than needed. The whole
    /// block is written, so that a sealed block is the same for the same calls.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::OutOfRange`].
    pub fn init(memory: &'a mut [u8], capacity: &HmmCapacity) -> Result<Hmm<'a>> {
        let (state, mut parts) = Hmm::create(memory, capacity)?;
        state.capacity = *capacity;
        parts.history.clear()?;
        Ok(Hmm { state, parts })
    }

    /// The numbers of states and of bins.
    pub fn shape(&self) -> (u32, u32) {
        (self.state.capacity.states, self.state.capacity.bins)
    }

    /// The capacities.
    pub fn capacity(&self) -> &HmmCapacity {
        &self.state.capacity
    }

    /// Model of the number of jobs in a slot.
    pub fn load(&self) -> LoadModel {
        LoadModel::from_number(self.state.load).unwrap_or_default()
    }

    /// Sets the parameters. Training under way is given up. O(M (M + N)).
    ///
    /// # Errors
    /// As [`Parameters::check`]; nothing has changed then.
    pub fn set_parameters(&mut self, parameters: &Parameters<'_>) -> Result<()> {
        parameters.check(self.states(), self.bins())?;
        self.take_over(parameters.load);
        self.parts.model.set(parameters)
    }

    /// The parameters. O(M (M + N)).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for other lengths; [`Error::WrongState`] when there are none.
    pub fn parameters(&self, out: &mut ParametersMut<'_>) -> Result<()> {
        self.check_ready()?;
        self.parts.model.get(self.load(), self.states(), self.bins(), out)
    }

    /// Sets the parameters to Static-IV (Algorithm 3), with `mean_jobs` a slot if the load is modelled. Training under
    /// way is given up. O(M (M + N)).
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a mean that is not positive and finite.
    pub fn init_static(&mut self, load: LoadModel, mean_jobs: f64) -> Result<()> {
        if mean_jobs.is_nan() {
            return Err(Error::NotANumber);
        }
        if !(mean_jobs > 0.0 && mean_jobs.is_finite()) {
            return Err(Error::OutOfRange);
        }
        let states = self.states();
        self.take_over(load);
        set_static(&mut self.parts.model, load, states, mean_jobs)
    }

    /// Adapts the parameters to slots half as long (section 3.4.2): a state lasts twice as many slots, A'_ij = A_ij / 2
    /// and A'_ii = A_ii / 2 + 1/2; the mean load halves. The history is forgotten, since its counts cannot be divided,
    /// and training under way given up.
    ///
    /// # Errors
    /// [`Error::WrongState`] without parameters.
    pub fn halve_slots(&mut self) -> Result<()> {
        self.check_ready()?;
        let (load, states) = (self.load(), self.states());
        let model = &mut self.parts.model;
        let lanes = model.stride().max(1);
        for (state, row) in model.transition.chunks_mut(lanes).enumerate() {
            for (to, p) in row.iter_mut().enumerate() {
                *p = 0.5 * *p + if to == state { 0.5 } else { 0.0 };
            }
        }
        for parameter in model.load.iter_mut().take(states) {
            *parameter = load.with_mean(0.5 * load.mean(*parameter));
        }
        model.derive(load)?;
        self.end_training();
        self.parts.history.clear()
    }

    /// Takes note that the parameters in use have changed, and with them the load model.
    fn take_over(&mut self, load: LoadModel) {
        self.end_training();
        self.state.load = load as u32;
        self.state.ready = 1;
    }

    /// Reports a finished job: the slot in which it was submitted and the bin of its run time. Slots up to this one
    /// that were not known are empty. When the history is full the oldest slots leave. A round of training that uses
    /// one of the slots concerned begins again. O(bins + slots that come or leave).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a bin that the model does not have, a slot that has left, or one beyond 2^53 from 0;
    /// [`Error::Full`] for the 2^32nd job in a slot.
    pub fn observe(&mut self, slot: i64, bin: u32) -> Result<()> {
        if bin >= self.state.capacity.bins {
            return Err(Error::OutOfRange);
        }
        self.extend(slot)?;
        let left = self.parts.history.add(slot, bin)?;
        if left || slot < self.state.progress.to {
            self.begin_again()?;
        }
        Ok(())
    }

    /// Makes this the last slot, empty as yet, if it is later than the last one known.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a slot that has left, or one beyond 2^53 from 0.
    pub fn extend(&mut self, slot: i64) -> Result<()> {
        let ledger = self.parts.history.ledger()?;
        let empty = ledger.first == ledger.end;
        if slot.unsigned_abs() > MAX_SLOT.unsigned_abs() || (!empty && slot < ledger.first) {
            return Err(Error::OutOfRange);
        }
        if (empty || slot >= ledger.end) && self.parts.history.extend(slot + 1)? {
            self.begin_again()?;
        }
        Ok(())
    }

    /// The slots held.
    pub fn slots(&self) -> Range<i64> {
        self.parts.history.ledger().map_or(0..0, |ledger| ledger.first..ledger.end)
    }

    /// Number of finished jobs in these slots, as far as they are held. O(slots), O(1) for all.
    pub fn jobs(&self, slots: Range<i64>) -> u64 {
        jobs_in(&self.parts.history, slots.start, slots.end).unwrap_or(0)
    }

    /// ln Pr(observations in these slots), the first of them having the state probabilities pi. Minus infinity when the
    /// model does not explain them. O(slots M^2).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for slots not held, or none; [`Error::WrongState`] without parameters.
    pub fn log_likelihood(&self, slots: Range<i64>, evidence: Evidence) -> Result<f64> {
        self.check_range(&slots)?;
        self.run(slots, evidence, |_| ())
    }

    /// Pr(state of the last of these slots | observations in them). Returns ln Pr(observations); when that is minus
    /// infinity the model does not explain them, and `probabilities` (one number a state) is not written. O(slots M^2).
    ///
    /// # Errors
    /// As [`Hmm::log_likelihood`]; [`Error::OutOfRange`] also for another number of probabilities.
    pub fn filter(&self, slots: Range<i64>, probabilities: &mut [f64]) -> Result<f64> {
        self.check_range(&slots)?;
        if probabilities.len() != self.states() {
            return Err(Error::OutOfRange);
        }
        self.run(slots, Evidence::Jobs, |filtered| copy(probabilities, filtered))
    }

    /// Calls `visit` with each slot's Pr(state | all observations in these slots), from the last slot to the first.
    /// Returns ln Pr(observations); when that is minus infinity, `visit` was not called. O(slots M^2). Training under
    /// way begins its round again.
    ///
    /// # Errors
    /// As [`Hmm::log_likelihood`].
    pub fn smooth(&mut self, slots: Range<i64>, mut visit: impl FnMut(i64, &[f64])) -> Result<f64> {
        self.check_range(&slots)?;
        let (states, mut work) = (self.states(), u64::MAX);
        let mut progress = Progress { from: slots.start, to: slots.end, ..Progress::zeroed() };
        let mut expectation = Expectation {
            progress: &mut progress,
            sums: &mut self.parts.sums,
            tables: &mut self.parts.model,
            history: &self.parts.history,
            load: LoadModel::from_number(self.state.load).ok_or(Error::Corrupt)?,
            adapting: false,
        };
        expectation.begin();
        let mut seen = |slot: i64, gamma: &[f64]| visit(slot, gamma.get(..states).unwrap_or(gamma));
        let slice = expectation.advance(&mut work, &mut seen)?;
        self.begin_again()?;
        Ok(if slice == Slice::Complete { progress.log_likelihood } else { f64::NEG_INFINITY })
    }

    /// Writes the most likely state of each of these slots into `path`, one number (from 0) a slot. Returns ln Pr(path,
    /// observations); when that is minus infinity the model does not explain them, and `path` is not written. O(slots
    /// M^2). Training under way begins its round again.
    ///
    /// # Errors
    /// As [`Hmm::log_likelihood`]; [`Error::OutOfRange`] also for another number of slots in `path`.
    pub fn viterbi(&mut self, slots: Range<i64>, path: &mut [i32]) -> Result<f64> {
        self.check_range(&slots)?;
        if i64::try_from(path.len()) != Ok(slots.end - slots.start) {
            return Err(Error::OutOfRange);
        }
        let chain = Chain { tables: &self.parts.model, load: self.load(), history: &self.parts.history };
        let likelihood = viterbi(&chain, &mut self.parts.sums, slots.start, path)?;
        self.begin_again()?;
        Ok(likelihood)
    }

    pub(super) fn states(&self) -> usize {
        self.state.capacity.states as usize
    }

    pub(super) fn bins(&self) -> usize {
        self.state.capacity.bins as usize
    }

    pub(super) fn check_ready(&self) -> Result<()> {
        if self.state.ready == 0 { Err(Error::WrongState) } else { Ok(()) }
    }

    pub(super) fn check_range(&self, slots: &Range<i64>) -> Result<()> {
        check_slots(&self.parts.history, slots)?;
        self.check_ready()
    }

    /// Filters these slots; `last` is called with the last one's probabilities if all are explained.
    fn run(&self, slots: Range<i64>, evidence: Evidence, last: impl FnOnce(&[f64])) -> Result<f64> {
        let chain = Chain { tables: &self.parts.model, load: self.load(), history: &self.parts.history };
        let lanes = self.parts.model.stride();
        let mut rooms = [[0.0; MAX_STATES]; 3];
        let [predicted, filtered, emission] = &mut rooms;
        let predicted = predicted.get_mut(..lanes).ok_or(Error::Corrupt)?;
        let filtered = filtered.get_mut(..lanes).ok_or(Error::Corrupt)?;
        let emission = emission.get_mut(..lanes).ok_or(Error::Corrupt)?;
        copy(predicted, self.parts.model.start);
        let likelihood = chain.run(slots.start, slots.end, evidence, predicted, filtered, emission)?;
        if likelihood > f64::NEG_INFINITY {
            last(filtered);
        }
        Ok(likelihood)
    }
}
