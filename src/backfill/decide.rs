//! The decision loop of a pass: walk and candidates' ends merged in time order.

use crate::backfill::bracket;
use crate::backfill::by_brackets::{Prepared, Settled};
use crate::backfill::crowd::gcd;
use crate::backfill::frame::{Tree, WalkState};
use crate::backfill::pass::{ACCEPTING, DECIDING, FILLING, Parts, Pass, candidate_slot};
use crate::backfill::reservation::Reservation;
use crate::backfill::running::measure;
use crate::backfill::segment::Segments;
use crate::backfill::spectrum::{self, DECLINED, KNOWN, SUMMING, UNTRIED};
use crate::backfill::tie::Tie;
use crate::backfill::timeline::{self, Entry, Timeline};
use crate::backfill::triage::{Stage, Triage};
use crate::backfill::verdict::{self, Borne, Candidate, Criterion, JudgeState, Rule, Tally, Verdict};
use crate::backfill::walk::{Progress, Walk};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};

/// Largest number of new running jobs that are merged into the sorted releases one by one; more are sorted with them.
const FEW: u32 = 4;

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

/// A pass's slices as the decision loop needs them.
pub(super) struct Views<'v> {
    pub(super) walk: Walk<'v>,
    candidates: &'v mut [Candidate],
    ends: &'v [Entry],
    pub(super) suffered: &'v mut [f64],
    pub(super) window: &'v mut [f64],
}

impl Parts<'_> {
    pub(super) fn views<'v>(&'v mut self, walk: &'v mut WalkState, processors: u32) -> Views<'v> {
        let [first, second] = &mut self.rows;
        let tree = Tree {
            state: walk,
            running: self.running,
            releases: self.releases,
            timeline: Timeline { entries: self.entries, begins: self.begins },
            order: self.order,
            frames: self.frames,
            buffers: self.buffers,
            stride: processors as usize,
        };
        let walk = Walk {
            tree,
            segments: Segments { list: self.segments, store: self.store },
            tie: Tie { cells: self.cells, rows: [first, second] },
        };
        Views {
            walk,
            candidates: self.candidates,
            ends: self.ends,
            suffered: self.suffered,
            window: self.window,
        }
    }
}

impl Parts<'_> {
    fn spectrum<'v>(
        &'v mut self,
        state: &'v mut spectrum::Spectrum,
        walk: &WalkState,
        running: u32,
        processors: u32,
    ) -> Result<(spectrum::Views<'v>, &'v mut [Candidate], &'v [Entry])> {
        let running = running as usize;
        let views = spectrum::Views {
            state,
            running: range_mut(self.running, 0, running)?,
            releases: self.releases,
            timeline: Timeline { entries: self.entries, begins: self.begins },
            instants: walk.instants as usize,
            row_of: range_mut(self.order, 0, running)?,
            buffers: self.buffers,
            stride: processors as usize,
            store: self.store,
        };
        Ok((views, self.candidates, self.ends))
    }
}

