//! Replays of one workload under one policy, over several seeds in parallel, and their summary.

use crate::replay::calibration::{self, Backfills, Bin, Delays};
use crate::replay::engine::{Stuck, replay};
use crate::replay::fairness::Fairness;
use crate::replay::metrics::Metrics;
use crate::replay::nodes::NodeUse;
use crate::replay::outcome::Outcome;
use crate::replay::policy::{
    BadChoice, Calibrate, Choice, Multifactor, OrderOptions, Policy, PolicyName, PolicyOptions, ProbOptions,
    RuleChoice, RuleName,
};
use crate::replay::setup::Setup;
use crate::replay::waiting::{Shape, Week, waits, weeks};
use crate::trace::workload::{Counts, MissingProcessors, Rules, Workload};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
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

/// Reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The policy cannot be built.
    #[error(transparent)]
    Choice(#[from] BadChoice),
    /// The policy does not finish.
    #[error(transparent)]
    Stuck(#[from] Stuck),
}

/// Result of the replay of one seed, without its jobs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Replayed {
    /// Its measures.
    pub metrics: Metrics,
    /// Mean waits by kinds of jobs.
    pub fairness: Fairness,
    /// Its backfills.
    pub backfills: Backfills,
    /// Use of the nodes; none on a machine of processors.
    pub nodes: Option<NodeUse>,
    /// Distribution of its waits.
    pub shape: Shape,
    /// Its waits week by week.
    pub weeks: Vec<Week>,
    /// Every job's wait in seconds, in order of submission. Shards do not write them, so merged replays have none.
    #[serde(skip)]
    pub waits: Vec<u32>,
}

/// Result of several seeds.
#[derive(Debug)]
pub struct Run {
    /// The replay of the first seed, whole.
    pub first: Outcome,
    /// Every seed, in order.
    pub seeds: Vec<Replayed>,
}

impl Options {
    /// The differences between probabilistic policies of one predictor and order.
    fn rule(&self) -> Option<RuleChoice> {
        let prob = &self.policy.prob;
        let events = prob.events_per_bin;
        let usual = events == ProbOptions::default().events_per_bin;
        (self.choice.policy == PolicyName::Prob).then(|| RuleChoice {
            name: RuleName::of(prob.criterion, prob.delay),
            tau: Some(prob.tau),
            events_per_bin: (!usual).then_some(events),
            // A preset's name includes it.
            calibrate: (prob.calibrate != Calibrate::Off && self.preset().is_none())
                .then_some(prob.calibrate),
        })
    }

    /// The preset whose values these are.
    fn preset(&self) -> Option<PresetName> {
        let order = self.choice.order(&self.policy);
        let same = |name: &PresetName| {
            let (other, prob) = (OrderOptions::preset(*name), ProbOptions::preset(*name));
            self.choice.policy == PolicyName::Prob && order == other && self.policy.prob == prob
        };
        PresetName::ALL.into_iter().find(same)
    }

    /// These options with the priorities of the workload's site, where it has rules and no priorities other than the
    /// default were given.
    pub fn at_site(&self, workload: &Workload) -> Options {
        let mut options = self.clone();
        let Some(rules) = &workload.site else { return options };
        let usual = Multifactor::default();
        let policy = &mut options.policy;
        let given = policy.order.as_ref().and_then(|order| order.site.as_ref());
        if policy.site.iter().chain(given).any(|site| *site != usual) {
            return options;
        }
        let site = Multifactor::of(rules).unwrap_or_else(|| Multifactor::basic(rules));
        if let Some(order) = &mut policy.order {
            order.site = order.site.is_some().then(|| site.clone());
        }
        policy.site = Some(site);
        options
    }

    /// The policy for a workload's machine and site.
    ///
    /// # Errors
    /// [`BadChoice`].
    pub fn build(&self, workload: &Workload) -> Result<Box<dyn Policy>, BadChoice> {
        let Options { choice, policy, .. } = &self.at_site(workload);
        match &workload.nodes {
            Some(_) => choice.build_on_nodes(policy, workload),
            None => choice.build(policy),
        }
    }

    /// The same as the core's scheduler makes it, which predicts starts.
    ///
    /// # Errors
    /// As [`Choice::build_predicting`].
    pub fn build_predicting(&self, workload: &Workload) -> Result<Box<dyn Policy>, BadChoice> {
        self.choice.build_predicting(&self.at_site(workload).policy, workload)
    }

    /// The setup of one replay under these options.
    pub fn setup(&self, trace: &str, procs: u32, seed: u64) -> Setup {
        Setup {
            trace: trace.to_owned(),
            policy: self.choice.policy,
            predictor: self.choice.predictor,
            preset: self.preset(),
            order: self.choice.order(&self.policy),
            rule: self.rule(),
            plan: self.choice.plan_difference(),
            tau: self.policy.prob.tau,
            delay: self.policy.prob.delay,
            criterion: self.policy.prob.criterion,
            overrun: self.rules.overrun,
            procs,
            seed,
        }
    }
}

