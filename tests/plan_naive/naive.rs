//! The plan of the whole queue once more, slowly: the free processors at every instant of the grid, and whole orders
//! from scratch, each time.

use crate::splitmix::splitmix;
use surefill::plan::{PlanRule, WaitingJob};

/// The longest time in seconds; later events happen then.
pub const LONGEST: i64 = 1 << 24;
/// Number of jobs that are put in order.
pub const WINDOW: usize = 64;
/// The unit of costs and logarithms is 1 over this.
const ONE: f64 = 16_777_216.0;
/// 2^26 / day^2 in this unit.
const SQUARE: u128 = (ONE * 67_108_864.0 / (86_400.0 * 86_400.0) + 0.5) as u128;

#[derive(Debug, Clone, Copy)]
pub struct Running {
    pub processors: u32,
    pub ends_in: i64,
    pub limit_in: i64,
}

#[derive(Debug, Default)]
pub struct Answer {
    /// The numbers of the jobs that start, in the plan's order.
    pub started: Vec<usize>,
    /// All planned starts; `None` if no plan was made because no job fits.
    pub starts: Option<Vec<i64>>,
    /// The job that is in front of its tier.
    pub front: Option<usize>,
    /// Number of jobs that were planned for now but held back for the front job or the head job.
    pub refused: usize,
    /// The head job that is promised a wait, and that wait.
    pub promised: Option<(usize, i64)>,
}

/// State carried from pass to pass, and two tables.
pub struct Naive {
    kept: Vec<i64>,
    random: u64,
    /// All instants before the longest, and that one.
    instants: Vec<i64>,
    /// ln(1 + i/32).
    logarithms: Vec<i64>,
}

struct Job {
    processors: i64,
    run_time: i64,
    limit: i64,
    waited: i64,
    counted: i64,
    tier: i64,
    promised: i64,
    /// It does not start before this instant.
    from: i64,
    /// Smaller classes come first in every order.
    class: i64,
}

/// Free processors from each instant until the next one.
type Profile = Vec<(i64, i64)>;

/// An order with its starts and cost.
struct Schedule {
    order: Vec<usize>,
    /// By the number of the job in the queue.
    starts: Vec<i64>,
    value: u128,
    left: Profile,
}

impl Naive {
    pub fn new(seed: u64) -> Naive {
        let octaves = (1..20).flat_map(|shift| (16..32).map(move |mantissa| mantissa << shift));
        let instants = (0..32).chain(octaves).chain([LONGEST]).collect();
        let logarithms = (0..=32).map(|i| ((1.0 + f64::from(i) / 32.0).ln() * ONE).round() as i64).collect();
        Naive { kept: Vec::new(), random: seed, instants, logarithms }
    }

    fn up(&self, time: i64) -> i64 {
        self.instants.iter().copied().find(|&instant| instant >= time).unwrap_or(LONGEST)
    }

    fn ln(&self, number: i64) -> i64 {
        let octave = number.ilog2();
        let (chord, rest) = (((number - (1 << octave)) * 32) >> octave, (number * 32) % (1 << octave));
        let (low, high) = (self.logarithms[chord as usize], self.logarithms[chord as usize + 1]);
        i64::from(octave) * self.logarithms[32] + low + (high - low) * rest / (1 << octave)
    }

    /// `scale` is 2^40 / L.
    fn cost(&self, rule: &PlanRule, scale: u128, wait: i64) -> u128 {
        let wait = wait.min(LONGEST);
        let logarithm = (rule.short * 65_536.0) as u128 * self.ln(wait.max(10)) as u128 / 65_536;
        let wait = wait as u128;
        let square = wait * wait / 256 * SQUARE / (1 << 18);
        let ratio = (wait * scale / (1 << 32)).min(4096);
        let fourth = (ratio * ratio / 256).pow(2) / 256;
        let steep = 256 + (rule.steep * 256.0) as u128 * fourth / 256;
        logarithm + (square * steep).min(u128::from(u64::MAX)) / 256
    }

