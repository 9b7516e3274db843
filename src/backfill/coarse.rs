//! Verdicts from coarse widths, where a rule wants no more of a delay than the verdict
//! ([`Rule::unmeasured`](crate::backfill::Rule::unmeasured)).
//!
//! Widths are rounded to units of `u` processors, and a walk follows a `u`th of the numbers. `S = u Q + R`: `Q` is the
//! sum of the rounded widths of the jobs that have ended, and `R` the sum of what rounding left over. What it leaves
//! over of one job is carried to the next in the order of the limits, which makes the parts of `R` nearly cancel, and
//! by Bernstein's inequality `-below <= R <= above` at every instant, each but for a probability of [`ERROR`]. Hence
//! `Pr(u Q < a - above) <= Pr(S < a) <= Pr(u Q < a + below)` but for that, and one walk over `Q` bounds the head's
//! expected wait and each candidate's delay from both sides. Where both bounds are on one side of the threshold the
//! verdict is that of the exact walk; where they are not, a walk on finer widths follows, and at last the exact one.

use crate::backfill::convolve::sum;
use crate::backfill::frame::WalkState;
use crate::backfill::running::{Running, measure, pass_release, rewind};
use crate::backfill::timeline::{Entry, Timeline};
use crate::backfill::verdict::{self, Candidate, Criterion, Exactness, JudgeState, Rule, Tally, Verdict};
use crate::error::Result;
use crate::memory::{at, at_mut, range};
use crate::runtime::Release;
use bytemuck::{Pod, Zeroable};

/// The probability with which `R` may be beyond a bound.
const ERROR: f64 = 1e-8;

/// Minus its logarithm.
const TAIL: f64 = 18.421;

/// Narrower machines are walked through as they are.
const WIDE: u32 = 2048;

/// The coarsest widths leave this number of numbers up to the target, or up to twice as many.
const FEWEST_NUMBERS: u32 = 256;

/// Bits by which widths are finer in the walk after one that left a verdict open.
const STEP: u32 = 2;

/// The next walk is on exact widths.
const EXACT: u32 = u32::MAX;

/// The coarse widths of the walk under way.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Coarse {
    /// A coarse unit is 2 to the power of this many exact ones; 0 while widths are exact.
    pub shift: u32,
    /// The shift of the next walk: 0 until a verdict has been left open since the last acceptance, then a finer one,
    /// then [`EXACT`].
    next: u32,
    /// How far `R` may be below and above 0, in exact units.
    below: u32,
    above: u32,
    /// Processors missing to the head job, in exact units, and the target of the walk, in coarse ones.
    missing: u32,
    pub target: u32,
    /// What exact walks have kept, while a coarse one is under way: see [`WalkState`].
    reach: u32,
    grain: u32,
    segments: u32,
    kept: u32,
}

impl Coarse {
    /// Whether the walk under way is on coarse widths.
    pub(super) fn is_on(&self) -> bool {
        self.shift > 0
    }

    /// These widths leave a verdict open: finer ones follow, exact ones at last.
    pub(super) fn refine(&mut self) {
        self.next = self.shift.checked_sub(STEP).filter(|&shift| shift > 0).unwrap_or(EXACT);
    }

    /// All widths are tried again: what runs is not what it was.
    pub(super) fn retry(&mut self) {
        self.next = 0;
    }

    /// Takes a walk for coarse widths, over numbers up to `landings` above the target, which keeps nothing and leaves
    /// alone what exact ones have kept.
    pub(super) fn lend(&mut self, walk: &mut WalkState, landings: u32) {
        (self.reach, self.grain, self.segments, self.kept) =
            (walk.reach, walk.grain, walk.segments, walk.kept);
        (walk.target, walk.high) = (self.target, self.target.saturating_add(landings));
        (walk.reach, walk.grain, walk.segments, walk.kept) = (walk.high, 0, 0, 0);
    }

    /// Gives the walk back, if it was taken: its widths are exact again once they are measured.
    pub(super) fn give_back(&mut self, walk: &mut WalkState) {
        if self.is_on() {
            (walk.reach, walk.grain, walk.segments, walk.kept) =
                (self.reach, self.grain, self.segments, self.kept);
            self.shift = 0;
        }
    }

