//! The filter from the anchor to the present slot (Nissimov 2006, chapter 4), and the window of its predictions.
//!
//! The anchor is the earliest slot with a job in the system that is not given up, or else the present slot: nothing
//! before it changes any more, so its prediction is kept, and moves on with it. Behind the anchor, finished jobs enter
//! with their bin, running ones as Pr(run time >= age | state), the sum over the bins still possible, queued ones and
//! those given up not at all. The predictions for those slots are kept too, in a window, as of the last event; a slot
//! is computed again only when a job of it, or of a slot before it, has ended, run into another bin or been given up. A
//! prediction for a later time starts from the window and goes on beside it: it changes nothing that a later answer
//! depends on.

use crate::error::{Error, Result};
use crate::hmm::{Explanation, Hmm, MAX_STATES, NONE, Which};
use crate::memory::{Carver, at_mut, range, range_mut};
use crate::predict::jobs::{Job, Jobs, List};
use crate::predict::options::RawOptions;
use crate::runtime::{MAX_BINS, RawBins};
use bytemuck::{Pod, Zeroable};

/// Options, bins and a time.
#[derive(Clone, Copy)]
pub(super) struct Setting<'s> {
    pub options: &'s RawOptions,
    pub bins: &'s RawBins,
    pub now: i64,
}

impl Setting<'_> {
    /// The slot of the time.
    pub fn slot(&self) -> Result<i64> {
        self.now.checked_div_euclid(self.options.slot_seconds).ok_or(Error::Corrupt)
    }

    /// Whether a job is, or is to be, given up.
    pub fn gives_up(&self, job: &Job) -> bool {
        job.given_up != 0 || self.is_too_old(job)
    }

    /// Whether a job has been in the system for long enough to be given up.
    pub fn is_too_old(&self, job: &Job) -> bool {
        self.now.saturating_sub(job.submitted) > self.options.oldest_seconds
    }

    /// The lowest bin still possible for a running job.
    fn bin(&self, job: &Job) -> usize {
        self.bins.bin_of(self.now.saturating_sub(job.started) as f64)
    }

    /// Time at which a running job in this bin will have run into the next.
    fn next_bin(&self, job: &Job, bin: usize) -> i64 {
        let edge = libm::ceil(self.bins.upper(bin.min(MAX_BINS)));
        if edge < (1u64 << 53) as f64 { job.started.saturating_add(edge as i64) } else { i64::MAX }
    }
}

/// The lowest bins still possible for the running jobs of a slot.
#[derive(Clone)]
struct Running<'j> {
    jobs: List<'j>,
    setting: Setting<'j>,
}

impl Iterator for Running<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let setting = self.setting;
        self.jobs.find(|job| !setting.gives_up(job)).map(|job| setting.bin(job))
    }
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct State {
    /// The anchor.
    first: i64,
    /// The slot of the last event, the present slot.
    present: i64,
    /// Last slot of which the window holds the prediction; it holds those for `first..=known`.
    known: i64,
    /// Time from which a running job is in a higher bin than the window assumes.
    stale: i64,
    /// Number of finished jobs in slots from the anchor on.
    unsettled: u64,
    /// Whether there has been an event.
    begun: u32,
    /// Whether the model explains the slots before the anchor.
    explains: u32,
}

/// The anchor, and the window of predictions behind it.
pub(super) struct Anchor<'a> {
    state: &'a mut State,
    /// A ring of predictions, for slots from the anchor on.
    window: &'a mut [f64],
    predicted: &'a mut [f64],
    filtered: &'a mut [f64],
    emission: &'a mut [f64],
}

/// The slices of an anchor.
pub(super) struct Parts<'a> {
    state: &'a mut [State],
    window: &'a mut [f64],
    scratch: [&'a mut [f64]; 3],
}

