//! The plan of the whole queue against a slow one that keeps the free processors at every instant and looks at whole
//! orders from scratch: over random queues, over a small workload, and across checkpoints.

mod naive;
mod nodes;
mod random;
#[path = "../common/splitmix.rs"]
mod splitmix;

use naive::{LONGEST, Naive, Running, WINDOW, easy};
use nodes::OnNodes;
use random::Random;
use surefill::plan::{NO_BUDGET, Plan, PlanCapacity, PlanRule, WaitingJob};
use surefill::schedule::RecentWaits;

/// Number of recent waits that are kept.
const WAITS: usize = 250;

/// The last waits, in the library's object and in a list.
struct Waits {
    memory: Vec<u64>,
    list: Vec<i64>,
}

impl Waits {
    fn new() -> Waits {
        let mut memory = vec![0; RecentWaits::size(WAITS as u32).unwrap().div_ceil(8)];
        RecentWaits::init(bytemuck::cast_slice_mut(&mut memory), WAITS as u32).unwrap();
        Waits { memory, list: Vec::new() }
    }

    fn object(&mut self) -> RecentWaits<'_> {
        RecentWaits::attach(bytemuck::cast_slice_mut(&mut self.memory)).unwrap()
    }

    fn add(&mut self, wait: i64) {
        self.object().add(wait).unwrap();
        self.list.push(wait);
        self.list.drain(..self.list.len().saturating_sub(WAITS));
    }
}

fn new_plan(room: u32, seed: u64) -> Vec<u64> {
    let capacity = PlanCapacity { running: room, waiting: room };
    let mut memory = vec![u64::MAX; Plan::size(&capacity).unwrap().div_ceil(8)];
    Plan::init(bytemuck::cast_slice_mut(&mut memory), &capacity, seed).unwrap();
    memory
}

/// Both plans, the waits of started jobs, and counts of events.
struct Both {
    memory: Vec<u64>,
    naive: Naive,
    nodes: OnNodes,
    recent: Waits,
    counted: Waits,
    /// The job to which the last pass has promised a wait, and that wait.
    promised: Option<(usize, i64)>,
    /// Numbers of passes, plans made, those of more than a window, those with a front job, jobs held back, jobs
    /// started, and promises.
    counts: [usize; 7],
}

impl Both {
    fn new(seed: u64) -> Both {
        let memory = new_plan(400, seed);
        let (recent, counted, naive) = (Waits::new(), Waits::new(), Naive::new(seed));
        Both { memory, naive, nodes: OnNodes::new(seed), recent, counted, promised: None, counts: [0; 7] }
    }

