//! Delays and verdicts from the probabilities that the walk finds.
//!
//! While instants go by, a tally keeps for every width `k` the delay of the head job so far by a candidate of that
//! width that is still running; each of the candidate's own ends then takes its share of it:
//!
//! | criterion     | the tally at time te, for width k                                  | source                          |
//! |---------------|--------------------------------------------------------------------|---------------------------------|
//! | `Probability` | Pr(the first passage of S over c_q before te lands in [c_q, c_q+k)) | eq. 1 of the 2007 paper, exactly |
//! | `Bound`       | max over t < te of Pr(c_q <= S(t) < c_q+k)                          | Algorithm 2                     |
//! | `Seconds`     | integral over t < te of Pr(c_q <= S(t) < c_q+k) dt                  | E[min(T(c), max(te, T(c_q))) - T(c_q)] |
//! | `Relative`    | the same, at the end divided by the head's expected wait E[T(c_q)]  |                                 |

use crate::backfill::convolve::sum;
use crate::backfill::walk::Found;
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range};
use bytemuck::{Pod, Zeroable};

/// Measure of the head job's delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Criterion {
    /// The exact probability that the candidate delays the head job.
    Probability = 0,
    /// The papers' lower bound of that probability.
    Bound = 1,
    /// The expected delay of the head job in seconds.
    Seconds = 2,
    /// The expected delay divided by the head job's own expected remaining wait.
    Relative = 3,
}

impl Criterion {
    /// The criterion with this number.
    pub fn from_number(number: u32) -> Option<Criterion> {
        [Criterion::Probability, Criterion::Bound, Criterion::Seconds, Criterion::Relative]
            .into_iter()
            .find(|criterion| *criterion as u32 == number)
    }

    /// The usual threshold: 0.05, or a minute.
    pub const fn usual_threshold(self) -> f64 {
        match self {
            Criterion::Probability | Criterion::Bound | Criterion::Relative => 0.05,
            Criterion::Seconds => 60.0,
        }
    }

    /// Whether delays are added up in seconds.
    pub(super) fn in_seconds(self) -> bool {
        matches!(self, Criterion::Seconds | Criterion::Relative)
    }

    /// Whether the walk must follow the distribution of S inside `[c_q, c_q + k)`.
    pub(super) fn needs_window(self) -> bool {
        self != Criterion::Probability
    }
}

/// Conditions on which a candidate is accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Measure of delays.
    pub criterion: Criterion,
    /// A candidate is accepted when its delay is strictly below this (the papers' tau): 0 accepts only the candidates
    /// that `or_easy` does.
    pub threshold: f64,
    /// The most that accepted delays may add up to for one head job (a union bound); infinity for no cap. Like `slip`
    /// it never holds up a candidate that delays nothing.
    pub budget: f64,
    /// The most expected seconds of delay that accepted candidates may add up to, over the head job's whole expected
    /// wait (the seconds waited so far and those expected still); infinity for no cap. For `Seconds` and `Relative`
    /// only.
    pub slip: f64,
    /// Seconds that the head job must have waited ([`Pass::set_head_waited`](crate::backfill::Pass::set_head_waited))
    /// before a candidate must also be harmless by the time limits, as EASY demands: it ends by its limit before the
    /// head could start if all jobs ran to their limits, or fits beside the head job then. Infinity for never, 0 for
    /// always.
    pub guard: f64,
    /// Whether candidates that EASY would start by the time limits are accepted whatever their delay, threshold and
    /// caps.
    pub or_easy: bool,
    /// Whether delays are computed no further than the verdicts need. The delays of candidates that `or_easy` accepts
    /// are left unmeasured ([`Exactness::NotMeasured`]) and not spent. With `Seconds` and `Relative` the others are
    /// bracketed by a few instants, and where the brackets settle a verdict they are reported: at most this where
    /// accepted ([`Exactness::AtMost`], and spent), at least this where refused. The decisions are the same, except
    /// where a delay is an estimate ([`Exactness::Estimate`]) within a hundredth of the threshold. A finite budget or
    /// slip needs every delay: with one, all are measured.
    pub unmeasured: bool,
}

impl Rule {
    /// The exact probability below 0.05, without a cap on the sum.
    pub const EXACT: Rule = Rule {
        criterion: Criterion::Probability,
        threshold: Criterion::Probability.usual_threshold(),
        budget: f64::INFINITY,
        slip: f64::INFINITY,
        guard: f64::INFINITY,
        or_easy: false,
        unmeasured: false,
    };

    /// The papers' criterion with their threshold 0.05.
    pub const PAPERS: Rule = Rule { criterion: Criterion::Bound, ..Rule::EXACT };

