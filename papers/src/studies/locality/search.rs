//! The search for the granularity with the most locality: the slot length t_s, and the ratio t_r or the number of means
//! N (Nissimov 2006, section 2.2, where "the local maximum was reached by hand").
//!
//! The metric is neither continuous nor convex: in t_r it has spikes a thousandth wide, where an edge passes a run time
//! that many jobs have. So a coarse logarithmic grid is laid over everything sensible, and dense lines are followed
//! from its best local maxima, by turns along t_r (or N) and t_s, each through the best point so far. The exact
//! expectation is used: noise of shuffles would attract the search. The result is the best of all points looked at, not
//! a proven maximum.

use super::binning::{Binned, Binning, Granularity};
use super::metric::Counts;
use super::sample::Sample;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Relative distance from the best within which a point counts as one of its plateau.
pub const NEAR: f64 = 0.01;

/// The shortest slot of the coarse grid, in seconds, and the factor between slots.
pub(super) const SHORTEST_SLOT: i64 = 60;
const SLOT_STEP: f64 = std::f64::consts::SQRT_2;
/// The coarse grid's logarithms of ratios: from ratio 1.001 by a factor up to about 10.
const FINEST_LOG_RATIO: f64 = 0.001;
const COARSEST_LOG_RATIO: f64 = 2.3;
const LOG_RATIO_STEP: f64 = 1.25;
/// The same where t_s is not searched: one dimension can be looked at more closely.
const LINE_LOG_RATIO_STEP: f64 = 1.02;
/// The coarse grid's numbers of means: 2, 3, 4, 5, 6, 7, 8, 10... up to 1448.
const MEANS_STEP: f64 = 1.189_207_115_002_721;
const MOST_MEANS: f64 = 1450.0;
/// Local maxima of the coarse grid that are followed.
const FOLLOWED: usize = 4;

/// One of the two dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Slot,
    Granularity,
}

/// The lines that are looked at from a local maximum, one after the other, each through the best point so far: along
/// which dimension, by which factor from point to point (of the logarithm of a ratio), and how many points to either
/// side.
const LINES: [(Axis, f64, i32); 6] = [
    (Axis::Granularity, 1.01, 60),
    (Axis::Slot, 1.02, 30),
    (Axis::Granularity, 1.005, 100),
    (Axis::Slot, 1.01, 40),
    (Axis::Granularity, 1.0005, 12),
    (Axis::Slot, 1.001, 12),
];

/// The metric at one granularity.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Point {
    /// t_s, in seconds; null where submit times are not binned.
    pub slot_s: Option<i64>,
    /// t_r or N.
    #[serde(flatten)]
    pub granularity: Granularity,
    /// The thesis's N: bins up to the longest run time.
    pub bins: usize,
    /// Run-time bins that have a job.
    pub used_bins: usize,
    /// Groups that have a job.
    pub groups: usize,
    /// The metric f, with the exact expectation, in bits.
    pub locality: f64,
}

/// Dimensions that may be varied. A value given is kept.
#[derive(Debug, Clone, Copy)]
pub struct Space {
    /// t_s, in seconds.
    pub slot: Option<i64>,
    /// Method of binning run times.
    pub binning: Binning,
    /// t_r or N.
    pub granularity: Option<Granularity>,
}

/// Best point and grid of a search.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Surface {
    /// The best point; the coarsest of equals.
    pub best: Point,
    /// Slots of the coarse grid, in seconds; one element (0) where submit times are not binned.
    pub slots_s: Vec<i64>,
    /// Ratios or numbers of means of the coarse grid.
    pub granularities: Vec<f64>,
    /// Everything looked at, by slot, then granularity.
    pub points: Vec<Point>,
}

impl Surface {
    /// The smallest and largest slot (in seconds) and granularity among the points within `part` of the best.
    pub fn plateau(&self, part: f64) -> Plateau {
        let near = self.points.iter().filter(|point| point.locality >= self.best.locality * (1.0 - part));
        let start =
            Plateau { slot_s: self.best.slot_s.map(|slot| (slot, slot)), granularity: (f64::MAX, 0.0) };
        near.fold(start, |plateau, point| {
            let value = point.granularity.value();
            let wider = |(low, high): (i64, i64), slot: i64| (low.min(slot), high.max(slot));
            Plateau {
                slot_s: plateau.slot_s.zip(point.slot_s).map(|(range, slot)| wider(range, slot)),
                granularity: (plateau.granularity.0.min(value), plateau.granularity.1.max(value)),
            }
        })
    }
}

