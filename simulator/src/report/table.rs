//! Comparisons as tables: the waits of one trace, and what all tables share.

use super::Compared;
use super::columns::{COLUMNS, Column, baseline, details, name};
use super::grid::Grid;
use super::room::{room, within};
use crate::replay::run::Summary;
use crate::replay::setup::Setup;
use clap::ValueEnum;

/// Format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// Frames; cells of two lines.
    Terminal,
    /// Markdown; cells of one line.
    Markdown,
}

impl Style {
    /// An empty table with these titles; `left` columns of text, the others of numbers.
    pub fn table(self, titles: impl IntoIterator<Item = String>, left: usize) -> Grid {
        Grid::new(titles, left, self == Style::Markdown)
    }

    /// A title with its unit, if it has one.
    pub fn title(self, name: &str, unit: &str) -> String {
        match (self, unit) {
            (_, "") => name.to_owned(),
            (Style::Terminal, unit) => format!("{name}\n[{unit}]"),
            (Style::Markdown, unit) => format!("{name} [{unit}]"),
        }
    }

    /// A value, and what is beside it in brackets or below.
    pub fn noted(self, value: String, note: Option<String>) -> String {
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
        Style::Terminal => room(),
        Style::Markdown => None,
    };
    fitting(compared, style, width)
}

/// Use of the nodes under each policy; `None` on machines of processors.
pub fn node_use<'a>(
    policies: impl IntoIterator<Item = &'a Summary, IntoIter: Clone>,
    style: Style,
) -> Option<Grid> {
    let policies = policies.into_iter();
    let first = policies.clone().next()?.nodes.as_ref()?;
    let used = first.used.iter().map(|(name, _)| style.title(&format!("{name} used"), "%"));
    let more = [style.title("head waits", "% of the time"), style.title("fragmented", "% of that")];
    let titles = std::iter::once("policy".to_owned()).chain(used).chain(more);
    let mut table = style.table(titles, 1);
    for summary in policies {
        let nodes = summary.nodes.as_ref()?;
        let shares = nodes.used.iter().map(|(_, used)| *used);
        let shares = shares.chain([nodes.waiting_share, nodes.fragmented_share]);
        let cells = shares.map(|share| format!("{:.1}", 100.0 * share));
        table.add_row(std::iter::once(style.policy(&summary.setup)).chain(cells));
    }
    Some(table)
}

/// [`waits`] in this number of columns of text.
fn fitting(compared: &Compared, style: Style, width: Option<usize>) -> String {
    let all: Vec<&Column> = COLUMNS.iter().filter(|column| column.terminal).collect();
    let mut shown = all.len();
    loop {
        // The bare table: columns are left out instead of written row by row.
        let text = (*table(compared, style, all.get(..shown).unwrap_or(&all))).to_string();
        let needed = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if shown <= 1 || width.is_none_or(|width| needed <= width) {
            let left_out: Vec<&str> = all.iter().skip(shown).map(|column| column.name).collect();
            return match left_out.as_slice() {
                [] => text,
                names => {
                    let missing =
                        format!("No room for: {} (a wider terminal, --csv, --html).", names.join(", "));
                    format!("{text}\n{}", within(&missing, width))
                }
            };
        }
        shown -= 1;
    }
}

fn table(compared: &Compared, style: Style, columns: &[&Column]) -> Grid {
    let summaries = &compared.policies;
    let titles = columns.iter().map(|column| style.title(column.name, column.unit));
    let mut table = style.table(std::iter::once("policy".to_owned()).chain(titles), 1);
    for summary in summaries {
        let cells = columns.iter().map(|column| column.cell(summary, baseline(summaries), style));
        table.add_row(std::iter::once(style.policy(&summary.setup)).chain(cells));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::calibration::Backfills;
    use crate::replay::fairness::Fairness;
    use crate::replay::metrics::Metrics;
    use crate::replay::outcome::Outcome;
    use crate::replay::policy::{Choice, PolicyOptions};
    use crate::replay::run::{Options, Replayed, Run};
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
            nodes: None,
        };
        let seed = Replayed {
            metrics: Metrics::of(&first),
            fairness: Fairness::default(),
            backfills: Backfills::default(),
            nodes: None,
            shape: Default::default(),
            weeks: Vec::new(),
            waits: Vec::new(),
        };
        let run = Run { first, seeds: vec![seed] };
        let workload = Workload {
            jobs: Vec::new(),
            procs: 8,
            counts: Default::default(),
            unix_start_time: None,
            nodes: None,
            site: None,
        };
        let summary = Summary::new(&run, &workload, &options);
        Compared {
            trace: "t.swf".to_owned(),
            policies: vec![summary],
            published: None,
            recorded: Default::default(),
            remarks: Vec::new(),
        }
    }

    #[test]
    fn tables_fit_the_terminal_and_say_what_is_missing() {
        let one = compared();
        let whole = fitting(&one, Style::Terminal, None);
        assert!(!whole.contains("No room for") && whole.contains("scheduler"));
        for width in [60, 80, 100] {
            let text = fitting(&one, Style::Terminal, Some(width));
            let (table, note) = text.split_once("\nNo room for: ").unwrap();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            assert!(note.contains("scheduler"), "{note}");
            for column in COLUMNS.iter().filter(|column| column.terminal) {
                assert!(table.contains(column.name) != note.contains(column.name), "{} {text}", column.name);
            }
        }
        assert_eq!(fitting(&one, Style::Terminal, Some(500)), whole);
    }
}
