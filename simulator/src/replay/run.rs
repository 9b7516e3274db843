//! Replays of one workload under one policy, over several seeds in parallel, and their summary.

use crate::replay::calibration::{self, Bin, Delays};
use crate::replay::engine::{Stuck, replay};
use crate::replay::fairness::Fairness;
use crate::replay::metrics::Metrics;
use crate::replay::outcome::{Backfill, Outcome, Setup};
use crate::replay::policy::{
    BadChoice, Calibrate, Choice, OrderOptions, PolicyName, PolicyOptions, ProbOptions, RuleChoice, RuleName,
    name_of,
};
use crate::trace::workload::{Counts, MissingProcessors, Rules, Workload};
use rayon::prelude::*;
use serde::Serialize;
use std::num::NonZeroU64;
use surefill::schedule::PresetName;

/// Everything beside the trace that decides a replay, bit by bit.
#[derive(Debug, Clone)]
pub struct Options {
    /// The policy with its predictor and order.
    pub choice: Choice,
    /// The policy's other choices.
    pub policy: PolicyOptions,
    /// The replay rules.
    pub rules: Rules,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The policy cannot be built.
    #[error(transparent)]
    Choice(#[from] BadChoice),
    /// The policy does not finish.
    #[error(transparent)]
    Stuck(#[from] Stuck),
}

/// What several seeds came to.
#[derive(Debug)]
pub struct Run {
    /// The replay of the first seed, whole.
    pub first: Outcome,
    /// The measures of every seed, in order.
    pub metrics: Vec<Metrics>,
    /// The backfills of every seed, in order.
    pub backfills: Vec<Vec<Backfill>>,
    /// Who waited how long, of every seed, in order.
    pub fairness: Vec<Fairness>,
}

impl Options {
    /// What tells apart probabilistic policies of one predictor and order.
    fn rule(&self) -> Option<RuleChoice> {
        let prob = &self.policy.prob;
        let events = prob.events_per_bin;
        let usual = events == ProbOptions::default().events_per_bin;
        (self.choice.policy == PolicyName::Prob).then(|| RuleChoice {
            name: RuleName::of(prob.criterion, prob.delay),
            tau: Some(prob.tau),
            events_per_bin: (!usual).then_some(events),
            // What is only told decides nothing.
            calibrate: (prob.calibrate == Calibrate::Decide).then_some(prob.calibrate),
        })
    }

    /// The preset whose values these are.
    fn preset(&self) -> Option<String> {
        let order = self.choice.order(&self.policy);
        let same = |name: &PresetName| {
            let (other, prob) = (OrderOptions::preset(*name), ProbOptions::preset(*name));
            self.choice.policy == PolicyName::Prob && order == other && self.policy.prob == prob
        };
        let name = PresetName::ALL.into_iter().find(same)?;
        Some(name.name().to_string_lossy().into_owned())
    }

    /// The setup of one replay under these options.
    pub fn setup(&self, trace: &str, procs: u32, seed: u64) -> Setup {
        Setup {
            trace: trace.to_owned(),
            policy: name_of(self.choice.policy),
            predictor: name_of(self.choice.predictor),
            preset: self.preset(),
            order: self.choice.order(&self.policy).to_string(),
            rule: self.rule().map(|rule| rule.to_string()),
            tau: self.policy.prob.tau,
            delay: name_of(self.policy.prob.delay),
            criterion: name_of(self.policy.prob.criterion),
            overrun: name_of(self.rules.overrun),
            procs,
            seed,
        }
    }
}

/// Replays a workload once for each of `seeds` seeds from `first_seed` up, in parallel; `progress` is told how many
/// more jobs have been submitted, from any thread. The workload must have been made by `options.rules`.
///
/// # Errors
/// [`Error`].
pub fn run(
    trace: &str,
    workload: &Workload,
    options: &Options,
    first_seed: u64,
    seeds: NonZeroU64,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Run, Error> {
    let one = |seed: u64| {
        let shifted = workload.shifted(seed);
        let mut policy = options.choice.build(&options.policy)?;
        let setup = options.setup(trace, shifted.procs, seed);
        let outcome = replay(&shifted, setup, &mut *policy, progress)?;
        let metrics = Metrics::of(&outcome);
        let fairness = Fairness::of(&outcome);
        let backfills: Vec<Backfill> = outcome.jobs.iter().filter_map(|job| job.backfill).collect();
        // Whole outcomes are large: only the first seed's is needed.
        let whole = (seed == first_seed).then_some(outcome);
        Ok((whole, metrics, backfills, fairness))
    };
    let seeds: Result<Vec<_>, Error> =
        (first_seed..first_seed.saturating_add(seeds.get())).into_par_iter().map(one).collect();
    let mut first = None;
    let mut metrics = Vec::new();
    let mut backfills = Vec::new();
    let mut fairness = Vec::new();
    for (whole, measures, more, who) in seeds? {
        first = first.or(whole);
        metrics.push(measures);
        backfills.push(more);
        fairness.push(who);
    }
    // There is at least one seed, and the first keeps its outcome.
    let first = first.expect("the first seed's outcome");
    Ok(Run { first, metrics, backfills, fairness })
}

/// A run as `simulate --json` prints it: one flat object.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The version that made it.
    pub version: &'static str,
    /// How it was set up; `seed` is the first seed.
    #[serde(flatten)]
    pub setup: Setup,
    /// All further choices; each policy uses those that concern it.
    pub options: PolicyOptions,
    /// Jobs that ran on an unknown number of processors: replayed on those requested, or dropped.
    pub missing_processors: MissingProcessors,
    /// How many seeds, from `seed` up.
    pub seeds: usize,
    /// Means over the seeds.
    #[serde(flatten)]
    pub mean: Metrics,
    /// The mean wait of every seed, in order, in seconds: policies replayed with the same seeds can be compared pair by
    /// pair.
    pub mean_waits_s: Vec<f64>,
    /// Standard deviations over the seeds, when there are several.
    pub spread: Option<Metrics>,
    /// Who waited how long, means over the seeds.
    pub fairness: Fairness,
    /// Predicted and observed delay of the accepted backfills of all seeds.
    pub calibration: Vec<Bin>,
    /// The same over all backfills, and what came together for each head job.
    pub delays: Delays,
    /// What the replay rules did.
    pub replay: Counts,
}

impl Summary {
    /// The summary of a run made with these options.
    pub fn new(run: &Run, workload: &Workload, options: &Options) -> Summary {
        let criterion = options.policy.prob.criterion;
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            setup: run.first.setup.clone(),
            options: options.policy.clone(),
            missing_processors: options.rules.missing_processors,
            seeds: run.metrics.len(),
            mean: Metrics::mean(&run.metrics).expect("at least one seed was run"),
            mean_waits_s: run.metrics.iter().map(|metrics| metrics.mean_wait_s).collect(),
            spread: Metrics::deviation(&run.metrics),
            fairness: Fairness::mean(&run.fairness),
            calibration: calibration::bins(run.backfills.iter().flatten().copied(), criterion),
            delays: Delays::of(&run.backfills, criterion),
            replay: workload.counts,
        }
    }
}
