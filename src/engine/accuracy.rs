//! Accuracy of the engine's own predicted run times beside that of the limits: predictions that have lost to the limits
//! over the last weeks are not used for orders, plans and expected ends.

use bytemuck::{Pod, Zeroable};

/// Seconds in which a job's errors lose half of their weight.
const HALF_LIFE: f64 = 14.0 * 86_400.0;

/// Weight of jobs from which on the limits can win.
const FEWEST: f64 = 100.0;

/// Factor by which the errors of predictions must exceed those of the limits: on Theta 2022 predicted means are at
/// times off by a quarter more than the limits, and going by these does not shorten waits.
const LOSS: f64 = 2.0;

/// Seconds added before the logarithm.
const SHORT: f64 = 60.0;

/// Errors of a job's predicted mean and of its limit, as |ln((x + 60 s) / (r + 60 s))| of the actual
/// run time r, summed over the jobs that have ended, with a half-life of two weeks.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Accuracy {
    predicted: f64,
    limits: f64,
    jobs: f64,
    /// Time of the last job.
    at: i64,
}

impl Accuracy {
    /// Counts a job that has ended now; all three in seconds.
    pub fn observe(&mut self, predicted: f64, limit: i64, ran: i64, now: i64) {
        let ln = |seconds: f64| libm::log(seconds.max(0.0) + SHORT);
        // A clock that was set back lets no time pass.
        let passed = now.saturating_sub(self.at).max(0) as f64;
        let kept = libm::exp2(-passed / HALF_LIFE);
        self.predicted = self.predicted * kept + libm::fabs(ln(predicted) - ln(ran as f64));
        self.limits = self.limits * kept + libm::fabs(ln(limit as f64) - ln(ran as f64));
        self.jobs = self.jobs * kept + 1.0;
        self.at = now;
    }

    /// Whether the limits were nearer to the run times than the predictions, with at most half of the error.
    pub fn limits_win(&self) -> bool {
        self.jobs >= FEWEST && self.predicted > LOSS * self.limits
    }

    /// Whether the sums are possible ones.
    pub fn is_sound(&self) -> bool {
        [self.predicted, self.limits, self.jobs].iter().all(|sum| sum.is_finite() && *sum >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_one_wins_and_old_errors_fade() {
        let mut accuracy = Accuracy::zeroed();
        for job in 0..99 {
            accuracy.observe(600.0, 3600, 3600, job);
        }
        assert!(!accuracy.limits_win(), "too few jobs");
        accuracy.observe(600.0, 3600, 3600, 99);
        accuracy.observe(600.0, 3600, 3600, 99);
        assert!(accuracy.limits_win());
        // Ten weeks later the limits are far off: the old errors count for a 32nd.
        for job in 0..20 {
            accuracy.observe(600.0, 3600, 600, 70 * 86_400 + job);
        }
        assert!(!accuracy.limits_win(), "few jobs again");
        for job in 0..100 {
            accuracy.observe(600.0, 3600, 600, 70 * 86_400 + 20 + job);
        }
        assert!(accuracy.jobs > 100.0 && !accuracy.limits_win());
        accuracy.observe(f64::MAX, i64::MAX, -5, i64::MIN);
        assert!(accuracy.is_sound());
    }
}
