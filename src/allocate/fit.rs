//! A and sigma from measurements (Downey 1997, section 2.2.3: inferred from observed speedup curves).
//!
//! Least squares of the logarithms, as speedups err by a share of themselves: the best place of a grid over ln A and
//! sigma / (1 + sigma), then the simplex method (Nelder & Mead 1965) from there. The squares have a kink where
//! saturation begins at a measured number; near it the descent may stop some tenths of a percent early.

use crate::allocate::{LONGEST, Speedup, check};
use crate::error::{Error, Result};
use core::cmp::Ordering;

/// Number of steps of the grid along ln A and along sigma / (1 + sigma).
const PARALLELISM_STEPS: u32 = 48;
const SIGMA_STEPS: u32 = 32;

/// Number of steps of sigma in a band, each of which has a descent of its own.
const BAND: u32 = 4;

/// Multiple of the largest number measured up to which A is sought: beyond it, it makes no difference.
const BEYOND: f64 = 64.0;

/// The model that describes the measurements best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// A and sigma. They can be distinguished only when the measurements reach saturation: before it, speedups above
    /// sigma 1 depend on A (1 + 1 / sigma) alone. Any pair that fits predicts the measured range equally well.
    pub speedup: Speedup,
    /// Run time on one processor in seconds; 1 for measured speedups.
    pub sequential: f64,
    /// Root mean square of the differences of the natural logarithms: about the relative error.
    pub error: f64,
}

/// The model of measured speedups `(processors, speedup)`: at least two numbers of processors. O(points).
///
/// # Errors
/// [`Error::NotANumber`]; [`Error::OutOfRange`] for numbers of processors below 1 or above 2^20, speedups that are not
/// positive or above 2^40, or all for one number of processors.
pub fn fit_speedups(points: &[(f64, f64)]) -> Result<Fit> {
    fit(points.iter().copied(), 2, false)
}

/// The model of measured run times `(processors, seconds)`, none of which need be on one processor: at least three
/// numbers of processors. O(points).
///
/// # Errors
/// As [`fit_speedups`].
pub fn fit_run_times(points: &[(f64, f64)]) -> Result<Fit> {
    fit_run_time_points(points.iter().copied())
}

/// Does [`fit_run_times`] for points from any iterator.
pub(crate) fn fit_run_time_points(points: impl Iterator<Item = (f64, f64)> + Clone) -> Result<Fit> {
    fit(points, 3, true)
}

fn fit<P: Iterator<Item = (f64, f64)> + Clone>(points: P, fewest: usize, run_times: bool) -> Result<Fit> {
    let (mut most, mut count) = (1.0_f64, 0.0);
    for (n, value) in points.clone() {
        count += 1.0;
        check(n, 1.0..=1_048_576.0)?;
        check(value, f64::MIN_POSITIVE..=LONGEST)?;
        most = most.max(n).max(if run_times { 0.0 } else { value.min(1_048_576.0) });
    }
    let first = |i: usize, n: f64| points.clone().take(i).all(|other| other.0 != n);
    if points.clone().enumerate().filter(|&(i, point)| first(i, point.0)).take(fewest).count() < fewest {
        return Err(Error::OutOfRange);
    }
    let problem = Problem { points, count, run_times, widest: libm::log(most * BEYOND) };
    let mut best = problem.vertex(0.0, 0.0);
    // A descent from the best of every band of sigma, as the valley is narrow and bent; then another from its result.
    for band in 0..=SIGMA_STEPS / BAND {
        let mut start = problem.vertex(0.0, f64::from(band * BAND) / f64::from(SIGMA_STEPS));
        for j in (0..BAND).map(|j| (band * BAND + j).min(SIGMA_STEPS)) {
            for i in 0..=PARALLELISM_STEPS {
                let x = problem.widest * f64::from(i) / f64::from(PARALLELISM_STEPS);
                start = start.better(problem.vertex(x, f64::from(j) / f64::from(SIGMA_STEPS)));
            }
        }
        best = best.better(problem.descend(start, 1.0));
    }
    for step in [0.3, 0.03, 1.0] {
        best = problem.descend(best, step);
    }
    let (_, level) = problem.squares(&best.speedup());
    let sequential = if run_times { libm::exp(level) } else { 1.0 };
    Ok(Fit { speedup: best.speedup(), sequential, error: libm::sqrt(best.squares / count) })
}

#[derive(Clone, Copy)]
struct Vertex {
    /// ln A.
    x: f64,
    /// sigma / (1 + sigma).
    u: f64,
    squares: f64,
}

impl Vertex {
    fn speedup(&self) -> Speedup {
        let sigma = if self.u >= 1.0 { f64::INFINITY } else { self.u / (1.0 - self.u) };
        // Within its range by construction; A = 1 is a job like any other.
        Speedup::new(libm::exp(self.x).max(1.0), sigma).unwrap_or(Speedup::SEQUENTIAL)
    }

    fn better(self, other: Vertex) -> Vertex {
        if other.squares < self.squares { other } else { self }
    }

    /// The point at this multiple of the way from here to there.
    fn towards(&self, other: &Vertex, share: f64) -> (f64, f64) {
        (self.x + (other.x - self.x) * share, self.u + (other.u - self.u) * share)
    }
}

struct Problem<P> {
    points: P,
    count: f64,
    run_times: bool,
    /// The largest ln A.
    widest: f64,
}

