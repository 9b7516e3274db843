//! Predicted starts in bursts, jams, outages and under clocks that jump: none beyond what is known.

use crate::block::Block;
use crate::facts::over;
use crate::machine::Random;
use std::collections::BTreeMap;
use surefill::engine::{Action, JobReport, JobState, StartForecast};
use surefill::plan::LONGEST;

const DAY: i64 = 86_400;
const UNITS: u32 = 24;
/// Number of jobs that the block has room for.
const ROOM: u32 = 48;

/// A job as its manager knows it.
#[derive(Clone, Copy)]
struct Known {
    count: u32,
    limit: i64,
    submit: i64,
    begin: i64,
    /// Its end, if it runs.
    end: Option<i64>,
}

/// A manager whose clock and machine misbehave, and the engine.
struct Site {
    random: Random,
    block: Block,
    memory: Vec<u64>,
    /// The manager's clock, and the engine's, which stands still while that is up to a minute behind it.
    now: i64,
    clock: i64,
    units: u32,
    /// Whether jobs may have no limit.
    unlimited: bool,
    jobs: BTreeMap<i64, Known>,
    last: i64,
    /// The longest wait that has come.
    longest: i64,
    answers: u64,
    capped: u64,
    stalled: u64,
}

impl Site {
    fn new(seed: u64) -> Site {
        let mut random = Random::new(seed);
        let words =
            random.of(&["", "preset=easy", "preset=fast", "order=priority seconds=60", "predictor=limit"]);
        let unlimited = random.one_in(4);
        let mut block = Block::of_one(ROOM, UNITS, words);
        block.unchecked = true;
        let size = StartForecast::size(&block.scheduler().capacity(), 3).unwrap();
        Site {
            random,
            block,
            memory: vec![0; size.div_ceil(8)],
            now: 1_000_000,
            clock: 1_000_000,
            units: UNITS,
            unlimited,
            jobs: BTreeMap::new(),
            last: 0,
            longest: 0,
            answers: 0,
            capped: 0,
            stalled: 0,
        }
    }

    /// Before each report and question.
    fn set_clock(&mut self) {
        if !(0..=60).contains(&(self.clock - self.now)) {
            self.clock = self.now;
        }
    }

    fn submit(&mut self) {
        if self.jobs.len() as u32 >= ROOM {
            return;
        }
        self.set_clock();
        self.last += 1;
        let random = &mut self.random;
        let limit = random.spread(18) + 1;
        let is_unlimited = self.unlimited && random.one_in(3);
        let widest = random.of(&[3, 3, 3, 3, u64::from(UNITS)]);
        let job = Known {
            count: 1 + random.below(widest) as u32,
            limit,
            submit: self.now,
            begin: if random.one_in(20) { self.now + random.spread(18) } else { 0 },
            end: None,
        };
        let (tier, priority) = (random.below(40) as i32 / 39, random.below(9) as f64);
        let report = JobReport {
            id: self.last,
            user: random.below(4) as i64,
            submit: job.submit,
            begin: job.begin,
            limit: if is_unlimited { 0 } else { limit },
            count: job.count,
            tier,
            priority,
            state: JobState::Waiting,
            queues: &[0],
            ..JobReport::default()
        };
        self.block.tell(self.now, &report);
        self.jobs.insert(self.last, job);
    }

    /// The first job ends, or fails, or is cancelled while it waits.
    fn end(&mut self) {
        let running = self.jobs.iter().filter_map(|(&id, job)| job.end.map(|end| (end, id))).min();
        let id = match running {
            Some((_, id)) => id,
            None if self.random.one_in(3) => match self.jobs.keys().next() {
                Some(&id) => id,
                None => return,
            },
            None => return,
        };
        let state = match self.jobs.remove(&id).unwrap().end {
            // Ends come late, and clocks go back.
            Some(end) => {
                self.now = self.now.max(end).min(self.now + DAY);
                self.random.of(&[JobState::Ended, JobState::Ended, JobState::Broken])
            }
            None => JobState::Gone,
        };
        self.set_clock();
        self.block.tell(self.now, &over(id, state, 0));
    }

