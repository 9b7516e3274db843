//! Questions about the wait of a job that comes: from its features to the waits that count, and from these to a bound.

use crate::error::Result;
use crate::memory::at;
use crate::wait::binomial::{check_probability, lower_index, two_sided_indices, upper_index};
use crate::wait::estimate::{self, Memo, Question, WaitMethod};
use crate::wait::history::{Series, View};
use crate::wait::levels::Groups;
use crate::wait::options::{ADAPT, Features, VISIBLE, WaitAnswer};
use crate::wait::predictor::WaitPredictor;
use crate::wait::sample::{Sample, WINDOW, Window};
use crate::wait::tree::Nodes;
use crate::wait::visible::{SEEN, Situation, Visible};

/// The inputs of a question about a job.
pub(super) struct Asked {
    pub attribute: u64,
    pub groups: Groups,
    pub situation: Situation,
    pub index: u32,
}

impl WaitPredictor<'_> {
    /// An upper bound, with this `confidence`, for the `quantile` of the wait of a job submitted at `now`. O(log n) for
    /// the options' quantile and confidence, else with [`upper_index`](crate::wait::upper_index) (or the method's own
    /// computation, up to O(n)) on top. With [`ADAPT`] the options' question is answered with the adapted bound.
    ///
    /// # Errors
    /// [`Error::NotANumber`](crate::error::Error::NotANumber);
    /// [`Error::OutOfRange`](crate::error::Error::OutOfRange) for probabilities outside (0, 1), or features or time
    /// out of range; [`Error::TimeWentBack`](crate::error::Error::TimeWentBack).
    pub fn predict(
        &self,
        features: &Features,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<WaitAnswer> {
        self.check_question(features, quantile, confidence, now)?;
        let asked = self.asked(features, now)?;
        let usual = &self.state.question;
        if quantile == usual.quantile && confidence == usual.confidence {
            return self.usual_answer(&asked, now, self.state.occupancy.present());
        }
        self.unless_down(now, |predictor| {
            let method = predictor.method()?;
            if predictor.visible().is_none() && method != WaitMethod::Binomial {
                // A history too large to be indexed counts as too little.
                let Ok(question) = Question::new(quantile, confidence) else { return Ok(None) };
                let (view, series, _) = predictor.look(asked.attribute)?;
                return estimate::bound(view, series, method, &question);
            }
            predictor.with_sample_for(&asked, |sample| {
                let index = upper_index(sample.count(), quantile, confidence)?;
                predictor.aside_bound(sample, index, quantile, &predictor.state.levels)
            })
        })
        .and_then(|answer| Ok(self.least(asked.groups, quantile, now)?.raise(answer)))
    }

    /// A lower bound, with this `confidence`, for the `quantile` of the wait, by the binomial method. O(log n) and the
    /// cost of [`lower_index`](crate::wait::lower_index).
    ///
    /// # Errors
    /// As [`WaitPredictor::predict`].
    pub fn predict_lower(
        &self,
        features: &Features,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<WaitAnswer> {
        self.check_question(features, quantile, confidence, now)?;
        let asked = self.asked(features, now)?;
        self.unless_down(now, |predictor| {
            predictor.with_sample_for(&asked, |sample| {
                let index = lower_index(sample.count(), quantile, confidence)?;
                predictor.aside_bound(sample, index, quantile, &predictor.state.levels)
            })
        })
    }

    /// A lower and an upper bound that hold together with this `confidence` for the `quantile` of the wait, by the
    /// binomial method. O(log n) and the cost of [`two_sided_indices`].
    ///
    /// # Errors
    /// As [`WaitPredictor::predict`].
    pub fn predict_two_sided(
        &self,
        features: &Features,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<(WaitAnswer, WaitAnswer)> {
        self.check_question(features, quantile, confidence, now)?;
        if self.down(now, self.state.occupancy.present())? {
            return Ok((WaitAnswer::MayBeDown, WaitAnswer::MayBeDown));
        }
        let asked = self.asked(features, now)?;
        let found = self.with_sample_for(&asked, |sample| {
            let indices = two_sided_indices(sample.count(), quantile, confidence)?;
            let Some((low, high)) = indices else { return Ok(None) };
            let bound = |index| {
                self.aside_bound(sample, Some(index), quantile, &self.state.levels)
                    .map(WaitAnswer::from_bound)
            };
            Ok(Some((bound(low)?, bound(high)?)))
        })?;
        let least = self.least(asked.groups, quantile, now)?;
        Ok(match found {
            Some((low, high)) => (low, least.raise(high)),
            None => (WaitAnswer::TooLittleHistory, WaitAnswer::TooLittleHistory),
        })
    }

    pub(super) fn check_question(
        &self,
        features: &Features,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<u64> {
        check_probability(quantile)?;
        check_probability(confidence)?;
        features.check()?;
        self.check_time(now)?;
        Ok(self.attribute()?.of(features))
    }

    pub(super) fn unless_down(
        &self,
        now: i64,
        bound: impl Fn(&Self) -> Result<Option<i64>>,
    ) -> Result<WaitAnswer> {
        if self.down(now, self.state.occupancy.present())? {
            return Ok(WaitAnswer::MayBeDown);
        }
        Ok(WaitAnswer::from_bound(bound(self)?))
    }

    /// The answer to the options' question.
    pub(super) fn usual_answer(&self, asked: &Asked, now: i64, waiting: u32) -> Result<WaitAnswer> {
        self.usual_answer_and(asked, now, waiting, |_| Ok(())).map(|(answer, ())| answer)
    }

    /// The answer to the options' question and, where that is a bound, what else is asked of the same waits; else its
    /// default.
    pub(super) fn usual_answer_and<R: Default>(
        &self,
        asked: &Asked,
        now: i64,
        waiting: u32,
        ask: impl FnOnce(Sample) -> Result<R>,
    ) -> Result<(WaitAnswer, R)> {
        if self.down(now, waiting)? {
            return Ok((WaitAnswer::MayBeDown, R::default()));
        }
        let (method, question) = (self.method()?, &self.state.question);
        let shift = if self.has(ADAPT) { self.state.levels.shift(asked.groups) } else { 0.0 };
        if self.visible().is_none() && method != WaitMethod::Binomial {
            let (view, series, memo) = self.look(asked.attribute)?;
            let bound = memo.bound(view, series, method, question)?;
            let found = if bound.is_some() { ask(Sample::Series(view, series))? } else { R::default() };
            return Ok((WaitAnswer::from_bound(bound.map(|bound| self.stretched(bound, shift))), found));
        }
        let (bound, found) = self.with_sample(asked, |sample, index| {
            if sample.count() < question.fewest {
                return Ok((None, R::default()));
            }
            let own = sample.select(index).and_then(estimate::seconds)?;
            if !self.has(ADAPT) {
                return Ok((Some(own), ask(sample)?));
            }
            let bound = sample.at_tail(sample.tail(index) + shift)?;
            let found = if bound.is_some() { ask(sample)? } else { R::default() };
            Ok((bound.map(|bound| bound.min(self.most(own))), found))
        })?;
        let least = self.least(asked.groups, question.quantile, now)?;
        Ok((least.raise(WaitAnswer::from_bound(bound)), found))
    }

    /// The groups of a job by width and request.
    pub(super) fn groups(&self, features: &Features) -> Groups {
        self.state.ranks.groups(features.processors, features.requested.unsigned_abs())
    }

    /// The inputs of a question about a job that comes at this time.
    pub(super) fn asked(&self, features: &Features, now: i64) -> Result<Asked> {
        let attribute = self.attribute()?.of(features);
        let groups = self.groups(features);
        let visible = self.visible();
        let (mut situation, mut index) = ([0.0; SEEN], 0);
        if let Some(visible) = visible {
            let ahead = self.state.occupancy.ahead(self.parts.slots, now)?;
            situation = visible.situation(&visible.see(features, &ahead, now));
            index = visible.index(&situation);
        }
        Ok(Asked { attribute, groups, situation, index })
    }

    /// The model of situations, if it is used: the component is on, and there is room to answer the options' question.
    pub(super) fn visible(&self) -> Option<&Visible> {
        let room = u64::from(self.state.capacity.neighbours).min(WINDOW as u64);
        let usable = self.has(VISIBLE) && self.state.question.fewest <= room;
        self.parts.visible.first().filter(|_| usable)
    }

    /// Answers another question than the options' from the nearest waits, or where these do not suffice, from the
    /// history.
    fn with_sample_for<R>(
        &self,
        asked: &Asked,
        answer: impl Fn(Sample) -> Result<Option<R>>,
    ) -> Result<Option<R>> {
        let found = self.with_sample(asked, |sample, _| answer(sample))?;
        if found.is_some() || self.visible().is_none() {
            return Ok(found);
        }
        let (view, series, _) = self.look(asked.attribute)?;
        answer(Sample::Series(view, series))
    }

    /// Answers from the waits that count for a job and the index of the one that answers the options' question.
    pub(super) fn with_sample<R>(
        &self,
        asked: &Asked,
        answer: impl FnOnce(Sample, u64) -> Result<R>,
    ) -> Result<R> {
        match self.visible() {
            Some(visible) => {
                let window = Window::like(visible, self.parts.neighbours, asked.index)?;
                answer(Sample::Window(&window), self.state.window_index)
            }
            None => {
                let (view, series, memo) = self.look(asked.attribute)?;
                answer(Sample::Series(view, series), memo.index())
            }
        }
    }

    /// The cluster of an attribute.
    pub(super) fn look(&self, attribute: u64) -> Result<(View<'_>, &Series, &Memo)> {
        let side = self.state.side as usize;
        let cluster = at(&self.state.intervals, side)?.of(attribute);
        let view = View { records: self.parts.records, nodes: Nodes(self.parts.nodes) };
        Ok((view, at(at(&self.state.series, side)?, cluster)?, at(at(&self.state.memos, side)?, cluster)?))
    }
}
