//! Speedup on n processors (Downey 1997, section 2.1, equations 1 to 3).
//!
//! A job is described by its average parallelism A and by sigma, about the squared coefficient of variation of its
//! parallelism. Equation 1 holds for sigma <= 1, equation 2 for sigma >= 1; at 1 they are the same.

use crate::allocate::check;
use crate::error::{Error, Result};

/// The largest average parallelism.
const MOST: f64 = (1u64 << 40) as f64;

/// A job's speedup as a function of the number of processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speedup {
    parallelism: f64,
    sigma: f64,
}

impl Speedup {
    /// A job that further processors do not speed up.
    pub(super) const SEQUENTIAL: Speedup = Speedup { parallelism: 1.0, sigma: 0.0 };

    /// The speedup of a job with this average parallelism (A, 1 to 2^40) and this sigma (from 0; infinity gives the
    /// lower bound of equation 3).
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn new(parallelism: f64, sigma: f64) -> Result<Speedup> {
        check(parallelism, 1.0..=MOST)?;
        check(sigma, 0.0..=f64::INFINITY)?;
        Ok(Speedup { parallelism, sigma })
    }

    /// A.
    pub fn parallelism(&self) -> f64 {
        self.parallelism
    }

    /// sigma.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// S(n): the speed of the job on `processors` (at least 1) relative to one. Between 1 and A.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for less than one processor, or more than 2^40.
    pub fn on(&self, processors: f64) -> Result<f64> {
        check(processors, 1.0..=MOST)?;
        Ok(self.value(processors))
    }

    /// The run time in seconds on `processors` of a job that takes `sequential` seconds on one.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a negative or infinite time, or no processors.
    pub fn run_time(&self, sequential: f64, processors: u32) -> Result<f64> {
        check(sequential, 0.0..=f64::MAX)?;
        if processors == 0 {
            return Err(Error::OutOfRange);
        }
        Ok(sequential / self.value(f64::from(processors)))
    }

    /// The lower bound of equation 3 (Eager, Zahorjan & Lazowska 1989): no job of this average parallelism is slower.
    ///
    /// # Errors
    /// As [`Speedup::on`].
    pub fn least(&self, processors: f64) -> Result<f64> {
        Speedup { sigma: f64::INFINITY, ..*self }.on(processors)
    }

    /// S(n) for n >= 1.
    pub(super) fn value(&self, n: f64) -> f64 {
        let Speedup { parallelism: a, sigma } = *self;
        let s = if sigma <= 1.0 {
            if n <= a {
                a * n / (a + sigma * (n - 1.0) / 2.0)
            } else if n < 2.0 * a - 1.0 {
                a * n / (sigma * (a - 0.5) + n * (1.0 - sigma / 2.0))
            } else {
                a
            }
        } else if n < a + (a - 1.0) * sigma {
            // Equation 2 divided by sigma + 1, which may be infinite.
            let share = if sigma.is_infinite() { 1.0 } else { sigma / (1.0 + sigma) };
            a * n / (a + share * (n - 1.0))
        } else {
            a
        };
        // Rounding at the joints must not take it past its bounds. (clamp could panic, as far as the compiler knows.)
        s.max(1.0).min(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn s(a: f64, sigma: f64, n: f64) -> f64 {
        Speedup::new(a, sigma).unwrap().on(n).unwrap()
    }

    /// Equations 1 and 2 as printed.
    fn printed(a: f64, sigma: f64, n: f64, high: bool) -> f64 {
        if high {
            return if n <= a + a * sigma - sigma {
                n * a * (sigma + 1.0) / (a + a * sigma - sigma + n * sigma)
            } else {
                a
            };
        }
        if n <= a {
            a * n / (a + sigma * (n - 1.0) / 2.0)
        } else if n <= 2.0 * a - 1.0 {
            a * n / (sigma * (a - 0.5) + n * (1.0 - sigma / 2.0))
        } else {
            a
        }
    }

    #[test]
    fn the_limits() {
        for n in [1.0, 2.0, 17.5, 63.0, 64.0, 65.0, 126.0, 127.0, 128.0, 5000.0] {
            // sigma = 0: the hardware's limit, then the software's.
            assert!((s(64.0, 0.0, n) - n.min(64.0)).abs() < 1e-13);
            // sigma infinite, and large: equation 3.
            let least = 64.0 * n / (64.0 + n - 1.0);
            assert!((s(64.0, f64::INFINITY, n) - least).abs() < 1e-13);
            assert!((s(64.0, 1e13, n) - least).abs() < 1e-9);
            assert_eq!(Speedup::new(64.0, 0.3).unwrap().least(n), Ok(s(64.0, f64::INFINITY, n)));
            // sigma = 1: both models.
            assert!((printed(64.0, 1.0, n, false) - printed(64.0, 1.0, n, true)).abs() < 1e-13);
            assert!((s(64.0, 1.0 + 1e-15, n) - s(64.0, 1.0, n)).abs() < 1e-12);
        }
        assert_eq!(s(1.0, 0.7, 5.0), 1.0);
        assert_eq!(s(1.0, 7.0, 5.0), 1.0);
    }

    #[test]
    fn refuses_what_is_no_job() {
        for (a, sigma, error) in [
            (f64::NAN, 1.0, Error::NotANumber),
            (2.0, f64::NAN, Error::NotANumber),
            (0.99, 1.0, Error::OutOfRange),
            (f64::INFINITY, 1.0, Error::OutOfRange),
            (2.0, -0.1, Error::OutOfRange),
        ] {
            assert_eq!(Speedup::new(a, sigma), Err(error));
        }
        let speedup = Speedup::new(8.0, 0.5).unwrap();
        assert_eq!(speedup.on(0.5), Err(Error::OutOfRange));
        assert_eq!(speedup.on(f64::NAN), Err(Error::NotANumber));
        assert_eq!(speedup.run_time(10.0, 0), Err(Error::OutOfRange));
        assert_eq!(speedup.run_time(-1.0, 1), Err(Error::OutOfRange));
        assert_eq!(speedup.run_time(10.0, 1), Ok(10.0));
    }

    proptest! {
        #[test]
        fn as_printed_continuous_and_bounded(a in 1.0f64..500.0, sigma in 0.0f64..4.0, n in 1.0f64..3000.0) {
            let speedup = s(a, sigma, n);
            let expected = printed(a, sigma, n, sigma > 1.0);
            prop_assert!((speedup - expected).abs() < 1e-12 * expected);
            prop_assert!(speedup >= s(a, f64::INFINITY, n) * (1.0 - 1e-14) && speedup <= n.min(a) * (1.0 + 1e-14));
            // More processors are never slower, more variance never faster.
            prop_assert!(s(a, sigma, n + 0.5) >= speedup * (1.0 - 1e-14));
            prop_assert!(s(a, sigma + 0.1, n) <= speedup * (1.0 + 1e-14));
            // The joints: A, 2A - 1 and A + A sigma - sigma.
            for joint in [a, 2.0 * a - 1.0, a + a * sigma - sigma] {
                let (low, high) = ((joint * (1.0 - 1e-12)).max(1.0), joint * (1.0 + 1e-12));
                prop_assert!((s(a, sigma, high) - s(a, sigma, low)).abs() < 1e-11 * a);
            }
        }
    }
}
