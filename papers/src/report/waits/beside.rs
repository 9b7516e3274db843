//! Bounds for other quantiles than the predictor's own, and lower and two-sided bounds.

use super::{mark, or_dash, share, with_further};
use crate::studies::waits::beside::{LOWER, TWO_SIDED, UPPER};
use crate::studies::waits::classes::Held;
use crate::studies::waits::study::{Options, QueueStudy};
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::waiting::duration;

/// Whether the share that held is at least what is wanted, but for two standard errors.
fn holds(held: &Held, wanted: f64) -> bool {
    let error = (wanted * (1.0 - wanted) / held.judged.max(1) as f64).sqrt();
    held.share().is_some_and(|share| share >= wanted - 2.0 * error)
}

pub(super) fn table(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let mut titles = vec![style.title("machine/queue", ""), "bounds".to_owned()];
    titles.extend(UPPER.map(|quantile| format!("{quantile} upper")));
    titles.extend(LOWER.map(|quantile| format!("{quantile} lower")));
    let mut table = style.table(titles, 1);
    for (name, further) in with_further(rows, options, style) {
        let Some(beside) = &further.beside else { continue };
        let cell = |held: &Held, wanted: f64| {
            or_dash(held.share().map(|value| mark(share(value), holds(held, wanted), style)))
        };
        let mut row = vec![name, beside.upper.iter().map(|held| held.judged).max().unwrap_or(0).to_string()];
        row.extend(beside.upper.iter().zip(UPPER).map(|(held, quantile)| cell(held, quantile)));
        row.extend(beside.lower.iter().zip(LOWER).map(|(held, quantile)| cell(held, 1.0 - quantile)));
        table.add_row(row);
    }
    table
}

pub(super) fn two_sided(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let mut titles = vec![style.title("machine/queue", ""), "bounds".to_owned()];
    for quantile in TWO_SIDED {
        titles.extend([format!("{quantile} low"), format!("{quantile} high"), "mean width".to_owned()]);
    }
    let mut table = style.table(titles, 1);
    for (name, further) in with_further(rows, options, style) {
        let Some(beside) = &further.beside else { continue };
        let cell = |held: &Held, wanted: f64| {
            or_dash(held.share().map(|value| mark(share(value), holds(held, wanted), style)))
        };
        let most = beside.two_sided.iter().map(|found| found.low.judged).max().unwrap_or(0);
        let mut row = vec![name, most.to_string()];
        for (found, quantile) in beside.two_sided.iter().zip(TWO_SIDED) {
            row.push(cell(&found.low, 1.0 - quantile));
            row.push(cell(&found.high, quantile));
            row.push(or_dash(found.mean_width_s().map(duration)));
        }
        table.add_row(row);
    }
    table
}
