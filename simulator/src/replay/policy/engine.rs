//! The core's scheduler ([`surefill::engine`]) as a site runs it, by the plan of the whole queue or by the papers'
//! rule: every event is reported to it, and its offers are answered at once.
//!
//! Under a site's priorities ([`Multifactor`]) every waiting job's tier is reported to it before each decision, and as
//! its priority the whole seconds that its points are worth ([`Priorities::credits`]), or the points where they are
//! worth no time.
//!
//! Under a site's rules ([`SiteRules`]) nodes that are out are reported as closed, and an outage as a reservation from
//! its announcement on. A job over a limit of its QOS is reported as held, and one that comes over it by a start of the
//! same second is refused and held a second later.

use super::limits::Limits;
use crate::replay::machine::Cluster;
use crate::replay::policy::{
    Judged, Multifactor, Policy, PredictedWait, Priorities, QueueOrder, Tried, WITHIN,
};
use crate::replay::predict::DistributionPredictor;
use crate::trace::nodes::{Machine, NodeClass};
use crate::trace::site::SiteRules;
use crate::trace::workload::{Job, JobId};
use std::collections::{BTreeSet, HashMap};
use surefill::engine::{
    Action, Cycle, JobReport, JobState, NodeReport, NodeState, Refusal, Reservation, Scheduler,
    SchedulerCapacity, StartForecast, Wants, Why,
};
use surefill::error::{Error, Result};
use surefill::nodes::{Fit, Request};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Number of jobs in the first block, which grows.
const JOBS: u32 = 1024;

/// Number of reservations that a scheduler can have at a time.
const RESERVATIONS: u32 = 64;

/// The end of an outage without one, in seconds.
const NEVER: i64 = 1 << 52;

/// A scheduler in memory of its own.
struct Blocks {
    capacity: SchedulerCapacity,
    /// The nodes as they were reported, open.
    nodes: Vec<NodeReport>,
    scheduler: Vec<u64>,
    cycle: Vec<u64>,
}

fn words(size: usize) -> Vec<u64> {
    vec![0; size.div_ceil(8)]
}

impl Blocks {
    fn new(settings: &str, bins: &RuntimeBins, machine: Option<&Machine>) -> Blocks {
        let nodes = machine.map_or(0, Machine::nodes);
        let capacity = SchedulerCapacity {
            ended: 0,
            pools: 1,
            queues: 1,
            histories: 1 << 16,
            bins: bins.count() as u32,
            nodes,
            kinds: machine.map_or(1, |machine| machine.resources.len() as u32),
            // Room for this number of jobs on every node.
            parts: nodes.saturating_mul(256).min(1 << 21),
            reservations: if machine.is_some() { RESERVATIONS } else { 0 },
            ..SchedulerCapacity::of(JOBS)
        };
        let mut memory = words(Scheduler::size(&capacity).expect("a valid capacity"));
        let mut scheduler =
            Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity).expect("room was made");
        scheduler.set_bins(bins).expect("as many as the capacity says");
        scheduler.configure(settings, "").expect("words that the engine knows");
        // The first pass sets the size of a pool of processors.
        scheduler.set_pool(b"machine", u32::from(machine.is_none()), None).expect("room for one");
        scheduler.set_queue(b"queue", 0).expect("room for one");
        let classes = machine.iter().flat_map(|machine| &machine.classes);
        let nodes = classes.flat_map(|class| std::iter::repeat_n(class, class.count as usize));
        let report = |class: &NodeClass| {
            let &NodeClass { features, amounts, .. } = class;
            NodeReport { features, amounts, ..NodeReport::default() }
        };
        let nodes: Vec<NodeReport> = nodes.map(report).collect();
        for (node, number) in nodes.iter().zip(0..) {
            scheduler.set_node(0, number, node).expect("a node within the capacity");
        }
        let cycle = words(Cycle::size(&capacity).expect("a valid capacity"));
        Blocks { capacity, nodes, scheduler: memory, cycle }
    }

    fn scheduler(&mut self) -> Scheduler<'_> {
        Scheduler::attach(bytemuck::cast_slice_mut(&mut self.scheduler)).expect("made in new")
    }

    /// Reports to the scheduler, in a larger block if need be.
    fn set(&mut self, now: i64, report: &JobReport<'_>) {
        while let Err(error) = self.scheduler().set_job(now, report) {
            assert!(matches!(error, Error::Full | Error::PartsFull), "job {}: {error}", report.id);
            self.grow().expect("a larger capacity");
        }
    }

    /// The rest of each waiting job's wait by the scenarios, and its reported start.
    fn predicted_starts(&mut self, now: i64, jobs: &[JobId], scenarios: u32) -> Result<Vec<PredictedWait>> {
        let mut scheduler = Scheduler::attach(bytemuck::cast_slice_mut(&mut self.scheduler))?;
        let mut memory = words(StartForecast::size(&self.capacity, scenarios)?);
        let memory = bytemuck::cast_slice_mut(&mut memory);
        let mut forecast = StartForecast::begin(memory, &mut scheduler, 0, now, scenarios)?;
        while !forecast.run(&mut scheduler, 1 << 20)? {}
        let predicted = jobs.iter().map(|&job| {
            let scenarios = forecast.levels(id_of(job))?.ok_or(Error::UnknownJob)?;
            let mut within = [0.0; WITHIN.len()];
            for (probability, within) in within.iter_mut().zip(WITHIN) {
                let found = forecast.probability(&scheduler, id_of(job), now + within)?;
                *probability = found.ok_or(Error::UnknownJob)?;
            }
            let reported = forecast.report(&mut scheduler, id_of(job))?.ok_or(Error::UnknownJob)?;
            let reported = reported.by.map(|by| by - now);
            Ok(PredictedWait { scenarios, reported, within, simplified: forecast.is_simplified() })
        });
        predicted.collect()
    }

    fn grow(&mut self) -> Result<()> {
        self.grow_to(SchedulerCapacity { jobs: 2 * self.capacity.jobs, ..self.capacity })
    }

    fn grow_to(&mut self, capacity: SchedulerCapacity) -> Result<()> {
        let mut memory = words(Scheduler::size(&capacity)?);
        self.scheduler().grow(bytemuck::cast_slice_mut(&mut memory), &capacity)?;
        self.cycle = words(Cycle::size(&capacity)?);
        (self.scheduler, self.capacity) = (memory, capacity);
        Ok(())
    }
}

