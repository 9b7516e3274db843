//! Comparison of the head jobs' observed delays by backfills with the policy's predictions.
//!
//! Accepted backfills are sorted by predicted delay and cut into bins of about equal count (equal predictions are never
//! separated); each bin compares the mean prediction with the observed one, in the same unit: probability, or seconds.
//! Relative delays are judged in seconds, as the ratio to a wait of a few seconds has no meaning.

use crate::base::statistics::mean;
use crate::replay::backfill::Backfill;
use crate::replay::policy::Criterion;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Largest number of bins.
const BINS: u64 = 10;

/// One bin of accepted backfills.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// The mean predicted delay: a probability or seconds.
    pub predicted: f64,
    /// The observed delay, in the same unit: the share that delayed the head, or the mean delay in seconds.
    pub observed: f64,
    /// Number of backfills in the bin.
    pub count: u64,
}

/// The delay that a backfill caused, in the unit of its prediction.
fn observed(backfill: &Backfill, criterion: Criterion) -> f64 {
    match criterion {
        Criterion::Probability => f64::from(u8::from(backfill.observed_delay > 0)),
        Criterion::Seconds | Criterion::Relative => backfill.observed_delay as f64,
    }
}

/// The predicted delay, in the unit in which it is judged.
fn predicted(backfill: &Backfill, criterion: Criterion) -> f64 {
    match criterion {
        Criterion::Relative => backfill.predicted_s,
        Criterion::Probability | Criterion::Seconds => backfill.predicted,
    }
}

/// All accepted backfills together, and the sums of delays of each overtaken head job: a threshold holds for one
/// candidate, but many are accepted ahead of one head job.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Delays {
    /// Number of backfills accepted in all replays.
    pub backfills: u64,
    /// Their mean predicted delay: a probability or seconds.
    pub predicted: f64,
    /// Their mean observed delay, in the same unit.
    pub observed: f64,
    /// Number of head jobs that were overtaken, in all replays.
    pub heads: u64,
    /// The mean over these of the predicted delays added up.
    pub predicted_per_head: f64,
    /// The share of these that any backfill delayed.
    pub delayed_heads: f64,
    /// The mean over these of the delays added up, in seconds.
    pub mean_head_delay_s: f64,
}

/// The accepted backfills of one replay, as far as [`bins`] and [`Delays`] use them: a replay of the largest machines
/// has hundreds of thousands, most of which are predicted to delay no job.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Backfills {
    /// Every prediction once, in increasing order, with its number of backfills and the sum of their observed delays, a
    /// whole number.
    predictions: Vec<(f64, u64, f64)>,
    /// The sum of the predicted delays.
    predicted: f64,
    /// Number of head jobs that were overtaken.
    heads: u64,
    /// Number of those that were delayed.
    delayed_heads: u64,
    /// The sum of their delays, in seconds.
    head_delay_s: i64,
}

impl Backfills {
    /// The backfills of one replay, judged by this criterion.
    pub fn of<'a>(backfills: impl IntoIterator<Item = &'a Backfill>, criterion: Criterion) -> Backfills {
        let mut all = Backfills::default();
        let mut heads: HashMap<i64, i64> = HashMap::new();
        // Positive and negative zero are two keys, so that the order is that of the numbers.
        let mut predictions: BTreeMap<Ordered, (u64, f64)> = BTreeMap::new();
        for backfill in backfills {
            let known = predictions.entry(Ordered(predicted(backfill, criterion))).or_default();
            known.0 += 1;
            known.1 += observed(backfill, criterion);
            all.predicted += predicted(backfill, criterion);
            *heads.entry(backfill.head).or_default() += backfill.observed_delay;
        }
        all.predictions = predictions.into_iter().map(|(Ordered(value), (n, sum))| (value, n, sum)).collect();
        all.heads = heads.len() as u64;
        all.delayed_heads = heads.values().filter(|&&delay| delay > 0).count() as u64;
        all.head_delay_s = heads.values().sum();
        all
    }
}

/// A number in the order of all numbers.
#[derive(Debug, Clone, Copy)]
struct Ordered(f64);

