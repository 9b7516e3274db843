//! The policy from its name, predictor, order and rule.

use super::backfill::Backfill;
use super::conservative::Conservative;
use super::easy::Easy;
use super::engine::Engine;
use super::fcfs::Fcfs;
use super::lookahead::Lookahead;
use super::name::{BadChoice, name_of, names, parse};
use super::on_nodes::OnNodes;
use super::parts::Parts;
use super::prob::Prob;
use super::rule::RuleChoice;
use super::selective::Selective;
use super::slack::Slack;
use super::strict::Strict;
use super::{
    Calibrate, Delay, Multifactor, Order, OrderOptions, Overdue, PlanOptions, Policy, PolicyOptions,
    ProbOptions,
};
use crate::replay::named::{Named, Names};
use crate::replay::predict::{DistributionPredictor, PredictorName};
use crate::trace::workload::Workload;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use surefill::backfill::MAX_PROCESSORS;
use surefill::engine::{PresetWord, Settings};
use surefill::schedule::PresetName;

/// Makes a policy for one replay.
pub type BuildPolicy = dyn Fn(Parts) -> Box<dyn Policy> + Send + Sync;

/// The policies by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum PolicyName {
    /// First come, first served, no backfilling.
    #[serde(rename = "fcfs")]
    Fcfs,
    /// EASY backfilling: one reservation, for the head job.
    #[serde(rename = "easy")]
    Easy,
    /// Conservative backfilling: a reservation for every job.
    #[serde(rename = "conservative")]
    Conservative,
    /// EASY++: EASY by the mean of the user's last two run times, shortest first.
    #[serde(rename = "easy++")]
    EasyPlusPlus,
    /// Probabilistic backfilling: EASY by distributions of run times.
    #[serde(rename = "prob")]
    Prob,
    /// A plan: the cheapest of some sixty list schedules of the whole queue, as the scheduler engine makes it.
    #[serde(rename = "fair")]
    Fair,
    /// The same for the shortest mean wait.
    #[serde(rename = "fast")]
    Fast,
    /// Slurm's main scheduler and `sched/backfill`, on nodes.
    #[serde(rename = "backfill")]
    Backfill,
    /// One of the registry's, built in or added ([`crate::replay::registry`]).
    #[serde(untagged)]
    Named(Named<BuildPolicy>),
}

/// Name, text for `--help`, and the function that makes it.
type BuiltIn = (&'static str, &'static str, fn(Parts) -> Box<dyn Policy>);

/// The policies of the registry that are built in.
const BUILT_IN: [BuiltIn; 4] = [
    ("strict", "The first of the queue as long as it fits, no backfilling: fcfs with any order", |parts| {
        Box::new(Strict(parts))
    }),
    (
        "lookahead",
        "EASY that packs best: the jobs ahead of the head that use most processors (Shmueli & Feitelson 2005)",
        |parts| Box::new(Lookahead(parts)),
    ),
    (
        "selective",
        "Reservations for jobs that have waited long for what they ask (Srinivasan et al. 2002)",
        |parts| Box::new(Selective::new(parts)),
    ),
    (
        "slack",
        "Every job is promised a latest start: what is planned for it and the mean wait (Talby & Feitelson 1999)",
        |parts| Box::new(Slack::new(parts)),
    ),
];

/// All policies.
pub(crate) static POLICIES: Names<PolicyName> = Names::new(|| {
    let own = [
        PolicyName::Fair,
        PolicyName::Fast,
        PolicyName::Easy,
        PolicyName::EasyPlusPlus,
        PolicyName::Conservative,
        PolicyName::Fcfs,
        PolicyName::Prob,
        PolicyName::Backfill,
    ];
    let named =
        BUILT_IN.map(|(name, about, build)| PolicyName::Named(Named::new(name, about, Box::new(build))));
    own.into_iter().chain(named).collect()
});

