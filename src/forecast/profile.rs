//! The number of free processors over time as a scenario's policy expects it: the availability profile of reservations.

use crate::error::{Error, Result};
use crate::heap::insert;
use crate::memory::{at, range_mut};
use bytemuck::{Pod, Zeroable};

/// A step: this number of processors is free from this time on.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Step {
    time: i64,
    free: i64,
}

/// Steps in strictly increasing order of time; after the last, nothing changes any more.
pub(super) struct Profile<'p> {
    steps: &'p mut [Step],
    count: usize,
}

impl<'p> Profile<'p> {
    /// A profile of `free` processors from `now` on, and those of the releases `(when, processors)`, in order of time.
    pub(super) fn new(
        steps: &'p mut [Step],
        now: i64,
        free: u32,
        releases: impl Iterator<Item = (i64, u32)>,
    ) -> Result<Profile<'p>> {
        let mut profile = Profile { steps, count: 0 };
        profile.push(Step { time: now, free: i64::from(free) })?;
        for (time, processors) in releases {
            let last = range_mut(profile.steps, profile.count.saturating_sub(1), 1)?;
            let Some(last) = last.first_mut() else { return Err(Error::Corrupt) };
            let free = last.free + i64::from(processors);
            if last.time >= time {
                last.free = free;
            } else {
                profile.push(Step { time, free })?;
            }
        }
        Ok(profile)
    }

    fn push(&mut self, step: Step) -> Result<()> {
        *self.steps.get_mut(self.count).ok_or(Error::Corrupt)? = step;
        self.count += 1;
        Ok(())
    }

    fn steps(&self) -> &[Step] {
        self.steps.get(..self.count).unwrap_or(&[])
    }

    /// Gives the memory of the steps back.
    pub(super) fn into_steps(self) -> &'p mut [Step] {
        self.steps
    }

    /// Number of steps: the cost of a search.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The earliest time from which `processors` are free for `duration` seconds; `None` when there are never as many.
    pub(super) fn earliest(&self, processors: u32, duration: i64) -> Option<i64> {
        let mut start: Option<i64> = None;
        for step in self.steps() {
            if start.is_some_and(|start| step.time >= start.saturating_add(duration)) {
                return start;
            }
            start = if step.free < i64::from(processors) { None } else { start.or(Some(step.time)) };
        }
        start
    }

    /// Whether `processors` are free from the first step on for `duration` seconds.
    pub(super) fn fits_now(&self, processors: u32, duration: i64) -> bool {
        let Some(now) = self.steps().first().map(|step| step.time) else { return false };
        self.steps()
            .iter()
            .take_while(|step| step.time < now.saturating_add(duration))
            .all(|step| step.free >= i64::from(processors))
    }

    /// Takes `processors` from `start` for `duration` seconds, where they are free.
    pub(super) fn take(&mut self, start: i64, duration: i64, processors: u32) -> Result<()> {
        let first = self.step_at(start)?;
        let end = self.step_at(start.saturating_add(duration))?;
        for step in range_mut(self.steps, first, end.saturating_sub(first))? {
            step.free -= i64::from(processors);
        }
        Ok(())
    }

    /// The index of the step that begins at `time`, which is made if it is not there.
    fn step_at(&mut self, time: i64) -> Result<usize> {
        let index = self.steps().partition_point(|step| step.time < time);
        if self.steps().get(index).is_some_and(|step| step.time == time) {
            return Ok(index);
        }
        let before = index.checked_sub(1).ok_or(Error::Corrupt)?;
        let free = at(self.steps, before)?.free;
        insert(range_mut(self.steps, 0, self.count + 1)?, index, Step { time, free });
        self.count += 1;
        Ok(index)
    }
}
