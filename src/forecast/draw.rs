//! Run times of scenarios: Latin hypercube sampling from an integer hash.
//!
//! With N scenarios, the interval from 0 to 1 is divided into N strata, and each job's N draws lie in N different
//! strata, in an order of its own (McKay, Beckman & Conover 1979). A mean over scenarios then has at most N / (N - 1)
//! times the variance that independent draws would give it (Owen 1997, "Monte Carlo variance of scrambled net
//! quadrature"), and next to no variance in what depends on one job only.
//!
//! The order of a job's strata is a keyed permutation of 0 to N - 1: a Feistel network of four rounds over the next
//! power of four, walked along its cycle until it is back in range (Black & Rogaway 2002). The round function, the keys
//! and the place inside the stratum come from the finaliser of SplitMix64 (Steele, Lea & Flood 2014). All of it is
//! integer arithmetic, and one division: the same bits on every machine, and no state, so that any draw can be made at
//! any time.

use crate::math::mix::{GOLDEN, finalise};

/// One job's draws.
pub(crate) struct Draws {
    count: u32,
    /// Number of bits of half a value.
    bits: u32,
    key: u64,
}

impl Draws {
    /// The draws of a job in `count` scenarios (1 to 2^16).
    pub(crate) fn new(seed: u64, job: u64, count: u32) -> Draws {
        let bits = (u32::BITS - count.saturating_sub(1).leading_zeros()).div_ceil(2);
        let key = finalise(finalise(seed.wrapping_add(GOLDEN)) ^ (job.wrapping_add(1)).wrapping_mul(GOLDEN));
        Draws { count, bits, key }
    }

    /// The stratum of a scenario below `count`: a permutation.
    fn stratum(&self, scenario: u32) -> u32 {
        let mask = (1u32 << self.bits) - 1;
        let mut value = scenario;
        loop {
            let (mut left, mut right) = (value >> self.bits, value & mask);
            for round in 0..4 {
                let mixed = finalise(self.key ^ (round << 32 | u64::from(right))) as u32 & mask;
                (left, right) = (right, left ^ mixed);
            }
            value = left << self.bits | right;
            if value < self.count {
                return value;
            }
        }
    }

    /// The draw in a scenario below `count`: above or equal to 0, below 1.
    pub(crate) fn uniform(&self, scenario: u32) -> f64 {
        self.stratified(scenario).1
    }

    /// The draw in a scenario below `count`, and before it the stratum: the draw is at least its share of `count`.
    pub(crate) fn stratified(&self, scenario: u32) -> (u32, f64) {
        let inside = finalise(self.key.rotate_left(32) ^ u64::from(scenario).wrapping_mul(GOLDEN)) >> 11;
        let inside = inside as f64 / (1u64 << 53) as f64;
        let stratum = self.stratum(scenario);
        (stratum, ((f64::from(stratum) + inside) / f64::from(self.count)).min(1.0 - f64::EPSILON))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn every_stratum_is_drawn_once() {
        for count in [1, 2, 3, 4, 5, 16, 17, 100, 200, 1000, 1 << 16] {
            let draws = Draws::new(7, 3, count);
            let mut strata: Vec<u32> = (0..count).map(|s| draws.stratum(s)).collect();
            for (s, stratum) in strata.iter().enumerate() {
                let uniform = draws.uniform(s as u32) * f64::from(count);
                assert!(uniform >= f64::from(*stratum) && uniform <= f64::from(*stratum + 1));
            }
            strata.sort_unstable();
            assert!(strata.iter().copied().eq(0..count));
        }
    }

    /// The first numbers, so that a change of the generator cannot go unnoticed.
    #[test]
    fn the_generator_is_this_one() {
        assert_eq!(finalise(GOLDEN), 0xe220_a839_7b1d_cdaf); // SplitMix64 of seed 0 begins so
        let strata = |seed, job| (0..8).map(|s| Draws::new(seed, job, 8).stratum(s)).collect::<Vec<_>>();
        assert_ne!(strata(1, 0), strata(1, 1));
        assert_ne!(strata(1, 0), strata(2, 0));
    }

    /// Correlations between jobs, and of a job's scenario with its stratum, are those of random permutations: over 300
    /// pairs of 200 strata, products of standardised draws have mean 0 and variance 1 / 199.
    #[test]
    fn jobs_are_independent() {
        let count = 200;
        let standard = |job: u64| -> Vec<f64> {
            let draws = Draws::new(42, job, count);
            (0..count).map(|s| (draws.uniform(s) - 0.5) * 12f64.sqrt()).collect()
        };
        let (mut sum, mut squares) = (0.0, 0.0);
        for pair in 0..300 {
            let (a, b) = (standard(2 * pair), standard(2 * pair + 1));
            let r = a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>() / f64::from(count);
            sum += r;
            squares += r * r;
        }
        assert!((sum / 300.0).abs() < 4.0 / (199f64 * 300.0).sqrt(), "{sum}");
        assert!((squares / 300.0 * 199.0 - 1.0).abs() < 4.0 * (2f64 / 300.0).sqrt(), "{squares}");
    }
}
