//! Do backfills delay head jobs as often, or as much, as the policy predicted?
//!
//! Accepted backfills are sorted by predicted delay and cut into bins of about equal count (equal predictions are never
//! separated); each bin compares the mean prediction with what was observed, in the same unit: probability, or seconds.
//! Relative delays are judged in seconds, for a ratio to a wait that turns out to be a few seconds says nothing.

use crate::replay::outcome::Backfill;
use crate::replay::policy::Criterion;
use serde::Serialize;
use std::collections::HashMap;

/// At most as many bins.
const BINS: usize = 10;

/// One bin of accepted backfills.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// The mean predicted delay: a probability or seconds.
    pub predicted: f64,
    /// What was observed, in the same unit: the share that delayed the head, or the mean delay in seconds.
    pub observed: f64,
    /// Backfills in the bin.
    pub count: u64,
}

/// What came of a backfill, in the unit of its prediction.
fn observed(backfill: &Backfill, criterion: Criterion) -> f64 {
    match criterion {
        Criterion::Probability => f64::from(u8::from(backfill.observed_delay > 0)),
        Criterion::Seconds | Criterion::Relative => backfill.observed_delay as f64,
    }
}

/// What was predicted, in the unit in which it is judged.
fn predicted(backfill: &Backfill, criterion: Criterion) -> f64 {
    match criterion {
        Criterion::Relative => backfill.predicted_s,
        Criterion::Probability | Criterion::Seconds => backfill.predicted,
    }
}

/// All accepted backfills together, and what each head job had to bear of those that overtook it: a threshold holds for
/// one candidate, but many are accepted ahead of one head job.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Delays {
    /// Backfills accepted in all replays.
    pub backfills: u64,
    /// Their mean predicted delay: a probability or seconds.
    pub predicted: f64,
    /// What was observed on average, in the same unit.
    pub observed: f64,
    /// Head jobs that were overtaken, in all replays.
    pub heads: u64,
    /// The mean over these of the predicted delays added up.
    pub predicted_per_head: f64,
    /// The share of these that any backfill delayed.
    pub delayed_heads: f64,
    /// The mean over these of the delays added up, in seconds.
    pub mean_head_delay_s: f64,
}

impl Delays {
    /// Of several replays' backfills.
    pub fn of(replays: &[Vec<Backfill>], criterion: Criterion) -> Delays {
        let mut all = Delays::default();
        for replay in replays {
            let mut heads: HashMap<i64, i64> = HashMap::new();
            for backfill in replay {
                all.backfills += 1;
                all.predicted += predicted(backfill, criterion);
                all.observed += observed(backfill, criterion);
                *heads.entry(backfill.head).or_default() += backfill.observed_delay;
            }
            all.heads += heads.len() as u64;
            all.delayed_heads += heads.values().filter(|&&delay| delay > 0).count() as f64;
            all.mean_head_delay_s += heads.values().sum::<i64>() as f64;
        }
        let (backfills, heads) = (all.backfills.max(1) as f64, all.heads.max(1) as f64);
        Delays {
            predicted: all.predicted / backfills,
            observed: all.observed / backfills,
            predicted_per_head: all.predicted / heads,
            delayed_heads: all.delayed_heads / heads,
            mean_head_delay_s: all.mean_head_delay_s / heads,
            ..all
        }
    }
}

/// The bins, in increasing order of prediction.
pub fn bins(backfills: impl IntoIterator<Item = Backfill>, criterion: Criterion) -> Vec<Bin> {
    let pair = |backfill: Backfill| (predicted(&backfill, criterion), observed(&backfill, criterion));
    let mut pairs: Vec<(f64, f64)> = backfills.into_iter().map(pair).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = pairs.len().div_ceil(BINS).max(1);
    let mut bins = Vec::new();
    let mut rest = &pairs[..];
    while let Some(last) = rest.get(size.min(rest.len()).wrapping_sub(1)) {
        let end = rest.partition_point(|pair| pair.0 <= last.0);
        let (bin, others) = rest.split_at(end);
        rest = others;
        let count = bin.len() as f64;
        bins.push(Bin {
            predicted: bin.iter().map(|pair| pair.0).sum::<f64>() / count,
            observed: bin.iter().map(|pair| pair.1).sum::<f64>() / count,
            count: bin.len() as u64,
        });
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backfill(predicted: f64, observed_delay: i64) -> Backfill {
        Backfill { head: 1, predicted, observed_delay, predicted_s: 200.0 * predicted, head_wait: 200 }
    }

    #[test]
    fn equal_predictions_share_a_bin() {
        let same = (0..25).map(|i| backfill(0.0, i64::from(i < 5) * 40));
        let probability = bins(same.clone(), Criterion::Probability);
        assert_eq!(probability, [Bin { predicted: 0.0, observed: 0.2, count: 25 }]);
        assert_eq!(bins(same.clone(), Criterion::Seconds)[0].observed, 8.0);
        assert_eq!(bins(same, Criterion::Relative)[0].observed, 8.0);
        let relative = bins([backfill(0.5, 30), backfill(0.25, 40)], Criterion::Relative);
        assert_eq!(relative.iter().map(|bin| bin.predicted).collect::<Vec<_>>(), [50.0, 100.0]);
        assert_eq!(relative.iter().map(|bin| bin.observed).collect::<Vec<_>>(), [40.0, 30.0]);
        assert!(bins([], Criterion::Seconds).is_empty());
    }

    #[test]
    fn head_jobs_bear_what_all_backfills_cause() {
        let on = |head: i64, predicted: f64, delay: i64| Backfill { head, ..backfill(predicted, delay) };
        let first = vec![on(1, 0.02, 0), on(1, 0.04, 30), on(2, 0.0, 0)];
        // The same number in another replay is another head job.
        let second = vec![on(1, 0.02, 10)];
        let delays = Delays::of(&[first, second], Criterion::Probability);
        assert_eq!((delays.backfills, delays.heads), (4, 3));
        assert!((delays.predicted - 0.02).abs() < 1e-15 && delays.observed == 0.5);
        assert!((delays.predicted_per_head - 0.08 / 3.0).abs() < 1e-15);
        assert!((delays.delayed_heads - 2.0 / 3.0).abs() < 1e-15);
        assert!((delays.mean_head_delay_s - 40.0 / 3.0).abs() < 1e-12);
        assert_eq!(Delays::of(&[], Criterion::Seconds), Delays::default());
    }

    #[test]
    fn every_backfill_is_in_one_bin() {
        let bins = bins((0..101).map(|i| backfill(f64::from(i) / 100.0, 1)), Criterion::Probability);
        assert_eq!(bins.len(), 10);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 101);
        assert!(bins.is_sorted_by(|a, b| a.predicted < b.predicted));
    }
}
