//! The plan of the whole queue on a machine of nodes, by the core's [`NodePlan`].

use crate::replay::machine::Cluster;
use crate::replay::policy::{Multifactor, PlanOptions, Policy, Priorities, QueueOrder};
use crate::replay::predict::DistributionPredictor;
use crate::trace::workload::{Job, JobId};
use std::collections::HashMap;
use surefill::engine::{SchedulerCapacity, Settings};
use surefill::error::Result;
use surefill::nodes::{NodePlan, NodePlanCapacity, Part, Request};
use surefill::plan::{WaitingJob, last_asked};
use surefill::runtime::{MAX_SECONDS, RuntimeDistribution};
use surefill::schedule::RecentWaits;

/// The prediction of a job that waits or runs.
struct Predicted {
    distribution: RuntimeDistribution,
    limit: i64,
    /// The mean, cut as the options say.
    mean: i64,
    /// The age at which the end of a running job was last asked for, and the age at which it ends.
    asked: i64,
    end_age: i64,
}

/// The plan on nodes.
pub struct PlanOnNodes {
    predictor: Box<dyn DistributionPredictor>,
    options: PlanOptions,
    predicted: HashMap<JobId, Predicted>,
    /// The waiting jobs of each user, and the users of whom jobs have ended since the last pass.
    waiting: HashMap<i64, Vec<JobId>>,
    learnt: Vec<i64>,
    site: Option<(Multifactor, Priorities)>,
    /// By how much longer each job counted as having waited in the last pass.
    credits: HashMap<JobId, i64>,
    /// The recent waits, and the same with their credits.
    waits: [Vec<u64>; 2],
    capacity: NodePlanCapacity,
    memory: Vec<u64>,
}

fn words(size: usize) -> Vec<u64> {
    vec![0; size.div_ceil(8)]
}

fn request(job: &Job) -> &Request {
    job.request.as_ref().expect("a job on nodes asks for something")
}

impl PlanOnNodes {
    /// Nothing learnt yet.
    pub fn new(
        predictor: Box<dyn DistributionPredictor>,
        options: &PlanOptions,
        site: Option<&Multifactor>,
    ) -> PlanOnNodes {
        // As many as the engine remembers.
        let count = SchedulerCapacity::of(1).waits;
        let mut waits = words(RecentWaits::size(count).expect("a capacity in range"));
        RecentWaits::init(bytemuck::cast_slice_mut(&mut waits), count).expect("room was made");
        PlanOnNodes {
            predictor,
            options: *options,
            predicted: HashMap::new(),
            waiting: HashMap::new(),
            learnt: Vec::new(),
            site: site.map(|site| (site.clone(), Priorities::new(site))),
            credits: HashMap::new(),
            waits: [waits.clone(), waits],
            capacity: NodePlanCapacity { running: 0, waiting: 0, parts: 0, ..NodePlanCapacity::default() },
            memory: Vec::new(),
        }
    }

    /// Predicts a job's run time by all that is known now.
    fn predict(&mut self, job: &Job, now: i64) {
        let distribution = self.predictor.predict_now(job, now);
        let limit = self.predictor.limit(job);
        let mean = distribution.mean_within(limit, self.options.cut).expect("a limit in range");
        let predicted = Predicted { distribution, limit, mean: mean.round() as i64, asked: 0, end_age: 0 };
        self.predicted.insert(job.id, predicted);
    }

    /// Makes the block large enough for all jobs; the kept order goes on.
    fn reserve(&mut self, cluster: &mut Cluster<'_>) -> Result<()> {
        let nodes = *cluster.nodes().capacity();
        let jobs = cluster.queue().iter().copied().chain(cluster.running().iter().map(|running| running.job));
        let parts: u32 = jobs.map(|id| request(cluster.job(id)).count.min(nodes.nodes)).sum();
        let (running, waiting) = (cluster.running().len() as u32, cluster.queue().len() as u32);
        let capacity = &mut self.capacity;
        let enough = running <= capacity.running && waiting <= capacity.waiting && parts <= capacity.parts;
        if enough && !self.memory.is_empty() {
            return Ok(());
        }
        capacity.running = capacity.running.max(running.next_power_of_two());
        capacity.waiting = capacity.waiting.max(waiting.next_power_of_two());
        capacity.parts = capacity.parts.max(parts.next_power_of_two());
        (capacity.nodes, capacity.classes, capacity.resources) =
            (nodes.nodes, nodes.classes, nodes.resources);
        let mut memory = words(NodePlan::size(capacity)?);
        let seed = Settings::DEFAULT.seed;
        let mut plan = NodePlan::init(bytemuck::cast_slice_mut(&mut memory), capacity, seed)?;
        if !self.memory.is_empty() {
            NodePlan::attach(bytemuck::cast_slice_mut(&mut self.memory))?.continue_in(&mut plan);
        }
        self.memory = memory;
        Ok(())
    }

