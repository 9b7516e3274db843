//! Bounds on the rest of the wait of jobs that wait already (beyond QBETS).
//!
//! Every waiting job is looked at about every [`EVERY`] seconds, and its situation is noted: its age, the jobs that
//! came before it and still wait, and the rest of the queue. When it starts, the rest of its wait becomes known for
//! each of these looks, and they are learnt by a model of their own ([`Visible`] with other inputs). The bound for a
//! job rests on the rests of the looks most like its present situation. [`Levels`] of their own follow the misses of
//! these bounds, by groups of age instead of width and request; a look whose bound has passed is a miss when the job is
//! looked at next.
//!
//! Where levels follow misses, no bound is below a [`Floor`] that grows with the oldest wait of the queue. The levels
//! follow the bounds without it, so that they do not sink because it holds.
//!
//! Where too few looks are known, the waits of the history that were as long as the job's so far count: those of its
//! cluster, or of all clusters where these are too few.

use crate::error::{Error, Result};
use crate::math::beta::inverse_incomplete_beta;
use crate::math::chances::probability;
use crate::memory::{at, at_mut};
use crate::runtime::{MAX_SECONDS, check_span};
use crate::wait::binomial::{check_probability, upper_index};
use crate::wait::chances::{AgedChances, CHANCES};
use crate::wait::estimate;
use crate::wait::history::{Series, View};
use crate::wait::levels::{Groups, tail_of};
use crate::wait::looks::Note;
use crate::wait::options::{ADAPT, Features, StartProbability, WaitAnswer};
use crate::wait::predictor::WaitPredictor;
use crate::wait::queue::{NEVER, Waiting};
use crate::wait::sample::{BEYOND, Sample, Window};
use crate::wait::tree::Nodes;
use crate::wait::unfinished::Least;
use crate::wait::visible::Neighbours;

/// The least probability of a start by some time that is refuted where most like jobs wait for longer.
const SURE: f64 = 0.95;

/// Seconds between two looks at a waiting job.
const EVERY: f64 = 21_600.0;

/// The largest number of jobs that are looked at in one call.
const LOOKS: u32 = 16;

/// Factor by which a job's age must have grown since the look noted last before another is noted: every look in the
/// first five days.
const GROWTH: f64 = 1.05;

/// Ages from which on a job belongs to the groups of those that have waited long, in seconds.
const AGES: [u64; 7] = [10_800, 32_400, 64_800, 129_600, 216_000, 345_600, 604_800];

/// Number of open notes at which steps are halved (`caution`).
const OPEN: f64 = 200.0;

/// The groups of a job of this age, in seconds.
fn groups_of(age: u64) -> Groups {
    Groups::of(AGES.iter().map(|from| age >= *from))
}

