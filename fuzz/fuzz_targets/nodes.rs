//! Bytes as a sequence of C calls on a machine of nodes and a pass on it.
//!
//! Every call: no crash and nothing the address sanitizer objects to, and a documented status. Of the machine,
//! besides: what is free on each node is its capacity less what a list of jobs, kept here, holds there; what is placed
//! fits and is taken. Of a pass: it ends, probabilities are from 0 to 1, and it takes no node that it did not say. Of a
//! forecast: see its module.
#![no_main]

#[path = "nodes/forecast.rs"]
mod forecast;
#[allow(dead_code)]
#[path = "c_calls/input.rs"]
mod input;

use input::Input;
use libfuzzer_sys::fuzz_target;
use std::ptr::{null, null_mut};
use surefill::capi::*;

const NODES: usize = 5;
const CAPACITIES: [[i32; 2]; 2] = [[8, 0], [4, 4]];
const ROOM: i32 = NODES as i32;

/// A job that holds something: its handle, request and parts.
type Held = (i32, surefill_request, Vec<surefill_part>);

struct World {
    machine: Vec<u64>,
    pass: Vec<u64>,
    classes: Vec<usize>,
    jobs: Vec<Held>,
}

fn initialised<T>(init: impl FnOnce(*mut T) -> i32) -> T {
    let mut value = std::mem::MaybeUninit::uninit();
    assert_eq!(init(value.as_mut_ptr()), SUREFILL_OK);
    unsafe { value.assume_init() }
}

/// Whether a call was made; else its status is one.
fn done(status: i32) -> bool {
    assert!((SUREFILL_ERROR_DOES_NOT_FIT..=SUREFILL_OK).contains(&status), "{status}");
    status == SUREFILL_OK
}

