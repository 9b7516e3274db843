//! Slurm's own scheduling on nodes: its main scheduler, and `sched/backfill` behind it.
//!
//! Jobs are looked at in the order of the tiers of their partitions, then of the policy's order (priorities), equal
//! ones first come first. A partition is the nodes with its feature; they may overlap. Jobs over a limit of their QOS
//! are passed over.
//!
//! **Main scheduler**, whenever a job was submitted or ended, nodes have changed, or priorities have changed the order:
//! every job starts that fits. Where one does not, no later job of its partition is tried in this pass, nor any on
//! the partition's nodes. It looks at the first `default_queue_depth` jobs, once a minute at all of them.
//!
//! **Backfill**, at most every `bf_interval` seconds, after anything has changed: each job in turn gets the earliest
//! time at which it fits the nodes of its partition, by the expected ends of the running jobs and the reservations of
//! the jobs before it. If that is now it starts, else whole nodes are reserved for it from then on (`plan`), none
//! later than `bf_window`. A pass looks at `bf_max_job_test` jobs, of a partition and of a user at `bf_max_job_part`
//! and `bf_max_job_user`, and starts `bf_max_job_start`. With `sched/builtin` there is no backfill.
//!
//! Nodes that are out are left out of a pass; from the announcement of an outage on no job starts on its nodes whose
//! limit reaches into it. Jobs are expected to end at their limits, or as another predictor has it, and past that one
//! second from now.
//!
//! No delay of a head job is recorded: a job of one partition passes none of another.
//!
//! Nodes are chosen as by `select/cons_tres` (`choose`) unless the machine says otherwise.

mod board;
mod choose;
mod plan;

use super::limits::Limits;
use super::{OrderOptions, Parts, Policy};
use crate::replay::machine::Cluster;
use crate::trace::nodes::Machine;
use crate::trace::site::{BackfillRules, SiteRules};
use crate::trace::workload::{Job, JobId};
use board::Board;
use plan::{Plan, Wanted};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use surefill::nodes::{Fit, Part, Request};

/// Seconds between two passes of the main scheduler over all jobs, `sched_interval`.
const FULL_S: i64 = 60;

/// The policy.
pub struct Backfill {
    parts: Parts,
    site: Arc<SiteRules>,
    limits: Limits,
    board: Board,
    fit: Option<Fit>,
    /// Whether the tiers of the partitions come before the order, which does not know them.
    tiered: bool,
    /// `PriorityCalcPeriod`, in seconds; 0 where priorities change with every pass.
    period_s: i64,
    /// Place of each job's shape, by id.
    shapes: Vec<usize>,
    /// Whether anything has changed since the last pass of the main scheduler, and of backfill.
    changed: [bool; 2],
    /// Times of the last pass of backfill, and of the last one of the main scheduler over all jobs.
    last: i64,
    full: i64,
    /// Whether the main scheduler has left jobs out for their number.
    short: bool,
    /// The waiting jobs in the order of the last pass.
    order: Vec<JobId>,
}

/// A job's request.
fn request(job: &Job) -> &Arc<Request> {
    job.request.as_ref().expect("a job on nodes asks for something")
}

impl Backfill {
    /// The policy on a machine, without anything learnt.
    pub(super) fn new(
        parts: Parts,
        order: &OrderOptions,
        machine: &Machine,
        site: Arc<SiteRules>,
    ) -> Backfill {
        let tiers: BTreeSet<i32> = site.partitions.values().map(|rules| rules.tier).collect();
        Backfill {
            parts,
            limits: Limits::new(&site),
            board: Board::new(machine, &site.places),
            fit: machine.fit,
            tiered: order.site.is_none() && tiers.len() > 1,
            period_s: order.site.as_ref().map_or(0, |site| site.weights.period_s),
            shapes: Vec::new(),
            changed: [true; 2],
            last: i64::MIN / 2,
            full: i64::MIN / 2,
            short: false,
            order: Vec::new(),
            site,
        }
    }

