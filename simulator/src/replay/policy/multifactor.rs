//! A site's priorities: the formula of Slurm's `priority/multifactor`, larger first, equal ones first come first.
//!
//! ```text
//! P = fairshare x F + age x min(1, wait / max-age) + size x J
//!     + partition x factor of the queue + qos x factor of the QOS
//! F = 2^(-U / S)
//! J = processors / machine, on nodes (nodes / all nodes + processors / machine) / 2; with `favor-small` 1 - J
//! ```
//!
//! U is the user's share of the usage of all, where a processor-second counts half after `half-life`, and S the share
//! of one user, 1 / users: all users that have submitted a job so far have equal shares. This is Slurm's classic fair
//! share of a flat hierarchy (`PriorityFlags=NO_FAIR_TREE`). Where the trace has no users all jobs are one user's: F is
//! the same for all of them. With `fair-tree`, or with the shares of a site ([`Multifactor::of`]), F is that of a tree
//! of accounts and users ([`super::fair_tree`]).
//!
//! Usage is exact at every pass, and ages are. With a `period` (`PriorityCalcPeriod`) shares and ages are those of the
//! last multiple of it; a job that was submitted since has its priority with the shares of that time and no age.
//!
//! A job on nodes has as many nodes as tasks where each has its own, else one: it would fit one, were it large enough.
//!
//! The worth of a point in time follows from the formula: max-age / age seconds, the wait that earns a point.

use super::name::BadChoice;
use super::numbers;
use crate::trace::site::{Shares, SiteRules, Weights};
use crate::trace::workload::{Job, Workload};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A site's priorities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Multifactor {
    /// The weights and times.
    pub weights: Weights,
    /// The factors of the trace's queues, 0 to 1; 0 for those that are not among them.
    pub queues: BTreeMap<i64, f64>,
    /// The factors of the trace's QOS, 0 to 1; 0 for those that are not among them.
    pub of_qos: BTreeMap<i64, f64>,
    /// The tiers of the trace's queues, `PriorityTier`: jobs of a higher one come first whatever their priorities; 0
    /// for those that are not among them.
    pub tiers: BTreeMap<i64, i8>,
    /// Shares of the site's accounts and users, which make a tree; no part of the text.
    pub shares: Option<Arc<Shares>>,
    /// Number of nodes; 0 on a machine of processors. No part of the text.
    pub nodes: u32,
}

impl Default for Multifactor {
    /// Fair share before age before size, ages up to a week, usage halved every week.
    fn default() -> Multifactor {
        let weights = Weights {
            fairshare: 100_000.0,
            age: 30_000.0,
            size: 1000.0,
            period_s: 0,
            fair_tree: false,
            ..Weights::default()
        };
        Multifactor {
            weights,
            queues: BTreeMap::new(),
            of_qos: BTreeMap::new(),
            tiers: BTreeMap::new(),
            shares: None,
            nodes: 0,
        }
    }
}

/// The numbers by their words; of queues and QOS there may be any, `queue3=0.5`, `tier3=1` and `qos2=0.5`.
const WORDS: [&str; 10] = [
    "fairshare",
    "age",
    "size",
    "qos",
    "max-age",
    "half-life",
    "partition",
    "period",
    "favor-small",
    "fair-tree",
];

/// The first of the words that are written only where their number is not 0.
const SELDOM: usize = 6;

/// All priorities are below it: Slurm's have 32 bits.
pub(super) const CEILING: f64 = 4_294_967_296.0;

impl Multifactor {
    /// Whether they are those of a site whose files were read, with the shares of its accounts.
    pub fn is_of_site(&self) -> bool {
        self.shares.is_some()
    }

    /// The priorities of a site; none under `priority/basic`.
    pub fn of(site: &SiteRules) -> Option<Multifactor> {
        let weights = site.weights.clone()?;
        let partitions = site.partitions.iter();
        Some(Multifactor {
            weights,
            queues: partitions.map(|(&queue, rules)| (queue, rules.factor)).collect(),
            of_qos: site.qos.iter().map(|(&qos, rules)| (qos, rules.factor)).collect(),
            shares: Some(Arc::new(site.shares.clone())),
            ..Multifactor::basic(site)
        })
    }

