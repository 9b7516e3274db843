//! The choices of a policy: names as the command line writes them.

use super::multifactor::Multifactor;
use super::name::BadChoice;
use super::order::OrderOptions;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use surefill::backfill;
use surefill::engine::Settings;
use surefill::predict::PredictorOptions;
use surefill::runtime::RuntimeBins;
use surefill::schedule::{Preset, PresetName};

/// Computation of the probability that a backfill delays the head job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Delay {
    /// Exactly.
    #[default]
    Exact,
    /// By the lower bound of Nissimov & Feitelson 2007.
    Bound,
}

/// Measure of the head job's delay that is compared with the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// The probability of any delay.
    #[default]
    Probability,
    /// The expected delay, in seconds.
    Seconds,
    /// The expected delay over the head job's own expected remaining wait.
    Relative,
}

impl Criterion {
    /// The core's criterion.
    pub fn core(self, delay: Delay) -> backfill::Criterion {
        match (self, delay) {
            (Criterion::Probability, Delay::Exact) => backfill::Criterion::Probability,
            (Criterion::Probability, Delay::Bound) => backfill::Criterion::Bound,
            (Criterion::Seconds, _) => backfill::Criterion::Seconds,
            (Criterion::Relative, _) => backfill::Criterion::Relative,
        }
    }

    /// The default threshold, the core's.
    pub fn default_tau(self) -> f64 {
        self.core(Delay::Exact).usual_threshold()
    }
}

/// Expected end of a running job that is past its limit, by EASY and by the probabilistic policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Overdue {
    /// One second from now.
    #[default]
    Soon,
    /// At its limit, though that is past. A reservation that waits for such a job is then in the past too, and only
    /// jobs that the head leaves room for are backfilled until it ends. The published EASY results are those of this
    /// choice.
    Past,
    /// By its predicted run time, which goes on beyond the limit: limits are soft. For the probabilistic policy; EASY
    /// expects its end one second from now.
    Predicted,
}

/// Use of the calibration of predicted delays by earlier backfills
/// ([`DelayCalibration`](surefill::schedule::DelayCalibration)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Calibrate {
    /// Nothing.
    #[default]
    Off,
    /// The reported delay of a backfill is calibrated; decisions stay as they are.
    Report,
    /// Decisions compare the calibrated delay with tau as well.
    Decide,
}

/// The choices that only the probabilistic policy has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbOptions {
    /// The threshold: a backfill is accepted when its predicted delay is below it.
    pub tau: f64,
    /// Computation of the delay probability.
    pub delay: Delay,
    /// Measure that is compared with `tau`.
    pub criterion: Criterion,
    /// Number of events into which a bin's probability is divided.
    pub events_per_bin: usize,
    /// The most delay all backfills ahead of one head job may add up to; none by default.
    pub budget: Option<f64>,
    /// The most expected seconds of delay that all backfills ahead of one head job may add up to, over its whole
    /// expected wait; none by default. For seconds and relative only.
    pub slip: Option<f64>,
    /// The quantile of recent waits from which a head job is guarded: backfills must then be harmless by the limits as
    /// well. 1 for never, 0 for always.
    pub guard: f64,
    /// Whether candidates that EASY by the limits would start are never refused.
    pub or_easy: bool,
    /// Whether the delays of candidates that `or_easy` accepts may stay unmeasured; they are reported as 0 then.
    #[serde(default)]
    pub unmeasured: bool,
    /// Whether the distributions of waiting jobs are predicted anew while they wait, or stay as they were at
    /// submission.
    pub refresh: bool,
    /// The floor of the hidden Markov model's predictor; with 0 it is silent where its model does not explain the
    /// observations.
    pub hmm_floor: f64,
    /// Use of the calibration by earlier backfills.
    #[serde(default)]
    pub calibrate: Calibrate,
    /// On machines of nodes: share of the scenarios in which running jobs of one user with the same limit have one draw
    /// ([`NodePassOptions::shared`](surefill::nodes::NodePassOptions)). With it whole, like nodes are sampled too.
    #[serde(default)]
    pub shared: Option<f64>,
    /// Start of the predictors' second run-time bin, in seconds.
    pub first_edge_s: f64,
    /// The ratio of neighbouring edges of their bins.
    pub ratio: f64,
}

impl Default for ProbOptions {
    fn default() -> ProbOptions {
        let Preset { rule, events_per_bin, .. } = Preset::EXACT;
        ProbOptions {
            tau: rule.threshold,
            delay: Delay::Exact,
            criterion: Criterion::Probability,
            events_per_bin: events_per_bin as usize,
            budget: None,
            slip: None,
            guard: 1.0,
            or_easy: false,
            unmeasured: false,
            refresh: true,
            hmm_floor: PredictorOptions::default().floor,
            calibrate: Calibrate::Off,
            shared: None,
            first_edge_s: 1.5,
            ratio: 1.8,
        }
    }
}

