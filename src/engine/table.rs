//! The jobs that the engine knows: records in slots, found by the job's id, with lists of the waiting jobs in the order
//! of their submission, and of those that hold room. A slot keeps its number as long as its job is known.

use crate::error::{Error, Result};
use crate::hash::HashIndex;
use crate::heap;
use crate::memory::{Carver, at, at_mut, copy, range_mut};
use bytemuck::{Pod, Zeroable};

use super::delayed::Judged;
use super::job::{JOB_QUEUES, JobState, Why, user_or_queue};
use super::starts::LEVELS;
use super::wants::GUEST;

/// A job. All times and spans in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Record {
    pub id: i64,
    pub user: i64,
    pub submit: i64,
    /// Earliest time of its start, before which it is reported as waiting.
    pub begin: i64,
    /// Start of its present run.
    pub start: i64,
    /// Time at which that start was reported to the predictor, which may be later.
    pub begun: i64,
    pub limit: i64,
    pub priority: f64,
    /// Time for which it was held for reasons that are no wait.
    pub not_waited: i64,
    /// Time since which it is held so, if [`Record::held`] is not 0.
    pub held_since: i64,
    /// Time for which its present run was stopped.
    pub stopped: i64,
    /// Time since which it is stopped, while it is suspended.
    pub stopped_since: i64,
    /// Time before which it is not offered again.
    pub refused_until: i64,
    /// Time until which a refusal for want of room lasts if its pool does not change.
    pub busy_until: i64,
    /// Time since which the manager no longer lists it.
    pub gone_since: i64,
    /// Age at which its end was predicted last, and age at which it is expected to end; 0 before the first prediction.
    pub asked: i64,
    pub end_age: i64,
    /// Time by which its wait counted as longer in the last decision, by its priority.
    pub credit: i64,
    /// Its mean predicted run time.
    pub mean: i64,
    /// Its predicted run time, where that is a single value.
    pub single: i64,
    /// The last report in a listing that has not ended: start and time run.
    pub noted_start: i64,
    pub noted_ran: i64,
    pub tier: i32,
    pub count: u32,
    /// Number of units that it holds.
    pub units: u32,
    pub restarts: u32,
    pub tasks: u32,
    pub at_once: u32,
    /// A [`JobState`]; [`JobState::AsBefore`] for a record of which only the description is known.
    pub state: u32,
    /// A [`Why`] of the manager's.
    pub why: u32,
    /// Whether it is held for a reason that is no wait.
    pub held: u32,
    pub pool: u32,
    pub queue_count: u32,
    pub queues: [u32; JOB_QUEUES],
    /// Its place in the list of jobs with room; for a free slot the next free one.
    pub place: u32,
    /// Number of the last listing that had it.
    pub listed: u32,
    pub noted_state: u32,
    pub noted_restarts: u32,
    pub noted_why: u32,
    pub noted_units: u32,
    /// Whether a row has changed the keys by which the predictor knows it.
    pub noted_keys: u32,
    /// Kind of its prediction: [`Predicted`].
    pub predicted: u32,
    /// Number of BUSY refusals in a row.
    pub busy: u32,
    /// Reason of the last refusal; 0 without one.
    pub refused: u32,
    /// The pool's count of changes at that refusal.
    pub changes: u32,
    /// Whether it was running when it was first reported, so that the predictor does not know its age.
    pub adopted: u32,
    /// Whether its run time is learnt already, as it is over but still holds room.
    pub learnt: u32,
    /// Whether it holds nothing while it is suspended.
    pub holds_nothing: u32,
    /// Whether a shadow start was reported.
    pub shadow: u32,
    /// Counts the edits that make an offer void.
    pub edits: u32,
    /// Its number among the submissions.
    pub arrival: u32,
    /// Number of reports of its start: the first one, and those at least an hour later, of which one is judged. Kept of
    /// the first and of that one: the rest of the wait at five levels, and the time; of the last report, the median.
    pub reports: u32,
    /// Number of its processors, those of all its tasks together.
    pub width: u32,
    pub reported: [[u32; LEVELS.len()]; 2],
    pub reported_at: [i64; 2],
    pub reported_median: i64,
    /// Results of the last decision that reached it: its planned start, 0 for none; the job that it must not delay; a
    /// [`Why`]; its edits then; and the number of the decision among its pool's.
    pub judged_start: i64,
    pub judged_head: i64,
    pub judged: u32,
    pub judged_edits: u32,
    pub judged_in: u32,
    /// Time that it was promised to wait at most when it was the head job; 0 without a promise.
    pub promised: u32,
    /// The delay for which it had to wait by that decision.
    pub judged_delay: Judged,
}