/// Between which granularities the metric is near its best: how well determined the best one is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Plateau {
    /// t_s, in seconds.
    pub slot_s: Option<(i64, i64)>,
    /// t_r or N.
    pub granularity: (f64, f64),
}

/// A granularity that can be ordered: ratios in ten-thousandths, so that what is printed is what was measured.
type Key = (i64, u64);

/// Measures a point. O(jobs log jobs).
pub fn point(sample: &Sample, slot: i64, granularity: Granularity) -> Point {
    let binned = sample.run_times.bin(granularity);
    measured(sample, slot, granularity, &binned, &sample.groups(slot))
}

fn measured(sample: &Sample, slot: i64, granularity: Granularity, binned: &Binned, groups: &[u32]) -> Point {
    let counts = Counts { logs: &sample.logs, groups, run_time_bins: &binned.bins, bins: binned.used };
    Point {
        slot_s: sample.attribute.has_slots().then_some(slot),
        granularity,
        bins: binned.range,
        used_bins: binned.used,
        groups: groups.len(),
        locality: counts.locality(),
    }
}

struct Search<'a> {
    sample: &'a Sample,
    space: Space,
    progress: &'a (dyn Fn(u64) + Sync),
    points: BTreeMap<Key, Point>,
}

/// Number of points that [`search`] reports to `progress`: those it looks at more than once, each time.
pub fn steps(sample: &Sample, space: &Space) -> u64 {
    let (slots, granularities) =
        (slots(sample, space).len() as u64, granularities(sample, space).len() as u64);
    let lines = LINES.iter().filter(|line| free(sample, space, line.0));
    let followed: u64 = FOLLOWED as u64 * lines.map(|line| 2 * line.2 as u64 + 1).sum::<u64>();
    slots * granularities + followed
}

/// Whether a dimension is searched.
fn free(sample: &Sample, space: &Space, axis: Axis) -> bool {
    match axis {
        Axis::Slot => sample.attribute.has_slots() && space.slot.is_none(),
        Axis::Granularity => space.granularity.is_none(),
    }
}

/// Searches; `progress` gets the number of points done, in portions that add up to [`steps`]. The sample must have a
/// job.
pub fn search(sample: &Sample, space: &Space, progress: &(dyn Fn(u64) + Sync)) -> Surface {
    let (slots, granularities) = (slots(sample, space), granularities(sample, space));
    let total = steps(sample, space);
    let mut search = Search { sample, space: *space, progress, points: BTreeMap::new() };
    let mut done = search.look(&slots, &granularities);
    for start in search.maxima(&slots, &granularities) {
        done += search.refine(start);
    }
    progress(total.saturating_sub(done));
    let points: Vec<Point> = search.points.into_values().collect();
    // The coarsest of equals: later slots are longer, but later means are finer.
    let coarser = |a: &Point, b: &Point| {
        (a.locality.total_cmp(&b.locality)).then(b.used_bins.cmp(&a.used_bins)).then(b.groups.cmp(&a.groups))
    };
    let best = points.iter().copied().max_by(coarser);
    let values = granularities.iter().map(|granularity| granularity.value()).collect();
    // The grid has a point, so there is a best one.
    let best = best.unwrap_or_else(|| point(sample, SHORTEST_SLOT, Granularity::Means(1)));
    Surface { best, slots_s: slots, granularities: values, points }
}

fn slots(sample: &Sample, space: &Space) -> Vec<i64> {
    if !sample.attribute.has_slots() {
        return vec![0];
    }
    if let Some(slot) = space.slot {
        return vec![slot];
    }
    let longer = logarithmic(SHORTEST_SLOT as f64, SLOT_STEP, sample.span() as f64);
    distinct(longer.map(|slot| slot.round() as i64))
}

/// `from`, and what follows it by a factor up to `to`.
fn logarithmic(from: f64, factor: f64, to: f64) -> impl Iterator<Item = f64> {
    let powers = (0..).map(move |i| from * factor.powi(i));
    powers.enumerate().take_while(move |&(i, value)| i == 0 || value <= to).map(|(_, value)| value)
}

fn granularities(sample: &Sample, space: &Space) -> Vec<Granularity> {
    if let Some(granularity) = space.granularity {
        return vec![granularity];
    }
    match space.binning {
        Binning::Simple => {
            let step = if free(sample, space, Axis::Slot) { LOG_RATIO_STEP } else { LINE_LOG_RATIO_STEP };
            distinct(logarithmic(FINEST_LOG_RATIO, step, COARSEST_LOG_RATIO).map(ratio))
        }
        Binning::Kmeans => distinct(logarithmic(2.0, MEANS_STEP, MOST_MEANS).map(means)),
    }
}

