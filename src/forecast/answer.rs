//! Estimates of one waiting job's start from the scenarios, with the uncertainty due to their number.
//!
//! The half-widths are those of N - 1 independent scenarios. Latin hypercube sampling is never worse than that (Owen
//! 1997), and mostly better, so that they hold with at least the wanted confidence, up to the normal approximation of a
//! count (Wilson 1927) and of a mean. They cover the number of scenarios alone: neither later arrivals nor errors of
//! predicted run times.

use crate::error::{Error, Result};
use crate::forecast::object::{DONE, Forecast, NEVER, State};
use crate::math::normal;
use crate::memory::{at, range};

/// An estimate, with its distance from that of infinitely many scenarios at most, with the confidence of the options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate<T> {
    /// The estimate.
    pub value: T,
    /// Half-width, not negative; infinity where the scenarios are too few.
    pub half_width: f64,
}

impl Forecast<'_> {
    /// The starts of a waiting job in all scenarios, in increasing order, in seconds since the forecast's begin;
    /// `i64::MAX` for a job that is wider than all idle and running processors, which does not start before others come
    /// back.
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`Forecast::run`] is done; [`Error::NoSuchIndex`].
    pub fn starts(&self, job: usize) -> Result<&[i64]> {
        self.answers().starts(job)
    }

    /// The earliest time by which the job has started in at least this share (above 0, at most 1) of the scenarios. The
    /// half-width is in seconds: the order statistics between which the quantile lies. O(1).
    ///
    /// # Errors
    /// As [`Forecast::starts`]; [`Error::NotANumber`]; [`Error::OutOfRange`]; [`Error::Never`].
    pub fn start_quantile(&self, job: usize, probability: f64) -> Result<Estimate<i64>> {
        self.answers().start_quantile(job, probability)
    }

    /// The share of scenarios in which the job has started by time `when`. O(log scenarios).
    ///
    /// # Errors
    /// As [`Forecast::starts`].
    pub fn start_probability(&self, job: usize, when: i64) -> Result<Estimate<f64>> {
        self.answers().start_probability(job, when)
    }

    /// The mean wait from now until the job starts, in seconds. O(scenarios).
    ///
    /// # Errors
    /// As [`Forecast::starts`]; [`Error::Never`].
    pub fn start_mean(&self, job: usize) -> Result<Estimate<f64>> {
        self.answers().start_mean(job)
    }

    fn answers(&self) -> Answers<'_> {
        Answers::new(self.state, self.parts.starts)
    }
}

/// A forecast that is done.
pub(crate) struct Answers<'a> {
    state: &'a State,
    /// A row of scenarios for each waiting job.
    starts: &'a [i64],
}

impl<'a> Answers<'a> {
    pub(crate) fn new(state: &'a State, starts: &'a [i64]) -> Answers<'a> {
        Answers { state, starts }
    }

    pub(crate) fn starts(&self, job: usize) -> Result<&'a [i64]> {
        if self.state.phase != DONE {
            return Err(Error::WrongState);
        }
        if job >= self.state.waiting as usize {
            return Err(Error::NoSuchIndex);
        }
        let scenarios = self.state.options.scenarios as usize;
        range(self.starts, job * scenarios, scenarios)
    }

    pub(crate) fn start_quantile(&self, job: usize, probability: f64) -> Result<Estimate<i64>> {
        let starts = self.starts(job)?;
        if probability.is_nan() {
            return Err(Error::NotANumber);
        }
        if !(probability > 0.0 && probability <= 1.0) {
            return Err(Error::OutOfRange);
        }
        let count = starts.len() as f64;
        // Keeps rounding from raising a whole rank to the next.
        let rank = libm::ceil(probability * count - 1e-9).max(1.0).min(count);
        let start = *at(starts, rank as usize - 1)?;
        if start == NEVER {
            return Err(Error::Never);
        }
        let deviation = libm::sqrt(probability * (1.0 - probability) * count * count / (count - 1.0));
        let reach = self.critical() * deviation;
        let low = libm::floor(probability * count - reach);
        let high = libm::ceil(probability * count + reach) + 1.0;
        // A start lies not before now.
        let earliest = if low < 1.0 { 0 } else { *at(starts, low as usize - 1)? };
        let above = if high > count || probability == 1.0 {
            f64::INFINITY
        } else {
            at(starts, high as usize - 1)?.saturating_sub(start) as f64
        };
        let value = self.state.now.checked_add(start).ok_or(Error::OutOfRange)?;
        Ok(Estimate { value, half_width: above.max(start.saturating_sub(earliest) as f64) })
    }

    pub(crate) fn start_probability(&self, job: usize, when: i64) -> Result<Estimate<f64>> {
        let starts = self.starts(job)?;
        let after = when.saturating_sub(self.state.now).min(NEVER - 1);
        let started = starts.partition_point(|&start| start <= after) as f64;
        let value = started / starts.len() as f64;
        // The past is certain, and so is a job that cannot start.
        if after < 0 || starts.first() == Some(&NEVER) {
            return Ok(Estimate { value, half_width: 0.0 });
        }
        let (n, z) = (starts.len() as f64 - 1.0, self.critical());
        let shrink = 1.0 + z * z / n;
        let centre = (value + z * z / (2.0 * n)) / shrink;
        let reach = z * libm::sqrt(value * (1.0 - value) / n + z * z / (4.0 * n * n)) / shrink;
        let half_width = (centre + reach - value).max(value - (centre - reach));
        Ok(Estimate { value, half_width: half_width.min(1.0) })
    }

    pub(crate) fn start_mean(&self, job: usize) -> Result<Estimate<f64>> {
        let starts = self.starts(job)?;
        if starts.last() == Some(&NEVER) {
            return Err(Error::Never);
        }
        let n = starts.len() as f64;
        let value = starts.iter().map(|&start| start as f64).sum::<f64>() / n;
        let squares: f64 = starts.iter().map(|&start| (start as f64 - value) * (start as f64 - value)).sum();
        Ok(Estimate { value, half_width: self.critical() * libm::sqrt(squares) / (n - 1.0) })
    }

    /// Number of standard deviations in a half-width.
    fn critical(&self) -> f64 {
        -normal::quantile(0.5 * (1.0 - self.state.options.confidence))
    }
}
