//! Situations noted of waiting jobs, and the state learnt from them: the data of `aged`.

use crate::math::chances::Shares;
use crate::wait::chances::AgedChances;
use crate::wait::estimate::whole_seconds;
use crate::wait::levels::{ASIDE, Groups, Levels, step};
use crate::wait::visible::Situation;
use bytemuck::{Pod, Zeroable};

/// Notes for each job that may wait.
pub(super) const NOTES_A_JOB: usize = 2;

/// The situation of a waiting job at a look.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Note {
    /// Time of the look, and of the end of the bound given then; [`NEVER`](crate::wait::queue::NEVER) without a bound,
    /// or when the wait has exceeded it.
    pub at: i64,
    pub deadline: i64,
    /// End of the [`Floor`] at the look; [`NEVER`](crate::wait::queue::NEVER) when the wait has exceeded it.
    pub floor_until: i64,
    /// Next in the job's list of notes, or in that of free ones, plus one.
    pub next: u32,
    pub groups: Groups,
    pub index: u32,
    /// 1 if bounds at the levels [`ASIDE`] were noted: `aside`, in seconds from the look.
    pub noted: u32,
    /// Number of horizons learnt as passed without a start.
    pub learnt: u32,
    /// Class of the job's age at the look, in [`AgedChances`].
    pub ages: u32,
    pub situation: Situation,
    pub aside: [u32; ASIDE.len()],
    pub shares: Shares,
}

/// The part of the rests that end within the floor.
const FLOOR_QUANTILE: f64 = 0.65;

/// Range of the logarithm of the floor's factor.
const FLOOR_LEAST: f64 = -6.0;
const FLOOR_MOST: f64 = 4.0;

/// A floor under the reported rests, which grows with the oldest wait of the queue: in a jam longer than all that are
/// known, rests are longer than all that are known. The factor is a quantile of rest over oldest wait, learnt on line
/// like the [`Levels`]. All zero: the oldest wait itself.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Floor {
    logarithm: f64,
    seen: u64,
}

impl Floor {
    /// The floor in seconds, where the oldest job has waited for `oldest` seconds.
    pub(super) fn seconds(&self, oldest: u64) -> i64 {
        whole_seconds(libm::exp(self.logarithm) * oldest as f64)
    }

    /// Learns whether a rest was longer than the floor at its look. Steps are multiplied by `caution`, at most 1.
    pub(super) fn learn(&mut self, longer: bool, rate: f64, caution: f64) {
        let part = if longer { FLOOR_QUANTILE } else { FLOOR_QUANTILE - 1.0 };
        let moved = self.logarithm + part * caution * step(self.seen, rate);
        self.logarithm = moved.clamp(FLOOR_LEAST, FLOOR_MOST);
        self.seen = self.seen.saturating_add(1);
    }
}

/// State learnt from waiting jobs. All zero: nothing.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Aged {
    pub levels: Levels,
    pub chances: AgedChances,
    pub floor: Floor,
    /// Index of the rest in a window that answers the options' question.
    pub window_index: u64,
    /// Number of looks due, and the time up to which they were counted.
    pub due: f64,
    pub counted: i64,
    /// The slot that is looked at next, plus one; 0: the first.
    pub cursor: u32,
    /// Free notes that were used before, plus one, and notes that were ever used.
    pub free: u32,
    pub fresh: u32,
    /// Notes in use.
    pub open: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wanted part of the rests ends within the floor, if their distribution changes with the oldest wait alone.
    #[test]
    fn the_floor_comes_to_its_quantile() {
        let mut floor = Floor::zeroed();
        let mut random = 4_u64;
        let (mut within, mut seen) = (0.0, 0.0);
        for round in 0..40_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let uniform = ((random >> 33) as f64 + 0.5) / (1_u64 << 31) as f64;
            let oldest = 1000 + random % 977 * 1000;
            let longer = -0.3 * oldest as f64 * uniform.ln() > floor.seconds(oldest) as f64;
            floor.learn(longer, 0.02, 1.0);
            if round > 10_000 {
                (within, seen) = (within + f64::from(u8::from(!longer)), seen + 1.0);
            }
        }
        assert!((within / seen - FLOOR_QUANTILE).abs() < 0.005, "{}", within / seen);
        // The quantile itself: -0.3 ln(1 - 0.65) times the oldest wait.
        let factor = floor.seconds(1_000_000) as f64 / 1e6;
        assert!((factor / 0.315 - 1.0).abs() < 0.2, "{factor}");
    }
}
