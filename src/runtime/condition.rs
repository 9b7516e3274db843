//! Conditioning a run-time distribution on a job's age and time limit.
//!
//! Nissimov & Feitelson 2007, Algorithm 1 (= Nissimov 2006, Algorithm 5): the age cuts from below, the limit from
//! above, log-uniform inside a bin, then the rest is scaled to 1. The last, open bin is closed by the limit. When
//! nothing is left (the job outlived every bin, or its limit), the job is expected to end at its limit if that is
//! still ahead, else one second from now.
//!
//! A soft limit, one that jobs may outlive, does not cut: [`RuntimeDistribution::remaining_softly`].
//!
//! Algorithm 5 spreads what was predicted beyond the limit over what is left below it. The delay rule and the orders
//! by medians go by it, as in the papers. Answers to people have it end at the limit instead: `within`.

use crate::error::{Error, Result};
use crate::runtime::bins::collect;
use crate::runtime::distribution::{RuntimeDistribution, Shape};
use crate::runtime::releases::{
    MAX_EVENTS_PER_BIN, Piece, Release, Releases, Written, lesser, whole_seconds, write_one,
};
use crate::runtime::view::{Binned, View};
use crate::runtime::{MAX_BINS, MAX_SECONDS, check_span};

pub(super) fn check(age: i64, limit: i64) -> Result<()> {
    check_span(age)?;
    check_span(limit)
}

/// Refuses a quantile outside 0 to 1, and an age or limit that is no span of time.
pub(super) fn check_quantile(quantile: f64, age: i64, limit: i64) -> Result<()> {
    check(age, limit)?;
    if quantile.is_nan() {
        return Err(Error::NotANumber);
    }
    if (0.0..=1.0).contains(&quantile) { Ok(()) } else { Err(Error::OutOfRange) }
}

/// Seconds until the end of a job of which nothing else is known: until its limit if that is ahead, else 1.
pub(crate) fn at_limit(age: i64, limit: i64) -> i64 {
    limit.saturating_sub(age).max(1)
}

/// The parts of the bins between an age and a limit, and their masses: a list of the parts themselves would be the
/// largest object on the stack, and masses take logarithms, which are not computed twice.
pub(super) struct Cut<'d> {
    parts: Parts<'d>,
    masses: [f64; MAX_BINS],
    /// Mass that the shares are of.
    pub total: f64,
}

/// Bins, and what cuts them.
#[derive(Clone, Copy)]
pub(super) struct Parts<'d> {
    binned: Binned<'d>,
    age: f64,
    limit: f64,
    /// Whether the limit closes the open bin; else it is as wide as any other, from the later of its start and the
    /// age.
    closes: bool,
}

/// The part of a bin between the age and the limit, before its mass is known.
pub(super) struct Part {
    pub lower: f64,
    /// The bin's own end, and where it is open the one that it is given.
    pub upper: f64,
    pub start: f64,
    pub end: f64,
    /// Whether `end / start` is the bins' ratio: uncut, neither the first bin nor the open one.
    pub regular: bool,
    pub probability: f64,
}

