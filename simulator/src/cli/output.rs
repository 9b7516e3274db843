//! Progress, tables, JSON and pages: what the user gets to see.

use super::PROGRAM;
use super::args::file;
use super::args::quiet::is_quiet;
use crate::base::papers::Published;
use crate::report::room::prose;
use crate::report::{self, Compared, Made, Section, TableStyle, View};
use clap::Args;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A bar as long as this, or without a known length.
fn bar(length: Option<u64>) -> ProgressBar {
    match length {
        _ if is_quiet() => ProgressBar::hidden(),
        Some(length) => ProgressBar::new(length),
        None => ProgressBar::new_spinner(),
    }
}

/// A progress bar on standard error for a number of jobs; invisible when that is no terminal, or not wanted.
pub fn progress(jobs: u64) -> ProgressBar {
    progress_of(jobs, "jobs")
}

/// A progress bar for a number of things of any kind; `what` may also say where they come from.
pub fn progress_of(count: u64, what: &str) -> ProgressBar {
    let bar = bar(Some(count)).with_message(what.to_owned());
    let style = ProgressStyle::with_template("{bar:20} {human_pos}/{human_len} {msg} {eta}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A progress bar for each of several pieces of work at a time: how many jobs it has, and what it is.
pub fn progress_of_each(pieces: impl Iterator<Item = (u64, String)>) -> Vec<ProgressBar> {
    let all = MultiProgress::new();
    pieces.map(|(count, what)| all.add(progress_of(count, &what))).collect()
}

/// A progress bar on standard error for rounds of training, whose number may be unknown.
pub fn rounds(most: Option<u64>) -> ProgressBar {
    let (bar, template) = match most {
        Some(most) => (bar(Some(most)), "{bar:40} {human_pos}/{human_len} rounds {eta}"),
        None => (bar(None), "{spinner} {human_pos} rounds {elapsed}"),
    };
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Makes sure that a page can be written, before much time is spent on what is to be on it.
///
/// # Errors
/// When it cannot.
pub fn check_page(path: Option<&Path>) -> anyhow::Result<()> {
    path.map_or(Ok(()), file::check)
}

/// Writes a page.
///
/// # Errors
/// When it cannot be written.
pub fn write_page(path: &Path, page: &str) -> anyhow::Result<()> {
    file::write(path, |out| Ok(out.write_all(page.as_bytes())?))
}

/// Prints sentences, broken anew where the output is narrower.
///
/// # Errors
/// When they cannot be written.
pub fn say(out: &mut impl Write, sentences: &str) -> io::Result<()> {
    writeln!(out, "{}", prose(sentences))
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

/// Options of the output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputOptions {
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with_all = ["markdown", "table", "csv"])]
    pub json: bool,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Print one CSV table with every measure of every policy and trace: means over the seeds, then their spread
    #[arg(long, conflicts_with_all = ["markdown", "table"])]
    csv: bool,
    /// Tables to print
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", default_value = "waits")]
    table: Vec<View>,
    /// Write a self-contained page with plots: waits, predicted and observed delays, utilization
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl OutputOptions {
    /// Makes sure that the page can be written, before much time is spent on what is to be on it.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check(&self) -> anyhow::Result<()> {
        check_page(self.html.as_deref())
    }

    /// Whether predicted delays are among what is shown.
    pub fn shows_delays(&self) -> bool {
        let of_delays = |view: &View| matches!(view, View::Delays | View::Calibration);
        self.json || self.csv || self.html.is_some() || self.table.iter().any(of_delays)
    }

    /// A paper's figures, where they are asked for.
    pub fn papers<'a>(&self, published: Option<&'a Published>) -> Option<&'a Published> {
        published.filter(|_| self.table.contains(&View::Papers))
    }

    fn style(&self) -> TableStyle {
        if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal }
    }

    /// Prints what can be said of one trace.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn trace(&self, compared: &Compared) -> io::Result<()> {
        let Some(first) = compared.policies.first() else { return Ok(()) };
        if self.json || self.csv || !self.table.contains(&View::Waits) {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let (setup, counts) = (&first.setup, &first.replay);
        let mut head = format!("{} on {} processors: {counts}", setup.trace, setup.procs);
        if first.seeds > 1 {
            head += &format!("; means ± standard deviations over {} seeds", first.seeds);
        }
        say(&mut out, &head)?;
        compared.remarks.iter().try_for_each(|remark| say(&mut out, remark))?;
        // Markdown needs an empty line before a table.
        let gap = if self.markdown { "\n" } else { "" };
        writeln!(out, "{gap}{}{gap}", report::waits(compared, self.style()))?;
        if let Some(used) = report::node_use(&compared.policies, self.style()) {
            let machine = first.nodes.as_ref().map_or("", |nodes| nodes.machine.as_str());
            writeln!(out, "Nodes: {machine}\n{gap}{used}{gap}")?;
        }
        Ok(())
    }

    /// Prints what can be said of all traces together.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn traces(&self, traces: &[Compared]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.csv {
            return csv(&mut out, traces);
        }
        if self.json {
            return Ok(());
        }
        // Tables without an empty line between them are one.
        let mut gap = "";
        for view in &self.table {
            if let Some(table) = view.table(traces, self.style()) {
                writeln!(out, "{gap}{table}")?;
                gap = "\n";
            }
            for remark in view.remarks(traces) {
                say(&mut out, &format!("{gap}{remark}"))?;
                gap = "\n";
            }
        }
        Ok(())
    }

    /// Says the answer of a comparison in a sentence, after the tables of a terminal.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn answer(&self, traces: &[Compared]) -> io::Result<()> {
        if self.json || self.csv || self.markdown {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let explained = report::answer::explained(traces);
        let table = report::answer::recorded_savings(traces, self.style());
        let mut gap = "\n";
        if let Some(text) = explained {
            say(&mut out, &format!("{gap}{text}"))?;
            gap = "";
        }
        if let Some(table) = table {
            writeln!(out, "\n{table}")?;
            gap = "\n";
        }
        match report::answer::sentence(traces) {
            Some(text) => say(&mut out, &format!("{gap}{text}")),
            None => Ok(()),
        }
    }

    /// Writes the page of a comparison, where one is asked for.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn comparison(&self, title: &str, traces: &[Compared], sections: &[Section]) -> anyhow::Result<()> {
        let Some(path) = &self.html else { return Ok(()) };
        write_page(path, &report::comparison(title, traces, sections, &command(PROGRAM), &today()))
    }

    /// Writes the page, where one is asked for.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn page(&self, title: &str, sections: &[Section]) -> anyhow::Result<()> {
        let Some(path) = &self.html else { return Ok(()) };
        write_page(path, &report::page(title, sections, &made(PROGRAM)))
    }
}