    fn rules(&self) -> &BackfillRules {
        &self.site.backfill
    }

    /// The feature of the nodes of a job's partition; 0 for all nodes.
    fn partition(&self, job: &Job) -> u64 {
        self.site.partitions.get(&job.queue).map_or(0, |rules| rules.feature)
    }

    fn start(&mut self, cluster: &mut Cluster<'_>, id: JobId, parts: Vec<Part>) {
        let job = cluster.job(id);
        cluster.start_beside(id, &parts).expect("nodes with room for it");
        self.limits.started(job);
        let end = cluster.now() + self.parts.predicted(id).max(1);
        self.board.start(id, request(job), parts, end);
    }

    /// Sorts the queue, and notes whether its order is another one.
    fn sort(&mut self, cluster: &mut Cluster<'_>) {
        self.parts.sort_queue(cluster);
        if self.tiered {
            let tier = |job: &Job| self.site.partitions.get(&job.queue).map_or(0, |rules| rules.tier);
            cluster.group_queue(|job| -i64::from(tier(job)));
        }
        if !cluster.queue().iter().eq(&self.order) {
            self.changed = [true; 2];
            self.order.clear();
            self.order.extend(cluster.queue());
        }
    }

    /// The pass of the main scheduler.
    fn main(&mut self, cluster: &mut Cluster<'_>) {
        let now = cluster.now();
        let all = now >= self.full + FULL_S;
        if all {
            self.full = now;
        }
        let depth = if all { usize::MAX } else { self.rules().queue_depth as usize };
        let waiting = self.order.clone();
        // Nodes that are not tried any more, and the begin of the next outage of those that have one.
        let mut blocked = vec![false; self.board.count()];
        let mut away: HashMap<u32, i64> = HashMap::new();
        for outage in cluster.known_outages().filter(|outage| outage.from > now) {
            for &node in &outage.nodes {
                away.entry(node).and_modify(|from| *from = outage.from.min(*from)).or_insert(outage.from);
            }
        }
        let mut failed: BTreeSet<u64> = BTreeSet::new();
        for &id in waiting.iter().take(depth) {
            let job = cluster.job(id);
            let partition = self.partition(job);
            if failed.contains(&partition) || !self.limits.admit(job) {
                continue;
            }
            cluster.judged(1);
            let shape = self.board.shape(self.shapes[id]);
            let usable = |node: &&u32| {
                let in_time = away.get(node).is_none_or(|&from| now + job.limit <= from);
                in_time && self.board.is_open(**node) && !blocked[**node as usize]
            };
            let (board, asked) = (&self.board, &shape.request);
            let rooms = shape.nodes.iter().filter(usable).map(|&node| (node, board.left(node).room(asked)));
            match board.choose(asked, request(job).count, self.fit, rooms, |node| *board.left(node)) {
                Some(parts) => {
                    self.start(cluster, id, parts);
                    self.changed[1] = true;
                }
                None => {
                    failed.insert(partition);
                    for &node in &*self.board.admitted(partition) {
                        blocked[node as usize] = true;
                    }
                }
            }
        }
        self.short = waiting.len() > depth && !cluster.queue().is_empty();
        self.changed[0] = false;
    }

    /// The jobs that a pass of backfill looks at, in order.
    fn candidates(&self, cluster: &Cluster<'_>) -> Vec<JobId> {
        let BackfillRules { job_test, job_part, job_user, .. } = *self.rules();
        let (mut of_partition, mut of_user) = (HashMap::new(), HashMap::new());
        let mut few = |id: &JobId| {
            let job = cluster.job(*id);
            if !self.limits.admit(job) {
                return false;
            }
            let partition: &mut u32 = of_partition.entry(self.partition(job)).or_default();
            let user: &mut u32 = of_user.entry(job.user).or_default();
            let few = (job_part == 0 || *partition < job_part) && (job_user == 0 || *user < job_user);
            *partition += u32::from(few);
            *user += u32::from(few);
            few
        };
        cluster.queue().iter().copied().filter(|id| few(id)).take(job_test as usize).collect()
    }

