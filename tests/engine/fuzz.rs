//! Hostile calls in any order, on small capacities: nothing panics, a refused call changes nothing, the block can be
//! sealed and opened, and no unit gets lost.

use crate::block::{Block, small};
#[cfg(test)]
use crate::longer;
use crate::machine::Random;
use surefill::engine::{
    Action, Cycle, JobReport, JobState, NodeReport, NodeState, Refusal, Reservation, Scheduler,
    SchedulerCapacity, StartForecast, Wants, Why,
};
use surefill::error::Error;
use surefill::nodes::{Amounts, Part, Spread};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

const FAR: i64 = 1 << 53;

fn time(random: &mut Random, now: i64, wild: bool) -> i64 {
    if !wild && !random.one_in(500) {
        return now + random.below(40) as i64 - 20;
    }
    match random.below(12) {
        0 => 0,
        1 => random.of(&[1, -1, FAR, -FAR, FAR + 1, -FAR - 1, i64::MIN, i64::MAX]),
        2 => -now,
        3 => now - random.of(&[1, 30, 60, 61, 7200]),
        4 => now + random.spread(30),
        _ => now + random.below(100) as i64 - 50,
    }
}

fn number(random: &mut Random) -> u32 {
    let rare = [0, (1 << 31) - 1, 1 << 31, u32::MAX, u32::MAX - 1];
    if random.one_in(20) { random.of(&rare) } else { 1 + random.below(6).min(random.below(6)) as u32 }
}

fn id(random: &mut Random) -> i64 {
    if random.one_in(30) { random.of(&[0, i64::MIN, i64::MAX, -1]) } else { 1 + random.below(9) as i64 }
}

fn amounts(random: &mut Random) -> Amounts {
    let mut amounts = [0; 8];
    for amount in amounts.iter_mut().take(2) {
        let absurd = [i32::MAX as u32, 1 << 31, u32::MAX];
        *amount = if random.one_in(50) { random.of(&absurd) } else { random.below(3) as u32 };
    }
    if random.one_in(50) {
        amounts[random.below(8) as usize] = 1;
    }
    amounts
}

fn wants(random: &mut Random) -> Wants {
    let mut bits = |n| if random.one_in(n) { 1 << random.below(3) } else { 0 };
    let (features, any, without) = (bits(4), bits(6), bits(6));
    Wants {
        each: amounts(random),
        licences: if random.one_in(8) { amounts(random) } else { [0; 8] },
        features,
        any,
        without: if without > 0 { 8 } else { 0 },
        reservation: if random.one_in(9) { random.below(3) as i64 } else { 0 },
        spread: random.of(&[Spread::Nodes, Spread::Tasks]),
        exclusive: random.one_in(5),
    }
}

/// Nodes mostly in order.
fn parts(random: &mut Random) -> Vec<Part> {
    let most = if random.one_in(20) { 9 } else { NODES };
    let mut parts: Vec<Part> = Vec::new();
    for node in 0..most {
        if random.one_in(3) {
            parts.push(Part { node, tasks: random.of(&[1, 1, 1, 2, 5, 1 << 24, (1 << 24) + 1]) });
        }
    }
    parts.iter_mut().filter(|_| !random.one_in(6)).for_each(|part| part.tasks = part.tasks.min(3));
    if random.one_in(30) {
        random.shuffle(&mut parts);
    }
    parts
}

/// Nodes at first, and what they have.
const NODES: u32 = 4;
const PLENTY: Amounts = [8, 8, 0, 0, 0, 0, 0, 0];

pub struct Fuzz {
    block: Block,
    random: Random,
    now: i64,
    offers: u32,
    open: bool,
    /// Whether most times are absurd.
    wild: bool,
    predictions: Vec<RuntimeDistribution>,
    /// The jobs of the offers.
    offered: Vec<i64>,
    counts: [usize; 5],
    /// Numbers of jobs that were tried, and of reasons that were given.
    tried: usize,
    reasons: usize,
}

