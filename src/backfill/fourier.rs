//! The distribution of a sum of many independent jobs at one instant, from the few frequencies that matter there.
//!
//! With `p` the probability that a job of width `w` has ended, the transform of `S` is the product of
//! `1 - p + p exp(i u w)`. Values of `S` are taken modulo `N`, which holds all of them, or all but a probability of
//! 2 exp(-[`TAIL`]) by Bernstein's inequality. A frequency is left out where the square of its transform, the product
//! of `1 - 2 p (1 - p) (1 - cos(u w))`, is at most [`CUT`]. A run of frequencies is settled at once: between two
//! multiples of 2 pi, `1 - cos(u w)` is least at an end of the run. Some dozens are left.
//!
//! The first of them, from 1 on, are most of those that are left: there the factors of all narrow jobs come from a
//! few sums over these (`cumulants`), and only wide jobs are turned from one frequency to the next.

use crate::backfill::cumulants::{Cumulants, LARGEST};
use crate::error::Result;
use crate::memory::{at, at_mut, chunks, chunks_mut, range, range_mut};

/// Bound on the error of a probability: the values outside of the modulus, the frequencies left out, whose weights
/// are less than 2 + ln N all together, what cumulants leave out, and rounding.
pub(super) const ERROR: f64 = 1e-9;

/// Minus the logarithm of the probability with which a value lies below, or above, the numbers modulo `N`.
const TAIL: f64 = 27.7;

/// Square of the largest transform at a frequency that is left out.
const CUT: f64 = 1e-22;

/// The last frequency near 0, times the standard deviation of the sum: a quarter beyond the one at which the square
/// of a normal sum's transform is [`CUT`].
const FARTHEST: f64 = 8.9;

/// Numbers of a sum beside its standard deviation up to which few frequencies are expected: 15 for a normal one.
const NUMBERS: f64 = 30.0;

/// Numbers of a sum beside the mean decay of its transform up to which it is cheap to see that frequencies do not
/// matter.
const OTHERS: f64 = 100.0;

/// Additions to a row that take as long as one multiply-add here.
pub(super) const DEAR: u64 = 6;

/// A whole turn, in radians.
const TURN: f64 = 2.0 * core::f64::consts::PI;

/// Minus the logarithm of [`CUT`], and a little more.
const SETTLED: f64 = 51.0;

/// Powers of two up to the widest job.
const WIDTHS: usize = 32;

/// Number of jobs that are asked whether a run of frequencies matters.
const ENOUGH: usize = 512;

/// Number of frequencies after which rotations begin anew, so that their rounding does not add up.
const ROTATIONS: u64 = 64;

/// Partial products, and numbers of a row, side by side: the values do not depend on the processor's vectors.
const LANES: usize = 4;

