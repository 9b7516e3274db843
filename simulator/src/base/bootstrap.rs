//! Confidence intervals by the block bootstrap (Carlstein 1986): what is measured comes in blocks, such as the weeks of
//! a history, whose insides depend on each other; blocks are drawn with replacement, as many as there are.
//!
//! Where a block has been measured several times, as by replays with several seeds, the replays are drawn with
//! replacement too. The interval is between percentiles of the draws, wider ones where blocks are few (the expanded
//! percentiles of Hesterberg 2015, equation 5: those of Student's t in the place of the normal distribution's). Blocks
//! that follow each other count as independent.

use super::random::Random;
use super::statistics::{quantile, student_t};
use serde::Serialize;

/// Number of times that blocks are drawn.
pub const DRAWS: usize = 2000;

/// The length of a block of a history, in seconds.
pub const WEEK_S: i64 = 7 * 86_400;

/// Fewest blocks that have an interval.
pub const FEWEST: usize = 4;

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// A number and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// The number.
    pub value: f64,
    /// None of fewer than [`FEWEST`] blocks.
    pub ci95: Option<Interval>,
}

/// One draw: indices of blocks and of replays, as many as there are of either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draw {
    /// The blocks.
    pub blocks: Vec<usize>,
    /// The replays.
    pub replays: Vec<usize>,
}

/// [`DRAWS`] draws from a number of blocks and replays, the same with every call; none from fewer than [`FEWEST`]
/// blocks.
pub fn draws(blocks: usize, replays: usize) -> impl Iterator<Item = Draw> {
    let mut random = Random::new(1);
    let count = if blocks < FEWEST { 0 } else { DRAWS };
    (0..count).map(move |_| {
        let mut some = |of: usize| (0..of).map(|_| random.index(of)).collect();
        Draw { blocks: some(blocks), replays: some(replays) }
    })
}

/// Sums over the jobs of one block in one replay.
pub trait Sums: Default {
    /// Adds the others, each times a factor.
    fn add(&mut self, other: &Self, times: f64);
}

/// The sums of every block in every replay, those of all blocks, and those of every draw.
pub struct Blocks<S> {
    sums: Vec<Vec<S>>,
    /// The sums of all blocks, means over the replays.
    pub whole: S,
    drawn: Vec<S>,
}

impl<S: Sums> Blocks<S> {
    /// The sums of these blocks, each of which has as many replays.
    pub fn new(sums: Vec<Vec<S>>, replays: usize) -> Blocks<S> {
        let mut found = Blocks { sums, whole: S::default(), drawn: Vec::new() };
        let every: (Vec<usize>, Vec<usize>) = ((0..found.sums.len()).collect(), (0..replays).collect());
        found.whole = found.total(&every.0, &every.1);
        let drawn = draws(found.sums.len(), replays);
        found.drawn = drawn.map(|draw| found.total(&draw.blocks, &draw.replays)).collect();
        found
    }

    /// The sums of some blocks, each the mean over some replays.
    fn total(&self, blocks: &[usize], replays: &[usize]) -> S {
        let mut total = S::default();
        for block in blocks.iter().filter_map(|&block| self.sums.get(block)) {
            for sums in replays.iter().filter_map(|&replay| block.get(replay)) {
                total.add(sums, 1.0 / replays.len() as f64);
            }
        }
        total
    }

    /// The number of blocks.
    pub fn count(&self) -> usize {
        self.sums.len()
    }

    /// A number of all blocks with its interval; `None` where there is no such number.
    pub fn figure(&self, of: impl Fn(&S) -> Option<f64>) -> Option<Figure> {
        let value = of(&self.whole)?;
        Some(Figure { value, ci95: interval(self.sums.len(), self.drawn.iter().map(of)) })
    }
}

/// The 95 % interval of a value that every draw from a number of blocks has. Draws without a value are left out;
/// `None` where these are more than a twentieth, or all blocks too few.
pub fn interval(blocks: usize, values: impl IntoIterator<Item = Option<f64>>) -> Option<Interval> {
    let mut missing = 0;
    let values = values.into_iter().inspect(|value| missing += usize::from(value.is_none()));
    let mut values: Vec<f64> = values.flatten().filter(|value| value.is_finite()).collect();
    if blocks < FEWEST || values.is_empty() || missing * 20 > values.len() {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let freedom = (blocks - 1) as f64;
    let reach = student_t(blocks - 1) * libm::sqrt(blocks as f64 / freedom);
    let tail = libm::erfc(reach / core::f64::consts::SQRT_2) / 2.0;
    Some(Interval { low: quantile(&values, tail)?, high: quantile(&values, 1.0 - tail)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::statistics::mean;

    fn of(values: &[f64]) -> Option<Interval> {
        let means = draws(values.len(), 1).map(|draw| mean(draw.blocks.iter().map(|&block| values[block])));
        interval(values.len(), means)
    }

    /// All 6^6 draws of six blocks, beside those that were drawn.
    #[test]
    fn the_interval_is_that_of_all_draws() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let mut all: Vec<f64> = (0..6usize.pow(6))
            .map(|draw| (0..6).map(|place| values[draw / 6usize.pow(place) % 6]).sum::<f64>() / 6.0)
            .collect();
        all.sort_by(f64::total_cmp);
        // Student's t of 5 degrees at .975 is 2.571, times sqrt(6 / 5) 2.816; beyond it are .00243 of a normal
        // distribution.
        let share = |value: f64| all.partition_point(|&other| other <= value) as f64 / all.len() as f64;
        let found = of(&values).unwrap();
        // To four standard errors of 2,000 draws.
        let error = 4.0 * (0.00243f64 * 0.99757 / 2000.0).sqrt();
        assert!((share(found.low) - 0.00243).abs() < error, "{found:?} {}", share(found.low));
        assert!((share(found.high) - 0.99757).abs() < error, "{found:?} {}", share(found.high));
    }

    /// The mean of a skewed distribution, from thirteen blocks as a quarter has.
    #[test]
    fn intervals_hold_as_often_as_they_say() {
        let mut random = Random::new(7);
        let mut held = 0;
        for _ in 0..300 {
            let values: Vec<f64> = (0..13).map(|_| random.gamma(4.0, 1.0)).collect();
            let found = of(&values).unwrap();
            held += u32::from(found.low <= 4.0 && 4.0 <= found.high);
        }
        // 285 of 300 are expected, and bootstraps of few skewed values hold a little less often; 4 standard deviations
        // are 15.
        assert!((267..=298).contains(&held), "{held}");
    }

    #[test]
    fn few_blocks_have_no_interval() {
        assert_eq!(of(&[1.0, 2.0, 3.0]), None);
        assert_eq!(of(&[3.0; 5]), Some(Interval { low: 3.0, high: 3.0 }));
        assert_eq!(interval(9, [Some(1.0), None]), None);
        assert_eq!(draws(5, 3).next(), draws(5, 3).next());
        assert!(draws(5, 3).all(|draw| (draw.blocks.len(), draw.replays.len()) == (5, 3)));
    }
}
