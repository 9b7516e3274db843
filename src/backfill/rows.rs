//! The rows of brackets: what a few instants show of the processors released by then.

use crate::backfill::bracket::{Bracketed, DIRECT, FEW};
use crate::backfill::convolve::add_job;
use crate::backfill::crowd::gcd;
use crate::backfill::fourier::{self, Jobs};
use crate::backfill::running::{Running, measure};
use crate::error::{Error, Result};
use crate::memory::{at_mut, range_mut};
use crate::runtime::{Release, Steps};
use core::num::NonZero;

/// The probability with which what rounding leaves over may lie beyond a bound, and minus its logarithm.
const ERROR: f64 = 1e-8;
const TAIL: f64 = 18.421;

impl Bracketed<'_> {
    /// Writes the row of an instant, of the kind that the rows have now.
    pub(super) fn write_row(&mut self, row: usize, time: i64, work: &mut u64) -> Result<()> {
        if self.state.coarse > 0 {
            self.write_coarse_row(row, time, work)
        } else {
            self.write_exact_row(row, time, work)
        }
    }

    /// Writes a fresh product of the jobs' distributions, of the processors released or of those still held,
    /// whichever numbers are fewer. O(R x (b + numbers)).
    fn write_exact_row(&mut self, row: usize, time: i64, work: &mut u64) -> Result<()> {
        let unit = measure(self.running);
        // Two distributions, then widths and probabilities of the jobs that may have ended.
        let mut rows = self.buffers.chunks_exact_mut(self.processors.max(1));
        let mut next_row = || rows.next().ok_or(Error::Corrupt);
        let (one, other, widths, odds) = (next_row()?, next_row()?, next_row()?, next_row()?);
        let (angles, steps, sine_steps) = (next_row()?, next_row()?, next_row()?);
        let remaining = (&*self.releases, self.room, &mut self.steps);
        let found = Ended::by(time, self.running, remaining, |job| job.width, [widths, odds])?;
        let Ended { certain, open, widths, odds } = found;
        let uncertain = widths.len();
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
        let held = open.saturating_sub(fewest).saturating_add(1) < most;
        let numbers =
            if held { open.saturating_sub(fewest).saturating_add(1) } else { most.min(open + 1) } as usize;
        // The frequencies that matter are many where few jobs run, and then worth a try beside much more work alone.
        let limit = if self.running.len() > FEW as usize { DIRECT } else { 128 * DIRECT };
        if numbers as u64 * uncertain as u64 > limit {
            let common = gcd(unit as usize, self.state.grain as usize).max(1) as u32;
            let scale = unit / common;
            widths.iter_mut().for_each(|width| *width *= f64::from(scale));
            let memory = [angles, steps, sine_steps, &mut *one, &mut *other];
            let mut jobs = Jobs::new(&mut *widths, &mut *odds, memory)?;
            let support = jobs.support();
            let first = i64::from(self.missing.div_ceil(common)) - (certain * u64::from(scale)) as i64;
            let places = (first, grain / u64::from(common));
            // They may take as long as the additions.
            let (budget, before) = (numbers as u64 * uncertain as u64 / fourier::DEAR, *work);
            let found = jobs.below(&support, places, row, budget, work)?;
            *work += work.saturating_sub(before).saturating_mul(fourier::DEAR - 1);
            if found {
                self.state.error = fourier::ERROR;
                return Ok(());
            }
            widths.iter_mut().for_each(|width| *width /= f64::from(scale));
        }
        let (mut now, mut next) = (range_mut(one, 0, numbers)?, range_mut(other, 0, numbers)?);
        if held {
            odds.iter_mut().for_each(|p| *p = 1.0 - *p);
        }
        add_jobs(&mut now, &mut next, widths, odds, work);
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

    /// Writes bounds of `G` at few numbers: from frequencies where few of these are expected to matter, in O(R b + R +
    /// numbers) for each of them; else from widths rounded to units of `u` processors, so that no narrow jobs are left.
    /// `S = u Q + R`, `Q` the sum of the rounded widths of the ended jobs, `R` that of what rounding leaves over.
    /// `R` has a known mean and a small variance, so that by Bernstein's inequality it is above `mean + reach`, or
    /// below `mean - reach`, with a probability of [`ERROR`] each, and
    ///
    /// ```text
    /// Pr(u Q < a - mean - reach) - ERROR <= Pr(S < a) <= Pr(u Q < a - mean + reach) + ERROR
    /// ```
    ///
    /// O(R b + W x numbers) for the W jobs that are wider than half a unit.
    fn write_coarse_row(&mut self, row: usize, time: i64, work: &mut u64) -> Result<()> {
        let mut rows = self.buffers.chunks_exact_mut(self.processors.max(1));
        let mut next_row = || rows.next().ok_or(Error::Corrupt);
        let (one, other, widths, odds) = (next_row()?, next_row()?, next_row()?, next_row()?);
        let (angles, steps, sine_steps) = (next_row()?, next_row()?, next_row()?);
        let remaining = (&*self.releases, self.room, &mut self.steps);
        let found = Ended::by(time, self.running, remaining, |job| job.processors, [widths, odds])?;
        let Ended { certain, open, widths, odds } = found;
        let (certain, open) = (certain as i64, open as i64);
        *work += self.running.len() as u64;
        let (grain, length) = (i64::from(self.state.grain), self.state.length as usize);
        // The processors that the uncertain jobs have to release, beside a candidate at x, and the most that count.
        let wanted =
            |x: usize| (x as i64).saturating_mul(grain).saturating_add(i64::from(self.missing) - certain);
        let (fewest, most) = (wanted(0), wanted(length.saturating_sub(1)));
        let row = range_mut(self.store, row, self.state.stride as usize)?;
        let (low, high) = row.split_at_mut_checked(self.state.upper as usize).ok_or(Error::Corrupt)?;
        if fewest > open || most <= 0 {
            row.fill(if most <= 0 { 0.0 } else { 1.0 });
            return Ok(());
        }
        let uncertain = widths.len();
        // Frequencies show the numbers themselves.
        let memory = [angles, steps, sine_steps, &mut *one, &mut *other];
        let mut jobs = Jobs::new(&mut *widths, &mut *odds, memory)?;
        let support = jobs.support();
        // The work of adding the jobs to coarse numbers.
        let budget = uncertain as u64 * u64::from(self.state.coarse);
        if jobs.has_few(&support) && jobs.below(&support, (fewest, grain as u64), low, budget, work)? {
            for (low, high) in low.iter_mut().zip(high) {
                (*low, *high) = (f64::max(*low - fourier::ERROR, 0.0), f64::min(*low + fourier::ERROR, 1.0));
            }
            return Ok(());
        }
        // Those still held instead, where their numbers are fewer: Pr(S < a) = 1 - Pr(H < open - a + 1).
        let held = open.saturating_sub(fewest).saturating_add(1) < most;
        let top = if held { open.saturating_sub(fewest).saturating_add(1) } else { most.min(open + 1) };
        let unit = (top / i64::from(self.state.coarse.max(1)) + 1) as f64;
        let (mut mean, mut variance, mut widest, mut sum) = (0.0, 0.0, 0.0, 0.0);
        for (width, p) in widths.iter_mut().zip(odds.iter_mut()) {
            if held {
                *p = 1.0 - *p;
            }
            let rounded = libm::floor(*width / unit + 0.5);
            let over = *width - rounded * unit;
            mean += *p * over;
            variance += *p * (1.0 - *p) * over * over;
            widest = f64::max(widest, over.abs());
            sum += rounded;
            *width = rounded;
        }
        let linear = TAIL * widest / 3.0;
        // One more for the rounding of the sums.
        let reach = 1.0 + linear + libm::sqrt(linear * linear + 2.0 * TAIL * variance);
        // The numbers of which the rounded widths of the ended jobs are the sum, up to the last that counts.
        let rounded_up = |a: f64| f64::max(libm::ceil(a / unit), 0.0);
        let numbers = f64::min(rounded_up(top as f64 - mean + reach), sum + 1.0) as usize;
        let (mut now, mut next) = (range_mut(one, 0, numbers)?, range_mut(other, 0, numbers)?);
        add_jobs(&mut now, &mut next, widths, odds, work);
        let mut sum = 0.0;
        for value in now.iter_mut() {
            sum += *value;
            *value = f64::min(sum, 1.0);
        }
        let below = |a: f64| match rounded_up(a) as usize {
            0 => 0.0,
            count => now.get(count - 1).or(now.last()).copied().unwrap_or(0.0),
        };
        for (x, (low, high)) in low.iter_mut().zip(high.iter_mut()).enumerate() {
            let a = if held { open.saturating_sub(wanted(x)).saturating_add(1) } else { wanted(x) } as f64;
            let bounds = [below(a - mean - reach) - ERROR, below(a - mean + reach) + ERROR];
            let [least, most] = if held { [1.0 - bounds[1], 1.0 - bounds[0]] } else { bounds };
            (*low, *high) = match wanted(x) {
                ..=0 => (0.0, 0.0),
                wanted if wanted > open => (1.0, 1.0),
                _ => (f64::max(least, 0.0), f64::min(most, 1.0)),
            };
        }
        *work += length as u64;
        Ok(())
    }
}

