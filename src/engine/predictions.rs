//! Predicted run times: made when a job is first reported, and anew when a job of its user has ended or its description
//! has changed. A running job is expected to end at a quantile of the rest of its predicted run time; that is computed
//! again when its age has grown by a tenth and six seconds.

use super::job::JobState;
use super::object::{LEARNT, Scheduler};
use super::settings::Settings;
use super::table::{Predicted, Record};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, copy, range_mut};
use crate::plan::last_asked;
use crate::runtime::{MAX_BINS, MAX_SECONDS, RuntimeDistribution, View};

/// Expected seconds of cleaning once a job is over.
const CLEANING: i64 = 60;

/// The limit of a job in seconds, for distributions.
fn limit(job: &Record) -> i64 {
    if job.limit > 0 { job.limit.min(MAX_SECONDS) } else { MAX_SECONDS }
}

/// The limit at which a job's predicted run time is cut: a single value of the caller's may lie beyond the job's limit.
fn cut_at(job: &Record) -> i64 {
    if job.predicted == Predicted::Single as u32 { limit(job).max(job.single) } else { limit(job) }
}

/// Whether the engine's own predictor predicts this job: it knows only jobs that live.
fn is_predicted_anew(job: &Record) -> bool {
    !job.is_predicted_by_caller() && job.learnt == 0 && job.state() != JobState::AsBefore
}