/// Command and date of a page that this program makes now.
pub fn made(program: &str) -> Made {
    Made { command: command(program), date: today() }
}

/// The command of this program as it was typed, for pages that say how they were made.
pub fn command(program: &str) -> String {
    let words = std::env::args_os().skip(1).map(|word| {
        let word = crate::trace::text::printable(&word.to_string_lossy()).into_owned();
        let plain =
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c));
        if plain { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The date of a page: SOURCE_DATE_EPOCH where it is set, so that pages can be made again as they were.
pub fn today() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let now = fixed
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .unwrap_or_else(jiff::Timestamp::now);
    now.strftime("%Y-%m-%d").to_string()
}

/// Every measure of every policy and trace, a line each, first what the page calls the policy.
fn csv(out: &mut impl Write, traces: &[Compared]) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let mut titles = Vec::new();
    for summary in traces.iter().flat_map(|compared| &compared.policies) {
        let fields = [
            vec![("label".to_owned(), report::label(&summary.setup))],
            json_fields("", &summary.setup)?,
            vec![("seeds".to_owned(), summary.seeds.to_string())],
            json_fields("", &summary.mean)?,
            match &summary.spread {
                Some(spread) => json_fields("spread_", spread)?,
                // With one seed there is none: the columns are the same.
                None => json_fields("spread_", &summary.mean)?
                    .into_iter()
                    .map(|(key, _)| (key, String::new()))
                    .collect(),
            },
        ]
        .concat();
        let (keys, cells): (Vec<String>, Vec<String>) = fields.into_iter().unzip();
        if titles.is_empty() {
            table.write_record(&keys)?;
            titles = keys;
        }
        table.write_record(&cells)?;
    }
    table.flush()
}

/// The fields of a flat structure as text.
fn json_fields(prefix: &str, of: &impl Serialize) -> io::Result<Vec<(String, String)>> {
    let serde_json::Value::Object(fields) = serde_json::to_value(of)? else { return Ok(Vec::new()) };
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    };
    Ok(fields.into_iter().map(|(key, value)| (format!("{prefix}{key}"), text(value))).collect())
}
