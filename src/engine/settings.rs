//! The settings of a scheduler.

use crate::backfill::{Criterion, Rule};
use crate::nodes::Fit;
use crate::plan::PlanRule;
use crate::schedule::{Preset, PresetName};

/// A rule with all its numbers, by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum PresetWord {
    /// The plan: short waits, and tails shorter than EASY's.
    #[default]
    Fair = 0,
    /// The plan: the shortest mean wait, at the price of some long ones.
    Fast = 1,
    /// EASY backfilling by the time limits, in the site's order.
    Easy = 2,
    /// Probabilistic backfilling in the site's order as Nissimov & Feitelson 2007 have it
    /// ([`PresetName::Papers`]): predicted run times are those of the submission.
    Papers = 3,
}

/// The way in which jobs are chosen that start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum RuleWord {
    /// That of the preset.
    #[default]
    Auto = 0,
    /// The plan of the whole queue.
    Plan = 1,
    /// Backfilling in the site's order by the probability or the extent of the head job's delay. Only in pools of
    /// counted units, with room for it ([`SchedulerCapacity::delay_units`](super::SchedulerCapacity)).
    Delay = 2,
}

/// The way in which a decision is made, by the preset and the rule together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The plan of the whole queue.
    Plan,
    /// EASY backfilling by the time limits.
    Easy,
    /// The delay rule.
    Delay,
}

/// Whether decisions are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Mode {
    /// Jobs are offered.
    #[default]
    On = 0,
    /// The engine reports the jobs that it would start, and starts nothing.
    Shadow = 1,
}

/// Part of the site's priorities in the plan. Tiers always count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum OrderWord {
    /// [`OrderWord::Priority`] where it is said what a point is worth, else [`OrderWord::Ties`].
    #[default]
    Auto = 0,
    /// Jobs of a higher priority come first, whatever the cost; the plan orders those of equal ones
    /// ([`Settings::tie`]).
    Ties = 1,
    /// A point of priority is worth some seconds of waiting ([`Settings::seconds`]).
    Priority = 2,
    /// Priorities do not matter.
    Free = 3,
}

/// The predictor of run times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum PredictorWord {
    /// 31 contexts of like jobs, learnt on line.
    #[default]
    Contexts = 0,
    /// Every job runs to its limit.
    Limit = 1,
}

/// All settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// `preset=`: sets the numbers of the plan and of the delay rule too.
    pub preset: PresetWord,
    /// `rule=`.
    pub by: RuleWord,
    /// `mode=`.
    pub mode: Mode,
    /// `order=`.
    pub order: OrderWord,
    /// `predictor=`; it cannot be changed once a job has been reported.
    pub predictor: PredictorWord,
    /// `fit=`: choice of nodes in a pool of nodes, among those with the smallest weights: a [`Fit`].
    pub fit: Fit,
    /// `fit=sparing`: nodes that other jobs seek come last, then by [`Fit::Best`].
    pub sparing: bool,
    /// `short=`, `steep=`, `long=`, `front=`, `proposals=`, `budget=`, `slack=`.
    pub rule: PlanRule,
    /// `criterion=`: measure of the head job's delay; sets `tau` to its usual value.
    pub criterion: Criterion,
    /// `tau=`: the delay below which a job may pass the head job, in the criterion's unit.
    pub tau: f64,
    /// `events=`: number of events into which the delay rule divides a bin's probability.
    pub events: u32,
    /// `cut=`: quantile at which predicted run times of waiting jobs are cut: longer ones count as the quantile.
    pub cut: f64,
    /// `running=`: quantile of the rest of their predicted run time at which running jobs are expected to end.
    pub running: f64,
    /// `seconds=`: seconds of waiting that a point of priority is worth (PriorityMaxAge / PriorityWeightAge with
    /// Slurm's multifactor plugin), 0 for none.
    pub seconds: f64,
    /// `tie=`: the percentage of the range of the waiting jobs' priorities within which the plan counts them as equal.
    pub tie: f64,
    /// `grace=`: seconds for which a job is remembered that the manager no longer lists.
    pub grace: f64,
    /// `settle=`: seconds for which the manager may report a started job as waiting before it counts as put back.
    pub settle: f64,
    /// `refused=`: seconds for which a refused job is not offered again, at least one; after a refusal for want of room
    /// it is offered sooner where its pool changes.
    pub refused: f64,
    /// `seed=`: seed of the plan's generator; it cannot be changed once there is a pool.
    pub seed: u64,
}

