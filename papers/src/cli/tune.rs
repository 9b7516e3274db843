//! `surefill-papers tune`: the parameters of a schedule tried on traces.

use super::PROGRAM;
use crate::report;
use crate::studies::tune::{Caps, Row, Subject, TuneOptions, Tuning, tune};
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use surefill::schedule::PresetName;
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::options::{ProbArgs, ReplayOptions, file_name};
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{self, Invocation, Shard};
use surefill_simulator::replay::policy::Choice;
use surefill_simulator::replay::run::Options;
use surefill_simulator::report::TableStyle;
use surefill_simulator::trace::workload::{Rules, Workload};

/// Text at the end of `tune --help`.
pub const HELP: &str = "\
Setting 0 is the preset itself. Each other setting draws, by the seed and its number: the priorities of queue and
candidates, tau, guard and front. Every setting is replayed on every trace, beside EASY in the order of submission with the
same seed, and measured on the first half of the jobs (in order of submission), on the second half, and on all.

The first table has the settings that no other surpasses on the first halves in gain, 99th percentile and longest wait, and
what they come to on the second halves; changes are against EASY's waits of the same jobs. Gains are geometric means over
the traces, p99 and longest wait those of the worst trace. The second table has the setting with the largest gain within
--most-p99 and --most-longest, fitted on the first halves and reported on the second; with several traces also fitted on the
first, third, ... trace and reported on the others, and the reverse.

In a Slurm job array --shard array makes each task a shard; surefill-papers merge puts them together.";

/// The presets that a search can begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Start {
    /// Shorter waits than EASY's whose longest ones hardly rise.
    Delay,
    /// The shortest mean wait.
    DelayFast,
}

/// Options of `tune`.
#[derive(Debug, Args)]
pub struct Tune {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Settings that are tried, the preset's among them
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    settings: u32,
    /// The seed that settings are drawn by
    #[arg(long, value_name = "S", default_value_t = 1)]
    draws: u64,
    /// The preset that gives setting 0 and all that is not searched
    #[arg(long, value_enum, default_value = "delay")]
    start: Start,
    /// The largest 99th percentile of waits on any trace, over EASY's
    #[arg(long, value_name = "RATIO", default_value_t = 1.0, value_parser = ratio)]
    most_p99: f64,
    /// The largest longest wait on any trace, over EASY's
    #[arg(long, value_name = "RATIO", default_value_t = 1.1, value_parser = ratio)]
    most_longest: f64,
    /// Run one shard of N, some of the settings, and print its part as JSON, for merge; "array" takes I and N from the
    /// Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, conflicts_with_all = ["html", "markdown"])]
    shard: Option<Shard>,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
    /// Write a self-contained page with the frontier as a plot
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

pub(crate) fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse::<f64>().ok().filter(|ratio| *ratio > 0.0 && ratio.is_finite());
    ratio.ok_or_else(|| "not a number above 0".to_owned())
}

/// Prints a search.
fn print_tuning(tuning: &Tuning, caps: Caps, json: bool, markdown: bool) -> Result<(), Failure> {
    if json {
        output::json(tuning)?;
        return Ok(());
    }
    let style = if markdown { TableStyle::Markdown } else { TableStyle::Terminal };
    let mut out = io::stdout().lock();
    writeln!(out, "{}\n\n{}", report::tune::halves(tuning, style), report::tune::fits(tuning, caps, style))?;
    Ok(())
}

impl Tune {
    fn name(&self) -> PresetName {
        match self.start {
            Start::Delay => PresetName::Delay,
            Start::DelayFast => PresetName::DelayFast,
        }
    }

    fn load(&self, path: &Path) -> Result<(String, Rules, Workload), Failure> {
        let name = file_name(path);
        self.replay.on_processors()?;
        let (rules, workload) = self.replay.workload(&self.replay.read(path)?, &name)?;
        Ok((name, rules, workload.shifted(self.replay.seed)))
    }

    pub(crate) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        if self.replay.seeds.get() > 1 {
            return Err(Failure::Usage("tune replays one seed: choose it with --seed".to_owned()));
        }
        self.prob.check_searched()?;
        output::check_page(self.html.as_deref())?;
        let mut jobs = Vec::new();
        let compute = |mine: &[usize]| {
            let (of_traces, rows) = self.rows(mine)?;
            jobs = of_traces;
            Ok(rows)
        };
        let (count, name) = (self.settings as usize, |index| format!("setting {index}"));
        let rows = shard::of_study("tune", self.shard, invocation, &self.traces, count, name, compute)?;
        let Some(rows) = rows else { return Ok(()) };
        let options = TuneOptions {
            settings: count,
            seed: self.draws,
            preset: self.preset().to_owned(),
            traces: self.traces.iter().map(|path| file_name(path)).collect(),
        };
        let tuning = Tuning { surefill: env!("CARGO_PKG_VERSION").to_owned(), options, rows };
        if let Some(path) = &self.html {
            output::write_page(path, &report::tune::page(&tuning, &jobs, &output::made(PROGRAM)))?;
        }
        let caps = Caps { p99: self.most_p99, longest: self.most_longest };
        print_tuning(&tuning, caps, self.json, self.markdown)
    }

    fn preset(&self) -> &'static str {
        match self.start {
            Start::Delay => "delay",
            Start::DelayFast => "delay-fast",
        }
    }

    /// Replays some of the settings; the number of jobs of each trace, and the settings' rows.
    fn rows(&self, mine: &[usize]) -> Result<(Vec<usize>, Vec<Row>), Failure> {
        let easy: Choice = "easy".parse().map_err(anyhow::Error::new)?;
        let choice: Choice = self.preset().parse().map_err(anyhow::Error::new)?;
        let options = |choice: Choice, rules: &Rules| -> Result<Options, Failure> {
            let policy = self.prob.options(&self.replay, &choice)?;
            Ok(Options { choice, policy, rules: rules.clone() })
        };
        let loaded = self.traces.iter().map(|path| self.load(path)).collect::<Result<Vec<_>, Failure>>()?;
        let subjects = loaded.iter().map(|(name, rules, workload)| -> Result<_, Failure> {
            Ok(Subject { name, workload, easy: options(easy, rules)?, preset: options(choice, rules)? })
        });
        let subjects = subjects.collect::<Result<Vec<_>, Failure>>()?;
        let jobs: Vec<usize> = loaded.iter().map(|(.., workload)| workload.jobs.len()).collect();
        let bar = output::progress(jobs.iter().sum::<usize>() as u64 * (1 + mine.len() as u64));
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let rows = tune(&subjects, self.name(), self.draws, mine, &progress)?;
        bar.finish_and_clear();
        Ok((jobs, rows))
    }
}
