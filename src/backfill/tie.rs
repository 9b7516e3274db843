//! The joint step of several jobs that may end at one instant.
//!
//! Nobody starts inside an instant, so the head job is delayed there only if it could not start before and the
//! processors released *after the whole instant* lie in `[c_q, c_q + k)`. That needs the joint distribution of
//! "released before" and "released at the instant" over the jobs of the group: a table with a row for each number `d`
//! of processors released at the instant and a column for each number `y` released after it; the head could not start
//! before while `y - d < c_q`.

use crate::backfill::convolve::{add_job, sum};
use crate::error::Result;
use crate::memory::{range, range_mut};

/// What is less likely than this is left out: far below the rounding of a sum.
pub(super) const NEGLIGIBLE: f64 = 1e-18;

/// Groups of so few jobs are enumerated outcome by outcome.
const FEW: u32 = 4;

/// A group is taken apart also when its table would be updated more often than this for each cell there is room for.
const UPDATES_PER_CELL: usize = 4;

/// The most multiply-adds that taking a group apart may cost for each cell; beyond, the coarsest bound is used.
const LARGEST_WORK: u64 = 64;

/// One job with a release at the instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// Its processors, in units.
    pub width: usize,
    /// Probability that it ended before the instant.
    pub before: f64,
    /// Probability that it ends at the instant.
    pub now: f64,
    /// Probability that it has ended after the instant.
    pub after: f64,
}

impl Member {
    /// Whether the instant is its only release: limits make such jobs.
    fn certain(&self) -> bool {
        self.before == 0.0 && self.after == 1.0
    }
}

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
        // The lowest s of these lands so far above the target.
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
    /// The table, row by row: at least [`Tie::fewest_cells`].
    pub cells: &'a mut [f64],
    /// Two rows of [`Tie::row_length`].
    pub rows: [&'a mut [f64]; 2],
}

/// What the joint step found.
pub(super) struct Landing {
    /// Probability that the head job becomes able to start at this instant.
    pub started: f64,
    /// Whether the table was too large: the landings are then an upper bound.
    pub at_most: bool,
    /// Multiply-adds done.
    pub work: u64,
}

