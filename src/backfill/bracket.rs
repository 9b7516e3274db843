//! Verdicts from brackets, where a rule in seconds needs no more of a delay than its verdict
//! ([`Rule::unmeasured`](crate::backfill::Rule::unmeasured)).
//!
//! Let `G_t(x) = Pr(S(t) < c + x)`, `c` the processors that the head job lacks and `S(t)` those released by time
//! `t`. `G` falls in `t` for every `x`, so a few instants `t_0 < t_1 < ...` bracket the integrals over all of them.
//! With `L_m` the length of the interval behind `t_m`, and `V_m` the integral of `Pr(T > t)` over it, `T` the run
//! time of a candidate of `k` processors:
//!
//! ```text
//! sum L_m G_{m+1}(0)                <= E[wait]  <= sum L_m G_m(0)
//! sum V_m (G_{m+1}(k) - G_m(0))+    <= E[delay] <= sum V_m (G_m(k) - G_{m+1}(0))
//! ```
//!
//! An interval inside which nothing is released is exact. Where the brackets leave a verdict open, the interval with
//! the widest gap is split; where the rows are used up, walk or spectrum take over. A committed candidate of `a`
//! processors, ended by `t` with probability `b`, changes `G(x)` to `(1 - b) G(x + a) + b G(x)`, in place.
//!
//! On wide machines `G` itself is bounded first, at few numbers (`rows`); where that leaves more open than the
//! intervals do, all begins anew with more numbers, and at last with all of them.

use crate::backfill::running::{Running, measure};
use crate::backfill::verdict::{Candidate, Criterion, Exactness, Rule, Verdict};
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::{Release, Steps, write_kept};
use bytemuck::{Pod, Zeroable};

/// The most instants.
const INSTANTS: usize = 48;

/// Exact rows by additions alone that take as long as a walk: brackets that have taken longer give up.
const AS_A_WALK: u64 = 24;

/// Multiply-adds for an exact row from which on rows are coarse at first, and exact ones try frequencies.
pub(super) const DIRECT: u64 = 1 << 17;

/// Running jobs up to which rows begin as coarse as they can be. The transform of the sum of more jobs is negligible at
/// all but a few dozen frequencies, where more numbers cost little and a second row of all jobs much.
pub(super) const FEW: u32 = 512;

/// Numbers that rows of the coarsest widths are made of, the factor to the next widths, and the last coarse ones.
const COARSEST: u32 = 512;
const FINER: u32 = 4;
const FINEST: u32 = COARSEST * FINER;

/// Numbers of a coarse row beyond the candidates' widths: rounded widths of jobs that join it reach further.
const SPARE: u32 = 8;

/// The fewest rows with which brackets are tried.
const FEWEST: usize = 8;

/// Rows of memory for the making of one.
const ROWS: usize = 7;

/// Bound on the rounding of a row's numbers.
const ROUNDING: f64 = 1e-11;

/// Phases of [`Brackets`].
pub(super) const UNTRIED: u32 = 0;
pub(super) const LIVE: u32 = 1;
pub(super) const EXHAUSTED: u32 = 2;

/// The instants, and the state of their rows.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Brackets {
    pub phase: u32,
    /// Number of instants.
    count: u32,
    /// Number of running jobs, from the first on, that the rows know.
    running: u32,
    /// The greatest common divisor of the candidates' widths, and the processors to which those that fit may add up.
    finest: u32,
    reach: u32,
    /// Processors between the numbers of a row.
    pub grain: u32,
    /// Numbers that a coarse row is made of; 0 where rows are exact.
    pub coarse: u32,
    /// Place, in a coarse row, of the upper bounds behind the lower ones; 0 in an exact row, whose numbers are both.
    pub upper: u32,
    /// Numbers of a row's place, and numbers of one kind in it now.
    pub stride: u32,
    pub length: u32,
    /// Bound on the error of a row's numbers.
    pub error: f64,
    /// Multiply-adds that exact rows have taken, and that they may take.
    exact_work: u64,
    most_work: u64,
    /// In increasing order; the last one lies behind all releases.
    times: [i64; INSTANTS],
    /// The place of each instant's row.
    rows: [u32; INSTANTS],
    /// Whether something is released after the instant and before the next one.
    inside: [u32; INSTANTS],
}

