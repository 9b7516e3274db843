//! The binomial method's indices against exact rational arithmetic, against other libraries for large n
//! (scripts/vectors/wait_binomial.py), and by their coverage on simulated histories.

use proptest::prelude::*;
use surefill::error::Error;
use surefill::wait::{LARGEST_HISTORY, lower_index, smallest_history, two_sided_indices, upper_index};

#[test]
fn exact_arithmetic_for_every_n_up_to_two_thousand() {
    let mut rows = 0;
    for line in include_str!("vectors/wait/exact.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (kind, quantile, confidence): (_, f64, f64) =
            (words[0], words[1].parse().unwrap(), words[2].parse().unwrap());
        let (first, mut k): (u64, u64) = (words[3].parse().unwrap(), words[4].parse().unwrap());
        let grew = |n: u64| {
            let bit = (n - first - 1) as usize;
            let digit = words[5].as_bytes()[bit / 4] as char;
            digit.to_digit(16).unwrap() >> (3 - bit % 4) & 1
        };
        let index = if kind == "upper" { upper_index } else { lower_index };
        for n in 0..=2000 {
            if n > first {
                k += u64::from(grew(n));
            }
            let wanted = (n >= first).then_some(k);
            assert_eq!(index(n, quantile, confidence), Ok(wanted), "{kind} {n} {quantile} {confidence}");
        }
        if kind == "upper" {
            assert_eq!(smallest_history(quantile, confidence), Ok(first));
        }
        rows += 1;
    }
    assert_eq!(rows, 30);
}

#[test]
fn large_histories() {
    let mut rows = 0;
    for line in include_str!("vectors/wait/large.txt").lines() {
        let words: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let n = words[0] as u64;
        assert_eq!(upper_index(n, words[1], words[2]), Ok(Some(words[3] as u64)), "{line}");
        assert_eq!(lower_index(n, words[1], words[2]), Ok(Some(words[4] as u64)), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 35);
}

/// A public C implementation takes the 58th of 59, whose confidence is only .80.
#[test]
fn the_smallest_history_needs_its_largest_wait() {
    assert_eq!(smallest_history(0.95, 0.95), Ok(59));
    assert_eq!(upper_index(58, 0.95, 0.95), Ok(None));
    assert_eq!(upper_index(59, 0.95, 0.95), Ok(Some(59)));
    assert_eq!(upper_index(59, 0.95, 0.80), Ok(Some(58)));
    assert_eq!(upper_index(59, 0.95, 0.81), Ok(Some(59)));
    assert_eq!(smallest_history(0.5, 0.5), Ok(1));
    assert_eq!(smallest_history(0.99, 0.95), Ok(299));
}

#[test]
fn equal_sides_are_a_tie_that_counts() {
    // Pr(Bin(n, 1/2) <= (n - 1) / 2) = 1/2 exactly for odd n.
    for n in [1, 3, 999, 100_001, 9_999_999] {
        assert_eq!(upper_index(n, 0.5, 0.5), Ok(Some(n.div_ceil(2))), "{n}");
        assert_eq!(lower_index(n, 0.5, 0.5), Ok(Some(n.div_ceil(2))), "{n}");
    }
}

#[test]
fn refuses_what_is_no_probability() {
    for index in [upper_index, lower_index] {
        assert_eq!(index(100, f64::NAN, 0.5), Err(Error::NotANumber));
        assert_eq!(index(100, 0.5, f64::NAN), Err(Error::NotANumber));
        for bad in [0.0, 1.0, -0.1, 1.1, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(index(100, bad, 0.5), Err(Error::OutOfRange));
            assert_eq!(index(100, 0.5, bad), Err(Error::OutOfRange));
        }
        assert_eq!(index(LARGEST_HISTORY + 1, 0.5, 0.5), Err(Error::OutOfRange));
        assert_eq!(index(0, 0.5, 0.5), Ok(None));
    }
    assert_eq!(smallest_history(1.0 - 1e-12, 0.95), Err(Error::OutOfRange));
    assert_eq!(smallest_history(f64::NAN, 0.95), Err(Error::NotANumber));
    assert_eq!(two_sided_indices(100, 0.5, 1.0), Err(Error::OutOfRange));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn monotone_in_n_quantile_and_confidence(
        n in 1u64..50_000, quantile in 0.001..0.999f64, confidence in 0.001..0.999f64, more in 0.0..0.5f64,
    ) {
        let beyond = |index: Option<u64>| index.unwrap_or(u64::MAX);
        let k = beyond(upper_index(n, quantile, confidence).unwrap());
        let next = beyond(upper_index(n + 1, quantile, confidence).unwrap());
        prop_assert!(next == k || next == k.saturating_add(1) || k == u64::MAX);
        let higher = quantile + (0.9995 - quantile) * more;
        prop_assert!(beyond(upper_index(n, higher, confidence).unwrap()) >= k);
        let surer = confidence + (0.9995 - confidence) * more;
        prop_assert!(beyond(upper_index(n, quantile, surer).unwrap()) >= k);
        let low = lower_index(n, quantile, confidence).unwrap();
        // From equal confidences below 1/2 the bounds may cross by one.
        prop_assert!(low.unwrap_or(0) <= k || confidence < 0.5);
        if let Some((low, high)) = two_sided_indices(n, quantile, confidence).unwrap() {
            prop_assert!(low <= high && high <= n && low >= 1);
            prop_assert!(upper_index(n, quantile, (1.0 + confidence) / 2.0).unwrap() == Some(high));
        }
    }

    #[test]
    fn upper_and_lower_mirror_each_other(n in 1u64..5_000, eighths in 1u32..8, confidence in 0.01..0.99f64) {
        // Quantiles whose complement is exact.
        let quantile = f64::from(eighths) / 8.0;
        let up = upper_index(n, quantile, confidence).unwrap();
        prop_assert_eq!(lower_index(n, 1.0 - quantile, confidence).unwrap(), up.map(|k| n + 1 - k));
    }
}
