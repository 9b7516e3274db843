//! Beyond the paper: what a job that has waited for a while is told, and probabilities of starting within a time.

use super::queue::WaitJob;
use super::simulate::Watch;
use serde::Serialize;
use surefill::error::Error;
use surefill::wait::{WaitAnswer, WaitPredictor};

/// Ages at which jobs are asked about, and times within which they may start, in seconds.
pub const TIMES: [i64; 4] = [600, 3600, 6 * 3600, 86_400];

/// Classes of predicted probability.
pub const CLASSES: usize = 10;

/// Jobs that had waited so long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Aged {
    /// How long, in seconds.
    pub age_s: i64,
    /// Jobs that started later.
    pub jobs: u64,
    /// Told a bound then.
    pub judged: u64,
    /// Told a bound that held.
    pub correct: u64,
    /// The bound for a newly submitted job like it, at the same moment, held for so many of those judged.
    pub correct_as_new: u64,
}

/// Jobs whose predicted probability fell in one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Class {
    /// Jobs and times.
    pub count: u64,
    /// Their mean predicted probability, as observed in the history.
    pub predicted: f64,
    /// Their mean lower confidence bound.
    pub at_least: f64,
    /// The share that really started in time.
    pub started: f64,
}

/// What was found of one queue.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Further {
    /// By age.
    pub aged: Vec<Aged>,
    /// By predicted probability: 0 to .1, .1 to .2...
    pub classes: Vec<Class>,
    /// The mean squared difference of predicted probability and what happened (0 or 1).
    pub brier: Option<f64>,
    /// The same for the share of all jobs that started within each time, known only afterwards.
    pub brier_of_shares: Option<f64>,
}

/// Collects it during a run.
pub struct Collector<'a> {
    jobs: &'a [WaitJob],
    /// Jobs before this are training.
    first: usize,
    quantile: f64,
    confidence: f64,
    aged: [Aged; TIMES.len()],
    classes: [Class; CLASSES],
    /// By time: questions, those that started in time, and the sum of squared differences.
    times: [(u64, u64, f64); TIMES.len()],
}

impl<'a> Collector<'a> {
    /// For a run over these jobs.
    pub fn new(jobs: &'a [WaitJob], first: usize, quantile: f64, confidence: f64) -> Collector<'a> {
        let aged = TIMES.map(|age_s| Aged { age_s, ..Aged::default() });
        Collector {
            jobs,
            first,
            quantile,
            confidence,
            aged,
            classes: Default::default(),
            times: Default::default(),
        }
    }

    /// What was collected.
    pub fn finish(self) -> Further {
        let mean = |class: Class| match class.count {
            0 => class,
            count => Class {
                count,
                predicted: class.predicted / count as f64,
                at_least: class.at_least / count as f64,
                started: class.started / count as f64,
            },
        };
        let asked: u64 = self.times.iter().map(|time| time.0).sum();
        let per_question = |sum: f64| (asked > 0).then(|| sum / asked as f64);
        let of_shares = self.times.iter().filter(|time| time.0 > 0).map(|&(asked, started, _)| {
            let share = started as f64 / asked as f64;
            asked as f64 * share * (1.0 - share)
        });
        Further {
            aged: self.aged.to_vec(),
            classes: self.classes.map(mean).to_vec(),
            brier: per_question(self.times.iter().map(|time| time.2).sum()),
            brier_of_shares: per_question(of_shares.sum()),
        }
    }
}

impl Watch for Collector<'_> {
    fn ages(&self) -> &[i64] {
        &TIMES
    }

    fn arrives(&mut self, predictor: &WaitPredictor, index: usize) -> Result<(), Error> {
        let job = &self.jobs[index];
        if index < self.first || job.cancelled {
            return Ok(());
        }
        for (within, time) in TIMES.into_iter().zip(&mut self.times) {
            let answer = predictor.start_probability(&job.features, 0, within, self.confidence)?;
            if answer.waits == 0 {
                continue;
            }
            let class = ((answer.observed * CLASSES as f64) as usize).min(CLASSES - 1);
            let (class, started) = (&mut self.classes[class], job.wait <= within);
            let happened = f64::from(u8::from(started));
            class.count += 1;
            class.predicted += answer.observed;
            class.at_least += answer.at_least;
            class.started += happened;
            time.0 += 1;
            time.1 += u64::from(started);
            time.2 += (answer.observed - happened).powi(2);
        }
        Ok(())
    }

    fn waits(&mut self, predictor: &WaitPredictor, index: usize, age: usize, now: i64) -> Result<(), Error> {
        let job = &self.jobs[index];
        if index < self.first || job.cancelled {
            return Ok(());
        }
        let aged = &mut self.aged[age];
        aged.jobs += 1;
        let answer = predictor.predict_waiting(index as i64, self.quantile, self.confidence, now)?;
        let as_new = predictor.predict(&job.features, self.quantile, self.confidence, now)?;
        if let WaitAnswer::Bound(bound) = answer {
            aged.judged += 1;
            aged.correct += u64::from(bound >= job.wait);
            aged.correct_as_new += u64::from(matches!(as_new, WaitAnswer::Bound(bound) if bound >= job.wait));
        }
        Ok(())
    }
}
