//! The decisions: one history reported in different ways, and each decision against an oracle.

use crate::block::{Block, small};
use crate::longer;
use crate::machine::{Kinds, Machine, ORIGIN, Random};
use crate::oracles::{PlanOracle, easy};
use surefill::engine::{Action, JobState, PredictorWord, PresetWord, Refusal};

pub const ALL: Kinds = Kinds {
    predicted_by_caller: false,
    holds: true,
    edits: true,
    failures: true,
    suspensions: true,
    adopted: true,
    pools: true,
    tiers: 2,
    priorities: 3,
    within_limits: false,
};

/// Way of reporting to an engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Way {
    Events,
    Listings,
    Mixed,
}

/// Reports the present state of the machine to an engine.
pub fn tell(machine: &Machine, block: &mut Block, way: Way, random: &mut Random) {
    let now = machine.now;
    for (queue, &pool) in machine.queues.iter().enumerate() {
        block.scheduler().set_queue(format!("q{queue}").as_bytes(), pool).unwrap();
    }
    let listing = way == Way::Listings || way == Way::Mixed && random.one_in(2);
    let events = way == Way::Events || way == Way::Mixed && (!listing || random.one_in(2));
    let pools = |block: &mut Block| {
        for (pool, &units) in machine.units.iter().enumerate() {
            let idle = (machine.strangers[pool] > 0).then_some(machine.idle(pool as u32));
            block.scheduler().set_pool(format!("p{pool}").as_bytes(), units, idle).unwrap();
        }
    };
    if events {
        for &(_, id) in &machine.touched {
            let job = machine.jobs.iter().find(|job| job.id == id).unwrap();
            let report = job.report(std::array::from_ref(&job.queue), now);
            for _ in 0..1 + random.below(2) {
                block.tell(now, &report);
            }
        }
    }
    pools(block);
    if listing {
        let words = block.scheduler().settings();
        let no_matter = words.preset == PresetWord::Easy || words.predictor == PredictorWord::Limit;
        let predicts_nothing = machine.kinds.predicted_by_caller || no_matter;
        let mut rows: Vec<usize> = (0..machine.jobs.len()).collect();
        random.shuffle(&mut rows);
        block.scheduler().list_begin(now).unwrap();
        for row in rows {
            let job = &machine.jobs[row];
            // A job that was withdrawn may be in no row. The engine's predictor counts it until it is forgotten; by
            // events it does not.
            let missing = predicts_nothing && job.state == JobState::Gone && random.one_in(2);
            if !missing {
                block.tell(now, &job.report(std::array::from_ref(&job.queue), now));
            }
        }
        block.scheduler().list_end(now).unwrap();
    }
}

/// Asserts that idle units are those of the machine, and that no job waits or runs twice.
fn check_books(machine: &Machine, block: &mut Block, context: &str) {
    for pool in 0..machine.units.len() as u32 {
        assert_eq!(
            block.scheduler().idle(pool),
            Ok(machine.idle(pool)),
            "{context}: idle units of pool {pool}"
        );
    }
    let waiting = machine.jobs.iter().filter(|job| matches!(job.state, JobState::Waiting | JobState::Held));
    let active = machine.jobs.iter().filter(|job| job.state.has_room());
    let mut expected: Vec<_> = waiting.map(|job| (job.submit, job.id, job.state)).collect();
    expected.sort_by_key(|&(submit, id, _)| (submit, id));
    let mut holding: Vec<i64> = active.map(|job| job.id).collect();
    holding.sort_unstable();
    assert_eq!(block.scheduler().counts(), (expected.len(), holding.len()), "{context}");
    // Each of them is known by a number.
    let known: Vec<(i64, JobState)> =
        (0..).map_while(|number| block.scheduler().known_job(number).unwrap()).collect();
    let (waiting, active) = known.split_at(expected.len());
    let expected: Vec<_> = expected.into_iter().map(|(_, id, state)| (id, state)).collect();
    assert_eq!(waiting, expected, "{context}");
    let mut active: Vec<i64> =
        active.iter().filter(|(_, state)| state.has_room()).map(|(id, _)| *id).collect();
    active.sort_unstable();
    assert_eq!(active, holding, "{context}");
}

