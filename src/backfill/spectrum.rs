//! The delay in seconds on wide machines, by the Fourier transform of the number of released processors. Jobs end
//! independently: the transform of `S(t)` is a product. A job of width `w` that has ended with probability `p`
//! contributes `1 - p + p exp(i u w)`. A release changes one factor. `S(t)` is a sum over many jobs and therefore
//! smooth: nearly all frequencies carry next to nothing, and the K that are left, some dozens, replace the C numbers of
//! a distribution. Integrals over time are sums of transforms, kept for every interval between two ends of candidates:
//!
//! * the expected seconds for which `S` lies in `[c_q, c_q + k)` are a sum over frequencies, for any `k`;
//! * an accepted candidate is one more factor, and moves `c_q` by its width: nothing is walked anew.
//!
//! E K multiply-adds for the walk; for D different ends of candidates D K for each candidate, judged or accepted.
//!
//! The error of each probability `Pr(a <= S(t) < b)` is at most [`ERROR`], the sum of three parts:
//! * values of `S` are known modulo `N`. The instants outside of which the head job can certainly start, or certainly
//!   not, are left out, and inside `S` stays within `N` numbers, each but for a probability of exp(-[`TAIL`]) = 1e-12
//!   by Bernstein's inequality;
//! * a frequency u is left out where Π |1 - p + p exp(i u w)| <= exp(-Σ p (1 - p) (1 - cos(u w))) is below
//!   exp(-CUT) = 1e-11 throughout (`frequencies`). A run of instants is bounded at once: p (1 - p) is concave and p
//!   rises, so its least value is at an end. The weights of all frequencies together are less than 2 + ln N;
//! * rounding: products of at most as many factors as there are jobs, begun anew every [`REBUILD`] releases: 1e-11.

use crate::backfill::factor::{add, exchange, multiply, vanishes};
use crate::backfill::running::{Running, pass_release, rewind};
use crate::backfill::timeline::{Entry, Timeline};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::Release;
use bytemuck::{Pod, Zeroable};

/// The largest error of a probability. It is added to what is reported, times the seconds concerned.
pub(super) const ERROR: f64 = 5e-10;

/// Minus the logarithm of the probability with which values of `S` may be mistaken.
const TAIL: f64 = 27.7;

/// The number of releases after which the products are computed afresh.
const REBUILD: u32 = 4096;

/// Narrower distributions are walked through value by value.
pub(super) const WIDE: u32 = 2048;

/// Frequencies are worth while if each replaces at least this number of values.
const VALUES_PER_FREQUENCY: u64 = 8;

/// Phases of a spectrum: not tried yet; given up for this pass; summing up; complete.
pub(super) const UNTRIED: u32 = 0;
pub(super) const DECLINED: u32 = 1;
pub(super) const SUMMING: u32 = 2;
pub(super) const KNOWN: u32 = 3;

/// The scalars of a spectrum, in the pass's state.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Spectrum {
    pub phase: u32,
    /// Processors of one unit of width here: it divides the candidates' widths as well.
    pub unit: u32,
    /// Numbers of processors are known modulo this odd number.
    pub modulus: u32,
    frequencies: u32,
    rows: u32,
    /// Intervals between different ends of candidates.
    intervals: u32,
    /// The interval being summed up, the next instant, and the one at which the head job can start for certain.
    interval: u32,
    instant: u32,
    last: u32,
    /// Releases since the products were computed afresh.
    releases: u32,
    /// Number of running jobs, from the first on, that are taken into account.
    pub running: u32,
    /// The lowest number of processors that `S` takes.
    lowest: u32,
    /// The present, and the begin of the sums, in seconds from now.
    time: i64,
    begin: i64,
}

/// The slices of the block that a spectrum is computed in.
pub(super) struct Views<'a> {
    pub state: &'a mut Spectrum,
    pub running: &'a mut [Running],
    pub releases: &'a [Release],
    pub timeline: Timeline<'a>,
    pub instants: usize,
    /// The row of factors of each running job.
    pub row_of: &'a mut [u32],
    /// Rows of `stride` numbers, of which five are used.
    pub buffers: &'a mut [f64],
    pub stride: usize,
    /// Memory of everything kept: see `Kept`.
    pub store: &'a mut [f64],
}

/// The parts of the store.
struct Kept<'a> {
    /// Begin of each interval, and its seconds between the first and the last instant that matter.
    times: &'a mut [f64],
    spans: &'a mut [f64],
    /// The transforms integrated over each interval: for each K real parts, then K imaginary parts.
    sums: &'a mut [f64],
    /// The transform at the present, and a scratch of the same form.
    present: &'a mut [f64],
    scratch: &'a mut [f64],
    /// The frequencies, as multiples of 2 pi / N.
    frequencies: &'a mut [f64],
    /// exp(i u w) - 1 by width: K real parts, then K imaginary parts.
    rows: &'a mut [f64],
    /// The width of each row.
    widths: &'a mut [f64],
}

