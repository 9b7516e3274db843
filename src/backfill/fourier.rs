//! The distribution of a sum of many independent jobs at one instant, from the few frequencies that matter there.
//!
//! With `p` the probability that a job of width `w` has ended, the transform of `S` is the product of
//! `1 - p + p exp(i u w)`. Values of `S` are taken modulo `N`, which holds all of them, or all but a probability of
//! 2 exp(-[`TAIL`]) by Bernstein's inequality. A frequency is left out where the square of its transform, the product
//! of `1 - 2 p (1 - p) (1 - cos(u w))`, is at most [`CUT`]. A run of frequencies is settled at once: between two
//! multiples of 2 pi, `1 - cos(u w)` is least at an end of the run. Some dozens are left.

use crate::error::Result;
use crate::memory::range_mut;

/// Bound on the error of a probability: the values outside of the modulus, the frequencies left out, whose weights are
/// less than 2 + ln N all together, and rounding.
pub(super) const ERROR: f64 = 5e-10;

/// Minus the logarithm of the probability with which a value lies below, or above, the numbers modulo `N`.
const TAIL: f64 = 27.7;

/// Square of the largest transform at a frequency that is left out.
const CUT: f64 = 1e-22;

/// The most frequencies.
const MOST: usize = 512;

/// Number of jobs that are asked whether a frequency matters.
const ENOUGH: usize = 512;

/// Uncertain jobs of an instant.
pub(super) struct Jobs<'a> {
    /// Widths, in units that divide the steps of the rows as well.
    pub widths: &'a [f64],
    /// Probabilities that they have ended, above 0 and below 1.
    pub ended: &'a [f64],
    /// Memory for their angles at the first frequency, in 2^-64 of a turn.
    pub angles: &'a mut [u64],
}

/// Moments of the sum.
#[derive(Debug, Clone, Copy)]
struct Moments {
    mean: f64,
    variance: f64,
    widest: f64,
    total: f64,
}

/// The numbers that the sum takes: from `lowest` on, `modulus` of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Support {
    lowest: i64,
    pub modulus: usize,
}

