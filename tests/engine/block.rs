//! An engine in its memory, which may be disturbed between any two calls.

use crate::machine::Random;
use surefill::engine::{Action, Cycle, JobReport, Offer, Refusal, Scheduler, SchedulerCapacity};
use surefill::error::{Error, Result};

/// The small capacity of the tests' engines.
pub fn small(jobs: u32) -> SchedulerCapacity {
    SchedulerCapacity {
        histories: 64,
        ended: 1000,
        waits: 250,
        bins: 24,
        pools: 3,
        queues: 4,
        arrivals: 40,
        ..SchedulerCapacity::of(jobs)
    }
}

#[derive(Clone)]
pub struct Block {
    pub memory: Vec<u64>,
    pub scratch: Vec<u64>,
    /// Draws how the memory is disturbed before every call; `None` for never.
    pub disturbed: Option<Random>,
    /// Whether refused calls are not compared with the state before.
    pub unchecked: bool,
}

fn words(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

impl Block {
    pub fn new(capacity: &SchedulerCapacity, settings: &str) -> Block {
        let mut memory = vec![u64::MAX; words(Scheduler::size(capacity).unwrap())];
        let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), capacity).unwrap();
        scheduler.configure(settings, "").unwrap();
        Block { memory, scratch: Vec::new(), disturbed: None, unchecked: false }
    }

    /// A scheduler of one pool and one queue.
    pub fn of_one(jobs: u32, units: u32, settings: &str) -> Block {
        let mut block = Block::new(&small(jobs), settings);
        assert_eq!(block.scheduler().set_pool(b"all", units, None), Ok(0));
        assert_eq!(block.scheduler().set_queue(b"batch", 0), Ok(0));
        block
    }

    fn disturb(&mut self) {
        let Some(mut random) = self.disturbed.take() else { return };
        for _ in 0..random.below(6).saturating_sub(4) {
            match random.below(4) {
                0 => {
                    // Another place.
                    let copy: Vec<u64> = self.memory.clone();
                    self.memory.iter_mut().for_each(|word| *word = random.next());
                    self.memory = copy;
                }
                1 => {
                    Scheduler::seal(bytemuck::cast_slice_mut(&mut self.memory)).unwrap();
                    let mut copy = self.memory.clone();
                    Scheduler::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
                    self.memory = copy;
                }
                2 => {
                    // A longer block, garbage behind its end.
                    self.memory.extend([random.next(), random.next()]);
                }
                _ => {
                    let old = self.raw().capacity();
                    if old.jobs < 400 && random.one_in(3) {
                        let mut larger = SchedulerCapacity { jobs: old.jobs + 1 + old.jobs / 8, ..old };
                        if old.nodes > 0 {
                            (larger.nodes, larger.parts) = (old.nodes + 1, old.parts + 5);
                            larger.reservations = (old.reservations + 1).min(64);
                        }
                        self.grow(&larger);
                    }
                }
            }
        }
        self.disturbed = Some(random);
    }

    pub fn grow(&mut self, capacity: &SchedulerCapacity) {
        let mut larger = vec![0x5555_5555_5555_5555; words(Scheduler::size(capacity).unwrap())];
        self.raw().grow(bytemuck::cast_slice_mut(&mut larger), capacity).unwrap();
        self.memory = larger;
    }

    fn raw(&mut self) -> Scheduler<'_> {
        Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory)).unwrap()
    }

    pub fn scheduler(&mut self) -> Scheduler<'_> {
        self.disturb();
        self.raw()
    }

    /// A call that changes no byte if it is refused.
    #[track_caller]
    pub fn call<T>(&mut self, call: impl FnOnce(&mut Scheduler<'_>) -> Result<T>) -> Result<T> {
        let before = if self.unchecked { Vec::new() } else { self.memory.clone() };
        let answer = call(&mut self.raw());
        if let Err(error) = &answer {
            assert_ne!(*error, Error::Corrupt);
            // The end of an unknown job is an event as well: it is counted.
            assert!(
                self.unchecked || before == self.memory || *error == Error::UnknownJob,
                "{error:?} has changed the block"
            );
        }
        answer
    }

    pub fn tell(&mut self, now: i64, report: &JobReport<'_>) {
        match self.scheduler().set_job(now, report) {
            Ok(()) | Err(Error::UnknownJob) => {}
            Err(error) => panic!("{error:?} of {report:?}"),
        }
    }

    pub fn begin(&mut self, pool: u32, now: i64) {
        let mut scheduler = Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory)).unwrap();
        let length = words(Cycle::size(&scheduler.capacity()).unwrap());
        if self.scratch.len() < length || self.disturbed.is_some() {
            let mut garbage = Random::new(now as u64);
            self.scratch = (0..length).map(|_| garbage.next()).collect();
        }
        Cycle::begin(bytemuck::cast_slice_mut(&mut self.scratch), &mut scheduler, pool, now).unwrap();
    }

    /// A call of the cycle that is open.
    pub fn cycle<T>(&mut self, call: impl FnOnce(Cycle<'_>, &mut Scheduler<'_>) -> T) -> T {
        self.disturb();
        if self.disturbed.is_some() {
            self.scratch = self.scratch.clone();
        }
        let mut scheduler = Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory)).unwrap();
        let cycle = Cycle::attach(bytemuck::cast_slice_mut(&mut self.scratch)).unwrap();
        call(cycle, &mut scheduler)
    }

    pub fn next(&mut self) -> Action {
        self.cycle(|mut cycle, scheduler| cycle.next(scheduler)).unwrap()
    }

    pub fn started(&mut self, number: u32, job: i64) {
        self.cycle(|mut cycle, scheduler| cycle.started(scheduler, number, job)).unwrap();
    }

    pub fn refused(&mut self, number: u32, why: Refusal) {
        self.cycle(|mut cycle, scheduler| cycle.refused(scheduler, number, why)).unwrap();
    }

    pub fn close(&mut self) {
        self.cycle(|cycle, scheduler| cycle.close(scheduler)).unwrap();
    }

    /// The job that is offered next; 0 for none.
    pub fn offered(&mut self) -> i64 {
        match self.next() {
            Action::Start(offer) => offer.job,
            _ => 0,
        }
    }

    /// Starts an offered job, a task of several under an id from a thousand million on.
    pub fn start(&mut self, offer: &Offer) {
        let (number, job) = (offer.number, offer.job);
        let started = self.cycle(|mut cycle, scheduler| cycle.started(scheduler, number, job));
        if started == Err(Error::OutOfRange) {
            self.started(number, 1_000_000_000 + i64::from(number));
        } else {
            started.unwrap();
        }
    }

    /// A whole cycle in which every offered job is started.
    pub fn pass(&mut self, pool: u32, now: i64) -> Vec<i64> {
        self.begin(pool, now);
        let mut jobs = Vec::new();
        while let Action::Start(offer) = self.next() {
            self.start(&offer);
            jobs.push(offer.job);
        }
        self.close();
        jobs
    }

    /// The offers of a cycle in a copy of the block.
    pub fn would(&self, pool: u32, now: i64) -> Vec<i64> {
        let mut copy = self.clone();
        copy.disturbed = None;
        copy.pass(pool, now)
    }
}
