//! A site as its resource manager describes it: nodes, partitions, priorities, limits, and times without some nodes.
//!
//! [`Site::read`] takes what `scontrol show config`, `partition`, `node` and `reservation` and `sacctmgr -P show
//! qos`, `assoc`,
//! `event` and `reservation` print. [`Site::machine`] is its machine of nodes, on which a partition is a feature;
//! [`Site::request`] is a job's request there, [`Site::rules`] are its rules by the numbers of one trace.

mod files;
mod lists;
mod remarks;
mod request;
mod rules;
mod scontrol;
#[cfg(test)]
mod tests;

use crate::trace::hostlist;
use crate::trace::nodes::Machine;
use crate::trace::record::{MAX_FEATURES, Trace};
use crate::trace::values::{self, Clock};
use scontrol::{Record, Records};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

pub use rules::{BackfillRules, NodePlace, Outage, PartitionRules, QosRules, Shares, SiteRules, Weights};

/// A site.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// Its nodes, in the order in which jobs get them: by weight, then as they are listed.
    nodes: Vec<Node>,
    partitions: Vec<Partition>,
    /// Whether memory is given out to jobs, and whether whole nodes are.
    gives_memory: bool,
    gives_nodes: bool,
    records: Records,
    machine: Machine,
    /// The clock of its dates.
    clock: Clock,
    /// Whether its nodes are processors that jobs may have anywhere.
    is_of_processors: bool,
}

/// A node.
#[derive(Debug, Clone, PartialEq)]
struct Node {
    name: String,
    processors: u32,
    memory_mib: u32,
    gpus: u32,
    place: NodePlace,
}

/// A partition.
#[derive(Debug, Clone, PartialEq)]
struct Partition {
    name: String,
    /// Its nodes, by their places in [`Site::nodes`], in their order.
    nodes: Vec<usize>,
    /// Whether its jobs share nodes with no others.
    is_exclusive: bool,
    /// The number of its feature, which partitions of the same nodes and the same sharing have in common.
    feature: u32,
    factor: f64,
    tier: i32,
}

/// A number of a record; 0 where there is none.
fn number(record: &Record, key: &str) -> f64 {
    record
        .get(key)
        .and_then(|text| text.trim().parse().ok())
        .filter(|value: &f64| value.is_finite())
        .unwrap_or(0.0)
}

fn text<'a>(record: &'a Record, key: &str) -> &'a str {
    match record.get(key).map_or("", |text| text.trim()) {
        "(null)" | "N/A" | "None" => "",
        text => text,
    }
}

/// GPUs of a node's list of generic resources: `gpu:a100:4(S:0-1),shard:8`.
fn gpus(gres: &str) -> u32 {
    let bare: String = {
        let mut depth = 0;
        let outside = |c: &char| {
            depth += i32::from(*c == '(');
            let keep = depth == 0;
            depth -= i32::from(*c == ')');
            keep
        };
        gres.chars().filter(outside).collect()
    };
    let gpu = |part: &str| part.trim().strip_prefix("gpu:")?.rsplit(':').next()?.parse::<u32>().ok();
    bare.split(',').filter_map(gpu).sum()
}

impl Site {
    /// The site that these texts describe, each with the name under which it is known.
    ///
    /// # Errors
    /// A sentence: a text is none of the known ones, or there are no nodes or no partitions.
    pub fn read(texts: &[(String, String)]) -> Result<Site, String> {
        let mut records = Records::default();
        for (name, text) in texts {
            records.read(name, text)?;
        }
        records.of_cluster();
        Site::new(records)
    }

    /// A site of partitions that share no nodes, each of processors alone.
    ///
    /// # Errors
    /// A sentence: there are too many of them.
    fn of_partitions(partitions: &[(String, u32)]) -> Result<Site, String> {
        let mut records = Records::default();
        for (place, (name, processors)) in partitions.iter().enumerate() {
            let record = |values: &[(&str, String)]| -> Record {
                values.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
            };
            let names = format!("p{place}n[1-{processors}]");
            records.partitions.push(record(&[("partitionname", name.clone()), ("nodes", names.clone())]));
            for node in hostlist::names(&names).ok_or_else(|| format!("{name}: too many processors"))? {
                records.nodes.push(record(&[("nodename", node), ("cputot", "1".to_owned())]));
            }
        }
        Ok(Site { is_of_processors: true, ..Site::new(records)? })
    }

