//! The geometric mixture: ln p_j = sum over contexts of w_c ln p_c(j), minus a constant, with weights learnt on line.
//!
//! A context's weight is a sum: one number for all jobs, one for the limit's bin, one for the state of the last like
//! jobs, one for the last changes of run time, one for the number of jobs known of the user, and one for the user. The
//! first five are chosen by the number of jobs that the context has counted as well. Each follows the gradient of the
//! logarithm of the probability that the job's bin had when it was submitted, d ln p_j / d w_c = ln p_c(j) - sum over k
//! of p_k ln p_c(k), with steps that shrink with the sum of its squares (Duchi, Hazan & Singer 2011); the user's with
//! fixed steps.

use super::contexts::{CONTEXTS, COUNT};
use super::estimate::SCALE;
use super::lanes::{LANES, fold, groups, reciprocal_root};
use crate::error::{Error, Result};
use crate::memory::{Carver, at_mut, copy, range};

/// Number of levels: steps of the number of jobs that a context has counted.
pub const LEVELS: usize = 8;
/// Numbers of jobs above which a level begins; below the first there is no job.
const STEPS: [f32; LEVELS - 1] = [0.0, 0.8, 1.5, 2.5, 5.0, 10.0, 20.0];
/// Number of sets of weights that a job uses, but for the user's.
pub const SETS: usize = 5;

/// Kinds of states of the last submissions: five of like jobs times four of the user's.
pub const STANDINGS: usize = 20;
/// Kinds of the last two changes of run time: six each.
pub const CHANGES: usize = 36;

/// First value of every weight.
const FIRST: f32 = 0.04;
/// The length of a step.
const STEP: f32 = 0.005;
/// Initial sum of squared gradients: of the set for all jobs, and of the others.
const EASES: [f32; LANES] = [50.0, 200.0, 200.0, 200.0, 200.0, 200.0, 200.0, 200.0];
/// The length of the user's steps.
const USER_STEP: f32 = 0.0003;
/// The largest gradient.
const MOST: f32 = 5.0;

/// Numbers in a set.
pub const WIDTH: usize = COUNT * LEVELS;

/// The level of this number of jobs.
pub fn level(jobs: f32) -> u8 {
    STEPS.iter().filter(|step| jobs > **step).count() as u8
}

/// Number of sets of all kinds, for this number of bins.
const fn sets(bins: usize) -> usize {
    1 + bins + STANDINGS + CHANGES + LEVELS * LEVELS
}

/// The numbers of the sets, by kind.
pub fn choose(bins: usize, limit: usize, standing: usize, change: usize, known: [u8; 2]) -> [u32; SETS] {
    let known = usize::from(known[0]) * LEVELS + usize::from(known[1]);
    let mut first = 1;
    let mut next = |count: usize, number: usize| {
        let set = first + number;
        first += count;
        set as u32
    };
    [0, next(bins, limit), next(STANDINGS, standing), next(CHANGES, change), next(LEVELS * LEVELS, known)]
}

/// The sets of weights, and the sums of their squared gradients.
pub struct Mixer<'a> {
    weights: &'a mut [f32],
    squares: &'a mut [f32],
}

impl Mixer<'_> {
    /// Copies a mixer of the same size.
    pub fn continue_from(&mut self, other: &Mixer<'_>) {
        copy(self.weights, other.weights);
        copy(self.squares, other.squares);
    }
}

/// A job's opinions: for every context the level and the bytes.
#[derive(Clone, Copy)]
pub struct Opinions<'o> {
    /// One a context.
    pub levels: &'o [u8; COUNT],
    /// `stride` a context.
    pub bytes: &'o [u8],
    /// Bytes from one context to the next.
    pub stride: usize,
}

impl Opinions<'_> {
    /// The contexts that are part of the mixture: number, level, bytes.
    fn speaking(&self) -> impl Iterator<Item = (usize, usize, &[u8])> {
        let bytes = self.bytes.chunks_exact(self.stride.max(1));
        let all = CONTEXTS.iter().enumerate().zip(self.levels).zip(bytes);
        all.filter(|(((_, context), level), _)| context.speaks && **level > 0)
            .map(|(((number, _), level), bytes)| (number, usize::from(*level), bytes))
    }
}

