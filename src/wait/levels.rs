//! Levels that follow misses, class by class (beyond QBETS; online conformal prediction: Gibbs & Candes 2021, with the
//! group indicators of gradient equilibrium: Angelopoulos, Jordan & Tibshirani 2025).
//!
//! The *tail* of a level q is -ln(1 - q): 3.0 at .95, and 1 more for e times fewer misses. A bound is taken at the tail
//! of the method's own order statistic plus a shift. The shift is the sum of one number for each group that the job
//! belongs to: all jobs, the wider half, the widest 20, 5 and 1 %, and the jobs with longer requests (three nested
//! quarters). A miss raises the numbers of the job's groups, a bound that held lowers them, in the proportion that
//! balances at the wanted share of misses. Since each number stays bounded, the share of misses in each group tends to
//! the wanted one, whatever the waits do: the mean step of a group after n jobs is at most (difference of its number) /
//! (n times the smallest step).
//!
//! Steps fall with the number n of jobs seen in a group, n^-.6 / 2, to the predictor's rate. A last number, common to
//! all, moves five times as fast and decays by 2 % with each job: it answers bursts of misses, and keeps single months
//! from failing.
//!
//! Other quantiles than the options' follow their own misses in the same way, without groups, at [`ASIDE`] levels;
//! between them shifts are interpolated in the tail.

use bytemuck::{Pod, Zeroable};

/// The shares of narrower jobs, from which on a job belongs to the groups of wide jobs.
const WIDE: [f64; 4] = [0.5, 0.8, 0.95, 0.99];

/// The shares of jobs with shorter requests, from which on a job belongs to the groups of long requests.
const LONG: [f64; 3] = [0.25, 0.5, 0.75];

/// Number of groups: all jobs, and the above.
const GROUPS: usize = 1 + WIDE.len() + LONG.len();

/// The levels whose misses are followed beside the options' own.
pub(super) const ASIDE: [f64; 7] = [0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/// Their tails, as [`tail_of`] computes them: each bound asked for needs several.
pub(super) const ASIDE_TAILS: [f64; ASIDE.len()] = [
    0.051293294387550536,
    0.2876820724517809,
    core::f64::consts::LN_2,
    1.3862943611198906,
    core::f64::consts::LN_10,
    2.99573227355399,
    4.60517018598809,
];

/// Adapted bounds aim at this part of the misses that the quantile allows.
const CAUTION: f64 = 0.9;

/// The first step of a group, and the exponent by which steps fall with the jobs it saw.
const FIRST_STEP: f64 = 0.5;
const FALL: f64 = 0.6;

/// Range of each group's number.
const LEAST: f64 = -4.0;
const MOST: f64 = 8.0;

/// The fast number: its step, the part of it kept with each job, and its bound on either side.
const FAST_STEP: f64 = 0.1;
const FAST_KEPT: f64 = 0.98;
const FAST_MOST: f64 = 3.0;

/// Buckets an octave of a [`Histogram`].
const BUCKETS_AN_OCTAVE: f64 = 6.0;
const BUCKETS: usize = 256;

/// Values above 2^42 count as that.
const LAST_BUCKET: f64 = (BUCKETS - 1) as f64;

/// Counts of values by size. All zero: no value.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Histogram {
    counts: [u32; BUCKETS],
    total: u32,
    reserved: u32,
}

impl Histogram {
    fn bucket(value: u64) -> usize {
        libm::round(libm::log2(value as f64 + 1.0) * BUCKETS_AN_OCTAVE).min(LAST_BUCKET) as usize
    }

    fn add(&mut self, value: u64) {
        if self.total == u32::MAX {
            // Half the past is forgotten before the numbers run out.
            self.counts.iter_mut().for_each(|count| *count /= 2);
            self.total = self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count));
        }
        if let Some(count) = self.counts.get_mut(Histogram::bucket(value)) {
            *count = count.saturating_add(1);
            self.total = self.total.saturating_add(1);
        }
    }

    /// The share of the values that are no larger, up to the size of a bucket; 0 when there are no values.
    fn share_up_to(&self, value: u64) -> f64 {
        let up_to = self.counts.iter().take(Histogram::bucket(value) + 1);
        let sum: u64 = up_to.map(|count| u64::from(*count)).sum();
        if self.total == 0 { 0.0 } else { sum as f64 / f64::from(self.total) }
    }
}

