//! The waits and run times that a trace itself records, in the form of Table 1 of Nissimov & Feitelson 2007.
//!
//! The paper's "average wait" and "average run" come out as the means over the jobs that waited and ran, both for a
//! second at least. Jobs that started at once are in neither, though the paper does not say so.

use crate::trace::workload::Job;
use serde::{Deserialize, Serialize};

/// The mean wait and run time of some jobs, in seconds; 0 without any.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Means {
    /// Number of jobs.
    pub jobs: u64,
    /// Their mean wait.
    pub wait_s: f64,
    /// Their mean run time.
    pub run_s: f64,
}

/// Recorded means of a trace's jobs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Recorded {
    /// Means of all jobs whose waits are known.
    pub all: Means,
    /// Means of those that waited and ran, both for a second at least.
    pub waited: Means,
}

impl Recorded {
    /// The means of these jobs.
    pub fn of(jobs: &[Job]) -> Recorded {
        let means = |least: i64| {
            let (mut count, mut wait, mut run) = (0u64, 0.0, 0.0);
            for job in jobs.iter().filter(|job| job.wait >= least && job.run_time >= least) {
                count += 1;
                wait += job.wait as f64;
                run += job.run_time as f64;
            }
            let of = count.max(1) as f64;
            Means { jobs: count, wait_s: wait / of, run_s: run / of }
        };
        Recorded { all: means(0), waited: means(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let job = |(wait, run_time): (i64, i64)| Job { wait, run_time, ..Job::default() };
        let jobs = [(-1, 50), (0, 10), (30, 0), (60, 20), (10, 40)].map(job);
        let recorded = Recorded::of(&jobs);
        assert_eq!(recorded.all, Means { jobs: 4, wait_s: 25.0, run_s: 17.5 });
        assert_eq!(recorded.waited, Means { jobs: 2, wait_s: 35.0, run_s: 30.0 });
        assert_eq!(Recorded::of(&jobs[..1]), Recorded::default());
    }
}