    /// The shift of the next walk to a target in exact units; `None` for exact widths.
    fn next(&self, target: u32) -> Option<u32> {
        match self.next {
            0 if target < WIDE => None,
            0 => Some(target.ilog2() - FEWEST_NUMBERS.ilog2()),
            EXACT => None,
            shift => Some(shift).filter(|&shift| shift < u32::BITS),
        }
    }

    /// Rounds the running jobs' widths for the next walk, if it is on coarse ones; `target` exact units are missing to
    /// the head job. O(releases) for each unit tried.
    pub(super) fn round(&mut self, target: u32, widths: &mut Widths) -> Result<()> {
        self.missing = target;
        while let Some(shift) = self.next(target) {
            self.shift = shift;
            let most = widths.round(shift)?;
            (self.below, self.above) = widths.band(shift, most)?;
            self.target = self.up(target.saturating_sub(self.above));
            if self.target > 0 {
                return Ok(());
            }
            self.refine();
        }
        self.shift = 0;
        measure(widths.running);
        Ok(())
    }

    /// A number of exact units in coarse ones, rounded up.
    fn up(&self, units: u32) -> u32 {
        // The shift of a damaged block may be anything.
        let below_unit = 1u32.checked_shl(self.shift).map_or(0, |unit| unit - 1);
        units.checked_shr(self.shift).unwrap_or(0) + u32::from(units & below_unit > 0)
    }

    /// The numbers from the target on at which a candidate of `landings` exact units may delay the head job.
    pub(super) fn most_landings(&self, landings: u32) -> u32 {
        let reach = self.missing.saturating_add(landings).saturating_add(self.below);
        self.up(reach).saturating_sub(self.target)
    }

    /// The numbers up to which it does for certain; those before [`Coarse::unsure`] do not count.
    fn least_landings(&self, landings: u32) -> u32 {
        let reach = self.missing.saturating_add(landings).saturating_sub(self.above);
        self.up(reach).saturating_sub(self.target)
    }

    /// The numbers from the target on at which the head job may or may not have started.
    fn unsure(&self) -> u32 {
        self.up(self.missing.saturating_add(self.below)).saturating_sub(self.target)
    }

    /// The most and the least that a candidate would have cost the head job so far, were it still running.
    fn costs(&self, tally: &Tally, candidate: &Candidate) -> Result<(f64, f64)> {
        let (unsure, least) = (self.unsure(), self.least_landings(candidate.landings));
        let upper = sum(range(tally.suffered, 0, self.most_landings(candidate.landings) as usize)?);
        let lower = match least.checked_sub(unsure) {
            Some(count) => sum(range(tally.suffered, unsure as usize, count as usize)?),
            None => 0.0,
        };
        Ok((upper, lower))
    }

    /// As `verdict::take_release`.
    pub(super) fn take_release(
        &self,
        candidate: &mut Candidate,
        probability: f64,
        present: &JudgeState,
        tally: &Tally,
        rule: &Rule,
    ) -> Result<()> {
        let (upper, lower) = self.costs(tally, candidate)?;
        candidate.take(probability);
        candidate.delay += probability * upper;
        candidate.seconds += probability * lower;
        if candidate.exempt == 0 {
            self.refuse(candidate, candidate.left * lower, present, tally, rule)?;
        }
        Ok(())
    }

    /// The least and the most of what delays are measured in: the head's expected wait for `Relative`.
    fn waits(&self, present: &JudgeState, tally: &Tally, rule: &Rule) -> Result<(f64, f64)> {
        if rule.criterion != Criterion::Relative {
            return Ok((1.0, 1.0));
        }
        let unsure = self.unsure() as usize;
        let open = 1.0 - present.started + sum(range(tally.window, 0, unsure)?);
        let rest = open.max(0.0) * (present.horizon - present.time).max(0) as f64;
        let most = present.wait + sum(range(tally.suffered, 0, unsure)?) + rest + slack(present);
        Ok((present.wait - slack(present), most))
    }

    /// Refuses a candidate that reaches the threshold for certain, `more` of its least delay still to be added.
    fn refuse(
        &self,
        candidate: &mut Candidate,
        more: f64,
        present: &JudgeState,
        tally: &Tally,
        rule: &Rule,
    ) -> Result<()> {
        let least = candidate.seconds + more - slack(present);
        let (_, most_wait) = self.waits(present, tally, rule)?;
        if least >= rule.threshold * most_wait && least > 0.0 {
            (candidate.delay, candidate.seconds) = (least / most_wait, 0.0);
            candidate.exactness = Exactness::AtLeast as u32;
            candidate.verdict = Verdict::Refused as u32;
        }
        Ok(())
    }

