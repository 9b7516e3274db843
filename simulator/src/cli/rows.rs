//! The results of a comparison as they come: a line on standard error for every policy, while others are under way.

use crate::replay::metrics::Metrics;
use crate::replay::setup::Setup;
use crate::report::{self, room::prose, what_if::span};
use indicatif::ProgressBar;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The rows of one trace.
pub struct Rows<'a> {
    bars: &'a [ProgressBar],
    /// Whether lines are said where the bar is invisible too.
    always: bool,
    trace: &'a str,
    begun: Instant,
    /// Every policy's replays that are expected and those that are there.
    state: Mutex<Vec<(usize, Vec<Metrics>)>>,
    /// EASY's mean wait, once it is there.
    easy: Mutex<Option<f64>>,
}

impl<'a> Rows<'a> {
    /// Rows for this many replays of every policy.
    pub fn new(bars: &'a [ProgressBar], always: bool, trace: &'a str, expected: Vec<usize>) -> Rows<'a> {
        let state = expected.into_iter().map(|count| (count, Vec::new())).collect();
        let (begun, easy) = (Instant::now(), Mutex::new(None));
        Rows { bars, always, trace, begun, state: Mutex::new(state), easy }
    }

    /// Notes a replay, and says the policy's result with its last.
    pub fn replayed(&self, row: usize, setup: &Setup, metrics: &Metrics) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((expected, known)) = state.get_mut(row) else { return };
        known.push(*metrics);
        if known.len() < *expected {
            return;
        }
        let (seeds, Some(mean)) = (known.len(), Metrics::mean(known)) else { return };
        let rows = state.iter().filter(|(expected, _)| *expected > 0).count();
        let done = state.iter().filter(|(expected, known)| *expected > 0 && known.len() == *expected).count();
        let mut easy = self.easy.lock().unwrap_or_else(PoisonError::into_inner);
        let change = easy.filter(|&easy| easy > 0.0).map(|easy| mean.mean_wait_s / easy - 1.0);
        if report::is_easy(setup) {
            *easy = Some(mean.mean_wait_s);
        }
        let change = change.map_or_else(String::new, |change| {
            // + 0.0: no negative zero.
            format!(" ({:+.0} % against EASY)", (change * 100.0).round() + 0.0)
        });
        let over = if seeds > 1 { format!(", means over {seeds} seeds") } else { String::new() };
        let line = format!(
            "{}: {}: mean wait {}{change}, 99 % {}, longest {}{over}; {done} of {rows} policies after {}",
            self.trace,
            report::label(setup),
            span(mean.mean_wait_s),
            span(mean.p99_wait_s),
            span(mean.max_wait_s),
            span(self.begun.elapsed().as_secs_f64()),
        );
        let line = prose(&line);
        let shown = self.bars.get(row).filter(|bar| !bar.is_hidden());
        if let Some(bar) = shown {
            bar.println(&line);
            bar.finish_and_clear();
        } else if self.always {
            eprintln!("{line}");
        }
    }
}
