//! Options that several verbs share.

use super::Failure;
use super::args::policy::ChoiceParser;
use super::args::site::SiteOptions;
use super::args::source::Source;
use crate::base::papers;
use crate::base::span::fractional;
use crate::base::words::sentence;
use crate::replay::policy::{
    Calibrate, Candidates, Choice, Criterion, Delay, Multifactor, Order, OrderOptions, Overdue, OwnPreset,
    PolicyName, PolicyOptions, Powers, ProbOptions, name_of,
};
use crate::replay::predict::PredictorName;
use crate::replay::run::Options;
use crate::trace::node_list::machine;
use crate::trace::nodes::Machine;
use crate::trace::remarks::remarks;
use crate::trace::swf::Trace;
use crate::trace::workload::{ESTIMATES, MissingProcessors, Overrun, Rules, Width, Workload};
use clap::{Args, ValueEnum};
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use surefill::nodes::Fit;
use surefill::schedule::PresetName;

pub use super::args::source::file_name;

/// Sets of options by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// EASY backfilling by the limits, in the order of submission
    Easy,
    /// All as Nissimov & Feitelson 2007
    Papers,
    /// Only the machines' sizes as Nissimov & Feitelson 2007
    Sizes,
    /// The delay rule, the default of probabilistic backfilling: shorter waits than EASY's whose longest ones hardly
    /// rise
    Delay,
    /// The delay rule for the shortest mean wait, at the price of some long ones
    DelayFast,
}

impl Preset {
    /// The core's preset that it names.
    fn core(self) -> Option<PresetName> {
        match self {
            Preset::Easy => Some(PresetName::Easy),
            Preset::Papers => Some(PresetName::Papers),
            Preset::Sizes => None,
            Preset::Delay => Some(PresetName::Delay),
            Preset::DelayFast => Some(PresetName::DelayFast),
        }
    }
}

/// Options by which traces become workloads.
#[derive(Debug, Args)]
#[command(next_help_heading = "Replay")]
pub struct ReplayOptions {
    /// A set of options by name; see below
    #[arg(long, value_enum)]
    preset: Option<Preset>,
    /// Processors of the machine [default: the trace's MaxProcs, else MaxNodes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    procs: Option<u32>,
    /// A machine of nodes that jobs share, as 64x(cores=128,mem=512G,gpu=4)+8x(cores=64,mem=1T); for fair, fast,
    /// fcfs, easy, easy++, prob and its presets; @FILE reads that text from a file, or the node list of Alibaba's trace
    /// of 2023
    #[arg(long, value_name = "NODES", conflicts_with_all = ["procs", "site", "partition"], value_parser = machine)]
    nodes: Option<Machine>,
    #[command(flatten)]
    site: SiteOptions,
    /// Choice of nodes for a job: first, best, or apart (for a backfill apart from the head job) [default: best;
    /// under fair and fast sparing, by which those that others seek come last]
    #[arg(long, value_parser = fit, requires = "nodes")]
    fit: Option<Fit>,
    /// On machines of nodes: how wide a job is to the orders of queue and candidates
    #[arg(long, value_enum, requires = "nodes")]
    width: Option<Width>,
    /// Give jobs without a requested time a limit, by the model of Mu'alem & Feitelson 2001: uniform from the run time
    /// to 1 + F times that, up to the next usual limit. Without it such jobs' run times are their limits, and every
    /// policy is clairvoyant
    #[arg(long, value_name = "F", value_parser = not_negative)]
    estimates: Option<f64>,
    /// Replay the first N jobs only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit_jobs: Option<u64>,
    /// Treatment of run times above the limit [default: keep]
    #[arg(long, value_enum)]
    overrun: Option<Overrun>,
    /// Treatment of jobs that ran on an unknown number of processors [default: requested]
    #[arg(long, value_enum)]
    missing_processors: Option<MissingProcessors>,
    /// When the end of a running job past its limit is expected [default: soon]
    #[arg(long, value_enum)]
    overdue: Option<Overdue>,
    /// The first seed: 0 replays the trace as it is, any other shifts every submission by 0 to 59 s
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Replay with K seeds, from the first up, and report means and spread
    #[arg(long, value_name = "K", default_value = "1", value_parser = seeds)]
    pub seeds: NonZeroU64,
    /// Wrong lines in a trace are fatal
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    source: Source,
}

