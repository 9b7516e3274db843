//! Beyond the paper: bounds for other quantiles than the one that a predictor was made for, and lower and two-sided
//! bounds.

use super::classes::Held;
use serde::{Deserialize, Serialize};
use surefill::error::Error;
use surefill::wait::{WaitAnswer, WaitPredictor};
use surefill_simulator::live::queues::WaitJob;

/// The quantiles of the upper bounds for every job beside that of the predictor, which may be among them.
pub const UPPER: [f64; 5] = [0.5, 0.75, 0.9, 0.95, 0.99];

/// The quantiles of the lower bounds.
pub const LOWER: [f64; 3] = [0.05, 0.25, 0.5];

/// The quantiles of the two-sided bounds.
pub const TWO_SIDED: [f64; 4] = [0.25, 0.5, 0.75, 0.95];

/// A lower and an upper bound for one quantile, reported together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TwoSided {
    /// Lower ends that the wait was not below.
    pub low: Held,
    /// Upper ends that it was not above.
    pub high: Held,
    /// The sum of their distances, in seconds.
    pub width_s: f64,
}

impl TwoSided {
    /// The mean distance of the ends, in seconds.
    pub fn mean_width_s(&self) -> Option<f64> {
        (self.low.judged > 0).then(|| self.width_s / self.low.judged as f64)
    }
}

/// Number of these bounds that held.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// Upper bounds for the quantiles [`UPPER`]: held where the job waited no longer.
    pub upper: [Held; UPPER.len()],
    /// Lower bounds for the quantiles [`LOWER`]: held where it waited no shorter.
    pub lower: [Held; LOWER.len()],
    /// Two-sided bounds for the quantiles [`TWO_SIDED`].
    #[serde(default)]
    pub two_sided: [TwoSided; TWO_SIDED.len()],
}

impl Beside {
    /// Asks all of these questions about a job that is submitted now.
    ///
    /// # Errors
    /// Those of the predictor.
    pub fn ask(&mut self, predictor: &WaitPredictor, job: &WaitJob, confidence: f64) -> Result<(), Error> {
        for (quantile, held) in UPPER.into_iter().zip(&mut self.upper) {
            if let WaitAnswer::Bound(bound) =
                predictor.predict(&job.features, quantile, confidence, job.submit)?
            {
                held.add(bound >= job.wait);
            }
        }
        for (quantile, held) in LOWER.into_iter().zip(&mut self.lower) {
            let answer = predictor.predict_lower(&job.features, quantile, confidence, job.submit)?;
            if let WaitAnswer::Bound(bound) = answer {
                held.add(bound <= job.wait);
            }
        }
        for (quantile, found) in TWO_SIDED.into_iter().zip(&mut self.two_sided) {
            let ends = predictor.predict_two_sided(&job.features, quantile, confidence, job.submit)?;
            if let (WaitAnswer::Bound(low), WaitAnswer::Bound(high)) = ends {
                found.low.add(low <= job.wait);
                found.high.add(high >= job.wait);
                found.width_s += (high - low) as f64;
            }
        }
        Ok(())
    }
}
