//! A machine of identical processors with its queue: the view and the actions of a policy. On a machine of nodes the
//! processors are their cores, and the nodes decide what fits ([`crate::replay::nodes`]).

use crate::replay::backfill::Backfill;
use crate::replay::nodes::{NodeState, NodeUse};
use crate::replay::outages::Outages;
use crate::trace::nodes::{Machine, NodesBlock};
use crate::trace::site::Outage;
use crate::trace::workload::{Job, JobId, Workload};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use surefill::error::Error;
use surefill::nodes::{Nodes, Part};

/// A running job in a scheduler's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// Id of the job.
    pub job: JobId,
    /// Time of its start.
    pub start: i64,
    /// Number of processors it holds.
    pub processors: u32,
    /// Its time limit in seconds.
    pub limit: i64,
}

/// The machine's state during a scheduling pass: the view and the actions of a policy.
#[derive(Debug)]
pub struct Cluster<'w> {
    jobs: &'w [Job],
    now: i64,
    processors: u32,
    idle: u32,
    /// Waiting jobs in the policy's order; without one by increasing id, which is first come, first served.
    queue: VecDeque<JobId>,
    /// Scratch of [`Cluster::sort_queue`].
    values: Vec<(f64, JobId)>,
    running: Vec<Running>,
    /// True ends of the running jobs: the replay's event list, by which backfills are judged too. Hidden from policies.
    ends: BTreeSet<(i64, JobId)>,
    starts: Vec<Option<i64>>,
    /// Backfills in the order of their starts: mostly far fewer than the jobs.
    backfills: Vec<(JobId, Backfill)>,
    started: Vec<JobId>,
    decisions: u64,
    /// The nodes, where the machine has any. In a cell because the test of whether a job fits takes `&self`.
    nodes: Option<RefCell<NodeState>>,
    outages: Option<Outages>,
}

impl<'w> Cluster<'w> {
    /// The idle machine before the first job.
    pub(crate) fn new(workload: &'w Workload) -> Cluster<'w> {
        let jobs = &workload.jobs[..];
        Cluster {
            jobs,
            now: 0,
            processors: workload.procs,
            idle: workload.procs,
            queue: VecDeque::new(),
            values: Vec::new(),
            running: Vec::new(),
            ends: BTreeSet::new(),
            starts: vec![None; jobs.len()],
            backfills: Vec::new(),
            started: Vec::new(),
            decisions: 0,
            nodes: NodeState::new(workload).map(RefCell::new),
            outages: Outages::new(workload),
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

    /// The waiting jobs in the policy's order ([`Cluster::sort_queue`]), else first come first; the first is the head
    /// job.
    pub fn queue(&self) -> &VecDeque<JobId> {
        &self.queue
    }

    /// A job of the workload.
    pub fn job(&self, id: JobId) -> &'w Job {
        &self.jobs[id]
    }

    /// The head job: the first of the queue.
    pub fn head(&self) -> Option<&'w Job> {
        self.queue.front().map(|&id| self.job(id))
    }

    /// Whether a job fits the idle processors.
    pub fn fits(&self, job: &Job) -> bool {
        match (&self.nodes, &job.request) {
            (Some(nodes), Some(request)) => nodes.borrow_mut().fits(request),
            _ => job.processors <= self.idle,
        }
    }

    /// Whether the machine is of nodes.
    pub fn has_nodes(&self) -> bool {
        self.nodes.is_some()
    }

    /// The machine of nodes, where it is one.
    pub fn machine(&self) -> Option<Arc<Machine>> {
        self.nodes.as_ref().map(|nodes| nodes.borrow().shared_machine())
    }

    /// The handle of a running job on the nodes.
    pub fn handle(&self, job: JobId) -> Option<u32> {
        self.nodes.as_ref().and_then(|nodes| nodes.borrow().handle(job))
    }

    /// The times without some of the nodes that are known now and not over.
    pub fn known_outages(&self) -> impl Iterator<Item = &Outage> {
        self.outages.iter().flat_map(|outages| outages.known(self.now))
    }

    /// Takes the nodes out, for a policy that cannot keep a reference to them. Nothing else may be asked of the machine
    /// before [`Cluster::put_nodes`] has put them back as they were.
    pub fn take_nodes(&mut self) -> Option<NodesBlock> {
        self.nodes.as_mut().map(|nodes| nodes.get_mut().take_block())
    }

    /// Puts the nodes back that [`Cluster::take_nodes`] has taken out.
    pub fn put_nodes(&mut self, block: NodesBlock) {
        if let Some(nodes) = &mut self.nodes {
            nodes.get_mut().put_block(block);
        }
    }

    /// [`Cluster::start_job`] on these nodes.
    ///
    /// # Errors
    /// Those of [`Nodes::allocate`]: nothing is started then.
    ///
    /// # Panics
    /// When the job does not wait, and on a machine of processors: a mistake in the policy.
    pub fn start_on(&mut self, job: JobId, parts: &[Part]) -> Result<(), Error> {
        let request = self.job(job).request.as_ref().expect("a job on nodes asks for something");
        let handle = self.nodes().allocate(request, parts)?;
        self.node_state().placed(job, handle);
        self.start_job(job);
        Ok(())
    }

    /// [`Cluster::start_on`] of a job that passes none, whatever its place in the queue: no delay is recorded.
    ///
    /// # Errors
    /// Those of [`Nodes::allocate`]: nothing is started then.
    ///
    /// # Panics
    /// When the job does not wait, and on a machine of processors: a mistake in the policy.
    pub fn start_beside(&mut self, job: JobId, parts: &[Part]) -> Result<(), Error> {
        let position = self.position(job).expect("a waiting job to start");
        let request = self.job(job).request.as_ref().expect("a job on nodes asks for something");
        let handle = self.nodes().allocate(request, parts)?;
        self.node_state().placed(job, handle);
        self.queue.remove(position);
        self.start(job);
        Ok(())
    }

    /// The nodes.
    ///
    /// # Panics
    /// On a machine of processors: a mistake in the policy.
    pub(crate) fn nodes(&mut self) -> Nodes<'_> {
        self.node_state().view()
    }