/// Running jobs at one instant.
struct Ended<'b> {
    /// Width of those that have ended, and of those that may have.
    certain: u64,
    open: u64,
    /// Widths of the latter, and the probabilities that they have ended.
    widths: &'b mut [f64],
    odds: &'b mut [f64],
}

impl<'b> Ended<'b> {
    /// The jobs as they are by this time; widths and probabilities are written to `memory`. O(R x b).
    fn by(
        time: i64,
        running: &[Running],
        (releases, room, steps): (&[Release], usize, &mut Steps),
        width: impl Fn(&Running) -> u32,
        memory: [&'b mut [f64]; 2],
    ) -> Result<Ended<'b>> {
        let [widths, odds] = memory;
        let (mut certain, mut open, mut uncertain) = (0, 0, 0);
        for job in running {
            let p = job.remaining(releases, room)?.ended(time, steps);
            if p >= 1.0 {
                certain += u64::from(width(job));
            } else if p > 0.0 {
                open += u64::from(width(job));
                (*at_mut(widths, uncertain)?, *at_mut(odds, uncertain)?) = (width(job).into(), p);
                uncertain += 1;
            }
        }
        let (widths, odds) = (range_mut(widths, 0, uncertain)?, range_mut(odds, 0, uncertain)?);
        Ok(Ended { certain, open, widths, odds })
    }
}

