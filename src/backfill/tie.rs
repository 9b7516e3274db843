//! The joint step of several jobs that may end at one instant.
//!
//! No job starts inside an instant, so the head job is delayed there only if it could not start before and the
//! processors released *after the whole instant* lie in `[c_q, c_q + k)`. That needs the joint distribution of
//! "released before" and "released at the instant" over the jobs of the group. With `v` processors over `c_q` after the
//! instant, the head could start before it exactly if at most `v` were released at it:
//!
//! Pr(lands at v) = Pr(released after = c_q + v) - Pr(released after = c_q + v, released at it <= v).
//!
//! The first is a product of independent jobs; the second, the work of `crowd`, needs numbers below `k` only.

use crate::backfill::convolve::{add_job, sum};
use crate::backfill::crowd::{Crowd, Member};
use crate::error::Result;
use crate::memory::{range, range_mut};

/// Probabilities below this are left out: far below the rounding of a sum.
pub(super) const NEGLIGIBLE: f64 = 1e-18;

/// Largest group of jobs that is enumerated outcome by outcome.
const FEW: u32 = 4;

/// The joint step of a few jobs, each of which ended before the instant, ends at it, or goes on: every outcome on its
/// own. Returns the probability that the head job becomes able to start, and the multiply-adds.
fn enumerate(
    others: &[f64],
    lo: usize,
    target: usize,
    members: impl Iterator<Item = Member> + Clone,
    landing: &mut [f64],
) -> Result<(f64, u64)> {
    let count = members.clone().count() as u32;
    let (mut started, mut work) = (0.0, 0);
    for outcome in 0..3u32.pow(count.min(FEW)) {
        let (mut probability, mut before, mut now, mut digits) = (1.0, 0, 0, outcome);
        for m in members.clone() {
            let (p, ended, ends) = match digits % 3 {
                0 => (m.before, m.width, 0),
                1 => (m.now, 0, m.width),
                _ => (1.0 - m.after, 0, 0),
            };
            (probability, before, now, digits) = (probability * p, before + ended, now + ends, digits / 3);
        }
        work += u64::from(count);
        if probability <= 0.0 || now == 0 {
            continue;
        }
        // With s processors released by the others, the head could not start before while s + before < target.
        let end = target.saturating_sub(before);
        let begin = end.saturating_sub(now);
        let crossing = range(others, begin.saturating_sub(lo), end - begin)?;
        started += probability * sum(crossing);
        // Processors above the target at which the lowest s of these lands.
        let lowest = (begin + before + now).saturating_sub(target);
        for (to, s) in landing.iter_mut().skip(lowest).zip(crossing) {
            *to += probability * s;
        }
        work += 2 * crossing.len() as u64;
    }
    Ok((started, work))
}

/// Scratch of the joint step.
pub(super) struct Tie<'a> {
    /// The table of a crowd: at least [`Tie::fewest_cells`].
    pub cells: &'a mut [f64],
    /// Two rows of [`Tie::row_length`].
    pub rows: [&'a mut [f64]; 2],
}

/// Result of the joint step.
pub(super) struct Landing {
    /// Probability that the head job becomes able to start at this instant.
    pub started: f64,
    /// Whether the exact table was too large: the landings are then an estimate.
    pub estimated: bool,
    /// Multiply-adds done.
    pub work: u64,
}

