//! Run times of like jobs: a geometric mixture of contexts.
//!
//! The bin of a job's run time is predicted like the next symbol in a data compressor of the PAQ family (Mahoney 2005):
//! a number of contexts, "like" in as many ways, give a distribution each, from recency-weighted counts that back off
//! to a wider context; a mixture in the logarithm, whose weights follow the gradient on line, makes one of them; and
//! the histogram of its probability integral transform corrects it.
//!
//! * `contexts`: the properties by which jobs are alike: user, limit, processors, the last run times of the user and of
//!   like jobs, the state of the last submission.
//! * `trail`: the record of a user's jobs that this needs.
//! * `estimate`: a distribution from counts, cut at the limit.
//! * `opinion`: the prediction for a job at its submission, and its judgement at the end.
//! * `mixer`: the mixture and its weights; `calibration`: the correction.
//! * `places`: the table of rows and trails; `lanes`: arithmetic in groups.
//!
//! The opinion at submission counts: it is kept with the job, and judged when the job ends. Jobs submitted together
//! tend to end alike, so the weight with which they are learnt from is discounted by the number of like jobs in the
//! system.

mod calibration;
mod contexts;
mod estimate;
mod lanes;
mod mixer;
mod opinion;
mod places;
mod trail;

#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::memory::{Carver, Kind, Object, at, at_mut, copy, range, range_mut};
use crate::runtime::{MAX_BINS, MAX_SECONDS, RawBins, RuntimeBins};
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};
use calibration::Calibration;
use contexts::COUNT;
use lanes::padded;
use mixer::{Mixer, SETS};
use opinion::Knowledge;
use places::{Places, key};
use trail::{Shape, Standing, Trail};

/// Keys of a job: user, limit, processors.
pub const KEYS: usize = 3;

/// The largest numbers of jobs and of histories.
const MOST: u32 = 1 << 24;

/// Keys of the trails: a user's, one limit's, one size's; and of the user's weights.
const TRAILS: i64 = -2;

/// Initial count of every distance beyond the limit's bin.
const FIRST_DISTANCE: f64 = 0.1;

/// Capacities of a [`ContextMixture`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ContextCapacity {
    /// Bins of the run times (2 to [`MAX_BINS`]).
    pub bins: u32,
    /// Number of jobs in the system, at most (1 to 2^24).
    pub jobs: u32,
    /// Number of histories kept (1 to 2^24): rows of counts, one for each context and combination of values. Those not
    /// written to for longest leave. An eighth of that number of users and kinds of their jobs is remembered, and the
    /// weights of a 32nd of it.
    pub histories: u32,
    /// 0.
    pub reserved: u32,
}

impl Default for ContextCapacity {
    /// 24 bins, 4,096 jobs, 65,536 histories.
    fn default() -> ContextCapacity {
        ContextCapacity { bins: 24, jobs: 4096, histories: 1 << 16, reserved: 0 }
    }
}

impl ContextCapacity {
    fn check(&self) -> Result<()> {
        let valid = (2..=MAX_BINS).contains(&(self.bins as usize))
            && (1..=MOST).contains(&self.jobs)
            && (1..=MOST).contains(&self.histories)
            && self.reserved == 0;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    fn trails(&self) -> u32 {
        self.histories.div_ceil(8)
    }

    fn users(&self) -> u32 {
        self.histories.div_ceil(32)
    }

    fn stride(&self) -> usize {
        padded(self.bins as usize)
    }

    /// Number of records of jobs: one more, for jobs that are only learnt from.
    fn records(&self) -> usize {
        self.jobs as usize + 1
    }
}

/// The scalars.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    capacity: ContextCapacity,
    bins: RawBins,
    calibration: Calibration,
    /// Counts of jobs by the distance, in bins, at which they ended beyond their limit's bin; jobs that did not are not
    /// counted.
    distances: [f64; MAX_BINS],
    /// Number of jobs that ended, and of those beyond their limit's bin.
    finished: f64,
    beyond: f64,
    /// Number of submissions, which numbers the jobs.
    submitted: u64,
    /// Number of writes, the time stamp of the tables.
    written: u32,
    padding: u32,
}