    /// The nodes with the jobs on them.
    ///
    /// # Panics
    /// On a machine of processors: a mistake in the policy.
    pub(crate) fn node_state(&mut self) -> &mut NodeState {
        self.nodes.as_mut().expect("a machine of nodes").get_mut()
    }

    /// Use of the nodes.
    pub(crate) fn node_use(&self) -> Option<NodeUse> {
        self.nodes.as_ref().map(|nodes| nodes.borrow().used())
    }

    /// Place of a waiting job in the queue.
    pub fn position(&self, job: JobId) -> Option<usize> {
        self.queue.iter().position(|&waiting| waiting == job)
    }

    /// Puts the waiting jobs in the order of these values, equal ones first come first. They stay so until the next
    /// call; jobs submitted meanwhile come last.
    pub fn sort_queue(&mut self, mut value: impl FnMut(&Job) -> f64) {
        let jobs = self.jobs;
        self.values.clear();
        self.values.extend(self.queue.iter().map(|&id| (value(&jobs[id]), id)));
        // The values are mostly in order already, which speeds the standard library's sort up.
        self.values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.queue.clear();
        self.queue.extend(self.values.iter().map(|&(_, id)| id));
    }

    /// Puts the waiting jobs in the order of these numbers, smaller first, equal ones as they are.
    pub fn group_queue(&mut self, mut number: impl FnMut(&Job) -> i64) {
        let jobs = self.jobs;
        self.queue.make_contiguous().sort_by_key(|&id| number(&jobs[id]));
    }

    /// Counts `n` candidates as judged: accepted or refused.
    pub fn judged(&mut self, n: u64) {
        self.decisions += n;
    }

    /// Starts jobs from the head of the queue as long as they fit: the first step of every policy.
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

    /// Starts a waiting job ahead of the head job; `predicted` is the delay of the head job that the policy expects of
    /// it, in its criterion's unit. The delay that followed is recorded beside it.
    ///
    /// # Panics
    /// When the job is the head, does not wait, or does not fit: a mistake in the policy.
    pub fn backfill(&mut self, job: JobId, predicted: f64, predicted_s: f64) {
        let position = self.position(job).expect("a waiting job to backfill");
        assert!(position > 0, "the head job cannot overtake itself");
        let head = self.job(self.queue[0]);
        if let Some(nodes) = &mut self.nodes {
            nodes.get_mut().start(&self.jobs[job]);
        }
        let (undisturbed, delayed) = self.head_starts(head, self.job(job));
        let backfill = Backfill {
            head: head.number,
            predicted,
            observed_delay: delayed - undisturbed,
            predicted_s,
            head_wait: undisturbed - self.now,
        };
        self.backfills.push((job, backfill));
        self.queue.remove(position);
        match self.nodes {
            Some(_) => self.run(job),
            None => self.start(job),
        }
    }

    /// Starts a waiting job: as the head job if it is that, else as a backfill that promises no delay.
    ///
    /// # Panics
    /// When the job does not wait or does not fit: a mistake in the policy.
    pub fn start_job(&mut self, job: JobId) {
        if self.queue.front() == Some(&job) {
            self.start_head();
        } else {
            self.backfill(job, 0.0, 0.0);
        }
    }

