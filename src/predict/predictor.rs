//! The predictor in the caller's memory: events in, distributions out, whatever the kind.

mod answer;

use crate::error::{Error, Result};
use crate::hmm::{Hmm, Parameters, Round};
use crate::memory::{Carver, Kind, Object, copy};
use crate::predict::anchor::Setting;
use crate::predict::jobs::{Job, Jobs};
use crate::predict::learner::{Learner, answered, asked_after, enter, mixed};
use crate::predict::options::{RawCapacity, RawOptions};
use crate::predict::{Learning, Mixture, PredictorCapacity, PredictorKind, PredictorOptions};
use crate::runtime::{MAX_BINS, MAX_SECONDS, RawBins, RuntimeBins, RuntimeDistribution, View, check_span};
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};

/// Largest distance of a time from 0, in seconds.
const MAX_TIME: u64 = 1 << 53;

/// Reason why nothing is predicted. The numbers are C's, and lie in checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Silence {
    /// The mixtures: no job has ended yet.
    NothingLearnt = 1,
    /// The hidden Markov models: the initial period is not over.
    InitialPeriod = 2,
    /// The initial period is over, but jobs that were submitted in it are still in the system, and not yet old enough
    /// to be given up.
    InitialJobs = 3,
    /// The first training has not been completed: [`Predictor::train`] is to be called.
    Untrained = 4,
    /// The model does not explain what has happened, and there is no floor ([`PredictorOptions::floor`]).
    Unexplained = 5,
}

impl Silence {
    /// The silence with this number.
    pub fn from_number(number: u32) -> Option<Silence> {
        use Silence::{InitialJobs, InitialPeriod, NothingLearnt, Unexplained, Untrained};
        [NothingLearnt, InitialPeriod, InitialJobs, Untrained, Unexplained]
            .into_iter()
            .find(|silence| *silence as u32 == number)
    }
}

/// A prediction, or the reason why there is none.
pub type Prediction = core::result::Result<RuntimeDistribution, Silence>;

/// The same where it lies.
pub(crate) type PredictionView<'t> = core::result::Result<View<'t>, Silence>;

/// A job that a predictor holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldJob<'k> {
    /// The caller's id.
    pub id: i64,
    /// Time of its submission.
    pub submitted: i64,
    /// Time of its start, if it runs.
    pub started: Option<i64>,
    /// Whether it is given up, being older than [`PredictorOptions::oldest_seconds`].
    pub given_up: bool,
    /// The keys with which it was submitted.
    pub keys: &'k [i64],
}

/// The scalars of a predictor.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    capacity: RawCapacity,
    options: RawOptions,
    bins: RawBins,
    /// The time of the last event.
    now: i64,
    /// Number of finished jobs.
    finished: u64,
    /// Whether there has been an event.
    begun: u64,
}

/// Learns from finished jobs and predicts the run times of others.
///
/// Report every job: [`Predictor::submit`], [`Predictor::start`], then [`Predictor::end`] or [`Predictor::cancel`]. The
/// prediction made for a job when it is submitted is remembered with it ([`Predictor::said`]). A job that stays for too
/// long ([`PredictorOptions::oldest_seconds`]) is given up: nothing waits for it. When [`Predictor::wants_training`] is
/// true, call [`Predictor::train`] until it is done, with as little work a call as suits; events and predictions may
/// come between.
///
/// [`Predictor::predict`] predicts nothing as long as nothing is learnt, and with a hidden Markov model without a floor
/// also when that cannot explain the observations; the [`Silence`] is the reason. With a floor that model's
/// probabilities are mixed with the shares of all finished jobs, by a weight that is learnt on line, so that it does
/// not predict worse than these; without a floor the thesis's rule is followed. Nothing finite that can happen has
/// probability 0 in a prediction: bins of which nothing is known have a share of 1 / (n + 1) together, after n jobs
/// (the safety distribution of section 3.1 of the thesis).
///
/// Times are seconds since any origin, within 2^53 of it; they may stand still but not go back, unless the clock is set
/// ([`Predictor::set_clock`]). Predictions change nothing, whatever their time. Jobs are known by the caller's ids, and
/// to the mixtures by their keys: the capacity's number of them, key 0 being the user; the contexts' are user, time
/// limit in seconds (0 for none) and processors, and their predictions are conditional on the limit. When the history
/// of a hidden Markov model is full its oldest slots leave; a job whose slot has left is not learnt from. An event
/// costs that model a filter step for each slot that has passed since the last one, at most as many as the history
/// holds: tens of milliseconds after a year without any.
///
/// The memory needed is [`Predictor::size`]. For J jobs with K keys and N bins: J (72 + 8 K + 8 N) bytes and at most 16
/// J of index; the learner's ([`Mixture`], [`ContextMixture`](crate::predict::ContextMixture), or [`Hmm`] and on line
/// [`OnlineHmm`](crate::hmm::OnlineHmm)); with a hidden Markov model 8 N for each job more, 8 M for each slot of the
/// window, 48 M (M states, rounded up to a multiple of 8) and 8 N; and about 1,500 bytes.
pub struct Predictor<'a> {
    state: &'a mut State,
    jobs: Jobs<'a>,
    learner: Learner<'a>,
}

