//! Predicted run times of running jobs (section 3 of the paper takes the sequential lifetimes').

use super::workload::{Job, lifetimes};
use serde::{Deserialize, Serialize};
use surefill::allocate::LogUniform;

/// The distribution from which running jobs' run times are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetimes {
    /// The distribution of the sequential lifetimes L, for run times on any number of processors.
    Sequential,
    /// Equation 4 fitted to run times under AVG: t_min and t_max in seconds.
    Fitted(f64, f64),
    /// The distribution of L divided by the job's speedup on its processors: what follows from the workload model.
    Scaled,
    /// The user gives a range that holds the true run time, its ends this factor apart: what follows from the workload
    /// model within it. As the place of the true run time in the range says nothing, this is the true distribution too.
    Supplied(f64),
}

impl Lifetimes {
    /// The predicted run time of this job.
    pub fn of(&self, job: &Job, processors: u32, run_time: f64) -> LogUniform {
        let bounds = |low: f64, high: f64| LogUniform::new(low, high).expect("positive seconds, in order");
        let scaled = || {
            let (low, high) = lifetimes().bounds();
            let speedup = job.speedup.on(f64::from(processors)).unwrap_or(1.0);
            (low / speedup, high / speedup)
        };
        match *self {
            Lifetimes::Sequential => lifetimes(),
            Lifetimes::Fitted(low, high) => bounds(low, high),
            Lifetimes::Scaled => {
                let (low, high) = scaled();
                bounds(low, high)
            }
            Lifetimes::Supplied(factor) => {
                // A factor of 1 would be no range, and rounding must not leave the truth outside.
                let factor = factor.max(1.0 + 1e-6);
                let highest = run_time * libm::exp(job.place * libm::log(factor));
                let (low, high) = scaled();
                bounds(low.max(highest / factor) * (1.0 - 1e-9), high.min(highest) * (1.0 + 1e-9))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::workload::{Rounding, WorkloadOptions, generate};
    use super::*;
    use surefill::allocate::Speedup;

    /// Linear speedup up to 8 processors: on 4 of them run times from e^2 / 4 to e^12 / 4 s. A job of 1000 s there, a
    /// quarter below the top of its user's range of a factor of 16: from 125 to 2000 s.
    #[test]
    fn bounds_by_hand() {
        let speedup = Speedup::new(8.0, 0.0).expect("a job");
        let job = Job { arrival: 0.0, sequential: 4000.0, speedup, most: 8, place: 0.25 };
        let (least, most) = (libm::exp(2.0) / 4.0, libm::exp(12.0) / 4.0);
        for (model, low, high) in [
            (Lifetimes::Sequential, 4.0 * least, 4.0 * most),
            (Lifetimes::Fitted(3.0, 5000.0), 3.0, 5000.0),
            (Lifetimes::Scaled, least, most),
            (Lifetimes::Supplied(16.0), 125.0, 2000.0),
            (Lifetimes::Supplied(1.0), 1000.0, 1000.0),
            (Lifetimes::Supplied(1e6), least, 1000.0 * libm::pow(1e6, 0.25)),
            (Lifetimes::Supplied(1e12), least, most),
        ] {
            let bounds = model.of(&job, 4, job.run_time(4)).bounds();
            assert!(
                (bounds.0 / low - 1.0).abs() < 2e-6 && (bounds.1 / high - 1.0).abs() < 2e-6,
                "{bounds:?}"
            );
        }
    }

    /// Whatever the user's range, it holds the true run time.
    #[test]
    fn the_true_run_time_is_within_bounds() {
        let options =
            WorkloadOptions { days: 2, procs: 64, load: 1.0, seed: 3, rounding: Rounding::Up, apart: 1 };
        for job in generate(&options) {
            for factor in [1.0, 1.01, 4.0, 1e6] {
                for processors in [1, job.most] {
                    let run_time = job.run_time(processors);
                    let (low, high) = Lifetimes::Supplied(factor).of(&job, processors, run_time).bounds();
                    assert!(low < run_time && run_time < high && high / low < factor * (1.0 + 1e-5));
                }
            }
        }
    }
}