    /// Expected delay below 0.3 of the head job's expected remaining wait, and all candidates that EASY would start.
    pub const DELAY: Rule =
        Rule { criterion: Criterion::Relative, threshold: 0.3, or_easy: true, ..Rule::EXACT };

    /// Whether the delays of candidates that `or_easy` accepts are needed by nothing.
    pub(crate) fn leaves_unmeasured(&self) -> bool {
        self.or_easy && self.needs_verdicts_alone()
    }

    /// Whether nothing needs a delay beyond its verdict.
    pub(crate) fn needs_verdicts_alone(&self) -> bool {
        self.unmeasured && self.budget.is_infinite() && self.slip.is_infinite()
    }

    /// Whether the caps allow a delay, in the criterion's unit and in seconds, each beside the sum accepted before, of
    /// a head job with this whole wait. A delay of 0 is always allowed.
    pub(crate) fn affords(&self, delay: [f64; 2], seconds: [f64; 2], whole_wait: f64) -> bool {
        let within = |[more, borne]: [f64; 2], most: f64| more <= 0.0 || more + borne <= most;
        within(delay, self.budget) && (self.slip.is_infinite() || within(seconds, self.slip * whole_wait))
    }

    /// Refuses numbers out of their ranges.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for negative numbers, for a finite `slip` where the criterion
    /// knows no seconds.
    pub fn check(&self) -> Result<()> {
        let numbers = [self.threshold, self.budget, self.slip, self.guard];
        if numbers.into_iter().any(f64::is_nan) {
            Err(Error::NotANumber)
        } else if numbers.into_iter().any(|number| number < 0.0)
            || (self.slip.is_finite() && !self.criterion.in_seconds())
        {
            Err(Error::OutOfRange)
        } else {
            Ok(())
        }
    }

    /// Whether a head job that has waited these seconds is guarded.
    pub(super) fn guards(&self, waited: i64) -> bool {
        waited as f64 >= self.guard
    }
}

impl Default for Rule {
    /// [`Rule::DELAY`], the best of these rules; a caller that knows the usual waits adds a guard.
    fn default() -> Rule {
        Rule::DELAY
    }
}

/// A candidate's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Verdict {
    /// Not judged yet.
    Undecided = 0,
    /// May start.
    Accepted = 1,
    /// Its delay reaches the threshold.
    Refused = 2,
    /// Its delay is below the threshold, but the budget or the slip for this head job does not allow it.
    OverBudget = 3,
    /// Wider than the idle processors.
    DoesNotFit = 4,
    /// Accepted, but the caller could not start it.
    Declined = 5,
    /// By the limits it could delay the head job, which has waited long enough to be guarded.
    Guarded = 6,
    /// The head job cannot start even when all running jobs have ended: nodes may be down or drained. Nothing can delay
    /// it, and whether it still counts is unknown, so the candidate is not judged: the caller takes another head job,
    /// or starts any candidates it likes.
    HeadNever = 7,
}

impl Verdict {
    pub(crate) fn from_number(number: u32) -> Option<Verdict> {
        use Verdict::*;
        [Undecided, Accepted, Refused, OverBudget, DoesNotFit, Declined, Guarded, HeadNever]
            .into_iter()
            .find(|v| *v as u32 == number)
    }
}

/// Relation of a reported delay to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Exactness {
    /// The delay is exact (up to rounding).
    Exact = 0,
    /// The delay is at least this: refused before everything was added up.
    AtLeast = 1,
    /// The delay is at most this: accepted by a bound, where a rule leaves delays [unmeasured](Rule::unmeasured).
    AtMost = 2,
    /// A large group of equal times was too large to be exact: an estimate, of an accepted candidate's delay within
    /// about a hundredth, of a refused one's perhaps before everything was added up.
    Estimate = 3,
    /// Nothing is known of the delay, and the one given is 0: the verdict did not need it.
    NotMeasured = 4,
}

impl Exactness {
    pub(super) fn from_number(number: u32) -> Option<Exactness> {
        use Exactness::*;
        [Exact, AtLeast, AtMost, Estimate, NotMeasured].into_iter().find(|e| *e as u32 == number)
    }
}

/// The result for one candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Delay of the head job in the criterion's unit.
    pub delay: f64,
    /// Relation of `delay` to the true delay.
    pub exactness: Exactness,
    /// The verdict on the candidate.
    pub verdict: Verdict,
}

/// Result of judging candidates in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// This candidate is accepted.
    Accepted(usize),
    /// Work ends here for now.
    Interrupted,
    /// A verdict is open that brackets cannot find.
    Open,
    /// Every candidate has its verdict.
    All,
}

