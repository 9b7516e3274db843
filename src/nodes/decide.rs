//! Verdicts from scenarios.
//!
//! The candidates are looked at after 64 scenarios, then after twice as many each time, up to the options' number. With
//! n scenarios, mean delay m and variance v, the half-width is
//!
//! z sqrt(v / n) + M z^2 / (n + z^2)
//!
//! where z is the normal quantile of the confidence divided among all looks (Bonferroni), and M the largest delay
//! possible: the candidate's expected run time beyond the head's earliest possible start. The first term is that of
//! independent scenarios; those stratified together are no worse up to n / (n - 1) (Owen 1997). The second is what
//! Wilson (1927) allows for an event never seen, times M; it keeps a few scenarios without any delay from passing for
//! certainty. For the relative delay, a ratio of two means, v is that of the residuals (Cochran 1977, section 6.4). A
//! candidate whose half-width does not reach the threshold is settled; the others go on.

use crate::backfill::{Criterion, Rule, Step, Verdict};
use crate::error::{Error, Result};
use crate::forecast::Estimate;
use crate::math::normal;
use crate::memory::{at, at_mut, range, range_mut};
use crate::nodes::kept::SURVEY;
use crate::nodes::machine::{NONE, Nodes};
use crate::nodes::pass::{NodePass, Window};
use crate::nodes::place;
use crate::nodes::play::{Scene, Times};
use crate::nodes::request::Fit;
use crate::nodes::state::{
    ABOVE, ACCEPTING, BELOW, DECIDING, FEWEST_SCENARIOS, FILLING, NodePassOptions, OPEN, OWN, RawRule,
};
use crate::nodes::tail::survival;

impl NodePassOptions {
    /// Number of standard deviations in a half-width.
    fn critical(&self) -> f64 {
        let mut looks = 1;
        let mut stage = FEWEST_SCENARIOS;
        while stage < self.scenarios {
            stage = stage.saturating_mul(2);
            looks += 1;
        }
        -normal::quantile(0.5 * (1.0 - self.confidence) / f64::from(looks))
    }
}

/// Half-width of the mean over n scenarios with this variance; `most` is the largest possible delay.
fn half_width(z: f64, n: f64, variance: f64, most: f64) -> f64 {
    z * libm::sqrt(variance.max(0.0) / n) + most * z * z / (n + z * z)
}

