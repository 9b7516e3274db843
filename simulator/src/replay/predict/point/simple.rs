//! Predictors that learn nothing.

use super::PointPredictor;
use crate::trace::workload::Job;

/// The user's estimate, which is the job's limit: plain EASY.
#[derive(Debug, Default)]
pub struct Limit;

impl PointPredictor for Limit {
    fn predict(&mut self, job: &Job) -> i64 {
        job.limit.max(1)
    }
}

/// Twice the user's estimate (Zotkin & Keleher 1999; Mu'alem & Feitelson 2001): leaves holes that short jobs fill.
#[derive(Debug, Default)]
pub struct Doubled;

impl PointPredictor for Doubled {
    fn predict(&mut self, job: &Job) -> i64 {
        job.limit.saturating_mul(2).max(1)
    }
}

/// The run time the job will have, past its limit too: a ceiling for studies.
#[derive(Debug, Default)]
pub struct Clairvoyant;

impl PointPredictor for Clairvoyant {
    fn predict(&mut self, job: &Job) -> i64 {
        job.run_time.max(1)
    }
}