    /// The priorities of a site under `priority/basic`: none but the tiers.
    pub fn basic(site: &SiteRules) -> Multifactor {
        let known: BTreeSet<i32> = site.partitions.values().map(|rules| rules.tier).collect();
        // The numbers of tiers do not matter, their order does.
        let place = |tier: i32| known.range(..tier).count().min(127) as i8;
        let tiers = site.partitions.iter().map(|(&queue, rules)| (queue, place(rules.tier))).collect();
        let none = Multifactor::default();
        let weights = Weights { fairshare: 0.0, age: 0.0, size: 0.0, ..none.weights };
        Multifactor { weights, tiers, ..none }
    }

    fn values(&self) -> [f64; WORDS.len()] {
        let flag = |flag: bool| f64::from(u8::from(flag));
        let &Weights { fairshare, age, size, qos, max_age_s, half_life_s, partition, .. } = &self.weights;
        let Weights { period_s, favors_small, fair_tree, .. } = self.weights;
        let (period, small, tree) = (period_s as f64, flag(favors_small), flag(fair_tree));
        [fairshare, age, size, qos, max_age_s, half_life_s, partition, period, small, tree]
    }

    /// These on a workload's machine.
    pub fn on(&self, workload: &Workload) -> Multifactor {
        let nodes = workload.nodes.as_ref().map_or(0, |machine| machine.nodes());
        Multifactor { nodes, ..self.clone() }
    }

    /// Seconds of age that a point is worth; none where age earns no points.
    pub fn seconds_a_point(&self) -> Option<f64> {
        let Weights { age, max_age_s, .. } = self.weights;
        (age > 0.0).then(|| max_age_s / age)
    }

    /// The points for this wait, in seconds.
    pub(super) fn of_age(&self, wait: i64) -> f64 {
        self.weights.age * (wait.max(0) as f64 / self.weights.max_age_s).min(1.0)
    }

    /// The tier of a job.
    pub fn tier(&self, job: &Job) -> i8 {
        self.tiers.get(&job.queue).copied().unwrap_or(0)
    }
}

impl fmt::Display for Multifactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = WORDS.into_iter().zip(self.values()).enumerate();
        let words = words.filter(|&(place, (_, value))| place < SELDOM || value != 0.0);
        f.write_str(&numbers::written(words.map(|(_, word)| word)))?;
        let queues = self.queues.iter().map(|(queue, &factor)| (format!("queue{queue}"), factor));
        let of_qos = self.of_qos.iter().map(|(qos, &factor)| (format!("qos{qos}"), factor));
        let tiers = self.tiers.iter().map(|(queue, &tier)| (format!("tier{queue}"), f64::from(tier)));
        let queues: Vec<(String, f64)> = queues.chain(of_qos).chain(tiers).collect();
        if !queues.is_empty() {
            write!(f, "+{}", numbers::written(queues))?;
        }
        Ok(())
    }
}

impl FromStr for Multifactor {
    type Err = BadChoice;

    /// The default with the numbers named in the text changed.
    fn from_str(text: &str) -> Result<Multifactor, BadChoice> {
        let mut site = Multifactor::default();
        let mut values = site.values();
        numbers::read(text, |word, value| {
            let number_of =
                |kind: &str| word.strip_prefix(kind).and_then(|number| number.parse::<i64>().ok());
            if let Some(place) = WORDS.iter().position(|&own| own == word) {
                values[place] = value;
            } else if let Some((queue, of)) = (number_of("queue").map(|queue| (queue, &mut site.queues)))
                .or(number_of("qos").map(|qos| (qos, &mut site.of_qos)))
            {
                if !(0.0..=1.0).contains(&value) {
                    return Err("the factor of a queue or a QOS is 0 to 1".to_owned());
                }
                of.insert(queue, value);
            } else if let Some(queue) = number_of("tier") {
                if value.fract() != 0.0 || !(-128.0..=127.0).contains(&value) {
                    return Err("tiers are whole numbers from -128 to 127".to_owned());
                }
                site.tiers.insert(queue, value as i8);
            } else {
                let known = WORDS.join(", ");
                return Err(format!(
                    "priorities have no '{word}' (they have {known}, queueN, qosN and tierN)"
                ));
            }
            Ok(())
        })?;
        let [fairshare, age, size, qos, max_age_s, half_life_s, partition, period, small, tree] = values;
        let valid = values.iter().all(|value| (0.0..CEILING).contains(value))
            && fairshare + age + size + qos + partition < CEILING
            && max_age_s > 0.0
            && period.fract() == 0.0
            && [small, tree].iter().all(|flag| [0.0, 1.0].contains(flag));
        if !valid {
            let why = "weights, max-age and half-life are not below 0, max-age is above 0, all weights together are \
                       below 2^32, period is a whole number of seconds, favor-small and fair-tree are 0 or 1";
            return Err(BadChoice::Rule { rule: text.to_owned(), why: why.to_owned() });
        }
        let (period_s, favors_small, fair_tree) = (period as i64, small > 0.0, tree > 0.0);
        let times = Weights { max_age_s, half_life_s, period_s, favors_small, fair_tree, ..site.weights };
        let weights = Weights { fairshare, age, size, qos, partition, ..times };
        Ok(Multifactor { weights, ..site })
    }
}

