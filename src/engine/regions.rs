//! Regions of a counted pool: its queues need not have the same units, as partitions need not that share some of their
//! nodes.
//!
//! A region consists of the units that the same queues have. A job takes units of the regions of its queues alone, the
//! first regions first. By EASY the first job of each set of regions that has no room is guarded there, by the limits
//! of the jobs that hold something of it: what overtakes it ends before its start, or takes what it leaves over.

use super::forecast::{Pending, StartForecast};
use super::gather::bounded;
use super::object::Scheduler;
use crate::error::Result;
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::plan::Limited;

impl StartForecast<'_> {
    /// Whether the pool has regions.
    pub(super) fn is_divided(&self) -> bool {
        self.state.regions > 0
    }

    /// The number of the set of these queues' regions.
    pub(super) fn set_of(&mut self, queues: &[u32]) -> Result<u32> {
        let set = self.parts.divided.set_of(queues)?;
        self.state.sets = self.parts.divided.sets();
        Ok(set)
    }

    /// Number of units that can ever be free for a job.
    pub(super) fn possible_for(&self, job: &Pending) -> u32 {
        if self.is_divided() { self.parts.divided.possible(job.set) } else { self.state.possible }
    }

    /// Seconds that all jobs of the beginning would take by their limits on the units that can ever be free of the set
    /// for which that is longest: those that hold some of them, and those that may. 0 without regions.
    pub(super) fn longest_area(&self) -> Result<u64> {
        let divided = &self.parts.divided;
        let mut longest = 0;
        for set in divided.room.iter().take(divided.used).filter(|set| set.possible > 0) {
            let mut work = 0_u64;
            for busy in range(self.parts.busy, 0, self.state.busy as usize)? {
                let row = range(divided.before, busy.row as usize * divided.count(), divided.count())?;
                let held = row.iter().enumerate().filter(|(region, _)| set.has(*region));
                let units = held.fold(0, |sum, (_, &units)| sum + u64::from(units));
                work = work.saturating_add(units * u64::from(bounded(busy.limit, busy.expected)));
            }
            for job in range(self.parts.queued, 0, self.state.queued as usize)? {
                if at(divided.room, job.set as usize)?.regions & set.regions != 0 {
                    let area = u64::from(bounded(job.limit, job.mean)) * u64::from(job.processors);
                    work = work.saturating_add(area.saturating_mul(u64::from(job.more) + 1));
                }
            }
            longest = longest.max(work / u64::from(set.possible));
        }
        Ok(longest)
    }

    /// Puts the jobs that run at the beginning in the order of their ends by the limits, with their rows.
    pub(super) fn list_ends(&mut self) -> Result<()> {
        if !self.is_divided() {
            return Ok(());
        }
        let ends = range_mut(self.parts.limited, 0, self.state.running as usize)?;
        for (to, busy) in ends.iter_mut().zip(&*self.parts.running) {
            *to = Limited { after: busy.limit, processors: busy.row };
        }
        heap::sort(ends)
    }

    /// Adds a job that starts to these.
    pub(super) fn list_end(&mut self, limit: u32, row: u32) -> Result<()> {
        if self.is_divided() {
            let end = Limited { after: limit, processors: row };
            let count = self.state.running as usize;
            let place = range(self.parts.limited, 0, count)?.partition_point(|other| *other < end);
            heap::insert(range_mut(self.parts.limited, 0, count + 1)?, place, end);
        }
        Ok(())
    }

    /// Removes a job that has ended, and gives back what it held.
    pub(super) fn unlist_end(&mut self, limit: u32, row: u32) -> Result<()> {
        if self.is_divided() {
            let end = Limited { after: limit, processors: row };
            let ends = range_mut(self.parts.limited, 0, self.state.running as usize)?;
            let place = ends.partition_point(|other| *other < end);
            heap::remove(ends, place);
            self.parts.divided.release(row, &mut self.state.unused)?;
        }
        Ok(())
    }

    /// Starts jobs by EASY by the time limits in the regions, in the site's order, in which the queue is; or only those
    /// before the first that has no room, whose place in the queue and whose start by the limits are returned.
    fn pass(&mut self, until_guarded: bool) -> Result<Option<(usize, u32)>> {
        let time = self.state.time;
        for set in self.parts.divided.sets_mut() {
            (set.is_guarded, set.refused) = (0, 0);
        }
        self.parts.divided.count_free();
        for number in 0..self.state.considered as usize {
            if self.state.free == 0 && !until_guarded {
                break;
            }
            let place = *at(self.parts.considered, number)? as usize;
            let job = *at(self.parts.waiting, place)?;
            let set = *at(self.parts.divided.room, job.set as usize)?;
            let is_hopeless = job.processors > set.free || set.refuses(job.processors, job.limit);
            if job.processors > set.possible || (set.is_guarded != 0 && is_hopeless) {
                continue;
            }
            if job.processors <= set.free && self.parts.divided.choose(&set, job.processors, job.limit) {
                self.start(place)?;
                self.parts.divided.count_free();
                continue;
            }
            at_mut(self.parts.divided.room, job.set as usize)?.refuse(job.processors, job.limit);
            if set.is_guarded != 0 {
                continue;
            }
            let ends = range(self.parts.limited, 0, self.state.running as usize)?;
            self.parts.divided.guard(job.set as usize, job.processors, ends, time)?;
            if until_guarded {
                return Ok(Some((place, at(self.parts.divided.room, job.set as usize)?.shadow)));
            }
        }
        Ok(None)
    }

    /// Starts jobs by EASY in the regions.
    pub(super) fn easy_in_regions(&mut self, scheduler: &Scheduler<'_>) -> Result<bool> {
        self.pass(false)?;
        self.leave_queue(scheduler)
    }

    /// The first job that has no room in its regions, and its start by the limits.
    pub(super) fn find_head_in_regions(&mut self) -> Result<()> {
        self.reset()?;
        if let Some((place, shadow)) = self.pass(true)? {
            (self.state.head, self.state.head_by) = (at(self.parts.waiting, place)?.number, shadow);
        }
        Ok(())
    }
}