    /// Runs a pass of both, which must agree; returns the jobs that start.
    #[track_caller]
    fn pass(&mut self, rule: &PlanRule, idle: u32, running: &[Running], queue: &[WaitingJob]) -> Vec<usize> {
        let mut plan = Plan::attach(bytemuck::cast_slice_mut(&mut self.memory)).unwrap();
        plan.begin(idle);
        running.iter().for_each(|job| plan.add_running(job.processors, job.ends_in, job.limit_in).unwrap());
        queue.iter().enumerate().for_each(|(i, job)| assert_eq!(plan.add_waiting(job), Ok(i)));
        plan.decide(rule, &self.recent.object(), &self.counted.object()).unwrap();
        let expected = self.naive.decide(rule, idle, running, queue, &self.recent.list, &self.counted.list);
        let started: Vec<usize> = plan.starting().iter().map(|&number| number as usize).collect();
        assert_eq!(started, expected.started, "pass {}", self.counts[0]);
        let waits = (&mut self.recent, &mut self.counted);
        let on_nodes = self.nodes.pass(rule, (idle, running, queue), waits);
        assert_eq!(on_nodes.started, started, "on nodes, pass {}", self.counts[0]);
        let promised = plan.promised().map(|(job, wait)| (job, i64::from(wait)));
        assert_eq!(promised, expected.promised, "pass {}", self.counts[0]);
        assert_eq!(on_nodes.promised, plan.promised(), "on nodes, pass {}", self.counts[0]);
        self.promised = promised;
        for number in 0..queue.len() {
            if let Some(start) = plan.planned(number).unwrap() {
                let expected = expected.starts.as_ref().map(|starts| starts[number]);
                assert_eq!(Some(i64::from(start)), expected, "pass {}, job {number}", self.counts[0]);
                assert_eq!(
                    on_nodes.planned[number],
                    Some(start),
                    "on nodes, pass {}, job {number}",
                    self.counts[0]
                );
            }
        }
        // Beyond the window those that have waited longest are in it whatever their credits.
        if queue.len() <= WINDOW {
            in_turn(queue, expected.front, |number| plan.planned(number).unwrap());
        }
        assert!(plan.work().evaluations <= 7 + rule.proposals);
        // Each order is placed twice at most, and each job beyond the window looked at once.
        let window = 2 * u64::from(7 + rule.proposals) * (WINDOW as u64) * 337;
        assert!(plan.work().steps <= window + queue.len() as u64 * 337, "{}", plan.work().steps);
        let long = rule.long_waits(&self.recent.object(), LONGEST as u32).unwrap().front;
        // A promise to a head job binds beside a job that has waited longer, which is not guarded then.
        let promised = rule.budget < NO_BUDGET && queue.iter().any(|job| job.promised > 0);
        let long = if rule.slack > 0.0 || promised { u32::MAX } else { long };
        invariants(idle, running, queue, &started, long);

        let (searched, front) = (plan.work().evaluations > 0, expected.front.is_some());
        let large = usize::from(searched && queue.len() > WINDOW);
        let made = expected.promised.is_some().into();
        let here = [1, searched.into(), large, front.into(), expected.refused, started.len(), made];
        self.counts.iter_mut().zip(here).for_each(|(sum, here)| *sum += here);
        started
    }

    fn add_waits(&mut self, job: &WaitingJob) {
        self.recent.add(job.waited);
        self.counted.add(job.waited + job.credit);
    }
}

/// Asserts that of like jobs none is planned after one that counts as having waited less, or as long but submitted
/// later, but for the front job.
fn in_turn(queue: &[WaitingJob], front: Option<usize>, planned: impl Fn(usize) -> Option<u32>) {
    let kind = |job: &WaitingJob| (job.processors, job.run_time, job.limit, job.tier, job.later);
    let counted = |job: &WaitingJob| (job.waited.min(LONGEST) + job.credit).min(LONGEST);
    let jobs = queue.iter().enumerate().filter(|&(number, _)| front != Some(number));
    for (number, job) in jobs.clone() {
        for (other, later) in jobs.clone().skip_while(|&(other, _)| other <= number) {
            if kind(job) == kind(later) {
                let (first, second) =
                    if counted(job) >= counted(later) { (number, other) } else { (other, number) };
                let start = |number| planned(number).unwrap_or(u32::MAX);
                assert!(start(first) <= start(second), "jobs {first} and {second}");
            }
        }
    }
}

/// Asserts that the starting jobs fit together, none twice. If a job has waited longer than all jobs started (`long`),
/// the starts do not delay it beyond EASY's reservation by the limits, except those of higher tiers.
fn invariants(idle: u32, running: &[Running], queue: &[WaitingJob], started: &[usize], long: u32) {
    let processors = |&number: &usize| i64::from(queue[number].processors);
    let mut distinct = started.to_vec();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), started.len());
    assert!(started.iter().map(processors).sum::<i64>() <= i64::from(idle));
    let waited = |number: usize| queue[number].waited.min(LONGEST);
    let longest = (0..queue.len()).rev().max_by_key(|&number| waited(number));
    let waits = |number: &usize| waited(*number) >= i64::from(long) && !started.contains(number);
    let Some(front) = longest.filter(waits) else { return };
    let reservation = |beside: &dyn Fn(&WaitingJob) -> bool| {
        let beside: Vec<&usize> = started.iter().filter(|&&number| beside(&queue[number])).collect();
        let taken: i64 = beside.iter().map(|number| processors(number)).sum();
        let limit = |limit: i64| limit.clamp(1, LONGEST);
        let running = running.iter().map(|job| (limit(job.limit_in), i64::from(job.processors)));
        let limits = beside.iter().map(|&number| (limit(queue[*number].limit), processors(number)));
        let limits: Vec<(i64, i64)> = running.chain(limits).collect();
        easy(processors(&front), i64::from(idle) - taken, &limits, queue[front].later).map(|(start, _)| start)
    };
    let tier = queue[front].tier;
    let (promised, kept) = (reservation(&|job| job.tier > tier), reservation(&|_| true));
    assert!(promised.is_none() || kept.is_some_and(|kept| Some(kept) <= promised), "{promised:?} {kept:?}");
}

