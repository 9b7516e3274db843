//! The waits that an answer rests on, in order of length: a series of the history, or the waits of the jobs most like
//! this one ([`Window`]).

use crate::error::{Error, Result};
use crate::math::chances::{HORIZONS, Shares};
use crate::wait::estimate::whole_seconds;
use crate::wait::history::{Series, View};
use crate::wait::levels::tail_of;
use crate::wait::rings::Neighbour;
use crate::wait::visible::Visible;

/// The most waits of a window.
pub(super) const WINDOW: usize = 300;

/// Beyond the longest wait, a bound grows with the tail's e to this power.
pub(super) const BEYOND: f64 = 0.25;

/// The smallest tail of a bound.
const LEAST_TAIL: f64 = 0.02;

/// Bits of a digit by which waits are sorted, at most.
const DIGIT: u32 = 9;

/// The waits of some jobs, sorted.
#[derive(Debug, Clone)]
pub(super) struct Window {
    waits: [u64; WINDOW],
    count: usize,
    /// Bits that any of the waits has.
    bits: u64,
}

impl Window {
    /// The waits of the jobs like one with this index, of those that the model remembers in `sorted`.
    pub(super) fn like(visible: &Visible, sorted: &[Neighbour], index: u32) -> Result<Window> {
        let mut window = Window { waits: [0; WINDOW], count: 0, bits: 0 };
        visible.each_near(sorted, index, WINDOW, |near| window.take(near))?;
        window.sort();
        Ok(window)
    }

    /// Number of waits that an answer of this model rests on.
    pub(super) fn len_of(visible: &Visible) -> u64 {
        visible.remembered().min(WINDOW as u64)
    }

    /// Takes the waits of these jobs, as many as there is room for.
    fn take(&mut self, near: &[Neighbour]) {
        let free = self.waits.get_mut(self.count..).unwrap_or_default();
        self.count += free.len().min(near.len());
        for (wait, other) in free.iter_mut().zip(near) {
            *wait = other.wait;
            self.bits |= other.wait;
        }
    }

    /// Sorts the waits digit by digit from the last one on, as many as the longest has. O(w) for w waits of at most
    /// 2^27 seconds.
    fn sort(&mut self) {
        let bits = u64::BITS - self.bits.leading_zeros();
        let digits = bits.div_ceil(DIGIT);
        let width = bits.div_ceil(digits.max(1));
        for digit in 0..digits {
            self.sort_by_digit(digit * width, width);
        }
    }

    /// Sorts by the digit of this width that begins at this bit; waits with the same one keep their order.
    fn sort_by_digit(&mut self, shift: u32, width: u32) {
        const PLACES: usize = 1 << DIGIT;
        let largest = (1_usize << width.min(DIGIT)) - 1;
        let digit = |wait: u64| (wait >> (shift & 63)) as usize & largest & (PLACES - 1);
        let from = self.waits;
        let known = from.get(..self.count).unwrap_or_default();
        // Number of smaller digits: the place of the first wait with each.
        let mut places = [0_u16; PLACES];
        for &wait in known {
            places.get_mut(digit(wait)).into_iter().for_each(|place| *place += 1);
        }
        let mut before = 0;
        for place in places.iter_mut().take(largest + 1) {
            before += core::mem::replace(place, before);
        }
        for &wait in known {
            let place = places.get_mut(digit(wait)).map(|place| core::mem::replace(place, *place + 1));
            let to = place.and_then(|place| self.waits.get_mut(usize::from(place)));
            to.into_iter().for_each(|to| *to = wait);
        }
    }

    fn sorted(&self) -> &[u64] {
        self.waits.get(..self.count).unwrap_or_default()
    }

    pub(super) fn count(&self) -> u64 {
        self.count as u64
    }

    /// Number of waits that are shorter than this.
    fn shorter(&self, wait: u64) -> usize {
        self.sorted().partition_point(|other| *other < wait)
    }
}

/// Sorted waits.
#[derive(Clone, Copy)]
pub(super) enum Sample<'s> {
    Series(View<'s>, &'s Series),
    Window(&'s Window),
}

