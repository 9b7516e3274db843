//! The scheduler in the caller's memory.

use super::accuracy::Accuracy;
use super::capacity::SchedulerCapacity;
use super::job::{JobReport, JobState, MAX_TIME};
use super::machine::{Booked, Node};
use super::pools::{self, Pool, Queue, place_of, pool_of};
use super::settings::{PredictorWord, Settings};
use super::stall::Pauses;
use super::starts::Offsets;
use super::submissions::Arrival;
use super::table::{Ended, Table};
use super::wants::Holdings;
use super::words::{BadWord, RawSettings};
use crate::error::{Error, Result};
use crate::math::fnv::fnv1a;
use crate::memory::{Carver, Kind, Object, at, at_mut, range, range_mut};
use crate::nodes::Amounts;
use crate::plan::KeptOrder;
use crate::predict::{Predictor, PredictorKind, PredictorOptions};
use crate::runtime::{RawBins, RuntimeBins};
use crate::schedule::RecentWaits;
use crate::seal::{Checkpoint, Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};

/// The number by which the engine knows a user, a pool or a queue of this name: FNV-1a with 64 bits.
pub fn hash(name: &[u8]) -> i64 {
    fnv1a(name) as i64
}

/// Counts of events since the block was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Totals {
    /// Number of jobs submitted.
    pub submitted: u64,
    /// Number of jobs started.
    pub started: u64,
    /// Number of jobs ended, whose run times were learnt.
    pub ended: u64,
    /// Number of jobs that a failure or preemption ended, or that left the listings while they ran.
    pub broken: u64,
    /// Number of jobs withdrawn before they ran.
    pub withdrawn: u64,
    /// Number of jobs put back into the queue.
    pub requeued: u64,
    /// Number of offers that the manager refused.
    pub refused: u64,
    /// Number of jobs that went from one state to another in a way that no manager should report.
    pub surprises: u64,
    /// Number of times that the manager's clock was set back by more than a minute.
    pub clock_set_back: u64,
    /// Number of events of jobs that were not known and not described.
    pub unknown_jobs: u64,
    /// Number of listings that were doubted, because too many jobs with room were missing in them.
    pub doubted: u64,
}

/// Bins up to the end of the default ones.
fn bins_of(count: u32) -> Result<RuntimeBins> {
    let own = RuntimeBins::default();
    if count as usize == own.count() {
        return Ok(own);
    }
    let steps = f64::from(count.saturating_sub(2).max(1));
    RuntimeBins::new(1.5, libm::exp(libm::log(own.ratio()) * 22.0 / steps), count as usize)
}

/// Largest number of users noted of whom jobs have ended since their waiting jobs were predicted.
pub(super) const LEARNT: usize = 32;

/// The scalars of the block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: SchedulerCapacity,
    pub(super) settings: RawSettings,
    pub(super) bins: RawBins,
    pub(super) totals: Totals,
    /// The time of the last event.
    pub(super) now: i64,
    /// Time of the last event before the listing under way.
    pub(super) before: i64,
    pub(super) learnt: [i64; LEARNT],
    pub(super) learnt_count: u32,
    /// Whether anything was ever reported.
    pub(super) begun: u32,
    /// The number of the listing under way or the last one, and whether it is under way.
    pub(super) listing: u32,
    pub(super) listing_open: u32,
    /// Whether the last listing was doubted, or none was since the block was opened.
    pub(super) doubted: u32,
    /// Number of jobs that left the listings and are still remembered.
    pub(super) gone: u32,
    /// Number of submissions of jobs that were not known, modulo 2^32.
    pub(super) arrived: u32,
    pub(super) reserved: u32,
    /// Time since which submissions are observed as they come.
    pub(super) watched: i64,
    /// The licences that jobs may hold.
    pub(super) licences: Amounts,
    pub(super) accuracy: Accuracy,
}

/// An event of a listing, in the order in which events are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Due {
    pub(super) time: i64,
    pub(super) phase: i64,
    pub(super) id: i64,
    pub(super) slot: u64,
}

