//! The run times of all finished jobs, of all users.

use super::DistributionPredictor;
use crate::trace::workload::Job;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// The empirical distribution of all finished jobs; before the first has finished, the limit.
#[derive(Debug)]
pub struct Global {
    bins: RuntimeBins,
    counts: Vec<f64>,
    total: f64,
    /// The distribution of `counts`, until the next job finishes.
    made: Option<RuntimeDistribution>,
}

impl Global {
    /// A predictor without anything learnt.
    pub fn new(bins: RuntimeBins) -> Global {
        let counts = vec![0.0; bins.count()];
        Global { bins, counts, total: 0.0, made: None }
    }

    /// The bins.
    pub fn bins(&self) -> &RuntimeBins {
        &self.bins
    }

    /// The share of every bin; zeros before the first job has finished.
    pub fn shares(&self) -> impl Iterator<Item = f64> {
        let total = self.total.max(1.0);
        self.counts.iter().map(move |count| count / total)
    }

    /// One job of this run time has finished.
    pub fn learn(&mut self, run_time: i64) {
        if let Some(count) = self.counts.get_mut(self.bins.bin_of(run_time as f64)) {
            *count += 1.0;
            self.total += 1.0;
            self.made = None;
        }
    }

    /// The distribution of the jobs learnt.
    pub fn distribution(&mut self) -> &RuntimeDistribution {
        self.made.get_or_insert_with(|| {
            // Counts are finite, non-negative and as many as bins: this never fails.
            RuntimeDistribution::from_counts(&self.bins, &self.counts).unwrap_or(RuntimeDistribution::limit())
        })
    }
}

impl DistributionPredictor for Global {
    fn predict(&mut self, _job: &Job, _now: i64) -> RuntimeDistribution {
        self.distribution().clone()
    }

    fn finished(&mut self, job: &Job, _now: i64) {
        self.learn(job.run_time);
    }
}