impl Jobs<'_> {
    fn moments(&self) -> Moments {
        let mut moments = Moments { mean: 0.0, variance: 0.0, widest: 0.0, total: 0.0 };
        for (&width, &p) in self.widths.iter().zip(self.ended) {
            moments.mean += p * width;
            moments.variance += p * (1.0 - p) * width * width;
            moments.widest = f64::max(moments.widest, width);
            moments.total += width;
        }
        moments
    }

    /// The numbers that the sum takes, but for a probability within [`ERROR`].
    pub(super) fn support(&self) -> Support {
        let Moments { mean, variance, widest, total } = self.moments();
        let linear = TAIL * widest / 3.0;
        let reach = linear + libm::sqrt(linear * linear + 2.0 * TAIL * variance);
        let low = f64::max(libm::floor(mean - reach), 0.0);
        let high = f64::min(libm::ceil(mean + reach), total);
        // Odd, so that no frequency is its own mirror image.
        let modulus = ((high - low) as usize).saturating_add(1) | 1;
        Support { lowest: low as i64, modulus }
    }

    /// Writes Pr(S < y) for `y` = `first`, `first + step`, ... into `row`. Returns whether few enough frequencies
    /// matter; else nothing is written. `tables` are two rows of N numbers.
    ///
    /// O(R K + N + K x row) for K frequencies, and O(R) for each frequency that no group of jobs settles.
    pub(super) fn below(
        &mut self,
        support: &Support,
        (first, step): (i64, u64),
        row: &mut [f64],
        tables: [&mut [f64]; 2],
        work: &mut u64,
    ) -> Result<bool> {
        let [cosines, sines] = tables;
        let cosines = range_mut(cosines, 0, support.modulus)?;
        let sines = range_mut(sines, 0, support.modulus)?;
        turn(2.0 * core::f64::consts::PI / support.modulus as f64, cosines, sines);
        *work += support.modulus as u64;
        let circle = Circle { cosines, sines };
        for (angle, &width) in self.angles.iter_mut().zip(self.widths) {
            *angle = circle.angle(width as u64);
        }
        let mut kept = [0_u32; MOST];
        let Some(count) = self.mark(support, &circle, &mut kept, work) else { return Ok(false) };
        let span = |y: i64| y.saturating_sub(support.lowest).min(support.modulus as i64).max(0);
        for (slot, place) in row.iter_mut().zip(0_u64..) {
            let y = first.saturating_add_unsigned(place.saturating_mul(step));
            *slot = span(y) as f64 / support.modulus as f64;
        }
        // The places of numbers inside, and the first of these numbers, from the lowest on.
        let place_of = |number: i64| {
            let steps = number.saturating_sub(first).max(0) as u64;
            usize::try_from(steps.div_ceil(step.max(1))).unwrap_or(usize::MAX).min(row.len())
        };
        let modulus = i64::try_from(support.modulus).unwrap_or(i64::MAX);
        let places = place_of(support.lowest + 1)..place_of(support.lowest.saturating_add(modulus));
        let inside = (span(first.saturating_add_unsigned(places.start as u64 * step)), places);
        for &frequency in kept.iter().take(count) {
            let frequency = u64::from(frequency);
            let (mut re, mut im) = (1.0, 0.0);
            for (&angle, &p) in self.angles.iter().zip(self.ended) {
                let (cosine, sine) = circle.at(frequency.wrapping_mul(angle));
                let (a, b) = (1.0 - p + p * cosine, p * sine);
                (re, im) = (re * a - im * b, re * b + im * a);
            }
            // Times 2 / (N (1 - exp(-i u))): the sum over all numbers from the lowest one to below y.
            let turn = circle.angle(frequency);
            let (cosine, sine) = circle.at(turn);
            let (a, b) = (1.0 - cosine, sine);
            let norm = 2.0 / (support.modulus as f64 * (a * a + b * b));
            (re, im) = ((re * a + im * b) * norm, (im * a - re * b) * norm);
            // Real part of the factor times exp(-i u low) - exp(-i u y), 0 where y is not inside.
            let (cosine, sine) = circle.at(turn.wrapping_mul(support.lowest as u64));
            let constant = re * cosine + im * sine;
            let mut here = turn.wrapping_mul((support.lowest + inside.0) as u64);
            let more = turn.wrapping_mul(step);
            for slot in row.get_mut(inside.1.clone()).unwrap_or(&mut []) {
                let (cosine, sine) = circle.at(here);
                *slot += constant - re * cosine - im * sine;
                here = here.wrapping_add(more);
            }
            *work += 4 * (self.widths.len() + row.len()) as u64;
        }
        row.iter_mut().for_each(|value| *value = value.clamp(0.0, 1.0));
        Ok(true)
    }

    /// Writes the frequencies that may matter and returns their number; `None` for more than [`MOST`].
    fn mark(
        &self,
        support: &Support,
        circle: &Circle,
        kept: &mut [u32; MOST],
        work: &mut u64,
    ) -> Option<usize> {
        let half = support.modulus / 2;
        let (mut begin, mut count) = (1, 0);
        while begin <= half {
            // The first frequencies matter, one after the other; behind them runs grow with their begin.
            let mut end = (begin + begin / 4).min(half);
            while !self.settles(begin, end, circle, work) {
                if end == begin {
                    *kept.get_mut(count)? = begin as u32;
                    count += 1;
                    break;
                }
                end = begin + (end - begin) / 2;
            }
            begin = end + 1;
        }
        Some(count)
    }

    /// Whether the first jobs show that no frequency of a run matters.
    fn settles(&self, begin: usize, end: usize, circle: &Circle, work: &mut u64) -> bool {
        let (begin, end) = (begin as u64, end as u64);
        let mut square = 1.0;
        for (&angle, &p) in self.angles.iter().zip(self.ended).take(ENOUGH) {
            *work += 1;
            let (one, other) = (begin.wrapping_mul(angle), end.wrapping_mul(angle));
            // A run within which it turns by all round is of no use.
            if other < one || (end - begin).checked_mul(angle).is_none() {
                continue;
            }
            let cosine = f64::max(circle.cosine(one), circle.cosine(other));
            square *= 1.0 - 2.0 * p * (1.0 - p) * (1.0 - cosine);
            if square <= CUT {
                return true;
            }
        }
        false
    }
}

/// Cosines and sines of the multiples of 2 pi / N. Angles are in 2^-64 of a turn: multiples wrap by themselves.
struct Circle<'a> {
    cosines: &'a [f64],
    sines: &'a [f64],
}

