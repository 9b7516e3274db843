//! Forecasts of pools whose queues share some of their units.

use crate::block::{Block, small};
use crate::facts::{job, running};
use crate::machine::Random;
use surefill::engine::{JobReport, JobState, Region, Scheduler, StartForecast};
use surefill::error::{Error, Result};

const T: i64 = 1_000_000;

/// The levels of these jobs, where each running job holds this of the regions.
fn levels(
    scheduler: &mut Scheduler<'_>,
    regions: &[Region],
    held: &[(i64, &[u32])],
    jobs: &[i64],
) -> Result<Vec<Option<[i64; 5]>>> {
    let size = StartForecast::size_in_regions(&scheduler.capacity(), 20, regions.len())?;
    let mut memory = vec![0x5a5a_5a5a_5a5a_5a5a_u64; size.div_ceil(8)];
    let memory = bytemuck::cast_slice_mut(&mut memory);
    let mut of = |id: i64, row: &mut [u32]| {
        if let Some((_, own)) = held.iter().find(|(job, _)| *job == id) {
            row.copy_from_slice(own);
        }
    };
    let mut forecast = StartForecast::begin_in_regions(memory, scheduler, 0, T, 20, regions, &mut of)?;
    while !forecast.run(scheduler, 100)? {}
    jobs.iter().map(|&id| forecast.levels(id)).collect()
}

/// One region of all units is the pool: every start is that of the forecast that counts.
#[test]
fn one_region_is_the_pool() {
    for seed in 0..30 * crate::longer() {
        let mut random = Random::new(seed);
        let mut block = Block::of_one(100, 32, "preset=easy");
        let (mut idle, mut held, mut jobs) = (32, Vec::new(), Vec::new());
        for id in 1..=40 {
            let (count, limit) = (1 + random.below(20) as u32, 10 + random.spread(14));
            if count <= idle {
                idle -= count;
                block.scheduler().set_job(T, &running(id, count, limit, T - random.below(9) as i64)).unwrap();
                held.push((id, [count]));
            } else {
                block.scheduler().set_job(T, &job(id, count, limit)).unwrap();
                jobs.push(id);
            }
        }
        let mut scheduler = block.scheduler();
        let counted = levels(&mut scheduler, &[], &[], &jobs).unwrap();
        let held: Vec<(i64, &[u32])> = held.iter().map(|(id, row)| (*id, &row[..])).collect();
        let region = Region { units: 32, idle, queues: 1 };
        assert_eq!(levels(&mut scheduler, &[region], &held, &jobs).unwrap(), counted, "{seed}");
    }
}

/// Three units are those of the first queue alone, two are both queues', one is the second's.
const REGIONS: [Region; 3] = [
    Region { units: 3, idle: 0, queues: 0b01 },
    Region { units: 2, idle: 1, queues: 0b11 },
    Region { units: 1, idle: 0, queues: 0b10 },
];

/// A pool of two queues, in which job 1 holds the first queue's units, job 2 one that is shared, and job 3 the
/// second's.
fn of_two(settings: &str) -> Block {
    let mut block = Block::of_one(100, 6, settings);
    let mut scheduler = block.scheduler();
    assert_eq!(scheduler.set_queue(b"other", 0), Ok(1));
    scheduler.set_job(T, &running(1, 3, 1000, T)).unwrap();
    scheduler.set_job(T, &running(2, 1, 500, T)).unwrap();
    scheduler.set_job(T, &JobReport { queues: &[1], ..running(3, 1, 2000, T) }).unwrap();
    block
}

const HELD: [(i64, &[u32]); 3] = [(1, &[3, 0, 0]), (2, &[0, 1, 0]), (3, &[0, 0, 1])];

fn waits(id: i64, count: u32, limit: i64, queue: &'static [u32]) -> JobReport<'static> {
    JobReport { state: JobState::Waiting, queues: queue, ..job(id, count, limit) }
}

/// Nothing is known but limits: every level is the start by them.
fn starts(reports: &[JobReport<'_>]) -> Vec<Option<i64>> {
    let mut block = of_two("preset=easy predictor=limit");
    let mut scheduler = block.scheduler();
    for report in reports {
        scheduler.set_job(T, report).unwrap();
    }
    let ids: Vec<i64> = reports.iter().map(|report| report.id).collect();
    let levels = levels(&mut scheduler, &REGIONS, &HELD, &ids).unwrap();
    levels.into_iter().map(|levels| levels.map(|levels| levels[2])).collect()
}

#[test]
fn jobs_take_the_units_of_their_queues() {
    // Two of the second queue's three units are free when job 2 has ended.
    assert_eq!(starts(&[waits(4, 2, 100, &[1])]), [Some(500)]);
    // All of them when job 3 has.
    assert_eq!(starts(&[waits(4, 3, 100, &[1])]), [Some(2000)]);
    // There are three, and six for a job of either queue.
    assert_eq!(starts(&[waits(4, 4, 100, &[1]), waits(5, 6, 100, &[0, 1])]), [None, Some(2000)]);
    // The job ahead wants all units of the first queue: what is longer does not take the shared one that is idle.
    let ahead = waits(4, 5, 100, &[0]);
    assert_eq!(starts(&[ahead, waits(5, 1, 1000, &[1])]), [Some(1000), Some(0)]);
    assert_eq!(starts(&[ahead, waits(5, 1, 1001, &[1])]), [Some(1000), Some(1100)]);
    // One that leaves a unit over lets it through.
    assert_eq!(starts(&[waits(4, 4, 100, &[0]), waits(5, 1, 5000, &[1])]), [Some(1000), Some(0)]);
}

#[test]
fn wrong_regions_are_refused() {
    let mut block = of_two("preset=easy");
    let mut scheduler = block.scheduler();
    let idle = Region { units: 1, idle: 2, queues: 1 };
    assert_eq!(levels(&mut scheduler, &[idle], &[], &[]), Err(Error::OutOfRange));
    assert_eq!(levels(&mut scheduler, &[Region::default(); 65], &[], &[]), Err(Error::OutOfRange));
    let mut plan = of_two("preset=fair");
    assert_eq!(levels(&mut plan.scheduler(), &REGIONS, &HELD, &[]), Err(Error::Unsupported));
}

/// Thousands of jobs of one queue do not hide a job of another.
#[test]
fn a_jam_of_one_queue_leaves_the_other_alone() {
    let count = 5000;
    let mut block = Block::new(&small(count + 16), "preset=easy");
    let mut scheduler = block.scheduler();
    scheduler.set_pool(b"all", 6, None).unwrap();
    scheduler.set_queue(b"batch", 0).unwrap();
    scheduler.set_queue(b"other", 0).unwrap();
    let last = i64::from(count) + 2;
    scheduler.set_job(T, &running(1, 4, 10_000, T)).unwrap();
    for id in 2..last {
        scheduler.set_job(T, &JobReport { submit: T - 10, ..job(id, 4, 600) }).unwrap();
    }
    scheduler.set_job(T, &JobReport { submit: T - 5, queues: &[1], ..job(last, 2, 600) }).unwrap();
    let regions = [Region { units: 4, idle: 0, queues: 0b01 }, Region { units: 2, idle: 2, queues: 0b10 }];
    let found = levels(&mut scheduler, &regions, &[(1, &[4, 0])], &[last]).unwrap();
    assert_eq!(found, [Some([0; 5])]);
}
