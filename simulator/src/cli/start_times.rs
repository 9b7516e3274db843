//! `surefill start-times`: accuracy of forecasts of the starts of waiting jobs.

use super::Failure;
use super::options::{PolicyArgs, ProbArgs, ReplayOptions, file_name, predicts_starts};
use super::output;
use crate::replay::run::Options;
use crate::replay::starts::{SCENARIOS, study};
use crate::report::{TableStyle, starts};
use clap::Args;
use std::io;
use std::path::PathBuf;
use surefill::engine::MOST_SCENARIOS;

/// Text at the end of `start-times --help`.
pub(super) const HELP: &str = "\
The trace is replayed by the scheduler engine under the policy: fair, fast, easy or papers. After the pass that follows its\n\
submission a job that still waits has a predicted start, and so has every waiting job every six hours:\n\n  \
scenarios: levels of the scheduler's rule played forward, over run times as predicted and the submissions of earlier days\n  \
reported: the start as it is reported to people: these levels moved by the starts that followed earlier reports\n  \
limits alone: EASY played forward with all jobs running to their limits, as Slurm does; not with --nodes\n  \
history of waits: quantiles of the last 1,000 waits longer than this job's so far, from 20 on\n\n\
With --nodes starts are predicted under fair, fast and easy, where nodes are alike and jobs take whole ones. Every queue is\n\
played twenty times by the rule itself, which takes hours on a long trace with hundreds of waiting jobs.";

/// Options of `start-times`.
#[derive(Debug, Args)]
pub struct StartTimes {
    /// The trace: any format that import reads; - is standard input
    trace: PathBuf,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Scenarios of a forecast
    #[arg(long, value_name = "N", help_heading = "Forecasts", default_value_t = SCENARIOS,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SCENARIOS)))]
    scenarios: u32,
    /// Ask about every N-th job of the trace alone: a forecast takes the same time for one job as for all
    #[arg(long, value_name = "N", help_heading = "Forecasts", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..))]
    each: u32,
    /// Write every job's forecasts, and its start, to this CSV file: times and quantiles in seconds, the quantiles from
    /// the moment of asking
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    jobs: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    /// Print the table as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

impl StartTimes {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.replay.without_site()?;
        let choice = self.policy.choice(&self.replay)?;
        self.prob.check(&choice)?;
        if self.replay.seeds.get() > 1 {
            return Err(Failure::Usage("start-times replays one seed: choose it with --seed".to_owned()));
        }
        if self.jobs.as_ref().is_some_and(|path| path.extension().is_none_or(|extension| extension != "csv"))
        {
            return Err(Failure::Usage("--jobs: the extension must be .csv".to_owned()));
        }
        output::check_page(self.jobs.as_deref())?;
        let trace = self.replay.read(&self.trace)?;
        let name = file_name(&self.trace);
        let (rules, workload) = self.replay.workload(&trace, &name)?;
        let workload = workload.shifted(self.replay.seed);
        let options = Options { choice, policy: self.prob.options(&self.replay, &choice)?, rules };
        predicts_starts(&options, &workload)?;
        let bar = output::progress(workload.counts.jobs);
        let asked = (self.scenarios, self.each as usize);
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let (study, predictions) = study(&name, &workload, &options, asked, &progress)?;
        bar.finish_and_clear();
        if let Some(path) = &self.jobs {
            output::write_page(path, &starts::csv(&predictions))?;
        }
        if self.json {
            output::json(&study)?;
        } else {
            let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
            output::say(&mut io::stdout().lock(), &starts::table(&study, style))?;
        }
        Ok(())
    }
}
