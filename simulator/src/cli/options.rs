//! Options that several verbs share.

use super::Failure;
use crate::papers;
use crate::policy::{
    Choice, Criterion, Delay, Order, Overdue, PolicyName, PolicyOptions, ProbOptions, name_of,
};
use crate::predict::Predictor;
use crate::swf::{self, Strictness, Trace};
use crate::workload::{MissingProcessors, Overrun, Rules, Workload};
use clap::{Args, ValueEnum};
use std::num::NonZeroU64;
use std::path::Path;

/// Sets of options by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// All as Nissimov & Feitelson 2007
    Papers,
    /// Only the machines' sizes as Nissimov & Feitelson 2007
    Sizes,
}

/// How traces become workloads.
#[derive(Debug, Args)]
#[command(next_help_heading = "Replay")]
pub struct ReplayOptions {
    /// Options as in a publication
    #[arg(long, value_enum)]
    preset: Option<Preset>,
    /// Processors of the machine [default: the trace's MaxProcs, else MaxNodes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    procs: Option<u32>,
    /// Replay the first N jobs only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit_jobs: Option<u64>,
    /// What happens to run times above the limit [default: keep]
    #[arg(long, value_enum)]
    overrun: Option<Overrun>,
    /// What happens to jobs that ran on an unknown number of processors [default: requested]
    #[arg(long, value_enum)]
    missing_processors: Option<MissingProcessors>,
    /// When EASY expects the end of a running job past its limit: one second from now, or in the past [default: soon]
    #[arg(long, value_enum)]
    overdue: Option<Overdue>,
    /// The first seed: 0 replays the trace as it is, any other shifts every submission by 0 to 59 s
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Replay with K seeds, from the first up, and report means and spread
    #[arg(long, value_name = "K", default_value = "1")]
    pub seeds: NonZeroU64,
    /// Wrong lines in a trace are fatal
    #[arg(long)]
    strict: bool,
}

impl ReplayOptions {
    /// Whether whole traces are replayed, of which the papers' numbers are.
    pub(super) fn whole(&self) -> bool {
        self.limit_jobs.is_none()
    }

    fn papers(&self) -> bool {
        self.preset == Some(Preset::Papers)
    }

    /// [`read`], as strict as was asked for.
    ///
    /// # Errors
    /// Those of [`swf::open`].
    pub fn read(&self, path: &Path) -> Result<Trace, Failure> {
        read(path, self.strict)
    }

    /// The replay rules for a trace, and the workload they make of it.
    ///
    /// # Errors
    /// Those of [`Workload::new`].
    pub fn workload(&self, trace: &Trace, file_name: &str) -> Result<(Rules, Workload), Failure> {
        let published = papers::published(file_name).filter(|_| self.preset.is_some());
        if self.preset.is_some() && published.is_none() {
            eprintln!(
                "warning: {file_name} is not named as a trace of the papers: its header gives the size"
            );
        }
        let missing = if self.papers() { MissingProcessors::Drop } else { MissingProcessors::Requested };
        let rules = Rules {
            overrun: self.overrun.unwrap_or_default(),
            missing_processors: self.missing_processors.unwrap_or(missing),
            procs: self.procs.or(published.map(|published| published.procs)),
            // More jobs than memory holds are all jobs.
            limit_jobs: self.limit_jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
        };
        let workload = Workload::new(trace, &rules)?;
        Ok((rules, workload))
    }
}

/// Reads a trace and says on standard error what is wrong with it.
///
/// # Errors
/// Those of [`swf::open`].
pub fn read(path: &Path, strict: bool) -> Result<Trace, Failure> {
    /// So many wrong lines are shown, the others counted.
    const SHOWN: usize = 10;
    let strictness = if strict { Strictness::Strict } else { Strictness::Lenient };
    let trace = swf::open(path, strictness)?;
    for problem in trace.problems.iter().take(SHOWN) {
        let fate = if problem.kept() { "sorted to its place" } else { "left out" };
        eprintln!("warning: {}:{}: {} ({fate})", trace.name, problem.line, problem.reason);
    }
    if trace.problems.len() > SHOWN {
        eprintln!("warning: {}: {} wrong lines in all", trace.name, trace.problems.len());
    }
    Ok(trace)
}

/// A trace's file name without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// One policy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// The scheduling policy
    #[arg(long, value_enum, default_value = "easy")]
    policy: PolicyName,
    /// How run times are predicted [default: the policy's own]
    #[arg(long, value_enum)]
    predictor: Option<Predictor>,
    /// The order in which backfill candidates are tried [default: the policy's own]
    #[arg(long, value_enum)]
    order: Option<Order>,
}

