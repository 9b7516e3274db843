//! Bounds on the waits of new jobs, held to those that were given before.
//!
//! The predictor of waits does not know the queue's order, so that in a jam its bounds fail. Each is multiplied by
//! the factor by which 95 of 100 earlier ones of its partition would have held, and withheld where there is none:
//! open bounds that have passed count as failed. In a partition without a history the first ones are tried and not
//! given: the waits of a few hours, of one jam, say little of those that follow.

use crate::live::bounds::{Bounds, multiplied};
use std::collections::{BTreeMap, BTreeSet};

/// A bound on the wait of a job that has not started.
#[derive(Debug)]
struct Open {
    partition: String,
    eligible: i64,
    /// Seconds, as predicted.
    predicted: i64,
}

/// The bounds of all partitions.
#[derive(Debug, Default)]
pub(super) struct Promises {
    past: BTreeMap<String, Bounds>,
    open: BTreeMap<String, Open>,
    /// Partitions of whose waits there is a history.
    known: BTreeSet<String>,
}

impl Promises {
    /// Without bounds, after a history of these partitions.
    pub fn new(known: BTreeSet<String>) -> Promises {
        Promises { known, ..Promises::default() }
    }

    /// Whether the job has a bound.
    pub fn has(&self, job: &str) -> bool {
        self.open.contains_key(job)
    }

    /// Notes the predicted bound of a job that became eligible then.
    pub fn note(&mut self, job: &str, partition: &str, eligible: i64, predicted: i64) {
        let open = Open { partition: partition.to_owned(), eligible, predicted };
        self.open.insert(job.to_owned(), open);
    }

    /// The bound that may be given for a predicted one of this partition; none while too many others have failed, or
    /// too few were tried.
    pub fn given(&self, partition: &str, predicted: i64, now: i64) -> Option<i64> {
        let mut past = self.past.get(partition).cloned().unwrap_or_default();
        if !past.is_tried() && !self.known.contains(partition) {
            return None;
        }
        let mine = self.open.values().filter(|open| open.partition == partition);
        let passed = mine.filter(|open| open.eligible.saturating_add(open.predicted) < now);
        passed.for_each(|open| past.judge(None, open.predicted));
        past.factor().map(|factor| multiplied(predicted, factor))
    }

    /// A job has started.
    pub fn started(&mut self, job: &str, start: i64) {
        if let Some(open) = self.open.remove(job) {
            let past = self.past.entry(open.partition).or_default();
            past.judge(Some((start - open.eligible).max(0)), open.predicted);
        }
    }

    /// A job is gone without having started.
    pub fn forget(&mut self, job: &str) {
        self.open.remove(job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_follow_those_that_held_and_stop_in_a_jam() {
        let mut promises = Promises::new(["other".to_owned()].into());
        for job in 0..40 {
            assert_eq!(promises.given("main", 240, 0).is_some(), job >= 20);
            promises.note(&job.to_string(), "main", 0, 540);
            promises.started(&job.to_string(), 1740);
        }
        // Three times as long as predicted, minutes apart being the same.
        assert_eq!(promises.given("main", 240, 2000), Some(840));
        assert_eq!(promises.given("other", 240, 2000), Some(240));
        for job in 0..3 {
            promises.note(&format!("late{job}"), "main", 2000, 60);
        }
        assert_eq!(promises.given("main", 240, 2060), Some(840));
        assert_eq!(promises.given("main", 240, 2061), None);
        promises.forget("late0");
        promises.started("late1", 2500);
        assert!(promises.given("main", 240, 2500).is_some());
        assert!(promises.has("late2") && !promises.has("late1"));
    }
}
