//! The distribution of waits, beyond their means, as Nissimov & Feitelson 2007 read it off the curves of their figure
//! 2.
//!
//! The straight stretch of the curve, drawn over the logarithm of the wait, is where waits are spread evenly over that
//! logarithm. It is searched for between edges of twenty to a factor of ten: of all stretches in which the share of the
//! stretch's jobs that have started is nowhere farther than [`STRAIGHT`] from a straight line, and whose ends are a
//! factor of two apart at least, the one with most jobs. The middle of any smooth hump is straight so far: of a normal
//! distribution (waits are then log-normal) the 58 % about the mean, [`HUMP`].

use crate::base::bootstrap::{DRAWS, Draw, Interval, WEEK_S, draws, interval};
use crate::base::statistics::change;
use crate::replay::outcome::Outcome;
use crate::trace::workload::Job;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Largest distance of a curve from a straight line, as a share of the jobs between the line's ends.
pub const STRAIGHT: f64 = 0.02;

/// The share of a log-normal distribution that is straight: within 0.798 standard deviations of the mean.
pub const HUMP: f64 = 0.575;

/// Edges to a factor of ten.
const TO_TEN: u32 = 20;

/// Edges from one end of a stretch to the other, at least: a factor of two.
const LEAST: usize = 6;

/// Edges in all: from 1 s to 10^7 s.
const EDGES: usize = 7 * TO_TEN as usize + 1;

/// By how many draws those of a trace are moved against those of the one before.
const APART: usize = 397;

/// The stretch in which the curve is straight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// The shortest wait of the stretch, in seconds.
    pub from_s: f64,
    /// The longest wait of the stretch, in seconds.
    pub to_s: f64,
    /// Number of jobs with such waits.
    pub jobs: u64,
}

/// The shape of one replay's waits.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Shape {
    /// Number of jobs that wait at all.
    pub waiting: u64,
    /// Number of those that wait for 10 s at least.
    pub ten_seconds: u64,
    /// ... for a minute at least.
    pub one_minute: u64,
    /// The straight stretch; none where no job waits.
    pub straight: Option<Stretch>,
}

/// Every job's wait in seconds, in order of submission.
pub fn waits(outcome: &Outcome) -> Vec<u32> {
    let wait = |wait: i64| u32::try_from(wait.max(0)).unwrap_or(u32::MAX);
    outcome.jobs.iter().map(|job| wait(job.start - job.submit)).collect()
}

/// The jobs submitted in a week, and the seconds that they waited together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Week {
    /// Number of jobs.
    pub jobs: u64,
    /// Their waits.
    pub waited_s: f64,
    /// Number of those whose recorded waits are known.
    pub known: u64,
    /// Their recorded waits.
    pub recorded_s: f64,
    /// Their waits here.
    pub known_s: f64,
}

/// Every week from the first submission on; the outcome is that of these jobs.
pub fn weeks(jobs: &[Job], outcome: &Outcome) -> Vec<Week> {
    let mut weeks: Vec<Week> = Vec::new();
    let first = outcome.jobs.first().map_or(0, |job| job.submit);
    for (of, job) in jobs.iter().zip(&outcome.jobs) {
        let place = usize::try_from((job.submit - first) / WEEK_S).unwrap_or(0);
        weeks.resize(weeks.len().max(place + 1), Week::default());
        if let Some(week) = weeks.get_mut(place) {
            week.jobs += 1;
            week.waited_s += (job.start - job.submit) as f64;
            if of.wait >= 0 {
                week.known += 1;
                week.recorded_s += of.wait as f64;
                week.known_s += (job.start - job.submit) as f64;
            }
        }
    }
    weeks
}

/// Both policies' weeks of every seed on a trace.
type Both<'a> = (&'a [Vec<Week>], &'a [Vec<Week>]);

/// The 95 % interval of the change of the mean wait against another policy's, a mean over traces: weeks of each trace
/// and its seeds are drawn anew ([`bootstrap`](crate::base::bootstrap)). None where a trace has too few weeks.
pub fn change_over_weeks(traces: &[Both]) -> Option<Interval> {
    let mut sums = vec![Some(0.0); DRAWS];
    let mut fewest = usize::MAX;
    for (place, (own, base)) in traces.iter().enumerate() {
        let of = |seeds: &[Vec<Week>], seed: usize, week: usize| -> Week {
            seeds.get(seed).and_then(|weeks| weeks.get(week)).copied().unwrap_or_default()
        };
        // Weeks without jobs are none.
        let longest = base.iter().map(Vec::len).max().unwrap_or(0);
        let some = |week: &usize| (0..base.len()).any(|seed| of(base, seed, *week).jobs > 0);
        let weeks: Vec<usize> = (0..longest).filter(some).collect();
        let drawn = |draw: &Draw| {
            let mut jobs = 0.0;
            let mut waited = [0.0; 2];
            for &week in draw.blocks.iter().filter_map(|&block| weeks.get(block)) {
                for &seed in &draw.replays {
                    let both = [of(own, seed, week), of(base, seed, week)];
                    jobs += both[1].jobs as f64;
                    waited = [0, 1].map(|policy| waited[policy] + both[policy].waited_s);
                }
            }
            change(waited[0] / jobs, waited[1] / jobs)
        };
        let mut changes: Vec<Option<f64>> = draws(weeks.len(), base.len()).map(|draw| drawn(&draw)).collect();
        fewest = fewest.min(weeks.len());
        // Draws are the same for all traces of one length, which have nothing to do with each other.
        let turned = place * APART % changes.len().max(1);
        changes.rotate_left(turned);
        changes.resize(DRAWS, None);
        for (sum, change) in sums.iter_mut().zip(changes) {
            *sum = sum.zip(change).map(|(sum, change)| sum + change / traces.len() as f64);
        }
    }
    if traces.is_empty() { None } else { interval(fewest, sums) }
}

