//! The transform of a sum of many narrow jobs from their cumulants, all frequencies at once.
//!
//! With `p` the probability that a job of width `w` has ended, `log(1 - p + p exp(i u w))` is the sum over m of
//! `k_m(p) (i u w)^m / m!`, `k_m` the cumulants of a Bernoulli variable: `k_1 = p`, `k_{m+1} = p (1 - p) k_m'`. Sums
//! over all jobs serve every frequency, where products take each job anew for each of them. With `v = p (1 - p)`,
//! `|k_m| / m!` is at most `8 v / (m pi^m)` from m = 8 on, so that few terms are enough where `u w` is far below pi.

use crate::memory::chunks;

/// The last cumulant.
const ORDER: usize = 17;

/// Largest `u w`.
pub(super) const LARGEST: f64 = 0.7;

/// Bound on the relative error of a transform.
const ERROR: f64 = 1e-10;

/// Jobs side by side.
const LANES: usize = 2;

/// Coefficients of `k_m(p) / m!` in powers of `v`, without the factor `v`, and for odd m without `1 - 2 p`. None for
/// the first.
const COEFFICIENTS: [[f64; ORDER / 2]; ORDER + 1] = coefficients();

const fn coefficients() -> [[f64; ORDER / 2]; ORDER + 1] {
    let mut all = [[0.0; ORDER / 2]; ORDER + 1];
    // k_2 = v.
    let mut here = [0_i64; ORDER / 2 + 1];
    here[0] = 1;
    let (mut order, mut factorial) = (2, 2_i64);
    while order <= ORDER {
        // With v' = 1 - 2 p, an even cumulant v P is followed by v (1 - 2 p) (v P)', and an odd one, v (1 - 2 p) Q,
        // by v ((1 - 4 v) (v Q)' - 2 v Q), because (1 - 2 p)^2 = 1 - 4 v.
        let (mut next, mut power) = ([0_i64; ORDER / 2 + 1], 0);
        while power < ORDER / 2 {
            all[order][power] = here[power] as f64 / factorial as f64;
            let times = power as i64 + 1;
            next[power] += times * here[power];
            if order % 2 == 1 {
                next[power + 1] -= (4 * times + 2) * here[power];
            }
            power += 1;
        }
        here = next;
        order += 1;
        factorial *= order as i64;
    }
    all
}

/// Sums over jobs of `k_m(p) / m! (u w)^m`, by m, for one frequency `u`.
pub(super) struct Cumulants([f64; ORDER + 1]);

impl Cumulants {
    /// Those of jobs of these widths, ended with these probabilities, for a frequency in radians at which all `u w`
    /// are at most [`LARGEST`]; none where the terms left out may matter. O(jobs).
    pub(super) fn new(widths: &[f64], ended: &[f64], frequency: f64) -> Option<Cumulants> {
        let (mut sums, mut rest) = ([[0.0; LANES]; ORDER + 1], [0.0; LANES]);
        let ((widths, last_widths), (ended, last_ended)) = (chunks::<LANES>(widths), chunks::<LANES>(ended));
        for (widths, &ended) in widths.iter().zip(ended) {
            add(&mut sums, &mut rest, widths.map(|width| width * frequency), ended);
        }
        for (&width, &ended) in last_widths.iter().zip(last_ended) {
            add(&mut sums, &mut rest, [width * frequency, 0.0], [ended, 0.0]);
        }
        // The next term, and those behind it, each at most .7 / pi of the one before.
        let order = ORDER as f64 + 1.0;
        let next = rest.iter().sum::<f64>() * 8.0 / (order * libm::pow(core::f64::consts::PI, order));
        let left_out = next / (1.0 - LARGEST / core::f64::consts::PI);
        (left_out <= ERROR).then(|| Cumulants(sums.map(|lanes| lanes.iter().sum())))
    }

    /// The transform, real and imaginary part, at this share of the frequency, from 0 to 1.
    pub(super) fn transform(&self, share: f64) -> (f64, f64) {
        let (mut logarithm, mut angle) = (0.0, 0.0);
        let (mut power, mut sign) = (share, 1.0);
        let (pairs, last) = chunks::<2>(self.0.get(1..).unwrap_or(&[]));
        for pair in pairs {
            // i^m goes round: i, -1, -i, 1.
            let [odd, even] = pair;
            angle += sign * odd * power;
            logarithm -= sign * even * power * share;
            (power, sign) = (power * share * share, -sign);
        }
        angle += last.iter().sum::<f64>() * sign * power;
        let (size, (sine, cosine)) = (libm::exp(logarithm), libm::sincos(angle));
        (size * cosine, size * sine)
    }
}

