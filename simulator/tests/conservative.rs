//! Conservative backfilling keeps its promises.

use proptest::prelude::*;
use std::collections::HashMap;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::machine::Cluster;
use surefill_simulator::replay::policy::Policy;
use surefill_simulator::replay::policy::conservative::Conservative;
use surefill_simulator::replay::setup::Setup;
use surefill_simulator::trace::workload::{Counts, Job, JobId, Workload};

/// Notes every job's first reservation and holds the policy to it.
#[derive(Default)]
struct Watched {
    policy: Conservative,
    promised: HashMap<JobId, i64>,
}

impl Policy for Watched {
    fn submitted(&mut self, job: &Job, now: i64) {
        self.policy.submitted(job, now);
    }

    fn started(&mut self, job: &Job, now: i64) {
        assert!(self.promised.get(&job.id).is_none_or(|&promised| now <= promised));
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.policy.ended(job, now);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.policy.schedule(cluster);
        assert_eq!(self.policy.reservations().len(), cluster.queue().len());
        for &(start, id) in self.policy.reservations() {
            let promised = self.promised.entry(id).or_insert(start);
            assert!(start <= *promised && start > cluster.now());
            *promised = start;
        }
    }
}

proptest! {
    #[test]
    fn reservations_never_get_later(
        jobs in proptest::collection::vec((0i64..60, 0i64..40, 0i64..40, 1u32..=8), 1..40),
    ) {
        let mut jobs = jobs;
        jobs.sort_by_key(|job| job.0);
        let jobs = jobs.into_iter().enumerate().map(|(id, (submit, run_time, more, processors))| Job {
            id,
            number: id as i64,
            submit,
            run_time,
            limit: run_time + more,
            processors,
            ..Job::default()
        });
        let workload =
            Workload { jobs: jobs.collect(), procs: 8, counts: Counts::default(), unix_start_time: None, nodes: None, site: None };
        let mut watched = Watched::default();
        let outcome = replay(&workload, Setup::default(), &mut watched, &|_| {}).unwrap();
        for (id, job) in outcome.jobs.iter().enumerate() {
            prop_assert!(watched.promised.get(&id).is_none_or(|&promised| job.start <= promised));
        }
    }
}
