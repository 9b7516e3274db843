//! Pools of interchangeable nodes: what is in service, what of it is idle, and who holds the rest.

use super::read::{Job, Node, State};
use super::{Snapshot, waits_for, waits_for_nodes};
use crate::live::engine::Unit;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Partitions of the same nodes, or of nodes that they share.
#[derive(Debug, Clone)]
pub struct Pool {
    /// The partitions whose waiting jobs it is asked about.
    pub partitions: Vec<String>,
    /// Further partitions whose jobs take its nodes.
    beside: Vec<String>,
    nodes: Vec<Node>,
    /// The places of the nodes by their names, and the partitions of each, a bit each in their order.
    places: BTreeMap<String, usize>,
    masks: Vec<u64>,
    /// Number of jobs that hold each node by their lists of nodes; none where a job has no list.
    holders: Option<Vec<u32>>,
    /// A partition of other nodes that has some of these, and jobs.
    overlapping: Option<String>,
    /// The partitions by their nodes: those of each group have the same.
    groups: Vec<Vec<String>>,
}

/// A pool's size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolSize {
    /// Its partitions.
    pub partitions: Vec<String>,
    /// Its nodes in service.
    pub nodes: u32,
    /// Their processors.
    pub processors: u32,
}

/// A pool's size and idle units, by counting.
pub(in crate::live) struct Counted {
    pub unit: Unit,
    pub all: u32,
    pub idle: u32,
    pub of: fn(&Job) -> u32,
    /// Units of all its nodes, in service or not.
    pub most: u32,
    /// Units that running jobs hold on nodes that have left the pool.
    gone: u32,
}

impl Counted {
    /// The running jobs, each with what it holds of the pool. Where it is not known on which nodes they run, those that
    /// have run for the longest are taken to be on the nodes that have left, as no job has been started there since.
    pub fn running<'a>(&self, pool: &Pool, snapshot: &'a Snapshot) -> Vec<(&'a Job, u32)> {
        let mut running: Vec<(&Job, u32)> = snapshot
            .jobs
            .iter()
            .filter(|job| job.holds_nodes() && pool.has(job))
            .map(|job| (job, (self.of)(job).max(1)))
            .collect();
        let mut oldest: Vec<usize> = (0..running.len()).collect();
        oldest.sort_by_key(|&place| Reverse(running[place].0.used));
        let mut gone = self.gone;
        for place in oldest {
            let (job, units) = &mut running[place];
            let taken = match pool.leaving(job) {
                Some(nodes) => (u64::from(*units) * nodes.0 / nodes.1.max(1)) as u32,
                None => gone.min(*units),
            };
            *units -= taken;
            gone = gone.saturating_sub(taken);
        }
        running.retain(|(_, units)| *units > 0);
        running
    }
}

const TOO_MUCH: &str = "running jobs hold more than the nodes in service have";

fn usable(node: &&Node) -> bool {
    const STATES: [&str; 9] =
        ["idle", "allocated", "mixed", "completing", "planned", "alloc", "mix", "comp", "plnd"];
    STATES.contains(&node.state.as_str())
}

/// Whether a node that takes no job may still have one.
fn may_be_held(node: &&Node) -> bool {
    const STATES: [&str; 8] = ["draining", "drng", "failing", "failg", "maint", "reserved", "resv", "down"];
    STATES.contains(&node.state.trim_end_matches('*'))
}

fn processors<'a>(nodes: impl Iterator<Item = &'a Node>) -> u64 {
    nodes.map(|node| u64::from(node.processors)).sum()
}

/// The partitions that have the same nodes, in the order of `sinfo`.
struct Group<'a> {
    partitions: Vec<&'a str>,
    nodes: BTreeSet<&'a str>,
    /// Whether a job waits or runs in one of them.
    used: bool,
    /// Whether a job waits for nodes of one of them.
    waits: bool,
}

fn groups(snapshot: &Snapshot) -> Vec<Group<'_>> {
    let mut members: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for node in &snapshot.nodes {
        if !members.contains_key(node.partition.as_str()) {
            order.push(&node.partition);
        }
        members.entry(&node.partition).or_default().insert(&node.name);
    }
    let with_jobs: BTreeSet<&str> = snapshot
        .jobs
        .iter()
        .filter(|job| job.state == State::Pending || job.holds_nodes())
        .map(|job| job.partition.as_str())
        .collect();
    let with_waiting: BTreeSet<&str> =
        snapshot.jobs.iter().filter(|job| waits_for_nodes(job)).map(|job| job.partition.as_str()).collect();
    let mut groups: Vec<Group> = Vec::new();
    for name in order {
        let nodes = &members[name];
        let (used, waits) = (with_jobs.contains(name), with_waiting.contains(name));
        match groups.iter_mut().find(|group| group.nodes == *nodes) {
            Some(group) => {
                group.partitions.push(name);
                group.used |= used;
                group.waits |= waits;
            }
            None => groups.push(Group { partitions: vec![name], nodes: nodes.clone(), used, waits }),
        }
    }
    groups
}