/// The slices of the block.
pub(crate) struct Parts<'a> {
    pub(super) pools: &'a mut [Pool],
    pub(super) queues: &'a mut [Queue],
    pub(super) table: Table<'a>,
    pub(super) over: Ended<'a>,
    pub(super) due: &'a mut [Due],
    /// The probabilities of each slot's prediction.
    pub(super) probabilities: &'a mut [f64],
    /// Blocks of each pool: the waits of the jobs started last, then these waits with the worth of their priorities.
    pub(super) waits: &'a mut [u8],
    /// A ring of the last submissions.
    pub(super) arrivals: &'a mut [Arrival],
    pub(super) predictor: &'a mut [u8],
    pub(super) nodes: &'a mut [Node],
    pub(super) holdings: Holdings<'a>,
    pub(super) reservations: &'a mut [Booked],
}

/// A batch scheduler without a machine: pools, queues and jobs are reported to it, and it offers jobs to start.
///
/// The manager is right: [`Scheduler::set_job`] takes its report of a job *now*, as an event or as a row of a whole
/// listing ([`Scheduler::list_begin`]), and finds the events in between. No order of events is an error, and a report
/// repeated unchanged changes nothing. Decisions are made by a [`Cycle`](super::Cycle).
///
/// All that a decision rests on lies in the block: a sealed block is the state file. Times are whole seconds, within
/// 2^53 of any origin. They may stand still; by up to a minute they may go back, which counts as standing still, and a
/// clock that is set back further is a new time from which ages and waits go on, never negative; a cycle that is open
/// then is stale.
pub struct Scheduler<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
}

impl<'a> Object<'a> for Scheduler<'a> {
    const KIND: Kind = Kind::Scheduler;
    type Head = Sealed;
    type Capacity = SchedulerCapacity;
    type State = State;
    type Parts = Parts<'a>;

    const MARKED: usize = size_of::<SchedulerCapacity>();

    fn keep(state: &mut State, capacity: &SchedulerCapacity) {
        state.capacity = *capacity;
    }

    fn check(capacity: &SchedulerCapacity) -> Result<()> {
        capacity.check()
    }

    #[inline(always)]
    fn parts(carver: &mut Carver<'a>, capacity: &SchedulerCapacity) -> Result<Parts<'a>> {
        let jobs = capacity.jobs as usize;
        let probabilities = jobs.checked_mul(capacity.bins as usize).ok_or(Error::OutOfRange)?;
        let asks = if capacity.nodes == 0 { 0 } else { jobs };
        let (pools, queues) = (carver.take(capacity.pools as usize)?, carver.take(capacity.queues as usize)?);
        let table = Table::carve(carver, jobs)?;
        let (waits, predictor) = match carver.ends() {
            true => (0, 0),
            false => (RecentWaits::size(capacity.waits)?, capacity.predictor_size()?),
        };
        let waits = waits.checked_mul(2 * capacity.pools as usize);
        Ok(Parts {
            pools,
            queues,
            table,
            over: Ended::carve(carver, capacity.ended as usize)?,
            due: carver.take(jobs)?,
            probabilities: carver.take(probabilities)?,
            waits: carver.take(waits.ok_or(Error::OutOfRange)?)?,
            arrivals: carver.take(capacity.arrivals as usize)?,
            predictor: carver.take(predictor)?,
            nodes: carver.take(capacity.nodes as usize)?,
            holdings: Holdings::carve(carver, asks, capacity.parts as usize)?,
            reservations: carver.take(capacity.reservations as usize)?,
        })
    }

    fn capacity_in(state: &State) -> Result<SchedulerCapacity> {
        Ok(state.capacity)
    }

    #[inline(always)]
    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<Scheduler<'a>> {
        let sound = parts.over.is_sound()
            && parts.holdings.is_sound()
            && state.learnt_count as usize <= LEARNT
            && state.accuracy.is_sound()
            && state.now.unsigned_abs() <= MAX_TIME as u64
            && state.settings.check().is_ok()
            && state.bins.are(state.capacity.bins);
        if sound { Scheduler::assume(state, parts) } else { Err(Error::Corrupt) }
    }

    #[inline(always)]
    fn assume(state: &'a mut State, parts: Parts<'a>) -> Result<Scheduler<'a>> {
        if parts.table.is_sound() { Ok(Scheduler { state, parts }) } else { Err(Error::Corrupt) }
    }
}

/// The waits of started jobs in these two blocks of one size, and the same with credits.
pub(super) fn both_waits(blocks: &mut [u8]) -> Result<(RecentWaits<'_>, RecentWaits<'_>)> {
    let (own, counted) = blocks.split_at_mut_checked(blocks.len() / 2).ok_or(Error::Corrupt)?;
    Ok((RecentWaits::whole(own)?, RecentWaits::whole(counted)?))
}

