//! `surefill start-times`: accuracy of forecasts of the starts of waiting jobs.

use super::Failure;
use super::options::{PolicyArgs, ProbArgs, ReplayOptions, file_name};
use super::output;
use crate::replay::policy::PolicyName;
use crate::replay::predict::PredictorName;
use crate::replay::run::Options;
use crate::report::{TableStyle, starts};
use crate::studies::starts::{Asks, plays_forward, study};
use clap::Args;
use std::io;
use std::path::PathBuf;
use surefill::engine::MOST_SCENARIOS;

/// Text at the end of `start-times --help`.
pub(super) const HELP: &str = "\
The trace is replayed under the policy. After the pass that follows its submission a job that still waits is told when it\n\
will start, and so is every waiting job every six hours:\n\n  \
forecast: quantiles of the queue played forward over run times as the beliefs have them, and probabilities\n  \
forecast, calibrated: these quantiles, stretched by what came of those told before\n  \
limits alone: the queue played forward with all jobs running to their limits, as Slurm does\n  \
history of waits: quantiles of the last 1,000 waits longer than this job's so far, from 20 on\n\n\
The plan of the whole queue plays itself forward, with later jobs as those of a day among the last fourteen. Of other policies\n\
jobs that arrive later are not foreseen. Probabilistic backfilling is played forward in its orders of the queue and of the\n\
candidates, as EASY by medians that may delay the head job by the rule's part of its wait; conservative backfilling with\n\
reservations made anew at every instant. With --nodes each waiting job finds its nodes in the scenarios when its turn comes.";

/// Options of `start-times`.
#[derive(Debug, Args)]
pub struct StartTimes {
    /// The trace: any format that import reads; - is standard input
    trace: PathBuf,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Predictor of run times in the forecasts [default: the policy's own predictor if it predicts distributions, else
    /// mix]
    #[arg(long, value_enum, help_heading = "Forecasts")]
    beliefs: Option<PredictorName>,
    /// Scenarios of a forecast [default: 100; of the plan's own, which has at most 64, 20]
    #[arg(long, value_name = "N", help_heading = "Forecasts", value_parser = clap::value_parser!(u32).range(2..=65_536))]
    scenarios: Option<u32>,
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
        let choice = self.policy.choice(&self.replay)?;
        self.prob.check(&choice)?;
        if !plays_forward(&choice) {
            return Err(Failure::Usage(
                "start-times plays queues forward by fcfs, easy, conservative, easy++, prob, fair and fast, in their orders: it does not \
                 know the rules and orders of others"
                    .to_owned(),
            ));
        }
        let beliefs = self.beliefs.unwrap_or(Asks::of(&choice).beliefs);
        if !PredictorName::DISTRIBUTION.contains(&beliefs) {
            return Err(Failure::Usage("--beliefs: this predictor tells single values only".to_owned()));
        }
        let scenarios = self.scenarios.unwrap_or(Asks::scenarios(&choice));
        if matches!(choice.policy, PolicyName::Fair | PolicyName::Fast) && scenarios > MOST_SCENARIOS {
            return Err(Failure::Usage(format!(
                "--scenarios: the plan's own forecast has {MOST_SCENARIOS} at most"
            )));
        }
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
        self.replay.plays_forward(&choice, &workload)?;
        let workload = workload.shifted(self.replay.seed);
        let options = Options { choice, policy: self.prob.options(&self.replay, &choice)?, rules };
        let bar = output::progress(workload.counts.jobs);
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let asks = Asks { beliefs, scenarios, every: 6 * 3600 };
        let (study, told) = study(&name, &workload, &options, &asks, &progress)?;
        bar.finish_and_clear();
        if let Some(path) = &self.jobs {
            output::write_page(path, &starts::csv(&told))?;
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