impl<P: Iterator<Item = (f64, f64)> + Clone> Problem<P> {
    /// The sum of squares, and for run times the logarithm of the sequential one.
    fn squares(&self, speedup: &Speedup) -> (f64, f64) {
        // Run times: ln R = ln L - ln S, and the best ln L is a mean.
        let residual = |(n, value): (f64, f64)| {
            let ln_speedup = libm::log(speedup.value(n));
            if self.run_times { libm::log(value) + ln_speedup } else { libm::log(value) - ln_speedup }
        };
        let level =
            if self.run_times { self.points.clone().map(residual).sum::<f64>() / self.count } else { 0.0 };
        let squares = self.points.clone().map(|point| residual(point) - level).map(|r| r * r).sum();
        (squares, level)
    }

    fn vertex(&self, x: f64, u: f64) -> Vertex {
        let vertex = Vertex { x: x.max(0.0).min(self.widest), u: u.clamp(0.0, 1.0), squares: 0.0 };
        Vertex { squares: self.squares(&vertex.speedup()).0, ..vertex }
    }

    fn descend(&self, start: Vertex, step: f64) -> Vertex {
        let dx = step * self.widest / f64::from(PARALLELISM_STEPS);
        let du = step / f64::from(SIGMA_STEPS);
        // Inwards, so that the simplex does not collapse.
        let dx = if start.x + dx > self.widest { -dx } else { dx };
        let du = if start.u + du > 1.0 { -du } else { du };
        let mut simplex = [start, self.vertex(start.x + dx, start.u), self.vertex(start.x, start.u + du)];
        for _ in 0..400 {
            simplex = ordered(simplex);
            let [best, good, worst] = simplex;
            if worst.x - best.x == 0.0
                && worst.u - best.u == 0.0
                && good.x - best.x == 0.0
                && good.u - best.u == 0.0
            {
                break;
            }
            let (x, u) = best.towards(&good, 0.5);
            let middle = Vertex { x, u, squares: 0.0 };
            let at = |share: f64| {
                let (x, u) = middle.towards(&worst, share);
                self.vertex(x, u)
            };
            let reflected = at(-1.0);
            let replaced = if reflected.squares < best.squares {
                let expanded = at(-2.0);
                Some(if expanded.squares < reflected.squares { expanded } else { reflected })
            } else if reflected.squares < good.squares {
                Some(reflected)
            } else {
                let contracted = if reflected.squares < worst.squares { at(-0.5) } else { at(0.5) };
                (contracted.squares < worst.squares.min(reflected.squares)).then_some(contracted)
            };
            simplex = match replaced {
                Some(vertex) => [best, good, vertex],
                None => {
                    let shrunk = |vertex: Vertex| {
                        let (x, u) = best.towards(&vertex, 0.5);
                        self.vertex(x, u)
                    };
                    [best, shrunk(good), shrunk(worst)]
                }
            };
        }
        let [best, ..] = ordered(simplex);
        best
    }
}

fn ordered([a, b, c]: [Vertex; 3]) -> [Vertex; 3] {
    let pair = |a: Vertex, b: Vertex| match a.squares.total_cmp(&b.squares) {
        Ordering::Greater => (b, a),
        _ => (a, b),
    };
    let (a, b) = pair(a, b);
    let (b, c) = pair(b, c);
    let (a, b) = pair(a, b);
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    const SIZES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

    #[test]
    fn refuses_what_cannot_be_fitted() {
        assert_eq!(fit_speedups(&[]), Err(Error::OutOfRange));
        assert_eq!(fit_speedups(&[(4.0, 3.0), (4.0, 3.1)]), Err(Error::OutOfRange));
        assert_eq!(fit_speedups(&[(1.0, 1.0), (0.5, 3.1)]), Err(Error::OutOfRange));
        assert_eq!(fit_speedups(&[(1.0, 1.0), (2.0, 0.0)]), Err(Error::OutOfRange));
        assert_eq!(fit_speedups(&[(1.0, 1.0), (2.0, f64::NAN)]), Err(Error::NotANumber));
        assert_eq!(fit_run_times(&[(1.0, 10.0), (2.0, 5.0), (2.0, 5.1)]), Err(Error::OutOfRange));
    }

    #[test]
    fn extremes_are_found() {
        let linear: Vec<_> = SIZES.map(|n| (n, n)).into();
        let fit = fit_speedups(&linear).unwrap();
        assert!(fit.error < 1e-6 && fit.speedup.parallelism() > 255.0);
        let sequential: Vec<_> = SIZES.map(|n| (n, 70.0)).into();
        let fit = fit_run_times(&sequential).unwrap();
        assert!(fit.error < 1e-6 && (fit.sequential - 70.0).abs() < 1e-3, "{fit:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn parameters_are_recovered(a in 2.0f64..100.0, sigma in 0.02f64..2.5, seconds in 1.0f64..1e5) {
            let speedup = Speedup::new(a, sigma).unwrap();
            let measured: Vec<_> = SIZES.iter().map(|&n| (n, speedup.on(n).unwrap())).collect();
            let fit = fit_speedups(&measured).unwrap();
            prop_assert!(fit.error < 0.01, "{fit:?}");
            let saturated = a * (1.0 + sigma) < 250.0;
            prop_assert!(!saturated || (fit.speedup.parallelism() / a - 1.0).abs() < 0.1, "{fit:?}");
            prop_assert!(!saturated || (fit.speedup.sigma() - sigma).abs() < 0.1 * (1.0 + sigma), "{fit:?}");
            let timed: Vec<_> = SIZES.iter().skip(1).map(|&n| (n, seconds / speedup.on(n).unwrap())).collect();
            let fit = fit_run_times(&timed).unwrap();
            prop_assert!(fit.error < 0.01, "{fit:?}");
            // A small A is saturated at once, and one processor's time is not determined.
            prop_assert!(!saturated || a < 8.0 || (fit.sequential / seconds - 1.0).abs() < 0.02, "{fit:?}");
        }
    }
}
