//! Durations of states against the geometric distribution: Table 3.1 of Nissimov 2006.
//!
//! A duration is the number of slots between two changes of state, so at least 1; the first and the last interval count
//! as they are, though they are cut. The most likely geometric distribution p (1-p)^(n-1) has p = 1 / mean. Divergences
//! from few samples are too large, as the entropy of a sample is too small; Miller & Madow's correction is (m - 1) / (2
//! N ln 2) bits, with m either the number of different durations seen, or the number that N samples of the geometric
//! distribution show on average.

use super::histogram::Histogram;
use serde::{Deserialize, Serialize};

/// One state's durations. Divergences (bits) are from the sample to its most likely geometric distribution; they and
/// the parameters are missing when the state never occurs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Durations {
    /// Times that the state was entered.
    pub intervals: u64,
    /// Mean duration (slots).
    pub mean: Option<f64>,
    /// The geometric distribution's probability that the state ends with a slot.
    pub p: Option<f64>,
    /// Different durations that occurred.
    pub nonempty: u64,
    /// Different durations to expect of this number of samples of the geometric distribution.
    pub nonempty_geometric: Option<f64>,
    /// Divergence as it is.
    pub kl_bits: Option<f64>,
    /// Divergence less the bias by `nonempty`.
    pub kl_simple_bits: Option<f64>,
    /// Divergence less the bias by `nonempty_geometric`.
    pub kl_geometric_bits: Option<f64>,
}

impl Durations {
    /// From how often each duration occurred. Durations are at least 1.
    pub fn new(durations: &Histogram) -> Durations {
        let p = durations.mean().map(|mean| 1.0 / mean);
        let likelihood = |p: f64| durations.log_likelihood(|n| p.ln() + after(n.saturating_sub(1), p));
        let kl = p.and_then(|p| durations.divergence(likelihood(p)));
        let expected = p.map(|p| nonempty_geometric(durations.total(), p));
        let less = |bias: Option<f64>| Some(kl? - bias?);
        Durations {
            intervals: durations.total(),
            mean: durations.mean(),
            p,
            nonempty: durations.bins().len() as u64,
            nonempty_geometric: expected,
            kl_bits: kl,
            kl_simple_bits: less(durations.simple_bias()),
            kl_geometric_bits: less(expected.and_then(|m| durations.bias(m))),
        }
    }
}

/// Logarithm of (1-p)^n, with 0^0 = 1.
pub(super) fn after(n: u32, p: f64) -> f64 {
    if n == 0 { 0.0 } else { f64::from(n) * (-p).ln_1p() }
}

/// Number of different values that `samples` samples of a geometric distribution show on average: the sum over n of
/// 1 - (1 - p q^n)^N. The thesis's closed form alternates in sign with binomial coefficients and loses every digit
/// beyond some fifty samples; all terms of this sum are positive. About ln(N / 1e-15) / p terms.
pub fn nonempty_geometric(samples: u64, p: f64) -> f64 {
    let samples = samples as f64;
    let mut sum = 0.0;
    let mut probability = p;
    // The rest is less than samples * probability / p.
    while samples * probability > 1e-15 * p {
        sum -= (samples * (-probability).ln_1p()).exp_m1();
        probability *= 1.0 - p;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_one_slot() {
        let durations = Durations::new(&[1; 9].into_iter().collect());
        assert_eq!((durations.intervals, durations.p, durations.nonempty), (9, Some(1.0), 1));
        assert_eq!(durations.nonempty_geometric, Some(1.0));
        let divergences = [durations.kl_bits, durations.kl_simple_bits, durations.kl_geometric_bits];
        assert_eq!(divergences, [Some(0.0); 3]);
    }

    #[test]
    fn one_long_interval() {
        // One sample of 4: H = 0, and the geometric distribution has p q^3 = 1/4 (3/4)^3.
        let durations = Durations::new(&[4].into_iter().collect());
        let expected = -(0.25f64 * 0.75f64.powi(3)).log2();
        assert!((durations.kl_bits.unwrap() - expected).abs() < 1e-12);
        assert_eq!(durations.kl_simple_bits, durations.kl_bits);
        assert!((durations.nonempty_geometric.unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn never() {
        let durations = Durations::new(&Histogram::default());
        assert_eq!((durations.intervals, durations.nonempty), (0, 0));
        assert_eq!([durations.mean, durations.p, durations.nonempty_geometric, durations.kl_bits], [None; 4]);
        assert_eq!([durations.kl_simple_bits, durations.kl_geometric_bits], [None; 2]);
    }

    #[test]
    fn the_closed_form_where_it_still_works() {
        for (n, p) in [(1u32, 0.3f64), (2, 0.5), (7, 0.2), (12, 0.9), (15, 0.6)] {
            let (mut closed, mut choose) = (0.0, 1.0);
            for k in 1..=n {
                choose *= f64::from(n - k + 1) / f64::from(k);
                closed -= choose * (-p).powi(k as i32) / (1.0 - (1.0 - p).powi(k as i32));
            }
            let m = nonempty_geometric(u64::from(n), p);
            assert!((m - closed).abs() < 1e-9, "{n} samples, p {p}: {m}, not {closed}");
        }
    }

    #[test]
    fn samples_of_a_geometric_distribution_diverge_little() {
        // Counts in proportion: 2^-n of 2^20, and what is left in the last.
        let bins = (1..=20).flat_map(|n| std::iter::repeat_n(n, 1 << (20 - n)));
        let durations = Durations::new(&bins.chain([20]).collect());
        assert!(durations.kl_bits.unwrap() < 1e-4);
        assert!((durations.p.unwrap() - 0.5).abs() < 1e-4);
        // log2 N + Euler's constant / ln 2 - 1/2, but for waves of 1e-5.
        assert!((durations.nonempty_geometric.unwrap() - 20.333).abs() < 2e-3);
    }
}
