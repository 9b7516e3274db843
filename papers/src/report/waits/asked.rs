//! Waiting jobs that are asked about every six hours.

use super::{mark, or_dash, ratio, share, with_further};
use crate::studies::waits::study::{Options, QueueStudy};
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::waiting::duration;

/// Tenths of predicted probability with fewer questions are not compared: chance alone makes their shares differ.
const FEWEST: u64 = 200;

pub(super) fn table(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let titles = [
        style.title("machine/queue", ""),
        "questions".to_owned(),
        style.title("answered", "%"),
        "right".to_owned(),
        style.noted("right beyond three days".to_owned(), Some("answers".to_owned())),
        style.noted("mean predicted rest".to_owned(), Some("true".to_owned())),
        "times".to_owned(),
        "furthest tenth".to_owned(),
    ];
    let mut table = style.table(titles, 1);
    for (name, further) in with_further(rows, options, style) {
        let asked = &further.asked;
        let right = |value: Option<f64>| {
            or_dash(value.map(|value| mark(share(value), value >= options.quantile, style)))
        };
        let late = (asked.judged_late > 0).then(|| asked.correct_late as f64 / asked.judged_late as f64);
        let answered = asked.answered();
        table.add_row([
            name,
            asked.asked.to_string(),
            or_dash(answered.map(|part| format!("{:.1}", 100.0 * part))),
            right(asked.held()),
            style.noted(right(late), Some(asked.judged_late.to_string())),
            style.noted(duration(asked.predicted_rest_s), Some(duration(asked.true_rest_s))),
            or_dash(asked.times().map(ratio)),
            or_dash(asked.furthest(FEWEST).map(|value| format!("{value:.3}"))),
        ]);
    }
    table
}