fn request(input: &mut Input) -> surefill_request {
    let mut request: surefill_request =
        initialised(|to| unsafe { surefill_request_init(to, size_of::<surefill_request>() as i64) });
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

impl World {
    fn new(input: &mut Input) -> World {
        let capacity = surefill_nodes_capacity {
            nodes: ROOM,
            classes: 2,
            resources: 2,
            jobs: 6,
            parts: 12,
            ..initialised(|to| unsafe {
                surefill_nodes_capacity_init(to, size_of::<surefill_nodes_capacity>() as i64)
            })
        };
        let limits = surefill_node_pass_capacity {
            nodes: ROOM,
            resources: 2,
            running: 6,
            candidates: 4,
            parts: 10,
            bins: 1,
            events_per_bin: 4,
            ..initialised(|to| unsafe {
                surefill_node_pass_capacity_init(to, size_of::<surefill_node_pass_capacity>() as i64)
            })
        };
        let (mut sizes, mut nodes, mut pass) = ([0i64; 2], null_mut(), null_mut());
        let mut world =
            World { machine: Vec::new(), pass: Vec::new(), classes: Vec::new(), jobs: Vec::new() };
        unsafe {
            assert_eq!(surefill_nodes_size(&capacity, &mut sizes[0]), 0);
            assert_eq!(surefill_node_pass_size(&limits, &mut sizes[1]), 0);
            // Exactly as long as they say, so that the address sanitizer sees what lies behind.
            world.machine = vec![u64::MAX; sizes[0] as usize / 8];
            world.pass = vec![u64::MAX; sizes[1] as usize / 8];
            assert_eq!(
                surefill_nodes_init(world.machine.as_mut_ptr().cast(), sizes[0], &capacity, &mut nodes),
                0
            );
            assert_eq!(
                surefill_node_pass_init(world.pass.as_mut_ptr().cast(), sizes[1], &limits, &mut pass),
                0
            );
            for (class, amounts) in CAPACITIES.iter().enumerate() {
                let (mut index, mut first) = (-1, -1);
                assert_eq!(surefill_nodes_add_class(nodes, class as i64, amounts.as_ptr(), 2, &mut index), 0);
                let left = NODES - world.classes.len();
                let count = if class == 0 { input.below(NODES as u8 + 1) } else { left };
                assert_eq!(surefill_nodes_add_nodes(nodes, index, count as i32, &mut first), 0);
                world.classes.extend(std::iter::repeat_n(class, count));
            }
        }
        world
    }

    fn nodes(&mut self) -> *mut surefill_nodes {
        self.machine.as_mut_ptr().cast()
    }

    fn handle(&mut self) -> *mut surefill_node_pass {
        self.pass.as_mut_ptr().cast()
    }

    /// Free is what no job holds.
    fn compare(&mut self) {
        let nodes = self.nodes();
        for (node, &class) in self.classes.iter().enumerate() {
            let (mut expected, mut free, mut alone) = (CAPACITIES[class], [-1; 2], false);
            for (_, request, parts) in &self.jobs {
                for part in parts.iter().filter(|part| part.node == node as i32) {
                    expected[0] -= request.each[0] * part.tasks;
                    expected[1] -= request.each[1] * part.tasks;
                    alone |= request.exclusive != 0;
                }
            }
            assert_eq!(unsafe { surefill_nodes_free(nodes, node as i32, free.as_mut_ptr(), 2) }, 0);
            assert_eq!(free, if alone { [0; 2] } else { expected }, "node {node}");
        }
    }

    fn allocate(&mut self, input: &mut Input) {
        let nodes = self.nodes();
        let wish = request(input);
        let mut parts = vec![surefill_part { node: 0, tasks: 0 }; NODES];
        let (fit, mut count, mut job) = (input.below(5) as i32 - 1, -1, -1);
        if input.below(3) == 0 {
            count = input.below(4) as i32;
            for part in &mut parts[..count as usize] {
                *part = surefill_part { node: input.below(8) as i32 - 1, tasks: input.below(4) as i32 - 1 };
            }
        } else if !done(unsafe {
            surefill_nodes_place(nodes, &wish, fit, parts.as_mut_ptr(), ROOM, &mut count)
        }) {
            return;
        }
        parts.truncate(count as usize);
        if done(unsafe { surefill_nodes_allocate(nodes, &wish, parts.as_ptr(), count, &mut job) }) {
            self.jobs.push((job, wish, parts));
        }
    }

    fn release(&mut self, input: &mut Input) {
        let nodes = self.nodes();
        let job = input.below(8) as i32 - 1;
        let known = self.jobs.iter().position(|held| held.0 == job);
        assert_eq!(done(unsafe { surefill_nodes_release(nodes, job) }), known.is_some());
        if let Some(known) = known {
            self.jobs.remove(known);
        }
    }

    fn whole_pass(&mut self, input: &mut Input) {
        let (nodes, pass) = (self.nodes(), self.handle());
        let head = request(input);
        if !done(unsafe { surefill_node_pass_begin(pass, nodes, 1000, 1, &head, 10) }) {
            return;
        }
        for (job, _, _) in &self.jobs {
            let (age, limit) = (input.below(100) as i64, input.below(250) as i64 * 4);
            done(unsafe {
                surefill_node_pass_add_running(pass, nodes, *job, age, limit, null(), null_mut())
            });
        }
        let mut wishes = Vec::new();
        for _ in 0..input.below(6) {
            let (wish, fit, limit) = (request(input), input.below(4) as i32, input.below(250) as i64 * 20);
            let added = unsafe {
                surefill_node_pass_add_candidate(pass, nodes, &wish, fit, limit, null(), null_mut())
            };
            if done(added) {
                wishes.push(wish);
            }
        }
        let mut rule: surefill_rule =
            initialised(|to| unsafe { surefill_rule_init(to, size_of::<surefill_rule>() as i64) });
        rule.criterion = [0, 2, 3][input.below(3)];
        rule.or_easy = input.below(2) as i32;
        rule.threshold = input.below(10) as f64 / 4.0;
        let work = 1 + input.below(250) as i64 * 8;
        let (mut step, mut candidate) = (-1, -1);
        for round in 0.. {
            assert!(round < 10_000, "the pass does not end");
            if !done(unsafe {
                surefill_node_pass_decide(pass, nodes, &rule, work, &mut step, &mut candidate)
            }) {
                return;
            }
            match step {
                SUREFILL_STEP_ACCEPT => {
                    let mut parts = vec![surefill_part { node: 0, tasks: 0 }; NODES];
                    let (mut count, mut job) = (-1, -1);
                    let to = parts.as_mut_ptr();
                    assert!(done(unsafe {
                        surefill_node_pass_placement(pass, candidate, to, ROOM, &mut count)
                    }));
                    parts.truncate(count as usize);
                    // Else it is not started, and the pass is given up.
                    if input.below(16) == 0
                        || !done(unsafe { surefill_node_pass_commit(pass, nodes, candidate, &mut job) })
                    {
                        return;
                    }
                    self.jobs.push((job, wishes[candidate as usize], parts));
                }
                SUREFILL_STEP_DONE => break,
                _ => assert_eq!(step, SUREFILL_STEP_MORE),
            }
        }
        for index in 0..wishes.len() as i32 {
            let (mut delay, mut half, mut scenarios, mut verdict) = (-1.0, -1.0, -1, -1);
            let status = unsafe {
                surefill_node_pass_judgement(pass, index, &mut delay, &mut half, &mut scenarios, &mut verdict)
            };
            assert!(done(status) && delay >= 0.0 && half >= 0.0 && verdict != SUREFILL_VERDICT_UNDECIDED);
            assert!(rule.criterion != SUREFILL_CRITERION_PROBABILITY || delay <= 1.0 + 1e-12, "{delay}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let input = &mut Input::new(bytes);
    let mut world = World::new(input);
    while !input.is_empty() {
        match input.below(10) {
            0..=2 => world.allocate(input),
            3 => world.release(input),
            4 => {
                let (nodes, node, open) = (world.nodes(), input.below(7) as i32 - 1, input.below(3) as i32);
                done(unsafe { surefill_nodes_set_open(nodes, node, open) });
            }
            5 => {
                // To disk and back.
                let nodes = world.nodes();
                let (mut opened, length) = (null_mut(), 8 * world.machine.len() as i64);
                assert_eq!(unsafe { surefill_nodes_seal(nodes) }, 0);
                world.machine = world.machine.clone();
                let memory = world.machine.as_mut_ptr().cast();
                assert_eq!(unsafe { surefill_nodes_open(memory, length, &mut opened) }, 0);
            }
            6 | 7 => {
                let nodes = world.nodes();
                forecast::whole_forecast(nodes, &world.classes, &world.jobs, input);
            }
            _ => world.whole_pass(input),
        }
        world.compare();
    }
});
