//! The predictor in the caller's memory: events in, distributions out.

use crate::error::{Error, Result};
use crate::hmm::{
    Hmm, HmmLimits, Initial, LoadModel, OnlineHmm, OnlineOptions, Parameters, Round, Termination,
};
use crate::memory::{Carver, Header, Kind, at, at_mut};
use crate::predict::jobs::{Job, Jobs};
use crate::predict::phase::{FILTER, LastRound};
use crate::runtime::{MAX_BINS, RawBins, RuntimeBins};
use crate::seal;
use bytemuck::{Pod, Zeroable};

const KIND: Kind = Kind::Predictor;

/// Times are within this distance from 0.
const MAX_TIME: u64 = 1 << 53;

/// Capacities of a [`Predictor`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PredictorLimits {
    /// Jobs in the system, queued or running (1 to 2^24).
    pub jobs: u32,
    /// States, bins, slots kept and cells kept, as for a model.
    pub hmm: HmmLimits,
    /// Slots, from the earliest that still has a job in the system, whose filtered state is remembered from one prediction to
    /// the next (1 to 2^24); what lies behind is computed again each time.
    pub window: u32,
    /// How the model is learnt: 0, by Baum-Welch over the slots kept; 1, on line, by [`OnlineHmm`](crate::hmm::OnlineHmm), slot by slot as all jobs of a
    /// slot have left. On line no slot is needed any more once it is learnt: slots and cells need only reach as far back as
    /// jobs stay in the system, so memory does not depend on the history's length.
    pub online: u32,
}

impl Default for PredictorLimits {
    /// 4,096 jobs, 16 states, 24 bins, a year of slots of 15 min, 100,000 cells, 1,024 slots remembered; Baum-Welch.
    fn default() -> PredictorLimits {
        PredictorLimits { jobs: 4096, hmm: HmmLimits::default(), window: 1024, online: 0 }
    }
}

/// How a [`Predictor`] learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictorOptions {
    /// Length of a slot in seconds (1 to 2^32).
    pub slot_seconds: i64,
    /// No training before so many seconds after the first submission, and before all jobs submitted in them have ended (0 to
    /// 2^40).
    pub initial_seconds: i64,
    /// How the number of jobs in a slot is modelled. A slot's load is the number of its jobs that have started.
    pub load: LoadModel,
    /// Where the first training starts from. k-means needs a number of states that is a power of two.
    pub initial: Initial,
    /// When a training stops. With [`Termination::L1`], training also begins again as soon as, with more jobs finished, the
    /// last change is no longer below the threshold.
    pub termination: Termination,
    /// A training stops after so many rounds at the latest (at least 1).
    pub most_rounds: u64,
    /// With the other criteria, training begins again when so many seconds of new slots are finished (1 to 2^40).
    pub restart_seconds: i64,
    /// What happens when no possible state explains a slot, in a bin that none has seen for example (0 to below 1). With 0, the
    /// thesis's rule, the predictor is silent until it has learnt from that slot. Else the slot is filtered as if every state
    /// had drawn any of the N bins with this probability, B'_ij = (1 - floor) B_ij + floor / N, and training begins as early as under the
    /// thesis's rule. Predictions mix the states' learnt distributions, without the floor.
    pub floor: f64,
    /// On line: a of the step size t^-a (above 0.5, at most 1). See [`OnlineOptions`].
    pub exponent: f64,
    /// On line: slots before the first maximisation step.
    pub hold: u64,
}

impl Default for PredictorOptions {
    /// The thesis's: slots of 15 min, a week, no load model, Static-IV, L1 with 200; at most 1,000 rounds; weekly. But with a
    /// floor of 1e-3, so that no unexplained slot silences it; on four traces its size makes no difference.
    fn default() -> PredictorOptions {
        PredictorOptions {
            slot_seconds: 900,
            initial_seconds: 7 * 86_400,
            load: LoadModel::None,
            initial: Initial::Static,
            termination: Termination::L1(200.0),
            most_rounds: 1000,
            restart_seconds: 7 * 86_400,
            floor: OnlineOptions::default().floor,
            exponent: OnlineOptions::default().exponent,
            hold: OnlineOptions::default().hold,
        }
    }
}

