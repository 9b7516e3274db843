//! A machine of nodes in a replay: the placements of jobs, their first possible starts, and the use of the nodes.

use crate::trace::nodes::{Machine, NodesBlock};
use crate::trace::workload::{Job, JobId, Workload};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use surefill::nodes::{MAX_RESOURCES, Nodes, Part, Request};

/// Use of the nodes between the first submission and the last end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeUse {
    /// The machine, as it was written.
    pub machine: String,
    /// Utilization of each resource by name: the amounts that jobs held over those of the nodes.
    pub used: Vec<(String, f64)>,
    /// The share of that time in which a head job waited.
    pub waiting_share: f64,
    /// The share of that waiting in which enough of every resource was free in all on nodes that match its request, but
    /// on the wrong ones of them.
    pub fragmented_share: f64,
}

impl NodeUse {
    /// The mean over several replays; `None` where there is none.
    pub fn mean(of: &[NodeUse]) -> Option<NodeUse> {
        let count = of.len() as f64;
        let mut mean = of.first()?.clone();
        for other in &of[1..] {
            for (own, other) in mean.used.iter_mut().zip(&other.used) {
                own.1 += other.1;
            }
            mean.waiting_share += other.waiting_share;
            mean.fragmented_share += other.fragmented_share;
        }
        for (_, used) in &mut mean.used {
            *used /= count;
        }
        mean.waiting_share /= count;
        mean.fragmented_share /= count;
        Some(mean)
    }
}

/// A machine of nodes with the jobs on it.
#[derive(Debug)]
pub(crate) struct NodeState {
    machine: Arc<Machine>,
    block: NodesBlock,
    /// A copy on which a question is played forward.
    scratch: NodesBlock,
    parts: Vec<Part>,
    /// The core's handles of the running jobs, by id.
    handles: Vec<Option<u32>>,
    /// Amounts in use now, kind by kind, and their integrals over time.
    held: [u64; MAX_RESOURCES],
    integral: [f64; MAX_RESOURCES],
    /// Seconds in all, with a head job that waits, and with one that fits the free amounts in all.
    seconds: [f64; 3],
}

/// The amounts of a request in all.
fn in_all(request: &Request) -> [u64; MAX_RESOURCES] {
    request.each.map(|each| u64::from(each) * u64::from(request.count))
}

impl NodeState {
    pub(crate) fn new(workload: &Workload) -> Option<NodeState> {
        let machine = workload.nodes.clone()?;
        let nodes = machine.nodes() as usize;
        let parts = |job: &Job| job.request.as_ref().map_or(0, |request| (request.count as usize).min(nodes));
        let block = NodesBlock::new(&machine, workload.jobs.len(), workload.jobs.iter().map(parts).sum());
        Some(NodeState {
            scratch: block.clone(),
            block,
            parts: vec![Part::default(); nodes],
            handles: vec![None; workload.jobs.len()],
            held: [0; MAX_RESOURCES],
            integral: [0.0; MAX_RESOURCES],
            seconds: [0.0; 3],
            machine,
        })
    }

    pub(crate) fn view(&mut self) -> Nodes<'_> {
        self.block.view()
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn shared_machine(&self) -> Arc<Machine> {
        Arc::clone(&self.machine)
    }

    pub(crate) fn take_block(&mut self) -> NodesBlock {
        std::mem::take(&mut self.block)
    }

    pub(crate) fn put_block(&mut self, block: NodesBlock) {
        self.block = block;
    }

    /// The handle of a running job.
    pub(crate) fn handle(&self, job: JobId) -> Option<u32> {
        self.handles[job]
    }

    /// Whether anything of the first kind of resource is free.
    pub(crate) fn has_idle(&self) -> bool {
        self.machine.total()[0] > self.held[0]
    }

    /// Whether a job finds room now.
    pub(crate) fn fits(&mut self, request: &Request) -> bool {
        self.block.view().fits(request).expect("the workload's requests are the machine's")
    }

    /// Notes the handle of a job that a pass has placed.
    pub(crate) fn placed(&mut self, job: JobId, handle: u32) {
        self.handles[job] = Some(handle);
    }

