//! Calibration of predicted starts: the reported levels from those of a forecast, corrected by the actual starts.
//!
//! A forecast of the rule itself needs little correction ([`StartForecast`](super::StartForecast)): five offsets a pool
//! on the logarithms of the levels, moved by .002 at every start of a job whose start was reported; and five for
//! reports of jobs that were reported an hour before.

use bytemuck::{Pod, Zeroable};

/// The levels of predicted starts: the ends of intervals of 90 % and 50 %, and the median.
pub const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// Change of an offset at a start.
const STEP: f64 = 0.002;

/// Number of jobs with open reports of their starts above which each start counts less.
const MANY: u32 = 32;

/// The largest offset.
const MOST: f64 = 3.0;

/// Seconds that are added before the logarithm.
const SHORT: f64 = 60.0;

/// The offsets of a pool.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Offsets([f64; LEVELS.len()]);

impl Offsets {
    /// The offsets of a pool without a known start: a little wider than the forecast.
    pub(super) const FIRST: Offsets = Offsets([-0.2, -0.05, 0.0, 0.08, 0.2]);

    /// The levels that are reported for these of a forecast, all of them the rest of a wait in seconds, none of them
    /// beyond `most`. A level that has reached it is not known, and stays there.
    pub(super) fn reported(&self, levels: &[i64; LEVELS.len()], most: i64) -> [i64; LEVELS.len()] {
        let mut reported = *levels;
        for (level, &offset) in reported.iter_mut().zip(&self.0).filter(|(level, _)| **level < most) {
            let moved = (*level as f64 + SHORT) * libm::exp(offset) - SHORT;
            *level = (moved as i64).max(0);
        }
        reported.iter_mut().for_each(|level| *level = (*level).min(most));
        // Sorted, so that offsets that have crossed do not let the levels cross.
        for end in 1..reported.len() {
            let inside = reported.get_mut(..=end).unwrap_or(&mut []);
            if let Some((&mut last, before)) = inside.split_last_mut() {
                let place = before.iter().take_while(|level| **level <= last).count();
                crate::heap::insert(inside, place, last);
            }
        }
        reported
    }

    /// Learns from a job that has started `waited` seconds after these levels were reported, one of `open` jobs with
    /// reported starts that have not come: in a jam all depend on the same moment, and a thousand of them are no
    /// thousand observations.
    pub(super) fn learn(&mut self, reported: &[u32; LEVELS.len()], waited: i64, open: u32) {
        let step = STEP * f64::from(MANY) / f64::from(open.max(MANY));
        for ((offset, &level), &reported) in self.0.iter_mut().zip(&LEVELS).zip(reported) {
            let held = if waited <= i64::from(reported) { 1.0 } else { 0.0 };
            *offset = (*offset + step * (level - held)).clamp(-MOST, MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_levels_are_in_order_and_capped() {
        let mut offsets = Offsets([0.0; 5]);
        assert_eq!(offsets.reported(&[10, 20, 30, 40, 5000], 1000), [10, 20, 30, 40, 1000]);
        offsets.0 = [1.0, 0.0, 0.0, -0.5, 0.0];
        let reported = offsets.reported(&[300, 400, 500, 600, 700], 10_000);
        // 60 s are added and taken away again: e x 360 - 60 is 918, exp(-.5) x 660 - 60 is 340.
        assert_eq!(reported, [340, 400, 500, 700, 918]);
        // Levels beyond the range are not known, however early such levels were before.
        assert_eq!(offsets.reported(&[300, 400, 500, 900, 900], 900), [400, 500, 900, 900, 900]);
    }

    #[test]
    fn offsets_follow_what_comes_and_stay_in_range() {
        let mut offsets = Offsets::FIRST;
        for _ in 0..1000 {
            offsets.learn(&[1, 2, 3, 4, 5], 100, 32);
        }
        // Every level was missed: .002 x 1,000 of its probability.
        assert!((offsets.0[0] - (-0.2 + 0.1)).abs() < 1e-9 && (offsets.0[4] - 2.1).abs() < 1e-9);
        for _ in 0..10_000 {
            offsets.learn(&[1, 2, 3, 4, 5], 0, 1);
        }
        assert_eq!(offsets.0[..4], [-3.0; 4]);
        assert!((offsets.0[4] - 1.1).abs() < 1e-9);
    }
}