impl<'a> Mixer<'a> {
    /// The sets for this number of bins.
    #[inline(always)]
    pub fn carve(carver: &mut Carver<'a>, bins: usize) -> Result<Mixer<'a>> {
        let numbers = sets(bins) * WIDTH;
        Ok(Mixer { weights: carver.take(numbers)?, squares: carver.take(numbers)? })
    }

    /// Sets the weights to their first values; the memory is zero.
    pub fn clear(&mut self) {
        for set in self.weights.chunks_mut(WIDTH).take(1) {
            set.fill(FIRST);
        }
    }

    /// Adds the logarithms of the mixture, up to a constant, to `out`.
    pub fn mix<const N: usize>(
        &self,
        sets: &[u32; SETS],
        user: Option<&[f32]>,
        opinions: Opinions<'_>,
        out: &mut [f32; N],
    ) -> Result<()> {
        let mut chosen: [&[f32]; SETS] = [&[]; SETS];
        for (chosen, set) in chosen.iter_mut().zip(sets) {
            *chosen = range(self.weights, *set as usize * WIDTH, WIDTH)?;
        }
        for (context, level, bytes) in opinions.speaking() {
            let place = context * LEVELS + level;
            let mut weight = user.and_then(|user| user.get(context)).copied().unwrap_or(0.0);
            for set in &chosen {
                weight += set.get(place).ok_or(Error::Corrupt)?;
            }
            let weight = weight * (-1.0 / SCALE);
            for (out, bytes) in out.chunks_exact_mut(LANES).zip(groups(bytes)) {
                for (out, byte) in out.iter_mut().zip(bytes) {
                    *out += weight * f32::from(*byte);
                }
            }
        }
        Ok(())
    }

    /// Learns from a job that ended in this cell, for which these opinions had made these probabilities; `counts` is
    /// its weight.
    pub fn learn(
        &mut self,
        sets: &[u32; SETS],
        user: &mut [f32],
        opinions: Opinions<'_>,
        probabilities: &[f32],
        cell: usize,
        counts: f32,
    ) -> Result<()> {
        // Nothing is expected of the cells behind those that the limit left.
        let probabilities = groups(probabilities);
        let left = probabilities.iter().rposition(|group| *group != [0.0; LANES]).map_or(0, |last| last + 1);
        let probabilities = probabilities.get(..left).unwrap_or_default();
        for (context, level, bytes) in opinions.speaking() {
            let mut expected = [0.0f32; LANES];
            for (bytes, probabilities) in groups(bytes).iter().zip(probabilities) {
                for ((lane, byte), p) in expected.iter_mut().zip(bytes).zip(probabilities) {
                    *lane += f32::from(*byte) * p;
                }
            }
            let byte = f32::from(*bytes.get(cell).ok_or(Error::Corrupt)?);
            let gradient = (fold(expected) - byte) * (1.0 / SCALE);
            let gradient = gradient.clamp(-MOST, MOST) * counts;
            let square = gradient * gradient;
            let place = context * LEVELS + level;
            // All sets together, in lanes.
            let mut sums = [1.0f32; LANES];
            for (sum, set) in sums.iter_mut().zip(sets) {
                let kept = at_mut(self.squares, *set as usize * WIDTH + place)?;
                *kept += square;
                *sum = *kept;
            }
            let mut steps = [0.0f32; LANES];
            for ((step, ease), sum) in steps.iter_mut().zip(&EASES).zip(&sums) {
                *step = STEP * gradient * reciprocal_root(ease + sum);
            }
            for (step, set) in steps.iter().zip(sets) {
                *at_mut(self.weights, *set as usize * WIDTH + place)? += step;
            }
            if let Some(weight) = user.get_mut(context) {
                *weight += USER_STEP * gradient;
            }
        }
        Ok(())
    }
}