/// Replays a workload with one seed; `progress` is called with the number of jobs submitted since, from any thread. The
/// workload must have been made by `options.rules`. The outcome is large: several hundred bytes a job.
///
/// # Errors
/// [`Error`].
pub fn one(
    trace: &str,
    workload: &Workload,
    options: &Options,
    seed: u64,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<(Outcome, Replayed), Error> {
    // Seed 0 is the workload itself, and needs no copy.
    let own = (seed != 0).then(|| workload.shifted(seed));
    let workload = own.as_ref().unwrap_or(workload);
    let options = &options.at_site(workload);
    let mut policy = options.build(workload)?;
    let outcome = replay(workload, options.setup(trace, workload.procs, seed), &mut *policy, progress)?;
    drop(policy);
    let backfills = outcome.jobs.iter().filter_map(|job| job.backfill.as_ref());
    let waits = waits(&outcome);
    let priorities = options.policy.site.as_ref().map(|site| site.at_submission(workload, &outcome.times()));
    let replayed = Replayed {
        metrics: Metrics::of(&outcome),
        fairness: Fairness::of(&outcome, priorities.as_deref()),
        backfills: Backfills::of(backfills, options.policy.prob.criterion),
        nodes: outcome.nodes.clone(),
        shape: Shape::of(&waits),
        weeks: weeks(&workload.jobs, &outcome),
        waits,
    };
    Ok((outcome, replayed))
}

/// Replays a workload once for each of `seeds` seeds from `first_seed` up, in parallel, as [`one`] does. After the
/// largest seed comes 0.
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
    let replays = (0..seeds.get()).into_par_iter().map(|more| {
        let (outcome, replayed) = one(trace, workload, options, first_seed.wrapping_add(more), progress)?;
        // Whole outcomes are large: only the first seed's is needed.
        Ok(((more == 0).then_some(outcome), replayed))
    });
    let replays: Vec<(Option<Outcome>, Replayed)> = replays.collect::<Result<_, Error>>()?;
    let (whole, seeds): (Vec<Option<Outcome>>, Vec<Replayed>) = replays.into_iter().unzip();
    // There is at least one seed, and the first keeps its outcome.
    let first = whole.into_iter().flatten().next().expect("the first seed's outcome");
    Ok(Run { first, seeds })
}

/// A run as `simulate --json` prints it: one flat object.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The version that made it.
    pub version: &'static str,
    /// Setup of the replays; `seed` is the first seed.
    #[serde(flatten)]
    pub setup: Setup,
    /// All further choices; each policy uses those that concern it.
    pub options: PolicyOptions,
    /// Jobs that ran on an unknown number of processors: replayed on those requested, or dropped.
    pub missing_processors: MissingProcessors,
    /// Number of seeds, from `seed` up.
    pub seeds: usize,
    /// Means over the seeds.
    #[serde(flatten)]
    pub mean: Metrics,
    /// The mean wait of every seed, in order, in seconds: policies replayed with the same seeds can be compared pair by
    /// pair.
    pub mean_waits_s: Vec<f64>,
    /// Standard deviations over the seeds, when there are several.
    pub spread: Option<Metrics>,
    /// Mean waits by kinds of jobs, means over the seeds.
    pub fairness: Fairness,
    /// Predicted and observed delay of the accepted backfills of all seeds.
    pub calibration: Vec<Bin>,
    /// Delays over all backfills, and their sums for each head job.
    pub delays: Delays,
    /// Use of the nodes, means over the seeds; none on a machine of processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeUse>,
    /// Distribution of the first seed's waits.
    pub shape: Shape,
    /// Every seed's waits week by week.
    #[serde(skip)]
    pub weeks: Vec<Vec<Week>>,
    /// The first seed's waits, in order of submission; none for merged replays.
    #[serde(skip)]
    pub waits: Vec<u32>,
    /// Counts of the replay rules' actions.
    pub replay: Counts,
}

impl Summary {
    /// The summary of a run made with these options.
    pub fn new(run: &Run, workload: &Workload, options: &Options) -> Summary {
        Summary::of(run.first.setup.clone(), &run.seeds, workload.counts, options)
    }

    /// The summary of at least one seed, the first of which was set up so, replayed with these options.
    pub fn of(setup: Setup, seeds: &[Replayed], counts: Counts, options: &Options) -> Summary {
        let metrics: Vec<Metrics> = seeds.iter().map(|seed| seed.metrics).collect();
        let fairness: Vec<Fairness> = seeds.iter().map(|seed| seed.fairness.clone()).collect();
        let nodes: Vec<NodeUse> = seeds.iter().filter_map(|seed| seed.nodes.clone()).collect();
        let backfills = || seeds.iter().map(|seed| &seed.backfills);
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            setup,
            options: options.policy.clone(),
            missing_processors: options.rules.missing_processors,
            seeds: seeds.len(),
            mean: Metrics::mean(&metrics).expect("at least one seed was run"),
            mean_waits_s: metrics.iter().map(|metrics| metrics.mean_wait_s).collect(),
            spread: Metrics::deviation(&metrics),
            fairness: Fairness::mean(&fairness),
            calibration: calibration::bins(backfills()),
            delays: Delays::of(backfills()),
            nodes: NodeUse::mean(&nodes),
            shape: seeds.first().map_or_else(Shape::default, |first| first.shape),
            weeks: seeds.iter().map(|seed| seed.weeks.clone()).collect(),
            waits: seeds.first().map_or_else(Vec::new, |first| first.waits.clone()),
            replay: counts,
        }
    }
}
