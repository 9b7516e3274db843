//! Helpers of the wait predictor's tests.
#![allow(dead_code)] // not every one uses all

#[path = "../common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use surefill::wait::*;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self, below: u64) -> u64 {
        splitmix(&mut self.0) % below
    }

    pub fn uniform(&mut self) -> f64 {
        (self.next(1 << 52) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    pub fn exponential(&mut self, mean: f64) -> i64 {
        (-mean * self.uniform().ln()) as i64
    }
}

/// Small capacities.
pub const LIMITS: WaitCapacity =
    WaitCapacity { history: 500, queued: 64, releases: 300, clusters: 8, neighbours: 400 };

/// Options with these components.
pub fn options(components: u32) -> WaitOptions {
    WaitOptions { components, down_quantile: 0.95, ..WaitOptions::papers() }
}

/// Memory for a predictor.
pub fn block(limits: &WaitCapacity) -> Vec<u64> {
    vec![u64::MAX; WaitPredictor::size(limits).unwrap().div_ceil(8)]
}

/// A job that asks for this number of seconds.
pub fn job(requested: i64) -> Features {
    Features { requested, processors: 1 }
}

/// The k-th smallest, counted from 1.
pub fn naive_bound(waits: &[i64], quantile: f64, confidence: f64) -> WaitAnswer {
    let mut sorted = waits.to_vec();
    sorted.sort();
    match upper_index(sorted.len() as u64, quantile, confidence).unwrap() {
        Some(k) => WaitAnswer::Bound(sorted[k as usize - 1]),
        None => WaitAnswer::TooLittleHistory,
    }
}