/// The kinds of prediction that a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Predicted {
    /// The limit alone.
    Limit = 0,
    /// The engine's own, by bins.
    Own = 1,
    /// The caller's, by bins.
    Binned = 2,
    /// The caller's, one value.
    Single = 3,
    /// The caller's: the limit.
    ToLimit = 4,
}

/// The keys by which the predictor knows a job; where its user is unknown its first queue stands for that.
pub(super) fn keys(user: i64, queue: Option<u32>, limit: i64, width: u32) -> [i64; 3] {
    [user_or_queue(user, queue), limit, width.into()]
}

impl Record {
    pub fn state(&self) -> JobState {
        JobState::from_number(self.state).unwrap_or_default()
    }

    pub fn why(&self) -> Why {
        Why::from_number(self.why).unwrap_or_default()
    }

    /// Time for which it has waited, times held for other reasons taken out.
    pub fn waited(&self, now: i64) -> i64 {
        let held = if self.held != 0 { now.saturating_sub(self.held_since).max(0) } else { 0 };
        let begun = self.submit.max(self.begin);
        now.saturating_sub(begun).saturating_sub(self.not_waited).saturating_sub(held).max(0)
    }

    /// Time at which its wait reaches the longest one promised; 0 without a promise, and while it is held.
    pub fn due(&self) -> i64 {
        if self.promised == 0 || self.held != 0 {
            return 0;
        }
        self.submit.max(self.begin).saturating_add(self.not_waited).saturating_add(self.promised.into())
    }

    /// Time for which it has run; 0 for one that waits, whose `start` means nothing.
    pub fn age(&self, now: i64) -> i64 {
        if !self.state().has_room() {
            return 0;
        }
        let until = if self.state() == JobState::Suspended { self.stopped_since } else { now };
        until.saturating_sub(self.start).saturating_sub(self.stopped).max(0)
    }

    /// Whether the last decision of its pool, that of this number, has said why it waits.
    pub fn is_judged(&self, judgements: u32) -> bool {
        self.judged != 0 && self.judged_edits == self.edits && self.judged_in == judgements
    }

    /// Number of units that it holds now.
    pub fn holds(&self) -> u32 {
        match self.state() {
            JobState::Suspended if self.holds_nothing != 0 => 0,
            state if state.has_room() => self.units,
            _ => 0,
        }
    }

    /// Whether it may start now, as far as the manager and its own time are concerned.
    pub fn may_start(&self, now: i64) -> bool {
        self.id != 0 && self.state() == JobState::Waiting && self.begin <= now && self.refused_until <= now
    }

    /// Whether it was refused for want of room, and neither has its pool changed since nor the time of that passed.
    pub fn is_busy(&self, changes: u32, now: i64) -> bool {
        self.busy > 0 && self.changes == changes && self.busy_until > now
    }

    /// Number of its tasks that may start now.
    pub fn startable_tasks(&self) -> u32 {
        let waiting = self.tasks.max(1);
        if self.at_once == 0 { waiting } else { waiting.min(self.at_once) }
    }

    /// Time for which it has been stopped now.
    pub fn stops(&self, now: i64) -> i64 {
        if self.state() == JobState::Suspended { now.saturating_sub(self.stopped_since).max(0) } else { 0 }
    }

    /// Whether the caller predicts its run time.
    pub fn is_predicted_by_caller(&self) -> bool {
        self.predicted >= Predicted::Binned as u32
    }

