//! A distribution where it lies: in an object of the caller's, or in a block. Bins and probabilities are a kilobyte and
//! a half, which are not copied only to be asked.

use crate::error::{Error, Result};
use crate::runtime::{RawBins, check_span};

/// The sum of counts, each of which must be a count.
pub(super) fn total(counts: &[f64]) -> Result<f64> {
    let mut total = 0.0;
    for &count in counts {
        if count.is_nan() {
            return Err(Error::NotANumber);
        }
        if count < 0.0 {
            return Err(Error::OutOfRange);
        }
        total += count;
    }
    if f64::is_finite(total) { Ok(total) } else { Err(Error::OutOfRange) }
}

/// Makes counts the probabilities of [`from_counts`](crate::runtime::RuntimeDistribution::from_counts); false where
/// nothing is known.
pub(crate) fn share_out(counts: &mut [f64]) -> Result<bool> {
    let total = total(counts)?;
    if total == 0.0 {
        return Ok(false);
    }
    counts.iter_mut().for_each(|count| *count /= total);
    Ok(true)
}

/// See [`RuntimeDistribution`](crate::runtime::RuntimeDistribution).
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
    /// [`from_counts`](crate::runtime::RuntimeDistribution::from_counts).
    ///
    /// # Errors
    /// Those of `from_counts`; [`Error::Corrupt`].
    pub(crate) fn of_counts(bins: &'d RawBins, counts: &'d mut [f64]) -> Result<View<'d>> {
        let edges = bins.checked()?;
        if counts.len() != edges.len() {
            return Err(Error::OutOfRange);
        }
        if share_out(counts)? { Ok(View::Binned(bins.binned(counts))) } else { Ok(View::Limit) }
    }
}