impl Fuzz {
    /// `seed` chooses the rarer conditions.
    fn new(seed: u64, mut random: Random) -> Fuzz {
        let jobs = 1 + random.below(7) as u32;
        let rest = SchedulerCapacity { histories: 4, waits: 5, bins: 3, ..small(jobs) };
        let rest = SchedulerCapacity { nodes: NODES, kinds: 2, reservations: 2, pools: 5, queues: 6, ..rest };
        let parts = 2 + random.below(12) as u32;
        let capacity = SchedulerCapacity { ended: random.below(4) as u32, parts, ..rest };
        let words = random.of(&[
            "",
            "preset=easy",
            "predictor=limit settle=0",
            "mode=shadow",
            "order=priority seconds=1000000",
            "order=ties tie=35",
        ]);
        let mut block = Block::new(&capacity, words);
        block.unchecked = seed % 4 != 0;
        for (pool, name) in [b"a", b"b"].into_iter().enumerate() {
            block.scheduler().set_pool(name, 3 + random.below(12) as u32, None).unwrap();
            block.scheduler().set_queue(name, pool as u32).unwrap();
        }
        for (pool, name) in (2..).zip([b"m", b"n"]) {
            block.scheduler().set_pool(name, 0, None).unwrap();
            block.scheduler().set_queue(name, pool).unwrap();
        }
        block.scheduler().set_licences(&PLENTY).unwrap();
        for number in 0..NODES {
            let node = NodeReport { features: 7, amounts: PLENTY, ..NodeReport::default() };
            block.scheduler().set_node(2 + number / 3, number, &node).unwrap();
        }
        let bins = RuntimeBins::new(2.0, 3.0, 3).unwrap();
        let predictions = vec![
            RuntimeDistribution::limit(),
            RuntimeDistribution::single(random.spread(40)).unwrap(),
            RuntimeDistribution::single(0).unwrap(),
            RuntimeDistribution::from_counts(&bins, &[1.0, 2.0, 3.0]).unwrap(),
        ];
        let now = random.of(&[0, 5, 1_000_000, -1_000_000, FAR - 5000, -FAR]);
        Fuzz {
            block,
            random,
            now,
            offers: 0,
            open: false,
            wild: seed % 3 == 0,
            predictions,
            offered: Vec::new(),
            counts: [0; 5],
            tried: 0,
            reasons: 0,
        }
    }

    fn set_job(&mut self) -> Result<(), Error> {
        self.with_report(|block, at, report| block.call(|scheduler| scheduler.set_job(at, report)))
    }

    /// A job is tried: the scheduler is the same byte by byte afterwards, and the cycle as well where that is refused.
    fn try_job(&mut self) {
        let tried = self.with_report(|block, _, report| {
            let before = (block.memory.clone(), block.scratch.clone());
            let tried = block.cycle(|mut cycle, scheduler| cycle.try_job(scheduler, report));
            assert!(before.0 == block.memory, "{report:?}");
            match tried {
                // A scheduler that has grown may have more jobs than the cycle can hold.
                Err(Error::Full) | Ok(_) => {}
                Err(error) => assert!(error != Error::Corrupt && before.1 == block.scratch, "{error:?}"),
            }
            tried
        });
        self.tried += usize::from(tried.is_ok());
    }