impl PartialEq for Ordered {
    fn eq(&self, other: &Ordered) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Delays {
    /// The delays by several replays' backfills.
    pub fn of<'a>(replays: impl IntoIterator<Item = &'a Backfills>) -> Delays {
        let mut all = Delays::default();
        for replay in replays {
            all.backfills += replay.predictions.iter().map(|(_, count, _)| count).sum::<u64>();
            all.predicted += replay.predicted;
            all.observed += replay.predictions.iter().map(|(_, _, observed)| observed).sum::<f64>();
            // The same number in another replay is another head job.
            all.heads += replay.heads;
            all.delayed_heads += replay.delayed_heads as f64;
            all.mean_head_delay_s += replay.head_delay_s as f64;
        }
        let (backfills, heads) = (all.backfills.max(1) as f64, all.heads.max(1) as f64);
        Delays {
            predicted: all.predicted / backfills,
            // The empty sum of floats is -0: + 0 makes it 0.
            observed: (all.observed + 0.0) / backfills,
            predicted_per_head: all.predicted / heads,
            delayed_heads: all.delayed_heads / heads,
            mean_head_delay_s: all.mean_head_delay_s / heads,
            ..all
        }
    }
}

/// The bins of several replays' backfills, in increasing order of prediction.
pub fn bins<'a>(replays: impl IntoIterator<Item = &'a Backfills>) -> Vec<Bin> {
    let mut all: Vec<(f64, u64, f64)> =
        replays.into_iter().flat_map(|replay| replay.predictions.iter().copied()).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = all.iter().map(|(_, count, _)| count).sum::<u64>().div_ceil(BINS).max(1);
    let mut bins = Vec::new();
    let mut rest = &all[..];
    while !rest.is_empty() {
        let mut before = 0;
        let full = rest.iter().position(|(_, count, _)| {
            before += count;
            before >= size
        });
        let last = rest[full.unwrap_or(rest.len() - 1)].0;
        let (bin, others) = rest.split_at(rest.partition_point(|equal| equal.0 <= last));
        rest = others;
        let count: u64 = bin.iter().map(|(_, count, _)| count).sum();
        let single = bin.iter().flat_map(|&(value, count, _)| (0..count).map(move |_| value));
        bins.push(Bin {
            predicted: mean(single).unwrap_or(0.0),
            observed: bin.iter().map(|(_, _, sum)| sum).sum::<f64>() / count.max(1) as f64,
            count,
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
        let bins = |all: &[Backfill], criterion| bins([&Backfills::of(all, criterion)]);
        let same: Vec<Backfill> = same.collect();
        let probability = bins(&same, Criterion::Probability);
        assert_eq!(probability, [Bin { predicted: 0.0, observed: 0.2, count: 25 }]);
        assert_eq!(bins(&same, Criterion::Seconds)[0].observed, 8.0);
        assert_eq!(bins(&same, Criterion::Relative)[0].observed, 8.0);
        let relative = bins(&[backfill(0.5, 30), backfill(0.25, 40)], Criterion::Relative);
        assert_eq!(relative.iter().map(|bin| bin.predicted).collect::<Vec<_>>(), [50.0, 100.0]);
        assert_eq!(relative.iter().map(|bin| bin.observed).collect::<Vec<_>>(), [40.0, 30.0]);
        assert!(bins(&[], Criterion::Seconds).is_empty());
    }

    #[test]
    fn head_jobs_bear_what_all_backfills_cause() {
        let on = |head: i64, predicted: f64, delay: i64| Backfill { head, ..backfill(predicted, delay) };
        let first = vec![on(1, 0.02, 0), on(1, 0.04, 30), on(2, 0.0, 0)];
        // The same number in another replay is another head job.
        let second = vec![on(1, 0.02, 10)];
        let delays = [first, second].map(|replay| Backfills::of(&replay, Criterion::Probability));
        let delays = Delays::of(&delays);
        assert_eq!((delays.backfills, delays.heads), (4, 3));
        assert!((delays.predicted - 0.02).abs() < 1e-15 && delays.observed == 0.5);
        assert!((delays.predicted_per_head - 0.08 / 3.0).abs() < 1e-15);
        assert!((delays.delayed_heads - 2.0 / 3.0).abs() < 1e-15);
        assert!((delays.mean_head_delay_s - 40.0 / 3.0).abs() < 1e-12);
        assert_eq!(Delays::of([]), Delays::default());
        assert_eq!(Delays::of([&Backfills::default()]), Delays::default());
    }

    #[test]
    fn every_backfill_is_in_one_bin() {
        let all: Vec<Backfill> = (0..101).map(|i| backfill(f64::from(i) / 100.0, 1)).collect();
        let (one, other) = all.split_at(40);
        let [one, other] = [one, other].map(|part| Backfills::of(part, Criterion::Probability));
        let bins = bins([&one, &other]);
        assert_eq!(bins.len(), 10);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 101);
        assert!(bins.is_sorted_by(|a, b| a.predicted < b.predicted));
    }
}