    /// Plans the queue and starts the jobs that the plan has start now.
    fn decide(&mut self, cluster: &mut Cluster<'_>) -> Result<()> {
        self.reserve(cluster)?;
        let now = cluster.now();
        let fit = cluster.node_state().machine().fit;
        let mut plan = NodePlan::attach(bytemuck::cast_slice_mut(&mut self.memory))?;
        plan.begin(&cluster.nodes())?;
        for running in cluster.running().to_vec() {
            let handle = cluster.node_state().handle(running.job).expect("a running job has a handle");
            let predicted = self.predicted.get_mut(&running.job).expect("a running job is predicted");
            let (age, limit) = (now - running.start, predicted.limit);
            let asked = last_asked(age, predicted.asked);
            if asked != predicted.asked || predicted.end_age == 0 {
                let rest = predicted.distribution.quantile(self.options.running, asked, limit)?;
                (predicted.asked, predicted.end_age) = (asked, asked + rest);
            }
            // An age may lie beyond the end that was asked for at the last one.
            let (end, limit) = ((predicted.end_age - age).max(1), (limit - age).max(1));
            plan.add_running(&cluster.nodes(), handle, end, limit)?;
        }
        let queue: Vec<JobId> = cluster.queue().iter().copied().collect();
        if let Some((_, priorities)) = &mut self.site {
            priorities.begin(now, cluster.processors());
            let credits = priorities.credits(queue.iter().map(|&id| cluster.job(id)));
            let lowest = credits.iter().copied().fold(f64::INFINITY, f64::min);
            let worth = credits.iter().map(|credit| (credit - lowest).clamp(0.0, MAX_SECONDS as f64) as i64);
            self.credits = queue.iter().copied().zip(worth).collect();
        }
        for &id in &queue {
            let (job, predicted) = (cluster.job(id), &self.predicted[&id]);
            let waiting = WaitingJob {
                id: id as i64,
                processors: job.processors,
                run_time: predicted.mean,
                limit: predicted.limit,
                waited: now - job.submit,
                credit: self.credits.get(&id).copied().unwrap_or(0),
                tier: self.site.as_ref().map_or(0, |(site, _)| site.tier(job).into()),
                later: false,
            };
            plan.add_waiting(&cluster.nodes(), &waiting, request(job), fit)?;
        }
        let [recent, counted] = &mut self.waits;
        let recent = RecentWaits::attach(bytemuck::cast_slice_mut(recent))?;
        let counted = RecentWaits::attach(bytemuck::cast_slice_mut(counted))?;
        plan.decide(&cluster.nodes(), &self.options.rule, &recent, &counted)?;
        cluster.judged(queue.len() as u64);
        let starting: Vec<(JobId, Vec<Part>)> =
            plan.starting().map(|(number, parts)| (queue[number], parts.to_vec())).collect();
        for (id, parts) in starting {
            let request = request(cluster.job(id));
            let handle = cluster.nodes().allocate(request, &parts)?;
            cluster.node_state().placed(id, handle);
            cluster.start_job(id);
        }
        Ok(())
    }
}

impl Policy for PlanOnNodes {
    fn submitted(&mut self, job: &Job, now: i64) {
        if let Some((_, priorities)) = &mut self.site {
            priorities.submitted(job);
        }
        self.predictor.submitted(job, now);
        self.waiting.entry(job.user).or_default().push(job.id);
        self.predict(job, now);
    }

    fn started(&mut self, job: &Job, now: i64) {
        if let Some((_, priorities)) = &mut self.site {
            priorities.started(job, now);
        }
        self.predictor.started(job, now);
        if let Some(waiting) = self.waiting.get_mut(&job.user) {
            waiting.retain(|&id| id != job.id);
        }
        let credit = self.credits.remove(&job.id).unwrap_or(0);
        for (waits, credit) in self.waits.iter_mut().zip([0, credit]) {
            let mut waits = RecentWaits::attach(bytemuck::cast_slice_mut(waits)).expect("made in new");
            waits.add((now - job.submit + credit).min(MAX_SECONDS)).expect("a wait in range");
        }
    }

    fn ended(&mut self, job: &Job, now: i64) {
        if let Some((_, priorities)) = &mut self.site {
            priorities.ended(job, now);
        }
        self.predictor.finished(job, now);
        self.predicted.remove(&job.id);
        if !self.learnt.contains(&job.user) {
            self.learnt.push(job.user);
        }
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        // Where nothing is free there is nothing to decide, and predictions are renewed when there is.
        if cluster.queue().is_empty() || !cluster.node_state().has_idle() {
            return;
        }
        for user in std::mem::take(&mut self.learnt) {
            for id in self.waiting.get(&user).cloned().unwrap_or_default() {
                self.predict(cluster.job(id), cluster.now());
            }
        }
        self.decide(cluster).expect("the machine's state is within a plan's limits");
    }
}
