//! On-line polynomial regression with an asymmetric loss (Gaussier, Glesser, Reis & Trystram, "Improving backfilling by
//! using machine learning to predict running times", SC 2015).
//!
//! A job is described by the numbers of [`features`]; the prediction is linear in these, their squares and their
//! products of two. The weights follow every job that ends by one step of normalised adaptive gradient descent (Ross,
//! Mineiro & Langford, "Normalized online learning", UAI 2013). The loss is the paper's E-Loss, the best for EASY in
//! the paper: the square of the excess of a prediction too long, the plain amount of one too short, either times 1 +
//! ln(run time x processors), which makes jobs of large area count more. Step size and regularisation are those of the
//! authors' program, and so is that a negative value stands for its magnitude. The loss makes predictions that are
//! mostly too short, which were better for waits than closer ones in the paper.
//!
//! The paper's corrector, here [`Correction`](super::Correction), gives a job that outlives its prediction a new one.

use super::{Correction, PointPredictor};
use crate::trace::workload::{Job, JobId};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Step size.
const ETA: f64 = 5000.0;

/// Weight of half the squared norm of the weights in the loss.
const LAMBDA: f64 = 4e9;

/// First value of divisors, so that none is 0.
const TINY: f64 = 1e-9;

/// Number of numbers that describe a job.
const FEATURES: usize = 19;

/// Those of these that have products with each other: the constant and the last, the processors, have none.
const PAIRED: std::ops::Range<usize> = 1..17;

const DAY: i64 = 86_400;
const WEEK: i64 = 7 * DAY;

/// A linear model with the scales of normalised adaptive gradient descent.
#[derive(Debug)]
pub struct Regression {
    weights: Vec<f64>,
    /// The largest magnitude of each number so far.
    scales: Vec<f64>,
    /// The sum of the squares of each component of the gradient.
    squares: Vec<f64>,
    /// The sum of the squares of all numbers over their scales.
    norm: f64,
    /// One more than twice the examples learnt, as the authors' program counts.
    count: f64,
}

impl Regression {
    /// A model with all weights 0.
    pub fn new(dimensions: usize) -> Regression {
        Regression {
            weights: vec![0.0; dimensions],
            scales: vec![TINY; dimensions],
            squares: vec![TINY; dimensions],
            norm: TINY,
            count: 1.0,
        }
    }

    /// The model's value.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.weights.iter().zip(x).map(|(weight, x)| weight * x).sum()
    }

    /// One step towards `y`, in seconds; `importance` multiplies the loss.
    pub fn learn(&mut self, x: &[f64], y: f64, importance: f64) {
        for ((weight, scale), x) in self.weights.iter_mut().zip(&mut self.scales).zip(x) {
            if x.abs() > *scale {
                *weight *= *scale / x.abs();
                *scale = x.abs();
            }
        }
        self.norm += x.iter().zip(&self.scales).map(|(x, scale)| x * x / (scale * scale)).sum::<f64>();
        let error = self.value(x) - y;
        let slope = if error > 0.0 {
            2.0 * error
        } else if error == 0.0 {
            0.0
        } else {
            -1.0
        };
        let parts = self.weights.iter_mut().zip(&self.scales).zip(&mut self.squares).zip(x);
        for (((weight, scale), squares), x) in parts {
            let gradient = importance * slope * x + LAMBDA * *weight;
            *squares += gradient * gradient;
            *weight -= ETA * gradient / ((self.norm * *squares / self.count).sqrt() * scale);
        }
        self.count += 2.0;
    }
}

/// State of a user's jobs.
#[derive(Debug, Default)]
struct User {
    /// Run times of the last three jobs that ended, the last one first.
    last: Vec<i64>,
    /// Number of jobs ended, and the sums of their run times and processors.
    ended: f64,
    run_times: f64,
    processors: f64,
    last_end: Option<i64>,
    /// Starts and processors of the running ones.
    running: HashMap<JobId, (i64, u32)>,
}

/// The paper's numbers of a job, submitted now by this user: 1; run times of the user's last three jobs, at most the
/// limit, which stands for those that there are not; the limit; means of the last two, of the last three, of all;
/// seconds since the last one ended; processors over the user's mean; processors, summed ages, number and longest age
/// of the user's running jobs; cosine and sine of the time of day and of the week; processors.
fn features(job: &Job, user: &User) -> [f64; FEATURES] {
    let now = job.submit;
    let limit = job.limit.max(1) as f64;
    let last = |index: usize| user.last.get(index).map_or(limit, |&run_time| (run_time as f64).min(limit));
    let mean = |count: usize| {
        let known = user.last.len().min(count).max(1);
        (0..known).map(last).sum::<f64>() / known as f64
    };
    let over = |sum: f64| if user.ended > 0.0 { sum / user.ended } else { 0.0 };
    let ages = || user.running.values().map(|&(start, _)| (now - start) as f64);
    let held: f64 = user.running.values().map(|&(_, processors)| f64::from(processors)).sum();
    let turn = |period: i64| TAU * now.rem_euclid(period) as f64 / period as f64;
    let wide = f64::from(job.processors);
    let usual = over(user.processors);
    [
        1.0,
        last(0),
        last(1),
        last(2),
        limit,
        mean(2),
        mean(3),
        over(user.run_times),
        user.last_end.map_or(0.0, |end| (now - end) as f64),
        if usual > 0.0 { wide / usual } else { 0.0 },
        held,
        ages().sum(),
        user.running.len() as f64,
        ages().fold(0.0, f64::max),
        libm::cos(turn(DAY)),
        libm::sin(turn(DAY)),
        libm::cos(turn(WEEK)),
        libm::sin(turn(WEEK)),
        wide,
    ]
}

