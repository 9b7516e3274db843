//! What predictors believe of running jobs' run times (section 3 of the paper takes the sequential lifetimes').

use super::workload::{Job, lifetimes};
use serde::{Deserialize, Serialize};
use surefill::allocate::LogUniform;

/// What is believed of running jobs' run times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetimes {
    /// The distribution of the sequential lifetimes L, for run times on any number of processors.
    Sequential,
    /// Equation 4 fitted to run times under AVG: t_min and t_max in seconds.
    Fitted(f64, f64),
    /// The distribution of L divided by the job's speedup on its processors: what follows from the workload model.
    Scaled,
    /// The user gives a range that holds the true run time, its ends this factor apart.
    Supplied(f64),
}

impl Lifetimes {
    /// What is believed of this job.
    pub fn of(&self, job: &Job, processors: u32, run_time: f64) -> LogUniform {
        let bounds = |low: f64, high: f64| LogUniform::new(low, high).expect("positive seconds, in order");
        match *self {
            Lifetimes::Sequential => lifetimes(),
            Lifetimes::Fitted(low, high) => bounds(low, high),
            Lifetimes::Scaled => {
                let (low, high) = lifetimes().bounds();
                let speedup = job.speedup.on(f64::from(processors)).unwrap_or(1.0);
                bounds(low / speedup, high / speedup)
            }
            Lifetimes::Supplied(factor) => {
                // A factor of 1 would be no range.
                let factor = factor.max(1.0 + 1e-6);
                let high = run_time * libm::exp(job.place * libm::log(factor)) * (1.0 + 1e-9);
                bounds(high / factor * (1.0 - 1e-9), high)
            }
        }
    }
}
