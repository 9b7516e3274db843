//! Pools of nodes in drawn worlds: every offer fits by a naive machine, EASY is EASY, and one history reported in
//! different ways leads to the same decisions.

use crate::block::{Block, small};
use crate::longer;
use crate::machine::Random;
use crate::world::{Job, World, easy};
use surefill::engine::{Action, JobState, NodeState, Offer, Refusal, SchedulerCapacity};
use surefill::error::Error;
use surefill::nodes::{Fit, Part, Spread};

fn capacity() -> SchedulerCapacity {
    SchedulerCapacity { nodes: 10, kinds: 2, parts: 200, reservations: 4, pools: 3, queues: 6, ..small(60) }
}

pub fn new(world: &World, words: &str) -> Block {
    let mut block = Block::new(&capacity(), words);
    for pool in 0..world.pools() {
        assert_eq!(block.scheduler().set_pool(format!("p{pool}").as_bytes(), 0, None), Ok(pool));
    }
    block
}

/// Reports the machine; repeated unchanged a report changes nothing.
fn tell_machine(world: &World, block: &mut Block) {
    for (queue, (pool, _)) in world.queues.iter().enumerate() {
        block.scheduler().set_queue(format!("q{queue}").as_bytes(), *pool).unwrap();
    }
    for (number, node) in world.nodes.iter().enumerate() {
        block.scheduler().set_node(node.pool, number as u32, &node.report).unwrap();
    }
    for (queue, (_, nodes)) in world.queues.iter().enumerate() {
        block.scheduler().set_queue_nodes(queue as u32, nodes.as_deref()).unwrap();
    }
    for key in 1..3 {
        if !world.booked.iter().any(|booked| booked.key == key) {
            let gone = block.scheduler().remove_reservation(0, key);
            assert!(matches!(gone, Ok(()) | Err(Error::NoSuchIndex)));
        }
    }
    world.booked.iter().for_each(|booked| block.scheduler().set_reservation(&booked.report()).unwrap());
    block.scheduler().set_licences(&world.licences).unwrap();
}

pub fn tell(world: &World, block: &mut Block, listing: bool, random: &mut Random) {
    tell_machine(world, block);
    let now = world.now;
    if !listing {
        for &(_, id) in &world.touched {
            let job = world.jobs.iter().find(|job| job.id == id).unwrap();
            (0..1 + random.below(2)).for_each(|_| block.tell(now, &job.report(now)));
        }
        return;
    }
    let mut rows: Vec<&Job> = world.jobs.iter().collect();
    random.shuffle(&mut rows);
    block.scheduler().list_begin(now).unwrap();
    rows.iter().for_each(|job| block.tell(now, &job.report(now)));
    block.scheduler().list_end(now).unwrap();
}

pub fn parts(block: &mut Block, offer: &Offer) -> Vec<Part> {
    block.cycle(|cycle, _| cycle.parts(offer.number).unwrap().to_vec())
}

/// Asserts that an offer fits beside all jobs that hold room, those with open offers among them.
fn check(world: &World, open: &[(Job, Vec<Part>)], offer: &Offer, parts: &[Part], context: &str) {
    let job = world.jobs.iter().find(|job| job.id == offer.job && !job.is_over()).unwrap();
    assert!(world.may_start(job) && job.queues.contains(&offer.queue), "{context}: {job:?}");
    let mut free = world.free();
    open.iter().for_each(|(job, parts)| free.change(&job.wants, parts, 1));
    assert!(free.is_licensed(&job.wants), "{context}: licences of {job:?}");
    assert!(parts.windows(2).all(|pair| pair[0].node < pair[1].node));
    let mut tasks = 0;
    for part in parts {
        let room = free.room(&job.wants, job.count, part.node as usize);
        assert!(i64::from(part.tasks) <= room && part.tasks > 0, "{context}: {part:?} of {job:?}, {room}");
        assert!(job.wants.spread == Spread::Tasks || part.tasks == 1);
        assert!(world.is(part.node, NodeState::Up), "{context}: {part:?} of {job:?}");
        assert!(world.admits(job, offer.queue, part.node), "{context}: {part:?} of {job:?}");
        tasks += part.tasks;
    }
    assert_eq!(tasks, job.count, "{context}: {job:?}");
    assert_eq!(offer.count, job.count);
}

/// A cycle of a pool in which some offers are refused; returns the numbers of jobs started.
fn cycle(world: &mut World, block: &mut Block, pool: u32, random: &mut Random, context: &str) -> [usize; 2] {
    let mut counts = [0; 2];
    let mut open: Vec<(Job, Vec<Part>)> = Vec::new();
    let mut later = Vec::new();
    block.begin(pool, world.now);
    loop {
        let action = block.next();
        let Action::Start(offer) = action else {
            assert_eq!(action, Action::Done, "{context}");
            break;
        };
        let parts = parts(block, &offer);
        check(world, &open, &offer, &parts, context);
        let job = world.job(offer.job).clone();
        match random.below(8) {
            0 => {
                let why = random.of(&[Refusal::Busy, Refusal::NotNow, Refusal::Never]);
                block.refused(offer.number, why);
                counts[1] += 1;
            }
            1..3 => {
                open.push((job, parts.clone()));
                later.push((offer, parts));
            }
            _ => {
                block.started(offer.number, offer.job);
                world.start(offer.job, &parts);
                counts[0] += 1;
            }
        }
    }
    for (offer, parts) in later {
        block.started(offer.number, offer.job);
        world.start(offer.job, &parts);
        counts[0] += 1;
    }
    block.close();
    counts
}