/// A candidate in the caller's block.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Candidate {
    pub processors: u32,
    /// Width of its landings, in units: the count of numbers of released processors at which it delays the head job.
    pub landings: u32,
    pub releases: u32,
    /// Releases already taken into account.
    pub taken: u32,
    pub verdict: u32,
    pub exactness: u32,
    /// Delay added up so far.
    pub delay: f64,
    /// Probability that it still runs after the releases taken.
    pub left: f64,
    /// The delay in seconds, where it was added up in seconds.
    pub seconds: f64,
    /// Seconds from now until its end by its limit.
    pub limit: i64,
    /// Whether it is accepted whatever its delay.
    pub exempt: u32,
    pub reserved: u32,
}

impl Candidate {
    /// Takes its next end, of this probability, off the probability that it still runs.
    pub(super) fn take(&mut self, probability: f64) {
        self.taken += 1;
        self.left = if self.taken >= self.releases { 0.0 } else { (self.left - probability).max(0.0) };
    }
}

/// Delays of the head job, by the width of the candidate, up to the present of the walk.
pub(super) struct Tally<'a> {
    /// Landings (`Probability`) or their integral over time (`Seconds`), by processors over the target; for `Bound` the
    /// largest probability of a delay so far, by width - 1.
    pub suffered: &'a mut [f64],
    /// Distribution of S on `[c_q, c_q + widest candidate)` since the last instant.
    pub window: &'a mut [f64],
}

impl Tally<'_> {
    /// Takes note of the window after an instant (`Bound`): the largest probability so far, for every width.
    pub(super) fn note_peak(&mut self) {
        let mut below = 0.0;
        for (peak, p) in self.suffered.iter_mut().zip(self.window.iter()) {
            below += p;
            *peak = f64::max(*peak, below);
        }
    }
}

/// The scalars of a judgement under way.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct JudgeState {
    /// Time up to which the tally is complete, in seconds from now.
    pub time: i64,
    /// The time of the last instant of all.
    pub horizon: i64,
    /// Probability that the head job could have started by now.
    pub started: f64,
    /// Its expected wait so far: the integral of Pr(not started).
    pub wait: f64,
    /// The first candidate without a verdict.
    pub first: u32,
    /// Whether a group of equal times had to be estimated.
    pub estimated: u32,
    /// Seconds from now up to which the walk has passed, while candidates that end before are still to be taken into
    /// account; 0 for none.
    pub passed: i64,
}

/// Probabilities below this do not count any more: the rounding of the sums is of this order.
const CERTAIN: f64 = 1e-14;

impl JudgeState {
    /// Whether the head's start is settled, up to rounding.
    pub(super) fn settled(&self) -> bool {
        1.0 - self.started <= CERTAIN
    }

    /// The head's expected wait from now on; its largest possible value while it is not known.
    fn longest_wait(&self) -> f64 {
        let rest = (1.0 - self.started).max(0.0) * self.horizon.saturating_sub(self.time).max(0) as f64;
        self.wait + if self.settled() { 0.0 } else { rest }
    }

    /// The unit in which sums are turned into delays: the head's wait for `Relative`.
    fn scale(&self, criterion: Criterion) -> f64 {
        if criterion != Criterion::Relative {
            return 1.0;
        }
        let wait = self.longest_wait();
        if wait > 0.0 { 1.0 / wait } else { 0.0 }
    }

    /// Adds the walk's result at the present instant.
    pub(super) fn book(&mut self, found: &Found) {
        self.started += found.started;
        self.estimated |= u32::from(found.estimated);
    }

    /// Moves the present to a later time, the state of the walk unchanged in between.
    pub(super) fn advance(&mut self, time: i64, tally: &mut Tally, criterion: Criterion) {
        let span = time.saturating_sub(self.time).max(0) as f64;
        self.time = self.time.max(time);
        if criterion.in_seconds() {
            // Once the start is settled what is left is rounding, which a job without a limit would multiply by 2^40 s.
            self.wait += if self.settled() { 0.0 } else { span * (1.0 - self.started) };
            for (sum, p) in tally.suffered.iter_mut().zip(tally.window.iter()) {
                *sum += span * p;
            }
        }
    }
}

/// Delay of the head job so far by a candidate of this width, were it still running.
fn cost(tally: &Tally, landings: u32, criterion: Criterion) -> Result<f64> {
    let width = landings as usize;
    Ok(match criterion {
        _ if width == 0 => 0.0,
        Criterion::Bound => *at(tally.suffered, width - 1)?,
        _ => sum(range(tally.suffered, 0, width)?),
    })
}

