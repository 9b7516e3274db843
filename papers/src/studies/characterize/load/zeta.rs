//! The zeta distribution, shifted to begin at 0: p(n) = (n+1)^-s / zeta(s), s > 1.

use super::{Limit, Model};
use crate::studies::characterize::histogram::Histogram;
use crate::studies::characterize::optimise::on_interval;

/// Numerators and denominators B_2j / (2j)!, for j from 1.
const BERNOULLI: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
];

/// Riemann's zeta function less 1 for s > 1, by Euler-Maclaurin summation from 16 on; relative error below 1e-14.
fn zeta_minus_one(s: f64) -> f64 {
    const FROM: u8 = 16;
    let n = f64::from(FROM);
    let head: f64 = (2..FROM).rev().map(|k| f64::from(k).powf(-s)).sum();
    let mut factor = s * n.powf(-s - 1.0);
    let mut tail = n.powf(1.0 - s) / (s - 1.0) + n.powf(-s) / 2.0;
    for (j, b) in (1u8..).zip(BERNOULLI) {
        tail += b * factor;
        let order = s + f64::from(2 * j);
        factor *= (order - 1.0) * order / (n * n);
    }
    head + tail
}

pub fn ln_probability(n: u32, s: f64) -> f64 {
    -s * (f64::from(n) + 1.0).ln() - zeta_minus_one(s).ln_1p()
}

/// The log-likelihood is concave in s, so it has one maximum; it lies at infinity when all loads are 0.
pub fn fit(loads: &Histogram) -> Option<Model> {
    let mean = loads.mean_of(|n| (f64::from(n) + 1.0).ln())?;
    if mean == 0.0 {
        return Some(Model::Limit(Limit::Neighbours { n: 0, share: 1.0 }));
    }
    let cost = |u: f64| {
        let s = 1.0 + u.exp();
        s * mean + zeta_minus_one(s).ln_1p()
    };
    // s - 1 from 1e-8, where half of the loads are beyond any number, to 100, where one of 1e30 is not 0.
    Some(Model::Zeta { s: 1.0 + on_interval(cost, -18.0, 4.6).exp() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeta_at_even_numbers() {
        let pi = std::f64::consts::PI;
        for (s, value) in [
            (2.0, pi.powi(2) / 6.0),
            (4.0, pi.powi(4) / 90.0),
            (6.0, pi.powi(6) / 945.0),
            (3.0, 1.202_056_903_159_594_3),
            (1.5, 2.612_375_348_685_488),
            (1.0 + 1.0 / 1024.0, 1_024.577_286_769_504_6),
        ] {
            let error = (zeta_minus_one(s) + 1.0) / value - 1.0;
            assert!(error.abs() < 1e-14, "zeta({s}): {error}");
        }
        assert!((zeta_minus_one(40.0) / 9.094_947_840_263_889e-13 - 1.0).abs() < 1e-14);
    }
}
