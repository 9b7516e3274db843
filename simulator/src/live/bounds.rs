//! Whether the bounds on waits that would have been given in the past have held, and by how much they were too short.
//!
//! A bound is to hold for 95 of 100 jobs. At each start that comes after a predicted one the wait is divided by the
//! bound that was predicted. Bounds are multiplied now by the factor by which 95 of 100 such bounds would have held.
//! A bound that has passed while its job still waits has failed by a factor that is not known: where there are too
//! many of these, as in a jam that is longer than all before, no bound is given.

use std::collections::VecDeque;
use surefill::engine::LEVELS;

/// Number of bounds that are remembered, and from which on they count.
const MEMORY: usize = 2000;
const FEWEST: usize = 20;

/// The largest factor: with a larger one the predictions have not described the queue.
const LARGEST: f64 = 10.0;

/// Seconds by which waits and bounds are longer here, as starts a minute apart are the same.
const MINUTE: f64 = 60.0;

/// The share of bounds that are to hold.
pub(super) const LAST: f64 = LEVELS[LEVELS.len() - 1];

/// The waits of the latest bounds, as multiples of these.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds(VecDeque<f64>);

impl Bounds {
    /// Notes that a job has waited for so long after this bound was predicted; none for one that still waits though
    /// it has passed.
    pub(super) fn judge(&mut self, wait: Option<i64>, bound: i64) {
        if self.0.len() == MEMORY {
            self.0.pop_front();
        }
        let times = |wait: i64| (wait as f64 + MINUTE) / (bound.max(0) as f64 + MINUTE);
        self.0.push_back(wait.map_or(f64::INFINITY, times));
    }

    /// Whether there are enough of them to count.
    pub(super) fn is_tried(&self) -> bool {
        self.0.len() >= FEWEST
    }

    /// The factor by which bounds would have held; none where that is not known, or too large.
    pub(super) fn factor(&self) -> Option<f64> {
        if !self.is_tried() {
            return Some(1.0);
        }
        let mut all: Vec<f64> = self.0.iter().copied().collect();
        all.sort_by(f64::total_cmp);
        let place = (LAST * all.len() as f64).ceil() as usize;
        all.get(place.saturating_sub(1))
            .copied()
            .map(|factor| factor.max(1.0))
            .filter(|&factor| factor <= LARGEST)
    }
}

/// A bound, in seconds, multiplied by a factor.
pub(super) fn multiplied(bound: i64, factor: f64) -> i64 {
    ((bound as f64 + MINUTE) * factor - MINUTE).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_that_by_which_bounds_would_have_held() {
        let mut bounds = Bounds::default();
        (0..19).for_each(|_| bounds.judge(Some(540), 60));
        assert_eq!(bounds.factor(), Some(1.0));
        (0..76).for_each(|_| bounds.judge(Some(0), 600));
        // Five in a hundred may fail.
        (0..5).for_each(|_| bounds.judge(None, 60));
        assert_eq!(bounds.factor(), Some(5.0));
        bounds.judge(None, 60);
        assert_eq!(bounds.factor(), None);
        (0..MEMORY).for_each(|_| bounds.judge(Some(60), 600));
        assert_eq!(bounds.factor(), Some(1.0));
    }
}
