//! The bounds of predicted starts, corrected by those of the past ([`crate::live::bounds`]): the .95 level of a
//! start.

use super::starts::{Probability, Quantile, Start};
use crate::live::bounds::{LAST, multiplied};
use surefill::engine::LEVELS;

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
        quantile.within = multiplied(quantile.within, factor);
    }
    let within: Vec<i64> = start.started.drain(..).map(|started| started.within).collect();
    let found: Vec<Option<f64>> = within.iter().map(|&within| start.probability(within)).collect();
    let known =
        within.into_iter().zip(found).filter_map(|(within, found)| found.map(|found| (within, found)));
    start.started = known.map(|(within, probability)| Probability { within, probability }).collect();
}
