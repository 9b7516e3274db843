//! Wilson's interval for a proportion (1927): unlike mean ± deviation it stays within 0 and 1, and says something of
//! proportions that were never or always seen.

/// The .975 quantile of the normal distribution: 95 % between the bounds.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % interval of a proportion observed in `trials` trials; from 0 to 1 without a trial.
pub fn interval(proportion: f64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let n = trials as f64;
    let scale = 1.0 + Z * Z / n;
    let middle = (proportion + Z * Z / (2.0 * n)) / scale;
    let half = Z * (proportion * (1.0 - proportion) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newcombe 1998, table I, method 3.
    #[test]
    fn published_intervals() {
        for ((successes, trials), (low, high)) in [
            ((81u64, 263u64), (0.2553, 0.3662)),
            ((15, 148), (0.0624, 0.1605)),
            ((0, 20), (0.0, 0.1611)),
            ((1, 29), (0.0061, 0.1718)),
            ((29, 29), (0.8830, 1.0)),
        ] {
            let (a, b) = interval(successes as f64 / trials as f64, trials);
            assert!((a - low).abs() < 5e-5 && (b - high).abs() < 5e-5, "{successes}/{trials}: {a} {b}");
        }
        assert_eq!(interval(0.0, 0), (0.0, 1.0));
    }
}
