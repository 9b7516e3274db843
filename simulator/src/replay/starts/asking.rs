//! A policy that is asked, after each of its passes, when the jobs that it has not started will start.

use super::limits::ByLimits;
use super::methods::{Chances, History, Method, Quantiles};
use super::prediction::{Occasion, Prediction};
use crate::replay::machine::Cluster;
use crate::replay::policy::Policy;
use crate::trace::workload::{Job, JobId};
use std::collections::BTreeMap;

/// The answers about a waiting job on one occasion.
struct Open {
    when: i64,
    occasion: Occasion,
    age: i64,
    answers: Vec<(Method, Quantiles, Option<Chances>)>,
    simplified: bool,
}

/// The policy of a replay, which predicts starts, its forecasts, and the starts that followed.
pub struct Asking {
    policy: Box<dyn Policy>,
    scenarios: u32,
    every: i64,
    /// Every this many-th job is asked about.
    each: usize,
    /// First time at which jobs are asked about.
    from: i64,
    /// Job with whose start asking ends.
    until: Option<JobId>,
    over: bool,
    /// When all that wait are asked about again.
    next: Option<i64>,
    by_limits: ByLimits,
    history: History,
    submitted: Vec<JobId>,
    open: BTreeMap<JobId, Vec<Open>>,
    /// All forecasts, with the start that followed.
    pub predictions: Vec<Prediction>,
}

impl Asking {
    /// Nothing asked yet; every `every` seconds all that wait are asked about, in this number of scenarios.
    pub fn new(policy: Box<dyn Policy>, scenarios: u32, every: i64) -> Asking {
        Asking {
            policy,
            scenarios,
            every,
            each: 1,
            from: i64::MIN,
            until: None,
            over: false,
            next: None,
            by_limits: ByLimits::default(),
            history: History::default(),
            submitted: Vec::new(),
            open: BTreeMap::new(),
            predictions: Vec::new(),
        }
    }

    /// The same, with questions about every `each`-th job of the workload alone, beginning with the first.
    pub fn each(self, each: usize) -> Asking {
        Asking { each, ..self }
    }

    /// The same, without questions before a time.
    pub fn from(self, from: i64) -> Asking {
        Asking { from, ..self }
    }

    /// The same, without questions once this job has started.
    pub fn until(self, job: JobId) -> Asking {
        Asking { until: Some(job), ..self }
    }

    fn ask(&mut self, cluster: &mut Cluster<'_>) {
        let now = cluster.now();
        if now < self.from {
            self.submitted.clear();
            return;
        }
        let all = self.next.is_some_and(|next| now >= next);
        if all || self.next.is_none() {
            self.next = Some(now - now.rem_euclid(self.every) + self.every);
        }
        let submitted = std::mem::take(&mut self.submitted);
        let asked = |id: &JobId| id.is_multiple_of(self.each) && (all || submitted.contains(id));
        let asked: Vec<JobId> = cluster.queue().iter().copied().filter(asked).collect();
        if asked.is_empty() {
            return;
        }
        let predicted = self.policy.predicted_starts(now, &asked, self.scenarios);
        let predicted = predicted.expect("made by build_predicting");
        // The forecast by limits counts processors.
        let by_limits =
            (!cluster.has_nodes()).then(|| self.by_limits.predict(cluster, &asked).expect("they wait"));
        for (place, (&id, own)) in asked.iter().zip(predicted).enumerate() {
            let age = now - cluster.job(id).submit;
            let occasion = if submitted.contains(&id) { Occasion::Submission } else { Occasion::Later };
            let mut answers = vec![
                (Method::Scenarios, own.scenarios, None),
                (Method::Reported, own.reported, Some(own.within)),
            ];
            answers.extend(by_limits.iter().map(|rests| (Method::Limits, [rests[place]; 5], None)));
            answers
                .extend(self.history.tell(age).map(|(rest, chances)| (Method::History, rest, Some(chances))));
            let simplified = own.simplified;
            self.open.entry(id).or_default().push(Open { when: now, occasion, age, answers, simplified });
        }
    }
}

impl Policy for Asking {
    fn submitted(&mut self, job: &Job, now: i64) {
        self.submitted.push(job.id);
        self.policy.submitted(job, now);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.policy.started(job, now);
        self.history.started(now - job.submit);
        self.over |= self.until == Some(job.id);
        for Open { when, occasion, age, answers, simplified } in self.open.remove(&job.id).unwrap_or_default()
        {
            self.predictions.extend(answers.into_iter().map(|(method, quantiles, started)| Prediction {
                job: job.number,
                asked: when,
                age,
                method,
                occasion,
                quantiles,
                started,
                simplified: simplified && matches!(method, Method::Scenarios | Method::Reported),
                waited: now - when,
            }));
        }
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.policy.ended(job, now);
    }

    fn set_open(&mut self, node: u32, open: bool) {
        self.policy.set_open(node, open);
    }

    fn wake(&self, now: i64) -> Option<i64> {
        self.policy.wake(now)
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.policy.schedule(cluster);
        if !self.over {
            self.ask(cluster);
        }
    }
}
