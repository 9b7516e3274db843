//! One scenario after the other, instant by instant.
//!
//! At each instant the jobs whose drawn run time is over end, those submitted then join the queue, and the policy makes
//! one pass. All ends of one second are one instant, as in the scheduling pass.

use crate::error::{Error, Result};
use crate::forecast::draw::Draws;
use crate::forecast::object::{
    AWAY, DONE, End, FILLING, Forecast, HOLDING, LATEST, NEVER, PLAYING, Planned, Queued, STARTED, Scene,
    WAITING,
};
use crate::forecast::profile::Profile;
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};

/// Progress of [`Forecast::run`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The work allowed is used up: call again to go on.
    More,
    /// Every scenario is played: the answers can be read.
    Done,
}

/// The machine on which scenarios are played; the forecast itself keeps the times.
pub(crate) trait Machine {
    /// Whether its passes need the queue and the candidates in lists.
    const LISTS: bool;

    /// Begins a scenario with the running jobs in place. Returns the steps of work.
    fn open(&mut self) -> Result<u64>;

    /// Ends a job: a running one by its number, a waiting one by its number behind the capacity of running jobs.
    /// Returns the steps of work.
    fn end(&mut self, place: usize) -> Result<u64>;

    /// Makes one pass of the policy. Returns the steps of work.
    fn pass(&mut self, forecast: &mut Forecast<'_>) -> Result<u64>;
}

/// Processors, which the forecast counts itself.
struct Processors;

impl Machine for Processors {
    const LISTS: bool = false;

    fn open(&mut self) -> Result<u64> {
        Ok(0)
    }

    fn end(&mut self, _: usize) -> Result<u64> {
        Ok(0)
    }