    fn draw(&mut self) -> u64 {
        splitmix(&mut self.random) >> 32
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.draw() as u128 * count as u128) >> 32) as usize
    }

    /// The job's start: the first instant from which it fits for its whole run time. Its processors are taken.
    fn place(profile: &mut [(i64, i64)], job: &Job) -> i64 {
        for first in 0..profile.len() {
            let start = profile[first].0;
            if start < job.from {
                continue;
            }
            let end = start + job.run_time;
            let fits = profile[first..].iter().take_while(|step| step.0 < end);
            if fits.clone().all(|step| step.1 >= job.processors) {
                let length = fits.count();
                profile[first..first + length].iter_mut().for_each(|step| step.1 -= job.processors);
                return start;
            }
        }
        LONGEST
    }

    fn schedule(
        &self,
        order: &[usize],
        jobs: &[Job],
        idle: &Profile,
        price: &dyn Fn(i64) -> u128,
    ) -> Schedule {
        let mut schedule = Schedule {
            order: order.to_vec(),
            starts: vec![LONGEST; jobs.len()],
            value: 0,
            left: idle.clone(),
        };
        for &number in order {
            let start = Naive::place(&mut schedule.left, &jobs[number]);
            schedule.starts[number] = start;
            schedule.value += price(jobs[number].counted + start);
        }
        schedule
    }

    /// The logarithm of 1 + w / unit.
    fn aged(&self, job: &Job, unit: i64) -> i64 {
        self.ln(unit + job.counted) - self.ln(unit)
    }

    /// One pass. `recent` are the waits of started jobs, `counted` the same with their credits.
    pub fn decide(
        &mut self,
        rule: &PlanRule,
        idle: u32,
        running: &[Running],
        queue: &[WaitingJob],
        recent: &[i64],
        counted: &[i64],
    ) -> Answer {
        let idle = i64::from(idle);
        let ends = running.iter().map(|job| self.up(job.ends_in.max(1)));
        let next_end = ends.min().unwrap_or(LONGEST);
        let mut jobs: Vec<Job> = queue.iter().map(|job| Job::new(job, next_end)).collect();
        let fits = |job: &Job| job.processors <= idle && job.from == 0;
        if !jobs.iter().any(fits) {
            return Answer::default();
        }
        if jobs.iter().all(fits) && jobs.iter().map(|job| job.processors).sum::<i64>() <= idle {
            let starts = Some(vec![0; jobs.len()]);
            return Answer { started: (0..jobs.len()).collect(), starts, ..Answer::default() };
        }

        // Medians that determine which waits are long.
        let median = |of: fn(&Job) -> i64| {
            let mut waits: Vec<i64> = jobs.iter().map(of).collect();
            waits.sort();
            self.up(waits[(waits.len() - 1) / 2])
        };
        let jam = 3 * median(|job| job.counted);
        let long = if counted.len() < 100 { jam } else { jam.max(quantile(counted, rule.long)) }.max(3600);
        let jam = 3 * median(|job| job.waited);
        let front_after = quantile(recent, rule.front).max(jam.min(quantile(recent, 1.0))).max(3600);

        // The window: the two that have waited longest are the first of their classes, a front job has its own class.
        let mut oldest: Vec<usize> = (0..jobs.len()).collect();
        oldest.sort_by_key(|&number| -jobs[number].waited);
        oldest.truncate(2);
        // The head job, if something is promised to it, and whether it has waited that long.
        let mut heads: Vec<usize> = (0..jobs.len()).collect();
        heads.sort_by_key(|&number| (-jobs[number].tier, -jobs[number].counted));
        let head = heads.first().copied().filter(|_| rule.budget < 1000.0);
        let due = head.filter(|&job| jobs[job].promised > 0 && jobs[job].waited >= jobs[job].promised);
        let longest = Some(oldest[0]).filter(|&job| recent.len() >= 100 && jobs[job].waited >= front_after);
        let front = due.or(longest);
        let bound = head.filter(|&job| jobs[job].promised > 0 && front != Some(job));
        for (number, job) in jobs.iter_mut().enumerate() {
            job.class = -2 * job.tier + i64::from(front != Some(number));
        }
        let mut ranked: Vec<usize> = (0..jobs.len()).collect();
        ranked.sort_by_key(|&number| {
            let pressing = self.ln(jobs[number].run_time) - 2 * self.aged(&jobs[number], 7200);
            let always = oldest.contains(&number) || head == Some(number);
            (jobs[number].class, if always { i64::MIN } else { pressing })
        });
        let appended = ranked.split_off(ranked.len().min(WINDOW));
        ranked.sort();

        let scale = (1 << 40) / long as u128;
        let costs = |naive: &Naive, wait| naive.cost(rule, scale, wait);
        let profile = self.profile(idle, running);
        let mut best = self.search(rule.proposals, &ranked, &jobs, queue, &profile, &costs);
        best.take_turns(&jobs);
        self.kept = best.order.iter().map(|&number| queue[number].id).collect();

        let (mut order, mut starts, mut left) = (best.order, best.starts, best.left);
        for number in appended {
            starts[number] = Naive::place(&mut left, &jobs[number]);
            order.push(number);
        }
        let budget = if front.is_some() && bound.is_none() { rule.slack } else { rule.budget };
        let queue = Planned { order: &order, starts: &starts, jobs: &jobs };
        let (started, refused, promised) = start(&queue, idle, running, bound.or(front).or(head), budget);
        Answer { started, starts: Some(starts), front, refused, promised }
    }

    fn profile(&self, idle: i64, running: &[Running]) -> Profile {
        let ends: Vec<_> = running.iter().map(|job| (self.up(job.ends_in.max(1)), job.processors)).collect();
        let released =
            |instant| ends.iter().filter(|end| end.0 <= instant).map(|end| i64::from(end.1)).sum::<i64>();
        let instants = self.instants.iter().filter(|&&instant| instant < LONGEST);
        instants.map(|&instant| (instant, idle + released(instant))).collect()
    }

    fn search(
        &mut self,
        proposals: u32,
        window: &[usize],
        jobs: &[Job],
        queue: &[WaitingJob],
        profile: &Profile,
        costs: &dyn Fn(&Naive, i64) -> u128,
    ) -> Schedule {
        let kept_at = |number: usize| self.kept.iter().position(|&id| id == queue[number].id);
        let (run, width) = (|job: &Job| self.ln(job.run_time), |job: &Job| self.ln(job.processors));
        let keys: [&dyn Fn(usize) -> i64; 7] = [
            &|number| kept_at(number).map_or(i64::MAX, |place| place as i64),
            &|_| 0,
            &|number| jobs[number].run_time,
            &|number| run(&jobs[number]) + width(&jobs[number]),
            &|number| run(&jobs[number]) / 2 - 2 * self.aged(&jobs[number], 7200),
            &|number| {
                run(&jobs[number]) - 3 * width(&jobs[number]) / 10 - 2 * self.aged(&jobs[number], 14_400)
            },
            &|number| -jobs[number].processors,
        ];
        let mut best: Option<Schedule> = None;
        for key in keys {
            let mut order = window.to_vec();
            order.sort_by_key(|&number| (jobs[number].class, key(number)));
            let new = self.schedule(&order, jobs, profile, &|wait| costs(self, wait));
            if best.as_ref().is_none_or(|best| new.value < best.value) {
                best = Some(new);
            }
        }
        let mut best = best.unwrap();
        let count = window.len();
        let class = |order: &[usize], place: usize| jobs[order[place]].class;
        let begin =
            |order: &[usize], place| (0..count).find(|&at| class(order, at) == class(order, place)).unwrap();
        for round in 0..proposals {
            let mut order = best.order.clone();
            let movable: Vec<usize> = (0..count)
                .filter(|&place| {
                    let job = &jobs[order[place]];
                    let fits = job.processors <= profile[0].1 && job.from == 0;
                    fits && best.starts[order[place]] > 0 && begin(&order, place) < place
                })
                .collect();
            let (x, y) = if round % 2 == 1 && !movable.is_empty() {
                let y = movable[self.below(movable.len())];
                let begin = begin(&order, y);
                (begin + self.below(y - begin), y)
            } else {
                let y = self.below(count);
                let product = (self.draw() as u128 * self.draw() as u128) >> 32;
                let x = ((product * count as u128) >> 32) as usize;
                (x.min(y).max(begin(&order, x.max(y))), x.max(y))
            };
            let exchange = self.draw() % 2 == 1;
            if x >= y {
                continue;
            }
            if exchange {
                order.swap(x, y);
            } else {
                let moved = order.remove(y);
                order.insert(x, moved);
            }
            let new = self.schedule(&order, jobs, profile, &|wait| costs(self, wait));
            if new.value < best.value {
                best = new;
            }
        }
        best
    }
}

