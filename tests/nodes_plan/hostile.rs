//! Refusals, machines at the ends of their ranges, and requests that can never be met.

use crate::{World, amounts, machine, new_nodes, new_plan, new_waits, plan, waits};
use surefill::error::Error;
use surefill::nodes::{
    Amounts, Fit, MAX_NODES, MAX_TASKS, NodePlan, NodePlanCapacity, Nodes, NodesCapacity, Part, Request,
    Spread,
};
use surefill::plan::{LONGEST, PlanRule, WaitingJob};

/// A job of no tier that has just come.
fn job(id: i64, run_time: i64) -> WaitingJob {
    WaitingJob {
        id,
        processors: 1,
        run_time,
        limit: run_time,
        waited: 0,
        credit: 0,
        tier: 0,
        promised: 0,
        later: false,
    }
}

/// Tasks with this amount of the first kind, each on a node of its own.
fn wide(count: u32, cores: u32) -> Request {
    Request { count, each: amounts(&[cores]), ..Request::default() }
}

/// A pass without running jobs over these waiting ones.
fn alone(
    block: &mut [u64],
    nodes: &Nodes,
    queue: &[(WaitingJob, Request)],
) -> Result<Vec<(usize, Vec<Part>)>, Error> {
    let (mut plan, mut recent) = (plan(block), new_waits(9));
    let recent = waits(&mut recent);
    plan.begin(nodes)?;
    for (job, request) in queue {
        plan.add_waiting(nodes, job, request, Fit::Best)?;
    }
    plan.decide(nodes, &PlanRule::FAIR, &recent, &recent)?;
    Ok(World::decided(&plan, queue.len()).started)
}

#[test]
fn refusals_change_nothing() {
    let small = NodePlanCapacity { nodes: 4, classes: 1, resources: 2, running: 1, waiting: 2, parts: 6 };
    let mut block = new_nodes(
        &NodesCapacity { nodes: 5, classes: 2, resources: 2, jobs: 9, parts: 40 },
        &[(0, amounts(&[4, 4]), 4)],
    );
    let mut nodes = machine(&mut block);
    let mut other = new_plan(&small, 3);
    let mut recent = new_waits(9);
    let recent = waits(&mut recent);
    let mut plan = plan(&mut other);
    let handle = nodes.allocate(&wide(1, 2), &[Part { node: 0, tasks: 1 }]).unwrap();
    let second = nodes.allocate(&wide(1, 1), &[Part { node: 0, tasks: 1 }]).unwrap();
    plan.begin(&nodes).unwrap();
    let request = wide(2, 1);
    let add = |plan: &mut NodePlan, job: &WaitingJob, request: &Request| {
        plan.add_waiting(&nodes, job, request, Fit::Best)
    };
    for (wrong, why) in [
        (WaitingJob { processors: 0, ..job(1, 9) }, Error::OutOfRange),
        (job(1, -1), Error::OutOfRange),
        (WaitingJob { limit: -1, ..job(1, 9) }, Error::OutOfRange),
        (WaitingJob { waited: -9, ..job(1, 9) }, Error::OutOfRange),
        (WaitingJob { credit: i64::MIN, ..job(1, 9) }, Error::OutOfRange),
        (WaitingJob { limit: i64::MAX, ..job(1, 9) }, Error::SpanTooLong),
    ] {
        assert_eq!(add(&mut plan, &wrong, &request), Err(why));
    }
    for wrong in [wide(0, 1), wide(MAX_TASKS + 1, 1), Request { each: amounts(&[1, 1, 1]), ..request }] {
        assert_eq!(add(&mut plan, &job(1, 9), &wrong), Err(Error::OutOfRange));
    }
    assert_eq!(plan.add_running(&nodes, 7, 5, 5), Err(Error::UnknownJob));
    assert_eq!(plan.add_running(&nodes, handle, -1, 5), Err(Error::OutOfRange));
    assert_eq!(plan.add_running(&nodes, handle, 5, i64::MAX), Err(Error::SpanTooLong));
    plan.add_running(&nodes, handle, 5, 5).unwrap();
    assert_eq!(plan.add_running(&nodes, second, 5, 5), Err(Error::Full));
    assert_eq!(add(&mut plan, &job(1, 9), &request), Ok(0));
    assert_eq!(add(&mut plan, &job(2, 9), &request), Ok(1));
    assert_eq!(add(&mut plan, &job(3, 9), &request), Err(Error::Full));
    assert_eq!(plan.planned(2), Err(Error::NoSuchIndex));
    assert!(plan.starting().next().is_none() && plan.planned(0) == Ok(None));
    let wrong = PlanRule { steep: f64::NAN, ..PlanRule::FAIR };
    assert_eq!(plan.decide(&nodes, &wrong, &recent, &recent), Err(Error::NotANumber));
    plan.decide(&nodes, &PlanRule::FAIR, &recent, &recent).unwrap();
    assert_eq!(
        plan.starting().map(|(number, parts)| (number, parts.len())).collect::<Vec<_>>(),
        [(0, 2), (1, 2)]
    );

    // The machine has changed: nothing more of this pass, which stays as it was.
    nodes.set_open(3, false).unwrap();
    assert_eq!(plan.add_running(&nodes, handle, 5, 5), Err(Error::WrongState));
    assert_eq!(plan.add_waiting(&nodes, &job(4, 9), &request, Fit::Best), Err(Error::WrongState));
    assert_eq!(plan.decide(&nodes, &PlanRule::FAIR, &recent, &recent), Err(Error::WrongState));
    assert_eq!(plan.starting().count(), 2);
    // A larger machine is refused.
    let class = nodes.add_class(0, &amounts(&[1])).unwrap();
    assert_eq!(plan.begin(&nodes), Err(Error::OutOfRange));
    nodes.add_nodes(class, 1).unwrap();
    assert_eq!(plan.begin(&nodes), Err(Error::OutOfRange));
    assert_eq!(plan.starting().count(), 2);
    let mut unlike = new_nodes(
        &NodesCapacity { nodes: 1, classes: 1, resources: 1, jobs: 1, parts: 1 },
        &[(0, amounts(&[4]), 1)],
    );
    assert_eq!(plan.begin(&machine(&mut unlike)), Err(Error::OutOfRange));
}

