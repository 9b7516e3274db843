//! Predicted starts: the levels of a forecast as they are reported to people, and what was reported before.

use super::forecast::{MOST_SCENARIOS, NOBODY, StartForecast, span};
use super::job::MAX_TIME;
use super::object::Scheduler;
use super::stall::Stall;
use super::starts::LEVELS;
use super::table::Record;
use crate::error::{Error, Result};
use crate::heap;
use crate::math::mix::mix;
use crate::memory::{at, at_mut, range, range_mut};
use crate::plan::LONGEST;

/// Seconds after the first report of a start from which another is judged too.
const LATER_REPORT: i64 = 3600;

/// The predicted start of a waiting job. All instants are in the scheduler's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredictedStart {
    /// The instants by which the job starts with probability .05, .25, .5, .75 and .95 ([`LEVELS`]), not decreasing.
    pub by: [i64; LEVELS.len()],
    /// Whether the last of them is at the end of the forecast's range: the start may be later still.
    pub capped: bool,
    /// The pause for which no start in the pool can be predicted: all levels are at the end of the range then.
    pub stall: Option<Stall>,
}

impl PredictedStart {
    /// The instant at the level of this number, if it is known: nothing is beyond the forecast's range.
    pub fn known(&self, level: usize) -> Option<i64> {
        let [.., last] = self.by;
        self.by.get(level).copied().filter(|&by| !self.capped || by < last)
    }
}

/// The number of the median among the levels.
const MEDIAN: usize = 2;

/// Keeps the median where it was last reported, or moves it to half way between the new one and the level beside it.
fn keep_median(job: &Record, predicted: &mut PredictedStart) {
    if job.reports > 0 && job.reported_median != 0 && predicted.known(MEDIAN).is_some() {
        let [_, low, median, high, _] = &mut predicted.by;
        let (low, high) = (*median - (*median - *low) / 2, *median + (*high - *median) / 2);
        *median = job.reported_median.min(high).max(low);
    }
}

