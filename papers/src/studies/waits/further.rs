//! Bounds beyond the paper: for a job that has waited for a while, and probabilities of starting within a time.

use super::beside::Beside;
use super::simulate::Watch;
use serde::{Deserialize, Serialize};
use surefill::error::Error;
use surefill::wait::{StartProbability, WaitAnswer, WaitPredictor};
use surefill_simulator::live::queues::WaitJob;

/// Ages at which jobs are asked about, and times within which they may start, in seconds.
pub const TIMES: [i64; 4] = [600, 3600, 6 * 3600, 86_400];

/// Classes of predicted probability.
pub const CLASSES: usize = 10;

/// Jobs that had waited so long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Aged {
    /// The age, in seconds.
    pub age_s: i64,
    /// Jobs that started later.
    pub jobs: u64,
    /// Jobs that were given a bound then.
    pub judged: u64,
    /// Jobs whose bound held.
    pub correct: u64,
    /// The bound for a newly submitted job like it, at the same moment, held for this number of those judged.
    pub correct_as_new: u64,
}

/// Jobs whose predicted probability fell in one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
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

/// Seconds between two questions about waiting jobs.
pub const EVERY: i64 = 6 * 3600;

/// Jobs that have waited for longer are late, in seconds.
const LATE: i64 = 3 * 86_400;

/// Waiting jobs that were asked about every [`EVERY`] seconds of their wait.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Questions.
    pub asked: u64,
    /// Questions that were answered by a bound.
    pub judged: u64,
    /// Bounds that held.
    pub correct: u64,
    /// The same of jobs that had waited for more than three days.
    pub judged_late: u64,
    /// And of these, the bounds that held.
    pub correct_late: u64,
    /// The predicted rest of the wait, on average, in seconds.
    pub predicted_rest_s: f64,
    /// The true rest, on average over the same questions.
    pub true_rest_s: f64,
    /// By the predicted probability of starting within each of [`TIMES`] from then: 0 to .1, .1 to .2...
    pub classes: Vec<Class>,
}

impl Asked {
    /// The share of the questions that were answered.
    pub fn answered(&self) -> Option<f64> {
        (self.asked > 0).then(|| self.judged as f64 / self.asked as f64)
    }

    /// The share of the bounds that held.
    pub fn held(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.correct as f64 / self.judged as f64)
    }

    /// Ratio of the predicted to the true rest, on average.
    pub fn times(&self) -> Option<f64> {
        (self.true_rest_s > 0.0).then(|| self.predicted_rest_s / self.true_rest_s)
    }

    /// The largest difference of predicted probability and the share that started, over tenths with enough questions.
    pub fn furthest(&self, fewest: u64) -> Option<f64> {
        let classes = self.classes.iter().filter(|class| class.count >= fewest.max(1));
        classes.map(|class| (class.predicted - class.started).abs()).max_by(f64::total_cmp)
    }
}

/// Bounds and probabilities of one queue.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Further {
    /// By age.
    pub aged: Vec<Aged>,
    /// Asked again and again.
    pub asked: Asked,
    /// Other quantiles and lower bounds; of the default alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
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
    asked: Asked,
    beside: Option<Beside>,
    asked_classes: [Class; CLASSES],
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
            asked: Asked::default(),
            beside: None,
            asked_classes: Default::default(),
            classes: Default::default(),
            times: Default::default(),
        }
    }

    /// Asks about other quantiles and lower bounds as well.
    pub fn with_beside(self) -> Self {
        Collector { beside: Some(Beside::default()), ..self }
    }

    /// The collected counts, as means.
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
        let questions: u64 = self.times.iter().map(|time| time.0).sum();
        let per_question = |sum: f64| (questions > 0).then(|| sum / questions as f64);
        let of_shares = self.times.iter().filter(|time| time.0 > 0).map(|&(asked, started, _)| {
            let share = started as f64 / asked as f64;
            asked as f64 * share * (1.0 - share)
        });
        let judged = self.asked.judged.max(1) as f64;
        Further {
            aged: self.aged.to_vec(),
            asked: Asked {
                predicted_rest_s: self.asked.predicted_rest_s / judged,
                true_rest_s: self.asked.true_rest_s / judged,
                classes: self.asked_classes.map(mean).to_vec(),
                ..self.asked
            },
            beside: self.beside,
            classes: self.classes.map(mean).to_vec(),
            brier: per_question(self.times.iter().map(|time| time.2).sum()),
            brier_of_shares: per_question(of_shares.sum()),
        }
    }
}

/// Notes a predicted probability, and whether the start happened (0 or 1).
fn note(classes: &mut [Class; CLASSES], predicted: &StartProbability, happened: f64) {
    let class = &mut classes[((predicted.observed * CLASSES as f64) as usize).min(CLASSES - 1)];
    class.count += 1;
    class.predicted += predicted.observed;
    class.at_least += predicted.at_least;
    class.started += happened;
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
        if let Some(beside) = &mut self.beside {
            beside.ask(predictor, job, self.confidence)?;
        }
        for (within, time) in TIMES.into_iter().zip(&mut self.times) {
            let answer = predictor.start_probability(&job.features, 0, within, self.confidence)?;
            if answer.waits == 0 {
                continue;
            }
            let started = job.wait <= within;
            let happened = f64::from(u8::from(started));
            note(&mut self.classes, &answer, happened);
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

    fn every(&self) -> Option<i64> {
        Some(EVERY)
    }

    fn asked_again(&mut self, predictor: &WaitPredictor, index: usize, now: i64) -> Result<(), Error> {
        let job = &self.jobs[index];
        if index < self.first || job.cancelled {
            return Ok(());
        }
        let asked = &mut self.asked;
        asked.asked += 1;
        let age = now - job.submit;
        if let WaitAnswer::Bound(bound) =
            predictor.predict_waiting(index as i64, self.quantile, self.confidence, now)?
        {
            let held = u64::from(bound >= job.wait);
            asked.judged += 1;
            asked.correct += held;
            if age > LATE {
                asked.judged_late += 1;
                asked.correct_late += held;
            }
            asked.predicted_rest_s += (bound - age) as f64;
            asked.true_rest_s += (job.wait - age) as f64;
        }
        for within in TIMES {
            let by = age.saturating_add(within);
            let answer = predictor.start_probability(&job.features, age, by, self.confidence)?;
            if answer.waits > 0 {
                note(&mut self.asked_classes, &answer, f64::from(u8::from(job.wait <= by)));
            }
        }
        Ok(())
    }
}