/// The brackets, with the jobs and the memory that they need.
pub(super) struct Bracketed<'a> {
    pub state: &'a mut Brackets,
    pub running: &'a mut [Running],
    /// The jobs' releases, or pieces of which these are made, with room for `room` of each job.
    pub releases: &'a mut [Release],
    pub room: usize,
    pub steps: Steps,
    /// Memory of the rows.
    pub store: &'a mut [f64],
    /// Memory of [`ROWS`] rows of `processors` numbers each.
    pub buffers: &'a mut [f64],
    pub processors: usize,
    /// Processors that the head job lacks now.
    pub missing: u32,
}

/// Bounds for one candidate.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    delay: [f64; 2],
    wait: [f64; 2],
    /// Seconds in which the candidate, still running, could delay the head job.
    span: f64,
    /// The interval with the widest gap that can be split.
    widest: Option<usize>,
    /// The parts of the gaps that splitting narrows, and that finer widths narrow.
    by_splitting: f64,
    by_widths: f64,
}

/// Bounds of `G` at 0 and at a candidate's width, at one instant.
#[derive(Debug, Clone, Copy)]
struct Values {
    alone: [f64; 2],
    beside: [f64; 2],
}

/// The verdict on a candidate, or the reason why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Judged,
    /// Work ends here for now.
    Interrupted,
    /// No row is left.
    Exhausted,
}

/// A time between two others at which an interval is split: run times are spread over orders of magnitude.
fn middle(from: i64, until: i64) -> i64 {
    let (low, high) = (from.saturating_add(60), until.saturating_add(60));
    if high / 4 > low {
        libm::sqrt(low as f64 * high as f64) as i64 - 60
    } else {
        from.saturating_add(until.saturating_sub(from) / 2)
    }
}

