//! The plan of the whole queue, by the core's [`Plan`]: every pass starts the jobs that the cheapest of some sixty list
//! schedules has planned for now.
//!
//! A waiting job's mean run time is predicted at its submission, and anew when a job of the same user ends. A running
//! job's end is a quantile of its predicted run time given that it still runs, kept until its age has grown by a tenth
//! and six seconds.

use crate::replay::machine::{Cluster, Running};
use crate::replay::policy::{Judged, PlanOptions, Policy, Tried};
use crate::replay::predict::DistributionPredictor;
use crate::trace::workload::{Job, JobId};
use std::collections::HashMap;
use surefill::error::Result;
use surefill::plan::{Plan, PlanCapacity, WaitingJob};
use surefill::runtime::RuntimeDistribution;
use surefill::schedule::RecentWaits;

/// How many waits are recent.
const RECENT: u32 = 5000;

/// What is known of a job that waits or runs.
struct Known {
    predicted: RuntimeDistribution,
    /// Its mean run time, in seconds.
    mean: i64,
    /// When it ends, once it runs, and the age at which that is to be asked again.
    end: i64,
    ask_at: i64,
}

/// The plan at work.
pub struct Planned {
    predictor: Box<dyn DistributionPredictor>,
    options: PlanOptions,
    capacity: PlanCapacity,
    memory: Vec<u64>,
    recent: Vec<u64>,
    /// By id.
    known: Vec<Option<Box<Known>>>,
    /// The waiting jobs of each user.
    waiting: HashMap<i64, Vec<JobId>>,
    /// Users of whom jobs have ended since the last pass.
    learnt: Vec<i64>,
    watched: Option<JobId>,
    tried: Option<Tried>,
}

impl Planned {
    /// Nothing learnt yet; `seed` is the generator's.
    pub fn new(predictor: Box<dyn DistributionPredictor>, options: PlanOptions, seed: u64) -> Planned {
        let capacity = PlanCapacity::default();
        let mut memory = vec![0; Plan::size(&capacity).expect("a valid capacity").div_ceil(8)];
        Plan::init(bytemuck::cast_slice_mut(&mut memory), &capacity, seed).expect("room was made");
        let mut recent = vec![0; RecentWaits::size(RECENT).expect("a valid capacity").div_ceil(8)];
        RecentWaits::init(bytemuck::cast_slice_mut(&mut recent), RECENT).expect("room was made");
        Planned {
            predictor,
            options,
            capacity,
            memory,
            recent,
            known: Vec::new(),
            waiting: HashMap::new(),
            learnt: Vec::new(),
            watched: None,
            tried: None,
        }
    }

    fn predict(&mut self, job: &Job, now: i64) -> Known {
        let predicted = self.predictor.predict_now(job, now);
        let limit = self.predictor.limit(job);
        let mean = predicted.mean_within(limit, self.options.cut).expect("a limit in range");
        Known { predicted, mean: mean.round() as i64, end: 0, ask_at: 0 }
    }

    /// Makes the block large enough; the kept order goes along.
    fn reserve(&mut self, cluster: &Cluster<'_>) -> Result<()> {
        let running = cluster.running().len() as u32;
        let waiting = cluster.queue().len() as u32;
        if running <= self.capacity.running && waiting <= self.capacity.waiting {
            return Ok(());
        }
        self.capacity.running = self.capacity.running.max(running.next_power_of_two());
        self.capacity.waiting = self.capacity.waiting.max(waiting.next_power_of_two());
        let mut memory = vec![0; Plan::size(&self.capacity)?.div_ceil(8)];
        let mut larger = Plan::init(bytemuck::cast_slice_mut(&mut memory), &self.capacity, 0)?;
        Plan::attach(bytemuck::cast_slice_mut(&mut self.memory))?.continue_in(&mut larger);
        self.memory = memory;
        Ok(())
    }

    /// When a running job is expected to end.
    fn end(&mut self, running: &Running, cluster: &Cluster<'_>) -> Result<i64> {
        let now = cluster.now();
        let age = now - running.start;
        let limit = self.predictor.limit(cluster.job(running.job));
        let known = self.known[running.job].as_mut().expect("a running job is known");
        if age >= known.ask_at {
            known.end = now + known.predicted.quantile(self.options.running, age, limit)?;
            known.ask_at = age + age / 10 + 6;
        }
        Ok(known.end.max(now + 1))
    }

    /// Predicts anew the waiting jobs of users of whom something has been learnt.
    fn renew(&mut self, cluster: &Cluster<'_>) {
        for user in std::mem::take(&mut self.learnt) {
            for id in self.waiting.get(&user).cloned().unwrap_or_default() {
                let known = self.predict(cluster.job(id), cluster.now());
                self.known[id] = Some(Box::new(known));
            }
        }
    }

    fn plan(&mut self, cluster: &mut Cluster<'_>) -> Result<()> {
        self.reserve(cluster)?;
        let now = cluster.now();
        let mut memory = std::mem::take(&mut self.memory);
        let mut plan = Plan::attach(bytemuck::cast_slice_mut(&mut memory))?;
        plan.begin(cluster.idle());
        for running in cluster.running() {
            let end = self.end(running, cluster)?;
            plan.add_running(running.processors, end - now, (running.start + running.limit - now).max(1))?;
        }
        for &id in cluster.queue() {
            let job = cluster.job(id);
            plan.add_waiting(&WaitingJob {
                id: id as i64,
                processors: job.processors,
                run_time: self.known[id].as_ref().expect("a waiting job is known").mean,
                limit: job.limit,
                waited: now - job.submit,
                credit: 0,
                tier: 0,
                later: false,
            })?;
        }
        let recent = RecentWaits::attach(bytemuck::cast_slice_mut(&mut self.recent))?;
        plan.decide(&self.options.rule, &recent, &recent)?;
        let queue = cluster.queue();
        let starting: Vec<JobId> = plan.starting().iter().map(|&number| queue[number as usize]).collect();
        if let Some(number) = queue.iter().position(|&id| self.watched == Some(id)) {
            let start = plan.planned(number)?.map(|after| now + i64::from(after));
            self.tried = Some(Tried { idle: cluster.idle(), judged: Judged::Planned { start } });
        }
        cluster.judged(queue.len() as u64);
        for id in starting {
            cluster.start_job(id);
        }
        self.memory = memory;
        Ok(())
    }
}

impl Policy for Planned {
    fn submitted(&mut self, job: &Job, now: i64) {
        self.predictor.submitted(job, now);
        let known = self.predict(job, now);
        // Ids count up from 0 in order of submission.
        self.known.push(Some(Box::new(known)));
        self.waiting.entry(job.user).or_default().push(job.id);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.predictor.started(job, now);
        let mut recent =
            RecentWaits::attach(bytemuck::cast_slice_mut(&mut self.recent)).expect("made in new");
        recent.add(now - job.submit).expect("waits are spans of time");
        if let Some(waiting) = self.waiting.get_mut(&job.user) {
            waiting.retain(|&id| id != job.id);
        }
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.known[job.id] = None;
        self.predictor.finished(job, now);
        if !self.learnt.contains(&job.user) {
            self.learnt.push(job.user);
        }
    }

    fn watch(&mut self, job: JobId) {
        self.watched = Some(job);
    }

    fn tried(&mut self) -> Option<Tried> {
        self.tried.take()
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.renew(cluster);
        if cluster.idle() > 0 && !cluster.queue().is_empty() {
            self.plan(cluster).expect("the machine's state is within a plan's limits");
        }
    }
}
