//! A comparison as a table for terminals.

use super::columns::{COLUMNS, Column, change, easy};
use crate::papers::{Published, Waits};
use crate::run::Summary;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

/// Policies side by side: means (± standard deviations over seeds), below them the change against EASY; then what the paper
/// has for this trace, with its changes.
pub fn table(summaries: &[Summary], published: Option<&Published>) -> Table {
    let columns = || COLUMNS.iter().filter(|column| column.terminal);
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(std::iter::once("policy".to_owned()).chain(columns().map(title)));
    for summary in summaries {
        let setup = &summary.setup;
        let policy = format!("{}\n{}, {}", setup.policy, setup.predictor, setup.order);
        let cell = |column: &Column| {
            let spread = column.spread(summary).map_or_else(String::new, |spread| format!(" {spread}"));
            two_lines(column.mean(summary) + &spread, column.change(summary, easy(summaries)))
        };
        table.add_row(std::iter::once(policy).chain(columns().map(cell)));
    }
    if let Some(published) = published {
        let Waits { mean_min, geomean_s } = published.easy;
        table.add_row(["paper\nEASY".to_owned(), mean_min.to_string(), geomean_s.to_string()]);
        let Waits { mean_min: mean, geomean_s: geomean } = published.probabilistic;
        table.add_row([
            "paper\nprobabilistic".to_owned(),
            two_lines(mean.to_string(), change(mean, mean_min)),
            two_lines(geomean.to_string(), change(geomean, geomean_s)),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn title(column: &Column) -> String {
    if column.unit.is_empty() {
        column.name.to_owned()
    } else {
        format!("{}\n[{}]", column.name, column.unit)
    }
}

fn two_lines(first: String, second: Option<String>) -> String {
    second.map_or_else(|| first.clone(), |second| format!("{first}\n{second}"))
}
