//! Jobs that are tried without being submitted have the reasons that they would have.

use crate::block::{Block, small};
use crate::decisions::{ALL, Way, tell};
use crate::facts::{T, job, running};
use crate::machine::{Kinds, Machine, Random};
use crate::nodes::wide;
use crate::reasons::{ask, plan_all, predicted};
use crate::world::World;
use crate::{longer, nodes_drawn};
use surefill::engine::{Action, JobReport, JobState, Reason, Why};
use surefill::error::{Error, Result};
use surefill::runtime::RuntimeDistribution;

fn try_job(block: &mut Block, report: &JobReport<'_>) -> Result<Reason> {
    let before = block.memory.clone();
    let found = block.cycle(|mut cycle, scheduler| cycle.try_job(scheduler, report));
    assert!(before == block.memory, "a job that is tried has changed the scheduler");
    found
}

/// The job's reason in a copy into which it is submitted.
fn submitted(block: &Block, pool: u32, now: i64, report: &JobReport<'_>) -> Reason {
    let mut copy = block.clone();
    copy.tell(now, report);
    copy.begin(pool, now);
    copy.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)).unwrap();
    let found = ask(&mut copy, report.id).unwrap();
    let start = copy.cycle(|mut cycle, scheduler| cycle.planned(scheduler, report.id)).unwrap();
    assert!(start.is_none() || start == found.start);
    found
}

#[test]
fn a_job_is_tried_without_a_trace() {
    let mut block = Block::of_one(3, 8, "");
    predicted(&mut block, running(1, 5, 600, T), 600);
    predicted(&mut block, job(2, 8, 300), 300);
    block.begin(0, T);
    let tried = JobReport { id: 0, ..job(9, 4, 60) };
    assert_eq!(try_job(&mut block, &tried), Err(Error::WrongState));
    assert_eq!(block.next(), Action::Done);
    assert_eq!(try_job(&mut block, &tried), Err(Error::WrongState));
    plan_all(&mut block, T);
    let alone = ask(&mut block, 2).unwrap();
    let found = try_job(&mut block, &tried).unwrap();
    assert!(found.why == Why::NoRoom && found.start.is_some() && found.job == i64::MAX, "{found:?}");
    // The others are planned with it, until they are planned alone again.
    let narrow = try_job(&mut block, &JobReport { id: 0, ..job(9, 2, 60) }).unwrap();
    assert_eq!((narrow.why, narrow.start), (Why::Planned, Some(T)));
    block.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)).unwrap();
    assert_eq!(ask(&mut block, 2), Ok(alone));
    // A full scheduler has room for a job that is tried.
    predicted(&mut block, job(3, 1, 10), 10);
    plan_all(&mut block, T);
    assert!(try_job(&mut block, &tried).is_ok());
    assert_eq!(
        try_job(&mut block, &JobReport { id: 0, ..job(9, 9, 60) }).map(|found| found.why),
        Ok(Why::Never)
    );
    let held = JobReport { id: 0, state: JobState::Held, why: Why::Dependency, ..job(9, 1, 60) };
    assert_eq!(try_job(&mut block, &held).map(|found| found.why), Ok(Why::Dependency));
    for (wrong, error) in [
        (job(2, 1, 60), Error::DuplicateJob),
        (JobReport { queues: &[1], ..tried }, Error::NoSuchIndex),
        (JobReport { count: 0, ..tried }, Error::OutOfRange),
        (JobReport { state: JobState::Running, ..tried }, Error::OutOfRange),
        (JobReport { state: JobState::Ended, ..tried }, Error::OutOfRange),
        (JobReport { priority: f64::NAN, ..tried }, Error::NotANumber),
        (JobReport { wants: wide(1), ..tried }, Error::OutOfRange),
    ] {
        let scratch = block.scratch.clone();
        assert_eq!(try_job(&mut block, &wrong), Err(error));
        assert!(scratch == block.scratch, "{error:?}");
    }
    // Its reasons are not kept for any job.
    block.close();
    assert_eq!(block.scheduler().reason(2, T).map(|reason| reason.start), Ok(None));
}

const WORDS: [&str; 4] = [
    "preset=fair proposals=5",
    "preset=fast proposals=3 order=priority seconds=40",
    "preset=easy",
    "preset=fair proposals=2 order=free predictor=limit",
];

