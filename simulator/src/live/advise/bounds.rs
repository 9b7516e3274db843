//! Whether the bounds that a forecast would have given in the past have held, and by how much they were too short.
//!
//! The .95 level of a start is a bound, and has to hold as often. At each start that comes after a predicted one the
//! wait is divided by the bound that was predicted. Bounds are multiplied now by the factor by which 95 of 100 such
//! bounds would have held. A bound that has passed while its job still waits has failed by a factor that is not known:
//! where there are too many of these, as in a jam that is longer than all before, no bound is given.

use super::starts::{Probability, Quantile, Start};
use std::collections::VecDeque;
use surefill::engine::LEVELS;

/// Number of bounds that are remembered, and from which on they count.
const MEMORY: usize = 2000;
const FEWEST: usize = 20;

/// The largest factor: with a larger one the forecast has not described the pool.
const LARGEST: f64 = 10.0;

/// Seconds by which waits and bounds are longer here, as starts a minute apart are the same.
const MINUTE: f64 = 60.0;

const LAST: f64 = LEVELS[LEVELS.len() - 1];

/// The waits of the latest bounds, as multiples of these.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds(VecDeque<f64>);

impl Bounds {
    /// A job has waited for so long after this bound was predicted; none for one that still waits though it has passed.
    pub fn judge(&mut self, wait: Option<i64>, bound: i64) {
        if self.0.len() == MEMORY {
            self.0.pop_front();
        }
        let times = |wait: i64| (wait as f64 + MINUTE) / (bound.max(0) as f64 + MINUTE);
        self.0.push_back(wait.map_or(f64::INFINITY, times));
    }

    /// The factor by which bounds would have held; none where that is not known, or too large.
    pub fn factor(&self) -> Option<f64> {
        if self.0.len() < FEWEST {
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

/// A predicted start that has not come: when it was predicted, and the instant of its .95 level, if that was known.
pub(super) struct Open {
    pub pool: usize,
    pub when: i64,
    pub bound: Option<i64>,
}

/// Multiplies the bound of a start by this factor, or takes it away, with a note, where there is none.
pub(super) fn correct(start: &mut Start, factor: Option<f64>) {
    let is_bound = |quantile: &Quantile| quantile.probability == LAST;
    if factor == Some(1.0) || !start.quantiles.iter().any(is_bound) {
        return;
    }
    let Some(factor) = factor else {
        start.quantiles.retain(|quantile| !is_bound(quantile));
        start.last.retain(|quantile| !is_bound(quantile));
        let most = LEVELS[LEVELS.len() - 2];
        start.started.iter_mut().for_each(|started| started.probability = started.probability.min(most));
        let note = "no bound: too many of those that would have been given before have failed";
        start.note = Some(start.note.take().map_or(note.to_owned(), |other| format!("{other}; {note}")));
        return;
    };
    for quantile in start.quantiles.iter_mut().chain(&mut start.last).filter(|quantile| is_bound(quantile)) {
        quantile.within = ((quantile.within as f64 + MINUTE) * factor - MINUTE).round() as i64;
    }
    let within: Vec<i64> = start.started.drain(..).map(|started| started.within).collect();
    let found: Vec<Option<f64>> = within.iter().map(|&within| start.probability(within)).collect();
    let known =
        within.into_iter().zip(found).filter_map(|(within, found)| found.map(|found| (within, found)));
    start.started = known.map(|(within, probability)| Probability { within, probability }).collect();
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