impl ValueEnum for PolicyName {
    fn value_variants<'a>() -> &'a [PolicyName] {
        POLICIES.all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            PolicyName::Fcfs => ("fcfs", "First come, first served, no backfilling"),
            PolicyName::Easy => ("easy", "EASY backfilling: one reservation, for the head job"),
            PolicyName::Conservative => {
                ("conservative", "Conservative backfilling: a reservation for every job")
            }
            PolicyName::EasyPlusPlus => {
                ("easy++", "EASY++: EASY by the mean of the user's last two run times, shortest first")
            }
            PolicyName::Prob => ("prob", "Probabilistic backfilling: EASY by distributions of run times"),
            PolicyName::Fair => (
                "fair",
                "A plan of the whole queue: the cheapest of some sixty list schedules, by a cost of waiting",
            ),
            PolicyName::Fast => {
                ("fast", "The same for the shortest mean wait, at the price of some long ones")
            }
            PolicyName::Backfill => (
                "backfill",
                "Slurm's main scheduler and sched/backfill, on nodes, by the rules of a site where they are known",
            ),
            PolicyName::Named(named) => return Some(named.value()),
        };
        Some(PossibleValue::new(name).help(about))
    }
}

/// Presets of the probabilistic policy that stand among the policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OwnPreset {
    /// The delay rule: shorter waits than EASY's whose longest ones hardly rise.
    Delay,
    /// The delay rule for the shortest mean wait, at the price of some long ones.
    DelayFast,
    /// The rule of Nissimov & Feitelson 2007, as the scheduler engine has it.
    Papers,
}

impl OwnPreset {
    /// The core's name.
    pub fn name(self) -> PresetName {
        match self {
            OwnPreset::Delay => PresetName::Delay,
            OwnPreset::DelayFast => PresetName::DelayFast,
            OwnPreset::Papers => PresetName::Papers,
        }
    }
}

/// The predictor of a policy that names none. The papers' rule has the engine's own, as sites have.
fn usual_predictor(policy: PolicyName, preset: Option<OwnPreset>) -> PredictorName {
    match preset {
        Some(OwnPreset::Papers) => PredictorName::Contexts,
        _ => policy.predictors()[0],
    }
}

/// A policy with its predictor, order and rule, written `policy[:predictor[:order[:rule]]]`; the presets `delay`,
/// `delay-fast` and `papers` stand for the probabilistic policy, written `preset[:predictor[:order]]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The policy.
    pub policy: PolicyName,
    /// Its predictor of run times.
    pub predictor: PredictorName,
    /// The order of its queue and its backfill candidates; none for the preset's.
    pub order: Option<Order>,
    /// The preset, where it has one of its own.
    pub preset: Option<OwnPreset>,
    /// The probabilistic policy's rule, where it has one of its own.
    pub rule: Option<RuleChoice>,
    /// The plan's numbers, where it has some of its own.
    pub plan: Option<PlanOptions>,
}

fn not_used(policy: PolicyName, predictor: PredictorName) -> BadChoice {
    BadChoice::Predictor {
        policy: name_of(policy),
        predictor: name_of(predictor),
        used: names(&policy.predictors()),
    }
}

impl PolicyName {
    /// The predictors this policy works with, its default first.
    pub fn predictors(self) -> Vec<PredictorName> {
        match self {
            PolicyName::Fcfs | PolicyName::Conservative => vec![PredictorName::Limit],
            PolicyName::Easy | PolicyName::Backfill | PolicyName::Named(_) => PredictorName::points(),
            PolicyName::EasyPlusPlus => vec![PredictorName::Mean2],
            PolicyName::Prob => PredictorName::distributions(),
            PolicyName::Fair | PolicyName::Fast => {
                let others = PredictorName::distributions().into_iter();
                let others = others.filter(|&predictor| predictor != PredictorName::Contexts);
                std::iter::once(PredictorName::Contexts).chain(others).collect()
            }
        }
    }

    /// The numbers of a plan with this order, as the engine has them.
    pub fn plan(self, order: Option<Order>) -> Option<PlanOptions> {
        let preset = match self {
            PolicyName::Fair => PresetWord::Fair,
            PolicyName::Fast => PresetWord::Fast,
            _ => return None,
        };
        // A point is a second of waiting under a site's priorities.
        let seconds = if order == Some(Order::Multifactor) { 1.0 } else { 0.0 };
        Some(PlanOptions::new(Settings::preset(preset, seconds).rule))
    }