#[test]
fn capacities() {
    let base = NodePlanCapacity::default();
    for wrong in [
        NodePlanCapacity { nodes: 0, ..base },
        NodePlanCapacity { nodes: MAX_NODES + 1, ..base },
        NodePlanCapacity { classes: 0, ..base },
        NodePlanCapacity { resources: 9, ..base },
        NodePlanCapacity { running: (1 << 20) + 1, ..base },
        NodePlanCapacity { waiting: 0, ..base },
        NodePlanCapacity { parts: (1 << 24) + 1, ..base },
    ] {
        assert_eq!(NodePlan::size(&wrong), Err(Error::OutOfRange));
    }
    NodePlan::size(&base).unwrap();
}

/// Where there is no room for the parts of all jobs some of them do not start; the running jobs must have room.
#[test]
fn too_many_parts() {
    let large = NodePlanCapacity { nodes: 6, classes: 1, resources: 1, running: 1, waiting: 9, parts: 99 };
    let own = NodesCapacity { nodes: 6, classes: 1, resources: 1, jobs: 9, parts: 99 };
    let mut block = new_nodes(&own, &[(0, amounts(&[4]), 6)]);
    let mut nodes = machine(&mut block);
    let queue = |wider: u32| -> Vec<(WaitingJob, Request)> {
        (0..9)
            .map(|id| (job(id.into(), 50 + i64::from(id)), wide(1 + (id + wider) % 6, 1 + id % 4)))
            .collect()
    };
    for wider in 0..6 {
        assert!(alone(&mut new_plan(&large, 5), &nodes, &queue(wider)).unwrap().len() > 1);
        for parts in 0..20 {
            let mut short = new_plan(&NodePlanCapacity { parts, ..large }, 5);
            let started = alone(&mut short, &nodes, &queue(wider)).unwrap();
            let held: usize = plan(&mut short).starting().map(|(_, parts)| parts.len()).sum();
            assert!(held <= parts as usize && started.len() <= held, "{held} of {parts}");
        }
    }
    let all: Vec<Part> = (0..6).map(|node| Part { node, tasks: 1 }).collect();
    let handle = nodes.allocate(&wide(6, 1), &all).unwrap();
    let mut short = new_plan(&NodePlanCapacity { parts: 2, ..large }, 5);
    let (mut pass, mut recent) = (plan(&mut short), new_waits(9));
    let recent = waits(&mut recent);
    pass.begin(&nodes).unwrap();
    pass.add_running(&nodes, handle, 10, 10).unwrap();
    let (job, request) = queue(0).swap_remove(0);
    pass.add_waiting(&nodes, &job, &request, Fit::Best).unwrap();
    // A job that fits is started without a look at the running ones.
    pass.add_waiting(&nodes, &job, &wide(6, 4), Fit::Best).unwrap();
    assert_eq!(pass.decide(&nodes, &PlanRule::FAIR, &recent, &recent), Err(Error::Full));
    assert!(pass.starting().next().is_none() && pass.planned(0) == Ok(None));
}