/// A job in the system.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Held {
    /// Its number, 0 for a free record.
    number: u64,
    user: i64,
    limit: i64,
    processors: i64,
    started: i64,
    /// Its rows.
    keys: [u64; COUNT],
    sets: [u32; SETS],
    limit_bin: u32,
    /// Bins that its relative contexts count from, by [`contexts::Reference`].
    references: [u32; REFERENCES],
    running: u32,
    /// Kind of the states of the last submissions, and of the last changes of run time, as the mixture's sets number
    /// them.
    standing: u32,
    change: u32,
    /// Weight with which it is learnt from.
    counts: f32,
    /// Whether it is given up: its trails count it no more.
    given_up: u32,
    levels: [u8; COUNT],
    padding: [u8; 5],
}

/// Kinds of [`contexts::Reference`].
const REFERENCES: usize = 4;

impl Held {
    /// Whether an opinion of this job rests on the same as one of the other.
    fn asks_as(&self, other: &Held) -> bool {
        let of = |held: &Held| {
            (held.user, held.limit, held.limit_bin, held.standing, held.change, held.references, held.keys)
        };
        of(self) == of(other)
    }

    fn standing(&self, now: i64, bins: &RawBins) -> Standing {
        if self.given_up != 0 {
            return Standing::Unknown;
        }
        if self.running == 0 {
            return Standing::Queued;
        }
        Standing::Running(bins.bin_of(now.saturating_sub(self.started) as f64))
    }
}

/// The tables.
pub(crate) struct Tables<'a> {
    jobs: &'a mut [Held],
    /// Estimates of the contexts for each job, in bytes.
    bytes: &'a mut [u8],
    /// The mixture's probabilities for each job.
    said: &'a mut [f32],
    histories: Places<'a>,
    counts: &'a mut [f32],
    kinds: Places<'a>,
    trails: &'a mut [Trail],
    users: Places<'a>,
    weights: &'a mut [f32],
    mixer: Mixer<'a>,
}

/// Predicts run times from those of like jobs that have ended.
///
/// A job is known by three keys: user, time limit in seconds (0 or below, or [`MAX_SECONDS`] or more, for none) and
/// processors. Jobs lie in records that the caller numbers, from 0, below the capacity. Report each job:
/// [`ContextMixture::submit`], [`ContextMixture::start`], then [`ContextMixture::end`] or [`ContextMixture::cancel`].
///
/// No bin has probability 0. A limit may be passed: the bins beyond its bin have the probability with which like jobs
/// ended there.
///
/// The memory needed is [`ContextMixture::size`]. With N bins rounded up to a multiple of 8, J jobs and H histories it
/// is about H (4 N + 23) + J (35 N + 384) + 2,000 (N + 125) bytes: 13 MB for the default.
pub struct ContextMixture<'a> {
    state: &'a mut State,
    tables: Tables<'a>,
}

/// A job and the prediction for it.
struct Opinion<'o> {
    held: &'o mut Held,
    bytes: &'o mut [u8],
    said: &'o mut [f32],
}

