//! Answers of a predictor.

use super::*;
use crate::runtime::share_out;

impl Predictor<'_> {
    /// Predicts the run time of a job with these keys submitted at `now`, which is not before the last event. Nothing
    /// is changed.
    ///
    /// A mixture: O(experts x bins). A hidden Markov model: O((M^2 + jobs M) S), S slots from the earliest with a
    /// change to `now`, seldom more than a few: the states' distributions, mixed by the states' present probabilities.
    ///
    /// # Errors
    /// [`Error::TimeWentBack`], [`Error::OutOfRange`] for an absurd time or another number of keys than the capacity's.
    pub fn predict(&mut self, keys: &[i64], now: i64) -> Result<Prediction> {
        let mut room = [0.0; MAX_BINS];
        owned(self.view_predicted(keys, now, &mut room)?)
    }

    /// The answer of [`Predictor::predict`], with its probabilities in this room, for [`MAX_BINS`] of them.
    ///
    /// # Errors
    /// As [`Predictor::predict`].
    pub(crate) fn view_predicted<'t>(
        &'t mut self,
        keys: &[i64],
        now: i64,
        room: &'t mut [f64],
    ) -> Result<PredictionView<'t>> {
        let out = self.room_in(room)?;
        self.check_time(now)?;
        self.check_keys(keys)?;
        let silence = self.find(keys, now, out, &mut [])?;
        self.as_view(silence, out)
    }

    /// The part of a room that is for probabilities, one for each bin.
    fn room_in<'t>(&self, room: &'t mut [f64]) -> Result<&'t mut [f64]> {
        room.get_mut(..self.state.capacity.capacity()?.bins() as usize).ok_or(Error::Corrupt)
    }

    /// Probabilities as they are handed on, scaled.
    fn as_view<'t>(&'t self, silence: Option<Silence>, out: &'t mut [f64]) -> Result<PredictionView<'t>> {
        match silence {
            None => View::of_counts(&self.state.bins, out).map(Ok).map_err(|_| Error::Corrupt),
            Some(silence) => Ok(Err(silence)),
        }
    }

    /// Writes the prediction of [`Predictor::predict`], one probability for each bin; or returns the reason why there
    /// is none, and then `out` is left as it was.
    ///
    /// # Errors
    /// As [`Predictor::predict`]; [`Error::OutOfRange`] also for another number of bins.
    pub fn probabilities(&mut self, keys: &[i64], now: i64, out: &mut [f64]) -> Result<Option<Silence>> {
        self.check_time(now)?;
        self.check_keys(keys)?;
        let mut room = [0.0; MAX_BINS];
        let found = room.get_mut(..out.len()).ok_or(Error::OutOfRange)?;
        if out.len() != self.state.capacity.capacity()?.bins() as usize {
            return Err(Error::OutOfRange);
        }
        let silence = self.find(keys, now, found, &mut [])?;
        if silence.is_none() {
            for (to, from) in out.iter_mut().zip(found) {
                *to = *from;
            }
        }
        Ok(silence)
    }

    /// The prediction made for a job in the system when it was submitted. O(bins).
    ///
    /// # Errors
    /// [`Error::UnknownJob`].
    pub fn said(&self, id: i64) -> Result<Prediction> {
        let mut room = [0.0; MAX_BINS];
        owned(self.view_said(id, &mut room)?)
    }

    /// Writes the probabilities that a hidden Markov model alone gave a job in the system when it was submitted, one
    /// for each bin, and returns whether there are any: not where nothing was predicted. O(bins).
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::OutOfRange`] for another number of bins; [`Error::WrongState`] of other kinds.
    pub fn said_by_model(&self, id: i64, out: &mut [f64]) -> Result<bool> {
        let capacity = self.state.capacity.capacity()?;
        if !capacity.kind.is_hmm() {
            return Err(Error::WrongState);
        }
        if out.len() != capacity.bins() as usize {
            return Err(Error::OutOfRange);
        }
        let record = self.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        let made = self.silence_of(record)?.is_none();
        if made {
            copy(out, self.jobs.own(record)?);
        }
        Ok(made)
    }

    /// The answer of [`Predictor::said`], with its probabilities in this room, for [`MAX_BINS`] of them.
    ///
    /// # Errors
    /// As [`Predictor::said`].
    pub(crate) fn view_said<'t>(&'t self, id: i64, room: &'t mut [f64]) -> Result<PredictionView<'t>> {
        let record = self.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        let silence = self.silence_of(record)?;
        let out = self.room_in(room)?;
        copy(out, self.jobs.said(record)?);
        self.as_view(silence, out)
    }

    /// The reason why nothing was predicted for a job at its submission, if nothing was.
    fn silence_of(&self, record: u32) -> Result<Option<Silence>> {
        match self.jobs.job(record)?.silence {
            0 => Ok(None),
            number => Silence::from_number(number).ok_or(Error::Corrupt).map(Some),
        }
    }

    /// The present prediction for a job in the system: a mixture's present prediction for the job's keys; the contexts'
    /// present knowledge of the jobs that were like it when it was submitted; a hidden Markov model's prediction at the
    /// submission, as it knows jobs by their time of submission alone.
    ///
    /// # Errors
    /// [`Error::UnknownJob`].
    pub fn predict_job(&self, id: i64) -> Result<Prediction> {
        let mut room = [0.0; MAX_BINS];
        owned(self.view_job(id, &mut room)?)
    }

    /// The answer of [`Predictor::predict_job`], with its probabilities in this room, for [`MAX_BINS`] of them.
    ///
    /// # Errors
    /// As [`Predictor::predict_job`].
    pub(crate) fn view_job<'t>(&'t self, id: i64, room: &'t mut [f64]) -> Result<PredictionView<'t>> {
        let out = self.room_in(room)?;
        let silence = self.asked_again(id, out)?;
        self.as_view(silence, out)
    }

    /// Writes the probabilities of [`Predictor::predict_job`], one for each bin, and returns whether there are any: not
    /// where nothing is predicted.
    pub(crate) fn present(&self, id: i64, out: &mut [f64]) -> Result<bool> {
        Ok(self.asked_again(id, out)?.is_none() && share_out(out)?)
    }

    /// Whether the present predictions for two jobs in the system are surely the same. O(contexts).
    pub(crate) fn are_alike(&self, id: i64, other: i64) -> Result<bool> {
        let (Some(job), Some(other)) = (self.jobs.get(id)?, self.jobs.get(other)?) else {
            return Err(Error::UnknownJob);
        };
        match &self.learner {
            Learner::Mixture(_) => Ok(self.jobs.keys(job)? == self.jobs.keys(other)?),
            Learner::Contexts(contexts) => contexts.are_alike(job, other),
            Learner::Hmm(_) => Ok(false),
        }
    }

    /// The present prediction for a job, before it is made a distribution.
    fn asked_again(&self, id: i64, out: &mut [f64]) -> Result<Option<Silence>> {
        let record = self.jobs.get(id)?.ok_or(Error::UnknownJob)?;
        match &self.learner {
            Learner::Mixture(mixture) => mixed(mixture, self.jobs.keys(record)?, self.state.finished, out),
            // Where nothing was learnt since the job came the answer is the one given then.
            Learner::Contexts(contexts) if self.jobs.job(record)?.slot != asked_after(contexts) => {
                answered(contexts.predict_job(record, out), out)
            }
            Learner::Contexts(_) | Learner::Hmm(_) => {
                let silence = self.silence_of(record)?;
                if silence.is_none() {
                    copy(out, self.jobs.said(record)?);
                    answered(Ok(true), out)?;
                }
                Ok(silence)
            }
        }
    }

    /// Probabilities for a job with these keys submitted at `now`, made safe; or the reason why there are none, and
    /// then `out` is without meaning. A hidden Markov model's alone are copied to `own`, which may be empty.
    pub(super) fn find(
        &mut self,
        keys: &[i64],
        now: i64,
        out: &mut [f64],
        own: &mut [f64],
    ) -> Result<Option<Silence>> {
        let finished = self.state.finished;
        let tracker = match &mut self.learner {
            Learner::Mixture(mixture) => return mixed(mixture, keys, finished, out),
            Learner::Contexts(contexts) => return answered(contexts.predict(keys, now, out), out),
            Learner::Hmm(tracker) => tracker,
        };
        let State { options, bins, now: last, .. } = &*self.state;
        let setting = Setting { options, bins, now };
        tracker.probabilities(&mut self.jobs, setting, (*last, finished), out, own)
    }
}

/// The answer in an object of its own.
fn owned(answer: PredictionView<'_>) -> Result<Prediction> {
    match answer {
        Ok(view) => view.owned().map(Ok),
        Err(silence) => Ok(Err(silence)),
    }
}
