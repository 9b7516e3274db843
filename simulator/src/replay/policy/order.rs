//! The order of the queue and of the backfill candidates, by the core's priorities.

use crate::replay::machine::Cluster;
use crate::replay::named::{Named, Names};
use crate::trace::workload::{Job, JobId};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::str::FromStr;
use surefill::schedule::{Preset, PresetName, Priority, RecentWaits};

use super::multifactor::Multifactor;
use super::name::name_of;
use super::points::{POINTS, Points, PointsOrder};
use super::priorities::Priorities;
use super::queue_orders::{FORMULAS, FairShare, Formula, QueueOrder};

/// Makes a queue order for one replay.
pub type BuildOrder = dyn Fn() -> Box<dyn QueueOrder> + Send + Sync;

/// Orders by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// First come, first served, queue and candidates.
    #[default]
    Fcfs,
    /// The queue first come first served, of the candidates the shortest predicted run time first (the median, where a
    /// distribution is predicted); equal ones first come first.
    Sjbf,
    /// Queue and candidates by the priorities of the preset delay.
    Delay,
    /// Queue and candidates by the priorities of the preset delay-fast.
    DelayFast,
    /// The queue first come first served, the candidates by the priorities of the preset delay.
    DelayCandidates,
    /// The queue first come first served, the candidates by the priorities of the preset delay-fast.
    DelayFastCandidates,
    /// Queue and candidates by a site's priorities ([`Multifactor`]).
    Multifactor,
    /// Queue and candidates by a site's priorities with a site factor on top ([`Points`]).
    #[serde(untagged)]
    Points(Points),
    /// One of the registry's, built in or added ([`crate::replay::registry`]), for queue and candidates.
    #[serde(untagged)]
    Named(Named<BuildOrder>),
}

/// All orders.
pub(crate) static ORDERS: Names<Order> = Names::new(|| {
    let own = [
        Order::Fcfs,
        Order::Sjbf,
        Order::Delay,
        Order::DelayFast,
        Order::DelayCandidates,
        Order::DelayFastCandidates,
        Order::Multifactor,
    ];
    let points = POINTS.iter().map(|&points| Order::Points(points));
    let formulas = FORMULAS.map(|(name, about, formula)| {
        let build: Box<BuildOrder> = Box::new(move || Box::new(Formula(formula)));
        Order::Named(Named::new(name, about, build))
    });
    let about = "Queue and candidates: the user who has used least first, usage halved every week";
    let build: Box<BuildOrder> = Box::new(|| Box::<FairShare>::default());
    let share = Order::Named(Named::new("fair-share", about, build));
    own.into_iter().chain(points).chain(formulas).chain([share]).collect()
});

impl ValueEnum for Order {
    fn value_variants<'a>() -> &'a [Order] {
        ORDERS.all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            Order::Fcfs => ("fcfs", "First come, first served, queue and candidates"),
            Order::Sjbf => (
                "sjbf",
                "The queue first come first served, of the candidates the shortest predicted run time first",
            ),
            Order::Delay => ("delay", "Queue and candidates by the priorities of the preset delay"),
            Order::DelayFast => {
                ("delay-fast", "Queue and candidates by the priorities of the preset delay-fast")
            }
            Order::DelayCandidates => {
                ("delay-candidates", "The queue first come first served, the candidates by the preset delay")
            }
            Order::DelayFastCandidates => (
                "delay-fast-candidates",
                "The queue first come first served, the candidates by the preset delay-fast",
            ),
            Order::Multifactor => (
                "multifactor",
                "Queue and candidates by a site's priorities, by Slurm's formula: fair share, age, size, queue",
            ),
            Order::Points(points) => return Some(points.value()),
            Order::Named(named) => return Some(named.value()),
        };
        Some(PossibleValue::new(name).help(about))
    }
}

impl<'de> Deserialize<'de> for Named<BuildOrder> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named<BuildOrder>, D::Error> {
        let name = String::deserialize(deserializer)?;
        let named = ORDERS.all().iter().find_map(|order| match order {
            Order::Named(named) if named.name() == name => Some(*named),
            _ => None,
        });
        named.ok_or_else(|| D::Error::custom(format!("no order is named '{name}'")))
    }
}

/// A priority: median^run_time x processors^processors / (1 + wait / age_unit_s)^age, smaller values first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Powers {
    /// The power of the predicted median run time.
    pub run_time: f64,
    /// The power of the processors.
    pub processors: f64,
    /// The wait that counts as one, in seconds.
    pub age_unit_s: f64,
    /// The power of the age.
    pub age: f64,
}

impl Powers {
    /// The order of submission.
    pub const SUBMISSION: Powers = Powers::new(&Priority::SUBMISSION);

    const fn new(priority: &Priority) -> Powers {
        let Priority { run_time, processors, age_unit, age } = *priority;
        Powers { run_time, processors, age_unit_s: age_unit, age }
    }

    /// The core's priority with these powers.
    pub fn priority(&self) -> Priority {
        let Powers { run_time, processors, age_unit_s, age } = *self;
        Priority { run_time, processors, age_unit: age_unit_s, age }
    }

