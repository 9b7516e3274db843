//! The C functions of machines of nodes and of the pass on them answer as the core does, on random calls.
#![cfg(feature = "capi")]

#[path = "common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use std::ptr::null_mut;
use surefill::backfill::{Criterion, Rule, Step};
use surefill::capi::*;
use surefill::error::Result;
use surefill::nodes::{
    Fit, NodePass, NodePassCapacity, NodePassOptions, Nodes, NodesCapacity, Part, Request, Spread,
};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        splitmix(&mut self.0) % n
    }

    fn amount(&mut self, n: u64) -> u32 {
        self.below(n) as u32
    }
}

fn block(bytes: usize) -> Vec<u64> {
    vec![0; bytes.div_ceil(8)]
}

fn length(block: &[u64]) -> i64 {
    8 * block.len() as i64
}

fn initialised<T>(init: impl FnOnce(*mut T) -> i32) -> T {
    let mut value = std::mem::MaybeUninit::uninit();
    assert_eq!(init(value.as_mut_ptr()), SUREFILL_OK);
    unsafe { value.assume_init() }
}

/// A status of C, and the core's.
fn same<T>(status: i32, core: &Result<T>) -> bool {
    assert_eq!(status, core.as_ref().map_or_else(|error| error.status(), |_| SUREFILL_OK));
    core.is_ok()
}

fn in_c(request: &Request) -> surefill_request {
    surefill_request {
        count: request.count as i32,
        spread: request.spread as i32,
        exclusive: i32::from(request.exclusive),
        features: request.features as i64,
        each: request.each.map(|amount| amount as i32),
        ..initialised(|to| unsafe { surefill_request_init(to, size_of::<surefill_request>() as i64) })
    }
}

fn parts_in_c(parts: &[Part]) -> Vec<surefill_part> {
    parts.iter().map(|part| surefill_part { node: part.node as i32, tasks: part.tasks as i32 }).collect()
}

fn request(random: &mut Random) -> Request {
    Request {
        count: random.amount(5),
        spread: if random.below(2) == 0 { Spread::Nodes } else { Spread::Tasks },
        each: [random.amount(6), random.amount(3), 0, 0, 0, 0, 0, u32::from(random.below(50) == 0)],
        features: random.below(3) / 2,
        exclusive: random.below(6) == 0,
        ..Request::default()
    }
}

const NODES: usize = 6;
const BINS: usize = 5;

#[test]
fn the_defaults_are_the_cores() {
    let (c, ours) = (
        initialised(|to| unsafe {
            surefill_nodes_capacity_init(to, size_of::<surefill_nodes_capacity>() as i64)
        }),
        NodesCapacity::default(),
    );
    assert_eq!(
        [c.nodes, c.classes, c.resources].map(|n| n as u32),
        [ours.nodes, ours.classes, ours.resources]
    );
    assert_eq!([c.jobs, c.parts].map(|n| n as u32), [ours.jobs, ours.parts]);
    let (c, ours) = (
        initialised(|to| unsafe {
            surefill_node_pass_capacity_init(to, size_of::<surefill_node_pass_capacity>() as i64)
        }),
        NodePassCapacity::default(),
    );
    assert_eq!(
        [c.nodes, c.resources, c.running].map(|n| n as u32),
        [ours.nodes, ours.resources, ours.running]
    );
    assert_eq!([c.candidates, c.parts].map(|n| n as u32), [ours.candidates, ours.parts]);
    assert_eq!([c.bins, c.events_per_bin].map(|n| n as u32), [ours.bins, ours.events_per_bin]);
}

/// A machine and a pass, each in the core and in C.
struct Both {
    capacity: NodesCapacity,
    pass_capacity: NodePassCapacity,
    blocks: [Vec<u64>; 4],
    handles: Vec<u32>,
}

