//! Machines on which many jobs started in the same second, decided with the standard memory: against the distribution
//! of "released before, released after" of every instant, number by number.

use surefill::backfill::{Exactness, Judgement, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Counts by bin; the bins double from 60 s on.
type History = Vec<f64>;

#[derive(Clone)]
struct Job {
    processors: u32,
    age: i64,
    history: History,
}

/// Jobs that all started in the same second, and the waiting ones.
#[derive(Clone)]
struct Machine {
    running: Vec<Job>,
    candidates: Vec<Job>,
    idle: u32,
    head: u32,
}

const LIMIT: i64 = 200_000;
const BINS: usize = 12;

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// `count` jobs of these widths and this number of users, who differ in their histories.
fn machine(seed: u64, count: usize, users: usize, widths: &[u32]) -> Machine {
    let mut state = seed;
    let histories: Vec<History> =
        (0..users).map(|_| (0..BINS).map(|_| random(&mut state).powi(3)).collect()).collect();
    let mut job = |age: i64| {
        let width = widths[(random(&mut state) * widths.len() as f64) as usize];
        let user = (random(&mut state) * users as f64) as usize;
        Job { processors: width, age, history: histories[user].clone() }
    };
    let running: Vec<Job> = (0..count).map(|_| job(600)).collect();
    let busy: u32 = running.iter().map(|job| job.processors).sum();
    let idle = busy / 8 + 2;
    let candidates = (0..20).map(|i| Job { processors: 1 + (i * 7 % 20 * idle) / 24, ..job(0) }).collect();
    Machine { running, candidates, idle, head: idle + busy / 4 }
}

fn distribution(history: &[f64]) -> RuntimeDistribution {
    let bins = RuntimeBins::new(60.0, 2.0, BINS).unwrap();
    RuntimeDistribution::from_counts(&bins, history).unwrap()
}

/// The bins' ends of a job of this age, by hand: log-uniform inside a bin, one event at its end.
fn ends(job: &Job) -> Vec<(i64, f64)> {
    let (history, age) = (&job.history, job.age);
    let edge = |bin: usize| if bin == 0 { 1.0 } else { 60.0 * 2f64.powi(bin as i32 - 1) };
    let mut ends = vec![];
    for (bin, count) in history.iter().enumerate() {
        let upper = if bin + 1 == BINS { LIMIT as f64 } else { edge(bin + 1) };
        let from = edge(bin).max(age as f64);
        if upper > from {
            ends.push((upper as i64 - age, count * (upper / from).ln() / (upper / edge(bin)).ln()));
        }
    }
    let total: f64 = ends.iter().map(|end| end.1).sum();
    ends.iter().map(|&(after, p)| (after, p / total)).collect()
}

fn ended(ends: &[(i64, f64)], by: i64) -> f64 {
    ends.iter().filter(|end| end.0 <= by).map(|end| end.1).sum::<f64>().min(1.0)
}

/// For every instant the probability that the head could not start before it, and then with exactly that number
/// processors too many: over all pairs of (released before, released after).
fn landings(machine: &Machine) -> Vec<(i64, Vec<f64>)> {
    let missing = (machine.head - machine.idle) as usize;
    let above = machine.idle as usize;
    let all: Vec<(usize, Vec<(i64, f64)>)> =
        machine.running.iter().map(|job| (job.processors as usize, ends(job))).collect();
    let mut instants: Vec<i64> = all.iter().flat_map(|job| job.1.iter().map(|end| end.0)).collect();
    instants.sort();
    instants.dedup();
    let columns = missing + above;
    let mut result = vec![];
    for t in instants {
        let mut pairs = vec![vec![0.0; columns]; missing];
        pairs[0][0] = 1.0;
        for (width, ends) in &all {
            let (before, after) = (ended(ends, t - 1), ended(ends, t));
            for b in (0..missing).rev() {
                for a in (0..columns).rev() {
                    let mut p = pairs[b][a] * (1.0 - after);
                    if a >= *width {
                        p += pairs[b][a - width] * (after - before);
                        if b >= *width {
                            p += pairs[b - width][a - width] * before;
                        }
                    }
                    pairs[b][a] = p;
                }
            }
        }
        let landed = (missing..columns).map(|a| pairs.iter().map(|row| row[a]).sum()).collect();
        result.push((t, landed));
    }
    result
}

fn truth(landings: &[(i64, Vec<f64>)], candidate: &Job) -> f64 {
    let width = candidate.processors as usize;
    let hit = |te: i64| -> f64 {
        landings.iter().filter(|(t, _)| *t < te).map(|(_, landed)| landed[..width].iter().sum::<f64>()).sum()
    };
    ends(candidate).iter().map(|&(te, q)| q * hit(te)).sum()
}

fn pass_over(machine: &Machine, rule: &Rule) -> Vec<Judgement> {
    let busy: u32 = machine.running.iter().map(|job| job.processors).sum();
    let capacity = PassCapacity {
        running: machine.running.len() as u32,
        candidates: machine.candidates.len() as u32,
        processors: busy + machine.idle,
        bins: BINS as u32,
        events_per_bin: 1,
        ..PassCapacity::default()
    };
    let mut memory = vec![0u64; Pass::size(&capacity).unwrap().div_ceil(8)];
    let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
    pass.begin(0, machine.idle, 1, machine.head).unwrap();
    for job in &machine.running {
        pass.add_running(job.processors, job.age, LIMIT, &distribution(&job.history)).unwrap();
    }
    for job in &machine.candidates {
        pass.add_candidate(job.processors, LIMIT, &distribution(&job.history)).unwrap();
    }
    while let Step::Accept(index) = pass.decide(rule, u64::MAX).unwrap() {
        pass.commit(index).unwrap();
    }
    (0..machine.candidates.len()).map(|index| pass.judgement(index).unwrap()).collect()
}

/// Every candidate judged, and none started.
const JUDGED: Rule = Rule { threshold: 2.0, budget: 0.0, ..Rule::EXACT };

/// Jobs, users, widths.
const CROWDS: [(usize, usize, &[u32]); 8] = [
    (60, 1, &[4]),
    (60, 3, &[1, 2, 3, 5, 7, 16]),
    (250, 3, &[1]),
    (100, 5, &[1, 2, 4, 8, 16]),
    (200, 5, &[1, 2, 3, 4]),
    (150, 2, &[1, 2, 4, 8, 16, 32]),
    (400, 8, &[1, 2]),
    (80, 8, &[1, 2, 3, 4, 6, 12, 40]),
];

#[test]
fn delays_on_crowded_machines_are_within_a_hundredth_of_the_true_ones() {
    let (mut exact, mut estimates) = (0, 0);
    for (count, users, widths) in CROWDS {
        for seed in 0..2 {
            let machine = machine(seed, count, users, widths);
            let landings = landings(&machine);
            for (job, found) in machine.candidates.iter().zip(pass_over(&machine, &JUDGED)) {
                let truth = truth(&landings, job);
                let error = (found.delay - truth).abs();
                match found.exactness {
                    Exactness::Exact => assert!(error < 1e-13, "{count} {seed}: {error}"),
                    Exactness::Estimate => {
                        assert!(error < 0.01 * truth, "{count} {seed}: {error} of {truth}")
                    }
                    other => panic!("{other:?}"),
                }
                let counted = if found.exactness == Exactness::Exact { &mut exact } else { &mut estimates };
                *counted += 1;
            }
        }
    }
    assert!(exact >= 120 && estimates >= 120, "{exact} exact, {estimates} estimates");
}

/// Judges candidate after candidate by the naive distribution; accepted ones run.
fn decide_naively(mut machine: Machine, tau: f64) -> Vec<bool> {
    let mut landed = landings(&machine);
    let mut accepted = vec![];
    for job in machine.candidates.clone() {
        let starts = job.processors <= machine.idle && truth(&landed, &job) < tau;
        if starts {
            machine.idle -= job.processors;
            machine.running.push(job);
            landed = landings(&machine);
        }
        accepted.push(starts);
    }
    accepted
}

#[test]
fn a_crowded_machine_starts_whom_the_true_delays_allow() {
    let mut started = 0;
    for (count, users, widths) in [(60, 3, &[1u32, 2, 4, 8][..]), (120, 2, &[1, 2, 3]), (40, 1, &[2])] {
        for seed in 0..6 {
            let machine = machine(seed, count, users, widths);
            let verdicts = pass_over(&machine, &Rule::EXACT);
            let found: Vec<bool> = verdicts.iter().map(|j| j.verdict == Verdict::Accepted).collect();
            assert_eq!(found, decide_naively(machine, 0.05), "{count} {seed}");
            started += found.iter().filter(|&&starts| starts).count();
        }
    }
    assert!(started >= 15, "{started}");
}
