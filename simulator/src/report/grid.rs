//! Tables that fit a terminal: rows stand one below the other where the columns do not stand side by side.

use super::document::SCROLLS;
use super::room::room;
use comfy_table::presets::{ASCII_MARKDOWN, UTF8_FULL_CONDENSED};
use comfy_table::{Cell, CellAlignment, Row, Table};
use maud::{Markup, html};
use std::fmt::{self, Display, Formatter};
use std::ops::{Deref, DerefMut};

/// A table. On a terminal that is too narrow for it, it is written row by row: what names the row, then a line for each
/// of its other cells with the column's title.
#[derive(Debug, Clone)]
pub struct Grid {
    table: Table,
    /// Columns that name a row.
    left: usize,
    /// Columns of text that there is room for; none where all is written side by side.
    width: Option<usize>,
}

impl Grid {
    /// An empty table with these titles; `left` columns of text, the others of numbers.
    pub fn new(titles: impl IntoIterator<Item = String>, left: usize, markdown: bool) -> Grid {
        let mut table = Table::new();
        table.load_style(if markdown { ASCII_MARKDOWN } else { UTF8_FULL_CONDENSED });
        table.set_header(titles);
        for column in table.column_iter_mut().skip(left) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let width = room().filter(|_| !markdown);
        Grid { table, left, width }
    }

    /// The table with this room.
    #[cfg(test)]
    fn within(mut self, width: usize) -> Grid {
        self.width = Some(width);
        self
    }

    /// The table on a page, where it scrolls if there is no room for it.
    pub fn html(&self) -> Markup {
        let content = |row: &Row| row.cell_iter().map(Cell::content).collect::<Vec<_>>();
        html! {
            div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                thead { tr { @for title in self.table.header().map(content).unwrap_or_default() { th scope="col" { (title) } } } }
                tbody {
                    @for row in self.table.row_iter().map(content) {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                @if index == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            } }
        }
    }

    /// The rows one below the other.
    fn stacked(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let one_line = |cell: &Cell| cell.content().split_whitespace().collect::<Vec<_>>().join(" ");
        let line = |row: &Row| row.cell_iter().map(one_line).collect::<Vec<_>>();
        let titles = self.table.header().map(line).unwrap_or_default();
        let longest = titles.iter().skip(self.left).map(|title| title.chars().count()).max().unwrap_or(0);
        for (index, row) in self.table.row_iter().enumerate() {
            let cells = line(row);
            let (names, values) = cells.split_at(self.left.min(cells.len()));
            let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            let gap = if index > 0 { "\n" } else { "" };
            write!(f, "{gap}{}", names.join(", "))?;
            for (title, value) in
                titles.iter().skip(self.left).zip(values).filter(|(_, value)| !value.is_empty())
            {
                write!(f, "\n  {title:longest$}  {value}")?;
            }
        }
        Ok(())
    }
}

impl Deref for Grid {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

impl DerefMut for Grid {
    fn deref_mut(&mut self) -> &mut Table {
        &mut self.table
    }
}

impl Display for Grid {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = self.table.to_string();
        let needed = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if self.width.is_none_or(|width| needed <= width) { f.write_str(&text) } else { self.stacked(f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_too_wide_is_written_row_by_row() {
        let titles = ["queue", "bound\n[hours]", "correct [%]"].map(str::to_owned);
        let mut grid = Grid::new(titles, 1, false);
        grid.add_row(["short", "2.5", "95.1"]);
        grid.add_row(["long", "", "94.9"]);
        assert!(grid.to_string().contains('┌'));
        let stacked = "short\n  bound [hours]  2.5\n  correct [%]    95.1\nlong\n  correct [%]    94.9";
        assert_eq!(grid.clone().within(20).to_string(), stacked);
        assert!(grid.within(60).to_string().contains('┌'));
    }
}
