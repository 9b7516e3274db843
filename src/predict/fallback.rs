//! Fallback of a hidden Markov model: its prediction mixed with the distribution of all finished jobs, so that it
//! predicts hardly worse than that.
//!
//! With h the model's probabilities and g the shares of all finished jobs, both made safe ([`make_safe`]), a job's
//! prediction is w h + (1 - w) g. The weight begins at 1 / 2 and follows Bayes' rule with a fixed share (Herbster &
//! Warmuth 1998): when a job ends in bin b,
//!
//! ```text
//! w' = a + (1 - 2 a) w h(b) / (w h(b) + (1 - w) g(b)),   a = 1 / 1000,
//! ```
//!
//! h as of the job's submission, g of its end. If each job ended before the next one came, the logarithmic score of the
//! mixture would be at most one bit in all and .0015 bits a job below that of the better one of the two.

use super::safety::make_safe;
use crate::error::Result;
use crate::memory::{Carver, at, at_mut};
use crate::runtime::MAX_BINS;

/// Share of the weight that either of the two gets back at each job.
const SHARE: f64 = 1e-3;

/// Number of jobs that have ended in each bin, and the weight of the model.
pub(super) struct Fallback<'a> {
    ended: &'a mut [f64],
    weight: &'a mut f64,
}

impl<'a> Fallback<'a> {
    /// The fallback in the next slices of a block.
    pub fn carve(carver: &mut Carver<'a>, bins: usize) -> Result<(&'a mut [f64], &'a mut [f64])> {
        Ok((carver.take(bins)?, carver.take(1)?))
    }

    /// The fallback in these slices.
    pub fn new((ended, weight): (&'a mut [f64], &'a mut [f64])) -> Result<Fallback<'a>> {
        Ok(Fallback { ended, weight: at_mut(weight, 0)? })
    }

    /// No job has ended yet.
    pub fn begin(&mut self) {
        *self.weight = 0.5;
    }

    /// Whether the weight is one.
    pub fn is_sound(&self) -> bool {
        (0.0..=1.0).contains(self.weight) && self.ended.iter().all(|count| count.is_finite() && *count >= 0.0)
    }

    /// The shares of all finished jobs, made safe, in this room; none before the first one.
    fn shares<'r>(&self, room: &'r mut [f64; MAX_BINS]) -> Option<&'r [f64]> {
        let total: f64 = self.ended.iter().sum();
        let shares = room.get_mut(..self.ended.len()).filter(|_| total > 0.0)?;
        for (share, count) in shares.iter_mut().zip(self.ended.iter()) {
            *share = count / total;
        }
        make_safe(shares, total as u64);
        Some(shares)
    }

    /// Mixes the model's probabilities, made safe, with the shares of all finished jobs. O(bins).
    pub fn mix(&self, probabilities: &mut [f64]) {
        if let Some(shares) = self.shares(&mut [0.0; MAX_BINS]) {
            for (p, share) in probabilities.iter_mut().zip(shares) {
                *p = *self.weight * *p + (1.0 - *self.weight) * share;
            }
        }
    }

    /// Records that a job has ended in this bin, for which the model had these probabilities alone, if any. O(bins).
    pub fn learn(&mut self, model: Option<&[f64]>, bin: usize) -> Result<()> {
        if let (Some(model), Some(shares)) = (model, self.shares(&mut [0.0; MAX_BINS])) {
            let (of_model, of_all) =
                (*self.weight * at(model, bin)?, (1.0 - *self.weight) * at(shares, bin)?);
            let both = of_model + of_all;
            if both > 0.0 && both.is_finite() {
                *self.weight = SHARE + (1.0 - 2.0 * SHARE) * (of_model / both);
            }
        }
        *at_mut(self.ended, bin)? += 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(ended: [f64; 3], weight: f64, test: impl FnOnce(&mut Fallback<'_>)) {
        let (mut ended, mut weight) = (ended, [weight]);
        test(&mut Fallback::new((&mut ended, &mut weight)).unwrap());
    }

    #[test]
    fn the_weight_is_that_of_bayes_with_a_share() {
        with([2.0, 1.0, 1.0], 0.5, |fallback| {
            let mut p = [0.2, 0.7, 0.1];
            fallback.mix(&mut p);
            assert_eq!(p, [0.35, 0.475, 0.175]);
            fallback.learn(Some(&[0.2, 0.7, 0.1]), 1).unwrap();
            let posterior: f64 = 0.5 * 0.7 / (0.5 * 0.7 + 0.5 * 0.25);
            assert!((*fallback.weight - (0.001 + 0.998 * posterior)).abs() < 1e-15);
            assert_eq!(fallback.ended, [2.0, 2.0, 1.0]);
            // A job without a prediction counts among all.
            let weight = *fallback.weight;
            fallback.learn(None, 2).unwrap();
            assert_eq!((*fallback.weight, fallback.ended[2]), (weight, 2.0));
            assert!(fallback.learn(None, 3).is_err());
        });
        // Before the first job there is nothing to fall back to.
        with([0.0; 3], 0.5, |fallback| {
            let mut p = [0.2, 0.7, 0.1];
            fallback.mix(&mut p);
            assert_eq!(p, [0.2, 0.7, 0.1]);
            fallback.learn(Some(&p), 0).unwrap();
            assert_eq!(*fallback.weight, 0.5);
        });
    }

    /// A model that is wrong half of the time, by blocks of a thousand jobs, costs a little more than the better one of
    /// the two in each block.
    #[test]
    fn it_follows_the_better_one() {
        with([0.0; 3], 0.5, |fallback| {
            let (mut own, mut best) = (0.0, 0.0);
            for job in 0..20_000_usize {
                let bin = job % 3;
                let mut model = [0.1; 3];
                let right = job / 1000 % 2 == 0;
                model[if right { bin } else { (bin + 1) % 3 }] = 0.8;
                let mut mixed = model;
                fallback.mix(&mut mixed);
                own -= libm::log2(mixed[bin]);
                best -= if right { libm::log2(0.8) } else { libm::log2(1.0 / 3.0) };
                fallback.learn(Some(&model), bin).unwrap();
            }
            // Each of the 19 changes costs about log2(1000) bits, as the weight has to come back from 1 / 1000.
            assert!((own - best) / 20_000.0 < 0.02, "{own} bits, {best} at best");
        });
    }
}
