//! Lifetimes that are uniform in the logarithm (Downey 1997, equations 4 and 5).
//!
//! `cdf(t) = beta0 + beta1 ln t` between `t_min = e^(-beta0 / beta1)` and `t_max = e^((1 - beta0) / beta1)`, seconds.

use crate::allocate::{LONGEST, check};
use crate::error::{Error, Result};

/// The shortest lifetime that a distribution may begin with, in seconds.
const SHORTEST: f64 = 1e-9;

/// A log-uniform distribution of lifetimes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogUniform {
    pub(super) shortest: f64,
    pub(super) longest: f64,
    pub(super) ln_longest: f64,
    ln_shortest: f64,
}

impl LogUniform {
    /// Lifetimes between `shortest` and `longest` seconds (a nanosecond to 2^40 s, in this order).
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`], also when the two are equal or too near to have two logarithms.
    pub fn new(shortest: f64, longest: f64) -> Result<LogUniform> {
        check(shortest, SHORTEST..=LONGEST)?;
        check(longest, SHORTEST..=LONGEST)?;
        let (ln_shortest, ln_longest) = (libm::log(shortest), libm::log(longest));
        if ln_longest <= ln_shortest {
            return Err(Error::OutOfRange);
        }
        Ok(LogUniform { shortest, longest, ln_longest, ln_shortest })
    }

    /// The distribution with this intercept and slope (equation 4).
    ///
    /// # Errors
    /// Those of [`LogUniform::new`] for the resulting bounds; the slope must be positive.
    pub fn from_coefficients(beta0: f64, beta1: f64) -> Result<LogUniform> {
        check(beta0, f64::MIN..=f64::MAX)?;
        check(beta1, f64::MIN_POSITIVE..=f64::MAX)?;
        LogUniform::new(libm::exp(-beta0 / beta1), libm::exp((1.0 - beta0) / beta1))
    }

    /// beta0 and beta1.
    pub fn coefficients(&self) -> (f64, f64) {
        let beta1 = 1.0 / (self.ln_longest - self.ln_shortest);
        (-self.ln_shortest * beta1, beta1)
    }

    /// t_min and t_max, in seconds.
    pub fn bounds(&self) -> (f64, f64) {
        (self.shortest, self.longest)
    }

    /// The least-squares line (equation 4) through a history of lifetimes: positive seconds in increasing order, of
    /// which the i-th of n stands at the share (i - 1/2) / n. O(n).
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for times not in order, not within a nanosecond to 2^40 s, or all
    /// the same (two different ones are the least), and when the line's bounds lie outside this range.
    pub fn fit(lifetimes: &[f64]) -> Result<LogUniform> {
        let count = lifetimes.len() as f64;
        let mut line = Line::default();
        let mut last = 0.0;
        for (index, &seconds) in lifetimes.iter().enumerate() {
            check(seconds, SHORTEST..=LONGEST)?;
            if seconds < last {
                return Err(Error::OutOfRange);
            }
            last = seconds;
            line.add(libm::log(seconds), (index as f64 + 0.5) / count);
        }
        line.distribution()
    }

    /// Pr(lifetime <= t), t in seconds.
    pub fn cdf(&self, t: f64) -> f64 {
        if t <= self.shortest {
            0.0
        } else if t >= self.longest {
            1.0
        } else {
            ((libm::log(t) - self.ln_shortest) / (self.ln_longest - self.ln_shortest)).clamp(0.0, 1.0)
        }
    }

    /// Pr(the job ends within `wait` seconds | it has run `age` seconds) (equation 5, in which t is age + wait). Below
    /// t_min the age carries no information; a job that has reached t_max is expected to end in one second.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for times outside 0 to 2^40 s.
    pub fn ends_within(&self, age: f64, wait: f64) -> Result<f64> {
        check(age, 0.0..=LONGEST)?;
        check(wait, 0.0..=LONGEST)?;
        Ok(self.after(age).ends_within(wait))
    }

    /// The mean lifetime, in seconds.
    pub fn mean(&self) -> f64 {
        let span = self.longest - self.shortest;
        // The difference of the logarithms of near bounds loses digits.
        let near = self.longest < 2.0 * self.shortest;
        span / if near { libm::log1p(span / self.shortest) } else { self.ln_longest - self.ln_shortest }
    }

    pub(super) fn after(&self, age: f64) -> Conditional {
        if age >= self.longest {
            return Conditional { age, shortest: age, longest: age, ln_longest: 0.0, scale: 0.0 };
        }
        let known = age.max(self.shortest);
        let span = self.ln_longest - libm::log(known);
        // An age just below t_max may have its logarithm.
        if span <= 0.0 {
            return Conditional { age, shortest: age, longest: age, ln_longest: 0.0, scale: 0.0 };
        }
        let (longest, ln_longest) = (self.longest, self.ln_longest);
        Conditional { age, shortest: known, longest, ln_longest, scale: 1.0 / span }
    }
}

/// The remaining lifetime of a job of known age.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Conditional {
    pub age: f64,
    /// It does not end before this lifetime, which is the age or t_min.
    pub shortest: f64,
    /// It has ended by this lifetime; the age itself when it is exhausted.
    pub longest: f64,
    ln_longest: f64,
    /// 1 / ln(longest / shortest); 0 when it is exhausted.
    scale: f64,
}

impl Conditional {
    pub fn ends_within(&self, wait: f64) -> f64 {
        if self.scale == 0.0 {
            return if wait >= 1.0 { 1.0 } else { 0.0 };
        }
        let lifetime = self.age + wait;
        if lifetime <= self.shortest {
            0.0
        } else if wait >= self.end() {
            1.0
        } else {
            (1.0 - (self.ln_longest - libm::log(lifetime)) * self.scale).clamp(0.0, 1.0)
        }
    }

    /// The first wait by which it has surely ended.
    pub fn end(&self) -> f64 {
        if self.scale == 0.0 { 1.0 } else { self.longest - self.age }
    }

    /// Whether the distribution changes smoothly just after this wait.
    pub fn changes_after(&self, wait: f64) -> bool {
        self.scale > 0.0 && wait >= self.shortest - self.age && wait < self.end()
    }

    /// The next wait after this one at which the distribution is not smooth; infinite when there is none.
    pub fn next_joint(&self, wait: f64) -> f64 {
        let start = self.shortest - self.age;
        let end = self.end();
        if wait < start {
            start
        } else if wait < end {
            end
        } else {
            f64::INFINITY
        }
    }
}

/// A least-squares line, by running means (Welford 1962).
#[derive(Default)]
struct Line {
    points: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        self.points += 1.0;
        let (dx, dy) = (x - self.x, y - self.y);
        let share = 1.0 / self.points;
        self.x += dx * share;
        self.y += dy * share;
        self.xx += dx * (x - self.x);
        self.xy += dx * (y - self.y);
    }

    fn distribution(&self) -> Result<LogUniform> {
        if !(self.xx > 0.0 && self.xy > 0.0) {
            return Err(Error::OutOfRange);
        }
        let slope = self.xy / self.xx;
        LogUniform::from_coefficients(self.y - slope * self.x, slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn paper() -> LogUniform {
        LogUniform::new(libm::exp(2.0), libm::exp(12.0)).unwrap()
    }

    #[test]
    fn the_papers_distribution() {
        let (beta0, beta1) = paper().coefficients();
        assert!((beta0 + 0.2).abs() < 1e-14 && (beta1 - 0.1).abs() < 1e-14);
        let again = LogUniform::from_coefficients(beta0, beta1).unwrap();
        assert!((again.longest / paper().longest - 1.0).abs() < 1e-12);
        // "The median of this distribution is 18 minutes; the mean is 271 minutes."
        assert_eq!((paper().mean() / 60.0).round(), 271.0);
        assert!((paper().cdf(libm::exp(7.0)) - 0.5).abs() < 1e-14);
        assert_eq!((libm::exp(7.0) / 60.0).round(), 18.0);
    }

    /// Found by fuzzing: the logarithms of near bounds lose digits, and the mean lay outside of them.
    #[test]
    fn the_mean_lies_between_the_bounds() {
        for shortest in [1e-9, 0.3, 1.0, 4.7e5] {
            for step in [1e-15, 1e-13, 1e-9, 1e-3, 0.999_999, 1.000_001, 40.0] {
                let Ok(d) = LogUniform::new(shortest, shortest * (1.0 + step)) else { continue };
                let (low, high) = d.bounds();
                assert!((low..=high).contains(&d.mean()), "{shortest} {step}: {}", d.mean());
                // The first terms of (r - 1) / ln r, relative to the middle: 1 - e^2 / 12.
                let e = (high - low) / low;
                let by_series = (low + high) / 2.0 * (1.0 - e * e / 12.0);
                assert!(
                    step > 1e-2 || (d.mean() / by_series - 1.0).abs() < e.powi(3) + 1e-15,
                    "{shortest} {step}"
                );
            }
        }
    }

    #[test]
    fn conditioning_by_hand() {
        let d = paper();
        let within = |age: f64, wait: f64| d.ends_within(age, wait).unwrap();
        // Expected survival: (12 - ln t) / (12 - ln a).
        let a = libm::exp(6.0);
        assert!((within(a, libm::exp(9.0) - a) - 0.5).abs() < 1e-14);
        assert_eq!(within(a, 0.0), 0.0);
        // Ages below t_min are clamped: nothing can end before t_min.
        assert_eq!(within(1.0, 5.0), 0.0);
        assert!((within(1.0, libm::exp(7.0) - 1.0) - 0.5).abs() < 1e-14);
        // Beyond t_max: exhausted.
        assert_eq!((within(2e5, 0.99), within(2e5, 1.0)), (0.0, 1.0));
        assert_eq!(within(0.0, 1e6), 1.0);
        assert_eq!(d.ends_within(-1.0, 1.0), Err(Error::OutOfRange));
        assert_eq!(d.ends_within(1.0, f64::NAN), Err(Error::NotANumber));
    }

    #[test]
    fn a_history_gives_its_distribution_back() {
        let n = 10_001;
        let exact: Vec<f64> = (0..n).map(|i| libm::exp(2.0 + 10.0 * (i as f64 + 0.5) / n as f64)).collect();
        let (beta0, beta1) = LogUniform::fit(&exact).unwrap().coefficients();
        assert!((beta0 + 0.2).abs() < 1e-12 && (beta1 - 0.1).abs() < 1e-12, "{beta0} {beta1}");
    }

    #[test]
    fn refuses_histories_without_a_line() {
        assert_eq!(LogUniform::fit(&[]), Err(Error::OutOfRange));
        assert_eq!(LogUniform::fit(&[5.0]), Err(Error::OutOfRange));
        assert_eq!(LogUniform::fit(&[5.0, 5.0, 5.0]), Err(Error::OutOfRange));
        assert_eq!(LogUniform::fit(&[5.0, 4.0]), Err(Error::OutOfRange));
        assert_eq!(LogUniform::fit(&[0.0, 4.0]), Err(Error::OutOfRange));
        assert_eq!(LogUniform::fit(&[1.0, f64::NAN]), Err(Error::NotANumber));
        // A line so flat that its end lies beyond all time.
        let flat: Vec<f64> = core::iter::once(1e-9).chain(std::vec![1.0; 3]).chain([1e12]).collect();
        assert_eq!(LogUniform::fit(&flat), Err(Error::OutOfRange));
        assert_eq!(LogUniform::new(5.0, 5.0), Err(Error::OutOfRange));
        assert_eq!(LogUniform::from_coefficients(0.0, 0.0), Err(Error::OutOfRange));
        assert_eq!(LogUniform::from_coefficients(0.0, -1.0), Err(Error::OutOfRange));
    }
}
