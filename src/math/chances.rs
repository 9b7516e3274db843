//! Probabilities of starting in time, calibrated by the observed share of jobs with such probabilities that did so
//! (beyond QBETS; histogram binning: Zadrozny & Elkan 2001, with linear interpolation between the bins).
//!
//! When a bound is answered for a job, the shares of waits within each of [`HORIZONS`] are noted with it. Once the job
//! starts it is known which of them came true. For each horizon and each tenth of the share, weights of questions and
//! of starts are kept; older ones fade. A share is corrected to the observed share of starts; where few are known, it
//! stays nearly as it is.

use bytemuck::{Pod, Zeroable};
use heapless::Vec;

/// The horizons, in seconds.
pub(crate) const HORIZONS: [u64; 6] = [600, 3600, 21_600, 86_400, 345_600, 1_382_400];

/// Shares of waits within each of [`HORIZONS`], from 0 to 1.
pub(crate) type Shares = [f32; HORIZONS.len()];

/// Number of knots: shares from 0 to 1 in tenths.
const KNOTS: usize = 11;

/// Speed at which [`Chances`] learn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Number of questions invented at each knot, of which the knot's share came true.
    pub prior: f64,
    /// Number of questions that count at a knot in the end: the weights of older ones fade with each new one.
    pub questions: f64,
}

/// Weights of questions and of starts in time, by horizon and knot. All zero: nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Chances {
    asked: [[f64; KNOTS]; HORIZONS.len()],
    started: [[f64; KNOTS]; HORIZONS.len()],
}

/// The knot at or below a share, and the part of the way to the next.
fn place(share: f64) -> (usize, f64) {
    let scaled = share.clamp(0.0, 1.0) * (KNOTS - 1) as f64;
    let knot = (scaled as usize).min(KNOTS - 2);
    (knot, scaled - knot as f64)
}

impl Chances {
    /// Learns from a job with these shares that has waited `wait` seconds, and starts now or goes on waiting. The first
    /// `learnt` horizons are left out: they were passed in an earlier call. Returns the number of horizons passed
    /// now.
    pub(crate) fn learn(&mut self, pace: Pace, shares: &Shares, learnt: u32, wait: u64, starts: bool) -> u32 {
        let passed = HORIZONS.iter().filter(|horizon| **horizon < wait).count();
        let until = if starts { HORIZONS.len() } else { passed };
        if until <= learnt as usize {
            return learnt.max(passed as u32);
        }
        let tables = self.asked.iter_mut().zip(&mut self.started).zip(shares).zip(HORIZONS);
        for (((asked, started), share), horizon) in tables.take(until).skip(learnt as usize) {
            let (knot, part) = place(f64::from(*share));
            let came = f64::from(u8::from(wait <= horizon));
            for (knot, weight) in [(knot, 1.0 - part), (knot + 1, part)] {
                let (Some(asked), Some(started)) = (asked.get_mut(knot), started.get_mut(knot)) else {
                    continue;
                };
                let kept = 1.0 - weight / pace.questions;
                *asked = *asked * kept + weight;
                *started = *started * kept + weight * came;
            }
        }
        learnt.max(passed as u32)
    }

    /// Observed share of starts at a knot, with `invented` further questions of which the share `expected` came true.
    pub(crate) fn came_to(&self, horizon: usize, knot: usize, invented: f64, expected: f64) -> Known {
        let of = |weights: &[[f64; KNOTS]]| weights.get(horizon).and_then(|knots| knots.get(knot)).copied();
        let (asked, started) = (of(&self.asked).unwrap_or(0.0), of(&self.started).unwrap_or(0.0));
        let weight = asked + invented;
        Known { share: (started + invented * expected) / weight, weight, knots: 1 }
    }

    /// Observed share of starts at a knot, where the questions that the pace invents came true at the knot's own share.
    pub(crate) fn came_to_by_itself(&self, pace: Pace, horizon: usize, knot: usize) -> Known {
        self.came_to(horizon, knot, pace.prior, knot as f64 / (KNOTS - 1) as f64)
    }

    /// Calibrated share of starts within one of the horizons. Rises with the share.
    pub(crate) fn corrected(&self, pace: Pace, horizon: usize, share: f64) -> f64 {
        between(share, |knot| self.came_to_by_itself(pace, horizon, knot))
    }
}

/// Observed share of starts at a knot, or at several neighbouring ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub share: f64,
    /// Questions, invented ones included.
    pub weight: f64,
    pub knots: usize,
}

/// The observed share of starts, interpolated between the knots. It rises with the share: knots below one before them
/// are pooled with it (isotonic regression by pooling adjacent violators: Ayer et al. 1955).
pub(crate) fn between(share: f64, came_to: impl Fn(usize) -> Known) -> f64 {
    let mut rising: Vec<Known, KNOTS> = Vec::new();
    for knot in 0..KNOTS {
        let mut own = came_to(knot);
        while let Some(&before) = rising.last().filter(|before| before.share > own.share) {
            rising.pop();
            let weight = before.weight + own.weight;
            let share = (before.share * before.weight + own.share * own.weight) / weight;
            own = Known { share, weight, knots: before.knots + own.knots };
        }
        // Never full: at most one a knot.
        let _ = rising.push(own);
    }
    let (knot, part) = place(share);
    let at = |wanted: usize| {
        let mut first = 0;
        let found = rising.iter().find(|known| {
            first += known.knots;
            wanted < first
        });
        found.map_or(share, |known| known.share)
    };
    let (low, high) = (at(knot), at(knot + 1));
    (low + part * (high - low)).clamp(0.0, 1.0)
}