fn ratio(log: f64) -> Granularity {
    let ratio = (log.exp() * 1e4).round() / 1e4;
    Granularity::Ratio(ratio.clamp(1.001, 100.0))
}

fn means(means: f64) -> Granularity {
    Granularity::Means(means.round().clamp(1.0, 10_000.0) as u32)
}

fn key(slot: i64, granularity: Granularity) -> Key {
    (slot, (granularity.value() * 1e4).round() as u64)
}

impl Search<'_> {
    /// Measures the points of a grid that are not known yet; returns how many points the grid has.
    fn look(&mut self, slots: &[i64], granularities: &[Granularity]) -> u64 {
        let sample = self.sample;
        let binned: Vec<(Granularity, Binned)> =
            granularities.par_iter().map(|&g| (g, sample.run_times.bin(g))).collect();
        let groups: Vec<(i64, Vec<u32>)> =
            slots.par_iter().map(|&slot| (slot, sample.groups(slot))).collect();
        let mut wanted = Vec::new();
        for slot in &groups {
            for bins in &binned {
                if !self.points.contains_key(&key(slot.0, bins.0)) {
                    wanted.push((slot, bins));
                }
            }
        }
        let grid = (groups.len() * binned.len()) as u64;
        (self.progress)(grid - wanted.len() as u64);
        let found: Vec<(Key, Point)> = wanted
            .into_par_iter()
            .map(|((slot, groups), (granularity, binned))| {
                let point = measured(sample, *slot, *granularity, binned, groups);
                (self.progress)(1);
                (key(*slot, *granularity), point)
            })
            .collect();
        self.points.extend(found);
        grid
    }

    /// The best local maxima of the coarse grid, best first. A grid of one point needs no following.
    fn maxima(&self, slots: &[i64], granularities: &[Granularity]) -> Vec<Point> {
        if slots.len() * granularities.len() < 2 {
            return Vec::new();
        }
        let at = |i: usize, j: usize| {
            let known = slots.get(i).zip(granularities.get(j)).map(|(&slot, &g)| key(slot, g));
            known.and_then(|key| self.points.get(&key))
        };
        let around = |i: usize| i.saturating_sub(1)..=i + 1;
        let highest = |i: usize, j: usize, point: &Point| {
            let mut neighbours = around(i).flat_map(|i| around(j).filter_map(move |j| at(i, j)));
            neighbours.all(|neighbour| neighbour.locality <= point.locality)
        };
        let all = (0..slots.len()).flat_map(|i| (0..granularities.len()).map(move |j| (i, j)));
        let peaks = all.filter_map(|(i, j)| at(i, j).filter(|point| highest(i, j, point)));
        let mut peaks: Vec<Point> = peaks.copied().collect();
        peaks.sort_by(|a, b| b.locality.total_cmp(&a.locality));
        peaks.truncate(FOLLOWED);
        peaks
    }

    /// Follows [`LINES`] from `start`; returns how many points they have.
    fn refine(&mut self, start: Point) -> u64 {
        let mut best = start;
        let mut done = 0;
        for (axis, step, reach) in LINES {
            if !free(self.sample, &self.space, axis) {
                continue;
            }
            let factors = (-reach..=reach).map(|i| step.powi(i));
            let mut slots = vec![best.slot_s.unwrap_or(0)];
            let mut granularities = vec![best.granularity];
            match (axis, best.granularity) {
                (Axis::Slot, _) => {
                    let slot = slots[0] as f64;
                    slots = distinct(factors.map(|factor| ((slot * factor).round() as i64).max(1)));
                }
                (Axis::Granularity, Granularity::Ratio(r)) => {
                    granularities = distinct(factors.map(|factor| ratio(r.ln() * factor)));
                }
                (Axis::Granularity, Granularity::Means(n)) => {
                    granularities = distinct(factors.map(|factor| means(f64::from(n) * factor)));
                }
            }
            done += self.look(&slots, &granularities);
            let line = slots.iter().flat_map(|&slot| granularities.iter().map(move |&g| key(slot, g)));
            for point in line.filter_map(|key| self.points.get(&key)) {
                if point.locality > best.locality {
                    best = *point;
                }
            }
        }
        done
    }
}

/// Without repeated neighbours.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.dedup();
    values
}
