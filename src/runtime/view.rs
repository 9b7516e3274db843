//! A distribution where it lies: in an object of the caller's, or in a block. Bins and probabilities are a kilobyte and
//! a half, which are not copied only to be asked.

use crate::error::{Error, Result};
use crate::runtime::condition::Piece;
use crate::runtime::distribution::{RuntimeDistribution, share_out};
use crate::runtime::{RawBins, check_span};

/// See [`RuntimeDistribution`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum View<'d> {
    /// Nothing is known: the job runs to its limit.
    Limit,
    /// One value, in seconds, with probability 1.
    Single(i64),
    /// Probabilities of the bins, which sum to 1.
    Binned(Binned<'d>),
}

/// Bins with their probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Binned<'d> {
    pub ratio: f64,
    pub ln_ratio: f64,
    pub edges: &'d [f64],
    pub probabilities: &'d [f64],
}

impl<'d> View<'d> {
    /// A prediction of one value, in seconds.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::SpanTooLong`].
    pub(crate) fn single(seconds: i64) -> Result<View<'d>> {
        check_span(seconds)?;
        Ok(View::Single(seconds))
    }

    /// Bins with probabilities that were made before, none above `most`.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for numbers that no distribution has.
    pub(crate) fn restored(binned: Binned<'d>, most: f64) -> Result<View<'d>> {
        let Binned { edges, probabilities, .. } = binned;
        let sound =
            probabilities.len() == edges.len() && probabilities.iter().all(|p| (0.0..=most).contains(p));
        if sound { Ok(View::Binned(binned)) } else { Err(Error::Corrupt) }
    }

    /// The distribution proportional to counts, which become its probabilities: see
    /// [`RuntimeDistribution::from_counts`].
    ///
    /// # Errors
    /// As there; [`Error::Corrupt`].
    pub(crate) fn of_counts(bins: &'d RawBins, counts: &'d mut [f64]) -> Result<View<'d>> {
        let edges = bins.checked()?;
        if counts.len() != edges.len() {
            return Err(Error::OutOfRange);
        }
        if share_out(counts)? { Ok(View::Binned(bins.binned(counts))) } else { Ok(View::Limit) }
    }

    /// The same by itself.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for more bins than there can be.
    pub(crate) fn owned(&self) -> Result<RuntimeDistribution> {
        let mut made = RuntimeDistribution::limit();
        made.take_over(self).map(|()| made)
    }
}

impl<'d> Binned<'d> {
    /// The bins with their starts, ends and probabilities; the last ends at infinity.
    pub(super) fn bins(self) -> impl Iterator<Item = (usize, f64, f64, f64)> + Clone + 'd {
        let ends = self.edges.iter().copied().skip(1).chain([f64::INFINITY]);
        let edges = self.edges.iter().copied().zip(ends);
        let bins = edges.zip(self.probabilities.iter().copied()).enumerate();
        bins.map(|(bin, ((lower, upper), probability))| (bin, lower, upper, probability))
    }
}

/// Pieces with their shares of this total instead of their masses.
pub(super) fn shares(
    pieces: impl Iterator<Item = Piece> + Clone,
    total: f64,
) -> impl Iterator<Item = Piece> + Clone {
    pieces.map(move |piece| Piece { mass: piece.mass / total, ..piece })
}
