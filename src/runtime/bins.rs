//! Logarithmic runtime bins: the map from a run time to its bin and back to the bin's edges.

use crate::error::{Error, Result};
#[cfg(feature = "capi")]
use crate::memory::copy;
use crate::runtime::MAX_SECONDS;
use crate::runtime::view::{Binned, View};
use heapless::Vec;

/// The largest number of bins.
pub const MAX_BINS: usize = 96;

/// Smallest start of the first bin, in seconds: far below any clock, far above what a logarithm cannot take.
const SMALLEST_EDGE: f64 = 1e-9;

/// Runtime bins with logarithmically spaced edges.
///
/// With first edge `f` and ratio `r`, bin 0 holds run times below `f`, bin `j` holds `[f r^(j-1), f r^j)`, and the last
/// bin is open upwards (a job's time limit closes it). An edge belongs to the bin above it.
///
/// The defaults are the papers' ratio 1.8 with a first edge of 1.5 s: run times are rounded to seconds, so what is
/// below 1.5 s is merely "very short". For logarithms the first bin starts at `min(1, f / r)` seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct RuntimeBins {
    ratio: f64,
    ln_ratio: f64,
    /// Lower edges; `edges[0]` is the place where the first bin starts for the logarithm.
    edges: Vec<f64, MAX_BINS>,
}

impl RuntimeBins {
    /// Bins with the given first edge (seconds, positive), ratio of neighbouring edges (> 1) and number of bins
    /// (1 to [`MAX_BINS`], the open one included).
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] also when two edges would coincide, the last lies beyond
    /// [`MAX_SECONDS`], or `first / ratio` is below a nanosecond.
    pub fn new(first: f64, ratio: f64, count: usize) -> Result<RuntimeBins> {
        if first.is_nan() || ratio.is_nan() {
            return Err(Error::NotANumber);
        }
        if !(first > 0.0 && first.is_finite() && ratio > 1.0 && ratio.is_finite()) {
            return Err(Error::OutOfRange);
        }
        if count == 0 || count > MAX_BINS {
            return Err(Error::OutOfRange);
        }
        let mut edges = Vec::new();
        let mut last = (first / ratio).min(1.0);
        if last < SMALLEST_EDGE {
            return Err(Error::OutOfRange);
        }
        edges.push(last).map_err(|_| Error::OutOfRange)?;
        for j in 1..count {
            // From the definition, not by repeated multiplication: the error does not grow with j.
            let edge = first * libm::pow(ratio, (j - 1) as f64);
            if !(edge > last && edge <= MAX_SECONDS as f64) {
                return Err(Error::OutOfRange);
            }
            edges.push(edge).map_err(|_| Error::OutOfRange)?;
            last = edge;
        }
        Ok(RuntimeBins { ratio, ln_ratio: libm::log(ratio), edges })
    }

    /// The fewest bins with this first edge and ratio whose last, open bin starts above `longest` seconds.
    ///
    /// # Errors
    /// As [`RuntimeBins::new`]; [`Error::OutOfRange`] also when more than [`MAX_BINS`] bins would be needed.
    pub fn covering(first: f64, ratio: f64, longest: i64) -> Result<RuntimeBins> {
        if !(0..=MAX_SECONDS).contains(&longest) {
            return Err(Error::OutOfRange);
        }
        for count in 2..=MAX_BINS {
            let bins = RuntimeBins::new(first, ratio, count)?;
            if bins.edges.last().is_some_and(|&edge| edge > longest as f64) {
                return Ok(bins);
            }
        }
        Err(Error::OutOfRange)
    }

    /// The number of bins.
    pub fn count(&self) -> usize {
        self.edges.len()
    }

    /// The ratio of neighbouring edges.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Bins of this ratio that are still without edges.
    pub(super) fn like(binned: &Binned<'_>) -> RuntimeBins {
        RuntimeBins { ratio: binned.ratio, ln_ratio: binned.ln_ratio, edges: Vec::new() }
    }

    /// Takes these edges over.
    pub(super) fn fill(&mut self, binned: &Binned<'_>) -> Result<()> {
        self.edges.extend_from_slice(binned.edges).map_err(|()| Error::Corrupt)
    }

    /// The bins with these probabilities.
    pub(super) fn with<'d>(&'d self, probabilities: &'d [f64]) -> Binned<'d> {
        let RuntimeBins { ratio, ln_ratio, edges } = self;
        Binned { ratio: *ratio, ln_ratio: *ln_ratio, edges, probabilities }
    }

    /// The bin that holds a run time in seconds; negative run times are in bin 0. O(log of the number of bins).
    pub fn bin_of(&self, seconds: f64) -> usize {
        self.edges.partition_point(|&edge| edge <= seconds).saturating_sub(1)
    }

    /// The start of a bin, in seconds. For the first bin this is the edge used for logarithms; run times below it are
    /// in the bin all the same. `None` when there is no such bin.
    pub fn lower(&self, bin: usize) -> Option<f64> {
        self.edges.get(bin).copied()
    }

    /// The end of a bin, in seconds (exclusive): infinity for the last bin, `None` when there is no such bin.
    pub fn upper(&self, bin: usize) -> Option<f64> {
        match self.edges.get(bin.checked_add(1)?) {
            Some(&edge) => Some(edge),
            None if bin < self.edges.len() => Some(f64::INFINITY),
            None => None,
        }
    }
}