/// The numbers, their products of two, and their squares.
fn polynomial(x: &[f64; FEATURES]) -> Vec<f64> {
    let mut all = x.to_vec();
    for (index, a) in PAIRED.zip(&x[PAIRED]) {
        all.extend(x[index + 1..PAIRED.end].iter().map(|b| a * b));
    }
    all.extend(x[1..].iter().map(|a| a * a));
    all
}

/// The learning predictor with one of the paper's correctors.
#[derive(Debug)]
pub struct Learned {
    correction: Correction,
    model: Option<Regression>,
    users: HashMap<i64, User>,
    /// The numbers of the jobs that have not ended, as they were at submission.
    described: HashMap<JobId, Vec<f64>>,
}

impl Learned {
    /// A predictor without anything learnt.
    pub fn new(correction: Correction) -> Learned {
        Learned { correction, model: None, users: HashMap::new(), described: HashMap::new() }
    }
}

impl PointPredictor for Learned {
    fn predict(&mut self, job: &Job) -> i64 {
        let x = polynomial(&features(job, self.users.entry(job.user).or_default()));
        let model = self.model.get_or_insert_with(|| Regression::new(x.len()));
        // Like the authors' program: whole seconds, at least 1. The conversion saturates.
        let predicted = (model.value(&x).abs() as i64).min(job.limit).max(1);
        self.described.insert(job.id, x);
        predicted
    }

    fn started(&mut self, job: &Job, now: i64) {
        let user = self.users.entry(job.user).or_default();
        user.running.insert(job.id, (now, job.processors));
    }

    fn finished(&mut self, job: &Job) {
        let user = self.users.entry(job.user).or_default();
        if let Some((start, _)) = user.running.remove(&job.id) {
            user.last_end = Some(start + job.run_time);
        }
        user.last.insert(0, job.run_time);
        user.last.truncate(3);
        user.ended += 1.0;
        user.run_times += job.run_time as f64;
        user.processors += f64::from(job.processors);
        if let (Some(model), Some(x)) = (&mut self.model, self.described.remove(&job.id)) {
            let run_time = job.run_time.max(1) as f64;
            model.learn(
                &x,
                job.run_time as f64,
                1.0 + libm::log(f64::from(job.processors.max(1)) * run_time),
            );
        }
    }

    fn correction(&self) -> Correction {
        self.correction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_job_by_hand() {
        let mut predictor = Learned::new(Correction::Increments);
        let job = |id, submit, run_time, processors| Job {
            id,
            submit,
            run_time,
            processors,
            limit: 1000,
            user: 1,
            ..Job::default()
        };
        for (id, run_time, processors) in [(0, 10, 2), (1, 5000, 4)] {
            let job = job(id, 0, run_time, processors);
            predictor.predict(&job);
            predictor.started(&job, 100);
            predictor.finished(&job);
        }
        predictor.started(&job(2, 0, 9000, 3), 5200);
        let x = features(&job(3, 6 * 3600, 1, 6), &predictor.users[&1]);
        let expected = [
            1.0, 1000.0, 10.0, 1000.0, 1000.0, 505.0, 505.0, 2505.0, 16_500.0, 2.0, 3.0, 16_400.0, 1.0,
            16_400.0,
        ];
        assert_eq!(x[..14], expected);
        assert!(x[14].abs() < 1e-12 && (x[15] - 1.0).abs() < 1e-12 && x[18] == 6.0);
        let all = polynomial(&x);
        // 19 numbers, 120 products of 16 of them, 18 squares.
        assert_eq!(all.len(), 19 + 120 + 18);
        assert_eq!((all[19], all[19 + 119], all[19 + 120 + 17]), (1000.0 * 10.0, x[15] * x[16], 36.0));
    }

    #[test]
    fn nothing_learnt_is_a_second_and_no_limit_is_passed() {
        let mut predictor = Learned::new(Correction::Limit);
        let job = |id: JobId| Job {
            id,
            submit: id as i64 * 1000,
            run_time: 900,
            processors: 2,
            limit: 1000,
            user: 7,
            ..Job::default()
        };
        let predictions: Vec<i64> = (0..300)
            .map(|id| {
                let predicted = predictor.predict(&job(id));
                predictor.started(&job(id), job(id).submit);
                predictor.finished(&job(id));
                predicted
            })
            .collect();
        assert_eq!(predictions[0], 1);
        assert!(predictions.iter().all(|predicted| (1..=1000).contains(predicted)), "{predictions:?}");
        assert!(predictions[1..].iter().any(|&predicted| predicted > 1));
    }
}
