//! Pauses of a pool: is the present one, in which nothing starts though a job may, longer than all before?
//!
//! Where a job that may start by the rule has waited, and nothing has started, for longer than any job that started
//! ever did, something holds the pool that no report shows: the machine may be down, or its manager stopped. No start
//! can be predicted then.

use bytemuck::{Pod, Zeroable};

/// Number of known pauses from which on the longest counts: the largest of 59 observations is at least the .95 quantile
/// with confidence .95 (Nurmi et al. 2011).
const FEWEST: u32 = 59;

/// No pause is a stall before it is so long, in seconds; where fewer are known, before it is that long.
const LEAST: i64 = 3600;
const LEAST_OF_FEW: i64 = 43_200;

/// A pause that is longer than all before, though a waiting job may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Seconds since the last start, or since a job that may start waits.
    pub lasts: i64,
    /// Seconds of the longest pause before.
    pub longest: i64,
}

/// The pauses of a pool before its starts, each as far as the job that ended it had waited.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Pauses {
    /// Time of the last start; that since which the pool is observed, before the first.
    last: i64,
    longest: i64,
    known: u32,
    reserved: u32,
}

impl Pauses {
    /// The pauses of a pool that is observed from now on.
    pub(super) fn from(now: i64) -> Pauses {
        Pauses { last: now, ..Pauses::zeroed() }
    }

    /// Seconds until now in which nothing has started, and a job waited that has waited for so long.
    fn lasts(&self, now: i64, waited: i64) -> i64 {
        now.saturating_sub(self.last).min(waited).max(0)
    }

    /// Records the start of a job after this wait. Jobs that start as soon as they come end no pause.
    pub(super) fn start(&mut self, start: i64, waited: i64) {
        let lasted = self.lasts(start, waited);
        if lasted > 0 {
            (self.longest, self.known) = (self.longest.max(lasted), self.known.saturating_add(1));
        }
        self.last = self.last.max(start);
    }

    /// Records that the pool is observed from now on: the clock begins, or was set back.
    pub(super) fn begin(&mut self, now: i64) {
        self.last = now;
    }

    /// The stall, if it is one that a job which has waited for so long has not started.
    pub(super) fn stall(&self, now: i64, waited: i64) -> Option<Stall> {
        let Pauses { longest, known, .. } = *self;
        let lasts = self.lasts(now, waited);
        let least = if known >= FEWEST { LEAST } else { LEAST_OF_FEW };
        (lasts > longest.max(least)).then_some(Stall { lasts, longest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_longer_than_all_others_is_a_stall() {
        let mut pauses = Pauses::from(0);
        for job in 0..59 {
            pauses.start(10_000 * job + 7_200, 7_200);
            // It started as it came, and says nothing of how long the pool rests.
            pauses.start(10_000 * job + 9_000, 0);
        }
        assert_eq!(pauses.stall(10_007_200, 7_200), None);
        assert_eq!(pauses.stall(10_010_801, 10_801), Some(Stall { lasts: 10_801, longest: 7_200 }));
        // A start ends the pause, though others wait on.
        pauses.start(10_010_900, 10_900);
        assert_eq!(pauses.stall(10_020_000, 20_000), None);
        assert_eq!(pauses.stall(10_022_000, 31_000), Some(Stall { lasts: 11_100, longest: 10_900 }));
        // The clock was set back.
        pauses.begin(10_021_000);
        assert_eq!(pauses.stall(10_022_000, 31_000), None);
    }

    #[test]
    fn few_or_short_pauses_say_nothing() {
        let mut pauses = Pauses::from(0);
        assert_eq!(pauses.stall(1_000_000, 43_200), None);
        assert_eq!(pauses.stall(1_000_000, 43_201), Some(Stall { lasts: 43_201, longest: 0 }));
        for job in 1..=59 {
            pauses.start(100 * job, 50);
        }
        assert_eq!(pauses.stall(5_900 + 3_600, 9_000), None);
        assert_eq!(pauses.stall(5_900 + 3_601, 9_000), Some(Stall { lasts: 3_601, longest: 50 }));
    }
}
