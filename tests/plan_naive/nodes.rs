//! The plan on a machine of whole, like nodes, which must be that of as many processors.

use crate::Waits;
use crate::naive::Running;
use surefill::nodes::{
    Amounts, Fit, NodePlan, NodePlanCapacity, Nodes, NodesCapacity, Part, Request, Spread,
};
use surefill::plan::{PlanRule, WaitingJob};

/// Room for everything that the worlds bring.
const CAPACITY: NodePlanCapacity =
    NodePlanCapacity { nodes: 600, classes: 1, resources: 2, running: 400, waiting: 400, parts: 1 << 15 };

/// A plan that goes on from pass to pass, on a machine that is made anew for each.
pub struct OnNodes {
    memory: Vec<u64>,
    shape: u64,
}

/// The numbers of the jobs that start, in the plan's order, the planned starts, and the promise.
pub struct Decided {
    pub started: Vec<usize>,
    pub planned: Vec<Option<u32>>,
    pub promised: Option<(usize, u32)>,
}

/// The request of a job of this number of processors: nodes, each as a whole.
fn request(processors: u32, shape: u64) -> Request {
    let (mut each, exclusive) = (Amounts::default(), shape % 3 == 1);
    each[0] = if exclusive { 1 } else { 4 };
    let spread = if shape % 3 == 2 { Spread::Tasks } else { Spread::Nodes };
    Request { count: processors, each, exclusive, spread, ..Request::default() }
}

impl OnNodes {
    pub fn new(seed: u64) -> OnNodes {
        let mut memory = vec![u64::MAX; NodePlan::size(&CAPACITY).unwrap().div_ceil(8)];
        NodePlan::init(bytemuck::cast_slice_mut(&mut memory), &CAPACITY, seed).unwrap();
        OnNodes { memory, shape: seed }
    }

    /// A pass.
    pub fn pass(
        &mut self,
        rule: &PlanRule,
        (idle, running, queue): (u32, &[Running], &[WaitingJob]),
        (recent, counted): (&mut Waits, &mut Waits),
    ) -> Decided {
        let busy: u32 = running.iter().map(|job| job.processors).sum();
        let (shape, like) = (self.shape, [4, 7, 0, 0, 0, 0, 0, 0]);
        let nodes =
            NodesCapacity { nodes: idle + busy + 3, classes: 1, resources: 2, jobs: 400, parts: 1 << 12 };
        let mut memory = vec![0_u64; Nodes::size(&nodes).unwrap().div_ceil(8)];
        let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &nodes).unwrap();
        let class = nodes.add_class(0, &like).unwrap();
        nodes.add_nodes(class, idle + busy + 3).unwrap();
        for closed in [0, (idle + busy) / 2 + 1, idle + busy + 2] {
            nodes.set_open(closed, false).unwrap();
        }
        let handles: Vec<u32> = running
            .iter()
            .map(|job| {
                let (request, mut parts) = (request(job.processors, shape), [Part::default(); 600]);
                let count = nodes.place(&request, Fit::First, &mut parts).unwrap().expect("there are enough");
                nodes.allocate(&request, &parts[..count]).unwrap()
            })
            .collect();
        let mut plan = NodePlan::attach(bytemuck::cast_slice_mut(&mut self.memory)).unwrap();
        plan.begin(&nodes).unwrap();
        for (job, &handle) in running.iter().zip(&handles) {
            plan.add_running(&nodes, handle, job.ends_in, job.limit_in).unwrap();
        }
        let fit = [Fit::First, Fit::Best, Fit::Apart][(shape % 3) as usize];
        for (number, job) in queue.iter().enumerate() {
            assert_eq!(plan.add_waiting(&nodes, job, &request(job.processors, shape), fit), Ok(number));
        }
        plan.decide(&nodes, rule, &recent.object(), &counted.object()).unwrap();
        let mut started = Vec::new();
        for (number, parts) in plan.starting() {
            // All starting jobs have room together.
            nodes.allocate(&request(queue[number].processors, shape), parts).unwrap();
            started.push(number);
        }
        let planned = (0..queue.len()).map(|number| plan.planned(number).unwrap());
        Decided { started, planned: planned.collect(), promised: plan.promised() }
    }
}
