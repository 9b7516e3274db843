//! A machine of nodes and a pass on it: every call is made through C and by the core, on blocks of their own.
//!
//! Every call: the same status and answers from both, and all bytes but the pool's checksum the same after it. Of the
//! machine, besides: what is free on each node is its capacity less what a list of jobs, kept here, holds there; what
//! is placed fits and is taken. Of a pass: it ends, probabilities are from 0 to 1, and it takes no node that it did not
//! say. Of a forecast: see its module.

use super::input::Input;
use super::node_forecast::whole_forecast;
use super::object::{code, counted, initialised};
use super::prediction::Prediction;
use std::ptr::null_mut;
use surefill::backfill::{Criterion, Rule, Step};
use surefill::capi::*;
use surefill::error::{Error, Result};
use surefill::nodes::{
    Fit, NodePass, NodePassCapacity, NodePassOptions, Nodes, NodesCapacity, Part, Request, Spread,
};

const NODES: usize = 5;
pub const CAPACITIES: [[i32; 2]; 2] = [[8, 0], [4, 4]];
const ROOM: i32 = NODES as i32;
const NO_PART: surefill_part = surefill_part { node: -1, tasks: -1 };

/// A job that holds something: its handle, request and parts.
pub type Held = (i32, surefill_request, Vec<surefill_part>);

struct World {
    machine: Vec<u64>,
    pass: Vec<u64>,
    classes: Vec<usize>,
    jobs: Vec<Held>,
}

pub fn request(input: &mut Input) -> surefill_request {
    let mut request: surefill_request = initialised(surefill_request_init);
    request.count = input.below(6) as i32;
    request.spread = input.below(16) as i32 % 3;
    request.exclusive = i32::from(input.below(8) == 0);
    request.features = i64::from(input.below(4) == 0);
    for kind in 0..3 {
        request.each[kind] = input.below(8) as i32 - i32::from(input.below(32) == 0);
    }
    // The third kind is seldom asked for: the machine has two.
    request.each[2] *= i32::from(input.below(16) == 0);
    request
}

/// The same for the core.
fn asked(given: &surefill_request) -> Result<Request> {
    let mut request = Request {
        count: counted(given.count)?,
        spread: Spread::from_number(counted(given.spread)?)?,
        features: given.features as u64,
        exclusive: given.exclusive != 0,
        ..Request::default()
    };
    for (to, from) in request.each.iter_mut().zip(given.each) {
        *to = counted(from)?;
    }
    Ok(request)
}

fn fit_of(number: i32) -> Result<Fit> {
    Fit::from_number(counted(number)?)
}

fn parts_of(given: &[surefill_part]) -> Result<Vec<Part>> {
    let part = |given: &surefill_part| {
        Ok(Part { node: number(given.node, Error::NoSuchIndex)?, tasks: counted(given.tasks)? })
    };
    given.iter().map(part).collect()
}

/// The number of a candidate or of a job.
fn number(index: i32, error: Error) -> Result<u32> {
    u32::try_from(index).map_err(|_| error)
}

impl World {
    fn new(input: &mut Input) -> World {
        let capacity = surefill_nodes_capacity {
            nodes: ROOM,
            classes: 2,
            resources: 2,
            jobs: 6,
            parts: 12,
            ..initialised(surefill_nodes_capacity_init)
        };
        let limits = surefill_node_pass_capacity {
            nodes: ROOM,
            resources: 2,
            running: 6,
            candidates: 4,
            parts: 10,
            bins: 5,
            events_per_bin: 4,
            ..initialised(surefill_node_pass_capacity_init)
        };
        let (mut sizes, mut nodes, mut pass) = ([0i64; 2], null_mut(), null_mut());
        let mut world =
            World { machine: Vec::new(), pass: Vec::new(), classes: Vec::new(), jobs: Vec::new() };
        let n = ROOM as u32;
        let core = NodesCapacity { nodes: n, classes: 2, resources: 2, jobs: 6, parts: 12 };
        let core_limits = NodePassCapacity {
            nodes: n,
            resources: 2,
            running: 6,
            candidates: 4,
            parts: 10,
            bins: 5,
            events_per_bin: 4,
        };
        unsafe {
            assert_eq!(surefill_nodes_size(&capacity, &mut sizes[0]), 0);
            assert_eq!(surefill_node_pass_size(&limits, &mut sizes[1]), 0);
            assert_eq!(sizes[0] as usize, Nodes::size(&core).unwrap());
            assert_eq!(sizes[1] as usize, NodePass::size(&core_limits).unwrap());
            // Exactly as long as they say, so that the address sanitizer sees what lies behind.
            world.machine = vec![u64::MAX; sizes[0] as usize / 8];
            world.pass = vec![u64::MAX; sizes[1] as usize / 8];
            let (mut machine, mut memory) = (world.machine.clone(), world.pass.clone());
            let (to, length) = (world.machine.as_mut_ptr().cast(), sizes[0]);
            assert_eq!(surefill_nodes_init(to, length, &capacity, &mut nodes), 0);
            let (to, length) = (world.pass.as_mut_ptr().cast(), sizes[1]);
            assert_eq!(surefill_node_pass_init(to, length, &limits, &mut pass), 0);
            Nodes::init(bytemuck::cast_slice_mut(&mut machine), &core).unwrap();
            NodePass::init(bytemuck::cast_slice_mut(&mut memory), &core_limits).unwrap();
            assert!(machine == world.machine && memory == world.pass);
        }
        for (class, amounts) in CAPACITIES.iter().enumerate() {
            let (mut index, mut first) = (-1, -1);
            let mut all = [0; 8];
            all[..2].copy_from_slice(&amounts.map(|amount| amount as u32));
            let added = world.both(
                |nodes, _| unsafe {
                    surefill_nodes_add_class(nodes, class as i64, amounts.as_ptr(), 2, &mut index)
                },
                |nodes, _| nodes.add_class(class as u64, &all),
            );
            assert_eq!(added, Some(index as u32));
            let left = NODES - world.classes.len();
            let count = if class == 0 { input.below(NODES as u8 + 1) } else { left };
            let added = world.both(
                |nodes, _| unsafe { surefill_nodes_add_nodes(nodes, index, count as i32, &mut first) },
                |nodes, _| nodes.add_nodes(class as u32, count as u32),
            );
            assert_eq!(added, Some(first as u32));
            world.classes.extend(std::iter::repeat_n(class, count));
        }
        world
    }

