//! Habits of users from which predictors learn, beside the jobs' shapes: who submits how much, in which sessions, and
//! how well people know how long their jobs run.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use surefill_simulator::base::statistics::quantile;
use surefill_simulator::generate::Past;

/// A session ends when its user submits nothing for so long, in seconds. By submissions alone, as generated workloads
/// know no waits.
const PAUSE: i64 = 3600;

/// Users, sessions and requested times of a workload; each `None` where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Habits {
    /// The share of jobs that the busiest user submits.
    pub busiest: Option<f64>,
    /// Jobs in a session, on average.
    pub session_jobs: Option<f64>,
    /// The median of the seconds from one job of a session to the next.
    pub session_gap: Option<f64>,
    /// Quartiles of the share of the requested time that jobs use; those that exceed it use all of it.
    pub accuracy: Option<[f64; 3]>,
    /// The share of jobs that use at least 99 % of it: they were killed, or their users knew.
    pub exact: Option<f64>,
}

impl Habits {
    /// The habits in jobs in order of submission. O(n log n).
    pub fn new(jobs: &[Past]) -> Habits {
        let named = jobs.iter().any(|job| job.user >= 0);
        let mut counts: HashMap<i64, u32> = HashMap::new();
        let mut last: HashMap<i64, i64> = HashMap::new();
        let (mut sessions, mut gaps) = (0u32, Vec::new());
        for job in jobs {
            *counts.entry(job.user).or_default() += 1;
            match last.insert(job.user, job.submit).map(|before| job.submit - before) {
                Some(gap) if gap <= PAUSE => gaps.push(gap as f64),
                _ => sessions += 1,
            }
        }
        let all = jobs.len() as f64;
        let busiest = counts.values().max().map(|&count| f64::from(count) / all);
        let asked = jobs.iter().filter(|job| job.requested > 0);
        let mut used: Vec<f64> =
            asked.map(|job| (job.run_time as f64 / job.requested as f64).min(1.0)).collect();
        used.sort_by(f64::total_cmp);
        gaps.sort_by(f64::total_cmp);
        let exact = used.iter().filter(|&&used| used >= 0.99).count() as f64 / used.len() as f64;
        let quartiles = [0.25, 0.5, 0.75].map(|share| quantile(&used, share));
        Habits {
            busiest: busiest.filter(|_| named),
            session_jobs: (named && sessions > 0).then(|| all / f64::from(sessions)),
            session_gap: quantile(&gaps, 0.5).filter(|_| named),
            accuracy: match quartiles {
                [Some(low), Some(middle), Some(high)] => Some([low, middle, high]),
                _ => None,
            },
            exact: (!used.is_empty()).then_some(exact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::generate::Kind;

    #[test]
    fn habits_by_hand() {
        let job = |submit: i64, run_time: i64, requested: i64, user: i64| Past {
            submit,
            wait: -1,
            run_time,
            processors: 1,
            requested,
            user,
            kind: Kind::default(),
        };
        // Sessions: user 1 at 0, 100 and 3700 s, and at 7301 s; user 2 at 50 and 60 s. The fifth job exceeds its
        // request. Used: 1, 1/4, 1/2, 3/4, 1.
        let jobs = [
            job(0, 10, 10, 1),
            job(50, 10, 40, 2),
            job(60, 10, 20, 2),
            job(100, 30, 40, 1),
            job(3700, 50, 40, 1),
            job(7301, 50, -1, 1),
        ];
        let habits = Habits::new(&jobs);
        assert_eq!(
            habits,
            Habits {
                busiest: Some(4.0 / 6.0),
                session_jobs: Some(2.0),
                session_gap: Some(100.0),
                accuracy: Some([0.5, 0.75, 1.0]),
                exact: Some(0.4),
            }
        );
        let nobody = Habits::new(&jobs.map(|job| Past { user: -1, requested: -1, ..job }));
        let unknown =
            Habits { busiest: None, session_jobs: None, session_gap: None, accuracy: None, exact: None };
        assert_eq!(nobody, unknown);
        assert_eq!(Habits::new(&[]), unknown);
    }
}
