//! Private steps of the predictor's calls: advance the clock, move waits into the history, find and fill clusters.

use crate::error::{Error, Result};
use crate::math::chances::Shares;
use crate::memory::{at, at_mut};
use crate::runtime::MAX_SECONDS;
use crate::wait::binomial::{check_probability, upper_index};
use crate::wait::chances::CHANCES;
use crate::wait::choice::Found;
use crate::wait::clusters::{Census, MAX_CLUSTERS, Workshop};
use crate::wait::estimate::{self, Memo, Question, WaitMethod};
use crate::wait::history::{Record, Series, Store, View};
use crate::wait::levels::{ASIDE, Groups, Levels, tail_of};
use crate::wait::options::{ADAPT, AVAILABILITY, Attribute, CLUSTER, Features, TRIM, VISIBLE, WaitAnswer};
use crate::wait::outage::judge;
use crate::wait::predictor::{State, WaitPredictor};
use crate::wait::queue::{Queue, Waiting, find};
use crate::wait::sample::{Sample, WINDOW};
use crate::wait::tree::{Nodes, Pool};
use crate::wait::visible::{Neighbours, SEEN, Situation, Visible};

/// Range of the logarithm by which bounds of parametric methods are stretched or shrunk.
const STRETCH: (f64, f64) = (-3.0, 8.0);

/// Adapted bounds exceed the longest wait by at most this factor.
const BEYOND_LONGEST: f64 = 1.5;

/// Adapted rests of the waits of jobs that wait already exceed the longest wait by at most this factor: in a jam they
/// may wait longer than any job before.
const BEYOND_LONGEST_WAITING: f64 = 4.5;

/// Units of clustering work with every wait that becomes known, beside what the size of the history demands.
const SLICE: u64 = 64;

/// The inputs of a question about a job.
pub(super) struct Asked {
    pub attribute: u64,
    pub groups: Groups,
    pub situation: Situation,
    pub index: u32,
}

/// The attribute that makes the clusters of one of the two sides.
fn attribute_of(by: &[u32; 2], side: usize) -> Result<Attribute> {
    Attribute::from_number(*at(by, side)?).map_err(|_| Error::Corrupt)
}