/// A machine and its queue, drawn from a seed: sizes of jobs, number of arrivals at once, and rule.
struct World {
    random: Random,
    rule: PlanRule,
    processors: u32,
    tiers: bool,
    credits: bool,
    equal: bool,
    burst: u64,
    /// Times of this many octaves.
    octaves: u64,
    limits: u64,
    idle: u32,
    /// Processors, seconds until the true end, to the limit.
    running: Vec<(u32, i64, i64)>,
    queue: Vec<WaitingJob>,
    next: i64,
}

impl World {
    fn new(seed: u64, both: &mut Both) -> World {
        let mut random = Random(seed);
        let rules =
            [PlanRule::FAIR, PlanRule::FAST, PlanRule { short: 16.0, steep: 255.0, ..PlanRule::FAIR }];
        let rule = PlanRule {
            proposals: random.of(&[0, 1, 7, 50, 50]),
            long: random.of(&[0.5, 0.99, 1.0]),
            front: random.of(&[0.3, 0.998, 1.0]),
            slack: random.of(&[0.0, 0.0, 0.1, 1.5]),
            budget: random.of(&[NO_BUDGET, NO_BUDGET, 0.25, 0.5, 1.0, 3.3]),
            ..random.of(&rules)
        };
        let processors = 1 + random.below(150) as u32;
        let octaves = random.of(&[6, 14, 17, 17, 30, 40]);
        for _ in 0..random.of(&[0, 60, 99, 100, 240]) {
            let (waited, credit) = (random.spread(octaves.min(15)), random.spread(10));
            both.recent.add(waited);
            both.counted.add(waited + credit);
        }
        World {
            rule,
            processors,
            tiers: random.one_in(3),
            credits: random.one_in(3),
            equal: random.one_in(5),
            burst: random.of(&[2, 5, 10, 40]),
            octaves,
            limits: random.below(4),
            idle: processors,
            running: Vec::new(),
            queue: Vec::new(),
            next: 0,
            random,
        }
    }

    fn submit(&mut self) {
        let random = &mut self.random;
        let widest = u64::from(self.processors) * 5 / if random.one_in(8) { 4 } else { 8 };
        let mut run_time = random.spread(self.octaves);
        let mut processors = 1 + random.below(widest.max(1)).min(random.below(widest.max(1))) as u32;
        if self.equal {
            (run_time, processors) = random.of(&[(300, 1), (7000, self.processors / 2 + 1), (300, 2)]);
        }
        let limit = match self.limits {
            0 => run_time,
            1 => run_time / 2,
            2 => (run_time + random.spread(self.octaves)).min(1 << 40),
            _ => random.of(&[1 << 40, 1 << 20]),
        };
        let waited = if random.one_in(10) { random.spread(self.octaves) } else { 0 };
        let credit = if self.credits { random.spread(self.octaves) } else { 0 };
        let tier = if self.tiers { random.of(&[0, 0, 0, 1, -3, i32::MAX, i32::MIN]) } else { 0 };
        let id = self.next * random.of(&[1, -77, 1 << 33]);
        self.next += 1;
        let later = random.one_in(12);
        self.queue.push(WaitingJob {
            id,
            processors,
            run_time,
            limit,
            waited,
            credit,
            tier,
            promised: 0,
            later,
        });
    }

