//! The error of Stirling's formula, delta(x) = ln Gamma(x + 1) - (x + 1/2) ln x + x - ln(2 pi) / 2, and the deviance
//! term of Loader's saddle-point densities (Loader 2000, "Fast and accurate computation of binomial probabilities").
//!
//! Densities of large counts are differences of huge log-gammas, where digits are lost; written with delta and the
//! deviance nothing cancels. Method: the asymptotic series from 8 upwards, the recurrence in x below. Absolute error
//! below 2e-15 for x >= 1e-3.

/// Coefficients B(2j) / (2j (2j - 1)) of 1 / x^(2j - 1).
const SERIES: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// From here on the series' first neglected term is below 1e-16.
const SERIES_FROM: f64 = 8.0;

/// delta(x) for x > 0.
pub fn stirling_error(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut x = x;
    let mut below = 0.0;
    while x < SERIES_FROM {
        below += (x + 0.5) * libm::log1p(1.0 / x) - 1.0;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = SERIES.iter().rev().fold(0.0, |sum, c| sum * square + c);
    below + series * inverse
}

/// x ln(x / m) + m - x, for x >= 0 and m > 0: the deviance of a count x from its mean m. Relative error below 1e-15 as
/// long as x and m are exact.
pub fn deviance(x: f64, m: f64) -> f64 {
    if x == 0.0 {
        return m;
    }
    let difference = x - m;
    if difference.abs() >= 0.1 * (x + m) {
        return x * libm::log(x / m) - difference;
    }
    // With v = (x - m) / (x + m): ln(x / m) = 2 artanh(v), whose first term cancels against m - x.
    let v = difference / (x + m);
    let square = v * v;
    let mut power = 2.0 * x * v;
    let mut sum = difference * v;
    let mut odd = 1.0;
    loop {
        power *= square;
        odd += 2.0;
        let next = sum + power / odd;
        // The terms shrink by v^2 <= 1/100 each: ten of them at the most. Written so that NaN ends the loop.
        if !(next != sum && odd < 99.0) {
            return next;
        }
        sum = next;
    }
}
