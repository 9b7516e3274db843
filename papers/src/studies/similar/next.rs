//! On-line prediction of the next job from the chains, which the paper leaves as future work.
//!
//! Before every job, the probability of its state of processors and of its state of run time is asked for; then the job
//! is learnt. Nothing of later jobs is known but which states there are. Two scores: bits a job, the mean of -log2 of
//! the probability that was given to what came (lower is better), and hits, how often the most probable state came.
//!
//! Predictors:
//!
//! * **independent**: the frequencies so far, (n_k + 1/2) / (n + S/2) for a state that came n_k times in n jobs, S
//!   states.
//! * **chains**: (n_jk + q_k) / (n_j + 1) from state j, q_k being the independent prediction.
//! * **rules**: the chains, processors adjusted by the paper's three rules with the correlations so far (n / (n + 10)
//!   of them after n jobs): the run time's state is drawn first, that of processors depends on it.
//! * **common**: the chains with draws in common ([`crate::generate::coupling`]), all theta from -1 to 1
//!   by tenths weighted by how well they have predicted so far (Bayes, from equal weights).
//! * **pairs**: one chain over pairs of states, backed off to the product of both chains in the same way. The paper
//!   holds it to be too large; it bounds what any coupling can win.
//! * **ended**: the chains, but the run time's state is that of the job which ended last by the time of submission. The
//!   others know the run time of the job before as soon as it is submitted, as the paper assumes and no scheduler does.
//!   Where waits are unknown, jobs are taken to start at once.

use crate::generate::chain::Chain;
use crate::generate::coupling::{Rules, common};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use surefill_simulator::generate::History;

/// Score of one predictor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The predictor.
    pub predictor: String,
    /// Bits a job: processors and run time together.
    pub bits: f64,
    /// Bits a job: processors.
    pub bits_nodes: f64,
    /// Bits a job: run time.
    pub bits_run_time: f64,
    /// Share of jobs whose pair of states was the most probable one.
    pub hits: f64,
    /// Share of jobs whose state of processors was the most probable one.
    pub hits_nodes: f64,
    /// Share of jobs whose state of run time was the most probable one.
    pub hits_run_time: f64,
}

/// Counts of what followed what.
#[derive(Debug, Clone)]
struct Counts {
    states: usize,
    all: Vec<f64>,
    after: Vec<Vec<f64>>,
}

impl Counts {
    fn new(states: usize, before: usize) -> Counts {
        Counts { states, all: vec![0.0; states], after: vec![vec![0.0; states]; before] }
    }

    /// The probabilities of all states, whatever came before.
    fn independent(&self) -> Vec<f64> {
        let total = self.all.iter().sum::<f64>() + 0.5 * self.states as f64;
        self.all.iter().map(|count| (count + 0.5) / total).collect()
    }

    /// The probabilities after a state; without one, whatever came before.
    fn after(&self, before: Option<usize>) -> Vec<f64> {
        let independent = self.independent();
        let Some(counts) = before.and_then(|before| self.after.get(before)) else { return independent };
        let total = counts.iter().sum::<f64>() + 1.0;
        counts.iter().zip(&independent).map(|(count, q)| (count + q) / total).collect()
    }

    fn learn(&mut self, before: Option<usize>, state: usize) {
        self.all[state] += 1.0;
        if let Some(counts) = before.and_then(|before| self.after.get_mut(before)) {
            counts[state] += 1.0;
        }
    }
}

/// Sums that give a correlation at any time.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    /// Drawn towards 0 as ten uncorrelated pairs would: two or three jobs often agree entirely, which is no reason to
    /// give what disagrees no probability at all.
    fn correlation(&self) -> f64 {
        const PRIOR: f64 = 10.0;
        let covariance = self.count * self.xy - self.x * self.y;
        let (x, y) = (self.count * self.xx - self.x * self.x, self.count * self.yy - self.y * self.y);
        let shrunk = self.count / (self.count + PRIOR);
        if x > 0.0 && y > 0.0 { shrunk * (covariance / libm::sqrt(x * y)).clamp(-1.0, 1.0) } else { 0.0 }
    }
}

/// Adds up what predictions were worth.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    jobs: f64,
    bits: [f64; 3],
    hits: [f64; 3],
}

fn largest(values: impl IntoIterator<Item = f64>) -> usize {
    let better = |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
    values.into_iter().enumerate().fold((0, f64::NEG_INFINITY), better).0
}

