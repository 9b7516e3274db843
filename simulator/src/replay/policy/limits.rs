//! Limits of QOS on running jobs ([`QosRules`]).
//!
//! A job over a limit is passed over and blocks no other. A limit that would keep a job waiting on an empty machine
//! does not count for it: the trace's job has run, so that the site had lifted it.

use crate::trace::site::{QosRules, SiteRules};
use crate::trace::workload::Job;
use std::collections::{BTreeMap, HashMap};

/// Running jobs and their processors.
#[derive(Debug, Clone, Copy, Default)]
struct Running {
    jobs: u32,
    processors: u64,
}

impl Running {
    /// Whether another job fits these limits.
    fn admits(self, job: &Job, jobs: Option<u32>, processors: Option<u64>) -> bool {
        let more = u64::from(job.processors);
        let few = jobs.is_none_or(|most| self.jobs < most.max(1));
        few && processors.is_none_or(|most| more > most || self.processors + more <= most)
    }
}

/// The limits with the running jobs that they count.
#[derive(Debug)]
pub struct Limits {
    qos: BTreeMap<i64, QosRules>,
    running: HashMap<i64, Running>,
    /// By QOS and user.
    of_users: HashMap<(i64, i64), Running>,
}

impl Limits {
    /// Limits of a site, without running jobs.
    pub fn new(site: &SiteRules) -> Limits {
        let limits = |rules: &QosRules| {
            let QosRules { factor: _, user_jobs, user_processors, jobs, processors } = rules;
            [user_jobs, jobs].iter().any(|limit| limit.is_some())
                || [user_processors, processors].iter().any(|limit| limit.is_some())
        };
        let qos = site.qos.iter().filter(|(_, rules)| limits(rules));
        Limits {
            qos: qos.map(|(&number, rules)| (number, rules.clone())).collect(),
            running: HashMap::new(),
            of_users: HashMap::new(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.qos.is_empty()
    }

    /// Whether a job may start now.
    pub fn admit(&self, job: &Job) -> bool {
        let Some(rules) = self.qos.get(&job.qos) else { return true };
        let all = self.running.get(&job.qos).copied().unwrap_or_default();
        let own = self.of_users.get(&(job.qos, job.user)).copied().unwrap_or_default();
        all.admits(job, rules.jobs, rules.processors)
            && own.admits(job, rules.user_jobs, rules.user_processors)
    }

    /// The running jobs with which one is counted.
    fn counted(&mut self, job: &Job) -> impl Iterator<Item = &mut Running> {
        let limited = self.qos.contains_key(&job.qos);
        let all = self.running.entry(job.qos).or_default();
        let own = self.of_users.entry((job.qos, job.user)).or_default();
        [all, own].into_iter().filter(move |_| limited)
    }

    /// Counts a job that has started.
    pub fn started(&mut self, job: &Job) {
        for running in self.counted(job) {
            running.jobs += 1;
            running.processors += u64::from(job.processors);
        }
    }

    /// No longer counts a job that has ended.
    pub fn ended(&mut self, job: &Job) {
        for running in self.counted(job) {
            running.jobs -= 1;
            running.processors -= u64::from(job.processors);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_jobs_count_until_they_end() {
        let rules = QosRules {
            user_jobs: Some(2),
            user_processors: Some(10),
            processors: Some(12),
            ..QosRules::default()
        };
        let site = SiteRules { qos: [(1, rules), (2, QosRules::default())].into(), ..SiteRules::default() };
        let mut limits = Limits::new(&site);
        let job = |qos, user, processors| Job { qos, user, processors, ..Job::default() };
        let first = job(1, 7, 6);
        limits.started(&first);
        limits.started(&job(2, 7, 100));
        assert!(limits.admit(&job(1, 7, 4)) && !limits.admit(&job(1, 7, 5)));
        assert!(limits.admit(&job(1, 8, 6)) && !limits.admit(&job(1, 8, 7)));
        assert!(limits.admit(&job(2, 7, 1000)) && limits.admit(&job(3, 7, 1000)));
        limits.started(&job(1, 7, 1));
        // No third job; a job wider than a limit is not held by that, but by the others.
        assert!(!limits.admit(&job(1, 7, 1)) && limits.admit(&job(1, 8, 13)));
        limits.ended(&first);
        assert!(limits.admit(&job(1, 7, 9)) && !limits.admit(&job(1, 7, 10)));
        assert!(Limits::new(&SiteRules::default()).is_empty());
    }
}