impl ProbOptions {
    /// The options of Nissimov & Feitelson 2007: the core's preset, which has one event at each bin's end, the bound
    /// and tau 0.05; the distribution as it was at submission, a hidden Markov model that may be silent.
    pub fn papers() -> ProbOptions {
        ProbOptions::preset(PresetName::Papers)
    }

    /// A preset of the core's.
    pub fn preset(name: PresetName) -> ProbOptions {
        let papers = name == PresetName::Papers;
        let Preset { rule, events_per_bin, guard, .. } = Preset::new(name);
        let (criterion, delay) = match rule.criterion {
            backfill::Criterion::Probability => (Criterion::Probability, Delay::Exact),
            backfill::Criterion::Bound => (Criterion::Probability, Delay::Bound),
            backfill::Criterion::Seconds => (Criterion::Seconds, Delay::Exact),
            backfill::Criterion::Relative => (Criterion::Relative, Delay::Exact),
        };
        let finite = |value: f64| value.is_finite().then_some(value);
        ProbOptions {
            tau: rule.threshold,
            delay,
            criterion,
            events_per_bin: events_per_bin as usize,
            budget: finite(rule.budget),
            slip: finite(rule.slip),
            guard,
            or_easy: rule.or_easy,
            unmeasured: rule.unmeasured,
            calibrate: if name == PresetName::Easy || papers { Calibrate::Off } else { Calibrate::Report },
            refresh: !papers,
            hmm_floor: if papers { 0.0 } else { ProbOptions::default().hmm_floor },
            ..ProbOptions::default()
        }
    }

    /// The core's rule, its guard still open.
    pub fn rule(&self) -> backfill::Rule {
        backfill::Rule {
            criterion: self.criterion.core(self.delay),
            threshold: self.tau,
            budget: self.budget.unwrap_or(f64::INFINITY),
            slip: self.slip.unwrap_or(f64::INFINITY),
            guard: f64::INFINITY,
            or_easy: self.or_easy,
            // A calibration that decides learns from every delay.
            unmeasured: self.unmeasured && self.calibrate != Calibrate::Decide,
        }
    }

    /// The words by which the core's scheduler has the same rule; `None` where it has not: guards, caps, predictions
    /// made anew and calibrations are the policy's own.
    pub(super) fn words(&self) -> Option<String> {
        let &ProbOptions { tau, events_per_bin, guard, or_easy, refresh, calibrate, budget, slip, .. } = self;
        let criterion = self.criterion.core(self.delay);
        let name = match criterion {
            backfill::Criterion::Probability => "probability",
            backfill::Criterion::Bound => "bound",
            backfill::Criterion::Seconds => "seconds",
            backfill::Criterion::Relative => "relative",
        };
        let words = format!("preset=papers criterion={name} tau={tau} events={events_per_bin}");
        // A threshold may have more digits than words have.
        let settings = Settings::default().changed(&words, "").ok()?;
        let same = (settings.criterion, settings.tau) == (criterion, tau);
        let own = or_easy || refresh || guard < 1.0 || budget.is_some() || slip.is_some();
        (same && !own && calibrate == Calibrate::Off).then_some(words)
    }

    /// The bins of the predictors that have bins; longer run times than a week are in the last.
    ///
    /// # Errors
    /// [`BadChoice::Bins`].
    pub fn bins(&self) -> Result<RuntimeBins, BadChoice> {
        const WEEK: i64 = 7 * 86_400;
        let &ProbOptions { first_edge_s, ratio, .. } = self;
        RuntimeBins::covering(first_edge_s, ratio, WEEK).map_err(|_| BadChoice::Bins { first_edge_s, ratio })
    }
}

/// All choices beside the policy and its predictor; each policy uses those that concern it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PolicyOptions {
    /// Running jobs past their limits.
    pub overdue: Overdue,
    /// The order of queue and candidates; where there is none, the one that the choice of the policy names.
    pub order: Option<OrderOptions>,
    /// The priorities of the site where any policy of a comparison is in their order: waits are broken down by the
    /// quarters of these under every policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<Multifactor>,
    /// The probabilistic policy's.
    pub prob: ProbOptions,
    /// Whether predicted delays are shown: then all are measured, else those that decisions need.
    #[serde(default)]
    pub delays_wanted: bool,
}

impl PolicyOptions {
    /// The probabilistic policy's options for a replay.
    pub fn prob(&self) -> ProbOptions {
        ProbOptions { unmeasured: self.prob.unmeasured && !self.delays_wanted, ..self.prob.clone() }
    }
}
