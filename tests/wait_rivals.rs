//! The parametric rivals against scipy (scripts/vectors/wait_rivals.py).

use surefill::error::Error;
use surefill::wait::{log_normal_bound, log_uniform_quantile, weibull_quantile};

#[track_caller]
fn close(got: f64, wanted: f64, relative: f64) {
    assert!((got / wanted - 1.0).abs() <= relative, "{got} against {wanted}");
}

#[test]
fn agree_with_scipy() {
    let mut rows = 0;
    for line in include_str!("vectors/wait/rivals.txt").lines() {
        let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let [quantile, confidence, normal, uniform, shape, scale, weibull] = numbers[..7] else { panic!() };
        let waits = &numbers[7..];
        close(log_normal_bound(waits, quantile, confidence).unwrap().unwrap(), normal, 1e-8);
        close(log_uniform_quantile(waits, quantile).unwrap().unwrap(), uniform, 1e-12);
        let (fitted, value) = weibull_quantile(waits, quantile).unwrap().unwrap();
        close(fitted.shape, shape, 1e-10);
        close(fitted.scale, scale, 1e-10);
        close(value, weibull, 1e-9);
        rows += 1;
    }
    assert_eq!(rows, 6);
}

#[test]
fn few_or_equal_waits() {
    assert_eq!(log_normal_bound(&[5.0], 0.95, 0.95), Ok(None));
    assert_eq!(log_uniform_quantile(&[], 0.95), Ok(None));
    assert_eq!(weibull_quantile(&[], 0.95), Ok(None));
    close(log_normal_bound(&[30.0; 7], 0.95, 0.95).unwrap().unwrap(), 30.0, 1e-12);
    close(weibull_quantile(&[30.0; 7], 0.95).unwrap().unwrap().1, 30.0, 1e-12);
    // Zero waits count as one second.
    assert_eq!(log_uniform_quantile(&[0.0; 3], 0.95), Ok(Some(1.0)));
    assert_eq!(weibull_quantile(&[0.0; 3], 0.95).unwrap().unwrap().1, 1.0);
    assert!(weibull_quantile(&[0.0, 0.0, 1e6], 0.95).unwrap().unwrap().1 > 1.0);
}

#[test]
fn refuse_bad_input() {
    for (waits, error) in [
        ([3.0, f64::NAN], Error::NotANumber),
        ([-1.0, 3.0], Error::OutOfRange),
        ([f64::INFINITY, 3.0], Error::OutOfRange),
    ] {
        assert_eq!(log_normal_bound(&waits, 0.95, 0.95), Err(error));
        assert_eq!(log_uniform_quantile(&waits, 0.95), Err(error));
        assert_eq!(weibull_quantile(&waits, 0.95), Err(error));
    }
    assert_eq!(log_normal_bound(&[1.0, 2.0], 1.0, 0.95), Err(Error::OutOfRange));
    assert_eq!(log_normal_bound(&[1.0, 2.0], 0.5, f64::NAN), Err(Error::NotANumber));
    assert_eq!(log_uniform_quantile(&[1.0, 2.0], -0.5), Err(Error::OutOfRange));
    assert_eq!(weibull_quantile(&[1.0, 2.0], f64::NAN), Err(Error::NotANumber));
}
