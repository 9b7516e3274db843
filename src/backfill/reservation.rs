//! EASY's reservation for the head job, by the time limits (Lifka 1995; Mu'alem & Feitelson 2001).
//!
//! If every running job ends at its limit (one that is past it: a second from now), the head job starts at the shadow
//! time and leaves some processors over. A candidate is harmless if its own limit ends by then, or if it fits what is
//! left over.

use crate::backfill::pass::Pass;
use crate::backfill::timeline::{self, Entry};
use crate::error::Result;
use crate::memory::{at, at_mut, range, range_mut};

/// Largest number of new running jobs that are merged into the order one by one; more are sorted with the others.
const FEW: u32 = 4;

/// The head job's start by the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reservation {
    /// Seconds from now until the head job's start; the largest number when the running jobs never make room.
    shadow: i64,
    /// Processors that the head job leaves over then.
    extra: u32,
}

impl Reservation {
    /// Whether a candidate that ends by its limit in this number of seconds from now cannot delay the head job.
    pub(super) fn harmless(self, end: i64, processors: u32) -> bool {
        end <= self.shadow || processors <= self.extra
    }
}

impl Pass<'_> {
    /// The reservation with the jobs running now. O(running jobs), and sorting them once a pass.
    pub(super) fn reservation(&mut self) -> Result<Reservation> {
        self.sort_limits()?;
        let mut free = self.state.idle;
        let mut shadow = 0;
        for entry in range(self.parts.limits, 0, self.state.walk.running as usize)? {
            // Jobs that end in the shadow second count as ended.
            if free >= self.state.head_processors && entry.after() > shadow {
                break;
            }
            free = free.saturating_add(at(self.parts.running, entry.job() as usize)?.processors);
            shadow = entry.after();
        }
        Ok(match free.checked_sub(self.state.head_processors) {
            Some(extra) => Reservation { shadow, extra },
            None => Reservation { shadow: i64::MAX, extra: 0 },
        })
    }

    /// Sorts the jobs running now by the ends that the limits allow, unless that is done; jobs that started since the
    /// last time are merged in.
    fn sort_limits(&mut self) -> Result<()> {
        let running = self.state.walk.running;
        let known = self.state.limited.min(running);
        if known == running {
            return Ok(());
        }
        let before = if running - known <= FEW { known } else { 0 };
        let limits = range_mut(self.parts.limits, 0, running as usize)?;
        for index in before..running {
            let after = at(self.parts.running, index as usize)?.limit;
            *at_mut(limits, index as usize)? = Entry::new(after, index, false);
            if before > 0 {
                timeline::merge(range_mut(limits, 0, index as usize + 1)?, 1, self.parts.spare)?;
            }
        }
        if before == 0 {
            timeline::sort(limits, self.parts.spare)?;
        }
        self.state.limited = running;
        Ok(())
    }
}