    /// As `verdict::settle`, for rules without caps.
    pub(super) fn settle(
        &self,
        candidates: &mut [Candidate],
        present: &mut JudgeState,
        tally: &Tally,
        rule: &Rule,
    ) -> Result<Option<usize>> {
        while let Some(candidate) = candidates.get_mut(present.first as usize) {
            let index = present.first as usize;
            if candidate.verdict != Verdict::Undecided as u32 {
                present.first += 1;
                continue;
            }
            if candidate.exempt != 0 {
                verdict::accept_unmeasured(candidate);
                return Ok(Some(index));
            }
            if candidate.left <= 0.0 {
                let most = candidate.delay + slack(present);
                let (least_wait, _) = self.waits(present, tally, rule)?;
                if most < rule.threshold * least_wait {
                    (candidate.delay, candidate.seconds) = (most / least_wait, most);
                    candidate.exactness = Exactness::AtMost as u32;
                    candidate.verdict = Verdict::Accepted as u32;
                    return Ok(Some(index));
                }
                self.refuse(candidate, 0.0, present, tally, rule)?;
            }
            if candidate.verdict == Verdict::Undecided as u32 {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// The running jobs whose widths are rounded, and their releases.
pub(super) struct Widths<'a> {
    pub running: &'a mut [Running],
    /// The running jobs in the order of their limits.
    pub limits: &'a [Entry],
    pub releases: &'a [Release],
    pub timeline: Timeline<'a>,
    pub instants: usize,
    /// Processors of an exact unit.
    pub unit: u32,
}

impl Widths<'_> {
    /// A job's width in exact units.
    fn exact(&self, job: &Running) -> i64 {
        i64::from(job.processors.checked_div(self.unit).unwrap_or(0))
    }

    /// Rounds all widths; returns the most that is left over of one.
    fn round(&mut self, shift: u32) -> Result<i64> {
        let half = 1i64 << (shift - 1);
        let (mut carried, mut most) = (0, 0);
        for entry in range(self.limits, 0, self.running.len())? {
            let exact = self.exact(at(self.running, entry.job() as usize)?);
            let wanted = exact + carried;
            let rounded = (wanted + half) >> shift;
            carried = wanted - (rounded << shift);
            most = most.max((exact - (rounded << shift)).abs());
            at_mut(self.running, entry.job() as usize)?.width = rounded as u32;
        }
        Ok(most)
    }

    /// How far below and above 0 what is left over of the jobs that have ended may be at any instant, at most `most` of
    /// each.
    fn band(&mut self, shift: u32, most: i64) -> Result<(u32, u32)> {
        rewind(self.running, self.releases)?;
        let linear = TAIL * most as f64 / 3.0;
        let (mut mean, mut variance, mut below, mut above) = (0.0, 0.0, 0.0, 0.0);
        for index in 0..self.instants {
            for entry in self.timeline.instant(index)? {
                let job = *at(self.running, entry.job() as usize)?;
                let over = (self.exact(&job) - (i64::from(job.width) << shift)) as f64;
                let passed = at_mut(self.running, entry.job() as usize)?;
                pass_release(passed, self.releases)?;
                let (before, after) = (job.ended, passed.ended);
                mean += over * (after - before);
                variance += over * over * (after * (1.0 - after) - before * (1.0 - before));
            }
            let reach = linear + libm::sqrt(linear * linear + 2.0 * TAIL * f64::max(variance, 0.0));
            below = f64::max(below, reach - mean);
            above = f64::max(above, reach + mean);
        }
        // One more for the rounding of the sums.
        let whole = |bound: f64| (libm::ceil(bound) as u32).saturating_add(1);
        Ok((whole(below), whole(above)))
    }
}

/// What the bounds may be off by, in seconds: rounding, and the probability that `R` is beyond them at any time.
fn slack(present: &JudgeState) -> f64 {
    2.0 * ERROR * present.horizon as f64 + 1e-9 * present.wait
}