impl Bracketed<'_> {
    /// Makes the first rows: for now, and for the time behind all releases. `reach` is the number of processors to
    /// which candidates may add up, `finest` the greatest common divisor of their widths, `horizon` the last of their
    /// ends. Returns whether there is room.
    pub(super) fn begin(&mut self, finest: u32, reach: u32, horizon: i64) -> Result<bool> {
        let mut last = horizon.max(1);
        for job in self.running.iter() {
            last = last.max(job.remaining(self.releases, self.room)?.last());
        }
        let running = self.running.len() as u32;
        *self.state = Brackets { phase: LIVE, running, finest, reach, ..Brackets::zeroed() };
        let numbers = self.numbers();
        let long = numbers * u64::from(running) > DIRECT;
        let coarsest = match running {
            ..=FEW if long => COARSEST,
            _ if long => FINEST,
            _ => FINEST * FINER,
        };
        self.lay(coarsest, numbers, last)
    }

    /// Numbers that an exact row may have to be made of.
    fn numbers(&mut self) -> u64 {
        let unit = u64::from(measure(self.running)).max(1);
        let busy: u64 = self.running.iter().map(|job| u64::from(job.processors)).sum();
        u64::from(self.missing).min(busy.saturating_sub(self.missing.into())) / unit
    }

    /// Makes the first rows of these widths, or of the first finer ones for which there is room.
    fn lay(&mut self, mut coarse: u32, numbers: u64, last: i64) -> Result<bool> {
        if self.buffers.len() < ROWS * self.processors {
            return Ok(false);
        }
        loop {
            let state = &mut *self.state;
            // Twice as many numbers as there are would be no coarser than the exact ones.
            state.coarse = if coarse <= FINEST && u64::from(coarse) < numbers / 2 { coarse } else { 0 };
            state.error = ROUNDING;
            if state.coarse == 0 {
                state.grain = state.finest;
                let steps = state.reach.checked_div(state.grain).ok_or(Error::Corrupt)?;
                state.length = steps.checked_add(1).ok_or(Error::Corrupt)?;
                (state.upper, state.stride) = (0, state.length);
            } else {
                state.grain = state.reach.div_ceil((coarse / 4).max(1)).max(state.finest).max(1);
                state.length = state.reach.div_ceil(state.grain).saturating_add(1 + SPARE);
                (state.upper, state.stride) = (state.length, state.length.saturating_mul(2));
            }
            if self.store.len().checked_div(state.stride as usize).ok_or(Error::Corrupt)? >= FEWEST {
                break;
            }
            if state.coarse == 0 {
                return Ok(false);
            }
            coarse = coarse.saturating_mul(FINER);
        }
        // Short rows never cost as much as a walk.
        let row = numbers.saturating_mul(self.running.len() as u64);
        self.state.most_work = if row > DIRECT { row.saturating_mul(AS_A_WALK) } else { u64::MAX };
        self.state.count = 0;
        self.insert(0, 0, &mut 0)?;
        self.insert(1, last, &mut 0)?;
        Ok(true)
    }

    /// Begins anew with finer widths, or exact ones; returns whether there are any.
    fn refine(&mut self) -> Result<bool> {
        let last = (self.state.count as usize).checked_sub(1).ok_or(Error::Corrupt)?;
        let last = *at(&self.state.times, last)?;
        let numbers = self.numbers();
        let finer = self.state.coarse.saturating_mul(FINER);
        Ok(self.state.coarse > 0 && self.lay(finer, numbers, last)?)
    }

    /// Joins the jobs that run since the rows were made.
    pub(super) fn join(&mut self) -> Result<()> {
        for number in self.state.running as usize..self.running.len() {
            let job = *at(self.running, number)?;
            let remaining = job.remaining(self.releases, self.room)?;
            self.state.reach = self.state.reach.checked_sub(job.processors).ok_or(Error::Corrupt)?;
            let shift = job.processors.checked_div(self.state.grain).ok_or(Error::Corrupt)? as usize;
            let lower = self.state.length as usize;
            let length = if self.state.coarse > 0 { Some(lower) } else { lower.checked_sub(shift) };
            let length = length.ok_or(Error::Corrupt)?;
            let stride = self.state.stride as usize;
            for place in 0..self.state.count as usize {
                let time = *at(&self.state.times, place)?;
                let b = remaining.ended(time, &mut self.steps);
                let row = (*at(&self.state.rows, place)? as usize).saturating_mul(stride);
                let row = range_mut(self.store, row, stride)?;
                if self.state.coarse == 0 {
                    mix(row, length, b, |row, number| row.get(number + shift).copied().unwrap_or(1.0));
                } else {
                    // `G` rises: the last bound holds from below beyond the row, and from above only 1 does.
                    let (low, high) =
                        row.split_at_mut_checked(self.state.upper as usize).ok_or(Error::Corrupt)?;
                    let last = length.saturating_sub(1);
                    mix(low, length, b, |row, number| {
                        row.get((number + shift).min(last)).copied().unwrap_or(0.0)
                    });
                    let shift = job.processors.div_ceil(self.state.grain.max(1)) as usize;
                    mix(high, length, b, |row, number| row.get(number + shift).copied().unwrap_or(1.0));
                }
                if let Some(&next) =
                    self.state.times.get(place + 1).filter(|_| place + 1 < self.state.count as usize)
                {
                    let inside = remaining.between(time, time, next, &mut self.steps).is_some();
                    *at_mut(&mut self.state.inside, place)? |= u32::from(inside);
                }
            }
            self.state.length = length as u32;
            self.state.running = number as u32 + 1;
        }
        Ok(())
    }

    /// Judges a candidate, splitting intervals as long as its verdict is open. Interrupted after about `work`
    /// multiply-adds.
    pub(super) fn judge(
        &mut self,
        candidate: &mut Candidate,
        slot: usize,
        rule: &Rule,
        work: u64,
        done: &mut u64,
    ) -> Result<Found> {
        let releases = range_mut(self.releases, slot, self.room)?;
        candidate.releases = write_kept(releases, candidate.releases, &mut self.steps)?;
        loop {
            let bounds = self.bounds(candidate, slot, rule)?;
            *done += u64::from(self.state.count + candidate.releases);
            if conclude(candidate, &bounds, self.state.error, rule) {
                return Ok(Found::Judged);
            }
            if self.state.exact_work > self.state.most_work {
                return Ok(Found::Exhausted);
            }
            let room = INSTANTS.min(self.store.len() / (self.state.stride as usize).max(1));
            // Finer widths are of no use where it is instants that are lacking.
            if bounds.by_widths > bounds.by_splitting {
                if !self.refine()? {
                    return Ok(Found::Exhausted);
                }
            } else if let Some(place) = bounds.widest.filter(|_| (self.state.count as usize) < room) {
                self.split(place, done)?;
            } else {
                return Ok(Found::Exhausted);
            }
            if *done >= work {
                return Ok(Found::Interrupted);
            }
        }
    }

    /// The bounds of a candidate's delay and of the head job's wait.
    fn bounds(&self, candidate: &Candidate, slot: usize, rule: &Rule) -> Result<Bounds> {
        let releases = range(self.releases, slot, candidate.releases as usize)?;
        // A threshold may be infinite.
        let of_wait =
            if rule.criterion == Criterion::Relative { f64::min(rule.threshold, 1e12) } else { 0.0 };
        let (mut left, mut passed) = (1.0, 0);
        let mut bounds = Bounds {
            delay: [0.0; 2],
            wait: [0.0; 2],
            span: 0.0,
            widest: None,
            by_splitting: 0.0,
            by_widths: 0.0,
        };
        let mut widest = 0.0;
        let mut here = self.values(0, candidate.processors)?;
        for place in 0..(self.state.count as usize).saturating_sub(1) {
            let (from, until) = (*at(&self.state.times, place)?, *at(&self.state.times, place + 1)?);
            // The integral of the probability that the candidate still runs.
            let (mut volume, mut time) = (0.0, from);
            while let Some(release) = releases.get(passed).filter(|release| release.after < until) {
                volume += left * release.after.saturating_sub(time).max(0) as f64;
                time = time.max(release.after);
                passed += 1;
                left = if passed >= releases.len() { 0.0 } else { (left - release.probability).max(0.0) };
            }
            volume += left * until.saturating_sub(time) as f64;
            let length = until.saturating_sub(from) as f64;
            let next = self.values(place + 1, candidate.processors)?;
            let exact = *at(&self.state.inside, place)? == 0;
            let end = if exact { here } else { next };
            let (delays, waits) =
                (delays(volume, here, end), [length * end.alone[0], length * here.alone[1]]);
            for (sum, here) in bounds.delay.iter_mut().zip(delays).chain(bounds.wait.iter_mut().zip(waits)) {
                *sum += here;
            }
            bounds.span += if here.beside[1] > 0.0 { length } else { 0.0 };
            let [least, most] = self::delays(volume, here, here);
            let by_widths = most - least + of_wait * (length * (here.alone[1] - here.alone[0]));
            let gap = delays[1] - delays[0] + of_wait * (waits[1] - waits[0]) - by_widths;
            bounds.by_widths += by_widths;
            if !exact && gap >= widest {
                (widest, bounds.widest) = (gap, Some(place));
            }
            bounds.by_splitting += if exact { 0.0 } else { gap };
            here = next;
        }
        Ok(bounds)
    }

    /// The bounds at an instant, for a candidate with this number of processors.
    fn values(&self, place: usize, processors: u32) -> Result<Values> {
        let grain = self.state.grain.max(1);
        let row = (*at(&self.state.rows, place)? as usize).saturating_mul(self.state.stride as usize);
        let row = range(self.store, row, self.state.stride as usize)?;
        let (wide, wider) = ((processors / grain) as usize, processors.div_ceil(grain) as usize);
        if wide.max(wider) >= self.state.length as usize {
            return Err(Error::Corrupt);
        }
        let upper = self.state.upper as usize;
        Ok(Values {
            alone: [*at(row, 0)?, *at(row, upper)?],
            beside: [*at(row, wide)?, *at(row, upper + wider)?],
        })
    }

    /// Splits the interval behind an instant, where something is released inside.
    fn split(&mut self, place: usize, work: &mut u64) -> Result<()> {
        let (from, until) = (*at(&self.state.times, place)?, *at(&self.state.times, place + 1)?);
        let middle = middle(from, until);
        let mut nearest: Option<i64> = None;
        for job in self.running.iter() {
            let remaining = job.remaining(self.releases, self.room)?;
            let found = remaining.between(from, middle, until, &mut self.steps);
            let distance = |time: i64| time.abs_diff(middle);
            nearest = match (nearest, found) {
                (Some(one), Some(other)) if distance(one) <= distance(other) => Some(one),
                (one, other) => other.or(one),
            };
        }
        self.insert(place + 1, nearest.ok_or(Error::Corrupt)?, work)
    }

    /// Inserts an instant at a place in their order, and notes what is released beside it.
    fn insert(&mut self, place: usize, time: i64, work: &mut u64) -> Result<()> {
        let count = self.state.count as usize;
        let stride = self.state.stride as usize;
        heap::insert(range_mut(&mut self.state.times, 0, count + 1)?, place, time);
        heap::insert(range_mut(&mut self.state.rows, 0, count + 1)?, place, count as u32);
        heap::insert(range_mut(&mut self.state.inside, 0, count + 1)?, place, 0);
        self.state.count += 1;
        let before = *work;
        self.write_row(count.saturating_mul(stride), time, work)?;
        if self.state.coarse == 0 {
            self.state.exact_work = self.state.exact_work.saturating_add(work.saturating_sub(before));
        }
        for place in [place.checked_sub(1), Some(place)].into_iter().flatten() {
            let Some(&next) = self.state.times.get(place + 1).filter(|_| place < count) else { continue };
            let from = *at(&self.state.times, place)?;
            let mut inside = false;
            for job in self.running.iter() {
                let remaining = job.remaining(self.releases, self.room)?;
                inside = inside || remaining.between(from, from, next, &mut self.steps).is_some();
            }
            *at_mut(&mut self.state.inside, place)? = inside.into();
        }
        Ok(())
    }
}

