//! The Pareto distribution, discretised: Pr(load >= n) = (n/k)^-a for n >= k.
//!
//! Let m be the smallest load. Of all k, only those from m (from 0, if m = 0) to m + 1 can be the most likely: a
//! smaller one makes loads below m possible. Then p(m) = 1 - ((m+1)/k)^-a, and the larger loads have (n/k)^-a -
//! ((n+1)/k)^-a. For a given a the best k makes Pr(load > m) what it is in the sample, if it lies in that range. So one
//! dimension remains.

use super::{Model, neighbours};
use crate::studies::characterize::histogram::Histogram;
use crate::studies::characterize::optimise::on_interval;

pub fn ln_probability(n: u32, a: f64, k: f64) -> f64 {
    let n = f64::from(n);
    if k >= n + 1.0 {
        return f64::NEG_INFINITY;
    }
    if n <= k {
        return (-(-a * ((n + 1.0) / k).ln()).exp_m1()).ln();
    }
    -a * (n / k).ln() + (-(-a * (1.0 / n).ln_1p()).exp_m1()).ln()
}

pub fn fit(loads: &Histogram) -> Option<Model> {
    let limit = neighbours(loads);
    if limit.is_some() {
        return limit;
    }
    let smallest = loads.range()?.0;
    let next = f64::from(smallest) + 1.0;
    let above = 1.0 - loads.share(smallest)?;
    let k = |a: f64| (next * (above.ln() / a).exp()).max(f64::from(smallest));
    let cost = |ln_a: f64| {
        let a = ln_a.exp();
        loads.mean_of(|n| -ln_probability(n, a, k(a))).unwrap_or(0.0)
    };
    // 1/a is about the mean of ln(n/k): from loads of 2^32, where k still differs from 0, to loads that nearly
    // agree.
    let a = on_interval(cost, -3.5, 14.0).exp();
    Some(Model::Pareto { a, k: k(a) })
}
