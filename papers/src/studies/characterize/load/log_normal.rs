//! The log-normal distribution, discretised.

use super::{Model, neighbours};
use crate::studies::characterize::histogram::Histogram;
use crate::studies::characterize::optimise::in_plane;
use std::f64::consts::{PI, SQRT_2};

/// Logarithm of the probability that a standard normal variable is above z >= 0.
fn ln_above(z: f64) -> f64 {
    // Beyond, erfc comes near the smallest number; the error of the series is below 945 / z^10.
    if z < 30.0 {
        return (libm::erfc(z / SQRT_2) / 2.0).ln();
    }
    let r = 1.0 / (z * z);
    let series = 1.0 - r * (1.0 - 3.0 * r * (1.0 - 5.0 * r * (1.0 - 7.0 * r)));
    -z * z / 2.0 - (z * (2.0 * PI).sqrt()).ln() + series.ln()
}

/// Logarithm of the probability that a standard normal variable lies between low < high.
fn ln_between(low: f64, high: f64) -> f64 {
    if low < 0.0 && high > 0.0 {
        let outside = (libm::erfc(-low / SQRT_2) + libm::erfc(high / SQRT_2)) / 2.0;
        return (-outside).ln_1p();
    }
    let (near, far) = if low >= 0.0 { (low, high) } else { (-high, -low) };
    let ratio = ln_above(far) - ln_above(near);
    ln_above(near) + (-ratio.exp_m1()).ln()
}

pub fn ln_probability(n: u32, mu: f64, sigma: f64) -> f64 {
    let at = |x: f64| (x.ln() - mu) / sigma;
    let n = f64::from(n);
    ln_between(if n == 0.0 { f64::NEG_INFINITY } else { at(n) }, at(n + 1.0))
}

/// By Nelder & Mead over mu and ln sigma.
pub fn fit(loads: &Histogram) -> Option<Model> {
    let limit = neighbours(loads);
    if limit.is_some() {
        return limit;
    }
    let ln = |n: u32| (f64::from(n) + 0.5).ln();
    let mean = loads.mean_of(ln)?;
    let ln_spread = loads.mean_of(|n| (ln(n) - mean).powi(2))?.sqrt().max(1e-3).ln();
    let cost =
        |mu: f64, ln_sigma: f64| loads.mean_of(|n| -ln_probability(n, mu, ln_sigma.exp())).unwrap_or(0.0);
    let starts = [[mean, ln_spread], [mean - 1.0, ln_spread + 0.7], [mean + 0.5, ln_spread - 0.5]];
    let [mu, ln_sigma] = in_plane(cost, &starts, 0.3)?;
    Some(Model::LogNormal { mu, sigma: ln_sigma.exp() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::LN_2;

    #[test]
    fn tails() {
        // Logarithms of the normal survival function, in 40 digits by mpmath.
        for (z, expected) in [
            (0.0, -LN_2),
            (5.0, -15.064_998_393_988_726),
            (29.999, -454.291_211_196_123_8),
            (30.0, -454.321_243_956_343_2),
            (40.0, -804.608_442_013_753_8),
        ] {
            let error = ln_above(z) - expected;
            assert!(error.abs() <= 4e-11 * expected.abs(), "{z}: {error:e}");
        }
        let parts: f64 = (0..2000).map(|n| ln_probability(n, 1.0, 0.9).exp()).sum();
        assert!((parts - 1.0).abs() < 1e-12, "{parts}");
    }
}
