//! The predicted distribution of one job's run time.

use crate::error::{Error, Result};
#[cfg(feature = "capi")]
use crate::memory::copy;
#[cfg(feature = "capi")]
use crate::runtime::RawBins;
use crate::runtime::bins::collect;
use crate::runtime::view::{View, total};
use crate::runtime::{MAX_BINS, RuntimeBins, check_span};
use heapless::Vec;

/// The distribution of one job's run time, before anything is known of its age.
#[derive(Debug, Clone, PartialEq)]
pub struct RuntimeDistribution(pub(crate) Shape);

#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // no heap to put it on
pub(crate) enum Shape {
    /// Nothing is known: the job runs to its limit.
    Limit,
    /// One value, in seconds, with probability 1.
    Single(i64),
    /// Probabilities of the bins, which sum to 1.
    Binned { bins: RuntimeBins, probabilities: Vec<f64, MAX_BINS> },
}

/// Adds the weight of each sample to the count of its bin.
pub(crate) fn count_samples(
    samples: impl IntoIterator<Item = (i64, f64)>,
    bin_of: impl Fn(f64) -> usize,
    counts: &mut [f64],
) -> Result<()> {
    for (seconds, weight) in samples {
        if weight.is_nan() {
            return Err(Error::NotANumber);
        }
        if weight < 0.0 {
            return Err(Error::OutOfRange);
        }
        check_span(seconds)?;
        if let Some(count) = counts.get_mut(bin_of(seconds as f64)) {
            *count += weight;
        }
    }
    Ok(())
}

impl View<'_> {
    /// The same by itself.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for more bins than there can be.
    pub(crate) fn owned(&self) -> Result<RuntimeDistribution> {
        let mut made = RuntimeDistribution::limit();
        made.take_over(self).map(|()| made)
    }
}

impl RuntimeDistribution {
    /// Nothing is known: the job is expected to run exactly to its time limit, as EASY assumes.
    pub const fn limit() -> RuntimeDistribution {
        RuntimeDistribution(Shape::Limit)
    }

