//! The binomial distribution: Pr(Bin(n, q) = k), and both tails.
//!
//! Method: Loader's saddle-point density; tails by the incomplete beta function, Pr(Bin(n, q) <= k) = I_(1-q)(n - k,
//! k + 1). Each tail keeps its own relative accuracy, see [`super::beta`]. n up to 2^53.

use super::beta::{density, incomplete_beta};

/// Pr(Bin(n, q) = k), for q in [0, 1]; 0 for k > n.
pub fn probability(n: u64, k: u64, q: f64) -> f64 {
    if !(0.0..=1.0).contains(&q) {
        return f64::NAN;
    }
    if k > n {
        return 0.0;
    }
    if k == 0 {
        return power(1.0 - q, q, n);
    }
    if k == n {
        return power(q, 1.0 - q, n);
    }
    density(k as f64, (n - k) as f64, q, 1.0 - q)
}

/// x^n, where y = 1 - x.
fn power(x: f64, y: f64, n: u64) -> f64 {
    if n == 0 {
        return 1.0;
    }
    // For x near 1 the logarithm is taken of the exact complement.
    let ln = if y < 0.5 { libm::log1p(-y) } else { libm::log(x) };
    libm::exp(ln * n as f64)
}

/// Pr(Bin(n, q) < k) and Pr(Bin(n, q) >= k), for q in (0, 1).
pub fn tails(n: u64, k: u64, q: f64) -> (f64, f64) {
    if !(q > 0.0 && q < 1.0) {
        return (f64::NAN, f64::NAN);
    }
    if k == 0 {
        return (0.0, 1.0);
    }
    if k > n {
        return (1.0, 0.0);
    }
    let (above, below) = incomplete_beta(k as f64, (n - k) as f64 + 1.0, q, 1.0 - q);
    (below, above)
}