    /// Advances the time: jobs end and come, and both plan.
    fn step(&mut self, both: &mut Both) {
        let passed = if self.random.one_in(5) { 0 } else { self.random.spread(self.octaves.min(20)) };
        self.running.iter_mut().for_each(|job| (job.1, job.2) = (job.1 - passed, (job.2 - passed).max(0)));
        self.idle += self.running.iter().filter(|job| job.1 <= 0).map(|job| job.0).sum::<u32>();
        self.running.retain(|job| job.1 > 0);
        self.queue.iter_mut().for_each(|job| job.waited = (job.waited + passed).min(1 << 40));
        for _ in 0..self.random.below(self.burst + 1) {
            if self.queue.len() < 130 {
                self.submit();
            }
        }
        // Some processors may be out of order, so that wide jobs never fit.
        let broken =
            if self.random.one_in(6) { self.random.below(u64::from(self.processors)) as u32 } else { 0 };
        let idle = self.idle.saturating_sub(broken);
        let running: Vec<Running> = self
            .running
            .iter()
            .map(|&(processors, end, limit_in)| Running { processors, ends_in: end * 3 / 4, limit_in })
            .collect();
        let mut started = both.pass(&self.rule, idle, &running, &self.queue);
        if let Some((job, wait)) = both.promised {
            self.queue[job].promised = wait;
        }
        started.sort();
        for number in started.into_iter().rev() {
            // Now and then a start fails, and the job waits on.
            if self.random.one_in(20) {
                continue;
            }
            let job = self.queue.remove(number);
            both.add_waits(&job);
            self.idle -= job.processors;
            let true_time = (job.run_time * (1 + self.random.below(8) as i64) / 4).clamp(1, 1 << 40);
            self.running.push((job.processors, true_time, job.limit));
        }
    }
}

/// Runs both plans over many passes of drawn worlds; returns the counts of events.
fn worlds(seeds: std::ops::Range<u64>, passes: usize, mut between: impl FnMut(&mut Both)) -> [usize; 7] {
    let mut counts = [0; 7];
    for seed in seeds {
        let mut both = Both::new(seed);
        let mut world = World::new(seed, &mut both);
        for _ in 0..passes {
            world.step(&mut both);
            between(&mut both);
        }
        counts.iter_mut().zip(both.counts).for_each(|(sum, here)| *sum += here);
    }
    counts
}

#[test]
fn random_queues() {
    let counts = worlds(0..130, 25, |_| ());
    let [passes, searched, large, fronts, held, started, promises] = counts;
    assert!(passes == 3250 && searched > 1500 && large > 400 && fronts > 400 && held > 20, "{counts:?}");
    assert!(started > 4000 && promises > 100, "{counts:?}");
}

/// A job of a replay: its submission, its true run time, and its description.
type Coming = (i64, i64, WaitingJob);

/// Jobs of any kind, and more of them at once in the middle.
fn generated(jobs: i64, burst: std::ops::Range<i64>) -> Vec<Coming> {
    let mut random = Random(11);
    let mut now = 0;
    let mut coming = Vec::new();
    for id in 0..jobs {
        let burst = burst.contains(&id);
        now += if random.one_in(4) && !burst {
            random.spread(14)
        } else {
            random.spread(if burst { 4 } else { 9 })
        };
        let (runs, processors) = (random.spread(14), 1 << random.below(7).min(random.below(6)));
        let limit = runs * random.of(&[1, 2, 5, 20]);
        let run_time = (runs + random.spread(12)).min(limit);
        coming.push((now, runs, WaitingJob { limit, ..job(id, processors, run_time) }));
    }
    coming
}