impl Schedule {
    /// Like jobs keep their places, but share them out by their waits.
    fn take_turns(&mut self, jobs: &[Job]) {
        let kind = |number: usize| {
            let Job { processors, run_time, limit, from, class, .. } = jobs[number];
            (processors, run_time, limit, from, class)
        };
        for first in self.order.clone() {
            let like = |&place: &usize| kind(self.order[place]) == kind(first);
            let places: Vec<usize> = (0..self.order.len()).filter(like).collect();
            let starts: Vec<i64> = places.iter().map(|&place| self.starts[self.order[place]]).collect();
            let mut turns: Vec<usize> = places.iter().map(|&place| self.order[place]).collect();
            turns.sort_by_key(|&number| (-jobs[number].counted, number));
            for ((place, start), number) in places.into_iter().zip(starts).zip(turns) {
                (self.order[place], self.starts[number]) = (number, start);
            }
        }
    }
}

impl Job {
    fn new(job: &WaitingJob, next_end: i64) -> Job {
        let waited = job.waited.min(LONGEST);
        Job {
            processors: i64::from(job.processors),
            run_time: job.run_time.clamp(1, LONGEST),
            limit: job.limit.clamp(1, LONGEST),
            waited,
            counted: (waited + job.credit).min(LONGEST),
            tier: i64::from(job.tier),
            promised: job.promised.min(LONGEST),
            from: if job.later { next_end } else { 0 },
            class: 0,
        }
    }
}