    /// The keys by which the predictor knows it.
    pub fn keys(&self) -> [i64; 3] {
        let queue = self.queues.first().filter(|_| self.queue_count > 0);
        keys(self.user, queue.copied(), self.limit, self.width)
    }

    /// The planned start that was noted, if it is still to come after this time; 0 for none.
    pub fn judged_until(&self, now: i64) -> i64 {
        let holds = self.judged_edits == self.edits && self.judged_start > now;
        if holds { self.judged_start } else { 0 }
    }

    /// Key of its place among the waiting jobs.
    fn order(&self) -> (i64, i64) {
        (self.submit, self.id)
    }
}

/// Marks no slot.
const NONE: u32 = u32::MAX;

/// A guest, and its place among the waiting jobs.
struct Guest {
    record: Record,
    place: usize,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Counts {
    jobs: u32,
    waiting: u32,
    active: u32,
    /// The list of slots that are free again, and the first never used.
    free: u32,
    fresh: u32,
    reserved: u32,
}

/// All records.
pub(super) struct Table<'a> {
    counts: &'a mut [Counts],
    records: &'a mut [Record],
    index: HashIndex<'a>,
    waiting: &'a mut [u32],
    active: &'a mut [u32],
    guest: Option<Guest>,
}

fn ids(records: &[Record]) -> impl Fn(u32) -> Result<u64> + '_ {
    |slot| Ok(at(records, slot as usize)?.id as u64)
}