impl Sample<'_> {
    pub(super) fn count(self) -> u64 {
        match self {
            Sample::Series(_, series) => series.count(),
            Sample::Window(window) => window.count(),
        }
    }

    /// The k-th smallest, counted from 1.
    pub(super) fn select(self, k: u64) -> Result<u64> {
        match self {
            Sample::Series(view, series) => view.select(series, k),
            Sample::Window(window) => {
                let place = usize::try_from(k).ok().and_then(|k| k.checked_sub(1));
                place.and_then(|place| window.sorted().get(place)).copied().ok_or(Error::Corrupt)
            }
        }
    }

    /// Number of waits that are shorter than this.
    pub(super) fn shorter(self, wait: u64) -> Result<u64> {
        match self {
            Sample::Series(view, series) => view.nodes.rank(&series.tree, wait),
            Sample::Window(window) => Ok(window.shorter(wait) as u64),
        }
    }

    /// The share of waits of at most `within` seconds, with half a wait more on either side; 0 when there are no waits.
    pub(super) fn share(self, within: u64) -> Result<f64> {
        let count = self.count();
        let hits = self.shorter(within.saturating_add(1))? as f64;
        Ok(if count == 0 { 0.0 } else { (hits + 0.5) / (count as f64 + 1.0) })
    }

    /// The shares within each of the horizons.
    pub(super) fn shares(self) -> Result<Shares> {
        let mut shares = Shares::default();
        for (share, horizon) in shares.iter_mut().zip(HORIZONS) {
            *share = self.share(horizon)? as f32;
        }
        Ok(shares)
    }

    /// The tail at which the k-th smallest is a bound.
    pub(super) fn tail(self, k: u64) -> f64 {
        tail_of(k as f64 / (self.count() as f64 + 1.0))
    }

    /// The bound at a tail, in seconds: between two waits interpolated in the logarithm of wait and 1 s, beyond the
    /// longest stretched. None without waits.
    pub(super) fn at_tail(self, tail: f64) -> Result<Option<i64>> {
        let count = self.count();
        if count == 0 {
            return Ok(None);
        }
        let (tail, places) = (tail.max(LEAST_TAIL), count as f64 + 1.0);
        let log = |k: u64| Ok::<_, Error>(libm::log(self.select(k)? as f64 + 1.0));
        // A rank that comes within rounding of a whole number is that number.
        let rank = places * -libm::expm1(-tail);
        let near = libm::round(rank);
        let rank = if (rank - near).abs() < 1e-9 * places { near } else { rank };
        let end = libm::log(places);
        if rank >= count as f64 && tail <= end || rank == libm::floor(rank) && rank <= count as f64 {
            let k = (rank as u64).max(1).min(count);
            return self.select(k).and_then(crate::wait::estimate::seconds).map(Some);
        }
        let logarithm = if tail > end {
            log(count)? + BEYOND * (tail - end)
        } else {
            let k = (rank as u64).max(1).min(count);
            let (low, high) = (log(k)?, log((k + 1).min(count))?);
            low + (high - low) * (rank - k as f64).clamp(0.0, 1.0)
        };
        // Keeps rounding alone from adding a second.
        Ok(Some(whole_seconds((libm::exp(logarithm) * (1.0 - 1e-12) - 1.0).max(0.0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn window_of(waits: impl Iterator<Item = u64>) -> Window {
        let mut window = Window { waits: [0; WINDOW], count: 0, bits: 0 };
        waits.for_each(|wait| window.take(&[Neighbour { key: 0, wait }]));
        window.sort();
        window
    }

    #[test]
    fn a_window_is_sorted() {
        let mut random = 5_u64;
        for len in [0, 1, 2, 3, 10, 58, 133, 299, 300, 400] {
            let waits: Vec<u64> = (0..len)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (random >> 33) % (len + 1)
                })
                .collect();
            let window = window_of(waits.iter().copied());
            let mut sorted: Vec<u64> = waits.into_iter().take(WINDOW).collect();
            sorted.sort();
            assert!(sorted.iter().enumerate().all(|(place, wait)| window.sorted().get(place) == Some(wait)));
            let sample = Sample::Window(&window);
            assert_eq!(sample.count(), sorted.len() as u64);
            for (k, wait) in (1..).zip(&sorted) {
                assert_eq!(sample.select(k), Ok(*wait));
                let naive = sorted.iter().filter(|other| *other < wait).count() as u64;
                assert_eq!(sample.shorter(*wait), Ok(naive));
            }
            assert_eq!(sample.select(0), Err(Error::Corrupt));
            assert_eq!(sample.select(sorted.len() as u64 + 1), Err(Error::Corrupt));
        }
    }

    #[test]
    fn tails_are_the_order_statistics_and_rise() {
        let window = window_of((1..=100).map(|wait| wait * wait));
        let sample = Sample::Window(&window);
        for k in 1..=100_u64 {
            // At the smallest ranks the smallest tail holds.
            let wanted = if sample.tail(k) < LEAST_TAIL { 4 } else { (k * k) as i64 };
            let bound = sample.at_tail(sample.tail(k)).unwrap().unwrap();
            assert!(bound == wanted || k < 3 && bound <= wanted, "{k}: {bound}");
        }
        let mut last = 0;
        for step in 0..1000 {
            let bound = sample.at_tail(f64::from(step) / 100.0).unwrap().unwrap();
            assert!(bound >= last, "{step}: {bound} after {last}");
            last = bound;
        }
        // One e-fold beyond the longest.
        let beyond = sample.at_tail(101_f64.ln() + 1.0).unwrap().unwrap();
        assert!((beyond as f64 / (10_001.0 * BEYOND.exp()) - 1.0).abs() < 1e-3, "{beyond}");
        assert_eq!(Sample::Window(&window_of(core::iter::empty())).at_tail(3.0), Ok(None));
    }
}
