//! Setup of a replay, for the headers of schedules, tables and pages.

use crate::replay::policy::{Criterion, Delay, OrderOptions, PolicyName, PolicyOptions, RuleChoice};
use crate::replay::predict::PredictorName;
use crate::trace::workload::Overrun;
use serde::{Serialize, Serializer};
use std::fmt::Display;
use surefill::schedule::PresetName;

/// Setup of a replay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setup {
    /// The trace's file name without its folder.
    pub trace: String,
    /// The policy.
    pub policy: PolicyName,
    /// Predictor of run times.
    pub predictor: PredictorName,
    /// The preset whose values these are; none where any value differs.
    #[serde(serialize_with = "preset")]
    pub preset: Option<PresetName>,
    /// The order of the queue and of the backfill candidates; by its name where it has one.
    #[serde(serialize_with = "text")]
    pub order: OrderOptions,
    /// The differences between probabilistic policies of one predictor and order: criterion, threshold and, where
    /// unusual, events per bin and calibration. Its text is that of the command line.
    #[serde(serialize_with = "rule")]
    pub rule: Option<RuleChoice>,
    /// The numbers of a plan's rule that differ from those of its policy, as the command line writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The threshold below which a backfill is accepted (probabilistic policy only).
    pub tau: f64,
    /// Computation of the delay probability.
    pub delay: Delay,
    /// Measure of the delay that was compared with the threshold.
    pub criterion: Criterion,
    /// Handling of jobs whose run time exceeds their limit.
    pub overrun: Overrun,
    /// Number of processors of the machine.
    pub procs: u32,
    /// Seed of this replay: 0 replays the trace as it is, any other shifts every submission by 0 to 59 s.
    pub seed: u64,
}

impl Default for Setup {
    /// First come, first served, by limits, on a machine without processors.
    fn default() -> Setup {
        let prob = PolicyOptions::default().prob;
        Setup {
            trace: String::new(),
            policy: PolicyName::Fcfs,
            predictor: PredictorName::Limit,
            preset: None,
            order: OrderOptions::preset(PresetName::Easy),
            rule: None,
            plan: None,
            tau: prob.tau,
            delay: prob.delay,
            criterion: prob.criterion,
            overrun: Overrun::default(),
            procs: 0,
            seed: 0,
        }
    }
}

/// A preset's name.
pub fn preset_name(preset: PresetName) -> String {
    preset.name().to_string_lossy().into_owned()
}

fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn rule<S: Serializer>(rule: &Option<RuleChoice>, serializer: S) -> Result<S::Ok, S::Error> {
    rule.map(|rule| rule.to_string()).serialize(serializer)
}

fn preset<S: Serializer>(preset: &Option<PresetName>, serializer: S) -> Result<S::Ok, S::Error> {
    preset.map(preset_name).serialize(serializer)
}
