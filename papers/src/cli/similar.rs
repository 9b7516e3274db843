//! `surefill-papers similar`: how close a synthetic workload is to a trace, and how close the models' are.

use super::PROGRAM;
use crate::report;
use crate::report::similar::tables::{self, View};
use crate::studies::similar::next::{Score, scores};
use crate::studies::similar::schedulers::{self, Judgement};
use crate::studies::similar::study::{Asked, Rival};
use crate::studies::similar::{Figures, Similarity, Study, study};
use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::args::source::Source;
use surefill_simulator::cli::options::file_name;
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{self, Invocation, Shard};
use surefill_simulator::generate::History;
use surefill_simulator::replay::policy::Choice;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::{Section, TableStyle};
use surefill_simulator::trace::workload::{Rules, Workload};

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
    /// With --tables: the models
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LIST",
        requires = "tables",
        default_value = "paper,calibrated,independent,lublin"
    )]
    models: Vec<Rival>,
    /// Replay the workloads under these policies, each policy[:predictor[:order[:rule]]] as compare has them; changes
    /// are against the first. Of two workloads only when given [default: easy,easy++,conservative,delay,delay-fast]
    #[arg(long, value_delimiter = ',', value_name = "LIST", num_args = 0..=1, require_equals = true,
          default_missing_value = "easy,easy++,conservative,delay,delay-fast")]
    policies: Option<Vec<Choice>>,
    /// With --tables: stretch the times of generated workloads until they ask for as much of the machine as the trace
    #[arg(long, requires = "tables")]
    stretch: bool,
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
    /// Print what schedulers say of every seed's workload as CSV
    #[arg(long, conflicts_with_all = ["json", "markdown"], requires = "tables")]
    csv: bool,
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
    /// Judgements of both by schedulers, where these were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedulers: Option<[Judgement; 2]>,
}

/// Results of one trace.
#[derive(Serialize, Deserialize)]
struct Studied {
    trace: String,
    study: Option<Study>,
    next: Option<Vec<Score>>,
}

/// A trace's jobs, and where it is replayed the workload that `compare` makes of it.
fn read(source: &Source, path: &Path, replayed: bool) -> Result<(History, Option<Workload>), Failure> {
    let trace = source.read(path, false)?;
    let name = file_name(path);
    let workload = replayed.then(|| Workload::new(&trace, &Rules::default())).transpose()?;
    for sentence in workload.iter().filter_map(|workload| workload.counts.foreknown()) {
        eprintln!("warning: {name}: {sentence}");
    }
    Ok((History::new(&trace, &name)?, workload))
}

/// One line of the CSV.
#[derive(Serialize)]
struct Line<'a> {
    trace: &'a str,
    workload: &'a str,
    seed: usize,
    offered_load: f64,
    policy: &'a str,
    mean_wait_s: f64,
    utilization: f64,
    mean_wait_over_the_traces: Option<f64>,
}

/// Writes the schedulers' judgements of every workload; seed 0 is the trace itself.
fn write_csv(out: &mut impl Write, studies: &[Study]) -> anyhow::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    for study in studies {
        let Some(trace) = &study.judged else { continue };
        let models = study.models.iter().map(|judged| (judged.model.name(), judged.judged.iter().collect()));
        let all: Vec<(&str, Vec<&Judgement>)> =
            std::iter::once(("the trace", vec![trace])).chain(models).collect();
        for (index, (workload, made)) in all.into_iter().enumerate() {
            for (seed, judged) in (usize::from(index > 0)..).zip(made) {
                for (replay, own) in judged.replays.iter().zip(&trace.replays) {
                    let over = replay.mean_wait_s / own.mean_wait_s;
                    table.serialize(Line {
                        trace: &study.trace,
                        workload,
                        seed,
                        offered_load: judged.offered_load,
                        policy: &replay.policy,
                        mean_wait_s: replay.mean_wait_s,
                        utilization: replay.utilization,
                        mean_wait_over_the_traces: over.is_finite().then_some(over),
                    })?;
                }
            }
        }
    }
    table.flush()?;
    Ok(())
}