impl TryFrom<String> for Multifactor {
    type Error = BadChoice;

    fn try_from(text: String) -> Result<Multifactor, BadChoice> {
        text.parse()
    }
}

impl From<Multifactor> for String {
    fn from(site: Multifactor) -> String {
        site.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::site::{PartitionRules, QosRules, Weights};

    fn site(text: &str) -> Multifactor {
        text.parse().unwrap()
    }

    #[test]
    fn a_site_has_its_weights_factors_and_the_order_of_its_tiers() {
        let partition = |factor, tier| PartitionRules { factor, tier, ..PartitionRules::default() };
        let mut rules = SiteRules {
            partitions: [(3, partition(0.5, 1000)), (4, partition(1.0, 1)), (5, partition(0.0, 30_000))]
                .into(),
            qos: [(1, QosRules { factor: 0.25, ..QosRules::default() })].into(),
            ..SiteRules::default()
        };
        assert_eq!(Multifactor::of(&rules), None);
        assert_eq!(
            Multifactor::basic(&rules).to_string(),
            "fairshare=0+age=0+size=0+qos=0+max-age=604800+half-life=604800+tier3=1+tier4=0+tier5=2"
        );
        rules.weights = Some(Weights { partition: 7.0, qos: 8.0, age: 9.0, ..Weights::default() });
        let wanted = "fairshare=0+age=9+size=0+qos=8+max-age=604800+half-life=604800+partition=7+period=300+fair-tree=1\
                      +queue3=0.5+queue4=1+queue5=0+qos1=0.25+tier3=1+tier4=0+tier5=2";
        assert_eq!(Multifactor::of(&rules).unwrap().to_string(), wanted);
    }

    #[test]
    fn numbers_are_written_as_they_are_read_or_say_why_not() {
        for text in [
            "fairshare=9000+age=70000+size=4000+max-age=9000+half-life=3000",
            "partition=50000+queue0=0.3+queue2=1+half-life=0+tier1=2+period=300",
            "qos=7+qos3=0.25+favor-small=1+fair-tree=1",
        ] {
            let written = site(text).to_string();
            assert_eq!(site(&written).to_string(), written);
        }
        assert_eq!(
            site("partition=3+queue7=0.5+tier7=-2+qos1=1").to_string(),
            "fairshare=100000+age=30000+size=1000+qos=0+max-age=604800+half-life=604800+partition=3+queue7=0.5+qos1=1+tier7=-2"
        );
        let why = |text: &str| text.parse::<Multifactor>().unwrap_err().to_string();
        assert!(why("nice=3").contains("priorities have no 'nice' (they have fairshare, age, size, qos,"));
        assert!(why("queue3=2").ends_with("the factor of a queue or a QOS is 0 to 1"));
        assert!(why("tier3=0.5").ends_with("tiers are whole numbers from -128 to 127"));
        assert_eq!(why("age=x"), "rule 'age=x': 'x' is not a number");
        for text in [
            "max-age=0",
            "size=-1",
            "fairshare=4e9+age=4e9",
            "age=nan",
            "half-life=inf",
            "period=1.5",
            "fair-tree=2",
        ] {
            assert!(why(text).contains("weights, max-age and half-life"), "{text}");
        }
    }
}