/// Numbers of some jobs.
type Some = [f64; LANES];

/// Adds the terms of some jobs, with `x` their `u w`; and to `rest` the first one that is left out, but for its
/// bound.
#[inline]
fn add(sums: &mut [Some; ORDER + 1], rest: &mut Some, x: Some, p: Some) {
    let v = p.map(|p| p * (1.0 - p));
    let skew = p.map(|p| 1.0 - 2.0 * p);
    let mut power = each(v, each(x, x, |x, y| x * y), |v, square| v * square);
    sums[1] = each(sums[1], each(p, x, |p, x| p * x), |sum, term| sum + term);
    macro_rules! terms {
        ($($even:literal $odd:literal)*) => { $(
            sums[$even] = each(sums[$even], each(shape::<$even>(v), power, |shape, power| shape * power), |a, b| a + b);
            power = each(power, x, |power, x| power * x);
            let odd = each(shape::<$odd>(v), skew, |shape, skew| shape * skew);
            sums[$odd] = each(sums[$odd], each(odd, power, |odd, power| odd * power), |a, b| a + b);
            power = each(power, x, |power, x| power * x);
        )* };
    }
    terms!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17);
    *rest = each(*rest, power, |sum, term| sum + term);
}

/// One function of each job's numbers: the loops become vector instructions.
#[inline(always)]
fn each(a: Some, b: Some, f: impl Fn(f64, f64) -> f64) -> Some {
    [f(a[0], b[0]), f(a[1], b[1])]
}

/// `k_M / (M! v)`, and for odd M without `1 - 2 p`.
#[inline(always)]
fn shape<const M: usize>(v: Some) -> Some {
    let (mut value, mut power) = ([0.0; LANES], M / 2);
    while power > 0 {
        power -= 1;
        let coefficient = const { COEFFICIENTS[M] }[power];
        value = each(value, v, |value, v| value * v + coefficient);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backfill::fourier::tests::draws;
    use std::vec::Vec;

    #[test]
    fn transforms_are_the_products() {
        let mut random = draws(3);
        let mut kept = 0;
        for round in 0..200 {
            let (count, widest) = (1 + random(400), [2, 30, 400][round % 3]);
            let jobs: Vec<(f64, f64)> = (0..count)
                .map(|_| {
                    let p = random(1001) as f64 / 1000.0;
                    (1.0 + random(widest) as f64, [p, p.powi(8), 1.0 - p.powi(5), 0.5][round / 3 % 4])
                })
                .collect();
            let (widths, ended): (Vec<f64>, Vec<f64>) = jobs.iter().copied().unzip();
            let frequency = LARGEST * (1.0 + round as f64 / 200.0) / 2.0 / widest as f64;
            let Some(cumulants) = Cumulants::new(&widths, &ended, frequency) else { continue };
            kept += 1;
            for share in [0.0, 0.01, 0.3, 0.77, 1.0] {
                let (mut re, mut im) = (1.0, 0.0);
                for &(width, p) in &jobs {
                    let (sine, cosine) = (share * frequency * width).sin_cos();
                    let (a, b) = (1.0 - p + p * cosine, p * sine);
                    (re, im) = (re * a - im * b, re * b + im * a);
                }
                let ours = cumulants.transform(share);
                let size = f64::hypot(re, im);
                let wrong = f64::hypot(ours.0 - re, ours.1 - im);
                assert!(wrong <= ERROR * size + 1e-12, "round {round}, {share}: {ours:?} {re} {im}");
            }
        }
        assert!(kept > 150, "{kept}");
    }

    /// The bound on cumulants, at the first one that is left out and at those that decide for which orders it holds.
    #[test]
    fn cumulants_are_bounded() {
        for p in (0..=1000).map(|p| f64::from(p) / 2000.0) {
            let (v, pi) = (p * (1.0 - p), std::f64::consts::PI);
            let skew = 1.0 - 2.0 * p;
            let at = |v| [shape::<8>(v), shape::<9>(v), shape::<16>(v), shape::<17>(v)];
            for (order, value) in [8, 9, 16, 17].into_iter().zip(at([v; LANES])) {
                let value = if order % 2 == 0 { value[0] } else { value[0] * skew };
                let most = 8.0 / f64::from(order) / pi.powi(order);
                // All zeros of 1 - p + p exp(z) but the nearest two add a little.
                assert!(value.abs() <= most * 1.0002, "{order}: {value} {most} at {p}");
            }
        }
    }
}
