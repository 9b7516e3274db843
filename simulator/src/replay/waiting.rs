//! The distribution of waits, beyond their means, as Nissimov & Feitelson 2007 read it off the curves of their figure
//! 2.
//!
//! The straight stretch of the curve, drawn over the logarithm of the wait, is where waits are spread evenly over that
//! logarithm. It is searched for between edges of twenty to a factor of ten: of all stretches in which the share of the
//! stretch's jobs that have started is nowhere farther than [`STRAIGHT`] from a straight line, and whose ends are a
//! factor of two apart at least, the one with most jobs. The middle of any smooth hump is straight so far: of a normal
//! distribution (waits are then log-normal) the 58 % about the mean, [`HUMP`].

use crate::replay::outcome::Outcome;
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