/// Jobs that alone fill a machine to the brim are given it: in units that no node is a multiple of, of tasks that share
/// a node alone, and where more classes than groups are there.
#[test]
fn jobs_that_fill_the_machine() {
    let most = u32::MAX;
    let tasks = |count, cores, exclusive| Request { spread: Spread::Tasks, exclusive, ..wide(count, cores) };
    let one = |capacity: u32, count: u32| vec![(0, amounts(&[capacity]), count)];
    let classes: Vec<(u64, Amounts, u32)> =
        (0..20).map(|class| (1 << class, amounts(&[1 + class]), 1 + class % 3)).collect();
    let last = Request { features: 1 << 19, ..tasks(40, 1, true) };
    for (classes, request) in [
        (one(most, 3), wide(3, most)),
        (one(most, 100), wide(100, most - 1)),
        (one(most - 6, 7), tasks(7, most - 6, false)),
        (one(3, 1), tasks(3, 1, true)),
        (one(4000, 2), tasks(8000, 1, true)),
        (one(30_000, 2), tasks(60_000, 1, false)),
        (classes.clone(), tasks(classes.iter().map(|class| class.1[0] * class.2).sum(), 1, false)),
        (classes.clone(), wide(classes.iter().map(|class| class.2).sum(), 1)),
        (classes.clone(), last),
    ] {
        let nodes: u32 = classes.iter().map(|class| class.2).sum();
        let own = NodesCapacity { nodes, classes: 20, resources: 1, jobs: 9, parts: 999 };
        let mut block = new_nodes(&own, &classes);
        let nodes_here = machine(&mut block);
        let capacity =
            NodePlanCapacity { nodes, classes: 20, resources: 1, running: 9, waiting: 9, parts: 999 };
        let mut plan = new_plan(&capacity, 1);
        // The second of them has no room, so that the queue is planned; the third fits nowhere.
        let wider = Request { count: MAX_TASKS, ..request };
        let queue = [(job(1, 100), request), (job(2, 100), request), (job(3, 1), wider)];
        let started = alone(&mut plan, &nodes_here, &queue).unwrap();
        assert_eq!(
            started.iter().map(|started| started.0).collect::<Vec<_>>(),
            [0],
            "{classes:?} {request:?}"
        );
        assert_eq!(crate::plan(&mut plan).planned(2), Ok(Some(LONGEST)));
        let later = crate::plan(&mut plan).planned(1).unwrap();
        assert_eq!(later, Some(100), "{classes:?} {request:?}");
    }
}