/// A progress bar on standard error for a number of workloads; invisible when that is no terminal.
fn progress(workloads: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} workloads {eta}");
    ProgressBar::new(workloads).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Similar {
    pub(crate) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        if self.tables.is_empty() { self.compare() } else { self.study(invocation) }
    }

    fn style(&self) -> TableStyle {
        if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal }
    }

    fn page(&self, sections: &[Section]) -> anyhow::Result<()> {
        let Some(path) = &self.html else { return Ok(()) };
        let page = report::similar::page(sections, &output::made(PROGRAM));
        output::write_page(path, &page)
    }

    fn compare(&self) -> Result<(), Failure> {
        let [original, synthetic] = &self.traces[..] else {
            let message = "two workloads are compared; any number of traces with --tables";
            return Err(Failure::Usage(message.into()));
        };
        let replayed = self.policies.is_some();
        let (original, a) = read(&self.source, original, replayed)?;
        let (synthetic, b) = read(&self.source, synthetic, replayed)?;
        let schedulers = match (a, b, &self.policies) {
            (Some(a), Some(b), Some(policies)) => Some([
                Judgement::new(&a, policies).map_err(anyhow::Error::new)?,
                Judgement::new(&b, policies).map_err(anyhow::Error::new)?,
            ]),
            _ => None,
        };
        let table = schedulers.as_ref().map(|[a, b]| tables::schedulers_of_two(a, b, self.style()));
        let similarity = Similarity::new(&original, &synthetic);
        let figures: Vec<(String, Figures)> = [&original, &synthetic]
            .map(|history| (history.name.clone(), Figures::new(&history.processors(), &history.run_times())))
            .into();
        self.page(&[report::similar::section(&original.name, &figures, table.as_ref())])?;
        if self.json {
            let (original, synthetic) = (&original.name, &synthetic.name);
            output::json(&Compared { original, synthetic, similarity, figures, schedulers })?;
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "A: {}\nB: {}\n", original.name, synthetic.name)?;
        writeln!(out, "{}", tables::similarity(&similarity, self.style()))?;
        if let Some(table) = table {
            writeln!(out, "\n{table}")?;
        }
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
        if self.csv {
            return Ok(write_csv(&mut out, &studies)?);
        }
        for (index, view) in self.tables.iter().enumerate() {
            let table: Grid = match view {
                View::Parameters => tables::parameters(&studies, self.style()),
                View::Statistics => tables::statistics(&studies, self.style()),
                View::Correlation => tables::correlations(&studies, self.style()),
                View::Autocorrelation => tables::autocorrelations(&studies, self.style()),
                View::Next => tables::next(&scores, self.style()),
                View::People => tables::people(&studies, self.style()),
                View::Schedulers => tables::schedulers(&studies, self.style()),
                View::Verdict => tables::verdicts(&studies, self.style()),
            };
            // Tables without an empty line between them are one.
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{table}")?;
        }
        Ok(())
    }

    /// Results of these traces, and their figures where a page is asked for.
    fn studied(&self, paths: &[PathBuf], sections: &mut Vec<Section>) -> Result<Vec<Studied>, Failure> {
        let studies = self.csv || self.tables.iter().any(|view| *view != View::Next);
        // Table 3 needs no workloads.
        let judges =
            self.csv || self.tables.iter().any(|view| !matches!(view, View::Next | View::Parameters));
        let seeds = if judges { self.seeds.get() } else { 0 };
        let predicts = self.tables.contains(&View::Next);
        let default = || schedulers::POLICIES.iter().map(|name| name.parse()).collect::<Result<_, _>>();
        let policies: Vec<Choice> = match &self.policies {
            Some(policies) => policies.clone(),
            None => default().map_err(anyhow::Error::new)?,
        };
        let replayed = self.tables.contains(&View::Schedulers) || self.csv || self.policies.is_some();
        let histories: Vec<(History, Option<Workload>)> =
            paths.iter().map(|path| read(&self.source, path, replayed)).collect::<Result<_, Failure>>()?;
        let bar = progress(histories.len() as u64 * self.models.len() as u64 * u64::from(seeds));
        let next: Vec<Option<Vec<Score>>> =
            histories.par_iter().map(|(history, _)| predicts.then(|| scores(history))).collect();
        let mut studied = Vec::new();
        for ((history, workload), next) in histories.iter().zip(next) {
            let asked = Asked {
                models: &self.models,
                seeds,
                trace_load: self.stretch,
                judges: workload.as_ref().map(|workload| (workload, policies.as_slice())),
            };
            let study = studies.then(|| Study::new(history, &asked, &|| bar.inc(1)));
            let study = study.transpose().with_context(|| history.name.clone())?;
            if self.html.is_some() {
                let figures = study::figures(history, &self.models).with_context(|| history.name.clone())?;
                let judged = study.as_ref().filter(|study| study.judged.is_some());
                let table =
                    judged.map(|study| tables::schedulers(std::slice::from_ref(study), TableStyle::Markdown));
                sections.push(report::similar::section(&history.name, &figures, table.as_ref()));
            }
            studied.push(Studied { trace: history.name.clone(), study, next });
        }
        bar.finish_and_clear();
        Ok(studied)
    }
}