    /// The pass of backfill.
    fn backfill(&mut self, cluster: &mut Cluster<'_>) {
        let now = cluster.now();
        self.last = now;
        self.changed[1] = false;
        let candidates = self.candidates(cluster);
        // Reservations are forgotten after the pass: those behind the last job that has room now matter to none.
        let mut rooms: HashMap<usize, u64> = HashMap::new();
        let mut has_room = |board: &Board, shapes: &[usize], id: JobId| {
            let shape = shapes[id];
            let rooms = rooms.entry(shape).or_insert_with(|| board.rooms(board.shape(shape)));
            *rooms >= u64::from(request(cluster.job(id)).count)
        };
        let last =
            (0..candidates.len()).rev().find(|&at| has_room(&self.board, &self.shapes, candidates[at]));
        let Some(mut last) = last else { return };
        let Backfill { parts, board, .. } = self;
        board.renew(now, |id| parts.expected_end(cluster, id));
        let mut plan = Plan::new(&self.board, now, &self.site.backfill, self.fit, cluster.known_outages());
        let mut started = 0;
        let mut place = 0;
        while place <= last {
            let id = candidates[place];
            place += 1;
            let job = cluster.job(id);
            if !self.limits.admit(job) {
                continue;
            }
            cluster.judged(1);
            let wanted = Wanted {
                shape: self.shapes[id],
                count: request(job).count,
                length: self.parts.predicted(id).max(1),
                limit: job.limit.max(1),
            };
            let Some((at, nodes)) = plan.earliest(&self.board, &wanted) else { continue };
            if at > now {
                plan.keep(&wanted, at, &nodes);
                continue;
            }
            self.start(cluster, id, nodes);
            plan.refresh();
            started += 1;
            self.changed[1] = true;
            if started == self.rules().job_start {
                break;
            }
            let board = &self.board;
            let mut rooms: HashMap<usize, u64> = HashMap::new();
            while last >= place {
                let id = candidates[last];
                let shape = self.shapes[id];
                let rooms = rooms.entry(shape).or_insert_with(|| board.rooms(board.shape(shape)));
                if *rooms >= u64::from(request(cluster.job(id)).count) {
                    break;
                }
                last -= 1;
            }
        }
    }
}

impl Policy for Backfill {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.parts.submitted(job);
        let partition = self.partition(job);
        // Ids count up from 0 in order of submission.
        self.shapes.push(self.board.shape_of(request(job), partition));
        self.changed = [true; 2];
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.parts.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.parts.ended(job, now);
        self.limits.ended(job);
        self.board.end(job.id);
        self.changed = [true; 2];
    }

    fn set_open(&mut self, node: u32, open: bool) {
        self.board.set_open(node, open);
        self.changed = [true; 2];
    }

    fn knows_nodes(&self) -> bool {
        true
    }

    fn wake(&self, now: i64) -> Option<i64> {
        let BackfillRules { passes, interval_s, .. } = *self.rules();
        let backfill = (passes && self.changed[1]).then(|| self.last + interval_s);
        let full = self.short.then(|| self.full + FULL_S);
        let sorted = (self.period_s > 0 && self.order.len() > 1)
            .then(|| (now.div_euclid(self.period_s) + 1) * self.period_s);
        backfill.into_iter().chain(full).chain(sorted).min()
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.sort(cluster);
        let now = cluster.now();
        if self.changed[0] || self.short && now >= self.full + FULL_S {
            self.main(cluster);
        }
        let due = now >= self.last + self.rules().interval_s;
        if self.rules().passes && self.changed[1] && due && !cluster.queue().is_empty() {
            self.backfill(cluster);
        }
        if self.order.len() != cluster.queue().len() {
            self.order.clear();
            self.order.extend(cluster.queue());
        }
    }
}
