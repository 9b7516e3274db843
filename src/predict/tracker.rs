//! State of the two kinds of predictor with a hidden Markov model: the model, the slots' finished jobs, the filter
//! behind the anchor, and the progress of learning (Nissimov 2006, chapter 4). The jobs in the system are the
//! predictor's.

use crate::error::{Error, Result};
use crate::hmm::{Hmm, HmmCapacity, NONE, OnlineHmm, Parameters, Round};
use crate::memory::{Carver, at_mut, copy};
use crate::predict::Silence;
use crate::predict::anchor::{self, Anchor, Setting};
use crate::predict::fallback::Fallback;
use crate::predict::jobs::{Job, Jobs};
use crate::predict::options::{PredictorCapacity, PredictorKind, PredictorOptions, RawOptions};
use crate::predict::safety::make_safe;
use crate::predict::training::{self, Learning, Training};
use bytemuck::{Pod, Zeroable};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct State {
    first_submission: i64,
    /// Whether there was a submission.
    submitted: u32,
    /// Number of jobs of the initial period that are in the system and not given up.
    initial_jobs: u32,
}

/// The hidden Markov model of the workload, followed from event to event.
pub(super) struct Tracker<'a> {
    state: &'a mut State,
    fallback: Fallback<'a>,
    anchor: Anchor<'a>,
    training: Training<'a>,
    hmm: Hmm<'a>,
    online: Option<OnlineHmm<'a>>,
}

type Parts<'a> = (&'a mut [State], (&'a mut [f64], &'a mut [f64]), anchor::Parts<'a>, training::Parts<'a>);

fn layout<'a>(carver: &mut Carver<'a>, capacity: &PredictorCapacity) -> Result<Parts<'a>> {
    // The model's own walk checks this; here it only must not overflow.
    let lanes = (capacity.hmm.states.min(1 << 16) as usize).next_multiple_of(8);
    let state = carver.take(1)?;
    let fallback = Fallback::carve(carver, capacity.bins() as usize)?;
    Ok((state, fallback, Anchor::carve(carver, capacity.window, lanes)?, Training::carve(carver, lanes)?))
}

impl<'a> Tracker<'a> {
    /// Bytes that a tracker needs.
    pub fn size(capacity: &PredictorCapacity) -> Result<usize> {
        let mut carver = Carver::measuring();
        layout(&mut carver, capacity)?;
        let HmmCapacity { states, bins, .. } = capacity.hmm;
        let online =
            if capacity.kind == PredictorKind::HmmOnline { OnlineHmm::size(states, bins)? } else { 0 };
        let models = Hmm::size(&capacity.hmm)?.checked_add(online).ok_or(Error::OutOfRange)?;
        carver.size().checked_add(models).ok_or(Error::OutOfRange)
    }

