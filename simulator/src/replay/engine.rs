//! Event-driven replay of a workload on a machine of identical processors, or of nodes.
//!
//! At one second terminations come before submissions, then the policy makes one scheduling pass. (A job of run time 0
//! ends in the second it starts: that second gets another pass.) A pass happens only when something ended or was
//! submitted: a policy has no timer.

use crate::replay::machine::Cluster;
use crate::replay::outcome::{JobRecord, Outcome};
use crate::replay::policy::Policy;
use crate::replay::setup::Setup;
use crate::trace::workload::Workload;
use std::time::Instant;

/// Number of jobs between two calls of `progress`.
const PROGRESS: usize = 1024;

/// The policy made no more progress: jobs wait, none runs and none will be submitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy left {waiting} jobs waiting on an idle machine")]
pub struct Stuck {
    /// Number of waiting jobs.
    pub waiting: usize,
}

/// Replays a workload under a policy. `progress` is called now and then with the number of jobs submitted since.
///
/// # Errors
/// [`Stuck`].
pub fn replay(
    workload: &Workload,
    setup: Setup,
    policy: &mut dyn Policy,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Outcome, Stuck> {
    let begun = Instant::now();
    let mut cluster = Cluster::new(workload);
    let mut pass_seconds = Vec::new();
    let mut submitted = 0;
    loop {
        let submission = workload.jobs.get(submitted).map(|job| job.submit);
        let Some(now) = submission.into_iter().chain(cluster.next_end()).min() else { break };
        cluster.advance(now);
        while let Some(job) = cluster.end_job() {
            policy.ended(job, now);
        }
        while let Some(job) = workload.jobs.get(submitted).filter(|job| job.submit <= now) {
            cluster.submit(job.id);
            policy.submitted(job, now);
            submitted += 1;
            if submitted.is_multiple_of(PROGRESS) {
                progress(PROGRESS);
            }
        }
        let pass = Instant::now();
        policy.schedule(&mut cluster);
        pass_seconds.push(pass.elapsed().as_secs_f32());
        for id in cluster.take_started() {
            policy.started(cluster.job(id), now);
        }
    }
    progress(submitted % PROGRESS);
    if !cluster.queue().is_empty() {
        return Err(Stuck { waiting: cluster.queue().len() });
    }
    let (decisions, nodes) = (cluster.decisions(), cluster.node_use());
    let (starts, backfills) = cluster.into_history();
    let mut backfills = backfills.into_iter().peekable();
    let jobs = workload.jobs.iter().zip(starts).map(|(job, start)| {
        let start = start.expect("every job left the queue");
        let backfill = backfills.next_if(|(id, _)| *id == job.id).map(|(_, backfill)| backfill);
        JobRecord {
            number: job.number,
            user: job.user,
            submit: job.submit,
            start,
            end: start + job.run_time,
            processors: job.processors,
            limit: job.limit,
            backfill,
        }
    });
    Ok(Outcome {
        setup,
        jobs: jobs.collect(),
        passes: pass_seconds.len() as u64,
        decisions,
        pass_seconds,
        wall_seconds: begun.elapsed().as_secs_f64(),
        nodes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::workload::Job;

    /// Starts nothing.
    struct Idle;

    impl Policy for Idle {
        fn schedule(&mut self, _cluster: &mut Cluster<'_>) {}
    }

    #[test]
    fn a_policy_that_leaves_jobs_waiting_is_an_error() {
        let job = Job { processors: 1, run_time: 5, limit: 5, ..Job::default() };
        let workload = Workload {
            jobs: vec![job],
            procs: 1,
            counts: Default::default(),
            unix_start_time: None,
            nodes: None,
            site: None,
        };
        let stuck = replay(&workload, Setup::default(), &mut Idle, &|_| {}).unwrap_err();
        assert_eq!(stuck, Stuck { waiting: 1 });
    }
}