impl Tally {
    /// A joint prediction, row by row of the nodes' states, and what came.
    fn add(&mut self, joint: &[f64], run_time_states: usize, (nodes, run_time): (usize, usize)) {
        let rows = joint.chunks(run_time_states);
        let by_nodes: Vec<f64> = rows.map(|row| row.iter().sum()).collect();
        let column = |state| joint.iter().skip(state).step_by(run_time_states).sum::<f64>();
        let by_run_time: Vec<f64> = (0..run_time_states).map(column).collect();
        let came = nodes * run_time_states + run_time;
        let given = [joint[came], by_nodes[nodes], by_run_time[run_time]];
        let hit = [
            largest(joint.iter().copied()) == came,
            largest(by_nodes) == nodes,
            largest(by_run_time) == run_time,
        ];
        self.jobs += 1.0;
        for (index, (given, hit)) in given.into_iter().zip(hit).enumerate() {
            self.bits[index] -= libm::log2(given);
            self.hits[index] += f64::from(u8::from(hit));
        }
    }

    fn score(&self, predictor: &'static str) -> Score {
        let mean = |sum: f64| sum / self.jobs.max(1.0);
        Score {
            predictor: predictor.to_owned(),
            bits: mean(self.bits[0]),
            bits_nodes: mean(self.bits[1]),
            bits_run_time: mean(self.bits[2]),
            hits: mean(self.hits[0]),
            hits_nodes: mean(self.hits[1]),
            hits_run_time: mean(self.hits[2]),
        }
    }
}

fn product(nodes: &[f64], run_times: &[f64]) -> Vec<f64> {
    nodes.iter().flat_map(|p| run_times.iter().map(move |q| p * q)).collect()
}

/// The chains' joint prediction under the three rules.
fn adjusted(rules: &Rules, nodes: &[f64], run_times: &[f64], (j, m): (usize, usize)) -> Vec<f64> {
    let mut joint = vec![0.0; nodes.len() * run_times.len()];
    for (n, q) in run_times.iter().enumerate() {
        let (target, chance) = rules.target(j, m, n);
        for (k, p) in nodes.iter().enumerate() {
            let moved = if k == j { 0.0 } else { chance };
            joint[k * run_times.len() + n] += q * p * (1.0 - moved);
            joint[target * run_times.len() + n] += q * p * moved;
        }
    }
    joint
}

/// Weights of theta from -1 to 1 by tenths.
struct Thetas([f64; 21]);

impl Thetas {
    fn value(index: usize) -> f64 {
        (index as f64 - 10.0) / 10.0
    }

    /// The mean share of draws in common, by side: positive theta, negative theta.
    fn shares(&self) -> [f64; 2] {
        let sum = |side: f64| {
            let shares =
                self.0.iter().enumerate().map(|(i, weight)| weight * (side * Thetas::value(i)).max(0.0));
            shares.sum::<f64>()
        };
        [sum(1.0), sum(-1.0)]
    }

    /// Learns from the probabilities that draws in common, positive and negative, and draws apart gave to what came.
    fn learn(&mut self, [positive, negative]: [f64; 2], apart: f64) {
        for (index, weight) in self.0.iter_mut().enumerate() {
            let theta = Thetas::value(index);
            let together = if theta < 0.0 { negative } else { positive };
            // Never nothing: what looks impossible at first may come back.
            *weight = (*weight * (theta.abs() * together + (1.0 - theta.abs()) * apart)).max(1e-30);
        }
        let sum: f64 = self.0.iter().sum();
        for weight in &mut self.0 {
            *weight /= sum;
        }
    }
}

/// Each entry with those before it added, the last exactly 1.
fn cumulative(row: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = row
        .iter()
        .map(|p| {
            sum += p;
            sum
        })
        .collect();
    if let Some(last) = sums.last_mut() {
        *last = 1.0;
    }
    sums
}

/// The joint prediction of two rows with one draw in common.
fn together(nodes: &[f64], run_times: &[f64], opposed: bool) -> Vec<f64> {
    let mut joint = vec![0.0; nodes.len() * run_times.len()];
    common(&cumulative(nodes), &cumulative(run_times), opposed, |k, n, p| {
        joint[k * run_times.len() + n] += p
    });
    joint
}

