//! Bias correction of predicted waits (Downey 1997, section 5.4): the least-squares line through the logarithms of
//! predicted and actual waits, kept up by running means in constant memory (Welford 1962).

use crate::allocate::{LONGEST, check};
use crate::error::Result;

/// Waits count as at least one second, for the logarithm.
const LEAST: f64 = 1.0;

/// A running line through (ln predicted, ln actual). Plain data, kept by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Correction {
    count: u64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Correction {
    /// Number of pairs below which nothing is corrected.
    pub const FEWEST: u64 = 20;

    /// Makes an empty line, which corrects nothing.
    pub fn new() -> Correction {
        Correction::default()
    }

    /// Records a predicted and the actual wait, in seconds (0 to 2^40; below one second counts as one).
    ///
    /// # Errors
    /// [`NotANumber`](crate::error::Error::NotANumber), [`OutOfRange`](crate::error::Error::OutOfRange).
    pub fn record(&mut self, predicted: f64, actual: f64) -> Result<()> {
        check(predicted, 0.0..=LONGEST)?;
        check(actual, 0.0..=LONGEST)?;
        let (x, y) = (libm::log(predicted.max(LEAST)), libm::log(actual.max(LEAST)));
        self.count = self.count.saturating_add(1);
        let (dx, dy) = (x - self.x, y - self.y);
        self.x += dx / self.count as f64;
        self.y += dy / self.count as f64;
        self.xx += dx * (x - self.x);
        self.xy += dx * (y - self.y);
        self.yy += dy * (y - self.y);
        Ok(())
    }

    /// Number of recorded pairs.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The line's intercept and slope (natural logarithms of seconds); `None` without two different predictions.
    pub fn line(&self) -> Option<(f64, f64)> {
        if self.xx <= 0.0 {
            return None;
        }
        let slope = self.xy / self.xx;
        Some((self.y - slope * self.x, slope))
    }

    /// The coefficient of correlation of the logarithms; `None` while one of them has not varied.
    pub fn correlation(&self) -> Option<f64> {
        let product = self.xx * self.yy;
        (product > 0.0).then(|| (self.xy / libm::sqrt(product)).clamp(-1.0, 1.0))
    }

    /// The corrected prediction in seconds: `exp(intercept + slope ln predicted)`. Unchanged before
    /// [`Correction::FEWEST`] pairs are known, and while the slope is not positive, as longer predictions would then
    /// mean shorter waits.
    pub fn corrected(&self, predicted: f64) -> f64 {
        match self.useful() {
            Some((intercept, slope)) => {
                libm::exp(intercept + slope * libm::log(predicted.max(LEAST))).min(LONGEST)
            }
            None => predicted,
        }
    }

    /// The prediction that is corrected to `wait`: the inverse of [`Correction::corrected`], above one second.
    pub(super) fn uncorrected(&self, wait: f64) -> f64 {
        match self.useful() {
            Some((intercept, slope)) if wait > 0.0 => libm::exp((libm::log(wait) - intercept) / slope),
            Some(_) => 0.0,
            None => wait,
        }
    }

    fn useful(&self) -> Option<(f64, f64)> {
        self.line().filter(|line| self.count >= Correction::FEWEST && line.1 > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_line_is_found_and_undone() {
        let mut correction = Correction::new();
        assert_eq!(
            (correction.line(), correction.correlation(), correction.corrected(50.0)),
            (None, None, 50.0)
        );
        for i in 1..40 {
            let predicted = 3.0 * f64::from(i * i);
            assert_eq!(correction.corrected(500.0) == 500.0, i <= 20);
            correction.record(predicted, libm::exp(1.7) * libm::pow(predicted, 0.6)).unwrap();
        }
        let (intercept, slope) = correction.line().unwrap();
        assert!((intercept - 1.7).abs() < 1e-12 && (slope - 0.6).abs() < 1e-12);
        assert!((correction.correlation().unwrap() - 1.0).abs() < 1e-12);
        let corrected = correction.corrected(1000.0);
        assert!((corrected - libm::exp(1.7) * libm::pow(1000.0, 0.6)).abs() < 1e-9);
        assert!((correction.uncorrected(corrected) - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn correlation_against_the_definition() {
        let pairs = [(10.0, 30.0), (100.0, 20.0), (1000.0, 700.0), (50.0, 0.0), (0.5, 1.0)];
        let mut correction = Correction::new();
        pairs.iter().for_each(|&(p, a)| correction.record(p, a).unwrap());
        let logs = pairs.map(|(p, a): (f64, f64)| (libm::log(p.max(1.0)), libm::log(a.max(1.0))));
        let mean = |f: fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / 5.0;
        let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
        let sum = |f: &dyn Fn(f64, f64) -> f64| logs.iter().map(|p| f(p.0 - mx, p.1 - my)).sum::<f64>();
        let expected = sum(&|x, y| x * y) / libm::sqrt(sum(&|x, _| x * x) * sum(&|_, y| y * y));
        assert!((correction.correlation().unwrap() - expected).abs() < 1e-14);
    }

    #[test]
    fn refuses_and_ignores() {
        let mut correction = Correction::new();
        assert_eq!(correction.record(f64::NAN, 1.0), Err(Error::NotANumber));
        assert_eq!(correction.record(1.0, -1.0), Err(Error::OutOfRange));
        assert_eq!(correction, Correction::new());
        // A falling line is not used.
        (1..30).for_each(|i| correction.record(f64::from(i), f64::from(40 - i)).unwrap());
        assert_eq!(correction.corrected(12.0), 12.0);
        assert_eq!(correction.uncorrected(12.0), 12.0);
    }
}
