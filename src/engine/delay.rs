//! The jobs that start by the delay rule: probabilistic backfilling ([`crate::backfill`]) in the site's order, in a
//! pool of counted units.
//!
//! The jobs start in that order as long as they fit. The first that does not is the head job. One behind it starts if
//! the delay that it causes the head job, by the predicted run times of all that run, is below `tau`. The pass lies in
//! the cycle's memory, for as many jobs as run and are judged now.

use super::cycle::{Cycle, Parts, State};
use super::delayed::{Judged, pass_capacity};
use super::job::JobState;
use super::object::Scheduler;
use super::order::Candidate;
use super::pools::pool;
use super::settings::{Settings, Way};
use crate::backfill::{Pass, Step, Verdict};
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::{MAX_SECONDS, View};
use bytemuck::Zeroable;

impl Scheduler<'_> {
    /// Refuses the delay rule in a pool of nodes, and in one of more units than there is room for.
    ///
    /// # Errors
    /// [`Error::DelayOnNodes`], [`Error::DelayUnits`].
    pub(super) fn check_pool(&self, number: u32) -> Result<()> {
        if self.settings().way() != Way::Delay {
            return Ok(());
        }
        let pool = pool(self.parts.pools, number)?;
        if pool.of_nodes != 0 {
            return Err(Error::DelayOnNodes);
        }
        let enough = pool.units <= self.state.capacity.delay_units;
        if enough { Ok(()) } else { Err(Error::DelayUnits) }
    }
}

/// Adds a job that runs, or that was offered, to a pass.
fn add_running(
    pass: &mut Pass<'_>,
    scheduler: &Scheduler<'_>,
    slot: u32,
    units: u32,
    now: i64,
) -> Result<()> {
    if scheduler.parts.table.get(slot)?.state() == JobState::Ending {
        // It is over, and expected to be cleaned when its time for that has passed.
        let left = scheduler.end_by_limit(slot, now)?.saturating_sub(now);
        pass.add_running_by(units, 0, left, View::Limit)?;
        return Ok(());
    }
    let age = scheduler.parts.table.get(slot)?.age(now).min(MAX_SECONDS);
    pass.add_running_by(units, age, scheduler.cut_of(slot)?, scheduler.predicted(slot)?)?;
    Ok(())
}

/// The candidates that start, as far as they are chosen.
struct Choice<'c> {
    candidates: &'c [Candidate],
    starting: &'c mut [u32],
    started: usize,
    idle: u32,
}

impl Choice<'_> {
    fn fits(&self, candidate: &Candidate) -> bool {
        candidate.later == 0 && candidate.processors <= self.idle
    }

    fn start(&mut self, number: usize) -> Result<()> {
        let candidate = at(self.candidates, number)?;
        *at_mut(self.starting, self.started)? = number as u32;
        (self.started, self.idle) = (self.started + 1, self.idle.saturating_sub(candidate.processors));
        Ok(())
    }

    /// Starts those from this number on that fit while `most` processors are taken at most.
    fn start_all(&mut self, from: usize, most: u32) -> Result<()> {
        let mut left = most;
        for (number, candidate) in self.candidates.iter().enumerate().skip(from) {
            if self.fits(candidate) && candidate.processors <= left {
                left -= candidate.processors;
                self.start(number)?;
            }
        }
        Ok(())
    }

    fn starts(&self, number: u32) -> bool {
        self.starting.iter().take(self.started).any(|&started| started == number)
    }
}

