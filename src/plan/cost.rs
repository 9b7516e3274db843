//! The price of waiting, in integers: the same on every processor.

use super::LONGEST;

/// ln(1 + i/32) in 2^-24.
const LOGARITHMS: [u32; 33] = [
    0, 516263, 1017112, 1503443, 1976071, 2435750, 2883169, 3318965, 3743728, 4158001, 4562291, 4957067,
    5342767, 5719799, 6088544, 6449358, 6802576, 7148510, 7487455, 7819688, 8145469, 8465045, 8778647,
    9086495, 9388795, 9685745, 9977530, 10264327, 10546303, 10823619, 11096425, 11364866, 11629080,
];

/// ln 2 in 2^-24.
const LN_2: u64 = 11_629_080;

/// The natural logarithm in 2^-24 of a number of at least 1 (0 counts as 1), by chords over 32nds of an octave: at most
/// 1.3e-4 below. It never falls.
#[inline]
pub(super) fn ln(number: u32) -> u64 {
    let number = number.max(1);
    let zeros = number.leading_zeros();
    let mantissa = number << zeros;
    let chord = ((mantissa >> 26) & 31) as usize;
    let along = u64::from(mantissa & ((1 << 26) - 1));
    let below = u64::from(LOGARITHMS.get(chord).copied().unwrap_or(0));
    let above = u64::from(LOGARITHMS.get(chord + 1).copied().unwrap_or(0));
    u64::from(31 - zeros) * LN_2 + below + ((above.saturating_sub(below) * along) >> 26)
}

/// Cost of a job's wait w: b ln(max(w, 10 s)) + (w/day)^2 (1 + h (w/L)^4).
///
/// The logarithm makes short waits of short jobs matter, the square lets no job wait for ever, and beyond L, a wait
/// that few jobs have, the price rises by the sixth power.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    /// b in 2^-16.
    short: u64,
    /// h in 2^-8.
    steep: u64,
    /// 2^40 / L.
    scale: u64,
}

impl Costs {
    /// `long` is L in seconds, at least 2.
    pub(super) fn new(short: f64, steep: f64, long: u32) -> Costs {
        let scale = (1_u64 << 40).checked_div(u64::from(long.max(2))).unwrap_or(1 << 39);
        Costs { short: (short * 65_536.0) as u64, steep: (steep * 256.0) as u64, scale }
    }

    /// The cost of a wait in seconds, in 2^-24, within 1.5 %; waits beyond [`LONGEST`] count as that.
    #[inline]
    pub(super) fn of(&self, wait: u32) -> u64 {
        let wait = wait.min(LONGEST);
        let logarithm = (self.short * ln(wait.max(10))) >> 16;
        let wait = u64::from(wait);
        // 2^24 / 86,400^2 is 150,825 / 2^26.
        let square = (((wait * wait) >> 8) * 150_825) >> 18;
        let ratio = ((wait * self.scale) >> 32).min(4096);
        let squared = (ratio * ratio) >> 8;
        let steep = 256 + ((self.steep * ((squared * squared) >> 8)) >> 8);
        logarithm.saturating_add(square.saturating_mul(steep) >> 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_near_and_never_falls() {
        let mut last = 0;
        for number in (1..5000).chain((5000..LONGEST).step_by(331)) {
            let here = ln(number);
            let exact = libm::log(f64::from(number));
            let error = exact - here as f64 / f64::from(1 << 24);
            assert!((-1e-6..1.3e-4).contains(&error), "{number}: {error}");
            assert!(here >= last);
            last = here;
        }
        assert_eq!(ln(0), 0);
    }

    #[test]
    fn costs_are_the_formula() {
        for (short, steep, long) in [(0.01, 3.0, 3600), (0.03, 2.0, 90_000), (0.0, 0.0, 1 << 22)] {
            let costs = Costs::new(short, steep, long);
            for wait in (0..2000).step_by(7).chain((2000..4_000_000).step_by(4999)) {
                let w = f64::from(wait);
                let ratio = (w / f64::from(long)).min(16.0);
                let day = w / 86_400.0;
                let exact = short * w.max(10.0).ln() + day * day * (1.0 + steep * ratio.powi(4));
                let here = costs.of(wait) as f64 / f64::from(1 << 24);
                assert!((here - exact).abs() <= 0.015 * exact + 1e-5, "{wait}: {here} {exact}");
            }
        }
    }

    #[test]
    fn costs_never_fall_and_never_overflow() {
        let costs = Costs::new(16.0, 255.0, 1);
        let waits = (0..LONGEST).step_by(1237);
        assert!(waits.clone().zip(waits.skip(1)).all(|(a, b)| costs.of(a) <= costs.of(b)));
        assert_eq!(costs.of(u32::MAX), costs.of(LONGEST));
    }
}