impl Kept<'_> {
    fn cells(intervals: usize, frequencies: usize, rows: usize) -> usize {
        2 * intervals + frequencies * (2 * intervals + 5 + 2 * rows) + rows
    }
}

fn kept<'a>(store: &'a mut [f64], state: &Spectrum) -> Result<Kept<'a>> {
    let (d, k, r) = (state.intervals as usize, state.frequencies as usize, state.rows as usize);
    let mut rest = store;
    let mut take = |count: usize| {
        let (mine, others) = core::mem::take(&mut rest).split_at_mut_checked(count).ok_or(Error::Corrupt)?;
        rest = others;
        Ok(mine)
    };
    Ok(Kept {
        times: take(d)?,
        spans: take(d)?,
        sums: take(2 * d * k)?,
        present: take(2 * k)?,
        scratch: take(2 * k)?,
        frequencies: take(k)?,
        rows: take(2 * k * r)?,
        widths: take(r)?,
    })
}

/// Mean and variance of `S`.
#[derive(Clone, Copy, Default)]
struct Moments {
    mean: f64,
    variance: f64,
}

impl Moments {
    /// Distance of `S` from its mean on one side, at most, by Bernstein's inequality for widths of at most `widest`.
    fn reach(self, widest: f64) -> f64 {
        let linear = TAIL * widest / 3.0;
        linear + libm::sqrt(linear * linear + 2.0 * TAIL * self.variance.max(0.0))
    }
}

/// The instants that matter, and the numbers that `S` takes at them.
pub(super) struct Active {
    pub first: usize,
    pub last: usize,
    lowest: f64,
    highest: f64,
}