impl Tie<'_> {
    /// Cells needed for the coarsest table on a machine of this size: four rows.
    pub(super) fn fewest_cells(processors: usize) -> usize {
        2 * Tie::row_length(processors)
    }

    /// The longest row on a machine of this size: as many columns for the group's width as for the landings.
    pub(super) fn row_length(processors: usize) -> usize {
        2 * processors + 1
    }

    /// Adds to `landing[v]` the probability that the head job becomes able to start at this instant with exactly
    /// `target + v` processors released after it.
    ///
    /// `others` is the distribution of the processors released by the jobs outside the group, on the window
    /// `[lo, target)` with `lo = max(0, target - total width of the group)`.
    pub(super) fn land<'m>(
        &mut self,
        others: &[f64],
        target: usize,
        members: impl Iterator<Item = Member> + Clone + 'm,
        landing: &mut [f64],
    ) -> Result<Landing> {
        let total: usize = members.clone().map(|m| m.width).sum();
        let lo = target.saturating_sub(total);
        let mut found = Landing { started: 0.0, estimated: false, work: 0 };
        if sum(others) < NEGLIGIBLE {
            return Ok(found);
        }
        if members.clone().take(FEW as usize + 1).count() <= FEW as usize {
            (found.started, found.work) = enumerate(others, lo, target, members, landing)?;
            return Ok(found);
        }
        found.started = self.crossing(others, target, total, members.clone(), &mut found.work)?;
        // A job that ends here for certain releases the same number at the instant and after it.
        let certain: usize = members.clone().filter(Member::certain).map(|m| m.width).sum();
        let uncertain = members.filter(|m| !m.certain());
        let reach = landing.len().min(total);
        let lowest = certain.saturating_sub(target);
        if lowest >= reach {
            return Ok(found); // only whether the head can start is wanted, or more is left over than anybody asks for
        }
        let most = self.most_released(total, uncertain.clone(), &mut found.work)?;
        self.released_after(others, lo, target, certain, reach, uncertain.clone(), &mut found.work)?;
        let Tie { cells, rows: [after, below] } = self;
        for (to, p) in landing.iter_mut().take(certain.min(reach)).skip(lowest).zip(after.iter()) {
            *to += p; // more than v are released for certain
        }
        // Nor can the head have started before where that takes more than can be released at all.
        let possible = reach.min(most + certain);
        let Some(asked) = possible.checked_sub(certain).filter(|&asked| asked > 0) else { return Ok(found) };
        let after = after.get(certain - lowest..).unwrap_or(&[]);
        let (below, copy) = below.split_at_mut_checked(asked).unwrap_or((&mut [], &mut []));
        let mut crowd = Crowd { members: uncertain, cells, copy, asked, most, lo, target };
        let few = crowd.few(others, below)?;
        for ((to, p), at_most) in landing.iter_mut().skip(certain).zip(after).zip(below.iter()) {
            *to += (p - at_most).max(0.0);
        }
        found.estimated = few.estimated;
        found.work += few.work;
        Ok(found)
    }

    /// Makes the first row the distribution of the processors released after the instant: from `target` on, or from the
    /// number that the certain jobs release if that is more, to before `target + reach`.
    #[allow(clippy::too_many_arguments)] // the others, the group, and the range wanted
    fn released_after(
        &mut self,
        others: &[f64],
        lo: usize,
        target: usize,
        certain: usize,
        reach: usize,
        uncertain: impl Iterator<Item = Member> + Clone,
        work: &mut u64,
    ) -> Result<()> {
        // Without the certain jobs, which only shift it.
        let high = (target + reach).saturating_sub(certain);
        let [first, second] = &mut self.rows;
        let row = range_mut(first, 0, high.saturating_sub(lo))?;
        row.fill(0.0);
        for (to, other) in row.iter_mut().zip(others) {
            *to = *other;
        }
        let mut pending: usize = uncertain.clone().map(|m| m.width).sum();
        let mut from = lo;
        for m in uncertain {
            pending = pending.saturating_sub(m.width);
            let to = target.saturating_sub(certain + pending);
            let length = high.saturating_sub(to);
            add_job(first, from, second, to, length, m.width, m.after);
            core::mem::swap(first, second);
            (from, *work) = (to, *work + length as u64);
        }
        Ok(())
    }

    /// Probability that the head job becomes able to start at this instant, whatever the number released: the group's
    /// sum before and after it, each together with the others.
    fn crossing(
        &mut self,
        others: &[f64],
        target: usize,
        total: usize,
        members: impl Iterator<Item = Member> + Clone,
        work: &mut u64,
    ) -> Result<f64> {
        let lo = target.saturating_sub(total);
        let mut below = [0.0; 2];
        for (result, after) in below.iter_mut().zip([false, true]) {
            let span = total.min(target.saturating_sub(lo)) + 1;
            let [first, second] = &mut self.rows;
            range_mut(first, 0, span)?.fill(0.0);
            if let Some(none) = first.first_mut() {
                *none = 1.0;
            }
            for m in members.clone() {
                let p = if after { m.after } else { m.before };
                if p > 0.0 {
                    add_job(first, 0, second, 0, span, m.width, p);
                    core::mem::swap(first, second);
                    *work += span as u64;
                }
            }
            // Pr(group < target - r) for r = target - 1, target - 2, ...: a running sum of the group's distribution.
            let mut group_below = 0.0;
            for (r, g) in others.iter().rev().zip(first.iter()) {
                group_below += g;
                *result += r * group_below;
            }
        }
        let [before, after] = below;
        Ok((before - after).max(0.0))
    }

    /// The most processors that the group releases at the instant, but for a negligible probability.
    fn most_released(
        &mut self,
        total: usize,
        members: impl Iterator<Item = Member>,
        work: &mut u64,
    ) -> Result<usize> {
        let [first, second] = &mut self.rows;
        let mut span = 1;
        range_mut(first, 0, total + 1)?.fill(0.0);
        if let Some(none) = first.first_mut() {
            *none = 1.0;
        }
        for m in members.filter(|m| !m.certain()) {
            span += m.width;
            add_job(first, 0, second, 0, span, m.width, m.now);
            range_mut(second, span, total + 1 - span)?.fill(0.0);
            core::mem::swap(first, second);
            *work += span as u64;
        }
        let mut tail = 0.0;
        for (d, p) in first.iter().take(span).enumerate().rev() {
            tail += p;
            if tail > NEGLIGIBLE {
                return Ok(d);
            }
        }
        Ok(0)
    }
}
