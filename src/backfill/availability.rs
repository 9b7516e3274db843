//! How many processors will be free when, and when the head job will start if nothing is backfilled any more.
//!
//! The processors free at `t` are the idle ones and the sum of the independent jobs that have ended by then: one fresh
//! product of their distributions, O(running jobs x processors asked for).

use crate::backfill::convolve::{add_job, sum};
use crate::backfill::pass::Pass;
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::check_span;

impl Pass<'_> {
    /// The probability that at least `processors` are free at time `when` if nothing else starts.
    ///
    /// With the jobs running now and the candidates committed so far. O(running jobs x (releases + processors)).
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`Pass::begin`]; [`Error::OutOfRange`] for a time before the pass's;
    /// [`Error::SpanTooLong`] for one beyond [`MAX_SECONDS`](crate::runtime::MAX_SECONDS) after it;
    /// [`Error::TooManyProcessors`].
    pub fn free_probability(&mut self, processors: u32, when: i64) -> Result<f64> {
        let span = self.span(when)?;
        if processors > self.state.limits.processors {
            return Err(Error::TooManyProcessors);
        }
        self.free_after(processors, span)
    }

    /// The probability that the head job has started by time `when` if nothing else is started.
    ///
    /// # Errors
    /// As [`Pass::free_probability`].
    pub fn head_start_probability(&mut self, when: i64) -> Result<f64> {
        self.free_probability(self.state.head_processors, when)
    }

    /// The earliest time by which the head job has started with at least this probability (above 0, at most 1) if
    /// nothing else is started: what an estimate of its start ought to say. O(log releases x running jobs x
    /// processors).
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`Pass::begin`]; [`Error::NotANumber`]; [`Error::OutOfRange`]; [`Error::Never`]
    /// when the running jobs together do not free enough processors.
    pub fn head_start_quantile(&mut self, probability: f64) -> Result<i64> {
        if !self.begun() {
            return Err(Error::WrongState);
        }
        if probability.is_nan() {
            return Err(Error::NotANumber);
        }
        if !(probability > 0.0 && probability <= 1.0) {
            return Err(Error::OutOfRange);
        }
        // The last instant releases everything: if even that is not enough, nothing is.
        if self.state.idle as u64 + (self.state.busy as u64) < self.state.head_processors as u64 {
            return Err(Error::Never);
        }
        self.sort()?;
        let (mut low, mut high) = (0, self.state.walk.instants as usize);
        let mut last = high.checked_sub(1).ok_or(Error::Never)?;
        // The smallest instant that reaches the probability; the sum of a full product may miss 1 by rounding.
        let reached = probability.min(1.0 - 1e-12);
        while low < high {
            let middle = low + (high - low) / 2;
            let after = at(self.parts.instants, middle)?.after;
            if self.free_after(self.state.head_processors, after)? >= reached {
                (high, last) = (middle, middle);
            } else {
                low = middle + 1;
            }
        }
        let after = at(self.parts.instants, last)?.after;
        self.state.now.checked_add(after).ok_or(Error::OutOfRange)
    }

    fn span(&self, when: i64) -> Result<i64> {
        if !self.begun() {
            return Err(Error::WrongState);
        }
        let span = when.checked_sub(self.state.now).ok_or(Error::OutOfRange)?;
        check_span(span)?;
        Ok(span)
    }

    fn free_after(&mut self, processors: u32, span: i64) -> Result<f64> {
        let Some(target) = processors.checked_sub(self.state.idle).filter(|&missing| missing > 0) else {
            return Ok(1.0);
        };
        let target = target as usize;
        let [first, second] = &mut self.parts.rows;
        range_mut(first, 0, target)?.fill(0.0);
        *at_mut(first, 0)? = 1.0;
        for job in range(self.parts.running, 0, self.state.walk.running as usize)? {
            let releases = range(self.parts.releases, job.slot as usize, job.releases as usize)?;
            let by_then = releases.iter().take_while(|release| release.after <= span);
            let (count, ended) = by_then.fold((0, 0.0), |(n, sum), r| (n + 1, sum + r.probability));
            let ended = if count == releases.len() { 1.0 } else { f64::min(ended, 1.0) };
            if ended > 0.0 {
                add_job(first, 0, second, 0, target, job.processors as usize, ended);
                core::mem::swap(first, second);
            }
        }
        // All numbers below the target are wanted, so no window shrinks here.
        Ok((1.0 - sum(range(first, 0, target)?)).clamp(0.0, 1.0))
    }
}
