//! The estimate of one context: its counts, backed off to a wider context, and the logarithm of that in a byte.
//!
//! With c_j the recency-weighted counts of the bins that the limit leaves, q the wider context's distribution, and d
//! the number of bins seen, p_j = (c_j + prior (1 + d) q_j) / (sum of c + prior (1 + d)): the more bins like jobs have
//! ended in, the more the wider context counts (the estimate of Witten & Bell 1991, made continuous). Before that, run
//! times being ordered, a share of each count moves to the bins beside it, the smaller the more jobs there are.
//!
//! All bins beyond the limit's are one cell, behind it. Contexts whose jobs have different limits cannot count it: they
//! take the wider one's share.

use super::contexts::{Context, Reference};
use super::lanes::{LANES, fold, groups, ln};
use crate::memory::copy;

/// The least count with which a bin is one of those seen.
const SEEN: f32 = 0.05;
/// Share of a count that moves to the bins beside it, when no job is known.
const SMOOTHING: f32 = 0.2;
/// Steps of a byte for each unit of the natural logarithm.
pub const SCALE: f32 = 16.0;

/// The bins that a job's limit leaves.
#[derive(Debug, Clone, Copy)]
pub struct LimitedBins {
    /// The limit's bin.
    pub limit: usize,
    /// The last cell: that of all bins beyond, or the limit's if it is the last bin.
    pub last: usize,
    /// Number of bins.
    pub bins: usize,
    /// Share of all jobs that ended beyond their limit's bin.
    pub beyond: f32,
}

impl LimitedBins {
    /// Cells by which a row is shifted against the bins that it counts.
    pub fn shift(&self, reference: Reference, bin: usize) -> isize {
        match reference {
            Reference::First => 0,
            // The last cell is for what is beyond the limit's bin.
            Reference::Limit => self.bins as isize - 2 - bin as isize,
            _ => (self.bins / 2) as isize - bin as isize,
        }
    }

    /// The cell in which a job's bin is counted; the first and last cells are also those of bins outside the row.
    pub fn cell(&self, reference: Reference, bin: usize, ended: usize) -> usize {
        let cell = ended as isize + self.shift(reference, bin);
        cell.min(self.bins as isize - 1).max(0) as usize
    }
}

/// Sums of the numbers, of lanes first.
fn total<const N: usize>(numbers: &[f32; N]) -> f32 {
    let mut lanes = [0.0; LANES];
    for group in groups(numbers) {
        for (lane, x) in lanes.iter_mut().zip(group) {
            *lane += x;
        }
    }
    fold(lanes)
}

/// Number of the bins seen. Compilers take vector instructions for this loop, and not for its steps written out where
/// they know the number of bins.
#[inline(never)]
fn seen(counts: &[f32]) -> i32 {
    counts.iter().map(|count| i32::from(*count > SEEN)).sum()
}

/// The sums of the counts beside each; the first counts as beside itself.
#[inline]
fn beside<const N: usize>(counts: &[f32; N]) -> [f32; N] {
    let mut beside = [0.0f32; N];
    let (below, above) = (counts.get(..N - 2).unwrap_or_default(), counts.get(2..).unwrap_or_default());
    for ((to, below), above) in beside.get_mut(1..).unwrap_or_default().iter_mut().zip(below).zip(above) {
        *to = below + above;
    }
    if let (Some(to), [first, second, ..]) = (beside.first_mut(), counts.as_slice()) {
        *to = second + first;
    }
    if let (Some(to), [.., below, _]) = (beside.last_mut(), counts.as_slice()) {
        *to = *below;
    }
    beside
}

/// The counts of a row in the cells from 0 on, those beyond the limit's bin 0.
#[inline]
fn counts_of<const N: usize>(row: &[f32], shift: isize, bins: usize, mask: &[f32; N]) -> [f32; N] {
    let mut shifted;
    let row = match row.first_chunk::<N>() {
        Some(whole) if shift == 0 => whole,
        _ => {
            let (from, to) = (shift.max(0) as usize, shift.min(0).unsigned_abs());
            shifted = [0.0f32; N];
            copy(shifted.get_mut(to..bins.min(N)).unwrap_or_default(), row.get(from..).unwrap_or_default());
            &shifted
        }
    };
    let mut counts = [0.0f32; N];
    for ((count, own), mask) in counts.iter_mut().zip(row).zip(mask) {
        *count = own * mask;
    }
    counts
}

