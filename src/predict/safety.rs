//! The safety distribution (Nissimov 2006, section 3.1): nothing finite that can happen has probability 0 in a
//! prediction.
//!
//! With n finished jobs and epsilon = 1 / (n + 1), but at most 1 / 100, the N_0 empty bins share epsilon equally, and
//! the others shrink in proportion:
//!
//! ```text
//! p' = p (1 - epsilon) where p is not empty, epsilon / N_0 where it is.
//! ```
//!
//! Empty are bins of less than 1e-9: Baum-Welch brings the probability of a bin that a state never sees down there, and
//! further with every round, without anything being known of it.

/// Probability below which a bin counts as empty.
const EMPTY: f64 = 1e-9;

/// Least number of jobs that counts: epsilon is at most 1 / 100, also for a model that comes from elsewhere.
const FEWEST: u64 = 99;

/// Gives the empty bins of a distribution their share, after `jobs` finished jobs. Returns whether it changed anything:
/// with no or only empty bins it does not.
pub(super) fn make_safe(probabilities: &mut [f64], jobs: u64) -> bool {
    let empty = probabilities.iter().filter(|p| **p < EMPTY).count();
    if empty == 0 || empty == probabilities.len() {
        return false;
    }
    let epsilon = 1.0 / (jobs.max(FEWEST) as f64 + 1.0);
    for p in probabilities {
        *p = if *p < EMPTY { epsilon / empty as f64 } else { *p * (1.0 - epsilon) };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_bins_share_epsilon() {
        let mut p = [0.5, 0.0, 0.5, 1e-12];
        assert!(make_safe(&mut p, 999));
        assert_eq!(p, [0.4995, 0.0005, 0.4995, 0.0005]);
        assert!(!make_safe(&mut p, 999));
        let mut p = [1.0, 0.0];
        assert!(make_safe(&mut p, 0));
        assert_eq!(p, [0.99, 0.01]);
        // Zeros stay zeros.
        let mut p = [0.0; 3];
        assert!(!make_safe(&mut p, 5) && p == [0.0; 3]);
    }
}