/// Writes the distribution of the sum of independent jobs' widths to `now`, as far as that reaches; `next` is
/// scratch. The narrowest jobs come first, when the sums are small yet: by powers of two, which takes no sorting.
fn add_jobs<'r>(
    now: &mut &'r mut [f64],
    next: &mut &'r mut [f64],
    widths: &[f64],
    odds: &[f64],
    work: &mut u64,
) {
    now.fill(0.0);
    next.fill(0.0);
    now.first_mut().into_iter().for_each(|first| *first = 1.0);
    let (mut reach, numbers) = (1_usize, now.len());
    let (mut from, mut until) = (1.0, 2.0);
    let mut left = widths.iter().filter(|&&width| width >= 1.0).count();
    while left > 0 && until < f64::from(u32::MAX) * 2.0 {
        for (&width, &p) in widths.iter().zip(odds).filter(|&(&width, _)| (from..until).contains(&width)) {
            reach = reach.saturating_add(width as usize).min(numbers);
            add_job(now, 0, next, 0, reach, width as usize, p);
            core::mem::swap(now, next);
            *work += reach as u64;
            left -= 1;
        }
        (from, until) = (until, until * 2.0);
    }
}

#[cfg(test)]
mod tests {
    use crate::backfill::bracket::{Bracketed, Brackets};
    use crate::backfill::fourier::tests::{draws, truth};
    use crate::backfill::running::Running;
    use crate::runtime::{Release, Steps};
    use bytemuck::Zeroable;
    use std::vec;
    use std::vec::Vec;