/// Flags of the rule that concern the limits, as plain data.
fn by_limits(rule: &Rule) -> u32 {
    u32::from(rule.or_easy) | u32::from(rule.unmeasured) << 1
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

    /// [`Pass::decide`] by brackets that may leave a verdict open: `None` then.
    fn decide_once(&mut self, rule: &Rule, work: u64, done: &mut u64) -> Result<Option<Step>> {
        if self.state.phase != FILLING && self.state.phase != DECIDING {
            return Err(Error::WrongState);
        }
        if self.state.prepared == 0 {
            if let Some(step) = self.prepare(rule)? {
                return Ok(Some(step));
            }
        } else if !self.same_rule(rule) {
            return Err(Error::WrongState);
        }
        if self.state.brackets.phase == bracket::LIVE {
            return Ok(match self.decide_by_brackets(rule, work, done)? {
                Settled::Accepted(index) => Some(Step::Accept(index)),
                Settled::Interrupted => Some(Step::More),
                Settled::All => Some(Step::Done),
                Settled::Open => None,
            });
        }
        let borne = Borne {
            spent: self.spent(rule.criterion),
            seconds: self.spent(Criterion::Seconds),
            waited: self.state.head_waited,
        };
        if matches!(self.state.spectrum.phase, SUMMING | KNOWN) {
            return self.decide_by_spectrum(rule, &borne, work).map(Some);
        }
        let state = &mut *self.state;
        let count = state.candidates as usize;
        let limits = state.capacity;
        let Views { mut walk, candidates, ends, suffered, window } =
            self.parts.views(&mut state.walk, limits.processors);
        let candidates = range_mut(candidates, 0, count)?;
        let ends = range(ends, 0, state.ends as usize)?;
        let mut tally = Tally {
            suffered: range_mut(suffered, 0, state.landings as usize)?,
            window: range_mut(window, 0, state.landings as usize)?,
        };
        loop {
            let progress = match core::mem::take(&mut state.judge.passed) {
                0 => walk.step(work, done)?,
                after => Progress::Passed(after),
            };
            let until = match progress {
                Progress::Interrupted => return Ok(Some(Step::More)),
                Progress::Reached(after) | Progress::Passed(after) => after,
                Progress::Over => i64::MAX,
            };
            // The candidates that end up to this instant did not see it: delays count strictly before an end.
            let present = &mut state.judge;
            while let Some(end) = ends.get(state.ends_passed as usize).filter(|end| end.after() <= until) {
                state.ends_passed += 1;
                let candidate = at_mut(candidates, end.job() as usize)?;
                if candidate.verdict != Verdict::Undecided as u32 {
                    continue;
                }
                present.advance(end.after(), &mut tally, rule.criterion);
                let slot = candidate_slot(&limits, end.job() as usize) + candidate.taken as usize;
                let probability = at(walk.tree.releases, slot)?.probability;
                verdict::take_release(candidate, probability, present, &tally, rule)?;
                *done += u64::from(state.landings) + 1;
                if *done >= work {
                    // The place where work ends must change nothing: the instants passed are noted when the walk goes
                    // on.
                    if let Progress::Passed(after) = progress {
                        present.passed = after;
                    }
                    return Ok(Some(Step::More));
                }
            }
            let over = matches!(progress, Progress::Over);
            if !over {
                present.advance(until, &mut tally, rule.criterion);
                *done += u64::from(state.landings) + 1;
            }
            if matches!(progress, Progress::Reached(_)) {
                let found = walk.visit(tally.suffered, tally.window)?;
                present.book(&found);
                *done += found.work;
                if rule.criterion == Criterion::Bound {
                    tally.note_peak();
                }
            }
            let accepted = verdict::settle(candidates, present, &tally, rule, &borne, over)?;
            if let Some(accepted) = accepted {
                state.accepted = accepted as u32;
                state.phase = ACCEPTING;
                return Ok(Some(Step::Accept(accepted)));
            }
            if present.first as usize >= count {
                (state.phase, state.prepared) = (DECIDING, 0);
                return Ok(Some(Step::Done));
            }
            if over {
                return Err(Error::Corrupt); // every candidate has its verdict by then
            }
            if *done >= work {
                return Ok(Some(Step::More));
            }
        }
    }

    /// [`Pass::decide`] from the spectrum that is set up.
    fn decide_by_spectrum(&mut self, rule: &Rule, borne: &Borne, work: u64) -> Result<Step> {
        let state = &mut *self.state;
        let (limits, present, mut done) = (state.capacity, &mut state.judge, 0);
        let missing = state.head_processors.checked_sub(state.idle).ok_or(Error::Corrupt)?;
        if state.spectrum.phase == SUMMING {
            let summed = state.spectrum.running;
            let (mut spectrum, ..) =
                self.parts.spectrum(&mut state.spectrum, &state.walk, summed, limits.processors)?;
            if !spectrum.sum_up(work, &mut done)? {
                return Ok(Step::More);
            }
        }
        let running = state.walk.running;
        let (mut spectrum, candidates, _) =
            self.parts.spectrum(&mut state.spectrum, &state.walk, running, limits.processors)?;
        if !present.settled() {
            done += spectrum.join()?;
            (present.wait, present.started) = (spectrum.wait(missing)?, 1.0);
        }
        let candidates = range_mut(candidates, 0, state.candidates as usize)?;
        while let Some(candidate) = candidates.get_mut(present.first as usize) {
            let index = present.first;
            if candidate.verdict == Verdict::Undecided as u32 {
                if done >= work {
                    return Ok(Step::More);
                }
                if rule.leaves_unmeasured() && candidate.exempt != 0 {
                    verdict::accept_unmeasured(candidate);
                    (state.accepted, state.phase) = (index, ACCEPTING);
                    return Ok(Step::Accept(index as usize));
                }
                let slot = candidate_slot(&limits, index as usize);
                let (delay, more) =
                    spectrum.delay(missing, candidate.processors, slot, candidate.releases)?;
                (candidate.delay, candidate.left, done) = (delay, 0.0, done + more);
                if verdict::conclude(candidate, present, rule, borne) {
                    (state.accepted, state.phase) = (index, ACCEPTING);
                    return Ok(Step::Accept(index as usize));
                }
            }
            present.first += 1;
        }
        (state.phase, state.prepared) = (DECIDING, 0);
        Ok(Step::Done)
    }

    fn same_rule(&self, rule: &Rule) -> bool {
        rule.criterion as u32 == self.state.rule_criterion
            && rule.threshold == self.state.rule_threshold
            && rule.budget == self.state.rule_budget
            && rule.slip == self.state.rule_slip
            && rule.guard == self.state.rule_guard
            && by_limits(rule) == self.state.rule_by_limits
    }

    /// Accepts the first undecided candidate without its delay, if the rule allows that and all before it are decided
    /// by the limits. O(candidates).
    fn accept_unmeasured(&mut self, guarded: bool, reservation: Reservation) -> Result<Option<Step>> {
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
                return Ok(Some(Step::Accept(index)));
            } else if guarded {
                candidate.verdict = Verdict::Guarded as u32;
            } else {
                break;
            }
        }
        Ok(None)
    }

    /// Sets walk and tally up for the jobs that run now and the candidates still undecided; returns the step if it is
    /// decided without them.
    fn prepare(&mut self, rule: &Rule) -> Result<Option<Step>> {
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
        let state = &mut *self.state;
        (state.rule_criterion, state.rule_by_limits) = (rule.criterion as u32, by_limits(rule));
        (state.rule_threshold, state.rule_budget) = (rule.threshold, rule.budget);
        (state.rule_slip, state.rule_guard) = (rule.slip, rule.guard);
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
                Prepared::Nothing => return Ok(Some(Step::Done)),
                Prepared::NoRoom => (),
            }
        } else if self.state.brackets.phase == bracket::LIVE {
            self.state.brackets.phase = bracket::UNTRIED;
        }
        let by_spectrum = rule.criterion.in_seconds() && self.state.spectrum.phase == KNOWN;
        let may_use_one = rule.criterion.in_seconds()
            && self.state.spectrum.phase == UNTRIED
            && self.state.head_processors >= spectrum::WIDE;
        // A spectrum covers the jobs that ran when the pass began, or those that are sorted already if these are more:
        // jobs started since only widen the range of numbers to be distinguished.
        let running = self.state.walk.running;
        let summed = if may_use_one { self.state.found.max(self.state.sorted).min(running) } else { running };
        if !by_spectrum {
            self.sort_first(summed)?;
        }
        let state = &mut *self.state;
        let parts = &mut self.parts;
        let unit = measure(range_mut(parts.running, 0, state.walk.running as usize)?);
        let missing = state.head_processors.checked_sub(state.idle).ok_or(Error::Corrupt)?;
        let target = missing.div_ceil(unit);
        let (mut landings, mut ends, mut undecided, mut asked) = (0, 0, 0, 0u64);
        let (mut finest, mut most) = (0, 0u64);
        let listed = state.listed != 0;
        let candidates = range_mut(parts.candidates, 0, state.candidates as usize)?;
        for (index, candidate) in candidates.iter_mut().enumerate() {
            let stage = triage.stage(candidate);
            if stage == Stage::Out {
                continue;
            }
            finest = gcd(finest, candidate.processors as usize);
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
            most += u64::from(candidate.processors);
            if stage == Stage::Guarded {
                continue;
            }
            candidate.landings = (missing + candidate.processors).div_ceil(unit) - target;
            undecided += 1;
            asked += u64::from(candidate.processors);
            candidate.left = 1.0;
            landings = landings.max(candidate.landings);
        }
        state.phase = DECIDING;
        if !listed {
            // Nothing is kept of a walk yet.
            timeline::sort(range_mut(parts.ends, 0, ends)?, bytemuck::cast_slice_mut(parts.store))?;
            (state.ends, state.listed) = (ends as u32, 1);
        }
        if undecided == 0 {
            return Ok(Some(Step::Done));
        }
        state.prepared = 1;
        if rule.criterion.in_seconds() {
            if may_use_one {
                state.spectrum.unit = gcd(finest, unit as usize).max(1) as u32;
                let joined = range(parts.running, summed as usize, (state.walk.running - summed) as usize)?;
                let given = joined.iter().fold(0u32, |given, job| given.saturating_add(job.processors));
                let reach = given.saturating_add(most.min(state.idle.into()) as u32);
                // The spectrum uses the store in which an earlier walk has kept its segments.
                state.walk.segments = 0;
                let ends = state.ends as usize;
                let (mut spectrum, _, all) =
                    parts.spectrum(&mut state.spectrum, &state.walk, summed, state.capacity.processors)?;
                let missing = missing.checked_sub(given).ok_or(Error::Corrupt)?;
                spectrum.set_up(missing, reach, range(all, 0, ends)?)?;
            } else if state.spectrum.phase == UNTRIED {
                state.spectrum.phase = DECLINED;
            }
            if state.spectrum.phase != DECLINED {
                state.judge = bytemuck::Zeroable::zeroed();
                return Ok(None);
            }
        } else {
            state.spectrum.phase = if state.spectrum.phase == DECLINED { DECLINED } else { UNTRIED };
        }
        self.sort()?;
        let (state, parts) = (&mut *self.state, &mut self.parts);
        let timeline = Timeline { entries: parts.entries, begins: parts.begins };
        let walk = &mut state.walk;
        let running = range(parts.running, 0, walk.running as usize)?;
        walk.target = target;
        walk.high = if rule.criterion.needs_window() { target + landings } else { target };
        if walk.segments == 0 || walk.unit != unit {
            // Processors by which acceptances can move the target: the idle ones, or those of the candidates if
            // these are fewer.
            let most = asked.min(state.idle.into()) as u32;
            walk.reach = missing.saturating_add(most).div_ceil(unit);
            let released = running.iter().map(|job| u64::from(job.width) * u64::from(job.releases)).sum();
            let cells = if undecided > 1 { parts.store.len() } else { 0 };
            walk.choose_grain(released, parts.segments.len(), cells);
        }
        walk.unit = unit;
        (state.ends_passed, state.landings) = (0, landings);
        range_mut(parts.suffered, 0, landings as usize)?.fill(0.0);
        range_mut(parts.window, 0, landings as usize)?.fill(0.0);
        let last = (state.walk.instants as usize).checked_sub(1);
        state.judge = JudgeState {
            horizon: last.map_or(Ok(0), |last| timeline.after(last))?,
            ..bytemuck::Zeroable::zeroed()
        };
        parts.views(&mut state.walk, state.capacity.processors).walk.start()?;
        Ok(None)
    }

    /// Gives every candidate the verdict that the head job can never start: all running jobs together do not make room
    /// for it.
    fn refuse_all(&mut self) -> Result<Option<Step>> {
        self.state.phase = DECIDING;
        let idle = self.state.idle;
        for candidate in range_mut(self.parts.candidates, 0, self.state.candidates as usize)? {
            let verdict = if candidate.processors > idle { Verdict::DoesNotFit } else { Verdict::HeadNever };
            candidate.verdict = verdict as u32;
        }
        Ok(Some(Step::Done))
    }

    /// Sorts the releases of the jobs running now into instants, unless that is done. Jobs that started since the last
    /// time are merged in.
    pub(super) fn sort(&mut self) -> Result<()> {
        self.sort_first(self.state.walk.running)
    }

    /// Sorts the releases of the first `running` jobs only.
    fn sort_first(&mut self, running: u32) -> Result<()> {
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
