//! The jobs that may start while the front job or the head job waits: those that EASY backfilling by the limits would
//! let pass it, with its reservation as early as possible or where it was promised.

use super::grid::LONGEST;
use crate::error::Result;
use crate::heap;
use crate::memory::range_mut;
use bytemuck::{Pod, Zeroable};

/// A running job by its limit: what is left of it, and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Limited {
    pub(crate) after: u32,
    pub(crate) processors: u32,
}

/// Bound on the wait of a job that others must not delay at will.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// Not at all.
    Earliest,
    /// This share of its whole wait longer, in 2^-8: a job that has waited so long. It starts as it was promised
    /// before, 0 for nothing, or sooner where its wait has become shorter by the limits.
    Longer { promised: u32, waited: u32, share: u32 },
}

impl Until {
    /// The instant of the reservation, in seconds from now, of a job that could start at the earliest then; and its
    /// whole wait until then if that is promised to it now.
    pub(crate) fn after(self, earliest: u32) -> (u32, Option<u32>) {
        let Until::Longer { promised, waited, share } = self else { return (earliest, None) };
        let wait = u64::from(waited) + u64::from(earliest);
        let longer = (wait * u64::from(share)) >> 8;
        // One that fits now, and is passed all the same, is due in a second.
        let least = u64::from(waited) + 1;
        let wait = wait.saturating_add(longer).max(least).min(LONGEST.into()) as u32;
        let (wait, new) =
            if promised == 0 || wait < promised { (wait, Some(wait)) } else { (promised, None) };
        (wait.saturating_sub(waited).max(earliest), new)
    }
}

/// A job that others must not delay at will, by its number in the pass.
pub(crate) type Guarded = (usize, Until);

/// The guarded job's reservation by the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    /// Seconds from now after which its processors have to be free if every job runs to its limit; `u32::MAX` for
    /// never.
    shadow: u32,
    /// Processors that it leaves over then.
    spare: u32,
    /// The wait that is promised to it now, if one is.
    pub(crate) promised: Option<u32>,
}

impl Guard {
    /// The reservation of a job of this number of processors, at the next end at the earliest if it must not start now
    /// (`later`); `running` are put in the order of a heap. O(R + the ends until the reservation x log R).
    pub(crate) fn new(
        processors: u32,
        idle: u32,
        later: bool,
        until: Until,
        running: &mut [Limited],
    ) -> Result<Guard> {
        heap::build(running)?;
        let mut free = idle;
        let mut last = 0;
        let mut left = running.len();
        // The reservation, once there is room for it.
        let mut found = None;
        loop {
            let next = running.get(..left).and_then(|rest| rest.first()).map(|limited| limited.after);
            // All that ends at the instant of the reservation is free then.
            let apart = next.is_none_or(|next| next > last);
            if found.is_none() && free >= processors && apart && !(later && last == 0) {
                found = Some(until.after(last));
            }
            let instant = found.map_or(u32::MAX, |(instant, _)| instant);
            let Some(next) = next.filter(|&next| found.is_none() || next <= instant) else { break };
            let ending = range_mut(running, 0, left)?;
            let popped = heap::pop(ending)?;
            // No job is lost: another plan of the same pass finds them all.
            if let Some(last) = ending.last_mut() {
                *last = popped;
            }
            free = free.saturating_add(popped.processors);
            last = next;
            left -= 1;
        }
        let (shadow, promised) = found.unwrap_or((u32::MAX, None));
        Ok(Guard { shadow, spare: free.saturating_sub(processors), promised })
    }

    /// Seconds from now after which the guarded job starts at the latest; `u32::MAX` for never.
    pub(crate) fn shadow(&self) -> u32 {
        self.shadow
    }

    /// Whether a job may start now; then what it takes from what the front job leaves over is taken.
    pub(crate) fn admits(&mut self, processors: u32, limit: u32) -> bool {
        if limit <= self.shadow {
            return true;
        }
        let spare = self.spare.checked_sub(processors);
        self.spare = spare.unwrap_or(self.spare);
        spare.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_easys_reservation() {
        let mut running =
            [(50, 3), (20, 2), (20, 4), (90, 9)].map(|(after, processors)| Limited { after, processors });
        let mut guard = Guard::new(7, 2, false, Until::Earliest, &mut running).unwrap();
        assert_eq!((guard.shadow, guard.spare), (20, 1));
        assert!(guard.admits(2, 20));
        assert!(!guard.admits(2, 21));
        assert!(guard.admits(1, 21));
        assert!(!guard.admits(1, 21));
        // It would fit now, but must not start now.
        let mut later = Guard::new(2, 2, true, Until::Earliest, &mut running).unwrap();
        assert_eq!((later.shadow, later.spare), (20, 6));
        assert!(later.admits(2, 20) && later.admits(6, 21) && !later.admits(1, 21));
        assert!(Guard::new(1, 2, true, Until::Earliest, &mut []).unwrap().admits(2, 1 << 24));
        let mut never = Guard::new(30, 2, false, Until::Earliest, &mut running).unwrap();
        assert!(never.admits(2, 1 << 24));
    }
}