    /// Makes an empty tracker in the next slices of a zeroed block.
    pub fn make(
        carver: &mut Carver<'a>,
        capacity: &PredictorCapacity,
        options: &PredictorOptions,
    ) -> Result<Tracker<'a>> {
        let (state, fallback, anchor, training) = layout(carver, capacity)?;
        let hmm = Hmm::init(carver.take(Hmm::size(&capacity.hmm)?)?, &capacity.hmm)?;
        let HmmCapacity { states, bins, .. } = capacity.hmm;
        let online = match capacity.kind {
            PredictorKind::HmmOnline => {
                let block = carver.take(OnlineHmm::size(states, bins)?)?;
                let mut online = OnlineHmm::empty(block, states, bins, &options.online())?;
                online.set_static(options.load)?;
                Some(online)
            }
            _ => None,
        };
        let (anchor, training) = (Anchor::new(anchor)?, Training::new(training)?);
        let mut fallback = Fallback::new(fallback)?;
        fallback.begin();
        Ok(Tracker { state: at_mut(state, 0)?, fallback, anchor, training, hmm, online })
    }

    /// The tracker in the next slices of a block. O(1).
    pub fn find(carver: &mut Carver<'a>, capacity: &PredictorCapacity) -> Result<Tracker<'a>> {
        let (state, fallback, anchor, training) = layout(carver, capacity)?;
        let hmm = Hmm::attach(carver.take(Hmm::size(&capacity.hmm)?)?).map_err(|_| Error::Corrupt)?;
        let HmmCapacity { states, bins, .. } = capacity.hmm;
        let online = match capacity.kind {
            PredictorKind::HmmOnline => {
                let block = carver.take(OnlineHmm::size(states, bins)?)?;
                Some(OnlineHmm::attach(block).map_err(|_| Error::Corrupt)?)
            }
            _ => None,
        };
        let (anchor, training) = (Anchor::new(anchor)?, Training::new(training)?);
        let fallback = Fallback::new(fallback)?;
        let held = hmm.slots();
        let sound = hmm.capacity() == &capacity.hmm
            && online.as_ref().is_none_or(|online| (online.states(), online.bins()) == (states, bins))
            && fallback.is_sound()
            && anchor.is_sound(&held)
            && training.is_sound(&held, &anchor, online.is_some());
        if !sound {
            return Err(Error::Corrupt);
        }
        Ok(Tracker { state: at_mut(state, 0)?, fallback, anchor, training, hmm, online })
    }

    pub fn hmm(&self) -> &Hmm<'a> {
        &self.hmm
    }

    pub fn last_round(&self) -> Option<Round> {
        self.training.last_round()
    }

    /// Number of jobs that ended too late to be learnt from.
    pub fn late_jobs(&self) -> u64 {
        self.hmm.history().ledger().map_or(0, |ledger| ledger.late)
    }

    /// Starts from a model learnt elsewhere, before the first event.
    pub fn set_model(&mut self, parameters: &Parameters<'_>) -> Result<()> {
        self.hmm.set_parameters(parameters)?;
        if let Some(online) = &mut self.online {
            online.set(parameters)?;
        }
        self.training.given();
        Ok(())
    }

    /// Gives up a job: its slot does not wait for it any more.
    pub fn give_up(&mut self, record: u32, jobs: &mut Jobs<'_>) -> Result<()> {
        let job = *jobs.job(record)?;
        self.leave(record, &job, jobs)?;
        jobs.job_mut(record)?.initial = 0;
        if job.running != 0 {
            self.anchor.changed(job.slot);
        }
        Ok(())
    }

    /// Whether a model on line has learnt from this slot.
    pub fn is_learnt(&self, slot: i64) -> bool {
        self.online.is_some() && slot < self.training.position()
    }

    /// Takes a job up again that was given up, before time goes back to the setting's.
    pub fn take_up(&mut self, record: u32, jobs: &mut Jobs<'_>, setting: Setting<'_>) -> Result<()> {
        let job = *jobs.job(record)?;
        let first = self.state.first_submission.min(setting.now);
        let initial = job.submitted.saturating_sub(first) < setting.options.initial_seconds;
        jobs.job_mut(record)?.initial = u32::from(initial);
        self.state.initial_jobs = self.state.initial_jobs.saturating_add(u32::from(initial));
        if self.hmm.slots().contains(&job.slot) {
            let slot = self.hmm.history_mut().slot_mut(job.slot)?;
            slot.open = slot.open.saturating_add(1);
            if job.running != 0 {
                jobs.link(record, &mut slot.running)?;
            }
        }
        Ok(())
    }

    /// Advances to the setting's time, and the anchor with it.
    pub fn advance(&mut self, setting: Setting<'_>) -> Result<()> {
        let present = setting.slot()?;
        if !self.anchor.has_begun() {
            self.training.begin(present);
            self.hmm.history_mut().extend(present + 1)?;
            return self.anchor.begin(&self.hmm, present);
        }
        if present > self.anchor.present() {
            self.anchor.move_to(present);
            if self.hmm.history_mut().extend(present + 1)? {
                self.slots_left()?;
            }
        }
        self.anchor.settle(&self.hmm, setting.options)
    }

    /// Goes back to the setting's time: later slots become part of its slot. If that lies before all slots held, the
    /// finished jobs are forgotten. O(slots M^2 + jobs).
    pub fn move_back(&mut self, jobs: &mut Jobs<'_>, setting: Setting<'_>) -> Result<()> {
        let present = setting.slot()?;
        let held = self.hmm.slots();
        self.hmm.end_training();
        if held.contains(&present) {
            // Slots that a model on line has learnt are not learnt a second time as part of another.
            let learnt = if self.online.is_some() { self.training.position() } else { present };
            for slot in present..learnt.min(held.end) {
                self.hmm.history_mut().forget(slot)?;
            }
            self.hmm.history_mut().fold(present)?;
        } else {
            self.hmm.history_mut().clear()?;
            self.hmm.history_mut().extend(present + 1)?;
        }
        // Jobs that now belong to the present slot.
        let slot = self.hmm.history_mut().slot_mut(present)?;
        (slot.open, slot.running) = (0, NONE);
        let (mut open, mut first) = (0u32, NONE);
        let mut record = jobs.newest();
        for _ in 0..jobs.count() {
            let job = jobs.job_mut(record)?;
            if job.slot >= present {
                job.slot = present;
                if job.given_up == 0 {
                    open = open.saturating_add(1);
                    if job.running != 0 {
                        jobs.link(record, &mut first)?;
                    }
                }
            }
            record = jobs.older(record)?;
        }
        let slot = self.hmm.history_mut().slot_mut(present)?;
        (slot.open, slot.running) = (open, first);
        self.state.first_submission = self.state.first_submission.min(setting.now);
        self.anchor.move_back(&self.hmm, present)?;
        self.anchor.settle(&self.hmm, setting.options)?;
        self.training.move_back(&mut self.hmm, &self.anchor);
        Ok(())
    }

    /// The slot of a job submitted now, and whether that is in the initial period.
    pub fn submitted(&mut self, setting: Setting<'_>) -> Result<(i64, bool)> {
        let state = &mut *self.state;
        if state.submitted == 0 {
            (state.submitted, state.first_submission) = (1, setting.now);
        }
        let initial = setting.now.saturating_sub(state.first_submission) < setting.options.initial_seconds;
        state.initial_jobs = state.initial_jobs.saturating_add(u32::from(initial));
        let present = self.anchor.present();
        let slot = self.hmm.history_mut().slot_mut(present)?;
        slot.open = slot.open.saturating_add(1);
        Ok((present, initial))
    }

    pub fn started(&mut self, record: u32, jobs: &mut Jobs<'_>, setting: Setting<'_>) -> Result<()> {
        let job = *jobs.job(record)?;
        if job.given_up == 0 && job.slot >= self.hmm.slots().start {
            let slot = self.hmm.history_mut().slot_mut(job.slot)?;
            jobs.link(record, &mut slot.running)?;
            self.anchor.changed(job.slot);
        }
        self.anchor.started(&job, setting);
        Ok(())
    }

    /// Records that a job has ended in this bin; it is still in the table.
    pub fn ended(&mut self, record: u32, bin: u32, jobs: &mut Jobs<'_>, options: &RawOptions) -> Result<()> {
        let job = *jobs.job(record)?;
        let own = if job.silence == 0 { Some(jobs.own(record)?) } else { None };
        self.fallback.learn(own, bin as usize)?;
        if job.given_up == 0 {
            self.leave(record, &job, jobs)?;
        }
        let held = job.slot >= self.hmm.slots().start;
        // On line, slots before the anchor are learnt already.
        if !held || (self.online.is_some() && job.slot < self.anchor.first()) {
            return self.hmm.history_mut().count_late();
        }
        self.anchor.ended(job.slot);
        if self.hmm.history_mut().add(job.slot, bin)? {
            self.slots_left()?;
        } else if job.slot < self.anchor.first() {
            // The job was given up: training uses its slot already.
            self.hmm.begin_again()?;
            self.training.filter_again(&self.hmm);
        }
        self.anchor.settle(&self.hmm, options)
    }

    /// Records that a job has left otherwise; it is still in the table.
    pub fn cancelled(&mut self, record: u32, jobs: &mut Jobs<'_>, options: &RawOptions) -> Result<()> {
        let job = *jobs.job(record)?;
        if job.given_up == 0 {
            self.leave(record, &job, jobs)?;
            if job.running != 0 {
                self.anchor.changed(job.slot);
            }
        }
        self.anchor.settle(&self.hmm, options)
    }

    /// Takes a job out of its slot's count and list.
    fn leave(&mut self, record: u32, job: &Job, jobs: &mut Jobs<'_>) -> Result<()> {
        self.state.initial_jobs = self.state.initial_jobs.saturating_sub(job.initial);
        if job.slot >= self.hmm.slots().start {
            let slot = self.hmm.history_mut().slot_mut(job.slot)?;
            slot.open = slot.open.saturating_sub(1);
            if job.running != 0 {
                jobs.unlink(record, &mut slot.running)?;
            }
        }
        Ok(())
    }

    fn slots_left(&mut self) -> Result<()> {
        self.hmm.begin_again()?;
        self.anchor.slots_left(&self.hmm)?;
        self.training.filter_again(&self.hmm);
        Ok(())
    }

    /// The probabilities of the bins of a job submitted at the setting's time, not before the last event's, made safe
    /// after `finished` jobs; or the reason why there are none, and then `out` is without meaning. `own` are the
    /// model's alone; with a floor they are mixed with the shares of all finished jobs. Without one they are predicted
    /// as they are, by the thesis's rule.
    pub fn probabilities(
        &mut self,
        jobs: &mut Jobs<'_>,
        setting: Setting<'_>,
        (last, finished): (i64, u64),
        out: &mut [f64],
        own: &mut [f64],
    ) -> Result<Option<Silence>> {
        if !self.hmm.is_ready() {
            return Ok(Some(self.silence(setting)));
        }
        if !self.anchor.probabilities(&self.hmm, jobs, setting, last, out)? {
            return Ok(Some(Silence::Unexplained));
        }
        // Damage is reported, not handed on.
        if !out.iter().all(|p| (0.0..=2.0).contains(p)) {
            return Err(Error::Corrupt);
        }
        make_safe(out, finished);
        copy(own, out);
        if setting.options.floor > 0.0 {
            self.fallback.mix(out);
        }
        Ok(None)
    }

    /// Reason why there is no model yet.
    fn silence(&self, setting: Setting<'_>) -> Silence {
        if self.state.submitted == 0
            || setting.now.saturating_sub(self.state.first_submission) < setting.options.initial_seconds
        {
            Silence::InitialPeriod
        } else if self.state.initial_jobs > 0 {
            Silence::InitialJobs
        } else {
            Silence::Untrained
        }
    }

    fn initial_period_is_over(&self, setting: Setting<'_>) -> bool {
        self.silence(setting) == Silence::Untrained
    }

    pub fn wants_training(&self, setting: Setting<'_>) -> bool {
        let over = self.initial_period_is_over(setting);
        self.training.is_wanted(&self.hmm, &self.anchor, setting.options, over, self.online.is_some())
    }

    /// Trains for about `work` visits to slots.
    pub fn train(&mut self, setting: Setting<'_>, work: u64) -> Result<Learning> {
        let over = self.initial_period_is_over(setting);
        let (hmm, anchor) = (&mut self.hmm, &mut self.anchor);
        match &mut self.online {
            Some(online) => self.training.learn_slots(hmm, online, anchor, over, work),
            None => self.training.advance(hmm, anchor, setting.options, work),
        }
    }
}