impl<'d> Parts<'d> {
    pub(super) fn new(binned: Binned<'d>, age: i64, limit: i64, closes: bool) -> Parts<'d> {
        Parts { binned, age: age as f64, limit: limit as f64, closes }
    }

    /// The parts of Algorithm 5.
    pub(super) fn cut(binned: Binned<'d>, age: i64, limit: i64) -> Parts<'d> {
        Parts::new(binned, age, limit, limit < MAX_SECONDS)
    }

    /// The bins of which nothing is cut, without the first one and the open one. Of those before nothing is left,
    /// except of the last one.
    pub(super) fn whole(&self) -> core::ops::Range<usize> {
        let edges = self.binned.edges;
        let below = edges.iter().take_while(|&&edge| edge < self.age).count();
        let within = edges.len() - edges.iter().rev().take_while(|&&edge| edge > self.limit).count();
        below.max(1)..within.saturating_sub(1)
    }

    /// The part of this bin; where that lies beyond the limit it ends before it starts.
    #[inline]
    pub(super) fn part(&self, bin: usize) -> Option<Part> {
        let (lower, probability) = (*self.binned.edges.get(bin)?, *self.binned.probabilities.get(bin)?);
        let start = if lower > self.age { lower } else { self.age };
        let (open, upper) = match self.binned.edges.get(bin + 1) {
            Some(&upper) => (false, upper),
            None if self.closes => (true, self.limit),
            None => (true, start * self.binned.ratio),
        };
        let end = lesser(upper, self.limit);
        let regular = start == lower && end == upper && bin != 0 && !open;
        Some(Part { lower, upper, start, end, regular, probability })
    }
}

impl Part {
    /// Its mass by Algorithm 5, before all are scaled.
    #[inline]
    pub(super) fn mass(&self) -> f64 {
        let &Part { lower, upper, start, end, probability, .. } = self;
        if probability <= 0.0 || end <= start {
            return 0.0;
        }
        let whole = start == lower && end == upper;
        let share = if whole { 1.0 } else { libm::log(end / start) / libm::log(upper / lower) };
        probability * share
    }
}

impl<'d> Cut<'d> {
    /// No masses yet.
    pub(super) fn new(parts: Parts<'d>) -> Cut<'d> {
        Cut { parts, masses: [0.0; MAX_BINS], total: 0.0 }
    }

    /// Sets the masses of all parts, and lets `mass` sum up the total.
    #[inline]
    pub(super) fn fill(&mut self, mut mass: impl FnMut(&Part, &mut f64) -> f64) {
        for bin in 0..self.parts.binned.edges.len() {
            let Some(part) = self.parts.part(bin) else { return };
            let mass = mass(&part, &mut self.total);
            self.masses.get_mut(bin).into_iter().for_each(|slot| *slot = mass);
        }
    }

    /// The parts that have a mass, with their shares of the total.
    #[inline]
    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece> {
        (0..self.parts.binned.edges.len()).filter_map(|bin| {
            let mass = *self.masses.get(bin).filter(|mass| **mass > 0.0)?;
            let Part { start, end, regular, .. } = self.parts.part(bin)?;
            Some(Piece { bin, start, end, regular, mass: mass / self.total })
        })
    }
}

/// The bins between age and limit; none has a mass when nothing is left.
fn cut(binned: Binned<'_>, age: i64, limit: i64) -> Cut<'_> {
    let mut cut = Cut::new(Parts::cut(binned, age, limit));
    cut.fill(|part, total| {
        let mass = part.mass();
        *total += mass;
        mass
    });
    cut
}

impl RuntimeDistribution {
    /// The largest number of [`Release`]s that [`RuntimeDistribution::remaining`] writes.
    pub fn max_releases(&self, events_per_bin: usize) -> usize {
        self.view().max_releases(events_per_bin)
    }

    /// The discretised remaining run time of a job of this age under this limit (both in seconds), in increasing
    /// order of time, probabilities summing to 1; returns the number of events written.
    ///
    /// Each bin's (clipped) interval is divided into `events_per_bin` intervals of equal probability, and each puts
    /// its probability at its end, rounded up to whole seconds: 1 is the papers' choice. Events that fall on one
    /// second are one event. O(bins x events per bin).
    ///
    /// # Errors
    /// [`Error::SpanTooLong`]; [`Error::OutOfRange`] for a negative age or limit or events per bin outside 1 to
    /// [`MAX_EVENTS_PER_BIN`]; [`Error::Full`] when `out` is too short.
    pub fn remaining(
        &self,
        age: i64,
        limit: i64,
        events_per_bin: usize,
        out: &mut [Release],
    ) -> Result<usize> {
        self.view().remaining(age, limit, events_per_bin, out)
    }

    /// The discretised remaining run time under a soft limit, one that jobs may outlive: the age alone cuts the
    /// distribution, which may reach beyond the limit, and the open bin is as wide as any other, from the later of
    /// its start and the age. Where nothing is predicted, or nothing of it is left, the job is expected to end at
    /// its limit if that is still ahead, else one second from now.
    ///
    /// # Errors
    /// As [`RuntimeDistribution::remaining`].
    pub fn remaining_softly(
        &self,
        age: i64,
        limit: i64,
        events_per_bin: usize,
        out: &mut [Release],
    ) -> Result<usize> {
        self.view().remaining_softly(age, limit, events_per_bin, out)
    }

    /// The bins' probabilities recalculated for a job of this age under this limit: Algorithm 5 itself. When nothing
    /// is left the result is [`RuntimeDistribution::limit`]. Single values and "nothing known" come back unchanged.
    ///
    /// # Errors
    /// [`Error::SpanTooLong`]; [`Error::OutOfRange`] for a negative age or limit.
    pub fn recalculated(&self, age: i64, limit: i64) -> Result<RuntimeDistribution> {
        check(age, limit)?;
        let Shape::Binned { bins, probabilities } = &self.0 else { return Ok(self.clone()) };
        let mut recalculated = collect(probabilities.iter().map(|_| 0.0));
        Ok(match self.view().recalculate(age, limit, &mut recalculated)? {
            0 => RuntimeDistribution::limit(),
            _ => RuntimeDistribution(Shape::Binned { bins: bins.clone(), probabilities: recalculated }),
        })
    }

    /// The remaining run time, in seconds (at least 1), that a job of this age under this limit exceeds with
    /// probability at most `1 - quantile` by Algorithm 5, as the orders by predicted medians have it: what is
    /// predicted beyond the limit is spread over what is left below it, and more jobs than that exceed it.
    /// [`RuntimeDistribution::quantile`] is the one that holds. Log-uniform inside a bin, rounded up. O(bins).
    ///
    /// # Errors
    /// As [`RuntimeDistribution::quantile`].
    pub fn quantile_cut(&self, quantile: f64, age: i64, limit: i64) -> Result<i64> {
        self.view().quantile_cut(quantile, age, limit)
    }
}

impl View<'_> {
    /// See [`RuntimeDistribution::max_releases`].
    fn max_releases(&self, events_per_bin: usize) -> usize {
        match self {
            View::Binned(binned) => binned.edges.len().saturating_mul(events_per_bin),
            _ => 1,
        }
    }

    /// See [`RuntimeDistribution::remaining`].
    pub(crate) fn remaining(
        &self,
        age: i64,
        limit: i64,
        events_per_bin: usize,
        out: &mut [Release],
    ) -> Result<usize> {
        self.releases(age, limit, limit, events_per_bin, out)
    }

    /// See [`RuntimeDistribution::remaining_softly`].
    pub(crate) fn remaining_softly(
        &self,
        age: i64,
        limit: i64,
        events_per_bin: usize,
        out: &mut [Release],
    ) -> Result<usize> {
        self.releases(age, limit, MAX_SECONDS, events_per_bin, out)
    }

    /// The releases of a distribution that is cut at `end`; where nothing of it is left, the job ends at `limit`.
    pub(crate) fn releases(
        &self,
        age: i64,
        limit: i64,
        end: i64,
        events_per_bin: usize,
        out: &mut (impl Releases + ?Sized),
    ) -> Result<usize> {
        self.check_releases(age, limit, events_per_bin, out)?;
        let binned = match *self {
            // A job that has not run yet has not outlived a prediction of 0 either.
            View::Single(seconds) if seconds > age || age == 0 => {
                return Ok(write_one(out, at_limit(age, end.min(seconds))));
            }
            View::Limit | View::Single(_) => return Ok(write_one(out, at_limit(age, limit))),
            View::Binned(binned) => binned,
        };
        let mut written = Written::new(out);
        written.pieces(binned.ln_ratio, cut(binned, age, end).pieces(), age, events_per_bin);
        match written.count {
            0 => Ok(write_one(out, at_limit(age, limit))),
            count => Ok(count),
        }
    }

    /// Refuses what [`RuntimeDistribution::remaining`] refuses.
    pub(crate) fn check_releases(
        &self,
        age: i64,
        limit: i64,
        events_per_bin: usize,
        out: &(impl Releases + ?Sized),
    ) -> Result<()> {
        check(age, limit)?;
        if !(1..=MAX_EVENTS_PER_BIN).contains(&events_per_bin) {
            return Err(Error::OutOfRange);
        }
        if out.room() < self.max_releases(events_per_bin) { Err(Error::Full) } else { Ok(()) }
    }

    /// The remaining run time where one value, or nothing, is predicted.
    pub(super) fn only(&self, age: i64, limit: i64) -> Result<i64> {
        let mut out = [Release::default()];
        self.remaining(age, limit, 1, &mut out)?;
        Ok(out.map(|release| release.after)[0])
    }

    /// Writes the bins' probabilities as [`RuntimeDistribution::recalculated`] has them, and returns their number; 0
    /// when nothing is left, or nothing in bins is known.
    pub(crate) fn recalculate(&self, age: i64, limit: i64, out: &mut [f64]) -> Result<usize> {
        check(age, limit)?;
        let &View::Binned(binned) = self else { return Ok(0) };
        let left = cut(binned, age, limit);
        if left.total <= 0.0 {
            return Ok(0);
        }
        let out = out.get_mut(..binned.edges.len()).ok_or(Error::Full)?;
        out.fill(0.0);
        for piece in left.pieces() {
            if let Some(probability) = out.get_mut(piece.bin) {
                *probability = piece.mass;
            }
        }
        Ok(out.len())
    }

    /// See [`RuntimeDistribution::quantile_cut`].
    pub(crate) fn quantile_cut(&self, quantile: f64, age: i64, limit: i64) -> Result<i64> {
        check_quantile(quantile, age, limit)?;
        let &View::Binned(binned) = self else { return self.only(age, limit) };
        let mut below = 0.0;
        let mut longest = at_limit(age, limit);
        for piece in cut(binned, age, limit).pieces() {
            longest = whole_seconds(piece.end - age as f64);
            if below + piece.mass >= quantile {
                let share = ((quantile - below) / piece.mass).clamp(0.0, 1.0);
                let end = piece.start * libm::exp(share * libm::log(piece.end / piece.start));
                return Ok(whole_seconds(end.min(piece.end) - age as f64));
            }
            below += piece.mass;
        }
        // Rounding may leave the sum a hair below 1.
        Ok(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::RuntimeBins;
    use proptest::prelude::*;

    fn remaining(
        distribution: &RuntimeDistribution,
        age: i64,
        limit: i64,
        k: usize,
    ) -> std::vec::Vec<(i64, f64)> {
        let mut out = [Release::default(); 1024];
        let count = distribution.remaining(age, limit, k, &mut out).unwrap();
        out[..count].iter().map(|r| (r.after, r.probability)).collect()
    }

    fn decades(counts: &[f64]) -> RuntimeDistribution {
        RuntimeDistribution::from_counts(&RuntimeBins::new(10.0, 10.0, counts.len()).unwrap(), counts)
            .unwrap()
    }

    #[test]
    fn algorithm_5_by_hand() {
        // Bins [1,10) [10,100) [100,1000) [1000,limit). Age sqrt(10) x 10, limit sqrt(10) x 1000, by halves in the
        // logarithm.
        let distribution = decades(&[0.25; 4]);
        let p = distribution.recalculated(32, 3162).unwrap();
        let p = p.binned().unwrap().1;
        let first = libm::log(100.0 / 32.0) / libm::log(10.0);
        let total = first + 2.0;
        for (ours, by_hand) in p.iter().zip([0.0, first / total, 1.0 / total, 1.0 / total]) {
            assert!((ours - by_hand).abs() < 1e-15, "{p:?}");
        }
        assert_eq!(
            remaining(&distribution, 32, 3162, 1).iter().map(|e| e.0).collect::<std::vec::Vec<_>>(),
            [100 - 32, 1000 - 32, 3162 - 32]
        );
    }

    #[test]
    fn the_exhausted_cases() {
        let short = decades(&[1.0, 0.0, 0.0]);
        // Outlived every bin: ends at the limit while that is ahead, else one second from now.
        assert_eq!(remaining(&short, 50, 200, 4), [(150, 1.0)]);
        assert_eq!(remaining(&short, 200, 200, 4), [(1, 1.0)]);
        assert_eq!(remaining(&short, 500, 200, 4), [(1, 1.0)]);
        assert_eq!(short.recalculated(50, 200).unwrap(), RuntimeDistribution::limit());
        // All its probability lies beyond the limit.
        assert_eq!(remaining(&decades(&[0.0, 0.0, 1.0]), 0, 50, 1), [(50, 1.0)]);
        let single = RuntimeDistribution::single(100).unwrap();
        assert_eq!(remaining(&single, 40, 200, 1), [(60, 1.0)]);
        assert_eq!(remaining(&single, 40, 80, 1), [(40, 1.0)]);
        assert_eq!(remaining(&single, 100, 200, 1), [(100, 1.0)]);
        assert_eq!(remaining(&single, 250, 200, 1), [(1, 1.0)]);
        assert_eq!(remaining(&RuntimeDistribution::single(0).unwrap(), 0, 200, 1), [(1, 1.0)]);
        assert_eq!(remaining(&RuntimeDistribution::limit(), 0, 0, 1), [(1, 1.0)]);
        // Without a limit the open bin is as wide as the others.
        assert_eq!(remaining(&decades(&[0.0, 1.0]), 0, MAX_SECONDS, 1), [(100, 1.0)]);
        assert_eq!(remaining(&decades(&[0.0, 1.0]), 90, MAX_SECONDS, 1), [(810, 1.0)]);
    }

    #[test]
    fn a_soft_limit_does_not_cut() {
        let soft = |distribution: &RuntimeDistribution, age, limit| {
            let mut out = [Release::default(); 1024];
            let count = distribution.remaining_softly(age, limit, 1, &mut out).unwrap();
            out[..count].iter().map(|r| (r.after, r.probability)).collect::<std::vec::Vec<_>>()
        };
        // Bins [1,10) [10,100) [100,1000), a limit of 50, an age beyond it: a part of the second bin is left.
        let distribution = decades(&[1.0, 2.0, 1.0, 0.0]);
        let left = 2.0 * libm::log(100.0 / 60.0) / libm::log(10.0);
        let found = soft(&distribution, 60, 50);
        assert_eq!((found[0].0, found[1].0), (40, 940));
        assert!((found[0].1 - left / (left + 1.0)).abs() < 1e-15);
        assert_eq!(remaining(&distribution, 60, 50, 1), [(1, 1.0)]);
        // Before its limit as well.
        assert_eq!(soft(&decades(&[0.0, 1.0, 1.0, 0.0]), 0, 50), [(100, 0.5), (1000, 0.5)]);
        // The open bin goes on from the age; without a prediction, or with nothing left of it, the job ends as under
        // any limit.
        assert_eq!(soft(&decades(&[0.0, 1.0]), 90, 50), [(810, 1.0)]);
        assert_eq!(soft(&decades(&[1.0, 0.0]), 20, 50), [(30, 1.0)]);
        assert_eq!(soft(&decades(&[1.0, 0.0]), 60, 50), [(1, 1.0)]);
        assert_eq!(soft(&RuntimeDistribution::limit(), 60, 50), [(1, 1.0)]);
        let single = RuntimeDistribution::single(100).unwrap();
        assert_eq!(soft(&single, 60, 50), [(40, 1.0)]);
        assert_eq!(soft(&single, 100, 50), [(1, 1.0)]);
    }

    #[test]
    fn several_events_divide_a_bin_by_equal_probability() {
        assert_eq!(
            remaining(&decades(&[0.0, 1.0, 0.0]), 0, 1000, 4),
            [(18, 0.25), (32, 0.25), (57, 0.25), (100, 0.25)]
        );
    }

    #[test]
    fn refuses_bad_arguments() {
        let distribution = decades(&[1.0, 1.0]);
        let mut out = [Release::default(); 8];
        for (age, limit, k) in [(-1, 5, 1), (5, -1, 1), (i64::MIN, 5, 1), (0, 5, 0), (0, 5, 17)] {
            assert_eq!(distribution.remaining(age, limit, k, &mut out), Err(Error::OutOfRange));
        }
        for (age, limit) in [(MAX_SECONDS + 1, 5), (5, MAX_SECONDS + 1), (5, i64::MAX)] {
            assert_eq!(distribution.remaining(age, limit, 1, &mut out), Err(Error::SpanTooLong));
        }
        assert_eq!(distribution.remaining(0, 5, 5, &mut out), Err(Error::Full));
        assert_eq!(distribution.quantile_cut(f64::NAN, 0, 5), Err(Error::NotANumber));
        assert_eq!(distribution.quantile_cut(1.5, 0, 5), Err(Error::OutOfRange));
        assert_eq!(distribution.recalculated(-1, 5), Err(Error::OutOfRange));
    }

    proptest! {
        #[test]
        fn releases_are_a_distribution_between_age_and_limit(
            counts in proptest::collection::vec(prop_oneof![Just(0.0), 0.0f64..5.0, Just(1e-300), Just(5e-324)], 1..30),
            ratio in 1.1f64..2.2,
            age in prop_oneof![0i64..200, 0i64..10_000_000],
            limit in prop_oneof![0i64..200, 0i64..10_000_000, Just(MAX_SECONDS)],
            k in 1usize..=16,
        ) {
            let bins = RuntimeBins::new(1.5, ratio, counts.len()).unwrap();
            let distribution = RuntimeDistribution::from_counts(&bins, &counts).unwrap();
            let releases = remaining(&distribution, age, limit, k);
            let total: f64 = releases.iter().map(|r| r.1).sum();
            prop_assert!((total - 1.0).abs() < 1e-12, "{total}");
            prop_assert!(releases.iter().all(|r| r.0 >= 1 && r.1 > 0.0));
            prop_assert!(releases.windows(2).all(|w| w[0].0 < w[1].0));
            prop_assert!(releases.iter().all(|r| r.0 <= (limit - age).max(1)));
            let mut last = 0;
            for q in [0.0, 0.1, 0.5, 0.9, 0.99, 1.0] {
                let seconds = distribution.quantile_cut(q, age, limit).unwrap();
                prop_assert!(seconds >= last.max(1) && seconds <= (limit - age).max(1));
                last = seconds;
            }
        }
    }
}