    fn start(&mut self, id: JobId) {
        let job = self.job(id);
        if let Some(nodes) = &mut self.nodes {
            nodes.get_mut().start(job);
            return self.run(id);
        }
        assert!(
            self.fits(job),
            "job {} needs {} of {} idle processors",
            job.number,
            job.processors,
            self.idle
        );
        self.run(id);
    }

    /// Lets a job that has its place run from now on.
    fn run(&mut self, id: JobId) {
        let job = self.job(id);
        if self.nodes.is_none() {
            self.idle -= job.processors;
        }
        self.starts[id] = Some(self.now);
        self.running.push(Running { job: id, start: self.now, processors: job.processors, limit: job.limit });
        self.ends.insert((self.now + job.run_time, id));
        self.started.push(id);
    }

    /// Earliest starts of the head job if nothing else were started: without the candidate and with it, from the true
    /// ends.
    fn head_starts(&mut self, head: &Job, candidate: &Job) -> (i64, i64) {
        if let (Some(nodes), Some(request)) = (&mut self.nodes, &head.request) {
            // The candidate has its nodes already.
            let nodes = nodes.get_mut();
            let ends = self.ends.iter().copied();
            let undisturbed = nodes.first_fit(self.now, request, ends.clone(), Some(candidate.id));
            let own = (self.now + candidate.run_time, candidate.id);
            let (earlier, later) =
                (ends.clone().take_while(|&end| end <= own), ends.skip_while(|&end| end <= own));
            let with = earlier.chain(std::iter::once(own)).chain(later);
            return (undisturbed, nodes.first_fit(self.now, request, with, None));
        }
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

    /// Time of the next running job's end.
    pub(crate) fn next_end(&self) -> Option<i64> {
        self.ends.first().map(|&(end, _)| end)
    }

    /// Time of the next change of the nodes by an outage.
    pub(crate) fn next_outage(&self) -> Option<i64> {
        self.outages.as_ref().and_then(Outages::next)
    }

    /// Closes and opens nodes up to the present second, and returns them with whether they are open now.
    pub(crate) fn pass_outages(&mut self) -> Vec<(u32, bool)> {
        let Some(outages) = &mut self.outages else { return Vec::new() };
        let changes = outages.pass(self.now);
        for &(node, open) in &changes {
            self.node_state().view().set_open(node, open).expect("a node of the machine");
        }
        changes
    }

    /// Advances the time.
    pub(crate) fn advance(&mut self, now: i64) {
        if let Some(nodes) = &mut self.nodes
            && !(self.running.is_empty() && self.queue.is_empty() && self.now == 0)
        {
            let head = self.queue.front().and_then(|&id| self.jobs[id].request.as_deref());
            nodes.get_mut().pass_time(now - self.now, head);
        }
        self.now = now;
    }

    /// Ends a job whose time has come, if there is one.
    pub(crate) fn end_job(&mut self) -> Option<&'w Job> {
        let &(end, id) = self.ends.first()?;
        if end > self.now {
            return None;
        }
        self.ends.pop_first();
        let position = self.running.iter().position(|running| running.job == id);
        let ended = self.running.remove(position.expect("an ending job runs"));
        match &mut self.nodes {
            Some(nodes) => nodes.get_mut().end(&self.jobs[id]),
            None => self.idle += ended.processors,
        }
        Some(self.job(id))
    }

    /// Adds a job to the queue.
    pub(crate) fn submit(&mut self, id: JobId) {
        self.queue.push_back(id);
    }

    /// The jobs started since the last call.
    pub(crate) fn take_started(&mut self) -> Vec<JobId> {
        std::mem::take(&mut self.started)
    }

    /// Starts of all jobs, by id, and the jobs that overtook the head job, in order of their ids.
    pub(crate) fn into_history(self) -> (Vec<Option<i64>>, Vec<(JobId, Backfill)>) {
        let mut backfills = self.backfills;
        backfills.sort_unstable_by_key(|(id, _)| *id);
        (self.starts, backfills)
    }

    /// Number of candidates judged.
    pub(crate) fn decisions(&self) -> u64 {
        self.decisions
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_fits() {
        let releases = || [(10, 2), (10, 1), (20, 5)].into_iter();
        assert_eq!(first_fit(3, 4, 4, releases()), 3);
        assert_eq!(first_fit(3, 4, 7, releases()), 10);
        assert_eq!(first_fit(3, 4, 8, releases()), 20);
    }
}
