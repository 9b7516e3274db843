//! The rest of a run time where what is predicted beyond the limit ends at the limit.
//!
//! Jobs that use up their limits end there, and many do. Algorithm 5 ([`RuntimeDistribution::remaining`]) scales what
//! lies below the limit to 1 instead, and so takes every job for one of those that do not: its quantiles are too low.
//! By the mixture of histories its .95 quantile holds for .64 to .85 of the jobs of five traces, and this one's for .97
//! to .98; medians hold for .29 to .42, and for .47 to .53 (`results/predictors.md`).
//!
//! Answers to people go by this: quantiles of run times, and the run times drawn in forecasts of starts. So does the
//! plan. The age cuts from below as in Algorithm 5; the open bin is as wide as any other, from the later of its start
//! and the age.

use crate::error::Result;
use crate::runtime::condition::{Cut, Part, Parts, at_limit, check_quantile};
use crate::runtime::distribution::RuntimeDistribution;
use crate::runtime::releases::{Piece, Release, Written, whole_seconds, write_one};
use crate::runtime::view::{Binned, View};

/// The part of a run time between an age and a limit, and the mass that ends at the limit. Masses are shares of what is
/// left at this age.
struct Within<'d> {
    cut: Cut<'d>,
    /// The mass at the limit itself.
    at_limit: f64,
}

/// See [`Within`]; nothing when the job has outlived every bin.
fn within(binned: Binned<'_>, age: i64, limit: i64) -> Option<Within<'_>> {
    let (mut cut, mut at_limit) = (Cut::new(Parts::new(binned, age, limit, false)), 0.0);
    cut.fill(|&Part { lower, upper, start, end, probability, .. }, total| {
        if probability <= 0.0 || upper <= start {
            return 0.0;
        }
        let left = if start == lower {
            probability
        } else {
            probability * libm::log(upper / start) / libm::log(upper / lower)
        };
        *total += left;
        if end <= start {
            at_limit += left;
            return 0.0;
        }
        let mass = if end == upper { left } else { left * libm::log(end / start) / libm::log(upper / start) };
        at_limit += left - mass;
        mass
    });
    if cut.total <= 0.0 {
        return None;
    }
    let at_limit = at_limit / cut.total;
    Some(Within { cut, at_limit })
}

impl RuntimeDistribution {
    /// The remaining run time, in seconds (at least 1), that a job of this age under this limit (both in seconds)
    /// exceeds with probability at most `1 - quantile`: what is predicted beyond the limit ends at the limit.
    /// Log-uniform inside a bin, rounded up. A job that has outlived every bin is expected to end at its limit, and one
    /// that has outlived its limit one second from now. O(bins).
    ///
    /// # Errors
    /// [`Error::NotANumber`](crate::error::Error::NotANumber);
    /// [`Error::OutOfRange`](crate::error::Error::OutOfRange) for a quantile outside 0 to 1 or a negative age or limit;
    /// [`Error::SpanTooLong`](crate::error::Error::SpanTooLong) for one above
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS).
    pub fn quantile(&self, quantile: f64, age: i64, limit: i64) -> Result<i64> {
        self.view().quantile(quantile, age, limit)
    }

    /// The discretised remaining run time of a job of this age under this limit (both in seconds), in increasing order
    /// of time, probabilities summing to 1, where what is predicted beyond the limit ends at the limit; returns the
    /// number of events written, at most [`RuntimeDistribution::max_releases`]. The part of a bin below the limit is
    /// divided into `events_per_bin` intervals of equal probability. O(bins x events per bin).
    ///
    /// # Errors
    /// As [`RuntimeDistribution::remaining`].
    pub fn remaining_within(
        &self,
        age: i64,
        limit: i64,
        events_per_bin: usize,
        out: &mut [Release],
    ) -> Result<usize> {
        self.view().remaining_within(age, limit, events_per_bin, out)
    }

    /// The mean run time, in seconds (at least 1), of a job that has not started under this limit: what is predicted
    /// beyond the limit ends at the limit, and what lies above the quantile `cut` counts as that quantile, so that a
    /// far tail does not rule the mean. Log-uniform inside a bin. O(bins).
    ///
    /// # Errors
    /// [`NotANumber`](crate::error::Error::NotANumber); [`OutOfRange`](crate::error::Error::OutOfRange) for a cut
    /// outside 0 to 1, or a limit outside 0 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS).
    pub fn mean_within(&self, limit: i64, cut: f64) -> Result<f64> {
        self.view().mean_within(limit, cut)
    }
}

