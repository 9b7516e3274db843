//! Who may start while the front job waits: those that EASY backfilling by the limits would let pass it.

use crate::error::Result;
use crate::heap;
use bytemuck::{Pod, Zeroable};

/// A running job by its limit: what is left of it, and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Limited {
    pub(crate) after: u32,
    pub(crate) processors: u32,
}

/// The front job's reservation by the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    /// When, in seconds from now, its processors are free if everybody runs to the limit; `u32::MAX` for never.
    shadow: u32,
    /// Processors that it leaves over then.
    spare: u32,
}

impl Guard {
    /// The reservation of a job of this number of processors, at the next end at the earliest if it must not start now
    /// (`later`); `running` are put in the order of a heap. O(R + the ends until the reservation x log R).
    pub(crate) fn new(processors: u32, idle: u32, later: bool, running: &mut [Limited]) -> Result<Guard> {
        heap::build(running)?;
        let mut free = idle;
        let mut shadow = 0;
        let mut left = running.len();
        while let Some(ending) = running.get_mut(..left).filter(|rest| !rest.is_empty()) {
            let next = ending.first().map_or(u32::MAX, |limited| limited.after);
            // All that ends at the instant of the reservation is free then.
            if free >= processors && next > shadow && !(later && shadow == 0) {
                break;
            }
            let popped = heap::pop(ending)?;
            // No job is lost: another plan of the same pass finds them all.
            if let Some(last) = ending.last_mut() {
                *last = popped;
            }
            free = free.saturating_add(popped.processors);
            shadow = next;
            left -= 1;
        }
        let starts = free >= processors && !(later && shadow == 0);
        let shadow = if starts { shadow } else { u32::MAX };
        Ok(Guard { shadow, spare: free.saturating_sub(processors) })
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
        let mut guard = Guard::new(7, 2, false, &mut running).unwrap();
        assert_eq!((guard.shadow, guard.spare), (20, 1));
        assert!(guard.admits(2, 20));
        assert!(!guard.admits(2, 21));
        assert!(guard.admits(1, 21));
        assert!(!guard.admits(1, 21));
        // It would fit now, but must not start now.
        let mut later = Guard::new(2, 2, true, &mut running).unwrap();
        assert_eq!((later.shadow, later.spare), (20, 6));
        assert!(later.admits(2, 20) && later.admits(6, 21) && !later.admits(1, 21));
        assert!(Guard::new(1, 2, true, &mut []).unwrap().admits(2, 1 << 24));
        let mut never = Guard::new(30, 2, false, &mut running).unwrap();
        assert!(never.admits(2, 1 << 24));
    }
}