    /// A prediction of one value, in seconds (0 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)).
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::SpanTooLong`].
    pub fn single(seconds: i64) -> Result<RuntimeDistribution> {
        check_span(seconds)?;
        Ok(RuntimeDistribution(Shape::Single(seconds)))
    }

    /// The distribution proportional to `counts`, one non-negative number a bin. When all are zero nothing is known,
    /// and the result is [`RuntimeDistribution::limit`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when there are not as many counts as bins, one is negative or infinite, or their sum
    /// overflows; [`Error::NotANumber`].
    pub fn from_counts(bins: &RuntimeBins, counts: &[f64]) -> Result<RuntimeDistribution> {
        if counts.len() != bins.count() {
            return Err(Error::OutOfRange);
        }
        let total = total(counts)?;
        if total == 0.0 {
            return Ok(RuntimeDistribution::limit());
        }
        let probabilities = collect(counts.iter().map(|count| count / total));
        Ok(RuntimeDistribution(Shape::Binned { bins: bins.clone(), probabilities }))
    }

    /// The distribution of samples `(run time in seconds, weight)`; weights are non-negative. Without any weight
    /// nothing is known, and the result is [`RuntimeDistribution::limit`]. O(samples x log bins).
    ///
    /// # Errors
    /// [`Error::SpanTooLong`]; [`Error::OutOfRange`] for a negative run time, a negative or infinite weight, or weights
    /// whose sum overflows; [`Error::NotANumber`].
    pub fn from_samples(
        bins: &RuntimeBins,
        samples: impl IntoIterator<Item = (i64, f64)>,
    ) -> Result<RuntimeDistribution> {
        let mut counts = [0.0; MAX_BINS];
        count_samples(samples, |seconds| bins.bin_of(seconds), &mut counts)?;
        RuntimeDistribution::from_counts(bins, counts.get(..bins.count()).unwrap_or(&[]))
    }

    /// Becomes the distribution that lies there. It is large: one that is returned would be copied.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for more bins than there can be.
    pub(crate) fn take_over(&mut self, view: &View<'_>) -> Result<()> {
        match view {
            View::Limit => self.0 = Shape::Limit,
            View::Single(seconds) => self.0 = Shape::Single(*seconds),
            View::Binned(binned) => {
                self.0 = Shape::Binned { bins: RuntimeBins::like(binned), probabilities: Vec::new() };
                if let Shape::Binned { bins, probabilities } = &mut self.0 {
                    bins.fill(binned)?;
                    probabilities.extend_from_slice(binned.probabilities).map_err(|()| Error::Corrupt)?;
                }
            }
        }
        Ok(())
    }

    /// The distribution where it lies.
    pub(crate) fn view(&self) -> View<'_> {
        match &self.0 {
            Shape::Limit => View::Limit,
            Shape::Single(seconds) => View::Single(*seconds),
            Shape::Binned { bins, probabilities } => View::Binned(bins.with(probabilities)),
        }
    }

    /// The value of a prediction of one.
    pub(crate) fn single_value(&self) -> Option<i64> {
        match &self.0 {
            Shape::Single(seconds) => Some(*seconds),
            _ => None,
        }
    }

    /// The bins and their probabilities; `None` for a single value and for "nothing known".
    pub fn binned(&self) -> Option<(&RuntimeBins, &[f64])> {
        match &self.0 {
            Shape::Binned { bins, probabilities } => Some((bins, probabilities)),
            _ => None,
        }
    }
}

/// A distribution as plain data, for blocks of caller's memory.
#[cfg(feature = "capi")]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct RawDistribution {
    /// 0 the limit, 1 a single value, 2 bins.
    shape: u64,
    single: i64,
    bins: RawBins,
    probabilities: [f64; MAX_BINS],
}

#[cfg(feature = "capi")]
impl RawDistribution {
    /// Becomes this distribution; it is zeros before.
    pub(crate) fn write(&mut self, view: &View<'_>) {
        match view {
            View::Limit => (),
            View::Single(seconds) => (self.shape, self.single) = (1, *seconds),
            View::Binned(binned) => {
                self.shape = 2;
                self.bins.write(binned);
                copy(&mut self.probabilities, binned.probabilities);
            }
        }
    }

    /// The distribution where it lies.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when it is no valid distribution.
    pub(crate) fn view(&self) -> Result<View<'_>> {
        match self.shape {
            0 => Ok(View::Limit),
            1 => View::single(self.single).map_err(|_| Error::Corrupt),
            2 => {
                let probabilities = self.probabilities.get(..self.bins.count()).ok_or(Error::Corrupt)?;
                self.bins.with(probabilities, 1.0)
            }
            _ => Err(Error::Corrupt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_probabilities() {
        let bins = RuntimeBins::new(10.0, 10.0, 3).unwrap();
        let distribution = RuntimeDistribution::from_counts(&bins, &[1.0, 0.0, 3.0]).unwrap();
        assert_eq!(distribution.binned().unwrap().1, [0.25, 0.0, 0.75]);
        let samples = [(5, 0.5), (100, 1.0), (5000, 0.5)];
        assert_eq!(RuntimeDistribution::from_samples(&bins, samples).unwrap(), distribution);
    }

    #[test]
    fn nothing_means_the_limit() {
        let bins = RuntimeBins::default();
        assert_eq!(RuntimeDistribution::from_samples(&bins, []).unwrap(), RuntimeDistribution::limit());
        assert_eq!(
            RuntimeDistribution::from_counts(&bins, &[0.0; 24]).unwrap(),
            RuntimeDistribution::limit()
        );
    }

    #[test]
    fn refuses_bad_counts_and_samples() {
        let bins = RuntimeBins::new(10.0, 10.0, 3).unwrap();
        let counts = |c: &[f64]| RuntimeDistribution::from_counts(&bins, c).unwrap_err();
        assert_eq!(counts(&[1.0, 1.0]), Error::OutOfRange);
        assert_eq!(counts(&[1.0; 4]), Error::OutOfRange);
        assert_eq!(counts(&[1.0, -1.0, 1.0]), Error::OutOfRange);
        assert_eq!(counts(&[1.0, f64::NAN, 1.0]), Error::NotANumber);
        assert_eq!(counts(&[1.0, f64::INFINITY, 1.0]), Error::OutOfRange);
        assert_eq!(counts(&[f64::MAX, f64::MAX, 1.0]), Error::OutOfRange);
        let sample = |s, w| RuntimeDistribution::from_samples(&bins, [(s, w)]).unwrap_err();
        assert_eq!(sample(-1, 1.0), Error::OutOfRange);
        assert_eq!(sample(crate::runtime::MAX_SECONDS + 1, 1.0), Error::SpanTooLong);
        assert_eq!(sample(1, f64::NAN), Error::NotANumber);
        assert_eq!(sample(1, -0.5), Error::OutOfRange);
        assert_eq!(RuntimeDistribution::single(-1), Err(Error::OutOfRange));
    }
}
