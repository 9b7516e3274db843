//! The probability that a crowd releases few processors at one instant: the table behind the joint step (`tie`).
//!
//! A table has a column for each number `y` of processors released after the instant, and a row for each number of
//! processors that the crowd's wide jobs release at it. The narrow jobs have no rows of their own: for each cell the
//! table keeps the first three moments of what they release at the instant, from which the probability of at most a
//! given number follows by the Edgeworth expansion (Feller 1971, XVI.4). The number of wide jobs is limited by room and
//! time; where all of them are, the result is exact.

use crate::error::Result;
use crate::math::normal;
use crate::memory::range_mut;

/// The most multiply-adds for each cell there is, where the table has more than one row.
const WORK_PER_CELL: usize = 256;

/// A probability, and the three moments.
const PLANES: usize = 4;

/// Multiply-adds for each member and cell of a table without moments, and of one with them.
const PLAIN: usize = 3;
const WITH_MOMENTS: usize = 14;

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
    pub(super) fn certain(&self) -> bool {
        self.before == 0.0 && self.after == 1.0
    }
}

/// The table for a group, which is no larger than the numbers asked for need.
pub(super) struct Crowd<'a, M> {
    /// The jobs of the group that do not end at the instant for certain.
    pub members: M,
    pub cells: &'a mut [f64],
    /// A row of scratch as long as the table's.
    pub copy: &'a mut [f64],
    /// Count of the numbers asked for: 0, 1, ... up to before this one.
    pub asked: usize,
    /// The most processors that the group releases at the instant.
    pub most: usize,
    /// The least number that the others release, and the number at which the head job can start, which they stay below.
    pub lo: usize,
    pub target: usize,
}

/// The form of a table.
struct Plan {
    /// Members of at least this width are wide.
    narrowest: usize,
    /// Processors that a row stands for, and the last row.
    unit: usize,
    last_row: usize,
    /// One plane, or [`PLANES`].
    planes: usize,
    /// The greatest common divisor of the narrow widths.
    step: usize,
}

/// The result of a table.
pub(super) struct Few {
    /// Whether moments stood for rows.
    pub estimated: bool,
    pub work: u64,
}

impl<M: Iterator<Item = Member> + Clone> Crowd<'_, M> {
    fn columns(&self) -> usize {
        self.target + self.asked - self.lo.min(self.target)
    }

    /// The finest table that there is room and time for, and whether it fits.
    fn plan(&self) -> (Plan, bool) {
        let columns = self.columns();
        let count = self.members.clone().count();
        let widest = self.members.clone().map(|m| m.width).filter(|&width| width < self.asked).max();
        let mut narrowest = 1;
        loop {
            let (mut unit, mut step, mut total) = (0, 0, 0);
            for width in self.members.clone().map(|m| m.width).filter(|&width| width < self.asked) {
                if width >= narrowest {
                    (unit, total) = (gcd(unit, width), total + width);
                } else {
                    step = gcd(step, width);
                }
            }
            let (planes, cost) = if step == 0 { (1, PLAIN) } else { (PLANES, WITH_MOMENTS) };
            let last_row = self.most.min(total).min(self.asked - 1).checked_div(unit).unwrap_or(0);
            let cells = (last_row + 1).saturating_mul(columns);
            let work = cells.saturating_mul(count).saturating_mul(cost);
            let fits = cells.saturating_mul(planes) <= self.cells.len()
                && work <= WORK_PER_CELL.saturating_mul(self.cells.len());
            if fits || widest.is_none_or(|widest| narrowest > widest) {
                return (Plan { narrowest, unit: unit.max(1), last_row, planes, step }, fits);
            }
            narrowest *= 2;
        }
    }

    /// Writes to `below[u]`, for each `u` asked for, the probability that `target + u` processors are released after
    /// the instant and at most `u` of them at it.
    ///
    /// `others` is the distribution of the processors released by the jobs outside the group, from `lo` to before the
    /// target. Where moments stand for rows, as many of the smallest `u` as there is room and time for are exact
    /// nevertheless: few jobs release that little, and moments describe few jobs badly.
    pub(super) fn few(&mut self, others: &[f64], below: &mut [f64]) -> Result<Few> {
        let (plan, _) = self.plan();
        let mut few = Few { estimated: plan.planes > 1, work: self.fill(&plan, others, below)? };
        while few.estimated && self.asked > 1 {
            self.asked /= 2;
            if let (exact @ Plan { planes: 1, .. }, true) = self.plan() {
                few.work += self.fill(&exact, others, below)?;
                break;
            }
        }
        Ok(few)
    }

    /// Fills the table and reads it off; returns the multiply-adds.
    fn fill(&mut self, plan: &Plan, others: &[f64], below: &mut [f64]) -> Result<u64> {
        let columns = self.columns();
        let block = plan.planes * columns;
        let cells = range_mut(self.cells, 0, (plan.last_row + 1).saturating_mul(block))?;
        cells.fill(0.0);
        for (cell, other) in cells.iter_mut().zip(others).take(columns) {
            *cell = *other;
        }
        let mut pending: usize = self.members.clone().map(|m| m.width).sum();
        let (mut reached, mut work) = (0, 0);
        for m in self.members.clone() {
            pending = pending.saturating_sub(m.width);
            let narrow = plan.planes > 1 && m.width < plan.narrowest;
            let blocked = m.width >= self.asked;
            let rows_up = if narrow || blocked { 0 } else { m.width / plan.unit.max(1) };
            reached = (reached + rows_up).min(plan.last_row);
            // From the last row down, so that the rows read are still those without this member.
            for row in (0..=reached).rev() {
                // Leaves out the numbers that the members still to come cannot raise to the target.
                let begin = (self.target + row * plan.unit).saturating_sub(pending + self.lo).min(columns);
                let (lower, this) = cells.split_at_mut_checked(row * block).unwrap_or((&mut [], &mut []));
                let this = range_mut(this, 0, block)?;
                let window = Window { begin, end: columns, width: m.width };
                if narrow {
                    window.move_moments(this, columns, self.copy, m);
                } else {
                    let from = row.checked_sub(rows_up).filter(|_| !blocked).map(|from| from * block);
                    for plane in 0..plan.planes {
                        let to = range_mut(this, plane * columns, columns)?;
                        window.step(to, self.copy, 1.0 - m.after, m.before);
                        if let Some(source) = from.and_then(|from| lower.get(from + plane * columns..)) {
                            window.plus(to, source, m.now);
                        }
                    }
                }
                let cost = if plan.planes > 1 { WITH_MOMENTS } else { PLAIN };
                work += (cost * (columns - begin) + 8) as u64;
            }
        }
        let first = self.target.saturating_sub(self.lo);
        let below = range_mut(below, 0, self.asked)?;
        below.fill(0.0);
        for (row, block) in cells.chunks_exact(block.max(1)).enumerate() {
            let released = row * plan.unit;
            for (u, to) in below.iter_mut().enumerate().skip(released) {
                let moment = |plane: usize| block.get(plane * columns + first + u).copied().unwrap_or(0.0);
                *to += if plan.planes == 1 { moment(0) } else { plan.at_most(u - released, moment) };
            }
        }
        Ok(work)
    }
}