    fn new(records: Records) -> Result<Site, String> {
        for (list, what) in [(&records.nodes, "node"), (&records.partitions, "partition")] {
            if list.is_empty() {
                return Err(format!("the site has no {what}s: scontrol show {what} says them"));
            }
        }
        let mut nodes: Vec<Node> = records.nodes.iter().zip(0..).map(node).collect();
        nodes.sort_by(|a, b| a.place.weight.total_cmp(&b.place.weight));
        // Nodes that are only planned have none.
        nodes.retain(|node| node.processors > 0);
        if nodes.is_empty() {
            return Err("no node of the site has processors (CPUTot)".to_owned());
        }
        let places: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (&*node.name, at)).collect();
        let largest =
            records.partitions.iter().map(|one| number(one, "priorityjobfactor")).fold(1.0, f64::max);
        let partition = |record: &Record| {
            let list = text(record, "nodes");
            let names = match list {
                "" => Some(Vec::new()),
                "ALL" => Some(nodes.iter().map(|node| node.name.clone()).collect()),
                list => hostlist::names(list),
            };
            let name = text(record, "partitionname").to_owned();
            let names = names.ok_or_else(|| format!("partition {name} has no list of nodes: '{list}'"))?;
            let mut nodes: Vec<usize> =
                names.iter().filter_map(|name| places.get(&**name).copied()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let is_exclusive = text(record, "oversubscribe").starts_with("EXCLUSIVE")
                || record.get("shares").is_some_and(|shares| shares == "0");
            Ok(Partition {
                nodes,
                is_exclusive,
                feature: 0,
                factor: number(record, "priorityjobfactor") / largest,
                tier: number(record, "prioritytier").max(1.0) as i32,
                name,
            })
        };
        let mut partitions =
            records.partitions.iter().map(partition).collect::<Result<Vec<Partition>, String>>()?;
        number_features(&mut partitions)?;
        let config = |key: &str| text(&records.config, key).to_uppercase();
        let gives_memory = config("selecttypeparameters").contains("MEMORY");
        let gives_nodes = config("selecttype").ends_with("LINEAR");
        let machine = machine(&nodes, &partitions, gives_memory)?;
        let clock = Clock::default();
        Ok(Site {
            gives_memory,
            gives_nodes,
            nodes,
            partitions,
            records,
            machine,
            clock,
            is_of_processors: false,
        })
    }

    /// The site with its dates in the zone of the history's.
    pub fn on_clock(&self, clock: &Clock) -> Site {
        Site { clock: clock.clone(), ..self.clone() }
    }