    /// Whether it supports machines of nodes, with some of its options at least.
    pub fn knows_nodes(self) -> bool {
        !matches!(self, PolicyName::Conservative | PolicyName::Named(_))
    }

    /// The orders this policy works with, its default first.
    pub fn orders(self) -> Vec<Order> {
        let all = Order::value_variants().iter().copied();
        match self {
            PolicyName::Fcfs | PolicyName::Conservative => vec![Order::Fcfs],
            // A plan counts a site's priorities as time; any other order it makes itself.
            PolicyName::Fair | PolicyName::Fast => vec![Order::Fcfs, Order::Multifactor],
            PolicyName::Easy | PolicyName::Prob | PolicyName::Backfill | PolicyName::Named(_) => {
                all.collect()
            }
            PolicyName::EasyPlusPlus => {
                // Shortest candidates first make it EASY++.
                let own = [Order::Sjbf, Order::Delay, Order::DelayFast, Order::Multifactor];
                let others = all.filter(|order| matches!(order, Order::Points(_) | Order::Named(_)));
                own.into_iter().chain(others).collect()
            }
        }
    }
}

impl Choice {
    /// A policy with its defaults where nothing else is given.
    ///
    /// # Errors
    /// [`BadChoice`] for a predictor or order that the policy does not work with.
    pub fn new(
        policy: PolicyName,
        predictor: Option<PredictorName>,
        order: Option<Order>,
    ) -> Result<Choice, BadChoice> {
        let (predictors, orders) = (policy.predictors(), policy.orders());
        let predictor = predictor.unwrap_or(predictors[0]);
        if !predictors.contains(&predictor) {
            return Err(not_used(policy, predictor));
        }
        if order.is_some_and(|order| !orders.contains(&order)) {
            return Err(BadChoice::Order { policy: name_of(policy), order: names(&orders) });
        }
        Ok(Choice { policy, predictor, order, preset: None, rule: None, plan: None })
    }

    /// The policy under a site's priorities, unless it has an order, a preset or a rule of its own.
    pub fn under_priorities(self) -> Choice {
        let own = self.order.is_some() || self.preset.is_some() || self.rule.is_some();
        if own || !self.policy.orders().contains(&Order::Multifactor) {
            return self;
        }
        Choice { order: Some(Order::Multifactor), ..self }
    }

    /// This policy's options among policies that share `base`.
    pub fn options(&self, base: &PolicyOptions) -> PolicyOptions {
        let mut options = base.clone();
        if let Some(preset) = self.preset.map(OwnPreset::name) {
            options.prob = ProbOptions::preset(preset);
            options.order =
                Some(self.order.map_or_else(|| OrderOptions::preset(preset), OrderOptions::named));
        }
        if let Some(rule) = self.rule {
            options.prob = rule.options(&base.prob);
        }
        options
    }

    /// The order of this policy under these options.
    pub fn order(&self, options: &PolicyOptions) -> OrderOptions {
        let own = || OrderOptions::named(self.order.unwrap_or(self.policy.orders()[0]));
        let order = options.order.clone().unwrap_or_else(own);
        let site = order.site.is_some().then(|| options.site.clone()).flatten();
        OrderOptions { site: site.or(order.site), ..order }
    }

    /// The order of this policy on a workload's machine.
    fn order_on(&self, options: &PolicyOptions, workload: &Workload) -> OrderOptions {
        let order = self.order(options);
        OrderOptions { site: order.site.as_ref().map(|site| site.on(workload)), ..order }
    }

    /// The numbers of a plan that differ from its policy's, as they are written.
    pub fn plan_difference(&self) -> Option<String> {
        self.plan.zip(self.policy.plan(self.order)).and_then(|(own, base)| own.difference(&base))
    }