impl Both {
    fn new(random: &mut Random) -> Both {
        let capacity = NodesCapacity { nodes: NODES as u32, classes: 2, resources: 2, jobs: 5, parts: 12 };
        let pass_capacity = NodePassCapacity {
            nodes: NODES as u32,
            resources: 2,
            running: 4,
            candidates: 4,
            parts: 12,
            bins: BINS as u32,
            events_per_bin: 2,
        };
        let sizes = [Nodes::size(&capacity).unwrap(), NodePass::size(&pass_capacity).unwrap()];
        let mut both = Both {
            capacity,
            pass_capacity,
            blocks: [block(sizes[0]), block(sizes[1]), block(sizes[0]), block(sizes[1])],
            handles: Vec::new(),
        };
        let nodes_in_c = surefill_nodes_capacity {
            nodes: NODES as i32,
            classes: 2,
            resources: 2,
            jobs: 5,
            parts: 12,
            ..initialised(|to| unsafe {
                surefill_nodes_capacity_init(to, size_of::<surefill_nodes_capacity>() as i64)
            })
        };
        let pass_in_c = surefill_node_pass_capacity {
            nodes: NODES as i32,
            resources: 2,
            running: 4,
            candidates: 4,
            parts: 12,
            bins: BINS as i32,
            events_per_bin: 2,
            ..initialised(|to| unsafe {
                surefill_node_pass_capacity_init(to, size_of::<surefill_node_pass_capacity>() as i64)
            })
        };
        let (mut nodes, mut pass) = (null_mut(), null_mut());
        let mut size = 0;
        unsafe {
            assert_eq!(surefill_nodes_size(&nodes_in_c, &mut size), 0);
            assert_eq!(size, sizes[0] as i64);
            let (memory, room) = (both.blocks[2].as_mut_ptr().cast(), length(&both.blocks[2]));
            assert_eq!(surefill_nodes_init(memory, room, &nodes_in_c, &mut nodes), 0);
            assert_eq!(surefill_node_pass_size(&pass_in_c, &mut size), 0);
            assert_eq!(size, sizes[1] as i64);
            let (memory, room) = (both.blocks[3].as_mut_ptr().cast(), length(&both.blocks[3]));
            assert_eq!(surefill_node_pass_init(memory, room, &pass_in_c, &mut pass), 0);
        }
        NodePass::init(bytemuck::cast_slice_mut(&mut both.blocks[1]), &both.pass_capacity).unwrap();
        let mut core = Nodes::init(bytemuck::cast_slice_mut(&mut both.blocks[0]), &both.capacity).unwrap();
        for class in 0..2 {
            let amounts = [8 - 4 * class as u32, 2 * class as u32, 0, 0, 0, 0, 0, 0];
            let count = 1 + random.amount(NODES as u64 / 2);
            assert_eq!(core.add_class(class, &amounts), Ok(class as u32));
            let first = core.add_nodes(class as u32, count).unwrap();
            let (mut index, mut c_first) = (-1, -1);
            unsafe {
                let given = amounts.map(|amount| amount as i32);
                assert_eq!(surefill_nodes_add_class(nodes, class as i64, given.as_ptr(), 2, &mut index), 0);
                assert_eq!(surefill_nodes_add_nodes(nodes, index, count as i32, &mut c_first), 0);
            }
            assert_eq!((index, c_first), (class as i32, first as i32));
        }
        both
    }

    fn nodes(&mut self) -> (Nodes<'_>, *mut surefill_nodes) {
        let handle = self.blocks[2].as_mut_ptr().cast();
        (Nodes::attach(bytemuck::cast_slice_mut(&mut self.blocks[0])).unwrap(), handle)
    }

    /// Asserts that all answers of the machines are the same; after a checkpoint, too.
    fn compare(&mut self) {
        let handles = self.handles.clone();
        let (core, c) = self.nodes();
        for node in 0..core.count() {
            let mut free = [-1; 2];
            assert_eq!(unsafe { surefill_nodes_free(c, node as i32, free.as_mut_ptr(), 2) }, 0);
            assert_eq!(free.map(|amount| amount as u32), core.free(node).unwrap()[..2]);
        }
        for handle in handles {
            let mut ours = [Part::default(); NODES];
            let found = core.placement(handle, &mut ours).unwrap();
            let mut parts = [surefill_part { node: 0, tasks: 0 }; NODES];
            let (to, mut count) = (parts.as_mut_ptr(), -1);
            let room = NODES as i32;
            assert_eq!(unsafe { surefill_nodes_placement(c, handle as i32, to, room, &mut count) }, 0);
            assert_eq!(count as usize, found);
            let theirs = parts[..found].iter().map(|part| (part.node as u32, part.tasks as u32));
            assert!(theirs.eq(ours[..found].iter().map(|part| (part.node, part.tasks))));
        }
        let mut copy = self.blocks[2].clone();
        let mut opened = null_mut();
        unsafe {
            assert_eq!(surefill_nodes_seal(copy.as_mut_ptr().cast()), 0);
            assert_eq!(surefill_nodes_open(copy.as_mut_ptr().cast(), length(&copy), &mut opened), 0);
        }
        // Everything but the checksum.
        assert_eq!((&copy[..3], &copy[4..]), (&self.blocks[2][..3], &self.blocks[2][4..]));
    }