/// A job that is tried in the midst of a history has the reason that it would have if it were submitted.
#[test]
fn trying_equals_submitting_in_a_copy() {
    let (mut starts, mut later, mut waits) = (0, 0, 0);
    for seed in 0..24 * longer() {
        let words = WORDS[seed as usize % WORDS.len()];
        let mut machine = Machine::new(seed, Kinds { predicted_by_caller: seed % 5 == 0, ..ALL });
        let mut random = Random::new(seed ^ 0x77);
        let mut block = Block::new(&small(60), words);
        for (pool, &units) in machine.units.iter().enumerate() {
            block.scheduler().set_pool(format!("p{pool}").as_bytes(), units, None).unwrap();
        }
        block.unchecked = true;
        for step in 0..60 {
            machine.step();
            tell(&machine, &mut block, Way::Events, &mut random);
            let pools = machine.units.len() as u32;
            let pool = random.below(pools.into()) as u32;
            let now = machine.now;
            let mut asked = block.clone();
            asked.begin(pool, now);
            asked.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)).unwrap();
            for _ in 0..3 {
                let queue = machine.queues.iter().position(|&own| own == pool).unwrap() as u32;
                let prediction = RuntimeDistribution::single(random.spread(9)).unwrap();
                let queues = [queue];
                let report = JobReport {
                    id: random.of(&[1_000_000, -5]),
                    user: random.below(4) as i64,
                    submit: if random.one_in(3) { now - random.spread(12) } else { 0 },
                    limit: random.spread(12),
                    count: 1 + random.below(machine.units[pool as usize].into()) as u32,
                    priority: random.below(3) as f64,
                    tier: random.below(2) as i32,
                    tasks: if random.one_in(4) { random.below(30) as u32 } else { 0 },
                    begin: if random.one_in(9) { now + 50 } else { 0 },
                    queues: &queues,
                    prediction: random.one_in(3).then_some(&prediction),
                    ..JobReport::default()
                };
                let context = format!("seed {seed}, step {step}, {words}, {report:?}");
                let expected = submitted(&block, pool, now, &report);
                assert_eq!(try_job(&mut asked, &report), Ok(expected), "{context}");
                starts += usize::from(expected.why == Why::Planned);
                later += usize::from(expected.why == Why::Later);
                waits += usize::from(expected.why == Why::NoRoom && expected.start.is_some());
            }
            for pool in 0..pools {
                for id in block.pass(pool, now) {
                    machine.start(id);
                }
            }
        }
    }
    assert!(starts > 300 && later > 10 && waits > 300, "{starts} {later} {waits}");
}

#[test]
fn trying_on_nodes_equals_submitting_in_a_copy() {
    let mut whys = std::collections::BTreeMap::new();
    for seed in 0..24 * longer() {
        let words = ["preset=fair proposals=4 predictor=limit", "preset=easy"][seed as usize % 2];
        let mut world = World::new(seed, true, seed % 3 == 0);
        let mut random = Random::new(seed ^ 0x99);
        let mut block = nodes_drawn::new(&world, words);
        block.unchecked = true;
        for step in 0..40 {
            world.step();
            nodes_drawn::tell(&world, &mut block, false, &mut random);
            // The next jobs of another world are tried in this one.
            let mut other = world.clone();
            (0..4).for_each(|_| other.step());
            let strangers: Vec<_> = other
                .jobs
                .iter()
                .filter(|job| job.state.waits() && !world.jobs.iter().any(|known| known.id == job.id))
                .collect();
            for job in strangers {
                let pool = world.pool(job);
                let report = JobReport { submit: 0, begin: 0, ..job.report(world.now) };
                let mut asked = block.clone();
                asked.begin(pool, world.now);
                asked.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)).unwrap();
                let context = format!("seed {seed}, step {step}, {words}, {report:?}");
                let expected = submitted(&block, pool, world.now, &report);
                assert_eq!(try_job(&mut asked, &report), Ok(expected), "{context}");
                *whys.entry(expected.why as u32).or_insert(0) += 1;
            }
            for pool in 0..world.pools() {
                block.begin(pool, world.now);
                while let Action::Start(offer) = block.next() {
                    let parts = nodes_drawn::parts(&mut block, &offer);
                    block.started(offer.number, offer.job);
                    world.start(offer.job, &parts);
                }
                block.close();
            }
        }
    }
    let found = |why: Why| whys.get(&(why as u32)).copied().unwrap_or(0);
    assert!(found(Why::Planned) > 50 && found(Why::NoRoom) > 100 && found(Why::NodesOut) > 10, "{whys:?}");
}