    /// The policy, with nothing learnt yet; `options` are those of [`Choice::options`].
    ///
    /// # Errors
    /// [`BadChoice::Predictor`], [`BadChoice::Bins`].
    pub fn build(&self, options: &PolicyOptions) -> Result<Box<dyn Policy>, BadChoice> {
        let point = || self.predictor.point().ok_or_else(|| not_used(self.policy, self.predictor));
        Ok(match self.policy {
            PolicyName::Fcfs => Box::new(Fcfs),
            PolicyName::Easy => Box::new(Easy::new(point()?, &self.order(options), options.overdue)),
            PolicyName::Named(named) => {
                named.build()(Parts::new(point()?, &self.order(options), options.overdue))
            }
            PolicyName::Conservative => Box::<Conservative>::default(),
            PolicyName::Backfill => return Err(BadChoice::NodesOnly(self.to_string())),
            PolicyName::EasyPlusPlus => Box::new(Easy::plus_plus(&self.order(options), options.overdue)),
            PolicyName::Fair | PolicyName::Fast => self.engine(options, None)?,
            PolicyName::Prob if self.papers_words(options).is_some() => self.papers(options)?,
            PolicyName::Prob => {
                let predictor = self.distributions(options)?;
                Box::new(Prob::new(predictor, &self.order(options), options.overdue, &options.prob()))
            }
        })
    }

    /// The words of a plan in this order. Without a weight of age points are worth no time: jobs of a higher priority
    /// then come first.
    fn plan_words(&self, site: Option<&Multifactor>) -> String {
        let numbers = self.plan.or(self.policy.plan(self.order)).expect("a plan has numbers");
        let Some(site) = site else { return numbers.to_string() };
        let by_points = numbers.tie.is_none() && site.seconds_a_point().is_some();
        format!("{} {numbers}", if by_points { "seconds=1" } else { "order=ties" })
    }

    /// The core's scheduler, on a machine of nodes if there is one.
    fn engine(
        &self,
        options: &PolicyOptions,
        workload: Option<&Workload>,
    ) -> Result<Box<dyn Policy>, BadChoice> {
        let site = self.order(options).site;
        let site = site.map(|site| workload.map_or(site.clone(), |workload| site.on(workload)));
        let words = self.plan_words(site.as_ref());
        let machine = workload.and_then(|workload| workload.nodes.as_deref());
        let own = self.predictor == PredictorName::Contexts;
        let predictor = if own { None } else { Some(self.distributions(options)?) };
        let engine = Engine::new(predictor, &options.prob.bins()?, &words, site.as_ref(), machine);
        Ok(Box::new(engine.under(workload.and_then(|workload| workload.site.as_deref()))))
    }

    /// The words by which the core's scheduler makes the papers' choice; `None` where it is another, or where delays
    /// are to be shown, which an offer does not have.
    fn papers_words(&self, options: &PolicyOptions) -> Option<String> {
        let in_order = self.order(options) == OrderOptions::preset(PresetName::Papers);
        let soon = options.overdue == Overdue::Soon && !options.delays_wanted;
        let papers = self.preset == Some(OwnPreset::Papers) && in_order && soon;
        papers.then(|| options.prob().words()).flatten()
    }

    /// The core's scheduler by the papers' rule: jobs keep the predictions of their submission.
    fn papers(&self, options: &PolicyOptions) -> Result<Box<dyn Policy>, BadChoice> {
        let own = self.predictor == PredictorName::Contexts;
        let predictor = if own { None } else { Some(self.distributions(options)?) };
        let words = self.papers_words(options).expect("asked before");
        Ok(Box::new(Engine::by_delay(predictor, &options.prob.bins()?, &words)))
    }