impl ReplayOptions {
    /// Whether whole traces are replayed, of which the papers' numbers are.
    pub(super) fn whole(&self) -> bool {
        self.limit_jobs.is_none()
    }

    /// The preset's name, where it has values for the probabilistic policy.
    pub(super) fn of_prob(&self) -> Option<String> {
        let named = self.preset.filter(|preset| preset.core().is_some())?;
        Some(named.to_possible_value()?.get_name().to_owned())
    }

    fn papers(&self) -> bool {
        self.preset == Some(Preset::Papers)
    }

    /// [`Source::read`], as strict as was asked for.
    ///
    /// # Errors
    /// Its.
    pub fn read(&self, path: &Path) -> Result<Trace, Failure> {
        let procs = self.procs.or_else(|| Some(self.machine()?.processors()));
        let trace = self.source.read_sized(path, self.strict, procs)?;
        self.source.whole(&trace)?;
        self.source.on_site(self.site.site().as_deref(), &trace)?;
        Ok(trace)
    }

    /// Remarks on a trace and the reading of it, as sentences of an answer that rests on it.
    pub(super) fn remarks(&self, trace: &Trace, workload: &Workload) -> Vec<String> {
        let nameless = workload.counts.nameless().map(|remark| sentence(&remark));
        nameless.into_iter().chain(remarks(trace, self.on_nodes() || self.procs.is_some())).collect()
    }

    /// Whether the machine is one of nodes.
    pub(super) fn on_nodes(&self) -> bool {
        self.nodes.is_some() || self.site.site().is_some()
    }

    /// Whether the machine is a site's, and whether that has priorities.
    pub(super) fn site_and_priorities(&self) -> (bool, bool) {
        let site = self.site.site();
        (site.is_some(), site.is_some_and(|site| site.has_priorities()))
    }

    /// A policy as the site's priorities would have it, where there are some.
    pub(super) fn at_site(&self, choice: Choice) -> Choice {
        if self.site_and_priorities().1 { choice.under_priorities() } else { choice }
    }

    /// The machine of nodes, where it is one.
    fn machine(&self) -> Option<Machine> {
        self.nodes.clone().or_else(|| Some(self.site.site()?.machine().clone()))
    }

    /// Refuses a machine of nodes for a verb that knows processors only.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn on_processors(&self) -> Result<(), Failure> {
        match self.nodes {
            Some(_) => Err(Failure::Usage("--nodes is for simulate, compare and start-times".to_owned())),
            None => self.without_site(),
        }
    }

    /// Refuses a site for a verb that does not replay its rules.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn without_site(&self) -> Result<(), Failure> {
        match self.site.site() {
            Some(_) => {
                Err(Failure::Usage("--site and --partition are for what-if, simulate and compare".to_owned()))
            }
            None => Ok(()),
        }
    }

    /// A paper's figures of the trace, where they give the machine's size.
    fn published(&self, file_name: &str) -> Option<&'static papers::Published> {
        papers::published(file_name).filter(|_| self.sized())
    }

    fn sized(&self) -> bool {
        matches!(self.preset, Some(Preset::Papers | Preset::Sizes))
    }

    /// The replay rules for a trace.
    pub(super) fn rules(&self, file_name: &str) -> Rules {
        let published = self.published(file_name);
        let missing = if self.papers() { MissingProcessors::Drop } else { MissingProcessors::Requested };
        Rules {
            overrun: self.overrun.unwrap_or_default(),
            missing_processors: self.missing_processors.unwrap_or(missing),
            procs: self.procs.or(published.map(|published| published.procs)),
            // More jobs than memory holds are all jobs.
            limit_jobs: self.limit_jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
            nodes: self.machine().map(|machine| Arc::new(machine.placing(self.fit))),
            site: self.site.site().map(|site| Arc::new(site.on_clock(&self.source.clock()))),
            width: self.width.unwrap_or_default(),
            estimates: self.estimates,
        }
    }

    /// The replay rules for a trace, and the workload they make of it.
    ///
    /// # Errors
    /// Those of [`Workload::new`].
    pub fn workload(&self, trace: &Trace, file_name: &str) -> Result<(Rules, Workload), Failure> {
        let published = self.published(file_name);
        if self.sized() && published.is_none() {
            eprintln!(
                "warning: {file_name} is not named as a trace of the papers: its header gives the size"
            );
        }
        let rules = self.rules(file_name);
        let workload = Workload::new(trace, &rules)?;
        // The papers' machines are smaller than their traces say: what is cut there is in the tables.
        let too_wide = workload.counts.too_wide(workload.procs).filter(|_| published.is_none());
        let foreknown = workload.counts.foreknown().map(|sentence| format!("{sentence}. {ESTIMATES}"));
        for sentence in foreknown.into_iter().chain(workload.counts.nameless()).chain(too_wide) {
            eprintln!("warning: {file_name}: {sentence}");
        }
        Ok((rules, workload))
    }
}