    fn with_report<T>(&mut self, act: impl FnOnce(&mut Block, i64, &JobReport<'_>) -> T) -> T {
        let Fuzz { random, now, wild, .. } = self;
        let (now, wild) = (*now, *wild);
        let state = JobState::from_number(random.below(10) as u32).unwrap();
        let why = Why::from_number(random.of(&[0, 1, 17, 48, 49, 51, 54])).unwrap();
        let queues: &[u32] = match random.below(36) {
            0 => random.of(&[&[4], &[5], &[][..], &[0, 1], &[u32::MAX], &[2, 3]]),
            1..4 => &[1],
            4 => &[0, 0],
            5..18 => &[2],
            18..20 => &[3],
            20..22 => &[2, 4],
            _ => &[0],
        };
        let on_nodes = if random.one_in(30) { random.one_in(2) } else { matches!(queues, [2 | 3, ..]) };
        let parts = if on_nodes && random.one_in(2) { parts(random) } else { Vec::new() };
        let absurd = random.of(&[1e300, -1e300, f64::NAN, f64::INFINITY, 1e-310]);
        let priority = if random.one_in(20) { absurd } else { random.of(&[0.0, -0.0, 1.0, 2.0, -5.0]) };
        let prediction = random.below(8) as usize;
        let report = JobReport {
            id: id(random),
            state: random.of(&[state, state, JobState::Waiting, JobState::Waiting, JobState::Ended]),
            user: random.of(&[0, 1, i64::MIN]),
            submit: if random.one_in(8) { time(random, now, wild) } else { 0 },
            begin: if random.one_in(8) { time(random, now, wild) } else { 0 },
            start: if random.one_in(3) { time(random, now, wild) } else { 0 },
            limit: if random.one_in(20) { time(random, now, wild) } else { random.below(200) as i64 },
            ran: if random.one_in(20) { time(random, now, wild) } else { random.below(3) as i64 },
            priority,
            tier: random.of(&[0, 0, 1, -1, i32::MAX, i32::MIN]),
            count: number(random),
            units: if random.one_in(4) { number(random) } else { 0 },
            restarts: if random.one_in(6) { number(random) } else { 0 },
            tasks: if random.one_in(3) { number(random) } else { 0 },
            at_once: if random.one_in(4) { number(random) } else { 0 },
            why,
            holds_nothing: random.one_in(2),
            queues,
            wants: if on_nodes { wants(random) } else { Wants::default() },
            parts: &parts,
            prediction: self.predictions.get(prediction),
        };
        let at = if random.one_in(4) { time(random, now, wild) } else { now };
        act(&mut self.block, at, &report)
    }

    /// A call of the cycle that is open, which changes nothing in either block if it is refused.
    fn ask<T>(
        &mut self,
        call: impl FnOnce(&mut Cycle<'_>, &mut Scheduler<'_>) -> Result<T, Error>,
    ) -> Option<T> {
        let unchecked = self.block.unchecked;
        let copy = |block: &Block| (block.memory.clone(), block.scratch.clone());
        let before = if unchecked { Default::default() } else { copy(&self.block) };
        let answer = self.block.cycle(|mut cycle, scheduler| call(&mut cycle, scheduler));
        if let Err(error) = &answer {
            assert_ne!(*error, Error::Corrupt);
            assert!(unchecked || before == copy(&self.block), "{error:?}");
        }
        answer.ok()
    }

    /// Reports something about the machine of nodes.
    fn set_machine(&mut self) {
        let random = &mut self.random;
        let pool = random.of(&[2, 2, 2, 3, 3, 0, 4, u32::MAX]);
        let number = random.below(u64::from(NODES) + 2) as u32;
        let numbers: Vec<u32> = (0..random.below(6)).map(|_| random.below(6) as u32).collect();
        let until = if random.one_in(2) { 0 } else { time(random, self.now, self.wild) };
        let from = time(random, self.now, self.wild);
        let (key, to) = (random.below(4) as i64, time(random, from.clamp(-FAR, FAR), self.wild));
        let some = random.one_in(8);
        let node = NodeReport {
            state: NodeState::from_number(random.of(&[1, 1, 1, 1, 1, 2, 3, 3, 4])).unwrap(),
            name: i64::from(random.one_in(9)),
            until,
            features: if some { random.below(8) } else { 7 },
            amounts: if some { amounts(random) } else { PLENTY },
            weight: random.of(&[0, 0, 9]),
        };
        let (what, queue, licences) = (random.below(16), random.below(6) as u32, amounts(random));
        let _ = self.block.call(|scheduler| match what {
            0 => scheduler.remove_node(number),
            1 => scheduler.set_queue_nodes(queue, (key > 0).then_some(&numbers)),
            2 => scheduler.set_reservation(&Reservation { pool, key, from, to, nodes: &numbers }),
            3 => scheduler.remove_reservation(pool, key),
            4 => scheduler.set_licences(&licences),
            _ => scheduler.set_node(pool, number, &node),
        });
    }

    fn next(&mut self) {
        // A decision is made even without a slot for a task.
        let action = self.block.cycle(|mut cycle, scheduler| cycle.next(scheduler));
        assert!(matches!(action, Ok(_) | Err(Error::Full)), "{action:?}");
        if let Ok(Action::Start(offer)) = action {
            assert_eq!(offer.number, self.offers);
            self.offers += 1;
            self.offered.push(offer.job);
            self.counts[2] += 1;
            let parts = self.block.cycle(|cycle, _| cycle.parts(offer.number).unwrap().len());
            self.counts[4] += usize::from(parts > 0);
        }
    }

    fn step(&mut self) {
        let far = number(&mut self.random);
        let near = self.random.of(&[0, 0, 1, 2, 2, 2, 3]);
        let pool = if self.random.one_in(20) { far } else { near };
        let answer = self.random.below(u64::from(self.offers) + 1) as u32;
        match self.random.below(40) {
            36.. => self.set_machine(),
            0..12 => {
                let answer = self.set_job();
                self.counts[0] += usize::from(answer.is_ok());
            }
            12 => {
                let (id, priority) = (id(&mut self.random), self.random.of(&[0.0, 3.0, f64::NAN, -1e308]));
                let _ = self.block.call(|scheduler| scheduler.set_priority(id, 0, priority));
            }
            13 if self.random.one_in(3) => {
                let (units, idle) = (number(&mut self.random), number(&mut self.random));
                let (name, units) =
                    (self.random.of(&[b"a", b"b", b"a", b"b", b"c", b"d"]), units.saturating_add(4));
                let (name, idle) = (name, idle - u32::from(idle > 0));
                let idle = self.random.one_in(2).then_some(idle);
                let _ = self.block.call(|scheduler| scheduler.set_pool(name, units, idle));
            }
            14 if self.random.one_in(20) => {
                let name = self.random.of(&[b"a", b"b", b"c", b"d", b"e"]);
                let _ = self.block.call(|scheduler| scheduler.set_queue(name, pool));
            }
            15 if self.random.one_in(3) => {
                let at = time(&mut self.random, self.now, self.wild);
                let _ = self.block.call(|scheduler| scheduler.list_begin(at));
            }
            16 => {
                let _ = self.block.call(|scheduler| scheduler.list_end(self.now));
            }
            17 if self.random.one_in(4) => {
                let words = self.random.of(&[
                    "preset=easy",
                    "preset=fast proposals=3",
                    "mode=shadow",
                    "mode=on",
                    "settle=0",
                    "grace=0",
                    "refused=0",
                    "order=free",
                    "order=priority seconds=7",
                    "cut=.5 running=1",
                    "predictor=limit",
                ]);
                let _ = self
                    .block
                    .call(|scheduler| scheduler.configure(words, "").map_err(|_| Error::OutOfRange));
            }
            18 if self.random.one_in(4) => {
                let old = self.block.scheduler().capacity();
                if old.jobs < 12 {
                    let jobs = old.jobs + self.random.below(2) as u32;
                    let ended = self.random.below(5) as u32;
                    let (nodes, parts) = (old.nodes + ended / 4, old.parts + ended / 2);
                    self.block.grow(&SchedulerCapacity { jobs, ended, nodes, parts, ..old });
                }
            }
            19 if self.random.one_in(8) => {
                Scheduler::seal(bytemuck::cast_slice_mut(&mut self.block.memory)).unwrap();
                Scheduler::open(bytemuck::cast_slice_mut(&mut self.block.memory)).unwrap();
            }
            20 | 35 if !self.open || self.random.one_in(3) => {
                let at = if self.random.one_in(4) {
                    time(&mut self.random, self.now, self.wild)
                } else {
                    self.now
                };
                let length = Cycle::size(&self.block.scheduler().capacity()).unwrap().div_ceil(8);
                let mut scratch = vec![self.random.next(); length];
                let memory = bytemuck::cast_slice_mut(&mut scratch);
                let begun = self.block.call(|s| Cycle::begin(memory, s, pool, at).map(|_| ())).is_ok();
                if begun {
                    (self.block.scratch, self.offers, self.open) = (scratch, 0, true);
                    self.offered.clear();
                    self.counts[1] += 1;
                    if self.random.one_in(4) {
                        self.ask(|cycle, scheduler| cycle.plan_all(scheduler));
                        (0..4).for_each(|_| self.try_job());
                    } else {
                        (0..self.random.below(5)).for_each(|_| self.next());
                    }
                }
            }
            21.. if !self.open => {}
            21..24 | 28..32 => {
                self.next();
            }
            24 | 32..35 => {
                let task = id(&mut self.random);
                let job = if self.random.one_in(3) {
                    task
                } else {
                    self.offered.get(answer as usize).copied().unwrap_or(1)
                };
                let done = self.ask(|cycle, scheduler| cycle.started(scheduler, answer, job));
                self.counts[3] += usize::from(done.is_some());
            }
            25 => {
                let why = self.random.of(&[Refusal::Busy, Refusal::NotNow, Refusal::Never]);
                self.ask(|cycle, scheduler| cycle.refused(scheduler, answer, why));
            }
            26 => {
                let job = id(&mut self.random);
                self.ask(|cycle, scheduler| cycle.planned(scheduler, job));
                self.ask(|cycle, scheduler| cycle.holds(scheduler, answer));
                if let Some(reason) = self.ask(|cycle, scheduler| cycle.reason(scheduler, job)) {
                    assert!(reason.job == job && !reason.to_string().is_empty());
                    self.reasons += 1;
                }
                let _ = self.block.call(|scheduler| scheduler.reason(job, self.now));
            }
            27 if self.random.one_in(2) => {
                self.ask(|cycle, scheduler| cycle.plan_all(scheduler));
                (0..self.random.below(3)).for_each(|_| self.try_job());
            }
            27 if self.random.one_in(3) => {
                self.block.close();
                self.open = false;
            }
            _ => {}
        }
        if self.random.one_in(25) {
            self.forecast_starts();
        }
        if self.random.one_in(3) {
            self.now = (self.now + self.random.spread(9)).min(FAR - 400_000);
        }
    }

    /// A forecast, as far as some events go; if it comes to its end, all levels are in order and none is in the past.
    fn forecast_starts(&mut self) {
        let mut copy = self.block.clone();
        copy.disturbed = None;
        let mut scheduler = copy.scheduler();
        let scenarios = self.random.of(&[1, 2, 20]);
        let size = StartForecast::size(&scheduler.capacity(), scenarios).unwrap();
        let mut memory = vec![self.random.next(); size.div_ceil(8)];
        let (pool, now) = (self.random.below(3) as u32, self.now + self.random.spread(9));
        let memory = bytemuck::cast_slice_mut(&mut memory);
        let Ok(mut forecast) = StartForecast::begin(memory, &mut scheduler, pool, now, scenarios) else {
            return;
        };
        let done = (0..30).any(|_| forecast.run(&mut scheduler, 20).unwrap());
        for id in 0..40 {
            match forecast.report(&mut scheduler, id) {
                Ok(None) => {}
                Ok(Some(start)) => {
                    assert!(done && start.by.is_sorted() && start.by[0] >= now.min(self.now), "{start:?}");
                    let chance = forecast.probability(&scheduler, id, start.by[4]).unwrap();
                    assert!(
                        chance.is_some_and(|chance| (0.0..=1.0).contains(&chance)) != start.stall.is_some()
                    );
                }
                Err(error) => assert!(!done && error == Error::WrongState),
            }
        }
    }

    /// When nothing is listed any more, all units are idle.
    fn check(&self) {
        let mut block = self.block.clone();
        let mut scheduler = block.scheduler();
        let now = FAR - 200_000;
        for later in 0..3 {
            scheduler.list_begin(now + 3000 * later).unwrap();
            scheduler.list_end(now + 3000 * later).unwrap();
        }
        assert_eq!(scheduler.counts(), (0, 0), "{} {}", scheduler.settings(), self.now);
        for (name, units) in [(b"a", 7), (b"b", 1)] {
            let pool = scheduler.set_pool(name, units, None).unwrap();
            assert_eq!(scheduler.idle(pool), Ok(units));
        }
        scheduler.wake(now).unwrap();
        // All nodes are free, and there is room for as many parts as at first.
        let capacity = scheduler.capacity();
        scheduler.configure("mode=on", "").unwrap();
        // A job without a limit would not end before a reservation.
        for pool in 0..capacity.pools {
            for key in 0..4 {
                let _ = scheduler.remove_reservation(pool, key);
            }
        }
        for number in 0..capacity.nodes {
            let node = NodeReport { name: 99, amounts: [4, 0, 0, 0, 0, 0, 0, 0], ..NodeReport::default() };
            scheduler.set_node(2, number, &node).unwrap();
        }
        scheduler.set_queue(b"m", 2).unwrap();
        scheduler.set_queue_nodes(2, None).unwrap();
        let wants = Wants { each: [4, 0, 0, 0, 0, 0, 0, 0], ..Wants::default() };
        let on = |id, count| JobReport { id, count, wants, queues: &[2], ..JobReport::default() };
        scheduler.set_job(now + 9_000, &on(900, capacity.nodes)).unwrap();
        assert_eq!(block.would(2, now + 9_000) == [900], capacity.nodes <= capacity.parts);
        let mut scheduler = block.scheduler();
        scheduler.set_job(now + 9_001, &JobReport { state: JobState::Gone, ..on(900, 1) }).unwrap();
        let mut left = capacity.parts;
        for id in (901..).take(capacity.jobs as usize) {
            let count = left.min(capacity.nodes);
            let parts: Vec<Part> = (0..count).map(|node| Part { node, tasks: 1 }).collect();
            let running = JobReport { state: JobState::Running, parts: &parts, ..on(id, count.max(1)) };
            assert_eq!(scheduler.set_job(now + 9_001, &running), Ok(()));
            left -= count;
        }
        for id in (901..).take(capacity.jobs as usize) {
            let broken = JobReport { state: JobState::Broken, ..on(id, 1) };
            assert_eq!(scheduler.set_job(now + 9_002, &broken), Ok(()));
        }
        // Nothing is left of any job: there is room for as many as at first.
        let jobs = capacity.jobs;
        for id in 1..=i64::from(jobs) {
            let report = JobReport { id: 1000 + id, count: 1, queues: &[0], ..JobReport::default() };
            assert_eq!(scheduler.set_job(now + 10_000, &report), Ok(()));
        }
    }
}

/// Calls that are drawn so; `seed` chooses the rarer conditions.
pub fn run(seed: u64, random: Random, steps: usize) -> Fuzz {
    let mut fuzz = Fuzz::new(seed, random);
    for step in 0..steps {
        fuzz.step();
        if step % 50 == 49 {
            fuzz.check();
        }
    }
    fuzz
}

#[test]
fn hostile_calls() {
    let mut counts = [0; 5];
    let (mut tried, mut reasons) = (0, 0);
    for seed in 0..180 * longer() {
        let called = || run(seed, Random::new(seed), 500);
        let fuzz = std::panic::catch_unwind(called).unwrap_or_else(|panic| {
            println!("seed {seed}");
            std::panic::resume_unwind(panic)
        });
        counts.iter_mut().zip(fuzz.counts).for_each(|(sum, one)| *sum += one);
        (tried, reasons) = (tried + fuzz.tried, reasons + fuzz.reasons);
    }
    assert!(tried > 60 && reasons > 60, "{tried} {reasons}");
    assert!(counts.iter().all(|&count| count > 60), "{counts:?}");
}