impl<'a> Table<'a> {
    /// Room for this many jobs.
    #[inline(always)]
    pub fn carve(carver: &mut Carver<'a>, jobs: usize) -> Result<Table<'a>> {
        Ok(Table {
            counts: carver.take(1)?,
            records: carver.take(jobs)?,
            index: HashIndex::carve(carver, jobs)?,
            waiting: carver.take(jobs)?,
            active: carver.take(jobs)?,
            guest: None,
        })
    }

    /// Empties the table; the memory must be zeroed.
    pub fn clear(&mut self) -> Result<()> {
        *at_mut(self.counts, 0)? = Counts { free: NONE, ..Counts::zeroed() };
        Ok(())
    }

    /// Copies another table, which is not larger; the memory must be zeroed. O(jobs).
    pub fn continue_from(&mut self, other: &Table<'_>) -> Result<()> {
        copy(self.counts, other.counts);
        copy(self.waiting, other.waiting());
        copy(self.active, other.active());
        for (slot, record) in (0..other.slots()).zip(other.records.iter()) {
            *self.get_mut(slot)? = Record { id: 0, ..*record };
            if record.id != 0 {
                self.index.insert(record.id as u64, slot, ids(self.records))?;
                self.get_mut(slot)?.id = record.id;
            }
        }
        Ok(())
    }

    /// Whether the counts are valid.
    #[inline]
    pub fn is_sound(&self) -> bool {
        let most = self.records.len();
        let most_of = |count: u32| count as usize <= most;
        self.counts.first().is_some_and(|counts| {
            most_of(counts.jobs)
                && most_of(counts.fresh)
                && most_of(counts.waiting)
                && most_of(counts.active)
                && (counts.free == NONE || most_of(counts.free))
        })
    }

    fn counts(&self) -> Result<&Counts> {
        at(self.counts, 0)
    }

    /// Number of jobs that are known.
    pub fn count(&self) -> u32 {
        self.counts.first().map_or(0, |counts| counts.jobs)
    }

    /// Whether no slot is free.
    pub fn is_full(&self) -> bool {
        self.count() as usize >= self.records.len()
    }

    pub fn find(&self, id: i64) -> Result<Option<u32>> {
        self.index.find(id as u64, ids(self.records))
    }

    #[inline]
    pub fn get(&self, slot: u32) -> Result<&Record> {
        match &self.guest {
            Some(guest) if slot == GUEST => Ok(&guest.record),
            _ => at(self.records, slot as usize),
        }
    }

    /// Adds this job as the guest. O(log W).
    pub fn invite(&mut self, record: Record) -> Result<()> {
        self.guest = Some(Guest { record, place: 0 });
        let place = self.place(GUEST)?;
        self.guest = Some(Guest { record, place });
        Ok(())
    }

    /// Removes the guest.
    pub fn dismiss(&mut self) {
        self.guest = None;
    }

    pub fn has_guest(&self) -> bool {
        self.guest.is_some()
    }

    /// Number of waiting jobs, the guest among them.
    pub fn queue_length(&self) -> usize {
        self.waiting().len() + usize::from(self.has_guest())
    }

    /// The job at this place among the waiting ones, the guest among them.
    pub fn queued(&self, place: usize) -> Result<u32> {
        match &self.guest {
            Some(guest) if place == guest.place => Ok(GUEST),
            Some(guest) if place > guest.place => Ok(*at(self.waiting, place - 1)?),
            _ => Ok(*at(self.waiting, place)?),
        }
    }

    pub fn get_mut(&mut self, slot: u32) -> Result<&mut Record> {
        at_mut(self.records, slot as usize)
    }

    /// The slots that are or were in use: those of free ones have id 0.
    pub fn slots(&self) -> u32 {
        self.counts.first().map_or(0, |counts| counts.fresh)
    }

    /// The waiting jobs, in the order of their submission.
    pub fn waiting(&self) -> &[u32] {
        self.waiting.get(..self.counts.first().map_or(0, |counts| counts.waiting as usize)).unwrap_or(&[])
    }

    /// The jobs that hold room.
    pub fn active(&self) -> &[u32] {
        self.active.get(..self.counts.first().map_or(0, |counts| counts.active as usize)).unwrap_or(&[])
    }

    /// Takes a slot for a job of this id, which is in no other; it is in none of the lists.
    pub fn add(&mut self, id: i64) -> Result<u32> {
        if self.is_full() {
            return Err(Error::Full);
        }
        let counts = at_mut(self.counts, 0)?;
        let slot = if counts.free == NONE {
            counts.fresh += 1;
            counts.fresh - 1
        } else {
            let slot = counts.free;
            counts.free = at(self.records, slot as usize)?.place;
            slot
        };
        counts.jobs += 1;
        let record = at_mut(self.records, slot as usize)?;
        *record = Record { id, edits: record.edits, ..Record::zeroed() };
        // The record has its key already: the table must not find it.
        at_mut(self.records, slot as usize)?.id = 0;
        self.index.insert(id as u64, slot, ids(self.records))?;
        at_mut(self.records, slot as usize)?.id = id;
        Ok(slot)
    }

    /// Forgets a job that is in none of the lists.
    pub fn remove(&mut self, slot: u32) -> Result<()> {
        let id = self.get(slot)?.id;
        self.index.remove(id as u64, ids(self.records))?;
        let counts = at_mut(self.counts, 0)?;
        counts.jobs = counts.jobs.saturating_sub(1);
        let free = core::mem::replace(&mut counts.free, slot);
        let record = at_mut(self.records, slot as usize)?;
        // An offer of the job that was here does not hold for the next one.
        *record = Record { place: free, edits: record.edits.wrapping_add(1), ..Record::zeroed() };
        Ok(())
    }

    /// The place of a job among the waiting ones, or the place that it would have. O(log W).
    fn place(&self, slot: u32) -> Result<usize> {
        let order = self.get(slot)?.order();
        let (mut low, mut high) = (0, self.waiting().len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(*at(self.waiting, middle)?)?.order() < order {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Adds a job to the waiting ones. O(W).
    pub fn wait(&mut self, slot: u32) -> Result<()> {
        let place = self.place(slot)?;
        let counts = at_mut(self.counts, 0)?;
        let waiting = counts.waiting as usize;
        heap::insert(range_mut(self.waiting, 0, waiting + 1)?, place, slot);
        counts.waiting += 1;
        Ok(())
    }

    /// Removes a job from the waiting ones. O(W).
    pub fn unwait(&mut self, slot: u32) -> Result<()> {
        let place = self.place(slot)?;
        if *at(self.waiting, place)? != slot {
            return Err(Error::Corrupt);
        }
        let counts = at_mut(self.counts, 0)?;
        heap::remove(range_mut(self.waiting, 0, counts.waiting as usize)?, place);
        counts.waiting = counts.waiting.saturating_sub(1);
        Ok(())
    }

    /// Adds a job to those that hold room.
    pub fn activate(&mut self, slot: u32) -> Result<()> {
        let place = self.counts()?.active;
        *at_mut(self.active, place as usize)? = slot;
        self.get_mut(slot)?.place = place;
        at_mut(self.counts, 0)?.active += 1;
        Ok(())
    }

    /// Removes a job from those that hold room.
    pub fn deactivate(&mut self, slot: u32) -> Result<()> {
        let place = self.get(slot)?.place;
        let last = self.counts()?.active.checked_sub(1).ok_or(Error::Corrupt)?;
        if *at(self.active, place as usize)? != slot {
            return Err(Error::Corrupt);
        }
        let moved = *at(self.active, last as usize)?;
        *at_mut(self.active, place as usize)? = moved;
        self.get_mut(moved)?.place = place;
        at_mut(self.counts, 0)?.active = last;
        Ok(())
    }
}

/// A job that is over, kept because a manager may go on listing it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Over {
    /// Its id; 0 after another run of the job has ended.
    id: i64,
    submit: i64,
    restarts: u32,
    reserved: u32,
}

/// The jobs that ended last, the oldest of which makes room.
pub(super) struct Ended<'a> {
    /// The next place.
    counts: &'a mut [u32],
    ring: &'a mut [Over],
    index: HashIndex<'a>,
}

fn over(ring: &[Over]) -> impl Fn(u32) -> Result<u64> + '_ {
    |place| Ok(at(ring, place as usize)?.id as u64)
}

impl<'a> Ended<'a> {
    /// Room for this many.
    #[inline(always)]
    pub fn carve(carver: &mut Carver<'a>, count: usize) -> Result<Ended<'a>> {
        Ok(Ended {
            counts: carver.take(1)?,
            ring: carver.take(count)?,
            index: HashIndex::carve(carver, count)?,
        })
    }

    /// Whether the counts are valid.
    pub fn is_sound(&self) -> bool {
        let most = self.ring.len() as u32;
        self.counts.iter().all(|&count| count <= most)
    }

    /// Copies another list, its newest entries where there is less room.
    pub fn continue_from(&mut self, other: &Ended<'_>) -> Result<()> {
        let next = *at(other.counts, 0)? as usize;
        let (newer, older) = other.ring.split_at_checked(next).ok_or(Error::Corrupt)?;
        for run in older.iter().chain(newer).filter(|run| run.id != 0) {
            self.add(run.id, run.submit, run.restarts)?;
        }
        Ok(())
    }

    /// Whether this run of a job is over; `submit` may be unknown, 0.
    pub fn knows(&self, id: i64, submit: i64, restarts: u32) -> Result<bool> {
        let Some(place) = self.index.find(id as u64, over(self.ring))? else { return Ok(false) };
        let known = at(self.ring, place as usize)?;
        Ok((submit == 0 || known.submit == submit) && restarts <= known.restarts)
    }

    /// Adds a run that is over.
    pub fn add(&mut self, id: i64, submit: i64, restarts: u32) -> Result<()> {
        let run = Over { id, submit, restarts, reserved: 0 };
        if let Some(place) = self.index.find(id as u64, over(self.ring))? {
            *at_mut(self.ring, place as usize)? = run;
            return Ok(());
        }
        let next = *at(self.counts, 0)?;
        let Some(oldest) = self.ring.get(next as usize).copied() else { return Ok(()) };
        if oldest.id != 0 {
            self.index.remove(oldest.id as u64, over(self.ring))?;
        }
        at_mut(self.ring, next as usize)?.id = 0;
        self.index.insert(id as u64, next, over(self.ring))?;
        *at_mut(self.ring, next as usize)? = run;
        *at_mut(self.counts, 0)? = if next as usize + 1 < self.ring.len() { next + 1 } else { 0 };
        Ok(())
    }
}