/// The nearest rank.
fn quantile(waits: &[i64], quantile: f64) -> i64 {
    let mut sorted = waits.to_vec();
    sorted.sort();
    let rank = (quantile * waits.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).map_or(0, |&wait| wait.min(LONGEST))
}

/// EASY's reservation for a number of processors by the limits (seconds from now, processors) of the running jobs: its
/// time, and the number of processors left over then; not now if the job must start `later`.
pub fn easy(processors: i64, idle: i64, limits: &[(i64, i64)], later: bool) -> Option<(i64, i64)> {
    let now = (!later).then_some(0);
    let mut ends: Vec<i64> = limits.iter().map(|limit| limit.0).chain(now).collect();
    ends.sort();
    ends.into_iter().find_map(|end| {
        let released: i64 = limits.iter().filter(|limit| limit.0 <= end).map(|limit| limit.1).sum();
        (idle + released >= processors).then_some((end, idle + released - processors))
    })
}

/// The queue in the plan's order.
struct Planned<'a> {
    order: &'a [usize],
    starts: &'a [i64],
    jobs: &'a [Job],
}

/// The jobs that start, the number held back, and the wait promised to the guarded job: a guarded job planned for later
/// lets pass it those of higher tiers, and of the others those that end before its reservation or fit the processors it
/// leaves over. With a `budget`, or slack, the reservation is at the promised time, of before or of now.
fn start(
    &Planned { order, starts, jobs }: &Planned<'_>,
    idle: i64,
    running: &[Running],
    guarded: Option<usize>,
    budget: f64,
) -> (Vec<usize>, usize, Option<(usize, i64)>) {
    let now = order.iter().copied().filter(|&number| starts[number] == 0);
    let Some(number) = guarded.filter(|&job| starts[job] > 0) else {
        return (now.collect(), 0, None);
    };
    let waits = &jobs[number];
    let (mut started, others): (Vec<usize>, Vec<usize>) =
        now.partition(|&number| jobs[number].tier > waits.tier);
    let higher = started.iter().map(|&number| (jobs[number].limit, jobs[number].processors));
    let limits: Vec<(i64, i64)> = running
        .iter()
        .map(|job| (job.limit_in.clamp(1, LONGEST), i64::from(job.processors)))
        .chain(higher.clone())
        .collect();
    let taken: i64 = higher.map(|job| job.1).sum();
    let earliest = easy(waits.processors, idle - taken, &limits, waits.from > 0);
    let mut promised = None;
    let reservation = earliest.map(|(earliest, _)| {
        let instant = match budget {
            0.0 => earliest,
            budget => {
                let wait = waits.waited + earliest;
                let wait = (wait + wait * (budget * 256.0) as i64 / 256).max(waits.waited + 1).min(LONGEST);
                let before = if waits.promised > 0 { waits.promised } else { i64::MAX };
                promised = Some((number, wait)).filter(|_| wait < before);
                earliest.max(wait.min(before) - waits.waited)
            }
        };
        let released: i64 = limits.iter().filter(|limit| limit.0 <= instant).map(|limit| limit.1).sum();
        (instant, idle - taken + released - waits.processors)
    });
    let count = started.len() + others.len();
    let mut spare = reservation.map_or(0, |(_, spare)| spare);
    if others.is_empty() {
        // No job would pass it.
        promised = None;
    }
    for number in others {
        let job = &jobs[number];
        let before = reservation.is_none_or(|(end, _)| job.limit <= end);
        if before || job.processors <= spare {
            spare -= if before { 0 } else { job.processors };
            started.push(number);
        }
    }
    let refused = count - started.len();
    (started, refused, promised)
}
