//! `surefill simulate`: one trace, one policy.

use super::Failure;
use super::options::{PolicyArgs, ProbArgs, ReplayOptions, file_name, predicts_starts};
use super::output::{self, OutputOptions};
use crate::base::papers;
use crate::base::words::sentence;
use crate::replay::outcome::Outcome;
use crate::replay::policy::{PolicyOptions, name_of};
use crate::replay::run::{Options, Summary, run};
use crate::replay::schedule::{self, Expected};
use crate::replay::starts::{Method, Occasion, Prediction, SCENARIOS, WITHIN, predictor, study};
use crate::report::{self, Compared};
use crate::trace::recorded::Recorded;
use crate::trace::workload::Workload;
use anyhow::Context;
use clap::Args;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Options of `simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The trace: any format that import reads; - is standard input
    trace: PathBuf,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Write the schedule, job by job: SWF or CSV by the file's extension (one seed only)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    jobs: Option<PathBuf>,
    /// Add to the CSV of --jobs the predicted start of each job that had to wait, as the scheduler would have reported
    /// it after its submission: levels and probabilities, as by start-times. Under fair, fast, easy and papers. Plays
    /// every queue twenty times: hours on a long trace with hundreds of waiting jobs
    #[arg(long, requires = "jobs", help_heading = "Output")]
    starts: bool,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

#[derive(Debug, Clone, Copy)]
enum Format {
    Swf,
    Csv,
}

fn format_of(path: &Path) -> Result<Format, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("swf") => Ok(Format::Swf),
        Some("csv") => Ok(Format::Csv),
        _ => Err(Failure::Usage(format!("--jobs {}: the extension must be .swf or .csv", path.display()))),
    }
}

impl Simulate {
    pub(super) fn run(self) -> Result<(), Failure> {
        let choice = self.policy.choice(&self.replay)?;
        self.prob.check(&choice)?;
        let jobs =
            self.jobs.as_deref().map(|path| format_of(path).map(|format| (path, format))).transpose()?;
        if jobs.is_some() && self.replay.seeds.get() > 1 {
            return Err(Failure::Usage(
                "--jobs writes the schedule of one seed: choose it with --seed".into(),
            ));
        }
        if self.starts && !matches!(jobs, Some((_, Format::Csv))) {
            return Err(Failure::Usage("--starts: SWF has no place for it, --jobs writes it as CSV".into()));
        }
        self.output.check()?;
        let trace = self.replay.read(&self.trace)?;
        let name = file_name(&self.trace);
        let (rules, workload) = self.replay.workload(&trace, &name)?;
        let policy = self.prob.options(&self.replay, &choice)?;
        let delays_wanted = self.output.shows_delays() || jobs.is_some();
        let options = Options { choice, policy: PolicyOptions { delays_wanted, ..policy }, rules };
        if self.starts {
            predicts_starts(&options, &workload)?;
        }

        let bar = output::progress(workload.counts.jobs * self.replay.seeds.get());
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let result = run(&name, &workload, &options, self.replay.seed, self.replay.seeds, &progress)?;
        bar.finish_and_clear();

        let summary = Summary::new(&result, &workload, &options);
        if let Some((path, format)) = jobs {
            let expected = self.starts.then(|| self.expected(&name, &workload, &options)).transpose()?;
            write_jobs(path, format, &result.first, &workload, &options, expected.as_ref())
                .with_context(|| path.display().to_string())?;
        }
        let published = papers::published_on(&name, workload.procs).filter(|_| self.replay.whole());
        if self.output.html.is_some() {
            let section = report::section(&[(result, summary.clone())], self.output.papers(published));
            self.output.page(&format!("{name}: {}", options.choice), &[section])?;
        }
        if self.output.json {
            output::json(&summary)?;
        } else {
            let nameless = workload.counts.nameless().map(|remark| sentence(&remark));
            let (recorded, remarks) = (Recorded::of(&workload.jobs), nameless.into_iter().collect());
            let compared = Compared { trace: name, policies: vec![summary], published, recorded, remarks };
            self.output.trace(&compared)?;
            self.output.traces(&[compared])?;
        }
        Ok(())
    }

    /// When the jobs that had to wait were expected to start after their submission.
    fn expected(
        &self,
        name: &str,
        workload: &Workload,
        options: &Options,
    ) -> Result<Expected<{ WITHIN.len() }>, Failure> {
        let workload = workload.shifted(self.replay.seed);
        let bar = output::progress(workload.jobs.len() as u64);
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let (_, predictions) = study(name, &workload, options, (SCENARIOS, 1), &progress)?;
        bar.finish_and_clear();
        let asked = |prediction: &&Prediction| {
            prediction.method == Method::Reported && prediction.occasion == Occasion::Submission
        };
        let start = |prediction: &Prediction| {
            let starts = prediction.quantiles.map(|within| prediction.asked + within);
            prediction.started.map(|chances| (prediction.job, (starts, chances)))
        };
        let jobs = predictions.iter().filter(asked).filter_map(start).collect();
        Ok(Expected { predicted_by: name_of(predictor(&options.choice)), within: WITHIN, jobs })
    }
}

fn write_jobs(
    path: &Path,
    format: Format,
    outcome: &Outcome,
    workload: &Workload,
    options: &Options,
    expected: Option<&Expected<{ WITHIN.len() }>>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    match format {
        Format::Swf => {
            let shifted = workload.shifted(outcome.setup.seed);
            schedule::write_swf(&mut out, outcome, &shifted, options)?;
        }
        Format::Csv => schedule::write_csv(&mut out, outcome, options, expected)?,
    }
    out.flush()?;
    Ok(())
}
