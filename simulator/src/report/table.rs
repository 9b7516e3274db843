//! Comparisons as tables: the waits of one trace, and what all tables share.

use super::Compared;
use super::columns::{COLUMNS, Column, details, easy, name};
use crate::replay::outcome::Setup;
use clap::ValueEnum;
use comfy_table::presets::{ASCII_MARKDOWN, UTF8_FULL_CONDENSED};
use comfy_table::{CellAlignment, Table};

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

/// Policies side by side: means (± standard deviations over seeds) with the change against EASY.
pub fn waits(compared: &Compared, style: Style) -> Table {
    let summaries = &compared.policies;
    let columns = || COLUMNS.iter().filter(|column| column.terminal);
    let titles = columns().map(|column| style.title(column.name, column.unit));
    let mut table = style.table(std::iter::once("policy".to_owned()).chain(titles), 1);
    for summary in summaries {
        let cell = |column: &Column| column.cell(summary, easy(summaries), style);
        table.add_row(std::iter::once(style.policy(&summary.setup)).chain(columns().map(cell)));
    }
    table
}