impl Views<'_> {
    /// Sets the spectrum up for a head job that lacks `missing` processors, of which at most `reach` more are given
    /// away. `ends` are the candidates' ends in time order. Where a spectrum is not worth while its phase is `DECLINED`
    /// then. O(E + 16 C), times a few widths of jobs for each of the C.
    pub(super) fn set_up(&mut self, missing: u32, reach: u32, ends: &[Entry]) -> Result<()> {
        self.state.phase = DECLINED;
        let target = u64::from(self.state.units_up(missing));
        let top = u64::from(self.state.units_up(missing.saturating_add(reach)));
        if top < u64::from(WIDE) || self.buffers.len() < 5 * self.stride {
            return Ok(());
        }
        let Some(rows) = self.list_widths()? else { return Ok(()) };
        let Some(active) = self.active(target as f64, top as f64)? else { return Ok(()) };
        let numbers = (active.highest - active.lowest) as u64 + (top - target) + 2;
        let modulus = numbers | 1;
        let intervals = 1 + distinct(ends);
        // The frequencies of one side: the others are their conjugates.
        let half = (modulus / 2) as usize;
        if half >= self.stride || modulus > 1 << 31 {
            return Ok(());
        }
        let most = (top.min(modulus) / VALUES_PER_FREQUENCY) as usize;
        self.state.modulus = modulus as u32;
        let marked = self.mark_frequencies(&active, rows, most)?;
        let Some(frequencies) = marked else { return Ok(()) };
        if Kept::cells(intervals, frequencies, rows) > self.store.len() {
            return Ok(());
        }
        let state = &mut *self.state;
        (state.rows, state.frequencies) = (rows as u32, frequencies as u32);
        state.intervals = intervals as u32;
        (state.instant, state.last) = (active.first as u32, active.last as u32);
        state.lowest = active.lowest as u32;
        state.running = self.running.len() as u32;
        self.list(ends, half)?;
        // The first instant that matters: from then on the sums grow.
        rewind(self.running, self.releases)?;
        self.pass(0, active.first + 1)?;
        let begin = self.timeline.after(active.first)?;
        (self.state.time, self.state.begin, self.state.interval) = (begin, begin, 0);
        self.state.instant += 1;
        self.rebuild()?;
        self.state.phase = SUMMING;
        Ok(())
    }

    /// Numbers the different widths and notes every job's. The widths lie in the second buffer. `None`: too many.
    fn list_widths(&mut self) -> Result<Option<usize>> {
        let (row_at, widths) = self.buffers.split_at_mut_checked(self.stride).ok_or(Error::Corrupt)?;
        row_at.fill(-1.0);
        let mut rows = 0;
        for (job, row) in self.running.iter().zip(self.row_of.iter_mut()) {
            let width = self.state.units(job.processors);
            let known = row_at.get_mut((width as usize).saturating_sub(1)).ok_or(Error::Corrupt)?;
            if *known < 0.0 {
                *known = rows as f64;
                *at_mut(widths, rows)? = f64::from(width);
                rows += 1;
            }
            *row = *known as u32;
        }
        Ok((rows < self.stride).then_some(rows))
    }

    /// Finds the instants at which it is uncertain whether `S` has reached `target` or `top`. `None`: there is no end
    /// to them, or no beginning.
    fn active(&mut self, target: f64, top: f64) -> Result<Option<Active>> {
        rewind(self.running, self.releases)?;
        let widest = self.running.iter().map(|job| self.state.units(job.processors)).max().unwrap_or(0);
        let total: f64 = self.running.iter().map(|job| f64::from(self.state.units(job.processors))).sum();
        let widest = f64::from(widest);
        let mut moments = Moments::default();
        let mut first = None;
        for index in 0..self.instants {
            for entry in self.timeline.instant(index)? {
                let job = at_mut(self.running, entry.job() as usize)?;
                let width = f64::from(self.state.units(job.processors));
                let before = job.ended;
                pass_release(job, self.releases)?;
                moments.mean += width * (job.ended - before);
                moments.variance += width * width * (job.ended * (1.0 - job.ended) - before * (1.0 - before));
            }
            let reach = moments.reach(widest);
            if first.is_none() && moments.mean + reach >= target {
                first = Some((index, libm::floor((moments.mean - reach).max(0.0))));
            }
            if moments.mean - reach > top {
                let highest = libm::ceil(moments.mean + reach).min(total);
                return Ok(first.filter(|&(first, _)| first < index).map(|(first, lowest)| Active {
                    first,
                    last: index,
                    lowest,
                    highest,
                }));
            }
        }
        Ok(None)
    }

    /// Writes the intervals, the frequencies and the rows of factors.
    fn list(&mut self, ends: &[Entry], half: usize) -> Result<()> {
        let Kept { times, spans, sums, frequencies, rows, widths, .. } = kept(self.store, self.state)?;
        sums.fill(0.0);
        spans.fill(0.0);
        let mut time = 0;
        let mut next = times.iter_mut();
        *next.next().ok_or(Error::Corrupt)? = 0.0;
        for end in ends {
            if end.after() != time {
                time = end.after();
                *next.next().ok_or(Error::Corrupt)? = time as f64;
            }
        }
        let marks = range(self.buffers, 2 * self.stride, half + 1)?;
        let marked = marks.iter().enumerate().filter(|(_, mark)| **mark > 0.0);
        for (to, (frequency, _)) in frequencies.iter_mut().zip(marked) {
            *to = frequency as f64;
        }
        for (to, from) in widths.iter_mut().zip(range(self.buffers, self.stride, self.state.rows as usize)?) {
            *to = *from;
        }
        let frequencies: &[f64] = frequencies;
        let count = frequencies.len();
        for (index, width) in widths.iter().enumerate() {
            let row = range_mut(rows, index * 2 * count, 2 * count)?;
            let (real, imaginary) = row.split_at_mut_checked(count).ok_or(Error::Corrupt)?;
            for ((re, im), frequency) in real.iter_mut().zip(imaginary).zip(frequencies) {
                let (sine, cosine) = self.state.half_angle(*frequency as i64, *width as i64);
                // exp(2 i a) - 1 without cancellation.
                (*re, *im) = (-2.0 * sine * sine, 2.0 * sine * cosine);
            }
        }
        Ok(())
    }

    /// Passes all releases of these instants.
    pub(super) fn pass(&mut self, begin: usize, end: usize) -> Result<()> {
        for entry in self.timeline.between(begin, end.max(begin))? {
            pass_release(at_mut(self.running, entry.job() as usize)?, self.releases)?;
        }
        Ok(())
    }

    /// Computes the present transform from all jobs.
    fn rebuild(&mut self) -> Result<()> {
        let Kept { present, rows, .. } = kept(self.store, self.state)?;
        let count = self.state.frequencies as usize;
        let (real, imaginary) = present.split_at_mut_checked(count).ok_or(Error::Corrupt)?;
        real.fill(1.0);
        imaginary.fill(0.0);
        for (job, &row) in self.running.iter().zip(self.row_of.iter()) {
            if job.ended > 0.0 {
                multiply(real, imaginary, range(rows, row as usize * 2 * count, 2 * count)?, job.ended);
            }
        }
        self.state.releases = 0;
        Ok(())
    }

    /// Goes on summing up until all is known or `work` is used up; returns whether all is known.
    pub(super) fn sum_up(&mut self, work: u64, done: &mut u64) -> Result<bool> {
        let count = self.state.frequencies as usize;
        while self.state.instant <= self.state.last {
            let instant = self.state.instant as usize;
            self.hold_until(self.timeline.after(instant)?, done)?;
            let mut afresh = false;
            let releases = self.timeline.instant(instant)?;
            if self.state.instant < self.state.last {
                let Kept { present, rows, .. } = kept(self.store, self.state)?;
                let (real, imaginary) = present.split_at_mut_checked(count).ok_or(Error::Corrupt)?;
                for entry in releases {
                    let job = at_mut(self.running, entry.job() as usize)?;
                    let row = *at(self.row_of, entry.job() as usize)? as usize;
                    let row = range(rows, row * 2 * count, 2 * count);
                    let before = job.ended;
                    pass_release(job, self.releases)?;
                    if before == 0.0 {
                        multiply(real, imaginary, row?, job.ended);
                    } else {
                        afresh |= vanishes(row?, before);
                        exchange(real, imaginary, row?, before, job.ended);
                    }
                    *done += 4 * count as u64;
                }
                self.state.releases += releases.len() as u32;
            }
            self.state.instant += 1;
            if afresh || self.state.releases >= REBUILD {
                self.rebuild()?;
                *done += (self.running.len() * count) as u64;
            }
            if *done >= work {
                break;
            }
        }
        let over = self.state.instant > self.state.last;
        if over {
            self.state.phase = KNOWN;
        }
        Ok(over)
    }

    /// Adds the present transform for the time until `until`, interval by interval.
    fn hold_until(&mut self, until: i64, done: &mut u64) -> Result<()> {
        let Kept { times, spans, sums, present, .. } = kept(self.store, self.state)?;
        let until = until as f64;
        let mut time = self.state.time as f64;
        while time < until {
            let index = self.state.interval as usize;
            let end = times.get(index + 1).copied().unwrap_or(f64::INFINITY);
            let span = end.min(until) - time;
            if span > 0.0 {
                *at_mut(spans, index)? += span;
                for (sum, value) in
                    range_mut(sums, index * present.len(), present.len())?.iter_mut().zip(present.iter())
                {
                    *sum += span * value;
                }
                *done += present.len() as u64;
                time += span;
            }
            if end <= time {
                self.state.interval += 1;
            }
        }
        self.state.time = until as i64;
        Ok(())
    }

    /// Adds the running jobs that have joined: accepted candidates, which end at the candidates' ends only.
    pub(super) fn join(&mut self) -> Result<u64> {
        let count = self.state.frequencies as usize;
        let (state, mut work) = (&mut *self.state, 0);
        for job in self.running.get(state.running as usize..).ok_or(Error::Corrupt)? {
            let width = i64::from(state.units(job.processors));
            let Kept { times, sums, scratch, frequencies, .. } = kept(self.store, state)?;
            let (real, imaginary) = scratch.split_at_mut_checked(count).ok_or(Error::Corrupt)?;
            for ((re, im), frequency) in real.iter_mut().zip(imaginary).zip(frequencies.iter()) {
                let (sine, cosine) = state.half_angle(*frequency as i64, width);
                (*re, *im) = (-2.0 * sine * sine, 2.0 * sine * cosine);
            }
            let releases = range(self.releases, job.slot as usize, job.releases as usize)?;
            for (index, time) in times.iter().enumerate() {
                let sums = range_mut(sums, index * 2 * count, 2 * count)?;
                let ended = ended_by(releases, *time);
                let (real, imaginary) = sums.split_at_mut_checked(count).ok_or(Error::Corrupt)?;
                multiply(real, imaginary, scratch, ended);
                work += 4 * count as u64;
            }
        }
        state.running = self.running.len() as u32;
        Ok(work)
    }

    /// The head job's expected wait with `missing` processors still to be released, in seconds.
    pub(super) fn wait(&mut self, missing: u32) -> Result<f64> {
        let target = i64::from(self.state.units_up(missing));
        let Kept { times, spans, sums, present, frequencies, .. } = kept(self.store, self.state)?;
        let total = present;
        total.fill(0.0);
        for index in 0..times.len() {
            let size = total.len();
            add(total, 1.0, range(sums, index * size, size)?);
        }
        let span: f64 = spans.iter().sum();
        let below = self.state.between(total, frequencies, span, i64::from(self.state.lowest), target);
        Ok(self.state.begin as f64 + below.max(0.0).min(span))
    }

    /// The expected seconds by which a candidate of this width with these releases delays a head job that lacks
    /// `missing` processors: at most this, and at least this less [`ERROR`] times the seconds at which the head job may
    /// start. Returns the work done as well.
    pub(super) fn delay(
        &mut self,
        missing: u32,
        processors: u32,
        slot: usize,
        releases: u32,
    ) -> Result<(f64, u64)> {
        let releases = range(self.releases, slot, releases as usize)?;
        let target = i64::from(self.state.units_up(missing));
        let width = i64::from(self.state.units(processors));
        let Kept { times, spans, sums, present, frequencies, .. } = kept(self.store, self.state)?;
        let total = present;
        total.fill(0.0);
        let (mut left, mut next, mut span, mut work) = (1.0, 0, 0.0, 0);
        for (index, (time, length)) in times.iter().zip(spans.iter()).enumerate() {
            while let Some(release) = releases.get(next).filter(|release| release.after as f64 <= *time) {
                (left, next) = (left - release.probability, next + 1);
            }
            if next >= releases.len() || left <= 0.0 {
                break;
            }
            if *length > 0.0 {
                let size = total.len();
                add(total, left, range(sums, index * size, size)?);
                span += left * length;
                work += total.len() as u64;
            }
        }
        let within = self.state.between(total, frequencies, span, target, target + width);
        Ok((within.max(0.0).min(span) + ERROR * span, work + 8 * frequencies.len() as u64))
    }
}

