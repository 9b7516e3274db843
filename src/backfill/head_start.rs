//! The number of free processors over time, and the head job's start if nothing is backfilled any more.
//!
//! The processors free at `t` are the idle ones and the sum of the independent jobs that have ended by then: one fresh
//! product of their distributions, O(running jobs x processors asked for). Several quantiles of the start come from one
//! walk over all instants, as decisions do.

use crate::backfill::by_walk::Views;
use crate::backfill::convolve::{add_job, sum};
use crate::backfill::pass::{ACCEPTING, Asked, Pass};
use crate::backfill::running::measure;
use crate::backfill::spectrum::{DECLINED, SUMMING, UNTRIED};
use crate::backfill::timeline::Timeline;
use crate::backfill::walk::Progress;
use crate::error::{Error, Result};
use crate::math::fnv::fnv1a;
use crate::memory::{at_mut, range, range_mut};
use crate::runtime::check_span;
use bytemuck::Zeroable;

/// Probabilities this close to one asked for have reached it: a sum of many may miss it by rounding.
const ROUNDING: f64 = 1e-12;

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
        if processors > self.state.capacity.processors {
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
    /// nothing else is started: the honest estimate of its start. O(log releases x running jobs x processors).
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
        if self.state.spectrum.phase == SUMMING && self.state.sorted < self.state.walk.running {
            // The spectrum's sums are over instants that are about to change: the decision begins anew.
            (self.state.spectrum.phase, self.state.prepared) = (UNTRIED, 0);
        }
        self.sort()?;
        let (mut low, mut high) = (0, self.state.walk.instants as usize);
        let mut last = high.checked_sub(1).ok_or(Error::Never)?;
        // The smallest instant that reaches the probability.
        let reached = probability - ROUNDING;
        while low < high {
            let middle = low + (high - low) / 2;
            let after = self.timeline().after(middle)?;
            if self.free_after(self.state.head_processors, after)? >= reached {
                (high, last) = (middle, middle);
            } else {
                low = middle + 1;
            }
        }
        let after = self.timeline().after(last)?;
        self.state.now.checked_add(after).ok_or(Error::OutOfRange)
    }

    /// Quantiles of the head job's start for several probabilities (ascending, above 0, at most 1) by one walk over the
    /// instants: about `work` multiply-adds a call, at least one step of the walk. Returns whether all are known; until
    /// then call again with the same probabilities and times: those known already have their place in `whens`. The walk
    /// is given up when a decision begins or other quantiles are computed.
    ///
    /// For E releases and c processors that the head job still needs the walk costs about E c multiply-adds, whatever
    /// the number of quantiles: some ten times a single one by [`Pass::head_start_quantile`], which cannot be
    /// interrupted. All are exact, also where many jobs may end at one instant.
    ///
    /// # Errors
    /// As [`Pass::head_start_quantile`]; [`Error::OutOfRange`] also for probabilities that descend, and unless both
    /// slices are equally long; [`Error::WrongState`] also in the middle of a decision.
    pub fn head_start_quantiles(
        &mut self,
        probabilities: &[f64],
        whens: &mut [i64],
        work: u64,
    ) -> Result<bool> {
        if !self.begun() || self.state.phase == ACCEPTING || self.state.prepared != 0 {
            return Err(Error::WrongState);
        }
        if probabilities.iter().any(|probability| probability.is_nan()) {
            return Err(Error::NotANumber);
        }
        let inside = probabilities.iter().all(|&probability| probability > 0.0 && probability <= 1.0);
        let ascending = probabilities.iter().zip(probabilities.iter().skip(1)).all(|(one, next)| one <= next);
        if !inside || !ascending || whens.len() != probabilities.len() {
            return Err(Error::OutOfRange);
        }
        if self.state.idle as u64 + (self.state.busy as u64) < self.state.head_processors as u64 {
            return Err(Error::Never);
        }
        let sum = fnv1a(bytemuck::cast_slice(probabilities));
        let jobs = self.state.walk.running + 1;
        if (self.state.asked.sum, self.state.asked.jobs) != (sum, jobs) {
            self.begin_to_ask()?;
            (self.state.asked.sum, self.state.asked.jobs) = (sum, jobs);
        }
        let known = self.walk_to_quantiles(probabilities, whens, work)?;
        if known {
            self.forget_question();
        }
        Ok(known)
    }

    /// Continues the walk of [`Pass::head_start_quantiles`].
    fn walk_to_quantiles(&mut self, probabilities: &[f64], whens: &mut [i64], work: u64) -> Result<bool> {
        let state = &mut *self.state;
        let Views { mut walk, suffered, window, .. } =
            self.parts.views(&mut state.walk, state.capacity.processors);
        let Asked { started, last, .. } = &mut state.asked;
        let reached = |probability: f64, started: f64| started >= probability - ROUNDING;
        let mut done = 0;
        while probabilities.last().is_some_and(|&most| !reached(most, *started)) {
            let before = *started;
            let over = match walk.step(work, &mut done)? {
                Progress::Interrupted => return Ok(false),
                Progress::Passed(_) => continue,
                Progress::Over => true,
                Progress::Reached(after) => {
                    let landings = state.landings as usize; // none: no candidate is judged
                    let found =
                        walk.visit(range_mut(suffered, 0, landings)?, range_mut(window, 0, landings)?)?;
                    done += found.work;
                    if found.started > 0.0 {
                        (*started, *last) = (before + found.started, after);
                    }
                    false
                }
            };
            let when = state.now.checked_add(*last).ok_or(Error::OutOfRange)?;
            for (&probability, to) in probabilities.iter().zip(whens.iter_mut()) {
                // Where a sum misses a probability by rounding, its quantile is the last instant.
                if !reached(probability, before) && (over || reached(probability, *started)) {
                    *to = when;
                }
            }
            if over {
                break;
            }
            if done >= work {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sets the walk up for quantiles. It starts from the kept segments and keeps no new ones, so that it does not
    /// change later decisions; only a spectrum's store is overwritten.
    fn begin_to_ask(&mut self) -> Result<()> {
        self.forget_question();
        self.sort()?;
        let state = &mut *self.state;
        if state.spectrum.phase != DECLINED {
            state.spectrum.phase = UNTRIED;
        }
        state.landings = 0;
        let unit = measure(range_mut(self.parts.running, 0, state.walk.running as usize)?);
        let missing = state.head_processors.checked_sub(state.idle).ok_or(Error::Corrupt)?;
        let walk = &mut state.walk;
        walk.target = missing.div_ceil(unit);
        walk.high = walk.target;
        if walk.segments == 0 || walk.unit != unit {
            (walk.reach, walk.unit, walk.grain, walk.segments, walk.kept) = (walk.target, unit, 0, 0, 0);
        }
        (state.asked.grain, walk.grain) = (walk.grain, 0);
        self.parts.views(&mut state.walk, state.capacity.processors).walk.start()
    }

    /// Ends a walk for quantiles, whether they are known or not.
    pub(super) fn forget_question(&mut self) {
        if self.state.asked.jobs > 0 {
            self.state.walk.grain = self.state.asked.grain;
            self.state.asked = Asked::zeroed();
        }
    }

    fn timeline(&self) -> Timeline<'_> {
        Timeline { entries: self.parts.entries, begins: self.parts.begins }
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
        self.write_releases()?;
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