impl Plan {
    /// The probability of a cell with at most `u` processors released by the narrow jobs.
    fn at_most(&self, u: usize, moment: impl Fn(usize) -> f64) -> f64 {
        let p = moment(0);
        if p <= f64::MIN_POSITIVE {
            return 0.0;
        }
        let (mean, square, cube) = (moment(1) / p, moment(2) / p, moment(3) / p);
        let variance = square - mean * mean;
        // The narrow jobs release multiples of their step: half a step beyond the last that counts.
        let step = self.step.max(1);
        let reach = (u / step * step) as f64 + 0.5 * step as f64 - mean;
        if variance <= 1e-9 * square.max(1.0) {
            return if reach > 0.0 { p } else { 0.0 };
        }
        let deviation = libm::sqrt(variance);
        let skewness = (cube - 3.0 * mean * square + 2.0 * mean * mean * mean) / (variance * deviation);
        let x = reach / deviation;
        let density = libm::exp(-0.5 * x * x) * 0.398_942_280_401_432_7;
        p * (normal::cdf(x) - density * skewness * (x * x - 1.0) / 6.0).clamp(0.0, 1.0)
    }
}

/// The columns of a row to write, for a member of this width.
struct Window {
    begin: usize,
    end: usize,
    width: usize,
}

impl Window {
    /// Every number stays with weight `keep` and comes from `width` below with weight `come`.
    fn step(&self, row: &mut [f64], copy: &mut [f64], keep: f64, come: f64) {
        let from = self.begin.saturating_sub(self.width);
        let (Some(old), Some(copy)) =
            (row.get(from..self.end), copy.get_mut(..self.end.saturating_sub(from)))
        else {
            return;
        };
        for (to, from) in copy.iter_mut().zip(old) {
            *to = *from;
        }
        let stays = copy.get(self.begin - from..).unwrap_or(&[]);
        let Some(row) = row.get_mut(self.begin..self.end) else { return };
        for (to, stay) in row.iter_mut().zip(stays) {
            *to = stay * keep;
        }
        // Below its width nothing can have come.
        let alone = self.width.saturating_sub(self.begin).min(row.len());
        for (to, came) in row.get_mut(alone..).unwrap_or(&mut []).iter_mut().zip(copy.iter()) {
            *to += came * come;
        }
    }

    /// Adds the numbers that come from `width` below in another row.
    fn plus(&self, row: &mut [f64], source: &[f64], weight: f64) {
        let first = self.begin.max(self.width);
        let source = source.get(first - self.width..).unwrap_or(&[]);
        let row = row.get_mut(first..self.end).unwrap_or(&mut []);
        for (to, came) in row.iter_mut().zip(source) {
            *to += came * weight;
        }
    }

    /// Adds a narrow member: the moments of a sum, from the highest down, so that those read are still without it.
    fn move_moments(&self, block: &mut [f64], columns: usize, copy: &mut [f64], m: Member) {
        let (zeroth, rest) = block.split_at_mut_checked(columns).unwrap_or((&mut [], &mut []));
        let (first, rest) = rest.split_at_mut_checked(columns).unwrap_or((&mut [], &mut []));
        let (second, third) = rest.split_at_mut_checked(columns).unwrap_or((&mut [], &mut []));
        let w = m.width as f64;
        let keep = 1.0 - m.after;
        self.step(third, copy, keep, m.after);
        self.plus(third, second, 3.0 * w * m.now);
        self.plus(third, first, 3.0 * w * w * m.now);
        self.plus(third, zeroth, w * w * w * m.now);
        self.step(second, copy, keep, m.after);
        self.plus(second, first, 2.0 * w * m.now);
        self.plus(second, zeroth, w * w * m.now);
        self.step(first, copy, keep, m.after);
        self.plus(first, zeroth, w * m.now);
        self.step(zeroth, copy, keep, m.after);
    }
}

pub(super) fn gcd(mut a: usize, mut b: usize) -> usize {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}