/// Predicts every job of a trace before learning it. O(jobs x states of both).
pub fn scores(history: &History) -> Vec<Score> {
    let (processors, seconds) = (history.processors(), history.run_times());
    // A history has at least one job, and its states are those of its chains.
    let (Some(nodes), Some(run_times)) = (Chain::new(&processors), Chain::new(&seconds)) else {
        return Vec::new();
    };
    let (a, b) = (nodes.states(), run_times.states());
    let path = nodes.path(&processors).into_iter().zip(run_times.path(&seconds));

    let (mut by_nodes, mut by_run_times) = (Counts::new(a, a), Counts::new(b, b));
    let mut by_ended = Counts::new(b, b);
    let mut pairs: HashMap<(usize, usize), (f64, HashMap<usize, f64>)> = HashMap::new();
    let (mut levels, mut changes) = (Sums::default(), Sums::default());
    let mut last: Option<(usize, usize)> = None;
    let mut running: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    let mut ended = None;
    let mut thetas = Thetas([1.0 / 21.0; 21]);
    let mut tallies = [Tally::default(); 6];

    for ((k, n), job) in path.zip(&history.jobs) {
        while running.peek().is_some_and(|Reverse((end, _))| *end <= job.submit) {
            ended = running.pop().map(|Reverse((_, state))| state);
        }
        let (j, m) = (last.map(|last| last.0), last.map(|last| last.1));
        let (p, q) = (by_nodes.after(j), by_run_times.after(m));
        let chains = product(&p, &q);
        let rules = Rules::with(levels.correlation(), changes.correlation(), a, b);
        let by_rules = last.map_or_else(|| chains.clone(), |last| adjusted(&rules, &p, &q, last));
        let sides = [together(&p, &q, false), together(&p, &q, true)];
        let shares = thetas.shares();
        let apart = 1.0 - shares[0] - shares[1];
        let by_common = chains.iter().zip(sides[0].iter().zip(&sides[1]));
        let by_common: Vec<f64> = by_common
            .map(|(chains, (positive, negative))| {
                apart * chains + shares[0] * positive + shares[1] * negative
            })
            .collect();
        let came = k * b + n;
        thetas.learn([sides[0][came], sides[1][came]], chains[came]);
        let mut by_pairs = chains.clone();
        if let Some((total, counts)) = last.and_then(|last| pairs.get(&last)) {
            for (state, p) in by_pairs.iter_mut().enumerate() {
                *p = (counts.get(&state).copied().unwrap_or(0.0) + *p) / (total + 1.0);
            }
        }
        let predictions = [
            product(&by_nodes.independent(), &by_run_times.independent()),
            chains,
            by_rules,
            by_common,
            by_pairs,
            product(&p, &by_ended.after(ended)),
        ];
        for (tally, prediction) in tallies.iter_mut().zip(&predictions) {
            tally.add(prediction, b, (k, n));
        }

        by_nodes.learn(j, k);
        by_run_times.learn(m, n);
        by_ended.learn(ended, n);
        levels.add(k as f64, n as f64);
        if let Some(last) = last {
            if last.0 != k && last.1 != n {
                changes.add(k as f64 - last.0 as f64, n as f64 - last.1 as f64);
            }
            let (total, counts) = pairs.entry(last).or_default();
            *total += 1.0;
            *counts.entry(came).or_insert(0.0) += 1.0;
        }
        last = Some((k, n));
        running.push(Reverse((job.submit + job.wait.max(0) + job.run_time, n)));
    }
    let names = ["independent", "chains", "rules", "common", "pairs", "ended"];
    tallies.iter().zip(names).map(|(tally, name)| tally.score(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use surefill_simulator::generate::{Kind, Past};

    fn history(jobs: &[(u32, i64)]) -> History {
        let past = |(index, &(processors, run_time)): (i64, &(u32, i64))| Past {
            submit: index * 10,
            wait: -1,
            run_time,
            processors,
            requested: -1,
            user: -1,
            kind: Kind::default(),
        };
        History {
            name: "t.swf".into(),
            jobs: (0..).zip(jobs).map(past).collect(),
            left_out: 0,
            procs: 64,
            unix_start_time: None,
            time_zone: None,
        }
    }

    /// 1, 2, 1 processors, always 1 s. Independent: 1/2, then 1/4 (1/2 of 2), then 1/2 (3/2 of 3). Chains: the first
    /// two as before (nothing followed state 0 yet: q / 1), then from state 1, unseen: 1/2.
    #[test]
    fn scores_by_hand() {
        let scores = scores(&history(&[(1, 1), (2, 1), (1, 1), (2, 1)]));
        let of = |name: &str| scores.iter().find(|score| score.predictor == name).unwrap();
        // Fourth: 3/2 of 4 under independence; from state 0, where state 1 followed once, (1 + 3/8) / 2.
        let bits = |given: [f64; 4]| -given.iter().map(|p| p.log2()).sum::<f64>() / 4.0;
        assert!((of("independent").bits - bits([0.5, 0.25, 0.5, 0.375])).abs() < 1e-12);
        assert!((of("chains").bits - bits([0.5, 0.25, 0.5, 0.6875])).abs() < 1e-12);
        assert_eq!(of("chains").bits_run_time, 0.0);
        assert_eq!((of("chains").hits_run_time, of("chains").bits), (1.0, of("chains").bits_nodes));
        // Guessed 0 (the first of equals), 0, 0, 1: three of four.
        assert_eq!((of("chains").hits, of("independent").hits), (0.75, 0.5));
    }

    #[test]
    fn alternation_is_learnt() {
        let jobs: Vec<(u32, i64)> = (0..400).map(|i| if i % 2 == 0 { (1, 600) } else { (32, 4) }).collect();
        let scores = scores(&history(&jobs));
        assert!(scores[0].bits > 1.9 && scores[1].bits < 0.1 && scores[1].hits > 0.98);
    }

    /// Ends of the same row always come together: theta goes to 1, and both states are known from one.
    #[test]
    fn draws_in_common_are_recognised() {
        let mut random = surefill_simulator::base::random::Random::new(1);
        let jobs: Vec<(u32, i64)> =
            (0..3000).map(|_| if random.chance(0.5) { (1, 1) } else { (32, 1000) }).collect();
        let scores = scores(&history(&jobs));
        let of = |name: &str| scores.iter().find(|score| score.predictor == name).unwrap().bits;
        assert!((of("chains") - 2.0).abs() < 0.02 && (of("common") - 1.0).abs() < 0.03 && of("pairs") < 1.05);
    }

    #[test]
    fn the_weights_of_theta_by_hand() {
        let mut thetas = Thetas([1.0 / 21.0; 21]);
        // Twice 1 + 2 + ... + 10 tenths of one in 21.
        assert!(thetas.shares().iter().all(|share| (share - 5.5 / 21.0).abs() < 1e-12));
        thetas.learn([1.0, 0.0], 0.0);
        // In proportion to theta: the mean of theta is the sum of squares over the sum, 3.85 / 5.5.
        assert!((thetas.shares()[0] - 0.7).abs() < 1e-9 && thetas.shares()[1] < 1e-9);
    }

    proptest! {
        /// Whatever came, the rules' prediction is a distribution, as are the others by their form.
        #[test]
        fn the_rules_give_distributions(
            p in proptest::collection::vec(0.01f64..1.0, 1..8), q in proptest::collection::vec(0.01f64..1.0, 1..8),
            cor0 in -1.0f64..1.0, cor1 in -1.0f64..1.0, j in 0usize..8, m in 0usize..8,
        ) {
            let normal = |values: &[f64]| {
                let sum: f64 = values.iter().sum();
                values.iter().map(|value| value / sum).collect::<Vec<f64>>()
            };
            let (p, q) = (normal(&p), normal(&q));
            let rules = Rules::with(cor0, cor1, p.len(), q.len());
            let joint = adjusted(&rules, &p, &q, (j % p.len(), m % q.len()));
            prop_assert!((joint.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            // Rule 1: staying is never touched from where one is, and the run time's state never is.
            for (n, q) in q.iter().enumerate() {
                let column: f64 = joint.iter().skip(n).step_by(rules_width(&joint, p.len())).sum();
                prop_assert!((column - q).abs() < 1e-12);
            }
        }

        #[test]
        fn any_trace_has_finite_scores(jobs in proptest::collection::vec((1u32..64, 0i64..5000), 1..30)) {
            for score in scores(&history(&jobs)) {
                prop_assert!(score.bits.is_finite() && score.bits >= -1e-9);
                prop_assert!([score.hits, score.hits_nodes, score.hits_run_time].iter().all(|hits| (0.0..=1.0).contains(hits)));
            }
        }
    }

    fn rules_width(joint: &[f64], nodes: usize) -> usize {
        joint.len() / nodes
    }
}
