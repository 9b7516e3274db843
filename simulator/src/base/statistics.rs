//! Means, deviations, quantiles and correlations: each defined once, so that all studies mean the same by a word.
//!
//! Sums run in the order of the values, by plain addition: the same bits on every platform. (The crates that offer
//! these, `average` and `statrs` among them, add in other orders, and interpolate quantiles, which are values of the
//! sample here.)

use serde::{Deserialize, Serialize};

/// The mean; `None` of nothing.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut count = 0u64;
    let sum: f64 = values.into_iter().inspect(|_| count += 1).sum();
    (count > 0).then(|| sum / count as f64)
}

/// Least mean wait of which a share is said: below a minute, rounding and a scheduler's own cycle are as long.
pub const SHORTEST_BASE_S: f64 = 60.0;

/// A mean wait over another one, in seconds, less 1: -0.33 is 33 % less; `None` where the other is below
/// [`SHORTEST_BASE_S`].
pub fn change(wait_s: f64, base_s: f64) -> Option<f64> {
    (base_s >= SHORTEST_BASE_S).then(|| wait_s / base_s - 1.0)
}

/// The sum of the squared distances from a number.
fn squares(values: &[f64], from: f64) -> f64 {
    values.iter().map(|value| (value - from) * (value - from)).sum()
}

/// The sample variance (n - 1 below); `None` of fewer than two.
pub fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values.iter().copied())?;
    (values.len() > 1).then(|| squares(values, mean) / (values.len() - 1) as f64)
}

/// The sample standard deviation (n - 1 below); `None` of fewer than two.
pub fn deviation(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// The quantile by the nearest rank: the smallest of the values, which must be sorted, that at least `share` (0 to 1)
/// of them do not exceed; `None` of nothing. For .5 and an even number it is the lower of the middle values.
pub fn quantile<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).or(sorted.last()).copied()
}

/// A quantile like [`quantile`], but of the next rank where the share falls between two values: for .5 and an even
/// number it is the upper of the middle values. The values need not be sorted, and change their order.
pub fn upper_quantile<T: Copy + Ord>(values: &mut [T], share: f64) -> Option<T> {
    let rank = ((share * values.len() as f64) as usize).min(values.len().checked_sub(1)?);
    Some(*values.select_nth_unstable(rank).1)
}

/// The lower of the middle values, which change their order; `None` of nothing.
pub fn lower_median<T: Copy + Ord>(values: &mut [T]) -> Option<T> {
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable(middle).1)
}

/// The middle value, or the mean of the two middle values; they are sorted by this. `None` of nothing.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (quantile(values, 0.5)?, *values.get(values.len() / 2)?);
    Some(if values.len() % 2 == 1 { low } else { (low + high) / 2.0 })
}

/// Pearson's correlation of two sequences of equal length; `None` when one of them is constant or empty. O(n).
pub fn correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let length = x.len().min(y.len());
    let (mean_x, mean_y) = (mean(x[..length].iter().copied())?, mean(y[..length].iter().copied())?);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    let norm = libm::sqrt(xx) * libm::sqrt(yy);
    (norm > 0.0).then(|| (xy / norm).clamp(-1.0, 1.0))
}

/// The autocorrelation at lag 1: the sum of the products of successive deviations over the sum of squared deviations,
/// as R's `acf` has it; `None` for constant and empty sequences.
pub fn autocorrelation(values: &[f64]) -> Option<f64> {
    let mean = mean(values.iter().copied())?;
    let squares = squares(values, mean);
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    (squares > 0.0).then(|| products / squares)
}

/// Count, mean and spread of values that come one by one (Welford's recurrence).
#[derive(Debug, Clone, Copy, Default)]
pub struct Moments {
    /// Number of values so far.
    pub count: f64,
    /// Their mean; 0 without values.
    pub mean: f64,
    squares: f64,
}

impl Moments {
    /// One value more.
    pub fn add(&mut self, value: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }

    /// The standard deviation of the sample; 0 of fewer than two.
    pub fn deviation(&self) -> f64 {
        if self.count < 2.0 { 0.0 } else { (self.squares / (self.count - 1.0)).sqrt() }
    }
}

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

/// Student's t at .975 for a number of degrees of freedom, at least 1.
pub fn student_t(freedom: usize) -> f64 {
    // Beyond the table: Cornish & Fisher's first terms.
    T.get(freedom.wrapping_sub(1)).copied().unwrap_or_else(|| 1.960 + 2.372 / freedom as f64)
}

impl Estimate {
    /// The estimate by one value a seed; those that are no number (a median of nothing) are left out.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Estimate> {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let mean = mean(values.iter().copied())?;
        let half = |variance: f64| student_t(values.len() - 1) * (variance / values.len() as f64).sqrt();
        let ci95 = variance(&values).map(half);
        Some(Estimate { mean, ci95 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(values), Some(5.0));
        assert_eq!(variance(&values), Some(32.0 / 7.0));
        assert_eq!(deviation(&[1.0, 3.0]), Some(2f64.sqrt()));
        assert_eq!((mean([]), variance(&[]), deviation(&[7.0])), (None, None, None));
        let mut moments = Moments::default();
        values.into_iter().for_each(|value| moments.add(value));
        assert_eq!(moments.mean, 5.0);
        assert!((moments.deviation() - (32f64 / 7.0).sqrt()).abs() < 1e-15);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
        // 1, -1, 1, -1: each deviation is followed by its opposite.
        assert_eq!(autocorrelation(&[1.0, -1.0, 1.0, -1.0]), Some(-0.75));
        assert_eq!(autocorrelation(&[3.0, 3.0]), None);
    }

    /// A quantile is by its definition the first value that enough do not exceed.
    #[test]
    fn quantiles_are_as_defined() {
        for count in 1..40usize {
            let sorted: Vec<i64> = (0..count as i64).map(|i| i * i).collect();
            for percent in 0..=100 {
                let share = f64::from(percent) / 100.0;
                let enough = |limit: i64| {
                    let within = sorted.iter().filter(|&&value| value <= limit).count();
                    within as f64 >= share * count as f64
                };
                let found = quantile(&sorted, share).unwrap();
                assert_eq!(found, sorted.iter().copied().find(|&value| enough(value)).unwrap());
                let upper = upper_quantile(&mut sorted.clone(), share).unwrap();
                let between = (share * count as f64).fract() != 0.0 || share == 0.0 || share == 1.0;
                let next = sorted[(sorted.iter().position(|&v| v == found).unwrap() + 1).min(count - 1)];
                assert_eq!(upper, if between { found } else { next }, "{count} {share}");
            }
            assert_eq!(lower_median(&mut sorted.clone()), quantile(&sorted, 0.5));
        }
        assert_eq!(quantile::<i64>(&[], 0.5), None);
        assert_eq!((upper_quantile::<i64>(&mut [], 0.5), lower_median::<i64>(&mut [])), (None, None));
    }

    #[test]
    fn correlation_by_hand() {
        let r = correlation(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap();
        assert!((r - 0.5).abs() < 1e-15);
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(correlation(&[], &[]), None);
    }

    #[test]
    fn estimates_by_hand() {
        let estimate = Estimate::of([1.0, 2.0, 3.0, f64::NAN]).unwrap();
        assert_eq!(estimate.mean, 2.0);
        // t(2) times the standard error 1 / sqrt 3.
        assert!((estimate.ci95.unwrap() - 4.303 / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(Estimate::of([5.0]), Some(Estimate { mean: 5.0, ci95: None }));
        assert_eq!(Estimate::of([]), None);
        assert_eq!(Estimate::of([3.0; 40]).unwrap().ci95, Some(0.0));
    }
}