    fn is_submission(&self) -> bool {
        self.run_time == 0.0 && self.processors == 0.0 && self.age == 0.0
    }
}

impl fmt::Display for Powers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_submission() {
            return f.write_str("submission");
        }
        write!(f, "{}/{}/{}/{}", self.run_time, self.processors, self.age_unit_s, self.age)
    }
}

impl FromStr for Powers {
    type Err = String;

    /// `submission`, `shortest`, or the four numbers between slashes.
    fn from_str(text: &str) -> Result<Powers, String> {
        let powers = match text {
            "submission" => Powers::SUBMISSION,
            "shortest" => Powers::new(&Priority::SHORTEST),
            _ => {
                let numbers: Result<Vec<f64>, _> = text.split('/').map(str::parse).collect();
                let form = "not submission, shortest, or RUNTIME/PROCESSORS/SECONDS/AGE in numbers";
                match numbers.as_deref() {
                    Ok(&[run_time, processors, age_unit_s, age]) => {
                        Powers { run_time, processors, age_unit_s, age }
                    }
                    _ => return Err(form.to_owned()),
                }
            }
        };
        match powers.priority().check() {
            Ok(()) => Ok(powers),
            Err(_) => Err("powers from -8 to 8, of the age not below 0, and seconds above 0".to_owned()),
        }
    }
}

/// The order of the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Candidates {
    /// First come first served.
    Submission,
    /// The shortest predicted run time first, however short.
    Shortest,
    /// By priority.
    Priority(Powers),
}

impl Candidates {
    /// By this priority.
    pub fn of(powers: Powers) -> Candidates {
        if powers.is_submission() { Candidates::Submission } else { Candidates::Priority(powers) }
    }
}

/// Everything that orders queue and candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderOptions {
    /// An order of the registry, which takes the place of all that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Named<BuildOrder>>,
    /// A site's priorities, which take the place of all that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<Multifactor>,
    /// The site factor on top of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Points>,
    /// The queue's priority.
    pub queue: Powers,
    /// The candidates'.
    pub candidates: Candidates,
    /// The quantile of recent waits beyond which a job comes to the front, by submission; 1 for never.
    pub front: f64,
    /// Number of waits that count as recent.
    pub recent: u32,
    /// The least wait that counts as long, in seconds: neither front nor guard begin earlier.
    pub shortest_long_wait_s: f64,
}

impl OrderOptions {
    /// The order of a preset.
    pub fn preset(name: PresetName) -> OrderOptions {
        let Preset { queue, candidates, front, recent, shortest_long_wait, .. } = Preset::new(name);
        OrderOptions {
            named: None,
            site: None,
            points: None,
            queue: Powers::new(&queue),
            candidates: Candidates::of(Powers::new(&candidates)),
            front,
            recent,
            shortest_long_wait_s: shortest_long_wait,
        }
    }

    /// The order of this name.
    pub fn named(order: Order) -> OrderOptions {
        let submission = OrderOptions::preset(PresetName::Easy);
        let late =
            |name| OrderOptions { queue: Powers::SUBMISSION, front: 1.0, ..OrderOptions::preset(name) };
        match order {
            Order::Fcfs => submission,
            Order::Sjbf => OrderOptions { candidates: Candidates::Shortest, ..submission },
            Order::Delay => OrderOptions::preset(PresetName::Delay),
            Order::DelayFast => OrderOptions::preset(PresetName::DelayFast),
            Order::DelayCandidates => late(PresetName::Delay),
            Order::DelayFastCandidates => late(PresetName::DelayFast),
            Order::Multifactor => OrderOptions { site: Some(Multifactor::default()), ..submission },
            Order::Points(points) => {
                OrderOptions { site: Some(Multifactor::default()), points: Some(points), ..submission }
            }
            Order::Named(named) => OrderOptions { named: Some(named), ..submission },
        }
    }

    fn is_submission(&self) -> bool {
        self.named.is_none() && self.site.is_none() && self.queue.is_submission() && self.front >= 1.0
    }
}

impl fmt::Display for OrderOptions {
    /// The name, if it has one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = |order: &&Order| OrderOptions::named(**order) == *self;
        if let Some(named) = self.named {
            return f.write_str(named.name());
        }
        if let Some(order) = Order::value_variants().iter().find(same) {
            return f.write_str(&name_of(*order));
        }
        if let Some(site) = &self.site {
            let name = name_of(self.points.map_or(Order::Multifactor, Order::Points));
            // The numbers of a site are its configuration's.
            return if site.is_of_site() { f.write_str(&name) } else { write!(f, "{name} {site}") };
        }
        write!(f, "queue {}, candidates ", self.queue)?;
        match self.candidates {
            Candidates::Submission => f.write_str("submission"),
            Candidates::Shortest => f.write_str("sjbf"),
            Candidates::Priority(powers) => write!(f, "{powers}"),
        }?;
        if self.front < 1.0 {
            write!(f, ", front {}", self.front)?;
        }
        Ok(())
    }
}

/// The order in use, with the recent waits that determine which waits are long.
pub(super) struct Ordering {
    options: OrderOptions,
    /// One of the registry's, or the site's.
    named: Option<Box<dyn QueueOrder>>,
    recent: Vec<u64>,
}