impl Pool {
    /// The pool of some groups, and of others beside them.
    fn of(groups: &[Group], asked: &[usize], others: &[usize], snapshot: &Snapshot) -> Pool {
        let names = |places: &[usize]| -> Vec<String> {
            let names = places.iter().flat_map(|&place| &groups[place].partitions);
            names.map(|name| (*name).to_owned()).collect()
        };
        let (partitions, beside) = (names(asked), names(others));
        let mut known = BTreeSet::new();
        let mine = |node: &&Node| partitions.contains(&node.partition) || beside.contains(&node.partition);
        let nodes: Vec<Node> =
            snapshot.nodes.iter().filter(mine).filter(|node| known.insert(&node.name)).cloned().collect();
        let places: BTreeMap<String, usize> =
            nodes.iter().enumerate().map(|(place, node)| (node.name.clone(), place)).collect();
        let mut masks = vec![0; nodes.len()];
        for (number, partition) in partitions.iter().chain(&beside).enumerate() {
            let bit = u32::try_from(number).ok().and_then(|number| 1_u64.checked_shl(number)).unwrap_or(0);
            for node in snapshot.nodes.iter().filter(|node| node.partition == *partition) {
                masks[places[&node.name]] |= bit;
            }
        }
        let mut holders = None;
        let is_of = |job: &&Job| {
            job.holds_nodes() && partitions.iter().chain(&beside).any(|own| *own == job.partition)
        };
        if snapshot.jobs.iter().filter(is_of).all(|job| !job.held.is_empty()) {
            for name in snapshot.jobs.iter().filter(is_of).flat_map(|job| &job.held) {
                if let Some(&place) = places.get(name) {
                    holders.get_or_insert_with(|| vec![0; nodes.len()])[place] += 1;
                }
            }
        }
        let of_one = |place: &usize| -> Vec<String> {
            groups[*place].partitions.iter().map(|name| (*name).to_owned()).collect()
        };
        let grouped = asked.iter().chain(others).map(of_one).collect();
        let own =
            |group: &Group| group.partitions.iter().any(|name| partitions.iter().any(|own| own == name));
        let shares = |group: &&Group| {
            !own(group) && group.used && nodes.iter().any(|node| group.nodes.contains(node.name.as_str()))
        };
        let overlapping = groups.iter().find(shares).map(|group| group.partitions[0].to_owned());
        Pool { groups: grouped, partitions, beside, nodes, places, masks, holders, overlapping }
    }

    /// All pools of partitions that have exactly the same nodes, in the order of `sinfo`.
    pub fn all(snapshot: &Snapshot) -> Vec<Pool> {
        let groups = groups(snapshot);
        (0..groups.len()).map(|place| Pool::of(&groups, &[place], &[], snapshot)).collect()
    }

    /// The same, where partitions that share some nodes are one pool, of the nodes of all. A partition whose own jobs
    /// account for each of its nodes that is not idle, and whose nodes no job of another partition waits for, stays a
    /// pool of its own where partitions are not played apart: the others' jobs are elsewhere now.
    pub fn united(snapshot: &Snapshot, in_regions: bool) -> Vec<Pool> {
        let groups = groups(snapshot);
        let apart = |place: usize| {
            let pool = Pool::of(&groups, &[place], &[], snapshot);
            let others = || (0..groups.len()).filter(|&other| other != place);
            let wanted = || {
                others().any(|other| {
                    groups[other].waits && !groups[other].nodes.is_disjoint(&groups[place].nodes)
                })
            };
            let alone = || !in_regions && groups[place].used && pool.is_accounted_for(snapshot) && !wanted();
            pool.overlapping.is_none() || alone()
        };
        let mut pools = Vec::new();
        let mut done: BTreeSet<usize> = BTreeSet::new();
        for first in 0..groups.len() {
            if done.contains(&first) {
                continue;
            }
            if apart(first) {
                pools.push(Pool::of(&groups, &[first], &[], snapshot));
                continue;
            }
            let mut members = vec![first];
            let mut seen = 0;
            while let Some(&one) = members.get(seen) {
                let joins = |place: &usize| {
                    let other = &groups[*place];
                    (other.used || in_regions)
                        && !members.contains(place)
                        && !other.nodes.is_disjoint(&groups[one].nodes)
                };
                let more: Vec<usize> = (0..groups.len()).filter(joins).collect();
                members.extend(more);
                seen += 1;
            }
            members.sort_unstable();
            let (beside, asked): (Vec<usize>, Vec<usize>) =
                members.into_iter().partition(|place| apart(*place) || done.contains(place));
            done.extend(&asked);
            pools.push(Pool::of(&groups, &asked, &beside, snapshot));
        }
        pools
    }

