//! The numbers of the rule, and which waits are long.

use super::grid::LONGEST;
use crate::error::{Error, Result};
use crate::schedule::RecentWaits;

/// The numbers of a plan's rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanRule {
    /// b: what short jobs are worth, 0 to 16. The cost's logarithm and its square are equally steep at a wait of
    /// sqrt(b/2) days: 1.7 h for .01, 2.9 h for .03.
    pub short: f64,
    /// h: how steeply the price rises for waits beyond L, 0 to 255.
    pub steep: f64,
    /// The quantile of recent waits that L is, above 0, at most 1.
    pub long: f64,
    /// The quantile of recent waits from which the job that has waited longest is in front of all others, above 0, at
    /// most 1; 1 for the longest of them.
    pub front: f64,
    /// Number of changes of the order tried in a pass, at most 4,096.
    pub proposals: u32,
    /// By which share of its whole wait by the limits, the least so far, the head job may wait longer for those that
    /// pass it, from [`LEAST_BUDGET`] to [`NO_BUDGET`], which is no bound.
    pub budget: f64,
    /// The same of the job that is in front of all others, 0 to [`NO_BUDGET`]: 0 if no job may pass it whose limit
    /// could delay it. A little keeps a growing backlog, in which a job is always in front, from being served first
    /// come first served.
    pub slack: f64,
}

/// The budget that bounds nothing.
pub const NO_BUDGET: f64 = 1000.0;

/// The smallest budget. With less the plan keeps processors free for jobs whose turn the promise forbids, and the
/// machine idles.
pub const LEAST_BUDGET: f64 = 0.25;

/// The fewest recent waits that say what a long wait is.
const ENOUGH: u32 = 100;

/// Shortest wait that counts as long, in seconds.
const SHORTEST: u32 = 3600;

impl PlanRule {
    /// Shorter waits than EASY's, with shorter tails.
    pub const FAIR: PlanRule = PlanRule {
        short: 0.01,
        steep: 3.0,
        long: 0.99,
        front: 0.998,
        proposals: 50,
        budget: NO_BUDGET,
        slack: 0.1,
    };

    /// The shortest mean wait, at the price of some long ones.
    pub const FAST: PlanRule = PlanRule {
        short: 0.03,
        steep: 2.0,
        long: 0.998,
        front: 1.0,
        proposals: 50,
        budget: NO_BUDGET,
        slack: 0.01,
    };

    /// Refuses numbers outside their ranges.
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn check(&self) -> Result<()> {
        let &PlanRule { short, steep, long, front, proposals, budget, slack } = self;
        if [short, steep, long, front, budget, slack].into_iter().any(f64::is_nan) {
            return Err(Error::NotANumber);
        }
        let valid = (0.0..=16.0).contains(&short)
            && (0.0..=255.0).contains(&steep)
            && long > 0.0
            && long <= 1.0
            && front > 0.0
            && front <= 1.0
            && proposals <= 4096
            && (LEAST_BUDGET..=NO_BUDGET).contains(&budget)
            && (0.0..=NO_BUDGET).contains(&slack);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    /// Which waits are long now: by the recent waits of started jobs, and by the median wait of those that wait, so
    /// that in a jam not every job counts as having waited long. `median` is the lower one, rounded up on the grid of
    /// instants.
    ///
    /// # Errors
    /// As [`PlanRule::check`].
    pub fn long_waits(&self, recent: &RecentWaits, median: u32) -> Result<LongWaits> {
        self.check()?;
        let jam = median.saturating_mul(3);
        if recent.count() < ENOUGH {
            return Ok(LongWaits { steep: jam.max(SHORTEST), front: u32::MAX });
        }
        let quantile = |quantile| recent.quantile(quantile, 0.0).map(|wait| (wait as u32).min(LONGEST));
        let steep = quantile(self.long)?.max(jam).max(SHORTEST);
        let front = quantile(self.front)?.max(jam.min(quantile(1.0)?)).max(SHORTEST);
        Ok(LongWaits { steep, front })
    }
}

impl Default for PlanRule {
    /// [`PlanRule::FAIR`].
    fn default() -> PlanRule {
        PlanRule::FAIR
    }
}

/// The age at which the end of a running job of this age was last asked for: one of 0 s, 6 s, 12 s, ..., each a tenth
/// and six seconds beyond the one before, from `asked` on, which is one of them. O(log age).
pub fn last_asked(age: i64, asked: i64) -> i64 {
    let next = |asked: i64| asked + asked / 10 + 6;
    let mut asked = asked.max(0);
    while age >= next(asked) {
        asked = next(asked);
    }
    asked
}

/// Which waits are long, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongWaits {
    /// L: beyond it the price of waiting rises steeply.
    pub steep: u32,
    /// From it on the job that has waited longest is in front of all others; `u32::MAX` for never.
    pub front: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn long_waits_follow_the_past_and_the_queue() {
        let mut memory = vec![0_u64; RecentWaits::size(1000).unwrap().div_ceil(8)];
        let mut recent = RecentWaits::init(bytemuck::cast_slice_mut(&mut memory), 1000).unwrap();
        let rule = PlanRule { long: 0.5, front: 0.9, ..PlanRule::FAIR };
        let of = |recent: &RecentWaits, median| rule.long_waits(recent, median).unwrap();
        assert_eq!(of(&recent, 0), LongWaits { steep: 3600, front: u32::MAX });
        assert_eq!(of(&recent, 5000), LongWaits { steep: 15_000, front: u32::MAX });
        for wait in 1..=200 {
            recent.add(wait * 100).unwrap();
        }
        assert_eq!(of(&recent, 0), LongWaits { steep: 10_000, front: 18_000 });
        assert_eq!(of(&recent, 6300), LongWaits { steep: 18_900, front: 18_900 });
        // No job has waited longer than 20,000 s.
        assert_eq!(of(&recent, 50_000), LongWaits { steep: 150_000, front: 20_000 });
    }

    #[test]
    fn refuses_numbers_out_of_range() {
        let base = PlanRule::default();
        for (rule, why) in [
            (PlanRule { short: f64::NAN, ..base }, Error::NotANumber),
            (PlanRule { short: -0.1, ..base }, Error::OutOfRange),
            (PlanRule { steep: 256.0, ..base }, Error::OutOfRange),
            (PlanRule { long: 0.0, ..base }, Error::OutOfRange),
            (PlanRule { front: 1.1, ..base }, Error::OutOfRange),
            (PlanRule { proposals: 5000, ..base }, Error::OutOfRange),
            (PlanRule { budget: 0.2, ..base }, Error::OutOfRange),
        ] {
            assert_eq!(rule.check(), Err(why));
        }
        PlanRule::FAST.check().unwrap();
    }
}