fn usage(error: impl ToString) -> Failure {
    Failure::Usage(error.to_string())
}

/// One policy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// The scheduling policy, with a predictor, order and rule if these are written too, as in lists of compare
    /// (easy:mean2:sjbf) [default: fair, the plan that the schedulers run; prob beside a --preset of its own]
    #[arg(long, value_parser = ChoiceParser)]
    pub(super) policy: Option<Choice>,
    /// Predictor of run times [default: the policy's own]
    #[arg(long, value_enum)]
    predictor: Option<PredictorName>,
    /// The order of the queue and of its backfill candidates [default: the preset's, else the policy's own]
    #[arg(long, value_enum)]
    order: Option<Order>,
}

/// Whether a policy takes its values from a preset of the probabilistic policy.
pub(super) fn takes_preset(choice: &Choice) -> bool {
    choice.policy == PolicyName::Prob && choice.preset.is_none()
}

impl PolicyArgs {
    /// The policy, if there is one with this predictor and order, and a preset beside it is one that it takes values
    /// from.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn choice(&self, replay: &ReplayOptions) -> Result<Choice, Failure> {
        let usual = match replay.preset {
            // The same schedule as by the probabilistic rule that never delays, at a third of the time.
            Some(Preset::Easy) => PolicyName::Easy,
            _ if replay.of_prob().is_some() => PolicyName::Prob,
            _ => PolicyName::Fair,
        };
        let written = match self.policy {
            Some(choice) => choice,
            None => Choice::new(usual, None, None).map_err(usage)?,
        };
        let predictor = self.predictor.unwrap_or(written.predictor);
        let order = self.order.or(written.order);
        let whole = Choice::new(written.policy, Some(predictor), order).map_err(usage)?;
        let Choice { preset, rule, plan, .. } = written;
        let choice = replay.at_site(Choice { preset, rule, plan, ..whole });
        match replay.of_prob() {
            Some(named) if self.policy.is_some() && named != "papers" && !takes_preset(&choice) => {
                Err(Failure::Usage(format!(
                    "--preset {named} is what prob takes its values from, and the policy is {choice}"
                )))
            }
            _ => Ok(choice),
        }
    }
}