/// The scheduler, and a predictor if it is not to be the scheduler's own.
pub struct Engine {
    blocks: Blocks,
    predictor: Option<Box<dyn DistributionPredictor>>,
    /// Whether it decides by delays, and jobs keep the predictions of their submission.
    by_delay: bool,
    site: Option<(Multifactor, Priorities)>,
    /// With another predictor: the waiting jobs of each user, and the users of whom jobs have ended since the last
    /// pass.
    waiting: HashMap<i64, Vec<JobId>>,
    learnt: Vec<i64>,
    watched: Option<JobId>,
    tried: Option<Tried>,
    /// Limits of QOS, and the waiting jobs that are reported as held by them.
    limits: Option<Limits>,
    held: BTreeSet<JobId>,
    /// The time at which jobs that were refused in the last pass may be offered again.
    again: Option<i64>,
    /// The outages that have been reported, by their beginning, end and first node.
    reserved: BTreeSet<(i64, i64, u32)>,
}

/// The engine's id of a job: none is 0.
fn id_of(job: JobId) -> i64 {
    job as i64 + 1
}

impl Engine {
    /// An engine without anything learnt. Without a predictor the engine's own contexts predict. The seed of the plan's
    /// generator is the engine's own: replays differ by their submissions alone.
    pub fn new(
        predictor: Option<Box<dyn DistributionPredictor>>,
        bins: &RuntimeBins,
        words: &str,
        site: Option<&Multifactor>,
        machine: Option<&Machine>,
    ) -> Engine {
        let fit = match machine.and_then(|machine| machine.fit) {
            None => "sparing",
            Some(Fit::Best) => "best",
            Some(Fit::First) => "first",
            Some(Fit::Apart) => "apart",
        };
        Engine {
            blocks: Blocks::new(&format!("{words} settle=0 fit={fit} refused=1"), bins, machine),
            predictor,
            by_delay: false,
            site: site.map(|site| (site.clone(), Priorities::new(site))),
            waiting: HashMap::new(),
            learnt: Vec::new(),
            watched: None,
            tried: None,
            limits: None,
            held: BTreeSet::new(),
            again: None,
            reserved: BTreeSet::new(),
        }
    }

    /// The engine under the limits of a site.
    pub fn under(self, site: Option<&SiteRules>) -> Engine {
        let limits = site.map(Limits::new).filter(|limits| !limits.is_empty());
        Engine { limits, ..self }
    }

