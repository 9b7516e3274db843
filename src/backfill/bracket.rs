//! Verdicts from brackets, where a rule in seconds needs no more of a delay than its verdict
//! ([`Rule::unmeasured`](crate::backfill::Rule::unmeasured)).
//!
//! Let `G_t(x) = Pr(S(t) < c + x)`, `c` the processors that the head job lacks and `S(t)` those released by time `t`.
//! `G` falls in `t` for every `x`, so a few instants `t_0 < t_1 < ...` bracket the integrals over all of them. With
//! `L_m` the length of the interval behind `t_m`, and `V_m` the integral of `Pr(T > t)` over it, `T` the run time of a
//! candidate of `k` processors:
//!
//! ```text
//! sum L_m G_{m+1}(0)                <= E[wait]  <= sum L_m G_m(0)
//! sum V_m (G_{m+1}(k) - G_m(0))+    <= E[delay] <= sum V_m (G_m(k) - G_{m+1}(0))
//! ```
//!
//! An interval inside which nothing is released is exact. Where the brackets leave a verdict open, the interval with
//! the widest gap is split; where the rows are used up, walk or spectrum take over. A committed candidate of `a`
//! processors, ended by `t` with probability `b`, changes `G(x)` to `(1 - b) G(x + a) + b G(x)`, in place.

use crate::backfill::convolve::add_job;
use crate::backfill::crowd::gcd;
use crate::backfill::fourier::{self, Jobs};
use crate::backfill::running::{Running, measure};
use crate::backfill::verdict::{Candidate, Criterion, Exactness, Rule, Verdict};
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::Release;
use bytemuck::{Pod, Zeroable};
use core::num::NonZero;

/// The most instants.
const INSTANTS: usize = 48;

/// Multiply-adds for a row from which on frequencies are tried.
const DIRECT: u64 = 1 << 17;

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
    /// Processors between the numbers of a row: the greatest common divisor of the candidates' widths.
    grain: u32,
    /// Numbers in a row when it was made, and now.
    stride: u32,
    length: u32,
    /// Bound on the error of a row's numbers.
    error: f64,
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
    pub releases: &'a [Release],
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

/// Probability that a job has ended by this time.
fn ended(releases: &[Release], time: i64) -> f64 {
    if releases.last().is_none_or(|last| last.after <= time) {
        return 1.0;
    }
    releases.iter().take_while(|release| release.after <= time).map(|release| release.probability).sum()
}

