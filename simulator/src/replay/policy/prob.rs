//! Probabilistic backfilling (Nissimov & Feitelson 2007) by the core's [`Pass`].
//!
//! Like EASY, except that a candidate starts when its expected delay of the head job is below a threshold. With the
//! predictor `limit` every delay is certain or impossible, and the decisions are EASY's, job by job.

use crate::replay::machine::{Cluster, Running};
use crate::replay::policy::order::Ordering;
use crate::replay::policy::{
    Calibrate, HeadStart, Judged, OrderOptions, Overdue, Policy, ProbOptions, Tried,
};
use crate::replay::predict::DistributionPredictor;
use crate::trace::workload::{Job, JobId};
use surefill::backfill::{Criterion, Exactness, Judgement, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::error::Result;
use surefill::runtime::{MAX_BINS, RuntimeDistribution};
use surefill::schedule::{AcceptedBackfill, DelayCalibration};

/// The probabilities for which a head job's start is reported.
const QUANTILES: [f64; 3] = [0.05, 0.5, 0.95];

/// Probabilistic backfilling by predicted distributions of run times.
pub struct Prob {
    predictor: Box<dyn DistributionPredictor>,
    ordering: Ordering,
    rule: Rule,
    /// The quantile of recent waits from which the head job is guarded.
    guard: f64,
    refresh: bool,
    overdue: Overdue,
    limits: PassCapacity,
    memory: Vec<u64>,
    /// Use of `delays`.
    calibrate: Calibrate,
    /// The core's calibration of predicted delays; empty where it is not used.
    delays: Vec<u64>,
    /// Starts of jobs, by id; -1 for those that wait.
    starts: Vec<i64>,
    /// Predicted run time of every job that waits or runs, by id: that of its submission, or the last one before it
    /// started.
    predictions: Vec<Option<Box<RuntimeDistribution>>>,
    /// Their medians, in seconds, by id.
    medians: Vec<i64>,
    candidates: Vec<JobId>,
    watched: Option<JobId>,
    tried: Option<Tried>,
}

/// Number of backfills whose outcome is awaited at a time, at most.
const PENDING: u32 = 4096;

/// The block of an empty calibration, if one is wanted.
fn calibration(calibrate: Calibrate) -> Vec<u64> {
    if calibrate == Calibrate::Off {
        return Vec::new();
    }
    let size = DelayCalibration::size(PENDING).expect("a valid capacity");
    let mut memory = vec![0; size.div_ceil(8)];
    DelayCalibration::init(bytemuck::cast_slice_mut(&mut memory), PENDING).expect("room was made");
    memory
}

/// Processors and ends of overdue jobs: see [`Prob::past`].
struct Past {
    /// Number of processors of the jobs whose ends do not yet make room for the head job.
    released: u32,
    /// The ends from the one that does, each once.
    crossing: Vec<i64>,
}

impl Prob {
    /// A policy without anything learnt.
    pub fn new(
        predictor: Box<dyn DistributionPredictor>,
        order: &OrderOptions,
        overdue: Overdue,
        options: &ProbOptions,
    ) -> Prob {
        let limits = PassCapacity {
            running: 64,
            candidates: 64,
            processors: 1,
            bins: MAX_BINS as u32,
            events_per_bin: options.events_per_bin as u32,
            ..PassCapacity::default()
        };
        Prob {
            predictor,
            ordering: Ordering::new(order),
            rule: options.rule(),
            guard: options.guard,
            refresh: options.refresh,
            overdue,
            limits,
            memory: Vec::new(),
            calibrate: options.calibrate,
            delays: calibration(options.calibrate),
            starts: Vec::new(),
            predictions: Vec::new(),
            medians: Vec::new(),
            candidates: Vec::new(),
            watched: None,
            tried: None,
        }
    }

    fn prediction(&self, job: JobId) -> &RuntimeDistribution {
        self.predictions[job].as_deref().expect("a waiting or running job has a prediction")
    }

    /// The candidates that fit, in the order in which they are tried.
    fn choose(&mut self, cluster: &Cluster<'_>) {
        self.candidates.clear();
        let waiting = cluster.queue().iter().skip(1).copied();
        self.candidates.extend(waiting.filter(|&id| cluster.fits(cluster.job(id))));
        if self.refresh {
            for index in 0..self.candidates.len() {
                let id = self.candidates[index];
                let prediction = self.predictor.predict(cluster.job(id), cluster.now());
                self.medians[id] = self.median(&prediction, cluster.job(id));
                self.predictions[id]
                    .as_mut()
                    .map(|known| **known = prediction)
                    .expect("a waiting job has a prediction");
            }
        }
        let medians = &self.medians;
        self.ordering.sort_candidates(&mut self.candidates, cluster, |id| medians[id]);
    }

    fn median(&self, prediction: &RuntimeDistribution, job: &Job) -> i64 {
        let limit = self.predictor.limit(job);
        prediction.quantile_cut(0.5, 0, limit).unwrap_or(limit)
    }

    /// Makes the block large enough; delays spent on the head job go along.
    fn reserve(&mut self, cluster: &Cluster<'_>) -> Result<()> {
        let running = cluster.running().len() as u32;
        let candidates = self.candidates.len() as u32;
        let processors = cluster.processors();
        let limits = &mut self.limits;
        let enough = running <= limits.running
            && candidates <= limits.candidates
            && processors <= limits.processors
            && !self.memory.is_empty();
        if enough {
            return Ok(());
        }
        let spent = match self.memory.is_empty() {
            true => None,
            false => Some(Pass::attach(bytemuck::cast_slice_mut(&mut self.memory))?.spent_on()),
        };
        limits.running = limits.running.max(running.next_power_of_two());
        limits.candidates = limits.candidates.max(candidates.next_power_of_two());
        limits.processors = processors;
        self.memory = vec![0; Pass::size(limits)?.div_ceil(8)];
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut self.memory), limits)?;
        if let Some((head, spent)) = spent {
            pass.restore_spent(head, spent)?;
        }
        Ok(())
    }

    /// Begins a pass for the head job with the running jobs.
    fn begin(&self, pass: &mut Pass<'_>, cluster: &Cluster<'_>, head: &Job) -> Result<()> {
        let now = cluster.now();
        let limit = |running: &Running| self.predictor.limit(cluster.job(running.job));
        let Past { released, crossing } = self.past(cluster, head, limit);
        pass.begin(now, cluster.idle(), head.id as i64, head.processors - released)?;
        pass.set_head_waited(now - head.submit)?;
        for running in cluster.running() {
            let (age, limit) = (now - running.start, limit(running));
            if self.overdue == Overdue::Predicted {
                pass.add_running_softly(running.processors, age, limit, self.prediction(running.job))?;
            } else if age < limit || self.overdue == Overdue::Soon {
                let age = (age - crossing.len() as i64).max(0);
                pass.add_running(running.processors, age, limit, self.prediction(running.job))?;
            } else if let Some(rank) = crossing.iter().position(|&end| end == running.start + limit) {
                pass.add_running(running.processors, 0, 1 + rank as i64, &RuntimeDistribution::limit())?;
            }
        }
        Ok(())
    }

    /// The releases of running jobs that are expected to have ended ([`Overdue::Past`]). A pass knows no past:
    /// processors that do not suffice for the head job count as released before it; from the end at which they suffice,
    /// ends follow each other in the first seconds to come, and all others come later by as many seconds.
    fn past(&self, cluster: &Cluster<'_>, head: &Job, limit: impl Fn(&Running) -> i64) -> Past {
        let mut past = Past { released: 0, crossing: Vec::new() };
        if self.overdue != Overdue::Past {
            return past;
        }
        let ends =
            cluster.running().iter().map(|running| (running.start + limit(running), running.processors));
        let mut ends: Vec<_> = ends.filter(|&(end, _)| end <= cluster.now()).collect();
        ends.sort_unstable();
        for jobs in ends.chunk_by(|a, b| a.0 == b.0) {
            let processors: u32 = jobs.iter().map(|&(_, processors)| processors).sum();
            if past.crossing.is_empty() && cluster.idle() + past.released + processors < head.processors {
                past.released += processors;
            } else {
                past.crossing.push(jobs[0].0);
            }
        }
        past
    }

    fn decide(&mut self, cluster: &mut Cluster<'_>, head: &Job) -> Result<()> {
        self.reserve(cluster)?;
        let mut memory = std::mem::take(&mut self.memory);
        let mut pass = Pass::attach(bytemuck::cast_slice_mut(&mut memory))?;
        let idle = cluster.idle();
        self.begin(&mut pass, cluster, head)?;
        for &id in &self.candidates {
            let job = cluster.job(id);
            pass.add_candidate(job.processors, self.predictor.limit(job), self.prediction(id))?;
        }
        let mut rule = Rule { guard: self.ordering.long_wait(self.guard), ..self.rule };
        let mut delays = match self.delays.is_empty() {
            true => None,
            false => Some(DelayCalibration::attach(bytemuck::cast_slice_mut(&mut self.delays))?),
        };
        if let Some(delays) = delays.as_ref().filter(|_| self.calibrate == Calibrate::Decide) {
            rule = delays.rule(&rule)?;
        }
        while let Step::Accept(index) = pass.decide(&rule, u64::MAX)? {
            let before = pass.spent(Criterion::Seconds);
            pass.commit(index)?;
            let mut seconds = pass.spent(Criterion::Seconds) - before;
            let mut delay = pass.judgement(index)?.delay;
            let job = cluster.job(self.candidates[index]);
            let measured = matches!(pass.judgement(index)?.exactness, Exactness::Exact | Exactness::Estimate);
            if let Some(delays) = delays.as_mut().filter(|_| measured) {
                let in_seconds = matches!(rule.criterion, Criterion::Seconds | Criterion::Relative);
                let predicted = if in_seconds { seconds.max(0.0) } else { delay.min(1.0) };
                let backfill = AcceptedBackfill {
                    job: job.id as i64,
                    now: cluster.now(),
                    processors: job.processors,
                    missing: head.processors - cluster.idle(),
                    predicted,
                };
                let reported = delays.accepted(rule.criterion, &backfill)?;
                match rule.criterion {
                    Criterion::Relative => seconds = reported,
                    Criterion::Seconds => (delay, seconds) = (reported, reported),
                    Criterion::Probability | Criterion::Bound => delay = reported,
                }
            }
            cluster.backfill(job.id, delay, seconds);
        }
        let mut judged = 0;
        for index in 0..self.candidates.len() {
            judged += u64::from(pass.judgement(index)?.verdict != Verdict::DoesNotFit);
        }
        cluster.judged(judged);
        if let Some(index) = self.candidates.iter().position(|&id| self.watched == Some(id)) {
            let Judgement { delay, exactness, verdict } = pass.judgement(index)?;
            let spent = pass.spent(self.rule.criterion);
            self.tried = Some(Tried { idle, judged: Judged::Delay { delay, exactness, verdict, spent } });
        }
        self.memory = memory;
        Ok(())
    }

    /// In a block of its own, so that the delays spent on the head job stay as they are.
    fn quantiles(&self, cluster: &Cluster<'_>, head: &Job) -> Result<Vec<HeadStart>> {
        let limits = PassCapacity {
            running: cluster.running().len() as u32,
            candidates: 1,
            processors: cluster.processors(),
            ..self.limits
        };
        let mut memory = vec![0u64; Pass::size(&limits)?.div_ceil(8)];
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits)?;
        self.begin(&mut pass, cluster, head)?;
        let quantile =
            |probability| Ok(HeadStart { probability, time: pass.head_start_quantile(probability)? });
        QUANTILES.into_iter().map(quantile).collect()
    }
}