/// At most [`MAX_BINS`] numbers, one a bin; those beyond are left out. (A list's own `collect` panics there. Lists that
/// are cloned as a whole are heapless's, whose `clone` contains no panic; arrayvec's does.)
pub(super) fn collect(numbers: impl Iterator<Item = f64>) -> Vec<f64, MAX_BINS> {
    let mut collected = Vec::new();
    for number in numbers.take(MAX_BINS) {
        let _ = collected.push(number);
    }
    collected
}

/// Bins as plain data, for blocks of caller's memory.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct RawBins {
    ratio: f64,
    ln_ratio: f64,
    count: u64,
    edges: [f64; MAX_BINS],
}

impl RawBins {
    /// Becomes these bins; those beyond stay as they are.
    #[cfg(feature = "capi")]
    pub(super) fn write(&mut self, binned: &Binned<'_>) {
        (self.ratio, self.ln_ratio, self.count) = (binned.ratio, binned.ln_ratio, binned.edges.len() as u64);
        copy(&mut self.edges, binned.edges);
    }

    pub(crate) fn new(bins: &RuntimeBins) -> RawBins {
        let mut edges = [0.0; MAX_BINS];
        for (raw, edge) in edges.iter_mut().zip(&bins.edges) {
            *raw = *edge;
        }
        RawBins { ratio: bins.ratio, ln_ratio: bins.ln_ratio, count: bins.count() as u64, edges }
    }

    /// The number of bins.
    #[cfg(feature = "capi")]
    pub(crate) fn count(&self) -> usize {
        usize::try_from(self.count).unwrap_or(usize::MAX)
    }

    /// Whether there are this many bins, whatever their edges: enough for the bin of a run time to be one of them.
    pub(crate) fn number(&self, count: u32) -> bool {
        self.count == u64::from(count) && count as usize <= MAX_BINS
    }

    fn edges(&self) -> &[f64] {
        usize::try_from(self.count).ok().and_then(|count| self.edges.get(..count)).unwrap_or(&[])
    }

    /// The bin of a run time: see [`RuntimeBins::bin_of`].
    pub(crate) fn bin_of(&self, seconds: f64) -> usize {
        self.edges().partition_point(|&edge| edge <= seconds).saturating_sub(1)
    }

    /// The start of the bin above this one, in seconds; infinity for the last.
    pub(crate) fn upper(&self, bin: usize) -> f64 {
        self.edges().get(bin.saturating_add(1)).copied().unwrap_or(f64::INFINITY)
    }

    /// Position of a run time in its bin, in the logarithm, from 0 at the start to 1 at the end; `None` in the first
    /// bin and the last, which have no such ends.
    pub(crate) fn share(&self, bin: usize, seconds: f64) -> Option<f64> {
        let inner = bin > 0 && bin.saturating_add(1) < self.edges().len();
        let lower = self.edges().get(bin).filter(|_| inner)?;
        Some((libm::log(seconds / lower) / self.ln_ratio).clamp(0.0, 1.0))
    }

    /// The edges.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when these are no valid bins.
    pub(crate) fn checked(&self) -> Result<&[f64]> {
        let edges = usize::try_from(self.count).ok().filter(|&count| count > 0);
        let edges = edges.and_then(|count| self.edges.get(..count)).ok_or(Error::Corrupt)?;
        // All are compared, without a branch for each: what is sound is compared to its end anyway.
        let higher = edges.get(1..).unwrap_or_default();
        let increasing = edges.iter().zip(higher).fold(true, |so_far, (low, high)| so_far & (low < high));
        let positive = edges.first().is_some_and(|&edge| edge > 0.0);
        let sound = increasing && positive && self.ratio > 1.0 && self.ln_ratio > 0.0;
        if sound { Ok(edges) } else { Err(Error::Corrupt) }
    }

    /// Whether these are valid bins, of this number.
    pub(crate) fn are(&self, count: u32) -> bool {
        self.checked().is_ok_and(|edges| edges.len() == count as usize)
    }

