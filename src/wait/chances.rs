//! Probabilities of starting in time of jobs that wait already, calibrated by the observed share of starts.
//!
//! Ages are distinguished: a share is corrected to the observed share at similar ages, and where few of these are
//! known, to the observed share at all ages ([`Chances`]).

use crate::math::chances::{Chances, Pace, Shares, between};
use bytemuck::{Pod, Zeroable};

/// Speed of learning.
pub(super) const CHANCES: Pace = Pace { prior: 20.0, questions: 1000.0 };

/// Number of questions invented at each knot of an age, of which the observed share at all ages came true.
const PRIOR_OF_ALL: f64 = 50.0;

/// Starts of the classes of age after the first, in seconds.
const APART: [u64; 3] = [43_200, 129_600, 345_600];

/// Observed starts in time of jobs that wait already, at all ages and by age. All zero: nothing is known.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct AgedChances {
    all: Chances,
    by_age: [Chances; APART.len() + 1],
}

impl AgedChances {
    /// The class of this age, which is in seconds.
    pub(super) fn of(age: u64) -> u32 {
        APART.iter().filter(|from| age >= **from).count() as u32
    }

    /// Learns, as [`Chances::learn`] does, from a job that was in this class of age when the shares were noted.
    pub(super) fn learn(&mut self, ages: u32, shares: &Shares, learnt: u32, wait: u64, starts: bool) -> u32 {
        if let Some(chances) = self.by_age.get_mut(ages as usize) {
            chances.learn(CHANCES, shares, learnt, wait, starts);
        }
        self.all.learn(CHANCES, shares, learnt, wait, starts)
    }

    /// The share corrected, as by [`Chances::corrected`], for a job in this class of age.
    pub(super) fn corrected(&self, ages: u32, horizon: usize, share: f64) -> f64 {
        between(share, |knot| {
            let of_all = self.all.came_to_by_itself(CHANCES, horizon, knot);
            let own = self.by_age.get(ages as usize);
            own.map_or(of_all, |own| own.came_to(horizon, knot, PRIOR_OF_ALL, of_all.share))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::chances::{HORIZONS, probability};

    fn uniform(random: &mut u64) -> f64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*random >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
    }

    #[test]
    fn nothing_known_changes_nothing() {
        let aged = AgedChances::zeroed();
        for within in [0, 1, 600, 601, 5000, 1_382_400, 1 << 40] {
            let share = |seconds: u64| Ok::<f64, ()>(1.0 - (-(seconds as f64) / 40_000.0).exp());
            let found =
                probability(within, share, |horizon, share| aged.corrected(2, horizon, share)).unwrap();
            assert!((found - share(within).unwrap()).abs() < 1e-9, "{within}");
        }
    }

    /// Jobs that have waited for long start less often than the shares predict, young ones as often: both are corrected
    /// to the observed share, and an age never observed to that at all ages.
    #[test]
    fn ages_come_to_their_own() {
        let mut chances = AgedChances::zeroed();
        let mut random = 5;
        for round in 0..60_000 {
            let (ages, truth) = if round % 2 == 0 { (0, 1.0) } else { (3, 0.4) };
            let share = uniform(&mut random);
            let wait = if uniform(&mut random) <= truth * share { 600 } else { u64::MAX };
            chances.learn(ages, &[share as f32; HORIZONS.len()], 0, wait, true);
        }
        for share in [0.1, 0.3, 0.55, 0.8] {
            for horizon in 0..HORIZONS.len() {
                for (ages, truth) in [(0, 1.0), (1, 0.7), (2, 0.7), (3, 0.4)] {
                    let found = chances.corrected(ages, horizon, share);
                    assert!((found - truth * share).abs() < 0.05, "{share} {horizon} {ages}: {found}");
                }
            }
        }
        assert_eq!([0, 43_199, 43_200, 129_600, 345_599, 345_600].map(AgedChances::of), [0, 0, 1, 2, 2, 3]);
    }
}