impl PredictorOptions {
    fn check(&self, limits: &PredictorLimits) -> Result<()> {
        self.termination.check()?;
        self.online().check()?;
        let valid = (1..=1 << 32).contains(&self.slot_seconds)
            && (0..=1 << 40).contains(&self.initial_seconds)
            && (1..=1 << 40).contains(&self.restart_seconds)
            && self.most_rounds > 0
            && (self.initial != Initial::KMeans || limits.hmm.states.is_power_of_two());
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    fn online(&self) -> OnlineOptions {
        OnlineOptions { exponent: self.exponent, hold: self.hold, floor: self.floor }
    }
}

/// The options as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RawOptions {
    pub slot_seconds: i64,
    pub initial_seconds: i64,
    pub restart_seconds: i64,
    pub most_rounds: u64,
    pub rounds: u64,
    pub epsilon: f64,
    pub floor: f64,
    pub criterion: u32,
    pub load: u32,
    pub initial: u32,
    padding: u32,
}

impl RawOptions {
    fn new(options: &PredictorOptions) -> RawOptions {
        let (criterion, rounds, epsilon) = match options.termination {
            Termination::Rounds(rounds) => (0, rounds, 0.0),
            Termination::L1(epsilon) => (1, 0, epsilon),
            Termination::LInfinity(epsilon) => (2, 0, epsilon),
        };
        RawOptions {
            slot_seconds: options.slot_seconds,
            initial_seconds: options.initial_seconds,
            restart_seconds: options.restart_seconds,
            most_rounds: options.most_rounds,
            rounds,
            epsilon,
            floor: options.floor,
            criterion,
            load: options.load as u32,
            initial: options.initial as u32,
            padding: 0,
        }
    }

    pub fn termination(&self) -> Termination {
        match self.criterion {
            0 => Termination::Rounds(self.rounds),
            1 => Termination::L1(self.epsilon),
            _ => Termination::LInfinity(self.epsilon),
        }
    }

    pub fn load(&self) -> LoadModel {
        LoadModel::from_number(self.load).unwrap_or_default()
    }

    pub fn initial(&self) -> Initial {
        Initial::from_number(self.initial).unwrap_or_default()
    }
}

/// The scalars of a predictor.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct State {
    header: Header,
    /// The checksum of a sealed block.
    seal: u64,
    pub limits: PredictorLimits,
    /// Jobs of the initial period that are in the system.
    pub initial_jobs: u32,
    pub options: RawOptions,
    pub bins: RawBins,
    /// The time of the last event, and the first submission's.
    pub now: i64,
    pub first_submission: i64,
    /// The slot of `now`.
    pub present: i64,
    /// The earliest slot with a job in the system, or else the present one: nothing before it will change.
    pub anchor: i64,
    /// The window holds the predictions for the slots `anchor..=known`.
    pub known: i64,
    /// From this time on a running job is in a higher bin than the window knows.
    pub stale: i64,
    /// The end of the slots trained on.
    pub trained: i64,
    /// Where the filter of a new model has come to; on line, the next slot to learn.
    pub position: i64,
    /// Finished jobs in slots from `anchor` on.
    pub unsettled: u64,
    /// Whether an event has been.
    pub begun: u32,
    /// Whether there was a submission.
    pub submitted: u32,
    /// Whether there is a model.
    pub ready: u32,
    /// Whether the model explains the slots before `anchor`.
    pub explains: u32,
    /// One of the phases.
    pub phase: u32,
    /// Whether the model in training explains the slots before `position`.
    pub draft_explains: u32,
    /// The last round.
    pub last: LastRound,
    /// On line: ln Pr, jobs, and slots not explained, of the slots learnt since the model was last put to use.
    pub learnt: f64,
    pub learnt_jobs: u64,
    pub learnt_unexplained: u64,
}

/// The slices of a predictor's block, beside the model's.
pub(super) struct Parts<'a> {
    pub jobs: Jobs<'a>,
    /// A ring of predictions, for slots from `anchor` on.
    pub window: &'a mut [f64],
    pub predicted: &'a mut [f64],
    pub filtered: &'a mut [f64],
    pub emission: &'a mut [f64],
    /// The prediction of the model in training for the slot `position`.
    pub ahead: &'a mut [f64],
}