/// Private steps of the calls.
impl WaitPredictor<'_> {
    pub(super) fn has(&self, component: u32) -> bool {
        self.state.components & component != 0
    }

    pub(super) fn method(&self) -> Result<WaitMethod> {
        WaitMethod::from_number(self.state.method).map_err(|_| Error::Corrupt)
    }

    /// The attribute that makes the clusters in use.
    pub(super) fn attribute(&self) -> Result<Attribute> {
        attribute_of(&self.state.by, self.state.side as usize)
    }

    pub(super) fn check_time(&self, now: i64) -> Result<()> {
        if now.unsigned_abs() > 1 << 53 {
            return Err(Error::OutOfRange);
        }
        if self.state.begun == 1 && now < self.state.now { Err(Error::TimeWentBack) } else { Ok(()) }
    }

    pub(super) fn check_question(
        &self,
        features: &Features,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<u64> {
        check_probability(quantile)?;
        check_probability(confidence)?;
        features.check()?;
        self.check_time(now)?;
        Ok(self.attribute()?.of(features))
    }

    pub(super) fn queue(&mut self) -> Queue<'_> {
        Queue {
            occupancy: &mut self.state.occupancy,
            slots: self.parts.slots,
            index: self.parts.index.reborrow(),
            heap: self.parts.deadlines,
        }
    }

    pub(super) fn slot_of(&self, id: i64) -> Result<u32> {
        find(&self.parts.index, self.parts.slots, id)?.ok_or(Error::UnknownJob)
    }

    /// Advances the clock: jobs that have waited longer than their bound are misses now, not only when they start.
    pub(super) fn advance(&mut self, now: i64) -> Result<()> {
        self.state.now = now;
        self.state.begun = 1;
        while let Some(slot) = self.queue().overdue(now)? {
            let Waiting { submitted, groups, .. } = *at(self.parts.slots, slot as usize)?;
            self.state.longest = self.state.longest.max(now.saturating_sub(submitted));
            self.queue().forget_deadline(slot)?;
            self.judged(groups, true);
        }
        let oldest = now.saturating_sub(self.state.oldest_seconds);
        let first = self.state.occupancy.first_present();
        self.state.occupancy.give_up(self.parts.slots, oldest)?;
        if self.state.occupancy.first_present() != first {
            self.set_before_turn(None);
        }
        self.look_at_waiting(now)
    }

    /// Learns that a job's bound was missed, or held.
    pub(super) fn judged(&mut self, groups: Groups, missed: bool) {
        if self.has(ADAPT) {
            let State { levels, question, rate, .. } = &mut *self.state;
            levels.learn(groups, missed, question.quantile, *rate, 1.0);
        }
    }

    /// Learns from the finished wait of a job, in seconds: the bounds noted when it came are missed or held, and its
    /// situation is remembered.
    pub(super) fn compare(&mut self, waiting: &Waiting, wait: u64) -> Result<()> {
        if self.has(ADAPT) && waiting.noted == 1 {
            let rate = self.state.rate;
            self.state.levels.learn_aside(waiting.aside.map(|bound| wait > u64::from(bound)), rate);
            self.state.chances.learn(CHANCES, &waiting.shares, waiting.heard, wait, true);
        }
        self.remember(&waiting.situation, waiting.index, wait)
    }

    /// Remembers the wait, in seconds, of a job in this situation.
    pub(super) fn remember(&mut self, situation: &Situation, index: u32, wait: u64) -> Result<()> {
        if !self.has(VISIBLE) {
            return Ok(());
        }
        let Some(visible) = self.parts.visible.first_mut() else { return Ok(()) };
        let before = visible.window_len();
        let mut neighbours = Neighbours { sorted: self.parts.neighbours, keys: self.parts.neighbour_keys };
        visible.learn(&mut neighbours, situation, index, wait)?;
        let len = visible.window_len();
        if len != before {
            let Question { quantile, confidence, .. } = self.state.question;
            self.state.window_index = upper_index(len, quantile, confidence)?.unwrap_or(0);
        }
        Ok(())
    }

    pub(super) fn released(&mut self, now: i64) -> Result<()> {
        if !self.has(AVAILABILITY) {
            return Ok(());
        }
        let mut pool = Pool { nodes: self.parts.nodes, spare: &mut self.state.spare };
        self.state.outage.released(&mut self.parts.detectors, &mut pool, now)
    }

    pub(super) fn down(&self, now: i64, waiting: u32) -> Result<bool> {
        if !self.has(AVAILABILITY) {
            return Ok(false);
        }
        let nodes = Nodes(self.parts.nodes);
        let arrivals = View { records: self.parts.detectors.arrivals, nodes };
        let gaps = View { records: self.parts.detectors.gaps, nodes };
        self.state.outage.may_be_down(arrivals, gaps, now, waiting)
    }

    pub(super) fn unless_down(
        &self,
        now: i64,
        bound: impl Fn(&Self) -> Result<Option<i64>>,
    ) -> Result<WaitAnswer> {
        if self.down(now, self.state.occupancy.present())? {
            return Ok(WaitAnswer::MayBeDown);
        }
        Ok(WaitAnswer::from_bound(bound(self)?))
    }

    /// The cluster of an attribute.
    pub(super) fn look(&self, attribute: u64) -> Result<(View<'_>, &Series, &Memo)> {
        let side = self.state.side as usize;
        let cluster = at(&self.state.intervals, side)?.of(attribute);
        let view = View { records: self.parts.records, nodes: Nodes(self.parts.nodes) };
        Ok((view, at(at(&self.state.series, side)?, cluster)?, at(at(&self.state.memos, side)?, cluster)?))
    }

    /// The inputs of a question about a job that comes at this time.
    pub(super) fn asked(&self, features: &Features, now: i64) -> Result<Asked> {
        let attribute = self.attribute()?.of(features);
        let requested = features.requested.unsigned_abs();
        let groups = self.state.ranks.groups(features.processors, requested);
        let visible = self.visible();
        let (mut situation, mut index) = ([0.0; SEEN], 0);
        if let Some(visible) = visible {
            let ahead = self.state.occupancy.ahead(self.parts.slots, now)?;
            situation = visible.situation(&visible.see(features, &ahead, now));
            index = visible.index(&situation);
        }
        Ok(Asked { attribute, groups, situation, index })
    }

    /// Adds a job that comes to the ranks and to the statistics of situations.
    pub(super) fn came(&mut self, features: &Features, now: i64) -> Result<()> {
        self.state.ranks.add(features.processors, features.requested.unsigned_abs());
        if self.has(VISIBLE) {
            let ahead = self.state.occupancy.ahead(self.parts.slots, now)?;
            if let Some(visible) = self.parts.visible.first_mut() {
                let seen = visible.see(features, &ahead, now);
                visible.came(&seen);
            }
        }
        Ok(())
    }

    /// The model of situations, if it is used: the component is on, and there is room to answer the options' question.
    pub(super) fn visible(&self) -> Option<&Visible> {
        let room = u64::from(self.state.capacity.neighbours).min(WINDOW as u64);
        let usable = self.has(VISIBLE) && self.state.question.fewest <= room;
        self.parts.visible.first().filter(|_| usable)
    }

    /// Answers another question than the options' from the nearest waits, or where these do not suffice, from the
    /// history.
    pub(super) fn with_sample_for<R>(
        &self,
        asked: &Asked,
        answer: impl Fn(Sample) -> Result<Option<R>>,
    ) -> Result<Option<R>> {
        let found = self.with_sample(asked, |sample, _| answer(sample))?;
        if found.is_some() || self.visible().is_none() {
            return Ok(found);
        }
        let (view, series, _) = self.look(asked.attribute)?;
        answer(Sample::Series(view, series))
    }

    /// Answers from the waits that count for a job and the index of the one that answers the options' question.
    pub(super) fn with_sample<R>(
        &self,
        asked: &Asked,
        answer: impl FnOnce(Sample, u64) -> Result<R>,
    ) -> Result<R> {
        match self.visible() {
            Some(visible) => {
                let window = visible.window(self.parts.neighbours, asked.index)?;
                answer(Sample::Window(&window), self.state.window_index)
            }
            None => {
                let (view, series, memo) = self.look(asked.attribute)?;
                answer(Sample::Series(view, series), memo.index())
            }
        }
    }

    /// The answer to the options' question.
    pub(super) fn usual_answer(&self, asked: &Asked, now: i64, waiting: u32) -> Result<WaitAnswer> {
        if self.down(now, waiting)? {
            return Ok(WaitAnswer::MayBeDown);
        }
        let (method, question) = (self.method()?, &self.state.question);
        let shift = if self.has(ADAPT) { self.state.levels.shift(asked.groups) } else { 0.0 };
        if self.visible().is_none() && method != WaitMethod::Binomial {
            let (view, series, memo) = self.look(asked.attribute)?;
            let bound = memo.bound(view, series, method, question)?;
            return Ok(WaitAnswer::from_bound(bound.map(|bound| self.stretched(bound, shift))));
        }
        let bound = self.with_sample(asked, |sample, index| {
            if sample.count() < question.fewest {
                return Ok(None);
            }
            let told = sample.select(index).and_then(estimate::seconds)?;
            if !self.has(ADAPT) {
                return Ok(Some(told));
            }
            let bound = sample.at_tail(sample.tail(index) + shift)?;
            Ok(bound.map(|bound| bound.min(self.most(told))))
        })?;
        Ok(WaitAnswer::from_bound(bound))
    }

    /// The bounds at the levels [`ASIDE`] for a job that comes, in seconds, and the shares of waits within the
    /// horizons; `None` without waits.
    pub(super) fn aside(&self, asked: &Asked) -> Result<Option<([u32; ASIDE.len()], Shares)>> {
        self.with_sample(asked, |sample, _| {
            let bounds = self.aside_of(sample, &self.state.levels)?;
            Ok(bounds.zip(Some(sample.shares()?)))
        })
    }

    /// The bounds at the levels [`ASIDE`] from these waits, with these levels, in seconds.
    pub(super) fn aside_of(&self, sample: Sample, levels: &Levels) -> Result<Option<[u32; ASIDE.len()]>> {
        let mut bounds = [0; ASIDE.len()];
        for (bound, level) in bounds.iter_mut().zip(ASIDE) {
            let tail = tail_of(level);
            let Some(seconds) = sample.at_tail(tail + levels.shift_aside(tail))? else { return Ok(None) };
            *bound = u32::try_from(seconds.min(self.most(0))).unwrap_or(u32::MAX);
        }
        Ok(Some(bounds))
    }

    /// The order statistic that answers another question than the options', at its level's shift with [`ADAPT`]; `None`
    /// without an index.
    pub(super) fn aside_bound(
        &self,
        sample: Sample,
        index: Option<u64>,
        quantile: f64,
        levels: &Levels,
    ) -> Result<Option<i64>> {
        let Some(index) = index else { return Ok(None) };
        let told = sample.select(index).and_then(estimate::seconds)?;
        if !self.has(ADAPT) {
            return Ok(Some(told));
        }
        let shift = levels.shift_aside(tail_of(quantile));
        Ok(sample.at_tail(sample.tail(index) + shift)?.map(|bound| bound.min(self.most(told))))
    }

    /// The largest adapted bound, in seconds; `told` is the method's own, which may be larger.
    pub(super) fn most(&self, told: i64) -> i64 {
        estimate::whole_seconds(BEYOND_LONGEST * self.state.longest as f64).max(told)
    }

    /// The largest adapted rest of a wait, in seconds; `told` is the method's own, which may be larger.
    pub(super) fn most_rest(&self, told: i64) -> i64 {
        estimate::whole_seconds(BEYOND_LONGEST_WAITING * self.state.longest as f64).max(told)
    }

    /// A parametric method's bound, stretched or shrunk; 0 s can be stretched as well.
    fn stretched(&self, bound: i64, shift: f64) -> i64 {
        if shift == 0.0 {
            return bound;
        }
        let stretched = (bound as f64 + 1.0) * libm::exp(shift.clamp(STRETCH.0, STRETCH.1)) - 1.0;
        estimate::whole_seconds(stretched).min(self.most(bound))
    }

    /// Place of the record with this number.
    pub(super) fn place(&self, number: u64) -> usize {
        // Never divides by 0: there is at least one record.
        number.checked_rem(self.parts.records.len() as u64).unwrap_or(0) as usize
    }

    /// Moves a wait into the history.
    pub(super) fn learn(&mut self, wait: u64, features: &Features) -> Result<()> {
        let (method, question) = (self.method()?, self.state.question);
        let (trimming, capacity) = (self.has(TRIM), self.parts.records.len() as u64);
        self.state.longest = self.state.longest.max(i64::try_from(wait).unwrap_or(MAX_SECONDS));
        let index = self.place(self.state.next);
        let full = self.state.next - self.state.oldest >= capacity;
        let gone = if full { Some(*at(self.parts.records, index)?) } else { None };
        let clustering = self.state.capacity.clusters > 1 && self.has(CLUSTER);

        let record = Record::new(wait, features.requested.unsigned_abs(), features.processors);
        let State { side, filling, intervals, by, series, memos, closed, spare, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let side = *side as usize;
        let sides = if *filling == 1 { [Some(side), Some(1 - side)] } else { [Some(side), None] };
        let mut changed = false;
        for side in sides.into_iter().flatten() {
            let (intervals, memos) = (at(intervals, side)?, at_mut(memos, side)?);
            let attribute = attribute_of(by, side)?;
            let series = at_mut(series, side)?;
            let mut store = Store { records: &mut *self.parts.records, pool: &mut pool };
            let cluster = intervals.of(attribute.of(features));
            let present = sides.first() == Some(&Some(side));
            if present && trimming {
                let (series, memo) = (at_mut(series, cluster)?, at(memos, cluster)?);
                changed = judge(store.view(), series, memo, wait, method, &question)?;
            }
            if let Some(gone) = &gone {
                let left = intervals.of(attribute.of(&Features::of(gone)));
                let series = at_mut(series, left)?;
                if series.oldest() == Some(index) {
                    store.drop_oldest(series)?;
                    if present && left != cluster {
                        at_mut(memos, left)?.refresh(store.view(), series, method, &question)?;
                    }
                }
            }
        }
        *at_mut(self.parts.records, index)? = record;
        for side in sides.into_iter().flatten() {
            let cluster = at(intervals, side)?.of(attribute_of(by, side)?.of(features));
            let series = at_mut(at_mut(series, side)?, cluster)?;
            let mut store = Store { records: &mut *self.parts.records, pool: &mut pool };
            store.add(series, index, true)?;
            let present = sides.first() == Some(&Some(side));
            if changed {
                store.trim(series, question.fewest)?;
                if !present {
                    *at_mut(closed, cluster)? = 1;
                }
            }
            if present {
                let memo = at_mut(at_mut(memos, side)?, cluster)?;
                memo.refresh(store.view(), series, method, &question)?;
            }
        }
        if clustering {
            self.follow_census(gone.as_ref(), &record)?;
        }
        if full {
            self.state.oldest += 1;
        }
        self.state.next += 1;
        if clustering { self.cluster() } else { Ok(()) }
    }

    /// Does a slice of clustering, when it is time.
    pub(super) fn cluster(&mut self) -> Result<()> {
        let state = &mut *self.state;
        state.since_clustering = state.since_clustering.saturating_add(1);
        let every = u64::from(state.recluster_every);
        // Fast enough to be done before it is time again.
        let steps = SLICE + self.clustering_steps().checked_div(every).unwrap_or(0);
        for _ in 0..steps {
            let begin = u64::from(self.state.since_clustering) >= every;
            if !self.cluster_step(begin)? {
                break;
            }
        }
        Ok(())
    }

    /// The steps of a whole clustering: at most 3 a value and 1 a record, and few more; where the attribute is chosen 3
    /// a value and 1 a record for each of the three, and 1 a record.
    pub(super) fn clustering_steps(&self) -> u64 {
        (if self.is_choosing() { 13 } else { 4 }) * self.parts.records.len() as u64
    }

    /// Whether clusters are being looked for or filled.
    pub(super) fn is_clustering(&self) -> bool {
        self.state.filling == 1 || !self.state.agglomeration.is_idle() || !self.state.choice.is_idle()
    }

    /// Does a step of the clustering under way, or begins one. Returns whether there was something to do.
    pub(super) fn cluster_step(&mut self, begin: bool) -> Result<bool> {
        if self.state.filling == 1 {
            return self.fill().map(|()| true);
        }
        if !self.state.choice.is_idle() {
            if let Some(found) = self.choose_step()? {
                self.adopt(&found)?;
            }
            return Ok(true);
        }
        let (fewest, most) = (self.state.question.fewest, self.state.capacity.clusters as usize);
        let State { agglomeration, values, spare, since_clustering, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let census = Census { values, groups: self.parts.groups, pool: &mut pool };
        let (items, heap) = (&mut *self.parts.items, &mut *self.parts.item_heap);
        let mut workshop = Workshop { state: agglomeration, items, heap, fewest, most };
        if !workshop.state.is_idle() {
            if let Some(intervals) = workshop.step(&census)? {
                let found = Found::new(&self.state.agglomeration, self.state.attribute, intervals);
                self.adopt(&found)?;
            }
        } else if begin {
            *since_clustering = 0;
            let dispersion = self.dispersion()?;
            if self.is_choosing() {
                self.begin_choice(dispersion)?;
            } else {
                self.state.agglomeration.begin(dispersion);
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Number of the waits that count with the information of one independent exponential wait: the clusters' mean.
    fn dispersion(&self) -> Result<f64> {
        let view = View { records: self.parts.records, nodes: Nodes(self.parts.nodes) };
        let (mut sum, mut waits) = (0.0, 0.0);
        for series in at(&self.state.series, self.state.side as usize)? {
            let count = series.count() as f64;
            sum += count * view.dispersion(series)?;
            waits += count;
        }
        Ok(if waits > 0.0 { sum / waits } else { 1.0 })
    }

    /// Begins to fill the clusters of new intervals, unless they are the old ones.
    pub(super) fn adopt(&mut self, found: &Found) -> Result<()> {
        let state = &mut *self.state;
        (state.gain, state.criterion) = (found.gain, found.criterion);
        let side = state.side as usize;
        let same = found.intervals.bounds() == at(&state.intervals, side)?.bounds();
        if same && found.attribute == *at(&state.by, side)? {
            return Ok(());
        }
        let other = 1 - side;
        *at_mut(&mut state.intervals, other)? = found.intervals;
        *at_mut(&mut state.by, other)? = found.attribute;
        state.closed = [0; MAX_CLUSTERS];
        state.filling = 1;
        state.filled_to = state.next;
        Ok(())
    }

    /// Moves one more record, the newest of those left, to its new cluster if it still counts, or while that has too
    /// little history. After the oldest the new clusters take over.
    pub(super) fn fill(&mut self) -> Result<()> {
        if self.state.filled_to <= self.state.oldest {
            return self.take_over();
        }
        self.state.filled_to -= 1;
        let number = self.state.filled_to;
        let (index, first) = (self.place(number), self.place(self.state.oldest));
        let records = self.parts.records.len();
        let State { side, intervals, by, series, closed, spare, oldest, question, .. } = &mut *self.state;
        let side = *side as usize;
        let record = at_mut(self.parts.records, index)?;
        let features = Features::of(record);
        let cluster_of =
            |side: usize| Ok::<_, Error>(at(intervals, side)?.of(attribute_of(by, side)?.of(&features)));
        let old = at(at(series, side)?, cluster_of(side)?)?;
        let counts_from = old.oldest().map(|place| {
            let distance = if place >= first { place - first } else { place + records - first };
            *oldest + distance as u64
        });
        if counts_from.is_none_or(|from| number < from) {
            record.set_outdated();
        }
        let cluster = cluster_of(1 - side)?;
        let open = !record.is_outdated() && *at(closed, cluster)? == 0;
        let new = at_mut(at_mut(series, 1 - side)?, cluster)?;
        if open || new.count() < question.fewest {
            let mut pool = Pool { nodes: self.parts.nodes, spare };
            Store { records: self.parts.records, pool: &mut pool }.add(new, index, false)?;
        }
        Ok(())
    }

    /// Replaces the old clusters by the new ones.
    pub(super) fn take_over(&mut self) -> Result<()> {
        let (method, question) = (self.method()?, self.state.question);
        let State { side, filling, series, memos, spare, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let old = *side as usize;
        for series in at_mut(series, old)? {
            pool.clear(&mut series.tree)?;
            *series = Series::new(old as u32);
        }
        *at_mut(memos, old)? = [Memo::default(); MAX_CLUSTERS];
        let store = Store { records: &mut *self.parts.records, pool: &mut pool };
        let new = 1 - old;
        for (series, memo) in at(series, new)?.iter().zip(at_mut(memos, new)?) {
            memo.refresh(store.view(), series, method, &question)?;
        }
        *side = new as u32;
        *filling = 0;
        Ok(())
    }
}