    /// An engine that decides by the papers' rule, in these words.
    pub fn by_delay(
        predictor: Option<Box<dyn DistributionPredictor>>,
        bins: &RuntimeBins,
        words: &str,
    ) -> Engine {
        Engine { by_delay: true, ..Engine::new(predictor, bins, words, None, None) }
    }

    /// Reports a waiting job.
    fn report(&mut self, job: &Job, now: i64) {
        let prediction = self.predictor.as_mut().map(|predictor| {
            let predicted = match self.by_delay {
                true => predictor.predict(job, now),
                false => predictor.predict_now(job, now),
            };
            let limit = predictor.limit(job);
            // A predictor with a better limit predicts this one value.
            if predicted == RuntimeDistribution::limit() && limit != job.limit {
                return RuntimeDistribution::single(limit).expect("a limit in range");
            }
            predicted
        });
        let asked = job.request.as_deref().filter(|_| self.blocks.capacity.nodes > 0);
        let wants = asked.map(|&Request { spread, each, pool, features, exclusive, .. }| Wants {
            each,
            licences: pool,
            features,
            spread,
            exclusive,
            ..Wants::default()
        });
        let report = JobReport {
            id: id_of(job.id),
            user: job.user_or_queue(),
            submit: job.submit,
            limit: job.limit,
            count: asked.map_or(job.processors, |request| request.count),
            units: asked.map_or(0, |_| job.processors),
            wants: wants.unwrap_or_default(),
            queues: &[0],
            prediction: prediction.as_ref(),
            state: if self.held.contains(&job.id) { JobState::Held } else { JobState::Waiting },
            why: if self.held.contains(&job.id) { Why::Limit } else { Why::Unknown },
            ..JobReport::default()
        };
        self.blocks.set(now, &report);
    }

    /// Reports the waiting jobs that have come over a limit, or are no longer over one.
    fn hold(&mut self, cluster: &Cluster<'_>) {
        let Some(limits) = &self.limits else { return };
        let is_new = |id: &JobId| limits.admit(cluster.job(*id)) == self.held.contains(id);
        let new: Vec<JobId> = cluster.queue().iter().copied().filter(is_new).collect();
        for id in new {
            if !self.held.remove(&id) {
                self.held.insert(id);
            }
            self.report(cluster.job(id), cluster.now());
        }
    }

    /// Reports the outages that have become known.
    fn reserve(&mut self, cluster: &Cluster<'_>) {
        for outage in cluster.known_outages() {
            let Some(&first) = outage.nodes.first() else { continue };
            let (from, to) = (outage.from, outage.to.unwrap_or(NEVER));
            let key = (from, to, first);
            if outage.known >= from || to <= from || !self.reserved.insert(key) {
                continue;
            }
            let nodes: Vec<u32> = outage.nodes.clone();
            let key = self.reserved.len() as i64;
            let reservation = Reservation { pool: 0, key, from, to, nodes: &nodes };
            // The last of more than 64 at a time are not reserved.
            let _ = self.blocks.scheduler().set_reservation(&reservation);
        }
    }

    /// Predicts anew the waiting jobs of users of whom jobs have ended.
    fn renew(&mut self, cluster: &Cluster<'_>) {
        for user in std::mem::take(&mut self.learnt) {
            for id in self.waiting.get(&user).cloned().unwrap_or_default() {
                self.report(cluster.job(id), cluster.now());
            }
        }
    }

