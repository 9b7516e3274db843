//! Cases of queues, and a scheduler written for these tests alone: second by second, with an array of free processors a
//! second and priorities in whole numbers.

use std::cmp::Ordering;
use surefill::forecast::{CandidateOrder, ForecastOptions, Plans, Policy};
use surefill::runtime::{Release, RuntimeBins, RuntimeDistribution};
use surefill::schedule::Priority;

/// Numbers for cases: a linear congruential generator, its high bits.
pub struct Cases(pub u64);

impl Cases {
    pub fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

#[derive(Debug, Clone)]
pub struct Job {
    pub processors: u32,
    pub age: i64,
    pub limit: i64,
    /// Submission in seconds after now; before it where negative.
    pub submit: i64,
    pub prediction: RuntimeDistribution,
    /// Its possible ends: seconds from now, or from its start, with probabilities. Those beyond the limit are at it.
    pub outcomes: Vec<(i64, f64)>,
    /// Its ends in a policy's plan, by Algorithm 5: those beyond the limit are spread over the others.
    pub planned: Vec<(i64, f64)>,
}

impl Job {
    pub fn new(cases: &mut Cases, processors: i64, age: i64, outcomes: u64) -> Job {
        let bins = RuntimeBins::new(2.0, 2.0, 5).unwrap();
        let mut counts = [0.0; 5];
        for _ in 0..=cases.below(outcomes) {
            counts[cases.below(5) as usize] += 1.0 + cases.below(3) as f64;
        }
        let prediction = match cases.below(8) {
            0 => RuntimeDistribution::limit(),
            1 => RuntimeDistribution::single(cases.range(0, 20)).unwrap(),
            _ => RuntimeDistribution::from_counts(&bins, &counts).unwrap(),
        };
        let limit = cases.range(0, 24);
        let mut out = [Release::default(); 8];
        let count = prediction.remaining(age, limit, 1, &mut out).unwrap();
        let planned: Vec<_> = out[..count].iter().map(|r| (r.after, r.probability)).collect();
        let outcomes = match prediction.binned() {
            Some((_, shares)) => ends(shares, age, limit),
            None => planned.clone(),
        };
        Job { processors: processors as u32, age, limit, submit: 0, prediction, outcomes, planned }
    }

    pub fn limit_left(&self) -> i64 {
        (self.limit - self.age).max(1)
    }