/// The instant of a release strictly between two times, near the middle one.
fn between(releases: &[Release], from: i64, middle: i64, until: i64) -> Option<i64> {
    let behind = releases.partition_point(|release| release.after <= middle);
    let before = behind.checked_sub(1).and_then(|place| releases.get(place));
    let after = releases.get(behind).filter(|release| release.after < until);
    before.filter(|release| release.after > from).or(after).map(|release| release.after)
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
    fn releases_of(&self, job: &Running) -> Result<&[Release]> {
        range(self.releases, job.slot as usize, job.releases as usize)
    }

    /// Makes the first rows: for now, and for the time behind all releases. `widest` is the number of processors to
    /// which candidates may add up, `grain` the greatest common divisor of their widths, `horizon` the last of their
    /// ends. Returns whether there is room.
    pub(super) fn begin(&mut self, grain: u32, widest: u32, horizon: i64) -> Result<bool> {
        let stride = widest.checked_div(grain).unwrap_or(0) as usize + 1;
        if self.store.len() / stride < FEWEST || self.buffers.len() < ROWS * self.processors {
            return Ok(false);
        }
        let mut last = horizon.max(1);
        for job in self.running.iter() {
            last = last.max(self.releases_of(job)?.last().map_or(0, |release| release.after));
        }
        *self.state = Brackets {
            phase: LIVE,
            running: self.running.len() as u32,
            grain,
            stride: stride as u32,
            length: stride as u32,
            error: ROUNDING,
            ..Brackets::zeroed()
        };
        self.insert(0, 0, &mut 0)?;
        self.insert(1, last, &mut 0)?;
        Ok(true)
    }

    /// Joins the jobs that run since the rows were made.
    pub(super) fn join(&mut self) -> Result<()> {
        for number in self.state.running as usize..self.running.len() {
            let job = *at(self.running, number)?;
            let releases = range(self.releases, job.slot as usize, job.releases as usize)?;
            let shift = job.processors.checked_div(self.state.grain).unwrap_or(0) as usize;
            let length = (self.state.length as usize).checked_sub(shift).ok_or(Error::Corrupt)?;
            let stride = self.state.stride as usize;
            for place in 0..self.state.count as usize {
                let time = *at(&self.state.times, place)?;
                let b = ended(releases, time);
                let row = (*at(&self.state.rows, place)? as usize).saturating_mul(stride);
                let row = range_mut(self.store, row, length + shift)?;
                for number in 0..length {
                    let (here, wider) = (*at(row, number)?, *at(row, number + shift)?);
                    *at_mut(row, number)? = (1.0 - b) * wider + b * here;
                }
                if let Some(&next) =
                    self.state.times.get(place + 1).filter(|_| place + 1 < self.state.count as usize)
                {
                    let inside = between(releases, time, time, next).is_some();
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
        loop {
            let bounds = self.bounds(candidate, slot, rule)?;
            *done += u64::from(self.state.count + candidate.releases);
            if conclude(candidate, &bounds, self.state.error, rule) {
                return Ok(Found::Judged);
            }
            let Some(place) = bounds.widest else { return Err(Error::Corrupt) };
            if self.state.count as usize
                >= INSTANTS.min(self.store.len() / (self.state.stride as usize).max(1))
            {
                return Ok(Found::Exhausted);
            }
            self.split(place, done)?;
            if *done >= work {
                return Ok(Found::Interrupted);
            }
        }
    }

    /// The bounds of a candidate's delay and of the head job's wait.
    fn bounds(&self, candidate: &Candidate, slot: usize, rule: &Rule) -> Result<Bounds> {
        let releases = range(self.releases, slot, candidate.releases as usize)?;
        let wide = candidate.processors.checked_div(self.state.grain).ok_or(Error::Corrupt)? as usize;
        if wide >= self.state.length as usize {
            return Err(Error::Corrupt);
        }
        let of_wait = if rule.criterion == Criterion::Relative { rule.threshold } else { 0.0 };
        let (mut left, mut passed) = (1.0, 0);
        let mut bounds = Bounds { delay: [0.0; 2], wait: [0.0; 2], span: 0.0, widest: None };
        let mut widest = 0.0;
        let stride = self.state.stride as usize;
        let values = |place: usize| {
            let row = (*at(&self.state.rows, place)? as usize).saturating_mul(stride);
            Ok((*at(self.store, row)?, *at(self.store, row + wide)?))
        };
        let (mut narrow, mut with) = values(0)?;
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
            let (next, next_with) = values(place + 1)?;
            let exact = *at(&self.state.inside, place)? == 0;
            let (low, low_with) = if exact { (narrow, with) } else { (next, next_with) };
            let delays = [volume * f64::max(low_with - narrow, 0.0), volume * f64::max(with - low, 0.0)];
            let waits = [length * low, length * narrow];
            for (sum, here) in bounds.delay.iter_mut().zip(delays).chain(bounds.wait.iter_mut().zip(waits)) {
                *sum += here;
            }
            bounds.span += if with > 0.0 { length } else { 0.0 };
            let gap = delays[1] - delays[0] + of_wait * (waits[1] - waits[0]);
            if !exact && gap >= widest {
                (widest, bounds.widest) = (gap, Some(place));
            }
            (narrow, with) = (next, next_with);
        }
        Ok(bounds)
    }

    /// Splits the interval behind an instant, where something is released inside.
    fn split(&mut self, place: usize, work: &mut u64) -> Result<()> {
        let (from, until) = (*at(&self.state.times, place)?, *at(&self.state.times, place + 1)?);
        let middle = middle(from, until);
        let mut nearest: Option<i64> = None;
        for job in self.running.iter() {
            let found = between(self.releases_of(job)?, from, middle, until);
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
        self.fill(count.saturating_mul(stride), time, work)?;
        for place in [place.checked_sub(1), Some(place)].into_iter().flatten() {
            let Some(&next) = self.state.times.get(place + 1).filter(|_| place < count) else { continue };
            let from = *at(&self.state.times, place)?;
            let mut inside = false;
            for job in self.running.iter() {
                inside = inside || between(self.releases_of(job)?, from, from, next).is_some();
            }
            *at_mut(&mut self.state.inside, place)? = inside.into();
        }
        Ok(())
    }

    /// Writes the row of an instant: a fresh product of the jobs' distributions, of the processors released or of those
    /// still held, whichever numbers are fewer. O(R x (b + numbers)).
    fn fill(&mut self, row: usize, time: i64, work: &mut u64) -> Result<()> {
        let unit = measure(self.running);
        // Two distributions, then widths and probabilities of the jobs that may have ended.
        let mut rows = self.buffers.chunks_exact_mut(self.processors.max(1));
        let mut next_row = || rows.next().ok_or(Error::Corrupt);
        let (one, other, widths, odds) = (next_row()?, next_row()?, next_row()?, next_row()?);
        let (angles, steps, sine_steps) = (next_row()?, next_row()?, next_row()?);
        let (mut certain, mut open, mut uncertain) = (0_u64, 0_u64, 0);
        for job in self.running.iter() {
            let p = ended(range(self.releases, job.slot as usize, job.releases as usize)?, time);
            if p >= 1.0 {
                certain += u64::from(job.width);
            } else if p > 0.0 {
                open += u64::from(job.width);
                (*at_mut(widths, uncertain)?, *at_mut(odds, uncertain)?) = (job.width.into(), p);
                uncertain += 1;
            }
        }
        let (widths, odds) = (range_mut(widths, 0, uncertain)?, range(odds, 0, uncertain)?);
        // The head job can start once this many units of the uncertain jobs are released, beside a candidate at x.
        let (missing, grain) = (u64::from(self.missing), u64::from(self.state.grain));
        let each = NonZero::new(u64::from(unit)).ok_or(Error::Corrupt)?;
        let up = |number: u64| (number + (each.get() - 1)) / each;
        let wanted = |x: usize| up(missing + x as u64 * grain).saturating_sub(certain);
        let length = self.state.length as usize;
        let (fewest, most) = (wanted(0), wanted(length.saturating_sub(1)));
        let row = range_mut(self.store, row, length)?;
        if fewest > open || most == 0 {
            row.fill(if most == 0 { 0.0 } else { 1.0 });
            return Ok(());
        }
        let held = open - fewest + 1 < most;
        let numbers = if held { open - fewest + 1 } else { most.min(open + 1) } as usize;
        if numbers as u64 * uncertain as u64 > DIRECT {
            let common = gcd(unit as usize, self.state.grain as usize).max(1) as u32;
            let scale = unit / common;
            widths.iter_mut().for_each(|width| *width *= f64::from(scale));
            let mut jobs = Jobs {
                widths,
                ended: odds,
                angles: range_mut(bytemuck::cast_slice_mut(angles), 0, uncertain)?,
                steps: [range_mut(steps, 0, uncertain)?, range_mut(sine_steps, 0, uncertain)?],
                turned: [range_mut(one, 0, uncertain)?, range_mut(other, 0, uncertain)?],
            };
            let support = jobs.support();
            let first = i64::from(self.missing.div_ceil(common)) - (certain * u64::from(scale)) as i64;
            let places = (first, grain / u64::from(common));
            if jobs.below(&support, places, row, work)? {
                self.state.error = fourier::ERROR;
                return Ok(());
            }
            widths.iter_mut().for_each(|width| *width /= f64::from(scale));
        }
        let (mut now, mut next) = (range_mut(one, 0, numbers)?, range_mut(other, 0, numbers)?);
        now.fill(0.0);
        next.fill(0.0);
        *at_mut(now, 0)? = 1.0;
        let mut reach = 1;
        for (&width, &p) in widths.iter().zip(odds) {
            let (width, p) = (width as usize, if held { 1.0 - p } else { p });
            reach = (reach + width).min(numbers);
            add_job(now, 0, next, 0, reach, width, p);
            core::mem::swap(&mut now, &mut next);
            *work += reach as u64;
        }
        // Sums of the first numbers, up to what each candidate's width asks for.
        let (mut sum, mut added) = (0.0, 0);
        let mut below = |count: u64| {
            let more = now.get(added..(count as usize).min(numbers)).unwrap_or(&[]);
            sum += more.iter().sum::<f64>();
            added += more.len();
            f64::min(sum, 1.0)
        };
        if held {
            for (x, slot) in row.iter_mut().enumerate().rev() {
                let wanted = wanted(x);
                // Fewer than `wanted` of `open` units are released where more than the others are held.
                *slot = if wanted > open { 1.0 } else { 1.0 - below(open - wanted + 1) };
                if wanted == 0 {
                    *slot = 0.0;
                }
            }
        } else {
            for (x, slot) in row.iter_mut().enumerate() {
                let wanted = wanted(x);
                *slot = if wanted > open { 1.0 } else { below(wanted) };
            }
        }
        *work += length as u64;
        Ok(())
    }
}

/// Gives the verdict if the bounds settle it.
fn conclude(candidate: &mut Candidate, bounds: &Bounds, error: f64, rule: &Rule) -> bool {
    let (delay, wait, rounding) = (bounds.delay, bounds.wait, bounds.span * error);
    let scale = |wait: f64| if rule.criterion == Criterion::Relative { wait } else { 1.0 };
    let exact = bounds.widest.is_none();
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
