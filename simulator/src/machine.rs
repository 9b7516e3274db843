//! Event-driven replay of a workload on a machine of identical processors.
//!
//! At one second terminations come before submissions, then the policy makes one scheduling pass. (A job of run time 0
//! ends in the second it starts: that second gets another pass.) A pass happens only when something ended or was
//! submitted: a policy has no timer.

use crate::outcome::{Backfill, JobRecord, Outcome, Setup};
use crate::policy::Policy;
use crate::workload::{Job, JobId, Workload};
use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

/// Jobs between two calls of `progress`.
const PROGRESS: usize = 1024;

/// A running job, as a scheduler sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// Which job.
    pub job: JobId,
    /// When it started.
    pub start: i64,
    /// Processors it holds.
    pub processors: u32,
    /// Its time limit.
    pub limit: i64,
}

/// The machine's state during a scheduling pass: what a policy sees and may do.
#[derive(Debug)]
pub struct Cluster<'w> {
    jobs: &'w [Job],
    now: i64,
    processors: u32,
    idle: u32,
    /// Waiting jobs by increasing id, which is first come, first served.
    queue: VecDeque<JobId>,
    running: Vec<Running>,
    /// True ends of the running jobs: the replay's event list, and the truth that backfills are judged by. Policies never
    /// see it.
    ends: BTreeSet<(i64, JobId)>,
    starts: Vec<Option<i64>>,
    backfills: Vec<Option<Backfill>>,
    started: Vec<JobId>,
    decisions: u64,
}

impl<'w> Cluster<'w> {
    fn new(workload: &'w Workload) -> Cluster<'w> {
        let jobs = &workload.jobs[..];
        Cluster {
            jobs,
            now: 0,
            processors: workload.procs,
            idle: workload.procs,
            queue: VecDeque::new(),
            running: Vec::new(),
            ends: BTreeSet::new(),
            starts: vec![None; jobs.len()],
            backfills: vec![None; jobs.len()],
            started: Vec::new(),
            decisions: 0,
        }
    }

    /// The present second.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Processors that no job holds.
    pub fn idle(&self) -> u32 {
        self.idle
    }

    /// All processors of the machine.
    pub fn processors(&self) -> u32 {
        self.processors
    }

    /// The running jobs, in the order they started.
    pub fn running(&self) -> &[Running] {
        &self.running
    }

    /// The waiting jobs, first come first; the first is the head job.
    pub fn queue(&self) -> &VecDeque<JobId> {
        &self.queue
    }

    /// A job of the workload.
    pub fn job(&self, id: JobId) -> &'w Job {
        &self.jobs[id]
    }

    /// The job that has waited longest.
    pub fn head(&self) -> Option<&'w Job> {
        self.queue.front().map(|&id| self.job(id))
    }

    /// Whether a job fits the idle processors.
    pub fn fits(&self, job: &Job) -> bool {
        job.processors <= self.idle
    }

    /// Counts `n` candidates as judged: accepted or refused.
    pub fn judged(&mut self, n: u64) {
        self.decisions += n;
    }

    /// Starts jobs from the head of the queue as long as they fit: where every policy begins.
    pub fn start_heads(&mut self) {
        while let Some(head) = self.head()
            && self.fits(head)
        {
            self.start_head();
        }
    }

    /// Starts the head job.
    ///
    /// # Panics
    /// When there is none or it does not fit: a mistake in the policy.
    pub fn start_head(&mut self) {
        let head = self.queue.pop_front().expect("a head job to start");
        self.start(head);
    }

    /// Starts a waiting job ahead of the head job; `predicted` is the delay of the head job that the policy expects of it,
    /// in its criterion's unit. What really came of it is recorded beside.
    ///
    /// # Panics
    /// When the job is the head, does not wait, or does not fit: a mistake in the policy.
    pub fn backfill(&mut self, job: JobId, predicted: f64) {
        let position = self.queue.binary_search(&job).expect("a waiting job to backfill");
        assert!(position > 0, "the head job cannot overtake itself");
        let head = self.job(self.queue[0]);
        let (undisturbed, delayed) = self.head_starts(head, self.job(job));
        self.backfills[job] = Some(Backfill {
            head: head.number,
            predicted,
            observed_delay: delayed - undisturbed,
            head_wait: undisturbed - self.now,
        });
        self.queue.remove(position);
        self.start(job);
    }

    fn start(&mut self, id: JobId) {
        let job = self.job(id);
        assert!(
            self.fits(job),
            "job {} needs {} of {} idle processors",
            job.number,
            job.processors,
            self.idle
        );
        self.idle -= job.processors;
        self.starts[id] = Some(self.now);
        self.running.push(Running { job: id, start: self.now, processors: job.processors, limit: job.limit });
        self.ends.insert((self.now + job.run_time, id));
        self.started.push(id);
    }

    /// When the head job could first start if nothing else were started: without the candidate and with it, from the true
    /// ends.
    fn head_starts(&self, head: &Job, candidate: &Job) -> (i64, i64) {
        let releases = || self.ends.iter().map(|&(end, id)| (end, self.jobs[id].processors));
        let undisturbed = first_fit(self.now, self.idle, head.processors, releases());
        let end = self.now + candidate.run_time;
        // The candidate's end takes its place among the others; the order within one second does not matter.
        let earlier = releases().take_while(|&(t, _)| t <= end);
        let later = releases().skip_while(|&(t, _)| t <= end);
        let with = earlier.chain(std::iter::once((end, candidate.processors))).chain(later);
        let delayed = first_fit(self.now, self.idle - candidate.processors, head.processors, with);
        (undisturbed, delayed)
    }

    fn end_jobs(&mut self, policy: &mut dyn Policy) {
        while let Some(&(end, id)) = self.ends.first()
            && end <= self.now
        {
            self.ends.pop_first();
            let position = self.running.iter().position(|running| running.job == id);
            let ended = self.running.remove(position.expect("an ending job runs"));
            self.idle += ended.processors;
            policy.ended(self.job(id), self.now);
        }
    }
}