impl View<'_> {
    /// See [`RuntimeDistribution::quantile`].
    pub(crate) fn quantile(&self, quantile: f64, age: i64, limit: i64) -> Result<i64> {
        check_quantile(quantile, age, limit)?;
        let &View::Binned(binned) = self else { return self.only(age, limit) };
        let Some(within) = within(binned, age, limit) else { return Ok(at_limit(age, limit)) };
        let end = cut_at(&within, quantile);
        Ok(end.map_or(at_limit(age, limit), |end| whole_seconds(end - age as f64)))
    }

    /// See [`RuntimeDistribution::remaining_within`].
    pub(crate) fn remaining_within(
        &self,
        age: i64,
        limit: i64,
        events_per_bin: usize,
        out: &mut [Release],
    ) -> Result<usize> {
        self.check_releases(age, limit, events_per_bin, out)?;
        let &View::Binned(binned) = self else {
            return Ok(write_one(out, self.only(age, limit)?));
        };
        let rest = at_limit(age, limit);
        let Some(within) = within(binned, age, limit) else { return Ok(write_one(out, rest)) };
        let mut written = Written::new(out);
        written.pieces(binned.ln_ratio, within.cut.pieces(), age, events_per_bin);
        // Merged with the event at the end of a bin that the limit divides; else the room of the bin beyond is free.
        if within.at_limit > 0.0 {
            written.push(rest as f64, within.at_limit);
        }
        let count = written.count;
        Ok(if count == 0 { write_one(out, rest) } else { count })
    }

    /// See [`RuntimeDistribution::mean_within`].
    pub(crate) fn mean_within(&self, limit: i64, cut: f64) -> Result<f64> {
        check_quantile(cut, 0, limit)?;
        let &View::Binned(binned) = self else {
            return self.only(0, limit).map(|seconds| seconds as f64);
        };
        let limit_seconds = at_limit(0, limit) as f64;
        let Some(within) = within(binned, 0, limit) else { return Ok(limit_seconds) };
        let highest = cut_at(&within, cut).unwrap_or(limit_seconds);
        let (mut mean, mut below) = (0.0, 0.0);
        for Piece { start, end, mass, .. } in within.cut.pieces() {
            if start >= highest {
                break;
            }
            let end_here = end.min(highest);
            let share = libm::log(end_here / start) / libm::log(end / start);
            let (inside, spread) = (mass * share, libm::log(end_here / start));
            if spread > 0.0 {
                mean += inside * (end_here - start) / spread;
            }
            below += inside;
        }
        Ok((mean + (1.0 - below).max(0.0) * highest).max(1.0))
    }
}