    /// The machine of its nodes, on which every partition is a feature. Nodes in no partition are not in it.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The places of the nodes that the machine has, in the order of their numbers there.
    fn numbered(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&node| bits(&self.partitions, node) != 0).collect()
    }

    /// Whether jobs have priorities by `priority/multifactor`.
    pub fn has_priorities(&self) -> bool {
        self.weights().is_some()
    }

    /// Its rules by the numbers of a trace.
    pub fn rules(&self, trace: &Trace) -> SiteRules {
        let queues = self.queues(trace);
        let partition = |(number, name): (&i64, &String)| {
            let partition = self.partition(name)?;
            let name = feature(&self.partitions, partition.feature);
            let place = self.machine.features.iter().position(|known| *known == name)?;
            let rules =
                PartitionRules { feature: 1 << place, factor: partition.factor, tier: partition.tier };
            Some((*number, rules))
        };
        SiteRules {
            weights: self.weights(),
            partitions: queues.iter().filter_map(partition).collect(),
            qos: lists::qos(&self.records.qos, &trace.names),
            shares: lists::shares(&self.records.associations, &trace.names),
            backfill: self.backfill(),
            outages: self.outages(trace),
            places: self
                .numbered()
                .into_iter()
                .filter_map(|node| Some(self.nodes.get(node)?.place))
                .collect(),
        }
    }

    /// The names of the trace's queues: those that its source had, else those of its header's lines `Queue: 1 batch`.
    /// A site of one partition has all jobs there.
    fn queues(&self, trace: &Trace) -> BTreeMap<i64, String> {
        let mut queues = trace.names.queues.clone();
        let named = |line: &String| {
            let rest = line.trim_start_matches(';').trim().strip_prefix("Queue:")?.trim();
            let (number, name) = rest.split_once(char::is_whitespace)?;
            Some((number.parse::<i64>().ok()?, name.trim().to_owned()))
        };
        if queues.is_empty() {
            queues.extend(trace.header.lines.iter().filter_map(named));
        }
        if let ([only], true) = (&self.partitions[..], queues.is_empty()) {
            queues.extend(trace.records.iter().map(|job| (job.queue, only.name.clone())));
        }
        queues
    }

    /// The partition of this name; of a list of names, as jobs have that may start in several, the first that the site
    /// has.
    fn partition(&self, names: &str) -> Option<&Partition> {
        let named = |name: &str| self.partitions.iter().find(|partition| partition.name == name);
        named(names).or_else(|| names.split(',').find_map(|name| named(name.trim())))
    }

    fn weights(&self) -> Option<Weights> {
        let config = &self.records.config;
        if !text(config, "prioritytype").ends_with("multifactor") {
            return None;
        }
        let span = |key: &str, usual: f64| match text(config, key) {
            "" => usual,
            // Minutes, as in slurm.conf; with colons or days it is a span as accounting writes it.
            bare if bare.chars().all(|c| c.is_ascii_digit()) => 60.0 * number(config, key),
            other => values::elapsed(other).ok().flatten().map_or(usual, |seconds| seconds as f64),
        };
        let usual = Weights::default();
        Some(Weights {
            age: number(config, "priorityweightage"),
            fairshare: number(config, "priorityweightfairshare"),
            size: number(config, "priorityweightjobsize"),
            partition: number(config, "priorityweightpartition"),
            qos: number(config, "priorityweightqos"),
            max_age_s: span("prioritymaxage", usual.max_age_s).max(1.0),
            half_life_s: span("prioritydecayhalflife", usual.half_life_s),
            period_s: span("prioritycalcperiod", usual.period_s as f64).max(1.0) as i64,
            favors_small: matches!(text(config, "priorityfavorsmall").to_uppercase().as_str(), "YES" | "1"),
            fair_tree: !text(config, "priorityflags").to_uppercase().contains("NO_FAIR_TREE"),
        })
    }

    fn backfill(&self) -> BackfillRules {
        let config = &self.records.config;
        let parameters: HashMap<&str, &str> = text(config, "schedulerparameters")
            .split(',')
            .map(|word| word.trim().split_once('=').unwrap_or((word.trim(), "1")))
            .collect();
        let value = |name: &str| parameters.get(name).and_then(|text| text.trim().parse::<i64>().ok());
        let count =
            |name: &str, usual: u32| value(name).and_then(|value| u32::try_from(value).ok()).unwrap_or(usual);
        let usual = BackfillRules::default();
        BackfillRules {
            passes: !text(config, "schedulertype").ends_with("builtin"),
            interval_s: value("bf_interval").filter(|&interval| interval > 0).unwrap_or(usual.interval_s),
            window_s: value("bf_window")
                .filter(|&window| window > 0)
                .map_or(usual.window_s, |minutes| 60 * minutes),
            resolution_s: value("bf_resolution").filter(|&span| span > 0).unwrap_or(usual.resolution_s),
            span_s: usual.span_s,
            linear_s: value("bf_window_linear").filter(|&span| span > 0).unwrap_or(0),
            job_test: count("bf_max_job_test", usual.job_test),
            job_part: count("bf_max_job_part", usual.job_part),
            job_user: count("bf_max_job_user", usual.job_user),
            job_start: count("bf_max_job_start", usual.job_start),
            queue_depth: count("default_queue_depth", usual.queue_depth),
        }
    }

    fn outages(&self, trace: &Trace) -> Vec<Outage> {
        let numbers: HashMap<&str, u32> = self
            .numbered()
            .into_iter()
            .zip(0..)
            .filter_map(|(place, number)| Some((&*self.nodes.get(place)?.name, number)))
            .collect();
        let Some(origin) = trace.header.unix_start_time else { return Vec::new() };
        let ends = trace.records.iter().map(|job| job.submit + job.wait.max(0) + job.run_time.max(0));
        let end = origin + ends.max().unwrap_or(0);
        let mut outages =
            lists::outages(&self.records.events, &self.records.reservations, &numbers, &self.clock, end);
        for outage in &mut outages {
            outage.from -= origin;
            outage.known -= origin;
            outage.to = outage.to.map(|to| to - origin);
        }
        outages.sort_by_key(|outage| outage.from);
        outages
    }
}