impl Spectrum {
    /// Processors in units. A unit of 0 is that of a damaged block.
    fn units(&self, processors: u32) -> u32 {
        processors.checked_div(self.unit).unwrap_or(0)
    }

    /// The same, rounded up.
    fn units_up(&self, processors: u32) -> u32 {
        let rest = processors.checked_rem(self.unit).unwrap_or(0);
        self.units(processors) + u32::from(rest > 0)
    }

    /// Sine and cosine of half the angle `2 pi frequency times / N`, reduced exactly.
    fn half_angle(&self, frequency: i64, times: i64) -> (f64, f64) {
        let modulus = i64::from(self.modulus);
        let turn = (frequency * times).checked_rem_euclid(modulus).unwrap_or(0);
        let angle = core::f64::consts::PI * turn as f64 / modulus as f64;
        (libm::sin(angle), libm::cos(angle))
    }

    /// The integrated transform's sum over the numbers from `begin` to before `end`; `span` is that of frequency 0.
    fn between(&self, total: &[f64], frequencies: &[f64], span: f64, begin: i64, end: i64) -> f64 {
        let (real, imaginary) = total.split_at_checked(frequencies.len()).unwrap_or((&[], &[]));
        let count = end - begin;
        let mut sum = span * count as f64;
        for ((re, im), frequency) in real.iter().zip(imaginary).zip(frequencies) {
            let frequency = *frequency as i64;
            // Σ exp(-i u s) = exp(-i u (begin + end - 1) / 2) sin(u (end - begin) / 2) / sin(u / 2).
            let (step, _) = self.half_angle(frequency, 1);
            let (middle_sine, middle_cosine) = self.half_angle_twice(frequency, begin + end - 1);
            let wide = self.sine_of_half(frequency, count);
            sum += 2.0 * (re * middle_cosine + im * middle_sine) * wide / step;
        }
        sum / f64::from(self.modulus)
    }

    /// Sine and cosine of `pi frequency times / N`, reduced modulo a whole turn.
    fn half_angle_twice(&self, frequency: i64, times: i64) -> (f64, f64) {
        let turns = 2 * i64::from(self.modulus);
        let turn = (frequency * times).checked_rem_euclid(turns).unwrap_or(0);
        let angle = core::f64::consts::PI * turn as f64 / f64::from(self.modulus);
        (libm::sin(angle), libm::cos(angle))
    }

    fn sine_of_half(&self, frequency: i64, times: i64) -> f64 {
        self.half_angle_twice(frequency, times).0
    }
}

/// The number of different times among ends in time order; none is at 0.
fn distinct(ends: &[Entry]) -> usize {
    let mut time = 0;
    ends.iter().filter(|end| core::mem::replace(&mut time, end.after()) != end.after()).count()
}

/// The probability that a job has ended at this time.
fn ended_by(releases: &[Release], time: f64) -> f64 {
    let past = releases.iter().take_while(|release| release.after as f64 <= time);
    let (count, sum) = past.fold((0, 0.0), |(n, sum), release| (n + 1, sum + release.probability));
    if count == releases.len() { 1.0 } else { f64::min(sum, 1.0) }
}
