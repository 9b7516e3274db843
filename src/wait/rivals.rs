//! Parametric rivals of the binomial method (Nurmi, Brevik & Wolski 2007, section 3.1): log-normal with a confidence
//! bound on the quantile, log-uniform and Weibull by maximum likelihood, whose quantiles come without confidence.
//!
//! All look at ln(wait), so waits are floored at 1 s.

use crate::error::{Error, Result};
use crate::math::student;
use crate::wait::binomial::check_probability;

/// The longest wait that the rivals take, in seconds; all larger bounds are cut to it.
const LONGEST: f64 = 1e300;

/// A Weibull distribution fitted to waits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weibull {
    /// Shape: below 1 the longest waits are longer than an exponential's; infinite where all waits are equal.
    pub shape: f64,
    /// Scale in seconds.
    pub scale: f64,
}

impl Weibull {
    /// The quantile in seconds.
    pub(super) fn quantile(&self, quantile: f64) -> f64 {
        let exponent = libm::log(-libm::log1p(-quantile)) / self.shape;
        (self.scale * libm::exp(exponent)).min(LONGEST)
    }
}

/// The upper bound of a log-normal's quantile: mean plus tolerance factor times standard deviation of the logarithms.
pub(super) fn log_normal(mean: f64, deviations: f64, n: f64, factor: f64) -> f64 {
    let spread = libm::sqrt(deviations / (n - 1.0));
    libm::exp(mean + factor * spread).min(LONGEST)
}

/// A log-uniform's quantile; by maximum likelihood it reaches from the shortest to the longest wait.
pub(super) fn log_uniform(shortest: f64, longest: f64, quantile: f64) -> f64 {
    let (low, high) = (libm::log(shortest.max(1.0)), libm::log(longest.max(1.0)));
    libm::exp(low + quantile * (high - low))
}

/// The sums that the likelihood equation of a Weibull needs, of z = (x / longest)^shape: z, z ln x, z (ln x)^2, with ln
/// x relative to the longest wait's.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WeibullSums([f64; 3]);

impl WeibullSums {
    /// Adds `count` waits whose logarithm lies `below` that of the longest.
    pub(super) fn add(&mut self, shape: f64, below: f64, count: f64) {
        let WeibullSums([zeroth, first, second]) = self;
        let z = count * libm::exp(-shape * below);
        *zeroth += z;
        *first -= z * below;
        *second += z * below * below;
    }
}

/// Fits a Weibull by maximum likelihood: the root of sum(z ln x) / sum(z) - 1 / shape = mean(ln x), by Newton's steps
/// kept between half and twice the last shape. `sums` computes the sums for a shape, `longest` is the largest ln(wait),
/// `mean` their mean, `deviations` their mean squared deviation.
pub(super) fn fit_weibull(
    n: f64,
    mean: f64,
    deviations: f64,
    longest: f64,
    start: Option<f64>,
    mut sums: impl FnMut(f64) -> Result<WeibullSums>,
) -> Result<Weibull> {
    // All waits are equal, but for rounding.
    if deviations <= 1e-18 * (1.0 + mean * mean) {
        return Ok(Weibull { shape: f64::INFINITY, scale: libm::exp(longest) });
    }
    // ln of a Weibull variable has standard deviation pi / sqrt(6) / shape.
    let mut shape = start.unwrap_or(core::f64::consts::PI / libm::sqrt(6.0 * deviations));
    let mut zeroth = n;
    for _ in 0..60 {
        let WeibullSums([z, zx, zxx]) = sums(shape)?;
        zeroth = z;
        let excess = zx / z - 1.0 / shape - (mean - longest);
        let slope = (zxx - zx * zx / z) / z + 1.0 / (shape * shape);
        let next = (shape - excess / slope).max(0.5 * shape).min(2.0 * shape);
        let done = (next - shape).abs() <= 1e-12 * shape;
        shape = next;
        if done {
            break;
        }
    }
    let scale = libm::exp(longest + libm::log(zeroth / n) / shape);
    Ok(Weibull { shape, scale })
}

/// Checks the waits; their number, their logarithms' mean, squared deviations and largest.
fn logarithms(waits: &[f64]) -> Result<(f64, f64, f64, f64)> {
    let (mut sum, mut longest) = (0.0, 0.0_f64);
    for wait in waits {
        if wait.is_nan() {
            return Err(Error::NotANumber);
        }
        if *wait < 0.0 || *wait > LONGEST {
            return Err(Error::OutOfRange);
        }
        let log = libm::log(wait.max(1.0));
        sum += log;
        longest = longest.max(log);
    }
    let n = waits.len() as f64;
    let mean = sum / n.max(1.0);
    let deviations = waits.iter().fold(0.0, |sum, wait| {
        let deviation = libm::log(wait.max(1.0)) - mean;
        sum + deviation * deviation
    });
    Ok((n, mean, deviations, longest))
}

/// The upper bound of the `quantile` of a log-normal distribution, with this `confidence`, from independent waits in
/// seconds: exp(m + f s) with mean and standard deviation of the logarithms and the tolerance factor of the noncentral
/// t. None for fewer than two waits. O(n).
///
/// # Errors
/// [`Error::NotANumber`]; [`Error::OutOfRange`] for a negative or infinite wait, or a probability outside (0, 1).
pub fn log_normal_bound(waits: &[f64], quantile: f64, confidence: f64) -> Result<Option<f64>> {
    check_probability(quantile)?;
    check_probability(confidence)?;
    let (n, mean, deviations, _) = logarithms(waits)?;
    if n < 2.0 {
        return Ok(None);
    }
    let factor = student::tolerance_factor(n, quantile, confidence);
    Ok(Some(log_normal(mean, deviations, n, factor)))
}

/// The `quantile` of the log-uniform distribution most likely to give these waits (seconds). None without a wait. O(n).
///
/// # Errors
/// As [`log_normal_bound`].
pub fn log_uniform_quantile(waits: &[f64], quantile: f64) -> Result<Option<f64>> {
    check_probability(quantile)?;
    logarithms(waits)?;
    let shortest = waits.iter().copied().reduce(f64::min);
    let longest = waits.iter().copied().reduce(f64::max);
    Ok(shortest.zip(longest).map(|(shortest, longest)| log_uniform(shortest, longest, quantile)))
}

/// The Weibull distribution most likely to give these waits (seconds), and its `quantile`. None without a wait. At most
/// 60 passes over the waits, usually six.
///
/// # Errors
/// As [`log_normal_bound`].
pub fn weibull_quantile(waits: &[f64], quantile: f64) -> Result<Option<(Weibull, f64)>> {
    check_probability(quantile)?;
    let (n, mean, deviations, longest) = logarithms(waits)?;
    if n < 1.0 {
        return Ok(None);
    }
    let fitted = fit_weibull(n, mean, deviations / n, longest, None, |shape| {
        let mut sums = WeibullSums::default();
        for wait in waits {
            sums.add(shape, longest - libm::log(wait.max(1.0)), 1.0);
        }
        Ok(sums)
    })?;
    Ok(Some((fitted, fitted.quantile(quantile))))
}
