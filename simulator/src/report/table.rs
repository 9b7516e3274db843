//! Comparisons as tables: the waits of one trace, and what all tables share.

use super::Compared;
use super::columns::{COLUMNS, Column, details, easy, name};
use crate::replay::outcome::Setup;
use clap::ValueEnum;
use comfy_table::presets::{ASCII_MARKDOWN, UTF8_FULL_CONDENSED};
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// How tables are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// Frames; cells of two lines.
    Terminal,
    /// Markdown; cells of one line.
    Markdown,
}

impl Style {
    /// An empty table with these titles; `left` columns of text, the others of numbers.
    pub(super) fn table(self, titles: impl IntoIterator<Item = String>, left: usize) -> Table {
        let mut table = Table::new();
        table.load_style(match self {
            Style::Terminal => UTF8_FULL_CONDENSED,
            Style::Markdown => ASCII_MARKDOWN,
        });
        table.set_header(titles);
        for column in table.column_iter_mut().skip(left) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    /// A title with its unit, if it has one.
    pub(super) fn title(self, name: &str, unit: &str) -> String {
        match (self, unit) {
            (_, "") => name.to_owned(),
            (Style::Terminal, unit) => format!("{name}\n[{unit}]"),
            (Style::Markdown, unit) => format!("{name} [{unit}]"),
        }
    }

    /// A value, and what is beside it in brackets or below.
    pub(super) fn noted(self, value: String, note: Option<String>) -> String {
        match (self, note) {
            (_, None) => value,
            (Style::Terminal, Some(note)) => format!("{value}\n{note}"),
            (Style::Markdown, Some(note)) => format!("{value} ({note})"),
        }
    }

    /// A policy in its row.
    pub(super) fn policy(self, setup: &Setup) -> String {
        self.noted(name(setup).to_owned(), Some(details(setup)))
    }
}

/// Policies side by side: means (± standard deviations over seeds) with the change against EASY. On a terminal that is
/// too narrow the last columns are left out, and a line says so.
pub fn waits(compared: &Compared, style: Style) -> String {
    let width = match style {
        // None where the output is no terminal.
        Style::Terminal => Table::new().width().map(usize::from),
        Style::Markdown => None,
    };
    fitting(compared, style, width)
}

/// [`waits`] in so many columns of text.
fn fitting(compared: &Compared, style: Style, width: Option<usize>) -> String {
    let all: Vec<&Column> = COLUMNS.iter().filter(|column| column.terminal).collect();
    let mut shown = all.len();
    loop {
        let text = table(compared, style, all.get(..shown).unwrap_or(&all)).to_string();
        let needed = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if shown <= 1 || width.is_none_or(|width| needed <= width) {
            let left_out: Vec<&str> = all.iter().skip(shown).map(|column| column.name).collect();
            return match left_out.as_slice() {
                [] => text,
                names => {
                    format!("{text}\nNo room for: {} (a wider terminal, --csv, --html).", names.join(", "))
                }
            };
        }
        shown -= 1;
    }
}

fn table(compared: &Compared, style: Style, columns: &[&Column]) -> Table {
    let summaries = &compared.policies;
    let titles = columns.iter().map(|column| style.title(column.name, column.unit));
    let mut table = style.table(std::iter::once("policy".to_owned()).chain(titles), 1);
    for summary in summaries {
        let cells = columns.iter().map(|column| column.cell(summary, easy(summaries), style));
        table.add_row(std::iter::once(style.policy(&summary.setup)).chain(cells));
    }
    // Whole cells: what does not fit is left out.
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::metrics::Metrics;
    use crate::replay::outcome::Outcome;
    use crate::replay::policy::{Choice, PolicyOptions};
    use crate::replay::run::{Options, Run, Summary};
    use crate::trace::workload::{Rules, Workload};

    /// EASY without a job.
    fn compared() -> Compared {
        let choice: Choice = "easy".parse().unwrap();
        let options = Options { choice, policy: PolicyOptions::default(), rules: Rules::default() };
        let setup = options.setup("t.swf", 8, 0);
        let first = Outcome {
            setup,
            jobs: Vec::new(),
            passes: 0,
            decisions: 0,
            pass_seconds: Vec::new(),
            wall_seconds: 0.0,
        };
        let metrics = vec![Metrics::of(&first)];
        let run = Run { first, metrics, backfills: vec![Vec::new()], fairness: Vec::new() };
        let workload =
            Workload { jobs: Vec::new(), procs: 8, counts: Default::default(), unix_start_time: None };
        let summary = Summary::new(&run, &workload, &options);
        Compared { trace: "t.swf".to_owned(), policies: vec![summary], published: None }
    }

    #[test]
    fn tables_fit_the_terminal_and_say_what_is_missing() {
        let one = compared();
        let whole = fitting(&one, Style::Terminal, None);
        assert!(!whole.contains("No room for") && whole.contains("scheduler"));
        for width in [60, 80, 100] {
            let text = fitting(&one, Style::Terminal, Some(width));
            let (table, note) = text.rsplit_once('\n').unwrap();
            assert!(table.lines().all(|line| line.chars().count() <= width), "{text}");
            assert!(note.starts_with("No room for: ") && note.contains("scheduler"), "{note}");
            for column in COLUMNS.iter().filter(|column| column.terminal) {
                assert!(table.contains(column.name) != note.contains(column.name), "{} {text}", column.name);
            }
        }
        assert_eq!(fitting(&one, Style::Terminal, Some(500)), whole);
    }
}