    pub fn median(&self) -> i64 {
        let mut below = 0.0;
        let half = self.planned.iter().find(|(_, p)| {
            below += p;
            below >= 0.5
        });
        half.unwrap_or(&self.planned[self.planned.len() - 1]).0
    }
}

/// The ends of a job of this age whose run time has these shares of the bins from 1, 2, 4, 8 and 16 s on: each share
/// falls between edges with the logarithm, its part below the age is gone, its part up to the limit is at the end of
/// that part, and the rest at the limit. The last bin is as wide as the others, from the later of its start and the
/// age.
fn ends(shares: &[f64], age: i64, limit: i64) -> Vec<(i64, f64)> {
    let last = (limit - age).max(1);
    let mut found = std::collections::BTreeMap::new();
    for (bin, share) in shares.iter().enumerate() {
        let low = 2f64.powi(bin as i32);
        let high = if bin == 4 { low.max(age as f64) * 2.0 } else { low * 2.0 };
        let share_to = |to: f64| share * (to.clamp(low, high) / low).log2() / (high / low).log2();
        let gone = share_to(age as f64);
        let by_limit = share_to(limit.max(age) as f64) - gone;
        let end = high.min(limit as f64).ceil() as i64 - age;
        if by_limit > 0.0 {
            *found.entry(end.max(1)).or_insert(0.0) += by_limit;
        }
        *found.entry(last).or_insert(0.0) += share - gone - by_limit;
    }
    found.retain(|_, probability| *probability > 1e-12);
    let all: f64 = found.values().sum();
    if all == 0.0 { vec![(last, 1.0)] } else { found.into_iter().map(|(end, p)| (end, p / all)).collect() }
}

#[derive(Debug, Clone)]
pub struct Case {
    pub idle: u32,
    pub running: Vec<Job>,
    pub waiting: Vec<Job>,
    pub options: ForecastOptions,
}

/// A small case; `outcomes` is the most of each job.
pub fn case(cases: &mut Cases, running: i64, waiting: i64, outcomes: u64) -> Case {
    let running: Vec<Job> = (0..cases.range(0, running))
        .map(|_| {
            let (processors, age) = (cases.range(1, 4), [0, 0, 1, 3, 9, 30][cases.below(6) as usize]);
            Job::new(cases, processors, age, outcomes)
        })
        .collect();
    let idle = cases.below(4) as u32;
    let widest = i64::from(running.iter().map(|job| job.processors).sum::<u32>() + idle).max(1);
    let mut waiting: Vec<Job> = (0..cases.range(1, waiting))
        .map(|_| {
            // Now and then a job that cannot start.
            let processors = if cases.below(12) == 0 { widest + 1 } else { cases.range(1, widest.min(8)) };
            Job::new(cases, processors, 0, outcomes)
        })
        .collect();
    if cases.below(3) == 0 {
        for job in &mut waiting {
            job.submit = [0, 0, 2, 4, 7][cases.below(5) as usize];
        }
    }
    let options = ForecastOptions {
        policy: if cases.below(5) == 0 { Policy::Fcfs } else { Policy::Backfill },
        reservations: [1, 1, 1, 0, 2, 3, 100][cases.below(7) as usize],
        order: if cases.below(2) == 0 { CandidateOrder::Queue } else { CandidateOrder::Shortest },
        plans: if cases.below(2) == 0 { Plans::Limits } else { Plans::Medians },
        scenarios: 200,
        seed: cases.below(1 << 30),
        confidence: 0.999_999,
        ..ForecastOptions::default()
    };
    Case { idle, running, waiting, options }
}

/// Half of the cases with orders by priorities and with slack, for which whole numbers give the exact result.
pub fn prioritised(case: &mut Case, cases: &mut Cases) {
    if cases.below(2) == 0 {
        return;
    }
    let mut priority = || Priority {
        run_time: cases.below(2) as f64,
        processors: cases.below(2) as f64,
        age_unit: 8.0,
        age: cases.below(3) as f64,
    };
    (case.options.queue, case.options.candidates) = (priority(), priority());
    if cases.below(2) == 0 {
        case.options.order = CandidateOrder::Priority;
    }
    case.options.front = [f64::INFINITY, 20.0, 5.5][cases.below(3) as usize];
    case.options.slack = [0.0, 0.5, 2.0][cases.below(3) as usize];
    for job in case.waiting.iter_mut().filter(|job| job.submit == 0) {
        job.submit = -cases.range(0, 30);
    }
}

/// Order of two waiting jobs: `median^a processors^b (8 / (8 + wait))^d` multiplied out.
fn first(case: &Case, priority: &Priority, front: f64, now: i64, a: usize, b: usize) -> Ordering {
    let wait = |i: usize| i128::from(now - case.waiting[i].submit);
    let old = |i: usize| wait(i) as f64 > front;
    match (old(a), old(b)) {
        (true, true) => return wait(b).cmp(&wait(a)).then(a.cmp(&b)),
        (true, false) => return Ordering::Less,
        (false, true) => return Ordering::Greater,
        (false, false) => {}
    }
    let size = |i: usize| {
        let job = &case.waiting[i];
        let median = i128::from(job.median().max(10)).pow(priority.run_time as u32);
        median * i128::from(job.processors).pow(priority.processors as u32)
    };
    let ageing = |i: usize| (8 + wait(i)).pow(priority.age as u32);
    (size(a) * ageing(b)).cmp(&(size(b) * ageing(a))).then(a.cmp(&b))
}

/// A running job of the scheduler below.
struct Runs {
    processors: u32,
    ends: i64,
    /// End that the policy expects, at first and once that is past.
    planned: [i64; 2],
}

/// Starts of all waiting jobs with these run times: second by second, with an array of free processors a second.
pub fn play(case: &Case, running: &[i64], waiting: &[i64]) -> Vec<Option<i64>> {
    let horizon = 1200.max(25 * waiting.len() as i64);
    let medians = case.options.plans == Plans::Medians;
    let plan = |job: &Job| if medians { job.median() } else { job.limit_left() };
    let all = case.idle + case.running.iter().map(|job| job.processors).sum::<u32>();
    let mut runs: Vec<Runs> = case
        .running
        .iter()
        .zip(running)
        .map(|(job, &ends)| Runs { processors: job.processors, ends, planned: [plan(job), job.limit_left()] })
        .collect();
    let able = |i: &usize| case.waiting[*i].processors <= all;
    let mut starts = vec![None; waiting.len()];
    for now in 0..horizon {
        let news = now == 0
            || runs.iter().any(|job| job.ends == now)
            || case.waiting.iter().any(|job| job.submit == now);
        if !news {
            continue;
        }
        runs.retain(|job| job.ends > now);
        let idle = |runs: &[Runs]| all - runs.iter().map(|job| job.processors).sum::<u32>();
        let mut queue: Vec<usize> = (0..waiting.len())
            .filter(able)
            .filter(|&i| starts[i].is_none() && case.waiting[i].submit <= now)
            .collect();
        let options = &case.options;
        queue.sort_by(|&a, &b| first(case, &options.queue, options.front, now, a, b));
        let mut start = |i: usize, runs: &mut Vec<Runs>| {
            let job = &case.waiting[i];
            starts[i] = Some(now);
            let planned = [now + plan(job), now + job.limit_left()];
            runs.push(Runs { processors: job.processors, ends: now + waiting[i], planned });
        };
        while let Some(&head) = queue.first()
            && case.waiting[head].processors <= idle(&runs)
        {
            start(head, &mut runs);
            queue.remove(0);
        }
        if case.options.policy == Policy::Fcfs || queue.is_empty() {
            continue;
        }
        let mut free = vec![i64::from(all); 2 * horizon as usize];
        for job in &runs {
            let ends = if job.planned[0] > now { job.planned[0] } else { job.planned[1] };
            free[now as usize..ends as usize].iter_mut().for_each(|free| *free -= i64::from(job.processors));
        }
        let hole = |free: &[i64], i: usize| {
            let job = &case.waiting[i];
            let fits = |t: i64| {
                free[t as usize..(t + plan(job)) as usize].iter().all(|&f| f >= i64::from(job.processors))
            };
            (now..horizon).find(|&t| fits(t)).unwrap()
        };
        let take = |free: &mut [i64], i: usize, t: i64| {
            let job = &case.waiting[i];
            free[t as usize..(t + plan(job)) as usize]
                .iter_mut()
                .for_each(|free| *free -= i64::from(job.processors));
        };
        let mut held = 0;
        let mut head = None;
        let mut candidates = Vec::new();
        for &i in &queue {
            if held >= case.options.reservations {
                candidates.push(i);
                continue;
            }
            let t = hole(&free, i);
            take(&mut free, i, t);
            if t == now {
                start(i, &mut runs);
            } else {
                held += 1;
                head = Some(t);
            }
        }
        match options.order {
            CandidateOrder::Queue => {}
            CandidateOrder::Shortest => {
                candidates.sort_by_key(|&i| (case.waiting[i].median(), i));
            }
            CandidateOrder::Priority => {
                let order =
                    |&a: &usize, &b: &usize| first(case, &options.candidates, f64::INFINITY, now, a, b);
                candidates.sort_by(order);
            }
        }
        for i in candidates {
            if case.waiting[i].processors > idle(&runs) {
                continue;
            }
            // Without any reservation, the whole future is free.
            if hole(&free, i) == now {
                take(&mut free, i, now);
                start(i, &mut runs);
            } else if let (Some(head), 1) = (head, options.reservations) {
                // A job that disturbs the reservation takes no processors beside it.
                let (late, rest) = (now + plan(&case.waiting[i]) - head, head - now);
                if (late as f64) < options.slack * rest as f64 {
                    start(i, &mut runs);
                }
            }
        }
    }
    assert!(
        (0..waiting.len()).filter(able).all(|i| starts[i].is_some()),
        "the horizon is too near: {case:?}"
    );
    starts
}