impl StartForecast<'_> {
    /// The rest of a job's wait at the five levels by the scenarios, in seconds: with N scenarios the level p lies at
    /// place p N - .5 of the starts in order, between two of them interpolated. `None` for a job that does not wait in
    /// this pool, that is held, or for which there are too few units. O(W + N log N).
    ///
    /// # Errors
    /// [`Error::WrongState`] before all scenarios are played.
    pub fn levels(&self, job: i64) -> Result<Option<[i64; LEVELS.len()]>> {
        if self.state.scenario < self.state.scenarios {
            return Err(Error::WrongState);
        }
        let queued = range(self.parts.queued, 0, self.state.queued as usize)?;
        let Some(number) = queued.iter().position(|queued| queued.job == job) else { return Ok(None) };
        let queued = at(queued, number)?;
        if queued.processors > self.possible_for(queued) {
            return Ok(None);
        }
        let mut starts = [0_u32; MOST_SCENARIOS as usize];
        let count = self.state.scenarios as usize;
        let starts = range_mut(&mut starts, 0, count)?;
        for (start, row) in starts.iter_mut().zip(0..) {
            *start = *at(self.parts.starts, row * self.parts.queued.len() + number)?;
        }
        heap::sort(starts)?;
        starts.iter_mut().for_each(|start| *start = (*start).min(self.state.horizon));
        let mut levels = [0; LEVELS.len()];
        for (to, level) in levels.iter_mut().zip(LEVELS) {
            let place = (level * count as f64 - 0.5).min(count as f64 - 1.0).max(0.0);
            let below = libm::floor(place);
            let lower = f64::from(*at(starts, below as usize)?);
            let upper = f64::from(*at(starts, (below as usize + 1).min(count - 1))?);
            *to = libm::round(lower + (place - below) * (upper - lower)) as i64;
        }
        Ok(Some(levels))
    }

    /// The predicted start of a waiting job: the levels, moved by the outcomes of earlier reports. The median of a job
    /// whose start was reported stays where it was last reported, or moves to half way between the new one and the
    /// level beside it, so that answers do not jump. `None` for a job that does not wait in this pool, or that is held
    /// for an unknown time.
    ///
    /// # Errors
    /// As [`StartForecast::levels`].
    pub fn predicted(&self, scheduler: &Scheduler<'_>, job: i64) -> Result<Option<PredictedStart>> {
        let Some(levels) = self.levels(job)? else { return Ok(None) };
        let Some(slot) = scheduler.parts.table.find(job)? else { return Ok(None) };
        let most = i64::from(self.state.horizon);
        let record = scheduler.parts.table.get(slot)?;
        if !record.state().waits() {
            // It has started since the forecast began.
            return Ok(None);
        }
        let stall = self.stall();
        if stall.is_some() {
            let by = [self.state.now.saturating_add(most); LEVELS.len()];
            return Ok(Some(PredictedStart { by, capped: true, stall }));
        }
        let kind = usize::from(self.is_later(record));
        let offsets = at(&scheduler.pool_at(self.state.pool)?.offsets, kind)?;
        let mut rest = offsets.reported(&levels, most);
        if self.is_head(job) {
            rest = rest.map(|rest| rest.min(self.state.head_by.into()));
        }
        let earliest = self.earliest(job, record);
        let by = rest.map(|rest| self.state.now.saturating_add(rest).max(earliest));
        let capped = rest.iter().any(|&rest| rest >= most);
        let mut predicted = PredictedStart { by, capped, stall };
        keep_median(record, &mut predicted);
        Ok(Some(predicted))
    }

    /// The pause of the pool, if it is longer than all before, and a job that waits now starts at once in every
    /// scenario: the machine may be down, and nothing is predicted. `None` before all scenarios are played.
    pub fn stall(&self) -> Option<Stall> {
        let [lasts, longest] = self.state.stall;
        (self.state.stalled != 0).then_some(Stall { lasts, longest })
    }

    /// The first job that has no room under EASY, and the instant by which it starts by the limits: by this rule
    /// nothing delays it further. `None` if there is no such job, or no such instant.
    pub fn head(&self) -> Option<(i64, i64)> {
        let head = self.parts.queued.get(self.state.head as usize)?;
        let by = Some(self.state.head_by).filter(|&by| by < LONGEST)?;
        Some((head.job, self.state.now.saturating_add(by.into())))
    }

    /// Looks for a stall, once all scenarios are played. O(W x scenarios).
    pub(super) fn find_stall(&mut self, scheduler: &Scheduler<'_>) -> Result<()> {
        let pauses = scheduler.pool_at(self.state.pool)?.pauses;
        for number in 0..self.state.present as usize {
            let queued = at(self.parts.queued, number)?;
            let Some(stall) = pauses.stall(self.state.now, queued.waited) else { continue };
            let starts = self.parts.starts.iter().skip(number).step_by(self.parts.queued.len().max(1));
            if starts.take(self.state.scenarios as usize).all(|&start| start == 0) {
                (self.state.stalled, self.state.stall) = (1, [stall.lasts, stall.longest]);
                break;
            }
        }
        Ok(())
    }

    /// Whether a job is the head job, or another task of its array, which starts no later.
    fn is_head(&self, job: i64) -> bool {
        self.parts.queued.get(self.state.head as usize).is_some_and(|head| head.job == job)
    }

    /// The first instant at which a job can start: neither before its begin time, nor while it is refused, nor while
    /// reservations keep it off its nodes.
    fn earliest(&self, id: i64, job: &Record) -> i64 {
        let refused = Some(job.refused_until).filter(|&until| until < MAX_TIME).unwrap_or(0);
        let mut queued = self.parts.queued.iter().take(self.state.queued as usize);
        let from = queued.find(|queued| queued.job == id).map_or(0, |queued| queued.from);
        // The tasks that a throttle holds have no time: they follow others.
        let from = if from == NOBODY { 0 } else { from };
        self.state.now.saturating_add(from.into()).max(job.begin).max(refused)
    }

    /// Whether a job's start was reported an hour before, or earlier.
    fn is_later(&self, job: &Record) -> bool {
        job.reports > 0 && self.state.now.saturating_sub(job.reported_at[0]) >= LATER_REPORT
    }

    /// The predicted start of a waiting job that is reported to people, else as by [`StartForecast::predicted`]: the
    /// outcome of the first report of a job, and of one drawn from those an hour or more after it, moves the offsets
    /// for such reports in its pool.
    ///
    /// # Errors
    /// As [`StartForecast::levels`].
    pub fn report(&self, scheduler: &mut Scheduler<'_>, job: i64) -> Result<Option<PredictedStart>> {
        let Some(predicted) = self.predicted(scheduler, job)? else { return Ok(None) };
        let Some(slot) = scheduler.parts.table.find(job)? else { return Ok(None) };
        let now = self.state.now;
        let record = scheduler.parts.table.get_mut(slot)?;
        if predicted.stall.is_some() {
            // Nothing is predicted that could be judged.
            record.reported_median = 0;
            return Ok(Some(predicted));
        }
        let later = self.is_later(record);
        record.reported_median = predicted.known(MEDIAN).unwrap_or(0);
        // Each of the later reports is as likely to be judged, whenever the start comes: the k-th of them is kept
        // instead of the one before with probability 1 / k.
        let kept = if later {
            mix(job as u64 ^ u64::from(record.reports) << 32) % u64::from(record.reports) == 0
        } else {
            record.reports == 0
        };
        if kept {
            let kind = usize::from(later);
            *at_mut(&mut record.reported, kind)? = predicted.by.map(|by| span(by - now));
            *at_mut(&mut record.reported_at, kind)? = now;
        }
        if later || kept {
            record.reports = record.reports.saturating_add(1);
        }
        Ok(Some(predicted))
    }

    /// The probability that a job starts by an instant: linear between the five levels as they are reported, from 0
    /// when it can start at first; beyond the last one the rest shrinks to 0 at twice its distance.
    ///
    /// # Errors
    /// As [`StartForecast::levels`].
    pub fn probability(&self, scheduler: &Scheduler<'_>, job: i64, when: i64) -> Result<Option<f64>> {
        let Some(predicted) = self.predicted(scheduler, job)? else { return Ok(None) };
        let Some(slot) = scheduler.parts.table.find(job)? else { return Ok(None) };
        if predicted.stall.is_some() {
            return Ok(None);
        }
        let head_by = self.state.now.saturating_add(self.state.head_by.into());
        if self.is_head(job) && head_by <= when {
            return Ok(Some(1.0));
        }
        let record = scheduler.parts.table.get(slot)?;
        let now = self.earliest(job, record);
        let (mut before, mut reached) = (now, 0.0);
        let last = predicted.by[LEVELS.len() - 1];
        let beyond = last.saturating_add(last.saturating_sub(now));
        for (by, level) in predicted.by.into_iter().chain([beyond]).zip(LEVELS.into_iter().chain([1.0])) {
            if when < by {
                let passed = when.saturating_sub(before).max(0) as f64;
                let share = passed / by.saturating_sub(before).max(1) as f64;
                return Ok(Some(reached + (level - reached) * share));
            }
            (before, reached) = (by, level);
        }
        Ok(Some(1.0))
    }
}

