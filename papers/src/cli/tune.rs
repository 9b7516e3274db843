//! `surefill-papers tune`: the parameters of a schedule tried on traces.

use super::PROGRAM;
use crate::report;
use crate::studies::tune::{Caps, Subject, TuneOptions, Tuning, count, tune};
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use surefill::schedule::PresetName;
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::options::{ProbArgs, ReplayOptions, file_name};
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{Shard, given_or_all, shard};
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

In a Slurm job array --shard array --json makes each task a shard; surefill-papers merge puts them together.";

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
    /// Run one shard of N; "array" takes I and N from the Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard)]
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
pub(crate) fn print_tuning(tuning: &Tuning, caps: Caps, json: bool, markdown: bool) -> Result<(), Failure> {
    if json {
        output::json(tuning)?;
        return Ok(());
    }
    let style = if markdown { TableStyle::Markdown } else { TableStyle::Terminal };
    let mut out = io::stdout().lock();
    writeln!(out, "{}\n\n{}", report::tune::halves(tuning, style), report::tune::fits(tuning, caps, style))?;
    if let (shard, shards @ 2..) = tuning.shard {
        writeln!(
            out,
            "\nShard {shard} of {shards}: {} of {} settings. With --json it can be merged.",
            tuning.rows.len(),
            tuning.options.settings
        )?;
    }
    Ok(())
}

/// A checksum of the jobs that are replayed.
fn digest(workload: &Workload) -> String {
    let mut hasher = blake3::Hasher::new();
    for job in &workload.jobs {
        hasher.update(format!("{job:?}").as_bytes());
    }
    hasher.finalize().to_hex().to_string()
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

    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.replay.seeds.get() > 1 {
            return Err(Failure::Usage("tune replays one seed: choose it with --seed".to_owned()));
        }
        self.prob.check_searched()?;
        output::check_page(self.html.as_deref())?;
        let shard = given_or_all(self.shard)?;
        let easy: Choice = "easy".parse().map_err(anyhow::Error::new)?;
        let preset = if self.start == Start::Delay { "delay" } else { "delay-fast" };
        let choice: Choice = preset.parse().map_err(anyhow::Error::new)?;
        let options = |choice: Choice, rules: &Rules| -> Result<Options, Failure> {
            let policy = self.prob.options(&self.replay, &choice)?;
            Ok(Options { choice, policy, rules: rules.clone() })
        };
        let loaded = self.traces.iter().map(|path| self.load(path)).collect::<Result<Vec<_>, Failure>>()?;
        let subject = |(name, rules, workload): &'_ (String, Rules, Workload)| -> Result<_, Failure> {
            Ok((name.clone(), options(easy, rules)?, options(choice, rules)?, workload.jobs.len() as u64))
        };
        let described = loaded.iter().map(subject).collect::<Result<Vec<_>, Failure>>()?;
        let subjects: Vec<Subject> = loaded
            .iter()
            .zip(&described)
            .map(|((name, _, workload), (_, easy, preset, _))| Subject {
                name,
                workload,
                easy: easy.clone(),
                preset: preset.clone(),
            })
            .collect();
        let jobs: u64 = described.iter().map(|(.., jobs)| jobs).sum();
        let tuning = TuneOptions {
            settings: self.settings as usize,
            seed: self.draws,
            preset: preset.to_owned(),
            traces: described.iter().map(|(name, .., jobs)| (name.clone(), *jobs)).collect(),
            digests: loaded.iter().map(|(_, _, workload)| digest(workload)).collect(),
            options: format!(
                "seed {}; {:?}",
                self.replay.seed,
                described.iter().map(|(_, _, preset, _)| preset).next()
            ),
        };
        let replays = 1 + count(tuning.settings, shard) as u64;
        let bar = output::progress(jobs * replays);
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let tuning = tune(&subjects, self.name(), &tuning, shard, &progress)?;
        bar.finish_and_clear();
        if let Some(path) = &self.html {
            output::write_page(path, &report::tune::page(&tuning, &output::made(PROGRAM)))?;
        }
        let caps = Caps { p99: self.most_p99, longest: self.most_longest };
        print_tuning(&tuning, caps, self.json, self.markdown)
    }
}
