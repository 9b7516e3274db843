//! The beginning of a decision: verdicts that need no algorithm, and the setting up of one.

use crate::backfill::bracket;
use crate::backfill::by_brackets::Prepared;
use crate::backfill::crowd::gcd;
use crate::backfill::pass::{ACCEPTING, DECIDING, FILLING, Pass, candidate_slot};
use crate::backfill::reservation::Reservation;
use crate::backfill::running::measure;
use crate::backfill::spectrum::{self, DECLINED, KNOWN, SUMMING, UNTRIED};
use crate::backfill::timeline::{self, Entry};
use crate::backfill::triage::{Stage, Triage};
use crate::backfill::verdict::{self, Rule, Settled, Verdict};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::{Steps, write_kept};

/// Largest number of new running jobs that are merged into the sorted releases one by one; more are sorted with them.
const FEW: u32 = 4;

/// The candidates that are to be judged.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Listed {
    /// Greatest common divisor of the running jobs' processors, by which numbers of processors are counted.
    pub unit: u32,
    /// Processors that the head job still lacks.
    pub missing: u32,
    /// Number of landings of the widest candidate, in units.
    pub landings: u32,
    /// Number of candidates to be judged, and the processors that they ask for.
    pub undecided: u32,
    pub asked: u64,
    /// Greatest common divisor of the processors of all candidates that fit.
    pub finest: usize,
    /// Processors of all candidates that fit, except those that have started.
    pub most: u64,
}

/// Flags of the rule that concern the limits, as plain data.
fn by_limits(rule: &Rule) -> u32 {
    u32::from(rule.or_easy) | u32::from(rule.unmeasured) << 1
}