impl Circle<'_> {
    /// The angle of a multiple, within one.
    fn angle(&self, multiple: u64) -> u64 {
        let whole = (1 << 64) / self.cosines.len().max(1) as u128;
        let rest = (1 << 64) % self.cosines.len().max(1) as u128;
        let multiple = u128::from(multiple);
        (multiple * whole + multiple * rest / self.cosines.len().max(1) as u128) as u64
    }

    /// The place of the multiple next to an angle.
    #[inline]
    fn place(&self, angle: u64) -> usize {
        let product = u128::from(angle) * self.cosines.len() as u128;
        let place = (product + (1 << 63)) >> 64;
        if place as usize == self.cosines.len() { 0 } else { place as usize }
    }

    #[inline]
    fn cosine(&self, angle: u64) -> f64 {
        self.cosines.get(self.place(angle)).copied().unwrap_or(1.0)
    }

    /// Cosine and sine of an angle.
    #[inline]
    fn at(&self, angle: u64) -> (f64, f64) {
        let place = self.place(angle);
        (self.cosines.get(place).copied().unwrap_or(1.0), self.sines.get(place).copied().unwrap_or(0.0))
    }
}

/// Writes cosines and sines of 0, `unit`, 2 `unit`, ...: by rotation, begun anew every 64th.
fn turn(unit: f64, cosines: &mut [f64], sines: &mut [f64]) {
    let (step_cosine, step_sine) = (libm::cos(unit), libm::sin(unit));
    let (mut cosine, mut sine) = (1.0, 0.0);
    for (number, (c, s)) in cosines.iter_mut().zip(sines.iter_mut()).enumerate() {
        if number % 64 == 0 {
            (cosine, sine) = (libm::cos(number as f64 * unit), libm::sin(number as f64 * unit));
        }
        (*c, *s) = (cosine, sine);
        (cosine, sine) = (cosine * step_cosine - sine * step_sine, sine * step_cosine + cosine * step_sine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    /// Pr(S < y) for all y, by adding one job after the other.
    fn truth(jobs: &[(u32, f64)]) -> Vec<f64> {
        let total: usize = jobs.iter().map(|job| job.0 as usize).sum();
        let mut distribution = vec![0.0; total + 1];
        distribution[0] = 1.0;
        for &(width, p) in jobs {
            for s in (0..=total).rev() {
                let came = if s >= width as usize { distribution[s - width as usize] } else { 0.0 };
                distribution[s] = distribution[s] * (1.0 - p) + came * p;
            }
        }
        let below = distribution.iter().scan(0.0, |sum, p| {
            *sum += p;
            Some(*sum)
        });
        [0.0].into_iter().chain(below).collect()
    }

    #[test]
    fn is_the_distribution() {
        let mut state = 5_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let mut by_frequencies = 0;
        for round in 0..60 {
            let widest = [3, 40, 300][round % 3];
            let count = 20 + random(250);
            let mut jobs: Vec<(u32, f64)> = (0..count)
                .map(|_| {
                    (1 + random(widest) as u32, (random(1000) as f64 / 1000.0).powi(1 + round as i32 % 4))
                })
                .collect();
            if round % 4 == 0 {
                jobs.push((20 * widest as u32, 0.3));
            }
            let truth = truth(&jobs.iter().copied().filter(|job| job.1 > 0.0).collect::<Vec<_>>());
            let scale = [1, 3][round % 2];
            let open = jobs.iter().filter(|job| job.1 > 0.0);
            let (widths, ended): (Vec<f64>, Vec<f64>) =
                open.map(|&(width, p)| (f64::from(width * scale), p)).unzip();
            let mut angles = vec![0; widths.len()];
            let mut jobs = Jobs { widths: &widths, ended: &ended, angles: &mut angles };
            let support = jobs.support();
            let (mut cosines, mut sines) = (vec![0.0; support.modulus], vec![0.0; support.modulus]);
            let (first, step) = (random(200) as i64 - 100, 1 + random(9));
            let mut row = vec![f64::NAN; 3000];
            let tables = [&mut cosines[..], &mut sines[..]];
            if !jobs.below(&support, (first, step), &mut row, tables, &mut 0).unwrap() {
                continue;
            }
            by_frequencies += 1;
            for (place, value) in row.iter().enumerate() {
                let y = first + place as i64 * step as i64;
                let exact = truth[(y + i64::from(scale) - 1)
                    .div_euclid(scale.into())
                    .clamp(0, truth.len() as i64 - 1) as usize];
                assert!((value - exact).abs() < ERROR, "round {round}, y {y}: {value} {exact}");
            }
        }
        assert!(by_frequencies > 20, "{by_frequencies}");
    }
}