impl Scheduler<'_> {
    /// Records a start of a waiting job that was reported at this time by another block: its median stays as
    /// [`StartForecast::predicted`] has it, and its actual start is learnt as if it had been reported here, unless one
    /// was.
    ///
    /// # Errors
    /// [`Error::UnknownJob`] unless the job waits; [`Error::OutOfRange`] for a report in the future, levels before it
    /// or not in order.
    pub fn restore_start(&mut self, job: i64, when: i64, start: &PredictedStart) -> Result<()> {
        let slot = self.parts.table.find(job)?.ok_or(Error::UnknownJob)?;
        let now = self.state.now;
        let [first, .., last] = start.by;
        let is_time = (-MAX_TIME..=now).contains(&when) && last <= MAX_TIME;
        let is_sane = is_time && when <= first && start.by.is_sorted();
        if !is_sane {
            return Err(Error::OutOfRange);
        }
        let job = self.parts.table.get_mut(slot)?;
        if !job.state().waits() {
            return Err(Error::UnknownJob);
        }
        job.reported_median = start.known(MEDIAN).unwrap_or(0);
        if job.reports == 0 {
            let [levels, _] = &mut job.reported;
            let [at, _] = &mut job.reported_at;
            (*levels, *at, job.reports) = (start.by.map(|by| span(by - when)), when, 1);
        }
        Ok(())
    }
}
