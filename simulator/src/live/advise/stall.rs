//! Times in which a pool started nothing though jobs waited: is the present one longer than all known ones?
//!
//! Where a job that may start by the rule waits for longer than anybody ever waited for the next start, something
//! holds the pool that no listing shows: the machine may be down, or its scheduler stopped. No start can be predicted
//! then.

use crate::base::words::several;

/// Number of known gaps from which on the longest counts: the largest of 59 observations is at least the .95 quantile
/// with confidence .95 (Nurmi et al. 2011).
const FEWEST: u32 = 59;

/// No gap is a stall before it is so long, in seconds.
const LEAST: i64 = 3600;

/// The gaps between starts of a pool in which jobs waited.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gaps {
    /// Time since when jobs wait and none has started.
    since: Option<i64>,
    longest: i64,
    known: u32,
}

impl Gaps {
    /// Records an event of the pool: whether a job started in it, and whether others wait after it.
    pub fn event(&mut self, now: i64, started: bool, waiting: bool) {
        // Jobs that start as soon as they come say nothing of how long the pool rests.
        if let (true, Some(since)) = (started, self.since.filter(|since| *since < now)) {
            (self.longest, self.known) = (self.longest.max(now - since), self.known + 1);
        }
        self.since = match self.since {
            _ if !waiting => None,
            Some(since) if !started => Some(since),
            _ => Some(now),
        };
    }

    /// Why nothing can be predicted at present, if a waiting job would start at once by the rule.
    pub fn stalled(&self, now: i64) -> Option<String> {
        let gap = now - self.since.filter(|_| self.known >= FEWEST)?;
        (gap > self.longest.max(LEAST)).then(|| {
            format!(
                "cannot tell: nothing has started for {}, though a waiting job may start; in the history {} at most: \
                 the machine may be down",
                hours(gap),
                hours(self.longest)
            )
        })
    }
}

fn hours(seconds: i64) -> String {
    match seconds {
        ..7200 => several((seconds / 60).max(0) as u64, "minute"),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_longer_than_all_others_is_a_stall() {
        let mut gaps = Gaps::default();
        for job in 0..59 {
            gaps.event(10_000 * job, false, true);
            gaps.event(10_000 * job + 7_200, true, false);
        }
        // Without waiting jobs no time passes.
        assert_eq!(gaps.stalled(10_000_000), None);
        gaps.event(10_000_000, false, true);
        gaps.event(10_000_100, false, true);
        assert_eq!(gaps.stalled(10_007_200), None);
        let why = gaps.stalled(10_010_801).unwrap();
        assert!(why.contains("for 3 h 0 min") && why.contains("2 h 0 min at most"), "{why}");
        // A start ends the gap, though others wait on.
        gaps.event(10_010_900, true, true);
        assert_eq!(gaps.stalled(10_020_000), None);
        let mut few = Gaps::default();
        few.event(0, false, true);
        assert_eq!(few.stalled(1_000_000), None);
    }
}
