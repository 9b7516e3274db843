//! Bounds from a series, by any of the methods.

use crate::error::{Error, Result};
use crate::math::student;
use crate::runtime::MAX_SECONDS;
use crate::wait::binomial::{next_upper_indices, smallest_history, upper_index};
use crate::wait::history::{Series, View};
use crate::wait::rivals::{Weibull, WeibullSums, fit_weibull, log_normal, log_uniform};
use bytemuck::{Pod, Zeroable};

/// Method by which a bound is computed from the waits that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum WaitMethod {
    /// Order statistics: right for any distribution.
    #[default]
    Binomial = 0,
    /// The bound of a log-normal's quantile, by the noncentral t.
    LogNormal = 1,
    /// The quantile of a log-uniform, by maximum likelihood; the confidence is ignored.
    LogUniform = 2,
    /// The quantile of a Weibull, by maximum likelihood; the confidence is ignored.
    Weibull = 3,
}

impl WaitMethod {
    /// The method with this number.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn from_number(number: u32) -> Result<WaitMethod> {
        use WaitMethod::{Binomial, LogNormal, LogUniform, Weibull};
        let methods = [Binomial, LogNormal, LogUniform, Weibull];
        methods.into_iter().find(|method| *method as u32 == number).ok_or(Error::OutOfRange)
    }
}

/// A quantile and the confidence with which it is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Question {
    pub quantile: f64,
    pub confidence: f64,
    /// The smallest number of waits that gives an answer.
    pub fewest: u64,
}

impl Question {
    pub(super) fn new(quantile: f64, confidence: f64) -> Result<Question> {
        Ok(Question { quantile, confidence, fewest: smallest_history(quantile, confidence)? })
    }
}

/// Results kept with a series so that the options' question needs no new computation. All zero: nothing computed.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Memo {
    /// The number of waits for which this was computed.
    count: u64,
    /// Waits added since.
    age: u64,
    /// Index of the order statistic.
    index: u64,
    /// Number of waits up to which the index grows with each.
    grows_to: u64,
    /// Tolerance factor, or the Weibull's shape.
    first: f64,
    /// The Weibull's scale.
    second: f64,
}

/// Inverse of the part of a history that may change before tolerance factor and Weibull are computed anew.
const STALE: u64 = 256;

impl Memo {
    /// Brings the memo up to date after one wait was added (and perhaps others removed). The order statistic's index is
    /// that of the present number of waits. A tolerance factor may be that of up to 1/256 fewer waits, where it is
    /// slightly larger; a Weibull may lack the newest 1/256 of them.
    pub(super) fn refresh(
        &mut self,
        view: View,
        series: &Series,
        method: WaitMethod,
        question: &Question,
    ) -> Result<()> {
        let count = series.count();
        self.age += 1;
        if count < question.fewest {
            *self = Memo::default();
            return Ok(());
        }
        let current = match method {
            WaitMethod::Binomial => self.count == count,
            WaitMethod::LogNormal => self.count <= count && count - self.count <= self.count / STALE,
            WaitMethod::LogUniform => true,
            WaitMethod::Weibull => self.count != 0 && self.count <= count && self.age <= self.count / STALE,
        };
        if current {
            return Ok(());
        }
        let start = (self.count != 0 && self.first.is_finite()).then_some(self.first);
        let mut memo = Memo { count, ..Memo::default() };
        match method {
            WaitMethod::Binomial if self.count != 0 && self.count + 1 == count => {
                (memo.index, memo.grows_to) = if count <= self.grows_to {
                    (self.index + 1, self.grows_to)
                } else {
                    next_upper_indices(self.count, self.index, question.quantile, question.confidence)
                };
            }
            WaitMethod::Binomial => memo.index = order_statistic(count, question)?,
            WaitMethod::LogNormal => {
                memo.first = student::tolerance_factor(count as f64, question.quantile, question.confidence);
            }
            WaitMethod::LogUniform => {}
            WaitMethod::Weibull => {
                let fitted = weibull(view, series, start)?;
                (memo.first, memo.second) = (fitted.shape, fitted.scale);
            }
        }
        *self = memo;
        Ok(())
    }

