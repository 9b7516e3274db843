//! Policies, predictors and orders that are known by name alone, and what a policy of this kind is made of.

use super::Overdue;
use super::order::{OrderOptions, Ordering};
use crate::replay::machine::Cluster;
use crate::replay::predict::PointPredictor;
use crate::trace::workload::{Job, JobId};
use clap::builder::PossibleValue;
use serde::{Serialize, Serializer};
use std::fmt;

/// An entry of the registry ([`crate::replay::registry`]).
struct Entry<B: ?Sized> {
    name: String,
    about: String,
    build: Box<B>,
}

/// Something known by its name; `B` is the function that makes it for one replay.
pub struct Named<B: ?Sized + 'static>(&'static Entry<B>);

impl<B: ?Sized> Named<B> {
    /// An entry that lives as long as the process.
    pub(crate) fn new(name: &str, about: &str, build: Box<B>) -> Named<B> {
        Named(Box::leak(Box::new(Entry { name: name.to_owned(), about: about.to_owned(), build })))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// What makes it.
    pub fn build(self) -> &'static B {
        &self.0.build
    }

    pub(crate) fn value(self) -> PossibleValue {
        PossibleValue::new(self.name()).help(self.0.about.as_str())
    }
}

impl<B: ?Sized> Clone for Named<B> {
    fn clone(&self) -> Named<B> {
        *self
    }
}

impl<B: ?Sized> Copy for Named<B> {}

impl<B: ?Sized> PartialEq for Named<B> {
    fn eq(&self, other: &Named<B>) -> bool {
        std::ptr::addr_eq(self.0, other.0)
    }
}

impl<B: ?Sized> Eq for Named<B> {}

impl<B: ?Sized> fmt::Debug for Named<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<B: ?Sized> Serialize for Named<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What a policy of the registry is made of: a predictor of run times, an order, and their bookkeeping.
pub struct Parts {
    predictor: Box<dyn PointPredictor>,
    ordering: Ordering,
    overdue: Overdue,
    /// By id.
    predicted: Vec<i64>,
}

impl Parts {
    pub(super) fn new(predictor: Box<dyn PointPredictor>, order: &OrderOptions, overdue: Overdue) -> Parts {
        Parts { predictor, ordering: Ordering::new(order), overdue, predicted: Vec::new() }
    }

    /// To be told of every submission, first thing.
    pub fn submitted(&mut self, job: &Job) {
        // Ids count up from 0 in order of submission.
        self.predicted.push(self.predictor.predict(job));
    }

    /// To be told of every start.
    pub fn started(&mut self, job: &Job, now: i64) {
        self.ordering.started(job, now);
        self.predictor.started(job, now);
    }

    /// To be told of every end.
    pub fn ended(&mut self, job: &Job, now: i64) {
        self.ordering.ended(job, now);
        self.predictor.finished(job);
    }

    /// The run time that was predicted of a job when it was submitted, in seconds, at least 1.
    pub fn predicted(&self, job: JobId) -> i64 {
        self.predicted[job]
    }

    /// Puts the queue in order.
    pub fn sort_queue(&mut self, cluster: &mut Cluster<'_>) {
        let predicted = &self.predicted;
        self.ordering.sort_queue(cluster, |id| predicted[id]);
    }

    /// The running jobs with the times at which they are expected to end, in seconds, sorted by these: as predicted
    /// while that is ahead, else as EASY corrects it.
    pub fn releases(&self, cluster: &Cluster<'_>) -> Vec<(i64, u32)> {
        let expected = cluster.running().iter().map(|running| {
            let end = running.start + self.predicted[running.job];
            let correction = self.predictor.correction();
            let end = super::easy::expected_end(running, end, cluster.now(), correction, self.overdue);
            (end, running.processors)
        });
        let mut releases: Vec<(i64, u32)> = expected.collect();
        releases.sort_unstable();
        releases
    }
}