    /// Makes a call through C, and by the core on copies of the blocks; the core's answer where both accepted it.
    #[track_caller]
    fn both<T>(
        &mut self,
        c: impl FnOnce(*mut surefill_nodes, *mut surefill_node_pass) -> i32,
        core: impl FnOnce(&mut Nodes, &mut NodePass) -> Result<T>,
    ) -> Option<T> {
        let (mut machine, mut pass) = (self.machine.clone(), self.pass.clone());
        let status = c(self.machine.as_mut_ptr().cast(), self.pass.as_mut_ptr().cast());
        let found = core(
            &mut Nodes::attach(bytemuck::cast_slice_mut(&mut machine)).unwrap(),
            &mut NodePass::attach(bytemuck::cast_slice_mut(&mut pass)).unwrap(),
        );
        assert_eq!(status, code(&found));
        assert!(machine == self.machine && pass == self.pass, "other bytes than the core's");
        found.ok()
    }

    /// Free is what no job holds; and jobs hold their parts.
    fn compare(&mut self) {
        let (classes, jobs) = (self.classes.clone(), self.jobs.clone());
        for (node, &class) in classes.iter().enumerate() {
            let (mut expected, mut free, mut alone) = (CAPACITIES[class], [-1; 2], false);
            for (_, request, parts) in &jobs {
                for part in parts.iter().filter(|part| part.node == node as i32) {
                    expected[0] -= request.each[0] * part.tasks;
                    expected[1] -= request.each[1] * part.tasks;
                    alone |= request.exclusive != 0;
                }
            }
            let core = self.both(
                |nodes, _| unsafe { surefill_nodes_free(nodes, node as i32, free.as_mut_ptr(), 2) },
                |nodes, _| nodes.free(node as u32),
            );
            assert_eq!(free, if alone { [0; 2] } else { expected }, "node {node}");
            assert_eq!(free.map(|amount| amount as u32), core.unwrap()[..2]);
        }
        for (job, _, held) in &jobs {
            let placed = self.placed(
                |nodes, _, parts, count| unsafe { surefill_nodes_placement(nodes, *job, parts, ROOM, count) },
                |nodes, _, parts| nodes.placement(*job as u32, parts),
            );
            assert!(parts_of(&placed.unwrap()) == parts_of(held));
        }
    }

    /// The parts that a call writes through C, and by the core.
    #[track_caller]
    fn placed(
        &mut self,
        c: impl FnOnce(*mut surefill_nodes, *mut surefill_node_pass, *mut surefill_part, *mut i32) -> i32,
        core: impl FnOnce(&mut Nodes, &mut NodePass, &mut [Part]) -> Result<usize>,
    ) -> Option<Vec<surefill_part>> {
        let (mut parts, mut ours, mut count) = ([NO_PART; NODES], [Part::default(); NODES], -1);
        let to = parts.as_mut_ptr();
        let found = self
            .both(|nodes, pass| c(nodes, pass, to, &mut count), |nodes, pass| core(nodes, pass, &mut ours));
        assert_eq!(count, found.map_or(-1, |found| found as i32));
        let found = found?;
        assert_eq!(parts_of(&parts[..found]).as_deref(), Ok(&ours[..found]));
        Some(parts[..found].to_vec())
    }