/// One history, reported to several engines in different ways: all decide the same.
fn history(seed: u64, settings: &str, kinds: Kinds, ways: &[(Way, bool)], steps: usize) {
    let mut machine = Machine::new(seed, kinds);
    let mut random = Random::new(seed ^ 0x77);
    let mut blocks: Vec<(Way, Block)> = ways
        .iter()
        .map(|&(way, disturbed)| {
            let mut block = Block::new(&small(60), settings);
            block.disturbed = disturbed.then(|| Random::new(seed + 1));
            for (pool, &units) in machine.units.iter().enumerate() {
                block.scheduler().set_pool(format!("p{pool}").as_bytes(), units, None).unwrap();
            }
            (way, block)
        })
        .collect();
    for step in 0..steps {
        machine.step();
        for (way, block) in &mut blocks {
            tell(&machine, block, *way, &mut random);
            check_books(&machine, block, &format!("seed {seed}, step {step}, {way:?}"));
        }
        for pool in 0..machine.units.len() as u32 {
            blocks.iter_mut().for_each(|(_, block)| block.begin(pool, machine.now));
            // Some offers are answered at once, the others later.
            let at_once = random.one_in(2);
            let mut open = Vec::new();
            loop {
                let actions: Vec<Action> = blocks.iter_mut().map(|(_, block)| block.next()).collect();
                for (action, (way, _)) in actions.iter().zip(&blocks) {
                    assert_eq!(
                        *action, actions[0],
                        "seed {seed}, step {step}, pool {pool}, {way:?}, {settings}"
                    );
                }
                let Action::Start(offer) = actions[0] else {
                    assert_eq!(actions[0], Action::Done);
                    break;
                };
                if random.one_in(10) {
                    let why = random.of(&[Refusal::Busy, Refusal::NotNow, Refusal::Never]);
                    blocks.iter_mut().for_each(|(_, block)| block.refused(offer.number, why));
                } else if at_once {
                    blocks.iter_mut().for_each(|(_, block)| block.started(offer.number, offer.job));
                    machine.start(offer.job);
                } else {
                    open.push(offer);
                }
            }
            for offer in open {
                blocks.iter_mut().for_each(|(_, block)| block.started(offer.number, offer.job));
                machine.start(offer.job);
            }
            blocks.iter_mut().for_each(|(_, block)| block.close());
        }
        for (way, block) in &mut blocks {
            check_books(&machine, block, &format!("seed {seed}, step {step}, {way:?}, after the cycles"));
        }
    }
}

const SETTINGS: [&str; 6] = [
    "preset=easy",
    "preset=easy order=free refused=5",
    "preset=fair proposals=6",
    "preset=fast proposals=6 order=free settle=0",
    "preset=fair proposals=6 order=priority seconds=60",
    "preset=fair predictor=limit proposals=6",
];

#[test]
fn events_and_listings_lead_to_the_same_decisions() {
    let ways = [(Way::Events, false), (Way::Listings, false), (Way::Mixed, false)];
    for seed in 0..24 * longer() {
        let kinds = Kinds { predicted_by_caller: seed % 4 == 3, ..ALL };
        history(seed, SETTINGS[seed as usize % 6], kinds, &ways, 80);
    }
}

#[test]
fn nothing_between_calls_matters() {
    let ways = [(Way::Events, false), (Way::Events, true), (Way::Mixed, true)];
    for seed in 1000..1000 + 6 * longer() {
        history(seed, SETTINGS[seed as usize % 6], ALL, &ways, 30);
    }
}

/// Numbers of jobs that started, and of times that a job was passed.
fn against(seed: u64, settings: &str, kinds: Kinds, steps: usize) -> [usize; 3] {
    let mut machine = Machine::new(seed, kinds);
    let mut random = Random::new(seed ^ 0x77);
    let mut block = Block::new(&small(60), settings);
    let words = block.scheduler().settings();
    let mut plan = PlanOracle::new(machine.units.len(), words.seed);
    for (pool, &units) in machine.units.iter().enumerate() {
        block.scheduler().set_pool(format!("p{pool}").as_bytes(), units, None).unwrap();
    }
    let mut counts = [0; 3];
    for step in 0..steps {
        machine.step();
        tell(&machine, &mut block, Way::Mixed, &mut random);
        for (_, id) in machine.touched.clone() {
            let job = machine.jobs.iter().find(|job| job.id == id).unwrap().clone();
            if job.state == JobState::Running && job.start == machine.now && job.submit == machine.now {
                plan.started(machine.pool(&job), &job);
            }
        }
        for pool in 0..machine.units.len() as u32 {
            let expected = match words.preset {
                PresetWord::Easy => easy(&machine, pool, &words),
                _ => plan.decide(&mut machine, pool, &words),
            };
            block.begin(pool, machine.now);
            let mut offered = Vec::new();
            while let Action::Start(offer) = block.next() {
                block.started(offer.number, offer.job);
                machine.start(offer.job);
                let job = machine.job(offer.job).clone();
                plan.started(pool, &job);
                offered.push(offer.job);
                counts[1] += usize::from(offer.head != 0);
            }
            block.close();
            if offered != expected {
                for job in machine.jobs.iter().filter(|job| machine.pool(job) == pool && !job.is_over()) {
                    println!("{job:?} {} {}", job.waited(machine.now), machine.now - ORIGIN);
                }
                println!("{:?} {:?} {:?}", machine.units, machine.strangers, machine.touched);
            }
            assert_eq!(offered, expected, "seed {seed}, step {step}, pool {pool}, {settings}");
            counts[0] += offered.len();
            counts[2] += 1;
        }
    }
    counts
}

