//! EASY, EASY++ and probabilistic backfilling on machines of nodes, by the core's [`NodePass`].
//!
//! EASY uses the pass by limits alone: the head job has its reservation at the instant at which it would fit if all
//! jobs ended as expected, and a candidate may start if it ends by then or leaves room for the head job on the nodes
//! that are free then. The probabilistic policy draws run times; where jobs take whole, like nodes it counts these, and
//! the core's [`Pass`] computes the delays exactly. There the decisions of both are those on processors, job by job.

use crate::replay::machine::Cluster;
use crate::replay::policy::easy::expected_end;
use crate::replay::policy::order::Ordering;
use crate::replay::policy::{OrderOptions, Overdue, Policy, ProbOptions};
use crate::replay::predict::{DistributionPredictor, PointPredictor};
use crate::trace::workload::{Job, JobId};
use surefill::backfill::{Criterion, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::error::Result;
use surefill::math::fnv::fnv1a;
use surefill::nodes::{NodePass, NodePassCapacity, NodePassOptions, Request};
use surefill::runtime::{MAX_BINS, RuntimeDistribution};

/// Predicted run times.
enum Predictions {
    /// One number for each job.
    Points(Box<dyn PointPredictor>),
    /// A distribution for each job that waits or runs, by id.
    Distributions {
        predictor: Box<dyn DistributionPredictor>,
        of: Vec<Option<Box<RuntimeDistribution>>>,
        refresh: bool,
    },
}

/// Backfilling on nodes.
pub struct OnNodes {
    predictions: Predictions,
    ordering: Ordering,
    rule: Rule,
    /// The quantile of recent waits from which the head job is guarded.
    guard: f64,
    options: NodePassOptions,
    /// Prediction for each job, in seconds: a number, or the median.
    predicted: Vec<i64>,
    limits: NodePassCapacity,
    memory: Vec<u64>,
    candidates: Vec<JobId>,
    /// The capacity of the exact pass, where jobs take whole, like nodes, which are counted.
    counted: Option<PassCapacity>,
}

impl OnNodes {
    fn new(
        predictions: Predictions,
        order: &OrderOptions,
        rule: Rule,
        guard: f64,
        scenarios: u32,
    ) -> OnNodes {
        let points = matches!(predictions, Predictions::Points(_));
        let bins = if points { 1 } else { MAX_BINS as u32 };
        OnNodes {
            predictions,
            ordering: Ordering::new(order),
            rule,
            guard,
            options: NodePassOptions { scenarios, ..NodePassOptions::default() },
            predicted: Vec::new(),
            limits: NodePassCapacity { bins, events_per_bin: 1, ..NodePassCapacity::default() },
            memory: Vec::new(),
            candidates: Vec::new(),
            counted: None,
        }
    }

    /// EASY with this predictor.
    pub fn easy(predictor: Box<dyn PointPredictor>, order: &OrderOptions) -> OnNodes {
        OnNodes::new(Predictions::Points(predictor), order, Rule::EXACT, 1.0, 0)
    }

    /// Probabilistic backfilling, exact on `whole`, like nodes.
    pub fn prob(
        predictor: Box<dyn DistributionPredictor>,
        order: &OrderOptions,
        options: &ProbOptions,
        whole: bool,
    ) -> OnNodes {
        let predictions = Predictions::Distributions { predictor, of: Vec::new(), refresh: options.refresh };
        let scenarios = NodePassOptions::default().scenarios;
        let mut policy = OnNodes::new(predictions, order, options.rule(), options.guard, scenarios);
        policy.limits.events_per_bin = options.events_per_bin as u32;
        policy.options.shared = options.shared.unwrap_or(0.0);
        let events_per_bin = policy.limits.events_per_bin;
        let limits = PassCapacity {
            running: 0,
            candidates: 0,
            bins: MAX_BINS as u32,
            events_per_bin,
            ..PassCapacity::default()
        };
        policy.counted = (whole && options.shared.is_none()).then_some(limits);
        policy
    }

    /// The waiting jobs behind the head, in the order in which they are tried.
    fn choose(&mut self, cluster: &Cluster<'_>) {
        self.candidates.clear();
        let waiting = cluster.queue().iter().skip(1).copied();
        self.candidates.extend(waiting.filter(|&id| cluster.fits(cluster.job(id))));
        if let Predictions::Distributions { predictor, of, refresh: true } = &mut self.predictions {
            for &id in &self.candidates {
                let job = cluster.job(id);
                let prediction = predictor.predict(job, cluster.now());
                self.predicted[id] = median(&prediction, predictor.limit(job));
                of[id] = Some(Box::new(prediction));
            }
        }
        let predicted = &self.predicted;
        self.ordering.sort_candidates(&mut self.candidates, cluster, |id| predicted[id]);
    }

    /// Makes the block large enough; delays spent on a head job are forgotten when it grows.
    fn reserve(&mut self, cluster: &mut Cluster<'_>) -> Result<()> {
        let nodes = cluster.nodes().count();
        let resources = cluster.nodes().capacity().resources;
        let parts = |&id: &JobId| request(cluster.job(id)).count.min(nodes);
        let needed: u32 = self.candidates.iter().map(parts).sum();
        let (running, candidates) = (cluster.running().len() as u32, self.candidates.len() as u32);
        let limits = &mut self.limits;
        let enough = !self.memory.is_empty()
            && running <= limits.running
            && candidates <= limits.candidates
            && needed <= limits.parts;
        if enough {
            return Ok(());
        }
        (limits.nodes, limits.resources) = (nodes, resources);
        limits.running = limits.running.max(running.next_power_of_two());
        limits.candidates = limits.candidates.max(candidates.next_power_of_two());
        limits.parts = limits.parts.max(needed.next_power_of_two());
        self.memory = vec![0; NodePass::size(limits)?.div_ceil(8)];
        NodePass::init(bytemuck::cast_slice_mut(&mut self.memory), limits)?;
        Ok(())
    }

    /// Reports the running jobs and the candidates to the pass.
    fn fill(&self, pass: &mut NodePass<'_>, cluster: &mut Cluster<'_>, head: &Job) -> Result<()> {
        let now = cluster.now();
        let fit = cluster.node_state().machine().fit.unwrap_or_default();
        pass.begin(&cluster.nodes(), now, head.id as i64, request(head), &self.options)?;
        pass.set_head_waited(now - head.submit)?;
        for running in cluster.running().to_vec() {
            let job = cluster.job(running.job);
            let handle = cluster.node_state().handle(job.id).expect("a running job has a handle");
            let nodes = cluster.nodes();
            match &self.predictions {
                Predictions::Points(predictor) => {
                    let end = running.start + self.predicted[job.id];
                    let end = expected_end(&running, end, now, predictor.correction(), Overdue::Soon);
                    pass.add_running(&nodes, handle, 0, end - now, &RuntimeDistribution::limit())?
                }
                Predictions::Distributions { predictor, of, .. } => {
                    let (age, limit) = (now - running.start, predictor.limit(job));
                    let index = pass.add_running(&nodes, handle, age, limit, prediction(of, job.id))?;
                    if self.options.shared > 0.0 {
                        pass.set_group(index, group(job))?;
                    }
                    index
                }
            };
        }
        for &id in &self.candidates {
            let job = cluster.job(id);
            let nodes = cluster.nodes();
            match &self.predictions {
                Predictions::Points(_) => {
                    let limit = self.predicted[id];
                    pass.add_candidate(&nodes, request(job), fit, limit, &RuntimeDistribution::limit())?
                }
                Predictions::Distributions { predictor, of, .. } => {
                    pass.add_candidate(&nodes, request(job), fit, predictor.limit(job), prediction(of, id))?
                }
            };
        }
        Ok(())
    }

    /// The decisions where jobs take whole, like nodes: by the number of free ones.
    fn decide_counted(
        &mut self,
        cluster: &mut Cluster<'_>,
        head: &Job,
        mut limits: PassCapacity,
    ) -> Result<()> {
        let all = cluster.nodes().count();
        let (running, candidates) = (cluster.running().len() as u32, self.candidates.len() as u32);
        let mut spent = None;
        if running > limits.running || candidates > limits.candidates || self.memory.is_empty() {
            if !self.memory.is_empty() {
                spent = Some(Pass::attach(bytemuck::cast_slice_mut(&mut self.memory))?.spent_on());
            }
            limits.running = limits.running.max(running.next_power_of_two());
            limits.candidates = limits.candidates.max(candidates.next_power_of_two());
            limits.processors = all;
            self.memory = vec![0; Pass::size(&limits)?.div_ceil(8)];
            Pass::init(bytemuck::cast_slice_mut(&mut self.memory), &limits)?;
            self.counted = Some(limits);
        }
        let mut memory = std::mem::take(&mut self.memory);
        let mut pass = Pass::attach(bytemuck::cast_slice_mut(&mut memory))?;
        if let Some((head, spent)) = spent {
            pass.restore_spent(head, spent)?;
        }
        let Predictions::Distributions { predictor, of, .. } = &self.predictions else { return Ok(()) };
        let count = |id: JobId| request(cluster.job(id)).count;
        let busy: u32 = cluster.running().iter().map(|running| count(running.job)).sum();
        let now = cluster.now();
        pass.begin(now, all - busy, head.id as i64, request(head).count)?;
        pass.set_head_waited(now - head.submit)?;
        for running in cluster.running() {
            let (age, limit) = (now - running.start, predictor.limit(cluster.job(running.job)));
            pass.add_running(count(running.job), age, limit, prediction(of, running.job))?;
        }
        for &id in &self.candidates {
            pass.add_candidate(count(id), predictor.limit(cluster.job(id)), prediction(of, id))?;
        }
        let rule = Rule { guard: self.ordering.long_wait(self.guard), ..self.rule };
        while let Step::Accept(index) = pass.decide(&rule, u64::MAX)? {
            let before = pass.spent(Criterion::Seconds);
            pass.commit(index)?;
            let seconds = pass.spent(Criterion::Seconds) - before;
            cluster.backfill(self.candidates[index], pass.judgement(index)?.delay, seconds);
        }
        let mut judged = 0;
        for index in 0..self.candidates.len() {
            judged += u64::from(pass.judgement(index)?.verdict != Verdict::DoesNotFit);
        }
        cluster.judged(judged);
        self.memory = memory;
        Ok(())
    }

    fn decide(&mut self, cluster: &mut Cluster<'_>, head: &Job) -> Result<()> {
        if let Some(limits) = self.counted {
            return self.decide_counted(cluster, head, limits);
        }
        self.reserve(cluster)?;
        let mut memory = std::mem::take(&mut self.memory);
        let mut pass = NodePass::attach(bytemuck::cast_slice_mut(&mut memory))?;
        self.fill(&mut pass, cluster, head)?;
        let rule = Rule { guard: self.ordering.long_wait(self.guard), ..self.rule };
        while let Step::Accept(index) = pass.decide(&cluster.nodes(), &rule, u64::MAX)? {
            let before = pass.spent(Criterion::Seconds);
            let handle = pass.commit(&mut cluster.nodes(), index)?;
            let seconds = pass.spent(Criterion::Seconds) - before;
            let delay = pass.judgement(index)?.delay;
            let id = self.candidates[index];
            cluster.node_state().placed(id, handle);
            cluster.backfill(id, delay, seconds);
        }
        let mut judged = 0;
        for index in 0..self.candidates.len() {
            judged += u64::from(pass.judgement(index)?.verdict != Verdict::DoesNotFit);
        }
        cluster.judged(judged);
        self.memory = memory;
        Ok(())
    }
}

/// Jobs of one user with one limit.
fn group(job: &Job) -> i64 {
    let key = [job.user, job.limit].map(i64::to_le_bytes).concat();
    fnv1a(&key) as i64
}

fn median(prediction: &RuntimeDistribution, limit: i64) -> i64 {
    prediction.quantile_cut(0.5, 0, limit).unwrap_or(limit)
}

fn prediction(of: &[Option<Box<RuntimeDistribution>>], job: JobId) -> &RuntimeDistribution {
    of[job].as_deref().expect("a waiting or running job has a prediction")
}

fn request(job: &Job) -> &Request {
    job.request.as_ref().expect("a job on nodes asks for something")
}

impl Policy for OnNodes {
    fn submitted(&mut self, job: &Job, now: i64) {
        self.ordering.submitted(job);
        // Ids count up from 0 in order of submission.
        match &mut self.predictions {
            Predictions::Points(predictor) => self.predicted.push(predictor.predict(job)),
            Predictions::Distributions { predictor, of, .. } => {
                predictor.submitted(job, now);
                let prediction = predictor.predict(job, now);
                self.predicted.push(median(&prediction, predictor.limit(job)));
                of.push(Some(Box::new(prediction)));
            }
        }
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.ordering.started(job, now);
        match &mut self.predictions {
            Predictions::Points(predictor) => predictor.started(job, now),
            Predictions::Distributions { predictor, .. } => predictor.started(job, now),
        }
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.ordering.ended(job, now);
        match &mut self.predictions {
            Predictions::Points(predictor) => predictor.finished(job),
            Predictions::Distributions { predictor, of, .. } => {
                of[job.id] = None;
                predictor.finished(job, now);
            }
        }
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        let predicted = &self.predicted;
        self.ordering.sort_queue(cluster, |id| predicted[id]);
        cluster.start_heads();
        let Some(head) = cluster.head() else { return };
        if cluster.queue().len() == 1 {
            return;
        }
        self.choose(cluster);
        if !self.candidates.is_empty() {
            self.decide(cluster, head).expect("the machine's state is within a pass's limits");
        }
    }
}
