//! Progress, tables and JSON: what goes to the terminal.

use crate::papers::{Published, Waits};
use crate::run::Summary;
use crate::workload::Counts;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{self, Write};

/// A progress bar on standard error for so many jobs; invisible when that is no terminal.
pub fn progress(jobs: u64) -> ProgressBar {
    let bar = ProgressBar::new(jobs);
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} jobs {eta}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Prints one JSON object on standard output.
///
/// # Errors
/// When it cannot be written.
pub fn json(value: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)
}

/// Prints what the replay rules did, and the policies side by side.
///
/// # Errors
/// When it cannot be written.
pub fn table(summaries: &[Summary], published: Option<&Published>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let Some(first) = summaries.first() else { return Ok(()) };
    writeln!(out, "{} on {} processors: {}", first.setup.trace, first.setup.procs, describe(&first.replay))?;
    if first.seeds > 1 {
        writeln!(out, "means and standard deviations over {} seeds", first.seeds)?;
    }
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([
        "policy",
        "mean wait\n[min]",
        "geometric\n[s]",
        "median\n[s]",
        "95 %\n[h]",
        "99 %\n[h]",
        "slowdown",
        "utilization\n[%]",
        "backfilled",
        "delayed\n[%]",
        "scheduler\n[s]",
    ]);
    for summary in summaries {
        table.add_row(row(summary));
    }
    for (name, Waits { mean_min, geomean_s }) in published
        .into_iter()
        .flat_map(|p| [("paper: EASY", p.easy), ("paper: probabilistic", p.probabilistic)])
    {
        table.add_row([name.to_owned(), mean_min.to_string(), geomean_s.to_string()]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    writeln!(out, "{table}")
}

fn row(summary: &Summary) -> Vec<Cell> {
    let (mean, spread) = (&summary.mean, summary.spread.as_ref());
    let setup = &summary.setup;
    let number = |value: f64, deviation: Option<f64>, digits: usize| {
        Cell::new(match deviation {
            Some(deviation) => format!("{value:.digits$} ± {deviation:.digits$}"),
            None => format!("{value:.digits$}"),
        })
    };
    let spread_of = |get: fn(&crate::metrics::Metrics) -> f64| spread.map(get);
    vec![
        Cell::new(format!("{}\n{}, {}", setup.policy, setup.predictor, setup.order)),
        number(mean.mean_wait_s / 60.0, spread_of(|m| m.mean_wait_s / 60.0), 1),
        number(mean.geomean_wait_s, spread_of(|m| m.geomean_wait_s), 1),
        number(mean.median_wait_s, spread_of(|m| m.median_wait_s), 0),
        number(mean.p95_wait_s / 3600.0, spread_of(|m| m.p95_wait_s / 3600.0), 1),
        number(mean.p99_wait_s / 3600.0, spread_of(|m| m.p99_wait_s / 3600.0), 1),
        number(mean.mean_bounded_slowdown, spread_of(|m| m.mean_bounded_slowdown), 1),
        number(mean.utilization * 100.0, spread_of(|m| m.utilization * 100.0), 1),
        Cell::new(mean.backfilled),
        number(mean.delayed_share * 100.0, spread_of(|m| m.delayed_share * 100.0), 1),
        number(mean.scheduler_s, None, 2),
    ]
}

/// The counts that are not zero, in a sentence.
fn describe(counts: &Counts) -> String {
    let parts = [
        (counts.wrong_lines, "wrong lines left out"),
        (counts.out_of_order, "lines out of order"),
        (counts.dropped_without_run_time, "dropped without run time"),
        (counts.dropped_without_processors, "dropped without processors"),
        (counts.beyond_limit_jobs, "left out after the first jobs"),
        (counts.with_requested_processors, "with requested processors"),
        (counts.cut_to_machine, "cut to the machine"),
        (counts.without_limit, "without limit"),
        (counts.overrun, "past their limit"),
    ];
    let parts = parts.into_iter().filter(|&(count, _)| count > 0);
    let parts = parts.map(|(count, what)| format!(", {count} {what}"));
    format!(
        "{} jobs of {} lines{}",
        counts.jobs,
        counts.lines + counts.wrong_lines,
        parts.collect::<String>()
    )
}