impl Shape {
    /// The shape of these waits. O(jobs log edges + edges^3).
    pub fn of(waits: &[u32]) -> Shape {
        let at_least = |seconds: u32| waits.iter().filter(|&&wait| wait >= seconds).count() as u64;
        Shape {
            waiting: at_least(1),
            ten_seconds: at_least(10),
            one_minute: at_least(60),
            straight: straight(waits),
        }
    }
}

/// The edge of this number, in seconds.
fn edge(number: usize) -> f64 {
    10f64.powf(number as f64 / f64::from(TO_TEN))
}

fn straight(waits: &[u32]) -> Option<Stretch> {
    let edges: Vec<f64> = (0..EDGES).map(edge).collect();
    // Waits that are longer than the last edge are in no stretch.
    let mut within = [0u64; EDGES];
    for &wait in waits.iter().filter(|wait| **wait > 0) {
        if let Some(count) = within.get_mut(edges.partition_point(|&edge| edge < f64::from(wait))) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for count in &mut within {
        sum += *count;
        *count = sum;
    }
    let mut best: Option<(usize, usize, u64)> = None;
    for from in 0..EDGES {
        for to in from + LEAST..EDGES {
            let jobs = within[to] - within[from];
            if jobs <= best.map_or(0, |(_, _, most)| most) {
                continue;
            }
            let off = |edge: usize| {
                let share = (within[edge] - within[from]) as f64 / jobs as f64;
                (share - (edge - from) as f64 / (to - from) as f64).abs()
            };
            if (from..to).all(|edge| off(edge) <= STRAIGHT) {
                best = Some((from, to, jobs));
            }
        }
    }
    best.map(|(from, to, jobs)| Stretch { from_s: edges[from], to_s: edges[to], jobs })
}

/// Comparison of two policies' waits of the same jobs, of which one waits at least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Against {
    /// Share of the jobs waiting under either policy that wait less than under the other.
    pub shorter: f64,
    /// Share of those that wait longer.
    pub longer: f64,
    /// Share of the curves' height, where either is above no wait, at which the own curve is to the left of the
    /// other's: the n-th shortest wait is compared with the n-th shortest, instead of a job's two waits.
    pub left: f64,
}

