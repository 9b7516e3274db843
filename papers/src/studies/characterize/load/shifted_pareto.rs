//! The shifted Pareto distribution, discretised: Pr(load >= n) = (1 + n/k)^-a.
//!
//! With c = a/k and h = 1/a this is exp(-ln(1 + c h n) / h), which goes over smoothly into the exponential e^-cn as h
//! vanishes, while a and k grow without end. So the likelihood is maximised over ln c and ln h, and compared with that
//! of the limit, the geometric distribution with 1 - p = e^-c.

use super::{Limit, Model, neighbours};
use crate::studies::characterize::histogram::Histogram;
use crate::studies::characterize::optimise::in_plane;

pub fn ln_probability(n: u32, c: f64, h: f64) -> f64 {
    let n = f64::from(n);
    let (before, step) = if h == 0.0 {
        (c * n, c)
    } else {
        ((c * h * n).ln_1p() / h, (c * h / (1.0 + c * h * n)).ln_1p() / h)
    };
    -before + (-(-step).exp_m1()).ln()
}

/// The fewest nats a sample by which finite parameters must fit better to be taken.
const GAIN: f64 = 1e-10;

pub fn fit(loads: &Histogram) -> Option<Model> {
    if loads.range()?.1 == 0 {
        return neighbours(loads);
    }
    let cost = |c: f64, h: f64| loads.mean_of(|n| -ln_probability(n, c, h)).unwrap_or(0.0);
    // The rate of the geometric distribution with the sample's mean.
    let rate = (1.0 / loads.mean()?).ln_1p();
    let starts = [(1.0, 0.05), (1.3, 0.4), (3.0, 1.0), (20.0, 3.0)];
    let starts = starts.map(|(times, h): (f64, f64)| [(rate * times).ln(), h.ln()]);
    let [c, h] = in_plane(|ln_c, ln_h| cost(ln_c.exp(), ln_h.exp()), &starts, 0.4)?.map(f64::exp);
    if cost(rate, 0.0) - cost(c, h) > GAIN {
        return Some(Model::ShiftedPareto { a: 1.0 / h, k: 1.0 / (c * h) });
    }
    Some(Model::Limit(Limit::Exponential { rate }))
}