    fn decide(&mut self, cluster: &mut Cluster<'_>) -> Result<()> {
        let capacity = self.blocks.capacity;
        if self.by_delay && capacity.delay_units < cluster.processors() {
            let delay_units = cluster.processors();
            self.blocks.grow_to(SchedulerCapacity { delay_units, ..capacity })?;
        }
        let Blocks { scheduler, cycle, .. } = &mut self.blocks;
        let mut scheduler = Scheduler::attach(bytemuck::cast_slice_mut(scheduler))?;
        if !cluster.has_nodes() {
            scheduler.set_pool(b"machine", cluster.processors(), None)?;
        }
        if let Some((site, priorities)) = &mut self.site {
            priorities.begin(cluster.now(), cluster.processors());
            let waiting = cluster.queue().iter().map(|&id| cluster.job(id));
            let numbers = match scheduler.settings().by_points() {
                true => priorities.credits(waiting.clone()),
                false => waiting.clone().map(|job| priorities.priority(job)).collect(),
            };
            for (job, number) in waiting.zip(numbers) {
                scheduler.set_priority(id_of(job.id), site.tier(job).into(), number)?;
            }
        }
        let idle = cluster.idle();
        let mut cycle = Cycle::begin(bytemuck::cast_slice_mut(cycle), &mut scheduler, 0, cluster.now())?;
        let mut action = cycle.next(&mut scheduler)?;
        if let Some(watched) = self.watched.filter(|&watched| cluster.queue().contains(&watched)) {
            let reason = cycle.reason(&scheduler, id_of(watched))?;
            self.tried = Some(Tried { idle, judged: Judged::Planned(reason) });
        }
        cluster.judged(cluster.queue().len() as u64);
        self.again = None;
        while let Action::Start(offer) = action {
            let id = offer.job as JobId - 1;
            if let Some(limits) = &mut self.limits {
                if !limits.admit(cluster.job(id)) {
                    cycle.refused(&mut scheduler, offer.number, Refusal::NotNow)?;
                    self.again = Some(cluster.now() + 1);
                    action = cycle.next(&mut scheduler)?;
                    continue;
                }
                limits.started(cluster.job(id));
            }
            if let Some(request) = cluster.job(id).request.as_deref().filter(|_| cluster.has_nodes()) {
                let handle = cluster.nodes().allocate(request, cycle.parts(offer.number)?)?;
                cluster.node_state().placed(id, handle);
            }
            cluster.start_job(id);
            cycle.started(&mut scheduler, offer.number, offer.job)?;
            action = cycle.next(&mut scheduler)?;
        }
        assert_eq!(action, Action::Done, "nothing was reported meanwhile");
        cycle.close(&mut scheduler)
    }
}

impl Policy for Engine {
    fn submitted(&mut self, job: &Job, now: i64) {
        if let Some((_, priorities)) = &mut self.site {
            priorities.submitted(job);
        }
        if let Some(predictor) = &mut self.predictor {
            predictor.submitted(job, now);
            self.waiting.entry(job.user).or_default().push(job.id);
        }
        self.report(job, now);
    }

    fn started(&mut self, job: &Job, now: i64) {
        if let Some((_, priorities)) = &mut self.site {
            priorities.started(job, now);
        }
        if let Some(predictor) = &mut self.predictor {
            predictor.started(job, now);
            if let Some(waiting) = self.waiting.get_mut(&job.user) {
                waiting.retain(|&id| id != job.id);
            }
        }
    }

    fn ended(&mut self, job: &Job, now: i64) {
        if let Some((_, priorities)) = &mut self.site {
            priorities.ended(job, now);
        }
        if let Some(limits) = &mut self.limits {
            limits.ended(job);
        }
        self.blocks
            .set(now, &JobReport { id: id_of(job.id), state: JobState::Ended, ..JobReport::default() });
        if let Some(predictor) = &mut self.predictor {
            predictor.finished(job, now);
            if !self.by_delay && !self.learnt.contains(&job.user) {
                self.learnt.push(job.user);
            }
        }
    }

    fn predicted_starts(&mut self, now: i64, jobs: &[JobId], scenarios: u32) -> Option<Vec<PredictedWait>> {
        Some(self.blocks.predicted_starts(now, jobs, scenarios).expect("the jobs wait"))
    }

    fn watch(&mut self, job: JobId) {
        self.watched = Some(job);
    }

    fn tried(&mut self) -> Option<Tried> {
        self.tried.take()
    }

    fn set_open(&mut self, node: u32, open: bool) {
        let Some(report) = self.blocks.nodes.get(node as usize) else { return };
        let state = if open { NodeState::Up } else { NodeState::Closed };
        let report = NodeReport { state, ..*report };
        self.blocks.scheduler().set_node(0, node, &report).expect("a node of the machine");
    }

    fn wake(&self, _now: i64) -> Option<i64> {
        self.again
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.renew(cluster);
        self.hold(cluster);
        self.reserve(cluster);
        // Without idle processors there is nothing to decide.
        let idle = if cluster.has_nodes() { cluster.node_state().has_idle() } else { cluster.idle() > 0 };
        if idle && !cluster.queue().is_empty() {
            self.decide(cluster).expect("a cycle has room for all jobs");
        }
    }
}
