//! The exact distribution of the wait until more processors are free.
//!
//! The processors released by time t are a sum of independent jobs, each with its processors or nothing: p convolutions
//! give its distribution below the n' that are missing (the sum of Downey 1997, equation 8, without its 2^p terms). The
//! mean is the integral of Pr(F(t) < n') over t. Between the joints of the jobs' distributions this is a product of
//! logarithms, so Gauss-Legendre quadrature converges fast: eight nodes for each doubling of the youngest job's
//! lifetime leave an error of about 1e-12.

use crate::allocate::LONGEST;
use crate::allocate::check;
use crate::allocate::sizing::{Sizing, smallest};
use crate::backfill::convolve::{add_job, sum};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};

/// Largest difference by rounding of a probability from the one in question.
const ROUNDING: f64 = 1e-14;

/// Gauss-Legendre nodes and weights on (-1, 1), the positive half.
const TWO: [(f64, f64); 1] = [(0.577_350_269_189_625_8, 1.0)];
const FOUR: [(f64, f64); 2] =
    [(0.339_981_043_584_856_26, 0.652_145_154_862_546_1), (0.861_136_311_594_052_6, 0.347_854_845_137_453_9)];
const EIGHT: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_361_96),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_2, 0.101_228_536_290_376_26),
];

impl Sizing<'_> {
    /// The probability that at least `processors` are free `wait` seconds from now, if nothing else starts. O(running
    /// jobs x (releases + missing processors)).
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a wait outside 0 to 2^40 s or more processors than the machine
    /// has; [`Error::WrongState`] before [`Sizing::begin`].
    pub fn free_probability(&mut self, processors: u32, wait: f64) -> Result<f64> {
        check(wait, 0.0..=LONGEST)?;
        match self.missing(processors) {
            Ok(missing) => Ok((1.0 - self.short(missing, wait)?).clamp(0.0, 1.0)),
            Err(Error::Never) => Ok(0.0),
            Err(error) => Err(error),
        }
    }

    /// The shortest wait in seconds after which at least `processors` are free with at least this probability (0 to 1),
    /// if nothing else starts: .5 gives the median, 1 when they surely are. Exact to the last bits. O(64 x running jobs
    /// x (releases + missing processors)).
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a probability outside 0 to 1 or more processors than the
    /// machine has; [`Error::Never`] when the running jobs hold too few; [`Error::WrongState`] before
    /// [`Sizing::begin`].
    pub fn quantile(&mut self, processors: u32, probability: f64) -> Result<f64> {
        check(probability, 0.0..=1.0)?;
        let missing = self.missing(processors)?;
        let end = self.end()?;
        smallest(end, |wait| self.free_by(missing, probability, wait))
    }

    /// The mean wait in seconds until at least `processors` are free, if nothing else starts, to a relative error of
    /// about 1e-12. O(running jobs x missing processors) at eight places for each job and each doubling of time (one
    /// for each release where all jobs are binned).
    ///
    /// # Errors
    /// As [`Sizing::quantile`].
    pub fn mean(&mut self, processors: u32) -> Result<f64> {
        let missing = self.missing(processors)?;
        let Some(last) = (missing as usize).checked_sub(1) else { return Ok(0.0) };
        let mut integral = self.begin_integral(missing)?;
        while self.advance(&mut integral, missing)? {}
        at(self.parts.waits, last).copied()
    }

    /// Whether `missing` processors are released within `wait` with this probability.
    pub(super) fn free_by(&mut self, missing: u32, probability: f64, wait: f64) -> Result<bool> {
        let rest = 1.0 - probability;
        Ok(self.short(missing, wait)? <= rest + ROUNDING.min(rest))
    }

    /// Pr(fewer than `missing` processors are released within `wait`).
    fn short(&mut self, missing: u32, wait: f64) -> Result<f64> {
        self.released(missing, wait)?;
        Ok(sum(range(self.parts.front, 0, missing as usize)?))
    }

    /// Puts the distribution of the processors released within `wait` into the front row, as far as it is below
    /// `missing`.
    pub(super) fn released(&mut self, missing: u32, wait: f64) -> Result<()> {
        for index in 0..self.state.running as usize {
            let row = *at(self.parts.rows, index)?;
            let ended = self.ends_within(index, &row, wait)?;
            at_mut(self.parts.rows, index)?.ended = ended;
        }
        let missing = missing as usize;
        let parts = &mut self.parts;
        let (mut front, mut back) = (&mut *parts.front, &mut *parts.back);
        range_mut(front, 0, missing)?.fill(0.0);
        if let Some(first) = front.first_mut().filter(|_| missing > 0) {
            *first = 1.0;
        }
        let mut swapped = false;
        for row in range(parts.rows, 0, self.state.running as usize)? {
            if row.ended > 0.0 {
                add_job(front, 0, back, 0, missing, row.processors as usize, row.ended);
                core::mem::swap(&mut front, &mut back);
                swapped = !swapped;
            }
        }
        if swapped {
            core::mem::swap(&mut parts.front, &mut parts.back);
        }
        Ok(())
    }

    pub(super) fn begin_integral(&mut self, missing: u32) -> Result<Integral> {
        range_mut(self.parts.waits, 0, missing as usize)?.fill(0.0);
        Ok(Integral { reached: 0.0, end: self.end()? })
    }

    /// Integrates Pr(fewer than k released) over the next stretch of time for k from 1 to `missing`; false when the
    /// rest is negligible. `missing` may become smaller from call to call.
    pub(super) fn advance(&mut self, integral: &mut Integral, missing: u32) -> Result<bool> {
        let count = missing as usize;
        let from = integral.reached;
        if count == 0 || from >= integral.end {
            return Ok(false);
        }
        let (to, nodes) = self.stretch(from, integral.end)?;
        let (middle, half) = (from + (to - from) / 2.0, (to - from) / 2.0);
        if nodes.is_empty() {
            self.accumulate(count, middle, to - from)?;
        }
        for &(node, weight) in nodes.iter().rev() {
            self.accumulate(count, middle - half * node, half * weight)?;
        }
        for &(node, weight) in nodes {
            self.accumulate(count, middle + half * node, half * weight)?;
        }
        integral.reached = to;
        // The probability that processors are missing only falls after the last node.
        let short = sum(range(self.parts.front, 0, count)?);
        let found = *at(self.parts.waits, count - 1)?;
        Ok(to < integral.end && short * (integral.end - to) > found * 1e-14)
    }

    fn accumulate(&mut self, count: usize, wait: f64, weight: f64) -> Result<()> {
        self.released(count as u32, wait)?;
        let released = range(self.parts.front, 0, count)?;
        let mut below = 0.0;
        for (sum, mass) in range_mut(self.parts.waits, 0, count)?.iter_mut().zip(released) {
            below += mass;
            *sum += below * weight;
        }
        Ok(())
    }

    /// End of the stretch of time that begins at `from`, and its nodes: none where nothing changes on the way.
    fn stretch(&self, from: f64, end: f64) -> Result<(f64, &'static [(f64, f64)])> {
        let mut joint = end;
        // The youngest lifetime among those that may end on the way.
        let mut youngest = f64::INFINITY;
        for (index, row) in self.rows()?.iter().enumerate() {
            if row.releases == 0 {
                joint = joint.min(row.lifetime.next_joint(from));
                if row.lifetime.changes_after(from) {
                    youngest = youngest.min(row.lifetime.age + from);
                }
            } else {
                let releases = self.releases(index, row)?;
                let next = releases.partition_point(|release| release.after as f64 <= from);
                joint = releases.get(next).map_or(joint, |release| joint.min(release.after as f64));
            }
        }
        let to = joint.min(from + youngest);
        // Rounding must not stop time.
        let to = if to > from { to } else { end };
        let nodes: &[(f64, f64)] = match (to - from) / youngest {
            0.0 => &[],
            relative if relative < 1e-3 => &TWO,
            relative if relative < 0.08 => &FOUR,
            _ => &EIGHT,
        };
        Ok((to, nodes))
    }
}

/// Progress of the integration of the expected waits, in seconds.
pub(super) struct Integral {
    pub reached: f64,
    pub end: f64,
}