/// After a cycle nothing would start before the next one is wanted, if nothing is reported.
fn sleeps(seed: u64, settings: &str, steps: usize) -> [usize; 3] {
    let kinds = Kinds { suspensions: false, within_limits: true, predicted_by_caller: true, ..ALL };
    let mut machine = Machine::new(seed, kinds);
    let mut random = Random::new(seed ^ 0x55);
    let mut block = Block::new(&small(60), settings);
    for (pool, &units) in machine.units.iter().enumerate() {
        block.scheduler().set_pool(format!("p{pool}").as_bytes(), units, None).unwrap();
    }
    let mut counts = [0; 3];
    for _ in 0..steps {
        machine.step();
        tell(&machine, &mut block, Way::Events, &mut random);
        for pool in 0..machine.units.len() as u32 {
            block.begin(pool, machine.now);
            while let Action::Start(offer) = block.next() {
                if random.one_in(5) {
                    block.refused(offer.number, random.of(&[Refusal::Busy, Refusal::NotNow, Refusal::Never]));
                } else {
                    block.started(offer.number, offer.job);
                    machine.start(offer.job);
                }
            }
            block.close();
        }
        let wake = block.scheduler().wake(machine.now).unwrap();
        // Nor has any job reached its limit then.
        let ends = machine.jobs.iter().filter(|job| job.state == JobState::Running);
        let until = ends.map(|job| job.start + job.limit).min().unwrap_or(i64::MAX);
        let until = until.min(wake.map_or(i64::MAX, |wake| wake.0)).min(machine.now + 3000);
        counts[2] += usize::from(wake.is_some());
        if until > machine.now {
            let then = machine.now + random.below((until - machine.now) as u64) as i64;
            let started: usize =
                (0..machine.units.len() as u32).map(|pool| block.would(pool, then).len()).sum();
            counts[0] += 1;
            counts[1] += started;
        }
    }
    counts
}

#[test]
fn nothing_is_missed_asleep() {
    let words = ["preset=easy", "preset=easy order=free refused=20"];
    let counts = sum((0..16 * longer()).map(|seed| sleeps(seed, words[seed as usize % 2], 60)));
    assert_eq!(counts[1], 0, "{counts:?}");
    assert!(counts[0] > 500 && counts[2] > 200, "{counts:?}");
}

fn sum(all: impl Iterator<Item = [usize; 3]>) -> [usize; 3] {
    all.fold([0; 3], |sum, one| std::array::from_fn(|i| sum[i] + one[i]))
}

#[test]
fn easy_is_easy() {
    let words = [
        "preset=easy",
        "preset=easy order=free",
        "preset=easy predictor=limit order=ties tie=50",
        "preset=easy seconds=40",
    ];
    let counts = sum((0..60 * longer()).map(|seed| against(seed, words[seed as usize % 4], ALL, 100)));
    assert!(counts[0] > 3000 && counts[1] > 500 && counts[2] > 5000, "{counts:?}");
}

#[test]
fn the_plan_is_the_naive_plan() {
    let words = [
        "preset=fair proposals=9",
        "preset=fast proposals=5 order=free seed=7",
        "preset=fair proposals=3 order=priority seconds=90",
        "preset=fair order=free front=.5 long=.5 proposals=20",
        "preset=fair order=ties seconds=9 tie=30 proposals=7",
        "preset=fair seconds=20 proposals=7",
    ];
    let counts = sum((0..24 * longer()).map(|seed| {
        let kinds = Kinds { predicted_by_caller: true, ..ALL };
        against(seed, words[seed as usize % words.len()], kinds, 80)
    }));
    assert!(counts[0] > 500 && counts[1] > 100, "{counts:?}");
}
