//! Groups of running jobs, and decisions in slices of work.

use super::{LIMIT, Random, block, judge_all, pass_capacity, releases, runtime};
use surefill::backfill::{Criterion, Rule, Step};
use surefill::error::Error;
use surefill::nodes::{Fit, NodePass, NodePassOptions, Nodes, NodesCapacity, Part, Request, Spread};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Two jobs on two nodes, and a head job that wants both: it waits for the longer of the two. In a group that shares
/// all draws they end together, and it waits as for one; in one that shares half of them, it does so in a quarter of
/// the scenarios.
#[test]
fn jobs_of_a_group_end_together() {
    let all = [8, 0, 0, 0, 0, 0, 0, 0];
    let capacity = NodesCapacity { nodes: 2, classes: 1, resources: 2, jobs: 4, parts: 8 };
    let mut memory = block(Nodes::size(&capacity).unwrap());
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
    let class = nodes.add_class(0, &all).unwrap();
    nodes.add_nodes(class, 2).unwrap();
    let whole = Request { count: 1, each: all, ..Request::default() };
    let jobs = [0, 1].map(|node| nodes.allocate(&whole, &[Part { node, tasks: 1 }]).unwrap());
    let edges = RuntimeBins::new(60.0, 2.5, 5).unwrap();
    let runtime = RuntimeDistribution::from_counts(&edges, &[3.0, 1.0, 0.0, 2.0, 2.0]).unwrap();
    let ends = releases(&runtime, 0, 5000);
    let mean: f64 = ends.iter().map(|end| end.probability * end.after as f64).sum();
    let pairs = ends.iter().flat_map(|a| ends.iter().map(move |b| (a, b)));
    let longer: f64 = pairs.map(|(a, b)| a.probability * b.probability * a.after.max(b.after) as f64).sum();
    let limits = pass_capacity(2, 2);
    let mut block = block(NodePass::size(&limits).unwrap());
    let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
    let (both, idle) = (Request { count: 2, ..whole }, Request { each: [0; 8], ..whole });
    let mut waits = |shared: f64, groups: [i64; 2]| {
        let mut sum = 0.0;
        for seed in 0..400 {
            let options = NodePassOptions { seed, scenarios: 64, shared, ..NodePassOptions::default() };
            pass.begin(&nodes, 0, 1, &both, &options).unwrap();
            for (job, group) in jobs.into_iter().zip(groups) {
                let index = pass.add_running(&nodes, job, 0, 5000, &runtime).unwrap();
                pass.set_group(index, group).unwrap();
            }
            assert_eq!(pass.set_group(2, 0), Err(Error::NoSuchIndex));
            pass.add_candidate(&nodes, &idle, Fit::Best, 10, &LIMIT).unwrap();
            judge_all(&mut pass, &nodes, &Rule::EXACT, u64::MAX, 1);
            assert_eq!(pass.set_group(0, 0), Err(Error::WrongState));
            sum += pass.head_wait().unwrap().value;
        }
        sum / 400.0
    };
    // 25,600 scenarios: the standard error is below a two-hundredth of the mean.
    for (shared, groups, expected) in [
        (0.0, [7, 7], longer),
        (1.0, [7, 8], longer),
        (1.0, [7, 7], mean),
        (0.5, [7, 7], 0.25 * mean + 0.75 * longer),
    ] {
        let found = waits(shared, groups);
        assert!((found / expected - 1.0).abs() < 0.01, "{shared} {groups:?}: {found} {expected}");
    }
    assert!(longer > 1.3 * mean);
    for wrong in [-0.1, 1.1, f64::INFINITY] {
        let options = NodePassOptions { shared: wrong, ..NodePassOptions::default() };
        assert_eq!(
            pass.begin(&nodes, 0, 1, &Request { count: 2, ..whole }, &options),
            Err(Error::OutOfRange)
        );
    }
}

/// However the work is cut, the verdicts, delays and placements are the same, with what is accepted committed.
#[test]
fn work_in_slices_changes_nothing() {
    let mut random = Random(17);
    let mut accepted = 0;
    for case in 0..150 {
        let seed = random.next();
        let run = |work: u64| {
            let mut random = Random(seed);
            let capacity = NodesCapacity { nodes: 6, classes: 1, resources: 2, jobs: 32, parts: 128 };
            let mut memory = block(Nodes::size(&capacity).unwrap());
            let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
            let class = nodes.add_class(0, &[8, 2, 0, 0, 0, 0, 0, 0]).unwrap();
            nodes.add_nodes(class, 6).unwrap();
            let wish = |random: &mut Random| Request {
                count: random.within(1, 4),
                spread: [Spread::Nodes, Spread::Tasks][random.below(2) as usize],
                each: [random.within(1, 6), random.within(0, 1), 0, 0, 0, 0, 0, 0],
                ..Request::default()
            };
            let limits = pass_capacity(6, 2);
            let mut block = block(NodePass::size(&limits).unwrap());
            let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
            let mut parts = [Part::default(); 6];
            let mut handles = Vec::new();
            for _ in 0..10 {
                let request = wish(&mut random);
                if let Some(count) = nodes.place(&request, Fit::First, &mut parts).unwrap() {
                    handles.push(nodes.allocate(&request, &parts[..count]).unwrap());
                }
            }
            let head = Request { count: 6, each: [8, 0, 0, 0, 0, 0, 0, 0], ..Request::default() };
            let options = NodePassOptions { seed, shared: 0.5, ..NodePassOptions::default() };
            pass.begin(&nodes, 0, 1, &head, &options).unwrap();
            for (index, handle) in handles.into_iter().enumerate() {
                let belief = runtime(&mut random, 5);
                pass.add_running(&nodes, handle, random.below(500) as i64, 5000, &belief).unwrap();
                pass.set_group(index, random.below(3) as i64).unwrap();
            }
            for _ in 0..8 {
                let (request, belief) = (wish(&mut random), runtime(&mut random, 5));
                let fit = [Fit::First, Fit::Best, Fit::Apart][random.below(3) as usize];
                pass.add_candidate(&nodes, &request, fit, 100 + random.below(5000) as i64, &belief).unwrap();
            }
            let criterion = [Criterion::Probability, Criterion::Seconds, Criterion::Relative];
            let rule = Rule { criterion: criterion[random.below(3) as usize], threshold: 0.2, ..Rule::EXACT };
            let mut commits = Vec::new();
            loop {
                match pass.decide(&nodes, &rule, work).unwrap() {
                    Step::Accept(index) => {
                        let count = pass.placement(index, &mut parts).unwrap();
                        commits.push((index, parts[..count].to_vec()));
                        pass.commit(&mut nodes, index).unwrap();
                    }
                    Step::More => (),
                    Step::Done => break,
                }
            }
            let judged: Vec<_> = (0..8).map(|index| pass.judgement(index).unwrap()).collect();
            (commits, judged)
        };
        let whole = run(u64::MAX);
        for work in [1, 7, 300] {
            assert_eq!(run(work), whole, "case {case}, {work}");
        }
        accepted += whole.0.len();
    }
    assert!(accepted > 100, "{accepted}");
}