/// Learns from finished jobs and predicts how long a job submitted now will run.
///
/// Report every job: [`Predictor::submit`], [`Predictor::start`], [`Predictor::end`] or [`Predictor::cancel`]. When [`Predictor::wants_training`] says so, call
/// [`Predictor::train`] until it is done, with as little work a call as suits; events and predictions may come between.
/// [`Predictor::predict`] is silent as long as nothing is learnt, and without a floor ([`PredictorOptions::floor`]) when the
/// model cannot explain what is happening.
///
/// Times are seconds since any origin, within 2^53 of it; they may stand still but not go back. Jobs are known by the
/// caller's ids. When the history is full its oldest slots leave; a job whose slot has left is not learnt from. An event costs a
/// filter step for each slot that has passed since the last one, at most as many as the history holds: tens of milliseconds
/// after a year without any.
///
/// The memory needed is [`Predictor::size`]: the model's ([`Hmm`]), 48 bytes and at most 16 of index for each job, 8 M for each slot
/// of the window (M rounded up to a multiple of 8), 32 M and about 1,200 bytes; on line also [`OnlineHmm`]'s.
pub struct Predictor<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
    pub(super) hmm: Hmm<'a>,
    pub(super) online: Option<OnlineHmm<'a>>,
}

fn layout<'a>(carver: &mut Carver<'a>, limits: &PredictorLimits) -> Result<(&'a mut [State], Parts<'a>)> {
    let valid = (1..=1 << 24).contains(&limits.jobs) && (1..=1 << 24).contains(&limits.window);
    if !(valid && limits.online <= 1) {
        return Err(Error::OutOfRange);
    }
    // The model's own walk checks this; here it only must not overflow.
    let lanes = (limits.hmm.states.min(1 << 16) as usize).next_multiple_of(8);
    let state = carver.take(1)?;
    let parts = Parts {
        jobs: Jobs::carve(carver, limits.jobs)?,
        window: carver.take((limits.window as usize).checked_mul(lanes).ok_or(Error::OutOfRange)?)?,
        predicted: carver.take(lanes)?,
        filtered: carver.take(lanes)?,
        emission: carver.take(lanes)?,
        ahead: carver.take(lanes)?,
    };
    Ok((state, parts))
}