    fn allocate(&mut self, input: &mut Input) {
        let wish = request(input);
        let fit = input.below(5) as i32 - 1;
        let parts = if input.below(3) == 0 {
            let part = |input: &mut Input| surefill_part {
                node: input.below(8) as i32 - 1,
                tasks: input.below(4) as i32 - 1,
            };
            Some((0..input.below(4)).map(|_| part(input)).collect())
        } else {
            self.placed(
                |nodes, _, parts, count| unsafe {
                    surefill_nodes_place(nodes, &wish, fit, parts, ROOM, count)
                },
                |nodes, _, parts| Ok(nodes.place(&asked(&wish)?, fit_of(fit)?, parts)?.unwrap_or(0)),
            )
        };
        let Some(parts) = parts else { return };
        let (count, mut job) = (parts.len() as i32, -1);
        let allocated = self.both(
            |nodes, _| unsafe { surefill_nodes_allocate(nodes, &wish, parts.as_ptr(), count, &mut job) },
            |nodes, _| nodes.allocate(&asked(&wish)?, &parts_of(&parts)?),
        );
        assert_eq!(allocated.map(|handle| handle as i32).unwrap_or(-1), job);
        if job >= 0 {
            self.jobs.push((job, wish, parts));
        }
    }

    fn release(&mut self, input: &mut Input) {
        let job = input.below(8) as i32 - 1;
        let known = self.jobs.iter().position(|held| held.0 == job);
        let released = self.both(
            |nodes, _| unsafe { surefill_nodes_release(nodes, job) },
            |nodes, _| nodes.release(number(job, Error::UnknownJob)?),
        );
        assert_eq!(released.is_some(), known.is_some());
        if let Some(known) = known {
            self.jobs.remove(known);
        }
    }

    fn whole_pass(&mut self, input: &mut Input) {
        let head = request(input);
        let (id, waited) = (input.below(3) as i64, input.below(250) as i64 * 2);
        let begun = self.both(
            |nodes, pass| unsafe { surefill_node_pass_begin(pass, nodes, 1000, id, &head, waited) },
            |nodes, pass| {
                pass.begin(nodes, 1000, id, &asked(&head)?, &NodePassOptions::default())?;
                pass.set_head_waited(waited)
            },
        );
        if begun.is_none() {
            return;
        }
        for (job, _, _) in self.jobs.clone() {
            let (age, limit) = (input.below(100) as i64, input.below(250) as i64 * 4);
            let (known, mut index) = (Prediction::any(input), -1);
            let added = self.both(
                |nodes, pass| {
                    known.with(|known| unsafe {
                        surefill_node_pass_add_running(pass, nodes, job, age, limit, known, &mut index)
                    })
                },
                |nodes, pass| pass.add_running(nodes, job as u32, age, limit, &known.core()),
            );
            assert_eq!(added.map_or(-1, |added| added as i32), index);
        }
        let mut wishes = Vec::new();
        for _ in 0..input.below(6) {
            let (wish, fit, limit) = (request(input), input.below(4) as i32, input.below(250) as i64 * 20);
            let known = Prediction::any(input);
            // Mostly where the pass finds room, else where the machine has.
            let mut parts = Vec::new();
            if input.below(3) == 0 {
                let placed = self.placed(
                    |nodes, _, parts, count| unsafe {
                        surefill_nodes_place(nodes, &wish, fit, parts, ROOM, count)
                    },
                    |nodes, _, parts| Ok(nodes.place(&asked(&wish)?, fit_of(fit)?, parts)?.unwrap_or(0)),
                );
                parts = placed.unwrap_or_default();
            }
            let (from, count) = (parts.as_ptr(), parts.len() as i32);
            let added = self.both(
                |nodes, pass| {
                    known.with(|known| unsafe {
                        let none = null_mut();
                        match count {
                            0 => {
                                surefill_node_pass_add_candidate(pass, nodes, &wish, fit, limit, known, none)
                            }
                            _ => surefill_node_pass_add_placed(
                                pass, nodes, &wish, from, count, limit, known, none,
                            ),
                        }
                    })
                },
                |nodes, pass| match count {
                    0 => pass.add_candidate(nodes, &asked(&wish)?, fit_of(fit)?, limit, &known.core()),
                    _ => pass.add_placed(nodes, &asked(&wish)?, &parts_of(&parts)?, limit, &known.core()),
                },
            );
            if added.is_some() {
                wishes.push(wish);
            }
        }
        self.decide(input, &wishes);
    }