    fn change(&mut self, random: &mut Random) {
        let wish = request(random);
        let c_wish = in_c(&wish);
        let fit = [Fit::First, Fit::Best, Fit::Apart][random.below(3) as usize];
        let release = random.below(self.handles.len() as u64 + 2) as usize;
        let known = self.handles.get(release).copied();
        let open = (random.amount(NODES as u64 + 1), random.below(4) > 0);
        let mut handles = std::mem::take(&mut self.handles);
        let (mut core, c) = self.nodes();
        match random.below(5) {
            0 | 1 => {
                let handle = known.unwrap_or(7);
                if same(unsafe { surefill_nodes_release(c, handle as i32) }, &core.release(handle)) {
                    handles.remove(release);
                }
            }
            2 => {
                let status = unsafe { surefill_nodes_set_open(c, open.0 as i32, i32::from(open.1)) };
                same(status, &core.set_open(open.0, open.1));
            }
            _ => {
                let mut ours = [Part::default(); NODES];
                let found = core.place(&wish, fit, &mut ours);
                let mut parts = [surefill_part { node: -1, tasks: -1 }; NODES];
                let (to, mut count) = (parts.as_mut_ptr(), -1);
                let status =
                    unsafe { surefill_nodes_place(c, &c_wish, fit as i32, to, NODES as i32, &mut count) };
                if !same(status, &found) {
                    assert_eq!(count, -1);
                } else if let Some(found) = found.unwrap() {
                    assert_eq!(count as usize, found);
                    let mut job = -1;
                    let handle = core.allocate(&wish, &ours[..found]);
                    let status =
                        unsafe { surefill_nodes_allocate(c, &c_wish, parts.as_ptr(), count, &mut job) };
                    if same(status, &handle) {
                        assert_eq!(job as u32, handle.unwrap());
                        handles.push(job as u32);
                    }
                } else {
                    assert_eq!(count, 0);
                }
            }
        }
        self.handles = handles;
    }
}

/// A predicted run time for the core and for C.
fn prediction(random: &mut Random) -> (RuntimeDistribution, Vec<u64>) {
    let counts: Vec<f64> = (0..BINS).map(|_| random.below(4) as f64).collect();
    let rust =
        RuntimeDistribution::from_counts(&RuntimeBins::new(60.0, 2.5, BINS).unwrap(), &counts).unwrap();
    let (mut bins, mut c) = (block(SUREFILL_BINS_SIZE as usize), block(SUREFILL_DISTRIBUTION_SIZE as usize));
    let (mut handle, mut made) = (null_mut(), null_mut());
    unsafe {
        let memory = bins.as_mut_ptr().cast();
        assert_eq!(surefill_bins_init(memory, length(&bins), 60.0, 2.5, BINS as i32, &mut handle), 0);
        let (memory, room) = (c.as_mut_ptr().cast(), length(&c));
        let (given, count) = (counts.as_ptr(), BINS as i32);
        assert_eq!(surefill_distribution_init_counts(memory, room, handle, given, count, &mut made), 0);
    }
    (rust, c)
}