/// Writes a context's distribution, given its row and the wider context's distribution, and returns the sum of its
/// counts: 0 when there is no row, or none in these bins. `mask` is 1 in the bins up to the limit's, 0 beyond. N is
/// more than the last cell.
#[inline]
pub fn estimate<const N: usize>(
    context: &Context,
    row: Option<&[f32]>,
    reference: usize,
    limited: &LimitedBins,
    mask: &[f32; N],
    wider: &[f32; N],
    out: &mut [f32; N],
) -> f32 {
    let Some(row) = row else {
        *out = *wider;
        return 0.0;
    };
    let shift = limited.shift(context.reference, reference);
    let counts = counts_of(row, shift, limited.bins, mask);
    let within = total(&counts);
    let beyond_cell = limited.last > limited.limit;
    let mut beyond = 0.0;
    if beyond_cell && context.limited {
        let last = limited.last.saturating_add_signed(shift);
        let cells = row.get(last..).unwrap_or_default();
        let cells = cells.get(..limited.bins.saturating_sub(limited.last)).unwrap_or(cells);
        for count in cells {
            beyond += count;
        }
    } else if beyond_cell {
        let share = wider.get(limited.last).copied().unwrap_or(0.0);
        beyond = within * share / (1.0 - share);
    }
    let sum = within + beyond;
    if sum <= 0.0 {
        *out = *wider;
        return 0.0;
    }
    let seen = seen(&counts) + i32::from(beyond > SEEN);
    let prior = context.prior * (1.0 + seen as f32);
    let scale = 1.0 / (sum + prior);
    // The bins beside, where there are any, get half of the moved share each, so that the sum stays.
    let moved = SMOOTHING * prior * scale;
    let mut beside = beside(&counts);
    if let (Some(to), Some(from)) = (beside.get_mut(limited.limit), counts.get(limited.limit)) {
        *to += *from;
    }
    let all = counts.iter().zip(&beside).zip(mask).zip(wider);
    for (out, (((count, beside), mask), wider)) in out.iter_mut().zip(all) {
        let count = count + moved * (0.5 * (beside * mask) - count);
        *out = (count + prior * wider) * scale;
    }
    if let Some(out) = out.get_mut(limited.last).filter(|_| beyond_cell) {
        // The loop wrote this cell without its count.
        *out += beyond * scale;
    }
    sum
}

/// The whole part of a number from 0 to 255, in the low byte, by vector instructions: the nearest whole number is in
/// the last bits of the number plus 2^23, and is one too many where it lies above.
#[inline]
fn whole(x: f32) -> u32 {
    const UNIT: f32 = 8_388_608.0;
    let nearest = x + UNIT;
    nearest.to_bits().wrapping_sub(u32::from(nearest - UNIT > x))
}

/// The byte of every probability's logarithm: -16 ln p, rounded, at most 255, as behind the last probability.
/// (Comparisons instead of the standard library's least and largest, which take three instructions because of what is
/// no number.)
#[inline]
pub fn logarithms<const N: usize>(probabilities: &[f32; N], out: &mut [u8]) {
    let mut bytes = [0u32; N];
    for (byte, &p) in bytes.iter_mut().zip(probabilities) {
        let p = if p > 1e-30 { p } else { 1e-30 };
        let steps = 0.5 - SCALE * ln(p);
        let steps = if steps < 255.0 { steps } else { 255.0 };
        *byte = whole(if steps > 0.0 { steps } else { 0.0 });
    }
    let bytes = bytes.map(|byte| byte as u8);
    match out.split_first_chunk_mut() {
        Some((first, behind)) => {
            *first = bytes;
            behind.fill(u8::MAX);
        }
        None => copy(out, &bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_parts_are_those_of_a_cast() {
        let mut x = 0.0f32;
        while x <= 255.0 {
            for x in [x, x.next_down().max(0.0), x.next_up().min(255.0)] {
                assert_eq!(whole(x) as u8, x as u8, "{x}");
            }
            x += 0.001_953_125;
        }
    }
}
