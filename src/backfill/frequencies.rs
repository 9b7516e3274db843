//! Selects the frequencies of a spectrum to keep: those that are not negligible at one instant at least.

use crate::backfill::running::rewind;
use crate::backfill::spectrum::{Active, Views};
use crate::backfill::timeline::sort_in_place;
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};

/// Minus the logarithm of the least factor that a frequency must have somewhere to be kept.
const CUT: f64 = 25.4;

/// Bound on the change of a sum of about [`CUT`] by the order of up to a million summands.
const CUT_ROUNDING: f64 = 1e-7;

/// Runs of instants whose frequencies are bounded at once.
const RUNS: usize = 16;

/// The rows in the low halves of keys, the heaviest row first. The keys take the place of `cells`.
fn by_weight<'a>(cells: &'a mut [f64], weights: &[f64]) -> Result<&'a [u64]> {
    let keys: &mut [u64] = bytemuck::try_cast_slice_mut(cells).map_err(|_| Error::Corrupt)?;
    for (row, (key, weight)) in keys.iter_mut().zip(weights).enumerate() {
        // The bits of numbers that are not negative are in the order of the numbers.
        *key = u64::from(!(*weight as f32).to_bits()) << 32 | row as u64;
    }
    sort_in_place(keys)?;
    Ok(keys)
}

/// The sum of the rows' amounts, as far as it takes to reach `enough`.
fn add_up(
    rows: impl Iterator<Item = usize>,
    amount: impl Fn(usize) -> Result<f64>,
    enough: f64,
) -> Result<f64> {
    let mut sum = 0.0;
    for row in rows {
        sum += amount(row)?;
        if sum >= enough {
            break;
        }
    }
    Ok(sum)
}

impl Views<'_> {
    /// Marks the frequencies that are kept in the third buffer; `None` when they are more than `most`.
    pub(super) fn mark_frequencies(
        &mut self,
        active: &Active,
        rows: usize,
        most: usize,
    ) -> Result<Option<usize>> {
        let modulus = self.state.modulus as usize;
        let half = modulus / 2;
        self.cosines(half)?;
        range_mut(self.buffers, 2 * self.stride, half + 1)?.fill(0.0);
        rewind(self.running, self.releases)?;
        self.pass(0, active.first + 1)?;
        let size = (active.last - active.first).div_ceil(RUNS);
        let (mut passed, mut count) = (active.first + 1, 0);
        loop {
            // A run begins with the state in which the one before it ended; that after `last` matters no more.
            let end = (passed + size).min(active.last);
            let begin = range_mut(self.buffers, 3 * self.stride, self.running.len())?;
            for (begin, job) in begin.iter_mut().zip(self.running.iter()) {
                *begin = job.ended;
            }
            self.pass(passed, end)?;
            passed = end;
            let begin = self.buffers.split_at_mut_checked(3 * self.stride).ok_or(Error::Corrupt)?;
            let (low, (begin, sums)) =
                (begin.0, begin.1.split_at_mut_checked(self.stride).ok_or(Error::Corrupt)?);
            let (cosines, low) = low.split_at_mut_checked(self.stride).ok_or(Error::Corrupt)?;
            let (widths, marks) = low.split_at_mut_checked(self.stride).ok_or(Error::Corrupt)?;
            let (widths, sums) = (range(widths, 0, rows)?, range_mut(sums, 0, rows)?);
            // By width: the jobs' least p (1 - p) added up.
            sums.fill(0.0);
            for ((job, begin), &row) in self.running.iter().zip(&*begin).zip(self.row_of.iter()) {
                let least = f64::min(*begin * (1.0 - *begin), job.ended * (1.0 - job.ended));
                *at_mut(sums, row as usize)? += least;
            }
            let order = by_weight(range_mut(begin, 0, rows)?, sums)?;
            let marks = range_mut(marks, 0, half + 1)?;
            for (frequency, mark) in marks.iter_mut().enumerate().skip(1).filter(|(_, mark)| **mark == 0.0) {
                let amount = |row: usize| {
                    let width = *at(widths, row)? as u64;
                    let turn = (frequency as u64 * width).checked_rem(modulus as u64).unwrap_or(0) as usize;
                    Ok(at(sums, row)? * (1.0 - at(cosines, turn.min(modulus - turn))?))
                };
                // The heaviest rows first show soonest that a frequency is cut; for one that may be kept the sum in the
                // order of the jobs, with its rounding, decides.
                let heaviest = order.iter().map(|&key| key as u32 as usize);
                if add_up(heaviest, amount, CUT + CUT_ROUNDING)? < CUT + CUT_ROUNDING
                    && add_up(0..rows, amount, CUT)? < CUT
                {
                    *mark = 1.0;
                    count += 1;
                    if count > most {
                        return Ok(None);
                    }
                }
            }
            if passed >= active.last {
                return Ok(Some(count));
            }
        }
    }

    /// The cosines of all multiples of 2 pi / N up to half a turn, in the first buffer.
    fn cosines(&mut self, half: usize) -> Result<()> {
        let step = 2.0 * core::f64::consts::PI / f64::from(self.state.modulus);
        for (turn, cosine) in range_mut(self.buffers, 0, half + 1)?.iter_mut().enumerate() {
            *cosine = libm::cos(turn as f64 * step);
        }
        Ok(())
    }
}