impl Settings {
    /// The settings without any word.
    pub const DEFAULT: Settings = Settings {
        preset: PresetWord::Fair,
        by: RuleWord::Auto,
        mode: Mode::On,
        order: OrderWord::Auto,
        predictor: PredictorWord::Contexts,
        fit: Fit::Best,
        sparing: true,
        rule: PlanRule::FAIR,
        criterion: Preset::EXACT.rule.criterion,
        tau: Preset::EXACT.rule.threshold,
        events: Preset::EXACT.events_per_bin,
        cut: 0.95,
        running: 0.85,
        seconds: 0.0,
        tie: 0.0,
        grace: 300.0,
        settle: 60.0,
        refused: 60.0,
        seed: 1,
    };
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::DEFAULT
    }
}

impl Settings {
    /// The settings of a preset where a point of priority is worth this number of seconds of waiting, 0 for none.
    pub fn preset(preset: PresetWord, seconds: f64) -> Settings {
        let mut settings = Settings { seconds, ..Settings::DEFAULT };
        settings.set_preset(preset);
        settings
    }

    /// Sets a preset, with the numbers of its plan and of its delay rule.
    pub(super) fn set_preset(&mut self, preset: PresetWord) {
        self.preset = preset;
        self.rule = if preset == PresetWord::Fast { PlanRule::FAST } else { PlanRule::FAIR };
        let delay =
            if preset == PresetWord::Papers { Preset::new(PresetName::Papers) } else { Preset::EXACT };
        (self.criterion, self.tau, self.events) =
            (delay.rule.criterion, delay.rule.threshold, delay.events_per_bin);
        self.set_front();
    }

    /// Sets the quantile of the front to that of the preset and the order. Where points are worth seconds of waiting no
    /// job is in front of all others before the longest of the recent waits: the jobs that wait longest there are those
    /// that the site puts last.
    pub(super) fn set_front(&mut self) {
        let preset = if self.preset == PresetWord::Fast { PlanRule::FAST } else { PlanRule::FAIR };
        self.rule.front = if self.by_points() { 1.0 } else { preset.front };
    }

    /// Whether points of priority are worth seconds of waiting.
    pub fn by_points(&self) -> bool {
        match self.order {
            OrderWord::Auto => self.seconds > 0.0,
            OrderWord::Priority => true,
            OrderWord::Ties | OrderWord::Free => false,
        }
    }

    /// Whether jobs of a higher priority come first, whatever the cost.
    pub fn by_classes(&self) -> bool {
        !self.by_points() && self.order != OrderWord::Free
    }

    /// The way in which a decision is made.
    pub fn way(&self) -> Way {
        match (self.by, self.preset) {
            (RuleWord::Delay, _) | (RuleWord::Auto, PresetWord::Papers) => Way::Delay,
            (RuleWord::Auto, PresetWord::Easy) => Way::Easy,
            _ => Way::Plan,
        }
    }

    /// Whether predicted run times stay those of a job's submission, or of its last report by the caller.
    pub(super) fn keeps_predictions(&self) -> bool {
        self.preset == PresetWord::Papers
    }

    /// The condition on which a job may pass the head job.
    pub(super) fn delay_rule(&self) -> Rule {
        Rule { criterion: self.criterion, threshold: self.tau, ..Rule::EXACT }
    }
}
