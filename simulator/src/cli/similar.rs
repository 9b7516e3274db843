//! `surefill similar`: how close a synthetic workload is to a trace, and how close the models' are.

use super::Failure;
use super::args::source::Source;
use super::options::file_name;
use super::output;
use super::shard::{self, Invocation, Shard};
use crate::report::grid::Grid;
use crate::report::similar::tables::{self, View};
use crate::report::{self, Section, TableStyle};
use crate::studies::generate::History;
use crate::studies::similar::next::{Score, scores};
use crate::studies::similar::{Figures, Similarity, Study, study};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Options of `similar`.
#[derive(Debug, Args)]
pub struct Similar {
    /// Two workloads to compare, the original first; with --tables, any number of traces; any format that import
    /// reads, - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Tables of Song, Ernemann & Yahyapour 2004: every model learns from each trace and is measured against it
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", num_args = 0..=1, require_equals = true,
          default_missing_value = "3,4,5,6,people,next,verdict")]
    tables: Vec<View>,
    #[command(flatten)]
    source: Source,
    /// Workloads that every model makes, with seeds from 1 up (--tables)
    #[arg(long, value_name = "K", default_value = "10")]
    seeds: NonZeroU32,
    /// With --tables: run one shard of N, some of the traces, and print its part as JSON, for merge; "array" takes I
    /// and N from the Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, requires = "tables",
          conflicts_with_all = ["html", "markdown"])]
    shard: Option<Shard>,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Write a self-contained page with the paper's figures
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Serialize)]
struct Compared<'a> {
    original: &'a str,
    synthetic: &'a str,
    similarity: Similarity,
    figures: Vec<(String, Figures)>,
}

/// What one trace says of the models.
#[derive(Serialize, Deserialize)]
struct Studied {
    trace: String,
    study: Option<Study>,
    next: Option<Vec<Score>>,
}

fn read(source: &Source, path: &Path) -> Result<History, Failure> {
    let trace = source.read(path, false)?;
    Ok(History::new(&trace, &file_name(path))?)
}

/// A progress bar on standard error for a number of workloads; invisible when that is no terminal.
fn progress(workloads: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} workloads {eta}");
    ProgressBar::new(workloads).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Similar {
    pub(super) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        if self.tables.is_empty() { self.compare() } else { self.study(invocation) }
    }

    fn style(&self) -> TableStyle {
        if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal }
    }

    fn page(&self, sections: &[Section]) -> anyhow::Result<()> {
        let Some(path) = &self.html else { return Ok(()) };
        let page = report::similar::page(sections, &output::made());
        output::write_page(path, &page)
    }

    fn compare(&self) -> Result<(), Failure> {
        let [original, synthetic] = &self.traces[..] else {
            let message = "two workloads are compared; any number of traces with --tables";
            return Err(Failure::Usage(message.into()));
        };
        let (original, synthetic) = (read(&self.source, original)?, read(&self.source, synthetic)?);
        let similarity = Similarity::new(&original, &synthetic);
        let figures: Vec<(String, Figures)> = [&original, &synthetic]
            .map(|history| (history.name.clone(), Figures::new(&history.processors(), &history.run_times())))
            .into();
        self.page(&[report::similar::section(&original.name, &figures)])?;
        if self.json {
            let (original, synthetic) = (&original.name, &synthetic.name);
            output::json(&Compared { original, synthetic, similarity, figures })?;
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "A: {}\nB: {}\n", original.name, synthetic.name)?;
        writeln!(out, "{}", tables::similarity(&similarity, self.style()))?;
        Ok(())
    }

    fn study(&self, invocation: Invocation) -> Result<(), Failure> {
        let mut sections = Vec::new();
        let compute = |paths: &[PathBuf]| self.studied(paths, &mut sections);
        let studied = shard::of_traces("similar", self.shard, invocation, &self.traces, compute)?;
        let Some(mut studied) = studied else { return Ok(()) };
        studied.iter_mut().filter_map(|one| one.study.as_mut()).for_each(Study::find_published);
        self.page(&sections)?;
        if self.json {
            output::json(&studied)?;
            return Ok(());
        }
        let (mut studies, mut scores) = (Vec::new(), Vec::new());
        for Studied { trace, study, next } in studied {
            studies.extend(study);
            scores.extend(next.map(|next| (trace, next)));
        }
        let mut out = io::stdout().lock();
        for (index, view) in self.tables.iter().enumerate() {
            let table: Grid = match view {
                View::Parameters => tables::parameters(&studies, self.style()),
                View::Statistics => tables::statistics(&studies, self.style()),
                View::Correlation => tables::correlations(&studies, self.style()),
                View::Autocorrelation => tables::autocorrelations(&studies, self.style()),
                View::Next => tables::next(&scores, self.style()),
                View::People => tables::people(&studies, self.style()),
                View::Verdict => tables::verdicts(&studies, self.style()),
            };
            // Tables without an empty line between them are one.
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{table}")?;
        }
        Ok(())
    }

    /// What these traces say of the models, and their figures where a page is asked for.
    fn studied(&self, paths: &[PathBuf], sections: &mut Vec<Section>) -> Result<Vec<Studied>, Failure> {
        let studies = self.tables.iter().any(|view| *view != View::Next);
        // Table 3 needs no workloads.
        let judges = self.tables.iter().any(|view| !matches!(view, View::Next | View::Parameters));
        let seeds = if judges { self.seeds.get() } else { 0 };
        let predicts = self.tables.contains(&View::Next);
        let histories: Vec<History> =
            paths.iter().map(|path| read(&self.source, path)).collect::<Result<_, Failure>>()?;
        let models = study::Rival::ALL.len() as u64;
        let bar = progress(histories.len() as u64 * models * u64::from(seeds));
        let next: Vec<Option<Vec<Score>>> =
            histories.par_iter().map(|history| predicts.then(|| scores(history))).collect();
        let mut studied = Vec::new();
        for (history, next) in histories.iter().zip(next) {
            let study = studies.then(|| Study::new(history, seeds, &|| bar.inc(1)));
            studied.push(Studied { trace: history.name.clone(), study, next });
            if self.html.is_some() {
                sections.push(report::similar::section(&history.name, &study::figures(history)));
            }
        }
        bar.finish_and_clear();
        Ok(studied)
    }
}