impl NodePass<'_> {
    /// Decides until the next candidate is accepted, all are decided, or about `work` steps are done: a step is an end
    /// of a running job, a node that one gives back, or a part of a candidate. One scenario is never interrupted, nor
    /// is opening a window of candidates: 33 scenarios and O(nodes) for each. The verdicts do not depend on `work`. A
    /// rule may change only where a decision is complete, not after [`Step::More`].
    ///
    /// After each acceptance that is committed the candidates behind it are looked at again, in windows of 1, 16, 256
    /// and so on, by scenarios that are kept. Memory and time are those of [`NodePass`]. For R running jobs, n nodes
    /// and p parts of jobs a scenario costs O(R log R + n + p), a kept one O(the window's parts and those of the jobs
    /// on its nodes), and in seconds, one look at each candidate that keeps the head job waiting at each later end of a
    /// running job.
    ///
    /// # Errors
    /// [`Error::WrongState`] before [`NodePass::begin`], while an accepted candidate waits for its commit, when the
    /// rule changes in the middle, or when the machine has changed; [`Error::NotANumber`] and [`Error::OutOfRange`] for
    /// the rule's numbers, and for [`Criterion::Bound`], which is not supported here.
    pub fn decide(&mut self, nodes: &Nodes, rule: &Rule, work: u64) -> Result<Step> {
        rule.check()?;
        if rule.criterion == Criterion::Bound {
            return Err(Error::OutOfRange);
        }
        if self.state.phase != FILLING && self.state.phase != DECIDING {
            return Err(Error::WrongState);
        }
        self.fresh(nodes)?;
        let mut done = 0;
        if self.state.prepared == 0 {
            if !self.prepare(nodes, rule)? {
                return Ok(Step::Done);
            }
        } else if self.state.rule != RawRule::new(rule) {
            return Err(Error::WrongState);
        }
        loop {
            if let Some(accepted) = self.conclude(rule)? {
                (self.state.accepted, self.state.phase) = (accepted, ACCEPTING);
                return Ok(Step::Accept(accepted as usize));
            }
            if self.state.first >= self.state.candidates {
                (self.state.phase, self.state.prepared) = (DECIDING, 0);
                return Ok(Step::Done);
            }
            if done >= work {
                return Ok(Step::More);
            }
            if self.state.first >= self.window()?.until {
                done += self.open_window(nodes, rule)?;
                continue;
            }
            done += self.scenario(nodes, rule)?;
            if self.state.played >= self.state.stage {
                self.look(rule)?;
                let most = self.state.options.scenarios;
                self.state.stage = self.state.stage.saturating_mul(2).min(most).max(self.state.played + 1);
            }
        }
    }

    /// Plays the next scenario for the candidates that are still open.
    fn scenario(&mut self, nodes: &Nodes, rule: &Rule) -> Result<u64> {
        let scenario = self.state.played;
        let kept = self.kept(nodes, scenario, false)?;
        let again = kept.is_some();
        let mut scene = match kept {
            Some(scene) => scene,
            None => self.play_and_keep(nodes, scenario)?,
        };
        let head = self.state.head;
        let start = scene.time;
        let mut blocked = 0;
        for place in 0..self.state.open as usize {
            let candidate = *at(self.slices.open, place)? as usize;
            scene.work += 1;
            // At its limit every candidate has ended: the last of its tails is no later.
            if at(self.slices.candidates, candidate)?.limit <= start {
                continue;
            }
            self.lose(nodes, &mut scene, candidate)?;
            let row = at(self.slices.candidates, candidate)?;
            if scene.fits_beside(&head, row) {
                continue;
            }
            let slot = self.candidate_tails(candidate);
            let (left, _) = survival(range(self.slices.tails, slot, row.count as usize)?, start);
            if left <= 0.0 {
                continue;
            }
            if rule.criterion == Criterion::Probability {
                self.note(candidate, left, start)?;
            } else {
                *at_mut(self.slices.blocked, blocked)? = candidate as u32;
                blocked += 1;
            }
        }
        if again && blocked > 0 {
            blocked = self.play_on_kept(nodes, &mut scene, scenario, blocked)?;
        }
        if again && blocked > 0 {
            let work = scene.work;
            scene = self.kept(nodes, scenario, true)?.ok_or(Error::Corrupt)?;
            scene.work += work;
            for place in 0..blocked {
                let candidate = *at(self.slices.blocked, place)? as usize;
                self.lose(nodes, &mut scene, candidate)?;
            }
        }
        if blocked > 0 {
            self.play_on(nodes, &mut scene, scenario, blocked)?;
        }
        self.state.wait += start as f64;
        self.state.wait_squares += start as f64 * start as f64;
        self.state.played += 1;
        Ok(scene.work)
    }

    /// Settles the candidates whose delay is clearly below or above the threshold, or for which there are no more
    /// scenarios.
    fn look(&mut self, rule: &Rule) -> Result<()> {
        let z = self.state.options.critical();
        let n = f64::from(self.state.played);
        let over = self.state.played >= self.state.options.scenarios;
        let wait = self.state.wait / n;
        let mut kept = 0;
        for place in 0..self.state.open as usize {
            let candidate = *at(self.slices.open, place)?;
            let wait_squares = self.state.wait_squares;
            let row = at_mut(self.slices.candidates, candidate as usize)?;
            let mean = row.sum / n;
            let (unit, squares) = match rule.criterion {
                Criterion::Relative => {
                    let ratio = mean / wait;
                    (wait, row.squares - 2.0 * ratio * row.products + ratio * ratio * wait_squares)
                }
                _ => (1.0, row.squares - n * mean * mean),
            };
            row.delay = mean / unit;
            row.half_width = half_width(z, n, squares / (n - 1.0), row.most) / unit;
            row.seconds = if rule.criterion == Criterion::Probability { 0.0 } else { mean };
            row.scenarios = self.state.played;
            let apart = (row.delay - rule.threshold).abs() > row.half_width;
            if apart || over || row.exempt != 0 || row.most <= 0.0 {
                row.settled = if row.delay < rule.threshold { BELOW } else { ABOVE };
            } else {
                *at_mut(self.slices.open, kept)? = candidate;
                kept += 1;
            }
        }
        self.state.open = kept as u32;
        Ok(())
    }

    /// Gives verdicts in the order of the candidates as far as they are settled. Returns the first that is accepted.
    fn conclude(&mut self, rule: &Rule) -> Result<Option<u32>> {
        let expected = self.state.wait / f64::from(self.state.played.max(1));
        let whole_wait = self.state.head_waited as f64 + expected;
        let (spent, seconds) = (self.spent(rule.criterion), self.spent(Criterion::Seconds));
        let until = self.window()?.until;
        while self.state.first < until {
            let index = self.state.first;
            let row = at_mut(self.slices.candidates, index as usize)?;
            if row.verdict == Verdict::Undecided as u32 {
                if row.settled == OPEN {
                    return Ok(None);
                }
                let exempt = row.exempt != 0;
                let accepted = exempt || row.settled == BELOW;
                let delays = ([row.delay, spent], [row.seconds, seconds]);
                let affordable = exempt || rule.affords(delays.0, delays.1, whole_wait);
                row.verdict = match (accepted, affordable) {
                    (true, true) => Verdict::Accepted,
                    (true, false) => Verdict::OverBudget,
                    (false, _) => Verdict::Refused,
                } as u32;
                if accepted && affordable {
                    self.state.first += 1;
                    return Ok(Some(index));
                }
            }
            self.state.first += 1;
        }
        Ok(None)
    }

    /// Sets the scenarios up for the jobs running now; returns whether the head job can start at all.
    fn prepare(&mut self, nodes: &Nodes, rule: &Rule) -> Result<bool> {
        self.measure(nodes)?;
        range_mut(self.slices.pieces_on, 0, nodes.count() as usize)?.fill(NONE);
        let state = &mut *self.state;
        (state.rule, state.phase, state.first) = (RawRule::new(rule), DECIDING, 0);
        (state.played, state.wait, state.wait_squares, state.open) = (0, 0.0, 0.0, 0);
        let Some(earliest) = self.play(nodes, Times::Shortest)? else {
            return self.refuse_all();
        };
        (self.state.earliest, self.state.prepared) = (earliest.time, 1);
        let window = self.window_mut()?;
        (window.from, window.until, window.width) = (0, 0, 1);
        Ok(true)
    }

    /// Opens the next window: candidates behind the last one, with sixteen times as many undecided ones, since after a
    /// commit all candidates behind it are looked at again. Returns the steps of work.
    fn open_window(&mut self, nodes: &Nodes, rule: &Rule) -> Result<u64> {
        let Window { until: from, width, .. } = *self.window()?;
        let (mut until, mut undecided) = (from, 0);
        while until < self.state.candidates && undecided < width {
            let row = at(self.slices.candidates, until as usize)?;
            undecided += u32::from(row.verdict == Verdict::Undecided as u32);
            until += 1;
        }
        let window = self.window_mut()?;
        (window.from, window.until, window.width) = (from, until, width.saturating_mul(16));
        let earliest = self.state.earliest;
        let mut work = 1;
        self.place_all(nodes, &mut work)?;
        let guarded = self.state.head_waited as f64 >= rule.guard;
        let drawn = self.state.options.scenarios > 0;
        let by_limits = undecided > 0 && (guarded || rule.or_easy || !drawn);
        let mut limits = if by_limits { self.play(nodes, Times::Limits)? } else { None };
        let mut open = 0;
        for index in from as usize..until as usize {
            if at(self.slices.candidates, index)?.verdict != Verdict::Undecided as u32 {
                continue;
            }
            let harmless = match &mut limits {
                None => false,
                Some(scene) => self.harmless(nodes, scene, index)?,
            };
            let slot = self.candidate_tails(index);
            let row = at_mut(self.slices.candidates, index)?;
            if guarded && !harmless {
                row.verdict = Verdict::Guarded as u32;
                continue;
            }
            (row.sum, row.squares, row.products) = (0.0, 0.0, 0.0);
            (row.delay, row.half_width, row.seconds) = (0.0, 0.0, 0.0);
            (row.settled, row.scenarios) = (OPEN, 0);
            row.exempt = u32::from((rule.or_easy || !drawn) && harmless);
            if !drawn || (rule.leaves_unmeasured() && row.exempt != 0) {
                row.settled = if harmless { BELOW } else { ABOVE };
                continue;
            }
            let own = range(self.slices.tails, slot, row.count as usize)?;
            let (left, area) = survival(own, earliest);
            let whole = own.last().map_or(0, |tail| tail.after);
            // No candidate takes room of the head job on nodes where it may not be, unless from the whole machine's
            // resources.
            let pieces = range(self.slices.pieces, row.slot as usize, row.parts as usize)?;
            let admits = &*self.slices.admits;
            let beside =
                pieces.iter().all(|piece| at(admits, piece.part.node as usize).is_ok_and(|a| *a == 0));
            let pool =
                row.request.pool.iter().zip(self.state.head.pool).any(|(mine, its)| *mine != 0 && its != 0);
            row.most = match rule.criterion {
                _ if beside && !pool => 0.0,
                Criterion::Probability => left,
                _ => (survival(own, whole.max(earliest)).1 - area).max(0.0),
            };
            *at_mut(self.slices.open, open)? = index as u32;
            open += 1;
        }
        self.state.open = open as u32;
        if open > 0 || self.window()?.known > 0 {
            self.note_neighbours(nodes)?;
        }
        if open > 0 {
            let state = &mut *self.state;
            (state.played, state.wait, state.wait_squares) = (0, 0.0, 0.0);
            state.stage = FEWEST_SCENARIOS.min(state.options.scenarios);
        }
        Ok(work + limits.map_or(0, |scene| scene.work))
    }

    /// Whether the head job starts beside a candidate when all jobs run to their limits, as EASY demands.
    fn harmless(&mut self, nodes: &Nodes, scene: &mut Scene, candidate: usize) -> Result<bool> {
        if at(self.slices.candidates, candidate)?.limit <= scene.time {
            return Ok(true);
        }
        self.lose(nodes, scene, candidate)?;
        Ok(scene.fits_beside(&self.state.head, at(self.slices.candidates, candidate)?))
    }

    /// Finds nodes for the window's undecided candidates that have none, or have lost them to an earlier one.
    fn place_all(&mut self, nodes: &Nodes, work: &mut u64) -> Result<()> {
        let Window { from, until, .. } = *self.window()?;
        for index in from as usize..until as usize {
            let row = *at(self.slices.candidates, index)?;
            if row.verdict != Verdict::Undecided as u32 {
                continue;
            }
            let parts = row.parts as usize;
            let found = range_mut(self.slices.found, 0, parts)?;
            for (part, piece) in found.iter_mut().zip(range(self.slices.pieces, row.slot as usize, parts)?) {
                *part = piece.part;
            }
            *work += u64::from(row.parts) + 1;
            if parts > 0 && nodes.accepts(&row.request, range(self.slices.found, 0, parts)?)? {
                continue;
            }
            let found = match Fit::from_number(row.fit) {
                Err(_) if row.fit == OWN => None,
                fit => {
                    if fit == Ok(Fit::Apart) && self.window()?.surveyed != u32::MAX {
                        self.survey(nodes, work)?;
                    }
                    *work += u64::from(nodes.count());
                    let needs = &*self.slices.needs;
                    let avoided = |node: u32| needs.get(node as usize).map_or(0, |needs| needs.count_ones());
                    let (fit, found) = (fit?, &mut *self.slices.found);
                    place::place(nodes, &row.request, fit, avoided, self.slices.ranked, found)?
                }
            };
            match found {
                None => at_mut(self.slices.candidates, index)?.verdict = Verdict::DoesNotFit as u32,
                Some(parts) => {
                    // The list is moved out because the pass writes from it, and put back.
                    let found = core::mem::take(&mut self.slices.found);
                    let laid = self.lay(index, range(found, 0, parts)?.iter().copied());
                    self.slices.found = found;
                    laid?;
                }
            }
        }
        Ok(())
    }

    /// Marks for each node the scenarios in which it has room for the head job when that starts.
    fn survey(&mut self, nodes: &Nodes, work: &mut u64) -> Result<()> {
        let (head, stride) = (self.state.head, nodes.capacity().resources as usize);
        for scenario in 0..SURVEY {
            let mark = 1 << scenario;
            if self.window()?.surveyed & mark != 0 {
                continue;
            }
            let scene = match self.kept(nodes, scenario, true)? {
                Some(scene) => scene,
                None => self.play_and_keep(nodes, scenario)?,
            };
            *work += scene.work;
            for node in 0..nodes.count() as usize {
                let room = self.slices.room(&head, node, stride)?;
                let needs = at_mut(self.slices.needs, node)?;
                *needs = if room > 0 { *needs | mark } else { *needs & !mark };
            }
            self.window_mut()?.surveyed |= mark;
        }
        Ok(())
    }

    /// Gives every candidate the verdict that the head job can never start: all running jobs together do not make room
    /// for it.
    fn refuse_all(&mut self) -> Result<bool> {
        for row in range_mut(self.slices.candidates, 0, self.state.candidates as usize)? {
            if row.verdict == Verdict::Undecided as u32 {
                row.verdict = Verdict::HeadNever as u32;
            }
        }
        Ok(false)
    }

    /// The head job's expected wait from now on, in seconds, over the scenarios played since the last acceptance.
    ///
    /// # Errors
    /// [`Error::WrongState`] before any are played.
    pub fn head_wait(&self) -> Result<Estimate<f64>> {
        let n = f64::from(self.state.played);
        if self.state.played < 2 {
            return Err(Error::WrongState);
        }
        let value = self.state.wait / n;
        let variance = ((self.state.wait_squares - n * value * value) / (n - 1.0)).max(0.0);
        let z = -normal::quantile(0.5 * (1.0 - self.state.options.confidence));
        let half_width = z * libm::sqrt(variance / n);
        if value.is_nan() || half_width.is_nan() {
            return Err(Error::Corrupt);
        }
        Ok(Estimate { value, half_width })
    }
}
