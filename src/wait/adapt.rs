//! Adapted bounds: the method's own, shifted so that the wanted share is missed, and what is learnt from outcomes.

use crate::error::Result;
use crate::math::chances::Shares;
use crate::wait::chances::CHANCES;
use crate::wait::estimate;
use crate::wait::levels::{ASIDE, ASIDE_TAILS, Groups, Levels, tail_of};
use crate::wait::options::ADAPT;
use crate::wait::predictor::{State, WaitPredictor};
use crate::wait::queue::Waiting;
use crate::wait::sample::Sample;

/// Range of the logarithm by which bounds of parametric methods are stretched or shrunk.
const STRETCH: (f64, f64) = (-3.0, 8.0);

/// Adapted bounds exceed the longest wait by at most this factor.
const BEYOND_LONGEST: f64 = 1.5;

/// Adapted rests of the waits of jobs that wait already exceed the longest wait by at most this factor: in a jam they
/// may wait longer than any job before.
const BEYOND_LONGEST_WAITING: f64 = 4.5;

impl WaitPredictor<'_> {
    /// Learns that a job's bound was missed, or held.
    pub(super) fn judged(&mut self, groups: Groups, missed: bool) {
        if self.has(ADAPT) {
            let State { levels, question, rate, .. } = &mut *self.state;
            levels.learn(groups, missed, question.quantile, *rate, 1.0);
        }
    }

    /// Learns from the finished wait of a job, in seconds: the bounds noted when it came are missed or held, and its
    /// situation is remembered.
    pub(super) fn compare(&mut self, waiting: &Waiting, wait: u64) -> Result<()> {
        if self.has(ADAPT) && waiting.noted == 1 {
            let rate = self.state.rate;
            self.state.levels.learn_aside(waiting.aside.map(|bound| wait > u64::from(bound)), rate);
            self.state.chances.learn(CHANCES, &waiting.shares, waiting.learnt, wait, true);
        }
        self.remember(&waiting.situation, waiting.index, wait)
    }

    /// The bounds at the levels [`ASIDE`] from these waits, in seconds, and the shares of waits within the horizons;
    /// `None` without waits, and without [`ADAPT`].
    pub(super) fn aside(&self, sample: Sample) -> Result<Option<([u32; ASIDE.len()], Shares)>> {
        if !self.has(ADAPT) {
            return Ok(None);
        }
        let bounds = self.aside_of(sample, &self.state.levels)?;
        Ok(bounds.zip(Some(sample.shares()?)))
    }

    /// The bounds at the levels [`ASIDE`] from these waits, with these levels, in seconds.
    pub(super) fn aside_of(&self, sample: Sample, levels: &Levels) -> Result<Option<[u32; ASIDE.len()]>> {
        let mut bounds = [0; ASIDE.len()];
        for (bound, tail) in bounds.iter_mut().zip(ASIDE_TAILS) {
            let Some(seconds) = sample.at_tail(tail + levels.shift_aside(tail))? else { return Ok(None) };
            *bound = u32::try_from(seconds.min(self.most(0))).unwrap_or(u32::MAX);
        }
        Ok(Some(bounds))
    }

    /// The order statistic that answers another question than the options', at its level's shift with [`ADAPT`]; `None`
    /// without an index.
    pub(super) fn aside_bound(
        &self,
        sample: Sample,
        index: Option<u64>,
        quantile: f64,
        levels: &Levels,
    ) -> Result<Option<i64>> {
        let Some(index) = index else { return Ok(None) };
        let own = sample.select(index).and_then(estimate::seconds)?;
        if !self.has(ADAPT) {
            return Ok(Some(own));
        }
        let shift = levels.shift_aside(tail_of(quantile));
        Ok(sample.at_tail(sample.tail(index) + shift)?.map(|bound| bound.min(self.most(own))))
    }

    /// The largest adapted bound, in seconds; `own` is the method's own, which may be larger.
    pub(super) fn most(&self, own: i64) -> i64 {
        estimate::whole_seconds(BEYOND_LONGEST * self.state.longest as f64).max(own)
    }

    /// The largest adapted rest of a wait, in seconds; `own` is the method's own, which may be larger.
    pub(super) fn most_rest(&self, own: i64) -> i64 {
        estimate::whole_seconds(BEYOND_LONGEST_WAITING * self.state.longest as f64).max(own)
    }

    /// A parametric method's bound, stretched or shrunk; 0 s can be stretched as well.
    pub(super) fn stretched(&self, bound: i64, shift: f64) -> i64 {
        if shift == 0.0 {
            return bound;
        }
        let stretched = (bound as f64 + 1.0) * libm::exp(shift.clamp(STRETCH.0, STRETCH.1)) - 1.0;
        estimate::whole_seconds(stretched).min(self.most(bound))
    }
}
