//! Draws that are the same bits on every platform: ChaCha8 for the bits, libm for the mathematics (the system's `ln`
//! and `exp` differ in the last place from one to the next), and no sampler of another crate, whose next version may
//! consume the bits in another way.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A seeded source of draws.
pub struct Random(ChaCha8Rng);

impl Random {
    /// The source of this seed.
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// One of a seed's independent sources.
    pub fn stream(seed: u64, stream: u64) -> Random {
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        source.set_stream(stream);
        Random(source)
    }

    /// Uniform in [0, 1), of 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// An integer below `count`, uniform to within `count` / 2^53.
    pub fn below(&mut self, count: u32) -> u32 {
        (self.uniform() * f64::from(count)) as u32
    }

    /// Log-uniform in [low, high).
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    /// Log-normal of this median, `sigma` being the standard deviation of the logarithm.
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * libm::exp(sigma * self.normal())
    }

    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(core::f64::consts::TAU * self.uniform())
    }

    /// Gamma of this shape and scale, mean `shape * scale`; both positive (Marsaglia & Tsang 2000).
    pub fn gamma(&mut self, shape: f64, scale: f64) -> f64 {
        if shape < 1.0 {
            let power = libm::pow(1.0 - self.uniform(), 1.0 / shape);
            return self.gamma(shape + 1.0, scale) * power;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        loop {
            let x = self.normal();
            let v = 1.0 + c * x;
            if v <= 0.0 {
                continue;
            }
            let v = v * v * v;
            if libm::log(1.0 - self.uniform()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return d * v * scale;
            }
        }
    }

    /// An index below `count`, which must not be 0.
    pub fn index(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f64) as usize).min(count - 1)
    }

    /// Poisson with this mean, which must be finite and not negative: arrivals of rate 1 in as much time, taken in
    /// parts of 16 so that their probabilities stay far above the smallest number.
    pub fn poisson(&mut self, mean: f64) -> u64 {
        let mut count = 0;
        let mut left = mean;
        while left > 0.0 {
            let floor = libm::exp(-left.min(16.0));
            let mut product = 1.0 - self.uniform();
            while product > floor {
                product *= 1.0 - self.uniform();
                count += 1;
            }
            left -= 16.0;
        }
        count
    }

    /// Geometric from 0, Pr(n) = p (1 - p)^n, for p above 0 and at most 1.
    pub fn geometric(&mut self, p: f64) -> u64 {
        let u = 1.0 - self.uniform();
        // ln(0) = -inf for p = 1, and then 0; ln(1) = 0 gives 0 too.
        (libm::log(u) / libm::log1p(-p)) as u64
    }

    /// The index of one of `weights`, with probability proportional to it; they must not be empty.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        let chosen = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a trace of the last weight that is one.
        chosen.or_else(|| weights.iter().rposition(|&weight| weight > 0.0)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_their_distributions() {
        let mut random = Random::new(1);
        let mut draws = |draw: fn(&mut Random) -> f64| -> Vec<f64> {
            let mut values: Vec<f64> = (0..10_001).map(|_| draw(&mut random)).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let uniform = draws(Random::uniform);
        assert!(uniform[0] >= 0.0 && uniform[10_000] < 1.0 && (uniform[5000] - 0.5).abs() < 0.02);
        // One standard deviation below and above the median are the quantiles .159 and .841.
        let log_normal = draws(|random| random.log_normal(100.0, 0.7));
        for (rank, expected) in [(1587, 100.0 * (-0.7f64).exp()), (5000, 100.0), (8413, 100.0 * 0.7f64.exp())]
        {
            assert!((log_normal[rank] / expected - 1.0).abs() < 0.05);
        }
        let log_uniform = draws(|random| random.log_uniform(1.0, 10_000.0));
        assert!((log_uniform[5000] / 100.0 - 1.0).abs() < 0.2);
        let weighted = draws(|random| random.weighted(&[1.0, 0.0, 3.0]) as f64);
        assert_eq!(weighted.iter().filter(|&&index| index == 1.0).count(), 0);
        assert!(
            (weighted.iter().filter(|&&index| index == 0.0).count() as f64 / 10_001.0 - 0.25).abs() < 0.02
        );
        // Means and variances to five standard errors: 40 +- 40, then 3 +- 12.
        let moments = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64)
        };
        let (mean, variance) = moments(&draws(|random| random.poisson(40.0) as f64));
        assert!((mean - 40.0).abs() < 0.32 && (variance - 40.0).abs() < 2.9, "{mean} {variance}");
        let (mean, variance) = moments(&draws(|random| random.geometric(0.25) as f64));
        assert!((mean - 3.0).abs() < 0.18 && (variance - 12.0).abs() < 1.8, "{mean} {variance}");
        assert!(
            draws(|random| (random.geometric(1.0) + random.poisson(0.0)) as f64).iter().all(|&n| n == 0.0)
        );
        assert!(draws(|random| f64::from(random.below(3))).iter().all(|&value| value < 3.0));
    }
}