/// Takes one end of a candidate, at the present: its share of the tally, and an early refusal when that is too much
/// already.
pub(super) fn take_release(
    candidate: &mut Candidate,
    probability: f64,
    present: &JudgeState,
    tally: &Tally,
    rule: &Rule,
) -> Result<()> {
    candidate.take(probability);
    let cost = cost(tally, candidate.landings, rule.criterion)?;
    candidate.delay += probability * cost;
    refuse_early(candidate, cost, present, rule);
    Ok(())
}

/// Refuses when the delay can only end at or above the threshold: what is added up already, and what is left times what
/// it costs at least (the papers' second early exit).
fn refuse_early(candidate: &mut Candidate, cost: f64, present: &JudgeState, rule: &Rule) {
    if candidate.left <= 0.0 || candidate.exempt != 0 {
        return;
    }
    let least = (candidate.delay + candidate.left * cost) * present.scale(rule.criterion);
    if least >= rule.threshold {
        candidate.delay = least;
        let exactness = if present.estimated != 0 { Exactness::Estimate } else { Exactness::AtLeast };
        candidate.exactness = exactness as u32;
        candidate.verdict = Verdict::Refused as u32;
    }
}

/// Delays accepted for a head job so far, and its wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Borne {
    /// The accepted delays in the rule's unit.
    pub spent: f64,
    /// The same in seconds.
    pub seconds: f64,
    /// Seconds for which it has waited.
    pub waited: i64,
}

/// Gives verdicts in the order of the candidates as far as they are certain. Returns the first that is accepted, if
/// there is one. `over` is true when the walk has come to its end.
pub(super) fn settle(
    candidates: &mut [Candidate],
    present: &mut JudgeState,
    tally: &Tally,
    rule: &Rule,
    borne: &Borne,
    over: bool,
) -> Result<Option<usize>> {
    let seconds = rule.criterion.in_seconds();
    // The probability still to be added is at most that of the candidate running while the head has not started;
    // seconds are added as long as the candidate runs.
    let frozen = |left: f64| over || (!seconds && left * (1.0 - present.started) <= CERTAIN);
    let needs_wait = rule.criterion == Criterion::Relative || rule.slip.is_finite();
    let wait_known = !needs_wait || over || present.settled();
    let mut first = present.first;
    while (first as usize) < candidates.len() {
        let index = first as usize;
        let candidate = at_mut(candidates, index)?;
        if candidate.verdict != Verdict::Undecided as u32 {
            first += 1;
            present.first = first;
            continue;
        }
        if rule.leaves_unmeasured() && candidate.exempt != 0 {
            accept_unmeasured(candidate);
            return Ok(Some(index));
        }
        let cost = if candidate.left > 0.0 { cost(tally, candidate.landings, rule.criterion)? } else { 0.0 };
        if candidate.left > 0.0
            && frozen(candidate.left)
            && (!seconds || candidate.taken >= candidate.releases)
        {
            candidate.delay += candidate.left * cost;
            candidate.left = 0.0;
        }
        if candidate.left > 0.0 || !wait_known {
            refuse_early(candidate, cost, present, rule);
            if candidate.verdict == Verdict::Undecided as u32 {
                return Ok(None);
            }
            continue;
        }
        if conclude(candidate, present, rule, borne) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// Accepts a candidate without its delay.
pub(super) fn accept_unmeasured(candidate: &mut Candidate) {
    (candidate.delay, candidate.seconds) = (0.0, 0.0);
    candidate.exactness = Exactness::NotMeasured as u32;
    candidate.verdict = Verdict::Accepted as u32;
}

/// Gives the verdict on a candidate whose delay is added up; returns whether it is accepted.
pub(super) fn conclude(candidate: &mut Candidate, present: &JudgeState, rule: &Rule, borne: &Borne) -> bool {
    candidate.seconds = if rule.criterion.in_seconds() { candidate.delay } else { 0.0 };
    candidate.delay *= present.scale(rule.criterion);
    let exactness = if present.estimated != 0 { Exactness::Estimate } else { Exactness::Exact };
    candidate.exactness = exactness as u32;
    let exempt = candidate.exempt != 0;
    let accepted = exempt || candidate.delay < rule.threshold;
    let whole_wait = borne.waited as f64 + present.longest_wait();
    let (delay, seconds) = ([candidate.delay, borne.spent], [candidate.seconds, borne.seconds]);
    let affordable = exempt || rule.affords(delay, seconds, whole_wait);
    candidate.verdict = match (accepted, affordable) {
        (true, true) => Verdict::Accepted,
        (true, false) => Verdict::OverBudget,
        (false, _) => Verdict::Refused,
    } as u32;
    accepted && affordable
}
