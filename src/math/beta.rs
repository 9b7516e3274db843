//! The regularised incomplete beta function I_x(a, b) and its inverse in x.
//!
//! Method: the continued fraction that ends for integer b, on the side of the mean where it converges fast (x <= a /
//! (a + b), else the complement), by the modified Lentz algorithm. Its steps grow with the square root of the
//! parameters at the mean (45 for a + b = 1,000, 950 for 10 million) and hardly at all in the tails (130 at the .95
//! quantile of 10 million). The factor before it is a saddle-point density (see [`super::gamma`]). Relative error of
//! the smaller of I and 1 - I: below 1e-13 up to a + b = 2,000, below 2e-11 at 10 million (where the argument's own
//! rounding shows).

use super::gamma::{deviance, stirling_error};

/// x^a y^b Gamma(a + b + 1) / (Gamma(a + 1) Gamma(b + 1)), with y = 1 - x: the density of a "count" a among a + b.
pub(super) fn density(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    if x <= 0.0 || y <= 0.0 {
        return 0.0;
    }
    let exponent =
        stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * x) - deviance(b, n * y);
    libm::exp(exponent) * libm::sqrt(n / (2.0 * core::f64::consts::PI * a * b))
}

/// The fraction's value for x <= a / (a + b), or nearly.
fn fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let nonzero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let term = |m: f64| {
        let d = a + 2.0 * m - 1.0;
        m + m * (b - m) * x / d + (a + m) * (a * y - b * x + 1.0 + m * (2.0 - x)) / (d + 2.0)
    };
    let mut f = nonzero(a * (a * y - b * x + 1.0) / (a + 1.0));
    let (mut c, mut d) = (f, 0.0);
    let most = 1000.0 + 50.0 * libm::sqrt(a.max(b));
    let mut m = 1.0;
    while m < most {
        let over = (a + m - 1.0) / (a + 2.0 * m - 1.0)
            * ((a + b + m - 1.0) / (a + 2.0 * m - 1.0))
            * m
            * (b - m)
            * x
            * x;
        let under = term(m);
        d = 1.0 / nonzero(under + over * d);
        c = nonzero(under + over / c);
        let change = c * d;
        f *= change;
        if (change - 1.0).abs() < 2e-16 {
            break;
        }
        m += 1.0;
    }
    f
}

/// I_x(a, b) and 1 - I_x(a, b), each with its own relative accuracy; `y` is 1 - x, given apart so that nothing is lost
/// when x is near 1. For a, b > 0 and x, y in [0, 1].
pub fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    let valid = a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
    if !valid {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if y == 0.0 {
        return (1.0, 0.0);
    }
    let factor = density(a, b, x, y) * (a * (b / (a + b)));
    if x * (a + b) <= a {
        let below = (factor / fraction(a, b, x, y)).min(1.0);
        (below, 1.0 - below)
    } else {
        let above = (factor / fraction(b, a, y, x)).min(1.0);
        (1.0 - above, above)
    }
}

/// The x at which I_x(a, b) = p, for a, b > 0 and p in [0, 1]. Newton's steps inside a shrinking bracket, at most 100
/// evaluations of I; absolute error below 1e-14.
pub fn inverse_incomplete_beta(a: f64, b: f64, p: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&p)) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return p;
    }
    let (mut low, mut high) = (0.0, 1.0);
    let mut x = a / (a + b);
    for _ in 0..100 {
        let excess = incomplete_beta(a, b, x, 1.0 - x).0 - p;
        if excess > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let slope = density(a, b, x, 1.0 - x) * (a * (b / (a + b))) / (x * (1.0 - x));
        let newton = x - excess / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= 1e-16 * x || high - low <= f64::EPSILON * low {
            return next;
        }
        x = next;
    }
    x
}
