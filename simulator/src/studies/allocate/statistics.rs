//! Means over seeds with confidence intervals, and a least-squares line.

use serde::{Deserialize, Serialize};

/// A mean over seeds and the half-width of its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// By Student's t distribution; none with a single seed.
    pub ci95: Option<f64>,
}

/// Student's t at .975 for 1 to 30 degrees of freedom.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

impl Estimate {
    /// Of one value a seed; those that are no number (a median of nothing) are left out.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Estimate> {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        if values.is_empty() {
            return None;
        }
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
        let freedom = values.len() - 1;
        // Beyond the table: Cornish & Fisher's first terms.
        let t = T.get(freedom.wrapping_sub(1)).copied().unwrap_or_else(|| 1.960 + 2.372 / freedom as f64);
        Some(Estimate { mean, ci95: (freedom > 0).then(|| t * (variance / n).sqrt()) })
    }
}

/// The middle value; no number without any.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

/// The mean; no number without any.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_by_hand() {
        let estimate = Estimate::of([1.0, 2.0, 3.0, f64::NAN]).unwrap();
        assert_eq!(estimate.mean, 2.0);
        // t(2) times the standard error 1 / sqrt 3.
        assert!((estimate.ci95.unwrap() - 4.303 / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(Estimate::of([5.0]), Some(Estimate { mean: 5.0, ci95: None }));
        assert_eq!(Estimate::of([]), None);
        assert_eq!(Estimate::of([3.0; 40]).unwrap().ci95, Some(0.0));
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&mut []).is_nan());
    }
}