    /// This policy as the core's scheduler makes it, which predicts starts by its own rule: a plan or EASY by the
    /// limits on processors or on whole like nodes, the papers' rule on processors.
    ///
    /// # Errors
    /// [`BadChoice::NoStarts`] for any other, [`BadChoice::Bins`].
    pub fn build_predicting(
        &self,
        options: &PolicyOptions,
        workload: &Workload,
    ) -> Result<Box<dyn Policy>, BadChoice> {
        let options = &PolicyOptions { delays_wanted: false, ..options.clone() };
        let machine = workload.nodes.as_deref();
        let order = self.order(options);
        let refused = |why| Err(BadChoice::NoStarts { policy: self.to_string(), why });
        if workload.procs > MAX_PROCESSORS {
            return refused("there are more than 2^24 processors");
        }
        if machine.is_some() && !workload.on_whole_nodes() {
            return refused("its nodes differ, or jobs share them");
        }
        match self.policy {
            PolicyName::Fair | PolicyName::Fast if order.site.is_some() => {
                refused("the priorities of later jobs are not known")
            }
            PolicyName::Fair | PolicyName::Fast => self.engine(options, Some(workload)),
            PolicyName::Easy => {
                let plain = order == OrderOptions::named(Order::Fcfs) && options.overdue == Overdue::Soon;
                if !plain || self.predictor != PredictorName::Limit {
                    return refused(
                        "the scheduler engine has EASY by the limits, in the order of submission, with jobs past their \
                         limits about to end (--overdue soon)",
                    );
                }
                Ok(Box::new(Engine::new(None, &options.prob.bins()?, "preset=easy", None, machine)))
            }
            PolicyName::Prob if self.preset != Some(OwnPreset::Papers) => {
                refused("the scheduler engine has fair, fast, easy and papers")
            }
            PolicyName::Prob if machine.is_some() => {
                refused("the papers' rule is the scheduler engine's on processors")
            }
            PolicyName::Prob if self.papers_words(options).is_some() => self.papers(options),
            PolicyName::Prob => refused("the scheduler engine has the papers' rule without further options"),
            _ => refused("the scheduler engine has fair, fast, easy and papers"),
        }
    }

    fn distributions(&self, options: &PolicyOptions) -> Result<Box<dyn DistributionPredictor>, BadChoice> {
        let predictor = self.predictor.distribution(&options.prob.bins()?, options.prob.hmm_floor);
        predictor.ok_or_else(|| not_used(self.policy, self.predictor))
    }

    /// The policy for a workload's machine of nodes. Where these are alike and jobs take whole ones, delays are exact.
    /// Predicted delays are not calibrated on nodes.
    ///
    /// # Errors
    /// As [`Choice::build`], [`BadChoice::NoNodes`].
    pub fn build_on_nodes(
        &self,
        options: &PolicyOptions,
        workload: &Workload,
    ) -> Result<Box<dyn Policy>, BadChoice> {
        let order = &self.order_on(options, workload);
        let prob = &options.prob();
        Ok(match self.policy {
            PolicyName::Fcfs => Box::new(Fcfs),
            PolicyName::Easy | PolicyName::EasyPlusPlus => {
                let predictor = self.predictor.point();
                let predictor = predictor.ok_or_else(|| not_used(self.policy, self.predictor))?;
                Box::new(OnNodes::easy(predictor, order))
            }
            PolicyName::Prob if prob.delay == Delay::Exact && prob.calibrate != Calibrate::Decide => {
                let whole = workload.on_whole_nodes();
                Box::new(OnNodes::prob(self.distributions(options)?, order, prob, whole))
            }
            PolicyName::Fair | PolicyName::Fast => self.engine(options, Some(workload))?,
            PolicyName::Backfill => {
                let machine = workload.nodes.as_deref();
                let machine = machine.ok_or_else(|| BadChoice::NodesOnly(self.to_string()))?;
                let predictor = self.predictor.point();
                let predictor = predictor.ok_or_else(|| not_used(self.policy, self.predictor))?;
                let parts = Parts::new(predictor, order, options.overdue);
                let site = workload.site.clone().unwrap_or_default();
                Box::new(Backfill::new(parts, order, machine, site))
            }
            PolicyName::Named(named) => {
                let predictor = self.predictor.point();
                let predictor = predictor.ok_or_else(|| not_used(self.policy, self.predictor))?;
                let policy = named.build()(Parts::new(predictor, order, options.overdue));
                if !policy.knows_nodes() {
                    return Err(BadChoice::NoNodes(self.to_string()));
                }
                policy
            }
            _ => return Err(BadChoice::NoNodes(self.to_string())),
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.preset.map_or_else(|| name_of(self.policy), name_of))?;
        let first = self.policy.orders()[0];
        let numbers = self.plan_difference();
        let ruled = self.rule.is_some() || numbers.is_some();
        let order = self.order.filter(|&order| order != first || ruled);
        if self.predictor != usual_predictor(self.policy, self.preset) || order.is_some() {
            write!(f, ":{}", name_of(self.predictor))?;
        }
        if let Some(order) = order {
            write!(f, ":{}", name_of(order))?;
        }
        if let Some(rule) = self.rule {
            write!(f, ":{rule}")?;
        }
        if let Some(numbers) = numbers {
            write!(f, ":{numbers}")?;
        }
        Ok(())
    }
}

impl FromStr for Choice {
    type Err = BadChoice;

