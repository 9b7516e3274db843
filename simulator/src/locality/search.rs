//! The search for the granularity with the most locality: the slot length t_s, and the ratio t_r or the number of means N
//! (Nissimov 2006, section 2.2, where "the local maximum was reached by hand").
//!
//! The metric is neither continuous nor convex, so a coarse logarithmic grid is laid over everything sensible, and around
//! its three best local maxima ever finer ones, each about the best point so far. The exact expectation is used: noise of
//! shuffles would attract the search. The result is the best of all points looked at, not a proven maximum.

use super::binning::{Binned, Binning, Granularity};
use super::metric::Counts;
use super::sample::Sample;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The shortest slot of the coarse grid, in seconds; further ones are 2, 4, 8... times as long.
const SHORTEST_SLOT: i64 = 60;
/// The coarse grid's logarithms of ratios: from ratio 1.005 by this factor up to about 9.
const FINEST_LOG_RATIO: f64 = 0.005;
const LOG_RATIO_STEP: f64 = 1.5;
const LOG_RATIOS: i32 = 16;
/// The coarse grid's numbers of means: 2, 3, 4, 6, 8, 11... up to 724.
const MEANS_STEP: f64 = std::f64::consts::SQRT_2;
const MEANS: i32 = 18;
/// Local maxima of the coarse grid that are followed, and how often the grid about each is made finer by half.
const FOLLOWED: usize = 3;
const ROUNDS: i32 = 6;
/// A refined grid goes so many steps to every side.
const REACH: i32 = 2;

/// The metric at one granularity.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
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

/// What may be varied. A value given is kept.
#[derive(Debug, Clone, Copy)]
pub struct Space {
    /// t_s, in seconds.
    pub slot: Option<i64>,
    /// How run times are binned.
    pub binning: Binning,
    /// t_r or N.
    pub granularity: Option<Granularity>,
}

/// What a search found.
#[derive(Debug, Clone, serde::Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
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
    let binned = Binned::new(&sample.run_times, granularity);
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

/// How many points [`search`] tells `progress` of: those it looks at more than once, each time.
pub fn steps(sample: &Sample, space: &Space) -> u64 {
    let (slots, granularities) = (slots(sample, space).len() as u64, granularities(space).len() as u64);
    let reach = |free: bool| if free { 2 * REACH as u64 + 1 } else { 1 };
    let refined =
        reach(space.slot.is_none() && sample.attribute.has_slots()) * reach(space.granularity.is_none());
    let followed = if refined > 1 { FOLLOWED as u64 } else { 0 };
    slots * granularities + followed * ROUNDS as u64 * refined
}

/// Searches; `progress` gets the number of points done, in portions that add up to [`steps`]. The sample must have a job.
pub fn search(sample: &Sample, space: &Space, progress: &(dyn Fn(u64) + Sync)) -> Surface {
    let (slots, granularities) = (slots(sample, space), granularities(space));
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
    let longer = std::iter::successors(Some(SHORTEST_SLOT), |&slot| Some(slot * 2));
    let longer = longer.take_while(|&slot| slot == SHORTEST_SLOT || slot <= sample.span());
    longer.collect()
}

fn granularities(space: &Space) -> Vec<Granularity> {
    if let Some(granularity) = space.granularity {
        return vec![granularity];
    }
    let mut all: Vec<Granularity> = match space.binning {
        Binning::Simple => {
            (0..LOG_RATIOS).map(|i| ratio(FINEST_LOG_RATIO * LOG_RATIO_STEP.powi(i))).collect()
        }
        Binning::Kmeans => (0..MEANS).map(|i| means(2.0 * MEANS_STEP.powi(i))).collect(),
    };
    all.dedup();
    all
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
            granularities.par_iter().map(|&g| (g, Binned::new(&sample.run_times, g))).collect();
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

    /// The best local maxima of the coarse grid, best first.
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

    /// Lays finer and finer grids about the best point so far, beginning at `start`; returns how many points they have.
    fn refine(&mut self, start: Point) -> u64 {
        let mut centre = start;
        let mut done = 0;
        for round in 1..=ROUNDS {
            let part = 0.5f64.powi(round);
            let factor = |step: f64| (-REACH..=REACH).map(move |i| step.powf(part * f64::from(i)));
            let slots: Vec<i64> = match centre.slot_s {
                Some(slot) if self.space.slot.is_none() => {
                    distinct(factor(2.0).map(|factor| ((slot as f64 * factor).round() as i64).max(1)))
                }
                other => vec![other.unwrap_or(0)],
            };
            let granularities: Vec<Granularity> = match (self.space.granularity, centre.granularity) {
                (Some(given), _) => vec![given],
                (None, Granularity::Ratio(r)) => distinct(factor(LOG_RATIO_STEP).map(|f| ratio(r.ln() * f))),
                (None, Granularity::Means(n)) => {
                    distinct(factor(MEANS_STEP).map(|f| means(f64::from(n) * f)))
                }
            };
            done += self.look(&slots, &granularities);
            let seen = slots.iter().flat_map(|&slot| granularities.iter().map(move |&g| key(slot, g)));
            for point in seen.filter_map(|key| self.points.get(&key)) {
                if point.locality > centre.locality {
                    centre = *point;
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