    /// The index of the order statistic that answers the options' question by the binomial method.
    pub(super) fn index(&self) -> u64 {
        self.index
    }

    /// The bound of the options' question in seconds; `None` if there are too few waits.
    pub(super) fn bound(
        &self,
        view: View,
        series: &Series,
        method: WaitMethod,
        question: &Question,
    ) -> Result<Option<i64>> {
        if series.count() < question.fewest {
            return Ok(None);
        }
        match method {
            WaitMethod::Binomial => view.select(series, self.index).and_then(seconds).map(Some),
            WaitMethod::LogNormal => Ok(Some(by_log_normal(series, self.first))),
            WaitMethod::LogUniform => by_log_uniform(view, series, question.quantile).map(Some),
            WaitMethod::Weibull => {
                let fitted = Weibull { shape: self.first, scale: self.second };
                Ok(Some(whole_seconds(fitted.quantile(question.quantile))))
            }
        }
    }
}

/// Any question's bound in seconds; `None` if there are too few waits.
pub(super) fn bound(
    view: View,
    series: &Series,
    method: WaitMethod,
    question: &Question,
) -> Result<Option<i64>> {
    if series.count() < question.fewest {
        return Ok(None);
    }
    match method {
        WaitMethod::Binomial => {
            let index = order_statistic(series.count(), question)?;
            view.select(series, index).and_then(seconds).map(Some)
        }
        WaitMethod::LogNormal => {
            let n = series.count() as f64;
            if n < 2.0 {
                return Ok(None);
            }
            let factor = student::tolerance_factor(n, question.quantile, question.confidence);
            Ok(Some(by_log_normal(series, factor)))
        }
        WaitMethod::LogUniform => by_log_uniform(view, series, question.quantile).map(Some),
        WaitMethod::Weibull => {
            let fitted = weibull(view, series, None)?;
            Ok(Some(whole_seconds(fitted.quantile(question.quantile))))
        }
    }
}

/// The upper bound of the waits that are at least `age`; `None` if there are too few of them.
pub(super) fn bound_from(
    view: View,
    series: &Series,
    age: u64,
    quantile: f64,
    confidence: f64,
) -> Result<Option<i64>> {
    let shorter = view.nodes.rank(&series.tree, age)?;
    let longer = series.count().saturating_sub(shorter);
    match upper_index(longer, quantile, confidence)? {
        Some(index) => view.select(series, shorter + index).and_then(seconds).map(Some),
        None => Ok(None),
    }
}

fn order_statistic(count: u64, question: &Question) -> Result<u64> {
    upper_index(count, question.quantile, question.confidence)?.ok_or(Error::Corrupt)
}

/// A wait of the history, which is at most [`MAX_SECONDS`].
pub(super) fn seconds(wait: u64) -> Result<i64> {
    i64::try_from(wait).map_err(|_| Error::Corrupt)
}

/// Rounded up, at most [`MAX_SECONDS`].
pub(super) fn whole_seconds(wait: f64) -> i64 {
    libm::ceil(wait.min(MAX_SECONDS as f64)) as i64
}

fn by_log_normal(series: &Series, factor: f64) -> i64 {
    let moments = series.moments();
    whole_seconds(log_normal(moments.mean, moments.deviations, series.count() as f64, factor))
}

fn by_log_uniform(view: View, series: &Series, quantile: f64) -> Result<i64> {
    let shortest = view.select(series, 1)? as f64;
    let longest = view.select(series, series.count())? as f64;
    Ok(whole_seconds(log_uniform(shortest, longest, quantile)))
}

fn weibull(view: View, series: &Series, start: Option<f64>) -> Result<Weibull> {
    let n = series.count() as f64;
    let moments = series.moments();
    let longest = libm::log(view.select(series, series.count())?.max(1) as f64);
    fit_weibull(n, moments.mean, moments.deviations / n, longest, start, |shape| {
        let mut sums = WeibullSums::default();
        let mut from = 0;
        while let Some(found) = view.nodes.at_least(&series.tree, from)? {
            sums.add(shape, longest - libm::log(found.key.max(1) as f64), f64::from(found.count));
            from = found.key.saturating_add(1);
        }
        Ok(sums)
    })
}