impl<'a> Predictor<'a> {
    /// Bytes that a predictor with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(limits: &PredictorLimits) -> Result<usize> {
        let mut carver = Carver::measuring();
        layout(&mut carver, limits)?;
        let HmmLimits { states, bins, .. } = limits.hmm;
        let online = if limits.online == 0 { 0 } else { OnlineHmm::size(states, bins)? };
        let models = Hmm::size(&limits.hmm)?.checked_add(online).ok_or(Error::OutOfRange)?;
        carver.size().checked_add(models).ok_or(Error::OutOfRange)
    }

    /// Makes a predictor in this memory, which may be longer than needed, for run times in these bins. All of it is written.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`]; [`Error::OutOfRange`], also when the bins are not as many as the limits say;
    /// [`Error::NotANumber`].
    pub fn init(
        memory: &'a mut [u8],
        limits: &PredictorLimits,
        bins: &RuntimeBins,
        options: &PredictorOptions,
    ) -> Result<Predictor<'a>> {
        let size = Predictor::size(limits)?;
        options.check(limits)?;
        if bins.count() != limits.hmm.bins as usize {
            return Err(Error::OutOfRange);
        }
        let memory = memory.get_mut(..size).ok_or(Error::TooSmall)?;
        Carver::of(&mut *memory)?;
        memory.fill(0);
        let mut predictor = Predictor::carve(memory, limits)?;
        *predictor.state = State {
            header: Header::new(KIND, size),
            limits: *limits,
            options: RawOptions::new(options),
            bins: RawBins::new(bins),
            stale: i64::MAX,
            ..State::zeroed()
        };
        predictor.parts.jobs.clear()?;
        predictor.hmm.reset(&limits.hmm, Hmm::size(&limits.hmm)?)?;
        if let Some(online) = &mut predictor.online {
            online.reset(limits.hmm.states, limits.hmm.bins, &options.online())?;
            online.set_static(options.load)?;
        }
        Ok(predictor)
    }

    fn carve(memory: &'a mut [u8], limits: &PredictorLimits) -> Result<Predictor<'a>> {
        let mut carver = Carver::of(memory)?;
        let (state, parts) = layout(&mut carver, limits)?;
        let hmm = Hmm::carve(&mut carver, &limits.hmm)?;
        let HmmLimits { states, bins, .. } = limits.hmm;
        let online = match limits.online {
            0 => None,
            _ => Some(OnlineHmm::carve(&mut carver, states, bins)?),
        };
        Ok(Predictor { state: at_mut(state, 0)?, parts, hmm, online })
    }

    /// How many bytes at the start of a block [`Predictor::block_size`] wants to see.
    pub const PREFIX: usize = size_of::<State>();

    /// The size of the block that starts with these bytes. O(1).
    ///
    /// # Errors
    /// As [`Predictor::attach`].
    pub fn block_size(prefix: &mut [u8]) -> Result<usize> {
        let state: &[State] = Carver::of(prefix)?.take(1)?;
        let state = at(state, 0)?;
        state.header.check(KIND)?;
        let size = Predictor::size(&state.limits).map_err(|_| Error::Corrupt)?;
        if usize::try_from(state.header.size) == Ok(size) { Ok(size) } else { Err(Error::Corrupt) }
    }

    /// The predictor that [`Predictor::init`] made in this memory. O(1).
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::WrongObject`], [`Error::WrongVersion`],
    /// [`Error::ForeignByteOrder`], [`Error::Corrupt`].
    pub fn attach(memory: &'a mut [u8]) -> Result<Predictor<'a>> {
        let size = Predictor::block_size(memory)?;
        let memory = memory.get_mut(..size).ok_or(Error::TooSmall)?;
        let limits = {
            let state: &[State] = Carver::of(&mut *memory)?.take(1)?;
            at(state, 0)?.limits
        };
        let predictor = Predictor::carve(memory, &limits)?;
        predictor.hmm.check()?;
        if let Some(online) = &predictor.online {
            online.check(limits.hmm.states, limits.hmm.bins)?;
        }
        if predictor.is_sound() { Ok(predictor) } else { Err(Error::Corrupt) }
    }

    /// Whether the scalars can be. O(1).
    fn is_sound(&self) -> bool {
        let state = &*self.state;
        let held = self.hmm.slots();
        let times = [state.now, state.first_submission];
        let places = state.begun == 0
            || (held.contains(&state.anchor)
                && state.present == held.end - 1
                && (state.anchor..=state.present).contains(&state.known)
                && (state.phase != FILTER || (held.start..=state.anchor).contains(&state.position))
                && (self.online.is_none() || state.position <= state.anchor)
                && state.trained <= state.present);
        state.options.slot_seconds > 0
            && self.hmm.limits() == &state.limits.hmm
            && times.iter().all(|time| time.unsigned_abs() <= MAX_TIME)
            && self.parts.jobs.is_sound()
            && places
    }

    /// Makes the block a checkpoint: writes its checksum. Any later call that changes it breaks the seal. O(size).
    ///
    /// # Errors
    /// As [`Predictor::attach`].
    pub fn seal(memory: &mut [u8]) -> Result<()> {
        let size = Predictor::block_size(memory)?;
        seal::seal(memory.get_mut(..size).ok_or(Error::TooSmall)?)
    }

    /// The predictor in a checkpoint: a block as [`Predictor::seal`] left it. It goes on bit for bit as the sealed one would have,
    /// in the middle of training too. O(size).
    ///
    /// # Errors
    /// As [`Predictor::attach`]; [`Error::Corrupt`] also for every change since it was sealed.
    pub fn open(memory: &'a mut [u8]) -> Result<Predictor<'a>> {
        let size = Predictor::block_size(memory)?;
        seal::check(memory.get(..size).ok_or(Error::TooSmall)?)?;
        Predictor::attach(memory)
    }

    /// The capacities.
    pub fn limits(&self) -> &PredictorLimits {
        &self.state.limits
    }

    /// The model and the observations.
    pub fn hmm(&self) -> &Hmm<'a> {
        &self.hmm
    }

    /// Jobs in the system.
    pub fn jobs(&self) -> u32 {
        self.parts.jobs.count()
    }

    /// Jobs that ended too late to be learnt from: their slot had left the history.
    pub fn late_jobs(&self) -> u64 {
        self.hmm.history().ledger().map_or(0, |ledger| ledger.late)
    }

    /// Starts from a model learnt elsewhere: it predicts from now on, and is trained further once the initial period is over.
    ///
    /// # Errors
    /// As [`Parameters::check`]; [`Error::WrongState`] after the first event.
    pub fn set_model(&mut self, parameters: &Parameters<'_>) -> Result<()> {
        if self.state.begun != 0 {
            return Err(Error::WrongState);
        }
        self.hmm.set_parameters(parameters)?;
        if let Some(online) = &mut self.online {
            online.set(parameters)?;
        }
        self.state.ready = 1;
        self.state.last.l1 = f64::INFINITY;
        Ok(())
    }

    /// A job was submitted. O(1) amortised over the slots that pass.
    ///
    /// # Errors
    /// [`Error::DuplicateJob`], [`Error::Full`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time.
    pub fn submit(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        if self.parts.jobs.get(id)?.is_some() {
            return Err(Error::DuplicateJob);
        }
        if self.parts.jobs.is_full() {
            return Err(Error::Full);
        }
        self.advance(now)?;
        let state = &mut *self.state;
        if state.submitted == 0 {
            (state.submitted, state.first_submission) = (1, now);
        }
        let initial = now - state.first_submission < state.options.initial_seconds;
        state.initial_jobs = state.initial_jobs.saturating_add(u32::from(initial));
        let present = state.present;
        self.parts.jobs.insert(id, present, initial)?;
        let slot = self.hmm.history_mut().slot_mut(present)?;
        slot.open = slot.open.saturating_add(1);
        Ok(())
    }

    /// A submitted job was started. O(1) amortised over the slots that pass.
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::AlreadyStarted`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time.
    pub fn start(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        let record = self.parts.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        if self.parts.jobs.job(record)?.running != 0 {
            return Err(Error::AlreadyStarted);
        }
        self.advance(now)?;
        let job = self.parts.jobs.job_mut(record)?;
        (job.running, job.started, job.bin) = (1, now, 0);
        let slot = job.slot;
        if slot >= self.hmm.slots().start {
            let mut first = self.hmm.history().slot(slot)?.running;
            self.parts.jobs.link(record, &mut first)?;
            self.hmm.history_mut().slot_mut(slot)?.running = first;
            self.changed(slot);
        }
        self.state.stale = self.state.stale.min(self.next_bin(now, 0));
        Ok(())
    }

    /// A running job ended. O(bins) amortised over the slots that pass.
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::NotStarted`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time.
    pub fn end(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        let record = self.parts.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        if self.parts.jobs.job(record)?.running == 0 {
            return Err(Error::NotStarted);
        }
        self.advance(now)?;
        let job = *self.parts.jobs.job(record)?;
        self.leave(record, &job)?;
        let bin = self.state.bins.bin_of(now.saturating_sub(job.started) as f64) as u32;
        if job.slot < self.hmm.slots().start {
            return self.hmm.history_mut().count_late();
        }
        self.changed(job.slot);
        self.state.unsettled = self.state.unsettled.saturating_add(1);
        if self.hmm.history_mut().add(job.slot, bin)? {
            self.slots_left()?;
        }
        self.settle()
    }

    /// A job left without having run to its end: cancelled while queued, or running but not to be learnt from. O(1) amortised
    /// over the slots that pass.
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time.
    pub fn cancel(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        let record = self.parts.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        self.advance(now)?;
        let job = *self.parts.jobs.job(record)?;
        self.leave(record, &job)?;
        if job.running != 0 {
            self.changed(job.slot);
        }
        self.settle()
    }

    /// Takes a job out of the table, its slot's count and its slot's list.
    fn leave(&mut self, record: u32, job: &Job) -> Result<()> {
        self.state.initial_jobs = self.state.initial_jobs.saturating_sub(job.initial);
        if job.slot >= self.hmm.slots().start {
            let slot = self.hmm.history_mut().slot_mut(job.slot)?;
            slot.open = slot.open.saturating_sub(1);
            if job.running != 0 {
                self.parts.jobs.unlink(record, &mut slot.running)?;
            }
        }
        self.parts.jobs.remove(job.id)
    }

    pub(super) fn check_time(&self, now: i64) -> Result<()> {
        if now.unsigned_abs() > MAX_TIME {
            return Err(Error::OutOfRange);
        }
        if self.state.begun != 0 && now < self.state.now { Err(Error::TimeWentBack) } else { Ok(()) }
    }

    /// When a job started then that is in this bin will have run into the next.
    pub(super) fn next_bin(&self, started: i64, bin: usize) -> i64 {
        let edge = libm::ceil(self.state.bins.upper(bin.min(MAX_BINS)));
        if edge < MAX_TIME as f64 { started.saturating_add(edge as i64) } else { i64::MAX }
    }

    /// How training went the last time; `None` before it was done.
    pub fn last_round(&self) -> Option<Round> {
        if self.state.last.rounds == 0 { None } else { Some(self.state.last.round()) }
    }
}