    const NOW: i64 = 10;

    /// Bounds from coarse rows hold, for finer and finer widths, and after jobs have joined; they are of use.
    #[test]
    fn coarse_rows_bound_exact_ones() {
        let mut random = draws(7);
        let mut random = |below: u32| random(below.into()) as u32;
        let (mut gaps, mut rows) = ([0.0; 2], 0);
        for round in 0..40 {
            // The numbers of many narrow jobs come from frequencies.
            let many = round % 4 == 1;
            let (count, widest) = if many { (700, 20) } else { (60, [30, 300, 3_000][round % 3]) };
            let jobs: Vec<(u32, f64)> = (0..count)
                .map(|_| (1 + random(widest), f64::from(random(1_001)).powi(1 + round as i32 % 2) / 1_000.0))
                .map(|(width, p)| (width, f64::min(p, 1.0)))
                .collect();
            let busy: u32 = jobs.iter().map(|job| job.0).sum();
            let reach = 12 + random(busy / 4);
            let missing = 1 + random(busy - reach);
            let joined: Vec<(u32, f64)> = (0..3).map(|_| (1 + random(1 + reach / 4), 0.25)).collect();
            let (mut running, mut releases) = (Vec::new(), Vec::new());
            for &(processors, p) in jobs.iter().chain(&joined) {
                let slot = releases.len() as u32;
                releases.extend(
                    [(NOW, p), (100, 1.0 - p)].map(|(after, probability)| Release { after, probability }),
                );
                running.push(Running { processors, slot, releases: 2, ..Running::zeroed() });
            }
            let mut store = vec![0.0; 1 << 17];
            let mut buffers = vec![0.0; 7 * busy as usize];
            let mut brackets = Brackets::zeroed();
            let before = jobs.len();
            let mut bracketed = Bracketed {
                state: &mut brackets,
                running: &mut running[..before],
                releases: &mut releases,
                room: 2,
                steps: Steps::default(),
                store: &mut store,
                buffers: &mut buffers,
                processors: busy as usize,
                missing,
            };
            for (coarse, gap) in [64, 512].into_iter().zip(&mut gaps) {
                bracketed.begin_coarse(coarse, reach);
                bracketed.write_row(0, NOW, &mut 0).unwrap();
                let exact = truth(&jobs);
                *gap += check(&bracketed, |x| exact[((missing + x) as usize).min(exact.len() - 1)]);
            }
            // Each joined job shifts the numbers by its width while it runs.
            bracketed.note_instant(NOW);
            let mut whole = Bracketed {
                state: &mut brackets,
                running: &mut running,
                releases: &mut releases,
                room: 2,
                steps: Steps::default(),
                store: &mut store,
                buffers: &mut buffers,
                processors: busy as usize,
                missing,
            };
            whole.join().unwrap();
            let lacking = missing + joined.iter().map(|job| job.0).sum::<u32>();
            let all: Vec<_> = jobs.iter().chain(&joined).copied().collect();
            let exact = truth(&all);
            check(&whole, |x| exact[((lacking + x) as usize).min(exact.len() - 1)]);
            rows += 1;
        }
        let [coarser, finer] = gaps.map(|gap| gap / f64::from(rows));
        assert!(coarser < 0.6 && finer < 0.6 * coarser, "{coarser} {finer}");
    }

    /// Checks the first row against the truth beside a candidate of x processors; returns the mean gap.
    fn check(bracketed: &Bracketed, exact: impl Fn(u32) -> f64) -> f64 {
        let (length, upper) = (bracketed.state.length as usize, bracketed.state.upper as usize);
        let mut gap = 0.0;
        for index in 0..length {
            let (low, high) = (bracketed.store[index], bracketed.store[upper + index]);
            let truth = exact(index as u32 * bracketed.state.grain);
            assert!(low - 1e-12 <= truth && truth <= high + 1e-12, "{index}: {low} {truth} {high}");
            gap += high - low;
        }
        gap / length as f64
    }
}
