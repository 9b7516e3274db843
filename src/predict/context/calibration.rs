//! Calibration of the mixture by its past outcomes: where predicted quantiles were too high or too low, later ones are
//! moved.
//!
//! If predictions are calibrated, the probability predicted for run times up to the true one (the probability integral
//! transform; its share of the true bin is spread evenly, Czado, Gneiting & Held 2009) is uniform. Its histogram, of
//! recent jobs and a uniform prior, is the map from predicted to calibrated cumulative probabilities (Dawid 1984;
//! Kuleshov, Fenner & Ermon 2018).

use bytemuck::{Pod, Zeroable};

/// Number of steps of the histogram.
const STEPS: usize = 20;
/// Number of jobs that the uniform prior counts as.
const PRIOR: f64 = 1000.0;
/// The factor by which a job's weight shrinks with every later one.
const DECAY: f64 = 0.9995;
/// The least probability of a cell.
const LEAST: f64 = 1e-7;

/// The histogram.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Calibration {
    steps: [f64; STEPS],
}

impl Calibration {
    /// The uniform histogram.
    pub fn new() -> Calibration {
        Calibration { steps: [PRIOR / STEPS as f64; STEPS] }
    }

    /// Replaces probabilities, which sum to 1, by the calibrated ones; they need not sum to exactly 1.
    pub fn apply(&self, probabilities: &mut [f64]) {
        let total: f64 = self.steps.iter().sum();
        let mut ends = [0.0; STEPS];
        let mut sum = 0.0;
        for (end, step) in ends.iter_mut().zip(&self.steps) {
            sum += step / total;
            *end = sum;
        }
        let map = |quantile: f64| {
            let place = (quantile * STEPS as f64).clamp(0.0, STEPS as f64);
            let step = (place as usize).min(STEPS - 1);
            let low = step.checked_sub(1).and_then(|below| ends.get(below)).copied().unwrap_or(0.0);
            let high = ends.get(step).copied().unwrap_or(1.0);
            low + (place - step as f64) * (high - low)
        };
        let (mut below, mut mapped) = (0.0, 0.0);
        let last = probabilities.len().saturating_sub(1);
        for (number, p) in probabilities.iter_mut().enumerate() {
            below += *p;
            let end = if number == last { 1.0 } else { map(below) };
            *p = (end - mapped).max(LEAST);
            mapped = end;
        }
    }

    /// Learns from a job whose cell had the mixture's probability from `low` to `low + share`.
    pub fn learn(&mut self, low: f64, share: f64) {
        let (low, share) = (low.clamp(0.0, 1.0), share.max(LEAST));
        for (number, step) in self.steps.iter_mut().enumerate() {
            let (from, to) = (number as f64 / STEPS as f64, (number as f64 + 1.0) / STEPS as f64);
            let part = ((low + share).min(to) - low.max(from)).max(0.0) / share;
            *step = *step * DECAY + part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_learnt_changes_nothing() {
        let mut p = [0.1, 0.25, 0.05, 0.6];
        let before = p;
        Calibration::new().apply(&mut p);
        for (after, before) in p.iter().zip(before) {
            assert!((after - before).abs() < 1e-12);
        }
    }

    #[test]
    fn what_was_too_wide_becomes_narrower() {
        // Only quantiles from .4 to .6 occur.
        let mut calibration = Calibration::new();
        for _ in 0..100_000 {
            calibration.learn(0.4, 0.2);
        }
        let mut p = [0.4, 0.2, 0.4];
        calibration.apply(&mut p);
        assert!(p[1] > 0.999 && p[0] < 1e-3 && p[2] < 1e-3, "{p:?}");
        assert!(p.iter().all(|p| *p > 0.0));
    }
}