/// Uncertain jobs of an instant.
pub(super) struct Jobs<'a> {
    /// Widths, in units that divide the steps of the rows as well. The order of the jobs is changed.
    widths: &'a mut [f64],
    /// Probabilities that they have ended, above 0 and below 1.
    ended: &'a mut [f64],
    /// Memory for their angles at the first frequency, in 2^-64 of a turn.
    angles: &'a mut [u64],
    /// Memory for cosines and sines: of these angles, and of those at the present frequency, times `ended`.
    steps: [&'a mut [f64]; 2],
    turned: [&'a mut [f64]; 2],
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
    modulus: usize,
    /// Standard deviation.
    deviation: f64,
}

/// Sums of `p (1 - p) w^2` and of `p (1 - p) w^4` over jobs of widths from one power of two to the next.
struct Classes([[f64; 2]; WIDTHS]);

impl Classes {
    /// Whether the transform's square is at most [`CUT`] at all frequencies from one to another, in radians. Minus
    /// the logarithm of a job's share is at least `2 p (1 - p) (1 - cos(u w)) >= p (1 - p) ((u w)^2 - (u w)^4 /
    /// 12)`, which is concave in `u^2`, so that it is least at an end.
    fn settle(&self, begin: f64, end: f64) -> bool {
        let [begin, end] = [begin, end].map(|u| u * u);
        let least = self.0.iter().map(|[second, fourth]| {
            let at = |square: f64| square * (second - square * fourth / 12.0);
            f64::max(f64::min(at(begin), at(end)), 0.0)
        });
        least.sum::<f64>() >= SETTLED
    }
}

/// The frequencies near 0.
struct Near {
    last: u64,
    /// Number of jobs that are turned from one of them to the next.
    wide: usize,
    /// Those of all other jobs.
    narrow: Cumulants,
}

impl Near {
    /// The transform of the narrow jobs at a frequency, if that is near.
    fn narrow(&self, frequency: u64) -> Option<(f64, f64)> {
        (frequency <= self.last).then(|| self.narrow.transform(frequency as f64 / self.last as f64))
    }
}

impl<'a> Jobs<'a> {
    /// Jobs of these widths, ended with these probabilities; the other slices have room for a number of each job.
    pub(super) fn new(
        widths: &'a mut [f64],
        ended: &'a mut [f64],
        [angles, steps, sine_steps, turned, sine_turned]: [&'a mut [f64]; 5],
    ) -> Result<Jobs<'a>> {
        let count = widths.len();
        Ok(Jobs {
            widths,
            ended,
            angles: range_mut(bytemuck::cast_slice_mut(angles), 0, count)?,
            steps: [range_mut(steps, 0, count)?, range_mut(sine_steps, 0, count)?],
            turned: [range_mut(turned, 0, count)?, range_mut(sine_turned, 0, count)?],
        })
    }

    fn moments(&self) -> Moments {
        let mut moments = Moments { mean: 0.0, variance: 0.0, widest: 0.0, total: 0.0 };
        for (&width, &p) in self.widths.iter().zip(&*self.ended) {
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
        Support { lowest: low as i64, modulus, deviation: libm::sqrt(variance) }
    }

    /// Whether few frequencies are expected to matter, and most others to be seen at once not to: no job is so wide
    /// that the sum takes many more numbers than a normal one, and the logarithm of the transform's square, in the
    /// mean over all frequencies about minus the sum of `2 p (1 - p)`, is well below that of [`CUT`].
    pub(super) fn has_few(&self, support: &Support) -> bool {
        let decay = 2.0 * self.ended.iter().map(|p| p * (1.0 - p)).sum::<f64>();
        let most = f64::min(NUMBERS * support.deviation, OTHERS * decay);
        decay > 2.0 * SETTLED && support.modulus as f64 <= most
    }

    /// Writes Pr(S < y) for `y` = `first`, `first + step`, ... into `row`. Returns whether that takes
    /// about `budget` multiply-adds at the most; else the numbers in `row` mean nothing.
    ///
    /// O(K (R + row)) for K frequencies, and O(R) for each run of frequencies that no group of jobs settles.
    pub(super) fn below(
        &mut self,
        support: &Support,
        (first, step): (i64, u64),
        row: &mut [f64],
        budget: u64,
        work: &mut u64,
    ) -> Result<bool> {
        let modulus = support.modulus as u64;
        let near = self.near(support)?;
        let all = self.widths.len();
        // The first jobs are turned from one frequency to the next.
        let mut turned = near.as_ref().map_or(all, |near| near.wide);
        for (slot, &width) in self.angles.iter_mut().zip(&*self.widths) {
            *slot = angle(width as u64, modulus);
        }
        // Not by `clamp`, which panics where the bounds are in the wrong order.
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
        let places = place_of(support.lowest + 1)..place_of(support.lowest.saturating_add_unsigned(modulus));
        let inside = span(first.saturating_add_unsigned(places.start as u64 * step)) as u64;
        let inner = range_mut(row, places.start, places.end.saturating_sub(places.start))?;
        self.set_steps(turned);
        let moments = self.classes();
        let (mut frequency, limit) = (1, work.saturating_add(budget));
        // The frequency before, if it was kept.
        let mut before = 0;
        while frequency <= modulus / 2 {
            if *work > limit {
                return Ok(false);
            }
            let narrow = near.as_ref().and_then(|near| near.narrow(frequency));
            if narrow.is_none() && turned < all {
                turned = all;
                self.set_steps(all);
                self.turn(frequency, all);
            } else if frequency > 1 && before + 1 == frequency && frequency % ROTATIONS != 0 {
                self.rotate(turned);
            } else if frequency > 1 {
                // The jobs begin turned to the first one.
                self.turn(frequency, turned);
            }
            let (re, im) = self.product(turned, narrow.unwrap_or((1.0, 0.0)))?;
            *work += 2 * turned as u64;
            if re * re + im * im > CUT {
                Wave::new(frequency, (re, im), support).add(inside, step, inner);
                *work += inner.len() as u64;
                (before, frequency) = (frequency, frequency + 1);
            } else {
                frequency = self.next(frequency + 1, &moments, modulus, limit, work);
            }
        }
        row.iter_mut().for_each(|value| *value = value.clamp(0.0, 1.0));
        Ok(true)
    }

    fn classes(&self) -> Classes {
        let mut classes = Classes([[0.0; 2]; WIDTHS]);
        for (&width, &p) in self.widths.iter().zip(&*self.ended) {
            // The exponent of the width, which is at least 1.
            let class = (width.to_bits() >> 52).saturating_sub(1023) as usize;
            let square = width * width;
            if let Some([second, fourth]) = classes.0.get_mut(class) {
                let term = p * (1.0 - p) * square;
                (*second, *fourth) = (*second + term, *fourth + term * square);
            }
        }
        classes
    }

    /// Divides the jobs into wide ones, which come first, and narrow ones, for the frequencies near 0; none where
    /// there are too few narrow jobs. O(jobs).
    fn near(&mut self, support: &Support) -> Result<Option<Near>> {
        let (deviation, modulus) = (support.deviation, support.modulus as f64);
        let last = f64::min(FARTHEST / deviation * modulus / TURN, modulus / 2.0) as u64;
        let frequency = last as f64 * TURN / modulus;
        let (all, mut wide) = (self.widths.len(), 0);
        for job in 0..all {
            let (width, p) = (*at(self.widths, job)?, *at(self.ended, job)?);
            if width * frequency > LARGEST {
                *at_mut(self.widths, job)? = core::mem::replace(at_mut(self.widths, wide)?, width);
                *at_mut(self.ended, job)? = core::mem::replace(at_mut(self.ended, wide)?, p);
                wide += 1;
            }
        }
        if last == 0 || wide > all / 2 {
            return Ok(None);
        }
        let (widths, ended) = (range(self.widths, wide, all - wide)?, range(self.ended, wide, all - wide)?);
        let narrow = Cumulants::new(widths, ended, frequency);
        Ok(narrow.map(|narrow| Near { last, wide, narrow }))
    }

    /// The first frequency, from this one to the last, of which nothing shows that it does not matter.
    fn next(&self, mut begin: u64, moments: &Classes, modulus: u64, limit: u64, work: &mut u64) -> u64 {
        let last = modulus / 2;
        // Runs grow with their begin.
        let mut length = begin / 4;
        while begin <= last && *work <= limit {
            let end = (begin + length).min(last);
            if self.settles(begin, end, moments, modulus, work) {
                (begin, length) = (end + 1, (end + 1) / 4);
            } else if end == begin {
                break;
            } else {
                length = (end - begin) / 2;
            }
        }
        begin
    }

    /// Whether the moments of all jobs, or the first jobs, show that no frequency of a run matters.
    fn settles(&self, begin: u64, end: u64, moments: &Classes, modulus: u64, work: &mut u64) -> bool {
        let turn = TURN / modulus as f64;
        *work += WIDTHS as u64;
        if moments.settle(begin as f64 * turn, end as f64 * turn) {
            return true;
        }
        let mut square = 1.0;
        for (&angle, &p) in self.angles.iter().zip(&*self.ended).take(ENOUGH) {
            *work += 1;
            let (one, other) = (begin.wrapping_mul(angle), end.wrapping_mul(angle));
            // A run within which it turns by all round is of no use.
            if other < one || (end - begin).checked_mul(angle).is_none() {
                continue;
            }
            // The cosine of the one nearer to a whole turn is the larger one.
            let nearest =
                if one.min(one.wrapping_neg()) < other.min(other.wrapping_neg()) { one } else { other };
            square *= 1.0 - 2.0 * p * (1.0 - p) * (1.0 - at_least_cosine(radians(nearest)));
            if square <= CUT {
                return true;
            }
        }
        false
    }

    /// Notes cosine and sine of the angles of the first `count` jobs, and turns these to the first frequency.
    fn set_steps(&mut self, count: usize) {
        let ([steps, sine_steps], [turned, sine_turned]) = (&mut self.steps, &mut self.turned);
        let jobs = self.angles.iter().zip(&*self.ended).take(count);
        let steps = steps.iter_mut().zip(sine_steps.iter_mut());
        let turned = turned.iter_mut().zip(sine_turned.iter_mut());
        for (((&angle, &p), (cosine, sine)), turned) in jobs.zip(steps).zip(turned) {
            (*sine, *cosine) = libm::sincos(radians(angle));
            (*turned.0, *turned.1) = (p * *cosine, p * *sine);
        }
    }

    /// Turns the first `count` jobs to a frequency.
    fn turn(&mut self, frequency: u64, count: usize) {
        let [cosines, sines] = &mut self.turned;
        let jobs = self.angles.iter().zip(&*self.ended).take(count);
        for ((&angle, &p), (cosine, sine)) in jobs.zip(cosines.iter_mut().zip(sines.iter_mut())) {
            let turned = libm::sincos(radians(frequency.wrapping_mul(angle)));
            (*sine, *cosine) = (p * turned.0, p * turned.1);
        }
    }

    /// Turns the first `count` jobs from the frequency before to the next one.
    fn rotate(&mut self, count: usize) {
        let ([cosines, sines], [steps, sine_steps]) = (&mut self.turned, &self.steps);
        let steps = steps.iter().zip(sine_steps.iter()).take(count);
        for ((cosine, sine), (&c, &s)) in cosines.iter_mut().zip(sines.iter_mut()).zip(steps) {
            (*cosine, *sine) = (*cosine * c - *sine * s, *sine * c + *cosine * s);
        }
    }

    /// The transform at the frequency to which the first `count` jobs are turned, with this factor of the others.
    fn product(&self, count: usize, others: (f64, f64)) -> Result<(f64, f64)> {
        let [cosines, sines] = &self.turned;
        let first = |numbers| range(numbers, 0, count);
        let (ended, cosines, sines) = (first(&*self.ended)?, first(&**cosines)?, first(&**sines)?);
        let (mut re, mut im) = ([1.0; LANES], [0.0; LANES]);
        let mut times = |lane: usize, p: f64, cosine: f64, sine: f64| {
            if let (Some(re), Some(im)) = (re.get_mut(lane), im.get_mut(lane)) {
                let (a, b) = (1.0 - p + cosine, sine);
                (*re, *im) = (*re * a - *im * b, *re * b + *im * a);
            }
        };
        let ((ended, last), (cosines, last_cosines), (sines, last_sines)) =
            (chunks::<LANES>(ended), chunks::<LANES>(cosines), chunks::<LANES>(sines));
        for ((ended, cosines), sines) in ended.iter().zip(cosines).zip(sines) {
            for lane in 0..LANES {
                times(lane, ended[lane], cosines[lane], sines[lane]);
            }
        }
        for (lane, ((&p, &cosine), &sine)) in last.iter().zip(last_cosines).zip(last_sines).enumerate() {
            times(lane, p, cosine, sine);
        }
        let all = re.iter().zip(im);
        Ok(all.fold(others, |(re, im), (&a, b)| (re * a - im * b, re * b + im * a)))
    }
}

/// The part of one frequency, and its mirror image, in the probabilities.
struct Wave {
    /// Angle from one number to the next, in 2^-64 of a turn.
    angle: u64,
    /// Real part of the factor at the lowest number.
    constant: f64,
    re: f64,
    im: f64,
}

impl Wave {
    /// The wave of a frequency at which the transform of the sum is this one.
    fn new(frequency: u64, (re, im): (f64, f64), support: &Support) -> Wave {
        let angle = angle(frequency, support.modulus as u64);
        // Times 2 / (N (1 - exp(-i u))): the sum over all numbers from the lowest one to below y.
        let (sine, cosine) = libm::sincos(radians(angle));
        let (a, b) = (1.0 - cosine, sine);
        let norm = 2.0 / (support.modulus as f64 * (a * a + b * b));
        let (re, im) = ((re * a + im * b) * norm, (im * a - re * b) * norm);
        // Times exp(-i u low).
        let (sine, cosine) = libm::sincos(radians(angle.wrapping_mul(support.lowest as u64)));
        let (re, im) = (re * cosine + im * sine, im * cosine - re * sine);
        Wave { angle, constant: re, re, im }
    }

    /// Adds it to the probabilities of the numbers `from`, `from + step`, ... above the lowest one: the real part of
    /// the factor times 1 - exp(-i u y).
    fn add(&self, from: u64, step: u64, row: &mut [f64]) {
        let at = |place: u64| {
            let angle = self.angle.wrapping_mul(from.wrapping_add(place.wrapping_mul(step)));
            let (sine, cosine) = libm::sincos(radians(angle));
            (self.re * cosine + self.im * sine, self.im * cosine - self.re * sine)
        };
        let (mut re, mut im) = ([0.0; LANES], [0.0; LANES]);
        for (lane, (re, im)) in re.iter_mut().zip(&mut im).enumerate() {
            (*re, *im) = at(lane as u64);
        }
        let turn = self.angle.wrapping_mul(step.wrapping_mul(LANES as u64));
        let (sine, cosine) = libm::sincos(radians(turn));
        let whole = row.len() / LANES * LANES;
        for slots in chunks_mut::<LANES>(row) {
            for lane in 0..LANES {
                let (here, beside) = (re[lane], im[lane]);
                slots[lane] += self.constant - here;
                (re[lane], im[lane]) = (here * cosine + beside * sine, beside * cosine - here * sine);
            }
        }
        for (slot, re) in row.iter_mut().skip(whole).zip(re) {
            *slot += self.constant - re;
        }
    }
}

/// The angle of a multiple of 2 pi / N, in 2^-64 of a turn: multiples of it wrap by themselves.
fn angle(multiple: u64, modulus: u64) -> u64 {
    let modulus = u128::from(modulus.max(1));
    ((u128::from(multiple) << 64) / modulus) as u64
}

/// The cosine of an angle from -pi to pi, or a little more: the first terms of its series, of which the last is
/// positive and larger than all those that follow. At most .026 more.
#[inline]
fn at_least_cosine(angle: f64) -> f64 {
    let square = angle * angle;
    1.0 + square * (-1.0 / 2.0 + square * (1.0 / 24.0 + square * (-1.0 / 720.0 + square * (1.0 / 40_320.0))))
}

/// An angle in 2^-64 of a turn as one from -pi to pi.
fn radians(angle: u64) -> f64 {
    angle as i64 as f64 * (core::f64::consts::PI / (1_u64 << 63) as f64)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::math::mix::{GOLDEN, finalise};
    use std::vec;
    use std::vec::Vec;

    /// Pr(S < y) for all y, by adding one job after the other.
    pub(in crate::backfill) fn truth(jobs: &[(u32, f64)]) -> Vec<f64> {
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

    /// Integers below a bound, from this seed.
    pub(in crate::backfill) fn draws(mut seed: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            seed = seed.wrapping_add(GOLDEN);
            finalise(seed) % below
        }
    }

    #[test]
    fn is_the_distribution() {
        let mut random = draws(5);
        let (mut by_frequencies, mut by_cumulants) = (0, 0);
        for round in 0..60 {
            let widest = [3, 40, 300][round % 3];
            // Narrow jobs are many in every fifth round.
            let count = 20 + random(if round % 5 == 0 { 2_000 } else { 250 });
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
            let (mut widths, mut ended): (Vec<f64>, Vec<f64>) =
                open.map(|&(width, p)| (f64::from(width * scale), p)).unzip();
            let mut memory = [(); 5].map(|()| vec![0.0; widths.len()]);
            let memory = memory.each_mut().map(|room| &mut room[..]);
            let mut jobs = Jobs::new(&mut widths, &mut ended, memory).unwrap();
            let support = jobs.support();
            by_cumulants += usize::from(jobs.near(&support).unwrap().is_some());
            let (first, step) = (random(200) as i64 - 100, 1 + random(9));
            let mut row = vec![f64::NAN; 3000];
            if !jobs.below(&support, (first, step), &mut row, u64::MAX, &mut 0).unwrap() {
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
        assert!(by_frequencies > 20 && by_cumulants > 10, "{by_frequencies} {by_cumulants}");
    }
}