impl<'a> Object<'a> for Predictor<'a> {
    const KIND: Kind = Kind::Predictor;
    type Head = Sealed;
    type Capacity = PredictorCapacity;
    type State = State;
    /// The jobs, and the learner's block.
    type Parts = (Jobs<'a>, &'a mut [u8]);

    const MARKED: usize = size_of::<RawCapacity>();

    fn keep(state: &mut State, capacity: &PredictorCapacity) {
        state.capacity = RawCapacity::new(capacity);
    }

    fn check(capacity: &PredictorCapacity) -> Result<()> {
        capacity.check()
    }

    #[inline(always)]
    fn parts(carver: &mut Carver<'a>, capacity: &PredictorCapacity) -> Result<Self::Parts> {
        let learner = Learner::size(capacity)?;
        let (keys, bins) = (capacity.keys() as usize, capacity.bins() as usize);
        let jobs = Jobs::carve(carver, capacity.jobs, keys, bins, capacity.kind.is_hmm())?;
        Ok((jobs, carver.take(learner)?))
    }

    fn capacity_in(state: &State) -> Result<PredictorCapacity> {
        state.capacity.capacity()
    }

    #[inline(always)]
    fn assemble(state: &'a mut State, (jobs, learner): Self::Parts) -> Result<Predictor<'a>> {
        let sound = state.options.slot_seconds > 0
            && state.now.unsigned_abs() <= MAX_TIME
            && state.bins.are(Predictor::capacity_in(state)?.bins());
        if sound { Predictor::assume(state, (jobs, learner)) } else { Err(Error::Corrupt) }
    }

    #[inline(always)]
    fn assume(state: &'a mut State, (jobs, learner): Self::Parts) -> Result<Predictor<'a>> {
        let learner = Learner::find(learner, &Predictor::capacity_in(state)?)?;
        if jobs.is_sound() { Ok(Predictor { state, jobs, learner }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Predictor, checkpoint);

impl<'a> Predictor<'a> {
    /// Bytes that a predictor with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &PredictorCapacity) -> Result<usize> {
        <Predictor as Object>::size(capacity)
    }

    /// Makes a predictor in this memory, which may be longer than needed, for run times in these bins. The whole block
    /// is written.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`]; [`Error::OutOfRange`], also when the number of bins is not the
    /// capacity's; [`Error::NotANumber`].
    pub fn init(
        memory: &'a mut [u8],
        capacity: &PredictorCapacity,
        bins: &RuntimeBins,
        options: &PredictorOptions,
    ) -> Result<Predictor<'a>> {
        capacity.check()?;
        options.check(capacity)?;
        Learner::check(capacity, options)?;
        if bins.count() != capacity.bins() as usize {
            return Err(Error::OutOfRange);
        }
        let (state, (mut jobs, learner)) = Predictor::create(memory, capacity)?;
        jobs.clear()?;
        let learner = Learner::make(learner, capacity, bins, options)?;
        // All else is zeros; a state made beside it would be copied.
        state.capacity = RawCapacity::new(capacity);
        state.options = RawOptions::new(options);
        state.bins = RawBins::new(bins);
        Ok(Predictor { state, jobs, learner })
    }

    /// Takes over the learnt state and the jobs of a predictor of contexts, which has room for at most as many jobs and
    /// else the same capacity: a full predictor moves into a larger block. O(size).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for another kind or capacity; [`Error::Corrupt`].
    pub fn continue_from(&mut self, other: &Predictor<'_>) -> Result<()> {
        let (Learner::Contexts(to), Learner::Contexts(from)) = (&mut self.learner, &other.learner) else {
            return Err(Error::OutOfRange);
        };
        to.continue_from(from)?;
        self.jobs.continue_from(&other.jobs)?;
        let capacity = self.state.capacity;
        *self.state = *other.state;
        self.state.capacity = capacity;
        Ok(())
    }

    /// Kind and capacities.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn capacity(&self) -> Result<PredictorCapacity> {
        self.state.capacity.capacity()
    }

    /// Kind of predictor.
    pub fn kind(&self) -> PredictorKind {
        self.state.capacity.capacity().map_or(PredictorKind::default(), |capacity| capacity.kind)
    }

    /// The model and the observations of a hidden Markov model.
    pub fn hmm(&self) -> Option<&Hmm<'a>> {
        match &self.learner {
            Learner::Hmm(tracker) => Some(tracker.hmm()),
            Learner::Mixture(_) | Learner::Contexts(_) => None,
        }
    }

    /// The mixture of histories, if it is one.
    pub fn mixture(&self) -> Option<&Mixture<'a>> {
        match &self.learner {
            Learner::Mixture(mixture) => Some(mixture),
            Learner::Hmm(_) | Learner::Contexts(_) => None,
        }
    }

    /// Number of jobs in the system, those given up included.
    pub fn jobs(&self) -> u32 {
        self.jobs.count()
    }

    /// The jobs in the system, the oldest first: those whose ends got lost, if any, are at the front.
    pub fn held(&self) -> impl Iterator<Item = HeldJob<'_>> {
        let held = |(job, keys): (&Job, _)| HeldJob {
            id: job.id,
            submitted: job.submitted,
            started: (job.running != 0).then_some(job.started),
            given_up: job.given_up != 0,
            keys,
        };
        self.jobs.by_age().map(held)
    }

    /// The time of the last event, or the one to which the clock was set; `None` before the first.
    pub fn last_event(&self) -> Option<i64> {
        (self.state.begun != 0).then_some(self.state.now)
    }

    /// Number of jobs that have finished, or were learnt from otherwise.
    pub fn finished(&self) -> u64 {
        self.state.finished
    }

    /// Number of jobs that ended too late for a hidden Markov model to learn from them: their slot had left the
    /// history, or had been learnt on line.
    pub fn late_jobs(&self) -> u64 {
        match &self.learner {
            Learner::Hmm(tracker) => tracker.late_jobs(),
            Learner::Mixture(_) | Learner::Contexts(_) => 0,
        }
    }

    /// Starts a hidden Markov model from one learnt elsewhere: it predicts from now on, and is trained further once the
    /// initial period is over.
    ///
    /// # Errors
    /// As [`Parameters::check`]; [`Error::WrongState`] after the first event, and of other kinds.
    pub fn set_model(&mut self, parameters: &Parameters<'_>) -> Result<()> {
        match &mut self.learner {
            Learner::Hmm(tracker) if self.state.begun == 0 => tracker.set_model(parameters),
            _ => Err(Error::WrongState),
        }
    }

    /// Result of the last training; `None` before the first.
    pub fn last_round(&self) -> Option<Round> {
        match &self.learner {
            Learner::Hmm(tracker) => tracker.last_round(),
            Learner::Mixture(_) | Learner::Contexts(_) => None,
        }
    }

    /// Records that a job with these keys was submitted; the prediction for it is remembered. When the table of jobs is
    /// full a job that is given up makes room. Costs as much as [`Predictor::predict`], amortised over the slots that
    /// pass.
    ///
    /// # Errors
    /// [`Error::DuplicateJob`], [`Error::Full`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time or
    /// another number of keys than the capacity's.
    pub fn submit(&mut self, id: i64, keys: &[i64], now: i64) -> Result<()> {
        self.check_time(now)?;
        self.check_keys(keys)?;
        if self.jobs.get(id)?.is_some() {
            return Err(Error::DuplicateJob);
        }
        let setting = Setting { options: &self.state.options, bins: &self.state.bins, now };
        if self.jobs.is_full() && !self.jobs.oldest_counted().is_some_and(|(_, job)| setting.gives_up(job)) {
            return Err(Error::Full);
        }
        self.advance(now)?;
        if let Learner::Contexts(contexts) = &mut self.learner {
            return enter(contexts, &mut self.jobs, id, keys, now);
        }
        let (mut room, mut own) = ([0.0; MAX_BINS], [0.0; MAX_BINS]);
        let said = room.get_mut(..self.state.capacity.capacity()?.bins() as usize).ok_or(Error::Corrupt)?;
        let silence = self.find(keys, now, said, &mut own)?;
        let said = match silence {
            None => Ok(&*said),
            Some(silence) => Err(silence as u32),
        };
        let setting = Setting { options: &self.state.options, bins: &self.state.bins, now };
        let (slot, initial) = match &mut self.learner {
            Learner::Hmm(tracker) => tracker.submitted(setting)?,
            Learner::Mixture(_) | Learner::Contexts(_) => (0, false),
        };
        let record = self.jobs.insert(id, slot, now, keys, said)?;
        copy(self.jobs.own_mut(record)?, &own);
        self.jobs.job_mut(record)?.initial = u32::from(initial);
        Ok(())
    }

    /// Records that a submitted job was started. O(1) amortised over the slots that pass.
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::AlreadyStarted`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd
    /// time.
    pub fn start(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        let record = self.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        if self.jobs.job(record)?.running != 0 {
            return Err(Error::AlreadyStarted);
        }
        self.advance(now)?;
        let job = self.jobs.job_mut(record)?;
        (job.running, job.started, job.bin) = (1, now, 0);
        let setting = Setting { options: &self.state.options, bins: &self.state.bins, now };
        match &mut self.learner {
            Learner::Hmm(tracker) => tracker.started(record, &mut self.jobs, setting),
            Learner::Contexts(contexts) => contexts.start(record, now).map_err(|_| Error::Corrupt),
            Learner::Mixture(_) => Ok(()),
        }
    }

    /// Records that a running job ended; its run time is learnt. O(bins) amortised over the slots that pass; a
    /// mixture's: O(experts x bins).
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::NotStarted`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time.
    pub fn end(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        let record = self.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        let job = *self.jobs.job(record)?;
        if job.running == 0 {
            return Err(Error::NotStarted);
        }
        self.advance(now)?;
        let run_time = now.saturating_sub(job.started).clamp(0, MAX_SECONDS);
        self.state.finished = self.state.finished.saturating_add(1);
        let bin = self.state.bins.bin_of(run_time as f64) as u32;
        match &mut self.learner {
            Learner::Hmm(tracker) => tracker.ended(record, bin, &mut self.jobs, &self.state.options)?,
            Learner::Mixture(mixture) => mixture.learn(self.jobs.keys(record)?, run_time)?,
            Learner::Contexts(contexts) => {
                contexts.end(record, run_time, now).map_err(|_| Error::Corrupt)?;
            }
        }
        self.jobs.remove(id)
    }

    /// Records that a job left without having run to its end: cancelled while queued, or running but not to be learnt
    /// from. O(1) amortised over the slots that pass.
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time.
    pub fn cancel(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        let record = self.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        self.advance(now)?;
        match &mut self.learner {
            Learner::Hmm(tracker) => tracker.cancelled(record, &mut self.jobs, &self.state.options)?,
            Learner::Contexts(contexts) => contexts.cancel(record).map_err(|_| Error::Corrupt)?,
            Learner::Mixture(_) => {}
        }
        self.jobs.remove(id)
    }

    /// Teaches a mixture a job that was not reported to it, or whose run time is known better than by its start and
    /// end: one with these keys ran for `run_time` seconds (0 to [`MAX_SECONDS`]). For the contexts it ended at the
    /// time of the last event. O(experts x bins).
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::SpanTooLong`]; [`Error::WrongState`] with a hidden Markov model, which learns
    /// from past jobs by their events.
    pub fn learn(&mut self, keys: &[i64], run_time: i64) -> Result<()> {
        match &mut self.learner {
            Learner::Mixture(mixture) => mixture.learn(keys, run_time)?,
            Learner::Contexts(contexts) => {
                contexts.check_keys(keys)?;
                check_span(run_time)?;
                contexts.learn(keys, run_time, self.state.now)?;
            }
            Learner::Hmm(_) => return Err(Error::WrongState),
        }
        self.state.finished = self.state.finished.saturating_add(1);
        Ok(())
    }

    /// Sets the clock right: from now on it is `now`, whatever time was reported before. A later time is like that of
    /// an event. Where it is earlier, later events count as having happened now; if everything that a hidden Markov
    /// model holds is later, its finished jobs are forgotten, but neither the model nor the jobs in the system. Jobs
    /// that were given up by the wrong clock alone are taken up again. Later slots that a model has learnt on line are
    /// not learnt a second time: the filter forgets those slots' finished jobs, and their jobs in the system stay given
    /// up. Training under way is given up. O(jobs + slots M^2).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an absurd time.
    pub fn set_clock(&mut self, now: i64) -> Result<()> {
        if now.unsigned_abs() > MAX_TIME {
            return Err(Error::OutOfRange);
        }
        if self.state.begun == 0 || now >= self.state.now {
            return self.advance(now);
        }
        self.state.now = now;
        let mut record = self.jobs.newest();
        for _ in 0..self.jobs.count() {
            let job = self.jobs.job_mut(record)?;
            job.submitted = job.submitted.min(now);
            job.started = job.started.min(now);
            record = self.jobs.older(record)?;
        }
        let setting = Setting { options: &self.state.options, bins: &self.state.bins, now };
        // Jobs that were given up by the wrong clock alone are taken up again; a slot that is learnt on line waits for
        // no job any more.
        for _ in 0..self.jobs.count() {
            let Some((record, job)) = self.jobs.youngest_given_up() else { break };
            let lasting = match &self.learner {
                Learner::Hmm(tracker) => tracker.is_learnt(job.slot),
                Learner::Mixture(_) | Learner::Contexts(_) => false,
            };
            if lasting || setting.is_too_old(job) {
                break;
            }
            self.jobs.take_up(record)?;
            match &mut self.learner {
                Learner::Hmm(tracker) => tracker.take_up(record, &mut self.jobs, setting)?,
                Learner::Contexts(contexts) => contexts.take_up(record).map_err(|_| Error::Corrupt)?,
                Learner::Mixture(_) => {}
            }
        }
        match &mut self.learner {
            Learner::Hmm(tracker) => tracker.move_back(&mut self.jobs, setting),
            Learner::Contexts(contexts) => {
                contexts.move_back(now);
                Ok(())
            }
            Learner::Mixture(_) => Ok(()),
        }
    }

    /// Whether training is under way or should begin, at the time of the last event. O(1).
    pub fn wants_training(&self) -> bool {
        match &self.learner {
            Learner::Hmm(tracker) => tracker.wants_training(self.setting()),
            Learner::Mixture(_) | Learner::Contexts(_) => false,
        }
    }

    /// Trains, if that is wanted, for about `work` visits to slots (at least 1): a round visits every slot three times.
    /// The result does not depend on how training is sliced, as long as no event comes between. O(work M^2).
    ///
    /// On line a slot is visited once, in O(M^3 (M + N)). [`Learning::Done`] then holds ln Pr, jobs and unexplained
    /// slots of the slots learnt since the last time, the model's changes since then, and as rounds the number of slots
    /// learnt in all. A mixture learns as jobs end, and is idle.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for no work.
    pub fn train(&mut self, work: u64) -> Result<Learning> {
        if work == 0 {
            return Err(Error::OutOfRange);
        }
        if !self.wants_training() {
            return Ok(Learning::Idle);
        }
        let State { options, bins, now, .. } = &*self.state;
        match &mut self.learner {
            Learner::Hmm(tracker) => tracker.train(Setting { options, bins, now: *now }, work),
            Learner::Mixture(_) | Learner::Contexts(_) => Ok(Learning::Idle),
        }
    }

    fn setting(&self) -> Setting<'_> {
        Setting { options: &self.state.options, bins: &self.state.bins, now: self.state.now }
    }

    fn check_time(&self, now: i64) -> Result<()> {
        if now.unsigned_abs() > MAX_TIME {
            return Err(Error::OutOfRange);
        }
        if self.state.begun != 0 && now < self.state.now { Err(Error::TimeWentBack) } else { Ok(()) }
    }

    fn check_keys(&self, keys: &[i64]) -> Result<()> {
        let wanted = self.state.capacity.capacity()?.keys() as usize;
        if keys.len() == wanted { Ok(()) } else { Err(Error::OutOfRange) }
    }

    /// Advances to `now`: jobs grow too old, slots pass.
    fn advance(&mut self, now: i64) -> Result<()> {
        (self.state.now, self.state.begun) = (now, 1);
        let setting = Setting { options: &self.state.options, bins: &self.state.bins, now };
        while let Some((record, job)) = self.jobs.oldest_counted() {
            if !setting.gives_up(job) {
                break;
            }
            match &mut self.learner {
                Learner::Hmm(tracker) => tracker.give_up(record, &mut self.jobs)?,
                Learner::Contexts(contexts) => contexts.give_up(record).map_err(|_| Error::Corrupt)?,
                Learner::Mixture(_) => {}
            }
            self.jobs.give_up(record)?;
        }
        match &mut self.learner {
            Learner::Hmm(tracker) => tracker.advance(setting),
            Learner::Mixture(_) | Learner::Contexts(_) => Ok(()),
        }
    }
}