/// The first time at which `wanted` processors are free, from releases in order of time.
fn first_fit(now: i64, idle: u32, wanted: u32, releases: impl Iterator<Item = (i64, u32)>) -> i64 {
    let mut free = idle;
    let mut time = now;
    for (end, processors) in releases {
        if free >= wanted {
            break;
        }
        free += processors;
        time = end;
    }
    time
}

/// The policy made no more progress: jobs wait, nothing runs and nothing will be submitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy left {waiting} jobs waiting on an idle machine")]
pub struct Stuck {
    /// How many jobs wait.
    pub waiting: usize,
}

/// Replays a workload under a policy. `progress` is told now and then how many more jobs have been
/// submitted.
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
        let end = cluster.ends.first().map(|&(end, _)| end);
        let Some(now) = submission.into_iter().chain(end).min() else { break };
        cluster.now = now;
        cluster.end_jobs(policy);
        while let Some(job) = workload.jobs.get(submitted).filter(|job| job.submit <= now) {
            cluster.queue.push_back(job.id);
            policy.submitted(job, now);
            submitted += 1;
            if submitted.is_multiple_of(PROGRESS) {
                progress(PROGRESS);
            }
        }
        let pass = Instant::now();
        policy.schedule(&mut cluster);
        pass_seconds.push(pass.elapsed().as_secs_f32());
        for id in std::mem::take(&mut cluster.started) {
            policy.started(cluster.job(id), now);
        }
    }
    progress(submitted % PROGRESS);
    if !cluster.queue.is_empty() {
        return Err(Stuck { waiting: cluster.queue.len() });
    }
    let jobs = workload.jobs.iter().zip(&cluster.starts).zip(&cluster.backfills);
    let jobs = jobs.map(|((job, start), backfill)| {
        let start = start.expect("every job left the queue");
        JobRecord {
            number: job.number,
            user: job.user,
            submit: job.submit,
            start,
            end: start + job.run_time,
            processors: job.processors,
            limit: job.limit,
            backfill: *backfill,
        }
    });
    Ok(Outcome {
        setup,
        jobs: jobs.collect(),
        passes: pass_seconds.len() as u64,
        decisions: cluster.decisions,
        pass_seconds,
        wall_seconds: begun.elapsed().as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts nothing.
    struct Idle;

    impl Policy for Idle {
        fn schedule(&mut self, _cluster: &mut Cluster<'_>) {}
    }

    #[test]
    fn a_policy_that_leaves_jobs_waiting_is_an_error() {
        let job = Job { processors: 1, run_time: 5, limit: 5, ..Job::default() };
        let workload =
            Workload { jobs: vec![job], procs: 1, counts: Default::default(), unix_start_time: None };
        let stuck = replay(&workload, Setup::default(), &mut Idle, &|_| {}).unwrap_err();
        assert_eq!(stuck, Stuck { waiting: 1 });
    }

    #[test]
    fn first_fits() {
        let releases = || [(10, 2), (10, 1), (20, 5)].into_iter();
        assert_eq!(first_fit(3, 4, 4, releases()), 3);
        assert_eq!(first_fit(3, 4, 7, releases()), 10);
        assert_eq!(first_fit(3, 4, 8, releases()), 20);
    }
}