    /// The bins with these probabilities, one for each and none above `most`.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when they are no valid bins, or these no probabilities.
    pub(crate) fn with<'d>(&'d self, probabilities: &'d [f64], most: f64) -> Result<View<'d>> {
        self.checked()?;
        View::restored(self.binned(probabilities), most)
    }

    /// These bins with these probabilities.
    pub(super) fn binned<'d>(&'d self, probabilities: &'d [f64]) -> Binned<'d> {
        Binned { ratio: self.ratio, ln_ratio: self.ln_ratio, edges: self.edges(), probabilities }
    }

    /// These bins with these probabilities, unchecked.
    pub(crate) fn view<'d>(&'d self, probabilities: &'d [f64]) -> View<'d> {
        View::Binned(self.binned(probabilities))
    }

    /// Whether these are those bins.
    pub(crate) fn are_those(&self, bins: &RuntimeBins) -> bool {
        (self.ratio, self.ln_ratio) == (bins.ratio, bins.ln_ratio) && self.edges() == bins.edges.as_slice()
    }

    /// The bins again.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when they are no valid bins.
    pub(crate) fn bins(&self) -> Result<RuntimeBins> {
        let edges = Vec::from_slice(self.checked()?).map_err(|()| Error::Corrupt)?;
        Ok(RuntimeBins { ratio: self.ratio, ln_ratio: self.ln_ratio, edges })
    }
}

impl Default for RuntimeBins {
    /// The papers' bins: ratio 1.8, first edge 1.5 s, 24 bins; the last starts at 7.2 days.
    fn default() -> RuntimeBins {
        let edges = (0..23).map(|j| 1.5 * libm::pow(1.8, f64::from(j)));
        let edges = collect(core::iter::once(1.5 / 1.8).chain(edges));
        RuntimeBins { ratio: 1.8, ln_ratio: libm::log(1.8), edges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_default_is_what_new_makes() {
        assert_eq!(RuntimeBins::default(), RuntimeBins::new(1.5, 1.8, 24).unwrap());
        assert_eq!(RuntimeBins::default(), RuntimeBins::covering(1.5, 1.8, 600_000).unwrap());
    }

    #[test]
    fn edges_belong_to_the_bin_above() {
        let bins = RuntimeBins::new(10.0, 10.0, 4).unwrap();
        let found = [0.0, 9.0, 9.999, 10.0, 99.0, 100.0, 999.999, 1000.0, 1e9].map(|s| bins.bin_of(s));
        assert_eq!(found, [0, 0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(bins.upper(3), Some(f64::INFINITY));
        assert_eq!(bins.upper(4), None);
        assert_eq!(bins.upper(usize::MAX), None);
        assert_eq!(bins.lower(0), Some(1.0));
    }

    #[test]
    fn refuses_what_makes_no_bins() {
        for (first, ratio, count, error) in [
            (f64::NAN, 1.8, 5, Error::NotANumber),
            (1.0, f64::NAN, 5, Error::NotANumber),
            (0.0, 1.8, 5, Error::OutOfRange),
            (-1.0, 1.8, 5, Error::OutOfRange),
            (f64::INFINITY, 1.8, 5, Error::OutOfRange),
            (1.0, 1.0, 5, Error::OutOfRange),
            (1.0, f64::INFINITY, 5, Error::OutOfRange),
            (1.0, 1.8, 0, Error::OutOfRange),
            (1.0, 1.2, MAX_BINS + 1, Error::OutOfRange),
            (1.0, 1.0 + f64::EPSILON / 2.0, 5, Error::OutOfRange),
            (1.0, 1e30, 5, Error::OutOfRange),
            (1e-300, 1e300, 2, Error::OutOfRange),
        ] {
            assert_eq!(RuntimeBins::new(first, ratio, count), Err(error), "{first} {ratio} {count}");
        }
        assert_eq!(RuntimeBins::covering(1.0, 1.0001, 1000), Err(Error::OutOfRange));
    }

    proptest! {
        #[test]
        fn every_run_time_is_inside_its_bin(first in 0.1f64..100.0, ratio in 1.05f64..2.5, seconds in 0i64..10_000_000) {
            let bins = RuntimeBins::new(first, ratio, 20).unwrap();
            let bin = bins.bin_of(seconds as f64);
            prop_assert!(bin == 0 || bins.lower(bin).unwrap() <= seconds as f64);
            prop_assert!((seconds as f64) < bins.upper(bin).unwrap());
            // Exact at every edge.
            for j in 1..bins.count() {
                let edge = bins.lower(j).unwrap();
                prop_assert_eq!(bins.bin_of(edge), j);
                prop_assert_eq!(bins.bin_of(edge.next_down()), j - 1);
            }
        }
    }
}
