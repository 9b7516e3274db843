//! The predicted run time of a job, as the calls want it.

use super::input::Input;
use super::object::{Block, bins};
use std::ptr::{null, null_mut};
use surefill::capi::*;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

#[derive(Debug, Clone)]
pub enum Prediction {
    Nothing,
    Single(i64),
    /// Bins of this ratio, and weights of them.
    Counts(f64, Vec<f64>),
}

impl Prediction {
    pub fn any(input: &mut Input) -> Prediction {
        match input.below(4) {
            0 => Prediction::Nothing,
            1 => Prediction::Single(input.seconds().clamp(0, SUREFILL_MAX_SECONDS)),
            _ => {
                let ratio = [1.1, 1.8, 4.0, 30.0][input.below(4)];
                Prediction::Counts(ratio, (0..2 + input.below(6)).map(|_| input.below(4) as f64).collect())
            }
        }
    }

    /// Number of its bins; none where it is no distribution over bins.
    pub fn bins(&self) -> i32 {
        match self {
            Prediction::Counts(_, counts) if counts.iter().any(|&count| count > 0.0) => counts.len() as i32,
            _ => 0,
        }
    }

    /// The same in the core.
    pub fn core(&self) -> RuntimeDistribution {
        match self {
            Prediction::Nothing => RuntimeDistribution::limit(),
            Prediction::Single(seconds) => RuntimeDistribution::single(*seconds).unwrap(),
            Prediction::Counts(ratio, counts) => {
                let bins = RuntimeBins::new(10.0, *ratio, counts.len()).unwrap();
                RuntimeDistribution::from_counts(&bins, counts).unwrap()
            }
        }
    }

    /// A block of this length with it, empty where nothing is known.
    pub fn made(&self, bytes: i64) -> Block {
        let mut block = Block::new(bytes, false);
        let (memory, length, mut made) = (block.pointer(), block.length(), null_mut());
        let status = match self {
            Prediction::Nothing => SUREFILL_OK,
            Prediction::Single(seconds) => unsafe {
                surefill_distribution_init_single(memory, length, *seconds, &mut made)
            },
            Prediction::Counts(ratio, counts) => {
                let mut bins = bins(10.0, *ratio, counts.len() as i32);
                let (from, count) = (counts.as_ptr(), counts.len() as i32);
                let bins = bins.pointer().cast();
                unsafe { surefill_distribution_init_counts(memory, length, bins, from, count, &mut made) }
            }
        };
        assert_eq!(status, SUREFILL_OK);
        block
    }

    /// Calls with a handle of it.
    pub fn with<T>(&self, call: impl FnOnce(*const surefill_distribution) -> T) -> T {
        let mut block = self.made(SUREFILL_DISTRIBUTION_SIZE);
        call(if matches!(self, Prediction::Nothing) { null() } else { block.pointer().cast() })
    }
}
