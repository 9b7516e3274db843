//! The hidden Markov model's state and the user's history in one distribution: the model that Nissimov 2006 (chapter 6)
//! leaves for the future, "where the model includes not only the submit time, but also other job parameters, like the
//! submitting user".
//!
//! With u the prediction from like jobs, h the model's prediction at the job's submission, and g the shares of all
//! finished jobs, each of the bins r has
//!
//! ```text
//! p(r) = u(r)^v (h(r) / g(r))^w / Z:
//! ```
//!
//! the state's deviation from the distribution of all jobs is carried over to the job's own. Were state and user
//! independent given the run time, v = w = 1 would be exact. The weights begin at v = 1, w = 0, the prediction without
//! the model, and follow the gradient of the logarithmic score, which is concave in them, whenever a job ends (AdaGrad:
//! Duchi, Hazan & Singer 2011).

use super::{DistributionPredictor, Global, HmmPredictor};
use crate::trace::workload::Job;
use std::collections::HashMap;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// The first step of a weight, from which every later one is scaled down.
const STEP: f64 = 0.05;

/// The prediction for a job, and its parts.
struct Said {
    distribution: RuntimeDistribution,
    /// p with its parts; none where there was nothing to join.
    joined: Option<Joint>,
}

/// A joined distribution, with the logarithms it was joined from.
struct Joint {
    p: Vec<f64>,
    /// ln u and ln h - ln g of every bin.
    parts: [Vec<f64>; 2],
}

/// A predictor of jobs that are alike, joined with the hidden Markov model.
pub struct Joined {
    bins: RuntimeBins,
    alike: Box<dyn DistributionPredictor>,
    model: HmmPredictor,
    all: Global,
    weights: [f64; 2],
    /// Sums of the squared gradients.
    squares: [f64; 2],
    said: HashMap<usize, Said>,
}

impl Joined {
    /// A predictor without anything learnt.
    pub fn new(bins: &RuntimeBins, alike: Box<dyn DistributionPredictor>, model: HmmPredictor) -> Joined {
        let (weights, squares, said) = ([1.0, 0.0], [0.0; 2], HashMap::new());
        Joined { bins: bins.clone(), alike, model, all: Global::new(bins.clone()), weights, squares, said }
    }

    /// The exponents v and w.
    pub fn weights(&self) -> [f64; 2] {
        self.weights
    }

    fn join(&mut self, job: &Job, now: i64) -> Said {
        let alike = self.alike.predict(job, now);
        let model = self.model.predict(job, now);
        let parts = alike.binned().zip(model.binned()).map(|((_, u), (_, h))| {
            let ln = |p: f64| libm::log(p);
            // A bin that the model excludes, or that no job has been in yet, is left as it is.
            let beyond = |(&h, g): (&f64, f64)| if h > 0.0 && g > 0.0 { ln(h) - ln(g) } else { 0.0 };
            [
                u.iter().copied().map(ln).collect::<Vec<_>>(),
                h.iter().zip(self.all.shares()).map(beyond).collect(),
            ]
        });
        let joined = parts.map(|parts| Joint { p: product(&parts, self.weights), parts });
        let joined = joined.filter(|joint| joint.p.iter().all(|p| p.is_finite()));
        let made =
            joined.as_ref().and_then(|joint| RuntimeDistribution::from_counts(&self.bins, &joint.p).ok());
        Said { distribution: made.unwrap_or(alike), joined }
    }

    /// Takes a step along the gradient of ln p(bin).
    fn learn(&mut self, joint: &Joint, bin: usize) {
        let Some(true) = joint.p.get(bin).map(|p| *p > 0.0) else { return };
        for (number, part) in joint.parts.iter().enumerate() {
            let possible = joint.p.iter().zip(part).filter(|(p, _)| **p > 0.0);
            let gradient = part[bin] - possible.map(|(p, part)| p * part).sum::<f64>();
            self.squares[number] += gradient * gradient;
            if self.squares[number] > 0.0 {
                self.weights[number] += STEP * gradient / self.squares[number].sqrt();
            }
        }
    }
}