impl<'a> Anchor<'a> {
    /// The slices for a window of this many slots, and vectors over the states of this length.
    pub fn carve(carver: &mut Carver<'a>, window: u32, lanes: usize) -> Result<Parts<'a>> {
        Ok(Parts {
            state: carver.take(1)?,
            window: carver.take((window as usize).checked_mul(lanes).ok_or(Error::OutOfRange)?)?,
            scratch: [carver.take(lanes)?, carver.take(lanes)?, carver.take(lanes)?],
        })
    }

    pub fn new(parts: Parts<'a>) -> Result<Anchor<'a>> {
        let Parts { state, window, scratch: [predicted, filtered, emission] } = parts;
        Ok(Anchor { state: at_mut(state, 0)?, window, predicted, filtered, emission })
    }

    /// Whether the scalars are valid, with these slots held.
    pub fn is_sound(&self, held: &core::ops::Range<i64>) -> bool {
        let State { first, present, known, begun, .. } = *self.state;
        begun == 0 || (held.contains(&first) && present == held.end - 1 && (first..=present).contains(&known))
    }

    pub fn has_begun(&self) -> bool {
        self.state.begun != 0
    }

    /// The anchor.
    pub fn first(&self) -> i64 {
        self.state.first
    }

    /// The slot of the last event.
    pub fn present(&self) -> i64 {
        self.state.present
    }

    /// Whether the model explains the slots before the anchor.
    pub fn explains(&self) -> bool {
        self.state.explains != 0
    }

    /// Number of finished jobs in slots from the anchor on.
    pub fn unsettled(&self) -> u64 {
        self.state.unsettled
    }

    /// Begins with the first event, in this slot.
    pub fn begin(&mut self, hmm: &Hmm<'_>, present: i64) -> Result<()> {
        *self.state = State { first: present, present, stale: i64::MAX, begun: 1, ..State::zeroed() };
        self.start_over(hmm)
    }

    pub fn move_to(&mut self, present: i64) {
        self.state.present = present;
    }

    /// Records that a job of this slot has started at the time of the setting.
    pub fn started(&mut self, job: &Job, setting: Setting<'_>) {
        self.state.stale = self.state.stale.min(setting.next_bin(job, 0));
    }

    /// Records that a job of this slot has ended.
    pub fn ended(&mut self, slot: i64) {
        if slot >= self.state.first {
            self.state.unsettled = self.state.unsettled.saturating_add(1);
            self.changed(slot);
        }
    }

    /// Records that the observations of a slot have changed, and with them the predictions for the slots behind it.
    pub fn changed(&mut self, slot: i64) {
        self.state.known = self.state.known.min(slot.max(self.state.first));
    }

    /// Puts a model to use that predicts this for the anchor; `explains` is whether it explains the slots before it.
    pub fn adopt(&mut self, predicted: &[f64], explains: bool) -> Result<()> {
        copy(self.predicted, predicted);
        self.state.explains = u32::from(explains);
        self.state.known = self.state.first;
        self.remember(self.state.first)
    }

    /// Moves the anchor over slots all of whose jobs have left or are given up.
    pub fn settle(&mut self, hmm: &Hmm<'_>, options: &RawOptions) -> Result<()> {
        while self.state.first < self.state.present {
            let slot = *hmm.history().slot(self.state.first)?;
            if slot.open > 0 {
                break;
            }
            // Record that the window continued past an unexplained slot, which it does with a floor.
            let floor = options.floor > 0.0;
            let first = self.state.known == self.state.first;
            let look = if floor { hmm.is_ready() } else { self.explains() && first };
            if look {
                self.recall(self.state.first)?;
                let explanation = hmm.filter_slot(
                    Which::InUse,
                    self.state.first,
                    options.floor,
                    core::iter::empty(),
                    self.predicted,
                    self.filtered,
                    self.emission,
                )?;
                self.state.explains &= u32::from(explanation == Explanation::Model);
                hmm.predict_slot(Which::InUse, self.filtered, self.predicted);
                self.state.first += 1;
                if first && explanation != Explanation::None {
                    self.remember(self.state.first)?;
                }
            } else {
                self.state.first += 1;
            }
            self.state.known = self.state.known.max(self.state.first);
            self.state.unsettled = self.state.unsettled.saturating_sub(u64::from(slot.jobs));
        }
        Ok(())
    }

    /// Follows the history, whose oldest slots have left. If the anchor is among them, the filter begins again at the
    /// first slot left, as at the beginning of time.
    pub fn slots_left(&mut self, hmm: &Hmm<'_>) -> Result<()> {
        if self.state.first < hmm.slots().start { self.begin_again(hmm) } else { Ok(()) }
    }

    /// Goes back to this slot, of which later ones have become part; one before the anchor may have jobs again. The
    /// filter's predictions for these are forgotten.
    pub fn move_back(&mut self, hmm: &Hmm<'_>, present: i64) -> Result<()> {
        self.state.present = present;
        // The bins of the running jobs have to be determined anew.
        self.state.stale = i64::MIN;
        let waits_again = hmm.slots().start..self.state.first.min(present);
        if self.state.first > present
            || self.state.first < hmm.slots().start
            || waits_again.into_iter().any(|slot| hmm.history().slot(slot).is_ok_and(|slot| slot.open > 0))
        {
            return self.begin_again(hmm);
        }
        self.state.known = self.state.known.min(present);
        Ok(())
    }

    /// Moves the anchor to the first slot held, and begins the filter there.
    fn begin_again(&mut self, hmm: &Hmm<'_>) -> Result<()> {
        let held = hmm.slots();
        self.state.first = held.start;
        self.state.unsettled = hmm.jobs(held);
        self.start_over(hmm)
    }

    /// Makes the filter's prediction for the anchor that for a first slot.
    fn start_over(&mut self, hmm: &Hmm<'_>) -> Result<()> {
        self.state.explains = u32::from(hmm.is_ready());
        copy(self.predicted, hmm.start(Which::InUse));
        self.state.known = self.state.first;
        self.remember(self.state.first)
    }

    /// Place of a slot's prediction in the window, if it has one.
    fn place(&self, slot: i64) -> Option<usize> {
        let lanes = self.predicted.len();
        let window = i64::try_from(self.window.len().checked_div(lanes)?).ok()?;
        let within = slot >= self.state.first && slot - self.state.first < window;
        let place = slot.checked_rem_euclid(window).filter(|_| within)?;
        usize::try_from(place).ok()?.checked_mul(lanes)
    }

    /// Keeps the prediction for a slot, if there is room in the window.
    fn remember(&mut self, slot: i64) -> Result<()> {
        let Some(place) = self.place(slot) else { return Ok(()) };
        copy(range_mut(self.window, place, self.predicted.len())?, self.predicted);
        self.state.known = slot;
        Ok(())
    }

    /// Restores the prediction kept for a slot, if there is one.
    fn recall(&mut self, slot: i64) -> Result<()> {
        if let Some(place) = self.place(slot) {
            copy(self.predicted, range(self.window, place, self.predicted.len())?);
        }
        Ok(())
    }

    /// The distribution of the bin of a job submitted at the time of the setting, which is not before the last event's,
    /// `last`; `false` when the model does not explain the observations, without a floor, and `out` is then without
    /// meaning. There must be a model. O((M^2 + jobs M) S), S slots from the earliest that has changed.
    pub fn probabilities(
        &mut self,
        hmm: &Hmm<'_>,
        jobs: &mut Jobs<'_>,
        setting: Setting<'_>,
        last: i64,
        out: &mut [f64],
    ) -> Result<bool> {
        if !self.has_begun() {
            let present = setting.slot()?;
            return self.look_ahead(hmm, jobs, setting, present, out);
        }
        if !self.explains() && setting.options.floor <= 0.0 {
            return Ok(false);
        }
        self.refresh(hmm, jobs, Setting { now: last, ..setting })?;
        let from = self.unchanged(hmm, jobs, setting)?;
        self.look_ahead(hmm, jobs, setting, from, out)
    }

    /// Brings the window up to the last event.
    fn refresh(&mut self, hmm: &Hmm<'_>, jobs: &mut Jobs<'_>, setting: Setting<'_>) -> Result<()> {
        if setting.now >= self.state.stale {
            self.age_jobs(hmm, jobs, setting)?;
        }
        while self.state.known < self.state.present && self.place(self.state.known + 1).is_some() {
            let slot = self.state.known;
            self.recall(slot)?;
            let jobs = Running { jobs: jobs.list(hmm.history().slot(slot)?.running), setting };
            let explanation = hmm.filter_slot(
                Which::InUse,
                slot,
                setting.options.floor,
                jobs,
                self.predicted,
                self.filtered,
                self.emission,
            )?;
            if explanation == Explanation::None {
                break;
            }
            hmm.predict_slot(Which::InUse, self.filtered, self.predicted);
            self.remember(slot + 1)?;
        }
        Ok(())
    }

    /// Finds the running jobs that have run into another bin since the window was brought up to date.
    fn age_jobs(&mut self, hmm: &Hmm<'_>, jobs: &mut Jobs<'_>, setting: Setting<'_>) -> Result<()> {
        let mut stale = i64::MAX;
        for slot in self.state.first..=self.state.present {
            let mut record = hmm.history().slot(slot)?.running;
            for _ in 0..jobs.count() {
                if record == NONE {
                    break;
                }
                let job = jobs.job_mut(record)?;
                let bin = setting.bin(job);
                if bin as u32 != job.bin {
                    job.bin = bin as u32;
                    self.state.known = self.state.known.min(slot);
                }
                record = job.next;
                stale = stale.min(setting.next_bin(job, bin));
            }
        }
        self.state.stale = stale;
        Ok(())
    }

    /// The last slot for which the window's prediction holds at the time of the setting, too.
    fn unchanged(&self, hmm: &Hmm<'_>, jobs: &Jobs<'_>, setting: Setting<'_>) -> Result<i64> {
        let State { first, known, stale, .. } = *self.state;
        if jobs.oldest_counted().is_some_and(|(_, job)| setting.gives_up(job)) {
            return Ok(first);
        }
        if setting.now >= stale {
            for slot in first..known {
                let mut running = jobs.list(hmm.history().slot(slot)?.running);
                if running.any(|job| setting.bin(job) as u32 != job.bin) {
                    return Ok(slot);
                }
            }
        }
        Ok(known)
    }

    /// Filters from a slot of the window to that of the setting's time. The slots after the last event's are empty;
    /// their number is limited by the length of the history.
    fn look_ahead(
        &self,
        hmm: &Hmm<'_>,
        jobs: &Jobs<'_>,
        setting: Setting<'_>,
        from: i64,
        out: &mut [f64],
    ) -> Result<bool> {
        let lanes = hmm.lanes();
        let mut rooms = [[0.0; MAX_STATES]; 3];
        let [predicted, filtered, emission] = &mut rooms;
        let predicted = predicted.get_mut(..lanes).ok_or(Error::Corrupt)?;
        let filtered = filtered.get_mut(..lanes).ok_or(Error::Corrupt)?;
        let emission = emission.get_mut(..lanes).ok_or(Error::Corrupt)?;
        match self.place(from).filter(|_| self.has_begun()) {
            Some(place) => copy(predicted, range(self.window, place, lanes)?),
            None => copy(predicted, hmm.start(Which::InUse)),
        }
        let held = hmm.slots();
        let furthest = from.max(self.state.present).saturating_add(i64::from(hmm.capacity().slots));
        for slot in from..=setting.slot()?.min(furthest) {
            let running = if held.contains(&slot) { hmm.history().slot(slot)?.running } else { NONE };
            let running = Running { jobs: jobs.list(running), setting };
            let floor = setting.options.floor;
            let explanation =
                hmm.filter_slot(Which::InUse, slot, floor, running, predicted, filtered, emission)?;
            if explanation == Explanation::None {
                return Ok(false);
            }
            hmm.predict_slot(Which::InUse, filtered, predicted);
        }
        hmm.mixture(filtered, emission, out);
        Ok(true)
    }
}

fn copy(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