/// The run time, in seconds, that this share of a distribution does not exceed; `None` where that is the limit.
fn cut_at(within: &Within<'_>, quantile: f64) -> Option<f64> {
    let (mut below, mut last) = (0.0, None);
    for piece in within.cut.pieces() {
        if below + piece.mass >= quantile {
            let share = ((quantile - below) / piece.mass).clamp(0.0, 1.0);
            let end = piece.start * libm::exp(share * libm::log(piece.end / piece.start));
            return Some(end.min(piece.end));
        }
        below += piece.mass;
        last = Some(piece.end);
    }
    // Rounding may leave the sum a hair below 1.
    last.filter(|_| within.at_limit <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::runtime::MAX_SECONDS;
    use crate::runtime::RuntimeBins;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn decades(counts: &[f64]) -> RuntimeDistribution {
        RuntimeDistribution::from_counts(&RuntimeBins::new(10.0, 10.0, counts.len()).unwrap(), counts)
            .unwrap()
    }

    fn remaining(distribution: &RuntimeDistribution, age: i64, limit: i64, k: usize) -> Vec<(i64, f64)> {
        let mut out = [Release::default(); 512];
        let count = distribution.remaining_within(age, limit, k, &mut out).unwrap();
        out[..count].iter().map(|r| (r.after, r.probability)).collect()
    }

    /// Bins [1,10) [10,100) [100,1000) [1000,10000) of a quarter each, in logarithms of ten.
    #[test]
    fn what_lies_beyond_the_limit_ends_there_by_hand() {
        let quarters = decades(&[1.0; 4]);
        let quantiles =
            |age, limit| [0.1, 0.25, 0.375, 0.5, 0.6, 1.0].map(|q| quarters.quantile(q, age, limit).unwrap());
        // 10^(4q) up to the limit: 2.51, 10, 31.6, 100.
        assert_eq!(quantiles(0, 100), [3, 10, 32, 100, 100, 100]);
        assert_eq!(quantiles(0, 50), [3, 10, 32, 50, 50, 50]);
        // Algorithm 5 has the half below 100 s for all: 10^(2q).
        let cut = [0.1, 0.5, 1.0].map(|q| quarters.quantile_cut(q, 0, 100).unwrap());
        assert_eq!(cut, [2, 10, 100]);
        // At age 10 three quarters are left: 10^(1 + 3q) - 10.
        assert_eq!(quantiles(10, 1000), [10, 47, 124, 307, 621, 990]);
        let third = 1.0 / 3.0;
        for (found, by_hand) in
            remaining(&quarters, 10, 1000, 1).iter().zip([(90, third), (990, 2.0 * third)])
        {
            assert!(found.0 == by_hand.0 && (found.1 - by_hand.1).abs() < 1e-15, "{found:?}");
        }
        // The limit divides a bin: its lower part and all else are one event.
        let halves = remaining(&decades(&[1.0, 1.0, 0.0]), 0, 50, 1);
        assert_eq!((halves.len(), halves[0], halves[1].0), (2, (10, 0.5), 50));
        // Between the last bin with anything below the limit and the limit lies a bin with nothing.
        assert_eq!(remaining(&decades(&[1.0, 0.0, 1.0]), 0, 50, 2), [(4, 0.25), (10, 0.25), (50, 0.5)]);
        assert_eq!(decades(&[1.0, 0.0, 1.0]).mean_within(50, 1.0).unwrap(), 25.0 + 4.5 / libm::log(10.0));
    }

    #[test]
    fn the_exhausted_cases() {
        let short = decades(&[1.0, 0.0, 0.0]);
        for (distribution, age, limit, expected) in [
            (&short, 50, 200, 150),
            (&short, 200, 200, 1),
            (&short, 500, 200, 1),
            (&decades(&[0.0, 0.0, 1.0]), 0, 50, 50),
            (&decades(&[0.0, 0.0, 1.0]), 60, 50, 1),
            (&RuntimeDistribution::limit(), 0, 0, 1),
            (&RuntimeDistribution::limit(), 20, 90, 70),
            (&RuntimeDistribution::single(100).unwrap(), 40, 200, 60),
            (&RuntimeDistribution::single(100).unwrap(), 40, 80, 40),
            (&RuntimeDistribution::single(100).unwrap(), 100, 200, 100),
        ] {
            assert_eq!(remaining(distribution, age, limit, 3), [(expected, 1.0)]);
            for q in [0.0, 0.5, 1.0] {
                assert_eq!(distribution.quantile(q, age, limit), Ok(expected));
            }
        }
    }

    #[test]
    fn refuses_bad_arguments() {
        let distribution = decades(&[1.0, 1.0]);
        let mut out = [Release::default(); 8];
        for (age, limit, k) in [(-1, 5, 1), (5, -1, 1), (i64::MIN, 5, 1), (0, 5, 0), (0, 5, 17)] {
            assert_eq!(distribution.remaining_within(age, limit, k, &mut out), Err(Error::OutOfRange));
        }
        assert_eq!(distribution.remaining_within(0, MAX_SECONDS + 1, 1, &mut out), Err(Error::SpanTooLong));
        assert_eq!(distribution.remaining_within(0, 5, 5, &mut out), Err(Error::Full));
        assert_eq!(distribution.quantile(f64::NAN, 0, 5), Err(Error::NotANumber));
        assert_eq!(distribution.quantile(1.5, 0, 5), Err(Error::OutOfRange));
        assert_eq!(distribution.quantile(0.5, -1, 5), Err(Error::OutOfRange));
        assert_eq!(distribution.quantile(0.5, 0, MAX_SECONDS + 1), Err(Error::SpanTooLong));
        assert_eq!(distribution.mean_within(5, f64::NAN), Err(Error::NotANumber));
    }

    /// The share of the run times above an age that are no longer than `time`, integrated over the bins.
    fn share_by(bins: &RuntimeBins, counts: &[f64], age: f64, time: f64) -> Option<f64> {
        let (mut by, mut all) = (0.0, 0.0);
        for (bin, count) in counts.iter().enumerate() {
            let low = bins.lower(bin).unwrap();
            let high = match bins.upper(bin).unwrap() {
                f64::INFINITY => low.max(age) * bins.ratio(),
                high => high,
            };
            // Density of the bin's count in the logarithm of the run time.
            let length = |from: f64, to: f64| (to.clamp(low, high) / from.clamp(low, high)).ln();
            let density = count / length(low, high);
            by += density * length(age, time.max(age));
            all += density * length(age, high);
        }
        (all > 0.0).then(|| by / all)
    }

    proptest! {
        /// Compares with the share that has ended by each second, which is 1 at the limit: a quantile is the first
        /// whole second with at least that share, and an event's second the one at which the sum of the releases
        /// reaches it.
        #[test]
        fn quantiles_and_releases_are_those_of_the_share_that_has_ended(
            counts in proptest::collection::vec(prop_oneof![Just(0.0), 0.5f64..5.0], 1..20),
            ratio in 1.2f64..2.2,
            age in prop_oneof![Just(0i64), 0i64..200, 0i64..1_000_000],
            limit in prop_oneof![0i64..200, 0i64..1_000_000, Just(MAX_SECONDS)],
            k in 1usize..=16,
            q in 0.0f64..1.0,
        ) {
            let bins = RuntimeBins::new(1.5, ratio, counts.len()).unwrap();
            let distribution = RuntimeDistribution::from_counts(&bins, &counts).unwrap();
            let rest = (limit - age).max(1);
            let ended = |after: i64| match share_by(&bins, &counts, age as f64, (age + after) as f64) {
                Some(share) if after < rest => share,
                None if after < rest => 0.0,
                _ => 1.0,
            };
            for q in [0.0, q, 0.5, 0.95, 1.0] {
                let seconds = distribution.quantile(q, age, limit).unwrap();
                prop_assert!((1..=rest).contains(&seconds));
                prop_assert!(ended(seconds) >= q - 1e-9, "{q}: {seconds} {}", ended(seconds));
                prop_assert!(seconds == 1 || ended(seconds - 1) <= q + 1e-9, "{q}: {seconds}");
            }
            let releases = remaining(&distribution, age, limit, k);
            prop_assert!(releases.len() <= distribution.max_releases(k));
            prop_assert!(releases.windows(2).all(|w| w[0].0 < w[1].0));
            let mut sum = 0.0;
            for (after, probability) in releases {
                sum += probability;
                prop_assert!((1..=rest).contains(&after) && probability > 0.0);
                // All of an interval's probability is at its end, rounded up.
                prop_assert!(sum <= ended(after) + 1e-9 && sum >= ended(after - 1) - 1e-9, "{after}: {sum}");
            }
            prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }

        /// Both ways agree where nothing lies beyond the limit.
        #[test]
        fn without_a_limit_it_is_algorithm_5(
            counts in proptest::collection::vec(prop_oneof![Just(0.0), 0.5f64..5.0], 1..20),
            age in 0i64..10_000,
            q in 0.0f64..1.0,
        ) {
            let bins = RuntimeBins::new(1.5, 1.8, counts.len()).unwrap();
            let distribution = RuntimeDistribution::from_counts(&bins, &counts).unwrap();
            let both = [RuntimeDistribution::quantile, RuntimeDistribution::quantile_cut]
                .map(|quantile| quantile(&distribution, q, age, MAX_SECONDS).unwrap());
            prop_assert!((both[0] - both[1]).abs() <= 1, "{both:?}");
        }
    }
}