impl Cycle<'_> {
    /// Decides which of the candidates, in the site's order, start by the delay rule, and returns their number. Where
    /// the head job could not start even if all running jobs ended, nothing delays it, and all that fit start.
    pub(super) fn delay(
        &mut self,
        scheduler: &Scheduler<'_>,
        settings: &Settings,
        idle: u32,
    ) -> Result<usize> {
        let State { pool, now, candidates: count, offers: made, .. } = *self.state;
        scheduler.check_pool(pool)?;
        let Parts { candidates, starting, offers, considered, judged, pass, .. } = &mut self.parts;
        let candidates = range(candidates, 0, count as usize)?;
        range_mut(judged, 0, count as usize)?.fill(Judged::zeroed());
        let mut choice = Choice { candidates, starting, started: 0, idle };
        let mut first = 0;
        while candidates.get(first).is_some_and(|candidate| choice.fits(candidate)) {
            choice.start(first)?;
            first += 1;
        }
        let Some(head) = candidates.get(first).copied() else { return Ok(choice.started) };
        let mut wanted = head.processors;
        if wanted <= choice.idle {
            // The manager has refused it for want of room, so that it starts at the next end at the earliest. Jobs that
            // leave room for it then delay nothing; others are judged as if it lacked one processor.
            choice.start_all(first + 1, choice.idle - wanted)?;
            wanted = choice.idle + 1;
        }
        let open = || range(offers, 0, made as usize).map(|made| made.iter().filter(|made| made.is_open()));
        let active = || scheduler.parts.table.active().iter().copied();
        let held = |slot: u32| match scheduler.parts.table.get(slot) {
            Ok(job) if job.pool == pool => job.holds(),
            _ => 0,
        };
        let (mut running, mut free) = (choice.started as u32, idle);
        for units in active().map(held).filter(|&units| units > 0).chain(open()?.map(|made| made.count)) {
            (running, free) = (running + 1, free.saturating_add(units));
        }
        if free < wanted {
            choice.start_all(first + 1, choice.idle)?;
            heap::sort(range_mut(choice.starting, 0, choice.started)?)?;
            return Ok(choice.started);
        }
        // Tasks of arrays beyond the first come in where there is room for them.
        let judges = |number: u32| {
            let candidate = candidates.get(number as usize).filter(|candidate| choice.fits(candidate));
            candidate.filter(|_| !choice.starts(number)).map(|candidate| candidate.task)
        };
        let behind = first as u32 + 1..count;
        let jobs = behind.clone().filter(|&number| judges(number) == Some(0)).count() as u32;
        let mut room = self.state.capacity.jobs.saturating_sub(running).saturating_sub(jobs);
        let mut judgements = 0;
        for number in behind {
            match judges(number) {
                None => continue,
                Some(0) => {}
                Some(_) if room == 0 => continue,
                Some(_) => room -= 1,
            }
            *at_mut(considered, judgements)? = number;
            judgements += 1;
        }
        if judgements == 0 {
            heap::sort(range_mut(choice.starting, 0, choice.started)?)?;
            return Ok(choice.started);
        }
        let bins = self.state.capacity.bins;
        let limits = pass_capacity(running, judgements as u32, free, bins, settings.events);
        if Pass::size(&limits)? > pass.len() {
            return Err(Error::Full);
        }
        let mut pass = Pass::init(pass, &limits)?;
        pass.begin(now, choice.idle, head.id, wanted)?;
        for slot in active() {
            if held(slot) > 0 {
                add_running(&mut pass, scheduler, slot, held(slot), now)?;
            }
        }
        for made in open()? {
            add_running(&mut pass, scheduler, made.slot, made.count, now)?;
        }
        for &number in choice.starting.iter().take(choice.started) {
            let candidate = at(candidates, number as usize)?;
            add_running(&mut pass, scheduler, candidate.slot, candidate.processors, now)?;
        }
        let considered = range(considered, 0, judgements)?;
        for &number in considered {
            let &Candidate { slot, processors, .. } = at(candidates, number as usize)?;
            pass.add_candidate_by(processors, scheduler.cut_of(slot)?, scheduler.predicted(slot)?)?;
        }
        let rule = settings.delay_rule();
        while let Step::Accept(index) = pass.decide(&rule, u64::MAX)? {
            pass.commit(index)?;
            choice.start(*at(considered, index)? as usize)?;
        }
        for (index, &number) in considered.iter().enumerate() {
            let found = pass.judgement(index)?;
            if found.verdict == Verdict::Refused {
                *at_mut(judged, number as usize)? = Judged::refused(&rule, &found);
            }
        }
        heap::sort(range_mut(choice.starting, 0, choice.started)?)?;
        Ok(choice.started)
    }
}