impl Scheduler<'_> {
    /// The limit at which a job's predicted run time is cut.
    pub(super) fn cut_of(&self, slot: u32) -> Result<i64> {
        self.parts.table.get(slot).map(cut_at)
    }

    /// The predicted run time of a job.
    pub(super) fn predicted(&self, slot: u32) -> Result<View<'_>> {
        let job = self.parts.table.get(slot)?;
        if job.predicted == Predicted::Single as u32 {
            return View::single(job.single).map_err(|_| Error::Corrupt);
        }
        if job.predicted == Predicted::Limit as u32 || job.predicted == Predicted::ToLimit as u32 {
            return Ok(View::Limit);
        }
        // Its probabilities were scaled by rounded totals.
        self.state.bins.with(self.probabilities(slot)?, 2.0)
    }

    /// Sets a job's run time as predicted by the caller.
    pub(super) fn set_prediction(&mut self, slot: u32, prediction: &RuntimeDistribution) -> Result<()> {
        let single = prediction.single_value();
        let kind = if let Some(probabilities) = prediction.binned().map(|(_, probabilities)| probabilities) {
            for (to, from) in self.probabilities_mut(slot)?.iter_mut().zip(probabilities) {
                *to = *from;
            }
            Predicted::Binned
        } else if single.is_some() {
            Predicted::Single
        } else {
            Predicted::ToLimit
        };
        let job = self.parts.table.get_mut(slot)?;
        (job.predicted, job.single) = (kind as u32, single.unwrap_or(0));
        self.set_mean(slot)
    }

    /// Refuses a prediction in other bins than the engine's.
    pub(super) fn check_prediction(&self, prediction: &RuntimeDistribution) -> Result<()> {
        let own = &self.state.bins;
        own.checked()?;
        match prediction.binned() {
            Some((bins, _)) if !own.are_those(bins) => Err(Error::OutOfRange),
            _ => Ok(()),
        }
    }

    /// Predicts a job's run time by the present state of the predictor.
    pub(super) fn predict(&mut self, slot: u32) -> Result<()> {
        let job = *self.parts.table.get(slot)?;
        if !is_predicted_anew(&job) {
            return Ok(());
        }
        let mut room = [0.0; MAX_BINS];
        let out = range_mut(&mut room, 0, self.state.capacity.bins as usize)?;
        let made = match self.predictor()? {
            Some(predictor) => predictor.present(job.id, out).map_err(|_| Error::Corrupt)?,
            None => false,
        };
        self.keep_prediction(slot, made.then_some(out))
    }

    /// The same behind another job that was predicted in the present state: where their predictions are surely the same
    /// that one's is copied. Hundreds of like jobs wait at once.
    fn predict_behind(&mut self, slot: u32, other: u32) -> Result<()> {
        let (job, known) = (*self.parts.table.get(slot)?, *self.parts.table.get(other)?);
        let alike = match self.predictor()? {
            Some(predictor) => predictor.are_alike(job.id, known.id).map_err(|_| Error::Corrupt)?,
            None => false,
        };
        if !alike {
            return self.predict(slot);
        }
        let mut room = [0.0; MAX_BINS];
        let out = range_mut(&mut room, 0, self.state.capacity.bins as usize)?;
        copy(out, self.probabilities(other)?);
        copy(self.probabilities_mut(slot)?, out);
        // Alike by the predictor's keys, they have the same limit.
        let job = self.parts.table.get_mut(slot)?;
        (job.predicted, job.mean, job.asked, job.end_age) = (known.predicted, known.mean, 0, 0);
        Ok(())
    }

    /// Submits a job to the predictor, and keeps its prediction: the opinion at the submission is the present one.
    pub(super) fn submit(&mut self, slot: u32, now: i64) -> Result<()> {
        let job = *self.parts.table.get(slot)?;
        let mut room = [0.0; MAX_BINS];
        let out = range_mut(&mut room, 0, self.state.capacity.bins as usize)?;
        let (own, mut made) = (!job.is_predicted_by_caller(), false);
        self.tell(now, |predictor, at| {
            predictor.submit(job.id, &job.keys(), at)?;
            made = own && predictor.present(job.id, out)?;
            Ok(())
        })?;
        if own { self.keep_prediction(slot, made.then_some(out)) } else { Ok(()) }
    }

    /// Sets a job's predicted run time, one probability a bin; `None` for the limit alone.
    fn keep_prediction(&mut self, slot: u32, probabilities: Option<&mut [f64]>) -> Result<()> {
        let kind = match probabilities {
            Some(probabilities) => {
                copy(self.probabilities_mut(slot)?, probabilities);
                Predicted::Own
            }
            None => Predicted::Limit,
        };
        self.parts.table.get_mut(slot)?.predicted = kind as u32;
        self.set_mean(slot)
    }

    /// Sets the mean predicted run time, and no expected end yet.
    fn set_mean(&mut self, slot: u32) -> Result<()> {
        let mean = self.mean_of(self.parts.table.get(slot)?, self.predicted(slot)?)?;
        let job = self.parts.table.get_mut(slot)?;
        (job.mean, job.asked, job.end_age) = (mean, 0, 0);
        Ok(())
    }

    /// Whether a job counts as running to its limit, because the engine's predictions have lost to the limits.
    fn goes_by_limit(&self, job: &Record) -> bool {
        !job.is_predicted_by_caller() && job.limit > 0 && self.state.accuracy.limits_win()
    }

    /// The job's predicted run time, or its limit if that counts.
    fn effective(&self, job: &Record, slot: u32) -> Result<View<'_>> {
        if self.goes_by_limit(job) { Ok(View::Limit) } else { self.predicted(slot) }
    }

    /// The mean run time that was predicted for a job, for the accuracy: the last one, or where jobs count as running
    /// to their limits that of its submission; `None` if nothing was predicted, or if it has no limit to be compared
    /// with.
    pub(super) fn mean_predicted(&mut self, job: &Record) -> Result<Option<f64>> {
        if job.limit <= 0 || job.predicted != Predicted::Own as u32 {
            return Ok(None);
        }
        if self.goes_by_limit(job) { self.mean_at_submission(job) } else { Ok(Some(job.mean as f64)) }
    }

    /// The mean run time that was predicted for a job at its submission, if any was. O(bins). Kept apart, so that the
    /// predictor is not on the stack of all that follows an event.
    #[inline(never)]
    fn mean_at_submission(&mut self, job: &Record) -> Result<Option<f64>> {
        let cut = self.settings().cut;
        let Some(predictor) = self.predictor()? else { return Ok(None) };
        let mut room = [0.0; MAX_BINS];
        match predictor.view_said(job.id, &mut room) {
            Ok(Ok(said)) => said.mean_within(cut_at(job), cut).map(Some),
            Ok(Err(_)) | Err(Error::UnknownJob) => Ok(None),
            Err(_) => Err(Error::Corrupt),
        }
    }

    /// The mean of a job's predicted run time.
    fn mean_of(&self, job: &Record, predicted: View<'_>) -> Result<i64> {
        let predicted = if self.goes_by_limit(job) { View::Limit } else { predicted };
        Ok(libm::round(predicted.mean_within(cut_at(job), self.settings().cut)?) as i64)
    }

    /// The mean predicted run time of an unknown job, were it submitted at this time; changes nothing. O(contexts x
    /// bins).
    pub(super) fn mean_if_submitted(
        &mut self,
        job: &Record,
        given: Option<&RuntimeDistribution>,
        now: i64,
    ) -> Result<i64> {
        if let Some(given) = given {
            let single = given.single_value();
            let kind = if single.is_some() { Predicted::Single } else { Predicted::Binned };
            let job = Record { predicted: kind as u32, single: single.unwrap_or(0), ..*job };
            return self.mean_of(&job, given.view());
        }
        let mut room = [0.0; MAX_BINS];
        let out = range_mut(&mut room, 0, self.state.capacity.bins as usize)?;
        let mut made = false;
        if let Some(mut predictor) = self.predictor()? {
            let at = predictor.last_event().map_or(now, |last| last.max(now));
            let view = predictor.view_predicted(&job.keys(), at, out).map_err(|_| Error::Corrupt)?;
            made = matches!(view, Ok(View::Binned(_)));
        }
        let made = if made { self.state.bins.with(out, 2.0)? } else { View::Limit };
        self.mean_of(job, made)
    }

    /// Whether a job of this user has ended since waiting ones were last predicted anew.
    fn has_learnt_of(&self, user: i64) -> bool {
        self.state.learnt.iter().take(self.state.learnt_count as usize).any(|&known| known == user)
    }

    /// Notes that a job of this user has ended: waiting ones are predicted anew before the next decision, or when they
    /// start before it.
    pub(super) fn learnt_of(&mut self, user: i64) -> Result<()> {
        if self.has_learnt_of(user) {
            return Ok(());
        }
        if self.state.learnt_count as usize >= LEARNT {
            self.renew()?;
        }
        *at_mut(&mut self.state.learnt, self.state.learnt_count as usize)? = user;
        self.state.learnt_count += 1;
        Ok(())
    }

    /// Predicts anew the waiting jobs of users of whom jobs have ended, unless the preset keeps predictions. O(W x
    /// users).
    pub(super) fn renew(&mut self) -> Result<()> {
        let count = core::mem::take(&mut self.state.learnt_count) as usize;
        if count == 0 || self.settings().keeps_predictions() {
            return Ok(());
        }
        let learnt = self.state.learnt;
        let mut last = None;
        for place in 0..self.parts.table.waiting().len() {
            let slot = *at(self.parts.table.waiting(), place)?;
            let job = self.parts.table.get(slot)?;
            if !learnt.iter().take(count).any(|&learnt| learnt == job.user) || !is_predicted_anew(job) {
                continue;
            }
            match last.replace(slot) {
                Some(last) => self.predict_behind(slot, last)?,
                None => self.predict(slot)?,
            }
        }
        Ok(())
    }

    /// Predicts a job anew that starts after the end of another one of its user and before the next decision, unless
    /// the preset keeps predictions. O(contexts x bins).
    pub(super) fn renew_started(&mut self, slot: u32) -> Result<()> {
        let user = self.parts.table.get(slot)?.user;
        if !self.has_learnt_of(user) || self.settings().keeps_predictions() {
            return Ok(());
        }
        self.predict(slot)
    }

    /// Expected end of a running job, after `now`: by the prediction at the last of the ages 0 s, 6 s, 12 s, ... that
    /// it has reached, each a tenth and six seconds beyond the one before. It does not depend on the times of calls.
    pub(super) fn expected_end(&mut self, slot: u32, settings: &Settings, now: i64) -> Result<i64> {
        let job = *self.parts.table.get(slot)?;
        if job.state() == JobState::Ending {
            return Ok(now.saturating_add(CLEANING));
        }
        let age = job.age(now).min(MAX_SECONDS);
        let mut asked = job.asked;
        // A clock that was set back makes jobs younger; below 0 a damaged block's ages would not grow.
        if age < asked || asked < 0 {
            asked = 0;
        }
        asked = last_asked(age, asked);
        let mut end_age = job.end_age;
        if asked != job.asked || job.end_age == 0 {
            let rest = self.effective(&job, slot)?.quantile(settings.running, asked, cut_at(&job))?;
            end_age = asked.saturating_add(rest);
            if !self.parts.table.has_guest() {
                let job = self.parts.table.get_mut(slot)?;
                (job.asked, job.end_age) = (asked, end_age);
            }
        }
        Ok(now.saturating_add(end_age.saturating_sub(age).max(1)))
    }

    /// Run time in seconds that a job exceeds with probability at most `1 - quantile`, given its age if it runs,
    /// counted from its start. O(bins).
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::NotANumber`], [`Error::OutOfRange`] for a quantile outside 0 to 1.
    pub fn run_time(&self, id: i64, quantile: f64, now: i64) -> Result<i64> {
        let slot = self.parts.table.find(id)?.ok_or(Error::UnknownJob)?;
        let job = self.parts.table.get(slot)?;
        let age = job.age(self.clock(now)).min(MAX_SECONDS);
        Ok(age.saturating_add(self.predicted(slot)?.quantile(quantile, age, cut_at(job))?))
    }

    /// The quantile of a waiting job's predicted run time at which it will be expected to end once it runs.
    pub(super) fn upper(&self, slot: u32) -> Result<i64> {
        let job = self.parts.table.get(slot)?;
        self.effective(job, slot)?.quantile(self.settings().running, 0, cut_at(job))
    }

    /// The rest of a job's run time at this age, drawn by `uniform` from 0 up to 1. By its prediction also where
    /// decisions go by the limit: that is one number, and an interval needs a distribution.
    pub(super) fn drawn(&self, slot: u32, age: i64, uniform: f64) -> Result<i64> {
        let job = self.parts.table.get(slot)?;
        self.predicted(slot)?.quantile(uniform, age, cut_at(job))
    }

    /// End of a running job by its limit, after `now`; of a waiting one, if it starts now.
    pub(super) fn end_by_limit(&self, slot: u32, now: i64) -> Result<i64> {
        let job = self.parts.table.get(slot)?;
        if job.state() == JobState::Ending {
            return Ok(now.saturating_add(CLEANING));
        }
        let left = limit(job).saturating_sub(job.age(now)).max(1);
        Ok(now.saturating_add(left))
    }
}
