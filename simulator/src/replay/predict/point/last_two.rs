//! The mean of the user's last two run times (Tsafrir, Etsion & Feitelson 2007).

use super::{PointPredictor, within_limit};
use crate::trace::workload::Job;
use std::collections::HashMap;

/// The mean run time of the last two jobs of the same user that ended, at most the estimate; the estimate while fewer
/// than two have ended.
#[derive(Debug, Default)]
pub struct MeanOfLastTwo {
    /// The last run time and the one before it.
    last: HashMap<i64, (i64, Option<i64>)>,
}

impl PointPredictor for MeanOfLastTwo {
    fn predict(&mut self, job: &Job) -> i64 {
        match self.last.get(&job.user) {
            Some(&(last, Some(previous))) => within_limit(job, (last + previous) as f64 / 2.0),
            _ => job.limit.max(1),
        }
    }

    fn finished(&mut self, job: &Job) {
        let previous = self.last.get(&job.user).map(|&(last, _)| last);
        self.last.insert(job.user, (job.run_time, previous));
    }
}