impl Policy for Prob {
    fn submitted(&mut self, job: &Job, now: i64) {
        self.ordering.submitted(job);
        self.predictor.submitted(job, now);
        // Ids count up from 0 in order of submission.
        let prediction = self.predictor.predict(job, now);
        self.medians.push(self.median(&prediction, job));
        self.starts.push(-1);
        self.predictions.push(Some(Box::new(prediction)));
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.starts[job.id] = now;
        self.ordering.started(job, now);
        self.predictor.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.predictions[job.id] = None;
        if !self.delays.is_empty() {
            DelayCalibration::attach(bytemuck::cast_slice_mut(&mut self.delays))
                .and_then(|mut delays| delays.ended(job.id as i64, self.starts[job.id], now, job.processors))
                .expect("an end after its start");
        }
        self.ordering.ended(job, now);
        self.predictor.finished(job, now);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        let medians = &self.medians;
        self.ordering.sort_queue(cluster, |id| medians[id]);
        cluster.start_heads();
        let Some(head) = cluster.head() else { return };
        if cluster.idle() == 0 || cluster.queue().len() == 1 {
            return;
        }
        self.choose(cluster);
        if !self.candidates.is_empty() {
            self.decide(cluster, head).expect("the machine's state is within a pass's limits");
        }
    }

    fn watch(&mut self, job: JobId) {
        self.watched = Some(job);
    }

    fn tried(&mut self) -> Option<Tried> {
        self.tried.take()
    }

    fn head_starts(&mut self, cluster: &Cluster<'_>) -> Vec<HeadStart> {
        let quantiles = cluster.head().map(|head| self.quantiles(cluster, head));
        quantiles.transpose().expect("the machine's state is within a pass's limits").unwrap_or_default()
    }
}