impl Against {
    /// Compares two policies; `None` where no job waits, or the numbers of jobs differ.
    pub fn of(own: &[u32], other: &[u32]) -> Option<Against> {
        let shares = |own: &[u32], other: &[u32]| {
            let (mut shorter, mut longer, mut waiting) = (0u64, 0u64, 0u64);
            for (own, other) in own.iter().zip(other).filter(|(own, other)| **own > 0 || **other > 0) {
                waiting += 1;
                match own.cmp(other) {
                    Ordering::Less => shorter += 1,
                    Ordering::Greater => longer += 1,
                    Ordering::Equal => {}
                }
            }
            (waiting > 0).then(|| [shorter, longer].map(|jobs| jobs as f64 / waiting as f64))
        };
        if own.len() != other.len() {
            return None;
        }
        let [shorter, longer] = shares(own, other)?;
        let sorted = |waits: &[u32]| {
            let mut waits = waits.to_vec();
            waits.sort_unstable();
            waits
        };
        let [left, _] = shares(&sorted(own), &sorted(other))?;
        Some(Against { shorter, longer, left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let shape = Shape::of(&[0, 0, 5, 10, 59, 60, 4000]);
        assert_eq!((shape.waiting, shape.ten_seconds, shape.one_minute), (5, 4, 2));
        assert_eq!(Shape::of(&[0, 0]), Shape::default());
        // Jobs 0 and 1 change places, job 2 gains, job 3 never waits, job 4 waits only here.
        let against = Against::of(&[7, 100, 20, 0, 1], &[100, 7, 30, 0, 0]).unwrap();
        assert_eq!((against.shorter, against.longer), (0.5, 0.5));
        // 0 1 7 20 100 beside 0 0 7 30 100: one of the four waits is shorter.
        assert_eq!(against.left, 0.25);
        assert_eq!(Against::of(&[0], &[0]), None);
        assert_eq!(Against::of(&[1, 2], &[1]), None);
    }

    /// The interval is that of the weeks' own sums, drawn again; of two traces that of the mean of their changes.
    #[test]
    fn changes_are_drawn_over_weeks_and_seeds() {
        let made = |waited: [[f64; 5]; 2]| -> Vec<Vec<Week>> {
            let week = |(place, waited_s): (u64, f64)| Week { jobs: 1 + place, waited_s, ..Week::default() };
            waited.map(|weeks| (0..).zip(weeks).map(week).collect()).into()
        };
        let base = made([[900.0, 4000.0, 700.0, 3000.0, 5000.0], [800.0, 4500.0, 900.0, 3100.0, 5000.0]]);
        let own = made([[500.0, 4100.0, 100.0, 2000.0, 3000.0], [900.0, 2000.0, 300.0, 2200.0, 5100.0]]);
        let one = |draw: &Draw| {
            let sum = |of: &[Vec<Week>]| -> f64 {
                let weeks = |&seed: &usize| draw.blocks.iter().map(move |&week| of[seed][week].waited_s);
                draw.replays.iter().flat_map(weeks).sum()
            };
            Some(sum(&own) / sum(&base) - 1.0)
        };
        let expected = interval(5, draws(5, 2).map(|draw| one(&draw))).unwrap();
        let near = |found: Interval| {
            (found.low - expected.low).abs() < 1e-12 && (found.high - expected.high).abs() < 1e-12
        };
        assert!(near(change_over_weeks(&[(&own, &base)]).unwrap()));
        // A week without jobs in between is none.
        let apart = |seeds: &[Vec<Week>]| {
            let weeks = |weeks: &Vec<Week>| [&weeks[..2], &[Week::default()], &weeks[2..]].concat();
            seeds.iter().map(weeks).collect::<Vec<_>>()
        };
        assert!(near(change_over_weeks(&[(&apart(&own), &apart(&base))]).unwrap()));
        // Two traces of the same kind, which are independent, are surer than one.
        let two = change_over_weeks(&[(&own, &base), (&own, &base)]).unwrap();
        assert!((two.high - two.low) < 0.85 * (expected.high - expected.low), "{two:?} {expected:?}");
        assert_eq!(change_over_weeks(&[(&own[..1], &base[..1]), (&[], &[])]), None);
        assert_eq!(change_over_weeks(&[]), None);
    }

    #[test]
    fn an_even_stretch_is_found_between_what_is_not() {
        // From 100 s to 10,000 s evenly in the logarithm; as many again at 2 s, and at one million seconds.
        let even = (0..10_000).map(|n| 10f64.powf(2.0 + 2.0 * (f64::from(n) + 0.5) / 10_000.0) as u32);
        let all: Vec<u32> =
            even.chain(std::iter::repeat_n(2, 10_000)).chain(std::iter::repeat_n(1_000_000, 9000)).collect();
        let stretch = Shape::of(&all).straight.unwrap();
        assert!((90.0..=101.0).contains(&stretch.from_s), "{stretch:?}");
        assert!((9999.0..=11_300.0).contains(&stretch.to_s), "{stretch:?}");
        assert!((9900..=10_200).contains(&stretch.jobs), "{stretch:?}");
    }

    #[test]
    fn a_log_normal_hump_is_as_straight_as_said() {
        // Quantiles of the logarithm's normal distribution, by bisection of its distribution function.
        let phi = |x: f64| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
        let quantile = |p: f64| {
            let (mut low, mut high) = (-9.0, 9.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if phi(middle) < p { low = middle } else { high = middle }
            }
            low
        };
        // The largest z within which the distribution function, seen alone, is nowhere off by more than it may be.
        let off = |z: f64| {
            let own = |x: f64| ((phi(x) - phi(-z)) / (phi(z) - phi(-z)) - (x + z) / (2.0 * z)).abs();
            (0..=2000).map(|k| own(z * f64::from(k) / 1000.0 - z)).fold(0.0, f64::max)
        };
        let z = (1..2000).map(|k| f64::from(k) / 1000.0).take_while(|&z| off(z) <= STRAIGHT).last().unwrap();
        assert!((phi(z) - phi(-z) - HUMP).abs() < 2e-3, "{z}: {}", phi(z) - phi(-z));
        let wait = |n: i32| (8.0 + 1.5 * quantile((f64::from(n) + 0.5) / 20_000.0)).exp() as u32;
        let stretch = Shape::of(&(0..20_000).map(wait).collect::<Vec<_>>()).straight.unwrap();
        // Its ends are edges: to either side of the true ones there may be the 2.2 % of the jobs between two.
        assert!((stretch.jobs as f64 / 20_000.0 - HUMP).abs() < 0.045, "{stretch:?}");
    }
}