/// The choices of probabilistic backfilling, and the order that EASY has too.
#[derive(Debug, Args)]
#[command(next_help_heading = "Probabilistic backfilling")]
pub struct ProbArgs {
    /// Accept a backfill when its predicted delay is below this [default: the preset's; 0.05, of seconds 60]
    #[arg(long, value_parser = not_negative)]
    tau: Option<f64>,
    /// Method of the delay probability; the bound is for comparison with the papers [default: exact]
    #[arg(long, value_enum)]
    delay: Option<Delay>,
    /// Measure of the delay that is compared with tau; probability is for comparison with the papers [default: the
    /// preset's, relative]
    #[arg(long, value_enum)]
    criterion: Option<Criterion>,
    /// Events into which a bin's probability is divided [default: the preset's, 1; of rules of their own 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=MAX_EVENTS))]
    events_per_bin: Option<u8>,
    /// The most delay that all backfills ahead of one head job may add up to [default: none]
    #[arg(long, value_parser = not_negative)]
    budget: Option<f64>,
    /// The most expected seconds of delay they may add up to, over the head job's whole expected wait [default: none]
    #[arg(long, value_parser = not_negative)]
    slip: Option<f64>,
    /// The quantile of recent waits from which a head job is delayed no more than EASY would; 1 never, 0 always
    /// [default: the preset's]
    #[arg(long, value_name = "Q", value_parser = share)]
    guard: Option<f64>,
    /// Whether what EASY would start by the limits is never refused [default: the preset's]
    #[arg(long, value_name = "BOOL")]
    or_easy: Option<bool>,
    /// Calibration of predicted delays by earlier backfills: none, of the reported delay of a backfill, or of decisions
    /// as well [default: the preset's; off with another rule]
    #[arg(long, value_enum)]
    calibrate: Option<Calibrate>,
    /// On machines of nodes: in which share of the scenarios running jobs of one user with the same limit run as long
    /// as each other; whole nodes are then sampled too [default: none]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    shared: Option<f64>,
    /// The queue's priority, also easy's: submission, shortest, or the four numbers A/B/C/D of
    /// median^A x processors^B / (1 + wait/C)^D, smaller values first [default: the order's]
    #[arg(long, value_name = "PRIORITY")]
    queue: Option<Powers>,
    /// The candidates' priority, also easy's [default: the order's]
    #[arg(long, value_name = "PRIORITY")]
    candidates: Option<Powers>,
    /// The quantile of recent waits from which a job comes to the front, also easy's; 1 never [default: the order's]
    #[arg(long, value_name = "Q", value_parser = share)]
    front: Option<f64>,
    /// A site's priorities, for the orders multifactor and points: the weights and times of Slurm's formula that are
    /// not to be the default's (fairshare 100000, age 30000, size 1000, partition and qos 0, max-age and half-life
    /// 604800 s, period 0 s, favor-small and fair-tree 0), as fairshare=2000+age=500, and by the trace's numbers the
    /// factors of queues under partition, those of QOS under qos, and the tiers of queues: queue3=0.5+qos2=1+tier3=1.
    /// Without these orders waits are broken down by these priorities only
    #[arg(long, value_name = "NUMBERS")]
    priorities: Option<Multifactor>,
    /// Number of recent waits [default: 5000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_RECENT))]
    recent_waits: Option<u32>,
    /// Shortest wait that counts as a long one, for guard and front [default: 1h]
    #[arg(long, value_name = "DURATION", value_parser = fractional)]
    shortest_long_wait: Option<f64>,
    /// Whether predictions of waiting jobs follow what is learnt meanwhile [default: true]
    #[arg(long, value_name = "BOOL")]
    refresh: Option<bool>,
    /// The hidden Markov model's floor where it explains nothing; 0 for silence [default: 0.001, papers 0]
    #[arg(long, value_name = "P", value_parser = floor)]
    hmm_floor: Option<f64>,
    /// Where the predictors' second run-time bin starts; shorter jobs are in the first [default: 1.5 s]
    #[arg(long, value_name = "DURATION", value_parser = fractional)]
    first_edge: Option<f64>,
    /// Ratio of neighbouring edges of the predictors' run-time bins [default: 1.8]
    #[arg(long, value_name = "R")]
    ratio: Option<f64>,
}

/// Most seeds: every one is a whole replay.
const MOST_SEEDS: u64 = 100_000;

/// A number of replays.
pub(super) fn seeds(text: &str) -> Result<NonZeroU64, String> {
    let seeds = text.parse::<NonZeroU64>().ok().filter(|seeds| seeds.get() <= MOST_SEEDS);
    seeds.ok_or_else(|| format!("not a number from 1 to {MOST_SEEDS}"))
}

