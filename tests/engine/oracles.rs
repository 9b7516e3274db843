//! Oracles: the decisions of EASY and of the plan on a machine's queue, written without the engine.

use crate::machine::{Job, Machine};
use crate::naive::{LONGEST, Naive, Running};
use std::cmp::Reverse;
use surefill::engine::{JobState, OrderWord, Settings};
use surefill::plan::WaitingJob;

/// Whether a job may be looked at now.
fn waits(machine: &Machine, job: &Job, pool: u32) -> bool {
    let here = machine.pool(job) == pool && job.count <= machine.units[pool as usize];
    here && job.state == JobState::Waiting && job.begin <= machine.now
}

fn limit_of(job: &Job) -> i64 {
    if job.limit > 0 { job.limit.min(LONGEST) } else { LONGEST }
}

/// When it reaches its limit, in seconds from now.
fn rest_by_limit(job: &Job, now: i64) -> i64 {
    if job.limit > 0 { (job.limit - job.age(now)).clamp(1, LONGEST) } else { LONGEST }
}

/// The order, `auto` by what points are worth.
fn order(settings: &Settings) -> OrderWord {
    match (settings.order, settings.seconds > 0.0) {
        (OrderWord::Auto, true) => OrderWord::Priority,
        (OrderWord::Auto, false) => OrderWord::Ties,
        (order, _) => order,
    }
}

/// The number of this priority's band among those of its tier, 0 for the highest: each begins with the highest priority
/// that is in none before it, and is `percent` as wide as the range without a twentieth of the jobs at each end, one
/// job at least.
fn band(priority: f64, mut tier: Vec<f64>, percent: f64) -> usize {
    tier.sort_by(|a, b| b.total_cmp(a));
    let apart = (tier.len() / 20).max(1);
    let inner: Vec<f64> =
        tier.iter().copied().skip(apart).take(tier.len().saturating_sub(2 * apart)).collect();
    let wide = inner.first().map_or(0.0, |first| (first - inner[inner.len() - 1]) * (percent / 100.0));
    let mut number = 0;
    while let Some(&top) = tier.first() {
        tier.retain(|&other| top - other > wide);
        if top - priority <= wide {
            return number;
        }
        number += 1;
    }
    panic!("{priority} is none of its tier")
}

/// EASY: tier, then priority or the wait with what points are worth, submission, id.
pub fn easy(machine: &Machine, pool: u32, settings: &Settings) -> Vec<i64> {
    let now = machine.now;
    let mut queue: Vec<&Job> = machine.jobs.iter().filter(|job| waits(machine, job, pool)).collect();
    let worth = |job: &Job| match order(settings) {
        OrderWord::Ties => job.priority,
        OrderWord::Priority => job.waited(now) as f64 + settings.seconds * job.priority,
        _ => 0.0,
    };
    queue.sort_by(|a, b| {
        let by_worth = worth(b).partial_cmp(&worth(a)).unwrap();
        b.tier.cmp(&a.tier).then(by_worth).then((a.submit, a.id).cmp(&(b.submit, b.id)))
    });
    let mut idle = i64::from(machine.idle(pool));
    let here = machine.jobs.iter().filter(|job| machine.pool(job) == pool && job.holds() > 0);
    let mut ends: Vec<(i64, i64)> = here.map(|job| (rest_by_limit(job, now), i64::from(job.count))).collect();
    let mut started = Vec::new();
    let mut rest = queue.into_iter();
    let head = loop {
        let Some(job) = rest.next() else { return started };
        if i64::from(job.count) > idle {
            break job;
        }
        idle -= i64::from(job.count);
        ends.push((limit_of(job), i64::from(job.count)));
        started.push(job.id);
    };
    // Start of the head if every job runs to its limit, and the units it leaves over.
    ends.sort();
    let free = |at: i64| idle + ends.iter().filter(|end| end.0 <= at).map(|end| end.1).sum::<i64>();
    let shadow = ends.iter().map(|end| end.0).find(|&at| free(at) >= i64::from(head.count));
    let mut spare = shadow.map_or(0, |at| free(at) - i64::from(head.count));
    for job in rest {
        let count = i64::from(job.count);
        let before = shadow.is_none_or(|at| limit_of(job) <= at);
        if count > idle || !before && count > spare {
            continue;
        }
        spare -= if before { 0 } else { count };
        idle -= count;
        started.push(job.id);
    }
    started
}