/// A request wider than the machine waits for ever, in front too, and holds no other back.
#[test]
fn a_request_wider_than_the_machine() {
    let own = NodesCapacity { nodes: 4, classes: 1, resources: 1, jobs: 9, parts: 99 };
    let mut block = new_nodes(&own, &[(0, amounts(&[4]), 4)]);
    let nodes = machine(&mut block);
    let capacity = NodePlanCapacity { nodes: 4, classes: 1, resources: 1, running: 0, waiting: 9, parts: 99 };
    let (mut block, mut recent) = (new_plan(&capacity, 1), new_waits(100));
    let mut recent = waits(&mut recent);
    (0..100).for_each(|wait| recent.add(wait).unwrap());
    let mut plan = plan(&mut block);
    plan.begin(&nodes).unwrap();
    let front = WaitingJob { waited: 1 << 30, ..job(1, 1 << 30) };
    plan.add_waiting(&nodes, &front, &wide(5, 1), Fit::Best).unwrap();
    for id in 2..5 {
        plan.add_waiting(&nodes, &job(id, 1 << 40), &wide(1, 4), Fit::Apart).unwrap();
    }
    plan.decide(&nodes, &PlanRule::FAIR, &recent, &recent).unwrap();
    assert_eq!((plan.starting().count(), plan.planned(0)), (3, Ok(Some(LONGEST))));
}

#[test]
fn the_largest_machine() {
    let own = NodesCapacity { nodes: MAX_NODES, classes: 2, resources: 2, jobs: 9, parts: 1 << 17 };
    let mut block =
        new_nodes(&own, &[(0, amounts(&[128, u32::MAX]), MAX_NODES - 1), (1, amounts(&[1 << 31, 7]), 1)]);
    let nodes = machine(&mut block);
    let capacity = NodePlanCapacity {
        nodes: MAX_NODES,
        classes: 2,
        resources: 2,
        running: 9,
        waiting: 9,
        parts: 1 << 18,
    };
    let all = Request { each: amounts(&[128, u32::MAX]), ..wide(MAX_NODES - 1, 128) };
    let queue = [
        (job(1, 100), all),
        (job(2, 100), all),
        (job(3, 9), wide(1, 1 << 31)),
        (job(4, 9), wide(MAX_NODES, 1)),
    ];
    let mut plan = new_plan(&capacity, 9);
    let started = alone(&mut plan, &nodes, &queue).unwrap();
    assert_eq!(started.iter().map(|(_, parts)| parts.len()).max(), Some(MAX_NODES as usize - 1));
    assert!((0..4).all(|number| crate::plan(&mut plan).planned(number).unwrap().is_some()));
}

/// Behind a job of a higher tier the front job has room by the sums of free amounts, but not on the nodes: it waits,
/// and is guarded from a job that might run beyond its reservation.
#[test]
fn the_front_job_behind_a_higher_tier() {
    let own = NodesCapacity { nodes: 2, classes: 1, resources: 1, jobs: 9, parts: 99 };
    let mut block = new_nodes(&own, &[(0, amounts(&[4]), 2)]);
    let nodes = machine(&mut block);
    let capacity = NodePlanCapacity { nodes: 2, classes: 1, resources: 1, running: 0, waiting: 9, parts: 99 };
    let (mut block, mut recent) = (new_plan(&capacity, 1), new_waits(100));
    let mut recent = waits(&mut recent);
    (0..100).for_each(|wait| recent.add(wait).unwrap());
    let higher = WaitingJob { tier: 1, ..job(1, 100) };
    let front = WaitingJob { waited: 1 << 20, ..job(2, 100) };
    for (limit, started) in [(100, vec![0, 2]), (101, vec![0])] {
        let mut plan = plan(&mut block);
        plan.begin(&nodes).unwrap();
        let last = WaitingJob { limit, ..job(3, 50) };
        for (job, request) in [(higher, wide(1, 3)), (front, wide(2, 2)), (last, wide(1, 4))] {
            plan.add_waiting(&nodes, &job, &request, Fit::Best).unwrap();
        }
        plan.decide(&nodes, &PlanRule { slack: 0.0, ..PlanRule::FAIR }, &recent, &recent).unwrap();
        assert_eq!(plan.starting().map(|(number, _)| number).collect::<Vec<_>>(), started, "{limit}");
        assert_eq!(plan.planned(1), Ok(Some(100)));
    }
}
