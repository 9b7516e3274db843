//! Event-driven replay of a workload on a machine of identical processors, or of nodes.
//!
//! At one second terminations come before submissions, then the policy makes one scheduling pass. (A job of run time 0
//! ends in the second it starts: that second gets another pass.) A pass happens only when something ended or was
//! submitted, when nodes close or open while jobs wait ([`Outage`](crate::trace::site::Outage)), and when the policy
//! has asked for one ([`Policy::wake`]) and jobs wait.

use crate::replay::machine::Cluster;
use crate::replay::outcome::{JobRecord, Outcome};
use crate::replay::policy::Policy;
use crate::replay::setup::Setup;
use crate::trace::workload::Workload;
use std::time::Instant;

/// Number of jobs between two calls of `progress`.
const PROGRESS: usize = 1024;

/// Number of passes in a row that a policy may ask for on an idle machine without starting a job: then it never will.
const FRUITLESS: u32 = 1000;

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
    let (mut submitted, mut last, mut fruitless) = (0, i64::MIN, 0);
    loop {
        let submission = workload.jobs.get(submitted).map(|job| job.submit);
        let waits = !cluster.queue().is_empty();
        let outage = cluster.next_outage().filter(|_| waits);
        let given = submission.into_iter().chain(cluster.next_end()).chain(outage).min();
        let wake = if waits { policy.wake(last).map(|at| at.max(last + 1)) } else { None };
        let Some(now) = given.into_iter().chain(wake).min() else { break };
        fruitless = if given.is_some() { 0 } else { fruitless + 1 };
        if fruitless > FRUITLESS {
            break;
        }
        last = now;
        cluster.advance(now);
        while let Some(job) = cluster.end_job() {
            policy.ended(job, now);
        }
        for (node, open) in cluster.pass_outages() {
            policy.set_open(node, open);
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
            fruitless = 0;
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
    use crate::trace::site::{Outage, SiteRules};
    use crate::trace::workload::Job;
    use std::sync::Arc;
    use surefill::nodes::Request;

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
        let mut restless = Every { seconds: 7, starts_from: i64::MAX, passes: Vec::new() };
        let stuck = replay(&workload, Setup::default(), &mut restless, &|_| {}).unwrap_err();
        assert_eq!(stuck, Stuck { waiting: 1 });
    }

    /// Wants a pass every few seconds, and starts jobs from a second on.
    struct Every {
        seconds: i64,
        starts_from: i64,
        passes: Vec<i64>,
    }

    impl Policy for Every {
        fn schedule(&mut self, cluster: &mut Cluster<'_>) {
            self.passes.push(cluster.now());
            if cluster.now() >= self.starts_from {
                cluster.start_heads();
            }
        }

        fn wake(&self, now: i64) -> Option<i64> {
            Some(now - now % self.seconds + self.seconds)
        }

        fn knows_nodes(&self) -> bool {
            true
        }
    }

    fn on_one_node(outages: Vec<Outage>) -> Workload {
        let request = Request { count: 1, each: [1000, 0, 0, 0, 0, 0, 0, 0], ..Request::default() };
        let job = |id, submit| Job {
            id,
            submit,
            processors: 1,
            run_time: 5,
            limit: 5,
            request: Some(Arc::new(request)),
            ..Job::default()
        };
        Workload {
            jobs: vec![job(0, 3), job(1, 50)],
            procs: 1,
            counts: Default::default(),
            unix_start_time: None,
            nodes: Some(Arc::new("1x(cores=1)".parse().unwrap())),
            site: Some(Arc::new(SiteRules { outages, ..SiteRules::default() })),
        }
    }

    #[test]
    fn a_policy_is_asked_at_the_seconds_it_wants_while_jobs_wait() {
        let mut policy = Every { seconds: 10, starts_from: 25, passes: Vec::new() };
        let outcome = replay(&on_one_node(Vec::new()), Setup::default(), &mut policy, &|_| {}).unwrap();
        assert_eq!(policy.passes, [3, 10, 20, 30, 35, 50, 55]);
        assert_eq!(outcome.jobs.iter().map(|job| job.start).collect::<Vec<i64>>(), [30, 50]);
    }

    #[test]
    fn no_job_starts_on_closed_nodes_and_those_that_run_run_on() {
        let outage = |from, to| Outage { from, to, known: from, nodes: vec![0] };
        let outages = vec![outage(0, Some(12)), outage(10, Some(17)), outage(51, Some(52))];
        let mut policy = Every { seconds: 1000, starts_from: 0, passes: Vec::new() };
        let outcome = replay(&on_one_node(outages), Setup::default(), &mut policy, &|_| {}).unwrap();
        // The closing and opening of 10 and 12 change nothing, but jobs wait.
        assert_eq!(policy.passes, [3, 10, 12, 17, 22, 50, 55]);
        assert_eq!(outcome.jobs.iter().map(|job| job.end).collect::<Vec<i64>>(), [22, 55]);
        let mut policy = Every { seconds: 1000, starts_from: 0, passes: Vec::new() };
        let closed = on_one_node(vec![outage(0, None)]);
        assert_eq!(
            replay(&closed, Setup::default(), &mut policy, &|_| {}).unwrap_err(),
            Stuck { waiting: 2 }
        );
    }
}
