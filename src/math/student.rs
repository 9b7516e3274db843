//! Student's t, the noncentral t, and the one-sided tolerance factor of the normal distribution.
//!
//! Student's t by the incomplete beta function. The noncentral t with v degrees of freedom and noncentrality d is (Z +
//! d) / s with s = chi_v / sqrt(v); its distribution function is the integral of Phi(t s - d) over the density of s, by
//! Gauss-Legendre panels of 16 points over the range where that density exceeds 1e-14 of its peak, with more panels
//! where Phi steps. Absolute error below 1e-13 for whole v from 1 to 10^7; between whole numbers the density has a root
//! at s = 0 that costs digits. Its quantile by regula falsi, to within 1e-14 in probability: some eight integrals, 0.1
//! ms.

use super::beta::incomplete_beta;
use super::gamma::stirling_error;
use super::normal;

/// Pr(T <= t) for `v` > 0 degrees of freedom.
pub fn cdf(t: f64, v: f64) -> f64 {
    let square = t * t;
    let tail = 0.5 * incomplete_beta(0.5 * v, 0.5, v / (v + square), square / (v + square)).0;
    if t < 0.0 { tail } else { 1.0 - tail }
}

/// Abscissas and weights of the 16-point Gauss-Legendre rule, positive half.
const LEGENDRE: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_58),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_894),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// The integral of `f` from `from` to `to` by `panels` panels.
fn integrate(f: &impl Fn(f64) -> f64, from: f64, to: f64, panels: u32) -> f64 {
    let half = 0.5 * (to - from) / f64::from(panels);
    let mut sum = 0.0;
    for panel in 0..panels {
        let middle = from + half * f64::from(2 * panel + 1);
        for (x, weight) in LEGENDRE {
            sum += weight * (f(middle - half * x) + f(middle + half * x));
        }
    }
    sum * half
}

/// Pr(T <= t) for the noncentral t: `v` >= 1 degrees of freedom (a whole number), noncentrality `d`.
pub fn noncentral_cdf(t: f64, v: f64, d: f64) -> f64 {
    if !(v >= 1.0 && t.is_finite() && d.is_finite()) {
        return f64::NAN;
    }
    // The density of s = 1 + e: 2 sqrt(a / 2 pi) exp(-delta(a)) / s * exp(-2a ((s^2 - 1) / 2 - ln s)), with a = v / 2.
    let a = 0.5 * v;
    let factor = 2.0 * libm::sqrt(a / (2.0 * core::f64::consts::PI)) * libm::exp(-stirling_error(a));
    let density = |e: f64| {
        let s = 1.0 + e;
        if s <= 0.0 {
            return 0.0;
        }
        factor / s * libm::exp(-2.0 * a * (e + 0.5 * e * e - libm::log1p(e)))
    };
    let f = |e: f64| normal::cdf(t * (1.0 + e) - d) * density(e);
    // ln of the density falls at least as fast as -(v - 1) e^2 / 2 upwards (twice that near 1); downwards it ends at
    // s = 0.
    let reach = 7.0 / libm::sqrt(v.max(2.0) - 1.0);
    let (low, high) = ((-reach).max(-1.0), reach);
    // The step of Phi: at s = d / t, as wide as 1 / t.
    if t != 0.0 {
        let (step, width) = (d / t - 1.0, 9.0 / t.abs());
        // No clamp: it panics.
        let inside = |e: f64| e.max(low).min(high);
        let (from, to) = (inside(step - width), inside(step + width));
        integrate(&f, low, from, 4) + integrate(&f, from, to, 8) + integrate(&f, to, high, 4)
    } else {
        integrate(&f, low, high, 8)
    }
}

/// The t with Pr(T <= t) = p for the noncentral t: `v` >= 1 degrees of freedom, noncentrality `d`, p in (0, 1).
pub fn noncentral_quantile(p: f64, v: f64, d: f64) -> f64 {
    if !(v >= 1.0 && d.is_finite() && p > 0.0 && p < 1.0) {
        return f64::NAN;
    }
    // First guess: (Z + d) / s with both normal.
    let z = normal::quantile(p);
    let guess = d + z * libm::sqrt(1.0 + d * d / (2.0 * v));
    let excess = |t: f64| noncentral_cdf(t, v, d) - p;
    let mut width = 0.03 * (1.0 + guess.abs());
    let (mut low, mut high) = (guess - width, guess + width);
    let (mut at_low, mut at_high) = (excess(low), excess(high));
    for _ in 0..200 {
        if at_low <= 0.0 && at_high >= 0.0 {
            break;
        }
        width *= 2.0;
        if at_low > 0.0 {
            (high, at_high) = (low, at_low);
            low -= width;
            at_low = excess(low);
        } else {
            (low, at_low) = (high, at_high);
            high += width;
            at_high = excess(high);
        }
    }
    // Regula falsi, Illinois variant: the end that stays put twice counts half.
    let mut side = 0;
    for _ in 0..200 {
        let secant = (low * at_high - high * at_low) / (at_high - at_low);
        let t = if secant > low && secant < high { secant } else { 0.5 * (low + high) };
        let here = excess(t);
        if here == 0.0 || high - low <= 1e-14 * (1.0 + t.abs()) {
            return t;
        }
        if here > 0.0 {
            (high, at_high) = (t, here);
            if side == 1 {
                at_low *= 0.5;
            }
            side = 1;
        } else {
            (low, at_low) = (t, here);
            if side == -1 {
                at_high *= 0.5;
            }
            side = -1;
        }
        if here.abs() <= f64::min(1e-14, 1e-3 * p.min(1.0 - p)) {
            return t;
        }
    }
    0.5 * (low + high)
}

/// The factor f for which mean + f times the standard deviation of `n` >= 2 normal observations lies above the normal's
/// quantile `q` with probability `confidence`.
pub fn tolerance_factor(n: f64, q: f64, confidence: f64) -> f64 {
    let root = libm::sqrt(n);
    noncentral_quantile(confidence, n - 1.0, normal::quantile(q) * root) / root
}