impl PolicyArgs {
    /// The policy, if there is one with this predictor and order.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn choice(&self) -> Result<Choice, Failure> {
        Choice::new(self.policy, self.predictor, self.order)
            .map_err(|error| Failure::Usage(error.to_string()))
    }
}

/// The choices of probabilistic backfilling.
#[derive(Debug, Args)]
#[command(next_help_heading = "Probabilistic backfilling")]
pub struct ProbArgs {
    /// Accept a backfill when its predicted delay is below this [default: 0.05, of seconds 60]
    #[arg(long, value_parser = not_negative)]
    tau: Option<f64>,
    /// How the delay probability is computed [default: exact]
    #[arg(long, value_enum)]
    delay: Option<Delay>,
    /// What of the delay is compared with tau [default: probability]
    #[arg(long, value_enum)]
    criterion: Option<Criterion>,
    /// Events into which a bin's probability is divided [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=MAX_EVENTS))]
    events_per_bin: Option<u8>,
    /// The most delay that all backfills ahead of one head job may add up to [default: none]
    #[arg(long, value_parser = not_negative)]
    budget: Option<f64>,
    /// Whether predictions of waiting jobs follow what is learnt meanwhile [default: true]
    #[arg(long, value_name = "BOOL")]
    refresh: Option<bool>,
    /// The hidden Markov model's floor where it explains nothing; 0 for silence [default: 0.001, papers 0]
    #[arg(long, value_name = "P", value_parser = floor)]
    hmm_floor: Option<f64>,
    /// Where the predictors' second run-time bin starts; shorter jobs are in the first [s] [default: 1.5]
    #[arg(long, value_name = "SECONDS")]
    first_edge: Option<f64>,
    /// Ratio of neighbouring edges of the predictors' run-time bins [default: 1.8]
    #[arg(long, value_name = "R")]
    ratio: Option<f64>,
}

const MAX_EVENTS: i64 = surefill::runtime::MAX_EVENTS_PER_BIN as i64;

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("not a number of 0 or above".to_owned()),
    }
}

impl ProbArgs {
    /// Refuses these options for all policies but `prob`.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn check(&self, policy: PolicyName) -> Result<(), Failure> {
        let given = [
            ("--tau", self.tau.is_some()),
            ("--delay", self.delay.is_some()),
            ("--criterion", self.criterion.is_some()),
            ("--events-per-bin", self.events_per_bin.is_some()),
            ("--budget", self.budget.is_some()),
            ("--refresh", self.refresh.is_some()),
            ("--hmm-floor", self.hmm_floor.is_some()),
            ("--first-edge", self.first_edge.is_some()),
            ("--ratio", self.ratio.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) if policy != PolicyName::Prob => {
                Err(Failure::Usage(format!("{option} is for --policy prob, not for {}", name_of(policy))))
            }
            _ => Ok(()),
        }
    }

    /// A policy's options, from the arguments, else the preset, else the defaults.
    ///
    /// # Errors
    /// [`Failure::Usage`] for bins that are none.
    pub fn options(&self, replay: &ReplayOptions) -> Result<PolicyOptions, Failure> {
        let (base, overdue) = if replay.papers() {
            (ProbOptions::papers(), Overdue::Past)
        } else {
            (ProbOptions::default(), Overdue::Soon)
        };
        let criterion = self.criterion.unwrap_or(base.criterion);
        let prob = ProbOptions {
            tau: self.tau.unwrap_or(criterion.default_tau()),
            delay: self.delay.unwrap_or(base.delay),
            criterion,
            events_per_bin: self.events_per_bin.map_or(base.events_per_bin, usize::from),
            budget: self.budget.or(base.budget),
            refresh: self.refresh.unwrap_or(base.refresh),
            hmm_floor: self.hmm_floor.unwrap_or(base.hmm_floor),
            first_edge_s: self.first_edge.unwrap_or(base.first_edge_s),
            ratio: self.ratio.unwrap_or(base.ratio),
        };
        prob.bins().map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(PolicyOptions { overdue: replay.overdue.unwrap_or(overdue), prob })
    }
}

/// A probability from 0 to below 1.
pub(super) fn floor(text: &str) -> Result<f64, String> {
    let floor = text.parse::<f64>().ok().filter(|floor| (0.0..1.0).contains(floor));
    floor.ok_or_else(|| "not a number from 0 to below 1".to_owned())
}