impl WaitPredictor<'_> {
    fn follows_waiting(&self) -> bool {
        self.visible().is_some() && !self.parts.aged.is_empty()
    }

    /// The index of the situation of a job of this `age`, in seconds, with the jobs and processor-seconds `before` it.
    fn index_of(&self, features: &Features, age: u64, before: (u32, u64), now: i64) -> Result<u32> {
        let (Some(visible), Some(aged)) = (self.parts.visible.first(), self.parts.aged.first()) else {
            return Err(Error::Corrupt);
        };
        let ahead = self.state.occupancy.ahead(self.parts.slots, now)?;
        let seen = visible.see_waiting(visible.machine(), features, &ahead, age, before, now);
        Ok(aged.index(&aged.situation(&seen)))
    }

    /// The jobs that came before and still wait, and their processor-seconds, up to the first for which `ends` is true.
    pub(super) fn before(&self, ends: impl Fn(u32, &Waiting) -> bool) -> Result<(u32, u64)> {
        let (mut jobs, mut work) = (0_u32, 0_u64);
        let mut next = self.state.occupancy.first_present();
        for _ in 0..self.state.occupancy.jobs {
            let Some(slot) = next.checked_sub(1) else { break };
            let waiting = at(self.parts.slots, slot as usize)?;
            if ends(next, waiting) {
                break;
            }
            (jobs, work) = (jobs + 1, work.saturating_add(waiting.work));
            next = waiting.after();
        }
        Ok((jobs, work))
    }

    /// Looks at the jobs whose turn it is, at moments spread evenly since the last event: nothing has happened in the
    /// queue in between. Looks at the events themselves would find jobs just before they start more often than a
    /// question does that comes at any time.
    pub(super) fn look_at_waiting(&mut self, now: i64) -> Result<()> {
        if !self.follows_waiting() {
            return Ok(());
        }
        let result = self.look_at_those_due(now);
        // Keeps the machine's present state for the looks between this event and the next.
        if let (Some(visible), Some(aged)) = (self.parts.visible.first(), self.parts.aged.first_mut()) {
            aged.set_machine(visible.machine());
        }
        result
    }

    fn look_at_those_due(&mut self, now: i64) -> Result<()> {
        let jobs = self.state.occupancy.present();
        let aged = &mut self.state.aged;
        let passed = now.saturating_sub(aged.counted).max(0);
        aged.counted = now;
        if jobs == 0 {
            (aged.due, aged.cursor) = (0.0, 0);
            return Ok(());
        }
        // No job is looked at twice at one event.
        aged.due = (aged.due + f64::from(jobs) * passed as f64 / EVERY).min(f64::from(jobs));
        let looks = (aged.due as u32).min(LOOKS);
        aged.due -= f64::from(looks);
        // The jobs before the one looked at: none comes or leaves between two looks.
        let mut before = self.before_turn();
        for look in (0..i64::from(looks)).rev() {
            let since = passed.saturating_mul(2 * look + 1).checked_div(2 * i64::from(looks)).unwrap_or(0);
            let cursor = self.state.aged.cursor;
            let place = if cursor == 0 { self.state.occupancy.first_present() } else { cursor };
            let slot = place.checked_sub(1).ok_or(Error::Corrupt)?;
            let waiting = *at(self.parts.slots, slot as usize)?;
            self.state.aged.cursor = waiting.after();
            self.judge_notes(slot, now)?;
            self.note(slot, &mut before, now.saturating_sub(since))?;
            before = match before {
                // Behind the last one the first is looked at.
                _ if waiting.after() == 0 => Some((0, 0)),
                Some((jobs, work)) if waiting.given_up == 0 => {
                    Some((jobs.saturating_add(1), work.saturating_add(waiting.work)))
                }
                _ => None,
            };
        }
        self.set_before_turn(before);
        Ok(())
    }

    /// Sets the clock back to `now`: looks that were later count as having been now.
    pub(super) fn move_notes_back(&mut self, now: i64) {
        self.state.aged.counted = self.state.aged.counted.min(now);
        for note in self.parts.notes.iter_mut() {
            let ahead = note.at.saturating_sub(now).max(0);
            note.at = note.at.min(now);
            if note.deadline != NEVER {
                note.deadline = note.deadline.saturating_sub(ahead);
            }
            if note.floor_until != NEVER {
                note.floor_until = note.floor_until.saturating_sub(ahead);
            }
        }
    }

    /// Counts bounds given to a job while it waited, and passed since, as misses.
    fn judge_notes(&mut self, slot: u32, now: i64) -> Result<()> {
        let waiting = at_mut(self.parts.slots, slot as usize)?;
        if waiting.noted == 1 {
            let passed = now.saturating_sub(waiting.submitted).max(0).unsigned_abs();
            waiting.learnt =
                self.state.chances.learn(CHANCES, &waiting.shares, waiting.learnt, passed, false);
        }
        let mut next = waiting.notes;
        for _ in 0..self.parts.notes.len() {
            let Some(place) = next.checked_sub(1) else { break };
            let note = at_mut(self.parts.notes, place as usize)?;
            next = note.next;
            if note.noted == 1 {
                let passed = now.saturating_sub(note.at).max(0).unsigned_abs();
                let chances = &mut self.state.aged.chances;
                note.learnt = chances.learn(note.ages, &note.shares, note.learnt, passed, false);
            }
            let (groups, missed, longer) = (note.groups, note.deadline < now, note.floor_until < now);
            note.deadline = if missed { NEVER } else { note.deadline };
            note.floor_until = if longer { NEVER } else { note.floor_until };
            if missed {
                self.judged_waiting(groups, true);
            }
            if longer {
                self.judged_floor(true);
            }
        }
        Ok(())
    }

    /// Part of a step for each miss: many open notes are missed together, so each counts for less.
    fn caution(&self) -> f64 {
        1.0 / (1.0 + f64::from(self.state.aged.open) / OPEN)
    }

    fn judged_waiting(&mut self, groups: Groups, missed: bool) {
        if self.has(ADAPT) {
            let (quantile, caution) = (self.state.question.quantile, self.caution());
            self.state.aged.levels.learn(groups, missed, quantile, self.state.rate, caution);
        }
    }

    fn judged_floor(&mut self, longer: bool) {
        if self.has(ADAPT) {
            let caution = self.caution();
            self.state.aged.floor.learn(longer, self.state.rate, caution);
        }
    }

    /// The larger of the rest and the floor; the floor is limited as any reported rest is.
    fn no_less(&self, rest: i64, now: i64) -> Result<i64> {
        if !self.has(ADAPT) {
            return Ok(rest);
        }
        let ahead = self.state.occupancy.ahead(self.parts.slots, now)?;
        Ok(self.state.aged.floor.seconds(ahead.oldest).min(self.most_rest(0)).max(rest))
    }

    /// Notes a job's present situation, if it is time and there is room. The jobs and processor-seconds `before` it are
    /// counted unless they are known. O(w) then for w waiting jobs.
    fn note(&mut self, slot: u32, before: &mut Option<(u32, u64)>, now: i64) -> Result<()> {
        let waiting = *at(self.parts.slots, slot as usize)?;
        let age = now.saturating_sub(waiting.submitted).max(0);
        if age == 0 || (age as f64) < GROWTH * waiting.noted_age as f64 {
            return Ok(());
        }
        let aged = &mut self.state.aged;
        let place = match aged.free.checked_sub(1) {
            Some(place) => {
                aged.free = at(self.parts.notes, place as usize)?.next;
                place
            }
            None if (aged.fresh as usize) < self.parts.notes.len() => {
                aged.fresh += 1;
                aged.fresh - 1
            }
            None => return Ok(()),
        };
        let counted = match *before {
            Some(counted) => counted,
            None => self.before(|place, _| place == slot + 1)?,
        };
        *before = Some(counted);
        let features = waiting.features();
        let ahead = self.state.occupancy.ahead(self.parts.slots, now)?;
        let (Some(visible), Some(aged)) = (self.parts.visible.first(), self.parts.aged.first_mut()) else {
            return Err(Error::Corrupt);
        };
        // The machine as it was at the look, not as it is at this event.
        let machine = *aged.machine();
        let seen = visible.see_waiting(&machine, &features, &ahead, age.unsigned_abs(), counted, now);
        aged.came(&seen);
        let situation = aged.situation(&seen);
        let index = aged.index(&situation);
        let window = self.rests(index)?;
        let sample = Sample::Window(&window);
        let groups = groups_of(age.unsigned_abs());
        let bound = self.own_rest(sample, groups)?;
        let aside = if self.has(ADAPT) { self.aside_of(sample, &self.state.aged.levels)? } else { None };
        let shares = sample.shares()?;
        self.state.aged.open = self.state.aged.open.saturating_add(1);
        *at_mut(self.parts.notes, place as usize)? = Note {
            at: now,
            deadline: bound.map_or(NEVER, |bound| now.saturating_add(bound)),
            floor_until: now.saturating_add(self.state.aged.floor.seconds(ahead.oldest)),
            next: waiting.notes,
            groups,
            index,
            noted: u32::from(aside.is_some()),
            learnt: 0,
            ages: AgedChances::of(age.unsigned_abs()),
            situation,
            aside: aside.unwrap_or_default(),
            shares,
        };
        let waiting = at_mut(self.parts.slots, slot as usize)?;
        (waiting.notes, waiting.noted_age) = (place + 1, age);
        Ok(())
    }

    fn rests(&self, index: u32) -> Result<Window> {
        let aged = self.parts.aged.first().ok_or(Error::Corrupt)?;
        Window::like(aged, self.parts.aged_neighbours, index)
    }

    /// The options' own bound for the rest of a wait; `None` if too few rests are known.
    fn own_rest(&self, sample: Sample, groups: Groups) -> Result<Option<i64>> {
        let aged = &self.state.aged;
        if sample.count() < self.state.question.fewest {
            return Ok(None);
        }
        let own = sample.select(aged.window_index).and_then(estimate::seconds)?;
        if !self.has(ADAPT) {
            return Ok(Some(own));
        }
        let bound = sample.at_tail(sample.tail(aged.window_index) + aged.levels.shift(groups))?;
        Ok(bound.map(|bound| bound.min(self.most_rest(own))))
    }

    /// Closes the notes of a waiting job that leaves the queue; with `now`, because it starts: the rests of its wait
    /// become known.
    pub(super) fn close_notes(&mut self, slot: u32, now: Option<i64>) -> Result<()> {
        let waiting = *at(self.parts.slots, slot as usize)?;
        self.leaves(slot, &waiting)?;
        let mut next = waiting.notes;
        for _ in 0..self.parts.notes.len() {
            let Some(place) = next.checked_sub(1) else { break };
            let note = *at(self.parts.notes, place as usize)?;
            next = note.next;
            at_mut(self.parts.notes, place as usize)?.next = self.state.aged.free;
            self.state.aged.free = place + 1;
            self.state.aged.open = self.state.aged.open.saturating_sub(1);
            if let Some(now) = now {
                self.rest_known(&note, now)?;
            }
        }
        at_mut(self.parts.slots, slot as usize)?.notes = 0;
        Ok(())
    }

    fn rest_known(&mut self, note: &Note, now: i64) -> Result<()> {
        let rest = now.saturating_sub(note.at).clamp(0, MAX_SECONDS).unsigned_abs();
        if note.deadline != NEVER {
            self.judged_waiting(note.groups, note.deadline < now);
        }
        if note.floor_until != NEVER {
            self.judged_floor(note.floor_until < now);
        }
        if note.noted == 1 {
            let missed = note.aside.map(|bound| rest > u64::from(bound));
            let rate = self.state.rate;
            self.state.aged.levels.learn_aside(missed, rate);
            self.state.aged.chances.learn(note.ages, &note.shares, note.learnt, rest, true);
        }
        let Some(aged) = self.parts.aged.first_mut() else { return Ok(()) };
        let before = Window::len_of(aged);
        let mut neighbours = Neighbours { sorted: self.parts.aged_neighbours, keys: self.parts.aged_keys };
        aged.learn(&mut neighbours, &note.situation, note.index, rest)?;
        let len = Window::len_of(aged);
        if len != before {
            let question = self.state.question;
            self.state.aged.window_index =
                upper_index(len, question.quantile, question.confidence)?.unwrap_or(0);
        }
        Ok(())
    }

    /// A bound for the whole wait of a job that has waited for `age` seconds; `before` counts the jobs that came before
    /// it, where needed.
    fn aged_answer(
        &self,
        features: &Features,
        age: u64,
        before: impl Fn() -> Result<(u32, u64)>,
        (quantile, confidence): (f64, f64),
        now: i64,
    ) -> Result<WaitAnswer> {
        let answer = self.unless_down(now, |predictor| {
            if predictor.follows_waiting() {
                let index = predictor.index_of(features, age, before()?, now)?;
                let window = predictor.rests(index)?;
                let sample = Sample::Window(&window);
                let groups = groups_of(age);
                let usual = &predictor.state.question;
                let rest = if quantile == usual.quantile && confidence == usual.confidence {
                    let rest = predictor.own_rest(sample, groups)?;
                    rest.map(|rest| predictor.no_less(rest, now)).transpose()?
                } else {
                    let index = upper_index(sample.count(), quantile, confidence)?;
                    predictor.aside_bound(sample, index, quantile, &predictor.state.aged.levels)?
                };
                if let Some(rest) = rest {
                    return Ok(Some(rest.saturating_add_unsigned(age).min(MAX_SECONDS)));
                }
            }
            let (view, series, _) = predictor.look(predictor.attribute()?.of(features))?;
            match estimate::bound_from(view, series, age, quantile, confidence)? {
                Some(bound) => Ok(Some(bound)),
                None => predictor.bound_from_all(age, quantile, confidence),
            }
        })?;
        let mut least = self.least(self.groups(features), quantile, now)?;
        least.beyond = least.beyond && self.is_beyond(before()?.0);
        // Where the known waits are refuted for a new job they say nothing of one that waits.
        if least.of_most > 0 && self.predict(features, quantile, confidence, now)? == WaitAnswer::Exceeded {
            return Ok(WaitAnswer::Exceeded);
        }
        Ok(least.raise(answer))
    }

    /// The same bound from the waits of all clusters; where these are too few as well, and levels follow misses, from
    /// all waits known, by the tail of a Pareto distribution that begins at the longest of them, or at the age.
    fn bound_from_all(&self, age: u64, quantile: f64, confidence: f64) -> Result<Option<i64>> {
        let all = at(&self.state.series, self.state.side as usize)?;
        let view = View { records: self.parts.records, nodes: Nodes(self.parts.nodes) };
        let shorter = |wait: u64| {
            all.iter().try_fold(0, |sum, series| Ok::<u64, Error>(sum + view.nodes.rank(&series.tree, wait)?))
        };
        let count: u64 = all.iter().map(Series::count).sum();
        let below = shorter(age)?;
        let longer = count.saturating_sub(below);
        // The largest wait with at most this number of shorter ones is the one that has this rank.
        let select = |k: u64| {
            let (mut low, mut high) = (0, MAX_SECONDS.unsigned_abs());
            while low < high {
                let middle = high - (high - low) / 2;
                if shorter(middle)? < k { low = middle } else { high = middle - 1 }
            }
            Ok::<u64, Error>(low)
        };
        if let Some(index) = upper_index(longer, quantile, confidence)? {
            return select(below + index).and_then(estimate::seconds).map(Some);
        }
        if !self.has(ADAPT) || count < self.state.question.fewest {
            return Ok(None);
        }
        let longest = if longer == 0 { age } else { select(count)?.max(age) };
        let beyond = tail_of(quantile) - libm::log(longer as f64 + 2.0);
        let bound = longest as f64 * libm::exp(BEYOND * beyond.max(0.0));
        Ok(Some(estimate::whole_seconds(bound)))
    }

    /// An upper bound for the wait, counted from its submission, of a job that waits. With
    /// [`VISIBLE`](crate::wait::VISIBLE) it rests on jobs that waited in a like situation, and with [`ADAPT`] it
    /// follows the misses of such bounds; for the options' own question the rest is then no less than a factor, learnt
    /// on line, times the oldest wait of the queue. O(w) for w waiting jobs on top of the costs of
    /// [`WaitPredictor::predict`].
    ///
    /// # Errors
    /// As [`WaitPredictor::predict`]; [`Error::UnknownJob`] if no job with this number waits.
    pub fn predict_waiting(&self, id: i64, quantile: f64, confidence: f64, now: i64) -> Result<WaitAnswer> {
        check_probability(quantile)?;
        check_probability(confidence)?;
        self.check_time(now)?;
        let slot = self.slot_of(id)?;
        let waiting = *at(self.parts.slots, slot as usize)?;
        let age = now.saturating_sub(waiting.submitted).max(0).unsigned_abs();
        let before = || self.before(|place, _| place == slot + 1);
        self.aged_answer(&waiting.features(), age, before, (quantile, confidence), now)
    }

    /// An upper bound for the wait, counted from its submission, of a job that has waited for `age` seconds, as
    /// [`WaitPredictor::predict_waiting`] gives: the jobs submitted earlier are before it.
    ///
    /// # Errors
    /// As [`WaitPredictor::predict`]; [`Error::OutOfRange`] also for an age below 0 or above [`MAX_SECONDS`].
    pub fn predict_aged(
        &self,
        features: &Features,
        age: i64,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<WaitAnswer> {
        self.check_question(features, quantile, confidence, now)?;
        check_span(age)?;
        let before = || self.submitted_before(now.saturating_sub(age));
        self.aged_answer(features, age.unsigned_abs(), before, (quantile, confidence), now)
    }

    fn submitted_before(&self, submitted: i64) -> Result<(u32, u64)> {
        self.before(|_, other| other.submitted >= submitted)
    }

    /// The probability that a job that has waited for `age` seconds (0 for a new one) waits at most `within` seconds,
    /// counted from its submission, with a lower bound at this `confidence`. It rests on the waits of jobs in a like
    /// situation, or on all waits of at least `age`; 0 where there are none. With [`ADAPT`] half a wait more on
    /// either side is counted, so that a handful of waits makes nothing certain, and probabilities are corrected by
    /// the outcomes of those given before. Like jobs that still wait count as well (`unfinished`): where most of them
    /// have waited for longer than nineteen of twenty known waits, these say nothing of later starts, and the answer
    /// rests on 0 waits; likewise behind more than twice as many jobs as any whose wait is known. An outage of the
    /// machine is not considered. O(log n + sqrt n), and O(w) for w waiting jobs.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a confidence outside (0, 1), negative times or features out of
    /// range.
    pub fn start_probability(
        &self,
        features: &Features,
        age: i64,
        within: i64,
        confidence: f64,
    ) -> Result<StartProbability> {
        check_probability(confidence)?;
        features.check()?;
        if age < 0 || within < 0 {
            return Err(Error::OutOfRange);
        }
        let groups = self.groups(features);
        let Least { of_most, beyond, .. } = self.least(groups, SURE, self.state.now)?;
        let refuted = of_most > 0
            && within > of_most
            && self.start_observed(features, 0, of_most.unsigned_abs(), confidence)?.observed > SURE;
        let beyond = beyond && {
            let since = self.state.now.saturating_sub(age);
            age == 0 || self.is_beyond(self.submitted_before(since)?.0)
        };
        if refuted || beyond {
            return Ok(StartProbability { observed: 0.0, at_least: 0.0, waits: 0 });
        }
        let found = self.start_observed(features, age, within.unsigned_abs(), confidence)?;
        let most = self.no_likelier(groups, within.unsigned_abs(), self.state.now)?;
        let (observed, at_least) = (found.observed.min(most), found.at_least.min(most));
        Ok(StartProbability { observed, at_least, ..found })
    }

    /// The probability of [`WaitPredictor::start_probability`] by the waits that are over.
    fn start_observed(
        &self,
        features: &Features,
        age: i64,
        within: u64,
        confidence: f64,
    ) -> Result<StartProbability> {
        let waited = age.unsigned_abs();
        if waited == 0 {
            let asked = self.asked(features, self.state.now)?;
            return self.with_sample(&asked, |sample, _| {
                let chances = &self.state.chances;
                self.chance(sample, within, confidence, |horizon, share| {
                    chances.corrected(CHANCES, horizon, share)
                })
            });
        }
        if self.follows_waiting() {
            let before = self.submitted_before(self.state.now.saturating_sub(age))?;
            let index = self.index_of(features, waited, before, self.state.now)?;
            let window = self.rests(index)?;
            if window.count() >= self.state.question.fewest {
                return match within.checked_sub(waited) {
                    Some(rest) => {
                        let (ages, chances) = (AgedChances::of(waited), &self.state.aged.chances);
                        self.chance(Sample::Window(&window), rest, confidence, |horizon, share| {
                            chances.corrected(ages, horizon, share)
                        })
                    }
                    None => Ok(StartProbability { observed: 0.0, at_least: 0.0, waits: window.count() }),
                };
            }
        }
        let (view, series, _) = self.look(self.attribute()?.of(features))?;
        let sample = Sample::Series(view, series);
        let shorter = sample.shorter(waited)?;
        let no_longer = sample.shorter(within.saturating_add(1))?.saturating_sub(shorter);
        Ok(self.counted(no_longer, sample.count().saturating_sub(shorter), confidence))
    }

    /// The share of these waits that were at most `within`; with [`ADAPT`] corrected to the observed share of starts,
    /// `corrected(horizon, share)`.
    fn chance(
        &self,
        sample: Sample,
        within: u64,
        confidence: f64,
        corrected: impl Fn(usize, f64) -> f64,
    ) -> Result<StartProbability> {
        let found = self.counted(sample.shorter(within.saturating_add(1))?, sample.count(), confidence);
        if !self.has(ADAPT) || found.observed <= 0.0 {
            return Ok(found);
        }
        let observed = probability(within, |within| sample.share(within), corrected)?;
        // The lower bound is scaled by the ratio of lower bound and estimate of the waits alone.
        let at_least = observed * (found.at_least / found.observed).min(1.0);
        Ok(StartProbability { observed, at_least, ..found })
    }

    /// The probability by counts: `no_longer` of the `waits` were short enough. With [`ADAPT`] half a wait on either
    /// side is added.
    fn counted(&self, no_longer: u64, waits: u64, confidence: f64) -> StartProbability {
        let (hits, all) = (no_longer as f64, waits as f64);
        if waits == 0 || no_longer == 0 && !self.has(ADAPT) {
            return StartProbability { observed: 0.0, at_least: 0.0, waits };
        }
        let at_least = match no_longer {
            0 => 0.0,
            _ => inverse_incomplete_beta(hits, (all - hits).max(0.0) + 1.0, 1.0 - confidence),
        };
        let observed = if self.has(ADAPT) { (hits + 0.5) / (all + 1.0) } else { hits / all };
        StartProbability { observed, at_least, waits }
    }
}