const WORDS: [&str; 4] = [
    "preset=easy",
    "preset=fair proposals=4 predictor=limit",
    "preset=fast proposals=4 fit=first predictor=limit",
    "preset=easy fit=apart settle=0",
];

#[test]
fn whatever_is_offered_fits() {
    let mut sum = [0; 2];
    for seed in 0..60 * longer() {
        let words = WORDS[seed as usize % 4];
        let mut world = World::new(seed, seed % 3 == 0, seed % 5 == 0);
        let mut random = Random::new(seed ^ 0x99);
        let mut block = new(&world, words);
        block.unchecked = true;
        for step in 0..70 {
            world.step();
            let listing = random.one_in(3);
            tell(&world, &mut block, listing, &mut random);
            for pool in 0..world.pools() {
                let context = format!("seed {seed}, step {step}, pool {pool}, {words}");
                let counts = cycle(&mut world, &mut block, pool, &mut random, &context);
                sum.iter_mut().zip(counts).for_each(|(sum, one)| *sum += one);
            }
        }
    }
    assert!(sum[0] > 1000 && sum[1] > 100, "{sum:?}");
}

#[test]
fn easy_on_nodes_is_easy() {
    let (mut starts, mut passed, mut awaited) = (0, 0, 0);
    for seed in 0..60 * longer() {
        let (words, fit) = if seed % 2 == 0 {
            ("preset=easy fit=best", Fit::Best)
        } else {
            ("preset=easy fit=first", Fit::First)
        };
        let mut world = World::new(seed, true, seed % 3 == 0);
        let mut random = Random::new(seed ^ 0x99);
        let mut block = new(&world, words);
        for step in 0..80 {
            world.step();
            let listing = random.one_in(3);
            tell(&world, &mut block, listing, &mut random);
            for pool in 0..world.pools() {
                let expected = easy(&world, pool, fit);
                block.begin(pool, world.now);
                let mut offered = Vec::new();
                while let Action::Start(offer) = block.next() {
                    let parts = parts(&mut block, &offer);
                    block.started(offer.number, offer.job);
                    passed += usize::from(offer.head != 0);
                    offered.push((offer.job, parts));
                }
                block.close();
                if offered != expected {
                    let now = world.now;
                    for job in world.jobs.iter().filter(|job| !job.is_over()) {
                        println!("{job:?} {} {}", now - job.submit, job.age(now));
                    }
                    world.nodes.iter().for_each(|node| println!("{} {:?}", node.pool, node.report));
                    println!("{now} {:?} {:?} {:?}", world.queues, world.booked, world.licences);
                }
                assert_eq!(offered, expected, "seed {seed}, step {step}, pool {pool}, {words}");
                starts += offered.len();
                offered.iter().for_each(|(id, parts)| world.start(*id, parts));
            }
            awaited +=
                (0..world.nodes.len() as u32).filter(|&node| world.is(node, NodeState::Awaited)).count();
        }
    }
    assert!(starts > 700 && passed > 300 && awaited > 400, "{starts} {passed} {awaited}");
}

/// One history, reported to several engines in different ways.
#[test]
fn one_history_leads_to_the_same_decisions() {
    let mut starts = 0;
    for seed in 500..500 + 6 * longer() {
        let words = WORDS[seed as usize % 3];
        let mut world = World::new(seed, seed % 2 == 0, seed % 3 != 0);
        let mut random = Random::new(seed ^ 0x99);
        let mut blocks: Vec<(usize, Block)> = (0..4).map(|way| (way, new(&world, words))).collect();
        blocks[3].1.disturbed = Some(Random::new(seed));
        for step in 0..30 {
            world.step();
            for (way, block) in &mut blocks {
                let listing = [false, true, random.one_in(2), random.one_in(2)][*way];
                tell(&world, block, listing, &mut random);
            }
            for pool in 0..world.pools() {
                blocks.iter_mut().for_each(|(_, block)| block.begin(pool, world.now));
                loop {
                    let actions: Vec<Action> = blocks.iter_mut().map(|(_, block)| block.next()).collect();
                    let context = format!("seed {seed}, step {step}, pool {pool}, {words}");
                    actions.iter().for_each(|action| assert_eq!(*action, actions[0], "{context}"));
                    let Action::Start(offer) = actions[0] else {
                        assert_eq!(actions[0], Action::Done, "{context}");
                        break;
                    };
                    let all: Vec<_> = blocks.iter_mut().map(|(_, block)| parts(block, &offer)).collect();
                    all.iter().for_each(|parts| assert_eq!(*parts, all[0], "{context}"));
                    if random.one_in(10) {
                        let why = random.of(&[Refusal::Busy, Refusal::NotNow, Refusal::Never]);
                        blocks.iter_mut().for_each(|(_, block)| block.refused(offer.number, why));
                    } else {
                        blocks.iter_mut().for_each(|(_, block)| block.started(offer.number, offer.job));
                        world.start(offer.job, &all[0]);
                        starts += 1;
                    }
                }
                blocks.iter_mut().for_each(|(_, block)| block.close());
            }
            let holding = world.jobs.iter().filter(|job| job.state.has_room()).count();
            let waiting = world.jobs.iter().filter(|job| job.state == JobState::Waiting).count();
            for (way, block) in &mut blocks {
                assert_eq!(block.scheduler().counts(), (waiting, holding), "{seed} {step} {way}");
            }
        }
    }
    assert!(starts > 60, "{starts}");
}