/// A whole pass in the core and in C; returns the number of candidates judged.
fn one_pass(both: &mut Both, random: &mut Random) -> usize {
    let mut head = request(random);
    head.count += 2;
    let [nodes, pass, nodes_in_c, pass_in_c] = &mut both.blocks;
    let mut core = Nodes::attach(bytemuck::cast_slice_mut(nodes)).unwrap();
    let mut ours = NodePass::attach(bytemuck::cast_slice_mut(pass)).unwrap();
    let machine: *mut surefill_nodes = nodes_in_c.as_mut_ptr().cast();
    let theirs: *mut surefill_node_pass = pass_in_c.as_mut_ptr().cast();
    let (id, waited) = (random.below(3) as i64, random.below(500) as i64);
    let begun = ours.begin(&core, 1000, id, &head, &NodePassOptions::default());
    let status = unsafe { surefill_node_pass_begin(theirs, machine, 1000, id, &in_c(&head), waited) };
    if !same(status, &begun) {
        return 0;
    }
    ours.set_head_waited(waited).unwrap();
    for &handle in &both.handles {
        let (rust, c) = prediction(random);
        let (age, limit) = (random.below(300) as i64, random.below(5000) as i64);
        let added = ours.add_running(&core, handle, age, limit, &rust);
        let (job, mut index) = (handle as i32, -1);
        let predicted = c.as_ptr().cast();
        let status = unsafe {
            surefill_node_pass_add_running(theirs, machine, job, age, limit, predicted, &mut index)
        };
        if same(status, &added) {
            assert_eq!(index as usize, added.unwrap());
        }
    }
    let mut candidates = 0;
    for _ in 0..4 {
        let wish = request(random);
        let (rust, c) = prediction(random);
        let limit = random.below(9000) as i64;
        let fit = [Fit::First, Fit::Best, Fit::Apart][random.below(3) as usize];
        let mut parts = [Part::default(); NODES];
        let placed = (random.below(3) == 0).then(|| core.place(&wish, fit, &mut parts).ok().flatten());
        let (given, predicted) = (in_c(&wish), c.as_ptr().cast());
        let (added, status) = if let Some(Some(count)) = placed {
            let own = parts_in_c(&parts[..count]);
            (ours.add_placed(&core, &wish, &parts[..count], limit, &rust), unsafe {
                let (own, count) = (own.as_ptr(), count as i32);
                surefill_node_pass_add_placed(
                    theirs,
                    machine,
                    &given,
                    own,
                    count,
                    limit,
                    predicted,
                    null_mut(),
                )
            })
        } else {
            (ours.add_candidate(&core, &wish, fit, limit, &rust), unsafe {
                let fit = fit as i32;
                surefill_node_pass_add_candidate(theirs, machine, &given, fit, limit, predicted, null_mut())
            })
        };
        candidates += usize::from(same(status, &added));
    }
    let criterion =
        [Criterion::Probability, Criterion::Seconds, Criterion::Relative][random.below(3) as usize];
    let rule = Rule { criterion, threshold: 0.5 + random.below(2) as f64, ..Rule::EXACT };
    let c_rule = surefill_rule {
        criterion: rule.criterion as i32,
        threshold: rule.threshold,
        budget: rule.budget,
        slip: rule.slip,
        guard: rule.guard,
        or_easy: i32::from(rule.or_easy),
        ..initialised(|to| unsafe { surefill_rule_init(to, size_of::<surefill_rule>() as i64) })
    };
    loop {
        let work = 1 + random.below(500);
        let (mut step, mut candidate) = (-1, -7);
        let status = unsafe {
            surefill_node_pass_decide(theirs, machine, &c_rule, work as i64, &mut step, &mut candidate)
        };
        assert_eq!(status, 0);
        match ours.decide(&core, &rule, work).unwrap() {
            Step::Accept(index) => {
                assert_eq!((step, candidate), (SUREFILL_STEP_ACCEPT, index as i32));
                let mut job = -1;
                let handle = ours.commit(&mut core, index);
                let status = unsafe { surefill_node_pass_commit(theirs, machine, candidate, &mut job) };
                if !same(status, &handle) {
                    break;
                }
                assert_eq!(job as u32, handle.unwrap());
                both.handles.push(job as u32);
            }
            Step::More => assert_eq!((step, candidate), (SUREFILL_STEP_MORE, -1)),
            Step::Done => {
                assert_eq!((step, candidate), (SUREFILL_STEP_DONE, -1));
                break;
            }
        }
    }
    for index in 0..candidates {
        let judged = ours.judgement(index).unwrap();
        let (mut delay, mut half_width, mut scenarios, mut verdict) = (-1.0, -1.0, -1, -1);
        let status = unsafe {
            let (c, delay, half_width) = (index as i32, &mut delay, &mut half_width);
            surefill_node_pass_judgement(theirs, c, delay, half_width, &mut scenarios, &mut verdict)
        };
        assert_eq!((status, verdict, scenarios), (0, judged.verdict as i32, judged.scenarios as i32));
        assert_eq!(
            [delay, half_width].map(f64::to_bits),
            [judged.delay, judged.half_width].map(f64::to_bits)
        );
        let mut parts = [Part::default(); NODES];
        let found = ours.placement(index, &mut parts).unwrap();
        let mut placed = [surefill_part { node: 0, tasks: 0 }; NODES];
        let (to, mut count) = (placed.as_mut_ptr(), -1);
        let status =
            unsafe { surefill_node_pass_placement(theirs, index as i32, to, NODES as i32, &mut count) };
        assert_eq!((status, count as usize), (0, found));
        let both = placed[..found].iter().zip(&parts[..found]);
        assert!(both.clone().all(|(c, ours)| (c.node as u32, c.tasks as u32) == (ours.node, ours.tasks)));
    }
    candidates
}

#[test]
fn c_answers_what_the_core_answers() {
    let mut random = Random(5);
    let mut judged = 0;
    for _ in 0..60 {
        let mut both = Both::new(&mut random);
        for _ in 0..12 {
            for _ in 0..4 {
                both.change(&mut random);
            }
            both.compare();
            judged += one_pass(&mut both, &mut random);
            both.compare();
        }
    }
    assert!(judged > 500, "{judged}");
}