    /// Whether the job waits for, or runs on, its nodes.
    pub(in crate::live) fn has(&self, job: &Job) -> bool {
        self.is_of(&job.partition)
    }

    /// Whether jobs of this partition are on its nodes.
    pub(in crate::live) fn is_of(&self, partition: &str) -> bool {
        self.partitions.iter().chain(&self.beside).any(|own| own == partition)
    }

    /// Whether it is asked about this job.
    pub(in crate::live) fn answers(&self, job: &Job) -> bool {
        self.partitions.contains(&job.partition)
    }

    /// A partition of other nodes that has some of these, and jobs.
    pub(in crate::live) fn overlapping(&self) -> Option<&str> {
        self.overlapping.as_deref()
    }

    /// The partitions that are counted together although their nodes are not the same.
    pub(in crate::live) fn shared_with(&self) -> Vec<&str> {
        let all = self.partitions.iter().chain(&self.beside).map(String::as_str);
        if self.is_mixed() { all.collect() } else { Vec::new() }
    }

    /// Whether its partitions have different nodes.
    fn is_mixed(&self) -> bool {
        self.groups.len() > 1
    }

    /// The number of a partition among its own.
    pub(super) fn number(&self, partition: &str) -> Option<usize> {
        self.partitions.iter().chain(&self.beside).position(|own| own == partition)
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The partitions of each node, a bit each in their order.
    pub(super) fn masks(&self) -> &[u64] {
        &self.masks
    }

    /// The place of a node among its own.
    pub(super) fn place(&self, node: &str) -> Option<usize> {
        self.places.get(node).copied()
    }

    /// Whether jobs may be started on a node that is idle.
    pub(super) fn is_usable(node: &Node) -> bool {
        usable(&node)
    }

    /// Whether a node is idle as far as it can be used, by its state and by the jobs' lists of nodes.
    pub(super) fn is_free(&self, place: usize) -> bool {
        let held = self.holders.as_ref().is_some_and(|holders| holders[place] > 0);
        !held && matches!(self.nodes[place].state.as_str(), "idle" | "planned" | "plnd")
    }

    /// Whether the lists of nodes of all its running jobs are known.
    pub(super) fn is_listed(&self) -> bool {
        self.holders.is_some()
    }

    /// Number of a job's nodes that have left, and of all, by its list; none where a job has no list.
    fn leaving(&self, job: &Job) -> Option<(u64, u64)> {
        self.holders.as_ref()?;
        let stays = |name: &&String| self.place(name).is_some_and(|place| usable(&&self.nodes[place]));
        let all = job.held.len();
        Some(((all - job.held.iter().filter(stays).count()) as u64, all as u64))
    }

    /// Its size: what is in service.
    pub(in crate::live) fn size(&self) -> PoolSize {
        let usable = || self.nodes.iter().filter(usable);
        PoolSize {
            partitions: self.partitions.clone(),
            nodes: usable().count() as u32,
            processors: u32::try_from(processors(usable())).unwrap_or(u32::MAX),
        }
    }

    /// The jobs that Slurm would start next, in the order of priority: of the partitions with the same nodes the first
    /// that waits for nothing but nodes.
    pub(super) fn heads<'a>(&self, jobs: &'a [Job]) -> Vec<&'a Job> {
        let of = |group: &Vec<String>| self.first(jobs, |job| group.contains(&job.partition));
        let mut heads: Vec<&Job> = self.groups.iter().filter_map(of).collect();
        heads.sort_by_key(|job| (Reverse(job.priority), job.submit));
        heads
    }

    fn first<'a>(&self, jobs: &'a [Job], is_of: impl Fn(&Job) -> bool) -> Option<&'a Job> {
        let waiting = jobs.iter().filter(|job| {
            let is_next = job.state == State::Pending && job.priority > 0 && waits_for(job).is_none();
            is_next && self.answers(job) && is_of(job)
        });
        waiting.min_by_key(|job| (Reverse(job.priority), job.submit))
    }

    /// Units of the job's own partition that are in service, or may be again.
    pub(in crate::live) fn room(&self, job: &Job, counted: &Counted, snapshot: &Snapshot) -> u32 {
        if !self.is_mixed() {
            return counted.all.max(counted.most);
        }
        let own = || snapshot.nodes.iter().filter(|node| node.partition == job.partition);
        match counted.unit {
            Unit::Nodes => own().count() as u32,
            Unit::Processors => u32::try_from(processors(own())).unwrap_or(u32::MAX),
        }
    }

    /// Units that its jobs hold, each job's by `of`.
    fn held(&self, snapshot: &Snapshot, of: fn(&Job) -> u32) -> u64 {
        let mine = snapshot.jobs.iter().filter(|job| job.holds_nodes() && self.has(job));
        mine.map(|job| u64::from(of(job))).sum()
    }

    fn idle(&self) -> usize {
        (0..self.nodes.len()).filter(|&place| self.is_free(place)).count()
    }

    /// Whether its jobs hold as many nodes as are in service and not idle.
    fn is_accounted_for(&self, snapshot: &Snapshot) -> bool {
        let usable = self.nodes.iter().filter(usable).count();
        self.held(snapshot, |job| job.nodes) + self.idle() as u64 == usable as u64
    }

    /// Counts by the lists of the jobs' nodes; `nodes` are in service and idle.
    fn count_listed(
        &self,
        snapshot: &Snapshot,
        holders: &[u32],
        nodes: (u32, u32),
    ) -> Result<Counted, String> {
        let places = || (0..self.nodes.len()).filter(|&place| usable(&&self.nodes[place]));
        let is_mixed = |place: usize| matches!(self.nodes[place].state.as_str(), "mixed" | "mix");
        let is_shared = places().any(|place| holders[place] > 1 || (holders[place] == 0 && is_mixed(place)));
        if !is_shared {
            let (all, idle) = nodes;
            let most = self.nodes.len() as u32;
            return Ok(Counted { unit: Unit::Nodes, all, idle, of: |job| job.nodes, most, gone: 0 });
        }
        let mine = snapshot.jobs.iter().filter(|job| job.holds_nodes() && self.has(job));
        let stays = |job: &Job| {
            let (left, all) = self.leaving(job).unwrap_or((0, 1));
            u64::from(job.processors) * (all - left) / all.max(1)
        };
        self.count_processors(mine.map(stays).sum(), 0)
    }

    /// Counts processors: those that jobs hold are `busy` of nodes in service, and `gone` of others.
    fn count_processors(&self, busy: u64, gone: u64) -> Result<Counted, String> {
        let all = processors(self.nodes.iter().filter(usable));
        match (u32::try_from(processors(self.nodes.iter())), all.checked_sub(busy)) {
            (Ok(most), Some(idle)) => Ok(Counted {
                unit: Unit::Processors,
                all: all as u32,
                idle: idle as u32,
                of: |job| job.processors,
                most,
                gone: gone as u32,
            }),
            _ => Err(TOO_MUCH.to_owned()),
        }
    }

    /// Counts nodes where every job has its own, else processors. Otherwise says why neither describes the pool. A node
    /// that is being drained, is reserved or out of service has left the pool, with the jobs that it may still have.
    pub(in crate::live) fn count(&self, snapshot: &Snapshot) -> Result<Counted, String> {
        let mut holding = snapshot.jobs.iter().filter(|job| job.holds_nodes() && self.has(job));
        if holding.any(|job| job.state == State::Suspended) {
            return Err("a job is suspended".to_owned());
        }
        let usable = || self.nodes.iter().filter(usable);
        let leaving = || self.nodes.iter().filter(may_be_held);
        let (all, idle) = (usable().count() as u32, self.idle() as u32);
        if let Some(holders) = &self.holders {
            return self.count_listed(snapshot, holders, (all, idle));
        }
        let beyond = (self.held(snapshot, |job| job.nodes) + u64::from(idle)).checked_sub(u64::from(all));
        let shared = usable().any(|node| matches!(node.state.as_str(), "mixed" | "mix"));
        if let Some(gone) = beyond
            && (gone == 0 || (gone <= leaving().count() as u64 && !shared))
        {
            let (gone, most) = (gone as u32, self.nodes.len() as u32);
            return Ok(Counted { unit: Unit::Nodes, all, idle, of: |job| job.nodes, most, gone });
        }
        // Slurm does not say how much of the nodes that are leaving is held: all of it is counted.
        let busy = self.held(snapshot, |job| job.processors);
        let gone = busy.min(processors(leaving()));
        self.count_processors(busy - gone, gone)
    }
}
