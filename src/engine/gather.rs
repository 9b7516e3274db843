//! The beginning of a forecast: the running and the waiting jobs, and its range in time.

use super::divided::{MOST_REGIONS, Region};
use super::forecast::{Busy, DAY, NOBODY, Pending, Room, StartForecast, State, span};
use super::job::{JobState, MAX_TIME, Why};
use super::object::Scheduler;
use super::order::{class_of, count_points, lowest, tiers, worth};
use super::pools::pool;
use super::settings::{Mode, Way};
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{Object, at, at_mut, range, range_mut};
use crate::plan::{Guard, LONGEST, Limited, Plan, Until};
use crate::runtime::MAX_SECONDS;

/// The limit of a job; without one, four times the predicted time.
pub(super) fn bounded(limit: u32, predicted: u32) -> u32 {
    match limit {
        LONGEST => predicted.saturating_mul(4).min(LONGEST),
        limit => limit,
    }
}

/// Number of tasks that follow the one of this number, where all others follow those that run side by side.
fn share(tasks: u32, side_by_side: u32, number: u32) -> u32 {
    let rest = tasks.checked_rem(side_by_side).unwrap_or(0);
    tasks.checked_div(side_by_side).unwrap_or(0) + u32::from(number < rest)
}

impl<'a> StartForecast<'a> {
    /// Begins a forecast for the waiting jobs of this pool at this time, by this number of scenarios; twenty are enough
    /// for levels from .05 to .95. It belongs behind a closed cycle; after changes since, or in shadow mode, the
    /// scenarios decide at once. Brings predictions and the scheduler's clock up to date: not for a time in the future.
    /// O(jobs).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] while a listing is under way; [`Error::Unsupported`] for a pool of
    /// nodes that jobs share or that differ, whose starts are not predicted; [`Error::Misaligned`],
    /// [`Error::TooSmall`], [`Error::OutOfRange`] as by [`StartForecast::size`] and for an absurd time.
    pub fn begin(
        memory: &'a mut [u8],
        scheduler: &mut Scheduler<'_>,
        number: u32,
        now: i64,
        scenarios: u32,
    ) -> Result<StartForecast<'a>> {
        StartForecast::begin_in_regions(memory, scheduler, number, now, scenarios, &[], &mut |_, _| {})
    }

    /// The same in a pool of these regions, where each job takes units of the regions of its queues alone; its units
    /// are theirs. `held` is asked what each job that holds something holds of them: it is given the job's id, and as
    /// many zeros as there are regions. Under the plan nothing is played in regions. O(jobs x regions).
    ///
    /// # Errors
    /// As [`StartForecast::begin`]; [`Error::Unsupported`] also for regions under the plan; [`Error::OutOfRange`] also
    /// for more than [`MOST_REGIONS`](super::MOST_REGIONS), and for one with more idle units than it has.
    pub fn begin_in_regions(
        memory: &'a mut [u8],
        scheduler: &mut Scheduler<'_>,
        number: u32,
        now: i64,
        scenarios: u32,
        regions: &[Region],
        held: &mut dyn FnMut(i64, &mut [u32]),
    ) -> Result<StartForecast<'a>> {
        pool(scheduler.parts.pools, number)?;
        if regions.len() > MOST_REGIONS {
            return Err(Error::OutOfRange);
        }
        if now.unsigned_abs() > MAX_TIME as u64 {
            return Err(Error::OutOfRange);
        }
        if scheduler.state.listing_open != 0 {
            return Err(Error::WrongState);
        }
        let counted = scheduler.counted(number, scheduler.clock(now))?.ok_or(Error::Unsupported)?;
        let settings = scheduler.settings();
        if !regions.is_empty() && settings.way() == Way::Plan {
            return Err(Error::Unsupported);
        }
        let room = Room { capacity: scheduler.capacity(), scenarios, regions: regions.len() as u32 };
        let (state, parts) = StartForecast::create(memory, &room)?;
        Plan::init_scratch(parts.plan, &room.plan())?;
        let now = scheduler.advance(now)?;
        scheduler.renew()?;
        (state.capacity, state.scenarios, state.pool, state.now) = (room.capacity, scenarios, number, now);
        state.regions = room.regions;
        state.easy = u32::from(settings.way() != Way::Plan);
        state.head = NOBODY;
        let here = *scheduler.pool_at(number)?;
        state.at_once = u32::from(here.stirred != 0 || settings.mode == Mode::Shadow);
        (state.units, state.idle, state.debt) = (counted.all, counted.idle, counted.debt);
        let mut forecast = StartForecast { state, parts };
        if forecast.is_divided() {
            forecast.parts.divided.describe(regions)?;
            (forecast.state.units, forecast.state.idle) = forecast.parts.divided.units();
            forecast.state.debt = 0;
        }
        forecast.gather_running(scheduler, held)?;
        forecast.gather_kept(scheduler)?;
        forecast.gather_waiting(scheduler)?;
        forecast.parts.divided.count_possible(forecast.state.busy as usize)?;
        if settings.way() == Way::Easy {
            if forecast.is_divided() { forecast.find_head_in_regions()? } else { forecast.find_head()? }
        }
        forecast.state.kept = here.kept;
        forecast.state.pace = forecast.pace()?;
        forecast.set_horizon(scheduler)?;
        let since = scheduler.arrivals_since(now)?;
        forecast.state.days = (now.saturating_sub(since) / DAY).clamp(0, 14) as u32;
        forecast.arrange(scheduler)?;
        Ok(forecast)
    }

    /// Collects the running jobs with their expected ends.
    fn gather_running(
        &mut self,
        scheduler: &mut Scheduler<'_>,
        held: &mut dyn FnMut(i64, &mut [u32]),
    ) -> Result<()> {
        let State { pool, now, .. } = *self.state;
        let settings = scheduler.settings();
        for place in 0..scheduler.parts.table.active().len() {
            let slot = *at(scheduler.parts.table.active(), place)?;
            let job = *scheduler.parts.table.get(slot)?;
            if job.pool != pool || job.holds() == 0 {
                continue;
            }
            let expected = scheduler.expected_end(slot, &settings, now)?;
            let row = self.state.busy;
            let mut processors = scheduler.units_of(slot)?;
            if self.is_divided() {
                let row = self.parts.divided.row_before(row as usize)?;
                row.fill(0);
                held(job.id, row);
                processors = row.iter().fold(0, |sum, &units| sum.saturating_add(units));
            }
            let busy = Busy {
                // Drawn in each scenario.
                end: 0,
                processors,
                start: -i64::from(span(job.age(now))),
                expected: span(expected - now).max(1),
                limit: span(scheduler.end_by_limit(slot, now)? - now).max(1),
                slot,
                chain: NOBODY,
                more: 0,
                row,
                // Nothing is drawn for a job that is over: it ends as expected.
                id: if job.learnt == 0 { job.id } else { 0 },
            };
            *at_mut(self.parts.busy, self.state.busy as usize)? = busy;
            self.state.busy += 1;
        }
        Ok(())
    }

    /// Collects the waiting jobs, in the order of submission (under EASY in the site's), with the classes and credits
    /// of a decision; then those whose time has not come, or off whose nodes reservations keep them until then, in the
    /// order of their times.
    fn gather_waiting(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let State { pool, now, easy, .. } = *self.state;
        let count = scheduler.candidates(pool, now, |_, fit| (0, fit), self.parts.candidates)?;
        let candidates = range_mut(self.parts.candidates, 0, count)?;
        let ranks = range_mut(self.parts.tiers, 0, count)?;
        if easy != 0 {
            count_points(scheduler, candidates, now)?;
        }
        let tie = if easy != 0 { 0.0 } else { scheduler.settings().tie };
        tiers(candidates, ranks, tie)?;
        if easy != 0 {
            // EASY goes through the queue class by class.
            for (candidate, &rank) in candidates.iter_mut().zip(&*ranks) {
                candidate.tier = -i64::from(rank);
            }
            heap::sort(candidates)?;
            for (rank, candidate) in ranks.iter_mut().zip(&*candidates) {
                *rank = -(candidate.tier as i32);
            }
        }
        self.state.lowest = lowest(scheduler, candidates)?;
        let bookings = scheduler.bookings(pool, now);
        let (mut group, mut coming) = ((0, 0), 0);
        for place in 0..count {
            let candidate = *at(self.parts.candidates, place)?;
            let closed = self.closed_for(scheduler, candidate.slot, bookings.as_ref())?;
            if closed != Some(0) {
                if let (0, Some(after)) = (candidate.task, closed) {
                    *at_mut(self.parts.limited, coming)? = Limited { after, processors: candidate.slot };
                    coming += 1;
                }
                continue;
            }
            // Classes of later jobs lie between those of the beginning.
            let tier = at(self.parts.tiers, place)?.saturating_mul(2);
            let pending = self.pending(scheduler, candidate.slot, candidate.task, tier)?;
            if candidate.task == 0 {
                let same = self.parts.candidates.iter().take(count).skip(place);
                let side_by_side = same.take_while(|other| other.slot == candidate.slot).count() as u32;
                let tasks = scheduler.parts.table.get(candidate.slot)?.tasks.max(1);
                group = (side_by_side.max(1), tasks.saturating_sub(side_by_side));
            }
            let (side_by_side, rest) = group;
            let more = share(rest, side_by_side, candidate.task);
            self.enter(Pending { more, ..pending })?;
        }
        self.state.present = self.state.queued;
        for &slot in scheduler.parts.table.waiting() {
            let job = scheduler.parts.table.get(slot)?;
            let from = job.begin.max(job.refused_until);
            let comes = job.state() == JobState::Waiting && from > now && from - now < LONGEST.into();
            if job.pool == pool && comes && scheduler.units_of(slot)? <= self.state.units {
                *at_mut(self.parts.limited, coming)? = Limited { after: span(from - now), processors: slot };
                coming += 1;
            }
        }
        heap::sort(range_mut(self.parts.limited, 0, coming)?)?;
        for place in 0..coming {
            let Limited { after: from, processors: slot } = *at(self.parts.limited, place)?;
            let job = *scheduler.parts.table.get(slot)?;
            let pending = self.pending(scheduler, slot, 0, 0)?;
            let tier = self.rank(pending.class);
            self.enter(Pending { from, tier, more: job.tasks.max(1) - 1, ..pending })?;
        }
        for place in 0..scheduler.parts.table.waiting().len() {
            let slot = *at(scheduler.parts.table.waiting(), place)?;
            let job = scheduler.parts.table.get(slot)?;
            let held = job.state() == JobState::Held && matches!(job.why(), Why::Limit | Why::Array);
            if job.pool == pool && held && job.tasks > 0 && job.arrival != 0 {
                self.gather_throttled(scheduler, slot)?;
            }
        }
        Ok(())
    }

    /// Collects the tasks of an array that its throttle holds: they follow those that run, which were submitted with
    /// it.
    fn gather_throttled(&mut self, scheduler: &Scheduler<'_>, slot: u32) -> Result<()> {
        let array = *scheduler.parts.table.get(slot)?;
        let pending = self.pending(scheduler, slot, 0, 0)?;
        let (tier, chain) = (self.rank(pending.class), self.state.queued);
        let running = range_mut(self.parts.busy, 0, self.state.busy as usize)?;
        let is_task = |busy: &&mut Busy| {
            scheduler.parts.table.get(busy.slot).is_ok_and(|job| job.arrival == array.arrival)
        };
        let count = running.iter_mut().filter(is_task).count() as u32;
        if count == 0 || chain as usize >= self.parts.queued.len() {
            return Ok(());
        }
        for (busy, number) in running.iter_mut().filter(is_task).zip(0..) {
            (busy.chain, busy.more) = (chain, share(array.tasks, count, number));
        }
        self.enter(Pending { from: NOBODY, tier, more: array.tasks - 1, throttled: 1, ..pending })
    }

    /// Adds a job of the beginning; beyond the room for them tasks of arrays are left out.
    fn enter(&mut self, pending: Pending) -> Result<()> {
        let number = self.state.queued;
        if let Some(to) = self.parts.queued.get_mut(number as usize) {
            *to = Pending { number, origin: number, ..pending };
            self.state.queued += 1;
        }
        Ok(())
    }

    /// A job in the form of the scenarios.
    fn pending(&mut self, scheduler: &Scheduler<'_>, slot: u32, task: u32, tier: i32) -> Result<Pending> {
        let settings = scheduler.settings();
        let job = *scheduler.parts.table.get(slot)?;
        let set = self.set_of(job.queues.get(..job.queue_count as usize).unwrap_or(&[]))?;
        let now = self.state.now;
        let by_points = settings.by_points();
        let credit = match by_points && self.state.lowest.is_finite() {
            true => worth(job.priority - self.state.lowest, settings.seconds),
            false => 0,
        };
        let waited = if job.begin > now { now - job.begin } else { job.waited(now).min(MAX_SECONDS) };
        Ok(Pending {
            // Tasks of an array have draws and a place of their own.
            id: job.id.wrapping_add(i64::from(task).wrapping_mul(1 << 40)),
            job: job.id,
            waited: waited.max(-MAX_SECONDS),
            credit,
            submitted: job.submit.saturating_sub(now),
            class: class_of(job.tier, job.priority, waited, &settings),
            processors: scheduler.units_of(slot)?,
            mean: span(job.mean).max(1),
            upper: span(scheduler.upper(slot)?).max(1),
            limit: if job.limit > 0 { span(job.limit).max(1) } else { LONGEST },
            // Drawn in each scenario.
            run: 1,
            tier,
            slot,
            number: NOBODY,
            from: 0,
            more: 0,
            throttled: u32::from(job.at_once > 0),
            origin: NOBODY,
            promised: if task == 0 { job.promised } else { 0 },
            set,
        })
    }

    /// The first job that has no room under EASY, and its start by the limits: by this rule nothing delays it further.
    fn find_head(&mut self) -> Result<()> {
        if self.state.debt > 0 {
            // Units are missing, and which ends will bring them back is not known.
            return Ok(());
        }
        let (mut free, mut running) = (self.state.idle, self.state.busy as usize);
        for (to, busy) in self.parts.limited.iter_mut().zip(range(self.parts.busy, 0, running)?) {
            *to = Limited { after: busy.limit, processors: busy.processors };
        }
        for (number, job) in range(self.parts.queued, 0, self.state.present as usize)?.iter().enumerate() {
            if let Some(left) = free.checked_sub(job.processors) {
                free = left;
                *at_mut(self.parts.limited, running)? =
                    Limited { after: job.limit, processors: job.processors };
                running += 1;
                continue;
            }
            let limited = range_mut(self.parts.limited, 0, running)?;
            let guard = Guard::new(job.processors, free, false, Until::Earliest, limited)?;
            (self.state.head, self.state.head_by) = (number as u32, guard.shadow());
            break;
        }
        Ok(())
    }

    /// Sets the end of the forecast's range: the longest of two days, three times the longest wait known, and twice the
    /// time that all running and waiting jobs would take on the whole pool by their limits, with the longest limit
    /// behind it.
    fn set_horizon(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let units = u64::from(self.state.units.max(1));
        let mut work = 0_u64;
        let mut longest = 0;
        let mut possible = u64::from(self.state.idle);
        for busy in range(self.parts.busy, 0, self.state.busy as usize)? {
            let limit = bounded(busy.limit, busy.expected);
            work = work.saturating_add(u64::from(limit) * u64::from(busy.processors));
            longest = longest.max(limit);
            possible += u64::from(busy.processors);
        }
        self.state.possible = possible.saturating_sub(self.state.debt.into()).min(u32::MAX.into()) as u32;
        for job in range(self.parts.queued, 0, self.state.queued as usize)? {
            let limit = bounded(job.limit, job.mean);
            let area = u64::from(limit).saturating_mul(job.processors.into());
            work = work.saturating_add(area.saturating_mul(u64::from(job.more) + 1));
            longest = longest.max(limit).max(job.from.saturating_add(limit));
        }
        let area = work.checked_div(units).unwrap_or(0).max(self.longest_area()?).min(LONGEST.into());
        let by_limits = span(2 * area as i64).saturating_add(longest);
        let (waits, _) = scheduler.waits_of(self.state.pool)?;
        let known = if waits.count() == 0 { 0 } else { span(waits.quantile(1.0, 0.0)? as i64) };
        self.state.horizon = known.saturating_mul(3).max(by_limits).clamp(2 * DAY as u32, LONGEST);
        Ok(())
    }

    /// Puts the queue in order where the last cycle had no reason to, because no job fitted.
    fn arrange(&mut self, scheduler: &mut Scheduler<'_>) -> Result<()> {
        let queued = range(self.parts.queued, 0, self.state.queued as usize)?;
        if self.state.easy != 0 || self.state.kept.holds(queued.iter().map(|job| job.id)) {
            return Ok(());
        }
        self.reset()?;
        let settings = scheduler.settings();
        self.fill_plan()?;
        let mut plan = Plan::whole(self.parts.plan)?;
        plan.keep(&self.state.kept);
        let (waits, counted) = scheduler.waits_of(self.state.pool)?;
        plan.arrange(&settings.rule, &waits, &counted)?;
        self.state.kept = *plan.kept();
        Ok(())
    }
}