/// Numbers the features of partitions.
///
/// # Errors
/// A sentence: the machine cannot have as many.
fn number_features(partitions: &mut [Partition]) -> Result<(), String> {
    let mut features: HashMap<(Vec<usize>, bool), u32> = HashMap::new();
    for partition in partitions.iter_mut() {
        let next = features.len() as u32;
        let key = (partition.nodes.clone(), partition.is_exclusive);
        partition.feature = *features.entry(key).or_insert(next);
    }
    if features.len() <= MAX_FEATURES {
        return Ok(());
    }
    Err(format!(
        "the site's {} partitions have {} different sets of nodes, more than {MAX_FEATURES}; those without jobs in the history can be \
         left out: scontrol show partition lists one of them by its name",
        partitions.len(),
        features.len(),
    ))
}

/// The features of the partitions that a node is in, as bits.
fn bits(partitions: &[Partition], node: usize) -> u64 {
    let has = |partition: &&Partition| partition.nodes.binary_search(&node).is_ok();
    partitions.iter().filter(has).fold(0, |bits, partition| bits | 1 << partition.feature)
}

/// The machine of nodes in partitions: like nodes that follow each other are a class.
fn machine(nodes: &[Node], partitions: &[Partition], gives_memory: bool) -> Result<Machine, String> {
    let has_memory = gives_memory && nodes.iter().all(|node| node.memory_mib > 0);
    let has_gpus = nodes.iter().any(|node| node.gpus > 0);
    let class = |(place, node): (usize, &Node)| {
        let mut class = format!("cores={}", node.processors);
        if has_memory {
            let _ = write!(class, ",mem={}M", node.memory_mib);
        }
        if has_gpus {
            let _ = write!(class, ",gpu={}", node.gpus);
        }
        let bits = bits(partitions, place);
        for number in (0..u64::BITS).filter(|number| bits >> number & 1 == 1) {
            let _ = write!(class, ",{}", feature(partitions, number));
        }
        (bits != 0).then_some(class)
    };
    let mut classes: Vec<(u32, String)> = Vec::new();
    for class in nodes.iter().enumerate().filter_map(class) {
        match classes.last_mut() {
            Some((count, last)) if *last == class => *count += 1,
            _ => classes.push((1, class)),
        }
    }
    if classes.is_empty() {
        return Err("no node of the site is in a partition".to_owned());
    }
    let classes: Vec<String> =
        classes.into_iter().map(|(count, class)| format!("{count}x({class})")).collect();
    classes.join("+").parse()
}

/// The name of a feature: that of the first of its partitions, where it can be one.
fn feature(partitions: &[Partition], number: u32) -> String {
    let can = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let first = partitions.iter().find(|partition| partition.feature == number);
    let name = first.map_or("", |partition| &partition.name);
    if !name.is_empty() && name.chars().all(can) { name.to_owned() } else { format!("partition-{number}") }
}

fn node((record, place): (&Record, u32)) -> Node {
    let whole = |key: &str| number(record, key).clamp(0.0, f64::from(i32::MAX)) as u32;
    let processors = [whole("cpuefctv"), whole("cputot")].into_iter().find(|&count| count > 0).unwrap_or(0);
    let memory_mib = whole("realmemory").saturating_sub(whole("memspeclimit"));
    Node {
        name: text(record, "nodename").to_owned(),
        processors,
        memory_mib,
        gpus: gpus(text(record, "gres")),
        place: NodePlace { weight: number(record, "weight"), place },
    }
}