impl Tie<'_> {
    /// Cells needed for the smallest group, one job, on a machine of this size: two rows.
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
    ///
    /// The table has `(largest d / unit + 1) x (group width + landings)` cells, each updated at most once a member. If
    /// that does not fit, or is more than `UPDATES_PER_CELL` updates for each cell there is, the group is taken apart
    /// into smaller groups one after the other. A path that passes through `[c_q, c_q + k)` between two of them is then
    /// counted as a delay though nobody could have started there: an upper bound. Where even that would cost more than
    /// `LARGEST_WORK` multiply-adds a cell, every start at this instant counts as a delay.
    pub(super) fn land<'m>(
        &mut self,
        others: &[f64],
        target: usize,
        members: impl Iterator<Item = Member> + Clone + 'm,
        landing: &mut [f64],
    ) -> Result<Landing> {
        let total: usize = members.clone().map(|m| m.width).sum();
        let lo = target.saturating_sub(total);
        let mut found = Landing { started: 0.0, at_most: false, work: 0 };
        if sum(others) < NEGLIGIBLE {
            return Ok(found);
        }
        if members.clone().take(FEW as usize + 1).count() <= FEW as usize {
            (found.started, found.work) = enumerate(others, lo, target, members, landing)?;
            return Ok(found);
        }
        found.started = self.crossing(others, target, total, members.clone(), &mut found.work)?;
        if landing.is_empty() {
            return Ok(found); // only whether the head can start is wanted
        }
        let most = self.most_released(total, members.clone(), &mut found.work)?;
        // Those that end here for certain come first and cost nothing: they are never taken apart.
        let uncertain = members.clone().filter(|m| !m.certain());
        let members = members.filter(Member::certain).chain(uncertain);
        let count = members.clone().count();
        let (mut parts, mut done) = (0, 0);
        while done < count {
            done += self.part(members.clone().skip(done), most, landing.len()).0;
            parts += 1;
        }
        let apart = parts * count as u64 * others.len() as u64;
        if parts > 1 && apart > LARGEST_WORK * self.cells.len() as u64 {
            // Too many even for that: as if every start found exactly the processors that the head job needs.
            if let Some(none_left_over) = landing.first_mut() {
                *none_left_over += found.started;
            }
            found.at_most = true;
            return Ok(found);
        }
        let mut done = 0;
        while done < count {
            let (size, unit) = self.part(members.clone().skip(done), most, landing.len());
            let group = members.clone().skip(done).take(size);
            if size == count {
                found.work += self.joint(others, lo, target, group, most, unit, landing)?;
            } else {
                found.at_most = true;
                // The groups already done have had their instant, the others have not.
                let [first, second] = &mut self.rows;
                let width: usize = group.clone().map(|m| m.width).sum();
                let outside = members.clone().enumerate().filter_map(|(i, m)| match i {
                    i if i < done => Some((m.width, m.after)),
                    i if i >= done + size => Some((m.width, m.before)),
                    _ => None,
                });
                let mut length = others.len();
                let mut from = lo;
                range_mut(first, 0, length)?.copy_from_slice(others);
                let mut pending = total;
                for (w, p) in outside {
                    pending -= w;
                    let to = target.saturating_sub(pending);
                    found.work += (target - to) as u64;
                    add_job(first, from, second, to, target - to, w, p);
                    core::mem::swap(first, second);
                    (from, length) = (to, target - to);
                }
                debug_assert_eq!(pending, width);
                // The table's own scratch row is the second one: the first must survive.
                let Tie { cells, rows: [first, second] } = self;
                let mut inner = Tie { cells, rows: [second, &mut []] };
                found.work +=
                    inner.joint(range(first, 0, length)?, from, target, group, most, unit, landing)?;
            }
            done += size;
        }
        Ok(found)
    }

    /// The largest group at the front of these members whose table fits, at least one job, whose table always does; and
    /// the unit of its rows.
    fn part(&self, members: impl Iterator<Item = Member>, most: usize, landings: usize) -> (usize, usize) {
        let (mut size, mut width, mut free, mut updates, mut unit) = (0, 0, 0, 0, 0);
        for member in members {
            width += member.width;
            let (mut wider, mut finer, mut more) = (free, unit, updates);
            if !member.certain() {
                wider += member.width;
                finer = gcd(unit, member.width);
                more += 1;
            }
            let rows = most.min(wider) / finer.max(1) + 1;
            let cells = rows.saturating_mul(wider + landings.min(width));
            let fits = cells <= self.cells.len()
                && cells.saturating_mul(more) / UPDATES_PER_CELL <= self.cells.len();
            if size > 0 && !fits {
                break;
            }
            (free, unit, updates) = (wider, finer, more);
            size += 1;
        }
        (size, unit.max(1))
    }

    /// Probability that the head job becomes able to start at this instant, whatever the number released: the group's
    /// sum before and after it, each against the others.
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

    /// The table itself; returns the multiply-adds.
    #[allow(clippy::too_many_arguments)] // the group, where it stands, and what bounds its table
    fn joint(
        &mut self,
        others: &[f64],
        lo: usize,
        target: usize,
        members: impl Iterator<Item = Member> + Clone,
        most: usize,
        unit: usize,
        landing: &mut [f64],
    ) -> Result<u64> {
        // Jobs that end here for certain only shift the columns: y and d leave them out.
        let certain: usize = members.clone().filter(Member::certain).map(|m| m.width).sum();
        let free: usize = members.clone().filter(|m| !m.certain()).map(|m| m.width).sum();
        let landings = landing.len().min(certain + free);
        let columns = (target + landings).saturating_sub(certain).saturating_sub(lo);
        if columns == 0 {
            return Ok(0);
        }
        let last_row = most.min(free) / unit;
        let cells = range_mut(self.cells, 0, (last_row + 1).saturating_mul(columns))?;
        cells.fill(0.0);
        for (cell, other) in cells.iter_mut().zip(others).take(columns) {
            *cell = *other;
        }
        let [copy, _] = &mut self.rows;
        let mut work = 0;
        let (mut reached, mut pending) = (0, free);
        for m in members.filter(|m| !m.certain()) {
            let rows_up = m.width / unit;
            reached = (reached + rows_up).min(last_row);
            pending = pending.saturating_sub(m.width);
            let keep = 1.0 - m.after;
            // Columns from which the members still to come cannot reach the target do not matter any more.
            let begin = target.saturating_sub(certain + pending).saturating_sub(lo).min(columns);
            // From the last row down, so that the rows read are still those without this member.
            for row in (0..=reached).rev() {
                // Further up the head could have started before the instant.
                let end = (target + row * unit).saturating_sub(lo).min(columns);
                let length = end.saturating_sub(begin);
                work += 2 * length as u64 + 8;
                let (lower, this) = cells.split_at_mut_checked(row * columns).unwrap_or((&mut [], &mut []));
                let this = range_mut(this, 0, end)?;
                // A member adds its width to the columns it comes from; those below 0 do not exist.
                let from = begin.saturating_sub(m.width);
                let copy = range_mut(copy, from, end.saturating_sub(from))?;
                copy.copy_from_slice(range(this, from, end.saturating_sub(from))?);
                let alone = m.width.saturating_sub(begin).min(length);
                let this = range_mut(this, begin, length)?;
                let stays = range(copy, begin - from, length)?;
                for (to, stay) in this.iter_mut().zip(stays) {
                    *to = stay * keep;
                }
                let moved = this.get_mut(alone..).unwrap_or(&mut []);
                match row.checked_sub(rows_up).and_then(|below| lower.get(below * columns + from..)) {
                    Some(below) => {
                        for ((to, came), ends) in moved.iter_mut().zip(copy.iter()).zip(below) {
                            *to += came * m.before + ends * m.now;
                        }
                    }
                    None => {
                        for (to, came) in moved.iter_mut().zip(copy.iter()) {
                            *to += came * m.before;
                        }
                    }
                }
            }
        }
        // Column y lands at v = y + certain - target; before the instant y - d < target.
        let skip = (lo + certain).saturating_sub(target);
        let first = (target + skip).saturating_sub(certain).saturating_sub(lo);
        for (row, values) in cells.chunks_exact(columns).enumerate() {
            let released = row * unit + certain;
            let values = values.get(first..).unwrap_or(&[]);
            for (to, value) in landing.iter_mut().take(landings.min(released)).skip(skip).zip(values) {
                *to += value;
            }
        }
        Ok(work)
    }
}

pub(super) fn gcd(mut a: usize, mut b: usize) -> usize {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}