/// The probability of a wait of at most `within` seconds, where `share(seconds)` of the waits were no longer and
/// `corrected(horizon, share)` is the calibrated share within a horizon. Rises with the time: between two horizons with
/// the share, and where that does not change, with the logarithm of the time; behind the last one with the share.
///
/// # Errors
/// Those of `share`.
pub(crate) fn probability<E>(
    within: u64,
    mut share: impl FnMut(u64) -> Result<f64, E>,
    corrected: impl Fn(usize, f64) -> f64,
) -> Result<f64, E> {
    let asked = share(within)?;
    // Share and calibrated share at the horizon before; the first one is 0 s, before which nothing starts.
    let (mut before, mut calibrated, mut since) = (0.0, 0.0, 0);
    let log = |seconds: u64| libm::log(seconds as f64 + 60.0);
    for (index, horizon) in HORIZONS.into_iter().enumerate() {
        let here = share(horizon)?;
        let corrected = corrected(index, here).max(calibrated);
        if within <= horizon {
            let part = match here > before {
                true => (asked - before) / (here - before),
                false => (log(within) - log(since)) / (log(horizon) - log(since)),
            };
            return Ok(calibrated + part.clamp(0.0, 1.0) * (corrected - calibrated));
        }
        (before, calibrated, since) = (here, corrected, horizon);
    }
    let part = if before < 1.0 { (asked - before) / (1.0 - before) } else { 0.0 };
    Ok(calibrated + part.clamp(0.0, 1.0) * (1.0 - calibrated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const PACE: Pace = Pace { prior: 20.0, questions: 1000.0 };

    fn uniform(random: &mut u64) -> f64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*random >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
    }

    /// Shares that are always too high, in another way at each horizon, come to what happens.
    #[test]
    fn probabilities_come_to_what_happens() {
        let mut chances = Chances::zeroed();
        let mut random = 11;
        let truth = |share: f64| share * share;
        for _ in 0..60_000 {
            let share = uniform(&mut random);
            // By the sixth horizon the square of the share has started; by the others the same of smaller shares.
            let shares: Shares = core::array::from_fn(|n| (share * (n + 1) as f64 / 6.0) as f32);
            let lot = uniform(&mut random);
            let started = HORIZONS.iter().zip(shares).find(|(_, share)| lot <= truth(f64::from(*share)));
            let wait = started.map_or(u64::MAX, |(horizon, _)| *horizon);
            // Half of the jobs are learnt from once while they wait.
            let learnt =
                if lot < 0.5 { chances.learn(PACE, &shares, 0, wait.min(100_000), false) } else { 0 };
            chances.learn(PACE, &shares, learnt, wait, true);
        }
        for share in [0.05, 0.15, 0.35, 0.5, 0.85, 0.95] {
            let all = |within: u64| {
                let n = HORIZONS.iter().filter(|horizon| **horizon <= within).count();
                Ok::<f64, ()>(share * n as f64 / 6.0)
            };
            let corrected = |horizon: usize, share| chances.corrected(PACE, horizon, share);
            let found: Vec<f64> = HORIZONS.iter().map(|h| probability(*h, all, corrected).unwrap()).collect();
            for (n, found) in found.iter().enumerate() {
                let wanted = truth(share * (n + 1) as f64 / 6.0);
                assert!((found - wanted).abs() < 0.04, "{share} at {n}: {found} for {wanted}");
            }
            assert!(found.is_sorted());
        }
    }

    #[test]
    fn nothing_known_changes_nothing_and_all_stays_between_0_and_1() {
        let chances = Chances::zeroed();
        for within in [0, 1, 600, 601, 5000, 1_382_400, 1 << 40] {
            let share = |seconds: u64| Ok::<f64, ()>(1.0 - (-(seconds as f64) / 40_000.0).exp());
            let found =
                probability(within, share, |horizon, share| chances.corrected(PACE, horizon, share)).unwrap();
            assert!((found - share(within).unwrap()).abs() < 1e-9, "{within}");
        }
        let mut wrong = Chances::zeroed();
        for _ in 0..10_000 {
            wrong.learn(PACE, &[1.0; HORIZONS.len()], 0, u64::MAX, true);
        }
        let found = probability(
            86_400,
            |_| Ok::<f64, ()>(1.0),
            |horizon, share| wrong.corrected(PACE, horizon, share),
        )
        .unwrap();
        assert!((0.0..0.1).contains(&found), "{found}");
        // Nothing starts within 0 s.
        let none =
            probability(0, |_| Ok::<f64, ()>(0.0), |horizon, share| wrong.corrected(PACE, horizon, share));
        assert_eq!(none, Ok(0.0));
    }
}