impl<'a> Object<'a> for ContextMixture<'a> {
    const KIND: Kind = Kind::Contexts;
    type Head = Sealed;
    type Capacity = ContextCapacity;
    type State = State;
    type Parts = Tables<'a>;

    #[inline(always)]
    fn parts(carver: &mut Carver<'a>, capacity: &ContextCapacity) -> Result<Tables<'a>> {
        capacity.check()?;
        let (stride, records) = (capacity.stride(), capacity.records());
        let numbers = |count: usize, each: usize| count.checked_mul(each).ok_or(Error::OutOfRange);
        let jobs = carver.take(records)?;
        let said = carver.take(numbers(records, stride)?)?;
        let bytes = carver.take(numbers(records, COUNT * stride)?)?;
        let histories = Places::carve(carver, capacity.histories)?;
        let counts = carver.take(numbers(Places::count(capacity.histories), stride)?)?;
        let kinds = Places::carve(carver, capacity.trails())?;
        let trails = carver.take(Places::count(capacity.trails()))?;
        let users = Places::carve(carver, capacity.users())?;
        let weights = carver.take(numbers(Places::count(capacity.users()), COUNT)?)?;
        let mixer = Mixer::carve(carver, capacity.bins as usize)?;
        Ok(Tables { jobs, bytes, said, histories, counts, kinds, trails, users, weights, mixer })
    }

    fn capacity_in(state: &State) -> Result<ContextCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, tables: Tables<'a>) -> Result<ContextMixture<'a>> {
        // Nothing but a run time's bin is asked of them.
        let sound = state.bins.number(state.capacity.bins);
        if sound { Ok(ContextMixture { state, tables }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(ContextMixture, checkpoint);

impl<'a> ContextMixture<'a> {
    /// Bytes that a mixture with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: &ContextCapacity) -> Result<usize> {
        <ContextMixture as Object>::size(capacity)
    }

    /// Makes an empty mixture in this memory, which may be longer than needed. The whole block is written, so that a
    /// sealed block is the same for the same calls.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`]; [`Error::OutOfRange`], also for another number of bins than the
    /// capacity's.
    pub fn init(
        memory: &'a mut [u8],
        capacity: &ContextCapacity,
        bins: &RuntimeBins,
    ) -> Result<ContextMixture<'a>> {
        capacity.check()?;
        if bins.count() != capacity.bins as usize {
            return Err(Error::OutOfRange);
        }
        let (state, mut tables) = ContextMixture::create(memory, capacity)?;
        tables.mixer.clear();
        // All else is zeros; a state made beside it would be copied.
        state.capacity = *capacity;
        state.bins = RawBins::new(bins);
        state.calibration = Calibration::new();
        state.distances.fill(FIRST_DISTANCE);
        Ok(ContextMixture { state, tables })
    }

    /// Copies another mixture, which has room for fewer jobs and else the same capacity. O(size).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless that is so.
    pub(crate) fn continue_from(&mut self, other: &ContextMixture<'_>) -> Result<()> {
        let capacity = self.state.capacity;
        let jobs = capacity.jobs;
        let same = ContextCapacity { jobs, ..other.state.capacity } == capacity;
        if !same || jobs < other.state.capacity.jobs {
            return Err(Error::OutOfRange);
        }
        *self.state = *other.state;
        self.state.capacity = capacity;
        let (to, from) = (&mut self.tables, &other.tables);
        let records = other.state.capacity.jobs as usize;
        // The record behind the last job's is scratch.
        copy(to.jobs, from.jobs.get(..records).ok_or(Error::Corrupt)?);
        copy(to.bytes, from.bytes);
        copy(to.said, from.said);
        to.histories.continue_from(&from.histories);
        copy(to.counts, from.counts);
        to.kinds.continue_from(&from.kinds);
        copy(to.trails, from.trails);
        to.users.continue_from(&from.users);
        copy(to.weights, from.weights);
        to.mixer.continue_from(&from.mixer);
        Ok(())
    }

    /// The capacities.
    pub fn capacity(&self) -> &ContextCapacity {
        &self.state.capacity
    }

    /// Number of jobs learnt from.
    pub fn finished(&self) -> u64 {
        self.state.finished as u64
    }

    /// Predicts the run time of a job with these keys (user, limit, processors), submitted at this time: writes a
    /// probability for each bin, and returns true; false, with nothing written, before any job has ended. O(contexts x
    /// bins).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are three keys and as many probabilities as bins.
    pub fn predict(&self, keys: &[i64], now: i64, out: &mut [f64]) -> Result<bool> {
        self.check(keys, out)?;
        let mut held = Held::zeroed();
        self.look(keys, now, &mut held)?;
        self.ask(&mut held, out)
    }

    /// Predicts the run time of the job in this record anew: by the contexts of its submission, with the counts and
    /// weights learnt since. Writes and returns as [`ContextMixture::predict`]. O(contexts x bins).
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::OutOfRange`] unless there are as many probabilities as bins.
    pub fn predict_job(&self, record: u32, out: &mut [f64]) -> Result<bool> {
        let job = self.tables.jobs.get(record as usize).filter(|job| job.number != 0);
        let mut held = *job.ok_or(Error::UnknownJob)?;
        if out.len() != self.state.capacity.bins as usize {
            return Err(Error::OutOfRange);
        }
        self.ask(&mut held, out)
    }

    /// Whether the jobs in these two records have the same contexts, so that [`ContextMixture::predict_job`] predicts
    /// the same for both at any time. O(contexts).
    ///
    /// # Errors
    /// [`Error::UnknownJob`].
    pub fn are_alike(&self, record: u32, other: u32) -> Result<bool> {
        let job = |record: u32| {
            let job = self.tables.jobs.get(record as usize).filter(|job| job.number != 0);
            job.ok_or(Error::UnknownJob)
        };
        Ok(job(record)?.asks_as(job(other)?))
    }

    fn knowledge(&self) -> Knowledge<'_> {
        let Tables { histories, counts, users, weights, mixer, .. } = &self.tables;
        Knowledge { state: self.state, histories, counts, users, weights, mixer }
    }

    /// Predicts for a job whose contexts are determined.
    fn ask(&self, held: &mut Held, out: &mut [f64]) -> Result<bool> {
        if self.state.capacity.stride() <= 24 {
            self.ask_of::<24>(held, out)
        } else {
            self.ask_of::<MAX_BINS>(held, out)
        }
    }

    /// The same with room for this number of bins. Kept apart, so that few bins do not take the stack of many.
    #[inline(never)]
    fn ask_of<const N: usize>(&self, held: &mut Held, out: &mut [f64]) -> Result<bool> {
        let (mut bytes, mut said) = ([[0; N]; COUNT], [0.0; N]);
        let opinion = Opinion { held, bytes: bytes.as_flattened_mut(), said: &mut said };
        self.knowledge().opine(opinion)?;
        self.knowledge().write(held, &said, out)
    }

    /// Records that a job with these keys was submitted, and lies in this record. Predicts as
    /// [`ContextMixture::predict`] does, and keeps the prediction until the job ends. O(contexts x bins).
    ///
    /// # Errors
    /// As [`ContextMixture::predict`]; [`Error::OutOfRange`] also beyond the capacity, [`Error::DuplicateJob`] when the
    /// record is taken.
    pub fn submit(&mut self, record: u32, keys: &[i64], now: i64, out: &mut [f64]) -> Result<bool> {
        if record >= self.state.capacity.jobs {
            return Err(Error::OutOfRange);
        }
        self.check(keys, out)?;
        if at(self.tables.jobs, record as usize)?.number != 0 {
            return Err(Error::DuplicateJob);
        }
        self.enter(record, keys, now)?;
        let stride = self.state.capacity.stride();
        let said = range(self.tables.said, record as usize * stride, stride)?;
        self.knowledge().write(at(self.tables.jobs, record as usize)?, said, out)
    }

    /// Records that the job in this record was started. O(1).
    ///
    /// # Errors
    /// [`Error::UnknownJob`], [`Error::AlreadyStarted`].
    pub fn start(&mut self, record: u32, now: i64) -> Result<()> {
        let job = self.tables.jobs.get_mut(record as usize).filter(|job| job.number != 0);
        let job = job.ok_or(Error::UnknownJob)?;
        if job.running != 0 {
            return Err(Error::AlreadyStarted);
        }
        (job.running, job.started) = (1, now);
        Ok(())
    }

    /// Records that the job in this record, started or not, ended after this run time in seconds; its record is free.
    /// O(contexts x bins).
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::OutOfRange`] for a run time outside 0 to [`MAX_SECONDS`].
    pub fn end(&mut self, record: u32, run_time: i64, now: i64) -> Result<()> {
        if !(0..=MAX_SECONDS).contains(&run_time) {
            return Err(Error::OutOfRange);
        }
        let job = *self.tables.jobs.get(record as usize).ok_or(Error::UnknownJob)?;
        if job.number == 0 {
            return Err(Error::UnknownJob);
        }
        self.judge(record, &job, run_time)?;
        let bins = &self.state.bins;
        let bin = bins.bin_of(run_time as f64);
        let place = self.place(bin, run_time);
        let shape = Shape { limit: job.limit, processors: job.processors };
        self.follow(&job, |trail| {
            trail.end(job.number, now, bin, place, shape);
            if job.given_up == 0 {
                trail.leave();
            }
        })?;
        at_mut(self.tables.jobs, record as usize)?.number = 0;
        Ok(())
    }

    /// Records that the job in this record left without having run to its end; nothing is learnt from it, and its
    /// record is free. O(1).
    ///
    /// # Errors
    /// [`Error::UnknownJob`].
    pub fn cancel(&mut self, record: u32) -> Result<()> {
        let job = *self.tables.jobs.get(record as usize).ok_or(Error::UnknownJob)?;
        if job.number == 0 {
            return Err(Error::UnknownJob);
        }
        if job.given_up == 0 {
            self.follow(&job, Trail::leave)?;
        }
        at_mut(self.tables.jobs, record as usize)?.number = 0;
        Ok(())
    }

    /// Gives up the job in this record, which may never end: it no longer counts as in the system with like jobs. It
    /// may still end, and is learnt from then. O(1).
    ///
    /// # Errors
    /// [`Error::UnknownJob`].
    pub fn give_up(&mut self, record: u32) -> Result<()> {
        let job = *self.tables.jobs.get(record as usize).ok_or(Error::UnknownJob)?;
        if job.number == 0 {
            return Err(Error::UnknownJob);
        }
        if job.given_up == 0 {
            self.follow(&job, Trail::leave)?;
        }
        at_mut(self.tables.jobs, record as usize)?.given_up = 1;
        Ok(())
    }

    /// Takes up the job in this record again, which was given up wrongly. O(1).
    ///
    /// # Errors
    /// [`Error::UnknownJob`].
    pub fn take_up(&mut self, record: u32) -> Result<()> {
        let job = *self.tables.jobs.get(record as usize).ok_or(Error::UnknownJob)?;
        if job.number == 0 || job.given_up == 0 {
            return Err(Error::UnknownJob);
        }
        self.follow(&job, Trail::come_back)?;
        at_mut(self.tables.jobs, record as usize)?.given_up = 0;
        Ok(())
    }

    /// Sets the clock back to `now`: later events count as having happened now. O(jobs + histories).
    pub fn move_back(&mut self, now: i64) {
        for job in self.tables.jobs.iter_mut() {
            job.started = job.started.min(now);
        }
        for trail in self.tables.trails.iter_mut() {
            trail.move_back(now);
        }
    }

    /// Learns from a job with these keys, never reported, that ended at this time after `run_time` seconds: for jobs
    /// known from a history. O(contexts x bins).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a run time outside 0 to [`MAX_SECONDS`], or unless there are three keys.
    pub fn learn(&mut self, keys: &[i64], run_time: i64, now: i64) -> Result<()> {
        self.check_keys(keys)?;
        if !(0..=MAX_SECONDS).contains(&run_time) {
            return Err(Error::OutOfRange);
        }
        let record = self.state.capacity.jobs;
        self.enter(record, keys, now.saturating_sub(run_time))?;
        self.end(record, run_time, now)
    }

    pub(super) fn check_keys(&self, keys: &[i64]) -> Result<()> {
        if keys.len() == KEYS { Ok(()) } else { Err(Error::OutOfRange) }
    }

    fn check(&self, keys: &[i64], out: &[f64]) -> Result<()> {
        let valid = keys.len() == KEYS && out.len() == self.state.capacity.bins as usize;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    /// Puts a job into a free record.
    fn enter(&mut self, record: u32, keys: &[i64], now: i64) -> Result<()> {
        let stride = self.state.capacity.stride();
        let mut held = Held::zeroed();
        self.look(keys, now, &mut held)?;
        let Tables { said, bytes, histories, counts, users, weights, mixer, .. } = &mut self.tables;
        let known = Knowledge { state: self.state, histories, counts, users, weights, mixer };
        let said = range_mut(said, record as usize * stride, stride)?;
        let bytes = range_mut(bytes, record as usize * stride * COUNT, stride * COUNT)?;
        let opinion = Opinion { held: &mut held, bytes, said };
        known.opine(opinion)?;
        self.state.submitted = self.state.submitted.wrapping_add(1).max(1);
        held.number = self.state.submitted;
        *at_mut(self.tables.jobs, record as usize)? = held;
        let shape = Shape { limit: held.limit, processors: held.processors };
        self.follow(&held, |trail| trail.submit(record, held.number, shape))
    }

    /// Changes a job's three trails, made if there are none.
    fn follow(&mut self, job: &Held, mut change: impl FnMut(&mut Trail)) -> Result<()> {
        for key in trails(job.user, job.limit, job.processors) {
            self.state.written = self.state.written.wrapping_add(1);
            let (place, fresh) = self.tables.kinds.claim(key, self.state.written)?;
            let trail = at_mut(self.tables.trails, place)?;
            if fresh {
                *trail = Trail::zeroed();
            }
            change(trail);
        }
        Ok(())
    }

    /// The third of its bin in which a run time lies, in the logarithm; 3 in the first and the last.
    fn place(&self, bin: usize, run_time: i64) -> i32 {
        self.state.bins.share(bin, run_time as f64).map_or(3, |share| ((share * 3.0) as i32).min(2))
    }
}

/// Keys of a job's trails.
fn trails(user: i64, limit: i64, processors: i64) -> [u64; 3] {
    [key(&[TRAILS, user]), key(&[TRAILS, user, limit]), key(&[TRAILS, user, limit, processors])]
}