/// Submissions and ends of jobs, whose ends are not as expected, planned by both at each of them and when a promise is
/// due. Returns the longest wait that was promised to each job that was the head job, and its wait.
fn replayed(both: &mut Both, rule: &PlanRule, mut idle: u32, mut coming: Vec<Coming>) -> Vec<(i64, i64)> {
    let mut now = 0;
    coming.reverse();
    let (mut queue, mut running) =
        (Vec::<(i64, i64, WaitingJob)>::new(), Vec::<(i64, i64, WaitingJob)>::new());
    let mut promised = Vec::new();
    while !coming.is_empty() || !running.is_empty() {
        // The next submission, end or promise; a running job has its start in the place of its submission.
        let submission = coming.last().map(|job| job.0);
        let due = queue.iter().map(|job| job.0 + job.2.promised).filter(|&due| due > now);
        now = running.iter().map(|job| job.0 + job.1).chain(submission).chain(due).min().unwrap();
        while coming.last().is_some_and(|job| job.0 == now) {
            queue.extend(coming.pop());
        }
        running.retain(|&(started, runs, job)| {
            idle += if started + runs == now { job.processors } else { 0 };
            started + runs > now
        });
        queue.iter_mut().for_each(|(submitted, _, job)| job.waited = now - *submitted);
        let seen = running.iter().map(|&(started, _, job)| {
            let (ends_in, limit_in) = (started + job.run_time - now, started + job.limit - now);
            Running { processors: job.processors, ends_in: ends_in.max(1), limit_in }
        });
        let (seen, jobs): (Vec<_>, Vec<_>) = (seen.collect(), queue.iter().map(|job| job.2).collect());
        let started = both.pass(rule, idle, &seen, &jobs);
        if let Some((head, wait)) = both.promised {
            queue[head].2.promised = wait;
        }
        for &number in &started {
            both.add_waits(&jobs[number]);
            idle -= jobs[number].processors;
            running.push((now, queue[number].1, jobs[number]));
            if queue[number].2.promised > 0 {
                promised.push((queue[number].2.promised, jobs[number].waited));
            }
        }
        queue.retain(|job| !started.iter().any(|&number| jobs[number].id == job.2.id));
    }
    promised
}

#[test]
fn replay() {
    for slack in [PlanRule::FAIR.slack, 0.0] {
        let mut both = Both::new(1);
        replayed(&mut both, &PlanRule { slack, ..PlanRule::FAIR }, 64, generated(1000, 400..520));
        let [_, searched, large, fronts, held, started, _] = both.counts;
        let held = held > 0 || slack > 0.0;
        assert!(started == 1000 && searched > 500 && large > 20 && fronts > 20 && held, "{:?}", both.counts);
    }
}

/// A whole trace in plain SWF, where each job is predicted to run half as long again as it does, at most its limit:
/// `cargo test --release --test plan_naive -- --ignored`, with the file's name in `SUREFILL_PLAIN_TRACE` and the
/// machine's size in `SUREFILL_PROCESSORS`.
#[test]
#[ignore = "needs a trace, and minutes"]
fn whole_trace() {
    let text = std::fs::read_to_string(std::env::var("SUREFILL_PLAIN_TRACE").unwrap()).unwrap();
    let machine: u32 = std::env::var("SUREFILL_PROCESSORS").unwrap().parse().unwrap();
    let mut coming = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(';')) {
        let fields: Vec<i64> =
            line.split_whitespace().map(|field| field.parse::<f64>().unwrap() as i64).collect();
        let (submit, runs, asked) = (fields[1], fields[3], fields[8]);
        let processors = if fields[7] > 0 { fields[7] } else { fields[4] };
        if runs <= 0 || processors <= 0 || processors > machine.into() {
            continue;
        }
        let limit = if asked > 0 { asked } else { runs };
        let runs = runs.min(limit);
        let run_time = (runs + runs / 2).clamp(1, limit);
        let known = WaitingJob { limit, ..job(coming.len() as i64, processors as u32, run_time) };
        coming.push((submit, runs, known));
    }
    coming.sort_by_key(|job| job.0);
    let (jobs, mut both) = (coming.len(), Both::new(1));
    replayed(&mut both, &PlanRule::FAIR, machine, coming);
    println!("{jobs} jobs: {:?}", both.counts);
    assert_eq!(both.counts[5], jobs);
}

/// Where no job runs beyond its limit and nothing breaks, a head job starts within the wait that it was promised, and
/// some come close to it.
#[test]
fn promises_are_kept() {
    let mut late = 0;
    for (seed, budget, front) in
        [(1, 0.25, 1.0), (2, 0.25, 1.0), (3, 1.0, 1.0), (4, 0.5, 1.0), (5, 0.25, 0.5), (6, 1.0, 0.7)]
    {
        // The last two have jobs in front that have waited for long as well.
        let rule = PlanRule { front, budget, ..PlanRule::FAST };
        let promised = replayed(&mut Both::new(seed), &rule, 64, generated(350, 100..180));
        assert!(promised.len() > 4, "{}", promised.len());
        for (most, waited) in promised {
            assert!(waited <= most, "budget {budget}: {waited} s of {most}");
            late += usize::from(waited > most * 3 / 4);
        }
    }
    assert!(late > 5, "{late}");
}

