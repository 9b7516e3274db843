//! Measures of two sequences of jobs: section 5 of Song, Ernemann & Yahyapour 2004.

use super::habits::Habits;
use serde::{Deserialize, Serialize};
use surefill_simulator::base::statistics::{autocorrelation, correlation, mean};
use surefill_simulator::generate::{History, Past};

/// The largest difference of two samples' empirical distribution functions (Kolmogorov-Smirnov), from 0 to 1; `None`
/// when one is empty. O(n log n).
pub fn kolmogorov_smirnov(a: &[u64], b: &[u64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let sorted = |values: &[u64]| {
        let mut values = values.to_vec();
        values.sort_unstable();
        values
    };
    let (a, b) = (sorted(a), sorted(b));
    let (mut i, mut j, mut largest) = (0, 0, 0.0f64);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        // Both functions step at once where both have the value.
        let value = x.min(y);
        i += a[i..].iter().take_while(|&&other| other == value).count();
        j += b[j..].iter().take_while(|&&other| other == value).count();
        largest = largest.max((i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs());
    }
    Some(largest)
}

/// Processor-seconds of all jobs: equation 12.
pub fn squashed_area(jobs: &[Past]) -> f64 {
    jobs.iter().map(|job| f64::from(job.processors) * job.run_time as f64).sum()
}

/// Measures of one sequence of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Jobs.
    pub jobs: u64,
    /// Processor-seconds a job.
    pub area_per_job: f64,
    /// Correlation of processors and run time.
    pub correlation: Option<f64>,
    /// Lag-1 autocorrelation of processors.
    pub rho_nodes: Option<f64>,
    /// Lag-1 autocorrelation of run times.
    pub rho_run_times: Option<f64>,
    /// Mean seconds between submissions.
    pub mean_gap: f64,
    /// Users; 0 where none are named.
    pub users: u64,
    /// The share of jobs whose user is that of the job before.
    pub same_user: Option<f64>,
    /// The share of jobs in the run-time class of the same user's last job, of those whose user had one.
    pub repeated_class: Option<f64>,
    /// The mean share of the requested time that jobs use, of those that do not exceed it.
    pub accuracy: Option<f64>,
    /// More of users, sessions and requested times.
    pub habits: Habits,
}

impl Measures {
    /// The measures of jobs in order of submission. O(n log n).
    pub fn new(jobs: &[Past]) -> Measures {
        let nodes: Vec<f64> = jobs.iter().map(|job| f64::from(job.processors)).collect();
        let run_times: Vec<f64> = jobs.iter().map(|job| job.run_time as f64).collect();
        let span = match (jobs.first(), jobs.last()) {
            (Some(first), Some(last)) => (last.submit - first.submit) as f64,
            _ => 0.0,
        };
        let named = jobs.iter().any(|job| job.user >= 0);
        let (users, repeated_class) = repeats(jobs);
        let same = jobs.windows(2).filter(|pair| pair[0].user == pair[1].user).count();
        let used = jobs.iter().filter(|job| job.requested > 0 && job.requested >= job.run_time);
        let used: Vec<f64> = used.map(|job| job.run_time as f64 / job.requested as f64).collect();
        let pairs = jobs.len().saturating_sub(1).max(1) as f64;
        Measures {
            jobs: jobs.len() as u64,
            area_per_job: squashed_area(jobs) / jobs.len().max(1) as f64,
            correlation: correlation(&nodes, &run_times),
            rho_nodes: autocorrelation(&nodes),
            rho_run_times: autocorrelation(&run_times),
            mean_gap: span / pairs,
            users: if named { users } else { 0 },
            same_user: named.then(|| same as f64 / pairs),
            repeated_class: repeated_class.filter(|_| named),
            accuracy: mean(used),
            habits: Habits::new(jobs),
        }
    }
}

/// Number of users, and the share of jobs that fall into the run-time class of their user's last one.
fn repeats(jobs: &[Past]) -> (u64, Option<f64>) {
    let mut last = std::collections::HashMap::new();
    let (mut same, mut all) = (0u64, 0u64);
    for job in jobs {
        let class = crate::generate::chain::class(job.run_time.unsigned_abs());
        if let Some(before) = last.insert(job.user, class) {
            same += u64::from(before == class);
            all += 1;
        }
    }
    (last.len() as u64, (all > 0).then(|| same as f64 / all as f64))
}