    fn from_str(text: &str) -> Result<Choice, BadChoice> {
        let mut parts = text.split(':');
        let first = parts.next().unwrap_or("");
        let preset = OwnPreset::from_str(first, false).ok();
        let policy =
            if preset.is_some() { PolicyName::Prob } else { parse("policy", first).map_err(with_presets)? };
        let predictor = parts.next().map(|name| parse("predictor", name)).transpose()?;
        let predictor = predictor.or(preset.map(|_| usual_predictor(policy, preset)));
        let order = parts.next().map(|name| parse("order", name)).transpose()?;
        let own = policy.plan(order);
        let rule = parts.next();
        let plan = own.zip(rule).map(|(own, words)| own.changed(words, order)).transpose()?;
        let rule = rule.filter(|_| own.is_none()).map(RuleChoice::from_str).transpose()?;
        if parts.next().is_some() {
            return Err(BadChoice::Form(text.to_owned()));
        }
        let choice = Choice::new(policy, predictor, order)?;
        if rule.is_some() && policy != PolicyName::Prob {
            return Err(BadChoice::NoRules(name_of(policy)));
        }
        if let Some(preset) = preset.filter(|_| rule.is_some()) {
            return Err(BadChoice::NoRules(name_of(preset)));
        }
        Ok(Choice { rule, preset, plan, ..choice })
    }
}

/// Adds the presets to the names of an error.
fn with_presets(error: BadChoice) -> BadChoice {
    match error {
        BadChoice::Unknown { what, name, known } => {
            let known = format!("{known}, {}", names(OwnPreset::value_variants()));
            BadChoice::Unknown { what, name, known }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_written_as_they_are_read() {
        for text in [
            "fcfs",
            "easy",
            "easy++",
            "easy:gibbons",
            "easy:limit:sjbf",
            "easy:mean+1.5sigma:sjbf",
            "prob:user:fcfs:bound@1",
            "easy:limit:delay",
            "easy++:mean2:delay-fast",
            "delay",
            "delay-fast:user",
            "delay:mix:delay-candidates",
            "fair",
            "fast:limit",
            "fair:contexts:fcfs:proposals=25",
            "fair:contexts:multifactor",
            "fair:contexts:multifactor:front=0.998",
            "fair:contexts:multifactor:tie=10",
            "fast:contexts:multifactor:short=0.01",
            "delay:mix:multifactor",
            "papers",
            "papers:user",
            "easy:limit:points",
            "easy:limit:points-fixed-contexts-0.6",
            "backfill",
            "backfill:limit:points-fixed",
            "backfill:mean2:multifactor",
        ] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn bad_choices_say_why() {
        let why = |text: &str| text.parse::<Choice>().unwrap_err().to_string();
        assert!(why("best").starts_with("no policy is named 'best' (there are fair, fast, easy, easy++,"));
        assert!(why("easy:oracle").starts_with("no predictor is named 'oracle'"));
        assert_eq!(why("fcfs:limit:sjbf"), "policy fcfs has order fcfs only");
        assert_eq!(why("easy++:limit"), "policy easy++ does not use predictor limit (it uses mean2)");
        assert_eq!(
            why("prob:user:fcfs:exact:x"),
            "'prob:user:fcfs:exact:x' is not of the form policy[:predictor[:order[:rule]]]"
        );
        assert_eq!(why("delay:mix:delay:exact"), "policy delay has no rules to choose from");
        assert_eq!(why("easy:limit:fcfs:exact"), "policy easy has no rules to choose from");
    }
}
