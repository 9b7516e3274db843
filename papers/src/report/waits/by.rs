//! Bounds by what jobs are clustered by, beside those by the attribute that the predictor chooses.

use super::{by_name, mark, or_dash, share};
use crate::studies::waits::study::{Kind, Measured, Options, QueueStudy};
use surefill_simulator::live::methods::{By, Method};
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::waiting::duration;

/// The predictor by an attribute.
type Of<'a> = &'a dyn Fn(By) -> Option<Kind>;

pub(super) fn table(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let all = || By::ALL.into_iter().chain([By::Best]);
    let mut titles = vec!["machine/queue".to_owned()];
    titles.extend(all().map(|by| style.noted(by_name(by).to_owned(), Some("over-prediction".to_owned()))));
    titles.push(style.title("jobs by requested time, processors, product", "%"));
    let mut table = style.table(titles, 1);
    for (name, queue) in rows {
        let full = |by: By| Some(Kind::Full { method: Method::Binomial, by });
        let adapted = |by: By| options.adapted_by(by);
        let kinds: [(Option<&str>, Of); 2] = [(None, &full), (Some("adapted"), &adapted)];
        for (note, kind) in kinds {
            let of = |by: By| queue.of(kind(by)?);
            let cell = |by: By| {
                let Some(Measured { all, .. }) = of(by) else { return "-".to_owned() };
                let correct =
                    all.correctness.map(|value| mark(share(value), value >= options.quantile, style));
                style.noted(or_dash(correct), all.mean_over_s.map(duration))
            };
            let mut cells = vec![style.noted(name.clone(), note.map(str::to_owned))];
            cells.extend(all().map(cell));
            let chosen = of(By::Best).and_then(|measured| measured.chosen);
            cells.push(or_dash(
                chosen.map(|parts| parts.map(|part| format!("{:.0}", 100.0 * part)).join(", ")),
            ));
            table.add_row(cells);
        }
    }
    table
}