/// The plan, with its inputs.
pub struct PlanOracle {
    naive: Vec<Naive>,
    recent: Vec<Vec<i64>>,
    counted: Vec<Vec<i64>>,
}

/// Number of waits that are kept.
const WAITS: usize = 250;

impl PlanOracle {
    pub fn new(pools: usize, seed: u64) -> PlanOracle {
        PlanOracle {
            naive: (0..pools).map(|pool| Naive::new(seed + pool as u64)).collect(),
            recent: vec![Vec::new(); pools],
            counted: vec![Vec::new(); pools],
        }
    }

    /// Notes the start of a job.
    pub fn started(&mut self, pool: u32, job: &Job) {
        let waited = job.waited(job.start);
        for (list, wait) in [(&mut self.recent, waited), (&mut self.counted, waited + job.credit)] {
            let list = &mut list[pool as usize];
            list.push(wait);
            list.drain(..list.len().saturating_sub(WAITS));
        }
    }

    /// The jobs that the plan of this pool starts now.
    pub fn decide(&mut self, machine: &mut Machine, pool: u32, settings: &Settings) -> Vec<i64> {
        let now = machine.now;
        let idle = machine.idle(pool);
        if machine.held(pool) > machine.units[pool as usize] {
            // Contradictory: the site's order, without overtaking, and nothing is idle.
            return Vec::new();
        }
        let mut running = Vec::new();
        let queues = machine.queues.clone();
        let of = |job: &Job| queues[job.queue as usize] == pool;
        for job in machine.jobs.iter().filter(|job| of(job) && job.holds() > 0) {
            let age = job.age(now);
            // The last of the ages at which its end was predicted.
            let mut asked = 0;
            while age >= asked + asked / 10 + 6 {
                asked += asked / 10 + 6;
            }
            let limit = limit_of(job).max(job.predicted);
            let end = if asked < job.predicted { job.predicted } else { limit.max(asked + 1) };
            running.push(Running {
                processors: job.count,
                ends_in: (end - age).max(1),
                limit_in: rest_by_limit(job, now),
            });
        }
        let mut queue: Vec<Job> =
            machine.jobs.iter().filter(|job| waits(machine, job, pool)).cloned().collect();
        queue.sort_by_key(|job| (job.submit, job.id));
        // Classes by rank, the highest 0.
        let class = |job: &Job| {
            let same = queue.iter().filter(|other| other.tier == job.tier).map(|other| other.priority);
            let ties = order(settings) == OrderWord::Ties;
            let band = if ties { band(job.priority, same.collect(), settings.tie) } else { 0 };
            (job.tier, Reverse(band))
        };
        let mut classes: Vec<_> = queue.iter().map(class).collect();
        classes.sort_by(|a, b| b.cmp(a));
        classes.dedup();
        let lowest = queue.iter().map(|job| job.priority).fold(f64::INFINITY, f64::min);
        let mut waiting = Vec::new();
        for job in &queue {
            let points = if order(settings) == OrderWord::Priority { job.priority - lowest } else { 0.0 };
            let credit = (points * settings.seconds) as i64;
            machine.job(job.id).credit = credit;
            waiting.push(WaitingJob {
                id: job.id,
                processors: job.count,
                run_time: job.predicted.max(1),
                limit: limit_of(job),
                waited: job.waited(now),
                credit,
                tier: -(classes.iter().position(|one| *one == class(job)).unwrap() as i32),
                promised: 0,
                later: false,
            });
        }
        let number = pool as usize;
        let (recent, counted) = (&self.recent[number], &self.counted[number]);
        let answer = self.naive[number].decide(&settings.rule, idle, &running, &waiting, recent, counted);
        answer.started.iter().map(|&number| queue[number].id).collect()
    }
}
