//! The decision of a pass: the algorithm that a rule and a machine need, in slices of work.

use crate::backfill::bracket::LIVE;
use crate::backfill::pass::{DECIDING, FILLING, Pass};
use crate::backfill::spectrum::{KNOWN, SUMMING};
use crate::backfill::verdict::{Borne, Criterion, Rule, Settled};
use crate::error::{Error, Result};

/// Result of a call of [`Pass::decide`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// This candidate may start: [`Pass::commit`] it, or [`Pass::decline`] it.
    Accept(usize),
    /// The work limit is used up: call again with the same rule.
    More,
    /// Every candidate has its verdict.
    Done,
}

/// The algorithm by which verdicts are found; each has a file of its own that sets it up, steps and settles.
enum Method {
    /// Six or seven instants and an inequality.
    Brackets,
    /// The frequencies of the numbers of processors released.
    Spectrum,
    /// Every instant in time order.
    Walk,
}

impl Pass<'_> {
    /// Decides until the next candidate is accepted, all are decided, or about `work` multiply-adds are done (at least
    /// one step is made; one instant, or one job added, is never interrupted). A rule may change only where a decision
    /// is complete, not after [`Step::More`].
    ///
    /// For E releases of the running jobs and c processors still to be released for the head job, one walk costs about
    /// E c multiply-adds, or E (c + k) when the rule follows expected seconds or the papers' bound, with k the widest
    /// candidate, and k for each release of a candidate; each acceptance starts another walk. Setting a walk up is O(E)
    /// and not interrupted.
    ///
    /// From c + k = 2,048 on, in units of the widths' greatest common divisor, expected seconds are computed from K
    /// frequencies where some dozens suffice: E K multiply-adds once, then D K for each candidate judged or accepted,
    /// with D different ends of candidates, and nothing is walked anew. Setting that up is O(E + 16 c), not
    /// interrupted. Delays are then at most 5e-10 seconds too large for each second at which it is uncertain whether
    /// the head job could start, and never too small. One instant costs at most about 512 multiply-adds for each of the
    /// limits' `tie_cells`, and 14 times the jobs that may end at it times their processors.
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`Pass::begin`], while an accepted candidate waits for its commit, or when the rule
    /// changes in the middle; [`Error::NotANumber`] and [`Error::OutOfRange`] for the rule's numbers.
    pub fn decide(&mut self, rule: &Rule, work: u64) -> Result<Step> {
        rule.check()?;
        let mut done = 0;
        loop {
            if let Some(step) = self.decide_once(rule, work, &mut done)? {
                return Ok(step);
            }
            // The brackets left a verdict open: a walk follows.
            self.state.prepared = 0;
            if done >= work {
                return Ok(Step::More);
            }
        }
    }

    /// One step of [`Pass::decide`]; `None` where the brackets leave a verdict open.
    fn decide_once(&mut self, rule: &Rule, work: u64, done: &mut u64) -> Result<Option<Step>> {
        if self.state.phase != FILLING && self.state.phase != DECIDING {
            return Err(Error::WrongState);
        }
        let settled = if self.state.prepared == 0 {
            self.prepare(rule)?
        } else if self.is_rule(rule) {
            None
        } else {
            return Err(Error::WrongState);
        };
        let settled = match settled {
            Some(settled) => settled,
            None => match self.method() {
                Method::Brackets => self.decide_by_brackets(rule, work, done)?,
                Method::Spectrum => self.decide_by_spectrum(rule, work, done)?,
                Method::Walk => self.decide_by_walk(rule, work, done)?,
            },
        };
        Ok(match settled {
            Settled::Accepted(index) => Some(Step::Accept(index)),
            Settled::Interrupted => Some(Step::More),
            Settled::All => Some(Step::Done),
            Settled::Open => None,
        })
    }

    /// The algorithm that is set up.
    fn method(&self) -> Method {
        if self.state.brackets.phase == LIVE {
            Method::Brackets
        } else if matches!(self.state.spectrum.phase, SUMMING | KNOWN) {
            Method::Spectrum
        } else {
            Method::Walk
        }
    }

    /// The delays that the head job has borne already.
    pub(super) fn borne(&self, rule: &Rule) -> Borne {
        Borne {
            spent: self.spent(rule.criterion),
            seconds: self.spent(Criterion::Seconds),
            waited: self.state.head_waited,
        }
    }
}
