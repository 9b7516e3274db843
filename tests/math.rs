//! The special functions against 50-digit references (scripts/vectors/math_functions.py), with the accuracy their files
//! state.

use surefill::math::{beta, binomial, gamma, normal, student};

const VECTORS: &str = include_str!("vectors/math/functions.txt");

/// The rows of one function: arguments and values.
fn rows(name: &str) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = VECTORS
        .lines()
        .filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    assert!(rows.len() >= 7, "{name}: {} rows", rows.len());
    rows
}

#[track_caller]
fn close(got: f64, wanted: f64, relative: f64, absolute: f64, row: &[f64]) {
    let error = (got - wanted).abs();
    assert!(error <= relative * wanted.abs() + absolute, "{row:?}: got {got}, error {error:e}");
}

#[test]
fn stirling_and_deviance() {
    for row in rows("stirling_error") {
        close(gamma::stirling_error(row[0]), row[1], 0.0, 2e-15, &row);
    }
    for row in rows("deviance") {
        close(gamma::deviance(row[0], row[1]), row[2], 1e-15, 0.0, &row);
    }
    assert!(gamma::stirling_error(-1.0).is_nan() && gamma::deviance(1.0, f64::NAN).is_nan());
}

#[test]
fn normal_distribution() {
    for row in rows("normal_cdf") {
        close(normal::cdf(row[0]), row[1], 1e-15 * (1.0 + row[0] * row[0]), 0.0, &row);
    }
    for row in rows("normal_quantile") {
        close(normal::quantile(row[0]), row[1], 1e-15, 1e-50, &row);
    }
    assert_eq!((normal::quantile(0.0), normal::quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    assert!(normal::quantile(1.5).is_nan() && normal::quantile(f64::NAN).is_nan());
}

#[test]
fn incomplete_beta_and_its_inverse() {
    for row in rows("incomplete_beta") {
        let (a, b, x) = (row[0], row[1], row[2]);
        let (below, above) = beta::incomplete_beta(a, b, x, 1.0 - x);
        close(below, row[3], 1e-13, 1e-16, &row);
        close(above, row[4], 1e-13, 1e-16, &row);
        let back = beta::inverse_incomplete_beta(a, b, below);
        let (again, _) = beta::incomplete_beta(a, b, back, 1.0 - back);
        close(again, below, 1e-11, 0.0, &row);
    }
    assert!(beta::incomplete_beta(0.0, 1.0, 0.5, 0.5).0.is_nan());
    assert!(beta::incomplete_beta(1.0, 1.0, f64::NAN, 0.5).0.is_nan());
    assert!(beta::inverse_incomplete_beta(1.0, 1.0, 1.5).is_nan());
    assert_eq!(beta::inverse_incomplete_beta(3.0, 4.0, 1.0), 1.0);
}

#[test]
fn binomial_tails_up_to_ten_million() {
    for row in rows("binomial_tails") {
        let (below, above) = binomial::tails(row[0] as u64, row[1] as u64, row[2]);
        let relative = if row[0] <= 2000.0 { 1e-13 } else { 2e-11 };
        let (smaller, wanted) = if row[3] < row[4] { (below, row[3]) } else { (above, row[4]) };
        close(smaller, wanted, relative, 0.0, &row);
        assert!((below + above - 1.0).abs() <= f64::EPSILON, "{row:?}");
    }
}

#[test]
fn binomial_probabilities_add_up_to_their_tails() {
    for (n, q) in [(1, 0.3), (59, 0.95), (700, 0.5)] {
        let mut sum = 0.0;
        for k in 0..=n {
            let (below, _) = binomial::tails(n, k, q);
            close(sum, below, 1e-13, 1e-15, &[n as f64, k as f64, q]);
            sum += binomial::probability(n, k, q);
        }
        close(sum, 1.0, 1e-13, 0.0, &[n as f64, q]);
    }
    assert_eq!(binomial::probability(5, 6, 0.5), 0.0);
    assert!(binomial::probability(5, 1, 2.0).is_nan() && binomial::tails(5, 1, f64::NAN).0.is_nan());
}

#[test]
fn student_and_noncentral_t() {
    for row in rows("student_cdf") {
        close(student::cdf(row[0], row[1]), row[2], 1e-13, 0.0, &row);
        if row[1].fract() == 0.0 {
            close(student::noncentral_cdf(row[0], row[1], 0.0), row[2], 0.0, 1e-13, &row);
        }
    }
    for row in rows("noncentral_cdf") {
        close(student::noncentral_cdf(row[0], row[1], row[2]), row[3], 0.0, 1e-13, &row);
        if row[3] > 1e-6 && row[3] < 1.0 - 1e-6 {
            close(student::noncentral_quantile(row[3], row[1], row[2]), row[0], 1e-9, 1e-9, &row);
        }
    }
    // Without noncentrality it is Student's t, computed in another way.
    for v in [1.0, 2.0, 3.0, 10.0, 1e3, 1e5, 1e6, 1e7] {
        for t in [-30.0, -4.0, -1.0, -0.1, 0.0, 0.3, 2.0, 5.0] {
            close(student::noncentral_cdf(t, v, 0.0), student::cdf(t, v), 0.0, 1e-13, &[t, v]);
        }
    }
    assert!(student::noncentral_cdf(f64::NAN, 5.0, 0.0).is_nan());
    assert!(student::noncentral_quantile(1.0, 5.0, 0.0).is_nan());
}

#[test]
fn tolerance_factors_of_the_tables() {
    // One-sided, confidence .95, content .95: Hahn & Meeker, "Statistical Intervals", table A.12d.
    for (n, factor) in
        [(2.0, 26.260), (5.0, 4.203), (10.0, 2.911), (30.0, 2.220), (60.0, 2.022), (240.0, 1.819)]
    {
        let got = student::tolerance_factor(n, 0.95, 0.95);
        assert!((got - factor).abs() <= 6e-4, "{n}: {got}");
    }
}
