//! The choice of the number of processors that minimises `q Q(n) + R(n)` (Downey 1997, sections 5.2, 5.4 and 6.1).

use crate::allocate::{Correction, FreeTimePredictor, LONGEST, Sizing, check};
use crate::error::{Error, Result};
use crate::memory::at;

/// Options that decide a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChoiceOptions {
    /// Predictor of the wait.
    pub predictor: FreeTimePredictor,
    /// The least number of processors on which the job runs (at least 1).
    pub least: u32,
    /// The largest number of processors it may take. The paper: its average parallelism; under lock-in, once it has
    /// declared the number it waits for, that number.
    pub most: u32,
    /// q: the cost of a second of waiting, in seconds of run time (0 to 2^40). The paper: 1, or the number of jobs in
    /// the queue.
    pub weight: f64,
    /// Share of the run time on the idle processors that waiting must gain at least (0 to 1). The paper's risk-averse
    /// jobs: .2.
    pub least_gain: f64,
}

impl Default for ChoiceOptions {
    /// By the exact mean, from one processor up to all, a second of waiting as one of run time, however small the gain.
    fn default() -> ChoiceOptions {
        ChoiceOptions {
            predictor: FreeTimePredictor::Mean,
            least: 1,
            most: u32::MAX,
            weight: 1.0,
            least_gain: 0.0,
        }
    }
}

/// A job's best number of processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Number of processors: at most the idle ones when it should start now.
    pub processors: u32,
    /// The predicted wait for them in seconds, corrected; 0 when it should start now.
    pub wait: f64,
    /// The wait before correction, for [`Correction::record`].
    pub predicted: f64,
    /// The run time on them, in seconds.
    pub run_time: f64,
    /// Seconds of `q wait + run time` saved against the idle processors; infinite when too few are idle.
    pub gain: f64,
}

impl Choice {
    /// Number of processors on which the job starts when `free` are free, if it does: all that it can use, or under
    /// lock-in those it waited for. `most` is that of [`ChoiceOptions`].
    pub fn start(&self, free: u32, most: u32, lock_in: bool) -> Option<u32> {
        let use_of_all = if lock_in { self.processors } else { free.min(most) };
        (free >= self.processors).then_some(use_of_all)
    }
}