impl Pass<'_> {
    /// Whether this is the rule of the decision under way.
    pub(super) fn is_rule(&self, rule: &Rule) -> bool {
        rule.criterion as u32 == self.state.rule_criterion
            && rule.threshold == self.state.rule_threshold
            && rule.budget == self.state.rule_budget
            && rule.slip == self.state.rule_slip
            && rule.guard == self.state.rule_guard
            && by_limits(rule) == self.state.rule_by_limits
    }

    fn note_rule(&mut self, rule: &Rule) {
        let state = &mut *self.state;
        (state.rule_criterion, state.rule_by_limits) = (rule.criterion as u32, by_limits(rule));
        (state.rule_threshold, state.rule_budget) = (rule.threshold, rule.budget);
        (state.rule_slip, state.rule_guard) = (rule.slip, rule.guard);
    }

    /// Accepts the first undecided candidate without its delay, if the rule allows that and all before it are decided
    /// by the limits. O(candidates).
    fn accept_unmeasured(&mut self, guarded: bool, reservation: Reservation) -> Result<Option<Settled>> {
        let state = &mut *self.state;
        let candidates = range_mut(self.parts.candidates, 0, state.candidates as usize)?;
        for (index, candidate) in candidates.iter_mut().enumerate() {
            if candidate.verdict != Verdict::Undecided as u32 {
                continue;
            }
            if candidate.processors > state.idle {
                candidate.verdict = Verdict::DoesNotFit as u32;
            } else if reservation.harmless(candidate.limit, candidate.processors) {
                verdict::accept_unmeasured(candidate);
                (state.accepted, state.phase) = (index as u32, ACCEPTING);
                return Ok(Some(Settled::Accepted(index)));
            } else if guarded {
                candidate.verdict = Verdict::Guarded as u32;
            } else {
                break;
            }
        }
        Ok(None)
    }

    /// Sets an algorithm up for the jobs that run now and the candidates still undecided; returns the result if all is
    /// decided without one.
    pub(super) fn prepare(&mut self, rule: &Rule) -> Result<Option<Settled>> {
        let possible = self.state.idle as u64 + self.state.busy as u64;
        if possible < self.state.head_processors as u64 {
            return self.refuse_all();
        }
        if self.state.phase == FILLING {
            self.state.found = self.state.walk.running;
        }
        self.forget_question();
        let guarded = rule.guards(self.state.head_waited);
        let reservation = if guarded || rule.or_easy { Some(self.reservation()?) } else { None };
        self.note_rule(rule);
        if let Some(reservation) = reservation.filter(|_| rule.leaves_unmeasured()) {
            if let Some(accepted) = self.accept_unmeasured(guarded, reservation)? {
                return Ok(Some(accepted));
            }
        }
        let triage = Triage { idle: self.state.idle, guarded, reservation, or_easy: rule.or_easy };
        let brackets = rule.criterion.in_seconds() && rule.needs_verdicts_alone();
        if brackets && self.may_use_brackets() {
            match self.prepare_brackets(&triage)? {
                Prepared::Ready => return Ok(None),
                Prepared::Nothing => return Ok(Some(Settled::All)),
                Prepared::NoRoom => (),
            }
        } else if self.state.brackets.phase == bracket::LIVE {
            self.state.brackets.phase = bracket::UNTRIED;
        }
        self.prepare_exactly(rule, &triage)
    }

    /// Writes the releases of all jobs of which pieces are kept.
    pub(super) fn write_releases(&mut self) -> Result<()> {
        if core::mem::take(&mut self.state.kept) == 0 {
            return Ok(());
        }
        let (limits, mut steps) = (self.state.capacity, Steps::default());
        let mut write = |slot: usize, number: &mut u32| -> Result<()> {
            let slot = range_mut(self.parts.releases, slot, limits.releases_per_job())?;
            *number = write_kept(slot, *number, &mut steps)?;
            Ok(())
        };
        for job in range_mut(self.parts.running, 0, self.state.walk.running as usize)? {
            write(job.slot as usize, &mut job.releases)?;
        }
        let candidates = range_mut(self.parts.candidates, 0, self.state.candidates as usize)?;
        for (index, candidate) in candidates.iter_mut().enumerate() {
            write(candidate_slot(&limits, index), &mut candidate.releases)?;
        }
        Ok(())
    }

    /// Sets a spectrum or a walk up.
    fn prepare_exactly(&mut self, rule: &Rule, triage: &Triage) -> Result<Option<Settled>> {
        self.write_releases()?;
        let in_seconds = rule.criterion.in_seconds();
        let may_use_one = in_seconds
            && self.state.spectrum.phase == UNTRIED
            && self.state.head_processors >= spectrum::WIDE;
        // A spectrum covers the jobs that ran when the pass began, or those that are sorted already if these are more:
        // jobs started since only widen the range of numbers to be distinguished.
        let running = self.state.walk.running;
        let summed = if may_use_one { self.state.found.max(self.state.sorted).min(running) } else { running };
        if !in_seconds || self.state.spectrum.phase != KNOWN {
            self.sort_first(summed)?;
        }
        let listed = self.list(triage)?;
        if listed.undecided == 0 {
            return Ok(Some(Settled::All));
        }
        self.state.prepared = 1;
        if !in_seconds {
            let declined = self.state.spectrum.phase == DECLINED;
            self.state.spectrum.phase = if declined { DECLINED } else { UNTRIED };
        } else if may_use_one {
            self.set_up_spectrum(&listed, summed)?;
        } else if self.state.spectrum.phase == UNTRIED {
            self.state.spectrum.phase = DECLINED;
        }
        if in_seconds && self.state.spectrum.phase != DECLINED {
            self.state.judge = bytemuck::Zeroable::zeroed();
            return Ok(None);
        }
        self.sort()?;
        self.set_up_walk(rule, &listed)?;
        Ok(None)
    }

    /// Makes the candidates ready that are still to be judged, and lists the ends of all that fit.
    fn list(&mut self, triage: &Triage) -> Result<Listed> {
        let (state, parts) = (&mut *self.state, &mut self.parts);
        let unit = measure(range_mut(parts.running, 0, state.walk.running as usize)?);
        let missing = state.head_processors.checked_sub(state.idle).ok_or(Error::Corrupt)?;
        let target = missing.div_ceil(unit);
        let mut found = Listed { unit, missing, ..Listed::default() };
        let (mut ends, listed) = (0, state.listed != 0);
        let candidates = range_mut(parts.candidates, 0, state.candidates as usize)?;
        for (index, candidate) in candidates.iter_mut().enumerate() {
            let stage = triage.stage(candidate);
            if stage == Stage::Out {
                continue;
            }
            found.finest = gcd(found.finest, candidate.processors as usize);
            // No candidate can have joined since they were listed; guarded ones may be judged by another rule later.
            if !listed {
                let slot = candidate_slot(&state.capacity, index);
                for release in range(parts.releases, slot, candidate.releases as usize)? {
                    *at_mut(parts.ends, ends)? = Entry::new(release.after, index as u32, false);
                    ends += 1;
                }
            }
            if stage == Stage::Started {
                continue;
            }
            found.most += u64::from(candidate.processors);
            if stage == Stage::Guarded {
                continue;
            }
            candidate.landings = (missing + candidate.processors).div_ceil(unit) - target;
            found.undecided += 1;
            found.asked += u64::from(candidate.processors);
            candidate.left = 1.0;
            found.landings = found.landings.max(candidate.landings);
        }
        state.phase = DECIDING;
        if !listed {
            // Nothing is kept of a walk yet.
            timeline::sort(range_mut(parts.ends, 0, ends)?, bytemuck::cast_slice_mut(parts.store))?;
            (state.ends, state.listed) = (ends as u32, 1);
        }
        Ok(found)
    }

    /// Gives every candidate the verdict that the head job can never start: all running jobs together do not make room
    /// for it.
    fn refuse_all(&mut self) -> Result<Option<Settled>> {
        self.state.phase = DECIDING;
        let idle = self.state.idle;
        for candidate in range_mut(self.parts.candidates, 0, self.state.candidates as usize)? {
            let verdict = if candidate.processors > idle { Verdict::DoesNotFit } else { Verdict::HeadNever };
            candidate.verdict = verdict as u32;
        }
        Ok(Some(Settled::All))
    }

    /// Sorts the releases of the jobs running now into instants, unless that is done. Jobs that started since the last
    /// time are merged in.
    pub(super) fn sort(&mut self) -> Result<()> {
        self.sort_first(self.state.walk.running)
    }

    /// Sorts the releases of the first `running` jobs only.
    fn sort_first(&mut self, running: u32) -> Result<()> {
        self.write_releases()?;
        if self.state.sorted == running {
            return Ok(());
        }
        let few = running - self.state.sorted.min(running) <= FEW;
        let (before, mut count) = if few { (self.state.sorted, self.state.entries as usize) } else { (0, 0) };
        let parts = &mut self.parts;
        for index in before..running {
            let job = at(parts.running, index as usize)?;
            let sorted = count;
            let mut first = true;
            for release in range(parts.releases, job.slot as usize, job.releases as usize)? {
                *at_mut(parts.entries, count)? = Entry::new(release.after, index, first);
                first = false;
                count += 1;
            }
            if before > 0 {
                timeline::merge(range_mut(parts.entries, 0, count)?, count - sorted, parts.spare)?;
            }
        }
        let entries = range_mut(parts.entries, 0, count)?;
        let kept = self.state.walk.segments > 0
            || self.state.brackets.phase == bracket::LIVE
            || matches!(self.state.spectrum.phase, SUMMING | KNOWN);
        if before == 0 && !kept {
            timeline::sort(entries, bytemuck::cast_slice_mut(parts.store))?;
        } else if before == 0 {
            // The store, the spare memory of a sort, holds results of a walk or a spectrum.
            timeline::sort_in_place(entries)?;
        }
        self.state.walk.instants = timeline::gather(entries, parts.begins)? as u32;
        (self.state.sorted, self.state.entries) = (running, count as u32);
        Ok(())
    }
}