/// The distribution with these logarithms, weighed.
fn product(parts: &[Vec<f64>; 2], weights: [f64; 2]) -> Vec<f64> {
    let [u, beyond] = parts;
    let ln = |(u, beyond): (&f64, &f64)| {
        if *u > f64::NEG_INFINITY { weights[0] * u + weights[1] * beyond } else { f64::NEG_INFINITY }
    };
    let all: Vec<f64> = u.iter().zip(beyond).map(ln).collect();
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = all.iter().map(|ln| (ln - most).exp()).sum();
    all.iter().map(|ln| (ln - most).exp() / sum).collect()
}

impl DistributionPredictor for Joined {
    fn predict(&mut self, job: &Job, now: i64) -> RuntimeDistribution {
        match self.said.get(&job.id) {
            Some(said) => said.distribution.clone(),
            // For a job that might be submitted, the prediction of now.
            None => self.join(job, now).distribution,
        }
    }

    fn submitted(&mut self, job: &Job, now: i64) {
        self.alike.submitted(job, now);
        self.model.submitted(job, now);
        let said = self.join(job, now);
        self.said.insert(job.id, said);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.alike.started(job, now);
        self.model.started(job, now);
    }

    fn finished(&mut self, job: &Job, now: i64) {
        if let Some(Said { joined: Some(joint), .. }) = self.said.remove(&job.id) {
            self.learn(&joint, self.bins.bin_of(job.run_time as f64));
        }
        self.all.learn(job.run_time);
        self.alike.finished(job, now);
        self.model.finished(job, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predictor() -> Joined {
        let bins = RuntimeBins::default();
        Joined::new(&bins, Box::new(Global::new(bins.clone())), HmmPredictor::default())
    }

    #[test]
    fn the_gradient_is_that_of_the_score() {
        let parts = [[0.2f64, 0.5, 0.3].map(f64::ln).to_vec(), vec![0.4, -0.7, 0.1]];
        for weights in [[1.0, 0.0], [0.8, 0.6]] {
            let mut joined = predictor();
            joined.weights = weights;
            let joint = Joint { p: product(&parts, weights), parts: parts.clone() };
            assert!((joint.p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            joined.learn(&joint, 1);
            for number in 0..2 {
                // The first step of AdaGrad has its full length; its square is the slope's.
                let mut there = weights;
                there[number] += 1e-6;
                let slope = (product(&parts, there)[1].ln() - joint.p[1].ln()) / 1e-6;
                assert!((joined.squares[number] - slope * slope).abs() < 1e-5 * (1.0 + slope * slope));
                let step = joined.weights[number] - weights[number];
                assert!((step - STEP * slope.signum()).abs() < 1e-9, "{number}: {step}, slope {slope}");
            }
        }
        // An excluded bin stays excluded.
        let parts = [vec![f64::NEG_INFINITY, 0.0], vec![5.0, 0.0]];
        assert_eq!(product(&parts, [1.0, 1.0]), [0.0, 1.0]);
    }

    #[test]
    fn what_says_nothing_more_gets_no_weight_and_what_does_gets_some() {
        // Three weeks, a job of 20 s or of 5,000 s every ten minutes: drawn each time, or the same for eight hours.
        let weights = |kind: fn(i64) -> bool| {
            let mut joined = predictor();
            let mut events = Vec::new();
            for id in 0..3024i64 {
                let job = Job {
                    id: id as usize,
                    submit: 600 * id,
                    run_time: if kind(id) { 5000 } else { 20 },
                    limit: 9000,
                    processors: 1,
                    ..Job::default()
                };
                events.push((job.submit, 1, job.clone()));
                events.push((job.submit + job.run_time, 0, job));
            }
            events.sort_by_key(|(now, kind, job)| (*now, *kind, job.id));
            for (now, kind, job) in events {
                if kind == 1 {
                    joined.submitted(&job, now);
                    joined.started(&job, now);
                } else {
                    joined.finished(&job, now);
                }
            }
            joined.weights()
        };
        let [_, none] = weights(|id| (id * id % 7919 * 31 + id * 17) % 97 % 2 == 0);
        let [_, some] = weights(|id| id / 48 % 2 == 0);
        assert!(none.abs() < 0.25 && some > 0.4, "{none} {some}");
    }
}