/// The groups that a job belongs to: bit 0 is all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Groups(u32);

impl Groups {
    /// The groups of one that belongs to these, in order, and to all.
    pub(super) fn of(members: impl Iterator<Item = bool>) -> Groups {
        let bits = members.take(GROUPS - 1).enumerate();
        Groups(bits.fold(1, |groups, (bit, member)| groups | u32::from(member) << (bit + 1)))
    }

    /// Whether the job is of the wider half.
    pub(super) fn is_wide(self) -> bool {
        self.has(1)
    }

    fn has(self, group: usize) -> bool {
        self.0 >> group & 1 == 1
    }
}

/// Distributions of the jobs' widths and requests, by which they are grouped. All zero: no job was seen.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Ranks {
    widths: Histogram,
    requests: Histogram,
}

impl Ranks {
    /// A job's groups, by the jobs seen so far.
    pub(super) fn groups(&self, processors: u32, requested: u64) -> Groups {
        let (width, request) =
            (self.widths.share_up_to(u64::from(processors)), self.requests.share_up_to(requested));
        let wide = WIDE.iter().map(|from| width > *from);
        let long = LONG.iter().map(|from| request > *from);
        Groups::of(wide.chain(long))
    }

    pub(super) fn add(&mut self, processors: u32, requested: u64) {
        self.widths.add(u64::from(processors));
        self.requests.add(requested);
    }
}

/// The shifts. All zero: no miss and no hit yet.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Levels {
    own: [f64; GROUPS],
    seen: [u64; GROUPS],
    fast: f64,
    aside: [f64; ASIDE.len()],
    seen_aside: u64,
}

/// The tail of a level below 1.
pub(super) fn tail_of(level: f64) -> f64 {
    -libm::log1p(-level)
}

/// The step of the adaptation after `seen` jobs.
pub(super) fn step(seen: u64, rate: f64) -> f64 {
    (FIRST_STEP * libm::pow(seen as f64 + 1.0, -FALL)).max(rate)
}

/// A number after a step: up with a miss, down without, so that it stays where the part `wanted` misses.
fn moved(number: f64, missed: bool, wanted: f64, step: f64) -> f64 {
    (if missed { number + step * (1.0 - wanted) } else { number - step * wanted }).clamp(LEAST, MOST)
}

impl Levels {
    /// The shift of the options' question's tail for a job of these groups.
    pub(super) fn shift(&self, groups: Groups) -> f64 {
        let own = self.own.iter().enumerate().filter(|(group, _)| groups.has(*group));
        own.map(|(_, number)| number).sum::<f64>() + self.fast
    }

    /// Learns that the options' bound, of this quantile, was missed or held. Steps are multiplied by `caution`, at most
    /// 1: where many bounds are open at the same time, they are missed together, and each must count for less.
    pub(super) fn learn(&mut self, groups: Groups, missed: bool, quantile: f64, rate: f64, caution: f64) {
        let wanted = CAUTION * (1.0 - quantile);
        let share = 1.0 / libm::sqrt(f64::from(groups.0.count_ones().max(1)));
        for (group, (number, seen)) in self.own.iter_mut().zip(&mut self.seen).enumerate() {
            if groups.has(group) {
                *number = moved(*number, missed, wanted, caution * share * step(*seen, rate));
                *seen = seen.saturating_add(1);
            }
        }
        let fast = moved(self.fast, missed, wanted, caution * FAST_STEP).clamp(-FAST_MOST, FAST_MOST);
        // A whole step keeps exactly `FAST_KEPT`, whatever the difference would round to.
        let kept = if caution < 1.0 { 1.0 - caution * (1.0 - FAST_KEPT) } else { FAST_KEPT };
        self.fast = fast * kept;
    }

    /// Learns which of the bounds at the levels [`ASIDE`] were missed.
    pub(super) fn learn_aside(&mut self, missed: [bool; ASIDE.len()], rate: f64) {
        let step = step(self.seen_aside, rate);
        for ((number, missed), level) in self.aside.iter_mut().zip(missed).zip(ASIDE) {
            *number = moved(*number, missed, 1.0 - level, step);
        }
        self.seen_aside = self.seen_aside.saturating_add(1);
    }

