//! The question that section 2.2 of Nissimov 2006 leaves: with two bins, run times up to a threshold and above it, how
//! long are the best slots?
//!
//! The thesis expects shorter slots than for the whole distribution, as few jobs are enough to learn one probability,
//! and calls the metric "obviously less" than the best of all granularities. The best slot is searched for among
//! sixteen to a doubling, by the exact expectation.

use super::metric::Counts;
use super::sample::Sample;
use super::search::{NEAR, SHORTEST_SLOT};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Slots to a doubling.
const TO_TWICE: i32 = 16;

/// Information of submit times on whether jobs run for longer than a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TwoBins {
    /// The threshold, in seconds.
    pub threshold_s: i64,
    /// The share of jobs that run for longer.
    pub longer: f64,
    /// H(R), in bits: the most there is to learn.
    pub entropy: f64,
    /// The best t_s, in seconds.
    pub slot_s: i64,
    /// The shortest and the longest t_s with a metric within 1 % of the best.
    pub plateau_s: (i64, i64),
    /// The metric f there, in bits.
    pub locality: f64,
    /// The metric with the slots that are best for bins of constant ratio, where these were searched for.
    pub at_full: Option<f64>,
}

/// The best slots for these thresholds; `full` is the slot that is best for bins of constant ratio. The sample must be
/// one by submit time alone, with a job. O(jobs) for each slot and threshold.
pub fn two_bins(
    sample: &Sample,
    thresholds: &[i64],
    full: Option<i64>,
    progress: &(dyn Fn(u64) + Sync),
) -> Vec<TwoBins> {
    let binned: Vec<Vec<u32>> =
        thresholds.iter().map(|&threshold| sample.run_times.split(threshold)).collect();
    let measured = |slot: i64| -> Vec<f64> {
        let groups = sample.groups(slot);
        let of = |bins: &Vec<u32>| {
            Counts { logs: &sample.logs, groups: &groups, run_time_bins: bins, bins: 2 }.locality()
        };
        let found = binned.iter().map(of).collect();
        progress(1);
        found
    };
    let slots = slots(sample);
    let found: Vec<Vec<f64>> = slots.par_iter().map(|&slot| measured(slot)).collect();
    let at_full = full.map(measured);
    let one = |(index, &threshold_s): (usize, &i64)| {
        let all: Vec<(i64, f64)> = slots.iter().zip(&found).map(|(&slot, of)| (slot, of[index])).collect();
        // The longest of equals: nothing is learnt from slots that are finer than they need be.
        let (slot_s, locality) = all.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let near = || all.iter().filter(|(_, f)| *f >= locality * (1.0 - NEAR)).map(|(slot, _)| *slot);
        let counts = Counts { logs: &sample.logs, groups: &[], run_time_bins: &binned[index], bins: 2 };
        let longer = binned[index].iter().filter(|&&bin| bin == 1).count();
        Some(TwoBins {
            threshold_s,
            longer: longer as f64 / binned[index].len().max(1) as f64,
            entropy: counts.run_time_entropy(),
            slot_s,
            plateau_s: (near().min().unwrap_or(slot_s), near().max().unwrap_or(slot_s)),
            locality,
            at_full: at_full.as_ref().map(|of| of[index]),
        })
    };
    thresholds.iter().enumerate().filter_map(one).collect()
}

/// Number of slots that [`two_bins`] reports to `progress`, but for one more where there is a `full`.
pub fn steps(sample: &Sample) -> u64 {
    slots(sample).len() as u64
}

/// From the shortest slot to the whole span.
fn slots(sample: &Sample) -> Vec<i64> {
    let slot = |power: i32| {
        (SHORTEST_SLOT as f64 * 2f64.powf(f64::from(power) / f64::from(TO_TWICE))).round() as i64
    };
    let longest = sample.span().max(SHORTEST_SLOT);
    (0..).map(slot).take_while(|&slot| slot <= longest).collect()
}
