//! Probabilities of starting in time, by tenths, against what came.

use super::prediction::Prediction;
use crate::replay::policy::WITHIN;
use serde::Serialize;

/// Tenths with fewer answers say too little.
pub const FEWEST: usize = 200;

const TENTHS: usize = 10;

/// Answers whose probability lies in one tenth: from 0 to .1, from .1 to .2 and so on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Tenth {
    /// Number of answers, over all of [`WITHIN`].
    pub answers: usize,
    /// Their mean probability, from 0 to 1.
    pub predicted: f64,
    /// The share of the jobs that started in time.
    pub started: f64,
}

/// The tenths of the predicted probabilities, for all of [`WITHIN`] together.
pub fn tenths<'a>(all: impl Iterator<Item = &'a Prediction>) -> [Tenth; TENTHS] {
    let mut tenths = [Tenth::default(); TENTHS];
    for prediction in all {
        for (probability, within) in prediction.started.iter().flatten().zip(WITHIN) {
            let tenth = &mut tenths[((probability * TENTHS as f64) as usize).min(TENTHS - 1)];
            tenth.answers += 1;
            tenth.predicted += probability;
            tenth.started += f64::from(u8::from(prediction.waited <= within));
        }
    }
    for Tenth { answers, predicted, started } in &mut tenths {
        let of = (*answers).max(1) as f64;
        (*predicted, *started) = (*predicted / of, *started / of);
    }
    tenths
}

/// The largest difference of predicted probability and observed share, of the tenths with [`FEWEST`] answers.
pub fn furthest(tenths: &[Tenth]) -> Option<f64> {
    let known = tenths.iter().filter(|tenth| tenth.answers >= FEWEST);
    known.map(|tenth| (tenth.predicted - tenth.started).abs()).max_by(f64::total_cmp)
}