    /// Starts a job on the nodes of its pass, else on nodes that fit.
    pub(crate) fn start(&mut self, job: &Job) {
        let request = job.request.as_ref().expect("a job on nodes asks for something");
        if self.handles[job.id].is_none() {
            let fit = self.machine.fit.unwrap_or_default();
            let mut nodes = self.block.view();
            let placed = nodes.place(request, fit, &mut self.parts).expect("room for all nodes");
            let count = placed.unwrap_or_else(|| panic!("job {} does not fit the nodes", job.number));
            let handle = nodes.allocate(request, &self.parts[..count]).expect("a placement just found");
            self.handles[job.id] = Some(handle);
        }
        for (held, more) in self.held.iter_mut().zip(in_all(request)) {
            *held += more;
        }
    }

    pub(crate) fn end(&mut self, job: &Job) {
        let request = job.request.as_ref().expect("a job on nodes asks for something");
        let handle = self.handles[job.id].take().expect("an ending job runs");
        self.block.view().release(handle).expect("a running job's handle");
        for (held, less) in self.held.iter_mut().zip(in_all(request)) {
            *held -= less;
        }
    }

    /// The free amounts in all on the nodes with the features of a request, kind by kind.
    fn free_for(&mut self, request: &Request) -> [u64; MAX_RESOURCES] {
        if request.features == 0 {
            let total = self.machine.total();
            return std::array::from_fn(|kind| total[kind] - self.held[kind]);
        }
        let (mut free, mut node) = ([0; MAX_RESOURCES], 0);
        let nodes = self.block.view();
        for class in &self.machine.classes {
            if class.features & request.features == request.features {
                for node in node..node + class.count {
                    let left = nodes.free(node).expect("a node of the machine");
                    free.iter_mut().zip(left).for_each(|(free, left)| *free += u64::from(left));
                }
            }
            node += class.count;
        }
        free
    }

    /// Adds `span` seconds with this head job waiting.
    pub(crate) fn pass_time(&mut self, span: i64, head: Option<&Request>) {
        let span = span as f64;
        for (integral, held) in self.integral.iter_mut().zip(self.held) {
            *integral += held as f64 * span;
        }
        self.seconds[0] += span;
        if let Some(head) = head {
            let free = self.free_for(head);
            let enough = in_all(head).iter().zip(free).all(|(wanted, free)| *wanted <= free);
            self.seconds[1] += span;
            self.seconds[2] += if enough { span } else { 0.0 };
        }
    }

    pub(crate) fn used(&self) -> NodeUse {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let [all, waiting, fragmented] = self.seconds;
        let kinds = self.machine.resources.iter().enumerate();
        let used = kinds.map(|(kind, name)| {
            let had = self.machine.total()[kind] as f64 * all;
            (name.clone(), share(self.integral[kind], had))
        });
        NodeUse {
            machine: self.machine.to_string(),
            used: used.collect(),
            waiting_share: share(waiting, all),
            fragmented_share: share(fragmented, waiting),
        }
    }

    /// Earliest start of a head job if these jobs ended so and nothing else were started; jobs in `gone` are left out.
    /// From the true ends, for the outcome of a backfill.
    pub(crate) fn first_fit(
        &mut self,
        now: i64,
        head: &Request,
        ends: impl Iterator<Item = (i64, JobId)>,
        gone: Option<JobId>,
    ) -> i64 {
        self.scratch.copy_from(&self.block);
        let mut nodes = self.scratch.view();
        let release = |nodes: &mut Nodes<'_>, job: JobId| {
            let handle = self.handles[job].expect("a running job has a handle");
            nodes.release(handle).expect("a running job's handle");
        };
        if let Some(job) = gone {
            release(&mut nodes, job);
        }
        let mut time = now;
        for (end, job) in ends {
            if end > time && nodes.fits(head).expect("the workload's requests are the machine's") {
                break;
            }
            release(&mut nodes, job);
            time = end;
        }
        time
    }
}