/// Distance of a synthetic workload from the original.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Similarity {
    /// Kolmogorov-Smirnov of processors.
    pub ks_nodes: f64,
    /// Kolmogorov-Smirnov of run times.
    pub ks_run_times: f64,
    /// Kolmogorov-Smirnov of the seconds between submissions.
    pub ks_gaps: Option<f64>,
    /// Kolmogorov-Smirnov of requested times, of the jobs that have one.
    pub ks_requests: Option<f64>,
    /// Difference of the squashed areas over the original's (equation 13); `None` where that is 0.
    pub area_difference: Option<f64>,
    /// The same per job: what it would be if both had the same number of jobs.
    pub area_difference_per_job: Option<f64>,
    /// The original.
    pub original: Measures,
    /// The synthetic workload.
    pub synthetic: Measures,
}

impl Similarity {
    /// Compares two workloads.
    pub fn new(original: &History, synthetic: &History) -> Similarity {
        let (a, b) = (&original.jobs, &synthetic.jobs);
        let difference = |a: f64, b: f64| (a > 0.0).then(|| (b - a) / a);
        let (measures_a, measures_b) = (Measures::new(a), Measures::new(b));
        // A history has at least one job.
        let ks = |a: Vec<u64>, b: Vec<u64>| kolmogorov_smirnov(&a, &b).unwrap_or(0.0);
        Similarity {
            ks_nodes: ks(original.processors(), synthetic.processors()),
            ks_run_times: ks(original.run_times(), synthetic.run_times()),
            ks_gaps: kolmogorov_smirnov(&gaps(a), &gaps(b)),
            ks_requests: kolmogorov_smirnov(&requests(a), &requests(b)),
            area_difference: difference(squashed_area(a), squashed_area(b)),
            area_difference_per_job: difference(measures_a.area_per_job, measures_b.area_per_job),
            original: measures_a,
            synthetic: measures_b,
        }
    }
}

fn gaps(jobs: &[Past]) -> Vec<u64> {
    jobs.windows(2).map(|pair| pair[0].submit.abs_diff(pair[1].submit)).collect()
}

fn requests(jobs: &[Past]) -> Vec<u64> {
    jobs.iter().filter_map(|job| u64::try_from(job.requested).ok()).filter(|&request| request > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use surefill_simulator::generate::Kind;

    fn job(submit: i64, processors: u32, run_time: i64, requested: i64, user: i64) -> Past {
        Past { submit, wait: -1, run_time, processors, requested, user, kind: Kind::default() }
    }

    #[test]
    fn measures_by_hand() {
        let jobs =
            [job(0, 1, 10, 10, 1), job(10, 2, 8, 16, 1), job(40, 3, 100, 50, 2), job(60, 2, 40, 80, 1)];
        let measures = Measures::new(&jobs);
        assert_eq!((measures.jobs, measures.area_per_job, measures.mean_gap), (4, 406.0 / 4.0, 20.0));
        // Deviations -1, 0, 1, 0: no products differ from 0.
        assert_eq!(measures.rho_nodes, Some(0.0));
        assert_eq!(
            (measures.users, measures.same_user, measures.accuracy),
            (2, Some(1.0 / 3.0), Some(2.0 / 3.0))
        );
        // User 1: classes 3, 3, 5.
        assert_eq!(measures.repeated_class, Some(0.5));
        let one = Measures::new(&jobs[..1]);
        assert_eq!((one.correlation, one.rho_nodes, one.repeated_class), (None, None, None));
    }

    proptest! {
        /// Against the definition: at every value, the difference of the shares up to it.
        #[test]
        fn kolmogorov_smirnov_by_definition(
            a in proptest::collection::vec(0u64..20, 1..40),
            b in proptest::collection::vec(0u64..20, 1..40),
        ) {
            let below = |values: &[u64], x: u64| {
                values.iter().filter(|&&value| value <= x).count() as f64 / values.len() as f64
            };
            let expected = (0..20).map(|x| (below(&a, x) - below(&b, x)).abs()).fold(0.0, f64::max);
            let ours = kolmogorov_smirnov(&a, &b).unwrap();
            prop_assert!((ours - expected).abs() < 1e-12);
            prop_assert_eq!(kolmogorov_smirnov(&b, &a), Some(ours));
            prop_assert_eq!(kolmogorov_smirnov(&a, &a), Some(0.0));
        }
    }
}