/// A job without a time limit that has just come.
fn job(id: i64, processors: u32, run_time: i64) -> WaitingJob {
    WaitingJob {
        id,
        processors,
        run_time,
        limit: 1 << 40,
        waited: 0,
        credit: 0,
        tier: 0,
        promised: 0,
        later: false,
    }
}

/// Wide jobs that never fit fill the window, as when nodes are down; of those beyond it only narrow ones fit. The
/// second plan has another profile than the first.
#[test]
fn a_window_of_jobs_that_never_fit() {
    let mut both = Both::new(3);
    let mut queue: Vec<WaitingJob> = (0..70).map(|id| job(id, 41, 60 + (id * 7) % 40)).collect();
    queue.extend([job(70, 1, 10_000), job(71, 2, 20_000), job(72, 3, 30_000)]);
    let running = [Running { processors: 4, ends_in: 500, limit_in: 500 }];
    let started = both.pass(&PlanRule::FAIR, 4, &running, &queue);
    assert_eq!(started, [70, 71]);
    both.pass(&PlanRule::FAIR, 30, &running, &queue);
    queue.truncate(70);
    queue.push(job(73, 2, 20_000));
    for (idle, fit) in [(2, true), (1, false), (40, true), (2, true)] {
        queue.rotate_left(9);
        let started = both.pass(&PlanRule::FAIR, idle, &running, &queue);
        assert_eq!(started.len(), usize::from(fit));
    }
}

/// Running jobs that end at nearly every instant, and waiting jobs that run on beyond the last one.
#[test]
fn a_profile_of_nearly_all_instants() {
    let mut random = Random(9);
    for seed in 0..40 {
        let mut both = Both::new(seed);
        let instants =
            (1..32).chain((1..20).flat_map(|shift| (16..32).map(move |mantissa| mantissa << shift)));
        let ends: Vec<i64> = instants.filter(|_| !random.one_in(9)).collect();
        let mut running = Vec::new();
        for &end in &ends {
            running.push(Running { processors: 1, ends_in: end, limit_in: end });
        }
        let long = 20 + random.below(40) as i64;
        let mut queue: Vec<WaitingJob> =
            (0..long).map(|id| job(id, 1, LONGEST - random.spread(24).min(9))).collect();
        for id in long..64 {
            queue.push(job(id, 1 + random.below(90) as u32, random.spread(22)));
        }
        queue.iter_mut().for_each(|job| job.waited = random.spread(20));
        both.pass(&PlanRule::FAIR, 30, &running, &queue);
    }
}

/// Checkpoints are copied and opened, and kept orders go on in larger blocks: the plans are those of the slow one,
/// which stays where it is.
#[test]
fn goes_on_elsewhere() {
    let mut random = Random(5);
    let counts = worlds(200..230, 20, |both| {
        let memory: &mut [u8] = bytemuck::cast_slice_mut(&mut both.memory);
        if random.one_in(2) {
            Plan::seal(memory).unwrap();
            let words = Plan::block_size(memory).unwrap() / 8;
            let mut copy = both.memory.clone();
            let place = 8 + random.below(words as u64 - 8) as usize;
            copy[place] ^= 1 << random.below(64);
            assert!(Plan::open(bytemuck::cast_slice_mut(&mut copy)).is_err());
            copy[place] = both.memory[place];
            copy.extend([7; 20]);
            both.memory = vec![0; 1];
            Plan::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
            both.memory = copy;
        } else {
            let mut other = new_plan(400 + random.below(300) as u32, random.below(99));
            let mut next = Plan::attach(bytemuck::cast_slice_mut(&mut other)).unwrap();
            Plan::attach(memory).unwrap().continue_in(&mut next);
            both.memory = other;
        }
    });
    assert!(counts[1] > 200 && counts[2] > 20, "{counts:?}");
}
