//! The table of rare events: made by its program, near the results of quadrature, and monotone.

use surefill::error::Error;
use surefill::wait::rare_event_threshold;

#[path = "../scripts/rare_events.rs"]
mod program;

#[test]
fn table_and_program_agree() {
    assert_eq!(program::table(), include_str!("../src/wait/rare_table.rs"));
}

#[test]
fn independent_data() {
    for (quantile, wanted) in [(0.5, 13), (0.75, 7), (0.9, 4), (0.95, 3), (0.99, 2), (0.9999, 2)] {
        assert_eq!(rare_event_threshold(quantile, 0.0), Ok(Some(wanted)), "{quantile}");
    }
}

/// The probability that r values in a row exceed the cut, by Simpson's rule on the density of the last of them.
fn by_quadrature(quantile: f64, correlation: f64) -> u32 {
    const INTERVALS: usize = 700;
    let cut = surefill::math::normal::quantile(quantile);
    let step = 9.5 / INTERVALS as f64;
    let spread = (1.0 - correlation * correlation).sqrt();
    let normal = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let points: Vec<f64> = (0..=INTERVALS).map(|i| cut + step * i as f64).collect();
    let weight =
        |i: usize| step / 3.0 * if i == 0 || i == INTERVALS { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
    let mut density: Vec<f64> = points.iter().map(|x| normal(*x)).collect();
    for run in 1.. {
        let probability: f64 = density.iter().enumerate().map(|(i, d)| weight(i) * d).sum();
        if probability <= program::RARE {
            return run;
        }
        let next = |y: &f64| {
            let from = |(i, x): (usize, &f64)| {
                weight(i) * density[i] * normal((y - correlation * x) / spread) / spread
            };
            points.iter().enumerate().map(from).sum()
        };
        density = points.iter().map(next).collect();
    }
    unreachable!()
}

#[test]
fn quadrature_agrees_within_the_noise() {
    for quantile in [0.5, 0.8, 0.95, 0.99] {
        for correlation in [0.1, 0.5, 0.8, 0.9] {
            let table = rare_event_threshold(quantile, correlation).unwrap().unwrap();
            let exact = by_quadrature(quantile, correlation);
            assert!(table.abs_diff(exact) <= 1, "{quantile} {correlation}: {table} against {exact}");
        }
    }
}

#[test]
fn cautious_between_the_rows() {
    let mut last = u32::MAX;
    for quantile in 25..1000 {
        let row: Vec<u32> = (0..=99)
            .map(|rho| rare_event_threshold(f64::from(quantile) / 1000.0, f64::from(rho) / 100.0))
            .filter_map(|threshold| threshold.unwrap())
            .collect();
        assert_eq!(row.len(), if quantile < 250 { 0 } else { 100 });
        assert!(row.is_sorted());
        if let Some(first) = row.first() {
            assert!(*first <= last);
            last = *first;
        }
    }
    assert_eq!(rare_event_threshold(0.95, 0.1 + 1e-9), rare_event_threshold(0.95, 0.2));
    assert_eq!(rare_event_threshold(0.95, -1.0), Ok(Some(3)));
    assert_eq!(rare_event_threshold(0.95, 1.0), Ok(None));
    assert_eq!(rare_event_threshold(0.95, 1.5), Err(Error::OutOfRange));
    assert_eq!(rare_event_threshold(0.95, f64::NAN), Err(Error::NotANumber));
    assert_eq!(rare_event_threshold(1.0, 0.0), Err(Error::OutOfRange));
    assert_eq!(rare_event_threshold(f64::NAN, 0.0), Err(Error::NotANumber));
}