impl Sizing<'_> {
    /// The number of processors with the smallest `q Q(n) + R(n)`, the smaller of equal ones; `run_time` returns the
    /// seconds that the job runs on a number. Waits are corrected where a correction is given. O(n) times the
    /// predictor's test of one wait, and 64 times as much for each n that is better than those before it; by the mean,
    /// the cost of [`Sizing::mean`].
    ///
    /// # Errors
    /// [`Error::NotANumber`] and [`Error::OutOfRange`] for options out of range, more processors at least than the
    /// machine has, and run times that are negative, above 2^40 s or no number; [`Error::Never`] when neither the idle
    /// nor the busy processors suffice; [`Error::WrongState`] before [`Sizing::begin`].
    pub fn choose(
        &mut self,
        options: &ChoiceOptions,
        correction: Option<&Correction>,
        mut run_time: impl FnMut(u32) -> f64,
    ) -> Result<Choice> {
        let ChoiceOptions { predictor, least, most, weight, least_gain } = *options;
        check(weight, 0.0..=LONGEST)?;
        check(least_gain, 0.0..=1.0)?;
        if least == 0 || most < least {
            return Err(Error::OutOfRange);
        }
        self.missing(least)?;
        if let FreeTimePredictor::Quantile(probability) = predictor {
            check(probability, 0.0..=1.0)?;
        }
        let idle = self.state.idle;
        let largest = most.min(idle + self.state.busy);
        let mut checked = |processors| {
            let seconds = run_time(processors);
            check(seconds, 0.0..=LONGEST).map(|()| seconds)
        };
        // The best choice that can start at once.
        let now = best_now(least..=largest.min(idle), &mut checked)?;
        let search = Search { weight, first: least.max(idle + 1), last: largest };
        // Only choices that are better by the least gain count.
        let to_beat = now.map_or(f64::INFINITY, |now| now.run_time * (1.0 - least_gain));
        let corrected = |wait: f64| correction.map_or(wait, |correction| correction.corrected(wait));
        let found = match predictor {
            FreeTimePredictor::Mean => self.by_mean(&search, to_beat, &corrected, &mut checked)?,
            predictor => {
                let uncorrected =
                    |wait: f64| correction.map_or(wait, |correction| correction.uncorrected(wait));
                self.by_test(&search, predictor, to_beat, &corrected, &uncorrected, &mut checked)?
            }
        };
        match (found, now) {
            (Some(found), Some(now)) => {
                Ok(Choice { gain: now.run_time - weight * found.wait - found.run_time, ..found })
            }
            (Some(found), None) => Ok(Choice { gain: f64::INFINITY, ..found }),
            (None, Some(now)) => Ok(now),
            (None, None) => Err(Error::Never),
        }
    }

    /// Makes the choice by the exact distribution of the wait (the predictor in `options` is not used), for a job that
    /// may change its mind: it waits for `n` processors up to a patience, then starts on the processors free by then.
    /// Minimises `q E[min(Q(n), patience)] + E[run time]` over both, the patience among the places where the
    /// integration of the mean pauses (each doubling of the youngest running job's age, each joint of a distribution).
    /// The patience is in seconds; infinite when the job should wait in any case, 0 when it should start now. `wait` is
    /// the mean without the limit to patience as far as it was integrated, `gain` the mean gain. The cost of
    /// [`Sizing::mean`].
    ///
    /// # Errors
    /// As [`Sizing::choose`]; [`Error::Never`] also when fewer than `least` processors are idle, as there is nothing to
    /// fall back on.
    pub fn choose_with_patience(
        &mut self,
        options: &ChoiceOptions,
        mut run_time: impl FnMut(u32) -> f64,
    ) -> Result<(Choice, f64)> {
        let ChoiceOptions { least, most, weight, least_gain, .. } = *options;
        check(weight, 0.0..=LONGEST)?;
        check(least_gain, 0.0..=1.0)?;
        if least == 0 || most < least {
            return Err(Error::OutOfRange);
        }
        self.missing(least)?;
        let idle = self.state.idle;
        if least > idle {
            return Err(Error::Never);
        }
        let mut checked = |processors| {
            let seconds = run_time(processors);
            check(seconds, 0.0..=LONGEST).map(|()| seconds)
        };
        let now = best_now(least..=most.min(idle), &mut checked)?.ok_or(Error::Never)?;
        let first = idle + 1;
        let mut last = most.min(idle + self.state.busy);
        let mut best = (now.run_time * (1.0 - least_gain), now, 0.0);
        let mut integral = self.begin_integral(last.saturating_sub(idle))?;
        while last >= first {
            let more = self.advance(&mut integral, last - idle)?;
            let patience = if more { integral.reached } else { f64::INFINITY };
            self.released(last - idle, integral.reached)?;
            // Probability of fewer than n free by then, and the run time on those weighted by their probabilities.
            let (mut short, mut on_those) = (0.0, 0.0);
            for processors in first..=last {
                let missing = (processors - idle) as usize;
                let probability = *at(self.parts.front, missing - 1)?;
                short += probability;
                on_those += probability * checked((processors - 1).max(now.processors))?.min(now.run_time);
                let wait = *at(self.parts.waits, missing - 1)?;
                let run_time = checked(processors)?;
                let total = weight * wait + (1.0 - short).max(0.0) * run_time + on_those;
                if total < best.0 {
                    let gain = now.run_time - total;
                    best = (total, Choice { processors, wait, predicted: wait, run_time, gain }, patience);
                }
            }
            // Waits only grow while they are integrated, and at best all n processors are free at once.
            while last >= first {
                let so_far = *at(self.parts.waits, (last - idle - 1) as usize)?;
                if weight * so_far + checked(last)? < best.0 {
                    break;
                }
                last -= 1;
            }
            if !more {
                break;
            }
        }
        Ok((best.1, best.2))
    }

    /// Chooses by one integration for all numbers of processors, as far as one of them may still be better than
    /// starting now.
    fn by_mean(
        &mut self,
        search: &Search,
        to_beat: f64,
        corrected: &dyn Fn(f64) -> f64,
        run_time: &mut dyn FnMut(u32) -> Result<f64>,
    ) -> Result<Option<Choice>> {
        let idle = self.state.idle;
        let mut last = search.last;
        let mut integral = self.begin_integral(last.saturating_sub(idle))?;
        while last >= search.first {
            let more = self.advance(&mut integral, last - idle)?;
            // Waits only grow while they are integrated: a number that is not better any more never will be.
            while last >= search.first {
                let so_far = corrected(*at(self.parts.waits, (last - idle - 1) as usize)?);
                if search.total(so_far, run_time(last)?) < to_beat {
                    break;
                }
                last -= 1;
            }
            if !more {
                break;
            }
        }
        let mut best: Option<(f64, Choice)> = None;
        for processors in search.first..=last {
            let predicted = *at(self.parts.waits, (processors - idle - 1) as usize)?;
            let (wait, run_time) = (corrected(predicted), run_time(processors)?);
            let total = search.total(wait, run_time);
            if total < best.map_or(to_beat, |best| best.0) {
                best = Some((total, Choice { processors, wait, predicted, run_time, gain: 0.0 }));
            }
        }
        Ok(best.map(|best| best.1))
    }

    /// Chooses number by number: computes a wait only when a test shows it short enough to be better than the best so
    /// far.
    fn by_test(
        &mut self,
        search: &Search,
        predictor: FreeTimePredictor,
        to_beat: f64,
        corrected: &dyn Fn(f64) -> f64,
        uncorrected: &dyn Fn(f64) -> f64,
        run_time: &mut dyn FnMut(u32) -> Result<f64>,
    ) -> Result<Option<Choice>> {
        let idle = self.state.idle;
        let end = self.end()?;
        let mut best: Option<(f64, Choice)> = None;
        // In the order of the van der Corput sequence: the best so far changes but a few times, where it would at
        // almost every step upwards.
        let count = (search.last + 1).saturating_sub(search.first);
        let bits = 32 - count.leading_zeros();
        for index in 0..1u64 << bits {
            let place = ((index as u32).reverse_bits() >> 1) >> (31 - bits.min(31));
            if place >= count {
                continue;
            }
            let processors = search.first + place;
            let run_time = run_time(processors)?;
            let limit = best.map_or(to_beat, |best| best.0);
            let missing = processors - idle;
            let resolved = match self.resolved(missing, predictor) {
                Ok(resolved) => resolved,
                Err(Error::Never) => continue,
                Err(error) => return Err(error),
            };
            if run_time > limit {
                continue;
            }
            // With a little to spare for rounding: the comparison below decides, also between equal ones. Never 0,
            // which a weight of 0 would turn into no number.
            let spare = (limit - run_time + 4.0 * f64::EPSILON * limit).max(f64::MIN_POSITIVE);
            let longest = uncorrected(spare / search.weight) * (1.0 + 1e-9);
            if longest < end && !self.within(missing, resolved, longest)? {
                continue;
            }
            let predicted = self.wait(processors, resolved)?;
            let wait = corrected(predicted);
            let total = search.total(wait, run_time);
            // The smaller of equal ones; a start at once is better than its equal.
            let better = match best {
                Some((other, choice)) => total < other || total == other && processors < choice.processors,
                None => total < to_beat,
            };
            if better {
                best = Some((total, Choice { processors, wait, predicted, run_time, gain: 0.0 }));
            }
        }
        Ok(best.map(|best| best.1))
    }
}

/// The best choice on the idle processors, the smaller of equal ones.
fn best_now(
    sizes: core::ops::RangeInclusive<u32>,
    run_time: &mut dyn FnMut(u32) -> Result<f64>,
) -> Result<Option<Choice>> {
    let mut best: Option<Choice> = None;
    for processors in sizes {
        let run_time = run_time(processors)?;
        if best.is_none_or(|best| run_time < best.run_time) {
            best = Some(Choice { processors, wait: 0.0, predicted: 0.0, run_time, gain: 0.0 });
        }
    }
    Ok(best)
}

/// The numbers of processors that must be waited for.
struct Search {
    weight: f64,
    first: u32,
    last: u32,
}

impl Search {
    fn total(&self, wait: f64, run_time: f64) -> f64 {
        self.weight * wait + run_time
    }
}