#[cfg(test)]
impl Bracketed<'_> {
    /// Sets coarse rows up that are made of this number of numbers, none of them written.
    pub(super) fn begin_coarse(&mut self, coarse: u32, reach: u32) {
        let (running, finest) = (self.running.len() as u32, 1);
        *self.state = Brackets { phase: LIVE, running, finest, reach, ..Brackets::zeroed() };
        // Enough numbers for any coarse row.
        assert!(self.lay(coarse, u64::MAX, 1 << 20).unwrap());
    }

    /// Makes the first row that of one instant, and the only one.
    pub(super) fn note_instant(&mut self, time: i64) {
        (self.state.count, self.state.times[0], self.state.rows[0]) = (1, time, 0);
    }
}

/// Least and most delay over an interval between two instants, in which a candidate runs for `volume` expected
/// seconds.
fn delays(volume: f64, here: Values, end: Values) -> [f64; 2] {
    [
        volume * f64::max(end.beside[0] - here.alone[1], 0.0),
        volume * f64::max(here.beside[1] - end.alone[0], 0.0),
    ]
}

/// Joins a job, ended with probability `b`, to `length` numbers of a row; `wider` reads the number at its width
/// beyond.
fn mix(row: &mut [f64], length: usize, b: f64, wider: impl Fn(&[f64], usize) -> f64) {
    for number in 0..length.min(row.len()) {
        let beyond = wider(row, number);
        row.get_mut(number).into_iter().for_each(|here| *here = (1.0 - b) * beyond + b * *here);
    }
}