lifecycle!(Scheduler);

impl<'a> Scheduler<'a> {
    /// Makes the block a checkpoint: writes its checksum, FNV-1a with 64 bits. Any later call that changes the block
    /// breaks the seal. O(size).
    ///
    /// # Errors
    /// As [`Scheduler::attach`].
    pub fn seal(memory: &mut [u8]) -> Result<()> {
        <Scheduler<'_> as Checkpoint<'_>>::seal(memory)
    }

    /// The scheduler in a checkpoint: a block as [`Scheduler::seal`] left it. It goes on as the sealed one would have,
    /// except that its next listing is not doubted whatever is missing in it: the checkpoint may be old. The block is a
    /// checkpoint still. O(size).
    ///
    /// # Errors
    /// As [`Scheduler::attach`]; [`Error::Corrupt`] also for every change since the block was sealed.
    pub fn open(memory: &'a mut [u8]) -> Result<Scheduler<'a>> {
        <Scheduler<'_> as Checkpoint<'_>>::open(&mut *memory)?.state.doubted = 1;
        Scheduler::seal(&mut *memory)?;
        Scheduler::attach(memory)
    }

    /// Bytes that a scheduler with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &SchedulerCapacity) -> Result<usize> {
        <Scheduler as Object>::size(capacity)
    }