    fn decide(&mut self, input: &mut Input, wishes: &[surefill_request]) {
        let criteria = [Criterion::Probability, Criterion::Seconds, Criterion::Relative];
        let ours = Rule {
            criterion: criteria[input.below(3)],
            threshold: input.below(10) as f64 / 4.0,
            or_easy: input.below(2) == 1,
            ..Rule::default()
        };
        let rule = surefill_rule {
            criterion: ours.criterion as i32,
            threshold: ours.threshold,
            or_easy: i32::from(ours.or_easy),
            ..initialised(surefill_rule_init)
        };
        let work = 1 + input.below(250) as i64 * 8;
        for round in 0.. {
            assert!(round < 10_000, "the pass does not end");
            let (mut step, mut candidate) = (-1, -1);
            let decided = self.both(
                |nodes, pass| unsafe {
                    surefill_node_pass_decide(pass, nodes, &rule, work, &mut step, &mut candidate)
                },
                |nodes, pass| pass.decide(nodes, &ours, work as u64),
            );
            match decided {
                None => return,
                Some(Step::Accept(index)) => {
                    assert_eq!((step, candidate), (SUREFILL_STEP_ACCEPT, index as i32));
                    let parts = self.placement(candidate);
                    // Else it is not started, and the pass is given up.
                    if input.below(16) == 0 {
                        return;
                    }
                    let mut job = -1;
                    let committed = self.both(
                        |nodes, pass| unsafe { surefill_node_pass_commit(pass, nodes, candidate, &mut job) },
                        |nodes, pass| pass.commit(nodes, index),
                    );
                    let Some(handle) = committed else { return };
                    assert_eq!(handle as i32, job);
                    self.jobs.push((job, wishes[index], parts));
                }
                Some(Step::Done) => {
                    assert_eq!((step, candidate), (SUREFILL_STEP_DONE, -1));
                    break;
                }
                Some(Step::More) => assert_eq!((step, candidate), (SUREFILL_STEP_MORE, -1)),
            }
        }
        for index in 0..wishes.len() as i32 {
            let (mut delay, mut half, mut scenarios, mut verdict) = (-1.0, -1.0, -1, -1);
            let judged = self.both(
                |_, pass| unsafe {
                    let (delay, half) = (&mut delay, &mut half);
                    surefill_node_pass_judgement(pass, index, delay, half, &mut scenarios, &mut verdict)
                },
                |_, pass| pass.judgement(index as usize),
            );
            let judged = judged.unwrap();
            let core = (judged.delay.to_bits(), judged.half_width.to_bits(), judged.verdict as i32);
            assert_eq!((delay.to_bits(), half.to_bits(), verdict), core);
            assert_eq!(scenarios as u32, judged.scenarios);
            assert!(delay >= 0.0 && half >= 0.0 && verdict != SUREFILL_VERDICT_UNDECIDED);
            assert!(rule.criterion != SUREFILL_CRITERION_PROBABILITY || delay <= 1.0 + 1e-12, "{delay}");
            self.placement(index);
        }
    }

    /// The parts of a candidate.
    fn placement(&mut self, candidate: i32) -> Vec<surefill_part> {
        let placed = self.placed(
            |_, pass, parts, count| unsafe {
                surefill_node_pass_placement(pass, candidate, parts, ROOM, count)
            },
            |_, pass, parts| pass.placement(candidate as usize, parts),
        );
        placed.unwrap()
    }

    /// To disk and back.
    fn checkpoint(&mut self) {
        let (before, mut opened, length) = (self.machine.clone(), null_mut(), 8 * self.machine.len() as i64);
        assert_eq!(unsafe { surefill_nodes_seal(self.machine.as_mut_ptr().cast()) }, 0);
        self.machine = self.machine.clone();
        let memory = self.machine.as_mut_ptr().cast();
        assert_eq!(unsafe { surefill_nodes_open(memory, length, &mut opened) }, 0);
        // Everything but the checksum.
        assert!(before[..3] == self.machine[..3] && before[4..] == self.machine[4..]);
    }
}

/// Bytes as calls on a machine and a pass.
pub fn calls(input: &mut Input) {
    let mut world = World::new(input);
    while !input.is_empty() {
        match input.below(10) {
            0..=2 => world.allocate(input),
            3 => world.release(input),
            4 => {
                let (node, open) = (input.below(7) as i32 - 1, input.below(3) as i32);
                world.both(
                    |nodes, _| unsafe { surefill_nodes_set_open(nodes, node, open) },
                    |nodes, _| nodes.set_open(number(node, Error::NoSuchIndex)?, open != 0),
                );
            }
            5 => world.checkpoint(),
            6 | 7 => {
                let nodes = world.machine.as_ptr().cast();
                whole_forecast(nodes, &world.classes, &world.jobs, input);
            }
            _ => world.whole_pass(input),
        }
        world.compare();
    }
}