    fn pass(&mut self, forecast: &mut Forecast<'_>) -> Result<u64> {
        forecast.pass()
    }
}

impl Forecast<'_> {
    /// Plays scenarios until all are played, or about `work` steps are done: a step is an event, a job looked at, or a
    /// step of a profile. One instant of a scenario is never interrupted. The answers do not depend on `work`.
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`Forecast::begin`]; [`Error::OutOfRange`] for no work.
    pub fn run(&mut self, work: u64) -> Result<Progress> {
        self.run_on(&mut Processors, work)
    }

    /// [`Forecast::run`] on a machine.
    pub(crate) fn run_on<M: Machine>(&mut self, machine: &mut M, work: u64) -> Result<Progress> {
        if work == 0 {
            return Err(Error::OutOfRange);
        }
        match self.state.phase {
            FILLING => self.prepare(M::LISTS)?,
            PLAYING => (),
            DONE => return Ok(Progress::Done),
            _ => return Err(Error::WrongState),
        }
        let mut done = 0u64;
        while self.state.played < self.state.options.scenarios {
            if self.state.scene.open == 0 {
                done += self.open(M::LISTS)? + machine.open()?;
            } else {
                done += self.advance(machine)?;
            }
            done += machine.pass(self)?;
            if self.state.scene.left == 0 {
                self.state.scene.open = 0;
                self.state.played += 1;
            }
            if done >= work {
                return Ok(Progress::More);
            }
        }
        let scenarios = self.state.options.scenarios as usize;
        while self.state.sorted < self.state.waiting {
            let job = self.state.sorted as usize;
            heap::sort(range_mut(self.parts.starts, job * scenarios, scenarios)?)?;
            self.state.sorted += 1;
            done += 10 * scenarios as u64;
            if done >= work && self.state.sorted < self.state.waiting {
                return Ok(Progress::More);
            }
        }
        self.state.phase = DONE;
        Ok(Progress::Done)
    }

    /// Prepares what all scenarios share: the orders of candidates and of submissions.
    fn prepare(&mut self, listed: bool) -> Result<()> {
        let (state, parts) = (&mut *self.state, &mut self.parts);
        let first = state.capacity.running as usize;
        let (mut ranked, mut arrivals) = (0, 0);
        for job in 0..state.waiting {
            let known = at(parts.jobs, first + job as usize)?;
            let processors = known.processors;
            // Wider than all idle and running processors: it cannot start before processors come back.
            if processors > state.idle.saturating_add(state.busy) {
                continue;
            }
            *at_mut(parts.ranked, ranked)? = End { time: known.median, job, processors };
            ranked += 1;
            if known.submit > 0 {
                *at_mut(parts.arrivals, arrivals)? = End { time: known.submit, job, processors };
                arrivals += 1;
            }
        }
        heap::sort(range_mut(parts.ranked, 0, ranked)?)?;
        heap::sort(range_mut(parts.arrivals, 0, arrivals)?)?;
        state.scene.able = ranked as u32;
        state.arrivals = arrivals as u32;
        state.phase = PLAYING;
        if listed { Ok(()) } else { self.lay_out() }
    }

    /// The queue entry of a waiting job, with the run time that the policy plans.
    pub(super) fn queued(&self, job: u32) -> Result<Queued> {
        let known = at(self.parts.jobs, self.state.capacity.running as usize + job as usize)?;
        let planned = if self.state.options.by_medians() { known.median } else { known.limit };
        Ok(Queued { value: 0.0, planned, job, processors: known.processors })
    }

    /// A run time for the job at this place of the jobs, drawn for the present scenario.
    fn drawn(&self, place: usize) -> Result<i64> {
        let options = &self.state.options;
        let job = at(self.parts.jobs, place)?;
        let room = self.state.capacity.releases_per_job();
        let releases = range(self.parts.releases, place * room, job.releases as usize)?;
        // Numbered so that the draws do not depend on the capacity.
        let running = self.state.capacity.running as usize;
        let number = place.checked_sub(running).map_or(place as u64, |waiting| 1 << 32 | waiting as u64);
        let uniform = Draws::new(options.seed, number, options.scenarios).uniform(self.state.played);
        let index = releases.partition_point(|release| release.probability <= uniform);
        // Rounding may leave the sum a hair below 1.
        Ok(at(releases, index.min(releases.len().saturating_sub(1)))?.after)
    }

    /// Begins a scenario.
    fn open(&mut self, listed: bool) -> Result<u64> {
        let able = self.state.scene.able;
        let running = self.state.running as usize;
        for place in 0..running {
            let (drawn, job) = (self.drawn(place)?, *at(self.parts.jobs, place)?);
            let end = if self.state.options.by_medians() { job.median } else { job.limit };
            let entry = |time| End { time, job: place as u32, processors: job.processors };
            *at_mut(self.parts.planned, place)? = Planned { end, limit: job.limit };
            *at_mut(self.parts.plans, place)? = entry(end);
            heap::push(range_mut(self.parts.ends, 0, place + 1)?, entry(drawn))?;
        }
        heap::sort(range_mut(self.parts.plans, 0, running)?)?;
        self.state.scene = Scene {
            open: 1,
            free: self.state.idle,
            running: running as u32,
            left: able,
            listed: u32::from(listed),
            able,
            ..bytemuck::Zeroable::zeroed()
        };
        let (scenarios, played) = (self.state.options.scenarios as usize, self.state.played as usize);
        let first = self.state.capacity.running as usize;
        let all = self.state.idle.saturating_add(self.state.busy);
        let (mut queued, mut candidates) = (0, 0);
        for job in 0..self.state.waiting {
            let entry = self.queued(job)?;
            *at_mut(self.parts.starts, job as usize * scenarios + played)? = NEVER;
            let here = at(self.parts.jobs, first + job as usize)?.submit <= 0 && entry.processors <= all;
            *at_mut(self.parts.status, job as usize)? = if here { WAITING } else { AWAY };
            if here && listed {
                *at_mut(self.parts.queue, queued)? = entry;
                queued += 1;
            }
        }
        if !listed {
            self.grow()?;
        } else if self.state.options.own_candidates() {
            for place in 0..able as usize {
                let job = at(self.parts.ranked, place)?.job;
                if *at(self.parts.status, job as usize)? == WAITING {
                    *at_mut(self.parts.candidates, candidates)? = self.queued(job)?;
                    candidates += 1;
                }
            }
        }
        self.state.scene.queued = queued as u32;
        Ok(3 * running as u64 + 2 * u64::from(self.state.waiting))
    }

    /// Goes on to the next instant: ends and submissions.
    fn advance(&mut self, machine: &mut impl Machine) -> Result<u64> {
        let mut done = 1;
        let scene = self.state.scene;
        let end = range(self.parts.ends, 0, scene.running as usize)?.first().map(|end| end.time);
        let arrivals = range(self.parts.arrivals, 0, self.state.arrivals as usize)?;
        let arrival = arrivals.get(scene.arrived as usize).map(|arrival| arrival.time);
        let time = end.into_iter().chain(arrival).min();
        let time = time.filter(|&time| time > scene.time && time <= LATEST);
        let time = time.ok_or(Error::Corrupt)?;
        self.state.scene.time = time;
        loop {
            let running = self.state.scene.running as usize;
            let ends = range_mut(self.parts.ends, 0, running)?;
            if ends.first().is_none_or(|end| end.time > time) {
                break;
            }
            let ended = heap::pop(ends)?;
            let plan = End { time: at(self.parts.planned, ended.job as usize)?.end, ..ended };
            let plans = range_mut(self.parts.plans, 0, running)?;
            let place = plans.partition_point(|other| *other < plan);
            heap::remove(plans, place);
            // The entries behind it moved up.
            done += running.saturating_sub(place) as u64;
            let scene = &mut self.state.scene;
            scene.running = scene.running.checked_sub(1).ok_or(Error::Corrupt)?;
            scene.free = scene.free.checked_add(ended.processors).ok_or(Error::Corrupt)?;
            done += 1 + machine.end(ended.job as usize)?;
        }
        while let Some(arrival) = range(self.parts.arrivals, 0, self.state.arrivals as usize)?
            .get(self.state.scene.arrived as usize)
            .filter(|arrival| arrival.time <= time)
        {
            let job = arrival.job;
            self.state.scene.arrived += 1;
            done += 1 + self.arrive(job)?;
        }
        Ok(done)
    }

    /// Adds a job to the queue: in a list in the place in which it was added; where priorities rule, at the end, until
    /// the next pass. Returns the number of steps.
    fn arrive(&mut self, job: u32) -> Result<u64> {
        if self.state.scene.listed == 0 {
            return self.change(job, WAITING).map(|()| 1);
        }
        *at_mut(self.parts.status, job as usize)? = WAITING;
        let entry = self.queued(job)?;
        let queued = self.state.scene.queued as usize;
        let ordered = self.state.options.queue_ordered();
        let queue = range_mut(self.parts.queue, 0, queued + 1)?;
        let before = |other: &Queued| ordered || other.job <= job;
        let place = queue.get(..queued).map_or(0, |queue| queue.partition_point(before));
        heap::insert(queue, place, entry);
        let mut moved = queued - place;
        if self.state.options.by_priority() {
            *at_mut(self.parts.candidates, queued)? = entry;
        }
        if self.state.options.shortest_first() {
            let first = self.state.capacity.running as usize;
            let jobs = &*self.parts.jobs;
            let rank = |job: u32| at(jobs, first + job as usize).map(|known| (known.median, job));
            let mine = rank(job)?;
            let candidates = range_mut(self.parts.candidates, 0, queued + 1)?;
            let before = |other: &Queued| rank(other.job).is_ok_and(|other| other <= mine);
            let place = candidates.get(..queued).map_or(0, |candidates| candidates.partition_point(before));
            heap::insert(candidates, place, entry);
            moved += queued - place;
        }
        self.state.scene.queued += 1;
        Ok(moved as u64)
    }

    /// Makes one pass of the policy.
    fn pass(&mut self) -> Result<u64> {
        if self.state.scene.free < self.narrowest()?.max(1) {
            return Ok(1);
        }
        let mut done = 1;
        let by_queue = self.by_queue();
        // Jobs start from the head of the queue as long as they fit.
        let head = loop {
            let Some(head) = self.first(&by_queue, |_, _| true, &mut done)? else { return Ok(done) };
            if head.processors > self.state.scene.free {
                break head;
            }
            self.start(head)?;
        };
        let open = self.state.scene.free > 0;
        if let Some(reservations) = self.state.options.reservations().filter(|_| open) {
            done += if self.state.options.by_medians() { self.renew()? } else { 0 };
            done += match reservations {
                0 | 1 => self.backfill(&head, reservations == 1)?,
                _ => self.reserve(reservations)?,
            };
        }
        Ok(done)
    }

    /// Starts a queued job now.
    pub(crate) fn start(&mut self, entry: Queued) -> Result<()> {
        let Queued { planned, job, processors, .. } = entry;
        let place = self.state.capacity.running as usize + job as usize;
        let (drawn, limit) = (self.drawn(place)?, at(self.parts.jobs, place)?.limit);
        let scene = &mut self.state.scene;
        let time = scene.time;
        scene.free = scene.free.checked_sub(processors).ok_or(Error::Corrupt)?;
        scene.left = scene.left.checked_sub(1).ok_or(Error::Corrupt)?;
        let running = scene.running as usize;
        scene.running += 1;
        let entry = |time| End { time, job: place as u32, processors };
        heap::push(range_mut(self.parts.ends, 0, running + 1)?, entry(time.saturating_add(drawn)))?;
        let end = time.saturating_add(planned);
        *at_mut(self.parts.planned, place)? = Planned { end, limit: time.saturating_add(limit) };
        self.plan(running, entry(end))?;
        match self.state.scene.listed {
            0 => self.change(job, STARTED)?,
            _ => *at_mut(self.parts.status, job as usize)? = STARTED,
        }
        let (scenarios, played) = (self.state.options.scenarios as usize, self.state.played as usize);
        *at_mut(self.parts.starts, job as usize * scenarios + played)? = time;
        Ok(())
    }

    /// Enters a planned end among `count` others.
    fn plan(&mut self, count: usize, plan: End) -> Result<()> {
        let plans = range_mut(self.parts.plans, 0, count + 1)?;
        let place = plans.iter().take(count).rposition(|other| *other < plan).map_or(0, |before| before + 1);
        heap::insert(plans, place, plan);
        Ok(())
    }

    /// Plans jobs that have outlived their median to end at their limit.
    pub(crate) fn renew(&mut self) -> Result<u64> {
        let time = self.state.scene.time;
        let running = self.state.scene.running as usize;
        let mut done = 0;
        while let Some(&outlived) =
            range(self.parts.plans, 0, running)?.first().filter(|plan| plan.time <= time)
        {
            let planned = at_mut(self.parts.planned, outlived.job as usize)?;
            planned.end = planned.limit.max(time + 1);
            let plan = End { time: planned.end, ..outlived };
            heap::remove(range_mut(self.parts.plans, 0, running)?, 0);
            self.plan(running.saturating_sub(1), plan)?;
            done += 1;
        }
        Ok(done)
    }

    /// The job at this place of the order in which candidates are tried.
    pub(crate) fn candidate(&self, place: usize) -> Result<Option<Queued>> {
        let list =
            if self.state.options.own_candidates() { &self.parts.candidates } else { &self.parts.queue };
        Ok(range(list, 0, self.state.scene.queued as usize)?.get(place).copied())
    }

    /// The queued job at this place of the queue.
    pub(crate) fn in_queue(&self, place: usize) -> Result<Option<Queued>> {
        Ok(range(self.parts.queue, 0, self.state.scene.queued as usize)?.get(place).copied())
    }

    /// Whether a waiting job has not been started in the present scenario.
    pub(crate) fn waits(&self, job: u32) -> Result<bool> {
        Ok(*at(self.parts.status, job as usize)? == WAITING)
    }

    /// EASY (Lifka 1995; Mu'alem & Feitelson 2001), or list scheduling when the blocked head job has no reservation:
    /// starts the jobs that are planned to end by the head's start, or later within the slack, or that leave it enough
    /// processors then. A job passed over fits no better after others have started, so that the first of those that
    /// may start is the next of all.
    fn backfill(&mut self, head: &Queued, reserved: bool) -> Result<u64> {
        let slack = self.state.options.slack;
        let Scene { time, free, running, .. } = self.state.scene;
        let (mut shadow, mut extra) = (i64::MAX, 0);
        let mut done = 0;
        if reserved {
            let mut available = free;
            shadow = time;
            for plan in range(self.parts.plans, 0, running as usize)? {
                if available >= head.processors && plan.time > shadow {
                    break;
                }
                available = available.checked_add(plan.processors).ok_or(Error::Corrupt)?;
                shadow = plan.time;
                done += 1;
            }
            extra = available.checked_sub(head.processors).ok_or(Error::Corrupt)?;
        }
        let rest = shadow.saturating_sub(time);
        let late = |planned: i64| planned.saturating_sub(rest);
        let by_order = self.by_candidates();
        while self.state.scene.free > 0 {
            let free = self.state.scene.free;
            let allowed = |processors: u32, planned: i64| {
                let late = late(planned);
                processors <= free
                    && (late <= 0 || processors <= extra || (late as f64) < slack * rest as f64)
            };
            let Some(entry) = self.first(&by_order, allowed, &mut done)? else { break };
            self.start(entry)?;
            if late(entry.planned) > 0 && entry.processors <= extra {
                extra -= entry.processors;
            }
        }
        Ok(done)
    }

    /// Backfilling with several reservations: each of the first waiting jobs that cannot start holds the earliest hole
    /// in the plan, in the order of the queue; jobs that fit around them start.
    fn reserve(&mut self, reservations: u32) -> Result<u64> {
        let Scene { time, free, running, .. } = self.state.scene;
        // The profile borrows the steps while jobs start: it is taken out and put back.
        let steps = core::mem::take(&mut self.parts.steps);
        let plans = range(self.parts.plans, 0, running as usize)?.iter();
        let mut profile = Profile::new(steps, time, free, plans.map(|plan| (plan.time, plan.processors)))?;
        let mut done = u64::from(running);
        let mut held = 0;
        let by_queue = self.by_queue();
        while held < reservations {
            let Some(entry) = self.first(&by_queue, |_, _| true, &mut done)? else { break };
            // All running jobs end at last, and no job here is wider than the machine.
            let start = profile.earliest(entry.processors, entry.planned).ok_or(Error::Corrupt)?;
            profile.take(start, entry.planned, entry.processors)?;
            if start == time {
                self.start(entry)?;
            } else {
                *at_mut(self.parts.queue, held as usize)? = entry;
                self.change(entry.job, HOLDING)?;
                held += 1;
            }
            done += profile.count() as u64;
        }
        let by_order = self.by_candidates();
        while self.state.scene.free > 0 {
            let (free, mut looks) = (self.state.scene.free, 0);
            let fits = |processors, planned| processors <= free && profile.fits_now(processors, planned);
            let Some(entry) = self.first(&by_order, fits, &mut looks)? else { break };
            done += looks * profile.count() as u64;
            profile.take(time, entry.planned, entry.processors)?;
            self.start(entry)?;
        }
        self.parts.steps = profile.into_steps();
        for place in 0..held as usize {
            let job = at(self.parts.queue, place)?.job;
            self.change(job, WAITING)?;
        }
        Ok(done)
    }

    /// Takes the jobs started out of the queue.
    pub(crate) fn compact(&mut self) -> Result<u64> {
        let queued = self.state.scene.queued as usize;
        let status = &*self.parts.status;
        let kept = keep(range_mut(self.parts.queue, 0, queued)?, status)?;
        if self.state.options.own_candidates() {
            keep(range_mut(self.parts.candidates, 0, queued)?, status)?;
        }
        self.state.scene.queued = kept as u32;
        Ok(queued as u64)
    }
}

/// Moves the jobs that still wait to the front; returns their number.
fn keep(list: &mut [Queued], status: &[u32]) -> Result<usize> {
    let mut kept = 0;
    for place in 0..list.len() {
        let entry = *at(list, place)?;
        if *at(status, entry.job as usize)? == WAITING {
            *at_mut(list, kept)? = entry;
            kept += 1;
        }
    }
    Ok(kept)
}
