//! The columns of a comparison, once for the terminal and the page.

use super::TableStyle;
use crate::base::statistics::SHORTEST_BASE_S;
use crate::replay::metrics::Metrics;
use crate::replay::policy::{Order, OrderOptions, PolicyName, name_of};
use crate::replay::predict::PredictorName;
use crate::replay::run::Summary;
use crate::replay::setup::{Setup, preset_name};
use surefill::schedule::PresetName;

/// One measure as a column.
pub struct Column {
    /// The measure's name.
    pub name: &'static str,
    /// Its unit; empty for plain numbers.
    pub unit: &'static str,
    /// Whether the terminal has room for it.
    pub terminal: bool,
    /// Digits after the point.
    digits: usize,
    /// Whether its change against EASY is given.
    compared: bool,
    value: fn(&Metrics) -> f64,
}

const HOUR: f64 = 3600.0;

/// All of them.
pub const COLUMNS: [Column; 13] = [
    column("mean wait", "min", 1, |m| m.mean_wait_s / 60.0).compared(),
    column("geometric", "s", 1, |m| m.geomean_wait_s).compared(),
    column("median", "s", 0, |m| m.median_wait_s),
    column("95 %", "h", 1, |m| m.p95_wait_s / HOUR),
    column("99 %", "h", 1, |m| m.p99_wait_s / HOUR),
    column("longest", "h", 1, |m| m.max_wait_s / HOUR).page_only(),
    column("no wait", "%", 1, |m| m.zero_wait_share * 100.0).page_only(),
    column("slowdown", "", 1, |m| m.mean_bounded_slowdown),
    column("utilization", "%", 1, |m| m.utilization * 100.0),
    column("backfilled", "", 0, |m| m.backfilled as f64),
    column("delayed", "%", 1, |m| m.delayed_share * 100.0),
    column("mean delay", "s", 1, |m| m.mean_observed_delay_s).page_only(),
    column("scheduler", "s", 2, |m| m.scheduler_s),
];

const fn column(name: &'static str, unit: &'static str, digits: usize, value: fn(&Metrics) -> f64) -> Column {
    Column { name, unit, terminal: true, digits, compared: false, value }
}

impl Column {
    const fn page_only(self) -> Column {
        Column { terminal: false, ..self }
    }

    const fn compared(self) -> Column {
        Column { compared: true, ..self }
    }

    /// The mean.
    pub fn mean(&self, summary: &Summary) -> String {
        format!("{:.*}", self.digits, (self.value)(&summary.mean))
    }

    /// The standard deviation, where there are several seeds and a difference between them.
    pub fn spread(&self, summary: &Summary) -> Option<String> {
        let spread = summary.spread.as_ref().map(self.value).filter(|&spread| spread > 0.0)?;
        Some(format!("± {spread:.*}", self.digits))
    }

    /// All of these in one cell.
    pub fn cell(&self, summary: &Summary, base: Option<&Summary>, style: TableStyle) -> String {
        let spread = self.spread(summary).map_or_else(String::new, |spread| format!(" {spread}"));
        style.noted(self.mean(summary) + &spread, self.change(summary, base))
    }

    /// The change against EASY, where it is given.
    pub fn change(&self, summary: &Summary, base: Option<&Summary>) -> Option<String> {
        let base = base.filter(|base| self.compared && !std::ptr::eq(*base, summary))?;
        let base = (self.value)(&base.mean);
        // A share of less than a minute says nothing.
        (base * self.seconds() >= SHORTEST_BASE_S).then(|| change((self.value)(&summary.mean), base))?
    }

    /// Seconds of its unit.
    fn seconds(&self) -> f64 {
        match self.unit {
            "min" => 60.0,
            "h" => HOUR,
            _ => 1.0,
        }
    }
}

/// `+2.6 %`; nothing when there is nothing to compare with.
pub fn change(value: f64, base: f64) -> Option<String> {
    (base > 0.0).then(|| format!("{:+.1} %", (value / base - 1.0) * 100.0))
}

/// Whether this is EASY as published, users' limits, first come first served, or the same in the order of a site's
/// priorities.
pub fn is_easy(setup: &Setup) -> bool {
    setup.policy == PolicyName::Easy
        && setup.predictor == PredictorName::Limit
        && (setup.order == OrderOptions::named(Order::Fcfs)
            || setup.order.site.is_some() && setup.order.points.is_none())
}

/// The policy from which changes are counted: Slurm's own rule on a site's nodes where it is among them, else EASY, in
/// the order of the site's priorities if it is there.
pub fn baseline<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> Option<&'a Summary> {
    let all: Vec<&Summary> = summaries.into_iter().collect();
    let own = |setup: &Setup| {
        setup.policy == PolicyName::Backfill
            && setup.predictor == PredictorName::Limit
            && setup.order.points.is_none()
    };
    if let Some(own) = all.iter().find(|summary| own(&summary.setup)) {
        return Some(*own);
    }
    let all: Vec<&Summary> = all.into_iter().filter(|summary| is_easy(&summary.setup)).collect();
    all.iter().find(|summary| summary.setup.order.site.is_some()).or(all.first()).copied()
}

/// Predictor, order, rule and plan beside a policy's name. EASY's rules under the probabilistic policy look at limits
/// only.
pub fn details(setup: &Setup) -> String {
    if setup.policy == PolicyName::Prob && setup.preset == Some(PresetName::Easy) {
        return format!("by limits, {}", setup.order);
    }
    let rule = setup.rule.as_ref().map_or_else(String::new, |rule| format!(", {rule}"));
    if matches!(setup.policy, PolicyName::Fair | PolicyName::Fast) {
        // A plan makes its own order, but for a site's priorities.
        let site = setup.order.site.as_ref().map_or_else(String::new, |_| format!(", {}", setup.order));
        let plan = setup.plan.as_ref().map_or_else(String::new, |plan| format!(", {plan}"));
        return format!("{}{site}{plan}", name_of(setup.predictor));
    }
    format!("{}, {}{rule}", name_of(setup.predictor), setup.order)
}

/// The policy, or the preset whose values it has.
pub fn name(setup: &Setup) -> String {
    setup.preset.map_or_else(|| name_of(setup.policy), preset_name)
}

/// A policy's name in legends.
pub fn label(setup: &Setup) -> String {
    format!("{} ({})", name(setup), details(setup))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_that_looks_at_limits_names_no_predictor() {
        let setup = |preset: Option<PresetName>| Setup {
            policy: PolicyName::Prob,
            predictor: PredictorName::Mix,
            rule: Some("relative=0".parse().unwrap()),
            preset,
            ..Setup::default()
        };
        assert_eq!(label(&setup(Some(PresetName::Easy))), "easy (by limits, fcfs)");
        assert_eq!(label(&setup(None)), "prob (mix, fcfs, relative=0)");
    }

    #[test]
    fn changes() {
        assert_eq!(change(90.0, 100.0).as_deref(), Some("-10.0 %"));
        assert_eq!(change(373.0, 364.0).as_deref(), Some("+2.5 %"));
        assert_eq!(change(5.0, 0.0), None);
    }
}