    /// Makes a scheduler with default settings and no jobs in this memory, which may be longer than needed. O(size).
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::OutOfRange`].
    pub fn init(memory: &'a mut [u8], capacity: &SchedulerCapacity) -> Result<Scheduler<'a>> {
        let (state, parts) = Scheduler::create(memory, capacity)?;
        state.capacity = *capacity;
        let mut settings = Settings::default();
        if capacity.histories == 0 {
            settings.predictor = PredictorWord::Limit;
        }
        state.settings = RawSettings::new(&settings);
        state.doubted = 1;
        let mut scheduler = Scheduler { state, parts };
        scheduler.parts.table.clear()?;
        let size = RecentWaits::size(capacity.waits)?;
        for block in scheduler.parts.waits.chunks_exact_mut(size.max(1)) {
            RecentWaits::init(block, capacity.waits)?;
        }
        scheduler.set_default_bins()?;
        Ok(scheduler)
    }

    /// Sets the bins that a new scheduler has. Kept apart, so that they are on the stack no longer than here.
    #[inline(never)]
    fn set_default_bins(&mut self) -> Result<()> {
        let bins = bins_of(self.state.capacity.bins);
        self.set_bins(bins.as_ref().map_err(|error| *error)?)
    }

    /// Sets the bins of predicted run times, of the capacity's number; at first they are the default ones, or reach as
    /// far. O(size).
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::WrongState`] once a job has been reported.
    pub fn set_bins(&mut self, bins: &RuntimeBins) -> Result<()> {
        let capacity = self.capacity();
        if bins.count() != capacity.bins as usize {
            return Err(Error::OutOfRange);
        }
        if self.state.begun != 0 {
            return Err(Error::WrongState);
        }
        let kind = PredictorKind::Contexts;
        // The manager's listings show which jobs have left: no end gets lost, however long a job waits.
        let options = PredictorOptions { oldest_seconds: 1 << 40, ..PredictorOptions::of(kind) };
        if capacity.histories > 0 {
            Predictor::init(self.parts.predictor, &capacity.predictor(), bins, &options)?;
        }
        self.state.bins = RawBins::new(bins);
        Ok(())
    }

    /// The capacities.
    pub fn capacity(&self) -> SchedulerCapacity {
        self.state.capacity
    }

    /// The settings that are in effect.
    pub fn settings(&self) -> Settings {
        self.state.settings.settings()
    }

    /// Changes the settings named in the text: see [`Settings::changed`].
    ///
    /// # Errors
    /// [`BadWord`], and nothing is changed: also for a `predictor=` after a job was reported and for a `seed=` after a
    /// pool was.
    pub fn configure(&mut self, text: &str, prefix: &str) -> core::result::Result<(), BadWord> {
        let (old, new) = (self.settings(), self.settings().changed(text, prefix)?);
        if new.predictor != old.predictor && self.state.begun != 0 {
            return Err(BadWord::named(text, prefix, "predictor", "predictor= before the first job"));
        }
        if new.predictor != PredictorWord::Limit && self.state.capacity.histories == 0 {
            let wanted = "predictor=limit where there is no room for histories";
            return Err(BadWord::named(text, prefix, "predictor", wanted));
        }
        if new.seed != old.seed && self.parts.pools.iter().any(|pool| pool.used != 0) {
            return Err(BadWord::named(text, prefix, "seed", "seed= before the first pool"));
        }
        self.state.settings = RawSettings::new(&new);
        for pool in self.parts.pools.iter_mut() {
            (pool.losses, pool.stirred) = (pool.losses.wrapping_add(1), 1);
        }
        Ok(())
    }

    /// Sets the units of the pool of this name, and the number of idle ones; `None` if those are idle that no known job
    /// holds. Units that are neither idle nor a known job's are unaccounted, and their end is unknown. A new
    /// pool without units is one of nodes, which [`Scheduler::set_node`] describes, if there is room for nodes; a pool
    /// remains what it was first, and one of units that has none has none in service. Returns the pool's number, the
    /// same for the same name. O(pools).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for more idle than units, and for units of a pool of nodes; [`Error::Full`].
    pub fn set_pool(&mut self, name: &[u8], units: u32, idle: Option<u32>) -> Result<u32> {
        let name = hash(name);
        let number = place_of(self.parts.pools, name)?;
        let known = at(self.parts.pools, number)?;
        let of_nodes = match known.used {
            0 => units == 0 && self.state.capacity.nodes > 0,
            _ => known.of_nodes != 0,
        };
        let other = of_nodes && units != 0;
        if other || units > i32::MAX as u32 || idle.is_some_and(|idle| idle > units) {
            return Err(Error::OutOfRange);
        }
        let seed = self.settings().seed.wrapping_add(number as u64);
        let pool = at_mut(self.parts.pools, number)?;
        if pool.used == 0 {
            let (kept, of_nodes) = (KeptOrder::new(seed), u32::from(of_nodes));
            let (offsets, pauses) = ([Offsets::FIRST; 2], Pauses::from(self.state.now));
            *pool = Pool { name, used: 1, kept, offsets, pauses, of_nodes, ..Pool::zeroed() };
        }
        if of_nodes {
            return Ok(number as u32);
        }
        let before = pool.idle();
        pool.units = units;
        match idle {
            Some(idle) => pool.reported = idle + 1,
            None => (pool.reported, pool.unaccounted) = (0, 0),
        }
        let after = idle.unwrap_or(pool.idle());
        if after < before {
            pool.losses = pool.losses.wrapping_add(1);
        }
        if after > before {
            pool.changes = pool.changes.wrapping_add(1);
        }
        if after != before {
            pool.stirred = 1;
        }
        Ok(number as u32)
    }

    /// Makes a queue of this name part of this pool. Returns its number, the same for the same name; a queue that moves
    /// to another pool does not take its jobs along before they are reported again. O(queues).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`], [`Error::Full`].
    pub fn set_queue(&mut self, name: &[u8], pool: u32) -> Result<u32> {
        pools::pool(self.parts.pools, pool)?;
        let name = hash(name);
        let number = place_of(self.parts.queues, name)?;
        let queue = at_mut(self.parts.queues, number)?;
        // In another pool the queue lists no nodes.
        let listed = if queue.pool == pool { queue.listed } else { 0 };
        *queue = Queue { name, used: 1, pool, listed, reserved: 0 };
        Ok(number as u32)
    }

    /// The pool to which a queue belongs.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn pool_of_queue(&self, queue: u32) -> Result<u32> {
        pool_of(self.parts.queues, &[queue])
    }

    /// Counts of events since the block was made.
    pub fn totals(&self) -> Totals {
        self.state.totals
    }

    /// Idle units of a pool at the beginning of the next cycle.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn idle(&self, pool: u32) -> Result<u32> {
        let mut pool = *pools::pool(self.parts.pools, pool)?;
        pool.settle();
        Ok(pool.idle())
    }

    /// Numbers of jobs that wait or are held, and of jobs that hold room, in all pools.
    pub fn counts(&self) -> (usize, usize) {
        (self.parts.table.waiting().len(), self.parts.table.active().len())
    }

    /// The job of this number among those that are known, and its state: those that wait or are held in the order of
    /// their submission, then those that hold room; `None` behind the last one. The numbers hold until something is
    /// reported. O(1).
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn known_job(&self, number: usize) -> Result<Option<(i64, JobState)>> {
        let table = &self.parts.table;
        let slot = table.waiting().iter().chain(table.active()).nth(number);
        let Some(&slot) = slot else { return Ok(None) };
        let job = table.get(slot)?;
        Ok(Some((job.id, job.state())))
    }

    /// Time of the next cycle wanted, at `now` or later, and the pools that want it, a bit each, pool 0 the lowest.
    /// `None` if nothing is wanted before the next report. A cycle that has become due since a pool's last one is due
    /// now, however late the call.
    ///
    /// Waits and ages grow all the time, and a decision may change by that alone: a job that is kept back may start
    /// once another has run past its predicted end, is suspended or is past its limit. The decision is made anew at the
    /// next report, not before: where reports may be minutes apart, decide pools with idle units every few minutes.
    /// O(W).
    pub fn wake(&self, now: i64) -> Result<Option<(i64, u64)>> {
        let now = self.clock(now);
        let mut when: Option<(i64, u64)> = None;
        let mut wants = |pool: u32, time: i64| {
            let bit = 1_u64.checked_shl(pool).unwrap_or(0);
            when = match when {
                Some((earliest, _)) if time < earliest => Some((time, bit)),
                Some((earliest, bits)) if time == earliest => Some((earliest, bits | bit)),
                None => Some((time, bit)),
                later => later,
            };
        };
        for (pool, number) in self.parts.pools.iter().zip(0..) {
            if pool.used != 0 && pool.stirred != 0 {
                wants(number, now);
            }
        }
        for (number, time) in self.appointments() {
            if time > self.pool_at(number)?.decided && time < MAX_TIME {
                wants(number, time.max(now));
            }
        }
        for &slot in self.parts.table.waiting() {
            let job = self.parts.table.get(slot)?;
            let pool = self.pool_at(job.pool)?;
            let decided = pool.decided;
            let busy = if job.is_busy(pool.changes, decided) { job.busy_until } else { 0 };
            // A held job waits for the manager's next report.
            let begin = if job.state() == JobState::Held { 0 } else { job.begin };
            for time in [begin, job.refused_until, busy, job.due()] {
                // A time that has passed since the last cycle counts too.
                if time > decided && time < MAX_TIME {
                    wants(job.pool, time.max(now));
                }
            }
        }
        Ok(when)
    }

    /// The time to use: a clock that goes back by up to a minute stands still.
    pub(super) fn clock(&self, now: i64) -> i64 {
        let back = self.state.now.saturating_sub(now);
        if self.state.begun != 0 && (0..=60).contains(&back) { self.state.now } else { now }
    }

    /// The pool in which a job competes.
    pub(super) fn pool_of(&self, report: &JobReport<'_>) -> Result<u32> {
        pool_of(self.parts.queues, report.queues)
    }

    /// The waits of a pool, and those with the worth of priorities.
    pub(super) fn waits_of(&mut self, pool: u32) -> Result<(RecentWaits<'_>, RecentWaits<'_>)> {
        both_waits(self.waits_in(pool)?)
    }

    /// The blocks of the same.
    pub(super) fn waits_in(&mut self, pool: u32) -> Result<&mut [u8]> {
        let size = RecentWaits::size(self.state.capacity.waits)?;
        range_mut(self.parts.waits, 2 * size * pool as usize, 2 * size)
    }

    /// The engine's predictor; `None` if only limits count.
    pub(super) fn predictor(&mut self) -> Result<Option<Predictor<'_>>> {
        if self.state.capacity.histories == 0 || self.settings().predictor == PredictorWord::Limit {
            return Ok(None);
        }
        Predictor::whole(self.parts.predictor).map(Some).map_err(|_| Error::Corrupt)
    }

    /// The probabilities of a slot's prediction.
    pub(super) fn probabilities(&self, slot: u32) -> Result<&[f64]> {
        let bins = self.state.capacity.bins as usize;
        range(self.parts.probabilities, slot as usize * bins, bins)
    }

    pub(super) fn probabilities_mut(&mut self, slot: u32) -> Result<&mut [f64]> {
        let bins = self.state.capacity.bins as usize;
        range_mut(self.parts.probabilities, slot as usize * bins, bins)
    }

    /// The pool of this number, which a record of the block names; damaged if there is none.
    pub(super) fn pool_at(&self, pool: u32) -> Result<&Pool> {
        at(self.parts.pools, pool as usize)
    }
}