impl Ordering {
    pub(super) fn new(options: &OrderOptions) -> Ordering {
        let bytes = RecentWaits::size(options.recent).expect("the options were checked");
        let mut recent = vec![0; bytes.div_ceil(8)];
        RecentWaits::init(bytemuck::cast_slice_mut(&mut recent), options.recent).expect("room was made");
        let site = || {
            options.site.as_ref().map(|site| -> Box<dyn QueueOrder> {
                match options.points {
                    Some(points) => Box::new(PointsOrder::new(points, site)),
                    None => Box::new(Priorities::new(site)),
                }
            })
        };
        let named = options.named.map(|named| named.build()()).or_else(site);
        Ordering { options: options.clone(), named, recent }
    }

    /// Notes that a job was submitted.
    pub(super) fn submitted(&mut self, job: &Job) {
        if let Some(order) = &mut self.named {
            order.submitted(job);
        }
    }

    /// Notes that a job was started.
    pub(super) fn started(&mut self, job: &Job, now: i64) {
        if let Some(order) = &mut self.named {
            order.started(job, now);
        }
        let mut recent =
            RecentWaits::attach(bytemuck::cast_slice_mut(&mut self.recent)).expect("made in new");
        recent.add(now - job.submit).expect("waits are spans of time");
    }

    /// Notes that a job ended.
    pub(super) fn ended(&mut self, job: &Job, now: i64) {
        if let Some(order) = &mut self.named {
            order.ended(job, now);
        }
    }

    /// The quantile of recent waits from which on a wait is long, in seconds; infinite for 1, 0 for 0.
    pub(super) fn long_wait(&mut self, quantile: f64) -> f64 {
        if quantile <= 0.0 {
            return 0.0;
        }
        if quantile >= 1.0 {
            return f64::INFINITY;
        }
        let recent = RecentWaits::attach(bytemuck::cast_slice_mut(&mut self.recent)).expect("made in new");
        recent.quantile(quantile, self.options.shortest_long_wait_s).expect("a quantile")
    }

    /// Puts the queue in order; `median` is the predicted run time of a job in seconds.
    pub(super) fn sort_queue(&mut self, cluster: &mut Cluster<'_>, median: impl Fn(JobId) -> i64) {
        if self.options.is_submission() {
            return;
        }
        if let Some(order) = &mut self.named {
            let now = cluster.now();
            order.begin(now, cluster.processors());
            cluster.sort_queue(|job| number(order.value(job, now, median(job.id))));
            return;
        }
        let front = self.long_wait(self.options.front);
        let priority = self.options.queue.priority();
        let now = cluster.now();
        cluster.sort_queue(|job| value(&priority, job, now, median(job.id), front));
    }

    /// Puts candidates in order, equal ones first come first.
    pub(super) fn sort_candidates(
        &mut self,
        ids: &mut [JobId],
        cluster: &Cluster<'_>,
        median: impl Fn(JobId) -> i64,
    ) {
        if let Some(order) = &mut self.named {
            let now = cluster.now();
            sort_by_value(ids, |id| number(order.value(cluster.job(id), now, median(id))));
            return;
        }
        match self.options.candidates {
            Candidates::Submission => ids.sort_unstable(),
            Candidates::Shortest => ids.sort_unstable_by_key(|&id| (median(id), id)),
            Candidates::Priority(powers) => {
                let (priority, now) = (powers.priority(), cluster.now());
                sort_by_value(ids, |id| value(&priority, cluster.job(id), now, median(id), f64::INFINITY));
            }
        }
    }
}

/// Maps a value that is no number to the last place.
fn number(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

/// Smaller values first, equal ones first come first.
fn sort_by_value(ids: &mut [JobId], mut value: impl FnMut(JobId) -> f64) {
    let mut valued: Vec<(f64, JobId)> = ids.iter().map(|&id| (value(id), id)).collect();
    valued.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (to, (_, id)) in ids.iter_mut().zip(valued) {
        *to = id;
    }
}

fn value(priority: &Priority, job: &Job, now: i64, median: i64, front: f64) -> f64 {
    priority.value(median, job.width(), now - job.submit, front).expect("a job's numbers are in range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_names_or_say_what_they_are() {
        for &order in Order::value_variants() {
            assert_eq!(OrderOptions::named(order).to_string(), name_of(order));
        }
        let mine = OrderOptions {
            queue: "0.2/0/3600/1".parse().unwrap(),
            candidates: Candidates::Priority("1/0.5/3600/1".parse().unwrap()),
            front: 0.99,
            ..OrderOptions::named(Order::Fcfs)
        };
        assert_eq!(mine.to_string(), "queue 0.2/0/3600/1, candidates 1/0.5/3600/1, front 0.99");
        assert_eq!("submission".parse(), Ok(Powers::SUBMISSION));
        assert!("1/2/3".parse::<Powers>().is_err());
        assert!("1/0/0/1".parse::<Powers>().is_err());
        assert!("nan/0/1/1".parse::<Powers>().is_err());
    }
}