/// Gives the verdict if the bounds settle it.
fn conclude(candidate: &mut Candidate, bounds: &Bounds, error: f64, rule: &Rule) -> bool {
    let (delay, wait, rounding) = (bounds.delay, bounds.wait, bounds.span * error);
    let scale = |wait: f64| if rule.criterion == Criterion::Relative { wait } else { 1.0 };
    let exact = bounds.widest.is_none() && bounds.by_widths == 0.0;
    let (least, most) = ((delay[0] - rounding).max(0.0), delay[1] + rounding);
    let (least_wait, most_wait) = (scale(wait[0] - rounding), scale(wait[1] + rounding));
    let (delay, exactness, verdict) = if most < rule.threshold * least_wait {
        (most, Exactness::AtMost, Verdict::Accepted)
    } else if least > 0.0 && least >= rule.threshold * most_wait {
        (least, Exactness::AtLeast, Verdict::Refused)
    } else if exact {
        let accepted = delay[1] < rule.threshold * scale(wait[1]);
        (delay[1], Exactness::Exact, if accepted { Verdict::Accepted } else { Verdict::Refused })
    } else {
        return false;
    };
    let unit = match exactness {
        Exactness::AtMost => least_wait,
        Exactness::AtLeast => most_wait,
        _ => scale(wait[1]),
    };
    (candidate.delay, candidate.left) = (if unit > 0.0 { delay / unit } else { 0.0 }, 0.0);
    candidate.seconds = if verdict == Verdict::Accepted { delay } else { 0.0 };
    (candidate.exactness, candidate.verdict) = (exactness as u32, verdict as u32);
    true
}
