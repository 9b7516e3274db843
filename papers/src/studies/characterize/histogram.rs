//! Counts of natural numbers: all that a likelihood needs of a sample.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::f64::consts::LN_2;

/// Values with how often each occurs, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Histogram(Vec<(u32, u64)>);

impl FromIterator<u32> for Histogram {
    fn from_iter<I: IntoIterator<Item = u32>>(values: I) -> Histogram {
        let mut counts = BTreeMap::new();
        for value in values {
            *counts.entry(value).or_insert(0) += 1;
        }
        Histogram(counts.into_iter().collect())
    }
}

impl Histogram {
    /// The values that occur, with their counts.
    pub fn bins(&self) -> &[(u32, u64)] {
        &self.0
    }

    /// The sample's size.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|&(_, count)| count).sum()
    }

    /// Smallest and largest value.
    pub fn range(&self) -> Option<(u32, u32)> {
        Some((self.0.first()?.0, self.0.last()?.0))
    }

    /// The mean of a function of the values; none without values.
    pub fn mean_of(&self, f: impl Fn(u32) -> f64) -> Option<f64> {
        let sum: f64 = self.0.iter().map(|&(value, count)| count as f64 * f(value)).sum();
        (!self.0.is_empty()).then(|| sum / self.total() as f64)
    }

    /// The mean of the values.
    pub fn mean(&self) -> Option<f64> {
        self.mean_of(f64::from)
    }

    /// The share of one value.
    pub fn share(&self, value: u32) -> Option<f64> {
        self.mean_of(|other| f64::from(u8::from(other == value)))
    }

    /// The share of values of at least this much.
    pub fn survival(&self, value: u32) -> Option<f64> {
        self.mean_of(|other| f64::from(u8::from(other >= value)))
    }

    /// The log-likelihood (nats) of a distribution that gives the logarithm of a value's probability.
    pub fn log_likelihood(&self, ln_probability: impl Fn(u32) -> f64) -> f64 {
        self.0.iter().map(|&(value, count)| count as f64 * ln_probability(value)).sum()
    }

    /// The largest log-likelihood that any distribution can have: that of the sample itself. 0 without values.
    pub fn most_likely(&self) -> f64 {
        let total = self.total() as f64;
        self.0.iter().map(|&(_, count)| count as f64 * (count as f64 / total).ln()).sum()
    }

    /// Kullback-Leibler divergence (bits) from the sample to the distribution with this log-likelihood; none without
    /// values.
    pub fn divergence(&self, log_likelihood: f64) -> Option<f64> {
        let total = self.total();
        // Less than 0 is nothing but rounding.
        (total > 0).then(|| ((self.most_likely() - log_likelihood) / (total as f64 * LN_2)).max(0.0))
    }

    /// Miller & Madow's correction of a divergence (bits) when the sample's distribution has `nonempty` values of some
    /// probability: (m - 1) / (2 N ln 2); none without values.
    pub fn bias(&self, nonempty: f64) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| (nonempty - 1.0) / (2.0 * total as f64 * LN_2))
    }

    /// The bias with the number of values that did occur.
    pub fn simple_bias(&self) -> Option<f64> {
        self.bias(self.0.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let sample: Histogram = [3, 1, 1, 5].into_iter().collect();
        assert_eq!(sample.bins(), [(1, 2), (3, 1), (5, 1)]);
        assert_eq!((sample.total(), sample.mean(), sample.range()), (4, Some(2.5), Some((1, 5))));
        assert_eq!((sample.share(1), sample.survival(2)), (Some(0.5), Some(0.5)));
        // 1.5 bits of entropy; a uniform distribution over eight values costs three.
        assert!((sample.most_likely() + 4.0 * 1.5 * LN_2).abs() < 1e-12);
        let uniform = sample.log_likelihood(|_| -3.0 * LN_2);
        assert!((sample.divergence(uniform).unwrap() - 1.5).abs() < 1e-12);
        assert!((sample.simple_bias().unwrap() - 0.25 / LN_2).abs() < 1e-12);
    }

    #[test]
    fn nothing() {
        let none = Histogram::default();
        assert_eq!((none.total(), none.mean(), none.range(), none.share(0)), (0, None, None, None));
        assert_eq!((none.divergence(0.0), none.simple_bias(), none.most_likely()), (None, None, 0.0));
    }
}