/// A way of choosing nodes by its name.
fn fit(name: &str) -> Result<Fit, String> {
    let known = [("first", Fit::First), ("best", Fit::Best), ("apart", Fit::Apart)];
    let found = known.into_iter().find(|(own, _)| *own == name);
    found.map(|(_, fit)| fit).ok_or_else(|| "not first, best or apart".to_owned())
}

const MAX_RECENT: i64 = surefill::schedule::MAX_RECENT_WAITS as i64;

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "not a number from 0 to 1".to_owned())
}

const MAX_EVENTS: i64 = surefill::runtime::MAX_EVENTS_PER_BIN as i64;

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("not a number of 0 or above".to_owned()),
    }
}

impl ProbArgs {
    /// Refuses these options for policies that do not have them, and those whose values the policy's own rule has.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn check(&self, choice: &Choice) -> Result<(), Failure> {
        let policy = choice.policy;
        let given = [
            ("--tau", self.tau.is_some()),
            ("--delay", self.delay.is_some()),
            ("--criterion", self.criterion.is_some()),
            ("--events-per-bin", self.events_per_bin.is_some()),
            ("--budget", self.budget.is_some()),
            ("--slip", self.slip.is_some()),
            ("--guard", self.guard.is_some()),
            ("--or-easy", self.or_easy.is_some()),
            ("--calibrate", self.calibrate.is_some()),
            ("--shared", self.shared.is_some()),
            ("--refresh", self.refresh.is_some()),
            ("--hmm-floor", self.hmm_floor.is_some()),
            ("--first-edge", self.first_edge.is_some()),
            ("--ratio", self.ratio.is_some()),
        ];
        let order = [
            ("--queue", self.queue.is_some()),
            ("--candidates", self.candidates.is_some()),
            ("--front", self.front.is_some()),
            ("--recent-waits", self.recent_waits.is_some()),
            ("--shortest-long-wait", self.shortest_long_wait.is_some()),
        ];
        let ordered = !matches!(policy, PolicyName::Fcfs | PolicyName::Conservative);
        let of_prob = given.into_iter().filter(|_| policy != PolicyName::Prob);
        let of_both = order.into_iter().filter(|_| !ordered);
        if let Some((option, _)) = of_prob.chain(of_both).find(|(_, given)| *given) {
            return Err(Failure::Usage(format!(
                "{option} is for --policy prob, not for {}",
                name_of(policy)
            )));
        }
        let Some(rule) = choice.rule else { return Ok(()) };
        // The rule's own values win.
        let own = [
            ("--criterion", self.criterion.is_some()),
            ("--delay", self.delay.is_some()),
            ("--tau", self.tau.is_some() && rule.tau.is_some()),
            ("--events-per-bin", self.events_per_bin.is_some() && rule.events_per_bin.is_some()),
            ("--calibrate", self.calibrate.is_some() && rule.calibrate.is_some()),
        ];
        match own.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Failure::Usage(format!("{option} changes nothing beside the rule {rule} of {choice}")))
            }
            None => Ok(()),
        }
    }

    /// Refuses what `tune` searches itself.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn check_searched(&self) -> Result<(), Failure> {
        let given = [
            ("--tau", self.tau.is_some()),
            ("--criterion", self.criterion.is_some()),
            ("--guard", self.guard.is_some()),
            ("--queue", self.queue.is_some()),
            ("--candidates", self.candidates.is_some()),
            ("--front", self.front.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Failure::Usage(format!("{option} is what tune searches, or belongs to it")))
            }
            None => Ok(()),
        }
    }

    /// A policy's options: from the arguments, else the policy's own rule or preset, else the preset of the command
    /// line, else `delay`. A rule of its own comes without guard and in the order of submission.
    ///
    /// # Errors
    /// [`Failure::Usage`] for bins that are not valid, or a slip without seconds.
    pub fn options(&self, replay: &ReplayOptions, choice: &Choice) -> Result<PolicyOptions, Failure> {
        let overdue = if replay.papers() { Overdue::Past } else { Overdue::Soon };
        let common = replay.preset.and_then(Preset::core);
        let ruled = choice.rule.is_some();
        let name = choice.preset.map(OwnPreset::name).or(common).or((!ruled).then_some(PresetName::Delay));
        let plain = match common {
            _ if !ruled => ProbOptions::preset(name.unwrap_or_default()),
            Some(PresetName::Papers) => ProbOptions::papers(),
            _ => ProbOptions::default(),
        };
        // The rule's own numbers come before what the command line says of all rules.
        let tau = |criterion: Criterion| match criterion == plain.criterion {
            true => plain.tau,
            false => criterion.default_tau(),
        };
        let criterion = self.criterion.unwrap_or(plain.criterion);
        let base = ProbOptions {
            tau: self.tau.unwrap_or(tau(criterion)),
            delay: self.delay.unwrap_or(plain.delay),
            criterion,
            events_per_bin: self.events_per_bin.map_or(plain.events_per_bin, usize::from),
            budget: self.budget.or(plain.budget),
            slip: self.slip.or(plain.slip),
            guard: self.guard.unwrap_or(plain.guard),
            or_easy: self.or_easy.unwrap_or(plain.or_easy),
            unmeasured: plain.unmeasured,
            calibrate: self.calibrate.unwrap_or(plain.calibrate),
            shared: self.shared.or(plain.shared),
            refresh: self.refresh.unwrap_or(plain.refresh),
            hmm_floor: self.hmm_floor.unwrap_or(plain.hmm_floor),
            first_edge_s: self.first_edge.unwrap_or(plain.first_edge_s),
            ratio: self.ratio.unwrap_or(plain.ratio),
        };
        let prob = choice.rule.map_or_else(|| base.clone(), |rule| rule.options(&base));
        prob.bins().map_err(|error| Failure::Usage(error.to_string()))?;
        if choice.policy == PolicyName::Prob && prob.criterion == Criterion::Probability && prob.tau > 1.0 {
            let message =
                format!("--tau {}: a probability is at most 1; for seconds: --criterion seconds", prob.tau);
            return Err(Failure::Usage(message));
        }
        if prob.rule().check().is_err() {
            return Err(Failure::Usage("--slip is for the criteria seconds and relative".to_owned()));
        }
        let order = match (choice.order, choice.policy, name) {
            (Some(order), ..) => OrderOptions::named(order),
            (None, PolicyName::Prob, Some(name)) => OrderOptions::preset(name),
            (None, policy, _) => OrderOptions::named(policy.orders()[0]),
        };
        let own = [
            ("--queue", self.queue.is_some()),
            ("--candidates", self.candidates.is_some()),
            ("--front", self.front.is_some()),
        ];
        let whole = order.named.is_some() || order.site.is_some();
        if let Some((option, _)) = own.into_iter().find(|own| whole && own.1) {
            return Err(Failure::Usage(format!("{option} is not for the order {order}, which is whole")));
        }
        let site = self.priorities.clone().or(order.site.clone());
        let order = OrderOptions {
            named: order.named,
            site: order.site.and(site.clone()),
            points: order.points,
            queue: self.queue.unwrap_or(order.queue),
            candidates: self.candidates.map_or(order.candidates, Candidates::of),
            front: self.front.unwrap_or(order.front),
            recent: self.recent_waits.unwrap_or(order.recent),
            shortest_long_wait_s: self.shortest_long_wait.unwrap_or(order.shortest_long_wait_s),
        };
        let overdue = replay.overdue.unwrap_or(overdue);
        Ok(PolicyOptions { overdue, order: Some(order), site, prob, delays_wanted: false })
    }
}

/// A probability from 0 to below 1.
pub fn floor(text: &str) -> Result<f64, String> {
    let floor = text.parse::<f64>().ok().filter(|floor| (0.0..1.0).contains(floor));
    floor.ok_or_else(|| "not a number from 0 to below 1".to_owned())
}

/// Refuses options under which no starts are predicted.
///
/// # Errors
/// [`Failure::Usage`].
pub(super) fn predicts_starts(options: &Options, workload: &Workload) -> Result<(), Failure> {
    options.build_predicting(workload).map(drop).map_err(|error| Failure::Usage(error.to_string()))
}