    fn pass(&mut self) {
        self.set_clock();
        self.block.begin(0, self.now);
        while let Action::Start(offer) = self.block.next() {
            self.block.start(&offer);
            let job = self.jobs.get_mut(&offer.job).unwrap();
            let run = 1 + self.random.below(job.limit as u64) as i64;
            job.end = Some(self.now + if self.random.one_in(9) { job.limit } else { run });
            self.longest = self.longest.max(self.clock - job.submit);
        }
        self.block.close();
    }

    fn machine(&mut self) {
        self.units = self.random.of(&[0, 1, UNITS / 2, UNITS, UNITS, UNITS]);
        self.block.scheduler().set_pool(b"all", self.units, None).unwrap();
    }

    /// Seconds in which a job that waits now starts, if all is known that can be.
    fn range(&self) -> i64 {
        if self.unlimited {
            return LONGEST.into();
        }
        let area: i64 = self.jobs.values().map(|job| job.limit * i64::from(job.count)).sum();
        let begins = |job: &Known| (job.begin - self.clock).max(0);
        let longest = self.jobs.values().map(|job| job.limit + begins(job)).max().unwrap_or(0);
        (2 * area / i64::from(self.units.max(1)) + longest).max(3 * self.longest).max(2 * DAY)
    }

    fn ask(&mut self) {
        self.set_clock();
        let range = self.range();
        let mut scheduler = self.block.scheduler();
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        let mut forecast = StartForecast::begin(memory, &mut scheduler, 0, self.now, 3).unwrap();
        while !forecast.run(&mut scheduler, 1 << 20).unwrap() {}
        for (&id, job) in self.jobs.iter().filter(|(_, job)| job.end.is_none()) {
            let Some(start) = forecast.report(&mut scheduler, id).unwrap() else {
                assert!(job.count > self.units, "{id} has no answer");
                continue;
            };
            let (first, last) = (self.clock.max(job.begin), self.clock + range);
            assert!(start.by.is_sorted() && start.by[0] >= first, "{id}: {start:?} before {first}");
            assert!(start.by[4] <= last.max(job.begin), "{id}: {start:?} beyond {last}");
            // The levels that are not known are the last ones, at the end of the range.
            let known = (0..5).filter(|&level| start.known(level).is_some()).count();
            assert_eq!(known < 5, start.capped, "{id}: {start:?}");
            assert!((0..known).all(|level| start.known(level) == Some(start.by[level])), "{id}: {start:?}");
            assert!(start.by[known..].iter().all(|&by| by == start.by[4]), "{id}: {start:?}");
            if start.stall.is_some() {
                assert_eq!((known, forecast.probability(&scheduler, id, self.clock).unwrap()), (0, None));
                self.stalled += 1;
                continue;
            }
            let mut chances = [0.0; 4];
            for (chance, within) in chances.iter_mut().zip([0, 600, DAY, 400 * DAY]) {
                let by = self.clock + within;
                *chance = forecast.probability(&scheduler, id, by).unwrap().unwrap();
            }
            assert!(chances.is_sorted() && chances[0] >= 0.0 && chances[3] <= 1.0, "{id}: {chances:?}");
            self.answers += 1;
            self.capped += u64::from(start.capped);
        }
    }

    fn event(&mut self) {
        match self.random.below(1000) {
            0 => self.now += self.random.spread(25),
            1 => self.now -= self.random.spread(20),
            2..4 => self.machine(),
            // A burst.
            4..8 => (0..self.random.below(30)).for_each(|_| self.submit()),
            8..330 => self.submit(),
            330..640 => self.end(),
            640..975 => self.pass(),
            _ => self.ask(),
        }
        self.now += self.random.below(3) as i64 * self.random.spread(8);
    }
}

#[test]
fn no_answer_is_beyond_what_is_known() {
    let (mut answers, mut capped, mut stalled) = (0, 0, 0);
    for seed in 0..10 * crate::longer() {
        let mut site = Site::new(seed);
        for _ in 0..1000 {
            site.event();
        }
        (answers, capped) = (answers + site.answers, capped + site.capped);
        stalled += site.stalled;
    }
    println!("{answers} answers, {capped} of them at the end of the range, {stalled} that cannot tell");
    assert!(answers > 3000 && capped > 10, "{answers} {capped}");
}