    /// The shift of another tail than the options': interpolated between the levels that are followed, and beyond them
    /// that of the nearest.
    pub(super) fn shift_aside(&self, tail: f64) -> f64 {
        let mut before: Option<(f64, f64)> = None;
        for (at, number) in ASIDE_TAILS.into_iter().zip(self.aside) {
            if tail <= at {
                return before
                    .map_or(number, |(from, shift)| shift + (number - shift) * (tail - from) / (at - from));
            }
            before = Some((at, number));
        }
        before.map_or(0.0, |(_, shift)| shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn uniform(random: &mut u64) -> f64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*random >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
    }

    #[test]
    fn groups_are_the_widest_and_the_longest() {
        let mut ranks = Ranks::zeroed();
        for width in 1..=1000_u32 {
            ranks.add(width, u64::from(1001 - width));
        }
        assert_eq!(ranks.groups(1, 1), Groups(1));
        // The widest ask for the shortest times.
        assert_eq!(ranks.groups(1000, 1), Groups(0b0001_1111));
        assert_eq!(ranks.groups(700, 301), Groups(0b0010_0011));
        assert_eq!(ranks.groups(1, 1000), Groups(0b1110_0001));
        // Larger than all seen, and so large that logarithms end.
        assert_eq!(ranks.groups(u32::MAX, u64::MAX), Groups(0b1111_1111));
        assert_eq!(Ranks::zeroed().groups(5, 5), Groups(1));
    }

    /// Each group's misses come to the wanted share, though a group's jobs need another tail.
    #[test]
    fn every_group_comes_to_its_misses() {
        let mut levels = Levels::zeroed();
        let mut random = 7;
        let mut missed = [[0.0; 2]; GROUPS];
        for round in 0..400_000 {
            let (width, long) = (uniform(&mut random), uniform(&mut random));
            let mut groups = 1;
            for (bit, member) in
                WIDE.iter().map(|from| width > *from).chain(LONG.iter().map(|from| long > *from)).enumerate()
            {
                groups |= u32::from(member) << (bit + 1);
            }
            let groups = Groups(groups);
            // Exponential, longer for the widest and for long requests.
            let more = 20.0 * (width - 0.9).max(0.0) + long;
            let wait = more - uniform(&mut random).ln();
            let miss = wait > tail_of(0.95) + levels.shift(groups);
            levels.learn(groups, miss, 0.95, 0.01, 1.0);
            if round > 200_000 {
                for (group, [misses, jobs]) in missed.iter_mut().enumerate() {
                    if groups.has(group) {
                        *misses += f64::from(u8::from(miss));
                        *jobs += 1.0;
                    }
                }
            }
        }
        let shares: Vec<f64> = missed.iter().map(|[misses, jobs]| misses / jobs).collect();
        assert!(shares.iter().all(|share| (share - 0.045).abs() < 0.006), "{shares:?}");
    }

    #[test]
    fn the_tails_are_those_of_the_levels() {
        assert_eq!(ASIDE_TAILS.map(f64::to_bits), ASIDE.map(|level| tail_of(level).to_bits()));
    }

    #[test]
    fn levels_asked_aside_are_calibrated() {
        let mut levels = Levels::zeroed();
        let mut random = 3;
        let mut missed = [0.0; ASIDE.len()];
        let rounds = 100_000;
        for _ in 0..rounds {
            // Tails of waits twice as long as predicted.
            let wait = -2.0 * uniform(&mut random).ln();
            let misses = ASIDE.map(|level| wait > tail_of(level) + levels.shift_aside(tail_of(level)));
            levels.learn_aside(misses, 0.01);
            for (sum, miss) in missed.iter_mut().zip(misses) {
                *sum += f64::from(u8::from(miss)) / f64::from(rounds);
            }
        }
        for (level, share) in ASIDE.into_iter().zip(missed) {
            assert!((1.0 - share - level).abs() < 0.005, "{level}: {share}");
        }
    }
}
