//! Virtual reservations and whether they were met, as a table.

use crate::studies::reservations::Study;
use surefill_simulator::report::TableStyle;
use surefill_simulator::report::waiting::duration;

/// One row a wish.
pub fn table(studies: &[Study], style: TableStyle) -> String {
    let titles = [
        "trace",
        "start within",
        "promised",
        "asked for",
        "accepted",
        "met",
        "met if submitted at once",
        "submitted after",
        "started before the time by",
    ];
    let mut table = style.table(titles.map(str::to_owned), 1);
    for study in studies {
        for measure in &study.measures {
            let share = |count: usize, of: usize| match of {
                0 => "-".to_owned(),
                of => format!("{:.1} %", 100.0 * count as f64 / of as f64),
            };
            let median =
                |seconds: Option<i64>| seconds.map_or("-".to_owned(), |seconds| duration(seconds as f64));
            table.add_row([
                study.trace.clone(),
                duration(measure.wish.lead_s as f64),
                format!("{} %", (1e4 * measure.wish.probability).round() / 100.0),
                measure.asked.to_string(),
                share(measure.accepted, measure.asked),
                share(measure.met, measure.accepted),
                share(measure.met_at_once, measure.accepted),
                median(measure.median_held_s),
                median(measure.median_early_s),
            ]);
        }
    }
    table.to_string()
}
